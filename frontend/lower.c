/* lower.c: a checked program becomes a module: functions, kernels, launches. */
#include "frontend/lower.h"

static const char *keep(struct lowering *l, const char *text)
{
    return intern_z(&l->module->strings, text);
}

/* ---- functions ------------------------------------------------------------------------------------------------------- */

static void add_host(struct lowering *l, struct fe_function *f)
{
    struct ir_host host = {.name = keep(l, f->name), .signature = fe_ir_signature(l, f->type, false, false),
                           .at = f->decl->name_at.at};
    f->host = l->module->hosts.count;
    vec_push(&l->module->arena, &l->module->hosts, host);
}

static void add_kernel_info(struct lowering *l, const struct fe_function *f)
{
    struct ir_kernel_info info = {.function = f->ir->id};
    for (const struct fe_decl *p = fe_params(f->decl); p; p = p->next) {
        const struct fe_type *element = fe_is_pointer(p->type) ? p->type->of : p->type;
        struct text text = {0};
        fe_type_print(p->type, &text);
        struct ir_param_info param = {.name = keep(l, p->name), .text = keep(l, text.at),
                                      .type = (uint8_t)fe_ir_type(p->type),
                                      .element = (uint8_t)fe_launch_element(element),
                                      .element_bytes = (uint32_t)element->size};
        text_free(&text);
        vec_push(&l->module->arena, &info.params, param);
    }
    vec_push(&l->module->arena, &l->module->kernels, info);
}

static void add_function(struct lowering *l, struct fe_function *f)
{
    uint32_t flags = (f->is_kernel ? IR_FN_KERNEL : 0) | (f->convergent ? IR_FN_CONVERGENT : 0);
    const struct fe_type *result = f->type->of;
    enum ir_type t = f->throws                               ? IR_TYPE_I1
                     : fe_returns_by_pointer(result, false) ? IR_TYPE_VOID
                                                             : fe_ir_type(result);
    f->ir = ir_function_new(l->module, f->name, t, flags);
    f->ir->at = f->decl->name_at.at;
    if (f->is_kernel)
        add_kernel_info(l, f);
}

static void declare_functions(struct lowering *l)
{
    for (uint32_t i = 0; i < l->program->functions.count; i++) {
        struct fe_function *f = l->program->functions.at[i];
        if (f->is_extern)
            add_host(l, f);
        else if (f->is_defined)
            add_function(l, f);
    }
}

/* ---- launches ---------------------------------------------------------------------------------------------------------- */

/* A copy that lives as long as the module. */
static struct launch copy_launch(struct lowering *l, const struct launch *from)
{
    struct arena *a = &l->module->arena;
    struct launch to = *from;
    to.kernel = keep(l, from->kernel);
    memset(&to.arguments, 0, sizeof to.arguments);
    memset(&to.outputs, 0, sizeof to.outputs);
    for (uint32_t i = 0; i < from->arguments.count; i++) {
        struct launch_argument argument = from->arguments.at[i];
        const struct launch_value *v = &from->arguments.at[i].value;
        argument.name = keep(l, argument.name);
        argument.value.file = v->file ? keep(l, v->file) : NULL;
        memset(&argument.value.list, 0, sizeof argument.value.list);
        for (uint32_t k = 0; k < v->list.count; k++)
            vec_push(a, &argument.value.list, v->list.at[k]);
        vec_push(a, &to.arguments, argument);
    }
    for (uint32_t i = 0; i < from->outputs.count; i++) {
        struct launch_output output = from->outputs.at[i];
        output.name = keep(l, output.name);
        output.file = output.file ? keep(l, output.file) : NULL;
        vec_push(a, &to.outputs, output);
    }
    return to;
}

static void lower_all(struct lowering *l)
{
    struct fe_program *p = l->program;
    declare_functions(l);
    for (uint32_t i = 0; i < p->functions.count; i++)
        if (p->functions.at[i]->is_defined)
            fe_lower_function(l, p->functions.at[i]);
    for (const struct fe_decl *d = p->unit->first; d; d = d->next)
        if (d->kind == FE_DECL_LAUNCH)
            vec_push(&l->module->arena, &l->module->launches, copy_launch(l, &d->launch->built));
}

struct ir_module *fe_lower(struct frontend *fe, struct fe_program *p)
{
    struct lowering l = {.fe = fe, .program = p, .arena = &fe->arena};
    struct ir_module *m = l.module = ir_module_new(fe->source->name);
    struct mem_guard guard;
    l.trap_division = fe->options.trap_division;
    if (mem_guard_enter(&guard)) {
        ir_module_free(m);
        mem_fail(0);
    }
    lower_all(&l);
    mem_guard_leave(&guard);
    if (!fe->diags->errors)
        return m;
    ir_module_free(m);
    return NULL;
}
