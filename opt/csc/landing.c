/* landing.c: one last block for an arm that goes on to where the arms meet from several of its blocks, and a
 * block before each loop.
 *
 * What follows two conditionals that correspond has to correspond as well (correspond.c). A conditional that
 * ends its arm is followed by the join, which is no block of the arm. With an empty block before the join, the
 * landing, whatever the other arm has behind its own conditional has a partner: one arm executes it, and the
 * other passes by.
 *
 * A loop behind a test is entered by an edge of that branch, or from a block where something is computed that
 * is the same in each iteration. So that two loops are alike in this, each gets a landing before it.
 *
 * From the innermost branches outwards: the edges that an inner arm's landing has gathered count as one from
 * then on, so that all landings together look at no more than twice as many edges as there are. Landings that
 * are still empty at the end are taken out again.
 */
#include "opt/csc/csc.h"
#include "opt/kit/merge_edges.h"

#include <stdlib.h>

/* An edge to a join, by the place of its block in the dominator tree; `next`: the following one that stands
 * for itself. */
struct entrance {
    struct opt_edge edge;
    uint32_t pre, next;
};
struct join {
    uint32_t count;
    struct entrance *at;
};

struct landings {
    struct csc *p;
    const struct ir_cfg *g;
    const struct ir_dominators *dominators, *post;
    const struct ir_cycles *cycles;
    struct map known; /* (join's block, only from outside of its loop) -> its place in joins */
    VEC(struct join) joins;
};

static int by_pre(const void *x, const void *y)
{
    const struct entrance *a = x, *b = y;
    return (a->pre > b->pre) - (a->pre < b->pre);
}

/* `outside`: without the edges of the loop that the join is the header of. */
static struct join *join_at(struct landings *l, uint32_t b, bool outside)
{
    uint64_t key = (uint64_t)b << 1 | outside;
    uint32_t known = map_get(&l->known, key);
    struct join j = {0};
    if (known != MAP_NONE)
        return &l->joins.at[known];
    j.at = arena_array(l->p->c->scratch, struct entrance, ir_pred_count(l->g, b));
    ir_each_pred(q, b, l->g)
        if (!outside || !ir_cycle_has(l->cycles, l->cycles->innermost[b], q))
            j.at[j.count++] = (struct entrance){{q, l->g->pred_edges[q_at]}, l->dominators->pre[q], 0};
    qsort(j.at, j.count, sizeof *j.at, by_pre);
    for (uint32_t i = 0; i < j.count; i++)
        j.at[i].next = i + 1;
    map_set(l->p->c->scratch, &l->known, key, l->joins.count);
    vec_push(l->p->c->scratch, &l->joins, j);
    return &vec_last(&l->joins);
}

/* The first entrance from a block that `arm` dominates, if there is one. */
static uint32_t first_entrance(const struct landings *l, const struct join *j, uint32_t arm)
{
    uint32_t low = 0, high = j->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (j->at[middle].pre < l->dominators->pre[arm])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void make_landing(struct landings *l, struct join *j, uint32_t arm, place at)
{
    struct csc *p = l->p;
    opt_edges edges = {0};
    uint32_t first = first_entrance(l, j, arm), i = first;
    for (; i < j->count && j->at[i].pre <= l->dominators->post[arm]; i = j->at[i].next)
        vec_push(p->c->scratch, &edges, j->at[i].edge);
    if (edges.count < 2)
        return;
    uint32_t block = opt_merge_edges(p->c->scratch, p->f, &edges, at);
    j->at[first].edge = (struct opt_edge){block, 0};
    j->at[first].next = i;
    vec_push(p->c->scratch, &p->landings, block);
}

static bool begins_loop(const struct landings *l, uint32_t branch, uint32_t join)
{
    uint32_t cycle = l->cycles->innermost[join];
    return cycle != IR_NO_CYCLE && l->cycles->at[cycle].header == join &&
           l->cycles->innermost[branch] != cycle;
}

/* A conditional needs one before a loop, which may have no like in the other arm; an arm where the other goes
 * on behind its first conditional. */
static void landing_visit_block(struct landings *l, uint32_t b)
{
    const struct ir_block *block = ir_block_at(l->p->f, b);
    place at = ir_at(l->p->f, block->last)->at;
    uint32_t join = l->post->idom[b], arm[2];
    if (ir_at(l->p->f, block->last)->op != IR_brif || join == IR_NO_BLOCK ||
        !bitset_has(opt_uniformity(l->p->c, l->p->f)->branches, b))
        return;
    if (begins_loop(l, b, join))
        make_landing(l, join_at(l, join, true), b, at);
    for (uint32_t e = 0; e < 2; e++) {
        arm[e] = block->edges.at[e].block;
        if (arm[e] >= l->g->blocks || !csc_is_arm(l->p, b, arm[e])) /* a landing of this pass is none */
            return;
    }
    for (uint32_t e = 0; e < 2; e++)
        if (l->post->idom[arm[!e]] != join)
            make_landing(l, join_at(l, join, false), arm[e], at);
}

/* Loop headers before each place of the dominator tree. */
static uint32_t *count_headers(const struct landings *l)
{
    uint32_t blocks = l->g->blocks, *before = arena_array(l->p->c->scratch, uint32_t, blocks + 1);
    for (uint32_t k = 0; k < l->cycles->count; k++)
        if (bitset_has(l->g->reachable, l->cycles->at[k].header))
            before[l->dominators->pre[l->cycles->at[k].header] + 1]++;
    for (uint32_t n = 0; n < blocks; n++)
        before[n + 1] += before[n];
    return before;
}

/* By place of the dominator tree: arms around it, of divergent branches with loops in both arms. Linear. */
static uint32_t *count_arms(const struct landings *l)
{
    const struct ir_dominators *d = l->dominators;
    uint32_t *arms = arena_array(l->p->c->scratch, uint32_t, l->g->blocks + 2);
    const uint32_t *headers = count_headers(l);
    bitset_each(b, opt_uniformity(l->p->c, l->p->f)->branches) {
        const struct ir_block *block = ir_block_at(l->p->f, b);
        bool both = ir_at(l->p->f, block->last)->op == IR_brif;
        for (uint32_t e = 0; both && e < 2; e++) {
            uint32_t to = block->edges.at[e].block;
            both = to < l->g->blocks && csc_is_arm(l->p, b, to) &&
                   headers[d->post[to] + 1] > headers[d->pre[to]];
        }
        for (uint32_t e = 0; both && e < 2; e++) {
            arms[d->pre[block->edges.at[e].block]]++;
            arms[d->post[block->edges.at[e].block] + 1]--;
        }
    }
    for (uint32_t n = 1; n < l->g->blocks; n++)
        arms[n] += arms[n - 1];
    return arms;
}

/* The only edge into the loop, if it is one of several of its block. */
static void make_preheader(struct landings *l, uint32_t cycle)
{
    struct csc *p = l->p;
    const struct ir_cycle *c = &l->cycles->at[cycle];
    opt_edges edges = {0};
    ir_each_pred(q, c->header, l->g)
        if (!ir_cycle_has(l->cycles, cycle, q))
            vec_push(p->c->scratch, &edges, ((struct opt_edge){q, l->g->pred_edges[q_at]}));
    if (c->entries.count != 1 || edges.count != 1)
        return;
    ir_ref from = ir_terminator(p->f, edges.at[0].block);
    if (ir_at(p->f, from)->op != IR_brif || opt_edge_target(p->f, edges.at[0]) != c->header)
        return;
    vec_push(p->c->scratch, &p->landings,
             opt_merge_edges(p->c->scratch, p->f, &edges, ir_at(p->f, from)->at));
}

void csc_make_landings(struct csc *p)
{
    struct landings l = {.p = p,
                         .g = opt_cfg(p->c, p->f),
                         .dominators = opt_dominators(p->c, p->f),
                         .post = opt_post_dominators(p->c, p->f),
                         .cycles = opt_cycles(p->c, p->f)};
    for (uint32_t i = l.g->rpo_count; i-- > 0;)
        landing_visit_block(&l, l.g->rpo[i]);
    const uint32_t *arms = l.cycles->count > 1 ? count_arms(&l) : NULL;
    for (uint32_t k = 0; arms && k < l.cycles->count; k++)
        if (arms[l.dominators->pre[l.cycles->at[k].header]])
            make_preheader(&l, k);
    if (p->landings.count)
        opt_invalidate(p->c, p->f);
}

/* ---- taking them out ----------------------------------------------------------------------------- */

/* Whether the block still only hands its parameters on, each to the parameter of the same number. */
static bool is_unused(const struct ir_function *f, uint32_t b)
{
    const struct ir_block *block = ir_block_at(f, b);
    if (block->first != block->last || block->first == 0 || ir_at(f, block->last)->op != IR_br ||
        block->edges.at[0].argc != block->params.count)
        return false;
    for (uint32_t k = 0; k < block->params.count; k++)
        if (block->edges.at[0].args[k] != block->params.at[k])
            return false;
    return true;
}

/* In post-order, so that where a landing leads is known before what leads to it. */
void csc_drop_landings(struct csc *p)
{
    if (p->landings.count == 0)
        return;
    const struct ir_cfg *g = opt_cfg(p->c, p->f);
    struct bitset landings = bitset_new(p->c->scratch, p->f->blocks.count);
    struct bitset removed = bitset_new(p->c->scratch, p->f->blocks.count);
    for (uint32_t i = 0; i < p->landings.count; i++)
        bitset_add(landings, p->landings.at[i]);
    for (uint32_t i = g->rpo_count; i-- > 0;) {
        uint32_t b = g->rpo[i];
        if (!bitset_has(landings, b) || !is_unused(p->f, b))
            continue;
        uint32_t to = ir_block_at(p->f, b)->edges.at[0].block;
        ir_each_pred(q, b, g)
            ir_block_at(p->f, q)->edges.at[g->pred_edges[q_at]].block = to;
        bitset_add(removed, b);
    }
    ir_blocks_remove(p->f, removed);
    opt_invalidate(p->c, p->f);
}
