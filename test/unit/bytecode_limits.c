/* bytecode_limits.c: each limit of the code generator by a program that goes beyond it, and recursion
 * through pointers. */
#include "test/unit/bytecode_sample.h"

static const char *first_error(const char *text, bool *made)
{
    static char id[64];
    struct arena a = {0};
    struct diagnostics d;
    struct source *s = source_new(&a, "test.kir", text, strlen(text));
    diag_init(&d, &a, s);
    struct ir_module *m = ir_parse(s, &d);
    struct bc_program *p = m ? be_bytecode(m, SCHEME_pdom, false, &d) : NULL;
    snprintf(id, sizeof id, "%s", d.all.count ? d.all.at[0].id : "none");
    *made = p != NULL;
    bc_program_free(p);
    ir_module_free(m);
    arena_free(&a);
    return id;
}

static void refuses(const char *text, const char *id)
{
    bool made;
    assert_string_equal(first_error(text, &made), id);
    assert_false(made);
}

#define KERNEL                                                                                               \
    "kernel @k(out: ptr.global \"global int *\" of int 4)\ndefine kernel void @k(%out: ptr.global) "         \
    "{\nentry:\n"

static void private_memory(void **state)
{
    refuses(KERNEL "%a = alloca 2000000 align 4\nstore i32 %a, 1\nret\n}\n", "private-memory");
    refuses(KERNEL "%a = alloca 800000 align 4\nstore i32 %a, 1\ncall @f()\nret\n}\n"
                   "define void @f() {\nentry:\n%a = alloca 300000 align 4\nstore i32 %a, 1\nret\n}\n",
            "private-memory");
}

static void shared_memory(void **state)
{
    refuses("object @a : ptr.shared 1048576 align 4\n" KERNEL "ret\n}\n", "shared-memory");
}

static void constant_data(void **state)
{
    struct arena a = {0};
    struct diagnostics d;
    struct ir_module *m = ir_module_new("big");
    struct ir_object half = {
        .name = "half", .space = IR_TYPE_CONSTANT, .size = BC_MAX_DATA / 2 + 4, .align = 4};
    diag_init(&d, &a, NULL);
    vec_push(&m->arena, &m->objects, half);
    vec_push(&m->arena, &m->objects, half);
    assert_null(be_bytecode(m, SCHEME_pdom, false, &d));
    assert_string_equal(d.all.at[0].id, "constant-data");
    ir_module_free(m);
    arena_free(&a);
}

/* Many values that are all live at once: one after the other, they are stored in the other order in
 * another block. */
static void registers(void **state)
{
    struct text t = {0};
    text_addz(&t, KERNEL "%id = special tid.x\n");
    for (unsigned i = 0; i < 33000; i++)
        text_printf(&t, "%%v%u = add i32 %%id, %u\n", i, i + 1);
    text_addz(&t, "br next\nnext:\n");
    for (unsigned i = 33000; i-- > 0;)
        text_printf(&t, "store i32 %%out, %%v%u\n", i);
    text_addz(&t, "ret\n}\n");
    refuses(t.at, "registers");
    text_free(&t);
}

static void temporaries(void **state)
{
    struct text t = {0};
    text_addz(&t, KERNEL "%id = special tid.x\n%p = ptradd ptr.global %out, %id\n");
    for (unsigned i = 0; i < 33000; i++)
        text_printf(&t, "%%v%u = load i32 %%p + %u\n", i, 4 * i);
    for (unsigned i = 33000; i-- > 0;)
        text_printf(&t, "store i32 %%out, %%v%u\n", i);
    text_addz(&t, "ret\n}\n");
    refuses(t.at, "registers");
    text_free(&t);
}

static void recursion(void **state)
{
    refuses("signature #0 = void ()\n" KERNEL "call @f()\nret\n}\n"
            "define void @f() {\nentry:\n%p = function @f\nicall #0(%p)\nret\n}\n",
            "recursion");
}

/* More memory accesses than rows of the site table: the rest share the last. */
static void sites(void **state)
{
    struct text t = {0};
    text_addz(&t, KERNEL);
    for (unsigned i = 0; i < 70000; i++)
        text_printf(&t, "store i32 %%out + %u, %u\n", 4 * i, i % 50);
    text_addz(&t, "ret\n}\n");
    struct bc_program *p = program_of(t.at, false);
    char why[200];
    assert_non_null(p);
    assert_null(bc_verify(p, why, sizeof why));
    assert_int_equal(p->sites.count, BC_MAX_SITES);
    assert_int_equal(p->sites.at[BC_MAX_SITES - 1].line, 0);
    bc_program_free(p);
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(private_memory), cmocka_unit_test(shared_memory), cmocka_unit_test(constant_data),
        cmocka_unit_test(registers),      cmocka_unit_test(temporaries),   cmocka_unit_test(recursion),
        cmocka_unit_test(sites),
    };
    return cmocka_run_group_tests_name("bytecode_limits", tests, NULL, NULL);
}
