/* trap.c: why a kernel stops, in words, with the place in the source, the block and the thread. */
#include "runtime/launch/grid.h"
#include "runtime/launch/watch.h"

#include <stdio.h>

static void thread_of(const struct rt_warp *w, unsigned lane, uint32_t thread[3])
{
    const struct rt_launch *l = w->worker->launch;
    uint32_t t = w->index * w->width + lane;
    thread[0] = t % l->given.block[0];
    thread[1] = t / l->given.block[0] % l->given.block[1];
    thread[2] = t / l->given.block[0] / l->given.block[1];
}

/* The first line of the block the instruction is in. */
static void place_of_block(const struct rt_warp *w, const struct bc_ins *at, struct rt_trap_record *t)
{
    const struct bc_program *p = w->worker->launch->program;
    while (at >= w->code && at->op != BC_block)
        at--;
    if (at >= w->code && p->blocks.at[at->imm].line_count > 0)
        t->line = p->lines.at[p->blocks.at[at->imm].first_line].line;
}

/* The site's place, or its block's. */
static void place_of(const struct rt_warp *w, const struct bc_ins *ins, struct rt_trap_record *t)
{
    const struct bc_program *p = w->worker->launch->program;
    uint32_t site = ins->op == BC_barrier ? ins->imm : ins->e;
    if (site < p->sites.count) {
        t->line = p->sites.at[site].line;
        t->column = p->sites.at[site].column;
    }
    if (t->line == 0)
        place_of_block(w, ins, t);
}

void rt_fuel_text(struct rt_trap_record *t, bool interrupted, uint64_t fuel, uint32_t warp, uint64_t active,
                  uint64_t live)
{
    unsigned here = (unsigned)__builtin_popcountll(active),
             others = (unsigned)__builtin_popcountll(live & ~active);
    char rest[40] = "";
    if (others)
        snprintf(rest, sizeof rest, ", %u wait%s elsewhere", others, others == 1 ? "s" : "");
    snprintf(t->text, sizeof t->text, "%s after %llu warp instructions: %u lane%s of warp %u run%s here%s",
             RT_FUEL_WORDS(interrupted), (unsigned long long)fuel, here, here == 1 ? "" : "s", warp,
             here == 1 ? "s" : "", rest);
}

/* Whether the block that the warp is in has an atomic operation, by which lanes may spin for others. */
static bool may_spin(const struct rt_warp *w, const struct bc_ins *at)
{
    while (at > w->code && at->op != BC_block)
        at--;
    for (at++; !bc_ends_block((enum bc_op)at->op); at++)
        if (at->op >= BC_at_gadd_I && at->op <= BC_at_hcas_F)
            return true;
    return false;
}

/* One whose machine runs lanes that others spin for, and as fast as others'. */
static const char *fair_scheme(void)
{
    unsigned s = 0;
    while (s < SCHEMES &&
           (!scheme_has((enum scheme)s, SCHEME_PROGRESS) || scheme_has((enum scheme)s, SCHEME_TOKENS)))
        s++;
    INVARIANT(s < SCHEMES);
    return scheme_info[s].name;
}

void rt_trap_fuel(struct rt_warp *w)
{
    struct rt_trap_record *t = &w->worker->out_of_fuel;
    const struct bc_ins *at = w->code + (w->stop == RT_BARRIER ? w->barrier : w->pc);
    uint64_t active = w->stop == RT_BARRIER ? w->live : w->active;
    if (t->set || w->stop == RT_DONE || !active)
        return;
    *t = (struct rt_trap_record){.set = true};
    memcpy(t->block, w->worker->block_index, sizeof t->block);
    thread_of(w, rt_lowest(active), t->thread);
    if (w->stop == RT_BARRIER)
        place_of(w, at, t);
    else
        place_of_block(w, at, t);
    struct rt_launch *l = w->worker->launch;
    bool interrupted = rt_interrupted(l->given.interrupt);
    rt_fuel_text(t, interrupted, interrupted ? atomic_load(&l->progress.total) : l->given.fuel, w->index,
                 active, w->live);
    size_t n = strlen(t->text);
    bool fair = scheme_has(scheme_find(l->program->scheme), SCHEME_PROGRESS);
    if (active != w->live && w->stop != RT_BARRIER && !fair && may_spin(w, at))
        snprintf(t->text + n, sizeof t->text - n, " (if these hold a lock, --scheme=%s lets them go on)",
                 fair_scheme());
}

/* ---- launches that never end -------------------------------------------------------------------------- */

struct line { /* as far as there is room */
    char *at;
    size_t size, length;
};
static void add(struct line *l, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(l->at + l->length, l->size - l->length, fmt, args);
    va_end(args);
    l->length = n < 0 ? l->length : l->length + (size_t)n < l->size ? l->length + (size_t)n : l->size - 1;
}

/* "lane 3", "lanes 0-6, 8", "17 lanes". Whether it is one. */
static bool add_lanes(struct line *l, uint64_t lanes)
{
    enum { MOST_RANGES = 3 };
    int ranges = __builtin_popcountll(lanes & ~(lanes << 1)), count = __builtin_popcountll(lanes);
    if (ranges > MOST_RANGES) {
        add(l, "%d lanes", count);
        return false;
    }
    add(l, count == 1 ? "lane" : "lanes");
    for (const char *between = " "; lanes; between = ", ") {
        unsigned first = rt_lowest(lanes);
        uint64_t others = ~lanes & UINT64_MAX << first;
        unsigned end = others ? rt_lowest(others) : 64;
        add(l, end - first > 1 ? "%s%u-%u" : "%s%u", between, first, end - 1);
        lanes = end < 64 ? lanes & UINT64_MAX << end : 0;
    }
    return count == 1;
}

static void add_help(struct line *l, uint64_t waiting)
{
    add(l, "help: the others must come to where they reconverge, or end, before ");
    add(l, add_lanes(l, waiting) ? " runs" : " run");
    add(l, "; lanes that wait have their turn under ");
    for (unsigned s = 0, more = 0; s < SCHEMES; s++)
        if (scheme_has((enum scheme)s, SCHEME_PROGRESS))
            add(l, more++ ? ", %s" : "%s", scheme_info[s].name);
    add(l, " (--scheme=%s)\n", fair_scheme());
}

void rt_endless_text(struct rt_trap_record *t, enum scheme s, uint32_t warp, uint64_t active, uint64_t live,
                     const kernc_group *groups, uint32_t count)
{
    enum { MOST_GROUPS = 3 };
    struct line text = {t->text, sizeof t->text, 0}, help = {t->help, sizeof t->help, 0};
    uint64_t left = live & ~active;
    add(&text, "deadlock: ");
    add(&text, add_lanes(&text, active) ? " of warp %u repeats" : " of warp %u repeat", warp);
    add(&text, " the same steps for ever here");
    for (uint32_t i = count, told = 0; i-- > 0 && told < MOST_GROUPS;) {
        uint64_t lanes = groups[i].lanes & left;
        if (!lanes || !groups[i].line)
            continue;
        add(&text, ", ");
        add(&text, add_lanes(&text, lanes) ? " waits at line %u" : " wait at line %u", groups[i].line);
        left &= ~lanes;
        told++;
    }
    int elsewhere = __builtin_popcountll(left);
    if (elsewhere)
        add(&text,
            left != (live & ~active) ? ", %d more elsewhere"
            : elsewhere == 1         ? ", %d waits elsewhere"
                                     : ", %d wait elsewhere",
            elsewhere);
    if (live != active && !scheme_has(s, SCHEME_PROGRESS))
        add_help(&help, live & ~active);
}

/* That of the block at a code index, in its file; 0: not known. */
static uint32_t line_at(const struct rt_warp *w, uint32_t at)
{
    struct rt_trap_record t = {0};
    size_t n;
    if (at != RT_NOWHERE)
        place_of_block(w, w->code + at, &t);
    source_names_find(w->worker->launch->program->file, &t.line, &n);
    return t.line;
}

void rt_trap_endless(struct rt_warp *w)
{
    struct rt_launch *l = w->worker->launch;
    struct rt_trap_record *t = &w->worker->trap;
    struct rt_groups g = {.arena = &w->worker->arena};
    *t = (struct rt_trap_record){.set = true, .endless = true};
    memcpy(t->block, w->worker->block_index, sizeof t->block);
    thread_of(w, rt_lowest(w->active), t->thread);
    place_of_block(w, w->code + w->pc, t);
    w->scheme->groups(w, w->active, &g);
    for (uint32_t i = 0; i < g.list.count; i++)
        g.list.at[i].line = line_at(w, g.list.at[i].code);
    rt_endless_text(t, scheme_find(l->program->scheme), w->index, w->active, w->live, g.list.at,
                    g.list.count);
    w->stop = RT_TRAPPED;
}

/* ---- traps ------------------------------------------------------------------------------------------- */

static struct rt_trap_record *record(struct rt_warp *w, const struct bc_ins *ins, unsigned lane)
{
    struct rt_trap_record *t = &w->worker->trap;
    *t = (struct rt_trap_record){.set = true};
    memcpy(t->block, w->worker->block_index, sizeof t->block);
    thread_of(w, lane, t->thread);
    place_of(w, ins, t);
    w->stop = RT_TRAPPED;
    return t;
}

void rt_trap(struct rt_warp *w, const struct bc_ins *ins, unsigned lane, const char *fmt, ...)
{
    struct rt_trap_record *t = record(w, ins, lane);
    va_list args;
    va_start(args, fmt);
    vsnprintf(t->text, sizeof t->text, fmt, args);
    va_end(args);
}

void rt_trap_text(struct rt_warp *w, const struct bc_ins *ins, unsigned lane)
{
    const struct bc_text *text = &w->worker->launch->program->texts.at[ins->imm];
    rt_trap(w, ins, lane, "%.*s", (int)(text->length < 400 ? text->length : 400), text->bytes);
}

/* Where an access that is not within a region lies, as the end of a sentence: the index where it is one
 * element, and the distance. */
static void describe_outside(const struct rt_region *r, uint32_t address, uint32_t bytes, char *text,
                             size_t size)
{
    const char *what = r->constant ? "constant data" : "buffer", *name = r->name ? r->name : "";
    uint32_t offset = address - r->address, before = -offset, past = offset - r->bytes;
    char index[32] = "";
    if (r->element_bytes && bytes <= r->element_bytes && before < past)
        snprintf(index, sizeof index, "index -%u, ", (before - 1) / r->element_bytes + 1);
    else if (r->element_bytes && bytes <= r->element_bytes)
        snprintf(index, sizeof index, "index %u, ", offset / r->element_bytes);
    if (offset < r->bytes)
        snprintf(text, size, "is out of bounds: it runs over the end of %s %s (0x%08x, %u bytes)", what, name,
                 r->address, r->bytes);
    else
        snprintf(text, size, "is out of bounds: %s%u bytes %s %s %s (0x%08x, %u bytes)", index,
                 before < past ? before : past, before < past ? "before" : "past the end of", what, name,
                 r->address, r->bytes);
}

/* What lies at a global address, as the end of a sentence; the buffer that it names, or NULL. */
static const struct rt_region *describe_global(const struct rt_memory *m, bool store, uint32_t address,
                                               uint32_t bytes, char *text, size_t size)
{
    const struct rt_region *r = rt_memory_nearest(m, address);
    bool within = r && address - r->address < r->bytes && bytes <= r->bytes - (address - r->address);
    if (!r && (m->regions || address >> RT_SEGMENT_SHIFT == 0))
        snprintf(text, size, "is a null pointer access");
    else if (!r)
        snprintf(text, size, "is out of bounds: there is no buffer");
    else if (store && r->constant && within)
        snprintf(text, size, "is a store to constant data");
    else {
        describe_outside(r, address, bytes, text, size);
        return r->constant ? NULL : r;
    }
    return NULL;
}

const struct rt_region *rt_describe_access(const struct rt_memory *m, struct rt_bad_access a, char *text,
                                           size_t size)
{
    char why[300];
    const struct rt_region *named = NULL;
    if (!a.aligned)
        snprintf(why, sizeof why, "is misaligned");
    else if (a.space == 'g')
        named = describe_global(m, a.store, a.address, a.bytes, why, sizeof why);
    else if (a.address == 0)
        snprintf(why, sizeof why, "is a null pointer access");
    else if (a.address < BC_FIRST_ADDRESS)
        snprintf(why, sizeof why, "is a null pointer access, or lies before all variables");
    else
        snprintf(why, sizeof why, "is out of bounds: the %s has %u bytes",
                 a.space == 'h' ? "block's shared memory" : "thread's private memory", a.limit);
    snprintf(text, size, "%s of %u byte%s at %s address 0x%08x %s", a.store ? "store" : "load", a.bytes,
             a.bytes == 1 ? "" : "s",
             a.space == 'g'   ? "global"
             : a.space == 'h' ? "shared"
                              : "private",
             a.address, why);
    return named;
}

void rt_trap_access(struct rt_warp *w, const struct bc_ins *ins, unsigned lane, char space, bool store,
                    uint32_t address, uint32_t bytes)
{
    char text[400];
    struct rt_access access = rt_access[ins->op];
    struct rt_bad_access a = {.space = space, .store = store, .address = address, .bytes = bytes};
    a.aligned = !access.valid || (address & (bytes - 1)) == 0;
    a.limit = space == 'h' ? w->spaces.shared_bytes : w->spaces.private_bytes;
    const struct rt_region *named =
        rt_describe_access(&w->worker->launch->context->memory, a, text, sizeof text);
    rt_trap(w, ins, lane, "%s", text);
    w->worker->trap.buffer = named;
    w->worker->trap.has_address = true;
    w->worker->trap.address = address;
}
