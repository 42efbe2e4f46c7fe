/* base_scheme.c: the tables of targets and divergence schemes agree with those of passes and machines. */
#include "backend/format/warpcore/isa.h"
#include "base/scheme.h"
#include "opt/opt.h"
#include "runtime/schemes/scheme.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void rows_are_found_by_name(void **state)
{
    UNUSED(state);
    struct arena a = {0};
    for (unsigned s = 0; s < SCHEMES; s++)
        assert_int_equal(scheme_find(scheme_info[s].name), s);
    for (unsigned t = 0; t < TARGETS; t++)
        assert_int_equal(target_find(target_info[t].name), t);
    assert_int_equal(scheme_find("pdo"), SCHEMES);
    assert_int_equal(scheme_find(""), SCHEMES);
    assert_int_equal(target_find("warp-core:rpc"), TARGETS);
    assert_non_null(strstr(scheme_names(&a), "oracle, pdom, "));
    arena_free(&a);
}

static void a_target_takes_a_sound_scheme_of_its_own(void **state)
{
    UNUSED(state);
    for (unsigned t = 0; t < TARGETS; t++) {
        assert_int_equal(scheme_info[target_info[t].scheme].target, t);
        assert_false(scheme_has(target_info[t].scheme, SCHEME_UNSOUND));
    }
}

static void check_passes(const char *list)
{
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",");
        if (opt_pass_find(at, n) == OPT_PASSES)
            fail_msg("there is no pass '%.*s'", (int)n, at);
        at += n + (at[n] == ',');
    }
}

static void lowerings_are_of_passes(void **state)
{
    UNUSED(state);
    for (unsigned s = 0; s < SCHEMES; s++)
        check_passes(scheme_info[s].lowering);
    for (unsigned t = 0; t < TARGETS; t++)
        check_passes(target_info[t].lowering);
}

static void a_scheme_has_one_machine(void **state)
{
    UNUSED(state);
    for (unsigned s = 0; s < SCHEMES; s++) {
        bool interpreted = rt_scheme_of((enum scheme)s) != NULL;
        assert_int_equal(interpreted, scheme_info[s].target == TARGET_bytecode);
        assert_int_equal(interpreted, wc_mode_of((enum scheme)s) == WC_MODES);
    }
    for (unsigned m = 0; m < WC_MODES; m++)
        assert_int_equal(wc_mode_of(wc_mode_scheme((enum wc_mode)m)), m);
    assert_null(rt_scheme_of(SCHEMES));
    assert_int_equal(wc_mode_of(SCHEMES), WC_MODES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_name),
        cmocka_unit_test(a_target_takes_a_sound_scheme_of_its_own),
        cmocka_unit_test(lowerings_are_of_passes),
        cmocka_unit_test(a_scheme_has_one_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
