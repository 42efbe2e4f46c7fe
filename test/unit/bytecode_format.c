/* bytecode_format.c: .kbc files: what is written is read back the same; whatever else is read is refused, or
 * verified and run without harm.
 */
#include "runtime/module.h"
#include "test/unit/bytecode_sample.h"

enum { HEADER = 36, FLIPS = 3000 };

static struct text written(const struct bc_program *p)
{
    struct text t = {0};
    bc_write(p, &t);
    return t;
}

static void reads_back_the_same(void **state)
{
    struct bc_program *p = sample_program();
    const char *why = "";
    struct text first = written(p);
    struct bc_program *q = bc_read(first.at, first.length, &why);
    assert_non_null(q);
    struct text second = written(q), listing = {0}, again = {0};
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.at, second.at, first.length);
    bc_disassemble(p, &listing);
    bc_disassemble(q, &again);
    assert_string_equal(listing.at, again.at);
    assert_string_equal(q->launches.at[0].outputs.at[1].file, "f.txt");
    assert_true(q->launches.at[0].arguments.at[1].value.list.at[1].f == 2.5);
    text_free(&first);
    text_free(&second);
    text_free(&listing);
    text_free(&again);
    bc_program_free(p);
    bc_program_free(q);
}

static void same_input_same_bytes(void **state)
{
    struct bc_program *p = sample_program(), *q = sample_program();
    struct text a = written(p), b = written(q);
    assert_int_equal(a.length, b.length);
    assert_memory_equal(a.at, b.at, a.length);
    text_free(&a);
    text_free(&b);
    bc_program_free(p);
    bc_program_free(q);
}

static void refused(const void *bytes, size_t n, const char *expected)
{
    const char *why = NULL;
    assert_null(bc_read(bytes, n, &why));
    assert_string_equal(why, expected);
}

/* The body with a header that fits it. */
static struct text sealed(const char *body, size_t n)
{
    struct text t = {0};
    bc_seal(body, n, &t);
    return t;
}

static void damage_is_refused(void **state)
{
    struct bc_program *p = sample_program();
    struct text t = written(p);
    refused("", 0, "it is no compiled program");
    refused("#include", 8, "it is no compiled program");
    refused(t.at, 20, "the file ends too early");
    refused(t.at, t.length - 1, "its length is not what its header says");
    t.at[t.length - 5] ^= 4;
    refused(t.at, t.length, "it is damaged (wrong checksum)");
    t.at[12] ^= 1;
    refused(t.at, t.length, "it was made by a version of kernc with other operations");
    t.at[8] ^= 1;
    refused(t.at, t.length, "it has another version of the format");
    text_free(&t);
    bc_program_free(p);
}

/* Cut anywhere, and the header made to fit: never a program, always a reason. */
static void every_prefix_is_refused(void **state)
{
    struct bc_program *p = sample_program();
    struct text t = written(p);
    for (size_t n = HEADER; n < t.length; n++) {
        const char *why = NULL;
        struct text cut = sealed(t.at + HEADER, n - HEADER);
        assert_null(bc_read(cut.at, cut.length, &why));
        assert_non_null(why);
        text_free(&cut);
    }
    text_char(&t, 'x');
    struct text longer = sealed(t.at + HEADER, t.length - HEADER);
    refused(longer.at, longer.length, "there is more in the file than a program");
    text_free(&longer);
    text_free(&t);
    bc_program_free(p);
}

/* What passes the verifier runs, with little fuel, without touching what is not its own (the sanitizers
 * look). */
static void run_anyway(kernc_context *ctx, struct bc_program *p)
{
    kernc_module *m;
    kernc_kernel *k;
    kernc_buffer *out;
    if (rt_module_adopt(ctx, p, &m) != KERNC_OK)
        return;
    if (kernc_module_kernel(m, NULL, &k) == KERNC_OK && kernc_kernel_parameter_count(k) == 2) {
        assert_int_equal(kernc_buffer_create(ctx, 256, "out", &out), KERNC_OK);
        kernc_argument args[] = {kernc_arg_buffer(NULL, out), kernc_arg_bits(NULL, 20)};
        kernc_launch launch = {
            .size = sizeof launch, .grid = {1}, .block = {64}, .args = args, .arg_count = 2, .fuel = 2000};
        kernc_run(k, &launch, NULL);
        kernc_buffer_free(out);
    }
    kernc_module_free(m);
}

static int64_t host_mix(int x, double y)
{
    return x > 5 ? -3 : (int64_t)y;
}

static void swallow(void *user, const char *bytes, size_t n)
{
}

/* One to three bits of the body; once more, and they are back. */
static void flip(struct text *t, uint64_t i)
{
    for (uint64_t k = 0; k <= i % 3; k++) {
        uint64_t r = hash_mix(i, k);
        t->at[HEADER + r % (t->length - HEADER)] ^= (char)(1 << (r >> 40 & 7));
    }
}

static void flipped_bits_do_no_harm(void **state)
{
    struct bc_program *p = sample_program();
    struct text t = written(p);
    kernc_context *ctx;
    kernc_context_options o = {.size = sizeof o, .output = swallow};
    unsigned read = 0, verified = 0;
    assert_int_equal(kernc_context_create(&o, &ctx), KERNC_OK);
    kernc_host_function(ctx, "mix", (void (*)(void))host_mix);
    for (uint64_t i = 0; i < FLIPS; i++) {
        const char *why;
        char reason[200];
        flip(&t, i);
        struct text bad = sealed(t.at + HEADER, t.length - HEADER);
        flip(&t, i);
        struct bc_program *q = bc_read(bad.at, bad.length, &why);
        read += q != NULL;
        if (q && !bc_verify(q, reason, sizeof reason)) {
            struct text listing = {0};
            verified++;
            bc_disassemble(q, &listing);
            text_free(&listing);
            run_anyway(ctx, q);
        } else {
            bc_program_free(q);
        }
        text_free(&bad);
    }
    assert_true(read > FLIPS / 3 && verified > FLIPS / 20);
    kernc_context_free(ctx);
    text_free(&t);
    bc_program_free(p);
}

/* An allocation that fails anywhere ends at the guard, with nothing left behind (the leak checker looks). */
static bool out_of_memory(long n, const struct text *file, const struct bc_program *p)
{
    struct mem_guard guard;
    const char *why;
    char reason[200];
    struct text out = {0};
    if (mem_guard_enter(&guard)) {
        text_free(&out);
        return true;
    }
    mem_fail_after(n);
    bc_program_free(bc_read(file->at, file->length, &why));
    bc_verify(p, reason, sizeof reason);
    bc_write(p, &out);
    bc_disassemble(p, &out);
    mem_fail_after(0);
    mem_guard_leave(&guard);
    text_free(&out);
    return false;
}

static bool out_of_memory_compiling(long n)
{
    struct mem_guard guard;
    if (mem_guard_enter(&guard))
        return true;
    struct ir_module *m = NULL;
    struct arena a = {0};
    struct diagnostics d;
    struct source *s = source_new(&a, "test.kir", sample_text, strlen(sample_text));
    diag_init(&d, &a, s);
    m = ir_parse(s, &d);
    struct mem_guard inner;
    bool failed = mem_guard_enter(&inner);
    if (!failed) {
        mem_fail_after(n);
        bc_program_free(be_bytecode(m, SCHEME_pdom, false, &d));
        mem_fail_after(0);
        mem_guard_leave(&inner);
    }
    mem_guard_leave(&guard);
    ir_module_free(m);
    arena_free(&a);
    return failed;
}

static void allocation_failures(void **state)
{
    struct bc_program *p = sample_program();
    struct text t = written(p);
    long n = 1;
    while (out_of_memory(n, &t, p))
        n++;
    assert_true(n > 5);
    for (n = 1; out_of_memory_compiling(n);)
        n++;
    assert_true(n > 2);
    text_free(&t);
    bc_program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back_the_same),     cmocka_unit_test(same_input_same_bytes),
        cmocka_unit_test(damage_is_refused),       cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(flipped_bits_do_no_harm), cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests_name("bytecode_format", tests, NULL, NULL);
}
