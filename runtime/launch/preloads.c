/* preloads.c: the registers that are filled before code runs: for the launch, each block, each warp. */
#include "runtime/launch/grid.h"

struct special {
    enum rt_preload_scope scope;
    bool by_lane;
    uint64_t value;
};

/* For TID and BID the value is the dimension. */
static struct special special_of(const struct rt_launch *l, uint64_t special)
{
    switch ((enum bc_special)special) {
    case BC_SPECIAL_TID_X:
    case BC_SPECIAL_TID_Y:
    case BC_SPECIAL_TID_Z: return (struct special){RT_PRELOAD_WARP, true, special - BC_SPECIAL_TID_X};
    case BC_SPECIAL_BID_X:
    case BC_SPECIAL_BID_Y:
    case BC_SPECIAL_BID_Z: return (struct special){RT_PRELOAD_BLOCK, false, special - BC_SPECIAL_BID_X};
    case BC_SPECIAL_BDIM_X:
    case BC_SPECIAL_BDIM_Y:
    case BC_SPECIAL_BDIM_Z:
        return (struct special){RT_PRELOAD_LAUNCH, false, l->given.block[special - BC_SPECIAL_BDIM_X]};
    case BC_SPECIAL_GDIM_X:
    case BC_SPECIAL_GDIM_Y:
    case BC_SPECIAL_GDIM_Z:
        return (struct special){RT_PRELOAD_LAUNCH, false, l->given.grid[special - BC_SPECIAL_GDIM_X]};
    case BC_SPECIAL_LANE: return (struct special){RT_PRELOAD_LAUNCH, true, 0};
    case BC_SPECIAL_WARP: return (struct special){RT_PRELOAD_WARP, false, 0};
    case BC_SPECIAL_WARPSIZE: return (struct special){RT_PRELOAD_LAUNCH, false, l->given.warp};
    case BC_SPECIALS: break;
    }
    BUG("special register %llu", (unsigned long long)special);
}

/* Thread indices of dimension d, lane by lane, warp by warp. */
static uint32_t *thread_indices(struct rt_launch *l, uint64_t d)
{
    uint32_t lanes = l->core->lanes, *all = arena_array(&l->arena, uint32_t, (size_t)l->sizes.warps * lanes);
    uint32_t below = d == 0 ? 1 : d == 1 ? l->given.block[0] : l->given.block[0] * l->given.block[1];
    for (uint32_t t = 0; t < l->sizes.threads; t++)
        all[t / l->given.warp * lanes + t % l->given.warp] = t / below % l->given.block[d];
    return all;
}

/* A register that gets the lanes' indices of dimension d, and the base. */
static void add_lane_preload(struct rt_launch *l, uint32_t reg, uint64_t d, uint32_t base)
{
    uint32_t **tid = &l->start.tid[d];
    *tid = *tid ? *tid : thread_indices(l, d);
    l->start.lane_preloads.at[l->start.lane_preloads.count++] = (struct rt_lane_preload){reg, base, *tid};
}

static kernc_status add_special(struct rt_launch *l, const struct bc_preload *from)
{
    struct special special = special_of(l, from->value);
    if (special.by_lane && from->kind != BC_KIND_V)
        return rt_fail(l->context, KERNC_BAD_PROGRAM, "kernel %s: thread and lane indices need lane vectors",
                       l->kernel->name);
    if (special.scope == RT_PRELOAD_WARP && special.by_lane) {
        add_lane_preload(l, from->reg, special.value, RT_NO_BASE);
        return KERNC_OK;
    }
    struct rt_preloads *preloads = &l->start.preloads[special.scope];
    preloads->at[preloads->count++] =
        (struct rt_preload){from->kind, (uint8_t)from->value, from->reg, special.value};
    return KERNC_OK;
}

kernc_status rt_prepare_preloads(struct rt_launch *l, const uint64_t *params)
{
    for (int i = 0; i < RT_PRELOAD_SCOPES; i++)
        l->start.preloads[i].at = arena_array(&l->arena, struct rt_preload, l->kernel->preload_count);
    l->start.lane_preloads.at = arena_array(&l->arena, struct rt_lane_preload, l->kernel->preload_count);
    struct rt_preloads *fixed = &l->start.preloads[RT_PRELOAD_LAUNCH];
    for (uint32_t i = 0; i < l->kernel->preload_count; i++) {
        const struct bc_preload *from = &l->program->preloads.at[l->kernel->first_preload + i];
        struct rt_preload preload = {from->kind, BC_SPECIALS, from->reg, from->value};
        if (from->source == BC_FROM_SPECIAL) {
            kernc_status status = add_special(l, from);
            if (status != KERNC_OK)
                return status;
            continue;
        }
        if (from->source == BC_FROM_GRID) {
            add_lane_preload(l, from->reg, from->value, (uint32_t)from->value);
            continue;
        }
        if (from->source == BC_FROM_PARAM)
            preload.value = params[from->value];
        else if (from->source == BC_FROM_DATA)
            preload.value += l->module->data.address;
        fixed->at[fixed->count++] = preload;
    }
    return KERNC_OK;
}
