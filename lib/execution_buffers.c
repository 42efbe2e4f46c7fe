/* execution_buffers.c: the buffers and numbers that the steps of an execution get. */
#include "backend/format/bytecode/program.h"
#include "backend/format/warpcore/image.h"
#include "launch/scan.h"
#include "lib/execution.h"
#include "runtime/module.h"

#include <stdlib.h>

/* What a value is for, in messages. */
struct wanted {
    const char *name, *type;
    enum launch_element element;
    uint32_t element_bytes, line;
    const char *layout;
    bool is_named;
};

static bool bad_value(struct execution *x, struct wanted w, const struct launch_value *v, const char *text)
{
    kernc_status status = text == launch_too_large ? KERNC_LIMIT : KERNC_INVALID;
    x->problem = (struct execution_problem){status, text, true, w.name, w.type, v, w.line, w.is_named};
    return false;
}

/* Fills the buffer with what the value makes; one that is NULL is created. */
static bool fill_buffer(struct execution *x, struct wanted w, const struct launch_value *v,
                        kernc_buffer **buffer)
{
    void *bytes = NULL;
    size_t n = 0;
    const char *problem =
        launch_make_buffer(x->arena, v, w.element, w.element_bytes, w.layout, x->max_memory, &bytes, &n);
    kernc_status status = KERNC_OK;
    if (problem)
        return bad_value(x, w, v, problem);
    if (!*buffer)
        status = kernc_buffer_create(x->context, n, w.name, buffer);
    if (status == KERNC_OK)
        status = kernc_buffer_write(*buffer, 0, bytes, n);
    mem_free(bytes);
    return status == KERNC_OK || execution_api_failed(x, status);
}

/* ---- named buffers ----------------------------------------------------------------------------------- */

static const struct execution_buffer *find_named(const struct execution *x, const char *name)
{
    for (uint32_t i = 0; i < x->named.count; i++)
        if (strcmp(x->named.at[i].name, name) == 0)
            return &x->named.at[i];
    return NULL;
}

static const struct launch *find_directive(const struct execution *x, const char *name)
{
    const struct bc_program *p = rt_module_program(x->module);
    const struct wc_image *m = rt_module_image(x->module);
    const struct launch *at = p ? p->launches.at : m->launches.at;
    for (uint32_t n = p ? p->launches.count : m->launches.count; n > 0; n--, at++)
        if (at->step == LAUNCH_BUFFER && strcmp(at->name, name) == 0)
            return at;
    return NULL;
}

/* What the caller gives instead: to the buffer's name, or to a parameter of the launch that is meant, if it is
 * given the buffer. */
static const struct launch_value *own_value(const struct execution *x, const char *name)
{
    const struct launch_argument *own = execution_argument(&x->choice.launch, name);
    const struct execution_step *meant = execution_meant(x);
    const struct launch *only = meant ? meant->directive : NULL;
    for (uint32_t i = 0; only && i < only->arguments.count; i++) {
        const struct launch_argument *a = &only->arguments.at[i];
        if (a->value.kind == LAUNCH_NAMED && strcmp(a->value.text, name) == 0 &&
            execution_argument(&x->choice.launch, a->name))
            own = execution_argument(&x->choice.launch, a->name);
    }
    return own ? &own->value : NULL;
}

/* Makes it if it has not been. */
static const struct execution_buffer *need_named(struct execution *x, const char *name)
{
    const struct execution_buffer *known = find_named(x, name);
    const struct launch *d = known ? NULL : find_directive(x, name);
    if (!known && !d)
        execution_bad_launch(x, "there is no buffer '%s'", name);
    if (!d)
        return known;
    const struct launch_value *own = own_value(x, name);
    struct execution_buffer b = {.name = d->name, .element = d->element, .element_bytes = d->element_bytes};
    const char *type = launch_element_name(d->element);
    b.layout = d->layout;
    struct launch_value *directives = arena_new(x->arena, struct launch_value);
    *directives = execution_directive_value(x, &d->arguments.at[0].value);
    b.value = own ? own : directives;
    struct wanted w = {d->name, type, d->element, d->element_bytes, d->line, d->layout, true};
    if (!fill_buffer(x, w, b.value, &b.buffer))
        return NULL;
    vec_push(x->arena, &x->named, b);
    return &vec_last(&x->named);
}

/* ---- arguments --------------------------------------------------------------------------------------- */

static void add_buffer(struct execution *x, struct execution_step *s, const struct be_param *p,
                       struct execution_buffer b)
{
    b.name = p->name;
    b.param = p;
    b.layout = p->layout;
    vec_push(x->arena, &s->buffers, b);
    vec_push(x->arena, &s->arguments, kernc_arg_buffer(p->name, b.buffer));
}

static struct wanted wanted_by(const struct execution_step *s, const struct be_param *p)
{
    return (struct wanted){.name = p->name,
                           .type = p->text,
                           .element = (enum launch_element)p->element,
                           .element_bytes = p->element_bytes,
                           .layout = p->layout,
                           .line = s->directive ? s->directive->line : 0};
}

static bool make_buffer(struct execution *x, struct execution_step *s, const struct be_param *p,
                        const struct launch_value *v)
{
    struct execution_buffer b = {
        .element = (enum launch_element)p->element, .element_bytes = p->element_bytes, .value = v};
    if (v->kind != LAUNCH_NAMED) {
        bool made = fill_buffer(x, wanted_by(s, p), v, &b.buffer);
        if (made)
            add_buffer(x, s, p, b);
        return made;
    }
    const struct execution_buffer *n = need_named(x, v->text);
    if (!n)
        return false;
    if (n->element != b.element || n->element_bytes != b.element_bytes)
        return bad_value(x, wanted_by(s, p), v,
                         arena_printf(x->arena, "the elements of buffer %s are %s of %u bytes", n->name,
                                      launch_element_name(n->element), n->element_bytes));
    b.buffer = n->buffer;
    add_buffer(x, s, p, b);
    return true;
}

/* In the round at hand. */
static bool make_number(struct execution *x, const struct execution_step *s, const struct be_param *p,
                        const struct launch_value *v, kernc_argument *argument)
{
    uint64_t bits = 0;
    const char *problem = launch_make_scalar(v, (enum launch_element)p->element, x->position.round, &bits);
    if (problem && x->position.round)
        problem = arena_printf(x->arena, "%s in round %llu: %s", v->text,
                               (unsigned long long)x->position.round, problem);
    *argument = kernc_arg_bits(p->name, bits);
    return !problem || bad_value(x, wanted_by(s, p), v, problem);
}

/* Whether `at` in the text is behind this kernel's name, and maybe a template's arguments. */
static bool is_behind_name(const char *text, const char *at, const char *kernel)
{
    size_t n = strcspn(kernel, "<");
    int open = 0;
    while (at > text && at[-1] == ' ')
        at--;
    if (at > text && at[-1] == '>')
        do {
            at--;
            open += (*at == '>') - (*at == '<');
        } while (open && at > text);
    size_t before = (size_t)(at - text);
    return before >= n && memcmp(at - n, kernel, n) == 0 &&
           (before == n || !scan_is_word(at[-1 - (ptrdiff_t)n]));
}

/* The number that stands alone between `at` and one of the ends; else `other`. */
static unsigned long number_before(const char *at, const char *ends, unsigned long other)
{
    char *end;
    unsigned long n = strtoul(at, &end, 10);
    end += strspn(end, " ");
    return n && n <= UINT32_MAX && *end && strchr(ends, *end) ? n : other;
}

/* grid(…) block(…) as in the host's kernel<<<grid, block>>>(…), where they are numbers. */
static void add_sizes(struct text *line, const char *foreign, const char *kernel)
{
    unsigned long grid = 8, block = 128;
    const char *at = foreign ? strstr(foreign, "<<<") : NULL;
    while (at && !is_behind_name(foreign, at, kernel))
        at = strstr(at + 3, "<<<");
    const char *comma = at ? strchr(at, ',') : NULL;
    if (comma) {
        grid = number_before(at + 3, ",", grid);
        block = number_before(comma + 1, ",>", block);
    }
    text_printf(line, ") grid(%lu) block(%lu)", grid, block);
}

/* shared(…): elements of the arrays of which a launch says how many they have. */
static void add_shared(struct text *line, const kernc_kernel *kernel)
{
    const char *name;
    for (uint32_t i = 0; kernc_kernel_shared_array(kernel, i, &name); i++)
        text_addz(line, i ? ", 64" : " shared(64");
    if (kernc_kernel_shared_array(kernel, 0, &name))
        text_addz(line, ")");
}

/* The first buffer that the kernel may write, or the first. */
static const char *shown_buffer(const struct execution_step *s)
{
    const char *first = NULL;
    for (uint32_t i = 0; i < s->param_count; i++) {
        if (s->params[i].pointer && !strstr(s->params[i].text, "const"))
            return s->params[i].name;
        if (s->params[i].pointer && !first)
            first = s->params[i].name;
    }
    return first;
}

/* The launch directive that the file could have. */
static const char *launch_line(struct execution *x, const struct execution_step *s)
{
    struct text line = {.arena = x->arena};
    text_printf(&line, "%slaunch %s(", x->foreign ? "// kern: " : "", kernc_kernel_name(s->kernel));
    for (uint32_t i = 0; i < s->param_count; i++)
        text_printf(&line, "%s%s = %s", i ? ", " : "", s->params[i].name,
                    s->params[i].pointer ? "zeros(1024)" : "16");
    add_sizes(&line, x->foreign, kernc_kernel_name(s->kernel));
    add_shared(&line, s->kernel);
    if (shown_buffer(s))
        text_printf(&line, " show(%s[0..8])", shown_buffer(s));
    text_addz(&line, x->foreign ? "" : ";");
    return line.at;
}

static bool make_argument(struct execution *x, struct execution_step *s, const struct be_param *p)
{
    const struct launch_argument *a = execution_argument(&s->launch, p->name);
    if (!a)
        return execution_bad_launch(x, "no value for argument %s (%s): --arg %s=%s, or in the file: %s",
                                    p->name, p->text, p->name, p->pointer ? "zeros(…)" : "…",
                                    launch_line(x, s));
    kernc_argument number = kernc_arg_bits(p->name, 0);
    if (p->pointer && a->value.kind != LAUNCH_NULL)
        return make_buffer(x, s, p, &a->value);
    if (!p->pointer && !make_number(x, s, p, &a->value, &number))
        return false;
    vec_push(x->arena, &s->arguments, number);
    return true;
}

/* Named buffers that only outputs and repeats use. */
static bool make_others(struct execution *x, struct execution_step *s)
{
    if (s->directive && s->directive->step == LAUNCH_REPEAT && s->directive->name &&
        !need_named(x, s->directive->name))
        return false;
    for (uint32_t i = 0; i < s->launch.outputs.count; i++) {
        const char *name = s->launch.outputs.at[i].name;
        if (!execution_buffer(x, s, name) && find_directive(x, name) && !need_named(x, name))
            return false;
    }
    return true;
}

bool execution_make(struct execution *x)
{
    for (uint32_t k = 0; k < x->steps.count; k++) {
        struct execution_step *s = &x->steps.at[k];
        for (uint32_t i = 0; i < s->param_count; i++)
            if (!make_argument(x, s, &s->params[i]))
                return false;
        if (!make_others(x, s))
            return false;
    }
    return true;
}

bool execution_remake(struct execution *x, struct execution_step *s)
{
    for (uint32_t i = 0; s->runs && i < s->buffers.count; i++) {
        struct execution_buffer *b = &s->buffers.at[i];
        if (b->value->kind != LAUNCH_NAMED && !fill_buffer(x, wanted_by(s, b->param), b->value, &b->buffer))
            return false;
    }
    for (uint32_t i = 0; i < s->param_count; i++) {
        const struct launch_argument *a = execution_argument(&s->launch, s->params[i].name);
        if (a && a->value.kind == LAUNCH_ROUND &&
            !make_number(x, s, &s->params[i], &a->value, &s->arguments.at[i]))
            return false;
    }
    return true;
}

const struct execution_buffer *execution_buffer(const struct execution *x, const struct execution_step *step,
                                                const char *name)
{
    for (uint32_t i = 0; step && i < step->buffers.count; i++)
        if (strcmp(step->buffers.at[i].name, name) == 0)
            return &step->buffers.at[i];
    return find_named(x, name);
}
