/* structure.c: the control-flow graph, its trees, cycles and regions, shown. */
#include "ir/views/view.h"

/* ---- control-flow graph ------------------------------------------------------------------------------ */

void ir_view_cfg_text(struct ir_viewer *v, struct text *out)
{
    ir_each_block(i, b, v->fn) {
        const struct ir_block *block = ir_block_at(v->fn, b);
        text_printf(out, "  %s ->", ir_view_block(v, b));
        for (uint32_t e = 0; e < block->edges.count; e++)
            text_printf(out, " %s", ir_view_block(v, block->edges.at[e].block));
        text_addz(out, block->edges.count ? "\n" : " exit\n");
    }
}

/* Lines of a label end with \l, which aligns them to the left. */
static void add_label_line(struct text *line, struct text *out)
{
    ir_view_dot_label(line->at, line->length, out);
    text_addz(out, "\\l");
    text_free(line);
}

/* "head(%i: i32, %sum: f32):", the entry block with the function's parameters. */
static void block_head(const struct ir_viewer *v, uint32_t b, struct text *out)
{
    const u32_vec *params = &ir_block_at(v->fn, b)->params;
    text_addz(out, ir_view_block(v, b));
    for (uint32_t i = 0; i < params->count; i++)
        text_printf(out, "%s%%%s: %s", i ? ", " : "(", v->names.values[params->at[i]],
                    ir_type_info[ir_at(v->fn, params->at[i])->type].text);
    text_addz(out, params->count ? "):" : ":");
}

void ir_view_block_text(const struct ir_viewer *v, uint32_t b, struct text *out)
{
    block_head(v, b, out);
    text_char(out, '\n');
    ir_each_ins(r, v->fn, b) {
        ir_print_named(v->fn, &v->names, r, out);
        text_char(out, '\n');
    }
}

static void block_label(const struct ir_viewer *v, uint32_t b, struct text *out)
{
    struct scratch scratch;
    struct text line = {.arena = scratch_begin(&scratch)};
    block_head(v, b, &line);
    add_label_line(&line, out);
    ir_each_ins(r, v->fn, b) {
        ir_print_named(v->fn, &v->names, r, &line);
        add_label_line(&line, out);
    }
    scratch_end(&scratch);
}

/* Edges carry what chooses them. */
void ir_view_cfg_dot(struct ir_viewer *v, struct text *out)
{
    char buffer[32], attributes[64];
    ir_each_block(i, b, v->fn) {
        text_addz(out, "  ");
        ir_view_dot_name(v, b, out);
        text_addz(out, " [label=\"");
        block_label(v, b, out);
        text_addz(out, "\"]\n");
        for (uint32_t e = 0; e < ir_block_at(v->fn, b)->edges.count; e++) {
            const char *word = ir_view_edge(v, b, e, buffer);
            snprintf(attributes, sizeof attributes, *word ? " [label=\"%s\"]" : "", word);
            ir_view_dot_edge(v, b, ir_block_at(v->fn, b)->edges.at[e].block, attributes, out);
        }
    }
}

/* Where a block's threads come from. */
void ir_view_cfg_comment(struct ir_viewer *v, ir_ref r, struct text *out)
{
    uint32_t b = ir_at(v->fn, r)->block;
    if (ir_block_at(v->fn, b)->first != r)
        return;
    ir_each_pred(p, b, v->cfg)
        text_printf(out, "%s%s", p_at == v->cfg->pred_start[b] ? "from " : ", ", ir_view_block(v, p));
}

/* ---- (post-)dominator trees -------------------------------------------------------------------------- */

static void tree_text(const struct ir_viewer *v, const struct ir_dominators *d, bool post, struct text *out)
{
    if (post)
        text_addz(out, "  exit\n");
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t b = d->order[i];
        text_printf(out, "%*s%s\n", (int)(2 * (d->depth[b] + post)), "", ir_view_block(v, b));
    }
}

static void tree_dot(const struct ir_viewer *v, const struct ir_dominators *d, bool post, struct text *out)
{
    if (post)
        ir_view_dot_block(v, IR_NO_BLOCK, "", out);
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t b = d->order[i];
        ir_view_dot_block(v, b, "", out);
        if (post || d->idom[b] != IR_NO_BLOCK)
            ir_view_dot_edge(v, d->idom[b], b, "", out);
    }
}

/* Trees speak of blocks: the comment stands at a block's first instruction. */
static void tree_comment(const struct ir_viewer *v, const struct ir_dominators *d, ir_ref r, const char *what,
                         struct text *out)
{
    uint32_t b = ir_at(v->fn, r)->block;
    if (ir_block_at(v->fn, b)->first == r && d->depth[b] > 0)
        text_printf(out, "immediate %s: %s", what,
                    d->idom[b] == IR_NO_BLOCK && d == v->dominators ? "none" : ir_view_block(v, d->idom[b]));
}

void ir_view_dominators_text(struct ir_viewer *v, struct text *out)
{
    tree_text(v, v->dominators, false, out);
}
void ir_view_dominators_dot(struct ir_viewer *v, struct text *out)
{
    tree_dot(v, v->dominators, false, out);
}
void ir_view_dominators_comment(struct ir_viewer *v, ir_ref r, struct text *out)
{
    tree_comment(v, v->dominators, r, "dominator", out);
}
void ir_view_post_dominators_text(struct ir_viewer *v, struct text *out)
{
    tree_text(v, v->post_dominators, true, out);
}
void ir_view_post_dominators_dot(struct ir_viewer *v, struct text *out)
{
    tree_dot(v, v->post_dominators, true, out);
}
void ir_view_post_dominators_comment(struct ir_viewer *v, ir_ref r, struct text *out)
{
    tree_comment(v, v->post_dominators, r, "post-dominator", out);
}

/* ---- the graph, with nested groups of blocks --------------------------------------------------------- */

static void blocks_text(const struct ir_viewer *v, const uint32_t *blocks, uint32_t count, struct text *out)
{
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, " %s", ir_view_block(v, blocks[i]));
}

static void edges_dot(const struct ir_viewer *v, struct text *out)
{
    for (uint32_t i = 0; i < v->cfg->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(v->fn, v->cfg->rpo[i]);
        for (uint32_t e = 0; e < b->edges.count; e++)
            ir_view_dot_edge(v, v->cfg->rpo[i], b->edges.at[e].block, "", out);
    }
}

/* Groups come parents first and nest by ranges of `blocks`: a stack of open ones is enough. */
struct group {
    uint32_t first, count, parent;
};

static void group_dot(const struct ir_viewer *v, const struct group *g, uint32_t count,
                      const uint32_t *blocks, const uint32_t *innermost, const char *word, struct text *out)
{
    u32_vec open = {0};
    for (uint32_t i = 0; i < count; i++) {
        while (open.count > 0 && vec_last(&open) != g[i].parent) {
            text_addz(out, "  }\n");
            open.count--;
        }
        text_printf(out, "  subgraph cluster_%u_%u {\n  label=\"%s %u\"\n", v->number, i, word, i);
        for (uint32_t k = 0; k < g[i].count; k++)
            if (innermost[blocks[g[i].first + k]] == i)
                ir_view_dot_block(v, blocks[g[i].first + k], "", out);
        vec_push(v->arena, &open, i);
    }
    for (; open.count > 0; open.count--)
        text_addz(out, "  }\n");
    for (uint32_t i = 0; i < v->cfg->rpo_count; i++)
        if (innermost[v->cfg->rpo[i]] == IR_NO_CYCLE)
            ir_view_dot_block(v, v->cfg->rpo[i], "", out);
    edges_dot(v, out);
}

/* ---- cycles ------------------------------------------------------------------------------------------ */

void ir_view_cycles_text(struct ir_viewer *v, struct text *out)
{
    if (v->cycles->count == 0)
        text_addz(out, "  none\n");
    for (uint32_t i = 0; i < v->cycles->count; i++) {
        const struct ir_cycle *c = &v->cycles->at[i];
        text_printf(out, "%*scycle %u: %s, header %s; entries", (int)(2 * c->depth), "", i,
                    c->entries.count == 1 ? "natural loop" : "irreducible", ir_view_block(v, c->header));
        blocks_text(v, c->entries.at, c->entries.count, out);
        text_addz(out, "; blocks");
        blocks_text(v, v->cycles->blocks + c->first, c->count, out);
        text_addz(out, "\n");
    }
}

void ir_view_cycles_dot(struct ir_viewer *v, struct text *out)
{
    struct group *g = arena_array(v->arena, struct group, v->cycles->count + 1);
    for (uint32_t i = 0; i < v->cycles->count; i++)
        g[i] = (struct group){v->cycles->at[i].first, v->cycles->at[i].count, v->cycles->at[i].parent};
    group_dot(v, g, v->cycles->count, v->cycles->blocks, v->cycles->innermost, "cycle", out);
}

void ir_view_cycles_comment(struct ir_viewer *v, ir_ref r, struct text *out)
{
    uint32_t b = ir_at(v->fn, r)->block, c = v->cycles->innermost[b];
    if (ir_block_at(v->fn, b)->first != r || c == IR_NO_CYCLE)
        return;
    text_printf(out, "cycle %u%s, depth %u", c, v->cycles->at[c].header == b ? " (header)" : "",
                v->cycles->at[c].depth);
}

/* ---- program structure tree -------------------------------------------------------------------------- */

static void edge_text(const struct ir_viewer *v, struct ir_edge_ref e, struct text *out)
{
    text_printf(out, "%s -> %s", e.from == IR_NO_BLOCK ? "start" : ir_view_block(v, e.from),
                ir_view_block(v, e.to));
}

void ir_view_pst_text(struct ir_viewer *v, struct text *out)
{
    for (uint32_t i = 0; i < v->pst->count; i++) {
        const struct ir_region *r = &v->pst->at[i];
        text_printf(out, "%*sregion %u: ", (int)(2 * r->depth + 2), "", i);
        if (i == 0) {
            text_addz(out, "the function");
        } else {
            edge_text(v, r->entry, out);
            text_addz(out, " .. ");
            edge_text(v, r->exit, out);
        }
        text_addz(out, "; blocks");
        blocks_text(v, v->pst->blocks + r->first, r->count, out);
        text_addz(out, "\n");
    }
}

void ir_view_pst_dot(struct ir_viewer *v, struct text *out)
{
    struct group *g = arena_array(v->arena, struct group, v->pst->count);
    for (uint32_t i = 0; i < v->pst->count; i++)
        g[i] = (struct group){v->pst->at[i].first, v->pst->at[i].count, v->pst->at[i].parent};
    group_dot(v, g, v->pst->count, v->pst->blocks, v->pst->innermost, "region", out);
}

void ir_view_pst_comment(struct ir_viewer *v, ir_ref r, struct text *out)
{
    uint32_t b = ir_at(v->fn, r)->block;
    if (ir_block_at(v->fn, b)->first == r && bitset_has(v->cfg->reachable, b))
        text_printf(out, "region %u, depth %u", v->pst->innermost[b], v->pst->at[v->pst->innermost[b]].depth);
}
