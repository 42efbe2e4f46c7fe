/* lay_out.c: the order of a function's blocks, by a profile (K. Pettis and R. C. Hansen, "Profile Guided Code
 * Positioning": bottom-up positioning of basic blocks).
 *
 * A block that goes on to the next one in the order needs no jump, and no more does the code for the arguments
 * of an edge to it. The edges that lanes took most often come first: if one leads from the end of a chain of
 * blocks to the beginning of another, the two become one. Branches name both targets, so an edge of theirs
 * without arguments gains nothing.
 *
 * Under thread frontiers the order says who waits for whom: the pass frontier has a profile decide where that
 * leaves a choice.
 *
 * O(edges log edges).
 */
#include "opt/pass.h"

#include <stdlib.h>

struct hot_edge {
    uint64_t count;
    uint32_t from, to;
};

struct chains {
    const struct ir_function *f;
    uint32_t *next;  /* by block: behind it in its chain, IR_NO_BLOCK: it is the last */
    uint32_t *other; /* by first and last block of a chain: its other end */
    struct bitset begins;
    VEC(struct hot_edge) edges;
};

static int by_count(const void *x, const void *y)
{
    const struct hot_edge *a = x, *b = y;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

static void find_edges(struct chains *x, struct arena *a, const struct cost_profile *profile)
{
    ir_each_block(i, b, x->f) {
        const struct ir_block *block = ir_block_at(x->f, b);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            const struct ir_edge *edge = &block->edges.at[e];
            struct hot_edge hot = {cost_edge_count(profile, b, e), b, edge->block};
            if (hot.count && (block->edges.count == 1 || edge->argc) && hot.to != ir_entry(x->f))
                vec_push(a, &x->edges, hot);
        }
    }
    if (x->edges.count)
        qsort(x->edges.at, x->edges.count, sizeof *x->edges.at, by_count);
}

static void join(struct chains *x, const struct hot_edge *e)
{
    uint32_t first = x->other[e->from], last = x->other[e->to];
    if (x->next[e->from] != IR_NO_BLOCK || !bitset_has(x->begins, e->to) || first == e->to)
        return;
    x->next[e->from] = e->to;
    bitset_remove(x->begins, e->to);
    x->other[first] = last;
    x->other[last] = first;
}

static u32_vec layout(struct arena *a, const struct ir_function *f, const struct cost_profile *profile)
{
    struct chains x = {.f = f,
                       .next = arena_array(a, uint32_t, f->blocks.count),
                       .other = arena_array(a, uint32_t, f->blocks.count),
                       .begins = bitset_new(a, f->blocks.count)};
    u32_vec order = {0};
    ir_each_block(i, b, f) {
        x.next[b] = IR_NO_BLOCK;
        x.other[b] = b;
        bitset_add(x.begins, b);
    }
    find_edges(&x, a, profile);
    for (uint32_t i = 0; i < x.edges.count; i++)
        join(&x, &x.edges.at[i]);
    ir_each_block(i, b, f)
        for (uint32_t at = bitset_has(x.begins, b) ? b : IR_NO_BLOCK; at != IR_NO_BLOCK; at = x.next[at])
            vec_push(a, &order, at);
    return order;
}

bool opt_lay_out(struct opt_context *c, struct ir_function *f)
{
    const struct cost_profile *profile = opt_profile(c, f);
    if (!profile)
        return false;
    u32_vec order = layout(c->scratch, f, profile);
    bool changed = memcmp(order.at, f->order.at, order.count * sizeof *order.at) != 0;
    memcpy(f->order.at, order.at, order.count * sizeof *order.at);
    return changed;
}
