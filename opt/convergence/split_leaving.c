/* split_leaving.c: blocks of their own for threads that part from the others for good (ir_is_parting).
 *
 * Under thread frontiers they are to be gone before the others come to a barrier, so their blocks have a
 * higher priority. Blocks that others reach too, as a common return, can't have it: they are copied, with
 * all that can be reached from them, once for all such edges. What is copied is left by no edge, so no
 * value of it is used outside. At most the function's size; linear.
 */
#include "opt/kit/clone.h"
#include "opt/kit/merge_edges.h"

struct splitter {
    struct opt_context *c;
    struct ir_function *f;
    const struct ir_leaving *leaving;
    struct bitset stays; /* blocks reached without parting edges */
};

static void find_stays(struct splitter *x)
{
    u32_vec work = {0};
    vec_push(x->c->scratch, &work, ir_entry(x->f));
    while (work.count) {
        uint32_t b = vec_pop(&work);
        if (bitset_has(x->stays, b))
            continue;
        bitset_add(x->stays, b);
        const struct ir_block *block = ir_block_at(x->f, b);
        for (uint32_t e = 0; e < block->edges.count; e++)
            if (!ir_is_parting(x->leaving, b, block->edges.at[e].block))
                vec_push(x->c->scratch, &work, block->edges.at[e].block);
    }
}

static void copy(struct splitter *x, const struct ir_cfg *g)
{
    struct opt_clone k = {.arena = x->c->scratch, .f = x->f};
    opt_clone_reserve(&k);
    for (uint32_t i = 0; i < g->rpo_count; i++)
        if (bitset_has(x->leaving->gone, g->rpo[i]))
            opt_clone_block(&k, g->rpo[i]);
    for (uint32_t i = 0; i < g->rpo_count; i++)
        if (bitset_has(x->leaving->gone, g->rpo[i]))
            opt_clone_instructions(&k, g->rpo[i], true);
    for (uint32_t i = 0; i < g->rpo_count; i++)
        if (bitset_has(x->leaving->gone, g->rpo[i]))
            opt_clone_edges(&k, g->rpo[i]);
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        struct ir_block *block = ir_block_at(x->f, g->rpo[i]);
        for (uint32_t e = 0; e < block->edges.count; e++)
            if (ir_is_parting(x->leaving, g->rpo[i], block->edges.at[e].block))
                block->edges.at[e].block = opt_cloned_block(&k, block->edges.at[e].block);
    }
}

bool opt_split_leaving(struct opt_context *c, struct ir_function *f)
{
    const struct ir_cfg *g = opt_cfg(c, f);
    struct splitter x = {c, f, opt_leaving(c, f), bitset_new(c->scratch, f->blocks.count)};
    find_stays(&x);
    struct bitset both = bitset_new(c->scratch, f->blocks.count);
    bitset_copy(both, x.leaving->gone);
    bitset_intersect(both, x.stays);
    if (bitset_next(both, 0) == both.bits)
        return false;
    opt_count(c, "blocks copied", bitset_count(x.leaving->gone));
    copy(&x, g);
    opt_invalidate(c, f);
    opt_drop_unreachable(c->scratch, opt_cfg(c, f), f);
    opt_invalidate(c, f);
    return true;
}
