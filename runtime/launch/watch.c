/* watch.c: see watch.h. */
#include "runtime/launch/watch.h"
#include "runtime/launch/block_warp.h"
#include "runtime/launch/timeline.h"

/* A core's table; behind it the rows that execute; and these, but for blocks, which come back. */
struct table {
    struct rt_op back[BC_OPS], real[BC_OPS], straight[BC_OPS];
};

/* What a warp's latest step was. */
struct latest {
    uint64_t active;
    uint32_t row; /* of the block table */
};

struct rt_watch {
    const struct rt_core *core;     /* the one that executes */
    const struct rt_scheme *scheme; /* the one that decides */
    struct rt_steps steps;
    bool enters;       /* the core makes a warp ready, and is not to run it yet */
    bool blocks_alone; /* only paths are wanted: what is not the begin of a block need not come back */
    /* A block word that has been looked at, and how often its block had been counted before; NULL: none. */
    const struct bc_ins *pending;
    uint64_t counted;
    struct latest *latest;        /* by warp of the block */
    struct rt_timeline *timeline; /* NULL: the launch is not traced */
    struct rt_block_warp *paths;  /* NULL: nobody wants to know them */
    uint64_t time, offset; /* of the trace: at the end of the latest turn; the launch's less the warp's */
    bool resumes;          /* the turn begins, in the middle of a step perhaps */
};

/* ---- places ------------------------------------------------------------------------------------------ */

/* The row of the block that code index `at` lies in. Rows are in the order of the code. */
static uint32_t row_of(const struct bc_program *p, uint32_t at)
{
    uint32_t low = 0, high = p->blocks.count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (p->blocks.at[middle].code <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool row_has(const struct bc_program *p, uint32_t row, uint32_t at)
{
    return p->blocks.at[row].code <= at && (row + 1 == p->blocks.count || at < p->blocks.at[row + 1].code);
}

void rt_list_lines(struct arena *a, u32_vec *lines, const struct bc_program *p, uint32_t row)
{
    const struct bc_block *b = &p->blocks.at[row];
    vec_clear(lines);
    for (uint32_t i = b->first_line; i < b->first_line + b->line_count; i++)
        if (p->lines.at[i].line)
            vec_push(a, lines, p->lines.at[i].line);
}

void rt_add_lanes(struct rt_groups *g, int wait, uint64_t lanes, const uint32_t *pc)
{
    while (lanes) {
        uint32_t highest = pc[rt_lowest(lanes)];
        uint64_t there = 0;
        rt_each_lane(i, lanes)
            highest = pc[i] > highest ? pc[i] : highest;
        rt_each_lane(k, lanes)
            there |= (uint64_t)(pc[k] == highest) << k;
        rt_add_group(g, wait, there, highest);
        lanes &= ~there;
    }
}

/* Code indices become rows and lines. */
static void place_groups(struct rt_watch *x, const struct bc_program *p)
{
    struct rt_steps *steps = &x->steps;
    for (uint32_t i = 0; i < steps->groups.list.count; i++) {
        kernc_group *g = &steps->groups.list.at[i];
        if (g->code == RT_NOWHERE)
            continue;
        g->code = row_of(p, g->code);
        rt_list_lines(steps->groups.arena, &steps->lines, p, g->code);
        g->line = steps->lines.count ? steps->lines.at[0] : 0;
    }
}

/* ---- steps, of both machines ------------------------------------------------------------------------- */

void rt_steps_new(struct rt_steps *x, const kernc_launch *given, struct arena *a)
{
    uint32_t warps = given->step_warps ? given->step_warps : 1;
    *x = (struct rt_steps){.given = given, .block = rt_block_number(given->grid, given->step_block)};
    x->warps = warps < KERNC_MAX_BLOCK_THREADS ? warps : KERNC_MAX_BLOCK_THREADS;
    x->count = arena_array(a, uint64_t, x->warps);
    x->groups.arena = a;
}

void rt_steps_tell(struct rt_steps *x, kernc_step step)
{
    step.size = sizeof step;
    step.number = ++x->count[step.warp - x->given->step_warp];
    step.lines = x->lines.at;
    step.line_count = x->lines.count;
    step.groups = x->groups.list.at;
    step.group_count = x->groups.list.count;
    struct mem_outside outside = mem_go_outside();
    x->given->step(x->given->step_user, &step);
    mem_come_back(outside);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

static void tell(struct rt_watch *x, const struct rt_warp *w, uint32_t row, uint64_t active)
{
    const struct bc_program *p = w->worker->launch->program;
    place_groups(x, p);
    rt_list_lines(x->steps.groups.arena, &x->steps.lines, p, row);
    rt_steps_tell(
        &x->steps,
        (kernc_step){
            .active = active, .live = w->live, .lanes = w->launched_count, .code = row, .warp = w->index});
}

static uint64_t block_of(const struct rt_warp *w)
{
    return atomic_load_explicit(&w->worker->block, memory_order_relaxed);
}

static void list_groups(struct rt_watch *x, const struct rt_warp *w, uint64_t active)
{
    vec_clear(&x->steps.groups.list);
    x->scheme->groups(w, active, &x->steps.groups);
}

/* The trace's next moment, `cycles` ago. */
static void trace(struct rt_watch *x, const struct rt_warp *w, uint32_t row, uint64_t active, uint32_t cycles)
{
    struct rt_moment m = {.time = x->offset + w->cycles - cycles,
                          .block = block_of(w),
                          .active = active,
                          .warp = w->index,
                          .row = row,
                          .groups = x->steps.groups.list.count};
    rt_timeline_add(x->timeline, m);
}

/* Some of the lanes run code of the row, for which the warp has paid these cycles already. */
static void begin_step(struct rt_watch *x, const struct rt_warp *w, uint32_t row, uint64_t active,
                       uint32_t cycles)
{
    bool wanted = rt_steps_wanted(&x->steps, block_of(w), w->index);
    x->latest[w->index] = (struct latest){active, row};
    x->resumes = false;
    if (wanted || x->timeline)
        list_groups(x, w, active);
    if (x->timeline)
        trace(x, w, row, active, cycles);
    if (wanted)
        tell(x, w, row, active);
}

/* The warp goes on in the middle of its latest step, which is a moment of the trace alone. */
static void resume(struct rt_watch *x, const struct rt_warp *w, uint32_t row)
{
    x->resumes = false;
    if (!x->timeline)
        return;
    list_groups(x, w, w->active);
    trace(x, w, row, w->active, 0);
}

static uint64_t times_counted(const struct rt_warp *w, const struct bc_ins *block)
{
    return w->counts[block->imm].full + w->counts[block->imm].some;
}

/* If the lanes have entered the block that they came to, they are still those that are active. */
static void settle(struct rt_watch *x, const struct rt_warp *w)
{
    const struct bc_ins *block = x->pending;
    x->pending = NULL;
    if (!block || times_counted(w, block) == x->counted)
        return;
    if (x->paths)
        rt_block_warp_step(x->paths, w, block->imm);
    begin_step(x, w, block->imm, w->active, w->counts[block->imm].cycles);
}

/* The warp is about to execute the instruction at `pc`. */
static void look(struct rt_watch *x, const struct rt_warp *w, const struct bc_ins *pc)
{
    settle(x, w);
    if (pc->op == BC_block) {
        x->pending = pc;
        x->counted = times_counted(w, pc);
        return;
    }
    const struct bc_program *p = w->worker->launch->program;
    const struct latest *latest = &x->latest[w->index];
    if (w->active != latest->active || !row_has(p, latest->row, rt_index(w, pc)))
        begin_step(x, w, row_of(p, rt_index(w, pc)), w->active, 0);
    else if (x->resumes)
        resume(x, w, latest->row);
}

void rt_watch_empty(struct rt_warp *w, uint32_t row)
{
    struct rt_watch *x = w->worker->launch->watch;
    begin_step(x, w, row, 0, w->counts[row].cycles);
}

/* ---- running ----------------------------------------------------------------------------------------- */

/* In the place of every instruction: the core comes back to its caller with it. Cores that loop over what comes
 * back are to leave their loop when they have made a warp ready. */
static const struct bc_ins *come_back(RT_OP_PARAMS)
{
    return w->worker->launch->watch->enters ? NULL : pc;
}

static void run_steps(struct rt_warp *w, void (*enter)(struct rt_warp *w))
{
    struct rt_watch *x = w->worker->launch->watch;
    x->offset = x->time - w->cycles;
    x->enters = true;
    enter(w);
    x->enters = false;
    x->resumes = true;
    const struct bc_ins *pc = w->code + w->pc;
    while (pc) {
        look(x, w, pc);
        const struct table *table = (const struct table *)(const void *)w->table;
        const struct rt_op *next = x->blocks_alone && pc->op != BC_block ? table->straight : table->back;
        pc = table->real[pc->op].run(w, pc, next, w->V);
    }
    x->time = x->offset + w->cycles;
    if (x->timeline)
        trace(x, w, RT_NO_ROW, 0, 0);
}

static void run(struct rt_warp *w)
{
    run_steps(w, w->worker->launch->watch->core->run);
}

static void begin(struct rt_warp *w)
{
    run_steps(w, w->worker->launch->watch->core->begin);
}

/* The scheme's hook, once the step is known; nothing is pending from one time slice to the next. */
static uint32_t expire(struct rt_warp *w, uint32_t pc)
{
    struct rt_watch *x = w->worker->launch->watch;
    settle(x, w);
    return x->scheme->expire ? x->scheme->expire(w, pc) : pc;
}

/* ---- preparing --------------------------------------------------------------------------------------- */

void rt_watch_new(struct rt_launch *l)
{
    if (!l->given.step && !l->given.trace && !l->block_warp)
        return;
    struct rt_watch *x = l->watch = arena_new(&l->arena, struct rt_watch);
    struct rt_core *core = arena_new(&l->arena, struct rt_core);
    struct rt_scheme *scheme = arena_new(&l->arena, struct rt_scheme);
    *x = (struct rt_watch){.core = l->core, .scheme = l->scheme};
    rt_steps_new(&x->steps, &l->given, &l->arena);
    x->timeline = l->given.trace ? rt_timeline_new(l) : NULL;
    x->paths = l->block_warp;
    x->blocks_alone = !l->given.step && !l->given.trace;
    *core = *l->core;
    core->run = run;
    core->begin = begin;
    *scheme = *l->scheme;
    scheme->expire = expire;
    l->core = core;
    l->scheme = scheme;
}

static const struct rt_op *watched(struct rt_launch *l, const struct rt_op *real)
{
    struct table *t = arena_new(&l->arena, struct table);
    memcpy(t->real, real, sizeof t->real);
    memcpy(t->straight, real, sizeof t->straight);
    t->straight[BC_block].run = come_back;
    for (unsigned op = 0; op < BC_OPS; op++)
        t->back[op].run = come_back;
    return t->back;
}

void rt_watch_tables(struct rt_launch *l)
{
    l->watch->latest = arena_array(&l->arena, struct latest, l->sizes.warps);
    l->tables.full = watched(l, l->tables.full);
    l->tables.brief = watched(l, l->tables.brief);
    l->tables.partial = watched(l, l->tables.partial);
}

void rt_watch_end(struct rt_launch *l)
{
    if (l->watch && l->watch->timeline)
        rt_timeline_write(l->watch->timeline);
}
