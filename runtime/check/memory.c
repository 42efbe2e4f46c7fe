/* memory.c: the shadow of memory, and what is said of accesses; see check.h.
 *
 * Each four bytes of shared memory, and of global memory that was accessed, have a cell: the latest store
 * and two reads that nothing orders. Of more such reads the first two stay, and of stores to other bytes of
 * a cell the last: what races with another alone is not found. Global memory's cells come in pages as they
 * are needed.
 */
#include "runtime/check/check.h"

#include "base/diag.h"

#include <stdio.h>

enum {
    CELL_BYTES = 4,
    PAGE_SHIFT = 12,
    PAGES = 1 << (32 - PAGE_SHIFT),
    PAGE_CELLS = (1 << PAGE_SHIFT) / CELL_BYTES,
    SITE_MASK = (1 << 24) - 1,
    BYTES_SHIFT = 24,
    ATOMIC = 1 << 28,
    SILENT = 1 << 29, /* a store of what was there */
    RACE = 1,
    BOUNDS = 2,
    UNINIT = 4
};

/* What the text of a check.memory says. */
struct told {
    bool read;
    unsigned checks;
    char kind, space;
    uint32_t bytes, size;
    const char *name;
};

/* If somebody writes there before the next barrier it is a race, and no more. */
struct doubt {
    uint32_t site, address;
    const char *text;
    const struct told *told;
};

struct rt_check {
    struct arena arena;
    struct rt_launch *launch;
    struct rt_order *order;
    struct told *told;      /* by text */
    struct rt_cell **pages; /* of global memory */
    struct rt_cell *shared;
    VEC(struct doubt) doubts; /* reads of what nobody had written yet */
};

bool rt_check_wanted(const struct rt_launch *l)
{
    const struct bc_program *p = l->program;
    for (uint32_t i = 0; i < p->code.count; i++) {
        if (p->code.at[i].op == BC_check_memory)
            return true;
        i += bc_has_branch_word((enum bc_op)p->code.at[i].op);
    }
    return false;
}

struct rt_check *rt_check_new(struct rt_launch *l)
{
    if (!rt_check_wanted(l))
        return NULL;
    struct rt_check *c = arena_new(&l->arena, struct rt_check);
    c->launch = l;
    c->order = rt_order_new(&c->arena, l->warps, l->width);
    c->told = arena_array(&c->arena, struct told, l->program->texts.count);
    c->pages = arena_array(&c->arena, struct rt_cell *, PAGES);
    c->shared = arena_array(&c->arena, struct rt_cell, l->shared_bytes / CELL_BYTES + 2);
    return c;
}

void rt_check_free(struct rt_check *c)
{
    if (c)
        arena_free(&c->arena);
}

static const struct told *told_by(struct rt_check *c, uint32_t text)
{
    struct told *t = &c->told[text];
    const struct bc_text *from = &c->launch->program->texts.at[text];
    if (t->read)
        return t;
    char *copy = arena_strdup(&c->arena, from->bytes, from->length);
    int n = 0;
    if (sscanf(copy, "%u %c %c %u %u %n", &t->checks, &t->kind, &t->space, &t->bytes, &t->size, &n) < 5)
        t->checks = 0;
    if (t->size == UINT32_MAX)
        t->size = c->launch->unsized_bytes;
    t->name = copy + n;
    t->read = true;
    return t;
}

/* ---- alarms ------------------------------------------------------------------------------------------ */

static const struct bc_site *site_at(const struct rt_check *c, uint32_t site)
{
    return &c->launch->program->sites.at[site & SITE_MASK];
}

/* Whether this kind of alarm is new for the places. */
static bool is_new(struct rt_check *c, unsigned kind, uint32_t site, uint32_t other)
{
    const struct bc_site *s = site_at(c, site), *o = site_at(c, other);
    uint64_t a = (uint64_t)s->line << 32 | s->column, b = (uint64_t)o->line << 32 | o->column;
    uint64_t key = hash_mix(hash_mix(a < b ? a : b, a < b ? b : a), kind);
    kernc_context *k = c->launch->context;
    if (map_get(&k->alarm_places, key) != MAP_NONE || k->alarms.count == RT_MOST_ALARMS)
        return false;
    map_set(&k->alarm_texts, &k->alarm_places, key, 1);
    return true;
}

static const char *thread_name(const struct rt_check *c, uint32_t thread, bool block, char text[80])
{
    const struct rt_launch *l = c->launch;
    uint32_t in_block = thread % (l->warps * l->width), b = thread / (l->warps * l->width);
    int n = snprintf(text, 80, "thread (%u,%u,%u)", in_block % l->block[0],
                     in_block / l->block[0] % l->block[1], in_block / l->block[0] / l->block[1]);
    if (block)
        snprintf(text + n, 80 - (size_t)n, " of block (%u,%u,%u)", b % l->grid[0],
                 b / l->grid[0] % l->grid[1], b / l->grid[0] / l->grid[1]);
    return text;
}

static const char *place_name(struct rt_check *c, const struct told *t, uint32_t address, uint32_t root)
{
    struct arena *a = &c->launch->context->alarm_texts;
    const struct rt_region *r =
        t->space == 'g' ? rt_memory_nearest(&c->launch->context->memory, address) : NULL;
    uint32_t base = r ? r->address : root, element = r && r->element_bytes ? r->element_bytes : t->bytes;
    const char *name = r && r->name ? r->name : t->name;
    if ((!r && !t->size) || !*name)
        return arena_printf(a, "%s memory at 0x%x", t->space == 'g' ? "global" : "shared", address);
    uint32_t offset = address - base;
    if (element == 0 || offset % element)
        return arena_printf(a, "%s at byte %u", name, offset);
    if (t->size == element)
        return name;
    return arena_printf(a, "%s[%d]", name, (int32_t)offset / (int32_t)element);
}

static void alarm(struct rt_check *c, uint32_t site, const char *id, const char *text)
{
    kernc_context *k = c->launch->context;
    const struct bc_site *s = site_at(c, site);
    uint32_t line = s->line;
    size_t n;
    const char *file = source_names_find(c->launch->program->file, &line, &n);
    file = arena_strdup(&k->alarm_texts, file, n);
    vec_push(&k->alarm_texts, &k->alarms,
             ((kernc_alarm){sizeof(kernc_alarm), id, text, file, line, s->column}));
}

static void report_race(struct rt_check *c, const struct told *t, struct rt_seen now, struct rt_seen before,
                        bool stores, uint32_t address, uint32_t root)
{
    struct arena *a = &c->launch->context->alarm_texts;
    uint32_t threads = c->launch->warps * c->launch->width, line = site_at(c, before.site)->line;
    size_t n, m;
    uint32_t now_line = site_at(c, now.site)->line;
    bool same_block = now.thread / threads == before.thread / threads,
         same_warp = same_block &&
                     now.thread % threads / c->launch->width == before.thread % threads / c->launch->width;
    char here[80], there[80], in_file[200] = "";
    const char *file = source_names_find(c->launch->program->file, &line, &n),
               *own = source_names_find(c->launch->program->file, &now_line, &m);
    if (file != own)
        snprintf(in_file, sizeof in_file, " of %.*s", (int)n, file);
    if (!is_new(c, RACE, now.site, before.site))
        return;
    const char *did = t->kind == 'r' ? "reads" : t->kind == 'a' ? "changes" : "writes";
    const char *mend = same_warp ? "syncwarp() or barrier() between them would, or atomic operations"
                       : same_block
                           ? "a barrier() between them would, or atomic operations"
                           : "atomic operations would, also on a flag, behind a fence(); or two launches";
    alarm(c, now.site, "race",
          arena_printf(a, "race: %s %s %s, which %s %s in line %u%s; nothing orders the two: %s",
                       thread_name(c, now.thread, true, here), did, place_name(c, t, address, root),
                       thread_name(c, before.thread, !same_block, there), stores ? "writes" : "reads", line,
                       in_file, mend));
}

/* ---- cells ------------------------------------------------------------------------------------------- */

static struct rt_cell *cell_of(struct rt_check *c, char space, uint32_t address)
{
    if (space == 'h')
        return &c->shared[address / CELL_BYTES];
    struct rt_cell **page = &c->pages[address >> PAGE_SHIFT];
    if (!*page)
        *page = arena_array(&c->arena, struct rt_cell, PAGE_CELLS);
    return &(*page)[address / CELL_BYTES % PAGE_CELLS];
}

struct visit {
    struct rt_check *c;
    const struct told *told;
    struct rt_warp *w;
    unsigned lane;
    uint32_t address, root; /* of the access */
    const uint32_t *addresses;
    const uint64_t *values; /* of all lanes */
    bool silent;            /* stores what is there */
    struct rt_seen now;
};

static bool races(const struct visit *v, struct rt_seen before, uint32_t bytes)
{
    bool atomic = v->told->kind == 'a' && before.site & ATOMIC;
    if (before.site & SILENT && v->told->kind == 'r')
        return false;
    return before.clock && before.site >> BYTES_SHIFT & bytes & 0xfu && !atomic &&
           before.thread != v->now.thread && !rt_order_knows(v->c->order, v->w->index, v->lane, before);
}

static void remember_read(const struct visit *v, struct rt_cell *cell, struct rt_seen now)
{
    const struct rt_order_block *b = rt_order_current(v->c->order);
    for (int i = 0; i < 2; i++) {
        struct rt_seen *r = &cell->read[i];
        bool same = r->thread == now.thread && !((r->site ^ now.site) >> BYTES_SHIFT);
        if (r->clock && !same && r->thread - b->first < b->threads && r->epoch == now.epoch)
            continue;
        if (r->clock == 0 || same || rt_order_knows(v->c->order, v->w->index, v->lane, *r)) {
            *r = now;
            return;
        }
    }
}

/* Whether the store was made just now by another lane, of the same value. */
static bool is_same_store(const struct visit *v, struct rt_seen before)
{
    uint32_t width = v->c->launch->width, other = before.thread % width;
    return v->told->kind == 'w' && (before.site & SITE_MASK) == v->now.site && before.epoch == v->now.epoch &&
           before.thread / width == v->now.thread / width && v->w->active >> other & 1 &&
           v->addresses[other] == v->address && v->values[other] == v->values[v->lane];
}

/* The bytes of the cell that the access has. */
static void visit_cell(const struct visit *v, struct rt_cell *cell, uint32_t bytes)
{
    const struct told *t = v->told;
    struct rt_seen now = v->now;
    bool stores = t->kind != 'r';
    now.site |= bytes << BYTES_SHIFT | (t->kind == 'a' ? ATOMIC : 0);
    bool same = stores && (v->silent || is_same_store(v, cell->store));
    if (t->checks & RACE && !same && races(v, cell->store, bytes))
        report_race(v->c, t, v->now, cell->store, true, v->address, v->root);
    for (int i = 0; stores && !v->silent && t->checks & RACE && i < 2; i++)
        if (races(v, cell->read[i], bytes))
            report_race(v->c, t, v->now, cell->read[i], false, v->address, v->root);
    if (!stores) {
        remember_read(v, cell, now);
        return;
    }
    cell->written |= bytes;
    if (v->silent && cell->store.clock)
        return;
    now.site |= v->silent ? SILENT : 0;
    cell->store = now;
}

/* ---- reads of what nobody has written ---------------------------------------------------------------- */

static bool is_unwritten(struct rt_check *c, uint32_t address, uint32_t bytes)
{
    for (uint32_t at = address; at < address + bytes; at++)
        if (!(cell_of(c, 'h', at)->written >> at % CELL_BYTES & 1))
            return true;
    return false;
}

static void note_doubt(const struct visit *v)
{
    char who[80];
    for (uint32_t i = 0; i < v->c->doubts.count; i++)
        if (v->c->doubts.at[i].site == v->now.site)
            return;
    const char *text = arena_printf(
        &v->c->launch->context->alarm_texts,
        "uninit: %s reads %s, which nobody has written: it is 0 here, and anything on a GPU",
        thread_name(v->c, v->now.thread, true, who), place_name(v->c, v->told, v->address, v->root));
    vec_push(&v->c->arena, &v->c->doubts, ((struct doubt){v->now.site, v->address, text, v->told}));
}

static void settle_doubts(struct rt_check *c)
{
    for (uint32_t i = 0; i < c->doubts.count; i++) {
        const struct doubt *d = &c->doubts.at[i];
        if (is_unwritten(c, d->address, d->told->bytes) && is_new(c, UNINIT, d->site, d->site))
            alarm(c, d->site, "uninit", d->text);
    }
    c->doubts.count = 0;
}

void rt_check_block(struct rt_worker *k)
{
    struct rt_check *c = k->launch->check;
    settle_doubts(c);
    rt_order_block(c->order, k->block);
    memset(c->shared, 0, (k->launch->shared_bytes / CELL_BYTES + 2) * sizeof *c->shared);
}

void rt_check_barrier(struct rt_worker *k)
{
    settle_doubts(k->launch->check);
    rt_order_barrier(k->launch->check->order);
}

void rt_check_end(struct rt_check *c)
{
    if (c)
        settle_doubts(c);
}

/* ---- accesses ---------------------------------------------------------------------------------------- */

static void report_at(const struct visit *v, const char *id, unsigned kind, const char *what)
{
    char who[80];
    if (!is_new(v->c, kind, v->now.site, v->now.site))
        return;
    alarm(v->c, v->now.site, id,
          arena_printf(&v->c->launch->context->alarm_texts, "%s: %s %s %s%s", id,
                       thread_name(v->c, v->now.thread, true, who), v->told->kind == 'r' ? "reads" : "writes",
                       place_name(v->c, v->told, v->address, v->root), what));
}

static bool is_outside(const struct visit *v)
{
    const struct told *t = v->told;
    uint32_t offset = v->address - v->root;
    return t->size && (t->bytes > t->size || offset > t->size - t->bytes);
}

/* Whether the store leaves the bytes as they are. */
static bool is_silent(const uint8_t *memory, const struct told *t, uint64_t value)
{
    return t->kind == 'w' && t->bytes <= sizeof value && memcmp(memory, &value, t->bytes) == 0;
}

static void visit_bytes(const struct visit *v)
{
    for (uint32_t at = v->address, end = v->address + v->told->bytes; at < end;) {
        uint32_t first = at % CELL_BYTES, n = CELL_BYTES - first < end - at ? CELL_BYTES - first : end - at;
        visit_cell(v, cell_of(v->c, v->told->space, at), ((1u << n) - 1) << first);
        at += n;
    }
}

static void visit_lane(struct visit *v, uint64_t value)
{
    const struct told *t = v->told;
    enum rt_space space = t->space == 'g' ? RT_GLOBAL : t->space == 'h' ? RT_SHARED : RT_PRIVATE;
    const uint8_t *memory = rt_locate(v->w, space, t->kind != 'r', v->lane, v->address, t->bytes, 1);
    if (t->checks & BOUNDS && is_outside(v)) {
        report_at(v, "bounds", BOUNDS, ", which is not in it");
        return;
    }
    if (!memory || t->space == 'p' || t->bytes == 0)
        return;
    if (t->checks & UNINIT && t->space == 'h' && t->kind != 'w' && t->kind != 'W' &&
        is_unwritten(v->c, v->address, t->bytes))
        note_doubt(v);
    if (t->kind == 'a')
        rt_order_atomic(v->c->order, v->w->index, v->lane, (uint64_t)space << 32 | v->address);
    v->silent = is_silent(memory, t, value);
    v->now.clock = rt_order_now(v->c->order, v->w->index, v->lane).clock;
    visit_bytes(v);
}

static bool is_of_epoch(const struct rt_order_block *b, struct rt_seen seen)
{
    return seen.clock && seen.thread - b->first < b->threads && seen.epoch == b->epoch;
}

/* A load of which there is nothing to say nor to remember: the store, if any, was before the latest barrier,
 * and two reads since are known. */
static bool is_plain(struct rt_check *c, const struct told *t, uint32_t address, uint32_t root)
{
    const struct rt_order_block *b = rt_order_current(c->order);
    if (t->kind != 'r' || t->bytes > CELL_BYTES || address % t->bytes)
        return false;
    if (t->space == 'h' ? address >= c->launch->shared_bytes : !c->pages[address >> PAGE_SHIFT])
        return false;
    if (t->checks & BOUNDS && t->size && (t->bytes > t->size || address - root > t->size - t->bytes))
        return false;
    const struct rt_cell *cell = cell_of(c, t->space, address);
    bool before =
        !cell->store.clock || (cell->store.thread - b->first < b->threads && cell->store.epoch < b->epoch);
    uint32_t bytes = ((1u << t->bytes) - 1) << address % CELL_BYTES;
    return before && is_of_epoch(b, cell->read[0]) && is_of_epoch(b, cell->read[1]) &&
           (t->space == 'g' || (cell->written & bytes) == bytes);
}

void rt_check_memory(struct rt_warp *w, const struct bc_ins *ins)
{
    struct rt_check *c = w->worker->launch->check;
    if (!c)
        return;
    struct visit v = {.c = c,
                      .told = told_by(c, ins->imm),
                      .w = w,
                      .addresses = rt_v(w, ins->a),
                      .values = rt_w(w, ins->c)};
    rt_each_lane(i, w->active) {
        if (is_plain(c, v.told, v.addresses[i], rt_v(w, ins->b)[i]))
            continue;
        v.lane = (unsigned)i;
        v.address = rt_v(w, ins->a)[i];
        v.root = rt_v(w, ins->b)[i];
        v.now = rt_order_now(c->order, w->index, v.lane);
        v.now.site = ins->e & SITE_MASK;
        visit_lane(&v, v.values[i]);
    }
}

void rt_check_sync(struct rt_warp *w, const struct bc_ins *ins)
{
    struct rt_check *c = w->worker->launch->check;
    const struct bc_text *text = &w->worker->launch->program->texts.at[ins->imm];
    if (!c)
        return;
    if (text->length && text->bytes[0] == 'f')
        rt_order_fence(c->order, w->index, w->active);
    else
        rt_order_group(c->order, w->index, w->active);
}

bool kernc_alarm_at(const kernc_context *c, unsigned index, kernc_alarm *a)
{
    return c && a && index < c->alarms.count && sized_write(a, &c->alarms.at[index], sizeof *a);
}
