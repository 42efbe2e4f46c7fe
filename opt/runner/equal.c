/* equal.c: whether two results of an analysis say the same: what a pass said it kept, and the same computed
 * anew. Both are of functions with the same number of values where they describe values.
 */
#include "opt/cost/cost.h"
#include "opt/runner/internal.h"

static bool same(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool same_list(u32_vec a, u32_vec b)
{
    return a.count == b.count && same(a.at, b.at, a.count);
}

static bool equal_cfg(const struct ir_cfg *a, const struct ir_cfg *b, const struct ir_function *f)
{
    uint32_t blocks = a->blocks;
    return blocks == b->blocks && same(a->pred_start, b->pred_start, blocks + 1) &&
           same(a->preds, b->preds, a->pred_start[blocks]) &&
           same(a->pred_edges, b->pred_edges, a->pred_start[blocks]) && a->rpo_count == b->rpo_count &&
           same(a->rpo, b->rpo, a->rpo_count);
}

static bool equal_dominators(const struct ir_dominators *a, const struct ir_dominators *b,
                             const struct ir_function *f)
{
    return a->count == b->count && same(a->idom, b->idom, f->blocks.count) &&
           same(a->depth, b->depth, f->blocks.count);
}

static bool equal_post_dominators(const struct ir_dominators *a, const struct ir_dominators *b,
                                  const struct ir_function *f)
{
    return equal_dominators(a, b, f);
}

static bool equal_reconvergence(const struct ir_dominators *a, const struct ir_dominators *b,
                                const struct ir_function *f)
{
    return equal_dominators(a, b, f);
}

static bool equal_leaving(const struct ir_leaving *a, const struct ir_leaving *b, const struct ir_function *f)
{
    ir_each_block(i, block, f)
        for (uint32_t e = 0; e < ir_block_at(f, block)->edges.count; e++) {
            uint32_t to = ir_block_at(f, block)->edges.at[e].block;
            if (ir_is_leaving(a, block, to) != ir_is_leaving(b, block, to) ||
                ir_is_parting(a, block, to) != ir_is_parting(b, block, to))
                return false;
        }
    return bitset_equal(a->wait, b->wait);
}

static bool equal_return_post_dominators(const struct ir_dominators *a, const struct ir_dominators *b,
                                         const struct ir_function *f)
{
    return equal_dominators(a, b, f);
}

static bool equal_strong_components(const struct ir_strong_components *a,
                                    const struct ir_strong_components *b, const struct ir_function *f)
{
    return same(a->component, b->component, f->blocks.count);
}

static bool equal_cycles(const struct ir_cycles *a, const struct ir_cycles *b, const struct ir_function *f)
{
    if (a->count != b->count || !same(a->innermost, b->innermost, f->blocks.count))
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->at[i].header != b->at[i].header || a->at[i].parent != b->at[i].parent ||
            !same_list(a->at[i].entries, b->at[i].entries))
            return false;
    return true;
}

static bool same_edge(struct ir_edge_ref a, struct ir_edge_ref b)
{
    return a.from == b.from && a.edge == b.edge && a.to == b.to;
}

static bool equal_pst(const struct ir_pst *a, const struct ir_pst *b, const struct ir_function *f)
{
    if (a->count != b->count || !same(a->innermost, b->innermost, f->blocks.count))
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!same_edge(a->at[i].entry, b->at[i].entry) || !same_edge(a->at[i].exit, b->at[i].exit) ||
            a->at[i].parent != b->at[i].parent)
            return false;
    return true;
}

static bool equal_control_dependence(const struct ir_control_dependence *a,
                                     const struct ir_control_dependence *b, const struct ir_function *f)
{
    uint32_t blocks = f->blocks.count;
    return same(a->start, b->start, blocks + 1) &&
           (a->start[blocks] == 0 || memcmp(a->on, b->on, a->start[blocks] * sizeof *a->on) == 0);
}

static bool equal_tokens(const struct ir_tokens *a, const struct ir_tokens *b, const struct ir_function *f)
{
    uint32_t blocks = f->blocks.count, defs = a->defs.count;
    return same_list(a->defs, b->defs) && same(a->position, b->position, f->ins.count) &&
           same(a->use_start, b->use_start, defs + 1) && same(a->uses, b->uses, a->use_start[defs]) &&
           same(a->user_start, b->user_start, blocks + 1) && same(a->users, b->users, a->user_start[blocks]);
}

static bool equal_uniformity(const struct ir_uniformity *a, const struct ir_uniformity *b,
                             const struct ir_function *f)
{
    return bitset_equal(a->divergent, b->divergent) && bitset_equal(a->invariant, b->invariant) &&
           bitset_equal(a->branches, b->branches) && bitset_equal(a->apart, b->apart) &&
           same(a->left_apart, b->left_apart, a->cycles->count) &&
           same(a->unconverged, b->unconverged, f->blocks.count) && a->scoped.count == b->scoped.count;
}

static bool equal_machine_uniformity(const struct ir_uniformity *a, const struct ir_uniformity *b,
                                     const struct ir_function *f)
{
    return equal_uniformity(a, b, f);
}

static bool equal_uses(const struct opt_uses *a, const struct opt_uses *b, const struct ir_function *f)
{
    uint32_t values = f->ins.count;
    return same(a->start, b->start, values + 1) &&
           memcmp(a->at, b->at, a->start[values] * sizeof *a->at) == 0;
}

static bool same_range(struct ir_range a, struct ir_range b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

/* At the end of the value's block, with what the assertions there tell. */
static bool equal_ranges(const struct ir_ranges *a, const struct ir_ranges *b, const struct ir_function *f)
{
    ir_each_block(i, block, f)
        ir_each_ins(r, f, block) {
            ir_ref end = ir_terminator(f, block);
            bool integer = ir_at(f, r)->type == IR_TYPE_I32 || ir_at(f, r)->type == IR_TYPE_I64;
            if (integer && !same_range(ir_range_at(a, r, end), ir_range_at(b, r, end)))
                return false;
        }
    return true;
}

static uint32_t class_of(const struct ir_memory *m, uint32_t r)
{
    while (m->class[r] != r)
        r = m->class[r];
    return r;
}

static bool equal_points_to(const struct ir_memory *a, const struct ir_memory *b, const struct ir_function *f)
{
    for (ir_ref r = 0; r < f->ins.count; r++)
        if (a->object[r] != b->object[r] || class_of(a, r) != class_of(b, r))
            return false;
    return true;
}

static bool equal_pdg(const struct ir_pdg *a, const struct ir_pdg *b, const struct ir_function *f)
{
    if (a->precise != b->precise || !same_list(a->memory, b->memory) || a->on.count != b->on.count ||
        (a->precise && !same(a->start, b->start, a->memory.count + 1)))
        return false;
    for (uint32_t i = 0; i < a->on.count; i++)
        if (a->on.at[i].from != b->on.at[i].from || a->on.at[i].kind != b->on.at[i].kind ||
            a->on.at[i].cycle != b->on.at[i].cycle)
            return false;
    return true;
}

static bool equal_stayed_in(const struct bitset *a, const struct bitset *b, const struct ir_function *f)
{
    return bitset_equal(*a, *b);
}

static bool equal_joined_barriers(const struct bitset *a, const struct bitset *b, const struct ir_function *f)
{
    return bitset_equal(*a, *b);
}

static bool equal_ending(const struct bitset *a, const struct bitset *b, const struct ir_function *f)
{
    return bitset_equal(*a, *b);
}

static bool equal_tokens_in_use(const struct bitset *a, const struct bitset *b, const struct ir_function *f)
{
    return bitset_equal(*a, *b);
}

static bool equal_argument_uniformity(const struct ir_uniformity *a, const struct ir_uniformity *b,
                                      const struct ir_function *f)
{
    return equal_uniformity(a, b, f);
}

static bool equal_divergent_branches(const struct bitset *a, const struct bitset *b,
                                     const struct ir_function *f)
{
    return bitset_equal(*a, *b);
}

static bool equal_waiting_functions(const struct bitset *a, const struct bitset *b,
                                    const struct ir_function *none)
{
    return bitset_equal(*a, *b);
}

static bool equal_addresses_taken(const struct bitset *a, const struct bitset *b,
                                  const struct ir_function *none)
{
    return bitset_equal(*a, *b);
}

static bool equal_costs(const cost_table *a, const cost_table *b, const struct ir_function *none)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->at, b->at, a->count * sizeof *a->at) == 0);
}

static bool equal_callees_first(const u32_vec *a, const u32_vec *b, const struct ir_function *none)
{
    return same_list(*a, *b);
}

bool opt_analysis_equal(enum opt_analysis n, const void *a, const void *b, const struct ir_function *f)
{
    switch (n) {
#define ANALYSIS(name, type, what, needs, compute)                                                           \
    case OPT_ANALYSIS_##name:                                                                                \
        return equal_##name((const type *)a, (const type *)b, f);
#include "opt/runner/analyses.def"
    default: BUG("no analysis %d", (int)n);
    }
}
