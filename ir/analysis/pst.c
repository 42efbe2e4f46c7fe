/* pst.c: the program structure tree: canonical single-entry single-exit regions, nested.
 *
 * Johnson, Pearson, Pingali, "The program structure tree: computing control regions in linear time" (PLDI
 * 1994). Two edges bound a single-entry single-exit region iff they are cycle equivalent in the graph with
 * an edge from exit to start (theorem 2). Equivalence classes come from one undirected depth-first search
 * that keeps, for each tree edge, the list of *brackets*: the back edges that span it (figure 4); two edges
 * are equivalent iff their lists have the same latest bracket and the same length. Edges of a class in
 * dominance order, taken pairwise, bound the canonical regions; a walk over the directed graph nests them.
 *
 * Endless parts reach the virtual exit as in the post-dominators (ir_exits). Linear in blocks and edges.
 */
#include "base/rows.h"
#include "ir/analysis/analysis.h"

#define NONE UINT32_MAX

/* The graph as the algorithm sees it: nodes are blocks, then start, then exit; edge 0 runs from exit to
 * start, edge 1 from start to the entry block. */
struct graph {
    uint32_t nodes, edges, start, exit;
    uint32_t *from, *to; /* by edge */
    struct ir_edge_ref *ref;
    uint32_t *touch_start, *touch; /* edges at a node, either direction, by node */
    uint32_t *class;               /* by edge */
    uint32_t classes;
};

/* A bracket: a back edge of the search, or a capping one; a member of one doubly linked list. */
struct bracket {
    uint32_t prev, next, class, recent_size, recent_class;
};
struct list {
    uint32_t top, bottom, size;
};

struct search {
    struct graph *g;
    struct arena *arena;
    uint32_t *number, *node_at; /* undirected depth-first numbers from 1; 0: not reached */
    uint32_t *parent_edge, *parent;
    uint32_t *high, *second;      /* least number that back edges from the subtree reach; the same of all but
                                     the best child */
    VEC(struct bracket) brackets; /* by edge; capping ones behind */
    struct list *list;            /* by node */
    u32_vec *ends;                /* by node: brackets that end there, capping ones too */
};

/* ---- graph ------------------------------------------------------------------------------------------- */

static void add_edge(struct graph *g, uint32_t from, uint32_t to, struct ir_edge_ref ref)
{
    g->from[g->edges] = from;
    g->to[g->edges] = to;
    g->ref[g->edges++] = ref;
}

static void collect_edges(struct graph *g, struct arena *a, const struct ir_cfg *c)
{
    u32_vec exits = ir_exits(a, c);
    uint32_t most = c->pred_start[c->blocks] + exits.count + 2;
    g->start = c->blocks, g->exit = c->blocks + 1, g->nodes = c->blocks + 2;
    g->from = arena_array(a, uint32_t, most), g->to = arena_array(a, uint32_t, most);
    g->ref = arena_array(a, struct ir_edge_ref, most);
    add_edge(g, g->exit, g->start, (struct ir_edge_ref){IR_NO_BLOCK, 0, IR_NO_BLOCK});
    add_edge(g, g->start, ir_entry(c->fn), (struct ir_edge_ref){IR_NO_BLOCK, 0, ir_entry(c->fn)});
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(c->fn, c->rpo[i]);
        for (uint32_t e = 0; e < b->edges.count; e++)
            add_edge(g, c->rpo[i], b->edges.at[e].block,
                     (struct ir_edge_ref){c->rpo[i], e, b->edges.at[e].block});
    }
    for (uint32_t i = 0; i < exits.count; i++)
        add_edge(g, exits.at[i], g->exit, (struct ir_edge_ref){exits.at[i], 0, IR_NO_BLOCK});
}

static void index_edges(struct graph *g, struct arena *a)
{
    g->touch_start = arena_array(a, uint32_t, g->nodes + 1);
    g->touch = arena_array(a, uint32_t, 2 * g->edges);
    for (uint32_t e = 0; e < g->edges; e++) {
        g->touch_start[g->from[e] + 1]++;
        g->touch_start[g->to[e] + 1] += g->from[e] != g->to[e];
    }
    for (uint32_t n = 0; n < g->nodes; n++)
        g->touch_start[n + 1] += g->touch_start[n];
    uint32_t *next = arena_array(a, uint32_t, g->nodes);
    memcpy(next, g->touch_start, g->nodes * sizeof *next);
    for (uint32_t e = 0; e < g->edges; e++) {
        g->touch[next[g->from[e]]++] = e;
        if (g->from[e] != g->to[e])
            g->touch[next[g->to[e]]++] = e;
    }
}

static uint32_t other_end(const struct graph *g, uint32_t e, uint32_t node)
{
    return g->from[e] == node ? g->to[e] : g->from[e];
}

/* ---- cycle equivalence ------------------------------------------------------------------------------- */

static uint32_t bracket_new(struct search *s)
{
    vec_push(s->arena, &s->brackets, ((struct bracket){NONE, NONE, NONE, 0, NONE}));
    return s->brackets.count - 1;
}

static void list_push(struct search *s, struct list *l, uint32_t b)
{
    s->brackets.at[b].next = l->top;
    s->brackets.at[b].prev = NONE;
    if (l->top != NONE)
        s->brackets.at[l->top].prev = b;
    else
        l->bottom = b;
    l->top = b;
    l->size++;
}

static void list_delete(struct search *s, struct list *l, uint32_t b)
{
    struct bracket *k = &s->brackets.at[b];
    if (k->prev != NONE)
        s->brackets.at[k->prev].next = k->next;
    else
        l->top = k->next;
    if (k->next != NONE)
        s->brackets.at[k->next].prev = k->prev;
    else
        l->bottom = k->prev;
    l->size--;
}

static struct list list_join(struct search *s, struct list a, struct list b)
{
    if (a.size == 0)
        return b;
    if (b.size == 0)
        return a;
    s->brackets.at[a.bottom].next = b.top;
    s->brackets.at[b.top].prev = a.bottom;
    return (struct list){a.top, b.bottom, a.size + b.size};
}

static uint32_t number_nodes(struct search *s)
{
    const struct graph *g = s->g;
    uint32_t *next = arena_array(s->arena, uint32_t, g->nodes), count = 0;
    memcpy(next, g->touch_start, g->nodes * sizeof *next);
    s->parent_edge[g->start] = NONE;
    s->number[g->start] = ++count;
    s->node_at[count] = g->start;
    for (uint32_t at = g->start;;) {
        if (next[at] == g->touch_start[at + 1]) {
            if (at == g->start)
                return count;
            at = s->parent[at];
            continue;
        }
        uint32_t e = g->touch[next[at]++], to = other_end(g, e, at);
        if (s->number[to] != 0)
            continue;
        s->number[to] = ++count;
        s->node_at[count] = to;
        s->parent_edge[to] = e;
        s->parent[to] = at;
        at = to;
    }
}

/* Figure 4, one node; its children have been done. `joined`, `high`, `second` hold what they left. */
static void finish_node(struct search *s, uint32_t n)
{
    struct graph *g = s->g;
    struct list l = s->list[n];
    uint32_t up = NONE; /* hi0: highest node a back edge from n itself reaches */
    for (uint32_t i = 0; i < s->ends[n].count; i++) {
        uint32_t b = s->ends[n].at[i];
        list_delete(s, &l, b);
        if (b < g->edges && s->brackets.at[b].class == NONE)
            s->brackets.at[b].class = g->classes++;
    }
    for (uint32_t i = g->touch_start[n]; i < g->touch_start[n + 1]; i++) {
        uint32_t e = g->touch[i], to = other_end(g, e, n);
        if (to == n) {
            s->brackets.at[e].class = g->classes++; /* a self loop is equivalent to nothing else */
        } else if (s->number[to] < s->number[n] && e != s->parent_edge[n]) {
            list_push(s, &l, e);
            vec_push(s->arena, &s->ends[to], e);
            if (s->number[to] < up)
                up = s->number[to];
        }
    }
    if (s->second[n] < s->number[n] && s->second[n] < up) {
        uint32_t cap = bracket_new(s);
        list_push(s, &l, cap);
        vec_push(s->arena, &s->ends[s->node_at[s->second[n]]], cap);
    }
    if (up < s->high[n])
        s->high[n] = up;
    if (s->parent_edge[n] == NONE)
        return;
    struct bracket *top = &s->brackets.at[l.top];
    if (top->recent_size != l.size) {
        top->recent_size = l.size;
        top->recent_class = g->classes++;
    }
    g->class[s->parent_edge[n]] = top->recent_class;
    if (l.size == 1)
        top->class = top->recent_class;
    uint32_t p = s->parent[n], high = s->high[n];
    s->list[p] = list_join(s, l, s->list[p]);
    if (high < s->high[p]) {
        s->second[p] = s->high[p];
        s->high[p] = high;
    } else if (high < s->second[p]) {
        s->second[p] = high;
    }
}

static void find_classes(struct graph *g, struct arena *a)
{
    struct search s = {.g = g, .arena = a};
    uint32_t n = g->nodes + 1;
    s.number = arena_array(a, uint32_t, n), s.node_at = arena_array(a, uint32_t, n);
    s.parent_edge = arena_array(a, uint32_t, n), s.parent = arena_array(a, uint32_t, n);
    s.high = arena_array(a, uint32_t, n), s.second = arena_array(a, uint32_t, n);
    s.list = arena_array(a, struct list, n), s.ends = arena_array(a, u32_vec, n);
    g->class = arena_array(a, uint32_t, g->edges);
    for (uint32_t i = 0; i < n; i++) {
        s.high[i] = s.second[i] = NONE;
        s.list[i] = (struct list){NONE, NONE, 0};
    }
    for (uint32_t e = 0; e < g->edges; e++)
        bracket_new(&s);
    uint32_t count = number_nodes(&s);
    bool *is_tree = arena_array(a, bool, g->edges);
    for (uint32_t i = count; i > 0; i--) {
        finish_node(&s, s.node_at[i]);
        if (s.parent_edge[s.node_at[i]] != NONE)
            is_tree[s.parent_edge[s.node_at[i]]] = true;
    }
    for (uint32_t e = 0; e < g->edges; e++)
        if (!is_tree[e])
            g->class[e] = s.brackets.at[e].class;
}

/* ---- regions ----------------------------------------------------------------------------------------- */

/* Walks the directed graph; edges of a class are met in dominance order, each pair of neighbours bounds a
 * region. opens[e], closes[e]: the region that edge e enters and leaves. */
struct edge_walk {
    struct arena *arena;
    const struct graph *g;
    struct ir_pst *t;
    struct rows out; /* edges by the node that they leave */
    uint32_t *opens, *closes, *last_of_class, *region_of;
    VEC(struct ir_region) regions;
};
typedef void (*edge_visit)(struct edge_walk *w, uint32_t from, uint32_t e, bool first);

/* Depth-first over blocks by directed edges; each edge is visited once, when it is met: `first` if no other
 * has met the block at its end. Edge 0, from the end to the start, is visited, but not walked. */
static struct bitset walk_edges(struct edge_walk *w, edge_visit visit)
{
    const struct graph *g = w->g;
    struct bitset seen = bitset_new(w->arena, g->nodes);
    uint32_t *next = arena_array(w->arena, uint32_t, g->nodes), depth = 0;
    uint32_t *stack = arena_array(w->arena, uint32_t, g->nodes);
    memcpy(next, w->out.start, g->nodes * sizeof *next);
    bitset_add(seen, g->start);
    stack[depth++] = g->start;
    while (depth > 0) {
        uint32_t n = stack[depth - 1];
        if (next[n] == w->out.start[n + 1]) {
            depth--;
            continue;
        }
        uint32_t e = w->out.at[next[n]++], to = g->to[e];
        bool first = e != 0 && !bitset_has(seen, to);
        visit(w, n, e, first);
        if (first) {
            bitset_add(seen, to);
            stack[depth++] = to;
        }
    }
    return seen;
}

static void pair_edge(struct edge_walk *w, uint32_t from, uint32_t e, bool first)
{
    const struct graph *g = w->g;
    uint32_t c = g->class[e], last = w->last_of_class[c];
    if (last != NONE && e != 0) {
        w->opens[last] = w->closes[e] = w->regions.count;
        vec_push(w->arena, &w->regions,
                 ((struct ir_region){.entry = g->ref[last], .exit = g->ref[e], .parent = NONE}));
    }
    w->last_of_class[c] = e;
}

/* The same walk again, now with regions known: gives every block its innermost region and regions their
 * parents. */
static void nest_region(struct edge_walk *w, uint32_t from, uint32_t e, bool first)
{
    uint32_t outside = w->region_of[from];
    if (!first)
        return;
    if (w->closes[e] != NONE && w->closes[e] == outside)
        outside = w->t->at[outside].parent;
    if (w->opens[e] != NONE)
        w->t->at[w->opens[e]].parent = outside;
    w->region_of[w->g->to[e]] = w->opens[e] != NONE ? w->opens[e] : outside;
}

static void find_regions(struct edge_walk *w)
{
    const struct graph *g = w->g;
    w->opens = arena_array(w->arena, uint32_t, g->edges),
    w->closes = arena_array(w->arena, uint32_t, g->edges);
    w->last_of_class = arena_array(w->arena, uint32_t, g->classes + 1);
    for (uint32_t e = 0; e < g->edges; e++)
        w->opens[e] = w->closes[e] = NONE;
    for (uint32_t i = 0; i <= g->classes; i++)
        w->last_of_class[i] = NONE;
    vec_push(w->arena, &w->regions,
             ((struct ir_region){.entry = g->ref[1], .exit = g->ref[0], .parent = NONE}));
    walk_edges(w, pair_edge);
    w->t->at = w->regions.at;
    w->t->count = w->regions.count;
    w->region_of = arena_array(w->arena, uint32_t, g->nodes);
    struct bitset seen = walk_edges(w, nest_region);
    for (uint32_t b = 0; b < g->start; b++)
        w->t->innermost[b] = bitset_has(seen, b) ? w->region_of[b] : NONE;
}

/* Orders regions parents first and lays their blocks out in nested ranges. */
static void lay_out(struct ir_pst *t, const struct ir_cfg *c, struct arena *a)
{
    uint32_t *child = arena_array(a, uint32_t, t->count + 1),
             *sibling = arena_array(a, uint32_t, t->count + 1);
    uint32_t *renamed = arena_array(a, uint32_t, t->count), *order = arena_array(a, uint32_t, t->count),
             n = 0, depth = 0;
    uint32_t *stack = arena_array(a, uint32_t, t->count + 1), *next = arena_array(a, uint32_t, t->count);
    for (uint32_t i = 0; i < t->count; i++)
        child[i] = NONE;
    for (uint32_t i = 1; i < t->count; i++) {
        sibling[i] = child[t->at[i].parent];
        child[t->at[i].parent] = i;
    }
    for (stack[depth++] = 0; depth > 0;) {
        uint32_t r = stack[--depth];
        renamed[r] = n;
        order[n++] = r;
        for (uint32_t k = child[r]; k != NONE; k = sibling[k])
            stack[depth++] = k;
    }
    struct ir_region *sorted = arena_array(a, struct ir_region, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        sorted[i] = t->at[order[i]];
        if (i > 0) {
            sorted[i].parent = renamed[sorted[i].parent];
            sorted[i].depth = sorted[sorted[i].parent].depth + 1;
        }
    }
    t->at = sorted;
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        uint32_t *r = &t->innermost[c->rpo[i]];
        *r = renamed[*r];
        t->at[*r].count++;
    }
    for (uint32_t i = t->count; i-- > 1;)
        t->at[t->at[i].parent].count += t->at[i].count;
    for (uint32_t i = 0; i < t->count; i++) {
        if (i > 0) {
            t->at[i].first = next[t->at[i].parent];
            next[t->at[i].parent] += t->at[i].count;
        }
        next[i] = t->at[i].first;
    }
    for (uint32_t i = 0; i < c->rpo_count; i++)
        t->blocks[next[t->innermost[c->rpo[i]]]++] = c->rpo[i];
}

struct ir_pst *ir_pst_new(struct arena *a, const struct ir_cfg *c)
{
    struct graph g = {0};
    collect_edges(&g, a, c);
    index_edges(&g, a);
    find_classes(&g, a);

    struct ir_pst *t = arena_new(a, struct ir_pst);
    t->innermost = arena_array(a, uint32_t, c->blocks);
    t->blocks = arena_array(a, uint32_t, c->blocks);
    struct edge_walk w = {.arena = a, .g = &g, .t = t, .out = rows_new(a, g.nodes, g.from, g.edges)};
    find_regions(&w);
    lay_out(t, c, a);
    return t;
}
