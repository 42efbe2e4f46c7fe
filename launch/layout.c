/* layout.c: reads the text form of layouts, and finds parts of them. */
#include "launch/layout.h"

struct reading {
    const char *at;
    struct arena *arena;
    uint32_t depth;
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (is_word(at[n]))
        n++;
    return n;
}

static bool take_mark(struct reading *r, char c)
{
    bool there = *r->at == c;
    r->at += there;
    return there;
}

static bool take_number(struct reading *r, uint32_t *n)
{
    uint64_t x = 0;
    const char *at = r->at;
    for (; *at >= '0' && *at <= '9' && x <= UINT32_MAX; at++)
        x = 10 * x + (uint64_t)(*at - '0');
    bool good = at > r->at && x <= UINT32_MAX;
    *n = (uint32_t)x;
    r->at = at;
    return good;
}

/* ---- the text form ----------------------------------------------------------------------------------- */

static const char no_element[] = "a layout has an element of unknown type";
static const char no_member[] = "a layout's member is not written name:type@offset";
static const char no_end[] = "a layout's structure does not end with its size";
static const char outside[] = "a layout's member lies outside its structure";
static const char too_deep[] = "a layout has too many structures inside each other";

/* "float", "float3", "pointer" */
static const char *read_element(struct reading *r, struct layout *l)
{
    size_t n = word_length(r->at);
    bool is_vector = n > 1 && r->at[n - 1] >= '2' && r->at[n - 1] <= '0' + LAUNCH_VECTOR_MAX;
    char name[16] = "";
    if (n >= sizeof name)
        return no_element;
    memcpy(name, r->at, n - is_vector);
    r->at += n;
    l->scalars = is_vector ? (uint32_t)(r->at[-1] - '0') : 1;
    l->kind = strcmp(name, "pointer") == 0 ? LAYOUT_POINTER : LAYOUT_NUMBER;
    l->bytes = 4;
    if (l->kind == LAYOUT_POINTER)
        return is_vector ? no_element : NULL;
    for (int e = LAUNCH_BOOL; e <= LAUNCH_DOUBLE; e++)
        if (strcmp(launch_element_name((enum launch_element)e), name) == 0)
            l->element = (enum launch_element)e;
    l->bytes = l->scalars * launch_element_bytes(l->element);
    return l->element ? NULL : no_element;
}

static const char *read_structure(struct reading *r, struct layout *l);

static const char *read_member(struct reading *r, struct layout *m)
{
    size_t n = word_length(r->at);
    uint32_t count;
    m->name = arena_strdup(r->arena, r->at, n);
    r->at += n;
    if (n == 0 || !take_mark(r, ':'))
        return no_member;
    const char *why = *r->at == '{' ? read_structure(r, m) : read_element(r, m);
    while (!why && take_mark(r, '[')) {
        if (!take_number(r, &count) || !count || !take_mark(r, ']'))
            return no_member;
        vec_push(r->arena, &m->counts, count);
    }
    if (!why && (!take_mark(r, '@') || !take_number(r, &m->offset)))
        return no_member;
    return why;
}

uint64_t layout_bytes(const struct layout *l)
{
    uint64_t bytes = l->bytes;
    for (uint32_t i = 0; i < l->counts.count; i++)
        if (__builtin_mul_overflow(bytes, l->counts.at[i], &bytes))
            return UINT64_MAX;
    return bytes;
}

static const char *read_structure(struct reading *r, struct layout *l)
{
    struct layout **to = &l->members;
    l->kind = LAYOUT_STRUCTURE;
    if (r->depth++ == LAYOUT_MAX_DEPTH)
        return too_deep;
    do {
        r->at++; /* the brace, a comma */
        *to = arena_new(r->arena, struct layout);
        const char *why = read_member(r, *to);
        if (why)
            return why;
        to = &(*to)->next;
    } while (*r->at == ',');
    if (!take_mark(r, '}') || !take_number(r, &l->bytes))
        return no_end;
    for (const struct layout *m = l->members; m; m = m->next)
        if (m->offset > l->bytes || layout_bytes(m) > l->bytes - m->offset)
            return outside;
    r->depth--;
    return NULL;
}

const char *layout_parse(struct arena *a, const char *text, struct layout *l)
{
    struct reading r = {text, a, 0};
    *l = (struct layout){0};
    if (*text != '{')
        return no_element;
    if (strlen(text) > LAYOUT_MAX_TEXT)
        return "a layout's text is too long";
    const char *why = read_structure(&r, l);
    return why || !*r.at ? why : "there is more in a layout's text than a structure";
}

bool layout_is_good(const char *text, uint32_t bytes)
{
    struct scratch scratch;
    struct layout l;
    if (!text)
        return true;
    bool good = !layout_parse(scratch_begin(&scratch), text, &l) && l.bytes == bytes;
    scratch_end(&scratch);
    return good;
}

struct layout layout_of(struct arena *a, enum launch_element e, uint32_t bytes, const char *text)
{
    struct layout l = {.bytes = bytes ? bytes : 1, .kind = LAYOUT_UNKNOWN};
    if (e != LAUNCH_BYTES)
        l = (struct layout){
            .kind = LAYOUT_NUMBER, .element = e, .scalars = launch_scalars(e, bytes), .bytes = bytes};
    else if (text)
        INVARIANT(!layout_parse(a, text, &l));
    return l;
}

/* ---- parts ------------------------------------------------------------------------------------------- */

static const char *list_members(struct arena *a, const struct layout *l)
{
    struct text names = {.arena = a};
    for (const struct layout *m = l->members; m; m = m->next)
        text_printf(&names, "%s%s", m == l->members ? "" : ", ", m->name);
    return names.at;
}

/* An element of a vector. */
static bool find_scalar(const char *name, size_t n, struct layout *l)
{
    const char *at = n == 1 ? strchr("xyzw", *name) : NULL;
    uint32_t k = at ? (uint32_t)(at - "xyzw") : UINT32_MAX;
    if (l->kind != LAYOUT_NUMBER || l->scalars < 2 || k >= l->scalars)
        return false;
    l->bytes /= l->scalars;
    l->offset += k * l->bytes;
    l->scalars = 1;
    return true;
}

static const char *find_member(struct arena *a, const char *name, size_t n, struct layout *l)
{
    uint32_t before = l->offset;
    if (l->counts.count)
        return arena_printf(a, "'.%.*s' of an array: which element? [index]", (int)n, name);
    if (find_scalar(name, n, l))
        return NULL;
    for (const struct layout *m = l->members; m; m = m->next)
        if (strlen(m->name) == n && memcmp(m->name, name, n) == 0) {
            *l = *m;
            l->offset += before;
            return NULL;
        }
    if (l->kind == LAYOUT_STRUCTURE)
        return arena_printf(a, "there is no member '%.*s'; there are: %s", (int)n, name, list_members(a, l));
    return arena_printf(a, "there is no member '%.*s': this is no structure", (int)n, name);
}

static const char *find_element(struct arena *a, uint32_t index, struct layout *l)
{
    if (!l->counts.count)
        return arena_printf(a, "[%u] of what is no array", index);
    if (index >= l->counts.at[0])
        return arena_printf(a, "[%u] of an array of %u elements", index, l->counts.at[0]);
    uint32_t all = (uint32_t)(layout_bytes(l) / l->counts.at[0]);
    l->offset += index * all;
    l->counts.at++;
    l->counts.count--;
    return NULL;
}

const char *layout_find(struct arena *a, const struct layout *whole, const char *path, struct layout *part)
{
    struct reading r = {.at = path};
    const char *why = NULL;
    uint32_t index;
    *part = *whole;
    while (!why && *r.at) {
        if (take_mark(&r, '[')) {
            if (!take_number(&r, &index) || !take_mark(&r, ']'))
                return "an index is written [number]";
            why = find_element(a, index, part);
        } else if (take_mark(&r, '.') && word_length(r.at)) {
            size_t n = word_length(r.at);
            why = find_member(a, r.at, n, part);
            r.at += n;
        } else {
            return "a part is written .member or [index]";
        }
    }
    return why;
}

static const struct layout *member_at(const struct layout *l, uint32_t offset)
{
    const struct layout *m = l->kind == LAYOUT_STRUCTURE ? l->members : NULL;
    while (m && (offset < m->offset || offset - m->offset >= layout_bytes(m)))
        m = m->next;
    return m;
}

const char *layout_path(struct arena *a, const struct layout *whole, uint32_t offset)
{
    const struct layout *l = whole;
    const char *path = "";
    for (const struct layout *m; (m = member_at(l, offset)); l = m) {
        uint64_t bytes = layout_bytes(m), at = offset - m->offset;
        path = arena_printf(a, "%s.%s", path, m->name);
        for (uint32_t i = 0; i < m->counts.count; i++) {
            bytes /= m->counts.at[i];
            path = arena_printf(a, "%s[%u]", path, (uint32_t)(at / bytes));
            at %= bytes;
        }
        offset = (uint32_t)at;
    }
    if (l->kind == LAYOUT_NUMBER && l->scalars > 1)
        path = arena_printf(a, "%s.%c", path, "xyzw"[offset / (l->bytes / l->scalars)]);
    return path;
}
