/* converge.c: makes post-dominators out of the places where convergence tokens want threads together.
 *
 * By "Convergent Operation Semantics", the threads of an operation are all that reach it with the same
 * instance of its token. A scheme that reconverges at immediate post-dominators separates them where control
 * flow is not nested ("Unstructured control flow"). Two demands are checked for each divergent branch b
 * inside the region of a token's definition D, P being b's immediate post-dominator (on the graph without
 * leaving edges, ir/analysis/leaving.c):
 *
 *   an operation U that uses the token: if threads can come to U from two sides of b, all their paths pass P
 *   first; the next iteration, if D, a heart or an anchor, is in cycles: if P lies in the region, no path
 *       from b to the header of one goes round P (else threads of several iterations would reconverge at P);
 *       on warp-core, if P lies elsewhere, only one side of b leads round P to the header of the innermost.
 *
 * Where one is not met, the blocks A between b and U (or the header) are found: those that b leads to and
 * that lead to U without passing D; for an iteration the cycle's, and the rest of D's region, so that all its
 * operations come before reconvergence; and the regions of tokens that would not nest any more. All edges
 * that leave them go through one block (merge_edges.h), which then post-dominates b. A value that does not
 * dominate all its uses any more becomes a variable again (demote.h). Innermost tokens first, the first
 * branch of a region first; then everything is looked at anew. In cycles that lead to a barrier operations come
 * before iterations: blocks that merge their edges may let threads leave for good.
 *
 * Why A has no other ways out: a function with several returns first gets a single one, outside of A. A trap
 * may still leave A, and a cycle inside may have no end; then the demand may stay unmet, and a remark says
 * so.
 *
 * Cost of a round: the function's size, the sum of the regions' sizes, and for each token, each branch in its
 * region and each cycle around both the blocks between the branch and P (converge_looks bounds these).
 * Two operations may undo for each other what was merged, for ever: the limit converge_rounds
 * bounds the rounds for one operation, converge_work all by their cost, converge_values what they add.
 */
#include "opt/convergence/converge.h"

/* ---- the blocks between ------------------------------------------------------------------------------ */

/* What the branch leads to; past the ends of endless parts, where threads come together, only if `past`. */
static struct bitset blocks_behind(const struct converge *x, struct demand d, bool past)
{
    struct bitset behind = bitset_new(x->arena, x->g->blocks);
    u32_vec work = {0};
    vec_push(x->arena, &work, d.branch);
    while (work.count) {
        const struct ir_block *b = ir_block_at(x->f, vec_pop(&work));
        for (uint32_t e = 0; e < b->edges.count; e++) {
            uint32_t s = b->edges.at[e].block;
            if (s == d.target || s == d.stop || bitset_has(behind, s))
                continue;
            bitset_add(behind, s);
            if (past || !bitset_has(x->gathers, s))
                vec_push(x->arena, &work, s);
        }
    }
    return behind;
}

/* Whether the threads of block b have left, and those of the target have not. */
static bool have_left(const struct converge *x, struct demand d, uint32_t b)
{
    return bitset_has(x->stayed_in, d.target) && !bitset_has(x->stayed_in, b);
}

/* Whether an edge to block b from those between is one that is merged: see edges_out. */
static bool is_entered_by_merged(const struct converge *x, struct demand d, struct bitset between,
                                 struct bitset before, uint32_t b)
{
    ir_each_pred(p, b, x->g)
        if ((p == d.branch || bitset_has(between, p)) && bitset_has(before, p) &&
            !ir_is_leaving(x->leaving, p, b))
            return true;
    return false;
}

/* Blocks of the region of `def`, `def`'s own apart, and those in which threads are that have left if the
 * target is none of these, unless they come there from where ways are merged. The target has to be cut if the
 * region ends in it, before the user. */
static void add_region(struct converge *x, struct bitset into, struct demand d, ir_ref def,
                       struct bitset within)
{
    const struct ir_token_region *g = ir_token_region_new(x->arena, x->tokens, def);
    for (uint32_t i = 0; i < g->blocks.count; i++) {
        uint32_t b = g->blocks.at[i];
        bool in_target = b == d.target && d.user != d.def && g->ends.at[i] < x->tokens->position[d.user];
        bool left = have_left(x, d, b) && !is_entered_by_merged(x, d, into, x->before, b);
        if (b == opt_converge_home(x, def) || left || !(in_target || bitset_has(within, b)))
            continue;
        if (!in_target)
            bitset_add(into, b);
        ir_ref cut = ir_token_region_split(g, x->tokens, i);
        if (cut)
            vec_push(x->arena, &x->cuts, cut);
    }
}

/* Edges that leave the blocks between, or the branch; of those by which threads leave for good the ones that
 * lead to the target, and of those of threads that have left also the ones from blocks that do: others wait at
 * the target for these until they have gone another way. */
static opt_edges edges_out(const struct converge *x, struct demand d, struct bitset between)
{
    struct bitset from = bitset_new(x->arena, x->g->blocks);
    bitset_copy(from, between);
    bitset_add(from, d.branch);
    opt_edges all = opt_edges_out(x->arena, x->g, from, between), out = {0};
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t block = all.at[i].block, to = opt_edge_target(x->f, all.at[i]);
        bool left =
            ir_is_leaving(x->leaving, block, to) || (have_left(x, d, to) && !bitset_has(x->before, block));
        if (!left || opt_converge_leads_there(d, x->before, to))
            vec_push(x->arena, &out, all.at[i]);
    }
    return out;
}

/* Whether the block uses a token that is defined outside of the region of `def`, and around it. */
static bool uses_outer_token(const struct converge *x, uint32_t block, ir_ref def)
{
    for (uint32_t u = x->tokens->user_start[block]; u < x->tokens->user_start[block + 1]; u++)
        if (ir_token_dominates(x->tokens, x->dominators, ir_at(x->f, x->tokens->users[u])->token, def))
            return true;
    return false;
}

/* The blocks between, and those that the definition dominates and that lead there without passing it. */
static struct bitset blocks_to_between(const struct converge *x, ir_ref def, struct bitset between)
{
    struct bitset set = bitset_new(x->arena, x->g->blocks);
    uint32_t home = opt_converge_home(x, def);
    u32_vec work = {0};
    bitset_each(b, between)
        vec_push(x->arena, &work, b);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        if (b == home || bitset_has(set, b) || !ir_dominates(x->dominators, home, b))
            continue;
        bitset_add(set, b);
        ir_each_pred(p, b, x->g)
            vec_push(x->arena, &work, p);
    }
    return set;
}

/* Whether some edge leads on inside the region of the token: the block that merges it with others would
 * bring blocks into the region that use an outer token, so that the regions would not nest. */
static bool would_not_nest(const struct converge *x, ir_ref def, struct bitset between, const opt_edges *out)
{
    const struct ir_token_region *g = ir_token_region_new(x->arena, x->tokens, def);
    bool leads_on = false, outer = false;
    for (uint32_t i = 0; i < out->count && !leads_on; i++) {
        uint32_t to = opt_edge_target(x->f, out->at[i]);
        leads_on = to != opt_converge_home(x, def) && map_get(&g->at, to) != MAP_NONE;
    }
    if (!leads_on)
        return false;
    struct bitset inside = blocks_to_between(x, def, between);
    bitset_each(b, inside)
        outer |= uses_outer_token(x, b, def);
    return outer;
}

/* The region of a token has to stay whole where the block that merges would not be dominated by its
 * definition, since tokens go through no parameter, or where regions would not nest. */
static void add_regions_diverged(struct converge *x, struct bitset between, struct demand d,
                                 struct bitset behind)
{
    bool grew = true;
    while (grew) {
        uint32_t before = bitset_count(between);
        opt_edges out = edges_out(x, d, between);
        for (uint32_t i = 0; i < x->tokens->defs.count; i++) {
            ir_ref def = x->tokens->defs.at[i];
            if (bitset_has(between, opt_converge_home(x, def)) ||
                ir_dominates_part(x->dominators, opt_converge_home(x, def), between) ||
                would_not_nest(x, def, between, &out))
                add_region(x, between, d, def, behind);
        }
        grew = bitset_count(between) != before;
    }
}

static void keep_cycle(const struct converge *x, struct bitset between, uint32_t cycle)
{
    bitset_each(b, between)
        if (!ir_cycle_has(x->cycles, cycle, b))
            bitset_remove(between, b);
}

static struct bitset blocks_between(struct converge *x, struct demand d)
{
    struct bitset between = bitset_new(x->arena, x->g->blocks), behind = blocks_behind(x, d, true);
    x->before = opt_converge_before(x, d);
    bitset_copy(between, x->before);
    bitset_intersect(between, blocks_behind(x, d, false));
    if (d.user == d.def) {
        keep_cycle(x, between, d.cycle);
        add_region(x, between, d, d.def, behind);
    } else if (ir_at(x->f, d.user)->op == IR_loop)
        add_region(x, between, d, d.user, behind);
    add_regions_diverged(x, between, d, behind);
    return between;
}

/* ---- merging --------------------------------------------------------------------------------------- */

/* A definition may dominate some of the blocks between only, whose edges go by the new block now. */
static void repair(struct converge *x)
{
    struct opt_demotion demotion = {.c = x->c, .f = x->f};
    opt_demote_broken(&demotion);
    opt_demote_finish(&demotion);
}

/* Whether the block that merges would be a second entry of a cycle that has a heart, which has to stand in
 * the header of a natural loop: come to by those who have not passed the header, and by those who have, it
 * leads into the cycle. */
static bool would_enter(const struct converge *x, ir_ref heart, const opt_edges *out)
{
    uint32_t header = opt_converge_home(x, heart), k = x->cycles->innermost[header];
    bool from_header = false, from_elsewhere = false, into = false;
    for (uint32_t i = 0; k != IR_NO_CYCLE && i < out->count; i++) {
        bool behind = ir_dominates(x->dominators, header, out->at[i].block);
        from_header |= behind;
        from_elsewhere |= !behind;
        into |= ir_cycle_has(x->cycles, k, opt_edge_target(x->f, out->at[i]));
    }
    return from_header && from_elsewhere && into;
}

static bool may_merge(const struct converge *x, const opt_edges *out)
{
    for (uint32_t i = 0; i < x->tokens->defs.count; i++)
        if (ir_at(x->f, x->tokens->defs.at[i])->op == IR_loop && would_enter(x, x->tokens->defs.at[i], out))
            return false;
    return true;
}

static void warn_apart(const struct converge *x, struct demand d, const char *why)
{
    const struct ir_ins *user = ir_at(x->f, d.user);
    opt_warning(x->c, x->f, DIAG_GROUP_convergence, user->at, "not all threads of '%s' may come together: %s",
                ir_op_info[user->op].text, why);
}

static void merge_edges(struct converge *x, struct demand d, struct bitset between)
{
    opt_edges out = edges_out(x, d, between);
    ir_ref branch = ir_terminator(x->f, d.branch);
    const char *what = ir_op_info[ir_at(x->f, d.user)->op].text;
    opt_converge_note(x, d);
    if (!may_merge(x, &out)) {
        warn_apart(x, d, "where their ways merge would be a second entry of a loop");
        return;
    }
    opt_remark(x->c, x->f, OPT_APPLIED, "merged", ir_at(x->f, d.user)->at,
               "%u edges merged, so that the threads that diverge at line %u reconverge at '%s'", out.count,
               ir_at(x->f, branch)->at.line, what);
    opt_count(x->c, "edges merged", out.count);
    uint32_t block = opt_merge_edges(x->arena, x->f, &out, ir_at(x->f, branch)->at);
    ir_block_at(x->f, block)->overhead = true;
    repair(x);
}

/* ---- rounds ------------------------------------------------------------------------------------------ */

/* All threads that stay come together there, for a barrier: what is behind concerns no branch before. */
static struct bitset find_gathers(const struct converge *x)
{
    struct bitset gathers = bitset_new(x->arena, x->g->blocks);
    bitset_each(b, x->joined) {
        uint32_t jump = ir_jump_before(x->g, b);
        if (jump != IR_NO_BLOCK && x->post->idom[jump] == IR_NO_BLOCK)
            bitset_add(gathers, jump);
    }
    return gathers;
}

static void analyse(struct converge *x)
{
    x->cuts = (u32_vec){0};
    x->g = opt_cfg(x->c, x->f);
    x->cycles = opt_cycles(x->c, x->f);
    x->dominators = opt_dominators(x->c, x->f);
    x->leaving = opt_leaving(x->c, x->f);
    x->stayed_in = *opt_stayed_in(x->c, x->f);
    x->post = opt_reconvergence(x->c, x->f);
    x->joined = *opt_joined_barriers(x->c, x->f);
    x->gathers = find_gathers(x);
    x->tokens = opt_tokens(x->c, x->f);
    x->in_use = *opt_tokens_in_use(x->c, x->f);
    x->uniformity = opt_uniformity(x->c, x->f);
    if (opt_converge_asks_joins(x))
        x->joins = ir_join_finder_new(x->arena, x->g, x->cycles, 0);
}

/* What the demand asks for, or first the cuts that it needs. */
static void reconverge(struct converge *x, struct demand d)
{
    struct bitset between = blocks_between(x, d);
    for (uint32_t i = 0; i < x->cuts.count; i++)
        opt_split_before(x->f, x->cuts.at[i]); /* unless cut here already, for another region */
    if (x->cuts.count == 0)
        merge_edges(x, d, between);
}

/* The ways to the function's one return, which is the last block. */
static void mark_returns(struct converge *x)
{
    uint32_t end = vec_last(&x->f->order);
    ir_each_block(i, b, x->f) {
        struct ir_block *block = ir_block_at(x->f, b);
        block->overhead |= block->edges.count == 1 && block->edges.at[0].block == end;
    }
}

/* Whether a limit ends the pass, which then has been said. */
static bool is_too_much(const struct converge *x, struct demand d)
{
    const struct {
        enum opt_limit limit;
        uint64_t n;
    } spent[] = {
        {OPT_LIMIT_converge_rounds, opt_converge_rounds(x, d)},
        {OPT_LIMIT_converge_work, x->work},
        {OPT_LIMIT_converge_looks, x->looked},
        {OPT_LIMIT_converge_values, x->f->ins.count - x->values},
    };
    for (size_t i = 0; i < COUNT(spent); i++) {
        enum opt_limit l = spent[i].limit;
        if (opt_below(x->c, x->f, l, spent[i].n))
            continue;
        warn_apart(x, d,
                   arena_printf(x->arena,
                                "control flow too large to merge: limit of %u reached (--limit=%s=N)",
                                x->c->options->limits[l], opt_limit_info[l].name));
        return true;
    }
    if (opt_ssa_possible(x->c, x->f))
        return false;
    warn_apart(x, d, "control flow too large to merge");
    return true;
}

/* Where no token is in use nobody is waited for. */
static bool has_operations(const struct converge *x)
{
    struct bitset in_use = *opt_tokens_in_use(x->c, x->f);
    return bitset_next(in_use, 0) < in_use.bits;
}

/* True if the function changed: then there may be more to do. */
static bool run_round(struct converge *x)
{
    struct demand d;
    if (!has_operations(x))
        return false;
    analyse(x);
    if (!opt_converge_find(x, &d))
        return false;
    x->work += x->f->ins.count;
    if (is_too_much(x, d))
        return false;
    if (opt_return_once(x->arena, x->g, x->f))
        mark_returns(x);
    else
        reconverge(x, d);
    opt_invalidate(x->c, x->f);
    return true;
}

/* Merging may be what makes a loop one that threads leave for good alone. */
static bool unify_latches(struct converge *x)
{
    bool changed = opt_unify_latches(x->c, x->f);
    if (changed)
        opt_invalidate(x->c, x->f);
    return changed;
}

bool opt_converge(struct opt_context *c, struct ir_function *f)
{
    if (opt_scheme_has(c, SCHEME_FRONTIERS))
        return false; /* threads wait for each other by priority instead */
    struct converge x = {.c = c, .f = f, .values = f->ins.count};
    bool changed = opt_drop_needless_hearts(c, f), again = true;
    changed |= unify_latches(&x);
    while (again) {
        struct scratch scratch;
        x.arena = scratch_begin(&scratch);
        again = run_round(&x) || unify_latches(&x);
        changed |= again;
        scratch_end(&scratch);
    }
    return changed;
}
