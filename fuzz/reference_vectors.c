/* reference_vectors.c: what vectors compute (docs/language.md, "Vectors"): what C gives for their elements,
 * one by one, converted back to their type.
 */
#include "fuzz/reference.h"

/* ---- expressions ------------------------------------------------------------------------------------- */

static void copy(uint64_t to[], const uint64_t from[], fz_lanes mask)
{
    fz_each_lane(lane, mask) to[lane] = from[lane];
}

/* An operand as the type has it: the elements of a vector are of it. */
static void evaluate_as(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, enum fz_type t,
                        uint64_t v[][FZ_MAX_LANES])
{
    enum fz_type from = fz_type_of(f->w->p, f->f, n);
    fz_evaluate_vector(f, n, mask, v);
    for (uint32_t e = 0; e < FZ_MOST_ELEMENTS; e++)
        fz_each_lane(lane, mask) v[e][lane] = fz_converted(v[e][lane], from, t);
}

static uint64_t operate(enum fz_operator op, uint64_t a, uint64_t b, enum fz_type t)
{
    enum fz_type result;
    uint64_t bits = fz_operate(op, a, t, b, t, &result);
    if (fz_operator_info[op].result == 'B')
        return fz_converted(-bits, FZ_LONG, fz_truth_type(t));
    return fz_converted(bits, result, t);
}

static void evaluate_binary(struct fz_frame *f, const struct fz_node *n, fz_lanes mask,
                            uint64_t v[][FZ_MAX_LANES])
{
    uint64_t b[FZ_MOST_ELEMENTS][FZ_MAX_LANES];
    const struct fz_node *x = n->first, *y = n->first->next;
    enum fz_type t = fz_type_of(f->w->p, f->f, fz_length_of(f->f, x) > 1 ? x : y);
    evaluate_as(f, x, mask, t, v);
    evaluate_as(f, y, mask, t, b);
    for (uint32_t e = 0; e < FZ_MOST_ELEMENTS; e++)
        fz_each_lane(lane, mask) v[e][lane] = operate((enum fz_operator)n->op, v[e][lane], b[e][lane], t);
}

static void evaluate_unary(struct fz_frame *f, const struct fz_node *n, fz_lanes mask,
                           uint64_t v[][FZ_MAX_LANES])
{
    enum fz_type t = fz_type_of(f->w->p, f->f, n->first), result;
    fz_evaluate_vector(f, n->first, mask, v);
    for (uint32_t e = 0; e < FZ_MOST_ELEMENTS; e++)
        fz_each_lane(lane, mask)
        {
            uint64_t bits = fz_operate_unary((enum fz_operator)n->op, v[e][lane], t, &result);
            v[e][lane] = fz_converted(bits, result, t);
        }
}

/* Parts behind each other, or one for all. */
static void evaluate_made(struct fz_frame *f, const struct fz_node *n, fz_lanes mask,
                          uint64_t v[][FZ_MAX_LANES])
{
    uint64_t part[FZ_MOST_ELEMENTS][FZ_MAX_LANES];
    uint32_t at = 0;
    for (const struct fz_node *p = n->first; p; p = p->next) {
        uint32_t length = p == n->first && !p->next ? FZ_MOST_ELEMENTS : fz_length_of(f->f, p);
        evaluate_as(f, p, mask, n->type, part);
        for (uint32_t e = 0; e < length && at < FZ_MOST_ELEMENTS; e++)
            copy(v[at++], part[e], mask);
    }
}

static void evaluate_select(struct fz_frame *f, const struct fz_node *n, fz_lanes mask,
                            uint64_t v[][FZ_MAX_LANES])
{
    uint64_t b[FZ_MOST_ELEMENTS][FZ_MAX_LANES], c[FZ_MOST_ELEMENTS][FZ_MAX_LANES];
    fz_evaluate_vector(f, n->first, mask, v);
    fz_evaluate_vector(f, fz_child(n, 1), mask, b);
    evaluate_as(f, fz_child(n, 2), mask, FZ_LONG, c);
    for (uint32_t e = 0; e < FZ_MOST_ELEMENTS; e++)
        fz_each_lane(lane, mask) v[e][lane] = (int64_t)c[e][lane] < 0 ? b[e][lane] : v[e][lane];
}

static void evaluate_builtin(struct fz_frame *f, const struct fz_node *n, fz_lanes mask,
                             uint64_t v[][FZ_MAX_LANES])
{
    uint64_t a[FE_BUILTIN_ARGS][FZ_MOST_ELEMENTS][FZ_MAX_LANES];
    const struct fe_builtin *b = &fe_builtins[n->value];
    uint32_t params = fe_builtin_params(b), i = 0;
    int known = fz_known(b);
    INVARIANT(known >= 0 && params <= FE_BUILTIN_ARGS);
    for (const struct fz_node *x = n->first; x && i < params; x = x->next)
        evaluate_as(f, x, mask, n->type, a[i++]);
    for (uint32_t e = 0; e < FZ_MOST_ELEMENTS; e++)
        fz_each_lane(lane, mask)
        {
            uint64_t arguments[FE_BUILTIN_ARGS];
            for (i = 0; i < params; i++)
                arguments[i] = a[i][e][lane];
            v[e][lane] = fz_apply(known, b, arguments, n->type);
        }
}

static uint32_t swizzled(const struct fz_node *n, uint32_t element)
{
    return n->value >> (2 * element) & 3;
}

/* Where each lane has this element of what n names; false: n is no target. */
static bool find_places(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint32_t element,
                        uint64_t *at[])
{
    switch (n->kind) {
    case FZ_NODE_SWIZZLE: return find_places(f, n->first, mask, swizzled(n, element), at);
    case FZ_NODE_VARIABLE:
        fz_each_lane(lane, mask) at[lane] = fz_variable_at(f, n->name, lane) + element;
        return true;
    case FZ_NODE_ROW:
        fz_each_lane(lane, mask) at[lane] = fz_variable_at(f, n->name, lane) +
                                            (f->w->first + lane) % FZ_ROW_COUNT * FZ_MOST_ELEMENTS + element;
        return true;
    default: return false;
    }
}

void fz_evaluate_vector(struct fz_frame *f, const struct fz_node *n, fz_lanes mask,
                        uint64_t v[][FZ_MAX_LANES])
{
    uint64_t of[FZ_MOST_ELEMENTS][FZ_MAX_LANES], *at[FZ_MAX_LANES];
    fz_lanes yes;
    if (fz_length_of(f->f, n) == 1) {
        fz_evaluate(f, n, mask, v[0]);
        for (uint32_t e = 1; e < FZ_MOST_ELEMENTS; e++)
            copy(v[e], v[0], mask);
        return;
    }
    switch (n->kind) {
    case FZ_NODE_BINARY: evaluate_binary(f, n, mask, v); break;
    case FZ_NODE_UNARY: evaluate_unary(f, n, mask, v); break;
    case FZ_NODE_CAST: evaluate_as(f, n->first, mask, n->type, v); break;
    case FZ_NODE_MAKE: evaluate_made(f, n, mask, v); break;
    case FZ_NODE_SELECT: evaluate_select(f, n, mask, v); break;
    case FZ_NODE_BUILTIN: evaluate_builtin(f, n, mask, v); break;
    case FZ_NODE_CHOICE:
        yes = fz_holds(f, n->first, mask);
        fz_evaluate_vector(f, fz_child(n, 1), yes, v);
        fz_evaluate_vector(f, fz_child(n, 2), mask & ~yes, v);
        break;
    case FZ_NODE_SWIZZLE:
        fz_evaluate_vector(f, n->first, mask, of);
        for (uint32_t e = 0; e < n->op; e++)
            copy(v[e], of[swizzled(n, e)], mask);
        break;
    case FZ_NODE_WIDE:
        for (uint32_t e = 0; e < n->op; e++)
            fz_each_lane(lane, mask)
            {
                uint32_t own = n->flag ? (f->w->first + lane) * 4 & 12 : 0;
                v[e][lane] = (uint32_t)f->w->p->inputs[(n->value + own + e) % FZ_INPUTS];
            }
        break;
    default:
        for (uint32_t e = 0; e < fz_length_of(f->f, n); e++) {
            bool found = find_places(f, n, mask, e, at);
            INVARIANT(found);
            fz_each_lane(lane, mask) v[e][lane] = *at[lane];
        }
    }
}

/* ---- statements -------------------------------------------------------------------------------------- */

bool fz_is_vector_place(const struct fz_frame *f, const struct fz_node *target)
{
    return target->kind == FZ_NODE_SWIZZLE || fz_length_of(f->f, target) > 1;
}

/* All values are taken before the first element changes. */
void fz_assign_vector(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    const struct fz_node *target = s->first;
    enum fz_type t = fz_type_of(f->w->p, f->f, target);
    enum fz_operator op = (enum fz_operator)s->op;
    uint64_t v[FZ_MOST_ELEMENTS][FZ_MAX_LANES], *at[FZ_MAX_LANES];
    if (s->kind == FZ_NODE_STEP)
        op = s->op & 1 ? FZ_OP_SUB : FZ_OP_ADD;
    else
        evaluate_as(f, target->next, mask, t, v);
    for (uint32_t e = 0; e < fz_length_of(f->f, target); e++) {
        bool found = find_places(f, target, mask, e, at);
        INVARIANT(found);
        fz_each_lane(lane, mask)
        {
            uint64_t by = s->kind == FZ_NODE_STEP ? fz_converted(1, FZ_INT, t) : v[e][lane];
            *at[lane] = op == FZ_OPERATORS ? by : operate(op, *at[lane], by, t);
        }
    }
}
