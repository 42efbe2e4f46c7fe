/* post_dominators.c: post-dominator trees: dominators (dominators.c) against the edges, from a virtual exit;
 * and control dependence, which they give.
 *
 * Every ret and trap leads to the exit. Threads in an endless part of the graph never come there; a block of
 * the part is taken for its end: the last block that leads back to the header, behind which nothing of an
 * iteration is left. The choice is free, since no thread can tell; but branches reconverge before that block.
 */
#include "ir/analysis/dominators.h"

/* The graph against its edges; if `without_breaks`, without those that break. */
struct backward {
    struct arena *arena;
    const struct ir_cfg *c;
    bool without_breaks;
};

static bool is_left_out(const struct backward *x, uint32_t from, uint32_t edge)
{
    return x->without_breaks && ir_block_at(x->c->fn, from)->edges.at[edge].breaks;
}

/* Visits the block and what leads to it. */
static void reach_back(const struct backward *x, struct walk *w, uint32_t b)
{
    walk_add(w, b);
    walk_each(at, w)
        ir_each_pred(p, at, x->c)
            if (bitset_has(x->c->reachable, p) && !is_left_out(x, p, x->c->pred_edges[p_at]))
                walk_add(w, p);
}

/* Finds where threads go round that never come to an exit. */
struct endless {
    const struct backward *x;
    struct walk to_exit; /* over blocks that lead to a known exit; `seen` has those that do not count, too */
    struct walk reached, cycle; /* what a block leads to, and those of them that lead back to it */
};

/* Blocks that b leads to and that lead to no exit. */
static void find_reached(struct endless *n, uint32_t b)
{
    walk_restart(&n->reached);
    walk_add(&n->reached, b);
    walk_each(at, &n->reached) {
        const struct ir_block *block = ir_block_at(n->x->c->fn, at);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t to = block->edges.at[e].block;
            if (!bitset_has(n->to_exit.seen, to) && !is_left_out(n->x, at, e))
                walk_add(&n->reached, to);
        }
    }
}

/* Those of them that lead to b again. Returns the first in reverse post-order: the cycle's header. */
static uint32_t find_cycle(struct endless *n, uint32_t b)
{
    const struct ir_cfg *c = n->x->c;
    uint32_t header = b;
    walk_restart(&n->cycle);
    walk_add(&n->cycle, b);
    walk_each(at, &n->cycle) {
        header = c->rpo_index[at] < c->rpo_index[header] ? at : header;
        ir_each_pred(p, at, c)
            if (bitset_has(n->reached.seen, p) && !is_left_out(n->x, p, c->pred_edges[p_at]))
                walk_add(&n->cycle, p);
    }
    return header;
}

/* The last block in reverse post-order that leads back to the header; IR_NO_BLOCK: none does. */
static uint32_t last_back(const struct endless *n, uint32_t header)
{
    const struct ir_cfg *c = n->x->c;
    uint32_t last = IR_NO_BLOCK;
    ir_each_pred(p, header, c)
        if (bitset_has(n->cycle.seen, p) && !is_left_out(n->x, p, c->pred_edges[p_at]) &&
            (last == IR_NO_BLOCK || c->rpo_index[p] > c->rpo_index[last]))
            last = p;
    return last;
}

/* The end of an endless part that b leads to: it is in the outermost cycle there, which no way leads out of.
 * (Of a cycle inside, or one before, threads could leave.) */
static uint32_t end_of_endless(struct endless *n, uint32_t b)
{
    uint32_t header, out = b;
    do {
        b = out;
        find_reached(n, b);
        header = find_cycle(n, b);
        out = IR_NO_BLOCK;
        for (uint32_t i = 0; i < n->reached.list.count; i++)
            out = bitset_has(n->cycle.seen, n->reached.list.at[i]) ? out : n->reached.list.at[i];
    } while (out != IR_NO_BLOCK);
    uint32_t end = last_back(n, header);
    return end == IR_NO_BLOCK ? b : end;
}

static struct endless endless_new(const struct backward *x)
{
    uint32_t n = x->c->blocks;
    return (struct endless){x, walk_new(x->arena, n), walk_new(x->arena, n), walk_new(x->arena, n)};
}

/* Real exits first, then one block for each endless part. */
static u32_vec exits_of(const struct backward *x)
{
    u32_vec exits = {0};
    struct endless n = endless_new(x);
    for (int endless = 0; endless < 2; endless++) {
        for (uint32_t i = x->c->rpo_count; i-- > 0;) {
            uint32_t b = x->c->rpo[i];
            if (bitset_has(n.to_exit.seen, b) || (!endless && ir_block_at(x->c->fn, b)->edges.count))
                continue;
            uint32_t end = endless ? end_of_endless(&n, b) : b;
            vec_push(x->arena, &exits, end);
            reach_back(x, &n.to_exit, end);
        }
    }
    return exits;
}

u32_vec ir_exits(struct arena *a, const struct ir_cfg *c)
{
    return exits_of(&(struct backward){a, c, false});
}

/* The predecessors of reachable blocks, with the exits as the row of node `blocks`. */
static struct dominator_links backward_rows(const struct backward *x, u32_vec exits)
{
    const struct ir_cfg *c = x->c;
    struct dominator_links r = {arena_array(x->arena, uint32_t, c->blocks + 2),
                                arena_array(x->arena, uint32_t, c->pred_start[c->blocks] + exits.count)};
    uint32_t total = 0;
    for (uint32_t b = 0; b < c->blocks; b++) {
        r.start[b] = total;
        ir_each_pred(p, b, c)
            if (bitset_has(c->reachable, p) && !is_left_out(x, p, c->pred_edges[p_at]))
                r.to[total++] = p;
    }
    r.start[c->blocks] = total;
    for (uint32_t i = 0; i < exits.count; i++)
        r.to[total++] = exits.at[i];
    r.start[c->blocks + 1] = total;
    return r;
}

/* The successors of blocks, with the edges to the exit (node `blocks`) added. */
static struct dominator_links forward_rows_with_exit(const struct backward *x, u32_vec exits)
{
    const struct ir_cfg *c = x->c;
    struct dominator_links plain = dominator_successors(x->arena, c);
    struct dominator_links r = {arena_array(x->arena, uint32_t, c->blocks + 2),
                                arena_array(x->arena, uint32_t, plain.start[c->blocks] + exits.count)};
    struct bitset leaves = bitset_new(x->arena, c->blocks);
    uint32_t total = 0;
    for (uint32_t i = 0; i < exits.count; i++)
        bitset_add(leaves, exits.at[i]);
    for (uint32_t b = 0; b < c->blocks; b++) {
        r.start[b] = total;
        for (uint32_t e = plain.start[b]; e < plain.start[b + 1]; e++)
            if (!is_left_out(x, b, e - plain.start[b]))
                r.to[total++] = plain.to[e];
        if (bitset_has(leaves, b))
            r.to[total++] = c->blocks;
    }
    r.start[c->blocks] = r.start[c->blocks + 1] = total;
    return r;
}

static struct ir_dominators *dominators_from_exits(const struct backward *x, u32_vec exits)
{
    struct dominator_graph g = {x->c->blocks + 1, x->c->blocks, backward_rows(x, exits),
                                forward_rows_with_exit(x, exits)};
    return dominator_tree(x->arena, &g, x->c->blocks);
}

struct ir_dominators *ir_post_dominators_new(struct arena *a, const struct ir_cfg *c)
{
    struct backward x = {a, c, false};
    return dominators_from_exits(&x, exits_of(&x));
}

struct ir_dominators *ir_reconvergence_new(struct arena *a, const struct ir_cfg *c)
{
    struct backward x = {a, c, true};
    return dominators_from_exits(&x, exits_of(&x));
}

/* Parts that are endless only without edges that break have an end, as above: threads do leave them. */
struct ir_dominators *ir_return_post_dominators_new(struct arena *a, const struct ir_cfg *c)
{
    struct backward x = {a, c, true}, whole = {a, c, false};
    struct walk returning = walk_new(a, c->blocks);
    struct endless n = endless_new(&x);
    u32_vec exits = {0};
    for (uint32_t i = c->rpo_count; i-- > 0;)
        if (ir_at(c->fn, ir_terminator(c->fn, c->rpo[i]))->op == IR_ret) {
            vec_push(a, &exits, c->rpo[i]);
            reach_back(&x, &n.to_exit, c->rpo[i]);
            reach_back(&whole, &returning, c->rpo[i]);
        }
    for (uint32_t i = 0; i < c->rpo_count; i++)
        if (!bitset_has(returning.seen, c->rpo[i]))
            bitset_add(n.to_exit.seen, c->rpo[i]);
    for (uint32_t i = c->rpo_count; i-- > 0;) {
        uint32_t b = c->rpo[i];
        if (bitset_has(n.to_exit.seen, b))
            continue;
        uint32_t end = end_of_endless(&n, b);
        vec_push(a, &exits, end);
        reach_back(&x, &n.to_exit, end);
    }
    return dominators_from_exits(&x, exits);
}

uint32_t *ir_reconvergence_points(struct arena *a, const struct ir_cfg *c, const struct ir_dominators *d)
{
    uint32_t *points = arena_array(a, uint32_t, c->blocks);
    for (uint32_t b = 0; b < c->blocks; b++) {
        uint32_t chosen = ir_block_at(c->fn, b)->reconverge;
        points[b] = chosen == IR_AT_RETURN ? IR_NO_BLOCK : chosen == IR_NO_BLOCK ? d->idom[b] : chosen;
    }
    return points;
}

/* ---- control dependence -------------------------------------------------------------------------------- */

/* Which branches decide whether a block runs.
 *
 * Ferrante, Ottenstein, Warren, "The program dependence graph and its use in optimization" (TOPLAS 1987),
 * section 3.1: for an edge A -> B where B does not post-dominate A, every block from B up the post-dominator
 * tree to, but without, A's parent there is control dependent on that edge. */

/* Counts (while d->on is NULL) or places the edge in the row of each block that depends on it. */
static void add_edge(const struct ir_dominators *post, uint32_t branch, uint32_t to, uint32_t *at,
                     struct ir_control_dependence *d, uint32_t edge)
{
    uint32_t stop = post->idom[branch];
    for (uint32_t b = to; b != stop && b != IR_NO_BLOCK; b = post->idom[b]) {
        if (d->on != NULL)
            d->on[at[b]++] = (struct ir_control){branch, edge};
        else
            at[b + 1]++;
    }
}

static void add_edges(const struct ir_cfg *c, const struct ir_dominators *post, uint32_t *at,
                      struct ir_control_dependence *d)
{
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(c->fn, c->rpo[i]);
        for (uint32_t e = 0; b->edges.count > 1 && e < b->edges.count; e++)
            add_edge(post, c->rpo[i], b->edges.at[e].block, at, d, e);
    }
}

struct ir_control_dependence *ir_control_dependence_new(struct arena *a, const struct ir_cfg *c,
                                                        const struct ir_dominators *post)
{
    struct ir_control_dependence *d = arena_new(a, struct ir_control_dependence);
    d->start = arena_array(a, uint32_t, c->blocks + 1);
    add_edges(c, post, d->start, d);
    for (uint32_t b = 0; b < c->blocks; b++)
        d->start[b + 1] += d->start[b];
    uint32_t *at = arena_array(a, uint32_t, c->blocks + 1);
    memcpy(at, d->start, (c->blocks + 1) * sizeof *at);
    d->on = arena_array(a, struct ir_control, d->start[c->blocks] + 1);
    add_edges(c, post, at, d);
    return d;
}
