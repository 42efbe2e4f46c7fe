/* frontier.c: thread frontiers, shown: blocks by priority, where others may wait while each runs, and where
 * re-convergence is checked. In graphs, dashed edges lead from a block to those of its frontier.
 */
#include "ir/converge/frontier.h"
#include "ir/views/view.h"

enum { WORK = 50000000 }; /* as the limit frontier_work */

/* Whether the blocks stand in the order that the pass frontier has chosen. */
static bool is_laid_out(const struct ir_function *f)
{
    ir_each_block(i, b, f)
        if (ir_block_at(f, b)->frontier != IR_NO_BLOCK)
            return true;
    return false;
}

struct ir_frontier *ir_view_find_frontier(struct ir_viewer *v)
{
    struct bitset divergent = v->uniformity->branches;
    u32_vec order = {0};
    if (!is_laid_out(v->cfg->fn)) {
        order = ir_priorities(v->arena, v->cfg, v->cycles, ir_tokens_new(v->arena, v->cfg), NULL, UINT64_MAX);
        return ir_frontier_barriers_last(v->arena, v->cfg, divergent, order, WORK);
    }
    ir_each_block(i, b, v->cfg->fn)
        if (bitset_has(v->cfg->reachable, b))
            vec_push(v->arena, &order, b);
    return ir_frontier_new(v->arena, v->cfg, divergent, order, WORK);
}

static void members(const struct ir_viewer *v, const struct ir_frontier *x, uint32_t b, struct text *out)
{
    text_addz(out, "{");
    rows_each(k, x->frontier, b)
        text_printf(out, "%s%s", k > x->frontier.start[b] ? ", " : "", ir_view_block(v, x->frontier.at[k]));
    text_printf(out, "}%s", bitset_has(x->checks, b) ? ", check" : "");
}

void ir_view_frontier_text(struct ir_viewer *v, struct text *out)
{
    const struct ir_frontier *x = ir_view_find_frontier(v);
    for (uint32_t i = 0; i < x->order.count; i++) {
        text_printf(out, "  %s: ", ir_view_block(v, x->order.at[i]));
        members(v, x, x->order.at[i], out);
        text_addz(out, "\n");
    }
}

void ir_view_frontier_dot(struct ir_viewer *v, struct text *out)
{
    const struct ir_frontier *x = ir_view_find_frontier(v);
    for (uint32_t i = 0; i < x->order.count; i++) {
        uint32_t b = x->order.at[i];
        char attributes[64];
        snprintf(attributes, sizeof attributes, ", xlabel=%u%s", i,
                 bitset_has(x->checks, b) ? ", peripheries=2" : "");
        ir_view_dot_block(v, b, attributes, out);
        const struct ir_block *block = ir_block_at(v->fn, b);
        for (uint32_t e = 0; e < block->edges.count; e++)
            ir_view_dot_edge(v, b, block->edges.at[e].block, "", out);
        rows_each(k, x->frontier, b)
            ir_view_dot_edge(v, b, x->frontier.at[k], " [style=dashed, constraint=false]", out);
    }
}

void ir_view_frontier_comment(struct ir_viewer *v, ir_ref r, struct text *out)
{
    uint32_t b = ir_at(v->fn, r)->block;
    if (ir_block_at(v->fn, b)->first != r || !bitset_has(v->cfg->reachable, b))
        return;
    const struct ir_frontier *x = ir_view_find_frontier(v);
    text_printf(out, "priority %u, frontier ", x->priority[b]);
    members(v, x, b, out);
}
