/* class_a.h: what the files of class a's generator share, and class f's with them. */
#ifndef KERNC_FUZZ_CLASS_A_H
#define KERNC_FUZZ_CLASS_A_H

#include "fuzz/program.h"

/* Where the generator stands. What is saved and restored around a construct is what the construct changes. */
struct position {
    uint32_t depth; /* constructs around this one */
    uint32_t loops; /* of them loops */
    uint32_t times; /* how often this place is passed at most, for one run of the function */
    bool may_break, may_continue, may_throw, may_return;
};

struct generator {
    struct fz_program *p;
    struct fz_function *f;
    struct fz_random r;
    struct position at;
    uint32_t budget; /* statements that may still be made in this function */
    uint32_t cost;   /* statements one call executes at most, so far */
    bool is_kernel;
    bool counts;    /* shared counters are in use: no thread may leave early */
    bool converges; /* class f: convergent operations are in use */
};

enum { FZ_MAX_COST = 4000 };

/* An expression of at most this depth. */
struct fz_node *fz_random_expr(struct generator *g, uint32_t depth);
/* Something to assign to; NULL: there is nothing. */
struct fz_node *fz_random_place(struct generator *g, bool integer);
/* The number of a variable of this shape that may be assigned to, or of any: UINT32_MAX if there is none. */
uint32_t fz_pick_variable(struct generator *g, enum fz_shape shape, bool assignable);
/* The class's types, int and uint more often. */
enum fz_type fz_random_type(struct generator *g);

/* Statements: one structure to another (NULL: there is none), a value to a slot of the output, to a counter, to
 * the caller. */
struct fz_node *fz_random_copy(struct generator *g);
struct fz_node *fz_random_output(struct generator *g);
struct fz_node *fz_random_atomic(struct generator *g);
struct fz_node *fz_random_return(struct generator *g);
/* Any statement, NULL: none fits; a block of at most so many; a try. */
struct fz_node *fz_random_statement(struct generator *g);
struct fz_node *fz_random_block(struct generator *g, uint32_t most);
struct fz_node *fz_random_try(struct generator *g);
/* A loop's own counter, and the condition that is always true. */
uint32_t fz_new_counter(struct generator *g);
struct fz_node *fz_always(struct generator *g);
/* Scalars, arrays, structures with initial values; pointers, where the program has some. */
void fz_add_locals(struct generator *g);
/* The program's buffers, input, table and the structure's types. */
void fz_add_data(struct generator *g);
/* The program's functions, `most` at most besides the kernel, which comes last. */
void fz_make_functions(struct generator *g, uint32_t most, void (*function)(struct generator *g),
                       void (*kernel)(struct generator *g));

/* A call of the function, with random arguments; NULL: it may not be called here. */
struct fz_node *fz_random_call_of(struct generator *g, uint32_t callee, uint32_t depth);

/* class_a_throw.c. Whether one of the functions before this one throws. */
bool fz_any_throws(const struct generator *g);
/* The function, whose body this is, throws first of all, under a condition. */
void fz_begin_with_throw(struct generator *g, struct fz_node *body);
/* The block begins with a call, of a function that throws if there is one. */
void fz_begin_with_call(struct generator *g, struct fz_node *block);

/* class_a_pointers.c. Each of these is NULL where the function has no pointers. */
void fz_add_pointers(struct generator *g);
/* An expression of pointer type; what it leads to; whether two are the same. */
struct fz_node *fz_random_pointer(struct generator *g);
struct fz_node *fz_random_deref(struct generator *g);
struct fz_node *fz_random_same(struct generator *g);
/* A statement. */
struct fz_node *fz_random_point(struct generator *g);
/* All ints that pointers lead to, mixed to one number. */
struct fz_node *fz_all_targets(struct generator *g);

#endif
