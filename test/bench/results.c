/* results.c: the samples with a prediction, in tables like the figures of "Speculative Reconvergence for
 * Improved SIMT Efficiency" (CGO 2020), and sweeps of the threshold as plots.
 *
 *     results [ROUNDS]      (default 7; from the root of the project; `make results` calls it)
 *
 * Writes between the lines "<!-- results: NAME -->" and "<!-- end -->" of docs/results.md, and docs/plots/.
 * Instructions and cycles are counted, so a busy machine does not change them. Times are the least CPU time of
 * some launches on one host thread, all ways to run a sample in turns. Every launch has to leave the bytes that
 * pdom leaves.
 */
#include "lib/execution.h"
#include "test/bench/cases.h"
#include "test/bench/plot.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 14, SWEEPS = 5, WARP = 32, MOST_ROUNDS = 50, MOST_SECONDS = 20, PAGE_BYTES = 8 << 20 };
enum way { PDOM, OFF, USER, AUTO, WAYS };       /* under barrier: no prediction, the source's, those found */
static const char *const switch_of[WAYS] = {NULL, "predict=off", "predict=user", "predict=auto"};

struct figures { kernc_metrics counted; double seconds; };
struct sample {
    const char *name, *argument, *value;        /* argument NULL: as the file launches it */
    const char *size;                           /* as behind -D; NULL: as the file has it */
    const char *label;                          /* what tables say of the argument; NULL: its name and value */
    double model, efficiency, gain;             /* percent without prediction; what is to be reached by `by`:
                                                   percent, times fewer instructions. 0: no target */
    enum way by;
    double least;                               /* of AUTO: cycles' gain; 0: never under .99 */
    struct figures at[WAYS];
};
static struct sample samples[SAMPLES] = {
    {"rsbench", .size = "TASKS=64", .model = 18, .efficiency = 55, .gain = 3, .by = USER},
    {"rsbench", "poles_of", "random(355,3,900,900)", .size = "TASKS=64", .label = "9 poles",
     .model = 18, .efficiency = 55, .gain = 3, .by = USER},
    {"xsbench", .model = 19, .efficiency = 45, .gain = 2.2, .by = USER},
    {"mcb", .model = 44, .efficiency = 52, .gain = 1.2, .by = USER},
    {"pathtracer", .size = "WIDTH=128", .model = 44, .efficiency = 60, .gain = 1.35, .by = USER},
    {"mcgpu", .model = 15, .efficiency = 22, .gain = 1.4, .by = USER},
    {"gpumcml", .model = 16, .efficiency = 42, .gain = 2.5, .by = USER},
    {"iterdelay", .model = 23, .efficiency = 50, .by = USER},
    {"commoncall", .model = 51, .efficiency = 85, .gain = 1.6, .by = USER},
    {"anyhit", "cost", "20", .by = USER},
    {"anyhit", "cost", "150", .by = USER},
    {"anyhit", "cost", "300", .by = USER, .least = 1.05},
    {"anyhit", "cost", "600", .by = USER, .least = 1.05},
    {"md5", .model = 26, .efficiency = 55, .gain = 2, .by = AUTO},
};

/* Thresholds 1 to 32. rsbench has fewer tasks here, for time. */
struct sweep {
    struct sample sample;
    const char *target;
    double efficiency[WARP], instructions[WARP], cycles[WARP];  /* percent; times fewer than pdom */
};
static struct sweep sweeps[SWEEPS] = {
    {.sample = {.name = "pathtracer", .size = "WIDTH=128"}, .target = "32 within 5 % of the best"},
    {.sample.name = "xsbench", .target = "best below rsbench's"},
    {.sample.name = "iterdelay", .target = "best at about 16"},
    {.sample.name = "mcb", .target = ""},
    {.sample = {.name = "rsbench", .argument = "tasks", .value = "8"}, .target = ""},
};

enum { SCHEDULES = 4 };
static const char *const schedule_names[SCHEDULES] = {"largest", "newest", "oldest", "lowest"};
static double schedule_cycles[SCHEDULES][SAMPLES];

static struct arena arena;
static int rounds = 7, failures;

/* ---- launches ---------------------------------------------------------------------------------------- */

static void stop(const char *sample, const char *why)
{
    fprintf(stderr, "results: %s: %s\n", sample, why ? why : "?");
    exit(2);
}

static kernc_result *compile(const struct sample *s, enum way way, unsigned threshold)
{
    struct text   source = {0};
    const char   *path = arena_printf(&arena, "samples/%s.kern", s->name);
    const char   *problem = file_read(path, PAGE_BYTES, &source);
    const char *wait = arena_printf(&arena, "predict-threshold=%u", threshold);
    const char *switches[] = {"no-csc", switch_of[way], wait};
    kernc_options o;
    kernc_options_init(&o);
    o.scheme = way == PDOM ? "pdom" : "barrier";
    o.switches = switches;
    o.switch_count = way == PDOM ? 1 : threshold ? 3 : 2;
    o.no_warnings = true;
    o.defines = &s->size;
    o.define_count = s->size != NULL;
    if (problem)
        stop(path, problem);
    kernc_result *r = kernc_compile(path, source.at, source.length, &o);
    text_free(&source);
    if (kernc_result_status(r) != KERNC_COMPILED)
        stop(path, kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL));
    return r;
}

static void open_sample(struct execution *x, const struct sample *s, enum way way, unsigned threshold)
{
    size_t        n;
    kernc_result *r = compile(s, way, threshold);
    const char   *program = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    *x = (struct execution){.arena = &arena,
                             .input = s->name,
                             .api.size = sizeof x->api,
                             .api.warp = WARP,
                             .choice.first_only = true,
                             .max_memory = (uint64_t)2 << 30};
    struct launch_argument a = {.name = s->argument};
    if (s->argument && !launch_parse_value(&arena, s->value, &a.value))
        vec_push(&arena, &x->choice.launch.arguments, a);
    if (!execution_open(x, program, n))
        stop(s->name, x->problem.text);
    kernc_result_free(r);
}

/* On fresh buffers: samples may count in them what is left to do. */
static void make_buffers(struct execution *x)
{
    if (!execution_remake(x, x->first))
        stop(x->input, x->problem.text);
}

static kernc_metrics run(struct execution *x, bool counted)
{
    kernc_statistics *s = NULL;
    kernc_metrics     m = {.size = sizeof m};
    if (execution_launch(x, x->first, counted ? &s : NULL) != KERNC_OK)
        stop(x->input, kernc_error_text(x->context));
    kernc_statistics_metrics(s, &m);
    kernc_statistics_free(s);
    return m;
}

static void check_equal(struct execution *x, const struct execution *pdom, const char *what)
{
    size_t element;
    if (!execution_difference(x, pdom, &element))
        return;
    fprintf(stderr, "results: %s, %s: differs from pdom\n", x->input, what);
    failures++;
}

/* ---- measuring --------------------------------------------------------------------------------------- */

static void time_alternately(struct sample *s, struct execution *x)
{
    double begin = bench_seconds();
    for (enum way w = PDOM; w < WAYS; w++)
        s->at[w].seconds = INFINITY;
    for (int i = 0; i < rounds && (i < 2 || bench_seconds() - begin < MOST_SECONDS); i++)
        for (enum way w = PDOM; w < WAYS; w++) {
            make_buffers(&x[w]);
            double start = bench_cpu_seconds();
            run(&x[w], false);
            s->at[w].seconds = fmin(s->at[w].seconds, bench_cpu_seconds() - start);
        }
}

static void measure(struct sample *s)
{
    struct execution x[WAYS];
    for (enum way w = PDOM; w < WAYS; w++) {
        open_sample(&x[w], s, w, 0);
        s->at[w].counted = run(&x[w], true);
    }
    time_alternately(s, x);
    for (enum way w = OFF; w < WAYS; w++)
        check_equal(&x[w], &x[PDOM], switch_of[w]);
    for (enum way w = PDOM; w < WAYS; w++)
        execution_close(&x[w]);
    fprintf(stderr, "%s %s done\n", s->name, s->value ? s->value : "");
}

/* Under a schedule, or with a threshold. */
static kernc_metrics measure_once(const struct sample *s, enum way way, unsigned threshold, int schedule)
{
    struct execution x;
    open_sample(&x, s, way, threshold);
    x.api.schedule = schedule;
    kernc_metrics m = run(&x, true);
    execution_close(&x);
    return m;
}

static void measure_sweep(struct sweep *w)
{
    for (enum way way = PDOM; way < WAYS; way++)
        w->sample.at[way].counted = measure_once(&w->sample, way, 0, 0);
    const kernc_metrics *pdom = &w->sample.at[PDOM].counted;
    for (unsigned k = 0; k < WARP; k++) {
        kernc_metrics m = measure_once(&w->sample, USER, k + 1, 0);
        w->efficiency[k] = 100 * m.simt_efficiency;
        w->instructions[k] = (double)pdom->warp_instructions / m.warp_instructions;
        w->cycles[k] = (double)pdom->cycles / m.cycles;
    }
    fprintf(stderr, "thresholds of %s done\n", w->sample.name);
}

/* ---- tables ------------------------------------------------------------------------------------------ */

static double efficiency(const struct sample *s, enum way w)
{
    return 100 * s->at[w].counted.simt_efficiency;
}

/* Times fewer than under pdom. */
static double fewer_instructions(const struct sample *s, enum way w)
{
    return (double)s->at[PDOM].counted.warp_instructions / s->at[w].counted.warp_instructions;
}

static double fewer_cycles(const struct sample *s, enum way w)
{
    return (double)s->at[PDOM].counted.cycles / s->at[w].counted.cycles;
}

static double less_time(const struct sample *s, enum way w)
{
    return s->at[PDOM].seconds / s->at[w].seconds;
}

static const char *verdict(bool met)
{
    return met ? "met" : "**miss**";
}

/* Owned by the arena. */
static const char *title(const struct sample *s)
{
    if (s->label)
        return arena_printf(&arena, "%s, %s", s->name, s->label);
    return s->argument ? arena_printf(&arena, "%s, %s %s", s->name, s->argument, s->value) : s->name;
}

static void begin_row(struct text *t, const struct sample *s)
{
    text_printf(t, "| %s |", title(s));
}

static void efficiency_table(struct text *t)
{
    text_addz(t, "| SIMT efficiency, % | model | pdom | barrier, off | user | auto | target | |\n"
                 "| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |\n");
    for (struct sample *s = samples; s < samples + SAMPLES; s++) {
        begin_row(t, s);
        text_printf(t, s->model ? " %.0f |" : " |", s->model);
        for (enum way w = PDOM; w < WAYS; w++)
            text_printf(t, " %.1f |", efficiency(s, w));
        if (s->efficiency)
            text_printf(t, " >= %.0f | %s |\n", s->efficiency, verdict(efficiency(s, s->by) >= s->efficiency));
        else
            text_addz(t, " | |\n");
    }
}

static void gain_table(struct text *t)
{
    text_addz(t, "| pdom / user | SIMT efficiency | warp instructions | target | | cycles | time, off | time | "
                 "target | |\n| --- | ---: | ---: | --- | --- | ---: | ---: | ---: | --- | --- |\n");
    for (struct sample *s = samples; s < samples + SAMPLES; s++) {
        double instructions = fewer_instructions(s, USER), half = 1 + (instructions - 1) / 2;
        if (s->by != USER)
            continue;
        begin_row(t, s);
        text_printf(t, " %.2f | %.2f |", efficiency(s, USER) / efficiency(s, PDOM), instructions);
        if (s->gain)
            text_printf(t, " >= %.2f | %s |", s->gain, verdict(instructions >= s->gain));
        else
            text_addz(t, " | |");
        text_printf(t, " %.2f | %.2f | %.2f |", fewer_cycles(s, USER), less_time(s, OFF), less_time(s, USER));
        if (s->gain || instructions > 1)
            text_printf(t, " >= %.2f | %s |\n", half, verdict(less_time(s, USER) >= half));
        else
            text_addz(t, " | |\n");
    }
}

static unsigned best_of(const double *gains)
{
    unsigned best = 0;
    for (unsigned k = 1; k < WARP; k++)
        if (gains[k] > gains[best])
            best = k;
    return best;
}

static bool threshold_met(const struct sweep *w)
{
    unsigned best = best_of(w->instructions);
    if (w == &sweeps[0])
        return w->instructions[WARP - 1] >= .95 * w->instructions[best];
    if (w == &sweeps[1])
        return best < best_of(sweeps[SWEEPS - 1].instructions);
    return best + 1 >= 14 && best + 1 <= 18;
}

static void threshold_table(struct text *t)
{
    text_addz(t, "| sample | best threshold: instructions | pdom / best | SIMT efficiency, % | of all 32 | "
                 "of the source's | best threshold: cycles | pdom / best | "
                 "auto / best, cycles (target <= 1.1) | target | |\n"
                 "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n");
    for (struct sweep *w = sweeps; w < sweeps + SWEEPS; w++) {
        unsigned least = best_of(w->instructions), fastest = best_of(w->cycles);
        begin_row(t, &w->sample);
        text_printf(t, " %u | %.2f | %.1f | %.2f | %.2f | %u | %.2f |", least + 1, w->instructions[least],
                    w->efficiency[least], w->instructions[WARP - 1], fewer_instructions(&w->sample, USER),
                    fastest + 1, w->cycles[fastest]);
        double ratio = w->cycles[fastest] / fewer_cycles(&w->sample, AUTO);
        text_printf(t, " %.2f, %s | %s | %s |\n", ratio, verdict(ratio <= 1.1), w->target,
                    w->target[0] ? verdict(threshold_met(w)) : "");
    }
}

static void automatic_table(struct text *t)
{
    text_addz(t, "| pdom / auto | SIMT efficiency | warp instructions | cycles | user: cycles | "
                 "off / auto: cycles | time | target | |\n"
                 "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n");
    for (struct sample *s = samples; s < samples + SAMPLES; s++) {
        double off = fewer_cycles(s, AUTO) / fewer_cycles(s, OFF), least = s->least ? s->least : .99;
        double fewer = fewer_instructions(s, AUTO);
        begin_row(t, s);
        text_printf(t, " %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |", efficiency(s, AUTO) / efficiency(s, PDOM),
                    fewer, fewer_cycles(s, AUTO), fewer_cycles(s, USER), off, less_time(s, AUTO));
        if (s->by == AUTO)
            text_printf(t, " instructions >= %.1f | %s |\n", s->gain, verdict(fewer >= s->gain));
        else
            text_printf(t, " off / auto >= %.2f | %s |\n", least, verdict(off >= least));
    }
}

static void schedule_table(struct text *t)
{
    text_addz(t, "| cycles / those of largest |");
    for (struct sample *s = samples; s < samples + SAMPLES; s++)
        if (s->by == USER)
            text_printf(t, " %s |", title(s));
    text_addz(t, " geometric mean |\n| --- |");
    for (struct sample *s = samples; s < samples + SAMPLES; s++)
        if (s->by == USER)
            text_addz(t, " ---: |");
    text_addz(t, " ---: |\n");
    for (int k = 0; k < SCHEDULES; k++) {
        double sum = 0, n = 0;
        text_printf(t, "| %s |", schedule_names[k]);
        for (int i = 0; i < SAMPLES; i++)
            if (samples[i].by == USER) {
                double ratio = schedule_cycles[k][i] / schedule_cycles[0][i];
                text_printf(t, " %.2f |", ratio);
                sum += log(ratio);
                n++;
            }
        text_printf(t, " %.3f |\n", exp(sum / n));
    }
}

/* ---- what is written --------------------------------------------------------------------------------- */

static void replace(struct text *page, const char *name, void (*write)(struct text *))
{
    const char *mark = arena_printf(&arena, "<!-- results: %s -->\n", name);
    const char *at = page->at ? strstr(page->at, mark) : NULL;
    const char *end = at ? strstr(at, "<!-- end -->") : NULL;
    struct text fresh = {0};
    if (!end)
        stop("docs/results.md", mark);
    text_add(&fresh, page->at, (size_t)(at - page->at) + strlen(mark));
    write(&fresh);
    text_addz(&fresh, end);
    text_free(page);
    *page = fresh;
}

static void draw(const struct sweep *w)
{
    const struct sample *s = &w->sample;
    const char *of = s->argument ? arena_printf(&arena, "%s, %s %s,", s->name, s->argument, s->value) : s->name;
    struct plot_panel panels[] = {
        {.axis = "SIMT efficiency, %", .format = "%.0f %%", .base_name = "pdom", .base = efficiency(s, PDOM),
         .lines = {{"", w->efficiency}}},
        {.axis = "speedup over pdom, times", .format = "%.2f", .base_name = "pdom", .base = 1,
         .lines = {{"warp instructions", w->instructions}, {"cycles", w->cycles}}},
    };
    const char *title = arena_printf(&arena, "%s by threshold", of);
    struct plot p = {title, "threshold, lanes of a warp of 32", WARP, panels, COUNT(panels)};
    struct text svg = {0};
    plot_svg(&p, &svg);
    const char *path = arena_printf(&arena, "docs/plots/%s.svg", s->name);
    const char *problem = file_write(path, svg.at, svg.length);
    if (problem)
        stop(path, problem);
    text_free(&svg);
}

static void write_page(void)
{
    static const char path[] = "docs/results.md";
    struct text page = {0};
    const char *problem = file_read(path, PAGE_BYTES, &page);
    if (problem)
        stop(path, problem);
    replace(&page, "efficiency", efficiency_table);
    replace(&page, "gain", gain_table);
    replace(&page, "thresholds", threshold_table);
    replace(&page, "automatic", automatic_table);
    replace(&page, "schedules", schedule_table);
    problem = file_write(path, page.at, page.length);
    if (problem)
        stop(path, problem);
    text_free(&page);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = atoi(argv[1]);
    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: results [ROUNDS 1..%d]\n", MOST_ROUNDS);
        return 64;
    }
    for (int i = 0; i < SWEEPS; i++) {
        measure_sweep(&sweeps[i]);
        draw(&sweeps[i]);
    }
    for (int i = 0; i < SAMPLES; i++)
        measure(&samples[i]);
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < SCHEDULES && samples[i].by == USER; k++)
            schedule_cycles[k][i] = (double)measure_once(&samples[i], USER, 0, k).cycles;
    write_page();
    arena_free(&arena);
    return failures != 0;
}
