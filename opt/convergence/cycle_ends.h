/* cycle_ends.h: which block ends each outermost cycle in the order of priorities (frontier.c). */
#ifndef KERNC_OPT_CYCLE_ENDS_H
#define KERNC_OPT_CYCLE_ENDS_H

#include "opt/pass.h"

/* By block, as ir_priorities_new takes it, in c->scratch. NULL: all cycles end as usual. */
const uint8_t *opt_cycle_ends(struct opt_context *c, const struct ir_function *f);

#endif
