/* replay.c: a warp goes through what its lanes were sampled to do, under one set of rules.
 *
 * As the scheme barrier has it (docs/schemes.md): lanes that diverge at a branch wait for each other at its
 * post-dominator, in a *record*. With a prediction, lanes wait at its label, and leave for good the records
 * whose places are in its region; those of the region run together where they are ready at one place. The
 * largest group runs. What a prediction's own instructions cost is about COST_WAIT at the label.
 */
#include "opt/cost/cost.h"

enum { DEPTH = 24, COST_WAIT = 10, COST_JOIN = 1, STAMPS = 256, NO_GROUP = COST_MAX_LANES };

#define BIT(n) ((uint64_t)1 << (n))

struct record {
    uint64_t members, waiting;
    uint32_t point;
};
struct warp {
    struct arena *arena;
    const struct cost_sample *s;
    const struct cost_rules *rules;
    struct cost_figures *figures;
    /* By lane: its next visit, and where: IR_NO_BLOCK at the end. */
    uint32_t at[COST_MAX_LANES], block[COST_MAX_LANES];
    uint32_t stack[COST_MAX_LANES][DEPTH], depth[COST_MAX_LANES];
    /* By group: the lanes ready to run together, how many, and where; in `groups` a bit for each that has
     * any. */
    uint64_t group[COST_MAX_LANES], groups;
    uint32_t size[COST_MAX_LANES], place[COST_MAX_LANES];
    struct bitset points; /* blocks that some record was of */
    VEC(struct record) records;
    uint64_t members, at_label; /* of the prediction; those that wait */
    uint32_t stamp[STAMPS], mark, segment[STAMPS];
};

static uint32_t first_of(uint64_t lanes)
{
    return (uint32_t)__builtin_ctzll(lanes);
}

static uint32_t count_of(uint64_t lanes)
{
    return (uint32_t)__builtin_popcountll(lanes);
}

#define each_lane(n, mask)                                                                                   \
    for (uint64_t n##_left = (mask), n##_one = 0; n##_left; n##_left &= n##_left - 1)                        \
        for (uint32_t n = first_of(n##_left); n##_one != n##_left; n##_one = n##_left)

/* ---- groups ------------------------------------------------------------------------------------------ */

static void make_ready(struct warp *w, uint64_t lanes)
{
    uint32_t block = w->block[first_of(lanes)], count = count_of(lanes);
    for (uint64_t left = lanes & ~w->members ? 0 : w->groups; left; left &= left - 1) {
        uint32_t g = first_of(left);
        if (w->place[g] == block && w->group[g] & w->members) {
            w->group[g] |= lanes;
            w->size[g] += count;
            return;
        }
    }
    uint32_t g = first_of(~w->groups);
    w->groups |= BIT(g);
    w->group[g] = lanes;
    w->size[g] = count;
    w->place[g] = block;
}

static uint32_t largest(const struct warp *w)
{
    uint32_t best = NO_GROUP, most = 0;
    for (uint64_t left = w->groups; left; left &= left - 1) {
        uint32_t g = first_of(left);
        if (w->size[g] > most) {
            most = w->size[g];
            best = g;
        }
    }
    return best;
}

/* ---- records ----------------------------------------------------------------------------------------- */

static void arrive(struct warp *w, uint64_t lanes);
static void wait_at_label(struct warp *w, uint64_t lanes);

/* The depth above the lane's record of this place; 0: it has none. */
static uint32_t find_record(const struct warp *w, uint32_t n, uint32_t point)
{
    uint32_t d = w->depth[n];
    while (d > 0 && w->records.at[w->stack[n][d - 1]].point != point)
        d--;
    return d;
}

/* Lets them go if nobody is missing. */
static void check_record(struct warp *w, uint32_t r)
{
    uint64_t all = w->records.at[r].members;
    if (!all || w->records.at[r].waiting != all)
        return;
    w->records.at[r].members = w->records.at[r].waiting = 0;
    each_lane(n, all)
        w->depth[n]--;
    wait_at_label(w, all);
}

static void leave_record(struct warp *w, uint32_t n, uint32_t r)
{
    w->records.at[r].members &= ~BIT(n);
    w->records.at[r].waiting &= ~BIT(n);
    check_record(w, r);
}

/* Lane n leaves its records: those whose places are in the region, or all. */
static void leave_records(struct warp *w, uint32_t n, bool all)
{
    uint32_t kept = 0, left[DEPTH], count = 0;
    for (uint32_t d = 0; d < w->depth[n]; d++) {
        uint32_t r = w->stack[n][d];
        if (all || bitset_has(w->rules->region, w->records.at[r].point))
            left[count++] = r;
        else
            w->stack[n][kept++] = r;
    }
    w->depth[n] = kept;
    for (uint32_t i = 0; i < count; i++)
        leave_record(w, n, left[i]);
}

static void open_record(struct warp *w, uint64_t lanes, uint32_t point)
{
    uint64_t members = 0;
    if (point == IR_NO_BLOCK)
        return;
    each_lane(n, lanes)
        if (w->block[n] != IR_NO_BLOCK && w->depth[n] < DEPTH && !find_record(w, n, point))
            members |= BIT(n);
    if (!members)
        return;
    vec_push(w->arena, &w->records, ((struct record){members, 0, point}));
    bitset_add(w->points, point);
    each_lane(n, members)
        w->stack[n][w->depth[n]++] = w->records.count - 1;
}

/* ---- the prediction ---------------------------------------------------------------------------------- */

static void release_label(struct warp *w)
{
    uint64_t lanes = w->at_label;
    w->at_label = 0;
    if (lanes)
        make_ready(w, lanes);
}

static void check_label(struct warp *w)
{
    if (w->at_label && w->at_label == w->members)
        release_label(w);
}

/* Lanes that are past all records of the place where they are. */
static void wait_at_label(struct warp *w, uint64_t lanes)
{
    uint64_t wait = w->block[first_of(lanes)] == w->rules->label ? lanes & w->members : 0;
    uint64_t arrived = w->at_label | wait;
    uint32_t threshold = w->rules->threshold;
    if (lanes & ~wait)
        make_ready(w, lanes & ~wait);
    if (!wait)
        return;
    w->figures->cycles += COST_WAIT;
    w->at_label = arrived;
    if (arrived == w->members || (threshold && count_of(arrived) >= threshold)) {
        release_label(w);
        return;
    }
    each_lane(n, wait)
        leave_records(w, n, false);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

/* The lanes have come to one block. */
static void arrive(struct warp *w, uint64_t lanes)
{
    uint32_t block = w->block[first_of(lanes)], records[COST_MAX_LANES], count = 0;
    uint64_t past = 0;
    if (w->rules->label != IR_NO_BLOCK && !bitset_has(w->rules->region, block) && lanes & w->members) {
        w->figures->cycles += COST_JOIN;
        w->members &= ~lanes;
        check_label(w);
    }
    bool waits = bitset_has(w->points, block);
    each_lane(n, lanes) {
        uint32_t d = waits ? find_record(w, n, block) : 0;
        if (!d) {
            past |= BIT(n);
            continue;
        }
        while (w->depth[n] > d)
            leave_record(w, n, w->stack[n][--w->depth[n]]);
        uint32_t r = w->stack[n][d - 1];
        w->records.at[r].waiting |= BIT(n);
        if (count == 0 || records[count - 1] != r)
            records[count++] = r;
    }
    for (uint32_t i = 0; i < count; i++)
        check_record(w, records[i]);
    if (past)
        wait_at_label(w, past);
}

/* Cycles of the segments that the lanes' accesses touch beyond the first of each. */
static uint32_t further_segments(struct warp *w, uint64_t lanes, uint32_t block)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < w->s->accesses[block]; k++) {
        w->mark++;
        uint32_t distinct = 0;
        each_lane(n, lanes) {
            uint32_t segment = w->s->segments.at[w->s->lane[n].at[w->at[n]].segments + k];
            uint32_t slot = segment * 2654435761u >> 24;
            if (w->stamp[slot] == w->mark && w->segment[slot] == segment)
                continue;
            w->stamp[slot] = w->mark;
            w->segment[slot] = segment;
            distinct++;
        }
        sum += (distinct - 1) * COST_NEXT_SEGMENT;
    }
    return sum;
}

/* Cycles of a whole loop that each lane runs in a visit: as long as the longest, and what the others'
 * accesses to memory add. 0: the visits are of the block alone. */
static uint32_t whole_loop(const struct warp *w, uint64_t lanes, uint32_t block)
{
    uint32_t longest = 0, own = 0, further = 0;
    if (!w->s->whole || !w->s->whole[block])
        return 0;
    each_lane(n, lanes) {
        const struct cost_visit *v = &w->s->lane[n].at[w->at[n]];
        further += v->further;
        if (v->cycles > longest) {
            longest = v->cycles;
            own = v->further;
        }
    }
    return longest + (further - own);
}

static uint32_t execute(struct warp *w, uint64_t lanes, uint32_t block)
{
    struct cost_figures *f = w->figures;
    uint32_t whole = whole_loop(w, lanes, block), extra = whole ? 0 : further_segments(w, lanes, block);
    f->steps++;
    f->cycles += whole ? whole : w->s->cost[block] + extra;
    if (f->executions) {
        f->executions[block]++;
        f->visits[block] += count_of(lanes);
        f->extra[block] += extra;
    }
    return whole;
}

/* Where lanes that diverge at the end of the block, or of the loop that the visit stands for, reconverge. */
static uint32_t reconvergence_point(const struct warp *w, uint32_t block, bool whole)
{
    const struct cost_sample *s = w->s;
    uint32_t r = s->post->depth[block] ? s->post->idom[block] : IR_NO_BLOCK;
    while (whole && r != IR_NO_BLOCK && ir_cycle_has(s->cycles, s->cycles->innermost[block], r))
        r = s->post->idom[r];
    return r;
}

static void advance(struct warp *w, uint32_t n)
{
    const cost_visits *v = &w->s->lane[n];
    w->at[n]++;
    w->block[n] = w->at[n] < v->count ? v->at[w->at[n]].block : IR_NO_BLOCK;
}

static void end_lanes(struct warp *w, uint64_t lanes)
{
    w->members &= ~lanes;
    each_lane(n, lanes)
        leave_records(w, n, true);
    check_label(w);
}

static void step(struct warp *w, uint32_t g)
{
    uint64_t lanes = w->group[g], ended = 0, first = 0;
    uint32_t block = w->block[first_of(lanes)];
    uint32_t whole = execute(w, lanes, block);
    w->groups &= ~BIT(g);
    if (block == w->rules->start)
        w->members |= lanes;
    each_lane(n, lanes) {
        advance(w, n);
        ended |= w->block[n] == IR_NO_BLOCK ? BIT(n) : 0;
        first |= w->block[n] == w->block[first_of(lanes)] ? BIT(n) : 0;
    }
    if (first != lanes)
        open_record(w, lanes & ~ended, reconvergence_point(w, block, whole != 0));
    for (uint64_t left = lanes & ~ended; left;) {
        uint32_t to = w->block[first_of(left)];
        uint64_t part = 0;
        each_lane(n, left)
            part |= w->block[n] == to ? BIT(n) : 0;
        left &= ~part;
        arrive(w, part);
    }
    if (ended)
        end_lanes(w, ended);
}

/* Everybody waits: as the machine does, the barrier with the most lanes is given up. */
static bool give_up_one(struct warp *w)
{
    uint32_t best = UINT32_MAX, most = 0;
    if (w->at_label) {
        release_label(w);
        return true;
    }
    for (uint32_t r = 0; r < w->records.count; r++)
        if (w->records.at[r].waiting && count_of(w->records.at[r].waiting) > most) {
            best = r;
            most = count_of(w->records.at[r].waiting);
        }
    if (best == UINT32_MAX)
        return false;
    w->records.at[best].members = w->records.at[best].waiting;
    check_record(w, best);
    return true;
}

void cost_replay(const struct cost_sample *s, const struct cost_rules *rules, uint64_t steps,
                 struct cost_figures *figures)
{
    struct scratch scratch;
    struct warp *w = arena_new(scratch_begin(&scratch), struct warp);
    *w = (struct warp){.arena = &scratch.arena, .s = s, .rules = rules, .figures = figures};
    w->points = bitset_new(&scratch.arena, s->f->blocks.count);
    uint64_t all = 0;
    figures->cycles = figures->steps = 0;
    figures->cut = false;
    for (uint32_t n = 0; n < s->lanes; n++) {
        w->block[n] = s->lane[n].count ? s->lane[n].at[0].block : IR_NO_BLOCK;
        all |= s->lane[n].count ? BIT(n) : 0;
    }
    if (all)
        make_ready(w, all);
    for (;;) {
        uint32_t g = largest(w);
        figures->cut = figures->steps >= steps;
        if (figures->cut || (g == NO_GROUP && !give_up_one(w)))
            break;
        if (g != NO_GROUP)
            step(w, g);
    }
    scratch_end(&scratch);
}
