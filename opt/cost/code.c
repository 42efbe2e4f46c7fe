/* code.c: the code that a modelled warp runs: pieces of blocks, with what they cost.
 *
 * An instruction counts as the bytecode's does (docs/metrics.md): nothing for a jump to the block that stands
 * next, for a wait that lanes jump or branch to, for a rejoin that is part of a wait, for a branch whose arms
 * are predicated and for their ends, for what an access does with its address, or for what a warp begins with.
 * Block parameters get what has another register, and constants, by moves (registers.c). Of the function's own
 * code, which knows what is uniform, so do lanes that compute with a scalar of their warp, as under `pdom`.
 */
#include "opt/cost/cost.h"
#include "opt/pass.h"

struct builder {
    struct arena *arena;
    struct cost_code *code;
    const struct ir_function *f, *placed; /* as it was sampled; with barriers */
    const struct ir_uniformity *u;        /* of the function whose code is its own, else NULL */
    const uint64_t *functions;
    uint32_t *next, *preds; /* by block of `placed`: the one behind it; edges to it */
    uint32_t *uses;         /* by value of `placed` */
    uint32_t *registers;    /* by value of `placed`: see cost_registers */
    struct bitset folded;   /* values of `placed` that are no instructions of their own */
    struct bitset spread;   /* uniform values that lanes compute with */
    struct bitset parts;    /* rejoins that are parts of waits */
    uint32_t *access;       /* by instruction of `f`: how many accesses stand before it in its block */
    struct ir_predication predication; /* of `placed` */
};

static uint64_t cost_of_callee(const struct ir_ins *ins, const uint64_t *functions)
{
    return ins->op == IR_call ? functions[ins->imm] : ins->op == IR_icall ? COST_UNKNOWN_CALL : 0;
}

/* Adds what the instruction costs to the piece. */
static void count(struct cost_piece *p, const struct ir_function *f, ir_ref r, const uint64_t *functions)
{
    p->cycles += ir_cost_of(f, r) + (uint32_t)cost_of_callee(ir_at(f, r), functions);
    p->instructions += ir_latency_of(f, r) != IR_LAT_NONE;
    p->accesses += cost_is_access(f, r);
}

/* Products of floats that become part of the sum r, and so are no instructions of their own. */
static uint32_t products_of(const struct builder *x, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->placed, r);
    uint32_t n = 0;
    if ((ins->op != IR_add && ins->op != IR_sub) || !ir_is_float((enum ir_type)ins->type))
        return 0;
    for (uint32_t k = 0; k < 2; k++) {
        const struct ir_ins *from = ir_at(x->placed, ins->args[k]);
        n += from->op == IR_mul && from->block == ins->block && x->uses[ins->args[k]] == 1;
    }
    return n;
}

/* A constant added, or a shift by one: an access does that with its address. */
static bool is_scaling(const struct ir_function *f, const struct ir_ins *ins)
{
    uint64_t bits;
    switch (ins->op) {
    case IR_add:
    case IR_sub:
    case IR_shl:
    case IR_ptradd: return ir_is_const(f, ins->args[1], &bits);
    case IR_mul: return ir_is_const(f, ins->args[1], &bits) && bits && (bits & (bits - 1)) == 0;
    default: return ins->op == IR_ptrcast;
    }
}

/* Whether all threads have the address: it is an argument's or an object's. */
static bool is_base(const struct builder *x, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->placed, r);
    while (is_scaling(x->placed, ins))
        ins = ir_at(x->placed, ins->args[0]);
    return ins->op == IR_object || (ins->op == IR_param && ins->block == ir_entry(x->placed));
}

/* Of blockIdx.d * blockDim.d + threadIdx.d the product, or 0. */
static ir_ref product_of_grid_index(const struct ir_function *f, const struct ir_ins *sum)
{
    for (unsigned k = 0; sum->op == IR_add && k < 2; k++) {
        const struct ir_ins *product = ir_at(f, sum->args[k]);
        if (product->op == IR_mul && ir_at(f, sum->args[1 - k])->op == IR_special &&
            ir_at(f, product->args[0])->op == IR_special && ir_at(f, product->args[1])->op == IR_special)
            return sum->args[k];
    }
    return 0;
}

static bool is_sum_of_base(const struct builder *x, const struct ir_ins *ins)
{
    return ins->op == IR_ptradd && !is_scaling(x->placed, ins) && is_base(x, ins->args[0]);
}

static bool is_access(const struct ir_ins *ins)
{
    return ins->op == IR_load || ins->op == IR_store;
}

/* Whether the access adds an index to a base, which is an instruction more. */
static bool is_indexed(const struct builder *x, const struct ir_ins *access)
{
    ir_ref r = is_access(access) ? access->args[0] : 0;
    while (r && bitset_has(x->folded, r) && is_scaling(x->placed, ir_at(x->placed, r)))
        r = ir_at(x->placed, r)->args[0];
    return r && bitset_has(x->folded, r) && is_sum_of_base(x, ir_at(x->placed, r));
}

/* Of a uniform address the index is scaled and added for the whole warp at once, by instructions. */
static bool is_added_before(const struct builder *x, ir_ref r, bool constant)
{
    return x->u && !bitset_has(x->u->divergent, r) &&
           !(constant && (ir_at(x->placed, r)->op == IR_ptradd || ir_at(x->placed, r)->op == IR_ptrcast));
}

/* What only accesses and parts of their addresses read, and what a warp begins with. */
static void find_folded(struct builder *x, const struct ir_cfg *g)
{
    const struct ir_function *f = x->placed;
    uint32_t *by_accesses = arena_array(x->arena, uint32_t, f->ins.count);
    x->folded = bitset_new(x->arena, f->ins.count);
    for (uint32_t i = g->rpo_count; i-- > 0;)
        for (ir_ref r = ir_block_at(f, g->rpo[i])->last; r; r = ir_at(f, r)->prev) {
            const struct ir_ins *ins = ir_at(f, r);
            bool scaling = is_scaling(f, ins), part = x->uses[r] && by_accesses[r] == x->uses[r];
            part &= !is_added_before(x, r, scaling);
            ir_ref product = product_of_grid_index(f, ins);
            if (ins->op == IR_special || ins->op == IR_object || product ||
                (part && (scaling || is_sum_of_base(x, ins))))
                bitset_add(x->folded, r);
            if (product && x->uses[product] == 1)
                bitset_add(x->folded, product);
            if (is_access(ins) || (part && scaling))
                by_accesses[ins->args[0]]++;
            else if (part && is_sum_of_base(x, ins))
                by_accesses[ins->args[1]]++;
        }
}

static void begin_edges(struct cost_code *code, struct cost_piece *p)
{
    p->first_op = code->ops.count;
    p->first_edge = code->edges.count;
    p->reconverge = COST_NOWHERE;
}

/* ---- with barriers placed ---------------------------------------------------------------------------- */

/* The block behind the wait, if nobody else comes there. */
static uint32_t block_behind(const struct builder *x, ir_ref wait)
{
    const struct ir_block *b = ir_block_at(x->placed, ir_at(x->placed, wait)->block);
    return b->edges.count == 1 && x->preds[b->edges.at[0].block] == 1 ? b->edges.at[0].block : IR_NO_BLOCK;
}

/* The rejoin that is part of the wait, or 0. */
static ir_ref rejoin_of(const struct builder *x, ir_ref wait)
{
    uint32_t behind = block_behind(x, wait);
    ir_ref r = behind == IR_NO_BLOCK ? 0 : ir_block_at(x->placed, behind)->first;
    while (r && ir_at(x->placed, r)->op == IR_cb_rejoin &&
           ir_at(x->placed, r)->imm != ir_at(x->placed, wait)->imm)
        r = ir_at(x->placed, r)->next;
    return r && ir_at(x->placed, r)->op == IR_cb_rejoin ? r : 0;
}

static void add_operation(struct builder *x, struct cost_piece *p, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->placed, r);
    uint32_t reg = (uint32_t)ins->imm;
    struct cost_op op = {.op = (enum ir_op)ins->op, .reg = reg};
    struct ir_cancel cancel = ins->op == IR_cb_cancel ? ir_cancel_of(ins) : (struct ir_cancel){0};
    if (ins->op == IR_cb_cancel)
        op = (struct cost_op){IR_cb_cancel, reg, cancel.threshold, cancel.wait, cancel.member};
    else if (ins->op == IR_cb_join)
        op.flag = ins->imm2;
    else if (ins->op == IR_cb_wait)
        op = (struct cost_op){IR_cb_wait, reg, ins->imm2, 0, rejoin_of(x, r) != 0};
    x->code->rejoins[reg] |= ins->op == IR_cb_rejoin || cancel.member;
    vec_push(x->arena, &x->code->ops, op);
    p->ops++;
}

/* Rejoins that are parts of waits. */
static struct bitset find_parts(struct builder *x)
{
    struct bitset parts = bitset_new(x->arena, x->placed->ins.count);
    ir_each_block(k, b, x->placed)
        ir_each_ins(r, x->placed, b)
            if (ir_at(x->placed, r)->op == IR_cb_wait && rejoin_of(x, r))
                bitset_add(parts, rejoin_of(x, r));
    return parts;
}

static bool begins_with_wait(const struct builder *x, uint32_t b)
{
    return b != IR_NO_BLOCK && ir_at(x->placed, ir_block_at(x->placed, b)->first)->op == IR_cb_wait;
}

static bool is_predicated(const struct builder *x, uint32_t b)
{
    return x->predication.sides && x->predication.sides[b];
}

/* Whether guards stand in its place: at a branch with predicated arms and no other side, and at their ends. */
static bool is_guard(const struct builder *x, uint32_t b, const struct ir_ins *ins)
{
    const struct ir_predication *p = &x->predication;
    return p->sides && ((ins->op == IR_brif && bitset_has(p->whole, b)) ||
                        (ins->op == IR_br && p->ends[b] != IR_NO_BLOCK));
}

/* Whether it is an instruction: a jump to the block that stands next is none, but where it falls into a wait,
 * which counts there and not where lanes jump or branch to it. */
static bool counts(const struct builder *x, uint32_t b, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->placed, r);
    uint32_t to = ins->op == IR_br ? ir_block_at(x->placed, b)->edges.at[0].block : IR_NO_BLOCK;
    if (is_guard(x, b, ins))
        return false;
    if (ins->op == IR_cb_wait && r == ir_block_at(x->placed, b)->first)
        return false;
    return ins->op != IR_br || to != x->next[b] || begins_with_wait(x, to);
}

static void fill(struct builder *x, struct cost_piece *p, uint32_t b)
{
    const struct ir_function *placed = x->placed;
    p->is_wait = true;
    ir_each_ins(r, placed, b) {
        const struct ir_ins *ins = ir_at(placed, r);
        bool own = r < x->f->ins.count, ends = r == ir_block_at(placed, b)->last;
        if (own && p->block == IR_NO_BLOCK)
            p->block = ir_at(x->f, r)->block;
        p->is_last |= ends && own && ir_terminator(x->f, p->block) == r;
        if (bitset_has(x->parts, r))
            continue;
        if (ir_is_convergence_barrier(ins->op))
            add_operation(x, p, r);
        else
            p->is_wait &= ends;
        if (own && !p->accesses)
            p->first_access = x->access[r];
        if (counts(x, b, r) && !bitset_has(x->folded, r))
            count(p, placed, r, x->functions);
        p->instructions += is_indexed(x, ins);
        p->cycles += is_indexed(x, ins) ? ir_latency_cycles[IR_LAT_ALU] : 0;
        p->instructions -= products_of(x, r);
    }
}

/* The next block of the function that lanes come to by way of this one. */
static uint32_t block_after(const struct builder *x, uint32_t b)
{
    for (uint32_t i = 0; b >= x->f->blocks.count && i < x->placed->blocks.count; i++)
        b = ir_block_at(x->placed, b)->edges.count ? ir_block_at(x->placed, b)->edges.at[0].block : 0;
    return b;
}

/* On edge e of block b: to parameters, and the jump behind them. */
static uint32_t moves_on(const struct builder *x, uint32_t b, uint32_t e)
{
    const struct ir_edge *edge = &ir_block_at(x->placed, b)->edges.at[e];
    uint32_t moves = 0;
    const struct ir_block *target = ir_block_at(x->placed, edge->block);
    for (uint32_t k = 0; k < edge->argc; k++)
        moves += ir_is_const(x->placed, edge->args[k], NULL) ||
                 x->registers[edge->args[k]] != x->registers[target->params.at[k]];
    bool jumps = moves && ir_block_at(x->placed, b)->edges.count > 1 && !is_predicated(x, b) &&
                 (edge->block != x->next[b] || begins_with_wait(x, edge->block));
    return moves + jumps;
}

static void add_edges(struct builder *x, struct cost_piece *p, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->placed, b);
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t to = block->edges.at[e].block;
        vec_push(x->arena, &x->code->edges,
                 ((struct cost_edge){to, block_after(x, to), moves_on(x, b, e), {0, 0}}));
    }
    p->edges = block->edges.count;
    if (block->edges.count < 2 || block->reconverge >= x->placed->blocks.count)
        return;
    const struct ir_ins *wait = ir_at(x->placed, ir_block_at(x->placed, block->reconverge)->first);
    if (wait->op == IR_cb_wait)
        p->reconverge = (uint32_t)wait->imm;
}

/* Of sides of predicated branches: what it costs to issue them where no lane takes them. */
static void find_missed(struct builder *x)
{
    const struct ir_function *f = x->placed;
    struct cost_issue *until = arena_array(x->arena, struct cost_issue, f->order.count + 1);
    ir_each_block(k, b, f) {
        const struct cost_piece *p = &x->code->pieces.at[b];
        until[k + 1] =
            (struct cost_issue){until[k].cycles + p->cycles, until[k].instructions + p->instructions};
        for (uint32_t e = 0; e < p->edges; e++) {
            until[k + 1].cycles += x->code->edges.at[p->first_edge + e].moves;
            until[k + 1].instructions += x->code->edges.at[p->first_edge + e].moves;
        }
    }
    ir_each_block(k, b, f)
        for (uint32_t e = 0; e < 2 && is_predicated(x, b); e++) {
            struct cost_edge *edge = &x->code->edges.at[x->code->pieces.at[b].first_edge + e];
            struct ir_arm arm = x->predication.arms[b].side[e];
            if (!(x->predication.sides[b] >> e & 1)) /* what is moved to where the threads reconverge */
                edge->missed = (struct cost_issue){edge->moves, edge->moves};
            else
                edge->missed =
                    (struct cost_issue){until[arm.end].cycles - until[arm.first].cycles,
                                        until[arm.end].instructions - until[arm.first].instructions};
        }
}

static void number_accesses(struct builder *x)
{
    x->access = arena_array(x->arena, uint32_t, x->f->ins.count);
    ir_each_block(k, b, x->f) {
        uint32_t n = 0;
        ir_each_ins(r, x->f, b) {
            x->access[r] = n;
            n += cost_is_access(x->f, r);
        }
    }
}

static void look_at_layout(struct builder *x, const struct ir_cfg *g)
{
    const struct ir_function *placed = x->placed;
    x->next = arena_array(x->arena, uint32_t, placed->blocks.count);
    x->preds = arena_array(x->arena, uint32_t, placed->blocks.count);
    x->uses = opt_count_uses(x->arena, placed);
    x->registers = cost_registers(x->arena, g);
    find_folded(x, g);
    ir_each_block(k, b, placed) {
        x->next[b] = k + 1 < placed->order.count ? placed->order.at[k + 1] : IR_NO_BLOCK;
        for (uint32_t e = 0; e < ir_block_at(placed, b)->edges.count; e++)
            x->preds[ir_block_at(placed, b)->edges.at[e].block]++;
    }
}

static struct cost_code *code_new(struct arena *a, uint32_t registers)
{
    struct cost_code *code = arena_new(a, struct cost_code);
    *code = (struct cost_code){.registers = registers, .rejoins = arena_array(a, bool, registers + 1)};
    return code;
}

struct cost_code *cost_code_of(struct arena *a, const struct ir_function *f, const struct ir_function *placed,
                               uint32_t registers, const uint64_t *functions)
{
    struct builder x = {
        .arena = a, .code = code_new(a, registers), .f = f, .placed = placed, .functions = functions};
    const struct ir_cfg *g = ir_cfg_new(a, placed);
    x.predication = ir_predication_new(a, g, ir_asks_predication(a, placed), true);
    look_at_layout(&x, g);
    number_accesses(&x);
    x.parts = find_parts(&x);
    for (uint32_t b = 0; b < placed->blocks.count; b++)
        vec_push(a, &x.code->pieces, ((struct cost_piece){.block = IR_NO_BLOCK}));
    ir_each_block(k, b, placed) {
        struct cost_piece *p = &x.code->pieces.at[b];
        p->is_first = b < f->blocks.count;
        p->block = p->is_first ? b : IR_NO_BLOCK;
        begin_edges(x.code, p);
        fill(&x, p, b);
        add_edges(&x, p, b);
    }
    if (x.predication.sides)
        find_missed(&x);
    x.code->entry = ir_entry(placed);
    return x.code;
}

uint32_t cost_code_register(const struct cost_code *code, uint32_t threshold)
{
    for (uint32_t i = 0; i < code->ops.count; i++)
        if (code->ops.at[i].op == IR_cb_wait && code->ops.at[i].threshold == threshold)
            return code->ops.at[i].reg;
    return COST_NOWHERE;
}

void cost_code_set_threshold(struct cost_code *code, uint32_t reg, uint32_t threshold)
{
    for (uint32_t i = 0; i < code->ops.count; i++) {
        struct cost_op *op = &code->ops.at[i];
        if (op->threshold && (op->op == IR_cb_wait ? op->reg : op->wait) == reg)
            op->threshold = threshold;
    }
}

/* ---- as it is ---------------------------------------------------------------------------------------- */

/* Whether the lanes execute the block together, one iteration after the other, until all leave its loops. */
static bool is_in_step(const struct ir_uniformity *u, uint32_t b)
{
    for (uint32_t c = u->cycles->innermost[b]; c != IR_NO_CYCLE; c = u->cycles->at[c].parent)
        if (u->divergent_exit[c] != IR_NO_CYCLE)
            return false;
    return true;
}

/* Whether the value is made where it stands, for all lanes at once: if lanes compute with it, they get it by an
 * instruction more. What a warp begins with they have. */
static bool is_scalar(const struct builder *x, ir_ref r)
{
    const struct ir_uniformity *u = x->u;
    const struct ir_ins *ins = ir_at(x->f, r);
    if (ir_is_const(x->f, r, NULL) || bitset_has(u->divergent, r) || bitset_has(x->folded, r))
        return false;
    bool made = ins->op == IR_param ? ins->block != ir_entry(x->f)
                                    : ir_is_pure((enum ir_op)ins->op) || ins->op == IR_load;
    return made && ins->op != IR_function && is_in_step(u, ins->block);
}

/* Uniform values that lanes compute with. Of an address the base may stay what it is. */
static void find_spread(struct builder *x)
{
    const struct ir_uniformity *u = x->u;
    x->spread = bitset_new(x->arena, x->f->ins.count);
    ir_each_block(k, b, x->f)
        ir_each_ins(r, x->f, b) {
            const struct ir_ins *ins = ir_at(x->f, r);
            bool address = ins->mem != IR_MEM_NONE || ins->op == IR_ptradd;
            if (!bitset_has(u->divergent, ins->op == IR_store ? ins->args[0] : r) || ins->op == IR_brif ||
                ins->op == IR_switch)
                continue;
            for (uint32_t n = address; n < ins->argc; n++)
                if (is_scalar(x, ins->args[n]))
                    bitset_add(x->spread, ins->args[n]);
        }
}

static void count_spread(const struct builder *x, struct cost_piece *p, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    uint32_t n = 0;
    for (uint32_t k = 0; k < block->params.count; k++)
        n += bitset_has(x->spread, block->params.at[k]);
    ir_each_ins(r, x->f, b)
        n += bitset_has(x->spread, r);
    p->instructions += n;
    p->cycles += n * ir_latency_cycles[IR_LAT_ALU];
}

/* Of block b: piece 2b, which waits for those that diverged, if that is where they reconverge, and 2b + 1. */
static void add_plain(struct builder *x, uint32_t b, const struct ir_dominators *post, struct bitset points)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    bool waits = bitset_has(points, b);
    struct cost_piece *wait = &x->code->pieces.at[2 * b], *p = wait + 1;
    if (waits) {
        *wait = (struct cost_piece){.block = b, .is_first = true, .is_wait = true, .edges = 1};
        begin_edges(x->code, wait);
        wait->ops = 1;
        vec_push(x->arena, &x->code->ops, ((struct cost_op){.op = IR_cb_wait, .reg = b}));
        vec_push(x->arena, &x->code->edges, ((struct cost_edge){2 * b + 1, b, 0, {0, 0}}));
    }
    *p = (struct cost_piece){.block = b, .is_first = !waits, .edges = block->edges.count};
    begin_edges(x->code, p);
    fill(x, p, b);
    count_spread(x, p, b);
    p->is_wait = false;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t to = block->edges.at[e].block;
        vec_push(x->arena, &x->code->edges,
                 ((struct cost_edge){2 * to + !bitset_has(points, to), to, moves_on(x, b, e), {0, 0}}));
    }
    if (block->edges.count > 1 && post->depth[b] && post->idom[b] != IR_NO_BLOCK)
        p->reconverge = post->idom[b];
}

struct cost_code *cost_code_plain(struct arena *a, const struct ir_uniformity *u,
                                  const struct ir_dominators *post, const uint64_t *functions)
{
    const struct ir_function *f = u->cfg->fn;
    uint32_t blocks = f->blocks.count;
    struct builder x = {
        .arena = a, .code = code_new(a, blocks), .f = f, .placed = f, .u = u, .functions = functions};
    struct bitset points = bitset_new(a, blocks);
    look_at_layout(&x, u->cfg);
    number_accesses(&x);
    find_spread(&x);
    x.parts = bitset_new(a, f->ins.count);
    ir_each_block(k, b, f)
        if (ir_block_at(f, b)->edges.count > 1 && post->depth[b] && post->idom[b] != IR_NO_BLOCK)
            bitset_add(points, post->idom[b]);
    for (uint32_t p = 0; p < 2 * blocks; p++)
        vec_push(a, &x.code->pieces, ((struct cost_piece){.block = IR_NO_BLOCK}));
    ir_each_block(k, b, f)
        add_plain(&x, b, post, points);
    uint32_t entry = ir_entry(f);
    x.code->entry = 2 * entry + !bitset_has(points, entry);
    return x.code;
}
