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

/* What is printed is lines of the optimiser's steps, "BISECT: running pass (5) gvn on saxpy", and dumps: a
 * heading, "; *** IR Dump After mem2reg on saxpy ***", "; *** Barriers of saxpy: STAGE ***", or "# …" for
 * machine code, and what follows up to the next of these. */
static const char dump_mark[] = " *** IR Dump ", stage_mark[] = " *** Barriers of ", step_mark[] = "BISECT: ";

static bool begins(const char *at, const char *with)
{
    return strncmp(at, with, strlen(with)) == 0;
}

static bool is_heading(const char *at)
{
    return begins(at, step_mark) ||
           ((*at == ';' || *at == '#') && (begins(at + 1, dump_mark) || begins(at + 1, stage_mark)));
}

/* The next heading at or behind `at`, where a line begins; the end of the text. */
static const char *next_heading(const char *at)
{
    while (*at && !is_heading(at)) {
        const char *end = strchr(at, '\n');
        at = end ? end + 1 : at + strlen(at);
    }
    return at;
}

static const char *up_to(struct arena *a, const char *at, const char *end)
{
    return arena_strdup(a, at, end ? (size_t)(end - at) : strlen(at));
}

/* The function's IR behind the heading. */
static uint32_t body_of(struct report_table *texts, const char *heading)
{
    const char *body = strchr(heading, '\n');
    body = body ? body + 1 : "";
    size_t n = (size_t)(next_heading(body) - body);
    while (n && body[n - 1] == '\n')
        n--;
    return report_table_index(texts, body, n);
}

/* Whether the pass has changed the function in this step already: then a required one of the same name
 * follows. */
static bool is_twice(const report_passes *all, const struct report_pass *p)
{
    for (uint32_t i = all->count; i-- > 0 && all->at[i].step == p->step;)
        if (!all->at[i].required && strcmp(all->at[i].function, p->function) == 0)
            return true;
    return false;
}

/* The latest step, and its pass. */
struct bisected {
    long step;
    const char *pass;
};

static struct bisected read_step(struct arena *a, const char *at)
{
    const char *number = strchr(at, '('), *name = number ? strstr(number, ") ") : NULL;
    return (struct bisected){number ? strtol(number + 1, NULL, 10) : 0,
                             name ? up_to(a, name + 2, strstr(name + 2, " on ")) : ""};
}

static struct report_pass read_dump(struct report_table *texts, const char *heading)
{
    struct report_pass p = {.name = "", .text = body_of(texts, heading)};
    const char *at = heading + strlen(dump_mark) + 1, *on = strstr(at, " on ");
    if (begins(at, "After "))
        p.name = up_to(texts->arena, at + 6, on);
    p.function = up_to(texts->arena, on + 4, strstr(on + 4, " ***"));
    return p;
}

static struct report_pass read_stage(struct report_table *texts, const char *heading)
{
    const char *at = heading + strlen(stage_mark) + 1, *colon = strstr(at, ": ");
    return (struct report_pass){.name = opt_pass_info[OPT_PASS_place_barriers].name,
                                .function = up_to(texts->arena, at, colon),
                                .stage = up_to(texts->arena, colon + 2, strstr(colon + 2, " ***")),
                                .text = body_of(texts, heading),
                                .required = true};
}

report_passes report_read_passes(struct report_table *texts, const struct text *printed)
{
    report_passes all = {0};
    struct bisected last = {0, ""};
    for (const char *at = next_heading(printed->at); *at; at = next_heading(strchr(at, '\n') ?: "")) {
        if (begins(at, step_mark)) {
            last = read_step(texts->arena, at);
            continue;
        }
        bool is_dump = begins(at + 1, dump_mark);
        struct report_pass p = is_dump ? read_dump(texts, at) : read_stage(texts, at);
        if (is_dump && !*p.name && last.step) {
            vec_clear(&all);
            last = (struct bisected){0, ""};
        }
        p.step = last.step;
        p.required |= *p.name && (strcmp(p.name, last.pass) != 0 || is_twice(&all, &p));
        vec_push(texts->arena, &all, p);
    }
    return all;
}

void report_passes_json(const report_passes *passes, struct text *out)
{
    text_char(out, '[');
    for (uint32_t i = 0; i < passes->count; i++) {
        const struct report_pass *p = &passes->at[i];
        text_addz(out, i ? ",\n  {" : "\n  {");
        report_string(out, "name", p->name, strlen(p->name));
        if (p->stage) {
            text_addz(out, ", ");
            report_string(out, "stage", p->stage, strlen(p->stage));
        }
        text_addz(out, ", ");
        report_string(out, "function", p->function, strlen(p->function));
        text_printf(out, ", \"text\": %u, \"metrics\": ", p->text);
        if (p->measured)
            text_printf(out, "{\"simt_efficiency\": %.6g, \"warp_instructions\": %llu, \"cycles\": %llu}}",
                        p->metrics.simt_efficiency, (unsigned long long)p->metrics.warp_instructions,
                        (unsigned long long)p->metrics.cycles);
        else
            text_addz(out, "null}");
    }
    text_char(out, ']');
}

/* ---- Graphviz ---------------------------------------------------------------------------------------- */

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
static const char *layout_of(struct arena *a, struct ir_viewer *v, bool *placed)
{
    static const char *const dot[] = {"dot", "-Tplain", NULL};
    struct text boxes = {.arena = a}, plain = {.arena = a}, layout = {.arena = a};
    if (!*placed)
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

void report_functions(kernc_result *r, bool *placed, uint64_t most, struct text *out)
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
                           f->order.count <= most ? layout_of(a, v, placed) : NULL, &graphs);
    }
    text_addz(out, ",\n\"divergence\": [");
    text_add(out, divergence.at ? divergence.at : "", divergence.length);
    text_addz(out, "],\n\"graphs\": [");
    text_add(out, graphs.at ? graphs.at : "", graphs.length);
    text_char(out, ']');
    scratch_end(&scratch);
}
