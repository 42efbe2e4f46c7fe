/* drop_uncalled.c: of functions that no kernel calls only the type is left, so that no target has to have
 * what they need. A function whose address is taken counts as called while there are calls through pointers.
 */
#include "ir/analysis/callgraph.h"
#include "opt/pass.h"

static void empty_function(struct arena *scratch, struct ir_function *f)
{
    static const char text[] = "a function that nothing calls";
    uint32_t entry = ir_entry(f);
    struct bitset others = bitset_new(scratch, f->blocks.count);
    ir_each_block(i, b, f)
        if (b != entry)
            bitset_add(others, b);
    ir_blocks_remove(f, others);
    while (ir_block_at(f, entry)->last)
        ir_remove(f, ir_block_at(f, entry)->last);
    memset(&ir_block_at(f, entry)->edges, 0, sizeof ir_block_at(f, entry)->edges);
    struct ir_cursor c = {.fn = f, .block = entry};
    ir_ref r = ir_emit0(&c, IR_trap, IR_TYPE_VOID);
    ir_at(f, r)->imm = ir_text_add(f->module, text, sizeof text - 1);
}

bool opt_drop_uncalled(struct opt_context *c, struct ir_module *m)
{
    struct walk w = walk_new(c->scratch, m->functions.count);
    bool changed = false;
    for (uint32_t i = 0; i < m->functions.count; i++) {
        if (m->functions.at[i]->order.count)
            changed |= opt_drop_unreachable(c->scratch, opt_cfg(c, m->functions.at[i]), m->functions.at[i]);
        if (m->functions.at[i]->flags & IR_FN_KERNEL)
            walk_add(&w, i);
    }
    struct bitset reached = ir_reach_functions(&w, m);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        if (bitset_has(reached, i))
            continue;
        empty_function(c->scratch, m->functions.at[i]);
        changed = true;
    }
    return changed;
}
