/* vectors.h: class h: vectors of every type, each statement written twice: by vectors, as the language has
 * it, and by scalars, element for element. The kernel asserts that all variables are the same both ways in the
 * end.
 *
 * Nothing is shared between threads, and loops count: so whatever is dropped, a program of the class is left.
 */
#ifndef KERNC_FUZZ_VECTORS_H
#define KERNC_FUZZ_VECTORS_H

#include "fuzz/marks.h"

enum { FZ_MOST_ELEMENTS = 4, FZ_MOST_VECTORS = 6, FZ_VECTOR_ROWS = 4 };

enum fz_vector_kind {
    FZ_VECTOR_VARIABLE,  /* number: which */
    FZ_VECTOR_ROW,       /* rows[gid & 3] of a local array, as a variable has it: number: which */
    FZ_VECTOR_INPUT,     /* of ints: those from `number` on of the input, but from another place in each
                            thread where style is odd; what a wide access may be, and one that is not aligned */
    FZ_VECTOR_SELECT,    /* at: elements of a */
    FZ_VECTOR_MADE,      /* of parts a, b, c, d, scalars or vectors; style: how it is spelt */
    FZ_VECTOR_WIDENED,   /* the scalar a for each element */
    FZ_VECTOR_OPERATION, /* a op b; one of them may be a scalar */
    FZ_VECTOR_COMPARE,   /* a op b, -1 or 0 */
    FZ_VECTOR_NEGATE,    /* op a */
    FZ_VECTOR_CONVERT,   /* a, of another type */
    FZ_VECTOR_CALL,      /* builtin `number` of fz_vector_builtins of a, b, c */
    FZ_VECTOR_CHOOSE,    /* select(a, b, c) */
    FZ_VECTOR_CONDITION, /* c < d ? a : b, of scalars c and d */
    FZ_VECTOR_CONSTANT,  /* scalar: number */
    FZ_VECTOR_ELEMENT,   /* scalar: at[0] of a */
    FZ_VECTOR_DOT,       /* scalar: dot(a, b) */
};
struct fz_vector {
    enum fz_vector_kind kind;
    uint8_t type, count; /* enum fz_type, not bool; 1: a scalar */
    uint8_t at[FZ_MOST_ELEMENTS], style;
    const char *op;
    int32_t number;
    struct fz_vector *a, *b, *c, *d;
};

enum fz_vector_step { FZ_STEP_ASSIGN, FZ_STEP_COUNT, FZ_STEP_STORE, FZ_STEP_IF, FZ_STEP_LOOP };
/* ASSIGN: the elements `at` (or, whole, all) of the variable op= value; COUNT: ++ or -- of them; STORE: to the
 * row; IF: by value, a scalar, > 0; LOOP: so many times as its low bits say. */
struct fz_vector_statement {
    enum fz_vector_step step;
    uint32_t variable;
    bool whole, behind; /* behind: v++ */
    uint8_t count, at[FZ_MOST_ELEMENTS], style;
    const char *op;
    struct fz_marks marks;
    struct fz_vector *value;
    struct fz_vector_statement *then, *otherwise, *next;
};
struct fz_vectors {
    struct {
        uint8_t type, count;
    } variables[FZ_MOST_VECTORS];
    uint32_t count;
    struct fz_vector_statement *first;
};

/* Builtins by element: parameters as many as letters: n the type, f a floating type only, i integers only, c
 * those that are promoted to int: what it gives is one. */
struct fz_vector_builtin {
    const char *name, *letters;
};
extern const struct fz_vector_builtin fz_vector_builtins[];
extern const uint32_t fz_vector_builtin_count;

/* The signed integer type of a comparison. */
enum fz_type fz_truth_type(enum fz_type t);
/* The program's source but for its launch. */
void fz_print_vectors(const struct fz_program *p, struct text *out);
uint32_t fz_vectors_size(const struct fz_vectors *v); /* the kernel, statements and expressions */
struct fz_reducer;
/* One pass over a program of class h. */
void fz_reduce_vectors(struct fz_reducer *r);

#endif
