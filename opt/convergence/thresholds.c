/* thresholds.c: how many threads a prediction waits for ("Speculative Reconvergence", section 4.6), and the
 * report of the predictions that are honoured, by which their thresholds can be told apart and tried (kernc
 * tune).
 */
#include "opt/convergence/barriers.h"
#include "opt/convergence/detect_predictions.h"

static bool is_same(struct opt_prediction_name a, struct opt_prediction_name b)
{
    return a.from.line == b.from.line && a.from.column == b.from.column && a.to.line == b.to.line &&
           a.to.column == b.to.column;
}

uint32_t barriers_threshold(const struct barriers *x, struct opt_prediction_name name, uint32_t own)
{
    const struct opt_options *o = x->c->options;
    for (uint32_t i = 0; i < o->thresholds.count; i++)
        if (is_same(o->thresholds.at[i].name, name))
            return o->thresholds.at[i].threshold;
    uint32_t forced = opt_option(x->c, OPT_OPTION_predict_threshold);
    return forced ? forced : own;
}

/* The function's prediction of this name in the report, new if need be. */
static struct opt_prediction *reported(struct opt_context *c, const struct ir_function *f,
                                       struct opt_prediction_name name)
{
    struct opt_report *r = c->report;
    for (uint32_t i = 0; i < r->predictions.count; i++)
        if (r->predictions.at[i].function == f->id && is_same(r->predictions.at[i].name, name))
            return &r->predictions.at[i];
    vec_push(&r->arena, &r->predictions, ((struct opt_prediction){.name = name, .function = f->id}));
    return &r->predictions.at[r->predictions.count - 1];
}

void barriers_report(const struct barriers *x, struct opt_prediction_name name, uint32_t threshold)
{
    struct opt_prediction *p = reported(x->c, x->f, name);
    p->threshold = threshold;
    p->honoured = true;
}

bool barriers_is_found(const struct barriers *x, struct opt_prediction_name name)
{
    return reported(x->c, x->f, name)->found;
}

void detect_report(const struct detection *d, struct opt_prediction_name name)
{
    reported(d->c, d->f, name)->found = true;
}
