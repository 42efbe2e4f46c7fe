/* uniformity_cycles.c: cycles in which it is not settled which threads are together.
 *
 * "Convergent Operation Semantics", Controlled m-converged Static Instances: a point is m-converged if every
 * token in whose region it stands is defined at such a point, and if, for every cycle around it, each
 * divergent branch inside satisfies the diverged entry criterion, and no diverged paths come to the cycle
 * from a divergent branch outside. Reducible cycles satisfy both. The criteria are those of LLVM's
 * "Convergence And Uniformity": Diverged Entry Criterion, in its simplified form; Diverged Paths reaching a
 * Cycle. Values at other points are taken to be divergent.
 *
 * A machine whose threads reconverge where control flow lets them knows no headers: there, an irreducible
 * cycle is settled only if no divergent branch is inside, and none separates threads that reconverge inside.
 * It may even bring together threads of different iterations: where a path goes around the post-dominator to
 * the next iteration (`continue` past a test); and where both sides of a branch lead to the next iteration,
 * so that threads that wait to run one side may be joined by those that come to it an iteration later
 * (`return` from one side).
 */
#include "ir/analysis/uniformity.h"

static void leave_undecided(struct uniformity_finder *f, uint32_t k, ir_ref r)
{
    if (ir_varies(f->u, r) && ir_scope_has(f->u->scopes, k, r))
        ir_mark_value(f, r, IR_DIV_CYCLE, 0);
}

static void leave_block_undecided(struct uniformity_finder *f, uint32_t k, uint32_t block)
{
    const struct ir_block *b = ir_block_at(f->fn, block);
    for (uint32_t p = 0; p < b->params.count; p++)
        leave_undecided(f, k, b->params.at[p]);
    ir_each_ins(r, f->fn, block)
        leave_undecided(f, k, r);
    f->steps++;
}

static uint32_t first_unassumed(struct uniformity_finder *f, uint32_t at)
{
    while (f->unassumed[at] != at)
        at = f->unassumed[at] = f->unassumed[f->unassumed[at]];
    return at;
}

/* The points of the extended cycle: the regions of its tokens are not m-converged either. Its own blocks are
 * looked at for the first cycle alone that has them. */
void ir_assume_divergent(struct uniformity_finder *f, uint32_t k)
{
    if (bitset_has(f->u->assumed_divergent, k))
        return;
    bitset_add(f->u->assumed_divergent, k);
    f->assumed_at[k] = ++f->assumed;
    const struct ir_cycle *c = &f->u->cycles->at[k];
    for (uint32_t i = first_unassumed(f, c->first); i < c->first + c->count; i = first_unassumed(f, i)) {
        leave_block_undecided(f, k, f->u->cycles->blocks[i]);
        f->unassumed[i] = i + 1;
    }
    const u32_vec *beyond = ir_scope_beyond(f->u->scopes, k);
    for (uint32_t i = 0; i < beyond->count; i++) {
        leave_block_undecided(f, k, beyond->at[i]);
        f->u->unconverged[beyond->at[i]] = k;
    }
    ir_mark_divergent_exit(f, k, k);
}

void ir_prepare_cycles(struct uniformity_finder *f)
{
    const struct ir_cycles *c = f->u->cycles;
    uint32_t blocks = f->u->cfg->blocks;
    f->outermost = arena_array(f->arena, uint32_t, c->count);
    f->irreducible = arena_array(f->arena, uint32_t, c->count);
    f->unsettled = arena_array(f->arena, uint32_t, c->count);
    f->assumed_at = arena_array(f->arena, uint32_t, c->count);
    f->unassumed = arena_array(f->arena, uint32_t, blocks + 1);
    f->assumed_outward = bitset_new(f->arena, c->count);
    for (uint32_t k = 0; k < c->count; k++) {
        uint32_t up = c->at[k].parent, around = up == IR_NO_CYCLE ? IR_NO_CYCLE : f->irreducible[up];
        f->outermost[k] = up == IR_NO_CYCLE ? k : f->outermost[up];
        f->irreducible[k] = around == IR_NO_CYCLE && c->at[k].entries.count > 1 ? k : around;
        f->unsettled[k] = k;
    }
    for (uint32_t i = 0; i <= blocks; i++)
        f->unassumed[i] = i;
}

uint64_t ir_exits_of_cycles(const struct uniformity_finder *f)
{
    const struct ir_cfg *c = f->u->cfg;
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(f->fn, c->rpo[i]);
        for (uint32_t e = 0; e < b->edges.count; e++)
            n += ir_cycles_left(f->u->cycles, c->rpo[i], b->edges.at[e].block);
    }
    return n;
}

void ir_note_unconverged(struct uniformity_finder *f)
{
    const struct ir_cycles *c = f->u->cycles;
    uint32_t *last = arena_array(f->arena, uint32_t, c->count); /* around it, or itself */
    for (uint32_t k = 0; k < c->count; k++) {
        uint32_t up = c->at[k].parent == IR_NO_CYCLE ? IR_NO_CYCLE : last[c->at[k].parent];
        bool later = f->assumed_at[k] && (up == IR_NO_CYCLE || f->assumed_at[up] < f->assumed_at[k]);
        last[k] = later ? k : up;
    }
    for (uint32_t b = 0; b < f->u->cfg->blocks; b++) {
        uint32_t *known = &f->u->unconverged[b], k = c->innermost[b];
        if (k != IR_NO_CYCLE && last[k] != IR_NO_CYCLE &&
            (*known == IR_NO_CYCLE || f->assumed_at[*known] < f->assumed_at[last[k]]))
            *known = last[k];
    }
}

/* ---- m-converged ------------------------------------------------------------------------------------- */

static bool dominates_strictly(const struct uniformity_finder *f, uint32_t a, uint32_t b)
{
    return a != b && ir_dominates(f->dominators, a, b);
}

static bool is_irreducible(const struct uniformity_finder *f, uint32_t k)
{
    return f->u->cycles->at[k].entries.count > 1;
}

/* Diverged Paths reaching a Cycle: the outermost one that has the join and not the branch. */
static uint32_t cycle_reached(const struct uniformity_finder *f, uint32_t branch, uint32_t join)
{
    uint32_t found = ir_cycle_left(f->u->cycles, join, branch);
    return found != IR_NO_CYCLE && is_irreducible(f, found) ? found : IR_NO_CYCLE;
}

/* Diverged Entry Criterion: the outermost cycle with both that does not satisfy it. */
static uint32_t cycle_entered(struct uniformity_finder *f, uint32_t branch, uint32_t join)
{
    const struct ir_cycles *c = f->u->cycles;
    uint32_t k = ir_cycle_common(c, branch, join);
    if (k == IR_NO_CYCLE || !is_irreducible(f, k) || dominates_strictly(f, branch, join) ||
        dominates_strictly(f, c->at[k].header, join))
        return IR_NO_CYCLE;
    while (c->at[k].parent != IR_NO_CYCLE && !dominates_strictly(f, c->at[c->at[k].parent].header, join)) {
        k = c->at[k].parent;
        f->steps++;
    }
    return k;
}

void ir_check_join(struct uniformity_finder *f, uint32_t branch, uint32_t join)
{
    uint32_t reached = cycle_reached(f, branch, join), entered = cycle_entered(f, branch, join);
    if (reached != IR_NO_CYCLE)
        ir_assume_divergent(f, reached);
    if (entered != IR_NO_CYCLE)
        ir_assume_divergent(f, entered);
}

/* ---- machines ---------------------------------------------------------------------------------------- */

void ir_check_irreducible(struct uniformity_finder *f, uint32_t block)
{
    uint32_t k = f->u->cycles->innermost[block];
    if (k != IR_NO_CYCLE && f->irreducible[k] != IR_NO_CYCLE)
        ir_assume_divergent(f, f->irreducible[k]);
}

/* Marks what threads from the branch may pass in cycle k before they reconverge; behind a barrier they have.
 * False: over the limit. */
static bool pass_before_reconvergence(struct uniformity_finder *f, uint32_t branch, uint32_t reconverge,
                                      uint32_t k)
{
    struct walk *w = &f->unreconverged;
    walk_restart(w);
    ir_add_successors(w, f->fn, branch, reconverge);
    walk_each(b, w)
        if (ir_cycle_has(f->u->cycles, k, b) && !ir_meet_at_barrier(f->joins, b))
            ir_add_successors(w, f->fn, b, reconverge);
    f->visits += w->list.count + 1;
    return f->visits <= IR_MAX_RECONVERGE_VISITS;
}

/* Whether threads that the branch sends to cycle k may wait there for the others: where they reconverge; or
 * before they have begun, if others of them run first. */
static bool wait_in(struct uniformity_finder *f, uint32_t branch, uint32_t reconverge, uint32_t k)
{
    const struct ir_block *b = ir_block_at(f->fn, branch);
    uint32_t side = IR_NO_BLOCK;
    f->visits += b->edges.count;
    for (uint32_t e = 0; e < b->edges.count; e++) {
        uint32_t s = b->edges.at[e].block;
        if (s == reconverge || !ir_cycle_has(f->u->cycles, k, s))
            continue;
        if (side != IR_NO_BLOCK && side != s)
            return true;
        side = s;
    }
    return reconverge != IR_NO_BLOCK && ir_cycle_has(f->u->cycles, k, reconverge);
}

/* Assumes those cycles divergent in which threads from the branch wait while others of them begin another
 * iteration: these come to the same place, and go on from there together. */
void ir_check_iterations(struct uniformity_finder *f, uint32_t branch)
{
    const struct ir_cycles *c = f->u->cycles;
    uint32_t reconverge = f->reconvergence[branch], inner = c->innermost[branch];
    while (inner != IR_NO_CYCLE && f->visits <= IR_MAX_RECONVERGE_VISITS &&
           !wait_in(f, branch, reconverge, inner))
        inner = c->at[inner].parent;
    if (inner == IR_NO_CYCLE)
        return;
    bool known = f->visits <= IR_MAX_RECONVERGE_VISITS &&
                 pass_before_reconvergence(f, branch, reconverge, f->outermost[inner]);
    f->u->iterations_unknown |= !known;
    for (uint32_t k = inner; k != IR_NO_CYCLE && !bitset_has(f->assumed_outward, k); k = c->at[k].parent) {
        f->steps++;
        if (!known || bitset_has(f->unreconverged.seen, c->at[k].header))
            ir_assume_divergent(f, k);
        if (!known)
            bitset_add(f->assumed_outward, k);
    }
}

/* Cycles that all edges leave, together: f->steps has them. */
void ir_find_exit_blocks(struct uniformity_finder *f)
{
    enum { NONE = IR_NO_BLOCK - 1 };
    const struct ir_cycles *c = f->u->cycles;
    f->exit_block = arena_array(f->arena, uint32_t, c->count);
    for (uint32_t k = 0; k < c->count; k++)
        f->exit_block[k] = NONE;
    for (uint32_t i = 0; i < f->u->cfg->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(f->fn, f->u->cfg->rpo[i]);
        for (uint32_t e = 0; e < b->edges.count; e++) {
            uint32_t to = b->edges.at[e].block, k = c->innermost[f->u->cfg->rpo[i]];
            for (; k != IR_NO_CYCLE && !ir_cycle_has(c, k, to); k = c->at[k].parent)
                f->exit_block[k] = f->exit_block[k] == NONE || f->exit_block[k] == to ? to : IR_NO_BLOCK;
        }
    }
}
