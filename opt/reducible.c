/* reducible.c: a header for cycles that have several entries. */
#include "opt/gather.h"

/* A cycle with several entries, outermost first; IR_NO_CYCLE: none. */
static uint32_t find_irreducible(const struct ir_cycles *cycles)
{
    for (uint32_t i = 0; i < cycles->count; i++)
        if (cycles->at[i].entries.count != 1)
            return i;
    return IR_NO_CYCLE;
}

static void give_header(struct arena *scratch, struct ir_function *f, const struct ir_cfg *g,
                        const struct ir_cycle *cycle)
{
    opt_edges edges = {0};
    for (uint32_t i = 0; i < cycle->entries.count; i++) {
        uint32_t entry = cycle->entries.at[i];
        for ir_each_pred(p, entry, g)
            vec_push(scratch, &edges, ((struct opt_edge){p, g->pred_edges[p_at]}));
    }
    opt_gather(scratch, f, &edges, ir_at(f, ir_block_at(f, cycle->header)->first)->at);
}

/* A definition that dominates one entry of a cycle dominates all (each reaches the others), so no value loses
 * a use behind the new header. */
bool opt_make_reducible(struct opt_context *c, struct ir_function *f, bool *changed)
{
    for (uint32_t round = 0;; round++) {
        struct arena scratch = {0};
        const struct ir_cfg *g = ir_cfg_new(&scratch, f);
        const struct ir_cycles *cycles = ir_cycles_new(&scratch, g);
        uint32_t cycle = find_irreducible(cycles);
        bool fits = cycle == IR_NO_CYCLE || opt_below(c, f, OPT_LIMIT_reducible_rounds, round);
        if (fits && cycle != IR_NO_CYCLE)
            give_header(&scratch, f, g, &cycles->at[cycle]);
        arena_free(&scratch);
        if (!fits || cycle == IR_NO_CYCLE)
            return fits;
        *changed = true;
        opt_count(c, "cycles given a header", 1);
    }
}
