/* run.c: kernc run: compiles the file if it is no program yet, makes the arguments, runs the kernel, shows
 * what came of it. Outputs are written only after a launch that went well; metrics also after one that did
 * not.
 */
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

/* What a kernel prints goes to standard output, made harmless for terminals. */
static void print_output(void *user, const char *bytes, size_t n)
{
    struct text t = {0};
    text_visible(&t, bytes, n);
    if (t.length)
        fwrite(t.at, 1, t.length, stdout);
    text_free(&t);
}

/* ---- after the launch -------------------------------------------------------------------------------- */

static struct launch_facts facts_of(struct run *r)
{
    const char         *scheme = r->x.api.scheme ? r->x.api.scheme : kernc_module_scheme(r->x.module);
    struct launch_facts l = {
        .kernel = r->x.launch.kernel, .scheme = scheme, .level = r->level, .warp = r->x.api.warp};
    l.source = r->source;
    l.launch = &r->x.launch;
    l.options = options_spelled(r->command, &l.option_count);
    l.machine = rt_module_image(r->x.module) != NULL;
    for (int i = 0; i < 3; i++) {
        l.grid[i] = r->x.api.grid[i] ? r->x.api.grid[i] : 1;
        l.block[i] = r->x.api.block[i] ? r->x.api.block[i] : 1;
    }
    return l;
}

static int write_metrics(struct run *r, const kernc_statistics *s)
{
    const struct command *c = r->command;
    struct launch_facts   l = facts_of(r);
    const char           *json = option_value(c, OPTION_STATS_JSON);
    struct text           t = {0};
    int                   code = EXIT_OK;
    if (option_given(c, OPTION_STATS))
        metrics_table(&l, s, &t);
    if (option_given(c, OPTION_PROFILE))
        metrics_profile(&l, s, r->source, &t);
    if (t.length)
        fwrite(t.at, 1, t.length, stdout);
    t.length = 0;
    if (json) {
        metrics_json(&l, s, &t);
        code = write_output(r->command, json, t.at, t.length);
    }
    text_free(&t);
    return code;
}

/* No launch of the file is left out silently. */
static void tell_of_others(struct run *r)
{
    uint32_t count = experiment_directives(&r->x);
    if (count > 1 && !r->x.kernel_name)
        warn(r->command, "launches",
             "%s has %u launch directives; the first runs, of kernel %s: --kernel=NAME chooses",
             input_name(r->command), count, r->x.launch.kernel);
}

static int launch(struct run *r)
{
    struct progress   progress;
    kernc_statistics *statistics = NULL;
    const struct command *c = r->command;
    /* What another machine is to make again happens in the order of the machine's clock. */
    bool counted = option_given(c, OPTION_STATS) || option_given(c, OPTION_STATS_JSON) ||
                   option_given(c, OPTION_PROFILE) || option_given(c, OPTION_JOB) || r->replayed;
    r->x.api.scheme = option_value(c, OPTION_SCHEME);
    job_begin(r);
    progress_begin(&progress, arena_printf(&r->command->arena, "running %s", r->x.launch.kernel));
    kernc_status status = experiment_run(&r->x, counted ? &statistics : NULL);
    progress_end(&progress);
    int code = status == KERNC_OK ? launch_write_outputs(r) : launch_stopped(r, status);
    if (statistics) {
        int written = write_metrics(r, statistics);
        code = code ? code : written;
    }
    kernc_statistics_free(statistics);
    int traced = trace_write(r), job = job_end(r, status == KERNC_OK);
    if (!code && r->replayed)
        code = replay_end(r);
    code = code ? code : traced;
    return code ? code : job;
}

/* ---- the verb ---------------------------------------------------------------------------------------- */

int launch_open(struct run *r, const void *program, size_t n)
{
    const struct command *c = r->command;
    r->x.arena = &r->command->arena;
    r->x.input = c->file;
    r->x.kernel_name = option_value(c, OPTION_KERNEL);
    r->x.own_outputs = option_given(c, OPTION_NO_OUTPUTS);
    r->x.print = r->quiet ? NULL : print_output;
    for (uint32_t i = 0; i < c->given.count; i++)
        if (c->given.at[i].id == OPTION_LOAD || c->given.at[i].id == OPTION_LIBM)
            vec_push(r->x.arena, &r->x.libraries,
                     c->given.at[i].id == OPTION_LOAD ? c->given.at[i].value : "libm");
    return experiment_open(&r->x, program, n) ? job_check(r) : launch_failed(r);
}

int launch_open_compiled(struct run *r, kernc_result *compiled)
{
    size_t      n;
    const char *bytes = kernc_result_text(compiled, KERNC_TEXT_BYTECODE, &n);
    if (!bytes)
        mem_fail(0);
    return launch_open(r, bytes, n);
}

/* What only the launch makes known of the program. */
static int check_launch(struct run *r, kernc_result *compiled)
{
    bool fine = kernc_result_check_launch(compiled, r->x.kernel, r->x.api.warp);
    show_diagnostics(r->command, compiled);
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

int verb_run(struct command *c)
{
    kernc_options o;
    kernc_result *compiled = NULL;
    struct text   text = {0}, image = {0};
    struct run    r = {.command = c, .x = {.api.size = sizeof r.x.api, .max_memory = (uint64_t)2 << 30}};
    double        begin = now();
    kernc_options_init(&o);
    int code = compile_options(c, &o);
    if (!code)
        code = launch_read_flags(&r);
    if (!code)
        code = read_input(c, &text);
    if (!code && replay_is_job(&text))
        code = replay_read(&r, &text, &image);
    else if (!code && !is_image(&text))
        code = compile_input(c, &o, &text, &compiled);
    double end_of_compilation = now();
    enum kernc_input input = !code && compiled ? kernc_result_input(compiled) : KERNC_INPUT_IMAGE;
    r.level = input == KERNC_INPUT_SOURCE || input == KERNC_INPUT_IR ? (int)o.level : -1;
    if (input == KERNC_INPUT_SOURCE)
        r.source = compiled->source;
    if (!code)
        code = compiled   ? launch_open_compiled(&r, compiled)
               : r.replayed ? launch_open(&r, image.at, image.length)
                            : launch_open(&r, text.at, text.length);
    if (!code)
        tell_of_others(&r);
    if (!code && compiled)
        code = check_launch(&r, compiled);
    if (!code && r.replayed)
        code = replay_begin(&r);
    if (!code)
        code = launch(&r);
    bool ran = r.x.module != NULL;
    experiment_close(&r.x);
    if (ran)
        tell_times(c, begin, end_of_compilation);
    kernc_result_free(compiled);
    text_free(&image);
    text_free(&text);
    return code;
}
