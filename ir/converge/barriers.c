/* barriers.c: threads that leave those who come to a barrier.
 *
 * A barrier waits for all threads of the block that have not returned. A machine that can't hold a group there
 * while the others run on (SCHEME_HOLDS) may not have these wait for it on their way to the kernel's end. So in
 * a kernel with barriers nobody waits for the threads that go from block b to block s if a barrier is reached
 * from another successor of b, but none from s: they never come back. Unless they have to be together with
 * others behind s, that is, for some divergent branch x and some convergent operation j (or heart in whose
 * iterations such are executed):
 *
 *   - j is reached from two successors of x, by ways that do not pass the definition of its token; and
 *   - the edge from b to s lies on such a way before the threads of x wait for each other.
 *
 * A call counts as a barrier if it may lead to one. In device functions there is no such edge: threads that
 * return wait for the others there. Where that would be for others at a barrier (ir_passes_barrier), the
 * function becomes part of its kernels (inline_barriers).
 */
#include "ir/converge/order.h"

struct finder {
    struct arena *arena;
    const struct ir_cfg *g;
    const struct ir_function *f;
    struct bitset divergent; /* blocks at whose branch threads diverge */
    const uint32_t *points;  /* by block: where they wait for each other */
    struct bitset leads;     /* blocks that lead to a barrier */
    struct map held;         /* edges, by ir_edge_key, before they do which have to be together */
    u32_vec operations;      /* convergent ones, but for barriers; of tokens hearts that control such */
};

/* Adds what leads to blocks of the set by ways that do not pass block `stop` (IR_NO_BLOCK: none). */
static void add_leading(const struct finder *x, struct bitset set, uint32_t stop)
{
    struct walk w = walk_from(x->arena, set);
    ir_reach_back(&w, x->g, stop);
}

/* A barrier from which nobody returns is one that nobody comes to, or the launch never ends. */
static void find_operations(struct finder *x, struct bitset waiting)
{
    struct bitset used = ir_tokens_in_use(x->arena, x->f), returns = bitset_new(x->arena, x->g->blocks);
    for (uint32_t i = 0; i < x->g->rpo_count; i++)
        if (ir_at(x->f, ir_terminator(x->f, x->g->rpo[i]))->op == IR_ret)
            bitset_add(returns, x->g->rpo[i]);
    add_leading(x, returns, IR_NO_BLOCK);
    ir_each_block(i, b, x->f)
        ir_each_ins(r, x->f, b) {
            bool waits = ir_at(x->f, r)->op == IR_barrier || ir_call_may_wait(x->f, r, waiting);
            if (waits && bitset_has(returns, b))
                bitset_add(x->leads, b);
            if (ir_gathers(x->f, r, used))
                vec_push(x->arena, &x->operations, r);
        }
}

/* Whether some successor of the block is in the set. */
static bool leads_to(const struct finder *x, uint32_t b, struct bitset set)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    for (uint32_t e = 0; e < block->edges.count; e++)
        if (bitset_has(set, block->edges.at[e].block))
            return true;
    return false;
}

static bool leads_by_two(const struct finder *x, uint32_t b, struct bitset set)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    uint32_t first = IR_NO_BLOCK;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t s = block->edges.at[e].block;
        if (!bitset_has(set, s))
            continue;
        if (first != IR_NO_BLOCK && first != s)
            return true;
        first = s;
    }
    return false;
}

/* Holds the edges from the branch to where its threads wait, by blocks that lead to an operation. */
static void hold(struct finder *x, uint32_t branch, struct bitset leading)
{
    struct walk w = walk_new(x->arena, x->g->blocks);
    walk_add(&w, branch);
    walk_each(b, &w) {
        const struct ir_block *block = ir_block_at(x->f, b);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t s = block->edges.at[e].block;
            if (!bitset_has(leading, s))
                continue;
            map_set(x->arena, &x->held, ir_edge_key(b, s), 1);
            if (s != x->points[branch])
                walk_add(&w, s);
        }
    }
}

/* For the sake of the operation: of branches behind the definition of its token. */
static void hold_before(struct finder *x, uint32_t at, uint32_t definition)
{
    struct bitset leading = bitset_new(x->arena, x->g->blocks);
    bitset_add(leading, at);
    add_leading(x, leading, definition);
    bitset_each(b, x->divergent)
        if ((b == definition || bitset_has(leading, b)) && leads_by_two(x, b, leading))
            hold(x, b, leading);
}

/* Operations of one block by tokens of one block are looked at once. Time: for each of these blocks, those that
 * lead there, and of branches among them, what they lead to before their threads wait. */
static void hold_all(struct finder *x)
{
    struct map seen = {0};
    for (uint32_t i = 0; i < x->operations.count; i++) {
        const struct ir_ins *ins = ir_at(x->f, x->operations.at[i]);
        uint32_t definition = ins->token ? ir_at(x->f, ins->token)->block : IR_NO_BLOCK;
        uint64_t key = ir_edge_key(ins->block, definition);
        if (ins->block == definition || bitset_has(x->leads, ins->block) || map_get(&seen, key) != MAP_NONE)
            continue;
        map_set(x->arena, &seen, key, 1);
        hold_before(x, ins->block, definition);
    }
}

struct bitset ir_leads_to_barrier(struct arena *a, const struct ir_cfg *c, struct bitset waiting)
{
    struct finder x = {.arena = a, .g = c, .f = c->fn, .leads = bitset_new(a, c->blocks)};
    find_operations(&x, waiting);
    add_leading(&x, x.leads, IR_NO_BLOCK);
    return x.leads;
}

void ir_pass_over_barriers(struct arena *a, const struct ir_cfg *c, struct bitset waiting,
                           struct bitset divergent, const uint32_t *points, struct map *exits)
{
    struct finder x = {.arena = a,
                       .g = c,
                       .f = c->fn,
                       .divergent = divergent,
                       .points = points,
                       .leads = bitset_new(a, c->blocks)};
    if (!(c->fn->flags & IR_FN_KERNEL))
        return;
    find_operations(&x, waiting);
    add_leading(&x, x.leads, IR_NO_BLOCK);
    if (bitset_next(x.leads, 0) >= x.leads.bits)
        return;
    hold_all(&x);
    bitset_each(b, x.leads) {
        const struct ir_block *block = ir_block_at(c->fn, b);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint64_t key = ir_edge_key(b, block->edges.at[e].block);
            if (!bitset_has(x.leads, block->edges.at[e].block) && leads_to(&x, b, x.leads) &&
                map_get(&x.held, key) == MAP_NONE)
                map_set(a, exits, key, 1);
        }
    }
}

/* ---- functions that some leave while others are at a barrier ------------------------------------------ */

static bool passes_at_branch(const struct finder *x, uint32_t b)
{
    bool waits = false, passes = false;
    for (uint32_t e = 0; e < ir_block_at(x->f, b)->edges.count; e++) {
        bool leads = bitset_has(x->leads, ir_block_at(x->f, b)->edges.at[e].block);
        waits |= leads;
        passes |= !leads;
    }
    return waits && passes;
}

/* `waits`: whether threads come to a barrier behind the last instruction of the block. */
static bool passes_in_block(const struct finder *x, uint32_t b, const struct ir_bodies *in, bool waits)
{
    bool passes = passes_at_branch(x, b);
    for (ir_ref r = ir_block_at(x->f, b)->last; r; r = ir_at(x->f, r)->prev) {
        if (bitset_has(in->inlined, r)) {
            struct ir_passing p = in->passing[ir_at(x->f, r)->imm];
            passes |= waits ? p.barrier_follows : p.nothing_follows;
        }
        waits |= ir_at(x->f, r)->op == IR_barrier || ir_call_may_wait(x->f, r, in->waiting);
    }
    return passes;
}

/* `behind`: a barrier follows the function's return. */
static bool passes(struct arena *a, const struct ir_cfg *c, const struct ir_bodies *in, bool behind)
{
    struct finder x = {.arena = a, .g = c, .f = c->fn, .leads = bitset_new(a, c->blocks)};
    bool found = false;
    ir_each_block(i, b, x.f)
        ir_each_ins(r, x.f, b) {
            enum ir_op op = (enum ir_op)ir_at(x.f, r)->op;
            if (op == IR_barrier || (behind && op == IR_ret) || ir_call_may_wait(x.f, r, in->waiting))
                bitset_add(x.leads, b);
        }
    add_leading(&x, x.leads, IR_NO_BLOCK);
    for (uint32_t i = 0; i < c->rpo_count && !found; i++) {
        uint32_t b = c->rpo[i];
        bool returns = behind && ir_at(x.f, ir_terminator(x.f, b))->op == IR_ret;
        found = passes_in_block(&x, b, in, returns || leads_to(&x, b, x.leads));
    }
    return found;
}

struct ir_passing ir_passes_barrier(struct arena *a, const struct ir_cfg *c, const struct ir_bodies *in)
{
    return (struct ir_passing){passes(a, c, in, false), passes(a, c, in, true)};
}

/* ---- who may end before a barrier ---------------------------------------------------------------------- */

static bool has_barrier(const struct ir_function *f, uint32_t b)
{
    ir_each_ins(r, f, b)
        if (ir_at(f, r)->op == IR_barrier)
            return true;
    return false;
}

struct bitset ir_ending_new(struct arena *a, const struct ir_cfg *c)
{
    struct bitset ending = bitset_new(a, c->blocks);
    struct walk w = walk_new(a, c->blocks);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        if (ir_at(c->fn, ir_terminator(c->fn, c->rpo[i]))->op == IR_ret)
            walk_add(&w, c->rpo[i]);
    walk_each(b, &w) {
        if (has_barrier(c->fn, b))
            continue;
        bitset_add(ending, b);
        ir_add_predecessors(&w, c, b, IR_NO_BLOCK);
    }
    return ending;
}
