/* live_ranges.c: the live ranges of predictions' barriers ("Speculative Reconvergence", section 4.3).
 *
 * Each Predict joins, and a register that several of them join has several sets of threads in it that never
 * wait for each other: those of a region do not wait for those of a later one. So what conflicts is a *live
 * range*: the Predicts whose threads may be in the barrier at one place, and still wait for it, are of one.
 *
 * Time: a data-flow problem with a bit for each Predict, and the Predicts of each block. Beyond the limit
 * predict_work each register is one range: then more conflicts.
 */
#include "opt/predict/barriers.h"

struct finding {
    const struct barriers *x;
    const struct ir_barrier_flow *w;
    struct barrier_ranges *ranges;
};

enum { BARRIER_NO_START = UINT32_MAX };

/* The first Predict of prediction n in the set. */
static uint32_t first_of(const struct barrier_ranges *ranges, struct bitset starts, uint32_t n)
{
    bitset_each(s, starts)
        if (ranges->starts.at[s].prediction == n)
            return s;
    return BARRIER_NO_START;
}

/* What executing r does to the set of Predicts by which threads are in barriers. Threads that wait stay: they
 * rejoin, or the register is no longer joined. */
static void step(const struct barriers *x, const struct ir_barrier_flow *w,
                 const struct barrier_ranges *ranges, ir_ref r, struct bitset starts)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    bool leaves = ins->op == IR_cb_cancel && !ir_cancel_of(ins).threshold && !ir_cancel_of(ins).member;
    if (ins->op != IR_cb_join && !leaves)
        return;
    bitset_each(s, starts)
        if (w->registers.at[ranges->starts.at[s].prediction] == (uint32_t)ins->imm)
            bitset_remove(starts, s);
    uint32_t own = map_get(&ranges->of_join, r);
    if (own != MAP_NONE && own < starts.bits)
        bitset_add(starts, own);
}

static void forward(void *data, uint32_t b, struct bitset starts)
{
    const struct finding *k = data;
    ir_each_ins(r, k->x->f, b)
        step(k->x, k->w, k->ranges, r, starts);
}

static uint32_t root_of(const struct barrier_ranges *ranges, uint32_t start)
{
    while (ranges->starts.at[start].with != start)
        start = ranges->starts.at[start].with;
    return start;
}

/* Predicts of one barrier that reach the block, where threads are in it and may come to a wait, are of one
 * range. */
static void unite_in(const struct finding *k, uint32_t b)
{
    struct barrier_ranges *ranges = k->ranges;
    bitset_each(s, ranges->reach[b]) {
        uint32_t n = ranges->starts.at[s].prediction;
        if (!bitset_has(k->w->joined_in[b], n) || !bitset_has(k->w->live_in[b], n))
            continue;
        uint32_t first = first_of(ranges, ranges->reach[b], n);
        ranges->starts.at[root_of(ranges, s)].with = root_of(ranges, first);
    }
}

static void add_starts(const struct barriers *x, struct barrier_ranges *ranges)
{
    for (uint32_t i = 0; i < x->predictions.count; i++) {
        const struct barrier_prediction *p = &x->predictions.at[i];
        for (uint32_t k = 0; k < p->starts.count; k++) {
            uint32_t number = ranges->starts.count;
            map_set(x->arena, &ranges->of_join, p->starts.at[k].join, number);
            vec_push(x->arena, &ranges->starts, ((struct barrier_range){i, number}));
        }
    }
}

struct barrier_ranges *barriers_find_ranges(struct barriers *x, const struct ir_barrier_flow *w)
{
    struct barrier_ranges *ranges = arena_new(x->arena, struct barrier_ranges);
    struct finding k = {x, w, ranges};
    u32_vec order = {0};
    add_starts(x, ranges);
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        vec_push(x->arena, &order, x->cfg->rpo[i]);
    struct rows down = ir_cfg_edges(x->arena, x->cfg, false);
    struct ir_dataflow d = {&down, &order, ranges->starts.count, forward, &k, NULL};
    ranges->reach = ir_dataflow_solve(x->arena, &d);
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        unite_in(&k, x->cfg->rpo[i]);
    ranges->count = w->registers.count + ranges->starts.count;
    return ranges;
}

uint32_t barriers_range_at(const struct barriers *x, const struct ir_barrier_flow *w,
                           const struct barrier_ranges *ranges, ir_ref r, uint32_t n)
{
    uint32_t b = ir_at(x->f, r)->block;
    struct bitset starts = bitset_new(x->arena, ranges->starts.count);
    bitset_copy(starts, ranges->reach[b]);
    for (ir_ref i = ir_block_at(x->f, b)->first; i != r; i = ir_at(x->f, i)->next)
        step(x, w, ranges, i, starts);
    uint32_t first = first_of(ranges, starts, n);
    return first == BARRIER_NO_START ? n : w->registers.count + root_of(ranges, first);
}
