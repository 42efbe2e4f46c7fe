/* steady.c: which values of a kernel stay in scalars across blocks.
 *
 * A scalar register holds one value for the whole warp, but under divergence groups of its lanes run the same
 * code at different times. A uniform value (ir/uniformity.c: equal in the lanes that compute it together) is
 * "steady" if no group can overwrite the register while another still needs it; then its scalar may be read
 * wherever the definition dominates.
 *
 * Let u be a divergent branch and m the block where its lanes meet again. While they are apart, lanes that
 * took edge i run in arm i: the blocks that can be reached by edge i without passing m (all of them, if lanes
 * only meet at the end). This is what a scheme must promise (be_options.stays_together): lanes part at
 * divergent branches alone, and when one of them runs a block outside the arms, all that are still alive have
 * come to m. A block D is fit to define if for every divergent u
 *     D is in no arm of u, or in exactly one and does not dominate u.
 * Proof. Let lane T' execute D while T, which u has parted from it, is in arm j or waits at m and still needs
 * what D gave it before. T' is in an arm, and the only one that has D, so T will come to its use without
 * passing D. If D did not dominate u, a path to u without D would go on to that use without D, but D
 * dominates the use. Lanes that have ended need nothing, so that code behind `if (i >= n) return;` is fit.
 *
 * A block parameter is written on the edges to it. Each must come from a fit block, and not from a divergent
 * branch straight to its meeting point; the block must be fit itself, and not the meeting point of a branch
 * that it dominates: there, lanes that come first would overwrite what the others still use. It is steady if
 * all its arguments are.
 *
 * Two steady values may share a register if their live ranges, seen by one lane, are apart and the same
 * branches part lanes around both. be_may_share answers for a loop's parameter and what goes back into it: it
 * is enough that no branch within the loop has the argument's block in an arm.
 *
 * Device functions are left out: groups that were parted by their callers may be in them at once. So are
 * kernels with calls: lanes may come back from one in groups.
 *
 * Time: STEADY_EFFORT visits for each block of the function at most, else nothing is steady.
 */
#include "backend/bytecode/select.h"

#define STEADY_EFFORT 64
#define STEADY_ROUNDS 8                  /* of demoting parameters, else none of them is steady */
#define STEADY_MOST   8192               /* values in a function, else none is steady */

enum { NO_ARM = 0, SEVERAL_ARMS = UINT32_MAX };

struct finder {
    struct be_selector *s;
    const struct be_function *f;
    const struct ir_uniformity *uniformity;
    const struct ir_dominators *dominators;
    struct bitset unfit;                 /* blocks */
    struct bitset unfit_params;          /* blocks whose parameters are written too early */
    uint32_t *arm;                       /* scratch by block: 1 + the edge that leads there, or as above */
    u32_vec touched, work;
    uint64_t effort;
};

/* ---- arms of divergent branches ------------------------------------------------------------------------ */

static void enter(struct finder *w, uint32_t block, uint32_t arm, uint32_t meet)
{
    if (block == meet || w->arm[block] == arm || w->arm[block] == SEVERAL_ARMS)
        return;
    if (w->arm[block] == NO_ARM)
        vec_push(&w->s->c->arena, &w->touched, block);
    w->arm[block] = w->arm[block] == NO_ARM ? arm : SEVERAL_ARMS;
    vec_push(&w->s->c->arena, &w->work, block);
}

static void walk_arm(struct finder *w, uint32_t first, uint32_t arm, uint32_t meet)
{
    enter(w, first, arm, meet);
    while (w->work.count) {
        const struct ir_block *b = ir_block_at(w->f->ir, vec_pop(&w->work));
        for (uint32_t e = 0; e < b->edges.count; e++)
            enter(w, b->edges.at[e].block, arm, meet);
        w->effort += 1 + b->edges.count;
    }
}

static void note_parted(struct finder *w, uint32_t branch, uint32_t block)
{
    const struct ir_cycles *cycles = w->s->cycles;
    uint32_t k = ir_cycle_common(cycles, branch, block), depth = k == IR_NO_CYCLE ? 0 : cycles->at[k].depth;
    if (w->arm[block] == SEVERAL_ARMS || ir_dominates(w->dominators, block, branch))
        bitset_add(w->unfit, block);
    if (depth > w->s->parted_depth[block])
        w->s->parted_depth[block] = depth;
    w->arm[block] = NO_ARM;
}

/* Where all lanes that the branch parts come together, or IR_NO_BLOCK: they may pass a chosen point by. */
static uint32_t sure_meeting_point(const struct finder *w, uint32_t branch)
{
    uint32_t meet = be_meeting_point(w->f, branch);
    return meet != IR_NO_BLOCK && ir_dominates(w->f->post, meet, branch) ? meet : IR_NO_BLOCK;
}

static void part(struct finder *w, uint32_t branch)
{
    const struct ir_block *b = ir_block_at(w->f->ir, branch);
    uint32_t meet = sure_meeting_point(w, branch);
    vec_clear(&w->touched);
    for (uint32_t e = 0; e < b->edges.count; e++)
        walk_arm(w, b->edges.at[e].block, e + 1, meet);
    for (uint32_t i = 0; i < w->touched.count; i++)
        note_parted(w, branch, w->touched.at[i]);
    if (meet != IR_NO_BLOCK && ir_dominates(w->dominators, meet, branch))
        bitset_add(w->unfit_params, meet);
}

static bool part_all(struct finder *w)
{
    const struct ir_cfg *cfg = w->f->cfg;
    uint64_t limit = (uint64_t)STEADY_EFFORT * (cfg->rpo_count + 1);
    for (uint32_t i = 0; i < cfg->rpo_count && w->effort <= limit; i++)
        if (bitset_has(w->uniformity->branches, cfg->rpo[i]))
            part(w, cfg->rpo[i]);
    return w->effort <= limit;
}

/* ---- values -------------------------------------------------------------------------------------------- */

static bool is_scalar(const struct finder *w, ir_ref r)
{
    return w->s->steady[r] || be_invariant(w->s, r);
}

static bool takes_params(const struct finder *w, uint32_t block)
{
    if (block == ir_entry(w->f->ir) || bitset_has(w->unfit, block) || bitset_has(w->unfit_params, block))
        return false;
    for ir_each_pred(p, block, w->f->cfg)
        if (bitset_has(w->unfit, p) ||
            (bitset_has(w->uniformity->branches, p) && sure_meeting_point(w, p) == block))
            return false;
    return true;
}

/* Whether select.c computes the value in a scalar, given its operands there. */
static bool has_scalar_form(const struct finder *w, const struct ir_ins *ins)
{
    switch (ins->op) {
    case IR_ptrcast: case IR_ptradd: break;
    case IR_load:
        if (ir_at(w->f->ir, ins->args[0])->type == IR_TYPE_PRIVATE)
            return false;
        break;
    case IR_ballot: case IR_any: case IR_all: case IR_active_mask: case IR_broadcast_first: return true;
    default:
        if (ins->op >= IR_reduce_add && ins->op <= IR_reduce_xor)
            return true;
        if (!ir_is_pure((enum ir_op)ins->op))
            return false;
    }
    for (uint32_t i = 0; i < ins->argc; i++)
        if (!is_scalar(w, ins->args[i]))
            return false;
    return true;
}

static bool is_steady(const struct finder *w, ir_ref r)
{
    const struct ir_ins *ins = ir_at(w->f->ir, r);
    if (ins->op == IR_ptrcast)                   /* its operand's register */
        return is_scalar(w, ins->args[0]);
    return ins->type != IR_TYPE_VOID && ins->type != IR_TYPE_TOKEN &&
           !bitset_has(w->uniformity->divergent, r) && !bitset_has(w->unfit, ins->block) &&
           has_scalar_form(w, ins);
}

/* One round: what follows from the parameters that are still thought to be steady. */
static uint32_t settle_values(struct finder *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->f->cfg->rpo_count; i++)
        for ir_each_ins(r, w->f->ir, w->f->cfg->rpo[i])
            count += w->s->steady[r] = is_steady(w, r);
    return count;
}

static bool arguments_are_steady(const struct finder *w, uint32_t block, uint32_t position)
{
    for ir_each_pred(p, block, w->f->cfg) {
        const struct ir_edge *e = &ir_block_at(w->f->ir, p)->edges.at[w->f->cfg->pred_edges[p_at]];
        if (!is_scalar(w, e->args[position]))
            return false;
    }
    return true;
}

static void for_params(struct finder *w,
                       bool (*keep)(const struct finder *w, uint32_t block, uint32_t position), bool *changed)
{
    for (uint32_t i = 0; i < w->f->cfg->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(w->f->ir, w->f->cfg->rpo[i]);
        for (uint32_t k = 0; k < b->params.count; k++) {
            bool *steady = &w->s->steady[b->params.at[k]];
            if (*steady && !keep(w, w->f->cfg->rpo[i], k))
                *changed = !(*steady = false);
        }
    }
}

static bool none(const struct finder *w, uint32_t block, uint32_t position)
{
    return false;
}

static void guess_params(struct finder *w)
{
    for (uint32_t i = 0; i < w->f->cfg->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(w->f->ir, w->f->cfg->rpo[i]);
        bool fit = takes_params(w, w->f->cfg->rpo[i]);
        for (uint32_t k = 0; fit && k < b->params.count; k++) {
            ir_ref p = b->params.at[k];
            w->s->steady[p] =
                !bitset_has(w->uniformity->divergent, p) && ir_at(w->f->ir, p)->type != IR_TYPE_TOKEN;
        }
    }
}

static void find_values(struct finder *w)
{
    guess_params(w);
    bool changed = true;
    uint32_t count = 0;
    for (unsigned round = 0; changed; round++) {
        changed = false;
        count = settle_values(w);
        for_params(w, round < STEADY_ROUNDS ? arguments_are_steady : none, &changed);
    }
    if (count > STEADY_MOST)
        memset(w->s->steady, 0, w->f->ir->ins.count * sizeof *w->s->steady);
}

/* ---- the function -------------------------------------------------------------------------------------- */

static bool has_calls(const struct be_function *f)
{
    for (uint32_t i = 0; i < f->cfg->rpo_count; i++)
        for ir_each_ins(r, f->ir, f->cfg->rpo[i])
            if (ir_at(f->ir, r)->op == IR_call || ir_at(f->ir, r)->op == IR_icall)
                return true;
    return false;
}

void be_find_steady(struct be_selector *s)
{
    struct be_function *f = s->f;
    struct arena *a = &s->c->arena;
    if (!s->c->o->stays_together || !f->kernel || has_calls(f))
        return;
    s->cycles = ir_cycles_new(a, f->cfg);
    s->parted_depth = arena_array(a, uint32_t, f->cfg->blocks);
    struct finder w = {.s = s, .f = f, .dominators = ir_dominators_new(a, f->cfg)};
    w.uniformity = ir_uniformity_new(a, f->cfg, s->cycles, NULL, NULL);
    w.unfit = bitset_new(a, f->cfg->blocks);
    w.unfit_params = bitset_new(a, f->cfg->blocks);
    w.arm = arena_array(a, uint32_t, f->cfg->blocks);
    if (part_all(&w))
        find_values(&w);
}

bool be_may_share(const struct be_selector *s, ir_ref param, ir_ref argument, uint32_t from)
{
    uint32_t header = ir_at(s->ir, param)->block, k = s->cycles->innermost[header];
    const struct ir_ins *ins = ir_at(s->ir, argument);
    if (k == IR_NO_CYCLE || s->cycles->at[k].header != header || s->cycles->at[k].entries.count > 1 ||
        !ir_cycle_has(s->cycles, k, from))
        return false;
    return s->steady[argument] && ins->op != IR_param && ins->op != IR_ptrcast &&
           ir_cycle_has(s->cycles, k, ins->block) && s->parted_depth[ins->block] < s->cycles->at[k].depth;
}
