/* uniformity.c: which values and branches are the same for all threads of a warp that run together.
 *
 * A value is divergent by its operation; or because an operand is (data); or because it is a parameter of a
 * block where threads reconverge that a divergent branch had separated (sync, joins.c); or because
 * it is used where other threads are together than where it was made (uniformity_scopes.c); or because it is
 * not settled who is together (uniformity_cycles.c). One worklist runs to the fixed point; each value and
 * branch enters it once.
 */
#include "ir/analysis/uniformity.h"

/* ---- users ------------------------------------------------------------------------------------------- */

/* `at` NULL: counts. Else puts `by` where `next` says. */
static void add_user(ir_ref *at, uint32_t *next, ir_ref used, ir_ref by)
{
    if (at)
        at[next[used]] = by;
    next[used]++;
}

static void add_users_of_block(const struct ir_function *fn, uint32_t block, ir_ref *at, uint32_t *next)
{
    ir_each_ins(r, fn, block) {
        const struct ir_ins *ins = ir_at(fn, r);
        for (uint32_t k = 0, n = ins->argc; k < n; k++)
            add_user(at, next, ins->args[k], r);
    }
    const struct ir_block *b = ir_block_at(fn, block);
    for (uint32_t e = 0; e < b->edges.count; e++) {
        const struct ir_edge *edge = &b->edges.at[e];
        for (uint32_t k = 0, n = edge->argc; k < n; k++)
            add_user(at, next, edge->args[k], ir_block_at(fn, edge->block)->params.at[k]);
    }
}

static void find_users(struct uniformity_finder *f)
{
    const struct ir_cfg *c = f->u->cfg;
    uint32_t values = f->fn->ins.count, *next = arena_array(f->arena, uint32_t, values);
    f->users = (struct rows){.count = values, .start = arena_array(f->arena, uint32_t, values + 1)};
    for (uint32_t i = 0; i < c->rpo_count; i++)
        add_users_of_block(f->fn, c->rpo[i], NULL, next);
    for (uint32_t r = 0; r < values; r++) {
        f->users.start[r + 1] = f->users.start[r] + next[r];
        next[r] = f->users.start[r];
    }
    f->users.at = arena_array(f->arena, ir_ref, f->users.start[values] + 1);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        add_users_of_block(f->fn, c->rpo[i], f->users.at, next);
}

/* ---- marking ----------------------------------------------------------------------------------------- */

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

static bool all_diverge(const struct uniformity_finder *f, const u32_vec *values)
{
    uint32_t i = 0;
    while (i < values->count && bitset_has(f->u->divergent, values->at[i]))
        i++;
    return i == values->count;
}

/* Threads that the latest branch has separated reconverge in the block: parameters that differ by
 * path diverge. */
static void mark_params(struct uniformity_finder *f, uint32_t block, ir_ref branch)
{
    const struct ir_block *b = ir_block_at(f->fn, block);
    const ir_ref *first = NULL;
    if (all_diverge(f, &b->params))
        return;
    ir_each_pred(p, block, f->u->cfg) {
        if (!bitset_has(f->u->cfg->reachable, p) || !ir_join_reached(f->joins, p, block))
            continue;
        const ir_ref *args = ir_block_at(f->fn, p)->edges.at[f->u->cfg->pred_edges[p_at]].args;
        for (uint32_t i = 0; first && i < b->params.count; i++)
            if (args[i] != first[i])
                ir_mark_value(f, b->params.at[i], IR_DIV_SYNC, branch);
        first = first ? first : args;
    }
}

/* ---- branches ---------------------------------------------------------------------------------------- */

/* Whether threads that diverge at a branch, which is uniform in the scope (IR_NO_SCOPE: divergent), can be
 * together at the block's start. */
static bool reconverge_in(const struct uniformity_finder *f, uint32_t scope, uint32_t block)
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

/* Several edges of the branch to one block: threads reconverge there at once, with arguments that may
 * differ. */
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
        if (!reconverge_in(f, scope, edge->block))
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

static void reconverge_at_joins(struct uniformity_finder *f, uint32_t b, uint32_t scope, const u32_vec *joins)
{
    for (uint32_t i = 0; i < joins->count; i++) {
        if (!reconverge_in(f, scope, joins->at[i]))
            continue;
        check_cycles(f, b, joins->at[i]);
        mark_params(f, joins->at[i], ir_terminator(f->fn, b));
    }
}

/* Threads leave cycle `left` and those inside of it around block b, each in different iterations. */
static void leave_cycles(struct uniformity_finder *f, uint32_t b, uint32_t scope, uint32_t left)
{
    const struct ir_cycles *c = f->u->cycles;
    uint32_t k = ir_first_unsettled(f, c->innermost[b]);
    for (; k != IR_NO_CYCLE && ir_cycle_contains(c, left, k); k = ir_first_unsettled(f, c->at[k].parent)) {
        f->steps++;
        if (part_in(f, scope, k))
            ir_mark_divergent_exit(f, k, left);
    }
}

/* Who stays in the outermost cycle that an exit leaves leaves those inside together. */
static void reconverge_at_exits(struct uniformity_finder *f, uint32_t b, uint32_t scope, const u32_vec *exits)
{
    f->steps += exits->count;
    for (uint32_t i = 0; i < exits->count; i++) {
        uint32_t exit = exits->at[i], left = ir_cycle_left(f->u->cycles, b, exit);
        if (left != IR_NO_CYCLE)
            leave_cycles(f, b, scope, left);
        if (reconverge_in(f, scope, exit))
            mark_params(f, exit, ir_terminator(f->fn, b));
    }
}

/* ---- merges ------------------------------------------------------------------------------------------ */

/* The block `from`, and those that are reached from its end without passing `around`. */
static struct bitset reached_around(struct uniformity_finder *f, uint32_t from, uint32_t around)
{
    struct walk w = walk_new(f->arena, f->u->cfg->blocks);
    walk_add(&w, from);
    walk_each(b, &w) {
        f->steps += ir_block_at(f->fn, b)->edges.count;
        ir_add_successors(&w, f->fn, b, around);
    }
    return w.seen;
}

static void mark_if_used_in(struct uniformity_finder *f, ir_ref r, struct bitset blocks, ir_ref cause)
{
    rows_each(k, f->users, r)
        if (ir_varies(f->u, r) && bitset_has(blocks, ir_at(f->fn, f->users.at[k])->block))
            ir_mark_value(f, r, IR_DIV_SYNC, cause);
}

/* What is live where threads of different times reconverge was made in a block that dominates the place.
 * Time: the depth of the area's dominator tree times its blocks. */
static void mark_merge(struct uniformity_finder *f, const struct ir_dominators *d, const struct ir_merge *m)
{
    for (uint32_t b = m->block; b != IR_NO_BLOCK && bitset_has(m->area, b); b = d->idom[b]) {
        struct bitset reached = reached_around(f, m->block, b);
        const struct ir_block *block = ir_block_at(f->fn, b);
        for (uint32_t i = 0; i < block->params.count; i++)
            mark_if_used_in(f, block->params.at[i], reached, ir_terminator(f->fn, m->block));
        ir_each_ins(r, f->fn, b)
            mark_if_used_in(f, r, reached, ir_terminator(f->fn, m->block));
    }
}

static const struct ir_dominators *tree(struct uniformity_finder *f)
{
    if (!f->tree)
        f->tree = ir_dominators_new(f->arena, f->u->cfg);
    return f->tree;
}

static void mark_merges(struct uniformity_finder *f, const struct ir_uniformity_options *o)
{
    for (uint32_t i = 0; i < o->merge_count; i++)
        mark_merge(f, tree(f), &o->merges[i]);
}

/* Parameters of the block that threads bring from the area by several paths, or at several times: a value
 * that is made in the area. */
static void mark_brought(struct uniformity_finder *f, uint32_t block, struct bitset area, ir_ref cause)
{
    const struct ir_block *b = ir_block_at(f->fn, block);
    const ir_ref *first = NULL;
    ir_each_pred(p, block, f->u->cfg) {
        if (!bitset_has(area, p))
            continue;
        const ir_ref *args = ir_block_at(f->fn, p)->edges.at[f->u->cfg->pred_edges[p_at]].args;
        for (uint32_t i = 0; i < b->params.count; i++)
            if ((first && args[i] != first[i]) ||
                (ir_varies(f->u, args[i]) && bitset_has(area, ir_at(f->fn, args[i])->block)))
                ir_mark_value(f, b->params.at[i], IR_DIV_SYNC, cause);
        first = first ? first : args;
    }
}

static const struct ir_dominators *post_dominators(struct uniformity_finder *f)
{
    if (!f->post)
        f->post = ir_post_dominators_new(f->arena, f->u->cfg);
    return f->post;
}

/* Threads that leave a cycle by the divergent branch in different iterations wait for each other behind it,
 * and behind the branch's post-dominator. What lies between they execute at different times. */
static void merge_iterations(struct uniformity_finder *f, uint32_t branch)
{
    const struct ir_cycles *c = f->u->cycles;
    uint32_t point = f->reconvergence[branch], left = IR_NO_CYCLE;
    for (uint32_t k = c->innermost[branch];
         k != IR_NO_CYCLE && point != IR_NO_BLOCK && !ir_cycle_has(c, k, point); k = c->at[k].parent)
        left = k;
    if (left == IR_NO_CYCLE || f->exit_block[left] == point || post_dominators(f)->idom[branch] == point)
        return;
    struct ir_merge m = {tree(f)->idom[point], reached_around(f, branch, point)};
    if (m.block == IR_NO_BLOCK)
        return;
    mark_merge(f, tree(f), &m);
    mark_brought(f, point, m.area, ir_terminator(f->fn, branch));
}

/* Threads diverge at block b: all that execute it, or (scope) those of different instances of the scope.
 * What a finder that gave up has listed it does not list again. */
static void threads_diverge(struct uniformity_finder *f, uint32_t b, uint32_t scope)
{
    const struct ir_joins *j = ir_find_joins(f->joins, b);
    if (j->gave_up)
        scope = IR_NO_SCOPE;
    if (f->machine)
        ir_check_irreducible(f, b);
    if (f->reconvergence) {
        ir_check_iterations(f, b);
        merge_iterations(f, b);
    }
    mark_twin_edges(f, b, scope);
    reconverge_at_joins(f, b, scope, &j->joins);
    reconverge_at_exits(f, b, scope, &j->exits);
}

/* ---- sources ----------------------------------------------------------------------------------------- */

/* Does the operation's value differ for reasons of its own? */
static bool diverges_itself(const struct uniformity_finder *f, ir_ref r)
{
    const struct ir_ins *i = ir_at(f->fn, r);
    switch (i->op) {
    case IR_special: return ir_special_info[i->imm].scope == IR_SCOPE_THREAD;
    case IR_load:
        return ir_at(f->fn, i->args[0])->type == IR_TYPE_PRIVATE ||
               (f->divergent_loads.bits && bitset_has(f->divergent_loads, r));
    case IR_call:
    case IR_icall:
    case IR_hostcall:
    case IR_broadcast: return true;
    default: return ir_op_info[i->op].flags & IR_DIVERGES;
    }
}

static void mark_sources(struct uniformity_finder *f)
{
    const struct ir_cfg *c = f->u->cfg;
    if (!f->machine && f->fn->module->orders)
        f->divergent_loads = ir_divergent_loads(f->arena, c);
    const struct ir_block *entry = ir_block_at(f->fn, ir_entry(f->fn));
    for (uint32_t p = 0; p < entry->params.count && !(f->fn->flags & IR_FN_KERNEL); p++)
        if (f->uniform_params == NULL || !f->uniform_params[p])
            ir_mark_value(f, entry->params.at[p], IR_DIV_SOURCE, 0);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        ir_each_ins(r, f->fn, c->rpo[i])
            if (diverges_itself(f, r))
                ir_mark_value(f, r, IR_DIV_SOURCE, 0);
}

static bool is_invariant(const struct uniformity_finder *f, ir_ref r)
{
    const struct ir_ins *ins = ir_at(f->fn, r);
    switch (ins->op) {
    case IR_special: return ir_special_info[ins->imm].scope != IR_SCOPE_THREAD;
    case IR_object:
    case IR_function: return true;
    case IR_ptradd:
    case IR_ptrcast: break;
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
        ir_each_ins(r, f->fn, f->u->cfg->rpo[i])
            if (is_invariant(f, r))
                bitset_add(f->u->invariant, r);
}

/* ---- the whole --------------------------------------------------------------------------------------- */

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
    u->assumed_divergent = bitset_new(a, cycles->count);
    u->divergent_exit = arena_array(a, uint32_t, cycles->count);
    u->unconverged = arena_array(a, uint32_t, c->blocks);
    for (uint32_t k = 0; k < cycles->count; k++)
        u->divergent_exit[k] = IR_NO_CYCLE;
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
        ir_each_ins(r, f->fn, f->u->cfg->rpo[i])
            ir_mark_value(f, r, IR_DIV_SOURCE, 0);
        ir_mark_branch(f, f->u->cfg->rpo[i], IR_DIV_SOURCE, 0);
    }
}

/* Looking for more would take too long: nobody is taken to be together anywhere. */
static void give_up(struct uniformity_finder *f)
{
    f->u->given_up = true;
    f->u->scoped.count = 0;
    memset(f->u->first_scoped, 0, f->u->cfg->blocks * sizeof *f->u->first_scoped);
    mark_everything(f);
    for (uint32_t k = 0; k < f->u->cycles->count; k++) {
        bitset_add(f->u->assumed_divergent, k);
        f->u->divergent_exit[k] = k;
    }
}

static void propagate(struct uniformity_finder *f)
{
    while (f->steps <= f->most &&
           (f->work.count + f->branch_work.count > 0 || f->scoped_done < f->u->scoped.count)) {
        if (f->work.count > 0) {
            ir_ref value = vec_pop(&f->work);
            rows_each(k, f->users, value)
                ir_mark_user(f, f->users.at[k], IR_DIV_DATA, value);
        } else if (f->branch_work.count > 0) {
            threads_diverge(f, vec_pop(&f->branch_work), IR_NO_SCOPE);
        } else {
            struct ir_scoped_branch s = f->u->scoped.at[f->scoped_done++];
            if (!bitset_has(f->u->branches, s.block))
                threads_diverge(f, s.block, s.scope);
        }
    }
}

static void find(struct uniformity_finder *f, const struct ir_uniformity_options *o)
{
    struct scratch scratch;
    f->passing = scratch_begin(&scratch);
    f->joins = ir_join_finder_new(f->passing, f->u->cfg, f->u->cycles, o ? o->joins : 0);
    f->first_edge = arena_array(f->arena, uint32_t, f->u->cfg->blocks);
    f->unreconverged = walk_new(f->arena, f->u->cfg->blocks);
    f->dominators = f->machine ? NULL : dominators_if_irreducible(f);
    ir_find_uses_outside(f);
    ir_prepare_cycles(f);
    if (f->reconvergence)
        ir_find_exit_blocks(f);
    mark_sources(f);
    mark_merges(f, o);
    ir_separate_groups(f);
    propagate(f);
    ir_note_unconverged(f);
    scratch_end(&scratch);
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
    f.reconvergence = o->reconvergence;
    f.most = o->most ? o->most : IR_MAX_UNIFORMITY_STEPS;
    f.u->scopes = ir_scopes_new(a, c, cycles, f.machine ? NULL : t);
    if (f.u->scopes == NULL) {
        give_up(&f);
        return f.u;
    }
    find_users(&f);
    find_invariants(&f);
    f.steps = ir_exits_of_cycles(&f);
    if (f.steps <= f.most)
        find(&f, o);
    f.u->over = f.steps > f.most;
    if (f.u->over)
        give_up(&f);
    return f.u;
}

bool ir_is_uniform_for(const struct ir_uniformity *u, uint32_t block, ir_ref token)
{
    const struct ir_function *fn = u->cfg->fn;
    if (bitset_has(u->branches, block))
        return false;
    if (u->given_up)
        return ir_block_at(fn, block)->edges.count < 2;
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
    return !u->given_up && u->unconverged[block] == IR_NO_CYCLE;
}
