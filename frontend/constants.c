/* constants.c: the constants of constants.def. */
#include "base/nearest.h"
#include "frontend/builtins.h"

#include <float.h>
#include <math.h>

/* Integers as base/scalar.def holds them; floating numbers as a double, which has every float. */
static const struct {
    const char *name;
    enum fe_type_kind type;
    scalar_bits bits;
    double number;
} constants[] = {
#define VALUE_INT(v)                (uint32_t)(v), 0
#define VALUE_UINT(v)               (uint32_t)(v), 0
#define VALUE_LONG(v)               (uint64_t)(v), 0
#define VALUE_ULONG(v)              (uint64_t)(v), 0
#define VALUE_FLOAT(v)              0, (float)(v)
#define VALUE_DOUBLE(v)             0, (v)
#define CONSTANT(name, type, value) {name, FE_TYPE_##type, VALUE_##type(value)},
#include "frontend/constants.def"
};

bool fe_find_constant(const char *name, enum fe_type_kind *type, scalar_bits *value)
{
    for (size_t i = 0; i < COUNT(constants); i++) {
        if (strcmp(constants[i].name, name) != 0)
            continue;
        *type = constants[i].type;
        *value = *type == FE_TYPE_FLOAT    ? scalar_bits_f32((float)constants[i].number)
                 : *type == FE_TYPE_DOUBLE ? scalar_bits_f64(constants[i].number)
                                           : constants[i].bits;
        return true;
    }
    return false;
}

void fe_consider_constants(struct nearest *n)
{
    for (size_t i = 0; i < COUNT(constants); i++)
        nearest_consider(n, constants[i].name);
}
