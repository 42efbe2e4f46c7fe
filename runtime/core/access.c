/* access.c: which access an opcode makes, checks of single accesses, the count of segments far apart. */
#include "runtime/launch/grid.h"

/* ---- which access an opcode makes -------------------------------------------------------------------- */

#define LOAD(name, space, mode, bytes)  [BC_##name] = {space, mode, bytes, false, true},
#define STORE(name, space, mode, bytes) [BC_##name] = {space, mode, bytes, true, true},
#define LOADS(x, space, pre, mode)                                                                           \
    LOAD(pre##x##8, space, mode, 0) LOAD(pre##x##8s, space, mode, 0) LOAD(pre##x##16, space, mode, 1)        \
    LOAD(pre##x##16s, space, mode, 1) LOAD(pre##x##32, space, mode, 2) LOAD(pre##x##64, space, mode, 3)      \
    LOAD(pre##x##b, space, mode, 0)
#define STORES(x, space, pre, mode)                                                                          \
    STORE(pre##x##8, space, mode, 0) STORE(pre##x##16, space, mode, 1) STORE(pre##x##32, space, mode, 2)     \
    STORE(pre##x##64, space, mode, 3) STORE(pre##x##f32, space, mode, 2) STORE(pre##x##f64, space, mode, 3)  \
    STORE(pre##x##b, space, mode, 0)
#define SPACE(x, space)                                                                                      \
    LOADS(x, space, ld_, RT_MODE_V) LOADS(x, space, ldx_, RT_MODE_X)                                         \
    STORES(x, space, st_, RT_MODE_V) STORES(x, space, stx_, RT_MODE_X)
#define ATOMICS(x, space, t, bytes)                                                                          \
    STORE(at_##x##add_##t, space, RT_MODE_V, bytes) STORE(at_##x##sub_##t, space, RT_MODE_V, bytes)          \
    STORE(at_##x##smin_##t, space, RT_MODE_V, bytes) STORE(at_##x##smax_##t, space, RT_MODE_V, bytes)        \
    STORE(at_##x##umin_##t, space, RT_MODE_V, bytes) STORE(at_##x##umax_##t, space, RT_MODE_V, bytes)        \
    STORE(at_##x##and_##t, space, RT_MODE_V, bytes) STORE(at_##x##or_##t, space, RT_MODE_V, bytes)           \
    STORE(at_##x##xor_##t, space, RT_MODE_V, bytes) STORE(at_##x##xchg_##t, space, RT_MODE_V, bytes)         \
    STORE(at_##x##cas_##t, space, RT_MODE_V, bytes)
const struct rt_access rt_access[BC_OPS] = {
    SPACE(g, RT_GLOBAL) SPACE(h, RT_SHARED) SPACE(p, RT_PRIVATE)
    LOADS(g, RT_GLOBAL, ldu_, RT_MODE_U) LOADS(h, RT_SHARED, ldu_, RT_MODE_U)
    ATOMICS(g, RT_GLOBAL, I, 2) ATOMICS(g, RT_GLOBAL, L, 3) ATOMICS(g, RT_GLOBAL, F, 2)
    ATOMICS(h, RT_SHARED, I, 2) ATOMICS(h, RT_SHARED, L, 3) ATOMICS(h, RT_SHARED, F, 2)
    /* What a wide access checks is in its head's d; a part's space and address are those of its head. */
    LOAD(wide_g, RT_GLOBAL, RT_MODE_V, 0) LOAD(widex_g, RT_GLOBAL, RT_MODE_X, 0)
    LOAD(wide_h, RT_SHARED, RT_MODE_V, 0) LOAD(widex_h, RT_SHARED, RT_MODE_X, 0)
    LOAD(wide_p, RT_PRIVATE, RT_MODE_V, 0) LOAD(widex_p, RT_PRIVATE, RT_MODE_X, 0)
    LOAD(ldw_8, RT_GLOBAL, RT_MODE_V, 0) LOAD(ldw_8s, RT_GLOBAL, RT_MODE_V, 0)
    LOAD(ldw_16, RT_GLOBAL, RT_MODE_V, 1) LOAD(ldw_16s, RT_GLOBAL, RT_MODE_V, 1)
    LOAD(ldw_32, RT_GLOBAL, RT_MODE_V, 2) LOAD(ldw_64, RT_GLOBAL, RT_MODE_V, 3)
    STORE(stw_8, RT_GLOBAL, RT_MODE_V, 0) STORE(stw_16, RT_GLOBAL, RT_MODE_V, 1)
    STORE(stw_32, RT_GLOBAL, RT_MODE_V, 2) STORE(stw_64, RT_GLOBAL, RT_MODE_V, 3)
    STORE(stw_f32, RT_GLOBAL, RT_MODE_V, 2) STORE(stw_f64, RT_GLOBAL, RT_MODE_V, 3)
};
#undef ATOMICS
#undef LOADS
#undef STORES

/* ---- single accesses --------------------------------------------------------------------------------- */

uint8_t *rt_locate(struct rt_warp *w, enum rt_space space, bool store, unsigned lane, uint32_t address,
                   uint32_t bytes, uint32_t align)
{
    uint64_t end = (uint64_t)address + bytes;
    if (address & (align - 1))
        return NULL;
    if (space == RT_GLOBAL) {
        uint32_t limit = (store ? w->spaces.store_limits : w->spaces.limits)[address >> RT_SEGMENT_SHIFT];
        return end <= limit ? w->spaces.global + address : NULL;
    }
    uint32_t limit = space == RT_SHARED ? w->spaces.shared_bytes : w->spaces.private_bytes;
    if (space > RT_PRIVATE || address < BC_FIRST_ADDRESS || end > limit)
        return NULL;
    return space == RT_SHARED ? w->spaces.shared + address
                              : w->spaces.private + (size_t)lane * w->spaces.private_bytes + address;
}

/* The address of the wide access in a lane: private memory has each lane's own behind the other. */
static uint32_t wide_address(const struct rt_warp *w, unsigned lane)
{
    return w->address[lane] - (w->wide.space == RT_PRIVATE ? lane * w->spaces.private_bytes : 0);
}

bool rt_wide_fits(struct rt_warp *w, uint32_t bytes, bool store)
{
    rt_each_lane(i, w->active)
        if (!rt_locate(w, w->wide.space, store, (unsigned)i, w->address[i], bytes, bytes))
            return false;
    return true;
}

bool rt_check_part(struct rt_warp *w, const struct bc_ins *ins)
{
    struct rt_access access = rt_access[ins->op];
    uint32_t bytes = 1u << access.log2_bytes, at[RT_MAX_LANES];
    rt_each_lane(i, w->active) {
        at[i] = wide_address(w, (unsigned)i) + ins->imm;
        if (!rt_locate(w, w->wide.space, access.store, (unsigned)i, at[i], bytes, bytes)) {
            rt_trap_access(w, ins, (unsigned)i, "ghp"[w->wide.space], access.store, at[i], bytes);
            return false;
        }
    }
    if (w->wide.space != RT_GLOBAL || !w->transactions.counted)
        return true;
    uint32_t distinct = rt_distinct_segments(w, at, w->active);
    w->sites[ins->e].transactions += distinct;
    w->cycles += (uint64_t)(distinct - 1) * w->transactions.cycles;
    return true;
}

/* Segments in ascending order are counted as they change; else each is looked up in a table of twice as many
 * slots as there are lanes, searched linearly from the segment's hash. Slots hold the segment's number plus
 * 1. */
uint32_t rt_distinct_segments(const struct rt_warp *w, const uint32_t *address, uint64_t lanes)
{
    enum { SLOTS = 2 * RT_MAX_LANES };
    uint32_t slots[SLOTS] = {0}, distinct = 0, latest = 0;
    bool ascending = true;
    rt_each_lane(i, lanes) {
        uint32_t segment = (address[i] >> w->transactions.segment_shift) + 1;
        ascending = ascending && segment >= latest;
        distinct += segment != latest;
        latest = segment;
    }
    if (ascending)
        return distinct;
    distinct = 0;
    rt_each_lane(j, lanes) {
        uint32_t segment = (address[j] >> w->transactions.segment_shift) + 1, at = segment * 2654435761u >> 25;
        while (slots[at % SLOTS] && slots[at % SLOTS] != segment)
            at++;
        distinct += slots[at % SLOTS] == 0;
        slots[at % SLOTS] = segment;
    }
    return distinct;
}
