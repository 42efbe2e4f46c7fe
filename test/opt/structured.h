/* structured.h: what the pass structurize promises. */
#ifndef KERNC_TEST_OPT_STRUCTURED_H
#define KERNC_TEST_OPT_STRUCTURED_H

#include "ir/analysis/analysis.h"

/* Whether control flow is nested regions of one entry and one exit (structured.c says what counts);
 * `reconvergence`: ir_return_post_dominators_new. */
bool opt_is_structured(struct arena *scratch, const struct ir_cfg *g,
                       const struct ir_dominators *reconvergence);

#endif
