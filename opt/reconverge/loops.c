/* loops.c: loops in normal form, for a machine whose stack names the branch that separated the lanes
 * (SCHEME_NORMAL_LOOPS; docs/warp-core.md, mode source-pc).
 *
 * Lanes that leave a loop wait in the stack entry of the branch by which they do. It is the top one again in
 * each iteration if there is one such branch, and if they wait at the block that it leads to. So of a cycle
 * where some divergent branch may run again before its lanes have reconverged, all edges that cross the latch
 * lead through one block before it, which goes to the header, or to one block behind the latch, the landing. A
 * cycle that is left by one edge from such a branch keeps it, and gets the landing alone.
 *
 * Edges that cross the latch lead to one place before it, as those of a dispatch block do: the proof of
 * docs/reconvergence.md holds. Time: for each branch of the cycle, what it leads to before its lanes
 * reconverge.
 */
#include "opt/reconverge/reconverge.h"

/* Whether threads of the branch may come to it again by the cycle's latch, before they have reconverged, if
 * they do at all. */
static bool goes_round(struct reconverge *x, uint32_t branch, uint32_t cycle)
{
    uint32_t node = ir_order_node(x->o, branch), reconverge = x->waits->idom[node], at = position(x, cycle);
    const struct rows *next = &x->graph.next;
    u32_vec from = {0};
    if (reconverge == IR_NO_BLOCK)
        return false;
    struct bitset stop = bitset_new(x->arena, reconverge + 1);
    bitset_add(stop, reconverge);
    rows_each(i, *next, node)
        if (next->at[i] != reconverge && position(x, next->at[i]) <= at)
            vec_push(x->arena, &from, next->at[i]);
    struct bitset met = reconverge_reach(x, &from, at + 1, next, stop);
    return bitset_has(met, cycle) && bitset_has(met, node);
}

/* The edge of the branch straight to the block behind the cycle where its threads reconverge, or the number of
 * its edges. */
static uint32_t straight_edge(const struct reconverge *x, uint32_t branch, uint32_t cycle)
{
    const struct ir_block *b = ir_block_at(x->f, branch);
    uint32_t e = 0, reconverge = x->waits->idom[ir_order_node(x->o, branch)];
    while (e < b->edges.count && ir_order_target(x->o, branch, b->edges.at[e].block) != reconverge)
        e++;
    return wait_position(x, branch) > position(x, cycle) ? e : b->edges.count;
}

/* Whether the edge's threads wait for others in a block of their own right behind the latch, to which no change
 * leads elsewhere. */
static bool lands(const struct reconverge *x, struct opt_edge e, uint32_t cycle)
{
    uint32_t to = opt_edge_target(x->f, e);
    return ir_pred_count(x->g, to) == 1 && ir_block_at(x->f, to)->params.count == 0 &&
           !reconverge_may_be_demanded(x, ir_order_node(x->o, to)) &&
           position_of_block(x, to) == position(x, cycle) + 1;
}

/* Nodes before the latch that threads come to from the cycle's entries. */
static struct bitset find_inside(struct reconverge *x, uint32_t cycle)
{
    const struct ir_cycle *k = &x->o->cycles->at[cycle];
    u32_vec entries = {0};
    for (uint32_t i = 0; i < k->entries.count; i++)
        vec_push(x->arena, &entries, ir_order_node(x->o, k->entries.at[i]));
    return reconverge_reach(x, &entries, position(x, cycle), &x->graph.next, NOWHERE);
}

/* How many edges of the node lead behind the latch. */
static uint32_t count_exits(const struct reconverge *x, uint32_t node, uint32_t cycle)
{
    uint32_t n = 0;
    rows_each(i, x->graph.next, node)
        n += position(x, x->graph.next.at[i]) > position(x, cycle);
    return n;
}

/* Whether threads go round the cycle without others by one branch at most, whose edge straight to where they
 * reconverge is the only way out. `exit`: that edge, if it lacks a landing; else its block is IR_NO_BLOCK. */
static bool is_normal(struct reconverge *x, uint32_t cycle, struct bitset inside, struct opt_edge *exit)
{
    uint32_t branch = IR_NO_BLOCK, exits = 0;
    *exit = (struct opt_edge){IR_NO_BLOCK, 0};
    bitset_each(node, inside) {
        uint32_t b = ir_order_block(x->o, node);
        if (b == IR_NO_BLOCK)
            continue;
        exits += count_exits(x, node, cycle);
        if (ir_block_at(x->f, b)->edges.count < 2 || !is_divergent(x, b) || !goes_round(x, b, cycle))
            continue;
        if (branch != IR_NO_BLOCK)
            return false;
        branch = b;
    }
    if (branch == IR_NO_BLOCK)
        return true;
    struct opt_edge e = {branch, straight_edge(x, branch, cycle)};
    if (ir_at(x->f, ir_terminator(x->f, branch))->op != IR_brif || e.edge == 2 || exits > 1)
        return false;
    if (!lands(x, e, cycle))
        *exit = e;
    return true;
}

/* The blocks from `first` on, the landing and tests behind it, come to stand right behind the latch, before
 * what stood there. */
static void place_landing(struct reconverge *x, uint32_t first, uint32_t behind)
{
    ir_block_at(x->f, first)->name = intern_z(&x->f->module->strings, "landing");
    for (uint32_t b = first; b < x->f->blocks.count; b++)
        ir_order_insert(x->o, b, behind);
}

static void land(struct reconverge *x, struct opt_edge exit, uint32_t cycle)
{
    uint32_t behind = x->o->at.at[position(x, cycle) + 1];
    place_landing(x, ir_edge_split(x->f, exit.block, exit.edge), behind);
    opt_count(x->c, "landings", 1);
}

/* Block d, to which all paths lead that go round the cycle or leave it, goes to the header, or on to a landing,
 * behind which tests tell where else d went. */
static void leave_by_one(struct reconverge *x, uint32_t d, uint32_t cycle)
{
    uint32_t behind = x->o->at.at[position(x, cycle) + 1], landing = x->f->blocks.count, h = 0;
    struct ir_edge *edges = ir_block_at(x->f, d)->edges.at;
    uint32_t count = ir_block_at(x->f, d)->edges.count;
    if (count == 1)
        return; /* nobody leaves it */
    while (edges[h].block != x->o->first.at[cycle])
        h++;
    if (count == 2) {
        ir_edge_split(x->f, d, !h);
    } else {
        struct ir_edge first = edges[1]; /* in place of the header's, which is to be asked for first */
        edges[1] = edges[h];
        edges[h] = first;
        edges[0].value = 0; /* what is left */
        opt_switch_to_tests(x->f, d);
        for (uint32_t b = landing; b < x->f->blocks.count; b++)
            ir_block_at(x->f, b)->overhead = true;
    }
    place_landing(x, landing, behind);
}

/* Where some divergent branch waits nowhere, parts from which no way leads on may be the reason. */
static void leave_out_ends(struct reconverge *x, uint32_t cycle, struct bitset inside)
{
    uint32_t at = position(x, cycle);
    bool nowhere = false;
    bitset_each(node, inside) {
        uint32_t b = ir_order_block(x->o, node);
        nowhere |= b != IR_NO_BLOCK && is_divergent(x, b) && x->waits->idom[node] == IR_NO_BLOCK;
    }
    if (!nowhere || !reconverge_add_exits(x, inside, reconverge_find_live(x, at), at))
        return;
    reconverge_look(x);
    reconverge_normalise_before(x, cycle);
}

void reconverge_normalise(struct reconverge *x, uint32_t cycle)
{
    struct opt_edge exit;
    leave_out_ends(x, cycle, find_inside(x, cycle));
    struct bitset inside = find_inside(x, cycle);
    bool normal = is_normal(x, cycle, inside, &exit);
    if (normal && exit.block != IR_NO_BLOCK) {
        land(x, exit, cycle);
        reconverge_look(x);
    }
    if (normal)
        return;
    uint32_t at = position(x, cycle);
    struct bitset live = reconverge_find_live(x, at);
    reconverge_add_exits(x, inside, live, at);
    opt_edges edges = reconverge_edges_to_merge(x, inside, cycle);
    place line = ir_at(x->f, ir_terminator(x->f, x->o->first.at[cycle]))->at;
    opt_remark(x->c, x->f, OPT_APPLIED, "one-exit", line, "loop left by one branch: %u edges merged",
               edges.count);
    leave_by_one(x, reconverge_merge(x, cycle, &edges, inside, line), cycle);
    reconverge_look(x);
}

void reconverge_normalise_before(struct reconverge *x, uint32_t node)
{
    for (uint32_t i = 0; opt_scheme_has(x->c, SCHEME_NORMAL_LOOPS) && i < position(x, node); i++) {
        uint32_t latch = x->o->at.at[i];
        if (ir_order_block(x->o, latch) != IR_NO_BLOCK)
            continue;
        reconverge_normalise(x, latch);
        i = position(x, latch);
    }
}
