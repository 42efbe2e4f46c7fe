/* fuzz_references.c: the references of random programs on cases known by hand. */
#include "fuzz/fuzz.h"
#include "fuzz/reference.h"
#include "fuzz/reference_e.h"
#include "include/kernc.h"
#include "ir/analysis/analysis.h"
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

static char *text_of(const struct fz_program *p)
{
    struct text t = {0};
    fz_print(p, NULL, &t);
    char *copy = arena_strdup(&arena, t.at, t.length);
    text_free(&t);
    return copy;
}

/* ---- programs by hand -------------------------------------------------------------------------------- */

static struct fz_program *empty_program(uint32_t threads)
{
    struct fz_program *p = fz_generate(&fz_class_b, 1, &arena);
    p->blocks = 1;
    p->threads = threads;
    p->functions.count = 1;
    p->functions.at[0] = (struct fz_function){.is_void = true, .body = fz_node(p, FZ_NODE_BLOCK)};
    return p;
}

static struct fz_node *lanes(struct fz_program *p, uint64_t mask)
{
    return fz_in_lanes(p, mask);
}

static struct fz_node *ballot(struct fz_program *p)
{
    return fz_add(fz_leaf(p, FZ_NODE_LOG, 0, FZ_BALLOT_ALL), lanes(p, 0));
}

static struct fz_node *block(struct fz_program *p, struct fz_node *a, struct fz_node *b)
{
    struct fz_node *n = fz_node(p, FZ_NODE_BLOCK);
    if (a)
        fz_add(n, a);
    return b ? fz_add(n, b) : n;
}

/* The reference's log of one warp, and the machine's in a setup that separates nobody wrongly: rows ×
 * threads. */
static const uint64_t *log_of(struct fz_program *p, uint32_t width)
{
    void *contents[3];
    for (uint32_t i = 0; i < 3; i++)
        contents[i] = arena_alloc_array(&arena, 8, fz_elements(p, &p->buffers.at[i]));
    memcpy(contents[2], p->inputs, sizeof p->inputs);
    assert_true(fz_class_b.expect(p, width, contents));
    return contents[0];
}

static void check_row(const struct fz_program *p, const uint64_t *log, uint32_t row, const uint64_t *wanted)
{
    for (uint32_t t = 0; t < p->threads; t++)
        if (log[row * p->threads + t] != wanted[t])
            fail_msg("row %u, thread %u: %llx, not %llx\n%s", row, t,
                     (unsigned long long)log[row * p->threads + t], (unsigned long long)wanted[t],
                     text_of(p));
}
#define ROW(p, log, row, ...) check_row(p, log, row, (const uint64_t[]){__VA_ARGS__})

/* for (i = 0; i < laneId % 4; i++) body */
static struct fz_node *divergent_for(struct fz_program *p, struct fz_node *body)
{
    struct fz_node *n = fz_leaf(p, FZ_NODE_LOOP, 3, FZ_FOR);
    n->name = fz_variable(p, fz_kernel(p), FZ_SCALAR, FZ_UINT, 0);
    fz_kernel(p)->variables.at[n->name].counter = true;
    fz_add(fz_add(n, fz_lane_number(p, 1, 4)), fz_constant(p, FZ_BOOL, 1));
    return fz_add(fz_add(n, body), block(p, NULL, NULL));
}

static void reference_knows_branches(void **state)
{
    UNUSED(state);
    struct fz_program *p = empty_program(4);
    struct fz_node *n = fz_add(fz_node(p, FZ_NODE_IF), lanes(p, 5));
    fz_add(fz_add(n, block(p, ballot(p), NULL)), block(p, ballot(p), NULL));
    fz_add(fz_add(fz_kernel(p)->body, n), ballot(p));
    const uint64_t *log = log_of(p, 4);
    ROW(p, log, 0, 5, 10, 5, 10);
    ROW(p, log, 1, 15, 15, 15, 15);
    log = log_of(p, 2); /* two warps: their lanes are 0 and 1 */
    ROW(p, log, 0, 1, 2, 1, 2);
    ROW(p, log, 1, 3, 3, 3, 3);
}

/* The document's second example: an operation before a break belongs to the iteration that is left. */
static void reference_knows_operations_before_a_break(void **state)
{
    UNUSED(state);
    struct fz_program *p = empty_program(4);
    struct fz_node *i = fz_node(p, FZ_NODE_VARIABLE); /* the loop's counter, the only variable */
    struct fz_node *leave = fz_add(fz_node(p, FZ_NODE_IF), fz_by(p, FZ_OP_EQ, fz_by(p, FZ_OP_REM, i, 4), 1));
    fz_add(fz_add(leave, block(p, ballot(p), fz_node(p, FZ_NODE_BREAK))), block(p, NULL, NULL));
    fz_add(fz_add(fz_kernel(p)->body, divergent_for(p, block(p, ballot(p), leave))), ballot(p));
    const uint64_t *log = log_of(p, 4);
    ROW(p, log, 0, 15, 14, 14, 14); /* lane 0 has no turn and is at the last ballot already */
    ROW(p, log, 1, 0, 15, 12, 12);
    ROW(p, log, 2, 0, 0, 12, 12); /* those that leave in the turn i == 1 */
    ROW(p, log, 3, 0, 0, 15, 15);
}

static void reference_knows_fallthrough_and_elect(void **state)
{
    UNUSED(state);
    struct fz_program *p = empty_program(4);
    struct fz_node *n = fz_add(fz_leaf(p, FZ_NODE_SWITCH, 3, 0), fz_lane_number(p, 1, 4));
    struct fz_node *one = fz_add(fz_leaf(p, FZ_NODE_CASE, 1, 0), block(p, ballot(p), NULL));
    struct fz_node *rest = fz_add(fz_node(p, FZ_NODE_CASE), block(p, ballot(p), fz_node(p, FZ_NODE_BREAK)));
    rest->flag = true;
    fz_add(n, block(p, one, rest));
    struct fz_node *chosen = fz_add(fz_node(p, FZ_NODE_IF), fz_node(p, FZ_NODE_ELECT));
    fz_add(fz_add(chosen, block(p, ballot(p), NULL)), block(p, NULL, NULL));
    fz_add(fz_add(fz_kernel(p)->body, n), chosen);
    const uint64_t *log = log_of(p, 4);
    ROW(p, log, 0, 15, 2, 15,
        15); /* lane 1 in its case; all others are the default's, with lane 1 falling in */
    ROW(p, log, 1, 1, 15, 0, 0);
}

/* Whether four threads come to their ends, two by a barrier and an operation, two by the way given. */
static bool ends_with(const char *way)
{
    struct fz_program p = {.class = 'e', .blocks = 1, .threads = 4, .arena = &arena};
    struct fz_buffer log = {"log", FZ_ULONG, false, 1, 0};
    void *contents = arena_alloc_array(&arena, 8, 4);
    vec_push(&arena, &p.buffers, log);
    p.module = arena_printf(&arena,
                            "module \"m\"\n"
                            "kernel @k(log: ptr.global \"global ulong *\" of ulong 8)\n"
                            "define kernel void @k(%%log: ptr.global) convergent {\n"
                            "A:\n  %%e = token.entry\n  %%t = special tid.x\n  %%c = ult %%t, 2\n"
                            "  brif %%c, B, C\n"
                            "B:\n  barrier [%%e]\n  br D\n"
                            "C:\n%s\n"
                            "D:\n  %%m = ballot true [%%e]\n  ret\n"
                            "}\n",
                            way);
    return fz_class_e.expect(&p, 4, &contents);
}

/* A barrier waits for all that have not returned, an operation for its group. */
static void reference_knows_who_waits(void **state)
{
    UNUSED(state);
    assert_true(ends_with("  ret"));
    assert_false(ends_with("  barrier [%e]\n  ret")); /* another barrier */
    assert_false(ends_with("  br D"));                /* for those at the barrier, at the operation */
}

static void reference_refuses_what_does_not_end(void **state)
{
    UNUSED(state);
    struct fz_program *p = empty_program(4);
    struct fz_node *n = fz_leaf(p, FZ_NODE_LOOP, UINT32_MAX, FZ_WHILE);
    n->name = fz_variable(p, fz_kernel(p), FZ_SCALAR, FZ_UINT, 0);
    fz_add(fz_add(n, fz_constant(p, FZ_INT, 1 << 30)), fz_constant(p, FZ_BOOL, 1));
    fz_add(fz_add(n, block(p, NULL, NULL)), block(p, NULL, NULL));
    fz_add(fz_kernel(p)->body, n);
    void *contents[3];
    for (uint32_t i = 0; i < 3; i++)
        contents[i] = arena_alloc_array(&arena, 8, fz_elements(p, &p->buffers.at[i]));
    assert_false(fz_class_b.expect(p, 4, contents));
}

/* Whether a kernel of this one statement is a program of class j, and who is at the operation behind it. */
static bool runs(struct fz_program *p, struct fz_node *n, uint64_t *group)
{
    void *contents[3];
    p->class = 'j';
    fz_kernel(p)->body = block(p, n, ballot(p));
    for (uint32_t i = 0; i < 3; i++)
        contents[i] = arena_alloc_array(&arena, 8, fz_elements(p, &p->buffers.at[i]));
    bool ok = fz_class_j.expect(p, 4, contents);
    *group = *(uint64_t *)contents[0];
    return ok;
}

static struct fz_node *if_of(struct fz_program *p, struct fz_node *condition, struct fz_node *then)
{
    return fz_add(fz_add(fz_add(fz_node(p, FZ_NODE_IF), condition), block(p, then, NULL)),
                  block(p, NULL, NULL));
}

static struct fz_node *repeat(struct fz_program *p, struct fz_node *inner, struct fz_node *condition)
{
    return fz_add(fz_add(fz_leaf(p, FZ_NODE_REPEAT, 7, 0), block(p, inner, NULL)), condition);
}

/* What nobody is to run makes it no program of the class if some do; barriers have all threads, or none. */
static void reference_knows_where_nobody_comes(void **state)
{
    UNUSED(state);
    struct fz_program *p = empty_program(4);
    static const enum fz_kind kinds[] = {FZ_NODE_FOREVER, FZ_NODE_JUMP, FZ_NODE_TRAP, FZ_NODE_BARRIER};
    uint64_t group;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct fz_node *n = fz_node(p, kinds[i]);
        if (kinds[i] == FZ_NODE_FOREVER)
            fz_add(n, block(p, NULL, NULL));
        assert_true(runs(p, if_of(p, fz_node(p, FZ_NODE_NEVER), fz_clone(p, n)), &group));
        assert_int_equal(group, 0xf);
        assert_false(runs(p, if_of(p, lanes(p, 5), fz_clone(p, n)), &group));
    }
    assert_true(runs(p, fz_node(p, FZ_NODE_BARRIER), &group));
    assert_true(runs(p, repeat(p, if_of(p, lanes(p, 5), ballot(p)), fz_node(p, FZ_NODE_NEVER)), &group));
    assert_int_equal(group, 5);
    assert_false(runs(p, repeat(p, NULL, lanes(p, 5)), &group));
}

static void reference_knows_cycles_with_two_entries(void **state)
{
    UNUSED(state);
    struct fz_program *p = empty_program(4);
    struct fz_node *n = fz_leaf(p, FZ_NODE_IRREDUCIBLE, 7, 0);
    uint64_t group;
    fz_add(fz_add(n, lanes(p, 3)), block(p, if_of(p, lanes(p, 7), fz_node(p, FZ_NODE_RETURN)), NULL));
    fz_add(fz_add(n, block(p, NULL, NULL)), fz_node(p, FZ_NODE_NEVER));
    assert_true(runs(p, n, &group));
    assert_int_equal(group, 0xb); /* thread 2 has returned in the first list, where 0 and 1 have not been */
    fz_child(n, 2)->next = lanes(p, 2);
    assert_true(runs(p, n, &group));
    assert_int_equal(group, 9); /* and 1 when it came there from the second */
}

/* ---- class a: what a thread computes ----------------------------------------------------------------- */

/* A kernel of four threads with one variable of the type, and nothing else. */
static struct fz_program *race_free_program(enum fz_type type)
{
    struct fz_program *p = fz_generate(&fz_class_a, 1, &arena);
    p->blocks = 1;
    p->threads = 4;
    p->beyond = p->overlapping = 0;
    p->functions.count = 1;
    p->functions.at[0] = (struct fz_function){.is_void = true, .body = fz_node(p, FZ_NODE_BLOCK)};
    fz_variable(p, fz_kernel(p), FZ_SCALAR, type, 0);
    return p;
}

/* The variable with this number, the node being of this kind. */
static struct fz_node *named(struct fz_program *p, enum fz_kind kind, uint32_t variable)
{
    struct fz_node *n = fz_node(p, kind);
    n->name = variable;
    return n;
}

static struct fz_node *thread(struct fz_program *p)
{
    return fz_leaf(p, FZ_NODE_GEOMETRY, 0, FZ_THREAD);
}

/* Ends the kernel by handing the expression on, and compares what the reference has of it by thread. */
static void check_output(struct fz_program *p, struct fz_node *n, const uint64_t wanted[4])
{
    void *contents[8];
    for (uint32_t i = 0; i < p->buffers.count; i++)
        contents[i] = arena_alloc_array(&arena, 8, fz_elements(p, &p->buffers.at[i]));
    fz_add(fz_kernel(p)->body, fz_add(fz_leaf(p, FZ_NODE_OUTPUT, 0, 0), n));
    assert_int_equal(fz_class_a.expect(p, 1, contents), FZ_ENDS);
    for (uint32_t t = 0; t < 4; t++)
        if (((uint64_t *)contents[0])[t * FZ_SLOTS] != wanted[t])
            fail_msg("thread %u: %llx, not %llx\n%s", t,
                     (unsigned long long)((uint64_t *)contents[0])[t * FZ_SLOTS],
                     (unsigned long long)wanted[t], text_of(p));
}
#define OUTPUT(p, n, ...) check_output(p, n, (const uint64_t[]){__VA_ARGS__})

/* `v += v++`: the right side first, then what was there. */
static void reference_knows_the_order(void **state)
{
    UNUSED(state);
    struct fz_program *p = race_free_program(FZ_UINT);
    struct fz_node *v = named(p, FZ_NODE_VARIABLE, 0);
    struct fz_node *step = fz_add(fz_node(p, FZ_NODE_INCREMENT), named(p, FZ_NODE_VARIABLE, 0));
    fz_add(fz_kernel(p)->body, fz_assign(p, v, thread(p)));
    struct fz_node *add = fz_assign(p, named(p, FZ_NODE_VARIABLE, 0), step);
    add->op = FZ_OP_ADD;
    fz_add(fz_kernel(p)->body, add);
    OUTPUT(p, named(p, FZ_NODE_VARIABLE, 0), 1, 3, 5, 7);
}

/* `f() + v++` in a try block, where f throws in odd threads: these do not come to v++, nor to the store. */
static void reference_knows_throws_in_expressions(void **state)
{
    UNUSED(state);
    struct fz_program *p = race_free_program(FZ_UINT);
    struct fz_function kernel = p->functions.at[0];
    vec_push(&arena, &p->functions, kernel);
    struct fz_node *body = fz_node(p, FZ_NODE_BLOCK), *odd = fz_node(p, FZ_NODE_IF);
    fz_add(odd, fz_by(p, FZ_OP_REM, thread(p), 2));
    fz_add(fz_add(odd, block(p, fz_node(p, FZ_NODE_THROW), NULL)), block(p, NULL, NULL));
    fz_add(fz_add(body, odd), fz_add(fz_node(p, FZ_NODE_RETURN), fz_constant(p, FZ_UINT, 10)));
    p->functions.at[0] = (struct fz_function){.result = FZ_UINT, .throws = true, .body = body};
    struct fz_node *step = fz_add(fz_node(p, FZ_NODE_INCREMENT), named(p, FZ_NODE_VARIABLE, 0));
    struct fz_node *sum = fz_binary(p, FZ_OP_ADD, fz_node(p, FZ_NODE_CALL), step);
    struct fz_node *tried =
        fz_add(fz_node(p, FZ_NODE_TRY), block(p, fz_assign(p, named(p, FZ_NODE_VARIABLE, 0), sum), NULL));
    struct fz_node *more = fz_by(p, FZ_OP_ADD, named(p, FZ_NODE_VARIABLE, 0), 100);
    fz_add(tried, block(p, fz_assign(p, named(p, FZ_NODE_VARIABLE, 0), more), NULL));
    fz_add(fz_add(fz_kernel(p)->body, fz_assign(p, named(p, FZ_NODE_VARIABLE, 0), thread(p))), tried);
    OUTPUT(p, named(p, FZ_NODE_VARIABLE, 0), 10, 101, 12, 103);
}

/* What the next thread but one wrote, converted to the type of the tile and back. */
static void reference_knows_shared_memory(void **state)
{
    UNUSED(state);
    struct fz_program *p = race_free_program(FZ_INT);
    struct fz_node *n = fz_leaf(p, FZ_NODE_EXCHANGE, 2, 0);
    n->type = FZ_UCHAR;
    fz_add(fz_add(n, named(p, FZ_NODE_VARIABLE, 0)), fz_by(p, FZ_OP_ADD, thread(p), 254));
    fz_add(fz_kernel(p)->body, n);
    OUTPUT(p, named(p, FZ_NODE_VARIABLE, 0), 0, 1, 254, 255);
}

/* Members 1 and 2 are those of a union: the lowest byte of the one is the other. */
static void reference_knows_unions(void **state)
{
    UNUSED(state);
    struct fz_program *p = race_free_program(FZ_INT);
    p->overlapping = 2;
    p->fields[1] = FZ_UINT;
    p->fields[2] = FZ_UCHAR;
    uint32_t s = fz_variable(p, fz_kernel(p), FZ_STRUCT, FZ_INT, 7);
    for (uint32_t i = 1; i <= 2; i++) {
        struct fz_node *member = named(p, FZ_NODE_FIELD, s);
        member->value = i;
        fz_add(fz_kernel(p)->body,
               fz_assign(p, member, i == 1 ? fz_constant(p, FZ_UINT, 0x11223344) : thread(p)));
    }
    struct fz_node *whole = named(p, FZ_NODE_FIELD, s);
    whole->value = 1;
    OUTPUT(p, whole, 0x11223300, 0x11223301, 0x11223302, 0x11223303);
}

/* `*(v ? &c[1] : &c[2])`, where one pointer is changed through a pointer to it. */
static void reference_knows_pointers(void **state)
{
    UNUSED(state);
    struct fz_program *p = race_free_program(FZ_INT);
    uint32_t targets = fz_variable(p, fz_kernel(p), FZ_TARGETS, FZ_INT, 1);
    uint32_t pointer = fz_variable(p, fz_kernel(p), FZ_POINTER, FZ_INT, 2);
    uint32_t leader = fz_variable(p, fz_kernel(p), FZ_LEADER, FZ_INT, 3);
    p->shared_targets = false;
    struct fz_node *at = fz_add(named(p, FZ_NODE_AT, targets), fz_by(p, FZ_OP_REM, thread(p), 2));
    struct fz_node *point = fz_add(fz_add(fz_node(p, FZ_NODE_POINT), named(p, FZ_NODE_BEHIND, leader)), at);
    fz_add(fz_kernel(p)->body, point);
    struct fz_node *to = fz_add(fz_node(p, FZ_NODE_DEREF), named(p, FZ_NODE_POINTER, pointer));
    fz_add(fz_kernel(p)->body, fz_assign(p, to, fz_by(p, FZ_OP_ADD, thread(p), 5)));
    struct fz_node *first = fz_add(named(p, FZ_NODE_AT, targets), fz_by(p, FZ_OP_REM, thread(p), 2));
    OUTPUT(p, fz_add(fz_node(p, FZ_NODE_DEREF), first), 5, 6, 7, 8);
}

static void reference_knows_conversions(void **state)
{
    static const struct {
        enum fz_type from, to;
        uint64_t bits, wanted;
    } rows[] = {
        {FZ_FLOAT, FZ_UCHAR, 0xbf800000, 0xff},                  /* -1: as to int, then the low bits */
        {FZ_FLOAT, FZ_INT, 0x4f000000, 0x7fffffff},              /* 2^31 */
        {FZ_DOUBLE, FZ_UINT, 0xbff0000000000000, 0},             /* -1 */
        {FZ_DOUBLE, FZ_ULONG, 0x7ff0000000000000, ~(uint64_t)0}, /* infinity */
        {FZ_DOUBLE, FZ_LONG, 0x7ff8000000000001, 0},             /* a NaN */
        {FZ_ULONG, FZ_FLOAT, 0x8000008000000001, 0x5f000001},    /* rounded once */
        {FZ_CHAR, FZ_ULONG, 0x80, 0xffffffffffffff80},
    };
    UNUSED(state);
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(fz_converted(rows[i].bits, rows[i].from, rows[i].to), rows[i].wanted);
}

static void reference_knows_operators(void **state)
{
    enum fz_type t;
    uint64_t least = (uint64_t)1 << 63;
    UNUSED(state);
    assert_int_equal(fz_operate(FZ_OP_DIV, least, FZ_LONG, ~(uint64_t)0, FZ_LONG, &t), least);
    assert_int_equal(fz_operate(FZ_OP_REM, least, FZ_LONG, ~(uint64_t)0, FZ_LONG, &t), 0);
    assert_int_equal(fz_operate(FZ_OP_DIV, 7, FZ_INT, 0, FZ_INT, &t), 0xffffffff);
    assert_int_equal(fz_operate(FZ_OP_REM, (uint32_t)-7, FZ_INT, 2, FZ_INT, &t), 0xffffffff);
    assert_int_equal(fz_operate(FZ_OP_SHR, 0x80, FZ_CHAR, 33, FZ_INT, &t), (uint32_t)-64);
    assert_int_equal(t, FZ_INT);
    assert_int_equal(fz_operate(FZ_OP_LT, 0xffffffff, FZ_INT, 1, FZ_UINT, &t), 0); /* as uints */
    assert_int_equal(t, FZ_BOOL);
}

/* Every builtin that programs may call. */
static void reference_knows_builtins(void **state)
{
    UNUSED(state);
    for (uint32_t i = 0; i < fe_builtin_count; i++)
        if (fz_is_pure(&fe_builtins[i]) && fz_known(&fe_builtins[i]) < 0)
            fail_msg("%s is not known", fe_builtins[i].name);
}

/* An element that may be outside stops the launch in the threads that come to it. */
static void reference_knows_stops(void **state)
{
    void *contents[8];
    UNUSED(state);
    for (uint32_t way = 0; way < 2; way++) {
        struct fz_program *p = race_free_program(FZ_INT);
        uint32_t array = fz_variable(p, fz_kernel(p), FZ_ARRAY, FZ_INT, 1);
        struct fz_node *index = fz_by(p, FZ_OP_ADD, thread(p), 4 + way);
        struct fz_node *element = fz_add(named(p, FZ_NODE_ELEMENT, array), index);
        p->beyond = 1;
        fz_add(fz_kernel(p)->body, fz_assign(p, named(p, FZ_NODE_VARIABLE, 0), element));
        for (uint32_t i = 0; i < p->buffers.count; i++)
            contents[i] = arena_alloc_array(&arena, 8, fz_elements(p, &p->buffers.at[i]));
        assert_int_equal(fz_class_a.expect(p, 1, contents), way ? FZ_STOPS : FZ_ENDS); /* 4 to 7, 5 to 8 */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reference_knows_branches, tear_down),
        cmocka_unit_test_teardown(reference_knows_operations_before_a_break, tear_down),
        cmocka_unit_test_teardown(reference_knows_fallthrough_and_elect, tear_down),
        cmocka_unit_test_teardown(reference_knows_who_waits, tear_down),
        cmocka_unit_test_teardown(reference_refuses_what_does_not_end, tear_down),
        cmocka_unit_test_teardown(reference_knows_where_nobody_comes, tear_down),
        cmocka_unit_test_teardown(reference_knows_cycles_with_two_entries, tear_down),
        cmocka_unit_test_teardown(reference_knows_the_order, tear_down),
        cmocka_unit_test_teardown(reference_knows_throws_in_expressions, tear_down),
        cmocka_unit_test_teardown(reference_knows_shared_memory, tear_down),
        cmocka_unit_test_teardown(reference_knows_unions, tear_down),
        cmocka_unit_test_teardown(reference_knows_pointers, tear_down),
        cmocka_unit_test_teardown(reference_knows_conversions, tear_down),
        cmocka_unit_test_teardown(reference_knows_operators, tear_down),
        cmocka_unit_test_teardown(reference_knows_builtins, tear_down),
        cmocka_unit_test_teardown(reference_knows_stops, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
