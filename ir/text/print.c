/* print.c: the text form of functions; see docs/ir.md for its grammar.
 *
 * Whatever the verifier accepts is printed so that parsing gives the same function again. What it does not
 * accept is printed as well as can be, since that is when people look: a reference to nothing is
 * "%?N", a number beyond its table "@?N".
 */
#include "ir/text/syntax.h"

#include <math.h>

enum { COMMENT_COLUMN = 48 };

struct printer {
    const struct ir_function *fn;
    const struct ir_names *names;
    struct text *out;
    const struct ir_print_options *options; /* NULL: defaults */
    bool locations;
};

/* ---- constants ----------------------------------------------------------------------------------------- */

static void print_f64(uint64_t bits, struct text *out)
{
    double d = scalar_from_f64(bits);
    if (isnan(d) && bits != SCALAR_NAN_F64)
        text_printf(out, "nan(0x%llx)", (unsigned long long)bits);
    else
        text_double(out, d);
}

static void print_f32(uint32_t bits, struct text *out)
{
    float f = scalar_from_f32(bits);
    if (isnan(f) && bits != SCALAR_NAN_F32) {
        text_printf(out, "nanf(0x%x)", bits);
        return;
    }
    text_float(out, f);
    text_char(out, 'f');
}

void ir_print_constant(enum ir_type t, scalar_bits bits, struct text *out)
{
    switch (t) {
    case IR_TYPE_I1: text_addz(out, bits ? "true" : "false"); return;
    case IR_TYPE_I32: text_printf(out, "%d", i32((uint32_t)bits)); return;
    case IR_TYPE_I64: text_printf(out, "%lldL", (long long)bits); return;
    case IR_TYPE_F32: print_f32((uint32_t)bits, out); return;
    case IR_TYPE_F64: print_f64(bits, out); return;
    default: break;
    }
    if (ir_is_pointer(t) && bits == 0)
        text_printf(out, "null.%s", ir_type_info[t].text + strlen("ptr."));
    else
        text_printf(out, "%s 0x%llx", ir_type_info[t].text, (unsigned long long)bits);
}

/* ---- instructions -------------------------------------------------------------------------------------- */

static void value(struct printer *p, ir_ref r)
{
    if (r < p->fn->ins.count && ir_at(p->fn, r)->op == IR_constant)
        ir_print_constant(ir_at(p->fn, r)->type, (scalar_bits)ir_at(p->fn, r)->imm, p->out);
    else if (r < p->fn->ins.count && p->names->values[r])
        text_printf(p->out, "%%%s", p->names->values[r]);
    else
        text_printf(p->out, "%%?%u", r);
}

static void values(struct printer *p, uint32_t n, const ir_ref *refs)
{
    for (uint32_t i = 0; i < n; i++) {
        text_addz(p->out, i ? ", " : "");
        value(p, refs[i]);
    }
}

static void block_name(struct printer *p, uint32_t b)
{
    if (b < p->fn->blocks.count && p->names->blocks[b])
        text_addz(p->out, p->names->blocks[b]);
    else
        text_printf(p->out, "?%u", b);
}

static void location(struct printer *p, place at)
{
    if (p->locations && at.line)
        text_printf(p->out, " !%u:%u", at.line, at.column);
}

/* ---- one instruction: result = operation type immediate operands [token] targets ------------------- */

static void type_word(struct printer *p, const struct ir_ins *ins)
{
    const char *word = ir_type_info[ins->type].text;
    if (ir_has_access(ins->op))
        word = ins->mem == IR_MEM_PTR && ins->op != IR_store ? word : ir_mem_info[ins->mem].text;
    else if (ir_fixed_type(ins->op) >= 0 || ins->type == IR_TYPE_VOID)
        return;
    text_printf(p->out, " %s", word);
}

static void global_name(struct printer *p, const char *name, int64_t number)
{
    text_addz(p->out, " @");
    if (name)
        ir_print_name(name, p->out);
    else
        text_printf(p->out, "?%lld", (long long)number);
}

/* Of a cb.cancel. */
static void print_cancel(struct printer *p, struct ir_cancel l)
{
    if (l.member)
        text_addz(p->out, " member");
    if (l.threshold)
        text_printf(p->out, " threshold %u of %u", l.threshold, l.wait);
}

static void immediate(struct printer *p, const struct ir_ins *ins)
{
    const struct ir_module *m = p->fn->module;
    uint64_t n = (uint64_t)ins->imm;
    switch (ir_op_info[ins->op].imm) {
    case IR_IMM_STORAGE: text_printf(p->out, " %lld align %u", (long long)ins->imm, ins->imm2); break;
    case IR_IMM_SPECIAL: text_printf(p->out, " %s", n < IR_SPECIALS ? ir_special_info[n].text : "?"); break;
    case IR_IMM_PREDICTION:
    case IR_IMM_REGISTER: text_printf(p->out, " %lld", (long long)ins->imm); break;
    case IR_IMM_SIGNATURE:
    case IR_IMM_TEXT: text_printf(p->out, " #%lld", (long long)ins->imm); break;
    case IR_IMM_OBJECT: global_name(p, n < m->objects.count ? m->objects.at[n].name : NULL, ins->imm); break;
    case IR_IMM_FUNCTION:
        global_name(p, n < m->functions.count ? m->functions.at[n]->name : NULL, ins->imm);
        break;
    case IR_IMM_HOST: global_name(p, n < m->hosts.count ? m->hosts.at[n].name : NULL, ins->imm); break;
    default: break;
    }
    if (ins->op == IR_cb_join && ins->imm2)
        text_addz(p->out, " gather");
    if (ins->op == IR_cb_cancel)
        print_cancel(p, ir_cancel_of(ins));
    if (ir_has_threshold(ins->op) && ins->imm2)
        text_printf(p->out, " threshold %u", ins->imm2);
}

static void address(struct printer *p, const struct ir_ins *ins)
{
    value(p, ins->args[0]);
    if (ins->imm)
        text_printf(p->out, " %c %llu", ins->imm < 0 ? '-' : '+',
                    (unsigned long long)(ins->imm < 0 ? -(uint64_t)ins->imm : (uint64_t)ins->imm));
}

static void operands(struct printer *p, const struct ir_ins *ins)
{
    bool calling = ir_is_calling(ins->op), addressed = ir_has_access(ins->op) && ins->argc;
    if (calling)
        text_char(p->out, '(');
    else if (ins->argc)
        text_addz(p->out, ir_op_info[ins->op].imm == IR_IMM_TEXT ? ", " : " ");
    if (addressed)
        address(p, ins);
    if (addressed && ins->imm2)
        text_printf(p->out, " wide %u", ins->imm2);
    if (addressed && ins->argc > 1)
        text_addz(p->out, ", ");
    values(p, ins->argc - addressed, ins->args + addressed);
    if (calling)
        text_char(p->out, ')');
    if (ir_op_info[ins->op].imm == IR_IMM_BYTES)
        text_printf(p->out, " bytes %lld", (long long)ins->imm);
    if (ins->token) {
        text_addz(p->out, " [");
        value(p, ins->token);
        text_char(p->out, ']');
    }
}

static void edge(struct printer *p, const struct ir_edge *e)
{
    block_name(p, e->block);
    if (e->argc) {
        text_char(p->out, '(');
        values(p, e->argc, e->args);
        text_char(p->out, ')');
    }
    text_addz(p->out, e->breaks ? " break" : "");
}

static void targets(struct printer *p, const struct ir_ins *ins)
{
    const struct ir_block *block = ir_block_at(p->fn, ins->block);
    for (uint32_t i = 0; i < block->edges.count; i++) {
        const struct ir_edge *e = &block->edges.at[i];
        text_addz(p->out, i || ins->argc ? ", " : " ");
        if (ins->op == IR_switch && i == 0)
            text_addz(p->out, "default ");
        else if (ins->op == IR_switch)
            text_printf(p->out, "%lld: ", (long long)e->value);
        edge(p, e);
    }
    if (block->reconverge == IR_AT_RETURN) {
        text_addz(p->out, " noreconverge");
    } else if (block->reconverge != IR_NO_BLOCK) {
        text_addz(p->out, " reconverge ");
        block_name(p, block->reconverge);
    }
    text_addz(p->out, (const char *const[]){"", " predicated.true", " predicated.false",
                                            " predicated"}[block->predicated & IR_BOTH_SIDES]);
    text_addz(p->out, block->overhead ? " overhead" : "");
}

static void instruction(struct printer *p, ir_ref r)
{
    const struct ir_ins *ins = ir_at(p->fn, r);
    if (ins->type != IR_TYPE_VOID) {
        value(p, r);
        text_addz(p->out, " = ");
    }
    text_addz(p->out, ir_op_info[ins->op].text);
    type_word(p, ins);
    immediate(p, ins);
    operands(p, ins);
    if (ir_op_info[ins->op].flags & IR_TERMINATOR)
        targets(p, ins);
    location(p, ins->at);
}

/* ---- functions ------------------------------------------------------------------------------------- */

static void params(struct printer *p, uint32_t b)
{
    const u32_vec *list = &ir_block_at(p->fn, b)->params;
    text_char(p->out, '(');
    for (uint32_t i = 0; i < list->count; i++) {
        const struct ir_ins *param = ir_at(p->fn, list->at[i]);
        text_addz(p->out, i ? ", " : "");
        value(p, list->at[i]);
        text_printf(p->out, ": %s", ir_type_info[param->type].text);
        location(p, param->at);
    }
    text_char(p->out, ')');
}

static void header(struct printer *p)
{
    const struct ir_function *f = p->fn;
    text_printf(p->out, "define %s%s @", f->flags & IR_FN_KERNEL ? "kernel " : "",
                ir_type_info[f->result].text);
    ir_print_name(f->name, p->out);
    if (f->order.count)
        params(p, ir_entry(f));
    else
        text_addz(p->out, "()");
    text_addz(p->out, f->flags & IR_FN_CONVERGENT ? " convergent" : "");
    text_addz(p->out, f->flags & IR_FN_NOINLINE ? " noinline" : "");
    text_addz(p->out, f->flags & IR_FN_INLINE ? " inline" : "");
    text_addz(p->out, f->flags & IR_FN_TAKEN ? " taken" : "");
    if (f->predictions)
        text_printf(p->out, " predictions %u", f->predictions);
    location(p, f->at);
    text_addz(p->out, " {\n");
}

/* ---- comments: they end their line, and most of them stand in one column ----------------------------- */

static const char *comment_on(const struct printer *p, ir_ref r)
{
    const struct ir_print_options *o = p->options;
    return o && o->comment ? o->comment(o->data, p->fn, r) : NULL;
}

/* `line` is where the line begins in the output. */
static void begin_comment(struct printer *p, size_t line)
{
    size_t width = p->out->length - line;
    text_printf(p->out, "%*s ; ", width + 1 < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - width - 1) : 0, "");
}

/* Behind a label, what there is to say of its parameters. */
static void comment_params(struct printer *p, uint32_t b, size_t line)
{
    const u32_vec *list = &ir_block_at(p->fn, b)->params;
    bool first = true;
    for (uint32_t i = 0; i < list->count; i++) {
        const char *comment = comment_on(p, list->at[i]);
        if (!comment)
            continue;
        if (first)
            begin_comment(p, line);
        text_addz(p->out, first ? "" : ", ");
        value(p, list->at[i]);
        text_printf(p->out, " %s", comment);
        first = false;
    }
}

static void comment_instruction(struct printer *p, ir_ref r, size_t line)
{
    const char *comment = comment_on(p, r);
    if (!comment)
        return;
    begin_comment(p, line);
    text_addz(p->out, comment);
}

static void block(struct printer *p, uint32_t b)
{
    size_t line = p->out->length;
    block_name(p, b);
    if (b != ir_entry(p->fn) && ir_block_at(p->fn, b)->params.count)
        params(p, b);
    text_addz(p->out, ir_block_at(p->fn, b)->check ? ": check" : ":");
    if (ir_block_at(p->fn, b)->frontier != IR_NO_BLOCK) {
        text_addz(p->out, " frontier ");
        block_name(p, ir_block_at(p->fn, b)->frontier);
    }
    comment_params(p, b, line);
    text_char(p->out, '\n');
    ir_each_ins(r, p->fn, b) {
        line = p->out->length;
        text_addz(p->out, "  ");
        instruction(p, r);
        comment_instruction(p, r, line);
        text_char(p->out, '\n');
    }
}

void ir_print_named(const struct ir_function *f, const struct ir_names *names, ir_ref r, struct text *out)
{
    instruction(&(struct printer){.fn = f, .names = names, .out = out}, r);
}

void ir_print_function(const struct ir_function *f, struct text *out, const struct ir_print_options *o)
{
    struct scratch scratch;
    struct ir_names names = ir_names_new(scratch_begin(&scratch), f);
    struct printer p = {f, &names, out, o, !o || o->locations};
    header(&p);
    ir_each_block(i, b, f)
        block(&p, b);
    text_addz(out, "}\n");
    scratch_end(&scratch);
}

void ir_print_ins(const struct ir_function *f, ir_ref r, struct text *out)
{
    struct scratch scratch;
    struct ir_names names = ir_names_new(scratch_begin(&scratch), f);
    ir_print_named(f, &names, r, out);
    scratch_end(&scratch);
}
