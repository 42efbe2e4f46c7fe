/* reducible.c: a header for cycles that have several entries.
 *
 * In rounds: the outermost of these cycles all get one at once, and then those that are left in them, so that
 * there are as many rounds as they are nested deep. A round is near-linear.
 */
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

/* A definition that dominates one entry of a cycle dominates all (each reaches the others), so no value loses
 * a use behind the new header. */
bool opt_make_reducible(struct opt_context *c, struct ir_function *f, bool *changed)
{
    for (uint32_t round = 0;; round++) {
        struct scratch scratch;
        struct arena *a = scratch_begin(&scratch);
        const struct ir_cfg *g = opt_cfg(c, f);
        const struct ir_cycles *cycles = opt_cycles(c, f);
        u32_vec found = find_irreducible(a, cycles);
        bool fits = found.count == 0 || opt_below(c, f, OPT_LIMIT_reducible_rounds, round);
        for (uint32_t i = 0; fits && i < found.count; i++)
            give_header(a, f, g, &cycles->at[found.at[i]]);
        scratch_end(&scratch);
        if (!fits || found.count == 0)
            return fits;
        *changed = true;
        opt_invalidate(c, f);
        opt_count(c, "cycles given a header", found.count);
    }
}
