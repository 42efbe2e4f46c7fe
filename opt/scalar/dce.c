/* dce.c: removes what no effect depends on: values, block parameters and their arguments, stores to private
 * memory that is never read, convergent operations and tokens that nobody uses.
 *
 * Marks from the effects backwards (Cytron et al. 1991, section 7.1, with every branch taken as live: an
 * endless loop stays one). A store to an alloca is an effect only once something reads the alloca, or lets
 * its address go. "Convergent Operation Semantics" allows removing an unused convergent operation that has no
 * other effect: what its threads see of each other was its value alone. Linear.
 */
#include "opt/pass.h"

struct dce {
    struct opt_context *c;
    struct ir_function *f;
    ir_ref *alloca_of;   /* by ref: the alloca that the address points into, or 0 */
    struct walk live;    /* over instructions that are needed */
    struct bitset read;  /* allocas whose contents matter */
    ir_ref *first_store; /* by alloca: stores that wait for it to be read */
    ir_ref *next_store;
    const struct ir_cfg *g;
};

static void mark(struct dce *d, ir_ref r)
{
    if (r != 0)
        walk_add(&d->live, r);
}

static void mark_read(struct dce *d, ir_ref address)
{
    ir_ref a = d->alloca_of[address];
    if (!a || bitset_has(d->read, a))
        return;
    bitset_add(d->read, a);
    for (ir_ref s = d->first_store[a]; s; s = d->next_store[s])
        mark(d, s);
}

static bool only_writes(enum ir_op op)
{
    return op == IR_store || op == IR_memzero || op == IR_memcpy;
}

/* Addresses within an alloca, in reverse post-order, so that each is met before its uses. In blocks that
 * can't be reached none is known; their stores are effects like any other. */
static void find_addresses(struct dce *d)
{
    const struct ir_cfg *g = d->g;
    for (uint32_t i = 0; i < g->rpo_count; i++)
        ir_each_ins(r, d->f, g->rpo[i]) {
            const struct ir_ins *ins = ir_at(d->f, r);
            if (ins->op == IR_alloca)
                d->alloca_of[r] = r;
            else if (ins->op == IR_ptradd)
                d->alloca_of[r] = d->alloca_of[ins->args[0]];
        }
}

/* An assertion of what is true has none. */
static bool has_effect(const struct dce *d, ir_ref r)
{
    const struct ir_ins *ins = ir_at(d->f, r);
    scalar_bits holds;
    if (ins->op == IR_assert && ir_is_const(d->f, ins->args[0], &holds))
        return !holds;
    return ir_has_effect(d->f, r) && ins->op != IR_alloca;
}

static void find_roots(struct dce *d)
{
    ir_each_block(i, b, d->f)
        ir_each_ins(r, d->f, b) {
            const struct ir_ins *ins = ir_at(d->f, r);
            ir_ref a = only_writes(ins->op) ? d->alloca_of[ins->args[0]] : 0;
            if (a) {
                d->next_store[r] = d->first_store[a];
                d->first_store[a] = r;
            } else if (has_effect(d, r)) {
                mark(d, r);
            }
        }
}

static void mark_operands(struct dce *d, ir_ref r)
{
    const struct ir_ins *ins = ir_at(d->f, r);
    for (uint32_t i = 0; i < ins->argc; i++) {
        mark(d, ins->args[i]);
        if (ins->op != IR_ptradd && !(i == 0 && only_writes(ins->op)))
            mark_read(d, ins->args[i]);
    }
    mark(d, ins->token);
}

static void mark_arguments(struct dce *d, uint32_t b, uint32_t position)
{
    for (uint32_t at = d->g->pred_start[b]; at < d->g->pred_start[b + 1]; at++) {
        const struct ir_edge *e = &ir_block_at(d->f, d->g->preds[at])->edges.at[d->g->pred_edges[at]];
        mark(d, e->args[position]);
        mark_read(d, e->args[position]);
    }
}

static void propagate(struct dce *d)
{
    walk_each(r, &d->live) {
        const struct ir_ins *ins = ir_at(d->f, r);
        if (ins->op == IR_param)
            mark_arguments(d, ins->block, (uint32_t)ins->imm);
        else
            mark_operands(d, r);
    }
}

static bool sweep_params(struct dce *d)
{
    struct bitset dead = bitset_new(d->c->scratch, d->f->ins.count);
    uint32_t n = 0;
    ir_each_block(i, b, d->f) {
        const u32_vec *params = &ir_block_at(d->f, b)->params;
        for (uint32_t k = 0; k < params->count && b != ir_entry(d->f); k++)
            if (!bitset_has(d->live.seen, params->at[k])) {
                bitset_add(dead, params->at[k]);
                n++;
            }
    }
    if (n)
        opt_params_remove(d->f, dead);
    opt_count(d->c, "parameters removed", n);
    return n != 0;
}

static bool sweep_instructions(struct dce *d)
{
    uint32_t n = 0;
    ir_each_block(i, b, d->f)
        for (ir_ref r = ir_block_at(d->f, b)->first, next; r; r = next) {
            next = ir_at(d->f, r)->next;
            if (bitset_has(d->live.seen, r))
                continue;
            if (ir_is_convergent(d->f, r))
                opt_remark(d->c, d->f, OPT_APPLIED, "unused-convergent", ir_at(d->f, r)->at,
                           "removed unused '%s'", ir_op_info[ir_at(d->f, r)->op].text);
            ir_remove(d->f, r);
            n++;
        }
    opt_count(d->c, "instructions removed", n);
    return n != 0;
}

bool opt_dce(struct opt_context *c, struct ir_function *f)
{
    uint32_t n = f->ins.count;
    struct dce d = {.c = c, .f = f, .g = opt_cfg(c, f)};
    d.alloca_of = arena_array(c->scratch, ir_ref, n);
    d.first_store = arena_array(c->scratch, ir_ref, n);
    d.next_store = arena_array(c->scratch, ir_ref, n);
    d.live = walk_new(c->scratch, n);
    d.read = bitset_new(c->scratch, n);
    find_addresses(&d);
    find_roots(&d);
    propagate(&d);
    bool changed = sweep_params(&d);
    return sweep_instructions(&d) | changed;
}
