/* uniformity.c: which values and branches are the same for all threads of a warp that run together.
 *
 * A value is divergent by its operation; or because an operand is (data); or because it is a parameter of a
 * block where threads meet that a divergent branch had sent different ways (sync, ir/joins.c); or because it
 * is used where other threads are together than where it was made (uniformity_scopes.c); or because it is not
 * settled who is together (uniformity_cycles.c). One worklist runs to the fixed point; each value and branch
 * enters it once.
 */
#include "ir/uniformity.h"

/* ---- users --------------------------------------------------------------------------------------------- */

static void count_or_place(struct uniformity_finder *f, uint32_t *at, ir_ref value, ir_ref user)
{
    if (user == 0)
        at[value + 1]++;
    else
        f->uses[at[value]++] = user;
}

static void each_operand(struct uniformity_finder *f, uint32_t *at, bool fill)
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

static void find_users(struct uniformity_finder *f)
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

void ir_mark_value(struct uniformity_finder *f, ir_ref r, enum ir_divergence kind, ir_ref cause)
{
    enum ir_type type = ir_at(f->fn, r)->type;
    if (type == IR_TYPE_VOID || type == IR_TYPE_TOKEN || bitset_has(f->u->divergent, r))
        return;
    bitset_add(f->u->divergent, r);
    f->u->kind[r] = kind;
    f->u->cause[r] = cause;
    vec_push(f->arena, &f->work, r);
}

void ir_mark_branch(struct uniformity_finder *f, uint32_t block, enum ir_divergence kind, ir_ref cause)
{
    if (bitset_has(f->u->branches, block) || ir_block_at(f->fn, block)->edges.count < 2)
        return;
    bitset_add(f->u->branches, block);
    f->u->kind[ir_terminator(f->fn, block)] = kind;
    f->u->cause[ir_terminator(f->fn, block)] = cause;
    vec_push(f->arena, &f->branch_work, block);
}

void ir_mark_user(struct uniformity_finder *f, ir_ref user, enum ir_divergence kind, ir_ref value)
{
    const struct ir_ins *i = ir_at(f->fn, user);
    if (ir_op_info[i->op].flags & IR_TERMINATOR)
        ir_mark_branch(f, i->block, kind, value);
    else if (!(ir_op_info[i->op].flags & IR_UNIFORM))
        ir_mark_value(f, user, kind, value);
}

bool ir_varies(const struct ir_uniformity *u, ir_ref value)
{
    return ir_at(u->cfg->fn, value)->block != IR_NO_BLOCK && !bitset_has(u->invariant, value);
}

/* Whether all edges into the block (`reached`: those that the latest branch's threads can take) carry the
 * same. */
static bool same_argument(const struct uniformity_finder *f, uint32_t block, uint32_t position, bool reached)
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
static void mark_params(struct uniformity_finder *f, uint32_t block, bool reached, ir_ref branch)
{
    const struct ir_block *b = ir_block_at(f->fn, block);
    for (uint32_t i = 0; i < b->params.count; i++)
        if (!same_argument(f, block, i, reached))
            ir_mark_value(f, b->params.at[i], IR_DIV_SYNC, branch);
}

/* ---- branches ------------------------------------------------------------------------------------------ */

/* Whether threads that part at a branch, which is uniform in the scope (IR_NO_SCOPE: divergent), can be
 * together at the block's start. */
static bool meet_in(const struct uniformity_finder *f, uint32_t scope, uint32_t block)
{
    return scope == IR_NO_SCOPE || !ir_scope_has(f->u->scopes, scope, ir_block_at(f->fn, block)->first);
}

/* Whether they can be in the same iteration of cycle k: a cycle inside of the scope has iterations of its own
 * for each instance. */
static bool part_in(const struct uniformity_finder *f, uint32_t scope, uint32_t k)
{
    if (scope == IR_NO_SCOPE)
        return true;
    ir_ref anchor = ir_scope_anchor(f->u->scopes, scope);
    return anchor != 0 ? ir_cycle_has(f->u->cycles, k, ir_at(f->fn, anchor)->block)
                       : ir_cycle_contains(f->u->cycles, k, scope);
}

/* Several edges of the branch to one block: threads meet there at once, with arguments that may differ. */
static void mark_twin_edges(struct uniformity_finder *f, uint32_t b, uint32_t scope)
{
    const struct ir_block *block = ir_block_at(f->fn, b);
    for (uint32_t e = 0; e < block->edges.count; e++)
        f->first_edge[block->edges.at[e].block] = UINT32_MAX;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        const struct ir_edge *edge = &block->edges.at[e];
        uint32_t *first = &f->first_edge[edge->block];
        if (*first == UINT32_MAX)
            *first = e;
        if (!meet_in(f, scope, edge->block))
            continue;
        for (uint32_t i = 0; i < edge->argc; i++)
            if (edge->args[i] != block->edges.at[*first].args[i])
                ir_mark_value(f, ir_block_at(f->fn, edge->block)->params.at[i], IR_DIV_SYNC, block->last);
    }
}

static void check_cycles(struct uniformity_finder *f, uint32_t branch, uint32_t join)
{
    if (f->machine)
        ir_check_irreducible(f, join);
    else if (f->dominators != NULL)
        ir_check_join(f, branch, join);
}

static void meet_at_joins(struct uniformity_finder *f, uint32_t b, uint32_t scope, const u32_vec *joins)
{
    for (uint32_t i = 0; i < joins->count; i++) {
        if (!meet_in(f, scope, joins->at[i]))
            continue;
        check_cycles(f, b, joins->at[i]);
        mark_params(f, joins->at[i], false, ir_terminator(f->fn, b));
    }
}

/* Who stays in the outermost cycle that an exit leaves leaves those inside together. */
static void meet_at_exits(struct uniformity_finder *f, uint32_t b, uint32_t scope, const u32_vec *exits)
{
    const struct ir_cycles *c = f->u->cycles;
    for (uint32_t i = 0; i < exits->count; i++) {
        uint32_t exit = exits->at[i], left = IR_NO_CYCLE;
        for (uint32_t k = c->innermost[b]; k != IR_NO_CYCLE && !ir_cycle_has(c, k, exit); k = c->at[k].parent)
            left = k;
        for (uint32_t k = c->innermost[b]; k != IR_NO_CYCLE && !ir_cycle_has(c, k, exit); k = c->at[k].parent)
            if (part_in(f, scope, k))
                ir_leave_apart(f, k, left);
        if (meet_in(f, scope, exit))
            mark_params(f, exit, true, ir_terminator(f->fn, b));
    }
}

/* Threads part at block b: all that execute it, or (scope) those of different instances of the scope. What a
 * finder that gave up has listed it does not list again. */
static void threads_part(struct uniformity_finder *f, uint32_t b, uint32_t scope)
{
    const struct ir_joins *j = ir_find_joins(f->joins, b);
    if (j->gave_up)
        scope = IR_NO_SCOPE;
    if (f->machine)
        ir_check_irreducible(f, b);
    if (f->meets)
        ir_check_iterations(f, b);
    mark_twin_edges(f, b, scope);
    meet_at_joins(f, b, scope, &j->joins);
    meet_at_exits(f, b, scope, &j->exits);
}

/* ---- sources ------------------------------------------------------------------------------------------- */

/* Does the operation's value differ for reasons of its own? */
static bool diverges_itself(const struct uniformity_finder *f, ir_ref r)
{
    const struct ir_ins *i = ir_at(f->fn, r);
    switch (i->op) {
    case IR_special: return ir_special_info[i->imm].scope == IR_SCOPE_THREAD;
    case IR_load: return ir_at(f->fn, i->args[0])->type == IR_TYPE_PRIVATE;
    case IR_call: case IR_icall: case IR_hostcall: case IR_broadcast: return true;
    default: return ir_op_info[i->op].flags & IR_DIVERGES;
    }
}

static void mark_sources(struct uniformity_finder *f)
{
    const struct ir_cfg *c = f->u->cfg;
    const struct ir_block *entry = ir_block_at(f->fn, ir_entry(f->fn));
    for (uint32_t p = 0; p < entry->params.count && !(f->fn->flags & IR_FN_KERNEL); p++)
        if (f->uniform_params == NULL || !f->uniform_params[p])
            ir_mark_value(f, entry->params.at[p], IR_DIV_SOURCE, 0);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        for ir_each_ins(r, f->fn, c->rpo[i])
            if (diverges_itself(f, r))
                ir_mark_value(f, r, IR_DIV_SOURCE, 0);
}

static bool is_invariant(const struct uniformity_finder *f, ir_ref r)
{
    const struct ir_ins *ins = ir_at(f->fn, r);
    switch (ins->op) {
    case IR_special: return ir_special_info[ins->imm].scope != IR_SCOPE_THREAD;
    case IR_object: case IR_function: return true;
    case IR_ptradd: case IR_ptrcast: break;
    default:
        if (!ir_is_pure(ins->op))
            return false;
    }
    for (uint32_t i = 0; i < ins->argc; i++)
        if (ir_varies(f->u, ins->args[i]))
            return false;
    return true;
}

/* Operands of what is not a parameter come first in reverse post-order. */
static void find_invariants(struct uniformity_finder *f)
{
    const struct ir_block *entry = ir_block_at(f->fn, ir_entry(f->fn));
    for (uint32_t p = 0; p < entry->params.count && f->fn->flags & IR_FN_KERNEL; p++)
        bitset_add(f->u->invariant, entry->params.at[p]);
    for (uint32_t i = 0; i < f->u->cfg->rpo_count; i++)
        for ir_each_ins(r, f->fn, f->u->cfg->rpo[i])
            if (is_invariant(f, r))
                bitset_add(f->u->invariant, r);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static struct ir_uniformity *uniformity_new(struct arena *a, const struct ir_cfg *c,
                                            const struct ir_cycles *cycles)
{
    struct ir_uniformity *u = arena_new(a, struct ir_uniformity);
    u->cfg = c;
    u->cycles = cycles;
    u->divergent = bitset_new(a, c->fn->ins.count);
    u->invariant = bitset_new(a, c->fn->ins.count);
    u->kind = arena_array(a, uint8_t, c->fn->ins.count);
    u->cause = arena_array(a, ir_ref, c->fn->ins.count);
    u->branches = bitset_new(a, c->blocks);
    u->first_scoped = arena_array(a, uint32_t, c->blocks);
    u->apart = bitset_new(a, cycles->count);
    u->left_apart = arena_array(a, uint32_t, cycles->count);
    u->unconverged = arena_array(a, uint32_t, c->blocks);
    for (uint32_t k = 0; k < cycles->count; k++)
        u->left_apart[k] = IR_NO_CYCLE;
    for (uint32_t b = 0; b < c->blocks; b++)
        u->unconverged[b] = IR_NO_CYCLE;
    return u;
}

static const struct ir_dominators *dominators_if_irreducible(const struct uniformity_finder *f)
{
    for (uint32_t k = 0; k < f->u->cycles->count; k++)
        if (f->u->cycles->at[k].entries.count > 1)
            return ir_dominators_new(f->arena, f->u->cfg);
    return NULL;
}

static void mark_everything(struct uniformity_finder *f)
{
    for (uint32_t i = 0; i < f->u->cfg->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(f->fn, f->u->cfg->rpo[i]);
        for (uint32_t p = 0; p < b->params.count; p++)
            ir_mark_value(f, b->params.at[p], IR_DIV_SOURCE, 0);
        for ir_each_ins(r, f->fn, f->u->cfg->rpo[i])
            ir_mark_value(f, r, IR_DIV_SOURCE, 0);
        ir_mark_branch(f, f->u->cfg->rpo[i], IR_DIV_SOURCE, 0);
    }
}

static void propagate(struct uniformity_finder *f)
{
    while (f->work.count + f->branch_work.count > 0 || f->scoped_done < f->u->scoped.count) {
        if (f->work.count > 0) {
            ir_ref value = vec_pop(&f->work);
            for (uint32_t i = f->use_start[value]; i < f->use_start[value + 1]; i++)
                ir_mark_user(f, f->uses[i], IR_DIV_DATA, value);
        } else if (f->branch_work.count > 0) {
            threads_part(f, vec_pop(&f->branch_work), IR_NO_SCOPE);
        } else {
            struct ir_scoped_branch s = f->u->scoped.at[f->scoped_done++];
            if (!bitset_has(f->u->branches, s.block))
                threads_part(f, s.block, s.scope);
        }
    }
}

struct ir_uniformity *ir_uniformity_new(struct arena *a, const struct ir_cfg *c,
                                        const struct ir_cycles *cycles, const struct ir_tokens *t,
                                        const struct ir_uniformity_options *o)
{
    static const struct ir_uniformity_options none;
    o = o != NULL ? o : &none;
    struct uniformity_finder f = {.u = uniformity_new(a, c, cycles), .fn = c->fn, .arena = a};
    f.machine = o->ignore_tokens;
    f.uniform_params = o->uniform_params;
    f.meets = o->meets;
    f.joins = ir_join_finder_new(a, c, cycles);
    f.first_edge = arena_array(a, uint32_t, c->blocks);
    f.passed = arena_array(a, uint32_t, c->blocks);
    f.dominators = f.machine ? NULL : dominators_if_irreducible(&f);
    f.u->scopes = ir_scopes_new(a, c, cycles, f.machine ? NULL : t);
    if (f.u->scopes == NULL) {
        mark_everything(&f);
        return f.u;
    }
    find_users(&f);
    find_invariants(&f);
    ir_find_uses_outside(&f);
    mark_sources(&f);
    ir_separate_groups(&f);
    propagate(&f);
    return f.u;
}

bool ir_is_uniform_for(const struct ir_uniformity *u, uint32_t block, ir_ref token)
{
    const struct ir_function *fn = u->cfg->fn;
    if (bitset_has(u->branches, block))
        return false;
    if (token != 0 && ir_scope_moved(u->scopes, token))
        return ir_block_at(fn, block)->edges.count < 2 ||
               !ir_varies(u, ir_at(fn, ir_terminator(fn, block))->args[0]);
    for (uint32_t i = u->first_scoped[block]; i != 0; i = u->scoped.at[i - 1].next)
        if (token == 0 || !ir_scope_decides(u->scopes, token, u->scoped.at[i - 1].scope))
            return false;
    return true;
}

bool ir_is_converged(const struct ir_uniformity *u, uint32_t block)
{
    return u->scopes != NULL && u->unconverged[block] == IR_NO_CYCLE;
}
