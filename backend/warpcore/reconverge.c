/* reconverge.c: see reconverge.h.
 *
 * A branch that may diverge reconverges at its immediate post-dominator on the graph restricted to blocks
 * that reach the ret, without edges by which lanes leave for good (ir_return_post_dominators_new); a uniform
 * one nowhere (ir_uniformity with `reconvergence`, since lanes of different iterations may run together, and
 * without tokens, whose groups by iteration the machine need not keep outside their cycle).
 *
 *   rpc        one CONVERGE at each such place
 *   article    one at the post-dominator of every brif, uniform or not: nothing is asked about divergence
 *   source-pc  one for each branch. Where several reconverge, the innermost comes first: the one later in
 *              reverse post-order, since d in b's influence (flow.h) comes behind b where no cycle leads
 *              back
 *
 * What makes source-pc sound are two demands on branches that can run again before their lanes have
 * reconverged: b in its own influence. Its target must be its CONVERGE itself, so that lanes wait there from
 * iteration to iteration; and no other such branch may be in its influence with b in that one's: entries of
 * the two would pile up. opt/convergence/loop_normal_form.c sees to both. Both are asked without influences,
 * by ir_strong_components.
 */
#include "backend/warpcore/reconverge.h"

#include "ir/analysis/analysis.h"

struct converge {
    struct arena *arena;
    const struct ir_function *f;
    enum wc_mode mode;
    struct diagnostics *d;
    const struct ir_cfg *g;
    const struct ir_cycles *cycles;
    const struct ir_leaving *leaving;
    const struct ir_dominators *reconvergence;
    struct wc_reconvergence *out;
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

/* The edge by which lanes leave for good (ir/analysis/leaving.c), if the other is none. */
static uint32_t leaving_edge(const struct ir_leaving *l, const struct ir_block *block, uint32_t b)
{
    bool leaving0 = ir_is_leaving(l, b, block->edges.at[0].block);
    return leaving0 == ir_is_leaving(l, b, block->edges.at[1].block) ? WC_EITHER : !leaving0;
}

static uint32_t ending_edge(const struct ir_block *block, struct bitset ends)
{
    bool ends0 = bitset_has(ends, block->edges.at[0].block);
    return ends0 == bitset_has(ends, block->edges.at[1].block) ? WC_EITHER : !ends0;
}

/* Whether threads come from block `from` to a barrier before they reconverge. */
static bool waits_before(const struct converge *x, uint32_t from, uint32_t reconverge)
{
    struct bitset seen = bitset_new(x->arena, x->g->blocks);
    u32_vec work = {0};
    vec_push(x->arena, &work, from);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        if (b == reconverge || bitset_has(seen, b) || !bitset_has(x->leaving->wait, b))
            continue;
        bitset_add(seen, b);
        ir_each_ins(r, x->f, b)
            if (ir_at(x->f, r)->op == IR_barrier)
                return true;
        for (uint32_t e = 0; e < ir_block_at(x->f, b)->edges.count; e++)
            vec_push(x->arena, &work, ir_block_at(x->f, b)->edges.at[e].block);
    }
    return false;
}

/* The edge by which lanes leave for good; or by which they may end, where those of the other come to a barrier
 * before they reconverge. */
static uint32_t first_edge(const struct converge *x, uint32_t b, uint32_t ends)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    uint32_t leaving = leaving_edge(x->leaving, block, b);
    if (leaving != WC_EITHER || ends == WC_EITHER ||
        !waits_before(x, block->edges.at[!ends].block, x->reconvergence->idom[b]))
        return leaving;
    return ends;
}

/* Labels sent for all branches of a function together. */
enum { JOINS = 1 << 20 };

/* Lowering makes functions larger: what passes have found to be uniform is to be found again, so that a branch
 * among few has a larger share than theirs. */
static uint32_t joins_of_a_branch(const struct converge *x)
{
    uint32_t branches = 1;
    for (uint32_t i = 0; i < x->g->rpo_count; i++)
        branches += is_branch(x, x->g->rpo[i]);
    return JOINS / branches > IR_JOIN_LIMIT ? JOINS / branches : IR_JOIN_LIMIT;
}

static void place_branches(struct converge *x)
{
    struct bitset ends = ir_ending_new(x->arena, x->g);
    struct ir_uniformity_options o = {
        .ignore_tokens = true, .reconvergence = x->reconvergence->idom, .joins = joins_of_a_branch(x)};
    const struct ir_uniformity *u = ir_uniformity_new(x->arena, x->g, x->cycles, NULL, &o);
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t b = x->g->rpo[i];
        struct wc_block_reconvergence *m = &x->out->at[b];
        if (!is_branch(x, b))
            continue;
        m->uniform = !bitset_has(u->branches, b);
        x->out->branches++;
        x->out->uniform += m->uniform;
        m->taken = exit_edge(x, b);
        m->ends = ending_edge(ir_block_at(x->f, b), ends);
        m->first = first_edge(x, b, m->ends);
        if (x->mode == WC_MODE_ARTICLE || !m->uniform)
            m->reconverge = x->reconvergence->idom[b];
    }
}

/* Later blocks of the order first: innermost first. */
static void place_converges(struct converge *x)
{
    for (uint32_t i = x->g->rpo_count; i-- > 0;) {
        uint32_t b = x->g->rpo[i], reconverge = x->out->at[b].reconverge;
        if (reconverge == IR_NO_BLOCK ||
            (x->mode != WC_MODE_SOURCE_PC && x->out->at[reconverge].converge.count))
            continue;
        vec_push(x->arena, &x->out->at[reconverge].converge, b);
        x->out->converges++;
    }
}

/* ---- source-pc --------------------------------------------------------------------------------------- */

static bool refuse(const struct converge *x, uint32_t b, const char *why)
{
    place at = ir_at(x->f, ir_terminator(x->f, b))->at;
    diag_add(x->d, DIAG_ERROR, "divergence", (span){at, {0, 0}}, "mode source-pc can't run '%s': %s",
             x->f->name, why);
    return false;
}

/* The edge straight to the place where the lanes reconverge, or 2. */
static uint32_t empty_edge(const struct converge *x, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    uint32_t e = 0;
    while (e < 2 && (block->edges.at[e].block != x->out->at[b].reconverge || block->edges.at[e].argc))
        e++;
    return e;
}

static bool runs_again(const struct converge *x, const struct ir_strong_components *w, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    bool again = false;
    for (uint32_t e = 0; e < block->edges.count; e++)
        again |= ir_returns_before(w, b, block->edges.at[e].block, x->out->at[b].reconverge);
    return again;
}

/* Two branches have each other in their influence if they reconverge at one place and lead to each other
 * before: if they are of one component. */
static bool check_cycle_branches(struct converge *x)
{
    const struct ir_strong_components *w = ir_strong_components_new(x->arena, x->g, x->reconvergence);
    struct bitset taken = bitset_new(x->arena, x->g->blocks); /* components that have one */
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t b = x->g->rpo[i];
        if (x->out->at[b].reconverge == IR_NO_BLOCK || !runs_again(x, w, b))
            continue;
        x->out->at[b].taken = empty_edge(x, b);
        x->out->at[b].direct = true;
        if (x->out->at[b].taken == 2)
            return refuse(x, b, "a loop's exit does not lead straight to where its lanes reconverge");
        if (bitset_has(taken, w->component[b]))
            return refuse(x, b, "lanes leave a loop at several branches");
        bitset_add(taken, w->component[b]);
    }
    return true;
}

struct wc_reconvergence *wc_reconvergence_new(struct arena *a, const struct ir_cfg *g,
                                              const struct ir_cycles *cycles, struct bitset waiting,
                                              enum wc_mode mode, struct diagnostics *d)
{
    struct converge x = {.arena = a, .f = g->fn, .mode = mode, .d = d, .g = g, .cycles = cycles};
    x.leaving = ir_leaving_of(a, x.g, waiting);
    x.reconvergence = ir_return_post_dominators_new(a, x.g, x.leaving);
    x.out = arena_new(a, struct wc_reconvergence);
    x.out->at = arena_array(a, struct wc_block_reconvergence, x.g->blocks);
    for (uint32_t b = 0; b < x.g->blocks; b++)
        x.out->at[b] = (struct wc_block_reconvergence){
            .reconverge = IR_NO_BLOCK, .taken = WC_EITHER, .first = WC_EITHER, .ends = WC_EITHER};
    if (mode == WC_MODE_FRONTIER) {
        wc_place_checks(a, g, cycles, x.leaving, x.out);
        return x.out;
    }
    place_branches(&x);
    place_converges(&x);
    return mode == WC_MODE_SOURCE_PC && !check_cycle_branches(&x) ? NULL : x.out;
}
