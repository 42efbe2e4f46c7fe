/* internal.h: what the files of the runner share and passes need not know. */
#ifndef KERNC_OPT_INTERNAL_H
#define KERNC_OPT_INTERNAL_H

#include "opt/pass.h"

enum opt_analysis {
#define ANALYSIS(name, type, compute, equal) OPT_ANALYSIS_##name,
#include "opt/analyses.def"
    OPT_ANALYSES
};
struct opt_cache { struct arena arena[OPT_ANALYSES]; void *at[OPT_ANALYSES]; };
void opt_cache_free(struct opt_cache *k);
/* Forgets what is not named in `keeps`. */
void opt_cache_keep(struct opt_cache *k, const char *keeps);
/* Recomputes what is cached and compares: the name of the first analysis that differs, or NULL. */
const char *opt_cache_check(const struct opt_cache *k, const struct ir_function *f);

/* Printing of one run (opt/dumps.c). */
struct opt_dumps {
    const struct opt_options *options;
    const struct ir_module   *module;
    struct opt_version       *versions;   /* by function: when last shown or compared */
    uint32_t                 *files;      /* the report's */
};
void opt_dumps_start(struct opt_dumps *d, const struct opt_options *o, const struct ir_module *m,
                     struct opt_report *r, struct arena *a);
void opt_dumps_before(struct opt_dumps *d, const char *pass, const struct ir_function *f);
void opt_dumps_after(struct opt_dumps *d, const char *pass, const struct ir_function *f, bool changed);
/* After a position of the pipeline (`pass` NULL: before the first): the file of --dump-dir. NULL, or why it
 * can't be written. */
const char *opt_dumps_file(struct opt_dumps *d, const char *pass, bool changed);
void opt_dumps_free(struct opt_dumps *d);
void opt_print(const struct opt_options *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
