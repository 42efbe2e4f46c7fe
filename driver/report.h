/* report.h: kernc report: an experiment (docs/experiment.md), what its files share. */
#ifndef KERNC_DRIVER_REPORT_H
#define KERNC_DRIVER_REPORT_H

#include "driver/launch.h"
#include "driver/metrics.h"
#include "lib/result.h"

/* "key": "value", of n bytes; NULL: null. (report_steps.c) */
void report_string(struct text *out, const char *key, const char *value, size_t n);

/* ---- steps (report_steps.c) -------------------------------------------------------------------------- */

/* Texts that are written once and named by their index. */
struct report_table {
    struct arena *arena;
    struct map index; /* by hash, and the next free keys behind it */
    VEC(const char *) texts;
};
/* Steps of one warp in one launch. */
struct report_steps {
    struct report_table places, states;
    u32_vec run; /* a place and a state for each step */
    uint64_t total, most;
    uint32_t lanes;
};
/* The text's index, which is that of an equal one if there is one. Constant time on average. */
uint32_t report_table_index(struct report_table *t, const char *text, size_t n);
struct report_steps report_steps_new(struct arena *a, uint64_t most);
/* Those beyond `most` are only counted. Lines are of the whole program. */
void report_steps_add(struct report_steps *s, const kernc_step *step);
/* The object "Steps"; null if there are none. */
void report_steps_json(const struct report_steps *s, const kernc_launch *launch, struct text *out);

/* ---- what the compiler makes (report_code.c) --------------------------------------------------------- */

/* "operations": convergent ones, of IR as it was before the passes. */
void report_operations(const struct ir_module *m, struct text *out);
/* "passes" of what --print-changed says; their texts go to the table. */
void report_passes(struct report_table *texts, const struct text *printed, struct text *out);
/* "divergence" and "graphs" of the IR behind the passes; `placed`: Graphviz may place the blocks, and becomes
 * false if it cannot be run. */
void report_functions(kernc_result *r, bool *placed, struct text *out);

/* ---- the page (report_page.c) ------------------------------------------------------------------------ */

/* The viewer with the experiment in it. */
void report_page(const struct text *experiment, struct text *out);

#endif
