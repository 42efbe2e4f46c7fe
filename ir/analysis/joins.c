/* joins.c: where the threads that a divergent branch separates reconverge.
 *
 * Each successor of the branch propagates its own label along the edges; a block that two different labels
 * reach is a join and propagates its own name. Blocks are taken in an order in which each cycle's blocks
 * stand together, its header after the rest: labels that go round arrive at the header before it speaks, and
 * what has reached it then is what the next iterations bring. So the header does not propagate into the
 * cycle again but gives its label to the cycle's exits: an exit that another label has reached is left in
 * different iterations. An irreducible cycle's header does not get all: labels go round in it, but not
 * through the branch again, until nothing changes, and it is left in different iterations by an exit whose
 * label is not the header's. Whether threads are together in it at all is for others to say
 * (ir/analysis/uniformity_cycles.c).
 *
 * Behind barriers there is one label for all: threads that have not ended come to one together, so those that a
 * branch has separated are together behind it. They may meet others, who come to no barrier, and end before.
 *
 * This is the propagation of LLVM's synchronisation dependence (divergent paths in GPU control flow, after
 * Rosemann, Moll and Hack, "An abstract interpretation for SPMD divergence on reducible control flow
 * graphs", POPL 2021), with one front: it ends when a single block is left to go on from.
 */
#include "ir/analysis/uniformity.h"

struct ir_join_finder {
    const struct ir_cfg *cfg;
    const struct ir_cycles *cycles;
    uint32_t *order, *place;   /* blocks in processing order; place of each block in it */
    uint32_t *header_of;       /* of each block: the cycle it heads, or IR_NO_CYCLE */
    u32_vec *exit_blocks;      /* of each cycle */
    uint32_t *label, *stamp;   /* of each block: its label in this round */
    uint32_t *joined, *exited; /* round in which it was put on the list */
    uint32_t *taken;           /* round in which it was taken from the front */
    struct bitset irreducible; /* blocks inside irreducible cycles */
    struct bitset barriers;    /* blocks with a barrier */
    struct walk flooded;       /* over blocks given out as joins past the limit, with all that they reach */
    uint32_t round, branch, limit;
    uint32_t sent;   /* labels sent in this round, for the limit */
    heap front;      /* places still to be taken */
    u32_vec senders; /* blocks taken from the front, for a branch in an irreducible cycle */
    struct ir_joins result;
    struct arena *arena;
};

/* ---- order ------------------------------------------------------------------------------------------- */

/* Items of a level: blocks, and cycles as blocks + number. They are met in reverse post-order, where a
 * cycle's header comes before the rest of it. */
static void find_order(struct ir_join_finder *j, struct arena *a)
{
    const struct ir_cfg *c = j->cfg;
    uint32_t levels = j->cycles->count + 1, n = 0, depth = 0;
    u32_vec *items = arena_array(a, u32_vec, levels); /* of each cycle; the last: outside of all */
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        uint32_t b = c->rpo[i], cycle = j->cycles->innermost[b], head = j->header_of[b];
        if (head != IR_NO_CYCLE) {
            uint32_t parent = j->cycles->at[head].parent;
            vec_push(a, &items[parent == IR_NO_CYCLE ? levels - 1 : parent], c->blocks + head);
        } else {
            vec_push(a, &items[cycle == IR_NO_CYCLE ? levels - 1 : cycle], b);
        }
    }
    struct frame {
        uint32_t level, next;
    } *stack = arena_array(a, struct frame, levels);
    stack[depth++] = (struct frame){levels - 1, 0};
    while (depth > 0) {
        struct frame *top = &stack[depth - 1];
        if (top->next < items[top->level].count) {
            uint32_t item = items[top->level].at[top->next++];
            if (item < c->blocks)
                j->order[n++] = item;
            else
                stack[depth++] = (struct frame){item - c->blocks, 0};
            continue;
        }
        if (top->level < levels - 1)
            j->order[n++] = j->cycles->at[top->level].header;
        depth--;
    }
    for (uint32_t i = 0; i < n; i++)
        j->place[j->order[i]] = i;
}

/* Each edge that leaves cycles is an exit of all of them: exits summed over depth. */
static void find_exits(struct ir_join_finder *j, struct arena *a)
{
    const struct ir_cfg *c = j->cfg;
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(c->fn, c->rpo[i]);
        for (uint32_t e = 0; e < b->edges.count; e++) {
            uint32_t to = b->edges.at[e].block, k = j->cycles->innermost[c->rpo[i]];
            for (; k != IR_NO_CYCLE && !ir_cycle_has(j->cycles, k, to); k = j->cycles->at[k].parent)
                vec_push(a, &j->exit_blocks[k], to);
        }
    }
}

struct ir_join_finder *ir_join_finder_new(struct arena *a, const struct ir_cfg *c, const struct ir_cycles *f,
                                          uint32_t limit)
{
    struct ir_join_finder *j = arena_new(a, struct ir_join_finder);
    uint32_t n = c->blocks + 1;
    j->cfg = c, j->cycles = f, j->arena = a, j->limit = limit ? limit : IR_JOIN_LIMIT;
    j->order = arena_array(a, uint32_t, n), j->place = arena_array(a, uint32_t, n);
    j->label = arena_array(a, uint32_t, n), j->stamp = arena_array(a, uint32_t, n);
    j->joined = arena_array(a, uint32_t, n), j->exited = arena_array(a, uint32_t, n);
    j->taken = arena_array(a, uint32_t, n), j->irreducible = bitset_new(a, n), j->flooded = walk_new(a, n);
    j->header_of = arena_array(a, uint32_t, n);
    j->exit_blocks = arena_array(a, u32_vec, f->count + 1);
    for (uint32_t b = 0; b < n; b++)
        j->header_of[b] = IR_NO_CYCLE;
    for (uint32_t k = 0; k < f->count; k++) {
        j->header_of[f->at[k].header] = k;
        bool marked = bitset_has(j->irreducible, f->at[k].header); /* with a cycle around */
        for (uint32_t i = 0; f->at[k].entries.count > 1 && !marked && i < f->at[k].count; i++)
            bitset_add(j->irreducible, f->blocks[f->at[k].first + i]);
    }
    j->barriers = bitset_new(a, n);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        if (ir_has_barrier(c->fn, c->rpo[i]))
            bitset_add(j->barriers, c->rpo[i]);
    find_order(j, a);
    find_exits(j, a);
    return j;
}

/* ---- labels ------------------------------------------------------------------------------------------ */

/* A label reaches block b; true if a different one had. What is flooded was given out by an earlier
 * call, with every block where paths from here can reconverge with others. */
static bool propagate(struct ir_join_finder *j, uint32_t b, uint32_t label)
{
    if (bitset_has(j->flooded.seen, b))
        return false;
    if (j->stamp[b] != j->round) {
        j->stamp[b] = j->round;
        j->label[b] = label;
        heap_push(j->arena, &j->front, j->place[b], j->place[b]);
        return false;
    }
    if (j->label[b] == label)
        return false;
    if (j->label[b] != b && j->taken[b] == j->round) /* only in an irreducible cycle: propagate again */
        heap_push(j->arena, &j->front, j->place[b], j->place[b]);
    j->label[b] = b;
    return true;
}

/* Paths from a single block of the front can still meet those taken before only in an
 * irreducible cycle. */
static bool goes_on(const struct ir_join_finder *j)
{
    return j->front.count > 1 ||
           (j->front.count == 1 && bitset_has(j->irreducible, j->order[j->front.at[0].item]));
}

static void add_join(struct ir_join_finder *j, uint32_t b)
{
    if (j->joined[b] == j->round)
        return;
    j->joined[b] = j->round;
    vec_push(j->arena, &j->result.joins, b);
}

static void add_exit(struct ir_join_finder *j, uint32_t b)
{
    if (j->exited[b] == j->round)
        return;
    j->exited[b] = j->round;
    vec_push(j->arena, &j->result.exits, b);
}

static bool is_natural_header(const struct ir_join_finder *j, uint32_t b)
{
    uint32_t cycle = j->header_of[b];
    return cycle != IR_NO_CYCLE && j->cycles->at[cycle].entries.count == 1;
}

/* The header of a natural loop propagates to the exits; any other block its successors. Beyond a loop that
 * does not have the branch, threads just reconverge; out of one that has, they come in different
 * iterations. */
static void propagate_from(struct ir_join_finder *j, uint32_t b)
{
    uint32_t label = j->label[b], cycle = j->header_of[b];
    if (j->taken[b] != j->round && bitset_has(j->irreducible, j->branch))
        vec_push(j->arena, &j->senders, b);
    j->taken[b] = j->round;
    if (ir_meet_at_barrier(j, b))
        label = j->cfg->blocks;
    if (is_natural_header(j, b)) {
        bool around = ir_cycle_has(j->cycles, cycle, j->branch);
        j->sent += j->exit_blocks[cycle].count;
        for (uint32_t i = 0; i < j->exit_blocks[cycle].count; i++) {
            uint32_t to = j->exit_blocks[cycle].at[i];
            if (!propagate(j, to, label))
                continue;
            if (around)
                add_exit(j, to);
            else
                add_join(j, to);
        }
        return;
    }
    const struct ir_block *block = ir_block_at(j->cfg->fn, b);
    if (b == j->branch)
        return;
    j->sent += block->edges.count;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t to = block->edges.at[e].block;
        if (propagate(j, to, label))
            add_join(j, to);
    }
}

/* Past the limit: whatever can still be reached may be a join and an exit. Each block is flooded once. */
static void give_up(struct ir_join_finder *j)
{
    while (j->front.count > 0)
        walk_add(&j->flooded, j->order[heap_pop(&j->front)]);
    walk_each(b, &j->flooded) {
        add_join(j, b);
        uint32_t cycle = j->header_of[b];
        for (uint32_t i = 0; cycle != IR_NO_CYCLE && i < j->exit_blocks[cycle].count; i++)
            add_exit(j, j->exit_blocks[cycle].at[i]);
        ir_add_successors(&j->flooded, j->cfg->fn, b, IR_NO_BLOCK);
    }
    for (uint32_t k = j->cycles->innermost[j->branch]; k != IR_NO_CYCLE; k = j->cycles->at[k].parent)
        for (uint32_t i = 0; i < j->exit_blocks[k].count; i++)
            add_exit(j, j->exit_blocks[k].at[i]);
}

/* Whether an irreducible cycle around the branch and block `from` is left by the edge to block `to` with
 * another label than its header's. */
static bool exits_divergently(const struct ir_join_finder *j, uint32_t from, uint32_t to)
{
    uint32_t k = ir_cycle_common(j->cycles, j->branch, from);
    for (; k != IR_NO_CYCLE && !ir_cycle_has(j->cycles, k, to); k = j->cycles->at[k].parent) {
        uint32_t header = j->cycles->at[k].header;
        if (j->cycles->at[k].entries.count > 1 &&
            (j->stamp[header] != j->round || j->label[header] != j->label[to]))
            return true;
    }
    return false;
}

static void check_exit(struct ir_join_finder *j, uint32_t from, uint32_t to)
{
    if (j->exited[to] != j->round && exits_divergently(j, from, to))
        add_exit(j, to);
}

static void check_exits_of(struct ir_join_finder *j, uint32_t from)
{
    const struct ir_block *block = ir_block_at(j->cfg->fn, from);
    for (uint32_t e = 0; e < block->edges.count; e++)
        check_exit(j, from, block->edges.at[e].block);
}

/* An irreducible cycle around the branch is left in different iterations by an exit whose label is not the
 * header's. */
static void check_exits(struct ir_join_finder *j)
{
    if (!bitset_has(j->irreducible, j->branch))
        return;
    check_exits_of(j, j->branch);
    for (uint32_t i = 0; i < j->senders.count; i++) {
        uint32_t from = j->senders.at[i];
        if (!is_natural_header(j, from)) {
            if (from != j->branch)
                check_exits_of(j, from);
            continue;
        }
        const u32_vec *exits = &j->exit_blocks[j->header_of[from]];
        for (uint32_t x = 0; x < exits->count; x++)
            check_exit(j, from, exits->at[x]);
    }
}

const struct ir_joins *ir_find_joins(struct ir_join_finder *j, uint32_t branch)
{
    const struct ir_block *block = ir_block_at(j->cfg->fn, branch);
    j->round++;
    j->branch = branch;
    vec_clear(&j->result.joins);
    vec_clear(&j->result.exits);
    vec_clear(&j->front);
    vec_clear(&j->senders);
    for (uint32_t e = 0; e < block->edges.count; e++)
        propagate(j, block->edges.at[e].block, block->edges.at[e].block);
    j->sent = 0;
    while (goes_on(j) && j->sent < j->limit)
        propagate_from(j, j->order[heap_pop(&j->front)]);
    j->result.gave_up = goes_on(j);
    if (j->result.gave_up)
        give_up(j);
    else
        check_exits(j);
    return &j->result;
}

bool ir_meet_at_barrier(const struct ir_join_finder *j, uint32_t block)
{
    return bitset_has(j->barriers, block);
}

bool ir_join_reached(const struct ir_join_finder *j, uint32_t from, uint32_t to)
{
    if (j->result.gave_up || from == j->branch)
        return true;
    uint32_t loop = j->header_of[to], headed = j->header_of[from];
    if (loop != IR_NO_CYCLE && j->cycles->at[loop].entries.count == 1 &&
        ir_cycle_has(j->cycles, loop, from) && !ir_cycle_has(j->cycles, loop, j->branch))
        return false; /* a back edge of a loop beyond: all who reconverge at its header have reconverged
                         before */
    bool tells_exits_only = headed != IR_NO_CYCLE && j->cycles->at[headed].entries.count == 1;
    if (j->stamp[from] == j->round)
        return !(tells_exits_only && ir_cycle_has(j->cycles, headed, to));
    for (uint32_t k = j->cycles->innermost[from]; k != IR_NO_CYCLE && !ir_cycle_has(j->cycles, k, to);
         k = j->cycles->at[k].parent)
        if (j->stamp[j->cycles->at[k].header] == j->round)
            return true;
    return false;
}
