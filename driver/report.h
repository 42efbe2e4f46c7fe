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
struct report_warp {
    struct report_table places, states;
    u32_vec run; /* a place and a state for each step */
    uint64_t total;
    uint32_t number, lanes;
};
/* Of all that are watched. most: of each warp; 0: none is kept. */
struct report_steps {
    struct arena *arena;
    VEC(struct report_warp) warps;
    uint64_t most;
};
/* The text's index, which is that of an equal one if there is one. Constant time on average. */
uint32_t report_table_index(struct report_table *t, const char *text, size_t n);
struct report_steps report_steps_new(struct arena *a, uint64_t most);
/* Those beyond `most` are only counted. Lines are of the whole program. */
void report_steps_add(struct report_steps *s, const kernc_step *step);
/* The objects "Steps", by the number of the warp. */
void report_steps_json(struct report_steps *s, const kernc_launch *launch, struct text *out);

/* ---- what the compiler makes (report_code.c) --------------------------------------------------------- */

/* "operations": convergent ones, of IR as it was before the passes. */
void report_operations(const struct ir_module *m, struct text *out);
/* A function behind a pass that changed it, or behind a stage of one; its IR is a text of the table. step:
 * the last step of --opt-bisect-limit that has run; `measured`: what follows are required passes and what
 * was measured by that limit. */
struct report_pass {
    const char *name, *function, *stage;
    uint32_t text;
    long step;
    bool required, measured;
    kernc_metrics metrics;
};
typedef VEC(struct report_pass) report_passes;
/* Of what --print-changed, --barrier-stages and --opt-bisect-limit have printed; names are in the table's
 * arena. What was compiled in vain (the code was too large) is left out. */
report_passes report_read_passes(struct report_table *texts, const struct text *printed);
/* "passes" */
void report_passes_json(const report_passes *passes, struct text *out);
/* "divergence" and "graphs" of the IR behind the passes; `placed`: Graphviz may place the blocks of graphs
 * of at most so many, and becomes false if it cannot be run. */
void report_functions(kernc_result *r, bool *placed, uint64_t most, struct text *out);

/* ---- the page (report_page.c) ------------------------------------------------------------------------ */

/* The viewer with the experiment in it. False: this build has no viewer. */
bool report_page(const struct text *experiment, struct text *out);

#endif
