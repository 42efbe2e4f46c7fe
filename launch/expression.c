/* expression.c: expressions over the round of a repeat, which numbers and sizes of its launches may be.
 *
 *   expression = binary [ "?" expression ":" expression ]
 *   binary     = unary { operator unary }                 the operators of C, as they bind in C
 *   unary      = { "-" | "+" | "~" | "!" | "(" type ")" } primary
 *   primary    = number | "round" | "(" expression ")" | "abs" "(" expression ")"
 *              | ( "min" | "max" ) "(" expression "," expression ")"
 *   sizes      = expression { "," expression }            one to three
 *
 * Integers are long, as the round is, or ulong where C's rules say so; numbers with a point are double. A type
 * converts as in Kern.
 */
#include "launch/launch.h"
#include "launch/scan.h"

#include <ctype.h>
#include <math.h>

enum kind { LONG, ULONG, DOUBLE };
/* `dead`: > 0 in what C does not evaluate, whose divisions by zero do not count. */
struct reader {
    const char *at, *why; /* why: the first thing that is wrong, or NULL */
    uint64_t round;
    bool uses_round;
    uint32_t dead, depth;
};
struct value {
    enum kind kind;
    uint64_t bits; /* not of DOUBLE */
    double f;      /* DOUBLE */
};

static void wrong(struct reader *r, const char *why)
{
    if (!r->why)
        r->why = why;
}

static struct value integer(int64_t i)
{
    return (struct value){LONG, (uint64_t)i, 0};
}

static double as_double(struct value v)
{
    return v.kind == DOUBLE ? v.f : v.kind == LONG ? (double)(int64_t)v.bits : (double)v.bits;
}

static bool is_true(struct value v)
{
    return v.kind == DOUBLE ? v.f != 0 : v.bits != 0;
}

/* In the common type of both. */
static struct value as_common(struct value v, struct value other)
{
    if (v.kind == DOUBLE || other.kind == DOUBLE)
        return (struct value){.kind = DOUBLE, .f = as_double(v)};
    v.kind = v.kind == ULONG || other.kind == ULONG ? ULONG : LONG;
    return v;
}

/* ---- words and marks --------------------------------------------------------------------------------- */

static void expect(struct reader *r, char c, const char *usage)
{
    if (!scan_mark(&r->at, c))
        wrong(r, usage);
}

/* ---- operators --------------------------------------------------------------------------------------- */

enum op { OR, AND, BITOR, XOR, BITAND, EQ, NE, LE, GE, SHL, SHR, LT, GT, ADD, SUB, MUL, DIV, REM };
/* Those of two characters come before those that they begin with. */
static const struct {
    const char *text;
    uint8_t binds; /* tighter where it is greater */
    enum op op;
} operators[] = {
    {"||", 1, OR},  {"&&", 2, AND}, {"==", 6, EQ},   {"!=", 6, NE},  {"<=", 7, LE},    {">=", 7, GE},
    {"<<", 8, SHL}, {">>", 8, SHR}, {"|", 3, BITOR}, {"^", 4, XOR},  {"&", 5, BITAND}, {"<", 7, LT},
    {">", 7, GT},   {"+", 9, ADD},  {"-", 9, SUB},   {"*", 10, MUL}, {"/", 10, DIV},   {"%", 10, REM},
};

static struct value of_doubles(struct reader *r, enum op op, double a, double b)
{
    switch (op) {
    case ADD: return (struct value){.kind = DOUBLE, .f = a + b};
    case SUB: return (struct value){.kind = DOUBLE, .f = a - b};
    case MUL: return (struct value){.kind = DOUBLE, .f = a * b};
    case DIV: return (struct value){.kind = DOUBLE, .f = a / b};
    case EQ: return integer(a == b);
    case NE: return integer(a != b);
    case LT: return integer(a < b);
    case GT: return integer(a > b);
    case LE: return integer(a <= b);
    case GE: return integer(a >= b);
    default: wrong(r, "%, <<, >>, &, ^ and | want integers"); return integer(0);
    }
}

static uint64_t quotient(struct reader *r, enum op op, bool is_signed, uint64_t a, uint64_t b)
{
    if (b == 0) {
        if (!r->dead)
            wrong(r, "division by zero");
        return 0;
    }
    if (!is_signed)
        return op == DIV ? a / b : a % b;
    if (b == UINT64_MAX) /* -1 */
        return op == DIV ? -a : 0;
    return (uint64_t)(op == DIV ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
}

static uint64_t shifted(enum op op, bool is_signed, uint64_t a, uint64_t b)
{
    unsigned n = b & 63;
    if (op == SHL)
        return a << n;
    return is_signed ? (uint64_t)((int64_t)a >> n) : a >> n;
}

static struct value of_integers(struct reader *r, enum op op, struct value x, struct value y)
{
    bool is_signed = x.kind == LONG && (y.kind == LONG || op == SHL || op == SHR);
    uint64_t a = x.bits, b = y.bits, bits = 0;
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (op) {
    case EQ: return integer(a == b);
    case NE: return integer(a != b);
    case LT: return integer(less);
    case GE: return integer(!less);
    case GT: return integer(!less && a != b);
    case LE: return integer(less || a == b);
    case BITOR: bits = a | b; break;
    case XOR: bits = a ^ b; break;
    case BITAND: bits = a & b; break;
    case ADD: bits = a + b; break;
    case SUB: bits = a - b; break;
    case MUL: bits = a * b; break;
    case DIV:
    case REM: bits = quotient(r, op, is_signed, a, b); break;
    default: bits = shifted(op, is_signed, a, b); break;
    }
    return (struct value){is_signed ? LONG : ULONG, bits, 0};
}

static struct value operate(struct reader *r, enum op op, struct value a, struct value b)
{
    if (op == OR || op == AND)
        return integer(op == OR ? is_true(a) || is_true(b) : is_true(a) && is_true(b));
    if (a.kind == DOUBLE || b.kind == DOUBLE)
        return of_doubles(r, op, as_double(a), as_double(b));
    return of_integers(r, op, a, b);
}

/* ---- conversions ------------------------------------------------------------------------------------- */

/* Truncated, and kept within the type, as Kern converts; NaN is 0. */
static int64_t truncated(double d, int64_t least, uint64_t greatest)
{
    if (!(d == d))
        return 0;
    if (d <= (double)least)
        return least;
    if (d >= (double)greatest)
        return (int64_t)greatest;
    return d < 0 ? (int64_t)d : (int64_t)(uint64_t)d;
}

static struct value converted(struct value v, enum launch_element e)
{
    int64_t least;
    uint64_t greatest, bits = 0;
    if (e == LAUNCH_BOOL)
        return integer(is_true(v));
    if (e == LAUNCH_DOUBLE || e == LAUNCH_FLOAT)
        return (struct value){.kind = DOUBLE, .f = e == LAUNCH_FLOAT ? (float)as_double(v) : as_double(v)};
    launch_range(e, &least, &greatest);
    int64_t i = v.kind == DOUBLE ? truncated(v.f, least, greatest) : (int64_t)v.bits;
    uint32_t size = launch_element_bytes(e), above = 64 - 8 * size;
    memcpy(&bits, &i, size);
    if (least < 0)
        bits = (uint64_t)((int64_t)(bits << above) >> above);
    return (struct value){e == LAUNCH_ULONG ? ULONG : LONG, bits, 0};
}

/* ---- operands ---------------------------------------------------------------------------------------- */

static struct value read_expression(struct reader *r);

static struct value read_call(struct reader *r, bool two, enum op keep)
{
    static const char usage[] = "this is written min(a, b), max(a, b) or abs(a)";
    expect(r, '(', usage);
    struct value a = read_expression(r), b = integer(0);
    if (two) {
        expect(r, ',', usage);
        b = read_expression(r);
    }
    expect(r, ')', usage);
    if (two)
        return is_true(operate(r, keep, a, b)) ? as_common(a, b) : as_common(b, a);
    return is_true(operate(r, LT, a, b)) ? operate(r, SUB, b, a) : a;
}

static struct value read_literal(struct reader *r)
{
    struct launch_number n = {0};
    const char *problem = launch_parse_number(&r->at, &n);
    if (problem)
        wrong(r, problem);
    if (n.is_float)
        return (struct value){.kind = DOUBLE, .f = n.f};
    return (struct value){n.i < 0 && n.f > 0 ? ULONG : LONG, (uint64_t)n.i, 0};
}

static struct value read_primary(struct reader *r)
{
    if (scan_mark(&r->at, '(')) {
        struct value v = read_expression(r);
        expect(r, ')', "a ')' is missing");
        return v;
    }
    if (scan_word(&r->at, "round")) {
        r->uses_round = true;
        return integer((int64_t)r->round);
    }
    if (scan_word(&r->at, "abs"))
        return read_call(r, false, LT);
    bool least = scan_word(&r->at, "min");
    return least || scan_word(&r->at, "max") ? read_call(r, true, least ? LT : GT) : read_literal(r);
}

/* Whether "(type)" stands here. */
static bool accept_type(struct reader *r, enum launch_element *e)
{
    struct reader before = *r;
    if (scan_mark(&r->at, '('))
        for (*e = LAUNCH_BOOL; *e <= LAUNCH_DOUBLE; ++*e)
            if (scan_word(&r->at, launch_element_name(*e)) && scan_mark(&r->at, ')'))
                return true;
    *r = before;
    return false;
}

static struct value read_unary(struct reader *r)
{
    enum launch_element e;
    struct value v;
    if (r->why)
        return integer(0);
    if (r->depth++ == LAUNCH_MAX_NESTING)
        wrong(r, "the expression is nested too deeply");
    scan_blanks(&r->at);
    if (accept_type(r, &e))
        v = converted(read_unary(r), e);
    else if (*r->at == '-' && isdigit((unsigned char)r->at[1])) /* the least long has no positive */
        v = read_literal(r);
    else if (scan_mark(&r->at, '-'))
        v = operate(r, MUL, read_unary(r), integer(-1));
    else if (scan_mark(&r->at, '+'))
        v = read_unary(r);
    else if (scan_mark(&r->at, '!'))
        v = integer(!is_true(read_unary(r)));
    else if (scan_mark(&r->at, '~'))
        v = operate(r, XOR, read_unary(r), integer(-1));
    else
        v = read_primary(r);
    r->depth--;
    return v;
}

/* The row of the operator here, COUNT(operators): there is none. */
static size_t find_operator(struct reader *r)
{
    size_t i = 0;
    scan_blanks(&r->at);
    while (i < COUNT(operators) && strncmp(r->at, operators[i].text, strlen(operators[i].text)) != 0)
        i++;
    return i;
}

static struct value read_binary(struct reader *r, uint8_t binds)
{
    struct value v = read_unary(r);
    for (size_t i = find_operator(r); i < COUNT(operators) && operators[i].binds >= binds && !r->why;
         i = find_operator(r)) {
        enum op op = operators[i].op;
        r->at += strlen(operators[i].text);
        bool idle = (op == AND && !is_true(v)) || (op == OR && is_true(v));
        r->dead += idle;
        v = operate(r, op, v, read_binary(r, operators[i].binds + 1));
        r->dead -= idle;
    }
    return v;
}

static struct value read_expression(struct reader *r)
{
    struct value v = read_binary(r, 1);
    if (r->why || !scan_mark(&r->at, '?'))
        return v;
    bool first = is_true(v);
    if (r->depth++ == LAUNCH_MAX_NESTING)
        wrong(r, "the expression is nested too deeply");
    r->dead += !first;
    struct value a = read_expression(r);
    r->dead += first ? 1u : -1u;
    expect(r, ':', "a ':' is missing behind '?'");
    struct value b = read_expression(r);
    r->dead -= first;
    r->depth--;
    return first ? as_common(a, b) : as_common(b, a);
}

static struct launch_number number_of(struct value v)
{
    if (v.kind == DOUBLE)
        return (struct launch_number){.is_float = true, .f = v.f};
    return (struct launch_number){.i = (int64_t)v.bits, .f = as_double(v)};
}

const char *launch_evaluate(const char *text, uint64_t round, struct launch_number *n, bool *uses_round)
{
    struct reader r = {.at = text, .round = round};
    *n = number_of(read_expression(&r));
    if (uses_round)
        *uses_round = r.uses_round;
    scan_blanks(&r.at);
    if (*r.at)
        wrong(&r, "something follows the value");
    return r.why;
}

/* ---- sizes ------------------------------------------------------------------------------------------- */

/* Those that are not given: dimensions are 1, arrays 0. */
static const char *read_sizes(struct reader *r, enum launch_clause c, uint32_t *n, uint32_t count)
{
    uint32_t read = 0;
    do {
        struct launch_number size = number_of(read_expression(r));
        if (r->why)
            return r->why;
        if (read == count)
            return c == LAUNCH_SHARED ? "there are at most 16 sizes" : "there are at most three sizes";
        if (size.is_float || size.f < 1)
            return "a size is an integer, 1 or more";
        if (size.f > UINT32_MAX)
            return "a size is at most 4294967295";
        n[read++] = (uint32_t)size.i;
    } while (scan_mark(&r->at, ','));
    while (read < count)
        n[read++] = c != LAUNCH_SHARED;
    return *r->at ? "something follows the sizes" : NULL;
}

uint32_t *launch_sizes(struct launch *l, enum launch_clause c, uint32_t *count)
{
    *count = c == LAUNCH_SHARED ? LAUNCH_MAX_SHARED : 3;
    return c == LAUNCH_GRID ? l->grid : c == LAUNCH_BLOCK ? l->block : l->shared;
}

_Static_assert(LAUNCH_MAX_SHARED == 16, "as read_sizes says");

const char *launch_parse_sizes(struct arena *a, const char *text, enum launch_clause c, struct launch *l)
{
    struct reader r = {.at = text};
    uint32_t count, n[LAUNCH_MAX_SHARED], *to = launch_sizes(l, c, &count);
    const char *why = read_sizes(&r, c, n, count);
    if (why)
        return why;
    memcpy(to, n, count * sizeof *to);
    l->by_round[c] = r.uses_round ? arena_strdup(a, text, strlen(text)) : NULL;
    return NULL;
}

const char *launch_at_round(struct launch *l, uint64_t round, enum launch_clause *at)
{
    const char *why = NULL;
    for (*at = 0; *at < LAUNCH_CLAUSES; ++*at) {
        struct reader r = {.at = l->by_round[*at], .round = round};
        uint32_t count, *to = launch_sizes(l, *at, &count);
        if (r.at && (why = read_sizes(&r, *at, to, count)))
            break;
    }
    return why;
}

const char *const launch_clause_names[LAUNCH_CLAUSES] = {"grid", "block", "shared"};
