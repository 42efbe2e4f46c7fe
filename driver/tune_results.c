/* tune_results.c: the results of kernc tune as a table with the lines to write, and as JSON. */
#include "driver/interrupt.h"
#include "driver/metrics.h"
#include "driver/tune.h"

#include <stdio.h>

static const char *threshold_text(struct arena *a, uint32_t threshold)
{
    return threshold == KERNC_THRESHOLD_OFF ? "left out"
           : threshold                      ? arena_printf(a, "%u", threshold)
                                            : "all";
}

/* "FILE:", unless it is the file that is tuned; and "LINE:COLUMN". */
static const char *place_text(const struct tuning *x, place at)
{
    uint32_t line = at.line;
    const struct source *file = source_of(x->source, &line);
    const char *other = strcmp(file->name, x->source->name) != 0 ? file->name : "";
    return arena_printf(&x->command->arena, "%s%s%u:%u", other, *other ? ":" : "", line, at.column);
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
    if (best_of(x, i) == KERNC_THRESHOLD_OFF)
        return NULL;
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
        text_printf(t, "%-16s %8s %9s %8s ", p->label, place_text(x, p->from),
                    threshold_text(a, p->at.threshold), threshold_text(a, best_of(x, i)));
        add_cell(x->without[i], x->metric, 18, t);
        add_gain(x, x->without[i], t);
        text_char(t, '\n');
    }
}

/* What to write where, for one prediction. */
static void add_edit(const struct tuning *x, uint32_t i, struct text *t)
{
    const struct tuned *p = &x->predictions.at[i];
    uint32_t line = p->from.line, to_line = p->to.line;
    const char *from = source_of(x->source, &line)->name, *to = source_of(x->source, &to_line)->name;
    const char *text = statement(x, i), *within = p->within ? p->within : "";
    text_printf(t, "%s:%u: ", from, line);
    if (!text && p->at.found)
        text_printf(t, "no Predict: what the compiler found for %s:%u is better left out", to, to_line);
    else if (!text)
        text_printf(t, "leave Predict(%s) out", p->label);
    else
        text_addz(t, text);
    if (text && p->at.found)
        text_addz(t, " // before the loop");
    text_printf(t, "%s%s\n", !*within ? "" : text && !p->at.found ? " // " : "; ", within);
    if (text && p->callee)
        text_printf(
            t,
            "%s:%u: here the compiler, which inlined %s, has the threads meet: from outside only the "
            "function can be named, so tune with this statement, or write the function's text in place "
            "of its call\n",
            to, to_line, p->callee);
    else if (text && p->at.found)
        text_printf(t, "%s:%u: %s: // the compiler found both places\n", to, to_line, p->label);
}

static void add_advice(const struct tuning *x, struct text *t)
{
    const char *file = input_name(x->command);
    bool worse = tune_gain(x, x->best, x->none) <= 0;
    text_char(t, '\n');
    if (worse)
        text_printf(t, "%s: no threshold is better than no prediction at all: leave %s out\n", file,
                    x->predictions.count == 1 ? "it" : "them");
    for (uint32_t i = 0; !worse && i < x->predictions.count; i++)
        add_edit(x, i, t);
    if (x->stopped && !interrupted())
        text_printf(t, "the search was stopped after %u launches: --runs=N allows more\n", x->runs.count);
}

/* Which of the file's launches a run makes, and which are measured. */
static void add_measured(const struct tuning *x, struct text *t)
{
    for (int counted = 1; counted >= 0; counted--) {
        uint32_t listed = 0;
        for (uint32_t i = 0; i < x->first.x.steps.count; i++) {
            const struct execution_step *s = &x->first.x.steps.at[i];
            if (!s->kernel || s->counted != counted)
                continue;
            text_printf(t, "%s%u %s",
                        listed++  ? ", "
                        : counted ? "measured: launch "
                                  : "run as well: launch ",
                        s->number, s->launch.kernel);
        }
        text_addz(t, listed ? "\n" : "");
    }
}

static uint32_t count_sampled(const struct tuning *x)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->runs.count; i++)
        n += x->runs.at[i]->blocks != 0;
    return n;
}

static void add_table(const struct tuning *x, struct text *t)
{
    bool several = execution_is_sequence(&x->first.x);
    text_printf(t, "%s: scheme barrier, warp %u, -O%u, %u %s", x->kernel, x->warp, x->options.level,
                x->runs.count, several ? "runs" : "launches");
    if (count_sampled(x))
        text_printf(t, ", %u of them of %u blocks", count_sampled(x), x->sample);
    text_char(t, '\n');
    if (several)
        add_measured(x, t);
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

/* NULL: null. */
static void add_text(const char *value, struct text *t)
{
    if (value)
        text_json(t, value, strlen(value));
    else
        text_addz(t, "null");
}

/* null: the prediction is left out. */
static void add_threshold(const char *before, uint32_t threshold, struct text *t)
{
    if (threshold == KERNC_THRESHOLD_OFF)
        text_printf(t, "%snull", before);
    else
        text_printf(t, "%s%u", before, threshold);
}

static void add_run(const struct tuning *x, const struct tune_run *run, struct text *t)
{
    text_addz(t, "{\"thresholds\": ");
    text_addz(t, run->thresholds ? "[" : "null");
    for (uint32_t i = 0; run->thresholds && i < x->predictions.count; i++)
        add_threshold(i ? ", " : "", run->thresholds[i], t);
    text_addz(t, run->thresholds ? "], " : ", ");
    if (run->blocks)
        text_printf(t, "\"blocks\": %u, ", run->blocks);
    text_addz(t, "\"metrics\": {");
    metrics_json_values(&run->metrics, false, t);
    text_addz(t, "}}");
}

static void add_prediction(const struct tuning *x, uint32_t i, struct text *t)
{
    const struct tuned *p = &x->predictions.at[i];
    const struct tune_run *own = x->without[i];
    text_addz(t, i ? ",\n  {" : "\n  {");
    add_string("label", p->label, t);
    uint32_t line = p->from.line, to_line = p->to.line;
    const char *file = source_of(x->source, &line)->name;
    source_of(x->source, &to_line);
    text_printf(t, ", \"found\": %s, \"line\": %u, \"column\": %u, \"toLine\": %u, \"toColumn\": %u",
                p->at.found ? "true" : "false", line, p->from.column, to_line, p->to.column);
    text_printf(t, ", \"source\": %u, \"best\": ", p->at.threshold);
    add_threshold("", best_of(x, i), t);
    text_addz(t, ", \"gain\": ");
    if (own)
        text_printf(t, "%.9g", tune_gain(x, x->best, own));
    else
        text_addz(t, "null");
    text_addz(t, ", \"statement\": ");
    add_text(statement(x, i), t);
    text_addz(t, ", ");
    add_string("file", file, t);
    text_addz(t, ", \"within\": ");
    add_text(p->within, t);
    text_char(t, '}');
}

/* Launches of a run, those that are measured or the others. */
static void add_launches(const struct tuning *x, const char *key, bool counted, struct text *t)
{
    const char *before = "";
    text_printf(t, ", \"%s\": [", key);
    for (uint32_t i = 0; i < x->first.x.steps.count; i++) {
        const struct execution_step *s = &x->first.x.steps.at[i];
        if (!s->kernel || s->counted != counted)
            continue;
        text_printf(t, "%s{\"launch\": %u, ", before, s->number);
        add_string("kernel", s->launch.kernel, t);
        text_char(t, '}');
        before = ", ";
    }
    text_char(t, ']');
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
    text_printf(t, ", \"stopped\": %s, \"sample\": %u", x->stopped ? "true" : "false",
                count_sampled(x) ? x->sample : 0);
    add_launches(x, "measured", true, t);
    add_launches(x, "unmeasured", false, t);
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
