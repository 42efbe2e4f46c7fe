/* reference.c: what a program that is a tree has to compute: an interpreter that runs all lanes of a warp at
 * once under masks, by docs/language.md and nothing else. It shares nothing with the compiler and the
 * runtime (but see reference_arithmetic.c).
 *
 * Why masks are the definition here. Every operation belongs to the innermost loop around it in the text, or
 * to the function's entry, and two threads execute it together iff they are in the same instance of that
 * loop's iteration (or call). The walk below passes each statement once for each such instance, with all
 * threads that reach it in that instance: leaving by break, continue, return or throw takes threads out of
 * the mask until the text's place where they come back. So the mask at an operation is its set of threads,
 * by definition: maximal convergence in acyclic control flow, iteration by iteration in loops, and
 * operations before a break run with those that leave in that iteration.
 *
 * In programs of classes a and d nobody sees warps, but what threads hand on at barriers: so the lanes there
 * are those of a whole block, which come to each barrier together.
 *
 * What statements mean is written here in C, and in print_stmt.c in Kern: the two have to say the same.
 */
#include "fuzz/reference.h"
#include "fuzz/emit.h"
#include "fuzz/print.h"

enum { MAX_STEPS = 60000 };

static fz_lanes run_list(struct fz_frame *f, const struct fz_node *list, fz_lanes mask);

static bool may_go_on(struct fz_frame *f)
{
    f->w->failed |= ++f->w->steps > MAX_STEPS;
    return !f->w->failed;
}

/* ---- straight-line statements ------------------------------------------------------------------------ */

/* What was there and the value make the new one. */
static void assign(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    const struct fz_node *target = s->first, *value = s->first->next;
    if (fz_is_vector_place(f, target)) {
        fz_assign_vector(f, s, mask);
        return;
    }
    enum fz_operator op = (enum fz_operator)s->op;
    enum fz_type to = fz_type_of(f->w->p, f->f, target), from = fz_type_of(f->w->p, f->f, value), type = from;
    uint64_t v[FZ_MAX_LANES];
    void *at[FZ_MAX_LANES];
    if (op == FZ_OP_SHL || op == FZ_OP_SHR)
        fz_evaluate_amount(f, value, mask, v), from = FZ_UINT;
    else
        fz_evaluate(f, value, mask, v);
    size_t size = fz_find_places(f, target, mask, at);
    INVARIANT(size);
    fz_each_lane(lane, fz_live(f, mask))
    {
        if (op != FZ_OPERATORS)
            v[lane] = fz_operate(op, fz_load(at[lane], size, to), to, v[lane], from, &type);
        fz_store(at[lane], size, fz_converted(v[lane], type, to));
    }
}

/* The same of values that have been computed. */
static void assign_values(struct fz_frame *f, const struct fz_node *target, fz_lanes mask, enum fz_type from,
                          const uint64_t v[])
{
    enum fz_type to = fz_type_of(f->w->p, f->f, target);
    void *at[FZ_MAX_LANES];
    size_t size = fz_find_places(f, target, mask, at);
    INVARIANT(size);
    fz_each_lane(lane, fz_live(f, mask)) fz_store(at[lane], size, fz_converted(v[lane], from, to));
}

static void copy(const struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    fz_each_lane(lane, mask)
        memmove(fz_variable_at(f, s->first->name, lane), fz_variable_at(f, s->first->next->name, lane),
                FZ_FIELDS * sizeof(uint64_t));
}

static void point(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    uint64_t to[FZ_MAX_LANES];
    void *at[FZ_MAX_LANES];
    fz_evaluate_pointer(f, s->first->next, mask, to);
    fz_find_places(f, s->first, mask, at);
    fz_each_lane(lane, fz_live(f, mask)) fz_store(at[lane], sizeof *to, to[lane]);
}

static void lead(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    void *at[FZ_MAX_LANES];
    fz_find_places(f, s->first, mask, at);
    fz_each_lane(lane, fz_live(f, mask)) * fz_variable_at(f, s->name, lane) = (uintptr_t)at[lane];
}

static void output(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    uint64_t *out = f->w->contents[0], v[FZ_MAX_LANES];
    enum fz_type t = fz_type_of(f->w->p, f->f, s->first);
    fz_evaluate_as(f, s->first, mask, fz_is_float(t) ? t : FZ_ULONG, v);
    fz_each_lane(lane, fz_live(f, mask)) out[(f->w->first + lane) * FZ_SLOTS + s->value] = v[lane];
}

static void atomic(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    bool doubles = s->flag && s->value == 0 && fz_adds_doubles(f->w->p);
    int32_t *numbers = s->flag ? f->w->counts : f->w->contents[1];
    uint64_t which[FZ_MAX_LANES], operand[FZ_MAX_LANES];
    fz_evaluate_masked(f, s->first, mask, FZ_COUNTERS / FZ_ATOMICS - 1, which);
    fz_evaluate_as(f, s->first->next, mask, FZ_INT, operand);
    fz_each_lane(lane, fz_live(f, mask))
    {
        uint64_t index = which[lane] * FZ_ATOMICS + s->value;
        int32_t *at = &numbers[index], v = (int32_t)operand[lane];
        switch (s->value) {
        case 0:
            if (doubles)
                f->w->adds[index] += v;
            else
                *at = (int32_t)((uint32_t)*at + (uint32_t)v);
            break;
        case 1: *at = v < *at ? v : *at; break;
        case 2: *at = v > *at ? v : *at; break;
        case 3: *at &= v; break;
        case 4: *at |= v; break;
        default: *at ^= v;
        }
    }
}

/* All threads of the block. */
static void publish(struct fz_warp *w, fz_lanes mask)
{
    uint32_t *sums = (uint32_t *)w->contents[1] + FZ_COUNTERS;
    w->failed |= mask != w->all;
    for (uint32_t c = 0; c < FZ_COUNTERS; c++)
        sums[c] += (uint32_t)w->counts[c] + ((uint32_t)(int64_t)w->adds[c] & 0xffffff);
}

static void exchange(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    uint64_t tile[FZ_MAX_LANES], v[FZ_MAX_LANES];
    fz_evaluate_as(f, s->first->next, mask, (enum fz_type)s->type, tile);
    f->w->failed |= fz_live(f, mask) != f->w->all;
    if (f->w->failed)
        return;
    fz_each_lane(lane, mask) v[lane] = tile[(lane + s->value) % f->w->lanes];
    assign_values(f, s->first, mask, (enum fz_type)s->type, v);
}

static uint32_t stirred(uint32_t h, uint32_t thread)
{
    for (int i = 0; i < 3; i++)
        h = h * FZ_HASH_FACTOR + (h >> 16);
    return h + thread;
}

static void stir(struct fz_warp *w, const struct fz_node *s, fz_lanes mask)
{
    fz_each_lane(lane, mask)
    {
        uint32_t thread = w->first + lane;
        w->hash[lane] = stirred(w->hash[lane] ^ (uint32_t)s->value, thread);
        if (s->flag && lane % 2)
            w->hash[lane] = stirred(w->hash[lane] ^ thread, 1);
    }
}

/* A row of the thread's log or trace. */
static void write_row(struct fz_warp *w, uint32_t lane, uint64_t v)
{
    uint32_t threads = w->p->blocks * w->p->threads, at = w->rows[lane] * threads + w->first + lane;
    if (w->rows[lane] >= w->p->buffers.at[0].per_thread) {
        w->failed = true;
        return;
    }
    if (w->p->buffers.at[0].type == FZ_ULONG)
        ((uint64_t *)w->contents[0])[at] = v;
    else
        ((uint32_t *)w->contents[0])[at] = (uint32_t)v;
    w->rows[lane]++;
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

static uint64_t observed(const struct group *g, const struct fz_node *s, uint32_t lane)
{
    enum fz_observation op = (enum fz_observation)s->op;
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
    case FZ_ALONE: return g->x[lane];
    default: return fold(g, op, g->mask);
    }
}

/* What the statement's operation gives each lane. */
static void observe(struct fz_frame *f, const struct fz_node *s, const struct fz_node *operand, fz_lanes mask,
                    uint64_t v[])
{
    struct group g = {.mask = (uint64_t)mask, .width = f->w->width};
    enum fz_type t = fz_type_of(f->w->p, f->f, operand);
    fz_evaluate(f, operand, mask, v);
    fz_each_lane(lane, mask)
    {
        g.x[lane] = (uint32_t)fz_converted(v[lane], t, FZ_UINT);
        g.holds |= fz_converted(v[lane], t, FZ_BOOL) << lane;
    }
    fz_each_lane(lane, mask) v[lane] = observed(&g, s, lane);
}

static void converge(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    uint64_t v[FZ_MAX_LANES];
    observe(f, s, s->first->next, mask, v);
    assign_values(f, s->first, mask, FZ_ULONG, v);
}

/* The lanes whose next row is what the statement gives them. */
static void note_set(const struct fz_warp *w, const struct fz_node *s, fz_lanes mask)
{
    uint32_t threads = w->p->blocks * w->p->threads, rows = w->p->buffers.at[0].per_thread;
    fz_each_lane(lane, mask) if (w->rows[lane] < rows)
        w->sets->of_row[w->rows[lane] * threads + w->first + lane] = (uint64_t)mask;
    if (mask != w->all && s->op != FZ_ALONE)
        vec_push(w->sets->arena, &w->sets->apart, s);
}

static void log_it(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    uint64_t v[FZ_MAX_LANES];
    observe(f, s, s->first, mask, v);
    if (f->w->sets)
        note_set(f->w, s, mask);
    fz_each_lane(lane, mask)
    {
        write_row(f->w, lane, v[lane]);
        if (s->name)
            f->w->seen[lane] = v[lane];
        if (s->flag)
            f->w->hash[lane] = (f->w->hash[lane] ^ (uint32_t)v[lane]) * FZ_HASH_FACTOR;
    }
}

static void pass_barrier(struct fz_warp *w, const struct fz_node *s, fz_lanes mask)
{
    w->failed |= mask != w->all;
    w->barriers = w->barriers * 31 + (uintptr_t)s;
}

/* ---- branches ---------------------------------------------------------------------------------------- */

static fz_lanes run_if(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    fz_lanes yes = fz_holds(f, s->first, mask), no = fz_live(f, mask) & ~yes;
    yes = run_list(f, s->first->next, yes);
    return yes | run_list(f, s->first->next->next, no);
}

static fz_lanes run_scope(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    uint64_t v[FZ_MAX_LANES];
    fz_evaluate_as(f, s->first, mask, f->f->variables.at[s->name].type, v);
    mask = fz_live(f, mask);
    fz_each_lane(lane, mask) * fz_variable_at(f, s->name, lane) = v[lane];
    return run_list(f, s->first->next, mask);
}

static fz_lanes run_inside(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    fz_lanes yes = 0;
    uint64_t index[FZ_MAX_LANES];
    fz_evaluate_masked(f, s->first, mask, 2 * FZ_ARRAY_LENGTH - 1, index);
    fz_each_lane(lane, mask)
    {
        *fz_variable_at(f, s->name, lane) = index[lane];
        yes |= (fz_lanes)(index[lane] < FZ_ARRAY_LENGTH) << lane;
    }
    fz_lanes then = run_list(f, s->first->next, yes);
    return then | run_list(f, s->first->next->next, mask & ~yes);
}

static bool has_case(const struct fz_node *cases, uint64_t value)
{
    for (const struct fz_node *c = cases->first; c; c = c->next)
        if (!c->flag && c->value == value)
            return true;
    return false;
}

static fz_lanes run_switch(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    const struct fz_node *cases = s->first->next;
    fz_lanes outer = f->broken, falls = 0, left;
    uint64_t value[FZ_MAX_LANES];
    fz_evaluate_masked(f, s->first, mask, (uint32_t)s->value, value);
    left = fz_live(f, mask);
    f->broken = 0;
    for (const struct fz_node *c = cases->first; c; c = c->next) {
        fz_lanes chosen = 0;
        fz_each_lane(lane, left) chosen |=
            (fz_lanes)(c->flag ? !has_case(cases, value[lane]) : c->value == value[lane]) << lane;
        left &= ~chosen;
        falls = run_list(f, c->first, falls | chosen);
    }
    falls |= left | f->broken;
    f->broken = outer;
    return falls;
}

static fz_lanes run_try(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    fz_lanes outer = f->thrown;
    f->thrown = 0;
    fz_lanes through = run_list(f, s->first, mask), caught = f->thrown;
    f->thrown = outer;
    return through | run_list(f, s->first->next, caught);
}

/* ---- loops ------------------------------------------------------------------------------------------- */

/* Lanes that go on, whose count is to be compared with the bound (or zero) now. */
static fz_lanes goes_on(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    fz_lanes result = 0;
    uint64_t bound[FZ_MAX_LANES];
    if (!s->flag)
        fz_evaluate_masked(f, s->first, mask, (uint32_t)s->value, bound);
    fz_each_lane(lane, fz_live(f, mask))
    {
        int32_t i = (int32_t)*fz_variable_at(f, s->name, lane);
        result |= (fz_lanes)(s->flag ? i > 0 : i < (int32_t)bound[lane]) << lane;
    }
    return fz_holds(f, s->first->next, result);
}

static void count(struct fz_frame *f, const struct fz_node *s, fz_lanes mask, uint32_t by)
{
    fz_each_lane(lane, mask)
    {
        uint64_t *at = fz_variable_at(f, s->name, lane);
        *at = (uint32_t)(*at + by);
    }
}

/* One turn of the loop, from where its heart is; lanes that take another come back. */
static fz_lanes run_iteration(struct fz_frame *f, const struct fz_node *s, fz_lanes mask, fz_lanes *done)
{
    const struct fz_node *body = fz_child(s, 2), *exit_body = fz_child(s, 3);
    enum fz_loop_form form = (enum fz_loop_form)s->op;
    fz_lanes on = form == FZ_DO ? mask : goes_on(f, s, mask);
    mask = fz_live(f, mask);
    f->broken = f->continued = 0;
    *done |= form == FZ_ENDLESS ? run_list(f, exit_body, mask & ~on) : mask & ~on;
    if (form == FZ_WHILE || form == FZ_DO)
        count(f, s, on, 1);
    on = run_list(f, body, on) | f->continued;
    *done |= f->broken;
    if (form == FZ_FOR || form == FZ_ENDLESS)
        count(f, s, on, s->flag ? -1u : 1u);
    if (form != FZ_DO)
        return on;
    mask = goes_on(f, s, on);
    *done |= fz_live(f, on) & ~mask;
    return mask;
}

static fz_lanes run_loop(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    fz_lanes broken = f->broken, continued = f->continued, done = 0;
    uint64_t first[FZ_MAX_LANES] = {0};
    if (s->flag)
        fz_evaluate_masked(f, s->first, mask, (uint32_t)s->value, first);
    mask = fz_live(f, mask);
    fz_each_lane(lane, mask) * fz_variable_at(f, s->name, lane) = first[lane];
    while (mask && may_go_on(f))
        mask = run_iteration(f, s, mask, &done);
    f->broken = broken, f->continued = continued;
    return done;
}

static fz_lanes run_forever(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    fz_lanes broken = f->broken, continued = f->continued, done = 0;
    while (mask && may_go_on(f)) {
        f->broken = f->continued = 0;
        mask = run_list(f, s->first, mask) | f->continued;
        done |= f->broken;
    }
    f->broken = broken, f->continued = continued;
    return done;
}

/* Lists of irreducible cycles hold nothing convergent: lanes may pass them in any order. */
static fz_lanes run_irreducible(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    fz_lanes second = fz_holds(f, s->first, mask), first = mask & ~second, done = 0;
    while ((first | second) && may_go_on(f)) {
        second |= run_list(f, fz_child(s, 1), first);
        second = run_list(f, fz_child(s, 2), second);
        first = fz_holds(f, fz_child(s, 3), second);
        done |= second & ~first;
        second = 0;
    }
    return done;
}

static fz_lanes run_repeat(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    mask = run_list(f, s->first, mask);
    f->w->failed |= fz_holds(f, s->first->next, mask) != 0;
    return mask;
}

/* ---- gates ------------------------------------------------------------------------------------------- */

/* Barriers give nothing. The lanes that get behind one. */
static fz_lanes pass_branch(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    bool first_stays = f->w->p->inputs[s->value] & 1;
    fz_lanes yes = fz_holds(f, s->first, mask), no = mask & ~yes;
    yes = run_list(f, fz_child(s, 1), yes);
    no = run_list(f, fz_child(s, 2), no);
    if (s->op == FZ_GATE_BESIDE) {
        f->returned |= first_stays ? run_list(f, fz_child(s, 3), yes) : run_list(f, fz_child(s, 4), no);
        return first_stays ? no : yes;
    }
    f->returned |= first_stays ? no : yes;
    return first_stays ? run_list(f, fz_child(s, 3), yes) : run_list(f, fz_child(s, 4), no);
}

/* Those that leave early return. */
static fz_lanes pass_loop(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    fz_lanes left = 0, leave;
    for (uint32_t i = 0; i < FZ_GATE_ITERATIONS && !f->w->failed; i++) {
        leave = fz_holds(f, s->first, mask);
        left |= leave;
        mask = run_list(f, fz_child(s, 1), mask & ~leave);
        mask = run_list(f, fz_child(s, 3), mask);
    }
    f->returned |= run_list(f, fz_child(s, 2), left);
    mask = run_list(f, fz_child(s, 2), mask);
    return run_list(f, fz_child(s, 4), mask);
}

static fz_lanes run_gate(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    for (uint32_t i = 0; i < s->name && mask && !f->w->failed; i++)
        mask = s->op == FZ_GATE_LOOP ? pass_loop(f, s, mask) : pass_branch(f, s, mask);
    return mask;
}

/* ---- graphs: threads walk them one by one, for they can't see each other ----------------------------- */

/* A row of the trace; short of fuel, the guide is zero. */
static void trace(struct fz_warp *w, fz_lanes mask)
{
    fz_each_lane(lane, mask)
    {
        write_row(w, lane, w->hash[lane]);
        w->guide[lane] = w->rows[lane] < FZ_FUEL ? w->hash[lane] : 0;
    }
}

static fz_lanes run_spin(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    fz_lanes done = 0;
    while (mask && may_go_on(f)) {
        fz_lanes on = fz_holds(f, s->first, mask);
        done |= mask & ~on;
        fz_each_lane(lane, on) f->w->hash[lane] = f->w->hash[lane] * FZ_HASH_FACTOR + 1;
        trace(f->w, on);
        mask = run_list(f, s->first->next, on);
    }
    return done;
}

static void jump(struct fz_frame *f, const struct fz_node *target, fz_lanes mask)
{
    fz_each_lane(lane, mask) f->w->hash[lane] += target->name;
    f->label = (uint32_t)target->value;
    f->jumped |= mask;
}

static const struct fz_node *find_state(const struct fz_node *states, uint32_t label)
{
    const struct fz_node *s = states->first;
    while (s && s->name != label)
        s = s->next;
    return s;
}

/* Where the lane goes from this state; NULL: to the end. */
static const struct fz_node *run_state(struct fz_frame *f, const struct fz_node *states,
                                       const struct fz_node *s, uint32_t lane)
{
    fz_lanes mask = (fz_lanes)1 << lane;
    uint32_t targets = fz_list_length(s->first->next);
    f->w->hash[lane] = (f->w->hash[lane] ^ (uint32_t)s->value) * FZ_HASH_FACTOR;
    trace(f->w, mask);
    f->jumped = 0;
    mask = run_list(f, s->first, mask);
    if (mask && targets) {
        uint32_t choice = targets == 1 ? 0 : f->w->guide[lane] >> s->op & (targets == 2 ? 1 : 3);
        jump(f, fz_child(s, 1 + (choice < targets ? choice : targets - 1)), mask);
    }
    if (!f->jumped)
        return s->next;
    const struct fz_node *next = find_state(states, f->label);
    f->w->failed |= !next && f->label != FZ_END; /* a goto to nowhere */
    return next;
}

static fz_lanes run_graph(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    fz_each_lane(lane, mask) for (const struct fz_node *at = s->first->first; at && !f->w->failed;) at =
        run_state(f, s->first, at, lane);
    return mask;
}

/* ---- calls ------------------------------------------------------------------------------------------- */

/* The i-th value that a variable begins with, as its lane has it. Those in shared memory begin as zero. */
static uint64_t first_value(const struct fz_frame *f, const struct fz_variable *v, uint32_t i, uint32_t lane)
{
    const struct fz_program *p = f->w->p;
    enum fz_type t = v->shape == FZ_STRUCT ? (enum fz_type)p->fields[i] : (enum fz_type)v->type;
    switch (v->shape) {
    case FZ_ROWS: return 0;
    case FZ_TARGETS: return p->shared_targets ? 0 : fz_initial(v, FZ_INT, i);
    case FZ_POINTER:
    case FZ_POINTERS:
    case FZ_LINK:
        return (uintptr_t)(fz_variable_at(f, fz_find_shape(f->f, FZ_TARGETS), lane) +
                           fz_initial(v, FZ_UINT, i) % FZ_TARGET_COUNT);
    case FZ_LEADER: return (uintptr_t)fz_variable_at(f, fz_find_shape(f->f, FZ_POINTER), lane);
    default: return fz_canonical(fz_initial(v, t, i), t);
    }
}

static void initialise(const struct fz_frame *f, fz_lanes mask)
{
    for (uint32_t i = 0; i < f->f->variables.count; i++) {
        const struct fz_variable *v = &f->f->variables.at[i];
        for (uint32_t k = 0; k < fz_values_of(v) && !v->parameter && !v->counter && !v->scoped; k++)
            fz_each_lane(lane, mask)
            {
                uint32_t slot = v->shape == FZ_STRUCT ? fz_place_of_field(f->w->p, k) : k;
                size_t size = v->shape == FZ_STRUCT ? fz_type_info[f->w->p->fields[k]].bits / 8 : 8;
                fz_store(fz_variable_at(f, i, lane) + slot, size, first_value(f, v, k, lane));
            }
    }
}

void fz_enter(struct fz_frame *callee, struct fz_warp *w, uint32_t function, fz_lanes mask)
{
    size_t size = 0;
    *callee = (struct fz_frame){.w = w, .f = &w->p->functions.at[function]};
    callee->at = mem_alloc((callee->f->variables.count + 1) * sizeof *callee->at);
    for (uint32_t i = 0; i < callee->f->variables.count; i++) {
        callee->at[i] = (uint32_t)size;
        size += fz_values_of(&callee->f->variables.at[i]) * w->lanes;
    }
    callee->values = mem_alloc((size + 1) * sizeof *callee->values);
    initialise(callee, mask);
}

/* Lanes that throw leave rows and hash as they were: the callee has copies and its result is lost. What was
 * seen is the call's own. */
fz_lanes fz_run_call(struct fz_frame *from, struct fz_frame *callee, fz_lanes mask)
{
    struct fz_warp *w = callee->w, before = *w;
    memset(w->seen, 0, sizeof w->seen);
    callee->returned |= run_list(callee, callee->f->body, mask);
    memcpy(w->seen, before.seen, sizeof w->seen);
    mem_free(callee->values);
    mem_free(callee->at);
    fz_each_lane(lane, callee->thrown) w->rows[lane] = before.rows[lane], w->hash[lane] = before.hash[lane];
    from->thrown |= callee->thrown;
    return callee->returned;
}

static fz_lanes call(struct fz_frame *f, uint32_t function, fz_lanes mask)
{
    struct fz_frame callee;
    fz_enter(&callee, f->w, function, mask);
    return fz_run_call(f, &callee, mask);
}

/* Through a pointer, lanes with the same callee enter it together: it is one call. */
static fz_lanes run_invoke(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    fz_lanes first = s->flag && s->name != s->value ? mask & 0x5555555555555555u : mask;
    fz_lanes back = first ? call(f, s->name, first) : 0;
    return mask & ~first ? back | call(f, (uint32_t)s->value, mask & ~first) : back;
}

static void note_result(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    if (s->first)
        fz_evaluate_as(f, s->first, mask, f->f->result, f->result);
}

/* ---- all --------------------------------------------------------------------------------------------- */

static fz_lanes leave(fz_lanes *where, fz_lanes mask)
{
    *where |= mask;
    return 0;
}

/* The lanes that get behind the statement. */
static fz_lanes run(struct fz_frame *f, const struct fz_node *s, fz_lanes mask)
{
    if (f->w->sets)
        map_set(f->w->sets->arena, &f->w->sets->executed, (uintptr_t)s, 1);
    switch (s->kind) {
    case FZ_NODE_BLOCK: return run_list(f, s, mask);
    case FZ_NODE_IF: return run_if(f, s, mask);
    case FZ_NODE_SCOPE: return run_scope(f, s, mask);
    case FZ_NODE_INSIDE: return run_inside(f, s, mask);
    case FZ_NODE_SWITCH: return run_switch(f, s, mask);
    case FZ_NODE_LOOP: return run_loop(f, s, mask);
    case FZ_NODE_FOREVER: return run_forever(f, s, mask);
    case FZ_NODE_IRREDUCIBLE: return run_irreducible(f, s, mask);
    case FZ_NODE_REPEAT: return run_repeat(f, s, mask);
    case FZ_NODE_SPIN: return run_spin(f, s, mask);
    case FZ_NODE_TRY: return run_try(f, s, mask);
    case FZ_NODE_INVOKE: return run_invoke(f, s, mask);
    case FZ_NODE_GATE: return run_gate(f, s, mask);
    case FZ_NODE_GRAPH: return run_graph(f, s, mask);
    case FZ_NODE_BREAK: return leave(&f->broken, mask);
    case FZ_NODE_CONTINUE: return leave(&f->continued, mask);
    case FZ_NODE_THROW: return leave(&f->thrown, mask);
    case FZ_NODE_RETURN: note_result(f, s, mask); return leave(&f->returned, fz_live(f, mask));
    case FZ_NODE_GOTO: jump(f, s->first, mask); return 0;
    case FZ_NODE_JUMP:
    case FZ_NODE_TRAP: f->w->failed = true; return 0;
    case FZ_NODE_PREDICT:
    case FZ_NODE_LABEL:
    case FZ_NODE_PLANT: /* its memory is its own, and what it reads is not used */
    case FZ_NODE_GATHER: break;
    case FZ_NODE_ASSIGN: assign(f, s, mask); break;
    case FZ_NODE_STEP: fz_assign_vector(f, s, mask); break;
    case FZ_NODE_COPY: copy(f, s, mask); break;
    case FZ_NODE_POINT: point(f, s, mask); break;
    case FZ_NODE_LEAD: lead(f, s, mask); break;
    case FZ_NODE_EXCHANGE: exchange(f, s, mask); break;
    case FZ_NODE_PUBLISH: publish(f->w, mask); break;
    case FZ_NODE_OUTPUT: output(f, s, mask); break;
    case FZ_NODE_ATOMIC: atomic(f, s, mask); break;
    case FZ_NODE_CONVERGE: converge(f, s, mask); break;
    case FZ_NODE_LOG: log_it(f, s, mask); break;
    case FZ_NODE_STIR: stir(f->w, s, mask); break;
    case FZ_NODE_BARRIER: pass_barrier(f->w, s, mask); break;
    default: BUG("%s is no statement", fz_node_info[s->kind].name);
    }
    return fz_live(f, mask);
}

/* The lanes that get to the end. */
static fz_lanes run_list(struct fz_frame *f, const struct fz_node *list, fz_lanes mask)
{
    f->w->failed |= ++f->w->steps > MAX_STEPS;
    for (const struct fz_node *s = list->first; s && mask && !f->w->failed; s = s->next)
        mask = run(f, s, mask);
    return mask;
}

static bool run_warp(struct fz_warp *w, uint32_t lanes)
{
    struct fz_frame launch = {.w = w};
    w->steps = 0;
    w->barriers = 0;
    w->lanes = lanes;
    w->all = ~(fz_lanes)0 >> (FZ_MAX_LANES - lanes);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        w->rows[lane] = 0;
        w->hash[lane] = (w->first + lane + (uint32_t)(w->p->seed & 0xffff)) * FZ_HASH_FACTOR;
        w->guide[lane] = w->hash[lane];
    }
    call(&launch, w->p->functions.count - 1, w->all);
    if (w->sets)
        memcpy(w->sets->rows + w->first, w->rows, lanes * sizeof *w->rows);
    return !w->failed && !launch.thrown;
}

enum fz_end fz_expect_sets(const struct fz_program *p, uint32_t width, void **contents, struct fz_sets *sets)
{
    size_t size = (size_t)p->threads * FZ_CELLS * sizeof(uint32_t);
    struct fz_warp *w = mem_alloc(sizeof *w);
    bool ok = true;
    if (fz_is_race_free(p))
        width = p->threads;
    INVARIANT(width <= FZ_MAX_LANES);
    *w = (struct fz_warp){.p = p,
                          .beyond = fz_beyond(p),
                          .width = width,
                          .contents = contents,
                          .own = mem_alloc(size),
                          .sets = sets};
    for (uint32_t block = 0; ok && block < p->blocks; block++) {
        memset(w->own, 0, size);
        memset(w->counts, 0, sizeof w->counts);
        memset(w->adds, 0, sizeof w->adds);
        w->block = block * p->threads;
        for (uint32_t t = 0; ok && t < p->threads; t += width) {
            w->first = w->block + t;
            uintptr_t before = w->barriers;
            ok = run_warp(w, p->threads - t < width ? p->threads - t : width) &&
                 (t == 0 || w->barriers == before);
        }
    }
    enum fz_end end = w->stopped ? FZ_STOPS : ok ? FZ_ENDS : FZ_ENDS_NOT;
    mem_free(w->own);
    mem_free(w);
    return end;
}

enum fz_end fz_expect(const struct fz_program *p, uint32_t width, void **contents)
{
    return fz_expect_sets(p, width, contents, NULL);
}
