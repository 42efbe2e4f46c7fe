/* docs_test.c: the tables of every reference page are those of the .def files, and the files that pages name
 * are there.
 */
#include "test/tools/doc_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dirent.h>
#include <unistd.h>

static void each_page(void (*visit)(const char *path))
{
    DIR *d = opendir("docs");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[512];
        size_t n = strlen(e->d_name);
        if (n < 3 || strcmp(e->d_name + n - 3, ".md") != 0)
            continue;
        snprintf(path, sizeof path, "docs/%s", e->d_name);
        visit(path);
    }
    closedir(d);
}

static void check_tables(const char *path)
{
    if (!doc_page(path, true))
        fail_msg("%s is stale: run `make docs`", path);
}

static void test_tables_are_fresh(void **state)
{
    each_page(check_tables);
}

/* Begins with a folder of the project, and is spelled out. */
static bool is_path(const char *name)
{
    static const char *const folders[] = {
        "base/", "ir/",     "frontend/", "opt/",     "backend/", "runtime/", "lib/",
        "fuzz/", "driver/", "include/",  "samples/", "test/",    "docs/",    "share/",
    };
    for (size_t i = 0; i < COUNT(folders); i++)
        if (strncmp(name, folders[i], strlen(folders[i])) == 0)
            return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-./")] == 0;
    return false;
}

/* On the page about convergence, the examples of the document stand by their file names alone. */
static bool is_example(const char *page, const char *name)
{
    const char *dot = strrchr(name, '.');
    return strcmp(page, "docs/convergence.md") == 0 && dot && !strchr(name, '/') &&
           (strcmp(dot, ".kern") == 0 || strcmp(dot, ".kir") == 0 || strcmp(dot, ".test") == 0);
}

static void check_name(const char *page, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", is_example(page, name) ? "test/convergence/" : "", name);
    if ((is_path(name) || is_example(page, name)) && access(path, F_OK))
        fail_msg("%s names %s, which is not there", page, path);
}

/* What stands between backquotes on one line. */
static void check_names(const char *page)
{
    struct text file = {0};
    char name[256];
    assert_null(file_read(page, 1u << 24, &file));
    for (const char *at = file.at; (at = strchr(at, '`'));) {
        size_t n = strcspn(++at, "`\n");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        if (n > 0 && at[n] == '`')
            check_name(page, name);
        at += n + (at[n] == '`');
    }
    text_free(&file);
}

static void test_files_are_there(void **state)
{
    each_page(check_names);
    check_names("README.md");
    check_names("CONTRIBUTING.md");
    check_names("test/README.md");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables_are_fresh),
                                       cmocka_unit_test(test_files_are_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
