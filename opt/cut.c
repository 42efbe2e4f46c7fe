/* cut.c: see cut.h. */
#include "opt/cut.h"

#include <stdlib.h>

void opt_cut_analyse(struct opt_cut *x)
{
    x->g = ir_cfg_new(x->arena, x->f);
    x->cycles = ir_cycles_new(x->arena, x->g);
    x->dominators = ir_dominators_new(x->arena, x->g);
    x->meets = ir_meets_new(x->arena, x->g);
    x->ways_back = ir_ways_back_new(x->arena, x->g, x->meets);
    x->tokens = ir_tokens_new(x->arena, x->g);
}

static uint32_t home(const struct opt_cut *x, ir_ref r)
{
    return ir_at(x->f, r)->block;
}

/* ---- tokens -------------------------------------------------------------------------------------------- */

/* What has to begin a block behind the end of the region in its block number i: the first user of another
 * token, or a ret, so that threads leave the region before they return; 0: nothing. */
static ir_ref split_point(const struct opt_cut *x, const struct ir_token_region *g, uint32_t i)
{
    uint32_t b = g->blocks.at[i];
    if (g->ends.at[i] == IR_REGION_THROUGH)
        return 0;
    for (uint32_t u = x->tokens->user_start[b]; u < x->tokens->user_start[b + 1]; u++)
        if (x->tokens->position[x->tokens->users[u]] > g->ends.at[i])
            return x->tokens->users[u];
    return ir_at(x->f, ir_terminator(x->f, b))->op == IR_ret ? ir_terminator(x->f, b) : 0;
}

static bool split(struct opt_cut *x, ir_ref at)
{
    uint32_t b = home(x, at);
    if (at == 0 || ir_block_at(x->f, b)->first == at)
        return false;
    uint32_t rest = ir_block_split(x->f, b, at, "rest");
    struct ir_cursor c = {.fn = x->f, .block = b, .at = ir_at(x->f, at)->at};
    ir_emit_br(&c, rest);
    return true;
}

/* True: a block was split. */
static bool add_region(struct opt_cut *x, struct bitset set, ir_ref def, bool *grew)
{
    const struct ir_token_region *g = ir_token_region_new(x->arena, x->tokens, def);
    for (uint32_t i = 0; i < g->blocks.count; i++) {
        if (bitset_has(set, g->blocks.at[i]))
            continue;
        if (split(x, split_point(x, g, i)))
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

/* ---- the cut ------------------------------------------------------------------------------------------- */

opt_edges opt_cut_edges_out(const struct opt_cut *x, struct bitset set)
{
    opt_edges out = {0};
    for bitset_each (b, set)
        for (uint32_t e = 0; e < ir_block_at(x->f, b)->edges.count; e++) {
            uint32_t to = ir_block_at(x->f, b)->edges.at[e].block;
            if (!bitset_has(set, to) && opt_returns(x, to))
                vec_push(x->arena, &out, ((struct opt_edge){b, e}));
        }
    return out;
}

/* ---- the ways on --------------------------------------------------------------------------------------- */

/* Threads that leave for different targets are told apart two groups at a time. Those whose targets meet
 * (ir_meets_new) before all of them do must stay together until then, or they would not meet where they did
 * before the cut: so the groups are subtrees of the tree of meeting places. A target that leads back to what
 * the threads leave comes last, next to one other: told apart earlier, the tests behind
 * it would post-dominate it. */
struct ways {
    struct opt_cut *x;
    uint32_t        from, meet;           /* the entry of what they leave, and where all of them meet */
    struct ir_edge *edges;                /* of the new block, one for each target, in order */
    uint32_t       *meet_depth;           /* beside: where the target meets the one before; 0: nowhere */
    uint32_t       *before, *after;       /* beside: see find_divisions */
    ir_ref          to;                   /* the number of the target */
};

static uint32_t target_of(const struct opt_cut *x, struct opt_edge e)
{
    return ir_block_at(x->f, e.block)->edges.at[e.edge].block;
}

static uint32_t meet_of_all(const struct opt_cut *x, const opt_edges *edges)
{
    uint32_t meet = target_of(x, edges->at[0]);
    for (uint32_t i = 1; i < edges->count && meet != IR_NO_BLOCK; i++)
        meet = ir_dominators_common(x->meets, meet, target_of(x, edges->at[i]));
    return meet;
}

static bool leads_back(const struct ways *w, uint32_t to)
{
    return ir_leads_back(w->x->ways_back, w->from, to, w->meet);
}

static int by_meeting_place(const void *a, const void *b, void *ways)
{
    const struct ways *w = ways;
    const struct opt_edge *e[2] = {a, b};
    uint32_t to[2] = {target_of(w->x, *e[0]), target_of(w->x, *e[1])};
    bool back[2] = {leads_back(w, to[0]), leads_back(w, to[1])};
    if (back[0] != back[1])
        return back[0] - back[1];
    if (to[0] != to[1])
        return w->x->meets->pre[to[0]] < w->x->meets->pre[to[1]] ? -1 : 1;
    if (e[0]->block != e[1]->block)
        return e[0]->block < e[1]->block ? -1 : 1;
    return (e[0]->edge > e[1]->edge) - (e[0]->edge < e[1]->edge);
}

/* Where groups of targets are divided: target i may begin the second part of one. A group's division is the
 * first of those that meet earliest; `before` and `after` are the divisions of its parts, 0 for a part of one
 * target. Linear: each target is taken from the stack once. */
static uint32_t find_divisions(struct ways *w, uint32_t n)
{
    u32_vec stack = {0};
    for (uint32_t i = 1; i < n; i++) {
        while (stack.count && w->meet_depth[vec_last(&stack)] > w->meet_depth[i])
            w->before[i] = vec_pop(&stack);
        if (stack.count)
            w->after[vec_last(&stack)] = i;
        vec_push(w->x->arena, &stack, i);
    }
    return stack.at[0];
}

/* An edge for a part: to a new block if it is divided, else to its only target. */
static void lead_to(struct ways *w, uint32_t from, uint32_t division, uint32_t target, u32_vec *work)
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
static void tell_apart(struct ways *w, struct ir_cursor *c, uint32_t division, u32_vec *work)
{
    bool single = w->before[division] == 0;
    ir_ref bound = ir_const_i32(w->x->f, single ? division - 1 : division);
    ir_ref test = ir_emit2(c, single ? IR_eq : IR_ult, IR_TYPE_I1, w->to, bound);
    ir_emit1(c, IR_brif, IR_TYPE_VOID, test);
    lead_to(w, c->block, w->before[division], division - 1, work);
    lead_to(w, c->block, w->after[division], division, work);
}

/* The block ends in a switch over the numbers of its targets: tests take its place. */
static void switch_to_tests(struct ways *w, uint32_t block)
{
    struct ir_function *f = w->x->f;
    ir_ref ins = ir_terminator(f, block);
    struct ir_cursor c = {.fn = f, .block = block, .at = ir_at(f, ins)->at};
    uint32_t n = ir_block_at(f, block)->edges.count;
    u32_vec work = {0};
    w->to = ir_at(f, ins)->args[0];
    w->edges = arena_array(&f->module->arena, struct ir_edge, n);
    w->meet_depth = arena_array(w->x->arena, uint32_t, n);
    w->before = arena_array(w->x->arena, uint32_t, n);
    w->after = arena_array(w->x->arena, uint32_t, n);
    memcpy(w->edges, ir_block_at(f, block)->edges.at, n * sizeof *w->edges);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t meet = ir_dominators_common(w->x->meets, w->edges[i - 1].block, w->edges[i].block);
        w->meet_depth[i] = meet == IR_NO_BLOCK ? 0 : w->x->meets->depth[meet];
    }
    ir_remove(f, ins);
    ir_block_at(f, block)->edges.count = 0;
    tell_apart(w, &c, find_divisions(w, n), &work);
    while (work.count) {
        uint32_t division = vec_pop(&work);
        c.block = vec_pop(&work);
        tell_apart(w, &c, division, &work);
    }
}

uint32_t opt_cut_lead_on(struct opt_cut *x, const opt_edges *edges, uint32_t from, place at)
{
    struct ways w = {.x = x, .from = from, .meet = meet_of_all(x, edges)};
    qsort_r(edges->at, edges->count, sizeof *edges->at, by_meeting_place, &w);
    uint32_t block = opt_gather(x->arena, x->f, edges, at);
    if (ir_at(x->f, ir_terminator(x->f, block))->op == IR_switch)
        switch_to_tests(&w, block);
    return block;
}

static bool have_one_target(const struct opt_cut *x, const opt_edges *edges)
{
    for (uint32_t i = 1; i < edges->count; i++)
        if (target_of(x, edges->at[i]) != target_of(x, edges->at[0]))
            return false;
    return true;
}

uint32_t opt_cut_gather(struct opt_cut *x, const opt_edges *first, const opt_edges *rest, place at)
{
    opt_edges all = {0};
    for (uint32_t i = 0; i < first->count; i++)
        vec_push(x->arena, &all, first->at[i]);
    if (!have_one_target(x, rest))
        opt_cut_lead_on(x, rest, target_of(x, first->at[0]), at);
    for (uint32_t i = 0; i < rest->count; i++)
        vec_push(x->arena, &all, rest->at[i]);
    return opt_gather(x->arena, x->f, &all, at);
}
