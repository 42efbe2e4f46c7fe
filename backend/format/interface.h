/* interface.h: what a compiled program and its host agree upon, whichever machine the program is for: types
 * of values that pass between them, kernel parameters, printf formats. Part of the format half: stands on
 * base alone.
 */
#ifndef KERNC_BACKEND_INTERFACE_H
#define KERNC_BACKEND_INTERFACE_H

#include "base/base.h"
#include "base/launch.h"

enum be_value { BE_VOID, BE_I1, BE_I32, BE_I64, BE_F32, BE_F64, BE_PTR };

/* `text`: its type as the source writes it. Of a pointer `element` (enum launch_element) and `element_bytes`
 * say what it points to. */
struct be_param { const char *name, *text; uint8_t type, element; uint32_t element_bytes; bool pointer; };

/* Names and kinds that a reader of these rows relies on. */
bool be_param_is_good(const struct be_param *p);

/* The conversions of a printf format, in the C library's notation without %s. Gives the position
 * behind the next one, NULL if there is none: then the rest is plain text. What lies before `start` is
 * plain text too. */
struct be_conversion {
    const char *start;
    uint32_t    length;
    char        letter;       /* d i u x X o c f F e E g G a A p, or '%'; 0: no conversion known here */
    uint8_t     stars;        /* operands of type I32 before its own: * for the width, the precision */
    enum be_value type;       /* of its operand; BE_VOID: takes none */
};
/* Linear in what it passes over. */
const char *be_conversion_next(const char *at, const char *end, struct be_conversion *c);

#endif
