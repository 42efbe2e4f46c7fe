/* tune_results.c: the results of kernc tune as a table with the lines to write, and as JSON. */
#include "driver/interrupt.h"
#include "driver/metrics.h"
#include "driver/tune.h"

#include <stdio.h>

static const char *threshold_text(struct arena *a, uint32_t threshold)
{
    return threshold ? arena_printf(a, "%u", threshold) : "all";
}

static uint32_t best_of(const struct tuning *x, uint32_t i)
{
    return x->best->thresholds[i];
}

/* As it stands in the source. */
static const char *statement(const struct tuning *x, uint32_t i)
{
    struct arena *a = &x->command->arena;
    const char *label = x->predictions.at[i].label;
    return best_of(x, i) ? arena_printf(a, "Predict(%s, %u);", label, best_of(x, i))
                         : arena_printf(a, "Predict(%s);", label);
}

/* ---- for people -------------------------------------------------------------------------------------- */

static void add_cell(const struct tune_run *run, const char *key, int width, struct text *t)
{
    if (run)
        metrics_cell(&run->metrics, false, key, width, t);
    else
        text_printf(t, "%*s", width, "-");
}

static void add_gain(const struct tuning *x, const struct tune_run *than, struct text *t)
{
    if (than)
        text_printf(t, " %9.1f%%", tune_gain(x, x->best, than) * 100);
    else
        text_printf(t, " %10s", "-");
}

/* Beside another metric. */
static bool shows_efficiency(const struct tuning *x)
{
    return strcmp(x->metric, "simt_efficiency") != 0;
}

static void add_total(const struct tuning *x, const char *what, const struct tune_run *run, struct text *t)
{
    text_printf(t, "%-24s", what);
    add_cell(run, x->metric, 18, t);
    if (shows_efficiency(x))
        add_cell(run, "simt_efficiency", 12, t);
    add_gain(x, run, t);
    text_char(t, '\n');
}

/* Gains are those of the best. */
static void add_totals(const struct tuning *x, struct text *t)
{
    text_printf(t, "%-24s%18s%s %10s\n", "predictions", x->metric, shows_efficiency(x) ? "   SIMT eff." : "",
                "best gains");
    add_total(x, "none", x->none, t);
    add_total(x, "as they stand", x->written, t);
    add_total(x, "best", x->best, t);
}

static void add_predictions(const struct tuning *x, struct text *t)
{
    struct arena *a = &x->command->arena;
    text_printf(t, "\n%-16s %8s %9s %8s %18s %10s\n", "prediction", "place", "threshold", "best",
                "as it stands", "best gains");
    for (uint32_t i = 0; i < x->predictions.count; i++) {
        const struct tuned *p = &x->predictions.at[i];
        text_printf(t, "%-16s %8s %9s %8s ", p->label, arena_printf(a, "%u:%u", p->at.line, p->at.column),
                    threshold_text(a, p->at.threshold), threshold_text(a, best_of(x, i)));
        add_cell(x->without[i], x->metric, 18, t);
        add_gain(x, x->without[i], t);
        text_char(t, '\n');
    }
}

static void add_advice(const struct tuning *x, struct text *t)
{
    const char *file = input_name(x->command);
    bool worse = tune_gain(x, x->best, x->none) <= 0;
    text_char(t, '\n');
    if (worse)
        text_printf(t, "%s: no threshold is better than no prediction at all: leave %s out\n", file,
                    x->predictions.count == 1 ? "it" : "them");
    for (uint32_t i = 0; !worse && i < x->predictions.count; i++) {
        const struct tuned *p = &x->predictions.at[i];
        uint32_t line = p->at.line, to_line = p->at.to_line;
        const char *from = source_of(x->source, &line)->name, *to = source_of(x->source, &to_line)->name;
        text_printf(t, "%s:%u: %s\n", from, line, statement(x, i));
        if (p->at.found)
            text_printf(t, "%s:%u: %s: // the compiler found both places: the Predict goes before the loop\n",
                        to, to_line, p->label);
    }
    if (x->stopped && !interrupted())
        text_printf(t, "the search was stopped after %u launches: --runs=N allows more\n", x->runs.count);
}

static void add_table(const struct tuning *x, struct text *t)
{
    text_printf(t, "%s: scheme barrier, warp %u, -O%u, %u launches\n", x->kernel, x->warp, x->options.level,
                x->runs.count);
    add_totals(x, t);
    add_predictions(x, t);
    add_advice(x, t);
}

/* ---- for tools --------------------------------------------------------------------------------------- */

static void add_string(const char *key, const char *value, struct text *t)
{
    text_printf(t, "\"%s\": ", key);
    text_json(t, value, strlen(value));
}

static void add_run(const struct tuning *x, const struct tune_run *run, struct text *t)
{
    text_addz(t, "{\"thresholds\": ");
    text_addz(t, run->thresholds ? "[" : "null");
    for (uint32_t i = 0; run->thresholds && i < x->predictions.count; i++)
        text_printf(t, "%s%u", i ? ", " : "", run->thresholds[i]);
    text_addz(t, run->thresholds ? "], \"metrics\": {" : ", \"metrics\": {");
    metrics_json_values(&run->metrics, false, t);
    text_addz(t, "}}");
}

static void add_prediction(const struct tuning *x, uint32_t i, struct text *t)
{
    const struct tuned *p = &x->predictions.at[i];
    const struct tune_run *own = x->without[i];
    text_addz(t, i ? ",\n  {" : "\n  {");
    add_string("label", p->label, t);
    text_printf(t, ", \"found\": %s, \"line\": %u, \"column\": %u, \"toLine\": %u, \"toColumn\": %u",
                p->at.found ? "true" : "false", p->at.line, p->at.column, p->at.to_line, p->at.to_column);
    text_printf(t, ", \"source\": %u, \"best\": %u, \"gain\": ", p->at.threshold, best_of(x, i));
    if (own)
        text_printf(t, "%.9g, ", tune_gain(x, x->best, own));
    else
        text_addz(t, "null, ");
    add_string("statement", statement(x, i), t);
    text_char(t, '}');
}

static void add_json(const struct tuning *x, struct text *t)
{
    const struct tune_run *of[] = {x->none, x->written, x->best};
    static const char *const names[] = {"none", "source", "best"};
    text_char(t, '{');
    add_string("file", input_name(x->command), t);
    text_addz(t, ", ");
    add_string("kernel", x->kernel, t);
    text_addz(t, ", \"scheme\": \"barrier\", ");
    text_printf(t, "\"warp\": %u, \"opt\": %u, ", x->warp, x->options.level);
    add_string("metric", x->metric, t);
    text_printf(t, ", \"stopped\": %s", x->stopped ? "true" : "false");
    for (size_t i = 0; i < COUNT(of); i++) {
        text_printf(t, ",\n \"%s\": ", names[i]);
        add_run(x, of[i], t);
    }
    text_addz(t, ",\n \"predictions\": [");
    for (uint32_t i = 0; i < x->predictions.count; i++)
        add_prediction(x, i, t);
    text_addz(t, "],\n \"launches\": [");
    for (uint32_t i = 0; i < x->runs.count; i++) {
        text_addz(t, i ? ",\n  " : "\n  ");
        add_run(x, x->runs.at[i], t);
    }
    text_addz(t, "]}\n");
}

int tune_show(const struct tuning *x)
{
    const char *json = option_value(x->command, OPTION_COMPARE_JSON);
    struct text t = {0}, visible = {0};
    int code = EXIT_OK;
    if (!json || strcmp(json, "-") != 0) {
        add_table(x, &t);
        text_visible(&visible, t.at, t.length);
        fwrite(visible.at, 1, visible.length, stdout);
        t.length = 0;
    }
    if (json) {
        add_json(x, &t);
        code = write_output(x->command, json, t.at, t.length);
    }
    text_free(&t);
    text_free(&visible);
    return code;
}
