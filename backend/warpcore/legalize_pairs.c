/* legalize_pairs.c: i64 values become pairs of i32: the walk over a function, and all but arithmetic.
 *
 * Blocks are visited in reverse post-order, so that an operand's halves are known before its users;
 * parameters of blocks get theirs first, arguments of edges last. An instruction that is replaced stays until
 * all its users are rewritten (ir_substitute), then goes.
 */
#include "backend/warpcore/legalize.h"
#include "ir/analysis.h"

/* ---- what stands for what ------------------------------------------------------------------------------ */

static void grow(struct wc_legalizer *x)
{
    uint32_t old = x->pairs.count, n = x->f->ins.count;
    if (old >= n)
        return;
    vec_resize(x->scratch, &x->pairs, n);
    vec_resize(x->scratch, &x->to, n);
    memset(x->pairs.at + old, 0, (n - old) * sizeof *x->pairs.at);
    memset(x->to.at + old, 0, (n - old) * sizeof *x->to.at);
}

struct wc_pair wc_halves(struct wc_legalizer *x, ir_ref r)
{
    scalar_bits v;
    if (ir_is_const(x->f, r, &v))
        return (struct wc_pair){wc_const(x, (uint32_t)v), wc_const(x, (uint32_t)(v >> 32))};
    grow(x);
    INVARIANT(x->pairs.at[r].lo);
    return x->pairs.at[r];
}

void wc_set_pair(struct wc_legalizer *x, ir_ref r, struct wc_pair p)
{
    grow(x);
    x->pairs.at[r] = p;
    vec_push(x->scratch, &x->dead, r);
}

void wc_set_value(struct wc_legalizer *x, ir_ref r, ir_ref by)
{
    grow(x);
    x->to.at[r] = by;
    vec_push(x->scratch, &x->dead, r);
}

static bool is_wide(const struct wc_legalizer *x, ir_ref r)
{
    return ir_at(x->f, r)->type == IR_TYPE_I64;
}

/* The halves of a value that stays i64, made at the cursor. */
static void take_apart(struct wc_legalizer *x, ir_ref r)
{
    ir_ref upper = ir_emit2(&x->c, IR_lshr, IR_TYPE_I64, r, ir_const(x->f, IR_TYPE_I64, 32));
    struct wc_pair p = {wc_emit1(x, IR_trunc, r), wc_emit1(x, IR_trunc, upper)};
    grow(x);
    x->pairs.at[r] = p;
}

/* The i64 value of a pair. */
static ir_ref join(struct wc_legalizer *x, ir_ref r)
{
    if (ir_is_const(x->f, r, NULL))
        return r;
    struct wc_pair p = wc_halves(x, r);
    ir_ref hi = ir_emit1(&x->c, IR_zext, IR_TYPE_I64, p.hi);
    ir_ref upper = ir_emit2(&x->c, IR_shl, IR_TYPE_I64, hi, ir_const(x->f, IR_TYPE_I64, 32));
    return ir_emit2(&x->c, IR_or, IR_TYPE_I64, ir_emit1(&x->c, IR_zext, IR_TYPE_I64, p.lo), upper);
}

/* ---- lists of values: parameters, arguments ------------------------------------------------------------ */

/* i64 members become two; false if there are none. */
static bool split_list(struct wc_legalizer *x, uint32_t n, const ir_ref *args, u32_vec *out)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_wide(x, args[i])) {
            vec_push(&x->m->arena, out, args[i]);
            continue;
        }
        struct wc_pair p = wc_halves(x, args[i]);
        vec_push(&x->m->arena, out, p.lo);
        vec_push(&x->m->arena, out, p.hi);
        any = true;
    }
    return any;
}

static void split_params(struct wc_legalizer *x, uint32_t b)
{
    u32_vec old = ir_block_at(x->f, b)->params;
    bool any = false;
    for (uint32_t i = 0; i < old.count; i++)
        any |= is_wide(x, old.at[i]);
    if (!any)
        return;
    memset(&ir_block_at(x->f, b)->params, 0, sizeof old);
    for (uint32_t i = 0; i < old.count; i++) {
        const char *name = ir_at(x->f, old.at[i])->name;
        if (is_wide(x, old.at[i])) {
            struct wc_pair p;
            p.lo = ir_param_new(x->f, b, IR_TYPE_I32, name);
            p.hi = ir_param_new(x->f, b, IR_TYPE_I32, NULL);
            grow(x);
            x->pairs.at[old.at[i]] = p;
            *ir_at(x->f, old.at[i]) =
                (struct ir_ins){.op = IR_none, .type = IR_TYPE_I64, .block = IR_NO_BLOCK};
            continue;
        }
        struct ir_block *block = ir_block_at(x->f, b);
        ir_at(x->f, old.at[i])->imm = block->params.count;
        vec_push(&x->m->arena, &block->params, old.at[i]);
    }
}

/* Kernels keep theirs: the host passes them. */
static void split_kernel_params(struct wc_legalizer *x)
{
    uint32_t entry = ir_entry(x->f);
    const u32_vec *params = &ir_block_at(x->f, entry)->params;
    x->c = (struct ir_cursor){.fn = x->f, .block = entry, .before = ir_block_at(x->f, entry)->first};
    for (uint32_t i = 0; i < params->count; i++)
        if (is_wide(x, params->at[i]))
            take_apart(x, params->at[i]);
}

static void split_edges(struct wc_legalizer *x, uint32_t b)
{
    struct ir_block *block = ir_block_at(x->f, b);
    for (uint32_t i = 0; i < block->edges.count; i++) {
        struct ir_edge *e = &ir_block_at(x->f, b)->edges.at[i];
        u32_vec args = {0};
        if (!split_list(x, e->argc, e->args, &args))
            continue;
        e = &ir_block_at(x->f, b)->edges.at[i];
        e->args = args.at;
        e->argc = args.count;
        e->capacity = 0;
    }
}

/* ---- instructions -------------------------------------------------------------------------------------- */

static void split_call(struct wc_legalizer *x, ir_ref r)
{
    u32_vec args = {0};
    if (split_list(x, ir_at(x->f, r)->argc, ir_at(x->f, r)->args, &args)) {
        ir_at(x->f, r)->args = args.at;
        ir_at(x->f, r)->argc = args.count;
    }
    if (!is_wide(x, r))
        return;
    x->c.before = ir_at(x->f, r)->next;
    take_apart(x, r);
}

/* Their last word decides: whether bits of the high half can be set. */
static void split_mask(struct wc_legalizer *x, ir_ref r)
{
    x->c.before = ir_at(x->f, r)->next;
    struct wc_pair p = {wc_emit1(x, IR_trunc, r), wc_const(x, 0)};
    grow(x);
    x->pairs.at[r] = p;
}

/* What printf prints of a double is the same as of the float it was made of. */
static ir_ref narrow_double(struct wc_legalizer *x, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    scalar_bits v;
    if (ins->op == IR_fext)
        return ins->args[0];
    if (!ir_is_const(x->f, r, &v))
        return r;
    scalar_bits narrow = scalar_evaluate(SCALAR_ftrunc_DF, &v);
    bool same = scalar_evaluate(SCALAR_fext_FD, &narrow) == v;
    return same ? ir_const(x->f, IR_TYPE_F32, narrow) : r;
}

static void join_operands(struct wc_legalizer *x, ir_ref r)
{
    for (uint32_t i = 0; i < ir_at(x->f, r)->argc; i++) {
        ir_ref a = ir_at(x->f, r)->args[i];
        if (is_wide(x, a))
            a = join(x, a);
        else if (ir_at(x->f, a)->type == IR_TYPE_F64)
            a = narrow_double(x, a);
        ir_at(x->f, r)->args[i] = a;
    }
}

static bool touches_wide(const struct wc_legalizer *x, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    bool wide = ins->type == IR_TYPE_I64 || ins->op == IR_printf;
    for (uint32_t i = 0; i < ins->argc; i++)
        wide |= is_wide(x, ins->args[i]);
    return wide;
}

static void split_instruction(struct wc_legalizer *x, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    x->c = (struct ir_cursor){.fn = x->f, .block = ins->block, .before = r, .at = ins->at};
    switch (ins->op) {
    case IR_call: split_call(x, r); return;
    case IR_store: case IR_ret: case IR_printf: join_operands(x, r); return;
    case IR_ballot: case IR_active_mask: split_mask(x, r); return;
    case IR_load: case IR_clock: x->c.before = ins->next; take_apart(x, r); return;
    default: break;
    }
    if (!wc_split_arithmetic(x, r) && !wc_split_group(x, r))
        BUG("nothing splits %s", ir_op_info[ins->op].text);
}

/* ---- the function -------------------------------------------------------------------------------------- */

/* Everything that was there before: what is made on the way needs no splitting. */
static u32_vec collect(struct wc_legalizer *x)
{
    struct ir_cfg *cfg = ir_cfg_new(x->scratch, x->f);
    u32_vec all = {0};
    for (uint32_t i = 0; i < cfg->rpo_count; i++)
        for ir_each_ins(r, x->f, cfg->rpo[i])
            vec_push(x->scratch, &all, r);
    return all;
}

static void sweep(struct wc_legalizer *x)
{
    grow(x);
    ir_substitute(x->f, x->to.at);
    for (uint32_t i = 0; i < x->dead.count; i++)
        ir_remove(x->f, x->dead.at[i]);
}

void wc_split_function(struct wc_legalizer *x)
{
    vec_clear(&x->pairs);
    vec_clear(&x->to);
    vec_clear(&x->dead);
    u32_vec all = collect(x);
    bool kernel = x->f->flags & IR_FN_KERNEL;
    for ir_each_block(i, b, x->f)
        if (!kernel || b != ir_entry(x->f))
            split_params(x, b);
    if (kernel)
        split_kernel_params(x);
    for (uint32_t i = 0; i < all.count; i++)
        if (touches_wide(x, all.at[i]))
            split_instruction(x, all.at[i]);
    for ir_each_block(k, b, x->f)
        split_edges(x, b);
    sweep(x);
}
