/* csc_remarks.c: what Common Subexpression Convergence makes of a module's branches, and why it leaves some.
 *
 * The passes of -O2 up to csc run over a copy, with the options of the compilation, and are asked for their
 * remarks.
 */
#include "opt/notes/performance.h"

#include <string.h>

/* The passes of -O2 up to this one. */
static const char *passes_to_csc(struct arena *a)
{
    static const char last[] = ",csc,";
    const char *all = opt_pipeline(2), *end = strstr(all, last);
    INVARIANT(end);
    return arena_strdup(a, all, (size_t)(end - all) + sizeof last - 2);
}

static bool csc_is_due(const struct opt_options *o)
{
    return !o->off[OPT_PASS_csc] && (o->passes ? opt_listed(o->passes, "csc") : o->level >= 2);
}

void opt_converge_copy(struct opt_converged *v, const struct ir_module *m, const struct opt_options *o)
{
    struct opt_options own;
    struct diagnostics unheard; /* the compilation says the same itself */
    opt_options_init(&own);
    own.passes = passes_to_csc(&v->arena);
    own.remarks = true;
    memcpy(own.off, o->off, sizeof own.off);
    memcpy(own.values, o->values, sizeof own.values);
    memcpy(own.limits, o->limits, sizeof own.limits);
    own.off[OPT_PASS_csc] = false;
    own.values[OPT_OPTION_csc_table] = 0;
    own.expected.at = o->expected.at;
    own.expected.count = o->expected.count;
    opt_report_init(&v->report);
    v->due = csc_is_due(o);
    v->copy = ir_module_copy(m);
    diag_init(&unheard, &v->arena, NULL);
    opt_run(v->copy, &own, &v->report, &unheard);
}

struct opt_verdict opt_verdict_on(const struct opt_converged *v, const char *function, place at)
{
    struct opt_verdict verdict = {false, NULL};
    for (uint32_t i = 0; i < v->report.remarks.count; i++) {
        const struct opt_remark *r = &v->report.remarks.at[i];
        if (r->pass != OPT_PASS_csc || r->at.line != at.line || r->at.column != at.column ||
            strcmp(r->function, function) != 0)
            continue;
        if (r->kind == OPT_APPLIED)
            verdict.applied = true;
        else
            verdict.why = r->text;
    }
    return verdict;
}

void opt_converged_free(struct opt_converged *v)
{
    opt_report_free(&v->report);
    ir_module_free(v->copy);
    arena_free(&v->arena);
}
