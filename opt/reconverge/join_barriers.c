/* join_barriers.c: one place before barriers that threads of several sides of a branch come to.
 *
 * A barrier waits for all threads that have not returned. Where threads wait for each other at the
 * reconvergence points of branches and nowhere else, those of one side can't let those of the other return
 * first, if these could come to a barrier as well:
 *
 *     if (c) { if (x) return; barrier(); ... }         // if all of one side return, those of the other may
 *     else   { if (y) return; barrier(); ... }         // pass their barrier
 *
 * For a divergent branch b let B be the barriers that are the first on the paths from b. If b reconverges
 * behind one of them, and threads of some side may end before theirs, all edges to the blocks of B lead
 * through one block J (merge_edges.h). Whoever does not return comes to J, so b reconverges there. It goes on
 * from there to the barrier that it came for: all of them to the same one, or the program is wrong.
 *
 * J leads to each barrier of B from all paths that lead to any, which convergence tokens may not allow. Those
 * of the barriers become anchors, since a barrier waits for all threads whatever its token. Where those of
 * other operations break the static rules all stays as it was, with a remark; and where the barrier is in a
 * function that can't be inlined (inline_barriers).
 *
 * The first branch in reverse post-order first; then everything is looked at anew. Time: for each such
 * branch, the function's size.
 */
#include "ir/converge/order.h"
#include "opt/kit/demote.h"
#include "opt/kit/merge_edges.h"

struct joiner {
    struct opt_context *c;
    struct ir_function *f;
    struct arena *arena; /* of one round */
    const struct ir_cfg *g;
    const uint32_t *points; /* by block: where the threads of its branch reconverge */
    struct bitset leads;    /* blocks that lead to a barrier */
    struct bitset ends;     /* see ir_exits_without_barrier */
    struct bitset waiting;  /* see ir_waiting_functions */
    struct map tried;       /* terminators of branches that were joined, or can't be */
};

/* The barriers that threads come to first on their paths from a branch, and the blocks on these paths. */
struct paths {
    u32_vec barriers;
    struct bitset blocks;
    bool in_calls; /* functions are called that may come to some */
};

static bool calls(const struct joiner *x, uint32_t b)
{
    bool found = false;
    ir_each_ins(r, x->f, b)
        found |= ir_call_may_wait(x->f, r, x->waiting);
    return found;
}

static ir_ref first_barrier(const struct joiner *x, uint32_t b)
{
    ir_each_ins(r, x->f, b)
        if (ir_at(x->f, r)->op == IR_barrier)
            return r;
    return 0;
}

/* Ways to the block `stop` end there. */
static struct paths paths_from(const struct joiner *x, uint32_t branch, uint32_t stop)
{
    struct paths w = {.blocks = bitset_new(x->arena, x->g->blocks)};
    struct walk walk = walk_new(x->arena, x->g->blocks);
    bitset_add(w.blocks, branch);
    ir_add_successors(&walk, x->f, branch, stop);
    walk_each(b, &walk) {
        if (!bitset_has(x->leads, b))
            continue;
        ir_ref barrier = first_barrier(x, b);
        w.in_calls |= calls(x, b);
        if (barrier) {
            vec_push(x->arena, &w.barriers, barrier);
        } else {
            bitset_add(w.blocks, b);
            ir_add_successors(&walk, x->f, b, stop);
        }
    }
    return w;
}

/* ---- which branches ---------------------------------------------------------------------------------- */

/* Whether several sides lead to barriers, and threads of one of these may end before they come to theirs. */
static bool may_exit_first(const struct joiner *x, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    uint32_t first = IR_NO_BLOCK;
    bool ends = false, several = false;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t s = block->edges.at[e].block;
        if (!bitset_has(x->leads, s))
            continue;
        several |= first != IR_NO_BLOCK && first != s;
        first = s;
        ends |= bitset_has(x->ends, s);
    }
    return several && ends;
}

static bool is_candidate(const struct joiner *x, const struct ir_uniformity *u, uint32_t b)
{
    if (!bitset_has(u->branches, b) || !may_exit_first(x, b) ||
        map_get(&x->tried, ir_terminator(x->f, b)) != MAP_NONE)
        return false;
    struct paths w = paths_from(x, b, x->points[b]);
    return w.barriers.count || w.in_calls;
}

/* ---- the paths --------------------------------------------------------------------------------------- */

/* What a joined barrier's block begins with: its anchor, or the barrier itself. */
static ir_ref start_of(const struct joiner *x, ir_ref barrier)
{
    ir_ref token = barrier ? ir_at(x->f, barrier)->token : 0;
    return token && ir_at(x->f, token)->op == IR_anchor && ir_at(x->f, token)->next == barrier ? token
                                                                                               : barrier;
}

static bool cut(const struct joiner *x, const struct paths *w)
{
    bool changed = false;
    for (uint32_t i = 0; i < w->barriers.count; i++)
        changed |= opt_split_before(x->f, start_of(x, w->barriers.at[i]));
    return changed;
}

static opt_edges edges_to(const struct joiner *x, const struct paths *w)
{
    struct bitset to = bitset_new(x->arena, x->g->blocks);
    opt_edges edges = {0};
    for (uint32_t i = 0; i < w->barriers.count; i++)
        bitset_add(to, ir_at(x->f, w->barriers.at[i])->block);
    bitset_each(b, w->blocks)
        for (uint32_t e = 0; e < ir_block_at(x->f, b)->edges.count; e++)
            if (bitset_has(to, ir_block_at(x->f, b)->edges.at[e].block))
                vec_push(x->arena, &edges, ((struct opt_edge){b, e}));
    return edges;
}

/* ---- tokens ------------------------------------------------------------------------------------------ */

/* Instructions whose token has been changed, and what it was. */
struct old_token {
    ir_ref r, token;
};
/* Hearts that were taken out of their blocks, and what they stood before. */
struct heart {
    ir_ref r, next;
    uint32_t block;
};
struct retokened {
    VEC(struct old_token) all;
    VEC(struct heart) hearts;
    u32_vec anchors;
};

static void retoken(const struct joiner *x, struct retokened *n, ir_ref r, ir_ref token)
{
    vec_push(x->arena, &n->all, ((struct old_token){r, ir_at(x->f, r)->token}));
    ir_at(x->f, r)->token = token;
}

static void put_back(const struct joiner *x, struct retokened *n)
{
    while (n->hearts.count) {
        const struct heart *h = &n->hearts.at[--n->hearts.count];
        struct ir_cursor c = {x->f, h->block, h->next, ir_at(x->f, h->r)->at};
        ir_link(&c, h->r);
    }
    while (n->all.count) {
        n->all.count--;
        ir_at(x->f, n->all.at[n->all.count].r)->token = n->all.at[n->all.count].token;
    }
    for (uint32_t i = 0; i < n->anchors.count; i++)
        ir_remove(x->f, n->anchors.at[i]);
}

static void anchor(const struct joiner *x, struct retokened *n, ir_ref barrier)
{
    if (start_of(x, barrier) != barrier)
        return;
    struct ir_cursor c = {x->f, ir_at(x->f, barrier)->block, barrier, ir_at(x->f, barrier)->at};
    ir_ref token = ir_emit0(&c, IR_anchor, IR_TYPE_TOKEN);
    vec_push(x->arena, &n->anchors, token);
    retoken(x, n, barrier, token);
}

/* Whether the static rules of tokens hold, and each definition dominates its uses. */
static bool tokens_are_right(const struct joiner *x)
{
    struct diagnostics d;
    diag_init(&d, x->arena, NULL);
    const struct ir_tokens *t = opt_tokens(x->c, x->f);
    const struct ir_dominators *dominators = opt_dominators(x->c, x->f);
    for (uint32_t i = 0; i < t->defs.count; i++)
        for (uint32_t u = t->use_start[i]; u < t->use_start[i + 1]; u++)
            if (!ir_dominates(dominators, ir_at(x->f, t->defs.at[i])->block, ir_at(x->f, t->uses[u])->block))
                return false;
    return ir_verify_tokens(x->arena, t, opt_cycles(x->c, x->f), &d);
}

/* Whether some way leads from the block to itself without a barrier. */
static bool comes_again(const struct joiner *x, uint32_t home)
{
    struct walk w = walk_new(x->arena, x->f->blocks.count);
    ir_add_successors(&w, x->f, home, IR_NO_BLOCK);
    walk_each(b, &w)
        if (!first_barrier(x, b))
            ir_add_successors(&w, x->f, b, IR_NO_BLOCK);
    return bitset_has(w.seen, home);
}

/* Whether all threads that have passed the barrier of block `home` together have one instance of the token:
 * that of the entry, of a barrier before, or of an iteration that each has begun once since the barrier
 * before. `before`: without J. */
static bool is_one_for_all(const struct joiner *x, const struct ir_dominators *before, ir_ref token,
                           uint32_t home)
{
    const struct ir_ins *def = ir_at(x->f, token);
    switch (def->op) {
    case IR_entry: return true;
    case IR_anchor: return start_of(x, def->next) == token;
    case IR_loop: return ir_dominates(before, def->block, home) && !comes_again(x, def->block);
    default: return false;
    }
}

/* Behind the barrier of block `home` its anchor takes the place of tokens that are defined before it. */
static void use_anchor(const struct joiner *x, struct retokened *n, const struct ir_dominators *before,
                       uint32_t home, ir_ref token)
{
    const struct ir_dominators *dominators = opt_dominators(x->c, x->f);
    ir_each_block(i, b, x->f) {
        if (!ir_dominates(dominators, home, b))
            continue;
        ir_each_ins(r, x->f, b) {
            ir_ref old = ir_at(x->f, r)->token;
            if (old && old != token && !ir_dominates(dominators, home, ir_at(x->f, old)->block) &&
                is_one_for_all(x, before, old, home))
                retoken(x, n, r, token);
        }
    }
}

/* Hearts by which nothing is controlled any more. */
static void drop_hearts(const struct joiner *x, struct retokened *n)
{
    struct bitset used = ir_tokens_in_use(x->arena, x->f);
    ir_each_block(i, b, x->f)
        for (ir_ref r = ir_block_at(x->f, b)->first, next; r; r = next) {
            next = ir_at(x->f, r)->next;
            if (ir_at(x->f, r)->op != IR_loop || bitset_has(used, r))
                continue;
            vec_push(x->arena, &n->hearts, ((struct heart){r, next, b}));
            ir_unlink(x->f, r);
        }
}

/* ---- joining ----------------------------------------------------------------------------------------- */

/* False, and nothing has changed, if tokens are in the way. */
static bool merge(const struct joiner *x, const struct paths *w, const opt_edges *edges, place at)
{
    struct retokened tokens = {0};
    VEC(struct ir_edge) old = {0};
    const struct ir_dominators *before = ir_dominators_new(x->arena, x->g); /* outlives the runner's */
    for (uint32_t i = 0; i < edges->count; i++)
        vec_push(x->arena, &old, ir_block_at(x->f, edges->at[i].block)->edges.at[edges->at[i].edge]);
    for (uint32_t i = 0; i < w->barriers.count; i++)
        anchor(x, &tokens, w->barriers.at[i]);
    uint32_t block = opt_merge_edges(x->arena, x->f, edges, at);
    opt_invalidate(x->c, x->f);
    ir_block_at(x->f, block)->overhead = true;
    if (tokens_are_right(x))
        return true;
    for (uint32_t i = 0; i < w->barriers.count; i++) {
        const struct ir_ins *barrier = ir_at(x->f, w->barriers.at[i]);
        use_anchor(x, &tokens, before, barrier->block, barrier->token);
    }
    drop_hearts(x, &tokens);
    opt_invalidate(x->c, x->f);
    if (tokens_are_right(x))
        return true;
    for (uint32_t i = 0; i < edges->count; i++)
        ir_block_at(x->f, edges->at[i].block)->edges.at[edges->at[i].edge] = old.at[i];
    ir_block_remove(x->f, block);
    put_back(x, &tokens);
    opt_invalidate(x->c, x->f);
    return false;
}

static void repair(const struct joiner *x)
{
    struct opt_demotion demotion = {.c = x->c, .f = x->f};
    opt_demote_broken(&demotion);
    opt_demote_finish(&demotion);
    opt_invalidate(x->c, x->f);
}

static bool join(const struct joiner *x, uint32_t branch, const struct paths *w)
{
    place at = ir_at(x->f, ir_terminator(x->f, branch))->at;
    opt_edges edges = edges_to(x, w);
    bool joined =
        w->barriers.count > 1 && !w->in_calls && opt_ssa_possible(x->c, x->f) && merge(x, w, &edges, at);
    if (joined) {
        repair(x);
        opt_count(x->c, "barriers joined", w->barriers.count);
        opt_remark(x->c, x->f, OPT_APPLIED, "joined", at,
                   "the ways to %u barriers joined, where threads of one side may return first",
                   w->barriers.count);
    } else {
        opt_remark(x->c, x->f, OPT_MISSED, "apart", at,
                   "threads may wait at a barrier for those of the other side to return, which do not run");
    }
    return joined;
}

/* ---- rounds ------------------------------------------------------------------------------------------ */

static struct bitset find_leads(const struct joiner *x)
{
    return ir_leads_to_barrier(x->arena, opt_cfg(x->c, x->f), x->waiting);
}

/* Whether the function is a kernel with barriers. */
static bool waits(const struct joiner *x)
{
    return x->f->order.count && x->f->flags & IR_FN_KERNEL && bitset_count(find_leads(x));
}

/* The first branch to join, or IR_NO_BLOCK. */
static uint32_t find(struct joiner *x)
{
    const struct ir_uniformity *u = opt_uniformity(x->c, x->f);
    x->g = opt_cfg(x->c, x->f);
    x->points = ir_reconvergence_points(x->arena, x->g, opt_return_post_dominators(x->c, x->f));
    x->leads = find_leads(x);
    x->ends = *opt_exits_without_barrier(x->c, x->f);
    for (uint32_t i = 0; i < x->g->rpo_count; i++)
        if (is_candidate(x, u, x->g->rpo[i]))
            return x->g->rpo[i];
    return IR_NO_BLOCK;
}

/* False: there is no more to do. */
static bool run_round(struct joiner *x, bool *changed, ir_ref *tried)
{
    uint32_t branch = find(x);
    if (branch == IR_NO_BLOCK)
        return false;
    struct paths w = paths_from(x, branch, IR_NO_BLOCK);
    ir_ref terminator = ir_terminator(x->f, branch);
    if (cut(x, &w)) {
        *changed = true;
        opt_invalidate(x->c, x->f);
        return true;
    }
    *changed |= join(x, branch, &w);
    *tried = terminator;
    return true;
}

bool opt_barriers_to_join(struct opt_context *c, struct ir_function *f)
{
    struct joiner x = {.c = c, .f = f, .arena = c->scratch};
    x.waiting = *opt_waiting_functions(c, f->module);
    return waits(&x) && find(&x) != IR_NO_BLOCK;
}

/* Whether reconverge has named places: before it, blocks that lead to several barriers would be in its way. */
static bool has_places(const struct ir_function *f)
{
    ir_each_block(i, b, f)
        if (ir_block_at(f, b)->reconverge != IR_NO_BLOCK)
            return true;
    return false;
}

bool opt_join_barriers(struct opt_context *c, struct ir_function *f)
{
    struct joiner x = {.c = c, .f = f, .arena = c->scratch, .waiting = *opt_waiting_functions(c, f->module)};
    bool changed = false;
    if (opt_scheme_has(c, SCHEME_HOLDS) || !has_places(f) || !waits(&x))
        return false;
    for (bool again = true; again;) {
        struct scratch scratch;
        ir_ref tried = 0;
        x.arena = scratch_begin(&scratch);
        again = run_round(&x, &changed, &tried);
        scratch_end(&scratch);
        if (tried)
            map_set(c->scratch, &x.tried, tried, 1);
    }
    return changed;
}
