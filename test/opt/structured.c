/* structured.c: whether control flow is nested regions of one entry and one exit, by reduction.
 *
 * The graph restricted to blocks that reach a ret (a trap is no way out) shrinks by these rules until none
 * applies:
 *
 *   sequence   n -> m, nothing else -> m                         m goes into n
 *   arm        n -> {x, y, …}, x -> y alone, nothing else -> x    x goes
 *   arms       n -> {x, z, …}, all of these likewise -> y         they go, n -> y
 *   loop       n -> {n, …}                                       the edge goes: a test at the end
 *              n -> {x, …}, x -> n alone, nothing else -> x       x goes: a test at the start or the middle
 *
 * It is structured if a single node is left. Each sweep costs the graph's size; sweeps are about as many as
 * regions are nested.
 */
#include "test/opt/structured.h"

/* Successors are sets; removed nodes are not live. */
struct shrinking {
    const struct ir_cfg *g;
    u32_vec *next;
    uint32_t *preds;
    struct bitset live;
    struct arena *arena;
};

static bool has(const u32_vec *v, uint32_t x)
{
    for (uint32_t i = 0; i < v->count; i++)
        if (v->at[i] == x)
            return true;
    return false;
}

static void drop(u32_vec *v, uint32_t x)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < v->count; i++)
        if (v->at[i] != x)
            v->at[kept++] = v->at[i];
    v->count = kept;
}

static void start(struct shrinking *s, const struct ir_dominators *reconvergence)
{
    s->next = arena_array(s->arena, u32_vec, s->g->blocks);
    s->preds = arena_array(s->arena, uint32_t, s->g->blocks);
    s->live = bitset_new(s->arena, s->g->blocks);
    for (uint32_t i = 0; i < s->g->rpo_count; i++) {
        uint32_t b = s->g->rpo[i];
        const struct ir_block *block = ir_block_at(s->g->fn, b);
        if (!reconvergence->depth[b])
            continue;
        bitset_add(s->live, b);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t to = block->edges.at[e].block;
            if (!reconvergence->depth[to] || has(&s->next[b], to))
                continue;
            vec_push(s->arena, &s->next[b], to);
            s->preds[to]++;
        }
    }
}

static bool reduce_loop(struct shrinking *s, uint32_t n)
{
    if (!has(&s->next[n], n))
        return false;
    drop(&s->next[n], n);
    s->preds[n]--;
    return true;
}

static bool reduce_sequence(struct shrinking *s, uint32_t n)
{
    uint32_t m = s->next[n].count == 1 ? s->next[n].at[0] : n;
    if (m == n || s->preds[m] != 1 || m == ir_entry(s->g->fn))
        return false;
    s->next[n] = s->next[m];
    bitset_remove(s->live, m);
    return true;
}

/* Nothing but n leads to x, and x leads to one place. */
static bool is_arm(const struct shrinking *s, uint32_t n, uint32_t x)
{
    return x != n && s->preds[x] == 1 && s->next[x].count == 1;
}

/* An arm that leads to another successor of n, or back to n. */
static bool reduce_arm(struct shrinking *s, uint32_t n)
{
    for (uint32_t i = 0; i < s->next[n].count; i++) {
        uint32_t x = s->next[n].at[i];
        if (!is_arm(s, n, x) || (s->next[x].at[0] != n && !has(&s->next[n], s->next[x].at[0])))
            continue;
        s->preds[s->next[x].at[0]]--;
        drop(&s->next[n], x);
        bitset_remove(s->live, x);
        return true;
    }
    return false;
}

/* Arms that all lead to one place. */
static bool reduce_arms(struct shrinking *s, uint32_t n)
{
    uint32_t arms = s->next[n].count,
             to = arms && is_arm(s, n, s->next[n].at[0]) ? s->next[s->next[n].at[0]].at[0] : n;
    if (arms < 2 || to == n)
        return false;
    for (uint32_t i = 0; i < arms; i++)
        if (!is_arm(s, n, s->next[n].at[i]) || s->next[s->next[n].at[i]].at[0] != to)
            return false;
    for (uint32_t i = 0; i < arms; i++)
        bitset_remove(s->live, s->next[n].at[i]);
    s->preds[to] -= arms - 1;
    s->next[n].at[0] = to;
    s->next[n].count = 1;
    return true;
}

static bool sweep(struct shrinking *s)
{
    bool changed = false;
    for (uint32_t i = s->g->rpo_count; i-- > 0;) {
        uint32_t n = s->g->rpo[i];
        while (bitset_has(s->live, n) &&
               (reduce_loop(s, n) || reduce_sequence(s, n) || reduce_arm(s, n) || reduce_arms(s, n)))
            changed = true;
    }
    return changed;
}

bool opt_is_structured(struct arena *scratch, const struct ir_cfg *g,
                       const struct ir_dominators *reconvergence)
{
    struct shrinking s = {.g = g, .arena = scratch};
    start(&s, reconvergence);
    while (sweep(&s))
        ;
    return bitset_count(s.live) <= 1;
}
