/* rewrite.c: the fix-its of calls of other languages' functions: the text of a FUNCTION row of foreign.def
 * with the
 * texts of the arguments for the parameters' names, in parentheses where they need them.
 *
 *     __fdividef(a + 1, b)     a / b                  (a + 1) / b
 *     get_local_id(1)          threadIdx.x            threadIdx.y
 *     __any_sync(~0u, x)       any(x)                 any(x)
 *
 * An argument that changes something is written neither twice nor not at all: such a call has no fix-it.
 */
#include "frontend/check/check.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

static bool begins_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct piece {
    const char *at;
    size_t n;
};

#define MAX_ARGUMENTS 8
struct arguments {
    struct piece of[MAX_ARGUMENTS];
    uint32_t count;
};

/* ---- the text of a call ------------------------------------------------------------------------------ */

/* Behind a string, a character or a comment that begins at `at`; `at` itself where none does. */
static const char *behind_quoted(const char *at, const char *end)
{
    const char *to = at;
    if (*at == '"' || *at == '\'') {
        for (to++; to < end && *to != *at; to++)
            to += *to == '\\';
        to++;
    } else if (*at == '/' && at[1] == '/') {
        to = at + strcspn(at, "\n");
    } else if (*at == '/' && at[1] == '*') {
        to = strstr(at + 2, "*/");
        to = to ? to + 2 : end;
    }
    return to < end ? to : end;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct piece trimmed(const char *from, const char *to)
{
    while (from < to && is_space(*from))
        from++;
    while (to > from && is_space(to[-1]))
        to--;
    return (struct piece){from, (size_t)(to - from)};
}

/* The arguments between the parentheses of a call, the first of which is at `at`. False: too many. */
static bool split(const char *at, const char *end, struct arguments *a)
{
    const char *from = ++at;
    int depth = 0;
    a->count = 0;
    while (at < end) {
        const char *next = behind_quoted(at, end);
        if (next > at) {
            at = next;
            continue;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= *at == ')' || *at == ']' || *at == '}';
        if (depth < 0 || (depth == 0 && *at == ',')) {
            struct piece one = trimmed(from, at);
            if (a->count == MAX_ARGUMENTS)
                return false;
            if (one.n || depth == 0 || a->count)
                a->of[a->count++] = one;
            from = at + 1;
        }
        if (depth < 0)
            return true;
        at++;
    }
    return false;
}

/* A name or number with what is called, indexed or chosen of it, or something in parentheses. */
static bool is_primary(struct piece t)
{
    const char *at = t.at, *end = t.at + t.n;
    int depth = 0;
    while (at < end) {
        bool joins = *at == '.' || (*at == '-' && at[1] == '>');
        bool opens = *at == '(' || *at == '[', closes = *at == ')' || *at == ']';
        if (!depth && !opens && !closes && !joins && !strchr(letters, *at))
            return false;
        if (!depth && *at == '(' && at > t.at && at[-1] == ')')
            return false; /* (int)(x) */
        depth += opens;
        depth -= closes;
        at += joins && *at == '-' ? 2 : 1;
        if (!depth && closes && at < end && strchr(letters, *at))
            return false; /* (int)x */
    }
    return t.n > 0;
}

/* ---- what is written instead ------------------------------------------------------------------------- */

/* The index of the name among those of a list. */
static uint32_t position(const char *list, const char *name, size_t n)
{
    for (uint32_t i = 0; *list; i++) {
        size_t length = strcspn(list, ",");
        if (length == n && memcmp(list, name, n) == 0)
            return i;
        list += length + strspn(list + length, ", ");
    }
    return UINT32_MAX;
}

static uint32_t length_of(const char *list)
{
    uint32_t n = *list != 0;
    for (; *list; list++)
        n += *list == ',';
    return n;
}

static const char dimension[] = "dimension";

/* How often the text has the parameter. */
static uint32_t uses_of(const struct fe_foreign_name *row, uint32_t which)
{
    uint32_t uses = 0;
    for (const char *at = row->kern; *at;) {
        size_t n = begins_word(*at) ? strspn(at, letters) : 0;
        uses += n && position(row->parameters, at, n) == which;
        at += n ? n : 1;
    }
    return uses;
}

static const char *substitute(struct arena *a, const struct fe_foreign_name *row,
                              const struct arguments *args)
{
    struct text t = {.arena = a};
    char axis = strcmp(row->parameters, dimension) == 0 ? "xyz"[args->of[0].at[0] - '0'] : 0;
    for (const char *at = row->kern; *at;) {
        size_t n = begins_word(*at) ? strspn(at, letters) : strchr(letters, *at) ? strspn(at, letters) : 0;
        uint32_t i = n && begins_word(*at) ? position(row->parameters, at, n) : UINT32_MAX;
        bool is_axis = axis && n == 1 && *at == 'x' && at > row->kern && at[-1] == '.';
        if (i == UINT32_MAX) {
            text_add(&t, is_axis ? &axis : at, n ? n : 1);
        } else {
            bool alone =
                at > row->kern && strchr("(,", at[-1] == ' ' ? at[-2] : at[-1]) && strchr("),", at[n]);
            bool bare = alone || is_primary(args->of[i]);
            struct piece x = args->of[i];
            if (at > row->kern && at[-1] == '*' && *x.at == '&' && x.n > 1) {
                t.length--; /* *&a[i] */
                x.at++, x.n--;
                bare = is_primary(x);
            }
            text_addz(&t, bare ? "" : "(");
            text_add(&t, x.at, x.n);
            text_addz(&t, bare ? "" : ")");
        }
        at += n ? n : 1;
    }
    return t.at;
}

/* Whether an expression between these may be of any precedence. */
static bool stands_alone(const char *text, const char *from, const char *to)
{
    while (is_space(*to))
        to++;
    while (from > text && is_space(from[-1]))
        from--;
    char before = from > text ? from[-1] : ';', further = from > text + 1 ? from[-2] : ' ';
    bool gives = before == '=' && !strchr("=!<>", further);
    bool returns = from >= text + 6 && memcmp(from - 6, "return", 6) == 0;
    return strchr(";,)", *to) && *to && (gives || returns || strchr("(,;{}", before));
}

bool fe_changes(struct checker *c, const struct fe_expr *e)
{
    if (!e)
        return false;
    switch (e->kind) {
    case FE_EXPR_ASSIGN: return true;
    case FE_EXPR_UNARY: return e->op >= FE_OP_PREINC || fe_changes(c, e->sub.a);
    case FE_EXPR_BINARY:
    case FE_EXPR_COMMA:
    case FE_EXPR_INDEX: return fe_changes(c, e->sub.a) || fe_changes(c, e->sub.b);
    case FE_EXPR_CONDITIONAL:
        return fe_changes(c, e->sub.a) || fe_changes(c, e->sub.b) || fe_changes(c, e->sub.c);
    case FE_EXPR_CAST: return fe_changes(c, e->cast.a);
    case FE_EXPR_MEMBER: return fe_changes(c, e->member.object);
    case FE_EXPR_CALL:
        if (e->call.callee->kind != FE_EXPR_NAME || fe_find(c, FE_NAMES, e->call.callee->name.name))
            return true;
        for (const struct fe_expr *a = e->call.args; a; a = a->next)
            if (fe_changes(c, a))
                return true;
        return false;
    default: return false;
    }
}

/* The number of a parameter `dimension` is written as one. */
static bool fits(struct checker *c, const struct fe_foreign_name *row, const struct fe_expr *call,
                 const struct arguments *args)
{
    uint32_t wanted = length_of(row->parameters), i = 0;
    bool is_dimension = strcmp(row->parameters, dimension) == 0;
    if (is_dimension && (args->count != 1 || args->of[0].n != 1 || !strchr("012", args->of[0].at[0])))
        return false;
    if (args->count != call->call.arg_count || (args->count != wanted && args->count))
        return false;
    for (uint32_t k = 0; k < wanted && !args->count; k++)
        if (uses_of(row, k))
            return false;
    for (const struct fe_expr *a = call->call.args; a; a = a->next, i++)
        if (uses_of(row, i) != 1 && fe_changes(c, a))
            return false;
    return true;
}

void fe_fix_call(struct checker *c, const struct fe_foreign_name *row, const struct fe_expr *call)
{
    size_t n, m;
    struct arguments args;
    span whole = call->call.token ? (span){call->where.at, call->op_at.end} : call->where;
    const char *from = fe_span_text(c->fe, whole, &n), *end = from + n;
    const char *open = fe_span_text(c->fe, call->op_at, &m);
    uint32_t line = whole.at.line;
    const char *text = source_of(c->fe->source, &line)->text;
    if (!row->parameters || call->call.token || !split(open, end, &args) || !fits(c, row, call, &args))
        return;
    const char *insert = substitute(c->arena, row, &args);
    bool bare = is_primary((struct piece){insert, strlen(insert)}) || stands_alone(text, from, end);
    fe_fixit(c->fe, whole, bare ? insert : arena_printf(c->arena, "(%s)", insert));
}

bool fe_drops_argument(const struct fe_foreign_name *row, uint32_t which)
{
    return row->parameters && !uses_of(row, which);
}
