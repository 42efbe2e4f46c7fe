/* runtime_cycle.c: cycles of machines drawn at random are found, and nothing else is taken for one. */
#include "runtime/launch/cycle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { TRIES = 300, STATES = 512, MOST_LOOKS = 40 * STATES };

/* A state is a number of nine bits: three for the registers, for the memory of its own, and for that of all. */
struct machine {
    uint32_t next[STATES], state;
};

static void own(void *from, struct rt_digest *d)
{
    rt_digest_word(d, ((struct machine *)from)->state >> 3 & 7);
}
static void memory(void *from, struct rt_digest *d)
{
    rt_digest_word(d, ((struct machine *)from)->state >> 6);
}

/* Whether the machine ever comes back to the state. */
static bool is_in_cycle(const struct machine *m)
{
    uint32_t s = m->next[m->state];
    for (uint32_t i = 0; i < STATES && s != m->state; i++)
        s = m->next[s];
    return s == m->state;
}

static enum rt_found look(struct rt_cycle *c, struct machine *m, uint64_t stores, bool alone)
{
    struct rt_sight s = {.ran = 100,
                         .stores = stores,
                         .alone = alone,
                         .own_bytes = 8,
                         .memory_bytes = 8,
                         .own = own,
                         .memory = memory,
                         .from = m};
    rt_digest_word(&s.near, m->state & 7);
    return rt_cycle_look(c, &s);
}

/* Whether a cycle is found, which then is one. */
static bool run(struct machine *m, bool alone)
{
    struct rt_cycle c = {0};
    uint64_t stores = 0;
    uint32_t first = 0;
    for (uint32_t looks = 1; looks <= MOST_LOOKS; looks++) {
        enum rt_found found = look(&c, m, stores, alone);
        if (found == RT_BEGINS)
            first = m->state;
        if (found == RT_CLOSED) {
            assert_true(is_in_cycle(m));
            assert_int_equal(m->state, first);
            return true;
        }
        uint32_t next = m->next[m->state];
        stores += next >> 6 != m->state >> 6;
        m->state = next;
    }
    return false;
}

static uint64_t draw(uint64_t *seed)
{
    return *seed = hash_mix(*seed, 1);
}

static void cycles_are_found(void **state)
{
    UNUSED(state);
    uint64_t seed = 7;
    for (int i = 0; i < TRIES; i++) {
        struct machine m = {.state = 0};
        for (uint32_t s = 0; s < STATES; s++)
            m.next[s] = (uint32_t)(draw(&seed) >> 20) % STATES;
        assert_true(run(&m, true));
    }
}

/* Those that leave the memory of all as it is are found though others may change it; no others. */
static void others_may_store(void **state)
{
    UNUSED(state);
    struct machine m = {.state = 0};
    for (uint32_t s = 0; s < STATES; s++)
        m.next[s] = (s + 1) % 64 + s / 64 * 64;
    assert_true(run(&m, false));
    for (uint32_t s = 0; s < STATES; s++)
        m.next[s] = (s + 1) % STATES;
    assert_false(run(&m, false));
    assert_true(run(&m, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_are_found),
                                       cmocka_unit_test(others_may_store)};
    return cmocka_run_group_tests_name("runtime: cycles", tests, NULL, NULL);
}
