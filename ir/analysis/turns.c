/* turns.c: cycles by the block in which threads that go round them come together last.
 *
 * The order of priorities ends each cycle with one block. If that is the header, threads who have gone round
 * some inner cycle and left it wait for the others there. But where all threads come from the header to one
 * place, the last of its post-dominators in the cycle, and that place is in a cycle without the header, they
 * are to wait for each other at that place: it would stand before the header, and those who come first would
 * go on round its own cycle. If the place leads back by the header alone, the cycle is a loop whose
 * `continue`s begin the next turn, and the header is where the turns are merged.
 *
 * So an outermost cycle in which there is such a place, or a cycle with several entries, is taken apart anew.
 * The block that ends it is its latch, if one block alone leads back, does nothing else and is no entry, or
 * else that place, or else its first block. Without the block the rest may have cycles, which are taken apart
 * in the same way.
 *
 * Which block is best depends on how many threads go which way. A caller that knows may choose for each
 * outermost cycle (enum ir_cycle_end), unless threads may spin in it: those who hold a lock have to come first.
 *
 * Cycles with convergent operations stay: their iterations are what tokens say, and their headers begin them.
 */
#include "ir/analysis/turns.h"
#include <stdlib.h>

enum { MOST_DEPTH = 64 }; /* of cycles taken apart; what is nested deeper stays as it is */

struct turner {
    struct arena *arena;
    const struct ir_cfg *g;
    const struct ir_cycles *old;
    const struct ir_dominators *post;
    enum ir_cycle_end *ends;     /* by cycle, of outermost ones */
    enum ir_cycle_end end;       /* of the one that is being taken apart */
    VEC(struct ir_cycle) cycles; /* new ones */
    u32_vec blocks;
    uint32_t *innermost;
    struct bitset turned;
    uint32_t *region;       /* by block: the new cycle that it is being taken apart in */
    uint32_t *number, *low; /* Tarjan (1972), by block; 0: not seen */
    uint32_t numbers;
    uint32_t *seen, searches; /* by block: the search that saw it last */
    u32_vec stack;
    bool deep;
};

/* ---- which cycles ------------------------------------------------------------------------------------ */

static bool has_convergent(const struct turner *x, const struct ir_cycle *k)
{
    for (uint32_t i = 0; i < k->count; i++)
        ir_each_ins(r, x->g->fn, x->old->blocks[k->first + i])
            if (ir_is_convergent(x->g->fn, r))
                return true;
    return false;
}

/* Functions that are called, each once. */
struct callees {
    struct bitset seen;
    u32_vec left;
};

/* Whether a thread may wait in the block for what others do: by an atomic, or where nobody knows what is
 * called. */
static bool waits_in(struct arena *a, const struct ir_function *f, uint32_t b, struct callees *callees)
{
    ir_each_ins(r, f, b) {
        const struct ir_ins *ins = ir_at(f, r);
        if (ins->op == IR_icall || (ins->op >= IR_atomic_add && ins->op <= IR_atomic_cas))
            return true;
        if (ins->op != IR_call || bitset_has(callees->seen, (uint32_t)ins->imm))
            continue;
        bitset_add(callees->seen, (uint32_t)ins->imm);
        vec_push(a, &callees->left, (uint32_t)ins->imm);
    }
    return false;
}

/* The same of the cycle and what is called there. */
static bool may_spin(const struct turner *x, const struct ir_cycle *k)
{
    const struct ir_module *m = x->g->fn->module;
    struct callees callees = {.seen = bitset_new(x->arena, m->functions.count)};
    for (uint32_t i = 0; i < k->count; i++)
        if (waits_in(x->arena, x->g->fn, x->old->blocks[k->first + i], &callees))
            return true;
    while (callees.left.count) {
        const struct ir_function *f = m->functions.at[vec_pop(&callees.left)];
        ir_each_block(i, b, f)
            if (waits_in(x->arena, f, b, &callees))
                return true;
    }
    return false;
}

static bool is_latch(const struct turner *x, uint32_t b)
{
    return ir_block_at(x->g->fn, b)->edges.count == 1;
}

/* Whether the order would end the cycle with a header though threads reconverge behind it, or it has several
 * entries. */
static bool ends_early(const struct turner *x, uint32_t cycle)
{
    const struct ir_cycle *k = &x->old->at[cycle];
    uint32_t b = k->header, up, back = 0, latch = IR_NO_BLOCK;
    if (k->entries.count > 1)
        return true;
    while ((up = x->post->idom[b]) != IR_NO_BLOCK && ir_cycle_has(x->old, cycle, up))
        b = up;
    if (x->old->innermost[b] == cycle)
        return false;
    ir_each_pred(p, k->header, x->g)
        if (ir_cycle_has(x->old, cycle, p)) {
            back++;
            latch = p;
        }
    return back != 1 || !is_latch(x, latch) || x->old->innermost[latch] != cycle;
}

/* ---- taking apart ------------------------------------------------------------------------------------ */

/* Whether threads come from block b of region r to it again without block `first`. */
static bool comes_again(struct turner *x, uint32_t b, uint32_t first, uint32_t r)
{
    uint32_t search = ++x->searches;
    u32_vec work = {0};
    vec_push(x->arena, &work, b);
    while (work.count) {
        const struct ir_block *block = ir_block_at(x->g->fn, vec_pop(&work));
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t to = block->edges.at[e].block;
            if (to == b)
                return true;
            if (to == first || x->region[to] != r || x->seen[to] == search)
                continue;
            x->seen[to] = search;
            vec_push(x->arena, &work, to);
        }
    }
    return false;
}

/* Whether threads come to block b of region r from without: not all of them have been at its first block. */
static bool is_entered(const struct turner *x, uint32_t b, uint32_t r)
{
    ir_each_pred(p, b, x->g)
        if (bitset_has(x->g->reachable, p) && x->region[p] != r)
            return true;
    return false;
}

/* The block that ends the new cycle of region r, whose blocks are `blocks` in reverse post-order. */
static uint32_t end_of(struct turner *x, const uint32_t *blocks, uint32_t r)
{
    uint32_t first = blocks[0], back = 0, latch = IR_NO_BLOCK, b = first, up;
    if (x->end == IR_END_FIRST)
        return first;
    ir_each_pred(p, first, x->g)
        if (bitset_has(x->g->reachable, p) && x->region[p] == r) {
            back++;
            latch = p;
        }
    bool only = back == 1 && latch != first && is_latch(x, latch) && !is_entered(x, latch, r);
    if (only && x->end != IR_END_MEETING)
        return latch;
    while ((up = x->post->idom[b]) != IR_NO_BLOCK && x->region[up] == r)
        b = up;
    return x->end != IR_END_USUAL || b == first || comes_again(x, b, first, r) ? b : first;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* In reverse post-order: the array has places in it, then blocks. */
static void sort_blocks(const struct turner *x, uint32_t *blocks, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        blocks[i] = x->g->rpo_index[blocks[i]];
    qsort(blocks, n, sizeof *blocks, by_number);
    for (uint32_t i = 0; i < n; i++)
        blocks[i] = x->g->rpo[blocks[i]];
}

static bool leads_to_itself(const struct turner *x, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->g->fn, b);
    for (uint32_t e = 0; e < block->edges.count; e++)
        if (block->edges.at[e].block == b)
            return true;
    return false;
}

/* The blocks on the stack from `from` are a strong component within a cycle, or the whole of an outermost
 * one. */
static void add_cycle(struct turner *x, uint32_t from, uint32_t parent)
{
    uint32_t id = x->cycles.count, n = x->stack.count - from;
    struct ir_cycle k = {.parent = parent,
                         .depth = parent == IR_NO_CYCLE ? 1 : x->cycles.at[parent].depth + 1};
    k.first = x->blocks.count;
    k.count = n;
    sort_blocks(x, x->stack.at + from, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = x->stack.at[from + i];
        vec_push(x->arena, &x->blocks, b);
        x->innermost[b] = x->region[b] = id;
    }
    k.header = end_of(x, x->blocks.at + k.first, id);
    x->region[k.header] = IR_NO_CYCLE;
    x->deep |= k.depth > MOST_DEPTH;
    vec_push(x->arena, &x->cycles, k);
}

struct visit {
    uint32_t block, edge;
};

/* What of block b's component is reached is on the stack: it is whole. */
static void close(struct turner *x, uint32_t b, uint32_t cycle)
{
    uint32_t from = x->stack.count;
    while (x->stack.at[--from] != b)
        ;
    for (uint32_t i = from; i < x->stack.count; i++)
        x->low[x->stack.at[i]] = UINT32_MAX;
    if (x->stack.count - from > 1 || leads_to_itself(x, b))
        add_cycle(x, from, cycle);
    x->stack.count = from;
}

/* Strong components of the cycle's blocks without its end. */
static void find_components(struct turner *x, uint32_t cycle, uint32_t root)
{
    VEC(struct visit) path = {0};
    vec_push(x->arena, &path, ((struct visit){root, 0}));
    x->number[root] = x->low[root] = ++x->numbers;
    vec_push(x->arena, &x->stack, root);
    while (path.count) {
        struct visit *v = &vec_last(&path);
        uint32_t b = v->block;
        const struct ir_block *block = ir_block_at(x->g->fn, b);
        if (v->edge == block->edges.count) {
            path.count--;
            if (path.count && x->low[b] < x->low[vec_last(&path).block])
                x->low[vec_last(&path).block] = x->low[b];
            if (x->low[b] == x->number[b])
                close(x, b, cycle);
            continue;
        }
        uint32_t to = block->edges.at[v->edge++].block;
        if (x->region[to] != cycle)
            continue;
        if (x->number[to] == 0) {
            x->number[to] = x->low[to] = ++x->numbers;
            vec_push(x->arena, &x->stack, to);
            vec_push(x->arena, &path, ((struct visit){to, 0}));
        } else if (x->low[to] != UINT32_MAX && x->number[to] < x->low[b]) {
            x->low[b] = x->number[to];
        }
    }
}

/* Components get a region of their own as they are found, so that blocks still in the cycle's have none. */
static void take_apart(struct turner *x, uint32_t cycle)
{
    struct ir_cycle k = x->cycles.at[cycle];
    for (uint32_t i = 0; i < k.count; i++)
        x->number[x->blocks.at[k.first + i]] = 0;
    for (uint32_t i = 0; i < k.count; i++) {
        uint32_t b = x->blocks.at[k.first + i];
        if (x->region[b] == cycle && x->number[b] == 0)
            find_components(x, cycle, b);
    }
}

static void turn(struct turner *x, uint32_t cycle)
{
    const struct ir_cycle *outermost = &x->old->at[cycle];
    uint32_t first = x->cycles.count;
    x->end = x->ends[cycle];
    for (uint32_t i = 0; i < outermost->count; i++)
        vec_push(x->arena, &x->stack, x->old->blocks[outermost->first + i]);
    add_cycle(x, 0, IR_NO_CYCLE);
    x->stack.count = 0;
    for (uint32_t k = first; k < x->cycles.count && !x->deep; k++)
        take_apart(x, k);
    for (uint32_t k = first; k < x->cycles.count; k++)
        bitset_add(x->turned, k);
}

/* ---- all --------------------------------------------------------------------------------------------- */

/* The outermost cycle around each. */
static uint32_t *find_outermost(const struct turner *x)
{
    uint32_t *outermost = arena_array(x->arena, uint32_t, x->old->count);
    for (uint32_t k = 0; k < x->old->count; k++) {
        uint32_t parent = x->old->at[k].parent;
        outermost[k] = parent == IR_NO_CYCLE ? k : outermost[parent];
    }
    return outermost;
}

/* The ends asked for, by header; NULL: none are. */
static void find_ends(struct turner *x, const uint8_t *asked)
{
    x->ends = arena_array(x->arena, enum ir_cycle_end, x->old->count);
    for (uint32_t k = 0; k < x->old->count; k++) {
        const struct ir_cycle *cycle = &x->old->at[k];
        enum ir_cycle_end end = asked ? (enum ir_cycle_end)asked[cycle->header] : IR_END_USUAL;
        x->ends[k] = end != IR_END_USUAL && may_spin(x, cycle) ? IR_END_USUAL : end;
    }
}

/* Outermost cycles to be taken apart. */
static struct bitset find_early(const struct turner *x, const uint32_t *outermost)
{
    struct bitset early = bitset_new(x->arena, x->old->count);
    for (uint32_t k = 0; k < x->old->count; k++) {
        enum ir_cycle_end end = x->ends[outermost[k]];
        bool known = bitset_has(early, outermost[k]);
        if (!known && (end == IR_END_USUAL ? ends_early(x, k) : end != IR_END_KEPT))
            bitset_add(early, outermost[k]);
    }
    bitset_each(k, early)
        if (has_convergent(x, &x->old->at[k]))
            bitset_remove(early, k);
    return early;
}

/* Cycle k as it was; `now`: where those before it stand now. */
static void keep(struct turner *x, uint32_t k, uint32_t *now)
{
    struct ir_cycle copy = x->old->at[k];
    copy.first = x->blocks.count;
    copy.parent = copy.parent == IR_NO_CYCLE ? IR_NO_CYCLE : now[copy.parent];
    now[k] = x->cycles.count;
    for (uint32_t i = 0; i < copy.count; i++) {
        uint32_t b = x->old->blocks[x->old->at[k].first + i];
        vec_push(x->arena, &x->blocks, b);
        if (x->old->innermost[b] == k)
            x->innermost[b] = now[k];
    }
    vec_push(x->arena, &x->cycles, copy);
}

static struct ir_turns *finish(struct turner *x)
{
    struct ir_turns *t = arena_new(x->arena, struct ir_turns);
    t->cycles = (struct ir_cycles){
        .at = x->cycles.at, .count = x->cycles.count, .innermost = x->innermost, .blocks = x->blocks.at};
    t->turned = x->turned;
    return t;
}

struct ir_turns *ir_turns_new(struct arena *a, const struct ir_cfg *g, const struct ir_cycles *old,
                              const struct ir_leaving *l, const uint8_t *ends)
{
    struct turner x = {.arena = a, .g = g, .old = old};
    if (old->count == 0)
        return NULL;
    find_ends(&x, ends);
    x.post = l ? ir_reconvergence_new(a, g, l) : ir_post_dominators_new(a, g);
    uint32_t *outermost = find_outermost(&x), *now = arena_array(a, uint32_t, old->count);
    struct bitset early = find_early(&x, outermost);
    if (bitset_count(early) == 0)
        return NULL;
    x.innermost = arena_array(a, uint32_t, g->blocks);
    x.region = arena_array(a, uint32_t, g->blocks);
    x.number = arena_array(a, uint32_t, g->blocks);
    x.low = arena_array(a, uint32_t, g->blocks);
    x.seen = arena_array(a, uint32_t, g->blocks);
    x.turned = bitset_new(a, g->blocks); /* a cycle has an end of its own */
    memset(x.innermost, 0xff, g->blocks * sizeof *x.innermost);
    memset(x.region, 0xff, g->blocks * sizeof *x.region);
    for (uint32_t k = 0; k < old->count; k++)
        if (!bitset_has(early, outermost[k]))
            keep(&x, k, now);
        else if (outermost[k] == k)
            turn(&x, k);
    return x.deep ? NULL : finish(&x);
}
