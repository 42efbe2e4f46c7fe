/* isa_test.c: the instruction set's tables agree with each other; words are encoded, decoded, printed and
 * assembled back to the same words; what is no instruction is shown as .word and refused.
 */
#include "backend/format/warpcore/image.h"
#include "fuzz/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { RANDOM_WORDS = 100000, FIELD_COUNT = 6 };

/* ---- tables ------------------------------------------------------------------------------------------ */

static char letter_of(uint8_t scalar, bool written)
{
    assert_true(scalar == SCALAR_B || scalar == SCALAR_I || scalar == SCALAR_F);
    return scalar == SCALAR_B ? (written ? 'P' : 'p') : written ? 'D' : 'r';
}

/* The operands of a lane operation are those of its case in base/scalar.def. */
static void lane_operations_fit_their_case(void **state)
{
    for (unsigned op = 0; op < WC_OPS; op++) {
        const struct wc_op_info *info = &wc_op_info[op];
        if (info->lane < 0)
            continue;
        const struct scalar_case_info *c = &scalar_case_info[info->lane];
        char expected[7] = "------";
        expected[0] = letter_of(c->result, true);
        for (unsigned i = 0; i < c->arity; i++)
            expected[1 + i] = letter_of(c->argument[i], false);
        if (info->major == WC_MAJOR_ALUI) {
            expected[2] = '-';
            expected[4] = 'i';
        }
        assert_string_equal(info->operands, expected);
    }
}

static void rows_have_names_and_meanings(void **state)
{
    struct arena a = {0};
    struct strings names = {.arena = &a};
    for (unsigned op = 0; op < WC_OPS; op++) {
        assert_true(*wc_meaning((enum wc_op)op));
        assert_true(wc_cycles((enum wc_op)op) > 0);
        assert_int_equal(strspn(wc_op_info[op].operands, "DrPpiuokRscCnw-"), FIELD_COUNT);
        intern_z(&names, wc_op_info[op].mnemonic);
        assert_int_equal(names.count, op + 1); /* no mnemonic twice */
    }
    for (size_t i = 0; i < wc_csr_count; i++) {
        const struct wc_csr_info *csr = &wc_csr_info[i];
        assert_ptr_equal(wc_csr_find(csr->number), csr);
        assert_ptr_equal(wc_csr_named(csr->name, strlen(csr->name)), csr);
        assert_true(csr->readable != csr->writable && *csr->meaning);
    }
    assert_null(wc_csr_find(0xfff));
    arena_free(&a);
}

/* ---- words ------------------------------------------------------------------------------------------- */

static uint32_t random_word(struct fz_random *r)
{
    return (uint32_t)fz_next(r);
}

/* An instruction, each as likely as the others; bits are cleared so that unused fields are 0 soon. */
static uint32_t random_valid_word(struct fz_random *r)
{
    struct wc_ins ins;
    const struct wc_op_info *info = &wc_op_info[fz_below(r, WC_OPS)];
    for (;;) {
        uint32_t word = random_word(r) & 0x07ffffff;
        word |= (uint32_t)info->major << 27;
        if (wc_formats[info->major] == WC_FORMAT_R)
            word = (word & ~0x7fu) | info->func;
        else if (wc_formats[info->major] == WC_FORMAT_I)
            word = (word & ~(0x1fu << 12)) | (uint32_t)info->func << 12;
        word &= random_word(r) | 0xf8000000u | (wc_formats[info->major] == WC_FORMAT_R ? 0x7f : 0x1f << 12);
        if (wc_decode(word, &ins))
            return word;
    }
}

static void decoded_words_encode_to_themselves(void **state)
{
    struct fz_random r = fz_random(1, 0);
    unsigned valid = 0;
    uint32_t seen[WC_OPS] = {0};
    for (uint32_t i = 0; i < 20 * RANDOM_WORDS; i++) {
        struct wc_ins ins;
        uint32_t word = i % 2 ? random_word(&r) : random_valid_word(&r);
        if (!wc_decode(word, &ins))
            continue;
        valid++;
        seen[ins.op]++;
        assert_int_equal(wc_encode(ins), word);
    }
    for (unsigned op = 0; op < WC_OPS; op++)
        assert_true(seen[op] > 0);
    assert_true(valid > 10 * RANDOM_WORDS);
}

/* A bit that differs is another instruction or none: no two words decode to the same. */
static void every_bit_counts(void **state)
{
    struct fz_random r = fz_random(2, 0);
    for (uint32_t i = 0; i < RANDOM_WORDS; i++) {
        struct wc_ins ins, other;
        uint32_t word = random_valid_word(&r);
        assert_true(wc_decode(word, &ins));
        if (wc_decode(word ^ 1u << i % 32, &other))
            assert_int_not_equal(wc_encode(other), word);
    }
}

static void cleared_and_erased_memory_is_no_instruction(void **state)
{
    struct wc_ins ins;
    assert_false(wc_decode(0, &ins));
    assert_false(wc_decode(UINT32_MAX, &ins));
    for (uint32_t low = 0; low < 1u << 12; low++) {
        assert_false(wc_decode(low, &ins));
        assert_false(wc_decode(0xf8000000u | low, &ins));
    }
}

/* ---- through the assembler --------------------------------------------------------------------------- */

static struct wc_image *assemble(const char *text, size_t n, struct arena *a, struct diagnostics *d)
{
    const struct source *s = source_new(a, "test.s", text, n);
    diag_init(d, a, s);
    return wc_assemble(s, d);
}

/* As many words as code can have: every target is one. Texts for every number. */
static void add_head(struct text *t)
{
    text_addz(t, ".mode article\n");
    for (unsigned i = 0; i < WC_MAX_TEXTS; i++)
        text_addz(t, ".text \"\"\n");
}

static void add_words(struct text *t, const uint32_t *words)
{
    for (unsigned i = 0; i < WC_MAX_WORDS; i++) {
        wc_print_word(words[i], NULL, t);
        text_char(t, '\n');
    }
}

static void check_words(const struct text *t, const uint32_t *words)
{
    struct arena a = {0};
    struct diagnostics d;
    struct wc_image *m = assemble(t->at, t->length, &a, &d);
    if (!m)
        diag_print(&d, stderr, false);
    assert_non_null(m);
    assert_int_equal(m->code.count, WC_MAX_WORDS);
    assert_memory_equal(m->code.at, words, WC_MAX_WORDS * sizeof *words);
    struct text image = {0}, assembly = {0}, again = {0};
    wc_write(m, &image);
    wc_disassemble(m, &assembly);
    struct wc_image *second = assemble(assembly.at, assembly.length, &a, &d);
    assert_non_null(second);
    wc_write(second, &again);
    assert_int_equal(image.length, again.length);
    assert_memory_equal(image.at, again.at, image.length);
    text_free(&image);
    text_free(&assembly);
    text_free(&again);
    wc_image_free(m);
    wc_image_free(second);
    arena_free(&a);
}

/* Word by word, and as whole images through labels. */
static void random_words_assemble_back(void **state)
{
    struct fz_random r = fz_random(3, 0);
    static uint32_t words[WC_MAX_WORDS];
    for (uint32_t done = 0; done < RANDOM_WORDS; done += WC_MAX_WORDS - 1) {
        struct text t = {0};
        for (unsigned i = 0; i + 1 < WC_MAX_WORDS; i++)
            words[i] = random_valid_word(&r);
        words[WC_MAX_WORDS - 1] = wc_encode((struct wc_ins){.op = WC_exit});
        add_head(&t);
        add_words(&t, words);
        check_words(&t, words);
        text_free(&t);
    }
}

static void invalid_words_are_words_and_refused(void **state)
{
    struct fz_random r = fz_random(4, 0);
    struct wc_image *m = wc_image_new();
    m->file = "invalid";
    m->mode = WC_MODE_ARTICLE;
    vec_resize(&m->arena, &m->code, 2);
    vec_resize(&m->arena, &m->places, 2);
    memset(m->places.at, 0, 2 * sizeof *m->places.at);
    m->code.at[1] = wc_encode((struct wc_ins){.op = WC_exit});
    unsigned invalid = 0;
    for (uint32_t i = 0; i < 4 * RANDOM_WORDS; i++) {
        struct wc_ins ins;
        char why[200], expected[40];
        m->code.at[0] = i == 0 ? 0 : i == 1 ? UINT32_MAX : random_word(&r);
        if (wc_decode(m->code.at[0], &ins))
            continue;
        invalid++;
        struct text t = {0};
        wc_print_word(m->code.at[0], NULL, &t);
        snprintf(expected, sizeof expected, ".word           0x%08x", m->code.at[0]);
        assert_string_equal(t.at, expected);
        text_free(&t);
        assert_non_null(wc_verify(m, why, sizeof why));
        assert_non_null(strstr(why, "is no instruction"));
    }
    assert_true(invalid > RANDOM_WORDS);
    wc_image_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lane_operations_fit_their_case),
        cmocka_unit_test(rows_have_names_and_meanings),
        cmocka_unit_test(decoded_words_encode_to_themselves),
        cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(cleared_and_erased_memory_is_no_instruction),
        cmocka_unit_test(random_words_assemble_back),
        cmocka_unit_test(invalid_words_are_words_and_refused),
    };
    return cmocka_run_group_tests_name("warpcore_isa", tests, NULL, NULL);
}
