/* verify.h: what the verifier's files share. Private to ir/. */
#ifndef KERNC_IR_VERIFY_H
#define KERNC_IR_VERIFY_H

#include "ir/analysis/analysis.h"
#include "ir/limits.h"

enum ir_rule {
#define RULE(ID, name, kind, meaning) IR_RULE_##ID,
#include "ir/verify/rules.def"
    IR_RULES
};
struct ir_rule_info {
    const char *name, *meaning;
    bool in_text;
};
extern const struct ir_rule_info ir_rule_info[IR_RULES];

struct verifier {
    const struct ir_module *m;
    const struct ir_function *fn; /* NULL while the module is checked */
    struct diagnostics *d;
    struct arena *scratch;
    bool broken;
    struct bitset values; /* what may be an operand: see rule `operand` */
    uint32_t *position;   /* of each instruction in its block */
};

/* Reports that the rule is broken at the place, and sets v->broken. */
void ir_rule_broken(struct verifier *v, enum ir_rule rule, place at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The same about an instruction, which is shown. */
void ir_ins_broken(struct verifier *v, enum ir_rule rule, ir_ref r, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

bool ir_verify_structure(struct verifier *v);     /* structure.c; fills values and position */
void ir_verify_ins(struct verifier *v, ir_ref r); /* instructions.c: types and immediates */
void ir_verify_convergence(struct verifier *v, const struct ir_cfg *c); /* convergence.c */
void ir_verify_tables(struct verifier *v);                              /* module.c: all but functions */
/* No function calls itself, also through others: one message for each call that closes a circle. */
void ir_verify_call_graph(struct verifier *v);

#endif
