/* reducible.c: a header for cycles that have several entries.
 *
 * In rounds: the outermost of these cycles all get one at once, and then those that are left in them, so that
 * there are as many rounds as they are nested deep. A round is near-linear.
 *
 * Threads that come in by different entries run apart through the new header until they have gone round. Where
 * all of them are to come to a barrier in the cycle together, that is too late. There the block that dominates
 * most of the cycle becomes its header instead: what threads run through before it is copied for those that
 * come from outside. Not if the cycle's copies would be more blocks than the function had, or if convergent
 * operations were among them, whose threads would be apart.
 */
#include "opt/kit/clone.h"
#include "opt/kit/merge_edges.h"

static void give_header(struct arena *scratch, struct ir_function *f, const struct ir_cfg *g,
                        const struct ir_cycle *cycle)
{
    opt_edges edges = {0};
    for (uint32_t i = 0; i < cycle->entries.count; i++) {
        uint32_t entry = cycle->entries.at[i];
        ir_each_pred(p, entry, g)
            vec_push(scratch, &edges, ((struct opt_edge){p, g->pred_edges[p_at]}));
    }
    opt_merge_edges(scratch, f, &edges, ir_at(f, ir_block_at(f, cycle->header)->first)->at);
}

/* Whether a cycle around this one has several entries; cycles come behind those around them. */
static bool is_inside(const struct ir_cycles *cycles, struct bitset irreducible, uint32_t cycle)
{
    uint32_t parent = cycles->at[cycle].parent;
    return parent != IR_NO_CYCLE && bitset_has(irreducible, parent);
}

/* The outermost cycles with several entries. */
static u32_vec find_irreducible(struct arena *scratch, const struct ir_cycles *cycles)
{
    struct bitset irreducible = bitset_new(scratch, cycles->count); /* or inside of one */
    u32_vec outermost = {0};
    for (uint32_t i = 0; i < cycles->count; i++) {
        bool inside = is_inside(cycles, irreducible, i);
        if (!inside && cycles->at[i].entries.count == 1)
            continue;
        bitset_add(irreducible, i);
        if (!inside)
            vec_push(scratch, &outermost, i);
    }
    return outermost;
}

/* ---- copies for threads from outside ------------------------------------------------------------------- */

struct splitter {
    struct opt_context *c;
    struct ir_function *f;
    struct arena *arena;
    uint32_t room; /* blocks that may still be copied */
};

static bool may_copy(const struct ir_function *f, uint32_t b)
{
    bool may = true;
    ir_each_ins(r, f, b)
        may &= !ir_is_convergent(f, r) && ir_at(f, r)->op != IR_loop;
    return may;
}

/* The cycle's blocks that the one which dominates most of it does not, in reverse post-order; none: they may
 * not be copied, or all threads come in there. */
static u32_vec blocks_before(const struct splitter *x, const struct ir_cycles *cycles, uint32_t cycle)
{
    const struct ir_cycle *k = &cycles->at[cycle];
    const struct ir_cfg *g = opt_cfg(x->c, x->f);
    const struct ir_dominators *d = opt_dominators(x->c, x->f);
    uint32_t header = ir_dominates_most(x->arena, d, cycles->blocks + k->first, k->count).block;
    u32_vec before = {0}, none = {0};
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        uint32_t b = g->rpo[i];
        if (!ir_cycle_has(cycles, cycle, b) || ir_dominates(d, header, b))
            continue;
        if (!may_copy(x->f, b))
            return none;
        vec_push(x->arena, &before, b);
    }
    return before.count <= x->room ? before : none;
}

/* Edges from outside lead to the copies, and these into the cycle by the one block. */
static void copy_before(struct splitter *x, const struct ir_cycles *cycles, uint32_t cycle,
                        const u32_vec *before)
{
    struct opt_demotion demotion = {.c = x->c, .f = x->f};
    struct opt_clone k = {.arena = x->arena, .f = x->f, .demotion = &demotion};
    const struct ir_cfg *g = opt_cfg(x->c, x->f);
    for (uint32_t i = 0; i < before->count; i++)
        opt_demote_region(&demotion, before->at[i], 1);
    opt_demote_used_outside(&demotion);
    opt_clone_reserve(&k);
    for (uint32_t i = 0; i < before->count; i++)
        opt_clone_block(&k, before->at[i]);
    for (uint32_t i = 0; i < before->count; i++)
        opt_clone_instructions(&k, before->at[i], true);
    for (uint32_t i = 0; i < before->count; i++)
        opt_clone_edges(&k, before->at[i]);
    for (uint32_t i = 0; i < before->count; i++)
        ir_each_pred(p, before->at[i], g)
            if (!ir_cycle_has(cycles, cycle, p))
                ir_block_at(x->f, p)->edges.at[g->pred_edges[p_at]].block =
                    opt_cloned_block(&k, before->at[i]);
    opt_demote_finish(&demotion);
    x->room -= before->count;
    opt_count(x->c, "blocks copied for cycles", before->count);
}

/* True: of one of the cycles, in which threads come to a barrier. */
static bool split_one(struct splitter *x, const struct ir_cycles *cycles, const u32_vec *found)
{
    if (x->room == 0 || !(x->f->flags & IR_FN_KERNEL) || !opt_ssa_possible(x->c, x->f))
        return false;
    for (uint32_t i = 0; i < found->count; i++) {
        if (!bitset_has(opt_leaving(x->c, x->f)->wait, cycles->at[found->at[i]].header))
            continue;
        u32_vec before = blocks_before(x, cycles, found->at[i]);
        if (before.count == 0)
            continue;
        copy_before(x, cycles, found->at[i], &before);
        return true;
    }
    return false;
}

/* A definition that dominates one entry of a cycle dominates all (each reaches the others), so no value loses
 * a use behind the new header. */
bool opt_make_reducible(struct opt_context *c, struct ir_function *f, bool copies, bool *changed)
{
    uint32_t room = copies ? f->order.count : 0;
    for (uint32_t round = 0;; round++) {
        struct scratch scratch;
        struct arena *a = scratch_begin(&scratch);
        const struct ir_cfg *g = opt_cfg(c, f);
        const struct ir_cycles *cycles = opt_cycles(c, f);
        u32_vec found = find_irreducible(a, cycles);
        bool fits = found.count == 0 || opt_below(c, f, OPT_LIMIT_reducible_rounds, round);
        struct splitter x = {c, f, a, room};
        bool split = fits && split_one(&x, cycles, &found);
        room = x.room;
        for (uint32_t i = 0; fits && !split && i < found.count; i++)
            give_header(a, f, g, &cycles->at[found.at[i]]);
        scratch_end(&scratch);
        if (!fits || found.count == 0)
            return fits;
        *changed = true;
        opt_invalidate(c, f);
        opt_count(c, "cycles given a header", split ? 1 : found.count);
    }
}
