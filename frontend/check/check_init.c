/* check_init.c: initialisers (C99 6.7.8), with designators and elided braces.
 *
 * A brace list is flattened: afterwards its items are the scalars and whole structures that are written,
 * in order, each with its offset; what no item covers is zero. A later item wins over an earlier one.
 */
#include "frontend/check/check.h"
#include "ir/limits.h"

struct flat { /* the list being made, and what is still to be read */
    struct fe_init *first, *last;
    bool constant, good;
};

static void init_aggregate(struct checker *c, struct flat *out, struct fe_init **at, struct fe_type *t,
                           uint64_t offset, bool braced, uint64_t *count);

/* Whether the value is a vector's literal that leaves nothing out, so that its items may stand in its place. */
static bool is_whole_vector(const struct fe_expr *e)
{
    uint64_t scalars = 0;
    if (e->kind != FE_EXPR_LITERAL || !fe_is_vector(e->type))
        return false;
    for (const struct fe_init *i = e->cast.a->init.items; i; i = i->next)
        scalars += i->value->type->scalars;
    return scalars == e->type->count;
}

static void keep(struct flat *out, struct fe_init *item, uint64_t offset)
{
    if (is_whole_vector(item->value)) {
        for (struct fe_init *i = item->value->cast.a->init.items, *next; i; i = next) {
            next = i->next;
            keep(out, i, offset + i->offset);
        }
        return;
    }
    item->offset = (uint32_t)offset;
    item->next = NULL;
    *(out->last ? &out->last->next : &out->first) = item;
    out->last = item;
    out->constant &= item->value->constant || fe_named_function(item->value);
    out->good &= !fe_is_error(item->value->type);
}

/* One scalar or structure, its braces (if any) already off. */
static void init_whole(struct checker *c, struct flat *out, struct fe_init *item, struct fe_type *t,
                       uint64_t offset)
{
    item->value = fe_convert_assign(c, item->value, t, "initialiser");
    keep(out, item, offset);
}

static void check_once(struct checker *c, struct fe_init *item)
{
    if (!item->value->type)
        item->value = fe_check_value(c, item->value);
}

static void report_excess(struct checker *c, struct flat *out, const struct fe_init *item)
{
    fe_report(c->fe, FE_MSG(excess_initialiser), item->value->where);
    out->good = false;
}

/* A scalar in braces: {x}. */
static void init_braced_scalar(struct checker *c, struct flat *out, struct fe_expr *list, struct fe_type *t,
                               uint64_t offset)
{
    struct fe_init *item = list->init.items;
    if (!item || item->path || item->value->kind == FE_EXPR_INIT) {
        fe_report(c->fe, FE_MSG(scalar_braces), list->where, fe_type_text(c, t->plain));
        out->good = false;
        return;
    }
    if (item->next)
        report_excess(c, out, item->next);
    check_once(c, item);
    init_whole(c, out, item, t, offset);
}

/* The string that stands for the array, one of bytes; braces may be around it. NULL: none does. */
static const struct fe_expr *text_for(const struct fe_type *t, const struct fe_expr *e)
{
    enum fe_type_kind of = t->kind == FE_TYPE_ARRAY ? t->of->plain->kind : FE_TYPE_VOID;
    const struct fe_init *only = e->kind == FE_EXPR_INIT && e->init.count == 1 ? e->init.items : NULL;
    if (only && !only->path)
        e = only->value;
    return (of == FE_TYPE_CHAR || of == FE_TYPE_UCHAR) && e->kind == FE_EXPR_STRING ? e : NULL;
}

static struct fe_expr *new_expr(struct checker *c, enum fe_expr_kind kind, span where)
{
    struct fe_expr *e = arena_new(c->arena, struct fe_expr);
    e->kind = (uint8_t)kind;
    e->where = where;
    return e;
}

/* The bytes of the string as a list, with a zero behind them unless the array has no room for it (C99
 * 6.7.8). */
static struct fe_expr *bytes_of(struct checker *c, const struct fe_type *t, const struct fe_expr *string)
{
    struct fe_expr *list = new_expr(c, FE_EXPR_INIT, string->where);
    struct fe_init **to = &list->init.items;
    uint64_t n = string->string.length, count = n + (t->count == FE_UNSIZED || t->count > n);
    for (uint64_t i = 0; i < count; i++, to = &(*to)->next) {
        *to = arena_new(c->arena, struct fe_init);
        struct fe_expr *byte = (*to)->value = new_expr(c, FE_EXPR_INT, string->where);
        int32_t value = i < n ? (int8_t)string->string.bytes[i] : 0;
        byte->literal = FE_LIT_CHARACTER;
        byte->value = (uint32_t)(t->of->plain->kind == FE_TYPE_CHAR ? value : value & UINT8_MAX);
    }
    return list;
}

static void report_designator(struct checker *c, struct flat *out, const struct fe_init *item,
                              const struct fe_type *t)
{
    fe_report(c->fe, FE_MSG(wrong_designator), item->path->where, fe_type_text(c, t->plain));
    out->good = false;
}

/* Whether the item leads elsewhere than to the next part of an object of these braces, or of one in it. */
static bool leads_away(const struct fe_init *item, bool braced)
{
    return item->path && !item->entered && !braced;
}

/* The first step of the item's path, which the item leaves behind; NULL: it has none. */
static struct fe_designator *enter(struct fe_init *item)
{
    struct fe_designator *d = item->path;
    if (d) {
        item->path = d->next;
        item->entered = true;
    }
    return d;
}

/* The element of type t at *at, which moves behind it. */
static void init_element(struct checker *c, struct flat *out, struct fe_init **at, struct fe_type *t,
                         uint64_t offset)
{
    struct fe_init *item = *at, *next = item->next;
    if (item->path && fe_is_aggregate(t)) {
        init_aggregate(c, out, at, t, offset, false, NULL);
        return;
    }
    if (item->path) {
        report_designator(c, out, item, t);
        return;
    }
    const struct fe_expr *text = text_for(t, item->value);
    struct fe_expr *value = item->value = text ? bytes_of(c, t, text) : item->value;
    if (value->kind == FE_EXPR_INIT) {
        struct fe_init *inner = value->init.items;
        if (fe_is_aggregate(t))
            init_aggregate(c, out, &inner, t, offset, true, NULL);
        else
            init_braced_scalar(c, out, value, t, offset);
        *at = next;
        return;
    }
    if (t->kind != FE_TYPE_ARRAY)
        check_once(c, item);
    bool whole = !fe_is_aggregate(t) || (t->kind == FE_TYPE_STRUCT && (fe_is_error(item->value->type) ||
                                                                       item->value->type->plain == t->plain));
    if (whole) {
        init_whole(c, out, item, t, offset);
        *at = next;
    } else {
        init_aggregate(c, out, at, t, offset, false, NULL);
    }
}

static void init_array(struct checker *c, struct flat *out, struct fe_init **at, struct fe_type *t,
                       uint64_t offset, bool braced, uint64_t *count)
{
    uint64_t i = 0, n = 0, limit = t->count == FE_UNSIZED ? IR_MAX_OBJECT_BYTES / t->of->size : t->count;
    while (*at && out->good && !leads_away(*at, braced)) {
        struct fe_init *item = *at;
        int64_t index;
        if (item->path && item->path->field) {
            report_designator(c, out, item, t);
            break;
        }
        struct fe_designator *d = enter(item);
        if (d &&
            !fe_check_constant(c, &d->index, "the index of a designator", 0, (int64_t)limit - 1, &index)) {
            out->good = false;
            break;
        }
        i = d ? (uint64_t)index : i;
        if (i >= limit)
            break;
        init_element(c, out, at, t->of, offset + i * t->of->size);
        n = ++i > n ? i : n;
    }
    if (count)
        *count = n;
}

static void init_struct(struct checker *c, struct flat *out, struct fe_init **at, struct fe_type *t,
                        uint64_t offset, bool braced)
{
    struct fe_decl *f = t->decl->members.first;
    while (*at && out->good && !leads_away(*at, braced)) {
        struct fe_init *item = *at;
        if (item->path && item->path->index) {
            report_designator(c, out, item, t);
            break;
        }
        struct fe_designator *d = enter(item);
        if (d && !(f = fe_find_field(c, t, d->field))) {
            fe_report(c->fe, FE_MSG(no_member), d->where, fe_type_text(c, t->plain), d->field);
            out->good = false;
            break;
        }
        if (!f)
            break;
        if (fe_is_error(f->type)) {
            out->good = false;
            break;
        }
        init_element(c, out, at, f->type, offset + f->offset);
        f = fe_is_union(t) ? NULL : f->next;
    }
}

/* Reads items into the parts of t; of a list of its own (braced) all of them. *count: elements of an array.
 */
static void init_aggregate(struct checker *c, struct flat *out, struct fe_init **at, struct fe_type *t,
                           uint64_t offset, bool braced, uint64_t *count)
{
    struct fe_init *first = *at;
    if (t->kind == FE_TYPE_ARRAY)
        init_array(c, out, at, t, offset, braced, count);
    else
        init_struct(c, out, at, t, offset, braced);
    if (*at && out->good && (braced || *at == first))
        report_excess(c, out, *at);
}

static struct fe_expr *init_list(struct checker *c, struct fe_expr *e, struct fe_type **type)
{
    struct flat out = {.constant = true, .good = true};
    struct fe_init *at = e->init.items;
    struct fe_type *t = *type;
    uint64_t count = 0;
    if (!fe_is_aggregate(t))
        init_braced_scalar(c, &out, e, t, 0);
    else
        init_aggregate(c, &out, &at, t, 0, true, &count);
    if (t->kind == FE_TYPE_ARRAY && t->count == FE_UNSIZED) {
        if (!count && out.good)
            fe_report(c->fe, FE_MSG(empty_array), e->where);
        *type = t = count ? fe_array_of(c->types, t->of, count) : c->types->error;
    }
    if (!out.good) {
        *type = t->kind == FE_TYPE_ARRAY && t->count == FE_UNSIZED ? c->types->error : t;
        return fe_poison(c, e);
    }
    if (!fe_is_aggregate(t) && out.first)
        return out.first->value;
    e->init.items = out.first;
    e->type = t->plain;
    e->constant = out.constant;
    return e;
}

struct fe_expr *fe_check_init(struct checker *c, struct fe_expr *e, const struct fe_form *form,
                              struct fe_type **type)
{
    struct fe_type *t = *type;
    if (fe_is_error(t)) {
        if (e->kind != FE_EXPR_INIT)
            fe_check_value(c, e);
        return fe_poison(c, e);
    }
    const struct fe_expr *text = text_for(t, e);
    if (text)
        e = bytes_of(c, t, text);
    if (e->kind == FE_EXPR_INIT)
        return init_list(c, e, type);
    if (t->kind == FE_TYPE_ARRAY) {
        fe_report(c->fe, FE_MSG(array_initialiser), e->where);
        *type = c->types->error;
        return fe_poison(c, e);
    }
    e = fe_check_value(c, e);
    *type = t = form ? fe_adopt_spaces(c, form, t, e->type->plain) : t;
    e = fe_convert_assign(c, e, t, "initialiser");
    return e->kind == FE_EXPR_LITERAL && fe_is_vector(e->type) ? e->cast.a : e;
}
