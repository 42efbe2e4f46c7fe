/* try_prediction.c: the code that a function would have with a prediction, or without one. It is made of a
 * copy, as the pass place_barriers would make it, so that the model (opt/cost/cost.h) has what the machine will
 * have.
 */
#include "opt/predict/barriers.h"
#include "opt/predict/detect_predictions.h"

struct trial {
    const struct detection *d;
    const struct candidate *with, *without;
    uint32_t threshold;
    struct cost_code *code;
    struct ir_module *m;
    struct ir_function *f; /* the copy */
};

/* The mark of a start or a label, of this number. */
static void set_mark(struct ir_cursor at, enum ir_op op, uint32_t number, uint32_t threshold)
{
    ir_ref r = ir_emit0(&at, op, IR_TYPE_VOID);
    ir_at(at.fn, r)->imm = number;
    ir_at(at.fn, r)->imm2 = threshold;
}

void detect_insert(struct ir_function *f, const struct candidate *k, struct opt_prediction_name name,
                   uint32_t threshold)
{
    ir_ref end = ir_terminator(f, k->start), first = ir_block_at(f, k->label)->first;
    uint32_t number = f->predictions++;
    set_mark((struct ir_cursor){f, k->start, end, name.from}, IR_predict, number, threshold);
    set_mark((struct ir_cursor){f, k->label, first, name.to}, IR_predict_point, number, 0);
}

/* The source's prediction gets the threshold; `out`: or goes. */
static void change(struct ir_function *f, uint32_t number, uint32_t threshold, bool out)
{
    ir_each_block(i, b, f) {
        for (ir_ref r = ir_block_at(f, b)->first, next; r; r = next) {
            struct ir_ins *ins = ir_at(f, r);
            next = ins->next;
            if ((ins->op != IR_predict && ins->op != IR_predict_point) || ins->imm != number)
                continue;
            if (out)
                ir_remove(f, r);
            else if (ins->op == IR_predict)
                ins->imm2 = threshold;
        }
    }
}

void detect_set_threshold(struct ir_function *f, uint32_t number, uint32_t threshold)
{
    change(f, number, threshold, false);
}

static void place_barriers(struct opt_context *c, void *data)
{
    struct trial *t = data;
    struct diagnostics nobody = {0};
    const struct detection *d = t->d;
    c->scratch = d->arena;
    c->diagnostics = &nobody;
    uint32_t registers = barriers_place_in(c, t->m, t->f);
    t->code = cost_code_of(d->arena, d->f, t->f, registers, d->functions);
}

/* A copy in a module that has all else of the function's own. */
static struct ir_function *copy_of(struct ir_module *m, const struct ir_function *f)
{
    const struct ir_module *from = f->module;
    m->orders = from->orders;
    m->objects.at = from->objects.at;
    m->objects.count = from->objects.count;
    m->signatures.at = from->signatures.at;
    m->signatures.count = from->signatures.count;
    m->kernels.at = from->kernels.at;
    m->kernels.count = from->kernels.count;
    for (uint32_t i = 0; i < from->functions.count; i++)
        vec_push(&m->arena, &m->functions, from->functions.at[i]);
    return m->functions.at[f->id] = ir_function_copy(m, f);
}

static void make(struct ir_module *m, void *data)
{
    struct trial *t = data;
    t->m = m;
    t->f = copy_of(m, t->d->f);
    if (t->without)
        change(t->f, t->without->number, 0, true);
    for (uint32_t i = 0; i < t->d->taken.count; i++)
        detect_insert(t->f, &t->d->taken.at[i], (struct opt_prediction_name){{0, 0}, {0, 0}},
                      t->d->taken.at[i].threshold);
    if (t->with && t->with->number == DETECT_FOUND)
        detect_insert(t->f, t->with, (struct opt_prediction_name){{0, 0}, {0, 0}}, t->threshold);
    else if (t->with)
        change(t->f, t->with->number, t->threshold, false);
    opt_read(t->d->c->options, place_barriers, t);
}

struct cost_code *detect_code(const struct detection *d, const struct candidate *with,
                              const struct candidate *without, uint32_t threshold)
{
    struct trial t = {.d = d, .with = with, .without = without, .threshold = threshold};
    struct ir_module *m = ir_module_new(d->f->module->file);
    ir_module_fill(m, make, &t);
    ir_module_free(m);
    return t.code;
}
