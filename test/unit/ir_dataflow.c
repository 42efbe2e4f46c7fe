/* ir_dataflow.c: the data-flow solver against the equations, on random graphs. */
#include "ir/analysis/dataflow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 12, BITS = 70, GRAPHS = 2000 };

struct problem {
    uint32_t nodes;
    struct rows flow;
    u32_vec order;
    struct bitset gen[MOST], kill[MOST], outside[MOST];
};

static struct arena arena;
static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = hash_mix(seed, 0x9e3779b97f4a7c15u);
    return (uint32_t)(seed >> 33) % below;
}

static struct bitset random_set(void)
{
    struct bitset s = bitset_new(&arena, BITS);
    for (uint32_t i = draw(6); i > 0; i--)
        bitset_add(s, draw(BITS));
    return s;
}

static void make_problem(struct problem *p)
{
    struct edge_list edges = {0};
    *p = (struct problem){.nodes = 1 + draw(MOST)};
    for (uint32_t i = draw(3 * p->nodes); i > 0; i--)
        edge_add(&arena, &edges, draw(p->nodes), draw(p->nodes));
    p->flow = rows_of_edges(&arena, p->nodes, &edges);
    for (uint32_t n = 0; n < p->nodes; n++) {
        vec_push(&arena, &p->order, n);
        p->gen[n] = random_set();
        p->kill[n] = random_set();
        if (draw(4) == 0)
            p->outside[n] = random_set();
    }
    for (uint32_t i = p->nodes; i > 1; i--) {
        uint32_t k = draw(i), n = p->order.at[i - 1];
        p->order.at[i - 1] = p->order.at[k];
        p->order.at[k] = n;
    }
}

static void transfer(void *data, uint32_t node, struct bitset set)
{
    const struct problem *p = data;
    bitset_subtract(set, p->kill[node]);
    bitset_union(set, p->gen[node]);
}

static void solve_by_rounds(struct problem *p, struct bitset *entered)
{
    struct bitset left = bitset_new(&arena, BITS);
    for (uint32_t n = 0; n < p->nodes; n++)
        bitset_copy(entered[n] = bitset_new(&arena, BITS),
                    p->outside[n].bits ? p->outside[n] : bitset_new(&arena, BITS));
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < p->nodes; n++) {
            bitset_copy(left, entered[n]);
            transfer(p, n, left);
            rows_each(k, p->flow, n)
                changed |= bitset_union(entered[p->flow.at[k]], left);
        }
    }
}

static void the_least_solution_is_found(void **state)
{
    UNUSED(state);
    uint32_t members = 0;
    for (uint32_t i = 0; i < GRAPHS; i++) {
        struct problem p;
        struct bitset expected[MOST];
        make_problem(&p);
        solve_by_rounds(&p, expected);
        struct ir_dataflow d = {&p.flow, &p.order, BITS, transfer, &p, p.outside};
        struct bitset *entered = ir_dataflow_solve(&arena, &d);
        for (uint32_t n = 0; n < p.nodes; n++) {
            assert_true(bitset_equal(entered[n], expected[n]));
            members += bitset_count(entered[n]);
        }
        arena_free(&arena);
    }
    assert_true(members > GRAPHS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_solution_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
