/* views.c: the table of views, and what all of them use. */
#include "ir/views/view.h"

const struct ir_view_info ir_view_info[IR_VIEWS] = {
#define VIEW(name, word, meaning) {word, meaning},
#include "ir/views/views.def"
};

static const struct {
    void (*text)(struct ir_viewer *, struct text *), (*dot)(struct ir_viewer *, struct text *);
    void (*comment)(struct ir_viewer *, ir_ref, struct text *);
} views[IR_VIEWS] = {
#define VIEW(name, word, meaning) {ir_view_##name##_text, ir_view_##name##_dot, ir_view_##name##_comment},
#include "ir/views/views.def"
};

enum ir_view ir_view_find(const char *text, size_t n)
{
    int v = 0;
    while (v < IR_VIEWS && (strlen(ir_view_info[v].text) != n || memcmp(ir_view_info[v].text, text, n) != 0))
        v++;
    return (enum ir_view)v;
}

struct ir_viewer *ir_viewer_new(struct arena *a, const struct ir_function *f)
{
    struct ir_viewer *v = arena_new(a, struct ir_viewer);
    v->arena = a;
    v->fn = f;
    v->names = ir_names_new(a, f);
    v->cfg = ir_cfg_new(a, f);
    v->dominators = ir_dominators_new(a, v->cfg);
    v->post_dominators = ir_post_dominators_new(a, v->cfg);
    v->cycles = ir_cycles_new(a, v->cfg);
    v->pst = ir_pst_new(a, v->cfg);
    v->control = ir_control_dependence_new(a, v->cfg, v->post_dominators);
    v->tokens = ir_tokens_new(a, v->cfg);
    v->uniformity = ir_uniformity_new(a, v->cfg, v->cycles, v->tokens, NULL);
    return v;
}

void ir_view_text(struct ir_viewer *v, enum ir_view what, struct text *out)
{
    text_printf(out, "%s of @%s\n", ir_view_info[what].text, v->fn->name);
    views[what].text(v, out);
}

void ir_view_dot_begin(struct text *out)
{
    text_addz(out, "digraph kernc {\n  node [shape=box, fontname=monospace, fontsize=10]\n"
                   "  edge [fontname=monospace, fontsize=10]\n");
}

void ir_view_dot(struct ir_viewer *v, enum ir_view what, uint32_t number, struct text *out)
{
    v->number = number;
    text_printf(out, "  subgraph cluster_%u {\n  label=\"%s of ", number, ir_view_info[what].text);
    ir_view_dot_label(v->fn->name, strlen(v->fn->name), out);
    text_addz(out, "\"\n");
    views[what].dot(v, out);
    text_addz(out, "  }\n");
}

void ir_view_dot_end(struct text *out)
{
    text_addz(out, "}\n");
}

/* ---- comments ---------------------------------------------------------------------------------------- */

struct commenting {
    struct ir_viewer *viewer;
    enum ir_view what;
};

static const char *comment(void *data, const struct ir_function *f, ir_ref r)
{
    struct commenting *c = data;
    struct text line = {.arena = c->viewer->arena};
    views[c->what].comment(c->viewer, r, &line);
    return line.length > 0 ? line.at : NULL;
}

void ir_view_comments(struct ir_viewer *v, enum ir_view what, struct text *out)
{
    struct commenting c = {v, what};
    struct ir_print_options o = {.locations = true, .comment = comment, .data = &c};
    ir_print_function(v->fn, out, &o);
}

/* ---- divergence in dumps ----------------------------------------------------------------------------- */

static bool is_verified(const struct ir_function *f)
{
    struct scratch scratch;
    struct diagnostics d;
    diag_init(&d, scratch_begin(&scratch), NULL);
    bool fine = ir_verify_function(f, &d);
    scratch_end(&scratch);
    return fine;
}

/* Only what uniformity needs. */
static struct ir_viewer *uniformity_viewer(struct arena *a, const struct ir_function *f)
{
    struct ir_viewer *v = arena_new(a, struct ir_viewer);
    v->arena = a;
    v->fn = f;
    v->names = ir_names_new(a, f);
    v->cfg = ir_cfg_new(a, f);
    v->cycles = ir_cycles_new(a, v->cfg);
    v->tokens = ir_tokens_new(a, v->cfg);
    v->uniformity = ir_uniformity_new(a, v->cfg, v->cycles, v->tokens, NULL);
    return v;
}

static const char *mark(void *data, const struct ir_function *f, ir_ref r)
{
    return ir_view_mark(((struct commenting *)data)->viewer, r);
}

static void print_divergence(const struct ir_function *f, bool causes, struct text *out)
{
    struct scratch scratch;
    struct arena *a = scratch_begin(&scratch);
    if (f->order.count && is_verified(f)) {
        struct commenting c = {uniformity_viewer(a, f), IR_VIEW_uniformity};
        struct ir_print_options o = {.locations = true, .comment = causes ? comment : mark, .data = &c};
        ir_print_function(f, out, &o);
    } else {
        ir_print_function(f, out, NULL);
    }
    scratch_end(&scratch);
}

void ir_print_divergence(const struct ir_function *f, struct text *out)
{
    print_divergence(f, true, out);
}

void ir_print_divergence_marks(const struct ir_function *f, struct text *out)
{
    print_divergence(f, false, out);
}

/* ---- names ------------------------------------------------------------------------------------------- */

void ir_view_value(const struct ir_viewer *v, ir_ref r, struct text *out)
{
    const struct ir_ins *i = ir_at(v->fn, r);
    if (i->op == IR_constant)
        ir_print_constant(i->type, (scalar_bits)i->imm, out);
    else if (i->type != IR_TYPE_VOID)
        text_printf(out, "%%%s", v->names.values[r]);
    else
        text_printf(out, "%s of %s", ir_op_info[i->op].text, ir_view_block(v, i->block));
}

const char *ir_view_block(const struct ir_viewer *v, uint32_t b)
{
    return b == IR_NO_BLOCK ? "exit" : v->names.blocks[b];
}

const char *ir_view_edge(const struct ir_viewer *v, uint32_t b, uint32_t e, char buffer[32])
{
    const struct ir_block *block = ir_block_at(v->fn, b);
    switch (ir_at(v->fn, block->last)->op) {
    case IR_brif: return e == 0 ? "yes" : "no";
    case IR_switch:
        if (e == 0)
            return "default";
        snprintf(buffer, 32, "case %lld", (long long)block->edges.at[e].value);
        return buffer;
    default: return "";
    }
}

/* ---- graphs -------------------------------------------------------------------------------------------- */

void ir_view_dot_label(const char *s, size_t n, struct text *out)
{
    struct scratch scratch;
    struct text shown = {.arena = scratch_begin(&scratch)};
    text_visible_line(&shown, s, n);
    for (size_t i = 0; i < shown.length; i++) {
        if (strchr("\"\\", shown.at[i]))
            text_char(out, '\\');
        text_char(out, shown.at[i]);
    }
    scratch_end(&scratch);
}

void ir_view_dot_name(const struct ir_viewer *v, uint32_t b, struct text *out)
{
    if (b == IR_NO_BLOCK)
        text_printf(out, "g%u_exit", v->number);
    else
        text_printf(out, "g%u_b%u", v->number, b);
}

void ir_view_dot_block(const struct ir_viewer *v, uint32_t b, const char *attributes, struct text *out)
{
    const char *name = ir_view_block(v, b);
    text_addz(out, "  ");
    ir_view_dot_name(v, b, out);
    text_addz(out, " [label=\"");
    ir_view_dot_label(name, strlen(name), out);
    text_printf(out, "\"%s]\n", attributes);
}

void ir_view_dot_edge(const struct ir_viewer *v, uint32_t from, uint32_t to, const char *attributes,
                      struct text *out)
{
    text_addz(out, "  ");
    ir_view_dot_name(v, from, out);
    text_addz(out, " -> ");
    ir_view_dot_name(v, to, out);
    text_printf(out, "%s\n", attributes);
}
