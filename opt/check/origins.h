/* origins.h: the object from which a pointer was derived, for the pass check_memory.
 *
 * The origin of a pointer is another pointer of its space, into the object from which the first was derived:
 * an alloca or an object, which is that object's beginning; or else what the pointer was where nothing was
 * known of it before: a kernel's parameter, a host function's result, what was made of an integer or of bytes.
 * It goes wherever the pointer goes:
 *
 *     ptradd, ptrcast         it is the operand's
 *     block parameter, select it is that of all that come in, or else another parameter or select beside it
 *     function's parameter    another parameter, behind all; registers of the checker where there are too many
 *     function's result       a register of the checker
 *     memory                  the checker keeps it for the cell, and check.origin asks for it
 *
 * A check.memory tells the checker before the store or `ret`, and a check.origin asks it behind the load or
 * call. Their texts are
 *
 *     CHECKS p SPACE 4 0          the pointer given as the value, whose origin is b, is stored at a
 *     CHECKS m SPACE BYTES 0 FROM memory at b, of space FROM, is copied to a
 *     CHECKS l SPACE 4 0          the value is the origin of pointer b, which was loaded from a
 *
 * SPACE and FROM as in check_memory.c, or x: a register of the thread, number 0 of results, N of argument N.
 * What the checker keeps of a cell or register says which pointer it is of, and is void where another is found
 * there: so stores of other values, and calls of functions that report nothing, need no report.
 */
#ifndef KERNC_OPT_ORIGINS_H
#define KERNC_OPT_ORIGINS_H

#include "opt/pass.h"

/* Whether pointers of the type have origins: functions are no variables. */
static inline bool opt_has_origin(enum ir_type t)
{
    return ir_is_pointer(t) && t != IR_TYPE_FUNCTION;
}

/* ---- carry.c: between functions, and through memory --------------------------------------------------- */

/* Of a module whose functions hand origins on to each other. */
struct opt_carrying {
    uint32_t *params; /* by function: how many parameters it had before it got some for origins */
    bool in_memory;   /* pointers are stored somewhere, or loaded */
    uint32_t made;    /* check.memory and check.origin that were added */
};
/* Gives functions their parameters for origins, and adds the signatures that they have then: from here on until
 * opt_origins_tell has seen all calls these have too few arguments. Linear. */
struct opt_carrying *opt_carrying_new(struct arena *a, struct ir_module *m);

/* Of a function's pointers; in the arena. */
struct opt_origins {
    struct ir_function *f;
    struct arena *arena;
    struct opt_carrying *carrying; /* NULL: what comes from elsewhere is its own origin */
    uint32_t count;                /* instructions when it was made: later ones have no origins */
    ir_ref *of; /* by ref: of block parameters and selects; 0: not known yet. Of what comes from elsewhere; 0:
                   it is its own */
    ir_ref *shadow; /* by ref: the parameter or select that carries the origin beside it; 0: none */
};
/* Asks for the origins of pointers that come from elsewhere, as o->of has them then. */
void opt_origins_ask(struct opt_origins *o);
/* Tells those of the pointers that leave the function by instruction r, or are copied in memory by it. */
void opt_origins_tell(struct opt_origins *o, ir_ref r);

/* ---- origins.c: in a function ------------------------------------------------------------------------- */

/* The value if it is a pointer, or the pointer whose bits it is; 0: neither. mem2reg makes such integers of
 * pointers that are copied as words. */
ir_ref opt_pointer_in(const struct ir_function *f, ir_ref value);

/* Finds them, and gives block parameters and selects whose pointers come from several objects another one
 * beside them for the origin. Iterates to a fixed point over the edges. */
struct opt_origins *opt_origins_new(struct arena *a, struct ir_function *f, struct opt_carrying *carrying);
/* A value that can be used at the cursor, of the pointer's type. */
ir_ref opt_origin_at(struct opt_origins *o, struct ir_cursor *c, ir_ref pointer);

#endif
