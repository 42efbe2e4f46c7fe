/* docs_test.c: the tables of every reference page are those of the .def files. */
#include "test/tools/doc_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dirent.h>

static void test_tables_are_fresh(void **state)
{
    DIR *d = opendir("docs");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[512];
        size_t n = strlen(e->d_name);
        if (n < 3 || strcmp(e->d_name + n - 3, ".md") != 0)
            continue;
        snprintf(path, sizeof path, "docs/%s", e->d_name);
        if (!doc_page(path, true))
            fail_msg("%s is stale: run `make docs`", path);
    }
    closedir(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables_are_fresh)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
