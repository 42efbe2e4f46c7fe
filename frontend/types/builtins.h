/* builtins.h: the table of builtins.def, and how its signatures fit arguments. */
#ifndef KERNC_FRONTEND_TYPES_BUILTINS_H
#define KERNC_FRONTEND_TYPES_BUILTINS_H

#include "frontend/types/types.h"

enum fe_builtin_how {
    FE_HOW_OP,
    FE_HOW_CONVERGENT,
    FE_HOW_ATOMIC,
    FE_HOW_TOKEN,
    FE_HOW_CLAMP,
    FE_HOW_RSQRT,
    FE_HOW_ROTR,
    FE_HOW_ISNAN,
    FE_HOW_ISINF,
    FE_HOW_ISFINITE,
    FE_HOW_REINTERPRET,
    FE_HOW_FENCE,
    FE_HOW_CLOCK,
    FE_HOW_PRINTF,
    FE_HOW_ASSERT,
    FE_HOW_TRAP,
    FE_HOW_SPECIAL,
    FE_HOW_MEMCPY,
    FE_HOW_MEMSET,
    FE_HOW_LDEXP,
    FE_HOW_FREXP,
    FE_HOW_MODF,
    FE_HOW_SINCOS,
    FE_HOW_EXP10,
    FE_HOW_MATCH,
    FE_HOW_SCAN,
    FE_HOW_COUNTER,
    FE_HOW_DOT,
    FE_HOW_CROSS,
    FE_HOW_LENGTH,
    FE_HOW_DISTANCE,
    FE_HOW_NORMALIZE,
    FE_HOW_SELECT,
};
#define FE_BUILTIN_ARGS 3 /* most parameters, but for printf */
struct fe_builtin {
    const char *name, *signature, *meaning;
    uint8_t how;    /* enum fe_builtin_how */
    uint16_t op[3]; /* enum ir_op for signed, unsigned, floating T; of SPECIAL op[0] is the
                       register */
};
extern const struct fe_builtin fe_builtins[];
extern const uint32_t fe_builtin_count;

/* Enters all names into a map from interned text (its address) to the row. */
void fe_builtins_enter(struct strings *names, struct arena *a, struct map *rows);

/* The value of a constant of constants.def, and its basic type; false: there is none of this name. */
bool fe_find_constant(const char *name, enum fe_type_kind *type, scalar_bits *value);
struct nearest;
void fe_consider_constants(struct nearest *n);

/* Whether it makes or uses a token: a convergent operation in the sense of the convergence document. */
static inline bool fe_builtin_is_convergent(const struct fe_builtin *b)
{
    return b->how == FE_HOW_CONVERGENT || b->how == FE_HOW_TOKEN || b->how == FE_HOW_MATCH ||
           b->how == FE_HOW_SCAN;
}
/* The operation for this generic type (any scalar if the signature has none). */
enum ir_op fe_builtin_op(const struct fe_builtin *b, const struct fe_type *t);

/* The number of parameters; a trailing '.' does not count. */
uint32_t fe_builtin_params(const struct fe_builtin *b);
/* Whether arguments may follow those of the parameters. */
bool fe_builtin_is_variadic(const struct fe_builtin *b);
/* The letter of parameter i, and of the result. */
char fe_builtin_param(const struct fe_builtin *b, uint32_t i);
/* The type a letter stands for once T is known. */
struct fe_type *fe_builtin_type(const struct fe_types *ts, char letter, struct fe_type *generic);

#endif
