/* report.c: kernc report: a program under several divergence schemes as an experiment (docs/experiment.md),
 * or as a page that shows it.
 *
 * Each scheme is a run: it compiles, launches and is measured anew, with the same arguments. A run that
 * cannot be made says why and leaves the others as they are; a source with errors makes a page that shows
 * them. Whether a run's buffers are right is known from the oracle's, with warps as wide.
 */
#include "driver/report.h"
#include "driver/interrupt.h"
#include "launch/outputs.h"
#include "lib/analyses.h"
#include "runtime/module.h"

/* The oracle for warps of this width. */
struct reference {
    uint32_t warp;
    struct run run;
    kernc_status status;
};
struct report {
    struct command *command;
    kernc_options options;
    scheme_list schemes;
    struct text input;
    enum kernc_input kind;
    uint64_t warp, most_steps, most_launches;
    struct reference references[2]; /* --warp, and that of a machine with its own */
    bool placed;                    /* Graphviz can be run */
    int usage;                      /* EXIT_USAGE: no scheme can run what is asked for */
    const char *source;             /* NULL: none */
    struct report_table texts;      /* IR behind passes */
    struct text diagnostics, operations, runs;
};

/* A scheme while it runs. `run` comes first: functions that launches call have it. */
struct report_run {
    struct run run;
    struct report *report;
    enum scheme scheme;
    kernc_result *compiled;
    struct report_steps steps;
    struct text passes, printed, launches;
    uint32_t count; /* of launches */
    kernc_statistics *sum;
};

static void add_string(struct text *out, const char *key, const char *value)
{
    report_string(out, key, value, value ? strlen(value) : 0);
}

/* ---- compiling --------------------------------------------------------------------------------------- */

static void keep_text(void *data, const char *text, size_t n)
{
    text_add(data, text, n);
}

/* Elements of an array go behind those of the list. */
static void join(struct text *list, const char *array)
{
    size_t n = strlen(array);
    while (n && array[n - 1] != ']')
        n--;
    if (n < 3)
        return;
    text_addz(list, list->length ? ",\n " : "");
    text_add(list, array + 1, n - 2);
}

static kernc_result *compile(struct report *x, kernc_options *o)
{
    kernc_result *r = compile_text(x->command, o, &x->input);
    join(&x->diagnostics, show_new_diagnostics(x->command, r));
    return r;
}

/* The whole program: included files behind the first. */
static const char *text_of(struct arena *a, const struct source *s)
{
    struct text t = {.arena = a};
    text_add(&t, s->text, s->length);
    for (uint32_t i = 0; i < s->included.count; i++) {
        if (t.at[t.length - 1] != '\n')
            text_char(&t, '\n');
        text_add(&t, s->included.at[i]->text, s->included.at[i]->length);
    }
    return t.at;
}

/* What all schemes have in common: the kind of input, its source, the convergent operations. EXIT_OK, or the
 * source is wrong. */
static int look_at_input(struct report *x)
{
    kernc_options o = x->options;
    o.ir_only = true;
    o.passes = "";
    o.switches = NULL;
    o.switch_count = 0;
    o.checks = NULL;
    kernc_result *r = compile(x, &o);
    int code = exit_of_compilation(kernc_result_status(r));
    x->kind = kernc_result_input(r);
    if (launch_has_source(x->kind) && r->source)
        x->source = text_of(&x->command->arena, r->source);
    if (!code && r->module)
        report_operations(r->module, &x->operations);
    else
        text_addz(&x->operations, "[]");
    if (r->image || r->program) {
        x->schemes.count = 0;
        vec_push(&x->command->arena, &x->schemes,
                 r->image ? wc_mode_scheme(r->image->mode) : scheme_find(r->program->scheme));
    }
    kernc_result_free(r);
    return code;
}

/* ---- launching --------------------------------------------------------------------------------------- */

static void add_step(struct run *run, const void *data)
{
    report_steps_add(&((struct report_run *)run)->steps, data);
}

static void keep_step(void *user, const kernc_step *s)
{
    launch_called(user, add_step, s);
}

static void add_printed(struct run *run, const void *data)
{
    const struct text *b = data;
    struct text *t = &((struct report_run *)run)->printed;
    size_t most = limit_own(run->command, LIMIT_report_printed), room = most - t->length;
    text_add(t, b->at, b->length < room ? b->length : room);
}

static void keep_printed(void *user, const char *bytes, size_t n)
{
    launch_called(user, add_printed, &(struct text){.at = (char *)bytes, .length = n});
}

/* What the directive's show(…) print; files are not written. */
static void add_shown(struct report_run *w, const struct execution_step *step, struct text *out)
{
    struct arena *a = &w->run.command->arena;
    struct text shown = {.arena = a};
    for (uint32_t i = 0; i < step->launch.outputs.count; i++) {
        const struct launch_output *o = &step->launch.outputs.at[i];
        const struct execution_buffer *b = execution_buffer(&w->run.x, step, o->name);
        if (!b || o->save)
            continue;
        struct view v = launch_view(b);
        output_show(a, o, &v, &shown);
    }
    add_string(out, "shown", shown.at ? shown.at : "");
}

/* A launch that ran, to its end or not. */
static void add_launch(struct report_run *w, const struct execution_step *step, kernc_status status)
{
    struct run *r = &w->run;
    struct text *t = &w->launches;
    struct launch_facts l = launch_facts_of(r, step);
    if (w->count++ >= w->report->most_launches)
        return;
    text_printf(t, "%s{\"number\": %u, \"round\": ", w->count > 1 ? ",\n  " : "\n  ", step->number);
    if (r->x.position.repeating)
        text_printf(t, "%llu, ", (unsigned long long)r->x.position.round);
    else
        text_addz(t, "null, ");
    add_string(t, "kernel", l.kernel);
    text_printf(t, ", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], ", l.grid[0], l.grid[1], l.grid[2],
                l.block[0], l.block[1], l.block[2]);
    add_string(t, "status", kernc_status_name(status));
    text_addz(t, ", ");
    if (r->x.position.made)
        metrics_json_members(&l, r->x.position.made, t);
    else
        text_addz(t, "\"metrics\": null, \"lines\": [], \"branches\": []");
    text_addz(t, ",\n \"warps\": ");
    report_steps_json(&w->steps, &r->x.api, t);
    text_addz(t, ",\n ");
    text_add(&w->printed, "", 0);
    add_string(t, "printed", w->printed.at);
    text_addz(t, ", ");
    add_shown(w, step, t);
    text_char(t, '}');
    w->printed.length = 0;
    bool watched = w->count < limit_own(r->command, LIMIT_report_watched);
    w->steps = report_steps_new(&r->command->arena, watched ? w->report->most_steps : 0);
}

static void launched(void *run, const struct execution_step *step)
{
    if (step->kernel)
        add_launch(run, step, KERNC_OK);
}

/* Opens what has been compiled. */
static int open_run(struct report *x, struct run *r, kernc_result *compiled, enum scheme s, uint32_t warp)
{
    int code = launch_read_flags(r);
    r->x.api.warp = warp;
    r->x.api.fuel = r->x.api.fuel ? r->x.api.fuel : limit_own(x->command, LIMIT_report_fuel);
    r->x.api.interrupt = interrupt_flag();
    r->level = launch_is_compiled(x->kind) ? (int)x->options.level : -1;
    if (launch_has_source(x->kind))
        r->source = compiled->source;
    r->x.api.step = NULL;
    if (code || r->quiet)
        return code ?: launch_open_compiled(r, compiled);
    r->quiet = true;
    r->x.api.step = keep_step;
    r->x.api.step_user = r;
    const char *warps = option_value(x->command, OPTION_STEPS);
    if (!warps || !strchr(warps, '/'))
        r->x.api.step_warps = (uint32_t)limit_own(x->command, LIMIT_report_warps);
    r->x.hooks.print = keep_printed;
    r->x.hooks.print_user = r;
    code = launch_open_compiled(r, compiled);
    r->x.hooks.stepped = launched;
    r->x.hooks.stepped_user = r;
    return code ?: scheme_has(s, SCHEME_BARRIERS) ? launch_check(r, compiled) : EXIT_OK;
}

/* A report of a run for which there was no memory would say something wrong. */
static void need_memory(const struct run *r, kernc_status status)
{
    if (r->no_memory || status == KERNC_NO_MEMORY || r->x.problem.status == KERNC_NO_MEMORY)
        mem_fail(0);
}

/* NULL: the oracle did not end well with such warps. */
static struct reference *reference_for(struct report *x, uint32_t warp)
{
    struct reference *f = x->references;
    if (!launch_is_compiled(x->kind))
        return NULL;
    f += f->warp && f->warp != warp;
    if (f->warp)
        return f->status == KERNC_OK ? f : NULL;
    kernc_options o = x->options;
    o.scheme = scheme_info[SCHEME_REFERENCE].name;
    o.warp = warp;
    o.no_warnings = true;
    *f = (struct reference){.warp = warp, .run = launch_new(x->command, true), .status = KERNC_INVALID};
    kernc_result *r = compile_text(x->command, &o, &x->input);
    if (kernc_result_status(r) == KERNC_COMPILED &&
        open_run(x, &f->run, r, SCHEME_REFERENCE, warp) == EXIT_OK)
        f->status = execution_run(&f->run.x, NULL);
    need_memory(&f->run, f->status);
    f->run.source = NULL; /* it goes with what was compiled */
    kernc_result_free(r);
    return f->status == KERNC_OK ? f : NULL;
}

/* ---- a run ------------------------------------------------------------------------------------------- */

/* Runs what has been compiled. NULL, or why not, or why it stopped. */
static const char *launch(struct report_run *w)
{
    struct run *r = &w->run;
    struct arena *a = &r->command->arena;
    uint32_t warp = schemes_warp(w->scheme, (uint32_t)w->report->warp);
    progress_say(&r->command->progress, arena_printf(a, "running under %s", scheme_info[w->scheme].name));
    w->steps = report_steps_new(a, limit_own(r->command, LIMIT_report_watched) ? w->report->most_steps : 0);
    int code = open_run(w->report, r, w->compiled, w->scheme, warp);
    w->report->usage = code == EXIT_USAGE ? code : EXIT_OK;
    need_memory(r, KERNC_OK);
    if (code)
        return r->x.problem.text ? r->x.problem.text : "it cannot be launched as asked";
    kernc_status status = execution_run(&r->x, &w->sum);
    if (w->count > w->report->most_launches)
        warn(r->command, "report", "under %s %u launches ran; the report has the first %u",
             scheme_info[w->scheme].name, w->count, (uint32_t)w->report->most_launches);
    need_memory(r, status);
    if (status == KERNC_OK)
        return NULL;
    const char *why = arena_printf(a, "%s", execution_error(&r->x));
    if (r->x.position.step && r->x.position.step->kernel)
        add_launch(w, r->x.position.step, status);
    return why;
}

static void add_equal(struct report_run *w, const char *error, struct text *out)
{
    const struct reference *f = error ? NULL : reference_for(w->report, w->run.x.api.warp);
    size_t element;
    const struct execution_buffer *b = f ? execution_difference(&w->run.x, &f->run.x, &element) : NULL;
    text_printf(out, "\"equal\": %s, ", !f ? "null" : b ? "false" : "true");
    add_string(out, "difference",
               b ? arena_printf(&w->run.command->arena, "%s[%zu]", b->name, element) : NULL);
}

/* What the compiler says of the program. */
static void add_code(struct report_run *w, const report_passes *passes, struct text *out)
{
    static const char *const views[] = {"pst", "pdg", "post-dominators", "cycles", "tokens", "barriers"};
    kernc_result *r = w->compiled;
    text_addz(out, ",\n\"passes\": ");
    report_passes_json(passes, out);
    const char *remarks = result_text(r, KERNC_TEXT_REMARKS_JSON, NULL);
    text_printf(out, ",\n\"remarks\": %s", remarks ? remarks : "[]");
    if (r->module && kernc_result_status(r) == KERNC_COMPILED)
        report_functions(r, &w->report->placed, limit_own(w->run.command, LIMIT_report_blocks), out);
    else
        text_addz(out, ",\n\"divergence\": [], \"graphs\": []");
    text_addz(out, ",\n\"analyses\": [");
    for (size_t i = 0; r->module && kernc_result_status(r) == KERNC_COMPILED && i < COUNT(views); i++) {
        struct text t = {0};
        analyses_show(r->module, views[i], KERNC_ANALYSIS_TEXT, &t);
        text_addz(out, i ? ",\n  {" : "\n  {");
        add_string(out, "name", views[i]);
        text_addz(out, ", ");
        add_string(out, "text", t.at);
        text_char(out, '}');
        text_free(&t);
    }
    text_addz(out, "],\n");
    add_string(out, "listing", result_text(r, KERNC_TEXT_LISTING, NULL));
}

static void add_metrics(struct report_run *w, struct text *out)
{
    kernc_metrics m = {.size = sizeof m};
    text_addz(out, ",\n\"metrics\": ");
    if (!w->sum) {
        text_addz(out, "null");
        return;
    }
    kernc_statistics_metrics(w->sum, &m);
    text_char(out, '{');
    metrics_json_values(&m, rt_module_image(w->run.x.module) != NULL, out);
    text_char(out, '}');
}

/* ---- what each pass gains ---------------------------------------------------------------------------- */

/* The options of a run of kernc, and one switch more. */
static kernc_options options_for(struct report *x, enum scheme s, const char *more)
{
    kernc_options o = x->options;
    const char **switches = arena_array(&x->command->arena, const char *, o.switch_count + 1);
    for (size_t i = 0; i < o.switch_count; i++)
        switches[i] = o.switches[i];
    switches[o.switch_count] = more;
    o.switches = switches;
    o.switch_count += more != NULL;
    o.scheme = scheme_info[s].name;
    o.warp = schemes_warp(s, (uint32_t)x->warp);
    return o;
}

/* Runs what the first steps of the optimiser make; takes its warp instructions from *fuel. False: it did not
 * end well. */
static bool measure_step(struct report *x, enum scheme s, long step, uint64_t *fuel, kernc_metrics *m)
{
    struct run run = launch_new(x->command, true);
    kernc_statistics *sum = NULL;
    kernc_options o = options_for(x, s, NULL);
    o.bisect_limit = step;
    o.no_warnings = true;
    kernc_result *r = compile_text(x->command, &o, &x->input);
    kernc_status status = KERNC_INVALID;
    if (kernc_result_status(r) == KERNC_COMPILED && open_run(x, &run, r, s, o.warp) == EXIT_OK) {
        run.x.api.fuel = run.x.api.fuel < *fuel ? run.x.api.fuel : *fuel;
        status = execution_run(&run.x, &sum);
    }
    need_memory(&run, status);
    *m = (kernc_metrics){.size = sizeof *m};
    if (sum)
        kernc_statistics_metrics(sum, m);
    *fuel -= m->warp_instructions < *fuel ? m->warp_instructions : *fuel;
    kernc_statistics_free(sum);
    execution_close(&run.x);
    kernc_result_free(r);
    return status == KERNC_OK;
}

/* Measures what is made if the optimiser stops behind each of its passes that changed something. Nothing is
 * measured where the fuel would not do for all, judged by the run as it is. */
static void measure_passes(struct report_run *w, report_passes *passes)
{
    struct report *x = w->report;
    kernc_metrics all = {.size = sizeof all};
    uint64_t fuel = limit_own(x->command, LIMIT_report_pass_fuel), count = 0;
    long last = -1;
    for (uint32_t i = 0; i < passes->count; i++)
        count += !passes->at[i].required;
    if (!w->sum || !kernc_statistics_metrics(w->sum, &all) || all.warp_instructions * count > fuel)
        return;
    progress_say(&x->command->progress, "measuring passes");
    for (uint32_t i = 0; i < passes->count && fuel && !interrupted(); i++) {
        struct report_pass *p = &passes->at[i];
        if (p->required)
            continue;
        if (p->step == last)
            p->metrics = passes->at[i - 1].metrics, p->measured = passes->at[i - 1].measured;
        else
            p->measured = measure_step(x, w->scheme, p->step, &fuel, &p->metrics);
        last = p->step;
    }
}

static void add_run(struct report *x, enum scheme s)
{
    const struct scheme_info *info = &scheme_info[s];
    struct report_run w = {.run = launch_new(x->command, false), .report = x, .scheme = s};
    kernc_options o = options_for(x, s, "barrier-stages");
    o.collect = true;
    o.print_changed = KERNC_CHANGED_ON;
    o.print = keep_text;
    o.print_data = &w.passes;
    o.bisect_limit = INT32_MAX; /* its lines tell which step a dump is behind */
    progress_say(&x->command->progress, arena_printf(&x->command->arena, "compiling for %s", info->name));
    w.compiled = compile(x, &o);
    bool compiles = kernc_result_status(w.compiled) == KERNC_COMPILED;
    const char *error = compiles ? launch(&w) : first_error(x->command, w.compiled);
    text_add(&w.passes, "", 0);
    report_passes passes = report_read_passes(&x->texts, &w.passes);
    if (!error)
        measure_passes(&w, &passes);
    struct text *out = &x->runs;
    text_addz(out, out->length ? ",\n{" : "\n{");
    add_string(out, "scheme", info->name);
    text_addz(out, ", ");
    add_string(out, "meaning", info->meaning);
    text_printf(out, ", \"machine\": \"%s\", \"sound\": %s, \"warp\": %u, ",
                info->target == TARGET_warp_core ? "warp-core" : "interpreter",
                scheme_has(s, SCHEME_UNSOUND) ? "false" : "true", o.warp);
    add_string(out, "error", error);
    text_addz(out, ", ");
    add_equal(&w, error, out);
    add_code(&w, &passes, out);
    add_metrics(&w, out);
    text_printf(out, ",\n\"launches\": [%s]}", w.launches.at ? w.launches.at : "");
    kernc_statistics_free(w.sum);
    execution_close(&w.run.x);
    kernc_result_free(w.compiled);
    text_free(&w.passes);
    text_free(&w.printed);
    text_free(&w.launches);
}

/* ---- the verb ---------------------------------------------------------------------------------------- */

static void write_experiment(struct report *x, struct text *out)
{
    static const char *const kinds[] = {[KERNC_INPUT_SOURCE] = "source",
                                        [KERNC_INPUT_IR] = "ir",
                                        [KERNC_INPUT_BYTECODE] = "bytecode",
                                        [KERNC_INPUT_IMAGE] = "image",
                                        [KERNC_INPUT_LLVM] = "llvm"};
    text_addz(out, "{\"format\": \"kernc experiment\", \"version\": 2, \"kernc\": \"" KERNC_VERSION "\",\n");
    add_string(out, "name", input_name(x->command));
    text_addz(out, ", ");
    add_string(out, "input", kinds[x->kind]);
    text_addz(out, ",\n");
    add_string(out, "source", x->source);
    text_printf(
        out, ",\n\"diagnostics\": [%s],\n\"level\": %u,\n\"operations\": %s,\n\"runs\": [%s],\n\"texts\": [",
        x->diagnostics.at ? x->diagnostics.at : "", x->options.level, x->operations.at,
        x->runs.at ? x->runs.at : "");
    for (uint32_t i = 0; i < x->texts.texts.count; i++) {
        text_addz(out, i ? ",\n " : "\n ");
        text_json(out, x->texts.texts.at[i], strlen(x->texts.texts.at[i]));
    }
    text_addz(out, "]}\n");
}

/* As the output's name ends: the experiment alone, or the page. */
static int write_report(struct report *x)
{
    const char *file = output_name(x->command, ".html"), *dot = strrchr(file, '.');
    struct text experiment = {0}, page = {0};
    int code;
    write_experiment(x, &experiment);
    if (dot && strcmp(dot, ".json") == 0)
        code = write_output(x->command, file, experiment.at, experiment.length);
    else if (report_page(&experiment, &page))
        code = write_output(x->command, file, page.at, page.length);
    else
        code = complain(x->command, EXIT_USAGE, "this build of kernc has no page: give -o FILE.json");
    text_free(&experiment);
    text_free(&page);
    return code;
}

static int read_flags(struct report *x)
{
    struct command *c = x->command;
    kernc_options_init(&x->options);
    x->warp = 32;
    x->most_steps = STEPS_MOST;
    x->most_launches = limit_own(c, LIMIT_report_launches);
    int code = compile_options(c, &x->options) ?: option_number(c, OPTION_WARP, 1, KERNC_MAX_WARP, &x->warp);
    code = code ?: option_number(c, OPTION_MAX_STEPS, 1, STEPS_MOST_OF_ALL, &x->most_steps);
    if (option_given(c, OPTION_SCHEMES))
        return code ?: schemes_take(c, &x->schemes);
    schemes_add_target(c, &x->schemes, TARGET_bytecode, false);
    return code;
}

int verb_report(struct command *c)
{
    struct report x = {.command = c, .placed = true, .texts.arena = &c->arena};
    c->once = true; /* all runs compile the same */
    int code = read_flags(&x) ?: read_input(c, &x.input), wrong = EXIT_OK;
    if (code)
        goto done;
    progress_begin(&c->progress, "compiling");
    interrupt_listen(true);
    wrong = look_at_input(&x);
    for (uint32_t i = 0; !wrong && !x.usage && !interrupted() && i < x.schemes.count; i++)
        add_run(&x, x.schemes.at[i]);
    interrupt_listen(false);
    progress_end(&c->progress);
    code = x.usage ? x.usage
           : interrupted()
               ? complain(c, interrupt_code(),
                          "interrupted; no file is written (--fuel=N ends a launch after N instructions)")
               : write_report(&x);
done:
    for (size_t i = 0; i < COUNT(x.references); i++)
        execution_close(&x.references[i].run.x);
    text_free(&x.input);
    text_free(&x.diagnostics);
    text_free(&x.operations);
    text_free(&x.runs);
    return code ? code : wrong;
}
