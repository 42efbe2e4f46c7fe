/* mutated_test.c: compiled programs and IR text with random damage: each is refused with a reason, or runs to
 * an ordinary end.
 *
 * Every .kern file of the samples and of some folders of tests is compiled for every eighth scheme in turn, at
 * a level that depends on both. Trials are drawn from the file's name, the scheme and the trial's number. One
 * that fails is named, and `mutated FILE SCHEME TRIAL` runs it alone (SCHEME ir: the text of its IR).
 * KERNC_TEST_MUTATIONS: trials of each file and scheme.
 */
#include "backend/format/bytecode/program.h"
#include "backend/format/warpcore/image.h"
#include "base/scheme.h"
#include "kernc-rt.h"
#include "kernc.h"
#include "lib/profile.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/isolated.h"
#include "test/fuzz/mutate.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { HEADER = 36, TRIALS = 6, TURNS = 8 };
static const char *const folders[] = {"samples", "test/regress", "test/convergence"};

/* What is damaged, and what it is tried in. */
struct subject {
    const char *path, *scheme;
    struct text bytes; /* the body of a compiled program, or IR text; none: it doesn't compile */
    kernc_context *ctx;
};

static struct arena arena;
static const char *program; /* this one */

/* ---- subjects ---------------------------------------------------------------------------------------- */

static bool is_ir(const struct subject *s)
{
    return strcmp(s->scheme, "ir") == 0;
}

static bool is_image(const struct subject *s)
{
    return !is_ir(s) && scheme_info[scheme_find(s->scheme)].target == TARGET_warp_core;
}

static uint64_t key_of(const struct subject *s)
{
    return hash_mix(hash_bytes(s->path, strlen(s->path)), hash_bytes(s->scheme, strlen(s->scheme)));
}

static void compile_subject(struct subject *s)
{
    struct text source = {0};
    kernc_options o;
    size_t n;
    kernc_options_init(&o);
    o.level = (unsigned)(key_of(s) % 3);
    o.ir_only = is_ir(s);
    o.scheme = is_ir(s) ? "pdom" : s->scheme;
    if (scheme_has(scheme_find(o.scheme), SCHEME_FRONTIERS))
        o.checks = scheme_check(scheme_find(o.scheme));
    assert_null(file_read(s->path, 1u << 20, &source));
    kernc_result *r = kernc_compile(s->path, source.at, source.length, &o);
    const char *made = kernc_result_text(r, is_ir(s) ? KERNC_TEXT_IR : KERNC_TEXT_BYTECODE, &n);
    if (made)
        text_add(&s->bytes, made + (is_ir(s) ? 0 : HEADER), n - (is_ir(s) ? 0 : HEADER));
    kernc_result_free(r);
    text_free(&source);
}

static uint32_t number_at(const char *at)
{
    const uint8_t *b = (const uint8_t *)at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Strings come first: the file, and the scheme or (a number) the mode. */
static struct mutate_code code_of(const struct subject *s, const char *body)
{
    size_t at = 4 + number_at(body) - 1;
    at += is_image(s) ? 4 : 4 + number_at(body + at) - 1;
    return (struct mutate_code){at + 4, number_at(body + at), is_image(s) ? 4 : 16};
}

/* ---- trials ------------------------------------------------------------------------------------------ */

/* The program as one for another scheme of bytecode, which it was not lowered for. */
static void relabel(struct fz_random *r, struct text *body)
{
    struct text file = {0}, again = {0};
    const char *why;
    enum scheme other = (enum scheme)fz_below(r, SCHEMES);
    while (scheme_info[other].target != TARGET_bytecode)
        other = (enum scheme)fz_below(r, SCHEMES);
    bc_seal(body->at, body->length, &file);
    struct bc_program *p = bc_read(file.at, file.length, &why);
    p->scheme = scheme_info[other].name;
    bc_write(p, &again);
    body->length = 0;
    text_add(body, again.at + HEADER, again.length - HEADER);
    bc_program_free(p);
    text_free(&file);
    text_free(&again);
}

/* What the loader takes can be shown. */
static void show(const struct subject *s, const struct text *file)
{
    struct text out = {0};
    const char *why;
    struct wc_image *m = is_image(s) ? wc_read(file->at, file->length, &why) : NULL;
    struct bc_program *p = is_image(s) ? NULL : bc_read(file->at, file->length, &why);
    if (m) {
        wc_disassemble(m, &out);
        wc_listing(m, NULL, &out);
    } else {
        bc_disassemble(p, &out);
    }
    wc_image_free(m);
    bc_program_free(p);
    text_free(&out);
}

static bool try_program(struct subject *s, struct fz_random *r, uint32_t n)
{
    static const uint8_t widths[] = {1, 4, 8, 13, 32, 64};
    struct text body = {0}, file = {0};
    text_add(&body, s->bytes.at, s->bytes.length);
    if (!is_image(s) && n % 8 == 7)
        relabel(r, &body);
    mutate_bytes(r, (uint8_t *)body.at, body.length, code_of(s, body.at));
    if (is_image(s))
        wc_seal(body.at, body.length, &file);
    else
        bc_seal(body.at, body.length, &file);
    unsigned warp = is_image(s) ? WC_LANES : widths[fz_below(r, COUNT(widths))];
    bool taken = fuzz_run_within(s->ctx, file.at, file.length, warp);
    if (taken)
        show(s, &file);
    text_free(&body);
    text_free(&file);
    return taken;
}

static bool try_ir(struct subject *s, struct fz_random *r)
{
    struct text text = {0};
    mutate_text(r, &s->bytes, &text);
    bool taken = fuzz_try_ir(s->ctx, text.at, text.length, scheme_info[fz_below(r, SCHEMES)].name);
    text_free(&text);
    return taken;
}

static void trial(void *data, uint32_t n, struct isolated *a)
{
    struct subject *s = data;
    struct fz_random r = fz_random(key_of(s), n);
    if (!s->ctx)
        s->ctx = fuzz_context();
    a->taken += is_ir(s) ? try_ir(s, &r) : try_program(s, &r, n);
}

/* ---- all of them ------------------------------------------------------------------------------------- */

struct figures {
    uint32_t tried, taken, failed;
};

/* Which operations of convergence barriers there are in the programs that are damaged. */
static struct operations {
    bool gathers, cancels[2], members[2], waits[2], rejoins;
} seen;

static void note_operations(const struct subject *s)
{
    struct text file = {0};
    const char *why;
    bc_seal(s->bytes.at, s->bytes.length, &file);
    struct bc_program *p = bc_read(file.at, file.length, &why);
    for (uint32_t i = 0; p && i < p->code.count; i++) {
        const struct bc_ins *ins = &p->code.at[i];
        if (ins->op == BC_scheme) {
            seen.gathers |= ins->a == BC_CB_JOIN && ins->d;
            seen.cancels[ins->imm != 0] |= ins->a == BC_CB_CANCEL;
            seen.members[ins->d != 0] |= ins->a == BC_CB_CANCEL;
        } else if (ins->op == BC_wait) {
            seen.waits[ins->imm != 0] = true;
            seen.rejoins |= ins->d;
        }
        i += bc_has_branch_word((enum bc_op)ins->op);
    }
    bc_program_free(p);
    text_free(&file);
}

static uint32_t trials(void)
{
    const char *given = getenv("KERNC_TEST_MUTATIONS");
    return given && atoi(given) > 0 ? (uint32_t)atoi(given) : TRIALS;
}

/* Goes on behind a trial that fails, so that each is named. */
static void try_subject(const char *path, const char *scheme, struct figures *f)
{
    struct subject s = {.path = path, .scheme = scheme};
    compile_subject(&s);
    if (strcmp(scheme, "barrier") == 0 && s.bytes.length)
        note_operations(&s);
    for (uint32_t next = 0, end = s.bytes.length ? trials() : 0; next < end;) {
        struct isolated a;
        char why[100];
        bool good = isolated_run(&a, next, end, trial, &s, why, sizeof why);
        if (!good)
            print_error("%s for %s, trial %u: %s\n  again: %s %s %s %u\n", path, scheme, a.at, why, program,
                        path, scheme, a.at);
        f->failed += !good;
        f->taken += a.taken;
        f->tried += (good ? a.at : a.at + 1) - next;
        next = good ? end : a.at + 1;
    }
    text_free(&s.bytes);
}

static void try_folder(const char *folder, const char *const *schemes, uint32_t n, struct figures *f)
{
    struct dirent **names;
    int count = scandir(folder, &names, NULL, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(names[i]->d_name);
        const char *path = arena_printf(&arena, "%s/%s", folder, names[i]->d_name);
        bool is_source = length > 5 && strcmp(path + strlen(path) - 5, ".kern") == 0;
        for (uint32_t k = n > 1 ? (uint32_t)i % TURNS : 0; is_source && k<n; k += n> 1 ? TURNS : 1)
            try_subject(path, schemes[k], f);
        free(names[i]);
    }
    free(names);
}

static void try_folders(const char *const *schemes, uint32_t n, struct figures *f)
{
    for (size_t i = 0; i < COUNT(folders); i++)
        try_folder(folders[i], schemes, n, f);
    print_message("%u trials, %u taken, %u failed\n", f->tried, f->taken, f->failed);
    assert_int_equal(f->failed, 0);
}

/* One of five trials is taken: else little is tested. */
static void try_target(enum target target)
{
    struct figures f = {0};
    const char *names[SCHEMES];
    uint32_t n = 0;
    for (unsigned s = 0; s < SCHEMES; s++)
        if (scheme_info[s].target == target)
            names[n++] = scheme_info[s].name;
    try_folders(names, n, &f);
    assert_true(f.taken * 5 > f.tried);
}

static void bytecode(void **state)
{
    try_target(TARGET_bytecode);
    assert_true(seen.gathers && seen.cancels[0] && seen.cancels[1] && seen.members[0] && seen.members[1]);
    assert_true(seen.waits[0] && seen.waits[1] && seen.rejoins);
}

static void images(void **state)
{
    try_target(TARGET_warp_core);
}

static void ir_text(void **state)
{
    static const char *const ir[] = {"ir"};
    struct figures f = {0};
    try_folders(ir, 1, &f);
    assert_true(f.taken * 20 > f.tried);
}

/* ---- profiles ---------------------------------------------------------------------------------------- */

/* A damaged profile is refused with a message, or guides the compilation. */
static bool try_profile(struct fz_random *r, const struct text *source, const struct text *profile)
{
    static const char *const automatic[] = {"predict=auto"};
    struct text damaged = {0};
    kernc_options o;
    kernc_options_init(&o);
    if (fz_below(r, 2) == 0)
        mutate_text(r, profile, &damaged);
    else
        text_add(&damaged, profile->at, profile->length);
    for (uint32_t n = fz_below(r, 4); n > 0 && damaged.length; n--)
        damaged.at[fz_below(r, (uint32_t)damaged.length)] = (char)fz_below(r, 256);
    o.scheme = "barrier";
    o.switches = automatic;
    o.switch_count = 1;
    o.profile = damaged.at ? damaged.at : "";
    o.profile_length = damaged.length;
    o.profile_name = "damaged";
    kernc_result *result = kernc_compile("iterdelay.kern", source->at, source->length, &o);
    bool taken = kernc_result_status(result) == KERNC_COMPILED;
    if (!taken) {
        assert_int_equal(kernc_result_status(result), KERNC_BAD_SOURCE);
        const char *said = kernc_result_text(result, KERNC_TEXT_DIAGNOSTICS, NULL);
        assert_non_null(strstr(said, "the profile damaged "));
    }
    kernc_result_free(result);
    text_free(&damaged);
    return taken;
}

static void profiles(void **state)
{
    struct text source = {0}, profile = {0};
    char hash[PROFILE_HASH];
    uint32_t taken = 0, tried = 10 * trials();
    assert_null(file_read("samples/iterdelay.kern", 1u << 20, &source));
    text_printf(&profile,
                "{\"kernel\": \"iterdelay\", \"scheme\": \"pdom\", \"source\": \"%s\", \"places\": [",
                profile_hash(&(struct source){.text = source.at, .length = source.length}, hash));
    for (uint32_t line = 1; line < 40; line++)
        text_printf(&profile, "%s[%u, 0, %u], [%u, %u, %u]", line > 1 ? ", " : "", line, line * 977 % 64,
                    line, 1 + line * 7 % 12, line * 31 % 64);
    text_addz(&profile, "]}");
    for (uint32_t n = 0; n < tried; n++) {
        struct fz_random r = fz_random(0x9e3779b9, n);
        taken += try_profile(&r, &source, &profile);
    }
    print_message("%u profiles, %u taken\n", tried, taken);
    assert_true(taken * 20 > tried && taken < tried);
    text_free(&source);
    text_free(&profile);
}

/* One trial, in this process. */
static int again(char **arguments)
{
    struct subject s = {.path = arguments[0], .scheme = arguments[1]};
    struct isolated a = {0};
    compile_subject(&s);
    trial(&s, (uint32_t)atoi(arguments[2]), &a);
    printf("%s\n", a.taken ? "taken" : "refused");
    return 0;
}

static int free_arena(void **state)
{
    arena_free(&arena);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytecode),
        cmocka_unit_test(images),
        cmocka_unit_test(ir_text),
        cmocka_unit_test(profiles),
    };
    program = argv[0];
    if (argc == 4)
        return again(argv + 1);
    return cmocka_run_group_tests_name("mutated", tests, NULL, free_arena);
}
