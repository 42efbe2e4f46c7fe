/* generate_vectors.c: random vectors of class h: each expression is made for a type and a number of
 * elements, by the weights of weights.def, and scalars are of the type where a vector and a scalar meet.
 */
#include "fuzz/generate.h"
#include "ir/ir.h"

static struct fz_node *vector(struct generator *g, enum fz_type t, uint32_t length, uint32_t depth);

static bool is_vector(const struct fz_variable *v)
{
    return v->shape == FZ_VECTOR || v->shape == FZ_ROWS;
}

static enum fz_type random_type(struct generator *g)
{
    static const uint8_t common[] = {FZ_FLOAT, FZ_INT, FZ_UINT};
    uint32_t types = fz_types(g->p) - FZ_CHAR;
    return (enum fz_type)(chance(g, 50) ? common[below(g, 3)] : FZ_CHAR + below(g, types));
}

static uint32_t random_length(struct generator *g)
{
    return 2 + below(g, FZ_MOST_ELEMENTS - 1);
}

/* Some of the vectors have an array of such beside them. */
void fz_add_vectors(struct generator *g)
{
    enum fz_type t = random_type(g);
    for (uint32_t i = fz_many(g, FZ_RANGE_vectors); i > 0; i--) {
        uint8_t length = (uint8_t)random_length(g);
        t = chance(g, 40) ? t : random_type(g);
        uint32_t v = fz_variable(g->p, g->f, FZ_VECTOR, t, fz_next(&g->r));
        g->f->variables.at[v].elements = length;
        if (!chance(g, 50))
            continue;
        v = fz_variable(g->p, g->f, FZ_ROWS, t, 0);
        g->f->variables.at[v].elements = length;
    }
}

/* ---- expressions ------------------------------------------------------------------------------------- */

static struct fz_node *scalar(struct generator *g, enum fz_type t, uint32_t depth)
{
    struct fz_node *n = node(g, FZ_NODE_CAST);
    n->type = (uint8_t)t;
    return fz_add(n, fz_expression(g, depth));
}

/* Elements of a vector that has so many; of one a scalar. */
static struct fz_node *swizzle(struct generator *g, struct fz_node *of, uint32_t most, uint32_t length)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_SWIZZLE, 0, (uint8_t)length);
    n->name = below(g, length == 1 ? 5 : 3);
    for (uint32_t i = 0; i < length; i++)
        n->value |= (uint64_t)below(g, most) << (2 * i);
    return fz_add(n, of);
}

static struct fz_node *make_made(struct generator *g, enum fz_type t, uint32_t length, uint32_t depth)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_MAKE, 0, (uint8_t)length);
    n->type = (uint8_t)t;
    n->flag = chance(g, 50);
    for (uint32_t left = chance(g, 15) ? 1 : length, part; left > 0; left -= part) {
        part = left > 1 && left < length && chance(g, 50) ? 2 : left == 4 && chance(g, 30) ? 3 : 1;
        part = part > left ? left : part;
        fz_add(n, part == 1 ? scalar(g, t, depth) : vector(g, t, part, depth));
    }
    return n;
}

/* Of the type, if there is one. */
static struct fz_node *make_variable(struct generator *g, enum fz_type t, uint32_t length, uint32_t depth)
{
    uint32_t count = g->f->variables.count, first = below(g, count);
    if (t == FZ_INT && chance(g, 15)) {
        struct fz_node *n = fz_leaf(g->p, FZ_NODE_WIDE, below(g, FZ_INPUTS / 2), (uint8_t)length);
        n->value &= chance(g, 60) ? ~(uint64_t)3 : ~(uint64_t)0;
        n->flag = chance(g, 50);
        return n;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct fz_variable *v = &g->f->variables.at[(first + i) % count];
        if (!is_vector(v) || v->type != t)
            continue;
        enum fz_kind kind = v->shape == FZ_ROWS ? FZ_NODE_ROW : FZ_NODE_VARIABLE;
        struct fz_node *n = fz_named(g, kind, (first + i) % count);
        return v->elements == length ? n : swizzle(g, n, v->elements, length);
    }
    return make_made(g, t, length, depth ? depth - 1 : 0);
}

/* One of them may be a scalar. */
static struct fz_node *add_operands(struct generator *g, struct fz_node *n, enum fz_type t, uint32_t length,
                                    uint32_t depth)
{
    uint32_t which = below(g, 100);
    fz_add(n, which < 12 ? scalar(g, t, depth) : vector(g, t, length, depth));
    return fz_add(n, which >= 75 ? scalar(g, t, depth) : vector(g, t, length, depth));
}

static struct fz_node *make_operation(struct generator *g, enum fz_type t, uint32_t length, uint32_t depth)
{
    uint8_t op = (uint8_t)below(g, fz_is_float(t) ? FZ_OP_REM : FZ_OP_LT);
    return add_operands(g, fz_leaf(g->p, FZ_NODE_BINARY, 0, op), t, length, depth);
}

static struct fz_node *make_comparison(struct generator *g, enum fz_type t, uint32_t length, uint32_t depth)
{
    enum fz_type of = random_type(g);
    if (fz_truth_type(t) != t)
        return make_operation(g, t, length, depth);
    while (fz_truth_type(of) != t)
        of = (enum fz_type)(FZ_CHAR + below(g, fz_types(g->p) - FZ_CHAR));
    uint8_t op = (uint8_t)(FZ_OP_LT + below(g, FZ_OP_BOTH - FZ_OP_LT));
    return add_operands(g, fz_leaf(g->p, FZ_NODE_BINARY, 0, op), of, length, depth);
}

static struct fz_node *make_negation(struct generator *g, enum fz_type t, uint32_t length, uint32_t depth)
{
    uint8_t op = fz_is_float(t) || chance(g, 50) ? FZ_OP_MINUS : FZ_OP_FLIP;
    return fz_add(fz_leaf(g->p, FZ_NODE_UNARY, 0, op), vector(g, t, length, depth));
}

static struct fz_node *make_conversion(struct generator *g, enum fz_type t, uint32_t length, uint32_t depth)
{
    struct fz_node *n = node(g, FZ_NODE_CAST);
    n->type = (uint8_t)t;
    return fz_add(n, vector(g, random_type(g), length, depth));
}

static struct fz_node *make_choice(struct generator *g, enum fz_type t, uint32_t length, uint32_t depth)
{
    struct fz_node *n = fz_add(node(g, FZ_NODE_CHOICE), fz_condition(g, 1));
    fz_add(n, vector(g, t, length, depth));
    return fz_add(n, vector(g, t, length, depth));
}

static struct fz_node *make_select(struct generator *g, enum fz_type t, uint32_t length, uint32_t depth)
{
    struct fz_node *n = node(g, FZ_NODE_SELECT);
    fz_add(n, vector(g, t, length, depth));
    fz_add(n, vector(g, t, length, depth));
    return fz_add(n, vector(g, fz_truth_type(t), length, depth));
}

static struct fz_node *make_swizzle(struct generator *g, enum fz_type t, uint32_t length, uint32_t depth)
{
    uint32_t most = random_length(g);
    struct fz_node *of = vector(g, t, most, depth);
    return swizzle(g, of, most, length);
}

/* Whether a builtin takes this type, in all places. */
static bool takes(const struct fe_builtin *b, enum fz_type t)
{
    bool wants_float = strchr(b->signature + 2, 'F'), wants_integer = strchr(b->signature + 2, 'I');
    bool is_signed = fz_type_info[t].family != 'u' || b->op[1] != IR_none;
    return is_signed && (fz_is_float(t) ? !wants_integer : !wants_float);
}

/* What counts bits gives ints, which are converted. */
static struct fz_node *make_builtin(struct generator *g, enum fz_type t, uint32_t length, uint32_t depth)
{
    uint32_t row;
    do
        row = below(g, fe_builtin_count);
    while (!fz_is_common(&fe_builtins[row]));
    const struct fe_builtin *b = &fe_builtins[row];
    bool counts = *b->signature == 'i';
    enum fz_type of = counts ? random_type(g) : t;
    if (!takes(b, of))
        return make_operation(g, t, length, depth);
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_BUILTIN, row, 0), *cast = node(g, FZ_NODE_CAST);
    n->type = (uint8_t)of;
    for (uint32_t i = 0; i < fe_builtin_params(b); i++)
        fz_add(n, i == 1 && chance(g, 30) ? scalar(g, of, depth) : vector(g, of, length, depth));
    cast->type = (uint8_t)t;
    return counts ? fz_add(cast, n) : n;
}

static struct fz_node *vector(struct generator *g, enum fz_type t, uint32_t length, uint32_t depth)
{
    static struct fz_node *(*const makers[])(struct generator *, enum fz_type, uint32_t, uint32_t) = {
#define VECTOR(id, ...) make_##id,
#include "fuzz/weights.def"
    };
    static const uint8_t weights[][FZ_WEIGHTS] = {
#define VECTOR(id, a, b, q, c, f, h, meaning) {a, b, q, c, f, h},
#include "fuzz/weights.def"
    };
    return depth ? makers[fz_draw(g, weights, COUNT(weights))](g, t, length, depth - 1)
                 : make_variable(g, t, length, 0);
}

struct fz_node *fz_make_vector_element(struct generator *g, uint32_t depth)
{
    uint32_t length = random_length(g);
    struct fz_node *of = vector(g, random_type(g), length, depth - 1);
    return swizzle(g, of, length, 1);
}

struct fz_node *fz_make_dot(struct generator *g, uint32_t depth)
{
    enum fz_type t = fz_types(g->p) > FZ_DOUBLE && chance(g, 40) ? FZ_DOUBLE : FZ_FLOAT;
    uint32_t length = random_length(g);
    struct fz_node *n = fz_add(node(g, FZ_NODE_DOT), vector(g, t, length, depth - 1));
    return fz_add(n, vector(g, t, length, depth - 1));
}

/* ---- statements -------------------------------------------------------------------------------------- */

/* Of a vector, or of an array of such; NULL: there is none. */
static struct fz_node *random_variable(struct generator *g, enum fz_kind kind, enum fz_shape shape)
{
    uint32_t v = fz_pick_variable(g, shape, true);
    return v == UINT32_MAX ? NULL : fz_named(g, kind, v);
}

/* A vector, or different elements of it; NULL: there is none. */
static struct fz_node *target(struct generator *g)
{
    struct fz_node *n = random_variable(g, FZ_NODE_VARIABLE, FZ_VECTOR);
    if (!n || chance(g, 50))
        return n;
    uint32_t all = fz_length_of(g->f, n), length = 1 + below(g, all), used = 0;
    struct fz_node *elements = swizzle(g, n, all, length);
    elements->value = 0;
    for (uint32_t i = 0, at; i < length; i++) {
        at = below(g, all);
        while (used >> at & 1)
            at = (at + 1) % all;
        used |= 1u << at;
        elements->value |= (uint64_t)at << (2 * i);
    }
    return elements;
}

struct fz_node *fz_make_vector_assign(struct generator *g)
{
    struct fz_node *to = target(g);
    if (!to)
        return NULL;
    enum fz_type t = fz_type_of(g->p, g->f, to);
    uint32_t length = fz_length_of(g->f, to);
    bool compound = chance(g, 40), one = length == 1 || (compound && chance(g, 30));
    struct fz_node *n = fz_assign(g->p, to, one ? scalar(g, t, 3) : vector(g, t, length, 3));
    if (compound)
        n->op = (uint8_t)below(g, fz_is_float(t) ? FZ_OP_REM : FZ_OP_LT);
    return n;
}

struct fz_node *fz_make_step(struct generator *g)
{
    struct fz_node *to = target(g);
    return to ? fz_add(fz_leaf(g->p, FZ_NODE_STEP, 0, (uint8_t)below(g, 4)), to) : NULL;
}

struct fz_node *fz_make_store_row(struct generator *g)
{
    struct fz_node *to = random_variable(g, FZ_NODE_ROW, FZ_ROWS);
    if (!to)
        return NULL;
    const struct fz_variable *v = &g->f->variables.at[to->name];
    return fz_assign(g->p, to, vector(g, v->type, v->elements, 2));
}
