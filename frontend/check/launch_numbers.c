/* launch_numbers.c: the numbers of launch directives: constants, and expressions over the round of a repeat,
 * which become the text that launch/expression.c evaluates in each round.
 */
#include "frontend/check/check.h"

struct launch_number fe_launch_number(const struct fe_expr *x)
{
    if (fe_is_float(x->type))
        return (struct launch_number){.is_float = true, .f = fe_float_value(x)};
    int64_t i = fe_integer_value(x);
    return (struct launch_number){.i = i,
                                  .f = x->type->kind == FE_TYPE_ULONG ? (double)(uint64_t)i : (double)i};
}

/* ---- the text of an expression ----------------------------------------------------------------------- */

static bool print(const struct fe_expr *e, struct text *out);

static void print_constant(const struct fe_expr *e, struct text *out)
{
    struct launch_value v = {.kind = LAUNCH_SCALAR, .n = {fe_launch_number(e)}};
    launch_print_value(&v, out);
}

/* Integers are long as they are computed. */
static const struct fe_expr *without_widening(const struct fe_expr *e)
{
    while (!e->constant && e->kind == FE_EXPR_CAST && e->type->kind == FE_TYPE_LONG &&
           fe_is_integer(e->cast.a->type) && e->cast.a->type->kind != FE_TYPE_ULONG)
        e = e->cast.a;
    return e;
}

/* An operation whose result is made narrower than a long or a double. */
static bool is_narrow(const struct fe_expr *e)
{
    bool truth = fe_is_comparison((enum fe_op)e->op) || e->op == FE_OP_LOGAND || e->op == FE_OP_LOGOR;
    return !truth && e->type->kind != FE_TYPE_LONG && e->type->kind != FE_TYPE_DOUBLE;
}

/* Between parentheses where it is made of several. */
static bool print_operand(const struct fe_expr *e, struct text *out)
{
    e = without_widening(e);
    bool whole = e->constant || e->kind == FE_EXPR_NAME || e->kind == FE_EXPR_CALL ||
                 e->kind == FE_EXPR_CAST || e->kind == FE_EXPR_UNARY ||
                 (e->kind == FE_EXPR_BINARY && is_narrow(e));
    text_addz(out, whole ? "" : "(");
    bool good = print(e, out);
    text_addz(out, whole ? "" : ")");
    return good;
}

static bool print_call(const struct fe_expr *e, struct text *out)
{
    const struct fe_builtin *b = e->call.callee->kind == FE_EXPR_NAME ? e->call.callee->name.builtin : NULL;
    bool two = b && (strcmp(b->name, "min") == 0 || strcmp(b->name, "max") == 0);
    if (!two && !(b && strcmp(b->name, "abs") == 0))
        return false;
    text_printf(out, "%s(", b->name);
    bool good = print(e->call.args, out);
    text_addz(out, two ? ", " : "");
    good = good && (!two || print(e->call.args->next, out));
    text_char(out, ')');
    return good;
}

static bool print_unary(const struct fe_expr *e, struct text *out)
{
    static const char *const marks[FE_OPS] = {
        [FE_OP_PLUS] = "+", [FE_OP_NEG] = "-", [FE_OP_NOT] = "!", [FE_OP_BITNOT] = "~"};
    if (!marks[e->op])
        return false;
    text_addz(out, marks[e->op]);
    return print_operand(e->sub.a, out);
}

static bool print_binary(const struct fe_expr *e, struct text *out)
{
    bool narrow = is_narrow(e);
    if (narrow)
        text_printf(out, "(%s)(", launch_element_name(fe_launch_element(e->type)));
    bool good = print_operand(e->sub.a, out);
    text_printf(out, " %s ", fe_op_text[e->op]);
    good = good && print_operand(e->sub.b, out);
    text_addz(out, narrow ? ")" : "");
    return good;
}

static bool print_cast(const struct fe_expr *e, struct text *out)
{
    const struct fe_type *from = e->cast.a->type, *to = e->type;
    if (!fe_is_arithmetic(from) || !fe_is_arithmetic(to))
        return false;
    text_printf(out, "(%s)", launch_element_name(fe_launch_element(to)));
    return print_operand(e->cast.a, out);
}

static bool print_conditional(const struct fe_expr *e, struct text *out)
{
    bool good = print_operand(e->sub.a, out);
    text_addz(out, " ? ");
    good = good && print_operand(e->sub.b, out);
    text_addz(out, " : ");
    return good && print_operand(e->sub.c, out);
}

/* False: there is something in it that launch_evaluate does not know. */
static bool print(const struct fe_expr *e, struct text *out)
{
    e = without_widening(e);
    if (!fe_is_arithmetic(e->type))
        return false;
    if (e->constant) {
        print_constant(e, out);
        return true;
    }
    switch (e->kind) {
    case FE_EXPR_NAME: text_addz(out, "round"); return e->name.decl == NULL && e->name.builtin == NULL;
    case FE_EXPR_UNARY: return print_unary(e, out);
    case FE_EXPR_BINARY: return print_binary(e, out);
    case FE_EXPR_CAST: return print_cast(e, out);
    case FE_EXPR_CONDITIONAL: return print_conditional(e, out);
    case FE_EXPR_CALL: return print_call(e, out);
    default: return false;
    }
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

bool fe_launch_value(struct checker *c, const struct fe_expr *x, struct launch_value *v)
{
    struct text text = {.arena = c->arena};
    if (fe_is_error(x->type))
        return false;
    if (x->constant && fe_is_arithmetic(x->type)) {
        *v = (struct launch_value){.kind = LAUNCH_SCALAR, .n = {fe_launch_number(x)}};
        return true;
    }
    if (!c->context.names_round) {
        fe_report(c->fe, FE_MSG(not_constant), x->where, "a number of a launch");
        return false;
    }
    if (!print(x, &text)) {
        fe_report(c->fe, FE_MSG(launch_expression), x->where);
        return false;
    }
    const char *why = launch_from_text(LAUNCH_ROUND, text.at, v);
    if (why)
        fe_report(c->fe, FE_MSG(launch_first_round), x->where, text.at, why);
    return !why;
}

bool fe_launch_check_number(struct checker *c, const struct fe_launched *t, struct fe_expr **e,
                            struct launch_value *v)
{
    c->context.launch = t->directive;
    c->context.names_round = false;
    struct fe_expr *x = *e = fe_check_value(c, *e);
    bool good = fe_launch_value(c, x, v);
    c->context.launch = NULL;
    return good;
}

/* ---- sizes ------------------------------------------------------------------------------------------- */

/* Where it is known how often a repeat runs, of each round up to a limit; others are seen in time. */
enum { MOST_ROUNDS = 10000 };

static void check_rounds(struct checker *c, const struct fe_launched *t, span where,
                         enum launch_clause clause)
{
    struct launch l = {.by_round = {0}};
    enum launch_clause at;
    const char *why = NULL;
    uint64_t rounds = fe_launch_rounds(c, t->directive), round = 0;
    rounds = rounds == UINT64_MAX ? 1 : rounds;
    l.by_round[clause] = t->directive->launch->built.by_round[clause];
    for (; l.by_round[clause] && !why && round < rounds && round < MOST_ROUNDS; round++)
        why = launch_at_round(&l, round, &at);
    if (why)
        fe_report(c->fe, FE_MSG(launch_round_size), where, launch_clause_names[clause], l.by_round[clause],
                  (unsigned long long)(round - 1), why);
}

/* The text of the clause's sizes; NULL after a message. */
static const char *sizes_text(struct checker *c, struct fe_launched *t, struct fe_launch_item *items,
                              const char *what, int64_t most)
{
    struct text text = {.arena = c->arena};
    for (struct fe_launch_item *i = items; i; i = i->next) {
        struct launch_value v;
        if (!fe_launch_check_number(c, t, &i->value, &v))
            return NULL;
        bool constant = v.kind == LAUNCH_SCALAR;
        if (v.n[0].is_float) {
            fe_report(c->fe, FE_MSG(not_constant), i->value->where, what);
            return NULL;
        }
        if (constant && (v.n[0].f < 1 || v.n[0].f > (double)most)) {
            fe_report(c->fe, FE_MSG(constant_range), i->value->where, what, 1LL, (long long)most);
            return NULL;
        }
        text_addz(&text, i == items ? "" : ", ");
        if (constant)
            launch_print_value(&v, &text);
        else
            text_addz(&text, v.text);
    }
    return text.at;
}

void fe_launch_check_sizes(struct checker *c, struct fe_launched *t, enum launch_clause clause,
                           struct fe_launch_item *items, span where, const char *what, int64_t most)
{
    struct launch *l = &t->directive->launch->built;
    uint32_t count, *n = launch_sizes(l, clause, &count);
    uint64_t product = 1;
    const char *text = items ? sizes_text(c, t, items, what, most) : NULL;
    const char *why = text ? launch_parse_sizes(c->arena, text, clause, l) : NULL;
    if (why)
        fe_report(c->fe, FE_MSG(launch_first_round), items->value->where, text, why);
    if (!text || why)
        return;
    for (uint32_t i = 0; i < count && clause != LAUNCH_SHARED; i++)
        product = n[i] <= (uint64_t)most ? product * n[i] : UINT64_MAX / 2;
    for (uint32_t i = 0; i < count && clause == LAUNCH_SHARED; i++)
        product = n[i] > product ? n[i] : product;
    if (product > (uint64_t)most)
        fe_report(c->fe, FE_MSG(launch_size), where, what, (long long)most);
    check_rounds(c, t, items->value->where, clause);
}
