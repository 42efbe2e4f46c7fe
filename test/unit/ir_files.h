/* ir_files.h: reading .kir files for the tests of the text form and the verifier. */
#ifndef KERNC_TEST_IR_FILES_H
#define KERNC_TEST_IR_FILES_H

#include "ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dirent.h>

/* A text read as a module, with what was said about it; the diagnostics live in `arena`. */
struct reading {
    struct arena arena;
    struct diagnostics diagnostics;
    struct ir_module *module;
};

static inline void reading_start(struct reading *r, const char *name, const char *text, size_t n)
{
    arena_init(&r->arena);
    struct source *s = source_new(&r->arena, name, text, n);
    diag_init(&r->diagnostics, &r->arena, s);
    r->module = ir_parse(s, &r->diagnostics);
}

static inline void reading_end(struct reading *r)
{
    ir_module_free(r->module);
    arena_free(&r->arena);
}

static inline const char *reading_first_id(const struct reading *r)
{
    return r->diagnostics.all.count ? r->diagnostics.all.at[0].id : "no error";
}

static inline struct text file_text(const char *path)
{
    struct text t = {0};
    const char *problem = file_read(path, 64u << 20, &t);
    if (problem)
        fail_msg("%s: %s", path, problem);
    return t;
}

/* Calls visit for each .kir file of a folder; the number of files. */
static inline unsigned each_file(const char *folder, void (*visit)(const char *path, void *data), void *data)
{
    unsigned count = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        char path[512];
        if (n < 4 || strcmp(e->d_name + n - 4, ".kir") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        visit(path, data);
        count++;
    }
    closedir(d);
    return count;
}

#endif
