/* barriers_e.c: on which graphs of class e barriers are right, whichever way each thread takes.
 *
 * A barrier waits for all threads that have not returned. Threads may go past it if no way leads to a barrier
 * any more: others may as well, but only the scheme `oracle` lets those return while some are there
 * (docs/language.md). Threads at an operation wait for all that a way leads to it, be they at a barrier.
 */
#include "fuzz/waits_e.h"

struct graph {
    const struct ir_cfg *c;
    struct arena *arena;
    const struct ir_cycles *cycles;
    struct bitset headers; /* of cycles */
};

static struct bitset blocks_with_barriers(const struct graph *g)
{
    struct bitset set = bitset_new(g->arena, g->c->blocks);
    ir_each_block(i, b, g->c->fn)
        ir_each_ins(r, g->c->fn, b)
            if (ir_at(g->c->fn, r)->op == IR_barrier)
                bitset_add(set, b);
    return set;
}

/* By ways that do not pass block `stop` (IR_NO_BLOCK: none). */
static struct bitset blocks_that_reach(const struct graph *g, struct bitset set, uint32_t stop)
{
    struct bitset reach = bitset_new(g->arena, g->c->blocks);
    u32_vec work = {0};
    bitset_copy(reach, set);
    bitset_each(b, set)
        vec_push(g->arena, &work, b);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        ir_each_pred(p, b, g->c)
            if (p != stop && !bitset_has(reach, p)) {
                bitset_add(reach, p);
                vec_push(g->arena, &work, p);
            }
    }
    return reach;
}

/* Whether threads that leave block `from` come to block `at` before they come to `home` and before their way
 * in `stay` ends, unless they leave it. */
static bool all_come(const struct graph *g, uint32_t from, uint32_t home, uint32_t at, struct bitset stay)
{
    struct bitset seen = bitset_new(g->arena, g->c->blocks);
    u32_vec work = {0};
    if (from != at)
        vec_push(g->arena, &work, from);
    while (work.count) {
        uint32_t b = vec_pop(&work), on = 0;
        const struct ir_block *block = ir_block_at(g->c->fn, b);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t to = block->edges.at[e].block;
            on += bitset_has(stay, to);
            if (to == home)
                return false;
            if (to == at || !bitset_has(stay, to) || bitset_has(seen, to))
                continue;
            bitset_add(seen, to);
            vec_push(g->arena, &work, to);
        }
        if (on == 0)
            return false;
    }
    return true;
}

/* Whether the barrier's block is on all ways from `home` to `at`; `leading`: the blocks on them. */
static bool is_on_all_paths(const struct graph *g, struct bitset leading, uint32_t home, uint32_t barrier,
                            uint32_t at)
{
    struct bitset here = bitset_new(g->arena, g->c->blocks);
    bitset_add(here, at);
    struct bitset past = blocks_that_reach(g, here, barrier);
    const struct ir_block *block = ir_block_at(g->c->fn, home);
    for (uint32_t e = 0; e < block->edges.count; e++)
        if (bitset_has(leading, block->edges.at[e].block) && bitset_has(past, block->edges.at[e].block))
            return false;
    return true;
}

/* Whether threads may come from the barrier to it again without passing `home`. */
static bool comes_again(const struct graph *g, uint32_t barrier, uint32_t home)
{
    struct bitset here = bitset_new(g->arena, g->c->blocks);
    const struct ir_block *block = ir_block_at(g->c->fn, barrier);
    bool again = false;
    bitset_add(here, barrier);
    struct bitset leading = blocks_that_reach(g, here, home);
    for (uint32_t e = 0; e < block->edges.count; e++)
        again |= bitset_has(leading, block->edges.at[e].block);
    return again;
}

/* Threads at the operation wait for those that may come to it, be they at a barrier: so a barrier on some
 * way to it from where its token is made has to be on all of them, and where threads may come to that again,
 * they have to come to the operation as well. (Whether they all do at once is seen when the reference
 * runs.) */
static bool waits_for_none_at(const struct graph *g, struct bitset barriers, uint32_t home, uint32_t at)
{
    struct bitset here = bitset_new(g->arena, g->c->blocks);
    bitset_add(here, at);
    if (home == at)
        return true;
    struct bitset leading = blocks_that_reach(g, here, home);
    bitset_each(b, barriers) {
        if (b == at || b == home || !bitset_has(leading, b))
            continue;
        if (!is_on_all_paths(g, leading, home, b, at) ||
            (comes_again(g, b, home) && !all_come(g, b, home, at, g->c->reachable)))
            return false;
    }
    return true;
}

static uint32_t home_of(const struct graph *g, ir_ref token)
{
    return ir_at(g->c->fn, token)->block;
}

/* The token that a heart outside of a cycle's header is made from stands for it: it makes one instance. */
static ir_ref made_anew(const struct graph *g, ir_ref token)
{
    while (ir_at(g->c->fn, token)->op == IR_loop && !bitset_has(g->headers, home_of(g, token)))
        token = ir_at(g->c->fn, token)->token;
    return token;
}

/* Whether threads that leave the cycle around block `at`, which the others go round to their barrier in it, may
 * return on a way on which they could have come to another one. */
static bool leaves_early(const struct graph *g, uint32_t at, struct bitset barriers, struct bitset stay)
{
    uint32_t cycle = g->cycles->innermost[at];
    struct bitset seen = bitset_new(g->arena, g->c->blocks);
    u32_vec work = {0};
    for (uint32_t i = 0; cycle != IR_NO_CYCLE && i < g->cycles->at[cycle].count; i++)
        vec_push(g->arena, &work, g->cycles->blocks[g->cycles->at[cycle].first + i]);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        const struct ir_block *block = ir_block_at(g->c->fn, b);
        bool inside = ir_cycle_has(g->cycles, cycle, b);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t to = block->edges.at[e].block;
            if (!bitset_has(stay, to) && !inside)
                return true;
            if (!bitset_has(stay, to) || ir_cycle_has(g->cycles, cycle, to) || bitset_has(barriers, to) ||
                bitset_has(seen, to))
                continue;
            bitset_add(seen, to);
            vec_push(g->arena, &work, to);
        }
    }
    return false;
}

/* In each iteration of all cycles around, if their hearts are those that the barrier's token is made from. */
static bool barrier_is_right(const struct graph *g, const struct ir_ins *barrier, struct bitset barriers,
                             struct bitset stay)
{
    bool right = !leaves_early(g, barrier->block, barriers, stay);
    for (ir_ref token = barrier->token; right && token; token = ir_at(g->c->fn, token)->token) {
        token = made_anew(g, token);
        right = all_come(g, home_of(g, token), home_of(g, token), barrier->block, stay);
    }
    return right;
}

/* Who executes the operation together, and the hearts that control it: threads wait at those likewise. */
static bool operation_is_right(const struct graph *g, struct bitset barriers, const struct ir_ins *ins)
{
    bool right = true;
    uint32_t at = ins->block;
    for (ir_ref token = ins->token; right && token; token = ir_at(g->c->fn, token)->token) {
        token = made_anew(g, token);
        right = waits_for_none_at(g, barriers, home_of(g, token), at);
        at = home_of(g, token);
    }
    return right;
}

bool fz_barriers_are_right(const struct ir_function *f, const struct ir_cfg *c, struct arena *a)
{
    const struct ir_cycles *cycles = ir_cycles_new(a, c);
    const struct graph *g = &(struct graph){c, a, cycles, bitset_new(a, c->blocks)};
    for (uint32_t i = 0; i < cycles->count; i++)
        bitset_add(g->headers, cycles->at[i].header);
    struct bitset barriers = blocks_with_barriers(g);
    struct bitset stay = blocks_that_reach(g, barriers, IR_NO_BLOCK);
    ir_each_block(i, b, g->c->fn)
        ir_each_ins(r, g->c->fn, b) {
            const struct ir_ins *ins = ir_at(f, r);
            bool right = !ins->token || ins->type == IR_TYPE_TOKEN;
            if (ins->op == IR_barrier)
                right = barrier_is_right(g, ins, barriers, stay);
            else if (!right)
                right = operation_is_right(g, barriers, ins);
            if (!right)
                return false;
        }
    return true;
}
