/* npy_type.c: element types as NumPy's headers spell them: see npy.h. */
#include "launch/npy.h"

/* ---- of a layout ------------------------------------------------------------------------------------- */

/* One byte has no order. */
static void add_number(enum launch_element e, struct text *t)
{
    static const char kinds[] = {
        [LAUNCH_BOOL] = 'b',   [LAUNCH_CHAR] = 'i',  [LAUNCH_UCHAR] = 'u', [LAUNCH_SHORT] = 'i',
        [LAUNCH_USHORT] = 'u', [LAUNCH_INT] = 'i',   [LAUNCH_UINT] = 'u',  [LAUNCH_LONG] = 'i',
        [LAUNCH_ULONG] = 'u',  [LAUNCH_FLOAT] = 'f', [LAUNCH_DOUBLE] = 'f'};
    uint32_t bytes = launch_element_bytes(e);
    text_printf(t, "'%c%c%u'", bytes > 1 ? '<' : '|', kinds[e], bytes);
}

/* Whether each member lies behind the one before it: those of a union do not. */
static bool is_in_order(const struct layout *l)
{
    uint64_t end = 0;
    for (const struct layout *m = l->members; m; end = m->offset + layout_bytes(m), m = m->next)
        if (m->offset < end)
            return false;
    return true;
}

/* (2,) or (2, 3): the dimensions of an array; of vectors the scalars are the innermost. */
static void add_dimensions(const struct layout *l, struct text *t)
{
    uint32_t n = l->counts.count + (l->kind == LAYOUT_NUMBER && l->scalars > 1);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "%s%u", i ? ", " : ", (", i < l->counts.count ? l->counts.at[i] : l->scalars);
    if (n)
        text_addz(t, n == 1 ? ",)" : ")");
}

static void add_padding(uint64_t bytes, bool first, struct text *t)
{
    text_printf(t, "%s('', '|V%llu')", first ? "" : ", ", (unsigned long long)bytes);
}

static void add_type(const struct layout *l, struct text *t);

static void add_fields(const struct layout *l, struct text *t)
{
    uint64_t end = 0;
    text_char(t, '[');
    for (const struct layout *m = l->members; m; end = m->offset + layout_bytes(m), m = m->next) {
        if (m->offset > end)
            add_padding(m->offset - end, !end, t);
        text_printf(t, "%s('%s', ", m->offset ? ", " : "", m->name);
        add_type(m, t);
        add_dimensions(m, t);
        text_char(t, ')');
    }
    if (end < l->bytes)
        add_padding(l->bytes - end, false, t);
    text_char(t, ']');
}

static void add_type(const struct layout *l, struct text *t)
{
    if (l->kind == LAYOUT_NUMBER)
        add_number(l->element, t);
    else if (l->kind == LAYOUT_POINTER)
        add_number(LAUNCH_UINT, t);
    else if (l->kind == LAYOUT_STRUCTURE && is_in_order(l))
        add_fields(l, t);
    else
        text_printf(t, "'|V%u'", l->bytes);
}

const char *npy_type(struct arena *a, const struct layout *l)
{
    struct text t = {.arena = a};
    add_type(l, &t);
    return t.at;
}

/* ---- of a header ------------------------------------------------------------------------------------- */

struct reading {
    struct arena *arena;
    const char *at;
    uint32_t depth;
    struct text out;
};

bool npy_accept(const char **at, const char *word)
{
    size_t n = strlen(word);
    *at += strspn(*at, " \t\n");
    if (strncmp(*at, word, n) != 0)
        return false;
    *at += n;
    return true;
}

const char *npy_string(struct arena *a, const char **at)
{
    const char *quote = npy_accept(at, "'") ? "'" : npy_accept(at, "\"") ? "\"" : NULL;
    size_t n = quote ? strcspn(*at, quote) : 0;
    if (!quote || !(*at)[n])
        return NULL;
    const char *s = arena_strdup(a, *at, n);
    *at += n + 1;
    return s;
}

/* An order that is the host's, or means nothing, as npy_type has it. */
static bool read_name_of_type(struct reading *r)
{
    const char *s = npy_string(r->arena, &r->at);
    bool ordered = s && *s && strchr("<=>", *s), byte = ordered && s[1] && strcmp(s + 2, "1") == 0;
    if (s && ordered)
        text_printf(&r->out, "'%c%s'", byte ? '|' : *s == '=' ? '<' : *s, s + 1);
    else if (s)
        text_printf(&r->out, "'%s'", s);
    return s;
}

/* What stands up to the parenthesis that ends it, without blanks but behind commas. */
static bool read_dimensions(struct reading *r)
{
    static const char digits[] = "0123456789";
    if (!npy_accept(&r->at, "("))
        return false;
    text_addz(&r->out, ", (");
    for (bool first = true; !npy_accept(&r->at, ")"); first = false) {
        size_t n = strspn(r->at, digits);
        if (!n)
            return false;
        text_printf(&r->out, "%s%.*s", first ? "" : " ", (int)n, r->at);
        r->at += n;
        bool comma = npy_accept(&r->at, ",");
        r->at += strspn(r->at, " \t\n");
        if (!comma && *r->at != ')')
            return false;
        if (comma && (first || *r->at != ')'))
            text_char(&r->out, ',');
    }
    text_char(&r->out, ')');
    return true;
}

/* A name, or in parentheses a title and a name. */
static const char *read_name(struct reading *r)
{
    if (!npy_accept(&r->at, "("))
        return npy_string(r->arena, &r->at);
    bool title = npy_string(r->arena, &r->at) && npy_accept(&r->at, ",");
    const char *name = title ? npy_string(r->arena, &r->at) : NULL;
    return name && npy_accept(&r->at, ")") ? name : NULL;
}

static bool read_type(struct reading *r);

/* (name, type) or (name, type, dimensions) */
static bool read_field(struct reading *r)
{
    const char *name = npy_accept(&r->at, "(") ? read_name(r) : NULL;
    if (!name || !npy_accept(&r->at, ","))
        return false;
    text_printf(&r->out, "('%s', ", name);
    if (!read_type(r))
        return false;
    if (npy_accept(&r->at, ",") && *(r->at + strspn(r->at, " \t\n")) == '(' && !read_dimensions(r))
        return false;
    text_char(&r->out, ')');
    return npy_accept(&r->at, ")");
}

static bool read_type(struct reading *r)
{
    if (!npy_accept(&r->at, "["))
        return read_name_of_type(r);
    if (r->depth++ == LAYOUT_MAX_DEPTH)
        return false;
    text_char(&r->out, '[');
    for (bool first = true; !npy_accept(&r->at, "]"); first = false) {
        text_addz(&r->out, first ? "" : ", ");
        if (!read_field(r) || (!npy_accept(&r->at, ",") && *(r->at + strspn(r->at, " \t\n")) != ']'))
            return false;
    }
    text_char(&r->out, ']');
    r->depth--;
    return true;
}

const char *npy_read_type(struct arena *a, const char **at)
{
    struct reading r = {.arena = a, .at = *at, .out = {.arena = a}};
    bool good = read_type(&r);
    *at = r.at;
    return good ? r.out.at : NULL;
}
