/* mem2reg.c: private variables become values, aggregates field by field (SSA construction with scalar
 * replacement of aggregates).
 *
 * slots.c finds the pieces of allocas that can be values; here each gets a carrier type, its accesses become
 * reads and writes of a variable, and opt_construct_ssa does the rest.
 *
 * A slot accessed as several types has an integer for its carrier, converted at each access to the bits that
 * memory would give. So has a float that is copied both in from memory and out to it: in a register a NaN
 * would become canonical on the way, in memory it does not.
 *
 * Needs dominators; keeps blocks and edges. Near-linear: see ssa.c and the limits in slots.h.
 */
#include "opt/scalar/slots.h"

struct rewrite {
    struct opt_context *c;
    struct ir_function *f;
    struct opt_slots s;
    struct opt_variables variables;
    VEC(uint8_t) types; /* of the variables */
    VEC(const char *) names;
    u32_vec of; /* by ref, as in struct opt_variables */
    struct opt_renaming renaming;
};

/* ---- carriers ---------------------------------------------------------------------------------------- */

static enum ir_mem integer_access(uint32_t size)
{
    return size == 1 ? IR_MEM_U8 : size == 2 ? IR_MEM_U16 : size == 4 ? IR_MEM_I32 : IR_MEM_I64;
}

/* How the slot's carrier is moved from and to memory. */
static enum ir_mem carrier_access(struct opt_slots *s, struct opt_slot *x)
{
    const struct opt_slot *l = opt_slot_leader(s, x);
    bool bits_change = ir_is_float(l->type) || l->type == IR_TYPE_I1;
    if (!l->accessed || l->mixed || (bits_change && l->copied_in && l->copied_out))
        return integer_access(x->size);
    return l->mem;
}

static enum ir_type carrier_type(struct opt_slots *s, struct opt_slot *x)
{
    enum ir_mem m = carrier_access(s, x);
    return m == IR_MEM_PTR ? opt_slot_leader(s, x)->type : ir_mem_info[m].type;
}

static ir_ref to_carrier(struct ir_cursor *c, enum ir_type carrier, ir_ref value)
{
    enum ir_type t = ir_at(c->fn, value)->type;
    if (t == carrier)
        return value;
    return ir_emit1(c, ir_is_float(t) ? IR_bits : t == IR_TYPE_I1 ? IR_zext : IR_ptrcast, carrier, value);
}

/* What a load of type t as m gives when the slot's bytes are those of `value`. */
static ir_ref from_carrier(struct ir_cursor *c, enum ir_mem m, enum ir_type t, ir_ref value)
{
    enum ir_type carrier = ir_at(c->fn, value)->type;
    if (t == carrier)
        return opt_reloaded(c, m, value);
    if (t != IR_TYPE_I1)
        return ir_emit1(c, ir_is_float(t) ? IR_bits : IR_ptrcast, t, value);
    ir_ref byte = ir_emit1(c, IR_zext8, IR_TYPE_I32, value);
    return ir_emit2(c, IR_ne, IR_TYPE_I1, byte, ir_const_i32(c->fn, 0));
}

/* ---- accesses ---------------------------------------------------------------------------------------- */

static void reserve_touches(struct rewrite *w, uint32_t count)
{
    uint32_t old = w->of.count;
    if (count <= old)
        return;
    vec_resize(w->c->scratch, &w->of, count);
    memset(w->of.at + old, 0, (count - old) * sizeof *w->of.at);
}

static void touches(struct rewrite *w, ir_ref r, uint32_t variable)
{
    reserve_touches(w, r + 1);
    w->of.at[r] = variable;
}

/* Reads and writes of a variable look like loads and stores at address 0 of private memory; they never get
 * further than opt_construct_ssa. */
static ir_ref read_slot(struct rewrite *w, struct ir_cursor *c, struct opt_slot *x)
{
    enum ir_mem m = carrier_access(&w->s, x);
    ir_ref r = ir_emit_load(c, m, carrier_type(&w->s, x), ir_const(w->f, IR_TYPE_PRIVATE, 0), 0);
    touches(w, r, x->variable);
    return r;
}

static void write_slot(struct rewrite *w, struct ir_cursor *c, struct opt_slot *x, ir_ref value)
{
    touches(w, ir_emit_store(c, carrier_access(&w->s, x), ir_const(w->f, IR_TYPE_PRIVATE, 0), 0, value),
            x->variable);
}

/* What the load or store accesses, if it is a slot. */
static struct opt_slot *slot_at_access(struct rewrite *w, const struct ir_ins *ins)
{
    uint32_t root = ins->args[0] < w->s.old_count ? w->s.root[ins->args[0]] : 0;
    if (!root || w->s.all.at[root - 1].escapes)
        return NULL;
    return opt_slot_at(&w->s, root - 1, w->s.offset[ins->args[0]] + (uint32_t)ins->imm);
}

static struct opt_slot *slot_of_access(struct rewrite *w, const struct ir_ins *ins)
{
    struct opt_slot *x = slot_at_access(w, ins);
    return x && x->variable ? x : NULL;
}

static void rewrite_load(struct rewrite *w, ir_ref r)
{
    struct ir_ins ins = *ir_at(w->f, r);
    struct opt_slot *x = slot_of_access(w, &ins);
    if (!x)
        return;
    struct ir_cursor c = {.fn = w->f, .block = ins.block, .before = r, .at = ins.at};
    ir_ref value = from_carrier(&c, ins.mem, ins.type, read_slot(w, &c, x));
    opt_rename(&w->renaming, w->f, r, value);
    ir_remove(w->f, r);
    opt_count(w->c, "loads replaced", 1);
}

static void rewrite_store(struct rewrite *w, ir_ref r)
{
    struct ir_ins ins = *ir_at(w->f, r);
    struct opt_slot *x = slot_of_access(w, &ins);
    if (!x)
        return;
    struct ir_cursor c = {.fn = w->f, .block = ins.block, .before = r, .at = ins.at};
    write_slot(w, &c, x, to_carrier(&c, carrier_type(&w->s, x), opt_renamed(&w->renaming, ins.args[1])));
    ir_remove(w->f, r);
    opt_count(w->c, "stores replaced", 1);
}

/* ---- memcpy and memzero ------------------------------------------------------------------------------ */

static void rewrite_zero(struct rewrite *w, const struct opt_block_operation *o)
{
    struct ir_ins ins = *ir_at(w->f, o->r);
    struct ir_cursor c = {.fn = w->f, .block = ins.block, .before = o->r, .at = ins.at};
    for (uint32_t at = w->s.all.at[o->to - 1].first_slot; at; at = w->s.slots.at[at].next) {
        struct opt_slot *x = &w->s.slots.at[at];
        if (x->variable && x->offset >= o->to_offset && x->offset < o->to_offset + o->bytes)
            write_slot(w, &c, x, ir_const(w->f, carrier_type(&w->s, x), 0));
    }
    if (!w->s.all.at[o->to - 1].keeps_memory)
        ir_remove(w->f, o->r);
}

static void move_slot(struct rewrite *w, struct ir_cursor *c, const struct opt_block_operation *o,
                      const ir_ref *address, uint32_t at, struct opt_slot *x)
{
    struct opt_slot *to = o->to ? opt_slot_at(&w->s, o->to - 1, o->to_offset + at) : NULL;
    struct opt_slot *from = o->from ? opt_slot_at(&w->s, o->from - 1, o->from_offset + at) : NULL;
    enum ir_mem m = carrier_access(&w->s, x);
    ir_ref value =
        from ? read_slot(w, c, from) : ir_emit_load(c, m, carrier_type(&w->s, x), address[1], (int32_t)at);
    if (to)
        write_slot(w, c, to, value);
    else
        ir_emit_store(c, m, address[0], (int32_t)at, value);
}

static void rewrite_copy(struct rewrite *w, const struct opt_block_operation *o)
{
    struct ir_ins ins = *ir_at(w->f, o->r);
    struct ir_cursor c = {.fn = w->f, .block = ins.block, .before = o->r, .at = ins.at};
    uint32_t v = (o->to ? o->to : o->from) - 1, start = o->to ? o->to_offset : o->from_offset;
    for (uint32_t at = w->s.all.at[v].first_slot; at; at = w->s.slots.at[at].next) {
        struct opt_slot *x = &w->s.slots.at[at];
        if (x->offset >= start && x->offset < start + o->bytes)
            move_slot(w, &c, o, ins.args, x->offset - start, x);
    }
    ir_remove(w->f, o->r);
    opt_count(w->c, "copies split", 1);
}

/* ---- the whole --------------------------------------------------------------------------------------- */

/* Whether `name` is that of a member of the variable `of`, "p.x" of "p"; of NULL, any name is. */
static bool names_member(const char *name, const char *of)
{
    size_t n = of ? strlen(of) : 0;
    if (!of)
        return true;
    return strncmp(name, of, n) == 0 && name[n] == '.' && !(name[n + 1] >= '0' && name[n + 1] <= '9');
}

/* Gives slots the names of the first loads of them that have some: only these know a member's name. */
static void name_slots(struct rewrite *w)
{
    ir_each_block(i, b, w->f)
        ir_each_ins(r, w->f, b) {
            const struct ir_ins *ins = ir_at(w->f, r);
            uint32_t root = ins->op == IR_load ? w->s.root[ins->args[0]] : 0;
            struct opt_slot *x = root ? slot_at_access(w, ins) : NULL;
            if (x && !x->name && ins->name &&
                names_member(ins->name, ir_at(w->f, w->s.all.at[root - 1].alloca)->name))
                x->name = ins->name;
        }
}

static const char *slot_name(struct rewrite *w, const struct opt_aggregate *a, const struct opt_slot *x)
{
    const char *name = ir_at(w->f, a->alloca)->name;
    if (x->name)
        return x->name;
    return !name || a->slot_count == 1
               ? name
               : intern_z(&w->f->module->strings, arena_printf(w->c->scratch, "%s.%u", name, x->offset));
}

static void make_variables(struct rewrite *w)
{
    for (uint32_t v = 0; v < w->s.all.count; v++) {
        const struct opt_aggregate *a = &w->s.all.at[v];
        for (uint32_t at = a->first_slot; at && !a->escapes; at = w->s.slots.at[at].next) {
            struct opt_slot *x = &w->s.slots.at[at];
            if (x->in_memory)
                continue;
            vec_push(w->c->scratch, &w->types, (uint8_t)carrier_type(&w->s, x));
            vec_push(w->c->scratch, &w->names, slot_name(w, a, x));
            x->variable = w->types.count;
        }
    }
}

static void rewrite_accesses(struct rewrite *w)
{
    for (uint32_t i = 0; i < w->s.operations.count; i++) {
        const struct opt_block_operation *o = &w->s.operations.at[i];
        if (o->copies && (o->to || o->from))
            rewrite_copy(w, o);
        else if (!o->copies && o->to)
            rewrite_zero(w, o);
    }
    ir_each_block(i, b, w->f)
        for (ir_ref r = ir_block_at(w->f, b)->first, next; r; r = next) {
            next = ir_at(w->f, r)->next;
            if (ir_at(w->f, r)->op == IR_load)
                rewrite_load(w, r);
            else if (ir_at(w->f, r)->op == IR_store && r < w->s.old_count)
                rewrite_store(w, r);
        }
}

/* Addresses of what no longer is in memory. */
static void remove_addresses(struct rewrite *w)
{
    for (ir_ref r = 1; r < w->s.old_count; r++) {
        const struct opt_aggregate *a = w->s.root[r] ? &w->s.all.at[w->s.root[r] - 1] : NULL;
        if (a && !a->escapes && !a->keeps_memory && ir_at(w->f, r)->op != IR_none)
            ir_remove(w->f, r);
    }
}

bool opt_mem2reg(struct opt_context *c, struct ir_function *f)
{
    struct rewrite w = {.c = c, .f = f, .renaming.arena = c->scratch};
    opt_slots_find(&w.s, c->scratch, f, opt_cfg(c, f));
    name_slots(&w);
    make_variables(&w);
    bool any = w.types.count != 0;
    for (uint32_t v = 0; v < w.s.all.count; v++)
        any |= !w.s.all.at[v].escapes && !w.s.all.at[v].keeps_memory;
    if (!any)
        return false;
    if (!opt_ssa_possible(c, f)) {
        opt_remark(c, f, OPT_MISSED, "frontier-limit", f->at,
                   "variables stay in memory: dominance frontiers too large");
        return false;
    }
    rewrite_accesses(&w);
    remove_addresses(&w);
    opt_rename_all(&w.renaming, f);
    reserve_touches(&w, f->ins.count);
    w.variables = (struct opt_variables){w.types.count, w.types.at, w.names.at, w.of.at};
    opt_construct_ssa(c, f, &w.variables);
    opt_count(c, "variables", w.types.count);
    return true;
}
