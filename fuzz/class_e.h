/* class_e.h: what the files of class e share: a function of a random module in the making.
 *
 * It is made in three steps. class_e_graph.c draws the graph; class_e_tokens.c puts tokens into it and places
 * where convergent operations are to stand, each kept only if the verifier accepts the function with it;
 * class_e_blocks.c gives every block parameters, values and conditions, and makes the operations.
 *
 * Why threads end. Blocks have places in an order. Every block that does not return has an edge to a later
 * one, and no edge back is taken without its guard, which ends: one to the header of a natural loop counts
 * the header's trips since the loop was entered, any other counts the function's fuel.
 */
#ifndef KERNC_FUZZ_CLASS_E_H
#define KERNC_FUZZ_CLASS_E_H

#include "fuzz/program.h"
#include "ir/analysis/analysis.h"

enum { FZ_E_ROWS = 192, FZ_E_FUEL = 5, FZ_E_MOST_TRIPS = 4, FZ_E_MOST_BLOCKS = 32 };

struct fz_e_token {
    ir_ref def;
    bool by_anchor; /* the threads of its operations are the implementation's choice */
    ir_ref leader;  /* operation behind the definition in its block that all its threads execute;
                       0: none */
};
/* Where an operation is to stand: an IR_syncwarp (or IR_barrier, which stays) with its token. */
struct fz_e_place {
    ir_ref at;
    uint32_t token;
    bool is_leader;
    uint32_t twin; /* a place before: both are to have the same operation; FZ_E_NONE: none */
    uint32_t user; /* the only block that is to see the result; IR_NO_BLOCK: any may */
    ir_ref made;   /* the operation, once it is there */
};
#define FZ_E_NONE UINT32_MAX
/* What a block is given by its edges, in this order; ~0 or 0: it has none. */
struct fz_e_block {
    ir_ref row, hash, fuel, trip;
    ir_ref extra[2];
    uint32_t position;
    uint32_t most_trips; /* of a natural loop's header: edges back until it is left */
    bool quiet;          /* an arm of a diamond: threads may not see which they took */
    bool tempts;         /* its branch is one that operations might be moved across */
    VEC(ir_ref) made;    /* values that blocks below may use */
};

struct fz_e_function {
    struct fz_program *p;
    struct fz_random *r;
    struct arena *arena; /* scratch */
    struct ir_function *fn;
    bool is_kernel, is_free; /* free: no operation depends on the caller's threads */
    bool may_wait;           /* at barriers */
    bool for_good;           /* loops are left by ways that return, while others wait at barriers in them */
    bool is_calm;            /* few operations, so that predictions have regions without any */
    bool has_fuel;           /* some edge back is not that of a natural loop */
    struct ir_cfg *cfg;
    struct ir_dominators *dominators;
    struct ir_cycles *cycles;
    struct fz_e_block blocks[FZ_E_MOST_BLOCKS];
    VEC(struct fz_e_token) tokens;
    VEC(struct fz_e_place) places;
};

static inline uint32_t fz_e_below(struct fz_e_function *g, uint32_t n)
{
    return fz_below(g->r, n);
}
static inline bool fz_e_chance(struct fz_e_function *g, uint32_t percent)
{
    return fz_chance(g->r, percent);
}
/* An edge that may be taken only so often. */
static inline bool fz_e_leads_back(const struct fz_e_function *g, uint32_t from, uint32_t to)
{
    return g->blocks[to].position <= g->blocks[from].position;
}

/* The graph, with terminators whose conditions are constants (class_e_graph.c). */
void fz_e_make_graph(struct fz_e_function *g, uint32_t blocks);

/* Tokens and places (class_e_tokens.c); `operations` are tried. */
void fz_e_place_tokens(struct fz_e_function *g, uint32_t operations);
/* The rest (class_e_blocks.c). Functions of smaller numbers may be called. */
void fz_e_fill(struct fz_e_function *g);
/* Predictions in a function that is filled (predictions_e.c). */
void fz_e_predict(struct ir_function *fn, struct fz_random *r);

#endif
