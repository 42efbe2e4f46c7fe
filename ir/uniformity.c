/* uniformity.c: which values and branches are the same for all threads of a warp that run together.
 *
 * A value is divergent by its operation; or because an operand is (data); or because it is a parameter of a
 * block where threads meet that a divergent branch had sent different ways (sync, ir/joins.c); or because it
 * is used outside a cycle that threads left in different iterations (temporal). One worklist runs to the
 * fixed point; each value and branch enters it once.
 *
 * Tokens ("Convergent Operation Semantics", Temporal Divergence at Cycle Exit): inside the convergence region
 * of a token that a cycle defines, threads outside the cycle are still grouped by iteration, so uses there
 * see the cycle's uniform values as uniform.
 *
 * A machine that lets threads meet at immediate post-dominators may bring together those of different
 * iterations: where a path goes around the post-dominator to the next iteration (`continue` past a test); and
 * where both sides of a branch lead to the next iteration, so that threads that wait to run one side may be
 * joined by those that come to it an iteration later (`return` from one side).
 * With the option `meets` nothing in such a cycle is taken to be converged.
 *
 * Irreducible cycles: when a divergent branch stands inside, or separates threads that meet inside, nothing
 * in the cycle is taken to be converged (a cautious reading of Controlled m-converged Static Instances).
 */
#include "ir/analysis.h"

struct finder {
    struct ir_uniformity *u;
    const struct ir_function *fn;
    const struct ir_tokens *tokens;
    struct ir_join_finder *joins;
    uint32_t *use_start, *uses;            /* users of each value; an edge argument's user is the parameter */
    u32_vec work, branch_work;             /* divergent values and branches whose effects are still to be
                                              followed */
    struct arena *arena;
    const bool *uniform_params;
    uint32_t *first_edge;                  /* scratch by block: the latest branch's first edge to it */
    const struct ir_dominators *meets;     /* see struct ir_uniformity_options */
    uint32_t *passed, visits;              /* by block: the latest branch (plus 1) whose threads may pass it
                                              before they meet */
    VEC(struct ir_token_region *) extended; /* regions that reach beyond the cycle of their definition */
};

/* ---- users --------------------------------------------------------------------------------------------- */

static void count_or_place(struct finder *f, uint32_t *at, ir_ref value, ir_ref user)
{
    if (user == 0)
        at[value + 1]++;
    else
        f->uses[at[value]++] = user;
}

static void each_operand(struct finder *f, uint32_t *at, bool fill)
{
    const struct ir_cfg *c = f->u->cfg;
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        for ir_each_ins(r, f->fn, c->rpo[i]) {
            const struct ir_ins *ins = ir_at(f->fn, r);
            for (uint32_t k = 0; k < ins->argc; k++)
                count_or_place(f, at, ins->args[k], fill ? r : 0);
        }
        const struct ir_block *b = ir_block_at(f->fn, c->rpo[i]);
        for (uint32_t e = 0; e < b->edges.count; e++) {
            const u32_vec *params = &ir_block_at(f->fn, b->edges.at[e].block)->params;
            for (uint32_t k = 0; k < b->edges.at[e].argc; k++)
                count_or_place(f, at, b->edges.at[e].args[k], fill ? params->at[k] : 0);
        }
    }
}

static void find_users(struct finder *f)
{
    uint32_t n = f->fn->ins.count;
    f->use_start = arena_array(f->arena, uint32_t, n + 1);
    each_operand(f, f->use_start, false);
    for (uint32_t r = 0; r < n; r++)
        f->use_start[r + 1] += f->use_start[r];
    f->uses = arena_array(f->arena, uint32_t, f->use_start[n]);
    uint32_t *at = arena_array(f->arena, uint32_t, n + 1);
    memcpy(at, f->use_start, n * sizeof *at);
    each_operand(f, at, true);
}

/* ---- marking ------------------------------------------------------------------------------------------- */

static void mark(struct finder *f, ir_ref r, enum ir_divergence kind, ir_ref cause)
{
    enum ir_type type = ir_at(f->fn, r)->type;
    if (type == IR_TYPE_VOID || type == IR_TYPE_TOKEN || bitset_has(f->u->divergent, r))
        return;
    bitset_add(f->u->divergent, r);
    f->u->kind[r] = kind;
    f->u->cause[r] = cause;
    vec_push(f->arena, &f->work, r);
}

static void mark_branch(struct finder *f, uint32_t block, enum ir_divergence kind, ir_ref cause)
{
    if (bitset_has(f->u->branches, block) || ir_block_at(f->fn, block)->edges.count < 2)
        return;
    bitset_add(f->u->branches, block);
    f->u->kind[ir_terminator(f->fn, block)] = kind;
    f->u->cause[ir_terminator(f->fn, block)] = cause;
    vec_push(f->arena, &f->branch_work, block);
}

/* Whether all edges into the block (`reached`: those that the latest branch's threads can take) carry the
 * same. */
static bool same_argument(const struct finder *f, uint32_t block, uint32_t position, bool reached)
{
    ir_ref first = 0;
    for ir_each_pred(p, block, f->u->cfg) {
        if (!bitset_has(f->u->cfg->reachable, p) || (reached && !ir_join_reached(f->joins, p, block)))
            continue;
        ir_ref arg = ir_block_at(f->fn, p)->edges.at[f->u->cfg->pred_edges[p_at]].args[position];
        if (first != 0 && arg != first)
            return false;
        first = arg;
    }
    return true;
}

/* Threads that came different ways meet in the block: parameters that tell the ways apart diverge. */
static void mark_params(struct finder *f, uint32_t block, bool reached, ir_ref branch)
{
    const struct ir_block *b = ir_block_at(f->fn, block);
    for (uint32_t i = 0; i < b->params.count; i++)
        if (!same_argument(f, block, i, reached))
            mark(f, b->params.at[i], IR_DIV_SYNC, branch);
}

/* ---- temporal divergence ------------------------------------------------------------------------------- */

/* Regions small enough to stay in their cycle have no say here; the others are few. */
static void find_extended_regions(struct finder *f)
{
    const struct ir_cycles *c = f->u->cycles;
    for (uint32_t i = 0; f->tokens != NULL && i < f->tokens->defs.count; i++) {
        uint32_t k = c->innermost[ir_at(f->fn, f->tokens->defs.at[i])->block];
        if (k == IR_NO_CYCLE)
            continue;
        struct ir_token_region *g = ir_token_region_new(f->arena, f->tokens, f->tokens->defs.at[i]);
        bool beyond = false;
        for (uint32_t b = 0; b < g->blocks.count; b++)
            beyond |= !ir_cycle_has(c, k, g->blocks.at[b]);
        if (beyond)
            vec_push(f->arena, &f->extended, g);
    }
}

/* Whether the point before `user` still runs by iterations of cycle k:
 * a token that k defines is live there. */
static bool held_by_token(const struct finder *f, uint32_t k, ir_ref user)
{
    for (uint32_t i = 0; i < f->extended.count; i++) {
        const struct ir_token_region *g = f->extended.at[i];
        if (ir_cycle_has(f->u->cycles, k, ir_at(f->fn, g->def)->block) &&
            ir_token_region_has(g, f->tokens, user))
            return true;
    }
    return false;
}

/* The use of a value of cycle k by `user`, outside k. */
static void use_outside(struct finder *f, uint32_t k, ir_ref value, ir_ref user)
{
    const struct ir_ins *ins = ir_at(f->fn, user);
    bool operand = false;
    for (uint32_t i = 0; i < ins->argc; i++)
        operand |= ins->args[i] == value;
    if (!operand || (ir_op_info[ins->op].flags & IR_UNIFORM) || held_by_token(f, k, user))
        return;
    if (ir_op_info[ins->op].flags & IR_TERMINATOR)
        mark_branch(f, ins->block, IR_DIV_TEMPORAL, value);
    else
        mark(f, user, IR_DIV_TEMPORAL, value);
}

/* An edge carries a value of cycle k to a parameter of a block outside k. */
static void argument_outside(struct finder *f, uint32_t k, ir_ref value, ir_ref param)
{
    if (!held_by_token(f, k, ir_block_at(f->fn, ir_at(f->fn, param)->block)->first))
        mark(f, param, IR_DIV_TEMPORAL, value);
}

static void value_leaves(struct finder *f, uint32_t k, ir_ref value)
{
    for (uint32_t i = f->use_start[value]; i < f->use_start[value + 1]; i++) {
        ir_ref user = f->uses[i];
        if (ir_cycle_has(f->u->cycles, k, ir_at(f->fn, user)->block))
            continue;
        if (ir_at(f->fn, user)->op == IR_param)
            argument_outside(f, k, value, user);
        else
            use_outside(f, k, value, user);
    }
}

/* Cycle k is left in different iterations. */
static void exit_diverges(struct finder *f, uint32_t k)
{
    if (bitset_has(f->u->exits, k))
        return;
    bitset_add(f->u->exits, k);
    const struct ir_cycle *c = &f->u->cycles->at[k];
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t b = f->u->cycles->blocks[c->first + i];
        const struct ir_block *block = ir_block_at(f->fn, b);
        for (uint32_t p = 0; p < block->params.count; p++)
            value_leaves(f, k, block->params.at[p]);
        for ir_each_ins(r, f->fn, b)
            value_leaves(f, k, r);
    }
}

/* ---- irreducible cycles -------------------------------------------------------------------------------- */

static void take_apart(struct finder *f, uint32_t k)
{
    if (bitset_has(f->u->apart, k))
        return;
    bitset_add(f->u->apart, k);
    const struct ir_cycle *c = &f->u->cycles->at[k];
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t b = f->u->cycles->blocks[c->first + i];
        const struct ir_block *block = ir_block_at(f->fn, b);
        for (uint32_t p = 0; p < block->params.count; p++)
            mark(f, block->params.at[p], IR_DIV_CYCLE, 0);
        for ir_each_ins(r, f->fn, b)
            mark(f, r, IR_DIV_CYCLE, 0);
        mark_branch(f, b, IR_DIV_CYCLE, 0);
    }
    exit_diverges(f, k);
}

/* The outermost irreducible cycle around the block, or IR_NO_CYCLE. */
static uint32_t outermost_irreducible(const struct finder *f, uint32_t block)
{
    const struct ir_cycles *c = f->u->cycles;
    uint32_t found = IR_NO_CYCLE;
    for (uint32_t k = c->innermost[block]; k != IR_NO_CYCLE; k = c->at[k].parent)
        if (c->at[k].entries.count > 1)
            found = k;
    return found;
}

static void meet_apart(struct finder *f, uint32_t block)
{
    uint32_t k = outermost_irreducible(f, block);
    if (k != IR_NO_CYCLE)
        take_apart(f, k);
}

/* ---- iterations that meet ------------------------------------------------------------------------------ */

/* Marks what threads from the branch may pass in cycle k before they meet. False: over the limit. */
static bool pass_before_meeting(struct finder *f, uint32_t branch, uint32_t meet, uint32_t k)
{
    u32_vec list = {0};
    vec_push(f->arena, &list, branch);
    for (uint32_t next = 0; next < list.count; next++) {
        const struct ir_block *b = ir_block_at(f->fn, list.at[next]);
        for (uint32_t e = 0; e < b->edges.count; e++) {
            uint32_t s = b->edges.at[e].block;
            if (s == meet || f->passed[s] == branch + 1 || !ir_cycle_has(f->u->cycles, k, s))
                continue;
            f->passed[s] = branch + 1;
            vec_push(f->arena, &list, s);
        }
    }
    f->visits += list.count;
    return f->visits <= IR_MAX_MEET_VISITS;
}

/* Whether threads that the branch sends to cycle k may wait there for the others: where they meet; or before
 * they have begun, if others of them run first. */
static bool wait_in(struct finder *f, uint32_t branch, uint32_t meet, uint32_t k)
{
    const struct ir_block *b = ir_block_at(f->fn, branch);
    uint32_t side = IR_NO_BLOCK;
    f->visits += b->edges.count;
    for (uint32_t e = 0; e < b->edges.count; e++) {
        uint32_t s = b->edges.at[e].block;
        if (s == meet || !ir_cycle_has(f->u->cycles, k, s))
            continue;
        if (side != IR_NO_BLOCK && side != s)
            return true;
        side = s;
    }
    return meet != IR_NO_BLOCK && ir_cycle_has(f->u->cycles, k, meet);
}

/* Takes apart the cycles in which threads from the branch wait while others of them begin another iteration:
 * these come to the same place, and go on from there together. */
static void iterations_meet(struct finder *f, uint32_t branch)
{
    const struct ir_cycles *c = f->u->cycles;
    uint32_t meet = f->meets->idom[branch], inner = c->innermost[branch];
    while (inner != IR_NO_CYCLE && f->visits <= IR_MAX_MEET_VISITS && !wait_in(f, branch, meet, inner))
        inner = c->at[inner].parent;
    if (inner == IR_NO_CYCLE)
        return;
    uint32_t outer = inner;
    while (c->at[outer].parent != IR_NO_CYCLE)
        outer = c->at[outer].parent;
    bool known = f->visits <= IR_MAX_MEET_VISITS && pass_before_meeting(f, branch, meet, outer);
    f->u->meets_unknown |= !known;
    for (uint32_t k = inner; k != IR_NO_CYCLE; k = c->at[k].parent)
        if (!known || f->passed[c->at[k].header] == branch + 1)
            take_apart(f, k);
}

/* ---- propagation --------------------------------------------------------------------------------------- */

/* Several edges of the branch to one block: threads meet there at once, with arguments that may differ. */
static void mark_twin_edges(struct finder *f, uint32_t b)
{
    const struct ir_block *block = ir_block_at(f->fn, b);
    for (uint32_t e = 0; e < block->edges.count; e++)
        f->first_edge[block->edges.at[e].block] = UINT32_MAX;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        const struct ir_edge *edge = &block->edges.at[e];
        uint32_t *first = &f->first_edge[edge->block];
        if (*first == UINT32_MAX)
            *first = e;
        for (uint32_t i = 0; i < edge->argc; i++)
            if (edge->args[i] != block->edges.at[*first].args[i])
                mark(f, ir_block_at(f->fn, edge->block)->params.at[i], IR_DIV_SYNC, block->last);
    }
}

static void branch_diverges(struct finder *f, uint32_t b)
{
    ir_ref branch = ir_terminator(f->fn, b);
    const struct ir_joins *j = ir_find_joins(f->joins, b);
    meet_apart(f, b);
    if (f->meets)
        iterations_meet(f, b);
    mark_twin_edges(f, b);
    for (uint32_t i = 0; i < j->joins.count; i++) {
        meet_apart(f, j->joins.at[i]);
        mark_params(f, j->joins.at[i], false, branch);
    }
    for (uint32_t i = 0; i < j->exits.count; i++) {
        uint32_t exit = j->exits.at[i], left = IR_NO_CYCLE, k = f->u->cycles->innermost[b];
        for (; k != IR_NO_CYCLE && !ir_cycle_has(f->u->cycles, k, exit); k = f->u->cycles->at[k].parent)
            left = k;
        if (left != IR_NO_CYCLE)
            exit_diverges(f, left);  /* who stays in it leaves the cycles inside together */
        mark_params(f, exit, true, branch);
    }
}

/* Does the operation's value differ for reasons of its own? */
static bool diverges_itself(const struct finder *f, ir_ref r)
{
    const struct ir_ins *i = ir_at(f->fn, r);
    switch (i->op) {
    case IR_special: return ir_special_info[i->imm].scope == IR_SCOPE_THREAD;
    case IR_load: return ir_at(f->fn, i->args[0])->type == IR_TYPE_PRIVATE;
    case IR_call: case IR_icall: case IR_hostcall: case IR_broadcast: return true;
    default: return ir_op_info[i->op].flags & IR_DIVERGES;
    }
}

static void mark_sources(struct finder *f)
{
    const struct ir_cfg *c = f->u->cfg;
    const struct ir_block *entry = ir_block_at(f->fn, ir_entry(f->fn));
    for (uint32_t p = 0; p < entry->params.count && !(f->fn->flags & IR_FN_KERNEL); p++)
        if (f->uniform_params == NULL || !f->uniform_params[p])
            mark(f, entry->params.at[p], IR_DIV_SOURCE, 0);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        for ir_each_ins(r, f->fn, c->rpo[i])
            if (diverges_itself(f, r))
                mark(f, r, IR_DIV_SOURCE, 0);
}

/* A divergent value reaches one user: an instruction, or a parameter that an edge brings it to. */
static void tell(struct finder *f, ir_ref value, ir_ref user)
{
    const struct ir_ins *i = ir_at(f->fn, user);
    const struct ir_op_info *info = &ir_op_info[i->op];
    if (info->flags & IR_TERMINATOR)
        mark_branch(f, i->block, IR_DIV_DATA, value);
    else if (!(info->flags & IR_UNIFORM))
        mark(f, user, IR_DIV_DATA, value);
}

struct ir_uniformity *ir_uniformity_new(struct arena *a, const struct ir_cfg *c,
                                        const struct ir_cycles *cycles, const struct ir_tokens *t,
                                        const struct ir_uniformity_options *o)
{
    struct ir_uniformity *u = arena_new(a, struct ir_uniformity);
    struct finder f = {.u = u, .fn = c->fn, .arena = a};
    u->cfg = c;
    u->cycles = cycles;
    u->divergent = bitset_new(a, c->fn->ins.count);
    u->kind = arena_array(a, uint8_t, c->fn->ins.count);
    u->cause = arena_array(a, ir_ref, c->fn->ins.count);
    u->branches = bitset_new(a, c->blocks);
    u->exits = bitset_new(a, cycles->count);
    u->apart = bitset_new(a, cycles->count);
    f.tokens = o != NULL && o->ignore_tokens ? NULL : t;
    f.uniform_params = o != NULL ? o->uniform_params : NULL;
    f.joins = ir_join_finder_new(a, c, cycles);
    f.first_edge = arena_array(a, uint32_t, c->blocks);
    f.passed = arena_array(a, uint32_t, c->blocks);
    f.meets = o != NULL ? o->meets : NULL;
    find_users(&f);
    find_extended_regions(&f);
    mark_sources(&f);
    while (f.work.count + f.branch_work.count > 0) {
        if (f.work.count == 0) {
            branch_diverges(&f, vec_pop(&f.branch_work));
            continue;
        }
        ir_ref value = vec_pop(&f.work);
        for (uint32_t i = f.use_start[value]; i < f.use_start[value + 1]; i++)
            tell(&f, value, f.uses[i]);
    }
    return u;
}

bool ir_is_converged(const struct ir_uniformity *u, uint32_t block)
{
    for (uint32_t k = u->cycles->innermost[block]; k != IR_NO_CYCLE; k = u->cycles->at[k].parent)
        if (bitset_has(u->apart, k))
            return false;
    return true;
}
