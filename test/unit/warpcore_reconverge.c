/* warpcore_reconverge.c: where CONVERGEs go in each divergence mode, which branches count as uniform, and what
 * mode source-pc refuses.
 */
#include "backend/warpcore/reconverge.h"
#include "ir/analysis/analysis.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

struct fixture {
    struct arena a;
    struct ir_module *m;
    const struct ir_function *f;
    struct wc_reconvergence *c;
    char error[300];
};

static struct fixture place_all(const char *text, enum wc_mode mode)
{
    struct fixture x = {.m = NULL};
    struct diagnostics d;
    struct source *s = source_new(&x.a, "test.kir", text, strlen(text));
    diag_init(&d, &x.a, s);
    x.m = ir_parse(s, &d);
    if (!x.m || !ir_verify(x.m, &d))
        fail_msg("no module: %s", d.all.at[0].text);
    x.f = x.m->functions.at[0];
    struct ir_cfg *g = ir_cfg_new(&x.a, x.f);
    x.c = wc_reconvergence_new(&x.a, g, ir_cycles_new(&x.a, g), mode, &d);
    snprintf(x.error, sizeof x.error, "%s", d.all.count ? d.all.at[0].text : "");
    return x;
}

static void drop(struct fixture *x)
{
    struct arena a = x->a;
    ir_module_free(x->m);
    arena_free(&a);
}

static uint32_t block_named(const struct fixture *x, const char *name)
{
    char buffer[64];
    ir_each_block(i, b, x->f)
        if (strcmp(ir_block_name(x->f, b, buffer), name) == 0)
            return b;
    fail_msg("no block %s", name);
    return IR_NO_BLOCK;
}

static const struct wc_block_reconvergence *at(const struct fixture *x, const char *name)
{
    return &x->c->at[block_named(x, name)];
}

#define KERNEL                                                                                               \
    "module \"t\"\ntext #0 = \"no\"\nkernel @k(n: i32 \"int\" of int 4)\n"                                   \
    "define kernel void @k(%n: i32) {\nentry:\n%t = special tid.x\n%div = slt %t, 3\n%uni = slt %n, 3\n"

/* Two reconverge in `end`: the outer diverges ; the inner does or does not. */
#define SHARED(inner)                                                                                        \
    KERNEL "brif %div, one, end\none:\nbrif " inner ", two, end\ntwo:\nbr end\nend:\nret\n}\n"

static void one_place_for_two(void **state)
{
    struct fixture x = place_all(SHARED("%div"), WC_MODE_RPC);
    assert_int_equal(at(&x, "entry")->reconverge, block_named(&x, "end"));
    assert_int_equal(at(&x, "one")->reconverge, block_named(&x, "end"));
    assert_int_equal(at(&x, "end")->converge.count, 1);
    drop(&x);
    x = place_all(SHARED("%div"), WC_MODE_SOURCE_PC);
    assert_int_equal(at(&x, "end")->converge.count, 2);
    assert_int_equal(at(&x, "end")->converge.at[0], block_named(&x, "one"));
    assert_int_equal(at(&x, "end")->converge.at[1], block_named(&x, "entry"));
    drop(&x);
}

static void uniform_branches(void **state)
{
    struct fixture x = place_all(SHARED("%uni"), WC_MODE_SOURCE_PC);
    assert_true(at(&x, "one")->uniform);
    assert_int_equal(at(&x, "one")->reconverge, IR_NO_BLOCK);
    assert_int_equal(at(&x, "end")->converge.count, 1);
    drop(&x);
    x = place_all(KERNEL "brif %uni, one, end\none:\nbr end\nend:\nret\n}\n", WC_MODE_ARTICLE);
    assert_int_equal(at(&x, "end")->converge.count, 1); /* it asks nothing */
    drop(&x);
}

/* Lanes of several iterations reconverge at `test`, so its counter differs. With `continue` leading to the
 * test it does not. */
#define CONTINUE(past)                                                                                       \
    KERNEL "br head(0)\nhead(%i: i32):\n%j = add i32 %i, 1\nbrif %div, work, test\n"                         \
           "work:\n%odd = slt %i, %t\nbr " past                                                              \
           "\ntest:\n%c = slt %i, %n\nbrif %c, head(%j), end\nend:\nret\n}\n"

static void iterations_that_reconverge(void **state)
{
    struct fixture x = place_all(CONTINUE("head(%j)"), WC_MODE_RPC);
    assert_int_equal(at(&x, "head")->reconverge, block_named(&x, "test"));
    assert_false(at(&x, "test")->uniform);
    assert_int_equal(at(&x, "test")->reconverge, block_named(&x, "end"));
    drop(&x);
    x = place_all(CONTINUE("test"), WC_MODE_RPC);
    assert_true(at(&x, "test")->uniform);
    drop(&x);
}

static void traps_and_endless_parts(void **state)
{
    struct fixture x = place_all(KERNEL "brif %div, bad, end\nbad:\ntrap #0\nend:\nret\n}\n", WC_MODE_RPC);
    assert_int_equal(at(&x, "entry")->reconverge, block_named(&x, "end"));
    drop(&x);
    x = place_all(KERNEL "br loop\nloop:\nbrif %div, loop, more\nmore:\nbr loop\n}\n", WC_MODE_RPC);
    assert_int_equal(at(&x, "loop")->reconverge, IR_NO_BLOCK);
    assert_false(at(&x, "loop")->uniform);
    drop(&x);
}

static void loops_of_source_pc(void **state)
{
    struct fixture x = place_all(KERNEL "br head(0)\nhead(%i: i32):\n%j = add i32 %i, 1\n%c = slt %j, %t\n"
                                        "brif %c, head(%j), end\nend:\nret\n}\n",
                                 WC_MODE_SOURCE_PC);
    assert_true(at(&x, "head")->direct);
    assert_int_equal(at(&x, "head")->taken, 1);
    drop(&x);
    /* One loop that all lanes may leave for another: only the second is in the influence of the first. */
    x = place_all(KERNEL "br head(0)\nhead(%i: i32):\n%j = add i32 %i, 1\n%c = slt %j, %t\n"
                         "brif %c, body, end\nbody:\nbrif %uni, head(%j), next(%j)\n"
                         "next(%k: i32):\n%l = add i32 %k, 1\n%d = slt %l, %t\nbrif %d, next(%l), end\n"
                         "end:\nret\n}\n",
                  WC_MODE_SOURCE_PC);
    assert_non_null(x.c);
    assert_true(at(&x, "head")->direct && at(&x, "next")->direct);
    assert_int_equal(at(&x, "end")->converge.count, 2);
    assert_int_equal(at(&x, "end")->converge.at[0], block_named(&x, "next"));
    drop(&x);
}

static void source_pc_refuses(void **state)
{
    struct fixture x = place_all(KERNEL "br head(0)\nhead(%i: i32):\n%j = add i32 %i, 1\n%c = slt %j, %t\n"
                                        "brif %c, head(%j), end(%j)\nend(%r: i32):\nret\n}\n",
                                 WC_MODE_SOURCE_PC);
    assert_null(x.c);
    assert_string_equal(
        x.error,
        "mode source-pc can't run 'k': a loop's exit does not lead straight to where its lanes reconverge");
    drop(&x);
    x = place_all(KERNEL
                  "br head(0)\nhead(%i: i32):\n%c = slt %i, %t\nbrif %c, body, end\nbody:\n%d = slt %t, %i\n"
                  "%j = add i32 %i, 1\nbrif %d, end, head(%j)\nend:\nret\n}\n",
                  WC_MODE_SOURCE_PC);
    assert_null(x.c);
    assert_string_equal(x.error, "mode source-pc can't run 'k': lanes leave a loop at several branches");
    drop(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_place_for_two),          cmocka_unit_test(uniform_branches),
        cmocka_unit_test(iterations_that_reconverge), cmocka_unit_test(traps_and_endless_parts),
        cmocka_unit_test(loops_of_source_pc),         cmocka_unit_test(source_pc_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
