/* runner.c: runs the passes of a pipeline over the functions of a module.
 *
 * Between two module passes each function goes through all passes before the next function does, so that it
 * stays in the cache: that is what keeps the time for a line the same in large modules. Passes on a function
 * look at no other one, so the order changes no result. Pass by pass it is where somebody watches: the module
 * is written after each pass (--dump-dir), or steps are counted (--opt-bisect-limit).
 *
 * What every run begins with and what a divergence scheme needs (opt/pipelines.def) is required: it is never
 * left out, and no step. A step is one other pass on one function (on the module, for a module pass); steps are
 * numbered in the order in which they run, which is what --opt-bisect-limit counts. After a pass that
 * changed something, the analyses that it does not keep are forgotten, and in checking mode the function is
 * verified and the kept analyses are computed anew and compared.
 */
#include "opt/internal.h"

#include <time.h>

struct run {
    struct ir_module         *module;
    const struct opt_options *options;
    struct opt_report        *report;
    struct diagnostics       *diagnostics;
    struct opt_cache         *caches;      /* by function */
    struct opt_dumps          dumps;
    struct arena              arena;
};

struct listed { enum opt_pass pass; bool required; };
typedef VEC(struct listed) pass_list;

static const char *const pipelines[] = {
#define PIPELINE(level, passes) [level] = passes,
#include "opt/pipelines.def"
};

const char *opt_pipeline(unsigned level)
{
    return pipelines[level < COUNT(pipelines) ? level : COUNT(pipelines) - 1];
}

static const char entry[] =
#define ENTRY(passes) passes
#include "opt/pipelines.def"
    ;

/* "" for schemes that need nothing of the compiler. */
static const char *scheme_lowering(const char *scheme)
{
    static const struct { const char *scheme, *passes; } lowerings[] = {
#define LOWERING(scheme, passes) {scheme, passes},
#include "opt/pipelines.def"
    };
    for (size_t i = 0; scheme && i < COUNT(lowerings); i++)
        if (strcmp(lowerings[i].scheme, scheme) == 0)
            return lowerings[i].passes;
    return "";
}

enum opt_pass opt_pass_find(const char *name, size_t n)
{
    for (unsigned p = 0; p < OPT_PASSES; p++)
        if (strlen(opt_pass_info[p].name) == n && memcmp(opt_pass_info[p].name, name, n) == 0)
            return p;
    return OPT_PASSES;
}

void opt_options_init(struct opt_options *o)
{
    *o = (struct opt_options){.level = OPT_LEVEL_DEFAULT, .bisect_limit = -1, .dump_input = "input"};
    for (unsigned l = 0; l < OPT_LIMITS; l++)
        o->limits[l] = opt_limit_info[l].value;
}

bool opt_listed(const char *list, const char *name)
{
    size_t n = strlen(name);
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

const struct opt_limit_info opt_limit_info[OPT_LIMITS] = {
#define LIMIT(name, value, most, meaning) {#name, meaning, value, most},
#include "opt/limits.def"
};

enum opt_limit opt_limit_find(const char *name, size_t n)
{
    unsigned l = 0;
    while (l < OPT_LIMITS &&
           (strlen(opt_limit_info[l].name) != n || memcmp(opt_limit_info[l].name, name, n) != 0))
        l++;
    return (enum opt_limit)l;
}

bool opt_switch(struct opt_options *o, const char *name, bool on)
{
    char spelled[32];
    size_t n = strlen(name);
    if (n >= sizeof spelled)
        return false;
    for (size_t i = 0; i < n; i++)
        spelled[i] = name[i] == '-' ? '_' : name[i];
    enum opt_pass p = opt_pass_find(spelled, n);
    if (p == OPT_PASSES || opt_pass_info[p].level == 0)
        return false;
    o->off[p] = !on;
    return true;
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
#define PASS(name, function, level, needs, keeps, meaning) case OPT_PASS_##name: return opt_##function(c, f);
#define MODULE_PASS(name, function, level, needs, keeps, meaning)
#include "opt/passes.def"
    default: BUG("pass %d is none of a function", (int)c->pass);
    }
}

static bool call_module_pass(struct opt_context *c, struct ir_module *m)
{
    switch (c->pass) {
#define PASS(name, function, level, needs, keeps, meaning)
#define MODULE_PASS(name, function, level, needs, keeps, meaning)                                            \
    case OPT_PASS_##name: return opt_##function(c, m);
#include "opt/passes.def"
    default: BUG("pass %d is none of the module", (int)c->pass);
    }
}

static void verify(struct run *run, const struct ir_function *f)
{
    struct arena scratch = {0};
    struct diagnostics d;
    uint64_t start = now();
    diag_init(&d, &scratch, NULL);
    bool fine = f ? ir_verify_function(f, &d) : ir_verify(run->module, &d);
    run->report->verify_nanoseconds += now() - start;
    if (!fine) {
        struct text t = {0};
        diag_text(&d, &t, false);
        if (f)
            ir_print_function(f, &t, NULL);
        else
            ir_print_module(run->module, &t);
        BUG("it broke the IR: %s\n%s", d.all.at[0].id, t.at);
    }
    arena_free(&scratch);
}

static void check_kept(struct run *run, const struct ir_function *f)
{
    const char *wrong = opt_cache_check(&run->caches[f->id], f);
    if (wrong)
        BUG("it said that it keeps %s", wrong);
}

/* Whether the pass may run: no -fno-… switches it off, and if it is a step, --opt-bisect-limit allows it, which
 * says so like the tools that people know. */
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

/* Runs the pass on f, or on the module if f is NULL; times and counts it. */
static bool call_timed(struct run *run, enum opt_pass pass, struct ir_function *f)
{
    struct arena scratch = {0};
    struct opt_cache of_module = {0};
    struct opt_context c = {.scratch = &scratch, .options = run->options, .report = run->report,
                            .diagnostics = run->diagnostics, .pass = pass,
                            .cache = f ? &run->caches[f->id] : &of_module};
    struct opt_time *t = &run->report->times[pass];
    uint64_t start = now();
    bool changed = f ? call_function_pass(&c, f) : call_module_pass(&c, run->module);
    t->nanoseconds += now() - start;
    t->runs++;
    t->changed += changed;
    opt_cache_free(&of_module);
    arena_free(&scratch);
    return changed;
}

static bool run_on_function(struct run *run, struct listed p, struct ir_function *f)
{
    enum opt_pass pass = p.pass;
    const struct opt_pass_info *info = &opt_pass_info[pass];
    if (f->order.count == 0 || !is_allowed(run, p, f->name))
        return false;
    opt_dumps_before(&run->dumps, info->name, f);
    bug_context(info->name, f->name);
    bool changed = call_timed(run, pass, f);
    if (changed) {
        opt_cache_keep(&run->caches[f->id], info->keeps);
        if (run->options->verify_each)
            verify(run, f);
    }
    if (run->options->check_analyses)
        check_kept(run, f);
    bug_context(NULL, NULL);
    opt_dumps_after(&run->dumps, info->name, f, changed);
    return changed;
}

static bool run_on_module(struct run *run, struct listed p)
{
    enum opt_pass pass = p.pass;
    const struct opt_pass_info *info = &opt_pass_info[pass];
    if (!is_allowed(run, p, "the module"))
        return false;
    for (uint32_t i = 0; i < run->module->functions.count; i++)
        opt_dumps_before(&run->dumps, info->name, run->module->functions.at[i]);
    bug_context(info->name, "the module");
    bool changed = call_timed(run, pass, NULL);
    for (uint32_t i = 0; changed && i < run->module->functions.count; i++)
        opt_cache_keep(&run->caches[i], info->keeps);
    if (changed && run->options->verify_each)
        verify(run, NULL);
    bug_context(NULL, NULL);
    for (uint32_t i = 0; i < run->module->functions.count; i++)
        opt_dumps_after(&run->dumps, info->name, run->module->functions.at[i], changed);
    return changed;
}

static bool parse_list(struct run *run, const char *list, bool required, pass_list *passes)
{
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",");
        enum opt_pass p = opt_pass_find(at, n);
        if (p == OPT_PASSES && n) {
            diag_add(run->diagnostics, DIAG_ERROR, "unknown-pass", (span){0}, "there is no pass '%.*s'",
                     (int)(n > 60 ? 60 : n), at);
            return false;
        }
        if (n)
            vec_push(&run->arena, passes, ((struct listed){p, required}));
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
        for (uint32_t p = first; p < end; p++)
            changed |= run_on_function(run, passes->at[p], run->module->functions.at[i]);
        if (!is_watched(run))
            opt_cache_free(&run->caches[i]);
    }
    return changed;
}

/* An error of a pass ends the run behind its stretch. */
static bool run_pipeline(struct run *run, const pass_list *passes)
{
    uint32_t errors = run->diagnostics->errors;
    if (!dump_file(run, NULL, true))
        return false;
    for (uint32_t i = 0, end; i < passes->count && run->diagnostics->errors == errors; i = end) {
        end = stretch_end(run, passes, i);
        bool changed = run_stretch(run, passes, i, end);
        if (!dump_file(run, opt_pass_info[passes->at[i].pass].name, changed))
            return false;
    }
    return true;
}

bool opt_run(struct ir_module *m, const struct opt_options *o, struct opt_report *r, struct diagnostics *d)
{
    struct run run = {.module = m, .options = o, .report = r, .diagnostics = d};
    pass_list passes = {0};
    bool fine = parse_list(&run, entry, true, &passes) &&
                parse_list(&run, o->passes ? o->passes : opt_pipeline(o->level), false, &passes) &&
                parse_list(&run, scheme_lowering(o->scheme), true, &passes);
    if (fine) {
        run.caches = arena_array(&run.arena, struct opt_cache, m->functions.count);
        opt_dumps_start(&run.dumps, o, m, r, &run.arena);
        fine = run_pipeline(&run, &passes);
        for (uint32_t i = 0; i < m->functions.count; i++)
            opt_cache_free(&run.caches[i]);
        opt_dumps_free(&run.dumps);
    }
    arena_free(&run.arena);
    return fine;
}
