/* tables.c: the facts of the .def tables as arrays.
 *
 * Flag letters are turned into bits by the compiler (a strchr of two constants is one), so that the
 * tables stay constant data.
 */
#include "ir/ir.h"

#define HAS(letters, c)       (__builtin_strchr(letters, c) != NULL)
#define SCALAR_FLAGS(letters) (IR_PURE | (HAS(letters, 'C') ? IR_COMMUTES : 0))
#define FLAGS(letters)                                                                                       \
    ((HAS(letters, 'S') ? IR_EFFECT : 0) | (HAS(letters, 'R') ? IR_READS : 0) |                              \
     (HAS(letters, 'W') ? IR_WRITES : 0) | (HAS(letters, 'V') ? IR_CONVERGENT : 0) |                         \
     (HAS(letters, 'T') ? IR_TERMINATOR : 0) | (HAS(letters, 'D') ? IR_DIVERGES : 0) |                       \
     (HAS(letters, 'U') ? IR_UNIFORM : 0) | (HAS(letters, 'X') ? IR_TRAPS : 0))

/* A scalar operation's operand count comes from its cases, which repeat it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
const struct ir_op_info ir_op_info[IR_OPS] = {
#define SCALAR_OP(op, letters, says)                                                                         \
    [IR_##op].text = #op, [IR_##op].meaning = says, [IR_##op].latency = IR_LAT_ALU,                          \
    [IR_##op].flags = SCALAR_FLAGS(letters),
#define S1(op, name, R, A, formula)          [IR_##op].argc = 1,
#define S2(op, name, R, A, B, formula)       [IR_##op].argc = 2,
#define S3(op, name, R, A, B, C, formula)    [IR_##op].argc = 3,
#define S4(op, name, R, A, B, C, E, formula) [IR_##op].argc = 4,
#include "base/scalar.def"
#define IR_OP(op, name, rule, count, immediate, class, letters, says)                                        \
    [IR_##op] = {.text = name,                                                                               \
                 .meaning = says,                                                                            \
                 .types = rule,                                                                              \
                 .argc = count,                                                                              \
                 .imm = IR_IMM_##immediate,                                                                  \
                 .latency = IR_LAT_##class,                                                                  \
                 .flags = FLAGS(letters)},
#include "ir/ops.def"
};
#pragma GCC diagnostic pop

enum { SCALAR_NONE = -1 };
const struct ir_type_info ir_type_info[IR_TYPES] = {
#define IR_TYPE(name, text, scalar, bytes, meaning) {text, meaning, SCALAR_##scalar, bytes},
#include "ir/types.def"
};

const struct ir_mem_info ir_mem_info[IR_MEMS] = {
#define IR_MEM(name, text, type, bytes, meaning) {text, meaning, IR_TYPE_##type, bytes},
#include "ir/types.def"
};

const struct ir_special_info ir_special_info[IR_SPECIALS] = {
#define SPECIAL(name, text, source, scope, meaning) {text, source, meaning, IR_SCOPE_##scope},
#include "ir/specials.def"
#undef SPECIAL
};
