/* simulator_test.c: the warp-core simulator: each instruction, memory, faults, barriers, cycles, hostile
 * programs. */
#include "test/warpcore/simulator_test.h"

#include <stdio.h>

uint64_t test_next(struct test_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void machine_expect(struct machine *m, uint32_t blocks, uint32_t threads, kernc_status status)
{
    kernc_status got = machine_run(m, blocks, threads);
    if (got != status) {
        const kernc_trap *t = kernc_last_trap(m->context);
        fail_msg("%s instead of %s: %s\n%s", kernc_status_name(got), kernc_status_name(status),
                 kernc_error_text(m->context), t ? t->report : "");
    }
}

void machine_expect_fault(struct machine *m, uint32_t threads, enum wc_trap code, const char *text)
{
    char head[32];
    machine_expect(m, 1, threads, KERNC_TRAP);
    const kernc_trap *t = kernc_last_trap(m->context);
    snprintf(head, sizeof head, "FAULT %d (", code);
    if (strncmp(t->report, head, strlen(head)) != 0 || !strstr(t->text, text))
        fail_msg("not fault %d with \"%s\": %s\n%s", code, text, t->text, t->report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define ROW(name) cmocka_unit_test(name),
        SIMULATOR_TESTS(ROW)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
