/* uses.c: who uses each value, in compressed rows: one count, one prefix sum, one fill. */
#include "opt/pass.h"

struct fill {
    struct opt_uses *uses;
    uint32_t *next;
};

static void add(struct fill *x, ir_ref value, struct opt_use use)
{
    if (x->uses->at)
        x->uses->at[x->next[value]] = use;
    x->next[value]++;
}

static void visit_block(struct fill *x, const struct ir_function *f, uint32_t b)
{
    ir_each_ins(r, f, b) {
        const struct ir_ins *ins = ir_at(f, r);
        struct opt_use use = {r, b, IR_NO_BLOCK};
        for (uint32_t i = 0; i < ins->argc; i++)
            add(x, ins->args[i], use);
        if (ins->token)
            add(x, ins->token, use);
    }
    const struct ir_block *block = ir_block_at(f, b);
    for (uint32_t e = 0; e < block->edges.count; e++)
        for (uint32_t i = 0; i < block->edges.at[e].argc; i++)
            add(x, block->edges.at[e].args[i],
                (struct opt_use){ir_block_at(f, block->edges.at[e].block)->params.at[i], b, e});
}

struct opt_uses *opt_uses_new(struct arena *a, const struct ir_function *f)
{
    uint32_t n = f->ins.count;
    struct fill x = {arena_new(a, struct opt_uses), arena_array(a, uint32_t, n)};
    ir_each_block(i, b, f)
        visit_block(&x, f, b);
    uint32_t *start = arena_array(a, uint32_t, n + 1);
    for (uint32_t r = 0; r < n; r++)
        start[r + 1] = start[r] + x.next[r];
    memcpy(x.next, start, n * sizeof *start);
    *x.uses = (struct opt_uses){start, arena_array(a, struct opt_use, start[n] + 1)};
    ir_each_block(i, b, f)
        visit_block(&x, f, b);
    return x.uses;
}

uint32_t *opt_count_uses(struct arena *a, const struct ir_function *f)
{
    uint32_t *uses = arena_array(a, uint32_t, f->ins.count);
    ir_each_block(i, b, f) {
        ir_each_ins(r, f, b)
            for (uint32_t k = 0; k < ir_at(f, r)->argc; k++)
                uses[ir_at(f, r)->args[k]]++;
        const struct ir_block *block = ir_block_at(f, b);
        for (uint32_t e = 0; e < block->edges.count; e++)
            for (uint32_t k = 0; k < block->edges.at[e].argc; k++)
                uses[block->edges.at[e].args[k]]++;
    }
    return uses;
}
