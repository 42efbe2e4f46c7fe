/* performance.h: what the files of the notes on performance share. */
#ifndef KERNC_OPT_PERFORMANCE_H
#define KERNC_OPT_PERFORMANCE_H

#include "ir/analysis/analysis.h"
#include "opt/opt.h"

/* How a value changes from one thread to the next along x, in steps that only grow while it is computed. */
enum opt_stride_kind {
    OPT_STRIDE_NEW,       /* not computed yet */
    OPT_STRIDE_CONSTANT,  /* by `step`; 0: the same value */
    OPT_STRIDE_VARIABLE,  /* by a step that is the same for all threads, but known only at run time */
    OPT_STRIDE_SCATTERED, /* in no order */
};
struct opt_stride {
    enum opt_stride_kind kind;
    int64_t step;
};

/* Of each value of the function, in the arena; NULL: given up, the function is too tangled. Near-linear: a few
 * sweeps over the function. */
struct opt_stride *opt_strides(struct arena *a, const struct ir_uniformity *u);

/* ---- causes.c ------------------------------------------------------------------------------------------- */

/* Names values that are stored to a variable or member and have no name after what is stored to. For a
 * function as the front end left it, before mem2reg. `a`: scratch. Linear. */
void opt_name_stored(struct arena *a, struct ir_function *f);
/* Adds why the divergent value or branch r is so, the nearest cause first: "q.x <- a load <- threadIdx.x". *at
 * gets the place of the last cause that has one, else it stays. */
void opt_causes_text(const struct ir_uniformity *u, ir_ref r, struct text *t, place *at);

/* ---- csc_remarks.c -------------------------------------------------------------------------------------- */

/* A module with its divergent branches converged, and what was said of them. */
struct opt_converged {
    struct arena arena;
    struct opt_report report;
    struct ir_module *copy;
    bool due; /* the compilation runs the pass */
};
/* Of one branch. `applied`: operations of its arms, or of blocks in them, were led together; `why`: a reason
 * for which some were not, or NULL. */
struct opt_verdict {
    bool applied;
    const char *why;
};
/* v: all zero; opt_converged_free frees it. */
void opt_converge_copy(struct opt_converged *v, const struct ir_module *m, const struct opt_options *o);
/* O(remarks). */
struct opt_verdict opt_verdict_on(const struct opt_converged *v, const char *function, place at);
void opt_converged_free(struct opt_converged *v);

#endif
