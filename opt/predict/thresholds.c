/* thresholds.c: how many threads a prediction waits for ("Speculative Reconvergence", section 4.6), and the
 * report of the predictions that are honoured, by which their thresholds can be named and tried (kernc
 * tune). Those that are left out go before the first pass, so that the code is what it would be without them.
 */
#include "opt/predict/barriers.h"
#include "opt/predict/detect_predictions.h"

static bool is_same(struct opt_prediction_name a, struct opt_prediction_name b)
{
    return a.from.line == b.from.line && a.from.column == b.from.column && a.to.line == b.to.line &&
           a.to.column == b.to.column;
}

static const struct opt_threshold *find(const struct opt_options *o, struct opt_prediction_name name)
{
    for (uint32_t i = 0; i < o->thresholds.count; i++)
        if (is_same(o->thresholds.at[i].name, name))
            return &o->thresholds.at[i];
    return NULL;
}

uint32_t barriers_threshold(const struct barriers *x, struct opt_prediction_name name, uint32_t own)
{
    const struct opt_threshold *given = find(x->c->options, name);
    if (given)
        return given->threshold;
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
    if (!x->c->report)
        return; /* it is a trial */
    struct opt_prediction *p = reported(x->c, x->f, name);
    p->threshold = threshold;
    p->honoured = true;
}

bool barriers_is_found(const struct barriers *x, struct opt_prediction_name name)
{
    return !x->c->report || reported(x->c, x->f, name)->found;
}

void detect_report(const struct detection *d, struct opt_prediction_name name)
{
    reported(d->c, d->f, name)->found = true;
}

bool detect_left_out(const struct detection *d, struct opt_prediction_name name)
{
    const struct opt_threshold *given = find(d->c->options, name);
    return given && given->threshold == OPT_THRESHOLD_OFF;
}

/* ---- those that are left out ------------------------------------------------------------------------- */

static bool is_at(const struct ir_ins *ins, place at)
{
    return ins->at.line == at.line && ins->at.column == at.column;
}

/* The number of the function's prediction that has this Predict and this label. UINT32_MAX: it has none. */
static uint32_t number_of(const struct ir_function *f, struct opt_prediction_name name)
{
    for (uint32_t n = 0; n < f->predictions; n++) {
        bool from = false, to = false;
        ir_each_block(k, b, f) {
            ir_each_ins(r, f, b) {
                const struct ir_ins *ins = ir_at(f, r);
                from |= ins->op == IR_predict && ins->imm == n && is_at(ins, name.from);
                to |= ins->op == IR_predict_point && ins->imm == n && is_at(ins, name.to);
            }
        }
        if (from && to)
            return n;
    }
    return UINT32_MAX;
}

/* The function that the Predict at the place names. UINT32_MAX: none. */
static uint32_t function_named(const struct ir_module *m, place at)
{
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        ir_each_block(k, b, f)
            ir_each_ins(r, f, b)
                if (ir_at(f, r)->op == IR_predict_function && is_at(ir_at(f, r), at))
                    return (uint32_t)ir_at(f, r)->imm;
    }
    return UINT32_MAX;
}

/* The prediction of this number, and those of the function; or all. */
static void remove_marks(struct ir_function *f, uint32_t number, uint32_t function, bool all)
{
    ir_each_block(k, b, f) {
        for (ir_ref r = ir_block_at(f, b)->first, next; r; r = next) {
            const struct ir_ins *ins = ir_at(f, r);
            bool label = ins->op == IR_predict || ins->op == IR_predict_point;
            bool of_function = ins->op == IR_predict_function;
            next = ins->next;
            if ((label && (all || ins->imm == number)) || (of_function && (all || ins->imm == function)))
                ir_remove(f, r);
        }
    }
}

void opt_leave_out_predictions(struct ir_module *m, const struct opt_options *o)
{
    for (uint32_t t = 0; t < o->thresholds.count; t++) {
        struct opt_prediction_name name = o->thresholds.at[t].name;
        if (o->thresholds.at[t].threshold != OPT_THRESHOLD_OFF)
            continue;
        uint32_t function = name.to.line ? UINT32_MAX : function_named(m, name.from);
        for (uint32_t i = 0; i < m->functions.count; i++) {
            struct ir_function *f = m->functions.at[i];
            remove_marks(f, name.to.line ? number_of(f, name) : UINT32_MAX, function, false);
        }
    }
    for (uint32_t i = 0; o->values[OPT_OPTION_predict] == OPT_predict_found && i < m->functions.count; i++)
        remove_marks(m->functions.at[i], UINT32_MAX, UINT32_MAX, true);
}
