/* ir_structure.c: cycles and the program structure tree against brute force on small random graphs, and on
 * shapes whose answer is known.
 */
#include "ir/analysis/analysis.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { MOST = 12 };

static uint64_t seed;
static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

/* A function of n blocks; block b has degree[b] successors, to[b]. */
static struct ir_function *graph_of(struct ir_module *m, uint32_t n, const uint32_t (*to)[2],
                                    const uint32_t *degree)
{
    struct ir_function *f = ir_function_new(m, "f", IR_TYPE_VOID, 0);
    for (uint32_t b = 0; b < n; b++)
        ir_block_new(f, NULL);
    for (uint32_t b = 0; b < n; b++) {
        struct ir_cursor c = {f, b, 0, {0, 0}};
        if (degree[b] == 0)
            ir_emit_ret(&c, 0);
        else if (degree[b] == 1)
            ir_emit_br(&c, to[b][0]);
        else
            ir_emit_brif(&c, ir_const_i1(f, true), to[b][0], to[b][1]);
    }
    return f;
}

static struct ir_function *random_graph(struct ir_module *m, uint32_t n)
{
    uint32_t to[MOST][2], degree[MOST];
    for (uint32_t b = 0; b < n; b++) {
        degree[b] = b == n - 1 ? 0 : draw(10) == 0 ? 0 : 1 + draw(2);
        for (uint32_t e = 0; e < 2; e++) { /* mostly forward and near; never to the entry */
            uint32_t near = b + 1 + draw(2);
            to[b][e] = draw(3) == 0 ? 1 + draw(n - 1) : near < n ? near : n - 1;
        }
    }
    return graph_of(m, n, to, degree);
}

/* ---- brute force ------------------------------------------------------------------------------------- */

/* The edges of the closed graph: CFG edges of reachable blocks, start and exit edges; start = n, exit = n +
 * 1. */
struct edge {
    uint32_t from, to;
    struct ir_edge_ref ref;
};
static uint32_t all_edges(struct arena *a, const struct ir_cfg *c, struct edge *out)
{
    uint32_t n = c->blocks, count = 0;
    u32_vec exits = ir_exits(a, c);
    out[count++] = (struct edge){n + 1, n, {IR_NO_BLOCK, 0, IR_NO_BLOCK}};
    out[count++] = (struct edge){n, ir_entry(c->fn), {IR_NO_BLOCK, 0, ir_entry(c->fn)}};
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(c->fn, c->rpo[i]);
        for (uint32_t e = 0; e < b->edges.count; e++)
            out[count++] =
                (struct edge){c->rpo[i], b->edges.at[e].block, {c->rpo[i], e, b->edges.at[e].block}};
    }
    for (uint32_t i = 0; i < exits.count; i++)
        out[count++] = (struct edge){exits.at[i], n + 1, {exits.at[i], 0, IR_NO_BLOCK}};
    return count;
}

static bool reaches(const struct edge *edges, uint32_t count, uint32_t from, uint32_t to, uint32_t without)
{
    uint32_t seen = 1u << from;
    for (bool more = true; more && !(seen >> to & 1);) {
        more = false;
        for (uint32_t e = 0; e < count; e++)
            if (e != without && seen >> edges[e].from & 1 && !(seen >> edges[e].to & 1)) {
                seen |= 1u << edges[e].to;
                more = true;
            }
    }
    return seen >> to & 1;
}

/* Every cycle through one edge goes through the other: theorem 2's condition, by definition. */
static bool cycle_equivalent(const struct edge *edges, uint32_t count, uint32_t a, uint32_t b)
{
    return !reaches(edges, count, edges[a].to, edges[a].from, b) &&
           !reaches(edges, count, edges[b].to, edges[b].from, a);
}

static uint32_t find_edge(const struct edge *edges, uint32_t count, struct ir_edge_ref r)
{
    for (uint32_t e = 0; e < count; e++)
        if (edges[e].ref.from == r.from && edges[e].ref.edge == r.edge && edges[e].ref.to == r.to)
            return e;
    fail_msg("no such edge");
    return 0;
}

static bool in_region(const struct edge *edges, uint32_t count, const struct ir_region *r, uint32_t b)
{
    /* in the region: reachable from the entry edge without the exit edge, on the way to the exit edge */
    uint32_t in = find_edge(edges, count, r->entry), out = find_edge(edges, count, r->exit);
    return reaches(edges, count, edges[in].to, b, out) && reaches(edges, count, b, edges[out].from, in);
}

static void check_pst(struct arena *a, const struct ir_cfg *c)
{
    struct edge edges[4 * MOST];
    uint32_t count = all_edges(a, c, edges), pairs = 0;
    struct ir_pst *t = ir_pst_new(a, c);
    for (uint32_t i = 0; i < count; i++) { /* a class of k edges bounds k - 1 regions: pairs of
                                              neighbours */
        uint32_t before = 0;
        for (uint32_t k = 0; k < i; k++)
            before += cycle_equivalent(edges, count, i, k);
        pairs += before > 0;
    }
    assert_int_equal(t->count, pairs); /* edge 0 and edge 1 are equivalent: that pair is region 0 */
    for (uint32_t r = 0; r < t->count; r++) {
        const struct ir_region *g = &t->at[r];
        if (r > 0) {
            assert_true(g->parent < r);
            assert_true(cycle_equivalent(edges, count, find_edge(edges, count, g->entry),
                                         find_edge(edges, count, g->exit)));
            assert_int_equal(g->depth, t->at[g->parent].depth + 1);
        }
        struct bitset has = bitset_new(a, c->blocks);
        for (uint32_t i = 0; i < g->count; i++)
            bitset_add(has, t->blocks[g->first + i]);
        for (uint32_t i = 0; i < c->rpo_count; i++) {
            bool expected = r == 0 || in_region(edges, count, g, c->rpo[i]);
            assert_int_equal(bitset_has(has, c->rpo[i]), expected);
        }
    }
}

static void check_cycles(struct arena *a, const struct ir_cfg *c)
{
    struct edge edges[4 * MOST];
    uint32_t count = all_edges(a, c, edges);
    struct ir_cycles *f = ir_cycles_new(a, c);
    for (uint32_t e = 0; e < count; e++) /* leave out the edge that closes the graph */
        if (edges[e].from == c->blocks + 1)
            edges[e] = edges[--count];
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        uint32_t x = c->rpo[i], cycle = f->innermost[x];
        bool on_cycle = false; /* in an outermost cycle iff on a closed path at all */
        for (uint32_t e = 0; e < count; e++)
            on_cycle |= edges[e].from == x && reaches(edges, count, edges[e].to, x, UINT32_MAX);
        assert_int_equal(cycle != IR_NO_CYCLE, on_cycle);
        for (uint32_t k = 0; k < c->rpo_count; k++) {
            uint32_t y = c->rpo[k];
            bool together =
                x == y ? on_cycle
                       : reaches(edges, count, x, y, UINT32_MAX) && reaches(edges, count, y, x, UINT32_MAX);
            assert_int_equal(ir_cycle_common(f, x, y) != IR_NO_CYCLE, together);
        }
    }
    struct ir_dominators *d = ir_dominators_new(a, c);
    for (uint32_t i = 0; i < f->count; i++) {
        const struct ir_cycle *k = &f->at[i];
        bool natural = true;
        assert_int_equal(f->blocks[k->first], k->header);
        assert_int_equal(k->entries.at[0], k->header);
        for (uint32_t j = 0; j < k->count; j++) {
            assert_true(ir_cycle_has(f, i, f->blocks[k->first + j]));
            natural &= ir_dominates(d, k->header, f->blocks[k->first + j]);
        }
        assert_int_equal(k->entries.count == 1, natural);
        if (k->parent != IR_NO_CYCLE) {
            assert_true(k->parent < i);
            assert_true(f->at[k->parent].header != k->header);
        }
    }
}

static void random_graphs(void **state)
{
    (void)state;
    for (seed = 1; seed <= 20000; seed += 7) {
        uint64_t kept = seed;
        struct ir_module *m = ir_module_new("random");
        struct ir_function *f = random_graph(m, 3 + draw(MOST - 2));
        struct arena a;
        arena_init(&a);
        struct ir_cfg *c = ir_cfg_new(&a, f);
        check_cycles(&a, c);
        check_pst(&a, c);
        arena_free(&a);
        ir_module_free(m);
        seed = kept;
    }
}

static void nested_loops(void **state)
{
    (void)state;
    /* 0 -> 1 (outer header) -> 2 (inner header) -> 2 | 3 -> 1 | 4 */
    static const uint32_t to[5][2] = {{1, 0}, {2, 0}, {2, 3}, {1, 4}, {0, 0}}, degree[5] = {1, 1, 2, 2, 0};
    struct ir_module *m = ir_module_new("nested");
    struct arena a;
    arena_init(&a);
    struct ir_cfg *c = ir_cfg_new(&a, graph_of(m, 5, to, degree));
    struct ir_cycles *f = ir_cycles_new(&a, c);
    assert_int_equal(f->count, 2);
    assert_int_equal(f->at[0].header, 1);
    assert_int_equal(f->at[1].header, 2);
    assert_int_equal(f->at[1].parent, 0);
    assert_int_equal(f->at[0].count, 3);
    arena_free(&a);
    ir_module_free(m);
}

static void irreducible(void **state)
{
    (void)state;
    static const uint32_t to[4][2] = {{1, 2}, {2, 3}, {1, 3}, {0, 0}}, degree[4] = {2, 2, 2, 0};
    struct ir_module *m = ir_module_new("irreducible");
    struct arena a;
    arena_init(&a);
    struct ir_cycles *f = ir_cycles_new(&a, ir_cfg_new(&a, graph_of(m, 4, to, degree)));
    assert_int_equal(f->count, 1);
    assert_int_equal(f->at[0].entries.count, 2);
    arena_free(&a);
    ir_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_loops),
        cmocka_unit_test(irreducible),
        cmocka_unit_test(random_graphs),
    };
    return cmocka_run_group_tests_name("ir structure", tests, NULL, NULL);
}
