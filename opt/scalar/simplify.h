/* simplify.h: what simplify.c and simplify_float.c share. A rule looks at one instruction through a view of
 * it, and gives an existing value equal to it; or 0, having rewritten it in place or left it alone. */
#ifndef KERNC_OPT_SIMPLIFY_H
#define KERNC_OPT_SIMPLIFY_H

#include "opt/pass.h"

struct opt_view {
    struct ir_function *f;
    ir_ref r;
    bool *changed;
    struct ir_ins ins; /* a copy: constants made meanwhile move the instructions */
    bool is_const[SCALAR_MAX_ARGS];
    scalar_bits bits[SCALAR_MAX_ARGS];
};

static inline const struct ir_ins *maker(const struct opt_view *v, unsigned arg)
{
    return ir_at(v->f, v->ins.args[arg]);
}

/* What a load gives that reads constant data at a known place; false: it doesn't. */
bool opt_constant_load(const struct ir_function *f, const struct ir_ins *load, scalar_bits *bits);
/* Rewrites r to `op a b` in place (b 0: one operand). Gives 0. */
ir_ref opt_rewrite(struct opt_view *v, enum ir_op op, ir_ref a, ir_ref b);

/* not, neg, brev: each undoes itself. */
ir_ref opt_simplify_involution(struct opt_view *v);
/* By a known condition, or two values that are the same or truths. */
ir_ref opt_simplify_select(struct opt_view *v);
/* An operation that gives a float. */
ir_ref opt_simplify_float(struct opt_view *v);

#endif
