/* ways.c: switches of many ways. One whose ways have operations in common becomes a chain of tests, whose
 * last one chooses between two ways; the rounds then go from there to the first ("nested conditionals").
 */
#include "opt/csc/csc.h"
#include "opt/kit/merge_edges.h"

enum { WAY = 3 }; /* cycles of a test, its branch and the jump behind it */

/* What ways next to each other save, less the tests. */
static int64_t gain_of(struct csc *p, uint32_t b)
{
    const struct ir_block *block = ir_block_at(p->f, b);
    uint32_t n = block->edges.count;
    int64_t gain = -(int64_t)WAY * (n - 1);
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
    return opt_below(p->c, p->f, OPT_LIMIT_csc_ways, block->edges.count) &&
           gain_of(p, b) > opt_option(p->c, OPT_OPTION_csc_threshold);
}

bool csc_test_ways(struct csc *p)
{
    const struct ir_cfg *g = opt_cfg(p->c, p->f);
    u32_vec found = {0};
    for (uint32_t i = 0; i < g->rpo_count; i++)
        if (pays(p, g->rpo[i]))
            vec_push(p->c->scratch, &found, g->rpo[i]);
    for (uint32_t i = 0; i < found.count; i++) {
        opt_remark(p->c, p->f, OPT_APPLIED, "common-code", ir_at(p->f, ir_terminator(p->f, found.at[i]))->at,
                   "switch became tests: its ways have operations in common");
        opt_switch_to_tests(p->f, found.at[i]);
    }
    opt_count(p->c, "switches", found.count);
    if (found.count)
        opt_invalidate(p->c, p->f);
    return found.count > 0;
}
