/* structurize.c: control flow becomes nested regions of one entry and one exit.
 *
 * F. Zhang, E. D'Hollander, "Using hammock graphs to structure programs" (2004), as H. Wu et al. apply it to
 * divergent code in "Characterization and transformation of unstructured control flow in GPU applications"
 * (2011):
 *
 *   backward copy   a cycle with several entries: what runs before its header is reached is copied in front
 *                   of it
 *   cut             a loop with several exits: one way out, from a new latch
 *   forward copy    blocks that several sides of a branch lead to before they reconverge: each side gets its
 *                   own
 *
 * Copies are limited: to COPIES_MAX times the function's instructions and COPIES_FREE more, and to blocks
 * without convergent operations. Beyond that a cycle gets a header with tests (opt_make_reducible), and all
 * exits of the blocks between a branch and the shared one go through one block.
 *
 * First all returns become one. Innermost loops and branches first; after each change all is looked at anew
 * (opt/limits.def: structurize_rounds, structurize_work). What can't be made structured is said in a remark.
 * Works on the graph restricted to blocks that reach the ret: nobody waits for lanes elsewhere.
 */
#include "ir/converge/order.h"
#include "opt/kit/clone.h"
#include "opt/kit/merge_edges.h"

enum { COPIES_MAX = 2, COPIES_FREE = 100 };

struct structurize {
    struct opt_context *c;
    struct ir_function *f;
    uint32_t copies_left; /* instructions */
    struct map declined;  /* blocks: branches that can't be helped, headers of loops that can't */
    uint32_t round;       /* changes of this kind so far */
    bool too_large;       /* for another */

    /* Of one step, until the function changes. */
    struct arena *arena;
    const struct ir_cfg *g;
    const struct ir_cycles *cycles;
    const struct ir_dominators *dominators, *reconvergence;
    struct opt_clone clone; /* of the blocks at hand */

    /* Blocks that the sides of the branch at hand lead to before they reconverge. A side is named by its
     * target. */
    struct walk targets, all, shared, side; /* all: in the order of `first` */
    uint32_t *first;                        /* by block in `all`: the first side that leads there */
};

/* Whether the block reaches a ret. */
static bool returns(const struct structurize *s, uint32_t b)
{
    return s->reconvergence->depth[b] != 0;
}

/* Whether another change may be made. */
static bool may_change(struct structurize *s)
{
    struct ir_function *f = s->f;
    s->too_large |=
        !opt_below(s->c, f, OPT_LIMIT_structurize_rounds, s->round) ||
        !opt_below(s->c, f, OPT_LIMIT_cut_values, f->ins.count) ||
        !opt_below(s->c, f, OPT_LIMIT_structurize_work, (uint64_t)(s->round + 1) * f->blocks.count) ||
        !opt_ssa_possible(s->c, f);
    return !s->too_large;
}

/* ---- copying ----------------------------------------------------------------------------------------- */

static uint32_t size_of(const struct ir_function *f, struct bitset set)
{
    uint32_t n = 0;
    bitset_each(b, set)
        ir_each_ins(r, f, b)
            n++;
    return n;
}

/* Whether the blocks may run as another copy: few enough, and nothing convergent in them. */
static bool may_copy(const struct structurize *s, struct bitset set)
{
    bitset_each(b, set)
        ir_each_ins(r, s->f, b) {
            enum ir_op op = (enum ir_op)ir_at(s->f, r)->op;
            if (ir_is_convergent(s->f, r) || opt_is_token_op(op) || opt_is_prediction(op) || op == IR_alloca)
                return false;
        }
    return size_of(s->f, set) <= s->copies_left;
}

/* The copies' edges lead to each other, or to where the originals' do. In reverse post-order: definitions come
 * before uses, but for those around cycles, which are parameters. */
static void copy_blocks(struct structurize *s, struct bitset set)
{
    opt_clone_reserve(&s->clone);
    bitset_each(b, set)
        opt_clone_block(&s->clone, b);
    for (uint32_t i = 0; i < s->g->rpo_count; i++)
        if (bitset_has(set, s->g->rpo[i])) {
            opt_clone_instructions(&s->clone, s->g->rpo[i], true);
            opt_clone_edges(&s->clone, s->g->rpo[i]);
        }
    s->copies_left -= size_of(s->f, set);
}

/* Makes values variables that do not dominate their uses any more, or have a copy. */
static void repair(struct structurize *s)
{
    struct opt_demotion d = {.c = s->c, .f = s->f};
    opt_demote_broken(&d);
    for (uint32_t v = 0; v < d.values.count; v++) {
        ir_ref value = d.values.at[v];
        if (opt_cloned_value(&s->clone, value) != value)
            opt_demote_copy(&d, value, opt_cloned_value(&s->clone, value));
    }
    opt_demote_finish(&d);
}

/* ---- cycles with several entries --------------------------------------------------------------------- */

/* Blocks of the cycle that run before the header, for threads that enter elsewhere. */
static struct bitset before_header(const struct structurize *s, uint32_t cycle)
{
    const struct ir_cycle *k = &s->cycles->at[cycle];
    struct walk w = walk_new(s->arena, s->g->blocks);
    for (uint32_t i = 1; i < k->entries.count; i++)
        walk_add(&w, k->entries.at[i]);
    walk_each(b, &w)
        ir_each_succ(to, b, s->f)
            if (to != k->header && ir_cycle_has(s->cycles, cycle, to))
                walk_add(&w, to);
    return w.seen;
}

static void enter_copies(struct structurize *s, uint32_t cycle)
{
    const struct ir_cycle *k = &s->cycles->at[cycle];
    for (uint32_t i = 1; i < k->entries.count; i++) {
        uint32_t entry = k->entries.at[i];
        ir_each_pred(p, entry, s->g)
            if (!ir_cycle_has(s->cycles, cycle, p))
                ir_block_at(s->f, p)->edges.at[s->g->pred_edges[p_at]].block = s->clone.block[entry];
    }
}

static bool copy_backward(struct structurize *s)
{
    for (uint32_t k = 0; k < s->cycles->count; k++) {
        if (s->cycles->at[k].entries.count == 1)
            continue;
        struct bitset set = before_header(s, k);
        if (!may_copy(s, set))
            continue;
        if (!may_change(s))
            return false;
        copy_blocks(s, set);
        enter_copies(s, k);
        repair(s);
        opt_count(s->c, "backward copies", 1);
        return true;
    }
    return false;
}

/* ---- cuts ---------------------------------------------------------------------------------------------- */

static opt_edges edges_out(const struct structurize *s, struct bitset set)
{
    opt_edges all = opt_edges_out(s->arena, s->g, set, set), out = {0};
    for (uint32_t i = 0; i < all.count; i++)
        if (returns(s, opt_edge_target(s->f, all.at[i])))
            vec_push(s->arena, &out, all.at[i]);
    return out;
}

static bool have_one_target(const struct structurize *s, const opt_edges *edges)
{
    for (uint32_t i = 1; i < edges->count; i++)
        if (opt_edge_target(s->f, edges->at[i]) != opt_edge_target(s->f, edges->at[0]))
            return false;
    return true;
}

/* Whether tokens, which go through no parameter, still reach their uses, and their regions nest. */
static bool tokens_hold(const struct structurize *s)
{
    opt_invalidate(s->c, s->f);
    const struct ir_tokens *t = opt_tokens(s->c, s->f);
    const struct ir_dominators *d = opt_dominators(s->c, s->f);
    struct diagnostics unsaid;
    diag_init(&unsaid, s->arena, NULL);
    for (uint32_t i = 0; i < t->defs.count; i++)
        for (uint32_t u = t->use_start[i]; u < t->use_start[i + 1]; u++)
            if (!ir_dominates(d, ir_at(s->f, t->defs.at[i])->block, ir_at(s->f, t->uses[u])->block))
                return false;
    return ir_verify_tokens(s->arena, t, opt_cycles(s->c, s->f), &unsaid);
}

/* Leads edges out of a set of blocks, which first are told where to, through one block; if there are edges
 * back, then these and that one through another. False: tokens are in the way, and all is as it was. `block`:
 * the branch or header that can't be helped then, which is said with what `remains`. */
static bool cut(struct structurize *s, const opt_edges *out, const opt_edges *back, uint32_t block,
                const char *remains)
{
    place at = ir_at(s->f, ir_terminator(s->f, block))->at;
    opt_edges all = {0};
    VEC(struct ir_edge) old = {0};
    for (uint32_t i = 0; i < back->count; i++)
        vec_push(s->arena, &all, back->at[i]);
    for (uint32_t i = 0; i < out->count; i++)
        vec_push(s->arena, &all, out->at[i]);
    for (uint32_t i = 0; i < all.count; i++)
        vec_push(s->arena, &old, ir_block_at(s->f, all.at[i].block)->edges.at[all.at[i].edge]);
    if (!have_one_target(s, out))
        opt_merge_edges(s->arena, s->f, out, at);
    if (back->count)
        opt_merge_edges(s->arena, s->f, &all, at);
    if (tokens_hold(s)) {
        repair(s);
        return true;
    }
    for (uint32_t i = 0; i < all.count; i++)
        ir_block_at(s->f, all.at[i].block)->edges.at[all.at[i].edge] = old.at[i];
    opt_drop_unreachable(s->arena, ir_cfg_new(s->arena, s->f), s->f);
    map_set(s->c->scratch, &s->declined, block, 1);
    opt_remark(s->c, s->f, OPT_MISSED, "unstructured", at, "%s, and its token can't be led through a cut",
               remains);
    return false;
}

/* ---- loops with several exits -------------------------------------------------------------------------- */

static struct bitset blocks_of(const struct structurize *s, uint32_t cycle)
{
    const struct ir_cycle *k = &s->cycles->at[cycle];
    struct bitset set = bitset_new(s->arena, s->g->blocks);
    for (uint32_t i = 0; i < k->count; i++)
        bitset_add(set, s->cycles->blocks[k->first + i]);
    return set;
}

/* Adds blocks that regions of the cycle's tokens reach beyond it. */
static void extend(const struct structurize *s, struct bitset set, uint32_t cycle)
{
    struct ir_scopes *scopes = ir_scopes_new(s->arena, s->g, s->cycles, opt_tokens(s->c, s->f));
    const u32_vec none = {0}, *beyond = scopes ? ir_scope_beyond(scopes, cycle) : &none;
    for (uint32_t i = 0; i < beyond->count; i++)
        bitset_add(set, beyond->at[i]);
}

/* At most one edge leads out, from a branch on every path to the next iteration. */
static bool has_one_exit(const struct structurize *s, const opt_edges *out, const opt_edges *back)
{
    for (uint32_t i = 0; out->count == 1 && i < back->count; i++)
        if (!ir_dominates(s->dominators, out->at[0].block, back->at[i].block))
            return false;
    return out->count < 2;
}

/* Cycles with higher numbers are in others. */
static bool cut_loop(struct structurize *s)
{
    for (uint32_t k = s->cycles->count; k-- > 0;) {
        uint32_t header = s->cycles->at[k].header;
        struct bitset set = blocks_of(s, k);
        opt_edges back = opt_edges_back(s->arena, s->g, s->cycles, k), out = edges_out(s, set);
        if (has_one_exit(s, &out, &back) || map_get(&s->declined, header) != MAP_NONE)
            continue;
        extend(s, set, k);
        out = edges_out(s, set);
        if (out.count == 0) /* all end in traps */
            continue;
        if (!may_change(s))
            return false;
        if (!cut(s, &out, &back, header, "a loop is left at several places"))
            return true;
        opt_remark(s->c, s->f, OPT_APPLIED, "one-exit", ir_at(s->f, ir_terminator(s->f, header))->at,
                   "loop left by one branch: %u exits merged", out.count);
        opt_count(s->c, "loops", 1);
        opt_count(s->c, "exits merged", out.count);
        return true;
    }
    return false;
}

/* ---- branches whose sides share blocks ----------------------------------------------------------------- */

/* Where threads of the side that begins with the target are done with it: they fall through to another, or
 * reconverge with all. */
static uint32_t end_of_side(const struct structurize *s, uint32_t target, uint32_t stop)
{
    uint32_t end = s->reconvergence->idom[target];
    while (end != stop && !bitset_has(s->targets.seen, end))
        end = s->reconvergence->idom[end];
    return end;
}

static void find_sides(struct structurize *s, uint32_t branch)
{
    uint32_t stop = s->reconvergence->idom[branch];
    walk_restart(&s->all), walk_restart(&s->shared), walk_restart(&s->targets);
    ir_add_successors(&s->targets, s->f, branch, stop);
    walk_each(target, &s->targets) {
        if (!returns(s, target))
            continue;
        uint32_t end = end_of_side(s, target, stop);
        walk_restart(&s->side);
        walk_add(&s->side, target);
        walk_each(b, &s->side) {
            if (!returns(s, b) || bitset_has(s->shared.seen, b))
                continue;
            if (bitset_has(s->all.seen, b))
                walk_add(&s->shared, b);
            else
                s->first[b] = target;
            walk_add(&s->all, b);
            ir_add_successors(&s->side, s->f, b, end);
        }
    }
}

static bool leads_to(const struct structurize *s, uint32_t b, struct bitset set)
{
    ir_each_succ(to, b, s->f)
        if (bitset_has(set, to))
            return true;
    return false;
}

/* The first side whose own blocks lead to shared ones. */
static uint32_t find_keeper(const struct structurize *s)
{
    for (uint32_t i = 0; i < s->all.list.count; i++) {
        uint32_t b = s->all.list.at[i];
        if (!bitset_has(s->shared.seen, b) && leads_to(s, b, s->shared.seen))
            return s->first[b];
    }
    return UINT32_MAX;
}

/* The keeper keeps the shared blocks; edges to them from other sides' own blocks and from the branch go to
 * copies. Of more than two sides the others are left for the next step. */
static void copy_forward(struct structurize *s, uint32_t branch)
{
    uint32_t keeper = find_keeper(s);
    copy_blocks(s, s->shared.seen);
    walk_add(&s->all, branch);
    s->first[branch] = branch;
    walk_each(b, &s->all)
        ir_each_succ(to, b, s->f)
            if (!bitset_has(s->shared.seen, b) && s->first[b] != keeper && bitset_has(s->shared.seen, to))
                ir_block_at(s->f, b)->edges.at[to_at].block = s->clone.block[to];
    repair(s);
    opt_count(s->c, "forward copies", 1);
}

/* The branch, and the blocks between it and the first shared one. */
static struct bitset blocks_between(const struct structurize *s, uint32_t branch)
{
    struct walk w = walk_new(s->arena, s->g->blocks);
    uint32_t i = 0;
    while (!bitset_has(s->shared.seen, s->g->rpo[i]))
        i++;
    walk_add(&w, s->g->rpo[i]);
    walk_each(b, &w)
        ir_each_pred(p, b, s->g)
            if (bitset_has(s->all.seen, p) && !bitset_has(s->shared.seen, p))
                walk_add(&w, p);
    bitset_remove(w.seen, s->g->rpo[i]);
    bitset_add(w.seen, branch);
    return w.seen;
}

static void cut_before_shared(struct structurize *s, uint32_t branch)
{
    opt_edges out = edges_out(s, blocks_between(s, branch)), none = {0};
    if (cut(s, &out, &none, branch,
            "sides of a branch still share blocks: a convergent operation may not be copied"))
        opt_count(s->c, "cuts", 1);
}

/* Innermost branches first. A loop's exit branch leads back to itself: its sides do not reconverge before it is
 * left. */
static bool help_branch(struct structurize *s)
{
    uint32_t n = s->g->blocks;
    s->all = walk_new(s->arena, n), s->shared = walk_new(s->arena, n);
    s->side = walk_new(s->arena, n), s->targets = walk_new(s->arena, n);
    s->first = arena_array(s->arena, uint32_t, n);
    for (uint32_t i = s->g->rpo_count; i-- > 0;) {
        uint32_t b = s->g->rpo[i];
        if (ir_block_at(s->f, b)->edges.count < 2 || !returns(s, b) || map_get(&s->declined, b) != MAP_NONE)
            continue;
        find_sides(s, b);
        if (bitset_has(s->all.seen, b) || s->shared.list.count == 0)
            continue;
        if (!may_change(s))
            return false;
        if (may_copy(s, s->shared.seen))
            copy_forward(s, b);
        else
            cut_before_shared(s, b);
        return true;
    }
    return false;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

/* Makes changes one by one, until the step finds no other, or may not make it. False: too large. */
static bool repeat(struct structurize *s, bool (*step)(struct structurize *), bool *changed)
{
    bool again = true;
    for (s->round = 0; again; s->round++) {
        struct scratch scratch;
        s->arena = scratch_begin(&scratch);
        s->clone = (struct opt_clone){.arena = s->arena, .f = s->f};
        opt_invalidate(s->c, s->f);
        s->g = opt_cfg(s->c, s->f);
        s->cycles = opt_cycles(s->c, s->f);
        s->dominators = opt_dominators(s->c, s->f);
        s->reconvergence = opt_return_post_dominators(s->c, s->f);
        again = step(s);
        scratch_end(&scratch);
        *changed |= again;
    }
    return !s->too_large;
}

bool opt_structurize(struct opt_context *c, struct ir_function *f)
{
    struct bitset waits =
        ir_leads_to_barrier(c->scratch, opt_cfg(c, f), *opt_waiting_functions(c, f->module));
    if (!opt_scheme_has(c, SCHEME_HOLDS) && bitset_count(waits)) {
        opt_remark(c, f, OPT_MISSED, "unstructured", f->at,
                   "not structured: threads that return would wait for others at a barrier");
        return false;
    }
    uint32_t before = size_of(f, opt_cfg(c, f)->reachable), copies = COPIES_MAX * before + COPIES_FREE;
    struct structurize s = {.c = c, .f = f, .copies_left = copies};
    bool prepared = opt_forget_places(c, f);
    prepared |= opt_drop_needless_hearts(c, f);
    prepared |= opt_split_scopes(c, f);
    bool changed = opt_return_once(c->scratch, opt_cfg(c, f), f);
    bool fits = repeat(&s, copy_backward, &changed) && opt_make_reducible(c, f, &changed) &&
                repeat(&s, cut_loop, &changed) && repeat(&s, help_branch, &changed);
    if (!fits || s.declined.count)
        opt_remark(c, f, OPT_MISSED, "unstructured", f->at,
                   fits ? "not structured" : "not structured: control flow too large");
    else if (changed)
        opt_remark(c, f, OPT_APPLIED, "structured", f->at, "structured: %u instructions copied, %u became %u",
                   copies - s.copies_left, before, size_of(f, opt_cfg(c, f)->reachable));
    opt_count(c, "instructions copied", copies - s.copies_left);
    return changed || prepared;
}
