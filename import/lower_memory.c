/* lower_memory.c: accesses to memory, and atomic operations. */
#include "import/lower_function.h"

/* ---- memory -------------------------------------------------------------------------------------------- */

/* The bytes that a scalar in memory is read and written as. */
static uint32_t bytes_of(const struct ll_type *t)
{
    switch ((enum ll_kind)t->kind) {
    case LL_INT: return (t->bits + 7) / 8;
    case LL_HALF:
    case LL_BFLOAT: return 2;
    case LL_DOUBLE: return 8;
    default: return 4;
    }
}

/* The next piece of an access that no single one of kernc's does: as large as the alignment allows. */
static uint32_t piece_of(uint64_t offset, uint32_t align, uint32_t rest)
{
    uint32_t piece = rest >= 4 ? 4 : rest >= 2 ? 2 : 1;
    while ((offset | align) & (piece - 1))
        piece /= 2;
    return piece;
}

static enum ir_mem access_of_piece(uint32_t bytes)
{
    return bytes == 4 ? IR_MEM_I32 : bytes == 2 ? IR_MEM_U16 : IR_MEM_U8;
}

/* A pointer to several memories is a number. */
static enum ir_mem access_as(const struct ll_type *scalar, enum ir_type t)
{
    return scalar->kind == LL_POINTER && t == SPACES_SEVERAL ? IR_MEM_I32 : import_access(scalar);
}

static bool is_whole(const struct ll_type *t, uint64_t offset, uint32_t align)
{
    return import_access(t) != IR_MEM_NONE && ((offset | align) & (bytes_of(t) - 1)) == 0;
}

ir_ref import_load(struct lowering *l, const struct ll_type *scalar, enum ir_type t, ir_ref address,
                   uint64_t offset, uint32_t align)
{
    uint32_t bytes = bytes_of(scalar);
    enum ir_type whole = bytes > 4 ? IR_TYPE_I64 : IR_TYPE_I32;
    ir_ref r = 0;
    if (is_whole(scalar, offset, align)) {
        t = import_is_short(scalar) ? IR_TYPE_I32 : t;
        r = ir_emit_load(&l->c, access_as(scalar, t), t, address, (int32_t)offset);
        return import_is_short(scalar) ? import_short_value(l, scalar, r) : r;
    }
    for (uint32_t at = 0, piece; at < bytes; at += piece) {
        piece = piece_of(offset + at, align, bytes - at);
        ir_ref part =
            ir_emit_load(&l->c, access_of_piece(piece), IR_TYPE_I32, address, (int32_t)(offset + at));
        part = whole == IR_TYPE_I64 ? op1(l, IR_zext, whole, part) : part;
        part = at ? op2(l, IR_shl, whole, part, number(l, whole, 8 * at)) : part;
        r = r ? op2(l, IR_or, whole, r, part) : part;
    }
    if (import_is_short(scalar))
        return import_short_value(l, scalar, r);
    return type_of(l, r) == t ? r : op1(l, ir_is_pointer(t) ? IR_ptrcast : IR_bits, t, r);
}

void import_store(struct lowering *l, const struct ll_type *scalar, ir_ref address, uint64_t offset,
                  uint32_t align, ir_ref value)
{
    uint32_t bytes = bytes_of(scalar);
    enum ir_type whole = bytes > 4 ? IR_TYPE_I64 : IR_TYPE_I32;
    value = import_is_short(scalar) ? import_short_bits(l, scalar, value) : value;
    if (is_whole(scalar, offset, align)) {
        ir_emit_store(&l->c, access_as(scalar, type_of(l, value)), address, (int32_t)offset, value);
        return;
    }
    if (scalar->kind == LL_INT)
        value = import_zero_extended(l, value, scalar->bits);
    else if (type_of(l, value) != whole)
        value = op1(l, ir_is_pointer(type_of(l, value)) ? IR_ptrcast : IR_bits, whole, value);
    for (uint32_t at = 0, piece; at < bytes; at += piece) {
        piece = piece_of(offset + at, align, bytes - at);
        ir_ref part = at ? op2(l, IR_lshr, whole, value, number(l, whole, 8 * at)) : value;
        ir_emit_store(&l->c, access_of_piece(piece), address, (int32_t)(offset + at), import_i32(l, part));
    }
}

/* A vector, or several fields that lie together, is one wide access where its alignment is known. */
static uint32_t wide_of(struct lowering *l, const struct ll_ins *i, const struct ll_type *t)
{
    uint64_t bytes = ll_bytes(l->im->ll, t);
    if (t->kind != LL_VECTOR || bytes > IR_MAX_WIDE || bytes < 2 || (bytes & (bytes - 1)) != 0 ||
        i->align < bytes)
        return 0;
    return bytes > ll_bytes(l->im->ll, t->args[0]) ? (uint32_t)bytes : 0;
}

static void begin_wide(struct lowering *l, ir_ref access, uint32_t bytes)
{
    enum ir_op op = (enum ir_op)ir_at(l->f, access)->op;
    if (bytes && (op == IR_load || op == IR_store))
        ir_at(l->f, access)->imm2 = bytes;
}

/* Orders of C11 that are more than relaxed are fences before or behind. */
static bool orders(const struct ll_ins *i, bool before)
{
    const char *o = i->order;
    if (!o || strcmp(o, "unordered") == 0 || strcmp(o, "monotonic") == 0)
        return false;
    return strcmp(o, before ? "acquire" : "release") != 0;
}

static void fence(struct lowering *l)
{
    ir_emit0(&l->c, IR_fence, IR_TYPE_VOID);
    l->im->m->orders = true;
}

/* Of 32 or 64 bits, of memory that other threads see: an operation that nothing else stands for. */
static bool is_atomic_access(struct lowering *l, const struct ll_ins *i, const struct ll_type *t,
                             ir_ref address)
{
    return i->is_atomic && type_of(l, address) != IR_TYPE_PRIVATE &&
           type_of(l, address) != IR_TYPE_CONSTANT && t->kind == LL_INT && (t->bits == 32 || t->bits == 64);
}

/* A volatile access goes to memory: a fence before it keeps others from standing for it. Nobody else sees
 * private memory, and nobody writes constant memory. */
static void order_volatile(struct lowering *l, const struct ll_ins *i, ir_ref address)
{
    enum ir_type t = type_of(l, address);
    if (i->is_volatile && !i->is_atomic && t != IR_TYPE_PRIVATE && t != IR_TYPE_CONSTANT)
        fence(l);
}

/* LLVM packs such a vector's elements, whatever bits a byte has left. */
static void refuse_packed(struct lowering *l, const struct ll_type *t)
{
    if (t->kind == LL_VECTOR && t->args[0]->kind == LL_INT && t->args[0]->bits % 8)
        import_refuse(l, "import-type", "a vector of %s in memory: extend its elements to bytes first",
                      ll_type_text(l->im->arena, t->args[0]));
}

static void lower_load(struct lowering *l, const struct ll_ins *i)
{
    refuse_packed(l, i->type);
    struct components all = import_components(l->im, i->type);
    ir_ref address = import_value(l, i->args[0]);
    order_volatile(l, i, address);
    if (is_atomic_access(l, i, i->type, address)) {
        enum ir_type t = import_scalar(i->type);
        import_define(l, i, 0, import_atomic(l, "or", t, address, ir_const(l->f, t, 0)));
        if (orders(i, false))
            fence(l);
        return;
    }
    uint32_t wide = wide_of(l, i, i->type);
    uint32_t align = i->align ? i->align : ll_align(l->im->ll, i->type);
    for (uint32_t k = 0; k < all.count; k++) {
        ir_ref v =
            import_load(l, all.at[k].type, import_result_type(l, i, k), address, all.at[k].offset, align);
        if (k == 0)
            begin_wide(l, v, wide);
        import_define(l, i, k, v);
    }
    if (i->is_atomic && orders(i, false))
        fence(l);
}

static void lower_store(struct lowering *l, const struct ll_ins *i)
{
    refuse_packed(l, i->args[0]->type);
    struct components all = import_components(l->im, i->args[0]->type);
    ir_ref address = import_value(l, i->args[1]);
    uint32_t wide = wide_of(l, i, i->args[0]->type);
    order_volatile(l, i, address);
    if (i->is_atomic && orders(i, true))
        fence(l);
    if (is_atomic_access(l, i, i->args[0]->type, address)) {
        import_atomic(l, "xchg", import_scalar(i->args[0]->type), address, import_value(l, i->args[0]));
        return;
    }
    uint32_t align = i->align ? i->align : ll_align(l->im->ll, i->args[0]->type);
    VEC(ir_ref) values = {0};
    for (uint32_t k = 0; k < all.count; k++)
        vec_push(l->im->arena, &values, import_component(l, i->args[0], k));
    for (uint32_t k = 0; k < all.count; k++) {
        import_store(l, all.at[k].type, address, all.at[k].offset, align, values.at[k]);
        if (k == 0)
            begin_wide(l, ir_block_at(l->f, l->c.block)->last, wide);
    }
}

static void lower_alloca(struct lowering *l, const struct ll_ins *i)
{
    const char *name = l->ll->locals.at[i->result].name, *dot = name ? strstr(name, ".addr") : NULL;
    uint64_t count = 1;
    if (i->argc && i->args[0]->kind != LL_CONST_INT)
        import_refuse(l, "import-alloca",
                      "an array's length is only known as the kernel runs: give it a constant one");
    else if (i->argc)
        count = i->args[0]->words[0];
    uint64_t bytes = ll_bytes(l->im->ll, i->element);
    if (bytes && count > IR_MAX_OBJECT_BYTES / bytes)
        count = IR_MAX_OBJECT_BYTES / bytes + 1;
    name = dot && !dot[5] ? arena_printf(l->im->arena, "%.*s", (int)(dot - name), name) : name;
    uint32_t align = i->align ? i->align : ll_align(l->im->ll, i->element);
    ir_ref address = import_alloca(l, bytes * count, align, name);
    import_define(l, i, 0, import_as_space(l, address, import_result_type(l, i, 0)));
}

/* ---- atomics ------------------------------------------------------------------------------------------- */

/* What the memory becomes. IR_none: no operation of kernc alone does it. */
static ir_ref updated(struct lowering *l, const char *rmw, enum ir_type t, ir_ref old, ir_ref v)
{
    static const struct {
        const char *name;
        enum ir_op op;
    } plain[] = {{"add", IR_add},  {"sub", IR_sub},   {"and", IR_and},   {"or", IR_or},     {"xor", IR_xor},
                 {"max", IR_smax}, {"min", IR_smin},  {"umax", IR_umax}, {"umin", IR_umin}, {"fadd", IR_add},
                 {"fsub", IR_sub}, {"fmax", IR_fmax}, {"fmin", IR_fmin}};
    for (size_t k = 0; k < COUNT(plain); k++)
        if (strcmp(rmw, plain[k].name) == 0)
            return op2(l, plain[k].op, t, old, v);
    if (strcmp(rmw, "xchg") == 0)
        return v;
    if (strcmp(rmw, "nand") == 0)
        return op1(l, IR_not, t, op2(l, IR_and, t, old, v));
    if (strcmp(rmw, "uinc_wrap") == 0)
        return choose(l, op2(l, IR_ult, IR_TYPE_I1, old, v), op2(l, IR_add, t, old, number(l, t, 1)),
                      number(l, t, 0));
    if (strcmp(rmw, "udec_wrap") == 0) {
        ir_ref keeps = op2(l, IR_and, IR_TYPE_I1, op2(l, IR_ult, IR_TYPE_I1, number(l, t, 0), old),
                           op2(l, IR_ule, IR_TYPE_I1, old, v));
        return choose(l, keeps, op2(l, IR_sub, t, old, number(l, t, 1)), v);
    }
    import_refuse(l, "import-atomic", "there is no atomic operation '%s'", rmw);
    return v;
}

static bool direct_atomic(const char *rmw, enum ir_type t, enum ir_op *op)
{
    static const struct {
        const char *name;
        enum ir_op op;
        bool of_floats;
    } rows[] = {
        {"add", IR_atomic_add, false},   {"sub", IR_atomic_sub, false},   {"and", IR_atomic_and, false},
        {"or", IR_atomic_or, false},     {"xor", IR_atomic_xor, false},   {"max", IR_atomic_smax, false},
        {"min", IR_atomic_smin, false},  {"umax", IR_atomic_umax, false}, {"umin", IR_atomic_umin, false},
        {"xchg", IR_atomic_xchg, false}, {"xchg", IR_atomic_xchg, true},  {"fadd", IR_atomic_add, true},
        {"fsub", IR_atomic_sub, true},   {"fmax", IR_atomic_umax, true},  {"fmin", IR_atomic_umin, true}};
    for (size_t k = 0; k < COUNT(rows); k++)
        if (strcmp(rmw, rows[k].name) == 0 && rows[k].of_floats == (t == IR_TYPE_F32)) {
            *op = rows[k].op;
            return t == IR_TYPE_I32 || t == IR_TYPE_I64 || t == IR_TYPE_F32;
        }
    return false;
}

static ir_ref atomic(struct lowering *l, enum ir_op op, enum ir_type t, ir_ref address, ir_ref a, ir_ref b)
{
    ir_ref args[3] = {address, a, b};
    ir_ref r = ir_emit(&l->c, op, t, b ? 3 : 2, args);
    ir_at(l->f, r)->mem = (uint8_t)(t == IR_TYPE_I64   ? IR_MEM_I64
                                    : t == IR_TYPE_F32 ? IR_MEM_F32
                                                       : IR_MEM_I32);
    return r;
}

/* while (!cas(address, old, f(old))): what no atomic operation does. */
static ir_ref by_cas(struct lowering *l, const char *rmw, enum ir_type t, ir_ref address, ir_ref v)
{
    enum ir_type bits = t == IR_TYPE_F64 ? IR_TYPE_I64 : t == IR_TYPE_F32 ? IR_TYPE_I32 : t;
    bool is_float = bits != t;
    ir_ref first = ir_emit_load(&l->c, bits == IR_TYPE_I64 ? IR_MEM_I64 : IR_MEM_I32, bits, address, 0);
    uint32_t loop = import_block(l, "atomic"), done = ir_block_new(l->f, "atomic.done");
    struct ir_edge *enter = &ir_block_at(l->f, ir_at(l->f, first)->block)->edges.at[0];
    ir_ref old = ir_param_new(l->f, loop, bits, NULL);
    ir_edge_arg(l->f, enter, first);
    ir_ref value = is_float ? op1(l, IR_bits, t, old) : old;
    ir_ref wanted = updated(l, rmw, t, value, v);
    wanted = is_float ? op1(l, IR_bits, bits, wanted) : wanted;
    ir_ref seen = atomic(l, IR_atomic_cas, bits, address, old, wanted);
    ir_emit_brif(&l->c, op2(l, IR_eq, IR_TYPE_I1, seen, old), done, loop);
    ir_edge_arg(l->f, &ir_block_at(l->f, loop)->edges.at[1], seen);
    l->c.block = done;
    return value;
}

ir_ref import_atomic(struct lowering *l, const char *rmw, enum ir_type t, ir_ref address, ir_ref v)
{
    enum ir_op op;
    if (type_of(l, address) == IR_TYPE_PRIVATE) {
        enum ir_mem m = t == IR_TYPE_I64   ? IR_MEM_I64
                        : t == IR_TYPE_F32 ? IR_MEM_F32
                        : t == IR_TYPE_F64 ? IR_MEM_F64
                                           : IR_MEM_I32;
        ir_ref old = ir_emit_load(&l->c, m, t, address, 0);
        ir_emit_store(&l->c, m, address, 0, updated(l, rmw, t, old, v));
        return old;
    }
    return direct_atomic(rmw, t, &op) ? atomic(l, op, t, address, v, 0) : by_cas(l, rmw, t, address, v);
}

ir_ref import_cas(struct lowering *l, enum ir_type t, ir_ref address, ir_ref expected, ir_ref wanted)
{
    if (type_of(l, address) != IR_TYPE_PRIVATE)
        return atomic(l, IR_atomic_cas, t, address, expected, wanted);
    enum ir_mem m = t == IR_TYPE_I64 ? IR_MEM_I64 : IR_MEM_I32;
    ir_ref old = ir_emit_load(&l->c, m, t, address, 0);
    ir_emit_store(&l->c, m, address, 0, choose(l, op2(l, IR_eq, IR_TYPE_I1, old, expected), wanted, old));
    return old;
}

static bool check_atomic(struct lowering *l, const struct ll_type *t)
{
    bool fits = (t->kind == LL_INT && (t->bits == 32 || t->bits == 64)) || t->kind == LL_FLOAT ||
                t->kind == LL_DOUBLE;
    if (!fits)
        import_refuse(l, "import-atomic", "an atomic operation on %s: kernc has those of 32 and 64 bits",
                      ll_type_text(l->im->arena, t));
    return fits;
}

static void lower_rmw(struct lowering *l, const struct ll_ins *i)
{
    ir_ref address = import_value(l, i->args[0]), v = import_value(l, i->args[1]);
    if (!check_atomic(l, i->args[1]->type)) {
        import_define(l, i, 0, v);
        return;
    }
    if (orders(i, true))
        fence(l);
    import_define(l, i, 0, import_atomic(l, i->rmw, import_scalar(i->args[1]->type), address, v));
    if (orders(i, false))
        fence(l);
}

static void lower_cmpxchg(struct lowering *l, const struct ll_ins *i)
{
    ir_ref address = import_value(l, i->args[0]), expected = import_value(l, i->args[1]);
    ir_ref wanted = import_value(l, i->args[2]);
    enum ir_type t = import_scalar(i->args[1]->type);
    if (i->args[1]->type->kind != LL_INT || !check_atomic(l, i->args[1]->type)) {
        if (!l->failed)
            import_refuse(l, "import-atomic", "a cmpxchg on %s: kernc has those of i32 and i64",
                          ll_type_text(l->im->arena, i->args[1]->type));
        import_define(l, i, 0, expected);
        import_define(l, i, 1, ir_const_i1(l->f, false));
        return;
    }
    if (orders(i, true))
        fence(l);
    ir_ref old = import_cas(l, t, address, expected, wanted);
    if (orders(i, false))
        fence(l);
    import_define(l, i, 0, old);
    import_define(l, i, 1, op2(l, IR_eq, IR_TYPE_I1, old, expected));
}

/* ---- pointers to several memories ------------------------------------------------------------------------ */

static void meet(struct arms *a)
{
    struct lowering *l = a->l;
    uint32_t arm = l->c.block;
    ir_emit_br(&l->c, a->meet);
    for (uint32_t k = 0; k < a->count; k++) {
        if (ir_block_at(l->f, a->meet)->params.count <= k)
            ir_param_new(l->f, a->meet, type_of(l, a->values[k]), NULL);
        ir_edge_arg(l->f, &ir_block_at(l->f, arm)->edges.at[0], a->values[k]);
    }
    l->c.block = a->test;
}

/* The memories, in order of the numbers of their addresses: each from `begin` on, and below `end`. */
static const struct {
    enum ir_type space;
    uint32_t begin, end;
} memories[] = {{IR_TYPE_GLOBAL, 0, SPACES_PRIVATE - SPACES_MARGIN},
                {IR_TYPE_PRIVATE, SPACES_PRIVATE, SPACES_SHARED - SPACES_MARGIN},
                {IR_TYPE_SHARED, SPACES_SHARED, UINT32_MAX}};

/* From number `from` on, one that is among the several. */
static uint32_t next_memory(const struct importer *im, uint32_t from)
{
    while (from < COUNT(memories) && !(im->several >> memories[from].space & 1))
        from++;
    return from;
}

bool import_next_arm(struct arms *a, ir_ref *in_one)
{
    struct lowering *l = a->l;
    enum ir_type t = SPACES_SEVERAL;
    *in_one = a->address;
    if (type_of(l, a->address) != SPACES_SEVERAL)
        return !a->next++;
    if (a->next)
        meet(a);
    else
        a->meet = ir_block_new(l->f, "meet");
    uint32_t k = next_memory(l->im, a->next);
    a->next = k + 1;
    if (k == COUNT(memories)) {
        l->c.block = a->meet;
        for (uint32_t n = 0; n < a->count; n++)
            a->values[n] = ir_block_at(l->f, a->meet)->params.at[n];
        return false;
    }
    if (next_memory(l->im, k + 1) < COUNT(memories)) {
        uint32_t arm = ir_block_new(l->f, "one");
        a->test = ir_block_new(l->f, "other");
        ir_emit_brif(&l->c, op2(l, IR_ult, IR_TYPE_I1, a->address, number(l, t, memories[k].end)), arm,
                     a->test);
        l->c.block = arm;
    }
    ir_ref address = a->address;
    if (memories[k].begin)
        address = op2(l, IR_sub, t, address, number(l, t, memories[k].begin));
    *in_one = op1(l, IR_ptrcast, memories[k].space, address);
    return true;
}

bool import_lower_several(struct lowering *l, const struct ll_ins *i)
{
    uint32_t n = 0;
    while (n < i->argc && !(import_accesses(l->im, i, n) && i->args[n]->type->kind == LL_POINTER &&
                            import_component_type(l, i->args[n], 0) == SPACES_SEVERAL))
        n++;
    if (n == i->argc)
        return false;
    /* The instruction with an operand that is like no other. */
    struct ll_value operand = *i->args[n];
    struct ll_ins one = *i;
    one.args = arena_array(l->im->arena, struct ll_value *, i->argc);
    memcpy(one.args, i->args, i->argc * sizeof *i->args);
    one.args[n] = &operand;
    ir_ref *results = i->result == UINT32_MAX ? NULL : &l->values[l->spaces->first[i->result]];
    struct arms arms = {.l = l, .address = import_value(l, i->args[n])};
    arms.count = results ? import_components(l->im, i->type).count : 0;
    arms.values = arena_array(l->im->arena, ir_ref, arms.count + 1);
    struct address_in_one in_one = {.operand = &operand, .next = l->in_one};
    while (import_next_arm(&arms, &in_one.address)) {
        l->in_one = &in_one;
        import_lower_ins(l, &one);
        l->in_one = in_one.next;
        for (uint32_t k = 0; k < arms.count; k++)
            arms.values[k] = results[k] ? results[k] : ir_const(l->f, import_result_type(l, i, k), 0);
    }
    for (uint32_t k = 0; k < arms.count; k++)
        results[k] = arms.values[k];
    return true;
}

void import_lower_memory(struct lowering *l, const struct ll_ins *i)
{
    switch ((enum ll_op)i->op) {
    case LL_OP_alloca: lower_alloca(l, i); break;
    case LL_OP_load: lower_load(l, i); break;
    case LL_OP_store: lower_store(l, i); break;
    case LL_OP_cmpxchg: lower_cmpxchg(l, i); break;
    case LL_OP_atomicrmw: lower_rmw(l, i); break;
    default: fence(l); break;
    }
}
