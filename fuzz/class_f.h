/* class_f.h: what the files of class f's generator share. */
#ifndef KERNC_FUZZ_CLASS_F_H
#define KERNC_FUZZ_CLASS_F_H

#include "fuzz/class_a.h"

/* Statements: so many in a list; none; a list that stands in something; one without control flow (NULL: there
 * is none). */
struct fz_node *fz_f_block(struct generator *g, uint32_t least, uint32_t most);
struct fz_node *fz_f_empty(struct generator *g);
struct fz_node *fz_f_inner(struct generator *g, uint32_t least, uint32_t most);
struct fz_node *fz_f_simple(struct generator *g);
/* Another arm like this one, which has added `cost`. */
struct fz_node *fz_f_another_arm(struct generator *g, const struct fz_node *arm, uint32_t cost);

/* Expressions. Conditions are mostly divergent; the input's element is another one for each thread. */
struct fz_node *fz_f_condition(struct generator *g);
struct fz_node *fz_f_own_input(struct generator *g);
struct fz_node *fz_f_operation(struct generator *g, enum fz_operator op, struct fz_node *x,
                               struct fz_node *y);
struct fz_node *fz_f_constant(struct generator *g, uint32_t value);

/* class_f_loops.c: a loop; a branch with one in each arm. */
struct fz_node *fz_f_loop(struct generator *g);
struct fz_node *fz_f_loops(struct generator *g);

#endif
