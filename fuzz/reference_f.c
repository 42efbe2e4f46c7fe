/* reference_f.c: what a program of class f has to compute: an interpreter of the tree that runs all lanes
 * of a warp at once under masks. Why masks are the definition is said in reference_b.c. It shares nothing
 * with the compiler, and with the runtime only the scalar arithmetic of base/scalar.h. Expressions call
 * functions for one lane at a time, for nothing in those communicates.
 */
#include "fuzz/reference_f.h"
#include "fuzz/print.h"

enum { MAX_STEPS = 1 << 20 };

static uint64_t run_list(struct fz_warp *w, struct fz_frame *f, const struct fz_node *block, uint64_t mask);

#define each_lane(lane, mask)                                                                                \
    for (uint32_t lane = 0; lane < FZ_MAX_LANES; lane++)                                                     \
        if ((mask) >> lane & 1)

/* ---- straight-line statements ------------------------------------------------------------------------ */

static void assign(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    const struct fz_node *target = s->first, *value = s->first->next;
    enum fz_type to = fz_type_of(w->p, f->f, target), from = fz_type_of(w->p, f->f, value);
    each_lane(lane, mask) {
        enum fz_type type = from;
        uint64_t v = fz_value(w, f, value, lane);
        if (s->op != FZ_OPERATORS)
            v = fz_operate((enum fz_operator)s->op, fz_value(w, f, target, lane), to, v, from, &type);
        fz_store(w, f, target, lane, fz_converted(v, type, to));
    }
}

static void copy(const struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    each_lane(lane, mask)
        memmove(fz_variable_at(f, s->first->name, lane), fz_variable_at(f, s->first->next->name, lane),
                FZ_FIELDS * sizeof(uint64_t));
}

static void output(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    uint64_t *out = w->contents[0];
    enum fz_type t = fz_type_of(w->p, f->f, s->first);
    each_lane(lane, mask)
        out[(w->first + lane) * FZ_SLOTS + s->value] =
            fz_value_as(w, f, s->first, lane, fz_is_float(t) ? t : FZ_ULONG);
}

static void atomic(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    each_lane(lane, mask) {
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
    each_lane(lane, mask) {
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
    each_lane(lane, mask) {
        uint64_t v = fz_value(w, f, operand, lane);
        g.x[lane] = (uint32_t)fz_converted(v, t, FZ_UINT);
        g.holds |= (uint64_t)fz_is_true(v, t) << lane;
    }
    each_lane(lane, mask) {
        uint64_t v = observed(&g, s, lane, &type);
        fz_store(w, f, s->first, lane, fz_converted(v, type, to));
    }
}

/* ---- control flow ------------------------------------------------------------------------------------ */

static uint64_t holds(struct fz_warp *w, struct fz_frame *f, const struct fz_node *c, uint64_t mask)
{
    uint64_t result = 0;
    each_lane(lane, mask)
        result |= fz_value_as(w, f, c, lane, FZ_BOOL) << lane;
    return result;
}

static uint64_t run_if(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    uint64_t yes = holds(w, f, s->first, mask);
    uint64_t then = run_list(w, f, s->first->next, yes);
    return then | run_list(w, f, s->first->next->next, mask & ~yes);
}

static uint64_t run_inside(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    uint64_t yes = 0;
    each_lane(lane, mask) {
        uint32_t index = fz_masked(w, f, s->first, lane, 2 * FZ_ARRAY_LENGTH - 1);
        *fz_variable_at(f, s->name, lane) = index;
        yes |= (uint64_t)(index < FZ_ARRAY_LENGTH) << lane;
    }
    uint64_t then = run_list(w, f, s->first->next, yes);
    return then | run_list(w, f, s->first->next->next, mask & ~yes);
}

static bool has_case(const struct fz_node *cases, uint32_t value)
{
    for (const struct fz_node *c = cases->first; c; c = c->next)
        if (!c->flag && c->value == value)
            return true;
    return false;
}

static uint64_t run_switch(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    const struct fz_node *cases = s->first->next;
    uint64_t outer = f->broken, falls = 0, left = mask;
    uint32_t value[FZ_MAX_LANES]; /* of all lanes, before any case changes something */
    each_lane(lane, mask)
        value[lane] = fz_masked(w, f, s->first, lane, (uint32_t)s->value);
    f->broken = 0;
    for (const struct fz_node *c = cases->first; c; c = c->next) {
        uint64_t chosen = 0;
        each_lane(lane, left)
            chosen |= (uint64_t)(c->flag ? !has_case(cases, value[lane]) : c->value == value[lane]) << lane;
        left &= ~chosen;
        falls = run_list(w, f, c->first, falls | chosen);
    }
    falls |= left | f->broken;
    f->broken = outer;
    return falls;
}

/* Lanes that go on, whose count is to be compared with the bound (or zero) now. */
static uint64_t goes_on(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    uint64_t result = 0;
    each_lane(lane, mask) {
        int32_t i = (int32_t)*fz_variable_at(f, s->name, lane);
        bool more = s->flag ? i > 0 : i < (int32_t)fz_masked(w, f, s->first, lane, (uint32_t)s->value);
        result |= (uint64_t)more << lane;
    }
    return holds(w, f, s->first->next, result);
}

static void count(struct fz_frame *f, const struct fz_node *s, uint64_t mask, uint32_t by)
{
    each_lane(lane, mask) {
        uint64_t *at = fz_variable_at(f, s->name, lane);
        *at = (uint32_t)*at + by;
        *at &= UINT32_MAX;
    }
}

/* One turn of the loop, from where its heart is; lanes that take another come back. */
static uint64_t run_turn(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask,
                         uint64_t *done)
{
    const struct fz_node *body = fz_child(s, 2), *leaving = fz_child(s, 3);
    enum fz_loop_form form = (enum fz_loop_form)s->op;
    uint64_t on = form == FZ_DO ? mask : goes_on(w, f, s, mask);
    f->broken = f->continued = 0;
    *done |= form == FZ_ENDLESS ? run_list(w, f, leaving, mask & ~on) : mask & ~on;
    if (form == FZ_WHILE || form == FZ_DO)
        count(f, s, on, 1);
    on = run_list(w, f, body, on) | f->continued;
    *done |= f->broken;
    if (form == FZ_FOR || form == FZ_ENDLESS)
        count(f, s, on, s->flag ? -1u : 1u);
    if (form != FZ_DO)
        return on;
    mask = goes_on(w, f, s, on);
    *done |= on & ~mask;
    return mask;
}

static uint64_t run_loop(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    uint64_t broken = f->broken, continued = f->continued, done = 0;
    each_lane(lane, mask)
        *fz_variable_at(f, s->name, lane) = s->flag ? fz_masked(w, f, s->first, lane, (uint32_t)s->value) : 0;
    while (mask && !w->failed)
        mask = run_turn(w, f, s, mask, &done);
    f->broken = broken, f->continued = continued;
    return done;
}

static uint64_t run_try(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    uint64_t outer = f->thrown;
    f->thrown = 0;
    uint64_t through = run_list(w, f, s->first, mask), caught = f->thrown;
    f->thrown = outer;
    return through | run_list(w, f, s->first->next, caught);
}

static uint64_t run_return(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    if (s->first)
        f->result = fz_value_as(w, f, s->first, (uint32_t)__builtin_ctzll(mask), f->f->result);
    f->returned |= mask;
    return 0;
}

static uint64_t leave(uint64_t *where, uint64_t mask)
{
    *where |= mask;
    return 0;
}

static uint64_t run(struct fz_warp *w, struct fz_frame *f, const struct fz_node *s, uint64_t mask)
{
    switch (s->kind) {
    case FZ_NODE_BLOCK: return run_list(w, f, s, mask);
    case FZ_NODE_IF: return run_if(w, f, s, mask);
    case FZ_NODE_INSIDE: return run_inside(w, f, s, mask);
    case FZ_NODE_SWITCH: return run_switch(w, f, s, mask);
    case FZ_NODE_LOOP: return run_loop(w, f, s, mask);
    case FZ_NODE_TRY: return run_try(w, f, s, mask);
    case FZ_NODE_BREAK: return leave(&f->broken, mask);
    case FZ_NODE_CONTINUE: return leave(&f->continued, mask);
    case FZ_NODE_THROW: return leave(&f->thrown, mask);
    case FZ_NODE_RETURN: return run_return(w, f, s, mask);
    case FZ_NODE_ASSIGN: assign(w, f, s, mask); break;
    case FZ_NODE_COPY: copy(f, s, mask); break;
    case FZ_NODE_OUTPUT: output(w, f, s, mask); break;
    case FZ_NODE_ATOMIC: atomic(w, f, s, mask); break;
    case FZ_NODE_CONVERGE: converge(w, f, s, mask); break;
    case FZ_NODE_PREDICT:
    case FZ_NODE_LABEL: break;
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

static struct fz_frame frame_of(const struct fz_warp *w, const struct fz_function *called, uint32_t lanes)
{
    struct fz_frame f = {.f = called, .lanes = lanes};
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
    return !w->failed && !f.thrown;
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
