/* metrics.c: see metrics.h. */
#include "driver/metrics.h"
#include "lib/profile.h"

#include <stdio.h>

enum form { NUMBER, PERCENTAGE, SECONDS };
struct metric { const char *key, *meaning; enum form form; bool applies; uint64_t count; double value; };

/* The metrics as rows, so that table and JSON list what kernc-metrics.def lists. `machine`: of a warp-core
 * machine. */
static uint32_t metric_rows(const kernc_metrics *m, bool machine, struct metric *rows)
{
    uint32_t n = 0;
#define ROW_COUNT(x)   .applies = true, .count = (x)
#define ROW_EVENT(x)   ROW_COUNT(x)
#define ROW_MAXIMUM(x) ROW_COUNT(x)
#define ROW_MACHINE(x) .applies = machine, .count = (x)
#define ROW_RATIO(x)   .applies = (x) >= 0, .form = PERCENTAGE, .value = (x)
#define ROW_SECONDS(x) .applies = true, .form = SECONDS, .value = (x)
#define METRIC(key, type, meaning) rows[n++] = (struct metric){#key, meaning, ROW_##type(m->key)};
#include "kernc-metrics.def"
    return n;
}
#define METRIC(key, type, meaning) +1
enum { METRICS = 0
#include "kernc-metrics.def"
};

const char *metrics_find(const char *key, bool *large)
{
    struct metric rows[METRICS];
    kernc_metrics none = {.size = sizeof none};
    uint32_t      n = metric_rows(&none, true, rows);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(rows[i].key, key) == 0) {
            *large = rows[i].form == PERCENTAGE;
            return rows[i].key;
        }
    return NULL;
}

const char *metrics_keys(struct arena *a)
{
    const char *list = "";
#define METRIC(key, type, meaning) list = arena_printf(a, "%s%s" #key, list, *list ? ", " : "");
#include "kernc-metrics.def"
    return list;
}

bool metrics_value(const kernc_metrics *m, bool machine, const char *key, double *value)
{
    struct metric rows[METRICS];
    uint32_t      n = metric_rows(m, machine, rows);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(rows[i].key, key) == 0 && rows[i].applies) {
            *value = rows[i].form == NUMBER ? (double)rows[i].count : rows[i].value;
            return true;
        }
    return false;
}

/* ---- for people -------------------------------------------------------------------------------------- */

/* 1234567 as "1,234,567". */
static void add_count(uint64_t n, int width, struct text *t)
{
    char digits[24], grouped[32];
    int  length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), k = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            grouped[k++] = ',';
        grouped[k++] = digits[i];
    }
    grouped[k] = 0;
    text_printf(t, "%*s", width, grouped);
}

/* As a percentage; below 0: does not apply. */
static void add_ratio(double ratio, int width, struct text *t)
{
    if (ratio < 0)
        text_printf(t, "%*s", width, "-");
    else
        text_printf(t, "%*.1f%%", width - 1, ratio * 100);
}

static void add_value(const struct metric *m, int width, struct text *t)
{
    if (!m->applies)
        add_ratio(-1, width, t);
    else if (m->form == SECONDS)
        text_printf(t, "%*.6f", width, m->value);
    else if (m->form == PERCENTAGE)
        add_ratio(m->value, width, t);
    else
        add_count(m->count, width, t);
}

void metrics_cell(const kernc_metrics *m, bool machine, const char *key, int width, struct text *t)
{
    struct metric rows[METRICS];
    uint32_t      n = metric_rows(m, machine, rows);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(rows[i].key, key) == 0)
            add_value(&rows[i], width, t);
}

/* "simt_efficiency" as "simt efficiency". */
static void add_name(const char *key, struct text *t)
{
    char name[32];
    snprintf(name, sizeof name, "%s", key);
    for (char *c = name; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    text_printf(t, "  %-24s", name);
}

static void add_sizes(const uint32_t n[3], struct text *t)
{
    text_printf(t, "%u", n[0]);
    if (n[1] > 1 || n[2] > 1)
        text_printf(t, ",%u", n[1]);
    if (n[2] > 1)
        text_printf(t, ",%u", n[2]);
}

static void add_heading(const struct launch_facts *l, struct text *t)
{
    if (l->number)
        text_printf(t, "launch %u, ", l->number);
    text_printf(t, "%s: scheme %s, warp %u", l->kernel, l->scheme, l->warp);
    if (l->grid[0]) {
        text_addz(t, ", grid ");
        add_sizes(l->grid, t);
        text_addz(t, ", block ");
        add_sizes(l->block, t);
    }
    if (l->launch && l->launch->shared)
        text_printf(t, ", shared %u", l->launch->shared);
    if (l->runs > 1)
        text_printf(t, ", %llu launches", (unsigned long long)l->runs);
    if (l->level >= 0)
        text_printf(t, ", -O%d", l->level);
    text_char(t, '\n');
}

enum { WIDTH_ROWS = 8, WIDTH_BAR = 40 };

/* Instructions of from to `to` active lanes, and a bar as long as their part of all. */
static void width_row(const uint64_t *instructions, uint32_t from, uint32_t to, uint64_t all, struct text *t)
{
    uint64_t n = 0;
    char     name[16];
    for (uint32_t i = from; i <= to; i++)
        n += instructions[i];
    if (!n)
        return;
    snprintf(name, sizeof name, from < to ? "W%u:%u" : "W%u", from, to);
    text_printf(t, "  %-24s", name);
    add_count(n, 18, t);
    int length = (int)(WIDTH_BAR * n / all);
    text_printf(t, "  %5.1f%%%s%.*s\n", 100 * (double)n / (double)all, length ? "  " : "", length,
                "########################################");
}

/* As papers on divergence draw it: of how many active lanes the instructions were. */
static void add_widths(const struct launch_facts *l, const kernc_statistics *s, uint64_t all, struct text *t)
{
    uint64_t instructions[KERNC_MAX_WARP + 1];
    uint32_t widest = KERNC_MAX_WARP, step;
    if (!all || !kernc_statistics_active_lanes(s, instructions))
        return;
    while (widest > l->warp && !instructions[widest])
        widest--;
    step = (widest + WIDTH_ROWS - 1) / WIDTH_ROWS;
    text_addz(t, "warp instructions by active lanes\n");
    width_row(instructions, 0, 0, all, t);
    for (uint32_t from = 1; from <= widest; from += step)
        width_row(instructions, from, from + step - 1 < widest ? from + step - 1 : widest, all, t);
}

enum { BRANCH_ROWS = 8 };

/* The next of those not shown yet that diverged most often; false: there is none. */
static bool next_branch(const kernc_statistics *s, const kernc_branch_metrics *last, kernc_branch_metrics *next)
{
    kernc_branch_metrics b = {.size = sizeof b};
    bool                 found = false;
    for (uint32_t i = 0; kernc_statistics_branch(s, i, &b); i++) {
        bool later = b.diverged < last->diverged ||
                     (b.diverged == last->diverged && (b.line > last->line ||
                                                       (b.line == last->line && b.column > last->column)));
        if (later && (!found || b.diverged > next->diverged)) {
            *next = b;
            found = true;
        }
    }
    return found;
}

/* The branches that diverged most, as often as they did of the times that warps came to them. */
static void add_branches(const struct launch_facts *l, const kernc_statistics *s, struct text *t)
{
    kernc_branch_metrics last = {.diverged = UINT64_MAX}, b = {.size = sizeof b};
    for (uint32_t i = 0; i < BRANCH_ROWS && next_branch(s, &last, &b); i++, last = b) {
        char name[48];
        uint32_t line = b.line;
        const struct source *file = l->source ? source_of(l->source, &line) : NULL;
        text_addz(t, i ? "" : "branches that diverged most, and of how many times warps came to them\n");
        bool other = file && file != l->source;
        snprintf(name, sizeof name, "%.20s%s%u:%u", other ? file->name : "", other ? ":" : "", line, b.column);
        text_printf(t, "  %-24s", name);
        add_count(b.diverged, 18, t);
        text_printf(t, "  %5.1f%%  of ", 100 * (double)b.diverged / (double)b.executed);
        add_count(b.executed, 0, t);
        text_char(t, '\n');
    }
}

void metrics_table(const struct launch_facts *l, const kernc_statistics *s, struct text *t)
{
    struct metric rows[METRICS];
    kernc_metrics m = {.size = sizeof m};
    kernc_statistics_metrics(s, &m);
    uint32_t n = metric_rows(&m, l->machine, rows);
    add_heading(l, t);
    for (uint32_t i = 0; i < n; i++) {
        add_name(rows[i].key, t);
        add_value(&rows[i], 18, t);
        text_printf(t, "  %s\n", rows[i].meaning);
    }
    add_widths(l, s, m.warp_instructions, t);
    add_branches(l, s, t);
}

/* Active lanes of those that a warp of this launch has; below 0: the line has no instructions, or launches
 * have different warps. */
static double lane_efficiency(const struct launch_facts *l, const kernc_line_metrics *m)
{
    return m->warp_instructions && l->lanes
               ? (double)m->thread_instructions / ((double)m->warp_instructions * (double)l->lanes)
               : -1;
}

static void profile_row(const struct launch_facts *l, const kernc_line_metrics *m,
                        const struct source *source, struct text *t)
{
    uint32_t    n = 0;
    const char *line = source ? source_line(source, m->line, &n) : "";
    uint32_t    shown = m->line;
    if (source)
        source_of(source, &shown);
    text_printf(t, "%6u ", shown);
    add_count(m->warp_instructions, 14, t);
    add_count(m->thread_instructions, 16, t);
    add_ratio(lane_efficiency(l, m), 8, t);
    add_count(m->divergences, 12, t);
    add_count(m->memory_transactions, 14, t);
    text_addz(t, n ? "  " : "");
    text_visible(t, line, n);
    text_char(t, '\n');
}

void metrics_profile(const struct launch_facts *l, const kernc_statistics *s, const struct source *source,
                     struct text *t)
{
    text_printf(t, "%6s %14s%16s %7s%12s%14s%s\n", "line", "executed", "threads", "lanes", "diverged",
                "transactions", source ? "  source" : "");
    kernc_line_metrics line = {.size = sizeof line};
    for (uint32_t i = 0; kernc_statistics_line(s, i, &line); i++)
        profile_row(l, &line, source, t);
}

/* ---- for tools --------------------------------------------------------------------------------------- */

static void json_string(const char *key, const char *value, struct text *t)
{
    text_printf(t, "\"%s\": ", key);
    text_json(t, value, strlen(value));
    text_addz(t, ", ");
}

static void json_sizes(const char *key, const uint32_t n[3], struct text *t)
{
    if (n[0])
        text_printf(t, "\"%s\": [%u, %u, %u], ", key, n[0], n[1], n[2]);
    else
        text_printf(t, "\"%s\": null, ", key);
}

/* Of a launch that sizes an array in shared memory. */
static void json_shared(const struct launch_facts *l, struct text *t)
{
    if (l->launch && l->launch->shared)
        text_printf(t, "\"shared\": %u, ", l->launch->shared);
}

/* A number as JSON and CSV write it; `none` where it does not apply. */
static void add_number(const struct metric *m, const char *none, struct text *t)
{
    if (!m->applies)
        text_addz(t, none);
    else if (m->form != NUMBER)
        text_printf(t, "%.9g", m->value);
    else
        text_printf(t, "%llu", (unsigned long long)m->count);
}

void metrics_json_values(const kernc_metrics *m, bool machine, struct text *t)
{
    struct metric rows[METRICS];
    uint32_t      n = metric_rows(m, machine, rows);
    for (uint32_t i = 0; i < n; i++) {
        text_printf(t, "%s\"%s\": ", i ? ", " : "", rows[i].key);
        add_number(&rows[i], "null", t);
    }
}

void metrics_csv_keys(struct text *t)
{
#define METRIC(key, type, meaning) text_addz(t, "," #key);
#include "kernc-metrics.def"
}

void metrics_csv_values(const kernc_metrics *m, bool machine, struct text *t)
{
    struct metric rows[METRICS];
    uint32_t      n = metric_rows(m, machine, rows);
    for (uint32_t i = 0; i < n; i++) {
        text_char(t, ',');
        add_number(&rows[i], "", t);
    }
}

static void json_line(const struct launch_facts *l, const kernc_line_metrics *m, struct text *t)
{
    double        ratio = lane_efficiency(l, m);
    struct metric efficiency = {.applies = ratio >= 0, .form = PERCENTAGE, .value = ratio};
    uint32_t      line = m->line;
    const struct source *file = l->source ? source_of(l->source, &line) : NULL;
    text_printf(t, "{\"line\": %u, ", line);
    if (file != l->source)
        json_string("file", file->name, t);
    text_addz(t, "\"simt_efficiency\": ");
    add_number(&efficiency, "null", t);
#define LINE_METRIC(key) text_printf(t, ", \"" #key "\": %llu", (unsigned long long)m->key);
#include "kernc-metrics.def"
    text_char(t, '}');
}

/* What a profile of the program is known by (--profile-use). */
static void json_source(const struct launch_facts *l, struct text *t)
{
    char hash[PROFILE_HASH];
    if (l->source)
        json_string("source", profile_hash(l->source, hash), t);
    else
        text_addz(t, "\"source\": null, ");
}

static void json_places(const kernc_statistics *s, struct text *t)
{
    kernc_place_metrics p = {.size = sizeof p};
    text_addz(t, ", \"places\": [");
    for (uint32_t i = 0; kernc_statistics_place(s, i, &p); i++)
        text_printf(t, "%s%s[%u, %u, %llu]", i ? "," : "", i % 8 ? " " : "\n  ", p.line, p.column,
                    (unsigned long long)p.lanes);
    text_addz(t, "]");
}

static void json_place(const char *file, uint32_t line, uint32_t column, struct text *t)
{
    json_string("file", file, t);
    text_printf(t, "\"line\": %u, \"column\": %u", line, column);
}

/* What the checker of memory has found. */
static void json_alarms(const struct launch_facts *l, struct text *t)
{
    kernc_alarm a = {.size = sizeof a};
    text_addz(t, l->checked ? ", \"alarms\": [" : ", \"alarms\": null");
    for (uint32_t i = 0; l->checked && kernc_alarm_at(l->checked, i, &a); i++) {
        text_addz(t, i ? ",\n  {" : "\n  {");
        json_string("kind", a.kind, t);
        json_place(a.file, a.line, a.column, t);
        if (a.other_file) {
            text_addz(t, ", \"other\": {");
            json_place(a.other_file, a.other_line, a.other_column, t);
            text_char(t, '}');
        }
        text_addz(t, ", \"text\": ");
        text_json(t, a.text, strlen(a.text));
        text_char(t, '}');
    }
    text_addz(t, l->checked ? "]" : "");
}

/* Every argument as --arg takes it. */
static void json_arguments(const struct launch *launch, struct text *t)
{
    struct text value = {0};
    text_addz(t, "\"arguments\": {");
    for (uint32_t i = 0; launch && i < launch->arguments.count; i++) {
        const struct launch_argument *a = &launch->arguments.at[i];
        value.length = 0;
        if (a->value.kind == LAUNCH_FILE)
            text_printf(&value, "@%s", a->value.file);
        else
            launch_print_value(&a->value, &value);
        text_addz(t, i ? ", " : "");
        text_json(t, a->name, strlen(a->name));
        text_addz(t, ": ");
        text_json(t, value.at, value.length);
    }
    text_char(t, '}');
    text_free(&value);
}

static void json_options(const struct launch_facts *l, struct text *t)
{
    text_addz(t, ", \"options\": [");
    for (size_t i = 0; i < l->option_count; i++) {
        text_addz(t, i ? ", " : "");
        text_json(t, l->options[i], strlen(l->options[i]));
    }
    text_char(t, ']');
}

static void json_lines(const struct launch_facts *l, const kernc_statistics *s, struct text *t)
{
    kernc_line_metrics line = {.size = sizeof line};
    text_addz(t, ", \"lines\": [");
    for (uint32_t i = 0; kernc_statistics_line(s, i, &line); i++) {
        text_addz(t, i ? ",\n  " : "\n  ");
        json_line(l, &line, t);
    }
    text_char(t, ']');
}

/* By active lanes, from none on; zeros behind the widest are left out. */
static void json_widths(const kernc_statistics *s, struct text *t)
{
    uint64_t instructions[KERNC_MAX_WARP + 1];
    uint32_t n = KERNC_MAX_WARP;
    if (!kernc_statistics_active_lanes(s, instructions)) {
        text_addz(t, ", \"active_lanes\": null");
        return;
    }
    while (n > 0 && !instructions[n])
        n--;
    text_addz(t, ", \"active_lanes\": [");
    for (uint32_t i = 0; i <= n; i++)
        text_printf(t, "%s%llu", i ? ", " : "", (unsigned long long)instructions[i]);
    text_char(t, ']');
}

static void json_branches(const struct launch_facts *l, const kernc_statistics *s, struct text *t)
{
    kernc_branch_metrics b = {.size = sizeof b};
    text_addz(t, ", \"branches\": [");
    for (uint32_t i = 0; kernc_statistics_branch(s, i, &b); i++) {
        uint32_t             line = b.line;
        const struct source *file = l->source ? source_of(l->source, &line) : NULL;
        text_printf(t, "%s{\"line\": %u, \"column\": %u, ", i ? ",\n  " : "\n  ", line, b.column);
        if (file != l->source)
            json_string("file", file->name, t);
        text_printf(t, "\"executed\": %llu, \"diverged\": %llu}", (unsigned long long)b.executed,
                    (unsigned long long)b.diverged);
    }
    text_char(t, ']');
}

static void json_metrics(const struct launch_facts *l, const kernc_statistics *s, struct text *t)
{
    kernc_metrics m = {.size = sizeof m};
    kernc_statistics_metrics(s, &m);
    text_addz(t, "\"metrics\": {");
    metrics_json_values(&m, l->machine, t);
    text_char(t, '}');
    json_widths(s, t);
    json_branches(l, s, t);
}

/* One of several. */
static void json_launch(const struct launch_facts *l, const kernc_statistics *s, struct text *t)
{
    text_printf(t, "{\"number\": %u, ", l->number);
    json_string("kernel", l->kernel, t);
    text_printf(t, "\"line\": %u, \"runs\": %llu, ", l->launch->line, (unsigned long long)l->runs);
    json_sizes("grid", l->grid, t);
    json_sizes("block", l->block, t);
    json_shared(l, t);
    json_metrics(l, s, t);
    json_lines(l, s, t);
    text_addz(t, ", ");
    json_arguments(l->launch, t);
    text_char(t, '}');
}

void metrics_json(const struct launch_facts *l, const kernc_statistics *s, const struct launch_facts *each,
                  const kernc_statistics *const *statistics, uint32_t count, struct text *t)
{
    text_char(t, '{');
    json_string("kernel", l->kernel, t);
    json_string("scheme", l->scheme, t);
    text_printf(t, "\"warp\": %u, ", l->warp);
    if (l->level < 0)
        text_addz(t, "\"opt\": null, ");
    else
        text_printf(t, "\"opt\": %d, ", l->level);
    json_sizes("grid", l->grid, t);
    json_sizes("block", l->block, t);
    json_shared(l, t);
    json_source(l, t);
    json_metrics(l, s, t);
    json_lines(l, s, t);
    json_places(s, t);
    json_alarms(l, t);
    for (uint32_t i = 0; i < count; i++) {
        text_addz(t, i ? ",\n  " : ",\n\"launches\": [\n  ");
        json_launch(&each[i], statistics[i], t);
    }
    text_addz(t, count ? "],\n" : ",\n");
    text_addz(t, "\"version\": \"" KERNC_VERSION "\", ");
    json_arguments(l->launch, t);
    json_options(l, t);
    text_addz(t, "}\n");
}
