/* cut.c: see cut.h. */
#include "opt/reconverge/cut.h"

#include <stdlib.h>

void opt_cut_analyse(struct opt_cut *x)
{
    x->g = opt_cfg(x->c, x->f);
    x->cycles = opt_cycles(x->c, x->f);
    x->dominators = opt_dominators(x->c, x->f);
    x->reconvergence = opt_return_post_dominators(x->c, x->f);
    x->components = opt_strong_components(x->c, x->f);
    x->tokens = opt_tokens(x->c, x->f);
}

static uint32_t home(const struct opt_cut *x, ir_ref r)
{
    return ir_at(x->f, r)->block;
}

/* ---- tokens ------------------------------------------------------------------------------------------ */

/* True: a block was split. */
static bool add_region(struct opt_cut *x, struct bitset set, ir_ref def, bool *grew)
{
    const struct ir_token_region *g = ir_token_region_new(x->arena, x->tokens, def);
    for (uint32_t i = 0; i < g->blocks.count; i++) {
        if (bitset_has(set, g->blocks.at[i]))
            continue;
        ir_ref at = ir_token_region_split(g, x->tokens, i);
        if (at && opt_split_before(x->f, at))
            return true;
        bitset_add(set, g->blocks.at[i]);
        *grew = true;
    }
    return false;
}

bool opt_cut_keep_tokens(struct opt_cut *x, struct bitset set)
{
    bool grew = true;
    while (grew) {
        grew = false;
        for (uint32_t i = 0; i < x->tokens->defs.count; i++)
            if (bitset_has(set, home(x, x->tokens->defs.at[i])) &&
                add_region(x, set, x->tokens->defs.at[i], &grew))
                return false;
    }
    return true;
}

/* ---- the cut ----------------------------------------------------------------------------------------- */

opt_edges opt_cut_edges_out(const struct opt_cut *x, struct bitset set)
{
    opt_edges all = opt_edges_out(x->arena, x->g, set, set), out = {0};
    for (uint32_t i = 0; i < all.count; i++)
        if (opt_returns(x, opt_edge_target(x->f, all.at[i])))
            vec_push(x->arena, &out, all.at[i]);
    return out;
}

/* ---- the paths on ------------------------------------------------------------------------------------- */

/* Threads that leave for different targets are separated into two groups at a time. Those whose targets
 * reconverge (ir_return_post_dominators_new) before all of them do must stay together until then, or they
 * would not reconverge where they did before the cut: so the groups are subtrees of the tree of
 * reconvergence points. A target that leads back to what the threads leave comes last, next to one other:
 * separated earlier, the tests behind it would post-dominate it. */
struct partition {
    struct opt_cut *x;
    uint32_t from, reconverge;  /* the entry of what they leave, and where all of them reconverge */
    struct ir_edge *edges;      /* of the new block, one for each target, in order */
    uint32_t *reconverge_depth; /* beside: where the target reconverges with the one before; 0: nowhere */
    uint32_t *before, *after;   /* beside: see find_divisions */
    ir_ref to;                  /* the number of the target */
};

static uint32_t reconvergence_of_all(const struct opt_cut *x, const opt_edges *edges)
{
    uint32_t reconverge = opt_edge_target(x->f, edges->at[0]);
    for (uint32_t i = 1; i < edges->count && reconverge != IR_NO_BLOCK; i++)
        reconverge = ir_dominators_common(x->reconvergence, reconverge, opt_edge_target(x->f, edges->at[i]));
    return reconverge;
}

static bool returns_before(const struct partition *w, uint32_t to)
{
    return ir_returns_before(w->x->components, w->from, to, w->reconverge);
}

static int by_reconvergence(const void *a, const void *b, void *partition)
{
    const struct partition *w = partition;
    const struct opt_edge *e[2] = {a, b};
    uint32_t to[2] = {opt_edge_target(w->x->f, *e[0]), opt_edge_target(w->x->f, *e[1])};
    bool back[2] = {returns_before(w, to[0]), returns_before(w, to[1])};
    if (back[0] != back[1])
        return back[0] - back[1];
    if (to[0] != to[1])
        return w->x->reconvergence->pre[to[0]] < w->x->reconvergence->pre[to[1]] ? -1 : 1;
    if (e[0]->block != e[1]->block)
        return e[0]->block < e[1]->block ? -1 : 1;
    return (e[0]->edge > e[1]->edge) - (e[0]->edge < e[1]->edge);
}

/* Where groups of targets are divided: target i may begin the second part of one. A group's division is the
 * first of those that reconverge earliest; `before` and `after` are the divisions of its parts, 0 for a part
 * of one target. Linear: each target is taken from the stack once. */
static uint32_t find_divisions(struct partition *w, uint32_t n)
{
    u32_vec stack = {0};
    for (uint32_t i = 1; i < n; i++) {
        while (stack.count && w->reconverge_depth[vec_last(&stack)] > w->reconverge_depth[i])
            w->before[i] = vec_pop(&stack);
        if (stack.count)
            w->after[vec_last(&stack)] = i;
        vec_push(w->x->arena, &stack, i);
    }
    return stack.at[0];
}

/* An edge for a part: to a new block if it is divided, else to its only target. */
static void lead_to(struct partition *w, uint32_t from, uint32_t division, uint32_t target, u32_vec *work)
{
    struct ir_function *f = w->x->f;
    if (division) {
        uint32_t test = ir_block_new(f, "test");
        ir_edge_add(f, from, test, 0);
        vec_push(w->x->arena, work, test);
        vec_push(w->x->arena, work, division);
        return;
    }
    struct ir_edge *e = ir_edge_add(f, from, w->edges[target].block, 0);
    for (uint32_t i = 0; i < w->edges[target].argc; i++)
        ir_edge_arg(f, e, w->edges[target].args[i]);
}

/* Ends the cursor's block, where threads of a divided group come. */
static void test_targets(struct partition *w, struct ir_cursor *c, uint32_t division, u32_vec *work)
{
    bool single = w->before[division] == 0;
    ir_ref bound = ir_const_i32(w->x->f, single ? division - 1 : division);
    ir_ref test = ir_emit2(c, single ? IR_eq : IR_ult, IR_TYPE_I1, w->to, bound);
    ir_emit1(c, IR_brif, IR_TYPE_VOID, test);
    lead_to(w, c->block, w->before[division], division - 1, work);
    lead_to(w, c->block, w->after[division], division, work);
}

/* The block ends in a switch over the numbers of its targets: tests take its place. */
static void switch_to_tests(struct partition *w, uint32_t block)
{
    struct ir_function *f = w->x->f;
    ir_ref ins = ir_terminator(f, block);
    struct ir_cursor c = {.fn = f, .block = block, .at = ir_at(f, ins)->at};
    uint32_t n = ir_block_at(f, block)->edges.count;
    u32_vec work = {0};
    w->to = ir_at(f, ins)->args[0];
    w->edges = arena_array(&f->module->arena, struct ir_edge, n);
    w->reconverge_depth = arena_array(w->x->arena, uint32_t, n);
    w->before = arena_array(w->x->arena, uint32_t, n);
    w->after = arena_array(w->x->arena, uint32_t, n);
    memcpy(w->edges, ir_block_at(f, block)->edges.at, n * sizeof *w->edges);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t reconverge =
            ir_dominators_common(w->x->reconvergence, w->edges[i - 1].block, w->edges[i].block);
        w->reconverge_depth[i] = reconverge == IR_NO_BLOCK ? 0 : w->x->reconvergence->depth[reconverge];
    }
    ir_remove(f, ins);
    ir_block_at(f, block)->edges.count = 0;
    test_targets(w, &c, find_divisions(w, n), &work);
    while (work.count) {
        uint32_t division = vec_pop(&work);
        c.block = vec_pop(&work);
        test_targets(w, &c, division, &work);
    }
}

uint32_t opt_cut_lead_on(struct opt_cut *x, const opt_edges *edges, uint32_t from, place at)
{
    struct partition w = {.x = x, .from = from, .reconverge = reconvergence_of_all(x, edges)};
    qsort_r(edges->at, edges->count, sizeof *edges->at, by_reconvergence, &w);
    uint32_t block = opt_merge_edges(x->arena, x->f, edges, at);
    if (ir_at(x->f, ir_terminator(x->f, block))->op == IR_switch)
        switch_to_tests(&w, block);
    return block;
}

static bool have_one_target(const struct opt_cut *x, const opt_edges *edges)
{
    for (uint32_t i = 1; i < edges->count; i++)
        if (opt_edge_target(x->f, edges->at[i]) != opt_edge_target(x->f, edges->at[0]))
            return false;
    return true;
}

uint32_t opt_cut_merge(struct opt_cut *x, const opt_edges *first, const opt_edges *rest, place at)
{
    opt_edges all = {0};
    for (uint32_t i = 0; i < first->count; i++)
        vec_push(x->arena, &all, first->at[i]);
    if (!have_one_target(x, rest))
        opt_cut_lead_on(x, rest, opt_edge_target(x->f, first->at[0]), at);
    for (uint32_t i = 0; i < rest->count; i++)
        vec_push(x->arena, &all, rest->at[i]);
    return opt_merge_edges(x->arena, x->f, &all, at);
}
