/* verify_tables.c: the tables of a program, and the operands that printf and host calls list there. */
#include "backend/format/bytecode/verify.h"

#define LIMIT(count, limit, what)                                                                            \
    if ((count) > (limit))                                                                                   \
    return verify_fail(v, "more " what " than %u", (unsigned)(limit))

static bool check_limits(struct verifier *v)
{
    const struct bc_program *p = v->p;
    LIMIT(p->code.count, BC_MAX_WORDS, "code words");
    LIMIT(p->blocks.count, p->code.count, "blocks");
    LIMIT(p->sites.count, BC_MAX_SITES, "sites");
    LIMIT(p->functions.count, 0xffffu, "functions");
    LIMIT(p->kernels.count, p->functions.count, "kernels");
    LIMIT(p->data_bytes, BC_MAX_DATA, "bytes of constant data");
    LIMIT(p->shared_bytes, BC_MAX_SHARED, "bytes of shared memory");
    return true;
}

static bool check_blocks(struct verifier *v)
{
    const struct bc_program *p = v->p;
    for (uint32_t i = 0; i < p->blocks.count; i++) {
        const struct bc_block *b = &p->blocks.at[i];
        if (b->code >= p->code.count || !bitset_has(v->heads, b->code) || p->code.at[b->code].imm != i)
            return verify_fail(v, "block row %u: word %u is not its block word", i, b->code);
        if (b->line_count > p->lines.count || b->first_line > p->lines.count - b->line_count)
            return verify_fail(v, "block row %u: its lines are out of range", i);
        if (b->overhead > b->instructions)
            return verify_fail(v, "block row %u: more overhead than instructions", i);
    }
    for (uint32_t i = 0; i < p->sites.count; i++)
        if (p->sites.at[i].kind > BC_SITE_OTHER || p->sites.at[i].block >= p->blocks.count)
            return verify_fail(v, "site %u: unknown kind or block", i);
    return true;
}

static bool check_waiting(struct verifier *v)
{
    const struct bc_program *p = v->p;
    if (p->waiting.count && !p->checks_waiting)
        return verify_fail(v, "places where lanes may wait, which nobody checks");
    for (uint32_t i = 0; i < p->waiting.count; i++) {
        const struct bc_waiting *w = &p->waiting.at[i];
        if (w->place >= p->blocks.count + p->functions.count || w->at >= p->code.count ||
            !bitset_has(v->heads, w->at))
            return verify_fail(v, "waiting place %u: it is of no block or function, or is no block", i);
        if (i && (w[-1].place > w->place || (w[-1].place == w->place && w[-1].at >= w->at)))
            return verify_fail(v, "waiting place %u: they are not sorted", i);
    }
    return true;
}

static bool check_switches(struct verifier *v)
{
    const struct bc_program *p = v->p;
    for (uint32_t i = 0; i < p->switches.count; i++) {
        const struct bc_switch *s = &p->switches.at[i];
        if (s->count > p->cases.count || s->first > p->cases.count - s->count || s->site >= p->sites.count)
            return verify_fail(v, "switch %u: its cases or its site are out of range", i);
        for (uint32_t c = 1; c < s->count; c++)
            if (p->cases.at[s->first + c].value <= p->cases.at[s->first + c - 1].value)
                return verify_fail(v, "switch %u: its cases are not sorted", i);
    }
    return true;
}

static bool check_hosts(struct verifier *v)
{
    const struct bc_program *p = v->p;
    for (uint32_t i = 0; i < p->hosts.count; i++) {
        const struct bc_host *h = &p->hosts.at[i];
        if (!h->name || h->result > BE_PTR || h->argc > BC_MAX_OPERANDS)
            return verify_fail(v, "host function %u: bad name, result or number of parameters", i);
        for (unsigned a = 0; a < h->argc; a++)
            if (h->args[a] == BE_VOID || h->args[a] > BE_PTR)
                return verify_fail(v, "host function %u: bad type of parameter %u", i, a);
    }
    return true;
}

/* ---- functions: they fill the code table, in any order, without gaps --------------------------------- */

static bool check_function_row(struct verifier *v, uint32_t i)
{
    const struct bc_program *p = v->p;
    const struct bc_function *f = &p->functions.at[i];
    if (!f->name || f->signature >= BC_MAX_SIGNATURE)
        return verify_fail(v, "function %u: bad name or signature", i);
    if (f->code == BC_NO_TARGET)
        return (f->end == BC_NO_TARGET && f->entry == BC_NO_TARGET && !f->kernel) ||
               verify_fail(v, "function %u: has no code but an end, an entry or a kernel", i);
    if (f->code >= f->end || f->end > p->code.count || !bitset_has(v->heads, f->code))
        return verify_fail(v, "function %u: its code is out of range", i);
    if (f->entry != BC_NO_TARGET &&
        (f->kernel || f->entry < f->code || f->entry >= f->end || !bitset_has(v->heads, f->entry)))
        return verify_fail(v, "function %u: bad entry", i);
    if (f->return_slot >= BC_MAX_REGISTERS)
        return verify_fail(v, "function %u: its return slot is out of range", i);
    return true;
}

static bool check_functions(struct verifier *v)
{
    const struct bc_program *p = v->p;
    uint64_t words = 0;
    for (uint32_t i = 0; i < p->functions.count; i++) {
        if (!check_function_row(v, i))
            return false;
        const struct bc_function *f = &p->functions.at[i];
        if (f->code == BC_NO_TARGET)
            continue;
        if (map_get(&v->by_code, f->code) != MAP_NONE)
            return verify_fail(v, "function %u: begins where another does", i);
        map_set(&v->arena, &v->by_code, f->code, i);
        words += f->end - f->code;
    }
    for (uint32_t at = 0; at < p->code.count; at = p->functions.at[map_get(&v->by_code, at)].end)
        if (map_get(&v->by_code, at) == MAP_NONE)
            return verify_fail(v, "word %u: belongs to no function", at);
    return words == p->code.count || verify_fail(v, "functions overlap");
}

/* ---- kernels ------------------------------------------------------------------------------------------- */

static bool preload_in_file(const struct bc_kernel *k, const struct bc_preload *f)
{
    switch (f->kind) {
    case BC_KIND_V: return f->reg < k->vectors;
    case BC_KIND_W: return f->reg % 2 == 0 && f->reg + 1u < k->vectors;
    case BC_KIND_M: return f->reg < k->masks;
    case BC_KIND_S: return f->reg < k->scalars;
    default: return false;
    }
}

static bool preload_has_source(const struct verifier *v, const struct bc_kernel *k,
                               const struct bc_preload *f)
{
    switch (f->source) {
    case BC_FROM_CONSTANT: return true;
    case BC_FROM_PARAM: return f->value < (uint64_t)k->params.count + k->unsized.count;
    case BC_FROM_SPECIAL: return f->value < BC_SPECIALS;
    case BC_FROM_DATA: return f->value <= v->p->data_bytes;
    case BC_FROM_GRID: return f->value < 3 && f->kind == BC_KIND_V;
    default: return false;
    }
}

static bool check_fills(struct verifier *v, const struct bc_kernel *k)
{
    for (uint32_t i = k->first_preload; i < k->first_preload + k->preload_count; i++) {
        const struct bc_preload *f = &v->p->preloads.at[i];
        if (!preload_in_file(k, f) || !preload_has_source(v, k, f))
            return verify_fail(v, "preload %u: bad register or source", i);
        if (verify_is_slot(v, k->function, "vwms"[f->kind], f -> reg))
            return verify_fail(v, "preload %u: writes the return slot %u", i, f->reg);
        verify_add_preload(v, k->function, "vwms"[f->kind], f -> reg);
    }
    return true;
}

static bool check_kernel(struct verifier *v, uint32_t i)
{
    const struct bc_program *p = v->p;
    const struct bc_kernel *k = &p->kernels.at[i];
    if (!k->name || k->function >= p->functions.count || !p->functions.at[k->function].kernel)
        return verify_fail(v, "kernel %u: its function is none", i);
    if (k->vectors > BC_MAX_REGISTERS || k->masks > BC_MAX_REGISTERS || k->scalars > BC_MAX_REGISTERS)
        return verify_fail(v, "kernel %u: more registers than %u", i, BC_MAX_REGISTERS);
    if (k->private_bytes % 16)
        return verify_fail(v, "kernel %u: private memory is no multiple of 16 bytes", i);
    if (k->private_bytes > BC_MAX_PRIVATE)
        return verify_fail(v, "kernel %u: more bytes of private memory than %u", i, BC_MAX_PRIVATE);
    if (!be_unsized_are_good(&k->unsized, BC_MAX_SHARED))
        return verify_fail(v, "kernel %u: " BE_BAD_UNSIZED, i);
    if (k->preload_count > p->preloads.count || k->first_preload > p->preloads.count - k->preload_count)
        return verify_fail(v, "kernel %u: its preloads are out of range", i);
    if (!check_fills(v, k))
        return false;
    for (uint32_t a = 0; a < k->params.count; a++)
        if (!be_param_is_good(&k->params.at[a]))
            return verify_fail(v, "kernel %u: bad parameter %u", i, a);
    return true;
}

static bool check_launches(struct verifier *v)
{
    uint32_t at;
    const char *problem = launch_check_plan(v->p->launches.at, v->p->launches.count, &at);
    if (problem)
        return verify_fail(v, "launch %u: %s", at, problem);
    return true;
}

bool verify_tables(struct verifier *v)
{
    const struct bc_program *p = v->p;
    if (!p->file || !p->scheme)
        return verify_fail(v, "no source name or no scheme");
    if (!check_limits(v) || !check_blocks(v) || !check_switches(v) || !check_hosts(v) ||
        !check_functions(v) || !check_waiting(v))
        return false;
    verify_find_slots(v);
    for (uint32_t i = 0; i < p->kernels.count; i++)
        if (!check_kernel(v, i))
            return false;
    return check_launches(v);
}

/* ---- operand lists ----------------------------------------------------------------------------------- */

/* ins->a operands from index ins->b: each in a register of the kind its type has, or in a scalar. */
static bool check_operands(struct verifier *v, const struct bc_ins *ins)
{
    const struct bc_program *p = v->p;
    if (ins->a > BC_MAX_OPERANDS || ins->a > p->operands.count || ins->b > p->operands.count - ins->a)
        return verify_fail(v, "word %u: its operands are out of range", v->at);
    for (uint32_t i = 0; i < ins->a; i++) {
        const struct bc_operand *o = &p->operands.at[ins->b + i];
        if (o->type == BE_VOID || o->type > BE_PTR ||
            (o->kind != BC_KIND_S && o->kind != bc_kind_of((enum be_value)o->type)))
            return verify_fail(v, "word %u: operand %u has a bad type or kind", v->at, i);
        if (!verify_register(v, "vwms"[o->kind], o -> reg))
            return false;
    }
    return true;
}

static enum conversion_operand printed(const void *from, uint32_t i)
{
    return be_printed((enum be_value)((const struct bc_operand *)from)[i].type);
}

bool verify_printf(struct verifier *v, const struct bc_ins *ins)
{
    if (!check_operands(v, ins))
        return false;
    const struct bc_text *t = &v->p->texts.at[ins->imm];
    struct conversion_operands o = {ins->a, printed, v->p->operands.at + ins->b};
    const char *wrong = conversion_check(t->bytes, t->length, &o);
    return !wrong || verify_fail(v, "word %u: %s", v->at, wrong);
}

bool verify_hostcall(struct verifier *v, const struct bc_ins *ins)
{
    const struct bc_host *h = &v->p->hosts.at[ins->imm];
    if (!check_operands(v, ins))
        return false;
    if (ins->a != h->argc)
        return verify_fail(v, "word %u: wrong number of operands", v->at);
    for (uint32_t i = 0; i < ins->a; i++)
        if (v->p->operands.at[ins->b + i].type != h->args[i])
            return verify_fail(v, "word %u: operand %u is of the wrong type", v->at, i);
    if (h->result == BE_VOID)
        return ins->d == 0 || verify_fail(v, "word %u: result of a function without one", v->at);
    char letter = "VWM"[bc_kind_of((enum be_value)h->result)];
    if (verify_is_slot(v, v->function_index, letter, ins->d))
        return verify_fail(v, "word %u: writes the return slot %u", v->at, ins->d);
    return verify_register(v, letter, ins->d);
}
