/* share_calls.c: calls of one function in several arms of divergent branches become one call, for the frontier
 * schemes ("SIMD Re-Convergence at Thread Frontiers", section 6.4.2, Divergent Function Calls); and where the
 * compiler looks for predictions, which then has one place to predict ("Speculative Reconvergence", section 3).
 *
 * Threads of different arms never are at one place before the branch's post-dominator, so each arm's group
 * executes the callee by itself, if a call in it leads to the same code as another's. Frontiers let threads
 * reconverge before the post-dominator, at any block that the arms share: so the call gets such a block
 * (share_sites.c). Three steps, callees before callers:
 *
 *   1. A divergent call through a pointer becomes a switch over those of its targets that have a callee in
 *      common. The others, and bad pointers, stay with the call, which is the default.
 *   2. Calls of one callee in different arms become one.
 *   3. Calls of different functions in different arms, which have a callee in common that they come to outside
 *      of their loops, are inlined; then back to step 2.
 *
 * What pays is decided by estimated cycles (opt/cost/). Limit (opt/limits.def): share_work, of sites times
 * blocks, pairs of sites, functions times callees and what is inlined.
 */
#include "opt/calls/share_calls.h"

#include "ir/analysis/callgraph.h"
#include "opt/kit/inline_call.h"

enum { SIZE_MAX_CALLER = 40000 }; /* instructions that a function is inlined up to */

struct sharer {
    struct opt_context *c;
    struct ir_module *m;
    uint64_t *cost;         /* by function: cycles of a call */
    uint64_t least;         /* cycles of a callee that may pay */
    u32_vec worthy;         /* functions for whose sake others may be inlined */
    struct bitset *carries; /* by function: places in `worthy` of those that a call of it comes to
                               outside of loops, itself among them */
    struct bitset taken;    /* functions whose address is taken */
    struct map declined;    /* calls that have been found not to pay, or must not */
    uint64_t work;
    bool changed;
};

static bool has_work_left(struct sharer *x, const struct ir_function *f, uint64_t more)
{
    x->work += more;
    return opt_below(x->c, f, OPT_LIMIT_share_work, x->work);
}

/* ---- what functions lead to -------------------------------------------------------------------------- */

static bool may_inline(const struct ir_function *f)
{
    return f->order.count && !(f->flags & (IR_FN_KERNEL | IR_FN_NOINLINE));
}

static void find_carried(struct sharer *x, const struct ir_function *f)
{
    struct bitset own = x->carries[f->id];
    const struct ir_cycles *cycles = may_inline(f) ? opt_cycles(x->c, f) : NULL;
    for (uint32_t i = 0; cycles && i < f->order.count; i++) {
        uint32_t b = f->order.at[i];
        if (cycles->innermost[b] != IR_NO_CYCLE)
            continue;
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_call)
                bitset_union(own, x->carries[ir_at(f, r)->imm]);
    }
}

/* Whether a call of the function may pay where others are inlined for its sake: with an argument that
 * differs. */
static bool is_worthy(const struct sharer *x, const struct ir_function *f)
{
    uint32_t gain = opt_option(x->c, OPT_OPTION_share_gain);
    return !(f->flags & IR_FN_KERNEL) && f->order.count &&
           x->cost[f->id] >= gain * share_price(2, 1 + (ir_block_at(f, ir_entry(f))->params.count > 0));
}

/* False: the limit is reached. */
static bool find_callees(struct sharer *x, const u32_vec *order)
{
    uint32_t n = x->m->functions.count;
    uint32_t *number = arena_array(x->c->scratch, uint32_t, n);
    for (uint32_t i = 0; i < order->count; i++) {
        const struct ir_function *f = x->m->functions.at[order->at[i]];
        if (!is_worthy(x, f))
            continue;
        vec_push(x->c->scratch, &x->worthy, f->id);
        number[f->id] = x->worthy.count;
    }
    if (x->worthy.count == 0 || !has_work_left(x, x->m->functions.at[0], (uint64_t)n * x->worthy.count))
        return false;
    x->carries = arena_array(x->c->scratch, struct bitset, n);
    for (uint32_t i = 0; i < order->count; i++) {
        uint32_t id = order->at[i];
        x->carries[id] = bitset_new(x->c->scratch, x->worthy.count);
        if (number[id] && !(x->m->functions.at[id]->flags & IR_FN_CONVERGENT))
            bitset_add(x->carries[id], number[id] - 1);
        find_carried(x, x->m->functions.at[id]);
    }
    return true;
}

/* The dearest function that both lead to; NULL: none. */
static const struct ir_function *common_callee(const struct sharer *x, uint32_t a, uint32_t b)
{
    const struct ir_function *best = NULL;
    bitset_each(i, x->carries[a]) {
        uint32_t id = x->worthy.at[i];
        if (bitset_has(x->carries[b], i) && (!best || x->cost[id] > x->cost[best->id]))
            best = x->m->functions.at[id];
    }
    return best;
}

/* ---- step 1: calls through pointers ------------------------------------------------------------------ */

/* Whether direct calls lead from the function to f. */
static bool leads_to(struct sharer *x, const struct ir_call_graph *g, uint32_t from,
                     const struct ir_function *f)
{
    struct walk w = walk_new(x->c->scratch, x->m->functions.count);
    walk_add(&w, from);
    walk_each(id, &w)
        rows_each(k, g->callees, id)
            walk_add(&w, g->callees.at[k]);
    return bitset_has(w.seen, f->id);
}

/* Those of the call's targets that have a callee in common with another one. */
static u32_vec targets_of(struct sharer *x, const struct ir_function *f, const struct ir_ins *icall)
{
    struct arena *a = x->c->scratch;
    u32_vec all = opt_pointer_targets(a, x->m, x->taken, (uint32_t)icall->imm), found = {0};
    struct bitset once = bitset_new(a, x->worthy.count), twice = bitset_new(a, x->worthy.count);
    struct bitset both = bitset_new(a, x->worthy.count);
    for (uint32_t i = 0; i < all.count; i++) {
        bitset_copy(both, x->carries[all.at[i]]);
        bitset_intersect(both, once);
        bitset_union(twice, both);
        bitset_union(once, x->carries[all.at[i]]);
    }
    if (bitset_count(twice) == 0 || !has_work_left(x, f, (uint64_t)all.count * x->m->functions.count))
        return found;
    struct ir_call_graph g = ir_call_graph_new(a, x->m); /* of the module as this pass has made it by now */
    for (uint32_t i = 0; i < all.count; i++) {
        bitset_copy(both, x->carries[all.at[i]]);
        bitset_intersect(both, twice);
        if (bitset_count(both) && may_inline(x->m->functions.at[all.at[i]]) && !leads_to(x, &g, all.at[i], f))
            vec_push(a, &found, all.at[i]);
    }
    return found;
}

/* Behind the call, in the block `rest`, its value is `value`; 0: it has none. */
static void call_target(struct ir_function *f, const struct ir_ins *icall, uint32_t from, uint32_t target,
                        uint32_t rest, ir_ref value)
{
    uint32_t arm = ir_block_new(f, f->module->functions.at[target]->name);
    ir_edge_add(f, from, arm, (int64_t)target + 1);
    struct ir_cursor c = {.fn = f, .block = arm, .at = icall->at};
    ir_ref r = ir_emit(&c, IR_call, (enum ir_type)icall->type, icall->argc - 1, icall->args + 1);
    ir_at(f, r)->imm = target;
    ir_at(f, r)->token = f->module->functions.at[target]->flags & IR_FN_CONVERGENT ? icall->token : 0;
    ir_emit_br(&c, rest);
    if (value)
        ir_edge_arg(f, &ir_block_at(f, arm)->edges.at[0], r);
}

static void choose_targets(struct sharer *x, struct ir_function *f, ir_ref icall, const u32_vec *targets,
                           struct opt_renaming *renaming)
{
    struct ir_ins ins = *ir_at(f, icall);
    uint32_t other = ir_block_split(f, ins.block, icall, "other"), rest = IR_NO_BLOCK;
    rest = ir_block_split(f, other, ir_at(f, icall)->next, NULL);
    struct ir_cursor c = {.fn = f, .block = ins.block, .at = ins.at};
    ir_ref pointer = ir_emit1(&c, IR_ptrcast, IR_TYPE_I32, ins.args[0]), value = 0;
    ir_emit_switch(&c, pointer, other);
    if (ins.type != IR_TYPE_VOID) {
        value = ir_param_new(f, rest, (enum ir_type)ins.type, ins.name);
        opt_rename(renaming, f, icall, value);
    }
    for (uint32_t i = 0; i < targets->count; i++)
        call_target(f, &ins, ins.block, targets->at[i], rest, value);
    c.block = other;
    ir_emit_br(&c, rest);
    opt_rename_all(renaming, f);
    if (value)
        ir_edge_arg(f, &ir_block_at(f, other)->edges.at[0], icall);
    opt_remark(x->c, f, OPT_APPLIED, "targets", ins.at,
               "call through a pointer chooses among %u functions that have a callee in common",
               targets->count);
    x->changed = true;
    opt_invalidate(x->c, f);
}

static void choose_all_targets(struct sharer *x, struct ir_function *f)
{
    u32_vec calls = opt_find_backwards(x->c->scratch, f, IR_icall, IR_icall);
    struct bitset divergent = {0};
    if (calls.count) {
        divergent = bitset_new(x->c->scratch, f->ins.count);
        bitset_copy(divergent, opt_uniformity(x->c, f)->divergent);
    }
    for (uint32_t i = 0; i < calls.count; i++) {
        struct opt_renaming renaming = {.arena = x->c->scratch};
        ir_ref pointer = ir_at(f, calls.at[i])->args[0];
        if (pointer >= divergent.bits || !bitset_has(divergent, pointer))
            continue;
        u32_vec targets = targets_of(x, f, ir_at(f, calls.at[i]));
        if (targets.count > 1)
            choose_targets(x, f, calls.at[i], &targets, &renaming);
    }
}

/* ---- the sites of a function ------------------------------------------------------------------------- */

static bool is_site(const struct sharer *x, const struct ir_function *f, ir_ref r)
{
    const struct ir_ins *ins = ir_at(f, r);
    return ins->op == IR_call && x->m->functions.at[ins->imm]->order.count && x->cost[ins->imm] >= x->least &&
           map_get(&x->declined, r) == MAP_NONE;
}

/* Blocks that lead to b within an iteration of the innermost cycle around it. */
static struct bitset find_reach(struct sharer *x, const struct ir_function *f, uint32_t b)
{
    const struct ir_cfg *g = opt_cfg(x->c, f);
    const struct ir_cycles *cycles = opt_cycles(x->c, f);
    uint32_t cycle = cycles->innermost[b];
    struct walk w = walk_new(x->c->scratch, f->blocks.count);
    walk_add(&w, b);
    walk_each(at, &w) {
        if (cycle != IR_NO_CYCLE && at == cycles->at[cycle].header)
            continue;
        ir_each_pred(p, at, g)
            if (bitset_has(g->reachable, p) && (cycle == IR_NO_CYCLE || ir_cycle_has(cycles, cycle, p)))
                walk_add(&w, p);
    }
    return w.seen;
}

/* False: the limit is reached. */
static bool find_sites(struct sharer *x, struct ir_function *f, struct share_sites *s)
{
    const struct ir_cfg *g = opt_cfg(x->c, f);
    *s = (struct share_sites){.c = x->c, .f = f};
    for (uint32_t i = 0; i < g->rpo_count; i++)
        ir_each_ins(r, f, g->rpo[i])
            if (is_site(x, f, r))
                vec_push(x->c->scratch, &s->at,
                         ((struct share_site){.call = r, .block = g->rpo[i], .callee = ir_at(f, r)->imm}));
    if (s->at.count < 2)
        return true;
    if (!has_work_left(x, f, (uint64_t)s->at.count * (g->rpo_count + s->at.count)))
        return false;
    for (uint32_t i = 0; i < s->at.count; i++)
        s->at.at[i].reach = find_reach(x, f, s->at.at[i].block);
    return true;
}

/* ---- step 2: one callee ------------------------------------------------------------------------------ */

/* Site i, and those behind it in the list that may become one with it. */
static struct share_group group_of(struct sharer *x, const struct share_sites *s, uint32_t i)
{
    struct share_group g = {0};
    vec_push(x->c->scratch, &g.sites, i);
    for (uint32_t k = i + 1; k < s->at.count; k++) {
        bool fits = s->at.at[k].callee == s->at.at[i].callee;
        for (uint32_t n = 0; fits && n < g.sites.count; n++)
            fits = share_parted(s, g.sites.at[n], k);
        if (fits)
            vec_push(x->c->scratch, &g.sites, k);
    }
    return g;
}

static void decline(struct sharer *x, const struct share_sites *s, const struct share_group *g,
                    const char *id)
{
    const struct share_site *first = &s->at.at[g->sites.at[0]];
    const char *callee = x->m->functions.at[first->callee]->name;
    const char *why = strcmp(id, "cost") == 0 ? "it is too cheap for what the threads would have to carry"
                      : strcmp(id, "convergent") == 0
                          ? "other threads would execute its convergent operations"
                      : strcmp(id, "token") == 0 ? "a token that is made before one of them is used behind it"
                      : strcmp(id, "nesting") == 0 ? "the regions of tokens would not nest"
                      : strcmp(id, "barrier") == 0 ? "threads may wait for others before one of them"
                                                   : "threads may spin before one of them";
    opt_remark(x->c, s->f, OPT_MISSED, id, ir_at(s->f, first->call)->at, "%u calls of '%s' stay apart: %s",
               g->sites.count, callee, why);
    for (uint32_t i = 0; i < g->sites.count; i++)
        map_set(x->c->scratch, &x->declined, s->at.at[g->sites.at[i]].call, 1);
}

/* The best group that may become one is made one. */
static bool share_one(struct sharer *x, struct share_sites *s)
{
    struct share_group best = {0};
    for (uint32_t i = 0; i < s->at.count; i++) {
        if (map_get(&x->declined, s->at.at[i].call) != MAP_NONE)
            continue;
        struct share_group g = group_of(x, s, i);
        if (g.sites.count < 2)
            continue;
        const char *id = share_refused(s, &g, x->cost[s->at.at[i].callee]);
        if (id)
            decline(x, s, &g, id);
        else if (g.saved > best.saved)
            best = g;
    }
    if (!best.sites.count)
        return false;
    const struct share_site *first = &s->at.at[best.sites.at[0]];
    opt_remark(x->c, s->f, OPT_APPLIED, "shared", ir_at(s->f, first->call)->at, "%u calls of '%s' become one",
               best.sites.count, x->m->functions.at[first->callee]->name);
    opt_count(x->c, "calls shared", best.sites.count);
    share_group(s, &best);
    return true;
}

/* ---- step 3: different callees with one in common ---------------------------------------------------- */

static bool inline_site(struct sharer *x, const struct share_sites *s, uint32_t i,
                        const struct ir_function *common)
{
    const struct share_site *site = &s->at.at[i];
    const struct ir_function *callee = x->m->functions.at[site->callee];
    struct opt_renaming renaming = {.arena = x->c->scratch};
    if (callee == common)
        return true;
    if (!has_work_left(x, s->f, callee->ins.count) || s->f->ins.count + callee->ins.count > SIZE_MAX_CALLER ||
        s->f->predictions + callee->predictions > IR_MAX_PREDICTIONS)
        return false;
    opt_remark(x->c, s->f, OPT_APPLIED, "inlined", ir_at(s->f, site->call)->at,
               "'%s' inlined: it has '%s' in common with another", callee->name, common->name);
    opt_inline_call(x->c, s->f, site->call, &renaming);
    opt_rename_all(&renaming, s->f);
    opt_invalidate(x->c, s->f);
    return x->changed = true;
}

static bool leads_outside_loops(const struct sharer *x, uint32_t id, const struct ir_function *callee)
{
    bitset_each(i, x->carries[id])
        if (x->worthy.at[i] == callee->id)
            return true;
    return false;
}

/* Adds to the sites, which may become one, those of the others that may too if they come to the callee. */
static void add_sites(struct sharer *x, const struct share_sites *s, const struct ir_function *callee,
                      u32_vec *sites)
{
    for (uint32_t k = 0; k < s->at.count; k++) {
        bool fits = leads_outside_loops(x, s->at.at[k].callee, callee);
        for (uint32_t n = 0; fits && n < sites->count; n++)
            fits = sites->at[n] != k && share_parted(s, sites->at[n], k);
        if (fits)
            vec_push(x->c->scratch, sites, k);
    }
}

/* The pair with the dearest callee in common, and what else may become one with it: it is weighed as a whole
 * then. Sites are in different blocks. */
static bool inline_in_common(struct sharer *x, struct share_sites *s)
{
    const struct ir_function *best = NULL;
    u32_vec sites = {0};
    for (uint32_t i = 0; i < s->at.count; i++)
        for (uint32_t k = i + 1; k < s->at.count; k++) {
            uint32_t first = s->at.at[i].callee, second = s->at.at[k].callee;
            const struct ir_function *common = first == second ? NULL : common_callee(x, first, second);
            if (!common || (best && x->cost[common->id] <= x->cost[best->id]) || !share_parted(s, i, k))
                continue;
            best = common;
            vec_clear(&sites);
            vec_push(x->c->scratch, &sites, i);
            vec_push(x->c->scratch, &sites, k);
        }
    if (!best || !has_work_left(x, s->f, (uint64_t)s->at.count * s->at.count))
        return false;
    add_sites(x, s, best, &sites);
    for (uint32_t i = 0; i < sites.count; i++)
        if (!inline_site(x, s, sites.at[i], best))
            return false;
    return true;
}

/* ---- all functions ----------------------------------------------------------------------------------- */

static void work_on(struct sharer *x, struct ir_function *f)
{
    struct share_sites s;
    x->declined = (struct map){0};
    choose_all_targets(x, f);
    while (find_sites(x, f, &s) && s.at.count > 1) {
        if (!share_one(x, &s) && !inline_in_common(x, &s))
            break;
        x->changed = true;
        opt_invalidate(x->c, f);
    }
}

/* Whether the function has predictions of its own: who wrote them has seen which calls there are. */
static bool has_predictions(const struct ir_function *f)
{
    ir_each_block(k, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_predict_function)
                return true;
    return f->predictions != 0;
}

bool opt_share_calls(struct opt_context *c, struct ir_module *m)
{
    struct sharer x = {.c = c, .m = m};
    bool predicts = opt_honours_predictions(c) && opt_finds_predictions(c->options);
    if ((!opt_scheme_has(c, SCHEME_FRONTIERS) && !predicts) || m->functions.count == 0)
        return false;
    u32_vec order = {0};
    for (uint32_t i = 0; i < opt_callees_first(c, m)->count; i++)
        vec_push(c->scratch, &order, opt_callees_first(c, m)->at[i]);
    x.cost = opt_costs(c, m)->at;
    x.least = opt_option(c, OPT_OPTION_share_gain) * share_price(2, 1);
    x.taken = *opt_addresses_taken(c, m);
    if (!find_callees(&x, &order))
        return false;
    for (uint32_t i = 0; i < order.count; i++)
        if (m->functions.at[order.at[i]]->order.count &&
            !(predicts && has_predictions(m->functions.at[order.at[i]])))
            work_on(&x, m->functions.at[order.at[i]]);
    return x.changed;
}
