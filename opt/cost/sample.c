/* sample.c: lanes of one warp run through a function, each alone. What they visit is all that is kept.
 *
 * They run by turns, one *epoch* at a time: from one visit of an outermost cycle's header to the next. When
 * the budget is spent, epochs that not all lanes have come through are dropped, and longer lists are made by
 * giving each lane the later epochs of its neighbours, so that what a warp does at the loop's end counts no
 * more than it will.
 */
#include "opt/cost/sample.h"
#include "opt/pass.h"

enum { EPOCHS = 64, VISITS_MAX = 65536 }; /* made by repetition; of a lane's list then */

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
static uint32_t draw_edge(struct cost_sampler *x, const struct cost_lane *lane, uint32_t b)
{
    const uint32_t *sums = sums_of(x, b);
    bool same = !bitset_has(x->u->branches, b);
    uint32_t point = (uint32_t)(cost_draw(b, lane->visited[b], same ? 0 : lane->number + 1) >> 48);
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

static uint32_t choose_edge(struct cost_sampler *x, const struct cost_lane *lane, uint32_t b)
{
    const struct ir_function *f = x->s->f;
    const struct ir_ins *end = ir_at(f, ir_terminator(f, b));
    if (ir_block_at(f, b)->edges.count == 1)
        return 0;
    if (lane->known[end->args[0]])
        return ir_chosen_edge(f, b, lane->value[end->args[0]]);
    return draw_edge(x, lane, b);
}

/* ---- one lane ---------------------------------------------------------------------------------------- */

static void run_block(struct cost_sampler *x, struct cost_lane *lane)
{
    const struct ir_function *f = x->s->f;
    uint32_t b = lane->block;
    lane->visited[b]++;
    vec_push(x->arena, &x->s->lane[lane->number], ((struct cost_visit){b, x->s->segments.count}));
    cost_run_instructions(x, lane);
    if (ir_block_at(f, b)->edges.count == 0) {
        lane->done = true;
        return;
    }
    cost_follow(x, lane, &ir_block_at(f, b)->edges.at[choose_edge(x, lane, b)]);
}

static bool begins_epoch(const struct cost_sampler *x, uint32_t b)
{
    uint32_t c = x->s->cycles->innermost[b];
    return c != IR_NO_CYCLE && x->s->cycles->at[c].parent == IR_NO_CYCLE && x->s->cycles->at[c].header == b;
}

static void run_epoch(struct cost_sampler *x, struct cost_lane *lane)
{
    cost_visits *visits = &x->s->lane[lane->number];
    vec_push(x->arena, &lane->epochs, visits->count);
    do
        run_block(x, lane);
    while (!lane->done && x->left && !begins_epoch(x, lane->block));
}

/* ---- all lanes --------------------------------------------------------------------------------------- */

static struct cost_lane *begin_lanes(struct cost_sampler *x)
{
    const struct ir_function *f = x->s->f;
    struct cost_lane *lanes = arena_array(x->arena, struct cost_lane, x->s->lanes);
    for (uint32_t n = 0; n < x->s->lanes; n++) {
        struct cost_lane *lane = &lanes[n];
        *lane = (struct cost_lane){
            .number = n, .visited = arena_array(x->arena, uint32_t, f->blocks.count), .frame = COST_SEGMENT};
        cost_begin_function(x->arena, lane, f);
        cost_run_parameters(x, lane);
    }
    return lanes;
}

static bool leads_to(const struct ir_function *f, uint32_t b, uint32_t next)
{
    ir_each_succ(to, b, f)
        if (to == next)
            return true;
    return false;
}

/* The lanes have all `epochs` epochs, the last of them of the cycle that was not finished: its epochs from
 * `first` on are repeated by turns. A lane ends behind one that left the cycle. */
static void repeat(struct cost_sampler *x, const struct cost_lane *lanes, uint32_t first, uint32_t epochs)
{
    cost_visits old[COST_MAX_LANES];
    uint32_t pieces = epochs - first;
    memcpy(old, x->s->lane, sizeof old);
    for (uint32_t n = 0; n < x->s->lanes; n++) {
        cost_visits fresh = {0};
        for (uint32_t i = 0; i < lanes[n].epochs.at[first]; i++)
            vec_push(x->arena, &fresh, old[n].at[i]);
        for (uint32_t k = 0; k < EPOCHS || k < pieces; k++) {
            const struct cost_lane *from = &lanes[(n + k / pieces) % x->s->lanes];
            uint32_t piece = first + k % pieces;
            uint32_t begin = from->epochs.at[piece], end = from->epochs.at[piece + 1];
            if ((k >= pieces && fresh.count + (end - begin) > VISITS_MAX) ||
                (fresh.count &&
                 !leads_to(x->s->f, vec_last(&fresh).block, old[from->number].at[begin].block)))
                break;
            for (uint32_t i = begin; i < end; i++)
                vec_push(x->arena, &fresh, old[from->number].at[i]);
        }
        x->s->lane[n] = fresh;
    }
}

/* Lanes that are not done have begun epoch number `epochs` and not come through it. */
static void cut(struct cost_sampler *x, struct cost_lane *lanes, uint32_t epochs)
{
    uint32_t head = IR_NO_BLOCK, first = epochs;
    bool all = epochs > 1;
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
    if (all && first < epochs)
        repeat(x, lanes, first, epochs);
}

static void run_lanes(struct cost_sampler *x)
{
    struct cost_lane *lanes = begin_lanes(x);
    bool running = true, spent = false;
    uint32_t epochs = 0;
    for (; running && !spent; epochs += !spent) {
        running = false;
        for (uint32_t n = 0; n < x->s->lanes; n++) {
            if (lanes[n].done)
                continue;
            run_epoch(x, &lanes[n]);
            running |= !lanes[n].done;
            spent |= !x->left;
        }
    }
    for (uint32_t n = 0; n < x->s->lanes; n++) /* as if one more began */
        if (!lanes[n].done && lanes[n].epochs.count == epochs)
            vec_push(x->arena, &lanes[n].epochs, x->s->lane[n].count);
    x->s->cut = spent && running;
    if (spent && running)
        cut(x, lanes, epochs);
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
                             .bodies = arena_array(a, struct cost_body *, f->module->functions.count),
                             .sums = arena_array(a, uint32_t *, f->blocks.count),
                             .place = arena_array(a, uint32_t, f->module->objects.count + 1),
                             .left = budget};
    find_costs(&x, functions);
    x.body = cost_body_of(&x, f);
    run_lanes(&x);
    for (uint32_t n = 0; n < s->lanes; n++) {
        vec_push(a, &s->lane[n], ((struct cost_visit){.block = IR_NO_BLOCK}));
        s->lane[n].count--;
    }
    return s;
}
