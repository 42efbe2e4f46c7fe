/* predictions_e.c: predictions in the graphs of class e: their points in cycles and elsewhere, where they begin
 * at random, often before the cycle; functions, in functions that call them and in others. */
#include "fuzz/class_e.h"

enum { MAX_PREDICTIONS = 3 };

struct placing {
    struct fz_random *r;
    struct ir_function *fn;
    struct arena *arena;
    const struct ir_cfg *cfg;
    const struct ir_cycles *cycles;
};

static uint32_t below(struct placing *g, uint32_t n)
{
    return fz_below(g->r, n);
}

/* Anywhere in the block but behind its terminator: before tokens and calls, and after. */
static ir_ref put(struct placing *g, uint32_t block, enum ir_op op, uint32_t imm)
{
    ir_ref before = ir_block_at(g->fn, block)->first;
    for (uint32_t i = below(g, 6); i > 0 && ir_at(g->fn, before)->next; i--)
        before = ir_at(g->fn, before)->next;
    struct ir_cursor at = {g->fn, block, before, {0, 0}};
    ir_ref r = ir_emit0(&at, op, IR_TYPE_VOID);
    ir_at(g->fn, r)->imm = imm;
    return r;
}

static uint32_t random_block(struct placing *g)
{
    return g->cfg->rpo[below(g, g->cfg->rpo_count)];
}

/* In a cycle, if there is one. */
static uint32_t block_of_cycle(struct placing *g)
{
    uint32_t block = random_block(g);
    for (int tries = 0; tries < 30 && g->cycles->innermost[block] == IR_NO_CYCLE; tries++)
        block = random_block(g);
    return block;
}

/* A block that leads into a cycle around `point`. */
static uint32_t block_before(struct placing *g, uint32_t point)
{
    uint32_t cycle = g->cycles->innermost[point];
    while (cycle != IR_NO_CYCLE && g->cycles->at[cycle].parent != IR_NO_CYCLE && fz_chance(g->r, 40))
        cycle = g->cycles->at[cycle].parent;
    if (cycle != IR_NO_CYCLE) {
        ir_each_pred(b, g->cycles->at[cycle].header, g->cfg)
            if (bitset_has(g->cfg->reachable, b) && !ir_cycle_has(g->cycles, cycle, b))
                return b;
    }
    return random_block(g);
}

static void predict(struct placing *g)
{
    bool of_function = g->fn->id > 0 && fz_chance(g->r, 40);
    uint32_t target = of_function ? below(g, g->fn->id) : g->fn->predictions++;
    uint32_t point = block_of_cycle(g);
    if (!of_function)
        put(g, point, IR_predict_point, target);
    do {
        uint32_t block = fz_chance(g->r, 60) ? block_before(g, point) : random_block(g);
        ir_ref r = put(g, block, of_function ? IR_predict_function : IR_predict, target);
        ir_at(g->fn, r)->imm2 = fz_chance(g->r, 50) ? 0 : 1 + below(g, fz_chance(g->r, 50) ? 8 : 64);
    } while (fz_chance(g->r, 25));
}

void fz_e_predict(struct ir_function *fn, struct fz_random *r)
{
    struct arena scratch = {0};
    struct placing g = {.r = r, .fn = fn, .arena = &scratch, .cfg = ir_cfg_new(&scratch, fn)};
    g.cycles = ir_cycles_new(&scratch, g.cfg);
    for (uint32_t i = below(&g, MAX_PREDICTIONS + 1); i > 0; i--)
        predict(&g);
    arena_free(&scratch);
}
