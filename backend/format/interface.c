/* interface.c: checks of parameters and launch directives; reads the conversions of a printf format, for the
 * verifiers and for those who print.
 */
#include "backend/format/interface.h"

bool be_param_is_good(const struct be_param *p)
{
    return p->name && p->type != BE_VOID && p->type <= BE_PTR && p->element <= LAUNCH_DOUBLE;
}

/* The letters by what they take; `wide` is an l or ll before the letter, of which floats take no notice. */
static enum be_value operand_type(char letter, bool wide)
{
    if (strchr("diuxXoc", letter))
        return wide ? BE_I64 : BE_I32;
    if (strchr("fFeEgGaA", letter))
        return BE_F64;
    return BE_PTR;
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

const char *be_conversion_next(const char *at, const char *end, struct be_conversion *c)
{
    const char *start = at < end ? memchr(at, '%', (size_t)(end - at)) : NULL;
    if (!start)
        return NULL;
    *c = (struct be_conversion){.start = start, .type = BE_VOID};
    at = skip_number(skip(start + 1, end, "-+ #0"), end, &c->stars);
    if (at < end && *at == '.')
        at = skip_number(at + 1, end, &c->stars);
    const char *size = at;
    at = skip(at, end, "hl");
    if (at < end && *at == '%' && at == start + 1) {
        c->letter = '%';
    } else if (at < end && *at && strchr("diuxXocfFeEgGaAp", *at) && at - size <= 2) {
        c->letter = *at;
        c->type = operand_type(*at, at > size && *size == 'l');
    }
    c->length = (uint32_t)((at < end) + at - start);
    return start + c->length;
}
