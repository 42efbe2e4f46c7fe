/* structurize.c: control flow becomes nested regions of one entry and one exit.
 *
 * F. Zhang, E. D'Hollander, "Using hammock graphs to structure programs" (2004), as H. Wu et al. apply it to
 * divergent code in "Characterization and transformation of unstructured control flow in GPU applications"
 * (2011):
 *
 *   backward copy   a cycle with several entries: what runs before its header is reached is copied in front
 *                   of it
 *   cut             a loop with several exits: one way out, which first writes where it goes (cut_loops.c)
 *   forward copy    blocks that several sides of a branch lead to before they meet: each side gets its own
 *
 * Copies are limited: to COPIES_MAX times the function's instructions and COPIES_FREE more, and to blocks
 * without convergent operations, whose threads would be others. Beyond that a cycle gets a header with tests
 * (reducible.c) instead of a backward copy, and a cut takes the place of a forward copy: all ways out of the
 * blocks between the branch and the shared one go through one block.
 *
 * First all returns become one. Innermost branches first; after each change all is looked at anew,
 * structurize_rounds times at most and while rounds times blocks are below structurize_work (opt/limits.def).
 * What can't be made structured is said in a remark: a token's region in the way, or a function too large.
 * Works on the graph restricted to blocks that reach the ret.
 */
#include "opt/structurize.h"

#include "opt/cut.h"

enum { COPIES_MAX = 2, COPIES_FREE = 100 };

/* Blocks that a branch's sides lead to before they meet. Sides are numbered by their first edge. */
struct sides {
    uint32_t     *first;                 /* by block: the first side that leads there, plus 1; 0: none */
    struct bitset shared, all;
    u32_vec       blocks;                /* those in `all` */
    uint32_t      shared_count;
};

struct structurize {
    struct opt_cut cut;
    uint32_t       copies_left;          /* instructions */
    uint32_t       copied;
    struct map     declined;             /* branches that can't be helped */
    ir_ref        *map;                  /* of the blocks at hand: value -> copy */
    uint32_t       map_count;
    struct sides   sides;                /* of the branch at hand */
    uint32_t      *block_map;            /* of each of these blocks: its copy; IR_NO_BLOCK: no copy */
};

/* ---- copying ------------------------------------------------------------------------------------------- */

static uint32_t size_of(const struct structurize *s, struct bitset set)
{
    uint32_t n = 0;
    for bitset_each (b, set)
        for ir_each_ins(r, s->cut.f, b)
            n++;
    return n;
}

static bool may_copy(const struct structurize *s, struct bitset set)
{
    for bitset_each (b, set)
        for ir_each_ins(r, s->cut.f, b) {
            enum ir_op op = (enum ir_op)ir_at(s->cut.f, r)->op;
            if (ir_is_convergent(s->cut.f, r) || opt_is_token_op(op) || opt_is_prediction(op) ||
                op == IR_alloca)
                return false;
        }
    return size_of(s, set) <= s->copies_left;
}

static void copy_params(struct structurize *s, uint32_t b)
{
    struct ir_function *f = s->cut.f;
    uint32_t to = s->block_map[b] = ir_block_new(f, ir_block_at(f, b)->name);
    for (uint32_t i = 0; i < ir_block_at(f, b)->params.count; i++) {
        const struct ir_ins *p = ir_at(f, ir_block_at(f, b)->params.at[i]);
        s->map[ir_block_at(f, b)->params.at[i]] = ir_param_new(f, to, (enum ir_type)p->type, p->name);
    }
}

static void copy_edge(struct structurize *s, uint32_t to, struct ir_edge edge, uint32_t old_values)
{
    struct ir_function *f = s->cut.f;
    uint32_t target = s->block_map[edge.block] == IR_NO_BLOCK ? edge.block : s->block_map[edge.block];
    struct ir_edge *fresh = ir_edge_add(f, to, target, edge.value);
    for (uint32_t i = 0; i < edge.argc; i++)
        ir_edge_arg(f, fresh,
                    edge.args[i] < old_values && s->map[edge.args[i]] ? s->map[edge.args[i]] : edge.args[i]);
}

/* Blocks in reverse post-order: definitions come before uses, but for those around cycles, which are
 * parameters. */
static void copy_block(struct structurize *s, uint32_t b, uint32_t old_values)
{
    struct ir_function *f = s->cut.f;
    struct ir_cursor c = {.fn = f, .block = s->block_map[b]};
    for ir_each_ins(r, f, b)
        s->map[r] = ir_copy_ins(&c, f, r, s->map);
    for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count; e++)
        copy_edge(s, s->block_map[b], ir_block_at(f, b)->edges.at[e], old_values);
}

static void copy_blocks(struct structurize *s, struct bitset set)
{
    uint32_t values = s->cut.f->ins.count, blocks = s->cut.g->blocks;
    s->map = arena_array(s->cut.arena, ir_ref, values);
    s->map_count = values;
    s->block_map = arena_array(s->cut.arena, uint32_t, blocks);
    for (uint32_t b = 0; b < blocks; b++)
        s->block_map[b] = IR_NO_BLOCK;
    for bitset_each (b, set)
        copy_params(s, b);
    for (uint32_t i = 0; i < s->cut.g->rpo_count; i++)
        if (bitset_has(set, s->cut.g->rpo[i]))
            copy_block(s, s->cut.g->rpo[i], values);
    uint32_t n = size_of(s, set);
    s->copies_left -= n;
    s->copied += n;
}

static void repair(struct structurize *s)
{
    struct opt_demotion d = {.c = s->cut.c, .f = s->cut.f};
    opt_demote_broken(&d);
    for (uint32_t v = 0; v < d.values.count; v++) {
        ir_ref value = d.values.at[v];
        if (value < s->map_count && s->map[value])
            opt_demote_copy(&d, value, s->map[value]);
    }
    opt_demote_finish(&d);
}

/* ---- cycles with several entries ----------------------------------------------------------------------- */

/* Blocks of the cycle that run before the header, for threads that enter elsewhere. */
static struct bitset before_header(const struct structurize *s, const struct ir_cycle *k, uint32_t number)
{
    struct bitset set = bitset_new(s->cut.arena, s->cut.g->blocks);
    u32_vec work = {0};
    for (uint32_t i = 0; i < k->entries.count; i++)
        if (k->entries.at[i] != k->header) {
            bitset_add(set, k->entries.at[i]);
            vec_push(s->cut.arena, &work, k->entries.at[i]);
        }
    while (work.count) {
        const struct ir_block *b = ir_block_at(s->cut.f, vec_pop(&work));
        for (uint32_t e = 0; e < b->edges.count; e++) {
            uint32_t to = b->edges.at[e].block;
            if (to == k->header || bitset_has(set, to) || !ir_cycle_has(s->cut.cycles, number, to))
                continue;
            bitset_add(set, to);
            vec_push(s->cut.arena, &work, to);
        }
    }
    return set;
}

static void enter_copies(struct structurize *s, const struct ir_cycle *k, uint32_t number)
{
    for (uint32_t i = 0; i < k->entries.count; i++) {
        uint32_t entry = k->entries.at[i];
        if (entry == k->header)
            continue;
        for ir_each_pred(p, entry, s->cut.g)
            if (!ir_cycle_has(s->cut.cycles, number, p))
                ir_block_at(s->cut.f, p)->edges.at[s->cut.g->pred_edges[p_at]].block = s->block_map[entry];
    }
}

/* True: a cycle was helped, so that others may be looked for. */
static bool copy_backward(struct structurize *s)
{
    const struct ir_cycles *cycles = s->cut.cycles;
    for (uint32_t k = 0; k < cycles->count; k++) {
        if (cycles->at[k].entries.count == 1)
            continue;
        struct bitset set = before_header(s, &cycles->at[k], k);
        if (!may_copy(s, set))
            continue;
        copy_blocks(s, set);
        enter_copies(s, &cycles->at[k], k);
        repair(s);
        opt_count(s->cut.c, "backward copies", 1);
        return true;
    }
    return false;
}

/* ---- branches whose sides share blocks ----------------------------------------------------------------- */

static void follow(struct structurize *s, uint32_t from, uint32_t side, uint32_t meet)
{
    struct sides *x = &s->sides;
    u32_vec work = {0};
    vec_push(s->cut.arena, &work, from);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        if (b == meet || !opt_returns(&s->cut, b) || bitset_has(x->shared, b) || x->first[b] == side + 1)
            continue;
        if (x->first[b] == 0) {
            x->first[b] = side + 1;
            bitset_add(x->all, b);
            vec_push(s->cut.arena, &x->blocks, b);
        } else {
            bitset_add(x->shared, b);
            x->shared_count++;
        }
        for (uint32_t e = 0; e < ir_block_at(s->cut.f, b)->edges.count; e++)
            vec_push(s->cut.arena, &work, ir_block_at(s->cut.f, b)->edges.at[e].block);
    }
}

static void start_sides(struct structurize *s)
{
    uint32_t n = s->cut.g->blocks;
    s->sides = (struct sides){.first = arena_array(s->cut.arena, uint32_t, n),
                              .shared = bitset_new(s->cut.arena, n),
                              .all = bitset_new(s->cut.arena, n)};
}

static void clear_sides(struct sides *x)
{
    for (uint32_t i = 0; i < x->blocks.count; i++) {
        x->first[x->blocks.at[i]] = 0;
        bitset_remove(x->shared, x->blocks.at[i]);
        bitset_remove(x->all, x->blocks.at[i]);
    }
    x->shared_count = 0;
    vec_clear(&x->blocks);
}

/* The branch's first edge to the target of its edge e. */
static uint32_t side_of(const struct structurize *s, uint32_t branch, uint32_t e)
{
    const struct ir_block *b = ir_block_at(s->cut.f, branch);
    uint32_t k = 0;
    while (b->edges.at[k].block != b->edges.at[e].block)
        k++;
    return k;
}

static void find_sides(struct structurize *s, uint32_t branch)
{
    clear_sides(&s->sides);
    for (uint32_t e = 0; e < ir_block_at(s->cut.f, branch)->edges.count; e++)
        if (side_of(s, branch, e) == e)
            follow(s, ir_block_at(s->cut.f, branch)->edges.at[e].block, e, s->cut.meets->idom[branch]);
}

/* The first side whose own blocks lead to shared ones. */
static uint32_t find_keeper(const struct structurize *s)
{
    const struct sides *x = &s->sides;
    uint32_t keeper = UINT32_MAX;
    for (uint32_t i = 0; i < x->blocks.count; i++) {
        const struct ir_block *b = ir_block_at(s->cut.f, x->blocks.at[i]);
        uint32_t side = x->first[x->blocks.at[i]] - 1;
        if (bitset_has(x->shared, x->blocks.at[i]) || side >= keeper)
            continue;
        for (uint32_t e = 0; e < b->edges.count; e++)
            if (bitset_has(x->shared, b->edges.at[e].block))
                keeper = side;
    }
    return keeper;
}

/* The keeper keeps the shared blocks; edges to them from other sides' own blocks and from the branch go to
 * copies. Of more than two sides the others are left for the next round. */
static void copy_forward(struct structurize *s, uint32_t branch)
{
    const struct sides *x = &s->sides;
    struct ir_function *f = s->cut.f;
    uint32_t keeper = find_keeper(s);
    copy_blocks(s, x->shared);
    vec_push(s->cut.arena, &s->sides.blocks, branch);
    for (uint32_t i = 0; i < x->blocks.count; i++) {
        uint32_t b = x->blocks.at[i];
        for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count && !bitset_has(x->shared, b); e++) {
            struct ir_edge *edge = &ir_block_at(f, b)->edges.at[e];
            uint32_t side = b == branch ? side_of(s, b, e) : x->first[b] - 1;
            if (side != keeper && bitset_has(x->shared, edge->block))
                edge->block = s->block_map[edge->block];
        }
    }
    repair(s);
    opt_count(s->cut.c, "forward copies", 1);
}

/* Blocks between the branch and the first shared one. */
static struct bitset blocks_between(const struct structurize *s, uint32_t shared)
{
    const struct sides *x = &s->sides;
    struct bitset between = bitset_new(s->cut.arena, s->cut.g->blocks);
    u32_vec work = {0};
    vec_push(s->cut.arena, &work, shared);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        for ir_each_pred(p, b, s->cut.g)
            if (p != shared && bitset_has(x->all, p) && !bitset_has(between, p) &&
                !bitset_has(x->shared, p)) {
                bitset_add(between, p);
                vec_push(s->cut.arena, &work, p);
            }
    }
    return between;
}

static bool is_used_outside(struct structurize *s, ir_ref token, struct bitset set)
{
    const struct ir_token_region *g = ir_token_region_new(s->cut.arena, s->cut.tokens, token);
    for (uint32_t i = 0; i < g->blocks.count; i++)
        if (!bitset_has(set, g->blocks.at[i]))
            return true;
    return false;
}

/* Whether some of the blocks, but not all, are dominated by this one. */
static bool dominates_a_part(const struct structurize *s, uint32_t block, struct bitset set)
{
    uint32_t some = 0, all = 0;
    for bitset_each (b, set) {
        some += ir_dominates(s->cut.dominators, block, b);
        all++;
    }
    return some && some < all;
}

/* Whether a token could be used behind the cut without being defined on all ways to it. */
static bool parts_tokens(struct structurize *s, struct bitset set)
{
    for (uint32_t i = 0; i < s->cut.tokens->defs.count; i++) {
        ir_ref   token = s->cut.tokens->defs.at[i];
        uint32_t home = ir_at(s->cut.f, token)->block;
        if (bitset_has(set, home) ? is_used_outside(s, token, set) : dominates_a_part(s, home, set))
            return true;
    }
    return false;
}

static uint32_t first_shared(const struct structurize *s)
{
    uint32_t i = 0;
    while (!bitset_has(s->sides.shared, s->cut.g->rpo[i]))
        i++;
    return s->cut.g->rpo[i];
}

/* False: a token is in the way. */
static bool cut_before(struct structurize *s, uint32_t branch)
{
    struct bitset set = blocks_between(s, first_shared(s));
    if (parts_tokens(s, set))
        return false;
    bitset_add(set, branch);
    opt_edges out = opt_cut_edges_out(&s->cut, set);
    opt_cut_lead_on(&s->cut, &out, branch, ir_at(s->cut.f, ir_terminator(s->cut.f, branch))->at);
    repair(s);
    opt_count(s->cut.c, "cuts", 1);
    return true;
}

static void decline(struct structurize *s, uint32_t branch, const char *why)
{
    map_set(s->cut.c->scratch, &s->declined, branch, 1);
    opt_remark(s->cut.c, s->cut.f, OPT_MISSED, "unstructured",
               ir_at(s->cut.f, ir_terminator(s->cut.f, branch))->at,
               "sides of a branch still share blocks: %s", why);
}

/* A loop's exit branch leads back to itself: its sides do not meet before it is left. */
static bool is_helped(struct structurize *s, uint32_t branch)
{
    if (ir_block_at(s->cut.f, branch)->edges.count < 2 || !opt_returns(&s->cut, branch) ||
        map_get(&s->declined, branch) != MAP_NONE)
        return false;
    find_sides(s, branch);
    if (bitset_has(s->sides.all, branch) || s->sides.shared_count == 0)
        return false;
    if (may_copy(s, s->sides.shared))
        copy_forward(s, branch);
    else if (!cut_before(s, branch))
        decline(s, branch,
                "a convergent operation may not be copied, and its token can't be led through a cut");
    return true;
}

static bool help_a_branch(struct structurize *s)
{
    start_sides(s);
    for (uint32_t i = s->cut.g->rpo_count; i-- > 0;)
        if (is_helped(s, s->cut.g->rpo[i]))
            return true;
    return false;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* Whether another round may run. */
static bool may_go_on(struct opt_context *c, struct ir_function *f, uint32_t round)
{
    return opt_below(c, f, OPT_LIMIT_structurize_rounds, round) &&
           opt_below(c, f, OPT_LIMIT_cut_values, f->ins.count) &&
           opt_below(c, f, OPT_LIMIT_structurize_work, (uint64_t)(round + 1) * f->blocks.count) &&
           opt_ssa_possible(c, f);
}

/* Does one thing after the other until there is none. False: too large. */
static bool repeat(struct structurize *s, bool (*step)(struct structurize *), bool *changed)
{
    for (uint32_t round = 0;; round++) {
        struct arena arena = {0};
        s->cut.arena = &arena;
        s->map_count = 0;
        opt_invalidate(s->cut.c, s->cut.f);
        bool fits = may_go_on(s->cut.c, s->cut.f, round);
        if (fits)
            opt_cut_analyse(&s->cut);
        bool again = fits && step(s);
        arena_free(&arena);
        *changed |= again;
        if (!fits || !again)
            return fits;
    }
}

static uint32_t instructions(const struct ir_function *f)
{
    uint32_t n = 0;
    for ir_each_block(i, b, f)
        for ir_each_ins(r, f, b)
            n++;
    return n;
}

bool opt_structurize(struct opt_context *c, struct ir_function *f)
{
    if (opt_is_structured(c->scratch, f))
        return false;
    uint32_t before = instructions(f);
    struct structurize s = {.cut = {.c = c, .f = f}, .copies_left = COPIES_MAX * before + COPIES_FREE};
    bool changed = opt_return_once(c->scratch, opt_cfg(c, f), f);
    bool fits = repeat(&s, copy_backward, &changed) && opt_make_reducible(c, f, &changed) &&
                opt_cut_loops(c, f, (struct opt_loop_form){.all = true}, &changed) &&
                repeat(&s, help_a_branch, &changed);
    if (fits && opt_is_structured(c->scratch, f))
        opt_remark(c, f, OPT_APPLIED, "structured", f->at, "structured: %u instructions copied, %u became %u",
                   s.copied, before, instructions(f));
    else
        opt_remark(c, f, OPT_MISSED, "unstructured", f->at,
                   fits ? "not structured" : "not structured: control flow too large");
    opt_count(c, "instructions copied", s.copied);
    return changed;
}
