/* frontier.c: lowering for the schemes tf-stack and tf-sandy: block priorities, which become the order of the
 * blocks, and re-convergence checks ("SIMD Re-Convergence at Thread Frontiers", section 4.1).
 *
 * The machine part is runtime/schemes/tf_stack.c and tf_sandy.c. Code is laid out in the function's order,
 * so that the lowest code index has the highest priority. Keeps the graph. Near-linear but for the
 * frontiers, whose work is limited: beyond the limit every block has a check.
 */
#include "opt/convergence/converge.h"
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

/* Threads that called the function together return together: they wait for each other at its lowest block. */
static bool return_once(struct opt_context *c, struct ir_function *f)
{
    if (!opt_return_once(c->scratch, opt_cfg(c, f), f))
        return false;
    opt_invalidate(c, f);
    return true;
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

/* What returns a truth value returns apart, each value where it is known: callers have a successor for each
 * (BC_ret_true), where those reconverge who go on together. */
static bool return_apart(struct opt_context *c, struct ir_function *f)
{
    uint32_t end = returns_parameter(f);
    if (f->result != IR_TYPE_I1 || c->options->target != TARGET_bytecode || end == IR_NO_BLOCK)
        return false;
    u32_vec from = {0};
    ir_each_block(i, b, f)
        for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count; e++)
            if (ir_block_at(f, b)->edges.at[e].block == end)
                vec_push(c->scratch, &from, ir_block_at(f, b)->edges.count == 1 ? b : ir_edge_split(f, b, e));
    for (uint32_t i = 0; i < from.count; i++)
        return_value(f, from.at[i]);
    opt_invalidate(c, f);
    return from.count;
}

/* Blocks that are split between operations of different loops. */
struct loop_splitter {
    const struct ir_function *f;
    const struct ir_cycles *cycles;
    const struct ir_scopes *scopes; /* NULL: too large for anchors */
    bool too_large;
    uint32_t *part; /* by instruction: the part of its block */
    u32_vec left;   /* by part: the cycle that it is behind, and belongs to; or IR_NO_CYCLE */
};

/* The cycle that the place of the token belongs to: its block's innermost one, or one in that, or that this
 * is behind. */
static uint32_t cycle_of(const struct loop_splitter *x, ir_ref token)
{
    uint32_t own = x->cycles->innermost[ir_at(x->f, token)->block], left = x->left.at[x->part[token]];
    if (left == IR_NO_CYCLE)
        return own;
    return own == IR_NO_CYCLE || ir_cycle_has(x->cycles, own, x->cycles->at[left].header) ? left : own;
}

/* The cycle of r's token, or of one that this is made from, if r is behind that cycle; else IR_NO_CYCLE. What a
 * token controls that is made behind the cycle belongs to that one with it. */
static uint32_t left_cycle(const struct loop_splitter *x, ir_ref r)
{
    for (ir_ref token = ir_at(x->f, r)->token; token; token = ir_at(x->f, token)->token) {
        uint32_t k = cycle_of(x, token);
        if (k != IR_NO_CYCLE && !ir_cycle_has(x->cycles, k, ir_at(x->f, r)->block))
            return k;
    }
    return IR_NO_CYCLE;
}

/* The same of an anchor that is behind a cycle, between the definition of one of its tokens and a use: its
 * groups are of one iteration each. */
static uint32_t cycle_behind_anchor(struct loop_splitter *x, ir_ref anchor)
{
    x->too_large |= !x->scopes;
    return x->scopes ? ir_scope_behind(x->scopes, anchor) : IR_NO_CYCLE;
}

static void find_splits(struct opt_context *c, struct loop_splitter *x, uint32_t b, u32_vec *splits)
{
    vec_push(c->scratch, &x->left, IR_NO_CYCLE);
    ir_each_ins(r, x->f, b) {
        x->part[r] = x->left.count - 1;
        bool anchor = ir_at(x->f, r)->op == IR_anchor;
        if (!anchor && !ir_is_convergent(x->f, r))
            continue;
        uint32_t own = anchor ? cycle_behind_anchor(x, r) : left_cycle(x, r);
        if (own == vec_last(&x->left) || (anchor && own == IR_NO_CYCLE))
            continue;
        if (vec_last(&x->left) == IR_NO_CYCLE) {
            x->left.at[x->left.count - 1] = own;
            continue;
        }
        vec_push(c->scratch, splits, r);
        vec_push(c->scratch, &x->left, own);
        x->part[r]++;
    }
}

/* What is done by a loop's token behind the loop belongs to its iterations, and what is done by another's
 * to that one's: where both are in a block, it is split between. */
static bool split_between_loops(struct opt_context *c, struct ir_function *f)
{
    const struct ir_cfg *g = opt_cfg(c, f);
    struct loop_splitter x = {.f = f,
                              .cycles = opt_cycles(c, f),
                              .scopes = opt_uniformity(c, f)->scopes,
                              .part = arena_array(c->scratch, uint32_t, f->ins.count)};
    u32_vec splits = {0};
    for (uint32_t i = 0; i < g->rpo_count; i++)
        find_splits(c, &x, g->rpo[i], &splits);
    for (uint32_t i = splits.count; i-- > 0;)
        opt_split_before(f, splits.at[i]);
    if (x.too_large)
        opt_error(
            c, f, "too-large", f->at,
            "the regions of the tokens of %s have more than %u blocks: too many to find the loops that its "
            "anchors stand behind (IR_MAX_REGION_BLOCKS)",
            f->name, IR_MAX_REGION_BLOCKS);
    if (splits.count)
        opt_invalidate(c, f);
    return splits.count;
}

static uint32_t count_edges_up(const struct ir_function *f, const struct ir_frontier *x, uint32_t b)
{
    uint32_t n = 0;
    for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count; e++)
        n += x->priority[ir_block_at(f, b)->edges.at[e].block] <= x->priority[b];
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

/* NULL: too large, which has been said. Another order would change the threads of convergent operations. */
static const struct ir_frontier *find_frontier(struct opt_context *c, const struct ir_function *f)
{
    if (opt_priorities(c, f)->count)
        return opt_thread_frontier(c, f);
    opt_error(c, f, "priority-work", f->at,
              "'%s': operations of loops reach too far beyond them for thread frontiers: limit of %u steps "
              "(--limit=priority_work=N)",
              f->name, c->options->limits[OPT_LIMIT_priority_work]);
    return NULL;
}

bool opt_frontier(struct opt_context *c, struct ir_function *f)
{
    bool changed = f->flags & IR_FN_KERNEL ? opt_split_leaving(c, f) : return_once(c, f);
    if (!(f->flags & IR_FN_KERNEL))
        changed |= return_apart(c, f);
    changed |= split_between_loops(c, f);
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
