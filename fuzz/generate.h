/* generate.h: the generator of programs' trees: what its files share, and what the classes make kernels
 * of.
 *
 * Well defined by construction: indices are masked, but where a branch has found out that they are inside
 * (INSIDE); every loop has a counter of its own with a small bound; a thread writes its own cells and
 * slots of global memory and its own slot of shared memory; atomics commute and their results are not
 * used; exceptions are thrown where something catches.
 */
#ifndef KERNC_FUZZ_GENERATE_H
#define KERNC_FUZZ_GENERATE_H

#include "fuzz/program.h"

/* The columns of weights.def. */
enum fz_column { FZ_COLUMN_A, FZ_COLUMN_B, FZ_COLUMN_Q, FZ_COLUMN_C, FZ_COLUMN_F, FZ_COLUMN_H, FZ_WEIGHTS };
enum fz_chances {
#define CHANCE(id, ...) FZ_CHANCE_##id,
#include "fuzz/weights.def"
};
enum fz_ranges {
#define RANGE(id, ...) FZ_RANGE_##id,
#include "fuzz/weights.def"
};
struct range {
    uint8_t least, most;
};

/* Where the generator stands: what a construct changes for what is in it. */
struct position {
    uint32_t depth;       /* constructs around this one */
    uint32_t loops;       /* of them loops */
    uint32_t counters[8]; /* theirs, innermost last */
    uint32_t times;       /* how often this place is passed at most, for one run of the function */
    bool may_break, may_continue, may_throw, may_return;
};

struct graph;
struct generator {
    struct fz_program *p;
    struct fz_function *f;
    struct fz_random r;
    enum fz_column column;
    struct position at;
    uint32_t most_depth;
    uint32_t budget; /* statements that may still be made in this function */
    uint32_t cost;   /* statements one call executes at most, so far */
    bool is_kernel;
    bool counts;         /* shared counters are in use: no thread may leave early */
    bool converges;      /* class f: convergent operations are in use */
    bool is_predicted;   /* class b: regions are wanted */
    bool silent;         /* class j: calls are not */
    uint32_t regions;    /* class b: in the function */
    struct graph *graph; /* class c: that the statements stand in */
};

enum { FZ_MAX_COST = 4000 };

static inline uint32_t below(struct generator *g, uint32_t n)
{
    return fz_below(&g->r, n);
}
static inline bool chance(struct generator *g, uint32_t percent)
{
    return fz_chance(&g->r, percent);
}
static inline struct fz_node *node(struct generator *g, enum fz_kind kind)
{
    return fz_node(g->p, kind);
}
/* The number of one of the forms, by their weights. */
uint32_t fz_draw(struct generator *g, const uint8_t (*weights)[FZ_WEIGHTS], uint32_t count);
bool fz_happens(struct generator *g, enum fz_chances chance);
struct range fz_range(const struct generator *g, enum fz_ranges range);
uint32_t fz_many(struct generator *g, enum fz_ranges range);
/* The program's blocks and threads. */
void fz_draw_launch(struct generator *g);

/* ---- statements (generate.c) ------------------------------------------------------------------------- */

/* Lists of statements; one that stands in something. */
struct fz_node *fz_make_list(struct generator *g, struct range length);
struct fz_node *fz_make_inner_list(struct generator *g, struct range length);
/* A statement; one of a kind; NULL: none fits. */
struct fz_node *fz_make_statement(struct generator *g);
struct fz_node *fz_make_simple(struct generator *g);
struct fz_node *fz_make_try(struct generator *g);
struct fz_node *fz_make_if(struct generator *g);
struct fz_node *fz_make_loop(struct generator *g);
struct fz_node *fz_make_return(struct generator *g);
/* A row of the log; a call of a function that logs, or NULL. */
struct fz_node *fz_make_log(struct generator *g);
struct fz_node *fz_make_invoke(struct generator *g);
/* Some threads execute the statement. */
struct fz_node *fz_some(struct generator *g, struct fz_node *condition, struct fz_node *statement);
void fz_put_first(struct fz_node *list, struct fz_node *n);
/* vary.c. A copy of a list with other names, and mostly with other changes: for another arm of its branch. */
struct fz_node *fz_varied(struct generator *g, const struct fz_node *list);
/* A loop's own counter. */
uint32_t fz_new_counter(struct generator *g);
struct fz_node *fz_always(struct generator *g);
/* Begins the function with this number: its row's depth and budget. */
void fz_begin_function(struct generator *g, uint32_t function);
/* Whether one of the functions before this one throws. */
bool fz_any_throws(const struct generator *g);

/* class_b.c. A loop of row Q at the list's end, and an operation behind it. Before what is in the list, a
 * call that some of the threads make. */
void fz_add_region(struct generator *g, struct fz_node *list);
void fz_begin_with_invoke(struct generator *g, struct fz_node *list);
/* Makes programs of the class's row, with what else `add` puts into each, until one is short enough. */
void fz_generate_b(struct fz_program *p, void (*add)(struct fz_program *p, uint32_t attempt));
/* class_c.c. A goto from the state that is being made. */
struct fz_node *fz_make_goto(struct generator *g);

/* ---- expressions (generate_expr.c) ------------------------------------------------------------------- */

struct fz_node *fz_expression(struct generator *g, uint32_t depth);
struct fz_node *fz_condition(struct generator *g, uint32_t depth); /* 0: nothing is combined */
/* A small number, where it is masked; `constant` if it is to be one. */
struct fz_node *fz_number(struct generator *g, uint32_t constant);
/* Something to assign to; NULL: there is nothing. */
struct fz_node *fz_place(struct generator *g, bool integer);
/* The number of a variable of this shape that may be assigned to, or of any: UINT32_MAX if there is none. */
uint32_t fz_pick_variable(struct generator *g, enum fz_shape shape, bool assignable);
struct fz_node *fz_named(struct generator *g, enum fz_kind kind, uint32_t variable);
/* The class's types, int and uint more often. */
enum fz_type fz_random_type(struct generator *g);
struct fz_node *fz_own_input(struct generator *g);
/* Of its convergent operation, which has its `op`. */
struct fz_node *fz_operand(struct generator *g, enum fz_observation op);
/* A call of the function, with random arguments; NULL: it may not be called here. */
struct fz_node *fz_call_of(struct generator *g, uint32_t callee, uint32_t depth);
/* generate_vectors.c. Vectors as variables, scalars of vectors, statements. */
void fz_add_vectors(struct generator *g);
struct fz_node *fz_make_vector_element(struct generator *g, uint32_t depth);
struct fz_node *fz_make_dot(struct generator *g, uint32_t depth);
struct fz_node *fz_make_vector_assign(struct generator *g);
struct fz_node *fz_make_step(struct generator *g);
struct fz_node *fz_make_store_row(struct generator *g);
/* An expression of pointer type; a statement that changes a pointer; NULL where there are none. */
struct fz_node *fz_make_point(struct generator *g);

#endif
