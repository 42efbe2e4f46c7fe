/* syntax.h: what the printer and the parser of the text form share, and who else
 * writes names of its kind. Private to ir/ and import/. */
#ifndef KERNC_IR_SYNTAX_H
#define KERNC_IR_SYNTAX_H

#include "ir/ir.h"

/* Whether operands stand in parentheses: calls and what looks like one. */
static inline bool ir_is_calling(enum ir_op op)
{
    return ir_op_info[op].argc < 0 && ir_op_info[op].imm != IR_IMM_NONE;
}
static inline bool ir_has_threshold(enum ir_op op)
{
    return op == IR_predict || op == IR_predict_function || op == IR_cb_wait;
}
/* Whether the word behind the operation is an access type ("s8", "f32"; of a pointer the pointer's type). */
static inline bool ir_has_access(enum ir_op op)
{
    return ir_op_info[op].imm == IR_IMM_OFFSET;
}

static inline bool ir_is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}
/* The form of names that stand for "no name": %N, and blocks bN. */
bool ir_is_numbered_value(const char *name);
bool ir_is_numbered_block(const char *name);

/* ---- names (ir/text/names.c): unique in a function, the same again when the text is parsed and printed -- */

struct ir_names {
    const char **values, **blocks; /* by index; NULL: has none */
};
/* The arrays live in the arena. Linear. */
struct ir_names ir_names_new(struct arena *a, const struct ir_function *f);
/* ir_print_ins for who prints many: the names are made once. */
void ir_print_named(const struct ir_function *f, const struct ir_names *names, ir_ref r, struct text *out);
/* Makes names unique: gives `name`, or `name.N` if it was given before. */
struct ir_unique {
    struct arena *arena;
    struct strings strings;
    struct map taken;
};
/* Interned in u->strings; u->arena is set before. Near-constant time on average. */
const char *ir_unique_name(struct ir_unique *u, const char *name);

/* ---- constants (ir/text/print.c) ------------------------------------------------------------- */

/* A constant in its own notation: 5 5L 1.5f 1.5 inff nan true null.global ptr.shared 0x10. */
void ir_print_constant(enum ir_type t, scalar_bits bits, struct text *out);

/* kernel @name(parameters), of the tables of a module, without the line's end. */
void ir_print_kernel(const struct ir_module *m, const struct ir_kernel_info *k, struct text *out);

/* A name that has a meaning outside of the text; quoted if it is no plain word. */
void ir_print_name(const char *name, struct text *out);

#endif
