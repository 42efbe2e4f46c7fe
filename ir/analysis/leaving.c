/* leaving.c: by which edges threads leave the others for good.
 *
 * A barrier waits for all threads of the block that have not returned. A machine whose threads wait for each
 * other where branches reconverge may not have those wait that are on their way to the kernel's end, for
 * others that are at a barrier. So in a kernel with barriers the edge from block b to block s is *leaving*
 * if
 *
 *   - a barrier is reached from another successor of b, but none from s: threads that go there never come
 *     back; and
 *   - no convergent operation, nor a heart in whose iterations such are executed, is reached from s, without
 *     passing the definition of its token, that is so reached from a successor of b from which a barrier is
 *     reached: nobody who stays waits for them.
 *
 * Branches reconverge where they would if leaving edges were not there. Threads that are held by such an
 * operation reconverge with the others there; behind the last one they are alone too (ir_is_parting).
 *
 * A call counts as a barrier if it may lead to one. In device functions no edge is leaving: threads that
 * return wait for the others there. Where that would be for others at a barrier (ir_passes_barrier), the
 * function becomes part of its kernels (inline_barriers).
 */
#include "ir/analysis/analysis.h"

struct finder {
    struct arena *arena;
    const struct ir_cfg *g;
    const struct ir_function *f;
    struct ir_leaving *l;
    u32_vec operations; /* convergent ones, but for barriers; of tokens hearts that control such */
};

static bool waits_in(const struct ir_function *f, uint32_t b)
{
    ir_each_ins(r, f, b)
        if (ir_at(f, r)->op == IR_barrier)
            return true;
    return false;
}

static bool is_call(enum ir_op op)
{
    return op == IR_call || op == IR_icall;
}

static void find_operations(struct finder *x, struct bitset waiting)
{
    u32_vec calls = {0};
    struct bitset used = ir_tokens_in_use(x->arena, x->f);
    ir_each_block(i, b, x->f)
        ir_each_ins(r, x->f, b) {
            enum ir_op op = (enum ir_op)ir_at(x->f, r)->op;
            if (op == IR_barrier)
                bitset_add(x->l->wait, b);
            else if (op == IR_loop ? bitset_has(used, r)
                                   : op != IR_entry && op != IR_anchor && ir_is_convergent(x->f, r))
                vec_push(x->arena, is_call(op) ? &calls : &x->operations, r);
        }
    for (uint32_t i = 0; i < calls.count; i++) {
        vec_push(x->arena, &x->operations, calls.at[i]);
        if (ir_call_may_wait(x->f, calls.at[i], waiting))
            bitset_add(x->l->wait, ir_at(x->f, calls.at[i])->block);
    }
}

/* Adds what leads to blocks of the set by ways that do not pass block `stop` (IR_NO_BLOCK: none). */
static void add_leading(const struct finder *x, struct bitset set, uint32_t stop)
{
    u32_vec work = {0};
    bitset_each(b, set)
        vec_push(x->arena, &work, b);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        ir_each_pred(p, b, x->g)
            if (p != stop && !bitset_has(set, p)) {
                bitset_add(set, p);
                vec_push(x->arena, &work, p);
            }
    }
}

/* Whether some successor is in both sets. */
static bool leads_to(const struct ir_block *b, struct bitset set, struct bitset other)
{
    bool found = false;
    for (uint32_t e = 0; e < b->edges.count; e++)
        found |= bitset_has(set, b->edges.at[e].block) && bitset_has(other, b->edges.at[e].block);
    return found;
}

/* Threads that may come to a barrier first, and then to the operation, wait there for those that do not. */
static void hold(const struct finder *x, uint32_t at, uint32_t definition)
{
    struct bitset leading = bitset_new(x->arena, x->g->blocks);
    bitset_add(leading, at);
    add_leading(x, leading, definition);
    bool held = false;
    bitset_each(b, x->l->part) {
        const struct ir_block *block = ir_block_at(x->f, b);
        if (!leads_to(block, leading, x->l->wait))
            continue;
        for (uint32_t e = 0; e < block->edges.count; e++)
            if (bitset_has(leading, block->edges.at[e].block)) {
                map_set(x->arena, &x->l->held, ir_leaving_key(b, block->edges.at[e].block), 1);
                held |= !bitset_has(x->l->wait, block->edges.at[e].block);
            }
    }
    if (held)
        bitset_union(x->l->gathering, leading);
}

/* Operations of one block by tokens of one block are looked at once; none, where no threads part from others on
 * their way to a barrier. Time: for each of these blocks, those that lead there. */
static void hold_all(const struct finder *x)
{
    struct map seen = {0};
    if (bitset_next(x->l->part, 0) >= x->l->part.bits)
        return;
    for (uint32_t i = 0; i < x->operations.count; i++) {
        const struct ir_ins *ins = ir_at(x->f, x->operations.at[i]);
        uint32_t definition = ins->token ? ir_at(x->f, ins->token)->block : IR_NO_BLOCK;
        uint64_t key = (uint64_t)ins->block << 32 | definition;
        if (ins->block == definition || bitset_has(x->l->wait, ins->block) || map_get(&seen, key) != MAP_NONE)
            continue;
        map_set(x->arena, &seen, key, 1);
        hold(x, ins->block, definition);
    }
}

/* Threads that have diverged from others on their way to a barrier, and those that reconverge with nobody. */
static void find_gone(const struct finder *x)
{
    u32_vec work = {0};
    bitset_each(b, x->l->part)
        vec_push(x->arena, &work, b);
    while (work.count) {
        const struct ir_block *block = ir_block_at(x->f, vec_pop(&work));
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t s = block->edges.at[e].block;
            if (bitset_has(x->l->wait, s) || bitset_has(x->l->passed, s))
                continue;
            bitset_add(x->l->passed, s);
            vec_push(x->arena, &work, s);
        }
    }
    bitset_each(b, x->l->passed)
        if (!bitset_has(x->l->gathering, b))
            bitset_add(x->l->gone, b);
}

/* Of a function from which nobody leaves. */
static struct ir_leaving *empty(struct arena *a, const struct ir_cfg *c)
{
    struct ir_leaving *l = arena_new(a, struct ir_leaving);
    *l = (struct ir_leaving){.wait = bitset_new(a, c->blocks),
                             .part = bitset_new(a, c->blocks),
                             .gathering = bitset_new(a, c->blocks),
                             .passed = bitset_new(a, c->blocks),
                             .gone = bitset_new(a, c->blocks)};
    return l;
}

static struct finder find_waiting(struct arena *a, const struct ir_cfg *c, struct bitset waiting)
{
    struct ir_leaving *l = empty(a, c);
    struct finder x = {.arena = a, .g = c, .f = c->fn, .l = l};
    find_operations(&x, waiting);
    add_leading(&x, l->wait, IR_NO_BLOCK);
    bitset_each(b, l->wait)
        if (leads_to(ir_block_at(c->fn, b), l->wait, l->wait))
            bitset_add(l->part, b);
    return x;
}

struct ir_leaving *ir_leaving_of(struct arena *a, const struct ir_cfg *c, struct bitset waiting)
{
    if (!(c->fn->flags & IR_FN_KERNEL))
        return empty(a, c);
    struct finder x = find_waiting(a, c, waiting);
    hold_all(&x);
    find_gone(&x);
    return x.l;
}

struct ir_leaving *ir_leaving_new(struct arena *a, const struct ir_cfg *c)
{
    return ir_leaving_of(a, c, ir_waiting_functions(a, c->fn->module));
}

/* ---- functions that some leave while others are at a barrier ------------------------------------------ */

/* Whether threads come to a barrier behind the last instruction of the block. */
static bool waits_behind(const struct finder *x, uint32_t b, bool returns_wait)
{
    return leads_to(ir_block_at(x->f, b), x->l->wait, x->l->wait) ||
           (returns_wait && ir_at(x->f, ir_terminator(x->f, b))->op == IR_ret);
}

static bool passes_at_branch(const struct finder *x, uint32_t b)
{
    bool waits = false, passes = false;
    for (uint32_t e = 0; e < ir_block_at(x->f, b)->edges.count; e++) {
        bool leads = bitset_has(x->l->wait, ir_block_at(x->f, b)->edges.at[e].block);
        waits |= leads;
        passes |= !leads;
    }
    return waits && passes;
}

static bool passes_in_block(const struct finder *x, uint32_t b, const struct ir_bodies *in, bool returns_wait)
{
    bool passes = passes_at_branch(x, b), waits = waits_behind(x, b, returns_wait);
    for (ir_ref r = ir_block_at(x->f, b)->last; r; r = ir_at(x->f, r)->prev) {
        if (bitset_has(in->inlined, r)) {
            struct ir_passing p = in->passing[ir_at(x->f, r)->imm];
            passes |= waits ? p.barrier_follows : p.nothing_follows;
        }
        waits |= ir_at(x->f, r)->op == IR_barrier || ir_call_may_wait(x->f, r, in->waiting);
    }
    return passes;
}

static bool passes(struct arena *a, const struct ir_cfg *c, const struct ir_bodies *in, bool returns_wait)
{
    struct finder x = {.arena = a, .g = c, .f = c->fn, .l = empty(a, c)};
    find_operations(&x, in->waiting);
    for (uint32_t i = 0; i < c->rpo_count && returns_wait; i++)
        if (ir_at(c->fn, ir_terminator(c->fn, c->rpo[i]))->op == IR_ret)
            bitset_add(x.l->wait, c->rpo[i]);
    add_leading(&x, x.l->wait, IR_NO_BLOCK);
    bool found = false;
    for (uint32_t i = 0; i < c->rpo_count && !found; i++)
        found = passes_in_block(&x, c->rpo[i], in, returns_wait);
    return found;
}

struct ir_passing ir_passes_barrier(struct arena *a, const struct ir_cfg *c, const struct ir_bodies *in)
{
    return (struct ir_passing){passes(a, c, in, false), passes(a, c, in, true)};
}

struct bitset ir_stayed_in(struct arena *a, const struct ir_cfg *c, const struct ir_leaving *l)
{
    struct bitset set = bitset_new(a, c->blocks);
    u32_vec work = {0};
    bitset_add(set, ir_entry(c->fn));
    vec_push(a, &work, ir_entry(c->fn));
    while (work.count) {
        uint32_t b = vec_pop(&work);
        const struct ir_block *block = ir_block_at(c->fn, b);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t s = block->edges.at[e].block;
            if (bitset_has(set, s) || ir_is_leaving(l, b, s))
                continue;
            bitset_add(set, s);
            vec_push(a, &work, s);
        }
    }
    return set;
}

/* ---- who may end before a barrier -------------------------------------------------------------------- */

struct bitset ir_ending_new(struct arena *a, const struct ir_cfg *c)
{
    struct bitset ending = bitset_new(a, c->blocks);
    u32_vec work = {0};
    for (uint32_t i = 0; i < c->rpo_count; i++)
        if (ir_at(c->fn, ir_terminator(c->fn, c->rpo[i]))->op == IR_ret)
            vec_push(a, &work, c->rpo[i]);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        if (bitset_has(ending, b) || waits_in(c->fn, b))
            continue;
        bitset_add(ending, b);
        ir_each_pred(p, b, c)
            vec_push(a, &work, p);
    }
    return ending;
}
