/* profile.c: see profile.h. */
#include "lib/profile.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>

enum { PLACE = 3 }; /* line, column, lanes */

const char *profile_hash(const struct source *s, char buffer[PROFILE_HASH])
{
    snprintf(buffer, PROFILE_HASH, "%016" PRIx64, source_hash(s));
    return buffer;
}

static bool refuse(kernc_result *r, const kernc_options *o, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(kernc_result *r, const kernc_options *o, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_add(&r->diagnostics, DIAG_ERROR, "profile", (span){0}, "the profile %s %s", o->profile_name,
             arena_vprintf(&r->arena, fmt, args));
    va_end(args);
    return false;
}

static const char *text_of(const struct json *j)
{
    return j && j->kind == JSON_STRING ? j->text : NULL;
}

/* Whether it is one of this source. */
static bool check_source(kernc_result *r, const kernc_options *o, const struct json *whole)
{
    char hash[PROFILE_HASH];
    const char *kernel = text_of(json_member(whole, "kernel")),
               *scheme = text_of(json_member(whole, "scheme"));
    const struct json *source = json_member(whole, "source");
    if (!kernel || !scheme || !source || !json_member(whole, "places"))
        return refuse(r, o, "is none: kernc run FILE.kern --stats-json=%s makes one", o->profile_name);
    if (source->kind == JSON_NULL)
        return refuse(r, o, "is of a compiled program: profile the run of the source, kernc run %s",
                      r->source->name);
    profile_hash(r->source, hash);
    if (!text_of(source) || strcmp(text_of(source), hash) != 0)
        return refuse(
            r, o,
            "is of another source than this one, or of another state of it (its kernel was %s): make "
            "it anew, kernc run %s --stats-json=%s",
            kernel, r->source->name, o->profile_name);
    enum scheme counted = scheme_find(scheme);
    if (counted < SCHEMES && scheme_info[counted].target == TARGET_warp_core)
        return refuse(r, o,
                      "is of a run on the warp-core machine, which counts no blocks: take another --scheme");
    return true;
}

static bool read_place(const struct json *j, struct opt_place_count *p)
{
    uint64_t n[PLACE];
    const struct json *at = j->kind == JSON_ARRAY && j->count == PLACE ? j->first : NULL;
    for (int i = 0; i < PLACE; i++, at = at->next)
        if (!at || !json_unsigned(at, i + 1 < PLACE ? UINT32_MAX : UINT64_MAX >> 1, &n[i]))
            return false;
    *p = (struct opt_place_count){{(uint32_t)n[0], (uint32_t)n[1]}, n[2]};
    return n[0] > 0;
}

static bool in_order(struct opt_place_count a, struct opt_place_count b)
{
    return a.at.line < b.at.line || (a.at.line == b.at.line && a.at.column <= b.at.column);
}

static bool read_places(kernc_result *r, const kernc_options *o, const struct json *list,
                        struct opt_options *opt)
{
    struct opt_place_count p;
    if (list->kind != JSON_ARRAY)
        return refuse(r, o, "has no list of places");
    uint32_t number = 0;
    for (const struct json *j = list->first; j; j = j->next, number++) {
        if (!read_place(j, &p))
            return refuse(r, o, "is damaged: places[%u] is not [line, column, lanes]", number);
        if (opt->profile.count && !in_order(vec_last(&opt->profile), p))
            return refuse(r, o, "is damaged: places[%u] is not in order", number);
        vec_push(&r->arena, &opt->profile, p);
    }
    return true;
}

bool profile_take(kernc_result *r, const kernc_options *o, struct opt_options *opt)
{
    struct scratch scratch;
    const char *why;
    if (!o->profile)
        return true;
    const struct json *whole = json_read(scratch_begin(&scratch), o->profile, o->profile_length, &why);
    bool good = whole ? check_source(r, o, whole) && read_places(r, o, json_member(whole, "places"), opt)
                      : refuse(r, o, "is no JSON: %s", why);
    scratch_end(&scratch);
    return good;
}
