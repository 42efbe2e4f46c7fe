/* legalize.h: what the parts of the legaliser share. Private to backend/warpcore.
 *
 * What is left afterwards is what the machine has: 32-bit values and truth values, brif and br, direct calls,
 * loads and stores. A 64-bit value has become two (a pair); the few places that the outside world sees keep
 * i64, so that functions, kernels, memory and printf keep their types:
 *
 *   made by   a kernel's parameter, call, load, clock, ballot, active.mask,
 *             join = (zext lo) | (zext hi) << 32
 *   used by   low half = trunc x, high half = trunc (x >> 32), store, ret, printf
 *
 * The way of a module: legalize_control.c, legalize_switch.c (icall, memcpy, memzero, switch: they make
 * blocks), then what no kernel reaches is emptied, what the machine can't do is refused, and each function's
 * 64-bit values are split (legalize_pairs.c: calls, parameters; legalize_arith.c: arithmetic;
 * legalize_group.c: operations of the warp). Division calls a function that is written in 64-bit operations
 * and split like all others (legalize_library.c).
 */
#ifndef KERNC_WARPCORE_LEGALIZE_H
#define KERNC_WARPCORE_LEGALIZE_H

#include "backend/backend.h"

struct wc_pair { ir_ref lo, hi; };

struct wc_legalizer {
    struct ir_module   *m;
    struct diagnostics *d;
    struct arena       *scratch;
    struct bitset       taken;        /* functions whose address the module takes */
    /* of the function at work */
    struct ir_function *f;
    struct ir_cursor    c;            /* where new instructions go */
    VEC(struct wc_pair) pairs;        /* by value: its halves; lo == 0: not split */
    VEC(ir_ref)         to;           /* by value: what replaces it, or 0 */
    u32_vec             dead;         /* instructions that are replaced */
};

void wc_error(struct wc_legalizer *x, const char *id, place at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* legalize_control.c: each looks at the whole function; all blocks must be reachable. */
void wc_find_addresses(struct wc_legalizer *x);
void wc_lower_switches(struct wc_legalizer *x);
void wc_lower_block_memory(struct wc_legalizer *x);
/* Calls through pointers become chains of comparisons over the functions whose address is known. */
void wc_lower_icalls(struct wc_legalizer *x);

/* legalize_library.c: 64-bit divisions of the function become calls. */
void wc_lower_divisions(struct wc_legalizer *x);

/* legalize_pairs.c */
void wc_split_function(struct wc_legalizer *x);
struct wc_pair wc_halves(struct wc_legalizer *x, ir_ref r);            /* of an i64 operand */
void wc_set_pair(struct wc_legalizer *x, ir_ref r, struct wc_pair p);  /* and the instruction is dead */
/* likewise, of a value that is not split */
void wc_set_value(struct wc_legalizer *x, ir_ref r, ir_ref by);

/* legalize_arith.c, legalize_group.c: false: none of its operations. */
bool wc_split_arithmetic(struct wc_legalizer *x, ir_ref r);
bool wc_split_group(struct wc_legalizer *x, ir_ref r);

/* Short ways to instructions on i32 at the cursor. */
ir_ref wc_const(struct wc_legalizer *x, uint32_t v);
ir_ref wc_emit1(struct wc_legalizer *x, enum ir_op op, ir_ref a);
ir_ref wc_emit2(struct wc_legalizer *x, enum ir_op op, ir_ref a, ir_ref b);
ir_ref wc_compare(struct wc_legalizer *x, enum ir_op op, ir_ref a, ir_ref b);              /* gives i1 */
ir_ref wc_choose(struct wc_legalizer *x, ir_ref condition, ir_ref a, ir_ref b);
ir_ref wc_bool_word(struct wc_legalizer *x, ir_ref condition);                             /* zext to i32 */
struct wc_pair wc_choose_pair(struct wc_legalizer *x, ir_ref condition, struct wc_pair a, struct wc_pair b);
struct wc_pair wc_add_pair(struct wc_legalizer *x, struct wc_pair a, struct wc_pair b);

#endif
