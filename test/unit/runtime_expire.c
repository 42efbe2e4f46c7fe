/* What the scheme barrier does when a warp's time slice is over, on warps made by hand: who runs on, who gives
 * way to whom and after how many slices, and which scalars each group has. Whole kernels: runtime_barrier.c. */
#include "runtime/schemes/barrier.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { PATIENCE = 64, SCALARS = 2, HERE = 5, THERE = 9, BEHIND = 13, CODE = 20 };

struct machine {
    struct rt_warp *w;
    struct barriers s;
    struct rt_events events;
    struct record records[2];
    struct bc_ins code[CODE];
    uint64_t copies[RT_MAX_LANES * SCALARS];
};

/* Lanes 0 to 7 are alive; lanes 0 to 3 run. */
static int set_up(void **state)
{
    struct machine *m = calloc(1, sizeof *m);
    size_t align = _Alignof(struct rt_warp), size = sizeof *m->w + SCALARS * sizeof(uint64_t);
    m->w = aligned_alloc(align, (size + align - 1) / align * align);
    memset(m->w, 0, size);
    m->s.by_size = true;
    m->s.at = m->records;
    m->s.used = m->s.registers = m->s.capacity = COUNT(m->records);
    m->s.scalars = SCALARS;
    m->s.copies = m->copies;
    m->w->scheme_data = &m->s;
    m->w->events = &m->events;
    m->w->code = m->code;
    m->w->launched = m->w->live = 0xff;
    m->w->active = 0x0f;
    m->w->active_count = 4;
    *state = m;
    return 0;
}

static int tear_down(void **state)
{
    struct machine *m = *state;
    free(m->w);
    free(m);
    return 0;
}

static uint32_t expire(struct machine *m)
{
    m->w->active_count = barrier_count_lanes(m->w->active);
    return rt_scheme_barrier.expire(m->w, HERE);
}

/* The running group goes on for so many slices. */
static void goes_on(struct machine *m, unsigned slices)
{
    uint64_t active = m->w->active;
    for (unsigned i = 0; i < slices; i++) {
        assert_int_equal(expire(m), HERE);
        assert_int_equal(m->w->active, active);
    }
}

static void spins_for(struct machine *m, unsigned slices)
{
    for (unsigned i = 0; i < slices; i++) {
        m->w->polled = true;
        goes_on(m, 1);
    }
}

static void make_ready(struct machine *m, uint64_t lanes, uint32_t pc)
{
    barrier_make_ready(m->w, &m->s, lanes, barrier_count_lanes(lanes), pc);
}

/* Lanes wait at a barrier for those that run. */
static void let_wait(struct machine *m, unsigned reg, uint64_t lanes)
{
    m->records[reg] = (struct record){.joined = lanes | m->w->active,
                                      .waiting = lanes,
                                      .arrived = barrier_count_lanes(lanes),
                                      .pc = BEHIND};
}

/* There is nobody to give way to, however long it spins. */
static void a_whole_warp_goes_on(void **state)
{
    struct machine *m = *state;
    m->w->active = m->w->live;
    spins_for(m, 4 * PATIENCE);
    assert_int_equal(m->events.yields, 0);
    assert_false(m->s.copying);
}

/* Nor where the other lanes neither are ready nor wait at a barrier of the warp. */
static void without_others_it_goes_on(void **state)
{
    struct machine *m = *state;
    spins_for(m, 4 * PATIENCE);
    assert_int_equal(m->events.yields, 0);
}

/* Whether it spins or not. */
static void gives_way_to_a_ready_group(void **state)
{
    struct machine *m = *state;
    make_ready(m, 0xf0, THERE);
    goes_on(m, PATIENCE - 1);
    assert_int_equal(expire(m), THERE);
    assert_int_equal(m->w->active, 0xf0);
    assert_int_equal(m->s.ready_count, 1);
    assert_true(m->s.ready[0].lanes == 0x0f && m->s.ready[0].pc == HERE);
    assert_int_equal(m->events.yields, 0);
}

/* Time is counted from when the group became ready. */
static void counts_from_when_it_became_ready(void **state)
{
    struct machine *m = *state;
    goes_on(m, 10);
    make_ready(m, 0xf0, THERE);
    goes_on(m, PATIENCE - 1);
    assert_int_equal(expire(m), THERE);
}

/* Not to the largest, which stands last. */
static void gives_way_to_the_oldest(void **state)
{
    struct machine *m = *state;
    make_ready(m, 0x10, THERE);
    goes_on(m, 1);
    make_ready(m, 0xe0, BEHIND);
    goes_on(m, PATIENCE - 2);
    assert_int_equal(expire(m), THERE);
    assert_int_equal(m->w->active, 0x10);
    assert_int_equal(expire(m), BEHIND); /* and then to the next oldest, after a slice */
    assert_int_equal(m->w->active, 0xe0);
}

/* Once groups take turns each has one slice, and the scalars that it left. */
static void time_slices_keep_scalars(void **state)
{
    struct machine *m = *state;
    make_ready(m, 0xf0, HERE);
    m->w->S[0] = 1;
    goes_on(m, PATIENCE - 1);
    for (uint64_t turn = 0; turn < 6; turn++) {
        assert_int_equal(expire(m), HERE);
        assert_int_equal(m->w->active, turn & 1 ? 0x0f : 0xf0);
        assert_int_equal(m->w->S[0], 1 + turn / 2);
        m->w->S[0]++;
    }
}

/* Those that wait may be what the others spin for: the barrier with the most of them is given up. */
static void gives_up_a_barrier_for_spinning(void **state)
{
    struct machine *m = *state;
    let_wait(m, 0, 0x10);
    let_wait(m, 1, 0xe0);
    spins_for(m, PATIENCE - 1);
    m->w->polled = true;
    assert_int_equal(expire(m), BEHIND);
    assert_int_equal(m->w->active, 0xe0);
    assert_int_equal(m->events.yields, 1);
    assert_true(m->s.copying);
    assert_int_equal(m->records[0].waiting, 0x10);
    assert_true(m->s.ready_count == 1 && m->s.ready[0].lanes == 0x0f);
}

/* One slice in which memory changed, or nothing was asked of it, and the count begins anew. */
static void counts_slices_of_spinning_in_a_row(void **state)
{
    struct machine *m = *state;
    let_wait(m, 0, 0xf0);
    goes_on(m, 4 * PATIENCE);
    spins_for(m, PATIENCE - 1);
    m->w->polled = m->w->changed = true;
    goes_on(m, 1);
    spins_for(m, PATIENCE - 1);
    goes_on(m, 1);
    spins_for(m, PATIENCE - 1);
    assert_int_equal(m->events.yields, 0);
    m->w->polled = true;
    assert_int_equal(expire(m), BEHIND);
    assert_int_equal(m->events.yields, 1);
}

/* While a group is ready no barrier is given up. */
static void ready_groups_come_before_waiting_lanes(void **state)
{
    struct machine *m = *state;
    let_wait(m, 0, 0x70);
    make_ready(m, 0x80, THERE);
    spins_for(m, PATIENCE - 1);
    m->w->polled = true;
    assert_int_equal(expire(m), THERE);
    assert_int_equal(m->events.yields, 0);
    assert_int_equal(m->records[0].waiting, 0x70);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_whole_warp_goes_on),
        TEST(without_others_it_goes_on),
        TEST(gives_way_to_a_ready_group),
        TEST(counts_from_when_it_became_ready),
        TEST(gives_way_to_the_oldest),
        TEST(time_slices_keep_scalars),
        TEST(gives_up_a_barrier_for_spinning),
        TEST(counts_slices_of_spinning_in_a_row),
        TEST(ready_groups_come_before_waiting_lanes),
    };
    return cmocka_run_group_tests_name("runtime: scheme barrier, time slices", tests, NULL, NULL);
}
