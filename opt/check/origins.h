/* origins.h: the object from which a pointer was derived, for the pass check_memory. */
#ifndef KERNC_OPT_ORIGINS_H
#define KERNC_OPT_ORIGINS_H

#include "opt/pass.h"

/* Of a function's pointers; in the arena. */
struct opt_origins {
    struct ir_function *f;
    struct arena *arena;
    uint32_t count; /* instructions when it was made: later ones have no origins */
    ir_ref *of;     /* by ref: of block parameters and selects; 0: not known yet */
    ir_ref *shadow; /* by ref: the parameter or select that carries the origin beside it; 0: none */
};
/* Finds them, and gives block parameters and selects whose pointers come from several objects another one
 * beside them for the origin. Iterates to a fixed point over the edges. */
struct opt_origins *opt_origins_new(struct arena *a, struct ir_function *f);
/* An alloca, an object, or what the pointer was when it came into the function or out of memory: a value that
 * can be used at the cursor. */
ir_ref opt_origin_at(struct opt_origins *o, struct ir_cursor *c, ir_ref pointer);

#endif
