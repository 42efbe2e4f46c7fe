/* reference_f.c: what a program of class f has to compute: an interpreter of the tree that runs all lanes
 * of a warp at once under masks. Why masks are the definition is said in reference_b.c. It shares nothing
 * with the compiler, and with the runtime only the scalar arithmetic of base/scalar.h. Expressions call
 * functions for one lane at a time, for nothing in those communicates.
 */
#include "fuzz/reference_f.h"
#include "fuzz/print.h"

enum { MAX_STEPS = 1 << 20 };

static uint64_t run_list(struct fz_warp *w, struct fz_frame *f, const struct fz_node *block, uint64_t mask);

/* ---- straight-line statements ------------------------------------------------------------------------ */

static void assign(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    const struct fz_node *target = s->first, *value = s->first->next;
    enum fz_type to = fz_type_of(w->p, f->f, target), from = fz_type_of(w->p, f->f, value);
    fz_each_lane(lane, mask)
    {
        enum fz_type type = from;
        uint64_t v = fz_value(w, f, value, lane);
        if (s->op != FZ_OPERATORS)
            v = fz_operate((enum fz_operator)s->op, fz_value(w, f, target, lane), to, v, from, &type);
        fz_store(w, f, target, lane, fz_converted(v, type, to));
    }
}

static void copy(const struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    fz_each_lane(lane, mask)
        memmove(fz_variable_at(f, s->first->name, lane), fz_variable_at(f, s->first->next->name, lane),
                FZ_FIELDS * sizeof(uint64_t));
}

static void output(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    uint64_t *out = w->contents[0];
    enum fz_type t = fz_type_of(w->p, f->f, s->first);
    fz_each_lane(lane, mask) out[(w->first + lane) * FZ_SLOTS + s->value] =
        fz_value_as(w, f, s->first, lane, fz_is_float(t) ? t : FZ_ULONG);
}

static void atomic(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    fz_each_lane(lane, mask)
    {
        uint32_t which = fz_masked(w, f, s->first, lane, FZ_COUNTERS / FZ_ATOMICS - 1);
        int32_t *at = (int32_t *)w->contents[1] + which * FZ_ATOMICS + s->value;
        int32_t v = (int32_t)fz_value_as(w, f, s->first->next, lane, FZ_INT);
        switch (s->value) {
        case 0: *at = (int32_t)((uint32_t)*at + (uint32_t)v); break;
        case 1: *at = v < *at ? v : *at; break;
        case 2: *at = v > *at ? v : *at; break;
        case 3: *at &= v; break;
        case 4: *at |= v; break;
        default: *at ^= v;
        }
    }
}

/* ---- convergent operations --------------------------------------------------------------------------- */

/* The operands, by lane, and where they are true, of the lanes that execute the operation together. */
struct group {
    uint64_t mask, holds;
    uint32_t width, x[FZ_MAX_LANES];
};

static uint32_t fold(const struct group *g, enum fz_observation op, uint64_t mask)
{
    uint32_t result = 0;
    fz_each_lane(lane, mask)
    {
        if (op == FZ_REDUCE_XOR)
            result ^= g->x[lane];
        else if (op == FZ_REDUCE_MAX)
            result = g->x[lane] > result ? g->x[lane] : result;
        else
            result += g->x[lane];
    }
    return result;
}

/* The value of another lane of the group, or the own one. */
static uint32_t shuffled(const struct group *g, uint32_t lane, uint64_t from)
{
    bool there = from < g->width && g->mask >> from & 1;
    return g->x[there ? from : lane];
}

static uint64_t observed(const struct group *g, const struct fz_node *s, uint32_t lane, enum fz_type *type)
{
    enum fz_observation op = (enum fz_observation)s->op;
    *type = op <= FZ_ACTIVE_MASK ? FZ_ULONG : op == FZ_ANY || op == FZ_ALL ? FZ_BOOL : FZ_UINT;
    switch (op) {
    case FZ_BALLOT_ALL:
    case FZ_ACTIVE_MASK: return g->mask;
    case FZ_BALLOT: return g->holds;
    case FZ_ANY: return g->holds != 0;
    case FZ_ALL: return g->holds == g->mask;
    case FZ_BROADCAST_FIRST: return g->x[__builtin_ctzll(g->mask)];
    case FZ_SHUFFLE_XOR: return shuffled(g, lane, lane ^ s->value);
    case FZ_SHUFFLE_UP: return shuffled(g, lane, lane - s->value);
    case FZ_SCAN_ADD: return fold(g, op, g->mask & (((uint64_t)2 << lane) - 1));
    default: return fold(g, op, g->mask);
    }
}

static void converge(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    struct group g = {.mask = mask, .width = w->width};
    const struct fz_node *operand = s->first->next;
    enum fz_type t = fz_type_of(w->p, f->f, operand), to = fz_type_of(w->p, f->f, s->first), type;
    fz_each_lane(lane, mask)
    {
        uint64_t v = fz_value(w, f, operand, lane);
        g.x[lane] = (uint32_t)fz_converted(v, t, FZ_UINT);
        g.holds |= (uint64_t)fz_is_true(v, t) << lane;
    }
    fz_each_lane(lane, mask)
    {
        uint64_t v = observed(&g, s, lane, &type);
        fz_store(w, f, s->first, lane, fz_converted(v, type, to));
    }
}

/* ---- control flow ------------------------------------------------------------------------------------ */

static uint64_t run_inside(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    uint64_t yes = 0;
    fz_each_lane(lane, mask)
    {
        uint32_t index = fz_masked(w, f, s->first, lane, 2 * FZ_ARRAY_LENGTH - 1);
        *fz_variable_at(f, s->name, lane) = index;
        yes |= (uint64_t)(index < FZ_ARRAY_LENGTH) << lane;
    }
    uint64_t then = run_list(w, f, s->first->next, yes);
    return then | run_list(w, f, s->first->next->next, mask & ~yes);
}

static void note_result(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    if (s->first)
        f->result = fz_value_as(w, f, s->first, (uint32_t)__builtin_ctzll(mask), f->f->result);
}

static uint64_t run(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    if (s->kind == FZ_NODE_RETURN)
        note_result(w, f, s, mask);
    if (fz_run_masked(&f->masks, s, &mask))
        return mask;
    switch (s->kind) {
    case FZ_NODE_INSIDE: return run_inside(w, f, s, mask);
    case FZ_NODE_ASSIGN: assign(w, f, s, mask); break;
    case FZ_NODE_COPY: copy(f, s, mask); break;
    case FZ_NODE_OUTPUT: output(w, f, s, mask); break;
    case FZ_NODE_ATOMIC: atomic(w, f, s, mask); break;
    case FZ_NODE_CONVERGE: converge(w, f, s, mask); break;
    default: BUG("%s has no reference", fz_node_info[s->kind].name);
    }
    return mask;
}

/* The lanes that get to the end. */
static uint64_t run_list(struct fz_warp *w, struct fz_frame *f, const struct fz_node *block, uint64_t mask)
{
    w->failed |= ++w->steps > MAX_STEPS;
    for (const struct fz_node *s = block->first; s && mask && !w->failed; s = s->next)
        mask = run(w, f, s, mask);
    return mask;
}

static struct fz_frame *frame(struct fz_masks *m)
{
    return (struct fz_frame *)m;
}

static uint64_t list_of(struct fz_masks *m, const struct fz_node *block, uint64_t mask)
{
    return run_list(frame(m)->w, frame(m), block, mask);
}

static uint64_t holds(struct fz_masks *m, const struct fz_node *c, uint64_t mask)
{
    uint64_t result = 0;
    fz_each_lane(lane, mask) result |= fz_value_as(frame(m)->w, frame(m), c, lane, FZ_BOOL) << lane;
    return result;
}

static uint32_t number(struct fz_masks *m, const struct fz_node *e, uint32_t lane, uint64_t mask)
{
    return fz_masked(frame(m)->w, frame(m), e, lane, (uint32_t)mask);
}

static uint32_t counted(struct fz_masks *m, const struct fz_node *loop, uint32_t lane)
{
    return (uint32_t)*fz_variable_at(frame(m), loop->name, lane);
}

static void set_counter(struct fz_masks *m, const struct fz_node *loop, uint32_t lane, uint32_t value)
{
    *fz_variable_at(frame(m), loop->name, lane) = value;
}

static bool may_go_on(struct fz_masks *m)
{
    return !frame(m)->w->failed;
}

/* ---- functions --------------------------------------------------------------------------------------- */

static void initialise(const struct fz_warp *w, struct fz_frame *f)
{
    for (uint32_t v = 0; v < f->f->variables.count; v++) {
        const struct fz_variable *x = &f->f->variables.at[v];
        for (uint32_t lane = 0; lane < f->lanes && !x->parameter && !x->counter && !x->scoped; lane++)
            for (uint32_t k = 0; k < FZ_ARRAY_LENGTH; k++) {
                enum fz_type t = x->shape == FZ_STRUCT ? w->p->fields[k % FZ_FIELDS] : x->type;
                fz_variable_at(f, v, lane)[k] = fz_canonical(fz_initial(x, t, k), t);
            }
    }
}

static struct fz_frame frame_of(struct fz_warp *w, const struct fz_function *called, uint32_t lanes)
{
    static const struct fz_mask_rules rules = {list_of, holds, number, counted, set_counter, may_go_on};
    struct fz_frame f = {.masks = {.rules = &rules}, .w = w, .f = called, .lanes = lanes};
    size_t size = (size_t)called->variables.count * lanes * FZ_ARRAY_LENGTH * sizeof *f.values;
    f.values = mem_alloc(size + 1);
    memset(f.values, 0, size);
    initialise(w, &f);
    return f;
}

uint64_t fz_call_lane(struct fz_warp *w, uint32_t function, const uint64_t *args, uint32_t lane)
{
    const struct fz_function *called = &w->p->functions.at[function];
    struct fz_frame f = frame_of(w, called, 1);
    for (uint32_t i = 0; i < called->params; i++)
        *fz_variable_at(&f, i, lane) = args[i];
    run_list(w, &f, called->body, (uint64_t)1 << lane);
    mem_free(f.values);
    return f.result;
}

/* ---- the launch -------------------------------------------------------------------------------------- */

static bool run_warp(struct fz_warp *w, uint32_t lanes)
{
    struct fz_frame f = frame_of(w, fz_kernel(w->p), FZ_MAX_LANES);
    w->steps = 0;
    run_list(w, &f, f.f->body, lanes == 64 ? ~(uint64_t)0 : ((uint64_t)1 << lanes) - 1);
    mem_free(f.values);
    return !w->failed && !f.masks.thrown;
}

bool fz_expect_f(const struct fz_program *p, uint32_t width, void **contents)
{
    size_t size = (size_t)p->threads * FZ_CELLS * sizeof(uint32_t);
    struct fz_warp w = {.p = p, .width = width, .contents = contents, .own = mem_alloc(size)};
    bool ok = true;
    for (uint32_t block = 0; ok && block < p->blocks; block++) {
        memset(w.own, 0, size);
        w.block = block * p->threads;
        for (uint32_t t = 0; ok && t < p->threads; t += width) {
            w.first = w.block + t;
            ok = run_warp(&w, p->threads - t < width ? p->threads - t : width);
        }
    }
    mem_free(w.own);
    return ok;
}
