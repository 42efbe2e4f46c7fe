/* dominators.c: dominator trees; post_dominators.c builds the graphs for those against the edges.
 *
 * Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph" (1979), the version with
 * path compression alone: O(edges · log blocks) on every graph. The quantities of section 3 keep their
 * names; vertices are called by their depth-first number (1 for the root, 0 for none), and everything is
 * done with loops, since graphs may be deep.
 */
#include "ir/analysis/dominators.h"

struct search {
    uint32_t *number;          /* of each node: its depth-first number, 0 if not reached */
    uint32_t *vertex, *parent; /* by number: the node; the number of its parent in the search tree */
    uint32_t count;            /* numbers are 1..count */
    uint32_t *semi, *idom, *ancestor, *label, *bucket, *next_in_bucket, *path;
};

static uint32_t *numbers(struct arena *a, uint32_t n)
{
    return arena_array(a, uint32_t, n);
}

static void dominators_visit(struct search *s, uint32_t node, uint32_t parent)
{
    s->number[node] = ++s->count;
    s->vertex[s->count] = node;
    s->parent[s->count] = parent;
}

static void depth_first_search(struct arena *a, const struct dominator_graph *g, struct search *s)
{
    uint32_t *edge = numbers(a, g->nodes); /* of each node: the next of its edges to follow */
    memcpy(edge, g->succ.start, g->nodes * sizeof *edge);
    dominators_visit(s, g->root, 0);
    for (uint32_t at = g->root;;) {
        if (edge[at] < g->succ.start[at + 1]) {
            uint32_t to = g->succ.to[edge[at]++];
            if (s->number[to])
                continue;
            dominators_visit(s, to, s->number[at]);
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

static void find_semidominator(const struct dominator_graph *g, struct search *s, uint32_t w)
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
static void lengauer_tarjan(struct arena *a, const struct dominator_graph *g, struct search *s)
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
 * end, and preorder numbers handed out from the start: each child takes the next range of its parent's.
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

struct bitset ir_dominate_part(struct arena *a, const struct ir_dominators *d, struct bitset blocks)
{
    struct bitset part = bitset_new(a, blocks.bits);
    uint32_t *below = arena_array(a, uint32_t, blocks.bits), all = bitset_count(blocks);
    bitset_each(b, blocks)
        below[b] = 1;
    for (uint32_t i = d->count; i-- > 0;) {
        uint32_t b = d->order[i];
        if (d->idom[b] != IR_NO_BLOCK)
            below[d->idom[b]] += below[b];
        if (below[b] && below[b] < all)
            bitset_add(part, b);
    }
    return part;
}

/* ---- forward --------------------------------------------------------------------------------------- */

struct dominator_links dominator_successors(struct arena *a, const struct ir_cfg *c)
{
    struct dominator_links r = {numbers(a, c->blocks + 1), numbers(a, c->pred_start[c->blocks])};
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

struct ir_dominators *dominator_tree(struct arena *a, const struct dominator_graph *g, uint32_t blocks)
{
    struct search s = {0};
    lengauer_tarjan(a, g, &s);
    return tree_of(a, &s, blocks);
}

struct ir_dominators *ir_dominators_new(struct arena *a, const struct ir_cfg *c)
{
    struct dominator_graph g = {
        c->blocks, ir_entry(c->fn), dominator_successors(a, c), {c->pred_start, c->preds}};
    return dominator_tree(a, &g, c->blocks);
}
