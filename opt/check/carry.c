/* carry.c: origins that go from function to function, and through memory; see origins.h.
 *
 * Calls through pointers need what calls of functions need, and nobody knows of which: so parameters are added
 * by the types alone. Of signatures that differ those made from them differ too, since the parameters added are
 * as many as there are pointers before.
 */
#include "opt/check/check_memory.h"
#include "opt/check/origins.h"

/* ---- signatures --------------------------------------------------------------------------------------- */

static uint32_t count_pointers(const struct ir_signature *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->argc; i++)
        n += opt_has_origin((enum ir_type)s->args[i]);
    return n;
}

/* Whether it may have a parameter more for each pointer. */
static bool has_room(const struct ir_signature *s)
{
    return s->argc + count_pointers(s) <= IR_MAX_ARGS;
}

static struct ir_signature with_origins(struct ir_signature s)
{
    uint32_t argc = has_room(&s) ? s.argc : 0;
    for (uint32_t i = 0; i < argc; i++)
        if (opt_has_origin((enum ir_type)s.args[i]))
            s.args[s.argc++] = s.args[i];
    return s;
}

static void add_params(struct ir_module *m, struct ir_function *f)
{
    struct ir_signature own = ir_signature_of(f), wanted = with_origins(own);
    for (uint32_t i = own.argc; i < wanted.argc; i++)
        ir_param_new(f, ir_entry(f), (enum ir_type)wanted.args[i], "origin");
    if (wanted.convergent)
        ir_signature_add(m, wanted); /* its address may have been taken */
}

/* ---- pointers in memory ------------------------------------------------------------------------------- */

/* The load that gives the pointer, as it is or as a word that it is made of; 0: none. */
static ir_ref load_of(const struct ir_function *f, ir_ref r)
{
    const struct ir_ins *ins = ir_at(f, r);
    if (!opt_has_origin((enum ir_type)ins->type))
        return 0;
    if (ins->op == IR_ptrcast && ir_at(f, ins->args[0])->type == IR_TYPE_I32)
        ins = ir_at(f, r = ins->args[0]);
    return ins->op == IR_load && opt_space_letter((enum ir_type)ir_at(f, ins->args[0])->type) ? r : 0;
}

static bool is_pointer_store(const struct ir_function *f, ir_ref r)
{
    return ir_at(f, r)->op == IR_store && opt_pointer_in(f, ir_at(f, r)->args[1]);
}

/* ---- the module --------------------------------------------------------------------------------------- */

/* Another module's launch may store what one here loads. */
static bool is_in_memory(const struct ir_module *m)
{
    for (uint32_t k = 0; k < m->functions.count; k++) {
        const struct ir_function *f = m->functions.at[k];
        ir_each_block(i, b, f)
            ir_each_ins(r, f, b)
                if (load_of(f, r) || is_pointer_store(f, r))
                    return true;
    }
    return false;
}

struct opt_carrying *opt_carrying_new(struct arena *a, struct ir_module *m)
{
    struct opt_carrying *x = arena_new(a, struct opt_carrying);
    x->params = arena_array(a, uint32_t, m->functions.count);
    x->in_memory = is_in_memory(m);
    for (uint32_t k = 0, n = m->signatures.count; k < n; k++)
        ir_signature_add(m, with_origins(m->signatures.at[k]));
    for (uint32_t k = 0; k < m->functions.count; k++) {
        struct ir_function *f = m->functions.at[k];
        x->params[k] = ir_signature_of(f).argc;
        if (!(f->flags & IR_FN_KERNEL))
            add_params(m, f);
    }
    return x;
}

/* ---- what is reported to the checker, and asked ------------------------------------------------------- */

/* A place where the checker keeps an origin. */
struct cell {
    char space;
    ir_ref address;
};

static struct cell in_register(struct opt_origins *o, uint32_t number)
{
    return (struct cell){'x', ir_const(o->f, IR_TYPE_PRIVATE, number)};
}

static struct cell in_memory(struct ir_cursor *c, ir_ref address, int64_t offset)
{
    enum ir_type type = (enum ir_type)ir_at(c->fn, address)->type;
    if (offset)
        address = ir_emit2(c, IR_ptradd, type, address, ir_const_i32(c->fn, (uint32_t)offset));
    return (struct cell){opt_space_letter(type), address};
}

static struct ir_cursor cursor_at(struct opt_origins *o, ir_ref before, ir_ref at)
{
    return (struct ir_cursor){
        .fn = o->f, .block = ir_at(o->f, at)->block, .before = before, .at = ir_at(o->f, at)->at};
}

static void set_text(struct opt_origins *o, ir_ref r, const char *text)
{
    ir_at(o->f, r)->imm = ir_text_add(o->f->module, text, strlen(text));
    o->carrying->made++;
}

static ir_ref ask(struct opt_origins *o, struct ir_cursor *c, struct cell cell, ir_ref pointer)
{
    ir_ref r = ir_emit2(c, IR_check_origin, (enum ir_type)ir_at(o->f, pointer)->type, cell.address, pointer);
    set_text(o, r, arena_printf(o->arena, "%u l %c 4 0 ", OPT_CHECK_BOUNDS, cell.space));
    return r;
}

static void tell(struct opt_origins *o, struct ir_cursor *c, struct cell cell, ir_ref pointer)
{
    ir_ref origin = opt_origin_at(o, c, pointer), value = opt_bits_of(c, pointer);
    ir_ref r = ir_emit3(c, IR_check_memory, IR_TYPE_VOID, cell.address, origin, value);
    set_text(o, r, arena_printf(o->arena, "%u p %c 4 0 ", OPT_CHECK_BOUNDS, cell.space));
}

static void tell_copy(struct opt_origins *o, struct ir_cursor *c, struct cell to, struct cell from,
                      int64_t bytes)
{
    if (!to.space || !from.space)
        return;
    ir_ref r =
        ir_emit3(c, IR_check_memory, IR_TYPE_VOID, to.address, from.address, ir_const(o->f, IR_TYPE_I64, 0));
    set_text(
        o, r,
        arena_printf(o->arena, "%u m %c %u 0 %c", OPT_CHECK_BOUNDS, to.space, (unsigned)bytes, from.space));
}

/* ---- asked for: parameters, loads, results ------------------------------------------------------------ */

static void ask_for_params(struct opt_origins *o)
{
    struct ir_function *f = o->f;
    const u32_vec params = ir_block_at(f, ir_entry(f))->params;
    uint32_t own = o->carrying->params[f->id], next = own;
    ir_ref first = ir_block_at(f, ir_entry(f))->first;
    for (uint32_t i = 0; i < own && !(f->flags & IR_FN_KERNEL); i++) {
        struct ir_cursor c = cursor_at(o, first, first);
        ir_ref p = params.at[i];
        if (!opt_has_origin((enum ir_type)ir_at(f, p)->type))
            continue;
        o->of[p] = params.count > own ? params.at[next++] : ask(o, &c, in_register(o, i + 1), p);
    }
}

static ir_ref ask_for_loaded(struct opt_origins *o, struct ir_cursor *c, ir_ref r)
{
    const struct ir_ins load = *ir_at(o->f, load_of(o->f, r));
    return ask(o, c, in_memory(c, load.args[0], load.imm), r);
}

void opt_origins_ask(struct opt_origins *o)
{
    struct ir_function *f = o->f;
    ask_for_params(o);
    ir_each_block(i, b, f)
        for (ir_ref r = ir_block_at(f, b)->first, next; r; r = next) {
            struct ir_ins ins = *ir_at(f, r);
            next = ins.next;
            if (r >= o->count || !opt_has_origin((enum ir_type)ins.type))
                continue;
            struct ir_cursor c = cursor_at(o, next, r);
            if (ins.op == IR_call || ins.op == IR_icall)
                o->of[r] = ask(o, &c, in_register(o, 0), r);
            else if (o->carrying->in_memory && load_of(f, r))
                o->of[r] = ask_for_loaded(o, &c, r);
        }
}

/* ---- reported: arguments, results, stores ------------------------------------------------------------- */

static void add_argument(struct ir_function *f, ir_ref call, ir_ref argument)
{
    struct ir_ins *ins = ir_at(f, call);
    ir_ref *args = arena_array(&f->module->arena, ir_ref, ins->argc + 1);
    memcpy(args, ins->args, ins->argc * sizeof *args);
    args[ins->argc++] = argument;
    ins->args = args;
}

static void tell_arguments(struct opt_origins *o, ir_ref r)
{
    struct ir_cursor c = cursor_at(o, r, r);
    struct ir_ins ins = *ir_at(o->f, r);
    uint32_t first = ins.op == IR_icall;
    struct ir_signature s = {.argc = (uint8_t)(ins.argc - first)};
    for (uint32_t i = 0; i < s.argc; i++)
        s.args[i] = ir_at(o->f, ins.args[first + i])->type;
    for (uint32_t i = 0; i < s.argc; i++) {
        if (!opt_has_origin((enum ir_type)s.args[i]))
            continue;
        if (has_room(&s))
            add_argument(o->f, r, opt_origin_at(o, &c, ins.args[first + i]));
        else
            tell(o, &c, in_register(o, i + 1), ins.args[first + i]);
    }
    if (ins.op == IR_icall)
        ir_at(o->f, r)->imm =
            ir_signature_add(o->f->module, with_origins(o->f->module->signatures.at[ins.imm]));
}

/* Words that are stored as they were loaded may be parts of a structure, or of what memcpy() copies. */
static void tell_store(struct opt_origins *o, ir_ref r)
{
    struct ir_cursor c = cursor_at(o, r, r);
    struct ir_ins store = *ir_at(o->f, r), value = *ir_at(o->f, store.args[1]);
    struct cell to = in_memory(&c, store.args[0], store.imm);
    if (is_pointer_store(o->f, r))
        tell(o, &c, to, opt_pointer_in(o->f, store.args[1]));
    else if (value.op == IR_load && value.mem == store.mem &&
             (value.mem == IR_MEM_I32 || value.mem == IR_MEM_I64))
        tell_copy(o, &c, to, in_memory(&c, value.args[0], value.imm), ir_mem_info[store.mem].bytes);
}

static void tell_memcpy(struct opt_origins *o, ir_ref r)
{
    struct ir_cursor c = cursor_at(o, r, r);
    struct ir_ins copy = *ir_at(o->f, r);
    struct cell from = in_memory(&c, copy.args[1], 0), to = in_memory(&c, copy.args[0], 0);
    tell_copy(o, &c, to, from, copy.imm);
}

static void tell_result(struct opt_origins *o, ir_ref r)
{
    struct ir_cursor c = cursor_at(o, r, r);
    ir_ref value = o->f->result == IR_TYPE_VOID ? 0 : ir_at(o->f, r)->args[0];
    if (value && opt_has_origin((enum ir_type)ir_at(o->f, value)->type))
        tell(o, &c, in_register(o, 0), value);
}

void opt_origins_tell(struct opt_origins *o, ir_ref r)
{
    switch (ir_at(o->f, r)->op) {
    case IR_call:
    case IR_icall: tell_arguments(o, r); return;
    case IR_ret: tell_result(o, r); return;
    case IR_store:
        if (o->carrying->in_memory)
            tell_store(o, r);
        return;
    case IR_memcpy:
        if (o->carrying->in_memory)
            tell_memcpy(o, r);
    }
}
