/* check_vector.c: what a vector's member selects, operators and builtins by element, how vectors are made.
 *
 * After checking, an operand of an operator by element, and an argument of a builtin by element, is a vector
 * or a scalar that stands for each element. A vector made of parts, make_float4(…) or (float4)(…), has become
 * a compound literal; one made of one scalar a cast, unless the scalar is constant. A MEMBER that selects
 * several elements has `selects` set and no field. Of a builtin by element `target` is its generic type.
 */
#include "frontend/check/check.h"

static struct fe_expr *expr_at(struct checker *c, enum fe_expr_kind kind, span where, struct fe_type *t)
{
    struct fe_expr *e = arena_new(c->arena, struct fe_expr);
    e->kind = (uint8_t)kind;
    e->where = e->op_at = where;
    e->type = t;
    return e;
}

/* ---- selecting elements ------------------------------------------------------------------------------ */

/* v.xyz.yx selects of v itself. */
static const struct fe_type *see_through(struct fe_expr *e, uint32_t n)
{
    struct fe_expr *o = e->member.object;
    for (uint32_t i = 0; i < n; i++)
        e->member.elements[i] = o->member.elements[e->member.elements[i]];
    e->member.arrow = o->member.arrow;
    e->member.object = o->member.object;
    return o->member.arrow ? o->member.object->type->of : o->member.object->type;
}

struct fe_expr *fe_check_selection(struct checker *c, struct fe_expr *e, const struct fe_type *vector)
{
    uint32_t n = fe_selected(e->member.name, (uint32_t)vector->count, e->member.elements);
    if (!n) {
        fe_report(c->fe, FE_MSG(no_element), e->op_at, fe_type_text(c, vector->plain), e->member.name,
                  vector->count == 2   ? "x and y"
                  : vector->count == 3 ? "x, y and z"
                                       : "x, y, z and w");
        return fe_poison(c, e);
    }
    if (fe_selects(e->member.object))
        vector = see_through(e, n);
    if (n > 1) {
        e->member.selects = (uint8_t)n;
        e->type = fe_vector_of(c->types, vector->of, n);
        return e;
    }
    struct fe_decl *f = vector->decl->members.first;
    for (uint32_t i = 0; i < e->member.elements[0]; i++)
        f = f->next;
    e->member.field = f;
    e->lvalue = e->member.arrow || e->member.object->lvalue;
    e->type = vector->is_const ? fe_const_of(c->types, f->type) : f->type;
    return e;
}

bool fe_selects_twice(const struct fe_expr *e)
{
    for (uint32_t i = 0; i < e->member.selects; i++)
        for (uint32_t k = 0; k < i; k++)
            if (e->member.elements[i] == e->member.elements[k])
                return true;
    return false;
}

/* ---- making vectors ---------------------------------------------------------------------------------- */

/* The scalar as an element of the vector; poisoned after a message. */
static struct fe_expr *as_element(struct checker *c, struct fe_expr *e, const struct fe_type *vector)
{
    struct fe_expr *next = e->next;
    e = fe_convert_assign(c, e, vector->of, "an element");
    e->next = next;
    return e;
}

/* The vector as a compound literal of a list of scalars and vectors that together have its elements. */
static struct fe_expr *literal_of(struct checker *c, span where, struct fe_type *vector,
                                  struct fe_expr *parts)
{
    struct fe_expr *literal = expr_at(c, FE_EXPR_LITERAL, where, vector),
                   *list = literal->cast.a = expr_at(c, FE_EXPR_INIT, where, vector);
    uint64_t offset = 0;
    list->constant = true;
    for (struct fe_init **to = &list->init.items; parts; parts = parts->next, to = &(*to)->next) {
        *to = arena_new(c->arena, struct fe_init);
        (*to)->value = parts;
        (*to)->offset = (uint32_t)offset;
        list->constant &= parts->constant;
        list->depth = parts->depth > list->depth ? parts->depth : list->depth;
        offset += parts->type->scalars * vector->of->size;
    }
    literal->depth = list->depth;
    return literal;
}

struct fe_expr *fe_widen(struct checker *c, struct fe_expr *e, struct fe_type *vector)
{
    struct fe_expr *next = e->next, *element = as_element(c, e, vector), *wide;
    if (fe_is_error(element->type))
        return element;
    element->next = NULL;
    if (element->constant) {
        struct fe_expr *parts = NULL;
        for (uint32_t i = 0; i < vector->count; i++) {
            struct fe_expr *part = arena_new(c->arena, struct fe_expr);
            *part = *element;
            part->next = parts;
            parts = part;
        }
        wide = literal_of(c, e->where, vector, parts);
    } else {
        wide = expr_at(c, FE_EXPR_CAST, e->where, vector);
        wide->implicit = true;
        wide->depth = element->depth;
        wide->cast.a = element;
    }
    wide->next = next;
    return wide;
}

/* The vector e should have elements of type `of`. */
static void report_vector_type(struct checker *c, const struct fe_expr *e, const struct fe_type *of)
{
    const char *wanted = fe_type_text(c, fe_vector_of(c->types, of, (uint32_t)e->type->count));
    fe_report(c->fe, FE_MSG(vector_types), e->where, wanted, fe_type_text(c, e->type->plain), wanted);
}

/* Checks one part, whose elements *count gets. */
static struct fe_expr *check_part(struct checker *c, struct fe_expr *e, const struct fe_type *vector,
                                  uint64_t *count)
{
    const struct fe_type *t = e->type->plain;
    if (fe_is_error(t))
        return e;
    *count += fe_is_vector(t) ? t->count : 1;
    if (!fe_is_vector(t))
        return as_element(c, e, vector);
    if (t->of == vector->of)
        return e;
    report_vector_type(c, e, vector->of);
    return fe_poison(c, e);
}

/* `parts` have been checked as values. */
static struct fe_expr *make_vector(struct checker *c, struct fe_expr *e, struct fe_type *vector,
                                   struct fe_expr *parts)
{
    uint64_t count = 0;
    bool good = true;
    for (struct fe_expr **p = &parts; *p; p = &(*p)->next) {
        *p = check_part(c, *p, vector, &count);
        good &= !fe_is_error((*p)->type);
    }
    if (!good)
        return fe_poison(c, e);
    struct fe_expr *made = NULL;
    if (count == vector->count)
        made = literal_of(c, e->where, vector, parts);
    else if (count == 1)
        made = fe_widen(c, parts, vector);
    else
        fe_report(c->fe, FE_MSG(vector_parts), e->where, fe_type_text(c, vector), (unsigned)vector->count,
                  (unsigned long long)count);
    if (!made)
        return fe_poison(c, e);
    made->next = e->next;
    return made;
}

/* The operands of a list in parentheses, (a, b, c), as a list in their order. */
static struct fe_expr *listed(struct fe_expr *e)
{
    struct fe_expr *rest = NULL;
    bool outermost = true;
    for (; e->kind == FE_EXPR_COMMA && (outermost || !e->parenthesised); e = e->sub.a, outermost = false) {
        e->sub.b->next = rest;
        rest = e->sub.b;
    }
    e->next = rest;
    return e;
}

static struct fe_expr *check_values(struct checker *c, struct fe_expr *list)
{
    for (struct fe_expr **p = &list; *p; p = &(*p)->next) {
        struct fe_expr *next = (*p)->next;
        *p = fe_check_value(c, *p);
        (*p)->next = next;
    }
    return list;
}

struct fe_expr *fe_check_vector_cast(struct checker *c, struct fe_expr *e, struct fe_type *vector)
{
    struct fe_expr *a = e->cast.a;
    struct fe_expr *parts = a->parenthesised ? listed(a) : a;
    return make_vector(c, e, vector->plain, check_values(c, parts));
}

/* ---- functions named after a vector type ------------------------------------------------------------- */

static struct fe_type *named_behind(struct checker *c, const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(name, prefix, n) == 0 ? fe_find_vector(c->types, name + n) : NULL;
}

/* convert_float4(v): each element as by a cast. */
static struct fe_expr *check_conversion(struct checker *c, struct fe_expr *e, struct fe_type *to)
{
    struct fe_expr *a = e->call.args;
    const struct fe_type *from = a && !a->next ? a->type->plain : NULL;
    if (from && fe_is_error(from))
        return fe_poison(c, e);
    if (!from || !fe_is_vector(from) || from->count != to->count) {
        fe_report(c->fe, FE_MSG(vector_conversion), e->where, e->call.callee->name.name, (unsigned)to->count);
        return fe_poison(c, e);
    }
    struct fe_expr *cast = expr_at(c, FE_EXPR_CAST, e->where, to);
    cast->depth = e->depth;
    cast->next = e->next;
    cast->cast.a = a;
    return cast;
}

struct fe_expr *fe_check_vector_call(struct checker *c, struct fe_expr *e)
{
    const char *name = e->call.callee->name.name;
    struct fe_type *made = named_behind(c, name, "make_"), *to = named_behind(c, name, "convert_");
    if (!made && !to)
        return NULL;
    if (e->call.token)
        fe_report(c->fe, FE_MSG(token_not_convergent), e->call.token->where);
    e->call.args = check_values(c, e->call.args);
    return made ? make_vector(c, e, made, e->call.args) : check_conversion(c, e, to);
}

/* ---- operators --------------------------------------------------------------------------------------- */

/* What a comparison of vectors gives: OpenCL's integers of the elements' size, -1 for true. */
static struct fe_type *truths_of(struct checker *c, const struct fe_type *vector)
{
    static const uint8_t kinds[] = {
        [1] = FE_TYPE_CHAR, [2] = FE_TYPE_SHORT, [4] = FE_TYPE_INT, [8] = FE_TYPE_LONG};
    return fe_vector_of(c->types, c->types->basic[kinds[vector->of->size]], (uint32_t)vector->count);
}

struct fe_expr *fe_check_elements(struct checker *c, struct fe_expr *e)
{
    struct fe_expr **sides[2] = {&e->sub.a, &e->sub.b};
    struct fe_type *a = e->sub.a->type->plain, *b = e->sub.b->type->plain, *t = fe_is_vector(a) ? a : b;
    bool integers = e->op == FE_OP_REM || (e->op >= FE_OP_SHL && e->op <= FE_OP_OR);
    bool compares = e->op >= FE_OP_LT && e->op <= FE_OP_NE;
    if ((e->op == FE_OP_SHL || e->op == FE_OP_SHR) && fe_is_integer(t->of))
        fe_suspect_shift(c, e->sub.b, fe_promoted(c, t->of)); /* before it is of an element's type */
    for (int i = 0; i < 2; i++) {
        struct fe_type *side = (*sides[i])->type->plain;
        bool lossy = fe_is_integer(t->of) && fe_is_float(side);
        if (side == t)
            continue;
        if (fe_is_vector(side) || lossy)
            fe_report(c->fe, FE_MSG(vector_operands), e->op_at, fe_op_text[e->op], fe_type_text(c, a),
                      fe_type_text(c, b));
        else if (!fe_is_arithmetic(side))
            fe_report(c->fe, FE_MSG(binary_operands), e->op_at, fe_op_text[e->op], fe_type_text(c, a),
                      fe_type_text(c, b));
        if (fe_is_vector(side) || !fe_is_arithmetic(side) || lossy)
            return fe_poison(c, e);
        *sides[i] = fe_convert(c, *sides[i], t->of);
    }
    if (integers && !fe_is_integer(t->of)) {
        fe_report(c->fe, FE_MSG(binary_operands), e->op_at, fe_op_text[e->op], fe_type_text(c, a),
                  fe_type_text(c, b));
        return fe_poison(c, e);
    }
    e->type = compares ? truths_of(c, t) : t;
    return e;
}

/* ---- builtins ---------------------------------------------------------------------------------------- */

static bool is_by_element(const struct fe_builtin *b)
{
    switch (b->how) {
    case FE_HOW_OP:
    case FE_HOW_CONVERGENT:
    case FE_HOW_CLAMP:
    case FE_HOW_RSQRT:
    case FE_HOW_ROTR:
    case FE_HOW_ISNAN:
    case FE_HOW_ISINF:
    case FE_HOW_ISFINITE:
    case FE_HOW_REINTERPRET:
    case FE_HOW_LDEXP:
    case FE_HOW_EXP10: return true;
    default: return false;
    }
}

struct fe_type *fe_vector_among(const struct fe_expr *e)
{
    for (const struct fe_expr *a = e->call.args; a; a = a->next)
        if (fe_is_vector(a->type))
            return a->type->plain;
    return NULL;
}

struct fe_expr *fe_as_elements(struct checker *c, const struct fe_expr *e)
{
    struct fe_expr *one = arena_new(c->arena, struct fe_expr), **to = &one->call.args;
    *one = *e;
    for (const struct fe_expr *a = e->call.args; a; a = a->next, to = &(*to)->next) {
        *to = arena_new(c->arena, struct fe_expr);
        **to = *a;
        if (fe_is_vector(a->type)) {
            (*to)->type = a->type->of;
            (*to)->constant = false;
        }
    }
    return one;
}

bool fe_check_vector_builtin(struct checker *c, const struct fe_expr *e, const struct fe_builtin *b)
{
    const struct fe_type *vector = fe_vector_among(e);
    uint32_t i = 0;
    if (!is_by_element(b)) {
        fe_report(c->fe, FE_MSG(builtin_by_element), e->where, b->name, fe_type_text(c, vector));
        return false;
    }
    for (const struct fe_expr *a = e->call.args; a; a = a->next, i++) {
        const struct fe_type *t = a->type->plain;
        if (!fe_is_vector(t) || (t->count == vector->count && fe_builtin_param(b, i) != 'b'))
            continue;
        if (t->count == vector->count)
            fe_report(c->fe, FE_MSG(builtin_by_element), a->where, b->name, fe_type_text(c, t));
        else
            fe_report(c->fe, FE_MSG(vector_counts), a->where, b->name, fe_type_text(c, vector),
                      fe_type_text(c, t));
        return false;
    }
    return true;
}

bool fe_check_vector_argument(struct checker *c, const struct fe_expr *a, struct fe_type *parameter)
{
    if (!parameter || fe_promoted(c, a->type->of) == fe_promoted(c, parameter))
        return true;
    report_vector_type(c, a, parameter);
    return false;
}

struct fe_type *fe_vector_result(struct checker *c, const struct fe_type *vector, struct fe_type *one)
{
    if (one->kind == FE_TYPE_BOOL)
        return truths_of(c, vector);
    if (one == fe_promoted(c, vector->of))
        one = vector->of;
    return fe_vector_of(c->types, one, (uint32_t)vector->count);
}

/* ---- builtins of whole vectors ----------------------------------------------------------------------- */

/* Whether the argument is what its letter in builtins.def asks for. */
static bool check_whole(struct checker *c, const struct fe_builtin *b, char letter, const struct fe_expr *a,
                        const struct fe_type *first)
{
    const struct fe_type *t = a->type->plain;
    bool fits =
        fe_is_vector(t) && (letter == 'W' || (letter == 'V' ? fe_is_float(t->of) : fe_is_integer(t->of)));
    const char *wanted = letter == 'V'   ? "a vector of float or double"
                         : letter == 'M' ? "a vector of integers"
                                         : "a vector (of numbers write c ? b : a)";
    if (fits && b->how == FE_HOW_CROSS && t->count != 3)
        fits = false, wanted = "a vector of 3 elements";
    else if (fits &&
             (letter == 'M' ? t->count != first->count || t->of->size != first->of->size : t != first))
        fits = false,
        wanted = letter == 'M' ? "a vector of integers of the same size and count" : "vectors of one type";
    if (!fits)
        fe_report(c->fe, FE_MSG(builtin_argument), a->where, b->name, wanted, fe_type_text(c, t));
    return fits;
}

struct fe_expr *fe_check_whole_vectors(struct checker *c, struct fe_expr *e, const struct fe_builtin *b)
{
    uint32_t i = 0;
    const struct fe_type *first = e->call.args->type->plain;
    for (const struct fe_expr *a = e->call.args; a; a = a->next)
        if (!check_whole(c, b, fe_builtin_param(b, i++), a, first))
            return fe_poison(c, e);
    e->type = b->signature[0] == 'E' ? first->of : first->plain;
    return e;
}
