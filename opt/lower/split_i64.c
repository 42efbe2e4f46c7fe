/* split_i64.c: i64 values become pairs of i32: the walk over a function, and all but arithmetic.
 *
 * Blocks are visited in reverse post-order, so that an operand's halves are known before its users;
 * parameters of blocks get theirs first, arguments of edges last. An instruction that is replaced stays until
 * all its users are rewritten (ir_substitute), then goes.
 */
#include "opt/lower/split_i64.h"
#include "opt/lower/lower.h"

/* ---- what stands for what ---------------------------------------------------------------------------- */

static void grow(struct splitter *x)
{
    uint32_t old = x->pairs.count, n = x->f->ins.count;
    if (old >= n)
        return;
    vec_resize(x->scratch, &x->pairs, n);
    vec_resize(x->scratch, &x->to, n);
    memset(x->pairs.at + old, 0, (n - old) * sizeof *x->pairs.at);
    memset(x->to.at + old, 0, (n - old) * sizeof *x->to.at);
}

struct split_pair split_halves(struct splitter *x, ir_ref r)
{
    scalar_bits v;
    if (ir_is_const(x->f, r, &v))
        return (struct split_pair){split_const(x, (uint32_t)v), split_const(x, (uint32_t)(v >> 32))};
    grow(x);
    INVARIANT(x->pairs.at[r].lo);
    return x->pairs.at[r];
}

void split_set_pair(struct splitter *x, ir_ref r, struct split_pair p)
{
    grow(x);
    x->pairs.at[r] = p;
    vec_push(x->scratch, &x->dead, r);
}

void split_set_value(struct splitter *x, ir_ref r, ir_ref by)
{
    grow(x);
    x->to.at[r] = by;
    vec_push(x->scratch, &x->dead, r);
}

static bool is_wide(const struct splitter *x, ir_ref r)
{
    return ir_at(x->f, r)->type == IR_TYPE_I64;
}

/* The halves of a value that stays i64, made at the cursor. */
static void split_value(struct splitter *x, ir_ref r)
{
    ir_ref upper = ir_emit2(&x->c, IR_lshr, IR_TYPE_I64, r, ir_const(x->f, IR_TYPE_I64, 32));
    struct split_pair p = {split_emit1(x, IR_trunc, r), split_emit1(x, IR_trunc, upper)};
    grow(x);
    x->pairs.at[r] = p;
}

/* The i64 value of a pair. */
static ir_ref join(struct splitter *x, ir_ref r)
{
    if (ir_is_const(x->f, r, NULL))
        return r;
    struct split_pair p = split_halves(x, r);
    ir_ref hi = ir_emit1(&x->c, IR_zext, IR_TYPE_I64, p.hi);
    ir_ref upper = ir_emit2(&x->c, IR_shl, IR_TYPE_I64, hi, ir_const(x->f, IR_TYPE_I64, 32));
    return ir_emit2(&x->c, IR_or, IR_TYPE_I64, ir_emit1(&x->c, IR_zext, IR_TYPE_I64, p.lo), upper);
}

/* ---- lists of values: parameters, arguments ---------------------------------------------------------- */

/* i64 members become two; false if there are none. */
static bool split_list(struct splitter *x, uint32_t n, const ir_ref *args, u32_vec *out)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_wide(x, args[i])) {
            vec_push(&x->m->arena, out, args[i]);
            continue;
        }
        struct split_pair p = split_halves(x, args[i]);
        vec_push(&x->m->arena, out, p.lo);
        vec_push(&x->m->arena, out, p.hi);
        any = true;
    }
    return any;
}

static void split_params(struct splitter *x, uint32_t b)
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
            struct split_pair p;
            p.lo = ir_param_new(x->f, b, IR_TYPE_I32, name);
            p.hi = ir_param_new(x->f, b, IR_TYPE_I32, NULL);
            grow(x);
            x->pairs.at[old.at[i]] = p;
            ir_drop(x->f, old.at[i]);
            ir_at(x->f, old.at[i])->type = IR_TYPE_I64;
            continue;
        }
        struct ir_block *block = ir_block_at(x->f, b);
        ir_at(x->f, old.at[i])->imm = block->params.count;
        vec_push(&x->m->arena, &block->params, old.at[i]);
    }
}

/* Of a function whose parameters stay. */
static void split_entry_params(struct splitter *x)
{
    uint32_t entry = ir_entry(x->f);
    const u32_vec *params = &ir_block_at(x->f, entry)->params;
    x->c = (struct ir_cursor){.fn = x->f, .block = entry, .before = ir_block_at(x->f, entry)->first};
    for (uint32_t i = 0; i < params->count; i++)
        if (is_wide(x, params->at[i]))
            split_value(x, params->at[i]);
}

static void split_edges(struct splitter *x, uint32_t b)
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

/* ---- instructions ------------------------------------------------------------------------------------ */

/* A mask of lanes that all have their bit in the low half. */
static bool is_low_mask(const struct splitter *x, ir_ref r)
{
    uint32_t lanes = target_info[x->context->options->target].lanes;
    enum ir_op op = (enum ir_op)ir_at(x->f, r)->op;
    return (op == IR_ballot || op == IR_active_mask) && lanes != 0 && lanes <= 32;
}

/* The halves of an i64 result that stays. */
static void split_result(struct splitter *x, ir_ref r)
{
    if (!is_wide(x, r))
        return;
    x->c.before = ir_at(x->f, r)->next;
    if (!is_low_mask(x, r)) {
        split_value(x, r);
        return;
    }
    struct split_pair p = {split_emit1(x, IR_trunc, r), split_const(x, 0)};
    grow(x);
    x->pairs.at[r] = p;
}

static void split_arguments(struct splitter *x, ir_ref r)
{
    u32_vec args = {0};
    if (split_list(x, ir_at(x->f, r)->argc, ir_at(x->f, r)->args, &args)) {
        ir_at(x->f, r)->args = args.at;
        ir_at(x->f, r)->argc = args.count;
    }
}

/* What printf prints of a double is the same as of the float it was made of. */
static ir_ref narrow_double(struct splitter *x, ir_ref r)
{
    scalar_bits v;
    return ir_is_const(x->f, r, &v) ? ir_const(x->f, IR_TYPE_F32, scalar_evaluate(SCALAR_ftrunc_DF, &v))
                                    : ir_at(x->f, r)->args[0];
}

/* Only printf knows floats too; a target without doubles has no other way to print them. */
static bool is_narrowed(const struct splitter *x, ir_ref r, ir_ref operand)
{
    return ir_at(x->f, r)->op == IR_printf && ir_at(x->f, operand)->type == IR_TYPE_F64 &&
           target_info[x->context->options->target].lacks & TARGET_NO_DOUBLE && opt_is_float(x->f, operand);
}

static void join_operands(struct splitter *x, ir_ref r)
{
    for (uint32_t i = 0; i < ir_at(x->f, r)->argc; i++) {
        ir_ref a = ir_at(x->f, r)->args[i];
        if (is_wide(x, a))
            a = join(x, a);
        else if (is_narrowed(x, r, a))
            a = narrow_double(x, a);
        ir_at(x->f, r)->args[i] = a;
    }
}

static bool touches_wide(const struct splitter *x, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    bool wide = ins->type == IR_TYPE_I64 || ins->op == IR_printf;
    for (uint32_t i = 0; i < ins->argc; i++)
        wide |= is_wide(x, ins->args[i]);
    return wide;
}

static void split_instruction(struct splitter *x, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    x->c = (struct ir_cursor){.fn = x->f, .block = ins->block, .before = r, .at = ins->at};
    if (split_arithmetic(x, r) || split_group(x, r))
        return;
    if (ins->op == IR_call && !bitset_has(x->whole, (uint32_t)ins->imm))
        split_arguments(x, r);
    else
        join_operands(x, r);
    split_result(x, r);
}

/* ---- the function ------------------------------------------------------------------------------------ */

/* Everything that was there before: what is made on the way needs no splitting. */
static u32_vec collect(struct splitter *x, const struct ir_cfg *g)
{
    u32_vec all = {0};
    for (uint32_t i = 0; i < g->rpo_count; i++)
        ir_each_ins(r, x->f, g->rpo[i])
            vec_push(x->scratch, &all, r);
    return all;
}

static void sweep(struct splitter *x)
{
    grow(x);
    ir_substitute(x->f, x->to.at);
    for (uint32_t i = 0; i < x->dead.count; i++)
        ir_remove(x->f, x->dead.at[i]);
}

static void split_function(struct splitter *x)
{
    const struct ir_cfg *g = opt_cfg(x->context, x->f);
    vec_clear(&x->pairs);
    vec_clear(&x->to);
    vec_clear(&x->dead);
    opt_drop_unreachable(x->scratch, g, x->f);
    u32_vec all = collect(x, g);
    bool whole = bitset_has(x->whole, x->f->id);
    ir_each_block(i, b, x->f)
        if (!whole || b != ir_entry(x->f))
            split_params(x, b);
    if (whole)
        split_entry_params(x);
    for (uint32_t i = 0; i < all.count; i++)
        if (touches_wide(x, all.at[i]))
            split_instruction(x, all.at[i]);
    ir_each_block(k, b, x->f)
        split_edges(x, b);
    sweep(x);
}

/* ---- the module -------------------------------------------------------------------------------------- */

static bool has_calls_through_pointers(const struct ir_module *m)
{
    for (uint32_t i = 0; i < m->functions.count; i++)
        ir_each_block(k, b, m->functions.at[i])
            ir_each_ins(r, m->functions.at[i], b)
                if (ir_at(m->functions.at[i], r)->op == IR_icall)
                    return true;
    return false;
}

/* The host calls kernels. A call through a pointer passes what its signature says. */
static struct bitset find_whole(struct arena *a, const struct ir_module *m)
{
    struct bitset whole = bitset_new(a, m->functions.count);
    bool pointers = has_calls_through_pointers(m);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        if (f->flags & IR_FN_KERNEL || pointers || opt_words_of_params(f) > IR_MAX_ARGS)
            bitset_add(whole, i);
    }
    return whole;
}

bool opt_split_i64(struct opt_context *c, struct ir_module *m)
{
    struct splitter x = {.context = c, .scratch = c->scratch, .m = m, .whole = find_whole(c->scratch, m)};
    for (uint32_t i = 0; i < m->functions.count; i++) {
        x.f = m->functions.at[i];
        if (x.f->order.count)
            split_function(&x);
    }
    return true;
}
