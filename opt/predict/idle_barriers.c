/* idle_barriers.c: barriers of post-dominators at which nobody has to wait any more. Where all threads of one
 * side of a branch leave the barrier to wait for a prediction, those of the other side are by themselves at the
 * wait: so it is with a loop whose iterations a prediction merges, and the wait behind the loop.
 *
 * A barrier is idle if on no way from a branch at which threads join it a second branch, or a wait for another
 * barrier, can part those that are still in it before they come to its wait, and none of them ends without
 * having left it (others may wait until it has). Whether branches diverge is not asked.
 *
 * Time: barriers times the blocks of the function.
 */
#include "opt/predict/barriers.h"

/* A barrier that threads join at branches alone. */
struct meeting {
    uint32_t reg;
    u32_vec joins; /* ir_refs */
    ir_ref wait;   /* the only one; or 0 */
    bool other;    /* there are other operations than these, but for cancels */
};

struct search {
    const struct barriers *x;
    const struct meeting *m;
    struct bitset ahead; /* blocks from whose start threads in the barrier may come to its wait */
};

/* ---- the barriers ------------------------------------------------------------------------------------ */

typedef VEC(struct meeting) meetings;

static struct meeting *meeting_of(struct barriers *x, meetings *all, struct map *index, uint32_t reg)
{
    uint32_t at = map_get(index, reg);
    if (at == MAP_NONE) {
        at = all->count;
        map_set(x->arena, index, reg, at);
        vec_push(x->arena, all, ((struct meeting){.reg = reg}));
    }
    return &all->at[at];
}

static meetings find_meetings(struct barriers *x)
{
    meetings all = {0};
    struct map index = {0};
    struct bitset by_branch = bitset_new(x->arena, x->f->ins.count);
    for (uint32_t i = 0; i < x->branch_joins.count; i++)
        bitset_add(by_branch, x->branch_joins.at[i]);
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        ir_each_ins(r, x->f, x->cfg->rpo[i]) {
            const struct ir_ins *ins = ir_at(x->f, r);
            if (!ir_is_convergence_barrier(ins->op))
                continue;
            struct meeting *m = meeting_of(x, &all, &index, (uint32_t)ins->imm);
            if (ins->op == IR_cb_join && bitset_has(by_branch, r))
                vec_push(x->arena, &m->joins, r);
            else if (ins->op == IR_cb_wait && !m->wait)
                m->wait = r;
            else
                m->other |= ins->op != IR_cb_cancel;
        }
    }
    return all;
}

/* ---- who may part ------------------------------------------------------------------------------------ */

/* Whether threads are out of the barrier at the end of the block, if they do not join there. */
static bool ends_in(const struct search *s, uint32_t b)
{
    ir_each_ins(r, s->x->f, b) {
        const struct ir_ins *ins = ir_at(s->x->f, r);
        bool leaves = ins->op == IR_cb_cancel && !ir_cancel_of(ins).threshold;
        if ((leaves || ins->op == IR_cb_wait) && (uint32_t)ins->imm == s->m->reg)
            return true;
    }
    return false;
}

static void find_ahead(struct search *s)
{
    struct walk w = walk_from(s->x->arena, s->ahead);
    walk_add(&w, ir_at(s->x->f, s->m->wait)->block);
    walk_each(b, &w)
        ir_each_pred(p, b, s->x->cfg)
            if (!ends_in(s, p))
                walk_add(&w, p);
}

/* How many of the block's edges lead to the wait. */
static uint32_t edges_ahead(const struct search *s, uint32_t b)
{
    const struct ir_block *block = ir_block_at(s->x->f, b);
    uint32_t edges = 0;
    for (uint32_t e = 0; e < block->edges.count; e++)
        edges += bitset_has(s->ahead, block->edges.at[e].block);
    return edges;
}

/* Whether threads wait for others in the block, or may in what it calls, or end. */
static bool waits_or_ends_in(const struct barriers *x, uint32_t b)
{
    if (ir_block_at(x->f, b)->edges.count == 0)
        return true;
    ir_each_ins(r, x->f, b) {
        enum ir_op op = (enum ir_op)ir_at(x->f, r)->op;
        if (op == IR_cb_wait || op == IR_call || op == IR_icall)
            return true;
    }
    return false;
}

static bool is_idle(struct barriers *x, const struct meeting *m)
{
    struct search s = {x, m, bitset_new(x->arena, x->f->blocks.count)};
    struct walk w = walk_new(x->arena, x->f->blocks.count);
    uint32_t point = ir_at(x->f, m->wait)->block;
    find_ahead(&s);
    for (uint32_t i = 0; i < m->joins.count; i++) {
        uint32_t b = ir_at(x->f, m->joins.at[i])->block;
        if (edges_ahead(&s, b) > 1)
            return false;
        ir_add_successors(&w, x->f, b, point);
    }
    walk_each(b, &w) {
        if (ends_in(&s, b))
            continue;
        if (waits_or_ends_in(x, b) || edges_ahead(&s, b) > 1)
            return false;
        ir_add_successors(&w, x->f, b, point);
    }
    return true;
}

/* ---- the pass's step --------------------------------------------------------------------------------- */

static void remove_barrier(const struct barriers *x, uint32_t reg)
{
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        for (ir_ref r = ir_block_at(x->f, x->cfg->rpo[i])->first, next; r; r = next) {
            const struct ir_ins *ins = ir_at(x->f, r);
            next = ins->next;
            if (ir_is_convergence_barrier(ins->op) && (uint32_t)ins->imm == reg)
                ir_remove(x->f, r);
        }
    }
}

void barriers_drop_idle(struct barriers *x)
{
    meetings all = find_meetings(x);
    if (!opt_below(x->c, x->f, OPT_LIMIT_predict_work, (uint64_t)all.count * x->cfg->rpo_count))
        return;
    for (uint32_t i = 0; i < all.count; i++) {
        const struct meeting *m = &all.at[i];
        if (m->joins.count && m->wait && !m->other && is_idle(x, m))
            remove_barrier(x, m->reg);
    }
}
