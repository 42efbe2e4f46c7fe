/* ir_priorities.c: block priorities of random graphs against their definitions. */
#include "test/unit/ir_graphs.h"

/* ---- priorities -------------------------------------------------------------------------------------- */

static uint32_t last_of_cycle(const struct graph *g, const struct ir_cycle *k, const uint32_t *priority)
{
    uint32_t last = k->header;
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t b = g->cycles->blocks[k->first + i];
        last = priority[b] > priority[last] ? b : last;
    }
    return last;
}

/* A stretch, which ends with the header or with the only block that leads back to it. */
static void check_cycle(const struct graph *g, uint32_t number, const uint32_t *priority)
{
    const struct ir_cycle *k = &g->cycles->at[number];
    uint32_t last = last_of_cycle(g, k, priority), first = UINT32_MAX;
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t b = g->cycles->blocks[k->first + i];
        first = priority[b] < first ? priority[b] : first;
    }
    assert_int_equal(priority[last] - first + 1, k->count);
    if (last == k->header)
        return;
    assert_int_equal(priority[k->header], first);
    ir_each_pred(p, k->header, g->c)
        if (bitset_has(g->c->reachable, p) && ir_cycle_has(g->cycles, number, p))
            assert_int_equal(p, last);
}

/* Whether the edge leads back to the header of a cycle with both blocks, or comes from one that stands last. */
static bool is_around(const struct graph *g, const uint32_t *priority, uint32_t from, uint32_t to)
{
    uint32_t k = ir_cycle_common(g->cycles, from, to);
    if (k == IR_NO_CYCLE)
        return false;
    const struct ir_cycle *cycle = &g->cycles->at[k];
    return cycle->header == to || (cycle->header == from && last_of_cycle(g, cycle, priority) == from);
}

static void check_edges(const struct graph *g, const uint32_t *priority)
{
    for (uint32_t i = 0; i < g->c->rpo_count; i++) {
        uint32_t from = g->c->rpo[i];
        const struct ir_block *b = ir_block_at(g->f, from);
        for (uint32_t e = 0; e < b->edges.count; e++) {
            uint32_t to = b->edges.at[e].block;
            assert_true(is_around(g, priority, from, to) || priority[from] < priority[to]);
        }
    }
}

/* Whether `at`, which block b leads to, leads to p by ways that begin no iteration of a cycle around b. */
static bool leads_to(const struct graph *g, uint32_t b, uint32_t at, uint32_t p, bool *seen)
{
    const struct ir_block *block = ir_block_at(g->f, at);
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t to = block->edges.at[e].block, k = g->cycles->innermost[b];
        while (k != IR_NO_CYCLE && g->cycles->at[k].header != to)
            k = g->cycles->at[k].parent;
        if (to == p)
            return true;
        if (k != IR_NO_CYCLE || seen[to])
            continue;
        seen[to] = true;
        if (leads_to(g, b, to, p, seen))
            return true;
    }
    return false;
}

static void check_post_dominators(struct graph *g, const uint32_t *priority, uint32_t *compared)
{
    const struct ir_dominators *post = ir_post_dominators_new(&g->arena, g->c);
    for (uint32_t i = 0; i < g->c->rpo_count; i++) {
        uint32_t b = g->c->rpo[i], p = post->idom[b];
        bool seen[3 * BLOCKS] = {0};
        if (p == IR_NO_BLOCK || is_around(g, priority, b, p) || !leads_to(g, b, b, p, seen))
            continue;
        assert_true(priority[b] < priority[p]);
        ++*compared;
    }
}

static uint32_t *check_order(struct graph *g, const u32_vec *order)
{
    uint32_t *priority = arena_array(&g->arena, uint32_t, g->c->blocks);
    memset(priority, 0xff, g->c->blocks * sizeof *priority);
    assert_int_equal(order->count, g->c->rpo_count);
    assert_int_equal(order->at[0], 0);
    for (uint32_t i = 0; i < order->count; i++) {
        assert_true(bitset_has(g->c->reachable, order->at[i]) && priority[order->at[i]] == UINT32_MAX);
        priority[order->at[i]] = i;
    }
    return priority;
}

static void blocks_stand_before_their_post_dominators(void **state)
{
    uint32_t compared = 0;
    for (uint32_t i = 0; i < GRAPHS; i++) {
        struct graph g = random_graph(1 + i % (3 * BLOCKS), false);
        u32_vec order = priorities(&g);
        uint32_t *priority = check_order(&g, &order);
        for (uint32_t k = 0; k < g.cycles->count; k++)
            check_cycle(&g, k, priority);
        check_edges(&g, priority);
        check_post_dominators(&g, priority, &compared);
        end(&g);
    }
    assert_true(compared > GRAPHS);
}

static void reach(const struct graph *g, uint32_t b, bool *reached)
{
    const struct ir_block *block = ir_block_at(g->f, b);
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t to = block->edges.at[e].block;
        if (!reached[to]) {
            reached[to] = true;
            reach(g, to, reached);
        }
    }
}

/* What no barrier leads to stands before all of them. */
static void barriers_stand_last(void **state)
{
    uint32_t compared = 0;
    for (uint32_t i = 0; i < GRAPHS; i++) {
        struct graph g = random_graph(1 + i % (3 * BLOCKS), true);
        u32_vec order = priorities(&g);
        uint32_t *priority = check_order(&g, &order), first = UINT32_MAX;
        bool behind[3 * BLOCKS] = {0};
        for (uint32_t p = 0; p < order.count; p++)
            if (has_barrier(&g, order.at[p])) {
                first = first == UINT32_MAX ? p : first;
                behind[order.at[p]] = true;
                reach(&g, order.at[p], behind);
            }
        for (uint32_t p = 0; p < order.count && first != UINT32_MAX; p++) {
            assert_true(behind[order.at[p]] || priority[order.at[p]] < first);
            compared += !behind[order.at[p]] && p > 0;
        }
        end(&g);
    }
    print_message("%u blocks before the first barrier\n", compared);
    assert_true(compared > GRAPHS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_stand_before_their_post_dominators),
        cmocka_unit_test(barriers_stand_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
