/* check_stmt.c: statements and function bodies: conditions, switches, labels, what break and continue leave,
 * and which statements can be reached (as Java decides it: an `if` on a constant hides nothing, an endless
 * loop without break does).
 */
#include "base/nearest.h"
#include "frontend/check/check.h"

static void check_stmt(struct checker *c, struct fe_stmt *s);

#define MAX_LANES 64 /* of the widest warp: the largest threshold of a Predict */

static void check_list(struct checker *c, struct fe_stmt *first, bool heart_allowed)
{
    for (struct fe_stmt *s = first; s; s = s->next) {
        c->nest.heart_allowed = heart_allowed && s == first;
        check_stmt(c, s);
    }
}

static void check_block(struct checker *c, struct fe_stmt *s, bool heart_allowed)
{
    struct fe_variable *visible = c->nest.visible;
    if (!s->implicit)
        fe_scope_open(c);
    check_list(c, s->block.first, heart_allowed);
    if (!s->implicit) {
        fe_scope_close(c);
        c->nest.visible = visible;
    }
}

/* ---- reachability ------------------------------------------------------------------------------------ */

static void make_reachable(struct checker *c, bool reachable)
{
    c->body.reachable = reachable;
    if (reachable)
        c->body.warned_unreachable = false;
}

static bool is_marker(const struct fe_stmt *s)
{
    return s->kind == FE_STMT_LABEL || s->kind == FE_STMT_CASE || s->kind == FE_STMT_DEFAULT ||
           s->kind == FE_STMT_BLOCK || s->kind == FE_STMT_EMPTY;
}

static bool gives_values(const struct fe_stmt *s)
{
    const struct fe_decl *d = s->decls;
    while (d && !(d->kind == FE_DECL_VARIABLE && d->init))
        d = d->next;
    return d != NULL;
}

static void check_reached(struct checker *c, const struct fe_stmt *s)
{
    bool harmless = is_marker(s) || (s->kind == FE_STMT_DECL && !gives_values(s));
    if (c->body.reachable || c->body.warned_unreachable || harmless)
        return;
    c->body.warned_unreachable = true;
    fe_report(c->fe, FE_MSG(unreachable_code), s->where);
}

static bool is_true(const struct fe_expr *e)
{
    return !e || (e->constant && !fe_is_error(e->type) && e->value);
}

/* ---- branches and loops ------------------------------------------------------------------------------ */

static void check_if(struct checker *c, struct fe_stmt *s)
{
    s->branch.condition = fe_check_condition(c, s->branch.condition);
    bool before = c->body.reachable;
    check_stmt(c, s->branch.then);
    bool after = c->body.reachable;
    make_reachable(c, before);
    if (s->branch.otherwise)
        check_stmt(c, s->branch.otherwise);
    make_reachable(c, c->body.reachable || after);
    fe_suspect_body(c, s);
}

static void enter_loop(struct checker *c, struct fe_stmt *s)
{
    struct fe_loop loop = {.parent = c->nest.loop, .stmt = s};
    s->loop.number = c->nest.loop = c->function->tokens.loops.count;
    vec_push(c->arena, &c->function->tokens.loops, loop);
}

/* The body; returns whether its end or a continue is reached. */
static bool check_loop_body(struct checker *c, struct fe_stmt *s, bool *broken)
{
    bool continued = false;
    c->nest.broken = broken;
    c->nest.continued = &continued;
    c->nest.heart_allowed = true;
    check_stmt(c, s->loop.body);
    return c->body.reachable || continued;
}

static void check_while(struct checker *c, struct fe_stmt *s)
{
    struct fe_nest outer = c->nest;
    bool broken = false;
    enter_loop(c, s);
    s->loop.condition = fe_check_condition(c, s->loop.condition);
    check_loop_body(c, s, &broken);
    c->nest = outer;
    make_reachable(c, broken || !is_true(s->loop.condition));
    fe_suspect_body(c, s);
}

static void check_do(struct checker *c, struct fe_stmt *s)
{
    struct fe_nest outer = c->nest;
    bool broken = false;
    enter_loop(c, s);
    bool goes_on = check_loop_body(c, s, &broken);
    s->loop.condition = fe_check_condition(c, s->loop.condition);
    c->nest = outer;
    make_reachable(c, broken || (goes_on && !is_true(s->loop.condition)));
}

static void check_for(struct checker *c, struct fe_stmt *s)
{
    struct fe_nest outer = c->nest;
    bool broken = false;
    fe_scope_open(c);
    if (s->loop.init)
        check_stmt(c, s->loop.init);
    enter_loop(c, s);
    if (s->loop.condition)
        s->loop.condition = fe_check_condition(c, s->loop.condition);
    check_loop_body(c, s, &broken);
    if (s->loop.step)
        s->loop.step = fe_check_expr(c, s->loop.step);
    c->nest = outer;
    fe_scope_close(c);
    make_reachable(c, broken || !is_true(s->loop.condition));
    fe_suspect_body(c, s);
}

/* ---- switch ------------------------------------------------------------------------------------------ */

static void check_switch(struct checker *c, struct fe_stmt *s)
{
    struct fe_expr *v = s->select.value = fe_check_value(c, s->select.value);
    struct fe_nest outer = c->nest;
    struct fe_switch here = {.stmt = s, .fresh = true, .last_case = &s->select.cases, .loop = c->nest.loop};
    bool broken = false;
    if (!fe_is_error(v->type) && !fe_is_integer(v->type)) {
        fe_report(c->fe, FE_MSG(switch_type), v->where, fe_type_text(c, v->type->plain));
        v = fe_poison(c, v);
    }
    here.type = fe_promoted(c, v->type);
    s->select.value = fe_convert(c, v, here.type);
    s->select.point = ++c->body.point;
    c->nest.in_switch = &here;
    c->nest.broken = &broken;
    c->nest.heart_allowed = false;
    make_reachable(c, false);
    c->body.warned_unreachable = true; /* what stands before the first case may be a declaration */
    check_stmt(c, s->select.body);
    c->nest = outer;
    make_reachable(c, c->body.reachable || broken || !here.otherwise);
}

/* A jump from `point` to where `visible` was declared last. No token comes into being on its way. */
static void check_entered(struct checker *c, struct fe_variable *visible, uint32_t point, span jump)
{
    for (struct fe_variable *v = visible; (v = fe_entered(v, point)) != NULL; v = v->outer)
        if (v->decl->type->kind == FE_TYPE_TOKEN) {
            fe_report(c->fe, FE_MSG(jump_past_token), jump);
            return;
        }
}

/* The statements before a label of a switch go on into it. */
static void check_fall_through(struct checker *c, const struct fe_stmt *s)
{
    struct fe_switch *w = c->nest.in_switch;
    if (w && !w->fresh && c->body.reachable)
        fe_report(c->fe, FE_MSG(fall_through), s->where, s->kind == FE_STMT_CASE ? "case" : "default");
    if (w)
        w->fresh = true;
    make_reachable(c, true);
}

static bool check_case_place(struct checker *c, struct fe_stmt *s)
{
    struct fe_switch *w = c->nest.in_switch;
    if (!w) {
        fe_report(c->fe, FE_MSG(case_outside_switch), s->where, s->kind == FE_STMT_CASE ? "case" : "default");
        return false;
    }
    s->label.visible = c->nest.visible;
    check_entered(c, s->label.visible, w->stmt->select.point, s->where);
    c->function->tokens.has_jumps |= w->loop != c->nest.loop;
    *w->last_case = s;
    w->last_case = &s->label.next_case;
    return true;
}

static void check_case(struct checker *c, struct fe_stmt *s)
{
    struct fe_switch *w = c->nest.in_switch;
    check_fall_through(c, s);
    struct fe_expr *v = s->label.value = fe_check_value(c, s->label.value);
    if (!check_case_place(c, s) || fe_is_error(v->type) || fe_is_error(w->type))
        return;
    if (!v->constant || !fe_is_integer(v->type)) {
        fe_report(c->fe, FE_MSG(not_constant), v->where, "a case");
        return;
    }
    v = s->label.value = fe_convert_assign(c, v, w->type, "case");
    uint32_t there = map_get(&w->values, v->value);
    if (there != MAP_NONE) {
        fe_report(c->fe, FE_MSG(duplicate_case), v->where, (long long)fe_integer_value(v));
        fe_note(c->fe, FE_MSG(previous_case), w->cases.at[there]->label.value->where);
        return;
    }
    map_set(c->arena, &w->values, v->value, w->cases.count);
    vec_push(c->arena, &w->cases, s);
}

static void check_default(struct checker *c, struct fe_stmt *s)
{
    check_fall_through(c, s);
    if (!check_case_place(c, s))
        return;
    struct fe_switch *w = c->nest.in_switch;
    if (w->otherwise) {
        fe_report(c->fe, FE_MSG(duplicate_default), s->where);
        fe_note(c->fe, FE_MSG(previous_case), w->otherwise->where);
    }
    w->otherwise = s;
}

/* ---- jumps ------------------------------------------------------------------------------------------- */

static void check_break(struct checker *c, struct fe_stmt *s)
{
    bool *flag = s->kind == FE_STMT_BREAK ? c->nest.broken : c->nest.continued;
    if (flag)
        *flag |= c->body.reachable;
    else
        fe_report(c->fe, FE_MSG(jump_outside_loop), s->where, s->kind == FE_STMT_BREAK ? "break" : "continue",
                  s->kind == FE_STMT_BREAK ? " or switch" : "");
    c->body.reachable = false;
}

static void check_return(struct checker *c, struct fe_stmt *s)
{
    struct fe_type *result = c->function->type->of;
    struct fe_expr *e = s->expr ? fe_check_value(c, s->expr) : NULL;
    if (e && result->kind == FE_TYPE_VOID)
        fe_report(c->fe, FE_MSG(return_value_in_void), e->where, c->function->name);
    else if (e)
        e = fe_convert_assign(c, e, result, "return value");
    else if (result->kind != FE_TYPE_VOID)
        fe_report(c->fe, FE_MSG(return_without_value), s->where, c->function->name, fe_type_text(c, result));
    s->expr = e;
    c->body.reachable = false;
}

static void check_label(struct checker *c, struct fe_stmt *s)
{
    uint32_t there = map_get(&c->body.label_names, (uintptr_t)s->jump.name);
    make_reachable(c, true);
    if (there != MAP_NONE) {
        fe_report(c->fe, FE_MSG(redefinition), s->jump.name_at, s->jump.name);
        fe_note(c->fe, FE_MSG(previous_declaration), c->body.labels.at[there].stmt->jump.name_at,
                s->jump.name);
        return;
    }
    map_set(c->arena, &c->body.label_names, (uintptr_t)s->jump.name, c->body.labels.count);
    s->jump.visible = c->nest.visible;
    vec_push(c->arena, &c->body.labels, ((struct fe_label){.stmt = s}));
}

static void check_jump(struct checker *c, struct fe_stmt *s)
{
    int64_t k;
    if (s->kind == FE_STMT_PREDICT && s->jump.threshold)
        fe_check_constant(c, &s->jump.threshold, "the threshold of a Predict", 1, MAX_LANES, &k);
    s->jump.point = ++c->body.point;
    vec_push(c->arena, &c->body.jumps, s);
    if (s->kind == FE_STMT_GOTO) {
        c->function->tokens.has_jumps = true;
        c->body.reachable = false;
    }
}

static const char *suggest_label(struct checker *c, const char *name)
{
    struct nearest n = nearest_to(name);
    for (uint32_t i = 0; i < c->body.labels.count && !c->fe->diags->stopped; i++)
        nearest_consider(&n, c->body.labels.at[i].stmt->jump.name);
    return nearest_name(&n);
}

static void resolve_jump(struct checker *c, struct fe_stmt *s)
{
    uint32_t i = map_get(&c->body.label_names, (uintptr_t)s->jump.name);
    if (i != MAP_NONE) {
        struct fe_label *label = &c->body.labels.at[i];
        s->jump.label = label->stmt;
        label->used = true;
        label->stmt->jump.is_predicted |= s->kind == FE_STMT_PREDICT;
        if (s->kind == FE_STMT_GOTO)
            check_entered(c, label->stmt->jump.visible, s->jump.point, s->where);
        return;
    }
    struct fe_decl *d = s->kind == FE_STMT_PREDICT ? fe_find(c, FE_NAMES, s->jump.name) : NULL;
    if (d && d->kind == FE_DECL_FUNCTION && !fe_is_error(d->type) && !fe_function(d)->is_kernel) {
        struct fe_function *f = fe_function(d);
        s->jump.function = f->decl;
        d->used = f->decl->used = true;
        f->predicted_at = f->is_predicted ? f->predicted_at : s->jump.name_at;
        f->is_predicted = true;
        return;
    }
    if (fe_is_excused(c->fe, s->jump.name))
        return;
    const char *near = suggest_label(c, s->jump.name);
    if (near) {
        fe_report(c->fe, FE_MSG(undeclared_label_suggest), s->jump.name_at, s->jump.name, near);
        fe_fix_slip(c->fe, s->jump.name_at, s->jump.name, near);
    } else if (s->kind == FE_STMT_GOTO) {
        fe_report(c->fe, FE_MSG(undeclared_label), s->jump.name_at, s->jump.name);
    } else {
        fe_report(c->fe, FE_MSG(predict_target), s->jump.name_at, s->jump.name);
    }
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

static void check_try(struct checker *c, struct fe_stmt *s)
{
    bool outer = c->nest.in_try, before = c->body.reachable;
    c->nest.in_try = true;
    check_stmt(c, s->attempt.body);
    c->nest.in_try = outer;
    bool after = c->body.reachable;
    make_reachable(c, before);
    check_stmt(c, s->attempt.handler);
    make_reachable(c, c->body.reachable || after);
}

static void check_throw(struct checker *c, struct fe_stmt *s)
{
    if (!c->nest.in_try && c->function->is_kernel)
        fe_report(c->fe, FE_MSG(uncaught_throw), s->where);
    c->function->has_throw |= !c->nest.in_try;
    c->body.reachable = false;
}

static void check_expr_stmt(struct checker *c, struct fe_stmt *s)
{
    s->expr = fe_check_expr(c, s->expr);
    fe_suspect_unused(c, s->expr);
}

static void check_decls(struct checker *c, struct fe_stmt *s, bool heart_allowed)
{
    for (struct fe_decl *d = s->decls; d; d = d->next) {
        c->nest.heart_allowed = heart_allowed && d == s->decls;
        fe_check_decl(c, d);
    }
}

static void check_stmt(struct checker *c, struct fe_stmt *s)
{
    bool heart_allowed = c->nest.heart_allowed;
    c->nest.heart_allowed = false;
    check_reached(c, s);
    if (c->nest.in_switch && !(s->kind == FE_STMT_BLOCK && s->implicit) && s->kind != FE_STMT_CASE &&
        s->kind != FE_STMT_DEFAULT && s->kind != FE_STMT_LABEL)
        c->nest.in_switch->fresh = false;
    switch (s->kind) {
    case FE_STMT_EMPTY: break;
    case FE_STMT_EXPR: check_expr_stmt(c, s); break;
    case FE_STMT_DECL: check_decls(c, s, heart_allowed); break;
    case FE_STMT_BLOCK: check_block(c, s, heart_allowed); break;
    case FE_STMT_IF: check_if(c, s); break;
    case FE_STMT_WHILE: check_while(c, s); break;
    case FE_STMT_DO: check_do(c, s); break;
    case FE_STMT_FOR: check_for(c, s); break;
    case FE_STMT_SWITCH: check_switch(c, s); break;
    case FE_STMT_CASE: check_case(c, s); break;
    case FE_STMT_DEFAULT: check_default(c, s); break;
    case FE_STMT_LABEL: check_label(c, s); break;
    case FE_STMT_BREAK:
    case FE_STMT_CONTINUE: check_break(c, s); break;
    case FE_STMT_RETURN: check_return(c, s); break;
    case FE_STMT_GOTO:
    case FE_STMT_PREDICT: check_jump(c, s); break;
    case FE_STMT_TRY: check_try(c, s); break;
    case FE_STMT_THROW: check_throw(c, s); break;
    default: BUG("statement kind %d", s->kind);
    }
}

/* ---- function bodies --------------------------------------------------------------------------------- */

static void finish_labels(struct checker *c)
{
    for (uint32_t i = 0; i < c->body.jumps.count; i++)
        resolve_jump(c, c->body.jumps.at[i]);
    for (uint32_t i = 0; i < c->body.labels.count; i++)
        if (!c->body.labels.at[i].used)
            fe_report(c->fe, FE_MSG(unused_label), c->body.labels.at[i].stmt->jump.name_at,
                      c->body.labels.at[i].stmt->jump.name);
}

void fe_check_body(struct checker *c, struct fe_function *f)
{
    struct fe_stmt *body = f->decl->body;
    c->function = f;
    memset(&c->nest, 0, sizeof c->nest);
    vec_clear(&c->body.jumps);
    vec_clear(&c->body.labels);
    memset(&c->body.label_names, 0, sizeof c->body.label_names);
    make_reachable(c, true);

    fe_scope_open(c);
    for (struct fe_decl *p = fe_params(f->decl); p; p = p->next) {
        if (!p->name)
            fe_report(c->fe, FE_MSG(unnamed_parameter), p->where);
        fe_enter_parameter(c, p);
    }
    check_list(c, body->block.first, false);
    finish_labels(c);
    fe_scope_close(c);
    if (c->body.reachable && f->type->of->kind != FE_TYPE_VOID && !fe_is_error(f->type->of))
        fe_report(c->fe, FE_MSG(missing_return), body->block.close, f->name);
    c->fe->in_host = false;
    c->function = NULL;
}
