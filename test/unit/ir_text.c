/* ir_text.c: the text form: print ∘ parse ∘ print is the identity; hostile input; limits; linear time. */
#include "test/unit/ir_files.h"

#include "ir/limits.h"

static struct text printed(const struct ir_module *m)
{
    struct text t = {0};
    ir_print_module(m, &t);
    return t;
}

static void accept(struct reading *r, const char *name, const char *text, size_t n)
{
    reading_start(r, name, text, n);
    if (r->module)
        ir_verify(r->module, &r->diagnostics);
    if (r->diagnostics.errors) {
        diag_print(&r->diagnostics, stderr, false);
        fail_msg("%s: %u errors", name, r->diagnostics.errors);
    }
}

static void check_identity(const char *path, void *data)
{
    struct text t = file_text(path);
    struct reading first, second;
    accept(&first, path, t.at, t.length);
    struct text once = printed(first.module);
    accept(&second, path, once.at, once.length);
    struct text twice = printed(second.module);
    assert_string_equal(once.at, twice.at);
    struct ir_module *copy = ir_module_copy(first.module);
    struct text copied = printed(copy);
    assert_string_equal(once.at, copied.at);
    ir_module_free(copy);
    reading_end(&first);
    reading_end(&second);
    text_free(&t);
    text_free(&once);
    text_free(&twice);
    text_free(&copied);
}

static void test_print_parse_is_identity(void **state)
{
    assert_true(each_file("test/ir/accept", check_identity, NULL) > 0);
}

/* The module that docs/ir.md shows is one, and is printed as it stands there. */
static void test_documented_example(void **state)
{
    struct text page = file_text("docs/ir.md");
    const char *begin = strstr(page.at, "```\nmodule ");
    assert_non_null(begin);
    begin += strlen("```\n");
    size_t n = (size_t)(strstr(begin, "```") - begin);
    struct reading r;
    accept(&r, "docs/ir.md", begin, n);
    struct text t = printed(r.module);
    assert_int_equal(t.length, n);
    assert_memory_equal(t.at, begin, n);
    reading_end(&r);
    text_free(&t);
    text_free(&page);
}

static void test_every_operation_is_in_the_examples(void **state)
{
    struct text t = file_text("test/ir/accept/operations.kir");
    struct reading r;
    bool seen[IR_OPS] = {0};
    accept(&r, "operations", t.at, t.length);
    for (uint32_t i = 0; i < r.module->functions.count; i++)
        for (uint32_t k = 0; k < r.module->functions.at[i]->ins.count; k++)
            seen[ir_at(r.module->functions.at[i], k)->op] = true;
    for (uint32_t op = 0; op < IR_OPS; op++)
        if (!seen[op])
            fail_msg("operations.kir lacks %s", ir_op_info[op].text);
    reading_end(&r);
    text_free(&t);
}

/* ---- constants ------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    enum ir_type type;
    scalar_bits bits;
    const char *again;
} constants[] = {
    {"true", IR_TYPE_I1, 1, "true"},
    {"false", IR_TYPE_I1, 0, "false"},
    {"5", IR_TYPE_I32, 5, "5"},
    {"-1", IR_TYPE_I32, 0xffffffff, "-1"},
    {"4294967295", IR_TYPE_I32, 0xffffffff, "-1"},
    {"0x10", IR_TYPE_I32, 16, "16"},
    {"-2147483648", IR_TYPE_I32, 0x80000000, "-2147483648"},
    {"5L", IR_TYPE_I64, 5, "5L"},
    {"-9223372036854775808L", IR_TYPE_I64, 0x8000000000000000, "-9223372036854775808L"},
    {"1.5f", IR_TYPE_F32, 0x3fc00000, "1.5f"},
    {"1f", IR_TYPE_F32, 0x3f800000, "1.0f"},
    {"0.1f", IR_TYPE_F32, 0x3dcccccd, "0.1f"},
    {"-0.0f", IR_TYPE_F32, 0x80000000, "-0.0f"},
    {"1e-45f", IR_TYPE_F32, 1, "1e-45f"},
    {"inff", IR_TYPE_F32, 0x7f800000, "inff"},
    {"-inff", IR_TYPE_F32, 0xff800000, "-inff"},
    {"nanf", IR_TYPE_F32, 0x7fc00000, "nanf"},
    {"-nanf", IR_TYPE_F32, 0xffc00000, "nanf(0xffc00000)"},
    {"nanf(0x7f800001)", IR_TYPE_F32, 0x7f800001, "nanf(0x7f800001)"},
    {"1.5", IR_TYPE_F64, 0x3ff8000000000000, "1.5"},
    {"1e23", IR_TYPE_F64, 0x44b52d02c7e14af6, "1e+23"},
    {"5e-324", IR_TYPE_F64, 1, "5e-324"},
    {"-inf", IR_TYPE_F64, 0xfff0000000000000, "-inf"},
    {"nan", IR_TYPE_F64, 0x7ff8000000000000, "nan"},
    {"nan(0x7ff0000000000001)", IR_TYPE_F64, 0x7ff0000000000001, "nan(0x7ff0000000000001)"},
    {"null.shared", IR_TYPE_SHARED, 0, "null.shared"},
    {"ptr.global 0x0", IR_TYPE_GLOBAL, 0, "null.global"},
    {"ptr.function 0x2", IR_TYPE_FUNCTION, 2, "ptr.function 0x2"},
};

static void test_constants(void **state)
{
    for (size_t i = 0; i < COUNT(constants); i++) {
        char text[200], line[100];
        const char *type = ir_type_info[constants[i].type].text;
        snprintf(text, sizeof text, "define %s @f() {\nentry:\n  ret %s\n}\n", type, constants[i].text);
        struct reading r;
        accept(&r, constants[i].text, text, strlen(text));
        const struct ir_function *f = r.module->functions.at[0];
        ir_ref value = ir_at(f, ir_terminator(f, 0))->args[0];
        scalar_bits bits = 0;
        assert_true(ir_is_const(f, value, &bits));
        assert_true(bits == constants[i].bits);
        snprintf(line, sizeof line, "  ret %s\n", constants[i].again);
        struct text t = printed(r.module);
        if (!strstr(t.at, line))
            fail_msg("%s is printed as %s", constants[i].text, t.at);
        text_free(&t);
        reading_end(&r);
    }
}

/* Any bits of a float come back. */
static void test_floats_read_back(void **state)
{
    struct ir_module *m = ir_module_new("floats");
    struct ir_function *f = ir_function_new(m, "f", IR_TYPE_VOID, 0);
    struct ir_cursor c = {.fn = f, .block = ir_block_new(f, NULL)};
    uint64_t x = 1;
    for (int i = 0; i < 2000; i++) {
        x = hash_mix(x, 77);
        ir_emit1(&c, IR_neg, IR_TYPE_F32, ir_const(f, IR_TYPE_F32, x >> 32));
        ir_emit1(&c, IR_neg, IR_TYPE_F64, ir_const(f, IR_TYPE_F64, x));
    }
    ir_emit_ret(&c, 0);
    struct text once = printed(m);
    struct reading r;
    accept(&r, "floats", once.at, once.length);
    const struct ir_function *g = r.module->functions.at[0];
    ir_ref a = ir_block_at(f, 0)->first, b = ir_block_at(g, 0)->first;
    for (; ir_at(f, a)->argc; a = ir_at(f, a)->next, b = ir_at(g, b)->next)
        assert_true(ir_at(f, ir_at(f, a)->args[0])->imm == ir_at(g, ir_at(g, b)->args[0])->imm);
    reading_end(&r);
    text_free(&once);
    ir_module_free(m);
}

/* ---- names and options ----------------------------------------------------------------------------- */

static void test_names_are_made_unique(void **state)
{
    static const char *const hints[] = {"x", "x", "x.1", "x", "1bad", "sp ace", "", NULL, "x.1", "é"};
    struct ir_module *m = ir_module_new("names");
    struct ir_function *f = ir_function_new(m, "f", IR_TYPE_VOID, 0);
    struct ir_cursor c = {.fn = f, .block = ir_block_new(f, "b7")};
    for (size_t i = 0; i < COUNT(hints); i++)
        ir_at(f, ir_emit0(&c, IR_clock, IR_TYPE_I64))->name = hints[i];
    for (int i = 0; i < 3; i++) {
        uint32_t next = ir_block_new(f, "same");
        ir_emit_br(&c, next);
        c.block = next;
    }
    ir_emit_ret(&c, 0);
    struct text once = printed(m);
    struct reading r;
    accept(&r, "names", once.at, once.length);
    struct text twice = printed(r.module);
    assert_string_equal(once.at, twice.at);
    char name[64];
    assert_string_equal(ir_block_name(f, 0, name), "b0");
    assert_string_equal(ir_block_name(f, 2, name), "same.1");
    reading_end(&r);
    text_free(&once);
    text_free(&twice);
    ir_module_free(m);
}

static const char *say_type(void *data, const struct ir_function *f, ir_ref r)
{
    return ir_at(f, r)->type == IR_TYPE_VOID ? NULL : ir_type_info[ir_at(f, r)->type].text;
}

static void test_print_options(void **state)
{
    static const char text[] =
        "define i32 @f(%a: i32) {\nentry:\n  %b = add i32 %a, 1 !3:4\n  ret %b !5:6\n}\n";
    struct reading r;
    accept(&r, "options", text, sizeof text - 1);
    struct text t = {0}, line = {0};
    ir_print_function(r.module->functions.at[0], &t, &(struct ir_print_options){.comment = say_type});
    assert_string_equal(t.at, "define i32 @f(%a: i32) {\n"
                              "entry:                                          ; %a i32\n"
                              "  %b = add i32 %a, 1                            ; i32\n"
                              "  ret %b\n}\n");
    ir_print_ins(r.module->functions.at[0], ir_terminator(r.module->functions.at[0], 0), &line);
    assert_string_equal(line.at, "ret %b");
    text_free(&t);
    text_free(&line);
    reading_end(&r);
}

/* ---- hostile input --------------------------------------------------------------------------------- */

/* Whatever comes out is a module or errors; a module can be verified and printed. */
static void survive(const char *text, size_t n)
{
    struct reading r;
    reading_start(&r, "hostile", text, n);
    assert_true(r.module || r.diagnostics.errors);
    if (r.module) {
        ir_verify(r.module, &r.diagnostics);
        struct text t = printed(r.module);
        text_free(&t);
    }
    reading_end(&r);
}

static void survive_damage(const char *path, void *data)
{
    struct text t = file_text(path);
    uint64_t x = 42;
    for (size_t n = 0; n < t.length; n += 37)
        survive(t.at, n);
    for (int i = 0; i < 400; i++) {
        x = hash_mix(x, (uint64_t)i);
        size_t at = x % t.length;
        char saved = t.at[at];
        t.at[at] = "\0%@#\"{}()[]=,:+-!;.0x9aL\n \xff"[(x >> 32) % 28];
        survive(t.at, t.length);
        if (i % 8)
            t.at[at] = saved;
    }
    text_free(&t);
}

static void test_damaged_text(void **state)
{
    each_file("test/ir/accept", survive_damage, NULL);
    survive("", 0);
    survive("\0", 1);
}

/* ---- memory runs out --------------------------------------------------------------------------------- */

/* Parses, verifies, copies and prints with the n-th allocation failing; false once none failed. What was
 * taken is given back: the address sanitizer's build checks that. */
static bool fails_at(long n, const struct text *source)
{
    struct arena a;
    struct diagnostics d;
    struct text out = {0};
    struct ir_module *volatile m = NULL, *volatile copy = NULL;
    struct mem_guard guard;
    arena_init(&a);
    struct source *s = source_new(&a, "memory", source->at, source->length);
    diag_init(&d, &a, s);
    bool failed = mem_guard_enter(&guard);
    if (!failed) {
        mem_fail_after(n);
        m = ir_parse(s, &d);
        assert_true(ir_verify(m, &d));
        copy = ir_module_copy(m);
        ir_print_module(copy, &out);
    }
    mem_fail_after(0);
    mem_guard_leave(&guard);
    ir_module_free(m);
    ir_module_free(copy);
    text_free(&out);
    arena_free(&a);
    return failed;
}

static void test_memory_runs_out(void **state)
{
    struct text t = file_text("test/ir/accept/forms.kir");
    long n = 1;
    while (fails_at(n, &t))
        n++;
    assert_true(n > 20);
    text_free(&t);
}

/* ---- limits and time ------------------------------------------------------------------------------- */

static void expect_limit(struct text *t, const char *words)
{
    struct reading r;
    reading_start(&r, "limit", t->at, t->length);
    assert_null(r.module);
    assert_string_equal(reading_first_id(&r), "limit");
    if (!strstr(r.diagnostics.all.at[0].text, words))
        fail_msg("wanted '%s' in '%s'", words, r.diagnostics.all.at[0].text);
    reading_end(&r);
    text_free(t);
}

static void repeat(struct text *t, uint32_t n, const char *fmt)
{
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, fmt, i, i);
}

#define HEAD "define void @f() {\nentry:\n"

static void test_limits(void **state)
{
    struct text t = {0};
    text_addz(&t, "define void @f(%a: i32");
    repeat(&t, IR_MAX_ARGS, ", %%p%u: i32");
    expect_limit(&t, "240 parameters");
    text_addz(&t, HEAD "  call @f(1");
    repeat(&t, IR_MAX_ARGS + 1, ", %u");
    expect_limit(&t, "arguments");
    text_addz(&t, HEAD "  switch 1, default out");
    repeat(&t, IR_MAX_EDGES, ", %u: out");
    expect_limit(&t, "successors");
    text_addz(&t, HEAD "  br x0\n");
    repeat(&t, IR_MAX_BLOCKS, "x%u:\n");
    expect_limit(&t, "blocks");
    text_addz(&t, HEAD);
    repeat(&t, IR_MAX_INSTRUCTIONS, "  fence\n");
    expect_limit(&t, "instructions");
    text_addz(&t, HEAD);
    repeat(&t, IR_MAX_INSTRUCTIONS / 2 + 1, "  %%x%u = add i32 %u, 1\n");
    expect_limit(&t, "instructions");
    repeat(&t, IR_MAX_FUNCTIONS + 1, "define void @f%u() {\nentry:\n  ret\n}\n");
    expect_limit(&t, "functions");
    repeat(&t, IR_MAX_OBJECTS + 1, "object @o%u : ptr.shared 4 align 4\n");
    expect_limit(&t, "objects");
    repeat(&t, IR_MAX_HOSTS + 1, "host @h%u : void ()\n");
    expect_limit(&t, "host functions");
    repeat(&t, IR_MAX_STRINGS + 1, "text #%u = \"%u\"\n");
    expect_limit(&t, "table rows");
    repeat(&t, IR_MAX_LAUNCHES + 1, "launch @f()\n");
    expect_limit(&t, "launches");
    text_addz(&t, "text #0 = \"");
    repeat(&t, IR_MAX_STRING + 1, "a");
    text_addz(&t, "\"\n");
    expect_limit(&t, "bytes in a string");
}

static void test_text_limit(void **state)
{
    struct arena a;
    arena_init(&a);
    struct source s = {.name = "long", .text = "", .length = (size_t)IR_MAX_TEXT + 1};
    struct diagnostics d;
    diag_init(&d, &a, NULL);
    assert_null(ir_parse(&s, &d));
    assert_string_equal(d.all.at[0].id, "limit");
    arena_free(&a);
}

/* A hundred thousand lines, each value used before and behind its definition, all names alike. */
static void test_long_function(void **state)
{
    struct text t = {0};
    text_addz(&t, "define void @f(%n: i32) {\nentry:\n  br b0x(0)\n");
    for (uint32_t i = 0; i < 33000; i++)
        text_printf(&t, "b%ux(%%p%u: i32):\n  %%v.%u = add i32 %%p%u, %u\n  br b%ux(%%v.%u)\n", i, i, i, i, i,
                    i + 1, i);
    text_addz(&t, "b33000x(%last: i32):\n  ret\n}\n");
    struct reading r;
    accept(&r, "long", t.at, t.length);
    struct text once = printed(r.module);
    assert_true(once.length > 0);
    text_free(&once);
    reading_end(&r);
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print_parse_is_identity),
        cmocka_unit_test(test_documented_example),
        cmocka_unit_test(test_every_operation_is_in_the_examples),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_floats_read_back),
        cmocka_unit_test(test_names_are_made_unique),
        cmocka_unit_test(test_print_options),
        cmocka_unit_test(test_damaged_text),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_text_limit),
        cmocka_unit_test(test_long_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
