/* instructions.c: types, immediates and calls: what can be said of an instruction by itself. The types an
 * operation gives and takes come from its row in ops.def, or of scalar operations from scalar.def.
 */
#include "base/conversion.h"
#include "ir/verify/verify.h"

static enum ir_type type_of(const struct verifier *v, ir_ref r)
{
    return ir_at(v->fn, r)->type;
}

static const char *type_text(enum ir_type t)
{
    return ir_type_info[t].text;
}

static bool is_data_pointer(enum ir_type t)
{
    return t >= IR_TYPE_GLOBAL && t <= IR_TYPE_PRIVATE;
}

/* ---- letters of ops.def ---------------------------------------------------------------------------- */

static bool is_integer(enum ir_type t)
{
    return t == IR_TYPE_I32 || t == IR_TYPE_I64;
}

static bool moves(enum ir_mem mem, enum ir_type t)
{
    return mem == IR_MEM_PTR ? ir_is_pointer(t) : mem != IR_MEM_NONE && ir_mem_info[mem].type == t;
}

static bool fits(const struct ir_ins *ins, char letter, enum ir_type t)
{
    switch (letter) {
    case 'v': return t == IR_TYPE_VOID;
    case 'b': return t == IR_TYPE_I1;
    case 'i': return t == IR_TYPE_I32;
    case 'l': return t == IR_TYPE_I64;
    case 't': return t == IR_TYPE_TOKEN;
    case 'p': return t == IR_TYPE_PRIVATE;
    case 'f': return t == IR_TYPE_FUNCTION;
    case 'w': return is_integer(t);
    case 'k': return is_integer(t) || t == IR_TYPE_I1;
    case 'n': return is_integer(t) || ir_is_float(t);
    case 'a': return is_data_pointer(t);
    case 'c': return t == IR_TYPE_I32 || ir_is_pointer(t);
    case 'x': return t != IR_TYPE_VOID && t != IR_TYPE_TOKEN;
    case 'r': return t != IR_TYPE_TOKEN;
    case 'm': return moves(ins->mem, t);
    case '=': return t == ins->type;
    default: return true;
    }
}

/* Letters after the colon are the operands'; those of calls beyond them are the callee's matter. */
static void check_types(struct verifier *v, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->fn, r);
    const char *letters = ir_op_info[ins->op].types;
    enum ir_rule rule = letters[0] == 'm' ? IR_RULE_ACCESS : IR_RULE_RESULT_TYPE;
    if (!fits(ins, letters[0], ins->type))
        ir_ins_broken(v, rule, r, "the value cannot be %s", type_text(ins->type));
    for (uint32_t i = 0; letters[2 + i] && i < ins->argc; i++) {
        enum ir_type t = type_of(v, ins->args[i]);
        rule = letters[2 + i] == 'm' ? IR_RULE_ACCESS : IR_RULE_OPERAND_TYPE;
        if (t != IR_TYPE_TOKEN && !fits(ins, letters[2 + i], t))
            ir_ins_broken(v, rule, r, "operand %u cannot be %s", i + 1, type_text(t));
    }
}

static bool check_operand_count(struct verifier *v, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->fn, r);
    int argc = ir_op_info[ins->op].argc;
    bool right = argc >= 0             ? ins->argc == (uint32_t)argc
                 : ins->op == IR_ret   ? ins->argc <= 1
                 : ins->op == IR_icall ? ins->argc >= 1 && ins->argc <= IR_MAX_ARGS + 1
                 : ins->op == IR_printf || ins->op == IR_hostcall ? ins->argc <= IR_MAX_HOST_ARGS
                                                                  : ins->argc <= IR_MAX_ARGS;
    if (!right)
        ir_ins_broken(v, IR_RULE_ARITY, r, "%u operands", ins->argc);
    for (uint32_t i = 0; i < ins->argc; i++)
        if (type_of(v, ins->args[i]) == IR_TYPE_TOKEN)
            ir_ins_broken(v, IR_RULE_TOKEN_FLOW, r, "operand %u is a token", i + 1);
    return right;
}

/* ---- scalar operations ----------------------------------------------------------------------------- */

static bool works_on_pointers(enum ir_op op)
{
    return op == IR_eq || op == IR_ne || op == IR_ult || op == IR_ule || op == IR_select;
}

/* Operands that share a scalar type (and select's value) have the same IR type, so that spaces do not mix. */
static void check_pointers(struct verifier *v, ir_ref r, const struct scalar_case_info *c)
{
    const struct ir_ins *ins = ir_at(v->fn, r);
    enum ir_type common = type_of(v, ins->args[ins->argc - 1]);
    bool same = !ir_is_pointer(ins->type) || ins->type == common, any = ir_is_pointer(ins->type);
    for (uint32_t i = 0; i < ins->argc; i++) {
        any |= ir_is_pointer(type_of(v, ins->args[i]));
        same &= c->argument[i] != SCALAR_I || type_of(v, ins->args[i]) == common;
    }
    same &= ins->op != IR_select || ins->type == common;
    if (any && (!works_on_pointers(ins->op) || !same))
        ir_ins_broken(v, IR_RULE_POINTER, r, "pointers are compared and selected only, within a space");
}

static void check_scalar(struct verifier *v, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->fn, r);
    int found = ir_find_case(ins->op, ins->type, type_of(v, ins->args[0]));
    bool right = found >= 0;
    for (uint32_t i = 1; right && i < ins->argc; i++)
        right = ir_type_info[type_of(v, ins->args[i])].scalar == scalar_case_info[found].argument[i];
    if (right)
        check_pointers(v, r, &scalar_case_info[found]);
    else
        ir_ins_broken(v, IR_RULE_SCALAR, r, "the operation does not work on these types");
}

/* ---- memory ---------------------------------------------------------------------------------------- */

static void check_atomic(struct verifier *v, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->fn, r);
    bool whole = ins->op == IR_atomic_and || ins->op == IR_atomic_or || ins->op == IR_atomic_xor ||
                 ins->op == IR_atomic_smin || ins->op == IR_atomic_smax;
    if (ins->mem != IR_MEM_I32 && ins->mem != IR_MEM_I64 && (whole || ins->mem != IR_MEM_F32))
        ir_ins_broken(v, IR_RULE_ACCESS, r, "the atomic does not work on %s", ir_mem_info[ins->mem].text);
}

static void check_memory(struct verifier *v, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->fn, r);
    enum ir_type space = ins->argc ? type_of(v, ins->args[0]) : IR_TYPE_VOID;
    if (ir_is_atomic(ins->op))
        check_atomic(v, r);
    if (ir_op_info[ins->op].flags & IR_WRITES && ir_op_info[ins->op].types[2] == 'a' &&
        space == IR_TYPE_CONSTANT)
        ir_ins_broken(v, IR_RULE_SPACE, r, "constant memory is not written");
    else if (ir_is_atomic(ins->op) && space == IR_TYPE_PRIVATE)
        ir_ins_broken(v, IR_RULE_SPACE, r, "no other thread sees private memory");
}

/* ---- printf --------------------------------------------------------------------------------------------- */

struct printed {
    const struct verifier *v;
    const ir_ref *args;
};

static enum conversion_operand printed(const void *from, uint32_t i)
{
    const struct printed *p = from;
    enum ir_type t = type_of(p->v, p->args[i]);
    switch (ir_type_info[t].scalar) {
    case SCALAR_L: return CONVERSION_LONG;
    case SCALAR_F:
    case SCALAR_D: return CONVERSION_DOUBLE;
    default: return ir_is_pointer(t) ? CONVERSION_POINTER : CONVERSION_INT;
    }
}

static void check_printf(struct verifier *v, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->fn, r);
    const struct ir_string *t = &v->m->texts.at[ins->imm];
    struct printed from = {v, ins->args};
    struct conversion_operands o = {ins->argc, printed, &from};
    const char *wrong = conversion_check(t->text, t->length, &o);
    if (wrong)
        ir_ins_broken(v, IR_RULE_PRINTF, r, "%s", wrong);
}

/* ---- immediates ------------------------------------------------------------------------------------ */

static bool is_alignment(uint32_t n)
{
    return n && n <= IR_MAX_ALIGN && (n & (n - 1)) == 0;
}

/* Whether the object is an array of the kernel that a launch sizes. */
static bool has_unsized(const struct verifier *v, int64_t object)
{
    return ir_unsized_number(ir_kernel_info(v->m, v->fn->id), (uint32_t)object) != IR_NOT_UNSIZED;
}

/* Of immediates that name a row of a table: its number of rows; else UINT64_MAX. */
static uint64_t rows_of(const struct verifier *v, enum ir_imm imm)
{
    switch (imm) {
    case IR_IMM_SPECIAL: return IR_SPECIALS;
    case IR_IMM_OBJECT: return v->m->objects.count;
    case IR_IMM_FUNCTION: return v->m->functions.count;
    case IR_IMM_SIGNATURE: return v->m->signatures.count;
    case IR_IMM_HOST: return v->m->hosts.count;
    case IR_IMM_TEXT: return v->m->texts.count;
    default: return UINT64_MAX;
    }
}

static bool is_barrier_operation(const struct ir_ins *ins)
{
    if (ins->imm < 0 || ins->imm >= IR_MAX_BARRIERS)
        return false;
    if (ins->op != IR_cb_cancel)
        return ins->imm2 <= IR_MAX_THRESHOLD;
    struct ir_cancel l = ir_cancel_of(ins);
    return l.threshold <= IR_MAX_THRESHOLD && l.wait < (l.threshold ? IR_MAX_BARRIERS : 1) &&
           ins->imm2 == ir_cancel_pack(l);
}

/* Atomic operations are never parts of wide accesses. */
static bool is_wide(const struct ir_ins *ins)
{
    return (ins->op == IR_load || ins->op == IR_store) && is_alignment(ins->imm2) &&
           ins->imm2 <= IR_MAX_WIDE && ins->mem < IR_MEMS && ins->imm2 > ir_mem_info[ins->mem].bytes;
}

static bool check_immediate(struct verifier *v, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->fn, r);
    enum ir_imm imm = ir_op_info[ins->op].imm;
    bool sized = imm == IR_IMM_STORAGE || imm == IR_IMM_BYTES;
    if ((sized && (ins->imm < 0 || ins->imm > IR_MAX_OBJECT_BYTES)) ||
        (imm == IR_IMM_STORAGE && !is_alignment(ins->imm2)))
        ir_ins_broken(v, IR_RULE_IMMEDIATE, r, "the size or alignment is out of range");
    if (imm == IR_IMM_OFFSET && (ins->imm < INT32_MIN || ins->imm > INT32_MAX))
        ir_ins_broken(v, IR_RULE_IMMEDIATE, r, "the offset is out of range");
    if (imm == IR_IMM_OFFSET && ins->imm2 && !is_wide(ins))
        ir_ins_broken(v, IR_RULE_IMMEDIATE, r, "the wide access is not 2 to %d bytes, or has no other parts",
                      IR_MAX_WIDE);
    if (imm == IR_IMM_PREDICTION && (ins->imm < 0 || ins->imm >= v->fn->predictions))
        ir_ins_broken(v, IR_RULE_PREDICT, r, "the function has %u predictions", v->fn->predictions);
    if (imm == IR_IMM_REGISTER && !is_barrier_operation(ins))
        ir_ins_broken(v, IR_RULE_BARRIER, r, "the barrier register or the threshold is out of range");
    bool there = (uint64_t)ins->imm < rows_of(v, imm) || rows_of(v, imm) == UINT64_MAX;
    if (!there)
        ir_ins_broken(v, IR_RULE_INDEX, r, "the table has no row %lld", (long long)ins->imm);
    else if (ins->op == IR_object && v->m->objects.at[ins->imm].space != ins->type)
        ir_ins_broken(v, IR_RULE_RESULT_TYPE, r, "the object is in another space");
    else if (ins->op == IR_object && v->m->objects.at[ins->imm].unit && !has_unsized(v, ins->imm))
        ir_ins_broken(v, IR_RULE_OBJECT, r, "the array without a size is not that of this kernel");
    return there;
}

/* ---- calls ----------------------------------------------------------------------------------------- */

static void check_arguments(struct verifier *v, ir_ref r, const struct ir_signature *s, uint32_t first)
{
    const struct ir_ins *ins = ir_at(v->fn, r);
    if (ins->type != s->result)
        ir_ins_broken(v, IR_RULE_CALL, r, "the callee gives %s", type_text(s->result));
    if (ins->argc - first != s->argc) {
        ir_ins_broken(v, IR_RULE_CALL, r, "%u arguments for %u parameters", ins->argc - first, s->argc);
        return;
    }
    for (uint32_t i = 0; i < s->argc; i++)
        if (type_of(v, ins->args[first + i]) != s->args[i])
            ir_ins_broken(v, IR_RULE_CALL, r, "argument %u is %s, the parameter %s", i + 1,
                          type_text(type_of(v, ins->args[first + i])), type_text(s->args[i]));
}

/* What the callee's own structure has wrong is said when it is checked: its signature, if it has one. */
static bool find_signature(const struct ir_function *callee, struct ir_signature *s)
{
    if (callee->order.count == 0 || callee->order.at[0] >= callee->blocks.count)
        return false;
    const u32_vec *params = &ir_block_at(callee, ir_entry(callee))->params;
    for (uint32_t i = 0; i < params->count; i++)
        if (params->at[i] >= callee->ins.count)
            return false;
    *s = ir_signature_of(callee);
    return true;
}

static void check_call(struct verifier *v, ir_ref r)
{
    struct ir_signature s;
    if (find_signature(v->m->functions.at[ir_at(v->fn, r)->imm], &s))
        check_arguments(v, r, &s, 0);
}

/* Calls through the pointer find a convergent signature, if one at all. A pass may lead a pointer to any
 * call: which one it is used at is no rule's business. */
static void check_address(struct verifier *v, ir_ref r)
{
    const struct ir_function *f = v->m->functions.at[ir_at(v->fn, r)->imm];
    struct ir_signature s;
    if (!(f->flags & IR_FN_CONVERGENT) || !find_signature(f, &s) ||
        ir_signature_find(v->m, &s) != IR_NO_SIGNATURE)
        return;
    s.convergent = false;
    uint32_t number = ir_signature_find(v->m, &s);
    if (number != IR_NO_SIGNATURE)
        ir_ins_broken(v, IR_RULE_ADDRESS, r,
                      "@%s is convergent, and signature #%u, the only one of its type, is not: write "
                      "'convergent' behind it",
                      f->name, number);
}

static void check_callee(struct verifier *v, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->fn, r);
    bool names_function = ir_op_info[ins->op].imm == IR_IMM_FUNCTION;
    if (names_function && v->m->functions.at[ins->imm]->flags & IR_FN_KERNEL)
        ir_ins_broken(v, IR_RULE_CALLEE, r, "a kernel is launched, not called");
    switch (ins->op) {
    case IR_call: check_call(v, r); break;
    case IR_function: check_address(v, r); break;
    case IR_icall: check_arguments(v, r, &v->m->signatures.at[ins->imm], 1); break;
    case IR_hostcall:
        check_arguments(v, r, &v->m->signatures.at[v->m->hosts.at[ins->imm].signature], 0);
        break;
    default: break;
    }
}

static void check_return(struct verifier *v, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->fn, r);
    enum ir_type given = ins->argc ? type_of(v, ins->args[0]) : IR_TYPE_VOID;
    if (given != v->fn->result)
        ir_ins_broken(v, IR_RULE_RETURN, r, "the function gives %s", type_text(v->fn->result));
}

void ir_verify_ins(struct verifier *v, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->fn, r);
    if (!check_operand_count(v, r) || !check_immediate(v, r))
        return;
    if (ir_is_pure(ins->op)) {
        check_scalar(v, r);
        return;
    }
    check_types(v, r);
    check_memory(v, r);
    check_callee(v, r);
    if (ins->op == IR_ret)
        check_return(v, r);
    if (ins->op == IR_printf)
        check_printf(v, r);
}
