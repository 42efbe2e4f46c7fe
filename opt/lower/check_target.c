/* check_target.c: refuses what the target has not and no pass can lower, where the source has it. A prediction
 * changes no result: where the target has no barriers it is a warning that says how the code runs instead. */
#include "opt/lower/lower.h"

bool opt_is_float(const struct ir_function *f, ir_ref r)
{
    scalar_bits v, narrow;
    if (!ir_is_const(f, r, &v))
        return ir_at(f, r)->op == IR_fext;
    narrow = scalar_evaluate(SCALAR_ftrunc_DF, &v);
    return scalar_evaluate(SCALAR_fext_FD, &narrow) == v;
}

uint32_t opt_words_of_params(const struct ir_function *f)
{
    if (f->order.count == 0)
        return 0;
    const u32_vec *params = &ir_block_at(f, ir_entry(f))->params;
    uint32_t words = params->count;
    for (uint32_t i = 0; i < params->count; i++)
        words += ir_at(f, params->at[i])->type == IR_TYPE_I64;
    return words;
}

static const char doubles[] = "64-bit floats ('double'); write float, and an f behind numbers";
static const char literals[] =
    "64-bit floats ('double'), and a number is one here; write an f behind it to compute in float";

static bool is_double(const struct ir_function *f, ir_ref r)
{
    return ir_at(f, r)->type == IR_TYPE_F64;
}

/* printf needs no doubles for floats that become doubles for it only. */
static bool has_double(const struct ir_function *f, const struct ir_ins *ins)
{
    bool found = (ins->type == IR_TYPE_F64 && ins->op != IR_fext) || ins->mem == IR_MEM_F64;
    for (uint32_t i = 0; i < ins->argc; i++) {
        ir_ref a = ins->args[i];
        found |= is_double(f, a) && (ins->op != IR_printf || !opt_is_float(f, a));
    }
    return found;
}

/* A float computed with a number of the source that is a double: C widens the float for it. */
static bool is_widened_for_literal(const struct ir_function *f, const struct ir_ins *ins)
{
    bool literal = false, widened = false;
    for (uint32_t i = 0; i < ins->argc; i++) {
        literal |= ir_at(f, ins->args[i])->op == IR_constant && is_double(f, ins->args[i]);
        widened |= ir_at(f, ins->args[i])->op == IR_fext;
    }
    return literal && widened;
}

static bool has_double_param(const struct ir_function *f, uint32_t b)
{
    const u32_vec *params = &ir_block_at(f, b)->params;
    for (uint32_t i = 0; i < params->count; i++)
        if (is_double(f, params->at[i]))
            return true;
    return false;
}

static bool is_atomic(const struct ir_ins *ins)
{
    return ins->op >= IR_atomic_add && ins->op <= IR_atomic_cas;
}

struct checker {
    struct opt_context *context;
    const struct ir_function *f;
    unsigned lacks;
    uint32_t refused; /* the latest line of source that was refused */
};

static bool is_check(const struct ir_ins *ins)
{
    return ins->op == IR_check_uniform || ins->op == IR_check_memory || ins->op == IR_check_origin ||
           ins->op == IR_check_sync;
}

/* The first thing in an instruction that the target has not: its diagnostic's id, or NULL. */
static const char *obstacle(const struct checker *x, const struct ir_ins *ins, const char **what)
{
    if (x->lacks & TARGET_NO_DOUBLE && has_double(x->f, ins)) {
        *what = is_widened_for_literal(x->f, ins) ? literals : doubles;
        return "target-double";
    }
    if (x->lacks & TARGET_NO_WIDE_ATOMICS && is_atomic(ins) && ins->mem == IR_MEM_I64) {
        *what = "64-bit atomics; those of int and uint are there";
        return "target-atomic";
    }
    if (x->lacks & TARGET_NO_CHECKS && is_check(ins)) {
        *what = ins->op == IR_check_uniform ? "checks of uniformity ('check.uniform')" : "checks of memory";
        return "target-check";
    }
    if (x->lacks & TARGET_NO_HOST && ins->op == IR_hostcall) {
        *what = "functions of the host ('extern')";
        return "target-extern";
    }
    if (x->lacks & TARGET_NO_BARRIERS && ir_is_convergence_barrier(ins->op)) {
        *what = "convergence barriers ('cb.join' and its like)";
        return "target-barrier";
    }
    return NULL;
}

static void refuse(struct checker *x, const char *id, place at, const char *what)
{
    if (at.line != x->refused)
        diag_add(x->context->diagnostics, DIAG_ERROR, id, (span){at, {0, 0}}, "the %s target has no %s",
                 target_info[x->context->options->target].name, what);
    x->refused = at.line;
}

static void refuse_instructions(struct checker *x, bool selects)
{
    ir_each_block(i, b, x->f)
        ir_each_ins(r, x->f, b) {
            const struct ir_ins *ins = ir_at(x->f, r);
            const char *what, *id = obstacle(x, ins, &what);
            if (id && (ins->op == IR_select) == selects)
                refuse(x, id, ins->at, what);
        }
}

static void refuse_params(struct checker *x)
{
    ir_each_block(i, b, x->f)
        if (x->lacks & TARGET_NO_DOUBLE && has_double_param(x->f, b))
            refuse(x, "target-double", x->f->at, doubles);
}

/* One message a line of source. Selects and block parameters stand where the source has no double, at an
 * `if`: they are reported only if nothing else of the function is. */
static void refuse_function(struct checker *x)
{
    uint32_t before = x->context->diagnostics->errors;
    x->refused = UINT32_MAX;
    if (x->lacks & TARGET_NO_DOUBLE && has_double_param(x->f, ir_entry(x->f)))
        refuse(x, "target-double", x->f->at, doubles);
    refuse_instructions(x, false);
    if (x->context->diagnostics->errors == before)
        refuse_instructions(x, true);
    if (x->context->diagnostics->errors == before)
        refuse_params(x);
}

/* Those of a kernel are passed by the host, whole. */
static void refuse_words(struct checker *x)
{
    uint32_t n = opt_words_of_params(x->f);
    if (x->lacks & TARGET_NO_I64 && !(x->f->flags & IR_FN_KERNEL) && n > IR_MAX_ARGS)
        diag_add(x->context->diagnostics, DIAG_ERROR, "target-parameters", (span){x->f->at, {0, 0}},
                 "'%s' takes %u words of arguments, %u more than a function can", x->f->name, n,
                 n - IR_MAX_ARGS);
}

/* One warning for a Predict that was copied. */
static void warn_of_predictions(struct checker *x)
{
    struct map warned = {0};
    if (!(x->lacks & TARGET_NO_BARRIERS) || opt_option(x->context, OPT_OPTION_predict) == OPT_predict_off)
        return;
    ir_each_block(i, b, x->f) {
        ir_each_ins(r, x->f, b) {
            const struct ir_ins *ins = ir_at(x->f, r);
            uint64_t key = (uint64_t)ins->at.line << 32 | ins->at.column;
            if ((ins->op != IR_predict && ins->op != IR_predict_function) ||
                map_get(&warned, key) != MAP_NONE)
                continue;
            map_set(x->context->scratch, &warned, key, 1);
            opt_warning(x->context, x->f, DIAG_GROUP_predict, ins->at,
                        "the %s target has no convergence barriers, so the prediction has no effect: threads "
                        "that diverge reconverge where all their paths join",
                        target_info[x->context->options->target].name);
        }
    }
}

bool opt_check_target(struct opt_context *c, struct ir_function *f)
{
    struct checker x = {.context = c, .f = f, .lacks = target_info[c->options->target].lacks};
    refuse_function(&x);
    refuse_words(&x);
    warn_of_predictions(&x);
    return false;
}
