/* preload.c: registers that hold the same for a whole launch or block: constants, parameters, special
 * registers.
 *
 * A preload must not share its register with anything that any function of the same kernel writes, so
 * preloads lie before the frames, and equal ones of different functions are one. Functions that no kernel
 * reaches together need not keep out of each other's way: places are given for each component of the call
 * graph by itself.
 */
#include "backend/bytecode/emit.h"

/* ---- components: disjoint sets with path halving ----------------------------------------------------- */

static uint32_t find(struct be_context *c, uint32_t node)
{
    while (c->frames[node].component != node)
        node = c->frames[node].component = c->frames[c->frames[node].component].component;
    return node;
}

static void connect(struct be_context *c)
{
    for (uint32_t n = 0; n < c->frame_count; n++)
        c->frames[n].component = n;
    for (uint32_t n = 0; n < c->frame_count; n++)
        rows_each(k, c->callees, n)
            c->frames[find(c, c->callees.at[k])].component = find(c, n);
    for (uint32_t n = 0; n < c->frame_count; n++)
        c->frames[n].component = find(c, n);
}

/* ---- places ------------------------------------------------------------------------------------------ */

/* What a component has given out; `fills` leads to the registers by kind, source and value. */
struct places {
    uint32_t slots;
    struct be_pool pools[BC_FILES];
    struct map index;
    VEC(struct bc_preload) preloads;
};

static uint32_t place_of(struct be_context *c, struct places *p, struct bc_preload preload)
{
    uint64_t key = hash_mix(preload.value, (uint64_t)preload.kind | (uint64_t)preload.source << 8);
    uint32_t i;
    for (; (i = map_get(&p->index, key)) != MAP_NONE; key++) {
        const struct bc_preload *x = &p->preloads.at[i];
        if (x->kind == preload.kind && x->source == preload.source && x->value == preload.value)
            return x->reg;
    }
    uint32_t reg = be_pool_take(&c->arena, &p->pools[be_file((enum bc_kind)preload.kind)],
                                preload.kind == BC_KIND_W, BE_ANY);
    preload.reg = (uint16_t)reg;
    map_set(&c->arena, &p->index, key, p->preloads.count);
    vec_push(&c->arena, &p->preloads, preload);
    return reg;
}

static void place_function(struct be_context *c, struct places *p, struct be_function *f)
{
    for (uint32_t i = 0; i < f->preloads.count; i++) {
        const struct be_preload *x = &f->preloads.at[i];
        struct be_vreg *v = be_vreg(f, x->vreg);
        if (v->live)
            v->reg = place_of(c, p, (struct bc_preload){x->source, v->kind, 0, x->value});
    }
}

void be_place_preloads(struct be_context *c)
{
    struct places *all = arena_array(&c->arena, struct places, c->frame_count);
    connect(c);
    for (uint32_t i = 0; i < c->order.count; i++) {
        const struct be_frame *frame = &c->frames[c->order.at[i]];
        struct places *p = &all[frame->component];
        for (; p->slots < frame->depth; p->slots++) /* slot of depth d is register d - 1 */
            be_pool_take(&c->arena, &p->pools[BC_FILE_VECTORS], false, BE_ANY);
    }
    for (uint32_t i = 0; i < c->m->functions.count; i++)
        if (c->functions[i])
            place_function(c, &all[c->frames[i].component], c->functions[i]);
    for (uint32_t i = 0; i < c->order.count; i++) {
        struct be_frame *frame = &c->frames[c->order.at[i]];
        for (unsigned file = BC_FILE_VECTORS; file < BC_FILES; file++)
            frame->base[file] = (all[frame->component].pools[file].most + 1) & ~1u;
    }
}
