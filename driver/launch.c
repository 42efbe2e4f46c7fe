/* launch.c: see launch.h. */
#include "backend/bytecode/program.h"
#include "driver/launch.h"
#include "driver/outputs.h"

#include <stdio.h>
#include <unistd.h>

#define NOWHERE ((place){0})

#define fail_here(r, ...) fail((r)->command, EXIT_INPUT, "launch", NULL, NOWHERE, __VA_ARGS__)

/* ---- flags --------------------------------------------------------------------------------------------- */

/* "X", "X,Y" or "X,Y,Z", each at least 1. */
static int read_sizes(struct run *r, enum option_id id, uint32_t sizes[3])
{
    const char *text = option_value(r->command, id), *at = text;
    uint64_t    n[3] = {1, 1, 1};
    if (!text)
        return EXIT_OK;
    for (int i = 0;; i++) {
        if (i == 3 || !scan_number(&at, &n[i]) || n[i] == 0 || n[i] > UINT32_MAX)
            break;
        if (*at == 0) {
            for (int k = 0; k < 3; k++)
                sizes[k] = (uint32_t)n[k];
            return EXIT_OK;
        }
        if (*at++ != ',')
            break;
    }
    return complain(r->command, EXIT_USAGE, "--%s wants one to three sizes such as 8,8,1, not '%s'",
                    option_info[id].name, text);
}

static int read_anchors(struct run *r)
{
    const char *text = option_value(r->command, OPTION_ANCHORS), *seed;
    if (!text || strcmp(text, "all") == 0)
        return EXIT_OK;
    if (strcmp(text, "alone") == 0) {
        r->api.anchors = KERNC_ANCHORS_ALONE;
        return EXIT_OK;
    }
    r->api.anchors = KERNC_ANCHORS_RANDOM;
    seed = strncmp(text, "random:", strlen("random:")) == 0 ? text + strlen("random:") : NULL;
    if (seed && scan_number(&seed, &r->api.anchor_seed) && *seed == 0)
        return EXIT_OK;
    return complain(r->command, EXIT_USAGE, "--anchors wants all, alone or random:SEED, not '%s'", text);
}

static int read_numbers(struct run *r)
{
    long     cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t warp = 32, threads = cores < 1 ? 1 : (uint64_t)cores, fuel = 0, segment = 128;
    if (threads > KERNC_MAX_HOST_THREADS)
        threads = KERNC_MAX_HOST_THREADS;
    int code = option_number(r->command, OPTION_WARP, 1, KERNC_MAX_WARP, &warp);
    if (!code)
        code = option_number(r->command, OPTION_THREADS, 1, KERNC_MAX_HOST_THREADS, &threads);
    if (!code)
        code = option_number(r->command, OPTION_FUEL, 1, UINT64_MAX, &fuel);
    if (!code)
        code = option_number(r->command, OPTION_SEGMENT, 8, 1 << 20, &segment);
    if (!code && segment & (segment - 1))
        code = complain(r->command, EXIT_USAGE, "--segment wants a power of two, not %llu",
                        (unsigned long long)segment);
    r->api.warp = (uint32_t)warp;
    r->api.threads = (uint32_t)threads;
    r->api.fuel = fuel;
    r->api.segment = (uint32_t)segment;
    return code ? code : trace_read_flags(r);
}

static struct launch_argument *find_argument(struct launch *l, const char *name)
{
    for (uint32_t i = 0; i < l->arguments.count; i++)
        if (strcmp(l->arguments.at[i].name, name) == 0)
            return &l->arguments.at[i];
    return NULL;
}

static int read_argument(struct run *r, const char *text)
{
    struct arena          *a = &r->command->arena;
    struct launch_argument given;
    const char            *equals = strchr(text, '=');
    if (!equals || equals == text)
        return complain(r->command, EXIT_USAGE, "--arg wants NAME=SPEC, not '%s'", text);
    given.name = arena_strdup(a, text, (size_t)(equals - text));
    const char *problem = launch_parse_value(a, equals + 1, &given.value);
    if (problem)
        return fail_here(r, "argument %s: %s: '%s'", given.name, problem, equals + 1);
    struct launch_argument *old = find_argument(&r->launch, given.name);
    if (old)
        *old = given;
    else
        vec_push(a, &r->launch.arguments, given);
    return EXIT_OK;
}

static int read_output(struct run *r, enum option_id id, const char *text)
{
    struct arena        *a = &r->command->arena;
    struct launch_output o;
    const char *problem = id == OPTION_SHOW ? output_parse_show(a, text, &o) : output_parse_save(a, text, &o);
    if (problem)
        return complain(r->command, EXIT_USAGE, "--%s: %s, not '%s'", option_info[id].name, problem, text);
    vec_push(a, &r->launch.outputs, o);
    return EXIT_OK;
}

int launch_read_flags(struct run *r)
{
    struct command *c = r->command;
    int             code = read_numbers(r);
    if (!code)
        code = option_size(c, OPTION_MAX_MEMORY, &r->max_memory);
    if (!code)
        code = read_anchors(r);
    if (!code)
        code = read_sizes(r, OPTION_GRID, r->launch.grid);
    if (!code)
        code = read_sizes(r, OPTION_BLOCK, r->launch.block);
    for (uint32_t i = 0; !code && i < c->given.count; i++) {
        const struct given *g = &c->given.at[i];
        if (g->id == OPTION_ARG)
            code = read_argument(r, g->value);
        else if (g->id == OPTION_SHOW || g->id == OPTION_SAVE)
            code = read_output(r, g->id, g->value);
    }
    return code;
}

/* ---- which kernel -------------------------------------------------------------------------------------- */

static const char *kernel_names(struct run *r)
{
    struct text t = {0};
    for (uint32_t i = 0; i < kernc_module_kernel_count(r->module) && i < 20; i++)
        text_printf(&t, "%s%s", i ? ", " : "", kernc_kernel_name(kernc_module_kernel_at(r->module, i)));
    const char *names = arena_strdup(&r->command->arena, t.at ? t.at : "none", t.at ? t.length : 4);
    text_free(&t);
    return names;
}

/* The first directive for this kernel; `name` NULL: the first of all. */
static const struct launch *find_directive(const struct run *r, const char *name)
{
    const struct bc_program *p = kernc_module_program(r->module);
    const struct wc_image   *m = kernc_module_image(r->module);
    const struct launch     *at = p ? p->launches.at : m->launches.at;
    for (uint32_t n = p ? p->launches.count : m->launches.count; n > 0; n--, at++)
        if (!name || strcmp(at->kernel, name) == 0)
            return at;
    return NULL;
}

static void find_parameters(struct run *r)
{
    const struct bc_program *p = kernc_module_program(r->module);
    const struct wc_image   *m = kernc_module_image(r->module);
    for (uint32_t i = 0; i < kernc_module_kernel_count(r->module); i++)
        if (kernc_module_kernel_at(r->module, i) == r->kernel)
            r->params = p ? p->kernels.at[i].params.at : m->kernels.at[i].params.at;
    r->param_count = kernc_kernel_parameter_count(r->kernel);
}

int launch_choose_kernel(struct run *r)
{
    const char *name = option_value(r->command, OPTION_KERNEL);
    uint32_t    count = kernc_module_kernel_count(r->module);
    r->directive = find_directive(r, name);
    if (!name && r->directive)
        name = r->directive->kernel;
    if (!name && count == 1)
        name = kernc_kernel_name(kernc_module_kernel_at(r->module, 0));
    if (!name && count == 0)
        return fail_here(r, "%s has no kernel to run", r->command->file);
    if (!name)
        return fail_here(r, "which kernel? --kernel= one of: %s", kernel_names(r));
    if (kernc_module_kernel(r->module, name, &r->kernel) != KERNC_OK)
        return fail_here(r, "there is no kernel '%s'; there are: %s", name, kernel_names(r));
    find_parameters(r);
    r->launch.kernel = name;
    if (!r->directive && name)
        r->directive = find_directive(r, name);
    if (kernc_module_image(r->module) && !option_given(r->command, OPTION_WARP))
        r->api.warp = WC_LANES;
    return EXIT_OK;
}

/* ---- the directive under the flags --------------------------------------------------------------------- */

static const char *parameter_names(struct run *r)
{
    struct text t = {0};
    for (uint32_t i = 0; i < r->param_count; i++)
        text_printf(&t, "%s%s", i ? ", " : "", r->params[i].name);
    const char *names = arena_strdup(&r->command->arena, t.at ? t.at : "none", t.at ? t.length : 4);
    text_free(&t);
    return names;
}

static int check_parameter(struct run *r, const char *name)
{
    for (uint32_t i = 0; i < r->param_count; i++)
        if (strcmp(r->params[i].name, name) == 0)
            return EXIT_OK;
    return fail_here(r, "kernel %s has no parameter '%s'; it has: %s", r->launch.kernel, name,
                     parameter_names(r));
}

static const char *output_flag(const struct launch_output *o)
{
    return option_info[o->save ? OPTION_SAVE : OPTION_SHOW].name;
}

static int check_output(struct run *r, const struct launch_output *o)
{
    int code = check_parameter(r, o->name);
    for (uint32_t i = 0; !code && i < r->param_count; i++)
        if (strcmp(r->params[i].name, o->name) == 0 && !r->params[i].pointer)
            return fail_here(r, "--%s %s: %s is %s, not a buffer", output_flag(o), o->name, o->name,
                             r->params[i].text);
    if (!code && o->save && launch_encoding_of(o->file) == LAUNCH_NO_ENCODING)
        return fail_here(r, "--save %s=%s: %s", o->name, o->file, launch_unknown_ending);
    return code;
}

/* All that flags gave. */
static int check_names(struct run *r)
{
    int code = EXIT_OK;
    for (uint32_t i = 0; !code && i < r->launch.arguments.count; i++)
        code = check_parameter(r, r->launch.arguments.at[i].name);
    for (uint32_t i = 0; !code && i < r->launch.outputs.count; i++)
        code = check_output(r, &r->launch.outputs.at[i]);
    return code;
}

static void fill_in_arguments(struct run *r, const struct launch *d)
{
    for (uint32_t i = 0; i < d->arguments.count; i++)
        if (!find_argument(&r->launch, d->arguments.at[i].name))
            vec_push(&r->command->arena, &r->launch.arguments, d->arguments.at[i]);
}

/* The directive's outputs come first. */
static void put_outputs_before(struct run *r, const struct launch *d)
{
    struct arena *a = &r->command->arena;
    VEC(struct launch_output) all = {0};
    for (uint32_t i = 0; i < d->outputs.count; i++)
        vec_push(a, &all, d->outputs.at[i]);
    for (uint32_t i = 0; i < r->launch.outputs.count; i++)
        vec_push(a, &all, r->launch.outputs.at[i]);
    r->launch.outputs.at = all.at;
    r->launch.outputs.count = all.count;
    r->launch.outputs.capacity = all.capacity;
}

int launch_merge(struct run *r)
{
    const struct launch *d = r->directive;
    int                  code = check_names(r);
    if (!code && d) {
        fill_in_arguments(r, d);
        if (!option_given(r->command, OPTION_NO_OUTPUTS))
            put_outputs_before(r, d);
        if (!option_given(r->command, OPTION_GRID))
            memcpy(r->launch.grid, d->grid, sizeof d->grid);
        if (!option_given(r->command, OPTION_BLOCK))
            memcpy(r->launch.block, d->block, sizeof d->block);
    }
    memcpy(r->api.grid, r->launch.grid, sizeof r->api.grid);
    memcpy(r->api.block, r->launch.block, sizeof r->api.block);
    return code;
}

/* ---- arguments ----------------------------------------------------------------------------------------- */

static int api_failed(struct run *r, kernc_status status)
{
    return fail(r->command, exit_of_run(status), "launch", NULL, NOWHERE, "%s", kernc_error_text(r->context));
}

/* The text of the --arg that gives the parameter's value; NULL: the directive does. */
static const char *flag_of(const struct run *r, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t i = r->command->given.count; i-- > 0;) {
        const struct given *g = &r->command->given.at[i];
        if (g->id == OPTION_ARG && strncmp(g->value, name, n) == 0 && g->value[n] == '=')
            return g->value;
    }
    return NULL;
}

/* Says what is wrong with a value where it was given: on the command line or at the launch directive. */
static int fail_argument(struct run *r, const struct be_param *p, const struct launch_value *v,
                         const char *problem)
{
    int         code = problem == launch_too_large ? EXIT_LIMIT : EXIT_INPUT;
    const char *flag = flag_of(r, p->name), *file = v->kind == LAUNCH_FILE ? v->file : "";
    const char *colon = *file ? ": " : "";
    if (flag)
        return fail(r->command, code, "launch", NULL, NOWHERE, "--arg %s: argument %s (%s): %s%s%s", flag,
                    p->name, p->text, problem, colon, file);
    return fail(r->command, code, "launch", r->source, (place){r->directive ? r->directive->line : 0, 1},
                "argument %s (%s): %s%s%s", p->name, p->text, problem, colon, file);
}

static int make_buffer(struct run *r, const struct be_param *p, const struct launch_value *v)
{
    void         *bytes = NULL;
    size_t        n = 0;
    kernc_buffer *buffer;
    const char *problem =
        launch_make_buffer(&r->command->arena, v, (enum launch_element)p->element, p->element_bytes,
                           r->max_memory, &bytes, &n);
    if (problem)
        return fail_argument(r, p, v, problem);
    kernc_status status = kernc_buffer_create(r->context, n, p->name, &buffer);
    if (status == KERNC_OK)
        status = kernc_buffer_write(buffer, 0, bytes, n);
    mem_free(bytes);
    if (status != KERNC_OK)
        return api_failed(r, status);
    vec_push(&r->command->arena, &r->buffers, ((struct launch_buffer){p, buffer}));
    vec_push(&r->command->arena, &r->arguments, kernc_arg_buffer(p->name, buffer));
    return EXIT_OK;
}

static int make_number(struct run *r, const struct be_param *p, const struct launch_value *v)
{
    uint64_t    bits;
    const char *problem = launch_make_scalar(v, (enum launch_element)p->element, &bits);
    if (problem)
        return fail_argument(r, p, v, problem);
    vec_push(&r->command->arena, &r->arguments, kernc_arg_bits(p->name, bits));
    return EXIT_OK;
}

int launch_make_arguments(struct run *r)
{
    int code = EXIT_OK;
    for (uint32_t i = 0; !code && i < r->param_count; i++) {
        const struct be_param        *p = &r->params[i];
        const struct launch_argument *a = find_argument(&r->launch, p->name);
        if (!a)
            code = fail_here(r, "no value for argument %s (%s): --arg %s=%s", p->name, p->text, p->name,
                             p->pointer ? "zeros(…)" : "…");
        else
            code = p->pointer ? make_buffer(r, p, &a->value) : make_number(r, p, &a->value);
    }
    r->api.args = r->arguments.at;
    r->api.arg_count = r->arguments.count;
    return code;
}

/* ---- outputs ------------------------------------------------------------------------------------------- */

static const struct launch_buffer *find_buffer(const struct run *r, const char *name)
{
    for (uint32_t i = 0; i < r->buffers.count; i++)
        if (strcmp(r->buffers.at[i].param->name, name) == 0)
            return &r->buffers.at[i];
    return NULL;
}

static int save(struct run *r, const struct launch_output *o, const struct view *v)
{
    struct text t = {0};
    const char *problem = output_encode(o, v, &t);
    int         code = problem ? fail_here(r, "cannot save %s as %s: %s", o->name, o->file, problem)
                               : write_output(r->command, o->file, t.at, t.length);
    text_free(&t);
    return code;
}

static int show(struct run *r, const struct launch_output *o, const struct view *v)
{
    struct text t = {0};
    const char *problem = output_show(o, v, &t);
    int         code = problem ? fail_here(r, "cannot show %s: %s", o->name, problem) : EXIT_OK;
    if (!problem)
        fwrite(t.at, 1, t.length, stdout);
    text_free(&t);
    return code;
}

static int write_one(struct run *r, const struct launch_output *o)
{
    const struct launch_buffer *b = find_buffer(r, o->name);
    if (!b)
        return fail_here(r, "%s is not a buffer", o->name);
    struct view v = {o->name, kernc_buffer_map(b->buffer), kernc_buffer_size(b->buffer), b->param->element,
                     b->param->element_bytes};
    return o->save ? save(r, o, &v) : show(r, o, &v);
}

int launch_write_outputs(struct run *r)
{
    int worst = EXIT_OK;
    for (uint32_t i = 0; i < r->launch.outputs.count; i++) {
        int code = write_one(r, &r->launch.outputs.at[i]);
        if (!worst)
            worst = code;
    }
    return worst;
}
