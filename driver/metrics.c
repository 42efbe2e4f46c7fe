/* metrics.c: see metrics.h: the metrics as rows, and for people. */
#include "driver/metric_rows.h"

#include <stdio.h>

uint32_t metric_rows(const kernc_metrics *m, bool machine, struct metric *rows)
{
    uint32_t n = 0;
#define ROW_COUNT(x)               .applies = true, .count = (x)
#define ROW_EVENT(x)               ROW_COUNT(x)
#define ROW_MAXIMUM(x)             ROW_COUNT(x)
#define ROW_MACHINE(x)             .applies = machine, .count = (x)
#define ROW_MODEL(x)               .applies = (x) > 0, .count = (x)
#define ROW_RATIO(x)               .applies = (x) >= 0, .form = PERCENTAGE, .value = (x)
#define ROW_SECONDS(x)             .applies = true, .form = SECONDS, .value = (x)
#define METRIC(key, type, meaning) rows[n++] = (struct metric){#key, meaning, ROW_##type(m->key)};
#include "kernc-metrics.def"
    return n;
}

const char *metrics_find(const char *key, bool *large)
{
    struct metric rows[METRICS];
    kernc_metrics none = {.size = sizeof none};
    uint32_t n = metric_rows(&none, true, rows);
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
    uint32_t n = metric_rows(m, machine, rows);
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
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), k = 0;
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
    uint32_t n = metric_rows(m, machine, rows);
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
    for (uint32_t i = 0; l->launch && i < LAUNCH_MAX_SHARED && l->launch->shared[i]; i++)
        text_printf(t, "%s%u", i ? "," : ", shared ", l->launch->shared[i]);
    if (l->runs > 1)
        text_printf(t, ", %llu launches", (unsigned long long)l->runs);
    if (l->level >= 0)
        text_printf(t, ", -O%d", l->level);
    text_char(t, '\n');
}

enum { WIDTH_ROWS = 8, BAR = 40 };

/* A number, and a bar as long as its part of all. */
static void bar_row(const char *name, uint64_t n, uint64_t all, struct text *t)
{
    int length = (int)(BAR * n / all);
    text_printf(t, "  %-24s", name);
    add_count(n, 18, t);
    text_printf(t, "  %5.1f%%%s%.*s\n", 100 * (double)n / (double)all, length ? "  " : "", length,
                "########################################");
}

/* The instruction mix: what classes the instructions are of. */
static void add_classes(const kernc_statistics *s, uint64_t all, struct text *t)
{
    kernc_class_metrics c = {.size = sizeof c};
    text_addz(t, all ? "warp instructions by class\n" : "");
    for (uint32_t i = 0; kernc_statistics_class(s, i, &c); i++)
        if (c.warp_instructions)
            bar_row(c.key, c.warp_instructions, all, t);
}

/* Instructions of from to `to` active lanes. */
static void width_row(const uint64_t *instructions, uint32_t from, uint32_t to, uint64_t all, struct text *t)
{
    uint64_t n = 0;
    char name[24];
    for (uint32_t i = from; i <= to; i++)
        n += instructions[i];
    snprintf(name, sizeof name, from < to ? "W%u:%u" : "W%u", from, to);
    if (n)
        bar_row(name, n, all, t);
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

/* The next of those not shown yet that diverged most often; false: none of them diverged. */
static bool next_branch(const kernc_statistics *s, const kernc_branch_metrics *last,
                        kernc_branch_metrics *next)
{
    kernc_branch_metrics b = {.size = sizeof b};
    bool found = false;
    for (uint32_t i = 0; kernc_statistics_branch(s, i, &b); i++) {
        bool later = b.diverged < last->diverged ||
                     (b.diverged == last->diverged &&
                      (b.line > last->line || (b.line == last->line && b.column > last->column)));
        if (later && b.diverged && (!found || b.diverged > next->diverged)) {
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
        bool other = file && strcmp(file->name, l->source->name) != 0;
        snprintf(name, sizeof name, "%.20s%s%u:%u", other ? file->name : "", other ? ":" : "", line,
                 b.column);
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
    add_classes(s, m.warp_instructions, t);
    add_widths(l, s, m.warp_instructions, t);
    add_branches(l, s, t);
}

double lane_efficiency(const struct launch_facts *l, const kernc_line_metrics *m)
{
    return m->warp_instructions && l->lanes
               ? (double)m->thread_instructions / ((double)m->warp_instructions * (double)l->lanes)
               : -1;
}

static void profile_row(const struct launch_facts *l, const kernc_line_metrics *m,
                        const struct source *source, struct text *t)
{
    uint32_t n = 0;
    const char *line = source ? source_line(source, m->line, &n) : "";
    uint32_t shown = m->line;
    if (source)
        source_of(source, &shown);
    text_printf(t, "%6u ", shown);
    add_count(m->warp_instructions, 14, t);
    add_count(m->thread_instructions, 16, t);
    add_ratio(lane_efficiency(l, m), 8, t);
    add_count(m->divergences, 12, t);
    add_count(m->memory_transactions, 14, t);
    add_count(m->bank_conflicts, 11, t);
    text_addz(t, n ? "  " : "");
    text_visible(t, line, n);
    text_char(t, '\n');
}

void metrics_profile(const struct launch_facts *l, const kernc_statistics *s, const struct source *source,
                     struct text *t)
{
    text_printf(t, "%6s %14s%16s %7s%12s%14s%11s%s\n", "line", "executed", "threads", "lanes", "diverged",
                "transactions", "conflicts", source ? "  source" : "");
    kernc_line_metrics line = {.size = sizeof line};
    for (uint32_t i = 0; kernc_statistics_line(s, i, &line); i++)
        profile_row(l, &line, source, t);
}
