/* The checker of races (runtime/check/) beside brute force: random accesses, atomic operations, fences,
 * syncwarps, barriers and blocks are told to the checker, and kept in a list. All pairs of it are compared,
 * by the transitive closure of what orders (docs/checking.md): what is said has to be a race there, by these
 * threads in these places; and of each byte the first access that races with one before it has to be said. */
#include "test/unit/check_world.h"

#include <stdio.h>

enum {
    RUNS = 3200,
    STEPS = 60,
    NODES = 2048,
    LANES = 4,
    THREADS = WARPS * LANES,
    BLOCKS = STEPS + 1,
    PLACE = 12
};

/* ---- what happened ----------------------------------------------------------------------------------- */

/* Something that a thread did, or several did together; what happened before it. */
struct node {
    uint64_t before[NODES / 64];
};
/* By one thread. at: byte of PLACE global ones, or of as many of the block's shared ones behind those. */
struct event {
    uint32_t node, thread, site, at, bytes, block;
    char kind;
    bool silent;
};
static struct node nodes[NODES];
static struct event events[NODES];
static uint32_t node_count, event_count, block;
/* Of a thread of the block: what it did last, its last fence or barrier; 0: nothing. */
static uint32_t last[THREADS], release[THREADS];
/* Of an event that is an atomic operation: its thread's release, then. */
static uint32_t released[NODES];
static uint8_t memory[2 * PLACE];

static uint64_t state;

static uint32_t draw(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static uint32_t add_node(void)
{
    assert_true(node_count < NODES);
    memset(&nodes[node_count], 0, sizeof nodes[node_count]);
    return node_count++;
}

/* Node x happened before y, which is the latest, and so has what happened before x. */
static void order(uint32_t x, uint32_t y)
{
    if (!x)
        return;
    for (uint32_t i = 0; i < NODES / 64; i++)
        nodes[y].before[i] |= nodes[x].before[i];
    nodes[y].before[x / 64] |= (uint64_t)1 << x % 64;
}

static bool is_before(uint32_t x, uint32_t y)
{
    return nodes[y].before[x / 64] >> x % 64 & 1;
}

/* The threads' next node. */
static uint32_t follow(uint32_t first, uint64_t lanes)
{
    uint32_t n = add_node();
    rt_each_lane(i, lanes) {
        order(last[first + i], n);
        last[first + i] = n;
    }
    return n;
}

static void note_fence(uint32_t warp, uint64_t lanes)
{
    rt_each_lane(i, lanes)
        release[warp * LANES + i] = follow(warp * LANES + (uint32_t)i, 1);
}

static void note_barrier(void)
{
    uint32_t n = follow(0, (1u << THREADS) - 1);
    for (uint32_t t = 0; t < THREADS; t++)
        release[t] = n;
}

static void note_block(void)
{
    block++;
    memset(last, 0, sizeof last);
    memset(release, 0, sizeof release);
    memset(memory + PLACE, 0, PLACE);
}

/* Shared memory of two blocks is not the same. */
static bool is_same_memory(const struct event *a, const struct event *b)
{
    return (a->at < PLACE) == (b->at < PLACE) && (a->at < PLACE || a->block == b->block);
}

static void acquire(const struct event *e)
{
    for (uint32_t i = 0; i < event_count; i++)
        if (events[i].kind == 'a' && events[i].at == e->at && is_same_memory(&events[i], e))
            order(released[i], e->node);
}

/* Lane by lane, so that a lane finds what lanes before it have stored. */
static void note_access(const struct access *a, uint32_t base)
{
    rt_each_lane(i, a->lanes) {
        uint32_t thread = a->warp * LANES + (uint32_t)i;
        struct event e = {.thread = block * THREADS + thread,
                          .site = a->site,
                          .at = a->addresses[i] - base + (a->shared ? PLACE : 0),
                          .bytes = a->bytes,
                          .block = block,
                          .kind = a->kind};
        e.node = follow(thread, 1);
        if (a->kind == 'a') {
            acquire(&e);
            released[event_count] = release[thread];
            memory[e.at]++;
        } else if (a->kind == 'w') {
            e.silent = memcmp(memory + e.at, &a->values[i], a->bytes) == 0;
            memcpy(memory + e.at, &a->values[i], a->bytes);
        }
        events[event_count++] = e;
    }
}

/* ---- all pairs --------------------------------------------------------------------------------------- */

static bool has_byte(const struct event *e, const struct event *of, uint32_t at)
{
    return at - e->at < e->bytes && is_same_memory(e, of);
}

/* Whether some store changed the byte between the two. */
static bool is_overwritten(uint32_t x, uint32_t y, uint32_t at)
{
    for (uint32_t i = x + 1; i < y; i++)
        if (events[i].kind == 'w' && !events[i].silent && has_byte(&events[i], &events[y], at))
            return true;
    return false;
}

/* Whether event y races with event x, which ran before it, at the byte. */
static bool is_race(uint32_t x, uint32_t y, uint32_t at)
{
    const struct event *a = &events[x], *b = &events[y];
    bool stores = a->kind == 'w' && !a->silent;
    if (a->thread == b->thread || !has_byte(a, b, at) || is_before(a->node, b->node))
        return false;
    if (a->kind == 'a' || b->kind == 'a')
        return a->kind != b->kind && !(b->silent && is_overwritten(x, y, at));
    if (b->kind == 'r')
        return stores;
    return b->kind == 'w' && !b->silent;
}

/* Whether the alarm is one of the two, in line and thread. */
static bool says(const kernc_alarm *alarm, const struct event *a, const struct event *b, bool threads)
{
    uint32_t thread, in, other = 0, of_other = block;
    const char *which = strstr(alarm->text, "which thread (");
    if (alarm->line != b->site + 1 || (alarm->other_line ? alarm->other_line : alarm->line) != a->site + 1)
        return false;
    assert_int_equal(sscanf(alarm->text, "race: thread (%u,0,0) of block (%u,0,0)", &thread, &in), 2);
    assert_non_null(which);
    if (sscanf(which, "which thread (%u,0,0) of block (%u,0,0)", &other, &of_other) == 1)
        of_other = in;
    return !threads || (in * THREADS + thread == b->thread && of_other * THREADS + other == a->thread);
}

static bool is_right(const kernc_alarm *alarm)
{
    for (uint32_t y = 0; y < event_count; y++)
        for (uint32_t x = 0; x < y; x++)
            if (says(alarm, &events[x], &events[y], true))
                for (uint32_t k = 0; k < events[y].bytes; k++)
                    if (is_race(x, y, events[y].at + k))
                        return true;
    return false;
}

static bool is_said(const struct world *w, uint32_t x, uint32_t y)
{
    kernc_alarm alarm = {.size = sizeof alarm};
    for (unsigned i = 0; kernc_alarm_at(&w->context, i, &alarm); i++)
        if (says(&alarm, &events[x], &events[y], false))
            return true;
    return false;
}

/* Of the byte, which is the block's own if it is shared: whether the first race is said, if there is one. */
static bool is_found(const struct world *w, uint32_t at, uint32_t of_block, uint32_t *races)
{
    for (uint32_t y = 0; y < event_count; y++) {
        bool any = false;
        if (at >= PLACE && events[y].block != of_block)
            continue;
        for (uint32_t x = 0; at - events[y].at < events[y].bytes && x < y; x++)
            if (is_race(x, y, at)) {
                any = true;
                if (is_said(w, x, y)) {
                    ++*races;
                    return true;
                }
            }
        if (any)
            return false;
    }
    return true;
}

/* ---- programs ---------------------------------------------------------------------------------------- */

/* What a program may do; handing: mostly it reads, and its atomic operations are on one word, as those that
 * hand on what others have done; storing: it does not read as much, and has more blocks and barriers. */
static bool changes, groups, fences, barriers, handing, storing;

static uint32_t make_code(struct bc_ins code[5])
{
    uint32_t n = 0;
    code[n++] = (struct bc_ins){.op = BC_check_memory, .imm = 0};
    if (changes)
        code[n++] = (struct bc_ins){.op = BC_check_memory, .imm = 2 * 2};
    if (groups)
        code[n++] = (struct bc_ins){.op = BC_check_sync, .imm = TEXT_GROUP};
    if (fences)
        code[n++] = (struct bc_ins){.op = BC_check_sync, .imm = TEXT_FENCE};
    if (barriers)
        code[n++] = (struct bc_ins){.op = BC_barrier};
    return n;
}

static uint64_t draw_lanes(void)
{
    uint64_t lanes = draw(3) ? 1 + draw((1 << LANES) - 1) : (1 << LANES) - 1;
    return draw(3) ? lanes : lanes & -lanes;
}

/* At places that are aligned; of one, in a row, or any. */
static struct access draw_access(uint32_t site, uint32_t base)
{
    uint32_t kind = draw(changes ? 3 : 2), size = draw(COUNT(sizes)), how = draw(3), value = draw(3);
    struct access a = {.warp = draw(WARPS), .shared = draw(2), .site = site, .lanes = draw_lanes()};
    bool word = handing && kind == 2; /* always the same one */
    if (handing && kind == 1 && draw(storing ? 2 : 3))
        kind = 0;
    if (word || (kind == 2 && sizes[size] < 4))
        size = how = 0;
    a.kind = *kinds[kind];
    a.bytes = sizes[size];
    a.text = text_of(&a, kind, size);
    uint32_t slots = (handing && !word && a.bytes < 8 ? 4 : PLACE) / a.bytes, slot = word ? 2 : draw(slots);
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t own = how == 0 ? slot : how == 1 ? (slot + i) % slots : draw(slots);
        a.addresses[i] = (a.shared ? BC_FIRST_ADDRESS : base) + own * a.bytes;
        a.values[i] = draw(3) ? value : draw(3);
    }
    return a;
}

static void fence(struct world *x, const struct access *a)
{
    tell_sync(x, TEXT_FENCE, a->warp, a->lanes);
    note_fence(a->warp, a->lanes);
}

static void step(struct world *x, uint32_t site)
{
    struct access a = draw_access(site, x->region.address);
    uint32_t what = draw(storing ? 12 : 24);
    if (what == 0) {
        tell_block(x, x->worker.block + 1);
        note_block();
    } else if (what == 1 && barriers) {
        rt_check_barrier(&x->worker);
        note_barrier();
    } else if (what < 5 && groups) {
        tell_sync(x, TEXT_GROUP, a.warp, a.lanes);
        follow(a.warp * LANES, a.lanes);
    } else if (what < 8 && fences) {
        fence(x, &a);
    } else {
        if (handing && fences && a.kind == 'a')
            fence(x, &a);
        note_access(&a, a.shared ? BC_FIRST_ADDRESS : x->region.address);
        tell(x, &a);
    }
}

static void begin(struct world *x)
{
    struct bc_ins code[5];
    memset(last, 0, sizeof last);
    memset(release, 0, sizeof release);
    memset(memory, 0, sizeof memory);
    node_count = 1; /* 0 is none */
    event_count = block = 0;
    make_world(x, LANES, BLOCKS, STEPS, code, make_code(code));
    tell_block(x, 0);
}

static void check(const struct world *x, uint32_t *races)
{
    kernc_alarm alarm = {.size = sizeof alarm};
    for (unsigned i = 0; kernc_alarm_at(&x->context, i, &alarm); i++)
        if (strcmp(alarm.kind, "race") == 0 && !is_right(&alarm))
            fail_msg("seed %llu: no race: %s, line %u", (unsigned long long)state, alarm.text, alarm.line);
    for (uint32_t at = 0; at < 2 * PLACE; at++)
        for (uint32_t b = 0; b <= (at < PLACE ? 0 : block); b++)
            if (!is_found(x, at, b, races))
                fail_msg("a race at byte %u of block %u is not found", at, b);
}

static void finds_what_all_pairs_show(void **unused)
{
    static struct world x;
    uint32_t races = 0;
    UNUSED(unused);
    for (uint32_t run = 0; run < RUNS; run++) {
        changes = run & 1, groups = run & 2, fences = run & 4, barriers = run & 8, handing = run & 16;
        storing = handing && run & 32;
        state = run * 77 + 1;
        begin(&x);
        for (uint32_t i = 0, steps = 4 + draw(STEPS - 4); i < steps; i++)
            step(&x, i);
        check(&x, &races);
        free_world(&x);
    }
    assert_true(races > RUNS);
}

/* ---- limits ------------------------------------------------------------------------------------------ */

/* A place more than are kept: whoever comes to it knows of everything, so that no alarm is made up. */
static void too_many_places_hand_on_everything(void **unused)
{
    struct arena a = {0};
    struct rt_order *o = rt_order_new(&a, 1, 2);
    const struct rt_seen seen = {.thread = 0, .epoch = 1, .clock = 2, .site = 0};
    UNUSED(unused);
    rt_order_block(o, 0);
    rt_order_fence(o, 0, 1);
    for (uint32_t at = 0; at <= 4u << 20; at += 4) {
        assert_false(rt_order_knows(o, 0, 1, seen));
        rt_order_atomic(o, 0, 0, at, false);
        if (at % (1 << 14) == 0)
            rt_order_atomic(o, 0, 1, at, false);
    }
    assert_true(rt_order_knows(o, 0, 1, seen));
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_all_pairs_show),
        cmocka_unit_test(too_many_places_hand_on_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
