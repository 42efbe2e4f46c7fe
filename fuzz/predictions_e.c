/* predictions_e.c: predictions in the graphs of class e: their points in cycles and elsewhere, where they begin
 * at random, often before the cycle; functions, in functions that call them and in others. A prediction with a
 * convergent operation in its region is not honoured, so most are drawn until there is none. */
#include "fuzz/class_e.h"

enum { MAX_PREDICTIONS = 3 };

struct placing {
    struct fz_random *r;
    struct ir_function *fn;
    struct arena *arena;
    const struct ir_cfg *cfg;
    const struct ir_cycles *cycles;
    const struct ir_dominators *post;
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

/* A block with a direct call, and whom it calls; of random ones, if none is found. */
static uint32_t block_of_call(struct placing *g, uint32_t *callee)
{
    *callee = below(g, g->fn->id);
    for (int tries = 0; tries < 30; tries++) {
        uint32_t block = block_of_cycle(g);
        ir_each_ins(r, g->fn, block) {
            if (ir_at(g->fn, r)->op != IR_call)
                continue;
            *callee = (uint32_t)ir_at(g->fn, r)->imm;
            return block;
        }
    }
    return random_block(g);
}

/* Blocks that are reached from `from`, or lead there, `from` included; none behind `stop`. */
static struct bitset reached(const struct placing *g, uint32_t from, bool against, uint32_t stop)
{
    struct bitset set = bitset_new(g->arena, g->cfg->blocks);
    u32_vec work = {0};
    vec_push(g->arena, &work, from);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        const struct ir_block *block = ir_block_at(g->fn, b);
        if (b == stop || bitset_has(set, b))
            continue;
        bitset_add(set, b);
        for (uint32_t e = 0; !against && e < block->edges.count; e++)
            vec_push(g->arena, &work, block->edges.at[e].block);
        if (against)
            ir_each_pred(p, b, g->cfg)
                vec_push(g->arena, &work, p);
    }
    return set;
}

/* Whether a prediction around it is not honoured; but by an anchor's token some are. */
static bool is_obstacle(const struct placing *g, ir_ref r)
{
    ir_ref token = ir_at(g->fn, r)->token;
    if (!ir_is_convergent(g->fn, r) || ir_at(g->fn, r)->type == IR_TYPE_TOKEN)
        return false;
    while (token && ir_at(g->fn, token)->op == IR_loop)
        token = ir_at(g->fn, token)->token;
    return !token || ir_at(g->fn, token)->op != IR_anchor;
}

/* Whether threads that begin in the block may come to the point, and to no such operation before they
 * reconverge behind it. */
static bool is_promising(const struct placing *g, uint32_t begin, uint32_t point)
{
    struct bitset leading = reached(g, point, true, IR_NO_BLOCK);
    uint32_t end = begin;
    while (end != IR_NO_BLOCK && bitset_has(leading, end))
        end = g->post->depth[end] ? g->post->idom[end] : IR_NO_BLOCK;
    struct bitset area = reached(g, begin, false, end);
    bitset_each(b, area)
        ir_each_ins(r, g->fn, b)
            if (b != begin && is_obstacle(g, r))
                return false;
    return bitset_has(leading, begin);
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

/* any: whatever becomes of it. */
static uint32_t draw_begin(struct placing *g, uint32_t point, bool any)
{
    enum { TRIES = 4 };
    uint32_t begin, tries = 0;
    do
        begin = fz_chance(g->r, 60) ? block_before(g, point) : random_block(g);
    while (!any && ++tries < TRIES && !is_promising(g, begin, point));
    return begin;
}

static void add_start(struct placing *g, uint32_t block, enum ir_op op, uint32_t target)
{
    ir_ref r = put(g, block, op, target);
    ir_at(g->fn, r)->imm2 = fz_chance(g->r, 50) ? 0 : 1 + below(g, fz_chance(g->r, 50) ? 8 : 64);
}

static void predict(struct placing *g)
{
    enum { TRIES = 12 };
    bool of_function = g->fn->id > 0 && fz_chance(g->r, 40), any = fz_chance(g->r, 20);
    enum ir_op op = of_function ? IR_predict_function : IR_predict;
    uint32_t target = 0, point, begin, tries = 0;
    do {
        point = of_function ? block_of_call(g, &target) : block_of_cycle(g);
        begin = draw_begin(g, point, any);
    } while (!any && ++tries < TRIES && !is_promising(g, begin, point));
    if (!of_function)
        put(g, point, IR_predict_point, target = g->fn->predictions++);
    add_start(g, begin, op, target);
    while (fz_chance(g->r, 25))
        add_start(g, draw_begin(g, point, any), op, target);
}

void fz_e_predict(struct ir_function *fn, struct fz_random *r)
{
    struct arena scratch = {0};
    struct placing g = {.r = r, .fn = fn, .arena = &scratch, .cfg = ir_cfg_new(&scratch, fn)};
    g.cycles = ir_cycles_new(&scratch, g.cfg);
    g.post = ir_return_post_dominators_new(&scratch, g.cfg);
    for (uint32_t i = (fn->flags & IR_FN_KERNEL ? 1 : 0) + below(&g, MAX_PREDICTIONS); i > 0; i--)
        predict(&g);
    arena_free(&scratch);
}
