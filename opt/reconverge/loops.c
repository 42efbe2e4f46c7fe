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
    u32_vec next = {0}, from = {0};
    if (reconverge == IR_NO_BLOCK)
        return false;
    struct bitset stop = bitset_new(x->arena, reconverge + 1);
    bitset_add(stop, reconverge);
    reconverge_add_successors(x, node, &next);
    for (uint32_t i = 0; i < next.count; i++)
        if (next.at[i] != reconverge && position(x, next.at[i]) <= at)
            vec_push(x->arena, &from, next.at[i]);
    struct bitset met = reconverge_reach(x, &from, at + 1, false, stop);
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
    return reconverge_reach(x, &entries, position(x, cycle), false, NOWHERE);
}

/* How many edges of the block lead behind the latch. */
static uint32_t count_exits(const struct reconverge *x, uint32_t b, uint32_t cycle)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    uint32_t n = 0;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t v = block->edges.at[e].block;
        n += !is_exit(x, b, v) && position(x, ir_order_target(x->o, b, v)) > position(x, cycle);
    }
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
        exits += count_exits(x, b, cycle);
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

static void land(struct reconverge *x, struct opt_edge exit, uint32_t cycle)
{
    uint32_t behind = x->o->at.at[position(x, cycle) + 1];
    uint32_t landing = ir_edge_split(x->f, exit.block, exit.edge);
    ir_block_at(x->f, landing)->name = intern_z(&x->f->module->strings, "landing");
    opt_count(x->c, "landings", 1);
    ir_order_insert(x->o, landing, behind);
}

/* Ends the block with a branch to the target of edge `yes` if the value is the edge's number, else to block
 * `no`. */
static void emit_test(struct ir_function *f, struct ir_cursor *c, ir_ref value, const struct ir_edge *yes,
                      uint32_t no)
{
    ir_ref equal = ir_emit2(c, IR_eq, IR_TYPE_I1, value, ir_const_i32(f, (uint32_t)yes->value));
    ir_emit_brif(c, equal, yes->block, no);
    ir_block_at(f, c->block)->edges.at[0] = *yes;
    ir_block_at(f, c->block)->edges.at[0].value = 0;
}

/* Block d, to which all paths lead that go round the cycle or leave it, goes to the header, or on to a block
 * behind the latch that goes where else d went. */
static void leave_by_one(struct reconverge *x, uint32_t d, uint32_t cycle)
{
    struct ir_function *f = x->f;
    uint32_t header = x->o->first.at[cycle], h = 0, out;
    uint32_t behind = x->o->at.at[position(x, cycle) + 1], count = ir_block_at(f, d)->edges.count;
    struct ir_edge *edges = arena_array(x->arena, struct ir_edge, count);
    memcpy(edges, ir_block_at(f, d)->edges.at, count * sizeof *edges);
    while (edges[h].block != header)
        h++;
    if (count == 1)
        return; /* nobody leaves it */
    if (count == 2) {
        out = ir_edge_split(f, d, !h);
    } else {
        ir_ref end = ir_terminator(f, d), to = ir_at(f, end)->args[0];
        struct ir_cursor c = {.fn = f, .block = d, .at = ir_at(f, end)->at};
        ir_remove(f, end);
        ir_block_at(f, d)->edges.count = 0;
        out = ir_block_new(f, NULL);
        ir_block_at(f, out)->overhead = true;
        edges[0].value = 0;
        emit_test(f, &c, to, &edges[h], out);
        edges[h] = edges[--count];
        c.block = out;
        if (count == 2) {
            emit_test(f, &c, to, &edges[1], edges[0].block);
            ir_block_at(f, out)->edges.at[1] = edges[0];
        } else {
            ir_emit_switch(&c, to, edges[0].block);
            ir_block_at(f, out)->edges.at[0] = edges[0];
            ir_block_at(f, out)->edges.at[0].value = 0;
            for (uint32_t e = 1; e < count; e++)
                *ir_edge_add(f, out, edges[e].block, edges[e].value) = edges[e];
        }
    }
    ir_block_at(f, out)->name = intern_z(&f->module->strings, "landing");
    ir_order_insert(x->o, out, behind);
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
    reconverge_find_active(x, cycle);
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
        reconverge_find_active(x, cycle);
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
    reconverge_find_active(x, cycle);
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
