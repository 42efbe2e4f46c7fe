/* conversion.c: reads the conversions of a printf format, for the verifier and for those who print. */
#include "backend/bytecode/program.h"

/* The letters by what they take; `wide` is an l or ll before the letter, of which floats take no notice. */
static enum bc_value operand_type(char letter, bool wide)
{
    if (strchr("diuxXoc", letter))
        return wide ? BC_I64 : BC_I32;
    if (strchr("fFeEgGaA", letter))
        return BC_F64;
    return BC_PTR;
}

static const char *skip(const char *at, const char *end, const char *set)
{
    while (at < end && *at && strchr(set, *at))
        at++;
    return at;
}

const char *bc_conversion_next(const char *at, const char *end, struct bc_conversion *c)
{
    const char *start = at < end ? memchr(at, '%', (size_t)(end - at)) : NULL;
    if (!start)
        return NULL;
    at = skip(skip(start + 1, end, "-+ #0"), end, "0123456789");
    if (at < end && *at == '.')
        at = skip(at + 1, end, "0123456789");
    const char *size = at;
    at = skip(at, end, "hl");
    *c = (struct bc_conversion){.start = start, .type = BC_VOID};
    if (at < end && *at == '%' && at == start + 1) {
        c->letter = '%';
    } else if (at < end && *at && strchr("diuxXocfFeEgGaAp", *at) && at - size <= 2) {
        c->letter = *at;
        c->type = operand_type(*at, at > size && *size == 'l');
    }
    c->length = (uint32_t)((at < end) + at - start);
    return start + c->length;
}
