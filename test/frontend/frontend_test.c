/* frontend_test.c: small sources, and what the front end makes of them.
 *
 *   parse/NAME.kern      a source, the line "// ----", and its syntax tree as comments
 *   lower/NAME.kern      a source, the line "// ----", and its IR as comments, which the verifier accepted
 *   messages/TOPIC.kern  sections, each a source, the line "// ----", and every diagnostic it gets as comments;
 *                        the section is called after one of them (frontend/messages.def), or the file, if it
 *                        has no sections. Each message has such a case.
 *
 * Lines are those of the section. A first line "// options: -Wunused nesting=3" turns groups of warnings on and
 * sets limits. Examples of docs/language.md in a ```kern fence compile without a diagnostic, those in
 * ```kern error do not compile. `frontend_test -u [FILE…]` rewrites the parts below the lines.
 */
#include "test/frontend/foreign_test.h"
#include "test/frontend/large_test.h"

#include "frontend/context.h"
#include "frontend/types/builtins.h"
#include "test/sections.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define PARSE    "test/frontend/parse"
#define LOWER    "test/frontend/lower"
#define MESSAGES "test/frontend/messages"
static const char *const pages[] = {"docs/language.md", "docs/porting.md"};
#define VIM       "share/vim/syntax/kern.vim"
#define SEPARATOR "\n// ----\n"
#define FILE_MAX  ((size_t)1 << 22)

static bool update;

/* ---- one compilation --------------------------------------------------------------------------------- */

struct job {
    struct arena arena;
    struct diagnostics d;
    struct fe_options options;
    struct source *source;
};

static void job_begin(struct job *j, const char *name, const char *text, size_t n)
{
    *j = (struct job){0};
    fe_options_init(&j->options);
    j->source = source_new(&j->arena, name, text, n);
    diag_init(&j->d, &j->arena, j->source);
    j->d.error_limit = 100;
}

static void set_limit(struct fe_limits *l, const char *name, size_t n, uint32_t value)
{
#define LIMIT(id, number, most, meaning)                                                                     \
    if (strlen(#id) == n && memcmp(#id, name, n) == 0)                                                       \
        l->id = value;
#include "frontend/limits.def"
}

static void add_define(struct job *j, const char *define)
{
    uint32_t n = j->options.define_count;
    const char **all = arena_array(&j->arena, const char *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        all[i] = j->options.defines[i];
    all[n] = define;
    j->options.defines = all;
    j->options.define_count++;
}

/* The words of the line "// options: …" that the text may begin with. */
static void read_options(struct job *j, const char *text)
{
    static const char key[] = "// options:";
    if (strncmp(text, key, sizeof key - 1) != 0)
        return;
    const char *end = text + strcspn(text, "\n");
    for (const char *at = text + sizeof key - 1; at < end;) {
        size_t n = strcspn(at, " \n"), equals = strcspn(at, "=");
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        if (strncmp(word, "-W", 2) == 0)
            assert_true(diag_set_groups(&j->d, word + 2));
        else if (strncmp(word, "-D", 2) == 0)
            add_define(j, arena_strdup(&j->arena, word + 2, strlen(word + 2)));
        else if (strcmp(word, "-ftrap-div") == 0)
            j->options.trap_division = true;
        else if (equals < n)
            set_limit(&j->options.limits, at, equals, (uint32_t)atoi(at + equals + 1));
        at += n + 1;
    }
}

static void job_end(struct job *j)
{
    arena_free(&j->arena);
}

/* ---- cases ------------------------------------------------------------------------------------------- */

static void add_comment(struct text *out, const char *text, size_t n)
{
    for (const char *end = text + n; text < end;) {
        const char *line = memchr(text, '\n', (size_t)(end - text));
        size_t length = line ? (size_t)(line - text) : (size_t)(end - text);
        text_printf(out, "// %.*s\n", (int)length, text);
        text += length + 1;
    }
}

static void add_diagnostic(struct text *out, const struct diagnostic *g)
{
    text_printf(out, "// %u:%u: %s: %s", g->where.at.line, g->where.at.column,
                diag_severity_name(g->severity), g->text);
    if (g->severity == DIAG_WARNING)
        text_printf(out, " [-W%s]", g->id);
    if (g->has_fix)
        text_printf(out, " | fix %u:%u-%u:%u '%s'", g->fix.where.at.line, g->fix.where.at.column,
                    g->fix.where.end.line, g->fix.where.end.column, g->fix.insert);
    text_char(out, '\n');
}

/* Appends the functions of the module, without places. */
static void print_functions(struct job *j, struct text *out)
{
    struct ir_module *m = fe_compile(j->source, &j->d, &j->options);
    const struct ir_print_options o = {.locations = false};
    for (uint32_t i = 0; m && i < m->functions.count; i++)
        ir_print_function(m->functions.at[i], out, &o);
    if (m)
        ir_verify(m, &j->d);
    ir_module_free(m);
}

enum kind { PARSED, LOWERED, SAID };

/* What the front end makes of the source: its tree or IR, and its diagnostics. */
static void make_result(struct job *j, enum kind kind, struct text *out)
{
    struct text dump = {0};
    if (kind == PARSED)
        fe_dump_tree(j->source, &j->d, &j->options, &dump);
    else if (kind == LOWERED)
        print_functions(j, &dump);
    else
        ir_module_free(fe_compile(j->source, &j->d, &j->options));
    add_comment(out, dump.at, dump.length);
    for (uint32_t i = 0; i < j->d.all.count; i++)
        add_diagnostic(out, &j->d.all.at[i]);
    text_free(&dump);
}

/* Whether the diagnostic is this message, as far as can be told: the id, and of warnings the fixed text. */
static bool is_message(const struct diagnostic *d, const struct fe_message_info *m)
{
    if (d->severity != m->severity)
        return false;
    if (m->severity == DIAG_WARNING) {
        const char *end = strrchr(m->format, '%'), *tail = end ? end + 1 + strcspn(end, "sdu") : m->format;
        size_t head = strcspn(m->format, "%"), n = strlen(d->text), t = strlen(tail);
        return strcmp(d->id, diag_group_info[m->group].name) == 0 && strncmp(d->text, m->format, head) == 0 &&
               n >= t && strcmp(d->text + n - t, tail) == 0;
    }
    for (const char *a = d->id, *b = m->id; *a == *b || (*a == '-' && *b == '_'); a++, b++)
        if (*a == 0)
            return true;
    return false;
}

/* A section of a file, or a file without sections. */
struct test_case {
    const char *path;
    uint32_t section;
};

/* The message after which the section or the file is called, or NULL. */
static const struct fe_message_info *message_of(const char *path, const struct section *s)
{
    const char *name = s->name ? s->name : strrchr(path, '/') + 1;
    for (unsigned i = 0; i < FE_MESSAGES; i++) {
        size_t n = strlen(fe_message_info[i].id);
        if (strncmp(fe_message_info[i].id, name, n) == 0 && strcmp(name + n, s->name ? "" : ".kern") == 0)
            return &fe_message_info[i];
    }
    return NULL;
}

static void expect_message(const struct job *j, const char *where, const struct fe_message_info *m)
{
    bool found = false;
    if (!m)
        fail_msg("%s: there is no such message", where);
    for (uint32_t i = 0; i < j->d.all.count && !found; i++)
        found = is_message(&j->d.all.at[i], m);
    if (!found)
        fail_msg("%s: the message does not come", where);
}

/* What is expected, without the empty line in front of the next section. */
struct expected {
    const char *at;
    size_t length;
};

static struct expected expected_of(const struct section *s, size_t cut)
{
    size_t from = cut < s->length ? cut + sizeof SEPARATOR - 1 : s->length;
    struct expected e = {s->at + from, s->length - from};
    while (e.length > 1 && e.at[e.length - 1] == '\n' && e.at[e.length - 2] == '\n')
        e.length--;
    return e;
}

/* The file with the result in place of what this section expects. */
static void rewrite(const char *path, const struct text *file, const struct section *s, size_t cut,
                    const struct text *result)
{
    struct text fresh = {0};
    const char *end = s->at + s->length, *end_of_file = file->at + file->length;
    text_add(&fresh, file->at, (size_t)(s->at + cut - file->at));
    text_addz(&fresh, SEPARATOR);
    text_add(&fresh, result->at, result->length);
    text_addz(&fresh, end < end_of_file ? "\n" : "");
    text_add(&fresh, end, (size_t)(end_of_file - end));
    assert_null(file_write(path, fresh.at, fresh.length));
    text_free(&fresh);
}

static size_t find_separator(const struct section *s)
{
    const char *at = memmem(s->at, s->length, SEPARATOR, sizeof SEPARATOR - 1);
    return at ? (size_t)(at - s->at) : s->length;
}

static enum kind kind_of(const char *path)
{
    return strncmp(path, PARSE, sizeof PARSE - 1) == 0   ? PARSED
           : strncmp(path, LOWER, sizeof LOWER - 1) == 0 ? LOWERED
                                                         : SAID;
}

static void test_case(void **state)
{
    const struct test_case *c = *state;
    struct arena a = {0};
    struct text file = {.arena = &a}, result = {.arena = &a};
    struct job j;
    enum kind kind = kind_of(c->path);
    assert_null(file_read(c->path, FILE_MAX, &file));
    const struct section *s = &sections_of(&a, &file).at[c->section];
    size_t cut = find_separator(s);
    const char *where =
        arena_printf(&a, "%s:%u%s%s", c->path, s->line, s->name ? ": " : "", s->name ? s->name : "");
    job_begin(&j, c->path, s->at, cut);
    read_options(&j, s->at);
    make_result(&j, kind, &result);
    struct expected e = expected_of(s, cut);
    bool equal = e.length == result.length && (!e.length || memcmp(e.at, result.at, e.length) == 0);
    if (!equal && update)
        rewrite(c->path, &file, s, cut, &result);
    else if (!equal)
        fail_msg("%s: expected\n%.*s\nbut got\n%s", where, (int)e.length, e.at, result.at ? result.at : "");
    if (kind == SAID)
        expect_message(&j, where, message_of(c->path, s));
    job_end(&j);
    arena_free(&a);
}

/* By message: whether it has a case. */
static bool has_case[FE_MESSAGES];

static void test_coverage(void **state)
{
    unsigned missing = 0;
    UNUSED(state);
    for (unsigned i = 0; i < FE_MESSAGES; i++)
        if (!has_case[i])
            print_error("%s: the message has no case in " MESSAGES "\n", fe_message_info[i].id), missing++;
    assert_int_equal(missing, 0);
}

/* ---- examples of the reference ----------------------------------------------------------------------- */

struct example {
    const char *page, *text;
    size_t length;
    uint32_t line;
    bool broken;
};

static void test_example(void **state)
{
    const struct example *e = *state;
    struct job j;
    char name[64];
    snprintf(name, sizeof name, "%s:%u", e->page, e->line);
    job_begin(&j, name, e->text, e->length);
    ir_module_free(fe_compile(j.source, &j.d, &j.options));
    bool failed = j.d.errors > 0, said = j.d.all.count > 0;
    if (e->broken ? !failed : said) {
        diag_print(&j.d, stderr, false);
        fail_msg("%s: the example %s", name, e->broken ? "compiles" : "gets diagnostics");
    }
    job_end(&j);
}

/* ---- the Vim syntax file ----------------------------------------------------------------------------- */

static bool has_word(const char *text, const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += n)
        if (at > text && !strchr(letters, at[-1]) && !strchr(letters, at[n]))
            return true;
    return false;
}

static void test_vim(void **state)
{
    static const char *const keywords[] = {
#define FE_WORD(kind, text, meaning) text,
#include "frontend/ast/ast.def"
#define KEYWORD(text, token, value) text,
#include "frontend/parse/keywords.def"
    };
    static const char *const directives[] = {"launch", "buffer", "repeat", "show", "save",
                                             "round",  "null",   "file",   "as",   "hex"};
    struct text file = {0};
    UNUSED(state);
    assert_null(file_read(VIM, FILE_MAX, &file));
    for (size_t i = 0; i < COUNT(directives); i++)
        if (!has_word(file.at, directives[i]))
            fail_msg(VIM ": no word '%s' of directives", directives[i]);
    for (size_t i = 0; i < LAUNCH_FORMS; i++)
        if (!has_word(file.at, launch_forms[i].name))
            fail_msg(VIM ": no way '%s' to make a buffer", launch_forms[i].name);
    for (size_t i = 0; i < LAUNCH_CLAUSES; i++)
        if (!has_word(file.at, launch_clause_names[i]))
            fail_msg(VIM ": no clause '%s'", launch_clause_names[i]);
    for (size_t i = 0; i < COUNT(keywords); i++)
        if (!has_word(file.at, keywords[i]))
            fail_msg(VIM ": no word '%s'", keywords[i]);
    for (uint32_t i = 0; i < fe_builtin_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(fe_builtins[i].name, "."), fe_builtins[i].name);
        if (!has_word(file.at, name))
            fail_msg(VIM ": no word '%s'", name);
    }
    text_free(&file);
}

/* ---- collecting tests -------------------------------------------------------------------------------- */

typedef VEC(struct CMUnitTest) test_list;

static void add_test(struct arena *a, test_list *tests, const char *name, CMUnitTestFunction f, void *state)
{
    struct CMUnitTest t = {.name = name, .test_func = f, .initial_state = state};
    vec_push(a, tests, t);
}

static int is_source(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 5 && strcmp(d->d_name + n - 5, ".kern") == 0;
}

/* A test for each section. */
static void add_file(struct arena *a, test_list *tests, const char *path)
{
    struct text file = {.arena = a};
    if (file_read(path, FILE_MAX, &file)) {
        fprintf(stderr, "frontend: cannot read %s\n", path);
        exit(2);
    }
    section_list sections = sections_of(a, &file);
    for (uint32_t i = 0; i < sections.count; i++) {
        const struct section *s = &sections.at[i];
        struct test_case *c = arena_new(a, struct test_case);
        *c = (struct test_case){path, i};
        const struct fe_message_info *m = kind_of(path) == SAID ? message_of(path, s) : NULL;
        if (m)
            has_case[m - fe_message_info] = true;
        add_test(a, tests, s->name ? arena_printf(a, "%s: %s", path, s->name) : path, test_case, c);
    }
}

static void add_folder(struct arena *a, test_list *tests, const char *folder)
{
    struct dirent **found;
    int n = scandir(folder, &found, is_source, alphasort);
    for (int i = 0; i < n; i++) {
        add_file(a, tests, arena_printf(a, "%s/%s", folder, found[i]->d_name));
        free(found[i]);
    }
    free(found);
}

/* The fences of the page that begin with ```kern. */
static void add_examples(struct arena *a, test_list *tests, const char *page, const char *text)
{
    uint32_t line = 1;
    struct example *open = NULL;
    for (const char *at = text; *at; line++) {
        size_t n = strcspn(at, "\n");
        if (open && strncmp(at, "```", 3) == 0) {
            open->length = (size_t)(at - open->text);
            open = NULL;
        } else if (!open && strncmp(at, "```kern", 7) == 0) {
            open = arena_new(a, struct example);
            *open = (struct example){page, at + n + 1, 0, line + 1, strncmp(at, "```kern error", 13) == 0};
            add_test(a, tests, arena_printf(a, "%s:%u", page, line), test_example, open);
        }
        at += n + (at[n] == '\n');
    }
}

int main(int argc, char **argv)
{
    struct arena a = {0};
    struct text text[COUNT(pages)] = {0};
    test_list tests = {0};
    update = argc > 1 && strcmp(argv[1], "-u") == 0;
    if (argc > 1 + update) {
        for (int i = 1 + update; i < argc; i++)
            add_file(&a, &tests, argv[i]);
    } else {
        add_folder(&a, &tests, PARSE);
        add_folder(&a, &tests, LOWER);
        add_folder(&a, &tests, MESSAGES);
        add_test(&a, &tests, "every message has a case", test_coverage, NULL);
        add_test(&a, &tests, "large and deep sources", test_large, NULL);
        add_test(&a, &tests, "memory that runs out anywhere", test_memory, NULL);
        add_test(&a, &tests, "every word of other languages is answered", test_foreign, NULL);
        add_test(&a, &tests, "fix-its mend and come to an end", test_fixes, NULL);
        add_test(&a, &tests, "the Vim syntax file knows every word", test_vim, NULL);
        for (size_t i = 0; i < COUNT(pages); i++)
            if (!file_read(pages[i], FILE_MAX, &text[i]))
                add_examples(&a, &tests, pages[i], text[i].at);
    }
    int failed = _cmocka_run_group_tests("frontend", tests.at, tests.count, NULL, NULL);
    for (size_t i = 0; i < COUNT(pages); i++)
        text_free(&text[i]);
    arena_free(&a);
    return failed;
}
