/* csc.c: "Common Subexpression Convergence: A New Code Optimization for SIMT Processors": what the arms of a
 * divergent branch have in common is executed by the threads of both together (Algorithm 1).
 *
 * Rounds from the innermost branches outwards, which is from the leaves of the program structure tree to its
 * root: the arms of a branch are blocks of their own only when what is nested in them has been worked on. In
 * a round the branches have no block in common; then the SSA form is repaired, and the analyses are made
 * anew.
 *
 * What moves never runs in a thread that did not run it before, but for cheap pure operations, so loads,
 * stores, divisions and calls move as any other. Convergent operations stay under their branch ("Convergent
 * Operation Semantics", Reductions inside divergent control flow); those of one token stay in their block. A
 * branch that uniformity calls uniform is left alone: its warps run one arm, and would pay for the other.
 *
 * O(m n^2) for m regions of n instructions, as the paper has it (section 3.3); limits csc_work and
 * csc_rounds.
 */
#include "ir/analysis/callgraph.h"
#include "opt/csc/elements.h"

#include <stdlib.h>

struct rounds {
    struct csc p;
    struct bitset done;    /* branches that were looked at, by block */
    struct bitset touched; /* blocks that this round has changed */
    uint32_t moved;        /* branches of the round whose arms have changed */
};

/* ---- which branches ------------------------------------------------------------------------------ */

static bool is_divergent(struct rounds *r, uint32_t b)
{
    return bitset_has(opt_uniformity(r->p.c, r->p.f)->branches, b);
}

static bool has_arms(struct rounds *r, uint32_t b)
{
    const struct ir_block *block = ir_block_at(r->p.f, b);
    return ir_at(r->p.f, block->last)->op == IR_brif && csc_is_arm(&r->p, b, block->edges.at[0].block) &&
           csc_is_arm(&r->p, b, block->edges.at[1].block);
}

static bool is_candidate(struct rounds *r, uint32_t b)
{
    return !bitset_has(r->done, b) && !bitset_has(r->touched, b) && is_divergent(r, b) && has_arms(r, b);
}

static bool has_effects(const struct ir_function *f, uint32_t b)
{
    ir_each_ins(i, f, b)
        if (ir_op_info[ir_at(f, i)->op].flags & (IR_EFFECT | IR_READS | IR_WRITES))
            return true;
    return false;
}

/* Whether blocks behind a branch or a switch whose arms may be worked on do what the PDG has rows for. Linear:
 * by the preorder of the dominator tree, blocks with effects before each. */
static bool arms_have_effects(struct rounds *r)
{
    struct ir_function *f = r->p.f;
    const struct ir_dominators *d = opt_dominators(r->p.c, f);
    uint32_t *before = arena_array(r->p.arena, uint32_t, d->count + 1);
    for (uint32_t n = 0; n < d->count; n++)
        before[n + 1] = before[n] + has_effects(f, d->order[n]);
    for (uint32_t n = 0; n < d->count; n++) {
        uint32_t b = d->order[n];
        bool worked_on = ir_at(f, ir_terminator(f, b))->op == IR_switch || has_arms(r, b);
        if (worked_on && is_divergent(r, b) && before[d->post[b] + 1] > before[n + 1])
            return true;
    }
    return false;
}

/* The branches around b wait for the next round. */
static void touch(struct rounds *r, uint32_t b)
{
    const struct ir_dominators *d = opt_dominators(r->p.c, r->p.f);
    for (; b != IR_NO_BLOCK && !bitset_has(r->touched, b); b = d->idom[b])
        bitset_add(r->touched, b);
}

/* ---- one branch ---------------------------------------------------------------------------------- */

static bool pays(const struct csc_arms *a, uint32_t branch, struct csc_pair q)
{
    if (a->pairs == 0 || a->saved < a->overhead + opt_option(a->p->c, OPT_OPTION_csc_threshold))
        return false;
    csc_find_divergence(a->p);
    return csc_expected(a->p, branch, q, a->saved, a->overhead) > 0;
}

/* Of what does not pay, behind the two costs. */
static const char *why_not(const struct csc_arms *a, uint32_t branch)
{
    if (a->saved < a->overhead + opt_option(a->p->c, OPT_OPTION_csc_threshold))
        return "";
    if (csc_is_cold(a->p, branch))
        return ", and no thread of the launch's model comes here";
    return csc_is_known(a->p, branch) ? ", more than warps save that seldom diverge here"
                                      : ", too much where nobody knows how often warps diverge";
}

static void remark_pairs(const struct csc_arms *a, uint32_t branch, place at, bool done)
{
    struct csc *p = a->p;
    struct opt_remark *r =
        opt_remark(p->c, p->f, done ? OPT_APPLIED : OPT_MISSED, "common-code", at,
                   "arms have %u operations in common: %u cycles saved%s %u%s", a->pairs, a->saved,
                   done ? " for" : " would cost", a->overhead, done ? csc_name_pairs(a) : why_not(a, branch));
    if (!r || !done)
        return;
    csc_remark_pairs pairs = csc_list_pairs(a, &p->c->report->arena);
    r->pairs.at = pairs.at;
    r->pairs.count = pairs.count;
}

enum mode { IF_IT_PAYS, IN_ANY_CASE, HOIST_EQUAL };

/* Makes two blocks execute together what they have in common. */
static bool converge(struct csc *p, uint32_t branch, struct csc_pair q, ir_ref condition, place at,
                     enum mode mode)
{
    struct csc_arms a;
    bool done = false;
    if (csc_arms_new(p, branch, (uint32_t[2]){q.x, q.y}, condition, &a)) {
        a.hoist_only = mode == HOIST_EQUAL;
        if (mode == IN_ANY_CASE)
            csc_drop_parameters(&a);
        csc_match(&a);
        if (a.table.cut)
            opt_below(p->c, p->f, OPT_LIMIT_csc_work, UINT64_MAX);
        csc_schedule(&a);
        if (opt_option(p->c, OPT_OPTION_csc_table))
            csc_print_table(&a);
        done = mode == IN_ANY_CASE || (mode == HOIST_EQUAL && a.pairs) || pays(&a, branch, q);
        if (a.pairs && p->c->options->remarks)
            remark_pairs(&a, branch, at, done);
        if (done) {
            opt_count(p->c, "pairs", a.pairs);
            csc_move(&a);
        }
    }
    csc_arms_forget(&a);
    return done;
}

static int by_place(const void *x, const void *y)
{
    const struct csc_pair *a = x, *b = y;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* The arms' first blocks are the arms of the branch itself, unless loops begin with them. */
static bool are_first(struct csc *p, uint32_t branch, struct csc_pair q)
{
    const struct ir_block *b = ir_block_at(p->f, branch);
    return q.x == b->edges.at[0].block && q.y == b->edges.at[1].block && csc_edges_to(p, q.x).count == 1 &&
           csc_edges_to(p, q.y).count == 1;
}

static bool has_pair(const csc_pairs *pairs, struct csc_pair q)
{
    for (uint32_t i = 0; i < pairs->count; i++)
        if (pairs->at[i].x == q.x && pairs->at[i].y == q.y)
            return true;
    return false;
}

/* A guard before its body. */
static void put_in_order(struct csc *p, csc_pairs *pairs)
{
    const struct ir_cfg *g = opt_cfg(p->c, p->f);
    for (uint32_t i = 0; i < pairs->count; i++) {
        struct csc_pair *q = &pairs->at[i];
        q->place = 2 * g->rpo_index[q->x] + (q->guarded == 0);
        if (q->guarded)
            csc_make_guard(p, q);
    }
    qsort(pairs->at, pairs->count, sizeof *pairs->at, by_place);
}

/* Blocks beyond the arms' first ones. What the first ones have in common goes before the branch; then all are
 * led together, since what they jump to is to be the same. */
static void converge_all(struct rounds *r, uint32_t b, csc_pairs *pairs, ir_ref condition, place at)
{
    struct csc *p = &r->p;
    const struct ir_block *block = ir_block_at(p->f, b);
    struct csc_pair first = {.x = block->edges.at[0].block, .y = block->edges.at[1].block};
    u32_vec branches = {0};
    if (are_first(p, b, first) && !has_pair(pairs, first))
        converge(p, b, first, condition, at, HOIST_EQUAL);
    INVARIANT(ir_block_at(p->f, b)->edges.at[0].block == first.x);
    put_in_order(p, pairs);
    for (uint32_t i = 0; i < pairs->count; i++)
        vec_push(p->arena, &branches,
                 are_first(p, b, pairs->at[i]) ? b : csc_gather(p, pairs->at[i], condition));
    for (uint32_t i = 0; i < pairs->count; i++)
        converge(p, branches.at[i], pairs->at[i], condition, at, IN_ANY_CASE);
    opt_count(p->c, "blocks", pairs->count);
}

static void remark_convergent(struct csc *p, struct csc_pair first, place at)
{
    const struct ir_dominators *d = opt_dominators(p->c, p->f);
    bool blocks = d->pre[first.x] < d->post[first.x] || d->pre[first.y] < d->post[first.y];
    if (blocks && (csc_arm_communicates(p, first.x) || csc_arm_communicates(p, first.y)))
        opt_remark(p->c, p->f, OPT_MISSED, "convergent", at,
                   "arms of several blocks stay as they are: they have convergent operations");
}

/* Why no loop of one arm goes round together with one of the other, where both have some; NULL: one does, or
 * that is reported elsewhere. */
static const char *why_loops_not_merged(struct csc *p, uint32_t branch, struct csc_pair first,
                                        const csc_pairs *pairs)
{
    const struct ir_cycles *cycles = opt_cycles(p->c, p->f);
    for (uint32_t i = 0; i < pairs->count; i++)
        if (cycles->innermost[pairs->at[i].x] != cycles->innermost[branch])
            return NULL;
    bool others =
        csc_is_cold(p, branch) || csc_arm_communicates(p, first.x) || csc_arm_communicates(p, first.y);
    return others ? NULL : csc_why_not_merged(p, branch, first.x, first.y);
}

static void csc_visit_branch(struct rounds *r, uint32_t b)
{
    struct csc *p = &r->p;
    const struct ir_block *block = ir_block_at(p->f, b);
    struct csc_pair first = {.x = block->edges.at[0].block, .y = block->edges.at[1].block};
    ir_ref condition = ir_at(p->f, block->last)->args[0];
    place at = ir_at(p->f, block->last)->at;
    p->root = b;
    p->outside = (struct map){0};
    vec_clear(&p->guards);
    csc_pairs pairs = csc_correspond(p, b);
    if (csc_exchange_sides(p, &pairs)) {
        touch(r, b);
        r->moved++;
        return;
    }
    bool alone =
        are_first(p, b, first) && (pairs.count == 0 || (pairs.count == 1 && are_first(p, b, pairs.at[0])));
    const char *why = p->c->options->remarks ? why_loops_not_merged(p, b, first, &pairs) : NULL;
    bitset_add(r->done, b);
    bool any = alone ? converge(p, b, first, condition, at, IF_IT_PAYS) : pairs.count > 0;
    if (why)
        opt_remark(p->c, p->f, OPT_MISSED, "loops", at, "loops of both arms stay apart: %s", why);
    if (!any) {
        remark_convergent(p, first, at);
        return;
    }
    if (!alone)
        converge_all(r, b, &pairs, condition, at);
    touch(r, b);
    r->moved++;
}

/* ---- rounds -------------------------------------------------------------------------------------- */

/* The block that b jumps to, if nothing else leads there; IR_NO_BLOCK: there is none. */
static uint32_t next_in_chain(const struct ir_function *f, const struct ir_cfg *g, uint32_t b)
{
    if (ir_at(f, ir_terminator(f, b))->op != IR_br)
        return IR_NO_BLOCK;
    uint32_t next = ir_block_at(f, b)->edges.at[0].block;
    bool plain = next != b && next != ir_entry(f) && ir_pred_count(g, next) == 1 &&
                 !csc_communicates(f, next) && !csc_communicates(f, b);
    return plain ? next : IR_NO_BLOCK;
}

/* Block b ends in the branch that was next's. */
static void take_over(struct rounds *r, uint32_t b, uint32_t next)
{
    if (bitset_has(r->done, next))
        bitset_add(r->done, b);
    else
        bitset_remove(r->done, b);
}

/* Arms whose branches were removed become one block again. */
static void merge_chains(struct rounds *r)
{
    struct csc *p = &r->p;
    const struct ir_cfg *g = opt_cfg(p->c, p->f);
    struct opt_renaming renaming = {.arena = p->c->scratch};
    struct bitset removed = bitset_new(p->c->scratch, p->f->blocks.count);
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        uint32_t b = g->rpo[i], next;
        while (!bitset_has(removed, b) && (next = next_in_chain(p->f, g, b)) != IR_NO_BLOCK) {
            opt_target_append(&renaming, p->f, b);
            bitset_add(removed, next);
            take_over(r, b, next);
        }
    }
    opt_rename_all(&renaming, p->f);
    ir_blocks_remove(p->f, removed);
    opt_invalidate(p->c, p->f);
}

/* Makes room for new blocks. Branches that the pass has made are not looked at again. */
static void add_branches(struct rounds *r)
{
    struct csc *p = &r->p;
    struct bitset done = bitset_new(p->c->scratch, p->f->blocks.count);
    bitset_each(b, r->done)
        bitset_add(done, b);
    for (uint32_t i = 0; i < p->branches.count; i++)
        bitset_add(done, p->branches.at[i]);
    vec_clear(&p->branches);
    r->done = done;
}

static void finish_round(struct rounds *r)
{
    struct csc *p = &r->p;
    struct opt_demotion d = {.c = p->c, .f = p->f};
    struct bitset removed = bitset_new(p->arena, p->f->blocks.count);
    add_branches(r);
    opt_rename_all(&p->renaming, p->f);
    for (uint32_t i = 0; i < p->emptied.count; i++)
        bitset_add(removed, p->emptied.at[i]);
    ir_blocks_remove(p->f, removed);
    for (uint32_t i = 0; i < p->dropped.count; i++)
        ir_drop(p->f, p->dropped.at[i]);
    opt_demote_broken(&d);
    for (uint32_t i = 0; i < p->copies.count; i++)
        opt_demote_copy(&d, opt_renamed(&p->renaming, p->copies.at[i].value), p->copies.at[i].merged);
    opt_demote_finish(&d);
    for (uint32_t i = 0; i < p->tested.count; i++)
        p->tested.at[i] = opt_renamed(&p->renaming, p->tested.at[i]);
    opt_invalidate(p->c, p->f);
    INVARIANT(r->done.bits >= p->f->blocks.count);
    merge_chains(r);
}

static void begin_round(struct rounds *r)
{
    struct csc *p = &r->p;
    r->touched = bitset_new(p->c->scratch, p->f->blocks.count);
    r->moved = 0;
    p->instructions = p->f->ins.count;
    p->number = arena_array(p->arena, uint32_t, p->instructions);
    p->row = arena_array(p->arena, uint32_t, p->instructions);
    p->pdg = NULL;
    if (arms_have_effects(r))
        csc_find_dependences(p);
    p->renaming = (struct opt_renaming){.arena = p->arena};
    p->owner = (struct map){0};
    vec_clear(&p->emptied);
    vec_clear(&p->dropped);
    vec_clear(&p->copies);
}

/* Blocks in post-order: branches before those that they are nested in. */
static bool run_round(struct rounds *r)
{
    begin_round(r);
    const struct ir_cfg *g = opt_cfg(r->p.c, r->p.f);
    for (uint32_t i = g->rpo_count; i-- > 0;)
        if (is_candidate(r, g->rpo[i]))
            csc_visit_branch(r, g->rpo[i]);
    if (r->moved)
        finish_round(r);
    return r->moved > 0;
}

/* What csc.h calls for one function, from its first state. */
static bool run_rounds(struct csc *p)
{
    struct opt_context *c = p->c;
    struct rounds r = {.p = *p};
    csc_make_landings(&r.p);
    begin_round(&r);
    bool changed = r.p.switches && csc_split_switches(&r.p);
    if (changed)
        csc_make_landings(&r.p);
    r.done = bitset_new(c->scratch, r.p.f->blocks.count);
    for (uint64_t n = 0; opt_below(c, r.p.f, OPT_LIMIT_csc_rounds, n) && run_round(&r); n++)
        changed = true;
    csc_drop_landings(&r.p);
    if (changed)
        csc_pass_decided(&r.p);
    csc_join_tests(&r.p);
    p->before = r.p.before;
    p->melded = changed;
    p->tested = r.p.tested;
    return changed || r.p.landings.count;
}

/* With memory of the function's own, which is given back: that of all functions takes longer to get than to
 * use. So are its analyses. */
static bool work_on(struct opt_context *c, struct ir_function *f, const uint64_t *functions)
{
    struct scratch scratch;
    struct arena *outer = c->scratch;
    c->scratch = scratch_begin(&scratch);
    struct csc p = {.c = c,
                    .f = f,
                    .functions = functions,
                    .arena = c->scratch,
                    .switches = true,
                    .work = c->options->limits[OPT_LIMIT_csc_work]};
    bool divergent = bitset_count(opt_uniformity(c, f)->branches) > 0;
    bool changed = divergent && (f->flags & IR_FN_KERNEL ? csc_try(&p, run_rounds) : run_rounds(&p));
    opt_invalidate(c, f);
    scratch_end(&scratch);
    c->scratch = outer;
    return changed;
}

/* Costs of functions are found when the first one with a call is worked on, callees before their callers. */
bool opt_csc(struct opt_context *c, struct ir_module *m)
{
    bool changed = false;
    const uint64_t *costs = NULL;
    for (uint32_t i = 0; i < m->functions.count; i++) {
        struct ir_function *f = m->functions.at[i];
        if (!costs && ir_has_calls(f))
            costs = opt_costs(c, m)->at;
        if (f->order.count)
            changed |= work_on(c, f, costs);
    }
    return changed;
}
