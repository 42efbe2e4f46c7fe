/* doc_isa.c: the tables of docs/isa.md (instructions by kind, opcodes, control registers, faults, cycles) and
 * of docs/warp-core.md. */
#include "test/tools/doc_tables.h"

#include "backend/backend.h"

#include <stdio.h>

static const char *code(struct text *t, const char *s)
{
    t->length = 0;
    text_printf(t, "`%s`", s);
    return t->at;
}

static const char *number(struct text *t, const char *format, uint32_t n)
{
    t->length = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    text_printf(t, format, n);
#pragma GCC diagnostic pop
    return t->at;
}

/* ---- instructions ------------------------------------------------------------------------------------ */

/* How operand i is written: rd, pa, imm. */
static const char *operand(char letter, unsigned i)
{
    static const char *const registers[] = {"rd", "ra", "rb", "rc"};
    static const char *const predicates[] = {"pd", "pa", "pb", "pc"};
    switch (letter) {
    case 'D': case 'r': return registers[i];
    case 'P': case 'p': return predicates[i];
    case 'k': return "target";
    case 'R': return "reconverge";
    case 's': return "branch";
    case 'c': case 'C': return "csr";
    case 'n': return "text";
    case 'w': return "word";
    default:  return "imm";
    }
}

/* `ld.global.32 rd, [ra + imm]`; what may be left out stands in braces. */
static void write_syntax(struct text *t, const struct wc_op_info *info)
{
    const char *letters = info->operands;
    bool first = true;
    t->length = 0;
    text_printf(t, "`%s", info->mnemonic);
    for (unsigned i = 0; i < 6; i++) {
        if (letters[i] == '-' || letters[i] == 'o')
            continue;
        bool optional = letters[i] == 'R' || letters[i] == 's', address = i == 1 && letters[4] == 'o';
        text_printf(t, "%s%s%s%s", optional ? " {" : "", first ? (optional ? "" : " ") : ", ",
                    address ? "[ra + imm]" : operand(letters[i], i), optional ? "}" : "");
        first = false;
    }
    text_char(t, '`');
}

static const char *major_name(unsigned major)
{
    switch (major) {
#define WC_MAJOR(name, number, format) case number: return #name;
#include "backend/format/warpcore/isa.def"
    default: return "";
    }
}

static const char *encoding(struct text *t, const struct wc_op_info *info)
{
    t->length = 0;
    text_printf(t, "%s", major_name(info->major));
    if (wc_formats[info->major] == WC_FORMAT_R || wc_formats[info->major] == WC_FORMAT_I)
        text_printf(t, " %u", info->func);
    return t->at;
}

/* The instructions of these majors. */
static void instructions(struct text *out, uint32_t majors)
{
    struct text syntax = {0}, where = {0}, cycles = {0};
    doc_heading(out, "instruction", "opcode", "cycles", "result or effect", NULL);
    for (unsigned op = 0; op < WC_OPS; op++) {
        const struct wc_op_info *info = &wc_op_info[op];
        if (!(majors >> info->major & 1))
            continue;
        write_syntax(&syntax, info);
        doc_row(out, syntax.at, encoding(&where, info), number(&cycles, "%u", wc_cycles((enum wc_op)op)),
                wc_meaning((enum wc_op)op), NULL);
    }
    text_free(&syntax);
    text_free(&where);
    text_free(&cycles);
}

#define MAJOR(name) (1u << WC_MAJOR_##name)

void doc_isa_integers(struct text *out)
{
    instructions(out, MAJOR(ALU));
}

void doc_isa_immediates(struct text *out)
{
    instructions(out, MAJOR(ALUI) | MAJOR(LI) | MAJOR(LUI));
}

void doc_isa_floats(struct text *out)
{
    instructions(out, MAJOR(FPU));
}

void doc_isa_memory(struct text *out)
{
    instructions(out, MAJOR(LOAD) | MAJOR(STORE));
}

void doc_isa_atomics(struct text *out)
{
    instructions(out, MAJOR(ATOM));
}

void doc_isa_warp(struct text *out)
{
    instructions(out, MAJOR(WARP));
}

void doc_isa_system(struct text *out)
{
    instructions(out, MAJOR(SYSTEM));
}

void doc_isa_flow(struct text *out)
{
    instructions(out, MAJOR(FLOW) | MAJOR(BR) | MAJOR(BRN) | MAJOR(DIVERGE));
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

void doc_isa_majors(struct text *out)
{
    static const char *const formats[] = {"", "R", "I", "U", "B"};
    struct text name = {0}, n = {0};
    doc_heading(out, "opcode", "bits 31..27", "format", NULL);
    for (unsigned major = 0; major < 32; major++)
        if (wc_formats[major])
            doc_row(out, code(&name, major_name(major)), number(&n, "%u", major), formats[wc_formats[major]],
                    NULL);
    text_free(&name);
    text_free(&n);
}

void doc_isa_csrs(struct text *out)
{
    struct text name = {0}, n = {0};
    doc_heading(out, "name", "number", "", "meaning", NULL);
    for (size_t i = 0; i < wc_csr_count; i++) {
        const struct wc_csr_info *csr = &wc_csr_info[i];
        doc_row(out, code(&name, csr->name), number(&n, "0x%02x", csr->number),
                csr->writable ? "written" : "read", csr->meaning, NULL);
    }
    text_free(&name);
    text_free(&n);
}

void doc_warp_core_steps(struct text *out)
{
    struct text name = {0};
    doc_heading(out, "step", "leaves", NULL);
    for (unsigned i = 0; i < WC_STEPS; i++)
        doc_row(out, code(&name, wc_step_info[i].name), wc_step_info[i].meaning, NULL);
    text_free(&name);
}

void doc_isa_faults(struct text *out)
{
    struct text name = {0}, n = {0};
    doc_heading(out, "code", "name", "meaning", NULL);
    for (size_t i = 0; i < wc_trap_count; i++)
        doc_row(out, number(&n, "%u", wc_trap_info[i].code), code(&name, wc_trap_info[i].name),
                wc_trap_info[i].meaning, NULL);
    text_free(&name);
    text_free(&n);
}

void doc_isa_cycles(struct text *out)
{
    struct text cycles = {0}, interval = {0};
    const struct wc_timing *t = &wc_timing_default;
    doc_heading(out, "unit", "cycles", "interval", "port", "instructions", NULL);
    for (unsigned unit = 0; unit < WC_UNITS; unit++)
        doc_row(out, wc_unit_info[unit].name, number(&cycles, "%u", t->cycles[unit]),
                number(&interval, "%u", t->interval[unit]), wc_unit_info[wc_unit_info[unit].port].name,
                wc_unit_info[unit].meaning, NULL);
    text_free(&cycles);
    text_free(&interval);
}

void doc_isa_parameters(struct text *out)
{
    struct text value = {0};
    doc_heading(out, "parameter", "value", "meaning", NULL);
    for (unsigned i = 0; i < WC_PARAMETERS; i++)
        doc_row(out, wc_parameter_info[i].name, number(&value, "%u", wc_timing_default.parameter[i]),
                wc_parameter_info[i].meaning, NULL);
    text_free(&value);
}

void doc_isa_modes(struct text *out)
{
    struct text name = {0};
    doc_heading(out, "mode", "meaning", NULL);
    for (unsigned mode = 0; mode < WC_MODES; mode++)
        doc_row(out, code(&name, wc_mode_info[mode].name), wc_mode_info[mode].meaning, NULL);
    text_free(&name);
}

void doc_isa_limits(struct text *out)
{
    static const struct { const char *name; uint32_t value; const char *meaning; } limits[] = {
#define LIMIT(name, of) {#name, name, of},
#include "backend/warpcore/limits.def"
    };
    struct text name = {0}, n = {0};
    doc_heading(out, "limit", "value", "of", NULL);
    for (size_t i = 0; i < COUNT(limits); i++)
        doc_row(out, code(&name, limits[i].name), number(&n, "%u", limits[i].value), limits[i].meaning, NULL);
    text_free(&name);
    text_free(&n);
}
