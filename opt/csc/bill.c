/* bill.c: what a schedule costs and saves, in cycles: pairs are executed once for both arms; copies rename
 * operands, choose what ends that became one give to blocks behind them, and carry values of one arm over
 * common stages; stages of the arms alone take branches (sections 2 and 3.1).
 */
#include "opt/csc/csc.h"

/* ---- stages of the arms alone -------------------------------------------------------------------- */

bool csc_is_own_stage(const struct csc_node *n)
{
    return n->partner == CSC_NONE && n->stage % 2 == 1;
}

uint32_t csc_last_own_stage(const struct csc_arms *a)
{
    uint32_t last = 0;
    for (uint32_t n = 0; n < a->nodes.count; n++)
        if (a->nodes.at[n].stage > last)
            last = a->nodes.at[n].stage;
    if (last % 2 == 1)
        return last;
    return a->same_end && last > 0 ? last - 1 : last + 1;
}

/* ---- copies -------------------------------------------------------------------------------------- */

static uint32_t partner_of(const struct csc_arms *a, ir_ref r)
{
    const struct csc *p = a->p;
    return r < p->instructions && p->number[r] ? a->nodes.at[p->number[r] - 1].partner : CSC_NONE;
}

static bool is_own_value(const struct csc_arms *a, ir_ref r)
{
    const struct csc *p = a->p;
    return r < p->instructions && p->number[r] && csc_is_own_stage(&a->nodes.at[p->number[r] - 1]);
}

/* The copies of pair (n, partner), for each two operands that differ, and are not one elsewhere: a select, or
 * a move in each arm. */
static void count_copies(struct csc_bill *b, uint32_t n)
{
    struct csc_arms *a = b->a;
    uint32_t m = a->nodes.at[n].partner, argc = ir_at(a->p->f, a->nodes.at[n].ins)->argc;
    ir_ref x[IR_MAX_ARGS + 1], y[IR_MAX_ARGS + 1];
    csc_operands(a, n, m, x, y, argc);
    if (ir_at(a->p->f, a->nodes.at[n].ins)->imm != ir_at(a->p->f, a->nodes.at[m].ins)->imm)
        b->copies[a->nodes.at[n].stage] += CSC_OFFSET;
    b->copies[a->nodes.at[n].stage] += csc_segments(a, n, m);
    for (uint32_t k = 0; k < argc; k++) {
        ir_ref v = opt_renamed(&a->p->renaming, x[k]), w = opt_renamed(&a->p->renaming, y[k]);
        uint32_t partner = partner_of(a, x[k]);
        if (csc_is_same(a->p, x[k], y[k]) || (partner != CSC_NONE && a->nodes.at[partner].ins == y[k]) ||
            map_get(&b->renamed, (uint64_t)v << 32 | w) != MAP_NONE)
            continue;
        map_set(a->p->arena, &b->renamed, (uint64_t)v << 32 | w, 1);
        if (a->branch == a->p->root || !csc_is_outside(a->p, v) || !csc_is_outside(a->p, w))
            b->copies[a->nodes.at[n].stage] +=
                is_own_value(a, x[k]) || is_own_value(a, y[k]) ? 2 * CSC_COPY : CSC_COPY;
    }
}

/* Values of one arm that later stages of it use are carried through those between, unless they are an operand
 * of a pair, renamed, there: by a parameter, which both arms give something. */
static uint64_t count_carried(const struct csc_arms *a)
{
    uint64_t sum = 0;
    for (uint32_t n = 0; n < a->nodes.count; n++) {
        uint32_t last = a->nodes.at[n].stage;
        bool renamed = false;
        rows_each(k, a->after, n) {
            const struct csc_node *user = &a->nodes.at[a->after.at[k]];
            last = csc_is_own_stage(user) && user->stage > last ? user->stage : last;
            renamed |= user->partner != CSC_NONE;
        }
        if (!renamed && csc_is_own_stage(&a->nodes.at[n]) &&
            ir_at(a->p->f, a->nodes.at[n].ins)->type != IR_TYPE_VOID)
            sum += (last - a->nodes.at[n].stage) * CSC_COPY; /* two for each common stage */
    }
    return sum;
}

static uint64_t count_branches(const struct csc_arms *a, uint32_t stages)
{
    struct bitset filled = bitset_new(a->p->arena, stages + 2);
    for (uint32_t n = 0; n < a->nodes.count; n++)
        if (csc_is_own_stage(&a->nodes.at[n]))
            bitset_add(filled, a->nodes.at[n].stage);
    if (!a->same_end)
        bitset_add(filled, csc_last_own_stage(a));
    return bitset_count(filled);
}

/* Arms that end in the same branch come to it by one condition. */
static uint64_t count_condition(const struct csc_arms *a)
{
    const struct csc *p = a->p;
    if (a->block[0] == IR_NO_BLOCK || a->block[1] == IR_NO_BLOCK)
        return CSC_COPY;
    const struct ir_ins *x = ir_at(p->f, ir_terminator(p->f, a->block[0]));
    const struct ir_ins *y = ir_at(p->f, ir_terminator(p->f, a->block[1]));
    if (!a->same_end || x->op != IR_brif || y->op != IR_brif || csc_is_same(a->p, x->args[0], y->args[0]))
        return 0;
    uint32_t partner = partner_of(a, x->args[0]);
    return partner != CSC_NONE && a->nodes.at[partner].ins == y->args[0] ? 0 : CSC_COPY;
}

/* Edge e's counterpart in arm 1: that to the same block, if one is. */
static const struct ir_edge *other_edge(const struct csc_arms *a, uint32_t e)
{
    const struct ir_block *x = ir_block_at(a->p->f, a->block[0]), *y = ir_block_at(a->p->f, a->block[1]);
    bool turned = x->edges.count == 2 && x->edges.at[e].block != y->edges.at[e].block &&
                  x->edges.at[e].block == y->edges.at[1 - e].block;
    return &y->edges.at[turned ? 1 - e : e];
}

/* What the ends of both arms give one parameter: a select, unless it is one value, or means nothing to the
 * other arm. */
static uint32_t count_argument(struct csc_bill *b, ir_ref param, ir_ref x, ir_ref y)
{
    struct csc_arms *a = b->a;
    uint32_t partner = partner_of(a, x), owner = map_get(&a->p->owner, param);
    ir_ref v = opt_renamed(&a->p->renaming, x), w = opt_renamed(&a->p->renaming, y);
    uint64_t key = (uint64_t)v << 32 | w;
    if (csc_is_same(a->p, x, y) || (owner != MAP_NONE && owner != CSC_BOTH) ||
        (partner != CSC_NONE && a->nodes.at[partner].ins == y) || map_get(&b->renamed, key) != MAP_NONE)
        return 0;
    map_set(a->p->arena, &b->renamed, key, 1);
    return CSC_COPY;
}

/* Arms that end in the same branch give its targets their arguments by one edge each. */
static uint64_t count_arguments(struct csc_bill *b)
{
    struct csc_arms *a = b->a;
    const struct csc *p = a->p;
    uint64_t sum = 0;
    if (!a->same_end || a->block[0] == IR_NO_BLOCK || a->block[1] == IR_NO_BLOCK ||
        ir_at(p->f, ir_terminator(p->f, a->block[0]))->op != IR_brif ||
        ir_at(p->f, ir_terminator(p->f, a->block[1]))->op != IR_brif)
        return 0;
    for (uint32_t e = 0; e < 2; e++) {
        const struct ir_edge *x = &ir_block_at(p->f, a->block[0])->edges.at[e], *y = other_edge(a, e);
        u32_vec shared = {0};
        if (x->block != y->block)
            shared = csc_shared_parameters(a->p, x->block, y->block);
        for (uint32_t k = 0; k < y->argc; k++) {
            uint32_t slot = x->block == y->block ? k : shared.at[k];
            if (slot != CSC_NONE)
                sum += count_argument(b, ir_block_at(p->f, x->block)->params.at[slot], x->args[slot],
                                      y->args[k]);
        }
    }
    return sum;
}

void csc_make_bill(struct csc_bill *b)
{
    struct csc_arms *a = b->a;
    uint32_t stages = csc_last_own_stage(a) + 2;
    b->saved = arena_array(a->p->arena, uint64_t, stages);
    b->copies = arena_array(a->p->arena, uint64_t, stages);
    a->pairs = 0;
    for (uint32_t i = 0; i < a->order.count; i++) {
        const struct csc_node *n = &a->nodes.at[a->order.at[i]];
        if (n->partner == CSC_NONE)
            continue;
        a->pairs++;
        b->saved[n->stage] += n->weight;
        count_copies(b, a->order.at[i]);
    }
    uint64_t branches = count_branches(a, stages);
    a->flat = branches == 0;
    a->saved = (a->flat ? CSC_BRANCH : 0) + (a->branch == IR_NO_BLOCK ? CSC_JUMP : 0);
    a->overhead = (uint32_t)(count_carried(a) + count_condition(a) + count_arguments(b) +
                             (branches > 1 ? (branches - 1) * CSC_BRANCH : 0));
    for (uint32_t s = 0; s < stages; s++) {
        a->saved += (uint32_t)b->saved[s];
        a->overhead += (uint32_t)b->copies[s];
    }
}
