/* parse.h: what the parser's files share. Private to ir/.
 *
 * Errors: the first one of a statement is reported and sets `failed`; from then on nothing is accepted or
 * expected, so that the statement's functions run to their end without a look at it; the loop over
 * statements skips to the next line and goes on. `stopped` ends the parse (a limit, or too many errors).
 */
#ifndef KERNC_IR_PARSE_H
#define KERNC_IR_PARSE_H

#include "ir/limits.h"
#include "ir/text/lexer.h"
#include "ir/text/syntax.h"

/* A name that was used, to be found when all are known. Kinds: the tables an immediate may point into. */
struct global_use {
    enum ir_imm kind;
    const char *name;
    span where;
    struct ir_function *fn; /* of an instruction; else of the kernel: its function, or unsized object */
    ir_ref ins;
    uint32_t kernel;
};

/* A value or block by name; before its definition a value has a placeholder, which is replaced at the end. */
struct local_value {
    const char *name;
    span first;
    ir_ref ref, placeholder;
};
struct local_block {
    span first;
    uint32_t block;
    const char *name;
    bool defined;
};

struct parser {
    struct lexer lexer;
    struct token token;
    struct ir_module *m;
    struct diagnostics *d;
    struct arena *arena;                              /* the module's */
    bool failed, stopped, broken;                     /* broken: there was any error */
    struct map operations, types, accesses, specials; /* interned word -> number */
    struct map functions, objects, hosts, kernels;    /* interned name -> number */
    VEC(struct global_use) uses;
    /* of the function being parsed */
    struct ir_function *fn;
    struct ir_cursor cursor;
    struct map value_names, block_names; /* interned name -> index below */
    VEC(struct local_value) values;
    VEC(struct local_block) blocks;
    u32_vec order, operands;
};

/* Names and words are interned: their address is their key. */
static inline uint64_t name_key(const char *interned)
{
    return (uintptr_t)interned;
}

/* Makes the next token p->token; TOKEN_END once the parse has stopped. */
void ir_parse_advance(struct parser *p);
/* The first one of a statement; nothing where it has failed already. */
void ir_parse_error(struct parser *p, span where, enum ir_message m, ...);
void ir_parse_wanted(struct parser *p, const char *what); /* error: wanted `what`, found the token */
/* False, with an error that stops the parse, if the count has reached the limit. */
bool ir_parse_within(struct parser *p, uint32_t count, uint32_t limit, const char *what);
/* Continuations of a statement: never the first word on a line. */
bool ir_parse_accept(struct parser *p, char punctuation);
/* Takes the token and says true, if it is this one; false too where the statement has failed. */
bool ir_parse_accept_word(struct parser *p, const char *word);
/* Takes this token; an error if another stands there. */
void ir_parse_expect(struct parser *p, char punctuation);
void ir_parse_expect_word(struct parser *p, const char *word);
struct token ir_parse_take(struct parser *p, enum token_kind kind, const char *what); /* text "" on error */
/* From 0 to `limit`, without suffix; 0 after an error. */
uint64_t ir_parse_integer(struct parser *p, uint64_t limit, const char *what);
/* What the table says of the next word; 0, with the error `unknown`, if it has none. */
uint32_t ir_parse_word(struct parser *p, const struct map *words, const char *what, enum ir_message unknown);
/* IR_TYPE_VOID after an error. */
enum ir_type ir_parse_type(struct parser *p);
place ir_parse_location(struct parser *p); /* [!line[:column]] */
/* To the next token that begins a line, behind the statement that began at this offset; `failed` is reset. */
void ir_parse_skip_line(struct parser *p, size_t statement_start);

void ir_parse_define(struct parser *p);      /* ir/text/parse_function.c */
void ir_parse_instruction(struct parser *p); /* ir/text/parse_ins.c */
/* The value of this name, or a place holder for one that is defined later; 0: too many instructions. */
ir_ref ir_parse_value_ref(struct parser *p, const struct token *name);
/* The block of this name, made if it is new; IR_NO_BLOCK after an error. */
uint32_t ir_parse_block_ref(struct parser *p);
/* r gets the name; an error if another value has it. */
void ir_parse_define_value(struct parser *p, const struct token *name, ir_ref r);

#endif
