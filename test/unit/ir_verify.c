/* ir_verify.c: the rules that only code can break (kind API in ir/verify/rules.def), each broken by hand. */
#include "test/unit/ir_files.h"

#include "ir/verify/verify.h"

static struct ir_module *module;
static struct ir_function *fn;
static struct ir_cursor at;
static ir_ref first, branch, ret;

/* entry: %first = clock; brif true, out(1), out(2)   out(%p): ret */
static int set_up(void **state)
{
    module = ir_module_new("broken");
    fn = ir_function_new(module, "f", IR_TYPE_VOID, 0);
    at = (struct ir_cursor){.fn = fn, .block = ir_block_new(fn, "entry")};
    uint32_t out = ir_block_new(fn, "out");
    ir_param_new(fn, out, IR_TYPE_I32, "p");
    first = ir_emit0(&at, IR_clock, IR_TYPE_I64);
    branch = ir_emit_brif(&at, ir_const_i1(fn, true), out, out);
    ir_edge_arg(fn, &ir_block_at(fn, 0)->edges.at[0], ir_const_i32(fn, 1));
    ir_edge_arg(fn, &ir_block_at(fn, 0)->edges.at[1], ir_const_i32(fn, 2));
    at.block = out;
    ret = ir_emit_ret(&at, 0);
    return 0;
}

static int tear_down(void **state)
{
    ir_module_free(module);
    return 0;
}

static void expect(const char *id)
{
    struct arena a;
    struct diagnostics d;
    arena_init(&a);
    diag_init(&d, &a, NULL);
    assert_int_equal(ir_verify(module, &d), id == NULL);
    if (id)
        assert_string_equal(d.all.at[0].id, id);
    arena_free(&a);
}

static void test_sound(void **state)
{
    expect(NULL);
}

static void test_names(void **state)
{
    struct ir_function *g = ir_function_new(module, "f", IR_TYPE_VOID, 0);
    struct ir_cursor c = {.fn = g, .block = ir_block_new(g, NULL)};
    ir_emit_ret(&c, 0);
    expect("names");
}

static void test_order(void **state)
{
    vec_push(&module->arena, &fn->order, 1);
    expect("structure");
    fn->order.count = 1;
    expect("structure");
    fn->order.at[0] = 99;
    expect("structure");
}

static void test_circular_list(void **state)
{
    ir_at(fn, branch)->next = first;
    expect("structure");
}

static void test_owner(void **state)
{
    ir_at(fn, first)->block = 1;
    expect("structure");
}

static void test_last(void **state)
{
    ir_block_at(fn, 0)->last = first;
    expect("structure");
}

static void test_unknown_operation(void **state)
{
    ir_at(fn, first)->op = IR_OPS;
    expect("structure");
    ir_at(fn, first)->op = IR_constant;
    expect("structure");
}

static void test_missing_arguments(void **state)
{
    ir_at(fn, first)->argc = 1;
    expect("structure");
}

static void test_edge_to_nowhere(void **state)
{
    ir_block_at(fn, 0)->edges.at[0].block = 7;
    expect("structure");
}

static void test_reconverge_nowhere(void **state)
{
    ir_block_at(fn, 0)->reconverge = 7;
    expect("structure");
}

static void test_param_position(void **state)
{
    ir_at(fn, ir_block_at(fn, 1)->params.at[0])->imm = 3;
    expect("structure");
}

static void test_operand(void **state)
{
    ir_at(fn, branch)->args[0] = ret; /* makes no value */
    expect("operand");
    ir_at(fn, branch)->args[0] = 100000;
    expect("operand");
    ir_at(fn, branch)->args[0] = 0;
    expect("operand");
    ir_ref removed = ir_emit0(&at, IR_clock, IR_TYPE_I64);
    ir_unlink(fn, removed);
    ir_at(fn, branch)->args[0] = removed;
    expect("operand");
}

static void test_arity(void **state)
{
    ir_at(fn, branch)->argc = 0;
    expect("arity");
}

static void test_successors(void **state)
{
    ir_block_at(fn, 0)->edges.count = 1;
    expect("successors");
}

static void test_limits(void **state)
{
    fn->predictions = IR_MAX_PREDICTIONS + 1;
    expect("limits");
    fn->predictions = 0;
    for (uint32_t i = 0; i <= IR_MAX_ARGS; i++)
        ir_param_new(fn, 0, IR_TYPE_I32, NULL);
    expect("limits");
}

/* The tests above are all the rules of that kind. */
static void test_every_api_rule(void **state)
{
    static const char *const tested[] = {"names", "structure", "limits", "successors", "arity", "operand"};
    uint32_t rules = 0;
    for (uint32_t i = 0; i < IR_RULES; i++)
        rules += !ir_rule_info[i].in_text;
    assert_int_equal(rules, COUNT(tested));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_sound),
        TEST(test_names),
        TEST(test_order),
        TEST(test_circular_list),
        TEST(test_owner),
        TEST(test_last),
        TEST(test_unknown_operation),
        TEST(test_missing_arguments),
        TEST(test_edge_to_nowhere),
        TEST(test_reconverge_nowhere),
        TEST(test_param_position),
        TEST(test_operand),
        TEST(test_arity),
        TEST(test_successors),
        TEST(test_limits),
        TEST(test_every_api_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
