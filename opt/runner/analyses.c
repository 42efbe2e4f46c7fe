/* analyses.c: computing analyses when they are asked for, and keeping them while they are right. */
#include "opt/runner/internal.h"

#include "ir/analysis/callgraph.h"
#include "ir/converge/frontier.h"
#include "opt/cost/cost.h"

enum of { GRAPH, VALUES, LIFETIMES };
struct analysis_info { const char *name; enum of of; bool of_module; };

static const struct analysis_info info[OPT_ANALYSES] = {
#define ANALYSIS(name, type, of, compute) {#name, of, false},
#define MODULE_ANALYSIS(name, type, of, compute) {#name, of, true},
#include "opt/runner/analyses.def"
};

/* Results that are forgotten together: which there are, where they lie, how many values the function had when
 * the first was made, and, where analyses are checked, the hash of what they describe. */
struct lifetime { uint32_t made; bool begun; struct arena arena; uint32_t values; uint64_t hash; };
struct opt_cached { void *at[OPT_ANALYSES]; struct lifetime of[LIFETIMES]; };

/* ---- hashes ------------------------------------------------------------------------------------------ */

static uint64_t hash_graph(uint64_t h, const struct ir_function *f)
{
    ir_each_block(i, b, f) {
        const struct ir_block *block = ir_block_at(f, b);
        h = hash_mix(h, (uint64_t)b << 32 | ir_at(f, block->last)->op);
        for (uint32_t e = 0; e < block->edges.count; e++)
            h = hash_mix(h, block->edges.at[e].block);
    }
    return hash_mix(h, f->blocks.count);
}

static uint64_t hash_refs(uint64_t h, const ir_ref *refs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        h = hash_mix(h, refs[i]);
    return hash_mix(h, n);
}

/* Names and places left out. */
static uint64_t hash_values(uint64_t h, const struct ir_function *f)
{
    h = hash_mix(hash_graph(h, f), f->flags);
    ir_each_block(i, b, f) {
        const struct ir_block *block = ir_block_at(f, b);
        h = hash_refs(h, block->params.at, block->params.count);
        ir_each_ins(r, f, b) {
            const struct ir_ins *ins = ir_at(f, r);
            h = hash_mix(h, (uint64_t)r << 32 | (uint32_t)ins->op << 16 | (uint32_t)ins->type << 8 | ins->mem);
            h = hash_mix(hash_mix(h, (uint64_t)ins->imm), (uint64_t)ins->imm2 << 32 | ins->token);
            h = hash_refs(h, ins->args, ins->argc);
        }
        for (uint32_t e = 0; e < block->edges.count; e++)
            h = hash_refs(h, block->edges.at[e].args, block->edges.at[e].argc);
    }
    return h;
}

/* Which function calls which. */
static uint64_t hash_calls(uint64_t h, const struct ir_function *f)
{
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_call)
                h = hash_mix(h, (uint64_t)ir_at(f, r)->imm);
    return hash_mix(h, f->id);
}

static uint64_t hash_of(const struct ir_module *m, const struct ir_function *f, enum of of)
{
    uint64_t h = 0;
    if (f)
        return of == GRAPH ? hash_graph(h, f) : hash_values(h, f);
    for (uint32_t i = 0; i < m->functions.count; i++)
        h = of == GRAPH ? hash_calls(h, m->functions.at[i]) : hash_values(h, m->functions.at[i]);
    return h;
}

/* ---- asking ------------------------------------------------------------------------------------------ */

/* A remark says if the function is too large for an answer better than that all is divergent. */
static struct ir_uniformity *uniformity_of(struct opt_context *c, struct arena *a,
                                           const struct ir_function *f, const struct ir_tokens *t,
                                           struct ir_uniformity_options o)
{
    o.most = c->options->limits[OPT_LIMIT_uniformity_steps];
    struct ir_uniformity *u = ir_uniformity_new(a, opt_cfg(c, f), opt_cycles(c, f), t, &o);
    if (u->over)
        opt_below(c, f, OPT_LIMIT_uniformity_steps, o.most);
    return u;
}

/* As machines see control flow, whose threads reconverge at the latest where all paths to a return do. */
static struct ir_uniformity *machine_uniformity(struct opt_context *c, struct arena *a,
                                                const struct ir_function *f)
{
    struct ir_uniformity_options o = {
        .ignore_tokens = true,
        .reconvergence = ir_reconvergence_points(a, opt_cfg(c, f), opt_return_post_dominators(c, f))};
    return uniformity_of(c, a, f, NULL, o);
}

/* See ir_divergent_branches_new. */
static struct bitset divergent_branches(struct opt_context *c, struct arena *a, const struct ir_function *f)
{
    struct bitset branches = bitset_new(a, opt_cfg(c, f)->blocks);
    if (ir_has_other_branch(opt_cfg(c, f), branches))
        bitset_union(branches, opt_uniformity(c, f)->branches);
    if (ir_has_other_branch(opt_cfg(c, f), branches))
        bitset_union(branches, opt_machine_uniformity(c, f)->branches);
    return branches;
}

/* In calls whose arguments are uniform. */
static struct ir_uniformity *argument_uniformity(struct opt_context *c, struct arena *a,
                                                 const struct ir_function *f)
{
    uint32_t params = ir_block_at(f, ir_entry(f))->params.count;
    bool *uniform = arena_array(a, bool, params + 1);
    memset(uniform, true, params);
    return uniformity_of(c, a, f, opt_tokens(c, f),
                         (struct ir_uniformity_options){.uniform_params = uniform});
}

/* Of what passes ask for: conditions that are asserted (bounds), dividends (strength). */
static struct ir_ranges *ranges(struct opt_context *c, struct arena *a, const struct ir_function *f)
{
    u32_vec asked = {0};
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b) {
            enum ir_op op = (enum ir_op)ir_at(f, r)->op;
            if (op == IR_assert || op == IR_sdiv || op == IR_srem)
                vec_push(a, &asked, ir_at(f, r)->args[0]);
        }
    return ir_ranges_new(a, opt_cfg(c, f), opt_dominators(c, f), opt_cycles(c, f), &asked);
}

/* NULL: no profile is given. */
static struct cost_profile *profile_of(struct opt_context *c, struct arena *a, const struct ir_function *f)
{
    if (!c->options->profile.count)
        return NULL;
    return cost_profile_new(a, opt_cfg(c, f), opt_cycles(c, f), opt_branches(c, f->module), c->options);
}

static struct bitset *kept_set(struct arena *a, struct bitset set)
{
    struct bitset *kept = arena_new(a, struct bitset);
    *kept = set;
    return kept;
}

static u32_vec *kept_list(struct arena *a, u32_vec list)
{
    u32_vec *kept = arena_new(a, u32_vec);
    *kept = list;
    return kept;
}

static void *compute_of_function(struct opt_context *c, struct arena *a, const struct ir_function *f,
                                 enum opt_analysis n)
{
    switch (n) {
#define ANALYSIS(name, type, of, compute) case OPT_ANALYSIS_##name: return compute;
#define MODULE_ANALYSIS(name, type, of, compute)
#include "opt/runner/analyses.def"
    default: BUG("analysis %d is none of a function", (int)n);
    }
}

static void *compute_of_module(struct opt_context *c, struct arena *a, const struct ir_module *m,
                               enum opt_analysis n)
{
    switch (n) {
#define ANALYSIS(name, type, of, compute)
#define MODULE_ANALYSIS(name, type, of, compute) case OPT_ANALYSIS_##name: return compute;
#include "opt/runner/analyses.def"
    default: BUG("analysis %d is none of the module", (int)n);
    }
}

/* Whose results: row 0 of the cache is the module's, row id + 1 a function's. */
static uint32_t row_of(const struct ir_function *f)
{
    return f ? f->id + 1 : 0;
}

static struct opt_cached *results_of(struct opt_cache *k, const struct ir_function *f)
{
    uint32_t row = row_of(f);
    while (k->rows.count <= row)
        vec_push(&k->arena, &k->rows, NULL);
    if (!k->rows.at[row])
        k->rows.at[row] = arena_new(&k->arena, struct opt_cached);
    return k->rows.at[row];
}

static void begin(struct opt_context *c, struct lifetime *l, const struct ir_module *m,
                  const struct ir_function *f, enum of of)
{
    if (l->begun)
        return;
    if (c->cache->spare.count)
        l->arena = vec_pop(&c->cache->spare);
    l->begun = true;
    l->values = f ? f->ins.count : 0;
    l->hash = c->options->check_analyses ? hash_of(m, f, of) : 0;
}

/* Results of values may point into those of the graph, which live as long or longer; not the other way
 * round. */
static void *compute(struct opt_context *c, struct opt_cached *results, const struct ir_module *m,
                     const struct ir_function *f, enum opt_analysis n)
{
    bool outer = c->cache->of_graph;
    struct lifetime *l = &results->of[info[n].of];
    if (!f && c->on_function)
        BUG("it asks for %s of the module, and opt/passes.def does not say so", info[n].name);
    if (outer && info[n].of != GRAPH)
        BUG("an analysis of control flow asks for %s", info[n].name);
    begin(c, l, m, f, info[n].of);
    c->cache->of_graph = info[n].of == GRAPH;
    void *result = f ? compute_of_function(c, &l->arena, f, n) : compute_of_module(c, &l->arena, m, n);
    c->cache->of_graph = outer;
    results->at[n] = result;
    l->made |= 1u << n;
    return result;
}

/* f NULL: of the module. */
static void *get(struct opt_context *c, const struct ir_module *m, const struct ir_function *f,
                 enum opt_analysis n)
{
    struct opt_cached *results = results_of(c->cache, f);
    return results->at[n] ? results->at[n] : compute(c, results, m, f, n);
}

#define ANALYSIS(name, type, of, compute)                                                                    \
    const type *opt_##name(struct opt_context *c, const struct ir_function *f)                               \
    {                                                                                                        \
        return get(c, f->module, f, OPT_ANALYSIS_##name);                                                    \
    }
#define MODULE_ANALYSIS(name, type, of, compute)                                                             \
    const type *opt_##name(struct opt_context *c, const struct ir_module *m)                                 \
    {                                                                                                        \
        return get(c, m, NULL, OPT_ANALYSIS_##name);                                                         \
    }
#include "opt/runner/analyses.def"

void opt_cache_module(struct opt_context *c, const struct ir_module *m, enum opt_analysis n)
{
    get(c, m, NULL, n);
}

/* ---- forgetting -------------------------------------------------------------------------------------- */

static struct opt_cached *cached_of(const struct opt_cache *k, const struct ir_function *f)
{
    return row_of(f) < k->rows.count ? k->rows.at[row_of(f)] : NULL;
}

static void forget(struct opt_cache *k, struct opt_cached *results, enum of of)
{
    struct lifetime *l = &results->of[of];
    if (!l->begun)
        return;
    for (uint32_t left = l->made; left; left &= left - 1)
        results->at[__builtin_ctz(left)] = NULL;
    vec_reserve(&k->arena, &k->spare, k->spare.count + 1);
    arena_reset(&l->arena);
    vec_push(&k->arena, &k->spare, l->arena);
    *l = (struct lifetime){0};
}

void opt_cache_keep(struct opt_cache *k, const struct ir_function *f, enum opt_kept kept)
{
    struct opt_cached *results = cached_of(k, f);
    if (!results)
        return;
    if (kept != OPT_KEEP_ALL || (f && results->of[VALUES].values != f->ins.count))
        forget(k, results, VALUES);
    if (kept == OPT_KEEP_NOTHING)
        forget(k, results, GRAPH);
}

void opt_invalidate(struct opt_context *c, const struct ir_function *f)
{
    opt_cache_keep(c->cache, f, OPT_KEEP_NOTHING);
}

void opt_read(const struct opt_options *o, opt_reader *read, void *data)
{
    struct opt_cache cache = {0};
    struct opt_context c = {.options = o, .cache = &cache};
    struct mem_guard guard;
    if (mem_guard_enter(&guard)) {
        opt_cache_free(&cache);
        mem_fail(0);
    }
    read(&c, data);
    mem_guard_leave(&guard);
    opt_cache_free(&cache);
}

void opt_cache_free(struct opt_cache *k)
{
    for (uint32_t row = 0; row < k->rows.count; row++)
        for (unsigned of = 0; k->rows.at[row] && of < LIFETIMES; of++)
            arena_free(&k->rows.at[row]->of[of].arena);
    for (uint32_t i = 0; i < k->spare.count; i++)
        arena_free(&k->spare.at[i]);
    arena_free(&k->arena);
    *k = (struct opt_cache){0};
}

/* ---- checking ---------------------------------------------------------------------------------------- */

bool opt_cache_has(const struct opt_cache *k, const struct ir_function *f, enum opt_analysis n)
{
    const struct opt_cached *results = cached_of(k, f);
    return results && results->at[n];
}

const char *opt_cache_changed(const struct opt_cache *k, const struct ir_module *m, const struct ir_function *f)
{
    const struct opt_cached *results = cached_of(k, f);
    if (results && results->of[GRAPH].begun && results->of[GRAPH].hash != hash_of(m, f, GRAPH))
        return f ? "control flow" : "who calls whom";
    if (results && results->of[VALUES].begun && results->of[VALUES].hash != hash_of(m, f, VALUES))
        return "values";
    return NULL;
}
