/* pdom_barriers.c: reconvergence by convergence barriers where each branch says that its threads wait for each
 * other ("Speculative Reconvergence", section 2; the region-exit barrier of section 4.2.1).
 *
 * The place of a branch is what the pass reconverge has chosen, or its immediate post-dominator. A place has
 * one barrier. Threads wait at its start, and join at each divergent branch that it belongs to, at each call
 * through a pointer, whose callees may differ, and at the gate of each prediction's region whose exit it is.
 * Joining again changes nothing, so that all threads of the first divergence stay together in the barrier,
 * whatever loops lie between. Threads that take an edge which breaks cancel what they may have joined,
 * unless they end soon.
 *
 * Who does not diverge at a branch needs no barrier there. So the joins at branches, which the other parts of
 * the pass see as operations, become part of the branches in the end: a branch that names where its threads
 * reconverge joins the barrier there as they diverge.
 *
 * Near-linear, and the function's size for each edge that breaks and leads to a loop, a barrier or a wait.
 */
#include "opt/predict/barriers.h"

struct joining {
    uint32_t point;
    ir_ref before;
    bool by_branch; /* it is for threads that diverge at `before` */
};

/* An edge that breaks; its threads leave the barriers that have the points. */
struct breaking_edge {
    ir_ref branch;
    uint32_t edge, to;
    u32_vec points;
};

struct post_dominators {
    struct barriers *x;
    const struct ir_cycles *cycles;
    const uint32_t *points; /* by block: where its branch's threads reconverge */
    const struct ir_uniformity *uniformity;
    VEC(struct joining) joins;
    struct bitset lasting; /* blocks from which threads come to a loop, a barrier or a wait */
    VEC(struct breaking_edge) breaking;
};

/* As the machine sees control flow, and threads of predictions that have met. No analysis of the runner's: it
 * depends on the predictions that this pass has placed. */
static struct ir_uniformity *find_uniformity(const struct post_dominators *p)
{
    struct barriers *x = p->x;
    struct ir_uniformity_options o = {.ignore_tokens = true,
                                      .reconvergence = p->points,
                                      .most = x->c->options->limits[OPT_LIMIT_uniformity_steps],
                                      .merge_count = x->waits.count};
    struct ir_merge *merges = arena_array(x->arena, struct ir_merge, x->waits.count);
    for (uint32_t i = 0; i < x->waits.count; i++)
        merges[i] = (struct ir_merge){ir_at(x->f, x->waits.at[i].at)->block,
                                      x->predictions.at[x->waits.at[i].prediction].area};
    o.merges = merges;
    struct ir_uniformity *u = ir_uniformity_new(x->arena, x->cfg, p->cycles, NULL, &o);
    if (u->over)
        opt_below(x->c, x->f, OPT_LIMIT_uniformity_steps, o.most);
    return u;
}

uint32_t barriers_point(const struct barriers *x, uint32_t b)
{
    uint32_t chosen = ir_block_at(x->f, b)->reconverge;
    if (chosen != IR_NO_BLOCK)
        return chosen == IR_AT_RETURN ? IR_NO_BLOCK : chosen;
    return x->post->depth[b] ? x->post->idom[b] : IR_NO_BLOCK;
}

bool barriers_ends_kernel(const struct barriers *x, uint32_t b)
{
    return x->f->flags & IR_FN_KERNEL && ir_at(x->f, ir_block_at(x->f, b)->first)->op == IR_ret;
}

/* ---- where threads join ------------------------------------------------------------------------------ */

static void add_branches(struct post_dominators *p)
{
    struct barriers *x = p->x;
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        uint32_t b = x->cfg->rpo[i], point = p->points[b];
        if (!bitset_has(p->uniformity->branches, b) || point == IR_NO_BLOCK || barriers_ends_kernel(x, point))
            continue;
        vec_push(x->arena, &p->joins, ((struct joining){point, ir_terminator(x->f, b), true}));
    }
}

/* Before the first start or label in the gate: threads are together there. */
static ir_ref place_in(const struct barriers *x, uint32_t gate)
{
    ir_each_ins(r, x->f, gate)
        if (ir_at(x->f, r)->op == IR_cb_join || ir_at(x->f, r)->op == IR_cb_wait)
            return r;
    return ir_terminator(x->f, gate);
}

static void add_exits(struct post_dominators *p)
{
    struct barriers *x = p->x;
    for (uint32_t i = 0; i < x->predictions.count; i++)
        for (uint32_t k = 0; k < x->predictions.at[i].starts.count; k++) {
            const struct barrier_start *s = &x->predictions.at[i].starts.at[k];
            if (s->gate != IR_NO_BLOCK)
                vec_push(x->arena, &p->joins, ((struct joining){s->exit, place_in(x, s->gate), false}));
        }
}

/* Calls in areas. A block may have calls before the Predict with which an area begins. */
static struct bitset find_area_calls(const struct barriers *x)
{
    struct bitset calls = bitset_new(x->arena, x->f->ins.count);
    for (uint32_t i = 0; i < x->predictions.count; i++) {
        const struct barrier_prediction *p = &x->predictions.at[i];
        for (uint32_t k = 0; k < p->calls.count; k++)
            bitset_add(calls, p->calls.at[k]);
    }
    return calls;
}

/* Whether it calls a function that may inherit a prediction, be it by way of others that are worked on later,
 * and where threads leave barriers; in an area they are separated anyway. */
static bool may_diverge(const struct barriers *x, struct bitset area_calls, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    return ins->op == IR_call && !bitset_has(area_calls, r) && bitset_count(x->inheritable[ins->imm]);
}

static u32_vec find_diverging_calls(const struct barriers *x)
{
    struct bitset areas = find_area_calls(x);
    u32_vec calls = {0};
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        ir_each_ins(r, x->f, x->cfg->rpo[i])
            if (ir_at(x->f, r)->op == IR_icall || may_diverge(x, areas, r))
                vec_push(x->arena, &calls, r);
    return calls;
}

/* Threads that a call through a pointer sends to several functions, or that diverge in one, reconverge
 * behind it. */
static void surround(struct barriers *x, const u32_vec *calls)
{
    for (uint32_t i = 0; i < calls->count; i++) {
        ir_ref r = calls->at[i];
        uint32_t reg = (*x->registers)++;
        barriers_put(x, ir_at(x->f, r)->block, r, IR_cb_join, reg, 0);
        barriers_wait_before(x, ir_at(x->f, r)->next, reg, 0);
    }
}

/* ---- threads for whom nobody waits -------------------------------------------------------------------- */

static bool waits_in(const struct barriers *x, uint32_t b)
{
    ir_each_ins(r, x->f, b) {
        enum ir_op op = (enum ir_op)ir_at(x->f, r)->op;
        if (op == IR_barrier || op == IR_cb_wait || op == IR_call || op == IR_icall)
            return true;
    }
    return false;
}

static struct bitset find_lasting(const struct post_dominators *p)
{
    const struct barriers *x = p->x;
    struct walk w = walk_new(x->arena, x->f->blocks.count);
    for (uint32_t k = 0; k < p->cycles->count; k++)
        walk_add(&w, p->cycles->at[k].header);
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        if (waits_in(x, x->cfg->rpo[i]))
            walk_add(&w, x->cfg->rpo[i]);
    return ir_reach_back(&w, x->cfg, IR_NO_BLOCK);
}

/* The points whose barriers are joined on a way to block `from`, which may lead there. */
static u32_vec points_around(const struct post_dominators *p, uint32_t from)
{
    uint32_t blocks = p->x->f->blocks.count;
    struct walk back = walk_new(p->x->arena, blocks), forward = walk_new(p->x->arena, blocks);
    u32_vec points = {0};
    walk_add(&back, from);
    walk_add(&forward, from);
    struct bitset before = ir_reach_back(&back, p->x->cfg, IR_NO_BLOCK),
                  ahead = ir_reach(&forward, p->x->f, IR_NO_BLOCK), seen = bitset_new(p->x->arena, blocks);
    for (uint32_t i = 0; i < p->joins.count; i++) {
        const struct joining *j = &p->joins.at[i];
        if (bitset_has(seen, j->point) || !bitset_has(before, ir_at(p->x->f, j->before)->block) ||
            !bitset_has(ahead, j->point))
            continue;
        bitset_add(seen, j->point);
        vec_push(p->x->arena, &points, j->point);
    }
    return points;
}

static void find_breaking(struct post_dominators *p)
{
    struct barriers *x = p->x;
    p->lasting = find_lasting(p);
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(x->f, x->cfg->rpo[i]);
        for (uint32_t e = 0; e < b->edges.count; e++) {
            if (!b->edges.at[e].breaks || !bitset_has(p->lasting, b->edges.at[e].block))
                continue;
            struct breaking_edge at = {ir_terminator(x->f, x->cfg->rpo[i]), e, b->edges.at[e].block,
                                       points_around(p, x->cfg->rpo[i])};
            if (at.points.count)
                vec_push(x->arena, &p->breaking, at);
        }
    }
}

static void cancel_where_broken(struct post_dominators *p, const uint32_t *reg)
{
    struct barriers *x = p->x;
    struct map split = {0};
    for (uint32_t i = 0; i < p->breaking.count; i++) {
        const struct breaking_edge *at = &p->breaking.at[i];
        uint32_t from = ir_at(x->f, at->branch)->block;
        for (uint32_t k = 0; k < at->points.count; k++)
            barriers_cancel_on_edge(x, &split, from, at->edge, at->to, reg[at->points.at[k]] - 1);
    }
}

/* ---- placing ----------------------------------------------------------------------------------------- */

static void place_all(struct post_dominators *p)
{
    struct barriers *x = p->x;
    uint32_t *reg = arena_array(x->arena, uint32_t, x->f->blocks.count);
    struct map placed = {0};
    u32_vec places = {0};
    for (uint32_t i = 0; i < p->joins.count; i++) {
        const struct joining *j = &p->joins.at[i];
        uint64_t key = (uint64_t)j->point << 32 | j->before;
        if (!reg[j->point]) {
            reg[j->point] = 1 + (*x->registers)++;
            vec_push(x->arena, &places, j->point);
        }
        if (map_get(&placed, key) != MAP_NONE)
            continue;
        map_set(x->arena, &placed, key, 1);
        ir_ref join =
            barriers_put(x, ir_at(x->f, j->before)->block, j->before, IR_cb_join, reg[j->point] - 1, 0);
        if (j->by_branch)
            vec_push(x->arena, &x->branch_joins, join);
    }
    for (uint32_t i = 0; i < places.count; i++)
        barriers_wait_before(x, ir_block_at(x->f, places.at[i])->first, reg[places.at[i]] - 1, 0);
    cancel_where_broken(p, reg);
}

void barriers_post_dominators(struct barriers *x)
{
    struct post_dominators p = {.x = x, .cycles = opt_cycles(x->c, x->f)};
    p.points = ir_reconvergence_points(x->arena, x->cfg, x->post);
    p.uniformity = find_uniformity(&p);
    add_exits(&p);
    add_branches(&p);
    find_breaking(&p);
    u32_vec diverging = find_diverging_calls(x);
    place_all(&p);
    surround(x, &diverging);
}

/* ---- joins by branches ------------------------------------------------------------------------------- */

/* By register: the wait of a place where threads reconverge. */
static struct map find_waits(const struct barriers *x)
{
    struct map waits = {0};
    ir_each_block(k, b, x->f)
        ir_each_ins(r, x->f, b)
            if (ir_at(x->f, r)->op == IR_cb_wait)
                map_set(x->arena, &waits, (uint32_t)ir_at(x->f, r)->imm, r);
    return waits;
}

/* The block that begins with the wait: threads may cancel others before. */
static uint32_t block_of_wait(struct barriers *x, ir_ref wait)
{
    uint32_t block = ir_at(x->f, wait)->block;
    if (ir_block_at(x->f, block)->first == wait)
        return block;
    uint32_t point = ir_block_split(x->f, block, wait, NULL);
    struct ir_cursor at = {x->f, block, 0, {0, 0}};
    ir_emit_br(&at, point);
    return point;
}

void barriers_join_by_branches(struct barriers *x)
{
    struct map waits = find_waits(x);
    ir_each_block(k, b, x->f)
        ir_block_at(x->f, b)->reconverge = IR_NO_BLOCK;
    for (uint32_t i = 0; i < x->branch_joins.count; i++) {
        ir_ref join = x->branch_joins.at[i];
        if (ir_at(x->f, join)->op != IR_cb_join)
            continue; /* deconfliction has removed the barrier */
        uint32_t point = block_of_wait(x, map_get(&waits, (uint32_t)ir_at(x->f, join)->imm));
        ir_block_at(x->f, ir_at(x->f, join)->block)->reconverge = point;
        ir_remove(x->f, join);
    }
}
