/* structurize.c: control flow becomes nested regions of one entry and one exit.
 *
 * F. Zhang, E. D'Hollander, "Using hammock graphs to structure programs" (2004), as H. Wu et al. apply it to
 * divergent code in "Characterization and transformation of unstructured control flow in GPU applications"
 * (2011):
 *
 *   backward copy   a cycle with several entries: what runs before its header is reached is copied in front
 *                   of it
 *   cut             a loop with several exits: one way out, which first writes where it goes (cut_loops.c)
 *   forward copy    blocks that several sides of a branch lead to before they reconverge: each side gets its
 *   own
 *
 * Copies are limited: to COPIES_MAX times the function's instructions and COPIES_FREE more, and to blocks
 * without convergent operations, whose threads would be others. Beyond that a cycle gets a header with tests
 * (opt_make_reducible) instead of a backward copy, and a cut takes the place of a forward copy: all exits of
 * the blocks between the branch and the shared one go through one block.
 *
 * First all returns become one. Innermost branches first; after each change all is looked at anew,
 * structurize_rounds times at most and while rounds times blocks are below structurize_work (opt/limits.def).
 * What can't be made structured is said in a remark: a token's region in the way, or a function too large.
 * Works on the graph restricted to blocks that reach the ret.
 */
#include "opt/reconverge/structurize.h"

#include "ir/converge/order.h"

enum { COPIES_MAX = 2, COPIES_FREE = 100 };

/* ---- copying ----------------------------------------------------------------------------------------- */

static uint32_t size_of(const struct structurize *s, struct bitset set)
{
    uint32_t n = 0;
    bitset_each(b, set)
        ir_each_ins(r, s->cut.f, b)
            n++;
    return n;
}

bool opt_structurize_may_copy(const struct structurize *s, struct bitset set)
{
    bitset_each(b, set)
        ir_each_ins(r, s->cut.f, b) {
            enum ir_op op = (enum ir_op)ir_at(s->cut.f, r)->op;
            if (ir_is_convergent(s->cut.f, r) || opt_is_token_op(op) || opt_is_prediction(op) ||
                op == IR_alloca)
                return false;
        }
    return size_of(s, set) <= s->copies_left;
}

/* In reverse post-order: definitions come before uses, but for those around cycles, which are
 * parameters. */
void opt_structurize_copy(struct structurize *s, struct bitset set)
{
    s->clone = (struct opt_clone){.arena = s->cut.arena, .f = s->cut.f};
    opt_clone_reserve(&s->clone);
    bitset_each(b, set)
        opt_clone_block(&s->clone, b);
    for (uint32_t i = 0; i < s->cut.g->rpo_count; i++)
        if (bitset_has(set, s->cut.g->rpo[i])) {
            opt_clone_instructions(&s->clone, s->cut.g->rpo[i], true);
            opt_clone_edges(&s->clone, s->cut.g->rpo[i]);
        }
    uint32_t n = size_of(s, set);
    s->copies_left -= n;
    s->copied += n;
}

void opt_structurize_repair(struct structurize *s)
{
    struct opt_demotion d = {.c = s->cut.c, .f = s->cut.f};
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
static struct bitset before_header(const struct structurize *s, const struct ir_cycle *k, uint32_t number)
{
    struct walk w = walk_new(s->cut.arena, s->cut.g->blocks);
    for (uint32_t i = 0; i < k->entries.count; i++)
        if (k->entries.at[i] != k->header)
            walk_add(&w, k->entries.at[i]);
    walk_each(b, &w) {
        const struct ir_block *block = ir_block_at(s->cut.f, b);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t to = block->edges.at[e].block;
            if (to != k->header && ir_cycle_has(s->cut.cycles, number, to))
                walk_add(&w, to);
        }
    }
    return w.seen;
}

static void enter_copies(struct structurize *s, const struct ir_cycle *k, uint32_t number)
{
    for (uint32_t i = 0; i < k->entries.count; i++) {
        uint32_t entry = k->entries.at[i];
        if (entry == k->header)
            continue;
        ir_each_pred(p, entry, s->cut.g)
            if (!ir_cycle_has(s->cut.cycles, number, p))
                ir_block_at(s->cut.f, p)->edges.at[s->cut.g->pred_edges[p_at]].block = s->clone.block[entry];
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
        if (!opt_structurize_may_copy(s, set))
            continue;
        opt_structurize_copy(s, set);
        enter_copies(s, &cycles->at[k], k);
        opt_structurize_repair(s);
        opt_count(s->cut.c, "backward copies", 1);
        return true;
    }
    return false;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

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
        struct scratch scratch;
        s->cut.arena = scratch_begin(&scratch);
        s->clone = (struct opt_clone){0};
        opt_invalidate(s->cut.c, s->cut.f);
        bool fits = may_go_on(s->cut.c, s->cut.f, round);
        if (fits)
            opt_cut_analyse(&s->cut);
        bool again = fits && step(s);
        scratch_end(&scratch);
        *changed |= again;
        if (!fits || !again)
            return fits;
    }
}

static uint32_t instructions(const struct ir_function *f)
{
    uint32_t n = 0;
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            n++;
    return n;
}

static bool is_structured(struct opt_context *c, const struct ir_function *f)
{
    return opt_is_structured(c->scratch, opt_cfg(c, f), opt_return_post_dominators(c, f));
}

/* Whether threads may return while others are at a barrier, and have to come to the end before them: in the
 * structured form they would wait for them on their way. */
static bool returns_past_barriers(struct opt_context *c, struct ir_function *f)
{
    struct map exits = {0};
    if (!opt_scheme_has(c, SCHEME_HOLDS))
        ir_pass_over_barriers(c->scratch, opt_cfg(c, f), *opt_waiting_functions(c, f->module),
                              *opt_divergent_branches(c, f), opt_return_post_dominators(c, f)->idom, &exits);
    return exits.count;
}

bool opt_structurize(struct opt_context *c, struct ir_function *f)
{
    if (returns_past_barriers(c, f)) {
        opt_remark(c, f, OPT_MISSED, "unstructured", f->at,
                   "not structured: some threads return while others come to a barrier");
        return false;
    }
    opt_forget_places(c, f);
    if (is_structured(c, f))
        return false;
    uint32_t before = instructions(f);
    struct structurize s = {.cut = {.c = c, .f = f}, .copies_left = COPIES_MAX * before + COPIES_FREE};
    bool changed = opt_return_once(c->scratch, opt_cfg(c, f), f);
    bool fits = repeat(&s, copy_backward, &changed) && opt_make_reducible(c, f, &changed) &&
                opt_cut_loops(c, f, &changed) && repeat(&s, opt_structurize_branch, &changed);
    if (fits && is_structured(c, f))
        opt_remark(c, f, OPT_APPLIED, "structured", f->at, "structured: %u instructions copied, %u became %u",
                   s.copied, before, instructions(f));
    else
        opt_remark(c, f, OPT_MISSED, "unstructured", f->at,
                   fits ? "not structured" : "not structured: control flow too large");
    opt_count(c, "instructions copied", s.copied);
    return changed;
}
