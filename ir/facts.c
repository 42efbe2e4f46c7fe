/* facts.c: the facts of the .def tables as arrays, and questions about single instructions that they answer. */
#include "ir/ir.h"

/* ---- tables ------------------------------------------------------------------------------------------ */

/* Flag letters are turned into bits by the compiler (a strchr of two constants is one), so that the tables stay
 * constant data. */
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
    [IR_##op].text = #op, [IR_##op].latency = IR_LAT_ALU, [IR_##op].flags = SCALAR_FLAGS(letters),
#define S1(op, name, R, A, formula)          [IR_##op].argc = 1,
#define S2(op, name, R, A, B, formula)       [IR_##op].argc = 2,
#define S3(op, name, R, A, B, C, formula)    [IR_##op].argc = 3,
#define S4(op, name, R, A, B, C, E, formula) [IR_##op].argc = 4,
#include "base/scalar.def"
#define IR_OP(op, name, rule, count, immediate, class, letters, says)                                        \
    [IR_##op] = {.text = name,                                                                               \
                 .types = rule,                                                                              \
                 .argc = count,                                                                              \
                 .imm = IR_IMM_##immediate,                                                                  \
                 .latency = IR_LAT_##class,                                                                  \
                 .flags = FLAGS(letters)},
#include "ir/ops.def"
};
#pragma GCC diagnostic pop

const char *ir_op_meaning(enum ir_op op)
{
    static const char *const meanings[IR_OPS] = {
#define IR_OP(op, name, rule, count, immediate, class, letters, says) [IR_##op] = says,
#include "ir/ops.def"
    };
    return op < (int)SCALAR_OPS ? scalar_op_meaning((enum scalar_op)op) : meanings[op];
}

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

/* ---- questions --------------------------------------------------------------------------------------- */

struct ir_signature ir_signature_of(const struct ir_function *f)
{
    const u32_vec *params = &ir_block_at(f, ir_entry(f))->params;
    struct ir_signature s = {.result = f->result, .convergent = f->flags & IR_FN_CONVERGENT};
    for (; s.argc < params->count && s.argc < IR_MAX_ARGS; s.argc++)
        s.args[s.argc] = ir_at(f, params->at[s.argc])->type;
    return s;
}

bool ir_may_call(const struct ir_signature *s, const struct ir_function *f)
{
    const u32_vec *params = &ir_block_at(f, ir_entry(f))->params;
    if (f->flags & IR_FN_KERNEL || (!s->convergent && f->flags & IR_FN_CONVERGENT) ||
        s->result != f->result || s->argc != params->count)
        return false;
    for (uint32_t i = 0; i < s->argc; i++)
        if (s->args[i] != ir_at(f, params->at[i])->type)
            return false;
    return true;
}

static bool callee_convergent(const struct ir_function *f, const struct ir_ins *ins)
{
    const struct ir_module *m = f->module;
    if (ins->op == IR_call)
        return m->functions.at[ins->imm]->flags & IR_FN_CONVERGENT;
    return ins->op == IR_icall && m->signatures.at[ins->imm].convergent;
}

bool ir_is_convergent(const struct ir_function *f, ir_ref r)
{
    const struct ir_ins *ins = ir_at(f, r);
    return ir_op_info[ins->op].flags & IR_CONVERGENT || ins->token || callee_convergent(f, ins);
}

struct ir_token_modes ir_token_modes_of(const struct ir_function *f)
{
    struct ir_token_modes m = {0};
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b) {
            const struct ir_ins *ins = ir_at(f, r);
            ir_ref *first = ins->op == IR_entry                               ? &m.entry
                            : ins->token                                      ? &m.controlled
                            : ins->op == IR_anchor || !ir_is_convergent(f, r) ? NULL
                                                                              : &m.uncontrolled;
            if (first && !*first)
                *first = r;
        }
    return m;
}

bool ir_has_effect(const struct ir_function *f, ir_ref r)
{
    return ir_op_info[ir_at(f, r)->op].flags & (IR_EFFECT | IR_TERMINATOR);
}

/* ---- scalar cases ---------------------------------------------------------------------------------- */

int ir_find_case(enum ir_op op, enum ir_type result, enum ir_type argument)
{
    int r = ir_type_info[result].scalar, a = ir_type_info[argument].scalar;
    if (!ir_is_pure(op) || r < 0 || a < 0)
        return -1;
    return scalar_find((enum scalar_op)op, (enum scalar_type)r, (enum scalar_type)a);
}

enum scalar_case ir_scalar_case(const struct ir_function *f, ir_ref r)
{
    const struct ir_ins *ins = ir_at(f, r);
    int found = ins->argc ? ir_find_case(ins->op, ins->type, ir_at(f, ins->args[0])->type) : -1;
    if (found < 0)
        BUG("no case of %s for this type", ir_op_info[ins->op].text);
    return (enum scalar_case)found;
}

/* The last row of each operation; the others of it are just before. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const uint16_t last_case[SCALAR_OPS] = {
#define S1(op, name, R, A, formula)          [SCALAR_OP_##op] = SCALAR_##name,
#define S2(op, name, R, A, B, formula)       [SCALAR_OP_##op] = SCALAR_##name,
#define S3(op, name, R, A, B, C, formula)    [SCALAR_OP_##op] = SCALAR_##name,
#define S4(op, name, R, A, B, C, E, formula) [SCALAR_OP_##op] = SCALAR_##name,
#include "base/scalar.def"
};
#pragma GCC diagnostic pop

static int fixed_scalar_type(enum scalar_op op)
{
    static const uint8_t type_of[SCALAR_TYPES] = {IR_TYPE_I1, IR_TYPE_I32, IR_TYPE_I64, IR_TYPE_F32,
                                                  IR_TYPE_F64};
    uint8_t result = scalar_case_info[last_case[op]].result;
    for (uint32_t i = last_case[op]; i-- > 0 && scalar_case_info[i].op == op;)
        if (scalar_case_info[i].result != result)
            return -1;
    return type_of[result];
}

int ir_fixed_type(enum ir_op op)
{
    if (ir_is_pure(op))
        return fixed_scalar_type((enum scalar_op)op);
    switch (ir_op_info[op].types[0]) {
    case 'v': return IR_TYPE_VOID;
    case 'b': return IR_TYPE_I1;
    case 'i': return IR_TYPE_I32;
    case 'l': return IR_TYPE_I64;
    case 't': return IR_TYPE_TOKEN;
    case 'p': return IR_TYPE_PRIVATE;
    case 'f': return IR_TYPE_FUNCTION;
    default: return -1;
    }
}

/* ---- latency --------------------------------------------------------------------------------------- */

/* Operations that take the same unit whatever their type; the others take that of their operands' type. */
static enum ir_latency unit_of_operation(enum ir_op op)
{
    switch (op) {
    case IR_div:
    case IR_sdiv:
    case IR_udiv:
    case IR_srem:
    case IR_urem: return IR_LAT_DIV;
    case IR_mulhi_s:
    case IR_mulhi_u: return IR_LAT_MUL;
    case IR_select:
    case IR_bits: return IR_LAT_ALU;
    case IR_sqrt: return IR_LAT_SFU;
    default: return strchr(scalar_op_info[op].flags, 'K') ? IR_LAT_SFU : IR_LAT_NONE;
    }
}

/* Arithmetic that touches a float runs where floats do, the wider one if they differ. */
static enum ir_latency unit_of_types(const struct ir_ins *ins, enum ir_type argument)
{
    if (ins->type == IR_TYPE_F64 || argument == IR_TYPE_F64)
        return IR_LAT_DPU;
    if (ins->type == IR_TYPE_F32 || argument == IR_TYPE_F32)
        return IR_LAT_FPU;
    return ins->op == IR_mul ? IR_LAT_MUL : IR_LAT_ALU;
}

enum ir_latency ir_latency_of(const struct ir_function *f, ir_ref r)
{
    const struct ir_ins *ins = ir_at(f, r);
    if (!ir_is_pure(ins->op))
        return ir_op_info[ins->op].latency;
    enum ir_latency fixed = unit_of_operation(ins->op);
    return fixed != IR_LAT_NONE ? fixed : unit_of_types(ins, ir_at(f, ins->args[0])->type);
}

const uint8_t ir_latency_cycles[] = {
#define LATENCY(class, cycles, meaning) [IR_LAT_##class] = cycles,
#include "ir/latency.def"
};

uint32_t ir_cost_of(const struct ir_function *f, ir_ref r)
{
    return ir_latency_cycles[ir_latency_of(f, r)];
}

scalar_bits ir_loaded(enum ir_mem m, const void *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, ir_mem_info[m].bytes);
    switch (m) {
    case IR_MEM_B8: return bits != 0;
    case IR_MEM_S8: return (uint32_t)(int8_t)bits;
    case IR_MEM_S16: return (uint32_t)(int16_t)bits;
    default: return bits;
    }
}

struct ir_address ir_address_of(const struct ir_function *f, ir_ref r)
{
    struct ir_address a = {r, 0};
    scalar_bits n;
    while (ir_at(f, a.root)->op == IR_ptradd && ir_is_const(f, ir_at(f, a.root)->args[1], &n)) {
        a.offset += (uint32_t)n;
        a.root = ir_at(f, a.root)->args[0];
    }
    return a;
}
