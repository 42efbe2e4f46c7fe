/* model.c: how often arms are executed, and what the whole function takes: a warp of the expected launch runs
 * it in a model (opt/cost/cost.h). A profile knows of all warps whether they come to a branch, and how often
 * they may diverge there at the most, and is believed first.
 *
 * What is saved is saved only where threads of a warp come to blocks of both arms; what it costs is paid each
 * time. A branch that they do not come to is left alone: it is cold, and what it costs others is not known. If
 * the model was too small to come so far (limit csc_sample), much has to be saved. Of functions that are no
 * kernels, and of blocks that the pass has made, nothing is known.
 */
#include "opt/csc/csc.h"

/* ---- the model ----------------------------------------------------------------------------------- */

static uint32_t count_outermost(const struct ir_cycles *cycles)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < cycles->count; k++)
        n += cycles->at[k].parent == IR_NO_CYCLE;
    return n;
}

static struct csc_weight run_model(struct csc *p, struct arena *a, uint64_t budget, struct cost_figures *w)
{
    struct cost_hints hints = {
        .profile = opt_profile(p->c, p->f), .launch = cost_launch_of(a, p->f, p->c->options), .once = true};
    if (!(p->f->flags & IR_FN_KERNEL))
        return (struct csc_weight){0};
    const struct ir_uniformity *u = opt_machine_uniformity(p->c, p->f);
    const struct cost_sample *s = cost_sample_new(a, u, p->functions, &hints, budget);
    if (!s)
        return (struct csc_weight){0};
    struct cost_code *code = cost_code_plain(a, u, opt_return_post_dominators(p->c, p->f), p->functions);
    cost_replay(s, code, budget, UINT64_MAX, w);
    return (struct csc_weight){.cycles = w->cycles,
                               .instructions = w->instructions,
                               .loops = count_outermost(s->cycles),
                               .epochs = s->epochs,
                               .runs = true,
                               .launched = hints.launch->block[0],
                               .guessed = s->guessed,
                               .cut = s->cut || w->cut};
}

struct csc_weight csc_weigh(struct csc *p)
{
    struct scratch scratch;
    struct cost_figures w = {0};
    uint64_t budget = p->c->options->limits[OPT_LIMIT_csc_sample];
    if (p->before.cut && p->before.epochs > CSC_EPOCHS)
        budget = budget * CSC_EPOCHS / p->before.epochs;
    struct csc_weight weight = run_model(p, scratch_begin(&scratch), budget, &w);
    scratch_end(&scratch);
    return weight;
}

/* A warp goes both ways at a branch with a lane of the rarer side at least, and comes to it with COST_LANES at
 * most. */
static double most_divergence(const struct cost_profile *profile, const struct ir_function *f, uint32_t b)
{
    uint32_t share = ir_block_at(f, b)->edges.count == 2 ? cost_likely(profile, b, 0) : UINT32_MAX;
    if (share > 65536)
        return 1;
    double rarer = (share < 65536 - share ? share : 65536 - share) / 65536.0;
    return COST_LANES * rarer < 1 ? COST_LANES * rarer : 1;
}

static void read_profile(struct csc *p)
{
    const struct cost_profile *profile = opt_profile(p->c, p->f);
    p->count_count = profile ? p->f->blocks.count : 0;
    p->counts = arena_array(p->c->scratch, struct csc_counts, p->count_count);
    for (uint32_t b = 0; b < p->count_count; b++)
        if (cost_is_counted(profile, b))
            p->counts[b] =
                (struct csc_counts){true, cost_count(profile, b) > 0, most_divergence(profile, p->f, b)};
}

void csc_find_divergence(struct csc *p)
{
    struct scratch scratch;
    if (p->modelled)
        return;
    p->modelled = true;
    struct arena *a = scratch_begin(&scratch);
    uint32_t blocks = p->f->blocks.count;
    p->executions = arena_array(p->c->scratch, uint64_t, blocks);
    struct cost_figures w = {.executions = p->executions,
                             .visits = arena_array(a, uint64_t, blocks),
                             .extra = arena_array(a, uint64_t, blocks)};
    p->before = run_model(p, a, p->c->options->limits[OPT_LIMIT_csc_sample], &w);
    p->execution_count = p->before.runs ? blocks : 0;
    read_profile(p);
    scratch_end(&scratch);
}

/* ---- how often ----------------------------------------------------------------------------------- */

/* How often a warp executes the block; negative: it is a new one. */
static double executions(const struct csc *p, uint32_t b)
{
    return b < p->execution_count ? (double)p->executions[b] : -1;
}

/* Of the profile; of a block of which it knows nothing, it may be as it will. */
static struct csc_counts counts_of(const struct csc *p, uint32_t b)
{
    return b < p->count_count && p->counts[b].counted ? p->counts[b] : (struct csc_counts){.divergence = 1};
}

bool csc_is_cold(const struct csc *p, uint32_t branch)
{
    struct csc_counts counts = counts_of(p, branch);
    if (counts.counted)
        return !counts.runs;
    return executions(p, branch) == 0 && !p->before.cut;
}

bool csc_is_run(const struct csc *p, uint32_t b)
{
    return executions(p, b) > 0 && !counts_of(p, b).counted;
}

bool csc_is_known(const struct csc *p, uint32_t branch)
{
    const struct ir_block *b = ir_block_at(p->f, branch);
    double once = executions(p, branch), x = executions(p, b->edges.at[0].block);
    double y = executions(p, b->edges.at[1].block);
    return ir_at(p->f, b->last)->op == IR_brif && once > 0 && x >= 0 && y >= 0 && x + y >= once &&
           x <= once && y <= once;
}

/* What csc_expected would say at most: a warp comes to both blocks no oftener than to one of them. */
static int64_t most_expected(const struct csc *p, uint32_t branch, uint64_t saved, uint64_t overhead)
{
    bool two = ir_at(p->f, ir_terminator(p->f, branch))->op == IR_brif;
    if (saved <= (two ? 1 : CSC_CAUTION) * overhead)
        return 0;
    return two ? CSC_MUCH : (int64_t)(saved - CSC_CAUTION * overhead);
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
    const struct csc_counts counts = counts_of(p, branch);
    if (!p->modelled)
        return most_expected(p, branch, saved, overhead);
    if (csc_is_cold(p, branch))
        return 0;
    if (once == 0 && !counts.counted) {
        tell_limit(p);
        return (int64_t)saved - CSC_MORE_CAUTION * (int64_t)overhead;
    }
    if (!csc_is_known(p, branch) || u < 0 || v < 0)
        return (int64_t)((double)saved * counts.divergence) - CSC_CAUTION * (int64_t)overhead;
    double arms = x < y ? x : y, both = u < v ? u : v, any = u < v ? v : u;
    double diverges = (x + y - once) / once;
    diverges = diverges < counts.divergence ? diverges : counts.divergence;
    double share = arms > 0 ? diverges * both / arms : 0;
    return (int64_t)((double)saved * share - (double)overhead * any / once);
}
