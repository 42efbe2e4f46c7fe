/* source.c: a source text and where its lines begin. A text that ends in a newline has an empty last line,
 * the place of "unexpected end of file".
 */
#include "base/diag.h"

static void find_lines(struct arena *a, struct source *s)
{
    u32_vec starts = {0};
    vec_push(a, &starts, 0);
    for (size_t i = 0; i < s->length; i++)
        if (s->text[i] == '\n')
            vec_push(a, &starts, (uint32_t)(i + 1));
    s->lines = starts.at;
    s->line_count = starts.count;
}

struct source *source_new(struct arena *a, const char *name, const char *text, size_t length)
{
    if (length >= UINT32_MAX) /* offsets are 32 bits wide */
        mem_fail(length);
    struct source *s = arena_new(a, struct source);
    s->name = arena_strdup(a, name, strlen(name));
    s->text = arena_strdup(a, text, length);
    s->length = length;
    find_lines(a, s);
    return s;
}

const char *source_line(const struct source *s, uint32_t line, uint32_t *n)
{
    *n = 0;
    if (line == 0 || line > s->line_count)
        return "";
    uint32_t start = s->lines[line - 1];
    uint32_t end = line < s->line_count ? s->lines[line] - 1 : (uint32_t)s->length;
    if (end > start && s->text[end - 1] == '\r')
        end--;
    *n = end - start;
    return s->text + start;
}
