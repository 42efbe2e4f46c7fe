/* validate.c: kernc validate: a program as it was, and as a pass of some compiler has left it. The launches of
 * both run under oracle with the same arguments; they have to end well and to leave the same bytes in every
 * buffer. Kernels that write what convergent operations return show so which threads execute each together.
 */
#include "driver/interrupt.h"
#include "driver/launch.h"
#include "lib/result.h"

#include <inttypes.h>
#include <stdio.h>

/* The file compiled, without optimisation unless -O says so, and run. Its execution stays open. */
static int run_side(struct command *c, const char *file, struct run *r)
{
    kernc_options o;
    kernc_result *compiled = NULL;
    struct text text = {0};
    c->file = file;
    c->is_llvm = false;
    c->origin = (struct text){0};
    *r = launch_new(c, true);
    kernc_options_init(&o);
    o.level = 0;
    int code = compile_options(c, &o) ?: launch_read_flags(r);
    o.scheme = scheme_info[SCHEME_REFERENCE].name;
    code = code ?: compile_file(c, &o, &text, &compiled);
    if (!code && launch_has_source(kernc_result_input(compiled)))
        r->source = source_new(&c->arena, input_name(c), compiled->source->text, compiled->source->length);
    code = code ?: launch_open_compiled(r, compiled);
    if (!code) {
        r->x.api.interrupt = interrupt_flag();
        kernc_status status = execution_run(&r->x, NULL);
        if (status == KERNC_NO_MEMORY)
            mem_fail(0);
        code = status == KERNC_OK ? EXIT_OK : launch_stopped(r, status);
    }
    kernc_result_free(compiled);
    text_free(&text);
    return code;
}

static bool same_names(const char *a, const char *b)
{
    return (a == NULL) == (b == NULL) && (!a || strcmp(a, b) == 0);
}

static bool same_buffers(const struct execution_buffer *a, const struct execution_buffer *b)
{
    return same_names(a->name, b->name) && kernc_buffer_size(a->buffer) == kernc_buffer_size(b->buffer);
}

/* Whether both have the same launches on buffers of the same names and sizes. */
static bool same_plan(const struct execution *x, const struct execution *y)
{
    bool same = x->steps.count == y->steps.count && x->named.count == y->named.count;
    for (uint32_t i = 0; same && i < x->named.count; i++)
        same = same_buffers(&x->named.at[i], &y->named.at[i]);
    for (uint32_t s = 0; same && s < x->steps.count; s++) {
        const struct execution_step *a = &x->steps.at[s], *b = &y->steps.at[s];
        same = same_names(a->launch.kernel, b->launch.kernel) && a->buffers.count == b->buffers.count;
        for (uint32_t i = 0; same && i < a->buffers.count; i++)
            same = same_buffers(&a->buffers.at[i], &b->buffers.at[i]);
    }
    return same;
}

static const struct execution_buffer *named_so(const struct execution *y, const char *name)
{
    const struct execution_buffer *b = NULL;
    for (uint32_t s = 0; !b && s < y->steps.count; s++)
        b = execution_buffer(y, y->steps.at[s].kernel ? &y->steps.at[s] : NULL, name);
    return b;
}

/* The element's bits; an element of a structure is shown by its first eight bytes. */
static uint64_t bits_of(const struct execution_buffer *b, size_t element)
{
    uint64_t bits = 0;
    uint32_t n = b->element_bytes < sizeof bits ? b->element_bytes : sizeof bits;
    memcpy(&bits, (const char *)kernc_buffer_map(b->buffer) + element * b->element_bytes, n);
    return bits;
}

static int compare_sides(struct command *c, const char *first, const struct run *a, const struct run *b)
{
    size_t element;
    if (!same_plan(&a->x, &b->x))
        return fail(c, EXIT_INPUT, "validate", NULL, (place){0},
                    "%s has other launches or other buffers than %s", c->other, first);
    const struct execution_buffer *x = execution_difference(&a->x, &b->x, &element);
    if (!x) {
        printf("%s: the same memory\n", execution_name(&a->x));
        return EXIT_OK;
    }
    const struct execution_buffer *y = named_so(&b->x, x->name);
    bool numbers = y && x->element_bytes && x->element_bytes == y->element_bytes;
    const char *values = numbers ? arena_printf(&c->arena, ": 0x%" PRIx64 " in %s, 0x%" PRIx64 " in %s",
                                                bits_of(x, element), first, bits_of(y, element), c->other)
                                 : "";
    return fail(c, EXIT_FOUND, "differs", NULL, (place){0}, "%s[%zu] differs%s", x->name, element, values);
}

int verb_validate(struct command *c)
{
    struct run a = {0}, b = {0};
    const char *first = c->file;
    interrupt_listen(true);
    int code = run_side(c, first, &a) ?: run_side(c, c->other, &b);
    interrupt_listen(false);
    code = code ?: compare_sides(c, first, &a, &b);
    execution_close(&a.x);
    execution_close(&b.x);
    return code;
}
