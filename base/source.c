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

/* The file in which the line stands; *line becomes the number of the line there. */
static struct source *physical(const struct source *whole, uint32_t *line)
{
    uint32_t low = 0, high = whole->included.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (whole->included.at[middle]->before < *line)
            low = middle + 1;
        else
            high = middle;
    }
    struct source *s = low ? whole->included.at[low - 1] : (struct source *)(uintptr_t)whole;
    *line -= s->before;
    return s;
}

/* The last marker before the line; NULL: none. */
static const struct source_marker *marker_of(const struct source *s, uint32_t line)
{
    uint32_t low = 0, high = s->markers.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->markers.at[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &s->markers.at[low - 1] : NULL;
}

void source_mark(struct arena *a, struct source *whole, uint32_t line, uint32_t shown, const char *name)
{
    struct source *s = physical(whole, &line);
    const struct source *as = s->markers.count ? vec_last(&s->markers).as : NULL;
    name = name ? name : as ? as->name : s->name;
    if (!as || strcmp(as->name, name) != 0) {
        struct source *other = arena_new(a, struct source);
        other->name = arena_strdup(a, name, strlen(name));
        other->text = "";
        other->line_count = UINT32_MAX;
        as = other;
    }
    vec_push(a, &s->markers, ((struct source_marker){line, shown, as}));
}

const struct source *source_of(const struct source *whole, uint32_t *line)
{
    const struct source *s = physical(whole, line);
    const struct source_marker *m = *line ? marker_of(s, *line) : NULL;
    if (!m)
        return s;
    *line = m->shown + (*line - m->line - 1);
    *line += *line == 0; /* 0 would be no line; what begins there is the preprocessor's own */
    return m->as;
}

/* Of one file on its own. */
static bool whole_line_in(const struct source *s, const char *name, uint32_t *line)
{
    for (uint32_t i = 0; i <= s->markers.count; i++) {
        const struct source_marker *m = i ? &s->markers.at[i - 1] : NULL;
        uint32_t end = i < s->markers.count ? s->markers.at[i].line - 1 : s->line_count;
        uint32_t from = m ? m->line : 0, shown = m ? m->shown : 1;
        bool same = strcmp(m ? m->as->name : s->name, name) == 0;
        if (same && *line == 0)
            return true;
        if (same && *line >= shown && *line - shown < end - from && end > from) {
            *line = s->before + from + 1 + (*line - shown);
            return true;
        }
    }
    return false;
}

bool source_whole_line(const struct source *whole, const char *name, uint32_t *line)
{
    for (uint32_t i = 0; i < whole->included.count; i++)
        if (whole_line_in(whole->included.at[i], name, line))
            return true;
    return whole_line_in(whole, name, line);
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
    const struct source *s = physical(whole, &line);
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

static void add_range(struct text *names, uint32_t before, uint32_t shown, const char *name)
{
    text_printf(names, "\n%u ", before);
    if (shown != 1 || *name == '=')
        text_printf(names, "=%u ", shown);
    add_name(names, name);
}

static void add_markers(struct text *names, const struct source *s)
{
    for (uint32_t i = 0; i < s->markers.count; i++) {
        const struct source_marker *m = &s->markers.at[i];
        bool last = i + 1 == s->markers.count || s->markers.at[i + 1].line > m->line + 1;
        if (last) /* else no line is between them */
            add_range(names, s->before + m->line, m->shown, m->as->name);
    }
}

void source_names(const struct source *whole, struct text *names)
{
    add_name(names, whole->name);
    add_markers(names, whole);
    for (uint32_t i = 0; i < whole->included.count; i++) {
        add_range(names, whole->included.at[i]->before, 1, whole->included.at[i]->name);
        add_markers(names, whole->included.at[i]);
    }
}

/* Digits that fit; false: there are none. */
static bool read_digits(const char **at, uint32_t *n)
{
    size_t digits = strspn(*at, "0123456789");
    uint64_t value = 0;
    for (size_t i = 0; i < digits && value <= UINT32_MAX; i++)
        value = value * 10 + (uint64_t)((*at)[i] - '0');
    *at += digits;
    *n = (uint32_t)value;
    return digits && value <= UINT32_MAX;
}

/* `at` is behind the newline. False: it is no such entry. */
static bool read_entry(const char *at, uint32_t *before, uint32_t *shown, const char **name)
{
    *shown = 1;
    if (!read_digits(&at, before) || *at != ' ')
        return false;
    at++;
    if (*at == '=' && (at++, !read_digits(&at, shown) || *at++ != ' '))
        return false;
    *name = at;
    return true;
}

const char *source_names_find(const char *names, uint32_t *line, size_t *n)
{
    const char *found = names;
    uint32_t found_before = 0, found_shown = 1;
    for (const char *at = strchr(names, '\n'); at; at = strchr(at, '\n')) {
        uint32_t before, shown;
        const char *name;
        at++;
        if (!read_entry(at, &before, &shown, &name) || before >= *line)
            break;
        found = name, found_before = before, found_shown = shown;
    }
    if (*line)
        *line = *line - found_before - 1 + found_shown;
    *n = strcspn(found, "\n");
    return found;
}
