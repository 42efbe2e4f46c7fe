/* messages.c: tables of messages and limits, and saying things to the user. */
#include "base/nearest.h"
#include "frontend/context.h"

#include <stdlib.h>

const struct fe_limits fe_default_limits = {
#define LIMIT(name, value, most, meaning) .name = value,
#include "frontend/limits.def"
};
const struct fe_limit_info fe_limit_info[FE_LIMITS] = {
#define LIMIT(name, value, most, meaning) {#name, meaning, value, most},
#include "frontend/limits.def"
};

enum { NOTE = DIAG_NOTE, WARNING = DIAG_WARNING, ERROR = DIAG_ERROR };
const struct fe_message_info fe_message_info[FE_MESSAGES] = {
#define MSG(id, severity, group, format) {#id, format, severity, DIAG_GROUP_##group},
#include "frontend/messages.def"
};

/* ---- options ------------------------------------------------------------------------------------ */

void fe_options_init(struct fe_options *o)
{
    *o = (struct fe_options){.limits = fe_default_limits};
}

const struct fe_limit_info *fe_limit_find(const char *name, size_t n)
{
    for (size_t i = 0; i < FE_LIMITS; i++)
        if (strlen(fe_limit_info[i].name) == n && memcmp(fe_limit_info[i].name, name, n) == 0)
            return &fe_limit_info[i];
    return NULL;
}

uint32_t *fe_options_limit(struct fe_options *o, const struct fe_limit_info *limit)
{
    return (uint32_t *)&o->limits + (limit - fe_limit_info);
}

/* ---- saying ------------------------------------------------------------------------------------- */

/* An error's own name: redefinition_of → redefinition-of. */
static const char *diagnostic_id(struct frontend *fe, const struct fe_message_info *m)
{
    if (m->severity == DIAG_WARNING)
        return diag_group_info[m->group].name;
    char *id = arena_strdup(fe->diags->arena, m->id, strlen(m->id));
    for (char *c = id; *c; c++)
        if (*c == '_')
            *c = '-';
    return id;
}

/* The note that the latest error waits for. */
static void give_instance(struct frontend *fe)
{
    if (!fe->instance.is_due)
        return;
    fe->instance.is_due = fe->muted = false;
    fe_note(fe, FE_MSG(in_instance), fe->instance.at, fe->instance.name, fe->instance.type);
}

/* Errors of what stands in the tree because what should be around it does not. */
static bool may_follow(enum fe_message id)
{
    static const enum fe_message rows[] = {
        FE_MSG_jump_outside_loop,
        FE_MSG_case_outside_switch,
        FE_MSG_uncaught_throw,
        FE_MSG_heart_place,
        FE_MSG_undefined_function,
        FE_MSG_launch_unsized,
        FE_MSG_launch_no_unsized,
        FE_MSG_launch_round,
        FE_MSG_launch_missing,
        FE_MSG_empty_structure,
        FE_MSG_define_unknown,
        FE_MSG_mixed_tokens,
        FE_MSG_method,
        FE_MSG_return_without_value,
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i] == id)
            return true;
    return false;
}

static bool is_muted(const struct frontend *fe, enum fe_message id, const struct fe_message_info *m,
                     span where)
{
    if (fe->in_host)
        return true;
    if (m->severity == DIAG_WARNING)
        return fe->is_repeating || fe->incomplete || fe->deferred.references.count ||
               !diag_is_on(fe->diags, m->group, where.at.line);
    return fe->incomplete && may_follow(id);
}

bool fe_report(struct frontend *fe, enum fe_message id, const char *format, span where, ...)
{
    const struct fe_message_info *m = &fe_message_info[id];
    bool muted = is_muted(fe, id, m, where);
    if (!muted)
        give_instance(fe);
    fe->muted = muted;
    if (muted)
        return false;
    fe->instance.is_due = m->severity == DIAG_ERROR && fe->instance.name;
    va_list args;
    va_start(args, where);
    diag_addv(fe->diags, m->severity, diagnostic_id(fe, m), where, format, args);
    va_end(args);
    return true;
}

void fe_note(struct frontend *fe, enum fe_message id, const char *format, span where, ...)
{
    if (fe->muted)
        return;
    va_list args;
    va_start(args, where);
    diag_addv(fe->diags, DIAG_NOTE, diagnostic_id(fe, &fe_message_info[id]), where, format, args);
    va_end(args);
}

void fe_end_instance(struct frontend *fe)
{
    give_instance(fe);
    fe->instance = (struct fe_instance_note){0};
}

void fe_fixit(struct frontend *fe, span where, const char *insert)
{
    if (!fe->muted)
        diag_fixit(fe->diags, where, insert);
}

uint32_t fe_latest(const struct frontend *fe)
{
    bool is_given = !fe->muted && !fe->diags->dropping && fe->diags->all.count;
    return is_given ? fe->diags->all.count - 1 : UINT32_MAX;
}

void fe_fix_also(struct frontend *fe, span where, const char *insert)
{
    if (!fe->muted)
        diag_fix_also(fe->diags, where, insert);
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

span fe_removal(const struct frontend *fe, span where)
{
    size_t n;
    const char *at = fe_span_text(fe, where, &n), *end = at + n;
    const char *first = at, *last = end; /* of the lines, without their blanks */
    while (where.at.column > 1 + (size_t)(at - first) && is_blank(first[-1]))
        first--;
    while (is_blank(*last))
        last++;
    bool begins = where.at.column == 1 + (size_t)(at - first);
    bool ends = *last == '\n' || *last == '\0' || (*last == '\r' && last[1] == '\n');
    if (begins && ends && *last) {
        where.at.column = 1;
        where.end = (place){where.end.line + 1, 1};
    } else if (ends) {
        where.at.column -= (uint32_t)(at - first);
        where.end.column += (uint32_t)(last - end);
    } else if (first != at || !is_word_byte(where.at.column > 1 ? at[-1] : ' ')) {
        where.end.column += (uint32_t)(last - end);
    }
    return where;
}

void fe_fix_removal(struct frontend *fe, span where)
{
    fe_fixit(fe, fe_removal(fe, where), "");
}

void fe_fix_slip(struct frontend *fe, span where, const char *word, const char *meant)
{
    if (nearest_is_slip(word, meant))
        fe_fixit(fe, where, meant);
}

/* ---- places and words ---------------------------------------------------------------------------- */

/* In the text of its line. */
static const char *text_at(const struct frontend *fe, place p)
{
    uint32_t n, column = p.column ? p.column - 1 : 0;
    const char *line = source_line(fe->source, p.line, &n);
    return line + (column < n ? column : n);
}

const char *fe_span_text(const struct frontend *fe, span s, size_t *length)
{
    const char *from = text_at(fe, s.at), *to = text_at(fe, s.end);
    bool known = s.at.line && s.end.line >= s.at.line && to > from;
    *length = known ? (size_t)(to - from) : 0;
    return from;
}

/* ---- what is in no tree -------------------------------------------------------------------------- */

void fe_excuse(struct frontend *fe, const char *name, size_t length)
{
    map_set(&fe->arena, &fe->excused.names, (uintptr_t)intern(&fe->strings, name, length), 1);
}

void fe_excuse_words(struct frontend *fe, span s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t n, length;
    const char *at = fe_span_text(fe, s, &n), *end = at + n;
    for (; at < end; at += length ? length : 1) {
        length = strspn(at, letters);
        length = length < (size_t)(end - at) ? length : (size_t)(end - at);
        if (length && *at > '9')
            fe_excuse(fe, at, length);
    }
}

bool fe_is_excused(const struct frontend *fe, const char *name)
{
    return fe->excused.all || map_get(&fe->excused.names, (uintptr_t)name) != MAP_NONE;
}
