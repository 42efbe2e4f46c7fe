/* pdg.c: memory dependences inside a region: the part of the program dependence graph that SSA does not show.
 *
 * Two instructions that touch memory, or the world outside, keep their order if one can run before the other
 * within the region and they may meet: in one byte that one of them writes, or in an effect whose order is
 * seen (calls, prints, barriers). What two accesses may share is told from address spaces, from the alloca or
 * object they start from, and from constant offsets.
 */
#include "ir/analysis.h"

/* ---- what an instruction touches ----------------------------------------------------------------------- */

enum { NOWHERE = 0, GLOBAL = 1, SHARED = 2, PRIVATE = 4, WORLD = 8 };

struct access {
    unsigned spaces;
    bool     reads, writes;
    ir_ref   base;               /* alloca or object the address comes from; 0: not known */
    int64_t  offset, bytes;      /* from the base; bytes 0: not known */
};

static unsigned space_of(enum ir_type pointer)
{
    switch (pointer) {
    case IR_TYPE_GLOBAL: return GLOBAL;
    case IR_TYPE_SHARED: return SHARED;
    case IR_TYPE_PRIVATE: return PRIVATE;
    default: return NOWHERE;     /* constant memory is never written */
    }
}

/* Follows additions of constants back to an alloca or object. */
static void find_base(const struct ir_function *f, ir_ref address, struct access *x)
{
    scalar_bits bytes;
    bool known = true;
    for (;;) {
        const struct ir_ins *i = ir_at(f, address);
        if (i->op == IR_alloca || i->op == IR_object) {
            x->base = address;
            break;
        }
        if (i->op != IR_ptradd)
            return;
        if (ir_is_const(f, i->args[1], &bytes))
            x->offset += (int32_t)(uint32_t)bytes;
        else
            known = false;
        address = i->args[0];
    }
    if (!known)
        x->bytes = 0;
}

static struct access access_of(const struct ir_function *f, ir_ref r)
{
    const struct ir_ins *i = ir_at(f, r);
    const struct ir_op_info *info = &ir_op_info[i->op];
    struct access x = {.reads = info->flags & IR_READS, .writes = info->flags & IR_WRITES};
    if (i->op == IR_alloca || (!x.reads && !x.writes && !(info->flags & (IR_EFFECT | IR_TRAPS))))
        return (struct access){0};
    switch (i->op) {
    case IR_load: case IR_store: case IR_memzero:
        x.spaces = space_of(ir_at(f, i->args[0])->type);
        x.offset = i->op == IR_memzero ? 0 : i->imm;
        x.bytes = i->op == IR_memzero ? i->imm : ir_mem_info[i->mem].bytes;
        find_base(f, i->args[0], &x);
        return x;
    case IR_memcpy:
        x.spaces = space_of(ir_at(f, i->args[0])->type) | space_of(ir_at(f, i->args[1])->type);
        return x;
    case IR_predict: case IR_predict_point: case IR_predict_function:
        return (struct access){0};
    default:
        break;
    }
    bool atomic = i->op >= IR_atomic_add && i->op <= IR_atomic_cas;
    x.spaces = atomic ? space_of(ir_at(f, i->args[0])->type)
               : info->flags & (IR_READS | IR_WRITES) ? GLOBAL | SHARED | PRIVATE | WORLD
                                                      : WORLD;
    x.writes |= x.spaces & WORLD;
    return x;
}

static bool may_overlap(const struct access *x, const struct access *y)
{
    if (x->base == 0 || y->base == 0)
        return true;
    if (x->base != y->base)
        return false;
    if (x->bytes == 0 || y->bytes == 0)
        return true;
    return x->offset < y->offset + y->bytes && y->offset < x->offset + x->bytes;
}

bool ir_must_keep_order(const struct ir_function *f, ir_ref a, ir_ref b, enum ir_memory_order *kind)
{
    struct access x = access_of(f, a), y = access_of(f, b);
    if (!(x.spaces & y.spaces) || !(x.writes || y.writes))
        return false;
    if (!((x.spaces | y.spaces) & WORLD) && !may_overlap(&x, &y))
        return false;
    *kind = x.spaces & y.spaces & WORLD ? IR_DEP_EFFECT
            : x.writes && y.reads       ? IR_DEP_FLOW
            : x.writes                  ? IR_DEP_OUTPUT
                                        : IR_DEP_ANTI;
    return true;
}

/* ---- what runs before what ----------------------------------------------------------------------------- */

/* Blocks of the region that `from` reaches by one edge or more without leaving the region. */
static void mark_reached(struct arena *a, const struct ir_function *f, struct bitset region, uint32_t from,
                         struct bitset reached)
{
    u32_vec work = {0};
    bitset_clear(reached);
    vec_push(a, &work, from);
    while (work.count > 0) {
        const struct ir_block *b = ir_block_at(f, vec_pop(&work));
        for (uint32_t e = 0; e < b->edges.count; e++) {
            uint32_t to = b->edges.at[e].block;
            if (bitset_has(region, to) && !bitset_has(reached, to)) {
                bitset_add(reached, to);
                vec_push(a, &work, to);
            }
        }
    }
}

static void collect(struct arena *a, const struct ir_cfg *c, struct ir_pdg *g)
{
    const struct ir_region *r = &g->pst->at[g->region];
    for (uint32_t i = 0; i < r->count; i++)
        for ir_each_ins(m, c->fn, g->pst->blocks[r->first + i])
            if (access_of(c->fn, m).spaces != NOWHERE)
                vec_push(a, &g->memory, m);
}

static void chain(struct arena *a, struct ir_pdg *g)
{
    for (uint32_t i = 0; i < g->memory.count; i++) {
        g->start[i] = g->on.count;
        if (i > 0)
            vec_push(a, &g->on, ((struct ir_memory_dependence){g->memory.at[i - 1], IR_DEP_EFFECT}));
    }
    g->start[g->memory.count] = g->on.count;
}

/* before[i * n + k]: memory instruction i can run before k. */
static uint8_t *find_order(struct arena *a, const struct ir_cfg *c, const struct ir_pdg *g)
{
    const struct ir_region *r = &g->pst->at[g->region];
    uint32_t n = g->memory.count;
    uint8_t *before = arena_alloc(a, (size_t)n * n);
    struct bitset region = bitset_new(a, c->blocks), reached = bitset_new(a, c->blocks);
    for (uint32_t i = 0; i < r->count; i++)
        bitset_add(region, g->pst->blocks[r->first + i]);
    uint32_t last = IR_NO_BLOCK;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = ir_at(c->fn, g->memory.at[i])->block;
        if (b != last)
            mark_reached(a, c->fn, region, b, reached);
        last = b;
        for (uint32_t k = 0; k < n; k++) {       /* one block's instructions stand in order in `memory` */
            uint32_t to = ir_at(c->fn, g->memory.at[k])->block;
            before[(size_t)i * n + k] = (to == b && k > i) || bitset_has(reached, to);
        }
    }
    return before;
}

struct ir_pdg *ir_pdg_new(struct arena *a, const struct ir_cfg *c,
                          const struct ir_control_dependence *control, const struct ir_pst *pst,
                          uint32_t region)
{
    struct ir_pdg *g = arena_new(a, struct ir_pdg);
    *g = (struct ir_pdg){.control = control, .pst = pst, .region = region};
    collect(a, c, g);
    g->start = arena_array(a, uint32_t, g->memory.count + 1);
    g->precise = g->memory.count <= IR_PDG_LIMIT;
    if (!g->precise) {
        chain(a, g);
        return g;
    }
    uint32_t n = g->memory.count;
    uint8_t *before = find_order(a, c, g);
    for (uint32_t k = 0; k < n; k++) {
        g->start[k] = g->on.count;
        for (uint32_t i = 0; i < n; i++) {
            enum ir_memory_order kind;
            if (before[(size_t)i * n + k] &&
                ir_must_keep_order(c->fn, g->memory.at[i], g->memory.at[k], &kind))
                vec_push(a, &g->on, ((struct ir_memory_dependence){g->memory.at[i], (uint8_t)kind}));
        }
    }
    g->start[n] = g->on.count;
    return g;
}
