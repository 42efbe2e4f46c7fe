/* fix_test.c: see foreign_test.h. Fix-its of the sources in test/mistakes, test/frontend/messages and test/cli:
 * applied round by round they come to an end; what was mended is not said there again, and where something was
 * mended no error of a kind stands that the source had not.
 */
#include "test/frontend/foreign_test.h"

#include "frontend/context.h"
#include "test/sections.h"

#include <cmocka.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#define MOST_ROUNDS 20

static void compile(struct arena *a, struct diagnostics *d, const char *name, const struct text *text)
{
    struct fe_options options;
    struct source *s = source_new(a, name, text->at, text->length);
    fe_options_init(&options);
    diag_init(d, a, s);
    d->error_limit = 1000;
    ir_module_free(fe_compile(s, d, &options));
}

static bool has_error(const struct diagnostics *d, const char *id)
{
    for (uint32_t i = 0; i < d->all.count; i++)
        if (d->all.at[i].severity == DIAG_ERROR && strcmp(d->all.at[i].id, id) == 0)
            return true;
    return false;
}

static bool is_same(const struct diagnostic *a, const struct diagnostic *b)
{
    return a->severity == b->severity && strcmp(a->id, b->id) == 0 && strcmp(a->text, b->text) == 0;
}

/* How many of those listed (NULL: of all) say the same. */
static uint32_t count_same(const struct diagnostics *d, const u32_vec *list, const struct diagnostic *as)
{
    uint32_t count = 0, n = list ? list->count : d->all.count;
    for (uint32_t i = 0; i < n; i++)
        count += is_same(&d->all.at[list ? list->at[i] : i], as);
    return count;
}

static bool is_at(const struct diagnostics *d, const struct diagnostic *as)
{
    for (uint32_t i = 0; i < d->all.count; i++) {
        place at = d->all.at[i].where.at;
        if (is_same(&d->all.at[i], as) && at.line == as->where.at.line && at.column == as->where.at.column)
            return true;
    }
    return false;
}

/* What was mended is not said there again. */
static void check_mended(const struct diagnostics *before, const u32_vec *applied,
                         const struct diagnostics *after)
{
    for (uint32_t i = 0; i < applied->count; i++) {
        const struct diagnostic *g = &before->all.at[applied->at[i]];
        uint32_t left = count_same(before, NULL, g) - count_same(before, applied, g);
        if (count_same(after, NULL, g) > left && is_at(after, g))
            fail_msg("%s:%u: still said after its fix-it: %s", before->source->name, g->where.at.line,
                     g->text);
    }
}

/* The lines that a round has changed: of the new text, those that the old one has not in this place. */
static bool is_changed(const struct diagnostics *before, const struct diagnostics *after, uint32_t line)
{
    uint32_t n, m;
    const char *x = source_line(after->source, line, &n);
    for (uint32_t i = 1; i <= before->source->line_count; i++) {
        const char *y = source_line(before->source, i, &m);
        if (n == m && memcmp(x, y, n) == 0)
            return false;
    }
    return true;
}

static void check_round(const struct diagnostics *before, const struct diagnostics *after)
{
    for (uint32_t i = 0; i < after->all.count; i++) {
        const struct diagnostic *g = &after->all.at[i];
        uint32_t line = g->where.at.line;
        bool is_fresh = g->severity == DIAG_ERROR && !has_error(before, g->id) && line &&
                        source_of(after->source, &line) == after->source && is_changed(before, after, line);
        if (is_fresh)
            fail_msg("%s:%u: after its fix-its: %s", after->source->name, line, g->text);
    }
}

static void check_source(const char *name, const struct text *text)
{
    struct arena a = {0};
    struct diagnostics before, after;
    compile(&a, &before, name, text);
    for (int round = 0;; round++, before = after) {
        struct text mended = {.arena = &a};
        u32_vec applied = {0};
        diag_apply_fixes(&before, &mended, &applied);
        if (!applied.count)
            break;
        if (round == MOST_ROUNDS)
            fail_msg("%s: its fix-its come to no end", name);
        compile(&a, &after, name, &mended);
        check_mended(&before, &applied, &after);
        check_round(&before, &after);
    }
    arena_free(&a);
}

/* How many sources it holds. */
static unsigned check_file(const char *path)
{
    struct arena a = {0};
    struct text text = {.arena = &a};
    assert_null(file_read(path, 1 << 22, &text));
    section_list sections = sections_of(&a, &text);
    for (uint32_t i = 0; i < sections.count; i++) {
        const struct section *s = &sections.at[i];
        struct text source = {.arena = &a};
        text_add(&source, s->at, s->length);
        check_source(s->name ? arena_printf(&a, "%s: %s", path, s->name) : path, &source);
    }
    arena_free(&a);
    return sections.count;
}

static unsigned check_folder(const char *folder)
{
    DIR *d = opendir(folder);
    unsigned count = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        const char *dot = strrchr(e->d_name, '.');
        struct arena a = {0};
        bool is_source =
            dot && (strcmp(dot, ".kern") == 0 || strcmp(dot, ".cu") == 0 || strcmp(dot, ".cl") == 0);
        if (is_source)
            count += check_file(arena_printf(&a, "%s/%s", folder, e->d_name));
        arena_free(&a);
    }
    closedir(d);
    return count;
}

void test_fixes(void **state)
{
    UNUSED(state);
    assert_true(check_folder("test/mistakes") > 100);
    assert_true(check_folder("test/frontend/messages") > 200);
    assert_true(check_folder("test/cli/inputs/fix") == 4);
}
