/* source.c: source texts and where their lines begin. A text that ends in a newline has an empty last line, the
 * place of "unexpected end of file".
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

/* ---- files of a program ---------------------------------------------------------------------------- */

struct source *source_include(struct arena *a, struct source *whole, const char *name, const char *text,
                              size_t length)
{
    const struct source *last = whole->included.count ? vec_last(&whole->included) : whole;
    struct source *s = source_new(a, name, text, length);
    if (s->line_count >= UINT32_MAX / 2 - last->before - last->line_count)
        return NULL;
    s->before = last->before + last->line_count;
    vec_push(a, &whole->included, s);
    return s;
}

const struct source *source_of(const struct source *whole, uint32_t *line)
{
    uint32_t low = 0, high = whole->included.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (whole->included.at[middle]->before < *line)
            low = middle + 1;
        else
            high = middle;
    }
    const struct source *s = low ? whole->included.at[low - 1] : whole;
    *line -= s->before;
    return s;
}

const struct source *source_named(const struct source *whole, const char *name)
{
    for (uint32_t i = 0; i < whole->included.count; i++)
        if (strcmp(whole->included.at[i]->name, name) == 0)
            return whole->included.at[i];
    return strcmp(whole->name, name) == 0 ? whole : NULL;
}

static const char *own_line(const struct source *s, uint32_t line, uint32_t *n)
{
    if (line == 0 || line > s->line_count)
        return "";
    uint32_t start = s->lines[line - 1];
    uint32_t end = line < s->line_count ? s->lines[line] - 1 : (uint32_t)s->length;
    if (end > start && s->text[end - 1] == '\r')
        end--;
    *n = end - start;
    return s->text + start;
}

const char *source_line(const struct source *whole, uint32_t line, uint32_t *n)
{
    *n = 0;
    const struct source *s = source_of(whole, &line);
    return own_line(s, line, n);
}

uint64_t source_hash(const struct source *whole)
{
    uint64_t hash = hash_bytes(whole->text, whole->length);
    for (uint32_t i = 0; i < whole->included.count; i++) {
        const struct source *s = whole->included.at[i];
        hash = hash_mix(hash, hash_bytes(s->text, s->length));
    }
    return hash;
}

/* ---- files of a compiled program -------------------------------------------------------------------- */

static void add_name(struct text *names, const char *name)
{
    for (; *name; name++)
        text_char(names, *name == '\n' ? '?' : *name);
}

void source_names(const struct source *whole, struct text *names)
{
    add_name(names, whole->name);
    for (uint32_t i = 0; i < whole->included.count; i++) {
        text_printf(names, "\n%u ", whole->included.at[i]->before);
        add_name(names, whole->included.at[i]->name);
    }
}

/* `at` is behind the newline: the number and the name behind it. False: it is no such entry. */
static bool read_entry(const char *at, uint32_t *before, const char **name)
{
    uint64_t n = 0;
    size_t digits = strspn(at, "0123456789");
    for (size_t i = 0; i < digits && n <= UINT32_MAX; i++)
        n = n * 10 + (uint64_t)(at[i] - '0');
    *before = (uint32_t)n;
    *name = at + digits + 1;
    return digits && at[digits] == ' ' && n <= UINT32_MAX;
}

const char *source_names_find(const char *names, uint32_t *line, size_t *n)
{
    const char *found = names;
    uint32_t found_before = 0;
    for (const char *at = strchr(names, '\n'); at; at = strchr(at, '\n')) {
        uint32_t before;
        const char *name;
        at++;
        if (!read_entry(at, &before, &name) || before >= *line)
            break;
        found = name, found_before = before;
    }
    *line -= found_before;
    *n = strcspn(found, "\n");
    return found;
}
