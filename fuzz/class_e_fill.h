/* class_e_fill.h: what the files that fill the blocks of a graph share. */
#ifndef KERNC_FUZZ_CLASS_E_FILL_H
#define KERNC_FUZZ_CLASS_E_FILL_H

#include "fuzz/class_e.h"

#define FZ_E_HASH_FACTOR 2654435761u

/* A result that waits for a block that sees it; IR_NO_BLOCK: any that it dominates. */
struct fz_e_unseen {
    ir_ref value;
    uint32_t user;
};

/* At work in one block. */
struct fz_e_filler {
    struct fz_e_function *g;
    struct ir_cursor c;
    uint32_t block;
    ir_ref row, hash;          /* as of here */
    ir_ref gid, threads, lane; /* of the kernel */
    VEC(ir_ref) visible;
    VEC(ir_ref) operations; /* made so far, but for calls and those by anchors */
    VEC(struct fz_e_unseen) unseen;
};

static inline uint32_t below(struct fz_e_filler *w, uint32_t n)
{
    return fz_e_below(w->g, n);
}
static inline bool chance(struct fz_e_filler *w, uint32_t percent)
{
    return fz_e_chance(w->g, percent);
}
static inline enum ir_type type_of(const struct fz_e_filler *w, ir_ref r)
{
    return (enum ir_type)ir_at(w->g->fn, r)->type;
}
static inline ir_ref constant(struct fz_e_filler *w, uint32_t v)
{
    return ir_const_i32(w->g->fn, v);
}

/* ---- values and conditions (class_e_values.c) -------------------------------------------------------- */

/* Compares or computes, at the cursor. */
ir_ref fz_e_emit2(struct fz_e_filler *w, enum ir_op op, ir_ref a, ir_ref b);
/* The value may be used from here on, and in blocks below; returns it. */
ir_ref fz_e_offer(struct fz_e_filler *w, ir_ref r);
/* A visible value of the type, later ones and those of cycles left behind more often; 0: none was met. */
ir_ref fz_e_pick(struct fz_e_filler *w, enum ir_type t);
/* An element of the kernel's input. */
ir_ref fz_e_load_input(struct fz_e_filler *w);
/* Any i32; the result of an operation on two. */
ir_ref fz_e_number(struct fz_e_filler *w);
ir_ref fz_e_arithmetic(struct fz_e_filler *w);
/* r's lowest bit as an i1. */
ir_ref fz_e_lowest_bit(struct fz_e_filler *w, ir_ref r);
/* Whether it is not yet this thread's turn of the innermost loop that dominates the block; 0: there is none.
 */
ir_ref fz_e_turn(struct fz_e_filler *w);
/* Any i1. */
ir_ref fz_e_condition(struct fz_e_filler *w);
/* On a value of a cycle left behind, the same for all of an iteration, or else on one that all threads have.
 */
ir_ref fz_e_tempting_condition(struct fz_e_filler *w);
/* Changes the hash by the value. */
void fz_e_mix(struct fz_e_filler *w, ir_ref r);
/* Makes what is written depend on the value: by a row of the log, or the hash. */
void fz_e_see(struct fz_e_filler *w, ir_ref r);

/* ---- operations (class_e_operations.c) --------------------------------------------------------------- */

/* Whether r has been offered here or above, or is a constant. */
bool fz_e_is_visible(const struct fz_e_filler *w, ir_ref r);
/* Puts an operation or call there, and its result where it may be used. */
void fz_e_fill_place(struct fz_e_filler *w, struct fz_e_place *p);

#endif
