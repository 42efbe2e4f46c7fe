/* priorities.c: in which order the blocks of a function are run when threads wait in several ("SIMD
 * Re-Convergence at Thread Frontiers", section 4.1).
 *
 * The paper sorts blocks topologically, in reverse post-order. With loops that is not enough: threads that
 * leave early would run on while others are still in the loop, and iterations would mix. So the forest of
 * cycles is sorted, each cycle in its parent's order as if it were one block, without the edges to its header.
 *
 * A cycle's last block is where its threads wait for each other before the next iteration: its latch, if one
 * block alone leads back, which is not the header nor in a cycle within, and does not lead to others there.
 * Otherwise the header is put there, which all ways round pass: a while loop with
 * `continue`s then runs header, body, header.
 *
 * The cycles are extended by the regions of tokens that are defined in them: what is controlled by a loop's
 * token is done by those who leave in one iteration, before the next ("Convergent Operation Semantics",
 * "Extended Cycles").
 *
 * Threads that part from the others for good (leaving.c) are to be gone before these come to a barrier: blocks
 * that only they reach come first, behind the entry, if no operation is there for which they would wait for
 * each other.
 */
#include "ir/analysis/priorities.h"
#include "ir/analysis/turns.h"

/* The nearest stretch around block b, or around its stretch, that threads who stay have entered. */
static uint32_t stretch_of_stays(const struct sorter *s, uint32_t b)
{
    uint32_t k = s->parent[b];
    while (k != function(s) && !bitset_has(s->stays, s->cycles->blocks[s->cycles->at[k].first]))
        k = s->parent[node_of_cycle(s, k)];
    return k;
}

/* ---- the graph of nodes ------------------------------------------------------------------------------ */

/* The first block of the cycle. */
static uint32_t begin_of(const struct sorter *s, uint32_t k)
{
    return s->cycles->blocks[s->cycles->at[k].first];
}

static void note_latch(struct sorter *s, uint32_t k, uint32_t latch)
{
    if ((s->turned && bitset_has(*s->turned, k)) || latch == s->cycles->at[k].header ||
        s->parent[latch] != k || (s->latch[k] != IR_NO_BLOCK && s->latch[k] != latch))
        bitset_add(s->header_last, k);
    s->latch[k] = latch;
}

/* Whether the operation gathers threads that may come by several ways: not if its token stems from an anchor
 * among those that have diverged. */
static bool gathers(const struct sorter *s, ir_ref r)
{
    const struct ir_function *f = s->g->fn;
    if (!ir_is_convergent(f, r) || ir_at(f, r)->op == IR_anchor || ir_at(f, r)->op == IR_loop)
        return false;
    ir_ref root = r;
    while (ir_at(f, root)->token)
        root = ir_at(f, root)->token;
    return ir_at(f, root)->op != IR_anchor || bitset_has(s->stays, ir_at(f, root)->block);
}

static bool has_operation(const struct sorter *s, uint32_t b)
{
    ir_each_ins(r, s->g->fn, b)
        if (gathers(s, r))
            return true;
    return false;
}

/* Blocks from which an operation that gathers threads is reached. */
static struct bitset find_gathering(const struct sorter *s)
{
    struct bitset set = bitset_new(s->arena, s->g->blocks);
    u32_vec work = {0};
    for (uint32_t i = 0; i < s->g->rpo_count; i++)
        if (has_operation(s, s->g->rpo[i]))
            vec_push(s->arena, &work, s->g->rpo[i]);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        if (bitset_has(set, b))
            continue;
        bitset_add(set, b);
        ir_each_pred(p, b, s->g)
            vec_push(s->arena, &work, p);
    }
    return set;
}

/* Stretches with a block that is not hoisted, by cycle. */
static struct bitset find_kept_stretches(const struct sorter *s)
{
    struct bitset kept = bitset_new(s->arena, s->cycles->count);
    for (uint32_t i = 0; i < s->g->rpo_count; i++) {
        uint32_t b = s->g->rpo[i];
        if (bitset_has(s->hoisted, b))
            continue;
        for (uint32_t k = s->parent[b]; k != function(s) && !bitset_has(kept, k);
             k = s->parent[node_of_cycle(s, k)])
            bitset_add(kept, k);
    }
    return kept;
}

/* Whether the block comes before all others: only threads that leave reach it, and from there on none waits
 * for another. What is in a stretch with other blocks is placed with these. */
static void find_hoisted(struct sorter *s)
{
    struct bitset gathering = find_gathering(s);
    for (uint32_t i = 0; i < s->g->rpo_count; i++) {
        uint32_t b = s->g->rpo[i];
        if (!bitset_has(s->stays, b) && !bitset_has(gathering, b) && stretch_of_stays(s, b) == function(s))
            bitset_add(s->hoisted, b);
    }
    struct bitset kept = find_kept_stretches(s);
    bitset_each(b, s->hoisted)
        for (uint32_t k = s->parent[b]; k != function(s); k = s->parent[node_of_cycle(s, k)])
            if (bitset_has(kept, k))
                bitset_remove(s->hoisted, b);
}

static void find_edges(struct sorter *s)
{
    struct edge_list edges = {0};
    for (uint32_t i = 0; i < s->g->rpo_count; i++) {
        const struct ir_block *block = ir_block_at(s->g->fn, s->g->rpo[i]);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t from = s->g->rpo[i], to = block->edges.at[e].block;
            if (bitset_has(s->hoisted, to) && !bitset_has(s->hoisted, from))
                continue;
            uint32_t k = ir_stretch_common(s, &from, &to);
            if (k != function(s) && s->cycles->at[k].header == block->edges.at[e].block) {
                note_latch(s, k, s->g->rpo[i]);
                continue;
            }
            edge_add(s->arena, &edges, from, to);
            s->waits[to]++;
        }
    }
    s->successors = rows_of_edges(s->arena, s->g->blocks + s->cycles->count, &edges);
}

static void find_stays(struct sorter *s)
{
    u32_vec work = {0};
    vec_push(s->arena, &work, ir_entry(s->g->fn));
    while (work.count) {
        uint32_t b = vec_pop(&work);
        if (bitset_has(s->stays, b))
            continue;
        bitset_add(s->stays, b);
        const struct ir_block *block = ir_block_at(s->g->fn, b);
        for (uint32_t e = 0; e < block->edges.count; e++)
            if (!s->leaving || !ir_is_parting(s->leaving, b, block->edges.at[e].block))
                vec_push(s->arena, &work, block->edges.at[e].block);
    }
}

/* ---- ranks ------------------------------------------------------------------------------------------- */

enum { FIRST, BEHIND_ENTRY, ORDINARY, BARRIERS, LATCH };

static uint64_t rank_of(uint32_t class, uint32_t rpo_index)
{
    return (uint64_t) class << 32 | rpo_index;
}

static bool has_barrier(const struct ir_function *f, uint32_t b)
{
    ir_each_ins(r, f, b)
        if (ir_at(f, r)->op == IR_barrier)
            return true;
    return false;
}

static void rank_nodes(struct sorter *s)
{
    struct bitset late = bitset_new(s->arena, s->g->blocks + s->cycles->count);
    for (uint32_t i = 0; i < s->g->rpo_count; i++) {
        uint32_t b = s->g->rpo[i];
        if (!has_barrier(s->g->fn, b))
            continue;
        bitset_add(late, b);
        for (uint32_t k = s->parent[b]; k != function(s) && !bitset_has(late, node_of_cycle(s, k));
             k = s->parent[node_of_cycle(s, k)])
            bitset_add(late, node_of_cycle(s, k));
    }
    for (uint32_t node = 0; node < s->g->blocks + s->cycles->count; node++) {
        uint32_t b = node < s->g->blocks ? node : begin_of(s, node - s->g->blocks);
        if (bitset_has(s->g->reachable, b))
            s->rank[node] = rank_of(bitset_has(s->hoisted, b) ? BEHIND_ENTRY
                                    : bitset_has(late, node)  ? BARRIERS
                                                              : ORDINARY,
                                    s->g->rpo_index[b]);
    }
    s->rank[ir_entry(s->g->fn)] = rank_of(FIRST, 0);
    for (uint32_t k = 0; k < s->cycles->count; k++) {
        if (row_length(&s->successors, s->latch[k]) > 0)
            bitset_add(s->header_last, k);
        if (!bitset_has(s->header_last, k))
            s->rank[s->latch[k]] = rank_of(LATCH, 0);
        s->rank[s->cycles->at[k].header] = rank_of(FIRST, 0); /* placed first, or counts as placed */
    }
}

/* ---- heaps ------------------------------------------------------------------------------------------- */

static void heap_push(struct sorter *s, u32_vec *h, uint32_t node)
{
    vec_push(s->arena, h, node);
    for (uint32_t i = h->count - 1; i && s->rank[h->at[(i - 1) / 2]] > s->rank[node]; i = (i - 1) / 2) {
        h->at[i] = h->at[(i - 1) / 2];
        h->at[(i - 1) / 2] = node;
    }
}

static uint32_t heap_pop(const struct sorter *s, u32_vec *h)
{
    uint32_t least = h->at[0], node = vec_pop(h);
    if (h->count == 0)
        return least;
    h->at[0] = node;
    for (uint32_t i = 0, child; (child = 2 * i + 1) < h->count; i = child) {
        child += child + 1 < h->count && s->rank[h->at[child + 1]] < s->rank[h->at[child]];
        if (s->rank[h->at[child]] >= s->rank[node])
            break;
        h->at[i] = h->at[child];
        h->at[child] = node;
    }
    return least;
}

/* ---- sorting ----------------------------------------------------------------------------------------- */

/* What only waited for the node can be placed. */
static void release(struct sorter *s, uint32_t node)
{
    rows_each(i, s->successors, node) {
        uint32_t next = s->successors.at[i];
        if (--s->waits[next] == 0)
            heap_push(s, &s->ready[s->parent[next]], next);
    }
}

/* Nodes that nothing in their stretch leads to; of a cycle whose header is last, the header counts as placed
 * already. */
static void begin(struct sorter *s)
{
    for (uint32_t i = 0; i < s->g->rpo_count; i++) {
        uint32_t b = s->g->rpo[i];
        if (s->waits[b] == 0)
            heap_push(s, &s->ready[s->parent[b]], b);
    }
    for (uint32_t k = 0; k < s->cycles->count; k++)
        if (s->waits[node_of_cycle(s, k)] == 0)
            heap_push(s, &s->ready[s->parent[node_of_cycle(s, k)]], node_of_cycle(s, k));
}

static bool is_late_header(const struct sorter *s, uint32_t node)
{
    if (node >= s->g->blocks)
        return false;
    uint32_t k = s->parent[node];
    return k != function(s) && s->cycles->at[k].header == node && bitset_has(s->header_last, k);
}

static void sort(struct sorter *s)
{
    u32_vec open = {0}; /* stretches, each in the one before */
    vec_push(s->arena, &open, s->cycles->count);
    while (open.count) {
        uint32_t k = vec_last(&open);
        if (s->ready[k].count == 0) {
            open.count--;
            if (k != function(s) && bitset_has(s->header_last, k))
                vec_push(s->arena, &s->order, s->cycles->at[k].header);
            continue;
        }
        uint32_t node = heap_pop(s, &s->ready[k]);
        release(s, node);
        if (node >= s->g->blocks)
            vec_push(s->arena, &open, node - s->g->blocks);
        else if (!is_late_header(s, node))
            vec_push(s->arena, &s->order, node);
    }
}

u32_vec ir_priorities_new(struct arena *a, const struct ir_cfg *c, const struct ir_cycles *f,
                          const struct ir_leaving *l, const uint8_t *ends, uint64_t work)
{
    const struct ir_turns *t = ir_turns_new(a, c, f, l, ends);
    f = t ? &t->cycles : f;
    uint32_t nodes = c->blocks + f->count;
    struct sorter s = {
        .g = c,
        .cycles = f,
        .turned = t ? &t->turned : NULL,
        .leaving = l,
        .arena = a,
        .stays = bitset_new(a, c->blocks),
        .hoisted = bitset_new(a, c->blocks),
        .parent = arena_array(a, uint32_t, nodes),
        .depth = arena_array(a, uint32_t, f->count + 1),
        .jump = arena_array(a, uint32_t, f->count + 1),
        .waits = arena_array(a, uint32_t, nodes),
        .rank = arena_array(a, uint64_t, nodes),
        .ready = arena_array(a, u32_vec, f->count + 1),
        .latch = arena_array(a, uint32_t, f->count),
        .header_last = bitset_new(a, f->count),
        .left = work,
    };
    memset(s.latch, 0xff, f->count * sizeof *s.latch);
    find_stays(&s);
    ir_stretches_of_cycles(&s);
    ir_stretches_extend(&s);
    if (!s.left)
        return s.order;
    find_hoisted(&s);
    ir_stretches_measure(&s);
    find_edges(&s);
    rank_nodes(&s);
    begin(&s);
    sort(&s);
    INVARIANT(s.order.count == c->rpo_count && s.order.at[0] == ir_entry(c->fn));
    return s.order;
}
