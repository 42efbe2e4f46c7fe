/* split_i64.h: what the parts of the pass split_i64 share.
 *
 * A 64-bit value becomes two of 32 bits (a pair). The places that the outside sees keep i64, so that
 * functions, kernels, memory and printf keep their types:
 *
 *   made by   a kernel's parameter, call, load, clock, ballot, active.mask,
 *             join = (zext lo) | (zext hi) << 32
 *   used by   low half = trunc x, high half = trunc (x >> 32), store, ret, printf
 *
 * So do operations that no target without 64-bit integers has: those on doubles, atomics, calls of the host
 * and through pointers, and division, switch and ptradd where other passes have not lowered them.
 */
#ifndef KERNC_OPT_LOWER_SPLIT_I64_H
#define KERNC_OPT_LOWER_SPLIT_I64_H

#include "opt/pass.h"

struct split_pair {
    ir_ref lo, hi;
};

struct splitter {
    struct opt_context *context;
    struct arena *scratch;
    struct ir_module *m;
    struct bitset whole; /* functions whose parameters stay: the outside passes them */
    /* of the function at work */
    struct ir_function *f;
    struct ir_cursor c;           /* where new instructions go */
    VEC(struct split_pair) pairs; /* by value: its halves; lo == 0: not split */
    VEC(ir_ref) to;               /* by value: what replaces it, or 0 */
    u32_vec dead;                 /* instructions that are replaced */
};

/* split_i64.c */
struct split_pair split_halves(struct splitter *x, ir_ref r);           /* of an i64 operand */
void split_set_pair(struct splitter *x, ir_ref r, struct split_pair p); /* and the instruction is dead */
/* likewise, of a value that is not split */
void split_set_value(struct splitter *x, ir_ref r, ir_ref by);

/* split_arith.c, split_group.c: false: none of its operations. */
bool split_arithmetic(struct splitter *x, ir_ref r);
bool split_group(struct splitter *x, ir_ref r);

/* Short ways to instructions on i32 at the cursor. */
ir_ref split_const(struct splitter *x, uint32_t v);
ir_ref split_emit1(struct splitter *x, enum ir_op op, ir_ref a);
ir_ref split_emit2(struct splitter *x, enum ir_op op, ir_ref a, ir_ref b);
ir_ref split_compare(struct splitter *x, enum ir_op op, ir_ref a, ir_ref b); /* gives i1 */
/* One of two words, or pairs. */
ir_ref split_choose(struct splitter *x, ir_ref condition, ir_ref a, ir_ref b);
ir_ref split_bool_word(struct splitter *x, ir_ref condition); /* zext to i32 */
struct split_pair split_choose_pair(struct splitter *x, ir_ref condition, struct split_pair a,
                                    struct split_pair b);
/* The sum modulo 2^64. */
struct split_pair split_add_pair(struct splitter *x, struct split_pair a, struct split_pair b);

#endif
