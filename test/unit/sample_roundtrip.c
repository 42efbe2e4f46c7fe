/* Every sample's module, after the front end and after every pass: printed, parsed and printed again it is
 * the same text, and it verifies.
 */
#include "base/base.h"
#include "base/scheme.h"
#include "frontend/frontend.h"
#include "opt/opt.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct arena arena;

static void check_identity(const struct ir_module *m, const char *file, const char *pass)
{
    struct text first = {0}, second = {0};
    struct diagnostics d;
    ir_print_module(m, &first);
    struct source *s = source_new(&arena, file, first.at, first.length);
    diag_init(&d, &arena, s);
    struct ir_module *again = ir_parse(s, &d);
    if (!again || !ir_verify(again, &d)) {
        diag_print(&d, stderr, false);
        fail_msg("%s after %s does not parse or verify", file, pass);
    }
    ir_print_module(again, &second);
    if (strcmp(first.at, second.at) != 0)
        fail_msg("%s after %s: the text differs when read again", file, pass);
    ir_module_free(again);
    text_free(&first);
    text_free(&second);
}

static void run_pass(struct ir_module *m, const char *file, const char *pass, const char *lowering)
{
    struct opt_options o;
    struct opt_report r;
    struct diagnostics d;
    diag_init(&d, &arena, NULL);
    opt_options_init(&o);
    o.passes = pass;
    o.lowering = lowering;
    o.verify_each = o.check_analyses = true;
    opt_report_init(&r);
    assert_true(opt_run(m, &o, &r, &d));
    opt_report_free(&r);
    check_identity(m, file, *pass ? pass : "lowering");
}

static void check_sample(const char *path)
{
    struct text t = {0};
    struct diagnostics d;
    assert_null(file_read(path, 1u << 24, &t));
    struct source *s = source_new(&arena, path, t.at, t.length);
    diag_init(&d, &arena, s);
    struct ir_module *m = fe_compile(s, &d, NULL);
    if (!m) {
        diag_print(&d, stderr, false);
        fail_msg("%s does not compile", path);
    }
    check_identity(m, path, "the front end");
    for (const char *at = opt_pipeline(OPT_LEVEL_DEFAULT); *at;) {
        size_t n = strcspn(at, ",");
        run_pass(m, path, arena_strdup(&arena, at, n), NULL);
        at += n + (at[n] == ',');
    }
    run_pass(m, path, "", scheme_info[SCHEME_pdom].lowering);
    ir_module_free(m);
    text_free(&t);
}

static void samples_survive_every_pass(void **state)
{
    UNUSED(state);
    unsigned count = 0;
    DIR *folder = opendir("samples");
    assert_non_null(folder);
    for (struct dirent *e; (e = readdir(folder));) {
        const char *ending = strrchr(e->d_name, '.');
        if (!ending || strcmp(ending, ".kern") != 0)
            continue;
        check_sample(arena_printf(&arena, "samples/%s", e->d_name));
        count++;
    }
    closedir(folder);
    assert_true(count >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_survive_every_pass),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
