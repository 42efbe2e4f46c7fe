/* frontier.c: mode frontier: priorities of blocks, which become their order, and re-convergence checks ("SIMD
 * Re-Convergence at Thread Frontiers", section 4.1), as opt/reconverge/frontier.c finds them for the
 * interpreter, on the graph that words are made from.
 *
 * A CONVERGE stands where a check is needed. Branches at which lanes may diverge name both sides, so that
 * lanes wait at blocks and nowhere else; nothing has to be known of where they reconverge. They are the
 * branches at which threads of a group may diverge, or lanes that the machine runs together.
 */
#include "ir/converge/frontier.h"
#include "backend/warpcore/reconverge.h"

void wc_place_checks(struct arena *a, const struct ir_cfg *g, const struct ir_cycles *cycles,
                     struct wc_reconvergence *out)
{
    struct bitset divergent = ir_divergent_branches_new(a, g, cycles);
    /* The pass has kept the work within its limit. */
    u32_vec order = ir_priorities(a, g, cycles, ir_tokens_new(a, g), NULL, UINT64_MAX);
    const struct ir_frontier *x = ir_frontier_barriers_last(a, g, divergent, order, WC_MAX_STACK_STEPS);
    out->order = x->order;
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        uint32_t b = g->rpo[i];
        out->at[b].uniform = !bitset_has(divergent, b);
        if (ir_at(g->fn, ir_terminator(g->fn, b))->op == IR_brif) {
            out->branches++;
            out->uniform += out->at[b].uniform;
        }
        if (!bitset_has(x->checks, b))
            continue;
        vec_push(a, &out->at[b].converge, b);
        out->converges++;
    }
}
