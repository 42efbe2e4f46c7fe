/* module.c: loads compiled programs: checks them, places their constant data, finds their kernels. */
#include "runtime/module.h"
#include "runtime/context.h"
#include "runtime/schemes/scheme.h"

#include <stdio.h>
#include <stdlib.h>

/* Writes the constant data into global memory; kernels may not store to it. */
static kernc_status place_data(kernc_module *m, const char *file, const uint8_t *data, uint32_t bytes)
{
    if (bytes == 0)
        return KERNC_OK;
    kernc_context *c = m->context;
    m->data.constant = true;
    m->data.name = file;
    kernc_status status =
        rt_region_status(c, rt_region_open(&c->memory, &m->data, bytes), "constant data", bytes);
    if (status == KERNC_OK)
        memcpy(c->memory.base + m->data.address, data, bytes);
    return status;
}

/* Whether the word is complete but for its register: which is all that barriers and their operations are made
 * of. */
static bool is_barrier_operation(const struct bc_ins *ins)
{
    bool cancels = ins->op == BC_scheme && ins->a == BC_CB_CANCEL, threshold = cancels || ins->op == BC_wait;
    return ins->d <= (ins->a != BC_CB_REJOIN) && ins->a < BC_CB_OPS && !(ins->c && !ins->imm) &&
           ins->imm <= (threshold ? RT_MAX_LANES : 0);
}

/* Lanes that gather, rejoin or have thresholds. */
static bool is_of_predictions(const struct bc_ins *ins)
{
    return ins->d || ins->imm || (ins->op == BC_scheme && ins->a == BC_CB_REJOIN);
}

/* NULL, or why the scheme can't execute the word. */
static const char *lacks(enum scheme scheme, const struct bc_ins *ins)
{
    enum bc_op op = (enum bc_op)ins->op;
    bool own = op == BC_scheme || op == BC_wait;
    if (own && !rt_scheme_of(scheme)->wait)
        return "it has no operations of its own";
    if (own &&
        (!is_barrier_operation(ins) || (is_of_predictions(ins) && !scheme_has(scheme, SCHEME_PREDICTIONS))))
        return "it has no such operation";
    if (bc_returns(op) && op != BC_ret && !scheme_has(scheme, SCHEME_FRONTIERS))
        return "it has no calls with two successors";
    if (scheme_has(scheme, SCHEME_TOKENS) && bc_is_convergent(op) && op != BC_barrier &&
        ins->e == BC_NO_TOKEN)
        return "it decides by tokens, and this operation has none";
    return NULL;
}

/* NULL, or why the program can't run; the text is in `buffer`. */
static const char *refuse(const struct bc_program *p, char *buffer, size_t size)
{
    const char *lack, *why = bc_verify(p, buffer, size);
    if (why)
        return why;
    enum scheme scheme = scheme_find(p->scheme);
    if (!rt_scheme_of(scheme)) {
        snprintf(buffer, size, "there is no divergence scheme %s", p->scheme);
        return buffer;
    }
    for (uint32_t i = 0; i < p->code.count; i++) {
        if ((lack = lacks(scheme, &p->code.at[i])) != NULL) {
            snprintf(buffer, size, "word %u is not for the scheme %s: %s", i, p->scheme, lack);
            return buffer;
        }
        i += bc_has_branch_word((enum bc_op)p->code.at[i].op);
    }
    return NULL;
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

/* See kernc_kernel: the thread's index in the grid by preference, else that in the block. */
static uint32_t find_ramp(const struct bc_program *p, const struct bc_kernel *k)
{
    uint32_t ramp = RT_NO_RAMP;
    for (uint32_t i = 0; i < k->preload_count; i++) {
        const struct bc_preload *f = &p->preloads.at[k->first_preload + i];
        bool grid = f->source == BC_FROM_GRID && f->value == 0;
        if (grid || (f->source == BC_FROM_SPECIAL && f->value == BC_SPECIAL_TID_X && ramp == RT_NO_RAMP))
            ramp = f->reg;
        if (grid)
            break;
    }
    return ramp;
}

uint32_t kernc_kernel_shared_array(const kernc_kernel *kernel, uint32_t index, const char **name)
{
    bool has = kernel && index < kernel->unsized_count;
    if (name)
        *name = has ? kernel->unsized[index].name : "";
    return has ? kernel->unsized[index].bytes : 0;
}

uint32_t kernc_kernel_shared(const kernc_kernel *kernel, const char **name)
{
    return kernc_kernel_shared_array(kernel, 0, name);
}

static void list_kernels(kernc_module *m)
{
    m->kernel_count = m->image ? m->image->kernels.count : m->program->kernels.count;
    m->kernels = arena_array(&m->arena, kernc_kernel, m->kernel_count);
    for (uint32_t i = 0; i < m->kernel_count; i++) {
        kernc_kernel *k = &m->kernels[i];
        k->module = m;
        k->code = m->image ? NULL : &m->program->kernels.at[i];
        k->entry = m->image ? &m->image->kernels.at[i] : NULL;
        k->name = k->entry ? k->entry->name : k->code->name;
        k->ramp = k->code ? find_ramp(m->program, k->code) : RT_NO_RAMP;
        k->params = k->entry ? k->entry->params.at : k->code->params.at;
        const be_unsized_vec *unsized = k->entry ? &k->entry->unsized : &k->code->unsized;
        k->unsized = unsized->at;
        k->unsized_count = unsized->count;
        k->param_count = k->entry ? k->entry->params.count : k->code->params.count;
    }
}

static kernc_status set_up(kernc_module *m)
{
    char why[256];
    const struct wc_image *image = m->image;
    const char *bad = image ? wc_verify(image, why, sizeof why) : refuse(m->program, why, sizeof why);
    if (bad)
        return rt_fail(m->context, KERNC_BAD_PROGRAM, "program refused: %s", bad);
    list_kernels(m);
    if (image)
        return place_data(m, image->file, image->data, image->data_bytes);
    m->reads_clock = has_op(m->program, BC_clock);
    return place_data(m, m->program->file, m->program->data, m->program->data_bytes);
}

/* What the module is made of is freed with it, at once if this fails; one of the two is NULL. */
static kernc_status make_module(kernc_context *c, struct bc_program *program, struct wc_image *image,
                                kernc_module **module)
{
    kernc_module *m = mem_alloc(sizeof *m);
    arena_init(&m->arena);
    m->context = c;
    m->program = program;
    m->image = image;
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

static kernc_status adopt(kernc_context *c, struct bc_program *program, struct wc_image *image,
                          kernc_module **module)
{
    if (module)
        *module = NULL;
    struct mem_guard guard;
    kernc_status status = KERNC_INVALID;
    if (c && (program || image) && module) {
        if (!mem_guard_enter(&guard)) {
            status = make_module(c, program, image, module);
            mem_guard_leave(&guard);
            return status;
        }
        status = rt_fail_memory(c);
    }
    bc_program_free(program);
    wc_image_free(image);
    return status;
}

kernc_status rt_module_adopt(kernc_context *c, struct bc_program *program, kernc_module **module)
{
    return adopt(c, program, NULL, module);
}

kernc_status rt_module_adopt_image(kernc_context *c, struct wc_image *image, kernc_module **module)
{
    return adopt(c, NULL, image, module);
}

kernc_status kernc_module_load(kernc_context *c, const void *bytes, size_t size, kernc_module **module)
{
    if (module)
        *module = NULL;
    if (!c || !module)
        return KERNC_INVALID;
    if (!bytes)
        return rt_fail(c, KERNC_INVALID, "no program given");
    if (rt_check_idle(c) != KERNC_OK)
        return KERNC_INVALID;
    struct mem_guard guard;
    if (mem_guard_enter(&guard))
        return rt_fail_memory(c);
    const char *why = NULL;
    bool is_image = size >= WC_MAGIC_BYTES && memcmp(bytes, WC_MAGIC, WC_MAGIC_BYTES) == 0;
    struct wc_image *image = is_image ? wc_read(bytes, size, &why) : NULL;
    struct bc_program *program = is_image ? NULL : bc_read(bytes, size, &why);
    mem_guard_leave(&guard);
    if (!program && !image)
        return rt_fail(c, KERNC_BAD_PROGRAM, "not a program: %s", why);
    return adopt(c, program, image, module);
}

const struct wc_image *rt_module_image(const kernc_module *module)
{
    return module ? module->image : NULL;
}

const char *kernc_module_scheme(const kernc_module *module)
{
    if (!module)
        return "";
    return module->image ? scheme_info[wc_mode_scheme(module->image->mode)].name : module->program->scheme;
}

const struct bc_program *rt_module_program(const kernc_module *module)
{
    return module ? module->program : NULL;
}

void kernc_module_free(kernc_module *m)
{
    if (!m || rt_check_idle(m->context) != KERNC_OK)
        return;
    for (uint32_t i = 0; m->kernels && i < m->kernel_count; i++)
        kernc_statistics_free(m->kernels[i].total);
    if (m->data.link)
        rt_region_close(&m->context->memory, &m->data);
    *m->link = m->next;
    if (m->next)
        m->next->link = m->link;
    bc_program_free(m->program);
    wc_image_free(m->image);
    arena_free(&m->arena);
    mem_free(m);
}

/* ---- kernels ----------------------------------------------------------------------------------------- */

uint32_t kernc_module_kernel_count(const kernc_module *module)
{
    return module ? module->kernel_count : 0;
}

kernc_kernel *kernc_module_kernel_at(kernc_module *module, uint32_t index)
{
    return module && index < module->kernel_count ? &module->kernels[index] : NULL;
}

kernc_status kernc_module_kernel(kernc_module *module, const char *name, kernc_kernel **kernel)
{
    if (!module || !kernel)
        return KERNC_INVALID;
    *kernel = NULL;
    uint32_t count = module->kernel_count;
    if (!name && count != 1)
        return rt_fail(module->context, KERNC_NOT_FOUND, "the program has %u kernels: name one", count);
    for (uint32_t i = 0; i < count && !*kernel; i++)
        if (!name || strcmp(name, module->kernels[i].name) == 0)
            *kernel = &module->kernels[i];
    return *kernel ? KERNC_OK
                   : rt_fail(module->context, KERNC_NOT_FOUND, "the program has no kernel %s", name);
}

const char *kernc_kernel_name(const kernc_kernel *kernel)
{
    return kernel ? kernel->name : "";
}

uint32_t kernc_kernel_parameter_count(const kernc_kernel *kernel)
{
    return kernel ? kernel->param_count : 0;
}

bool kernc_kernel_parameter(const kernc_kernel *kernel, uint32_t index, kernc_parameter *parameter)
{
    if (!kernel || !parameter || index >= kernel->param_count)
        return false;
    const struct be_param *p = &kernel->params[index];
    kernc_parameter all = {.name = p->name,
                           .type = p->text ? p->text : "",
                           .is_pointer = p->pointer,
                           .element_bytes = p->element_bytes};
    return sized_write(parameter, &all, sizeof all);
}
