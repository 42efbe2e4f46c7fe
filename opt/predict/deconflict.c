/* deconflict.c: no two barriers whose threads wait for each other ("Speculative Reconvergence", section 4.3).
 *
 * The paper calls barriers conflicting whose live ranges overlap without one including the other. What makes
 * threads wait for each other is a cycle of "threads wait for x where they are in y": those in y then wait
 * until these come. Live ranges that include each other may lie on one too, so that graph decides: barriers
 * conflict if they are in one of its strongly connected components. Its nodes are live ranges (live_ranges.c):
 * that threads wait in a region for those who join the same register in a later one is no cycle. Barriers of
 * post-dominators alone make no cycle, as each is nested in the next.
 *
 * dynamic: before threads wait for a prediction they leave the barriers of post-dominators that conflict with
 * it, for good, and those of predictions of larger regions, which they rejoin behind the wait. Of a wait with a
 * threshold only threads that have to wait leave (Figure 6). static: the barriers of post-dominators go.
 * Every cycle then had an edge that is removed: those that remain lead from predictions to ones of smaller
 * regions alone.
 */
#include "opt/predict/barriers.h"

struct conflicts {
    struct barriers *x;
    const struct ir_barrier_flow *w;
    const struct barrier_ranges *ranges;
    struct edge_list edges; /* of the waits-for graph, by range */
    uint32_t *component;
};

/* ---- the graph --------------------------------------------------------------------------------------- */

/* Whether threads that execute r may come to the waits of several predictions at once: those that the callees
 * of a call through a pointer have at their entries, or a predicted function's and those inside. */
static bool waits_for_several(const struct barriers *x, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    return ins->op == IR_icall || (ins->op == IR_call && x->of_function[ins->imm] != UINT32_MAX);
}

/* Barriers that threads are in just before r and that others may wait for, if they may wait for `own` there:
 * else none. A call may lead to a predicted function where no thread has come past its Predict. */
static struct bitset waited_for_at(const struct conflicts *k, ir_ref r, uint32_t own)
{
    struct bitset joined = ir_barrier_joined_before(k->w, r);
    if (!bitset_has(joined, own))
        return bitset_new(k->x->arena, k->w->registers.count);
    bitset_intersect(joined, waits_for_several(k->x, r) ? ir_barrier_live_before(k->w, r)
                                                        : ir_barrier_live_behind(k->w, r));
    return joined;
}

static uint32_t range_at(const struct conflicts *k, ir_ref r, uint32_t n)
{
    return barriers_range_at(k->x, k->w, k->ranges, r, n);
}

static void add_edges(struct conflicts *k, ir_ref r, uint32_t from)
{
    struct bitset waited_for = waited_for_at(k, r, from);
    bitset_each(to, waited_for)
        if (to != from)
            edge_add(k->x->arena, &k->edges, range_at(k, r, from), range_at(k, r, to));
}

static void find_edges(struct conflicts *k)
{
    const struct barriers *x = k->x;
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        ir_each_ins(r, x->f, x->cfg->rpo[i]) {
            if (ir_at(x->f, r)->op != IR_cb_wait)
                continue;
            add_edges(k, r, map_get(&k->w->number, (uint32_t)ir_at(x->f, r)->imm));
        }
    }
    for (uint32_t i = 0; i < x->waits.count; i++) {
        const struct barrier_wait *w = &x->waits.at[i];
        if (ir_at(x->f, w->at)->op != IR_cb_wait)
            add_edges(k, w->at, w->prediction);
    }
}

/* Kosaraju's algorithm. */
static void find_components(struct conflicts *k)
{
    struct arena *a = k->x->arena;
    uint32_t nodes = k->ranges->count;
    struct edge_list against = {k->edges.to, k->edges.from};
    struct rows graph = rows_of_edges(a, nodes, &k->edges), back = rows_of_edges(a, nodes, &against);
    struct depth_first down = depth_first_new(a, &graph), up = depth_first_new(a, &back);
    k->component = arena_array(a, uint32_t, nodes);
    for (uint32_t n = 0; n < nodes; n++)
        depth_first_visit(&down, n);
    for (uint32_t i = nodes; i-- > 0;) {
        uint32_t first = up.order.count;
        depth_first_visit(&up, down.order.at[i]);
        for (uint32_t j = first; j < up.order.count; j++)
            k->component[up.order.at[j]] = down.order.at[i];
    }
}

/* ---- breaking it ------------------------------------------------------------------------------------- */

static bool is_prediction(const struct conflicts *k, uint32_t n)
{
    return n < k->x->predictions.count;
}

/* Whether threads that wait for prediction n at r leave barrier m. */
static bool cancels(const struct conflicts *k, ir_ref r, uint32_t n, uint32_t m)
{
    if (m == n || k->component[range_at(k, r, m)] != k->component[range_at(k, r, n)])
        return false;
    if (!is_prediction(k, m))
        return true;
    uint32_t own = k->x->predictions.at[n].size, other = k->x->predictions.at[m].size;
    return own != other ? own < other : n < m;
}

static struct bitset cancelled_at(const struct conflicts *k, const struct barrier_wait *wait)
{
    struct bitset waited_for = waited_for_at(k, wait->at, wait->prediction),
                  cancelled = bitset_new(k->x->arena, waited_for.bits);
    bitset_each(m, waited_for)
        if (cancels(k, wait->at, wait->prediction, m))
            bitset_add(cancelled, m);
    return cancelled;
}

/* Of a wait for a prediction with a threshold, only threads that have to wait leave (Figure 6). */
static void put_cancels(struct conflicts *k, const struct barrier_wait *wait, struct bitset cancelled)
{
    const struct ir_ins *at = ir_at(k->x->f, wait->at);
    uint32_t block = at->block;
    struct ir_cancel l = {0};
    if (at->op == IR_cb_wait && at->imm2)
        l = (struct ir_cancel){.threshold = at->imm2, .wait = (uint32_t)at->imm};
    bitset_each(m, cancelled) {
        l.member = is_prediction(k, m);
        barriers_put(k->x, block, wait->at, IR_cb_cancel, k->w->registers.at[m], ir_cancel_pack(l));
    }
}

static void put_rejoins(struct conflicts *k, ir_ref wait, struct bitset cancelled)
{
    bitset_each(m, cancelled)
        if (is_prediction(k, m))
            barriers_rejoin_behind(k->x, wait, k->w->registers.at[m]);
}

/* Where threads wait for barrier n, for a remark. */
static const char *place_of_wait(const struct conflicts *k, uint32_t n)
{
    const struct barriers *x = k->x;
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        uint32_t b = x->cfg->rpo[i];
        ir_ref r = ir_block_at(x->f, b)->first;
        while (r && (ir_at(x->f, r)->op != IR_cb_wait || ir_at(x->f, r)->imm != k->w->registers.at[n]))
            r = ir_at(x->f, r)->next;
        if (!r)
            continue;
        uint32_t behind =
            ir_block_at(x->f, b)->edges.count == 1 ? ir_block_at(x->f, b)->edges.at[0].block : b;
        ir_ref first = ir_block_at(x->f, behind)->first;
        uint32_t line = ir_at(x->f, r)->at.line ? ir_at(x->f, r)->at.line : ir_at(x->f, first)->at.line;
        const char *name = ir_block_at(x->f, behind)->name;
        return line   ? arena_printf(x->arena, "line %u", line)
               : name ? arena_printf(x->arena, "block %s", name)
                      : arena_printf(x->arena, "block %u", behind);
    }
    return "its caller";
}

static const char *name_of_barrier(const struct conflicts *k, uint32_t n)
{
    struct arena *a = k->x->arena;
    if (!is_prediction(k, n))
        return arena_printf(a, "of the branch that reconverges in %s", place_of_wait(k, n));
    const struct barrier_prediction *p = &k->x->predictions.at[n];
    return p->at.line
               ? arena_printf(a, "of the prediction in line %u of the %s", p->at.line, barriers_name(k->x, p))
               : arena_printf(a, "of the prediction of the %s, in %s", barriers_name(k->x, p),
                              place_of_wait(k, n));
}

/* Each barrier in the set, and why: threads in it wait for these here, and these, or others that wait for them,
 * for threads in it. */
static void tell(struct conflicts *k, const struct barrier_wait *wait, struct bitset cancelled)
{
    struct barriers *x = k->x;
    struct text names = {.arena = x->arena};
    if (!x->c->options->remarks)
        return;
    bitset_each(m, cancelled) {
        text_addz(&names, names.length ? ", " : "");
        text_addz(&names, name_of_barrier(k, m));
    }
    opt_remark(
        x->c, x->f, OPT_APPLIED, "deconflict", ir_at(x->f, wait->at)->at,
        "threads that wait for the prediction leave %u other barriers: %.*s; else threads there would wait "
        "for these, and these for them",
        bitset_count(cancelled), (int)names.length, names.length ? names.at : "");
}

static void cancel_at(struct conflicts *k, const struct barrier_wait *wait, struct bitset cancelled)
{
    struct ir_function *f = k->x->f;
    bool label = ir_at(f, wait->at)->op == IR_cb_wait;
    if (bitset_next(cancelled, 0) == cancelled.bits)
        return;
    tell(k, wait, cancelled);
    if (label)
        put_rejoins(k, wait->at, cancelled);
    put_cancels(k, wait, cancelled);
}

/* Removes the barriers of post-dominators in the set. */
static void drop(struct conflicts *k, struct bitset dropped)
{
    struct barriers *x = k->x;
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        for (ir_ref r = ir_block_at(x->f, x->cfg->rpo[i])->first, next; r; r = next) {
            const struct ir_ins *ins = ir_at(x->f, r);
            next = ins->next;
            if (ir_is_convergence_barrier(ins->op) &&
                bitset_has(dropped, map_get(&k->w->number, (uint32_t)ins->imm)))
                ir_remove(x->f, r);
        }
    }
}

void barriers_deconflict(struct barriers *x)
{
    uint32_t how = opt_option(x->c, OPT_OPTION_deconflict);
    if (how == OPT_deconflict_off)
        return;
    barriers_look(x);
    struct conflicts k = {.x = x, .w = barriers_flow(x)};
    k.ranges = barriers_find_ranges(x, k.w);
    find_edges(&k);
    find_components(&k);
    struct bitset dropped = bitset_new(x->arena, k.w->registers.count),
                  *cancelled = arena_array(x->arena, struct bitset, x->waits.count);
    for (uint32_t i = 0; i < x->waits.count; i++)
        cancelled[i] = cancelled_at(&k, &x->waits.at[i]);
    for (uint32_t i = 0; i < x->waits.count; i++) {
        for (uint32_t m = 0; how == OPT_deconflict_static && m < cancelled[i].bits; m++) {
            if (!is_prediction(&k, m) && bitset_has(cancelled[i], m)) {
                bitset_add(dropped, m);
                bitset_remove(cancelled[i], m);
            }
        }
        cancel_at(&k, &x->waits.at[i], cancelled[i]);
    }
    drop(&k, dropped);
    barriers_look(x);
}
