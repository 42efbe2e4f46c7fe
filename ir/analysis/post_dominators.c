/* post_dominators.c: post-dominator trees: dominators (dominators.c) against the edges, from a virtual exit.
 *
 * Every ret and trap leads to the exit. Threads in an endless part of the graph never come there; a block of
 * the part is taken for its end: the last block that leads back to the header, behind which nothing of an
 * iteration is left. The choice is free, since no thread can tell; but branches reconverge before that block.
 */
#include "ir/analysis/dominators.h"

/* The graph against its edges; if `awaited`, without those that break. */
struct backward {
    struct arena *arena;
    const struct ir_cfg *c;
    bool awaited;
};

static bool is_left_out(const struct backward *x, uint32_t from, uint32_t to)
{
    const struct ir_block *b = ir_block_at(x->c->fn, from);
    for (uint32_t e = 0; x->awaited && e < b->edges.count; e++)
        if (b->edges.at[e].block == to && b->edges.at[e].breaks)
            return true;
    return false;
}

/* Marks what reaches b against the edges. The stack has room for every block. */
static void mark_backward(const struct backward *x, uint32_t b, struct bitset marked, uint32_t *stack)
{
    uint32_t depth = 0;
    bitset_add(marked, b);
    stack[depth++] = b;
    while (depth) {
        uint32_t at = stack[--depth];
        ir_each_pred(p, at, x->c) {
            if (bitset_has(marked, p) || !bitset_has(x->c->reachable, p) || is_left_out(x, p, at))
                continue;
            bitset_add(marked, p);
            stack[depth++] = p;
        }
    }
}

/* Finds where threads go round that never come to an exit. */
struct endless {
    const struct backward *x;
    struct bitset marked;              /* blocks that lead to an exit that is known, or do not count */
    uint32_t *stack, *reached, *cycle; /* by block: the number of the search that found it last */
    uint32_t *list, found, searches;   /* what the last search has reached, in the order it was found in */
};

/* Blocks that b leads to and that lead to no exit. */
static void find_reached(struct endless *n, uint32_t b)
{
    n->found = 0;
    n->reached[b] = n->searches;
    n->list[n->found++] = b;
    for (uint32_t next = 0; next < n->found; next++) {
        uint32_t at = n->list[next];
        const struct ir_block *block = ir_block_at(n->x->c->fn, at);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t to = block->edges.at[e].block;
            if (n->reached[to] == n->searches || bitset_has(n->marked, to) || is_left_out(n->x, at, to))
                continue;
            n->reached[to] = n->searches;
            n->list[n->found++] = to;
        }
    }
}

/* Those of them that lead to b again. Returns the first in reverse post-order: the cycle's header. */
static uint32_t find_cycle(struct endless *n, uint32_t b)
{
    const struct ir_cfg *c = n->x->c;
    uint32_t depth = 0, header = b;
    n->cycle[b] = n->searches;
    n->stack[depth++] = b;
    while (depth) {
        uint32_t at = n->stack[--depth];
        header = c->rpo_index[at] < c->rpo_index[header] ? at : header;
        ir_each_pred(p, at, c) {
            if (n->cycle[p] == n->searches || n->reached[p] != n->searches || is_left_out(n->x, p, at))
                continue;
            n->cycle[p] = n->searches;
            n->stack[depth++] = p;
        }
    }
    return header;
}

/* The last block in reverse post-order that leads back to the header; IR_NO_BLOCK: none does. */
static uint32_t last_back(const struct endless *n, uint32_t header)
{
    const struct ir_cfg *c = n->x->c;
    uint32_t last = IR_NO_BLOCK;
    ir_each_pred(p, header, c)
        if (n->cycle[p] == n->searches && !is_left_out(n->x, p, header) &&
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
        n->searches++;
        find_reached(n, b);
        header = find_cycle(n, b);
        out = IR_NO_BLOCK;
        for (uint32_t i = 0; i < n->found; i++)
            out = n->cycle[n->list[i]] == n->searches ? out : n->list[i];
    } while (out != IR_NO_BLOCK);
    uint32_t end = last_back(n, header);
    return end == IR_NO_BLOCK ? b : end;
}

static struct endless endless_new(const struct backward *x)
{
    uint32_t n = x->c->blocks;
    return (struct endless){.x = x,
                            .marked = bitset_new(x->arena, n),
                            .stack = arena_array(x->arena, uint32_t, n),
                            .reached = arena_array(x->arena, uint32_t, n),
                            .cycle = arena_array(x->arena, uint32_t, n),
                            .list = arena_array(x->arena, uint32_t, n)};
}

/* Real exits first, then one block for each endless part. */
static u32_vec exits_of(const struct backward *x)
{
    u32_vec exits = {0};
    struct endless n = endless_new(x);
    for (int endless = 0; endless < 2; endless++) {
        for (uint32_t i = x->c->rpo_count; i-- > 0;) {
            uint32_t b = x->c->rpo[i];
            if (bitset_has(n.marked, b) || (!endless && ir_block_at(x->c->fn, b)->edges.count))
                continue;
            uint32_t end = endless ? end_of_endless(&n, b) : b;
            vec_push(x->arena, &exits, end);
            mark_backward(x, end, n.marked, n.stack);
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
            if (bitset_has(c->reachable, p) && !is_left_out(x, p, b))
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
            if (!is_left_out(x, b, plain.to[e]))
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
    struct bitset returning = bitset_new(a, c->blocks);
    struct endless n = endless_new(&x);
    u32_vec exits = {0};
    for (uint32_t i = c->rpo_count; i-- > 0;)
        if (ir_at(c->fn, ir_terminator(c->fn, c->rpo[i]))->op == IR_ret) {
            vec_push(a, &exits, c->rpo[i]);
            mark_backward(&x, c->rpo[i], n.marked, n.stack);
            mark_backward(&whole, c->rpo[i], returning, n.stack);
        }
    for (uint32_t i = 0; i < c->rpo_count; i++)
        if (!bitset_has(returning, c->rpo[i]))
            bitset_add(n.marked, c->rpo[i]);
    for (uint32_t i = c->rpo_count; i-- > 0;) {
        uint32_t b = c->rpo[i];
        if (bitset_has(n.marked, b))
            continue;
        uint32_t end = end_of_endless(&n, b);
        vec_push(a, &exits, end);
        mark_backward(&x, end, n.marked, n.stack);
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
