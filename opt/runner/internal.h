/* internal.h: what the files of the runner share and passes need not know. */
#ifndef KERNC_OPT_INTERNAL_H
#define KERNC_OPT_INTERNAL_H

#include "opt/pass.h"

enum opt_analysis {
#define ANALYSIS(name, type, what, needs, compute) OPT_ANALYSIS_##name,
#include "opt/runner/analyses.def"
    OPT_ANALYSES
};
/* Sets of analyses: a bit for each. */
#define OPT_ALL_ANALYSES ((uint32_t)(((uint64_t)1 << OPT_ANALYSES) - 1))
uint32_t opt_analyses_named(const char *list); /* names separated by a space; a BUG if there is none */
bool opt_analysis_of_module(enum opt_analysis n);

/* The analyses of a module and its functions that are right now. Functions may be added meanwhile. Below,
 * f NULL stands for the module. */
struct opt_cached;
struct opt_cache {
    struct arena arena;
    VEC(struct opt_cached *)
    rows;                    /* of the module, and of each function: a result by analysis;
             NULL: none yet */
    VEC(struct arena) spare; /* empty ones, of results that were forgotten */
    uint32_t needs[OPT_ANALYSES];
};
/* Nothing is known of any function yet. */
void opt_cache_init(struct opt_cache *k);
void opt_cache_free(struct opt_cache *k); /* empty, and usable again */
/* Forgets of f what is not in `keeps`, what is made of that, and what describes values if there
 * are new ones. */
void opt_cache_keep(struct opt_cache *k, const struct ir_function *f, uint32_t keeps);
bool opt_cache_has(const struct opt_cache *k, const struct ir_function *f, uint32_t set); /* all of them */
/* Computes those of the module that analyses of the set are made of, where they are not there yet. */
void opt_cache_module(struct opt_context *c, const struct ir_module *m, uint32_t set);
/* Recomputes what is cached of f, within the limits of `o`, and compares: the name of the first analysis that
 * differs, or NULL. */
const char *opt_cache_check(const struct opt_cache *k, const struct opt_options *o, const struct ir_module *m,
                            const struct ir_function *f);
/* Whether two results of the analysis say the same of f; NULL: of the module. */
bool opt_analysis_equal(enum opt_analysis n, const void *a, const void *b, const struct ir_function *f);

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
