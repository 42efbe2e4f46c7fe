/* switches.c: switches of many targets. One whose targets have operations in common becomes a chain of tests,
 * whose last one chooses between two of them; the rounds then go from there to the first ("nested
 * conditionals"). Where the targets keep operations of their own, what is left of the chain becomes a switch
 * again: one instruction, not two for each target.
 */
#include "opt/csc/csc.h"
#include "opt/kit/merge_edges.h"

enum { TEST = 3 }; /* cycles of a test, its branch and the jump behind it */

/* What targets next to each other save, less the tests. */
static int64_t gain_of(struct csc *p, uint32_t b)
{
    const struct ir_block *block = ir_block_at(p->f, b);
    uint32_t n = block->edges.count;
    int64_t gain = -(int64_t)TEST * (n - 1);
    for (uint32_t e = 1; e < n; e++) {
        uint32_t x = block->edges.at[e].block, y = block->edges.at[(e + 1) % n].block;
        if (csc_is_arm(p, b, x) && csc_is_arm(p, b, y))
            gain += csc_common(p, b, x, y);
    }
    return gain;
}

static bool pays(struct csc *p, uint32_t b)
{
    const struct ir_block *block = ir_block_at(p->f, b);
    if (ir_at(p->f, block->last)->op != IR_switch || block->edges.count < 3 ||
        !bitset_has(opt_uniformity(p->c, p->f)->branches, b))
        return false;
    uint32_t least = opt_option(p->c, OPT_OPTION_csc_threshold);
    if (!opt_below(p->c, p->f, OPT_LIMIT_csc_cases, block->edges.count) || gain_of(p, b) <= least)
        return false;
    if (p->modelled)
        return true;
    csc_find_divergence(p);
    return csc_is_run(p, b) || gain_of(p, b) > least;
}

/* The conditions are there for whatever the targets have in common, before the first branch. */
static void make_tests(struct csc *p, uint32_t b)
{
    uint32_t first = p->f->blocks.count;
    ir_ref value = ir_at(p->f, ir_terminator(p->f, b))->args[0];
    opt_switch_to_tests(p->f, b);
    for (uint32_t test = first; test < p->f->blocks.count; test++) {
        struct ir_cursor c = {.fn = p->f, .block = b, .before = ir_terminator(p->f, b)};
        ir_ref condition = ir_block_at(p->f, test)->first;
        ir_unlink(p->f, condition);
        ir_link(&c, condition);
    }
    vec_push(p->c->scratch, &p->tested, value);
}

bool csc_split_switches(struct csc *p)
{
    const struct ir_cfg *g = opt_cfg(p->c, p->f);
    u32_vec found = {0};
    for (uint32_t i = 0; i < g->rpo_count; i++)
        if (pays(p, g->rpo[i]))
            vec_push(p->c->scratch, &found, g->rpo[i]);
    for (uint32_t i = 0; i < found.count; i++) {
        opt_remark(p->c, p->f, OPT_APPLIED, "common-code", ir_at(p->f, ir_terminator(p->f, found.at[i]))->at,
                   "switch became tests: its ways have operations in common");
        make_tests(p, found.at[i]);
    }
    opt_count(p->c, "switches", found.count);
    if (found.count)
        opt_invalidate(p->c, p->f);
    return found.count > 0;
}

/* ---- switches again ------------------------------------------------------------------------------ */

struct joining {
    struct csc *p;
    struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_dominators *post;
    struct map tested; /* operands of the switches that became tests */
    struct map asked;  /* constants that the chain compares with */
    uint32_t *uses;
    struct bitset removed;
    u32_vec chain; /* blocks of tests of one value, each on the way of the one before that is not equal */
};

/* What the block's branch compares with a constant, if it is the operand of a switch that became tests;
 * else 0. */
static ir_ref tested_value(const struct joining *j, uint32_t b)
{
    const struct ir_ins *end = ir_at(j->f, ir_terminator(j->f, b));
    if (end->op != IR_brif)
        return 0;
    const struct ir_ins *test = ir_at(j->f, end->args[0]);
    bool tests = test->op == IR_eq && ir_is_const(j->f, test->args[1], NULL) &&
                 map_get(&j->tested, test->args[0]) != MAP_NONE;
    return tests ? test->args[0] : 0;
}

/* The constant that the block of a chain compares with: one ir_ref for each. */
static ir_ref wanted(const struct joining *j, uint32_t b)
{
    return ir_at(j->f, ir_at(j->f, ir_terminator(j->f, b))->args[0])->args[1];
}

static void add_to_chain(struct joining *j, uint32_t b)
{
    vec_push(j->p->c->scratch, &j->chain, b);
    map_set(j->p->c->scratch, &j->asked, wanted(j, b), b);
}

/* Whether the block only goes on testing, for those who come from the chain's end, and reconverges where the
 * chain's threads do. One whose edges both lead there is left to ifconvert. */
static bool goes_on(const struct joining *j, ir_ref value, uint32_t b)
{
    const struct ir_block *block = ir_block_at(j->f, b);
    uint32_t stop = j->post->idom[j->chain.at[0]];
    return stop != IR_NO_BLOCK && j->post->idom[b] == stop && ir_pred_count(j->g, b) == 1 &&
           block->params.count == 0 && block->first == block->last && tested_value(j, b) == value &&
           map_get(&j->asked, wanted(j, b)) == MAP_NONE &&
           (block->edges.at[0].block != stop || block->edges.at[1].block != stop);
}

static void find_chain(struct joining *j, uint32_t head)
{
    ir_ref value = tested_value(j, head);
    vec_clear(&j->chain);
    j->asked = (struct map){0};
    if (value == 0)
        return;
    add_to_chain(j, head);
    for (uint32_t b = head; goes_on(j, value, b = ir_block_at(j->f, b)->edges.at[1].block);)
        add_to_chain(j, b);
}

static void add_case(struct joining *j, uint32_t head, struct ir_edge e, ir_ref condition)
{
    scalar_bits bits = 0;
    ir_is_const(j->f, ir_at(j->f, condition)->args[1], &bits);
    bool narrow = ir_at(j->f, ir_at(j->f, condition)->args[0])->type == IR_TYPE_I32;
    e.value = narrow ? (int32_t)bits : (int64_t)bits;
    ir_edge_add(j->f, head, e.block, e.value);
    vec_last(&ir_block_at(j->f, head)->edges) = e;
    j->uses[condition]--;
}

/* The chain's blocks but the first go, and the conditions that were only theirs. */
static void join(struct joining *j)
{
    uint32_t head = j->chain.at[0];
    place at = ir_at(j->f, ir_terminator(j->f, head))->at;
    ir_ref value = tested_value(j, head);
    u32_vec conditions = {0};
    VEC(struct ir_edge) edges = {0};
    for (uint32_t i = 0; i < j->chain.count; i++) {
        const struct ir_block *b = ir_block_at(j->f, j->chain.at[i]);
        vec_push(j->p->c->scratch, &conditions, ir_at(j->f, b->last)->args[0]);
        vec_push(j->p->c->scratch, &edges, b->edges.at[0]);
        if (i)
            bitset_add(j->removed, j->chain.at[i]);
    }
    struct ir_edge otherwise = ir_block_at(j->f, vec_last(&j->chain))->edges.at[1];
    struct ir_cursor c = {.fn = j->f, .block = head, .at = at};
    ir_remove(j->f, ir_terminator(j->f, head));
    ir_block_at(j->f, head)->edges.count = 0;
    ir_emit_switch(&c, value, otherwise.block);
    ir_block_at(j->f, head)->edges.at[0] = otherwise;
    for (uint32_t i = 0; i < edges.count; i++)
        add_case(j, head, edges.at[i], conditions.at[i]);
    for (uint32_t i = 0; i < conditions.count; i++)
        if (j->uses[conditions.at[i]] == 0)
            ir_remove(j->f, conditions.at[i]);
}

void csc_join_tests(struct csc *p)
{
    if (p->tested.count == 0)
        return;
    struct joining j = {.p = p,
                        .f = p->f,
                        .g = opt_cfg(p->c, p->f),
                        .post = opt_post_dominators(p->c, p->f),
                        .uses = opt_count_uses(p->c->scratch, p->f),
                        .removed = bitset_new(p->c->scratch, p->f->blocks.count)};
    for (uint32_t i = 0; i < p->tested.count; i++)
        map_set(p->c->scratch, &j.tested, p->tested.at[i], i);
    for (uint32_t i = 0; i < j.g->rpo_count; i++) {
        if (bitset_has(j.removed, j.g->rpo[i]))
            continue;
        find_chain(&j, j.g->rpo[i]);
        if (j.chain.count > 1)
            join(&j);
    }
    ir_blocks_remove(p->f, j.removed);
    opt_invalidate(p->c, p->f);
}
