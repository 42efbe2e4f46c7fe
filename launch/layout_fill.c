/* layout_fill.c: bytes of structures from text: lists as C's initialisers have them, {1, {2, 3}, .m = 4},
 * and rows of tables. What no value is given for is 0.
 */
#include "launch/layout.h"
#include "launch/scan.h"

#include <stdlib.h>

struct filling {
    const char *at;
    struct arena *arena;
};

/* One more, all 0. */
static uint8_t *add_element(struct text *bytes, const struct layout *l)
{
    for (uint32_t i = 0; i < l->bytes; i++)
        text_char(bytes, '\0');
    return (uint8_t *)bytes->at + bytes->length - l->bytes;
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

static const char *store(const struct layout *l, struct launch_number n, uint8_t *to)
{
    if (l->kind == LAYOUT_POINTER)
        return n.is_float || n.i ? "a pointer in a structure can only be 0" : NULL;
    const char *why = launch_check_number(n, l->element);
    if (!why)
        launch_store_number(n, l->element, to);
    return why;
}

static const char *fill_number(struct filling *f, const struct layout *l, uint8_t *to)
{
    struct launch_number n;
    const char *why = launch_parse_number(&f->at, &n);
    return why ? why : store(l, n, to);
}

/* ---- lists ------------------------------------------------------------------------------------------- */

static bool is_number(const struct layout *l)
{
    return !l->counts.count && l->kind != LAYOUT_STRUCTURE && (l->kind == LAYOUT_POINTER || l->scalars == 1);
}

/* Part `*index` of an array, a vector or a structure, from where it lies in it; false: there are no more. Of
 * members that lie over each other, as a union's do, the next one is behind all that begin before `end`. */
static bool next_part(const struct layout *l, uint32_t *index, uint32_t end, struct layout *part)
{
    if (l->counts.count || l->kind == LAYOUT_NUMBER) {
        bool array = l->counts.count > 0;
        uint32_t count = array ? l->counts.at[0] : l->scalars;
        *part = *l;
        if (array)
            part->counts.at++, part->counts.count--;
        else
            part->bytes /= l->scalars, part->scalars = 1;
        part->offset = *index * (uint32_t)layout_bytes(part);
        return (*index)++ < count;
    }
    const struct layout *m = l->members;
    for (uint32_t i = 0; m && i < *index; i++)
        m = m->next;
    for (; m && m->offset < end; m = m->next)
        ++*index;
    if (m)
        *part = *m;
    ++*index;
    return m != NULL;
}

static const char *fill(struct filling *f, const struct layout *l, uint8_t *to);

/* .member[index] = value; positions go on behind the member, or element. */
static const char *fill_named(struct filling *f, const struct layout *l, uint8_t *to, uint32_t *index,
                              uint32_t *end)
{
    struct layout whole = *l, part;
    size_t n = strcspn(f->at, "=,}"), trimmed = n;
    while (trimmed && strchr(" \t\r\n", f->at[trimmed - 1]))
        trimmed--;
    const char *path = arena_strdup(f->arena, f->at, trimmed), *why;
    size_t name = strcspn(path + 1, ".[");
    f->at += n;
    if (!scan_mark(&f->at, '='))
        return "a part is given a value by '=': .member = 1";
    whole.offset = 0;
    why = layout_find(f->arena, &whole, path, &part);
    if (why)
        return why;
    *index = *path == '[' ? (uint32_t)strtoul(path + 1, NULL, 10) : 0;
    for (struct layout at; next_part(l, index, 0, &at);) {
        *end = at.offset + (uint32_t)layout_bytes(&at);
        if (*path == '[' || (strlen(at.name) == name && memcmp(path + 1, at.name, name) == 0))
            break;
    }
    return fill(f, &part, to + part.offset);
}

/* Takes the comma before another part of l. Without braces it belongs to what is around where there is none. */
static bool goes_on(struct filling *f, const struct layout *l, uint32_t index, uint32_t end, bool braced)
{
    struct filling before = *f;
    struct layout part;
    if ((!braced && !next_part(l, &index, end, &part)) || !scan_mark(&f->at, ','))
        return false;
    scan_blanks(&f->at);
    bool more = braced || !strchr("}.[", *f->at);
    if (!more)
        *f = before;
    return more;
}

/* The values of l's parts, between braces, or without them as many as there are. */
static const char *fill_parts(struct filling *f, const struct layout *l, uint8_t *to, bool braced)
{
    struct layout part;
    uint32_t index = 0, end = 0;
    const char *why = NULL;
    do {
        scan_blanks(&f->at);
        if (braced && *f->at == '}')
            break;
        if (braced && (*f->at == '.' || *f->at == '[')) {
            why = fill_named(f, l, to, &index, &end);
        } else if (next_part(l, &index, end, &part)) {
            end = part.offset + (uint32_t)layout_bytes(&part);
            why = fill(f, &part, to + part.offset);
        } else {
            why = "there are more values than it has room for";
        }
    } while (!why && goes_on(f, l, index, end, braced));
    return why;
}

static const char *fill(struct filling *f, const struct layout *l, uint8_t *to)
{
    bool braced = scan_mark(&f->at, '{');
    const char *why = is_number(l) ? fill_number(f, l, to) : fill_parts(f, l, to, braced);
    return why || !braced || scan_mark(&f->at, '}') ? why : "a list ends with '}'";
}

const char *layout_fill(struct arena *a, const struct layout *l, const char *text, size_t limit,
                        struct text *bytes)
{
    struct filling f = {text, a};
    const char *why = scan_mark(&f.at, '{') ? NULL : "a list is written {1, 2, 3}";
    for (bool more = true; !why && more && !scan_mark(&f.at, '}'); more = scan_mark(&f.at, ',')) {
        if (l->bytes > limit - bytes->length)
            return launch_too_large;
        why = fill(&f, l, add_element(bytes, l));
        if (!why && *(scan_blanks(&f.at), f.at) != ',' && *f.at != '}')
            why = "a list is written {1, 2, 3}";
        if (!why && scan_mark(&f.at, '}'))
            break;
    }
    scan_blanks(&f.at);
    if (!why && *f.at)
        why = "something follows the value";
    return why || bytes->length ? why : "a buffer needs at least one element";
}

/* ---- the text of what lies there --------------------------------------------------------------------- */

static void print(const struct layout *l, const uint8_t *bytes, struct text *out);

/* Of members that lie over each other, the largest tells all; named where it is not the first. */
static const struct layout *largest_of(const struct layout *first, const struct layout **behind)
{
    const struct layout *m = first, *largest = first;
    uint64_t end = first->offset + layout_bytes(first);
    for (; m && m->offset < end; m = m->next)
        if (layout_bytes(m) > layout_bytes(largest)) {
            largest = m;
            end = m->offset + layout_bytes(m);
        }
    *behind = m;
    return largest;
}

static void print_members(const struct layout *l, const uint8_t *bytes, struct text *out)
{
    for (const struct layout *m = l->members, *behind; m; m = behind) {
        const struct layout *largest = largest_of(m, &behind);
        text_addz(out, m == l->members ? "" : ", ");
        if (largest != m)
            text_printf(out, ".%s = ", largest->name);
        print(largest, bytes + largest->offset, out);
    }
}

static void print(const struct layout *l, const uint8_t *bytes, struct text *out)
{
    if (is_number(l) && l->kind == LAYOUT_POINTER) {
        text_char(out, '0');
    } else if (is_number(l)) {
        layout_print_number(l->element, bytes, out);
    } else {
        struct layout part;
        text_char(out, '{');
        if (!l->counts.count && l->kind == LAYOUT_STRUCTURE)
            print_members(l, bytes, out);
        else
            for (uint32_t i = 0; next_part(l, &i, 0, &part);) {
                text_addz(out, i > 1 ? ", " : "");
                print(&part, bytes + part.offset, out);
            }
        text_char(out, '}');
    }
}

void layout_print_list(const struct layout *l, const uint8_t *bytes, size_t count, struct text *out)
{
    text_char(out, '{');
    for (size_t i = 0; i < count; i++) {
        text_addz(out, i ? ", " : "");
        print(l, bytes + i * l->bytes, out);
    }
    text_char(out, '}');
}

/* ---- tables ------------------------------------------------------------------------------------------ */

struct columns {
    const struct layout_leaf **at;
    uint32_t count;
};

static bool ends_cell(char c)
{
    return c == '\0' || strchr(", \t\r\n", c) != NULL;
}

/* Behind blanks and one comma; true: the line ends there. */
static bool line_ends(struct filling *f, bool *comma)
{
    f->at += strspn(f->at, " \t\r");
    *comma = *f->at == ',';
    if (*comma)
        f->at += 1 + strspn(f->at + 1, " \t\r");
    return *f->at == '\n' || *f->at == '\0';
}

/* The first line, if it has names instead of numbers; otherwise columns are all the structure has. */
static const char *read_header(struct filling *f, const layout_leaves *leaves, struct columns *c)
{
    bool comma, names = (*f->at | 32) >= 'a' && (*f->at | 32) <= 'z' && strncmp(f->at, "inf", 3) != 0 &&
                        strncmp(f->at, "nan", 3) != 0 && strncmp(f->at, "true", 4) != 0 &&
                        strncmp(f->at, "false", 5) != 0;
    names = names || *f->at == '_';
    c->at = arena_array(f->arena, const struct layout_leaf *, leaves->count + 1);
    for (; !names && c->count < leaves->count; c->count++)
        c->at[c->count] = &leaves->at[c->count];
    for (bool more = names; more; more = !line_ends(f, &comma)) {
        size_t n = 0;
        const struct layout_leaf *leaf = NULL;
        while (!ends_cell(f->at[n]))
            n++;
        for (uint32_t i = 0; i < leaves->count; i++)
            if (strlen(leaves->at[i].name) == n && memcmp(leaves->at[i].name, f->at, n) == 0)
                leaf = &leaves->at[i];
        if (!leaf)
            return arena_printf(f->arena,
                                "there is no member '%.*s'; columns are called as in a saved file: %s, …",
                                (int)n, f->at, leaves->at[0].name);
        if (c->count == leaves->count)
            return "there are more columns than members";
        c->at[c->count++] = leaf;
        f->at += n;
    }
    return NULL;
}

static const char *read_row(struct filling *f, const struct columns *c, uint8_t *to)
{
    bool comma = false;
    for (uint32_t i = 0;; i++) {
        struct launch_number n;
        const char *why =
            i == c->count ? "there are more values than columns" : launch_parse_number(&f->at, &n);
        if (!why && !ends_cell(*f->at))
            why = "a number ends with a blank, a comma or the line";
        if (!why)
            why = store(&c->at[i]->layout, n, to + c->at[i]->layout.offset);
        if (why)
            return i < c->count ? arena_printf(f->arena, "%s: %s", c->at[i]->name, why) : why;
        if (line_ends(f, &comma))
            return i + 1 < c->count
                       ? arena_printf(f->arena, "there are %u values, and %u columns", i + 1, c->count)
                   : comma ? "a number is wanted behind the comma"
                           : NULL;
    }
}

const char *layout_read_rows(struct arena *a, const struct layout *l, const char *text, size_t limit,
                             struct text *bytes)
{
    layout_leaves leaves = layout_leaves_of(a, l);
    struct filling f = {text, a};
    struct columns c = {0};
    uint32_t line = 1;
    const char *why = NULL;
    for (bool begun = false; *f.at; line += *f.at == '\n', f.at += *f.at == '\n') {
        f.at += strspn(f.at, " \t\r");
        if (*f.at == '\n' || !*f.at)
            continue;
        bool header = !begun;
        if (header && (why = read_header(&f, &leaves, &c)))
            break;
        begun = true;
        if (header && (*f.at == '\n' || !*f.at))
            continue;
        if (l->bytes > limit - bytes->length)
            return launch_too_large;
        why = read_row(&f, &c, add_element(bytes, l));
        if (why)
            break;
    }
    return why ? arena_printf(a, "line %u: %s", line, why) : NULL;
}
