/* interface.h: what a compiled program and its host agree upon, whichever machine the program is for: types
 * of values that pass between them, kernel parameters. Part of the format half: stands on
 * base alone.
 */
#ifndef KERNC_BACKEND_INTERFACE_H
#define KERNC_BACKEND_INTERFACE_H

#include "base/base.h"
#include "base/conversion.h"
#include "base/launch.h"

enum be_value { BE_VOID, BE_I1, BE_I32, BE_I64, BE_F32, BE_F64, BE_PTR };

/* `text`: its type as the source writes it. Of a pointer `element` (enum launch_element) and `element_bytes`
 * say what it points to. */
struct be_param { const char *name, *text; uint8_t type, element; uint32_t element_bytes; bool pointer; };

/* Names and kinds that a reader of these rows relies on. */
bool be_param_is_good(const struct be_param *p);

/* What printf takes a value of this type for; CONVERSION_NONE: it does not print it. */
enum conversion_operand be_printed(enum be_value t);

#endif
