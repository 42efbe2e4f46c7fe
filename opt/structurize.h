/* structurize.h: the structured form that opt/structurize.c makes. */
#ifndef KERNC_OPT_STRUCTURIZE_H
#define KERNC_OPT_STRUCTURIZE_H

#include "opt/pass.h"

/* Whether control flow is nested regions of one entry and one exit (opt/structured.c says what counts). */
bool opt_is_structured(struct arena *scratch, const struct ir_function *f);

#endif
