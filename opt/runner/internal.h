/* internal.h: what the files of the runner share and passes need not know. */
#ifndef KERNC_OPT_INTERNAL_H
#define KERNC_OPT_INTERNAL_H

#include "opt/pass.h"

enum opt_analysis {
#define ANALYSIS(name, type, of, compute) OPT_ANALYSIS_##name,
#include "opt/runner/analyses.def"
    OPT_ANALYSES
};

/* The analyses of a module and its functions that are right now. Functions may be added meanwhile. Below,
 * f NULL stands for the module. */
struct opt_cached;
struct opt_cache {
    struct arena arena;
    VEC(struct opt_cached *)
    rows;                    /* of the module, and of each function; NULL: none yet */
    VEC(struct arena) spare; /* empty ones, of results that were forgotten */
    bool of_graph;           /* an analysis of control flow is being made */
};
void opt_cache_free(struct opt_cache *k); /* empty, and usable again */
/* Forgets of f what is not kept; of values nothing is if there are new ones. */
enum opt_kept { OPT_KEEP_NOTHING, OPT_KEEP_GRAPH, OPT_KEEP_ALL };
void opt_cache_keep(struct opt_cache *k, const struct ir_function *f, enum opt_kept kept);
bool opt_cache_has(const struct opt_cache *k, const struct ir_function *f, enum opt_analysis n);
/* Computes one of the module, if it is not there yet. */
void opt_cache_module(struct opt_context *c, const struct ir_module *m, enum opt_analysis n);
/* Where analyses are checked: what has changed of f since what is known of it was made, or NULL. */
const char *opt_cache_changed(const struct opt_cache *k, const struct ir_module *m,
                              const struct ir_function *f);

/* Whether a list keeps all of opt/pass_order.def: one that the user has given gets a warning for each row
 * that it does not keep (group `passes`); any other is a BUG. */
void opt_check_order(const enum opt_pass passes[], uint32_t count, bool given, struct diagnostics *d);

/* Printing of one run (opt/runner/dumps.c). */
struct opt_dumps {
    const struct opt_options *options;
    const struct ir_module *module;
    struct arena *arena;
    VEC(struct diff_version) versions; /* by function: when last shown or compared */
    struct diff_version now;           /* one that is being made */
    uint32_t *files;                   /* the report's */
};
/* Before the first pass; versions are kept only if changes are to be shown. */
void opt_dumps_start(struct opt_dumps *d, const struct opt_options *o, const struct ir_module *m,
                     struct opt_report *r, struct arena *a);
/* Print what the options ask for at this pass (or step), before and after it. */
void opt_dumps_before(struct opt_dumps *d, const char *pass, const struct ir_function *f);
void opt_dumps_after(struct opt_dumps *d, const char *pass, const struct ir_function *f, bool changed);
/* After a position of the pipeline (`pass` NULL: before the first): the file of --dump-dir. NULL, or why it
 * can't be written. */
const char *opt_dumps_file(struct opt_dumps *d, const char *pass, bool changed);
/* The versions' texts. */
void opt_dumps_free(struct opt_dumps *d);
/* To the options' callback; nothing without one. */
void opt_print(const struct opt_options *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
