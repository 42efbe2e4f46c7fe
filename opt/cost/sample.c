/* sample.c: lanes of one warp run through a function, each alone. What they visit is all that is kept.
 *
 * They run by turns, one *epoch* at a time: from one visit of an outermost cycle's header to the next. When
 * the budget is spent, epochs that not all lanes have come through are dropped, and longer lists are made by
 * giving each lane the later epochs of its neighbours, so that what a warp does at the loop's end counts no
 * more than it will.
 */
#include "opt/cost/sample.h"
#include "opt/pass.h"

enum {
    EPOCHS = 64,
    VISITS = 16,
    VISITS_MAX = 4096
}; /* made by repetition; of a lane's list at first, and then */

/* Of loops and branches of which nothing is known. */
static const struct {
    uint32_t trips, first; /* iterations; the first edge of two, in 1/256 */
} cost_guesses[COST_GUESSES] = {{COST_TRIPS, 128}, {COST_TRIPS / 4, 32}, {COST_TRIPS * 4, 224}};

/* ---- branches ---------------------------------------------------------------------------------------- */

/* What likelihoods of a block's edges depend on beside the edge. */
struct branch {
    uint32_t cycle, staying; /* the innermost one around; edges that stay in it */
    uint32_t trapping;       /* the first edge to a trap */
    uint32_t guarded;        /* see cost_guarded_edge */
};

static bool stays(const struct cost_sampler *x, const struct ir_block *block, uint32_t cycle, uint32_t e)
{
    return cycle != IR_NO_CYCLE && ir_cycle_has(x->s->cycles, cycle, block->edges.at[e].block);
}

static struct branch branch_of(const struct cost_sampler *x, uint32_t b)
{
    const struct ir_function *f = x->s->f;
    const struct ir_block *block = ir_block_at(f, b);
    struct branch of = {.cycle = x->s->cycles->innermost[b],
                        .guarded = cost_guarded_edge(f, x->s->cycles, b)};
    for (uint32_t e = 0; e < block->edges.count; e++)
        of.staying += stays(x, block, of.cycle, e);
    while (of.trapping < block->edges.count &&
           ir_at(f, ir_terminator(f, block->edges.at[of.trapping].block))->op != IR_trap)
        of.trapping++;
    return of;
}

/* Of 65536. Loops are left once in so many times, and so are tests before them; what is the same for all
 * threads is no reason to skip a loop in the whole model. Nobody expects to trap. */
static uint32_t likelihood(struct cost_sampler *x, const struct branch *of, uint32_t b, uint32_t e)
{
    const struct ir_block *block = ir_block_at(x->s->f, b);
    uint32_t edges = block->edges.count;
    uint32_t hint = cost_likely(x->hints->profile, b, e);
    if (hint != UINT32_MAX)
        return hint;
    if (of->trapping < edges)
        return of->trapping == e ? 0 : 65536 / (edges - 1);
    x->s->guessed = true;
    uint32_t trips = cost_guesses[x->hints->guess].trips;
    uint32_t skipped = bitset_has(x->u->branches, b) ? 65536 / trips : 0;
    if (of->guarded < edges)
        return e == of->guarded ? 65536 - skipped : skipped;
    uint32_t first = cost_guesses[x->hints->guess].first * (65536 / 256);
    if (of->staying == 0 || of->staying == edges)
        return edges > 2 ? 65536 / edges : e == 0 ? first : 65536 - first;
    return stays(x, block, of->cycle, e) ? 65536 / trips * (trips - 1) / of->staying
                                         : 65536 / trips / (edges - of->staying);
}

/* Of each edge but the last: the likelihood of it and of those before it. The same for all lanes and visits,
 * so that a draw takes logarithmic time. */
static const uint32_t *sums_of(struct cost_sampler *x, uint32_t b)
{
    uint32_t edges = ir_block_at(x->s->f, b)->edges.count, sum = 0;
    if (x->sums[b])
        return x->sums[b];
    struct branch of = branch_of(x, b);
    x->sums[b] = arena_array(x->arena, uint32_t, edges);
    for (uint32_t e = 0; e + 1 < edges; e++)
        x->sums[b][e] = sum += likelihood(x, &of, b, e);
    return x->sums[b];
}

/* The first edge whose sum is above the point drawn; the last has the rest. */
uint32_t cost_draw_edge(struct cost_sampler *x, uint32_t b, uint32_t lane)
{
    const uint32_t *sums = sums_of(x, b);
    bool same = !bitset_has(x->u->branches, b);
    uint32_t visited = x->visited[b * x->s->lanes + lane];
    uint32_t point = (uint32_t)(cost_draw(b, visited, same ? 0 : lane + 1) >> 48);
    uint32_t first = 0, end = ir_block_at(x->s->f, b)->edges.count - 1;
    while (first < end) {
        uint32_t middle = (first + end) / 2;
        if (point < sums[middle])
            end = middle;
        else
            first = middle + 1;
    }
    return first;
}

/* ---- an epoch ---------------------------------------------------------------------------------------- */

void cost_groups_add(struct cost_groups *g, const struct cost_slice *slice, uint32_t block, uint64_t lanes)
{
    uint32_t i = g->count;
    while (i > 0 && slice->order[g->at[i - 1].block] < slice->order[block])
        i--;
    if (i > 0 && g->at[i - 1].block == block) {
        g->at[i - 1].lanes |= lanes;
        return;
    }
    memmove(&g->at[i + 1], &g->at[i], (g->count - i) * sizeof g->at[0]);
    g->at[i] = (struct cost_group){block, lanes};
    g->count++;
}

/* Lanes visit the block. Those that go on. */
static uint64_t visit(struct cost_sampler *x, uint32_t b, uint64_t lanes, struct cost_groups *groups)
{
    uint32_t segment = x->s->segments.count, touched = x->frame->slice->blocks[b].touched, next = segment;
    uint32_t *visited = &x->visited[b * x->s->lanes];
    cost_visits *lane = x->s->lane;
    each_lane(n, lanes) {
        visited[n]++;
        vec_push(x->arena, &lane[n], ((struct cost_visit){b, next}));
        next += touched;
    }
    x->s->together++;
    x->s->visits += (uint64_t)__builtin_popcountll(lanes);
    vec_resize(x->arena, &x->s->segments, next);
    cost_run_block(x, b, lanes, segment);
    if (ir_block_at(x->s->f, b)->edges.count == 0)
        return 0;
    cost_leave_block(x, b, lanes, groups);
    return lanes;
}

static bool begins_epoch(const struct cost_sampler *x, uint32_t b)
{
    uint32_t c = x->s->cycles->innermost[b];
    return c != IR_NO_CYCLE && x->s->cycles->at[c].parent == IR_NO_CYCLE && x->s->cycles->at[c].header == b;
}

/* The groups run until their lanes begin another epoch, end, or the budget is spent. Those that begin another
 * one are the groups then. Lanes that have not ended. */
static uint64_t run_epoch(struct cost_sampler *x, struct cost_groups *groups)
{
    struct cost_groups again = {.count = 0};
    uint64_t begun = 0, running = 0;
    for (uint32_t i = 0; i < groups->count; i++)
        running |= groups->at[i].lanes;
    while (groups->count && x->left) {
        struct cost_group g = groups->at[--groups->count];
        uint64_t before = begins_epoch(x, g.block) ? g.lanes & begun : 0, lanes = g.lanes & ~before;
        if (before)
            cost_groups_add(&again, x->frame->slice, g.block, before);
        begun |= lanes;
        if (lanes)
            running &= visit(x, g.block, lanes, groups) | ~lanes;
    }
    if (x->left)
        *groups = again;
    return running;
}

/* ---- all lanes --------------------------------------------------------------------------------------- */

static bool leads_to(const struct ir_function *f, uint32_t b, uint32_t next)
{
    ir_each_succ(to, b, f)
        if (to == next)
            return true;
    return false;
}

/* The lanes have all `epochs` epochs, the last of them of the cycle that was not finished: its epochs from
 * `first` on are repeated by turns. A lane ends behind one that left the cycle. */
static void repeat(struct cost_sampler *x, uint32_t first, uint32_t epochs)
{
    const struct cost_lane *lanes = x->lane;
    cost_visits old[COST_MAX_LANES];
    uint32_t pieces = epochs - first;
    memcpy(old, x->s->lane, sizeof old);
    for (uint32_t n = 0; n < x->s->lanes; n++) {
        cost_visits fresh = {0};
        for (uint32_t i = 0; i < lanes[n].epochs.at[first]; i++)
            vec_push(x->arena, &fresh, old[n].at[i]);
        for (uint32_t k = 0; k < EPOCHS || k < pieces; k++) {
            uint32_t neighbour = (n + k / pieces) % x->s->lanes;
            const struct cost_lane *from = &lanes[neighbour];
            uint32_t piece = first + k % pieces;
            uint32_t begin = from->epochs.at[piece], end = from->epochs.at[piece + 1];
            if ((k >= pieces && fresh.count + (end - begin) > VISITS_MAX) ||
                (fresh.count && !leads_to(x->s->f, vec_last(&fresh).block, old[neighbour].at[begin].block)))
                break;
            for (uint32_t i = begin; i < end; i++)
                vec_push(x->arena, &fresh, old[neighbour].at[i]);
        }
        x->s->lane[n] = fresh;
    }
}

/* Where each epoch of the lane begins. One that has not ended after so many is about to begin another. */
static void find_epochs(struct cost_sampler *x, uint32_t n, bool running, uint32_t epochs)
{
    const cost_visits *v = &x->s->lane[n];
    u32_vec *begins = &x->lane[n].epochs;
    for (uint32_t i = 0; i < v->count; i++)
        if (i == 0 || begins_epoch(x, v->at[i].block))
            vec_push(x->arena, begins, i);
    if (running && begins->count == epochs)
        vec_push(x->arena, begins, v->count);
}

/* Lanes that are running have begun epoch number `epochs` and not come through it. */
static void cut(struct cost_sampler *x, uint64_t running, uint32_t epochs)
{
    const struct cost_lane *lanes = x->lane;
    uint32_t head = IR_NO_BLOCK, first = epochs;
    bool all = epochs > 1;
    for (uint32_t n = 0; n < x->s->lanes; n++)
        find_epochs(x, n, running >> n & 1, epochs);
    for (uint32_t n = 0; n < x->s->lanes; n++) {
        all &= lanes[n].epochs.count > epochs;
        if (epochs > 1 && lanes[n].epochs.count > epochs)
            x->s->lane[n].count = lanes[n].epochs.at[epochs];
    }
    for (uint32_t n = 0; all && n < x->s->lanes; n++) {
        const cost_visits *v = &x->s->lane[n];
        uint32_t k = epochs, own = v->at[lanes[n].epochs.at[epochs - 1]].block;
        head = n ? head : own;
        all &= own == head;
        while (k > 1 && v->at[lanes[n].epochs.at[k - 1]].block == head)
            k--;
        first = n == 0 || k > first ? k : first;
    }
    if (all && first < epochs && !x->hints->once)
        repeat(x, first, epochs);
}

static void run_lanes(struct cost_sampler *x)
{
    uint64_t running = UINT64_MAX >> (64 - x->s->lanes);
    uint32_t epochs = 0;
    struct cost_groups groups = {.count = 0};
    for (uint32_t n = 0; n < x->s->lanes; n++)
        vec_reserve(x->arena, &x->s->lane[n], VISITS);
    vec_reserve(x->arena, &x->s->segments, VISITS * x->s->lanes);
    cost_groups_add(&groups, x->frame->slice, ir_entry(x->s->f), running);
    for (; running && x->left; epochs += x->left != 0)
        running = run_epoch(x, &groups);
    x->s->cut = running != 0;
    x->s->epochs = running ? epochs : 1;
    if (running)
        cut(x, running, epochs);
}

/* ---- the function ------------------------------------------------------------------------------------ */

static void find_costs(struct cost_sampler *x, const uint64_t *functions)
{
    const struct ir_function *f = x->s->f;
    uint32_t at = COST_SEGMENT;
    for (uint32_t i = 0; i < f->module->objects.count; i++) {
        x->place[i] = at;
        at += (f->module->objects.at[i].size + COST_SEGMENT - 1) / COST_SEGMENT * COST_SEGMENT;
    }
    ir_each_block(k, b, f) {
        x->s->cost[b] = cost_of_block(f, b);
        ir_each_ins(r, f, b) {
            const struct ir_ins *i = ir_at(f, r);
            x->s->cost[b] += i->op == IR_call    ? (uint32_t)functions[i->imm]
                             : i->op == IR_icall ? COST_UNKNOWN_CALL
                                                 : 0;
        }
    }
}

const struct cost_sample *cost_sample_part(struct arena *a, const struct cost_sample *mixed, uint32_t part,
                                           uint32_t parts)
{
    struct cost_sample *s = arena_new(a, struct cost_sample);
    *s = *mixed;
    s->lanes = mixed->lanes / parts;
    memcpy(s->lane, &mixed->lane[part * s->lanes], s->lanes * sizeof s->lane[0]);
    return s;
}

struct cost_sample *cost_sample_new(struct arena *a, const struct ir_uniformity *u, const uint64_t *functions,
                                    const struct cost_hints *hints, uint64_t budget)
{
    const struct ir_function *f = u->cfg->fn;
    if (f->order.count == 0)
        return NULL;
    struct cost_sample *s = arena_new(a, struct cost_sample);
    *s = (struct cost_sample){.f = f,
                              .cfg = u->cfg,
                              .cycles = u->cycles,
                              .lanes = cost_lanes_of(hints),
                              .cost = arena_array(a, uint32_t, f->blocks.count)};
    struct cost_sampler x = {.arena = a,
                             .s = s,
                             .u = u,
                             .hints = hints,
                             .kernel = ir_kernel_info(f->module, f->id),
                             .arguments = cost_arguments(a, f, hints->launch),
                             .lane = arena_array(a, struct cost_lane, s->lanes),
                             .shared = cost_is_whole_block(hints) ? arena_new(a, struct cost_memory) : NULL,
                             .visited = arena_array(a, uint32_t, f->blocks.count * s->lanes),
                             .called = arena_array(a, struct cost_frame *, f->module->functions.count),
                             .sums = arena_array(a, uint32_t *, f->blocks.count),
                             .place = arena_array(a, uint32_t, f->module->objects.count + 1),
                             .left = budget};
    struct cost_frame frame = {.base = COST_SEGMENT};
    find_costs(&x, functions);
    x.frame = &frame;
    cost_make_frame(&x, a, &frame, cost_slice_new(a, f, u->cfg, false, x.shared));
    cost_run_parameters(&x);
    run_lanes(&x);
    for (uint32_t n = 0; n < s->lanes; n++) {
        vec_push(a, &s->lane[n], ((struct cost_visit){.block = IR_NO_BLOCK}));
        s->lane[n].count--;
    }
    return s;
}
