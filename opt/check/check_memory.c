/* check_memory.c: each access to memory is reported to the checker (runtime/check/), and what orders accesses.
 *
 * Runs before any pass that removes accesses, but for mem2reg, so that the checker sees those that were
 * written. A check.memory stands before each load, store, atomic operation, memcpy and memzero of global and
 * shared memory; of private memory, which no other thread has, and constant data, which nobody writes, before
 * those that may lie outside of their variable, or in one that was declared without a value. Its text is
 *
 *     CHECKS KIND SPACE BYTES SIZE NAME
 *
 * CHECKS: sum of enum opt_memory_check. KIND: r load, w store of the value given, W other store, a atomic; of
 * private memory also C a copy from the private address given as the value, c what is copied elsewhere, d what
 * a C copies; and, as the front end says: u a variable begins without a value, v with one, but may get copies
 * of what has none (NAME, then the layout of its elements); s no access, but a shift of SIZE bits to where NAME
 * says, by the amount given as the value, unsigned if BYTES is 1.
 * SPACE: g, h (shared), p, or c: constant data or a buffer. SIZE and NAME: of the object that the address was
 * derived from by mere additions, which is b then; SIZE 0: not known, but b is its origin (origins.h, which has
 * more kinds); CHECK_UNSIZED: as the launch says. A check.sync stands behind each fence and syncwarp, and where
 * barriers.c says. Linear.
 */
#include "opt/check/check_memory.h"
#include "base/checks.h"
#include "opt/check/origins.h"

enum { OPT_CHECK_GAP = 4 }; /* bytes between objects, where bounds are checked */

struct instrument {
    struct opt_context *c;
    struct ir_module *m;
    struct ir_function *f;
    struct opt_carrying *carrying; /* NULL: bounds are not checked */
    struct opt_origins *origins;   /* of f */
    bool looks, looks_constant;    /* the checker has to look for shared objects; for constant ones */
    bool any_unwritten;            /* some variable of the module begins without a value */
    struct bitset unwritten;       /* the allocas of f that do, or get copies of such */
    unsigned checks;               /* enum opt_memory_check: as asked for, or all */
    uint32_t made;
};

struct access {
    char kind;
    ir_ref address, value; /* value 0: none */
    int64_t offset;
    uint32_t bytes;
};

/* ---- objects ----------------------------------------------------------------------------------------- */

char opt_space_letter(enum ir_type address)
{
    switch (address) {
    case IR_TYPE_GLOBAL: return 'g';
    case IR_TYPE_SHARED: return 'h';
    case IR_TYPE_PRIVATE: return 'p';
    default: return 0; /* constant data */
    }
}

static char space_of(const struct instrument *x, ir_ref address)
{
    enum ir_type type = (enum ir_type)ir_at(x->f, address)->type;
    return type == IR_TYPE_CONSTANT ? 'c' : opt_space_letter(type);
}

/* The variable that has this number, or this alloca. */
static const char *object_name(const struct instrument *x, int64_t object, uint32_t *size)
{
    const struct ir_object *o = &x->m->objects.at[object];
    uint32_t unsized = ir_unsized_number(ir_kernel_info(x->m, x->f->id), (uint32_t)object);
    *size = o->unit ? CHECK_UNSIZED(unsized) : o->size;
    return arena_strdup(x->c->scratch, o->name, strcspn(o->name, ".")); /* as it is in the source */
}

static const char *alloca_name(const struct instrument *x, ir_ref r, uint32_t *size)
{
    *size = (uint32_t)ir_at(x->f, r)->imm;
    return ir_at(x->f, r)->name ? ir_at(x->f, r)->name : "variable";
}

/* Size 0: the checker has to look. */
static const char *name_of(const struct instrument *x, ir_ref root, uint32_t *size)
{
    const struct ir_ins *ins = ir_at(x->f, root);
    *size = 0;
    if (ins->op == IR_alloca)
        return alloca_name(x, root, size);
    return ins->op == IR_object ? object_name(x, ins->imm, size) : "";
}

/* ---- checks ------------------------------------------------------------------------------------------ */

ir_ref opt_bits_of(struct ir_cursor *c, ir_ref value)
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

/* Whether the access can't be outside of its variable, or need not be checked. */
static bool is_inside(const struct instrument *x, const struct access *a)
{
    struct ir_address at = ir_address_of(x->f, a->address);
    uint64_t end = (uint64_t)(uint32_t)(at.offset + a->offset) + a->bytes;
    uint32_t size;
    name_of(x, at.root, &size);
    return !(x->checks & OPT_CHECK_BOUNDS) || (size && end <= size);
}

/* The pointer that this one was made from by additions. */
static ir_ref root_of(const struct ir_function *f, ir_ref pointer)
{
    while (ir_at(f, pointer)->op == IR_ptradd)
        pointer = ir_at(f, pointer)->args[0];
    return pointer;
}

/* Whether the access to private memory may be to a variable that began without a value. */
static bool may_be_unwritten(const struct instrument *x, ir_ref address)
{
    ir_ref root = root_of(x->f, address);
    return x->any_unwritten && (ir_at(x->f, root)->op != IR_alloca || bitset_has(x->unwritten, root));
}

static void check_access(struct instrument *x, ir_ref r, struct access a)
{
    uint32_t size;
    char space = space_of(x, a.address);
    bool unknown_value = a.value && ir_at(x->f, a.value)->type == IR_TYPE_FUNCTION;
    bool unwritten = a.kind != 'd' && space == 'p' && may_be_unwritten(x, a.address);
    unsigned checks = space == 'c'                ? x->checks & OPT_CHECK_BOUNDS
                      : space != 'p' || unwritten ? x->checks
                                                  : x->checks & ~(unsigned)OPT_CHECK_UNINIT;
    if (!space || (strchr("pc", space) && !unwritten && is_inside(x, &a)))
        return;
    struct ir_cursor c = cursor_before(x, r);
    ir_ref root = opt_origin_at(x->origins, &c, a.address), address = a.address,
           value = opt_bits_of(&c, a.value);
    const char *name = name_of(x, root, &size);
    x->looks |= space == 'h' && size == 0;
    x->looks_constant |= space == 'c' && size == 0;
    if (a.offset)
        address = ir_emit2(&c, IR_ptradd, (enum ir_type)ir_at(x->f, a.address)->type, a.address,
                           ir_const_i32(x->f, (uint32_t)a.offset));
    ir_ref check = ir_emit3(&c, IR_check_memory, IR_TYPE_VOID, address, root, value);
    set_text(x, check,
             arena_printf(x->c->scratch, "%u %c %c %u %u %s", checks, unknown_value ? 'W' : a.kind, space,
                          a.bytes, size, name));
}

static void check_sync(struct instrument *x, ir_ref r, const char *which)
{
    struct ir_cursor c = cursor_before(x, r);
    c.before = ir_at(x->f, r)->next;
    set_text(x, ir_emit0(&c, IR_check_sync, IR_TYPE_VOID), which);
}

static void check_copy(struct instrument *x, ir_ref r)
{
    struct ir_ins i = *ir_at(x->f, r);
    ir_ref to = i.args[0], from = i.args[1];
    uint32_t bytes = (uint32_t)i.imm;
    bool from_private = space_of(x, from) == 'p',
         both = from_private && space_of(x, to) == 'p' && may_be_unwritten(x, to);
    check_access(x, r, (struct access){both ? 'd' : from_private ? 'c' : 'r', from, 0, 0, bytes});
    check_access(x, r, (struct access){both ? 'C' : 'W', to, both ? from : 0, 0, bytes});
}

static void check_ins(struct instrument *x, ir_ref r)
{
    struct ir_ins i = *ir_at(x->f, r);
    uint32_t bytes = ir_mem_info[i.mem].bytes;
    switch (i.op) {
    case IR_load: check_access(x, r, (struct access){'r', i.args[0], 0, i.imm, bytes}); return;
    case IR_store: check_access(x, r, (struct access){'w', i.args[0], i.args[1], i.imm, bytes}); return;
    case IR_memcpy: check_copy(x, r); return;
    case IR_memzero: check_access(x, r, (struct access){'W', i.args[0], 0, 0, (uint32_t)i.imm}); return;
    case IR_fence: check_sync(x, r, "f"); return;
    case IR_syncwarp: check_sync(x, r, "g"); return;
    default:
        if (i.op >= IR_atomic_add && i.op <= IR_atomic_cas)
            check_access(x, r, (struct access){'a', i.args[0], 0, i.imm, bytes});
    }
}

/* ---- objects that pointers lead to ------------------------------------------------------------------- */

/* The object at the address is known from here on. */
static void tell_object(struct instrument *x, struct ir_cursor *c, ir_ref at, const char *name, uint32_t size)
{
    ir_ref check = ir_emit3(c, IR_check_memory, IR_TYPE_VOID, at, at, ir_const(x->f, IR_TYPE_I64, 0));
    set_text(x, check,
             arena_printf(x->c->scratch, "%u o %c 0 %u %s", x->checks, space_of(x, at), size, name));
}

/* Whether operand i is an address that is accessed, or that another is derived from. */
static bool is_address(const struct ir_ins *ins, uint32_t i)
{
    bool atomic = ins->op >= IR_atomic_add && ins->op <= IR_atomic_cas, copy = ins->op == IR_memcpy;
    bool described = ins->op == IR_check_memory || ins->op == IR_check_origin;
    bool first = ins->op == IR_load || ins->op == IR_store || ins->op == IR_memzero || ins->op == IR_ptradd;
    return copy || described || ((first || atomic) && i == 0);
}

/* The allocas whose addresses go elsewhere. */
static struct bitset find_escaped(const struct instrument *x)
{
    struct bitset escaped = bitset_new(x->c->scratch, x->f->ins.count);
    ir_each_block(i, b, x->f) {
        ir_each_ins(r, x->f, b) {
            const struct ir_ins *ins = ir_at(x->f, r);
            for (uint32_t k = 0; k < ins->argc; k++)
                if (!is_address(ins, k))
                    bitset_add(escaped, root_of(x->f, ins->args[k]));
        }
        const struct ir_block *from = ir_block_at(x->f, b);
        for (uint32_t e = 0; e < from->edges.count; e++)
            for (uint32_t k = 0; k < from->edges.at[e].argc; k++)
                bitset_add(escaped, root_of(x->f, from->edges.at[e].args[k]));
    }
    return escaped;
}

/* Behind each a gap, so that a pointer to its end is not one to the next. */
static void tell_allocas(struct instrument *x)
{
    struct bitset escaped = find_escaped(x);
    ir_each_block(i, b, x->f)
        for (ir_ref r = ir_block_at(x->f, b)->first, next; r; r = next) {
            uint32_t size;
            next = ir_at(x->f, r)->next;
            if (ir_at(x->f, r)->op != IR_alloca || !bitset_has(escaped, r))
                continue;
            struct ir_cursor c = cursor_before(x, r);
            const char *name = alloca_name(x, r, &size);
            c.before = next;
            tell_object(x, &c, r, name, size);
        }
}

/* Those whose addresses go elsewhere have values, but for those that the front end named. */
static void tell_written(struct instrument *x)
{
    struct bitset escaped = find_escaped(x);
    ir_each_block(i, b, x->f)
        for (ir_ref r = ir_block_at(x->f, b)->first, next; r; r = next) {
            next = ir_at(x->f, r)->next;
            if (ir_at(x->f, r)->op != IR_alloca || bitset_has(x->unwritten, r) || !bitset_has(escaped, r))
                continue;
            struct ir_cursor c = cursor_before(x, r);
            uint32_t size = (uint32_t)ir_at(x->f, r)->imm;
            c.before = next;
            ir_ref check = ir_emit3(&c, IR_check_memory, IR_TYPE_VOID, r, r, ir_const(x->f, IR_TYPE_I64, 0));
            set_text(x, check, arena_printf(x->c->scratch, "4 W p %u %u variable", size, size));
        }
}

static bool is_looked_for(const struct instrument *x, const struct ir_object *o)
{
    return o->space == IR_TYPE_SHARED ? x->looks : x->looks_constant;
}

/* As the kernel begins. */
static void tell_objects(struct instrument *x)
{
    uint32_t entry = ir_entry(x->f), size;
    const struct ir_kernel_info *info = ir_kernel_info(x->m, x->f->id);
    struct ir_cursor c = cursor_before(x, ir_block_at(x->f, entry)->first);
    for (uint32_t k = 0; k < x->m->objects.count; k++) {
        const struct ir_object *o = &x->m->objects.at[k];
        if (!is_looked_for(x, o) || (o->unit && ir_unsized_number(info, k) == IR_NOT_UNSIZED))
            continue;
        const char *name = object_name(x, k, &size);
        ir_ref object = ir_emit0(&c, IR_object, (enum ir_type)o->space);
        ir_at(x->f, object)->imm = k;
        tell_object(x, &c, object, name, size);
    }
}

/* ---- the pass ---------------------------------------------------------------------------------------- */

/* The allocas of which the front end says that they begin without a value, or may come to have none. */
static void find_unwritten(struct instrument *x)
{
    x->unwritten = bitset_new(x->c->scratch, x->f->ins.count);
    ir_each_block(i, b, x->f)
        ir_each_ins(r, x->f, b) {
            const struct ir_ins *ins = ir_at(x->f, r);
            char kind = ins->op == IR_check_memory ? x->m->texts.at[ins->imm].text[2] : 0;
            if (kind != 'u' && kind != 'v')
                continue;
            bitset_add(x->unwritten, root_of(x->f, ins->args[0]));
            x->any_unwritten |= kind == 'u';
        }
}

static void check_function(struct instrument *x)
{
    bool bounds = x->checks & OPT_CHECK_BOUNDS;
    uint32_t last = x->f->ins.count;
    find_unwritten(x);
    x->origins = opt_origins_new(x->c->scratch, x->f, x->carrying);
    ir_each_block(i, b, x->f)
        for (ir_ref r = ir_block_at(x->f, b)->first, next; r; r = next) {
            next = ir_at(x->f, r)->next;
            if (r >= last)
                continue;
            check_ins(x, r);
            if (x->carrying)
                opt_origins_tell(x->origins, r);
        }
    if (bounds)
        tell_allocas(x);
    if (x->any_unwritten)
        tell_written(x);
}

static void make_gap(struct ir_module *m, struct ir_object *o)
{
    if (o->space == IR_TYPE_CONSTANT) {
        uint8_t *bytes = arena_array(&m->arena, uint8_t, o->size + OPT_CHECK_GAP);
        memcpy(bytes, o->bytes, o->size);
        o->bytes = bytes;
    }
    o->size += OPT_CHECK_GAP;
}

/* Behind each object a gap, so that a pointer to its end is not one to the next. */
static void make_gaps(struct instrument *x)
{
    struct ir_module *m = x->m;
    for (uint32_t k = 0; k < m->objects.count; k++) {
        struct ir_object *o = &m->objects.at[k];
        if (!o->unit && (o->space == IR_TYPE_SHARED || x->looks_constant))
            make_gap(m, o);
    }
    for (uint32_t k = 0; k < m->functions.count; k++)
        ir_each_block(i, b, m->functions.at[k])
            ir_each_ins(r, m->functions.at[k], b)
                if (ir_at(m->functions.at[k], r)->op == IR_alloca)
                    ir_at(m->functions.at[k], r)->imm += OPT_CHECK_GAP;
}

bool opt_check_memory(struct opt_context *c, struct ir_module *m)
{
    unsigned all = OPT_CHECK_RACE | OPT_CHECK_BOUNDS | OPT_CHECK_UNINIT, asked = c->options->check_memory,
             checks = asked ? asked : all | OPT_CHECK_BARRIER, accesses = checks & all;
    struct instrument x = {.c = c, .m = m, .checks = accesses};
    if (checks & OPT_CHECK_BARRIER)
        x.made = opt_check_barriers(c, m);
    for (uint32_t k = 0; checks & OPT_CHECK_UNINIT && k < m->functions.count; k++) {
        x.f = m->functions.at[k];
        find_unwritten(&x); /* of any function, before the first */
    }
    if (accesses & OPT_CHECK_BOUNDS)
        x.carrying = opt_carrying_new(c->scratch, m);
    for (uint32_t k = 0; accesses && k < m->functions.count; k++) {
        x.f = m->functions.at[k];
        check_function(&x);
    }
    for (uint32_t k = 0; x.carrying && k < m->functions.count; k++) {
        x.f = m->functions.at[k];
        if (x.f->flags & IR_FN_KERNEL)
            tell_objects(&x);
    }
    if (x.carrying)
        make_gaps(&x);
    x.made += x.carrying ? x.carrying->made : 0;
    opt_count(c, "accesses", x.made);
    return x.made != 0;
}
