/* analyses.h: the analyses of ir/views/views.h for a whole module, chosen by name. */
#ifndef KERNC_LIB_ANALYSES_H
#define KERNC_LIB_ANALYSES_H

#include "ir/ir.h"

/* The first word of the list (separated by commas) that names no analysis, or NULL. `n` gets its length. */
const char *analyses_unknown(const char *list, size_t *n);
/* Each named analysis of each function; form: enum kernc_analysis_form. */
void analyses_show(const struct ir_module *m, const char *list, int form, struct text *out);

#endif
