/* doc_tables.c: the list of tables, and the shape of all of them. */
#include "test/tools/doc_tables.h"

const struct doc_table doc_tables[] = {
    {"ir-types", doc_ir_types},
    {"ir-accesses", doc_ir_accesses},
    {"ir-scalar-operations", doc_ir_scalar_operations},
    {"ir-operations", doc_ir_operations},
    {"ir-specials", doc_ir_specials},
    {"ir-rules", doc_ir_rules},
    {"ir-messages", doc_ir_messages},
    {"ir-limits", doc_ir_limits},
    {"language-types", doc_language_types},
    {"language-keywords", doc_language_keywords},
    {"language-foreign", doc_language_foreign},
    {"language-places", doc_language_places},
    {"language-convergent", doc_language_convergent},
    {"language-atomics", doc_language_atomics},
    {"language-tools", doc_language_tools},
    {"language-arithmetic", doc_language_arithmetic},
    {"language-libm", doc_language_libm},
    {"language-warnings", doc_language_warnings},
    {"language-limits", doc_language_limits},
    {"bytecode-operations", doc_bytecode_operations},
    {"bytecode-forms", doc_bytecode_forms},
    {"bytecode-limits", doc_bytecode_limits},
    {"bytecode-latencies", doc_bytecode_latencies},
    {"isa-majors", doc_isa_majors},
    {"isa-integers", doc_isa_integers},
    {"isa-immediates", doc_isa_immediates},
    {"isa-floats", doc_isa_floats},
    {"isa-memory", doc_isa_memory},
    {"isa-atomics", doc_isa_atomics},
    {"isa-warp", doc_isa_warp},
    {"isa-system", doc_isa_system},
    {"isa-flow", doc_isa_flow},
    {"isa-csrs", doc_isa_csrs},
    {"isa-faults", doc_isa_faults},
    {"isa-cycles", doc_isa_cycles},
    {"isa-parameters", doc_isa_parameters},
    {"isa-modes", doc_isa_modes},
    {"warp-core-steps", doc_warp_core_steps},
    {"isa-limits", doc_isa_limits},
    {"schemes", doc_schemes},
    {"targets", doc_targets},
    {"driver-verbs", doc_driver_verbs},
    {"driver-kinds", doc_driver_kinds},
    {"driver-exits", doc_driver_exits},
    {"driver-files", doc_driver_files},
    {"driver-options", doc_driver_options},
    {"driver-limits", doc_driver_limits},
    {"driver-pass-options", doc_driver_pass_options},
    {"driver-metrics", doc_driver_metrics},
    {"driver-classes", doc_driver_classes},
    {"driver-figures", doc_driver_figures},
    {NULL, NULL},
};

static void cell(struct text *out, const char *s)
{
    text_addz(out, "| ");
    for (; *s; s++) {
        if (*s == '|')
            text_char(out, '\\');
        text_char(out, *s);
    }
    text_char(out, ' ');
}

static int cells(struct text *out, va_list args)
{
    int n = 0;
    for (const char *s; (s = va_arg(args, const char *)); n++)
        cell(out, s);
    text_addz(out, "|\n");
    return n;
}

void doc_row(struct text *out, ...)
{
    va_list args;
    va_start(args, out);
    cells(out, args);
    va_end(args);
}

void doc_heading(struct text *out, ...)
{
    va_list args;
    va_start(args, out);
    for (int n = cells(out, args); n > 0; n--)
        text_addz(out, "| --- ");
    text_addz(out, "|\n");
    va_end(args);
}
