/* class_b.h: what the files of class b's generator share, and what class j makes programs of. */
#ifndef KERNC_FUZZ_CLASS_B_H
#define KERNC_FUZZ_CLASS_B_H

#include "fuzz/program.h"

struct generator {
    struct fz_program *p;
    struct fz_function *f;
    struct fz_random r;
    uint32_t depth, most_depth, loops, budget;
    bool may_break, may_continue, may_throw, is_kernel;
    bool is_predicted, quiet; /* quiet: nothing convergent is to be made */
    bool silent;              /* nor a call */
    uint32_t regions;         /* in the function */
    uint32_t counters[8];     /* of the loops around, innermost last */
};

/* class_b.c. Makes programs, with what else `add` puts into each, until one is short enough. */
void fz_b_generate(struct fz_program *p, void (*add)(struct fz_program *p, uint32_t attempt));
/* Statements, at most so many in a row, and as many of all as the budget has. */
struct fz_node *fz_b_block(struct generator *g, uint32_t most);
struct fz_node *fz_b_invoke(struct generator *g); /* NULL: there is nothing to call */

/* class_b_conditions.c. A node without others below it. */
struct fz_node *fz_b_leaf(struct generator *g, enum fz_kind kind, uint64_t value, uint8_t op);
/* A condition on lanes, counters, hashes or what has been seen; one of them combined, of at most this depth. */
struct fz_node *fz_b_simple_condition(struct generator *g);
struct fz_node *fz_b_condition(struct generator *g, uint32_t depth);
/* A small number, with this one among those that are the same for all threads. */
struct fz_node *fz_b_number(struct generator *g, uint32_t constant);
/* A statement: a row of the log; arithmetic that no one sees; either, as the place allows. */
struct fz_node *fz_b_log(struct generator *g);
struct fz_node *fz_b_noise(struct generator *g);
struct fz_node *fz_b_observation(struct generator *g);

#endif
