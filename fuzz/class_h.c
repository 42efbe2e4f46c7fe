/* class_h.c: class h: random programs of vectors (fuzz/vectors.h). */
#include "fuzz/vectors.h"

enum { MOST_STATEMENTS = 9, MOST_DEPTH = 3 };

const struct fz_vector_builtin fz_vector_builtins[] = {
    {"min", "nn"},  {"max", "nn"},     {"abs", "n"},  {"clamp", "nnn"}, {"fmin", "ff"},     {"fmax", "ff"},
    {"fabs", "f"},  {"fma", "fff"},    {"sqrt", "f"}, {"floor", "f"},   {"copysign", "ff"}, {"rint", "f"},
    {"isnan", "f"}, {"popcount", "c"}, {"clz", "c"},  {"brev", "i"},    {"mulhi", "ii"},    {"rotl", "ii"},
};
const uint32_t fz_vector_builtin_count = COUNT(fz_vector_builtins);

struct generator {
    struct fz_program *p;
    struct fz_vectors *v;
    struct fz_random r;
    uint32_t types; /* below this one */
};

static uint32_t below(struct generator *g, uint32_t n)
{
    return fz_below(&g->r, n);
}
static bool chance(struct generator *g, uint32_t percent)
{
    return fz_chance(&g->r, percent);
}
static bool is_float(enum fz_type t)
{
    return fz_type_info[t].family == 'f';
}

enum fz_type fz_truth_type(enum fz_type t)
{
    static const uint8_t types[] = {[8] = FZ_CHAR, [16] = FZ_SHORT, [32] = FZ_INT, [64] = FZ_LONG};
    return (enum fz_type)types[fz_type_info[t].bits];
}

static enum fz_type random_type(struct generator *g)
{
    static const uint8_t common[] = {FZ_FLOAT, FZ_INT, FZ_UINT};
    return (enum fz_type)(chance(g, 50) ? common[below(g, 3)] : FZ_CHAR + below(g, g->types - FZ_CHAR));
}

/* ---- expressions ------------------------------------------------------------------------------------- */

static struct fz_vector *expression(struct generator *g, enum fz_type t, uint32_t count, uint32_t depth);

static struct fz_vector *node(struct generator *g, enum fz_vector_kind kind, enum fz_type t, uint32_t count)
{
    struct fz_vector *n = arena_new(g->p->arena, struct fz_vector);
    n->kind = kind;
    n->type = (uint8_t)t;
    n->count = (uint8_t)count;
    n->style = (uint8_t)below(g, 4);
    return n;
}

static struct fz_vector *constant(struct generator *g, enum fz_type t)
{
    static const int32_t edges[] = {0, 1, 2, 3, 7, 8, 31, 100, 127, 128, 255, 1000, 65536, INT32_MAX};
    struct fz_vector *n = node(g, FZ_VECTOR_CONSTANT, t, 1);
    n->number = chance(g, 70) ? edges[below(g, COUNT(edges))] : (int32_t)(fz_next(&g->r) >> 33);
    return n;
}

/* Of a vector: an element that is there. */
static struct fz_vector *scalar(struct generator *g, enum fz_type t, uint32_t depth)
{
    if (depth == 0 || chance(g, 25))
        return constant(g, t);
    if (is_float(t) && chance(g, 20)) {
        struct fz_vector *dot = node(g, FZ_VECTOR_DOT, t, 1);
        uint32_t count = 2 + below(g, 3);
        dot->a = expression(g, t, count, depth - 1);
        dot->b = expression(g, t, count, depth - 1);
        return dot;
    }
    struct fz_vector *n = node(g, FZ_VECTOR_ELEMENT, t, 1);
    n->a = expression(g, t, 2 + below(g, 3), depth - 1);
    n->at[0] = (uint8_t)below(g, n->a->count);
    return n;
}

static struct fz_vector *input(struct generator *g, uint32_t count)
{
    struct fz_vector *n = node(g, FZ_VECTOR_INPUT, FZ_INT, count);
    n->number = (int32_t)below(g, FZ_INPUTS / 2);
    n->number &= chance(g, 60) ? ~3 : ~0;
    return n;
}

/* Some variable of the type, its elements as wanted; or made of constants if there is none. */
static struct fz_vector *leaf(struct generator *g, enum fz_type t, uint32_t count)
{
    if (t == FZ_INT && chance(g, 15))
        return input(g, count);
    uint32_t first = below(g, g->v->count);
    for (uint32_t i = 0; i < g->v->count; i++) {
        uint32_t at = (first + i) % g->v->count;
        if (g->v->variables[at].type != t)
            continue;
        struct fz_vector *v =
            node(g, chance(g, 15) ? FZ_VECTOR_ROW : FZ_VECTOR_VARIABLE, t, g->v->variables[at].count);
        v->number = (int32_t)at;
        if (v->count == count)
            return v;
        struct fz_vector *n = node(g, FZ_VECTOR_SELECT, t, count);
        n->a = v;
        for (uint32_t k = 0; k < count; k++)
            n->at[k] = (uint8_t)below(g, v->count);
        return n;
    }
    struct fz_vector *n = node(g, FZ_VECTOR_WIDENED, t, count);
    n->a = constant(g, t);
    return n;
}

static struct fz_vector *made(struct generator *g, enum fz_type t, uint32_t count, uint32_t depth)
{
    struct fz_vector *n = node(g, FZ_VECTOR_MADE, t, count), **parts[] = {&n->a, &n->b, &n->c, &n->d};
    for (uint32_t i = 0, left = count; left > 0; i++) {
        uint32_t part = left > 1 && left < count && chance(g, 50) ? 2 : left == 4 && chance(g, 30) ? 3 : 1;
        part = part > left ? left : part;
        *parts[i] = part == 1 ? scalar(g, t, depth) : expression(g, t, part, depth);
        left -= part;
    }
    return n;
}

static struct fz_vector *operation(struct generator *g, enum fz_type t, uint32_t count, uint32_t depth)
{
    static const char *const all[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
    struct fz_vector *n = node(g, FZ_VECTOR_OPERATION, t, count);
    n->op = all[below(g, is_float(t) ? 4 : COUNT(all))];
    n->a = expression(g, t, count, depth);
    n->b = chance(g, 25) ? scalar(g, t, depth) : expression(g, t, count, depth);
    if (n->b->count > 1 && chance(g, 15))
        n->a = scalar(g, t, depth);
    return n;
}

static bool takes(const struct fz_vector_builtin *b, enum fz_type t)
{
    bool counts = *b->letters == 'c'; /* gives an int, or with an int's elements what they are */
    return *b->letters == 'n' || ((*b->letters == 'f') == is_float(t) && (!counts || t <= FZ_INT));
}

static struct fz_vector *call(struct generator *g, enum fz_type t, uint32_t count, uint32_t depth)
{
    struct fz_vector *n = node(g, FZ_VECTOR_CALL, t, count);
    do
        n->number = (int32_t)below(g, fz_vector_builtin_count);
    while (!takes(&fz_vector_builtins[n->number], t) ||
           strcmp(fz_vector_builtins[n->number].name, "isnan") == 0);
    size_t arguments = strlen(fz_vector_builtins[n->number].letters);
    n->a = expression(g, t, count, depth);
    n->b = arguments < 2 ? NULL : chance(g, 30) ? scalar(g, t, depth) : expression(g, t, count, depth);
    n->c = arguments < 3 ? NULL : expression(g, t, count, depth);
    return n;
}

static struct fz_vector *comparison(struct generator *g, enum fz_type truth, uint32_t count, uint32_t depth)
{
    static const char *const all[] = {"<", "<=", ">", ">=", "==", "!="};
    struct fz_vector *n = node(g, FZ_VECTOR_COMPARE, truth, count);
    enum fz_type t = random_type(g);
    while (fz_truth_type(t) != truth)
        t = (enum fz_type)(FZ_CHAR + below(g, g->types - FZ_CHAR));
    n->op = all[below(g, COUNT(all))];
    n->a = expression(g, t, count, depth);
    n->b = chance(g, 30) ? scalar(g, t, depth) : expression(g, t, count, depth);
    return n;
}

static struct fz_vector *choice(struct generator *g, enum fz_type t, uint32_t count, uint32_t depth)
{
    bool by_element = chance(g, 60);
    struct fz_vector *n = node(g, by_element ? FZ_VECTOR_CHOOSE : FZ_VECTOR_CONDITION, t, count);
    enum fz_type other = by_element ? fz_truth_type(t) : random_type(g);
    n->a = expression(g, t, count, depth);
    n->b = expression(g, t, count, depth);
    n->c = by_element ? expression(g, other, count, depth) : scalar(g, other, depth);
    n->d = by_element ? NULL : scalar(g, other, depth);
    return n;
}

static struct fz_vector *expression(struct generator *g, enum fz_type t, uint32_t count, uint32_t depth)
{
    struct fz_vector *n;
    if (depth == 0 || chance(g, 20))
        return leaf(g, t, count);
    switch (below(g, 9)) {
    case 0: return made(g, t, count, depth - 1);
    case 1: return call(g, t, count, depth - 1);
    case 2: return choice(g, t, count, depth - 1);
    case 3:
        n = node(g, FZ_VECTOR_NEGATE, t, count);
        n->op = is_float(t) || chance(g, 50) ? "-" : "~";
        n->a = expression(g, t, count, depth - 1);
        return n;
    case 4:
        n = node(g, FZ_VECTOR_CONVERT, t, count);
        n->a = expression(g, random_type(g), count, depth - 1);
        return n;
    case 5:
        if (fz_truth_type(t) == t && chance(g, 70))
            return comparison(g, t, count, depth - 1);
        n = node(g, FZ_VECTOR_SELECT, t, count);
        n->a = expression(g, t, 2 + below(g, 3), depth - 1);
        for (uint32_t k = 0; k < count; k++)
            n->at[k] = (uint8_t)below(g, n->a->count);
        return n;
    default: return operation(g, t, count, depth - 1);
    }
}

/* ---- statements -------------------------------------------------------------------------------------- */

static struct fz_vector_statement *statements(struct generator *g, uint32_t count, uint32_t depth);

/* Different elements of the variable, or all. */
static void choose_elements(struct generator *g, struct fz_vector_statement *s)
{
    uint32_t all = g->v->variables[s->variable].count, used = 0;
    s->whole = chance(g, 50);
    s->count = (uint8_t)(s->whole ? all : 1 + below(g, all));
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t at = s->whole ? i : below(g, all);
        while (used >> at & 1)
            at = (at + 1) % all;
        used |= 1u << at;
        s->at[i] = (uint8_t)at;
    }
}

static void assignment(struct generator *g, struct fz_vector_statement *s)
{
    static const char *const all[] = {"", "+", "-", "*", "", "&", "|", "^", "<<", ">>"};
    enum fz_type t = (enum fz_type)g->v->variables[s->variable].type;
    choose_elements(g, s);
    s->op = all[chance(g, 60) ? 0 : below(g, is_float(t) ? 4 : COUNT(all))];
    bool one = s->count == 1 || (*s->op && chance(g, 30));
    s->value = one ? scalar(g, t, MOST_DEPTH) : expression(g, t, s->count, MOST_DEPTH);
}

static struct fz_vector_statement *statement(struct generator *g, uint32_t depth)
{
    struct fz_vector_statement *s = arena_new(g->p->arena, struct fz_vector_statement);
    uint32_t kind = below(g, 100);
    s->variable = below(g, g->v->count);
    s->style = (uint8_t)below(g, 4);
    s->step = kind < 10            ? FZ_STEP_COUNT
              : kind < 20          ? FZ_STEP_STORE
              : kind < 30 && depth ? FZ_STEP_IF
              : kind < 38 && depth ? FZ_STEP_LOOP
                                   : FZ_STEP_ASSIGN;
    switch (s->step) {
    case FZ_STEP_ASSIGN: assignment(g, s); break;
    case FZ_STEP_COUNT:
        choose_elements(g, s);
        s->op = chance(g, 50) ? "++" : "--";
        s->behind = chance(g, 50);
        break;
    case FZ_STEP_STORE: break;
    default:
        s->value = scalar(g, s->step == FZ_STEP_IF ? random_type(g) : FZ_INT, MOST_DEPTH);
        s->then = statements(g, 1 + below(g, 3), depth - 1);
        s->otherwise =
            s->step == FZ_STEP_IF && chance(g, 60) ? statements(g, 1 + below(g, 3), depth - 1) : NULL;
    }
    return s;
}

static struct fz_vector_statement *statements(struct generator *g, uint32_t count, uint32_t depth)
{
    struct fz_vector_statement *first = NULL;
    for (; count > 0; count--) {
        struct fz_vector_statement *s = statement(g, depth);
        s->next = first;
        first = s;
    }
    return first;
}

static void generate(struct fz_program *p)
{
    struct generator g = {.p = p, .r = fz_random(p->seed, 'h')};
    g.v = p->vectors = arena_new(p->arena, struct fz_vectors);
    g.types = chance(&g, 30) ? FZ_DOUBLE + 1 : FZ_DOUBLE;
    p->blocks = 1 + below(&g, 2);
    p->threads = 1 + below(&g, 40);
    g.v->count = 2 + below(&g, FZ_MOST_VECTORS - 1);
    for (uint32_t i = 0; i < g.v->count; i++) {
        g.v->variables[i].type =
            (uint8_t)(i && chance(&g, 40) ? g.v->variables[i - 1].type : random_type(&g));
        g.v->variables[i].count = (uint8_t)(2 + below(&g, 3));
    }
    for (uint32_t i = 0; i < FZ_INPUTS; i++)
        p->inputs[i] = (int32_t)fz_random_bits(&g.r, FZ_INT);
    vec_push(p->arena, &p->buffers,
             ((struct fz_buffer){"out", FZ_UINT, false, FZ_MOST_VECTORS * FZ_MOST_ELEMENTS, 0}));
    vec_push(p->arena, &p->buffers, ((struct fz_buffer){"in", FZ_INT, true, 0, FZ_INPUTS}));
    g.v->first = statements(&g, 2 + below(&g, MOST_STATEMENTS - 1), 2);
}

const struct fz_class fz_class_h = {
    'h',      "vectors", "vectors by element, by selections and by parts, and the same by scalars",
    generate, NULL,      NULL};
