/* sections.c: see sections.h. */
#include "test/sections.h"

/* The name behind the mark that the line begins with, up to the line's end; NULL: it begins none. */
static const char *name_in(const char *line, const char *end)
{
    static const char *const marks[] = {"// ==== ", "; ==== ", "# ==== "};
    for (size_t i = 0; i < COUNT(marks); i++) {
        size_t n = strlen(marks[i]);
        if ((size_t)(end - line) > n && memcmp(line, marks[i], n) == 0)
            return line + n;
    }
    return NULL;
}

section_list sections_of(struct arena *a, const struct text *file)
{
    section_list all = {0};
    const char *end = file->at + file->length, *next;
    uint32_t line = 1;
    for (const char *at = file->at; at < end; at = next, line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *last = newline ? newline : end;
        const char *name = name_in(at, last);
        next = newline ? newline + 1 : end;
        if (!name)
            continue;
        if (all.count)
            vec_last(&all).length = (size_t)(at - vec_last(&all).at);
        struct section s = {arena_strdup(a, name, (size_t)(last - name)), next, (size_t)(end - next),
                            line + 1};
        vec_push(a, &all, s);
    }
    if (!all.count)
        vec_push(a, &all, ((struct section){NULL, file->at, file->length, 1}));
    return all;
}
