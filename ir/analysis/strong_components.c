/* strong_components.c: by which paths threads come to a branch again before they reconverge with the others
 * it separated.
 *
 * The dominator strong components of R. Tarjan, "Fast algorithms for solving path problems" (1981), of the
 * tree of reconvergence points. An edge, unless it breaks, leads to the parent of its block
 * or to a block below that parent, and only from a child of the parent itself to below another child. So
 * paths that do not pass a block m, between blocks below it, are those of the graph of m's children, with an
 * edge from a child to the child above each of its successors. From what is below a child threads come to
 * the child before m; therefore a way from the child leads back if and only if it leads to a child of the
 * same strong component. Each edge belongs to one of these graphs, so the components of all are found in one
 * search (Tarjan's of 1972).
 */
#include "ir/analysis/analysis.h"

struct search {
    const struct ir_cfg *cfg;
    const struct ir_dominators *reconvergence;
    uint32_t *component;    /* IR_NO_BLOCK: not known */
    uint32_t *number, *low; /* depth-first number; the lowest known to be in the component */
    uint32_t *next_edge, counter;
    u32_vec path, open; /* open: visited, component not known */
    struct arena *arena;
};

static bool is_below(const struct ir_dominators *d, uint32_t above, uint32_t b)
{
    return above == IR_NO_BLOCK || (b != above && ir_dominates(d, above, b));
}

/* Where the edge leads in the graph of the block's siblings; IR_NO_BLOCK: to their parent, or for good. */
static uint32_t sibling(const struct search *s, uint32_t b, uint32_t edge)
{
    const struct ir_dominators *d = s->reconvergence;
    uint32_t to = ir_block_at(s->cfg->fn, b)->edges.at[edge].block;
    return d->depth[to] && is_below(d, d->idom[b], to) ? ir_dominators_below(d, d->idom[b], to) : IR_NO_BLOCK;
}

static void enter(struct search *s, uint32_t b)
{
    s->number[b] = s->low[b] = ++s->counter;
    vec_push(s->arena, &s->path, b);
    vec_push(s->arena, &s->open, b);
}

static void lower(struct search *s, uint32_t b, uint32_t number)
{
    if (number < s->low[b])
        s->low[b] = number;
}

static void leave(struct search *s)
{
    uint32_t b = vec_pop(&s->path), member = IR_NO_BLOCK;
    if (s->path.count)
        lower(s, vec_last(&s->path), s->low[b]);
    while (s->low[b] == s->number[b] && member != b) {
        member = vec_pop(&s->open);
        s->component[member] = b;
    }
}

static void search_from(struct search *s, uint32_t root)
{
    enter(s, root);
    while (s->path.count) {
        uint32_t b = vec_last(&s->path);
        if (s->next_edge[b] == ir_block_at(s->cfg->fn, b)->edges.count) {
            leave(s);
            continue;
        }
        uint32_t to = sibling(s, b, s->next_edge[b]++);
        if (to != IR_NO_BLOCK && s->number[to] == 0)
            enter(s, to);
        else if (to != IR_NO_BLOCK && s->component[to] == IR_NO_BLOCK)
            lower(s, b, s->number[to]);
    }
}

struct ir_strong_components *ir_strong_components_new(struct arena *a, const struct ir_cfg *c,
                                                      const struct ir_dominators *reconvergence)
{
    struct search s = {.cfg = c, .reconvergence = reconvergence, .arena = a};
    s.component = arena_array(a, uint32_t, c->blocks), s.number = arena_array(a, uint32_t, c->blocks);
    s.low = arena_array(a, uint32_t, c->blocks), s.next_edge = arena_array(a, uint32_t, c->blocks);
    for (uint32_t b = 0; b < c->blocks; b++)
        s.component[b] = IR_NO_BLOCK;
    for (uint32_t i = 0; i < reconvergence->count; i++)
        if (s.number[reconvergence->order[i]] == 0)
            search_from(&s, reconvergence->order[i]);
    struct ir_strong_components *w = arena_new(a, struct ir_strong_components);
    *w = (struct ir_strong_components){reconvergence, s.component};
    return w;
}

bool ir_returns_before(const struct ir_strong_components *w, uint32_t block, uint32_t to, uint32_t stop)
{
    const struct ir_dominators *d = w->reconvergence;
    if (!d->depth[block] || !d->depth[to] || !is_below(d, stop, to))
        return false;
    uint32_t from = ir_dominators_below(d, stop, block);
    return w->component[from] == w->component[ir_dominators_below(d, stop, to)];
}
