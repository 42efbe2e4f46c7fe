/* analyses.c: computing analyses when they are asked for, and keeping them while they are right. */
#include "opt/runner/internal.h"

#include "ir/analysis/callgraph.h"
#include "ir/converge/frontier.h"
#include "opt/cost/cost.h"

enum what { BLOCKS, VALUES };
struct analysis_info { const char *name, *needs; enum what what; bool of_module; };

static const struct analysis_info info[OPT_ANALYSES] = {
#define ANALYSIS(name, type, what, needs, compute) {#name, needs, what, false},
#define MODULE_ANALYSIS(name, type, what, needs, compute) {#name, needs, what, true},
#include "opt/runner/analyses.def"
};

/* A result: where it lies, and how many values the function had. */
struct result { struct arena arena; void *at; uint32_t values; };
/* begun: the set of those that have a result, or memory ran out while it was made. */
struct opt_cached { uint32_t begun; struct result of[OPT_ANALYSES]; };

uint32_t opt_analyses_named(const char *list)
{
    uint32_t set = 0;
    for (const char *at = list; *at; at += *at == ' ') {
        size_t n = strcspn(at, " ");
        unsigned k = 0;
        while (k < OPT_ANALYSES && (strlen(info[k].name) != n || memcmp(info[k].name, at, n) != 0))
            k++;
        if (k == OPT_ANALYSES)
            BUG("there is no analysis '%s'", at);
        set |= 1u << k;
        at += n;
    }
    return set;
}

void opt_cache_init(struct opt_cache *k)
{
    *k = (struct opt_cache){0};
    for (unsigned n = 0; n < OPT_ANALYSES; n++)
        k->needs[n] = opt_analyses_named(info[n].needs);
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

/* As machines see control flow, whose threads reconverge at the latest where all ways to a return do. */
static struct ir_uniformity *machine_uniformity(struct opt_context *c, struct arena *a,
                                                const struct ir_function *f)
{
    struct ir_uniformity_options o = {.ignore_tokens = true,
                                      .reconvergence = opt_return_post_dominators(c, f)->idom};
    return uniformity_of(c, a, f, NULL, o);
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

/* Where threads reconverge under the scheme. */
static struct ir_dominators *reconvergence(struct opt_context *c, struct arena *a, const struct ir_function *f)
{
    return opt_scheme_has(c, SCHEME_RETURNS)
               ? ir_return_post_dominators_new(a, opt_cfg(c, f), opt_leaving(c, f))
               : ir_reconvergence_new(a, opt_cfg(c, f), opt_leaving(c, f));
}

static void *compute_of_function(struct opt_context *c, struct arena *a, const struct ir_function *f,
                                 enum opt_analysis n)
{
    switch (n) {
#define ANALYSIS(name, type, what, needs, compute) case OPT_ANALYSIS_##name: return compute;
#define MODULE_ANALYSIS(name, type, what, needs, compute)
#include "opt/runner/analyses.def"
    default: BUG("analysis %d is none of a function", (int)n);
    }
}

static void *compute_of_module(struct opt_context *c, struct arena *a, const struct ir_module *m,
                               enum opt_analysis n)
{
    switch (n) {
#define ANALYSIS(name, type, what, needs, compute)
#define MODULE_ANALYSIS(name, type, what, needs, compute) case OPT_ANALYSIS_##name: return compute;
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

/* f NULL: of the module. */
static void *get(struct opt_context *c, const struct ir_module *m, const struct ir_function *f,
                 enum opt_analysis n)
{
    struct opt_cached *results = results_of(c->cache, f);
    struct result *r = &results->of[n];
    uint32_t allowed = c->needs;
    if (!(allowed >> n & 1))
        BUG("it asks for %s, which its row does not name", info[n].name);
    if (!r->at) {
        if (!r->arena.chunks && c->cache->spare.count)
            r->arena = vec_pop(&c->cache->spare);
        c->needs = c->cache->needs[n];
        results->begun |= 1u << n;
        r->at = f ? compute_of_function(c, &r->arena, f, n) : compute_of_module(c, &r->arena, m, n);
        r->values = f ? f->ins.count : 0;
        c->needs = allowed;
    }
    return r->at;
}

#define ANALYSIS(name, type, what, needs, compute)                                                           \
    const type *opt_##name(struct opt_context *c, const struct ir_function *f)                               \
    {                                                                                                        \
        return get(c, f->module, f, OPT_ANALYSIS_##name);                                                    \
    }
#define MODULE_ANALYSIS(name, type, what, needs, compute)                                                    \
    const type *opt_##name(struct opt_context *c, const struct ir_module *m)                                 \
    {                                                                                                        \
        return get(c, m, NULL, OPT_ANALYSIS_##name);                                                         \
    }
#include "opt/runner/analyses.def"

void opt_cache_module(struct opt_context *c, const struct ir_module *m, uint32_t set)
{
    for (unsigned n = OPT_ANALYSES; n-- > 0;)
        if (set >> n & 1)
            set |= c->cache->needs[n];
    for (unsigned n = 0; n < OPT_ANALYSES; n++)
        if (set >> n & 1 && info[n].of_module)
            get(c, m, NULL, n);
}

/* ---- forgetting -------------------------------------------------------------------------------------- */

/* Analyses stand behind those that they need, so what is forgotten of these is known by then. */
static void keep_some(struct opt_cache *k, uint32_t row, uint32_t values, uint32_t keeps)
{
    struct opt_cached *results = row < k->rows.count ? k->rows.at[row] : NULL;
    for (uint32_t left = results ? results->begun : 0; left; left &= left - 1) {
        unsigned n = (unsigned)__builtin_ctz(left);
        struct result *r = &results->of[n];
        bool outdated = info[n].what == VALUES && r->values != values;
        if (r->at && keeps >> n & 1 && !outdated && !(k->needs[n] & ~keeps))
            continue;
        keeps &= ~(1u << n);
        results->begun &= ~(1u << n);
        vec_reserve(&k->arena, &k->spare, k->spare.count + 1);
        arena_reset(&r->arena);
        vec_push(&k->arena, &k->spare, r->arena);
        *r = (struct result){0};
    }
}

void opt_cache_keep(struct opt_cache *k, const struct ir_function *f, uint32_t keeps)
{
    keep_some(k, row_of(f), f ? f->ins.count : 0, keeps);
}

void opt_invalidate(struct opt_context *c, const struct ir_function *f)
{
    opt_cache_keep(c->cache, f, 0);
}

void opt_read(const struct opt_options *o, const char *needs, opt_reader *read, void *data)
{
    struct opt_cache cache;
    struct opt_context c = {.options = o, .cache = &cache, .needs = opt_analyses_named(needs)};
    struct mem_guard guard;
    opt_cache_init(&cache);
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
        for (unsigned n = 0; k->rows.at[row] && n < OPT_ANALYSES; n++)
            arena_free(&k->rows.at[row]->of[n].arena);
    for (uint32_t i = 0; i < k->spare.count; i++)
        arena_free(&k->spare.at[i]);
    arena_free(&k->arena);
    memset(&k->rows, 0, sizeof k->rows);
    memset(&k->spare, 0, sizeof k->spare);
}

/* ---- checking ---------------------------------------------------------------------------------------- */

static const struct opt_cached *cached_of(const struct opt_cache *k, const struct ir_function *f)
{
    return row_of(f) < k->rows.count ? k->rows.at[row_of(f)] : NULL;
}

bool opt_analysis_of_module(enum opt_analysis n)
{
    return info[n].of_module;
}

bool opt_cache_has(const struct opt_cache *k, const struct ir_function *f, uint32_t set)
{
    const struct opt_cached *results = cached_of(k, f);
    for (unsigned n = 0; n < OPT_ANALYSES; n++)
        if (set >> n & 1 && (!results || !results->of[n].at))
            return false;
    return true;
}

static void lend_module(struct opt_cache *to, const struct opt_cache *k)
{
    vec_push(&to->arena, &to->rows, k->rows.count ? k->rows.at[0] : NULL);
}

const char *opt_cache_check(const struct opt_cache *k, const struct opt_options *o, const struct ir_module *m,
                            const struct ir_function *f)
{
    const struct opt_cached *results = cached_of(k, f);
    struct opt_cache fresh;
    struct opt_context c = {.cache = &fresh, .options = o, .needs = OPT_ALL_ANALYSES};
    const char *wrong = NULL;
    opt_cache_init(&fresh);
    if (f) /* which stays as it was before the pass */
        lend_module(&fresh, k);
    for (unsigned n = 0; results && n < OPT_ANALYSES && !wrong; n++)
        if (results->of[n].at && !opt_analysis_equal(n, results->of[n].at, get(&c, m, f, n), f))
            wrong = info[n].name;
    if (f)
        fresh.rows.at[0] = NULL;
    opt_cache_free(&fresh);
    return wrong;
}
