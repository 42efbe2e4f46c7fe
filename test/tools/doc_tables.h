/* doc_tables.h: the tables that gen_docs can write. */
#ifndef KERNC_TEST_DOC_TABLES_H
#define KERNC_TEST_DOC_TABLES_H

#include "base/base.h"

struct doc_table {
    const char *name;
    void (*write)(struct text *out);
};
extern const struct doc_table doc_tables[]; /* ends with a row whose name is NULL */

/* Whether the page is as its tables say, or (without `check`) now is; if not, why is on stderr. */
bool doc_page(const char *path, bool check);

/* Cells of a Markdown table; `|` in them is escaped. doc_row takes strings up to a NULL. */
void doc_row(struct text *out, ...) __attribute__((sentinel));
void doc_heading(struct text *out, ...) __attribute__((sentinel)); /* a row and the rule below it */

/* test/tools/doc_ir.c */
void doc_ir_types(struct text *out);
void doc_ir_accesses(struct text *out);
void doc_ir_scalar_operations(struct text *out);
void doc_ir_operations(struct text *out);
void doc_ir_specials(struct text *out);
void doc_ir_rules(struct text *out);
void doc_ir_messages(struct text *out);
void doc_ir_limits(struct text *out);

/* test/tools/doc_language.c */
void doc_language_types(struct text *out);
void doc_language_keywords(struct text *out);
void doc_language_foreign(struct text *out);
void doc_language_places(struct text *out);
void doc_language_convergent(struct text *out);
void doc_language_atomics(struct text *out);
void doc_language_tools(struct text *out);
void doc_language_arithmetic(struct text *out);
void doc_language_libm(struct text *out);
void doc_language_warnings(struct text *out);
void doc_language_limits(struct text *out);

/* test/tools/doc_bytecode.c */
void doc_bytecode_operations(struct text *out);
void doc_bytecode_forms(struct text *out);
void doc_bytecode_limits(struct text *out);
void doc_bytecode_latencies(struct text *out);

/* test/tools/doc_isa.c */
void doc_isa_majors(struct text *out);
void doc_isa_integers(struct text *out);
void doc_isa_immediates(struct text *out);
void doc_isa_floats(struct text *out);
void doc_isa_memory(struct text *out);
void doc_isa_atomics(struct text *out);
void doc_isa_warp(struct text *out);
void doc_isa_system(struct text *out);
void doc_isa_flow(struct text *out);
void doc_isa_csrs(struct text *out);
void doc_isa_faults(struct text *out);
void doc_isa_cycles(struct text *out);
void doc_isa_parameters(struct text *out);
void doc_isa_modes(struct text *out);
void doc_warp_core_steps(struct text *out);
void doc_isa_limits(struct text *out);

/* test/tools/doc_schemes.c */
void doc_schemes(struct text *out);
void doc_targets(struct text *out);

/* test/tools/doc_driver.c */
void doc_driver_verbs(struct text *out);
void doc_driver_kinds(struct text *out);
void doc_driver_exits(struct text *out);
void doc_driver_files(struct text *out);
void doc_driver_options(struct text *out);
void doc_driver_limits(struct text *out);
void doc_driver_pass_options(struct text *out);
void doc_driver_metrics(struct text *out);
void doc_driver_classes(struct text *out);
void doc_driver_figures(struct text *out);

#endif
