/* analyses.c: computing analyses when they are asked for, and keeping them while they are right. */
#include "opt/internal.h"

static void *cfg_compute(struct opt_context *c, struct arena *a, struct ir_function *f)
{
    return ir_cfg_new(a, f);
}

static void *dominators_compute(struct opt_context *c, struct arena *a, struct ir_function *f)
{
    return ir_dominators_new(a, opt_cfg(c, f));
}

static void *cycles_compute(struct opt_context *c, struct arena *a, struct ir_function *f)
{
    return ir_cycles_new(a, opt_cfg(c, f));
}

static bool same(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool cfg_equal(const struct ir_cfg *a, const struct ir_cfg *b, uint32_t blocks)
{
    return a->blocks == b->blocks && same(a->pred_start, b->pred_start, blocks + 1) &&
           same(a->preds, b->preds, a->pred_start[blocks]) && a->rpo_count == b->rpo_count &&
           same(a->rpo, b->rpo, a->rpo_count);
}

static bool dominators_equal(const struct ir_dominators *a, const struct ir_dominators *b, uint32_t blocks)
{
    return a->count == b->count && same(a->idom, b->idom, blocks) && same(a->depth, b->depth, blocks);
}

static bool cycles_equal(const struct ir_cycles *a, const struct ir_cycles *b, uint32_t blocks)
{
    if (a->count != b->count || !same(a->innermost, b->innermost, blocks))
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->at[i].header != b->at[i].header || a->at[i].parent != b->at[i].parent)
            return false;
    return true;
}

static const char *const names[OPT_ANALYSES] = {
#define ANALYSIS(name, type, compute, equal) #name,
#include "opt/analyses.def"
};

static void *compute_one(struct opt_context *c, struct arena *a, struct ir_function *f, enum opt_analysis n)
{
    switch (n) {
#define ANALYSIS(name, type, compute, equal) case OPT_ANALYSIS_##name: return compute(c, a, f);
#include "opt/analyses.def"
    default: BUG("no analysis %d", (int)n);
    }
}

static bool equal_one(enum opt_analysis n, const void *a, const void *b, uint32_t blocks)
{
    switch (n) {
#define ANALYSIS(name, type, compute, equal)                                                                 \
    case OPT_ANALYSIS_##name: return equal((const type *)a, (const type *)b, blocks);
#include "opt/analyses.def"
    default: BUG("no analysis %d", (int)n);
    }
}

static void *get(struct opt_context *c, struct ir_function *f, enum opt_analysis n)
{
    if (!c->cache->at[n])
        c->cache->at[n] = compute_one(c, &c->cache->arena[n], f, n);
    return c->cache->at[n];
}

#define ANALYSIS(name, type, compute, equal)                                                                 \
    const type *opt_##name(struct opt_context *c, struct ir_function *f)                                     \
    {                                                                                                        \
        return get(c, f, OPT_ANALYSIS_##name);                                                               \
    }
#include "opt/analyses.def"

void opt_cache_keep(struct opt_cache *k, const char *keeps)
{
    for (unsigned n = 0; n < OPT_ANALYSES; n++)
        if (!opt_listed(keeps, names[n])) {
            arena_free(&k->arena[n]);
            k->at[n] = NULL;
        }
}

void opt_cache_free(struct opt_cache *k)
{
    opt_cache_keep(k, "");
}

void opt_invalidate(struct opt_context *c, struct ir_function *f)
{
    opt_cache_free(c->cache);
}

const char *opt_cache_check(const struct opt_cache *k, const struct ir_function *f)
{
    struct arena scratch = {0};
    struct opt_cache fresh = {0};
    struct opt_context c = {.scratch = &scratch, .cache = &fresh};
    const char *wrong = NULL;
    for (unsigned n = 0; n < OPT_ANALYSES && !wrong; n++)
        if (k->at[n] && !equal_one(n, k->at[n], get(&c, (struct ir_function *)f, n), f->blocks.count))
            wrong = names[n];
    opt_cache_free(&fresh);
    arena_free(&scratch);
    return wrong;
}
