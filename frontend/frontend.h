/* frontend.h: from source text to IR: the whole of the front end.
 *
 * lexer.re + parser.y make the tree (ast.h), the checker annotates it, tokens are inferred, lowering makes
 * the IR. Errors of syntax end the work before checking, other errors before lowering.
 */
#ifndef KERNC_FRONTEND_H
#define KERNC_FRONTEND_H

#include "base/diag.h"
#include "frontend/limits.h"
#include "ir/ir.h"

enum fe_group {
#define GROUP(name, is_on, meaning) FE_GROUP_##name,
#include "frontend/messages.def"
    FE_GROUPS
};
struct fe_group_info { const char *name, *meaning; bool is_on; };
extern const struct fe_group_info fe_group_info[FE_GROUPS];

struct fe_options {
    uint32_t groups;             /* bit per enum fe_group: its warnings are given */
    struct fe_limits limits;
    bool trap_division;          /* -ftrap-div: integer division by zero traps instead of giving all ones */
};
void fe_options_init(struct fe_options *o);
/* The text behind -W: "all", "GROUP", "no-GROUP", "no-all". False: there is no such group. */
bool fe_options_warning(struct fe_options *o, const char *text);
/* Of `name`, n bytes; NULL: there is none. */
const struct fe_limit_info *fe_limit_find(const char *name, size_t n);
/* Where its value in force is. */
uint32_t *fe_options_limit(struct fe_options *o, const struct fe_limit_info *limit);

/* The module, for ir_module_free; NULL if d received errors. o NULL: defaults. */
struct ir_module *fe_compile(const struct source *s, struct diagnostics *d, const struct fe_options *o);

/* The syntax tree of the source as text, for `kernc dump --ast`; false if d received errors. */
bool fe_dump_tree(const struct source *s, struct diagnostics *d, const struct fe_options *o,
                  struct text *out);

#endif
