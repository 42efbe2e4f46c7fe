/* json.h: JSON text read into a tree. */
#ifndef KERNC_JSON_H
#define KERNC_JSON_H

#include "base/base.h"

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* A value. Its members or elements are a list in the order of the text; `count` is their number. A string's
 * text is its UTF-8, NUL-terminated; a number's is as it was written. */
struct json {
    enum json_kind kind;
    uint32_t count;
    const char *name; /* of a member; NULL: it is none */
    const char *text;
    size_t length; /* of text, in bytes */
    const struct json *first, *next;
};

/* Deepest nesting that is read. */
#define JSON_MAX_DEPTH 64

/* The one value that n bytes of text are, in the arena; the text may go. NULL: it is no JSON, and *why says
 * (in the arena) where not. */
const struct json *json_read(struct arena *a, const char *text, size_t n, const char **why);
/* An object's member; NULL: `o` is no object, or has none of this name. */
const struct json *json_member(const struct json *o, const char *name);
/* A number without sign, point or exponent, at most `max`. False: it is none; *value stays. */
bool json_unsigned(const struct json *j, uint64_t max, uint64_t *value);

#endif
