/* reference_b.c: what a program of class b or j has to log: an interpreter of the tree that runs all lanes of a
 * warp at once under masks, by the language's rules on tokens and nothing else. It shares no code with the
 * schemes.
 *
 * Why masks are the definition here. Every operation belongs to the innermost loop around it in the text, or
 * to the function's entry, and two threads execute it together iff they are in the same instance of that
 * loop's iteration (or call). The walk below passes each statement once for each such instance, with all
 * threads that reach it in that instance: leaving by break, continue, return or throw takes threads out of
 * the mask until the text's place where they come back. So the mask at an operation is its set of threads, by
 * definition: maximal convergence in acyclic control flow, iteration by iteration in loops, and operations
 * before a break run with those that leave in that iteration.
 */
#include "fuzz/masks.h"

enum { MAX_STEPS = 60000 };

struct warp {
    const struct fz_program *p;
    uint32_t width, first, block; /* first: gid of lane 0, block: threads in front of this block */
    uint64_t *log;
    uint32_t *noise;
    uint32_t n[FZ_MAX_LANES], h[FZ_MAX_LANES];
    uint64_t seen[FZ_MAX_LANES]; /* kept last in the call */
    uint64_t all;                /* its lanes */
    uintptr_t barriers;          /* those that it has passed, in their order */
    uint32_t steps;
    bool failed; /* too long, or a thread throws where nothing catches, or comes where nobody is to come */
};

/* A call. */
struct frame {
    struct fz_masks masks;
    struct warp *w;
    uint32_t (*counters)[FZ_MAX_LANES]; /* by variable number */
};

static uint64_t run_list(struct warp *w, struct frame *f, const struct fz_node *block, uint64_t mask);

/* ---- conditions -------------------------------------------------------------------------------------- */

static uint32_t thread_of(const struct warp *w, uint32_t lane)
{
    return w->first + lane - w->block;
}

static bool lane_holds(const struct warp *w, const struct frame *f, const struct fz_node *c, uint32_t lane)
{
    switch (c->kind) {
    case FZ_NODE_CONSTANT: return c->value != 0;
    case FZ_NODE_LANES: return c->value >> lane & 1;
    case FZ_NODE_INDEX_IS: return f->counters[c->name][lane] % c->op == c->value;
    case FZ_NODE_HASH_IS: return (w->h[lane] >> c->value & c->op) == c->name;
    case FZ_NODE_SEEN_IS: return (w->seen[lane] >> c->value & c->op) == c->name;
    case FZ_NODE_THREAD_IS: return thread_of(w, lane) % c->op == c->value;
    case FZ_NODE_NEVER: return false;
    case FZ_NODE_UNIFORM: return w->p->inputs[c->value] & 1;
    default: BUG("%s is no condition", fz_node_info[c->kind].name);
    }
}

/* The lanes of the mask where c is true; convergent operations in it are executed by those that get to them.
 */
static uint64_t holds(const struct warp *w, const struct frame *f, const struct fz_node *c, uint64_t mask)
{
    uint64_t a, result = 0;
    switch (c->kind) {
    case FZ_NODE_ELECT: return mask & -mask;
    case FZ_NODE_UNARY: return mask & ~holds(w, f, c->first, mask);
    case FZ_NODE_VOTE: a = holds(w, f, c->first, mask); return (c->op ? a == mask : a != 0) ? mask : 0;
    case FZ_NODE_BINARY:
        a = holds(w, f, c->first, mask);
        return c->op == FZ_OP_BOTH ? holds(w, f, c->first->next, a)
                                   : a | holds(w, f, c->first->next, mask & ~a);
    default: fz_each_lane(lane, mask) result |= (uint64_t)lane_holds(w, f, c, lane) << lane; return result;
    }
}

static uint32_t number(const struct warp *w, const struct fz_node *e, uint32_t lane, uint64_t mask)
{
    switch (e->kind) {
    case FZ_NODE_LANE_TRIP: return (uint32_t)(lane * e->value % e->op);
    case FZ_NODE_HASH_TRIP: return (uint32_t)(w->h[lane] >> e->value & mask);
    case FZ_NODE_SEEN_TRIP: return (uint32_t)(w->seen[lane] >> e->value & mask);
    default: return (uint32_t)e->value;
    }
}

/* ---- what is seen ------------------------------------------------------------------------------------ */

static uint64_t fold(const struct warp *w, const struct fz_node *s, uint64_t mask)
{
    uint64_t result = 0;
    fz_each_lane(lane, mask)
    {
        if (s->op == FZ_REDUCE_ADD)
            result = (uint32_t)(result + lane + s->value);
        else if (s->op == FZ_REDUCE_XOR)
            result ^= w->h[lane];
        else
            result = w->h[lane] > result ? w->h[lane] : result;
    }
    return result;
}

/* The value of another lane of the group, or the own one. */
static uint64_t shuffled(const struct warp *w, uint32_t lane, uint64_t from, uint64_t mask)
{
    bool there = from < w->width && mask >> from & 1;
    return w->h[there ? from : lane];
}

static uint64_t observed(const struct warp *w, const struct fz_node *s, uint64_t condition, uint64_t mask,
                         uint32_t lane)
{
    uint64_t below = mask & (((uint64_t)2 << lane) - 1);
    switch ((enum fz_observation)s->op) {
    case FZ_BALLOT_ALL:
    case FZ_ACTIVE_MASK: return mask;
    case FZ_BALLOT: return condition;
    case FZ_ANY: return condition != 0;
    case FZ_ALL: return condition == mask;
    case FZ_BROADCAST_FIRST: return w->h[__builtin_ctzll(mask)];
    case FZ_SHUFFLE_XOR: return shuffled(w, lane, lane ^ s->value, mask);
    case FZ_SHUFFLE_UP: return shuffled(w, lane, lane - s->value, mask);
    case FZ_SCAN_ADD: break;
    default: return fold(w, s, mask);
    }
    uint32_t sum = 0;
    fz_each_lane(i, below) sum += i + (uint32_t)s->value;
    return sum;
}

static void log_it(struct warp *w, struct frame *f, const struct fz_node *s, uint64_t mask)
{
    uint64_t results[FZ_MAX_LANES];
    uint32_t rows = w->p->buffers.at[0].per_thread, stride = w->p->blocks * w->p->threads;
    bool conditional = s->op == FZ_BALLOT || s->op == FZ_ANY || s->op == FZ_ALL;
    uint64_t condition = conditional ? holds(w, f, s->first, mask) : 0;
    fz_each_lane(lane, mask) results[lane] = observed(w, s, condition, mask, lane);
    fz_each_lane(lane, mask)
    {
        if (w->n[lane] >= rows) {
            w->failed = true;
            return;
        }
        w->log[w->n[lane]++ * stride + w->first + lane] = results[lane];
        if (s->name)
            w->seen[lane] = results[lane];
        if (s->flag)
            w->h[lane] = (w->h[lane] ^ (uint32_t)results[lane]) * 2654435761u;
    }
}

static void make_noise(struct warp *w, const struct fz_node *s, uint64_t mask)
{
    fz_each_lane(lane, mask)
    {
        w->h[lane] =
            s->op ? (uint32_t)s->value : (w->h[lane] ^ (uint32_t)s->value) * 2654435761u + w->first + lane;
        if (s->flag)
            w->noise[w->first + lane] = w->h[lane];
    }
}

static uint32_t stirred(uint32_t h, uint32_t thread)
{
    for (int i = 0; i < 3; i++)
        h = h * 2654435761u + (h >> 16);
    return h + thread;
}

static void stir(struct warp *w, const struct fz_node *s, uint64_t mask)
{
    fz_each_lane(lane, mask)
    {
        uint32_t thread = w->first + lane;
        w->h[lane] = stirred(w->h[lane] ^ (uint32_t)s->value, thread);
        if (s->flag && lane % 2)
            w->h[lane] = stirred(w->h[lane] ^ thread, 1);
    }
}

/* ---- control flow ------------------------------------------------------------------------------------ */

static struct frame *frame(struct fz_masks *m)
{
    return (struct frame *)m;
}

static uint64_t list_of(struct fz_masks *m, const struct fz_node *block, uint64_t mask)
{
    return run_list(frame(m)->w, frame(m), block, mask);
}

static uint64_t where(struct fz_masks *m, const struct fz_node *condition, uint64_t mask)
{
    return holds(frame(m)->w, frame(m), condition, mask);
}

static uint32_t number_of(struct fz_masks *m, const struct fz_node *e, uint32_t lane, uint64_t mask)
{
    return number(frame(m)->w, e, lane, mask);
}

static uint32_t counted(struct fz_masks *m, const struct fz_node *loop, uint32_t lane)
{
    return frame(m)->counters[loop->name][lane];
}

static void set_counter(struct fz_masks *m, const struct fz_node *loop, uint32_t lane, uint32_t value)
{
    frame(m)->counters[loop->name][lane] = value;
}

static bool may_go_on(struct fz_masks *m)
{
    struct warp *w = frame(m)->w;
    w->failed |= ++w->steps > MAX_STEPS;
    return !w->failed;
}

static const struct fz_mask_rules rules = {list_of, where, number_of, counted, set_counter, may_go_on};

/* ---- calls ------------------------------------------------------------------------------------------- */

/* Returns the lanes that come back; *thrown gets the others. Lanes that throw leave n and h as they were: the
 * callee has copies and its result is lost. What was seen is the call's own. */
static uint64_t call(struct warp *w, const struct fz_function *callee, uint64_t mask, uint64_t *thrown)
{
    uint32_t n[FZ_MAX_LANES], h[FZ_MAX_LANES];
    uint64_t seen[FZ_MAX_LANES];
    struct frame f = {.masks = {.rules = &rules}, .w = w};
    memcpy(seen, w->seen, sizeof seen);
    memcpy(n, w->n, sizeof n);
    memcpy(h, w->h, sizeof h);
    f.counters = mem_alloc((callee->variables.count + 1) * sizeof *f.counters);
    fz_each_lane(lane, mask) w->seen[lane] = 0;
    uint64_t back = run_list(w, &f, callee->body, mask) | f.masks.returned;
    memcpy(w->seen, seen, sizeof seen);
    mem_free(f.counters);
    fz_each_lane(lane, f.masks.thrown) w->n[lane] = n[lane], w->h[lane] = h[lane];
    *thrown |= f.masks.thrown;
    return back;
}

/* Through a pointer, lanes with the same callee enter it together: it is one call. */
static uint64_t run_invoke(struct warp *w, struct frame *f, const struct fz_node *s, uint64_t mask)
{
    uint64_t first = s->flag && s->name != s->value ? mask & 0x5555555555555555u : mask;
    uint64_t back = first ? call(w, &w->p->functions.at[s->name], first, &f->masks.thrown) : 0;
    return back |
           (mask & ~first ? call(w, &w->p->functions.at[s->value], mask & ~first, &f->masks.thrown) : 0);
}

/* Barriers give nothing. The lanes that get behind one. */
static uint64_t pass_branch(struct warp *w, struct frame *f, const struct fz_node *s, uint64_t mask)
{
    bool first_stays = w->p->inputs[s->value] & 1;
    uint64_t yes = holds(w, f, s->first, mask), no = mask & ~yes;
    yes = run_list(w, f, fz_child(s, 1), yes);
    no = run_list(w, f, fz_child(s, 2), no);
    f->masks.returned |= first_stays ? no : yes;
    return first_stays ? run_list(w, f, fz_child(s, 3), yes) : run_list(w, f, fz_child(s, 4), no);
}

/* Those that leave early return. */
static uint64_t pass_loop(struct warp *w, struct frame *f, const struct fz_node *s, uint64_t mask)
{
    uint64_t left = 0, leave;
    for (uint32_t i = 0; i < FZ_GATE_TURNS && !w->failed; i++) {
        leave = holds(w, f, s->first, mask);
        left |= leave;
        mask = run_list(w, f, fz_child(s, 1), mask & ~leave);
        mask = run_list(w, f, fz_child(s, 3), mask);
    }
    f->masks.returned |= run_list(w, f, fz_child(s, 2), left);
    mask = run_list(w, f, fz_child(s, 2), mask);
    return run_list(w, f, fz_child(s, 4), mask);
}

static uint64_t run_gate(struct warp *w, struct frame *f, const struct fz_node *s, uint64_t mask)
{
    for (uint32_t i = 0; i < s->name && mask && !w->failed; i++)
        mask = s->op == FZ_GATE_LOOP ? pass_loop(w, f, s, mask) : pass_branch(w, f, s, mask);
    return mask;
}

static uint64_t run_repeat(struct warp *w, struct frame *f, const struct fz_node *s, uint64_t mask)
{
    mask = run_list(w, f, s->first, mask);
    w->failed |= holds(w, f, s->first->next, mask) != 0;
    return mask;
}

static void pass_barrier(struct warp *w, const struct fz_node *s, uint64_t mask)
{
    w->failed |= mask != w->all;
    w->barriers = w->barriers * 31 + (uintptr_t)s;
}

static uint64_t run(struct warp *w, struct frame *f, const struct fz_node *s, uint64_t mask)
{
    if (fz_run_masked(&f->masks, s, &mask))
        return mask;
    switch (s->kind) {
    case FZ_NODE_LOG: log_it(w, f, s, mask); return mask;
    case FZ_NODE_NOISE: make_noise(w, s, mask); return mask;
    case FZ_NODE_STIR: stir(w, s, mask); return mask;
    case FZ_NODE_INVOKE: return run_invoke(w, f, s, mask);
    case FZ_NODE_GATE: return run_gate(w, f, s, mask);
    case FZ_NODE_BARRIER: pass_barrier(w, s, mask); return mask;
    case FZ_NODE_REPEAT: return run_repeat(w, f, s, mask);
    case FZ_NODE_JUMP:
    case FZ_NODE_TRAP: w->failed = true; return 0;
    default: BUG("%s has no reference", fz_node_info[s->kind].name);
    }
}

/* The lanes that get to the end. */
static uint64_t run_list(struct warp *w, struct frame *f, const struct fz_node *block, uint64_t mask)
{
    w->failed |= ++w->steps > MAX_STEPS;
    for (const struct fz_node *s = block->first; s && mask && !w->failed; s = s->next)
        mask = run(w, f, s, mask);
    return mask;
}

/* ---- the launch -------------------------------------------------------------------------------------- */

static bool run_warp(struct warp *w, uint32_t lanes)
{
    uint64_t uncaught = 0;
    w->steps = 0;
    w->failed = false;
    w->barriers = 0;
    w->all = lanes == 64 ? ~(uint64_t)0 : ((uint64_t)1 << lanes) - 1;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        w->n[lane] = 0;
        w->h[lane] = (w->first + lane + (uint32_t)(w->p->seed & 0xffff)) * 2654435761u;
    }
    call(w, fz_kernel(w->p), w->all, &uncaught);
    return !w->failed && !uncaught;
}

bool fz_expect_b(const struct fz_program *p, uint32_t width, void **contents)
{
    struct warp *w = mem_alloc(sizeof *w);
    bool ok = true;
    *w = (struct warp){.p = p, .width = width, .log = contents[0], .noise = contents[1]};
    for (uint32_t block = 0; ok && block < p->blocks; block++)
        for (uint32_t t = 0; ok && t < p->threads; t += width) {
            w->block = block * p->threads;
            w->first = w->block + t;
            uintptr_t before = w->barriers;
            ok = run_warp(w, p->threads - t < width ? p->threads - t : width) &&
                 (t == 0 || w->barriers == before);
        }
    mem_free(w);
    return ok;
}
