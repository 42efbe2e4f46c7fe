/* experiment.c: see experiment.h. */
#include "lib/experiment.h"
#include "backend/format/bytecode/program.h"
#include "backend/format/warpcore/image.h"
#include "runtime/module.h"

/* ---- problems ---------------------------------------------------------------------------------------- */

static bool api_failed(struct experiment *x, kernc_status status)
{
    const char *text = kernc_error_text(x->context);
    x->problem = (struct experiment_problem){.status = status,
                                             .text = arena_strdup(x->arena, text, strlen(text)),
                                             .of_launch = x->kernel != NULL};
    return false;
}

__attribute__((format(printf, 2, 3)))
static bool bad_launch(struct experiment *x, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    x->problem.status = KERNC_INVALID;
    x->problem.text = arena_vprintf(x->arena, fmt, args);
    x->problem.of_launch = true;
    va_end(args);
    return false;
}

static bool bad_value(struct experiment *x, const struct be_param *p, const struct launch_value *v,
                      const char *text)
{
    kernc_status status = text == launch_too_large ? KERNC_LIMIT : KERNC_INVALID;
    x->problem = (struct experiment_problem){status, text, true, p, v};
    return false;
}

/* "a, b, c" */
struct names { struct text text; };

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

/* ---- the program ------------------------------------------------------------------------------------- */

static void drop_output(void *user, const char *bytes, size_t n)
{
}

static bool load(struct experiment *x, const void *program, size_t n)
{
    kernc_context_options o = {
        .size = sizeof o, .max_memory = x->max_memory, .output = x->print ? x->print : drop_output};
    kernc_status status = kernc_context_create(&o, &x->context);
    for (uint32_t i = 0; status == KERNC_OK && i < x->libraries.count; i++)
        status = kernc_load_library(x->context, x->libraries.at[i]);
    if (status == KERNC_OK)
        status = kernc_module_load(x->context, program, n, &x->module);
    return status == KERNC_OK || api_failed(x, status);
}

/* ---- which kernel ------------------------------------------------------------------------------------ */

static const char *kernel_names(struct experiment *x)
{
    struct names names = {0};
    for (uint32_t i = 0; i < kernc_module_kernel_count(x->module) && i < 20; i++)
        add_name(&names, kernc_kernel_name(kernc_module_kernel_at(x->module, i)));
    return take_names(x->arena, &names);
}

/* The first directive for this kernel; `name` NULL: the first of all. */
static const struct launch *find_directive(const struct experiment *x, const char *name)
{
    const struct bc_program *p = rt_module_program(x->module);
    const struct wc_image   *m = rt_module_image(x->module);
    const struct launch     *at = p ? p->launches.at : m->launches.at;
    for (uint32_t n = p ? p->launches.count : m->launches.count; n > 0; n--, at++)
        if (!name || strcmp(at->kernel, name) == 0)
            return at;
    return NULL;
}

uint32_t experiment_directives(const struct experiment *x)
{
    const struct bc_program *p = rt_module_program(x->module);
    return p ? p->launches.count : rt_module_image(x->module)->launches.count;
}

static void find_parameters(struct experiment *x)
{
    const struct bc_program *p = rt_module_program(x->module);
    const struct wc_image   *m = rt_module_image(x->module);
    for (uint32_t i = 0; i < kernc_module_kernel_count(x->module); i++)
        if (kernc_module_kernel_at(x->module, i) == x->kernel)
            x->params = p ? p->kernels.at[i].params.at : m->kernels.at[i].params.at;
    x->param_count = kernc_kernel_parameter_count(x->kernel);
}

static bool choose_kernel(struct experiment *x)
{
    const char *name = x->kernel_name;
    uint32_t    count = kernc_module_kernel_count(x->module);
    x->directive = find_directive(x, name);
    if (!name && x->directive)
        name = x->directive->kernel;
    if (!name && count == 1)
        name = kernc_kernel_name(kernc_module_kernel_at(x->module, 0));
    if (!name && count == 0)
        return bad_launch(x, "%s has no kernel to run", x->input);
    if (!name)
        return bad_launch(x, "which kernel? --kernel= one of: %s", kernel_names(x));
    if (kernc_module_kernel(x->module, name, &x->kernel) != KERNC_OK)
        return bad_launch(x, "there is no kernel '%s'; there are: %s", name, kernel_names(x));
    find_parameters(x);
    x->launch.kernel = name;
    if (!x->directive)
        x->directive = find_directive(x, name);
    if (!x->api.warp)
        x->api.warp = rt_module_image(x->module) ? WC_LANES : 32;
    return true;
}

/* ---- the directive under what the caller wants ------------------------------------------------------- */

const struct be_param *experiment_parameter(const struct experiment *x, const char *name)
{
    for (uint32_t i = 0; i < x->param_count; i++)
        if (strcmp(x->params[i].name, name) == 0)
            return &x->params[i];
    return NULL;
}

const struct launch_argument *experiment_argument(const struct experiment *x, const char *name)
{
    for (uint32_t i = 0; i < x->launch.arguments.count; i++)
        if (strcmp(x->launch.arguments.at[i].name, name) == 0)
            return &x->launch.arguments.at[i];
    return NULL;
}

const struct experiment_buffer *experiment_buffer(const struct experiment *x, const char *name)
{
    for (uint32_t i = 0; i < x->buffers.count; i++)
        if (strcmp(x->buffers.at[i].param->name, name) == 0)
            return &x->buffers.at[i];
    return NULL;
}

static bool check_parameter(struct experiment *x, const char *name)
{
    struct names names = {0};
    if (experiment_parameter(x, name))
        return true;
    for (uint32_t i = 0; i < x->param_count; i++)
        add_name(&names, x->params[i].name);
    return bad_launch(x, "kernel %s has no parameter '%s'; it has: %s", x->launch.kernel, name,
                      take_names(x->arena, &names));
}

static bool check_output(struct experiment *x, const struct launch_output *o)
{
    if (!check_parameter(x, o->name))
        return false;
    const struct be_param *p = experiment_parameter(x, o->name);
    if (!p->pointer)
        return bad_launch(x, "--%s %s: %s is %s, not a buffer", o->save ? "save" : "show", o->name, o->name,
                          p->text);
    if (o->save && launch_encoding_of(o->file) == LAUNCH_NO_ENCODING)
        return bad_launch(x, "--save %s=%s: %s", o->name, o->file, launch_unknown_ending);
    return true;
}

/* All that the caller named. */
static bool check_names(struct experiment *x)
{
    for (uint32_t i = 0; i < x->launch.arguments.count; i++)
        if (!check_parameter(x, x->launch.arguments.at[i].name))
            return false;
    for (uint32_t i = 0; i < x->launch.outputs.count; i++)
        if (!check_output(x, &x->launch.outputs.at[i]))
            return false;
    return true;
}

/* The directive's outputs come first. */
static void merge_outputs(struct experiment *x, const struct launch *d)
{
    struct launch all = {0};
    for (uint32_t i = 0; i < d->outputs.count; i++)
        vec_push(x->arena, &all.outputs, d->outputs.at[i]);
    for (uint32_t i = 0; i < x->launch.outputs.count; i++)
        vec_push(x->arena, &all.outputs, x->launch.outputs.at[i]);
    memcpy(&x->launch.outputs, &all.outputs, sizeof all.outputs);
}

static void take_directive(struct experiment *x, const struct launch *d)
{
    for (uint32_t i = 0; i < d->arguments.count; i++)
        if (!experiment_argument(x, d->arguments.at[i].name))
            vec_push(x->arena, &x->launch.arguments, d->arguments.at[i]);
    if (!x->own_outputs)
        merge_outputs(x, d);
    if (!x->launch.grid[0])
        memcpy(x->launch.grid, d->grid, sizeof d->grid);
    if (!x->launch.block[0])
        memcpy(x->launch.block, d->block, sizeof d->block);
}

static bool merge_launch(struct experiment *x)
{
    if (!check_names(x))
        return false;
    if (x->directive)
        take_directive(x, x->directive);
    memcpy(x->api.grid, x->launch.grid, sizeof x->api.grid);
    memcpy(x->api.block, x->launch.block, sizeof x->api.block);
    return true;
}

/* ---- arguments --------------------------------------------------------------------------------------- */

static bool make_buffer(struct experiment *x, const struct be_param *p, const struct launch_value *v)
{
    void         *bytes = NULL;
    size_t        n = 0;
    kernc_buffer *buffer;
    const char   *problem = launch_make_buffer(x->arena, v, (enum launch_element)p->element, p->element_bytes,
                                               x->max_memory, &bytes, &n);
    if (problem)
        return bad_value(x, p, v, problem);
    kernc_status status = kernc_buffer_create(x->context, n, p->name, &buffer);
    if (status == KERNC_OK)
        status = kernc_buffer_write(buffer, 0, bytes, n);
    mem_free(bytes);
    if (status != KERNC_OK)
        return api_failed(x, status);
    vec_push(x->arena, &x->buffers, ((struct experiment_buffer){p, buffer}));
    vec_push(x->arena, &x->arguments, kernc_arg_buffer(p->name, buffer));
    return true;
}

static bool make_number(struct experiment *x, const struct be_param *p, const struct launch_value *v)
{
    uint64_t    bits;
    const char *problem = launch_make_scalar(v, (enum launch_element)p->element, &bits);
    if (problem)
        return bad_value(x, p, v, problem);
    vec_push(x->arena, &x->arguments, kernc_arg_bits(p->name, bits));
    return true;
}

/* The launch directive that the file could have. */
static const char *launch_line(struct experiment *x)
{
    struct text line = {.arena = x->arena};
    text_printf(&line, "launch %s(", kernc_kernel_name(x->kernel));
    for (uint32_t i = 0; i < x->param_count; i++)
        text_printf(&line, "%s%s = %s", i ? ", " : "", x->params[i].name,
                    x->params[i].pointer ? "zeros(1024)" : "0");
    text_addz(&line, ") grid(8) block(128)");
    for (uint32_t i = 0, shown = 0; i < x->param_count && !shown; i++)
        if ((shown = x->params[i].pointer))
            text_printf(&line, " show(%s[0..8])", x->params[i].name);
    text_addz(&line, ";");
    return line.at;
}

static bool make_argument(struct experiment *x, const struct be_param *p)
{
    const struct launch_argument *a = experiment_argument(x, p->name);
    if (!a)
        return bad_launch(x, "no value for argument %s (%s): --arg %s=%s, or in the file: %s", p->name, p->text,
                          p->name, p->pointer ? "zeros(…)" : "…", launch_line(x));
    return p->pointer ? make_buffer(x, p, &a->value) : make_number(x, p, &a->value);
}

bool experiment_open(struct experiment *x, const void *program, size_t n)
{
    bool good = load(x, program, n) && choose_kernel(x) && merge_launch(x);
    for (uint32_t i = 0; good && i < x->param_count; i++)
        good = make_argument(x, &x->params[i]);
    x->api.args = x->arguments.at;
    x->api.arg_count = x->arguments.count;
    return good;
}

/* ---- launched, measured, compared -------------------------------------------------------------------- */

kernc_status experiment_run(struct experiment *x, kernc_statistics **statistics)
{
    x->api.flags = statistics ? KERNC_STATISTICS : 0;
    return kernc_run(x->kernel, &x->api, statistics);
}

void experiment_close(struct experiment *x)
{
    kernc_context_free(x->context);
    x->context = NULL;
}

const struct be_param *experiment_difference(const struct experiment *x, const struct experiment *y,
                                             size_t *element)
{
    for (uint32_t i = 0; i < x->buffers.count; i++) {
        const struct be_param *p = x->buffers.at[i].param;
        const uint8_t *a = kernc_buffer_map(x->buffers.at[i].buffer);
        const uint8_t *b = kernc_buffer_map(y->buffers.at[i].buffer);
        size_t n = kernc_buffer_size(x->buffers.at[i].buffer), at = 0;
        while (at < n && a[at] == b[at])
            at++;
        *element = at / (p->element_bytes ? p->element_bytes : 1);
        if (at < n)
            return p;
    }
    return NULL;
}
