/* ir_build.c: building and changing functions: what is left is verified and compared as text. */
#include "test/unit/ir_files.h"

static struct ir_module *module;
static struct ir_function *fn;
static struct ir_cursor at;

static int set_up(void **state)
{
    module = ir_module_new("build");
    fn = ir_function_new(module, "f", IR_TYPE_VOID, 0);
    at = (struct ir_cursor){.fn = fn, .block = ir_block_new(fn, "entry")};
    return 0;
}

static int tear_down(void **state)
{
    ir_module_free(module);
    return 0;
}

static void expect_body(const char *body)
{
    struct arena a;
    struct diagnostics d;
    struct text t = {0};
    arena_init(&a);
    diag_init(&d, &a, NULL);
    if (!ir_verify(module, &d))
        diag_print(&d, stderr, false);
    assert_int_equal(d.errors, 0);
    ir_print_function(fn, &t, NULL);
    assert_string_equal(strchr(t.at, '\n') + 1, body);
    text_free(&t);
    arena_free(&a);
}

static ir_ref clock_read(void)
{
    return ir_emit0(&at, IR_clock, IR_TYPE_I64);
}

/* ---- constants ------------------------------------------------------------------------------------- */

static void test_constants_are_shared(void **state)
{
    assert_int_equal(ir_const_i32(fn, 7), ir_const_i32(fn, 7));
    assert_int_not_equal(ir_const_i32(fn, 7), ir_const(fn, IR_TYPE_I64, 7));
    assert_int_equal(ir_const_i32(fn, UINT32_MAX), ir_const(fn, IR_TYPE_I32, UINT64_MAX));
    assert_int_equal(ir_const_i1(fn, true), ir_const(fn, IR_TYPE_I1, 3));
    assert_int_not_equal(ir_const(fn, IR_TYPE_F32, 0), ir_const(fn, IR_TYPE_F32, 0x80000000));
    ir_ref refs[3000];
    for (uint32_t i = 0; i < COUNT(refs); i++)
        refs[i] = ir_const_i32(fn, i * i);
    for (uint32_t i = 0; i < COUNT(refs); i++)
        assert_int_equal(ir_const_i32(fn, i * i), refs[i]);
}

static void test_signatures_and_texts_are_shared(void **state)
{
    struct ir_signature s = {.result = IR_TYPE_I32, .argc = 1, .args = {IR_TYPE_F32}};
    uint32_t first = ir_signature_add(module, s);
    s.args[40] = 9; /* beyond argc: not part of it */
    assert_int_equal(ir_signature_add(module, s), first);
    s.convergent = true;
    assert_int_not_equal(ir_signature_add(module, s), first);
    assert_int_equal(ir_text_add(module, "a\0b", 3), ir_text_add(module, "a\0b", 3));
    assert_int_not_equal(ir_text_add(module, "a\0b", 3), ir_text_add(module, "a", 1));
}

/* ---- lists ----------------------------------------------------------------------------------------- */

static void test_cursor_unlink_link_remove(void **state)
{
    ir_ref a = clock_read(), c = clock_read(), ret = ir_emit_ret(&at, 0);
    at.before = c;
    ir_ref b = ir_emit1(&at, IR_neg, IR_TYPE_I64, a);
    expect_body("entry:\n  %0 = clock\n  %1 = neg i64 %0\n  %2 = clock\n  ret\n}\n");
    ir_unlink(fn, b);
    at.before = ret;
    ir_link(&at, b);
    expect_body("entry:\n  %0 = clock\n  %1 = clock\n  %2 = neg i64 %0\n  ret\n}\n");
    ir_remove(fn, b);
    ir_remove(fn, a);
    assert_int_equal(ir_at(fn, a)->op, IR_none);
    expect_body("entry:\n  %0 = clock\n  ret\n}\n");
}

static void test_substitute_follows_chains(void **state)
{
    ir_ref a = clock_read(), b = clock_read(), c = clock_read();
    uint32_t next = ir_block_new(fn, "next");
    ir_param_new(fn, next, IR_TYPE_I64, "p");
    ir_emit2(&at, IR_add, IR_TYPE_I64, a, b);
    ir_emit_br(&at, next);
    ir_edge_arg(fn, &ir_block_at(fn, 0)->edges.at[0], a);
    at.block = next;
    ir_emit_ret(&at, 0);
    ir_ref *to = arena_array(&module->arena, ir_ref, fn->ins.count);
    to[a] = b;
    to[b] = c;
    ir_substitute(fn, to);
    assert_int_equal(to[a], c);
    expect_body("entry:\n  %0 = clock\n  %1 = clock\n  %2 = clock\n  %3 = add i64 %2, %2\n  br next(%2)\n"
                "next(%p: i64):\n  ret\n}\n");
}

/* ---- blocks and edges ------------------------------------------------------------------------------ */

static void test_block_split(void **state)
{
    clock_read();
    ir_ref middle = clock_read();
    uint32_t out = ir_block_new(fn, "out");
    ir_emit_brif(&at, ir_const_i1(fn, true), out, out);
    ir_block_at(fn, 0)->reconverge = out;
    uint32_t rest = ir_block_split(fn, 0, middle, "rest");
    at.block = 0;
    ir_emit_br(&at, rest);
    at.block = out;
    ir_emit_ret(&at, 0);
    expect_body("entry:\n  %0 = clock\n  br rest\nout:\n  ret\nrest:\n  %1 = clock\n"
                "  brif true, out, out reconverge out\n}\n");
    uint32_t all = ir_block_split(fn, rest, ir_block_at(fn, rest)->first, "all");
    at.block = rest;
    ir_emit_br(&at, all);
    expect_body("entry:\n  %0 = clock\n  br rest\nout:\n  ret\nrest:\n  br all\nall:\n  %1 = clock\n"
                "  brif true, out, out reconverge out\n}\n");
}

static void test_edge_split_and_params(void **state)
{
    uint32_t out = ir_block_new(fn, "out");
    ir_param_new(fn, out, IR_TYPE_I32, "a");
    ir_param_new(fn, out, IR_TYPE_I32, "b");
    ir_param_new(fn, out, IR_TYPE_I32, "c");
    ir_emit_switch(&at, ir_const_i32(fn, 1), out);
    ir_edge_add(fn, 0, out, 5);
    for (uint32_t e = 0; e < 2; e++)
        for (uint32_t i = 0; i < 3; i++)
            ir_edge_arg(fn, &ir_block_at(fn, 0)->edges.at[e], ir_const_i32(fn, 10 * e + i));
    at.block = out;
    ir_emit_ret(&at, 0);
    ir_edge_split(fn, 0, 1);
    expect_body("entry:\n  switch 1, default out(0, 1, 2), 5: b2\nout(%a: i32, %b: i32, %c: i32):\n  ret\n"
                "b2:\n  br out(10, 11, 12)\n}\n");
    ir_param_remove(fn, out, 1);
    expect_body("entry:\n  switch 1, default out(0, 2), 5: b2\nout(%a: i32, %c: i32):\n  ret\n"
                "b2:\n  br out(10, 12)\n}\n");
}

/* Edges copied with their arguments shared do not see each other's growth. */
static void test_edge_arguments_grow_separately(void **state)
{
    struct ir_edge one = {0}, two;
    for (uint32_t i = 0; i < 5; i++)
        ir_edge_arg(fn, &one, ir_const_i32(fn, i));
    two = one;
    two.capacity = 0;
    ir_edge_arg(fn, &two, ir_const_i32(fn, 100));
    ir_edge_arg(fn, &one, ir_const_i32(fn, 200));
    assert_int_equal(two.args[5], ir_const_i32(fn, 100));
    assert_int_equal(one.args[5], ir_const_i32(fn, 200));
}

static void test_blocks_remove(void **state)
{
    ir_emit_ret(&at, 0);
    struct bitset dead = bitset_new(&module->arena, 6);
    for (uint32_t i = 1; i < 6; i++) {
        at.block = ir_block_new(fn, NULL);
        clock_read();
        ir_emit_br(&at, 1);
        bitset_add(dead, i);
    }
    bitset_remove(dead, 3);
    bitset_remove(dead, 1);
    ir_blocks_remove(fn, dead);
    expect_body("entry:\n  ret\nb1:\n  %0 = clock\n  br b1\nb2:\n  %1 = clock\n  br b1\n}\n");
    ir_block_remove(fn, 3);
    expect_body("entry:\n  ret\nb1:\n  %0 = clock\n  br b1\n}\n");
}

/* A branch both of whose edges share a list of arguments, behind much that goes. */
static void test_compact_keeps_all_but_numbers(void **state)
{
    uint32_t removed = ir_block_new(fn, NULL), join = ir_block_new(fn, NULL);
    for (uint32_t i = 0; i < 20; i++)
        ir_remove(fn, clock_read());
    ir_ref seven = ir_const_i32(fn, 7), p = ir_param_new(fn, join, IR_TYPE_I32, NULL);
    ir_ref lane = ir_emit0(&at, IR_special, IR_TYPE_I32);
    ir_emit_brif(&at, ir_emit2(&at, IR_slt, IR_TYPE_I1, lane, seven), join, join);
    ir_edge_arg(fn, &ir_block_at(fn, 0)->edges.at[0], lane);
    ir_block_at(fn, 0)->edges.at[1] = ir_block_at(fn, 0)->edges.at[0];
    ir_block_at(fn, 0)->reconverge = join;
    at.block = join;
    ir_emit2(&at, IR_add, IR_TYPE_I32, p, seven);
    ir_emit_ret(&at, 0);
    ir_block_remove(fn, removed);
    static const char body[] = "entry:\n  %0 = special tid.x\n  %1 = slt %0, 7\n"
                               "  brif %1, b1(%0), b1(%0) reconverge b1\nb1(%2: i32):\n"
                               "  %3 = add i32 %2, 7\n  ret\n}\n";
    expect_body(body);
    assert_false(ir_compact(fn, 100));
    assert_true(ir_compact(fn, 0));
    expect_body(body);
    assert_false(ir_compact(fn, 0));
    assert_int_equal(fn->ins.count, 8); /* IR_none, the constant, the parameter, five instructions */
    assert_int_equal(fn->blocks.count, 2);
    assert_int_equal(ir_const_i32(fn, 7), 1);
}

/* ---- copies and facts ------------------------------------------------------------------------------ */

static void test_copy_between_functions(void **state)
{
    ir_ref a = clock_read();
    at.at = (place){3, 4};
    ir_ref b = ir_emit2(&at, IR_add, IR_TYPE_I64, a, ir_const(fn, IR_TYPE_I64, 9));
    ir_emit_ret(&at, 0);
    struct ir_function *g = ir_function_new(module, "g", IR_TYPE_VOID, 0);
    struct ir_cursor c = {.fn = g, .block = ir_block_new(g, "entry")};
    ir_ref *map = arena_array(&module->arena, ir_ref, fn->ins.count);
    map[a] = ir_copy_ins(&c, fn, a, map);
    map[b] = ir_copy_ins(&c, fn, b, map);
    ir_emit_ret(&c, 0);
    fn = g;
    expect_body("entry:\n  %0 = clock\n  %1 = add i64 %0, 9L !3:4\n  ret\n}\n");
}

static void test_facts(void **state)
{
    ir_ref load = ir_emit_load(&at, IR_MEM_F32, IR_TYPE_F32, ir_const(fn, IR_TYPE_GLOBAL, 4), 8);
    ir_ref sum = ir_emit2(&at, IR_add, IR_TYPE_F32, load, load);
    ir_ref root = ir_emit1(&at, IR_sqrt, IR_TYPE_F32, sum);
    ir_ref wide = ir_emit1(&at, IR_fext, IR_TYPE_F64, sum);
    ir_ref vote = ir_emit1(&at, IR_any, IR_TYPE_I1, ir_const_i1(fn, true));
    ir_ref product = ir_emit2(&at, IR_mul, IR_TYPE_I32, ir_const_i32(fn, 2), ir_const_i32(fn, 3));
    ir_ref store = ir_emit_store(&at, IR_MEM_F32, ir_const(fn, IR_TYPE_GLOBAL, 4), 0, sum);
    assert_int_equal(ir_scalar_case(fn, sum), SCALAR_add_F);
    assert_int_equal(ir_scalar_case(fn, wide), SCALAR_fext_FD);
    assert_int_equal(ir_find_case(IR_div, IR_TYPE_I32, IR_TYPE_I32), -1);
    assert_int_equal(ir_find_case(IR_eq, IR_TYPE_I1, IR_TYPE_SHARED), SCALAR_eq_I);
    assert_int_equal(ir_latency_of(fn, sum), IR_LAT_FPU);
    assert_int_equal(ir_latency_of(fn, root), IR_LAT_SFU);
    assert_int_equal(ir_latency_of(fn, wide), IR_LAT_DPU);
    assert_int_equal(ir_latency_of(fn, product), IR_LAT_MUL);
    assert_int_equal(ir_latency_of(fn, load), IR_LAT_LOAD);
    assert_true(ir_is_convergent(fn, vote) && !ir_is_convergent(fn, sum));
    assert_true(ir_has_effect(fn, store) && !ir_has_effect(fn, load) && !ir_has_effect(fn, sum));
    assert_int_equal(ir_fixed_type(IR_slt), IR_TYPE_I1);
    assert_int_equal(ir_fixed_type(IR_add), -1);
    assert_int_equal(ir_fixed_type(IR_ballot), IR_TYPE_I64);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_constants_are_shared),
        TEST(test_signatures_and_texts_are_shared),
        TEST(test_cursor_unlink_link_remove),
        TEST(test_substitute_follows_chains),
        TEST(test_block_split),
        TEST(test_edge_split_and_params),
        TEST(test_edge_arguments_grow_separately),
        TEST(test_blocks_remove),
        TEST(test_compact_keeps_all_but_numbers),
        TEST(test_copy_between_functions),
        TEST(test_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
