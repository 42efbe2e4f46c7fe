/* wrap_predicted.c: functions that a Predict(f) names and that others call too ("Speculative Reconvergence",
 * section 4.4).
 *
 * Threads wait for a predicted function at its entry. Where it is also called from elsewhere, or several
 * functions predict it with different thresholds, a wrapper of its own is called in each of the regions
 * instead, and the wait is at the wrapper's entry: threads elsewhere do not pay for it. The function itself
 * may then become part of its callers again, and of the wrapper (inline.c), which is a copy of it then.
 *
 * Only direct calls in the functions that have the Predict lead to wrappers. Where the region comes to the
 * function through others, or through a pointer, all stays as it is. Nothing is done where predictions are not
 * honoured. Linear in the module for each predicted function.
 */
#include "opt/pass.h"

struct call {
    uint32_t function;
    ir_ref call;
};
struct wrapper {
    uint32_t threshold, id;
};

/* One function that is predicted. */
struct predicted {
    struct opt_context *c;
    struct ir_module *m;
    struct arena *arena;
    uint32_t id;
    struct bitset leads;    /* functions that may call it */
    VEC(struct call) calls; /* in the regions */
    uint32_t calls_in_all;
    u32_vec thresholds; /* by function: of its first Predict plus 1, or 0: it has none */
    bool named;         /* its address is taken */
    bool through_others;
};

/* ---- who calls it ------------------------------------------------------------------------------------ */

static void look_at_function(struct predicted *p, uint32_t id)
{
    const struct ir_function *f = p->m->functions.at[id];
    p->named |= id == p->id && f->flags & IR_FN_TAKEN;
    ir_each_block(k, b, f) {
        ir_each_ins(r, f, b) {
            const struct ir_ins *ins = ir_at(f, r);
            p->named |= ins->op == IR_function && ins->imm == p->id;
            if (ins->op == IR_predict_function && ins->imm == p->id && !p->thresholds.at[id])
                p->thresholds.at[id] = 1 + ins->imm2;
            if (ins->op != IR_call)
                continue;
            p->calls_in_all += ins->imm == p->id;
            if (ins->imm == p->id || bitset_has(p->leads, (uint32_t)ins->imm))
                bitset_add(p->leads, id);
        }
    }
}

/* The calls behind the instruction `from` in its block, or all of block b's if that is 0. */
static void look_at_calls(struct predicted *p, const struct ir_function *f, uint32_t b, ir_ref from,
                          struct bitset seen)
{
    for (ir_ref r = from ? from : ir_block_at(f, b)->first; r; r = ir_at(f, r)->next) {
        const struct ir_ins *ins = ir_at(f, r);
        p->through_others |= (ins->op == IR_icall && p->named) ||
                             (ins->op == IR_call && bitset_has(p->leads, (uint32_t)ins->imm));
        if (ins->op != IR_call || ins->imm != p->id || bitset_has(seen, r))
            continue;
        bitset_add(seen, r);
        vec_push(p->arena, &p->calls, ((struct call){f->id, r}));
    }
}

/* The calls in the regions that begin in function f. */
static void follow_regions(struct predicted *p, const struct ir_function *f)
{
    struct walk w = walk_new(p->arena, f->blocks.count);
    struct bitset seen = bitset_new(p->arena, f->ins.count);
    ir_each_block(k, b, f) {
        ir_each_ins(r, f, b) {
            if (ir_at(f, r)->op != IR_predict_function || ir_at(f, r)->imm != p->id)
                continue;
            look_at_calls(p, f, b, r, seen);
            ir_add_successors(&w, f, b, IR_NO_BLOCK);
        }
    }
    walk_each(b, &w) {
        look_at_calls(p, f, b, 0, seen);
        ir_add_successors(&w, f, b, IR_NO_BLOCK);
    }
}

static bool has_several_thresholds(const struct predicted *p)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < p->thresholds.count; i++) {
        if (p->thresholds.at[i] && first && p->thresholds.at[i] != first)
            return true;
        first = p->thresholds.at[i] ? p->thresholds.at[i] : first;
    }
    return false;
}

/* ---- wrappers ---------------------------------------------------------------------------------------- */

static uint32_t make_wrapper(struct predicted *p)
{
    const struct ir_function *f = p->m->functions.at[p->id];
    const char *name = arena_printf(p->arena, "%s.predicted", f->name);
    for (uint32_t n = 1; ir_function_find(p->m, name); n++)
        name = arena_printf(p->arena, "%s.predicted.%u", f->name, n);
    struct ir_function *w = ir_function_new(p->m, name, (enum ir_type)f->result, 0);
    struct ir_cursor c = {.fn = w, .at = w->at = f->at};
    ir_ref args[IR_MAX_ARGS];
    const u32_vec *params = &ir_block_at(f, ir_entry(f))->params;
    c.block = ir_block_new(w, "entry");
    for (uint32_t i = 0; i < params->count; i++) {
        const struct ir_ins *param = ir_at(f, params->at[i]);
        args[i] = ir_param_new(w, c.block, (enum ir_type)param->type, param->name);
    }
    ir_ref result = ir_emit(&c, IR_call, (enum ir_type)f->result, params->count, args);
    ir_at(w, result)->imm = p->id;
    ir_emit_ret(&c, f->result == IR_TYPE_VOID ? 0 : result);
    return w->id;
}

static void retarget(struct predicted *p, uint32_t function, uint32_t wrapper)
{
    struct ir_function *f = p->m->functions.at[function];
    ir_each_block(k, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_predict_function && ir_at(f, r)->imm == p->id)
                ir_at(f, r)->imm = wrapper;
    for (uint32_t i = 0; i < p->calls.count; i++)
        if (p->calls.at[i].function == function)
            ir_at(f, p->calls.at[i].call)->imm = wrapper;
}

/* Functions with equal thresholds share a wrapper. */
static void wrap(struct predicted *p)
{
    VEC(struct wrapper) made = {0};
    const struct ir_function *f = p->m->functions.at[p->id];
    for (uint32_t i = 0; i < p->thresholds.count; i++) {
        uint32_t k = 0;
        if (!p->thresholds.at[i])
            continue;
        while (k < made.count && made.at[k].threshold != p->thresholds.at[i])
            k++;
        if (k == made.count)
            vec_push(p->arena, &made, ((struct wrapper){p->thresholds.at[i], make_wrapper(p)}));
        retarget(p, i, made.at[k].id);
    }
    opt_remark(p->c, f, OPT_APPLIED, "wrapped", f->at,
               "%u of %u calls of '%s' are in regions that predict it: they lead through %u wrappers",
               p->calls.count, p->calls_in_all, f->name, made.count);
}

static bool wrap_calls_of(struct opt_context *c, struct ir_module *m, uint32_t id, const u32_vec *order)
{
    struct predicted p = {.c = c, .m = m, .arena = c->scratch, .id = id};
    p.leads = bitset_new(p.arena, m->functions.count);
    for (uint32_t i = 0; i < m->functions.count; i++)
        vec_push(p.arena, &p.thresholds, 0);
    for (uint32_t i = 0; i < order->count; i++)
        look_at_function(&p, order->at[i]);
    for (uint32_t i = 0; i < m->functions.count; i++)
        if (p.thresholds.at[i])
            follow_regions(&p, m->functions.at[i]);
    bool elsewhere = p.calls.count < p.calls_in_all || p.named || has_several_thresholds(&p);
    if (!p.calls.count || p.through_others || !elsewhere)
        return false;
    wrap(&p);
    return true;
}

bool opt_wrap_predicted(struct opt_context *c, struct ir_module *m)
{
    uint32_t count = m->functions.count;
    bool changed = false;
    struct bitset predicted = bitset_new(c->scratch, count);
    for (uint32_t i = 0; i < count && opt_honours_predictions(c); i++) {
        const struct ir_function *f = m->functions.at[i];
        ir_each_block(k, b, f)
            ir_each_ins(r, f, b)
                if (ir_at(f, r)->op == IR_predict_function)
                    bitset_add(predicted, (uint32_t)ir_at(f, r)->imm);
    }
    bitset_each(i, predicted) {
        const struct ir_function *f = m->functions.at[i];
        if (f->order.count == 0 || f->flags & IR_FN_CONVERGENT || m->functions.count >= IR_MAX_FUNCTIONS)
            continue;
        if (wrap_calls_of(c, m, i, opt_callees_first(c, m))) {
            changed = true;
            opt_invalidate(c, NULL);
        }
    }
    return changed;
}
