/* frontier.c: lowering for thread frontiers (tf-stack, tf-sandy, mode frontier of warp-core): block
 * priorities, which become the order of the blocks, and re-convergence checks ("SIMD Re-Convergence at
 * Thread Frontiers", section 4.1). The order sees to it that threads of a convergent operation are together
 * (docs/reconvergence.md, Thread frontiers), so control flow stays as it is.
 *
 * The machine part is runtime/schemes/tf_stack.c and tf_sandy.c. Code is laid out in the function's order,
 * so that the lowest code index has the highest priority. Near-linear but for the frontiers, whose work is
 * limited: beyond the limit every block has a check.
 */
#include "ir/converge/frontier.h"
#include "ir/converge/order.h"
#include "opt/kit/merge_edges.h"

/* The unreachable blocks stay behind the others. */
static bool lay_out(struct opt_context *c, struct ir_function *f, const struct ir_cfg *g,
                    const u32_vec *order)
{
    u32_vec all = {0};
    bool changed = false;
    for (uint32_t i = 0; i < order->count; i++)
        vec_push(c->scratch, &all, order->at[i]);
    for (uint32_t i = 0; i < f->order.count; i++)
        if (!bitset_has(g->reachable, f->order.at[i]))
            vec_push(c->scratch, &all, f->order.at[i]);
    for (uint32_t i = 0; i < f->order.count; i++) {
        changed |= f->order.at[i] != all.at[i];
        f->order.at[i] = all.at[i];
    }
    return changed;
}

static bool mark_blocks(struct opt_context *c, struct ir_function *f, const struct ir_frontier *x)
{
    bool changed = false;
    ir_each_block(i, b, f) {
        struct ir_block *block = ir_block_at(f, b);
        bool check = bitset_has(x->checks, b);
        uint32_t first = row_length(&x->frontier, b) ? x->frontier.at[x->frontier.start[b]] : IR_NO_BLOCK;
        opt_count(c, "checks", check);
        changed |= block->check != check || block->frontier != first;
        block->check = check;
        block->frontier = first;
    }
    return changed;
}

static void count_frontiers(struct opt_context *c, const struct ir_frontier *x)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < x->order.count; i++) {
        uint32_t n = row_length(&x->frontier, x->order.at[i]);
        opt_count(c, "frontier blocks", n);
        most = n > most ? n : most;
    }
    opt_count(c, "blocks", x->order.count);
}

/* The block that does nothing but return its parameter; IR_NO_BLOCK: there is none. */
static uint32_t returns_parameter(const struct ir_function *f)
{
    ir_each_block(i, b, f) {
        const struct ir_block *block = ir_block_at(f, b);
        const struct ir_ins *end = ir_at(f, block->last);
        if (block->first == block->last && end->op == IR_ret && end->argc == 1 && block->params.count == 1 &&
            end->args[0] == block->params.at[0])
            return b;
    }
    return IR_NO_BLOCK;
}

/* Instead of the block's way to the one that returns what it brings. */
static void return_value(struct ir_function *f, uint32_t b)
{
    ir_ref br = ir_terminator(f, b), value = ir_block_at(f, b)->edges.at[0].args[0];
    struct ir_cursor c = {.fn = f, .block = b, .at = ir_at(f, br)->at};
    ir_remove(f, br);
    ir_block_at(f, b)->edges.count = 0;
    ir_emit_ret(&c, value);
}

/* What returns a truth value returns each value where it is known: callers have a successor for each
 * (BC_ret_true), where those reconverge who go on together. */
static bool return_by_value(struct opt_context *c, struct ir_function *f)
{
    uint32_t end = returns_parameter(f);
    if (f->result != IR_TYPE_I1 || c->options->target != TARGET_bytecode || end == IR_NO_BLOCK)
        return false;
    u32_vec from = {0};
    ir_each_block(i, b, f)
        ir_each_succ(to, b, f)
            if (to == end)
                vec_push(c->scratch, &from,
                         ir_block_at(f, b)->edges.count == 1 ? b : ir_edge_split(f, b, to_at));
    for (uint32_t i = 0; i < from.count; i++)
        return_value(f, from.at[i]);
    return from.count;
}

/* Barriers begin blocks of their own, which may come last: what stands before them does not wait for others. */
static bool split_barriers(struct opt_context *c, struct ir_function *f)
{
    u32_vec barriers = opt_find_backwards(c->scratch, f, IR_barrier, IR_barrier);
    bool changed = false;
    for (uint32_t i = 0; i < barriers.count; i++)
        changed |= opt_split_before(f, barriers.at[i]);
    return changed;
}

static uint32_t count_edges_up(const struct ir_function *f, const struct ir_frontier *x, uint32_t b)
{
    uint32_t n = 0;
    ir_each_succ(to, b, f)
        n += x->priority[to] <= x->priority[b];
    return n;
}

/* Moves for the arguments of an edge stand behind its branch, where those who are to make them have a low
 * priority. If the edge leads to a higher one, and so does another, threads of that one would run on before
 * they do: such an edge gets a block of its own. */
static bool split_edges_up(struct opt_context *c, struct ir_function *f, const struct ir_frontier *x,
                           struct bitset divergent)
{
    bool changed = false;
    for (uint32_t i = 0; i < x->order.count; i++) {
        uint32_t b = x->order.at[i];
        if (!bitset_has(divergent, b) || count_edges_up(f, x, b) < 2)
            continue;
        for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count; e++) {
            const struct ir_edge *edge = &ir_block_at(f, b)->edges.at[e];
            if (!edge->argc || x->priority[edge->block] > i)
                continue;
            ir_edge_split(f, b, e);
            changed = true;
        }
    }
    if (changed)
        opt_invalidate(c, f);
    return changed;
}

/* What decides between blocks that may change places, by a profile: the arm that more lanes take stands last,
 * in front of what is behind both. NULL: there is none, or the code generator finds the priorities again,
 * without it. */
static const uint32_t *ties_by_profile(struct opt_context *c, const struct ir_function *f)
{
    const struct cost_profile *profile = opt_profile(c, f);
    const struct ir_cfg *g = opt_cfg(c, f);
    struct bitset turned = bitset_new(c->scratch, g->blocks);
    if (!profile || c->options->target != TARGET_bytecode)
        return NULL;
    ir_each_block(i, b, f)
        if (ir_block_at(f, b)->edges.count == 2 &&
            cost_edge_count(profile, b, 0) > cost_edge_count(profile, b, 1))
            bitset_add(turned, b);
    return ir_ties_by_edges(c->scratch, g, turned);
}

/* NULL: too large, which has been said. Another order would change the threads of convergent operations. */
static const struct ir_frontier *find_frontier(struct opt_context *c, const struct ir_function *f)
{
    const struct ir_cfg *g = opt_cfg(c, f);
    const uint32_t *limits = c->options->limits;
    struct bitset divergent = *opt_divergent_branches(c, f);
    u32_vec order = ir_priorities(c->scratch, g, opt_cycles(c, f), opt_tokens(c, f), ties_by_profile(c, f),
                                  limits[OPT_LIMIT_priority_work]);
    if (!order.count) {
        opt_error(
            c, f, "priority-work", f->at,
            "'%s': operations of loops reach too far beyond them for thread frontiers: limit of %u steps "
            "(--limit=priority_work=N)",
            f->name, limits[OPT_LIMIT_priority_work]);
        return NULL;
    }
    return ir_frontier_barriers_last(c->scratch, g, divergent, order, limits[OPT_LIMIT_frontier_work]);
}

bool opt_frontier(struct opt_context *c, struct ir_function *f)
{
    bool changed = opt_forget_places(c, f);
    changed |= opt_drop_needless_hearts(c, f);
    changed |= opt_split_scopes(c, f);
    if (!(f->flags & IR_FN_KERNEL)) { /* threads that called it together wait for each other at its return */
        changed |= opt_return_once(c->scratch, opt_cfg(c, f), f);
        changed |= return_by_value(c, f);
    }
    changed |= split_barriers(c, f);
    if (changed)
        opt_invalidate(c, f);
    const struct ir_frontier *x = find_frontier(c, f);
    while (x && split_edges_up(c, f, x, *opt_divergent_branches(c, f))) {
        x = find_frontier(c, f);
        changed = true;
    }
    if (!x)
        return changed;
    if (x->cut)
        opt_remark(
            c, f, OPT_MISSED, "frontier-work", f->at,
            "limit of %u steps reached (--limit=frontier_work=N): every block has a re-convergence check",
            c->options->limits[OPT_LIMIT_frontier_work]);
    count_frontiers(c, x);
    changed |= lay_out(c, f, opt_cfg(c, f), &x->order);
    return mark_blocks(c, f, x) || changed;
}
