/* optimize.h: the optimiser for tests of random modules: it must succeed. */
#ifndef KERNC_TEST_OPTIMIZE_H
#define KERNC_TEST_OPTIMIZE_H

#include "opt/opt.h"

/* Runs these passes, with the IR and the analyses checked after each; NULL: those of the level, unchecked. */
void optimize(struct ir_module *m, const char *passes, int level);
/* These passes, as they work for the scheme. */
void optimize_for(struct ir_module *m, const char *passes, enum scheme scheme);

#endif
