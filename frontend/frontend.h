/* frontend.h: from source text to IR: the whole of the front end.
 *
 * lexer.re + parser.y make the tree (ast.h), the checker annotates it, tokens are inferred, lowering makes
 * the IR. All that the parser could read is checked; errors end the work before lowering.
 */
#ifndef KERNC_FRONTEND_H
#define KERNC_FRONTEND_H

#include "base/diag.h"
#include "ir/ir.h"

/* limits.def: values by name, and what its rows say. */
struct fe_limits {
#define LIMIT(name, value, most, meaning) uint32_t name;
#include "frontend/limits.def"
};

extern const struct fe_limits fe_default_limits;

#define FE_LIMITS (sizeof(struct fe_limits) / sizeof(uint32_t))
struct fe_limit_info {
    const char *name, *meaning;
    uint32_t value, most;
};
extern const struct fe_limit_info fe_limit_info[FE_LIMITS]; /* in the order of the members */

struct fe_options {
    struct fe_limits limits;
    bool trap_division;   /* -ftrap-div: integer division by zero traps instead of giving all ones */
    bool tells_unwritten; /* --check=uninit: a check.memory where a variable begins without a value */
    bool tells_shifts;    /* --check=shift: the same in front of each shift */
    const char *const
        *defines; /* "NAME=VALUE": instead of what the file's constants are declared with; a mere
                     "NAME" is 1 */
    uint32_t define_count;
};
/* Defaults: all limits at theirs. */
void fe_options_init(struct fe_options *o);
/* Of `name`, n bytes; NULL: there is none. */
const struct fe_limit_info *fe_limit_find(const char *name, size_t n);
/* Where its value in force is. */
uint32_t *fe_options_limit(struct fe_options *o, const struct fe_limit_info *limit);

/* The module, for ir_module_free; NULL if d received errors. o NULL: defaults. The source gets the files that
 * it includes; d's arena keeps them. */
struct ir_module *fe_compile(struct source *s, struct diagnostics *d, const struct fe_options *o);

/* The syntax tree of the source as text, for `kernc dump --ast`; false if d received errors. */
bool fe_dump_tree(struct source *s, struct diagnostics *d, const struct fe_options *o, struct text *out);

#endif
