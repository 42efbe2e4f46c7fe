/* ast_copy.c: a second tree of a function's body, to be checked apart from the first.
 *
 * Only trees that no checker has seen are copied. Names and texts are shared; nodes are not. Structures and
 * enumerations that are defined in the body stand in its list of declarations before the forms that refer to
 * them, and are found again by their address.
 */
#include "frontend/ast/ast.h"

struct copying {
    struct arena *arena;
    struct map places; /* a definition's address -> its place in `made` */
    VEC(struct fe_decl *) made;
};

static struct fe_expr *copy_expr(struct copying *c, const struct fe_expr *e);
static struct fe_stmt *copy_stmts(struct copying *c, const struct fe_stmt *s);
static struct fe_decl *copy_decls(struct copying *c, const struct fe_decl *d);

/* ---- forms ------------------------------------------------------------------------------------------- */

static struct fe_form *copy_form(struct copying *c, const struct fe_form *from)
{
    if (!from)
        return NULL;
    struct fe_form *f = arena_new(c->arena, struct fe_form);
    *f = *from;
    f->of = copy_form(c, from->of);
    if (f->kind == FE_FORM_ARRAY) {
        f->count = copy_expr(c, from->count);
    } else if (f->kind == FE_FORM_FUNCTION) {
        f->function.params = copy_decls(c, from->function.params);
    } else if (f->kind != FE_FORM_POINTER && f->named.decl) {
        uint32_t i = map_get(&c->places, (uintptr_t)f->named.decl);
        f->named.decl = i == MAP_NONE ? f->named.decl : c->made.at[i];
    }
    return f;
}

/* ---- expressions ------------------------------------------------------------------------------------- */

static struct fe_expr *copy_exprs(struct copying *c, const struct fe_expr *e)
{
    struct fe_expr *first = NULL, **to = &first;
    for (; e; e = e->next, to = &(*to)->next)
        *to = copy_expr(c, e);
    return first;
}

static struct fe_designator *copy_path(struct copying *c, const struct fe_designator *from)
{
    struct fe_designator *first = NULL, **to = &first;
    for (; from; from = from->next, to = &(*to)->next) {
        *to = arena_new(c->arena, struct fe_designator);
        **to = *from;
        (*to)->index = copy_expr(c, from->index);
        (*to)->next = NULL;
    }
    return first;
}

static struct fe_init *copy_items(struct copying *c, const struct fe_init *from)
{
    struct fe_init *first = NULL, **to = &first;
    for (; from; from = from->next, to = &(*to)->next) {
        *to = arena_new(c->arena, struct fe_init);
        **to = *from;
        (*to)->value = copy_expr(c, from->value);
        (*to)->path = copy_path(c, from->path);
        (*to)->next = NULL;
    }
    return first;
}

/* One expression, not those behind it in a list. */
static struct fe_expr *copy_expr(struct copying *c, const struct fe_expr *from)
{
    if (!from)
        return NULL;
    struct fe_expr *e = arena_new(c->arena, struct fe_expr);
    *e = *from;
    e->next = NULL;
    switch (e->kind) {
    case FE_EXPR_INT:
    case FE_EXPR_FLOAT:
    case FE_EXPR_BOOL:
    case FE_EXPR_STRING:
    case FE_EXPR_FILE:
    case FE_EXPR_NAME: break;
    case FE_EXPR_CAST:
    case FE_EXPR_SIZEOF_TYPE:
    case FE_EXPR_LITERAL:
        e->cast.form = copy_form(c, from->cast.form);
        e->cast.a = copy_expr(c, from->cast.a);
        break;
    case FE_EXPR_CALL:
        e->call.callee = copy_expr(c, from->call.callee);
        e->call.args = copy_exprs(c, from->call.args);
        e->call.token = copy_expr(c, from->call.token);
        break;
    case FE_EXPR_MEMBER: e->member.object = copy_expr(c, from->member.object); break;
    case FE_EXPR_INIT: e->init.items = copy_items(c, from->init.items); break;
    default:
        e->sub.a = copy_expr(c, from->sub.a);
        e->sub.b = copy_expr(c, from->sub.b);
        e->sub.c = copy_expr(c, from->sub.c);
        break;
    }
    return e;
}

/* ---- declarations ------------------------------------------------------------------------------------ */

static struct fe_decl *copy_decl(struct copying *c, const struct fe_decl *from)
{
    struct fe_decl *d = arena_new(c->arena, struct fe_decl);
    *d = *from;
    d->next = NULL;
    if (d->kind == FE_DECL_STRUCT || d->kind == FE_DECL_ENUM) {
        vec_push(c->arena, &c->made, d);
        map_set(c->arena, &c->places, (uintptr_t)from, c->made.count - 1);
    }
    d->form = copy_form(c, from->form);
    switch (d->kind) {
    case FE_DECL_VARIABLE:
    case FE_DECL_ENUMERATOR: d->init = copy_expr(c, from->init); break;
    case FE_DECL_ASSERT:
        d->init = copy_expr(c, from->init);
        d->init->next = copy_expr(c, from->init->next);
        break;
    case FE_DECL_STRUCT:
    case FE_DECL_ENUM: d->members.first = copy_decls(c, from->members.first); break;
    default: break;
    }
    return d;
}

static struct fe_decl *copy_decls(struct copying *c, const struct fe_decl *d)
{
    struct fe_decl *first = NULL, **to = &first;
    for (; d; d = d->next, to = &(*to)->next)
        *to = copy_decl(c, d);
    return first;
}

/* ---- statements -------------------------------------------------------------------------------------- */

/* One statement, not those behind it in its block. */
static struct fe_stmt *copy_stmt(struct copying *c, const struct fe_stmt *from)
{
    if (!from)
        return NULL;
    struct fe_stmt *s = arena_new(c->arena, struct fe_stmt);
    *s = *from;
    s->next = NULL;
    switch (s->kind) {
    case FE_STMT_EXPR:
    case FE_STMT_RETURN: s->expr = copy_expr(c, from->expr); break;
    case FE_STMT_DECL: s->decls = copy_decls(c, from->decls); break;
    case FE_STMT_BLOCK: s->block.first = copy_stmts(c, from->block.first); break;
    case FE_STMT_IF:
        s->branch.condition = copy_expr(c, from->branch.condition);
        s->branch.then = copy_stmt(c, from->branch.then);
        s->branch.otherwise = copy_stmt(c, from->branch.otherwise);
        break;
    case FE_STMT_WHILE:
    case FE_STMT_DO:
    case FE_STMT_FOR:
        s->loop.init = copy_stmt(c, from->loop.init);
        s->loop.condition = copy_expr(c, from->loop.condition);
        s->loop.step = copy_expr(c, from->loop.step);
        s->loop.body = copy_stmt(c, from->loop.body);
        break;
    case FE_STMT_SWITCH:
        s->select.value = copy_expr(c, from->select.value);
        s->select.body = copy_stmt(c, from->select.body);
        break;
    case FE_STMT_CASE: s->label.value = copy_expr(c, from->label.value); break;
    case FE_STMT_PREDICT: s->jump.threshold = copy_expr(c, from->jump.threshold); break;
    case FE_STMT_TRY:
        s->attempt.body = copy_stmt(c, from->attempt.body);
        s->attempt.handler = copy_stmt(c, from->attempt.handler);
        break;
    default: break;
    }
    return s;
}

static struct fe_stmt *copy_stmts(struct copying *c, const struct fe_stmt *s)
{
    struct fe_stmt *first = NULL, **to = &first;
    for (; s; s = s->next, to = &(*to)->next)
        *to = copy_stmt(c, s);
    return first;
}

struct fe_stmt *fe_copy_body(struct arena *a, const struct fe_stmt *body)
{
    struct copying c = {.arena = a};
    return copy_stmt(&c, body);
}

struct fe_expr *fe_copy_expr(struct arena *a, const struct fe_expr *e)
{
    struct copying c = {.arena = a};
    return copy_expr(&c, e);
}
