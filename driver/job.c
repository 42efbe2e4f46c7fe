/* job.c: kernc run --job=FILE: all that another machine needs to make the same launch of a warp-core program,
 * as JSON: code, constant data, arguments, buffers before the launch, and after it what they must hold; of a
 * launch that did not come to its end also why and where it stopped.
 * docs/isa.md describes the members; replay.c reads them.
 */
#include "backend/format/warpcore/asm.h"
#include "driver/launch.h"
#include "runtime/context.h"
#include "runtime/warpcore/simulator.h"

static bool is_asked(const struct run *r)
{
    return option_given(r->command, OPTION_JOB);
}

int job_check(struct run *r)
{
    const char *why = !r->x.module->image ? "a program for the warp-core machine (--target=warp-core)"
                      : execution_is_sequence(&r->x) ? "one launch: --launch=NAME chooses"
                                                     : NULL;
    return why && is_asked(r) ? complain(r->command, EXIT_USAGE, "--job wants %s", why) : EXIT_OK;
}

/* ---- values -------------------------------------------------------------------------------------------- */

static void add_string(struct text *t, const char *name)
{
    text_json(t, name, strlen(name));
}

static void add_words(struct text *t, const char *name, const uint32_t *words, uint32_t n)
{
    text_printf(t, ",\n  \"%s\": [", name);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "%s%s\"%08x\"", i ? "," : "", i % 8 ? " " : "\n    ", words[i]);
    text_addz(t, n ? "\n  ]" : "]");
}

/* Two digits a byte, by address; zeros at the end are left out. */
static void add_bytes(struct text *t, const uint8_t *bytes, uint64_t n)
{
    while (n && bytes[n - 1] == 0)
        n--;
    text_char(t, '"');
    for (uint64_t i = 0; i < n; i++)
        text_printf(t, "%02x", bytes[i]);
    text_char(t, '"');
}

static void add_sizes(struct text *t, const char *name, const uint32_t sizes[3])
{
    text_printf(t, ",\n  \"%s\": [%u, %u, %u]", name, sizes[0] ? sizes[0] : 1, sizes[1] ? sizes[1] : 1,
                sizes[2] ? sizes[2] : 1);
}

/* ---- the launch ---------------------------------------------------------------------------------------- */

/* Of a block, with the arrays that the launch sizes; if the launch will be refused, there is no job. */
static struct rt_shared shared_of(const struct run *r)
{
    struct rt_shared shared = {0};
    kernc_launch l = {.size = sizeof l};
    execution_shared(r->x.first->launch.shared, &l);
    rt_read_shared(r->x.first->kernel, &l, &shared);
    return shared;
}

static void add_kernel(struct text *t, const struct run *r)
{
    const struct wc_image *m = r->x.module->image;
    const struct wc_kernel *k = r->x.first->kernel->entry;
    text_addz(t, "{\n  \"kernel\": ");
    add_string(t, k->name);
    text_printf(t, ",\n  \"mode\": \"%s\",\n  \"entry\": %u,\n  \"stack\": %u", wc_mode_info[m->mode].name,
                k->entry, k->stack);
    text_printf(t, ",\n  \"registers\": %u,\n  \"predicates\": %u", k->registers, k->predicates);
    text_printf(t, ",\n  \"barrier\": %s", k->has_barrier ? "true" : "false");
    text_printf(t, ",\n  \"private_bytes\": %u,\n  \"shared_bytes\": %u", k->private_bytes,
                shared_of(r).bytes);
    add_sizes(t, "grid", r->x.first->launch.grid);
    add_sizes(t, "block", r->x.first->launch.block);
    add_words(t, "words", m->code.at, m->code.count);
}

/* The launch checks them again; if it refuses them, there is no job. */
static void add_arguments(struct text *t, const struct run *r)
{
    uint32_t words[WC_ARGUMENT_WORDS];
    const struct execution_step *s = r->x.first;
    uint64_t *bits = arena_array(&r->command->arena, uint64_t, s->param_count + 1);
    bool *given = arena_array(&r->command->arena, bool, s->param_count + 1);
    kernc_launch api = r->x.api;
    api.args = s->arguments.at;
    api.arg_count = s->arguments.count;
    if (rt_read_arguments(s->kernel, &api, bits, given) != KERNC_OK)
        return;
    struct rt_shared shared = shared_of(r);
    add_words(t, "arguments", words, rt_argument_words(s->kernel, bits, &shared, words));
}

static void add_data(struct text *t, const struct run *r)
{
    const struct wc_image *m = r->x.module->image;
    text_printf(t, ",\n  \"data\": {\"address\": %u, \"size\": %u, \"bytes\": ", r->x.module->data.address,
                m->data_bytes);
    add_bytes(t, m->data, m->data_bytes);
    text_char(t, '}');
}

static void add_texts(struct text *t, const struct wc_image *m)
{
    text_addz(t, ",\n  \"texts\": [");
    for (uint32_t i = 0; i < m->texts.count; i++) {
        const struct wc_text *at = &m->texts.at[i];
        text_addz(t, i ? ",\n    {\"text\": " : "\n    {\"text\": ");
        text_json(t, at->bytes, at->length);
        text_addz(t, ", \"operands\": [");
        for (uint32_t n = 0; n < at->operands.count; n++)
            text_printf(t, "%s\"%s\"", n ? ", " : "", wc_value_names[at->operands.at[n]]);
        text_addz(t, "]}");
    }
    text_addz(t, m->texts.count ? "\n  ]" : "]");
}

/* The argument word that holds the parameter. */
static uint32_t word_of(const struct run *r, const struct be_param *param)
{
    uint32_t n = 0;
    for (const struct be_param *p = r->x.first->params; p < param; p++)
        n += p->type == BE_I64 ? 2 : 1;
    return n;
}

static void add_buffers(struct text *t, const struct run *r, const char *when)
{
    text_printf(t, ",\n  \"%s\": [", when);
    for (uint32_t i = 0; i < r->x.first->buffers.count; i++) {
        kernc_buffer *b = r->x.first->buffers.at[i].buffer;
        const struct be_param *p = r->x.first->buffers.at[i].param;
        text_addz(t, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        add_string(t, p->name);
        text_printf(t, ", \"element\": \"%s\", \"element_bytes\": %u, \"word\": %u",
                    p->element ? launch_element_name(p->element) : "", p->element_bytes, word_of(r, p));
        text_printf(t, ", \"address\": %u, \"size\": %llu, \"bytes\": ", kernc_buffer_address(b),
                    (unsigned long long)kernc_buffer_size(b));
        add_bytes(t, kernc_buffer_map(b), kernc_buffer_size(b));
        text_char(t, '}');
    }
    text_addz(t, r->x.first->buffers.count ? "\n  ]" : "]");
}

void job_begin(struct run *r)
{
    if (!is_asked(r))
        return;
    add_kernel(&r->job, r);
    add_arguments(&r->job, r);
    add_data(&r->job, r);
    add_texts(&r->job, r->x.module->image);
    add_buffers(&r->job, r, "before");
}

/* The fuel is what the launch had, if --fuel says. */
static void add_stop(struct text *t, const struct run *r, kernc_status status, const kernc_trap *at)
{
    text_printf(t, ",\n  \"stopped\": {\"status\": \"%s\", \"text\": ", kernc_status_name(status));
    add_string(t, at->text);
    text_printf(t, ", \"block\": [%u, %u, %u], \"thread\": [%u, %u, %u], \"line\": %u, \"fuel\": %llu}",
                at->block[0], at->block[1], at->block[2], at->thread[0], at->thread[1], at->thread[2],
                at->line, (unsigned long long)r->x.api.fuel);
}

int job_end(struct run *r, kernc_status status)
{
    int code = EXIT_OK;
    const kernc_trap *stop = status == KERNC_OK ? NULL : kernc_last_trap(r->x.context);
    if (is_asked(r) && (status == KERNC_OK || stop)) {
        add_buffers(&r->job, r, "after");
        if (stop)
            add_stop(&r->job, r, status, stop);
        text_addz(&r->job, "\n}\n");
        code = write_output(r->command, option_value(r->command, OPTION_JOB), r->job.at, r->job.length);
    }
    text_free(&r->job);
    return code;
}
