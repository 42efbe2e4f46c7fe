/* prediction_candidates.c: places where a prediction may pay: the patterns, and what is lost there. */
#include "opt/predict/detect_predictions.h"

#include <stdlib.h>

uint32_t detect_outermost(const struct ir_cycles *cycles, uint32_t b)
{
    uint32_t c = cycles->innermost[b];
    while (c != IR_NO_CYCLE && cycles->at[c].parent != IR_NO_CYCLE)
        c = cycles->at[c].parent;
    return c;
}

/* ---- what a prediction would change ------------------------------------------------------------------ */

struct bitset detect_region(const struct detection *d, uint32_t start, uint32_t label)
{
    struct walk w = walk_new(d->arena, d->f->blocks.count);
    if (label != start)
        walk_add(&w, label);
    return ir_reach_back(&w, d->cfg, start);
}

/* An anchor's operations are left alone like all others: which threads execute it together is not ours to
 * change. */
static ir_ref convergent_in_block(const struct ir_function *f, uint32_t b)
{
    ir_each_ins(r, f, b)
        if (ir_is_convergent(f, r) && ir_at(f, r)->op != IR_entry && ir_at(f, r)->op != IR_loop)
            return r;
    return 0;
}

ir_ref detect_obstacle(const struct detection *d, const struct candidate *k, bool *endless)
{
    struct bitset region = detect_region(d, k->start, k->label);
    struct walk w = walk_new(d->arena, d->f->blocks.count);
    uint32_t exit = d->post->depth[k->start] ? d->post->idom[k->start] : IR_NO_BLOCK;
    while (exit != IR_NO_BLOCK && bitset_has(region, exit))
        exit = d->post->idom[exit];
    *endless = exit == IR_NO_BLOCK && !(d->f->flags & IR_FN_KERNEL);
    walk_add(&w, k->start);
    walk_each(b, &w) {
        ir_ref r = b == k->start ? 0 : convergent_in_block(d->f, b);
        if (r)
            return r;
        ir_add_successors(&w, d->f, b, exit);
    }
    return 0;
}

/* ---- candidates -------------------------------------------------------------------------------------- */

/* Cycles times lanes lost in b without a prediction. */
static uint64_t idle_in(const struct detection *d, uint32_t b)
{
    if (!d->warps)
        return 0;
    uint64_t executions = d->plain.executions[b], full = executions * d->lanes;
    uint64_t extra = executions ? d->plain.extra[b] / executions : 0;
    return (full - d->plain.visits[b]) * (d->sample[0]->cost[b] + extra);
}

bool detect_is_idle(const struct detection *d, const struct candidate *k)
{
    return k->idle * 100 >= d->plain.cycles * d->margin;
}

/* One from `near` on, if that is a block; one for each loop around `cycle`'s blocks, `cycle` itself included;
 * or one that is to be declined. */
static void add_candidates(struct detection *d, struct candidate k, uint32_t near, uint32_t cycle)
{
    k.nest = detect_outermost(d->cycles, k.label);
    k.number = DETECT_FOUND;
    k.start = IR_NO_BLOCK;
    k.idle /= d->lanes;
    uint32_t before = d->all.count;
    bool idle = !k.at_loop && detect_is_idle(d, &k);
    if (idle && near != IR_NO_BLOCK) {
        k.start = near;
        vec_push(d->arena, &d->all, k);
    }
    for (; idle && cycle != IR_NO_CYCLE; cycle = d->cycles->at[cycle].parent) {
        const struct ir_cycle *outer = &d->cycles->at[cycle];
        uint32_t start = d->dominators->idom[outer->header];
        if (outer->entries.count != 1 || start == IR_NO_BLOCK || ir_cycle_has(d->cycles, cycle, start))
            continue;
        k.start = start;
        vec_push(d->arena, &d->all, k);
    }
    k.start = IR_NO_BLOCK;
    if (d->all.count == before)
        vec_push(d->arena, &d->all, k);
}

static bool has_divergent_exit(const struct detection *d, uint32_t cycle)
{
    const struct ir_cycle *k = &d->cycles->at[cycle];
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t b = d->cycles->blocks[k->first + i];
        const struct ir_block *block = ir_block_at(d->f, b);
        for (uint32_t e = 0; bitset_has(d->u->branches, b) && e < block->edges.count; e++)
            if (!ir_cycle_has(d->cycles, cycle, block->edges.at[e].block))
                return true;
    }
    return false;
}

/* Where the body of the loop begins: behind a header that does nothing but test. */
static uint32_t body_of(const struct detection *d, uint32_t cycle)
{
    uint32_t header = d->cycles->at[cycle].header, inside = 0, to = header;
    const struct ir_block *block = ir_block_at(d->f, header);
    for (uint32_t e = 0; e < block->edges.count; e++)
        if (ir_cycle_has(d->cycles, cycle, block->edges.at[e].block)) {
            to = block->edges.at[e].block;
            inside++;
        }
    return inside == 1 && block->edges.count == 2 && ir_pred_count(d->cfg, to) == 1 ? to : header;
}

static void add_loop_merge(struct detection *d, uint32_t cycle)
{
    const struct ir_cycle *inner = &d->cycles->at[cycle];
    struct candidate k = {.pattern = DETECT_LOOPS, .label = body_of(d, cycle)};
    if (inner->parent == IR_NO_CYCLE || inner->entries.count != 1 || !has_divergent_exit(d, cycle))
        return;
    for (uint32_t i = 0; i < inner->count; i++)
        k.idle += idle_in(d, d->cycles->blocks[inner->first + i]);
    k.at = ir_at(d->f, ir_terminator(d->f, inner->header))->at;
    add_candidates(d, k, IR_NO_BLOCK, inner->parent);
}

/* Whether threads come to the side from elsewhere only by going round a loop that begins there. */
static bool begins_loop(const struct detection *d, uint32_t b, uint32_t side)
{
    uint32_t from_b = 0;
    ir_each_pred(p, side, d->cfg)
        if (p == b)
            from_b++;
        else if (!ir_dominates(d->dominators, side, p))
            return false;
    return from_b == 1 && !ir_dominates(d->dominators, side, b);
}

static void add_iteration_delay(struct detection *d, uint32_t b)
{
    const struct ir_block *block = ir_block_at(d->f, b);
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t side = block->edges.at[e].block;
        struct candidate k = {.label = side, .at = ir_at(d->f, block->last)->at};
        uint32_t cycle = ir_cycle_common(d->cycles, b, side);
        if (cycle == IR_NO_CYCLE || !begins_loop(d, b, side) || side == d->post->idom[b])
            continue;
        k.at_loop = ir_pred_count(d->cfg, side) > 1;
        for (uint32_t n = d->dominators->pre[side]; n <= d->dominators->post[side]; n++)
            if (ir_cycle_has(d->cycles, cycle, d->dominators->order[n]))
                k.idle += idle_in(d, d->dominators->order[n]);
        add_candidates(d, k, IR_NO_BLOCK, cycle);
    }
}

/* Lanes that come to a block by several ways, none of which reconverges there: to a side of a condition of
 * several terms, or back to the begin of a loop. */
static void add_ways(struct detection *d, uint32_t b)
{
    uint32_t before = d->dominators->idom[b], cycle = d->cycles->innermost[b], back = 0;
    struct candidate k = {.pattern = DETECT_WAYS, .label = b};
    ir_each_pred(p, b, d->cfg)
        back += ir_dominates(d->dominators, b, p);
    if (before == IR_NO_BLOCK || ir_pred_count(d->cfg, b) < 2 || back == 1 ||
        (!back && b == d->post->idom[before]))
        return;
    for (uint32_t n = d->dominators->pre[b]; n <= d->dominators->post[b]; n++)
        if (cycle == IR_NO_CYCLE || ir_cycle_has(d->cycles, cycle, d->dominators->order[n]))
            k.idle += idle_in(d, d->dominators->order[n]);
    k.at = ir_at(d->f, ir_terminator(d->f, b))->at;
    add_candidates(d, k, back ? IR_NO_BLOCK : before, cycle);
}

static int by_idle(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    if (a->idle != b->idle)
        return a->idle > b->idle ? -1 : 1;
    return a->label != b->label ? (a->label > b->label) - (a->label < b->label)
                                : (a->start > b->start) - (a->start < b->start);
}

void detect_candidates(struct detection *d)
{
    for (uint32_t k = 0; k < d->cycles->count; k++)
        add_loop_merge(d, k);
    for (uint32_t i = 0; i < d->cfg->rpo_count; i++) {
        if (bitset_has(d->u->branches, d->cfg->rpo[i]))
            add_iteration_delay(d, d->cfg->rpo[i]);
        add_ways(d, d->cfg->rpo[i]);
    }
    if (d->all.count)
        qsort(d->all.at, d->all.count, sizeof *d->all.at, by_idle);
}
