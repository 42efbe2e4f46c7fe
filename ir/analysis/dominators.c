/* dominators.c: dominator and post-dominator trees.
 *
 * Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph" (1979), the version with
 * path compression alone: O(edges · log blocks) on every graph. The quantities of section 3 keep their
 * names; vertices are called by their depth-first number (1 for the root, 0 for none), and everything is
 * done with loops, since graphs may be deep.
 */
#include "ir/analysis/analysis.h"

/* A graph with its edges in both directions, each in compressed rows. */
struct links { uint32_t *start, *to; };
struct graph { uint32_t nodes, root; struct links succ, pred; };

struct search {
    uint32_t *number;          /* of each node: its depth-first number, 0 if not reached */
    uint32_t *vertex, *parent; /* by number: the node; the number of its parent in the search tree */
    uint32_t  count;           /* numbers are 1..count */
    uint32_t *semi, *idom, *ancestor, *label, *bucket, *next_in_bucket, *path;
};

static uint32_t *numbers(struct arena *a, uint32_t n)
{
    return arena_array(a, uint32_t, n);
}

static void visit(struct search *s, uint32_t node, uint32_t parent)
{
    s->number[node] = ++s->count;
    s->vertex[s->count] = node;
    s->parent[s->count] = parent;
}

static void depth_first_search(struct arena *a, const struct graph *g, struct search *s)
{
    uint32_t *edge = numbers(a, g->nodes);     /* of each node: the next of its edges to follow */
    memcpy(edge, g->succ.start, g->nodes * sizeof *edge);
    visit(s, g->root, 0);
    for (uint32_t at = g->root;;) {
        if (edge[at] < g->succ.start[at + 1]) {
            uint32_t to = g->succ.to[edge[at]++];
            if (s->number[to])
                continue;
            visit(s, to, s->number[at]);
            at = to;
        } else {
            if (at == g->root)
                return;
            at = s->vertex[s->parent[s->number[at]]];
        }
    }
}

/* Points every vertex on the way from v up at the root of its tree in the forest, keeping the best label. */
static void compress(struct search *s, uint32_t v)
{
    uint32_t depth = 0;
    for (; s->ancestor[s->ancestor[v]]; v = s->ancestor[v])
        s->path[depth++] = v;
    while (depth) {
        v = s->path[--depth];
        uint32_t up = s->ancestor[v];
        if (s->semi[s->label[up]] < s->semi[s->label[v]])
            s->label[v] = s->label[up];
        s->ancestor[v] = s->ancestor[up];
    }
}

/* The vertex of least semidominator on the path from the root of v's tree (without it) to v. */
static uint32_t eval(struct search *s, uint32_t v)
{
    if (s->ancestor[v])
        compress(s, v);
    return s->label[v];
}

static void find_semidominator(const struct graph *g, struct search *s, uint32_t w)
{
    uint32_t node = s->vertex[w];
    for (uint32_t i = g->pred.start[node]; i < g->pred.start[node + 1]; i++) {
        uint32_t v = s->number[g->pred.to[i]];
        if (v == 0)
            continue;
        uint32_t u = eval(s, v);
        if (s->semi[u] < s->semi[w])
            s->semi[w] = s->semi[u];
    }
    s->next_in_bucket[w] = s->bucket[s->semi[w]];
    s->bucket[s->semi[w]] = w;
}

static void empty_bucket(struct search *s, uint32_t p)
{
    for (uint32_t v = s->bucket[p]; v; v = s->next_in_bucket[v]) {
        uint32_t u = eval(s, v);
        s->idom[v] = s->semi[u] < s->semi[v] ? u : p;
    }
    s->bucket[p] = 0;
}

/* Fills s->idom by number. */
static void lengauer_tarjan(struct arena *a, const struct graph *g, struct search *s)
{
    uint32_t n = g->nodes + 1;
    s->number = numbers(a, n), s->vertex = numbers(a, n), s->parent = numbers(a, n);
    s->semi = numbers(a, n), s->idom = numbers(a, n), s->ancestor = numbers(a, n);
    s->label = numbers(a, n), s->bucket = numbers(a, n), s->next_in_bucket = numbers(a, n);
    s->path = numbers(a, n);
    depth_first_search(a, g, s);
    for (uint32_t v = 1; v <= s->count; v++)
        s->semi[v] = s->label[v] = v;
    for (uint32_t w = s->count; w > 1; w--) {
        find_semidominator(g, s, w);
        s->ancestor[w] = s->parent[w];
        empty_bucket(s, s->parent[w]);
    }
    for (uint32_t w = 2; w <= s->count; w++)
        if (s->idom[w] != s->semi[w])
            s->idom[w] = s->idom[s->idom[w]];
}

/* ---- the tree in terms of blocks ------------------------------------------------------------------- */

static uint32_t depth_of(const struct ir_dominators *d, uint32_t b)
{
    return b == IR_NO_BLOCK ? 0 : d->depth[b];
}

/* The jump of the block's children: two jumps of one length become one. */
static uint32_t jump_from(const struct ir_dominators *d, uint32_t b)
{
    if (b == IR_NO_BLOCK || d->jump[b] == IR_NO_BLOCK)
        return b;
    uint32_t once = d->jump[b], twice = d->jump[once];
    return d->depth[b] - d->depth[once] == d->depth[once] - depth_of(d, twice) ? twice : b;
}

/* Depth-first numbers respect the tree (a dominator's is smaller), so that subtree sizes are summed from the
 * end, and preorder numbers handed out from the start: each child takes the next stretch of its parent's.
 * `blocks` of the graph's nodes are blocks; a node beyond them (the virtual exit) is left out. */
static struct ir_dominators *tree_of(struct arena *a, const struct search *s, uint32_t blocks)
{
    struct ir_dominators *d = arena_new(a, struct ir_dominators);
    d->idom = numbers(a, blocks), d->depth = numbers(a, blocks);
    d->pre = numbers(a, blocks), d->post = numbers(a, blocks), d->order = numbers(a, blocks);
    d->jump = numbers(a, blocks);
    for (uint32_t b = 0; b < blocks; b++)
        d->idom[b] = d->jump[b] = IR_NO_BLOCK;
    uint32_t *size = numbers(a, s->count + 1), *next = numbers(a, s->count + 1);
    for (uint32_t v = s->count; v > 0; v--)
        size[s->idom[v]] += ++size[v];
    for (uint32_t v = 1; v <= s->count; v++) {
        uint32_t b = s->vertex[v], up = s->idom[v], above = up ? s->vertex[up] : blocks;
        if (b >= blocks)
            continue; /* the virtual exit: its children are roots, from number 0 on */
        d->idom[b] = above < blocks ? above : IR_NO_BLOCK;
        d->depth[b] = depth_of(d, d->idom[b]) + 1;
        d->jump[b] = jump_from(d, d->idom[b]);
        d->pre[b] = next[up];
        next[up] += size[v];
        next[v] = d->pre[b] + 1;
        d->post[b] = d->pre[b] + size[v] - 1;
        d->order[d->pre[b]] = b;
        d->count++;
    }
    return d;
}

uint32_t ir_dominators_common(const struct ir_dominators *d, uint32_t a, uint32_t b)
{
    while (a != IR_NO_BLOCK && !ir_dominates(d, a, b)) {
        uint32_t far = d->jump[a];
        a = far == IR_NO_BLOCK || ir_dominates(d, far, b) ? d->idom[a] : far;
    }
    return a;
}

uint32_t ir_dominators_below(const struct ir_dominators *d, uint32_t above, uint32_t b)
{
    uint32_t depth = depth_of(d, above) + 1;
    while (d->depth[b] > depth)
        b = depth_of(d, d->jump[b]) < depth ? d->idom[b] : d->jump[b];
    return b;
}

bool ir_dominates_part(const struct ir_dominators *d, uint32_t block, struct bitset blocks)
{
    bool some = false, all = true;
    bitset_each(b, blocks) {
        bool dominated = ir_dominates(d, block, b);
        some |= dominated;
        all &= dominated;
    }
    return some && !all;
}

/* ---- forward --------------------------------------------------------------------------------------- */

/* Edges out of live blocks by block number. */
static struct links successor_rows(struct arena *a, const struct ir_cfg *c)
{
    struct links r = {numbers(a, c->blocks + 1), numbers(a, c->pred_start[c->blocks])};
    uint32_t total = 0;
    for (uint32_t b = 0; b < c->blocks; b++) {
        const struct ir_block *block = ir_block_at(c->fn, b);
        r.start[b] = total;
        for (uint32_t e = 0; !block->removed && e < block->edges.count; e++)
            r.to[total++] = block->edges.at[e].block;
    }
    r.start[c->blocks] = total;
    return r;
}

struct ir_dominators *ir_dominators_new(struct arena *a, const struct ir_cfg *c)
{
    struct graph g = {c->blocks, ir_entry(c->fn), successor_rows(a, c), {c->pred_start, c->preds}};
    struct search s = {0};
    lengauer_tarjan(a, &g, &s);
    return tree_of(a, &s, c->blocks);
}

/* ---- backward, with a virtual exit ----------------------------------------------------------------- */

/* The graph against its edges; without those that are leaving, if `leaving` is not NULL. */
struct backward { struct arena *arena; const struct ir_cfg *c; const struct ir_leaving *leaving; };

static bool is_left_out(const struct backward *x, uint32_t from, uint32_t to)
{
    return x->leaving && ir_is_leaving(x->leaving, from, to);
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

/* The end of an endless part that b leads to: of the blocks that lead back to the header of the outermost
 * cycle there, which no way leads out of, the last in reverse post-order. (The last of all may be in a cycle
 * inside, or in one before, which threads leave.) */
static uint32_t end_of_endless(struct endless *n, uint32_t b)
{
    const struct ir_cfg *c = n->x->c;
    uint32_t header, end = IR_NO_BLOCK, out = b;
    do {
        b = out;
        n->searches++;
        find_reached(n, b);
        header = find_cycle(n, b);
        out = IR_NO_BLOCK;
        for (uint32_t i = 0; i < n->found; i++)
            out = n->cycle[n->list[i]] == n->searches ? out : n->list[i];
    } while (out != IR_NO_BLOCK);
    ir_each_pred(p, header, c)
        if (n->cycle[p] == n->searches && !is_left_out(n->x, p, header) &&
            (end == IR_NO_BLOCK || c->rpo_index[p] > c->rpo_index[end]))
            end = p;
    return end == IR_NO_BLOCK ? b : end;
}

static struct endless endless_new(const struct backward *x)
{
    uint32_t n = x->c->blocks;
    return (struct endless){.x = x,
                            .marked = bitset_new(x->arena, n),
                            .stack = numbers(x->arena, n),
                            .reached = numbers(x->arena, n),
                            .cycle = numbers(x->arena, n),
                            .list = numbers(x->arena, n)};
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
    return exits_of(&(struct backward){a, c, NULL});
}

/* The predecessors of reachable blocks, with the exits as the row of node `blocks`. */
static struct links backward_rows(const struct backward *x, u32_vec exits)
{
    const struct ir_cfg *c = x->c;
    struct links r = {numbers(x->arena, c->blocks + 2),
                     numbers(x->arena, c->pred_start[c->blocks] + exits.count)};
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
static struct links forward_rows_with_exit(const struct backward *x, u32_vec exits)
{
    const struct ir_cfg *c = x->c;
    struct links plain = successor_rows(x->arena, c);
    struct links r = {numbers(x->arena, c->blocks + 2),
                     numbers(x->arena, plain.start[c->blocks] + exits.count)};
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
    struct graph g = {x->c->blocks + 1, x->c->blocks, backward_rows(x, exits),
                      forward_rows_with_exit(x, exits)};
    struct search s = {0};
    lengauer_tarjan(x->arena, &g, &s);
    return tree_of(x->arena, &s, x->c->blocks);
}

struct ir_dominators *ir_post_dominators_new(struct arena *a, const struct ir_cfg *c)
{
    struct backward x = {a, c, NULL};
    return dominators_from_exits(&x, exits_of(&x));
}

struct ir_dominators *ir_reconvergence_new(struct arena *a, const struct ir_cfg *c, const struct ir_leaving *l)
{
    struct backward x = {a, c, l};
    return dominators_from_exits(&x, exits_of(&x));
}

/* Parts that are endless only without leaving edges have an end, as above: threads do leave them. */
struct ir_dominators *ir_return_post_dominators_new(struct arena *a, const struct ir_cfg *c,
                                                    const struct ir_leaving *l)
{
    struct backward x = {a, c, l}, whole = {a, c, NULL};
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
