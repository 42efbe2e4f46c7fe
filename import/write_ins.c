/* write_ins.c: instructions of kernc's IR as LLVM's. */
#include "import/write_parts.h"

/* ---- what LLVM has for each operation ------------------------------------------------------------------ */

enum how { CALL_KERN, BINARY, SHIFT, COMPARE, CAST, INTRINSIC, COUNTING, SATURATING };
/* Words for integers and floats; NULL: a call of kernc's own. */
static const struct word {
    uint8_t how; /* enum how */
    const char *of_integers, *of_floats;
} words[IR_OPS] = {
    [IR_add] = {BINARY, "add", "fadd"},
    [IR_sub] = {BINARY, "sub", "fsub"},
    [IR_mul] = {BINARY, "mul", "fmul"},
    [IR_div] = {BINARY, NULL, "fdiv"},
    [IR_fmod] = {BINARY, NULL, "frem"},
    [IR_and] = {BINARY, "and", NULL},
    [IR_or] = {BINARY, "or", NULL},
    [IR_xor] = {BINARY, "xor", NULL},
    [IR_shl] = {SHIFT, "shl", NULL},
    [IR_lshr] = {SHIFT, "lshr", NULL},
    [IR_ashr] = {SHIFT, "ashr", NULL},
    [IR_eq] = {COMPARE, "icmp eq", "fcmp oeq"},
    [IR_ne] = {COMPARE, "icmp ne", "fcmp une"},
    [IR_slt] = {COMPARE, "icmp slt", NULL},
    [IR_sle] = {COMPARE, "icmp sle", NULL},
    [IR_ult] = {COMPARE, "icmp ult", NULL},
    [IR_ule] = {COMPARE, "icmp ule", NULL},
    [IR_lt] = {COMPARE, NULL, "fcmp olt"},
    [IR_le] = {COMPARE, NULL, "fcmp ole"},
    [IR_sext] = {CAST, "sext", NULL},
    [IR_zext] = {CAST, "zext", NULL},
    [IR_trunc] = {CAST, "trunc", NULL},
    [IR_sitof] = {CAST, "sitofp", NULL},
    [IR_uitof] = {CAST, "uitofp", NULL},
    [IR_fext] = {CAST, NULL, "fpext"},
    [IR_ftrunc] = {CAST, NULL, "fptrunc"},
    [IR_bits] = {CAST, "bitcast", NULL}, /* of floats: a NaN becomes canonical */
    [IR_abs] = {COUNTING, "abs", NULL},
    [IR_popcount] = {INTRINSIC, "ctpop", NULL},
    [IR_clz] = {COUNTING, "ctlz", NULL},
    [IR_ctz] = {COUNTING, "cttz", NULL},
    [IR_brev] = {INTRINSIC, "bitreverse", NULL},
    [IR_smin] = {INTRINSIC, "smin", NULL},
    [IR_smax] = {INTRINSIC, "smax", NULL},
    [IR_umin] = {INTRINSIC, "umin", NULL},
    [IR_umax] = {INTRINSIC, "umax", NULL},
    [IR_ftosi] = {SATURATING, NULL, "fptosi.sat"},
    [IR_ftoui] = {SATURATING, NULL, "fptoui.sat"},
    [IR_fma] = {INTRINSIC, NULL, "fma"},
    [IR_sqrt] = {INTRINSIC, NULL, "sqrt"},
    [IR_floor] = {INTRINSIC, NULL, "floor"},
    [IR_ceil] = {INTRINSIC, NULL, "ceil"},
    [IR_truncf] = {INTRINSIC, NULL, "trunc"},
    [IR_rint] = {INTRINSIC, NULL, "roundeven"},
    [IR_round] = {INTRINSIC, NULL, "round"},
};

static const char *suffix(enum ir_type t)
{
    return ir_type_info[t].text;
}

static const struct ir_ins *arg(const struct writer *w, const struct ir_ins *i, uint32_t n)
{
    return ir_at(w->f, i->args[n]);
}

static enum ir_type arg_type(const struct writer *w, const struct ir_ins *i, uint32_t n)
{
    return (enum ir_type)arg(w, i, n)->type;
}

/* `%x = ` of an instruction with a value; nothing of others. */
static const char *result(struct writer *w, ir_ref r)
{
    return ir_at(w->f, r)->type == IR_TYPE_VOID ? "" : arena_printf(w->frame, "%s = ", write_value(w, r));
}

/* Operands with their types; *types becomes the types alone. */
static const char *typed_operands(struct writer *w, const struct ir_ins *i, uint32_t from, const char **types)
{
    struct text all = {.arena = w->frame}, alone = {.arena = w->frame};
    text_addz(&all, "");
    text_addz(&alone, "");
    for (uint32_t k = from; k < i->argc; k++) {
        text_printf(&all, "%s%s", k > from ? ", " : "", write_typed(w, i->args[k]));
        text_printf(&alone, "%s%s", k > from ? ", " : "", write_type(arg_type(w, i, k)));
    }
    *types = alone.at;
    return all.at;
}

static const char *bundle(struct writer *w, const struct ir_ins *i)
{
    return i->token ? arena_printf(w->frame, " [ \"convergencectrl\"(token %s) ]", write_value(w, i->token))
                    : "";
}

/* ---- operations without effects ------------------------------------------------------------------------ */

static void write_intrinsic(struct writer *w, ir_ref r, const char *name, const char *types, const char *more)
{
    const struct ir_ins *i = ir_at(w->f, r);
    const char *params, *args = typed_operands(w, i, 0, &params), *t = write_type(i->type);
    const char *full = arena_printf(w->arena, "llvm.%s.%s", name, types);
    write_declare(w, t, full, *more ? arena_printf(w->frame, "%s, i1", params) : params, ATTRIBUTES_PURE);
    write_line(w, i, "%scall %s @%s(%s%s)", result(w, r), t, full, args, more);
}

/* The number of bits is below the width. */
static void write_shift(struct writer *w, ir_ref r, const char *word)
{
    const struct ir_ins *i = ir_at(w->f, r);
    uint32_t width = i->type == IR_TYPE_I64 ? 64 : 32;
    const char *t = write_type(i->type), *by = write_value(w, i->args[1]);
    if (arg(w, i, 1)->op != IR_constant || (uint64_t)arg(w, i, 1)->imm >= width) {
        const char *fresh = write_fresh(w);
        write_line(w, i, "%s = and %s %s, %u", fresh, t, by, width - 1);
        by = fresh;
    }
    write_line(w, i, "%s%s %s %s, %s", result(w, r), word, t, write_value(w, i->args[0]), by);
}

/* A word of LLVM for it; false: there is none. */
static bool write_word(struct writer *w, ir_ref r)
{
    const struct ir_ins *i = ir_at(w->f, r);
    const struct word *word = &words[i->op];
    if (word->how == CALL_KERN)
        return false;
    enum ir_type from = arg_type(w, i, 0);
    const char *text = ir_is_float(from) ? word->of_floats : word->of_integers, *t = write_type(from);
    if (!text || (ir_is_pointer(from) && word->how != COMPARE))
        return false;
    switch ((enum how)word->how) {
    case BINARY:
    case COMPARE:
        write_line(w, i, "%s%s %s %s, %s", result(w, r), text, t, write_value(w, i->args[0]),
                   write_value(w, i->args[1]));
        break;
    case SHIFT: write_shift(w, r, text); break;
    case CAST:
        write_line(w, i, "%s%s %s to %s", result(w, r), text, write_typed(w, i->args[0]),
                   write_type(i->type));
        break;
    case COUNTING: write_intrinsic(w, r, text, suffix(from), ", i1 false"); break;
    case SATURATING:
        write_intrinsic(w, r, text, arena_printf(w->frame, "%s.%s", suffix(i->type), suffix(from)), "");
        break;
    default: write_intrinsic(w, r, text, suffix(from), ""); break;
    }
    return true;
}

/* a as an integer of `bits` bits and back. */
static void write_narrow(struct writer *w, ir_ref r, uint32_t bits)
{
    const struct ir_ins *i = ir_at(w->f, r);
    const char *fresh = write_fresh(w);
    write_line(w, i, "%s = trunc i32 %s to i%u", fresh, write_value(w, i->args[0]), bits);
    write_line(w, i, "%ssext i%u %s to i32", result(w, r), bits, fresh);
}

/* What takes another form than its own operation's. */
static bool write_special_form(struct writer *w, ir_ref r)
{
    const struct ir_ins *i = ir_at(w->f, r);
    const char *t = write_type(i->type), *a = i->argc ? write_value(w, i->args[0]) : "";
    bool is_float = ir_is_float(i->type);
    switch (i->op) {
    case IR_not:
        write_line(w, i, "%sxor %s %s, %s", result(w, r), t, a, i->type == IR_TYPE_I1 ? "true" : "-1");
        return true;
    case IR_neg:
        write_line(w, i, is_float ? "%sfneg %s %s" : "%ssub %s 0, %s", result(w, r), t, a);
        return true;
    case IR_abs:
        if (is_float)
            write_intrinsic(w, r, "fabs", suffix(i->type), "");
        return is_float;
    case IR_sext8:
    case IR_sext16: write_narrow(w, r, i->op == IR_sext8 ? 8 : 16); return true;
    case IR_zext8:
    case IR_zext16:
        write_line(w, i, "%sand i32 %s, %d", result(w, r), a, i->op == IR_zext8 ? 255 : 65535);
        return true;
    case IR_select:
        write_line(w, i, "%sselect i1 %s, %s, %s", result(w, r), a, write_typed(w, i->args[1]),
                   write_typed(w, i->args[2]));
        return true;
    default: return false;
    }
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static enum attributes attributes_of(enum ir_op op)
{
    uint32_t flags = ir_op_info[op].flags;
    if (op == IR_trap)
        return ATTRIBUTES_STOP;
    if (flags & IR_CONVERGENT)
        return flags & IR_EFFECT ? ATTRIBUTES_SYNC : ATTRIBUTES_GROUP;
    return flags & IR_EFFECT ? ATTRIBUTES_EFFECT : ATTRIBUTES_PURE;
}

/* Immediates are the first arguments; an assert's text is behind its condition. */
static void write_kern(struct writer *w, ir_ref r)
{
    const struct ir_ins *i = ir_at(w->f, r);
    const struct ir_op_info *info = &ir_op_info[i->op];
    const char *types, *args = typed_operands(w, i, 0, &types), *before = "", *params = "",
                       *comma = i->argc ? ", " : "";
    const char *name = arena_printf(w->arena, "kern.%s", info->text), *t = write_type(i->type);
    bool is_printf = i->op == IR_printf;
    if (ir_fixed_type((enum ir_op)i->op) < 0 && i->type != IR_TYPE_VOID)
        name = arena_printf(w->arena, "%s.%s", name, suffix(i->type));
    if (info->imm == IR_IMM_PREDICTION || info->imm == IR_IMM_REGISTER) {
        before = arena_printf(w->frame, "i32 %lld, i32 %u", (long long)i->imm, i->imm2);
        params = "i32, i32";
    } else if (info->imm == IR_IMM_FUNCTION) {
        before = arena_printf(w->frame, "ptr %s, i32 %u", w->functions[i->imm], i->imm2);
        params = "ptr, i32";
    } else if (info->imm == IR_IMM_TEXT) {
        before = write_text(w, i->imm);
        params = "ptr addrspace(4)";
    }
    comma = *before ? comma : "";
    if (i->op == IR_assert) {
        write_declare(w, t, name, arena_printf(w->frame, "%s, %s", types, params), ATTRIBUTES_EFFECT);
        write_line(w, i, "call %s @%s(%s, %s)", t, name, args, before);
        return;
    }
    params = is_printf ? "ptr addrspace(4), ..." : arena_printf(w->frame, "%s%s%s", params, comma, types);
    write_declare(w, t, name, params, attributes_of((enum ir_op)i->op));
    write_line(w, i, "%scall %s @%s(%s%s%s)%s", result(w, r), is_printf ? "void (ptr addrspace(4), ...)" : t,
               name, before, comma, args, bundle(w, i));
}

static void write_special(struct writer *w, ir_ref r)
{
    const struct ir_ins *i = ir_at(w->f, r);
    const char *name = arena_printf(w->arena, "kern.special.%s", ir_special_info[i->imm].text);
    write_declare(w, "i32", name, "", ATTRIBUTES_PURE);
    write_line(w, i, "%scall i32 @%s()", result(w, r), name);
}

static void write_token(struct writer *w, ir_ref r)
{
    const struct ir_ins *i = ir_at(w->f, r);
    const char *name = i->op == IR_entry ? "entry" : i->op == IR_anchor ? "anchor" : "loop";
    name = arena_printf(w->arena, "llvm.experimental.convergence.%s", name);
    write_declare(w, "token", name, "", ATTRIBUTES_GROUP);
    write_line(w, i, "%scall token @%s()%s", result(w, r), name, bundle(w, i));
}

static void write_call(struct writer *w, ir_ref r)
{
    const struct ir_ins *i = ir_at(w->f, r);
    bool through = i->op == IR_icall;
    const char *types, *args = typed_operands(w, i, through, &types), *t = write_type(i->type), *callee;
    const char *converges = ir_is_convergent(w->f, r) ? " convergent" : "";
    if (i->op == IR_call) {
        callee = w->functions[i->imm];
        t = write_type(w->m->functions.at[i->imm]->result);
    } else if (through) {
        callee = write_value(w, i->args[0]);
    } else {
        const char *name = w->m->hosts.at[i->imm].name;
        write_declare(w, t, name, types, ATTRIBUTES_EFFECT);
        struct text quoted = {.arena = w->frame};
        write_name(&quoted, name);
        callee = quoted.at;
    }
    write_line(w, i, "%scall %s %s(%s)%s%s", result(w, r), t, callee, args, converges, bundle(w, i));
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static const char *memory_type(const struct writer *w, const struct ir_ins *i)
{
    switch (i->mem) {
    case IR_MEM_B8:
    case IR_MEM_U8:
    case IR_MEM_S8: return "i8";
    case IR_MEM_U16:
    case IR_MEM_S16: return "i16";
    case IR_MEM_PTR: return write_type(i->op == IR_store ? arg_type(w, i, 1) : (enum ir_type)i->type);
    default: return write_type((enum ir_type)ir_mem_info[i->mem].type);
    }
}

/* The operand plus the immediate, with its type. */
static const char *address(struct writer *w, const struct ir_ins *i)
{
    const char *base = write_typed(w, i->args[0]), *fresh;
    if (!i->imm)
        return base;
    fresh = write_fresh(w);
    write_line(w, i, "%s = getelementptr i8, %s, i32 %d", fresh, base, i32((uint32_t)i->imm));
    return arena_printf(w->frame, "%s %s", write_type(arg_type(w, i, 0)), fresh);
}

static bool is_narrow(const struct ir_ins *i)
{
    return i->mem >= IR_MEM_B8 && i->mem <= IR_MEM_S16;
}

/* Memory's value as the register's. */
static void widen(struct writer *w, ir_ref r, const char *type, const char *narrow)
{
    const struct ir_ins *i = ir_at(w->f, r);
    bool is_signed = i->mem == IR_MEM_S8 || i->mem == IR_MEM_S16;
    if (i->mem == IR_MEM_B8)
        write_line(w, i, "%sicmp ne i8 %s, 0", result(w, r), narrow);
    else
        write_line(w, i, "%s%s %s %s to i32", result(w, r), is_signed ? "sext" : "zext", type, narrow);
}

static void write_load(struct writer *w, ir_ref r)
{
    const struct ir_ins *i = ir_at(w->f, r);
    const char *type = memory_type(w, i), *at = address(w, i);
    const char *to = is_narrow(i) ? write_fresh(w) : write_value(w, r);
    write_line(w, i, "%s = load %s, %s, align %u", to, type, at, ir_mem_info[i->mem].bytes);
    if (is_narrow(i))
        widen(w, r, type, to);
}

static void write_store(struct writer *w, ir_ref r)
{
    const struct ir_ins *i = ir_at(w->f, r);
    const char *type = memory_type(w, i), *at = address(w, i), *v = write_value(w, i->args[1]);
    if (is_narrow(i)) {
        const char *fresh = write_fresh(w);
        write_line(w, i, "%s = %s %s to %s", fresh, i->mem == IR_MEM_B8 ? "zext" : "trunc",
                   write_typed(w, i->args[1]), type);
        v = fresh;
    }
    write_line(w, i, "store %s %s, %s, align %u", type, v, at, ir_mem_info[i->mem].bytes);
}

static void write_atomic(struct writer *w, ir_ref r)
{
    static const char *const of_integers[] = {"add",  "sub", "min", "max", "umin",
                                              "umax", "and", "or",  "xor", "xchg"};
    const struct ir_ins *i = ir_at(w->f, r);
    const char *type = memory_type(w, i),
               *word = i->op == IR_atomic_cas ? NULL : of_integers[i->op - IR_atomic_add];
    bool is_float = ir_is_float(i->type), is_cas = i->op == IR_atomic_cas;
    if (is_float)
        word = i->op == IR_atomic_add    ? "fadd"
               : i->op == IR_atomic_sub  ? "fsub"
               : i->op == IR_atomic_xchg ? "xchg"
                                         : NULL;
    const char *at = address(w, i);
    if (is_cas && !is_float) {
        const char *pair = write_fresh(w);
        write_line(w, i, "%s = cmpxchg %s, %s, %s monotonic monotonic", pair, at, write_typed(w, i->args[1]),
                   write_typed(w, i->args[2]));
        write_line(w, i, "%sextractvalue { %s, i1 } %s, 0", result(w, r), type, pair);
    } else if (word) {
        write_line(w, i, "%satomicrmw %s %s, %s monotonic", result(w, r), word, at,
                   write_typed(w, i->args[1]));
    } else { /* of floats: where the zeros and NaNs differ from LLVM's */
        const char *types, *rest = typed_operands(w, i, 1, &types);
        const char *space = write_type(arg_type(w, i, 0));
        const char *name = arena_printf(w->arena, "kern.%s.%s.%s", ir_op_info[i->op].text, suffix(i->type),
                                        suffix(arg_type(w, i, 0)) + strlen("ptr."));
        write_declare(w, type, name, arena_printf(w->frame, "%s, %s", space, types), ATTRIBUTES_EFFECT);
        write_line(w, i, "%scall %s @%s(%s, %s)", result(w, r), type, name, at, rest);
    }
}

static void write_block_memory(struct writer *w, ir_ref r)
{
    const struct ir_ins *i = ir_at(w->f, r);
    static const uint8_t spaces[IR_TYPES] = {
        [IR_TYPE_GLOBAL] = 1, [IR_TYPE_SHARED] = 3, [IR_TYPE_CONSTANT] = 4, [IR_TYPE_PRIVATE] = 5};
    const char *types, *args = typed_operands(w, i, 0, &types), *name;
    if (i->op == IR_memcpy)
        name = arena_printf(w->arena, "llvm.memcpy.p%u.p%u.i32", spaces[arg_type(w, i, 0)],
                            spaces[arg_type(w, i, 1)]);
    else
        name = arena_printf(w->arena, "llvm.memset.p%u.i32", spaces[arg_type(w, i, 0)]);
    const char *zero = i->op == IR_memcpy ? "" : "i8 0, ", *zero_type = i->op == IR_memcpy ? "" : "i8, ";
    write_declare(w, "void", name, arena_printf(w->frame, "%s, %si32, i1 immarg", types, zero_type),
                  ATTRIBUTES_EFFECT);
    write_line(w, i, "call void @%s(%s, %si32 %lld, i1 false)", name, args, zero, (long long)i->imm);
}

/* The same bits in another space: through an integer. */
static void write_ptrcast(struct writer *w, ir_ref r)
{
    const struct ir_ins *i = ir_at(w->f, r);
    bool from = ir_is_pointer(arg_type(w, i, 0)), to = ir_is_pointer((enum ir_type)i->type);
    const char *a = write_typed(w, i->args[0]);
    if (from && to) {
        const char *fresh = write_fresh(w);
        write_line(w, i, "%s = ptrtoint %s to i32", fresh, a);
        a = arena_printf(w->frame, "i32 %s", fresh);
    }
    write_line(w, i, "%s%s %s to %s", result(w, r),
               to     ? "inttoptr"
               : from ? "ptrtoint"
                      : "bitcast",
               a, write_type((enum ir_type)i->type));
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

void write_ins(struct writer *w, ir_ref r)
{
    const struct ir_ins *i = ir_at(w->f, r);
    switch ((enum ir_op)i->op) {
    case IR_object:
    case IR_function:
    case IR_alloca: return; /* names; the entry block's */
    case IR_entry:
    case IR_anchor:
    case IR_loop: write_token(w, r); return;
    case IR_special: write_special(w, r); return;
    case IR_ptradd:
        write_line(w, i, "%sgetelementptr i8, %s, %s", result(w, r), write_typed(w, i->args[0]),
                   write_typed(w, i->args[1]));
        return;
    case IR_ptrcast: write_ptrcast(w, r); return;
    case IR_load: write_load(w, r); return;
    case IR_store: write_store(w, r); return;
    case IR_memcpy:
    case IR_memzero: write_block_memory(w, r); return;
    case IR_fence: write_line(w, i, "fence seq_cst"); return;
    case IR_call:
    case IR_icall:
    case IR_hostcall: write_call(w, r); return;
    default: break;
    }
    if (ir_is_atomic((enum ir_op)i->op))
        write_atomic(w, r);
    else if (!write_special_form(w, r) && !write_word(w, r))
        write_kern(w, r);
}
