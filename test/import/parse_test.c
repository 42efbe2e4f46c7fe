/* parse_test.c: the reader of LLVM IR: what it makes of a text with all forms of the grammar, what it says of
 * texts with a fault, and that no damage does harm.
 *
 * The tree of test/import/inputs/parse_all.ll is compared with parse_all.tree; `import_parse -u` writes that
 * again.
 */
#include "import/limits.h"
#include "import/llvm.h"
#include "import/metadata.h"
#include "import/write.h"
#include "test/fuzz/mutate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TRIALS = 3000 };
static const char all_path[] = "test/import/inputs/parse_all.ll";
static const char tree_path[] = "test/import/inputs/parse_all.tree";

static struct arena arena;
static struct diagnostics found;

static struct ll_module *parse(const char *text, size_t n)
{
    arena_reset(&arena);
    struct source *s = source_new(&arena, "t.ll", text, n);
    diag_init(&found, &arena, s);
    struct ll_module *m = llvm_parse(&arena, s, &found);
    assert_int_equal(m == NULL, found.errors != 0);
    return m;
}

static void read_all(struct text *t)
{
    if (file_read(all_path, 1u << 20, t))
        fail_msg("cannot read %s", all_path);
}

/* ---- the tree as text ---------------------------------------------------------------------------------- */

static const char *type(const struct ll_type *t)
{
    return ll_type_text(&arena, t);
}

static void print_words(struct text *t, const struct ll_value *v)
{
    uint32_t n = v->kind == LL_CONST_INT ? (v->type->bits + 63) / 64 : 1;
    text_addz(t, "0x");
    for (uint32_t i = n; i-- > 0;)
        text_printf(t, i + 1 == n ? "%llx" : "%016llx", (unsigned long long)v->words[i]);
}

static void print_value(const struct ll_module *m, struct text *t, const struct ll_value *v);

static void print_values(const struct ll_module *m, struct text *t, struct ll_value *const *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        text_addz(t, i ? ", " : "");
        print_value(m, t, v[i]);
    }
}

static void print_value(const struct ll_module *m, struct text *t, const struct ll_value *v)
{
    text_printf(t, "%s ", type(v->type));
    switch ((enum ll_value_kind)v->kind) {
    case LL_LOCAL: text_printf(t, "local %u", v->number); break;
    case LL_GLOBAL: text_printf(t, "global %s", m->globals.at[v->number].name); break;
    case LL_FUNCTION_REF: text_printf(t, "function %s", m->functions.at[v->number].name); break;
    case LL_CONST_INT:
    case LL_CONST_FLOAT: print_words(t, v); break;
    case LL_NULL: text_addz(t, "null"); break;
    case LL_ZERO: text_addz(t, "zero"); break;
    case LL_UNDEF: text_addz(t, "undef"); break;
    case LL_ASM: text_quoted(t, v->text, strlen(v->text)); break;
    case LL_METADATA_REF: text_printf(t, "%d", (int)v->number); break;
    case LL_EXPRESSION:
        text_printf(t, "%s %s", ll_op_names[v->op], v->element ? type(v->element) : "");
        break;
    default: break;
    }
    if (v->argc) {
        text_addz(t, "(");
        print_values(m, t, v->args, v->argc);
        text_addz(t, ")");
    }
}

static void print_ins(const struct ll_module *m, struct text *t, const struct ll_ins *i)
{
    static const struct {
        size_t at;
        const char *word;
    } flags[] = {
        {offsetof(struct ll_ins, is_volatile), " volatile"},
        {offsetof(struct ll_ins, is_atomic), " atomic"},
        {offsetof(struct ll_ins, is_convergent), " convergent"},
        {offsetof(struct ll_ins, is_noconvergent), " noconvergent"},
    };
    text_printf(t, "    %u:%u ", i->at.line, i->at.column);
    if (i->result != UINT32_MAX)
        text_printf(t, "local %u = ", i->result);
    text_printf(t, "%s %s", ll_op_names[i->op], type(i->type));
    if (i->op == LL_OP_icmp || i->op == LL_OP_fcmp)
        text_printf(t, " predicate %u", i->predicate);
    if (i->element)
        text_printf(t, " of %s", type(i->element));
    text_printf(t, "%s%s%s%s (", i->rmw ? " " : "", i->rmw ? i->rmw : "", i->order ? " " : "",
                i->order ? i->order : "");
    if (i->callee) {
        print_value(m, t, i->callee);
        text_addz(t, ": ");
    }
    print_values(m, t, i->args, i->argc);
    text_addz(t, ")");
    for (size_t k = 0; k < COUNT(flags); k++)
        if (*((const bool *)i + flags[k].at))
            text_addz(t, flags[k].word);
    for (uint32_t k = 0; k < i->block_count; k++)
        text_printf(t, " block %u", i->blocks[k]);
    for (uint32_t k = 0; k < i->case_count; k++)
        text_printf(t, " case %lld block %u", (long long)i->cases[k].value->words[0], i->cases[k].block);
    for (uint32_t k = 0; k < i->index_count; k++)
        text_printf(t, " index %u", i->indices[k]);
    for (uint32_t k = 0; k < i->bundle_count; k++) {
        text_printf(t, " [%s ", i->bundles[k].tag);
        print_values(m, t, i->bundles[k].args, i->bundles[k].argc);
        text_addz(t, "]");
    }
    text_printf(t, i->align ? " align %u" : "", i->align);
    text_printf(t, i->attributes != UINT32_MAX ? " attributes %u" : "", i->attributes);
    text_printf(t, i->debug != UINT32_MAX ? " debug %u\n" : "\n", i->debug);
}

static void print_function(const struct ll_module *m, struct text *t, const struct ll_function *f)
{
    text_printf(t, "function %s: %s%s%s%s%s%s%s debug %d\n", f->name, type(f->type),
                f->is_defined ? " defined" : "", f->is_kernel ? " kernel" : "",
                f->is_convergent ? " convergent" : "", f->is_noinline ? " noinline" : "",
                f->is_alwaysinline ? " alwaysinline" : "", f->is_internal ? " internal" : "", (int)f->debug);
    for (uint32_t i = 0; i < f->param_count; i++) {
        const struct ll_param *p = &f->params[i];
        text_printf(t, "  %s %s align %u%s%s\n", type(p->type), p->name ? p->name : "-", p->align,
                    p->byval           ? " byval "
                    : p->zero_extended ? " zeroext"
                                       : "",
                    p->byval ? type(p->byval) : "");
    }
    for (uint32_t i = 0; i < f->metadata.count; i++)
        text_printf(t, "  %s node %u\n", f->metadata.at[i].kind, f->metadata.at[i].node);
    for (uint32_t i = 0; i < f->locals.count; i++)
        text_printf(t, "  local %u %s: %s\n", i, f->locals.at[i].name ? f->locals.at[i].name : "-",
                    type(f->locals.at[i].type));
    for (uint32_t b = 0; b < f->blocks.count; b++) {
        text_printf(t, "  block %u %s\n", b, f->blocks.at[b].name);
        for (uint32_t i = 0; i < f->blocks.at[b].ins.count; i++)
            print_ins(m, t, &f->blocks.at[b].ins.at[i]);
    }
    for (uint32_t i = 0; i < f->variables.count; i++) {
        text_addz(t, "  variable ");
        print_value(m, t, f->variables.at[i].value);
        text_printf(t, " node %u place %u\n", f->variables.at[i].node, f->variables.at[i].location);
    }
}

static void print_node(const struct ll_module *m, struct text *t, uint32_t n)
{
    const struct ll_node *node = &m->nodes.at[n];
    text_printf(t, "node %u %s\n", n, node->kind ? node->kind : "");
    for (uint32_t i = 0; i < node->count; i++) {
        const struct ll_item *it = &node->items[i];
        text_printf(t, "  %s: ", it->key ? it->key : "-");
        switch ((enum ll_item_kind)it->kind) {
        case LL_ITEM_NULL: text_addz(t, "null"); break;
        case LL_ITEM_NODE: text_printf(t, "node %u", it->node); break;
        case LL_ITEM_STRING: text_quoted(t, it->text, strlen(it->text)); break;
        case LL_ITEM_NUMBER: text_printf(t, "%lld", (long long)it->number); break;
        case LL_ITEM_WORD: text_addz(t, it->text); break;
        case LL_ITEM_VALUE: print_value(m, t, it->value); break;
        }
        text_char(t, '\n');
    }
}

static void print_module(const struct ll_module *m, struct text *t)
{
    text_printf(t, "file %s\ntriple %s\npointers %u\n", m->file, m->triple, m->pointer_bytes);
    for (uint32_t i = 0; i < m->types.count; i++) {
        const struct ll_type *of = m->types.at[i];
        text_printf(t, "type %s: %llu bytes, align %u", type(of), (unsigned long long)ll_bytes(m, of),
                    ll_align(m, of));
        for (uint32_t k = 0; of->kind == LL_STRUCT && k < of->argc; k++)
            text_printf(t, k ? ", %llu" : ", fields at %llu", (unsigned long long)ll_field(m, of, k));
        text_char(t, '\n');
    }
    for (uint32_t i = 0; i < m->globals.count; i++) {
        const struct ll_global *g = &m->globals.at[i];
        text_printf(t, "global %s: space %u %s align %u%s%s debug %d = ", g->name, g->space, type(g->type),
                    g->align, g->is_constant ? " constant" : "", g->is_external ? " external" : "",
                    (int)g->debug);
        if (g->initial || g->alias)
            print_value(m, t, g->initial ? g->initial : g->alias);
        text_char(t, '\n');
    }
    for (uint32_t i = 0; i < m->functions.count; i++)
        print_function(m, t, &m->functions.at[i]);
    for (uint32_t i = 0; i < m->attributes.count; i++)
        for (uint32_t k = 0; k < m->attributes.at[i].strings.count; k++)
            text_printf(t, "attribute %u %s\n", i, m->attributes.at[i].strings.at[k].key);
    for (uint32_t i = 0; i < m->nodes.count; i++)
        print_node(m, t, i);
    for (uint32_t i = 0; i < m->named.count; i++)
        text_printf(t, "named %s of %u\n", m->named.at[i].name, m->named.at[i].nodes.count);
}

static bool writes;

static void all_forms(void **state)
{
    struct text in = {0}, out = {0}, wanted = {0};
    read_all(&in);
    struct ll_module *m = parse(in.at, in.length);
    if (!m) {
        diag_print(&found, stderr, false);
        fail();
    }
    print_module(m, &out);
    if (writes)
        assert_null(file_write(tree_path, out.at, out.length));
    assert_null(file_read(tree_path, 1u << 20, &wanted));
    assert_string_equal(out.at, wanted.at);
    text_free(&in);
    text_free(&out);
    text_free(&wanted);
}

/* ---- faults -------------------------------------------------------------------------------------------- */

#define IN_BODY(text) "define void @f(i32 %a, ptr %p) {\n" text "\n  ret void\n}\n"

static const struct {
    const char *text, *message;
    uint32_t line;
} faults[] = {
    {"@a = global float* null", "cannot be imported: make the text by LLVM 15", 1},
    {"@a = global i32 1.0", "stands for a value of type i32", 1},
    {"@a = global float 0.1", "is not quite a number of type float", 1},
    {"@a = global x86_fp80 0xK0", "the type 'x86_fp80' cannot", 1},
    {"@a = global [2 x i32] [i32 1]", "1 elements for a value of type [2 x i32]", 1},
    {"@a = thread_local global i32 0", "a thread_local variable cannot", 1},
    {"@a = ifunc void (), ptr @f", "an ifunc cannot", 1},
    {"module asm \"x\"", "assembly of a module cannot", 1},
    {"@a = global ptr @b", "'@b' is not defined", 1},
    {"@a = global i32 0\n@a = global i32 0", "'@a' is defined twice", 2},
    {"@a = addrspace(1) global ptr @a", "'@a' is of type ptr, and is ptr addrspace(1) here", 1},
    {"@a = global <vscale x 4 x i32> undef", "of a length that only the machine knows", 1},
    {"@a = global <2000 x i32> undef", "a vector has 1 to 1024 elements (IMPORT_MAX_ELEMENTS)", 1},
    {"@a = global i9000000 0", "an integer has 1 to 4096 bits (IMPORT_MAX_BITS)", 1},
    {"@a = global \"x", "a string without its closing", 1},
    {"@a ? 1", "unexpected character '?'", 1},
    {"@a = global %T undef", "the type %T is not defined", 1},
    {"%T = type { i32, %U }\n%U = type { [4 x %T] }\n@a = global %T undef", "the type %T holds itself", 0},
    {"!a = !{!1}", "metadata !1 is not defined", 1},
    {"!1 = !{}\n!1 = !{}", "metadata !1 is defined twice", 2},
    {"define void @f() {\n", "found the end of the text", 2},
    {"define void @f() {\n}", "expected an instruction", 2},
    {IN_BODY("  %b = add i32 %a, 1\n  %b = add i32 %a, 1"), "%b is defined twice", 3},
    {IN_BODY("  %b = add i32 %c, 1"), "%c is not defined", 2},
    {IN_BODY("  %b = add i64 %a, 1"), "%a is of type i32, and is i64 here", 2},
    {IN_BODY("  %b = add float 1.0, 1.0"), "'add' of float, float", 2},
    {IN_BODY("  %b = zext i32 %a to i16"), "'zext' from i32 to i16", 2},
    {IN_BODY("  %b = load i32, i32 %a"), "expected the address", 2},
    {IN_BODY("  %b = icmp olt i32 %a, 1"), "expected a comparison of integers", 2},
    {IN_BODY("  %5 = add i32 %a, 1\n  %4 = add i32 %a, 1"), "number 4 is defined out of order", 3},
    {IN_BODY("  %b = extractvalue {i32} undef, 1"), "there is no part of that index", 2},
    {IN_BODY("  %b = store i32 1, ptr %p"), "result of an operation that has none", 2},
    {IN_BODY("  br i32 %a, label %x, label %x"), "expected a condition", 2},
    {IN_BODY("  br label %a"), "%a is a value, and stands for a block", 2},
    {IN_BODY("  br label %x"), "%x is not defined", 2},
    {IN_BODY("  invoke void @f() to label %x unwind label %y"), "'invoke' cannot be imported", 2},
    {IN_BODY("  call void (i32) @f(float 1.0)"), "the arguments are not those of the function type", 2},
    {IN_BODY("  %b = fly i32 %a"), "expected an instruction, found 'fly'", 2},
    {IN_BODY("  %b = add i32 %a, 1\nx:"), "the block before x: does not end", 3},
    {"define i32 @f() {\n  ret void\n}", "the function's result is of another type", 2},
};

static void faults_are_told(void **state)
{
    for (size_t i = 0; i < COUNT(faults); i++) {
        assert_null(parse(faults[i].text, strlen(faults[i].text)));
        const struct diagnostic *d = &found.all.at[0];
        if (!strstr(d->text, faults[i].message) || d->where.at.line != faults[i].line)
            fail_msg("fault %zu: '%s' in line %u, expected '%s' in line %u", i, d->text, d->where.at.line,
                     faults[i].message, faults[i].line);
    }
}

static void repeated(struct text *t, const char *what, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        text_addz(t, what);
}

/* Types, constants, metadata: as deep as the limit, and much deeper. */
static void nesting_is_bounded(void **state)
{
    static const struct {
        const char *before, *open, *middle, *close, *after;
    } forms[] = {
        {"@a = global ", "[1 x ", "i8", "]", " undef"},
        {"@a = global ", "{", "i8", "}", " undef"},
        {"@a = global ptr ", "getelementptr (i8, ptr ", "null", ", i32 0)", ""},
        {"!a = !{", "!{", "null", "}", "}"},
        {"!a = !{", "!DIX(a: ", "1", ")", "}"},
    };
    for (size_t f = 0; f < COUNT(forms); f++)
        for (uint32_t n = IMPORT_MAX_NESTING / 4; n < 1u << 18; n *= 64) {
            struct text t = {0};
            text_addz(&t, forms[f].before);
            repeated(&t, forms[f].open, n);
            text_addz(&t, forms[f].middle);
            repeated(&t, forms[f].close, n);
            text_addz(&t, forms[f].after);
            bool good = parse(t.at, t.length) != NULL;
            assert_int_equal(good, n < IMPORT_MAX_NESTING);
            assert_true(good || strcmp(found.all.at[0].id, "import-limit") == 0);
            text_free(&t);
        }
}

/* Each named type holds the one before it. */
static void named_types_are_bounded(void **state)
{
    for (uint32_t n = IMPORT_MAX_NESTING / 2; n < 100000; n *= 16) {
        struct text t = {0};
        text_addz(&t, "%t0 = type { i32 }\n");
        for (uint32_t i = 1; i < n; i++)
            text_printf(&t, "%%t%u = type { %%t%u, %%t%u }\n", i, i - 1, i - 1);
        assert_int_equal(parse(t.at, t.length) != NULL, n < IMPORT_MAX_NESTING);
        text_free(&t);
    }
}

/* ---- metadata of kernc's own --------------------------------------------------------------------------- */

static struct ir_module *parse_ir(const char *path)
{
    struct text in = {0};
    if (file_read(path, 1u << 20, &in))
        fail_msg("cannot read %s", path);
    struct source *s = source_new(&arena, path, in.at, in.length);
    diag_init(&found, &arena, s);
    struct ir_module *m = ir_parse(s, &found);
    assert_non_null(m);
    text_free(&in);
    return m;
}

/* What kernc knows of kernels and launches comes back from the LLVM IR that it writes. */
static void own_metadata_comes_back(void **state)
{
    struct text before = {0}, ll = {0}, after = {0};
    struct ir_module *m = parse_ir("test/import/write.kir");
    ir_print_module(m, &before);
    llvm_write(m, &ll);
    ir_module_free(m);
    struct ll_module *tree = parse(ll.at, ll.length);
    assert_non_null(tree);
    m = parse_ir("test/import/write.kir");
    m->launches.count = 0;
    for (uint32_t p = 0; p < m->kernels.at[0].params.count; p++) {
        struct ir_param_info *one = &m->kernels.at[0].params.at[p];
        one->name = one->text = "lost";
        one->element = LAUNCH_BYTES;
        one->element_bytes = 7;
    }
    import_metadata(tree, m, &found);
    assert_int_equal(found.errors, 0);
    ir_print_module(m, &after);
    assert_string_equal(after.at, before.at);
    ir_module_free(m);
    text_free(&before);
    text_free(&ll);
    text_free(&after);
}

static void own_metadata_that_does_not_fit(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"!kern.kernels = !{!{!\"kernel @k(n: i32 \\22int\\22 of int 4)\"}}", "'k' has other parameters"},
        {"!kern.kernels = !{!{!\"kernel @none()\"}}", "none"},
        {"!kern.kernels = !{!{!\"launch @k()\"}}", "a line is no kernel's"},
        {"!kern.kernels = !{!{!\"kernel @f()\"}}", "f"},
        {"!kern.launches = !{!{!\"launch k(\"}}", ""},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct ll_module *tree = parse(wrong[i].text, strlen(wrong[i].text));
        assert_non_null(tree);
        struct ir_module *m = parse_ir("test/import/write.kir");
        import_metadata(tree, m, &found);
        assert_int_equal(found.errors, 1);
        assert_non_null(strstr(found.all.at[0].text, wrong[i].message));
        ir_module_free(m);
    }
}

/* ---- damage -------------------------------------------------------------------------------------------- */

static void cut_anywhere(void **state)
{
    struct text in = {0};
    read_all(&in);
    for (size_t n = 0; n < in.length; n += 3)
        parse(in.at, n);
    text_free(&in);
}

static void damaged(void **state)
{
    struct text in = {0};
    uint32_t taken = 0;
    read_all(&in);
    for (uint32_t n = 0; n < TRIALS; n++) {
        struct fz_random r = fz_random(n, 1);
        struct text out = {0};
        mutate_text(&r, &in, &out);
        if (fz_chance(&r, 30))
            mutate_bytes(&r, (uint8_t *)out.at, out.length, (struct mutate_code){0});
        taken += parse(out.at, out.length) != NULL;
        text_free(&out);
    }
    assert_in_range(taken, 1, TRIALS - 1);
    text_free(&in);
}

int main(int argc, char **argv)
{
    writes = argc > 1 && strcmp(argv[1], "-u") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(named_types_are_bounded),
        cmocka_unit_test(own_metadata_comes_back),
        cmocka_unit_test(own_metadata_that_does_not_fit),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(damaged),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
