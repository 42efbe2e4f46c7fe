/* The checker's shadow in short (runtime/check/segments.c) beside plain cells: the same random accesses,
 * barriers, syncwarps, fences and blocks are told to two checkers, one of which keeps cells only. After each
 * step both know the same of each word and byte, and have said the same. */
#include "test/unit/check_world.h"

enum { RUNS = 600, STEPS = 150, BLOCKS = STEPS + 1, SITES = 9 };

static const uint32_t widths[] = {4, 8, 32, 64};

static struct world worlds[2]; /* the second keeps cells only */
static uint64_t state;
static bool
    tame; /* rows of words, by many lanes, and atomic operations at one place, so that more stays in short */
static uint32_t in_short; /* steps after which a segment was more than empty, and had no cells */

static uint32_t draw(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* ---- worlds ------------------------------------------------------------------------------------------ */

static void make_worlds(uint32_t width, enum rt_reads reads)
{
    static const struct bc_ins code = {.op = BC_check_memory};
    for (int k = 0; k < 2; k++) {
        make_world(&worlds[k], width, BLOCKS, SITES, &code, 1);
        worlds[k].launch.check->cells_only = k;
        worlds[k].launch.check->reads = reads;
    }
}

/* ---- accesses ---------------------------------------------------------------------------------------- */

static uint64_t draw_lanes(uint32_t width)
{
    uint64_t all = UINT64_MAX >> (RT_MAX_LANES - width), lanes = all;
    switch (draw(tame ? 30 : 8)) {
    case 0: lanes &= UINT64_MAX >> draw(64); break;
    case 1: lanes &= UINT64_MAX << draw(width); break;
    case 2: lanes &= draw(2) ? 0x5555555555555555 : 0x3333333333333333; break;
    case 3: lanes &= (uint64_t)draw(UINT32_MAX) << 32 | draw(UINT32_MAX); break;
    case 4: lanes = (uint64_t)1 << draw(width); break;
    default: break;
    }
    return lanes ? lanes : all;
}

/* Mostly in a row, by thread of the block. */
static void draw_addresses(struct access *a, uint32_t base, uint32_t size, uint32_t width)
{
    static const uint32_t steps[] = {1, 1, 1, 1, 2, 4, 1, 0, 0, 3, 8, -1u};
    uint32_t step = a->bytes * steps[draw(tame ? 6 : COUNT(steps))], odd = draw(6) ? 64 : draw(width),
             first = a->bytes * (draw(3) ? 0 : draw(tame ? 2 : 9)) + a->warp * width * step * (draw(5) > 0);
    if (!a->shared && draw(2)) /* by thread of the grid, in a few places */
        first += worlds[0].worker.block % 4 * WARPS * width * step % (size / 2);
    if (tame && a->kind == 'a')
        step = 0, first = size - 2 * SEGMENT_BYTES;
    else if (draw(25) == 0)
        first += draw(4);
    else if (draw(25) == 0)
        first += size - width * step;
    for (uint32_t i = 0; i < width; i++)
        a->addresses[i] = base + first + i * step + (i == odd && !tame ? a->bytes : 0);
}

static struct access draw_access(uint32_t width, uint32_t global)
{
    uint32_t other = draw(6), more = draw(1000), kind = draw(tame ? 15 : 4),
             size = draw(tame ? 5 : COUNT(sizes));
    struct access a = {.warp = draw(WARPS), .shared = draw(2)};
    a.text = text_of(&a, kind < COUNT(kinds) ? kind : kind % 2, size);
    a.kind = *kinds[kind < COUNT(kinds) ? kind : kind % 2];
    a.bytes = sizes[size];
    a.site = a.text * 7 % (tame ? 2 : SITES);
    a.lanes = draw_lanes(width);
    draw_addresses(&a, a.shared ? BC_FIRST_ADDRESS : global, a.shared ? SHARED : GLOBAL, width);
    for (uint32_t i = 0; i < width; i++)
        a.values[i] = other > 1 ? i * other + more : other * draw(2);
    return a;
}

/* Another access to about the same place as the one before: of another kind or warp, or a little further on or
 * back. */
static struct access draw_again(struct access a, uint32_t width)
{
    uint32_t kind = draw(2), further = draw(2) ? 0 : a.bytes * (draw(3) - 1), more = draw(2);
    if (a.kind != 'a') {
        a.kind = *kinds[kind];
        a.text = a.text % 2 + (a.text / 2 / (uint32_t)COUNT(kinds) * (uint32_t)COUNT(kinds) + kind) * 2;
    }
    a.warp = draw(3) ? a.warp : draw(WARPS);
    a.lanes = draw(3) ? a.lanes : draw_lanes(width);
    a.site = draw(tame ? 50 : 3) ? a.site : draw(SITES);
    for (uint32_t i = 0; i < width; i++)
        a.addresses[i] += further, a.values[i] += more;
    return a;
}

/* ---- what both know ---------------------------------------------------------------------------------- */

static bool is_same_seen(const struct rt_seen *a, const struct rt_seen *b)
{
    return (!a->clock && !b->clock) || memcmp(a, b, sizeof *a) == 0;
}

static bool is_same_batches(const struct rt_batches *a, const struct rt_batches *b)
{
    if (!a || !b)
        return !a == !b;
    return a->count == b->count && memcmp(a->at, b->at, a->count * sizeof *a->at) == 0;
}

static bool is_same_cell(const struct rt_cell *a, const struct rt_cell *b)
{
    bool same = is_same_seen(&a->store, &b->store) && is_same_seen(&a->read[0], &b->read[0]) &&
                is_same_seen(&a->read[1], &b->read[1]) && !a->more == !b->more;
    if (!same || !a->more)
        return same;
    same = is_same_batches(a->more->reads, b->more->reads) &&
           is_same_batches(a->more->atomics, b->more->atomics) && !a->more->bytes == !b->more->bytes;
    for (uint32_t i = 0; same && a->more->bytes && i < CELL_BYTES; i++)
        same = is_same_cell(&a->more->bytes[i], &b->more->bytes[i]);
    return same;
}

static void compare_words(char space, uint32_t base, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += CELL_BYTES) {
        struct rt_cell cells[2];
        for (int k = 0; k < 2; k++)
            cells[k] = rt_word_seen(worlds[k].launch.check, space, base + at);
        assert_int_equal(cells[0].written, cells[1].written);
        assert_true(is_same_cell(&cells[0], &cells[1]));
        const struct rt_segment *s = rt_segment_seen(worlds[0].launch.check, space, base + at);
        in_short += at % SEGMENT_BYTES == 0 && s && !s->cells && (s->store.words | s->read[0].words);
    }
}

static void compare(void)
{
    struct kernc_context *a = &worlds[0].context, *b = &worlds[1].context;
    compare_words('g', worlds[0].region.address, GLOBAL);
    compare_words('h', BC_FIRST_ADDRESS, SHARED - BC_FIRST_ADDRESS);
    assert_int_equal(a->alarms.count, b->alarms.count);
    for (uint32_t i = 0; i < a->alarms.count; i++)
        assert_string_equal(a->alarms.at[i].text, b->alarms.at[i].text);
    for (int k = 0; k < 2; k++) { /* so that pairs of places are said again; texts of reads in doubt stay */
        worlds[k].context.alarms.count = 0;
        worlds[k].context.alarm_places = (struct map){0};
    }
}

/* a: the access before, bytes 0: none. */
static void step(struct access *a, uint32_t width)
{
    *a = a->bytes && draw(2) ? draw_again(*a, width) : draw_access(width, worlds[0].region.address);
    uint32_t what = draw(tame ? 20 : 40);
    for (int k = 0; k < 2; k++) {
        struct world *x = &worlds[k];
        if (what == 0)
            tell_block(x, x->worker.block + 1);
        else if (what < 6)
            rt_check_barrier(&x->worker);
        else if (what < 9)
            tell_sync(x, what == 8 ? TEXT_FENCE : TEXT_GROUP, a->warp, a->lanes);
        else
            tell(x, a);
    }
}

static void knows_the_same_in_short(void **unused)
{
    UNUSED(unused);
    for (uint32_t run = 0; run < RUNS; run++) {
        uint32_t width = widths[run % COUNT(widths)];
        state = run * 77 + 1;
        tame = run / COUNT(widths) % 2;
        make_worlds(width, (enum rt_reads)(run % 3));
        for (int k = 0; k < 2; k++)
            tell_block(&worlds[k], 0);
        struct access a = {0};
        for (uint32_t i = 0; i < (tame ? STEPS / 3 : STEPS); i++) {
            step(&a, width);
            compare();
        }
        for (int k = 0; k < 2; k++)
            free_world(&worlds[k]);
    }
    assert_true(in_short > RUNS * 10);
}

/* ---- what is rare among random ones ------------------------------------------------------------------ */

/* The warp, 32 lanes wide, reads or writes global words in a row from `word` on. */
static void tell_row(char kind, uint32_t warp, uint32_t word)
{
    struct access a = {.kind = kind, .warp = warp, .bytes = CELL_BYTES, .lanes = UINT32_MAX};
    a.text = text_of(&a, kind == 'w', 0);
    for (uint32_t i = 0; i < 32; i++) {
        a.addresses[i] = worlds[0].region.address + (word + i) * CELL_BYTES;
        a.values[i] = 1;
    }
    for (int k = 0; k < 2; k++)
        tell(&worlds[k], &a);
}

static void begin_block(uint64_t block)
{
    for (int k = 0; k < 2; k++)
        tell_block(&worlds[k], block);
}

static int set_up(void **unused)
{
    UNUSED(unused);
    make_worlds(32, RT_TWO_THREADS);
    begin_block(0);
    return 0;
}

static int tear_down(void **unused)
{
    UNUSED(unused);
    free_world(&worlds[0]);
    free_world(&worlds[1]);
    return 0;
}

static void store_races_with_the_second_read(void **unused)
{
    UNUSED(unused);
    tell_row('r', 2, 64);
    tell_row('r', 2, 63);
    tell_row('w', 2, 64);
    assert_int_equal(worlds[0].context.alarms.count, 1);
    compare();
}

/* Threads 64 to 127 are a run; 96 threads are a block. */
static void run_of_two_blocks(void **unused)
{
    UNUSED(unused);
    tell_row('r', 2, 64);
    begin_block(1);
    tell_row('r', 0, 96);
    assert_null(rt_segment_seen(worlds[0].launch.check, 'g', worlds[0].region.address + 256)->cells);
    for (int k = 0; k < 2; k++)
        rt_check_barrier(&worlds[k].worker);
    tell_row('r', 0, 80);
    compare();
}

/* Two lanes that have read a place read it again elsewhere in the source, as all others do. */
static void lanes_read_one_place(void **unused)
{
    UNUSED(unused);
    struct access a = {.kind = 'r', .bytes = CELL_BYTES, .lanes = 0xa0};
    a.text = text_of(&a, 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        a.addresses[i] = worlds[0].region.address;
    for (int k = 0; k < 2; k++)
        tell(&worlds[k], &a);
    a.lanes = UINT32_MAX;
    a.site = 1;
    for (int k = 0; k < 2; k++)
        tell(&worlds[k], &a);
    compare();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(store_races_with_the_second_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(run_of_two_blocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lanes_read_one_place, set_up, tear_down),
        cmocka_unit_test(knows_the_same_in_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
