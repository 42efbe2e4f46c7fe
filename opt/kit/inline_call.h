/* inline_call.h: one call becomes the body of its callee. */
#ifndef KERNC_OPT_INLINE_CALL_H
#define KERNC_OPT_INLINE_CALL_H

#include "opt/pass.h"

/* The call is of a function of the module with blocks, other than f. The call's token takes the place of the
 * callee's entry token; allocas go to f's entry. Uses of the call's value are for the caller to rename: it is
 * in `renaming`. Splits the call's block, so calls of one block are inlined last one first. Asks for the
 * callee's cfg; those of f are out of date then. Gives, by value of the callee, what it is in f. Linear in the
 * callee and in what follows the call in its block. */
const ir_ref *opt_inline_call(struct opt_context *c, struct ir_function *f, ir_ref call,
                              struct opt_renaming *renaming);

#endif
