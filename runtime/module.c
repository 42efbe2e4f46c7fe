/* module.c: loads compiled programs: checks them, places their constant data, finds their kernels. */
#include "runtime/context.h"

#include <stdlib.h>

/* Writes the constant data into global memory; kernels may not store to it. */
static kernc_status place_data(kernc_module *m)
{
    const struct bc_program *p = m->program;
    if (p->data_bytes == 0)
        return KERNC_OK;
    kernc_context *c = m->context;
    m->data.constant = true;
    m->data.name = p->file;
    kernc_status status = rt_region_status(c, rt_region_open(&c->memory, &m->data, p->data_bytes),
                                           "constant data", p->data_bytes);
    if (status == KERNC_OK)
        memcpy(c->memory.base + m->data.address, p->data, p->data_bytes);
    return status;
}

static bool has_op(const struct bc_program *p, enum bc_op op)
{
    for (uint32_t i = 0; i < p->code.count; i++) {
        if (p->code.at[i].op == op)
            return true;
        i += bc_has_branch_word((enum bc_op)p->code.at[i].op);
    }
    return false;
}

static void list_kernels(kernc_module *m)
{
    uint32_t count = m->program->kernels.count;
    m->kernels = arena_array(&m->arena, kernc_kernel, count);
    for (uint32_t i = 0; i < count; i++)
        m->kernels[i] = (kernc_kernel){.module = m, .code = &m->program->kernels.at[i]};
}

static kernc_status set_up(kernc_module *m)
{
    char why[256];
    kernc_context *c = m->context;
    const char *bad = bc_verify(m->program, why, sizeof why);
    if (bad)
        return rt_fail(c, KERNC_BAD_PROGRAM, "program refused: %s", bad);
    m->reads_clock = has_op(m->program, BC_clock);
    list_kernels(m);
    return place_data(m);
}

/* `program` is freed with the module, at once if this fails. */
static kernc_status make_module(kernc_context *c, struct bc_program *program, kernc_module **module)
{
    kernc_module *m = mem_alloc(sizeof *m);
    arena_init(&m->arena);
    m->context = c;
    m->program = program;
    m->link = &c->modules;
    m->next = c->modules;
    if (m->next)
        m->next->link = &m->next;
    c->modules = m;
    struct mem_guard guard;
    kernc_status status;
    if (mem_guard_enter(&guard))
        status = rt_fail_memory(c);
    else
        status = set_up(m);
    mem_guard_leave(&guard);
    if (status != KERNC_OK)
        kernc_module_free(m);
    else
        *module = m;
    return status;
}

kernc_status kernc_module_adopt(kernc_context *c, struct bc_program *program, kernc_module **module)
{
    if (module)
        *module = NULL;
    struct mem_guard guard;
    if (!c || !program || !module) {
        bc_program_free(program);
        return KERNC_INVALID;
    }
    if (mem_guard_enter(&guard)) {
        bc_program_free(program);
        return rt_fail_memory(c);
    }
    kernc_status status = make_module(c, program, module);
    mem_guard_leave(&guard);
    return status;
}

kernc_status kernc_module_load(kernc_context *c, const void *bytes, size_t size, kernc_module **module)
{
    if (module)
        *module = NULL;
    if (!c || !module || !bytes)
        return KERNC_INVALID;
    struct mem_guard guard;
    if (mem_guard_enter(&guard))
        return rt_fail_memory(c);
    const char *why = NULL;
    struct bc_program *program = bc_read(bytes, size, &why);
    mem_guard_leave(&guard);
    if (!program)
        return rt_fail(c, KERNC_BAD_PROGRAM, "not a program: %s", why);
    return kernc_module_adopt(c, program, module);
}

const struct bc_program *kernc_module_program(const kernc_module *module)
{
    return module ? module->program : NULL;
}

void kernc_module_free(kernc_module *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; m->kernels && i < m->program->kernels.count; i++)
        kernc_statistics_free(m->kernels[i].total);
    if (m->data.link)
        rt_region_close(&m->context->memory, &m->data);
    *m->link = m->next;
    if (m->next)
        m->next->link = m->link;
    bc_program_free(m->program);
    arena_free(&m->arena);
    mem_free(m);
}

/* ---- kernels ----------------------------------------------------------------------------------------- */

uint32_t kernc_module_kernel_count(const kernc_module *module)
{
    return module ? module->program->kernels.count : 0;
}

kernc_kernel *kernc_module_kernel_at(kernc_module *module, uint32_t index)
{
    return module && index < module->program->kernels.count ? &module->kernels[index] : NULL;
}

kernc_status kernc_module_kernel(kernc_module *module, const char *name, kernc_kernel **kernel)
{
    if (!module || !kernel)
        return KERNC_INVALID;
    *kernel = NULL;
    uint32_t count = module->program->kernels.count;
    if (!name && count != 1)
        return rt_fail(module->context, KERNC_NOT_FOUND, "the program has %u kernels: name one", count);
    for (uint32_t i = 0; i < count && !*kernel; i++)
        if (!name || strcmp(name, module->kernels[i].code->name) == 0)
            *kernel = &module->kernels[i];
    return *kernel ? KERNC_OK
                   : rt_fail(module->context, KERNC_NOT_FOUND, "the program has no kernel %s", name);
}

const char *kernc_kernel_name(const kernc_kernel *kernel)
{
    return kernel ? kernel->code->name : "";
}

uint32_t kernc_kernel_parameter_count(const kernc_kernel *kernel)
{
    return kernel ? kernel->code->params.count : 0;
}

bool kernc_kernel_parameter(const kernc_kernel *kernel, uint32_t index, kernc_parameter *parameter)
{
    if (!kernel || !parameter || index >= kernel->code->params.count)
        return false;
    const struct bc_param *p = &kernel->code->params.at[index];
    *parameter = (kernc_parameter){p->name, p->text ? p->text : "", p->pointer, p->element_bytes};
    return true;
}
