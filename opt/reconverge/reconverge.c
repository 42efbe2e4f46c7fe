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
#include "opt/reconverge/reconverge.h"

#include "opt/kit/demote.h"

/* ---- the graph ---------------------------------------------------------------------------------------- */

/* A node that is newer than the set, and may be in it. */
static bool may_be_in(struct bitset set, uint32_t node)
{
    return node >= set.bits || bitset_has(set, node);
}

static void find_graph(struct reconverge *x)
{
    x->graph = ir_order_graph_new(x->arena, x->g, x->o, &x->exits);
}

static void find_tree(struct reconverge *x)
{
    find_graph(x);
    x->waits = ir_reconvergence_tree(x->arena, x->o, &x->graph, x->virtual);
}

/* A node that is newer is in no set. */
static bool is_in(struct bitset set, uint32_t node)
{
    return node < set.bits && bitset_has(set, node);
}

struct bitset reconverge_reach(struct reconverge *x, const u32_vec *from, uint32_t limit,
                               const struct rows *by, struct bitset stop)
{
    struct walk w = walk_new(x->arena, by->count);
    for (uint32_t i = 0; i < from->count; i++)
        walk_add(&w, from->at[i]);
    walk_each(node, &w) {
        x->work += row_length(by, node) + 1;
        rows_each(i, *by, node)
            if (!is_in(stop, by->at[i]) && position(x, by->at[i]) < limit)
                walk_add(&w, by->at[i]);
    }
    return w.seen;
}

/* ---- which nodes are demanded -------------------------------------------------------------------------- */

bool reconverge_may_be_demanded(const struct reconverge *x, uint32_t node)
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

/* Nodes that lead to such a one: from a latch to its header. */
static void find_leading(struct reconverge *x)
{
    u32_vec from = {0};
    for (uint32_t i = 0; i < x->o->at.count; i++)
        if (reconverge_may_be_demanded(x, x->o->at.at[i]))
            vec_push(x->arena, &from, x->o->at.at[i]);
    x->leading = reconverge_reach(x, &from, UINT32_MAX, &x->graph.before, NOWHERE);
}

/* From where on branches matter for the node: from the start of the innermost scope that all threads enter by
 * one block. For those that come to a natural loop by two paths its header is a node of its own; the group of
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

/* What dominance says of how many sides of branch b lead to block j: 1, 2 (or more), or 0: it can't tell. */
static unsigned sides_by_dominance(const struct reconverge *x, uint32_t b, uint32_t j)
{
    const struct ir_order *o = x->o;
    if (j == IR_NO_BLOCK || !ir_dominates(x->dominators, b, j))
        return 0;
    for (uint32_t k = o->scope.at[b]; k != o->scopes && !ir_scope_lies_in(o, o->scope.at[j], k);
         k = o->around[k])
        if (k < o->cycles->count)
            return 0; /* threads may come to b again */
    /* All come to j by s. Whether they come there, the first time, from b alone: */
    uint32_t s = ir_dominators_below(x->dominators, b, j);
    ir_each_pred(p, s, x->g)
        if (p != b && bitset_has(x->g->reachable, p) && !ir_dominates(x->dominators, s, p))
            return 2;
    return 1;
}

/* How many sides of branch b lead to the node at a position, 0, 1 or 2 (or more). `to`: that node and those
 * before it that do; or NULL: then how many may, by the order alone. */
static unsigned count_sides(const struct reconverge *x, uint32_t b, uint32_t at, const struct bitset *to)
{
    const struct rows *next = &x->graph.next;
    uint32_t first = IR_NO_BLOCK;
    rows_each(i, *next, ir_order_node(x->o, b)) {
        uint32_t node = next->at[i];
        bool leads = to ? bitset_has(*to, node) : position(x, node) <= at && may_be_in(x->leading, node);
        if (leads && first != IR_NO_BLOCK && node != first)
            return 2;
        if (leads)
            first = node;
    }
    return first != IR_NO_BLOCK;
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
        bool only_one_returns =
            may_be_in(x->returning, ir_order_node(x->o, b)) && !may_be_in(x->returning, node);
        if (only_one_returns || position_of_block(x, b) < from || count_sides(x, b, at, NULL) < 2)
            continue;
        unsigned sides = x->meetings.bits ? 0 : sides_by_dominance(x, b, ir_order_block(x->o, node));
        if (!sides) {
            if (!to.words)
                to = reconverge_reach(x, &(u32_vec){.at = &node, .count = 1}, at, &x->graph.before,
                                      x->meetings);
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

void reconverge_look(struct reconverge *x)
{
    opt_invalidate(x->c, x->f);
    x->g = opt_cfg(x->c, x->f);
    x->dominators = opt_dominators(x->c, x->f);
    find_tree(x);
    x->work += x->o->at.count;
    vec_clear(&x->active);
    for (uint32_t i = 0; i < position(x, x->node); i++)
        pass_by(x, x->o->at.at[i]);
}

/* ---- dispatch ------------------------------------------------------------------------------------------ */

/* Where ways end: who is held at a barrier has left the others. */
static struct bitset ends(const struct reconverge *x)
{
    return opt_scheme_has(x->c, SCHEME_HOLDS) ? x->meetings : NOWHERE;
}

/* Nodes before the one at `at` that are reached from the demanding branches. */
static struct bitset find_reached(struct reconverge *x, uint32_t at)
{
    u32_vec from = {0};
    for (uint32_t i = 0; i < x->demanding.count; i++)
        vec_push(x->arena, &from, ir_order_node(x->o, x->demanding.at[i]));
    return reconverge_reach(x, &from, at, &x->graph.next, ends(x));
}

/* Whether some edge of the node crosses the place, or leads to the set. */
static bool crosses(const struct reconverge *x, uint32_t node, uint32_t at, struct bitset live)
{
    const struct rows *next = &x->graph.next;
    rows_each(i, *next, node)
        if (position(x, next->at[i]) >= at || is_in(live, next->at[i]))
            return true;
    return false;
}

struct bitset reconverge_find_live(struct reconverge *x, uint32_t at)
{
    u32_vec from = {0};
    for (uint32_t i = 0; i < at; i++) {
        uint32_t node = x->o->at.at[i];
        if (ir_order_block(x->o, node) != IR_NO_BLOCK && !is_in(ends(x), node) &&
            crosses(x, node, at, NOWHERE))
            vec_push(x->arena, &from, node);
    }
    return reconverge_reach(x, &from, at, &x->graph.before, ends(x));
}

bool reconverge_add_exits(struct reconverge *x, struct bitset reached, struct bitset live, uint32_t at)
{
    const struct ir_order *o = x->o;
    bool added = false;
    for (uint32_t i = 0; i < at; i++) {
        uint32_t node = o->at.at[i], b = ir_order_block(o, node);
        if (b == IR_NO_BLOCK || !bitset_has(reached, node) || !crosses(x, node, at, live))
            continue;
        ir_each_succ(v, b, x->f) {
            uint32_t target = ir_order_target(o, b, v);
            if (position(x, target) >= at || bitset_has(live, target) || is_exit(x, b, v))
                continue;
            map_set(x->arena, &x->exits, ir_edge_key(b, v), 1);
            added = true;
        }
    }
    return added;
}

opt_edges reconverge_edges_to_merge(const struct reconverge *x, struct bitset reached, uint32_t node)
{
    const struct ir_order *o = x->o;
    uint32_t at = position(x, node);
    opt_edges edges = {0};
    for (uint32_t i = 0; i < at; i++) {
        uint32_t u = o->at.at[i], b = ir_order_block(o, u);
        if (b == IR_NO_BLOCK)
            continue;
        ir_each_succ(v, b, x->f) {
            uint32_t target = ir_order_target(o, b, v);
            bool crosses = position(x, target) >= at && (target == node || bitset_has(reached, u));
            if (crosses && !is_exit(x, b, v))
                vec_push(x->arena, &edges, ((struct opt_edge){b, v_at}));
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
static bool is_too_much(struct reconverge *x, uint32_t node)
{
    const struct ir_ins *user = user_of(x, node);
    bool limited = !opt_below(x->c, x->f, OPT_LIMIT_converge_work, x->work);
    x->gives_up = limited || !opt_ssa_possible(x->c, x->f);
    if (!x->gives_up)
        return false;
    const char *what =
        arena_printf(x->arena, "not all threads of '%s' may come together: control flow too large to merge",
                     ir_op_info[user->op].text);
    if (limited)
        opt_warn_limit(x->c, x->f, OPT_LIMIT_converge_work, user->at, what);
    else
        opt_warning(x->c, x->f, DIAG_GROUP_convergence, user->at, "%s", what);
    return true;
}

/* Edges of one switch to dispatch block d bring different arguments: they are one side of it. */
static void unify_switches(struct reconverge *x, const opt_edges *edges, uint32_t d)
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

uint32_t reconverge_merge(struct reconverge *x, uint32_t node, const opt_edges *edges, struct bitset reached,
                          place at)
{
    uint32_t d = opt_merge_edges(x->arena, x->f, edges, at);
    ir_block_at(x->f, d)->overhead = true;
    x->changed = true;
    opt_count(x->c, "edges merged", edges->count);
    for (uint32_t k = 0; k < x->o->cycles->count; k++)
        if (bitset_has(reached, k) && x->virtual[k] == IR_NO_BLOCK)
            x->virtual[k] = ir_order_node(x->o, d);
    ir_order_insert(x->o, d, node);
    unify_switches(x, edges, d);
    return d;
}

static void dispatch(struct reconverge *x, uint32_t node)
{
    uint32_t at = position(x, node);
    struct bitset reached = find_reached(x, at), live = reconverge_find_live(x, at);
    if (reconverge_add_exits(x, reached, live, at)) {
        reconverge_look(x);
        reconverge_normalise_before(x, node);
        if (!is_demanded(x, node))
            return;
        at = position(x, node);
        reached = find_reached(x, at);
    }
    opt_edges edges = reconverge_edges_to_merge(x, reached, node);
    place branch = ir_at(x->f, ir_terminator(x->f, x->demanding.at[0]))->at;
    const struct ir_ins *user = user_of(x, node);
    opt_remark(x->c, x->f, OPT_APPLIED, "merged", user->at,
               "%u edges merged, so that the threads that diverge at line %u reconverge at '%s'", edges.count,
               branch.line, ir_op_info[user->op].text);
    reconverge_merge(x, node, &edges, reached, branch);
    reconverge_look(x);
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static u32_vec returning_nodes(const struct reconverge *x)
{
    u32_vec rets = {0};
    for (uint32_t i = 0; i < x->g->rpo_count; i++)
        if (ir_at(x->f, ir_terminator(x->f, x->g->rpo[i]))->op == IR_ret)
            vec_push(x->arena, &rets, ir_order_node(x->o, x->g->rpo[i]));
    return rets;
}

/* Nobody waits for threads that can't come to a ret any more: they stay in an endless loop, or a trap stops
 * all. */
static void pass_over_endless(struct reconverge *x)
{
    u32_vec rets = returning_nodes(x);
    x->returning = reconverge_reach(x, &rets, UINT32_MAX, &x->graph.before, NOWHERE);
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t b = x->g->rpo[i];
        ir_each_succ(s, b, x->f)
            if (may_be_in(x->returning, ir_order_node(x->o, b)) &&
                !may_be_in(x->returning, ir_order_node(x->o, s)))
                map_set(x->arena, &x->exits, ir_edge_key(b, s), 1);
    }
}

/* The block where the threads of the branch wait for each other; IR_NO_BLOCK: nowhere before they return. */
static uint32_t point_of(const struct reconverge *x, uint32_t b)
{
    uint32_t node = x->waits->idom[ir_order_node(x->o, b)];
    if (node == IR_NO_BLOCK)
        return node;
    return node < x->o->cycles->count ? x->o->first.at[node] : ir_order_block(x->o, node);
}

static void name_places(struct reconverge *x)
{
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t b = x->g->rpo[i], point = point_of(x, b);
        struct ir_block *block = ir_block_at(x->f, b);
        for (uint32_t e = 0; e < block->edges.count; e++)
            block->edges.at[e].breaks = is_exit(x, b, block->edges.at[e].block);
        if (block->edges.count > 1)
            block->reconverge = point == IR_NO_BLOCK ? IR_AT_RETURN : point;
    }
}

static void demand_all(struct reconverge *x)
{
    for (uint32_t i = 0; i < x->o->at.count; i++) {
        uint32_t node = x->node = x->o->at.at[i];
        bool latch = ir_order_block(x->o, node) == IR_NO_BLOCK;
        if (latch && opt_scheme_has(x->c, SCHEME_NORMAL_LOOPS)) {
            if (is_too_much(x, node))
                return;
            reconverge_normalise(x, node);
            i = position(x, node);
        } else if (reconverge_may_be_demanded(x, node) && is_demanded(x, node)) {
            if (is_too_much(x, node))
                return;
            dispatch(x, node);
            i = position(x, node);
        }
        pass_by(x, node);
    }
}

bool opt_forget_places(struct opt_context *c, struct ir_function *f)
{
    bool changed = false;
    ir_each_block(i, b, f) {
        struct ir_block *block = ir_block_at(f, b);
        changed |= block->reconverge != IR_NO_BLOCK;
        block->reconverge = IR_NO_BLOCK;
        for (uint32_t e = 0; e < block->edges.count; e++) {
            changed |= block->edges.at[e].breaks;
            block->edges.at[e].breaks = false;
        }
    }
    if (changed)
        opt_invalidate(c, f);
    return changed;
}

/* All threads meet at a barrier: who has come by one need not be gathered with others behind it. */
static void find_meetings(struct reconverge *x)
{
    if (bitset_next(x->o->barriers, 0) >= x->o->barriers.bits)
        return;
    x->meetings = bitset_new(x->arena, ir_order_node(x->o, x->g->blocks));
    bitset_each(b, x->o->barriers)
        bitset_add(x->meetings, ir_order_node(x->o, b));
}

/* Of edges that broke before, those from which all paths end at barriers still do where groups are held: they
 * are there for the sake of operations that have their dispatch block by now. */
static void keep_exits_to_barriers(struct reconverge *x)
{
    u32_vec rets = returning_nodes(x);
    struct bitset free = reconverge_reach(x, &rets, UINT32_MAX, &x->graph.before, ends(x));
    for (uint32_t i = 0; i < x->g->rpo_count && x->broken.count && ends(x).bits; i++) {
        uint32_t b = x->g->rpo[i];
        ir_each_succ(s, b, x->f)
            if (map_get(&x->broken, ir_edge_key(b, s)) != MAP_NONE &&
                !bitset_has(free, ir_order_target(x->o, b, s)))
                map_set(x->arena, &x->exits, ir_edge_key(b, s), 1);
    }
}

/* Edges that nobody waits for whatever is demanded. */
static void find_first_exits(struct reconverge *x)
{
    x->exits = (struct map){0};
    find_graph(x);
    pass_over_endless(x);
    find_graph(x);
    keep_exits_to_barriers(x);
}

/* By block; blocks at whose branch threads diverge. */
static const uint32_t *points_of_all(const struct reconverge *x)
{
    uint32_t *points = arena_array(x->arena, uint32_t, x->g->blocks);
    for (uint32_t i = 0; i < x->g->rpo_count; i++)
        points[x->g->rpo[i]] = point_of(x, x->g->rpo[i]);
    return points;
}

static struct bitset divergent_blocks(const struct reconverge *x)
{
    struct bitset divergent = bitset_new(x->arena, x->g->blocks);
    for (uint32_t i = 0; i < x->g->rpo_count; i++)
        if (ir_block_at(x->f, x->g->rpo[i])->edges.count > 1 && is_divergent(x, x->g->rpo[i]))
            bitset_add(divergent, x->g->rpo[i]);
    return divergent;
}

/* Anew, with what that leaves: edges by which threads leave those who come to a barrier, but for those that
 * make threads of divergent branches miss each other. */
static void leave_out_edges(struct reconverge *x, struct bitset divergent, const uint32_t *points)
{
    find_first_exits(x);
    ir_pass_over_barriers(x->arena, x->g, *opt_waiting_functions(x->c, x->f->module), divergent, points,
                          &x->exits);
    find_tree(x);
}

/* Of a machine that can't hold a group at a barrier: nobody waits for threads that leave those who come to one.
 * First all such edges count; then fewer, until none makes threads miss each other. Returns whether all do. */
static bool pass_over_barriers(struct reconverge *x)
{
    uint32_t others = x->exits.count, before;
    leave_out_edges(x, (struct bitset){0}, NULL);
    uint32_t all = x->exits.count;
    do {
        before = x->exits.count;
        if (before > others)
            leave_out_edges(x, divergent_blocks(x), points_of_all(x));
    } while (x->exits.count < before);
    return x->exits.count == all;
}

/* What is known of the function before anything is changed. False: a limit, which then has been said. */
static bool begin(struct reconverge *x)
{
    struct opt_context *c = x->c;
    struct ir_function *f = x->f;
    x->divergent =
        bitset_new(x->arena, f->blocks.count); /* the runner drops its own when there are new blocks */
    bitset_copy(x->divergent, *opt_divergent_branches(c, f));
    ir_each_block(i, b, f)
        ir_each_succ(s, b, f)
            if (ir_block_at(f, b)->edges.at[s_at].breaks)
                map_set(x->arena, &x->broken, ir_edge_key(b, s), 1);
    opt_forget_places(c, f);
    x->g = opt_cfg(c, f);
    x->o = ir_order_new(x->arena, x->g, ir_cycles_new(x->arena, x->g), opt_tokens(c, f), NULL,
                        c->options->limits[OPT_LIMIT_priority_work]);
    if (!x->o) {
        opt_error(c, f, "priority-work", f->at,
                  "'%s': operations of loops reach too far beyond them: limit of %u steps "
                  "(--limit=priority_work=N)",
                  f->name, c->options->limits[OPT_LIMIT_priority_work]);
        return false;
    }
    x->virtual = arena_array(x->arena, uint32_t, x->o->cycles->count + 1);
    memset(x->virtual, 0xff, x->o->cycles->count * sizeof *x->virtual);
    find_meetings(x);
    find_first_exits(x);
    x->dominators = opt_dominators(c, f);
    if (opt_scheme_has(c, SCHEME_HOLDS))
        find_tree(x);
    else
        x->diverges_at_barriers = !pass_over_barriers(x);
    return true;
}

/* True: the graph has changed, and what was known of values with it. `work`: of the rounds before, and of
 * this. */
static bool run_round(struct opt_context *c, struct ir_function *f, uint64_t *work)
{
    struct reconverge x = {.c = c, .f = f, .arena = c->scratch, .work = *work};
    if (!begin(&x))
        return false;
    find_leading(&x);
    demand_all(&x);
    name_places(&x);
    *work = x.work;
    if (x.changed) {
        struct opt_demotion demotion = {.c = c, .f = f};
        opt_demote_broken(&demotion);
        opt_demote_finish(&demotion);
    }
    return x.changed && !x.gives_up;
}

bool reconverge_diverges_at_barriers(struct opt_context *c, struct ir_function *f)
{
    struct reconverge x = {.c = c, .f = f, .arena = c->scratch};
    opt_drop_needless_hearts(c, f);
    opt_split_scopes(c, f);
    return begin(&x) && (x.diverges_at_barriers ||
                         ir_end_before_barriers(x.arena, x.g, *opt_waiting_functions(c, f->module),
                                                divergent_blocks(&x), points_of_all(&x)));
}

/* One round is all but for machines that ask for loops in normal form. There, threads that were led together
 * may diverge at branches where they did not. So rounds go on until nothing changes: each brings some loop into
 * that form, and converge_work bounds the work of all. */
bool opt_reconverge(struct opt_context *c, struct ir_function *f)
{
    uint64_t work = 0;
    opt_drop_needless_hearts(c, f);
    opt_split_scopes(c, f);
    bool is_kernel = f->flags & IR_FN_KERNEL; /* threads that called a function together return so */
    if (!is_kernel && opt_return_once(c->scratch, opt_cfg(c, f), f))
        opt_invalidate(c, f);
    if (!opt_scheme_has(c, SCHEME_HOLDS))
        opt_forget_places(c, f);
    bool rounds = opt_scheme_has(c, SCHEME_NORMAL_LOOPS);
    uint32_t left = opt_cycles(c, f)->count + 2;
    bool again = run_round(c, f, &work) || rounds;
    while (again && rounds && left--) {
        opt_invalidate(c, f);
        again = run_round(c, f, &work);
    }
    if (again && rounds)
        opt_remark(c, f, OPT_MISSED, "rounds", f->at, "merging edges does not come to an end");
    return true;
}
