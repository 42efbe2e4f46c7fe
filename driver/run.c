/* run.c: kernc run: compiles the file if it is no program yet, makes the arguments, runs the launches, shows
 * what came of them. The outputs of a launch are written only after it went well; metrics also after one that
 * did not.
 */
#include "base/checks.h"
#include "driver/goals.h"
#include "driver/interrupt.h"
#include "driver/launch.h"
#include "driver/metrics.h"
#include "driver/progress.h"
#include "lib/result.h"
#include "runtime/module.h"

#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- before the launch ------------------------------------------------------------------------------- */

void launch_called(struct run *r, void (*what)(struct run *r, const void *data), const void *data)
{
    struct mem_guard guard;
    if (mem_guard_enter(&guard))
        r->no_memory = true;
    else
        what(r, data);
    mem_guard_leave(&guard);
}

static void print_visible(struct run *r, const void *data)
{
    const struct text *printed = data;
    struct text t = {0};
    text_visible(&t, printed->at, printed->length);
    if (t.length)
        fwrite(t.at, 1, t.length, stdout);
    text_free(&t);
}

/* What a kernel prints goes to standard output, made harmless for terminals. */
static void print_output(void *user, const char *bytes, size_t n)
{
    launch_called(user, print_visible, &(struct text){.at = (char *)bytes, .length = n});
}

/* ---- after the launch -------------------------------------------------------------------------------- */

/* The most threads of a warp. */
static uint32_t lanes_of(const struct launch_facts *l)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    return threads < l->warp ? (uint32_t)threads : l->warp;
}

/* Whether --check asks for memory; the other checks are of what the compiler claims. */
static bool checks_memory(const char *check)
{
    return check && check_find_claim(check) == CHECK_CLAIMS;
}

struct launch_facts launch_facts_of(struct run *r, const struct execution_step *step)
{
    const char *scheme = r->x.api.scheme ? r->x.api.scheme : kernc_module_scheme(r->x.module);
    const struct execution_step *s = step ? step : r->x.first;
    struct launch_facts l = {
        .kernel = s->launch.kernel, .scheme = scheme, .level = r->level, .warp = r->x.api.warp};
    l.source = r->source;
    l.launch = &s->launch;
    l.options = options_spelled(r->command, &l.option_count);
    l.machine = rt_module_image(r->x.module) != NULL;
    l.checked = checks_memory(option_value(r->command, OPTION_CHECK)) ? r->x.context : NULL;
    l.number = step ? s->number : 0;
    l.runs = s->runs;
    for (int i = 0; i < 3; i++) {
        l.grid[i] = s->launch.grid[i] ? s->launch.grid[i] : 1;
        l.block[i] = s->launch.block[i] ? s->launch.block[i] : 1;
    }
    l.lanes = lanes_of(&l);
    if (step || !execution_is_sequence(&r->x))
        return l;
    l.kernel = execution_name(&r->x);
    l.launch = NULL;
    l.runs = 0;
    for (uint32_t i = 0; i < r->x.steps.count; i++) {
        l.runs += r->x.steps.at[i].runs;
        if (r->x.steps.at[i].kernel && launch_facts_of(r, &r->x.steps.at[i]).lanes != l.lanes)
            l.lanes = 0;
    }
    memset(l.grid, 0, sizeof l.grid);
    memset(l.block, 0, sizeof l.block);
    return l;
}

/* For people: each launch, and the sum. */
static void add_tables(struct run *r, const kernc_statistics *sum, struct text *t)
{
    struct launch_facts all = launch_facts_of(r, NULL);
    bool several = execution_is_sequence(&r->x);
    for (uint32_t i = 0; several && i < r->x.steps.count; i++) {
        const struct execution_step *s = &r->x.steps.at[i];
        struct launch_facts l = launch_facts_of(r, s);
        if (s->statistics)
            metrics_table(&l, s->statistics, t);
    }
    metrics_table(&all, sum, t);
}

static void add_json(struct run *r, const kernc_statistics *sum, struct text *t)
{
    struct launch_facts all = launch_facts_of(r, NULL);
    VEC(struct launch_facts) each = {0};
    VEC(const kernc_statistics *) statistics = {0};
    for (uint32_t i = 0; execution_is_sequence(&r->x) && i < r->x.steps.count; i++) {
        const struct execution_step *s = &r->x.steps.at[i];
        if (!s->statistics)
            continue;
        vec_push(&r->command->arena, &each, launch_facts_of(r, s));
        vec_push(&r->command->arena, &statistics, s->statistics);
    }
    metrics_json(&all, sum, each.at, statistics.at, each.count, t);
}

static int write_metrics(struct run *r, const kernc_statistics *s)
{
    const struct command *c = r->command;
    struct launch_facts l = launch_facts_of(r, NULL);
    const char *json = option_value(c, OPTION_STATS_JSON);
    struct text t = {0};
    int code = EXIT_OK;
    if (option_given(c, OPTION_STATS))
        add_tables(r, s, &t);
    if (option_given(c, OPTION_PROFILE))
        metrics_profile(&l, s, r->source, &t);
    if (t.length)
        fwrite(t.at, 1, t.length, stdout);
    t.length = 0;
    if (json) {
        add_json(r, s, &t);
        code = write_output(r->command, json, t.at, t.length);
    }
    text_free(&t);
    return code;
}

/* A signal stops the launches, which then say where they stand. */
static kernc_status run_launches(struct run *r, kernc_statistics **statistics)
{
    interrupt_listen(true);
    r->x.api.interrupt = interrupt_flag();
    kernc_status status = execution_run(&r->x, statistics);
    interrupt_listen(false);
    return status;
}

static int launch(struct run *r)
{
    struct progress *progress = &r->command->progress;
    kernc_statistics *statistics = NULL;
    const struct command *c = r->command;
    /* What another machine is to make again happens in the order of the machine's clock. */
    bool counted = option_given(c, OPTION_STATS) || option_given(c, OPTION_STATS_JSON) ||
                   option_given(c, OPTION_PROFILE) || option_given(c, OPTION_JOB) || r->replayed;
    r->x.api.scheme = option_value(c, OPTION_SCHEME);
    r->x.hooks.stepped = launch_write_outputs;
    r->x.hooks.stepped_user = r;
    job_begin(r);
    progress_begin(progress, arena_printf(&r->command->arena, "running %s", execution_name(&r->x)));
    r->progress = progress;
    kernc_status status = run_launches(r, counted ? &statistics : NULL);
    if (r->no_memory)
        mem_fail(0);
    if (r->progress)
        progress_end(progress);
    int code = status == KERNC_OK ? r->outputs : launch_stopped(r, status);
    if (code && interrupted())
        code = interrupt_code();
    else if ((status == KERNC_LIMIT || status == KERNC_DEADLOCK) &&
             kernc_alarm_at(r->x.context, 0, &(kernc_alarm){.size = sizeof(kernc_alarm)}))
        code = EXIT_FOUND; /* threads may wait for what alarms say */
    int alarms = launch_alarms(r);
    code = code ? code : alarms;
    watch_write(r);
    if (statistics) {
        int written = write_metrics(r, statistics);
        code = code ? code : written;
    }
    kernc_statistics_free(statistics);
    int traced = trace_write(r), job = job_end(r, status);
    int replayed = r->replayed ? replay_end(r, status) : EXIT_OK;
    code = replayed == EXIT_OK ? code : replayed;
    code = code ? code : traced;
    return code ? code : job;
}

/* ---- opening a program -------------------------------------------------------------------------------- */

int launch_open(struct run *r, const void *program, size_t n)
{
    const struct command *c = r->command;
    r->x.arena = &r->command->arena;
    r->x.input = c->file;
    r->x.foreign = c->origin.at;
    if (option_given(c, OPTION_KERNEL))
        r->x.choice.kernel_name = option_value(c, OPTION_KERNEL);
    if (!launch_is_said(option_value(c, OPTION_LAUNCH)))
        r->x.choice.launch_name = option_value(c, OPTION_LAUNCH);
    if (option_given(c, OPTION_KERNEL) && option_given(c, OPTION_LAUNCH))
        return complain(r->command, EXIT_USAGE, "--kernel and --launch each choose what runs: give one");
    r->x.choice.own_outputs = option_given(c, OPTION_NO_OUTPUTS);
    if (!r->quiet) {
        r->x.hooks.print = print_output;
        r->x.hooks.print_user = r;
    }
    for (uint32_t i = 0; i < c->given.count; i++)
        if (c->given.at[i].id == OPTION_LOAD || c->given.at[i].id == OPTION_LIBM)
            vec_push(r->x.arena, &r->x.libraries,
                     c->given.at[i].id == OPTION_LOAD ? c->given.at[i].value : "libm");
    if (!execution_open(&r->x, program, n))
        return launch_failed(r);
    int code = job_check(r) ?: watch_check(r);
    return code ? code : trace_check(r);
}

int launch_open_compiled(struct run *r, kernc_result *compiled)
{
    size_t n;
    const char *bytes = result_text(compiled, KERNC_TEXT_BYTECODE, &n);
    if (!bytes)
        mem_fail(0);
    return launch_open(r, bytes, n);
}

int launch_check(struct run *r, kernc_result *compiled)
{
    bool fine = true;
    for (uint32_t i = 0; i < r->x.steps.count; i++) {
        const kernc_kernel *k = r->x.steps.at[i].kernel;
        for (uint32_t before = 0; k && before < i; before++)
            if (r->x.steps.at[before].kernel == k)
                k = NULL;
        if (!k)
            continue;
        fine &= result_check_launch(compiled, k, r->x.api.warp);
        show_diagnostics(r->command, compiled);
    }
    return fine ? EXIT_OK : EXIT_INPUT;
}

static bool is_image(const struct text *t)
{
    return t->length >= WC_MAGIC_BYTES && memcmp(t->at, WC_MAGIC, WC_MAGIC_BYTES) == 0;
}

static void tell_times(const struct command *c, double begin, double compiled)
{
    char line[128];
    snprintf(line, sizeof line, "kernc: compiled in %.3f ms, ran in %.3f ms\n", (compiled - begin) * 1e3,
             (now() - compiled) * 1e3);
    if (option_given(c, OPTION_TIME))
        show_note(line);
}

/* ---- --pgo ------------------------------------------------------------------------------------------- */

/* Runs the program without a word; what its statistics are as JSON, which is a profile. */
static int count_run(struct run *r, kernc_result *compiled, struct text *profile)
{
    kernc_statistics *statistics = NULL;
    r->x.api.scheme = option_value(r->command, OPTION_SCHEME);
    r->source = compiled->source;
    int code = launch_open_compiled(r, compiled);
    if (code)
        return code;
    progress_begin(&r->command->progress, "running for the profile");
    kernc_status status = run_launches(r, &statistics);
    progress_end(&r->command->progress);
    if (status == KERNC_OK && statistics)
        add_json(r, statistics, profile);
    else
        code = interrupted() ? interrupt_code() : launch_stopped(r, status);
    kernc_statistics_free(statistics);
    return code;
}

/* Without what makes copies of branches, or none of them, so that each that was written is counted as such. */
static const char *const as_written[] = {"no-csc", "no-unroll", "no-ifconvert"};

/* The first of two runs, by whose profile the options compile the second. Its diagnostics are those of the
 * second, too. */
static int take_own_profile(struct command *c, kernc_options *o, const struct text *text)
{
    kernc_result *compiled = NULL;
    kernc_options first = *o;
    struct run r = launch_new(c, true);
    struct text profile = {.arena = &c->arena};
    if (option_given(c, OPTION_PROFILE_USE))
        return complain(c, EXIT_USAGE, "--pgo makes its own profile: leave --profile-use out");
    const char **switches = arena_array(&c->arena, const char *, o->switch_count + COUNT(as_written));
    for (size_t i = 0; i < o->switch_count; i++)
        switches[i] = o->switches[i];
    memcpy(switches + o->switch_count, as_written, sizeof as_written);
    first.switches = switches;
    first.switch_count += COUNT(as_written);
    first.no_warnings = true;
    first.collect = false;
    bool compiles = !is_image(text) && !replay_is_job(text);
    int code = launch_read_flags(&r) ?: compiles ? compile_input(c, &first, text, &compiled) : EXIT_OK;
    if (!code && (!compiled || !launch_has_source(kernc_result_input(compiled))))
        code = complain(c, EXIT_USAGE,
                        "--pgo takes a source, which is compiled by what a first run counts: %s is none",
                        c->file);
    code = code ?: count_run(&r, compiled, &profile);
    execution_close(&r.x);
    kernc_result_free(compiled);
    o->profile = profile.at;
    o->profile_length = profile.length;
    o->profile_name = "of the first run";
    return code;
}

/* ---- the verb ---------------------------------------------------------------------------------------- */

int verb_run(struct command *c)
{
    kernc_options o;
    kernc_result *compiled = NULL;
    struct text text = {0}, image = {0};
    struct run r = launch_new(c, false);
    double begin = now(), end_of_compilation = begin;
    kernc_options_init(&o);
    int code = compile_options(c, &o) ?: launch_read_flags(&r) ?: read_input(c, &text);
    o.default_scheme = !option_given(c, OPTION_SCHEME) && !option_given(c, OPTION_TARGET);
    if (!code && option_given(c, OPTION_PGO))
        code = take_own_profile(c, &o, &text);
    if (code)
        goto done;
    if (replay_is_job(&text))
        code = replay_read(&r, &text, &image);
    else if (!is_image(&text))
        code = compile_input(c, &o, &text, &compiled);
    if (code)
        goto done;
    end_of_compilation = now();
    enum kernc_input input = compiled ? kernc_result_input(compiled) : KERNC_INPUT_IMAGE;
    r.level = launch_is_compiled(input) ? (int)o.level : -1;
    if (launch_has_source(input))
        r.source = compiled->source;
    if (compiled)
        code = launch_open_compiled(&r, compiled) ?: launch_check(&r, compiled);
    else if (r.replayed)
        code = launch_open(&r, image.at, image.length) ?: replay_begin(&r);
    else
        code = launch_open(&r, text.at, text.length);
    if (code)
        goto done;
    code = launch(&r);
    if (launch_has_source(input) && !interrupted()) {
        int goals = goals_check(c, &o, &text, compiled);
        code = code ? code : goals;
    }
done:;
    bool ran = r.x.module != NULL;
    execution_close(&r.x);
    if (ran)
        tell_times(c, begin, end_of_compilation);
    kernc_result_free(compiled);
    text_free(&image);
    text_free(&text);
    return code;
}
