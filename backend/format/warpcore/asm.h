/* asm.h: what the assembler's files and the disassembler share: tokens, names, the state of an assembly. */
#ifndef KERNC_WARPCORE_ASM_H
#define KERNC_WARPCORE_ASM_H

#include "backend/format/warpcore/image.h"

/* ---- tokens (asm_lexer.c) ---------------------------------------------------------------------------- */

enum wc_token_kind {
    WC_TOKEN_END,
    WC_TOKEN_LINE,   /* of the text; of a line */
    WC_TOKEN_WORD,   /* letters, digits, _ . $; no digit first */
    WC_TOKEN_NUMBER, /* begins with a digit: 12, 0x1f, 1.5e-3 */
    WC_TOKEN_STRING, /* text: what the quotes hold, escapes replaced */
    WC_TOKEN_MARK,   /* one character, the first of its text: , : [ ] + - * ( ) { } = */
    WC_TOKEN_BAD,    /* has been reported */
};
struct wc_token {
    enum wc_token_kind kind;
    span where;
    const char *text;
    uint32_t length, start;
};

struct wc_lexer {
    const struct source *source;
    struct diagnostics *d;
    struct arena *arena;           /* texts of tokens */
    uint32_t at, line, line_start; /* offsets in the text; line from 1 */
    struct wc_token token;         /* the current one */
};
/* To the first token of l->source. */
void wc_lexer_start(struct wc_lexer *l);
/* Makes the next token l->token; at the end of the text always the end. */
void wc_lexer_advance(struct wc_lexer *l);
/* Goes from an offset on the current token's line to one behind it, which is returned as a place. */
span wc_lexer_go(struct wc_lexer *l, uint32_t from, uint32_t to);
/* To the end of the line. */
void wc_lexer_skip_line(struct wc_lexer *l);
/* Whether the current word or string is a label: a colon follows it. */
bool wc_at_label(const struct wc_lexer *l);

/* A name that assembly writes without quotes: a word that begins with no point. */
bool wc_plain_name(const char *name);
/* i1, i32, i64, f32, ptr by enum be_value; NULL: a type that images do not have. */
extern const char *const wc_value_names[BE_PTR + 1];

/* ---- the assembler ----------------------------------------------------------------------------------- */

/* A name whose word is not known yet, and where the number goes. */
enum wc_fixup_kind { WC_FIX_IMM, WC_FIX_RPC, WC_FIX_ENTRY };
struct wc_fixup {
    enum wc_fixup_kind kind;
    uint32_t index;
    const char *name;
    span where;
};
struct wc_label {
    const char *name;
    uint32_t word;
    span where;
};

struct wc_assembler {
    struct wc_lexer lexer;
    struct diagnostics *d;
    struct arena arena; /* for the time of the assembly */
    struct wc_image *m;
    struct strings names;
    struct map ops;    /* interned mnemonic -> enum wc_op */
    struct map labels; /* interned name -> row of label_rows */
    VEC(struct wc_label) label_rows;
    VEC(struct wc_fixup) fixups;
    VEC(struct wc_ins) ins; /* beside m->code: what its words are made of */
    VEC(bool) raw;          /* by word: it is a .word */
    VEC(span) spans;        /* by word: its place in the assembly */
    VEC(uint8_t) data;
    place loc;             /* of the next words, if has_file */
    bool has_file, failed; /* failed: the current statement */
};

/* Instead of a kernel's number of registers or predicates: what its code uses. */
#define WC_COMPUTED UINT32_MAX

/* Reports at the current token; the rest of the line is skipped. Always false. */
bool wc_asm_error(struct wc_assembler *a, const char *id, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool wc_asm_error_at(struct wc_assembler *a, span where, const char *id, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Takes the token and says true, if it is this one; false too where the statement has failed. */
bool wc_accept_mark(struct wc_assembler *a, char mark);
bool wc_accept_word(struct wc_assembler *a, const char *word);
/* The same, and an error if another stands there. */
bool wc_expect_mark(struct wc_assembler *a, char mark);
/* An integer between least and most, with its sign; 0 if it fails. */
int64_t wc_take_integer(struct wc_assembler *a, int64_t least, int64_t most, const char *what);
uint32_t wc_take_u32(struct wc_assembler *a, uint32_t most, const char *what);
/* A word or a string; in the image's arena. "" if it fails. */
const char *wc_take_name(struct wc_assembler *a, const char *what);
/* A token of text "" if it fails. */
struct wc_token wc_take_string(struct wc_assembler *a, const char *what);
/* A code word: its number, or a name to be looked up at the end. */
uint32_t wc_take_target(struct wc_assembler *a, enum wc_fixup_kind kind, uint32_t index, const char *what);
/* Appends the word, what it is decoded (`raw`: nothing, it is a .word), and its place. */
void wc_put_word(struct wc_assembler *a, struct wc_ins ins, bool raw, uint32_t word, span where);
/* The directive that the current token names (asm_tables.c); the token is past it. */
void wc_directive(struct wc_assembler *a, struct wc_token name);
/* Takes the directive that begins with the current token, if it is one about launches (launch/directive.c). */
bool wc_launch_directive(struct wc_assembler *a);

#endif
