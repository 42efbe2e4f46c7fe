/* tune.c: kernc tune: the best threshold of each prediction ("Speculative Reconvergence", section 4.6, which
 * leaves the choice to the programmer), found by launching the kernel with others under the scheme barrier.
 *
 * One prediction: all thresholds are tried. Several: coordinate descent from the source's thresholds on. One
 * after the other is moved to its best while the others stay, on a ladder of steps that are then halved
 * around the best, until a whole round moves none; a prediction may also be left out.
 *
 * Of large grids the search runs a sample of the blocks; its best few candidates are then run whole, and the
 * best of these counts. A kernel that does not end on a sample as it stands, as its blocks wait for each other,
 * is searched whole. So are several launches of which a sample leaves out what others read: with it, the
 * source's predictions gain more or less than on whole grids.
 *
 * A run makes the launches that are asked for, on buffers as the file's earlier launches leave them; those of
 * kernels with predictions are measured. All runs have the same arguments and must leave the same bytes in
 * every buffer: a prediction never changes what is computed. What kernels print is dropped.
 */
#include "driver/tune.h"
#include "driver/interrupt.h"
#include "driver/metrics.h"
#include "driver/progress.h"
#include "lib/result.h"
#include "opt/opt.h"

#define fail_at(x, code, id, prediction, ...)                                                                \
    fail((x)->command, code, id, (x)->source, (place){(prediction)->line, (prediction)->column}, __VA_ARGS__)

/* ---- what is asked for ------------------------------------------------------------------------------- */

static int read_metric(struct tuning *x)
{
    struct command *c = x->command;
    const char *name = option_value(c, OPTION_METRIC);
    x->metric = metrics_find(name ? name : "cycles", &x->large);
    return x->metric ? EXIT_OK
                     : complain(c, EXIT_USAGE, "there is no metric '%s'; there are %s", name,
                                metrics_keys(&c->arena));
}

/* Switches that leave nothing to look for. What else is wrong with them, the compilation says. */
static int check_switches(struct tuning *x)
{
    struct opt_options o;
    opt_options_init(&o);
    for (size_t i = 0; i < x->options.switch_count; i++)
        opt_options_set(&o, &x->command->arena, x->options.switches[i]);
    if (o.values[OPT_OPTION_predict_threshold])
        return complain(x->command, EXIT_USAGE,
                        "-fpredict-threshold sets all thresholds: tune has nothing to look for");
    if (o.values[OPT_OPTION_predict] == OPT_predict_off)
        return complain(x->command, EXIT_USAGE,
                        "-fpredict=off honours no prediction: tune has nothing to look for");
    x->finds = opt_finds_predictions(&o);
    return EXIT_OK;
}

static int read_choice(struct tuning *x)
{
    uint64_t warp = 32;
    kernc_options_init(&x->options);
    int code = compile_options(x->command, &x->options);
    x->options.scheme = scheme_info[scheme_with(SCHEME_PREDICTIONS)].name;
    x->options.collect = true; /* which limits were reached */
    x->most_runs = 200;
    uint64_t sample = 0;
    const struct option_range numbers[] = {{OPTION_WARP, 1, KERNC_MAX_WARP, &warp, false},
                                           {OPTION_RUNS, 3, 1000000, &x->most_runs, false},
                                           {OPTION_SAMPLE, 0, KERNC_MAX_GRID_BLOCKS, &sample, false}};
    code = code ?: read_metric(x) ?: check_switches(x) ?: option_numbers(x->command, numbers, COUNT(numbers));
    x->warp = (uint32_t)warp;
    x->sample = (uint32_t)sample;
    x->own_sample = option_value(x->command, OPTION_SAMPLE) != NULL;
    x->finalists = limit_own(x->command, LIMIT_tune_finalists);
    return code;
}

/* ---- progress ---------------------------------------------------------------------------------------- */

static void tell_progress(struct tuning *x)
{
    progress_say(&x->command->progress,
                 arena_printf(&x->command->arena, "tuning %s, launch %u", x->kernel, x->runs.count + 1));
}

static void begin_watch(struct tuning *x)
{
    progress_begin(&x->command->progress, "tuning");
    x->watched = true;
}

/* Before anything else is shown. */
static void end_watch(struct tuning *x)
{
    if (x->watched)
        progress_end(&x->command->progress);
    x->watched = false;
}

/* ---- one launch -------------------------------------------------------------------------------------- */

static struct run new_run(struct tuning *x)
{
    struct run r = launch_new(x->command, true);
    r.source = x->source;
    r.x.api.interrupt = interrupt_flag();
    r.x.choice.earlier = true;
    return r;
}

/* Compiles with the thresholds; NULL: as the source says, or with the options as they are. */
static int compile(struct tuning *x, const uint32_t *thresholds, kernc_result **r)
{
    kernc_threshold *all = arena_array(&x->command->arena, kernc_threshold, x->predictions.count + 1);
    kernc_options o = x->options;
    for (uint32_t i = 0; thresholds && i < x->predictions.count; i++) {
        const kernc_prediction *p = &x->predictions.at[i].at;
        all[i] = (kernc_threshold){p->line, p->column, p->to_line, p->to_column, thresholds[i]};
    }
    o.thresholds = all;
    o.threshold_count = thresholds ? x->predictions.count : 0;
    *r = compile_text(x->command, &o, &x->text);
    if (kernc_result_status(*r) == KERNC_COMPILED)
        return EXIT_OK;
    end_watch(x);
    show_diagnostics(x->command, *r);
    return exit_of_compilation(kernc_result_status(*r));
}

/* Launches what is open. */
static int launch(struct tuning *x, struct run *r, struct tune_run *run, kernc_status *status)
{
    kernc_statistics *s = NULL;
    run->metrics.size = sizeof run->metrics;
    *status = execution_run(&r->x, &s);
    kernc_statistics_metrics(s, &run->metrics);
    kernc_statistics_free(s);
    if (*status != KERNC_OK || metrics_value(&run->metrics, false, x->metric, &run->value))
        return EXIT_OK;
    end_watch(x);
    return fail(x->command, EXIT_INPUT, "metric", NULL, (place){0, 0},
                "the metric '%s' does not apply to this launch", x->metric);
}

static const char *thresholds_text(struct tuning *x, const uint32_t *thresholds)
{
    struct arena *a = &x->command->arena;
    const char *text = "";
    if (!thresholds)
        return "without predictions";
    for (uint32_t i = 0; i < x->predictions.count; i++) {
        const char *n = thresholds[i] == KERNC_THRESHOLD_OFF ? "none"
                        : thresholds[i]                      ? arena_printf(a, "%u", thresholds[i])
                                                             : "all";
        text = arena_printf(a, "%s%s%s for %s", text, i ? ", " : "", n, x->predictions.at[i].label);
    }
    return arena_printf(a, "with thresholds of %s", text);
}

/* The run has to end as the first of the same blocks did. */
static int check(struct tuning *x, const struct run *r, kernc_status status, const uint32_t *thresholds)
{
    const kernc_prediction *p = &x->predictions.at[0].at;
    size_t element;
    const struct execution_buffer *differs =
        status == KERNC_OK ? execution_difference(&r->x, x->blocks ? &x->sampled.x : &x->first.x, &element)
                           : NULL;
    if (status == KERNC_OK && !differs)
        return EXIT_OK;
    end_watch(x);
    if (status != KERNC_OK)
        return fail_at(x, exit_of_run(status), kernc_status_name(status), p, "%s: %s",
                       thresholds_text(x, thresholds), kernc_error_text(r->x.context));
    return fail_at(
        x, EXIT_FOUND, "schedule", p,
        "%s, %s[%zu] is not what it is as the source stands: what the kernel computes depends on the "
        "order in which threads run (perhaps of blocks: --threads=1)",
        thresholds_text(x, thresholds), differs->name, element);
}

/* The same launches are measured in all runs. */
static void measure_same(const struct tuning *x, struct execution *e)
{
    for (uint32_t i = 0; i < e->steps.count; i++) {
        e->steps.at[i].counted = x->first.x.steps.at[i].counted;
        e->steps.at[i].sample = e->steps.at[i].counted ? x->blocks : 0;
    }
}

/* Compiles and opens it. The caller closes it in any case. */
static int open_run(struct tuning *x, const uint32_t *thresholds, struct run *r)
{
    kernc_result *compiled = NULL;
    *r = new_run(x);
    tell_progress(x);
    int code = launch_read_flags(r);
    r->x.api.warp = x->warp;
    code = code ?: compile(x, thresholds, &compiled) ?: launch_open_compiled(r, compiled);
    kernc_result_free(compiled);
    if (!code)
        measure_same(x, &r->x);
    return code;
}

/* A launch that a signal stops is not among the runs. */
static int run_once(struct tuning *x, struct tune_run *run)
{
    struct run r;
    kernc_status status = KERNC_OK;
    run->blocks = x->blocks;
    int code = open_run(x, run->thresholds, &r) ?: launch(x, &r, run, &status);
    if (code || (interrupted() && status == KERNC_LIMIT))
        goto done;
    code = check(x, &r, status, run->thresholds);
    if (!code)
        vec_push(&x->command->arena, &x->runs, run);
done:
    execution_close(&r.x);
    return code;
}

static int run_without_predictions(struct tuning *x, struct tune_run *run)
{
    struct arena *a = &x->command->arena;
    kernc_options own = x->options;
    const char **switches = arena_array(a, const char *, own.switch_count + 1);
    for (size_t i = 0; i < own.switch_count; i++)
        switches[i] = own.switches[i];
    switches[own.switch_count] = "predict=off";
    x->options.switches = switches;
    x->options.switch_count++;
    int code = run_once(x, run);
    x->options = own;
    return code;
}

/* ---- the first launch -------------------------------------------------------------------------------- */

/* No more than the warp has: all. */
static uint32_t in_warp(const struct tuning *x, uint32_t threshold)
{
    return threshold < x->warp || threshold == KERNC_THRESHOLD_OFF ? threshold : 0;
}

static bool is_listed(const struct tuning *x, const kernc_prediction *p)
{
    for (uint32_t i = 0; i < x->predictions.count; i++) {
        const kernc_prediction *q = &x->predictions.at[i].at;
        if (q->line == p->line && q->column == p->column && q->to_line == p->to_line &&
            q->to_column == p->to_column)
            return true;
    }
    return false;
}

/* Those of the kernel that are not known yet. Whether it has any. */
static bool list_predictions(struct tuning *x, const kernc_result *r, const char *kernel)
{
    kernc_prediction p = {.size = sizeof p};
    unsigned i = 0;
    for (; result_prediction(r, kernel, i, &p); i++)
        if (!is_listed(x, &p))
            vec_push(&x->command->arena, &x->predictions, ((struct tuned){.at = p}));
    return i > 0;
}

/* Names that stand in the list already are not added. */
static const char *add_name(struct arena *a, const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ',' || at[n] == 0))
            return list;
    return *list ? arena_printf(a, "%s, %s", list, name) : name;
}

/* Of the launches that are asked for, those whose kernels have predictions are measured. */
static void choose_measured(struct tuning *x, const kernc_result *r)
{
    struct execution *e = &x->first.x;
    struct arena *a = &x->command->arena;
    const char *all = "";
    x->kernel = "";
    for (uint32_t i = 0; i < e->steps.count; i++) {
        struct execution_step *s = &e->steps.at[i];
        if (!s->kernel || !s->counted)
            continue;
        all = add_name(a, all, s->launch.kernel);
        s->counted = list_predictions(x, r, s->launch.kernel);
        if (s->counted)
            x->kernel = add_name(a, x->kernel, s->launch.kernel);
    }
    x->kernel = *x->kernel ? x->kernel : all;
}

/* Whether the remark is about a limit, by its id. */
static bool is_of_limit(const struct opt_remark *m)
{
    static const char *const ids[] = {"limit", "predictions", "predict-steps", "predict-sample",
                                      "predict-candidates"};
    for (size_t i = 0; i < COUNT(ids); i++)
        if (strcmp(ids[i], m->id) == 0)
            return true;
    return false;
}

/* A limit that kept the passes from predictions, and where; NULL: none did. */
static const char *limit_of(const struct tuning *x, const kernc_result *r)
{
    for (uint32_t i = 0; i < r->report.remarks.count; i++) {
        const struct opt_remark *m = &r->report.remarks.at[i];
        bool about = m->pass == OPT_PASS_detect_predictions || m->pass == OPT_PASS_place_barriers;
        uint32_t line = m->at.line;
        if (about && m->kind == OPT_MISSED && is_of_limit(m))
            return arena_printf(&x->command->arena, "%s:%u: in %s: %s", source_of(x->source, &line)->name,
                                line, m->function, m->text);
    }
    return NULL;
}

static int find_predictions(struct tuning *x, const kernc_result *r)
{
    choose_measured(x, r);
    if (x->predictions.count)
        return tune_find_places(x);
    const struct execution_step *meant = execution_meant(&x->first.x);
    const struct launch *d = meant ? meant->directive : NULL;
    const char *limit = limit_of(x, r), *auto_too = x->finds ? "-fpredict=auto finds none that pays "
                                                               "(--remarks says why), write"
                                                             : "let -fpredict=auto look for some, or write";
    bool several = strchr(x->kernel, ',') != NULL;
    return fail(x->command, EXIT_INPUT, "tune", x->source, (place){d ? d->line : 0, d != NULL},
                "%s %s %s prediction to tune: %s%s%s Predict(label) before a loop (docs/language.md)",
                several ? "none of the kernels" : "kernel", x->kernel, several ? "has a" : "has no",
                limit ? limit : "", limit ? "; raise it, or write" : "", limit ? "" : auto_too);
}

/* As the source says; messages of the compilation are shown for this one alone. */
static int run_first(struct tuning *x)
{
    kernc_status status = KERNC_OK;
    struct tune_run *run = arena_new(&x->command->arena, struct tune_run);
    struct run *first = &x->first;
    *first = new_run(x);
    int code = launch_read_flags(first) ?: compile_file(x->command, &x->options, &x->text, &x->compiled);
    if (code)
        return code;
    first->x.api.warp = x->warp;
    first->source = x->source = x->compiled->source;
    code = launch_open_compiled(first, x->compiled) ?: launch_check(first, x->compiled)
        ?: find_predictions(x, x->compiled);
    if (code)
        return code;
    run->thresholds = arena_array(&x->command->arena, uint32_t, x->predictions.count + 1);
    for (uint32_t i = 0; i < x->predictions.count; i++)
        run->thresholds[i] = in_warp(x, x->predictions.at[i].at.threshold);
    begin_watch(x);
    tell_progress(x);
    code = launch(x, first, run, &status);
    end_watch(x);
    if (code)
        return code;
    if (status != KERNC_OK)
        return launch_stopped(first, status);
    vec_push(&x->command->arena, &x->runs, run);
    x->written = x->best = run;
    return EXIT_OK;
}

/* ---- the search -------------------------------------------------------------------------------------- */

double tune_gain(const struct tuning *x, const struct tune_run *run, const struct tune_run *than)
{
    double difference = x->large ? run->value - than->value : than->value - run->value;
    return than->value != 0 ? difference / than->value : 0;
}

static bool is_better(const struct tuning *x, const struct tune_run *run, const struct tune_run *than)
{
    return x->large ? run->value > than->value : run->value < than->value;
}

/* The launch with these thresholds; it becomes the best if it is better. *run: NULL: none more may be made. */
static int try_all(struct tuning *x, uint32_t *thresholds, const struct tune_run **run)
{
    uint32_t n = x->predictions.count;
    struct tune_run *fresh = arena_new(&x->command->arena, struct tune_run);
    fresh->thresholds = thresholds;
    *run = NULL;
    for (uint32_t k = 0; k < x->runs.count; k++)
        if (x->runs.at[k]->thresholds && x->runs.at[k]->blocks == x->blocks &&
            memcmp(x->runs.at[k]->thresholds, fresh->thresholds, n * sizeof *fresh->thresholds) == 0)
            *run = x->runs.at[k];
    if (!*run && (x->runs.count >= x->most_runs - (x->blocks ? x->finalists + n : 0) || interrupted())) {
        x->stopped = true;
        return EXIT_OK;
    }
    if (!*run) {
        int code = run_once(x, fresh);
        x->stopped |= code || interrupted();
        if (x->stopped)
            return code;
        *run = fresh;
    }
    if (is_better(x, *run, x->best))
        x->best = *run;
    return EXIT_OK;
}

/* Prediction i with this threshold, the others with those of the best. */
static int try_threshold(struct tuning *x, uint32_t i, uint32_t threshold, const struct tune_run **run)
{
    uint32_t n = x->predictions.count, *thresholds = arena_array(&x->command->arena, uint32_t, n);
    memcpy(thresholds, x->best->thresholds, n * sizeof *thresholds);
    thresholds[i] = in_warp(x, threshold);
    return try_all(x, thresholds, run);
}

/* Moves prediction i to its best: the source's threshold, none at all, 1 and each `step`-th, then ever smaller
 * steps around the best. Whether a single one is better left out the run without predictions says. */
static int move(struct tuning *x, uint32_t i, uint32_t step)
{
    const struct tune_run *run;
    int code = try_threshold(x, i, x->written->thresholds[i], &run);
    if (x->predictions.count > 1)
        code = code ?: try_threshold(x, i, KERNC_THRESHOLD_OFF, &run);
    code = code ?: try_threshold(x, i, 1, &run);
    for (uint32_t t = step; !code && t <= x->warp; t += step)
        code = try_threshold(x, i, t, &run);
    while (!code && step > 1 && x->best->thresholds[i] != KERNC_THRESHOLD_OFF) {
        step /= 2;
        uint32_t best = x->best->thresholds[i] ? x->best->thresholds[i] : x->warp;
        if (best > step)
            code = try_threshold(x, i, best - step, &run);
        code = code ?: try_threshold(x, i, best + step, &run);
    }
    return code;
}

static int descend(struct tuning *x)
{
    uint32_t n = x->predictions.count, step = n == 1 || x->warp < 8 ? 1 : x->warp / 8;
    const struct tune_run *before;
    int code = EXIT_OK;
    do {
        before = x->best;
        for (uint32_t i = 0; !code && !x->stopped && i < n; i++)
            code = move(x, i, step);
    } while (!code && !x->stopped && n > 1 && before != x->best);
    return code;
}

/* What each prediction's own threshold gives: the descent has come to those launches, if it was not stopped,
 * nor on a sample. There, one of them may be better than the best. */
static int measure_each(struct tuning *x)
{
    const struct tune_run *before;
    int code = EXIT_OK;
    x->without = arena_array(&x->command->arena, const struct tune_run *, x->predictions.count);
    do {
        before = x->best;
        for (uint32_t i = 0; !code && i < x->predictions.count; i++)
            code = try_threshold(x, i, x->written->thresholds[i], &x->without[i]);
    } while (!code && before != x->best);
    return code;
}

/* ---- on a sample of the grid ------------------------------------------------------------------------- */

/* Blocks of the largest grid among the launches that are measured, and how many these are. 0: one stands in a
 * repeat, whose end may depend on what a sample leaves out. */
static uint64_t measured_grid(const struct tuning *x, uint32_t *launches)
{
    uint64_t most = 0;
    *launches = 0;
    for (uint32_t i = 0; i < x->first.x.steps.count; i++) {
        const struct execution_step *s = &x->first.x.steps.at[i];
        uint64_t grid = 1;
        if (*launches && s->directive && s->directive->step == LAUNCH_END)
            return 0;
        if (!s->counted || !s->kernel)
            continue;
        for (int d = 0; d < 3; d++)
            grid *= s->launch.grid[d] ? s->launch.grid[d] : 1;
        most = grid > most ? grid : most;
        ++*launches;
    }
    return most;
}

/* Blocks of the sample, in each measured launch with more of them; 0: there is to be none. */
static uint32_t choose_sample(const struct tuning *x, uint64_t grid)
{
    bool worth = x->most_runs > 4 * x->finalists + x->predictions.count;
    uint64_t wanted = x->sample;
    if (!x->own_sample && grid > limit_own(x->command, LIMIT_tune_whole_blocks)) {
        uint64_t least = limit_own(x->command, LIMIT_tune_sample_least);
        wanted = grid / limit_own(x->command, LIMIT_tune_sample_share);
        wanted = wanted > least ? wanted : least;
    }
    return worth && wanted < grid ? (uint32_t)wanted : 0;
}

/* As the source says, with the fuel of twice the whole grid. Whether the kernel ends; what another run finds,
 * another would say. */
static bool run_first_sampled(struct tuning *x)
{
    struct tune_run *run = arena_new(&x->command->arena, struct tune_run);
    kernc_status status = KERNC_OK;
    run->thresholds = x->written->thresholds;
    run->blocks = x->blocks;
    if (open_run(x, run->thresholds, &x->sampled))
        return false;
    x->sampled.x.api.fuel = 2 * x->written->metrics.warp_instructions + (1 << 20);
    if (launch(x, &x->sampled, run, &status) || status != KERNC_OK)
        return false;
    vec_push(&x->command->arena, &x->runs, run);
    x->best = run;
    return true;
}

/* Whether the source's predictions gain on the sample what they gain on the whole. A code: it has failed. */
static int is_like_whole(struct tuning *x, bool *like)
{
    struct tune_run *none = arena_new(&x->command->arena, struct tune_run);
    int code = run_without_predictions(x, none);
    none->is_final = true; /* it has run whole */
    double off = tune_gain(x, x->best, none) - tune_gain(x, x->written, x->none),
           most = (double)limit_own(x->command, LIMIT_tune_sample_off) / 100;
    *like = !code && off <= most && off >= -most;
    return code;
}

/* The best of the sample's runs that are not whole yet; NULL: there is none. */
static struct tune_run *next_finalist(const struct tuning *x)
{
    struct tune_run *best = NULL;
    for (uint32_t i = 0; i < x->runs.count; i++) {
        struct tune_run *run = x->runs.at[i];
        if (run->blocks && !run->is_final && (!best || is_better(x, run, best)))
            best = run;
    }
    return best;
}

/* Runs the best few whole. */
static int run_finalists(struct tuning *x)
{
    const struct tune_run *run;
    int code = EXIT_OK;
    x->blocks = 0;
    x->best = x->written;
    for (uint64_t i = 0; !code && !x->stopped && i < x->finalists; i++) {
        struct tune_run *sampled = next_finalist(x);
        if (!sampled)
            break;
        sampled->is_final = true;
        code = try_all(x, sampled->thresholds, &run);
    }
    return code;
}

static int descend_on_whole(struct tuning *x)
{
    x->blocks = 0;
    x->best = x->written;
    return descend(x);
}

/* Descends on the sample, and leaves the best of its candidates, run whole, as the best. */
static int descend_on_sample(struct tuning *x)
{
    uint32_t launches;
    x->blocks = choose_sample(x, measured_grid(x, &launches));
    if (!x->blocks || !run_first_sampled(x))
        return descend_on_whole(x);
    x->sample = x->blocks;
    bool like = true;
    int code = launches > 1 ? is_like_whole(x, &like) : EXIT_OK;
    if (!like && !code)
        return descend_on_whole(x);
    code = code ?: descend(x);
    bool stopped = x->stopped;
    x->stopped = code || interrupted();
    code = code ?: run_finalists(x);
    x->stopped |= stopped;
    return code;
}

static int tell_interrupted(struct tuning *x)
{
    end_watch(x);
    return complain(x->command, interrupt_code(), "interrupted after %u launches", x->runs.count);
}

static int search(struct tuning *x)
{
    int code = run_first(x);
    if (code)
        return code;
    begin_watch(x);
    x->none = arena_new(&x->command->arena, struct tune_run);
    code = run_without_predictions(x, x->none);
    if (code)
        return code;
    if (interrupted()) /* there is nothing to compare with */
        return tell_interrupted(x);
    return descend_on_sample(x) ?: measure_each(x);
}

int verb_tune(struct command *c)
{
    struct tuning x = {.command = c};
    int code = read_choice(&x);
    if (code)
        goto done;
    interrupt_listen(true);
    code = search(&x);
    interrupt_listen(false);
    end_watch(&x);
    code = code ?: tune_show(&x);
    if (interrupted())
        code = code ? interrupt_code() : tell_interrupted(&x);
done:
    execution_close(&x.sampled.x);
    execution_close(&x.first.x);
    kernc_result_free(x.compiled);
    text_free(&x.text);
    return code;
}
