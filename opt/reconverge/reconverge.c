/* reconverge.c: lowering for machines whose threads wait for each other where branches reconverge: names the
 * place of each branch, and changes control flow where threads of a convergent operation would not be
 * together there ("Convergent Operation Semantics", Controlled Maximal Convergence).
 *
 * One pass along the order of blocks (ir/converge/order.h). A node j of it, which is a block with an
 * operation, or the header or the latch of a cycle that has one, is *demanded* if threads of some divergent
 * branch x before j come to j from two sides, and wait for each other behind j only. Then a dispatch block is
 * put before j: all edges that lead from what is reached from x before j to j or behind it go there, and all
 * other forward edges to j; a parameter says where each goes on. Edges into parts before j from which no way
 * leads on cross nothing, so they become edges that nobody waits for, and often j is not demanded any more.
 *
 * Each such change leads edges that cross j to one place before j, and no other: where threads wait for each
 * other before j, by what was done before, stays. So one pass ends, and nothing is undone. The proof is in
 * docs/reconvergence.md.
 *
 * Cost: near-linear, and the function's size for each dispatch block, and for each branch beside j that does
 * not tell by dominance alone from how many sides j is reached (converge_work bounds their sum).
 */
#include "ir/converge/order.h"
#include "opt/kit/demote.h"
#include "opt/kit/merge_edges.h"

struct reconverge {
    struct opt_context *c;
    struct ir_function *f;
    struct arena *arena;
    struct ir_order *o;
    struct bitset divergent;                        /* by block; a block that is newer is divergent */
    struct bitset tail;                             /* by block: leads to no node that can be demanded */
    struct map exits;                               /* see ir_reconvergence_tree */
    uint32_t *virtual;                              /* the same */
    const struct ir_cfg *g;                         /* now */
    const struct ir_dominators *dominators, *waits; /* waits: ir_reconvergence_tree */
    u32_vec active;    /* branches before the node, whose threads wait for each other behind it */
    u32_vec demanding; /* of these: those for whose sake it is demanded */
    uint64_t work;
    bool changed;
};

/* ---- the graph ---------------------------------------------------------------------------------------- */

static uint32_t position(const struct reconverge *x, uint32_t node)
{
    return x->o->position.at[node];
}

static uint32_t position_of_block(const struct reconverge *x, uint32_t b)
{
    return position(x, ir_order_node(x->o, b));
}

static uint32_t wait_position(const struct reconverge *x, uint32_t b)
{
    uint32_t node = x->waits->idom[ir_order_node(x->o, b)];
    return node == IR_NO_BLOCK ? UINT32_MAX : position(x, node);
}

static bool is_divergent(const struct reconverge *x, uint32_t b)
{
    return b >= x->divergent.bits || bitset_has(x->divergent, b);
}

static bool is_tail(const struct reconverge *x, uint32_t b)
{
    return b < x->tail.bits && bitset_has(x->tail, b);
}

static bool is_exit(const struct reconverge *x, uint32_t from, uint32_t to)
{
    return map_get(&x->exits, ir_edge_key(from, to)) != MAP_NONE;
}

static void look(struct reconverge *x)
{
    opt_invalidate(x->c, x->f);
    x->g = opt_cfg(x->c, x->f);
    x->dominators = opt_dominators(x->c, x->f);
    x->waits = ir_reconvergence_tree(x->arena, x->g, x->o, &x->exits, x->virtual);
    x->work += x->o->at.count;
}

/* What leads to the node: to a latch, from where its cycle goes round; to a header, its latch too. */
static void add_predecessors(const struct reconverge *x, uint32_t node, u32_vec *out)
{
    const struct ir_order *o = x->o;
    uint32_t b = ir_order_block(o, node), to = b == IR_NO_BLOCK ? o->first.at[node] : b;
    for (uint32_t k = o->scope.at[to]; b == to && k != o->scopes && o->first.at[k] == b; k = o->around[k])
        if (k < o->cycles->count)
            vec_push(x->arena, out, k);
    ir_each_pred(p, to, x->g)
        if (bitset_has(x->g->reachable, p) && ir_order_target(o, p, to) == node)
            vec_push(x->arena, out, ir_order_node(o, p));
}

static void add_successors(const struct reconverge *x, uint32_t node, u32_vec *out)
{
    uint32_t b = ir_order_block(x->o, node);
    if (b == IR_NO_BLOCK) {
        vec_push(x->arena, out, ir_order_node(x->o, x->o->first.at[node]));
        return;
    }
    const struct ir_block *block = ir_block_at(x->f, b);
    for (uint32_t e = 0; e < block->edges.count; e++)
        vec_push(x->arena, out, ir_order_target(x->o, b, block->edges.at[e].block));
}

/* The nodes of `from` and those that they lead to, or, `against` the edges, that lead to them, by nodes that
 * stand before position `limit`. */
static struct bitset reach(struct reconverge *x, const u32_vec *from, uint32_t limit, bool against)
{
    struct bitset met = bitset_new(x->arena, ir_order_node(x->o, x->g->blocks));
    u32_vec work = {0}, next = {0};
    for (uint32_t i = 0; i < from->count; i++) {
        vec_push(x->arena, &work, from->at[i]);
        bitset_add(met, from->at[i]);
    }
    while (work.count) {
        vec_clear(&next);
        if (against)
            add_predecessors(x, vec_pop(&work), &next);
        else
            add_successors(x, vec_pop(&work), &next);
        x->work += next.count + 1;
        for (uint32_t i = 0; i < next.count; i++) {
            if (bitset_has(met, next.at[i]) || position(x, next.at[i]) >= limit)
                continue;
            bitset_add(met, next.at[i]);
            vec_push(x->arena, &work, next.at[i]);
        }
    }
    return met;
}

/* ---- which nodes are demanded -------------------------------------------------------------------------- */

/* Whether the node is a place where threads may have to be together. */
static bool may_be_demanded(const struct reconverge *x, uint32_t node)
{
    const struct ir_order *o = x->o;
    uint32_t b = ir_order_block(o, node);
    if (b == IR_NO_BLOCK)
        return bitset_has(o->demanded, node);
    if (b < o->convergent.bits && bitset_has(o->convergent, b))
        return true;
    for (uint32_t k = o->scope.at[b]; k != o->scopes && o->first.at[k] == b; k = o->around[k])
        if (k < o->cycles->count && bitset_has(o->demanded, k))
            return true;
    return false;
}

/* Blocks that lead to no such node: from a latch to its header. */
static void find_tail(struct reconverge *x)
{
    u32_vec from = {0};
    for (uint32_t i = 0; i < x->o->at.count; i++)
        if (may_be_demanded(x, x->o->at.at[i]))
            vec_push(x->arena, &from, x->o->at.at[i]);
    struct bitset leads = reach(x, &from, UINT32_MAX, true);
    x->tail = bitset_new(x->arena, x->g->blocks);
    for (uint32_t i = 0; i < x->g->rpo_count; i++)
        if (!bitset_has(leads, ir_order_node(x->o, x->g->rpo[i])))
            bitset_add(x->tail, x->g->rpo[i]);
}

/* From where on branches matter for the node: from the start of the innermost scope that all threads enter by
 * one block. For those that come to a natural loop by two ways its header is a node of its own; the group of
 * an anchor has been chosen there. */
static uint32_t since(const struct reconverge *x, uint32_t node)
{
    const struct ir_order *o = x->o;
    uint32_t b = ir_order_block(o, node), s = b == IR_NO_BLOCK ? node : o->scope.at[b];
    while (s != o->scopes &&
           (o->first.at[s] == b || (s < o->cycles->count && o->cycles->at[s].entries.count > 1)))
        s = o->around[s];
    return position_of_block(x, o->first.at[s]);
}

/* Whether threads come to block s the first time from the branch alone. */
static bool is_entered_from(const struct reconverge *x, uint32_t s, uint32_t branch)
{
    ir_each_pred(p, s, x->g)
        if (p != branch && bitset_has(x->g->reachable, p) && !ir_dominates(x->dominators, s, p))
            return false;
    return true;
}

/* What dominance says of how many sides of branch b lead to block j: 1, 2 (or more), or 0: it can't tell. */
static unsigned sides_by_dominance(const struct reconverge *x, uint32_t b, uint32_t j)
{
    const struct ir_order *o = x->o;
    uint32_t k = o->scope.at[b];
    if (j == IR_NO_BLOCK || !ir_dominates(x->dominators, b, j))
        return 0;
    for (; k != o->scopes && !ir_scope_lies_in(o, o->scope.at[j], k); k = o->around[k])
        if (k < o->cycles->count)
            return 0; /* threads may come to b again */
    const struct ir_block *block = ir_block_at(x->f, b);
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t s = block->edges.at[e].block;
        if (ir_dominates(x->dominators, s, j) && is_entered_from(x, s, b))
            return 1;
    }
    return 2;
}

/* How many sides of branch b lead to the node at a position, 0, 1 or 2 (or more). `to`: that node and those
 * before it that do; or NULL: then how many may, by the order alone. */
static unsigned count_sides(const struct reconverge *x, uint32_t b, uint32_t at, const struct bitset *to)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    uint32_t first = IR_NO_BLOCK;
    unsigned sides = 0;
    for (uint32_t e = 0; e < block->edges.count && sides < 2; e++) {
        uint32_t v = block->edges.at[e].block, target = ir_order_target(x->o, b, v);
        bool leads = to ? bitset_has(*to, target) : position(x, target) <= at && !is_tail(x, v);
        if (!leads || v == first)
            continue;
        first = v;
        sides++;
    }
    return sides;
}

static bool is_demanded(struct reconverge *x, uint32_t node)
{
    uint32_t at = position(x, node), from = since(x, node), kept = 0;
    struct bitset to = {0};
    vec_clear(&x->demanding);
    for (uint32_t i = 0; i < x->active.count; i++) {
        uint32_t b = x->active.at[i];
        if (wait_position(x, b) <= at)
            continue; /* nor is it active any more */
        x->active.at[kept++] = b;
        if (position_of_block(x, b) < from || count_sides(x, b, at, NULL) < 2)
            continue;
        unsigned sides = sides_by_dominance(x, b, ir_order_block(x->o, node));
        if (!sides) {
            if (!to.words)
                to = reach(x, &(u32_vec){.at = &node, .count = 1}, at, true);
            sides = count_sides(x, b, at, &to);
        }
        if (sides > 1)
            vec_push(x->arena, &x->demanding, b);
    }
    x->active.count = kept;
    x->work += kept;
    return x->demanding.count;
}

/* The block becomes active if its threads diverge, and may come to what can be demanded from two sides. */
static void pass_by(struct reconverge *x, uint32_t node)
{
    uint32_t b = ir_order_block(x->o, node);
    if (b != IR_NO_BLOCK && is_divergent(x, b) && count_sides(x, b, UINT32_MAX, NULL) > 1 &&
        wait_position(x, b) > position(x, node) + 1)
        vec_push(x->arena, &x->active, b);
}

/* The branches before the node anew: where their threads wait has changed. */
static void find_active(struct reconverge *x, uint32_t node)
{
    vec_clear(&x->active);
    for (uint32_t i = 0; i < position(x, node); i++)
        pass_by(x, x->o->at.at[i]);
}

/* ---- dispatch ------------------------------------------------------------------------------------------ */

/* Nodes before the one at `at` that are reached from the demanding branches. */
static struct bitset find_reached(struct reconverge *x, uint32_t at)
{
    u32_vec from = {0};
    for (uint32_t i = 0; i < x->demanding.count; i++)
        vec_push(x->arena, &from, ir_order_node(x->o, x->demanding.at[i]));
    return reach(x, &from, at, false);
}

/* Nodes before the one at `at` from which a way leads there or behind it. */
static struct bitset find_live(struct reconverge *x, uint32_t at)
{
    const struct ir_order *o = x->o;
    u32_vec from = {0};
    for (uint32_t i = 0; i < at; i++) {
        uint32_t b = ir_order_block(o, o->at.at[i]);
        if (b == IR_NO_BLOCK)
            continue;
        const struct ir_block *block = ir_block_at(x->f, b);
        bool crosses = false;
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t v = block->edges.at[e].block;
            crosses |= !is_exit(x, b, v) && position(x, ir_order_target(o, b, v)) >= at;
        }
        if (crosses)
            vec_push(x->arena, &from, o->at.at[i]);
    }
    return reach(x, &from, at, true);
}

/* Edges from what is reached into parts from which no way leads on. Returns whether there are new ones. */
static bool add_exits(struct reconverge *x, struct bitset reached, struct bitset live, uint32_t at)
{
    const struct ir_order *o = x->o;
    bool added = false;
    for (uint32_t i = 0; i < at; i++) {
        uint32_t node = o->at.at[i], b = ir_order_block(o, node);
        if (b == IR_NO_BLOCK || !bitset_has(reached, node) || !bitset_has(live, node))
            continue;
        const struct ir_block *block = ir_block_at(x->f, b);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t v = block->edges.at[e].block, target = ir_order_target(o, b, v);
            if (position(x, target) >= at || bitset_has(live, target) || is_exit(x, b, v))
                continue;
            map_set(x->arena, &x->exits, ir_edge_key(b, v), 1);
            added = true;
        }
    }
    return added;
}

/* Edges from what is reached to the node or behind it, and all others to the node. */
static opt_edges edges_to_merge(const struct reconverge *x, struct bitset reached, struct bitset live,
                                uint32_t node)
{
    const struct ir_order *o = x->o;
    uint32_t at = position(x, node);
    opt_edges edges = {0};
    for (uint32_t i = 0; i < at; i++) {
        uint32_t u = o->at.at[i], b = ir_order_block(o, u);
        if (b == IR_NO_BLOCK || !bitset_has(live, u))
            continue;
        const struct ir_block *block = ir_block_at(x->f, b);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t v = block->edges.at[e].block, target = ir_order_target(o, b, v);
            bool crosses = position(x, target) >= at && (target == node || bitset_has(reached, u));
            if (crosses && !is_exit(x, b, v))
                vec_push(x->arena, &edges, ((struct opt_edge){b, e}));
        }
    }
    return edges;
}

/* The operation or heart for whose sake the node is demanded. */
static const struct ir_ins *user_of(const struct reconverge *x, uint32_t node)
{
    uint32_t b = ir_order_block(x->o, node);
    if (b == IR_NO_BLOCK)
        b = x->o->first.at[node];
    ir_each_ins(r, x->f, b)
        if (ir_at(x->f, r)->op == IR_loop || (ir_at(x->f, r)->op != IR_anchor && ir_is_convergent(x->f, r)))
            return ir_at(x->f, r);
    return ir_at(x->f, ir_terminator(x->f, b));
}

/* Whether a limit ends the pass, which then has been said. */
static bool is_too_much(const struct reconverge *x, uint32_t node)
{
    const struct ir_ins *user = user_of(x, node);
    const char *why = "control flow too large to merge";
    if (!opt_below(x->c, x->f, OPT_LIMIT_converge_work, x->work))
        why = arena_printf(x->arena, "%s: limit of %u reached (--limit=converge_work=N)", why,
                           x->c->options->limits[OPT_LIMIT_converge_work]);
    else if (opt_ssa_possible(x->c, x->f))
        return false;
    opt_warning(x->c, x->f, DIAG_GROUP_convergence, user->at, "not all threads of '%s' may come together: %s",
                ir_op_info[user->op].text, why);
    return true;
}

/* Edges of one switch to dispatch block d bring different arguments: they are one side of it. */
static void unify_ways(struct reconverge *x, const opt_edges *edges, uint32_t d)
{
    for (uint32_t i = 0; i < edges->count; i++) {
        uint32_t b = edges->at[i].block, made = x->f->blocks.count;
        bool first = i == 0 || edges->at[i - 1].block != b;
        if (!first || !is_divergent(x, b) || ir_at(x->f, ir_terminator(x->f, b))->op != IR_switch)
            continue;
        opt_unify_switch(x->c, x->f, b);
        for (; made < x->f->blocks.count; made++)
            ir_order_insert(x->o, made, ir_order_node(x->o, d));
    }
}

static void dispatch(struct reconverge *x, uint32_t node)
{
    uint32_t at = position(x, node);
    struct bitset reached = find_reached(x, at), live = find_live(x, at);
    if (add_exits(x, reached, live, at)) {
        look(x);
        find_active(x, node);
        if (!is_demanded(x, node))
            return;
        reached = find_reached(x, at);
    }
    opt_edges edges = edges_to_merge(x, reached, live, node);
    ir_ref branch = ir_terminator(x->f, x->demanding.at[0]);
    const struct ir_ins *user = user_of(x, node);
    opt_remark(x->c, x->f, OPT_APPLIED, "merged", user->at,
               "%u edges merged, so that the threads that diverge at line %u reconverge at '%s'", edges.count,
               ir_at(x->f, branch)->at.line, ir_op_info[user->op].text);
    opt_count(x->c, "edges merged", edges.count);
    uint32_t d = opt_merge_edges(x->arena, x->f, &edges, ir_at(x->f, branch)->at);
    ir_block_at(x->f, d)->overhead = true;
    x->changed = true;
    for (uint32_t k = 0; k < x->o->cycles->count; k++)
        if (bitset_has(reached, k) && x->virtual[k] == IR_NO_BLOCK)
            x->virtual[k] = ir_order_node(x->o, d);
    ir_order_insert(x->o, d, node);
    unify_ways(x, &edges, d);
    look(x);
    find_active(x, node);
}

/* ---- scopes --------------------------------------------------------------------------------------------- */

/* The scope of the token that the operation uses, if its block is behind it, by the block of its definition;
 * else IR_NO_BLOCK. */
static uint32_t scope_behind(const struct ir_cycles *cycles, const struct ir_function *f, ir_ref r)
{
    for (ir_ref token = ir_at(f, r)->token; token; token = ir_at(f, token)->token) {
        uint32_t home = ir_at(f, token)->block, k = cycles->innermost[home];
        bool anchor = ir_at(f, token)->op == IR_anchor && home != ir_at(f, r)->block;
        if (anchor || (k != IR_NO_CYCLE && !ir_cycle_has(cycles, k, ir_at(f, r)->block)))
            return home;
    }
    return IR_NO_BLOCK;
}

/* The token that tells the same instances apart: of a heart that is in no cycle without the token from which it
 * is made, that one. */
static ir_ref first_of_equals(const struct ir_cycles *cycles, const struct ir_function *f, ir_ref token)
{
    while (token && ir_at(f, token)->op == IR_loop) {
        uint32_t home = ir_at(f, token)->block, outer = ir_at(f, ir_at(f, token)->token)->block;
        if (ir_cycle_common(cycles, home, outer) != cycles->innermost[home])
            break;
        token = ir_at(f, token)->token;
    }
    return token;
}

/* Hearts that no operation is controlled by, directly or by another heart, keep no threads apart. */
static bool drop_unused_hearts(struct opt_context *c, struct ir_function *f)
{
    struct bitset in_use = *opt_tokens_in_use(c, f);
    u32_vec unused = {0};
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_loop && !bitset_has(in_use, r))
                vec_push(c->scratch, &unused, r);
    for (uint32_t i = unused.count; i-- > 0;)
        ir_remove(f, unused.at[i]);
    if (unused.count)
        opt_invalidate(c, f);
    return unused.count;
}

/* A heart that is not needed has no region, which would have to stay whole. */
static bool skip_needless_hearts(struct opt_context *c, struct ir_function *f)
{
    const struct ir_cycles *cycles = opt_cycles(c, f);
    bool changed = false;
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b) {
            ir_ref token = first_of_equals(cycles, f, ir_at(f, r)->token);
            changed |= token != ir_at(f, r)->token;
            ir_at(f, r)->token = token;
        }
    if (changed)
        opt_invalidate(c, f);
    return changed;
}

bool opt_drop_needless_hearts(struct opt_context *c, struct ir_function *f)
{
    bool changed = skip_needless_hearts(c, f);
    return drop_unused_hearts(c, f) || changed;
}

bool opt_split_scopes(struct opt_context *c, struct ir_function *f)
{
    const struct ir_cycles *cycles = opt_cycles(c, f);
    const struct ir_cfg *g = opt_cfg(c, f);
    u32_vec cuts = {0};
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        uint32_t last = IR_NO_BLOCK;
        ir_each_ins(r, f, g->rpo[i]) {
            if (!ir_at(f, r)->token && ir_at(f, r)->op != IR_anchor)
                continue;
            uint32_t scope = scope_behind(cycles, f, r);
            if (last != IR_NO_BLOCK && scope != last)
                vec_push(c->scratch, &cuts, r);
            last = scope;
        }
    }
    for (uint32_t i = cuts.count; i-- > 0;)
        opt_split_before(f, cuts.at[i]);
    if (cuts.count)
        opt_invalidate(c, f);
    return cuts.count;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

/* Nobody waits for threads that can't come to a ret any more: they stay in an endless loop, or a trap stops
 * all. */
static void pass_over_endless(struct reconverge *x)
{
    u32_vec returns = {0};
    for (uint32_t i = 0; i < x->g->rpo_count; i++)
        if (ir_at(x->f, ir_terminator(x->f, x->g->rpo[i]))->op == IR_ret)
            vec_push(x->arena, &returns, ir_order_node(x->o, x->g->rpo[i]));
    struct bitset ends = reach(x, &returns, UINT32_MAX, true);
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t b = x->g->rpo[i];
        const struct ir_block *block = ir_block_at(x->f, b);
        for (uint32_t e = 0; e < block->edges.count; e++)
            if (bitset_has(ends, ir_order_node(x->o, b)) &&
                !bitset_has(ends, ir_order_node(x->o, block->edges.at[e].block)))
                map_set(x->arena, &x->exits, ir_edge_key(b, block->edges.at[e].block), 1);
    }
}

static bool name_places(struct reconverge *x)
{
    bool changed = false;
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t b = x->g->rpo[i], node = x->waits->idom[ir_order_node(x->o, b)];
        struct ir_block *block = ir_block_at(x->f, b);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            bool breaks = is_exit(x, b, block->edges.at[e].block);
            changed |= block->edges.at[e].breaks != breaks;
            block->edges.at[e].breaks = breaks;
        }
        if (block->edges.count < 2)
            continue;
        uint32_t point = node == IR_NO_BLOCK          ? IR_AT_RETURN
                         : node < x->o->cycles->count ? x->o->first.at[node]
                                                      : ir_order_block(x->o, node);
        changed |= block->reconverge != point;
        block->reconverge = point;
    }
    return changed;
}

static void demand_all(struct reconverge *x)
{
    for (uint32_t i = 0; i < x->o->at.count; i++) {
        uint32_t node = x->o->at.at[i];
        if (may_be_demanded(x, node) && is_demanded(x, node)) {
            if (is_too_much(x, node))
                return;
            dispatch(x, node);
            i = position(x, node);
        }
        pass_by(x, node);
    }
}

bool opt_reconverge(struct opt_context *c, struct ir_function *f)
{
    struct reconverge x = {.c = c, .f = f, .arena = c->scratch};
    if (!opt_scheme_has(c, SCHEME_HOLDS))
        return false; /* who returns, and who comes to a barrier, has to be told apart: see converge */
    bool changed = opt_drop_needless_hearts(c, f);
    changed |= opt_split_scopes(c, f);
    if (!(f->flags & IR_FN_KERNEL) && opt_return_once(x.arena, opt_cfg(c, f), f)) {
        opt_invalidate(c, f); /* threads that called a function together return together */
        changed = true;
    }
    x.g = opt_cfg(c, f);
    x.divergent = bitset_new(x.arena, x.g->blocks); /* the runner's are gone when there are new blocks */
    bitset_copy(x.divergent, *opt_divergent_branches(c, f));
    x.o = ir_order_new(x.arena, x.g, ir_cycles_new(x.arena, x.g), opt_tokens(c, f),
                       c->options->limits[OPT_LIMIT_priority_work]);
    if (!x.o) {
        opt_error(c, f, "priority-work", f->at,
                  "'%s': operations of loops reach too far beyond them: limit of %u steps "
                  "(--limit=priority_work=N)",
                  f->name, c->options->limits[OPT_LIMIT_priority_work]);
        return changed;
    }
    x.virtual = arena_array(x.arena, uint32_t, x.o->cycles->count + 1);
    memset(x.virtual, 0xff, x.o->cycles->count * sizeof *x.virtual);
    pass_over_endless(&x);
    find_tail(&x);
    x.dominators = opt_dominators(c, f);
    x.waits = ir_reconvergence_tree(x.arena, x.g, x.o, &x.exits, x.virtual);
    demand_all(&x);
    changed |= name_places(&x);
    if (x.changed) {
        struct opt_demotion demotion = {.c = c, .f = f};
        opt_demote_broken(&demotion);
        opt_demote_finish(&demotion);
    }
    return changed || x.changed;
}
