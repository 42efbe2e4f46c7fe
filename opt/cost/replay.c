/* replay.c: a warp goes through what its lanes were sampled to do, in code with convergence barriers.
 *
 * It schedules as the scheme barrier does by default (runtime/schemes/barrier.c, barrier_groups.c), which has
 * the words used here: lanes that run together are a group; the largest ready one runs, among equal ones the
 * newest, until it waits, ends or diverges. What that machine does in turns only, since lanes may spin, is left
 * out: sampled lanes never wait for each other by memory.
 */
#include "opt/cost/cost.h"

enum { STAMPS = 256, NO_RECORD = 0 };

#define BIT(n) ((uint64_t)1 << (n))

/* A ready group. place: the piece that it is to enter; from the pieces' count on, the one at whose end it has
 * waited; from twice that on, the edge on which it has yet to move something, as in a block of its own. */
struct group {
    uint64_t lanes;
    uint32_t count, place;
};
struct record {
    uint64_t joined, waiting, members;
    uint32_t next; /* of the register, or free; NO_RECORD: none */
    bool gathers;
};
struct warp {
    struct arena *arena;
    const struct cost_sample *s;
    const struct cost_code *code;
    struct cost_figures *figures;
    const struct cost_visit *next[COST_MAX_LANES]; /* by lane: its next visit */
    uint32_t place[COST_MAX_LANES];                /* where it goes on, if it waits */
    uint32_t ahead; /* visits that the running group has begun since `next` was set for its lanes */
    uint32_t until; /* of these, how many there are at least for each of them */
    struct group ready[COST_MAX_LANES];
    uint32_t ready_count; /* the next one is the last */
    VEC(struct record) records;
    uint32_t free;
    bool any_gathers;
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

/* ---- ready groups ------------------------------------------------------------------------------------ */

/* Of a register; r is evaluated more than once. */
#define each_record(r, w, reg)                                                                               \
    for (uint32_t r = (reg), r##_more = true; r##_more;                                                      \
         r = (w)->records.at[r].next, r##_more = r != NO_RECORD)

static bool may_gather(const struct warp *w, uint32_t where)
{
    for (uint32_t i = 0; w->any_gathers && i < w->ready_count; i++)
        if (w->ready[i].place == where)
            return true;
    return false;
}

static bool is_gathered(const struct warp *w, uint64_t lanes)
{
    for (uint32_t r = 0; r < w->records.count; r++)
        if (w->records.at[r].gathers && !(lanes & ~w->records.at[r].joined))
            return true;
    return false;
}

/* The lanes of a ready group there, which is one with these from now on, or 0. */
static uint64_t gather(struct warp *w, uint64_t lanes, uint32_t where)
{
    for (uint32_t i = 0; i < w->ready_count; i++) {
        uint64_t others = w->ready[i].lanes;
        if (w->ready[i].place != where || !is_gathered(w, lanes | others))
            continue;
        w->ready_count--;
        memmove(&w->ready[i], &w->ready[i + 1], (w->ready_count - i) * sizeof w->ready[0]);
        return others;
    }
    return 0;
}

static void make_ready(struct warp *w, uint64_t lanes, uint32_t where)
{
    if (may_gather(w, where))
        lanes |= gather(w, lanes, where);
    uint32_t count = count_of(lanes), i = w->ready_count++;
    for (; i > 0 && w->ready[i - 1].count > count; i--)
        w->ready[i] = w->ready[i - 1];
    w->ready[i] = (struct group){lanes, count, where};
}

/* ---- records ----------------------------------------------------------------------------------------- */

static bool is_unused(const struct warp *w, uint32_t reg, uint32_t r)
{
    const struct record *x = &w->records.at[r];
    return !x->joined && !(w->code->rejoins[reg] && x->members);
}

static void sweep(struct warp *w, uint32_t reg)
{
    for (uint32_t before = reg, r = w->records.at[reg].next; r != NO_RECORD; r = w->records.at[before].next) {
        if (!is_unused(w, reg, r)) {
            before = r;
            continue;
        }
        w->records.at[before].next = w->records.at[r].next;
        w->records.at[r] = (struct record){.next = w->free};
        w->free = r;
    }
}

static uint32_t take_record(struct warp *w)
{
    uint32_t r = w->free;
    if (r == NO_RECORD) {
        vec_push(w->arena, &w->records, ((struct record){0}));
        return w->records.count - 1;
    }
    w->free = w->records.at[r].next;
    return r;
}

static void join(struct warp *w, uint64_t lanes, uint32_t reg, bool gathers)
{
    each_record(r, w, reg)
        lanes &= ~w->records.at[r].joined;
    if (!lanes)
        return;
    w->any_gathers |= gathers;
    each_record(r, w, reg)
        w->records.at[r].members &= ~lanes;
    sweep(w, reg);
    uint32_t made = reg;
    if (!is_unused(w, reg, reg)) {
        made = take_record(w);
        w->records.at[made].next = w->records.at[reg].next;
        w->records.at[reg].next = made;
    }
    uint32_t next = w->records.at[made].next;
    w->records.at[made] = (struct record){lanes, 0, lanes, next, gathers};
}

static const struct cost_op *wait_at(const struct warp *w, uint32_t where)
{
    const struct cost_piece *p = &w->code->pieces.at[where - w->code->pieces.count];
    return &w->code->ops.at[p->first_op + p->ops - 1];
}

/* Those of the lanes that wait where the first does. */
static uint64_t at_one_place(const struct warp *w, uint64_t lanes)
{
    uint64_t same = 0;
    uint32_t where = w->place[first_of(lanes)];
    each_lane(n, lanes)
        same |= w->place[n] == where ? BIT(n) : 0;
    return same;
}

static void release(struct warp *w, uint32_t r)
{
    uint64_t lanes = w->records.at[r].waiting;
    w->records.at[r].waiting = 0;
    while (lanes) {
        uint64_t group = at_one_place(w, lanes);
        uint32_t where = w->place[first_of(lanes)];
        if (!wait_at(w, where)->flag)
            w->records.at[r].joined &= ~group;
        make_ready(w, group, where);
        lanes &= ~group;
    }
}

static void begin_to_wait(struct warp *w, uint32_t r, uint64_t lanes, uint32_t where)
{
    w->records.at[r].waiting |= lanes;
    each_lane(n, lanes)
        w->place[n] = where;
}

static void check(struct warp *w, uint32_t r)
{
    const struct record *x = &w->records.at[r];
    if (x->waiting && x->waiting == x->joined)
        release(w, r);
}

static void leave(struct warp *w, uint64_t lanes)
{
    for (uint32_t r = 0; r < w->records.count; r++) {
        struct record *x = &w->records.at[r];
        bool left = x->joined & lanes;
        x->members &= ~lanes;
        x->joined &= ~lanes;
        if (left)
            check(w, r);
    }
}

/* Whether some of the lanes would have to wait at this wait. */
static bool has_to_wait(const struct warp *w, uint64_t lanes, uint32_t reg, uint32_t threshold)
{
    each_record(r, w, reg) {
        const struct record *x = &w->records.at[r];
        uint64_t come = x->joined & lanes;
        if (come && (x->waiting | come) != x->joined && count_of(x->waiting) + count_of(come) < threshold)
            return true;
    }
    return false;
}

static void cancel(struct warp *w, uint64_t lanes, const struct cost_op *op)
{
    if (op->threshold && !has_to_wait(w, lanes, op->wait, op->threshold))
        return;
    each_record(r, w, op->reg) {
        struct record *x = &w->records.at[r];
        bool left = x->joined & lanes;
        x->joined &= ~lanes;
        x->members &= op->flag ? x->members : ~lanes;
        if (left)
            check(w, r);
    }
}

static void rejoin(struct warp *w, uint64_t lanes, uint32_t reg)
{
    each_record(r, w, reg)
        w->records.at[r].joined |= w->records.at[r].members & lanes;
}

/* The lanes come to the wait at the end of piece p. Those that go on at once: all, or none and they are ready
 * or wait. */
static uint64_t wait(struct warp *w, uint64_t lanes, uint32_t p, const struct cost_op *op)
{
    uint32_t where = w->code->pieces.count + p;
    uint64_t left = lanes;
    each_record(r, w, op->reg) {
        struct record *x = &w->records.at[r];
        uint64_t come = x->joined & left;
        if (!come)
            continue;
        begin_to_wait(w, r, come, where);
        left &= ~come;
        bool complete = x->waiting == x->joined || (op->threshold && count_of(x->waiting) >= op->threshold);
        if (complete && come == lanes && !may_gather(w, where) && at_one_place(w, x->waiting) == x->waiting) {
            uint64_t all = x->waiting;
            x->waiting = 0;
            x->joined &= op->flag ? x->joined : ~all;
            return all;
        }
        if (complete)
            release(w, r);
    }
    if (op->flag)
        rejoin(w, left, op->reg);
    if (left == lanes)
        return lanes;
    if (left)
        make_ready(w, left, where);
    return 0;
}

/* ---- visits ------------------------------------------------------------------------------------------ */

/* Lanes that run together begin and end visits together, so that it is enough to count them until the group
 * waits or diverges. Then the lanes' own places are set. */
static void settle(struct warp *w, uint64_t lanes)
{
    if (w->ahead)
        each_lane(n, lanes)
            w->next[n] += w->ahead;
    w->until -= w->ahead;
    w->ahead = 0;
}

/* The group that runs from now on. */
static void begin_group(struct warp *w, uint64_t lanes)
{
    w->ahead = 0;
    w->until = UINT32_MAX;
    each_lane(n, lanes) {
        const cost_visits *v = &w->s->lane[n];
        uint32_t left = (uint32_t)(v->at + v->count - w->next[n]);
        w->until = left < w->until ? left : w->until;
    }
}

/* The lanes of a group enter the piece, which may begin a visit. Those that do: others have none left, and
 * end. */
static uint64_t enter(struct warp *w, uint64_t lanes, const struct cost_piece *p)
{
    uint64_t ended = 0;
    if (!p->is_first)
        return lanes;
    if (w->ahead++ < w->until)
        return lanes;
    w->ahead--;
    settle(w, lanes);
    each_lane(n, lanes)
        ended |= w->next[n]->block == IR_NO_BLOCK ? BIT(n) : 0;
    leave(w, ended);
    begin_group(w, lanes & ~ended);
    w->ahead = 1;
    return lanes & ~ended;
}

/* ---- pieces ------------------------------------------------------------------------------------------ */

/* Cycles of the segments that the lanes' accesses touch beyond the first of each. */
static uint32_t further_segments(struct warp *w, uint64_t lanes, const struct cost_piece *p)
{
    uint32_t sum = 0, first[COST_MAX_LANES], count = 0;
    each_lane(n, lanes)
        first[count++] = w->next[n][(int32_t)w->ahead - 1].segments + p->first_access;
    for (uint32_t k = 0; k < p->accesses; k++) {
        const uint32_t *segments = w->s->segments.at + k;
        uint32_t distinct = 0, last = ~segments[first[0]];
        w->mark++;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t segment = segments[first[i]], slot = segment * 2654435761u >> 24;
            if (segment == last)
                continue;
            last = segment;
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

static void execute(struct warp *w, uint64_t lanes, const struct cost_piece *p)
{
    struct cost_figures *f = w->figures;
    uint32_t extra = p->accesses ? further_segments(w, lanes, p) : 0;
    f->steps++;
    f->cycles += p->cycles + extra;
    f->instructions += p->instructions;
    if (f->executions && p->block != IR_NO_BLOCK) {
        f->executions[p->block] += p->is_last;
        f->visits[p->block] += p->is_last ? count_of(lanes) : 0;
        f->extra[p->block] += extra;
    }
}

/* Those of the lanes whose next visit is one of the block. */
static uint64_t lanes_to(const struct warp *w, uint64_t lanes, uint32_t block)
{
    uint64_t to = 0;
    each_lane(n, lanes)
        to |= (uint64_t)(w->next[n][w->ahead].block == block) << n;
    return to;
}

/* Whether nothing stands in the piece but a wait for all, at its end. */
static const struct cost_op *only_wait(const struct warp *w, const struct cost_piece *p)
{
    const struct cost_op *op = p->ops == 1 ? &w->code->ops.at[p->first_op] : NULL;
    return op && p->is_wait && op->op == IR_cb_wait ? op : NULL;
}

/* Whether a side of a branch goes to the piece only to wait there for others: it has executed the piece. */
static bool waits_at_once(struct warp *w, uint64_t lanes, uint32_t to)
{
    const struct cost_piece *p = &w->code->pieces.at[to];
    const struct cost_op *op = only_wait(w, p);
    uint32_t where = w->code->pieces.count + to;
    if (!op || op->threshold || may_gather(w, to))
        return false;
    struct record *x = &w->records.at[op->reg];
    if (lanes & ~x->joined || (x->waiting | lanes) == x->joined ||
        (x->waiting && w->place[first_of(x->waiting)] != where))
        return false;
    if (p->is_first)
        each_lane(n, lanes)
            w->next[n]++;
    execute(w, lanes, p);
    begin_to_wait(w, op->reg, lanes, where);
    return true;
}

/* Lanes take the edge; where it leads. */
static uint32_t take(struct warp *w, const struct cost_edge *edge)
{
    w->figures->cycles += edge->moves;
    w->figures->instructions += edge->moves;
    if (w->figures->taken)
        w->figures->taken[edge - w->code->edges.at]++;
    return edge->piece;
}

/* No lane takes the edge. */
static void miss(struct warp *w, const struct cost_edge *edge)
{
    w->figures->cycles += edge->missed.cycles;
    w->figures->instructions += edge->missed.instructions;
}

/* Where lanes are that have been sent along the edge. */
static uint32_t place_on(const struct warp *w, const struct cost_edge *edge)
{
    return edge->moves ? 2 * w->code->pieces.count + (uint32_t)(edge - w->code->edges.at) : edge->piece;
}

static void go_later(struct warp *w, uint64_t lanes, const struct cost_edge *edge)
{
    if (edge->moves || !waits_at_once(w, lanes, edge->piece))
        make_ready(w, lanes, place_on(w, edge));
}

/* Lanes that take one edge. */
struct side {
    uint64_t lanes;
    uint32_t edge;
};

/* The lanes at the end of the piece by the edges that they take, in the edges' order; how many edges. *ended:
 * those whose visits end there. */
static uint32_t part(const struct warp *w, const struct cost_piece *p, uint64_t lanes, struct side *sides,
                     uint64_t *ended)
{
    const struct cost_edge *edges = &w->code->edges.at[p->first_edge];
    uint32_t count = 0;
    bool all_go_on = w->ahead < w->until; /* then those who take the one of two edges do not take the other */
    *ended = 0;
    while (lanes) {
        uint32_t block = w->next[first_of(lanes)][w->ahead].block, e = 0, i = count;
        uint64_t to = all_go_on && count && p->edges == 2 ? lanes : lanes_to(w, lanes, block);
        lanes &= ~to;
        while (e < p->edges && edges[e].block != block)
            e++;
        if (e == p->edges) {
            *ended |= to;
            continue;
        }
        for (; i > 0 && sides[i - 1].edge > e; i--)
            sides[i] = sides[i - 1];
        sides[i] = (struct side){to, e};
        count++;
    }
    return count;
}

/* Of two sides the larger one runs at once, unless a group is ready that is larger still. Those that run on,
 * into piece *to; 0: none. */
static uint64_t diverge(struct warp *w, const struct cost_piece *p, const struct side *sides, uint32_t count,
                        uint32_t *to)
{
    const struct cost_edge *edges = &w->code->edges.at[p->first_edge];
    uint32_t larger = count;
    if (p->edges == 2)
        larger = count_of(sides[0].lanes) >= count_of(sides[1].lanes) ? 0 : 1;
    for (uint32_t i = count; i-- > 0;)
        if (i != larger)
            go_later(w, sides[i].lanes, &edges[sides[i].edge]);
    if (larger == count)
        return 0;
    uint32_t most = w->ready_count ? w->ready[w->ready_count - 1].count : 0;
    const struct cost_edge *edge = &edges[sides[larger].edge];
    bool waits = !edge->moves && only_wait(w, &w->code->pieces.at[edge->piece]);
    if (most > count_of(sides[larger].lanes) || may_gather(w, place_on(w, edge)) || waits) {
        go_later(w, sides[larger].lanes, edge);
        return 0;
    }
    *to = take(w, edge);
    return sides[larger].lanes;
}

/* Lanes at the end of a piece go on. Those that run on, into piece *to; 0: none. */
static uint64_t go_on(struct warp *w, const struct cost_piece *p, uint64_t lanes, uint32_t *to)
{
    struct side sides[COST_MAX_LANES + 1];
    uint64_t ended;
    if (p->edges == 1) {
        *to = take(w, &w->code->edges.at[p->first_edge]);
        return lanes;
    }
    uint32_t count = part(w, p, lanes, sides, &ended);
    if (ended)
        leave(w, ended);
    if (count > 1) {
        settle(w, lanes);
        if (p->reconverge != COST_NOWHERE)
            join(w, lanes & ~ended, p->reconverge, false);
        return diverge(w, p, sides, count, to);
    }
    if (count)
        *to = take(w, &w->code->edges.at[p->first_edge + sides[0].edge]);
    if (count && p->edges == 2)
        miss(w, &w->code->edges.at[p->first_edge + 1 - sides[0].edge]);
    return lanes & ~ended;
}

/* The piece's operations on barriers. The lanes that run on: all, those that waited too, or none. */
static uint64_t operate(struct warp *w, uint64_t lanes, uint32_t piece)
{
    const struct cost_piece *p = &w->code->pieces.at[piece];
    for (uint32_t i = 0; i < p->ops && lanes; i++) {
        const struct cost_op *op = &w->code->ops.at[p->first_op + i];
        switch (op->op) {
        case IR_cb_join: join(w, lanes, op->reg, op->flag); break;
        case IR_cb_cancel: cancel(w, lanes, op); break;
        case IR_cb_rejoin: rejoin(w, lanes, op->reg); break;
        default:
            settle(w, lanes);
            lanes = wait(w, lanes, piece, op);
            begin_group(w, lanes);
            break;
        }
    }
    return lanes;
}

/* The group runs until it waits, ends or diverges. */
static void run(struct warp *w, struct group g, uint64_t steps)
{
    const struct cost_code *code = w->code;
    uint32_t to = g.place, count = code->pieces.count;
    begin_group(w, g.lanes);
    if (to >= 2 * count)
        to = take(w, &code->edges.at[to - 2 * count]);
    else if (to >= count)
        to = take(w, &code->edges.at[code->pieces.at[to - count].first_edge]);
    while (g.lanes && w->figures->steps < steps) {
        const struct cost_piece *p = &code->pieces.at[to];
        g.lanes = enter(w, g.lanes, p);
        if (!g.lanes)
            break;
        execute(w, g.lanes, p);
        g.lanes = operate(w, g.lanes, to);
        if (g.lanes)
            g.lanes = go_on(w, p, g.lanes, &to);
    }
}

/* All wait: the barrier with the most that do is given up. False: none wait. */
static bool yield(struct warp *w)
{
    uint32_t most = 0, best = 0;
    for (uint32_t r = 0; r < w->records.count; r++)
        if (count_of(w->records.at[r].waiting) > most) {
            most = count_of(w->records.at[r].waiting);
            best = r;
        }
    if (most)
        release(w, best);
    return most > 0;
}

void cost_replay(const struct cost_sample *s, const struct cost_code *code, uint64_t steps, uint64_t most,
                 struct cost_figures *figures)
{
    struct scratch scratch;
    struct warp *w = arena_new(scratch_begin(&scratch), struct warp);
    *w = (struct warp){.arena = &scratch.arena, .s = s, .code = code, .figures = figures};
    uint64_t all = 0;
    figures->cycles = figures->steps = figures->instructions = 0;
    for (uint32_t r = 0; r < code->registers; r++)
        vec_push(w->arena, &w->records, ((struct record){0}));
    for (uint32_t n = 0; n < s->lanes; n++) {
        w->next[n] = s->lane[n].at;
        all |= s->lane[n].count ? BIT(n) : 0;
    }
    if (all)
        make_ready(w, all, code->entry);
    while (figures->steps < steps && figures->cycles < most && (w->ready_count || yield(w)))
        run(w, w->ready[--w->ready_count], steps);
    figures->cut = figures->steps >= steps;
    scratch_end(&scratch);
}
