/* alias.h: what two memory accesses of a function can have in common. */
#ifndef KERNC_OPT_ALIAS_H
#define KERNC_OPT_ALIAS_H

#include "opt/pass.h"

/* The bytes root + offset .. + size - 1; of `object` if its origin is known, else object is the pointer at
 * which the trail ends. size 0: unknown extent. */
struct opt_location { ir_ref root, object; uint32_t offset, size; };
struct opt_alias {
    const struct ir_function *f;
    ir_ref       *object;         /* by ref: an address without all its ptradds */
    struct bitset escaped;        /* allocas whose address is known to others than this function's accesses */
    uint32_t      count;
};
void opt_alias_find(struct opt_alias *a, struct arena *arena, const struct ir_function *f,
                    const struct ir_cfg *g);
/* Of the access at address `p` + imm. */
struct opt_location opt_location_of(const struct opt_alias *a, ir_ref p, int64_t imm, uint32_t size);
bool opt_may_overlap(const struct opt_alias *a, struct opt_location x, struct opt_location y);
bool opt_covers(struct opt_location whole, struct opt_location part);

/* What an instruction does to memory that is not named by an address operand. */
enum opt_clobber {
    OPT_CLOBBERS_NOTHING,
    OPT_CLOBBERS_COMMON,          /* global and shared memory: other threads may have written it meanwhile */
    OPT_CLOBBERS_ALL,             /* that, and private memory whose address has escaped */
};
enum opt_clobber opt_clobber_of(const struct ir_ins *ins);
bool opt_is_clobbered(const struct opt_alias *a, enum opt_clobber c, struct opt_location x);
/* The bytes that a store, atomic, memzero or memcpy writes; false: ins is none of these. */
bool opt_written(const struct opt_alias *a, const struct ir_ins *ins, struct opt_location *x);
/* The bytes that a load, atomic or memcpy reads; false: ins is none of these. */
bool opt_read(const struct opt_alias *a, const struct ir_ins *ins, struct opt_location *x);

#endif
