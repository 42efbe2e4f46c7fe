/* ops.c: the table of the bytecode's operations, made from base/scalar.def and bytecode.def. */
#include "backend/format/bytecode/program.h"

/* Operand letters of a scalar case: by type and form. */
#define READ_B  "m"
#define READ_I  "v"
#define READ_L  "w"
#define READ_F  "v"
#define READ_D  "w"
#define WRITE_B "M"
#define WRITE_I "V"
#define WRITE_L "W"
#define WRITE_F "V"
#define WRITE_D "W"
#define WHOLE_B "Z"
#define WHOLE_I "X"
#define WHOLE_L "Y"
#define WHOLE_F "X"
#define WHOLE_D "Y"

/* `mixed`: the first operand in lanes, the second in a scalar. */
#define ROWS(name, R, lanes, mixed, scalars)                                                                 \
    [BC_V_##name] = {"V_" #name, WRITE_##R lanes "-"}, [BC_T_##name] = {"T_" #name, WHOLE_##R lanes "-"},    \
    [BC_S_##name] = {"S_" #name, "S" scalars "-"}, [BC_B_##name] = {"B_" #name, "-" lanes "-"},              \
    [BC_U_##name] = {"U_" #name, "-" mixed "-"}, [BC_C_##name] = {"C_" #name, "-" scalars "-"},

const struct bc_op_info bc_op_rows[BC_OPS] = {
#define S1(op, name, R, A, formula)       ROWS(name, R, READ_##A "---", "----", "s---")
#define S2(op, name, R, A, B, formula)    ROWS(name, R, READ_##A READ_##B "--", READ_##A "s--", "ss--")
#define S3(op, name, R, A, B, C, formula) ROWS(name, R, READ_##A READ_##B READ_##C "-", "----", "sss-")
#define S4(op, name, R, A, B, C, E, formula)                                                                 \
    ROWS(name, R, READ_##A READ_##B READ_##C READ_##E, "----", "ssss")
#include "base/scalar.def"
#define BC(name, operands, meaning) [BC_##name] = {#name, operands},
#include "backend/format/bytecode/bytecode.def"
};

const char *bc_op_meaning(enum bc_op op)
{
    static const char *const meanings[BC_OPS] = {
#define BC(name, operands, meaning) [BC_##name] = meaning,
#include "backend/format/bytecode/bytecode.def"
    };
    return meanings[op];
}

#define FILE_V BC_FILE_VECTORS
#define FILE_W (BC_FILE_VECTORS | BC_LETTER_WIDE)
const uint8_t bc_letters[128] = {
    ['v'] = FILE_V,
    ['w'] = FILE_W,
    ['m'] = BC_FILE_MASKS,
    ['s'] = BC_FILE_SCALARS,
    ['t'] = FILE_V,
    ['V'] = FILE_V | BC_LETTER_WRITTEN,
    ['W'] = FILE_W | BC_LETTER_WRITTEN,
    ['M'] = BC_FILE_MASKS | BC_LETTER_WRITTEN,
    ['X'] = FILE_V | BC_LETTER_WRITTEN,
    ['Y'] = FILE_W | BC_LETTER_WRITTEN,
    ['Z'] = BC_FILE_MASKS | BC_LETTER_WRITTEN,
    ['S'] = BC_FILE_SCALARS | BC_LETTER_WRITTEN,
};

const struct bc_op_info *bc_op_info(enum bc_op op)
{
    if ((unsigned)op >= BC_OPS ||
        (bc_is_branch_form(op) && !bc_is_comparison((enum scalar_case)(op / BC_FORMS))))
        return NULL;
    return &bc_op_rows[op];
}

bool bc_ends_block(enum bc_op op)
{
    switch (op) {
    case BC_jump:
    case BC_unpredicate:
    case BC_switch_v:
    case BC_switch_w:
    case BC_switch_s:
    case BC_exit:
    case BC_call:
    case BC_icall:
    case BC_ret:
    case BC_ret_m:
    case BC_ret_true:
    case BC_ret_false:
    case BC_trap: return true;
    default: return bc_has_branch_word(op);
    }
}

unsigned bc_parts(const struct bc_ins *ins)
{
    enum bc_op op = (enum bc_op)ins->op;
    if ((op >= BC_ldw_8 && op <= BC_stw_f64) || (op >= BC_ldu_g8 && op <= BC_ldu_hb && ins->c))
        return 0;
    switch (op) {
    case BC_block:
    case BC_branch:
    case BC_unpredicate:
    case BC_tok_entry:
    case BC_tok_anchor:
    case BC_tok_loop:
    case BC_await: return 0;
    case BC_predicate: return ins->d != 0;
    case BC_assert_below:
    case BC_assert_below_s: return 2;
    default: return bc_is_branch_form(op) || bc_operands(op)[3] == '<' ? 2 : 1;
    }
}

const struct bc_ins *bc_first_wait(const struct bc_ins *head, const struct bc_ins *end)
{
    const struct bc_ins *ins = head + 1;
    if (head >= end || head->op != BC_block || head->d & BC_RETURN)
        return NULL;
    while (ins < end && ins->op >= BC_splat_v && ins->op <= BC_spread_m)
        ins++;
    return ins < end && ins->op == BC_wait ? ins : NULL;
}

bool bc_falls_into_wait(const struct bc_ins *last, const struct bc_ins *next, const struct bc_ins *end)
{
    return last->op != BC_branch && !bc_ends_block((enum bc_op)last->op) && bc_first_wait(next, end);
}

bool bc_returns(enum bc_op op)
{
    return op == BC_ret || op == BC_ret_m || op == BC_ret_true || op == BC_ret_false;
}

bool bc_is_convergent(enum bc_op op)
{
    return op >= BC_SCALAR_OPS && op != BC_call && bc_op_rows[op].operands[4] == 't';
}

enum bc_kind bc_kind_of(enum be_value v)
{
    return v == BE_I1 ? BC_KIND_M : v == BE_I64 || v == BE_F64 ? BC_KIND_W : BC_KIND_V;
}

/* ---- where lanes may wait ---------------------------------------------------------------------------- */

/* The first row for (of, at), or behind it. */
static uint32_t find_waiting(const struct bc_program *p, uint32_t of, uint32_t at)
{
    uint32_t low = 0, high = p->waiting.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct bc_waiting *w = &p->waiting.at[middle];
        if (w->place < of || (w->place == of && w->at < at))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_waiting(const struct bc_program *p, uint32_t of, uint32_t at)
{
    uint32_t i = find_waiting(p, of, at);
    return i < p->waiting.count && p->waiting.at[i].place == of && p->waiting.at[i].at == at;
}

uint32_t bc_waiting_of(const struct bc_program *p, uint32_t of)
{
    return find_waiting(p, of, 0);
}

bool bc_may_wait(const struct bc_program *p, uint32_t row, uint32_t at)
{
    if (has_waiting(p, row, at))
        return true;
    uint32_t f = 0, code = p->blocks.at[row].code;
    while (f < p->functions.count && (p->functions.at[f].code > code || p->functions.at[f].end <= code))
        f++;
    return has_waiting(p, p->blocks.count + f, at);
}
