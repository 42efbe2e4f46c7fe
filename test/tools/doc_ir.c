/* doc_ir.c: the tables of docs/ir.md. */
#include "test/tools/doc_tables.h"

#include "ir/limits.h"
#include "ir/text/lexer.h"
#include "ir/verify/verify.h"

#include <stdio.h>

static const char *code(const char *s, char buffer[128])
{
    snprintf(buffer, 128, s && *s ? "`%s`" : "", s);
    return buffer;
}

static const char *count(unsigned n, char buffer[16])
{
    snprintf(buffer, 16, "%u", n);
    return buffer;
}

void doc_ir_types(struct text *out)
{
    char name[128], bytes[16];
    doc_heading(out, "type", "bytes", "meaning", NULL);
    for (int t = 0; t < IR_TYPES; t++)
        doc_row(out, code(ir_type_info[t].text, name), count(ir_type_info[t].bytes, bytes),
                ir_type_info[t].meaning, NULL);
}

void doc_ir_accesses(struct text *out)
{
    char name[128], type[128], bytes[16];
    doc_heading(out, "access", "value", "bytes", "meaning", NULL);
    for (int m = IR_MEM_NONE + 1; m < IR_MEMS; m++)
        doc_row(out, code(ir_mem_info[m].text, name),
                m == IR_MEM_PTR ? "a pointer" : code(ir_type_info[ir_mem_info[m].type].text, type),
                count(ir_mem_info[m].bytes, bytes), ir_mem_info[m].meaning, NULL);
}

/* "i32 (i32, i32)", … of each case */
static void add_cases(struct text *cell, int op)
{
    static const char *const types[SCALAR_TYPES] = {"i1", "i32", "i64", "f32", "f64"};
    for (int i = 0, n = 0; i < SCALAR_CASES; i++) {
        const struct scalar_case_info *c = &scalar_case_info[i];
        if (c->op != op)
            continue;
        text_printf(cell, "%s`%s (", n++ ? ", " : "", types[c->result]);
        for (int k = 0; k < c->arity; k++)
            text_printf(cell, "%s%s", k ? ", " : "", types[c->argument[k]]);
        text_addz(cell, ")`");
    }
}

void doc_ir_scalar_operations(struct text *out)
{
    char name[128];
    doc_heading(out, "operation", "meaning", "types", NULL);
    for (int op = 0; op < SCALAR_OPS; op++) {
        struct text cases = {0};
        add_cases(&cases, op);
        doc_row(out, code(ir_op_info[op].text, name), ir_op_meaning((enum ir_op)op), cases.at, NULL);
        text_free(&cases);
    }
}

static const char *letter_text(char letter)
{
    switch (letter) {
    case 'v': return "";
    case 'b': return "i1";
    case 'i': return "i32";
    case 'l': return "i64";
    case 't': return "token";
    case 'p': return "ptr.private";
    case 'f': return "ptr.function";
    case 'w': return "integer";
    case 'k': return "i1 or integer";
    case 'n': return "number";
    case 'a': return "address";
    case 'c': return "i32 or pointer";
    case 'x': return "value";
    case '=': return "same";
    case 'm': return "access";
    case 'r': return "value or none";
    default: return "any";
    }
}

static void add_operands(struct text *cell, const struct ir_op_info *op)
{
    for (const char *l = op->types + 2; *l; l++)
        text_printf(cell, "%s%s", l > op->types + 2 ? ", " : "", letter_text(*l));
    if (op->argc < 0)
        text_addz(cell, op->types[2] ? ", …" : "…");
}

static void add_flags(struct text *cell, uint16_t flags)
{
    static const struct {
        uint16_t flag;
        const char *word;
    } words[] = {{IR_EFFECT, "effect"},         {IR_READS, "reads"},           {IR_WRITES, "writes"},
                 {IR_CONVERGENT, "convergent"}, {IR_TERMINATOR, "terminator"}, {IR_DIVERGES, "divergent"},
                 {IR_UNIFORM, "uniform"},       {IR_TRAPS, "may trap"}};
    for (size_t i = 0; i < COUNT(words); i++)
        if (flags & words[i].flag)
            text_printf(cell, "%s%s", cell->length ? ", " : "", words[i].word);
}

void doc_ir_operations(struct text *out)
{
    char name[128];
    doc_heading(out, "operation", "value", "operands", "properties", "meaning", NULL);
    for (int i = SCALAR_OPS; i < IR_OPS; i++) {
        const struct ir_op_info *op = &ir_op_info[i];
        struct text operands = {0}, flags = {0};
        if (i == IR_none || i == IR_constant || i == IR_param)
            continue;
        add_operands(&operands, op);
        add_flags(&flags, op->flags);
        doc_row(out, code(op->text, name), letter_text(op->types[0]), operands.at ? operands.at : "",
                flags.at ? flags.at : "", ir_op_meaning((enum ir_op)i), NULL);
        text_free(&operands);
        text_free(&flags);
    }
}

void doc_ir_specials(struct text *out)
{
    static const char *const scopes[] = {"thread", "warp", "block", "launch"};
    char name[128], source[128];
    doc_heading(out, "register", "in Kern", "same in the whole", "meaning", NULL);
    for (int s = 0; s < IR_SPECIALS; s++)
        doc_row(out, code(ir_special_info[s].text, name), code(ir_special_info[s].source, source),
                scopes[ir_special_info[s].scope], ir_special_info[s].meaning, NULL);
}

void doc_ir_rules(struct text *out)
{
    char name[128];
    doc_heading(out, "rule", "says", NULL);
    for (int r = 0; r < IR_RULES; r++)
        doc_row(out, code(ir_rule_info[r].name, name), ir_rule_info[r].meaning, NULL);
}

void doc_ir_messages(struct text *out)
{
    char name[128], format[128];
    doc_heading(out, "error", "message", NULL);
    for (int m = 0; m < IR_MESSAGES; m++)
        doc_row(out, code(ir_message_info[m].name, name), code(ir_message_info[m].format, format), NULL);
}

void doc_ir_limits(struct text *out)
{
    static const struct {
        const char *name;
        unsigned value;
        const char *what;
    } limits[] = {
#define LIMIT(name, value, what) {#name, name, what},
#include "ir/limits.def"
    };
    char name[128], value[16];
    doc_heading(out, "limit", "value", "of", NULL);
    for (size_t i = 0; i < COUNT(limits); i++)
        doc_row(out, code(limits[i].name, name), count(limits[i].value, value), limits[i].what, NULL);
}
