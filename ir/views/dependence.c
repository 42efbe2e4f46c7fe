/* dependence.c: dependences, uniformity and tokens, shown. In graphs, control dependences are solid and
 * data dependences dashed, as in the papers.
 */
#include "ir/analysis/pdg.h"
#include "ir/views/view.h"

/* ---- program dependence graph ------------------------------------------------------------------------ */

static struct ir_pdg *whole_pdg(struct ir_viewer *v)
{
    const struct ir_memory *m = ir_memory_new(v->arena, v->fn, v->cfg);
    return ir_pdg_new(v->arena, m, v->cfg, v->cycles, v->control, v->pst, 0);
}

static const char *edge_word(const struct ir_viewer *v, struct ir_control c, char buffer[32])
{
    return ir_view_edge(v, c.branch, c.edge, buffer);
}

static const char *const dependence_words[] = {"", "flow", "anti", "output", "effect"};

void ir_view_pdg_text(struct ir_viewer *v, struct text *out)
{
    char buffer[32];
    text_addz(out, "  control:\n");
    for (uint32_t i = 0; i < v->cfg->rpo_count; i++) {
        uint32_t b = v->cfg->rpo[i];
        text_printf(out, "    %s <-", ir_view_block(v, b));
        for (uint32_t k = v->control->start[b]; k < v->control->start[b + 1]; k++)
            text_printf(out, " %s:%s", ir_view_block(v, v->control->on[k].branch),
                        edge_word(v, v->control->on[k], buffer));
        text_addz(out, v->control->start[b] == v->control->start[b + 1] ? " start\n" : "\n");
    }
    struct ir_pdg *g = whole_pdg(v);
    text_printf(out, "  memory%s:\n",
                g->precise ? "" : " (too many to compare: any two accesses may depend on each other)");
    for (uint32_t i = 0; i < g->memory.count; i++)
        for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
            text_addz(out, "    ");
            ir_print_named(v->fn, &v->names, g->memory.at[i], out);
            text_printf(out, "  <- %s ", dependence_words[g->on.at[k].kind]);
            ir_print_named(v->fn, &v->names, g->on.at[k].from, out);
            if (g->on.at[k].cycle != IR_NO_CYCLE)
                text_printf(out, ", carried by the cycle of %s",
                            ir_view_block(v, v->cycles->at[g->on.at[k].cycle].header));
            text_addz(out, "\n");
        }
}

static void node_dot(const struct ir_viewer *v, ir_ref r, struct text *out)
{
    struct text label = {.arena = v->arena};
    ir_print_named(v->fn, &v->names, r, &label);
    text_printf(out, "  g%u_i%u [label=\"", v->number, r);
    ir_view_dot_label(label.at, label.length, out);
    text_addz(out, "\"]\n");
}

static void value_dot(const struct ir_viewer *v, ir_ref from, ir_ref to, const char *label, struct text *out)
{
    if (ir_at(v->fn, from)->op != IR_constant)
        text_printf(out, "  g%u_i%u -> g%u_i%u [style=dashed%s%s]\n", v->number, from, v->number, to,
                    *label ? ", label=" : "", label);
}

/* Parameters take what the edges to their block bring. */
static void params_dot(const struct ir_viewer *v, uint32_t b, struct text *out)
{
    const u32_vec *params = &ir_block_at(v->fn, b)->params;
    for (uint32_t i = 0; i < params->count; i++) {
        text_printf(out, "  g%u_i%u [shape=ellipse, label=\"%%", v->number, params->at[i]);
        const char *name = v->names.values[params->at[i]];
        ir_view_dot_label(name, strlen(name), out);
        text_addz(out, "\"]\n");
        ir_each_pred(p, b, v->cfg) {
            const struct ir_edge *edge = &ir_block_at(v->fn, p)->edges.at[v->cfg->pred_edges[p_at]];
            value_dot(v, edge->args[i], params->at[i], "", out);
        }
    }
}

static void instruction_dot(const struct ir_viewer *v, ir_ref r, struct text *out)
{
    char buffer[32];
    const struct ir_ins *ins = ir_at(v->fn, r);
    node_dot(v, r, out);
    for (uint32_t k = v->control->start[ins->block]; k < v->control->start[ins->block + 1]; k++)
        text_printf(out, "  g%u_i%u -> g%u_i%u [label=\"%s\"]\n", v->number,
                    ir_terminator(v->fn, v->control->on[k].branch), v->number, r,
                    edge_word(v, v->control->on[k], buffer));
    for (uint32_t k = 0; k < ins->argc; k++)
        value_dot(v, ins->args[k], r, "", out);
}

void ir_view_pdg_dot(struct ir_viewer *v, struct text *out)
{
    struct ir_pdg *g = whole_pdg(v);
    for (uint32_t i = 0; i < v->cfg->rpo_count; i++) {
        params_dot(v, v->cfg->rpo[i], out);
        ir_each_ins(r, v->fn, v->cfg->rpo[i])
            instruction_dot(v, r, out);
    }
    for (uint32_t i = 0; i < g->memory.count; i++)
        for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++)
            value_dot(v, g->on.at[k].from, g->memory.at[i], dependence_words[g->on.at[k].kind], out);
}

void ir_view_pdg_comment(struct ir_viewer *v, ir_ref r, struct text *out)
{
    char buffer[32];
    uint32_t b = ir_at(v->fn, r)->block;
    if (ir_block_at(v->fn, b)->first != r)
        return;
    for (uint32_t k = v->control->start[b]; k < v->control->start[b + 1]; k++)
        text_printf(out, "%s%s:%s", k == v->control->start[b] ? "runs if " : " or ",
                    ir_view_block(v, v->control->on[k].branch), edge_word(v, v->control->on[k], buffer));
}

/* ---- uniformity -------------------------------------------------------------------------------------- */

static void source_text(const struct ir_viewer *v, ir_ref r, struct text *out)
{
    const struct ir_ins *i = ir_at(v->fn, r);
    if (i->op == IR_special)
        text_addz(out, ir_special_info[i->imm].text);
    else if (i->op == IR_param)
        text_addz(out, "parameter");
    else if (i->op == IR_load)
        text_addz(out, ir_load_source(v->fn, r));
    else
        text_addz(out, ir_op_info[i->op].text);
}

static bool is_branch(const struct ir_viewer *v, ir_ref r)
{
    const struct ir_ins *i = ir_at(v->fn, r);
    return ir_op_info[i->op].flags & IR_TERMINATOR && ir_block_at(v->fn, i->block)->edges.count > 1;
}

static bool is_divergent(const struct ir_viewer *v, ir_ref r)
{
    return bitset_has(v->uniformity->divergent, r) ||
           (is_branch(v, r) && bitset_has(v->uniformity->branches, ir_at(v->fn, r)->block));
}

const char *ir_view_mark(const struct ir_viewer *v, ir_ref r)
{
    const struct ir_ins *i = ir_at(v->fn, r);
    bool valued = i->type != IR_TYPE_VOID && i->type != IR_TYPE_TOKEN;
    if (!bitset_has(v->cfg->reachable, i->block) || !(valued || is_branch(v, r)))
        return NULL;
    return is_divergent(v, r) ? "divergent" : "uniform";
}

void ir_view_why(const struct ir_viewer *v, ir_ref r, struct text *out)
{
    static const char *const words[] = {
        [IR_DIV_NONE] = "",
        [IR_DIV_SOURCE] = "",
        [IR_DIV_DATA] = "data",
        [IR_DIV_SYNC] = "threads that a divergent branch separated come together",
        [IR_DIV_TEMPORAL] = "threads leave the loop in different iterations",
        [IR_DIV_ANCHOR] = "groups of an anchor",
        [IR_DIV_CYCLE] = "not m-converged",
    };
    if (!is_divergent(v, r))
        return;
    text_addz(out, words[v->uniformity->kind[r]]);
    if (v->uniformity->kind[r] == IR_DIV_SOURCE)
        source_text(v, r, out);
    if (!out->length)
        text_addz(out, "divergent");
}

void ir_view_divergence(const struct ir_viewer *v, ir_ref r, struct text *out)
{
    static const char *const words[] = {
        [IR_DIV_NONE] = "",
        [IR_DIV_SOURCE] = "",
        [IR_DIV_DATA] = "",
        [IR_DIV_SYNC] = "joins ",
        [IR_DIV_TEMPORAL] = "iterations ",
        [IR_DIV_ANCHOR] = "groups ",
        [IR_DIV_CYCLE] = "not m-converged",
    };
    const struct ir_uniformity *u = v->uniformity;
    if (!is_divergent(v, r))
        return;
    text_printf(out, "divergent: %s", words[u->kind[r]]);
    if (u->kind[r] == IR_DIV_SOURCE)
        source_text(v, r, out);
    if (u->cause[r] == 0)
        return;
    text_addz(out, "<- ");
    ir_view_value(v, u->cause[r], out);
}

static void divergent_line(const struct ir_viewer *v, ir_ref r, struct text *out)
{
    struct text why = {.arena = v->arena};
    ir_view_divergence(v, r, &why);
    if (why.length > 0) {
        text_addz(out, "  ");
        ir_view_value(v, r, out);
        text_printf(out, " %s\n", why.at);
    }
}

static const char *header_of(const struct ir_viewer *v, uint32_t cycle)
{
    return ir_view_block(v, v->cycles->at[cycle].header);
}

static void cycles_text(const struct ir_viewer *v, struct text *out)
{
    for (uint32_t c = 0; c < v->cycles->count; c++) {
        uint32_t beyond = v->uniformity->divergent_exit[c];
        if (beyond == IR_NO_CYCLE)
            continue;
        text_printf(out, "  cycle %u (header %s): threads leave it in different iterations", c,
                    header_of(v, c));
        if (beyond != c)
            text_printf(out, ", as they leave cycle %u (header %s)", beyond, header_of(v, beyond));
        text_addz(out, "\n");
    }
}

/* Within what alone its branch is uniform, and whether it is m-converged. */
static void block_text(const struct ir_viewer *v, uint32_t b, struct text *out)
{
    const struct ir_uniformity *u = v->uniformity;
    uint32_t i = bitset_has(u->branches, b) ? 0 : u->first_scoped[b];
    for (; i != 0; i = u->scoped.at[i - 1].next) {
        ir_ref anchor = ir_scope_anchor(u->scopes, u->scoped.at[i - 1].scope);
        text_printf(out, "  block %s: its branch is uniform in each ", ir_view_block(v, b));
        if (anchor != 0)
            text_printf(out, "group of %%%s\n", v->names.values[anchor]);
        else
            text_printf(out, "iteration of cycle %u (header %s)\n", u->scoped.at[i - 1].scope,
                        header_of(v, u->scoped.at[i - 1].scope));
    }
    if (!ir_is_converged(u, b) && u->unconverged[b] != IR_NO_CYCLE)
        text_printf(out, "  block %s: not m-converged, for the sake of cycle %u (header %s)\n",
                    ir_view_block(v, b), u->unconverged[b], header_of(v, u->unconverged[b]));
}

void ir_view_uniformity_text(struct ir_viewer *v, struct text *out)
{
    for (uint32_t i = 0; i < v->cfg->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(v->fn, v->cfg->rpo[i]);
        for (uint32_t p = 0; p < b->params.count; p++)
            divergent_line(v, b->params.at[p], out);
        ir_each_ins(r, v->fn, v->cfg->rpo[i])
            divergent_line(v, r, out);
    }
    cycles_text(v, out);
    for (uint32_t i = 0; i < v->cfg->rpo_count; i++)
        block_text(v, v->cfg->rpo[i], out);
}

void ir_view_uniformity_dot(struct ir_viewer *v, struct text *out)
{
    for (uint32_t i = 0; i < v->cfg->rpo_count; i++) {
        uint32_t b = v->cfg->rpo[i];
        const struct ir_block *block = ir_block_at(v->fn, b);
        bool divergent = bitset_has(v->uniformity->branches, b);
        ir_view_dot_block(v, b, divergent ? ", style=filled, fillcolor=orange" : "", out);
        for (uint32_t e = 0; e < block->edges.count; e++)
            ir_view_dot_edge(v, b, block->edges.at[e].block, divergent ? " [color=red]" : "", out);
    }
}

void ir_view_uniformity_comment(struct ir_viewer *v, ir_ref r, struct text *out)
{
    const char *word = ir_view_mark(v, r);
    if (word && is_divergent(v, r))
        ir_view_divergence(v, r, out);
    else if (word)
        text_addz(out, word);
}

/* ---- tokens ------------------------------------------------------------------------------------------ */

void ir_view_tokens_text(struct ir_viewer *v, struct text *out)
{
    if (v->tokens->defs.count == 0)
        text_addz(out, "  none\n");
    for (uint32_t i = 0; i < v->tokens->defs.count; i++) {
        ir_ref def = v->tokens->defs.at[i];
        struct ir_token_region *g = ir_token_region_new(v->arena, v->tokens, def);
        text_addz(out, "  ");
        ir_print_named(v->fn, &v->names, def, out);
        text_printf(out, " in %s; region", ir_view_block(v, ir_at(v->fn, def)->block));
        for (uint32_t b = 0; b < g->blocks.count; b++)
            text_printf(out, " %s%s", ir_view_block(v, g->blocks.at[b]),
                        g->ends.at[b] == IR_REGION_THROUGH ? "" : ".");
        text_addz(out, "\n");
        for (uint32_t u = v->tokens->use_start[i]; u < v->tokens->use_start[i + 1]; u++) {
            text_addz(out, "    ");
            ir_print_named(v->fn, &v->names, v->tokens->uses[u], out);
            text_printf(out, " in %s\n", ir_view_block(v, ir_at(v->fn, v->tokens->uses[u])->block));
        }
    }
}

void ir_view_tokens_dot(struct ir_viewer *v, struct text *out)
{
    for (uint32_t i = 0; i < v->tokens->defs.count; i++)
        node_dot(v, v->tokens->defs.at[i], out);
    for (uint32_t i = 0; i < v->tokens->defs.count; i++)
        for (uint32_t u = v->tokens->use_start[i]; u < v->tokens->use_start[i + 1]; u++) {
            ir_ref user = v->tokens->uses[u];
            if (v->tokens->index[user] == UINT32_MAX)
                node_dot(v, user, out);
            text_printf(out, "  g%u_i%u -> g%u_i%u\n", v->number, v->tokens->defs.at[i], v->number, user);
        }
}

/* Which tokens are live where a block begins. */
void ir_view_tokens_comment(struct ir_viewer *v, ir_ref r, struct text *out)
{
    uint32_t b = ir_at(v->fn, r)->block;
    if (ir_block_at(v->fn, b)->first != r)
        return;
    for (uint32_t i = 0; i < v->tokens->defs.count; i++)
        if (ir_token_region_has(ir_token_region_new(v->arena, v->tokens, v->tokens->defs.at[i]), v->tokens,
                                r)) {
            text_addz(out, out->length == 0 ? "in the region of " : ", ");
            ir_view_value(v, v->tokens->defs.at[i], out);
        }
}
