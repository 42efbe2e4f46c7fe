/* compare_results.c: the results of kernc compare as a table for people, as JSON and as CSV. */
#include "driver/compare.h"
#include "driver/metrics.h"

#include <stdio.h>

/* ---- for people -------------------------------------------------------------------------------------- */

/* The metrics that the table for people shows; files have all. */
static const struct {
    const char *key, *heading;
    int width;
} columns[] = {
    {"warp_instructions", "warp instr.", 14},
    {"simt_efficiency", "SIMT eff.", 10},
    {"overhead_instructions", "overhead", 11},
    {"memory_transactions", "transactions", 13},
    {"cycles", "cycles", 14},
    {"divergences", "divergences", 12},
    {"seconds", "seconds", 10},
};

static const char *name_of(enum scheme s)
{
    return scheme_info[s].name;
}

/* The longest name's, so that tables of any schemes look alike. */
static int scheme_width(void)
{
    int width = 0;
    for (unsigned s = 0; s < SCHEMES; s++)
        if ((int)strlen(scheme_info[s].name) > width)
            width = (int)strlen(scheme_info[s].name);
    return width;
}

static void add_cell(const struct row *row, const char *key, int width, struct text *t)
{
    metrics_cell(&row->metrics, row->is_image, key, width, t);
}

static void add_table(const struct comparison *x, struct text *t)
{
    int width = scheme_width();
    text_printf(t, "%s: warp %u\n%-*s %3s  %-5s %4s", x->kernel, x->warp, width, "scheme", "opt", "equal",
                "warp");
    for (size_t k = 0; k < COUNT(columns); k++)
        text_printf(t, "%*s", columns[k].width, columns[k].heading);
    for (uint32_t i = 0; i < x->rows.count; i++) {
        const struct row *row = &x->rows.at[i];
        text_printf(t, "\n%-*s -O%u  %-5s %4u", width, name_of(row->scheme), row->level,
                    row->equal ? "yes" : "NO", row->warp);
        for (size_t k = 0; k < COUNT(columns); k++)
            add_cell(row, columns[k].key, columns[k].width, t);
        if (row->difference)
            text_printf(t, "\n    %s", row->difference);
    }
    text_char(t, '\n');
}

/* Schemes without rows for the same reason share a line. */
static void add_left_out(const struct comparison *x, struct text *t)
{
    for (uint32_t i = 0; i < x->left_out.count; i++) {
        const struct left_out *l = &x->left_out.at[i];
        bool more = i + 1 < x->left_out.count && strcmp(l->why, l[1].why) == 0;
        text_printf(t, "%s%s", name_of(l->scheme), more ? ", " : l->code ? " failed: " : " left out: ");
        if (!more)
            text_printf(t, "%s\n", l->why);
    }
}

/* The row of `pdom` at the same level, by which the figures of others are normalised; NULL: there is none. */
static const struct row *pdom_of(const struct comparison *x, const struct row *row)
{
    for (uint32_t i = 0; i < x->rows.count; i++) {
        const struct row *other = &x->rows.at[i];
        if (other->scheme == SCHEME_pdom && other->level == row->level && other->warp == row->warp)
            return other;
    }
    return NULL;
}

/* What is normalised, in the order of normalise(). Files have the keys. */
static const struct {
    const char *key, *heading;
    int width;
} ratios[] = {
    {"warp_instructions_over_pdom", "warp/pdom", 11},
    {"memory_efficiency_over_pdom", "mem/pdom", 10},
    {"join_points_over_pdom", "joins/pdom", 12},
};

/* Warp instructions, memory efficiency and join points over those of `pdom`; negative: there is nothing to
 * compare with. */
static void normalise(const struct comparison *x, const struct row *row, double ratio[COUNT(ratios)])
{
    const struct row *pdom = row->is_code ? pdom_of(x, row) : NULL;
    const struct row *both[] = {row, pdom ? pdom : row};
    double value[2][COUNT(ratios)];
    for (int i = 0; i < 2; i++) {
        value[i][0] = (double)both[i]->metrics.warp_instructions;
        value[i][1] = both[i]->metrics.memory_efficiency;
        value[i][2] = both[i]->figures.join_points;
    }
    for (size_t k = 0; k < COUNT(ratios); k++)
        ratio[k] = pdom && value[1][k] > 0 && value[0][k] >= 0 ? value[0][k] / value[1][k] : -1;
}

static void add_normalised(const struct comparison *x, const struct row *row, struct text *t)
{
    double ratio[COUNT(ratios)];
    normalise(x, row, ratio);
    for (size_t k = 0; k < COUNT(ratios); k++)
        if (ratio[k] >= 0)
            text_printf(t, "%*.3f", ratios[k].width, ratio[k]);
        else
            text_printf(t, "%*s", ratios[k].width, "-");
}

/* What is known of the code, and what became of it: the columns of Figures 5 to 8 of "SIMD Re-Convergence
 * at Thread Frontiers". */
static void add_code_table(const struct comparison *x, struct text *t)
{
    int width = scheme_width();
    bool first = true;
    for (uint32_t i = 0; i < x->rows.count; i++) {
        const struct row *row = &x->rows.at[i];
        if (!row->is_code)
            continue;
        if (first) {
            text_printf(t, "%-*s %3s", width, "control flow", "opt");
#define FIGURE(key, type, heading, meaning) text_printf(t, "%10s", heading);
#include "kernc-figures.def"
            text_printf(t, "%10s%10s%10s%8s", "activity", "mem. eff.", "sh. eff.", "depth");
            for (size_t k = 0; k < COUNT(ratios); k++)
                text_printf(t, "%*s", ratios[k].width, ratios[k].heading);
            text_char(t, '\n');
        }
        first = false;
        text_printf(t, "%-*s -O%u", width, name_of(row->scheme), row->level);
#define CELL_COUNT(value)                   text_printf(t, "%10u", value);
#define CELL_RATIO(value)                   text_printf(t, "%10.1f", value);
#define FIGURE(key, type, heading, meaning) CELL_##type(row->figures.key)
#include "kernc-figures.def"
        add_cell(row, "activity_factor", 10, t);
        add_cell(row, "memory_efficiency", 10, t);
        add_cell(row, "shared_efficiency", 10, t);
        add_cell(row, "max_stack_depth", 8, t);
        add_normalised(x, row, t);
        text_char(t, '\n');
    }
}

/* What the warp-core machine has besides: the program's size, the stack, the CONVERGEs. */
static void add_image_table(const struct comparison *x, struct text *t)
{
    bool first = true;
    for (uint32_t i = 0; i < x->rows.count; i++) {
        const struct row *row = &x->rows.at[i];
        const kernc_image_figures *f = &row->image;
        if (!row->is_image)
            continue;
        if (first)
            text_printf(t, "%-20s %3s %6s %6s %7s %7s %6s %6s %14s %10s %10s\n", "warp-core", "opt", "words",
                        "regs", "spilled", "rematerialised", "bound", "depth", "core cycles", "CONVERGEs",
                        "effective");
        first = false;
        text_printf(t, "%-20s -O%u %6u %6u %7u %7u %6u", name_of(row->scheme), row->level, f->words,
                    f->registers, f->spilled, f->rematerialised, f->stack);
        add_cell(row, "max_stack_depth", 7, t);
        add_cell(row, "core_cycles", 15, t);
        add_cell(row, "converges", 11, t);
        add_cell(row, "effective_converges", 11, t);
        text_char(t, '\n');
    }
}

/* ---- for tools --------------------------------------------------------------------------------------- */

/* Both forms list these of kernc_image_figures, by their names. */
#define IMAGE_FIGURES(X)                                                                                     \
    X(words) X(registers) X(predicates) X(private_bytes) X(stack) X(spilled) X(rematerialised)

static void add_image_json(const struct row *row, struct text *t)
{
    const char *comma = "";
    text_addz(t, "\"image\": {");
#define ADD_FIGURE(key) text_printf(t, "%s\"" #key "\": %u", comma, row->image.key), comma = ", ";
    IMAGE_FIGURES(ADD_FIGURE)
#undef ADD_FIGURE
    text_addz(t, "}, ");
}

static void add_figures_json(const struct row *row, struct text *t)
{
    const char *comma = "";
    text_addz(t, "\"code\": {");
#define JSON_COUNT(value) text_printf(t, "%u", value);
#define JSON_RATIO(value) text_printf(t, "%.4g", value);
#define FIGURE(key, type, heading, meaning)                                                                  \
    text_printf(t, "%s\"" #key "\": ", comma), comma = ", ";                                                 \
    JSON_##type(row->figures.key)
#include "kernc-figures.def"
    text_addz(t, "}, ");
}

static void add_string(const char *key, const char *value, struct text *t)
{
    text_printf(t, "\"%s\": ", key);
    text_json(t, value, strlen(value));
}

/* null: there is nothing to compare with. */
static void add_ratios_json(const struct comparison *x, const struct row *row, struct text *t)
{
    double ratio[COUNT(ratios)];
    normalise(x, row, ratio);
    text_addz(t, "\"normalised\": {");
    for (size_t k = 0; k < COUNT(ratios); k++) {
        text_printf(t, "%s\"%s\": ", k ? ", " : "", ratios[k].key);
        if (ratio[k] >= 0)
            text_printf(t, "%.6g", ratio[k]);
        else
            text_addz(t, "null");
    }
    text_addz(t, "}, ");
}

/* Fields of CSV, empty where there is nothing to compare with. */
static void add_ratios_csv(const struct comparison *x, const struct row *row, struct text *t)
{
    double ratio[COUNT(ratios)];
    normalise(x, row, ratio);
    for (size_t k = 0; k < COUNT(ratios); k++)
        text_printf(t, ratio[k] >= 0 ? ",%.6g" : ",", ratio[k]);
}

static void add_json(const struct comparison *x, struct text *t)
{
    text_char(t, '{');
    add_string("kernel", x->kernel, t);
    text_printf(t, ", \"warp\": %u, \"rows\": [", x->warp);
    for (uint32_t i = 0; i < x->rows.count; i++) {
        const struct row *row = &x->rows.at[i];
        text_printf(t, "%s\n  {\"scheme\": \"%s\", \"opt\": %u, \"warp\": %u, \"equal\": %s, ", i ? "," : "",
                    name_of(row->scheme), row->level, row->warp, row->equal ? "true" : "false");
        if (row->difference) {
            add_string("difference", row->difference, t);
            text_addz(t, ", ");
        }
        if (row->is_image)
            add_image_json(row, t);
        if (row->is_code)
            add_figures_json(row, t);
        if (row->is_code)
            add_ratios_json(x, row, t);
        text_addz(t, "\"metrics\": {");
        metrics_json_values(&row->metrics, row->is_image, t);
        text_addz(t, "}}");
    }
    text_addz(t, "],\n \"left_out\": [");
    for (uint32_t i = 0; i < x->left_out.count; i++) {
        text_addz(t, i ? ", {" : "{");
        add_string("scheme", name_of(x->left_out.at[i].scheme), t);
        text_addz(t, ", ");
        add_string("reason", x->left_out.at[i].why, t);
        text_printf(t, ", \"failed\": %s}", x->left_out.at[i].code ? "true" : "false");
    }
    text_addz(t, "]}\n");
}

/* A field of CSV in quotes, quotes in it doubled. */
static void add_quoted(const char *value, struct text *t)
{
    text_char(t, '"');
    for (const char *c = value; *c; c++) {
        text_char(t, *c);
        if (*c == '"')
            text_char(t, *c);
    }
    text_char(t, '"');
}

static void add_csv(const struct comparison *x, struct text *t)
{
    text_addz(t, "kernel,warp,scheme,opt,equal");
    metrics_csv_keys(t);
#define ADD_FIGURE(key) text_addz(t, "," #key);
    IMAGE_FIGURES(ADD_FIGURE)
#undef ADD_FIGURE
#define FIGURE(key, type, heading, meaning) text_addz(t, "," #key);
#include "kernc-figures.def"
    for (size_t k = 0; k < COUNT(ratios); k++)
        text_printf(t, ",%s", ratios[k].key);
    text_addz(t, ",difference\n");
    for (uint32_t i = 0; i < x->rows.count; i++) {
        const struct row *row = &x->rows.at[i];
        text_printf(t, "%s,%u,%s,%u,%s", x->kernel, row->warp, name_of(row->scheme), row->level,
                    row->equal ? "true" : "false");
        metrics_csv_values(&row->metrics, row->is_image, t);
#define ADD_FIGURE(key) text_printf(t, row->is_image ? ",%u" : ",", row->image.key);
        IMAGE_FIGURES(ADD_FIGURE)
#undef ADD_FIGURE
#define CSV_COUNT(value)                    text_printf(t, row->is_code ? ",%u" : ",", value);
#define CSV_RATIO(value)                    text_printf(t, row->is_code ? ",%.4g" : ",", value);
#define FIGURE(key, type, heading, meaning) CSV_##type(row->figures.key)
#include "kernc-figures.def"
        add_ratios_csv(x, row, t);
        text_char(t, ',');
        if (row->difference)
            add_quoted(row->difference, t);
        text_char(t, '\n');
    }
}

static int write_file(const struct comparison *x, enum option_id id,
                      void (*add)(const struct comparison *, struct text *))
{
    const char *file = option_value(x->command, id);
    struct text t = {0};
    if (!file)
        return EXIT_OK;
    add(x, &t);
    int code = write_output(x->command, file, t.at, t.length);
    text_free(&t);
    return code;
}

/* The table gives way to a file on standard output, so that this carries nothing else. */
static bool shows_table(const struct command *c)
{
    const char *json = option_value(c, OPTION_COMPARE_JSON), *csv = option_value(c, OPTION_COMPARE_CSV);
    return !(json && strcmp(json, "-") == 0) && !(csv && strcmp(csv, "-") == 0);
}

void compare_show_table(struct comparison *x)
{
    struct text t = {0}, visible = {0};
    if (shows_table(x->command)) {
        add_table(x, &t);
        add_code_table(x, &t);
        add_image_table(x, &t);
        add_left_out(x, &t);
        text_visible(&visible, t.at, t.length);
        fwrite(visible.at, 1, visible.length, stdout);
    }
    text_free(&t);
    text_free(&visible);
}

int compare_show(struct comparison *x)
{
    compare_show_table(x);
    int code = write_file(x, OPTION_COMPARE_JSON, add_json);
    return code ? code : write_file(x, OPTION_COMPARE_CSV, add_csv);
}
