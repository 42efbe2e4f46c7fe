/* dot.c: see dot.h. Edges carry what chooses them: "yes" and "no" of a brif, the cases of a switch. */
#include "lib/dot.h"

/* Text inside a quoted label; each line of it ends with \l, which aligns it to the left. */
static void add_label_line(struct text *out, const char *s, size_t n)
{
    struct text shown = {0};
    text_visible_line(&shown, s, n);
    for (size_t i = 0; i < shown.length; i++) {
        if (strchr("\"\\", shown.at[i]))
            text_char(out, '\\');
        text_char(out, shown.at[i]);
    }
    text_addz(out, "\\l");
    text_free(&shown);
}

static void add_block_head(const struct ir_function *f, uint32_t b, struct text *out)
{
    char        buffer[64];
    const char *name = ir_block_name(f, b, buffer);
    struct text line = {0};
    text_printf(&line, "%s(%u):", name, ir_block_at(f, b)->params.count);
    add_label_line(out, line.at, line.length);
    text_free(&line);
}

static void add_block(const struct ir_function *f, uint32_t b, struct text *out)
{
    text_printf(out, "    f%u_b%u [label=\"", f->id, b);
    add_block_head(f, b, out);
    for ir_each_ins (r, f, b) {
        struct text line = {0};
        ir_print_ins(f, r, &line);
        add_label_line(out, line.at, line.length);
        text_free(&line);
    }
    text_addz(out, "\"];\n");
}

static void add_edge_label(const struct ir_function *f, uint32_t b, uint32_t e, struct text *out)
{
    const struct ir_block *block = ir_block_at(f, b);
    enum ir_op             op = (enum ir_op)ir_at(f, block->last)->op;
    if (op == IR_brif)
        text_printf(out, " [label=\"%s\"]", e == 0 ? "yes" : "no");
    else if (op == IR_switch && e > 0)
        text_printf(out, " [label=\"%lld\"]", (long long)block->edges.at[e].value);
}

static void add_edges(const struct ir_function *f, uint32_t b, struct text *out)
{
    const struct ir_block *block = ir_block_at(f, b);
    for (uint32_t e = 0; e < block->edges.count; e++) {
        text_printf(out, "    f%u_b%u -> f%u_b%u", f->id, b, f->id, block->edges.at[e].block);
        add_edge_label(f, b, e, out);
        text_addz(out, ";\n");
    }
}

static void add_function(const struct ir_function *f, struct text *out)
{
    text_printf(out, "  subgraph cluster_%u {\n    label=\"%s\";\n", f->id, f->name);
    for ir_each_block (i, b, f)
        add_block(f, b, out);
    for ir_each_block (i, b, f)
        add_edges(f, b, out);
    text_addz(out, "  }\n");
}

void dot_module(const struct ir_module *m, struct text *out)
{
    text_addz(out, "digraph kernc {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n");
    for (uint32_t i = 0; i < m->functions.count; i++)
        if (m->functions.at[i]->order.count)
            add_function(m->functions.at[i], out);
    text_addz(out, "}\n");
}
