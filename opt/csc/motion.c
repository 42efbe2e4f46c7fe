/* motion.c: "Code Motion" (section 3.2): the stages of a schedule as blocks.
 *
 * Stage 0 stands in the branch's block. Each odd stage that is not empty is a branch on the same condition to
 * a block for each arm, the last one to the arms' old blocks; both lead to one block, where the even stage
 * stands. A pair becomes its instruction of arm 0. Operands that differ are renamed: by a select where both
 * values are there, else by a parameter of the stage's block ("Extension with Operand Renaming").
 */
#include "opt/csc/csc.h"

struct motion {
    struct csc_arms *a;
    struct ir_function *f;
    uint32_t common;      /* the block of the even stage at work */
    uint32_t ends[2];     /* blocks of the odd stage before it; IR_NO_BLOCK: there is none */
    struct map renamed;   /* (x, y) -> the value that is x in arm 0 and y in arm 1 */
    uint32_t stage, last; /* the even stage at work; the last one of all */
    place at;
    VEC(struct ir_edge) merged;
};

/* ---- operand renaming ---------------------------------------------------------------------------- */

/* The stage that the value is of; 0 also for those from outside of the arms. */
static uint32_t stage_of(const struct motion *m, ir_ref r)
{
    const struct csc *p = m->a->p;
    return r < p->instructions && p->number[r] ? m->a->nodes.at[p->number[r] - 1].stage : 0;
}

/* Whether the value is there in common blocks: it does not stem from an odd stage. */
static bool is_common(const struct motion *m, ir_ref r)
{
    return stage_of(m, r) % 2 == 0;
}

/* What the arm's edge to the common block may give for r: not what is computed there. */
static ir_ref before_stage(const struct motion *m, ir_ref r)
{
    return stage_of(m, r) == m->stage ? ir_const(m->f, (enum ir_type)ir_at(m->f, r)->type, 0) : r;
}

/* Of values from before the branch there, once, be it for a loop. */
static ir_ref select_outside(struct motion *m, ir_ref x, ir_ref y)
{
    struct csc *p = m->a->p;
    uint64_t key = (uint64_t)x << 32 | y;
    uint32_t known = map_get(&p->outside, key);
    if (known != MAP_NONE)
        return known;
    struct ir_cursor c = {.fn = m->f, .block = p->root, .before = ir_terminator(m->f, p->root), .at = m->at};
    ir_ref r = ir_emit3(&c, IR_select, (enum ir_type)ir_at(m->f, x)->type, m->a->condition, x, y);
    map_set(p->arena, &p->outside, key, r);
    return r;
}

/* What leaves the left operand as it is, as the right one; false: no constant does for this operation. */
static bool is_neutral(const struct ir_ins *ins, scalar_bits *neutral)
{
    *neutral = ins->op == IR_mul;
    return (ins->type == IR_TYPE_I32 || ins->type == IR_TYPE_I64) &&
           (ins->op == IR_mul || ins->op == IR_add || ins->op == IR_sub || ins->op == IR_shl);
}

/* x in the one arm is an operation on y with a value from before the branch: both arms execute it, the other
 * one with a value that changes nothing. The select of these is outside, maybe of a loop. 0: it is not so. */
static ir_ref by_operation(struct motion *m, ir_ref x, ir_ref y, bool first)
{
    struct csc *p = m->a->p;
    const struct ir_ins *ins = ir_at(m->f, x);
    struct ir_cursor c = {.fn = m->f, .block = m->common, .at = m->at};
    enum ir_op op = (enum ir_op)ins->op;
    enum ir_type type = (enum ir_type)ins->type;
    scalar_bits neutral;
    if (m->common == p->root || !is_neutral(ins, &neutral) || opt_renamed(&p->renaming, ins->args[0]) != y)
        return 0;
    ir_ref by = opt_renamed(&p->renaming, ins->args[1]);
    if (!csc_is_outside(p, by))
        return 0;
    ir_ref none = ir_const(m->f, type, neutral);
    return ir_emit2(&c, op, type, y, first ? select_outside(m, by, none) : select_outside(m, none, by));
}

static ir_ref by_select(struct motion *m, ir_ref x, ir_ref y)
{
    struct ir_cursor c = {.fn = m->f, .block = m->common, .at = m->at};
    ir_ref operation = by_operation(m, x, y, true);
    if (operation || (operation = by_operation(m, y, x, false)))
        return operation;
    if (m->common != m->a->p->root && csc_is_outside(m->a->p, x) && csc_is_outside(m->a->p, y))
        return select_outside(m, x, y);
    return ir_emit3(&c, IR_select, (enum ir_type)ir_at(m->f, x)->type, m->a->condition, x, y);
}

static ir_ref by_parameter(struct motion *m, ir_ref x, ir_ref y)
{
    ir_ref v = before_stage(m, x), w = before_stage(m, y);
    ir_ref r = ir_param_new(m->f, m->common, (enum ir_type)ir_at(m->f, x)->type, ir_at(m->f, x)->name);
    ir_edge_arg(m->f, &ir_block_at(m->f, m->ends[0])->edges.at[0], v);
    ir_edge_arg(m->f, &ir_block_at(m->f, m->ends[1])->edges.at[0], w);
    return v == x && w == y ? r : by_select(m, v == x ? r : x, w == y ? r : y);
}

/* The value that is x for threads of arm 0 and y for those of arm 1. */
static ir_ref rename_operand(struct motion *m, ir_ref x, ir_ref y)
{
    x = opt_renamed(&m->a->p->renaming, x);
    y = opt_renamed(&m->a->p->renaming, y);
    if (x == y)
        return x;
    uint64_t key = (uint64_t)x << 32 | y;
    uint32_t known = map_get(&m->renamed, key);
    if (known != MAP_NONE)
        return known;
    bool select = m->ends[0] == IR_NO_BLOCK || (is_common(m, x) && is_common(m, y));
    ir_ref r = select ? by_select(m, x, y) : by_parameter(m, x, y);
    map_set(m->a->p->arena, &m->renamed, key, r);
    vec_push(m->a->p->arena, &m->a->p->copies, ((struct csc_copy){x, r}));
    vec_push(m->a->p->arena, &m->a->p->copies, ((struct csc_copy){y, r}));
    return r;
}

/* ---- instructions -------------------------------------------------------------------------------- */

static void move_to(struct motion *m, ir_ref r, uint32_t block)
{
    struct ir_cursor end = {.fn = m->f, .block = block};
    ir_unlink(m->f, r);
    ir_link(&end, r);
}

/* Accesses r and s with different offsets: the address gets them. */
static void rename_offset(struct motion *m, ir_ref r, ir_ref s)
{
    struct ir_cursor c = {.fn = m->f, .block = m->common, .at = m->at};
    uint32_t x = (uint32_t)ir_at(m->f, r)->imm, y = (uint32_t)ir_at(m->f, s)->imm;
    if (x == y)
        return;
    ir_ref address = ir_at(m->f, r)->args[0];
    ir_ref offset = rename_operand(m, ir_const_i32(m->f, x), ir_const_i32(m->f, y));
    address = ir_emit2(&c, IR_ptradd, (enum ir_type)ir_at(m->f, address)->type, address, offset);
    ir_at(m->f, r)->args[0] = address;
    ir_at(m->f, r)->imm = 0;
}

static void move_pair(struct motion *m, uint32_t n)
{
    struct csc *p = m->a->p;
    uint32_t partner = m->a->nodes.at[n].partner;
    ir_ref r = m->a->nodes.at[n].ins, s = m->a->nodes.at[partner].ins, x[IR_MAX_ARGS + 1], y[IR_MAX_ARGS + 1];
    uint32_t argc = ir_at(m->f, r)->argc;
    csc_operands(m->a, n, partner, x, y, argc);
    m->at = ir_at(m->f, r)->at;
    for (uint32_t k = 0; k < argc; k++) {
        ir_ref by = rename_operand(m, x[k], y[k]);
        ir_at(m->f, r)->args[k] = by;
    }
    rename_offset(m, r, s);
    move_to(m, r, m->common);
    if (ir_at(m->f, r)->type != IR_TYPE_VOID)
        opt_rename(&p->renaming, m->f, s, r);
    ir_remove(m->f, s);
}

/* ---- stages -------------------------------------------------------------------------------------- */

static void emit_branch(struct motion *m, uint32_t yes, uint32_t no)
{
    struct ir_cursor c = {.fn = m->f, .block = m->common, .at = ir_at(m->f, m->a->condition)->at};
    ir_emit_brif(&c, m->a->condition, yes, no);
    vec_push(m->a->p->arena, &m->a->p->branches, m->common);
}

/* Blocks of their own for the arms' operations of an odd stage, and the one behind them. */
static void begin_own_stage(struct motion *m)
{
    for (uint32_t arm = 0; arm < 2; arm++)
        m->ends[arm] = ir_block_new(m->f, arm ? "else" : "then");
    emit_branch(m, m->ends[0], m->ends[1]);
    m->common = ir_block_new(m->f, "common");
}

static void end_own_stage(struct motion *m)
{
    for (uint32_t arm = 0; arm < 2; arm++) {
        struct ir_cursor c = {.fn = m->f, .block = m->ends[arm], .at = m->at};
        ir_emit_br(&c, m->common);
    }
}

/* The operations of each arm in their old order. */
static void move_own(struct motion *m, uint32_t stage)
{
    begin_own_stage(m);
    for (uint32_t n = 0; n < m->a->nodes.count; n++)
        if (m->a->nodes.at[n].partner == CSC_NONE && m->a->nodes.at[n].stage == stage)
            move_to(m, m->a->nodes.at[n].ins, m->ends[m->a->nodes.at[n].arm]);
    end_own_stage(m);
}

/* What is left of the arms stays in their blocks. */
static void end_in_arms(struct motion *m)
{
    for (uint32_t arm = 0; arm < 2; arm++)
        m->ends[arm] = m->a->block[arm];
    emit_branch(m, m->ends[0], m->ends[1]);
}

/* The arm that alone decides what a parameter behind edge e gets, since it means nothing to the other. */
static uint32_t owner_of(const struct motion *m, ir_ref param, uint32_t e)
{
    for (uint32_t arm = 0; arm < 2; arm++)
        if (csc_is_never(m->a->p, m->a->block[arm], e))
            return !arm;
    return map_get(&m->a->p->owner, param);
}

/* What the parameter gets behind the arms by edge e. */
static ir_ref rename_argument(struct motion *m, ir_ref param, uint32_t e, ir_ref x, ir_ref y)
{
    uint32_t owner = owner_of(m, param, e);
    ir_ref alone = owner >= CSC_BOTH ? 0 : opt_renamed(&m->a->p->renaming, owner ? y : x);
    return alone && is_common(m, alone) ? alone : rename_operand(m, x, y);
}

static void merge_edge(struct motion *m, uint32_t e)
{
    struct ir_edge x = ir_block_at(m->f, m->a->block[0])->edges.at[e];
    struct ir_edge y = ir_block_at(m->f, m->a->block[1])->edges.at[e];
    ir_ref *args = arena_array(&m->f->module->arena, ir_ref, x.argc);
    for (uint32_t k = 0; k < x.argc; k++)
        args[k] = rename_argument(m, ir_block_at(m->f, x.block)->params.at[k], e, x.args[k], y.args[k]);
    vec_push(m->a->p->arena, &m->merged, ((struct ir_edge){.block = x.block, .argc = x.argc, .args = args}));
}

/* Both arms end alike: so does the last common block, with what sank. */
static void end_together(struct motion *m)
{
    ir_ref x = ir_terminator(m->f, m->a->block[0]), y = ir_terminator(m->f, m->a->block[1]), condition = 0;
    uint32_t edges = ir_block_at(m->f, m->a->block[0])->edges.count;
    m->at = ir_at(m->f, x)->at;
    m->stage = m->last;
    if (ir_at(m->f, x)->op == IR_brif)
        condition = rename_operand(m, ir_at(m->f, x)->args[0], ir_at(m->f, y)->args[0]);
    for (uint32_t e = 0; e < edges; e++)
        merge_edge(m, e);
    struct ir_cursor c = {.fn = m->f, .block = m->common, .at = m->at};
    if (condition)
        ir_emit_brif(&c, condition, m->merged.at[0].block, m->merged.at[1].block);
    else
        ir_emit_br(&c, m->merged.at[0].block);
    for (uint32_t e = 0; e < edges; e++)
        ir_block_at(m->f, m->common)->edges.at[e] = m->merged.at[e];
    for (uint32_t arm = 0; arm < 2; arm++)
        vec_push(m->a->p->arena, &m->a->p->emptied, m->a->block[arm]);
}

/* ---- the arms ------------------------------------------------------------------------------------ */

void csc_drop_parameters(struct csc_arms *a)
{
    struct csc *p = a->p;
    for (uint32_t arm = 0; arm < 2; arm++) {
        struct ir_edge *e = &ir_block_at(p->f, a->branch)->edges.at[arm];
        u32_vec *params = &ir_block_at(p->f, a->block[arm])->params;
        for (uint32_t k = 0; k < e->argc; k++) {
            opt_rename(&p->renaming, p->f, params->at[k], e->args[k]);
            vec_push(p->arena, &p->dropped, params->at[k]);
        }
        params->count = 0;
        e->argc = 0;
    }
}

/* The stages that are not empty. Whether the arms end together: they end alike, and behind them something
 * sinks, or they branch, where each would branch for itself. */
static bool find_stages(struct motion *m, struct bitset *filled)
{
    uint32_t most = 0;
    for (uint32_t n = 0; n < m->a->nodes.count; n++)
        most = m->a->nodes.at[n].stage > most ? m->a->nodes.at[n].stage : most;
    *filled = bitset_new(m->a->p->arena, most + 3);
    for (uint32_t n = 0; n < m->a->nodes.count; n++)
        bitset_add(*filled, m->a->nodes.at[n].stage);
    m->last = most;
    bool branches = ir_at(m->f, ir_terminator(m->f, m->a->block[0]))->op == IR_brif;
    if (m->a->hoist_only || !m->a->same_end || (most % 2 == 1 && !branches))
        return false;
    m->last += most % 2;
    return true;
}

static void move_common(struct motion *m, uint32_t stage)
{
    m->stage = stage;
    for (uint32_t i = 0; i < m->a->order.count; i++) {
        uint32_t n = m->a->order.at[i];
        if (m->a->nodes.at[n].stage != stage)
            continue;
        if (m->a->nodes.at[n].partner != CSC_NONE)
            move_pair(m, n);
        else
            move_to(m, m->a->nodes.at[n].ins, m->common);
    }
}

void csc_move(struct csc_arms *a)
{
    struct motion m = {.a = a, .f = a->p->f, .common = a->branch, .ends = {IR_NO_BLOCK, IR_NO_BLOCK}};
    struct bitset filled;
    csc_drop_parameters(a);
    a->condition = opt_renamed(&a->p->renaming, a->condition);
    bool together = find_stages(&m, &filled);
    ir_remove(m.f, ir_terminator(m.f, a->branch));
    ir_block_at(m.f, a->branch)->edges.count = 0;
    bitset_each(stage, filled) {
        if (stage % 2 == 0)
            move_common(&m, stage);
        else if (stage != m.last)
            move_own(&m, stage);
    }
    if (together)
        end_together(&m);
    else
        end_in_arms(&m);
}
