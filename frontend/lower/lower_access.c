/* lower_access.c: addresses, loads and stores, copies of structures, initialisers.
 *
 * An address is a base and a constant byte offset; members and constant indices only add to the offset.
 */
#include "frontend/lower/lower.h"

#define LEAFWISE_SCALARS 16  /* structures with more are copied by memcpy */
#define MEMBER_NAME_MAX  120 /* bytes; a longer name is left out, so that deep structures stay linear */

const char *fe_hint(struct lowering *l, struct fe_variable *v)
{
    if (!v->hint && v->decl->name)
        v->hint = intern_z(&l->module->strings, v->decl->name);
    return v->hint;
}

ir_ref fe_pointer(struct lowering *l, struct address a)
{
    if (a.offset == 0)
        return a.base;
    return ir_emit2(&l->c, IR_ptradd, ir_at(l->f, a.base)->type, a.base,
                    ir_const_i32(l->f, (uint32_t)a.offset));
}

static struct address moved(struct address a, uint64_t bytes)
{
    return (struct address){a.base, (int32_t)((uint32_t)a.offset + (uint32_t)bytes), a.name};
}

static struct address member_at(struct lowering *l, struct address a, const struct fe_decl *field)
{
    struct address m = moved(a, field->offset);
    bool named = a.name && field->name && strlen(a.name) + strlen(field->name) < MEMBER_NAME_MAX;
    m.name =
        named ? intern_z(&l->module->strings, arena_printf(l->arena, "%s.%s", a.name, field->name)) : NULL;
    return m;
}

struct address fe_temporary(struct lowering *l, const struct fe_type *t, const char *name)
{
    struct address a = {fe_alloca(l, t->size, t->align, NULL), 0, name};
    fe_tell_variable(l, a, t, true);
    a.name = NULL;
    return a;
}

void fe_tell_variable(struct lowering *l, struct address a, const struct fe_type *t, bool has_value)
{
    const struct fe_type *element = t;
    if (!l->fe->options.tells_unwritten || (has_value && !fe_may_be_unset(t)))
        return;
    while (element->kind == FE_TYPE_ARRAY)
        element = element->of;
    const char *layout = fe_layout_text(l->arena, element->plain),
               *text = arena_printf(l->arena, "4 %c p 0 %u %s%s%s", has_value ? 'v' : 'u', (uint32_t)t->size,
                                    a.name ? a.name : "variable", layout ? " " : "", layout ? layout : "");
    ir_ref at = fe_pointer(l, a), nothing = ir_const(l->f, IR_TYPE_I64, 0);
    ir_ref check = ir_emit3(&l->c, IR_check_memory, IR_TYPE_VOID, at, at, nothing);
    ir_at(l->f, check)->imm = ir_text_add(l->module, text, strlen(text));
}

/* ---- scalars ----------------------------------------------------------------------------------------- */

ir_ref fe_load(struct lowering *l, struct address a, const struct fe_type *t)
{
    ir_ref r = ir_emit_load(&l->c, fe_ir_mem(t), fe_ir_type(t), a.base, a.offset);
    ir_at(l->f, r)->name = a.name;
    return r;
}

ir_ref fe_store(struct lowering *l, struct address a, const struct fe_type *t, ir_ref v)
{
    return ir_emit_store(&l->c, fe_ir_mem(t), a.base, a.offset, v);
}

/* ---- objects: constant and shared variables, entered in the module when they are first used ---------- */

static void write_scalar(uint8_t *at, const struct fe_type *t, scalar_bits v)
{
    for (uint64_t i = 0; i < t->size; i++)
        at[i] = (uint8_t)(v >> (8 * i));
}

/* Of a function's address, its number plus 1, the function is told. */
static scalar_bits value_of(struct lowering *l, const struct fe_expr *e)
{
    const struct fe_function *f = fe_named_function(e);
    if (!f)
        return e->value;
    fe_note_address(l, f);
    f->ir->flags |= IR_FN_TAKEN;
    return f->ir->id + 1;
}

static const uint8_t *constant_bytes(struct lowering *l, const struct fe_decl *d)
{
    uint8_t *bytes = arena_array(&l->module->arena, uint8_t, d->type->size);
    if (d->init->kind != FE_EXPR_INIT)
        write_scalar(bytes, d->type, value_of(l, d->init));
    else
        for (const struct fe_init *i = d->init->init.items; i; i = i->next)
            write_scalar(bytes + i->offset, i->value->type, value_of(l, i->value));
    return bytes;
}

static bool is_object(const struct fe_variable *v)
{
    return v->space == FE_SPACE_SHARED || v->space == FE_SPACE_CONSTANT;
}

/* Objects of a module have names that differ: of the later ones a number follows the name. */
static const char *object_name(struct lowering *l, struct fe_variable *v)
{
    const char *name = fe_hint(l, v), *tried = name;
    uint32_t number = map_get(&l->object_names, (uintptr_t)name);
    while (map_get(&l->object_names, (uintptr_t)tried) != MAP_NONE) {
        number++;
        tried = intern_z(&l->module->strings, arena_printf(l->arena, "%s.%u", name, number));
    }
    map_set(l->arena, &l->object_names, (uintptr_t)tried, 0);
    map_set(l->arena, &l->object_names, (uintptr_t)name, number == MAP_NONE ? 0 : number);
    return tried;
}

uint32_t fe_object_of(struct lowering *l, struct fe_variable *v)
{
    const struct fe_decl *d = v->decl;
    bool unsized = fe_is_unsized(d);
    if (v->object)
        return v->object - 1;
    struct ir_object o = {.name = object_name(l, v),
                          .space = unsized ? IR_TYPE_SHARED : (uint8_t)fe_ir_space(v->space),
                          .size = unsized ? 0 : (uint32_t)d->type->size,
                          .unit = unsized ? (uint32_t)d->type->of->size : 0,
                          .align = unsized ? d->type->of->align : d->type->align,
                          .at = d->name_at.at};
    if (v->space == FE_SPACE_CONSTANT)
        o.bytes = constant_bytes(l, d);
    vec_push(&l->module->arena, &l->module->objects, o);
    v->object = l->module->objects.count;
    return v->object - 1;
}

/* ---- lvalues ----------------------------------------------------------------------------------------- */

static struct address variable_address(struct lowering *l, struct fe_variable *v)
{
    if (!is_object(v))
        return (struct address){v->address, 0, fe_hint(l, v)};
    uint32_t object = fe_object_of(l, v);
    ir_ref r = ir_emit0(&l->c, IR_object, fe_ir_space(v->space));
    ir_at(l->f, r)->imm = object;
    ir_at(l->f, r)->name = fe_hint(l, v);
    return (struct address){r, 0, fe_hint(l, v)};
}

/* The array that became this pointer, or NULL. */
static const struct fe_expr *decayed(const struct fe_expr *pointer)
{
    bool decays = pointer->kind == FE_EXPR_CAST && pointer->implicit;
    return decays && pointer->cast.a->type->kind == FE_TYPE_ARRAY ? pointer->cast.a : NULL;
}

/* An array that became a pointer keeps its offset. */
struct address fe_lower_pointee(struct lowering *l, const struct fe_expr *pointer)
{
    if (decayed(pointer))
        return fe_lower_address(l, decayed(pointer));
    if (pointer->kind == FE_EXPR_UNARY && pointer->op == FE_OP_ADDRESS &&
        !fe_is_function_pointer(pointer->type))
        return fe_lower_address(l, pointer->sub.a);
    return (struct address){fe_lower_value(l, pointer), 0, NULL};
}

static uint32_t outside_text(struct lowering *l, const struct fe_expr *array)
{
    size_t n;
    const char *name = fe_span_text(l->fe, array->where, &n);
    struct text text = {.arena = l->arena};
    text_addz(&text, "an index is outside ");
    text_visible_line(&text, name, n < 200 ? n : 200);
    text_printf(&text, ", %s of %llu", array->type->kind == FE_TYPE_ARRAY ? "an array" : "a vector",
                (unsigned long long)array->type->count);
    return ir_text_add(l->module, text.at, text.length);
}

/* Traps unless index < limit, read as unsigned. */
static void check_index(struct lowering *l, const struct fe_expr *array, ir_ref index, uint64_t limit)
{
    scalar_bits known;
    enum ir_type t = ir_at(l->f, index)->type;
    bool is_known = ir_is_const(l->f, index, &known);
    if (is_known && known < limit)
        return;
    ir_ref within = is_known ? ir_const_i1(l->f, false)
                             : ir_emit2(&l->c, IR_ult, IR_TYPE_I1, index, ir_const(l->f, t, limit));
    ir_ref r = ir_emit1(&l->c, IR_assert, IR_TYPE_VOID, within);
    ir_at(l->f, r)->imm = outside_text(l, array);
}

/* `end`: the index may be that behind the last element, since nothing is accessed there. */
static struct address element_address(struct lowering *l, const struct fe_expr *e, bool end)
{
    bool is_vector = fe_is_vector(e->sub.a->type);
    struct address a = is_vector ? fe_lower_address(l, e->sub.a) : fe_lower_pointee(l, e->sub.a);
    const struct fe_expr *array = is_vector ? e->sub.a : decayed(e->sub.a), *i = e->sub.b;
    ir_ref index = i->constant && !i->lvalue
                       ? ir_const(l->f, fe_ir_type(i->type), (scalar_bits)fe_integer_value(i))
                       : fe_lower_value(l, i);
    fe_place(l, e->where);
    if (array)
        check_index(l, array, index, array->type->count + (end && array->type->count != FE_UNSIZED));
    if (i->constant && !i->lvalue)
        return moved(a, (uint64_t)fe_integer_value(i) * e->type->size);
    a.base = fe_offset_pointer(l, a.base, index, i->type, e->type->size);
    return a;
}

static struct address member_address(struct lowering *l, const struct fe_expr *e)
{
    struct address a =
        e->member.arrow ? fe_lower_pointee(l, e->member.object) : fe_lower_address(l, e->member.object);
    return member_at(l, a, e->member.field);
}

static struct address conditional_address(struct lowering *l, const struct fe_expr *e)
{
    struct address t = fe_temporary(l, e->type, NULL);
    uint32_t yes = fe_block(l, "cond.true"), no = fe_block(l, "cond.false"), end = fe_block(l, "cond.end");
    fe_lower_condition(l, e->sub.a, yes, no);
    fe_start(l, yes);
    fe_copy(l, t, fe_lower_address(l, e->sub.b), e->type);
    fe_branch(l, end);
    fe_start(l, no);
    fe_copy(l, t, fe_lower_address(l, e->sub.c), e->type);
    fe_branch(l, end);
    fe_start(l, end);
    return t;
}

/* Whether evaluating it may change memory. */
static bool has_effects(const struct fe_expr *e)
{
    switch (e->kind) {
    case FE_EXPR_NAME: return false;
    case FE_EXPR_UNARY: return e->op >= FE_OP_PREINC || has_effects(e->sub.a);
    case FE_EXPR_MEMBER: return has_effects(e->member.object);
    case FE_EXPR_CAST: return has_effects(e->cast.a);
    case FE_EXPR_INDEX:
    case FE_EXPR_BINARY: return !e->constant && (has_effects(e->sub.a) || has_effects(e->sub.b));
    default: return !e->constant;
    }
}

/* The right side's value is taken before the left side is looked at. */
static struct address assign_structure(struct lowering *l, const struct fe_expr *e)
{
    struct address from = fe_lower_address(l, e->sub.b);
    if (e->sub.b->lvalue && has_effects(e->sub.a)) {
        struct address t = fe_temporary(l, e->type, NULL);
        fe_copy(l, t, from, e->type);
        from = t;
    }
    struct address to = fe_lower_address(l, e->sub.a);
    fe_place(l, e->op_at);
    fe_copy(l, to, from, e->type);
    return to;
}

static struct address literal_address(struct lowering *l, const struct fe_expr *e)
{
    struct address t = fe_temporary(l, e->type, NULL);
    fe_lower_init(l, t, e->type, e->cast.a);
    return t;
}

struct address fe_lower_address(struct lowering *l, const struct fe_expr *e)
{
    struct address t;
    if (fe_is_by_element(e))
        return fe_lower_elements(l, e);
    switch (e->kind) {
    case FE_EXPR_NAME: fe_place(l, e->where); return variable_address(l, fe_variable(e->name.decl));
    case FE_EXPR_INDEX: return element_address(l, e, false);
    case FE_EXPR_MEMBER: return member_address(l, e);
    case FE_EXPR_UNARY: return fe_lower_pointee(l, e->sub.a); /* DEREF */
    case FE_EXPR_LITERAL: return literal_address(l, e);
    case FE_EXPR_CONDITIONAL: return conditional_address(l, e);
    case FE_EXPR_ASSIGN: return assign_structure(l, e);
    case FE_EXPR_COMMA: fe_lower_effect(l, e->sub.a); return fe_lower_address(l, e->sub.b);
    case FE_EXPR_CALL:
        t = fe_temporary(l, e->type, fe_result_name(l, e));
        fe_lower_call(l, e, &t);
        return t;
    default: BUG("address of expression kind %d", e->kind);
    }
}

struct address fe_lower_address_of(struct lowering *l, const struct fe_expr *e)
{
    return e->kind == FE_EXPR_INDEX ? element_address(l, e, true) : fe_lower_address(l, e);
}

/* ---- structures and arrays --------------------------------------------------------------------------- */

/* The scalars of what is copied: where they are in it, and in memory. */
struct leaves {
    uint32_t count;
    struct leaf {
        const struct fe_type *type;
        uint64_t offset;
        struct address from;
    } at[LEAFWISE_SCALARS];
};

static void list_leaves(struct lowering *l, struct address from, const struct fe_type *t, uint64_t offset,
                        struct leaves *to)
{
    if (t->kind == FE_TYPE_ARRAY) {
        for (uint64_t i = 0; i < t->count; i++)
            list_leaves(l, moved(from, i * t->of->size), t->of, offset + i * t->of->size, to);
    } else if (fe_is_union(t)) {
        for (uint64_t i = 0; i < t->size; i += t->words->size)
            list_leaves(l, moved(from, i), t->words, offset + i, to);
    } else if (t->kind == FE_TYPE_STRUCT) {
        for (const struct fe_decl *f = t->decl->members.first; f; f = f->next)
            list_leaves(l, member_at(l, from, f), f->type, offset + f->offset, to);
    } else {
        to->at[to->count++] = (struct leaf){t, offset, from};
    }
}

/* How many of the first leaves lie in the bytes of one wide access. */
static uint32_t count_together(const struct leaf *leaves, uint32_t most, uint32_t align)
{
    uint64_t end = leaves->offset + fe_wide(align, leaves->offset);
    uint32_t n = 1;
    while (n < most && leaves[n].offset < end)
        n++;
    return n;
}

/* All are read before any of them is written. */
static void copy_together(struct lowering *l, struct address to, const struct leaf *leaves, uint32_t n,
                          uint32_t align)
{
    ir_ref v[LEAFWISE_SCALARS], store;
    for (uint32_t i = 0; i < n; i++) {
        v[i] = fe_load(l, leaves[i].from, leaves[i].type);
        if (n > 1)
            fe_note_wide(l, v[i], leaves[i].type, align, leaves[i].offset);
    }
    for (uint32_t i = 0; i < n; i++) {
        store = fe_store(l, moved(to, leaves[i].offset), leaves[i].type, v[i]);
        if (n > 1)
            fe_note_wide(l, store, leaves[i].type, align, leaves[i].offset);
    }
}

static void copy_leaves(struct lowering *l, struct address to, struct address from, const struct fe_type *t)
{
    struct leaves all = {0};
    list_leaves(l, from, t, 0, &all);
    for (uint32_t i = 0, n; i < all.count; i += n) {
        n = count_together(&all.at[i], all.count - i, t->align);
        copy_together(l, to, &all.at[i], n, t->align);
    }
}

/* Members that nobody has written may be copied, but not be loaded. */
static bool is_copied_whole(const struct lowering *l, struct address to, struct address from,
                            const struct fe_type *t)
{
    bool own =
        ir_at(l->f, to.base)->type == IR_TYPE_PRIVATE && ir_at(l->f, from.base)->type == IR_TYPE_PRIVATE;
    return t->scalars > LEAFWISE_SCALARS || (own && l->fe->options.tells_unwritten);
}

void fe_copy(struct lowering *l, struct address to, struct address from, const struct fe_type *t)
{
    if (!is_copied_whole(l, to, from, t)) {
        copy_leaves(l, to, from, t);
        return;
    }
    ir_ref a = fe_pointer(l, to), b = fe_pointer(l, from);
    ir_ref r = ir_emit2(&l->c, IR_memcpy, IR_TYPE_VOID, a, b);
    ir_at(l->f, r)->imm = (int64_t)t->size;
}

void fe_zero(struct lowering *l, struct address a, const struct fe_type *t)
{
    if (fe_is_scalar(t)) {
        fe_store(l, a, t, fe_zero_value(l, t));
        return;
    }
    ir_ref r = ir_emit1(&l->c, IR_memzero, IR_TYPE_VOID, fe_pointer(l, a));
    ir_at(l->f, r)->imm = (int64_t)t->size;
}

static void init_item(struct lowering *l, struct address a, const struct fe_expr *value)
{
    if (value->type->kind == FE_TYPE_STRUCT && value->kind == FE_EXPR_CALL && !fe_is_by_element(value)) {
        fe_lower_call(l, value, &a);
    } else if (value->type->kind == FE_TYPE_STRUCT) {
        struct address from = fe_lower_address(l, value);
        fe_copy(l, a, from, value->type);
    } else {
        ir_ref v = fe_lower_value(l, value);
        fe_place(l, value->where);
        fe_store(l, a, value->type, v);
    }
}

/* Whether the items follow each other without gap or overlap and fill the object. */
static bool covers(const struct fe_expr *init, uint64_t bytes)
{
    uint64_t end = 0;
    for (const struct fe_init *i = init->init.items; i; end += i->value->type->size, i = i->next)
        if (i->offset != end)
            return false;
    return end == bytes;
}

void fe_lower_init(struct lowering *l, struct address a, const struct fe_type *t, const struct fe_expr *init)
{
    if (init->kind != FE_EXPR_INIT) {
        init_item(l, a, init);
        return;
    }
    if (!covers(init, t->size))
        fe_zero(l, a, t);
    for (const struct fe_init *i = init->init.items; i; i = i->next)
        init_item(l, moved(a, i->offset), i->value);
}
