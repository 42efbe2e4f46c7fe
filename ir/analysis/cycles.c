/* cycles.c: the forest of cycles, reducible and irreducible.
 *
 * The construction of LLVM's cycle terminology: one depth-first search numbers the blocks; then, from the
 * last number to the first, each block that is reached by an edge from its own subtree becomes the header
 * of a new cycle, which grows backwards from those edges inside the subtree and takes in whole cycles found
 * before. Which block becomes the header of an irreducible cycle depends on the search, so successors are
 * taken in LLVM's order, last first, and the same hierarchy results.
 *
 * Outermost cycles so far are looked up by union-find: near-linear in blocks and edges.
 */
#include "ir/analysis/analysis.h"

struct build {
    const struct ir_cfg *cfg;
    uint32_t *number, *last; /* depth-first number, and the largest in the subtree; 0: not reached */
    uint32_t *by_number;
    uint32_t *cycle_of; /* of each block: the cycle that took it in first, its innermost */
    uint32_t *outer;    /* of each cycle: union-find link towards its outermost one */
    uint32_t *parent, *header;
    u32_vec *entries;
    uint32_t count;
    u32_vec work;
    struct arena *arena;
};

static void depth_first(struct build *g, struct arena *a)
{
    const struct ir_cfg *c = g->cfg;
    struct frame {
        uint32_t block, edges_left;
    } *stack = arena_array(a, struct frame, c->rpo_count);
    uint32_t depth = 0, counter = 0, next = ir_entry(c->fn);
    for (;;) {
        if (next != IR_NO_BLOCK) {
            g->number[next] = ++counter;
            g->by_number[counter] = next;
            stack[depth++] = (struct frame){next, ir_block_at(c->fn, next)->edges.count};
        }
        struct frame *top = &stack[depth - 1];
        next = IR_NO_BLOCK;
        while (top->edges_left > 0 && next == IR_NO_BLOCK) {
            uint32_t to = ir_block_at(c->fn, top->block)->edges.at[--top->edges_left].block;
            if (g->number[to] == 0)
                next = to;
        }
        if (next == IR_NO_BLOCK) {
            g->last[top->block] = counter;
            if (--depth == 0)
                return;
        }
    }
}

static bool in_subtree(const struct build *g, uint32_t root, uint32_t b)
{
    return g->number[root] <= g->number[b] && g->number[b] <= g->last[root];
}

static uint32_t outermost(struct build *g, uint32_t cycle)
{
    while (g->outer[cycle] != cycle) {
        g->outer[cycle] = g->outer[g->outer[cycle]];
        cycle = g->outer[cycle];
    }
    return cycle;
}

/* Predecessors inside the header's subtree belong to the cycle; any other makes the block an entry. */
static void take_predecessors(struct build *g, uint32_t cycle, uint32_t block)
{
    bool entry = false;
    ir_each_pred(p, block, g->cfg) {
        if (g->number[p] == 0)
            continue;
        if (in_subtree(g, g->header[cycle], p))
            vec_push(g->arena, &g->work, p);
        else
            entry = true;
    }
    if (entry)
        vec_push(g->arena, &g->entries[cycle], block);
}

static void grow(struct build *g, uint32_t cycle)
{
    while (g->work.count > 0) {
        uint32_t b = vec_pop(&g->work);
        if (b == g->header[cycle])
            continue;
        if (g->cycle_of[b] == IR_NO_CYCLE) {
            g->cycle_of[b] = cycle;
            take_predecessors(g, cycle, b);
            continue;
        }
        uint32_t inner = outermost(g, g->cycle_of[b]);
        if (inner == cycle)
            continue;
        g->parent[inner] = g->outer[inner] = cycle;
        for (uint32_t i = 0; i < g->entries[inner].count; i++)
            take_predecessors(g, cycle, g->entries[inner].at[i]);
    }
}

static void find_cycle(struct build *g, uint32_t header)
{
    vec_clear(&g->work);
    ir_each_pred(p, header, g->cfg)
        if (g->number[p] != 0 && in_subtree(g, header, p))
            vec_push(g->arena, &g->work, p);
    if (g->work.count == 0)
        return;
    uint32_t cycle = g->count++;
    g->header[cycle] = header;
    g->parent[cycle] = IR_NO_CYCLE;
    g->outer[cycle] = cycle;
    vec_push(g->arena, &g->entries[cycle], header);
    g->cycle_of[header] = cycle; /* in no cycle before: those have blocks of later numbers */
    grow(g, cycle);
}

/* ---- the forest in order: parents first, blocks of a cycle in one range ---------------------------- */

static uint32_t depth_of(const struct ir_cycles *f, uint32_t cycle)
{
    return cycle == IR_NO_CYCLE ? 0 : f->at[cycle].depth;
}

/* From a child of the cycle: as far again as the two jumps from there, if these are equally long. */
static uint32_t jump_from(const struct ir_cycles *f, uint32_t cycle)
{
    if (cycle == IR_NO_CYCLE)
        return IR_NO_CYCLE;
    uint32_t one = f->at[cycle].jump, two = one == IR_NO_CYCLE ? IR_NO_CYCLE : f->at[one].jump;
    bool equal = depth_of(f, cycle) - depth_of(f, one) == depth_of(f, one) - depth_of(f, two);
    return equal && one != IR_NO_CYCLE ? two : cycle;
}

static void number_cycles(const struct build *g, struct ir_cycles *f, struct arena *a, uint32_t *renamed)
{
    f->count = g->count;
    f->at = arena_array(a, struct ir_cycle, g->count);
    for (uint32_t i = 0; i < g->count; i++) /* a parent is found after its children */
        renamed[i] = g->count - 1 - i;
    for (uint32_t i = g->count; i-- > 0;) {
        struct ir_cycle *c = &f->at[renamed[i]];
        c->header = g->header[i];
        c->entries = g->entries[i];
        c->parent = g->parent[i] == IR_NO_CYCLE ? IR_NO_CYCLE : renamed[g->parent[i]];
        c->depth = c->parent == IR_NO_CYCLE ? 1 : f->at[c->parent].depth + 1;
        c->jump = jump_from(f, c->parent);
    }
}

static void place_blocks(const struct build *g, struct ir_cycles *f, struct arena *a)
{
    const struct ir_cfg *cfg = g->cfg;
    uint32_t *next = arena_array(a, uint32_t, f->count + 1), total = 0;
    for (uint32_t i = 0; i < cfg->rpo_count; i++)
        if (f->innermost[cfg->rpo[i]] != IR_NO_CYCLE)
            f->at[f->innermost[cfg->rpo[i]]].count++;
    for (uint32_t i = f->count; i-- > 0;)
        if (f->at[i].parent != IR_NO_CYCLE)
            f->at[f->at[i].parent].count += f->at[i].count;
    for (uint32_t i = 0; i < f->count; i++) { /* each takes the next range of its parent's; header first */
        struct ir_cycle *c = &f->at[i];
        uint32_t *from = c->parent == IR_NO_CYCLE ? &total : &next[c->parent];
        c->first = *from;
        *from += c->count;
        next[i] = c->first + 1;
        f->blocks[c->first] = c->header;
    }
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        uint32_t b = cfg->rpo[i], c = f->innermost[b];
        if (c != IR_NO_CYCLE && f->at[c].header != b)
            f->blocks[next[c]++] = b;
    }
}

struct ir_cycles *ir_cycles_new(struct arena *a, const struct ir_cfg *c)
{
    struct build g = {.cfg = c, .arena = a};
    uint32_t n = c->blocks + 1;
    g.number = arena_array(a, uint32_t, n), g.last = arena_array(a, uint32_t, n);
    g.by_number = arena_array(a, uint32_t, n), g.cycle_of = arena_array(a, uint32_t, n);
    g.outer = arena_array(a, uint32_t, n), g.parent = arena_array(a, uint32_t, n);
    g.header = arena_array(a, uint32_t, n), g.entries = arena_array(a, u32_vec, n);
    for (uint32_t b = 0; b < c->blocks; b++)
        g.cycle_of[b] = IR_NO_CYCLE;
    depth_first(&g, a);
    for (uint32_t i = c->rpo_count; i > 0; i--)
        find_cycle(&g, g.by_number[i]);

    struct ir_cycles *f = arena_new(a, struct ir_cycles);
    uint32_t *renamed = arena_array(a, uint32_t, g.count + 1);
    number_cycles(&g, f, a, renamed);
    f->innermost = g.cycle_of;
    for (uint32_t b = 0; b < c->blocks; b++)
        if (g.cycle_of[b] != IR_NO_CYCLE)
            f->innermost[b] = renamed[g.cycle_of[b]];
    f->blocks = arena_array(a, uint32_t, n);
    place_blocks(&g, f, a);
    return f;
}

bool ir_cycle_contains(const struct ir_cycles *f, uint32_t outer, uint32_t inner)
{
    return inner != IR_NO_CYCLE && f->at[outer].first <= f->at[inner].first &&
           f->at[inner].first + f->at[inner].count <= f->at[outer].first + f->at[outer].count;
}

bool ir_cycle_has(const struct ir_cycles *f, uint32_t cycle, uint32_t block)
{
    return f->innermost[block] != IR_NO_CYCLE && ir_cycle_contains(f, cycle, f->innermost[block]);
}

uint32_t ir_cycle_common(const struct ir_cycles *f, uint32_t a, uint32_t b)
{
    uint32_t c = f->innermost[a];
    while (c != IR_NO_CYCLE && !ir_cycle_has(f, c, b)) {
        uint32_t far = f->at[c].jump;
        c = far == IR_NO_CYCLE || ir_cycle_has(f, far, b) ? f->at[c].parent : far;
    }
    return c;
}

uint32_t ir_cycle_left(const struct ir_cycles *f, uint32_t a, uint32_t b)
{
    uint32_t c = f->innermost[a];
    if (c == IR_NO_CYCLE || ir_cycle_has(f, c, b))
        return IR_NO_CYCLE;
    for (;;) {
        uint32_t far = f->at[c].jump, up = f->at[c].parent;
        if (up == IR_NO_CYCLE || ir_cycle_has(f, up, b))
            return c;
        c = far == IR_NO_CYCLE || ir_cycle_has(f, far, b) ? up : far;
    }
}

uint32_t ir_cycles_left(const struct ir_cycles *f, uint32_t a, uint32_t b)
{
    uint32_t left = ir_cycle_left(f, a, b);
    return left == IR_NO_CYCLE ? 0 : f->at[f->innermost[a]].depth - f->at[left].depth + 1;
}
