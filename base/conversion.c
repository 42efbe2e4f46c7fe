/* conversion.c: see conversion.h. */
#include "base/conversion.h"

#include <string.h>

/* The letters by what they take; `wide` is an l or ll before the letter, of which floats take no notice. */
static enum conversion_operand operand_of(char letter, bool wide)
{
    if (strchr("diuxXoc", letter))
        return wide ? CONVERSION_LONG : CONVERSION_INT;
    if (strchr("fFeEgGaA", letter))
        return CONVERSION_DOUBLE;
    return CONVERSION_POINTER;
}

static const char *skip(const char *at, const char *end, const char *set)
{
    while (at < end && *at && strchr(set, *at))
        at++;
    return at;
}

/* A number, or a *, which *stars counts. */
static const char *skip_number(const char *at, const char *end, uint8_t *stars)
{
    if (at == end || *at != '*')
        return skip(at, end, "0123456789");
    ++*stars;
    return at + 1;
}

const char *conversion_next(const char *at, const char *end, struct conversion *c)
{
    const char *start = at < end ? memchr(at, '%', (size_t)(end - at)) : NULL;
    if (!start)
        return NULL;
    *c = (struct conversion){.start = start, .operand = CONVERSION_NONE};
    at = skip_number(skip(start + 1, end, "-+ #0"), end, &c->stars);
    if (at < end && *at == '.')
        at = skip_number(at + 1, end, &c->stars);
    const char *size = at;
    at = skip(at, end, "hl");
    if (at < end && (*at == '%' || *at == '_') && at == start + 1) {
        c->letter = *at;
    } else if (at < end && *at && strchr("diuxXocfFeEgGaAp", *at) && at - size <= 2) {
        c->letter = *at;
        c->operand = operand_of(*at, at > size && *size == 'l');
    }
    c->length = (uint32_t)((at < end) + at - start);
    return start + c->length;
}

static bool takes_stars(const struct conversion *c, const struct conversion_operands *o, uint32_t *used)
{
    uint32_t stars = 0;
    for (; stars < c->stars && *used < o->count && o->kind(o->from, *used) == CONVERSION_INT; ++*used)
        stars++;
    return stars == c->stars;
}

const char *conversion_check(const char *format, size_t length, const struct conversion_operands *o)
{
    struct conversion c;
    uint32_t used = 0;
    for (const char *at = format; (at = conversion_next(at, format + length, &c));) {
        if (!c.letter)
            return "unknown conversion in its format";
        if (c.operand == CONVERSION_NONE)
            continue;
        if (!takes_stars(&c, o, &used) || used == o->count || o->kind(o->from, used++) != c.operand)
            return "its operands do not fit its format";
    }
    return used == o->count ? NULL : "more operands than its format takes";
}
