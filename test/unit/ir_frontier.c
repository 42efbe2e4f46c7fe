/* ir_frontier.c: thread frontiers of random graphs: against their definition, and against
 * all that two or three threads can do under the scheduling by priority.
 */
#include "test/unit/ir_graphs.h"

/* ---- all that threads can do ------------------------------------------------------------------------- */

enum { MOST_THREADS = 3, STATES = 11 * 11 * 11 };

struct machine {
    const struct graph *g;
    const struct ir_frontier *x;
    struct bitset divergent;
    uint32_t threads;
    bool barriers_last; /* as ir_frontier_barriers_last has it */
    bool seen[STATES];  /* by the threads' places */
    u32_vec work;
    bool waits[BLOCKS][BLOCKS]; /* whether a thread has waited in the second block while the first ran */
};

struct state {
    uint32_t at[MOST_THREADS];
};

static uint32_t number_of(const struct machine *k, struct state s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->threads; i++)
        n = n * (BLOCKS + 1) + s.at[i];
    return n;
}

static struct state state_of(const struct machine *k, uint32_t n)
{
    struct state s;
    for (uint32_t i = k->threads; i-- > 0; n /= BLOCKS + 1)
        s.at[i] = n % (BLOCKS + 1);
    return s;
}

static uint32_t highest(const struct machine *k, struct state s)
{
    uint32_t block = ENDED;
    for (uint32_t i = 0; i < k->threads; i++)
        if (s.at[i] != ENDED && (block == ENDED || k->x->priority[s.at[i]] < k->x->priority[block]))
            block = s.at[i];
    return block;
}

static void add_state(struct machine *k, struct state s)
{
    uint32_t n = number_of(k, s);
    if (k->seen[n])
        return;
    k->seen[n] = true;
    vec_push((struct arena *)&k->g->arena, &k->work, n);
}

/* A thread goes from `running` to block `to`, while those of `before` wait where they are. */
static void check_entry(const struct machine *k, struct state before, uint32_t running, uint32_t to)
{
    for (uint32_t i = 0; i < k->threads && to != ENDED; i++)
        if (before.at[i] != ENDED && before.at[i] != running &&
            k->x->priority[before.at[i]] <= k->x->priority[to])
            assert_true(bitset_has(k->x->checks, to));
}

/* Threads from `lane` on, of those that are in `running`, take all their ways. */
static void go_on(struct machine *k, struct state before, struct state s, uint32_t running, uint32_t lane)
{
    const struct ir_block *block = ir_block_at(k->g->f, running);
    while (lane < k->threads && before.at[lane] != running)
        lane++;
    if (lane == k->threads) {
        add_state(k, s);
        return;
    }
    for (uint32_t e = 0; e < block->edges.count || e == 0; e++) {
        uint32_t to = block->edges.count ? block->edges.at[e].block : ENDED;
        check_entry(k, before, running, to);
        s.at[lane] = to;
        if (bitset_has(k->divergent, running)) {
            go_on(k, before, s, running, lane + 1);
            continue;
        }
        for (uint32_t i = lane; i < k->threads; i++)
            s.at[i] = before.at[i] == running ? to : s.at[i];
        add_state(k, s);
    }
}

/* Nobody whom a barrier would have to wait for is elsewhere than at one. */
static void check_barrier(const struct machine *k, struct state s, uint32_t running)
{
    for (uint32_t i = 0; i < k->threads && k->barriers_last && has_barrier(k->g, running); i++)
        assert_true(s.at[i] == ENDED || s.at[i] == running || has_barrier(k->g, s.at[i]));
}

static void simulate(struct machine *k)
{
    add_state(k, (struct state){{0}});
    while (k->work.count) {
        struct state s = state_of(k, vec_pop(&k->work));
        uint32_t running = highest(k, s);
        if (running == ENDED)
            continue;
        check_barrier(k, s, running);
        for (uint32_t i = 0; i < k->threads; i++)
            if (s.at[i] != running && s.at[i] != ENDED) {
                k->waits[running][s.at[i]] = true;
                assert_true(ir_frontier_has(k->x, running, s.at[i]));
            }
        go_on(k, s, s, running, 0);
    }
}

/* ---- frontiers --------------------------------------------------------------------------------------- */

static void check_rows(const struct graph *g, const struct ir_frontier *x)
{
    for (uint32_t b = 0; b < g->c->blocks; b++)
        rows_each(i, x->frontier, b) {
            uint32_t w = x->frontier.at[i];
            assert_true(x->priority[w] > x->priority[b]);
            assert_true(i == x->frontier.start[b] || x->priority[w] > x->priority[x->frontier.at[i - 1]]);
        }
}

/* entries: of frontiers; reached: of those, by two or three threads. */
static void check_frontier(struct graph *g, u32_vec order, uint32_t threads, uint64_t *entries,
                           uint64_t *reached)
{
    struct bitset divergent = random_branches(g);
    struct ir_frontier *x = ir_frontier_new(&g->arena, g->c, divergent, order, 1000000);
    struct machine k = {.g = g, .x = x, .divergent = divergent, .threads = threads};
    assert_false(x->cut);
    check_rows(g, x);
    simulate(&k);
    *entries += x->frontier.start[g->c->blocks];
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t w = 0; w < BLOCKS; w++)
            *reached += k.waits[b][w];
}

/* No thread waits, or enters a block, where the analysis does not see it; and what it sees is nearly always a
 * place where one does wait. */
static void frontiers_have_all_that_wait(void **state)
{
    uint64_t entries[2] = {0}, reached[2] = {0};
    for (uint32_t i = 0; i < 2 * GRAPHS; i++) {
        struct graph g = random_graph(1 + i / 2 % BLOCKS, false);
        bool shuffled = i % 2;
        check_frontier(&g, shuffled ? random_order(&g) : priorities(&g), 2 + any(2), &entries[shuffled],
                       &reached[shuffled]);
        end(&g);
    }
    print_message("%u of %u entries reached by priorities, %u of %u in random orders\n", (uint32_t)reached[0],
                  (uint32_t)entries[0], (uint32_t)reached[1], (uint32_t)entries[1]);
    assert_true(entries[0] > GRAPHS && reached[0] * 100 >= entries[0] * 99);
    assert_true(entries[1] > GRAPHS && reached[1] * 100 >= entries[1] * 95);
}

/* Machines that hold nobody run a barrier when all others are at one ("SIMD Re-Convergence at Thread
 * Frontiers", section 4.2). */
static void barriers_run_last(void **state)
{
    uint32_t moved = 0, kept = 0;
    for (uint32_t i = 0; i < GRAPHS; i++) {
        struct graph g = random_graph(2 + i % (BLOCKS - 1), true);
        struct bitset divergent = random_branches(&g);
        u32_vec order = priorities(&g);
        struct ir_frontier *x = ir_frontier_barriers_last(&g.arena, g.c, divergent, order, 1000000);
        struct machine k = {
            .g = &g, .x = x, .divergent = divergent, .threads = 2 + i % 2, .barriers_last = true};
        bool same = memcmp(order.at, x->order.at, order.count * sizeof *order.at) == 0;
        moved += !same, kept += same;
        check_rows(&g, x);
        simulate(&k);
        end(&g);
    }
    print_message("%u orders changed, %u kept\n", moved, kept);
    assert_true(moved > GRAPHS / 10 && kept > GRAPHS / 10);
}

static void too_little_work(void **state)
{
    for (uint32_t i = 0; i < 200; i++) {
        struct graph g = random_graph(BLOCKS, false);
        struct bitset all = bitset_new(&g.arena, g.c->blocks);
        for (uint32_t b = 0; b < g.c->blocks; b++)
            bitset_add(all, b);
        struct ir_frontier *x = ir_frontier_new(&g.arena, g.c, all, priorities(&g), 1000000);
        if (x->frontier.start[g.c->blocks] == 0) {
            end(&g);
            continue;
        }
        x = ir_frontier_new(&g.arena, g.c, all, priorities(&g), 1);
        assert_true(x->cut && x->frontier.start[g.c->blocks] == 0);
        for (uint32_t p = 0; p < x->order.count; p++)
            assert_true(bitset_has(x->checks, x->order.at[p]));
        end(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frontiers_have_all_that_wait),
        cmocka_unit_test(barriers_run_last),
        cmocka_unit_test(too_little_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
