/* control.c: branches with many targets, calls through pointers and returns: lanes are sorted by where they
 * go. */
#include "runtime/launch/grid.h"
#include "runtime/launch/watch.h"

uint32_t rt_diverge(struct rt_warp *w)
{
    const struct rt_split *split = &w->split;
    if (split->n > 1) {
        w->events->divergences++;
        w->sites[split->site].divergences++;
    }
    return w->scheme->diverge(w, split);
}

/* Adds lanes that go to `target`. */
static void add_target(struct rt_split *split, uint32_t target, uint64_t lanes)
{
    for (uint32_t i = 0; i < split->n; i++) {
        if (split->target[i] == target) {
            split->mask[i] |= lanes;
            return;
        }
    }
    split->target[split->n] = target;
    split->mask[split->n++] = lanes;
}

static uint32_t go(struct rt_warp *w)
{
    return w->split.n == 1 && !w->ask_uniform ? w->split.target[0] : rt_diverge(w);
}

/* ---- switch ------------------------------------------------------------------------------------------ */

static uint32_t find_case(const struct bc_program *p, const struct bc_switch *table, int64_t value)
{
    const struct bc_case *cases = p->cases.at + table->first;
    uint32_t low = 0, high = table->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cases[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table->count && cases[low].value == value ? cases[low].target : table->otherwise;
}

static int64_t lane_value(const struct rt_warp *w, const struct bc_ins *ins, unsigned lane)
{
    if (ins->op == BC_switch_v)
        return i32(rt_v(w, ins->a)[lane]);
    return i64(ins->op == BC_switch_w ? rt_w(w, ins->a)[lane] : w->S[ins->a]);
}

/* The lanes that have the value. */
static uint64_t lanes_with(const struct rt_warp *w, const struct bc_ins *ins, int64_t value)
{
    const struct rt_core *core = w->worker->launch->core;
    switch (ins->op) {
    case BC_switch_v: return core->equal_v(w, ins->a, (uint32_t)value);
    case BC_switch_w: return core->equal_w(w, ins->a, (uint64_t)value);
    default: return w->active;
    }
}

uint32_t rt_switch(struct rt_warp *w, const struct bc_ins *ins)
{
    const struct bc_program *p = w->worker->launch->program;
    const struct bc_switch *table = &p->switches.at[ins->imm];
    struct rt_split *split = &w->split;
    split->n = 0;
    split->pc = rt_index(w, ins);
    split->reconverge = table->reconverge;
    split->site = table->site;
    uint64_t left = w->active;
    while (left) {
        int64_t value = lane_value(w, ins, rt_lowest(left));
        uint64_t same = lanes_with(w, ins, value) & left;
        add_target(split, find_case(p, table, value), same);
        left &= ~same;
    }
    return go(w);
}

/* ---- calls and returns ------------------------------------------------------------------------------- */

uint32_t rt_icall(struct rt_warp *w, const struct bc_ins *ins)
{
    const struct bc_program *p = w->worker->launch->program;
    const uint32_t *pointer = rt_v(w, ins->a);
    uint32_t *back = rt_v(w, ins->d), here = rt_index(w, ins);
    struct rt_split *split = &w->split;
    split->n = 0;
    split->pc = here;
    split->reconverge = here + 1;
    split->site = ins->e;
    rt_each_lane(i, w->active) {
        uint32_t number = pointer[i] - 1;
        if (number >= p->functions.count || p->functions.at[number].entry == BC_NO_TARGET ||
            !bc_reaches(ins->imm, p->functions.at[number].signature)) {
            rt_trap(w, ins, (unsigned)i, "call through a bad function pointer (%u)", pointer[i]);
            return RT_NOWHERE;
        }
        add_target(split, p->functions.at[number].entry, (uint64_t)1 << i);
        back[i] = here + 1;
    }
    return go(w);
}

/* Return addresses are data that a damaged program could have made up. */
static bool is_return_point(const struct rt_warp *w, uint32_t at)
{
    const struct bc_program *p = w->worker->launch->program;
    return at < p->code.count && p->code.at[at].op == BC_block && (p->code.at[at].d & BC_RETURN);
}

uint32_t rt_ret(struct rt_warp *w, const struct bc_ins *ins)
{
    const uint32_t *to = rt_v(w, ins->a);
    struct rt_split *split = &w->split;
    split->n = 0;
    split->pc = rt_index(w, ins);
    split->reconverge = BC_NO_TARGET;
    split->site = ins->e;
    rt_each_lane(i, w->active) {
        if (split->n && split->target[0] == to[i]) {
            split->mask[0] |= (uint64_t)1 << i;
            continue;
        }
        if (!is_return_point(w, to[i])) {
            rt_trap(w, ins, (unsigned)i, "return to %u, which is no place to return to", to[i]);
            return RT_NOWHERE;
        }
        add_target(split, to[i], (uint64_t)1 << i);
    }
    return go(w);
}

void rt_run_empty(struct rt_warp *w, uint32_t row)
{
    struct rt_count *count = &w->counts[row];
    count->some++;
    w->worker->empty[row]++;
    w->events->widths[0] += count->instructions;
    w->cycles += count->cycles;
    w->fuel -= count->instructions;
}

void rt_run_guarded(struct rt_warp *w, const struct bc_ins *ins, bool yes)
{
    const struct bc_branch *branch = (const struct bc_branch *)(ins + 1);
    uint32_t side = yes ? branch->yes : branch->no, other = yes ? branch->no : branch->yes;
    uint32_t end = other > side ? other : branch->reconverge;
    for (uint32_t row = w->code[side].imm; !(ins->d & (yes ? 1 : 2)) && row < w->code[end].imm; row++) {
        rt_run_empty(w, row);
        w->fuel -= w->counts[row].instructions == 0; /* so that damaged code pays for each row */
        if (w->worker->launch->watch)
            rt_watch_empty(w, row);
    }
}

/* Of a call with two successors: the branch on mask d behind the block word at `at`; NULL: there is none. */
static const struct bc_branch *successors(const struct rt_warp *w, uint32_t at, uint16_t d)
{
    const struct bc_ins *ins = &w->code[at + 1];
    return ins->op == BC_br && ins->a == d ? (const struct bc_branch *)(ins + 1) : NULL;
}

/* Lanes may return to one place one after the other: those of lower priority wait where they go on. */
uint32_t rt_ret_to(struct rt_warp *w, const struct bc_ins *ins, uint64_t yes)
{
    const uint32_t *to = rt_v(w, ins->a);
    struct rt_split *split = &w->split;
    split->n = 0;
    split->pc = rt_index(w, ins);
    split->reconverge = BC_NO_TARGET;
    split->site = ins->e;
    w->M[ins->d] = (yes & w->active) | (w->M[ins->d] & ~w->active);
    for (uint64_t left = w->active, same; left; left &= ~same) {
        uint32_t lowest = rt_lowest(left), at = to[lowest];
        if (!is_return_point(w, at)) {
            rt_trap(w, ins, lowest, "return to %u, which is no place to return to", at);
            return RT_NOWHERE;
        }
        same = w->worker->launch->core->equal_v(w, ins->a, at) & left;
        const struct bc_branch *next = successors(w, at, ins->d);
        if (same & yes)
            add_target(split, next ? next->yes : at, same & yes);
        if (same & ~yes)
            add_target(split, next ? next->no : at, same & ~yes);
    }
    return rt_diverge(w);
}

size_t rt_scalar_bytes(const struct rt_warp *w)
{
    return w->worker->launch->kernel->scalars * sizeof *w->S;
}

uint32_t rt_most_scalars(const struct bc_program *p)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->kernels.count; i++)
        most = p->kernels.at[i].scalars > most ? p->kernels.at[i].scalars : most;
    return most;
}

uint32_t rt_count_barriers(const struct bc_program *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->code.count; i++) {
        const struct bc_ins *ins = &p->code.at[i];
        bool named = ins->op == BC_scheme || ins->op == BC_wait;
        count = named && ins->b >= count ? ins->b + 1u : count;
        count = named && ins->c >= count ? ins->c + 1u : count;
        i += bc_has_branch_word((enum bc_op)ins->op);
    }
    return count;
}

/* NULL: it is in none. */
static const struct bc_function *function_at(const struct bc_program *p, uint32_t pc)
{
    for (uint32_t i = 0; i < p->functions.count; i++)
        if (p->functions.at[i].code <= pc && pc < p->functions.at[i].end)
            return &p->functions.at[i];
    return NULL;
}

uint32_t rt_return_point(const struct rt_warp *w, uint32_t pc)
{
    const struct bc_program *p = w->worker->launch->program;
    const struct bc_function *in = function_at(p, pc);
    if (!in || in->kernel || p->code.at[pc].op == BC_ret)
        return BC_NO_TARGET;
    const uint32_t *back = rt_v(w, in->return_slot);
    uint32_t first = back[rt_lowest(w->active)];
    rt_each_lane(i, w->active)
        if (back[i] != first)
            return BC_NO_TARGET;
    return is_return_point(w, first) ? first : BC_NO_TARGET;
}

uint32_t rt_call_depth(const struct rt_warp *w, uint32_t pc, unsigned lane)
{
    const struct bc_program *p = w->worker->launch->program;
    uint32_t depth = 0, most = p->functions.count;
    const struct bc_function *in;
    while (depth < most && (in = function_at(p, pc)) && !in->kernel) {
        pc = rt_v(w, in->return_slot)[lane];
        depth++;
    }
    return depth;
}

bool rt_token(struct rt_warp *w, const struct bc_ins *ins)
{
    if (w->scheme->token) {
        w->asked = true;
        return w->scheme->token(w, ins);
    }
    rt_each_lane(i, w->active)
        rt_v(w, ins->d)[i] = 0;
    return true;
}
