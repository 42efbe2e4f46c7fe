/* order.c: what happened before what in a launch: vector clocks, as in C. Flanagan, S. Freund, "FastTrack"
 * (2009), with a block's barriers counted once for all its threads.
 *
 * A thread's accesses have two times: its block's epoch, the barriers passed, and the thread's clock, which
 * moves on where it makes known what it has done. What it knows of the other threads of its warp is a row of
 * clocks; of all threads of its block, the earlier epochs; of others, what it has acquired: an atomic
 * operation adds an entry to the log of its place, with what the thread knew of its warp at its last fence,
 * and knows from there on all entries before. Entries name the logs that their thread knew, so that
 * knowledge is handed on.
 *
 * Where logs become too many or too long to be followed, accesses count as ordered: no alarm is made up.
 */
#include "runtime/check/check.h"

enum { MOST_KNOWN = 32, MOST_STEPS = 256, MOST_DEPTH = 4, MOST_ENTRIES = 1 << 20 };

struct known {
    uint32_t log, count;
}; /* the first entries of a log */
struct knowledge {
    uint32_t count;
    bool all;
    struct known at[MOST_KNOWN];
};
struct entry {
    uint64_t block;
    uint32_t warp, epoch;
    uint32_t *row;
    struct knowledge *handed;
};
struct log {
    VEC(struct entry) entries;
};

struct rt_order {
    struct arena *arena;
    struct rt_order_block now;
    uint32_t warps, width, entries;
    uint64_t block;
    uint32_t *rows, *released; /* of thread t: width clocks from t * width on; released: at its last fence */
    struct knowledge *own, shared; /* of a thread since the last barrier; of all of the block */
    struct map logs;               /* place -> log */
    VEC(struct log) log;
};

struct rt_order *rt_order_new(struct arena *a, uint32_t warps, uint32_t width)
{
    struct rt_order *o = arena_new(a, struct rt_order);
    size_t threads = (size_t)warps * width;
    *o = (struct rt_order){.arena = a, .warps = warps, .width = width};
    o->rows = arena_array(a, uint32_t, threads * width);
    o->released = arena_array(a, uint32_t, threads * width);
    o->own = arena_array(a, struct knowledge, threads);
    return o;
}

static uint32_t *row_of(const struct rt_order *o, uint32_t thread)
{
    return o->rows + (size_t)thread * o->width;
}

void rt_order_block(struct rt_order *o, uint64_t block)
{
    size_t threads = (size_t)o->warps * o->width;
    o->block = block;
    o->now = (struct rt_order_block){(uint32_t)(block * threads), (uint32_t)threads, 1};
    memset(o->rows, 0, threads * o->width * sizeof *o->rows);
    memset(o->released, 0, threads * o->width * sizeof *o->released);
    memset(o->own, 0, threads * sizeof *o->own);
    o->shared = (struct knowledge){.all = o->entries > MOST_ENTRIES};
    for (uint32_t t = 0; t < threads; t++)
        row_of(o, t)[t % o->width] = 1;
}

const struct rt_order_block *rt_order_current(const struct rt_order *o)
{
    return &o->now;
}

/* ---- knowledge --------------------------------------------------------------------------------------- */

static void learn(struct knowledge *k, struct known what)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (k->at[i].log == what.log) {
            if (k->at[i].count < what.count)
                k->at[i].count = what.count;
            return;
        }
    if (k->count == MOST_KNOWN)
        k->all = true;
    else
        k->at[k->count++] = what;
}

static void learn_all(struct knowledge *k, const struct knowledge *from)
{
    k->all |= from->all;
    for (uint32_t i = 0; i < from->count; i++)
        learn(k, from->at[i]);
}

static bool tells(const struct rt_order *o, const struct knowledge *k, struct rt_seen seen, uint64_t block,
                  uint32_t *steps, uint32_t depth)
{
    if (k->all || depth == MOST_DEPTH)
        return k->all || k->count;
    for (uint32_t i = 0; i < k->count; i++)
        for (uint32_t n = k->at[i].count; n-- > 0;) {
            const struct entry *e = &o->log.at[k->at[i].log].entries.at[n];
            uint32_t in_block = seen.thread - (uint32_t)(block * o->now.threads);
            if (++*steps > MOST_STEPS)
                return true;
            if (e->block == block && seen.epoch < e->epoch)
                return true;
            if (e->block == block && seen.epoch == e->epoch && e->warp == in_block / o->width &&
                e->row[in_block % o->width] >= seen.clock)
                return true;
            if (e->handed && tells(o, e->handed, seen, block, steps, depth + 1))
                return true;
        }
    return false;
}

/* ---- what orders ------------------------------------------------------------------------------------- */

void rt_order_barrier(struct rt_order *o)
{
    for (uint32_t t = 0; t < o->warps * o->width; t++) {
        learn_all(&o->shared, &o->own[t]);
        o->own[t] = (struct knowledge){0};
    }
    o->now.epoch++;
}

void rt_order_group(struct rt_order *o, uint32_t warp, uint64_t lanes)
{
    uint32_t joined[RT_MAX_LANES] = {0}, first = warp * o->width;
    struct knowledge all = {0};
    rt_each_lane(i, lanes) {
        const uint32_t *row = row_of(o, first + (uint32_t)i);
        for (uint32_t k = 0; k < o->width; k++)
            joined[k] = row[k] > joined[k] ? row[k] : joined[k];
        learn_all(&all, &o->own[first + i]);
    }
    rt_each_lane(i, lanes) {
        uint32_t *row = row_of(o, first + (uint32_t)i);
        memcpy(row, joined, o->width * sizeof *row);
        row[i]++;
        o->own[first + i] = all;
    }
}

void rt_order_fence(struct rt_order *o, uint32_t warp, uint64_t lanes)
{
    rt_each_lane(i, lanes) {
        uint32_t thread = warp * o->width + (uint32_t)i, *row = row_of(o, thread);
        memcpy(o->released + (size_t)thread * o->width, row, o->width * sizeof *row);
        row[i]++;
    }
}

static uint32_t log_of(struct rt_order *o, uint64_t key)
{
    uint32_t log = map_get(&o->logs, key);
    if (log == MAP_NONE) {
        log = o->log.count;
        map_set(o->arena, &o->logs, key, log);
        vec_push(o->arena, &o->log, (struct log){0});
    }
    return log;
}

void rt_order_atomic(struct rt_order *o, uint32_t warp, unsigned lane, uint64_t key)
{
    uint32_t at = log_of(o, key), thread = warp * o->width + lane;
    struct log *log = &o->log.at[at];
    struct knowledge handed = o->shared;
    const uint32_t *released = o->released + (size_t)thread * o->width;
    learn_all(&handed, &o->own[thread]);
    if (log->entries.count)
        learn(&o->own[thread], (struct known){at, log->entries.count});
    bool fenced = released[lane] > 0; /* else nothing but earlier epochs is known to whoever comes */
    if (!fenced && !handed.count && o->now.epoch == 1)
        return;
    if (++o->entries > MOST_ENTRIES) {
        o->shared.all = true;
        return;
    }
    struct entry e = {.block = o->block, .warp = warp, .epoch = o->now.epoch};
    e.row = arena_array(o->arena, uint32_t, o->width);
    memcpy(e.row, released, o->width * sizeof *e.row);
    if (handed.count > 1 || handed.all || (handed.count && handed.at[0].log != at)) {
        e.handed = arena_new(o->arena, struct knowledge);
        *e.handed = handed;
    }
    vec_push(o->arena, &log->entries, e);
}

/* ---- accesses ---------------------------------------------------------------------------------------- */

struct rt_seen rt_order_now(const struct rt_order *o, uint32_t warp, unsigned lane)
{
    uint32_t thread = warp * o->width + lane;
    return (struct rt_seen){
        .thread = o->now.first + thread, .epoch = o->now.epoch, .clock = row_of(o, thread)[lane]};
}

bool rt_order_knows(const struct rt_order *o, uint32_t warp, unsigned lane, struct rt_seen seen)
{
    uint32_t thread = warp * o->width + lane, other = seen.thread - o->now.first, steps = 0;
    bool here = other < o->now.threads;
    if (here && (other == thread || seen.epoch < o->now.epoch))
        return true;
    if (here && other - warp * o->width < o->width &&
        row_of(o, thread)[other - warp * o->width] >= seen.clock)
        return true;
    if (!o->own[thread].count && !o->shared.count)
        return o->own[thread].all || o->shared.all;
    uint64_t block = seen.thread / o->now.threads;
    return tells(o, &o->own[thread], seen, block, &steps, 0) || tells(o, &o->shared, seen, block, &steps, 0);
}
