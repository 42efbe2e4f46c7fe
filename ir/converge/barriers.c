/* barriers.c: where threads come to a barrier, and who waits for whom there.
 *
 * Linear, but where it says otherwise.
 */
#include "ir/converge/order.h"

bool ir_has_barrier(const struct ir_function *f, uint32_t b)
{
    ir_each_ins(r, f, b)
        if (ir_at(f, r)->op == IR_barrier)
            return true;
    return false;
}

/* ---- functions and calls that may lead to one ------------------------------------------------------- */

static bool function_has_barrier(const struct ir_function *f)
{
    ir_each_block(i, b, f)
        if (ir_has_barrier(f, b))
            return true;
    return false;
}

static bool call_may_wait(const struct ir_function *f, ir_ref r, struct bitset waiting)
{
    const struct ir_ins *ins = ir_at(f, r);
    if (ins->op == IR_call)
        return bitset_has(waiting, ins->imm);
    if (ins->op != IR_icall)
        return false;
    bitset_each(i, waiting)
        if (ir_may_call(&f->module->signatures.at[ins->imm], f->module->functions.at[i]))
            return true;
    return false;
}

static bool may_wait(const struct ir_function *f, ir_ref r, struct bitset waiting)
{
    return ir_at(f, r)->op == IR_barrier || call_may_wait(f, r, waiting);
}

/* Functions that have a barrier are found first, then those that call what has been found. Each function
 * found is compared with the signatures that none has fitted yet. */

/* Which functions call directly, and through each signature; by signature whether it has been looked at. */
struct callers {
    struct rows of_function, of_signature;
    bool *seen;
};

static struct callers find_callers(struct arena *a, const struct ir_module *m)
{
    struct edge_list direct = {0}, by_pointer = {0};
    for (uint32_t i = 0; i < m->functions.count; i++)
        ir_each_block(n, b, m->functions.at[i])
            ir_each_ins(r, m->functions.at[i], b) {
                const struct ir_ins *ins = ir_at(m->functions.at[i], r);
                if (ins->op == IR_call)
                    edge_add(a, &direct, (uint32_t)ins->imm, i);
                else if (ins->op == IR_icall)
                    edge_add(a, &by_pointer, (uint32_t)ins->imm, i);
            }
    return (struct callers){rows_of_edges(a, m->functions.count, &direct),
                            rows_of_edges(a, m->signatures.count, &by_pointer),
                            arena_array(a, bool, m->signatures.count + 1)};
}

/* A kernel is called by nobody. */
static void add(struct walk *w, const struct ir_module *m, uint32_t f)
{
    if (!(m->functions.at[f]->flags & IR_FN_KERNEL))
        walk_add(w, f);
}

static void add_callers(struct walk *w, const struct ir_module *m, struct callers *c, uint32_t f)
{
    rows_each(k, c->of_function, f)
        add(w, m, c->of_function.at[k]);
    for (uint32_t s = 0; s < m->signatures.count; s++) {
        if (c->seen[s] || !ir_may_call(&m->signatures.at[s], m->functions.at[f]))
            continue;
        c->seen[s] = true;
        rows_each(k, c->of_signature, s)
            add(w, m, c->of_signature.at[k]);
    }
}

struct bitset ir_waiting_functions(struct arena *a, const struct ir_module *m)
{
    struct walk w = walk_new(a, m->functions.count);
    for (uint32_t i = 0; i < m->functions.count; i++)
        if (!(m->functions.at[i]->flags & IR_FN_KERNEL) && function_has_barrier(m->functions.at[i]))
            walk_add(&w, i);
    if (w.list.count == 0)
        return w.seen;
    struct callers callers = find_callers(a, m);
    walk_each(f, &w)
        add_callers(&w, m, &callers, f);
    return w.seen;
}

/* ---- operations that threads may come to from one --------------------------------------------------- */

/* A barrier waits for all threads that have not returned. Where some are at one, and others elsewhere, the
 * latter have to run to the kernel's end first. They can't if on their way they come to a convergent
 * operation where they wait for those at the barrier, as these may come there, too: that is the kernel's
 * mistake.
 * An operation is reached if some barrier leads to it by paths without the definition of its token, or to a
 * heart from which its token stems, by paths without the definition of the heart's. Nobody waits at a heart:
 * threads may leave the iteration without an operation. A call counts as an operation, and as a barrier if it
 * may lead to any.
 * Blocks through which passes lead several edges go on as these say (merge_edges.h): where a block's branch
 * tests its parameter, an edge that brings a constant leads one way alone. Linear in edges for each
 * operation. Which barriers lead there matters: threads wait no more for others that have left them for good,
 * and are at another one. */
struct reach {
    struct arena *arena;
    const struct ir_cfg *g;
    const struct ir_function *f;
    struct bitset functions; /* see ir_waiting_functions */
    uint32_t *from;          /* the result */
    uint32_t *of_block;      /* the barriers in it */
};

bool ir_converges(const struct ir_function *f, ir_ref r, struct bitset in_use)
{
    enum ir_op op = (enum ir_op)ir_at(f, r)->op;
    if (op == IR_loop)
        return bitset_has(in_use, r);
    return op != IR_barrier && op != IR_entry && op != IR_anchor && ir_is_convergent(f, r);
}

/* Where threads may wait in the instruction. */
static uint32_t barriers_in(const struct reach *x, ir_ref r)
{
    if (ir_at(x->f, r)->op == IR_barrier)
        return x->from[r];
    return call_may_wait(x->f, r, x->functions) ? UINT32_MAX : 0;
}

/* The same in the operation's block before it, behind the definition of its token. */
static uint32_t barriers_before(const struct reach *x, ir_ref operation)
{
    uint32_t before = 0;
    for (ir_ref r = ir_block_at(x->f, ir_at(x->f, operation)->block)->first; r != operation;
         r = ir_at(x->f, r)->next)
        before = (r == ir_at(x->f, operation)->token ? 0 : before) | barriers_in(x, r);
    return before;
}

/* The block whose parameter the branch at the end of block b tests, if nothing but jumps lead from it to b (a
 * wait ends its block); else b. */
static uint32_t tested_block(const struct reach *x, uint32_t b)
{
    const struct ir_ins *end = ir_at(x->f, ir_terminator(x->f, b));
    if ((end->op != IR_brif && end->op != IR_switch) || ir_at(x->f, end->args[0])->op != IR_param)
        return b;
    uint32_t home = ir_at(x->f, end->args[0])->block, at = b;
    while (at != home && ir_pred_count(x->g, at) == 1 &&
           ir_at(x->f, ir_terminator(x->f, x->g->preds[x->g->pred_start[at]]))->op == IR_br)
        at = x->g->preds[x->g->pred_start[at]];
    return at == home ? at : b;
}

/* Whether threads that come by the edge from p to block `to`, which leads to b or is b, may leave b by edge
 * `out`. */
static bool may_go_on(const struct reach *x, uint32_t p, uint32_t edge, uint32_t to, uint32_t b, uint32_t out)
{
    const struct ir_ins *end = ir_at(x->f, ir_terminator(x->f, b));
    const u32_vec *params = &ir_block_at(x->f, to)->params;
    scalar_bits bits;
    if (end->op != IR_brif && end->op != IR_switch)
        return true;
    for (uint32_t i = 0; i < params->count; i++)
        if (params->at[i] == end->args[0])
            return !ir_is_const(x->f, ir_block_at(x->f, p)->edges.at[edge].args[i], &bits) ||
                   ir_chosen_edge(x->f, b, bits) == out;
    return true;
}

/* The walk is over edges, by their place among all predecessors. The barriers of block b, and of those that
 * lead to it alone from the one whose parameter it tests; adds the edges by which threads that leave b by edge
 * `out` come to these, unless they come from the token's home. */
static uint32_t pass_block(const struct reach *x, struct walk *w, uint32_t b, uint32_t out, uint32_t home)
{
    uint32_t first = tested_block(x, b), at = b, from = x->of_block[b];
    while (at != home && at != first) {
        at = x->g->preds[x->g->pred_start[at]];
        from |= x->of_block[at];
    }
    if (at != home)
        ir_each_pred(p, at, x->g)
            if (may_go_on(x, p, x->g->pred_edges[p_at], at, b, out))
                walk_add(w, p_at);
    return from;
}

static uint32_t reached_from(const struct reach *x, ir_ref operation)
{
    const struct ir_ins *ins = ir_at(x->f, operation);
    uint32_t home = ins->token ? ir_at(x->f, ins->token)->block : IR_NO_BLOCK;
    struct walk w = walk_new(x->arena, x->g->pred_start[x->g->blocks]);
    uint32_t from = barriers_before(x, operation);
    if (home != ins->block)
        for (uint32_t e = x->g->pred_start[ins->block]; e < x->g->pred_start[ins->block + 1]; e++)
            walk_add(&w, e);
    walk_each(e, &w)
        from |= pass_block(x, &w, x->g->preds[e], x->g->pred_edges[e], home);
    return from;
}

uint32_t *ir_reached_from_barriers(struct arena *a, const struct ir_cfg *c, struct bitset waiting)
{
    struct reach x = {.arena = a, .g = c, .f = c->fn, .functions = waiting};
    uint32_t *hearts = arena_array(a, uint32_t, c->fn->ins.count), any = 0, barriers = 0;
    x.from = arena_array(a, uint32_t, c->fn->ins.count);
    x.of_block = arena_array(a, uint32_t, c->blocks);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        ir_each_ins(r, c->fn, c->rpo[i]) {
            if (ir_at(c->fn, r)->op == IR_barrier)
                x.from[r] = 1u << barriers++ % 32;
            any |= x.of_block[c->rpo[i]] |= barriers_in(&x, r);
        }
    if (!any)
        return NULL;
    struct bitset used = ir_tokens_in_use(a, c->fn);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        ir_each_ins(r, c->fn, c->rpo[i])
            if (ir_converges(c->fn, r, used)) {
                const struct ir_ins *ins = ir_at(c->fn, r);
                uint32_t *from = ins->op == IR_loop ? hearts : x.from;
                from[r] = hearts[ins->token] | reached_from(&x, r);
            }
    return x.from;
}

/* ---- threads that leave those who come to one ------------------------------------------------------- */

/* A barrier waits for all threads of the block that have not returned. A machine that can't hold a group there
 * while the others run on (SCHEME_HOLDS) may not have these wait for it on their way to the kernel's end. So in
 * a kernel with barriers nobody waits for the threads that go from block b to block s if a barrier is reached
 * from another successor of b, but none from s: they never come back. Unless they have to be together with
 * others behind s, that is, for some divergent branch x and some convergent operation j (or heart in whose
 * iterations such are executed):
 *
 *   - j is reached from two successors of x, by paths without the definition of its token and without a
 *   barrier,
 *     where all threads meet; and
 *   - the edge from b to s lies on such a path before the threads of x wait for each other.
 *
 * A call counts as a barrier if it may lead to one. In device functions there is no such edge: threads that
 * return wait for the others there. Where that would be for others at a barrier (ir_passes_barrier), the
 * function becomes part of its kernels (inline_barriers). */
struct finder {
    struct arena *arena;
    const struct ir_cfg *g;
    const struct ir_function *f;
    struct bitset divergent; /* blocks at whose branch threads diverge */
    const uint32_t *points;  /* by block: where they wait for each other */
    struct bitset leads;     /* blocks that lead to a barrier */
    struct bitset barriers;  /* blocks with one, where all threads meet */
    struct map demanded;     /* edges, by ir_edge_key, whose threads have to be together behind them */
    u32_vec operations;      /* convergent ones, but for barriers; of tokens hearts that control such */
};

/* Adds what leads to blocks of the set. */
static void add_leading(const struct finder *x, struct bitset set)
{
    struct walk w = walk_from(x->arena, set);
    ir_reach_back(&w, x->g, IR_NO_BLOCK);
}

/* A barrier from which nobody returns is one that nobody comes to, or the launch never ends. */
static void find_operations(struct finder *x, struct bitset waiting)
{
    x->barriers = bitset_new(x->arena, x->g->blocks);
    struct bitset used = ir_tokens_in_use(x->arena, x->f), returns = bitset_new(x->arena, x->g->blocks);
    for (uint32_t i = 0; i < x->g->rpo_count; i++)
        if (ir_at(x->f, ir_terminator(x->f, x->g->rpo[i]))->op == IR_ret)
            bitset_add(returns, x->g->rpo[i]);
    add_leading(x, returns);
    ir_each_block(i, b, x->f)
        ir_each_ins(r, x->f, b) {
            bool waits = may_wait(x->f, r, waiting);
            if (ir_at(x->f, r)->op == IR_barrier)
                bitset_add(x->barriers, b);
            if (waits && bitset_has(returns, b))
                bitset_add(x->leads, b);
            if (ir_converges(x->f, r, used))
                vec_push(x->arena, &x->operations, r);
        }
}

/* How many sides of the block's branch are in the set: 0, 1, or 2 (or more). */
static unsigned sides_in(const struct finder *x, uint32_t b, struct bitset set)
{
    uint32_t first = IR_NO_BLOCK;
    ir_each_succ(s, b, x->f) {
        if (!bitset_has(set, s) || s == first)
            continue;
        if (first != IR_NO_BLOCK)
            return 2;
        first = s;
    }
    return first != IR_NO_BLOCK;
}

/* Demands the edges from the branch to where its threads wait, by blocks that lead to an operation. */
static void demand(struct finder *x, uint32_t branch, struct bitset leading)
{
    struct walk w = walk_new(x->arena, x->g->blocks);
    walk_add(&w, branch);
    walk_each(b, &w) {
        ir_each_succ(s, b, x->f) {
            if (!bitset_has(leading, s))
                continue;
            map_set(x->arena, &x->demanded, ir_edge_key(b, s), 1);
            if (s != x->points[branch])
                walk_add(&w, s);
        }
    }
}

/* For the sake of the operation: of branches behind the definition of its token. */
static void demand_before(struct finder *x, uint32_t at, uint32_t definition)
{
    struct walk w = walk_new(x->arena, x->g->blocks);
    walk_add(&w, at);
    walk_each(b, &w)
        ir_each_pred(p, b, x->g)
            if (p != definition && !bitset_has(x->barriers, p))
                walk_add(&w, p);
    bitset_each(b, x->divergent)
        if (sides_in(x, b, w.seen) == 2)
            demand(x, b, w.seen);
}

/* Operations of one block by tokens of one block are looked at once. Time: for each of these blocks, those that
 * lead there, and of branches among them, what they lead to before their threads wait. */
static void demand_all(struct finder *x)
{
    struct map seen = {0};
    for (uint32_t i = 0; i < x->operations.count; i++) {
        const struct ir_ins *ins = ir_at(x->f, x->operations.at[i]);
        uint32_t definition = ins->token ? ir_at(x->f, ins->token)->block : IR_NO_BLOCK;
        uint64_t key = ir_edge_key(ins->block, definition);
        if (ins->block == definition || bitset_has(x->leads, ins->block) || map_get(&seen, key) != MAP_NONE)
            continue;
        map_set(x->arena, &seen, key, 1);
        demand_before(x, ins->block, definition);
    }
}

static struct finder find_leading(struct arena *a, const struct ir_cfg *c, struct bitset waiting)
{
    struct finder x = {.arena = a, .g = c, .f = c->fn, .leads = bitset_new(a, c->blocks)};
    find_operations(&x, waiting);
    add_leading(&x, x.leads);
    return x;
}

struct bitset ir_leads_to_barrier(struct arena *a, const struct ir_cfg *c, struct bitset waiting)
{
    return find_leading(a, c, waiting).leads;
}

void ir_pass_over_barriers(struct arena *a, const struct ir_cfg *c, struct bitset waiting,
                           struct bitset divergent, const uint32_t *points, struct map *exits)
{
    if (!(c->fn->flags & IR_FN_KERNEL))
        return;
    struct finder x = find_leading(a, c, waiting);
    x.divergent = divergent, x.points = points;
    if (bitset_count(x.leads))
        demand_all(&x);
    bitset_each(b, x.leads)
        ir_each_succ(s, b, x.f)
            if (!bitset_has(x.leads, s) && sides_in(&x, b, x.leads) &&
                map_get(&x.demanded, ir_edge_key(b, s)) == MAP_NONE)
                map_set(a, exits, ir_edge_key(b, s), 1);
}

/* ---- functions that some leave while others are at a barrier ---------------------------------------- */

/* Whether edges of the branch lead to a barrier, and others do not. */
static bool passes_at_branch(const struct finder *x, uint32_t b)
{
    bool passes = false;
    ir_each_succ(s, b, x->f)
        passes |= !bitset_has(x->leads, s);
    return passes && sides_in(x, b, x->leads);
}

/* `waits`: whether threads come to a barrier behind the last instruction of the block. */
static bool passes_in_block(const struct finder *x, uint32_t b, const struct ir_bodies *in, bool waits)
{
    bool passes = passes_at_branch(x, b);
    for (ir_ref r = ir_block_at(x->f, b)->last; r; r = ir_at(x->f, r)->prev) {
        if (bitset_has(in->inlined, r)) {
            struct ir_passing p = in->passing[ir_at(x->f, r)->imm];
            passes |= waits ? p.barrier_follows : p.nothing_follows;
        }
        waits |= may_wait(x->f, r, in->waiting);
    }
    return passes;
}

/* `behind`: a barrier follows the function's return. */
static bool passes(struct arena *a, const struct ir_cfg *c, const struct ir_bodies *in, bool behind)
{
    struct finder x = {.arena = a, .g = c, .f = c->fn, .leads = bitset_new(a, c->blocks)};
    bool found = false;
    ir_each_block(i, b, x.f)
        ir_each_ins(r, x.f, b) {
            if (may_wait(x.f, r, in->waiting) || (behind && ir_at(x.f, r)->op == IR_ret))
                bitset_add(x.leads, b);
        }
    add_leading(&x, x.leads);
    for (uint32_t i = 0; i < c->rpo_count && !found; i++) {
        uint32_t b = c->rpo[i];
        bool returns = behind && ir_at(x.f, ir_terminator(x.f, b))->op == IR_ret;
        found = passes_in_block(&x, b, in, returns || sides_in(&x, b, x.leads));
    }
    return found;
}

struct ir_passing ir_passes_barrier(struct arena *a, const struct ir_cfg *c, const struct ir_bodies *in)
{
    return (struct ir_passing){passes(a, c, in, false), passes(a, c, in, true)};
}

/* ---- who may end before a barrier ------------------------------------------------------------------- */

/* Whether several edges of the branch lead to barriers, and threads that take one may end before. */
static bool may_end_first(const struct finder *x, uint32_t b, struct bitset ends)
{
    bool may_end = false;
    ir_each_succ(s, b, x->f)
        may_end |= bitset_has(x->leads, s) && bitset_has(ends, s);
    return may_end && sides_in(x, b, x->leads) == 2;
}

/* Whether threads come to a barrier before those of the branch wait for each other. */
static bool comes_to_barrier(const struct finder *x, uint32_t branch, struct bitset waiting)
{
    struct walk w = walk_new(x->arena, x->g->blocks);
    ir_add_successors(&w, x->f, branch, x->points[branch]);
    walk_each(b, &w) {
        if (!bitset_has(x->leads, b))
            continue;
        ir_each_ins(r, x->f, b)
            if (may_wait(x->f, r, waiting))
                return true;
        ir_add_successors(&w, x->f, b, x->points[branch]);
    }
    return false;
}

bool ir_end_before_barriers(struct arena *a, const struct ir_cfg *c, struct bitset waiting,
                            struct bitset divergent, const uint32_t *points)
{
    struct finder x = find_leading(a, c, waiting);
    struct bitset ends = ir_exits_without_barrier(a, c);
    x.points = points;
    bitset_each(b, divergent)
        if (may_end_first(&x, b, ends) && comes_to_barrier(&x, b, waiting))
            return true;
    return false;
}

struct bitset ir_exits_without_barrier(struct arena *a, const struct ir_cfg *c)
{
    struct bitset exits = bitset_new(a, c->blocks);
    struct walk w = walk_new(a, c->blocks);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        if (ir_at(c->fn, ir_terminator(c->fn, c->rpo[i]))->op == IR_ret)
            walk_add(&w, c->rpo[i]);
    walk_each(b, &w) {
        if (ir_has_barrier(c->fn, b))
            continue;
        bitset_add(exits, b);
        ir_add_predecessors(&w, c, b, IR_NO_BLOCK);
    }
    return exits;
}
