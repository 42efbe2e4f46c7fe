/* steps.h: the steps of the warp-core code generator as `kernc dump` shows them: with the passes' options,
 * which name steps as they name passes. */
#ifndef KERNC_LIB_STEPS_H
#define KERNC_LIB_STEPS_H

#include "backend/backend.h"
#include "opt/opt.h"

struct steps {
    struct arena *arena; /* of all texts */
    const struct opt_options *options;
    VEC(struct text) before;     /* by function: what it was before the step, if changes are shown */
    struct text files[WC_STEPS]; /* of --dump-dir: all functions' machine code behind a step */
};

/* Whether anything is asked for that takes the code generator to be run. */
bool steps_watch_machine(const struct opt_options *o);
/* wc_options.watch; `data` is the struct steps. */
void steps_watch(void *data, const struct wc_stage *stage);
/* Writes the files, if any, numbered from `number` on. NULL, or why not. */
const char *steps_write(struct steps *s, uint32_t number);

#endif
