/* predication.c: which arms can be predicated. See analysis.h; what it is for: docs/schemes.md.
 *
 * An arm is followed from its first block to where the threads of the branch reconverge, one block of the order
 * after the other. Branches are looked at from the last one of the order to the first: those in an arm before
 * the one that has the arm, which goes on where they reconverge. So each block is followed once. Linear.
 */
#include "ir/analysis/analysis.h"

struct finder {
    const struct ir_cfg *g;
    const struct ir_function *f;
    struct ir_predication *p;
    uint32_t *position; /* by block: in the order */
    uint32_t *into;     /* by branch: edges from it and its arms to where its threads reconverge */
    bool placed;
};

static bool begins_with_wait(const struct ir_function *f, uint32_t b)
{
    const struct ir_ins *first = ir_at(f, ir_block_at(f, b)->first);
    return first->op == IR_cb_wait && first->imm2 == 0;
}

/* Not atomics: an arm with one is an elected thread's as a rule, of one warp in many. */
static bool is_predicable(enum ir_op op)
{
    return ir_only_computes(op) || op == IR_load || op == IR_store || op == IR_assert;
}

/* From r on. */
static ir_ref unpredicable(const struct ir_function *f, ir_ref r)
{
    for (; r != ir_block_at(f, ir_at(f, r)->block)->last; r = ir_at(f, r)->next)
        if (!is_predicable((enum ir_op)ir_at(f, r)->op))
            return r;
    return 0;
}

ir_ref ir_unpredicable(const struct ir_function *f, uint32_t b)
{
    return unpredicable(f, ir_block_at(f, b)->first);
}

/* behind: the block is where the threads of a predicated branch reconverge, with a wait for all of them. */
static bool are_predicable(const struct ir_function *f, uint32_t b, bool behind)
{
    ir_ref first = ir_block_at(f, b)->first;
    return !unpredicable(f, behind && begins_with_wait(f, b) ? ir_at(f, first)->next : first);
}

/* Follows an arm of the branch from this place of the order on, up to where its threads reconverge. *end: the
 * place behind the arm. */
static bool follow(struct finder *x, uint32_t branch, uint32_t at, uint32_t *end)
{
    uint32_t to = ir_block_at(x->f, branch)->reconverge;
    for (bool behind = false; at < x->position[to];) {
        uint32_t b = x->f->order.at[at], n = ir_block_at(x->f, b)->reconverge;
        const struct ir_edge *edge = ir_block_at(x->f, b)->edges.at;
        if (!are_predicable(x->f, b, behind))
            return false;
        behind = bitset_has(x->p->whole, b);
        if (behind) {
            at = *end = x->position[n];
            if (n == to)
                x->into[branch] += x->into[b];
            else if (ir_pred_count(x->g, n) != x->into[b])
                return false;
            if (n == to)
                return true;
            continue;
        }
        if (ir_at(x->f, ir_block_at(x->f, b)->last)->op != IR_br || edge->breaks)
            return false;
        *end = ++at;
        x->into[branch] += edge->block == to;
        if (edge->block == to)
            return true;
        if (x->position[edge->block] != at || ir_pred_count(x->g, edge->block) != 1)
            return false;
    }
    return false;
}

/* Whether side e of the branch is an arm, which `arm` is then. */
static bool is_arm(struct finder *x, uint32_t branch, uint32_t e, struct ir_arm *arm)
{
    const struct ir_block *block = ir_block_at(x->f, branch);
    const struct ir_edge *edge = &block->edges.at[e], *other = &block->edges.at[1 - e];
    arm->first = arm->end = x->position[edge->block];
    return !edge->breaks && ir_pred_count(x->g, edge->block) == 1 &&
           follow(x, branch, arm->first, &arm->end) &&
           (arm->end == x->position[block->reconverge] || x->f->order.at[arm->end] == other->block);
}

/* Whether its threads reconverge behind it in the order, and both sides begin between. */
static bool leads_on(const struct finder *x, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    uint32_t to = block->reconverge;
    if (ir_at(x->f, block->last)->op != IR_brif || to >= x->g->blocks || !bitset_has(x->g->reachable, to) ||
        (x->placed && !begins_with_wait(x->f, to)))
        return false;
    for (unsigned e = 0; e < 2; e++) {
        uint32_t at = x->position[block->edges.at[e].block];
        if (at <= x->position[b] || at > x->position[to])
            return false;
    }
    return true;
}

/* The edges of the branch that lead to where its threads reconverge. What they move to parameters stands behind
 * the branch, and so has to be followed by the arm. False: it is not, or other edges move something. */
static bool find_direct(const struct finder *x, uint32_t b, unsigned *direct)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    *direct = 0;
    for (unsigned e = 0; e < 2; e++) {
        const struct ir_edge *edge = &block->edges.at[e];
        bool here = edge->block == block->reconverge && !edge->breaks;
        *direct |= (unsigned)here << e;
        if (edge->argc && !(here && x->position[block->edges.at[1 - e].block] == x->position[b] + 1))
            return false;
    }
    return true;
}

/* The sides of the branch that are arms, of those asked for. */
static void find_arms(struct finder *x, uint32_t b, unsigned asked)
{
    struct ir_predication *p = x->p;
    unsigned arms = 0, direct;
    if (!leads_on(x, b) || !find_direct(x, b, &direct))
        return;
    for (unsigned e = 0; e < 2; e++)
        arms |= (unsigned)(asked >> e & 1 && !(direct >> e & 1) && is_arm(x, b, e, &p->arms[b].side[e])) << e;
    p->sides[b] = (uint8_t)arms;
    for (unsigned e = 0; e < 2; e++) {
        uint32_t last = arms >> e & 1 ? x->f->order.at[p->arms[b].side[e].end - 1] : b;
        if (p->ends[last] == IR_NO_BLOCK && ir_at(x->f, ir_block_at(x->f, last)->last)->op == IR_br)
            p->ends[last] = b;
    }
    if (!arms || (arms | direct) != IR_BOTH_SIDES)
        return;
    x->into[b] += direct != 0;
    bitset_add(p->whole, b);
}

struct ir_predication ir_predication_new(struct arena *a, const struct ir_cfg *g, const uint8_t *asked,
                                         bool placed)
{
    const struct ir_function *f = g->fn;
    struct ir_predication p = {0};
    if (!asked)
        return p;
    p = (struct ir_predication){.whole = bitset_new(a, g->blocks),
                                .sides = arena_array(a, uint8_t, g->blocks),
                                .arms = arena_array(a, struct ir_arms, g->blocks),
                                .ends = arena_array(a, uint32_t, g->blocks)};
    struct finder x = {.g = g,
                       .f = f,
                       .p = &p,
                       .position = arena_array(a, uint32_t, g->blocks),
                       .into = arena_array(a, uint32_t, g->blocks),
                       .placed = placed};
    ir_each_block(i, b, f) {
        x.position[b] = i;
        p.ends[b] = IR_NO_BLOCK;
    }
    for (uint32_t i = f->order.count; i-- > 0;)
        if (asked[f->order.at[i]])
            find_arms(&x, f->order.at[i], asked[f->order.at[i]]);
    return p;
}

uint8_t *ir_asks_predication(struct arena *a, const struct ir_function *f)
{
    uint8_t *asked = NULL;
    ir_each_block(i, b, f) {
        if (!ir_block_at(f, b)->predicated || ir_at(f, ir_terminator(f, b))->op != IR_brif)
            continue;
        if (!asked)
            asked = arena_array(a, uint8_t, f->blocks.count);
        asked[b] = ir_block_at(f, b)->predicated;
    }
    return asked;
}
