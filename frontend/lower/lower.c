/* lower.c: a checked program becomes a module: functions, kernels, launches. */
#include "frontend/lower/lower.h"
#include "ir/limits.h"

static const char *keep(struct lowering *l, const char *text)
{
    return intern_z(&l->module->strings, text);
}

/* ---- functions --------------------------------------------------------------------------------------- */

static void add_host(struct lowering *l, struct fe_function *f)
{
    struct ir_host host = {.name = keep(l, f->name),
                           .signature = fe_ir_signature(l, f->type, false, false),
                           .at = f->decl->name_at.at};
    f->host = l->module->hosts.count;
    vec_push(&l->module->arena, &l->module->hosts, host);
}

/* A device function that does nothing but call the host's: threads wait for each other at its entry
 * ("Speculative Reconvergence", section 4.4). */
static void add_wrapper(struct lowering *l, struct fe_function *f)
{
    struct ir_signature s = l->module->signatures.at[l->module->hosts.at[f->host].signature];
    f->ir = ir_function_new(l->module, f->name, (enum ir_type)s.result, 0);
    struct ir_cursor c = {.fn = f->ir, .at = f->ir->at = f->decl->name_at.at};
    ir_ref args[IR_MAX_ARGS];
    c.block = ir_block_new(f->ir, "entry");
    for (uint32_t i = 0; i < s.argc; i++)
        args[i] = ir_param_new(f->ir, c.block, (enum ir_type)s.args[i], NULL);
    ir_ref result = ir_emit(&c, IR_hostcall, (enum ir_type)s.result, s.argc, args);
    ir_at(f->ir, result)->imm = f->host;
    ir_emit_ret(&c, s.result == IR_TYPE_VOID ? 0 : result);
}

static struct ir_param_info param_info(struct lowering *l, const struct fe_leaf *p)
{
    const struct fe_type *element = fe_is_pointer(p->type) ? p->type->of : p->type;
    struct text text = {.arena = &l->module->arena};
    fe_type_print(p->type, &text);
    return (struct ir_param_info){
        .name = keep(l, p->name),
        .text = text.at,
        .type = (uint8_t)fe_ir_type(p->type),
        .element = (uint8_t)fe_launch_element(element),
        .element_bytes = (uint32_t)element->size,
        .layout = fe_is_pointer(p->type) ? fe_layout_text(&l->module->arena, element) : NULL};
}

static void add_kernel_info(struct lowering *l, const struct fe_function *f)
{
    struct ir_kernel_info info = {.function = f->ir->id};
    for (uint32_t i = 0; i < f->unsized.count; i++)
        vec_push(&l->module->arena, &info.unsized, fe_object_of(l, fe_variable(f->unsized.at[i])));
    for (const struct fe_decl *p = fe_params(f->decl); p; p = p->next) {
        if (fe_is_unsized(p))
            continue;
        fe_leaves leaves = fe_leaves_of(l->arena, p->name, p->type);
        for (uint32_t i = 0; i < leaves.count; i++)
            vec_push(&l->module->arena, &info.params, param_info(l, &leaves.at[i]));
    }
    vec_push(&l->module->arena, &l->module->kernels, info);
}

static void add_function(struct lowering *l, struct fe_function *f)
{
    uint32_t flags = (f->is_kernel ? IR_FN_KERNEL : 0) | (f->convergent ? IR_FN_CONVERGENT : 0);
    const struct fe_type *result = f->type->of;
    enum ir_type t = f->throws                              ? IR_TYPE_I1
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
        if (f->is_extern && f->is_predicted)
            add_wrapper(l, f);
        else if (f->is_defined)
            add_function(l, f);
    }
}

/* ---- limits of the IR -------------------------------------------------------------------------------- */

static bool check_limit(struct lowering *l, uint64_t count, uint64_t limit, const char *what, span where)
{
    if (count <= limit)
        return true;
    fe_report(l->fe, FE_MSG(too_large), where, what, (unsigned long long)limit);
    return false;
}

static bool check_function(struct lowering *l, const struct fe_function *f)
{
    uint64_t edges = 0;
    for (uint32_t b = 0; b < f->ir->blocks.count; b++)
        if (f->ir->blocks.at[b].edges.count > edges)
            edges = f->ir->blocks.at[b].edges.count;
    span where = f->decl->name_at;
    return check_limit(l, f->ir->ins.count, IR_MAX_INSTRUCTIONS, "instructions in a function", where) &&
           check_limit(l, f->ir->blocks.count, IR_MAX_BLOCKS, "blocks in a function", where) &&
           check_limit(l, f->ir->predictions, IR_MAX_PREDICTIONS, "predictions in a function", where) &&
           check_limit(l, edges, IR_MAX_EDGES, "cases in a switch", where);
}

static bool check_module(struct lowering *l)
{
    const struct ir_module *m = l->module;
    const struct fe_decl *last = l->program->unit->last;
    span where = last ? last->name_at : (span){.at = {1, 1}};
    return check_limit(l, m->functions.count, IR_MAX_FUNCTIONS, "functions", where) &&
           check_limit(l, m->objects.count, IR_MAX_OBJECTS, "constant and shared variables", where) &&
           check_limit(l, m->hosts.count, IR_MAX_HOSTS, "host functions", where) &&
           check_limit(l, m->signatures.count, IR_MAX_SIGNATURES, "types of functions", where) &&
           check_limit(l, m->texts.count, IR_MAX_STRINGS, "formats and assertions", where) &&
           check_limit(l, m->launches.count, IR_MAX_LAUNCHES, "launches", where);
}

static void lower_all(struct lowering *l)
{
    struct fe_program *p = l->program;
    declare_functions(l);
    for (uint32_t i = 0; i < p->functions.count; i++) {
        struct fe_function *f = p->functions.at[i];
        if (!f->is_defined)
            continue;
        fe_lower_function(l, f);
        if (!check_function(l, f))
            return;
    }
    for (const struct fe_decl *d = p->unit->first; d; d = d->next)
        if (d->kind == FE_DECL_LAUNCH)
            vec_push(&l->module->arena, &l->module->launches,
                     launch_copy(&l->module->arena, &d->launch->built));
    check_module(l);
}

static const char *file_names(struct frontend *fe)
{
    struct text names = {.arena = &fe->arena};
    source_names(fe->source, &names);
    return names.at;
}

struct ir_module *fe_lower(struct frontend *fe, struct fe_program *p)
{
    struct lowering l = {.fe = fe, .program = p, .arena = &fe->arena};
    struct ir_module *m = l.module = ir_module_new(file_names(fe));
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
