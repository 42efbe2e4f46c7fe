/* image_test.c: .wcb files: what is written is read back the same and assembles back to the same; whatever
 * else is read is refused with a reason, or runs to an ordinary end or a fault. Each reason of the verifier,
 * by the smallest damage to a good image that calls for it.
 */
#include "backend/format/warpcore/image.h"
#include "include/kernc-rt.h"
#include "test/fuzz/fuzz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { HEADER = 36 };
static const char sample_path[] = "test/warpcore/inputs/everything.s";

static struct arena arena;

static struct wc_image *assemble_text(const char *name, const char *text, size_t n)
{
    struct diagnostics d;
    const struct source *s = source_new(&arena, name, text, n);
    diag_init(&d, &arena, s);
    struct wc_image *m = wc_assemble(s, &d);
    if (!m)
        diag_print(&d, stderr, false);
    return m;
}

static struct wc_image *sample_image(void)
{
    struct text t = {0};
    assert_null(file_read(sample_path, 1u << 20, &t));
    struct wc_image *m = assemble_text(sample_path, t.at, t.length);
    assert_non_null(m);
    text_free(&t);
    return m;
}

static struct text written(const struct wc_image *m)
{
    struct text t = {0};
    wc_write(m, &t);
    return t;
}

/* ---- whole images ------------------------------------------------------------------------------------ */

static void assert_same(const struct text *a, const struct text *b)
{
    assert_int_equal(a->length, b->length);
    assert_memory_equal(a->at, b->at, a->length);
}

static void reads_back_the_same(void **state)
{
    struct wc_image *m = sample_image();
    const char *why = "";
    struct text first = written(m);
    struct wc_image *read = wc_read(first.at, first.length, &why);
    assert_non_null(read);
    struct text second = written(read);
    assert_same(&first, &second);
    assert_int_equal(read->launches.at[1].arguments.at[3].value.list.count, 3);
    assert_int_equal(read->texts.at[1].length, 15);
    assert_int_equal(wc_argument_words(&read->kernels.at[0]), 5);
    text_free(&first);
    text_free(&second);
    wc_image_free(m);
    wc_image_free(read);
}

static void assembles_back_to_the_same(void **state)
{
    struct wc_image *m = sample_image();
    struct text first = written(m), assembly = {0};
    wc_disassemble(m, &assembly);
    struct wc_image *again = assemble_text("again.s", assembly.at, assembly.length);
    assert_non_null(again);
    struct text second = written(again);
    assert_same(&first, &second);
    text_free(&first);
    text_free(&second);
    text_free(&assembly);
    wc_image_free(m);
    wc_image_free(again);
}

static void hex_has_every_word(void **state)
{
    struct wc_image *m = sample_image();
    struct text hex = {0};
    unsigned words = 0;
    wc_hex(m, NULL, &hex);
    for (char *line = strtok(hex.at, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '/')
            continue;
        uint32_t expected = words < m->code.count ? m->code.at[words] : 0;
        assert_int_equal(strtoul(line, NULL, 16), expected);
        words++;
    }
    assert_int_equal(words, WC_MAX_WORDS);
    text_free(&hex);
    wc_image_free(m);
}

/* ---- files ------------------------------------------------------------------------------------------- */

static void refused(const char *bytes, size_t n, const char *reason)
{
    const char *why = NULL;
    assert_null(wc_read(bytes, n, &why));
    assert_string_equal(why, reason);
}

static struct text sealed(const char *body, size_t n)
{
    struct text t = {0};
    wc_seal(body, n, &t);
    return t;
}

static void damage_is_refused(void **state)
{
    struct wc_image *m = sample_image();
    struct text t = written(m);
    refused("", 0, "it is no warp-core image");
    refused("#include", 8, "it is no warp-core image");
    refused(t.at, 20, "the file ends too early");
    refused(t.at, t.length - 1, "its length is not what its header says");
    t.at[t.length - 5] ^= 4;
    refused(t.at, t.length, "it is damaged (wrong checksum)");
    t.at[12] ^= 1;
    refused(t.at, t.length, "it was made by a version of kernc with another instruction set");
    t.at[8] ^= 1;
    refused(t.at, t.length, "it has another version of the format");
    text_free(&t);
    wc_image_free(m);
}

/* Cut anywhere, and the header made to fit: never an image, always a reason. */
static void every_prefix_is_refused(void **state)
{
    struct wc_image *m = sample_image();
    struct text t = written(m);
    for (size_t n = HEADER; n < t.length; n++) {
        const char *why = NULL;
        struct text cut = sealed(t.at + HEADER, n - HEADER);
        assert_null(wc_read(cut.at, cut.length, &why));
        assert_non_null(why);
        text_free(&cut);
    }
    text_char(&t, 'x');
    struct text longer = sealed(t.at + HEADER, t.length - HEADER);
    refused(longer.at, longer.length, "there is more in the file than an image");
    text_free(&longer);
    text_free(&t);
    wc_image_free(m);
}

/* Refused, or shown and run to an ordinary end or a fault (the sanitizers look). Whether the verifier took
 * it. */
static bool try_image(kernc_context *ctx, const char *body, size_t n)
{
    char reason[300];
    const char *why = NULL;
    struct text file = sealed(body, n), shown = {0};
    struct wc_image *m = wc_read(file.at, file.length, &why);
    if (m)
        why = wc_verify(m, reason, sizeof reason);
    assert_true(!why || *why);
    if (!why) {
        wc_disassemble(m, &shown);
        wc_listing(m, NULL, &shown);
        fuzz_run_within(ctx, file.at, file.length, WC_LANES);
    }
    wc_image_free(m);
    text_free(&shown);
    text_free(&file);
    return !why;
}

/* Every bit of the body. */
static void flipped_bits_do_no_harm(void **state)
{
    struct wc_image *m = sample_image();
    struct text t = written(m);
    kernc_context *ctx = fuzz_context();
    unsigned taken = 0;
    assert_non_null(ctx);
    for (size_t bit = 0; bit < 8 * (t.length - HEADER); bit++) {
        t.at[HEADER + bit / 8] ^= (char)(1 << bit % 8);
        taken += try_image(ctx, t.at + HEADER, t.length - HEADER);
        t.at[HEADER + bit / 8] ^= (char)(1 << bit % 8);
    }
    assert_true(taken > t.length - HEADER);
    kernc_context_free(ctx);
    text_free(&t);
    wc_image_free(m);
}

static bool out_of_memory(long n, const struct text *file, const struct wc_image *m,
                          const struct text *assembly)
{
    struct mem_guard guard;
    const char *why;
    char reason[300];
    struct text out = {0};
    struct diagnostics d;
    struct arena a = {0};
    const struct source *s = source_new(&a, "memory.s", assembly->at, assembly->length);
    diag_init(&d, &a, s);
    if (mem_guard_enter(&guard)) {
        text_free(&out);
        arena_free(&a);
        return true;
    }
    mem_fail_after(n);
    wc_image_free(wc_read(file->at, file->length, &why));
    wc_verify(m, reason, sizeof reason);
    wc_write(m, &out);
    wc_disassemble(m, &out);
    wc_image_free(wc_assemble(s, &d));
    mem_fail_after(0);
    mem_guard_leave(&guard);
    text_free(&out);
    arena_free(&a);
    return false;
}

/* An allocation that fails anywhere ends at the guard, with nothing left behind (the leak checker looks). */
static void allocation_failures(void **state)
{
    struct wc_image *m = sample_image();
    struct text t = written(m), assembly = {0};
    wc_disassemble(m, &assembly);
    long n = 1;
    while (out_of_memory(n, &t, m, &assembly))
        n++;
    assert_true(n > 10);
    text_free(&t);
    text_free(&assembly);
    wc_image_free(m);
}

/* ---- the verifier's reasons -------------------------------------------------------------------------- */

typedef void damage(struct wc_image *m);
struct verify_case {
    const char *reason;
    damage *apply;
};

static void encode_at(struct wc_image *m, uint32_t at, struct wc_ins ins)
{
    m->code.at[at] = wc_encode(ins);
}

static struct wc_kernel *kernel(struct wc_image *m)
{
    return &m->kernels.at[0];
}

static struct be_param *param(struct wc_image *m)
{
    return &m->kernels.at[0].params.at[0];
}

/* `name` is the damage of this name: statements on m. */
#define DAMAGE(name, ...)                                                                                    \
    static void name(struct wc_image *m)                                                                     \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

DAMAGE(no_file, m->file = NULL;)
DAMAGE(no_mode, m->mode = WC_MODES;)
DAMAGE(no_code, m->code.count = m->places.count = 0;)
DAMAGE(places, m->places.count--;)
DAMAGE(too_long, vec_resize(&m->arena, &m->code, WC_MAX_WORDS + 3);
       vec_resize(&m->arena, &m->places, WC_MAX_WORDS + 3);)
DAMAGE(texts, struct wc_text t = {.bytes = ""};
       for (int i = 0; i < WC_MAX_TEXTS; i++) vec_push(&m->arena, &m->texts, t);)
DAMAGE(shared, m->shared_bytes = WC_MAX_SHARED + 1;)
DAMAGE(data, m->data_bytes = WC_MAX_DATA + 1;)
DAMAGE(format_unknown, m->texts.at[0].bytes = "%d %q"; m->texts.at[0].length = 5;)
DAMAGE(format_type, m->texts.at[0].operands.at[0] = BE_PTR;)
DAMAGE(format_double, m->texts.at[0].operands.at[2] = BE_F64;)
DAMAGE(format_fewer, m->texts.at[0].operands.count--;)
DAMAGE(format_more, m->texts.at[0].bytes = "%d"; m->texts.at[0].length = 2;)
DAMAGE(kernel_name, kernel(m)->name = NULL;)
DAMAGE(kernel_twice, kernel(m)->name = m->kernels.at[1].name;)
DAMAGE(kernel_entry, kernel(m)->entry = m->code.count;)
DAMAGE(kernel_registers, kernel(m)->registers = WC_REGISTERS + 1;)
DAMAGE(kernel_predicates, kernel(m)->predicates = WC_PREDICATES + 1;)
DAMAGE(kernel_odd, kernel(m)->private_bytes = 24;)
DAMAGE(kernel_private, kernel(m)->private_bytes = WC_MAX_PRIVATE + 16;)
static void unsized(struct wc_image *m, const char *name, uint32_t bytes, uint32_t count)
{
    while (count--)
        vec_push(&m->arena, &kernel(m)->unsized, ((struct be_unsized){name, bytes}));
}
DAMAGE(kernel_unsized_large, unsized(m, "t", WC_MAX_SHARED + 1, 1);)
DAMAGE(kernel_unsized_name, unsized(m, NULL, 4, 1);)
DAMAGE(kernel_unsized_empty, unsized(m, "t", 0, 1);)
DAMAGE(kernel_unsized_many, unsized(m, "t", 4, LAUNCH_MAX_SHARED + 1);)
DAMAGE(kernel_stack, kernel(m)->stack = WC_STACK + 2;)
DAMAGE(kernel_few, kernel(m)->registers = 31;)
DAMAGE(kernel_few_predicates, kernel(m)->predicates = 4;)
DAMAGE(param_name, param(m)->name = NULL;)
DAMAGE(param_double, param(m)->type = BE_F64;)
DAMAGE(param_count, struct be_param p = *param(m);
       while (kernel(m)->params.count < WC_ARGUMENT_WORDS) vec_push(&m->arena, &kernel(m)->params, p);)
DAMAGE(launch_name, m->launches.at[0].kernel = NULL;)
DAMAGE(launch_step, vec_push(&m->arena, &m->launches, (struct launch){.step = LAUNCH_END});)
DAMAGE(launch_open, vec_push(&m->arena, &m->launches, ((struct launch){.step = LAUNCH_REPEAT, .rounds = 1}));)
DAMAGE(launch_nested, launch_open(m); launch_open(m);)
DAMAGE(launch_endless, vec_push(&m->arena, &m->launches, (struct launch){.step = LAUNCH_REPEAT});)

static void launch_size(struct wc_image *m)
{
    struct launch l = {.step = LAUNCH_BUFFER, .name = "b", .element = LAUNCH_INT, .element_bytes = 20};
    vec_push(&m->arena, &l.arguments, ((struct launch_argument){"b", {.kind = LAUNCH_ZEROS, .count = 1}}));
    vec_push(&m->arena, &m->launches, l);
}

DAMAGE(launch_buffer,
       vec_push(&m->arena, &m->launches, ((struct launch){.step = LAUNCH_BUFFER, .name = "b"}));)
DAMAGE(launch_file, m->launches.at[0].outputs.at[2].file = NULL;)
DAMAGE(symbol_name, m->symbols.at[0].name = NULL;)
DAMAGE(symbol_point, m->symbols.at[0].name = ".L1";)
DAMAGE(symbol_twice, m->symbols.at[1].name = m->symbols.at[0].name;)
DAMAGE(symbol_word, vec_last(&m->symbols).word = m->code.count;)
DAMAGE(symbol_order, m->symbols.at[0].word = m->symbols.at[1].word + 1;)
DAMAGE(no_instruction, m->code.at[3] = 0;)
DAMAGE(no_target,
       encode_at(m, 3, (struct wc_ins){.op = WC_br, .imm = (int32_t)m->code.count, .rpc = WC_NONE});)
DAMAGE(no_callee, encode_at(m, 3, (struct wc_ins){.op = WC_call, .d = 31, .imm = (int32_t)m->code.count});)
DAMAGE(no_reconvergence,
       encode_at(m, 3, (struct wc_ins){.op = WC_br, .a = 1, .imm = 4, .rpc = (uint16_t)m->code.count});)
DAMAGE(no_branch, encode_at(m, 3, (struct wc_ins){.op = WC_converge, .imm = (int32_t)m->code.count});)
DAMAGE(no_text, encode_at(m, 3, (struct wc_ins){.op = WC_trap, .imm = (int32_t)m->texts.count});)
DAMAGE(falls_off, encode_at(m, m->code.count - 1, (struct wc_ins){.op = WC_nop});)
DAMAGE(call_last, encode_at(m, m->code.count - 1, (struct wc_ins){.op = WC_call, .d = 31, .imm = 0});)

static const struct verify_case cases[] = {
    {"no source name", no_file},
    {"unknown divergence mode 4", no_mode},
    {"no code", no_code},
    {"places of", places},
    {"4099 code words, 3 more than there can be", too_long},
    {"4099 texts, 3 more", texts},
    {"1048577 bytes of shared memory, 1 more", shared},
    {"bytes of constant data, 1 more", data},
    {"text 0: unknown conversion", format_unknown},
    {"text 0: its operands do not fit", format_type},
    {"text 0: its operands do not fit", format_double},
    {"text 0: its operands do not fit", format_fewer},
    {"text 0: more operands than its format takes", format_more},
    {"kernel 0: it has no name", kernel_name},
    {"kernel other: there are two of this name", kernel_twice},
    {"its entry is no code word", kernel_entry},
    {"more registers or predicates than the machine has", kernel_registers},
    {"more registers or predicates than the machine has", kernel_predicates},
    {"private memory is no multiple of 16 bytes", kernel_odd},
    {"more bytes of private memory than", kernel_private},
    {BE_BAD_UNSIZED, kernel_unsized_large},
    {BE_BAD_UNSIZED, kernel_unsized_name},
    {BE_BAD_UNSIZED, kernel_unsized_empty},
    {BE_BAD_UNSIZED, kernel_unsized_many},
    {"a divergence stack of 18 entries, 2 more", kernel_stack},
    {"its code uses 32 registers and 5 predicates, it names 31 and 5", kernel_few},
    {"its code uses 32 registers and 5 predicates, it names 32 and 4", kernel_few_predicates},
    {"bad parameter 0", param_name},
    {"bad parameter 0", param_double},
    {"more argument words than 256", param_count},
    {"launch 0: a name is missing", launch_name},
    {"an end stands behind no repeat", launch_step},
    {"a repeat has no end", launch_open},
    {"a repeat stands in another one", launch_nested},
    {"a repeat has neither a number nor a flag", launch_endless},
    {"a name is missing", launch_buffer},
    {"the elements of a buffer have another size than their type", launch_size},
    {"launch 0: a name is missing", launch_file},
    {"symbol 0: its name is missing", symbol_name},
    {"symbol 0: its name is missing", symbol_point},
    {"there are two of this name", symbol_twice},
    {"it names no code word", symbol_word},
    {"the symbols are not sorted", symbol_order},
    {"word 3: 0x00000000 is no instruction", no_instruction},
    {"is no code word", no_target},
    {"is no code word", no_callee},
    {"is no code word", no_reconvergence},
    {"is no code word", no_branch},
    {"word 3: no text 3", no_text},
    {"the code falls off its end", falls_off},
    {"the code falls off its end", call_last},
};

static void each_reason(void **state)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct wc_image *m = sample_image();
        char buffer[300] = "";
        assert_null(wc_verify(m, buffer, sizeof buffer));
        cases[i].apply(m);
        const char *why = wc_verify(m, buffer, sizeof buffer);
        if (!why || !strstr(why, cases[i].reason)) {
            fprintf(stderr, "case %zu: '%s' instead of '%s'\n", i, why ? why : "nothing", cases[i].reason);
            wrong++;
        }
        wc_image_free(m);
    }
    assert_int_equal(wrong, 0);
}

static int free_arena(void **state)
{
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back_the_same),     cmocka_unit_test(assembles_back_to_the_same),
        cmocka_unit_test(hex_has_every_word),      cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(every_prefix_is_refused), cmocka_unit_test(flipped_bits_do_no_harm),
        cmocka_unit_test(allocation_failures),     cmocka_unit_test(each_reason),
    };
    return cmocka_run_group_tests_name("warpcore_image", tests, NULL, free_arena);
}
