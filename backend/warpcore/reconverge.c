/* reconverge.c: see reconverge.h.
 *
 * A branch that may diverge reconverges where the pass reconverge has chosen; a uniform one nowhere
 * (ir_uniformity with `reconvergence`, since lanes of different iterations may run together, and without
 * tokens, whose groups by iteration the machine need not keep outside their cycle).
 *
 *   rpc        one CONVERGE at each such place
 *   article    one at the post-dominator of every brif, uniform or not: nothing is asked about divergence
 *   source-pc  one for each branch. Where several reconverge, the innermost comes first: d in b's influence
 *              (flow.h) before b. Then d's influence is a part of b's, and smaller, or b leads to d alone
 *
 * What makes source-pc sound are two demands on branches that can run again before their lanes have
 * reconverged: b in its own influence. Its target must be its CONVERGE itself, so that lanes wait there from
 * iteration to iteration; and no other such branch may be in its influence with b in that one's: entries of
 * the two would pile up. opt/reconverge/reconverge.c sees to both.
 */
#include "backend/warpcore/reconverge.h"

#include "ir/analysis/analysis.h"

#include <stdlib.h>

struct converge {
    struct arena *arena;
    const struct ir_function *f;
    enum wc_mode mode;
    struct diagnostics *d;
    const struct ir_cfg *g;
    const struct ir_cycles *cycles;
    const struct ir_dominators *post; /* by returns, without edges that break */
    const uint32_t *point;            /* by block: where its lanes reconverge */
    struct bitset *influence; /* mode source-pc: by branch, blocks that it leads to before its lanes have
                                 reconverged */
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

/* The edge that breaks, if the other does not. */
static uint32_t breaking_edge(const struct ir_block *block)
{
    return block->edges.at[0].breaks == block->edges.at[1].breaks ? WC_EITHER : !block->edges.at[0].breaks;
}

static uint32_t exiting_edge(const struct ir_block *block, struct bitset ends)
{
    bool ends0 = bitset_has(ends, block->edges.at[0].block);
    return ends0 == bitset_has(ends, block->edges.at[1].block) ? WC_EITHER : !ends0;
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

/* Blocks from which threads end, by edges that do not break. Of the others post-dominators say nothing. */
static struct bitset find_ending(const struct converge *x)
{
    struct walk w = walk_new(x->arena, x->g->blocks);
    for (uint32_t i = 0; i < x->g->rpo_count; i++)
        if (ir_block_at(x->f, x->g->rpo[i])->edges.count == 0)
            walk_add(&w, x->g->rpo[i]);
    walk_each(b, &w)
        ir_each_pred(p, b, x->g)
            if (!ir_block_at(x->f, p)->edges.at[x->g->pred_edges[p_at]].breaks)
                walk_add(&w, p);
    return w.seen;
}

/* By block. The graph has blocks on edges now that reconverge has not seen: lanes that come to the chosen
 * place by such a block alone reconverge there, so that they share no CONVERGE with others. */
static const uint32_t *find_points(const struct converge *x)
{
    uint32_t *points = ir_reconvergence_points(x->arena, x->g, x->post);
    struct bitset ending = find_ending(x);
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t b = x->g->rpo[i], p = x->post->idom[b];
        if (p == IR_NO_BLOCK || p == points[b] || ir_pred_count(x->g, p) != 1 || !bitset_has(ending, p))
            continue;
        const struct ir_block *block = ir_block_at(x->f, p);
        ir_each_pred(q, p, x->g)
            if (q == b && ir_at(x->f, block->first)->op == IR_br && block->edges.at[0].block == points[b])
                points[b] = p;
    }
    return points;
}

static void place_branches(struct converge *x)
{
    struct bitset ends = ir_exits_without_barrier(x->arena, x->g);
    struct ir_uniformity_options o = {
        .ignore_tokens = true, .reconvergence = x->point, .joins = joins_of_a_branch(x)};
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
        m->ends = exiting_edge(ir_block_at(x->f, b), ends);
        m->breaks = breaking_edge(ir_block_at(x->f, b));
        if (x->mode == WC_MODE_ARTICLE || !m->uniform)
            m->reconverge = x->point[b];
    }
}

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

/* The blocks that the branch leads to before its lanes have reconverged. */
static struct bitset influence_of(const struct converge *x, uint32_t b)
{
    struct walk w = walk_new(x->arena, x->g->blocks);
    ir_add_successors(&w, x->f, b, x->out->at[b].reconverge);
    return ir_reach(&w, x->f, x->out->at[b].reconverge);
}

static void find_influences(struct converge *x)
{
    x->influence = arena_array(x->arena, struct bitset, x->g->blocks);
    for (uint32_t i = 0; i < x->g->rpo_count; i++)
        if (x->out->at[x->g->rpo[i]].reconverge != IR_NO_BLOCK)
            x->influence[x->g->rpo[i]] = influence_of(x, x->g->rpo[i]);
}

static int by_influence(const void *a, const void *b, void *finder)
{
    const struct converge *x = finder;
    uint32_t c = *(const uint32_t *)a, d = *(const uint32_t *)b;
    uint32_t m = bitset_count(x->influence[c]), n = bitset_count(x->influence[d]);
    if (m != n)
        return m < n ? -1 : 1;
    return x->g->rpo_index[c] > x->g->rpo_index[d] ? -1 : 1;
}

static void sort_converges(struct converge *x)
{
    for (uint32_t b = 0; b < x->g->blocks; b++)
        if (x->out->at[b].converge.count > 1)
            qsort_r(x->out->at[b].converge.at, x->out->at[b].converge.count, sizeof(uint32_t), by_influence,
                    x);
}

/* Branches in their own influence: none may be in that of another which is in its. */
static bool check_cycle_branches(struct converge *x)
{
    struct bitset again = bitset_new(x->arena, x->g->blocks), *influence = x->influence;
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t b = x->g->rpo[i];
        if (x->out->at[b].reconverge == IR_NO_BLOCK)
            continue;
        if (!bitset_has(influence[b], b))
            continue;
        x->out->at[b].taken = empty_edge(x, b);
        x->out->at[b].direct = true;
        if (x->out->at[b].taken == 2)
            return refuse(x, b, "a loop's exit does not lead straight to where its lanes reconverge");
        bitset_each(d, again)
            if (bitset_has(influence[b], d) && bitset_has(influence[d], b))
                return refuse(x, b, "lanes leave a loop at several branches");
        bitset_add(again, b);
    }
    return true;
}

struct wc_reconvergence *wc_reconvergence_new(struct arena *a, const struct ir_cfg *g,
                                              const struct ir_cycles *cycles, enum wc_mode mode,
                                              struct diagnostics *d)
{
    struct converge x = {.arena = a, .f = g->fn, .mode = mode, .d = d, .g = g, .cycles = cycles};
    x.post = ir_return_post_dominators_new(a, x.g);
    x.point = mode == WC_MODE_ARTICLE ? x.post->idom : find_points(&x);
    x.out = arena_new(a, struct wc_reconvergence);
    x.out->at = arena_array(a, struct wc_block_reconvergence, x.g->blocks);
    for (uint32_t b = 0; b < x.g->blocks; b++)
        x.out->at[b] = (struct wc_block_reconvergence){
            .reconverge = IR_NO_BLOCK, .taken = WC_EITHER, .breaks = WC_EITHER, .ends = WC_EITHER};
    if (mode == WC_MODE_FRONTIER) {
        wc_place_checks(a, g, cycles, x.out);
        return x.out;
    }
    place_branches(&x);
    place_converges(&x);
    if (mode != WC_MODE_SOURCE_PC)
        return x.out;
    find_influences(&x);
    sort_converges(&x);
    return check_cycle_branches(&x) ? x.out : NULL;
}
