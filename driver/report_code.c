/* report_code.c: what the compiler makes of the program, as members of an experiment: convergent operations,
 * the IR after each pass, why values diverge, and control-flow graphs with the places that Graphviz gives
 * their blocks.
 */
#include "base/program.h"
#include "driver/report.h"
#include "ir/views/views.h"

#include <errno.h>
#include <stdlib.h>

/* ---- convergent operations --------------------------------------------------------------------------- */

static bool is_operation(const struct ir_function *f, ir_ref r)
{
    const struct ir_ins *i = ir_at(f, r);
    return i->type != IR_TYPE_TOKEN && i->op != IR_call && i->op != IR_icall && ir_is_convergent(f, r);
}

void report_operations(const struct ir_module *m, struct text *out)
{
    uint32_t n = 0;
    text_addz(out, "[");
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        ir_each_block(k, b, f)
            ir_each_ins(r, f, b) {
                if (!is_operation(f, r) || !ir_at(f, r)->at.line)
                    continue;
                const char *name = ir_op_info[ir_at(f, r)->op].text;
                text_printf(out, "%s{\"line\": %u, \"column\": %u, ", n++ ? ",\n  " : "\n  ",
                            ir_at(f, r)->at.line, ir_at(f, r)->at.column);
                report_string(out, "function", f->name, strlen(f->name));
                text_addz(out, ", ");
                report_string(out, "name", name, strlen(name));
                text_char(out, '}');
            }
    }
    text_addz(out, "]");
}

/* ---- passes ------------------------------------------------------------------------------------------ */

/* One heading, "; *** IR Dump After mem2reg on saxpy ***", or "# …" for machine code, and what follows up to
 * the next. */
struct dump {
    const char *pass, *function, *body;
    size_t pass_length, function_length, length;
};

static const char *heading_at(const char *at)
{
    return (*at == ';' || *at == '#') && strncmp(at + 1, " *** IR Dump ", 13) == 0 ? at + 14 : NULL;
}

/* The next heading at or behind `at`, where a line begins; NULL: there is none. */
static const char *next_heading(const char *at)
{
    while (at && *at && !heading_at(at)) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at && *at ? at : NULL;
}

static struct dump read_dump(const char *at)
{
    struct dump d = {.pass = heading_at(at)};
    const char *end = strchr(d.pass, '\n'), *on = strstr(d.pass, " on ");
    if (strncmp(d.pass, "After ", 6) == 0) {
        d.pass += 6;
        d.pass_length = (size_t)(on - d.pass);
    }
    d.function = on + 4;
    d.function_length = (size_t)(strstr(d.function, " ***") - d.function);
    d.body = end ? end + 1 : "";
    const char *next = next_heading(d.body);
    d.length = next ? (size_t)(next - d.body) : strlen(d.body);
    while (d.length && d.body[d.length - 1] == '\n')
        d.length--;
    return d;
}

void report_passes(struct report_table *texts, const struct text *printed, struct text *out)
{
    uint32_t n = 0;
    text_addz(out, "[");
    for (const char *at = next_heading(printed->at); at; n++) {
        struct dump d = read_dump(at);
        text_addz(out, n ? ",\n  {" : "\n  {");
        report_string(out, "name", d.pass, d.pass_length);
        text_addz(out, ", ");
        report_string(out, "function", d.function, d.function_length);
        text_printf(out, ", \"text\": %u}", report_table_index(texts, d.body, d.length));
        at = next_heading(d.body);
    }
    text_addz(out, "]");
}

/* ---- Graphviz ---------------------------------------------------------------------------------------- */

enum { MOST_BLOCKS = 300 }; /* of a graph that Graphviz places: larger ones take it minutes */

/* The words of one line of `dot -Tplain`. */
struct words {
    const char *at;
};

static double next_number(struct words *w)
{
    char *end;
    double d = strtod(w->at, &end);
    w->at = end;
    return d;
}

/* "N X1 Y1 … XN YN …", of an edge. */
static const char *edge_points(struct arena *a, struct words *w, double height)
{
    struct text out = {.arena = a};
    int n = (int)next_number(w);
    text_char(&out, '[');
    for (int i = 0; i < n; i++) {
        double x = next_number(w), y = next_number(w);
        text_printf(&out, "%s[%.3f, %.3f]", i ? ", " : "", x, height - y);
    }
    text_char(&out, ']');
    return out.at;
}

static uint64_t edge_key(uint32_t from, uint32_t to, uint32_t n)
{
    return hash_mix((uint64_t)from << 32 | to, n);
}

/* What `dot -Tplain` says of the graph that was given to it, as "layout"; y counts downwards. Nodes 0, 1, …
 * come in their order. Edges do not: they are put as the graph has them, equal ones in any order. */
static void layout_json(struct arena *a, const char *graph, const char *plain, struct text *out)
{
    double height = 0;
    uint32_t nodes = 0, edges = 0;
    struct map index = {0}, seen = {0};
    VEC(const char *) points = {0};
    for (const char *at = plain; at; at = strchr(at, '\n'), at = at ? at + 1 : NULL) {
        struct words w = {at + strcspn(at, " \n")};
        if (strncmp(at, "graph ", 6) == 0) {
            next_number(&w);
            double width = next_number(&w);
            height = next_number(&w);
            text_printf(out, "{\"width\": %.3f, \"height\": %.3f, \"blocks\": [", width, height);
        } else if (strncmp(at, "node ", 5) == 0) {
            next_number(&w);
            double x = next_number(&w), y = next_number(&w), wide = next_number(&w), high = next_number(&w);
            text_printf(out, "%s[%.3f, %.3f, %.3f, %.3f]", nodes++ ? ", " : "", x, height - y, wide, high);
        } else if (strncmp(at, "edge ", 5) == 0) {
            uint32_t from = (uint32_t)next_number(&w), to = (uint32_t)next_number(&w), n = 0;
            while (map_get(&index, edge_key(from, to, n)) != MAP_NONE)
                n++;
            map_set(a, &index, edge_key(from, to, n), points.count);
            vec_push(a, &points, edge_points(a, &w, height));
        }
    }
    text_addz(out, "], \"edges\": [");
    for (const char *at = graph; (at = strstr(at, " -> ")); at += 4) {
        const char *line = at;
        while (line[-1] != '\n')
            line--;
        uint32_t from = (uint32_t)strtoul(line, NULL, 10), to = (uint32_t)strtoul(at + 4, NULL, 10), n = 0;
        while (map_get(&seen, edge_key(from, to, n)) != MAP_NONE)
            n++;
        map_set(a, &seen, edge_key(from, to, n), 1);
        uint32_t k = map_get(&index, edge_key(from, to, n));
        text_printf(out, "%s%s", edges++ ? ", " : "", k == MAP_NONE ? "[]" : points.at[k]);
    }
    text_addz(out, "]}");
}

/* NULL: nobody places the blocks. */
static const char *layout_of(struct arena *a, struct ir_viewer *v, uint32_t blocks, bool *placed)
{
    static const char *const dot[] = {"dot", "-Tplain", NULL};
    struct text boxes = {.arena = a}, plain = {.arena = a}, layout = {.arena = a};
    if (!*placed || blocks > MOST_BLOCKS)
        return NULL;
    ir_view_boxes_dot(v, &boxes);
    struct program_end end = program_run(
        dot, &(struct program_streams){.input = &boxes, .output = &plain, .most = (size_t)16 << 20});
    if (end.problem == ENOMEM)
        mem_fail(0);
    *placed = end.is_well && plain.length;
    if (!*placed)
        return NULL;
    layout_json(a, boxes.at, plain.at, &layout);
    return layout.at;
}

/* ---- functions --------------------------------------------------------------------------------------- */

/* By block of the function the rows of the block table that it became. */
static struct rows code_of(struct arena *a, const kernc_result *r, const struct ir_function *f)
{
    struct edge_list list = {0};
    for (uint32_t i = 0; r->program && i < r->program->origins.count; i++) {
        struct bc_origin o = r->program->origins.at[i];
        if (o.function == f->id && o.block != BC_NO_TARGET)
            edge_add(a, &list, o.block, i);
    }
    return rows_of_edges(a, f->blocks.count, &list);
}

void report_functions(kernc_result *r, bool *placed, struct text *out)
{
    struct scratch scratch;
    struct arena *a = scratch_begin(&scratch);
    struct text divergence = {.arena = a}, graphs = {.arena = a};
    uint32_t base = 0;
    for (uint32_t i = 0; i < r->module->functions.count; i++) {
        const struct ir_function *f = r->module->functions.at[i];
        if (!f->order.count)
            continue;
        struct ir_viewer *v = ir_viewer_new(a, f);
        struct rows code = code_of(a, r, f);
        ir_view_divergence_json(v, base, &divergence);
        base += f->ins.count;
        text_addz(&graphs, graphs.length ? ",\n " : "\n ");
        ir_view_graph_json(v, &code, scheme_has(r->scheme, SCHEME_FRONTIERS),
                           layout_of(a, v, f->order.count, placed), &graphs);
    }
    text_addz(out, ",\n\"divergence\": [");
    text_add(out, divergence.at ? divergence.at : "", divergence.length);
    text_addz(out, "],\n\"graphs\": [");
    text_add(out, graphs.at ? graphs.at : "", graphs.length);
    text_char(out, ']');
    scratch_end(&scratch);
}
