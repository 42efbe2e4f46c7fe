/* lower_call.c: calls: of functions with a body, through pointers, and of what the vocabulary has. */
#include "base/conversion.h"
#include "import/vocabulary.h"

static const char *callee_name(const struct importer *im, const struct ll_ins *i)
{
    return i->callee->kind == LL_FUNCTION_REF ? im->ll->functions.at[i->callee->number].name : "";
}

/* ---- tokens -------------------------------------------------------------------------------------------- */

static ir_ref token_of(struct lowering *l, const struct ll_ins *i)
{
    for (uint32_t b = 0; b < i->bundle_count; b++)
        if (strcmp(i->bundles[b].tag, "convergencectrl") == 0 && i->bundles[b].argc)
            return import_value(l, i->bundles[b].args[0]);
    return 0;
}

static bool is_convergent_op(enum ir_op op)
{
    return op && (ir_op_info[op].flags & IR_CONVERGENT);
}

bool import_call_converges(struct importer *im, const struct ll_ins *i)
{
    if (i->callee->kind == LL_ASM)
        return false;
    if (i->callee->kind != LL_FUNCTION_REF)
        return i->is_convergent;
    const struct builtin *b = import_builtin(im, i->callee->number);
    return b && (is_convergent_op(b->op) || b->how == HOW_VOTE || b->how == HOW_SHUFFLE ||
                 b->how == HOW_VOTE_INT || b->how == HOW_SCAN_EXCLUSIVE);
}

bool import_accesses(struct importer *im, const struct ll_ins *i, uint32_t n)
{
    const struct builtin *b =
        i->op == LL_OP_call && import_callee(im, i) == UINT32_MAX && i->callee->kind == LL_FUNCTION_REF
            ? import_builtin(im, i->callee->number)
            : NULL;
    if (i->op != LL_OP_call)
        return n == (i->op == LL_OP_store) && (i->op == LL_OP_load || i->op == LL_OP_store ||
                                               i->op == LL_OP_cmpxchg || i->op == LL_OP_atomicrmw);
    if (!b)
        return false;
    switch (b->how) {
    case HOW_OP: return ir_is_atomic(b->op);
    case HOW_VLOAD:
    case HOW_VSTORE:
    case HOW_MEMCPY:
    case HOW_MEMSET:
    case HOW_LOAD:
    case HOW_ATOMIC:
    case HOW_ATOMIC_LOAD:
    case HOW_ATOMIC_STORE:
    case HOW_COMPARE_EXCHANGE:
    case HOW_ASYNC_COPY:
    case HOW_FRACT:
    case HOW_MODF:
    case HOW_SINCOS: return true;
    default: return false;
    }
}

/* ---- values between types ------------------------------------------------------------------------------ */

/* A value as what an operation takes or the call gives: truth values and integers of any width. */
static ir_ref fit(struct lowering *l, ir_ref v, enum ir_type t)
{
    enum ir_type from = type_of(l, v);
    if (from == t)
        return v;
    if (t == IR_TYPE_I1 && (from == IR_TYPE_I32 || from == IR_TYPE_I64))
        return op2(l, IR_ne, t, v, ir_const(l->f, from, 0));
    if (t == IR_TYPE_I32 && (from == IR_TYPE_I64 || from == IR_TYPE_I1))
        return import_i32(l, v);
    if (t == IR_TYPE_I64 && (from == IR_TYPE_I32 || from == IR_TYPE_I1))
        return ir_emit1(&l->c, IR_zext, t, v);
    if (ir_is_pointer(from) && (ir_is_pointer(t) || t == IR_TYPE_I32))
        return ir_emit1(&l->c, IR_ptrcast, t, v);
    if (ir_is_float(from) != ir_is_float(t) && ir_type_info[from].bytes == ir_type_info[t].bytes)
        return ir_emit1(&l->c, IR_bits, t, v);
    import_refuse(l, "import-call", "'%s' has other types than its name says", callee_name(l->im, l->ins));
    return ir_const(l->f, t, 0);
}

void import_give(struct lowering *l, const struct ll_ins *i, uint32_t component, ir_ref v)
{
    if (i->result != UINT32_MAX && import_components(l->im, i->type).count)
        import_define(l, i, component, fit(l, v, import_result_type(l, i, component)));
}

/* ---- functions with a body ----------------------------------------------------------------------------- */

static void add_args(struct lowering *l, const struct ll_ins *i, u32_vec *args)
{
    for (uint32_t a = 0; a < i->argc; a++)
        for (uint32_t k = 0; k < import_components(l->im, i->args[a]->type).count; k++)
            vec_push(l->im->arena, args, import_component(l, i->args[a], k));
}

/* Private memory for a result of several scalars, or 0. */
static ir_ref result_memory(struct lowering *l, const struct ll_ins *i)
{
    return import_components(l->im, i->type).count > 1
               ? import_alloca(l, ll_bytes(l->im->ll, i->type), ll_align(l->im->ll, i->type), NULL)
               : 0;
}

static void take_result(struct lowering *l, const struct ll_ins *i, ir_ref call, ir_ref memory)
{
    struct components all = import_components(l->im, i->type);
    if (!memory && all.count == 1)
        import_define(l, i, 0, call);
    for (uint32_t k = 0; memory && k < all.count; k++)
        import_define(l, i, k,
                      import_load(l, all.at[k].type, import_result_type(l, i, k), memory, all.at[k].offset,
                                  ll_align(l->im->ll, i->type)));
}

static bool few_args(struct lowering *l, const u32_vec *args)
{
    if (args->count > IR_MAX_ARGS)
        import_refuse(l, "import-limit",
                      "a call passes more than %u numbers (IR_MAX_ARGS): pass a pointer to them",
                      IR_MAX_ARGS);
    return args->count <= IR_MAX_ARGS;
}

static void call_function(struct lowering *l, const struct ll_ins *i, uint32_t callee)
{
    struct importer *im = l->im;
    const struct space_call *c = &l->spaces->calls.at[map_get(&l->spaces->call_index, (uintptr_t)i)];
    const struct function_spaces *s = &im->spaces[callee];
    uint8_t *assigned = arena_alloc(im->arena, s->interface.count + 1);
    for (uint32_t k = 0; k < s->interface.count; k++)
        assigned[k] = (uint8_t)spaces_of_object(im, l->assigned, c->objects.at[k]);
    const struct ll_function *f = &im->ll->functions.at[callee];
    ir_ref memory = result_memory(l, i);
    u32_vec args = {0};
    if (f->is_kernel || f->type != i->element || i->argc != f->param_count) {
        import_refuse(l, "import-call",
                      f->is_kernel ? "a kernel is called: kernels are launched"
                                   : "'%s' is called with other types than it has",
                      import_function_name(im, callee));
        return;
    }
    if (memory)
        vec_push(im->arena, &args, memory);
    add_args(l, i, &args);
    bitset_each(g, im->implicit[callee])
        vec_push(im->arena, &args, map_get(&l->objects, g));
    if (!few_args(l, &args))
        return;
    struct ir_function *to = import_instance(im, callee, assigned);
    ir_ref call = ir_emit(&l->c, IR_call, (enum ir_type)to->result, args.count, args.at);
    ir_at(l->f, call)->imm = to->id;
    if (to->flags & IR_FN_CONVERGENT)
        ir_at(l->f, call)->token = token_of(l, i);
    take_result(l, i, call, memory);
}

/* Through a pointer: the signature is that of the functions whose addresses may come here. */
static void call_pointer(struct lowering *l, const struct ll_ins *i)
{
    struct importer *im = l->im;
    ir_ref memory = result_memory(l, i);
    struct ir_signature sig = {.result = IR_TYPE_VOID, .convergent = i->is_convergent};
    u32_vec args = {0};
    vec_push(im->arena, &args, import_value(l, i->callee));
    if (memory)
        vec_push(im->arena, &args, memory);
    add_args(l, i, &args);
    if (!few_args(l, &args))
        return;
    if (import_components(im, i->type).count == 1)
        sig.result =
            (uint8_t)(i->result == UINT32_MAX ? import_scalar(import_components(im, i->type).at[0].type)
                                              : import_result_type(l, i, 0));
    sig.argc = (uint8_t)(args.count - 1);
    for (uint32_t a = 1; a < args.count; a++)
        sig.args[a - 1] = ir_at(l->f, args.at[a])->type;
    ir_ref call = ir_emit(&l->c, IR_icall, (enum ir_type)sig.result, args.count, args.at);
    ir_at(l->f, call)->imm = ir_signature_add(im->m, sig);
    ir_at(l->f, call)->token = sig.convergent ? token_of(l, i) : 0;
    take_result(l, i, call, memory);
}

/* ---- functions of numbers ------------------------------------------------------------------------------ */

static void call_elements(struct lowering *l, const struct ll_ins *i, const struct builtin *b)
{
    struct components out = import_components(l->im, i->type);
    for (uint32_t k = 0; k < out.count; k++) {
        struct element e = {.l = l, .builtin = *b, .result = out.at[k].type, .n = i->argc < 4 ? i->argc : 4};
        e.type = e.result;
        for (uint32_t a = 0; a < e.n; a++) {
            struct components in = import_components(l->im, i->args[a]->type);
            const struct ll_type *t = in.at[in.count > 1 ? k % in.count : 0].type;
            e.a[a] = import_component(l, i->args[a], in.count > 1 ? k % in.count : 0);
            e.type = a ? e.type : t;
            if (b->how != HOW_OP && t->kind == LL_INT && t->bits < 32 && t->bits > 1)
                e.a[a] = b->is_unsigned || b->op == IR_umax ? import_zero_extended(l, e.a[a], t->bits)
                                                            : import_sign_extended(l, e.a[a], t->bits);
        }
        import_give(l, i, k, import_element(&e));
    }
}

/* ---- the thread's place -------------------------------------------------------------------------------- */

static ir_ref special(struct lowering *l, enum ir_special s)
{
    ir_ref r = ir_emit0(&l->c, IR_special, IR_TYPE_I32);
    ir_at(l->f, r)->imm = s;
    return r;
}

/* The register of axis 0, 1 or 2 of four groups of three; of a dimension beyond them `otherwise`. */
static ir_ref by_axis(struct lowering *l, const struct ll_value *axis,
                      ir_ref (*of)(struct lowering *, uint32_t, uint32_t), uint32_t first, uint32_t otherwise)
{
    if (axis->kind == LL_CONST_INT)
        return axis->words[0] < 3 ? of(l, first, (uint32_t)axis->words[0]) : ir_const_i32(l->f, otherwise);
    ir_ref n = import_i32(l, import_value(l, axis)), r = ir_const_i32(l->f, otherwise);
    for (uint32_t k = 0; k < 3; k++)
        r = ir_emit3(&l->c, IR_select, IR_TYPE_I32, op2(l, IR_eq, IR_TYPE_I1, n, ir_const_i32(l->f, k)),
                     of(l, first, k), r);
    return r;
}

static ir_ref axis_of(struct lowering *l, uint32_t first, uint32_t axis)
{
    return special(l, (enum ir_special)(first + axis));
}

static ir_ref global_size(struct lowering *l, uint32_t first, uint32_t axis)
{
    UNUSED(first);
    return op2(l, IR_mul, IR_TYPE_I32, special(l, (enum ir_special)(IR_SPECIAL_GDIM_X + axis)),
               special(l, (enum ir_special)(IR_SPECIAL_BDIM_X + axis)));
}

static ir_ref global_id(struct lowering *l, uint32_t first, uint32_t axis)
{
    UNUSED(first);
    ir_ref begin = op2(l, IR_mul, IR_TYPE_I32, special(l, (enum ir_special)(IR_SPECIAL_BID_X + axis)),
                       special(l, (enum ir_special)(IR_SPECIAL_BDIM_X + axis)));
    return op2(l, IR_add, IR_TYPE_I32, begin, special(l, (enum ir_special)(IR_SPECIAL_TID_X + axis)));
}

/* (z * sizes y + y) * sizes x + x */
static ir_ref linear(struct lowering *l, ir_ref (*id)(struct lowering *, uint32_t, uint32_t), uint32_t first,
                     ir_ref (*size)(struct lowering *, uint32_t, uint32_t))
{
    ir_ref r = id(l, first, 2);
    for (uint32_t axis = 2; axis-- > 0;)
        r = op2(l, IR_add, IR_TYPE_I32, op2(l, IR_mul, IR_TYPE_I32, r, size(l, IR_SPECIAL_BDIM_X, axis)),
                id(l, first, axis));
    return r;
}

ir_ref import_local_linear(struct lowering *l)
{
    return linear(l, axis_of, IR_SPECIAL_TID_X, axis_of);
}

ir_ref import_block_size(struct lowering *l)
{
    ir_ref n = special(l, IR_SPECIAL_BDIM_X);
    n = op2(l, IR_mul, IR_TYPE_I32, n, special(l, IR_SPECIAL_BDIM_Y));
    return op2(l, IR_mul, IR_TYPE_I32, n, special(l, IR_SPECIAL_BDIM_Z));
}

static ir_ref warps_of_block(struct lowering *l)
{
    ir_ref n = import_block_size(l), size = special(l, IR_SPECIAL_WARPSIZE);
    n = op2(l, IR_sub, IR_TYPE_I32, op2(l, IR_add, IR_TYPE_I32, n, size), ir_const_i32(l->f, 1));
    return op2(l, IR_udiv, IR_TYPE_I32, n, size);
}

/* The last one of a block may have fewer than others. */
static ir_ref threads_of_warp(struct lowering *l)
{
    ir_ref size = special(l, IR_SPECIAL_WARPSIZE);
    ir_ref before = op2(l, IR_mul, IR_TYPE_I32, special(l, IR_SPECIAL_WARP), size);
    return op2(l, IR_umin, IR_TYPE_I32, size, op2(l, IR_sub, IR_TYPE_I32, import_block_size(l), before));
}

/* The last dimension in which there is more than one work item. */
static ir_ref work_dim(struct lowering *l)
{
    ir_ref n = ir_const_i32(l->f, 1);
    for (uint32_t axis = 1; axis < 3; axis++) {
        ir_ref several = op2(l, IR_ult, IR_TYPE_I1, ir_const_i32(l->f, 1), global_size(l, 0, axis));
        n = ir_emit3(&l->c, IR_select, IR_TYPE_I32, several, ir_const_i32(l->f, axis + 1), n);
    }
    return n;
}

static ir_ref place_of(struct lowering *l, const struct ll_ins *i, const struct builtin *b)
{
    const struct ll_value *axis = i->argc ? i->args[0] : NULL;
    const char *name = callee_name(l->im, i);
    switch (b->how) {
    case HOW_AXIS:
        return axis_of(l, b->reg,
                       (uint32_t)(strchr("xyz", name[strlen(name) - 1]) ? name[strlen(name) - 1] - 'x' : 0));
    case HOW_REGISTER: return special(l, b->reg);
    case HOW_DIMENSION: {
        bool is_size = b->reg == IR_SPECIAL_BDIM_X || b->reg == IR_SPECIAL_GDIM_X;
        return by_axis(l, axis, axis_of, b->reg, is_size);
    }
    case HOW_GLOBAL_ID: return by_axis(l, axis, global_id, 0, 0);
    case HOW_GLOBAL_SIZE: return by_axis(l, axis, global_size, 0, 1);
    case HOW_GLOBAL_LINEAR: return linear(l, global_id, 0, global_size);
    case HOW_LOCAL_LINEAR: return import_local_linear(l);
    case HOW_NUM_WARPS: return warps_of_block(l);
    case HOW_WARP_THREADS: return threads_of_warp(l);
    case HOW_CLOCK: return ir_emit0(&l->c, IR_clock, IR_TYPE_I64);
    default: return work_dim(l);
    }
}

/* ---- threads together ---------------------------------------------------------------------------------- */

/* Operation `op` on the first components of args from `first` on. */
static ir_ref converge(struct lowering *l, const struct ll_ins *i, enum ir_op op, uint32_t first)
{
    ir_ref args[2];
    const char *types = ir_op_info[op].types + 2;
    uint32_t n = (uint32_t)ir_op_info[op].argc;
    enum ir_type t = ir_fixed_type(op) >= 0 ? (enum ir_type)ir_fixed_type(op) : IR_TYPE_VOID;
    for (uint32_t k = 0; k < n; k++) {
        if (first + k >= i->argc) {
            import_refuse(l, "import-call", "'%s' has too few arguments", callee_name(l->im, i));
            return ir_const_i32(l->f, 0);
        }
        args[k] = import_value(l, i->args[first + k]);
        if (types[k] == 'b')
            args[k] = fit(l, args[k], IR_TYPE_I1);
        else if (types[k] == 'i')
            args[k] = fit(l, args[k], IR_TYPE_I32);
        else if (k == 0)
            t = type_of(l, args[0]);
    }
    ir_ref r = ir_emit(&l->c, op, t, n, args);
    ir_at(l->f, r)->token = token_of(l, i);
    if (op == IR_anchor)
        l->im->m->orders = true;
    return r;
}

/* NVPTX's shuffle: mask, value, lane, and a clamp with a segment mask in its upper half, which says how the
 * warp is cut into parts. A lane that is not in the part gives the own value. */
static void call_shuffle(struct lowering *l, const struct ll_ins *i, enum ir_op op)
{
    scalar_bits clamp = 0;
    if (i->argc < 4 || !ir_is_const(l->f, import_value(l, i->args[3]), &clamp) || (clamp >> 8 & 0x1f)) {
        import_refuse(l, "import-call",
                      "a shuffle within parts of a warp: write it with kernc's own header "
                      "(cuda_runtime.h), which computes the lane");
        return;
    }
    import_give(l, i, 0, converge(l, i, op, 1));
}

/* The sum below the own lane: the inclusive one without the own value. */
static void call_exclusive(struct lowering *l, const struct ll_ins *i)
{
    ir_ref r = converge(l, i, IR_scan_add, 0);
    import_give(l, i, 0, op2(l, IR_sub, type_of(l, r), r, import_value(l, i->args[0])));
}

/* ---- memory -------------------------------------------------------------------------------------------- */

struct count_loop import_begin_loop(struct lowering *l, ir_ref first, ir_ref count)
{
    uint32_t before = l->c.block, test = import_block(l, "loop"), body = ir_block_new(l->f, "each");
    struct count_loop loop = {.test = test, .done = ir_block_new(l->f, "done")};
    loop.n = ir_param_new(l->f, loop.test, IR_TYPE_I32, NULL);
    ir_edge_arg(l->f, &ir_block_at(l->f, before)->edges.at[0], first);
    ir_emit_brif(&l->c, op2(l, IR_ult, IR_TYPE_I1, loop.n, count), body, loop.done);
    l->c.block = body;
    return loop;
}

void import_end_loop(struct lowering *l, const struct count_loop *loop, ir_ref step)
{
    ir_ref next = op2(l, IR_add, IR_TYPE_I32, loop->n, step);
    uint32_t end = l->c.block;
    ir_emit_br(&l->c, loop->test);
    ir_edge_arg(l->f, &ir_block_at(l->f, end)->edges.at[0], next);
    l->c.block = loop->done;
}

/* Copies or sets as many bytes as are only known when the kernel runs. */
static void loop_bytes(struct lowering *l, ir_ref count, ir_ref to, ir_ref from, ir_ref value)
{
    struct count_loop loop = import_begin_loop(l, ir_const_i32(l->f, 0), count);
    if (from)
        value =
            ir_emit_load(&l->c, IR_MEM_U8, IR_TYPE_I32, op2(l, IR_ptradd, type_of(l, from), from, loop.n), 0);
    ir_emit_store(&l->c, IR_MEM_U8, op2(l, IR_ptradd, type_of(l, to), to, loop.n), 0, value);
    import_end_loop(l, &loop, ir_const_i32(l->f, 1));
}

static void call_memcpy(struct lowering *l, const struct ll_ins *i)
{
    ir_ref to = import_value(l, i->args[0]), from = import_value(l, i->args[1]);
    ir_ref count = import_i32(l, import_value(l, i->args[2]));
    scalar_bits n;
    if (!ir_is_const(l->f, count, &n)) {
        loop_bytes(l, count, to, from, 0);
        return;
    }
    if (!n)
        return;
    ir_ref r = op2(l, IR_memcpy, IR_TYPE_VOID, to, from);
    ir_at(l->f, r)->imm = (int64_t)n;
}

static void call_memset(struct lowering *l, const struct ll_ins *i)
{
    ir_ref to = import_value(l, i->args[0]), value = import_value(l, i->args[1]);
    ir_ref count = import_i32(l, import_value(l, i->args[2]));
    scalar_bits n, v;
    if (ir_is_const(l->f, count, &n) && ir_is_const(l->f, value, &v) && (v & 0xff) == 0) {
        if (n)
            ir_at(l->f, ir_emit1(&l->c, IR_memzero, IR_TYPE_VOID, to))->imm = (int64_t)n;
        return;
    }
    loop_bytes(l, count, to, 0, value);
}

static void call_fence(struct lowering *l)
{
    ir_emit0(&l->c, IR_fence, IR_TYPE_VOID);
    l->im->m->orders = true;
}

/* What atomicrmw calls an atomic operation of kernc. */
static const char *rmw_name(enum ir_op op, enum ir_type t)
{
    bool f = ir_is_float(t);
    switch (op) {
    case IR_atomic_add: return f ? "fadd" : "add";
    case IR_atomic_sub: return f ? "fsub" : "sub";
    case IR_atomic_smin: return f ? "fmin" : "min";
    case IR_atomic_smax: return f ? "fmax" : "max";
    case IR_atomic_umin: return f ? "fmin" : "umin";
    case IR_atomic_umax: return f ? "fmax" : "umax";
    case IR_atomic_and: return "and";
    case IR_atomic_or: return "or";
    case IR_atomic_xor: return "xor";
    default: return "xchg";
    }
}

/* The value's type is the result's, or that of the operand; OpenCL's inc and dec have none. */
static void call_atomic(struct lowering *l, const struct ll_ins *i, enum ir_op op)
{
    ir_ref address = import_value(l, i->args[0]);
    enum ir_type t = i->result != UINT32_MAX ? import_result_type(l, i, 0)
                     : i->argc > 1           ? import_component_type(l, i->args[1], 0)
                                             : IR_TYPE_I32;
    ir_ref v = i->argc > 1 ? fit(l, import_value(l, i->args[1]), t) : ir_const(l->f, t, 1);
    if (op == IR_atomic_cas) {
        enum ir_type bits = t == IR_TYPE_F32 ? IR_TYPE_I32 : t == IR_TYPE_F64 ? IR_TYPE_I64 : t;
        ir_ref wanted = i->argc > 2 ? fit(l, import_value(l, i->args[2]), t) : v;
        import_give(l, i, 0, import_cas(l, bits, address, fit(l, v, bits), fit(l, wanted, bits)));
        return;
    }
    import_give(l, i, 0, import_atomic(l, rmw_name(op, t), t, address, v));
}

/* A load that nothing else's may stand for: memory | 0. A store: an exchange. */
static void call_atomic_access(struct lowering *l, const struct ll_ins *i, bool stores)
{
    ir_ref address = import_value(l, i->args[0]);
    if (stores) {
        import_atomic(l, "xchg", import_component_type(l, i->args[1], 0), address,
                      import_value(l, i->args[1]));
        return;
    }
    enum ir_type t = i->result != UINT32_MAX ? import_result_type(l, i, 0) : IR_TYPE_I32;
    enum ir_type bits = t == IR_TYPE_F32 ? IR_TYPE_I32 : t == IR_TYPE_F64 ? IR_TYPE_I64 : t;
    import_give(l, i, 0, import_atomic(l, "or", bits, address, ir_const(l->f, bits, 0)));
}

/* C11's: where memory was not as expected, what it was replaces what is pointed to. */
static void call_compare_exchange(struct lowering *l, const struct ll_ins *i)
{
    const struct ll_type *t = import_components(l->im, i->args[2]->type).at[0].type;
    enum ir_type bits =
        t->kind == LL_DOUBLE || (t->kind == LL_INT && t->bits == 64) ? IR_TYPE_I64 : IR_TYPE_I32;
    ir_ref expected = import_value(l, i->args[1]), wanted = fit(l, import_value(l, i->args[2]), bits);
    enum ir_mem m = bits == IR_TYPE_I64 ? IR_MEM_I64 : IR_MEM_I32;
    ir_ref before = ir_emit_load(&l->c, m, bits, expected, 0);
    ir_ref old = import_cas(l, bits, import_value(l, i->args[0]), before, wanted);
    ir_emit_store(&l->c, m, expected, 0, old);
    import_give(l, i, 0, op2(l, IR_eq, IR_TYPE_I1, old, before));
}

/* ---- text ---------------------------------------------------------------------------------------------- */

/* The constant text that the value points to, or NULL. */
static const char *text_of(struct lowering *l, const struct ll_value *v, size_t *n)
{
    while (v->kind == LL_EXPRESSION && v->argc)
        v = v->args[0];
    if (v->kind != LL_GLOBAL)
        return NULL;
    const struct ll_value *value = l->im->ll->globals.at[v->number].initial;
    struct text t = {.arena = l->im->arena};
    if (!value || (value->kind != LL_AGGREGATE && value->kind != LL_ZERO))
        return NULL;
    for (uint32_t k = 0; k < value->argc && value->args[k]->kind == LL_CONST_INT && value->args[k]->words[0];
         k++) {
        char c = (char)value->args[k]->words[0];
        text_add(&t, &c, 1);
    }
    *n = t.length;
    return t.at ? t.at : "";
}

/* The text that an argument points to, for %s: in the format, where a % is two. */
static bool add_string(struct lowering *l, const struct ll_value *v, struct text *format)
{
    size_t n;
    const char *s = text_of(l, v, &n);
    for (size_t k = 0; s && k < n; k++)
        text_printf(format, s[k] == '%' ? "%%%%" : "%c", s[k]);
    return s != NULL;
}

static ir_ref print_operand(struct lowering *l, ir_ref v, enum conversion_operand kind)
{
    switch (kind) {
    case CONVERSION_INT: return fit(l, v, IR_TYPE_I32);
    case CONVERSION_LONG: return fit(l, v, IR_TYPE_I64);
    default: return v;
    }
}

/* One operation that prints; %s of a constant becomes part of the format, and so do vectors (%v4f). */
static void call_printf(struct lowering *l, const struct ll_ins *i)
{
    struct text format = {.arena = l->im->arena};
    u32_vec args = {0};
    size_t n = 0;
    const char *text = i->argc ? text_of(l, i->args[0], &n) : NULL, *at = text, *end = text + n;
    uint32_t next = 1;
    if (!text) {
        import_refuse(l, "import-printf", "printf's format is not a constant text");
        return;
    }
    while (at < end) {
        struct conversion c = {0};
        const char *percent = memchr(at, '%', (size_t)(end - at));
        if (percent && percent + 1 < end && strchr("-+ #0123456789.*s", percent[1])) {
            const char *s = percent + 1 + strspn(percent + 1, "-+ #0123456789.");
            if (*s == 's' && next < i->argc) {
                text_add(&format, at, (size_t)(percent - at));
                if (!add_string(l, i->args[next++], &format))
                    import_refuse(l, "import-printf", "%%s prints a text that is not constant");
                at = s + 1;
                continue;
            }
        }
        const char *behind = conversion_next(at, end, &c);
        if (!behind) {
            text_add(&format, at, (size_t)(end - at));
            break;
        }
        text_add(&format, at, (size_t)(behind - at));
        at = behind;
        uint32_t operands = c.stars + (c.operand != CONVERSION_NONE);
        for (uint32_t k = 0; k < operands && next < i->argc; k++) {
            ir_ref v = import_value(l, i->args[next]);
            next++;
            vec_push(l->im->arena, &args, print_operand(l, v, k < c.stars ? CONVERSION_INT : c.operand));
        }
    }
    if (args.count > IR_MAX_HOST_ARGS) {
        import_refuse(l, "import-limit",
                      "a printf prints more than %u values (IR_MAX_HOST_ARGS): print the rest with another",
                      IR_MAX_HOST_ARGS);
        return;
    }
    ir_ref r = ir_emit(&l->c, IR_printf, IR_TYPE_VOID, args.count, args.at);
    ir_at(l->f, r)->imm = ir_text_add(l->im->m, format.at ? format.at : "", format.length);
    if (i->result != UINT32_MAX && import_components(l->im, i->type).count)
        import_give(l, i, 0, ir_const_i32(l->f, 0));
}

static void call_assert(struct lowering *l, const struct ll_ins *i, ir_ref condition, uint32_t text)
{
    size_t n = 0;
    const char *s = text < i->argc ? text_of(l, i->args[text], &n) : NULL;
    ir_ref r = ir_emit1(&l->c, IR_assert, IR_TYPE_VOID, condition);
    ir_at(l->f, r)->imm = s ? ir_text_add(l->im->m, s, n) : ir_text_add(l->im->m, "assertion failed", 16);
}

/* What follows a trap is not reached. */
static void call_trap(struct lowering *l, const struct ll_ins *i)
{
    size_t n = 0;
    const char *s = i->argc && i->args[0]->type->kind == LL_POINTER ? text_of(l, i->args[0], &n) : NULL;
    static const char text[] = "the kernel traps";
    import_trap(l, s ? s : text, s ? n : sizeof text - 1);
    l->c.block = ir_block_new(l->f, "unreached");
}

/* ---- kernc's own operations ----------------------------------------------------------------------------- */

/* Numbers that the text of kernc's IR has as immediates are constant arguments here. */
static int64_t immediate(struct lowering *l, const struct ll_ins *i, uint32_t n)
{
    return n < i->argc && i->args[n]->kind == LL_CONST_INT
               ? (int64_t)i->args[n]->words[0]
               : (import_refuse(l, "import-call", "argument %u of '%s' is not a constant", n + 1,
                                callee_name(l->im, i)),
                  0);
}

static void call_kernc(struct lowering *l, const struct ll_ins *i, const struct builtin *b)
{
    enum ir_op op = b->op;
    if (ir_is_pure(op)) {
        call_elements(l, i, b);
    } else if (ir_is_atomic(op)) {
        call_atomic(l, i, op);
    } else if (is_convergent_op(op)) {
        import_give(l, i, 0, converge(l, i, op, 0));
    } else if (op == IR_fence) {
        call_fence(l);
    } else if (op == IR_clock) {
        import_give(l, i, 0, ir_emit0(&l->c, IR_clock, IR_TYPE_I64));
    } else if (op == IR_printf) {
        call_printf(l, i);
    } else if (op == IR_trap) {
        call_trap(l, i);
    } else if (op == IR_assert && i->argc) {
        call_assert(l, i, fit(l, import_value(l, i->args[0]), IR_TYPE_I1), 1);
    } else if (ir_op_info[op].imm == IR_IMM_PREDICTION || ir_op_info[op].imm == IR_IMM_REGISTER) {
        ir_ref r = ir_emit0(&l->c, op, IR_TYPE_VOID);
        ir_at(l->f, r)->imm = immediate(l, i, 0);
        ir_at(l->f, r)->imm2 = i->argc > 1 ? (uint32_t)immediate(l, i, 1) : 0;
        if (ir_op_info[op].imm == IR_IMM_PREDICTION && ir_at(l->f, r)->imm >= l->f->predictions)
            l->f->predictions = (uint32_t)ir_at(l->f, r)->imm + 1;
    } else if (op == IR_predict_function && i->argc && i->args[0]->kind == LL_FUNCTION_REF &&
               bitset_has(l->im->taken, i->args[0]->number)) {
        ir_ref r = ir_emit0(&l->c, op, IR_TYPE_VOID);
        ir_at(l->f, r)->imm = import_taken(l->im, i->args[0]->number)->id;
        ir_at(l->f, r)->imm2 = i->argc > 1 ? (uint32_t)immediate(l, i, 1) : 0;
    } else {
        import_refuse(l, "import-call", "'%s' has no form as a call", callee_name(l->im, i));
    }
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static void call_builtin(struct lowering *l, const struct ll_ins *i, const struct builtin *b)
{
    switch (b->how) {
    case HOW_ADD_OVERFLOW:
    case HOW_SUB_OVERFLOW:
    case HOW_MUL_OVERFLOW: import_overflow(l, i, b); break;
    case HOW_REDUCE: import_reduce(l, i, b); break;
    case HOW_DOT:
    case HOW_CROSS:
    case HOW_LENGTH:
    case HOW_DISTANCE:
    case HOW_NORMALIZE: import_geometric(l, i, b->how); break;
    case HOW_ANY_ELEMENT:
    case HOW_ALL_ELEMENTS: import_any_all(l, i, b->how == HOW_ALL_ELEMENTS); break;
    case HOW_PERMUTE: import_permute(l, i); break;
    case HOW_VLOAD: import_vload(l, i); break;
    case HOW_VSTORE: import_vstore(l, i); break;
    case HOW_CONVERT: import_convert(l, i, b); break;
    case HOW_AXIS:
    case HOW_REGISTER:
    case HOW_DIMENSION:
    case HOW_GLOBAL_ID:
    case HOW_GLOBAL_SIZE:
    case HOW_GLOBAL_LINEAR:
    case HOW_LOCAL_LINEAR:
    case HOW_WORK_DIM:
    case HOW_NUM_WARPS:
    case HOW_WARP_THREADS:
    case HOW_CLOCK: import_give(l, i, 0, place_of(l, i, b)); break;
    case HOW_CONVERGE: import_give(l, i, 0, converge(l, i, b->op, 0)); break;
    case HOW_VOTE: import_give(l, i, 0, converge(l, i, b->op, 1)); break;
    case HOW_VOTE_INT: import_give(l, i, 0, converge(l, i, b->op, 0)); break;
    case HOW_SHUFFLE: call_shuffle(l, i, b->op); break;
    case HOW_SCAN_EXCLUSIVE: call_exclusive(l, i); break;
    case HOW_MEMCPY: call_memcpy(l, i); break;
    case HOW_MEMSET: call_memset(l, i); break;
    case HOW_FENCE: call_fence(l); break;
    case HOW_LOAD:
        import_define(l, i, 0,
                      import_load(l, import_components(l->im, i->type).at[0].type,
                                  import_result_type(l, i, 0), import_value(l, i->args[0]), 0,
                                  ll_align(l->im->ll, i->type)));
        break;
    case HOW_ATOMIC: call_atomic(l, i, b->op); break;
    case HOW_ATOMIC_LOAD: call_atomic_access(l, i, false); break;
    case HOW_ATOMIC_STORE: call_atomic_access(l, i, true); break;
    case HOW_COMPARE_EXCHANGE: call_compare_exchange(l, i); break;
    case HOW_ASYNC_COPY: import_async_copy(l, i, b); break;
    case HOW_FRACT:
    case HOW_MODF:
    case HOW_SINCOS: import_second_result(l, i, b->how); break;
    case HOW_NOTHING: break;
    case HOW_TRAP: call_trap(l, i); break;
    case HOW_PRINTF: call_printf(l, i); break;
    case HOW_ASSERT_FAIL: call_trap(l, i); break;
    default: call_elements(l, i, b); break;
    }
}

/* What kernels have nowhere in kernc. */
static const struct {
    const char *name, *why;
} nowhere[] = {
    {"kern.missing.grid_sync", "there is no barrier of a grid: what stands behind it is a launch of its own"},
    {"malloc", "kernels have no heap: give them a buffer, or an array of a fixed size"},
    {"free", "kernels have no heap: give them a buffer, or an array of a fixed size"},
    {"_Znwm", "kernels have no heap ('new'): give them a buffer, or an array of a fixed size"},
    {"_Znam", "kernels have no heap ('new'): give them a buffer, or an array of a fixed size"},
    {"_ZdlPv", "kernels have no heap ('delete'): give them a buffer, or an array of a fixed size"},
    {"_ZdaPv", "kernels have no heap ('delete'): give them a buffer, or an array of a fixed size"},
};

static void refuse_unknown(struct lowering *l, const struct ll_ins *i, const char *name)
{
    const char *why = NULL;
    for (size_t k = 0; k < COUNT(nowhere); k++)
        if (strcmp(name, nowhere[k].name) == 0)
            why = nowhere[k].why;
    if (why)
        import_refuse(l, "import-call", "%s", why);
    else if (strncmp(name, "llvm.", 5) == 0)
        import_refuse(l, "import-call", "kernc does not know the intrinsic '%s'", name);
    else
        import_refuse(
            l, "import-call",
            "'%s' is called, which has no body here: define it in this file, or include the file that "
            "does",
            name);
    for (uint32_t k = 0; i->result != UINT32_MAX && k < import_components(l->im, i->type).count; k++)
        import_define(l, i, k, ir_const(l->f, import_result_type(l, i, k), 0));
}

void import_lower_call(struct lowering *l, const struct ll_ins *i)
{
    uint32_t callee = import_callee(l->im, i);
    const struct builtin *b =
        i->callee->kind == LL_FUNCTION_REF ? import_builtin(l->im, i->callee->number) : NULL;
    if (callee != UINT32_MAX) {
        call_function(l, i, callee);
    } else if (i->callee->kind == LL_ASM) {
        if (*i->callee->text)
            import_refuse(l, "import-asm", "inline assembly: kernc has no instructions of other machines");
    } else if (i->callee->kind != LL_FUNCTION_REF) {
        call_pointer(l, i);
    } else if (!b) {
        refuse_unknown(l, i, callee_name(l->im, i));
    } else if (b->is_kernc && b->how == HOW_OP) {
        call_kernc(l, i, b);
    } else {
        call_builtin(l, i, b);
    }
}
