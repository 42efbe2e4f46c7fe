/* print.h: what the files that print a program share. */
#ifndef KERNC_FUZZ_PRINT_H
#define KERNC_FUZZ_PRINT_H

#include "fuzz/emit.h"

struct printer {
    const struct fz_program *p;
    const struct fz_dialect *to; /* NULL: a program in Kern as it is */
    const struct fz_function *f; /* the one being printed */
    struct text *out;
    uint32_t indent;
    const struct fz_node *beyond; /* fz_beyond of the program */
};

/* The i-th initial value of a variable: from its own seed, so that dropping one does not change another. */
uint64_t fz_initial(const struct fz_variable *v, enum fz_type type, uint32_t i);

/* print_expr.c. What a value is converted with stands before and behind it: "(uint)", or "uint(" and ")". */
void fz_begin_cast(struct printer *w, const char *type);
void fz_end_cast(struct printer *w);
void fz_print_as(struct printer *w, const char *type, const char *value);
void fz_print_expr(struct printer *w, const struct fz_node *n);
/* An integer from 0 to mask. */
void fz_print_masked(struct printer *w, const struct fz_node *n, uint64_t mask);
/* A constant of Kern with this type and these bits. */
void fz_print_literal(struct text *out, enum fz_type type, uint64_t bits);
/* "v3", "a0": names tell the shape. */
void fz_print_name(struct printer *w, uint32_t variable);

/* "shared int *", "int *"; "&c0[": shared memory has the targets of all threads. */
const char *fz_pointer_type(const struct fz_program *p);
void fz_print_address(struct printer *w, uint32_t targets);

/* print.c */
void fz_print_function(struct printer *w, uint32_t index);
/* Lines of a comment. */
void fz_print_comment(const char *comment, const char *mark, struct text *out);
/* The functions but the kernel that it reaches, and what they call. */
void fz_print_functions(struct printer *w);
/* What CALL_EITHER calls; whether the places of the tables are written there, and which: 0 is that of
 * the first function. Then nothing is made of the condition. */
void fz_print_callee(struct printer *w, const struct fz_node *n);
bool fz_calls_known_place(const struct fz_program *p);
static inline uint32_t fz_known_place(const struct fz_node *n)
{
    return (n->name + n->value) % 2;
}

/* Whether the program's shared counters have a sum of doubles beside each, all of them integers: then the
 * order of additions can't be seen. */
static inline bool fz_adds_doubles(const struct fz_program *p)
{
    return p->class == 'a' && p->seed / 2 % 2;
}

/* print_stmt.c: the statements of a BLOCK. */
void fz_print_list(struct printer *w, const struct fz_node *block);
/* An indented line of text. */
void fz_print_line(struct printer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void fz_print_indent(struct printer *w);

/* The functions that STIR and GATE call, if they are there. */
void fz_print_helpers(struct printer *w);

#endif
