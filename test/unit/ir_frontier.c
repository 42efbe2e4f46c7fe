/* ir_frontier.c: block priorities and thread frontiers of random graphs: against their definitions, and against
 * all that two or three threads can do under the scheduling by priority.
 */
#include "test/unit/ir_files.h"

#include "ir/analysis/turns.h"

#define BLOCKS 10
#define GRAPHS 4000
#define ENDED  BLOCKS /* where a thread is that has returned */

struct graph {
    struct arena arena;
    struct ir_module *m;
    struct ir_function *f;
    struct ir_cfg *c;
    struct ir_cycles *cycles;
    uint8_t ends[3 * BLOCKS]; /* of cycles; all usual, or any */
};

static uint64_t seed = 1;

static uint32_t any(uint32_t n)
{
    seed = hash_mix(seed, 99);
    return (uint32_t)(seed >> 20) % n;
}

/* Each block gets up to four successors, the entry excluded. */
static struct graph random_graph(uint32_t n, bool barriers)
{
    struct graph g = {.m = ir_module_new("graph")};
    g.f = ir_function_new(g.m, "f", IR_TYPE_VOID, IR_FN_KERNEL | IR_FN_CONVERGENT);
    for (uint32_t b = 0; b < n; b++)
        ir_block_new(g.f, NULL);
    for (uint32_t b = 0; b < n; b++) {
        struct ir_cursor c = {.fn = g.f, .block = b};
        uint32_t kind = any(16);
        if (barriers && any(12) == 0)
            ir_emit0(&c, IR_barrier, IR_TYPE_VOID);
        if (kind == 0 || n == 1)
            ir_emit_ret(&c, 0);
        else if (kind < 5)
            ir_emit_br(&c, 1 + any(n - 1));
        else if (kind < 14)
            ir_emit_brif(&c, ir_const_i1(g.f, true), 1 + any(n - 1), 1 + any(n - 1));
        else {
            ir_emit_switch(&c, ir_const_i32(g.f, 0), 1 + any(n - 1));
            for (int64_t value = 0; value < 3; value++)
                ir_edge_add(g.f, b, 1 + any(n - 1), value);
        }
    }
    g.c = ir_cfg_new(&g.arena, g.f);
    g.cycles = ir_cycles_new(&g.arena, g.c);
    for (uint32_t b = 0, usual = any(2); b < COUNT(g.ends); b++)
        g.ends[b] = usual ? IR_END_USUAL : (uint8_t)any(IR_CYCLE_ENDS);
    return g;
}

static void end(struct graph *g)
{
    ir_module_free(g->m);
    arena_free(&g->arena);
}

static u32_vec priorities(struct graph *g)
{
    return ir_priorities_new(&g->arena, g->c, g->cycles, ir_leaving_new(&g->arena, g->c), g->ends,
                             UINT64_MAX);
}

/* The entry, and behind it the other reachable blocks, shuffled. */
static u32_vec random_order(struct graph *g)
{
    u32_vec order = {0};
    for (uint32_t i = 0; i < g->c->rpo_count; i++)
        vec_push(&g->arena, &order, g->c->rpo[i]);
    for (uint32_t i = order.count; i-- > 2;) {
        uint32_t k = 1 + any(i), block = order.at[k];
        order.at[k] = order.at[i];
        order.at[i] = block;
    }
    return order;
}

static struct bitset random_branches(struct graph *g)
{
    struct bitset divergent = bitset_new(&g->arena, g->c->blocks);
    uint32_t percent = 25 * any(5);
    for (uint32_t b = 0; b < g->c->blocks; b++)
        if (any(100) < percent)
            bitset_add(divergent, b);
    return divergent;
}

/* ---- all that threads can do ------------------------------------------------------------------------- */

enum { MOST_THREADS = 3, STATES = 11 * 11 * 11 };

struct machine {
    const struct graph *g;
    const struct ir_frontier *x;
    struct bitset divergent;
    uint32_t threads;
    bool seen[STATES]; /* by the threads' places */
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

static void simulate(struct machine *k)
{
    add_state(k, (struct state){{0}});
    while (k->work.count) {
        struct state s = state_of(k, vec_pop(&k->work));
        uint32_t running = highest(k, s);
        if (running == ENDED)
            continue;
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

/* ---- priorities -------------------------------------------------------------------------------------- */

/* The cycles as the order takes them: those that are taken apart anew end with their headers. */
static void take_turns(struct graph *g)
{
    struct ir_turns *t = ir_turns_new(&g->arena, g->c, g->cycles, ir_leaving_new(&g->arena, g->c), g->ends);
    if (t)
        g->cycles = &t->cycles;
}

/* As ir_cycle_has and ir_cycle_common, of cycles whose blocks do not stand together with those around. */
static bool has_block(const struct graph *g, uint32_t cycle, uint32_t b)
{
    uint32_t k = g->cycles->innermost[b];
    while (k != IR_NO_CYCLE && k != cycle)
        k = g->cycles->at[k].parent;
    return k == cycle;
}

static uint32_t common_cycle(const struct graph *g, uint32_t a, uint32_t b)
{
    uint32_t k = g->cycles->innermost[a];
    while (k != IR_NO_CYCLE && !has_block(g, k, b))
        k = g->cycles->at[k].parent;
    return k;
}

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
        if (bitset_has(g->c->reachable, p) && has_block(g, number, p))
            assert_int_equal(p, last);
}

/* Whether the edge leads back to the header of a cycle with both blocks, or comes from one that stands last. */
static bool is_around(const struct graph *g, const uint32_t *priority, uint32_t from, uint32_t to)
{
    uint32_t k = common_cycle(g, from, to);
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
        take_turns(&g);
        for (uint32_t k = 0; k < g.cycles->count; k++)
            check_cycle(&g, k, priority);
        check_edges(&g, priority);
        check_post_dominators(&g, priority, &compared);
        end(&g);
    }
    assert_true(compared > GRAPHS);
}

static bool has_barrier(const struct graph *g, uint32_t b)
{
    ir_each_ins(r, g->f, b)
        if (ir_at(g->f, r)->op == IR_barrier)
            return true;
    return false;
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
        cmocka_unit_test(frontiers_have_all_that_wait),
        cmocka_unit_test(too_little_work),
        cmocka_unit_test(blocks_stand_before_their_post_dominators),
        cmocka_unit_test(barriers_stand_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
