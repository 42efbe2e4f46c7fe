/* warp_scalars.c: which values of a kernel stay in scalars across blocks.
 *
 * A scalar register holds one value for the whole warp, but under divergence groups of its lanes run the same
 * code at different times. A uniform value (ir/analysis/uniformity.h: equal in the lanes that the machine has
 * compute it together) is a *warp scalar* if no group can overwrite the register while another still needs it;
 * then its scalar may be read wherever the definition dominates.
 *
 * Let u be a divergent branch and m the block where its lanes reconverge. While they are diverged, lanes that
 * took edge i run in arm i: the blocks that can be reached by edge i without passing m (all of them, if lanes
 * only reconverge at the end). This is what a scheme must promise (SCHEME_WARP_SCALARS): lanes diverge at
 * divergent branches alone, and when one of them runs a block outside the arms, all that are still alive have
 * come to m. A block D is fit to define if for every divergent u
 *     D is in no arm of u, or in exactly one and does not dominate u.
 * Proof. Let lane T' execute D while T, which u has separated from it, is in arm j or waits at m and still
 * needs what D gave it before. T' is in an arm, and the only one that has D, so T will come to its use
 * without passing D. If D did not dominate u, a path to u without D would go on to that use without D, but D
 * dominates the use. Lanes that have ended need nothing, so that code behind `if (i >= n) return;` is fit.
 *
 * A block parameter is written on the edges to it. Each must come from a fit block, and not from a divergent
 * branch straight to its reconvergence point; the block must be fit itself, and not the reconvergence point
 * of a branch that it dominates: there, lanes that come first would overwrite what the others still use. It
 * is warp_scalar if all its arguments are.
 *
 * Two warp scalars may share a register if their live ranges, seen by one lane, are disjoint and the same
 * branches diverge around both. be_may_share answers for a loop's parameter and what goes back into it: it
 * is enough that no branch within the loop has the argument's block in an arm.
 *
 * In the area of a prediction any lanes may be diverged: its blocks are not fit, but a value may be quiet
 * (quiet.c).
 *
 * Device functions are left out: groups that were separated by their callers may be in them at once. So are
 * kernels with calls: lanes may come back from one in groups.
 *
 * Time: WARP_SCALAR_EFFORT visits for each block of the function at most, else there are none.
 */
#include "backend/bytecode/select.h"

#define WARP_SCALAR_EFFORT 64
#define WARP_SCALAR_ROUNDS 8    /* of demoting parameters, else none of them is one */
#define WARP_SCALAR_MOST   8192 /* values in a function, else there are none */

enum { NO_ARM = 0, SEVERAL_ARMS = UINT32_MAX };

struct finder {
    struct be_selector *s;
    const struct be_function *f;
    struct be_quiet *quiet; /* NULL: nothing is predicted */
    const struct ir_uniformity *uniformity;
    const struct ir_dominators *dominators;
    struct bitset unfit;        /* blocks */
    struct bitset unfit_params; /* blocks whose parameters are written too early */
    uint32_t *arm;              /* scratch by block: 1 + the edge that leads there, or as above */
    uint32_t *point;            /* by block with a divergent branch: where all its lanes reconverge */
    uint32_t *position;         /* thread frontiers: of blocks in the layout; or NULL */
    u32_vec touched, work;
    uint64_t effort, limit;
};

/* ---- arms of divergent branches ---------------------------------------------------------------------- */

static void enter(struct finder *w, uint32_t block, uint32_t arm, uint32_t reconverge)
{
    if (block == reconverge || w->arm[block] == arm || w->arm[block] == SEVERAL_ARMS)
        return;
    if (w->arm[block] == NO_ARM)
        vec_push(&w->s->c->arena, &w->touched, block);
    w->arm[block] = w->arm[block] == NO_ARM ? arm : SEVERAL_ARMS;
    vec_push(&w->s->c->arena, &w->work, block);
}

static void walk_arm(struct finder *w, uint32_t first, uint32_t arm, uint32_t reconverge)
{
    enter(w, first, arm, reconverge);
    while (w->work.count) {
        const struct ir_block *b = ir_block_at(w->f->ir, vec_pop(&w->work));
        for (uint32_t e = 0; e < b->edges.count; e++)
            enter(w, b->edges.at[e].block, arm, reconverge);
        w->effort += 1 + b->edges.count;
    }
}

static void note_diverged(struct finder *w, uint32_t branch, uint32_t block)
{
    const struct ir_cycles *cycles = w->s->cycles;
    uint32_t k = ir_cycle_common(cycles, branch, block), depth = k == IR_NO_CYCLE ? 0 : cycles->at[k].depth;
    if (w->arm[block] == SEVERAL_ARMS || ir_dominates(w->dominators, block, branch))
        bitset_add(w->unfit, block);
    if (depth > w->s->diverged_depth[block])
        w->s->diverged_depth[block] = depth;
    w->arm[block] = NO_ARM;
}

static void walk_arms(struct finder *w, const struct ir_block *b, uint32_t reconverge)
{
    for (uint32_t i = 0; i < w->touched.count; i++)
        w->arm[w->touched.at[i]] = NO_ARM;
    vec_clear(&w->touched);
    for (uint32_t e = 0; e < b->edges.count; e++)
        walk_arm(w, b->edges.at[e].block, e + 1, reconverge);
}

/* Of the arms that have just been walked, the last place in the layout; 0 without one. */
static uint32_t last_position(const struct finder *w)
{
    uint32_t last = 0;
    for (uint32_t i = 0; w->position && i < w->touched.count; i++)
        if (w->position[w->touched.at[i]] > last)
            last = w->position[w->touched.at[i]];
    return last;
}

/* Walks the arms of the branch to where all lanes that diverge there reconverge, which it returns, or
 * IR_NO_BLOCK: they may pass a chosen point by. Nor may lanes come to a point while others are in the arms:
 * under thread frontiers blocks with a loop's operations, behind it, stand before its end, and those of lanes
 * that leave for good may stand behind the point where the others reconverge. A later point has longer arms. */
static uint32_t find_point(struct finder *w, uint32_t branch)
{
    const struct ir_block *b = ir_block_at(w->f->ir, branch);
    uint32_t point = be_reconvergence_point(w->f, branch), last = 0;
    for (; point != IR_NO_BLOCK && ir_dominates(w->f->post, point, branch); point = w->f->post->idom[point]) {
        if (w->position && w->position[point] < last)
            continue;
        walk_arms(w, b, point);
        last = last_position(w);
        if (!w->position || last < w->position[point])
            return point;
        if (w->effort > w->limit)
            break;
    }
    walk_arms(w, b, IR_NO_BLOCK);
    return IR_NO_BLOCK;
}

static void part(struct finder *w, uint32_t branch)
{
    uint32_t reconverge = w->point[branch] = find_point(w, branch);
    for (uint32_t i = 0; i < w->touched.count; i++)
        note_diverged(w, branch, w->touched.at[i]);
    if (reconverge != IR_NO_BLOCK && ir_dominates(w->dominators, reconverge, branch))
        bitset_add(w->unfit_params, reconverge);
}

static bool part_all(struct finder *w)
{
    const struct ir_cfg *cfg = w->f->cfg;
    w->limit = (uint64_t)WARP_SCALAR_EFFORT * (cfg->rpo_count + 1);
    for (uint32_t i = 0; i < cfg->rpo_count && w->effort <= w->limit; i++)
        if (bitset_has(w->uniformity->branches, cfg->rpo[i]))
            part(w, cfg->rpo[i]);
    return w->effort <= w->limit;
}

/* ---- values ------------------------------------------------------------------------------------------ */

static bool is_scalar(const struct finder *w, ir_ref r)
{
    return w->s->warp_scalar[r] || be_invariant(w->s, r);
}

static bool takes_params(const struct finder *w, uint32_t block)
{
    if (block == ir_entry(w->f->ir) || bitset_has(w->unfit, block) || bitset_has(w->unfit_params, block))
        return false;
    ir_each_pred(p, block, w->f->cfg)
        if (bitset_has(w->unfit, p) || (bitset_has(w->uniformity->branches, p) && w->point[p] == block))
            return false;
    return true;
}

/* Whether select.c computes the value in a scalar, given its operands there. */
static bool has_scalar_form(const struct finder *w, const struct ir_ins *ins)
{
    switch (ins->op) {
    case IR_ptrcast:
    case IR_ptradd: break;
    case IR_load:
        if (ir_at(w->f->ir, ins->args[0])->type == IR_TYPE_PRIVATE)
            return false;
        break;
    case IR_ballot:
    case IR_any:
    case IR_all:
    case IR_active_mask:
    case IR_broadcast_first: return true;
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

static bool is_warp_scalar(const struct finder *w, ir_ref r)
{
    const struct ir_ins *ins = ir_at(w->f->ir, r);
    if (ins->op == IR_ptrcast) /* its operand's register */
        return is_scalar(w, ins->args[0]);
    return ins->type != IR_TYPE_VOID && ins->type != IR_TYPE_TOKEN &&
           !bitset_has(w->uniformity->divergent, r) && has_scalar_form(w, ins) &&
           (!bitset_has(w->unfit, ins->block) || be_is_quiet(w->quiet, r));
}

/* One round: what follows from the parameters that are still taken for warp scalars. */
static uint32_t settle_values(struct finder *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->f->cfg->rpo_count; i++)
        ir_each_ins(r, w->f->ir, w->f->cfg->rpo[i])
            count += w->s->warp_scalar[r] = is_warp_scalar(w, r);
    return count;
}

static bool arguments_are_warp_scalars(const struct finder *w, uint32_t block, uint32_t position)
{
    ir_each_pred(p, block, w->f->cfg) {
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
            bool *warp_scalar = &w->s->warp_scalar[b->params.at[k]];
            if (*warp_scalar && !keep(w, w->f->cfg->rpo[i], k))
                *changed = !(*warp_scalar = false);
        }
    }
}

/* As long as no group of lanes can run between. */
static bool stays_quiet(const struct finder *w, uint32_t block, uint32_t position)
{
    ir_ref p = ir_block_at(w->f->ir, block)->params.at[position];
    return !bitset_has(w->unfit, block) || be_is_quiet(w->quiet, p);
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
        for (uint32_t k = 0; k < b->params.count; k++) {
            ir_ref p = b->params.at[k];
            w->s->warp_scalar[p] = !bitset_has(w->uniformity->divergent, p) &&
                                   ir_at(w->f->ir, p)->type != IR_TYPE_TOKEN &&
                                   (fit || be_is_quiet(w->quiet, p));
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
        for_params(w, round < WARP_SCALAR_ROUNDS ? arguments_are_warp_scalars : none, &changed);
        if (w->quiet && be_note_noise(w->quiet, w->s)) {
            changed = true;
            for_params(w, stays_quiet, &changed);
        }
    }
    if (count > WARP_SCALAR_MOST)
        memset(w->s->warp_scalar, 0, w->f->ir->ins.count * sizeof *w->s->warp_scalar);
}

/* ---- the function ------------------------------------------------------------------------------------ */

static bool has_calls(const struct be_function *f)
{
    for (uint32_t i = 0; i < f->cfg->rpo_count; i++)
        ir_each_ins(r, f->ir, f->cfg->rpo[i])
            if (ir_at(f->ir, r)->op == IR_call || ir_at(f->ir, r)->op == IR_icall)
                return true;
    return false;
}

static void find_layout(struct finder *w, struct arena *a)
{
    w->position = arena_array(a, uint32_t, w->f->cfg->blocks);
    ir_each_block(i, b, w->f->ir)
        w->position[b] = i;
}

/* Where lanes wait for each other at these points those of different iterations may come together. */
static struct ir_uniformity *uniformity_of_stack(struct be_selector *s)
{
    struct arena *a = &s->c->arena;
    const struct be_function *f = s->f;
    uint32_t *points = arena_array(a, uint32_t, f->cfg->blocks);
    struct ir_uniformity_options o = {.ignore_tokens = true, .reconvergence = points};
    for (uint32_t i = 0; i < f->cfg->rpo_count; i++)
        points[f->cfg->rpo[i]] = be_reconvergence_point(f, f->cfg->rpo[i]);
    return ir_uniformity_new(a, f->cfg, s->cycles, NULL, &o);
}

void be_find_warp_scalars(struct be_selector *s)
{
    struct be_function *f = s->f;
    struct arena *a = &s->c->arena;
    if (!scheme_has(s->c->scheme, SCHEME_WARP_SCALARS) || !f->kernel || has_calls(f))
        return;
    s->cycles = ir_cycles_new(a, f->cfg);
    s->diverged_depth = arena_array(a, uint32_t, f->cfg->blocks);
    struct finder w = {.s = s, .f = f, .dominators = ir_dominators_new(a, f->cfg)};
    /* what belongs to a loop's iterations need not lie in the loop under thread frontiers */
    const struct ir_tokens *tokens = f->frontiers ? ir_tokens_new(a, f->cfg) : NULL;
    w.uniformity =
        f->frontiers ? ir_uniformity_new(a, f->cfg, s->cycles, tokens, NULL) : uniformity_of_stack(s);
    w.unfit = bitset_new(a, f->cfg->blocks);
    w.unfit_params = bitset_new(a, f->cfg->blocks);
    w.arm = arena_array(a, uint32_t, f->cfg->blocks);
    w.point = arena_array(a, uint32_t, f->cfg->blocks);
    if (f->frontiers)
        find_layout(&w, a);
    w.quiet = be_quiet_new(a, f, w.uniformity, w.unfit);
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
    return s->warp_scalar[argument] && ins->op != IR_param && ins->op != IR_ptrcast &&
           ir_cycle_has(s->cycles, k, ins->block) && s->diverged_depth[ins->block] < s->cycles->at[k].depth;
}
