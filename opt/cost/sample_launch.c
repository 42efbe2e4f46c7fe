/* sample_launch.c: what launches tell of a kernel's arguments: numbers, and what buffers hold.
 *
 * A buffer that the kernel itself writes, or a launch before it, holds anything: what it begins with is not
 * what loads find.
 */
#include "opt/cost/sample.h"
#include "opt/opt.h"

/* ---- what is written --------------------------------------------------------------------------------- */

/* Pointers through which the function may write, and those that they are made of. */
struct writing {
    const struct ir_function *f;
    const struct ir_cfg *cfg; /* NULL: not asked for */
    struct arena *arena;
    struct bitset seen;
    u32_vec list;
    struct bitset written; /* parameters */
};

static void add(struct writing *w, ir_ref pointer)
{
    if (ir_at(w->f, pointer)->type != IR_TYPE_GLOBAL || bitset_has(w->seen, pointer))
        return;
    bitset_add(w->seen, pointer);
    vec_push(w->arena, &w->list, pointer);
}

/* What a parameter of the function points to; of a block: what each edge gives it. */
static void add_given(struct writing *w, ir_ref param)
{
    uint32_t block = ir_at(w->f, param)->block, k = (uint32_t)ir_at(w->f, param)->imm;
    if (block == ir_entry(w->f)) {
        bitset_add(w->written, k);
        return;
    }
    if (!w->cfg)
        w->cfg = ir_cfg_new(w->arena, w->f);
    ir_each_pred(from, block, w->cfg) {
        const struct ir_block *b = ir_block_at(w->f, from);
        for (uint32_t e = 0; e < b->edges.count; e++)
            if (b->edges.at[e].block == block)
                add(w, b->edges.at[e].args[k]);
    }
}

/* A pointer of which no more is known may be made of each parameter. */
static void add_sources(struct writing *w, ir_ref pointer)
{
    const struct ir_ins *i = ir_at(w->f, pointer);
    const u32_vec *params = &ir_block_at(w->f, ir_entry(w->f))->params;
    bool casts = i->op == IR_ptrcast && ir_at(w->f, i->args[0])->type == IR_TYPE_GLOBAL;
    if (i->op == IR_ptradd || casts) {
        add(w, i->args[0]);
    } else if (i->op == IR_select) {
        add(w, i->args[1]);
        add(w, i->args[2]);
    } else if (i->op == IR_param) {
        add_given(w, pointer);
    } else if (i->op != IR_constant || i->imm) {
        for (uint32_t k = 0; k < params->count; k++)
            if (ir_is_pointer(ir_at(w->f, params->at[k])->type))
                bitset_add(w->written, k);
    }
}

struct bitset cost_written(struct arena *a, const struct ir_function *f)
{
    struct writing w = {.f = f,
                        .arena = a,
                        .seen = bitset_new(a, f->ins.count),
                        .written = bitset_new(a, ir_block_at(f, ir_entry(f))->params.count)};
    ir_each_block(i, b, f) {
        ir_each_ins(r, f, b) {
            const struct ir_ins *ins = ir_at(f, r);
            bool calls = ins->op == IR_call || ins->op == IR_icall;
            if (ir_op_info[ins->op].flags & IR_WRITES && ins->argc && ins->mem != IR_MEM_NONE)
                add(&w, ins->args[0]);
            for (uint32_t k = 0; calls && k < ins->argc; k++)
                add(&w, ins->args[k]);
        }
    }
    while (w.list.count)
        add_sources(&w, w.list.at[--w.list.count]);
    return w.written;
}

/* Whether the launch writes the buffer of this name. */
static bool writes(struct arena *a, const struct ir_module *m, const struct launch *l, const char *name)
{
    const struct ir_function *f = l->step == LAUNCH_KERNEL ? ir_function_find(m, l->kernel) : NULL;
    const struct ir_kernel_info *k = f && f->order.count ? ir_kernel_info(m, f->id) : NULL;
    if (!k)
        return false;
    struct bitset written = cost_written(a, f);
    for (uint32_t i = 0; i < l->arguments.count; i++) {
        const struct launch_argument *x = &l->arguments.at[i];
        if (x->value.kind != LAUNCH_NAMED || strcmp(x->value.text, name) != 0)
            continue;
        for (uint32_t p = 0; p < k->params.count && p < written.bits; p++)
            if (bitset_has(written, p) && strcmp(k->params.at[p].name, x->name) == 0)
                return true;
    }
    return false;
}

/* ---- arguments --------------------------------------------------------------------------------------- */

/* What the directive of this name makes the buffer of; NULL: nothing that holds when the kernel is launched
 * first. In a file with a repeat any launch may have come before. */
static const struct launch_value *named(struct arena *a, const struct ir_function *f, const char *name)
{
    const struct ir_module *m = f->module;
    const struct launch_value *value = NULL;
    bool repeats = false, before = true;
    for (uint32_t i = 0; i < m->launches.count; i++)
        repeats |= m->launches.at[i].step == LAUNCH_REPEAT;
    for (uint32_t i = 0; i < m->launches.count; i++) {
        const struct launch *l = &m->launches.at[i];
        if (l->step == LAUNCH_BUFFER && strcmp(l->name, name) == 0 && l->arguments.count)
            value = &l->arguments.at[0].value;
        before &= l->step != LAUNCH_KERNEL || strcmp(l->kernel, f->name) != 0;
        if ((before || repeats) && writes(a, m, l, name))
            return NULL;
    }
    return value;
}

const struct launch_value **cost_arguments(struct arena *a, const struct ir_function *f,
                                           const struct launch *l)
{
    const struct ir_kernel_info *k = ir_kernel_info(f->module, f->id);
    uint32_t count = ir_block_at(f, ir_entry(f))->params.count;
    const struct launch_value **all = arena_array(a, const struct launch_value *, count + 1);
    struct bitset written = cost_written(a, f);
    for (uint32_t p = 0; l && k && p < count && p < k->params.count; p++) {
        for (uint32_t i = 0; i < l->arguments.count && !all[p]; i++)
            if (strcmp(l->arguments.at[i].name, k->params.at[p].name) == 0)
                all[p] = &l->arguments.at[i].value;
        if (all[p] && all[p]->kind == LAUNCH_NAMED)
            all[p] = named(a, f, all[p]->text);
        if (bitset_has(written, p))
            all[p] = NULL;
    }
    return all;
}

/* ---- launches and warps ------------------------------------------------------------------------------ */

const struct launch *cost_launch_of(struct arena *a, const struct ir_function *f, const struct opt_options *o)
{
    const struct ir_module *m = f->module;
    struct launch *l = arena_new(a, struct launch);
    for (uint32_t i = m->launches.count; i-- > 0;)
        if (m->launches.at[i].step == LAUNCH_KERNEL && strcmp(m->launches.at[i].kernel, f->name) == 0)
            *l = m->launches.at[i];
    struct launch all = *l;
    all.arguments.count = all.arguments.capacity = 0;
    for (uint32_t i = 0; i < o->expected.count; i++)
        vec_push(a, &all.arguments, o->expected.at[i]);
    for (uint32_t i = 0; i < l->arguments.count; i++)
        vec_push(a, &all.arguments, l->arguments.at[i]);
    *l = all;
    return l;
}

static uint32_t product(const uint32_t n[3])
{
    uint64_t all = 1;
    for (uint32_t i = 0; i < 3; i++)
        all *= n[i] ? n[i] : 1;
    return all < UINT32_MAX ? (uint32_t)all : UINT32_MAX;
}

static uint32_t width_of(const struct cost_hints *hints)
{
    return hints->warp ? hints->warp : COST_LANES;
}

/* Threads of a block; a warp, if that is not known. */
static uint32_t threads_of(const struct cost_hints *hints)
{
    const struct launch *l = hints->launch;
    return l && l->block[0] ? product(l->block) : width_of(hints);
}

uint32_t cost_lanes_of(const struct cost_hints *hints)
{
    uint32_t left = threads_of(hints) - hints->first_thread;
    if (!hints->warp)
        return COST_LANES;
    return left < hints->warp ? left : hints->warp;
}

bool cost_is_whole_block(const struct cost_hints *hints)
{
    const struct launch *l = hints->launch;
    return !hints->mix && l && l->block[0] && product(l->block) <= cost_lanes_of(hints);
}

uint32_t cost_choose_warps(struct cost_hints *hints, uint32_t most)
{
    const struct cost_hints given = hints[0];
    uint64_t warps = (threads_of(&given) + width_of(&given) - 1) / width_of(&given);
    uint64_t blocks = given.launch ? product(given.launch->grid) : 1, all = blocks * warps;
    uint32_t count = all < most ? (uint32_t)all : most;
    for (uint32_t i = 0; i < count; i++) {
        /* one of each part of the grid, at another place in each: a grid's rows repeat. The factor is a prime,
         * so that the places have all remainders by any distance of rows */
        uint64_t begin = all * i / count, size = all * (i + 1) / count - begin;
        uint64_t warp = begin + (i + 1) * (uint64_t)2654435761 % size;
        hints[i] = given;
        hints[i].block = (uint32_t)(warp / warps);
        hints[i].first_thread = (uint32_t)(warp % warps) * width_of(&given);
    }
    return count;
}

bool cost_mix(const struct cost_hints *warps, uint32_t count, struct cost_hints *mixed)
{
    *mixed = warps[0];
    mixed->mixed = warps;
    mixed->mix = count;
    for (uint32_t i = 0; i < count; i++)
        if (cost_lanes_of(&warps[i]) < width_of(&warps[i]))
            return false;
    return width_of(&warps[0]) % count == 0;
}

/* The warp of a mixed lane, and its lane there: one of each `mix` neighbours, at another place in each. */
static const struct cost_hints *mixed_warp(const struct cost_hints *hints, uint32_t *lane)
{
    uint32_t of_each = width_of(hints) / hints->mix, k = *lane % of_each;
    const struct cost_hints *warp = &hints->mixed[*lane / of_each];
    *lane = k * hints->mix + k % hints->mix;
    return warp;
}

uint32_t cost_special(const struct cost_hints *hints, enum ir_special s, uint32_t lane)
{
    if (hints->mix)
        hints = mixed_warp(hints, &lane);
    const struct launch *l = hints->launch;
    uint32_t block[3] = {l && l->block[0] ? l->block[0] : width_of(hints), 1, 1}, grid[3] = {1, 1, 1};
    uint32_t thread = hints->first_thread + lane, b = hints->block;
    for (uint32_t i = 0; i < 3; i++) {
        block[i] = i && l && l->block[i] ? l->block[i] : block[i];
        grid[i] = l && l->grid[i] ? l->grid[i] : grid[i];
    }
    switch (s) {
    case IR_SPECIAL_TID_X: return thread % block[0];
    case IR_SPECIAL_TID_Y: return thread / block[0] % block[1];
    case IR_SPECIAL_TID_Z: return thread / block[0] / block[1];
    case IR_SPECIAL_BID_X: return b % grid[0];
    case IR_SPECIAL_BID_Y: return b / grid[0] % grid[1];
    case IR_SPECIAL_BID_Z: return b / grid[0] / grid[1];
    case IR_SPECIAL_LANE: return lane;
    case IR_SPECIAL_BDIM_X: return block[0];
    case IR_SPECIAL_BDIM_Y: return block[1];
    case IR_SPECIAL_BDIM_Z: return block[2];
    case IR_SPECIAL_GDIM_X: return grid[0];
    case IR_SPECIAL_GDIM_Y: return grid[1];
    case IR_SPECIAL_GDIM_Z: return grid[2];
    case IR_SPECIAL_WARPSIZE: return width_of(hints);
    default: return 0;
    }
}
