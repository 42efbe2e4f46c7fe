/* lexer.h: words of the text form. Private to ir/. */
#ifndef KERNC_IR_LEXER_H
#define KERNC_IR_LEXER_H

#include "ir/ir.h"

enum token_kind {
    TOKEN_END,
    TOKEN_ERROR,      /* a diagnostic has been given */
    TOKEN_WORD,       /* text, interned: saxpy, atomic.add, ptr.global */
    TOKEN_LOCAL,      /* %name; text without the % */
    TOKEN_GLOBAL,     /* @name or @"name"; text without the @ */
    TOKEN_INDEX,      /* #number */
    TOKEN_INTEGER,    /* number (magnitude) and negative; suffix 'L' or 0 */
    TOKEN_FLOAT,      /* number: the bits of the double; suffix 'f' or 0 */
    TOKEN_STRING,     /* text decoded, length bytes */
    TOKEN_BYTES,      /* x"00ff": text holds `length` bytes */
    TOKEN_RANGE,      /* .. */
    TOKEN_PUNCTUATION /* number is the character */
};

struct token {
    enum token_kind kind;
    span where;
    size_t start;     /* offset in the source */
    const char *text; /* NUL-terminated as well */
    size_t length;
    uint64_t number;
    bool negative, first_on_line;
    char suffix;
};

enum ir_message {
#define MSG(id, name, format) MSG_##id,
#include "ir/text/messages.def"
    IR_MESSAGES
};
struct ir_message_info {
    const char *name, *format;
};
extern const struct ir_message_info ir_message_info[IR_MESSAGES];

struct lexer {
    const struct source *source;
    struct diagnostics *diagnostics;
    struct strings *strings; /* where words are interned */
    size_t at;
    uint32_t line;
    size_t line_start;
};
/* Stands before the first token. What is no token is reported to `d`. */
void ir_lexer_init(struct lexer *l, const struct source *s, struct diagnostics *d, struct strings *strings);
/* The next token; at the end of the text TOKEN_END, however often it is asked. */
struct token ir_lex(struct lexer *l);
/* Goes from the beginning of the current token to an offset behind it, as if what lies between were one token;
 * where that ends. */
span ir_lexer_go(struct lexer *l, size_t token, size_t to);
/* To the end of the line. */
void ir_lexer_skip_line(struct lexer *l);
/* Whether the next word, on this line, begins with this character. */
bool ir_lexer_sees(const struct lexer *l, char c);
/* An error, id and format by its row of messages.def; the arguments fit the format. */
void ir_message(struct diagnostics *d, span where, enum ir_message m, ...);

#endif
