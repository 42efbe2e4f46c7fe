/* ir_dominators.c: CFG, dominators, post-dominators, ways back and leaving edges of random graphs against
 * their definitions.
 */
#include "test/unit/ir_files.h"

#include "ir/analysis/analysis.h"
#include "ir/converge/order.h"

#define BLOCKS 11
#define GRAPHS 5000

static uint64_t seed = 1;

static uint32_t any(uint32_t n)
{
    seed = hash_mix(seed, 99);
    return (uint32_t)(seed >> 20) % n;
}

/* Each block gets up to three successors, the entry excluded; few of them return in every third graph. */
static struct ir_module *random_graph(uint32_t n, bool endless)
{
    struct ir_module *m = ir_module_new("graph");
    struct ir_function *f = ir_function_new(m, "f", IR_TYPE_VOID, 0);
    for (uint32_t b = 0; b < n; b++)
        ir_block_new(f, NULL);
    for (uint32_t b = 0; b < n; b++) {
        struct ir_cursor c = {.fn = f, .block = b};
        uint32_t kind = any(endless ? 12 : 4);
        if (kind == 0 || n == 1)
            ir_emit_ret(&c, 0);
        else if (kind % 2)
            ir_emit_br(&c, 1 + any(n - 1));
        else if (any(3))
            ir_emit_brif(&c, ir_const_i1(f, true), 1 + any(n - 1), 1 + any(n - 1));
        else {
            ir_emit_switch(&c, ir_const_i32(f, 0), 1 + any(n - 1));
            for (int64_t value = 0; value < 2; value++)
                ir_edge_add(f, b, 1 + any(n - 1), value);
        }
    }
    return m;
}

/* Marks what is reached from `from` without entering `without`; along edges or against them. */
static void reach(const struct ir_cfg *c, uint32_t from, uint32_t without, bool backward, bool *marked)
{
    if (from == without || marked[from])
        return;
    marked[from] = true;
    const struct ir_block *block = ir_block_at(c->fn, from);
    for (uint32_t e = 0; !backward && e < block->edges.count; e++)
        reach(c, block->edges.at[e].block, without, backward, marked);
    if (backward)
        ir_each_pred(p, from, c)
            reach(c, p, without, backward, marked);
}

/* The parent is the dominator that all others but the block itself dominate. */
static void check_tree(const struct ir_dominators *d, uint32_t n)
{
    for (uint32_t b = 0; b < n; b++) {
        if (!d->depth[b])
            continue;
        assert_int_equal(d->order[d->pre[b]], b);
        uint32_t above = 0;
        for (uint32_t a = 0; a < n; a++)
            above += ir_dominates(d, a, b);
        assert_int_equal(above, d->depth[b]);
        if (d->idom[b] == IR_NO_BLOCK)
            continue;
        assert_true(d->idom[b] != b && ir_dominates(d, d->idom[b], b));
        assert_int_equal(d->depth[d->idom[b]] + 1, d->depth[b]);
    }
}

static void check_ancestors(const struct ir_dominators *d, uint32_t n)
{
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            uint32_t common = IR_NO_BLOCK;
            for (uint32_t x = 0; x < n; x++)
                if (ir_dominates(d, x, a) && ir_dominates(d, x, b) &&
                    (common == IR_NO_BLOCK || ir_dominates(d, common, x)))
                    common = x;
            assert_int_equal(ir_dominators_common(d, a, b), common);
            if (a == b || !ir_dominates(d, a, b))
                continue;
            uint32_t below = ir_dominators_below(d, a, b);
            assert_true(d->idom[below] == a && ir_dominates(d, below, b));
        }
}

static void check_forward(struct arena *a, const struct ir_cfg *c, uint32_t n)
{
    const struct ir_dominators *d = ir_dominators_new(a, c);
    bool reached[BLOCKS] = {0};
    reach(c, 0, IR_NO_BLOCK, false, reached);
    for (uint32_t x = 0; x < n; x++) {
        bool without[BLOCKS] = {0};
        reach(c, 0, x, false, without);
        assert_true(bitset_has(c->reachable, x) == reached[x]);
        assert_true((c->rpo_index[x] != IR_NO_BLOCK) == reached[x]);
        for (uint32_t b = 0; b < n; b++)
            assert_true(ir_dominates(d, x, b) == (reached[x] && reached[b] && !without[b]));
    }
    check_tree(d, n);
    check_ancestors(d, n);
}

static void check_backward(struct arena *a, const struct ir_cfg *c, uint32_t n)
{
    const struct ir_dominators *d = ir_post_dominators_new(a, c);
    u32_vec exits = ir_exits(a, c);
    for (uint32_t x = 0; x < n; x++) {
        bool without[BLOCKS] = {0};
        for (uint32_t i = 0; i < exits.count; i++)
            reach(c, exits.at[i], x, true, without);
        for (uint32_t b = 0; b < n; b++) {
            bool live = bitset_has(c->reachable, x) && bitset_has(c->reachable, b);
            assert_true(ir_dominates(d, x, b) == (live && !without[b]));
        }
    }
    check_tree(d, n);
    check_ancestors(d, n);
}

static void test_random_graphs(void **state)
{
    for (uint32_t i = 0; i < GRAPHS; i++) {
        struct arena a;
        arena_init(&a);
        uint32_t n = 1 + any(BLOCKS);
        struct ir_module *m = random_graph(n, i % 3 == 0);
        const struct ir_cfg *c = ir_cfg_new(&a, m->functions.at[0]);
        check_forward(&a, c, n);
        check_backward(&a, c, n);
        ir_module_free(m);
        arena_free(&a);
    }
}

/* ---- edges by which threads leave those at a barrier ---------------------------------------------------- */

/* Barriers, and votes with the entry's token, which anyone may perform together with anyone else. */
static void add_operations(struct ir_function *f, uint32_t n, bool *waits, bool *votes)
{
    struct ir_cursor c = {.fn = f, .before = ir_block_at(f, 0)->first};
    ir_ref token = ir_emit0(&c, IR_entry, IR_TYPE_TOKEN);
    f->flags |= IR_FN_KERNEL;
    for (uint32_t b = 1; b < n; b++) {
        waits[b] = any(4) == 0;
        votes[b] = !waits[b] && any(6) == 0;
        c = (struct ir_cursor){.fn = f, .block = b, .before = ir_terminator(f, b)};
        if (waits[b] || votes[b])
            ir_at(f, ir_emit0(&c, waits[b] ? IR_barrier : IR_syncwarp, IR_TYPE_VOID))->token = token;
    }
}

/* Whether one of the places is reached from `from`. */
static bool leads_to(const struct ir_cfg *c, uint32_t from, const bool *places, uint32_t n)
{
    bool reached[BLOCKS] = {0}, found = false;
    reach(c, from, IR_NO_BLOCK, false, reached);
    for (uint32_t b = 0; b < n; b++)
        found |= reached[b] && places[b];
    return found;
}

/* Barriers from which threads may return. */
static void find_waits(const struct ir_cfg *c, const bool *barriers, uint32_t n, bool *waits)
{
    bool returns[BLOCKS] = {0};
    for (uint32_t b = 0; b < n; b++)
        returns[b] = ir_at(c->fn, ir_terminator(c->fn, b))->op == IR_ret;
    for (uint32_t b = 0; b < n; b++)
        waits[b] = barriers[b] && leads_to(c, b, returns, n);
}

/* What is reached from `from` by paths without `without` and without a barrier. */
static void reach_freely(const struct ir_cfg *c, uint32_t from, uint32_t without, const bool *barriers,
                         bool *marked)
{
    const struct ir_block *block = ir_block_at(c->fn, from);
    if (from == without || barriers[from] || marked[from])
        return;
    marked[from] = true;
    for (uint32_t e = 0; e < block->edges.count; e++)
        reach_freely(c, block->edges.at[e].block, without, barriers, marked);
}

static bool leads_freely(const struct ir_cfg *c, uint32_t from, uint32_t to, const bool *barriers)
{
    bool reached[BLOCKS] = {0};
    reach_freely(c, from, IR_NO_BLOCK, barriers, reached);
    return reached[to];
}

/* Whether the threads of a branch that leads to block b before they wait have to be together at the vote of
 * block v behind. */
static bool is_demanded(const struct ir_cfg *c, const struct ir_dominators *d, uint32_t b, uint32_t s,
                        uint32_t v, const bool *barriers, uint32_t n)
{
    bool demanded = false;
    if (!leads_freely(c, s, v, barriers))
        return false;
    for (uint32_t x = 0; x < n; x++) {
        const struct ir_block *block = ir_block_at(c->fn, x);
        bool before[BLOCKS] = {0}, leads[BLOCKS] = {0};
        uint32_t sides = 0;
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t t = block->edges.at[e].block;
            if (leads[t] || !leads_freely(c, t, v, barriers))
                continue;
            leads[t] = true;
            sides++;
            reach_freely(c, t, d->idom[x], barriers, before);
        }
        demanded |= bitset_has(c->reachable, x) && sides > 1 && (b == x || before[b]);
    }
    return demanded;
}

static bool is_exit(const struct ir_cfg *c, const struct ir_dominators *d, uint32_t b, uint32_t s,
                    const bool *barriers, const bool *waits, const bool *votes, uint32_t n)
{
    const struct ir_block *block = ir_block_at(c->fn, b);
    bool wait = false, demanded = false;
    for (uint32_t e = 0; e < block->edges.count; e++)
        wait |= leads_to(c, block->edges.at[e].block, waits, n);
    for (uint32_t v = 0; v < n; v++) {
        bool asks = votes[v] && bitset_has(c->reachable, v) && !leads_to(c, v, waits, n);
        demanded |= asks && is_demanded(c, d, b, s, v, barriers, n);
    }
    return wait && !demanded && !leads_to(c, s, waits, n);
}

static uint32_t edges_seen[2];

static void check_exits(struct arena *a, struct ir_function *f, uint32_t n)
{
    bool barriers[BLOCKS] = {0}, votes[BLOCKS] = {0}, waits[BLOCKS] = {0};
    add_operations(f, n, barriers, votes);
    const struct ir_cfg *c = ir_cfg_new(a, f);
    struct bitset divergent = bitset_new(a, n);
    struct map exits = {0};
    const struct ir_dominators *d = ir_return_post_dominators_new(a, c);
    for (uint32_t b = 0; b < n; b++)
        if (bitset_has(c->reachable, b) && ir_block_at(f, b)->edges.count > 1)
            bitset_add(divergent, b);
    find_waits(c, barriers, n, waits);
    ir_pass_over_barriers(a, c, ir_waiting_functions(a, f->module), divergent, d->idom, &exits);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t e = 0; bitset_has(c->reachable, b) && e < ir_block_at(f, b)->edges.count; e++) {
            uint32_t s = ir_block_at(f, b)->edges.at[e].block;
            bool exit = map_get(&exits, ir_edge_key(b, s)) != MAP_NONE;
            assert_true(exit == is_exit(c, d, b, s, barriers, waits, votes, n));
            ir_block_at(f, b)->edges.at[e].breaks = exit;
            edges_seen[exit]++;
        }
    const struct ir_dominators *reconvergence = ir_return_post_dominators_new(a, c),
                               *post = ir_reconvergence_new(a, c);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t e = 0; bitset_has(c->reachable, b) && e < ir_block_at(f, b)->edges.count; e++) {
            uint32_t s = ir_block_at(f, b)->edges.at[e].block;
            if (ir_block_at(f, b)->edges.at[e].breaks)
                continue;
            assert_true(post->idom[b] == IR_NO_BLOCK || ir_dominates(post, post->idom[b], s));
            assert_true(reconvergence->idom[b] == IR_NO_BLOCK || !reconvergence->depth[s] ||
                        ir_dominates(reconvergence, reconvergence->idom[b], s));
        }
}

static void test_edges_past_barriers(void **state)
{
    for (uint32_t i = 0; i < GRAPHS; i++) {
        struct arena a = {0};
        uint32_t n = 2 + any(BLOCKS - 1);
        struct ir_module *m = random_graph(n, i % 3 == 0);
        check_exits(&a, m->functions.at[0], n);
        ir_module_free(m);
        arena_free(&a);
    }
    assert_true(edges_seen[false] > GRAPHS && edges_seen[true] > GRAPHS / 20);
}

/* In an acyclic graph every edge goes forward in reverse post-order. */
static void test_reverse_post_order(void **state)
{
    struct ir_module *m = ir_module_new("order");
    struct ir_function *f = ir_function_new(m, "f", IR_TYPE_VOID, 0);
    struct arena a;
    arena_init(&a);
    for (uint32_t b = 0; b < 100; b++)
        ir_block_new(f, NULL);
    for (uint32_t b = 0; b < 100; b++) {
        struct ir_cursor c = {.fn = f, .block = b};
        if (b < 98)
            ir_emit_brif(&c, ir_const_i1(f, true), b + 1 + any(99 - b), b + 1 + any(99 - b));
        else
            ir_emit_ret(&c, 0);
    }
    const struct ir_cfg *c = ir_cfg_new(&a, f);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        ir_each_pred(p, c->rpo[i], c)
            assert_true(!bitset_has(c->reachable, p) || c->rpo_index[p] < i);
    arena_free(&a);
    ir_module_free(m);
}

/* Long chains and ladders: no recursion, no quadratic time. */
static void test_deep_graphs(void **state)
{
    enum { N = 200000 };
    struct ir_module *m = ir_module_new("deep");
    struct ir_function *f = ir_function_new(m, "f", IR_TYPE_VOID, 0);
    struct arena a;
    arena_init(&a);
    for (uint32_t b = 0; b < N; b++)
        ir_block_new(f, NULL);
    for (uint32_t b = 0; b < N; b++) {
        struct ir_cursor c = {.fn = f, .block = b};
        if (b + 1 < N)
            ir_emit_brif(&c, ir_const_i1(f, true), b + 1, b ? N - b : N - 1);
        else
            ir_emit_ret(&c, 0);
    }
    const struct ir_cfg *c = ir_cfg_new(&a, f);
    const struct ir_dominators *d = ir_dominators_new(&a, c), *p = ir_post_dominators_new(&a, c);
    assert_int_equal(d->count, N);
    assert_true(ir_dominates(d, 0, N / 2) && ir_dominates(p, N - 1, N / 2));
    arena_free(&a);
    ir_module_free(m);
}

/* A chain of loops of one block each: what is asked about a deep tree does not climb it step by step. */
static void test_deep_trees(void **state)
{
    enum { N = 200000 };
    struct ir_module *m = ir_module_new("chain");
    struct ir_function *f = ir_function_new(m, "f", IR_TYPE_VOID, 0);
    struct arena a = {0};
    for (uint32_t b = 0; b < N; b++)
        ir_block_new(f, NULL);
    for (uint32_t b = 0; b < N; b++) {
        struct ir_cursor c = {.fn = f, .block = b};
        if (b + 1 < N)
            ir_emit_brif(&c, ir_const_i1(f, true), b + 1, b ? b : 1);
        else
            ir_emit_ret(&c, 0);
    }
    const struct ir_cfg *c = ir_cfg_new(&a, f);
    const struct ir_dominators *d = ir_dominators_new(&a, c),
                               *reconvergence = ir_return_post_dominators_new(&a, c);
    for (uint32_t b = 1; b + 1 < N; b++) {
        assert_int_equal(ir_dominators_common(d, b, N - b), b < N - b ? b : N - b);
        assert_int_equal(ir_dominators_below(d, 0, b), 1);
        assert_int_equal(ir_dominators_below(reconvergence, IR_NO_BLOCK, b), N - 1);
    }
    arena_free(&a);
    ir_module_free(m);
}

/* An endless loop ends in the block that leads back to its header, not in one of a loop inside, wherever the
 * order of the edges puts that: threads that go round inside are waited for. */
static void test_end_of_endless(void **state)
{
    enum { ENTRY, HEADER, INNER, BODY, LATCH, BLOCKS_OF_LOOP };
    for (int order = 0; order < 2; order++) {
        struct ir_module *m = ir_module_new("endless");
        struct ir_function *f = ir_function_new(m, "f", IR_TYPE_VOID, 0);
        struct arena a = {0};
        for (uint32_t b = 0; b < BLOCKS_OF_LOOP; b++)
            ir_block_new(f, NULL);
        ir_emit_br(&(struct ir_cursor){.fn = f, .block = ENTRY}, HEADER);
        ir_emit_br(&(struct ir_cursor){.fn = f, .block = HEADER}, INNER);
        ir_emit_brif(&(struct ir_cursor){.fn = f, .block = INNER}, ir_const_i1(f, true), order ? LATCH : BODY,
                     order ? BODY : LATCH);
        ir_emit_br(&(struct ir_cursor){.fn = f, .block = BODY}, INNER);
        ir_emit_br(&(struct ir_cursor){.fn = f, .block = LATCH}, HEADER);
        const struct ir_dominators *d = ir_post_dominators_new(&a, ir_cfg_new(&a, f));
        assert_int_equal(d->idom[BODY], INNER);
        assert_int_equal(d->idom[INNER], LATCH);
        assert_int_equal(d->idom[LATCH], IR_NO_BLOCK);
        arena_free(&a);
        ir_module_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs),      cmocka_unit_test(test_edges_past_barriers),
        cmocka_unit_test(test_reverse_post_order), cmocka_unit_test(test_deep_graphs),
        cmocka_unit_test(test_deep_trees),         cmocka_unit_test(test_end_of_endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
