/* uniformity_loads.c: which loads may differ between threads that execute them together.
 *
 * Private memory is each thread's own. Of other memory two threads A and B, together at a load, read different
 * values from one address only if a write stands between: in a kernel without races what orders threads
 * (docs/checking.md) leads from B, behind its load, to the write, and from there to A, before its load.
 * Convergent operations alone, barriers among them, do not lead there: all threads of one iteration, or call,
 * come to their instances and to the load in one order. So there is an atomic operation between, for which
 * somebody has performed a fence; a barrier instead of the fence would have waited for A. Hence the load may
 * differ only if
 *
 *     there is a way from an atomic operation to it, which A took,
 *     and a way from it to a fence, and on to an atomic operation, which B took,
 *     and something may write what it reads.
 *
 * If B or A has handed the order on by a syncwarp, the other thread's way goes on from there. A syncwarp in an
 * anchor's region is for threads of any iterations, and counts as an atomic operation with its fence.
 *
 * A call may lead to a fence and to an atomic operation, unless no function of the module has a fence; and a
 * device function may have been called behind one and in front of the other.
 *
 * Near-linear.
 */
#include "ir/analysis/memory.h"
#include "ir/analysis/uniformity.h"

struct finder {
    const struct ir_function *fn;
    const struct ir_cfg *cfg;
    struct arena *arena;
    bool device;              /* the function is called, who knows behind and before what */
    struct bitset behind;     /* blocks whose start is reached from an atomic operation */
    struct bitset to_atomic;  /* blocks from whose end one is reached */
    struct bitset to_release; /* blocks from whose end a fence is, and an atomic operation from there */
    /* what is written: classes, those of them where it is not known which object, and objects */
    const struct ir_memory *memory;
    struct bitset classes, vague, objects;
    bool everything;
};

static bool is_call(enum ir_op op)
{
    return op == IR_call || op == IR_icall;
}

/* A syncwarp in an anchor's region. */
static bool is_anchored(const struct finder *x, ir_ref r)
{
    ir_ref token = ir_at(x->fn, r)->op == IR_syncwarp ? ir_at(x->fn, r)->token : 0;
    while (token && ir_at(x->fn, token)->op == IR_loop)
        token = ir_at(x->fn, token)->token;
    return token && ir_at(x->fn, token)->op == IR_anchor;
}

static bool is_atomic(const struct finder *x, ir_ref r)
{
    enum ir_op op = (enum ir_op)ir_at(x->fn, r)->op;
    return ir_is_atomic(op) || is_call(op) || is_anchored(x, r);
}

static bool is_fence(const struct finder *x, ir_ref r)
{
    enum ir_op op = (enum ir_op)ir_at(x->fn, r)->op;
    return op == IR_fence || is_call(op) || is_anchored(x, r);
}

/* ---- what may be written ----------------------------------------------------------------------------- */

static void note_written(struct finder *x, ir_ref r)
{
    struct ir_location at;
    x->everything |= ir_clobber_of((enum ir_op)ir_at(x->fn, r)->op) == IR_CLOBBERS_ALL;
    if (!ir_written(x->memory, r, &at))
        return;
    bitset_add(x->classes, at.class);
    if (at.object)
        bitset_add(x->objects, at.object);
    else
        bitset_add(x->vague, at.class);
}

static void find_written(struct finder *x)
{
    x->memory = ir_memory_new(x->arena, x->fn, x->cfg);
    x->everything = x->device;
    x->objects = bitset_new(x->arena, x->memory->count);
    x->classes = bitset_new(x->arena, x->memory->classes);
    x->vague = bitset_new(x->arena, x->memory->classes);
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        ir_each_ins(r, x->fn, x->cfg->rpo[i])
            note_written(x, r);
}

/* As ir_may_overlap, of accesses at different times. */
static bool may_be_written(const struct finder *x, ir_ref load)
{
    struct ir_location at;
    ir_read(x->memory, load, &at);
    if (at.space == IR_TYPE_CONSTANT || x->everything)
        return at.space != IR_TYPE_CONSTANT;
    return at.object ? bitset_has(x->objects, at.object) || bitset_has(x->vague, at.class)
                     : bitset_has(x->classes, at.class);
}

/* ---- paths ------------------------------------------------------------------------------------------- */

static void find_atomics(struct finder *x)
{
    struct walk down = walk_new(x->arena, x->cfg->blocks), up = walk_new(x->arena, x->cfg->blocks);
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        bool atomic = false;
        ir_each_ins(r, x->fn, x->cfg->rpo[i])
            atomic |= is_atomic(x, r);
        if (!atomic)
            continue;
        ir_add_successors(&down, x->fn, x->cfg->rpo[i], IR_NO_BLOCK);
        ir_add_predecessors(&up, x->cfg, x->cfg->rpo[i], IR_NO_BLOCK);
    }
    x->behind = ir_reach(&down, x->fn, IR_NO_BLOCK);
    x->to_atomic = ir_reach_back(&up, x->cfg, IR_NO_BLOCK);
}

/* Backwards over the block, from its end: whether there is a fence, and an atomic operation behind that. */
struct ahead {
    bool atomic, release;
};

static struct ahead ahead_of_end(const struct finder *x, uint32_t b)
{
    return (struct ahead){bitset_has(x->to_atomic, b), bitset_has(x->to_release, b)};
}

static void step_back(const struct finder *x, struct ahead *w, ir_ref r)
{
    w->atomic |= is_atomic(x, r);
    w->release |= w->atomic && is_fence(x, r);
}

static void find_releases(struct finder *x)
{
    x->to_release = bitset_new(x->arena, x->cfg->blocks);
    struct walk up = walk_from(x->arena, x->to_release);
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        struct ahead w = ahead_of_end(x, x->cfg->rpo[i]);
        for (ir_ref r = ir_terminator(x->fn, x->cfg->rpo[i]); r; r = ir_at(x->fn, r)->prev)
            step_back(x, &w, r);
        if (w.release)
            ir_add_predecessors(&up, x->cfg, x->cfg->rpo[i], IR_NO_BLOCK);
    }
    ir_reach_back(&up, x->cfg, IR_NO_BLOCK);
}

/* ---- loads ------------------------------------------------------------------------------------------- */

static void find_in_block(const struct finder *x, struct bitset loads, uint32_t b)
{
    bool behind = x->device || bitset_has(x->behind, b);
    ir_each_ins(r, x->fn, b) {
        if (ir_at(x->fn, r)->op == IR_load && behind && may_be_written(x, r))
            bitset_add(loads, r);
        behind |= is_atomic(x, r);
    }
    struct ahead w = ahead_of_end(x, b);
    for (ir_ref r = ir_terminator(x->fn, b); r && !x->device; r = ir_at(x->fn, r)->prev) {
        if (!w.release)
            bitset_remove(loads, r);
        step_back(x, &w, r);
    }
}

struct bitset ir_divergent_loads(struct arena *a, const struct ir_cfg *c)
{
    struct bitset loads = bitset_new(a, c->fn->ins.count);
    struct finder x = {.fn = c->fn, .cfg = c, .arena = a, .device = !(c->fn->flags & IR_FN_KERNEL)};
    find_atomics(&x);
    find_releases(&x);
    find_written(&x);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        find_in_block(&x, loads, c->rpo[i]);
    return loads;
}

const char *ir_load_source(const struct ir_function *f, ir_ref load)
{
    bool own = ir_at(f, ir_at(f, load)->args[0])->type == IR_TYPE_PRIVATE;
    return own ? "private memory" : "memory that threads write in turn";
}
