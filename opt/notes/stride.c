/* stride.c: how values change from one thread to the next along x: uniform, by a constant, by a variable
 * step, or in no order.
 *
 * An optimistic data-flow analysis over the values that uniformity finds divergent, in reverse post-order
 * until nothing changes. It serves notes, not transformations, and so prefers missing an uncoalesced access
 * to blaming a good one: indices clamped to a border keep the stride of what is clamped; masks and remainders
 * by uniform numbers keep it too; a quotient by a uniform number counts as the same for neighbours, and so do
 * threadIdx.y and .z.
 */
#include "opt/notes/performance.h"

enum { SWEEPS_MAX = 32 };

struct strides {
    const struct ir_uniformity *u;
    const struct ir_function *fn;
    struct opt_stride *at;
    bool changed;
};

static const struct opt_stride uniform = {OPT_STRIDE_CONSTANT, 0}, scattered = {OPT_STRIDE_SCATTERED, 0};

static bool is_uniform(struct opt_stride s)
{
    return s.kind == OPT_STRIDE_CONSTANT && s.step == 0;
}

static struct opt_stride constant(int64_t step)
{
    return (struct opt_stride){OPT_STRIDE_CONSTANT, step};
}

static struct opt_stride stride_of(const struct strides *s, ir_ref r)
{
    return bitset_has(s->u->divergent, r) ? s->at[r] : uniform;
}

/* ---- combining ---------------------------------------- */

/* One of two values; a uniform one is taken for a border. */
static struct opt_stride either(struct opt_stride a, struct opt_stride b)
{
    if (a.kind == OPT_STRIDE_NEW || is_uniform(a))
        return b.kind == OPT_STRIDE_NEW ? a : b;
    if (b.kind == OPT_STRIDE_NEW || is_uniform(b))
        return a;
    return a.kind == b.kind && a.step == b.step ? a : scattered;
}

static struct opt_stride sum(struct opt_stride a, struct opt_stride b, int sign)
{
    if (a.kind == OPT_STRIDE_NEW || b.kind == OPT_STRIDE_NEW)
        return (struct opt_stride){0};
    if (a.kind == OPT_STRIDE_SCATTERED || b.kind == OPT_STRIDE_SCATTERED)
        return scattered;
    if (a.kind == OPT_STRIDE_CONSTANT && b.kind == OPT_STRIDE_CONSTANT)
        return constant((int32_t)((uint32_t)a.step + (uint32_t)sign * (uint32_t)b.step));
    return (struct opt_stride){OPT_STRIDE_VARIABLE, 0};
}

/* a times the uniform value `by`, or times 2 to the power of it. */
static struct opt_stride scaled(const struct strides *s, struct opt_stride a, ir_ref by, bool shift)
{
    scalar_bits n;
    if (a.kind != OPT_STRIDE_CONSTANT || is_uniform(a))
        return a;
    if (!ir_is_const(s->fn, by, &n))
        return (struct opt_stride){OPT_STRIDE_VARIABLE, 0};
    return constant((int32_t)(shift ? (uint32_t)a.step << (n & 31) : (uint32_t)a.step * (uint32_t)n));
}

/* ---- operations -------------------------------------------------------------------------------------------
 */

/* An operation that keeps what lies between neighbours if its other operand is uniform. */
static struct opt_stride kept(struct opt_stride a, struct opt_stride b)
{
    if (a.kind == OPT_STRIDE_NEW || b.kind == OPT_STRIDE_NEW)
        return (struct opt_stride){0};
    return is_uniform(b) ? a : is_uniform(a) ? b : scattered;
}

/* A value that is chosen for each thread on its own. In a loop even uniform ones end up in no order: a binary
 * search. */
static struct opt_stride chosen(const struct strides *s, const struct ir_ins *i, struct opt_stride joined)
{
    return is_uniform(joined) && s->u->cycles->innermost[i->block] != IR_NO_CYCLE ? scattered : joined;
}

static struct opt_stride of_all(const struct strides *s, const struct ir_ins *i)
{
    struct opt_stride all = uniform;
    for (uint32_t k = 0; k < i->argc; k++) {
        struct opt_stride x = stride_of(s, i->args[k]);
        if (x.kind == OPT_STRIDE_NEW)
            return x;
        if (!is_uniform(x))
            all = scattered;
    }
    return all;
}

static struct opt_stride of_binary(const struct strides *s, const struct ir_ins *i)
{
    struct opt_stride a = stride_of(s, i->args[0]), b = stride_of(s, i->args[1]);
    switch (i->op) {
    case IR_add:
    case IR_ptradd: return sum(a, b, 1);
    case IR_sub: return sum(a, b, -1);
    case IR_mul:
        return is_uniform(b)   ? scaled(s, a, i->args[1], false)
               : is_uniform(a) ? scaled(s, b, i->args[0], false)
                               : of_all(s, i);
    case IR_shl: return is_uniform(b) ? scaled(s, a, i->args[1], true) : of_all(s, i);
    case IR_smin:
    case IR_smax:
    case IR_umin:
    case IR_umax: return either(a, b);
    case IR_and:
    case IR_or:
    case IR_xor: return kept(a, b);
    case IR_urem:
    case IR_srem: return is_uniform(b) ? a : of_all(s, i);
    case IR_udiv:
    case IR_sdiv:
    case IR_lshr:
    case IR_ashr: return is_uniform(b) && a.kind == OPT_STRIDE_CONSTANT ? uniform : of_all(s, i);
    default: return of_all(s, i);
    }
}

static struct opt_stride of_special(const struct ir_ins *i)
{
    return constant(i->imm == IR_SPECIAL_TID_X || i->imm == IR_SPECIAL_LANE);
}

static struct opt_stride of_instruction(const struct strides *s, ir_ref r)
{
    const struct ir_ins *i = ir_at(s->fn, r);
    if (s->u->kind[r] == IR_DIV_TEMPORAL || s->u->kind[r] == IR_DIV_CYCLE)
        return scattered;
    switch (i->op) {
    case IR_special: return of_special(i);
    case IR_sext:
    case IR_zext:
    case IR_trunc:
    case IR_ptrcast: return stride_of(s, i->args[0]);
    case IR_neg: return sum(uniform, stride_of(s, i->args[0]), -1);
    case IR_select: return chosen(s, i, either(stride_of(s, i->args[1]), stride_of(s, i->args[2])));
    case IR_load: return is_uniform(stride_of(s, i->args[0])) ? uniform : scattered;
    default:
        if (s->u->kind[r] == IR_DIV_SOURCE)
            return scattered;
        return i->argc == 2 ? of_binary(s, i) : of_all(s, i);
    }
}

static struct opt_stride of_param(const struct strides *s, uint32_t block, uint32_t position)
{
    const struct ir_cfg *c = s->u->cfg;
    ir_ref r = ir_block_at(s->fn, block)->params.at[position];
    struct opt_stride joined = {0};
    if (s->u->kind[r] == IR_DIV_TEMPORAL || s->u->kind[r] == IR_DIV_CYCLE)
        return scattered;
    ir_each_pred(p, block, c)
        joined =
            either(joined, stride_of(s, ir_block_at(s->fn, p)->edges.at[c->pred_edges[p_at]].args[position]));
    return s->u->kind[r] == IR_DIV_SYNC ? chosen(s, ir_at(s->fn, r), joined) : joined;
}

/* ---- to the fixed point
 * --------------------------------------------------------------------------------------- */

static void set(struct strides *s, ir_ref r, struct opt_stride fresh)
{
    struct opt_stride *old = &s->at[r];
    if (fresh.kind == OPT_STRIDE_NEW || (fresh.kind == old->kind && fresh.step == old->step))
        return;
    bool grows = old->kind == OPT_STRIDE_NEW || is_uniform(*old);
    *old = grows ? fresh : scattered;
    s->changed = true;
}

static void sweep(struct strides *s)
{
    const struct ir_cfg *c = s->u->cfg;
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(s->fn, c->rpo[i]);
        for (uint32_t p = 0; p < b->params.count; p++)
            if (bitset_has(s->u->divergent, b->params.at[p]) &&
                s->at[b->params.at[p]].kind != OPT_STRIDE_SCATTERED)
                set(s, b->params.at[p], of_param(s, c->rpo[i], p));
        ir_each_ins(r, s->fn, c->rpo[i])
            if (bitset_has(s->u->divergent, r) && s->at[r].kind != OPT_STRIDE_SCATTERED)
                set(s, r, of_instruction(s, r));
    }
}

struct opt_stride *opt_strides(struct arena *a, const struct ir_uniformity *u)
{
    struct strides s = {.u = u, .fn = u->cfg->fn, .changed = true};
    s.at = arena_array(a, struct opt_stride, s.fn->ins.count);
    for (unsigned n = 0; s.changed && n < SWEEPS_MAX; n++) {
        s.changed = false;
        sweep(&s);
    }
    return s.changed ? NULL : s.at;
}
