/* sample_without.c: lanes that were sampled, as they are in code that has not all of the function's blocks. */
#include "opt/cost/cost.h"

/* One of no block stands behind the last. */
static cost_visits visits_without(struct arena *a, const cost_visits *all, struct bitset gone)
{
    cost_visits less = {.at = arena_array(a, struct cost_visit, all->count + 1)};
    for (uint32_t i = 0; i < all->count; i++)
        if (!bitset_has(gone, all->at[i].block))
            less.at[less.count++] = all->at[i];
    less.at[less.count] = (struct cost_visit){.block = IR_NO_BLOCK};
    return less;
}

const struct cost_sample *cost_sample_without(struct arena *a, const struct cost_sample *s,
                                              struct bitset gone)
{
    struct cost_sample *less = arena_new(a, struct cost_sample);
    *less = *s;
    for (uint32_t n = 0; n < s->lanes; n++)
        less->lane[n] = visits_without(a, &s->lane[n], gone);
    return less;
}
