/* cfg.c: predecessors, reachability, reverse post-order, and walks over blocks. */
#include "ir/analysis/analysis.h"

/* Counting sort of the edges by target: counts, then their running sum, then each edge to its place. */
static void find_predecessors(struct arena *a, struct ir_cfg *c)
{
    const struct ir_function *f = c->fn;
    c->pred_start = arena_array(a, uint32_t, c->blocks + 1);
    ir_each_block(i, b, f)
        for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count; e++)
            c->pred_start[ir_block_at(f, b)->edges.at[e].block + 1]++;
    for (uint32_t b = 0; b < c->blocks; b++)
        c->pred_start[b + 1] += c->pred_start[b];
    c->preds = arena_array(a, uint32_t, c->pred_start[c->blocks]);
    c->pred_edges = arena_array(a, uint32_t, c->pred_start[c->blocks]);
    uint32_t *next = arena_array(a, uint32_t, c->blocks);
    memcpy(next, c->pred_start, c->blocks * sizeof *next);
    ir_each_block(i, b, f) {
        for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count; e++) {
            uint32_t slot = next[ir_block_at(f, b)->edges.at[e].block]++;
            c->preds[slot] = b;
            c->pred_edges[slot] = e;
        }
    }
}

/* Depth-first search with an explicit stack; edges are taken last first, so that in the resulting order a
 * branch's first target comes before its second where nothing else decides. */
static void find_order(struct arena *a, struct ir_cfg *c)
{
    struct frame {
        uint32_t block, edges_left;
    } *stack = arena_array(a, struct frame, c->blocks);
    uint32_t depth = 0, first = c->blocks;
    uint32_t *order = arena_array(a, uint32_t, c->blocks);
#define ENTER(b)                                                                                             \
    (bitset_add(c->reachable, (b)),                                                                          \
     stack[depth++] = (struct frame){(b), ir_block_at(c->fn, (b))->edges.count})
    ENTER(ir_entry(c->fn));
    while (depth) {
        struct frame *top = &stack[depth - 1];
        if (top->edges_left == 0) {
            order[--first] = top->block;
            depth--;
            continue;
        }
        uint32_t to = ir_block_at(c->fn, top->block)->edges.at[--top->edges_left].block;
        if (!bitset_has(c->reachable, to))
            ENTER(to);
    }
#undef ENTER
    c->rpo = order + first;
    c->rpo_count = c->blocks - first;
}

struct bitset ir_reach(struct walk *w, const struct ir_function *f, uint32_t stop)
{
    walk_each(b, w)
        ir_add_successors(w, f, b, stop);
    return w->seen;
}

struct bitset ir_reach_back(struct walk *w, const struct ir_cfg *c, uint32_t stop)
{
    walk_each(b, w)
        ir_add_predecessors(w, c, b, stop);
    return w->seen;
}

struct ir_cfg *ir_cfg_new(struct arena *a, const struct ir_function *f)
{
    struct ir_cfg *c = arena_new(a, struct ir_cfg);
    c->fn = f;
    c->blocks = f->blocks.count;
    c->reachable = bitset_new(a, c->blocks);
    c->rpo_index = arena_array(a, uint32_t, c->blocks);
    find_predecessors(a, c);
    find_order(a, c);
    for (uint32_t b = 0; b < c->blocks; b++)
        c->rpo_index[b] = IR_NO_BLOCK;
    for (uint32_t i = 0; i < c->rpo_count; i++)
        c->rpo_index[c->rpo[i]] = i;
    return c;
}

uint32_t ir_chosen_edge(const struct ir_function *f, uint32_t b, scalar_bits bits)
{
    const struct ir_block *block = ir_block_at(f, b);
    const struct ir_ins *t = ir_at(f, block->last);
    if (t->op == IR_brif)
        return bits ? 0 : 1;
    bool narrow = ir_at(f, t->args[0])->type == IR_TYPE_I32;
    for (uint32_t e = 1; e < block->edges.count; e++) {
        scalar_bits value = (scalar_bits)block->edges.at[e].value;
        if (narrow ? (uint32_t)value == (uint32_t)bits : value == bits)
            return e;
    }
    return 0;
}
