/* figures.c: what is known of a kernel's code without running it (include/kernc-figures.def): the columns
 * of Figure 5 of "SIMD Re-Convergence at Thread Frontiers".
 */
#include "ir/converge/frontier.h"
#include "lib/result.h"

enum { WORK = 50000000 }; /* as the limit frontier_work */

struct sums {
    uint64_t branches, members; /* divergent branches of frontier schemes, and the sizes of their frontiers */
    uint64_t instructions;
};

/* Of all functions together. */
static uint64_t counted(const struct opt_report *r, const char *name)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->counters.count; i++)
        if (strcmp(r->counters.at[i].name, name) == 0)
            sum += r->counters.at[i].value;
    return sum;
}

static void add_frontiers(const struct ir_cfg *g, struct arena *a, struct bitset divergent, struct sums *s,
                          kernc_figures *f)
{
    const struct ir_frontier *x = ir_frontier_new(a, g, divergent, g->fn->order, WORK);
    bitset_each(b, divergent) {
        uint32_t n = row_length(&x->frontier, b);
        s->branches++;
        s->members += n;
        f->frontier_most = n > f->frontier_most ? n : f->frontier_most;
    }
}

/* Checks of frontiers, waits of barriers, and the post-dominators that branches name. */
static uint32_t join_points(const struct ir_cfg *g, struct arena *a, struct bitset divergent)
{
    struct bitset joins = bitset_new(a, g->blocks);
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        uint32_t b = g->rpo[i];
        const struct ir_block *block = ir_block_at(g->fn, b);
        if (block->check)
            bitset_add(joins, b);
        if (bitset_has(divergent, b) && block->reconverge < IR_AT_RETURN)
            bitset_add(joins, block->reconverge);
        ir_each_ins(r, g->fn, b)
            if (ir_at(g->fn, r)->op == IR_cb_wait)
                bitset_add(joins, b);
    }
    return bitset_count(joins);
}

static void add_function(const struct ir_function *fn, bool frontiers, struct sums *s, kernc_figures *f)
{
    struct scratch scratch;
    struct arena *a = scratch_begin(&scratch);
    const struct ir_cfg *g = ir_cfg_new(a, fn);
    const struct ir_uniformity *u = ir_uniformity_new(a, g, ir_cycles_new(a, g), NULL, NULL);
    for (uint32_t i = 0; i < g->rpo_count; i++)
        ir_each_ins(r, fn, g->rpo[i])
            s->instructions++;
    f->join_points += join_points(g, a, u->branches);
    if (frontiers && g->rpo_count == fn->order.count)
        add_frontiers(g, a, u->branches, s, f);
    scratch_end(&scratch);
}

bool result_figures(const kernc_result *r, kernc_figures *f)
{
    if (!r || !f || !r->module || !r->program || !r->reported || r->status != KERNC_COMPILED)
        return false;
    bool frontiers = scheme_has(r->scheme, SCHEME_FRONTIERS);
    struct sums s = {0};
    kernc_figures all = {.forward_copies = (unsigned)counted(&r->report, "forward copies"),
                         .backward_copies = (unsigned)counted(&r->report, "backward copies"),
                         .cuts =
                             (unsigned)(counted(&r->report, "cuts") + counted(&r->report, "exits merged"))};
    for (uint32_t i = 0; i < r->module->functions.count; i++)
        if (r->module->functions.at[i]->order.count)
            add_function(r->module->functions.at[i], frontiers, &s, &all);
    for (uint32_t i = 0; i < r->program->blocks.count; i++)
        all.instructions += r->program->blocks.at[i].instructions;
    uint64_t copied = counted(&r->report, "instructions copied");
    all.expansion = s.instructions > copied ? 100.0 * (double)copied / (double)(s.instructions - copied) : 0;
    all.frontier_average = s.branches ? (double)s.members / (double)s.branches : 0;
    return sized_write(f, &all, sizeof all);
}

bool kernc_result_figures(const kernc_result *r, kernc_figures *f)
{
    struct mem_guard guard;
    if (mem_guard_enter(&guard))
        return false;
    bool there = result_figures(r, f);
    mem_guard_leave(&guard);
    return there;
}
