/* converge.c: see converge.h.
 *
 * A branch that may part lanes meets at its immediate post-dominator on the graph restricted to blocks that
 * reach the ret; a uniform one nowhere (ir_uniformity with `meets`, since lanes of different iterations may
 * run together, and without tokens, whose groups by iteration the machine need not keep outside their cycle).
 *
 *   rpc        one CONVERGE at each such place
 *   article    one at the post-dominator of every brif, uniform or not: nothing is asked about divergence
 *   source-pc  one for each branch. Where several meet, the innermost comes first: the one later in reverse
 *              post-order, since d in b's influence (flow.h) comes behind b where no cycle leads back
 *
 * What makes source-pc sound are two demands on branches that can run again before their lanes have met: b in
 * its own influence. Its target must be its CONVERGE itself, so that lanes wait there from iteration to
 * iteration; and no other such branch may be in its influence with b in that one's: entries of the two would
 * pile up. opt/loop_normal_form.c sees to both. Both are asked without influences, by ir_ways_back.
 */
#include "backend/warpcore/converge.h"

#include "ir/analysis.h"

struct converge {
    struct arena               *arena;
    const struct ir_function   *f;
    enum wc_mode                mode;
    struct diagnostics         *d;
    const struct ir_cfg        *g;
    const struct ir_cycles     *cycles;
    const struct ir_dominators *meets;
    struct wc_convergence      *out;
};

static bool is_branch(const struct converge *x, uint32_t b)
{
    return ir_at(x->f, ir_terminator(x->f, b))->op == IR_brif;
}

/* The edge that leaves the innermost cycle which the other stays in, or WC_EITHER. */
static uint32_t exit_edge(const struct converge *x, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    for (uint32_t k = x->cycles->innermost[b]; k != IR_NO_CYCLE; k = x->cycles->at[k].parent) {
        bool in0 = ir_cycle_has(x->cycles, k, block->edges.at[0].block);
        if (in0 != ir_cycle_has(x->cycles, k, block->edges.at[1].block))
            return in0 ? 1 : 0;
    }
    return WC_EITHER;
}

static void place_branches(struct converge *x)
{
    struct ir_uniformity_options o = {.ignore_tokens = true, .meets = x->meets};
    const struct ir_uniformity *u = ir_uniformity_new(x->arena, x->g, x->cycles, NULL, &o);
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t b = x->g->rpo[i];
        struct wc_meeting *m = &x->out->at[b];
        if (!is_branch(x, b))
            continue;
        m->uniform = !bitset_has(u->branches, b);
        x->out->branches++;
        x->out->uniform += m->uniform;
        m->taken = exit_edge(x, b);
        if (x->mode == WC_MODE_ARTICLE || !m->uniform)
            m->meet = x->meets->idom[b];
    }
}

/* Later blocks of the order first: innermost first. */
static void place_converges(struct converge *x)
{
    for (uint32_t i = x->g->rpo_count; i-- > 0;) {
        uint32_t b = x->g->rpo[i], meet = x->out->at[b].meet;
        if (meet == IR_NO_BLOCK || (x->mode != WC_MODE_SOURCE_PC && x->out->at[meet].converge.count))
            continue;
        vec_push(x->arena, &x->out->at[meet].converge, b);
        x->out->converges++;
    }
}

/* ---- source-pc ----------------------------------------------------------------------------------------- */

static bool refuse(const struct converge *x, uint32_t b, const char *why)
{
    place at = ir_at(x->f, ir_terminator(x->f, b))->at;
    diag_add(x->d, DIAG_ERROR, "divergence", (span){at, {0, 0}}, "mode source-pc can't run '%s': %s",
             x->f->name, why);
    return false;
}

/* The edge straight to the place where the lanes meet, or 2. */
static uint32_t empty_edge(const struct converge *x, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    uint32_t e = 0;
    while (e < 2 && (block->edges.at[e].block != x->out->at[b].meet || block->edges.at[e].argc))
        e++;
    return e;
}

static bool runs_again(const struct converge *x, const struct ir_ways_back *w, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    bool again = false;
    for (uint32_t e = 0; e < block->edges.count; e++)
        again |= ir_leads_back(w, b, block->edges.at[e].block, x->out->at[b].meet);
    return again;
}

/* Two branches have each other in their influence if they meet at one place and lead to each other before: if
 * they are of one component. */
static bool check_cycle_branches(struct converge *x)
{
    const struct ir_ways_back *w = ir_ways_back_new(x->arena, x->g, x->meets);
    struct bitset taken = bitset_new(x->arena, x->g->blocks);        /* components that have one */
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t b = x->g->rpo[i];
        if (x->out->at[b].meet == IR_NO_BLOCK || !runs_again(x, w, b))
            continue;
        x->out->at[b].taken = empty_edge(x, b);
        x->out->at[b].direct = true;
        if (x->out->at[b].taken == 2)
            return refuse(x, b, "a loop's exit does not lead straight to where its lanes meet");
        if (bitset_has(taken, w->component[b]))
            return refuse(x, b, "lanes leave a loop at several branches");
        bitset_add(taken, w->component[b]);
    }
    return true;
}

struct wc_convergence *wc_convergence_new(struct arena *a, const struct ir_function *f, enum wc_mode mode,
                                          struct diagnostics *d)
{
    struct converge x = {.arena = a, .f = f, .mode = mode, .d = d, .g = ir_cfg_new(a, f)};
    x.cycles = ir_cycles_new(a, x.g);
    x.meets = ir_meets_new(a, x.g);
    x.out = arena_new(a, struct wc_convergence);
    x.out->at = arena_array(a, struct wc_meeting, x.g->blocks);
    for (uint32_t b = 0; b < x.g->blocks; b++)
        x.out->at[b] = (struct wc_meeting){.meet = IR_NO_BLOCK, .taken = WC_EITHER};
    place_branches(&x);
    place_converges(&x);
    return mode == WC_MODE_SOURCE_PC && !check_cycle_branches(&x) ? NULL : x.out;
}
