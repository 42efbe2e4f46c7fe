/* arms.c: the nodes of two arms, and what orders them: operands, and the rows of the program dependence graph
 * (section 3.2).
 *
 * Beside these, two orders are kept. Convergent operations stay where they are, each behind the one before.
 * What may trap stays behind what is seen outside, and the other way round: an assertion guards the accesses
 * behind it.
 */
#include "opt/csc/csc.h"

/* ---- nodes --------------------------------------------------------------------------------------- */

/* Whether an instruction of each arm may become one for both. Nothing that communicates may. */
static bool may_match(const struct ir_function *f, ir_ref r)
{
    enum ir_op op = ir_at(f, r)->op;
    if (ir_is_convergent(f, r))
        return false;
    switch (op) {
    case IR_ptradd:
    case IR_ptrcast:
    case IR_object:
    case IR_function:
    case IR_special:
    case IR_load:
    case IR_store:
    case IR_memcpy:
    case IR_memzero:
    case IR_assert:
    case IR_call:
    case IR_icall: return true;
    default: return ir_is_pure(op) || (op >= IR_atomic_add && op <= IR_atomic_cas);
    }
}

/* Operands that the round has replaced do not count. */
static uint8_t operand_type(struct csc *p, const struct ir_ins *x, uint32_t i)
{
    return ir_at(p->f, opt_renamed(&p->renaming, x->args[i]))->type;
}

static bool has_offset(const struct ir_ins *x)
{
    return ir_op_info[x->op].imm == IR_IMM_OFFSET;
}

/* The constant that an integer is divided by, or 0. Another pass makes multiplications of such a division, so
 * it is not worth one by a value that each arm gives. */
static ir_ref constant_divisor(struct csc *p, const struct ir_ins *x)
{
    switch (x->op) {
    case IR_sdiv:
    case IR_udiv:
    case IR_srem:
    case IR_urem: break;
    default: return 0;
    }
    ir_ref by = opt_renamed(&p->renaming, x->args[1]);
    return ir_at(p->f, by)->op == IR_constant ? by : 0;
}

/* Offsets of accesses may differ, and of what wide accesses they are parts. */
static bool same_kind(struct csc *p, const struct ir_ins *x, const struct ir_ins *y)
{
    if (x->op != y->op || x->type != y->type || x->mem != y->mem || x->argc != y->argc ||
        (!has_offset(x) && (x->imm != y->imm || x->imm2 != y->imm2)) ||
        constant_divisor(p, x) != constant_divisor(p, y))
        return false;
    for (uint32_t i = 0; i < x->argc; i++)
        if (operand_type(p, x, i) != operand_type(p, y, i))
            return false;
    return true;
}

static uint64_t hash_of(struct csc *p, const struct ir_ins *x)
{
    bool offset = has_offset(x);
    uint64_t h = hash_mix((uint64_t)x->op << 16 | x->type << 8 | x->mem, offset ? 0 : (uint64_t)x->imm);
    h = hash_mix(h, (uint64_t)(offset ? 0 : x->imm2) << 32 | x->argc);
    for (uint32_t i = 0; i < x->argc; i++)
        h = hash_mix(h, operand_type(p, x, i));
    return hash_mix(h, constant_divisor(p, x));
}

/* The number of the kind of node n; `by_hash`: kinds by hash, a taken key's next is key + 1. */
static uint32_t kind_of(struct csc_arms *a, struct map *by_hash, uint32_t n)
{
    const struct ir_function *f = a->p->f;
    const struct ir_ins *ins = ir_at(f, a->nodes.at[n].ins);
    for (uint64_t h = hash_of(a->p, ins);; h++) {
        uint32_t k = map_get(by_hash, h);
        if (k == MAP_NONE) {
            map_set(a->p->arena, by_hash, h, a->table.kinds.count);
            vec_push(a->p->arena, &a->table.kinds, (struct csc_kind){0});
            return a->table.kinds.count - 1;
        }
        const struct csc_kind *kind = &a->table.kinds.at[k];
        if (same_kind(a->p, ins, ir_at(f, a->nodes.at[kind->nodes[kind->count[0] == 0].at[0]].ins)))
            return k;
    }
}

static void add_node(struct csc_arms *a, struct map *by_hash, uint8_t arm, ir_ref r)
{
    struct csc *p = a->p;
    uint32_t n = a->nodes.count;
    vec_push(p->arena, &a->nodes,
             ((struct csc_node){.ins = r,
                                .arm = arm,
                                .kind = CSC_NONE,
                                .partner = CSC_NONE,
                                .weight = cost_of_instruction(p->f, r, p->functions)}));
    p->number[r] = n + 1;
    if (!may_match(p->f, r))
        return;
    uint32_t k = kind_of(a, by_hash, n);
    struct csc_kind *kind = &a->table.kinds.at[k];
    a->nodes.at[n].kind = k;
    a->nodes.at[n].rank = kind->count[arm]++;
    vec_push(p->arena, &kind->nodes[arm], n);
}

bool csc_is_outside(const struct csc *p, ir_ref r)
{
    uint32_t b = ir_at(p->f, r)->block;
    if (ir_at(p->f, r)->op == IR_constant)
        return true;
    return b < opt_cfg(p->c, p->f)->blocks && r < p->instructions && p->number[r] == 0 &&
           ir_dominates(opt_dominators(p->c, p->f), b, p->root);
}

/* ---- dependences --------------------------------------------------------------------------------- */

/* What the world outside sees besides memory, in this order. */
static bool is_seen(const struct ir_function *f, ir_ref r)
{
    enum ir_op op = ir_at(f, r)->op;
    switch (op) {
    case IR_store:
    case IR_memcpy:
    case IR_memzero:
    case IR_alloca:
    case IR_fence: return false;
    default: return ir_op_info[op].flags & IR_EFFECT && !(op >= IR_atomic_add && op <= IR_atomic_cas);
    }
}

struct order {
    struct csc_arms *a;
    struct edge_list edges;
    uint32_t effect, convergent, seen; /* the last node of each, or CSC_NONE */
    u32_vec traps;                     /* nodes since `seen` that may trap */
};

static void add_edge(struct order *o, uint32_t from, uint32_t to)
{
    if (from != CSC_NONE)
        edge_add(o->a->p->arena, &o->edges, from, to);
}

static void order_operands(struct order *o, uint32_t n)
{
    const struct csc *p = o->a->p;
    const struct ir_ins *ins = ir_at(p->f, o->a->nodes.at[n].ins);
    for (uint32_t i = 0; i < ins->argc; i++) {
        uint32_t from = ins->args[i] < p->instructions ? p->number[ins->args[i]] : 0;
        if (from == 0)
            continue;
        o->a->nodes.at[from - 1].uses++;
        add_edge(o, from - 1, n);
    }
}

/* By the rows of the PDG within an iteration; all effects in turn if it has none. */
static void order_effects(struct order *o, uint32_t n)
{
    const struct csc *p = o->a->p;
    uint32_t row = p->row[o->a->nodes.at[n].ins];
    if (row == 0)
        return;
    if (!p->pdg->precise) {
        add_edge(o, o->effect, n);
        o->effect = n;
        return;
    }
    for (uint32_t k = p->pdg->start[row - 1]; k < p->pdg->start[row]; k++) {
        uint32_t from = p->number[p->pdg->on.at[k].from];
        if (from && from - 1 < n && o->a->nodes.at[from - 1].arm == o->a->nodes.at[n].arm)
            add_edge(o, from - 1, n);
    }
}

static void order_convergent(struct order *o, uint32_t n)
{
    ir_ref r = o->a->nodes.at[n].ins;
    if (!ir_is_convergent(o->a->p->f, r) && !opt_is_prediction((enum ir_op)ir_at(o->a->p->f, r)->op))
        return;
    o->a->communicates = true;
    add_edge(o, o->convergent, n);
    o->convergent = n;
}

static void order_traps(struct order *o, uint32_t n)
{
    const struct ir_function *f = o->a->p->f;
    ir_ref r = o->a->nodes.at[n].ins;
    if (is_seen(f, r)) {
        for (uint32_t i = 0; i < o->traps.count; i++)
            add_edge(o, o->traps.at[i], n);
        add_edge(o, o->seen, n);
        o->seen = n;
        vec_clear(&o->traps);
    } else if (ir_op_info[ir_at(f, r)->op].flags & IR_TRAPS) {
        add_edge(o, o->seen, n);
        vec_push(o->a->p->arena, &o->traps, n);
    }
}

static void find_order(struct csc_arms *a)
{
    struct order o = {.a = a};
    struct edge_list back = {0};
    for (uint32_t n = 0; n < a->nodes.count; n++) {
        if (n == 0 || n == a->first) {
            o.effect = o.convergent = o.seen = CSC_NONE;
            vec_clear(&o.traps);
        }
        order_operands(&o, n);
        order_effects(&o, n);
        order_convergent(&o, n);
        order_traps(&o, n);
    }
    back.from = o.edges.to;
    back.to = o.edges.from;
    a->after = rows_of_edges(a->p->arena, a->nodes.count, &o.edges);
    a->before = rows_of_edges(a->p->arena, a->nodes.count, &back);
}

/* ---- the analysis it leans on -------------------------------------------------------------------- */

void csc_find_dependences(struct csc *p)
{
    p->pdg = opt_pdg(p->c, p->f);
    for (uint32_t i = 0; i < p->pdg->memory.count; i++)
        p->row[p->pdg->memory.at[i]] = i + 1;
}

/* ---- branches and blocks ------------------------------------------------------------------------- */

bool csc_is_arm(struct csc *p, uint32_t branch, uint32_t b)
{
    const struct ir_dominators *d = opt_dominators(p->c, p->f);
    const struct ir_cfg *g = opt_cfg(p->c, p->f);
    uint32_t edges = 0;
    if (b == ir_entry(p->f) || d->idom[b] != branch)
        return false;
    ir_each_pred(q, b, g) {
        edges += q == branch;
        if (q != branch && !ir_dominates(d, b, q))
            return false;
    }
    return edges == 1;
}

bool csc_communicates(const struct ir_function *f, uint32_t b)
{
    ir_each_ins(r, f, b)
        if (ir_is_convergent(f, r) || opt_is_prediction((enum ir_op)ir_at(f, r)->op))
            return true;
    return false;
}

bool csc_arm_communicates(struct csc *p, uint32_t entry)
{
    const struct ir_dominators *d = opt_dominators(p->c, p->f);
    for (uint32_t n = d->pre[entry]; n <= d->post[entry]; n++)
        if (csc_communicates(p->f, d->order[n]))
            return true;
    return false;
}

/* ---- what must not be separated ------------------------------------------------------------------ */

static bool refuse(struct csc *p, ir_ref r, const char *why)
{
    opt_remark(p->c, p->f, OPT_MISSED, "convergent", ir_at(p->f, ir_terminator(p->f, p->root))->at,
               "arms stay as they are: '%s' %s", ir_op_info[ir_at(p->f, r)->op].text, why);
    return true;
}

/* Of blocks that the round began with. */
static bool in_one_cycle(struct csc *p, uint32_t x, uint32_t y)
{
    const struct ir_cycles *cycles = opt_cycles(p->c, p->f);
    uint32_t blocks = opt_cfg(p->c, p->f)->blocks;
    return x < blocks && y < blocks && cycles->innermost[x] == cycles->innermost[y];
}

/* A token's uses may not be separated from its definition. And where the arms meet in a cycle, the operations
 * of both are in it: those of an arm that leaves the cycle were not. */
static bool must_stay(struct csc *p, const struct csc_arms *a, uint32_t arm)
{
    bool leaves = !in_one_cycle(p, a->block[0], a->block[1]);
    if (a->block[arm] == IR_NO_BLOCK)
        return false;
    ir_each_ins(r, p->f, a->block[arm]) {
        if (opt_is_token_op((enum ir_op)ir_at(p->f, r)->op))
            return refuse(p, r, "makes a token");
        if (leaves && (ir_is_convergent(p->f, r) || opt_is_prediction((enum ir_op)ir_at(p->f, r)->op)))
            return refuse(p, r, "is in a cycle that the other arm is not in, or the other way round");
    }
    return false;
}

/* ---- arms ---------------------------------------------------------------------------------------- */

/* Whether both end in the same jump or branch, to the same blocks. */
static bool end_alike(const struct ir_function *f, uint32_t x, uint32_t y)
{
    if (x == IR_NO_BLOCK || y == IR_NO_BLOCK)
        return false;
    const struct ir_block *b = ir_block_at(f, x), *c = ir_block_at(f, y);
    enum ir_op op = ir_at(f, b->last)->op;
    bool alike = op == ir_at(f, c->last)->op && (op == IR_br || op == IR_brif);
    for (uint32_t e = 0; alike && e < b->edges.count; e++)
        alike = b->edges.at[e].block == c->edges.at[e].block;
    return alike;
}

bool csc_arms_new(struct csc *p, uint32_t branch, const uint32_t block[2], ir_ref condition,
                  struct csc_arms *a)
{
    struct map by_hash = {0};
    *a = (struct csc_arms){.p = p,
                           .branch = branch,
                           .block = {block[0], block[1]},
                           .condition = condition,
                           .same_end = end_alike(p->f, block[0], block[1])};
    if (must_stay(p, a, 0) || must_stay(p, a, 1))
        return false;
    for (uint8_t arm = 0; arm < 2; arm++) {
        a->first = a->nodes.count;
        ir_ref end = block[arm] == IR_NO_BLOCK ? 0 : ir_terminator(p->f, block[arm]);
        for (ir_ref r = end ? ir_block_at(p->f, block[arm])->first : 0; r != end; r = ir_at(p->f, r)->next)
            add_node(a, &by_hash, arm, r);
    }
    find_order(a);
    return true;
}

void csc_arms_forget(struct csc_arms *a)
{
    for (uint32_t n = 0; n < a->nodes.count; n++)
        a->p->number[a->nodes.at[n].ins] = 0;
}
