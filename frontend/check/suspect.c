/* suspect.c: warnings of what is correct Kern, and yet hardly meant: the slips of C that compile.
 *
 * Those that are on by default (base/groups.def) are nearly never wrong; where the same text may also be meant,
 * some way to write it says so: parentheses, a line of its own for a ';', a number in another base.
 */
#include "frontend/check/check.h"

bool fe_is_comparison(enum fe_op op)
{
    return op >= FE_OP_LT && op <= FE_OP_NE;
}

static bool is_equality(const struct fe_expr *e)
{
    return e->op == FE_OP_EQ || e->op == FE_OP_NE;
}

/* ---- comparisons ------------------------------------------------------------------------------------- */

/* Signed and unsigned compared, and the signed side is not known to be positive. */
static void suspect_signs(struct checker *c, const struct fe_expr *e)
{
    struct fe_type *a = e->sub.a->type, *b = e->sub.b->type;
    const struct fe_type *common = fe_common_type(c, a, b);
    if (!fe_is_integer(common) || fe_is_signed(common))
        return;
    const struct fe_expr *sides[2] = {e->sub.a, e->sub.b};
    for (int i = 0; i < 2; i++) {
        const struct fe_type *t = i ? b : a;
        bool harmless = !fe_is_signed(t) || (sides[i]->constant && fe_integer_value(sides[i]) >= 0);
        if (!harmless)
            fe_report(c->fe, FE_MSG(sign_compare), e->op_at, fe_type_text(c, a->plain),
                      fe_type_text(c, b->plain));
    }
}

static bool is_constant_zero(const struct fe_expr *e)
{
    return e->constant && fe_is_integer(e->type) && fe_integer_value(e) == 0;
}

/* x >= 0 and x < 0 of an unsigned x, either way round. */
static void suspect_zero(struct checker *c, const struct fe_expr *e)
{
    bool left = is_constant_zero(e->sub.a), right = is_constant_zero(e->sub.b);
    const struct fe_expr *x = left ? e->sub.b : e->sub.a;
    if (left == right || !fe_is_integer(x->type) || fe_is_signed(x->type) || x->type->kind == FE_TYPE_BOOL)
        return;
    bool always = e->op == (left ? FE_OP_LE : FE_OP_GE), never = e->op == (left ? FE_OP_GT : FE_OP_LT);
    if (always || never)
        fe_report(c->fe, FE_MSG(always_true), e->op_at, always ? "true" : "false",
                  fe_type_text(c, x->type->plain));
}

/* A float and a double constant that no float has the value of: 0.3 instead of 0.3f. */
static bool is_between_floats(const struct fe_expr *constant, const struct fe_expr *x)
{
    if (!constant->constant || constant->type->kind != FE_TYPE_DOUBLE || x->constant ||
        x->type->kind != FE_TYPE_FLOAT)
        return false;
    double d = fe_float_value(constant);
    return d == d && (double)(float)d != d;
}

static void suspect_equality(struct checker *c, const struct fe_expr *e)
{
    const struct fe_expr *sides[2] = {e->sub.a, e->sub.b};
    for (int i = 0; i < 2 && is_equality(e); i++) {
        const struct fe_expr *s = sides[i];
        if (is_between_floats(s, sides[!i]))
            fe_report(c->fe, FE_MSG(never_equal), e->op_at, e->op == FE_OP_NE ? "true" : "false");
        else if (s->kind == FE_EXPR_FLOAT && s->literal & FE_LIT_INEXACT && !sides[!i]->constant)
            fe_report(c->fe, FE_MSG(inexact_equal), e->op_at, fe_op_text[e->op]);
    }
}

/* ---- arithmetic -------------------------------------------------------------------------------------- */

void fe_suspect_shift(struct checker *c, const struct fe_expr *count, const struct fe_type *shifted)
{
    const struct fe_init *first =
        count->kind == FE_EXPR_LITERAL && fe_is_vector(count->type) ? count->cast.a->init.items : NULL;
    for (const struct fe_init *i = first; i; i = i->next) {
        bool is_twice = i != first && i->value->where.at.column == first->value->where.at.column &&
                        i->value->where.at.line == first->value->where.at.line; /* (int4)(40) */
        if (!is_twice)
            fe_suspect_shift(c, i->value, shifted);
    }
    if (!count->constant || !fe_is_integer(count->type))
        return;
    int64_t n = fe_integer_value(count);
    if (n < 0 || n >= (int64_t)shifted->size * 8)
        fe_report(c->fe, FE_MSG(shift_count), count->where, (long long)n, (unsigned)shifted->size * 8);
}

/* 2 ^ 3, 10 ^ 6: both written in decimals, which masks of bits hardly are. */
static void suspect_power(struct checker *c, const struct fe_expr *e)
{
    const struct fe_expr *a = e->sub.a, *b = e->sub.b;
    bool plain = a->kind == FE_EXPR_INT && b->kind == FE_EXPR_INT &&
                 a->literal & b->literal & FE_LIT_DECIMAL && !a->parenthesised && !b->parenthesised;
    if (e->op != FE_OP_XOR || !plain || (a->value != 2 && a->value != 10))
        return;
    unsigned long long n = (unsigned long long)b->value;
    fe_report(c->fe, FE_MSG(xor_power), e->op_at, (long long)(a->value ^ b->value),
              a->value == 2 ? arena_printf(c->arena, "1 << %llu", n) : arena_printf(c->arena, "1e%llu", n));
}

static void suspect_divisor(struct checker *c, const struct fe_expr *e)
{
    const struct fe_expr *b = e->sub.b;
    if ((e->op == FE_OP_DIV || e->op == FE_OP_REM) && b->constant && fe_is_integer(b->type) && b->value == 0)
        fe_report(c->fe, FE_MSG(division_by_zero), b->where);
}

/* What the signed integer operation of these constants gives, without wrapping. */
static __int128 exact_result(const struct fe_expr *e)
{
    __int128 a = fe_integer_value(e->sub.a), b = fe_integer_value(e->sub.b);
    return e->op == FE_OP_ADD ? a + b : e->op == FE_OP_SUB ? a - b : a * b;
}

static void suspect_overflow(struct checker *c, const struct fe_expr *e)
{
    bool grows = e->op == FE_OP_ADD || e->op == FE_OP_SUB || e->op == FE_OP_MUL;
    if (!grows || !e->constant || !fe_is_integer(e->type) || !fe_is_signed(e->type))
        return;
    if (exact_result(e) != fe_integer_value(e))
        fe_report(c->fe, FE_MSG(constant_overflow), e->op_at, fe_type_text(c, e->type->plain),
                  (long long)fe_integer_value(e), e->type->size < 8 ? "l" : "ul");
}

void fe_suspect_operands(struct checker *c, const struct fe_expr *e)
{
    bool shift = e->op == FE_OP_SHL || e->op == FE_OP_SHR;
    if (shift)
        fe_suspect_shift(c, e->sub.b, fe_promoted(c, e->sub.a->type));
    suspect_power(c, e);
    if (!fe_is_comparison(e->op))
        return;
    suspect_signs(c, e);
    suspect_zero(c, e);
    suspect_equality(c, e);
}

void fe_suspect_result(struct checker *c, const struct fe_expr *e)
{
    suspect_divisor(c, e);
    suspect_overflow(c, e);
}

/* An operand whose operator binds tighter than one may think: `a & b == 0`, `!a & b`, `a < b < c`. Where both
 * sides are truths it is meant so. */
void fe_suspect_order(struct checker *c, const struct fe_expr *e)
{
    const struct fe_expr *sides[2] = {e->sub.a, e->sub.b};
    bool bitwise = e->op >= FE_OP_AND && e->op <= FE_OP_OR, compares = fe_is_comparison(e->op);
    for (int i = 0; i < 2 && (bitwise || compares); i++) {
        const struct fe_expr *s = sides[i], *other = sides[!i];
        bool comparison = s->kind == FE_EXPR_BINARY && fe_is_comparison(s->op);
        bool negation = s->kind == FE_EXPR_UNARY && s->op == FE_OP_NOT && i == 0;
        if (s->parenthesised || other->type->kind == FE_TYPE_BOOL || fe_is_error(other->type))
            continue;
        if (comparison && compares)
            fe_report(c->fe, FE_MSG(chained_comparison), e->op_at, fe_op_text[e->op]);
        else if (comparison || negation)
            fe_report(c->fe, FE_MSG(tighter_operator), e->op_at, fe_op_text[s->op], fe_op_text[e->op]);
    }
}

/* ---- statements -------------------------------------------------------------------------------------- */

static bool has_effect(const struct fe_expr *e)
{
    switch (e->kind) {
    case FE_EXPR_ASSIGN:
    case FE_EXPR_CALL: return true;
    case FE_EXPR_UNARY: return e->op >= FE_OP_PREINC;
    case FE_EXPR_CAST: return e->type->kind == FE_TYPE_VOID || has_effect(e->cast.a);
    case FE_EXPR_COMMA: return has_effect(e->sub.b);
    case FE_EXPR_CONDITIONAL: return has_effect(e->sub.b) || has_effect(e->sub.c);
    case FE_EXPR_BINARY: return (e->op == FE_OP_LOGAND || e->op == FE_OP_LOGOR) && has_effect(e->sub.b);
    default: return fe_is_error(e->type);
    }
}

void fe_suspect_unused(struct checker *c, const struct fe_expr *e)
{
    if (fe_is_error(e->type) || has_effect(e))
        return;
    if (e->kind == FE_EXPR_BINARY && e->op == FE_OP_EQ)
        fe_report(c->fe, FE_MSG(comparison_unused), e->op_at);
    else
        fe_report(c->fe, FE_MSG(unused_value), e->where);
}

/* The line on which the part of the statement in parentheses ends. */
static uint32_t header_line(const struct fe_stmt *s)
{
    bool is_if = s->kind == FE_STMT_IF;
    const struct fe_expr *parts[2] = {is_if ? s->branch.condition : s->loop.condition,
                                      s->kind == FE_STMT_FOR ? s->loop.step : NULL};
    uint32_t line = s->where.at.line;
    for (int i = 0; i < 2; i++)
        if (parts[i] && parts[i]->where.end.line > line)
            line = parts[i]->where.end.line;
    return line;
}

/* What follows a loop reads as if it were its body: a block, or text further to the right. */
static bool follows_as_body(const struct fe_stmt *s)
{
    const struct fe_stmt *next = s->next;
    return next && ((next->kind == FE_STMT_BLOCK && !next->implicit) ||
                    (next->where.at.line > s->where.at.line && next->where.at.column > s->where.at.column));
}

void fe_suspect_body(struct checker *c, const struct fe_stmt *s)
{
    bool is_if = s->kind == FE_STMT_IF;
    const struct fe_stmt *body = is_if ? s->branch.then : s->loop.body;
    if (body->kind != FE_STMT_EMPTY || body->where.at.line != header_line(s) ||
        (!is_if && !follows_as_body(s)))
        return;
    fe_report(c->fe, FE_MSG(empty_body), body->where,
              is_if                    ? "if"
              : s->kind == FE_STMT_FOR ? "for"
                                       : "while");
}
