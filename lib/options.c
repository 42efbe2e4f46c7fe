/* options.c: the options of kernc_compile: defaults, checks, and the settings of the front end and the passes
 * of them. */
#include "lib/options.h"

#include "base/checks.h"
#include "base/scheme.h"
#include "ir/views/views.h"
#include "lib/analyses.h"

#include <stdlib.h>

void kernc_options_defaults(kernc_options *o, size_t size)
{
    kernc_options all = {.level = OPT_LEVEL_DEFAULT,
                         .scheme = scheme_info[SCHEME_DEFAULT].name,
                         .bisect_limit = -1,
                         .warp = OPT_DEFAULT_WARP};
    if (!o || size < sizeof o->size)
        return;
    memset(o, 0, size);
    o->size = size;
    sized_write(o, &all, sizeof all);
}

kernc_options options_own(const kernc_options *given)
{
    kernc_options o;
    kernc_options_init(&o);
    if (given)
        sized_read(&o, sizeof o, given);
    if (!o.scheme)
        o.scheme = scheme_info[SCHEME_DEFAULT].name;
    if (!o.profile_name)
        o.profile_name = "<profile>";
    return o;
}

static void bad_option(kernc_result *r, const char *fmt, const char *value)
{
    diag_add(&r->diagnostics, DIAG_ERROR, "option", (span){0}, fmt, value);
    r->status = KERNC_BAD_OPTION;
}

static const char *join(struct arena *a, const char *names, const char *name)
{
    return arena_printf(a, "%s%s%s", names, *names ? ", " : "", name);
}

static const char *group_names(struct arena *a)
{
    const char *names = "all, error";
    for (unsigned g = DIAG_GROUP_none + 1; g < DIAG_GROUPS; g++)
        names = join(a, names, diag_group_info[g].name);
    return names;
}

static bool take_warnings(kernc_result *r, const kernc_options *o, struct fe_options *fe)
{
    fe_options_init(fe);
    fe->defines = o->defines;
    fe->define_count = (uint32_t)o->define_count;
    r->diagnostics.warnings_off = o->no_warnings;
    r->diagnostics.error_limit = o->error_limit;
    for (size_t i = 0; i < o->warning_count; i++) {
        if (strcmp(o->warnings[i], "error") == 0)
            r->diagnostics.warnings_are_errors = true;
        else if (strcmp(o->warnings[i], "no-error") == 0)
            r->diagnostics.warnings_are_errors = false;
        else if (!diag_set_groups(&r->diagnostics, o->warnings[i]))
            bad_option(r, "%s",
                       arena_printf(&r->arena, "there is no warning group '%s'; there are %s", o->warnings[i],
                                    group_names(&r->arena)));
    }
    return r->status == KERNC_COMPILED;
}

struct limit {
    const char *name;
    uint32_t most, *value;
};

/* The limit of the front end or of the passes that has the name. */
static bool find_limit(const char *name, size_t n, struct fe_options *fe, struct opt_options *opt,
                       struct limit *found)
{
    const struct fe_limit_info *of_source = fe_limit_find(name, n);
    enum opt_limit l = opt_limit_find(name, n);
    if (of_source)
        *found = (struct limit){of_source->name, of_source->most, fe_options_limit(fe, of_source)};
    else if (l < OPT_LIMITS)
        *found = (struct limit){opt_limit_info[l].name, opt_limit_info[l].most, &opt->limits[l]};
    return of_source || l < OPT_LIMITS;
}

/* "NAME=N". */
static void take_limit(kernc_result *r, const char *text, struct fe_options *fe, struct opt_options *opt)
{
    size_t n = strcspn(text, "=");
    struct limit limit;
    char *end;
    if (!text[n] || !find_limit(text, n, fe, opt, &limit)) {
        bad_option(r, "there is no limit '%s'", arena_strdup(&r->arena, text, n));
        return;
    }
    bool digits = text[n + 1] >= '0' && text[n + 1] <= '9';
    uint64_t value = strtoull(text + n + 1, &end, 10);
    if (!digits || *end || value < 1 || value > limit.most)
        bad_option(r, "%s",
                   arena_printf(&r->arena, "limit '%s' is a number from 1 to %u, not '%s'", limit.name,
                                limit.most, text + n + 1));
    else
        *limit.value = (uint32_t)value;
}

static bool take_limits(kernc_result *r, const kernc_options *o, struct fe_options *fe,
                        struct opt_options *opt)
{
    for (size_t i = 0; i < o->limit_count; i++)
        take_limit(r, o->limits[i], fe, opt);
    return r->status == KERNC_COMPILED;
}

/* ---- schemes ----------------------------------------------------------------------------------------- */

bool kernc_scheme_at(unsigned index, kernc_scheme *scheme)
{
    if (!scheme || index >= SCHEMES)
        return false;
    const struct scheme_info *info = &scheme_info[index];
    kernc_scheme s = {.name = info->name,
                      .meaning = info->meaning,
                      .warp = target_info[info->target].lanes,
                      .sound = !(info->properties & SCHEME_UNSOUND)};
    return sized_write(scheme, &s, sizeof s);
}

static bool take_scheme(kernc_result *r, const kernc_options *o)
{
    if (scheme_find(o->scheme) == SCHEMES)
        bad_option(r, "%s",
                   arena_printf(&r->arena, "there is no scheme '%.60s'; there are %s", o->scheme,
                                scheme_names(&r->arena)));
    return r->status == KERNC_COMPILED;
}

static const char *analysis_names(struct arena *a)
{
    const char *names = "";
    for (unsigned i = 0; i < IR_VIEWS; i++)
        names = join(a, names, ir_view_info[i].text);
    return names;
}

static bool take_analyses(kernc_result *r, const kernc_options *o)
{
    size_t n = 0;
    const char *unknown = o->analyses ? analyses_unknown(o->analyses, &n) : NULL;
    if (unknown)
        bad_option(r, "%s",
                   arena_printf(&r->arena, "there is no analysis '%.*s'; there are %s",
                                (int)(n > 60 ? 60 : n), unknown, analysis_names(&r->arena)));
    if (o->analyses)
        r->analyses = arena_strdup(&r->arena, o->analyses, strlen(o->analyses));
    r->analysis_form = o->analysis_form;
    r->divergence = o->divergence;
    return r->status == KERNC_COMPILED;
}

/* The schemes under which the check is made: "a, b"; "": there is no such check. */
static const char *schemes_that_check(struct arena *a, const char *check)
{
    const char *names = "";
    for (unsigned s = 0; s < SCHEMES; s++) {
        const char *own = scheme_check((enum scheme)s);
        if (own && strcmp(own, check) == 0)
            names = arena_printf(a, "%s%s%s", names, *names ? ", " : "", scheme_info[s].name);
    }
    return names;
}

static const char *names_of(struct arena *a, unsigned bits)
{
    const char *names = "";
    for (unsigned i = 0; i < CHECK_ALL; i++)
        names = bits & check_info[i].memory ? join(a, names, check_info[i].name) : names;
    return names;
}

/* Checks that the scheme has not: named, they are a mistake; among all, it is said that they are left out. */
static bool take_memory_checks(kernc_result *r, const kernc_options *o, struct opt_options *opt)
{
    enum scheme s = scheme_find(o->scheme);
    unsigned asked = check_memory_bits(o->checks), named = check_named_bits(o->checks),
             has = check_bits_under(s), missing = (has & asked ? named : asked) & ~has;
    const char *reason = s == SCHEME_REFERENCE ? ", which runs threads one by one" : "";
    if (missing)
        bad_option(r, "%s",
                   arena_printf(&r->arena, "not checked under %s%s: %s; take another scheme for bytecode",
                                o->scheme, reason, names_of(&r->arena, missing)));
    else if (asked & ~has)
        diag_add(&r->diagnostics, DIAG_NOTE, "option", (span){0}, "not checked under %s%s: %s", o->scheme,
                 reason, names_of(&r->arena, asked & ~has));
    opt->check_memory = asked & has;
    return r->status == KERNC_COMPILED;
}

static bool take_checks(kernc_result *r, const kernc_options *o, struct opt_options *opt)
{
    if (!o->checks)
        return true;
    if (check_memory_bits(o->checks))
        return take_memory_checks(r, o, opt);
    const char *schemes = schemes_that_check(&r->arena, o->checks),
               *own = scheme_check(scheme_find(o->scheme));
    if (!*schemes)
        bad_option(r, "%s",
                   arena_printf(&r->arena, "there is no check of '%.60s'; there are %s", o->checks,
                                check_names(&r->arena, 0, CHECKS, " and ")));
    else if (!own || strcmp(own, o->checks) != 0)
        bad_option(
            r, "%s",
            arena_printf(&r->arena, "%s is checked under %s, not under %s", o->checks, schemes, o->scheme));
    opt->check_uniformity = check_find_claim(o->checks) == CHECK_CLAIM_uniformity;
    return r->status == KERNC_COMPILED;
}

static bool take_switches(kernc_result *r, const kernc_options *o, struct opt_options *opt)
{
    for (size_t i = 0; i < o->switch_count; i++) {
        const char *wrong = opt_options_set(opt, &r->arena, o->switches[i]);
        if (wrong)
            bad_option(r, "%s", wrong);
    }
    return r->status == KERNC_COMPILED;
}

static bool take_arguments(kernc_result *r, const kernc_options *o, struct opt_options *opt)
{
    for (size_t i = 0; i < o->argument_count; i++) {
        struct launch_argument a;
        const char *wrong = launch_parse_argument(&r->arena, o->arguments[i], &a);
        if (wrong)
            bad_option(r, "%s", arena_printf(&r->arena, "argument '%.60s': %s", o->arguments[i], wrong));
        vec_push(&r->arena, &opt->expected, a);
    }
    return r->status == KERNC_COMPILED;
}

static bool take_thresholds(kernc_result *r, const kernc_options *o, struct opt_options *opt)
{
    for (size_t i = 0; i < o->threshold_count; i++) {
        const kernc_threshold *t = &o->thresholds[i];
        struct opt_prediction_name name = {{t->line, t->column}, {t->to_line, t->to_column}};
        if (t->threshold > KERNC_MAX_WARP && t->threshold != KERNC_THRESHOLD_OFF)
            bad_option(r, "%s",
                       arena_printf(&r->arena, "a threshold is a number from 0 to %u, not %u", KERNC_MAX_WARP,
                                    t->threshold));
        vec_push(&r->arena, &opt->thresholds, ((struct opt_threshold){name, t->threshold}));
    }
    return r->status == KERNC_COMPILED;
}

static bool take_warp(kernc_result *r, const kernc_options *o, struct opt_options *opt)
{
    opt->warp = o->warp;
    if (o->warp == 0 || o->warp > KERNC_MAX_WARP)
        bad_option(
            r, "%s",
            arena_printf(&r->arena, "a warp has from 1 to %u threads, not %u", KERNC_MAX_WARP, o->warp));
    return r->status == KERNC_COMPILED;
}

/* Whether a pass or a step of the warp-core target has the name. */
static bool is_pass(const char *name, size_t n)
{
    for (unsigned i = 0; i < WC_STEPS; i++)
        if (strlen(wc_step_info[i].name) == n && memcmp(wc_step_info[i].name, name, n) == 0)
            return true;
    return opt_pass_find(name, n) != OPT_PASSES;
}

static const char *pass_names(struct arena *a)
{
    const char *names = "";
    for (unsigned i = 0; i < OPT_PASSES; i++)
        names = join(a, names, opt_pass_info[i].name);
    for (unsigned i = 0; i < WC_STEPS; i++)
        names = join(a, names, wc_step_info[i].name);
    return names;
}

/* A list of passes that something is printed around; NULL: none. */
static bool check_passes(kernc_result *r, const char *list)
{
    size_t n;
    for (const char *at = list ? list : ""; *at; at += n + (at[n] == ',')) {
        n = strcspn(at, ",");
        if (n && !is_pass(at, n))
            bad_option(r, "%s",
                       arena_printf(&r->arena, "there is no pass '%.*s'; there are %s",
                                    (int)(n > 60 ? 60 : n), at, pass_names(&r->arena)));
    }
    return r->status == KERNC_COMPILED;
}

static void drop(void *data, const char *text, size_t n)
{
}

static bool take_passes(kernc_result *r, const kernc_options *o, struct opt_options *opt)
{
    opt_options_init(opt);
    opt->level = o->level;
    opt->passes = o->passes;
    opt->print_before = o->print_before;
    opt->print_after = o->print_after;
    opt->print_before_all = o->print_before_all;
    opt->print_after_all = o->print_after_all;
    opt->print_changed = (enum opt_changed)o->print_changed;
    opt->filter_passes = o->filter_passes;
    opt->filter_functions = o->filter_functions;
    opt->dump_dir = o->dump_dir;
    opt->divergence = o->divergence;
    opt->analyses = o->analyses;
    opt->verify_each = o->verify_each;
    opt->time_passes = opt->stats = opt->remarks = o->collect;
    opt->bisect_limit = o->bisect_limit;
    opt->print = o->print ? o->print : drop;
    opt->data = o->print_data;
    return check_passes(r, o->print_before) && check_passes(r, o->print_after) &&
           check_passes(r, o->filter_passes) && take_switches(r, o, opt) && take_checks(r, o, opt) &&
           take_arguments(r, o, opt) && take_thresholds(r, o, opt) && take_warp(r, o, opt);
}

/* NULL where there has to be something, and numbers that stand for nothing. */
static bool check_form(kernc_result *r, const kernc_options *o)
{
    const struct {
        const char *name;
        const void *at;
        size_t count;
        bool texts; /* const char *const * */
    } lists[] = {
        {"switches", o->switches, o->switch_count, true},
        {"warnings", o->warnings, o->warning_count, true},
        {"limits", o->limits, o->limit_count, true},
        {"arguments", o->arguments, o->argument_count, true},
        {"defines", o->defines, o->define_count, true},
        {"thresholds", o->thresholds, o->threshold_count, false},
    };
    const struct {
        const char *name;
        unsigned value, last;
    } choices[] = {
        {"input", (unsigned)o->input, KERNC_INPUT_LLVM},
        {"level", o->level, 2},
        {"analysis_form", (unsigned)o->analysis_form, KERNC_ANALYSIS_IR},
        {"print_changed", (unsigned)o->print_changed, KERNC_CHANGED_DIFF},
    };
    for (size_t i = 0; i < COUNT(lists); i++) {
        size_t n = 0;
        const char *const *texts = lists[i].at;
        while (texts && n < lists[i].count && (!lists[i].texts || texts[n]))
            n++;
        if (n < lists[i].count)
            bad_option(r, "the list %s is shorter than its count: NULL stands there", lists[i].name);
    }
    for (size_t i = 0; i < COUNT(choices); i++)
        if (choices[i].value > choices[i].last)
            bad_option(r, "%s",
                       arena_printf(&r->arena, "%s is a number from 0 to %u, not %d", choices[i].name,
                                    choices[i].last, (int)choices[i].value));
    return r->status == KERNC_COMPILED;
}

bool options_take(kernc_result *r, const kernc_options *o, struct fe_options *fe, struct opt_options *opt)
{
    bool fine = check_form(r, o) && take_scheme(r, o) && take_analyses(r, o) && take_warnings(r, o, fe) &&
                take_passes(r, o, opt) && take_limits(r, o, fe, opt);
    fe->tells_unwritten = fine && opt->check_memory & OPT_CHECK_UNINIT;
    fe->tells_shifts = fine && opt->check_memory & OPT_CHECK_SHIFT;
    return fine;
}

static const char *function_names(struct arena *a, const struct ir_module *m, const char *name, size_t n)
{
    const char *names = "";
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        if (strlen(f->name) == n && memcmp(f->name, name, n) == 0)
            return NULL;
        names = join(a, names, f->name);
    }
    return names;
}

bool options_name_functions(kernc_result *r, const kernc_options *o)
{
    size_t n;
    for (const char *at = o->filter_functions ? o->filter_functions : ""; *at; at += n + (at[n] == ',')) {
        n = strcspn(at, ",");
        const char *others = function_names(&r->arena, r->module, at, n);
        if (n && others)
            bad_option(r, "%s",
                       arena_printf(&r->arena, "there is no function '%.*s'; there are %s",
                                    (int)(n > 60 ? 60 : n), at, others));
    }
    return r->status == KERNC_COMPILED;
}
