/* runner.c: runs the passes of a pipeline over the functions of a module.
 *
 * Between two module passes each function goes through all passes before the next function does, so that it
 * stays in the cache: that is what keeps the time for a line the same in large modules. Passes on a function
 * look at no other one, and analyses of the module are made before the first of them and stay until the last,
 * so the order changes no result. Pass by pass it is where somebody watches: the module
 * is written after each pass (--dump-dir), or steps are counted (--opt-bisect-limit).
 *
 * What every run begins with (opt/pipelines.def) and the lowering are required: they are never left out, and
 * no steps. A step is one other pass on one function (on the module, for a module pass); steps are
 * numbered in the order in which they run, which is what --opt-bisect-limit counts. After a pass that
 * changed something, the analyses are forgotten, but those of a graph that it keeps. In checking mode what
 * has changed is verified, and what the kept analyses describe is compared, by a hash, with what it was when
 * they were made.
 */
#include "base/nearest.h"
#include "opt/runner/internal.h"

#include <time.h>

struct listed { enum opt_pass pass; bool required; };
typedef VEC(struct listed) pass_list;
struct opt_rest { const pass_list *passes; uint32_t first; };

struct run {
    struct ir_module         *module;
    const struct opt_options *options;
    struct opt_report        *report;
    struct diagnostics       *diagnostics;
    struct opt_cache          cache;
    struct opt_dumps          dumps;
    struct arena              arena;
    struct scratch            scratch;     /* of the pass that runs */
    uint32_t                  errors;      /* before the pass that runs */
    struct opt_rest           rest;        /* behind it, if it is of the module */
};

static const char *const pipelines[] = {
#define PIPELINE(level, passes) [level] = passes,
#include "opt/pipelines.def"
};

const char *opt_pipeline(unsigned level)
{
    return pipelines[level < COUNT(pipelines) ? level : COUNT(pipelines) - 1];
}

const char opt_entry[] =
#define ENTRY(passes) passes
#include "opt/pipelines.def"
    ;

enum opt_pass opt_pass_find(const char *name, size_t n)
{
    for (unsigned p = 0; p < OPT_PASSES; p++)
        if (strlen(opt_pass_info[p].name) == n && memcmp(opt_pass_info[p].name, name, n) == 0)
            return p;
    return OPT_PASSES;
}

bool opt_listed(const char *list, const char *name)
{
    size_t n = list ? strlen(name) : 0;
    for (const char *at = list ? list : ""; *at;) {
        size_t length = strcspn(at, ", ");
        if (length == n && memcmp(at, name, n) == 0)
            return true;
        at += length + (at[length] != 0);
    }
    return false;
}

bool opt_in_filter(const char *list, const char *name)
{
    return !list || !*list || opt_listed(list, name);
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool call_function_pass(struct opt_context *c, struct ir_function *f)
{
    switch (c->pass) {
#define PASS(name, function, level, graph, meaning) case OPT_PASS_##name: return opt_##function(c, f);
#define MODULE_PASS(name, function, level, graph, meaning)
#include "opt/passes.def"
    default: BUG("pass %d is none of a function", (int)c->pass);
    }
}

static bool call_module_pass(struct opt_context *c, struct ir_module *m)
{
    switch (c->pass) {
#define PASS(name, function, level, graph, meaning)
#define MODULE_PASS(name, function, level, graph, meaning)                                                   \
    case OPT_PASS_##name: return opt_##function(c, m);
#include "opt/passes.def"
    default: BUG("pass %d is none of the module", (int)c->pass);
    }
}

static void verify(struct run *run, const struct ir_function *f)
{
    struct scratch scratch;
    struct diagnostics d;
    uint64_t start = now();
    diag_init(&d, scratch_begin(&scratch), NULL);
    bool fine = f ? ir_verify_function(f, &d) : ir_verify(run->module, &d);
    run->report->verify_nanoseconds += now() - start;
    if (!fine) {
        struct text t = {.arena = &scratch.arena};
        diag_text(&d, &t, false);
        if (f)
            ir_print_function(f, &t, NULL);
        else
            ir_print_module(run->module, &t);
        BUG("it broke the IR: %s\n%s", d.all.at[0].id, t.at);
    }
    scratch_end(&scratch);
}

/* A pass that has reported an error may leave what it was about half done: nobody looks at it again. */
static bool has_failed(const struct run *run)
{
    return run->diagnostics->errors > run->errors;
}

/* f NULL: of the module. */
static void check_kept(struct run *run, const struct ir_function *f)
{
    const char *changed = opt_cache_changed(&run->cache, run->module, f);
    if (changed)
        BUG("it changed %s, and said that it did not", changed);
}

/* Whether the pass may run: no -fno-… switches it off, and if it is a step, --opt-bisect-limit allows it,
 * which says so like the tools that people know. */
static bool is_allowed(struct run *run, struct listed p, const char *name)
{
    if (p.required)
        return true;
    if (run->options->off[p.pass])
        return false;
    long step = ++run->report->steps, limit = run->options->bisect_limit;
    if (limit < 0)
        return true;
    opt_print(run->options, "BISECT: %srunning pass (%ld) %s on %s\n", step <= limit ? "" : "NOT ", step,
              opt_pass_info[p.pass].name, name);
    return step <= limit;
}

static struct opt_context context_of(struct run *run)
{
    return (struct opt_context){.scratch = &run->scratch.arena, .options = run->options,
                                .report = run->report, .diagnostics = run->diagnostics,
                                .cache = &run->cache, .rest = &run->rest};
}

/* Runs the pass on f, or on the module if f is NULL; times and counts it. */
static bool call_timed(struct run *run, struct listed p, struct ir_function *f)
{
    struct opt_context c = context_of(run);
    struct opt_time *t = &run->report->times[p.pass];
    uint64_t start = now();
    c.pass = p.pass;
    c.required = p.required;
    c.on_function = f != NULL;
    run->errors = run->diagnostics->errors;
    bool changed = f ? call_function_pass(&c, f) : call_module_pass(&c, run->module);
    t->nanoseconds += now() - start;
    t->runs++;
    t->changed += changed;
    arena_reset(&run->scratch.arena);
    return changed;
}

/* Passes that are required, or of the module, are left out: so those of a level, which ask for nothing of the
 * module that is not there. */
void opt_rehearse(struct opt_context *c, struct ir_function *f)
{
    struct scratch scratch;
    struct opt_context rehearsal = {.scratch = scratch_begin(&scratch), .options = c->options,
                                    .cache = c->cache, .on_function = true};
    opt_invalidate(c, f);
    for (uint32_t i = c->rest ? c->rest->first : 0; c->rest && i < c->rest->passes->count; i++) {
        struct listed p = c->rest->passes->at[i];
        const struct opt_pass_info *info = &opt_pass_info[p.pass];
        if (p.required || info->of_module || info->level == 0 || c->options->off[p.pass])
            continue;
        rehearsal.pass = p.pass;
        bool changed = call_function_pass(&rehearsal, f);
        opt_cache_keep(c->cache, f, !changed ? OPT_KEEP_ALL : info->graph == KEEPS_GRAPH ? OPT_KEEP_GRAPH
                                                                                         : OPT_KEEP_NOTHING);
        arena_reset(&scratch.arena);
    }
    scratch_end(&scratch);
}

/* What is not right any more of f; NULL: of the module. */
static void forget(struct run *run, struct listed p, const struct ir_function *f, bool changed)
{
    bool keeps_graph = opt_pass_info[p.pass].graph == KEEPS_GRAPH;
    opt_cache_keep(&run->cache, f, !changed ? OPT_KEEP_ALL : keeps_graph ? OPT_KEEP_GRAPH : OPT_KEEP_NOTHING);
}

/* The tables of what has less are small anyway. Where passes are verified, new numbers are tried on all. */
#define COMPACT_LEAST 64

/* No analysis of the function is right any more: they go by numbers. */
static void compact(struct run *run, struct ir_function *f)
{
    if (ir_compact(f, run->options->verify_each ? 0 : COMPACT_LEAST))
        opt_cache_keep(&run->cache, f, OPT_KEEP_NOTHING);
}

static bool run_on_function(struct run *run, struct listed p, struct ir_function *f)
{
    const struct opt_pass_info *info = &opt_pass_info[p.pass];
    if (f->order.count == 0 || !is_allowed(run, p, f->name))
        return false;
    opt_dumps_before(&run->dumps, info->name, f);
    bug_context(info->name, f->name);
    bool changed = call_timed(run, p, f);
    forget(run, p, f, changed);
    if (changed && run->options->verify_each && !has_failed(run))
        verify(run, f);
    if (run->options->check_analyses && !has_failed(run))
        check_kept(run, f);
    bug_context(NULL, NULL);
    opt_dumps_after(&run->dumps, info->name, f, changed);
    compact(run, f);
    return changed;
}

static bool run_on_module(struct run *run, struct listed p)
{
    const struct opt_pass_info *info = &opt_pass_info[p.pass];
    if (!is_allowed(run, p, "the module"))
        return false;
    for (uint32_t i = 0; i < run->module->functions.count; i++)
        opt_dumps_before(&run->dumps, info->name, run->module->functions.at[i]);
    bug_context(info->name, "the module");
    bool changed = call_timed(run, p, NULL);
    for (uint32_t i = 0; i < run->module->functions.count; i++)
        forget(run, p, run->module->functions.at[i], changed);
    forget(run, p, NULL, changed);
    if (changed && run->options->verify_each && !has_failed(run))
        verify(run, NULL);
    if (run->options->check_analyses && !has_failed(run)) {
        check_kept(run, NULL);
        for (uint32_t i = 0; i < run->module->functions.count; i++)
            check_kept(run, run->module->functions.at[i]);
    }
    bug_context(NULL, NULL);
    for (uint32_t i = 0; i < run->module->functions.count; i++) {
        opt_dumps_after(&run->dumps, info->name, run->module->functions.at[i], changed);
        compact(run, run->module->functions.at[i]);
    }
    return changed;
}

/* Whether a pass that the user has not asked for runs: one of a level does where the level's passes do. */
static bool is_due(const struct run *run, enum opt_pass p)
{
    unsigned level = opt_pass_info[p].level;
    return level == 0 || (!run->options->passes && run->options->level >= level);
}

/* What the word may have been meant for, or for `help` and the like all there are. */
static const char *list_passes(struct run *run, const char *word, size_t n)
{
    struct nearest near = nearest_to(arena_strdup(&run->arena, word, n));
    const char *all = "; there are ";
    for (unsigned p = 0; p < OPT_PASSES; p++) {
        nearest_consider(&near, opt_pass_info[p].name);
        all = arena_printf(&run->arena, "%s%s%s", all, p ? ", " : "", opt_pass_info[p].name);
    }
    const char *name = nearest_name(&near);
    return name ? arena_printf(&run->arena, "; did you mean '%s'?", name) : all;
}

/* Whose list of passes it is: the user's, or the level's; the compiler's own, of which those of no level are
 * required, others left out below their level; or what another pass of it needs: all required. */
enum whose { GIVEN, OWN, REQUIRED };

static bool parse_list(struct run *run, const char *list, enum whose whose, pass_list *passes)
{
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",");
        enum opt_pass p = opt_pass_find(at, n);
        if (p == OPT_PASSES && n) {
            diag_add(run->diagnostics, DIAG_ERROR, "unknown-pass", (span){0}, "there is no pass '%.*s'%s",
                     (int)(n > 60 ? 60 : n), at, list_passes(run, at, n));
            return false;
        }
        if (n && (whose != OWN || is_due(run, p)))
            vec_push(&run->arena, passes,
                     ((struct listed){p, whose == REQUIRED || (whose == OWN && opt_pass_info[p].level == 0)}));
        at += n + (at[n] == ',');
    }
    return true;
}

static bool dump_file(struct run *run, const char *pass, bool changed)
{
    const char *wrong = opt_dumps_file(&run->dumps, pass, changed);
    if (wrong)
        diag_add(run->diagnostics, DIAG_ERROR, "dump-dir", (span){0}, "can't write to '%s': %s",
                 run->options->dump_dir, wrong);
    return !wrong;
}

static bool is_watched(const struct run *run)
{
    return run->options->dump_dir || run->options->bisect_limit >= 0;
}

static bool is_of_module(struct listed p)
{
    return opt_pass_info[p.pass].of_module;
}

/* Where the passes end that are run from `first` on without another function or the module coming between. */
static uint32_t stretch_end(const struct run *run, const pass_list *passes, uint32_t first)
{
    uint32_t end = first + 1;
    if (!is_of_module(passes->at[first]) && !is_watched(run))
        while (end < passes->count && !is_of_module(passes->at[end]))
            end++;
    return end;
}

static bool run_stretch(struct run *run, const pass_list *passes, uint32_t first, uint32_t end)
{
    bool changed = false;
    if (is_of_module(passes->at[first]))
        return run_on_module(run, passes->at[first]);
    for (uint32_t i = 0; i < run->module->functions.count; i++) {
        run->errors = run->diagnostics->errors;
        for (uint32_t p = first; p < end && !has_failed(run); p++)
            changed |= run_on_function(run, passes->at[p], run->module->functions.at[i]);
        opt_cache_keep(&run->cache, run->module->functions.at[i], OPT_KEEP_NOTHING);
    }
    return changed;
}

/* What passes on functions ask for of the module. */
static const struct { enum opt_pass pass; enum opt_analysis analysis; } asked[] = {
#define ASKS_MODULE(pass, analysis) {OPT_PASS_##pass, OPT_ANALYSIS_##analysis},
#include "opt/passes.def"
};

/* Between passes on the module and passes on functions nothing is kept of the module; for the latter, from
 * `first` on, it is made anew. */
static void prepare_module(struct run *run, const pass_list *passes, uint32_t first)
{
    struct opt_context c = context_of(run);
    if (first > 0 && is_of_module(passes->at[first]) == is_of_module(passes->at[first - 1]))
        return;
    opt_cache_keep(&run->cache, NULL, OPT_KEEP_NOTHING);
    for (uint32_t i = first; i < passes->count && !is_of_module(passes->at[i]); i++)
        for (size_t k = 0; k < COUNT(asked); k++)
            if (asked[k].pass == passes->at[i].pass)
                opt_cache_module(&c, run->module, asked[k].analysis);
}

/* An error of a pass ends the run: for the function that it was about at once, for others behind the passes on
 * functions that follow. */
static bool run_pipeline(struct run *run, const pass_list *passes)
{
    uint32_t errors = run->diagnostics->errors;
    if (!dump_file(run, NULL, true))
        return false;
    for (uint32_t i = 0, end; i < passes->count && run->diagnostics->errors == errors; i = end) {
        end = stretch_end(run, passes, i);
        run->rest = (struct opt_rest){passes, end};
        prepare_module(run, passes, i);
        bool changed = run_stretch(run, passes, i, end);
        if (!dump_file(run, opt_pass_info[passes->at[i].pass].name, changed))
            return false;
    }
    return true;
}

/* Of a list that was given alone, from `first` on; else of all that runs. */
static void check_order(struct run *run, const pass_list *passes, uint32_t first, uint32_t end)
{
    enum opt_pass *listed = arena_array(&run->arena, enum opt_pass, end - first + 1);
    for (uint32_t i = first; i < end; i++)
        listed[i - first] = passes->at[i].pass;
    opt_check_order(listed, end - first, run->options->passes, run->diagnostics);
}

/* False: the list of passes is wrong, or a file can't be written. */
static bool run_all(struct run *run)
{
    const struct opt_options *o = run->options;
    pass_list passes = {0};
    const char *check = o->check_uniformity ? "check_uniformity" : "";
    const char *memory = o->check_memory ? "mem2reg,check_memory" : "";
    bool early = target_info[o->target].lacks & TARGET_NO_CHECKS;     /* so that check_target refuses it */
    if (!parse_list(run, opt_entry, OWN, &passes) || !parse_list(run, memory, REQUIRED, &passes))
        return false;
    uint32_t first = passes.count, end;
    if (!parse_list(run, o->passes ? o->passes : opt_pipeline(o->level), GIVEN, &passes))
        return false;
    end = passes.count;
    if (!parse_list(run, early ? check : "", OWN, &passes) ||
        !parse_list(run, o->lowering ? o->lowering : "", OWN, &passes) ||
        !parse_list(run, early ? "" : check, OWN, &passes))
        return false;
    check_order(run, &passes, o->passes ? first : 0, o->passes ? end : passes.count);
    opt_dumps_start(&run->dumps, o, run->module, run->report, &run->arena);
    return run_pipeline(run, &passes);
}

static void release(struct run *run)
{
    opt_cache_free(&run->cache);
    opt_dumps_free(&run->dumps);
    arena_free(&run->arena);
}

bool opt_run(struct ir_module *m, const struct opt_options *o, struct opt_report *r, struct diagnostics *d)
{
    struct run run = {.module = m, .options = o, .report = r, .diagnostics = d};
    struct mem_guard guard;
    if (mem_guard_enter(&guard)) {
        release(&run);
        mem_fail(0);
    }
    scratch_begin(&run.scratch);
    bool fine = run_all(&run);
    scratch_end(&run.scratch);
    mem_guard_leave(&guard);
    release(&run);
    return fine;
}
