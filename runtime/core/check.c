/* check.c: what the compiler claims, compared while the kernel runs: that values are uniform (check.uniform),
 * and where lanes wait (bc_program.waiting).
 *
 * The compiler names each thread's dynamic instance by a number (opt/check/check_uniformity.c): threads
 * with equal numbers at one check are converged there, whenever they come. Each check keeps the latest value
 * of an instance in a table of fixed size, where a newer instance takes the place of an older one: a
 * difference may be overlooked, and none is made up. Blocks and warps share the table, as their numbers are
 * part of the key.
 */
#include "runtime/launch/grid.h"

struct rt_checked {
    uint64_t key, value;
    uint32_t lane;
};
enum { CHECKED_ROWS = 1 << 16 };

static struct rt_checked *row_of(struct rt_worker *k, uint64_t key)
{
    if (!k->checked)
        k->checked = arena_array(&k->arena, struct rt_checked, CHECKED_ROWS);
    return &k->checked[key % CHECKED_ROWS];
}

static bool differs(struct rt_warp *w, const struct bc_ins *ins, unsigned lane, const struct rt_checked *row,
                    uint64_t value)
{
    const struct bc_text *text = &w->worker->launch->program->texts.at[ins->imm];
    rt_trap(w, ins, lane,
            "%.*s is called uniform, but is 0x%llx in lane %u and 0x%llx in lane %u of one dynamic instance",
            (int)(text->length < 200 ? text->length : 200), text->bytes, (unsigned long long)row->value,
            row->lane, (unsigned long long)value, lane);
    return false;
}

bool rt_check_uniform(struct rt_warp *w, const struct bc_ins *ins)
{
    uint64_t here = hash_mix(hash_mix(w->worker->block, w->index), rt_index(w, ins));
    rt_each_lane(i, w->active) {
        uint64_t key = hash_mix(here, rt_w(w, ins->a)[i]) | 1, value = rt_w(w, ins->b)[i];
        struct rt_checked *row = row_of(w->worker, key >> 1);
        if (row->key == key && row->value != value)
            return differs(w, ins, (unsigned)i, row, value);
        *row = (struct rt_checked){key, value, (uint32_t)i};
    }
    return true;
}

/* ---- thread frontiers -------------------------------------------------------------------------------- */

static uint32_t line_of(const struct bc_program *p, uint32_t pc)
{
    const struct bc_block *b = &p->blocks.at[p->code.at[pc].imm];
    return b->line_count ? p->lines.at[b->first_line].line : 0;
}

bool rt_check_waits(struct rt_warp *w, uint32_t pc, uint64_t lanes, uint32_t at)
{
    const struct bc_program *p = w->worker->launch->program;
    if (bc_may_wait(p, w->code[pc].imm, at))
        return true;
    rt_trap(w, w->code + pc, rt_lowest(lanes),
            "lane %u waits at word %u (line %u), which is not in the thread frontier of word %u (line %u), "
            "which is run",
            rt_lowest(lanes), at, line_of(p, at), pc, line_of(p, pc));
    return false;
}
