/* golden_test.c: passes on small modules. test/opt/PASS/NAME.kir holds a module, a line
 * "; RUN: passes [--scheme=NAME] [-foption]…" and, below a line "; ----", the module after those passes, and
 * the remarks as comments. So do the blocks marked `kir` of docs/passes.md, whose table of passes is checked as
 * well.
 *
 * Each is run with verification after each pass and with the kept analyses checked; the result's text
 * has to read back as the same text. `golden_test -u [FILE…]` rewrites the files.
 */
#include "opt/opt.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define ROOT      "test/opt"
#define DOCUMENT  "docs/passes.md"
#define SEPARATOR "\n; ----\n"
#define FILE_MAX  ((size_t)1 << 20)

static bool update;

/* A golden text: a file's, or a block's of the document. `brief`: without the module's own line. */
struct golden {
    const char *path, *text;
    size_t length, input;
    char passes[512];
    bool brief;
};

static struct golden golden_of(const char *path, const char *text, size_t n, bool brief)
{
    struct golden g = {.path = path, .text = text, .length = n};
    const char *cut = memmem(text, n, SEPARATOR, sizeof SEPARATOR - 1), *run = memmem(text, n, "; RUN: ", 7);
    g.input = cut ? (size_t)(cut - text) + 1 : n;
    g.brief = brief && !memmem(text, g.input, "\nmodule ", 8);
    if (!run || sscanf(run, "; RUN: %511[^\n]", g.passes) != 1)
        fail_msg("%s: no '; RUN: passes' line", path);
    return g;
}

static struct ir_module *parse(const char *path, const char *text, size_t n)
{
    struct arena a = {0};
    struct diagnostics d;
    struct source *s = source_new(&a, path, text, n);
    diag_init(&d, &a, s);
    struct ir_module *m = ir_parse(s, &d);
    if (!m || !ir_verify(m, &d)) {
        diag_print(&d, stderr, false);
        fail_msg("%s is no module", path);
    }
    arena_free(&a);
    return m;
}

static void add_remarks(const struct opt_report *r, struct text *out)
{
    for (uint32_t i = 0; i < r->remarks.count; i++) {
        const struct opt_remark *m = &r->remarks.at[i];
        text_printf(out, "; %s %s: %s: %s\n", opt_pass_info[m->pass].name,
                    m->kind == OPT_APPLIED ? "applied" : "missed", m->id, m->text);
    }
}

static void print_result(const struct golden *g, const struct ir_module *m, struct text *out)
{
    if (!g->brief) {
        ir_print_module(m, out);
        return;
    }
    for (uint32_t i = 0; i < m->functions.count; i++)
        ir_print_function(m->functions.at[i], out, NULL);
}

/* The whole golden text as it should be. */
static void optimize(struct golden *g, struct text *whole)
{
    struct ir_module *m = parse(g->path, g->text, g->input);
    struct text out = {0};
    struct opt_options o;
    struct opt_report r;
    struct arena a = {0};
    struct diagnostics d;
    opt_options_init(&o);
    opt_report_init(&r);
    diag_init(&d, &a, NULL);
    o.passes = g->passes;
    for (char *at = strchr(g->passes, ' '); at; at = strchr(at, ' ')) {
        char option[64];
        *at++ = '\0';
        if (sscanf(at, "--scheme=%63s", option) == 1 && scheme_find(option) < SCHEMES)
            o.properties = scheme_info[scheme_find(option)].properties;
        else if (sscanf(at, "-f%63s", option) != 1 || opt_options_set(&o, &a, option))
            fail_msg("%s: wrong option at '%s'", g->path, at);
    }
    o.verify_each = o.check_analyses = o.remarks = true;
    if (!opt_run(m, &o, &r, &d)) {
        diag_print(&d, stderr, false);
        fail_msg("%s: wrong options", g->path);
    }
    print_result(g, m, &out);
    struct ir_module *again = parse(g->path, out.at, out.length);
    struct text second = {0};
    print_result(g, again, &second);
    assert_string_equal(out.at, second.at);
    add_remarks(&r, &out);
    text_add(whole, g->text, g->input);
    text_addz(whole, SEPARATOR + 1);
    text_add(whole, out.at, out.length);
    text_free(&out);
    text_free(&second);
    ir_module_free(again);
    ir_module_free(m);
    opt_report_free(&r);
    arena_free(&a);
}

static void compare(const char *path, const struct text *now, const struct text *wanted)
{
    if (update && strcmp(now->at, wanted->at) != 0)
        assert_null(file_write(path, wanted->at, wanted->length));
    else if (!update)
        assert_string_equal(wanted->at, now->at);
}

static void check_file(void **state)
{
    struct text file = {0}, whole = {0};
    assert_null(file_read(*state, FILE_MAX, &file));
    struct golden g = golden_of(*state, file.at, file.length, false);
    optimize(&g, &whole);
    compare(*state, &file, &whole);
    text_free(&whole);
    text_free(&file);
}

/* ---- the document ------------------------------------------------------------------------------------ */

#define BLOCK_START "```kir\n"
#define TABLE_START "<!-- passes -->\n"
#define ORDER_START "<!-- pass order -->\n"
#define TABLE_END   "<!-- end -->\n"

static void pass_table(struct text *out)
{
    text_addz(out, TABLE_START "| pass | level | does | keeps |\n| --- | --- | --- | --- |\n");
    for (unsigned p = 0; p < OPT_PASSES; p++)
        if (opt_pass_info[p].level)
            text_printf(out, "| `%s` | -O%u | %s | %s |\n", opt_pass_info[p].name, opt_pass_info[p].level,
                        opt_pass_info[p].meaning,
                        opt_pass_info[p].graph == KEEPS_GRAPH ? "the graph" : "nothing");
    for (unsigned level = 1; level <= OPT_LEVEL_DEFAULT; level++)
        text_printf(out, "\n`-O%u`: `%s`\n", level, opt_pipeline(level));
    text_addz(out, TABLE_END);
}

static void order_table(struct text *out)
{
    text_addz(out, ORDER_START "| pass | stands before | since |\n| --- | --- | --- |\n");
    for (unsigned i = 0; i < OPT_ORDERS; i++) {
        const struct opt_order *o = &opt_orders[i];
        text_printf(out, "| `%s` | `%s` | %s%s |\n", opt_pass_info[o->before].name,
                    opt_pass_info[o->after].name, o->reason, o->needed ? "" : " (makes more of it)");
    }
    text_addz(out, TABLE_END);
}

static bool begins(const char *line, const char *text)
{
    return strncmp(line, text, strlen(text)) == 0;
}

/* Copies the document with its tables and the results of its examples made anew. */
static void check_document(void **state)
{
    struct text file = {0}, wanted = {0};
    assert_null(file_read(DOCUMENT, FILE_MAX, &file));
    const char *at = file.at;
    for (const char *line = at; *line; line = strchrnul(line, '\n'), line += *line == '\n') {
        bool passes = begins(line, TABLE_START), table = passes || begins(line, ORDER_START);
        if (!table && !begins(line, BLOCK_START))
            continue;
        const char *body = strchr(line, '\n') + 1, *stop = strstr(body, table ? TABLE_END : "```\n");
        assert_non_null(stop);
        text_add(&wanted, at, (size_t)((table ? line : body) - at));
        if (table) {
            (passes ? pass_table : order_table)(&wanted);
        } else {
            struct golden g = golden_of(DOCUMENT, body, (size_t)(stop - body), true);
            optimize(&g, &wanted);
        }
        at = line = table ? stop + sizeof TABLE_END - 1 : stop;
    }
    text_addz(&wanted, at);
    compare(DOCUMENT, &file, &wanted);
    text_free(&wanted);
    text_free(&file);
}

/* ---- which files ------------------------------------------------------------------------------------- */

static struct arena names;
static VEC(struct CMUnitTest) tests;

static void add_test(const char *path)
{
    char *kept = arena_strdup(&names, path, strlen(path));
    vec_push(&names, &tests, ((struct CMUnitTest){kept, check_file, NULL, NULL, kept}));
}

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static void add_folder(const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, visible, alphasort);
    for (int i = 0; i < n; i++) {
        char *path = arena_printf(&names, "%s/%s", folder, entries[i]->d_name);
        size_t length = strlen(path);
        if (length > 4 && strcmp(path + length - 4, ".kir") == 0)
            add_test(path);
        else if (!strchr(entries[i]->d_name, '.'))
            add_folder(path);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

int main(int argc, char **argv)
{
    int at = 1;
    if (at < argc && strcmp(argv[at], "-u") == 0) {
        update = true;
        at++;
    }
    if (at == argc) {
        add_folder(ROOT);
        vec_push(&names, &tests, ((struct CMUnitTest){DOCUMENT, check_document, NULL, NULL, NULL}));
    }
    for (; at < argc; at++)
        add_test(argv[at]);
    return _cmocka_run_group_tests("opt", tests.at, tests.count, NULL, NULL);
}
