/* machine.c: see machine.h. */
#include "test/warpcore/machine.h"
#include "runtime/module.h"

#include <setjmp.h>

#include <cmocka.h>

static void keep_output(void *user, const char *bytes, size_t size)
{
    text_add(user, bytes, size);
}

struct machine machine_new(enum wc_mode mode)
{
    struct machine m = {.image = wc_image_new(),
                        .launch.size = sizeof(kernc_launch),
                        .printed = mem_alloc(sizeof(struct text))};
    struct wc_kernel k = {.name = "k",
                          .registers = WC_REGISTERS,
                          .predicates = WC_PREDICATES,
                          .private_bytes = 64,
                          .stack = mode == WC_MODE_ARTICLE ? WC_STACK : WC_LANES - 1};
    m.image->file = "test.s";
    m.image->mode = mode;
    m.image->shared_bytes = 64;
    vec_push(&m.image->arena, &m.image->kernels, k);
    kernc_context_options o = {.size = sizeof o, .output = keep_output, .output_user = m.printed};
    assert_int_equal(kernc_context_create(&o, &m.context), KERNC_OK);
    return m;
}

void machine_free(struct machine *m)
{
    kernc_statistics_free(m->statistics);
    kernc_context_free(m->context);
    wc_image_free(m->image);
    text_free(m->printed);
    mem_free(m->printed);
}

static void add_parameter(struct machine *m, const char *name, bool pointer)
{
    struct wc_kernel *k = &m->image->kernels.at[0];
    struct be_param p = {.name = name,
                         .text = pointer ? "global uint *" : "uint",
                         .type = pointer ? BE_PTR : BE_I32,
                         .element = LAUNCH_UINT,
                         .element_bytes = 4,
                         .pointer = pointer};
    vec_push(&m->image->arena, &k->params, p);
}

uint32_t *machine_buffer(struct machine *m, const char *name, uint32_t words)
{
    kernc_buffer **b = &m->buffers[m->argument_count];
    add_parameter(m, name, true);
    assert_int_equal(kernc_buffer_create(m->context, words * 4, name, b), KERNC_OK);
    m->arguments[m->argument_count++] = kernc_arg_buffer(name, *b);
    return kernc_buffer_map(*b);
}

void machine_number(struct machine *m, const char *name, uint32_t value)
{
    add_parameter(m, name, false);
    m->arguments[m->argument_count++] = kernc_arg_bits(name, value);
}

uint32_t machine_text(struct machine *m, const char *text, const char *operands)
{
    struct wc_text t = {.bytes = text, .length = (uint32_t)strlen(text)};
    for (; *operands; operands++) {
        char letter = *operands;
        uint8_t type = letter == 'l' ? BE_I64 : letter == 'f' ? BE_F32 : letter == 'p' ? BE_PTR : BE_I32;
        vec_push(&m->image->arena, &t.operands, type);
    }
    vec_push(&m->image->arena, &m->image->texts, t);
    return m->image->texts.count - 1;
}

uint32_t machine_put(struct machine *m, struct wc_ins ins)
{
    place at = {.line = 100 + m->image->code.count, .column = 1};
    vec_push(&m->image->arena, &m->image->code, wc_encode(ins));
    vec_push(&m->image->arena, &m->image->places, at);
    return m->image->code.count - 1;
}

static void patch(struct machine *m, uint32_t word, int32_t target, uint32_t reconverge)
{
    struct wc_ins ins;
    assert_true(wc_decode(m->image->code.at[word], &ins));
    ins.imm = target < 0 ? ins.imm : target;
    ins.rpc = reconverge ? (uint16_t)reconverge : ins.rpc;
    m->image->code.at[word] = wc_encode(ins);
}

void machine_target(struct machine *m, uint32_t word)
{
    patch(m, word, (int32_t)m->image->code.count, 0);
}

void machine_reconverge(struct machine *m, uint32_t word)
{
    patch(m, word, -1, m->image->code.count);
}

void machine_constant(struct machine *m, uint8_t d, uint32_t value)
{
    put(m, WC_lui, .d = d, .imm = (int32_t)(value >> 10));
    put(m, WC_or_I_imm, .d = d, .a = d, .imm = (int32_t)(value & 0x3ff));
}

void machine_element(struct machine *m, uint8_t d, uint8_t base, uint8_t index)
{
    enum { SCRATCH = 29 };
    put(m, WC_shl_I_imm, .d = SCRATCH, .a = index, .imm = 2);
    put(m, WC_add_I, .d = d, .a = SCRATCH, .b = base);
}

kernc_status machine_run(struct machine *m, uint32_t blocks, uint32_t threads)
{
    kernc_kernel *kernel;
    kernc_status status = KERNC_OK;
    if (m->image) {
        status = rt_module_adopt_image(m->context, m->image, &m->module);
        m->image = NULL;
    }
    if (status != KERNC_OK)
        return status;
    assert_int_equal(kernc_module_kernel(m->module, NULL, &kernel), KERNC_OK);
    m->launch.grid[0] = blocks;
    m->launch.block[0] = threads;
    m->launch.args = m->arguments;
    m->launch.arg_count = m->argument_count;
    kernc_statistics_free(m->statistics);
    return kernc_run(kernel, &m->launch, &m->statistics);
}
