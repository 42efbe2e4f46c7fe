/* allocate_barriers.c: lowering for machines with few barrier registers, and branches that join none: a
 * branch's join becomes an instruction before it, and barriers that nobody is in at the same time get one
 * register.
 *
 * place_barriers has numbered them through the module. A barrier is *live* where threads may be in it: from
 * its joins on to its wait. A cancel does not end that, as it takes out only those that execute it. Barriers
 * conflict if an operation on one stands where the other is live. Each gets the lowest register of none that
 * it conflicts with, in the order of joins, and above all that are live where its function is called.
 *
 * Time: a data-flow problem with a bit for each barrier of a function, and the barriers that are live at
 * each join.
 */
#include "ir/analysis/dataflow.h"
#include "opt/pass.h"

/* A call, and how many registers of its function are live there. */
struct call {
    ir_ref at;
    uint32_t live;
};
struct function {
    uint32_t base, registers; /* it has those from `base` on */
    VEC(struct call) calls;
};

struct allocation {
    struct opt_context *c;
    struct ir_module *m;
    struct function *functions;
    struct bitset taken; /* functions whose address is taken */
    /* Of one function. */
    struct ir_function *f;
    struct arena *arena;
    const struct ir_cfg *cfg;
    struct map number;        /* of a barrier in the function */
    u32_vec barriers;         /* by number */
    struct bitset *entered;   /* by block: barriers that are live at its start */
    struct bitset *conflicts; /* by number */
    uint32_t *color;          /* by number: its register, from 0 on in each function */
};

static uint32_t number_of(struct allocation *x, uint32_t barrier)
{
    uint32_t n = map_get(&x->number, barrier);
    if (n == MAP_NONE) {
        n = x->barriers.count;
        map_set(x->arena, &x->number, barrier, n);
        vec_push(x->arena, &x->barriers, barrier);
    }
    return n;
}

static void step(struct allocation *x, ir_ref r, struct bitset live)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    if (ins->op == IR_cb_join)
        bitset_add(live, number_of(x, (uint32_t)ins->imm));
    if (ins->op == IR_cb_wait)
        bitset_remove(live, number_of(x, (uint32_t)ins->imm));
}

static void transfer(void *data, uint32_t b, struct bitset live)
{
    struct allocation *x = data;
    ir_each_ins(r, x->f, b)
        step(x, r, live);
}

static void find_live(struct allocation *x)
{
    struct edge_list edges = {0};
    u32_vec order = {0};
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(x->f, x->cfg->rpo[i]);
        vec_push(x->arena, &order, x->cfg->rpo[i]);
        for (uint32_t e = 0; e < b->edges.count; e++)
            edge_add(x->arena, &edges, x->cfg->rpo[i], b->edges.at[e].block);
    }
    struct rows down = rows_of_edges(x->arena, x->f->blocks.count, &edges);
    struct ir_dataflow d = {&down, &order, x->barriers.count, transfer, x, NULL};
    x->entered = ir_dataflow_solve(x->arena, &d);
}

/* A barrier conflicts with those that are live at its operations. Not all threads at a wait are in it. */
static void note_conflicts(struct allocation *x, ir_ref r, struct bitset live)
{
    if (!ir_is_convergence_barrier(ir_at(x->f, r)->op))
        return;
    uint32_t n = number_of(x, (uint32_t)ir_at(x->f, r)->imm);
    bitset_union(x->conflicts[n], live);
    bitset_each(other, live)
        bitset_add(x->conflicts[other], n);
}

static void note_call(struct allocation *x, ir_ref r, struct bitset live)
{
    enum ir_op op = (enum ir_op)ir_at(x->f, r)->op;
    uint32_t above = 0;
    if (op != IR_call && op != IR_icall)
        return;
    bitset_each(n, live)
        above = x->color[n] >= above ? x->color[n] + 1 : above;
    vec_push(x->c->scratch, &x->functions[x->f->id].calls, ((struct call){r, above}));
}

/* `look` at each instruction, with what is live before it. */
static void each_live(struct allocation *x, void (*look)(struct allocation *, ir_ref, struct bitset))
{
    struct bitset live = bitset_new(x->arena, x->barriers.count);
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        bitset_copy(live, x->entered[x->cfg->rpo[i]]);
        ir_each_ins(r, x->f, x->cfg->rpo[i]) {
            look(x, r, live);
            step(x, r, live);
        }
    }
}

/* Each barrier gets the lowest register that none has with which it conflicts. */
static void color(struct allocation *x)
{
    struct bitset used = bitset_new(x->arena, x->barriers.count + 1);
    x->color = arena_array(x->arena, uint32_t, x->barriers.count);
    for (uint32_t n = 0; n < x->barriers.count; n++) {
        bitset_clear(used);
        bitset_each(other, x->conflicts[n])
            if (other < n)
                bitset_add(used, x->color[other]);
        while (bitset_has(used, x->color[n]))
            x->color[n]++;
        if (x->color[n] >= x->functions[x->f->id].registers)
            x->functions[x->f->id].registers = x->color[n] + 1;
    }
}

static void rename_all(struct allocation *x)
{
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        ir_each_ins(r, x->f, x->cfg->rpo[i])
            if (ir_is_convergence_barrier(ir_at(x->f, r)->op))
                ir_at(x->f, r)->imm = x->color[number_of(x, (uint32_t)ir_at(x->f, r)->imm)];
}

/* A branch that names where its threads reconverge joins the barrier of the wait there. */
static void join_before_branches(struct allocation *x)
{
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(x->f, x->cfg->rpo[i]);
        if (b->reconverge >= x->f->blocks.count)
            continue;
        ir_ref wait = ir_block_at(x->f, b->reconverge)->first;
        if (ir_at(x->f, wait)->op != IR_cb_wait)
            continue;
        struct ir_cursor at = {x->f, x->cfg->rpo[i], b->last, {0, 0}};
        ir_ref join = ir_emit0(&at, IR_cb_join, IR_TYPE_VOID);
        ir_at(x->f, join)->imm = ir_at(x->f, wait)->imm;
    }
}

static void work_on(struct allocation x)
{
    struct scratch scratch;
    x.arena = scratch_begin(&scratch);
    x.cfg = opt_cfg(x.c, x.f);
    join_before_branches(&x);
    for (uint32_t i = 0; i < x.cfg->rpo_count; i++)
        ir_each_ins(r, x.f, x.cfg->rpo[i])
            if (ir_is_convergence_barrier(ir_at(x.f, r)->op))
                number_of(&x, (uint32_t)ir_at(x.f, r)->imm);
    find_live(&x);
    x.conflicts = arena_array(x.arena, struct bitset, x.barriers.count);
    for (uint32_t n = 0; n < x.barriers.count; n++)
        x.conflicts[n] = bitset_new(x.arena, x.barriers.count);
    each_live(&x, note_conflicts);
    color(&x);
    each_live(&x, note_call);
    rename_all(&x);
    scratch_end(&scratch);
}

/* ---- functions --------------------------------------------------------------------------------------- */

/* The functions that are called need registers that are not live there. Whether any gets others. */
static bool raise_callees(struct allocation *x, const struct function *caller, const struct ir_function *f)
{
    bool raised = false;
    for (uint32_t i = 0; i < caller->calls.count; i++) {
        const struct call *call = &caller->calls.at[i];
        const struct ir_ins *ins = ir_at(f, call->at);
        u32_vec callees = {0};
        if (ins->op == IR_call)
            vec_push(x->c->scratch, &callees, (uint32_t)ins->imm);
        else
            callees = opt_pointer_targets(x->c->scratch, x->m, x->taken, (uint32_t)ins->imm);
        for (uint32_t k = 0; k < callees.count; k++) {
            struct function *callee = &x->functions[callees.at[k]];
            uint32_t above = caller->base + call->live;
            raised |= callee->base < above;
            callee->base = callee->base < above ? above : callee->base;
        }
    }
    return raised;
}

/* Calls through pointers may lead to functions in any order; in a circle, too, which the backend refuses. */
static void find_bases(struct allocation *x, const u32_vec *callees_first)
{
    bool raised = true;
    for (uint32_t round = 0; raised && round <= x->m->functions.count; round++) {
        raised = false;
        for (uint32_t i = callees_first->count; i-- > 0;) {
            uint32_t f = callees_first->at[i];
            raised |= raise_callees(x, &x->functions[f], x->m->functions.at[f]);
        }
    }
}

static void add_base(struct ir_function *f, uint32_t base)
{
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (ir_is_convergence_barrier(ir_at(f, r)->op))
                ir_at(f, r)->imm += base;
}

bool opt_allocate_barriers(struct opt_context *c, struct ir_module *m)
{
    struct allocation x = {
        .c = c, .m = m, .functions = arena_array(c->scratch, struct function, m->functions.count)};
    uint32_t limit = c->options->limits[OPT_LIMIT_barrier_registers];
    x.taken = *opt_addresses_taken(c, m);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        x.f = m->functions.at[i];
        if (x.f->order.count)
            work_on(x);
    }
    find_bases(&x, opt_callees_first(c, m));
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct function *f = &x.functions[i];
        add_base(m->functions.at[i], f->base);
        if (f->registers && f->base + f->registers > limit)
            opt_error(c, m->functions.at[i], "too-large", m->functions.at[i]->at,
                      "'%s' needs %u barrier registers, and calls of it keep %u: limit of %u "
                      "(--limit=barrier_registers=N)",
                      m->functions.at[i]->name, f->registers, f->base, limit);
    }
    return true;
}
