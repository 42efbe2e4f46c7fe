/* foreign_test.c: see foreign_test.h. */
#include "test/frontend/foreign_test.h"

#include "frontend/builtins.h"
#include "frontend/context.h"

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

/* kern: the fix-it, which says what the word means exactly, or NULL. */
static void check_foreign(const char *source, const char *kern)
{
    struct arena a = {0};
    struct diagnostic first = compile(&a, source);
    const char *id = kern ? "foreign-spelling" : "foreign-word";
    if (!first.id || strcmp(first.id, id) != 0 || first.has_fix != (kern != NULL) ||
        (kern && strcmp(first.fix.insert, kern) != 0) || strchr(first.text, '$'))
        fail_msg("%s: %s", source, first.id ? first.text : "no message");
    arena_free(&a);
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

void test_foreign(void **state)
{
    static const struct {
        const char *word, *kern, *const *sources;
    } rows[] = {
#define FOREIGN(text, as, advice)         {text, NULL, as_word},
#define FOREIGN_CALL(text, where, advice) {text, NULL, as_call},
#define ATTRIBUTE(text, advice)           {text, NULL, as_attribute},
#define SPELLING(text, kern)              {text, kern, as_word},
#define FOREIGN_NAME(text, advice)        {text, NULL, as_name},
#define FOREIGN_TYPE(text, advice)        {text, NULL, as_type},
#define NAME_SPELLING(text, kern)         {text, kern, as_name},
#define FAMILY(text, advice, one)         {one, NULL, as_name},
#include "frontend/foreign.def"
    };
    static const char *const families[] = {
#define FAMILY_SPELLING(text, kern, one) one,
#include "frontend/foreign.def"
    };
    UNUSED(state);
    for (size_t i = 0; i < COUNT(rows); i++)
        for (const char *const *form = rows[i].sources; *form; form++) {
            char source[160];
            snprintf(source, sizeof source, *form, rows[i].word);
            check_foreign(source, rows[i].kern);
        }
    for (size_t i = 0; i < COUNT(families); i++)
        check_family(families[i]);
    for (size_t i = 0; i < COUNT(sources); i++)
        check_foreign(sources[i], NULL);
}
