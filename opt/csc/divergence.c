/* divergence.c: how often the threads of a warp really diverge at a branch that may be divergent, and
 * how often they come to blocks of both arms. What is saved is saved only then, what it costs is paid each
 * time. Sampled lanes of the expected launch tell (opt/cost/cost.h). A branch that they do not come to is
 * left alone: it is cold, and what it costs other warps is not known. If the model was too small to come so
 * far (limit csc_sample), much has to be saved. Of functions that are no kernels, and of blocks that the pass
 * has made, nothing is known.
 */
#include "opt/csc/csc.h"

void csc_find_divergence(struct csc *p)
{
    struct scratch scratch;
    struct arena *a = scratch_begin(&scratch);
    struct cost_hints hints = {.launch = cost_launch_of(a, p->f, p->c->options)};
    struct cost_rules rules = {.label = IR_NO_BLOCK, .start = IR_NO_BLOCK};
    uint32_t blocks = p->f->blocks.count, budget = p->c->options->limits[OPT_LIMIT_csc_sample];
    const struct cost_sample *s =
        p->f->flags & IR_FN_KERNEL
            ? cost_sample_new(a, opt_machine_uniformity(p->c, p->f), opt_return_post_dominators(p->c, p->f),
                              p->functions, &hints, budget)
            : NULL;
    p->executions = arena_array(p->c->scratch, uint64_t, blocks);
    p->execution_count = s ? blocks : 0;
    p->model_cut = s && s->cut;
    if (s) {
        struct cost_figures w = {.executions = p->executions,
                                 .visits = arena_array(a, uint64_t, blocks),
                                 .extra = arena_array(a, uint64_t, blocks)};
        cost_replay(s, &rules, budget, &w);
        p->model_cut |= w.cut;
    }
    scratch_end(&scratch);
}

/* How often a warp executes the block; negative: it is a new one. */
static double executions(const struct csc *p, uint32_t b)
{
    return b < p->execution_count ? (double)p->executions[b] : -1;
}

bool csc_is_cold(const struct csc *p, uint32_t branch)
{
    return executions(p, branch) == 0 && !p->model_cut;
}

bool csc_is_known(const struct csc *p, uint32_t branch)
{
    const struct ir_block *b = ir_block_at(p->f, branch);
    double once = executions(p, branch), x = executions(p, b->edges.at[0].block);
    double y = executions(p, b->edges.at[1].block);
    return ir_at(p->f, b->last)->op == IR_brif && once > 0 && x >= 0 && y >= 0 && x + y >= once &&
           x <= once && y <= once;
}

/* Says once for a function that the model was too small. */
static void tell_limit(struct csc *p)
{
    if (!(p->reported & 1u << OPT_LIMIT_csc_sample))
        opt_below(p->c, p->f, OPT_LIMIT_csc_sample, UINT64_MAX);
    p->reported |= 1u << OPT_LIMIT_csc_sample;
}

int64_t csc_expected(struct csc *p, uint32_t branch, struct csc_pair q, uint64_t saved, uint64_t overhead)
{
    const struct ir_block *b = ir_block_at(p->f, branch);
    double once = executions(p, branch), x = executions(p, b->edges.at[0].block);
    double y = executions(p, b->edges.at[1].block), u = executions(p, q.x), v = executions(p, q.y);
    if (csc_is_cold(p, branch))
        return 0;
    if (once == 0) {
        tell_limit(p);
        return (int64_t)saved - CSC_MORE_CAUTION * (int64_t)overhead;
    }
    if (!csc_is_known(p, branch) || u < 0 || v < 0)
        return (int64_t)saved - CSC_CAUTION * (int64_t)overhead;
    double arms = x < y ? x : y, both = u < v ? u : v, any = u < v ? v : u;
    double share = arms > 0 ? (x + y - once) / once * both / arms : 0;
    return (int64_t)((double)saved * share - (double)overhead * any / once);
}
