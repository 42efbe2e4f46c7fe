/* lower_function.c: the frame of a function: its parameters, blocks, phis, and what its operands are. */
#include "import/lower_function.h"

void import_refuse(struct lowering *l, const char *id, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    l->failed = true;
    import_error(l->im, l->ins ? l->ins->at : l->ll->at, l->ins ? l->ins->debug : l->ll->debug, id, "%s",
                 text);
}

enum ir_mem import_access(const struct ll_type *t)
{
    switch ((enum ll_kind)t->kind) {
    case LL_INT:
        return t->bits == 1    ? IR_MEM_B8
               : t->bits == 8  ? IR_MEM_U8
               : t->bits == 16 ? IR_MEM_U16
               : t->bits == 32 ? IR_MEM_I32
               : t->bits == 64 ? IR_MEM_I64
                               : IR_MEM_NONE;
    case LL_HALF:
    case LL_BFLOAT: return IR_MEM_U16;
    case LL_FLOAT: return IR_MEM_F32;
    case LL_DOUBLE: return IR_MEM_F64;
    case LL_POINTER: return IR_MEM_PTR;
    default: return IR_MEM_NONE;
    }
}

enum ir_type import_scalar(const struct ll_type *scalar)
{
    switch ((enum ll_kind)scalar->kind) {
    case LL_INT: return scalar->bits == 1 ? IR_TYPE_I1 : scalar->bits <= 32 ? IR_TYPE_I32 : IR_TYPE_I64;
    case LL_HALF:
    case LL_BFLOAT:
    case LL_FLOAT: return IR_TYPE_F32;
    case LL_DOUBLE: return IR_TYPE_F64;
    case LL_TOKEN: return IR_TYPE_TOKEN;
    default: return IR_TYPE_GLOBAL;
    }
}

static ir_ref in_one(const struct lowering *l, const struct ll_value *v)
{
    for (const struct address_in_one *o = l->in_one; o; o = o->next)
        if (o->operand == v)
            return o->address;
    return 0;
}

enum ir_type import_component_type(struct lowering *l, const struct ll_value *v, uint32_t component)
{
    if (in_one(l, v))
        return type_of(l, in_one(l, v));
    const struct ll_type *scalar = import_components(l->im, v->type).at[component].type;
    return scalar->kind == LL_POINTER
               ? spaces_of_object(l->im, l->assigned, spaces_object(l->spaces, v, component))
               : import_scalar(scalar);
}

enum ir_type import_result_type(struct lowering *l, const struct ll_ins *i, uint32_t component)
{
    const struct ll_type *scalar = import_components(l->im, i->type).at[component].type;
    uint32_t object = l->spaces->values[l->spaces->first[i->result] + component].object;
    return scalar->kind == LL_POINTER ? spaces_of_object(l->im, l->assigned, object) : import_scalar(scalar);
}

void import_define(struct lowering *l, const struct ll_ins *i, uint32_t component, ir_ref value)
{
    if (i->result == UINT32_MAX)
        return;
    const char *name = l->ll->locals.at[i->result].name;
    struct ir_ins *made = ir_at(l->f, value);
    if (name && !made->name && made->block != IR_NO_BLOCK)
        made->name = intern_z(&l->im->m->strings, name);
    l->values[l->spaces->first[i->result] + component] = value;
}

/* ---- the begin of the entry block: memory and addresses that the whole function has -------------------- */

static struct ir_cursor at_head(struct lowering *l)
{
    struct ir_cursor c = {.fn = l->f, .block = ir_entry(l->f), .at = l->c.at};
    c.before = l->head ? ir_at(l->f, l->head)->next : ir_block_at(l->f, c.block)->first;
    return c;
}

ir_ref import_alloca(struct lowering *l, uint64_t bytes, uint32_t align, const char *name)
{
    struct ir_cursor c = at_head(l);
    if (bytes > IR_MAX_OBJECT_BYTES) {
        import_refuse(l, "import-limit", "a variable has more than %u bytes (IR_MAX_OBJECT_BYTES)",
                      IR_MAX_OBJECT_BYTES);
        bytes = 1;
    }
    ir_ref r = ir_emit0(&c, IR_alloca, IR_TYPE_PRIVATE);
    ir_at(l->f, r)->imm = (int64_t)(bytes ? bytes : 1);
    ir_at(l->f, r)->imm2 = align == 0 ? 1 : align > IR_MAX_ALIGN ? IR_MAX_ALIGN : align;
    ir_at(l->f, r)->name = name ? intern_z(&l->im->m->strings, name) : NULL;
    return l->head = r;
}

static ir_ref object_address(struct lowering *l, uint32_t object)
{
    struct ir_cursor c = at_head(l);
    ir_ref r = ir_emit0(&c, IR_object, (enum ir_type)l->im->m->objects.at[object].space);
    ir_at(l->f, r)->imm = object;
    return l->head = r;
}

static ir_ref global_address(struct lowering *l, uint32_t global)
{
    uint32_t known = map_get(&l->objects, global);
    if (known != MAP_NONE)
        return known;
    ir_ref r = object_address(l, import_object(l->im, global));
    map_set(l->im->arena, &l->objects, global, r);
    return r;
}

/* ---- operands ------------------------------------------------------------------------------------------ */

/* Null is 0 in each space, and stays it. */
ir_ref import_as_space(struct lowering *l, ir_ref v, enum ir_type t)
{
    enum ir_type from = type_of(l, v);
    scalar_bits bits;
    if (from == t)
        return v;
    if (t != SPACES_SEVERAL || (from != IR_TYPE_SHARED && from != IR_TYPE_PRIVATE))
        return op1(l, IR_ptrcast, t, v);
    if (ir_is_const(l->f, v, &bits) && bits == 0)
        return number(l, t, 0);
    ir_ref address = op1(l, IR_ptrcast, t, v), null = number(l, t, 0);
    ir_ref known =
        op2(l, IR_add, t, address, number(l, t, from == IR_TYPE_SHARED ? SPACES_SHARED : SPACES_PRIVATE));
    if (ir_at(l->f, v)->op == IR_object || ir_at(l->f, v)->op == IR_alloca)
        return known;
    return choose(l, op2(l, IR_eq, IR_TYPE_I1, address, null), null, known);
}

ir_ref import_i32(struct lowering *l, ir_ref v)
{
    scalar_bits bits;
    if (ir_at(l->f, v)->type == IR_TYPE_I32)
        return v;
    if (ir_is_const(l->f, v, &bits))
        return ir_const_i32(l->f, (uint32_t)bits);
    if (ir_at(l->f, v)->type == IR_TYPE_I1)
        return ir_emit1(&l->c, IR_zext, IR_TYPE_I32, v);
    const struct ir_ins *made = ir_at(l->f, v);
    if ((made->op == IR_sext || made->op == IR_zext) && ir_at(l->f, made->args[0])->type == IR_TYPE_I32)
        return made->args[0];
    return ir_emit1(&l->c, IR_trunc, IR_TYPE_I32, v);
}

static ir_ref moved(struct lowering *l, ir_ref address, ir_ref bytes)
{
    enum ir_type t = type_of(l, address);
    return op2(l, t == SPACES_SEVERAL ? IR_add : IR_ptradd, t, address, bytes);
}

static ir_ref times(struct lowering *l, ir_ref index, uint64_t bytes)
{
    if (bytes == 1)
        return index;
    if ((bytes & (bytes - 1)) == 0)
        return ir_emit2(&l->c, IR_shl, IR_TYPE_I32, index,
                        ir_const_i32(l->f, (uint32_t)__builtin_ctzll(bytes)));
    return ir_emit2(&l->c, IR_mul, IR_TYPE_I32, index, ir_const_i32(l->f, (uint32_t)bytes));
}

ir_ref import_step(struct lowering *l, const struct ll_type *element, struct ll_value *const *args,
                   uint32_t argc)
{
    struct ll_way way = {.type = element, .args = args, .argc = argc, .at = 1};
    ir_ref address = import_value(l, args[0]);
    int64_t known = 0;
    for (enum ll_part part; (part = ll_next_part(l->im->ll, &way)) != LL_PART_END;) {
        if (part == LL_PART_FIELD) {
            known += (int64_t)way.bytes;
            continue;
        }
        if (part == LL_PART_NONE) {
            import_refuse(l, "import-type",
                          "a getelementptr goes into a value of type %s, which has no such part",
                          ll_type_text(l->im->arena, way.type));
            return address;
        }
        ir_ref index = import_value(l, way.index);
        scalar_bits bits;
        uint32_t width = way.index->type->bits < 64 ? way.index->type->bits : 64;
        if (ir_is_const(l->f, index, &bits))
            known += ((int64_t)(bits << (64 - width)) >> (64 - width)) * (int64_t)way.bytes;
        else if (way.bytes)
            address =
                moved(l, address,
                      times(l, import_i32(l, width < 32 ? import_sign_extended(l, index, width) : index),
                            way.bytes));
    }
    return known ? moved(l, address, ir_const_i32(l->f, (uint32_t)known)) : address;
}

static uint32_t half_value(uint64_t h)
{
    float f;
    uint32_t bits = (uint32_t)(h & 0x7fff) << 13;
    memcpy(&f, &bits, sizeof f);
    f *= 0x1p112f;
    memcpy(&bits, &f, sizeof f);
    if ((h & 0x7c00) == 0x7c00)
        bits = 0x7f800000 | (uint32_t)(h & 0x3ff) << 13;
    return bits | (uint32_t)(h & 0x8000) << 16;
}

static ir_ref constant(struct lowering *l, const struct ll_type *t, uint64_t bits)
{
    switch ((enum ll_kind)t->kind) {
    case LL_HALF: return ir_const(l->f, IR_TYPE_F32, half_value(bits));
    case LL_BFLOAT: return ir_const(l->f, IR_TYPE_F32, (uint32_t)bits << 16);
    case LL_INT:
        if (t->bits == 1)
            return ir_const_i1(l->f, bits & 1);
        if (t->bits > 64)
            import_refuse(l, "import-type", "a constant has %u bits: kernc's integers have at most 64",
                          t->bits);
        return t->bits <= 32 ? ir_const_i32(l->f, (uint32_t)bits) : ir_const(l->f, IR_TYPE_I64, bits);
    default: return ir_const(l->f, import_scalar(t), bits);
    }
}

/* An operation of LLVM on constants: as an instruction does it, at the cursor. */
static ir_ref expression(struct lowering *l, const struct ll_value *v)
{
    if (v->op == LL_OP_getelementptr)
        return import_step(l, v->element, v->args, v->argc);
    if (v->op == LL_OP_addrspacecast || (v->op == LL_OP_bitcast && v->type->kind == LL_POINTER))
        return import_value(l, v->args[0]);
    struct ll_ins i = {.op = v->op,
                       .type = v->type,
                       .argc = v->argc,
                       .args = v->args,
                       .result = UINT32_MAX,
                       .at = l->ins ? l->ins->at : v->at,
                       .debug = l->ins ? l->ins->debug : UINT32_MAX};
    return import_compute(l, &i, 0);
}

/* A pointer's type is that of the space that it leads to, as found where it is used. */
ir_ref import_component(struct lowering *l, const struct ll_value *v, uint32_t component)
{
    const struct ll_type *scalar =
        v->type->kind == LL_METADATA ? NULL : import_components(l->im, v->type).at[component].type;
    if (!scalar)
        return ir_const_i32(l->f, 0);
    if (in_one(l, v))
        return in_one(l, v);
    bool is_pointer = scalar->kind == LL_POINTER;
    switch ((enum ll_value_kind)v->kind) {
    case LL_LOCAL: {
        ir_ref r = l->values[l->spaces->first[v->number] + component];
        if (r)
            return r;
        if (!l->failed)
            import_refuse(l, "import-order", "a value is used where its definition has not run");
        return ir_const(l->f, import_component_type(l, v, component), 0);
    }
    case LL_CONST_INT:
    case LL_CONST_FLOAT: return constant(l, scalar, v->words[0]);
    case LL_AGGREGATE:
        for (uint32_t i = 0, first = 0; i < v->argc; i++) {
            uint32_t count = import_components(l->im, v->args[i]->type).count;
            if (component < first + count)
                return import_component(l, v->args[i], component - first);
            first += count;
        }
        return constant(l, scalar, 0);
    case LL_GLOBAL: {
        const struct ll_global *g = &l->im->ll->globals.at[v->number];
        return g->alias
                   ? import_component(l, g->alias, 0)
                   : import_as_space(l, global_address(l, v->number), import_component_type(l, v, component));
    }
    case LL_FUNCTION_REF: {
        struct ir_cursor c = at_head(l);
        if (!bitset_has(l->im->taken, v->number)) {
            import_refuse(l, "import-function", "the address of '%s' is taken, which has no body",
                          l->im->ll->functions.at[v->number].name);
            return ir_const(l->f, IR_TYPE_FUNCTION, 0);
        }
        l->head = ir_emit0(&c, IR_function, IR_TYPE_FUNCTION);
        ir_at(l->f, l->head)->imm = import_taken(l->im, v->number)->id;
        return l->head;
    }
    case LL_EXPRESSION: {
        ir_ref r = expression(l, v);
        return is_pointer ? import_as_space(l, r, import_component_type(l, v, component)) : r;
    }
    default:
        return is_pointer ? ir_const(l->f, import_component_type(l, v, component), 0)
                          : constant(l, scalar, 0);
    }
}

ir_ref import_value(struct lowering *l, const struct ll_value *v)
{
    return import_component(l, v, 0);
}

/* ---- parameters ---------------------------------------------------------------------------------------- */

static ir_ref add_param(struct lowering *l, enum ir_type t, const char *name)
{
    return ir_param_new(l->f, ir_entry(l->f), t, name ? intern_z(&l->im->m->strings, name) : NULL);
}

static const char *param_name(const struct ll_function *f, uint32_t p)
{
    return f->params[p].name;
}

/* What the component of a parameter leads to, in this function. */
static enum ir_type space_of_param(struct lowering *l, uint32_t p, uint32_t component)
{
    return spaces_of_object(l->im, l->assigned, l->spaces->values[l->spaces->first[p] + component].object);
}

/* A kernel's parameter: each scalar is one of kernc's; shared memory is what launches size. */
static void kernel_param(struct lowering *l, uint32_t p, struct ir_kernel_info *info)
{
    struct importer *im = l->im;
    const struct ll_param *param = &l->ll->params[p];
    struct components all = import_components(im, param->byval ? param->byval : param->type);
    uint32_t first = l->spaces->first[p];
    ir_ref copy = param->byval ? import_alloca(l, ll_bytes(im->ll, param->byval),
                                               ll_align(im->ll, param->byval), param_name(l->ll, p))
                               : 0;
    for (uint32_t k = 0; k < all.count; k++) {
        struct ir_param_info one = import_param_info(im, l->number, p, k);
        enum ir_type t = import_scalar(all.at[k].type);
        bool is_pointer = all.at[k].type->kind == LL_POINTER && !param->byval;
        enum ir_type space = is_pointer ? space_of_param(l, p, k) : t;
        if (is_pointer)
            t = space != SPACES_SEVERAL                                        ? space
                : import_space(im->ll, all.at[k].type->bits) == IR_TYPE_SHARED ? IR_TYPE_SHARED
                                                                               : IR_TYPE_GLOBAL;
        if (t == IR_TYPE_SHARED) {
            uint32_t object = import_unsized(im, one.name, one.element_bytes, 16);
            vec_push(&im->m->arena, &info->unsized, object);
            l->values[first + k] = import_as_space(l, object_address(l, object), space);
            continue;
        }
        one.type = (uint8_t)t;
        vec_push(&im->m->arena, &info->params, one);
        ir_ref given = add_param(l, t, one.name);
        if (param->byval)
            import_store(l, all.at[k].type, copy, all.at[k].offset, ll_align(im->ll, param->byval), given);
        else
            l->values[first + k] = import_as_space(l, given, space);
    }
    if (param->byval)
        l->values[first] = import_as_space(l, copy, space_of_param(l, p, 0));
}

static void device_param(struct lowering *l, uint32_t p)
{
    struct importer *im = l->im;
    const struct ll_param *param = &l->ll->params[p];
    struct components all = import_components(im, param->type);
    uint32_t first = l->spaces->first[p];
    for (uint32_t k = 0; k < all.count; k++) {
        uint32_t object = param->byval ? l->spaces->incoming[p].object : l->spaces->values[first + k].object;
        enum ir_type t = all.at[k].type->kind == LL_POINTER ? spaces_of_object(im, l->assigned, object)
                                                            : import_scalar(all.at[k].type);
        l->values[first + k] = add_param(l, t, param_name(l->ll, p));
    }
}

/* A structure by value: the callee's own copy. */
static void copy_param(struct lowering *l, uint32_t p)
{
    const struct ll_param *param = &l->ll->params[p];
    ir_ref given = l->values[l->spaces->first[p]];
    uint64_t bytes = ll_bytes(l->im->ll, param->byval);
    ir_ref copy = import_alloca(l, bytes, ll_align(l->im->ll, param->byval), param_name(l->ll, p));
    struct arms arms = {.l = l, .address = given};
    for (ir_ref from; import_next_arm(&arms, &from);) {
        ir_ref r = ir_emit2(&l->c, IR_memcpy, IR_TYPE_VOID, copy, from);
        ir_at(l->f, r)->imm = (int64_t)bytes;
    }
    l->values[l->spaces->first[p]] = import_as_space(l, copy, space_of_param(l, p, 0));
}

/* Of the memory itself, whatever pointers to it may lead to, too. */
static enum ir_type space_of_global(struct importer *im, uint32_t global)
{
    enum ir_type t = spaces_of_object(im, NULL, im->global_objects[global]);
    bool is_shared = import_space(im->ll, im->ll->globals.at[global].space) == IR_TYPE_SHARED;
    return t != SPACES_SEVERAL ? t : is_shared ? IR_TYPE_SHARED : IR_TYPE_GLOBAL;
}

/* Globals that launches give, and dynamic shared memory: kernels have them, and hand them down. */
static void passed_globals(struct lowering *l, struct ir_kernel_info *info)
{
    struct importer *im = l->im;
    bitset_each(g, im->implicit[l->number]) {
        const struct ll_global *global = &im->ll->globals.at[g];
        bool is_shared = import_space(im->ll, global->space) == IR_TYPE_SHARED;
        ir_ref r = 0;
        if (!l->ll->is_kernel) {
            r = add_param(l, space_of_global(im, g), global->name);
        } else if (is_shared) {
            struct ir_param_info one = import_global_info(im, g);
            bool is_array = global->type->kind == LL_ARRAY && global->debug == UINT32_MAX;
            uint64_t unit = is_array ? ll_bytes(im->ll, global->type->args[0]) : one.element_bytes;
            uint32_t object = import_unsized(im, import_global_name(im, g),
                                             unit < UINT32_MAX ? (uint32_t)unit : 1, global->align);
            vec_push(&im->m->arena, &info->unsized, object);
            r = object_address(l, object);
        } else {
            struct ir_param_info one = import_global_info(im, g);
            one.type = (uint8_t)space_of_global(im, g);
            vec_push(&im->m->arena, &info->params, one);
            r = add_param(l, (enum ir_type)one.type, one.name);
        }
        map_set(im->arena, &l->objects, g, r);
    }
}

static void lower_params(struct lowering *l)
{
    struct ir_kernel_info info = {.function = l->f->id};
    if (import_components(l->im, l->ll->type->args[l->ll->type->argc]).count > 1)
        l->result = add_param(l, IR_TYPE_PRIVATE, "result");
    for (uint32_t p = 0; p < l->ll->param_count; p++)
        if (l->ll->is_kernel)
            kernel_param(l, p, &info);
        else
            device_param(l, p);
    passed_globals(l, &info);
    for (uint32_t p = 0; p < l->ll->param_count && !l->ll->is_kernel; p++)
        if (l->ll->params[p].byval)
            copy_param(l, p);
    if (l->ll->is_kernel)
        vec_push(&l->im->m->arena, &l->im->m->kernels, info);
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

static const struct ll_ins *terminator(const struct ll_function *f, uint32_t b)
{
    return f->blocks.at[b].ins.count ? &vec_last(&f->blocks.at[b].ins) : NULL;
}

static uint32_t successor_count(const struct ll_ins *t)
{
    return !t ? 0 : t->op == LL_OP_br ? t->block_count : t->op == LL_OP_switch ? 1 + t->case_count : 0;
}

static uint32_t successor(const struct ll_ins *t, uint32_t n)
{
    return t->op == LL_OP_br || n == 0 ? t->blocks[n] : t->cases[n - 1].block;
}

/* Reverse postorder from the entry: definitions come before their uses. */
static u32_vec reverse_postorder(struct arena *a, const struct ll_function *f)
{
    u32_vec order = {0}, way = {0}, at = {0};
    struct bitset seen = bitset_new(a, f->blocks.count);
    vec_push(a, &way, 0);
    vec_push(a, &at, 0);
    bitset_add(seen, 0);
    while (way.count) {
        const struct ll_ins *t = terminator(f, vec_last(&way));
        uint32_t n = vec_last(&at)++;
        if (n >= successor_count(t)) {
            vec_push(a, &order, vec_pop(&way));
            at.count--;
            continue;
        }
        /* the last first, so that the text's order is kept where it is one */
        uint32_t to = successor(t, successor_count(t) - 1 - n);
        if (to >= f->blocks.count || bitset_has(seen, to))
            continue;
        bitset_add(seen, to);
        vec_push(a, &way, to);
        vec_push(a, &at, 0);
    }
    for (uint32_t i = 0; i < order.count / 2; i++) {
        uint32_t swap = order.at[i];
        order.at[i] = order.at[order.count - 1 - i];
        order.at[order.count - 1 - i] = swap;
    }
    return order;
}

uint32_t import_block(struct lowering *l, const char *name)
{
    uint32_t b = ir_block_new(l->f, name);
    if (l->c.block != IR_NO_BLOCK)
        ir_emit_br(&l->c, b);
    l->c.block = b;
    return b;
}

static void make_blocks(struct lowering *l, const u32_vec *order)
{
    struct importer *im = l->im;
    for (uint32_t i = 0; i < order->count; i++) {
        const struct ll_block *b = &l->ll->blocks.at[order->at[i]];
        uint32_t made = l->blocks[order->at[i]];
        if (i)
            made = ir_block_new(l->f, b->name ? intern_z(&im->m->strings, b->name) : NULL);
        l->blocks[order->at[i]] = l->ends[order->at[i]] = made;
        for (uint32_t k = 0; k < b->ins.count && b->ins.at[k].op == LL_OP_phi; k++) {
            const struct ll_ins *phi = &b->ins.at[k];
            struct components all = import_components(im, phi->type);
            const char *name = l->ll->locals.at[phi->result].name;
            for (uint32_t component = 0; component < all.count; component++)
                l->values[l->spaces->first[phi->result] + component] =
                    ir_param_new(l->f, made, import_result_type(l, phi, component),
                                 name ? intern_z(&im->m->strings, name) : NULL);
        }
    }
}

/* The block of the text that an edge comes from gives the phis of the other their values. */
static void give_phis(struct lowering *l, uint32_t from, uint32_t to, uint32_t edge)
{
    const struct ll_block *b = &l->ll->blocks.at[to];
    for (uint32_t k = 0; k < b->ins.count && b->ins.at[k].op == LL_OP_phi; k++) {
        const struct ll_ins *phi = &b->ins.at[k];
        uint32_t n = 0;
        l->ins = phi;
        while (n < phi->argc && phi->blocks[n] != from)
            n++;
        if (n == phi->argc) {
            import_refuse(l, "import-phi", "the phi has no value for a block from which control comes");
            return;
        }
        struct components all = import_components(l->im, phi->type);
        l->c.block = l->ends[from];
        l->c.before = ir_terminator(l->f, l->ends[from]);
        for (uint32_t component = 0; component < all.count; component++) {
            ir_ref v = import_as_space(l, import_component(l, phi->args[n], component),
                                       import_result_type(l, phi, component));
            ir_edge_arg(l->f, &ir_block_at(l->f, l->ends[from])->edges.at[edge], v);
        }
        l->c.before = 0;
    }
}

static bool check_value(struct lowering *l, const struct ll_type *t)
{
    struct components all = import_components(l->im, t);
    for (uint32_t k = 0; k < all.count; k++)
        if (all.at[k].type->kind == LL_INT && all.at[k].type->bits > 64) {
            import_refuse(l, "import-type", "a value has %u bits: kernc's integers have at most 64",
                          all.at[k].type->bits);
            return false;
        }
    return true;
}

/* The parameters, then what instructions give. */
static bool check_values(struct lowering *l)
{
    bool good = true;
    for (uint32_t p = 0; p < l->ll->param_count && good; p++)
        good = check_value(l, l->ll->params[p].type);
    for (uint32_t b = 0; b < l->ll->blocks.count; b++)
        for (uint32_t i = 0; i < l->ll->blocks.at[b].ins.count && good; i++) {
            l->ins = &l->ll->blocks.at[b].ins.at[i];
            good = check_value(l, l->ins->type);
        }
    l->ins = NULL;
    return good;
}

void import_lower(struct importer *im, uint32_t instance)
{
    struct instance of = im->instances.at[instance];
    struct lowering l = {.im = im,
                         .ll = &im->ll->functions.at[of.function],
                         .spaces = &im->spaces[of.function],
                         .assigned = of.assigned,
                         .f = of.f,
                         .number = of.function};
    uint32_t components = 1, blocks = l.ll->blocks.count + 1;
    for (uint32_t v = 0; v < l.ll->locals.count; v++)
        components += import_components(im, l.ll->locals.at[v].type).count + 1;
    l.values = arena_array(im->arena, ir_ref, components);
    l.blocks = arena_array(im->arena, uint32_t, blocks);
    l.ends = arena_array(im->arena, uint32_t, blocks);
    of.f->at = import_place(im, l.ll->at, l.ll->debug);
    of.f->at = im->by_debug ? import_function_place(im, of.function) : of.f->at;
    l.c = (struct ir_cursor){.fn = of.f, .at = of.f->at};
    l.c.block = l.blocks[0] = ir_block_new(of.f, "entry");
    lower_params(&l);
    if (!check_values(&l))
        return;
    u32_vec order = reverse_postorder(im->arena, l.ll);
    make_blocks(&l, &order);
    for (uint32_t i = 0; i < order.count; i++) {
        const struct ll_block *b = &l.ll->blocks.at[order.at[i]];
        l.c.block = l.blocks[order.at[i]];
        for (uint32_t k = 0; k < b->ins.count; k++) {
            l.ins = &b->ins.at[k];
            l.c.at = import_place(im, l.ins->at, l.ins->debug);
            import_lower_ins(&l, l.ins);
        }
        l.ends[order.at[i]] = l.c.block;
    }
    for (uint32_t i = 0; i < order.count && !l.failed; i++) {
        const struct ll_ins *t = terminator(l.ll, order.at[i]);
        for (uint32_t e = 0; e < successor_count(t); e++)
            give_phis(&l, order.at[i], successor(t, e), e);
    }
}
