/* waits_e.c: the threads of a warp go on together from group to group, as each becomes complete. The order in
 * which that is done changes nothing: a complete group stays complete.
 */
#include "fuzz/waits_e.h"

struct waiting {
    const struct fz_waits *x;
    uint32_t at[64]; /* of each lane: groups that it has left behind */
    uint64_t live;
};

static uint32_t group_at(const struct waiting *w, uint32_t lane)
{
    return w->x->groups[lane].at[w->at[lane]];
}

static bool all_are_at(const struct waiting *w, uint64_t lanes, uint32_t group)
{
    for (uint64_t m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        if (!(w->live >> lane & 1) || group_at(w, lane) != group)
            return false;
    }
    return true;
}

static void go_on(struct waiting *w, uint64_t lanes)
{
    for (uint64_t m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        if (++w->at[lane] == w->x->groups[lane].count)
            w->live &= ~((uint64_t)1 << lane);
    }
}

/* Leads the group that the lane waits in past its operation, if all have come. */
static bool pass(struct waiting *w, uint32_t lane, struct arena *a, u32_vec *barriers)
{
    uint32_t group = group_at(w, lane);
    uint64_t members = w->x->members[group], who = members ? members : w->live;
    if (!all_are_at(w, who, group))
        return false;
    if (!members)
        vec_push(a, barriers, group);
    go_on(w, who);
    return true;
}

bool fz_waits_end(const struct fz_waits *x, struct arena *a, u32_vec *barriers)
{
    struct waiting w = {.x = x};
    for (uint32_t lane = 0; lane < x->lanes; lane++)
        w.live |= (uint64_t)(x->groups[lane].count > 0) << lane;
    for (bool moved = true; moved && w.live;) {
        moved = false;
        for (uint64_t m = w.live; m; m = m & (m - 1) & w.live)
            moved |= pass(&w, (uint32_t)__builtin_ctzll(m), a, barriers);
    }
    return !w.live;
}
