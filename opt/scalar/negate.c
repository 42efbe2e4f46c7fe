/* negate.c: negations of floats moved to where they cost nothing.
 *
 * A product or quotient with a negated operand becomes the negation of one without, if all that use it take a
 * negation in (opt_takes_negation), or are such products themselves: x - (-a) * b becomes x - (-(a * b)), and
 * that, in gvn, x + a * b. Where some use keeps a negation, nothing would be gained, and one that stood
 * before a loop could come into it; there the negation of a product with a constant goes into the constant,
 * if nothing else uses the product. Signs move exactly (simplify_float.c).
 *
 * It ends also if repeated, with simplify_float.c's rules: let a use of a negation weigh as many operations,
 * other than negations, as the longest way down from its user has (edges between blocks lead no further). A
 * rule takes a use away, or puts in its place uses that weigh less, and nothing comes to weigh more (x * -1 =
 * -x takes a product away). One walk; linear, as each product looks at LOOKS_MAX uses at most.
 */
#include "opt/pass.h"

enum { LOOKS_MAX = 32 }; /* uses looked at to decide on one product */

struct negate {
    struct ir_function *f;
    const struct opt_uses *uses; /* of the values that were there before: those below `count` */
    uint32_t count;
    uint64_t moved, folded;
};

static bool is_product(const struct ir_ins *ins)
{
    return ir_is_float(ins->type) && (ins->op == IR_mul || ins->op == IR_div);
}

/* Whether the negation of r would go in each use of r, or further down. */
static bool is_taken(const struct negate *x, ir_ref r, unsigned *looks)
{
    if (x->uses->start[r] == x->uses->start[r + 1])
        return false;
    opt_each_use(u, x->uses, r) {
        if (u->edge != IR_NO_BLOCK || ++*looks > LOOKS_MAX)
            return false;
        if (!opt_takes_negation(x->f, u->user, r) &&
            !(is_product(ir_at(x->f, u->user)) && is_taken(x, u->user, looks)))
            return false;
    }
    return true;
}

static bool goes(const struct negate *x, ir_ref r)
{
    unsigned looks = 0;
    return is_taken(x, r, &looks);
}

/* Makes r the negation of a new product, of `negated` without its negation. */
static void move_down(struct negate *x, uint32_t b, ir_ref r, unsigned negated)
{
    struct ir_ins ins = *ir_at(x->f, r);
    struct ir_cursor c = {.fn = x->f, .block = b, .before = r, .at = ins.at};
    ir_ref args[2] = {ins.args[0], ins.args[1]};
    args[negated] = ir_at(x->f, args[negated])->args[0];
    ir_ref product = ir_emit2(&c, ins.op, ins.type, args[0], args[1]);
    struct ir_ins *now = ir_at(x->f, r);
    now->op = IR_neg;
    now->argc = 1;
    now->args[0] = product;
    x->moved++;
}

static void visit_product(struct negate *x, uint32_t b, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    bool left = ir_at(x->f, ins->args[0])->op == IR_neg, right = ir_at(x->f, ins->args[1])->op == IR_neg;
    if (left != right && goes(x, r))
        move_down(x, b, r, right);
}

/* The number of the product's operand that is a constant, or 2. */
static unsigned constant_operand(const struct negate *x, const struct ir_ins *product)
{
    if (ir_is_const(x->f, product->args[0], NULL))
        return 0;
    return ir_is_const(x->f, product->args[1], NULL) ? 1 : 2;
}

static bool is_used_once(const struct negate *x, ir_ref r)
{
    return r < x->count && x->uses->start[r + 1] - x->uses->start[r] == 1;
}

/* r = -(a * constant): makes it a * -constant. */
static void visit_negation(struct negate *x, ir_ref r)
{
    ir_ref of = ir_at(x->f, r)->args[0];
    struct ir_ins product = *ir_at(x->f, of);
    if (!is_product(&product) || !is_used_once(x, of) || goes(x, r))
        return;
    unsigned constant = constant_operand(x, &product);
    if (constant == 2)
        return;
    ir_ref *args = arena_array(&x->f->module->arena, ir_ref, 2);
    args[!constant] = product.args[!constant];
    args[constant] = opt_opposite(x->f, product.args[constant]);
    struct ir_ins *now = ir_at(x->f, r);
    now->op = product.op;
    now->argc = 2;
    now->args = args;
    x->folded++;
}

bool opt_negate(struct opt_context *c, struct ir_function *f)
{
    const struct ir_cfg *g = opt_cfg(c, f);
    struct negate x = {.f = f, .uses = opt_uses(c, f), .count = f->ins.count};
    for (uint32_t i = 0; i < g->rpo_count; i++)
        for (ir_ref r = ir_block_at(f, g->rpo[i])->first; r; r = ir_at(f, r)->next) {
            if (is_product(ir_at(f, r)))
                visit_product(&x, g->rpo[i], r);
            else if (ir_at(f, r)->op == IR_neg && ir_is_float(ir_at(f, r)->type))
                visit_negation(&x, r);
        }
    opt_count(c, "negations moved", x.moved);
    opt_count(c, "negations put into constants", x.folded);
    return x.moved + x.folded != 0;
}
