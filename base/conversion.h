/* conversion.h: the conversions of a printf format, in the C library's notation without %s: for those who
 * verify programs, in whichever form, and for those who print.
 */
#ifndef KERNC_BASE_CONVERSION_H
#define KERNC_BASE_CONVERSION_H

#include "base/base.h"

/* Characters of a field, and of a precision; larger ones print as this one. */
#define CONVERSION_MAX_FIELD 1000

/* What a conversion takes. CONVERSION_INT: an i32, or an i1 as 0 or 1; CONVERSION_DOUBLE: an f64, or an f32,
 * which prints as the f64 of the same value would. */
enum conversion_operand {
    CONVERSION_NONE,
    CONVERSION_INT,
    CONVERSION_LONG,
    CONVERSION_DOUBLE,
    CONVERSION_POINTER
};

struct conversion {
    const char *start; /* what lies before it is plain text */
    uint32_t length;
    char letter;   /* d i u x X o c f F e E g G a A p, '%', or '_', which prints nothing and says that more of
                      the thread's text follows; 0: no conversion known here */
    uint8_t stars; /* operands CONVERSION_INT before its own: * for the width, the precision */
    enum conversion_operand operand;
};
/* Finds the next one from `at` and gives the position behind it, NULL if there is none: then the rest is plain
 * text. Linear in what it passes over. */
const char *conversion_next(const char *at, const char *end, struct conversion *c);

/* The operands of one printf, in their order. */
struct conversion_operands {
    uint32_t count;
    enum conversion_operand (*kind)(const void *from, uint32_t index);
    const void *from;
};
/* NULL if they are what the format takes, else what is wrong (static, no placing). */
const char *conversion_check(const char *format, size_t length, const struct conversion_operands *operands);

#endif
