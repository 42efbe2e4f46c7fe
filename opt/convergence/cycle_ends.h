/* cycle_ends.h: which block ends each outermost cycle in the order of priorities (frontier.c). */
#ifndef KERNC_OPT_CYCLE_ENDS_H
#define KERNC_OPT_CYCLE_ENDS_H

#include "opt/pass.h"

/* Computes the analysis cycle_ends, in `a`. */
struct opt_ends *opt_choose_ends(struct opt_context *c, struct arena *a, const struct ir_function *f);

#endif
