/* memory.h: what the memory accesses of a function may have in common.
 *
 * Global, shared and private memory have nothing in common; constant memory is never written. An *object* is
 * an alloca, or an object of the module however many instructions give its address. An access is to the
 * object from which its address was made: whatever leads elsewhere is an error of the kernel
 * (docs/language.md), so that accesses to different objects never meet. An object that *escapes* (its address
 * is stored, passed on, returned, or made an integer) may be reached by every pointer of its space that comes
 * from memory, from a call, from a parameter or from an integer; one that does not is reached only by the
 * values made from its address.
 *
 * What is found speaks of values as they were then, and stays true while a pass renames operands to other
 * values that were there, and removes instructions.
 */
#ifndef KERNC_IR_MEMORY_H
#define KERNC_IR_MEMORY_H

#include "ir/analysis/analysis.h"

#define IR_SEVERAL_OBJECTS UINT32_MAX
struct ir_memory {
    const struct ir_function *fn;
    uint32_t count;   /* of the function's instructions then */
    uint32_t classes; /* numbers of classes are below it */
    ir_ref *object;   /* by value: the one object that it points into, as the first instruction
                        that gives its address; 0: not known, or no pointer */
    uint32_t *class;  /* by value: union-find; then one for each space: what is unknown of it */
    ir_ref *only;     /* by leader of a class: its one object; 0: none; IR_SEVERAL_OBJECTS */
};
/* Points-to classes of B. Steensgaard, "Points-to analysis in almost linear time" (1996), of one level: all
 * that memory holds is unknown. Near-linear. */
struct ir_memory *ir_memory_new(struct arena *a, const struct ir_function *f, const struct ir_cfg *c);

/* The bytes root + offset … + size - 1 (size 0: how many is not known). `object` 0: one of those of the
 * class. */
struct ir_location {
    ir_ref root, object;
    uint32_t offset, size, class;
    enum ir_type space;
};
/* Of an access at `address` + imm. */
struct ir_location ir_location_of(const struct ir_memory *m, ir_ref address, int64_t imm, uint32_t size);
/* False: the two have no byte in common in any execution in which the values that both name are the same. */
bool ir_may_overlap(const struct ir_memory *m, struct ir_location x, struct ir_location y);
/* True: each byte of `part` is one of `whole`. */
bool ir_covers(struct ir_location whole, struct ir_location part);
/* Whether nothing but values made from its address leads to the location's object. */
bool ir_is_own(const struct ir_memory *m, struct ir_location x);

/* The bytes that a store, atomic, memzero or memcpy writes; false: r is none of these. */
bool ir_written(const struct ir_memory *m, ir_ref r, struct ir_location *x);
/* The bytes that a load, atomic or memcpy reads; false: r is none of these. */
bool ir_read(const struct ir_memory *m, ir_ref r, struct ir_location *x);

/* What an instruction does to memory that no address operand of it names. */
enum ir_clobber {
    IR_CLOBBERS_NOTHING,
    IR_CLOBBERS_COMMON, /* global and shared memory: other threads may have written it meanwhile */
    IR_CLOBBERS_ALL,    /* that, and private memory that has escaped */
};
/* Of calls all, of barriers, fences and atomics the common memory. */
enum ir_clobber ir_clobber_of(enum ir_op op);
/* Whether what lies at x may be another value behind an operation that clobbers c. */
bool ir_is_clobbered(const struct ir_memory *m, enum ir_clobber c, struct ir_location x);

/* ---- effects (ir/analysis/effects.c) ----------------------------------------------------------------- */

/* What an instruction does that others see. Of memory: it reads the bytes at `from`, writes those at `to`,
 * and reads and writes what it clobbers. Of the rest: */
struct ir_effects {
    struct ir_location from, to;
    bool reads, writes;
    uint8_t clobber; /* enum ir_clobber */
    bool world;      /* seen outside in its order: print, barrier, call, assertion, clock, trap */
};
/* False: it has none. Loads from constant memory have none; nor has the trap of an access. */
bool ir_effects_of(const struct ir_memory *m, ir_ref r, struct ir_effects *e);

/* Why x has to stay before y. */
enum ir_dependence_kind {
    IR_DEP_NONE,
    IR_DEP_FLOW,   /* y reads what x wrote */
    IR_DEP_ANTI,   /* y writes what x read */
    IR_DEP_OUTPUT, /* y writes what x wrote */
    IR_DEP_EFFECT, /* both are seen outside, or one leads convergent operations */
};
/* For x before y; the first of flow, output and anti dependence that holds, NONE if they may change
 * places. */
enum ir_dependence_kind ir_conflict_of(const struct ir_memory *m, const struct ir_effects *x,
                                       const struct ir_effects *y);
/* The effects in executions in which the roots of its locations may have had other values. */
struct ir_effects ir_effects_at_any_root(struct ir_effects e);

#endif
