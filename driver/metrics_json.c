/* metrics_json.c: see metrics.h: the metrics for tools, as JSON and as comma-separated values. */
#include "driver/metric_rows.h"
#include "lib/profile.h"

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

/* Of a launch that sizes arrays in shared memory: a number of elements, or a list. */
static void json_shared(const struct launch_facts *l, struct text *t)
{
    const uint32_t *n = l->launch ? l->launch->shared : NULL;
    bool several = n && n[1];
    for (uint32_t i = 0; n && i < LAUNCH_MAX_SHARED && n[i]; i++)
        text_printf(t, "%s%s%u", i ? ", " : "\"shared\": ", several && !i ? "[" : "", n[i]);
    text_addz(t, several ? "], " : n && n[0] ? ", " : "");
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
    uint32_t n = metric_rows(m, machine, rows);
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
    uint32_t n = metric_rows(m, machine, rows);
    for (uint32_t i = 0; i < n; i++) {
        text_char(t, ',');
        add_number(&rows[i], "", t);
    }
}

static void json_line(const struct launch_facts *l, const kernc_line_metrics *m, struct text *t)
{
    double ratio = lane_efficiency(l, m);
    struct metric efficiency = {.applies = ratio >= 0, .form = PERCENTAGE, .value = ratio};
    uint32_t line = m->line;
    const struct source *file = l->source ? source_of(l->source, &line) : NULL;
    text_printf(t, "{\"line\": %u, ", line);
    if (file && strcmp(file->name, l->source->name) != 0)
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
            text_printf(&value, "@%s", a->value.text);
        else if (a->value.kind == LAUNCH_ROUND)
            text_addz(&value, a->value.text);
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

/* The instruction mix, of all classes. */
static void json_classes(const kernc_statistics *s, struct text *t)
{
    kernc_class_metrics c = {.size = sizeof c};
    text_addz(t, ", \"instruction_mix\": {");
    for (uint32_t i = 0; kernc_statistics_class(s, i, &c); i++)
        text_printf(t, "%s\"%s\": {\"warp_instructions\": %llu, \"thread_instructions\": %llu}",
                    i ? ", " : "", c.key, (unsigned long long)c.warp_instructions,
                    (unsigned long long)c.thread_instructions);
    text_char(t, '}');
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
        uint32_t line = b.line;
        const struct source *file = l->source ? source_of(l->source, &line) : NULL;
        text_printf(t, "%s{\"line\": %u, \"column\": %u, ", i ? ",\n  " : "\n  ", line, b.column);
        if (file && strcmp(file->name, l->source->name) != 0)
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
    json_classes(s, t);
    json_widths(s, t);
    json_branches(l, s, t);
}

void metrics_json_members(const struct launch_facts *l, const kernc_statistics *s, struct text *t)
{
    json_metrics(l, s, t);
    json_lines(l, s, t);
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
    metrics_json_members(l, s, t);
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
