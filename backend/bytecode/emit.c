/* emit.c: be_bytecode: the whole way of a module, and the tables that come straight from it. */
#include "backend/bytecode/emit.h"

/* ---- copies ------------------------------------------------------------------------------------------ */

static const char *copy_text(struct arena *a, const char *s)
{
    return s ? arena_strdup(a, s, strlen(s)) : NULL;
}

static const char *copy_string(struct bc_program *p, const char *s)
{
    return copy_text(&p->arena, s);
}

static void copy_texts(struct bc_program *p, const struct ir_module *m)
{
    for (uint32_t i = 0; i < m->texts.count; i++) {
        const struct ir_string *t = &m->texts.at[i];
        vec_push(&p->arena, &p->texts,
                 ((struct bc_text){arena_strdup(&p->arena, t->text, t->length), t->length}));
    }
}

static void copy_hosts(struct bc_program *p, const struct ir_module *m)
{
    for (uint32_t i = 0; i < m->hosts.count; i++) {
        const struct ir_signature *s = &m->signatures.at[m->hosts.at[i].signature];
        struct bc_host h = {.name = copy_string(p, m->hosts.at[i].name),
                            .argc = s->argc,
                            .result = (uint8_t)be_value_type((enum ir_type)s->result)};
        for (uint32_t a = 0; a < s->argc; a++)
            h.args[a] = (uint8_t)be_value_type((enum ir_type)s->args[a]);
        vec_push(&p->arena, &p->hosts, h);
    }
}

static void copy_launches(struct bc_program *p, const struct ir_module *m)
{
    for (uint32_t i = 0; i < m->launches.count; i++)
        vec_push(&p->arena, &p->launches, launch_copy(&p->arena, &m->launches.at[i]));
}

static void name_functions(struct bc_program *p, const struct ir_module *m)
{
    for (uint32_t i = 0; i < m->functions.count; i++)
        vec_push(&p->arena, &p->functions,
                 ((struct bc_function){.name = copy_string(p, m->functions.at[i]->name),
                                       .kernel = m->functions.at[i]->flags & IR_FN_KERNEL,
                                       .code = BC_NO_TARGET,
                                       .end = BC_NO_TARGET,
                                       .entry = BC_NO_TARGET}));
}

/* ---- kernels: what all functions they reach need ----------------------------------------------------- */

struct reach {
    struct be_context *c;
    u32_vec stack;
    uint32_t *seen, stamp;
};

static void add_frame(struct reach *r, struct bc_kernel *k, uint32_t node)
{
    struct be_context *c = r->c;
    const struct be_frame *frame = &c->frames[node];
    uint32_t *most[] = {
        [BC_FILE_VECTORS] = &k->vectors,  [BC_FILE_MASKS] = &k->masks,     [BC_FILE_SCALARS] = &k->scalars,
        [BE_FLOAT_VECTORS] = &k->vectors, [BE_WIDE_VECTORS] = &k->vectors, [BE_DOUBLE_VECTORS] = &k->vectors};
    for (unsigned region = BC_FILE_VECTORS; region < BE_REGIONS; region++) {
        uint32_t end =
            frame->base[region] + frame->size[region] + c->temporaries[be_file_of_region(region)].most;
        *most[region] = end > *most[region] ? end : *most[region];
    }
    uint32_t end = be_frame_end(frame->private_base, frame->private_size);
    if (frame->private_size && end > k->private_bytes)
        k->private_bytes = end;
    if (node >= c->m->functions.count)
        return;
    const struct be_function *f = c->functions[node];
    for (uint32_t i = 0; i < f->words.count; i++)
        k->has_barrier |= f->words.at[i].op == BC_barrier;
}

/* Equal preloads of several functions share a register: each is listed once. */
static void add_preloads(struct be_context *c, struct bc_kernel *k, const struct be_function *f,
                         struct map *listed)
{
    for (uint32_t i = 0; i < f->preloads.count; i++) {
        const struct be_vreg *v = be_vreg(f, f->preloads.at[i].vreg);
        enum bc_file file = be_file((enum bc_kind)v->kind);
        uint64_t key = (uint64_t)file << 32 | v->reg;
        if (!v->live || map_get(listed, key) != MAP_NONE)
            continue;
        map_set(&c->arena, listed, key, 1);
        vec_push(
            &c->p->arena, &c->p->preloads,
            ((struct bc_preload){f->preloads.at[i].source, v->kind,
                                 (uint16_t)(v->reg + c->temporaries[file].most), f->preloads.at[i].value}));
        k->preload_count++;
    }
}

static void add_reached(struct reach *r, struct bc_kernel *k)
{
    struct be_context *c = r->c;
    struct map listed = {0};
    k->first_preload = c->p->preloads.count;
    vec_push(&c->arena, &r->stack, k->function);
    r->stamp++;
    while (r->stack.count) {
        uint32_t node = vec_pop(&r->stack);
        if (r->seen[node] == r->stamp)
            continue;
        r->seen[node] = r->stamp;
        add_frame(r, k, node);
        if (node < c->m->functions.count)
            add_preloads(c, k, c->functions[node], &listed);
        rows_each(i, c->callees, node)
            vec_push(&c->arena, &r->stack, c->callees.at[i]);
    }
}

static void add_params(struct bc_program *p, struct bc_kernel *k, const struct ir_kernel_info *info)
{
    for (uint32_t i = 0; i < info->params.count; i++) {
        const struct ir_param_info *x = &info->params.at[i];
        vec_push(
            &p->arena, &k->params,
            ((struct be_param){copy_string(p, x->name), copy_string(p, x->text),
                               (uint8_t)be_value_type((enum ir_type)x->type), x->element, x->element_bytes,
                               ir_is_pointer((enum ir_type)x->type), copy_string(p, x->layout)}));
    }
}

static void add_kernels(struct be_context *c)
{
    struct reach r = {.c = c, .seen = arena_array(&c->arena, uint32_t, c->frame_count)};
    for (uint32_t i = 0; i < c->m->kernels.count; i++) {
        const struct ir_kernel_info *info = &c->m->kernels.at[i];
        const struct ir_function *f = c->m->functions.at[info->function];
        struct bc_kernel k = {
            .name = copy_string(c->p, f->name), .function = info->function, .line = f->at.line};
        add_params(c->p, &k, info);
        k.unsized = be_unsized_of(&c->p->arena, c->m, info);
        add_reached(&r, &k);
        vec_push(&c->p->arena, &c->p->kernels, k);
    }
}

/* ---- limits, calls, temporaries ---------------------------------------------------------------------- */

static bool check_limits(struct be_context *c)
{
    static const char *const names[] = {NULL, "vector", "mask", "scalar", "vector", "vector", "vector"};
    for (uint32_t i = 0; i < c->order.count; i++) {
        const struct be_frame *frame = &c->frames[c->order.at[i]];
        for (unsigned region = BC_FILE_VECTORS; region < BE_REGIONS; region++) {
            if (frame->base[region] + frame->size[region] <= BE_MAX_FRAMES)
                continue;
            uint32_t n = c->order.at[i];
            const char *name = n < c->m->functions.count ? c->m->functions.at[n]->name : "an indirect call";
            be_error(c, "registers", n < c->m->functions.count ? c->m->functions.at[n]->at : (place){0, 0},
                     "%s and its callers need more than %u %s registers", name, BE_MAX_FRAMES, names[region]);
            return false;
        }
    }
    return true;
}

static uint16_t relocated(const struct be_context *c, enum bc_file file, uint32_t reg)
{
    return (uint16_t)(reg & BE_TEMPORARY ? reg & ~BE_TEMPORARY : reg + c->temporaries[file].most);
}

static void relocate_word(const struct be_context *c, struct bc_ins *ins)
{
    const char *operands = bc_operands(ins->op);
    uint16_t *fields[] = {&ins->d, &ins->a, &ins->b, &ins->c, &ins->e};
    for (unsigned i = 0; i < COUNT(fields); i++) {
        enum bc_file file = bc_file_of(operands[i]);
        if (file != BC_FILE_NONE && !(operands[i] == 't' && *fields[i] == BC_NO_TOKEN))
            *fields[i] = relocated(c, file, *fields[i]);
    }
    if (ins->op == BC_hostcall && c->p->hosts.at[ins->imm].result != BE_VOID)
        ins->d = relocated(c, be_file(bc_kind_of((enum be_value)c->p->hosts.at[ins->imm].result)), ins->d);
}

static void relocate(struct be_context *c)
{
    struct bc_program *p = c->p;
    for (uint32_t i = 0; i < c->calls.count; i++)
        p->code.at[c->calls.at[i]].imm = p->functions.at[p->code.at[c->calls.at[i]].imm].code;
    for (uint32_t i = 0; i < p->code.count; i++) {
        struct bc_ins *ins = &p->code.at[i];
        relocate_word(c, ins);
        i += bc_has_branch_word((enum bc_op)ins->op);
    }
    for (uint32_t i = 0; i < p->operands.count; i++) {
        struct bc_operand *o = &p->operands.at[i];
        o->reg = relocated(c, be_file((enum bc_kind)o->kind), o->reg);
    }
    for (uint32_t i = 0; i < p->functions.count; i++)
        if (p->functions.at[i].code != BC_NO_TARGET && !p->functions.at[i].kernel)
            p->functions.at[i].return_slot = relocated(c, BC_FILE_VECTORS, p->functions.at[i].return_slot);
}

/* ---- the module -------------------------------------------------------------------------------------- */

static bool over(struct be_context *c, const char *id, const char *fmt, unsigned limit)
    __attribute__((format(printf, 3, 0)));
static bool over(struct be_context *c, const char *id, const char *fmt, unsigned limit)
{
    diag_add(c->d, DIAG_ERROR, id, (span){{0, 0}, {0, 0}}, fmt, limit);
    return false;
}

static bool check_code(struct be_context *c)
{
    for (unsigned file = BC_FILE_VECTORS; file < BC_FILES; file++) {
        c->temporaries[file].most = (c->temporaries[file].most + 1) & ~1u;
        if (c->temporaries[file].most > BE_MAX_FRAMES)
            return over(c, "registers", "a block needs more than %u temporaries", BE_MAX_FRAMES);
    }
    if (c->p->code.count > BC_MAX_WORDS)
        return over(c, "code-size", "more than %u words of code", BC_MAX_WORDS);
    if (c->too_many_operands)
        return over(c, "code-size", "more operands of printf and host calls than %u", UINT16_MAX);
    return true;
}

static void reserve_code(struct be_context *c)
{
    uint32_t words = 0;
    for (uint32_t i = 0; i < c->m->functions.count; i++)
        words += c->functions[i] ? c->functions[i]->words.count : 0;
    vec_reserve(&c->p->arena, &c->p->code, words);
}

static void encode_all(struct be_context *c)
{
    bool sorted = scheme_has(c->scheme, SCHEME_CALLEES_FIRST);
    uint32_t count = sorted ? c->order.count : c->m->functions.count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = sorted ? c->order.at[count - 1 - i] : i;
        if (n < c->m->functions.count && c->functions[n])
            be_encode(c, c->functions[n]);
    }
}

static bool generate(struct be_context *c)
{
    if (!be_frames(c) || !be_lay_out_objects(&c->arena, c->m, &c->objects, c->d))
        return false;
    c->waiting = ir_waiting_functions(&c->arena, c->m);
    for (uint32_t i = 0; i < c->m->functions.count; i++) {
        if (!c->functions[i])
            continue;
        be_select(c, c->functions[i]);
        be_liveness(c, c->functions[i]);
        be_regalloc(c, c->functions[i]);
    }
    be_place_preloads(c);
    be_frame_bases(c);
    name_functions(c->p, c->m);
    copy_hosts(c->p, c->m);
    if (!check_limits(c))
        return false;
    reserve_code(c);
    encode_all(c);
    if (c->p->checks_waiting)
        be_waiting_of_functions(c);
    if (!check_code(c))
        return false;
    relocate(c);
    add_kernels(c);
    c->p->shared_bytes = c->objects.shared_bytes;
    c->p->data_bytes = c->objects.data_bytes;
    c->p->data = be_constant_data(&c->p->arena, c->m, &c->objects);
    copy_texts(c->p, c->m);
    copy_launches(c->p, c->m);
    return true;
}

struct bc_program *be_bytecode(const struct ir_module *m, enum scheme scheme, bool check,
                               struct diagnostics *d)
{
    struct be_context c = {.m = m, .scheme = scheme, .d = d, .p = bc_program_new()};
    struct mem_guard guard;
    arena_init(&c.arena);
    if (mem_guard_enter(&guard)) {
        arena_free(&c.arena);
        bc_program_free(c.p);
        mem_fail(0);
    }
    c.p->file = copy_string(c.p, m->file ? m->file : "");
    c.p->scheme = copy_string(c.p, scheme_info[scheme].name);
    c.p->checks_waiting = check && scheme_has(scheme, SCHEME_FRONTIERS);
    bool good = generate(&c);
    mem_guard_leave(&guard);
    arena_free(&c.arena);
    if (good)
        return c.p;
    bc_program_free(c.p);
    return NULL;
}
