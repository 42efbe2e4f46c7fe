/* predict_calls.c: predicted functions in the call graph ("Speculative Reconvergence", section 4.4).
 *
 * A function inherits a prediction if it may be called in its region, by others too, and may itself call the
 * predicted function. There its barrier is joined from the entry to the return. Functions are worked on callers
 * first, as only predictions that are honoured are inherited; calls through pointers may lead anywhere, so that
 * functions whose addresses are taken inherit all. Functions whose threads must stay the same inherit none, and
 * predictions in whose regions they are called, to call the predicted function, are refused.
 */
#include "ir/analysis/callgraph.h"
#include "opt/predict/barriers.h"

/* Functions whose threads a prediction must not change, while it is honoured in what they call: convergent
 * ones, and those with operations that an anchor of their own controls. */
static struct bitset find_steady(const struct barriers *x)
{
    struct bitset steady = bitset_new(x->c->scratch, x->m->functions.count);
    for (uint32_t i = 0; i < x->m->functions.count; i++) {
        const struct ir_function *f = x->m->functions.at[i];
        bool is_steady = f->flags & IR_FN_CONVERGENT;
        ir_each_block(k, b, f)
            ir_each_ins(r, f, b)
                is_steady |= barriers_may_change(f, r);
        if (is_steady)
            bitset_add(steady, i);
    }
    return steady;
}

/* Functions with operations that anchors of their own control, and those that may call them: threads that a
 * prediction gathers would come together there in groups of other anchors. The last element is of calls through
 * pointers. Linear. */
static struct bitset find_anchored(const struct barriers *x)
{
    uint32_t pointer = x->m->functions.count;
    const struct bitset taken = *opt_addresses_taken(x->c, x->m);
    struct edge_list callers = {0};
    struct walk w = walk_new(x->c->scratch, pointer + 1);
    bitset_each(g, taken)
        edge_add(x->c->scratch, &callers, g, pointer);
    for (uint32_t i = 0; i < pointer; i++) {
        const struct ir_function *f = x->m->functions.at[i];
        ir_each_block(k, b, f)
            ir_each_ins(r, f, b) {
                const struct ir_ins *ins = ir_at(f, r);
                if (ins->op == IR_call || ins->op == IR_icall)
                    edge_add(x->c->scratch, &callers, ins->op == IR_call ? (uint32_t)ins->imm : pointer, i);
                else if (!(f->flags & IR_FN_CONVERGENT) && barriers_may_change(f, r))
                    walk_add(&w, i);
            }
    }
    struct rows of = rows_of_edges(x->c->scratch, pointer + 1, &callers);
    walk_each(f, &w)
        rows_each(i, of, f)
            walk_add(&w, of.at[i]);
    return w.seen;
}

static uint32_t number_predicted(const struct ir_module *m, uint32_t *of_function)
{
    uint32_t registers = 0;
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        ir_each_block(k, b, f)
            ir_each_ins(r, f, b)
                if (ir_at(f, r)->op == IR_predict_function && of_function[ir_at(f, r)->imm] == UINT32_MAX)
                    of_function[ir_at(f, r)->imm] = registers++;
    }
    return registers;
}

/* A call through a pointer may lead to any predicted function. */
static void add_callee(struct barriers *x, uint32_t id, const struct ir_ins *ins)
{
    for (uint32_t n = 0; ins->op == IR_icall && n < x->leads[id].bits; n++)
        bitset_add(x->leads[id], n);
    if (ins->op != IR_call)
        return;
    bitset_union(x->leads[id], x->leads[ins->imm]);
    if (x->of_function[ins->imm] != UINT32_MAX)
        bitset_add(x->leads[id], x->of_function[ins->imm]);
}

static void block_callee(struct barriers *x, uint32_t id, const struct ir_ins *ins)
{
    uint32_t callee = (uint32_t)ins->imm;
    if (ins->op == IR_icall)
        bitset_union(x->blocked[id], x->blocked_by_pointer);
    else if (ins->op == IR_call)
        bitset_union(x->blocked[id], bitset_has(x->steady, callee) ? x->leads[callee] : x->blocked[callee]);
}

/* Of functions that are not convergent: calls of those are known by their signatures. */
static void block_by_pointer(struct barriers *x)
{
    const struct bitset taken = *opt_addresses_taken(x->c, x->m);
    bitset_each(g, taken)
        if (bitset_has(x->steady, g) && !(x->m->functions.at[g]->flags & IR_FN_CONVERGENT))
            bitset_union(x->blocked_by_pointer, x->leads[g]);
}

static void inherit_by_pointer(struct barriers *x)
{
    const struct bitset taken = *opt_addresses_taken(x->c, x->m);
    bitset_each(g, taken) {
        if (bitset_has(x->steady, g))
            continue;
        bitset_copy(x->inherited[g], x->leads[g]);
        bitset_copy(x->inheritable[g], x->leads[g]);
    }
}

/* What callees may inherit of the function's own predictions, and of those that it may inherit itself. */
static void add_inheritable(struct barriers *x, const struct ir_function *f, struct bitset own)
{
    bitset_copy(own, x->inheritable[f->id]);
    ir_each_block(k, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_predict_function)
                bitset_add(own, x->of_function[ir_at(f, r)->imm]);
    ir_each_block(k, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_call)
                bitset_each(reg, own)
                    if (bitset_has(x->leads[ir_at(f, r)->imm], reg))
                        bitset_add(x->inheritable[ir_at(f, r)->imm], reg);
}

static struct bitset *sets(const struct barriers *x, uint32_t registers)
{
    struct bitset *s = arena_array(x->c->scratch, struct bitset, x->m->functions.count);
    for (uint32_t i = 0; i < x->m->functions.count; i++)
        s[i] = bitset_new(x->c->scratch, registers);
    return s;
}

/* Of callees first. */
static void each_instruction(struct barriers *x, const u32_vec *order,
                             void visit(struct barriers *, uint32_t, const struct ir_ins *))
{
    for (uint32_t i = 0; i < order->count; i++) {
        const struct ir_function *f = x->m->functions.at[order->at[i]];
        ir_each_block(k, b, f)
            ir_each_ins(r, f, b)
                visit(x, f->id, ir_at(f, r));
    }
}

/* Of so many predicted functions; none has a register yet. */
static void begin(struct barriers *x, uint32_t registers)
{
    x->leads = sets(x, registers);
    x->blocked = sets(x, registers);
    x->blocked_by_pointer = bitset_new(x->c->scratch, registers);
    x->inherited = sets(x, registers);
    x->inheritable = sets(x, registers);
}

static void number_none(struct barriers *x)
{
    uint32_t count = x->m->functions.count;
    x->of_function = arena_array(x->c->scratch, uint32_t, count);
    memset(x->of_function, 0xff, count * sizeof *x->of_function);
}

void barriers_without_functions(struct barriers *x)
{
    number_none(x);
    begin(x, 0);
}

uint32_t barriers_find_calls(struct barriers *x)
{
    uint32_t registers = 0;
    const u32_vec *order = opt_callees_first(x->c, x->m);
    number_none(x);
    if (!x->off)
        registers = number_predicted(x->m, x->of_function);
    begin(x, registers);
    if (!x->off)
        x->anchored = find_anchored(x);
    if (registers == 0)
        return 0;
    x->steady = find_steady(x);
    each_instruction(x, order, add_callee);
    block_by_pointer(x);
    each_instruction(x, order, block_callee);
    inherit_by_pointer(x);
    struct bitset own = bitset_new(x->c->scratch, registers);
    for (uint32_t i = order->count; i-- > 0;)
        add_inheritable(x, x->m->functions.at[order->at[i]], own);
    return registers;
}

bool barriers_leads_to(const struct barriers *x, ir_ref r, uint32_t reg, bool *through_convergent)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    if (ins->op == IR_icall) {
        *through_convergent = ir_is_convergent(x->f, r) || bitset_has(x->blocked_by_pointer, reg);
        return true;
    }
    if (ins->op != IR_call)
        return false;
    bool leads = bitset_has(x->leads[ins->imm], reg);
    *through_convergent =
        bitset_has(x->blocked[ins->imm], reg) || (leads && bitset_has(x->steady, (uint32_t)ins->imm));
    return leads || x->of_function[ins->imm] == reg;
}

void barriers_hand_on(struct barriers *x, const struct barrier_prediction *p)
{
    for (uint32_t i = 0; i < p->calls.count; i++) {
        const struct ir_ins *ins = ir_at(x->f, p->calls.at[i]);
        if (bitset_has(x->leads[ins->imm], p->reg))
            bitset_add(x->inherited[ins->imm], p->reg);
    }
}
