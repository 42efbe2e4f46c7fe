/* check_memory.c: each access to memory is told to the checker (runtime/check/), and what orders accesses.
 *
 * Runs before any pass that removes accesses, but for mem2reg, so that the checker sees those that were
 * written. A check.memory stands before each load, store, atomic operation, memcpy and memzero of global and
 * shared memory; of private memory, which no other thread has, before those that may lie outside of their
 * variable. Its text is
 *
 *     CHECKS KIND SPACE BYTES SIZE NAME
 *
 * CHECKS: sum of enum opt_memory_check. KIND: r load, w store of the value given, W other store, a atomic.
 * SPACE: g, h (shared) or p. SIZE and NAME: of the object that the address was derived from by mere
 * additions, which is b then; SIZE 0: not known, 2^32 - 1: as the launch says. A check.sync stands behind each
 * fence and syncwarp. Linear.
 */
#include "opt/pass.h"

struct instrument {
    struct opt_context *c;
    struct ir_module *m;
    struct ir_function *f;
    uint32_t made;
};

struct access {
    char kind;
    ir_ref address, value; /* value 0: none */
    int64_t offset;
    uint32_t bytes;
};

/* ---- objects ----------------------------------------------------------------------------------------- */

static char space_of(const struct instrument *x, ir_ref address)
{
    switch (ir_at(x->f, address)->type) {
    case IR_TYPE_GLOBAL: return 'g';
    case IR_TYPE_SHARED: return 'h';
    case IR_TYPE_PRIVATE: return 'p';
    default: return 0; /* constant data: nobody writes there */
    }
}

static ir_ref root_of(const struct ir_function *f, ir_ref address)
{
    while (ir_at(f, address)->op == IR_ptradd)
        address = ir_at(f, address)->args[0];
    return address;
}

static const char *name_of(const struct instrument *x, ir_ref root, uint32_t *size)
{
    const struct ir_ins *ins = ir_at(x->f, root);
    *size = 0;
    if (ins->op == IR_alloca) {
        *size = (uint32_t)ins->imm;
        return ins->name ? ins->name : "variable";
    }
    if (ins->op != IR_object)
        return "";
    const struct ir_object *o = &x->m->objects.at[ins->imm];
    *size = o->unit ? UINT32_MAX : o->size;
    return arena_strdup(x->c->scratch, o->name, strcspn(o->name, ".")); /* as it is in the source */
}

/* ---- checks ------------------------------------------------------------------------------------------ */

static ir_ref bits_of(struct ir_cursor *c, ir_ref value)
{
    enum ir_type t = value ? (enum ir_type)ir_at(c->fn, value)->type : IR_TYPE_I64;
    if (!value)
        return ir_const(c->fn, IR_TYPE_I64, 0);
    if (t == IR_TYPE_F64)
        return ir_emit1(c, IR_bits, IR_TYPE_I64, value);
    if (t == IR_TYPE_F32)
        value = ir_emit1(c, IR_bits, IR_TYPE_I32, value);
    else if (ir_is_pointer(t) && t != IR_TYPE_FUNCTION)
        value = ir_emit1(c, IR_ptrcast, IR_TYPE_I32, value);
    else if (t == IR_TYPE_FUNCTION)
        return ir_const(c->fn, IR_TYPE_I64, 0);
    return t == IR_TYPE_I64 ? value : ir_emit1(c, IR_zext, IR_TYPE_I64, value);
}

static struct ir_cursor cursor_before(const struct instrument *x, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    return (struct ir_cursor){.fn = x->f, .block = ins->block, .before = r, .at = ins->at};
}

static void set_text(struct instrument *x, ir_ref check, const char *text)
{
    ir_at(x->f, check)->imm = ir_text_add(x->m, text, strlen(text));
    x->made++;
}

static void check_access(struct instrument *x, ir_ref r, struct access a)
{
    uint32_t size;
    char space = space_of(x, a.address);
    ir_ref root = root_of(x->f, a.address);
    const char *name = name_of(x, root, &size);
    bool unknown_value = a.value && ir_at(x->f, a.value)->type == IR_TYPE_FUNCTION;
    if (!space || (space == 'p' && (size == 0 || root == a.address)))
        return;
    struct ir_cursor c = cursor_before(x, r);
    ir_ref address = a.address, value = bits_of(&c, a.value);
    if (a.offset)
        address = ir_emit2(&c, IR_ptradd, (enum ir_type)ir_at(x->f, a.address)->type, a.address,
                           ir_const_i32(x->f, (uint32_t)a.offset));
    ir_ref check = ir_emit3(&c, IR_check_memory, IR_TYPE_VOID, address, root, value);
    set_text(x, check,
             arena_printf(x->c->scratch, "%u %c %c %u %u %s", x->c->options->check_memory,
                          unknown_value ? 'W' : a.kind, space, a.bytes, size, name));
}

static void check_sync(struct instrument *x, ir_ref r, const char *which)
{
    struct ir_cursor c = cursor_before(x, r);
    c.before = ir_at(x->f, r)->next;
    set_text(x, ir_emit0(&c, IR_check_sync, IR_TYPE_VOID), which);
}

static void check_ins(struct instrument *x, ir_ref r)
{
    struct ir_ins i = *ir_at(x->f, r);
    uint32_t bytes = ir_mem_info[i.mem].bytes;
    switch (i.op) {
    case IR_load: check_access(x, r, (struct access){'r', i.args[0], 0, i.imm, bytes}); return;
    case IR_store: check_access(x, r, (struct access){'w', i.args[0], i.args[1], i.imm, bytes}); return;
    case IR_memcpy:
        check_access(x, r, (struct access){'r', i.args[1], 0, 0, (uint32_t)i.imm});
        check_access(x, r, (struct access){'W', i.args[0], 0, 0, (uint32_t)i.imm});
        return;
    case IR_memzero: check_access(x, r, (struct access){'W', i.args[0], 0, 0, (uint32_t)i.imm}); return;
    case IR_fence: check_sync(x, r, "f"); return;
    case IR_syncwarp: check_sync(x, r, "g"); return;
    default:
        if (i.op >= IR_atomic_add && i.op <= IR_atomic_cas)
            check_access(x, r, (struct access){'a', i.args[0], 0, i.imm, bytes});
    }
}

bool opt_check_memory(struct opt_context *c, struct ir_module *m)
{
    struct instrument x = {.c = c, .m = m};
    for (uint32_t k = 0; k < m->functions.count; k++) {
        x.f = m->functions.at[k];
        ir_each_block(i, b, x.f)
            for (ir_ref r = ir_block_at(x.f, b)->first, next; r; r = next) {
                next = ir_at(x.f, r)->next;
                check_ins(&x, r);
            }
    }
    opt_count(c, "accesses", x.made);
    return x.made != 0;
}
