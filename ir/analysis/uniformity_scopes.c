/* uniformity_scopes.c: uniform values where other threads are together than where they were made.
 *
 * "Convergent Operation Semantics", Temporal Divergence at Cycle Exit: if threads leave a cycle in different
 * iterations, a value of the extended cycle that is uniform in each iteration differs between threads that
 * are together beyond. Not only values of the cycle's blocks do, but those of all points where its tokens
 * keep the iterations separate. Where several cycles are left at once, each asks for tokens of its own. A
 * branch out there on such a value sends each iteration's threads one way, but for all that lies beyond they
 * diverge.
 *
 * Anchors: a group is any set of threads that execute the anchor, in whatever iterations and calls. So what
 * is made in its regions is uniform there alone; and what was made before, for an iteration, a call or
 * another anchor's group, is not uniform there.
 *
 * What depends on the launch and the block alone is the same everywhere.
 */
#include "ir/analysis/uniformity.h"

/* A scope's values and branches, where threads of several of its instances can be together. */
struct scope_exit {
    struct uniformity_finder *f;
    uint32_t scope;
    uint32_t inside; /* a cycle where they are still not; IR_NO_CYCLE: none */
    enum ir_divergence kind;
};

static bool in_scope(const struct scope_exit *l, ir_ref r)
{
    return ir_scope_has(l->f->u->scopes, l->scope, r);
}

static bool is_inside(const struct scope_exit *l, uint32_t block)
{
    return l->inside != IR_NO_CYCLE && ir_cycle_has(l->f->u->cycles, l->inside, block);
}

static void use_outside(const struct scope_exit *l, ir_ref value, ir_ref user)
{
    if (!is_inside(l, ir_at(l->f->fn, user)->block) && !in_scope(l, user))
        ir_mark_user(l->f, user, l->kind, value);
}

static void value_leaves(const struct scope_exit *l, ir_ref value)
{
    struct uniformity_finder *f = l->f;
    if (bitset_has(f->u->divergent, value) || !ir_varies(f->u, value) || !in_scope(l, value))
        return;
    rows_each(k, f->users, value)
        use_outside(l, value, f->users.at[k]);
}

static bool is_known(const struct ir_uniformity *u, uint32_t block, uint32_t scope)
{
    uint32_t i = u->first_scoped[block];
    while (i != 0 && u->scoped.at[i - 1].scope != scope)
        i = u->scoped.at[i - 1].next;
    return i != 0;
}

static void check_branch(const struct scope_exit *l, uint32_t block)
{
    struct ir_uniformity *u = l->f->u;
    ir_ref r = ir_terminator(l->f->fn, block);
    const struct ir_ins *branch = ir_at(l->f->fn, r);
    if (ir_block_at(l->f->fn, block)->edges.count < 2 || is_inside(l, block) || !in_scope(l, r) ||
        !ir_varies(u, branch->args[0]) || !in_scope(l, branch->args[0]) || is_known(u, block, l->scope))
        return;
    vec_push(l->f->arena, &u->scoped, ((struct ir_scoped_branch){block, l->scope, u->first_scoped[block]}));
    u->first_scoped[block] = u->scoped.count;
}

/* From the regions of the scope's tokens; but not from a cycle's own blocks. */
static void leave_regions(const struct scope_exit *l)
{
    const struct ir_function *fn = l->f->fn;
    const u32_vec *blocks = ir_scope_beyond(l->f->u->scopes, l->scope);
    for (uint32_t i = 0; i < blocks->count; i++) {
        const struct ir_block *b = ir_block_at(fn, blocks->at[i]);
        for (uint32_t p = 0; p < b->params.count; p++)
            value_leaves(l, b->params.at[p]);
        ir_each_ins(r, fn, blocks->at[i])
            value_leaves(l, r);
        check_branch(l, blocks->at[i]);
    }
}

uint32_t ir_first_unsettled(struct uniformity_finder *f, uint32_t k)
{
    uint32_t first = k, next;
    while (first != IR_NO_CYCLE && f->unsettled[first] != first)
        first = f->unsettled[first];
    for (; k != first; k = next) {
        next = f->unsettled[k];
        f->unsettled[k] = first;
    }
    return first;
}

void ir_mark_divergent_exit(struct uniformity_finder *f, uint32_t k, uint32_t beyond)
{
    uint32_t *known = &f->u->divergent_exit[k];
    if (*known != IR_NO_CYCLE && ir_cycle_contains(f->u->cycles, beyond, *known))
        return;
    *known = beyond;
    if (beyond == k)
        f->unsettled[k] = f->u->cycles->at[k].parent;
    struct scope_exit l = {f, k, beyond, IR_DIV_TEMPORAL};
    for (uint32_t i = 0; i < f->outside[k].count; i++)
        if (!bitset_has(f->u->divergent, f->outside[k].at[i].value))
            use_outside(&l, f->outside[k].at[i].value, f->outside[k].at[i].user);
    leave_regions(&l);
}

static void note_outside(struct uniformity_finder *f, ir_ref value, ir_ref user)
{
    const struct ir_cycles *c = f->u->cycles;
    uint32_t k = c->innermost[ir_at(f->fn, value)->block], to = ir_at(f->fn, user)->block;
    if (k == c->innermost[to])
        return;
    f->steps += ir_cycles_left(c, ir_at(f->fn, value)->block, to);
    for (; k != IR_NO_CYCLE && !ir_cycle_has(c, k, to) && f->steps <= f->most; k = c->at[k].parent)
        vec_push(f->passing, &f->outside[k], ((struct uniformity_use){value, user}));
}

void ir_find_uses_outside(struct uniformity_finder *f)
{
    f->outside = arena_alloc_array(f->passing, sizeof *f->outside, f->u->cycles->count);
    for (ir_ref value = 1; value < f->fn->ins.count && f->u->cycles->count > 0; value++) {
        if (f->users.start[value] == f->users.start[value + 1] || !ir_varies(f->u, value) ||
            f->u->cycles->innermost[ir_at(f->fn, value)->block] == IR_NO_CYCLE)
            continue;
        rows_each(k, f->users, value)
            note_outside(f, value, f->users.at[k]);
    }
}

/* ---- anchors ----------------------------------------------------------------------------------------- */

/* Threads of one group may have made the value in different iterations, calls or groups. */
static bool is_defined_at_other_times(const struct uniformity_finder *f, const u32_vec *around, ir_ref value)
{
    if (!ir_varies(f->u, value))
        return false;
    for (uint32_t i = 0; i < around->count; i++)
        if (ir_scope_has(f->u->scopes, around->at[i], value))
            return true;
    return !(f->fn->flags & IR_FN_KERNEL);
}

/* The point `user` uses the value. */
static void enter(const struct scope_exit *l, const u32_vec *around, ir_ref user, ir_ref value)
{
    if (in_scope(l, user) && is_defined_at_other_times(l->f, around, value) && !in_scope(l, value))
        ir_mark_user(l->f, user, l->kind, value);
}

static void enter_block(const struct scope_exit *l, const u32_vec *around, uint32_t block)
{
    const struct ir_function *fn = l->f->fn;
    const struct ir_block *b = ir_block_at(fn, block);
    ir_each_pred(p, block, l->f->u->cfg)
        for (uint32_t i = 0; i < b->params.count && bitset_has(l->f->u->cfg->reachable, p); i++)
            enter(l, around, b->params.at[i],
                  ir_block_at(fn, p)->edges.at[l->f->u->cfg->pred_edges[p_at]].args[i]);
    ir_each_ins(r, fn, block)
        for (uint32_t i = 0; i < ir_at(fn, r)->argc; i++)
            enter(l, around, r, ir_at(fn, r)->args[i]);
}

void ir_separate_groups(struct uniformity_finder *f)
{
    for (uint32_t s = f->u->cycles->count; s < ir_scope_count(f->u->scopes); s++) {
        struct scope_exit l = {f, s, IR_NO_CYCLE, IR_DIV_ANCHOR};
        u32_vec around = ir_scopes_around(f->u->scopes, ir_scope_anchor(f->u->scopes, s));
        const u32_vec *blocks = ir_scope_beyond(f->u->scopes, s);
        for (uint32_t i = 0; i < blocks->count; i++)
            enter_block(&l, &around, blocks->at[i]);
        leave_regions(&l);
    }
}
