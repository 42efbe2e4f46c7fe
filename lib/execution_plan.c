/* execution_plan.c: which of a program's directives run, and what the caller says instead of them. */
#include "backend/format/bytecode/program.h"
#include "backend/format/warpcore/image.h"
#include "lib/execution.h"
#include "runtime/module.h"

#include <stdlib.h>

#define bad_launch(...) execution_bad_launch(__VA_ARGS__)

/* "a, b, c" */
struct names {
    struct text text;
};

static void add_name(struct names *n, const char *name)
{
    text_printf(&n->text, "%s%s", n->text.length ? ", " : "", name);
}

static const char *take_names(struct arena *a, struct names *n)
{
    const char *list = n->text.length ? arena_strdup(a, n->text.at, n->text.length) : "none";
    text_free(&n->text);
    return list;
}

/* ---- the program's directives ------------------------------------------------------------------------ */

struct directives {
    const struct launch *at;
    uint32_t count;
};

static struct directives directives_of(const struct execution *x)
{
    const struct bc_program *p = rt_module_program(x->module);
    const struct wc_image *m = rt_module_image(x->module);
    return (struct directives){p ? p->launches.at : m->launches.at,
                               p ? p->launches.count : m->launches.count};
}

uint32_t execution_directives(const struct execution *x)
{
    struct directives all = directives_of(x);
    uint32_t launches = 0;
    for (uint32_t i = 0; i < all.count; i++)
        launches += all.at[i].step == LAUNCH_KERNEL;
    return launches;
}

/* The launch of this number, from 1 (0: any), and this kernel (NULL: any): the first; NULL: there is none. */
static const struct launch *find_launch(const struct execution *x, const char *kernel, uint64_t wanted,
                                        uint32_t *number)
{
    struct directives all = directives_of(x);
    *number = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        const struct launch *l = &all.at[i];
        *number += l->step == LAUNCH_KERNEL;
        if (l->step == LAUNCH_KERNEL && (!wanted || wanted == *number) &&
            (!kernel || strcmp(l->kernel, kernel) == 0))
            return l;
    }
    *number = 0;
    return NULL;
}

static const char *launch_names(struct execution *x)
{
    struct names names = {0};
    uint32_t number;
    for (uint32_t i = 1; i <= 20; i++) {
        const struct launch *l = find_launch(x, NULL, i, &number);
        if (l)
            add_name(&names, arena_printf(x->arena, "%u %s", i, l->kernel));
    }
    return take_names(x->arena, &names);
}

static const char *kernel_names(struct execution *x)
{
    struct names names = {0};
    for (uint32_t i = 0; i < kernc_module_kernel_count(x->module) && i < 20; i++)
        add_name(&names, kernc_kernel_name(kernc_module_kernel_at(x->module, i)));
    return take_names(x->arena, &names);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

static bool find_kernel(struct execution *x, struct execution_step *s, const char *name)
{
    const struct bc_program *p = rt_module_program(x->module);
    const struct wc_image *m = rt_module_image(x->module);
    if (kernc_module_kernel(x->module, name, &s->kernel) != KERNC_OK)
        return bad_launch(x, "there is no kernel '%s'; there are: %s", name, kernel_names(x));
    for (uint32_t i = 0; i < kernc_module_kernel_count(x->module); i++)
        if (kernc_module_kernel_at(x->module, i) == s->kernel)
            s->params = p ? p->kernels.at[i].params.at : m->kernels.at[i].params.at;
    s->param_count = kernc_kernel_parameter_count(s->kernel);
    s->launch.kernel = name;
    return true;
}

static bool add_step(struct execution *x, const struct launch *directive, const char *kernel, uint32_t number)
{
    struct execution_step s = {.directive = directive, .number = number, .counted = true};
    bool good = !kernel || find_kernel(x, &s, kernel);
    if (!kernel)
        s.launch = *directive;
    vec_push(x->arena, &x->steps, s);
    x->launches += kernel != NULL;
    return good;
}

/* All that is no buffer, up to this launch and the end of the repeat that it stands in (0: to the end); buffers
 * are made when they are needed. */
static bool add_plan(struct execution *x, uint32_t last)
{
    struct directives all = directives_of(x);
    uint32_t number = 0;
    bool repeats = false;
    for (uint32_t i = 0; i < all.count; i++) {
        const struct launch *l = &all.at[i];
        bool launched = l->step == LAUNCH_KERNEL;
        if (last && number >= last && !repeats)
            break;
        repeats = l->step == LAUNCH_REPEAT || (repeats && l->step != LAUNCH_END);
        if (l->step != LAUNCH_BUFFER && !add_step(x, l, launched ? l->kernel : NULL, launched ? ++number : 0))
            return false;
    }
    return true;
}

static bool add_named_launch(struct execution *x)
{
    char *end;
    uint32_t number;
    uint64_t wanted = strtoull(x->choice.launch_name, &end, 10);
    bool digits = *x->choice.launch_name >= '0' && *x->choice.launch_name <= '9' && *end == 0;
    const struct launch *l =
        digits && !wanted ? NULL : find_launch(x, digits ? NULL : x->choice.launch_name, wanted, &number);
    if (!l)
        return bad_launch(x, "there is no launch '%s'; there are: %s", x->choice.launch_name,
                          launch_names(x));
    return add_step(x, l, l->kernel, number);
}

static bool add_one_launch(struct execution *x)
{
    uint32_t number;
    const struct launch *l = find_launch(x, x->choice.kernel_name, 0, &number);
    const char *name = x->choice.kernel_name ? x->choice.kernel_name : l ? l->kernel : NULL;
    uint32_t count = kernc_module_kernel_count(x->module);
    if (!name && count == 1)
        name = kernc_kernel_name(kernc_module_kernel_at(x->module, 0));
    if (!name && count == 0)
        return bad_launch(x, "%s has " BE_NO_KERNEL, x->input);
    if (!name)
        return bad_launch(x, "which kernel? --kernel= one of: %s", kernel_names(x));
    return add_step(x, l ? l : find_launch(x, name, 0, &number), name, number);
}

/* The plan up to the launch that has been chosen. */
static bool add_earlier(struct execution *x)
{
    uint32_t last = x->steps.at[0].number;
    x->steps.count = x->launches = 0;
    bool good = add_plan(x, last);
    for (uint32_t i = 0; i < x->steps.count; i++)
        x->steps.at[i].chosen = x->steps.at[i].counted = x->steps.at[i].number == last;
    return good;
}

static bool choose(struct execution *x)
{
    bool one = x->choice.kernel_name || x->choice.first_only || execution_directives(x) == 0;
    if (!x->choice.launch_name && !one)
        return add_plan(x, 0);
    if (!(x->choice.launch_name ? add_named_launch(x) : add_one_launch(x)))
        return false;
    x->steps.at[0].chosen = true;
    return x->choice.earlier && x->steps.at[0].number ? add_earlier(x) : true;
}

/* Whether the caller's sizes and plain names are about this launch. */
static bool is_meant(const struct execution *x, const struct execution_step *s)
{
    return s->chosen || x->launches == 1;
}

const struct execution_step *execution_meant(const struct execution *x)
{
    for (uint32_t i = 0; i < x->steps.count; i++)
        if (x->steps.at[i].kernel && is_meant(x, &x->steps.at[i]))
            return &x->steps.at[i];
    return NULL;
}

/* ---- the directive under what the caller wants ------------------------------------------------------- */

const struct launch_argument *execution_argument(const struct launch *l, const char *name)
{
    for (uint32_t i = 0; i < l->arguments.count; i++)
        if (strcmp(l->arguments.at[i].name, name) == 0)
            return &l->arguments.at[i];
    return NULL;
}

static const struct be_param *find_parameter(const struct execution_step *s, const char *name)
{
    for (uint32_t i = 0; i < s->param_count; i++)
        if (strcmp(s->params[i].name, name) == 0)
            return &s->params[i];
    return NULL;
}

static bool is_named_buffer(const struct execution *x, const char *name)
{
    struct directives all = directives_of(x);
    for (uint32_t i = 0; i < all.count; i++)
        if (all.at[i].step == LAUNCH_BUFFER && strcmp(all.at[i].name, name) == 0)
            return true;
    return false;
}

static const char *buffer_names(struct execution *x)
{
    struct directives all = directives_of(x);
    struct names names = {0};
    for (uint32_t i = 0; i < all.count; i++)
        if (all.at[i].step == LAUNCH_BUFFER)
            add_name(&names, all.at[i].name);
    return take_names(x->arena, &names);
}

/* What the caller calls the parameter: "name" of the only launch, "kernel.name" of one of several. */
static bool names_parameter(const struct execution *x, const struct execution_step *s, const char *given,
                            const struct be_param *p)
{
    size_t n = strlen(s->launch.kernel);
    if (is_meant(x, s) && strcmp(given, p->name) == 0)
        return true;
    return x->launches > 1 && strncmp(given, s->launch.kernel, n) == 0 && given[n] == '.' &&
           strcmp(given + n + 1, p->name) == 0;
}

static bool check_name(struct execution *x, const char *name)
{
    struct names names = {0};
    const struct execution_step *s = execution_meant(x);
    for (uint32_t i = 0; i < x->steps.count; i++)
        for (uint32_t k = 0; k < x->steps.at[i].param_count; k++)
            if (names_parameter(x, &x->steps.at[i], name, &x->steps.at[i].params[k]))
                return true;
    if (is_named_buffer(x, name))
        return true;
    if (!s)
        return bad_launch(x,
                          "%s is no buffer of the file, which has several launches: of one kernel's it is "
                          "KERNEL.%s, of one launch --launch=NAME chooses; buffers: %s",
                          name, name, buffer_names(x));
    for (uint32_t i = 0; i < s->param_count; i++)
        add_name(&names, s->params[i].name);
    return bad_launch(x, "kernel %s has no parameter '%s'; it has: %s", s->launch.kernel, name,
                      take_names(x->arena, &names));
}

static bool check_output(struct execution *x, const struct launch_output *o)
{
    const struct be_param *p = x->launches == 1 ? find_parameter(x->first, o->name) : NULL;
    if (x->launches > 1 && !is_named_buffer(x, o->name))
        return bad_launch(x, "--%s %s: there is no buffer of this name in the file; there are: %s",
                          o->save ? "save" : "show", o->name, buffer_names(x));
    if (!check_name(x, o->name))
        return false;
    if (p && !p->pointer)
        return bad_launch(x, "--%s %s: %s is %s, not a buffer", o->save ? "save" : "show", o->name, o->name,
                          p->text);
    if (o->save && launch_wrong_ending(o->file))
        return bad_launch(x, "--save %s=%s: %s", o->name, o->file, launch_wrong_ending(o->file));
    return true;
}

/* All that the caller named. */
static bool check_names(struct execution *x)
{
    if (!execution_meant(x) &&
        (x->choice.launch.grid[0] || x->choice.launch.block[0] || x->choice.launch.shared[0]))
        return bad_launch(x, "--%s is for one launch, and %s has %u: --launch=NAME chooses one",
                          x->choice.launch.grid[0]    ? "grid"
                          : x->choice.launch.block[0] ? "block"
                                                      : "shared",
                          x->input, x->launches);
    for (uint32_t i = 0; i < x->choice.launch.arguments.count; i++)
        if (!check_name(x, x->choice.launch.arguments.at[i].name))
            return false;
    for (uint32_t i = 0; i < x->choice.launch.outputs.count; i++)
        if (!check_output(x, &x->choice.launch.outputs.at[i]))
            return false;
    return true;
}

/* A file that a directive names is looked for beside the file that is run, and then in the working
 * directory. */
struct launch_value execution_directive_value(const struct execution *x, const struct launch_value *v)
{
    struct launch_value found = *v;
    const char *slash = x->input ? strrchr(x->input, '/') : NULL;
    if (v->kind != LAUNCH_FILE || *v->text == '/' || !slash)
        return found;
    const char *beside = arena_printf(x->arena, "%.*s%s", (int)(slash + 1 - x->input), x->input, v->text);
    if (file_exists(beside))
        found.text = beside;
    return found;
}

/* The caller's value of the parameter, or the directive's. Where a directive gives a named buffer, the
 * caller's value is what that one holds at first: execution_buffers.c. */
static void take_argument(struct execution *x, struct execution_step *s, const struct be_param *p)
{
    const struct launch_argument *d = s->directive ? execution_argument(s->directive, p->name) : NULL;
    struct launch_argument a;
    bool own = false;
    for (uint32_t i = 0; !(d && d->value.kind == LAUNCH_NAMED) && i < x->choice.launch.arguments.count; i++)
        if (names_parameter(x, s, x->choice.launch.arguments.at[i].name, p)) {
            d = &x->choice.launch.arguments.at[i];
            own = true;
        }
    if (!d)
        return;
    a = *d;
    a.name = p->name;
    if (!own)
        a.value = execution_directive_value(x, &a.value);
    vec_push(x->arena, &s->launch.arguments, a);
}

static void take_outputs(struct execution *x, struct launch *to, const struct launch *from)
{
    for (uint32_t i = 0; i < from->outputs.count; i++)
        vec_push(x->arena, &to->outputs, from->outputs.at[i]);
}

static void take_sizes(struct execution *x, struct execution_step *s, enum launch_clause c)
{
    uint32_t count;
    struct launch *from = &x->choice.launch;
    if ((!*launch_sizes(from, c, &count) || !is_meant(x, s)) && s->directive)
        from = (struct launch *)s->directive;
    memcpy(launch_sizes(&s->launch, c, &count), launch_sizes(from, c, &count), count * sizeof(uint32_t));
    s->launch.by_round[c] = from->by_round[c];
}

static void merge(struct execution *x, struct execution_step *s)
{
    for (uint32_t i = 0; i < s->param_count; i++)
        take_argument(x, s, &s->params[i]);
    if (s->directive && !x->choice.own_outputs)
        take_outputs(x, &s->launch, s->directive);
    for (enum launch_clause c = 0; c < LAUNCH_CLAUSES; c++)
        take_sizes(x, s, c);
    s->launch.line = s->directive ? s->directive->line : 0;
}

/* The caller's outputs come behind the directives': the only launch's, or a step of their own at the end. */
static void merge_outputs(struct execution *x)
{
    static const struct launch last = {.step = LAUNCH_OUTPUT};
    if (x->launches > 1 && x->choice.launch.outputs.count)
        add_step(x, &last, NULL, 0);
    struct launch *to = &vec_last(&x->steps).launch;
    if (x->launches == 1)
        for (uint32_t i = 0; i < x->steps.count; i++)
            if (x->steps.at[i].kernel)
                to = &x->steps.at[i].launch;
    take_outputs(x, to, &x->choice.launch);
}

bool execution_choose(struct execution *x)
{
    bool good = choose(x);
    for (uint32_t i = 0; i < x->steps.count; i++)
        if (x->steps.at[i].kernel && !x->first)
            x->first = &x->steps.at[i];
    if (!good || !execution_split_structs(x) || !check_names(x))
        return false;
    for (uint32_t i = 0; i < x->steps.count; i++) {
        struct execution_step *s = &x->steps.at[i];
        if (s->kernel)
            merge(x, s);
        else if (x->choice.own_outputs)
            s->launch.outputs.count = 0;
    }
    merge_outputs(x);
    x->first = NULL;
    for (uint32_t i = 0; i < x->steps.count; i++)
        if (x->steps.at[i].kernel && !x->first)
            x->first = &x->steps.at[i];
    if (!x->api.warp)
        x->api.warp = rt_module_image(x->module) ? WC_LANES : 32;
    return true;
}

/* ---- names ------------------------------------------------------------------------------------------- */

static bool named_before(const struct execution *x, uint32_t step)
{
    for (uint32_t i = 0; i < step; i++)
        if (x->steps.at[i].kernel == x->steps.at[step].kernel)
            return true;
    return false;
}

const char *execution_name(const struct execution *x)
{
    struct names names = {0};
    uint32_t listed = 0;
    for (uint32_t i = 0; i < x->steps.count; i++)
        if (x->steps.at[i].kernel && !named_before(x, i) && listed++ < 8)
            add_name(&names, x->steps.at[i].launch.kernel);
    if (listed > 8)
        add_name(&names, "…");
    return take_names(x->arena, &names);
}

bool execution_is_sequence(const struct execution *x)
{
    bool repeats = false;
    for (uint32_t i = 0; i < x->steps.count; i++)
        repeats |= x->steps.at[i].directive && x->steps.at[i].directive->step == LAUNCH_REPEAT;
    return repeats || x->launches > 1;
}
