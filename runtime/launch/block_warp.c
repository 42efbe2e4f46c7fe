/* block_warp.c: see block_warp.h.
 *
 * A path is a list of rows of the block table. A block of the grid takes time in proportion to the rows that
 * its threads ran, and to the lanes that a set has room for at each step of the warp.
 */
#include "runtime/launch/block_warp.h"
#include "runtime/core/barrier_text.h"
#include "runtime/module.h"

#include <stdio.h>

/* ---- sets of lanes ------------------------------------------------------------------------------------- */

enum { WORDS = KERNC_MAX_BLOCK_WARP / 64 };
struct lanes {
    uint64_t word[WORDS];
};

static struct lanes either(struct lanes a, struct lanes b)
{
    for (int i = 0; i < WORDS; i++)
        a.word[i] |= b.word[i];
    return a;
}
static struct lanes both(struct lanes a, struct lanes b)
{
    for (int i = 0; i < WORDS; i++)
        a.word[i] &= b.word[i];
    return a;
}
static struct lanes without(struct lanes a, struct lanes b)
{
    for (int i = 0; i < WORDS; i++)
        a.word[i] &= ~b.word[i];
    return a;
}
static bool none(const struct lanes *a)
{
    uint64_t all = 0;
    for (int i = 0; i < WORDS; i++)
        all |= a->word[i];
    return !all;
}
static bool equal(const struct lanes *a, const struct lanes *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}
static unsigned size(const struct lanes *a)
{
    unsigned n = 0;
    for (int i = 0; i < WORDS; i++)
        n += (unsigned)__builtin_popcountll(a->word[i]);
    return n;
}
static void add(struct lanes *a, unsigned lane)
{
    a->word[lane / 64] |= (uint64_t)1 << lane % 64;
}
/* The first member from `lane` on, or KERNC_MAX_BLOCK_WARP. */
static unsigned next_lane(const struct lanes *a, unsigned lane)
{
    for (unsigned i = lane / 64; i < WORDS; i++) {
        uint64_t left = a->word[i] & (i == lane / 64 ? UINT64_MAX << lane % 64 : UINT64_MAX);
        if (left)
            return i * 64 + rt_lowest(left);
    }
    return KERNC_MAX_BLOCK_WARP;
}
#define each_lane(i, a)                                                                                      \
    for (unsigned i = next_lane((a), 0); i < KERNC_MAX_BLOCK_WARP; i = next_lane((a), i + 1))

/* ---- what a warp is -------------------------------------------------------------------------------------- */

struct path {
    u32_vec rows;
    uint32_t at; /* the next one that the lane runs */
};

/* What a row of the block table ends with. */
struct end {
    uint32_t last;     /* code index of its last instruction, which may go elsewhere */
    uint32_t barrier;  /* that of its barrier(); 0: it has none */
    uint32_t function; /* that it is in */
};

/* Lanes that wait, and the block where they go on; of pdom also where they reconverge then. */
struct entry {
    struct lanes lanes;
    uint32_t pc, reconverge;
};
enum { MAX_ENTRIES = 2 * KERNC_MAX_BLOCK_WARP };
struct stack {
    uint32_t depth, reconverge;
    struct entry at[MAX_ENTRIES];
};

/* As rt_split: targets are distinct, masks are disjoint. */
struct split {
    uint32_t n, from, reconverge;
    uint32_t target[KERNC_MAX_BLOCK_WARP];
    struct lanes mask[KERNC_MAX_BLOCK_WARP];
};

struct rt_block_warp {
    struct rt_launch *launch;
    const struct bc_program *p;
    const struct rules *rules;
    uint32_t threads; /* of a block */
    struct path *paths;
    const struct end *ends; /* by row */
    bool over;              /* the paths took more memory than they may */
    struct rt_block_warp_total total;

    struct lanes active, live;
    struct split split;
    uint32_t *back; /* by function and lane: where the call returns to */
    /* A group that came to a barrier() before all others had ended, as in pdom.c; none: there is none. */
    struct lanes held;
    uint32_t held_at;
    struct stack stack, held_stack; /* held_stack: pdom's, of the group that is held */
    /* tf-sandy: where each lane goes on, and where the frontier of the running block begins. */
    uint32_t pc[KERNC_MAX_BLOCK_WARP], frontier, held_frontier;
};

/* A divergence scheme. Functions give the code index of the block where the active lanes go on, or of the
 * barrier() at which they were held. They set `active`. */
struct rules {
    const struct rt_scheme *machine;
    void (*start)(struct rt_block_warp *x);
    /* The active lanes are about to run the block at `pc`. Giving `pc` runs it without asking again. */
    uint32_t (*enter)(struct rt_block_warp *x, uint32_t pc);
    /* x->split tells where the active lanes go. */
    uint32_t (*diverge)(struct rt_block_warp *x);
    /* The active lanes have ended, or are held now; others are live. */
    uint32_t (*leave)(struct rt_block_warp *x);
    /* The active lanes are about to be held; what they will need is to be kept. */
    void (*hold)(struct rt_block_warp *x);
    void (*release)(struct rt_block_warp *x); /* and to be taken again */
};

static void count(struct rt_block_warp *x, uint32_t row)
{
    uint64_t instructions = x->p->blocks.at[row].instructions;
    x->total.instructions += instructions;
    x->total.slots += instructions * x->threads;
}

/* Lanes that take part in what the scheme decides. */
static struct lanes going(const struct rt_block_warp *x)
{
    return without(x->live, x->held);
}

/* Nobody else is left. */
static uint32_t run_held(struct rt_block_warp *x)
{
    INVARIANT(!none(&x->held));
    x->active = x->held;
    x->held = (struct lanes){{0}};
    x->rules->release(x);
    return x->held_at;
}

static void keep_nothing(struct rt_block_warp *x)
{
}

static void push(struct stack *s, struct lanes lanes, uint32_t pc, uint32_t reconverge)
{
    INVARIANT(s->depth < MAX_ENTRIES);
    s->at[s->depth++] = (struct entry){lanes, pc, reconverge};
}

/* ---- pdom: lanes reconverge at the branch's immediate post-dominator ----------------------------------- */

static void pdom_start(struct rt_block_warp *x)
{
    x->stack.depth = 0;
    x->stack.reconverge = BC_NO_TARGET;
}

/* Of a branch without a reconvergence point: the block where the calls of all active lanes return to. */
static uint32_t return_point(const struct rt_block_warp *x, uint32_t from)
{
    uint32_t row = from;
    while (x->p->code.at[row].op != BC_block)
        row--;
    uint32_t function = x->ends[x->p->code.at[row].imm].function;
    if (x->p->functions.at[function].kernel || bc_returns((enum bc_op)x->p->code.at[from].op))
        return BC_NO_TARGET;
    const uint32_t *back = x->back + (size_t)function * x->threads;
    uint32_t first = back[next_lane(&x->active, 0)];
    each_lane(i, &x->active)
        if (back[i] != first)
            return BC_NO_TARGET;
    return first;
}

/* The entry of all, then one for each side but the first, which is run. Lanes whose side begins where all
 * reconverge wait in the entry of all. */
static uint32_t pdom_diverge(struct rt_block_warp *x)
{
    const struct split *split = &x->split;
    struct stack *s = &x->stack;
    uint32_t reconverge = split->reconverge;
    if (reconverge == BC_NO_TARGET)
        reconverge = return_point(x, split->from);
    if (reconverge == BC_NO_TARGET)
        reconverge = s->reconverge;
    if (reconverge != s->reconverge)
        push(s, x->active, reconverge, s->reconverge);
    s->reconverge = reconverge;
    uint32_t first = split->target[0] == reconverge;
    for (uint32_t i = split->n - 1; i > first; i--)
        if (split->target[i] != reconverge)
            push(s, split->mask[i], split->target[i], reconverge);
    x->active = split->mask[first];
    return split->target[first];
}

/* The next group that still has live lanes. */
static uint32_t pdom_pop(struct rt_block_warp *x)
{
    struct stack *s = &x->stack;
    while (s->depth) {
        const struct entry *e = &s->at[--s->depth];
        x->active = both(e->lanes, going(x));
        if (none(&x->active))
            continue;
        s->reconverge = e->reconverge;
        return e->pc;
    }
    return run_held(x);
}

static uint32_t pdom_enter(struct rt_block_warp *x, uint32_t pc)
{
    return pc == x->stack.reconverge ? pdom_pop(x) : pc;
}

static void copy_stack(struct stack *to, const struct stack *from)
{
    to->depth = from->depth;
    to->reconverge = from->reconverge;
    memcpy(to->at, from->at, from->depth * sizeof *from->at);
}

static void pdom_hold(struct rt_block_warp *x)
{
    copy_stack(&x->held_stack, &x->stack);
}

static void pdom_release(struct rt_block_warp *x)
{
    copy_stack(&x->stack, &x->held_stack);
}

/* ---- tf-stack: of all places where lanes are the lowest is run; one entry for each, sorted -------------- */

/* Lanes that get to the place of an entry merge with it. */
static void tf_insert(struct stack *s, struct lanes lanes, uint32_t pc)
{
    uint32_t i = s->depth;
    while (i && s->at[i - 1].pc < pc)
        i--;
    if (i && s->at[i - 1].pc == pc) {
        s->at[i - 1].lanes = either(s->at[i - 1].lanes, lanes);
        return;
    }
    INVARIANT(s->depth < MAX_ENTRIES);
    memmove(&s->at[i + 1], &s->at[i], (s->depth - i) * sizeof *s->at);
    s->at[i] = (struct entry){lanes, pc, BC_NO_TARGET};
    s->depth++;
}

static uint32_t tf_run_top(struct rt_block_warp *x)
{
    if (!x->stack.depth)
        return run_held(x);
    const struct entry *e = &x->stack.at[--x->stack.depth];
    x->active = e->lanes;
    return e->pc;
}

static uint32_t tf_diverge(struct rt_block_warp *x)
{
    for (uint32_t i = 0; i < x->split.n; i++)
        tf_insert(&x->stack, x->split.mask[i], x->split.target[i]);
    return tf_run_top(x);
}

/* The re-convergence check: the running group takes in those who wait here, or gives way. */
static uint32_t tf_enter(struct rt_block_warp *x, uint32_t pc)
{
    if (!(x->p->code.at[pc].d & BC_RECONVERGE) || equal(&x->active, &x->live))
        return pc;
    tf_insert(&x->stack, x->active, pc);
    return tf_run_top(x);
}

/* ---- tf-sandy: a program counter for each lane; the warp's goes where lanes may wait ------------------- */

static void sandy_start(struct rt_block_warp *x)
{
    x->frontier = BC_NO_TARGET;
}

static uint32_t frontier_of(const struct rt_block_warp *x, uint32_t pc)
{
    uint32_t first = x->p->blocks.at[x->p->code.at[pc].imm].frontier;
    return first ? first : BC_NO_TARGET;
}

/* To the lowest place where lanes are, by all blocks before it where some may be: conservative branches. */
static uint32_t sandy_go(struct rt_block_warp *x)
{
    uint32_t lowest = BC_NO_TARGET;
    struct lanes all = going(x);
    if (none(&all))
        return run_held(x);
    each_lane(i, &all)
        lowest = x->pc[i] < lowest ? x->pc[i] : lowest;
    x->active = (struct lanes){{0}};
    each_lane(i, &all)
        if (x->pc[i] == lowest)
            add(&x->active, i);
    for (; x->frontier < lowest; x->frontier = frontier_of(x, x->frontier))
        count(x, x->p->code.at[x->frontier].imm);
    x->frontier = BC_NO_TARGET;
    return lowest;
}

static uint32_t sandy_diverge(struct rt_block_warp *x)
{
    for (uint32_t k = 0; k < x->split.n; k++)
        each_lane(i, &x->split.mask[k])
            x->pc[i] = x->split.target[k];
    return sandy_go(x);
}

static uint32_t sandy_enter(struct rt_block_warp *x, uint32_t pc)
{
    uint32_t next = pc;
    if (!(x->p->code.at[pc].d & BC_RECONVERGE))
        return pc;
    if (!equal(&x->active, &x->live) || x->frontier < pc) {
        each_lane(i, &x->active)
            x->pc[i] = pc;
        next = sandy_go(x);
    }
    if (next == pc)
        x->frontier = frontier_of(x, pc);
    return next;
}

static void sandy_hold(struct rt_block_warp *x)
{
    x->held_frontier = x->frontier;
}

static void sandy_release(struct rt_block_warp *x)
{
    x->frontier = x->held_frontier;
}

static const struct rules all_rules[] = {
    {&rt_scheme_pdom, pdom_start, pdom_enter, pdom_diverge, pdom_pop, pdom_hold, pdom_release},
    {&rt_scheme_tf_stack, pdom_start, tf_enter, tf_diverge, tf_run_top, keep_nothing, keep_nothing},
    {&rt_scheme_tf_sandy, sandy_start, sandy_enter, sandy_diverge, sandy_go, sandy_hold, sandy_release},
};

/* NULL: the scheme is not modelled. */
static const struct rules *rules_of(enum scheme s)
{
    for (size_t i = 0; rt_scheme_of(s) && i < COUNT(all_rules); i++)
        if (all_rules[i].machine == rt_scheme_of(s))
            return &all_rules[i];
    return NULL;
}

/* ---- a warp runs ----------------------------------------------------------------------------------------- */

/* The lane goes to the block at `pc` from the end of another. */
static void add_target(struct split *split, uint32_t pc, unsigned lane)
{
    uint32_t i = 0;
    while (i < split->n && split->target[i] != pc)
        i++;
    if (i == split->n) {
        split->target[i] = pc;
        split->mask[i] = (struct lanes){{0}};
        split->n++;
    }
    add(&split->mask[i], lane);
}

/* In the order of the interpreter: of a branch those who take it first; else by their first lane. */
static void find_targets(struct rt_block_warp *x, const struct bc_branch *branch)
{
    struct split *split = &x->split;
    split->n = 0;
    each_lane(i, &x->active) {
        struct path *path = &x->paths[i];
        INVARIANT(path->at < path->rows.count);
        add_target(split, x->p->blocks.at[path->rows.at[path->at]].code, i);
    }
    if (branch && split->n == 2 && split->target[0] != branch->yes) {
        struct lanes takers = split->mask[1];
        split->mask[1] = split->mask[0];
        split->mask[0] = takers;
        split->target[1] = split->target[0];
        split->target[0] = branch->yes;
    }
}

static void note_return(struct rt_block_warp *x, uint32_t to)
{
    each_lane(i, &x->active) {
        uint32_t callee = x->ends[x->paths[i].rows.at[x->paths[i].at]].function;
        x->back[(size_t)callee * x->threads + i] = to;
    }
}

/* From the end of a row, whose last instruction is at `last`. BC_NO_TARGET: all lanes have ended. */
static uint32_t leave_row(struct rt_block_warp *x, uint32_t last)
{
    const struct bc_ins *ins = &x->p->code.at[last];
    const struct bc_branch *branch =
        bc_has_branch_word((enum bc_op)ins->op) ? (const struct bc_branch *)(ins + 1) : NULL;
    struct split *split = &x->split;
    if (ins->op == BC_exit) {
        x->live = without(x->live, x->active);
        return none(&x->live) ? BC_NO_TARGET : x->rules->leave(x);
    }
    find_targets(x, branch);
    split->from = last;
    split->reconverge = BC_NO_TARGET;
    bool asks = split->n > 1;
    switch (ins->op) {
    case BC_switch_v:
    case BC_switch_w:
    case BC_switch_s: split->reconverge = x->p->switches.at[ins->imm].reconverge; break;
    case BC_icall: split->reconverge = last + 1; /* fall through */
    case BC_call: note_return(x, last + 1); break;
    case BC_ret_m:
    case BC_ret_true:
    case BC_ret_false: asks = true; break;
    default: split->reconverge = branch ? branch->reconverge : BC_NO_TARGET;
    }
    return asks ? x->rules->diverge(x) : split->target[0];
}

/* Lanes have come to a barrier() while others wait at one. */
static uint32_t stop_at_barrier(const struct rt_block_warp *x, struct rt_worker *k)
{
    const struct bc_ins *ins = &x->p->code.at[x->held_at];
    const uint32_t *block = x->launch->given.block;
    struct lanes others = without(x->live, x->held);
    uint32_t thread = next_lane(&x->held, 0);
    struct rt_trap_record *t = &k->trap;
    *t = (struct rt_trap_record){
        .set = true,
        .thread = {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]}};
    memcpy(t->block, k->block_index, sizeof t->block);
    if (ins->imm < x->p->sites.count) {
        t->line = x->p->sites.at[ins->imm].line;
        t->column = x->p->sites.at[ins->imm].column;
    }
    int n = snprintf(t->text, sizeof t->text, "no warp can hold the block (--warp=block): ");
    snprintf(t->text + n, sizeof t->text - (size_t)n, RT_BARRIER_TEXT, (int)size(&x->held),
             (int)size(&x->live), next_lane(&others, 0));
    return RT_NOWHERE;
}

/* The active lanes run the block at `pc`, if the scheme does not send others, or leave the row of the barrier()
 * there, at which they were held. RT_NOWHERE: the warp has ended, or stopped. */
static uint32_t step(struct rt_block_warp *x, struct rt_worker *k, uint32_t pc)
{
    const struct bc_program *p = x->p;
    if (p->code.at[pc].op == BC_block) {
        uint32_t next = x->rules->enter(x, pc), row = p->code.at[pc].imm;
        if (next != pc)
            return next;
        count(x, row);
        each_lane(i, &x->active)
            x->paths[i].at++;
        if (!x->ends[row].barrier || equal(&x->active, &x->live))
            return leave_row(x, x->ends[row].last);
        if (!none(&x->held))
            return stop_at_barrier(x, k);
        x->held = x->active;
        x->held_at = x->ends[row].barrier;
        x->rules->hold(x);
        return x->rules->leave(x);
    }
    while (p->code.at[pc].op != BC_block)
        pc--;
    return leave_row(x, x->ends[p->code.at[pc].imm].last);
}

_Static_assert(RT_NOWHERE == BC_NO_TARGET, "a warp that has ended goes nowhere");

static bool run_warp(struct rt_block_warp *x, struct rt_worker *k)
{
    const struct rt_launch *l = x->launch;
    uint32_t pc = l->start.entry;
    x->live = x->held = (struct lanes){{0}};
    for (uint32_t i = 0; i < x->threads; i++)
        add(&x->live, i);
    x->active = x->live;
    x->rules->start(x);
    while (pc != RT_NOWHERE && !rt_interrupted(l->given.interrupt))
        pc = step(x, k, pc);
    if (pc != RT_NOWHERE)
        atomic_store(&x->launch->progress.out_of_fuel, true);
    return pc == RT_NOWHERE && !k->trap.set;
}

/* ---- paths ----------------------------------------------------------------------------------------------- */

enum { LEAST_ROWS = 64 };

/* Makes room for one more. */
static bool grow(struct rt_block_warp *x, u32_vec *rows)
{
    uint32_t more = rows->capacity ? 2 * rows->capacity : LEAST_ROWS;
    if (rows->capacity > UINT32_MAX / 2 || !rt_memory_take(x->launch, (uint64_t)more * sizeof *rows->at))
        return false;
    vec_reserve(&x->launch->arena, rows, more);
    return true;
}

void rt_block_warp_step(struct rt_block_warp *x, const struct rt_warp *w, uint32_t row)
{
    struct path *paths = x->paths + w->index * w->width;
    rt_each_lane(i, w->active) {
        u32_vec *rows = &paths[i].rows;
        x->over |= rows->count == rows->capacity && !grow(x, rows);
        if (!x->over)
            rows->at[rows->count++] = row;
    }
}

bool rt_block_warp_end(struct rt_block_warp *x, struct rt_worker *k)
{
    if (x->over)
        k->over_memory = true;
    bool good = !x->over && run_warp(x, k);
    for (uint32_t i = 0; i < x->threads; i++) {
        x->paths[i].at = 0;
        vec_clear(&x->paths[i].rows);
    }
    return good;
}

struct rt_block_warp_total rt_block_warp_total(const struct rt_block_warp *x)
{
    return x->total;
}

/* ---- preparing ------------------------------------------------------------------------------------------- */

static const struct end *find_ends(struct arena *a, const struct bc_program *p)
{
    struct end *ends = arena_array(a, struct end, p->blocks.count);
    for (uint32_t f = 0; f < p->functions.count; f++) {
        uint32_t row = 0;
        for (uint32_t pc = p->functions.at[f].code; pc < p->functions.at[f].end; pc++) {
            const struct bc_ins *ins = &p->code.at[pc];
            if (ins->op == BC_block)
                row = ins->imm;
            struct end *e = &ends[row];
            e->last = pc;
            e->function = f;
            e->barrier = ins->op == BC_barrier && !e->barrier ? pc : e->barrier;
            pc += bc_has_branch_word((enum bc_op)ins->op);
        }
    }
    return ends;
}

bool rt_block_warp_models(enum scheme s)
{
    return rules_of(s) != NULL;
}

kernc_status rt_block_warp_check(const kernc_kernel *k, const kernc_launch *given, uint32_t threads)
{
    kernc_context *c = k->module->context;
    const char *scheme = kernc_module_scheme(k->module);
    char names[200] = "";
    if (!(given->flags & KERNC_BLOCK_WARP))
        return KERNC_OK;
    for (unsigned s = 0, n = 0; s < SCHEMES; s++)
        if (rules_of((enum scheme)s) && n < sizeof names)
            n += (unsigned)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", scheme_info[s].name);
    if (!rules_of(scheme_find(scheme)))
        return rt_fail(
            c, KERNC_INVALID,
            "there is no model of warps that hold a block (--warp=block) for scheme %s; there is one for "
            "%s",
            scheme, names);
    if (threads > KERNC_MAX_BLOCK_WARP)
        return rt_fail(
            c, KERNC_LIMIT,
            "a block of %u threads is over the limit of %d for a warp that holds it (--warp=block)", threads,
            KERNC_MAX_BLOCK_WARP);
    return KERNC_OK;
}

struct rt_block_warp *rt_block_warp_new(struct rt_launch *l)
{
    const struct bc_program *p = l->program;
    if (!(l->given.flags & KERNC_BLOCK_WARP))
        return NULL;
    struct rt_block_warp *x = arena_new(&l->arena, struct rt_block_warp);
    uint64_t back = (uint64_t)p->functions.count * l->sizes.threads;
    x->launch = l;
    x->p = p;
    x->rules = rules_of(scheme_find(p->scheme));
    x->threads = l->sizes.threads;
    x->paths = arena_array(&l->arena, struct path, x->threads);
    x->ends = find_ends(&l->arena, p);
    x->over = !rt_memory_take(l, back * sizeof *x->back);
    x->back = x->over ? NULL : arena_array(&l->arena, uint32_t, back);
    return x;
}
