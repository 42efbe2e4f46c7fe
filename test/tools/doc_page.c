/* doc_page.c: puts the tables of a reference page in their places.
 *
 * Between the lines "<!-- table: NAME -->" and "<!-- end -->" the table of that name is
 * put; all else stays. A new table is a function that writes it and a row in `doc_tables`.
 */
#include "base/base.h"

#include "test/tools/doc_tables.h"

#include <stdio.h>

#define PAGE_MAX (8u << 20)

static const char open_mark[] = "<!-- table: ", close_mark[] = "<!-- end -->";

static const struct doc_table *find_table(const char *name, size_t n)
{
    for (const struct doc_table *t = doc_tables; t->name; t++)
        if (strlen(t->name) == n && memcmp(t->name, name, n) == 0)
            return t;
    return NULL;
}

/* The end of the line that begins at s, behind its newline. */
static const char *line_end(const char *s)
{
    const char *end = strchr(s, '\n');
    return end ? end + 1 : s + strlen(s);
}

/* Copies from the marker line to its end marker with the table between; behind the end marker's line, or
 * NULL. */
static const char *replace_table(const char *marker, struct text *out)
{
    const char *name = marker + strlen(open_mark), *body = line_end(marker), *end = strstr(body, close_mark);
    const struct doc_table *t = find_table(name, strcspn(name, " "));
    if (!t || !end) {
        fprintf(stderr, "%.*s: %s\n", (int)strcspn(name, "\n"), name,
                t ? "the end is missing" : "no such table");
        return NULL;
    }
    text_add(out, marker, (size_t)(body - marker));
    t->write(out);
    text_add(out, end, (size_t)(line_end(end) - end));
    return line_end(end);
}

static bool generate(const char *page, struct text *out)
{
    while (*page) {
        const char *end = line_end(page);
        if (strncmp(page, open_mark, strlen(open_mark)) == 0)
            end = replace_table(page, out);
        else
            text_add(out, page, (size_t)(end - page));
        if (!end)
            return false;
        page = end;
    }
    return true;
}

static bool same(const struct text *a, const struct text *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->at, b->at, a->length) == 0);
}

bool doc_page(const char *path, bool check)
{
    struct text old = {0}, fresh = {0};
    const char *problem = file_read(path, PAGE_MAX, &old);
    bool fine = !problem && generate(old.at ? old.at : "", &fresh);
    if (fine && !same(&old, &fresh)) {
        problem = check ? "its tables are stale: run `make docs`" : file_write(path, fresh.at, fresh.length);
        fine = !problem;
    }
    if (problem)
        fprintf(stderr, "%s: %s\n", path, problem);
    text_free(&old);
    text_free(&fresh);
    return fine;
}
