/* converge_demand.c: which threads should be together where, and are not: the two demands of converge.c. */
#include "opt/convergence/converge.h"

enum { TRIES_WITH_BARRIERS = 2 };

/* ---- paths ------------------------------------------------------------------------------------------- */

struct bitset opt_converge_before(const struct converge *x, struct demand d, uint32_t avoid)
{
    struct bitset before = bitset_new(x->arena, x->g->blocks);
    u32_vec work = {0};
    vec_push(x->arena, &work, d.target);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        ir_each_pred(p, b, x->g) {
            if (p == avoid || bitset_has(before, p) ||
                (d.cycle != IR_NO_CYCLE && !ir_cycle_has(x->cycles, d.cycle, p)))
                continue;
            bitset_add(before, p);
            if (p != d.stop && p != d.target)
                vec_push(x->arena, &work, p);
        }
    }
    return before;
}

bool opt_converge_leads_there(struct demand d, struct bitset before, uint32_t s)
{
    return s == d.target || (s != d.stop && bitset_has(before, s));
}

/* How many different successors of the branch lead to the target, without passing `avoid`. */
static uint32_t sides(const struct converge *x, struct demand d, uint32_t avoid)
{
    const struct ir_block *b = ir_block_at(x->f, d.branch);
    struct bitset before = opt_converge_before(x, d, avoid);
    uint32_t n = 0;
    for (uint32_t e = 0; e < b->edges.count; e++) {
        uint32_t s = b->edges.at[e].block;
        bool again = s == avoid;
        for (uint32_t k = 0; k < e; k++)
            again |= b->edges.at[k].block == s;
        n += !again && opt_converge_leads_there(d, before, s);
    }
    return n;
}

/* ---- demands ----------------------------------------------------------------------------------------- */

/* In a cycle that leads to a barrier the operations' demands come before the iterations': behind the blocks
 * that they merge, edges may be leaving that operations hold now, and whoever leaves by these need not come
 * before the iteration's end. */
static bool is_late(const struct converge *x, struct demand d)
{
    return d.target != IR_NO_BLOCK && bitset_has(x->leaving->wait, d.target);
}

/* Whether the threads that diverge at the branch may reconverge anywhere but at its post-dominator. */
static bool reconverges_elsewhere(const struct converge *x, uint32_t branch)
{
    const struct ir_joins *j = ir_find_joins(x->joins, branch);
    uint32_t cycle = x->cycles->innermost[branch], p = x->post->idom[branch];
    if (x->g->pred_start[x->g->blocks] > IR_JOIN_LIMIT)
        return true; /* the finder could give up */
    for (; cycle != IR_NO_CYCLE; cycle = x->cycles->at[cycle].parent)
        if (x->cycles->at[cycle].entries.count > 1)
            return true;
    for (uint32_t i = 0; i < j->joins.count; i++)
        if (j->joins.at[i] != p)
            return true;
    for (uint32_t i = 0; i < j->exits.count; i++)
        if (j->exits.at[i] != p)
            return true;
    return false;
}

/* Blocks that threads come to from the branch before its post-dominator. */
static u32_vec blocks_until(const struct converge *x, uint32_t branch)
{
    u32_vec list = {0};
    struct bitset seen = bitset_new(x->arena, x->g->blocks);
    const struct ir_block *b = ir_block_at(x->f, branch);
    for (uint32_t next = 0;; b = ir_block_at(x->f, list.at[next++])) {
        for (uint32_t e = 0; e < b->edges.count; e++) {
            uint32_t s = b->edges.at[e].block;
            if (s == x->post->idom[branch] || bitset_has(seen, s))
                continue;
            bitset_add(seen, s);
            vec_push(x->arena, &list, s);
        }
        if (next == list.count)
            return list;
    }
}

static bool is_met_at_user(const struct converge *x, struct demand d)
{
    uint32_t p = x->post->idom[d.branch];
    if (d.target == d.stop || p == d.target || sides(x, d, IR_NO_BLOCK) < 2)
        return true;
    return p != IR_NO_BLOCK && sides(x, d, p) == 0;
}

/* On warp-core lanes that wait to run one side of a branch are joined there by those that come to it an
 * iteration later: only one side may lead round again. */
static bool waits_at_side(const struct converge *x)
{
    return x->c->options->target == TARGET_warp_core;
}

static bool is_met_at_definition(const struct converge *x, struct demand d, const struct ir_token_region *g)
{
    uint32_t p = x->post->idom[d.branch];
    if (p == opt_converge_home(x, d.def) || p == d.target)
        return true;
    if (p == IR_NO_BLOCK || map_get(&g->at, p) == MAP_NONE)
        return !waits_at_side(x) || sides(x, d, p) < 2;
    return sides(x, d, p) == 0;
}

static uint32_t tries(const struct converge *x, struct demand d)
{
    uint32_t n = map_get(&x->tried, (uint64_t)d.branch << 32 | d.user);
    return n == MAP_NONE ? 0 : n;
}

void opt_converge_note(struct converge *x, struct demand d)
{
    map_set(x->c->scratch, &x->tried, (uint64_t)d.branch << 32 | d.user, tries(x, d) + 1);
    map_set(x->c->scratch, &x->rounds, d.user, opt_converge_rounds(x, d) + 1);
}

uint32_t opt_converge_rounds(const struct converge *x, struct demand d)
{
    uint32_t n = map_get(&x->rounds, d.user);
    return n == MAP_NONE ? 0 : n;
}

/* Demands of so many cycles inside have the same branch and user. */
static bool was_tried(const struct converge *x, struct demand d, uint32_t inner)
{
    return tries(x, d) >= inner + (bitset_count(x->leaving->part) ? TRIES_WITH_BARRIERS : 1);
}

static struct demand demand_of_use(const struct converge *x, uint32_t branch, ir_ref user)
{
    ir_ref def = ir_at(x->f, user)->token;
    uint32_t target = opt_converge_home(x, user), stop = opt_converge_home(x, def);
    return (struct demand){branch, def, user, target, stop, IR_NO_CYCLE};
}

/* The iteration that ends is that of a cycle with both, at its header. */
static struct demand demand_of_definition(const struct converge *x, uint32_t branch, ir_ref def,
                                          uint32_t cycle)
{
    uint32_t header = cycle == IR_NO_CYCLE ? IR_NO_BLOCK : x->cycles->at[cycle].header;
    return (struct demand){branch, def, def, header, header, cycle};
}

/* Of the cycles with the branch and the definition, the innermost one first: threads come to the definition
 * again through the header of any of them. */
static bool find_of_definition(const struct converge *x, const struct ir_token_region *g, uint32_t branch,
                               bool late, struct demand *d)
{
    uint32_t cycle = ir_cycle_common(x->cycles, branch, opt_converge_home(x, g->def));
    for (uint32_t inner = 0; cycle != IR_NO_CYCLE; inner++, cycle = x->cycles->at[cycle].parent) {
        *d = demand_of_definition(x, branch, g->def, cycle);
        if (late == is_late(x, *d) && !was_tried(x, *d, inner) && !is_met_at_definition(x, *d, g))
            return true;
    }
    return false;
}

/* late: only the demands that operations' come before. */
static bool find_in_branch(const struct converge *x, const struct ir_token_region *g, uint32_t branch,
                           bool late, struct demand *d)
{
    if (ir_at(x->f, g->def)->op != IR_entry && find_of_definition(x, g, branch, late, d))
        return true;
    if (late)
        return false;
    if (!reconverges_elsewhere(x, branch))
        return false;
    u32_vec until = blocks_until(x, branch);
    for (uint32_t i = 0; i < until.count; i++) {
        uint32_t b = until.at[i];
        for (uint32_t u = x->tokens->user_start[b]; u < x->tokens->user_start[b + 1]; u++) {
            ir_ref user = x->tokens->users[u];
            *d = demand_of_use(x, branch, user);
            if (d->def == g->def && !was_tried(x, *d, 0) && !is_met_at_user(x, *d))
                return true;
        }
    }
    return false;
}

static bool find_in_region(const struct converge *x, ir_ref def, bool late, struct demand *d)
{
    const struct ir_token_region *g = ir_token_region_new(x->arena, x->tokens, def);
    struct bitset inside = bitset_new(x->arena, x->g->rpo_count);
    for (uint32_t i = 0; i < g->blocks.count; i++)
        if (g->ends.at[i] == IR_REGION_THROUGH && bitset_has(x->uniformity->branches, g->blocks.at[i]))
            bitset_add(inside, x->g->rpo_index[g->blocks.at[i]]);
    bitset_each(i, inside)
        if (find_in_branch(x, g, x->g->rpo[i], late, d))
            return true;
    return false;
}

static bool find(const struct converge *x, bool late, struct demand *d)
{
    for (uint32_t i = x->tokens->defs.count; i-- > 0;)
        if (bitset_has(x->in_use, x->tokens->defs.at[i]) && find_in_region(x, x->tokens->defs.at[i], late, d))
            return true;
    return false;
}

bool opt_converge_find(const struct converge *x, struct demand *d)
{
    return find(x, false, d) || find(x, true, d);
}
