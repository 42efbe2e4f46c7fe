/* builtins.c: the rows of builtins.def, the reading of their signatures, and the constants of constants.def. */
#include "frontend/types/builtins.h"
#include "base/nearest.h"

#include <float.h>
#include <math.h>

const struct fe_builtin fe_builtins[] = {
#define BUILTIN(name, how, signature, sop, uop, fop, meaning)                                                \
    {#name, signature, meaning, FE_HOW_##how, {IR_##sop, IR_##uop, IR_##fop}},
#define BUILTIN_SPECIAL(source, id, meaning)                                                                 \
    {source, "u:", meaning, FE_HOW_SPECIAL, {IR_SPECIAL_##id, IR_SPECIAL_##id, IR_SPECIAL_##id}},
#include "frontend/types/builtins.def"
};
const uint32_t fe_builtin_count = COUNT(fe_builtins);

void fe_builtins_enter(struct strings *names, struct arena *a, struct map *rows)
{
    for (uint32_t i = 0; i < fe_builtin_count; i++)
        map_set(a, rows, (uintptr_t)intern_z(names, fe_builtins[i].name), i);
}

enum ir_op fe_builtin_op(const struct fe_builtin *b, const struct fe_type *t)
{
    return b->op[fe_is_float(t) ? 2 : fe_is_signed(t) ? 0 : 1];
}

uint32_t fe_builtin_params(const struct fe_builtin *b)
{
    return (uint32_t)strlen(b->signature) - 2 - fe_builtin_is_variadic(b);
}

bool fe_builtin_is_variadic(const struct fe_builtin *b)
{
    return strchr(b->signature, '.') != NULL;
}

char fe_builtin_param(const struct fe_builtin *b, uint32_t i)
{
    return b->signature[2 + i];
}

struct fe_type *fe_builtin_type(const struct fe_types *ts, char letter, struct fe_type *generic)
{
    switch (letter) {
    case 'v': return ts->basic[FE_TYPE_VOID];
    case 'b': return ts->basic[FE_TYPE_BOOL];
    case 'i': return ts->basic[FE_TYPE_INT];
    case 'u': return ts->basic[FE_TYPE_UINT];
    case 'l': return ts->basic[FE_TYPE_LONG];
    case 'U': return ts->basic[FE_TYPE_ULONG];
    case 'f': return ts->basic[FE_TYPE_FLOAT];
    case 'd': return ts->basic[FE_TYPE_DOUBLE];
    case 't': return ts->basic[FE_TYPE_TOKEN];
    default: return generic;
    }
}

/* ---- constants ----------------------------------------------------------------------------------------- */

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
#include "frontend/types/constants.def"
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
