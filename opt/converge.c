/* converge.c: makes post-dominators out of the places where convergence tokens want threads together.
 *
 * By "Convergent Operation Semantics", the threads of an operation are all that reach it with the same
 * instance of its token. A scheme that reconverges at immediate post-dominators parts them where control flow
 * is not nested ("Unstructured control flow"). Two demands are checked for each divergent branch b inside the
 * region of a token's definition D, P being b's immediate post-dominator:
 *
 *   an operation U that uses the token: if threads can come to U from two sides of b, all their paths pass P
 *   first; the next iteration, if D, a heart or an anchor, is in a cycle: if P lies in the region, no path
 *   from b to the cycle's
 *       header goes round P (else threads of several iterations would meet at P).
 *
 * Where one is not met, the blocks A between b and U (or the header) are found: those that b leads to and
 * that lead to U without passing D; for an iteration the cycle's, and the rest of D's region, so that all its
 * operations come before the meeting; and the regions of tokens that would not nest any more. All edges that
 * leave them go through one block (gather.h), which then post-dominates b. A value that does not dominate all
 * its uses any more becomes a variable again (demote.h). Innermost tokens first, the first branch of a region
 * first; then everything is looked at anew.
 *
 * Why A has no other ways out: a function with several returns first gets a single one, outside of A. A trap
 * may still leave A, and a cycle inside may have no end; then the demand may stay unmet, and a remark says
 * so.
 *
 * Cost of a round: the sum of the regions' sizes, and for each branch whose threads may meet elsewhere than
 * at P, and each operation between it and P, once the region (in structured code: hearts of loops with
 * several exits). The limit converge_rounds bounds the rounds.
 */
#include "opt/demote.h"
#include "opt/gather.h"

struct converge {
    struct opt_context *c;
    struct ir_function *f;
    struct arena *arena;                 /* of one round */
    const struct ir_cfg *g;
    const struct ir_cycles *cycles;
    const struct ir_dominators *dominators, *post;
    const struct ir_tokens *tokens;
    const struct ir_uniformity *uniformity;
    struct ir_join_finder *joins;
    u32_vec cuts;                        /* operations that have to begin a block of their own */
    struct map tried;                    /* (branch, user or definition): gathered before */
};

/* Threads that part at block `branch` are to be together in block `target`, those that come there without
 * passing block `stop`: for `user`, an operation with the token of `def`, or (user == def) since an iteration
 * ends. */
struct demand { uint32_t branch; ir_ref def, user; uint32_t target, stop, cycle; };

static uint32_t home(const struct converge *x, ir_ref r)
{
    return ir_at(x->f, r)->block;
}

/* ---- paths --------------------------------------------------------------------------------------------- */

/* Blocks whose ends lead to the target without passing `stop`, nor `avoid` (IR_NO_BLOCK: none), nor leaving
 * the cycle. */
static struct bitset blocks_before(const struct converge *x, struct demand d, uint32_t avoid)
{
    struct bitset before = bitset_new(x->arena, x->g->blocks);
    u32_vec work = {0};
    vec_push(x->arena, &work, d.target);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        for ir_each_pred(p, b, x->g) {
            if (p == avoid || bitset_has(before, p) ||
                (d.cycle != IR_NO_CYCLE && !ir_cycle_has(x->cycles, d.cycle, p)))
                continue;
            bitset_add(before, p);
            if (p != d.stop && p != d.target)
                vec_push(x->arena, &work, p);
        }
    }
    return before;
}

/* Whether the edge to s leads to the target. */
static bool leads_there(const struct converge *x, struct demand d, struct bitset before, uint32_t s)
{
    return s == d.target || (s != d.stop && bitset_has(before, s));
}

/* How many different successors of the branch lead to the target, without passing `avoid`. */
static uint32_t sides(const struct converge *x, struct demand d, uint32_t avoid)
{
    const struct ir_block *b = ir_block_at(x->f, d.branch);
    struct bitset before = blocks_before(x, d, avoid);
    uint32_t n = 0;
    for (uint32_t e = 0; e < b->edges.count; e++) {
        uint32_t s = b->edges.at[e].block;
        bool again = s == avoid;
        for (uint32_t k = 0; k < e; k++)
            again |= b->edges.at[k].block == s;
        n += !again && leads_there(x, d, before, s);
    }
    return n;
}

/* ---- demands ------------------------------------------------------------------------------------------- */

/* Whether the threads that part at the branch may meet anywhere but at its post-dominator. */
static bool meets_elsewhere(const struct converge *x, uint32_t branch)
{
    const struct ir_joins *j = ir_find_joins(x->joins, branch);
    uint32_t cycle = x->cycles->innermost[branch], p = x->post->idom[branch];
    if (x->g->pred_start[x->g->blocks] > IR_JOIN_LIMIT)
        return true;             /* the finder could give up */
    for (; cycle != IR_NO_CYCLE; cycle = x->cycles->at[cycle].parent)
        if (x->cycles->at[cycle].entries.count > 1)
            return true;
    for (uint32_t i = 0; i < j->joins.count; i++)
        if (j->joins.at[i] != p)
            return true;
    for (uint32_t i = 0; i < j->exits.count; i++)
        if (j->exits.at[i] != p)
            return true;
    return false;
}

/* Blocks that threads come to from the branch before its post-dominator. */
static u32_vec blocks_until(const struct converge *x, uint32_t branch)
{
    u32_vec list = {0};
    struct bitset seen = bitset_new(x->arena, x->g->blocks);
    const struct ir_block *b = ir_block_at(x->f, branch);
    for (uint32_t next = 0;; b = ir_block_at(x->f, list.at[next++])) {
        for (uint32_t e = 0; e < b->edges.count; e++) {
            uint32_t s = b->edges.at[e].block;
            if (s == x->post->idom[branch] || bitset_has(seen, s))
                continue;
            bitset_add(seen, s);
            vec_push(x->arena, &list, s);
        }
        if (next == list.count)
            return list;
    }
}

static bool is_met_at_user(const struct converge *x, struct demand d)
{
    uint32_t p = x->post->idom[d.branch];
    if (d.target == d.stop || p == d.target || sides(x, d, IR_NO_BLOCK) < 2)
        return true;
    return p != IR_NO_BLOCK && sides(x, d, p) == 0;
}

static bool is_met_at_definition(const struct converge *x, struct demand d, const struct ir_token_region *g)
{
    uint32_t p = x->post->idom[d.branch];
    if (d.cycle == IR_NO_CYCLE || p == IR_NO_BLOCK || p == home(x, d.def) || map_get(&g->at, p) == MAP_NONE)
        return true;
    return p == d.target || sides(x, d, p) == 0;
}

static bool was_tried(const struct converge *x, struct demand d)
{
    return map_get(&x->tried, (uint64_t)d.branch << 32 | d.user) != MAP_NONE;
}

static struct demand demand_of_use(const struct converge *x, uint32_t branch, ir_ref user)
{
    ir_ref def = ir_at(x->f, user)->token;
    return (struct demand){branch, def, user, home(x, user), home(x, def), IR_NO_CYCLE};
}

/* The iteration that ends is that of the innermost cycle with both, at its header. */
static struct demand demand_of_definition(const struct converge *x, uint32_t branch, ir_ref def)
{
    uint32_t cycle = ir_cycle_common(x->cycles, branch, home(x, def));
    uint32_t header = cycle == IR_NO_CYCLE ? IR_NO_BLOCK : x->cycles->at[cycle].header;
    return (struct demand){branch, def, def, header, header, cycle};
}

static bool find_in_branch(const struct converge *x, const struct ir_token_region *g, uint32_t branch,
                           struct demand *d)
{
    *d = demand_of_definition(x, branch, g->def);
    if (ir_at(x->f, g->def)->op != IR_entry && !was_tried(x, *d) && !is_met_at_definition(x, *d, g))
        return true;
    if (!meets_elsewhere(x, branch))
        return false;
    u32_vec until = blocks_until(x, branch);
    for (uint32_t i = 0; i < until.count; i++) {
        uint32_t b = until.at[i];
        for (uint32_t u = x->tokens->user_start[b]; u < x->tokens->user_start[b + 1]; u++) {
            *d = demand_of_use(x, branch, x->tokens->users[u]);
            if (d->def == g->def && !was_tried(x, *d) && !is_met_at_user(x, *d))
                return true;
        }
    }
    return false;
}

static bool find_in_region(const struct converge *x, ir_ref def, struct demand *d)
{
    const struct ir_token_region *g = ir_token_region_new(x->arena, x->tokens, def);
    struct bitset inside = bitset_new(x->arena, x->g->rpo_count);
    for (uint32_t i = 0; i < g->blocks.count; i++)
        if (g->ends.at[i] == IR_REGION_THROUGH && bitset_has(x->uniformity->branches, g->blocks.at[i]))
            bitset_add(inside, x->g->rpo_index[g->blocks.at[i]]);
    for bitset_each (i, inside)
        if (find_in_branch(x, g, x->g->rpo[i], d))
            return true;
    return false;
}

static bool find_demand(const struct converge *x, struct demand *d)
{
    for (uint32_t i = x->tokens->defs.count; i-- > 0;)
        if (find_in_region(x, x->tokens->defs.at[i], d))
            return true;
    return false;
}

/* ---- the blocks between -------------------------------------------------------------------------------- */

static struct bitset blocks_behind(const struct converge *x, struct demand d)
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
            vec_push(x->arena, &work, s);
        }
    }
    return behind;
}

/* Where the code behind a region's end, in a block that goes on with an operation of another token or returns,
 * has to begin a block of its own; 0: nowhere. */
static ir_ref find_cut(const struct converge *x, const struct ir_token_region *g, uint32_t i)
{
    uint32_t b = g->blocks.at[i];
    if (g->ends.at[i] == IR_REGION_THROUGH)
        return 0;
    for (uint32_t u = x->tokens->user_start[b]; u < x->tokens->user_start[b + 1]; u++)
        if (x->tokens->position[x->tokens->users[u]] > g->ends.at[i])
            return x->tokens->users[u];
    return ir_at(x->f, ir_terminator(x->f, b))->op == IR_ret ? ir_terminator(x->f, b) : 0;
}

/* Blocks of the region of `def`, `def`'s own apart. The target has to be cut if the region ends in it, before
 * the user. */
static void add_region(struct converge *x, struct bitset into, struct demand d, ir_ref def,
                       struct bitset within)
{
    const struct ir_token_region *g = ir_token_region_new(x->arena, x->tokens, def);
    for (uint32_t i = 0; i < g->blocks.count; i++) {
        uint32_t b = g->blocks.at[i];
        bool in_target = b == d.target && d.user != d.def && g->ends.at[i] < x->tokens->position[d.user];
        if (b == home(x, def) || !(in_target || bitset_has(within, b)))
            continue;
        if (!in_target)
            bitset_add(into, b);
        ir_ref cut = find_cut(x, g, i);
        if (cut)
            vec_push(x->arena, &x->cuts, cut);
    }
}

/* Whether some of the blocks, but not all, can use what is defined in the block at hand. */
static bool dominates_a_part(const struct converge *x, uint32_t block, struct bitset blocks)
{
    uint32_t some = 0, all = 0;
    for bitset_each (b, blocks) {
        some += ir_dominates(x->dominators, block, b);
        all++;
    }
    return some && some < all;
}

/* Edges that leave the blocks between, or the branch. */
static opt_edges edges_out(const struct converge *x, struct demand d, struct bitset between)
{
    opt_edges out = {0};
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t b = x->g->rpo[i];
        if (b != d.branch && !bitset_has(between, b))
            continue;
        for (uint32_t e = 0; e < ir_block_at(x->f, b)->edges.count; e++)
            if (!bitset_has(between, ir_block_at(x->f, b)->edges.at[e].block))
                vec_push(x->arena, &out, ((struct opt_edge){b, e}));
    }
    return out;
}

static bool dominates_definition(const struct converge *x, ir_ref def, ir_ref other)
{
    uint32_t a = home(x, def), b = home(x, other);
    return a == b ? x->tokens->position[def] < x->tokens->position[other] : ir_dominates(x->dominators, a, b);
}

/* Whether the block uses a token that is defined outside of the region of `def`, and around it. */
static bool uses_outer_token(const struct converge *x, uint32_t block, ir_ref def)
{
    for (uint32_t u = x->tokens->user_start[block]; u < x->tokens->user_start[block + 1]; u++)
        if (dominates_definition(x, ir_at(x->f, x->tokens->users[u])->token, def))
            return true;
    return false;
}

/* Whether some edge leads on inside the region of the token: the block that gathers it with others would bring
 * blocks into the region that use an outer token, so that the regions would not nest. */
static bool would_not_nest(const struct converge *x, ir_ref def, struct bitset between, const opt_edges *out)
{
    const struct ir_token_region *g = ir_token_region_new(x->arena, x->tokens, def);
    bool leads_on = false, outer = false;
    for (uint32_t i = 0; i < out->count && !leads_on; i++) {
        uint32_t to = ir_block_at(x->f, out->at[i].block)->edges.at[out->at[i].edge].block;
        leads_on = to != home(x, def) && map_get(&g->at, to) != MAP_NONE;
    }
    if (leads_on)
        for bitset_each (b, between)
            outer |= uses_outer_token(x, b, def);
    return outer;
}

/* The region of a token has to stay whole where the block that gathers would not be dominated by its
 * definition, since tokens go through no parameter, or where regions would not nest. */
static void add_regions_parted(struct converge *x, struct bitset between, struct demand d,
                               struct bitset behind)
{
    bool grew = true;
    while (grew) {
        uint32_t before = bitset_count(between);
        opt_edges out = edges_out(x, d, between);
        for (uint32_t i = 0; i < x->tokens->defs.count; i++) {
            ir_ref def = x->tokens->defs.at[i];
            if (bitset_has(between, home(x, def)) || dominates_a_part(x, home(x, def), between) ||
                would_not_nest(x, def, between, &out))
                add_region(x, between, d, def, behind);
        }
        grew = bitset_count(between) != before;
    }
}

static void keep_cycle(const struct converge *x, struct bitset between, uint32_t cycle)
{
    for bitset_each (b, between)
        if (!ir_cycle_has(x->cycles, cycle, b))
            bitset_remove(between, b);
}

static struct bitset blocks_between(struct converge *x, struct demand d)
{
    struct bitset between = blocks_before(x, d, IR_NO_BLOCK), behind = blocks_behind(x, d);
    bitset_intersect(between, behind);
    if (d.user == d.def) {
        keep_cycle(x, between, d.cycle);
        add_region(x, between, d, d.def, behind);
    } else if (ir_at(x->f, d.user)->op == IR_loop)
        add_region(x, between, d, d.user, behind);
    add_regions_parted(x, between, d, behind);
    return between;
}

/* ---- gathering ----------------------------------------------------------------------------------------- */

/* A definition may dominate some of the blocks between only, whose edges go by the new block now. */
static void repair(struct converge *x)
{
    struct opt_demotion demotion = {.c = x->c, .f = x->f};
    opt_demote_broken(&demotion);
    opt_demote_finish(&demotion);
}

static void gather(struct converge *x, struct demand d, struct bitset between)
{
    opt_edges out = edges_out(x, d, between);
    ir_ref branch = ir_terminator(x->f, d.branch);
    const char *what = ir_op_info[ir_at(x->f, d.user)->op].text;
    opt_remark(x->c, x->f, OPT_APPLIED, "gathered", ir_at(x->f, d.user)->at,
               "%u edges gathered, so that the threads that part at line %u meet at '%s'", out.count,
               ir_at(x->f, branch)->at.line, what);
    opt_count(x->c, "edges gathered", out.count);
    map_set(x->c->scratch, &x->tried, (uint64_t)d.branch << 32 | d.user, 1);
    opt_gather(x->arena, x->f, &out, ir_at(x->f, branch)->at);
    repair(x);
}

/* ---- rounds -------------------------------------------------------------------------------------------- */

static void analyse(struct converge *x)
{
    x->cuts = (u32_vec){0};
    x->g = ir_cfg_new(x->arena, x->f);
    x->cycles = ir_cycles_new(x->arena, x->g);
    x->dominators = ir_dominators_new(x->arena, x->g);
    x->post = ir_post_dominators_new(x->arena, x->g);
    x->tokens = ir_tokens_new(x->arena, x->g);
    x->uniformity = ir_uniformity_new(x->arena, x->g, x->cycles, x->tokens, NULL);
    x->joins = ir_join_finder_new(x->arena, x->g, x->cycles);
}

/* What the demand asks for, or first the cuts that it needs. */
static void meet(struct converge *x, struct demand d)
{
    struct bitset between = blocks_between(x, d);
    for (uint32_t i = 0; i < x->cuts.count; i++) {
        uint32_t b = home(x, x->cuts.at[i]);
        if (ir_block_at(x->f, b)->first == x->cuts.at[i])
            continue;            /* already cut here, for another region */
        uint32_t rest = ir_block_split(x->f, b, x->cuts.at[i], "rest");
        struct ir_cursor c = {.fn = x->f, .block = b, .at = ir_at(x->f, x->cuts.at[i])->at};
        ir_emit_br(&c, rest);
    }
    if (x->cuts.count == 0)
        gather(x, d, between);
}

/* True if the function changed: then there may be more to do. */
static bool run_round(struct converge *x, uint32_t round)
{
    struct demand d;
    analyse(x);
    if (!find_demand(x, &d))
        return false;
    if (!opt_below(x->c, x->f, OPT_LIMIT_converge_rounds, round) || !opt_ssa_possible(x->c, x->f)) {
        opt_remark(x->c, x->f, OPT_MISSED, "too-large", x->f->at,
                   "not all threads of an operation may meet: control flow too large to gather");
        return false;
    }
    if (!opt_return_once(x->arena, x->g, x->f))
        meet(x, d);
    opt_invalidate(x->c, x->f);
    return true;
}

bool opt_converge(struct opt_context *c, struct ir_function *f)
{
    struct converge x = {.c = c, .f = f};
    bool changed = false, again = true;
    for (uint32_t round = 0; again; round++) {
        struct arena arena = {0};
        x.arena = &arena;
        again = run_round(&x, round);
        changed |= again;
        arena_free(&arena);
    }
    return changed;
}
