/* Classes f and h of the random tester: their reference on cases known by hand, and whether the arms of
 * class f have in common what Common Subexpression Convergence looks for.
 */
#include "fuzz/program.h"
#include "include/kernc.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

static struct arena arena;

static int tear_down(void **state)
{
    UNUSED(state);
    arena_free(&arena);
    return 0;
}

enum { THREADS = 4 };

/* A kernel with nothing in it but a variable of type int. */
static struct fz_program *empty_program(void)
{
    struct fz_program *p = fz_generate(&fz_class_f, 2, &arena);
    p->blocks = 1;
    p->threads = THREADS;
    p->functions.count = 1;
    p->functions.at[0] = (struct fz_function){.is_void = true, .body = fz_node(p, FZ_NODE_BLOCK)};
    fz_variable(p, fz_kernel(p), FZ_SCALAR, FZ_INT, 0);
    return p;
}

static struct fz_node *binary(struct fz_program *p, enum fz_operator op, struct fz_node *x, struct fz_node *y)
{
    return fz_add(fz_add(fz_leaf(p, FZ_NODE_BINARY, 0, (uint8_t)op), x), y);
}

static struct fz_node *cast(struct fz_program *p, enum fz_type type, struct fz_node *x)
{
    struct fz_node *n = fz_add(fz_node(p, FZ_NODE_CAST), x);
    n->type = (uint8_t)type;
    return n;
}

static void add(struct fz_program *p, struct fz_node *s)
{
    fz_add(fz_kernel(p)->body, s);
}

static void output(struct fz_program *p, uint32_t slot, struct fz_node *x)
{
    add(p, fz_add(fz_leaf(p, FZ_NODE_OUTPUT, slot, 0), x));
}

/* The slots of thread 0, then of thread 1 and so on; NULL: it is no program of the class. */
static const uint64_t *slots_of(const struct fz_program *p, uint32_t width)
{
    void **contents = arena_array(&arena, void *, p->buffers.count);
    for (uint32_t i = 0; i < p->buffers.count; i++)
        contents[i] = arena_alloc_array(&arena, 8, fz_elements(p, &p->buffers.at[i]));
    return fz_class_f.expect(p, width, contents) ? contents[0] : NULL;
}

/* ---- values ------------------------------------------------------------------------------------------ */

/* docs/language.md: "What C leaves undefined, Kern defines", and C's conversions. */
static void reference_knows_arithmetic(void **state)
{
    UNUSED(state);
#define CONSTANT(type, bits) fz_constant(p, FZ_##type, bits)
    struct fz_program *p = empty_program();
    output(p, 0, binary(p, FZ_OP_DIV, CONSTANT(INT, 7), CONSTANT(INT, 0)));
    output(p, 1, binary(p, FZ_OP_DIV, CONSTANT(INT, 0x80000000), CONSTANT(INT, 0xffffffff)));
    output(p, 2, binary(p, FZ_OP_SHL, CONSTANT(INT, 1), CONSTANT(INT, 33)));
    output(p, 3, binary(p, FZ_OP_SHR, CONSTANT(CHAR, 0x80), CONSTANT(INT, 1)));
    output(p, 4, binary(p, FZ_OP_LT, CONSTANT(INT, 0xffffffff), CONSTANT(UINT, 1)));
    output(p, 5, cast(p, FZ_UCHAR, CONSTANT(FLOAT, 0x43960000))); /* 300 */
    output(p, 6, binary(p, FZ_OP_DIV, CONSTANT(FLOAT, 0), CONSTANT(FLOAT, 0)));
    output(p, 7, binary(p, FZ_OP_REM, CONSTANT(LONG, (uint64_t)-7), CONSTANT(INT, 4)));
    const uint64_t *slots = slots_of(p, THREADS);
    assert_non_null(slots);
    const uint64_t wanted[FZ_SLOTS] = {(uint64_t)-1, 0xffffffff80000000u, 2,           0xffffffffffffffc0u, 0,
                                       300 - 256,    0x7fc00000,          (uint64_t)-3};
    for (uint32_t i = 0; i < FZ_SLOTS; i++)
        if (slots[i] != wanted[i])
            fail_msg("slot %u: %llx, not %llx", i, (unsigned long long)slots[i],
                     (unsigned long long)wanted[i]);
#undef CONSTANT
}

/* ---- vectors ----------------------------------------------------------------------------------------- */

static struct fz_node *vector(struct fz_program *p, enum fz_type type, uint64_t x, uint64_t y, uint64_t z)
{
    struct fz_node *n = fz_leaf(p, FZ_NODE_MAKE, 0, 3);
    n->type = (uint8_t)type;
    fz_add(fz_add(n, fz_constant(p, type, x)), fz_constant(p, type, y));
    return fz_add(n, fz_constant(p, type, z));
}

/* Elements of n, which are named by their numbers. */
static struct fz_node *elements(struct fz_program *p, struct fz_node *n, const char *which)
{
    struct fz_node *s = fz_leaf(p, FZ_NODE_SWIZZLE, 0, (uint8_t)strlen(which));
    for (uint32_t i = 0; i < s->op; i++)
        s->value |= (uint64_t)(which[i] - '0') << (2 * i);
    return fz_add(s, n);
}

/* docs/language.md, "Vectors". */
static void reference_knows_vectors(void **state)
{
    UNUSED(state);
    struct fz_program *p = empty_program();
    struct fz_node *sum, *less, *chosen, *v = fz_node(p, FZ_NODE_VARIABLE), *half = fz_node(p, FZ_NODE_DOT);
    v->name = fz_variable(p, fz_kernel(p), FZ_VECTOR, FZ_CHAR, 1);
    fz_kernel(p)->variables.at[v->name].elements = 3;
    add(p, fz_assign(p, fz_clone(p, v), vector(p, FZ_CHAR, 1, 2, 100)));
    add(p, fz_assign(p, elements(p, fz_clone(p, v), "10"), elements(p, fz_clone(p, v), "02")));
    sum = binary(p, FZ_OP_ADD, fz_clone(p, v), fz_clone(p, v));               /* v is 100, 1, 100 */
    less = binary(p, FZ_OP_LT, fz_clone(p, v), fz_constant(p, FZ_CHAR, 100)); /* 0, -1, 0 */
    chosen = fz_add(fz_add(fz_node(p, FZ_NODE_SELECT), fz_clone(p, v)), fz_clone(p, sum));
    fz_add(fz_add(half, vector(p, FZ_FLOAT, 0x3f000000, 0x3f000000, 0)),
           vector(p, FZ_FLOAT, 0x3f800000, 0, 0));
    output(p, 0, elements(p, fz_clone(p, v), "0"));
    output(p, 1, elements(p, fz_clone(p, v), "1"));
    output(p, 2, elements(p, sum, "0"));
    output(p, 3, elements(p, fz_clone(p, less), "1"));
    output(p, 4, elements(p, fz_clone(p, less), "2"));
    output(p, 5, elements(p, fz_add(chosen, less), "1"));
    output(p, 6, half);
    add(p, fz_add(fz_leaf(p, FZ_NODE_STEP, 0, 1), elements(p, fz_clone(p, v), "21")));
    output(p, 7, elements(p, v, "1"));
    const uint64_t *slots = slots_of(p, THREADS);
    assert_non_null(slots);
    const uint64_t wanted[FZ_SLOTS] = {100, 1, (uint64_t)-56, (uint64_t)-1, 0, 2, 0x3f000000, 0};
    for (uint32_t i = 0; i < FZ_SLOTS; i++)
        if (slots[i] != wanted[i])
            fail_msg("slot %u: %llx, not %llx", i, (unsigned long long)slots[i],
                     (unsigned long long)wanted[i]);
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static struct fz_node *thread(struct fz_program *p)
{
    return fz_leaf(p, FZ_NODE_GEOMETRY, 0, 1);
}

static struct fz_node *target(struct fz_program *p)
{
    return fz_node(p, FZ_NODE_VARIABLE);
}

/* for (i = 0; i < threadIdx.x; i++) body */
static struct fz_node *divergent_for(struct fz_program *p, struct fz_node *body)
{
    struct fz_node *n = fz_leaf(p, FZ_NODE_LOOP, 3, FZ_FOR);
    n->name = fz_variable(p, fz_kernel(p), FZ_SCALAR, FZ_INT, 0);
    fz_kernel(p)->variables.at[n->name].counter = true;
    fz_add(fz_add(n, thread(p)), fz_constant(p, FZ_BOOL, 1));
    return fz_add(fz_add(n, body), fz_node(p, FZ_NODE_BLOCK));
}

/* Those in the same arm, and those in the same iteration, execute it together. */
static void reference_knows_groups(void **state)
{
    UNUSED(state);
    struct fz_program *p = empty_program();
    struct fz_node *sum = fz_leaf(p, FZ_NODE_CONVERGE, 0, FZ_REDUCE_ADD), *body = fz_node(p, FZ_NODE_BLOCK);
    struct fz_node *branch = fz_node(p, FZ_NODE_IF), *arms[2];
    fz_add(fz_add(sum, target(p)), thread(p));
    for (int i = 0; i < 2; i++)
        arms[i] = fz_add(fz_node(p, FZ_NODE_BLOCK), fz_clone(p, sum));
    add(p, fz_add(fz_add(fz_add(branch, binary(p, FZ_OP_LT, thread(p), fz_constant(p, FZ_INT, 3))), arms[0]),
                  arms[1]));
    output(p, 0, target(p));
    fz_add(body, sum);
    add(p, divergent_for(p, body));
    output(p, 1, target(p));
    const uint64_t *slots = slots_of(p, THREADS);
    assert_non_null(slots);
    for (uint32_t t = 0; t < THREADS; t++) {
        assert_int_equal(slots[t * FZ_SLOTS], 3);
        assert_int_equal(slots[t * FZ_SLOTS + 1], t == 0 ? 3 : t == 1 ? 6 : t == 2 ? 5 : 3);
    }
}

static void reference_refuses_indices_outside(void **state)
{
    UNUSED(state);
    struct fz_program *p = empty_program();
    struct fz_node *n = fz_node(p, FZ_NODE_ELEMENT);
    n->name = fz_variable(p, fz_kernel(p), FZ_ARRAY, FZ_INT, 1);
    n->flag = true;
    fz_add(n, fz_constant(p, FZ_INT, FZ_ARRAY_LENGTH - 1));
    output(p, 0, n);
    assert_non_null(slots_of(p, THREADS));
    n->first->value++;
    assert_null(slots_of(p, THREADS));
}

/* ---- arms -------------------------------------------------------------------------------------------- */

/* At least two thirds of the programs have common code that pays. */
static void arms_have_much_in_common(void **state)
{
    enum { PROGRAMS = 90 };
    uint32_t found = 0;
    kernc_options o;
    UNUSED(state);
    kernc_options_init(&o);
    o.level = 2;
    o.no_warnings = o.collect = o.ir_only = true;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct text t = {0};
        fz_print(fz_generate(&fz_class_f, seed, &arena), NULL, &t);
        kernc_result *r = kernc_compile("random.kern", t.at, t.length, &o);
        const char *remarks = kernc_result_text(r, KERNC_TEXT_REMARKS, NULL);
        assert_int_equal(kernc_result_status(r), KERNC_COMPILED);
        assert_non_null(remarks);
        found += strstr(remarks, "csc applied") != NULL;
        kernc_result_free(r);
        text_free(&t);
    }
    print_message("%u of %u programs have common code\n", found, PROGRAMS);
    assert_true(3 * found >= 2 * PROGRAMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reference_knows_arithmetic, tear_down),
        cmocka_unit_test_teardown(reference_knows_vectors, tear_down),
        cmocka_unit_test_teardown(reference_knows_groups, tear_down),
        cmocka_unit_test_teardown(reference_refuses_indices_outside, tear_down),
        cmocka_unit_test_teardown(arms_have_much_in_common, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
