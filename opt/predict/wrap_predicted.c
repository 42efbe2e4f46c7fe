/* wrap_predicted.c: functions that a Predict(f) names and that others call too ("Speculative Reconvergence",
 * section 4.4).
 *
 * Threads wait for a predicted function at its entry. Where it is also called from elsewhere, or is predicted
 * with different thresholds, a wrapper of its own is called in each of the regions instead, and the wait is at
 * the wrapper's entry: threads elsewhere do not pay for it. The function itself may then become part of its
 * callers again, and of the wrapper (inline.c), which is a copy of it then. Regions with one threshold share a
 * wrapper. So do regions that have a call in common: the threshold is that of the first.
 *
 * Only direct calls in the functions that have the Predict lead to wrappers. Where the region comes to the
 * function through others, or through a pointer, all stays as it is. Nothing is done where predictions are not
 * honoured. Linear in the module for each predicted function, and in a function for each of its thresholds.
 */
#include "opt/predict/barriers.h"

#define SUFFIX ".predicted"

/* The regions of a function's Predicts with one threshold. */
struct region {
    uint32_t function, threshold;
    uint32_t as; /* the first region that it has a call in common with, by others too; or itself */
};
struct call {
    uint32_t region;
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
    struct bitset leads; /* functions that may call it */
    VEC(struct region) regions;
    VEC(struct call) calls; /* in the regions */
    uint32_t calls_in_all;
    bool named; /* its address is taken */
    bool through_others;
};

const char *barriers_source_name(struct arena *a, const struct ir_function *f)
{
    const char *end = strstr(f->name, SUFFIX);
    return end ? arena_printf(a, "%.*s", (int)(end - f->name), f->name) : f->name;
}

/* ---- who calls it ------------------------------------------------------------------------------------ */

static bool names_it(const struct predicted *p, const struct ir_ins *ins)
{
    return ins->op == IR_predict_function && ins->imm == p->id;
}

static void add_region(struct predicted *p, uint32_t function, uint32_t threshold)
{
    uint32_t i = p->regions.count, number = i;
    while (i-- > 0 && p->regions.at[i].function == function)
        if (p->regions.at[i].threshold == threshold)
            return;
    vec_push(p->arena, &p->regions, ((struct region){function, threshold, number}));
}

static void look_at_function(struct predicted *p, uint32_t id)
{
    const struct ir_function *f = p->m->functions.at[id];
    p->named |= id == p->id && f->flags & IR_FN_TAKEN;
    ir_each_block(k, b, f) {
        ir_each_ins(r, f, b) {
            const struct ir_ins *ins = ir_at(f, r);
            p->named |= ins->op == IR_function && ins->imm == p->id;
            if (names_it(p, ins))
                add_region(p, id, ins->imm2);
            if (ins->op != IR_call)
                continue;
            p->calls_in_all += ins->imm == p->id;
            if (ins->imm == p->id || bitset_has(p->leads, (uint32_t)ins->imm))
                bitset_add(p->leads, id);
        }
    }
}

/* ---- regions ----------------------------------------------------------------------------------------- */

static void unite(struct predicted *p, uint32_t a, uint32_t b)
{
    uint32_t x = p->regions.at[a].as, y = p->regions.at[b].as, first = x < y ? x : y;
    for (uint32_t i = 0; i < p->regions.count; i++)
        if (p->regions.at[i].as == x || p->regions.at[i].as == y)
            p->regions.at[i].as = first;
}

/* Goes through what the block has behind the instruction `from`, or all of it if that is 0. False: the region
 * ends there, as another one of the prediction begins. found: by call, its number in `calls` plus 1. */
static bool go_through(struct predicted *p, uint32_t region, uint32_t b, ir_ref from, uint32_t *found)
{
    const struct region *g = &p->regions.at[region];
    const struct ir_function *f = p->m->functions.at[g->function];
    for (ir_ref r = from ? ir_at(f, from)->next : ir_block_at(f, b)->first; r; r = ir_at(f, r)->next) {
        const struct ir_ins *ins = ir_at(f, r);
        if (names_it(p, ins) && ins->imm2 != g->threshold)
            return false;
        p->through_others |= (ins->op == IR_icall && p->named) ||
                             (ins->op == IR_call && bitset_has(p->leads, (uint32_t)ins->imm));
        if (ins->op != IR_call || ins->imm != p->id)
            continue;
        if (found[r]) {
            unite(p, region, p->calls.at[found[r] - 1].region);
            continue;
        }
        vec_push(p->arena, &p->calls, ((struct call){region, r}));
        found[r] = p->calls.count;
    }
    return true;
}

static void follow(struct predicted *p, uint32_t region, uint32_t *found)
{
    const struct region *g = &p->regions.at[region];
    const struct ir_function *f = p->m->functions.at[g->function];
    struct walk w = walk_new(p->arena, f->blocks.count);
    ir_each_block(k, b, f)
        ir_each_ins(r, f, b)
            if (names_it(p, ir_at(f, r)) && ir_at(f, r)->imm2 == g->threshold &&
                go_through(p, region, b, r, found))
                ir_add_successors(&w, f, b, IR_NO_BLOCK);
    walk_each(b, &w)
        if (go_through(p, region, b, 0, found))
            ir_add_successors(&w, f, b, IR_NO_BLOCK);
}

/* Finds the calls in all regions, which stand function by function. */
static void follow_regions(struct predicted *p)
{
    uint32_t *found = NULL;
    for (uint32_t i = 0; i < p->regions.count; i++) {
        uint32_t function = p->regions.at[i].function;
        if (i == 0 || p->regions.at[i - 1].function != function)
            found = arena_array(p->arena, uint32_t, p->m->functions.at[function]->ins.count);
        follow(p, i, found);
    }
}

static uint32_t threshold_of(const struct predicted *p, uint32_t region)
{
    return p->regions.at[p->regions.at[region].as].threshold;
}

static bool has_several_thresholds(const struct predicted *p)
{
    for (uint32_t i = 1; i < p->regions.count; i++)
        if (threshold_of(p, i) != threshold_of(p, 0))
            return true;
    return false;
}

/* ---- wrappers ---------------------------------------------------------------------------------------- */

static uint32_t make_wrapper(struct predicted *p)
{
    const struct ir_function *f = p->m->functions.at[p->id];
    const char *name = arena_printf(p->arena, "%s" SUFFIX, f->name);
    for (uint32_t n = 1; ir_function_find(p->m, name); n++)
        name = arena_printf(p->arena, "%s" SUFFIX ".%u", f->name, n);
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

static void retarget(struct predicted *p, uint32_t region, uint32_t wrapper)
{
    const struct region *g = &p->regions.at[region];
    struct ir_function *f = p->m->functions.at[g->function];
    ir_each_block(k, b, f)
        ir_each_ins(r, f, b)
            if (names_it(p, ir_at(f, r)) && ir_at(f, r)->imm2 == g->threshold)
                ir_at(f, r)->imm = wrapper;
    for (uint32_t i = 0; i < p->calls.count; i++)
        if (p->calls.at[i].region == region)
            ir_at(f, p->calls.at[i].call)->imm = wrapper;
}

static void wrap(struct predicted *p)
{
    VEC(struct wrapper) made = {0};
    const struct ir_function *f = p->m->functions.at[p->id];
    for (uint32_t i = 0; i < p->regions.count; i++) {
        uint32_t k = 0, threshold = threshold_of(p, i);
        while (k < made.count && made.at[k].threshold != threshold)
            k++;
        if (k == made.count)
            vec_push(p->arena, &made, ((struct wrapper){threshold, make_wrapper(p)}));
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
    for (uint32_t i = 0; i < order->count; i++)
        look_at_function(&p, order->at[i]);
    follow_regions(&p);
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
