/* golden_test.c: passes on small modules. test/opt/PASS/NAME.kir holds a module, a line "; RUN: passes"
 * and, below a line "; ----", the module after those passes, and the remarks as comments.
 *
 * Each file is run with verification after each pass and with the kept analyses checked; the result's text
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
#define SEPARATOR "\n; ----\n"
#define FILE_MAX  ((size_t)1 << 20)

static bool update;

struct golden { struct text file; size_t input; char passes[256]; };

static void golden_read(struct golden *g, const char *path)
{
    *g = (struct golden){0};
    const char *wrong = file_read(path, FILE_MAX, &g->file);
    if (wrong)
        fail_msg("%s: %s", path, wrong);
    const char *cut = strstr(g->file.at, SEPARATOR), *run = strstr(g->file.at, "; RUN: ");
    g->input = cut ? (size_t)(cut - g->file.at) + 1 : g->file.length;
    if (!run || sscanf(run, "; RUN: %255s", g->passes) != 1)
        fail_msg("%s: no '; RUN: passes' line", path);
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
        text_printf(out, "; %s %s: %s: %s\n", opt_pass_info[m->pass].name, m->kind == OPT_APPLIED ? "applied" : "missed",
                    m->id, m->text);
    }
}

static void optimize(struct golden *g, const char *path, struct text *out)
{
    struct ir_module *m = parse(path, g->file.at, g->input);
    struct opt_options o;
    struct opt_report r;
    struct arena a = {0};
    struct diagnostics d;
    opt_options_init(&o);
    opt_report_init(&r);
    diag_init(&d, &a, NULL);
    o.passes = g->passes;
    o.verify_each = o.check_analyses = o.remarks = true;
    if (!opt_run(m, &o, &r, &d)) {
        diag_print(&d, stderr, false);
        fail_msg("%s: wrong options", path);
    }
    ir_print_module(m, out);
    struct ir_module *again = parse(path, out->at, out->length);
    struct text second = {0};
    ir_print_module(again, &second);
    assert_string_equal(out->at, second.at);
    add_remarks(&r, out);
    text_free(&second);
    ir_module_free(again);
    ir_module_free(m);
    opt_report_free(&r);
    arena_free(&a);
}

static void check_file(void **state)
{
    const char *path = *state;
    struct golden g;
    struct text out = {0}, whole = {0};
    golden_read(&g, path);
    optimize(&g, path, &out);
    text_add(&whole, g.file.at, g.input);
    text_addz(&whole, SEPARATOR + 1);
    text_add(&whole, out.at, out.length);
    if (update && strcmp(whole.at, g.file.at) != 0)
        assert_null(file_write(path, whole.at, whole.length));
    else if (!update)
        assert_string_equal(whole.at, g.file.at);
    text_free(&out);
    text_free(&whole);
    text_free(&g.file);
}

/* ---- which files -------------------------------------------------------------------------------------------- */

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
    if (at == argc)
        add_folder(ROOT);
    for (; at < argc; at++)
        add_test(argv[at]);
    return _cmocka_run_group_tests("opt", tests.at, tests.count, NULL, NULL);
}
