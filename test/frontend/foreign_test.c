/* foreign_test.c: see foreign_test.h. */
#include "test/frontend/foreign_test.h"

#include "frontend/context.h"
#include "frontend/types/builtins.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What a source is told first; id NULL: nothing. */
static struct diagnostic compile(struct arena *a, const char *source)
{
    struct diagnostics d;
    struct fe_options options;
    struct source *s = source_new(a, "foreign.kern", source, strlen(source));
    fe_options_init(&options);
    diag_init(&d, a, s);
    ir_module_free(fe_compile(s, &d, &options));
    return d.all.count ? d.all.at[0] : (struct diagnostic){0};
}

/* What the fix-it of a row is: none, some, one that removes the word, or its text. */
static const char unknown[] = "?";

/* id: of what is said first; fix: as in the rows. */
static void check_foreign(const char *source, const char *id, const char *fix)
{
    struct arena a = {0};
    struct diagnostic first = compile(&a, source);
    bool good = first.id && strcmp(first.id, id) == 0 && !strchr(first.text, '$');
    bool fits = fix == unknown || first.has_fix == (fix != NULL);
    if (!good || !fits || (first.has_fix && fix != unknown && strcmp(first.fix.insert, fix) != 0))
        fail_msg("%s: %s", source, first.id ? first.text : "no message");
    arena_free(&a);
}

/* The source with all that can be mended in one round, and what is said of it then. */
static const char *mend(struct arena *a, const char *source, struct diagnostics *d)
{
    struct fe_options options;
    struct text mended = {.arena = a};
    u32_vec applied = {0};
    for (int round = 0; round < 2; round++) {
        struct source *s = source_new(a, "foreign.kern", source, strlen(source));
        fe_options_init(&options);
        diag_init(d, a, s);
        ir_module_free(fe_compile(s, d, &options));
        if (round == 0)
            diag_apply_fixes(d, &mended, &applied);
        source = mended.at;
    }
    return mended.at;
}

/* What a FUNCTION's fix-it writes is Kern, whatever its arguments are. */
static void check_function(const char *word, const char *parameters)
{
    static const char *const arguments[] = {"1", "x", "x + 1", "(x)", "q[x]", "x ? 1 : x", "-x"};
    size_t wanted = *parameters ? 1 : 0;
    for (const char *c = parameters; *c; c++)
        wanted += *c == ',';
    for (size_t i = 0; i < COUNT(arguments); i++) {
        struct arena a = {0};
        struct diagnostics d;
        struct text source = {.arena = &a};
        bool is_dimension = strcmp(parameters, "dimension") == 0;
        text_printf(&source, "void f(int x, int *q) { q[0] = 2 * %s(", word);
        for (size_t k = 0; k < wanted; k++)
            text_printf(&source, "%s%s", k ? ", " : "",
                        is_dimension ? "1" : arguments[(i + k) % COUNT(arguments)]);
        text_addz(&source, ") + 1; }");
        const char *mended = mend(&a, source.at, &d);
        for (uint32_t g = 0; g < d.all.count; g++)
            if (strncmp(d.all.at[g].id, "expected", 8) == 0 || strncmp(d.all.at[g].id, "foreign", 7) == 0)
                fail_msg("%s became %s: %s", source.at, mended, d.all.at[g].text);
        arena_free(&a);
    }
}

/* A name of a family is spelt as a builtin, or as its row says. */
static void check_family(const char *word)
{
    struct arena a = {0};
    struct diagnostic first = compile(&a, arena_printf(&a, "void f(void) { %s(1); }", word));
    bool found = false;
    for (uint32_t i = 0; first.id && first.has_fix && i < fe_builtin_count; i++)
        found |= strcmp(fe_builtins[i].name, first.fix.insert) == 0;
    if (!found || strcmp(first.id, "foreign-spelling") != 0)
        fail_msg("%s: %s", word, first.id ? first.text : "no message");
    arena_free(&a);
}

/* Where words stand, with one in place of the %s. */
static const char *const as_word[] = {"void f(void) {}\n%s", NULL};
static const char *const as_type[] = {"%s x;", "void f(%s *x) { }", "void f(void) { %s x; }", "%s int x[4];",
                                      NULL};
static const char *const as_call[] = {"void f(void) { }\n%s(1) kernel void k(void) { }", NULL};
static const char *const as_attribute[] = {"[[%s]] kernel void k(void) { }",
                                           "kernel __attribute__((other, %s(1))) void k(void) { }", NULL};
static const char *const as_name[] = {"void f(void) { %s(1); }", "int f(void) { return 1 + %s; }", NULL};

/* Syntax that is none of a word's own. */
static const char *const sources[] = {
    "void f(int *p) { k<<<1, 2>>>(p); }",
    "[numthreads(8, 1, 1)] kernel void k(void) { }",
    "[numthreads(8,\n1, 1)]\nkernel void k(void) { }",
    "void f(int n) { [unroll] for (int i = 0; i < n; i++) ; }",
    "void f(int n) { if (n) n = 2; else [flatten] if (n > 1) n = 1; }",
    "layout(local_size_x = 8) in;",
    "layout(std430, binding = 0) buffer B { float a[4]; } b;",
    "struct s { int a __attribute__((aligned(8))); };",
    "kernel void k(uint i [[thread_position_in_grid]]) { }",
    "kernel void k(uint i : SV_DispatchThreadID) { }",
};

/* Where words with parentheses are words. */
enum { OUTSIDE, ANYWHERE };
#define call_fix(where) ((where) == ANYWHERE ? "" : NULL)

void test_foreign(void **state)
{
    static const char word_id[] = "foreign-word", spelling[] = "foreign-spelling";
    static const struct {
        const char *word, *id, *fix, *const *sources;
    } rows[] = {
#define FOREIGN(text, as, advice)                          {text, word_id, as, as_word},
#define FOREIGN_CALL(text, where, advice)                  {text, word_id, call_fix(where), as_call},
#define ATTRIBUTE(text, advice)                            {text, word_id, "", as_attribute},
#define SPELLING(text, kern)                               {text, spelling, kern, as_word},
#define FOREIGN_NAME(text, advice)                         {text, word_id, NULL, as_name},
#define VALUE(text, kern, more)                            {text, word_id, kern, as_name},
#define FUNCTION(text, parameters, kern, more)             {text, word_id, unknown, as_name},
#define FOREIGN_TYPE(text, as, advice)                     {text, word_id, as ? as : unknown, as_type},
#define NAME_SPELLING(text, kern)                          {text, spelling, kern, as_name},
#define FAMILY(text, advice, one)                          {one, word_id, NULL, as_name},
#define FAMILY_FUNCTION(text, parameters, kern, more, one) {one, word_id, unknown, as_name},
#include "frontend/foreign/foreign.def"
    };
    static const char *const functions[][2] = {
#define FUNCTION(text, parameters, kern, more)             {text, parameters},
#define FAMILY_FUNCTION(text, parameters, kern, more, one) {one, parameters},
#include "frontend/foreign/foreign.def"
    };
    static const char *const families[] = {
#define FAMILY_SPELLING(text, kern, one) one,
#include "frontend/foreign/foreign.def"
    };
    UNUSED(state);
    for (size_t i = 0; i < COUNT(rows); i++)
        for (const char *const *form = rows[i].sources; *form; form++) {
            char source[160];
            snprintf(source, sizeof source, *form, rows[i].word);
            check_foreign(source, rows[i].id, rows[i].fix);
        }
    for (size_t i = 0; i < COUNT(functions); i++)
        check_function(functions[i][0], functions[i][1]);
    for (size_t i = 0; i < COUNT(families); i++)
        check_family(families[i]);
    for (size_t i = 0; i < COUNT(sources); i++)
        check_foreign(sources[i], word_id, unknown);
}
