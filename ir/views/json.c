/* json.c: a function's control-flow graph and its divergence as JSON (docs/experiment.md), and the graph as
 * boxes for Graphviz to place.
 *
 * Blocks are those that can be reached, in the order of the layout; indices are places in that order.
 */
#include "ir/converge/frontier.h"
#include "ir/views/view.h"

#include <stdlib.h>

/* ---- blocks ------------------------------------------------------------------------------------------ */

struct json_graph {
    struct ir_viewer *viewer;
    u32_vec blocks;
    uint32_t *index; /* of each block; IR_NO_BLOCK: it is not shown */
};

static struct json_graph graph_of(struct ir_viewer *v)
{
    struct json_graph g = {.viewer = v, .index = arena_array(v->arena, uint32_t, v->fn->blocks.count)};
    ir_each_block(i, b, v->fn) {
        bool shown = bitset_has(v->cfg->reachable, b);
        g.index[b] = shown ? g.blocks.count : IR_NO_BLOCK;
        if (shown)
            vec_push(v->arena, &g.blocks, b);
    }
    return g;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void add_numbers(u32_vec *list, bool once, struct text *out)
{
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, by_number);
    text_char(out, '[');
    for (uint32_t i = 0, n = 0; i < list->count; i++)
        if (!once || i == 0 || list->at[i] != list->at[i - 1])
            text_printf(out, "%s%u", n++ ? ", " : "", list->at[i]);
    text_char(out, ']');
}

static void add_lines(struct ir_viewer *v, uint32_t b, struct text *out)
{
    u32_vec lines = {0};
    ir_each_ins(r, v->fn, b)
        if (ir_at(v->fn, r)->at.line)
            vec_push(v->arena, &lines, ir_at(v->fn, r)->at.line);
    add_numbers(&lines, true, out);
}

static void add_index(const struct json_graph *g, uint32_t block, struct text *out)
{
    if (block == IR_NO_BLOCK || g->index[block] == IR_NO_BLOCK)
        text_addz(out, "null");
    else
        text_printf(out, "%u", g->index[block]);
}

static void add_frontier(struct json_graph *g, const struct ir_frontier *frontier, uint32_t b,
                         struct text *out)
{
    u32_vec list = {0};
    if (!frontier) {
        text_addz(out, "null");
        return;
    }
    rows_each(k, frontier->frontier, b)
        vec_push(g->viewer->arena, &list, g->index[frontier->frontier.at[k]]);
    add_numbers(&list, false, out);
}

static void add_block(struct json_graph *g, uint32_t b, const struct rows *code,
                      const struct ir_frontier *frontier, struct text *out)
{
    struct ir_viewer *v = g->viewer;
    struct text text = {.arena = v->arena};
    u32_vec numbers = {0};
    ir_view_block_text(v, b, &text);
    text_addz(out, "{\"name\": ");
    text_json(out, ir_view_block(v, b), strlen(ir_view_block(v, b)));
    text_addz(out, ", \"text\": ");
    text_json(out, text.at, text.length);
    text_addz(out, ", \"lines\": ");
    add_lines(v, b, out);
    text_addz(out, ", \"code\": ");
    if (code)
        rows_each(k, *code, b)
            vec_push(v->arena, &numbers, code->at[k]);
    add_numbers(&numbers, true, out);
    text_addz(out, ", \"ipdom\": ");
    add_index(g, v->post_dominators->depth[b] ? v->post_dominators->idom[b] : IR_NO_BLOCK, out);
    text_printf(out, ", \"region\": %u, \"frontier\": ", v->pst->innermost[b]);
    add_frontier(g, frontier, b, out);
    text_char(out, '}');
}

/* ---- regions ----------------------------------------------------------------------------------------- */

/* What a region of the program structure tree is, by the edge that enters it. */
static const char *region_kind(const struct ir_viewer *v, uint32_t k)
{
    const struct ir_region *r = &v->pst->at[k];
    uint32_t first = r->entry.to, cycle = first == IR_NO_BLOCK ? IR_NO_CYCLE : v->cycles->innermost[first];
    if (k == 0)
        return "function";
    if (cycle != IR_NO_CYCLE && v->cycles->at[cycle].header == first &&
        v->cycles->at[cycle].count <= r->count)
        return "loop";
    return r->count == 1 ? "block" : "sequence";
}

static void add_regions(const struct ir_viewer *v, struct text *out)
{
    text_addz(out, ", \"regions\": [");
    for (uint32_t k = 0; k < v->pst->count; k++) {
        text_addz(out, k ? ", {\"parent\": " : "{\"parent\": ");
        if (k)
            text_printf(out, "%u", v->pst->at[k].parent);
        else
            text_addz(out, "null");
        text_printf(out, ", \"kind\": \"%s\"}", region_kind(v, k));
    }
    text_char(out, ']');
}

/* ---- tokens and barriers ----------------------------------------------------------------------------- */

/* Blocks by their indices; what is not shown is left out. */
static void add_indices(const struct json_graph *g, const char *key, const u32_vec *blocks, struct text *out)
{
    u32_vec list = {0};
    for (uint32_t i = 0; i < blocks->count; i++)
        if (g->index[blocks->at[i]] != IR_NO_BLOCK)
            vec_push(g->viewer->arena, &list, g->index[blocks->at[i]]);
    text_printf(out, ", \"%s\": ", key);
    add_numbers(&list, true, out);
}

static void add_tokens(const struct json_graph *g, struct text *out)
{
    struct ir_viewer *v = g->viewer;
    text_addz(out, ",\n \"tokens\": [");
    for (uint32_t i = 0; i < v->tokens->defs.count; i++) {
        ir_ref def = v->tokens->defs.at[i];
        const struct ir_token_region *region = ir_token_region_new(v->arena, v->tokens, def);
        struct text text = {.arena = v->arena};
        u32_vec users = {0};
        ir_print_named(v->fn, &v->names, def, &text);
        for (uint32_t u = v->tokens->use_start[i]; u < v->tokens->use_start[i + 1]; u++)
            vec_push(v->arena, &users, ir_at(v->fn, v->tokens->uses[u])->block);
        text_addz(out, i ? ",\n  {\"text\": " : "\n  {\"text\": ");
        text_json(out, text.at, text.length);
        text_addz(out, ", \"block\": ");
        add_index(g, ir_at(v->fn, def)->block, out);
        add_indices(g, "region", &region->blocks, out);
        add_indices(g, "users", &users, out);
        text_char(out, '}');
    }
    text_char(out, ']');
}

static void add_barriers(const struct json_graph *g, struct text *out)
{
    const ir_view_barriers all = ir_view_list_barriers(g->viewer);
    text_addz(out, ",\n \"barriers\": [");
    for (uint32_t i = 0; i < all.count; i++) {
        const struct ir_view_barrier *b = &all.at[i];
        text_printf(out, "%s{\"register\": %u, \"prediction\": %s, \"line\": %u", i ? ",\n  " : "\n  ",
                    b->reg, b->prediction ? "true" : "false", b->prediction ? b->at.line : 0);
        add_indices(g, "joined", &b->joined, out);
        add_indices(g, "waited", &b->waited, out);
        add_indices(g, "rejoined", &b->rejoined, out);
        add_indices(g, "cancelled", &b->cancelled, out);
        add_indices(g, "live", &b->live, out);
        text_char(out, '}');
    }
    text_char(out, ']');
}

/* ---- the graph --------------------------------------------------------------------------------------- */

void ir_view_graph_json(struct ir_viewer *v, const struct rows *code, bool frontiers, const char *layout,
                        struct text *out)
{
    struct json_graph g = graph_of(v);
    const struct ir_frontier *frontier = frontiers ? ir_view_find_frontier(v) : NULL;
    text_addz(out, "{\"function\": ");
    text_json(out, v->fn->name, strlen(v->fn->name));
    text_printf(out, ", \"kernel\": %s, \"blocks\": [", v->fn->flags & IR_FN_KERNEL ? "true" : "false");
    for (uint32_t i = 0; i < g.blocks.count; i++) {
        text_addz(out, i ? ",\n  " : "\n  ");
        add_block(&g, g.blocks.at[i], code, frontier, out);
    }
    text_addz(out, "],\n \"edges\": [");
    for (uint32_t i = 0, n = 0; i < g.blocks.count; i++) {
        const struct ir_block *b = ir_block_at(v->fn, g.blocks.at[i]);
        for (uint32_t e = 0; e < b->edges.count; e++)
            text_printf(out, "%s[%u, %u]", n++ ? ", " : "", i, g.index[b->edges.at[e].block]);
    }
    text_char(out, ']');
    add_regions(v, out);
    add_tokens(&g, out);
    add_barriers(&g, out);
    text_printf(out, ",\n \"layout\": %s}", layout ? layout : "null");
}

enum { BOX_LINES = 12, BOX_COLUMNS = 60 };

/* Inches, of text of 10 points. */
static void box_size(const struct text *t, double *width, double *height)
{
    uint32_t lines = 0, most = 0;
    for (size_t at = 0, n; at < t->length && lines < BOX_LINES; at += n + 1, lines++) {
        n = strcspn(t->at + at, "\n");
        most = n > most ? (uint32_t)n : most;
    }
    *width = (most < BOX_COLUMNS ? most : BOX_COLUMNS) * 0.084 + 0.3;
    *height = lines * 0.17 + 0.2;
}

void ir_view_boxes_dot(struct ir_viewer *v, struct text *out)
{
    struct json_graph g = graph_of(v);
    text_addz(out, "digraph g {\n  node [shape=box, fixedsize=true, label=\"\"]\n");
    for (uint32_t i = 0; i < g.blocks.count; i++) {
        struct text text = {.arena = v->arena};
        double width, height;
        ir_view_block_text(v, g.blocks.at[i], &text);
        box_size(&text, &width, &height);
        text_printf(out, "  %u [width=%.2f, height=%.2f]\n", i, width, height);
    }
    for (uint32_t i = 0; i < g.blocks.count; i++) {
        const struct ir_block *b = ir_block_at(v->fn, g.blocks.at[i]);
        for (uint32_t e = 0; e < b->edges.count; e++)
            text_printf(out, "  %u -> %u\n", i, g.index[b->edges.at[e].block]);
    }
    text_addz(out, "}\n");
}

/* ---- divergence -------------------------------------------------------------------------------------- */

/* Instructions go by their order here: their references follow the order in which a compiler of kernc evaluates
 * arguments. */
static void divergence_object(struct ir_viewer *v, ir_ref r, const uint32_t *number, bool first,
                              struct text *out)
{
    struct text text = {.arena = v->arena}, why = {.arena = v->arena};
    const struct ir_ins *i = ir_at(v->fn, r);
    ir_view_why(v, r, &why);
    if (!why.length)
        return;
    ir_print_named(v->fn, &v->names, r, &text);
    text_printf(out, "%s{\"id\": %u, \"function\": ", first ? "" : ",\n", number[r]);
    text_json(out, v->fn->name, strlen(v->fn->name));
    text_printf(out, ", \"line\": %u, \"column\": %u, \"text\": ", i->at.line, i->at.column);
    text_json(out, text.at, text.length);
    text_printf(out,
                ", \"branch\": %s, \"why\": ", ir_op_info[i->op].flags & IR_TERMINATOR ? "true" : "false");
    text_json(out, why.at, why.length);
    if (v->uniformity->cause[r])
        text_printf(out, ", \"of\": %u}", number[v->uniformity->cause[r]]);
    else
        text_addz(out, ", \"of\": null}");
}

void ir_view_divergence_json(struct ir_viewer *v, uint32_t base, struct text *out)
{
    uint32_t *number = arena_array(v->arena, uint32_t, v->fn->ins.count);
    u32_vec shown = {0};
    for (uint32_t k = 0; k < v->cfg->rpo_count; k++) {
        const struct ir_block *b = ir_block_at(v->fn, v->cfg->rpo[k]);
        for (uint32_t p = 0; p < b->params.count; p++)
            vec_push(v->arena, &shown, b->params.at[p]);
        ir_each_ins(r, v->fn, v->cfg->rpo[k])
            vec_push(v->arena, &shown, r);
    }
    for (uint32_t i = 0; i < shown.count; i++)
        number[shown.at[i]] = base + i + 1;
    for (uint32_t i = 0; i < shown.count; i++)
        divergence_object(v, shown.at[i], number, !out->length, out);
}
