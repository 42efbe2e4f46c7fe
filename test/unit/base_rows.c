/* base_rows.c: compressed rows, depth-first search and walks. */
#include "base/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct arena arena;

static void items_of_a_row_ascend(void **state)
{
    UNUSED(state);
    uint32_t row_of[] = {2, 0, 2, 3, 0, 2};
    struct rows r = rows_new(&arena, 4, row_of, COUNT(row_of));
    uint32_t start[] = {0, 2, 2, 5, 6}, at[] = {1, 4, 0, 2, 5, 3};
    assert_memory_equal(r.start, start, sizeof start);
    assert_memory_equal(r.at, at, sizeof at);
    assert_int_equal(row_length(&r, 1), 0);
}

static void no_rows_and_no_items(void **state)
{
    UNUSED(state);
    struct rows r = rows_new(&arena, 0, NULL, 0), empty = rows_new(&arena, 3, NULL, 0);
    assert_int_equal(r.start[0], 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(row_length(&empty, i), 0);
}

static struct rows graph(uint32_t nodes, const uint32_t (*edges)[2], uint32_t count)
{
    struct edge_list l = {0};
    for (uint32_t i = 0; i < count; i++)
        edge_add(&arena, &l, edges[i][0], edges[i][1]);
    return rows_of_edges(&arena, nodes, &l);
}

static void successors_come_first(void **state)
{
    UNUSED(state);
    static const uint32_t edges[][2] = {{3, 1}, {0, 2}, {0, 1}, {1, 4}, {2, 4}, {0, 1}};
    struct rows g = graph(5, edges, COUNT(edges));
    struct depth_first d = depth_first_new(&arena, &g);
    depth_first_visit(&d, 0);
    uint32_t order[] = {4, 2, 1, 0};
    assert_int_equal(d.order.count, COUNT(order));
    assert_memory_equal(d.order.at, order, sizeof order);
    assert_int_equal(d.retreating.count, 0);
    assert_false(depth_first_reached(&d, 3));
    depth_first_visit(&d, 3);
    assert_int_equal(vec_last(&d.order), 3);
    depth_first_visit(&d, 3);
    assert_int_equal(d.order.count, 5);
}

static void edges_that_close_a_cycle_are_named(void **state)
{
    UNUSED(state);
    static const uint32_t edges[][2] = {{0, 1}, {1, 2}, {2, 1}, {2, 2}, {0, 2}};
    struct rows g = graph(3, edges, COUNT(edges));
    struct depth_first d = depth_first_new(&arena, &g);
    depth_first_visit(&d, 0);
    assert_int_equal(d.retreating.count, 2);
    assert_int_equal(g.at[d.retreating.at[0]], 1);
    assert_int_equal(g.at[d.retreating.at[1]], 2);
    assert_int_equal(d.order.count, 3);
}

static void follow(struct walk *w, const struct rows *g, uint32_t stop)
{
    walk_each(n, w)
        rows_each(k, *g, n)
            if (g->at[k] != stop)
                walk_add(w, g->at[k]);
}

static void walks_visit_each_node_once(void **state)
{
    UNUSED(state);
    static const uint32_t edges[][2] = {{0, 3}, {0, 1}, {1, 2}, {3, 2}, {2, 0}, {2, 4}, {5, 0}};
    struct rows g = graph(6, edges, COUNT(edges));
    struct walk w = walk_new(&arena, g.count);
    walk_add(&w, 0);
    walk_add(&w, 0);
    follow(&w, &g, UINT32_MAX);
    uint32_t all[] = {0, 3, 1, 2, 4};
    assert_int_equal(w.list.count, COUNT(all));
    assert_memory_equal(w.list.at, all, sizeof all);
    assert_int_equal(bitset_count(w.seen), COUNT(all));
    walk_add(&w, 5); /* goes on with what is new */
    follow(&w, &g, UINT32_MAX);
    assert_int_equal(vec_last(&w.list), 5);
}

static void walks_stop_and_begin_again(void **state)
{
    UNUSED(state);
    static const uint32_t edges[][2] = {{0, 1}, {1, 2}, {0, 3}, {3, 4}};
    struct rows g = graph(5, edges, COUNT(edges));
    struct bitset set = bitset_new(&arena, g.count);
    bitset_add(set, 0);
    struct walk w = walk_from(&arena, set);
    bitset_add(w.seen, 3); /* by hand: is not visited */
    follow(&w, &g, 2);
    uint32_t list[] = {0, 1};
    assert_int_equal(w.list.count, COUNT(list));
    assert_memory_equal(w.list.at, list, sizeof list);
    walk_restart(&w);
    assert_int_equal(bitset_count(set), 1);
    assert_true(bitset_has(set, 3));
    walk_add(&w, 1);
    follow(&w, &g, UINT32_MAX);
    assert_int_equal(w.list.count, 2);
    assert_true(bitset_has(w.seen, 2));
}

static int done(void **state)
{
    UNUSED(state);
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_of_a_row_ascend),      cmocka_unit_test(no_rows_and_no_items),
        cmocka_unit_test(successors_come_first),      cmocka_unit_test(edges_that_close_a_cycle_are_named),
        cmocka_unit_test(walks_visit_each_node_once), cmocka_unit_test(walks_stop_and_begin_again),
    };
    return cmocka_run_group_tests(tests, NULL, done);
}
