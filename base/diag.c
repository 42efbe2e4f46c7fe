/* diag.c: collecting diagnostics, and showing them as JSON. (diag_render.c shows them to people.)
 *
 * Invariant: the notes of a diagnostic follow it directly. A diagnostic that is dropped (warnings off,
 * too many errors) takes its notes and fix-its with it.
 */
#include "base/diag.h"

#define DEFAULT_ERROR_LIMIT 20

const struct diag_group_info diag_group_info[DIAG_GROUPS] = {
#define GROUP(name, is_on, meaning) {#name, meaning, is_on},
#include "base/groups.def"
};

void diag_init(struct diagnostics *d, struct arena *a, const struct source *s)
{
    *d = (struct diagnostics){.arena = a, .source = s};
    for (unsigned g = 0; g < DIAG_GROUPS; g++)
        d->groups |= (uint32_t)diag_group_info[g].is_on << g;
}

bool diag_set_groups(struct diagnostics *d, const char *text)
{
    bool off = strncmp(text, "no-", 3) == 0;
    const char *name = off ? text + 3 : text;
    uint32_t found = 0;
    for (unsigned g = DIAG_GROUP_none + 1; g < DIAG_GROUPS; g++)
        if (strcmp(name, diag_group_info[g].name) == 0 || strcmp(name, "all") == 0)
            found |= 1u << g;
    d->groups = off ? d->groups & ~found : d->groups | found;
    return found != 0;
}

/* ---- collecting --------------------------------------------------------------------------------- */

static void append(struct diagnostics *d, struct diagnostic fresh)
{
    fresh.parent = UINT32_MAX;
    if (fresh.severity == DIAG_NOTE && d->all.count) {
        uint32_t previous = d->all.count - 1, parent = d->all.at[previous].parent;
        fresh.parent = parent != UINT32_MAX ? parent : previous;
    }
    vec_push(d->arena, &d->all, fresh);
}

static void stop(struct diagnostics *d)
{
    d->stopped = true;
    append(d, (struct diagnostic){
                  .severity = DIAG_ERROR, .id = "too-many-errors", .text = "too many errors, stopping"});
}

/* Whether a diagnostic of this severity is wanted; the first error beyond the limit stops the rest. */
static bool admit(struct diagnostics *d, enum diag_severity severity)
{
    uint32_t limit = d->error_limit ? d->error_limit : DEFAULT_ERROR_LIMIT;
    if (severity == DIAG_NOTE)
        return !d->dropping;
    if (severity == DIAG_ERROR && d->errors >= limit && !d->stopped)
        stop(d);
    d->dropping = d->stopped || (severity == DIAG_WARNING && d->warnings_off);
    return !d->dropping;
}

void diag_ignore(struct diagnostics *d, struct diag_ignore ignore)
{
    vec_push(d->arena, &d->ignored, ignore);
    for (uint32_t i = d->ignored.count - 1; i && d->ignored.at[i - 1].line > ignore.line; i--) {
        d->ignored.at[i] = d->ignored.at[i - 1];
        d->ignored.at[i - 1] = ignore;
    }
}

bool diag_is_ignored(const struct diagnostics *d, const char *id, uint32_t line)
{
    uint32_t low = 0, high = d->ignored.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (d->ignored.at[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < d->ignored.count && d->ignored.at[low].line == line; low++)
        if (strcmp(d->ignored.at[low].id, id) == 0)
            return true;
    return false;
}

void diag_addv(struct diagnostics *d, enum diag_severity s, const char *id, span where, const char *fmt,
               va_list ap)
{
    bool promoted = s == DIAG_WARNING && d->warnings_are_errors && !d->warnings_off;
    if (promoted)
        s = DIAG_ERROR;
    if (!admit(d, s))
        return;
    d->dropping = s == DIAG_REMARK && diag_is_ignored(d, id, where.at.line);
    if (d->dropping)
        return;
    append(d, (struct diagnostic){.severity = s,
                                  .id = id,
                                  .where = where,
                                  .promoted = promoted,
                                  .text = arena_vprintf(d->arena, fmt, ap)});
    d->errors += s == DIAG_ERROR;
    d->warnings += s == DIAG_WARNING;
}

void diag_add(struct diagnostics *d, enum diag_severity s, const char *id, span where, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_addv(d, s, id, where, fmt, ap);
    va_end(ap);
}

bool diag_is_on(const struct diagnostics *d, enum diag_group group, uint32_t line)
{
    return d->groups >> group & 1 && !diag_is_ignored(d, diag_group_info[group].name, line);
}

void diag_warn(struct diagnostics *d, enum diag_group group, span where, const char *fmt, ...)
{
    va_list ap;
    d->dropping = !diag_is_on(d, group, where.at.line);
    if (d->dropping)
        return;
    va_start(ap, fmt);
    diag_addv(d, DIAG_WARNING, diag_group_info[group].name, where, fmt, ap);
    va_end(ap);
}

void diag_drop(struct diagnostics *d, uint32_t from)
{
    for (uint32_t i = from; i < d->all.count; i++) {
        d->errors -= d->all.at[i].severity == DIAG_ERROR;
        d->warnings -= d->all.at[i].severity == DIAG_WARNING;
    }
    d->all.count = from;
    d->stopped = d->dropping = false;
}

static struct diag_fix edit_of(struct diagnostics *d, span where, const char *insert)
{
    if (where.end.line == 0)
        where.end = where.at;
    return (struct diag_fix){where, arena_strdup(d->arena, insert, strlen(insert))};
}

void diag_fixit(struct diagnostics *d, span where, const char *insert)
{
    if (d->dropping || !d->all.count)
        return;
    vec_last(&d->all).fix = edit_of(d, where, insert);
    vec_last(&d->all).has_fix = true;
}

void diag_fix_later(struct diagnostics *d, uint32_t which, span where, const char *insert)
{
    struct diagnostic *g = &d->all.at[which];
    struct diag_fix f = edit_of(d, where, insert);
    if (g->has_fix)
        vec_push(d->arena, &g->also, f);
    else
        g->fix = f;
    g->has_fix = true;
}

void diag_fix_also(struct diagnostics *d, span where, const char *insert)
{
    if (!d->dropping && d->all.count)
        diag_fix_later(d, d->all.count - 1, where, insert);
}

/* ---- JSON --------------------------------------------------------------------------------------- */

const char *diag_severity_name(enum diag_severity s)
{
    static const char *const names[] = {"note", "remark", "warning", "error"};
    return names[s];
}

static void json_string(struct text *t, const char *key, const char *value)
{
    text_printf(t, "\"%s\":", key);
    text_json(t, value, strlen(value));
    text_char(t, ',');
}

/* A span without an end covers one byte; nowhere stays all zeros. */
static void json_span(struct text *t, const struct source *whole, span s)
{
    place end = s.end;
    if (end.line == 0)
        end = (place){s.at.line, s.at.line ? s.at.column + 1 : 0};
    if (whole) {
        source_of(whole, &s.at.line);
        source_of(whole, &end.line);
    }
    text_printf(t, "\"line\":%u,\"column\":%u,", s.at.line, s.at.column);
    text_printf(t, "\"endLine\":%u,\"endColumn\":%u,", end.line, end.column);
}

const char *diag_file(const struct diagnostics *d, uint32_t *line)
{
    return d->source && (*line || !d->of_options) ? source_of(d->source, line)->name : NULL;
}

/* The same of an edit. */
static void json_edit(struct text *t, const struct diagnostics *d, const struct diag_fix *f)
{
    text_char(t, '{');
    json_span(t, d->source, f->where);
    json_string(t, "insert", f->insert);
}

/* The object without its closing brace, ending in a comma. */
static void json_open(struct text *t, const struct diagnostics *d, const struct diagnostic *g)
{
    text_char(t, '{');
    json_string(t, "severity", diag_severity_name(g->severity));
    json_string(t, "id", g->id ? g->id : "");
    uint32_t line = g->where.at.line;
    const char *file = diag_file(d, &line);
    json_string(t, "file", file ? file : "");
    json_span(t, d->source, g->where);
    json_string(t, "message", g->text);
    if (!g->has_fix)
        return;
    text_addz(t, "\"fix\":");
    json_edit(t, d, &g->fix);
    for (uint32_t i = 0; i < g->also.count; i++) {
        text_addz(t, i ? "," : "\"also\":[");
        json_edit(t, d, &g->also.at[i]);
        t->at[t->length - 1] = '}';
    }
    if (g->also.count)
        text_addz(t, "],");
    t->at[t->length - 1] = '}';
    text_char(t, ',');
}

/* The diagnostic at i with its notes; returns the index after them. */
static uint32_t json_family(struct text *t, const struct diagnostics *d, uint32_t i)
{
    const char *separator = "";
    json_open(t, d, &d->all.at[i]);
    text_addz(t, "\"notes\":[");
    for (i++; i < d->all.count && d->all.at[i].parent != UINT32_MAX; i++) {
        text_addz(t, separator);
        json_open(t, d, &d->all.at[i]);
        t->at[t->length - 1] = '}';
        separator = ",";
    }
    text_addz(t, "]}");
    return i;
}

void diag_json_text(const struct diagnostics *d, struct text *t)
{
    text_char(t, '[');
    for (uint32_t i = 0; i < d->all.count;) {
        text_addz(t, i ? ",\n " : "");
        i = json_family(t, d, i);
    }
    text_addz(t, "]\n");
}
