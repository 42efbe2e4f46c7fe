/* predict_refuse.c: predictions that can't be honoured, and the gates of those that can.
 *
 * A prediction lets threads of different iterations run together and separates such as would have run
 * together. So it is refused, with a warning, where the threads of a convergent operation would be others:
 * where one stands in the prediction's area, or in what is called there, unless it stands directly behind the
 * anchor that controls it.
 * A barrier() waits for all threads, whatever its token: whoever waits for the prediction is missing there.
 */
#include "opt/kit/merge_edges.h"
#include "opt/predict/barriers.h"

/* Tells the author of the prediction; a remark if that is the compiler. */
static void tell(const struct barriers *x, const struct barrier_prediction *p, const char *why)
{
    if (p->function == BARRIER_NO_FUNCTION &&
        barriers_is_found(x, (struct opt_prediction_name){p->at, p->to}))
        opt_remark(x->c, x->f, OPT_MISSED, "predict", p->at, "%s", why);
    else
        opt_warning(x->c, x->f, DIAG_GROUP_predict, p->at, "%s", why);
}

/* ---- gates ------------------------------------------------------------------------------------------- */

/* The edges that enter the cycle; none if one block does, and goes nowhere else. */
static opt_edges entering(const struct barriers *x, const struct ir_cycles *cycles, uint32_t cycle)
{
    opt_edges edges = {0};
    ir_each_pred(q, cycles->at[cycle].header, x->cfg)
        if (x->dominators->depth[q] && !ir_cycle_has(cycles, cycle, q))
            vec_push(x->arena, &edges, ((struct opt_edge){q, x->cfg->pred_edges[q_at]}));
    if (edges.count == 1 && ir_block_at(x->f, edges.at[0].block)->edges.count == 1)
        edges.count = 0;
    return edges;
}

void barriers_make_preheaders(struct barriers *x)
{
    const struct ir_cycles *cycles = opt_cycles(x->c, x->f);
    struct bitset seen = bitset_new(x->arena, cycles->count);
    bool changed = false;
    for (uint32_t i = 0; i < x->predictions.count; i++)
        for (uint32_t n = 0; n < x->predictions.at[i].starts.count; n++) {
            uint32_t k = cycles->innermost[x->predictions.at[i].starts.at[n].block];
            for (; k != IR_NO_CYCLE && !bitset_has(seen, k); k = cycles->at[k].parent) {
                bitset_add(seen, k);
                if (cycles->at[k].parent == IR_NO_CYCLE || cycles->at[k].entries.count > 1)
                    continue;
                opt_edges edges = entering(x, cycles, k);
                if (edges.count)
                    opt_merge_edges(x->arena, x->f, &edges, x->predictions.at[i].at);
                changed |= edges.count > 0;
            }
        }
    if (changed)
        barriers_look(x);
}

/* Whether threads that are together at the end of block d come to the exit together, in the same iteration. */
static bool leads_to_exit(const struct barriers *x, const struct ir_cycles *cycles, uint32_t d, uint32_t exit)
{
    uint32_t own = cycles->innermost[d], other = cycles->innermost[exit];
    bool same = own == other ||
                (other != IR_NO_CYCLE && cycles->at[other].header == exit && cycles->at[other].parent == own);
    return same && d != exit && ir_dominates(x->post, exit, d);
}

/* Whether threads that control flow keeps together come to the block together: none that waits comes there. */
static bool is_before(const struct barriers *x, struct bitset areas, uint32_t d)
{
    ir_each_pred(q, d, x->cfg)
        if (bitset_has(areas, q))
            return false;
    return true;
}

/* Whether the exit is the header of a loop around the start: threads leave the area by the loop's next
 * iteration. The gate has to be in the loop, so that they join in each. */
static bool goes_round(const struct ir_cycles *cycles, const struct barrier_start *s)
{
    uint32_t k = s->exit == IR_NO_BLOCK ? IR_NO_CYCLE : cycles->innermost[s->exit];
    return k != IR_NO_CYCLE && cycles->at[k].header == s->exit && ir_cycle_has(cycles, k, s->block);
}

/* Where threads meet that come to block d in different iterations of a loop before it: where the divergent
 * branches by which they leave that reconverge. d itself: they have met. IR_NO_BLOCK: nowhere. */
static uint32_t meet_behind_loops(const struct barriers *x, const struct ir_cycles *cycles, uint32_t d)
{
    struct bitset divergent = *opt_divergent_branches(x->c, x->f);
    struct walk before = walk_new(x->arena, x->cfg->blocks), w = walk_new(x->arena, x->cfg->blocks);
    ir_add_predecessors(&before, x->cfg, d, IR_NO_BLOCK);
    ir_reach_back(&before, x->cfg, IR_NO_BLOCK);
    bitset_each(b, before.seen) {
        uint32_t k = cycles->innermost[b], point = barriers_point(x, b);
        bool leaves = k != IR_NO_CYCLE && !ir_cycle_has(cycles, k, d) && bitset_has(divergent, b) &&
                      (point == IR_NO_BLOCK || !ir_cycle_has(cycles, k, point));
        if (!leaves || (point != IR_NO_BLOCK && ir_dominates(x->dominators, point, d)))
            continue;
        walk_restart(&w);
        ir_add_predecessors(&w, x->cfg, d, point);
        if (bitset_has(ir_reach_back(&w, x->cfg, point), b))
            return point;
    }
    return d;
}

/* Whether threads come to no label of the prediction before the block. */
static bool is_before_labels(const struct barriers *x, const struct barrier_prediction *p, uint32_t d)
{
    for (uint32_t i = 0; i < p->points.count; i++)
        if (!ir_dominates(x->dominators, d, ir_at(x->f, p->points.at[i])->block))
            return false;
    return true;
}

/* All threads that come to the start's area together are to leave it together, whether they pass the start or
 * not: they join before it, or where they meet before a label. False: there is no such place. */
static bool find_gate(struct barriers *x, const struct ir_cycles *cycles, struct bitset areas,
                      const struct barrier_prediction *p, struct barrier_start *s)
{
    uint32_t d = s->gate;
    bool round = goes_round(cycles, s);
    s->gate = IR_NO_BLOCK;
    if (s->exit == IR_NO_BLOCK || barriers_ends_kernel(x, s->exit))
        return true;
    while (d != IR_NO_BLOCK && !(leads_to_exit(x, cycles, d, s->exit) && is_before(x, areas, d)))
        d = round && d == s->exit ? IR_NO_BLOCK : x->dominators->idom[d];
    uint32_t met = d == IR_NO_BLOCK ? d : meet_behind_loops(x, cycles, d);
    if (met != d && (met == IR_NO_BLOCK || met == s->exit || !is_before_labels(x, p, met)))
        return false;
    s->gate = met;
    return met != IR_NO_BLOCK;
}

bool barriers_find_gates(struct barriers *x, struct barrier_prediction *p, struct bitset areas)
{
    const struct ir_cycles *cycles = opt_cycles(x->c, x->f);
    for (uint32_t i = 0; i < p->starts.count; i++)
        if (!find_gate(x, cycles, areas, p, &p->starts.at[i])) {
            tell(x, p, "the prediction is not honoured: threads may come into its region by several ways");
            return false;
        }
    return true;
}

/* ---- what is refused --------------------------------------------------------------------------------- */

/* The anchor that the token stems from, or 0. */
static ir_ref anchor_of(const struct ir_function *f, ir_ref token)
{
    while (token && ir_at(f, token)->op == IR_loop)
        token = ir_at(f, token)->token;
    return token && ir_at(f, token)->op == IR_anchor ? token : 0;
}

/* Whether threads that execute the anchor together execute r with nobody else: nothing between them lets other
 * threads come along. */
static bool directly_behind(const struct ir_function *f, ir_ref anchor, ir_ref r)
{
    for (r = ir_at(f, r)->prev; r && r != anchor; r = ir_at(f, r)->prev) {
        enum ir_op op = (enum ir_op)ir_at(f, r)->op;
        if (op == IR_call || op == IR_icall || op == IR_predict_point)
            return false;
    }
    return r != 0;
}

bool barriers_may_change(const struct ir_function *f, ir_ref r)
{
    enum ir_op op = (enum ir_op)ir_at(f, r)->op;
    if (!ir_is_convergent(f, r) || opt_is_token_op(op))
        return false;
    ir_ref anchor = anchor_of(f, ir_at(f, r)->token);
    return !anchor || op == IR_barrier || op == IR_call || op == IR_icall || !directly_behind(f, anchor, r);
}

/* Whether r calls what has operations by anchors of its own, now or later. */
static bool calls_anchored(const struct barriers *x, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    uint32_t called = ins->op == IR_call ? (uint32_t)ins->imm : x->m->functions.count;
    return (ins->op == IR_call || ins->op == IR_icall) && x->anchored.bits && bitset_has(x->anchored, called);
}

/* Whether r is in the area. In the block of a start it may stand before the start, unless threads come there
 * inside the area, in a later iteration. */
static bool in_area(const struct barrier_marks *m, const struct barrier_prediction *p,
                    const struct ir_function *f, ir_ref r)
{
    uint32_t b = ir_at(f, r)->block;
    return bitset_has(p->area, b) && (bitset_has(p->entered, b) || m->position[r] >= m->first_start[b]);
}

void barriers_find_area_calls(struct barriers *x, const struct barrier_marks *m, struct barrier_prediction *p)
{
    bitset_each(b, p->area)
        ir_each_ins(r, x->f, b)
            if (ir_at(x->f, r)->op == IR_call && in_area(m, p, x->f, r))
                vec_push(x->arena, &p->calls, r);
}

/* Whether convergent functions stand between it and the predicted one. */
static bool calls_through_convergent(const struct barriers *x, const struct barrier_prediction *p, ir_ref r)
{
    bool through_convergent = false;
    if (p->function != BARRIER_NO_FUNCTION)
        barriers_leads_to(x, r, x->of_function[p->function], &through_convergent);
    return through_convergent;
}

/* A convergent operation whose threads the prediction would change, in the area or by an anchor there; or 0. */
static ir_ref convergent_in(const struct barriers *x, const struct barrier_marks *m,
                            const struct barrier_prediction *p)
{
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        ir_each_ins(r, x->f, x->cfg->rpo[i]) {
            if ((calls_through_convergent(x, p, r) || calls_anchored(x, r)) && in_area(m, p, x->f, r))
                return r;
            if (!barriers_may_change(x->f, r))
                continue;
            ir_ref anchor = anchor_of(x->f, ir_at(x->f, r)->token);
            if (in_area(m, p, x->f, r) || (anchor && in_area(m, p, x->f, anchor)))
                return r;
        }
    }
    return 0;
}

bool barriers_refuse(struct barriers *x, const struct barrier_marks *m, const struct barrier_prediction *p)
{
    ir_ref obstacle;
    bool ends = true;
    for (uint32_t i = 0; i < p->starts.count; i++)
        ends &= p->starts.at[i].exit != IR_NO_BLOCK;
    if (!p->starts.count && !p->is_idle)
        return true; /* a label whose Predict is never reached */
    if (p->is_idle)
        tell(x, p,
             arena_printf(x->arena,
                          "no thread comes from here to the predicted %s: the prediction has no effect",
                          barriers_name(x, p)));
    else if ((obstacle = convergent_in(x, m, p)) != 0)
        tell(
            x, p,
            arena_printf(x->arena,
                         "the prediction is not honoured: the threads of the convergent operation in line %u "
                         "would not be the same",
                         ir_at(x->f, obstacle)->at.line));
    else if (!ends && !(x->f->flags & IR_FN_KERNEL))
        tell(x, p, "the prediction is not honoured: the function may never return from its region");
    else if (p->function != BARRIER_NO_FUNCTION &&
             bitset_has(x->inherited[x->f->id], x->of_function[p->function]))
        tell(x, p, "the prediction is not honoured: this may be called in a region of the same one");
    else
        return false;
    return true;
}
