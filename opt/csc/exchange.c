/* exchange.c: conditionals that correspond when the sides of one change places: `if (c) A else B` in one arm
 * and `if (!d) B else A` in the other. The second gets the opposite condition, in a round of its own; the next
 * one finds conditionals with equal sides. Each branch is exchanged once at most, so the rounds come to an end.
 */
#include "opt/csc/csc.h"

bool csc_may_exchange(const struct csc *p, uint32_t block)
{
    return map_get(&p->exchanged, block) == MAP_NONE;
}

/* The opposite of the block's condition. What nothing uses any more goes. */
static ir_ref opposite(struct csc *p, uint32_t block, const uint32_t *uses)
{
    struct ir_function *f = p->f;
    ir_ref end = ir_terminator(f, block), condition = ir_at(f, end)->args[0];
    struct ir_cursor c = {.fn = f, .block = block, .before = end, .at = ir_at(f, end)->at};
    ir_ref not = ir_emit1(&c, IR_not, IR_TYPE_I1, condition);
    bool changed = false;
    ir_ref simpler = opt_simplify(f, not, &changed);
    if (simpler) {
        ir_remove(f, not );
        return simpler;
    }
    bool unused = ir_at(f, not )->op != IR_not && uses[condition] == 1;
    if (unused && ir_at(f, condition)->block == block && ir_is_pure(ir_at(f, condition)->op))
        ir_remove(f, condition);
    return not ;
}

static void exchange(struct csc *p, uint32_t block, const uint32_t *uses)
{
    ir_ref condition = opposite(p, block, uses);
    struct ir_block *b = ir_block_at(p->f, block);
    struct ir_edge first = b->edges.at[0];
    ir_at(p->f, b->last)->args[0] = condition;
    b->edges.at[0] = b->edges.at[1];
    b->edges.at[1] = first;
    map_set(p->c->scratch, &p->exchanged, block, 1);
    opt_count(p->c, "exchanged", 1);
}

bool csc_exchange_sides(struct csc *p, const csc_pairs *pairs)
{
    const uint32_t *uses = NULL;
    for (uint32_t i = 0; i < pairs->count; i++) {
        if (!pairs->at[i].exchanged)
            continue;
        if (!uses)
            uses = opt_count_uses(p->arena, p->f);
        exchange(p, pairs->at[i].y, uses);
    }
    return uses != NULL;
}
