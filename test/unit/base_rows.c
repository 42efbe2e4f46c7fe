/* base_rows.c: compressed rows and depth-first search. */
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

static int done(void **state)
{
    UNUSED(state);
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_of_a_row_ascend),
        cmocka_unit_test(no_rows_and_no_items),
        cmocka_unit_test(successors_come_first),
        cmocka_unit_test(edges_that_close_a_cycle_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, done);
}
