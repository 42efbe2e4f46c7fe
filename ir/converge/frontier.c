/* frontier.c: thread frontiers: priorities, frontiers and re-convergence checks ("SIMD Re-Convergence at
 * Thread Frontiers", section 4.1). See frontier.h.
 *
 * Frontiers. Algorithm 1 of the paper looks at targets of branches once, from high to low priority, and so
 * misses what back edges carry and the targets that are not taken first. Here it is a fixed point: when
 * block b ends, its threads, and those that wait, are in
 *
 *   S = frontier(b) ∪ successors(b)
 *
 * of which any subset may have threads. Whichever block m of S is then the highest, the others of lower
 * priority may have threads too: for all m in S, frontier(m) ⊇ { w ∈ S : w lower than m }. Threads that a
 * uniform branch keeps together make one such S for each successor.
 *
 * Checks. An edge from b to t needs a check if someone may wait at t, or at a block of higher priority,
 * which is to be run first. Here checks belong to the target: a block is checked if one of its edges asks
 * for it. Edges of a branch that bring arguments are checked for the other targets too, as code for the
 * arguments runs before threads get to the target.
 */
#include "ir/converge/frontier.h"
#include "ir/converge/order.h"

/* ---- priorities ---------------------------------------------------------------------------------------- */

/* The block of cycle k that alone leads back to the header; IR_NO_BLOCK: there are several. */
static uint32_t only_block_back(const struct ir_cfg *c, const struct ir_order *o, uint32_t k)
{
    uint32_t back = IR_NO_BLOCK;
    ir_each_pred(p, o->first.at[k], c) {
        if (!bitset_has(c->reachable, p) || ir_order_target(o, p, o->first.at[k]) != k)
            continue;
        if (back != IR_NO_BLOCK)
            return IR_NO_BLOCK;
        back = p;
    }
    return back;
}

/* Whether threads come to the block from where the cycle's scope is not. */
static bool is_entered(const struct ir_cfg *c, const struct ir_order *o, uint32_t k, uint32_t block)
{
    ir_each_pred(p, block, c)
        if (bitset_has(c->reachable, p) && !ir_scope_lies_in(o, o->scope.at[p], k))
            return true;
    return false;
}

/* The block that stands in place of the latch of cycle k. */
static uint32_t block_at_latch(const struct ir_cfg *c, const struct ir_order *o, uint32_t k)
{
    uint32_t header = o->first.at[k], back = only_block_back(c, o, k);
    if (back == IR_NO_BLOCK || o->scope.at[back] != k || is_entered(c, o, k, back))
        return header;
    ir_each_succ(to, back, c->fn) {
        if (ir_scope_lies_in(o, o->scope.at[to], k) && to != header)
            return header;
    }
    return back;
}

u32_vec ir_priorities(struct arena *a, const struct ir_cfg *c, const struct ir_cycles *f,
                      const struct ir_tokens *t, const uint32_t *ties, uint64_t work)
{
    const struct ir_order *o = ir_order_new(a, c, f, t, ties, work);
    uint32_t *at_latch = arena_array(a, uint32_t, f->count);
    struct bitset moved = bitset_new(a, c->blocks);
    u32_vec order = {0};
    for (uint32_t k = 0; o && k < f->count; k++)
        bitset_add(moved, at_latch[k] = block_at_latch(c, o, k));
    for (uint32_t i = 0; o && i < o->at.count; i++) {
        uint32_t b = ir_order_block(o, o->at.at[i]);
        if (b == IR_NO_BLOCK)
            vec_push(a, &order, at_latch[o->at.at[i]]);
        else if (!bitset_has(moved, b))
            vec_push(a, &order, b);
    }
    INVARIANT(!o || (order.count == c->rpo_count && order.at[0] == ir_entry(c->fn)));
    return order;
}

struct finder {
    const struct ir_cfg *g;
    struct bitset divergent;
    struct ir_frontier *x;
    u32_vec *of;         /* by priority: the frontier, as priorities that ascend */
    struct bitset dirty; /* priorities of blocks whose ends are to be looked at (again) */
    uint64_t left;       /* of the work; 0: too much */
    u32_vec set, merged; /* scratch */
    struct arena *arena;
};

/* ---- frontiers --------------------------------------------------------------------------------- */

static bool spend(struct finder *d, uint64_t n)
{
    d->left = d->left > n ? d->left - n : 0;
    return d->left;
}

/* Adds what follows entry i of the set to the frontier of the block that this is. */
static void add_lower(struct finder *d, uint32_t i)
{
    u32_vec *own = &d->of[d->set.at[i]];
    const uint32_t *more = d->set.at + i + 1;
    uint32_t count = d->set.count - i - 1, a = 0, b = 0;
    if (!spend(d, own->count + count + 1))
        return;
    vec_clear(&d->merged);
    while (a < own->count || b < count) {
        bool both = a < own->count && b < count && own->at[a] == more[b];
        bool first = b == count || (a < own->count && own->at[a] <= more[b]);
        vec_push(d->arena, &d->merged, first ? own->at[a] : more[b]);
        a += first;
        b += !first || both;
    }
    if (d->merged.count == own->count)
        return;
    vec_resize(d->arena, own, d->merged.count);
    memcpy(own->at, d->merged.at, d->merged.count * sizeof *own->at);
    bitset_add(d->dirty, d->set.at[i]);
}

/* Into the set, which stays sorted. */
static void add_to_set(struct finder *d, uint32_t priority)
{
    uint32_t i = d->set.count;
    while (i && d->set.at[i - 1] > priority)
        i--;
    spend(d, d->set.count - i);
    if (i && d->set.at[i - 1] == priority)
        return;
    vec_push(d->arena, &d->set, 0);
    memmove(&d->set.at[i + 1], &d->set.at[i], (d->set.count - 1 - i) * sizeof *d->set.at);
    d->set.at[i] = priority;
}

static void begin_set(struct finder *d, uint32_t b)
{
    const u32_vec *own = &d->of[d->x->priority[b]];
    vec_clear(&d->set);
    for (uint32_t i = 0; i < own->count; i++)
        vec_push(d->arena, &d->set, own->at[i]);
}

static void close_set(struct finder *d)
{
    for (uint32_t i = 0; i < d->set.count && d->left; i++)
        add_lower(d, i);
}

static void look_at_end(struct finder *d, uint32_t b)
{
    const struct ir_block *block = ir_block_at(d->g->fn, b);
    bool together = !bitset_has(d->divergent, b);
    begin_set(d, b);
    for (uint32_t e = 0; e < block->edges.count; e++) {
        add_to_set(d, d->x->priority[block->edges.at[e].block]);
        if (!together)
            continue;
        close_set(d);
        begin_set(d, b);
    }
    if (!together || block->edges.count == 0)
        close_set(d);
}

static void solve(struct finder *d)
{
    for (bool again = true; again && d->left;) {
        again = false;
        for (uint32_t p = bitset_next(d->dirty, 0); p < d->dirty.bits && d->left;
             p = bitset_next(d->dirty, p + 1)) {
            bitset_remove(d->dirty, p);
            look_at_end(d, d->x->order.at[p]);
            again = true;
        }
    }
}

/* ---- checks ------------------------------------------------------------------------------------------ */

/* Whether others of the branch are to run before the target of one of its edges with arguments. */
static bool comes_late(const struct finder *d, const struct ir_block *block, uint32_t edge)
{
    if (block->edges.count > 2)
        return true;
    const struct ir_edge *other = &block->edges.at[1 - edge];
    return other->argc || d->x->priority[other->block] < d->x->priority[block->edges.at[edge].block];
}

static void find_checks(struct finder *d, uint32_t b)
{
    const struct ir_block *block = ir_block_at(d->g->fn, b);
    const u32_vec *own = &d->of[d->x->priority[b]];
    uint32_t waiting = own->count ? own->at[0] : UINT32_MAX;
    bool diverges = bitset_has(d->divergent, b) && block->edges.count > 1;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t target = block->edges.at[e].block, p = d->x->priority[target];
        if (waiting <= p || (diverges && block->edges.at[e].argc && comes_late(d, block, e)))
            bitset_add(d->x->checks, target);
    }
}

/* ---- the result -------------------------------------------------------------------------------------- */

static void cut(struct finder *d)
{
    d->x->cut = true;
    for (uint32_t i = 0; i < d->x->order.count; i++) {
        vec_clear(&d->of[i]);
        bitset_add(d->x->checks, d->x->order.at[i]);
    }
}

static void keep(struct finder *d)
{
    struct edge_list members = {0};
    for (uint32_t i = 0; i < d->x->order.count; i++)
        for (uint32_t k = 0; k < d->of[i].count; k++)
            edge_add(d->arena, &members, d->x->order.at[i], d->x->order.at[d->of[i].at[k]]);
    d->x->frontier = rows_of_edges(d->arena, d->g->blocks, &members);
}

struct ir_frontier *ir_frontier_new(struct arena *a, const struct ir_cfg *c, struct bitset divergent,
                                    u32_vec order, uint64_t work)
{
    struct ir_frontier *x = arena_new(a, struct ir_frontier);
    x->order = order;
    x->priority = arena_array(a, uint32_t, c->blocks);
    x->checks = bitset_new(a, c->blocks);
    memset(x->priority, 0xff, c->blocks * sizeof *x->priority);
    struct finder d = {.g = c,
                       .divergent = divergent,
                       .x = x,
                       .of = arena_array(a, u32_vec, order.count),
                       .dirty = bitset_new(a, order.count),
                       .left = work,
                       .arena = a};
    for (uint32_t i = 0; i < order.count; i++) {
        x->priority[order.at[i]] = i;
        bitset_add(d.dirty, i);
    }
    solve(&d);
    if (d.left)
        for (uint32_t i = 0; i < order.count; i++)
            find_checks(&d, order.at[i]);
    else
        cut(&d);
    keep(&d);
    return x;
}

/* ---- barriers ------------------------------------------------------------------------------------------ */

static u32_vec with_barriers_last(struct arena *a, const struct ir_function *f, const u32_vec *order)
{
    u32_vec first = {0}, last = {0};
    for (uint32_t i = 0; i < order->count; i++)
        vec_push(a, i && ir_has_barrier(f, order->at[i]) ? &last : &first, order->at[i]);
    for (uint32_t i = 0; i < last.count; i++)
        vec_push(a, &first, last.at[i]);
    return first;
}

struct ir_frontier *ir_frontier_barriers_last(struct arena *a, const struct ir_cfg *c,
                                              struct bitset divergent, u32_vec order, uint64_t work)
{
    struct ir_frontier *x = ir_frontier_new(a, c, divergent, order, work);
    bool kernel = c->fn->flags & IR_FN_KERNEL, wait = false;
    for (uint32_t i = 0; i < order.count && kernel && !wait; i++)
        wait = (x->cut || row_length(&x->frontier, order.at[i])) && ir_has_barrier(c->fn, order.at[i]);
    return wait ? ir_frontier_new(a, c, divergent, with_barriers_last(a, c->fn, &order), work) : x;
}

/* ---- where threads diverge ------------------------------------------------------------------------------ */

bool ir_has_other_branch(const struct ir_cfg *c, struct bitset divergent)
{
    for (uint32_t i = 0; i < c->rpo_count; i++)
        if (ir_block_at(c->fn, c->rpo[i])->edges.count > 1 && !bitset_has(divergent, c->rpo[i]))
            return true;
    return false;
}

struct bitset ir_divergent_branches_new(struct arena *a, const struct ir_cfg *c, const struct ir_cycles *f)
{
    struct bitset branches = ir_uniformity_new(a, c, f, ir_tokens_new(a, c), NULL)->branches;
    if (!ir_has_other_branch(c, branches))
        return branches;
    struct ir_uniformity_options o = {.ignore_tokens = true,
                                      .reconvergence = ir_return_post_dominators_new(a, c)->idom};
    bitset_union(branches, ir_uniformity_new(a, c, f, NULL, &o)->branches);
    return branches;
}

bool ir_frontier_has(const struct ir_frontier *x, uint32_t b, uint32_t w)
{
    uint32_t low = x->frontier.start[b], high = x->frontier.start[b + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (x->priority[x->frontier.at[middle]] < x->priority[w])
            low = middle + 1;
        else
            high = middle;
    }
    return low < x->frontier.start[b + 1] && x->frontier.at[low] == w;
}
