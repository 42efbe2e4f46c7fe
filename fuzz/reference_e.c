/* reference_e.c: what a program of class e has to log, by "Convergent Operation Semantics" and nothing else.
 *
 * Dynamic instances are named as the document does: an operation or call by itself and the instance of its
 * token; token.loop by itself, the instance of its operand and n, for the n-th time with it; token.entry of a
 * kernel once a warp, of a device function by the instance of the call. Threads that execute an operation
 * under one name do so together.
 *
 * The meaning is a fixed point. A thread's run is a function of the results that its convergent operations
 * give; a result is a function of what the threads of the group bring to it. So each thread is run alone from
 * its beginning to its end, with the groups as they are known so far; whenever a group changes, its other
 * threads run again, until nothing changes. As the static rules leave no two operations that wait for each
 * other in a circle, there is one fixed point: what is executed first is right after the first runs, and each
 * round makes right what depends only on that. No question is asked about paths that might be taken.
 *
 * A barrier gives nothing, so the runs do not depend on it. What each thread has come to in the end says
 * whether they all would: a barrier opens when all threads of the block that have not returned are at the same
 * instance of it, an operation is executed when its group is there, and so is a heart that controls operations
 * (waits_e.c).
 *
 * The threads that an anchor gathers may be chosen: the log has to be the same for every choice.
 */
#include "fuzz/reference_e.h"
#include "fuzz/waits_e.h"

enum { MAX_LANES = 64, MAX_STEPS = 40000, MAX_RUNS = 100 * MAX_LANES };

/* Number 0 is the launch. Names with the same `outer` form a list. */
struct instance {
    uint64_t op;
    uint32_t outer, n, first, next, group;
};

/* Threads that execute one operation together, and their operands; by lane. A barrier has no mask, but the
 * name of its instance, which is the same in all warps. */
struct group {
    uint64_t barrier;
    uint64_t mask, a[MAX_LANES], b[MAX_LANES];
    uint32_t run[MAX_LANES];
};

/* A function's values, of the thread that runs; a token is the number of its instance. */
struct frame {
    uint64_t *value;
    uint32_t *outer, *times; /* of a heart: its operand's instance, and how often with it */
    uint32_t *anchored;      /* of an anchor: how often in this run */
    struct bitset in_use;    /* tokens that control operations */
};

struct warp {
    const struct fz_program *p;
    const struct ir_module *m;
    struct arena *arena;
    enum fz_anchors anchors;
    uint32_t block, first, lanes; /* the warp's first thread in its block */
    uint64_t *log;
    struct frame *frames; /* by function: none is entered twice */
    VEC(struct instance) instances;
    VEC(struct group *) groups;
    u32_vec joined[MAX_LANES]; /* groups of each lane in its last run */
    uint64_t changed;          /* lanes that have to run again */
    uint32_t lane, run, steps;
    bool failed;
};

/* The barriers that the warps of a block have passed, by name. */
struct barrier_log {
    struct arena *arena;
    VEC(uint64_t) names;
};

/* ---- instances --------------------------------------------------------------------------------------- */

static uint32_t instance_of(struct warp *w, const struct ir_function *f, ir_ref r, uint32_t outer, uint32_t n)
{
    uint64_t op = (uint64_t)f->id << 32 | r;
    for (uint32_t i = w->instances.at[outer].first; i; i = w->instances.at[i].next)
        if (w->instances.at[i].op == op && w->instances.at[i].n == n)
            return i;
    struct instance x = {op, outer, n, 0, w->instances.at[outer].first, UINT32_MAX};
    vec_push(w->arena, &w->instances, x);
    return w->instances.at[outer].first = w->instances.count - 1;
}

static uint32_t heart_instance(struct warp *w, const struct ir_function *f, ir_ref r, uint32_t outer)
{
    struct frame *x = &w->frames[f->id];
    x->times[r] = x->outer[r] == outer ? x->times[r] + 1 : 1;
    x->outer[r] = outer;
    return instance_of(w, f, r, outer, x->times[r]);
}

/* Any set of threads that come to it is right; this one is named by n. */
static uint32_t anchor_instance(struct warp *w, const struct ir_function *f, ir_ref r)
{
    uint32_t time = w->frames[f->id].anchored[r]++, n = time;
    if (w->anchors == FZ_ANCHORS_ALONE)
        n = time * MAX_LANES + w->lane;
    else if (w->anchors == FZ_ANCHORS_PARTS)
        n = 2 * time + (hash_mix(w->lane, r) & 1);
    return instance_of(w, f, r, 0, n);
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static struct group *group_of(struct warp *w, uint32_t instance)
{
    uint32_t *number = &w->instances.at[instance].group;
    if (*number == UINT32_MAX) {
        *number = w->groups.count;
        struct group *g = arena_new(w->arena, struct group);
        vec_push(w->arena, &w->groups, g);
    }
    vec_push(w->arena, &w->joined[w->lane], *number);
    return w->groups.at[*number];
}

/* The lane brings its operands to the operation; others of the group see it if that is news. */
static const struct group *join(struct warp *w, uint32_t instance, uint64_t a, uint64_t b)
{
    struct group *g = group_of(w, instance);
    uint64_t own = (uint64_t)1 << w->lane;
    if (!(g->mask & own) || g->a[w->lane] != a || g->b[w->lane] != b)
        w->changed |= g->mask & ~own;
    g->mask |= own;
    g->a[w->lane] = a, g->b[w->lane] = b;
    g->run[w->lane] = w->run;
    return g;
}

/* Threads at a heart that controls operations wait for those that come to the same instance of it: which of
 * them come to the operations is not known before. */
static uint32_t meet_at(struct warp *w, const struct ir_function *f, ir_ref heart, uint32_t instance)
{
    if (bitset_has(w->frames[f->id].in_use, heart)) {
        struct group *g = group_of(w, instance);
        g->mask |= (uint64_t)1 << w->lane;
        g->run[w->lane] = w->run;
    }
    return instance;
}

static uint64_t name_of(const struct warp *w, uint32_t instance)
{
    const struct instance *x = &w->instances.at[instance];
    return instance ? hash_mix(name_of(w, x->outer), hash_mix(x->op, x->n)) : 1;
}

static void wait_at(struct warp *w, uint32_t instance)
{
    group_of(w, instance)->barrier = name_of(w, instance);
}

/* The groups that the lane was in and has not come to this time lose it. */
static void leave(struct warp *w, const u32_vec *before)
{
    uint64_t own = (uint64_t)1 << w->lane;
    for (uint32_t i = 0; i < before->count; i++) {
        struct group *g = w->groups.at[before->at[i]];
        if (g->run[w->lane] == w->run || !(g->mask & own))
            continue;
        g->mask &= ~own;
        w->changed |= g->mask;
    }
}

/* ---- one thread -------------------------------------------------------------------------------------- */

static uint64_t run_function(struct warp *w, const struct ir_function *f, const uint64_t *args,
                             uint32_t call);

static uint64_t special(const struct warp *w, enum ir_special s)
{
    switch (s) {
    case IR_SPECIAL_TID_X: return w->first + w->lane;
    case IR_SPECIAL_BID_X: return w->block;
    case IR_SPECIAL_BDIM_X: return w->p->threads;
    case IR_SPECIAL_GDIM_X: return w->p->blocks;
    default: return w->lane;
    }
}

static uint32_t gid_of(const struct warp *w)
{
    return w->block * w->p->threads + w->first + w->lane;
}

/* Addresses are a buffer's number, from 1, above 32 bits of offset. A thread writes to its own log alone. */
static uint64_t access(struct warp *w, const struct ir_ins *ins, const uint64_t *a)
{
    uint32_t buffer = (uint32_t)(a[0] >> 32), at = (uint32_t)a[0] + (uint32_t)ins->imm;
    uint32_t threads = w->p->blocks * w->p->threads;
    bool owns =
        at / 8 < fz_elements(w->p, &w->p->buffers.at[0]) && at / 8 % threads == gid_of(w) && at % 8 == 0;
    if (ins->op == IR_load && buffer == 2 && at < sizeof w->p->inputs)
        return (uint32_t)w->p->inputs[at / 4];
    if (ins->op == IR_store && buffer == 1 && owns)
        w->log[at / 8] = a[1];
    else
        w->failed = true;
    return 0;
}

static uint64_t call(struct warp *w, const struct ir_function *f, ir_ref r, const uint64_t *a)
{
    const struct ir_ins *ins = ir_at(f, r);
    bool indirect = ins->op == IR_icall;
    uint32_t callee = indirect ? (uint32_t)a[0] - 1 : (uint32_t)ins->imm;
    uint32_t token = (uint32_t)w->frames[f->id].value[ins->token];
    uint32_t instance = ins->token ? instance_of(w, f, r, token, 0) : 0;
    if (instance) /* most schemes bring the threads together there, so those are to come to it too */
        join(w, instance, 0, 0);
    return run_function(w, w->m->functions.at[callee], a + indirect, instance);
}

static uint64_t execute(struct warp *w, const struct ir_function *f, ir_ref r, const uint64_t *a,
                        uint32_t entered)
{
    const struct ir_ins *ins = ir_at(f, r);
    uint32_t token = (uint32_t)w->frames[f->id].value[ins->token];
    if (ir_is_pure(ins->op))
        return scalar_evaluate(ir_scalar_case(f, r), a);
    switch (ins->op) {
    case IR_predict:
    case IR_predict_point:
    case IR_predict_function: return 0;
    case IR_ptradd: return (a[0] >> 32 << 32) | (uint32_t)(a[0] + a[1]);
    case IR_special: return special(w, (enum ir_special)ins->imm);
    case IR_function: return (uint64_t)ins->imm + 1;
    case IR_load:
    case IR_store: return access(w, ins, a);
    case IR_call:
    case IR_icall: return call(w, f, r, a);
    case IR_entry: return instance_of(w, f, r, entered, 0);
    case IR_loop: return meet_at(w, f, r, heart_instance(w, f, r, token));
    case IR_anchor: return anchor_instance(w, f, r);
    case IR_barrier: wait_at(w, instance_of(w, f, r, token, 0)); return 0;
    default: break;
    }
    w->failed |= !(ir_op_info[ins->op].flags & IR_CONVERGENT) || !ins->token;
    if (w->failed)
        return 0;
    const struct group *g = join(w, instance_of(w, f, r, token, 0), a[0], a[1]);
    return fz_group_result(ins->op, w->lane, g->mask, g->a, (uint32_t)a[1]);
}

static uint64_t value_of(const struct warp *w, const struct ir_function *f, ir_ref r)
{
    const struct ir_ins *ins = ir_at(f, r);
    return ins->op == IR_constant ? (uint64_t)ins->imm : w->frames[f->id].value[r];
}

static const struct ir_edge *choose(const struct ir_function *f, uint32_t b, uint64_t v)
{
    const struct ir_block *block = ir_block_at(f, b);
    enum ir_op op = (enum ir_op)ir_at(f, block->last)->op;
    for (uint32_t e = 1; op == IR_switch && e < block->edges.count; e++)
        if ((uint32_t)block->edges.at[e].value == (uint32_t)v)
            return &block->edges.at[e];
    return &block->edges.at[op == IR_brif && !v];
}

static void follow(struct warp *w, const struct ir_function *f, const struct ir_edge *e)
{
    uint64_t next[16];
    INVARIANT(e->argc <= COUNT(next));
    for (uint32_t i = 0; i < e->argc; i++)
        next[i] = value_of(w, f, e->args[i]);
    for (uint32_t i = 0; i < e->argc; i++)
        w->frames[f->id].value[ir_block_at(f, e->block)->params.at[i]] = next[i];
}

static uint64_t run_function(struct warp *w, const struct ir_function *f, const uint64_t *args, uint32_t call)
{
    struct frame *x = &w->frames[f->id];
    const u32_vec *params = &ir_block_at(f, ir_entry(f))->params;
    memset(x->outer, 0, f->ins.count * sizeof *x->outer);
    for (uint32_t i = 0; i < params->count; i++)
        x->value[params->at[i]] = args[i];
    for (uint32_t b = ir_entry(f);;) {
        ir_each_ins(r, f, b) {
            const struct ir_ins *ins = ir_at(f, r);
            uint64_t a[4] = {0};
            INVARIANT(ins->argc <= COUNT(a));
            for (uint32_t i = 0; i < ins->argc; i++)
                a[i] = value_of(w, f, ins->args[i]);
            w->failed |= ++w->steps > MAX_STEPS;
            if (w->failed || ins->op == IR_ret)
                return a[0];
            if (!(ir_op_info[ins->op].flags & IR_TERMINATOR)) {
                x->value[r] = execute(w, f, r, a, call);
                continue;
            }
            const struct ir_edge *e = choose(f, b, a[0]);
            follow(w, f, e);
            b = e->block;
            break;
        }
    }
}

/* ---- a warp ------------------------------------------------------------------------------------------ */

static void run_lane(struct warp *w, uint32_t lane)
{
    uint32_t threads = w->p->blocks * w->p->threads;
    u32_vec before = w->joined[lane];
    w->joined[lane] = (u32_vec){0};
    w->lane = lane;
    w->run++;
    w->steps = 0;
    for (uint32_t row = 0; row < w->p->buffers.at[0].per_thread; row++)
        w->log[row * threads + gid_of(w)] = 0;
    for (uint32_t i = 0; i < w->m->functions.count; i++)
        memset(w->frames[i].anchored, 0, w->m->functions.at[i]->ins.count * sizeof(uint32_t));
    w->changed &= ~((uint64_t)1 << lane);
    run_function(w, w->m->functions.at[w->m->kernels.at[0].function], (uint64_t[]){1ull << 32, 2ull << 32},
                 0);
    leave(w, &before);
}

static void make_frames(struct warp *w)
{
    w->frames = arena_array(w->arena, struct frame, w->m->functions.count);
    for (uint32_t i = 0; i < w->m->functions.count; i++) {
        uint32_t n = w->m->functions.at[i]->ins.count;
        w->frames[i] = (struct frame){arena_array(w->arena, uint64_t, n), arena_array(w->arena, uint32_t, n),
                                      arena_array(w->arena, uint32_t, n), arena_array(w->arena, uint32_t, n),
                                      ir_tokens_in_use(w->arena, w->m->functions.at[i])};
    }
}

static bool run_warp(struct warp *w)
{
    struct instance launch = {.group = UINT32_MAX};
    make_frames(w);
    vec_push(w->arena, &w->instances, launch);
    w->changed = w->lanes == 64 ? ~(uint64_t)0 : ((uint64_t)1 << w->lanes) - 1;
    while (w->changed && !w->failed)
        for (uint64_t round = w->changed; round && !w->failed; round &= round - 1) {
            run_lane(w, (uint32_t)__builtin_ctzll(round));
            w->failed |= w->run > MAX_RUNS;
        }
    return !w->failed;
}

/* Whether the warp's threads come to their ends, and past the same barriers as those of the warps before, as
 * far as both go on. */
static bool ends(struct warp *w, struct barrier_log *p)
{
    struct fz_waits x = {.lanes = w->lanes, .groups = w->joined};
    uint64_t *members = arena_array(w->arena, uint64_t, w->groups.count);
    u32_vec barriers = {0};
    for (uint32_t i = 0; i < w->groups.count; i++)
        members[i] = w->groups.at[i]->mask;
    x.members = members;
    bool same = fz_waits_end(&x, w->arena, &barriers);
    for (uint32_t i = 0; same && i < barriers.count; i++) {
        uint64_t name = w->groups.at[barriers.at[i]]->barrier;
        if (i == p->names.count)
            vec_push(p->arena, &p->names, name);
        same = p->names.at[i] == name;
    }
    return same;
}

bool fz_reference_e(const struct fz_program *p, const struct ir_module *m, enum fz_anchors anchors,
                    uint32_t width, uint64_t *log)
{
    struct arena barriers = {0};
    bool ok = m->kernels.count == 1;
    for (uint32_t block = 0; ok && block < p->blocks; block++) {
        struct barrier_log log_of_block = {.arena = &barriers};
        for (uint32_t t = 0; ok && t < p->threads; t += width) {
            struct arena a = {0};
            struct warp w = {.p = p,
                             .m = m,
                             .arena = &a,
                             .anchors = anchors,
                             .block = block,
                             .first = t,
                             .lanes = p->threads - t < width ? p->threads - t : width,
                             .log = log};
            ok = run_warp(&w) && ends(&w, &log_of_block);
            arena_free(&a);
        }
    }
    arena_free(&barriers);
    return ok;
}

struct ir_module *fz_parse_module(const struct fz_program *p)
{
    struct arena a = {0};
    struct diagnostics d;
    struct source *s = source_new(&a, "random.kir", p->module, strlen(p->module));
    diag_init(&d, &a, s);
    struct ir_module *m = ir_parse(s, &d);
    arena_free(&a);
    return m;
}

static bool has_right_barriers(const struct ir_module *m, struct arena *a)
{
    const struct ir_function *kernel =
        m->kernels.count == 1 ? m->functions.at[m->kernels.at[0].function] : NULL;
    return kernel && fz_barriers_are_right(kernel, ir_cfg_new(a, kernel), a);
}

/* A program whose log depends on what an anchor gathers is none of the class. (Threads gathered by count
 * alone may wait for each other in a circle, which no machine lets happen: then that choice says nothing.) */
enum fz_end fz_expect_e(const struct fz_program *p, uint32_t width, void **contents)
{
    struct ir_module *m = fz_parse_module(p);
    struct arena a = {0};
    uint32_t rows = fz_elements(p, &p->buffers.at[0]);
    uint64_t *other = arena_array(&a, uint64_t, rows);
    bool ok = m && has_right_barriers(m, &a) && fz_reference_e(p, m, FZ_ANCHORS_ALONE, width, contents[0]);
    for (int choice = 0; ok && strstr(p->module, "token.anchor") && choice < FZ_ANCHOR_CHOICES; choice++)
        ok = choice == FZ_ANCHORS_ALONE || !fz_reference_e(p, m, (enum fz_anchors)choice, width, other) ||
             memcmp(other, contents[0], rows * sizeof *other) == 0;
    ir_module_free(m);
    arena_free(&a);
    return ok ? FZ_ENDS : FZ_ENDS_NOT;
}
