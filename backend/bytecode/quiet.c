/* quiet.c: values in the area of a prediction that live in scalars nevertheless.
 *
 * Between Predict and its region's exit the lanes of a warp have diverged in any way, and a scalar register
 * that one group has written another may write as soon as it runs. Which it does only when the first waits at
 * a convergence barrier or diverges. So a value is *quiet* if on no way from its definition to its uses a
 * group can come to a cb.wait or to a branch that is not decided by scalars; lanes that reconverge later do
 * not matter then either. A block parameter is defined where its block begins: its arguments are read behind
 * the branch that leads there.
 *
 * The area: what is reached from the joins of barriers that gather without passing a wait for another barrier
 * that is joined before it in the same block, which all threads of the region come to (the region-exit
 * barrier of opt/predict/pdom_barriers.c).
 *
 * Time: QUIET_EFFORT visits for each block of the function at most; values that are asked for later are not
 * quiet.
 */
#include "backend/bytecode/select.h"

#define QUIET_EFFORT 256

struct be_quiet {
    const struct be_function *f;
    struct bitset area, noisy; /* blocks; noisy: other lanes may run behind them */
    struct rows uses;          /* of each value: the blocks at whose ends, or in which, it is used */
    struct bitset at_end;      /* beside uses.at: it is an argument of an edge */
    struct walk walk;          /* scratch: over blocks */
    uint64_t effort, limit;
    struct arena *arena;
};

/* ---- the area ---------------------------------------------------------------------------------------- */

static bool waits_for_one_of(const struct ir_function *f, uint32_t b, const struct map *registers)
{
    ir_each_ins(r, f, b)
        if (ir_at(f, r)->op == IR_cb_wait && map_get(registers, (uint32_t)ir_at(f, r)->imm) != MAP_NONE)
            return true;
    return false;
}

static bool is_gather_join(const struct ir_ins *ins)
{
    return ins->op == IR_cb_join && ins->imm2;
}

/* `begin`: a block with a join that gathers. */
static void add_area(struct be_quiet *q, uint32_t begin)
{
    const struct ir_function *f = q->f->ir;
    struct map exits = {0};
    for (ir_ref r = ir_block_at(f, begin)->first; !is_gather_join(ir_at(f, r)); r = ir_at(f, r)->next)
        if (ir_at(f, r)->op == IR_cb_join)
            map_set(q->arena, &exits, (uint32_t)ir_at(f, r)->imm, 1);
    walk_restart(&q->walk);
    walk_add(&q->walk, begin);
    walk_each(b, &q->walk) {
        bitset_add(q->area, b);
        if (!waits_for_one_of(f, b, &exits))
            ir_add_successors(&q->walk, f, b, IR_NO_BLOCK);
    }
}

static bool find_area(struct be_quiet *q)
{
    bool found = false;
    for (uint32_t i = 0; i < q->f->cfg->rpo_count; i++) {
        uint32_t b = q->f->cfg->rpo[i];
        bool begins = false;
        ir_each_ins(r, q->f->ir, b) {
            const struct ir_ins *ins = ir_at(q->f->ir, r);
            begins |= ins->op == IR_cb_join && ins->imm2;
            if (ins->op == IR_cb_wait)
                bitset_add(q->noisy, b);
        }
        if (begins)
            add_area(q, b);
        found |= begins;
    }
    return found;
}

/* ---- uses -------------------------------------------------------------------------------------------- */

struct use_lists {
    u32_vec value, block;
    u32_vec end;
};

static void add_use(struct be_quiet *q, struct use_lists *l, ir_ref value, uint32_t block, bool end)
{
    vec_push(q->arena, &l->value, value);
    vec_push(q->arena, &l->block, block);
    vec_push(q->arena, &l->end, end);
}

static void find_uses(struct be_quiet *q)
{
    const struct ir_function *f = q->f->ir;
    struct use_lists l = {0};
    for (uint32_t i = 0; i < q->f->cfg->rpo_count; i++) {
        uint32_t b = q->f->cfg->rpo[i];
        ir_each_ins(r, f, b)
            for (uint32_t k = 0; k < ir_at(f, r)->argc; k++)
                add_use(q, &l, ir_at(f, r)->args[k], b, false);
        const struct ir_block *block = ir_block_at(f, b);
        for (uint32_t e = 0; e < block->edges.count; e++)
            for (uint32_t k = 0; k < block->edges.at[e].argc; k++)
                add_use(q, &l, block->edges.at[e].args[k], b, true);
    }
    q->uses = rows_new(q->arena, f->ins.count, l.value.at, l.value.count);
    q->at_end = bitset_new(q->arena, l.value.count);
    for (uint32_t k = 0; k < q->uses.start[f->ins.count]; k++) {
        uint32_t use = q->uses.at[k];
        q->uses.at[k] = l.block.at[use];
        if (l.end.at[use])
            bitset_add(q->at_end, k);
    }
}

/* ---- answers ----------------------------------------------------------------------------------------- */

struct be_quiet *be_quiet_new(struct arena *a, const struct be_function *f, const struct ir_uniformity *u,
                              struct bitset unfit)
{
    struct be_quiet *q = arena_new(a, struct be_quiet);
    *q = (struct be_quiet){.f = f,
                           .arena = a,
                           .area = bitset_new(a, f->cfg->blocks),
                           .noisy = bitset_new(a, f->cfg->blocks),
                           .walk = walk_new(a, f->cfg->blocks),
                           .limit = (uint64_t)QUIET_EFFORT * (f->cfg->rpo_count + 1)};
    if (!find_area(q))
        return NULL;
    bitset_union(q->noisy, u->branches);
    bitset_union(unfit, q->area);
    find_uses(q);
    return q;
}

/* Whether all blocks between the definition and the end of `block`, or its start, are quiet. */
static bool reaches_quietly(struct be_quiet *q, uint32_t definition, uint32_t block, bool end)
{
    if (end && bitset_has(q->noisy, block))
        return false;
    if (block != definition)
        walk_add(&q->walk, block);
    walk_each(b, &q->walk) {
        q->effort++;
        ir_each_pred(p, b, q->f->cfg) {
            if (!bitset_has(q->f->cfg->reachable, p))
                continue;
            if (bitset_has(q->noisy, p) || !bitset_has(q->area, p))
                return false;
            if (p != definition)
                walk_add(&q->walk, p);
        }
    }
    return true;
}

bool be_is_quiet(struct be_quiet *q, ir_ref r)
{
    if (q == NULL || q->effort > q->limit)
        return false;
    uint32_t definition = ir_at(q->f->ir, r)->block;
    if (!bitset_has(q->area, definition))
        return false;
    walk_restart(&q->walk);
    rows_each(k, q->uses, r)
        if (!reaches_quietly(q, definition, q->uses.at[k], bitset_has(q->at_end, k)))
            return false;
    return true;
}

bool be_note_noise(struct be_quiet *q, const struct be_selector *s)
{
    bool found = false;
    bitset_each(b, q->area) {
        const struct ir_ins *branch = ir_at(q->f->ir, ir_terminator(q->f->ir, b));
        if (ir_block_at(q->f->ir, b)->edges.count < 2 || bitset_has(q->noisy, b) ||
            s->warp_scalar[branch->args[0]] || be_invariant(s, branch->args[0]))
            continue;
        bitset_add(q->noisy, b);
        found = true;
    }
    return found;
}
