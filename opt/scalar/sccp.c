/* sccp.c: sparse conditional constant propagation.
 *
 * M. Wegman and F. Zadeck, "Constant propagation with conditional branches" (1991): values start as unknown,
 * edges as not taken; both only ever fall (unknown, one constant, varying), so that each value is looked at
 * a few times. A parameter meets its arguments edge by edge as they become known. Linear in uses.
 *
 * Branches found constant are folded; the blocks that no path reaches are left to simplify_cfg.
 */
#include "opt/pass.h"

enum level { UNKNOWN, CONSTANT, VARYING };
struct fact {
    scalar_bits bits;
    uint8_t level;
};

struct sccp {
    struct opt_context *c;
    struct ir_function *f;
    const struct opt_uses *uses;
    struct fact *facts;     /* by ref */
    struct bitset reached;  /* blocks */
    struct bitset taken;    /* edges, numbered through from first_edge */
    uint32_t *first_edge;   /* by block */
    u32_vec values, blocks; /* to be looked at */
};

static void lower(struct sccp *s, ir_ref r, struct fact fact)
{
    struct fact *now = &s->facts[r];
    if (fact.level == UNKNOWN || now->level == VARYING)
        return;
    if (now->level == CONSTANT && fact.level == CONSTANT && now->bits == fact.bits)
        return;
    if (now->level == CONSTANT)
        fact.level = VARYING;
    *now = fact;
    vec_push(s->c->scratch, &s->values, r);
}

static struct fact fact_of(const struct sccp *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->f, r);
    return ins->op == IR_constant ? (struct fact){(scalar_bits)ins->imm, CONSTANT} : s->facts[r];
}

static void take_edge(struct sccp *s, uint32_t b, uint32_t e)
{
    const struct ir_edge *edge = &ir_block_at(s->f, b)->edges.at[e];
    if (bitset_has(s->taken, s->first_edge[b] + e))
        return;
    bitset_add(s->taken, s->first_edge[b] + e);
    const u32_vec *params = &ir_block_at(s->f, edge->block)->params;
    for (uint32_t i = 0; i < edge->argc; i++)
        lower(s, params->at[i], fact_of(s, edge->args[i]));
    if (!bitset_has(s->reached, edge->block)) {
        bitset_add(s->reached, edge->block);
        vec_push(s->c->scratch, &s->blocks, edge->block);
    }
}

static void visit_terminator(struct sccp *s, ir_ref r)
{
    const struct ir_ins *t = ir_at(s->f, r);
    struct fact f =
        t->op == IR_brif || t->op == IR_switch ? fact_of(s, t->args[0]) : (struct fact){0, VARYING};
    if (f.level == CONSTANT)
        take_edge(s, t->block, ir_chosen_edge(s->f, t->block, f.bits));
    for (uint32_t e = 0; f.level == VARYING && e < ir_block_at(s->f, t->block)->edges.count; e++)
        take_edge(s, t->block, e);
}

/* A value whose operands are partly known: a select with a known condition. */
static struct fact partly_known(struct sccp *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->f, r);
    if (ins->op != IR_select)
        return (struct fact){0, VARYING};
    struct fact condition = fact_of(s, ins->args[0]);
    if (condition.level == CONSTANT)
        return fact_of(s, ins->args[condition.bits ? 1 : 2]);
    struct fact a = fact_of(s, ins->args[1]), b = fact_of(s, ins->args[2]);
    bool same = a.level == CONSTANT && b.level == CONSTANT && a.bits == b.bits;
    return same ? a : (struct fact){0, VARYING};
}

static void visit_value(struct sccp *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->f, r);
    scalar_bits args[SCALAR_MAX_ARGS], result;
    bool varying = ins->argc == 0 || ins->argc > SCALAR_MAX_ARGS;
    for (uint32_t i = 0; i < ins->argc && !varying; i++) {
        struct fact f = fact_of(s, ins->args[i]);
        if (f.level == UNKNOWN)
            return;
        varying = f.level == VARYING;
        args[i] = f.bits;
    }
    if (varying)
        lower(s, r, partly_known(s, r));
    else
        lower(s, r,
              opt_fold(s->f, r, args, &result) ? (struct fact){result, CONSTANT} : (struct fact){0, VARYING});
}

static void sccp_visit_instruction(struct sccp *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->f, r);
    if (ir_op_info[ins->op].flags & IR_TERMINATOR)
        visit_terminator(s, r);
    else if (ins->type != IR_TYPE_VOID && s->facts[r].level != VARYING)
        visit_value(s, r);
}

static void visit_users(struct sccp *s, ir_ref r)
{
    opt_each_use(u, s->uses, r) {
        if (u->edge == IR_NO_BLOCK) {
            if (bitset_has(s->reached, u->block))
                sccp_visit_instruction(s, u->user);
        } else if (bitset_has(s->taken, s->first_edge[u->block] + u->edge)) {
            lower(s, u->user, fact_of(s, r));
        }
    }
}

static void propagate(struct sccp *s)
{
    while (s->values.count || s->blocks.count) {
        if (s->values.count) {
            visit_users(s, vec_pop(&s->values));
            continue;
        }
        uint32_t b = vec_pop(&s->blocks);
        ir_each_ins(r, s->f, b)
            sccp_visit_instruction(s, r);
    }
}

/* ---- what was found ---------------------------------------------------------------------------------- */

static bool replace_constants(struct sccp *s)
{
    struct opt_renaming n = {.arena = s->c->scratch};
    uint32_t old = s->f->ins.count;
    for (ir_ref r = 1; r < old; r++) {
        const struct ir_ins *ins = ir_at(s->f, r);
        bool stands = ins->block != IR_NO_BLOCK && bitset_has(s->reached, ins->block);
        if (s->facts[r].level != CONSTANT || !stands)
            continue;
        bool removable = ir_is_pure(ins->op) || ins->op == IR_ptradd || ins->op == IR_ptrcast;
        opt_rename(&n, s->f, r, ir_const(s->f, ins->type, s->facts[r].bits));
        if (removable)
            ir_remove(s->f, r);
    }
    opt_rename_all(&n, s->f);
    opt_count(s->c, "constants", n.made);
    return n.made != 0;
}

static bool fold_branches(struct sccp *s)
{
    bool changed = false;
    ir_each_block(i, b, s->f) {
        const struct ir_ins *t = ir_at(s->f, ir_terminator(s->f, b));
        scalar_bits bits;
        if (!bitset_has(s->reached, b) || (t->op != IR_brif && t->op != IR_switch) ||
            !ir_is_const(s->f, t->args[0], &bits))
            continue;
        opt_branch_fold(s->f, b, ir_chosen_edge(s->f, b, bits));
        opt_count(s->c, "branches folded", 1);
        changed = true;
    }
    return changed;
}

bool opt_sccp(struct opt_context *c, struct ir_function *f)
{
    struct sccp s = {.c = c, .f = f, .uses = opt_uses(c, f)};
    uint32_t edges = 0, entry = ir_entry(f);
    s.facts = arena_array(c->scratch, struct fact, f->ins.count);
    s.first_edge = arena_array(c->scratch, uint32_t, f->blocks.count);
    ir_each_block(i, b, f) {
        s.first_edge[b] = edges;
        edges += ir_block_at(f, b)->edges.count;
    }
    s.taken = bitset_new(c->scratch, edges);
    s.reached = bitset_new(c->scratch, f->blocks.count);
    for (uint32_t i = 0; i < ir_block_at(f, entry)->params.count; i++)
        s.facts[ir_block_at(f, entry)->params.at[i]].level = VARYING;
    bitset_add(s.reached, entry);
    vec_push(c->scratch, &s.blocks, entry);
    propagate(&s);
    bool changed = replace_constants(&s), folded = fold_branches(&s);
    if (folded)
        opt_invalidate(c, f);
    return folded || changed;
}
