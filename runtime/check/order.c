/* order.c: what happened before what in a launch: vector clocks, as in C. Flanagan, S. Freund, "FastTrack"
 * (2009), with a block's barriers counted once for all its threads.
 *
 * A thread's accesses have two times: its block's epoch, the barriers passed, and the thread's clock, which
 * moves on where it makes known what it has done. What it knows of the other threads of its warp is a row of
 * clocks; of all threads of its block, the earlier epochs; of others, what it has acquired (knowledge.c): an
 * atomic operation hands what its thread knew at its last fence() or barrier() to its place, and acquires what
 * others have handed there before.
 */
#include "runtime/check/knowledge.h"

enum { MOST_PLACES = 1 << 20 }; /* of atomic operations that hand something on; others hand on everything */

/* Of a place: all that was handed to it, by the block alone if it is one of its shared memory. */
struct handed {
    uint64_t block;
    const struct rt_knowledge *what;
};

struct rt_order {
    struct arena *arena;
    struct rt_order_block now;
    uint32_t warps, width;
    uint64_t block;
    uint32_t *rows;   /* of thread t: width clocks from t * width on */
    uint32_t *clocks; /* of each thread its own: those of rows' diagonals */
    const struct rt_knowledge **own,
        **fenced; /* of a thread; as it was at its last fence since the barrier */
    bool any_fenced;
    const struct rt_knowledge *joined,
        *barrier;              /* at the latest barrier: of all threads; with what they did in
                                                the block, NULL: nobody has asked */
    struct map places;         /* place -> number */
    VEC(struct handed) handed; /* by number */
};

static uint32_t *row_of(const struct rt_order *o, uint32_t thread)
{
    return o->rows + (size_t)thread * o->width;
}

static void reset_clocks(struct rt_order *o)
{
    uint32_t threads = o->warps * o->width;
    memset(o->rows, 0, (size_t)threads * o->width * sizeof *o->rows);
    for (uint32_t t = 0; t < threads; t++)
        row_of(o, t)[t % o->width] = o->clocks[t] = 1;
}

struct rt_order *rt_order_new(struct arena *a, uint32_t warps, uint32_t width)
{
    struct rt_order *o = arena_new(a, struct rt_order);
    size_t threads = (size_t)warps * width;
    *o = (struct rt_order){.arena = a, .warps = warps, .width = width};
    o->rows = arena_array(a, uint32_t, threads * width);
    o->clocks = arena_array(a, uint32_t, threads);
    o->own = arena_array(a, const struct rt_knowledge *, threads);
    o->fenced = arena_array(a, const struct rt_knowledge *, threads);
    reset_clocks(o);
    return o;
}

/* Those since the latest barrier; a barrier or the block's beginning takes their place. */
static void forget_fences(struct rt_order *o)
{
    if (o->any_fenced)
        memset(o->fenced, 0, (size_t)o->warps * o->width * sizeof *o->fenced);
    o->any_fenced = false;
    o->barrier = NULL;
}

void rt_order_block(struct rt_order *o, uint64_t block)
{
    size_t threads = (size_t)o->warps * o->width;
    if (o->now.moved)
        reset_clocks(o);
    if (o->now.knows)
        memset(o->own, 0, threads * sizeof *o->own);
    forget_fences(o);
    o->joined = NULL;
    o->block = block;
    o->now = (struct rt_order_block){
        .first = (uint32_t)(block * threads), .threads = (uint32_t)threads, .epoch = 1};
}

const struct rt_order_block *rt_order_current(const struct rt_order *o)
{
    return &o->now;
}

/* ---- what orders ------------------------------------------------------------------------------------- */

void rt_order_barrier(struct rt_order *o)
{
    uint32_t threads = o->warps * o->width;
    const struct rt_knowledge *all = NULL;
    for (uint32_t t = 0; o->now.knows && t < threads; t++)
        all = rt_know_both(o->arena, all, o->own[t]);
    for (uint32_t t = 0; o->now.knows && t < threads; t++)
        o->own[t] = all;
    o->now.epoch++;
    o->joined = all;
    forget_fences(o);
}

/* What the thread knew at its last fence or barrier, which it knows by itself then; NULL: there was none. */
static const struct rt_knowledge *fenced_of(struct rt_order *o, uint32_t thread)
{
    if (o->fenced[thread] || o->now.epoch == 1)
        return o->fenced[thread];
    if (!o->barrier)
        o->barrier =
            rt_know_both(o->arena, o->joined, rt_know_block(o->arena, (uint32_t)o->block, o->now.epoch));
    return o->barrier;
}

void rt_order_group(struct rt_order *o, uint32_t warp, uint64_t lanes)
{
    uint32_t joined[RT_MAX_LANES] = {0}, first = warp * o->width;
    const struct rt_knowledge *all = NULL;
    rt_each_lane(i, lanes) {
        const uint32_t *row = row_of(o, first + (uint32_t)i);
        for (uint32_t k = 0; k < o->width; k++)
            joined[k] = row[k] > joined[k] ? row[k] : joined[k];
        all = rt_know_both(o->arena, all, o->own[first + i]);
    }
    o->now.moved = true;
    rt_each_lane(i, lanes) {
        uint32_t *row = row_of(o, first + (uint32_t)i);
        memcpy(row, joined, o->width * sizeof *row);
        o->clocks[first + i] = ++row[i];
        o->own[first + i] = all;
    }
}

void rt_order_fence(struct rt_order *o, uint32_t warp, uint64_t lanes)
{
    o->now.moved = o->any_fenced = true;
    rt_each_lane(i, lanes) {
        uint32_t thread = warp * o->width + (uint32_t)i, *row = row_of(o, thread);
        const struct rt_knowledge *mine = rt_know_warp(
            o->arena, (uint32_t)o->block, o->block * o->warps + warp, o->now.epoch, row, o->width);
        o->fenced[thread] = rt_know_both(o->arena, o->own[thread], mine);
        o->clocks[thread] = ++row[i];
    }
}

/* NULL: nothing was handed to the place, and is not to be, or it is one too many. */
static struct handed *handed_at(struct rt_order *o, uint64_t key, bool shared, bool hands)
{
    uint64_t block = shared ? o->block : 0;
    uint32_t at = map_get(&o->places, key);
    if (at == MAP_NONE) {
        if (!hands || o->handed.count == MOST_PLACES)
            return NULL;
        at = o->handed.count;
        map_set(o->arena, &o->places, key, at);
        vec_push(o->arena, &o->handed, ((struct handed){block, NULL}));
    }
    if (o->handed.at[at].block != block)
        o->handed.at[at] = (struct handed){block, NULL};
    return &o->handed.at[at];
}

void rt_order_atomic(struct rt_order *o, uint32_t warp, unsigned lane, uint32_t address, bool shared)
{
    uint32_t thread = warp * o->width + lane;
    const struct rt_knowledge *fenced = fenced_of(o, thread);
    struct handed *handed = handed_at(o, (uint64_t)shared << 32 | address, shared, fenced);
    if (!handed && o->handed.count < MOST_PLACES)
        return;
    if (!handed) {
        o->own[thread] = rt_know_all();
        o->now.knows = true;
        return;
    }
    if (handed->what) {
        o->own[thread] = rt_know_both(o->arena, o->own[thread], handed->what);
        o->now.knows = true;
    }
    handed->what = rt_know_both(o->arena, handed->what, fenced);
}

/* ---- accesses ---------------------------------------------------------------------------------------- */

const struct rt_knowledge *const *rt_order_knowledge(const struct rt_order *o)
{
    return o->own;
}

const uint32_t *rt_order_clocks(const struct rt_order *o)
{
    return o->clocks;
}

bool rt_order_knows(const struct rt_order *o, uint32_t warp, unsigned lane, struct rt_seen seen)
{
    uint32_t thread = warp * o->width + lane, other = seen.thread - o->now.first;
    bool here = other < o->now.threads;
    if (here && (other == thread || seen.epoch < o->now.epoch))
        return true;
    if (here && other - warp * o->width < o->width &&
        row_of(o, thread)[other - warp * o->width] >= seen.clock)
        return true;
    uint32_t block = seen.thread / o->now.threads, in_block = seen.thread % o->now.threads;
    return rt_knows(o->own[thread], block, (uint64_t)block * o->warps + in_block / o->width,
                    in_block % o->width, seen.epoch, seen.clock);
}
