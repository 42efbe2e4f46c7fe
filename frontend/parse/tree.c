/* tree.c: constructors of the syntax tree.
 *
 * Invariant: a node's depth is one more than that of its deepest child. The first node beyond the limit is
 * reported and stops the parser.
 */
#include "frontend/parse/parser.h"

/* The depth of a node above a child of this depth. */
static uint16_t deeper(struct parser *p, uint16_t depth, span where)
{
    uint32_t limit = p->fe->options.limits.tree_depth;
    if (depth < limit)
        return (uint16_t)(depth + 1);
    if (!p->stopped)
        fe_report(p->fe, FE_MSG(tree_too_deep), where, limit);
    p->stopped = true;
    return depth;
}

static void over_expr(struct parser *p, uint16_t *depth, span where, const struct fe_expr *child)
{
    if (child && child->depth >= *depth)
        *depth = deeper(p, child->depth, where);
}

static void over_stmt(struct parser *p, struct fe_stmt *s, const struct fe_stmt *child)
{
    if (child && child->depth >= s->depth)
        s->depth = deeper(p, child->depth, s->where);
}

/* ---- expressions -------------------------------------------------------------------------------- */

struct fe_expr *fe_expr_new(struct parser *p, enum fe_expr_kind kind, span where)
{
    struct fe_expr *e = arena_new(p->arena, struct fe_expr);
    e->kind = kind;
    e->where = where;
    e->depth = 1;
    return e;
}

struct fe_expr *fe_expr_unary(struct parser *p, enum fe_op op, span where, span op_at, struct fe_expr *a)
{
    struct fe_expr *e = fe_expr_new(p, FE_EXPR_UNARY, where);
    e->op = op;
    e->op_at = op_at;
    e->sub.a = a;
    over_expr(p, &e->depth, where, a);
    return e;
}

struct fe_expr *fe_expr_binary(struct parser *p, enum fe_expr_kind kind, enum fe_op op, span op_at,
                               struct fe_expr *a, struct fe_expr *b)
{
    struct fe_expr *e = fe_expr_new(p, kind, span_join(a->where, b->where));
    e->op = op;
    e->op_at = op_at;
    e->sub.a = a;
    e->sub.b = b;
    over_expr(p, &e->depth, e->where, a);
    over_expr(p, &e->depth, e->where, b);
    return e;
}

struct fe_expr *fe_expr_conditional(struct parser *p, span op_at, struct fe_expr *a, struct fe_expr *b,
                                    struct fe_expr *c)
{
    struct fe_expr *e = fe_expr_binary(p, FE_EXPR_CONDITIONAL, FE_OP_NONE, op_at, a, b);
    e->where.end = c->where.end;
    e->sub.c = c;
    over_expr(p, &e->depth, e->where, c);
    return e;
}

struct fe_expr *fe_expr_index(struct parser *p, span where, span op_at, struct fe_expr *a, struct fe_expr *b)
{
    struct fe_expr *e = fe_expr_binary(p, FE_EXPR_INDEX, FE_OP_NONE, op_at, a, b);
    e->where = where;
    return e;
}

struct fe_expr *fe_expr_name(struct parser *p, span where, const char *name)
{
    struct fe_expr *e = fe_expr_new(p, FE_EXPR_NAME, where);
    e->name.name = name;
    return e;
}

struct fe_expr *fe_expr_call(struct parser *p, span where, span op_at, struct fe_expr *callee,
                             struct list args)
{
    struct fe_expr *e = fe_expr_new(p, FE_EXPR_CALL, where);
    e->op_at = op_at;
    e->call.callee = callee;
    e->call.args = args.first;
    over_expr(p, &e->depth, where, callee);
    for (struct fe_expr *a = args.first; a; a = a->next) {
        e->call.arg_count++;
        over_expr(p, &e->depth, where, a);
    }
    return e;
}

struct fe_expr *fe_expr_at(struct parser *p, span where, struct fe_expr *call, struct fe_expr *token)
{
    if (call->kind != FE_EXPR_CALL || call->call.token) {
        fe_report(p->fe, FE_MSG(token_on_value), token->where);
        return call;
    }
    call->call.token = token;
    call->where = where;
    return call;
}

struct fe_expr *fe_expr_member(struct parser *p, span where, struct fe_expr *object, bool arrow,
                               const char *name, span name_at)
{
    struct fe_expr *e = fe_expr_new(p, FE_EXPR_MEMBER, where);
    e->op_at = name_at;
    e->member.object = object;
    e->member.arrow = arrow;
    e->member.name = name;
    over_expr(p, &e->depth, where, object);
    return e;
}

struct fe_expr *fe_expr_form(struct parser *p, enum fe_expr_kind kind, span where, struct fe_form *form,
                             struct fe_expr *a)
{
    struct fe_expr *e = fe_expr_new(p, kind, where);
    e->cast.form = form;
    e->cast.a = a;
    over_expr(p, &e->depth, where, a);
    return e;
}

struct fe_expr *fe_expr_init(struct parser *p, span where, struct list items)
{
    struct fe_expr *e = fe_expr_new(p, FE_EXPR_INIT, where);
    e->init.items = items.first;
    for (struct fe_init *i = items.first; i; i = i->next) {
        e->init.count++;
        over_expr(p, &e->depth, where, i->value);
        for (const struct fe_designator *d = i->path; d; d = d->next)
            over_expr(p, &e->depth, where, d->index);
    }
    return e;
}

struct fe_designator *fe_designator_new(struct parser *p, const char *field, struct fe_expr *index,
                                        span where)
{
    struct fe_designator *d = arena_new(p->arena, struct fe_designator);
    d->field = field;
    d->index = index;
    d->where = where;
    return d;
}

struct fe_init *fe_init_designated(struct parser *p, struct list path, struct fe_expr *value)
{
    struct fe_init *i = arena_new(p->arena, struct fe_init);
    i->value = value;
    i->path = path.first;
    return i;
}

struct fe_expr *fe_expr_join(struct parser *p, struct list strings, span where)
{
    struct fe_expr *first = strings.first;
    uint32_t limit = p->fe->options.limits.string_length, n = 0;
    if (!first->next)
        return first;
    for (const struct fe_expr *e = first; e && n <= limit; e = e->next)
        n += e->string.length;
    char *bytes = arena_alloc(p->arena, (size_t)n + 1), *to = bytes;
    if (n > limit)
        fe_report(p->fe, FE_MSG(string_too_long), where, limit);
    else
        for (const struct fe_expr *e = first; e; to += e->string.length, e = e->next)
            memcpy(to, e->string.bytes, e->string.length);
    first->where = where;
    first->next = NULL;
    first->string.bytes = bytes;
    first->string.length = (uint32_t)(to - bytes);
    return first;
}

/* ---- statements --------------------------------------------------------------------------------- */

struct fe_stmt *fe_stmt_new(struct parser *p, enum fe_stmt_kind kind, span where)
{
    struct fe_stmt *s = arena_new(p->arena, struct fe_stmt);
    s->kind = kind;
    s->where = where;
    s->depth = 1;
    return s;
}

struct fe_stmt *fe_stmt_expr(struct parser *p, enum fe_stmt_kind kind, span where, struct fe_expr *e)
{
    struct fe_stmt *s = fe_stmt_new(p, kind, where);
    s->expr = e;
    return s;
}

struct fe_stmt *fe_stmt_block(struct parser *p, span where, struct list items, span close)
{
    struct fe_stmt *s = fe_stmt_new(p, FE_STMT_BLOCK, where);
    s->block.first = items.first;
    s->block.close = close;
    for (struct fe_stmt *i = items.first; i; i = i->next)
        over_stmt(p, s, i);
    return s;
}

struct fe_stmt *fe_stmt_if(struct parser *p, span where, struct fe_expr *condition, struct fe_stmt *then,
                           struct fe_stmt *otherwise)
{
    struct fe_stmt *s = fe_stmt_new(p, FE_STMT_IF, where);
    s->branch.condition = condition;
    s->branch.then = then;
    s->branch.otherwise = otherwise;
    over_stmt(p, s, then);
    over_stmt(p, s, otherwise);
    return s;
}

struct fe_stmt *fe_stmt_loop(struct parser *p, enum fe_stmt_kind kind, span where, struct fe_expr *condition,
                             struct fe_stmt *body)
{
    struct fe_stmt *s = fe_stmt_new(p, kind, where);
    s->loop.condition = condition;
    s->loop.body = body;
    over_stmt(p, s, body);
    return s;
}

struct fe_stmt *fe_stmt_for(struct parser *p, span where, struct fe_stmt *init, struct fe_expr *condition,
                            struct fe_expr *step, struct fe_stmt *body)
{
    struct fe_stmt *s = fe_stmt_loop(p, FE_STMT_FOR, where, condition, body);
    s->loop.init = init;
    s->loop.step = step;
    return s;
}

struct fe_stmt *fe_stmt_switch(struct parser *p, span where, struct fe_expr *value, struct fe_stmt *body)
{
    struct fe_stmt *s = fe_stmt_new(p, FE_STMT_SWITCH, where);
    s->select.value = value;
    s->select.body = body;
    over_stmt(p, s, body);
    return s;
}

struct fe_stmt *fe_stmt_jump(struct parser *p, enum fe_stmt_kind kind, span where, const char *name,
                             span name_at, struct fe_expr *threshold)
{
    struct fe_stmt *s = fe_stmt_new(p, kind, where);
    s->jump.name = name;
    s->jump.name_at = name_at;
    s->jump.threshold = threshold;
    return s;
}

struct fe_stmt *fe_stmt_try(struct parser *p, span where, struct fe_stmt *body, struct fe_stmt *handler)
{
    struct fe_stmt *s = fe_stmt_new(p, FE_STMT_TRY, where);
    s->attempt.body = body;
    s->attempt.handler = handler;
    over_stmt(p, s, body);
    over_stmt(p, s, handler);
    return s;
}

/* `a: b: body` where one statement is wanted: a block of markers and the body. */
struct fe_stmt *fe_stmt_labelled(struct parser *p, span where, struct fe_stmt *label, struct fe_stmt *body)
{
    if (body->kind == FE_STMT_BLOCK && body->implicit) {
        label->next = body->block.first;
        body->block.first = label;
        body->where = where;
        return body;
    }
    label->next = body;
    struct fe_stmt *s = fe_stmt_block(p, where, (struct list){label, body}, (span){where.end, where.end});
    s->implicit = true;
    return s;
}

/* ---- types as written --------------------------------------------------------------------------- */

struct fe_form *fe_form_new(struct parser *p, enum fe_form_kind kind, span where)
{
    struct fe_form *f = arena_new(p->arena, struct fe_form);
    f->kind = kind;
    f->where = where;
    f->depth = 1;
    return f;
}

struct fe_form *fe_form_word(struct parser *p, span where, uint32_t word)
{
    struct fe_form *f = fe_form_new(p, FE_FORM_WORD, where);
    f->word = (uint8_t)word;
    return f;
}

struct fe_form *fe_form_named(struct parser *p, enum fe_form_kind kind, span where, const char *name)
{
    struct fe_form *f = fe_form_new(p, kind, where);
    f->named.name = name;
    return f;
}

static uint32_t list_length(const struct fe_decl *d)
{
    uint32_t n = 0;
    for (; d; d = d->next)
        n++;
    return n;
}

struct fe_form *fe_form_members(struct parser *p, enum fe_form_kind kind, span where, const char *tag,
                                span tag_at, struct list members)
{
    struct fe_decl *d = arena_new(p->arena, struct fe_decl);
    d->kind = kind == FE_FORM_STRUCT ? FE_DECL_STRUCT : FE_DECL_ENUM;
    d->name = tag;
    d->name_at = tag_at;
    d->where = where;
    d->is_file_scope = p->blocks.count == 0;
    d->members.first = members.first;
    d->members.count = list_length(members.first);
    list_add(&p->definitions, d);
    struct fe_form *f = fe_form_named(p, kind, where, tag);
    f->named.decl = d;
    f->named.defines = true;
    return f;
}

struct fe_form *fe_form_union(struct fe_form *f, bool is_union)
{
    f->named.is_union = is_union;
    if (f->named.decl)
        f->named.decl->flags |= is_union ? FE_DECL_UNION : 0;
    return f;
}
