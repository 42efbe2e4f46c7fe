/* doc_bytecode.c: the tables of docs/bytecode.md, and the cycles in docs/metrics.md. */
#include "test/tools/doc_tables.h"

#include "backend/format/bytecode/program.h"

#include <stdio.h>

static const char *code(const char *s, char buffer[128])
{
    snprintf(buffer, 128, "`%s`", s);
    return buffer;
}

void doc_bytecode_operations(struct text *out)
{
    char name[128], operands[128];
    doc_heading(out, "operation", "d a b c e imm", "meaning", NULL);
    for (unsigned op = BC_SCALAR_OPS; op < BC_OPS; op++)
        doc_row(out, code(bc_op_rows[op].name, name), code(bc_op_rows[op].operands, operands),
                bc_op_meaning((enum bc_op)op), NULL);
}

/* Every form of a few cases stands for all: a comparison, a conversion, a choice of masks, one of four
 * operands. */
void doc_bytecode_forms(struct text *out)
{
    static const enum scalar_case examples[] = {SCALAR_slt_I, SCALAR_sext_IL, SCALAR_select_B, SCALAR_dot2_D};
    char name[128], operands[128];
    doc_heading(out, "operation", "d a b c e imm", "of `base/scalar.def`", NULL);
    for (size_t i = 0; i < COUNT(examples); i++)
        for (unsigned form = 0; form < BC_FORMS; form++) {
            const struct bc_op_info *info = bc_op_info(bc_scalar_op(examples[i], (enum bc_form)form));
            if (info)
                doc_row(out, code(info->name, name), code(info->operands, operands),
                        scalar_op_meaning(scalar_case_info[examples[i]].op), NULL);
        }
}

void doc_bytecode_limits(struct text *out)
{
    static const struct {
        const char *name;
        unsigned value;
        const char *meaning;
    } limits[] = {
#define LIMIT(name, meaning) {#name, name, meaning},
#include "backend/bytecode/limits.def"
    };
    char name[128], value[16];
    doc_heading(out, "limit", "value", "of", NULL);
    for (size_t i = 0; i < COUNT(limits); i++) {
        snprintf(value, sizeof value, "%u", limits[i].value);
        doc_row(out, code(limits[i].name, name), value, limits[i].meaning, NULL);
    }
}

void doc_bytecode_latencies(struct text *out)
{
    static const struct {
        const char *name;
        unsigned cycles;
        const char *meaning;
    } rows[] = {
#define LATENCY(class, cycles, meaning) {#class, cycles, meaning},
#include "ir/latency.def"
    };
    char cycles[16];
    doc_heading(out, "class", "cycles", "instructions", NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        snprintf(cycles, sizeof cycles, "%u", rows[i].cycles);
        doc_row(out, rows[i].name, cycles, rows[i].meaning, NULL);
    }
}
