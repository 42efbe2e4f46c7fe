/* doc_language.c: the tables of docs/language.md. */
#include "test/tools/doc_tables.h"

#include "frontend/frontend.h"
#include "frontend/types/builtins.h"

#include <stdio.h>

static const char *code(const char *s, char buffer[128])
{
    snprintf(buffer, 128, *s ? "`%s`" : "", s);
    return buffer;
}

void doc_language_types(struct text *out)
{
    static const struct {
        const char *word, *meaning;
    } words[] = {
#define FE_WORD(kind, text, meaning) {text, meaning},
#include "frontend/ast/ast.def"
    };
    char name[128];
    doc_heading(out, "type", "is", NULL);
    for (size_t i = 0; i < COUNT(words); i++)
        doc_row(out, code(words[i].word, name), words[i].meaning, NULL);
}

/* Words as a list in one paragraph. */
static void add_words(struct text *out, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_printf(out, "`%s`%s", words[i], i + 1 == n ? "\n" : i % 12 == 11 ? "\n" : " ");
}

void doc_language_keywords(struct text *out)
{
    static const char *const words[] = {
#define FE_WORD(kind, text, meaning) text,
#include "frontend/ast/ast.def"
#define KEYWORD(text, token, value) text,
#include "frontend/parse/keywords.def"
    };
    add_words(out, words, COUNT(words));
}

void doc_language_foreign(struct text *out)
{
    static const struct {
        const char *word, *instead;
        bool is_spelling;
    } words[] = {
#define FOREIGN(text, as, advice)                          {text, advice, false},
#define FOREIGN_CALL(text, where, advice)                  {text "(…)", advice, false},
#define ATTRIBUTE(text, advice)                            {"[[" text "]]", advice, false},
#define SPELLING(text, kern)                               {text, kern, true},
#define FOREIGN_NAME(text, advice)                         {text, advice, false},
#define FUNCTION(text, parameters, kern, more)             {text, "write " kern more, false},
#define VALUE(text, kern, more)                            {text, "write " kern more, false},
#define NAME_SPELLING(text, kern)                          {text, kern, true},
#define OF_BLOCK                                           "block."
#define OF_WARP                                            "tile."
#define GROUP_FUNCTION(group, member, kern)                {OF_##group member "(…)", kern "(…)", true},
#define GROUP_VALUE(group, member, kern, as)               {OF_##group member "()", kern, true},
#define GROUP_INDEX(group, member, kern)                   {OF_##group member "()", kern, true},
#define FAMILY(text, advice, one)                          {text, advice, false},
#define FAMILY_FUNCTION(text, parameters, kern, more, one) {text, "write " kern more, false},
#define FAMILY_SPELLING(text, kern, one)                   {text, kern, true},
#include "frontend/foreign/foreign.def"
    };
    char name[128], instead[128];
    doc_heading(out, "written", "in Kern", NULL);
    for (size_t i = 0; i < COUNT(words); i++)
        doc_row(out, code(words[i].word, name),
                words[i].is_spelling ? code(words[i].instead, instead) : words[i].instead, NULL);
}

/* What a letter of a builtin's signature stands for. */
static const char *letter(char c)
{
    switch (c) {
    case 'v': return "void";
    case 'b': return "bool";
    case 'i': return "int";
    case 'u': return "uint";
    case 'l': return "long";
    case 'U': return "ulong";
    case 'f': return "float";
    case 'd': return "double";
    case 't': return "token";
    case 'N':
    case 'F':
    case 'I':
    case 'G': return "T";
    case 'P':
    case 'Q':
    case 'R': return "T *";
    case 'e': return "int *";
    case 'z': return "const void *";
    case 'Z': return "void *";
    case 's': return "number";
    case 'x': return "32 bits";
    case 'y': return "64 bits";
    default: return "…";
    }
}

static void builtin_row(struct text *out, const struct fe_builtin *b)
{
    struct text form = {0};
    char name[128];
    const char *colon = strchr(b->signature, ':');
    if (b->how == FE_HOW_SPECIAL) {
        doc_row(out, code(b->name, name), b->meaning, NULL);
        return;
    }
    text_printf(&form, "`%s %s(", letter(b->signature[0]), b->name);
    for (const char *p = colon + 1; *p; p++)
        text_printf(&form, "%s%s", p == colon + 1 ? "" : ", ", letter(*p));
    text_addz(&form, ")`");
    doc_row(out, form.at, b->meaning, NULL);
    text_free(&form);
}

typedef bool (*choice)(const struct fe_builtin *b);

static void builtin_table(struct text *out, const char *what, choice wanted)
{
    doc_heading(out, what, "gives", NULL);
    for (uint32_t i = 0; i < fe_builtin_count; i++)
        if (wanted(&fe_builtins[i]))
            builtin_row(out, &fe_builtins[i]);
}

static bool is_special(const struct fe_builtin *b)
{
    return b->how == FE_HOW_SPECIAL;
}
static bool is_convergent(const struct fe_builtin *b)
{
    return fe_builtin_is_convergent(b) && b->how != FE_HOW_TOKEN;
}
static bool is_atomic(const struct fe_builtin *b)
{
    return b->how == FE_HOW_ATOMIC || b->how == FE_HOW_COUNTER || b->how == FE_HOW_FENCE;
}
static bool is_tool(const struct fe_builtin *b)
{
    return b->how == FE_HOW_CLOCK || b->how == FE_HOW_PRINTF || b->how == FE_HOW_ASSERT ||
           b->how == FE_HOW_MEMCPY || b->how == FE_HOW_MEMSET || b->how == FE_HOW_TRAP;
}
/* The functions of math.h under their names for float are not listed: the page says how they are made. */
static bool is_arithmetic(const struct fe_builtin *b)
{
    size_t n = strlen(b->name);
    bool for_float = b->name[n - 1] == 'f' && strstr(b->meaning, ", in float");
    return !for_float && !is_special(b) && !is_convergent(b) && !is_atomic(b) && !is_tool(b) &&
           b->how != FE_HOW_TOKEN;
}

void doc_language_places(struct text *out)
{
    builtin_table(out, "name", is_special);
}
void doc_language_convergent(struct text *out)
{
    builtin_table(out, "operation", is_convergent);
}
void doc_language_atomics(struct text *out)
{
    builtin_table(out, "operation", is_atomic);
}
void doc_language_tools(struct text *out)
{
    builtin_table(out, "function", is_tool);
}
void doc_language_arithmetic(struct text *out)
{
    builtin_table(out, "function", is_arithmetic);
}

static const struct libm_function {
    const char *name, *result, *args[3];
} libm_functions[] = {
#define REAL                    "T"
#define INT                     "int"
#define LONG                    "long"
#define MATH(name, result, ...) {#name, result, {__VA_ARGS__}},
#include "runtime/libm.def"
};

static const char *libm_type(const struct libm_function *f, struct text *t)
{
    t->length = 0;
    text_printf(t, "`%s f(", f->result);
    for (size_t i = 0; i < COUNT(f->args) && f->args[i]; i++)
        text_printf(t, "%s%s", i ? ", " : "", f->args[i]);
    text_addz(t, ")`");
    return t->at;
}

/* A row for each type, with all functions that have it. */
void doc_language_libm(struct text *out)
{
    struct text type = {0}, other = {0}, names = {0};
    doc_heading(out, "type", "functions", NULL);
    for (size_t i = 0; i < COUNT(libm_functions); i++) {
        bool first = true;
        libm_type(&libm_functions[i], &type);
        names.length = 0;
        for (size_t k = 0; k < COUNT(libm_functions); k++) {
            if (strcmp(libm_type(&libm_functions[k], &other), type.at) != 0)
                continue;
            first &= k >= i;
            text_printf(&names, "%s`%s`", names.length ? " " : "", libm_functions[k].name);
        }
        if (first)
            doc_row(out, type.at, names.at, NULL);
    }
    text_free(&type);
    text_free(&other);
    text_free(&names);
}

void doc_language_warnings(struct text *out)
{
    char name[128];
    doc_heading(out, "group", "on", "warns of", NULL);
    for (int g = DIAG_GROUP_none + 1; g < DIAG_GROUPS; g++)
        doc_row(out, code(diag_group_info[g].name, name), diag_group_info[g].is_on ? "yes" : "with `-Wall`",
                diag_group_info[g].meaning, NULL);
}

void doc_language_limits(struct text *out)
{
    static const struct {
        const char *name;
        unsigned value, most;
        const char *meaning;
    } limits[] = {
#define LIMIT(name, value, most, meaning) {#name, value, most, meaning},
#include "frontend/limits.def"
    };
    char name[128], value[16], most[16];
    doc_heading(out, "limit", "value", "at most", "counts", NULL);
    for (size_t i = 0; i < COUNT(limits); i++) {
        snprintf(value, sizeof value, "%u", limits[i].value);
        snprintf(most, sizeof most, "%u", limits[i].most);
        doc_row(out, code(limits[i].name, name), value, most, limits[i].meaning, NULL);
    }
}
