/* memory.c: the shadow of memory, and what is said of accesses; see check.h.
 *
 * Each four bytes of shared and global memory have a cell: the latest store and two reads that nothing orders;
 * where accesses have other bytes of it, each byte has a cell. Of more reads the first two stay: what races
 * with another alone is not found. As long as warps access words in a row, segments.c keeps in short what would
 * be in the cells. What is said here of a cell is what all ways have to come to.
 */
#include "runtime/check/shadow.h"

#include <stdio.h>

bool rt_check_wanted(const struct rt_launch *l)
{
    const struct bc_program *p = l->program;
    for (uint32_t i = 0; i < p->code.count; i++) {
        if (p->code.at[i].op == BC_check_memory || p->code.at[i].op == BC_check_sync)
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
    c->block = rt_order_current(c->order);
    c->clocks = rt_order_clocks(c->order);
    c->knowledge = rt_order_knowledge(c->order);
    c->told = arena_array(&c->arena, struct told, l->program->texts.count);
    c->pages = arena_array(&c->arena, struct rt_segment *, PAGES);
    c->own = arena_array(&c->arena, rt_objects, (size_t)l->warps * l->width);
    c->shared_segments = l->shared_bytes / SEGMENT_BYTES + 1;
    c->shared = arena_array(&c->arena, struct rt_segment, c->shared_segments);
    c->unwritten = arena_array(&c->arena, uint8_t *, (size_t)l->warps * l->width);
    c->barriers = rt_barriers_new(c);
    return c;
}

void rt_check_free(struct rt_check *c)
{
    if (c)
        arena_free(&c->arena);
}

const struct told *rt_told_by(struct rt_check *c, uint32_t text)
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
    t->bytes = t->kind == 'u' ? t->size : t->bytes;
    t->quick = (t->kind == 'r' || t->kind == 'w') && (t->space == 'g' || t->space == 'h') &&
               (t->bytes == 1 || t->bytes == 2 || t->bytes == 4 || t->bytes == 8);
    t->read = true;
    return t;
}

/* ---- cells ------------------------------------------------------------------------------------------- */

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
static void visit_whole(const struct visit *v, struct rt_cell *cell, uint32_t bytes)
{
    const struct told *t = v->told;
    struct rt_seen now = v->now;
    bool stores = t->kind != 'r';
    now.site |= bytes << BYTES_SHIFT | (t->kind == 'a' ? ATOMIC : 0);
    bool mixed = t->kind == 'w' && cell->store.site & ATOMIC; /* what is there depends on the order */
    bool same = stores && !mixed && (v->silent || is_same_store(v, cell->store));
    if (t->checks & RACE && !same && races(v, cell->store, bytes))
        rt_report_race(v, cell->store, true);
    for (int i = 0; stores && !v->silent && t->checks & RACE && i < 2; i++)
        if (races(v, cell->read[i], bytes))
            rt_report_race(v, cell->read[i], false);
    if (!stores) {
        remember_read(v, cell, now);
        return;
    }
    if (v->silent && cell->store.clock)
        return;
    now.site |= v->silent ? SILENT : 0;
    cell->store = now;
}

static bool has_others(struct rt_seen seen, uint32_t bytes)
{
    return seen.clock && (seen.site >> BYTES_SHIFT & ALL_BYTES) != bytes;
}

/* The part of what was seen that is byte i's. */
static struct rt_seen of_byte(struct rt_seen seen, unsigned i)
{
    if (!(seen.site >> (BYTES_SHIFT + i) & 1))
        return (struct rt_seen){0};
    seen.site = (seen.site & ~((unsigned)ALL_BYTES << BYTES_SHIFT)) | 1u << (BYTES_SHIFT + i);
    return seen;
}

static void split(struct rt_check *c, struct rt_cell *cell)
{
    struct rt_cell *bytes = rt_byte_cells(c);
    for (unsigned i = 0; i < CELL_BYTES; i++)
        bytes[i] = (struct rt_cell){.store = of_byte(cell->store, i),
                                    .read = {of_byte(cell->read[0], i), of_byte(cell->read[1], i)}};
    cell->bytes = bytes;
}

static void visit_cell(const struct visit *v, struct rt_cell *cell, uint32_t bytes)
{
    bool apart = has_others(cell->store, bytes) || has_others(cell->read[0], bytes) ||
                 has_others(cell->read[1], bytes);
    if (apart && !cell->bytes)
        split(v->c, cell);
    if (v->told->kind != 'r')
        cell->written |= bytes;
    if (!cell->bytes)
        visit_whole(v, cell, bytes);
    else
        for (unsigned i = 0; i < CELL_BYTES; i++)
            if (bytes >> i & 1)
                visit_whole(v, &cell->bytes[i], 1u << i);
}

/* ---- reads of what nobody has written ---------------------------------------------------------------- */

static bool is_unwritten(struct rt_check *c, uint32_t address, uint32_t bytes)
{
    for (uint32_t at = address; at < address + bytes; at++)
        if (!(rt_word_seen(c, 'h', at).written >> at % CELL_BYTES & 1))
            return true;
    return false;
}

static void note_doubt(const struct visit *v)
{
    for (uint32_t i = 0; i < v->c->doubts.count; i++)
        if ((v->c->doubts.at[i].seen.site & SITE_MASK) == (v->now.site & SITE_MASK))
            return;
    vec_push(&v->c->arena, &v->c->doubts,
             ((struct doubt){v->now, v->address, v->told->bytes, rt_unwritten_text(v)}));
}

static void settle_doubts(struct rt_check *c)
{
    bool ordered = !rt_barriers_parted(c->barriers);
    for (uint32_t i = 0; ordered && i < c->doubts.count; i++)
        rt_report_unwritten(c, c->doubts.at[i].seen.site, c->doubts.at[i].text);
    c->doubts.count = 0;
}

/* A store to shared memory ends the doubts about what it overlaps. */
static void settle_by_store(const struct visit *v)
{
    struct rt_check *c = v->c;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->doubts.count; i++) {
        struct doubt d = c->doubts.at[i];
        bool apart = d.address + d.bytes <= v->address || v->address + v->told->bytes <= d.address;
        bool both = d.seen.site & ATOMIC && v->told->kind == 'a';
        if (apart || both)
            c->doubts.at[kept++] = d;
        else if (d.seen.thread == v->now.thread || rt_order_knows(c->order, v->w->index, v->lane, d.seen))
            rt_report_unwritten(c, d.seen.site, d.text);
    }
    c->doubts.count = kept;
}

void rt_check_block(struct rt_worker *k)
{
    struct rt_check *c = k->launch->check;
    settle_doubts(c);
    if (c->barriers) {
        rt_barriers_end(c->barriers);
        rt_barriers_begin(c->barriers);
    }
    rt_order_block(c->order, k->block);
    rt_forget_shared(c);
}

bool rt_check_barrier(struct rt_worker *k)
{
    struct rt_check *c = k->launch->check;
    if (c->barriers)
        rt_barriers_open(c->barriers, k);
    settle_doubts(c);
    rt_order_barrier(c->order);
    return rt_barriers_parted(c->barriers);
}

void rt_check_end(struct rt_check *c)
{
    if (c)
        settle_doubts(c);
    if (c && c->barriers)
        rt_barriers_end(c->barriers);
}

/* ---- accesses ---------------------------------------------------------------------------------------- */

static bool is_within(struct rt_object o, uint32_t address, uint32_t bytes)
{
    return bytes <= o.size && address - o.address <= o.size - bytes;
}

static bool is_outside(const struct visit *v)
{
    struct rt_object object = rt_object_of(v);
    struct told *t = &v->c->told[v->told - v->c->told];
    if (!t->size && t->space != 'p')
        t->last = object;
    return object.size && !is_within(object, v->address, t->bytes);
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
        visit_cell(v, rt_cell_of(v->c, v->told->space, at), ((1u << n) - 1) << first);
        at += n;
    }
}

static void visit_lane(struct visit *v, uint64_t value)
{
    const struct told *t = v->told;
    enum rt_space space = rt_space_of(t->space);
    const uint8_t *memory = rt_locate(v->w, space, t->kind != 'r', v->lane, v->address, t->bytes, 1);
    if (t->checks & BOUNDS && is_outside(v)) {
        rt_report_outside(v);
        return;
    }
    if (memory && t->space == 'p' && t->checks & UNINIT)
        rt_check_private(v, value);
    if (!memory || t->space == 'p' || t->space == 'c' || t->bytes == 0)
        return;
    if (t->checks & UNINIT && t->space == 'h' && t->kind != 'w' && t->kind != 'W' &&
        is_unwritten(v->c, v->address, t->bytes))
        note_doubt(v);
    if (t->space == 'h' && t->kind != 'r' && v->c->doubts.count)
        settle_by_store(v);
    if (t->kind == 'a')
        rt_order_atomic(v->c->order, v->w->index, v->lane, (uint64_t)space << 32 | v->address);
    v->silent = is_silent(memory, t, value);
    visit_bytes(v);
}

static void tell_object(const struct visit *v)
{
    struct rt_check *c = v->c;
    struct rt_object object = {v->address, v->told->size, v->told->name};
    rt_objects *own = &c->own[v->w->index * c->launch->width + v->lane];
    char space = v->told->space;
    rt_objects_tell(&c->arena, space == 'h' ? &c->objects : space == 'c' ? &c->constants : own, object);
}

static void visit_lanes(struct visit *v, const uint32_t *roots, uint64_t lanes)
{
    struct rt_check *c = v->c;
    uint32_t address = 0, root = 0,
             first = v->w->index * c->launch->width; /* address, root: of the lane before */
    rt_each_lane(i, lanes) {
        v->lane = (unsigned)i;
        v->address = v->addresses[i];
        v->root = roots[i];
        v->now.thread = c->block->first + first + v->lane;
        v->now.clock = c->clocks[first + v->lane];
        if (v->read && v->address == address && v->root == root && rt_has_two_reads(v))
            continue;
        v->read = NULL;
        address = v->address;
        root = v->root;
        if (v->told->quick && rt_check_quickly(v, v->values[i]))
            continue;
        if (v->told->space == 'c' && v->told->kind == 'r' && rt_is_near(v->told, v->address, v->root))
            continue;
        switch (v->told->kind) {
        case 'o': tell_object(v); break;
        case 'p': rt_pointer_store(v, v->values[i]); break;
        case 'm': rt_pointer_copy(v); break;
        default: visit_lane(v, v->values[i]);
        }
    }
}

/* Whether two reads of v->read since the latest barrier are known, by none of the lanes: then there is nothing
 * to remember of theirs. */
static bool is_read_by_others(const struct visit *v, uint64_t lanes)
{
    const struct rt_order_block *b = v->c->block;
    uint32_t first = b->first + v->w->index * v->c->launch->width;
    for (int i = 0; i < 2; i++) {
        const struct rt_seen *r = &v->read->read[i];
        uint32_t lane = r->thread - first;
        if (!r->clock || r->epoch != b->epoch || r->thread - b->first >= b->threads ||
            (lane < RT_MAX_LANES && lanes >> lane & 1))
            return false;
    }
    return true;
}

/* A read of one place by all lanes comes to an end after two of them, mostly. */
void rt_check_memory(struct rt_warp *w, const struct bc_ins *ins, struct rt_row row)
{
    struct rt_check *c = w->worker->launch->check;
    if (!c || rt_barriers_parted(c->barriers))
        return;
    struct visit v = {.c = c,
                      .told = rt_told_by(c, ins->imm),
                      .w = w,
                      .addresses = rt_v(w, ins->a),
                      .values = rt_w(w, ins->c)};
    const uint32_t *roots = rt_v(w, ins->b);
    v.now.epoch = c->block->epoch;
    v.now.site = (ins->e & SITE_MASK) | (v.told->kind == 'a' ? ATOMIC : 0);
    v.root = roots[rt_lowest(w->active)];
    bool in_short = row.regular && v.told->quick && !c->cells_only;
    bool once = v.told->kind == 'o' && v.told->space != 'p'; /* all lanes tell the same */
    uint64_t lanes = once ? w->active & -w->active : w->active,
             left = in_short ? rt_visit_row(&v, row) : lanes, more = left & (left - 1);
    if (in_short && row.step == 0 && more) {
        more &= more - 1;
        visit_lanes(&v, roots, left & ~more);
        left = v.read && is_read_by_others(&v, more) ? 0 : more;
    }
    visit_lanes(&v, roots, left);
}

void rt_check_sync(struct rt_warp *w, const struct bc_ins *ins)
{
    struct rt_check *c = w->worker->launch->check;
    const struct bc_text *text = &w->worker->launch->program->texts.at[ins->imm];
    if (!c)
        return;
    if (text->length && text->bytes[0] == 'f')
        rt_order_fence(c->order, w->index, w->active);
    else if (text->length && text->bytes[0] == 'g')
        rt_order_group(c->order, w->index, w->active);
    else if (c->barriers)
        rt_barriers_tell(c->barriers, w, ins);
}
