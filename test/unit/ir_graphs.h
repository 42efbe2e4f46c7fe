/* ir_graphs.h: random graphs of blocks. */
#ifndef KERNC_TEST_UNIT_IR_GRAPHS_H
#define KERNC_TEST_UNIT_IR_GRAPHS_H

#include "ir/converge/frontier.h"
#include "test/unit/ir_files.h"

#define BLOCKS 10
#define GRAPHS 4000
#define ENDED  BLOCKS /* where a thread is that has returned */

struct graph {
    struct arena arena;
    struct ir_module *m;
    struct ir_function *f;
    struct ir_cfg *c;
    struct ir_cycles *cycles;
};

static uint64_t seed = 1;

static inline uint32_t any(uint32_t n)
{
    seed = hash_mix(seed, 99);
    return (uint32_t)(seed >> 20) % n;
}

/* Each block gets up to four successors, the entry excluded. */
static inline struct graph random_graph(uint32_t n, bool barriers)
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
    return g;
}

static inline void end(struct graph *g)
{
    ir_module_free(g->m);
    arena_free(&g->arena);
}

static inline u32_vec priorities(struct graph *g)
{
    return ir_priorities(&g->arena, g->c, g->cycles, ir_tokens_new(&g->arena, g->c), NULL, UINT64_MAX);
}

static inline bool has_barrier(const struct graph *g, uint32_t b)
{
    ir_each_ins(r, g->f, b)
        if (ir_at(g->f, r)->op == IR_barrier)
            return true;
    return false;
}

/* The entry, and behind it the other reachable blocks, shuffled. */
static inline u32_vec random_order(struct graph *g)
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

static inline struct bitset random_branches(struct graph *g)
{
    struct bitset divergent = bitset_new(&g->arena, g->c->blocks);
    uint32_t percent = 25 * any(5);
    for (uint32_t b = 0; b < g->c->blocks; b++)
        if (any(100) < percent)
            bitset_add(divergent, b);
    return divergent;
}

#endif
