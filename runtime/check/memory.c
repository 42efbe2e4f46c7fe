/* memory.c: the shadow of memory, and what is said of accesses; see check.h.
 *
 * Each four bytes of shared and global memory have a cell, which keeps what an exact answer needs: of accesses
 * that nothing has raced with so far, which of them the next one races with. All stores that changed the bytes
 * are ordered then, and the latest stands for what was before it; of later reads, silent stores, and atomic
 * operations each thread's latest is needed, or two reads if nothing but barriers orders (batches.c). A silent
 * store counts as a read, since it changes nothing: it races with later stores and with atomic operations. None
 * of these takes the place of another kind. Where accesses have other bytes of a cell, each byte has a cell.
 *
 * As long as warps access words in a row, segments.c keeps in short what would be in the cells. What is said
 * here of a cell is what all of them have to come to.
 */
#include "base/checks.h"
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

static bool is_sync(const struct rt_check *c, uint32_t text, char which)
{
    const struct bc_text *t = &c->launch->program->texts.at[text];
    return t->length && *t->bytes == which;
}

/* What the program orders by. */
static enum rt_reads find_reads(struct rt_check *c)
{
    const struct bc_program *p = c->launch->program;
    bool groups = false, atomics = false, releases = false;
    for (uint32_t i = 0; i < p->code.count; i++) {
        const struct bc_ins *ins = &p->code.at[i];
        releases |= ins->op == BC_barrier;
        if (ins->op == BC_check_memory)
            atomics |= rt_check_text(c, ins->imm)->kind == 'a';
        else if (ins->op == BC_check_sync) {
            releases |= is_sync(c, ins->imm, 'f');
            groups |= is_sync(c, ins->imm, 'g');
        }
        i += bc_has_branch_word((enum bc_op)ins->op);
    }
    return atomics && releases ? RT_ALL_READS : groups ? RT_TWO_WARPS : RT_TWO_THREADS;
}

struct rt_check *rt_check_new(struct rt_launch *l)
{
    if (!rt_check_wanted(l))
        return NULL;
    struct rt_check *c = arena_new(&l->arena, struct rt_check);
    c->launch = l;
    rt_shadow_clear(&l->context->shadow);
    c->order = rt_order_new(&c->arena, l->sizes.warps, l->given.warp);
    c->block = rt_order_current(c->order);
    c->clocks = rt_order_clocks(c->order);
    c->knowledge = rt_order_knowledge(c->order);
    c->texts = arena_array(&c->arena, struct check_text, l->program->texts.count);
    c->pages = arena_array(&c->arena, struct rt_segment *, PAGES);
    c->own = arena_array(&c->arena, rt_objects, (size_t)l->sizes.warps * l->given.warp);
    c->shared_segments = l->sizes.shared.bytes / SEGMENT_BYTES + 1;
    c->shared = arena_array(&c->arena, struct rt_segment, c->shared_segments);
    c->unwritten = arena_array(&c->arena, uint8_t *, (size_t)l->sizes.warps * l->given.warp);
    c->barriers = rt_barriers_new(c);
    c->reads = find_reads(c);
    return c;
}

void rt_check_free(struct rt_check *c)
{
    if (c)
        arena_free(&c->arena);
}

const struct check_text *rt_check_text(struct rt_check *c, uint32_t text)
{
    struct check_text *t = &c->texts[text];
    const struct bc_text *from = &c->launch->program->texts.at[text];
    if (t->read)
        return t;
    char *copy = arena_strdup(&c->arena, from->bytes, from->length);
    int n = 0;
    if (sscanf(copy, "%u %c %c %u %u %n", &t->checks, &t->kind, &t->space, &t->bytes, &t->size, &n) < 5)
        t->checks = 0;
    if (t->size > CHECK_UNSIZED(LAUNCH_MAX_SHARED))
        t->size = c->launch->sizes.shared.size[CHECK_UNSIZED(t->size)];
    t->name = copy + n;
    if (t->kind == 'u' || t->kind == 'v') {
        char *space = strchr(copy + n, ' ');
        t->bytes = t->size;
        t->layout = space ? space + 1 : NULL;
        if (space)
            *space = 0;
    }
    t->quick = (t->kind == 'r' || t->kind == 'w') && (t->space == 'g' || t->space == 'h') &&
               (t->bytes == 1 || t->bytes == 2 || t->bytes == 4 || t->bytes == 8);
    t->read = true;
    return t;
}

/* ---- cells ------------------------------------------------------------------------------------------- */

/* How the access is to be remembered. */
enum kind { READ, STORE, CHANGE };

/* What an access does with the bytes that it has of a cell. */
struct part {
    const struct visit *v;
    enum kind kind; /* READ: or a silent store */
    struct rt_seen now;
};

/* Of accesses that may race if nothing orders them. */
static bool races(const struct part *p, struct rt_seen before)
{
    const struct visit *v = p->v;
    return before.clock && before.site >> BYTES_SHIFT & p->now.site >> BYTES_SHIFT & ALL_BYTES &&
           before.thread != v->now.thread && !rt_order_knows(v->c->order, v->w->index, v->lane, before);
}

static void race_with(const struct part *p, struct rt_seen before, const char *did)
{
    if (races(p, before))
        rt_report_race(p->v, before, did);
}

static void race_with_batches(const struct part *p, const struct rt_batches *all, const char *did)
{
    for (uint32_t i = 0; all && i < all->count; i++)
        rt_each_lane(k, all->at[i].lanes) {
            struct rt_seen before = all->at[i].like;
            before.thread += (uint32_t)k;
            if (races(p, before)) {
                rt_report_race(p->v, before, did ? did : before.site & SILENT ? "writes" : "reads");
                break;
            }
        }
}

static void find_races(const struct part *p, const struct rt_cell *cell)
{
    bool silent = p->now.site & SILENT, first = cell->store.site & SILENT;
    if (p->kind != READ || !(silent || first))
        race_with(p, cell->store, "writes");
    for (int i = 0; p->kind != READ && i < 2; i++)
        race_with(p, cell->read[i], cell->read[i].site & SILENT ? "writes" : "reads");
    if (p->kind != READ && cell->more)
        race_with_batches(p, cell->more->reads, NULL);
    if (p->kind != CHANGE && cell->more)
        race_with_batches(p, cell->more->atomics, "changes");
}

/* Whether the access takes the place of the other of its kind: that happened before. Of those of the block's
 * other threads since the latest barrier none counts as that, so that it is quickly decided. */
static bool replaces(const struct part *p, const struct rt_seen *seen)
{
    const struct visit *v = p->v;
    const struct rt_order_block *b = v->c->block;
    if (rt_is_past(b, seen) || seen->thread == p->now.thread)
        return true;
    return seen->thread - b->first >= b->threads && rt_order_knows(v->c->order, v->w->index, v->lane, *seen);
}

static void remember_read(const struct part *p, struct rt_cell *cell)
{
    struct rt_check *c = p->v->c;
    struct rt_seen both[2] = {cell->read[0], p->now};
    for (int i = 0; i < 2; i++)
        if (replaces(p, &cell->read[i])) {
            cell->read[i] = p->now;
            return;
        }
    if (rt_are_enough(c, cell->read))
        return;
    if (rt_are_enough(c, both)) /* two warps: the second read was by the first one's */
        cell->read[1] = p->now;
    else
        rt_join_batches(p->v, &rt_more_of(c, cell)->reads, p->now);
}

static void remember(const struct part *p, struct rt_cell *cell)
{
    const struct rt_seen *store = &cell->store;
    bool silent = p->now.site & SILENT,
         first = silent && (!store->clock || (store->site & SILENT && replaces(p, store)));
    if (p->kind == CHANGE) {
        rt_join_batches(p->v, &rt_more_of(p->v->c, cell)->atomics, p->now);
        return;
    }
    if (p->kind == READ && !first) {
        remember_read(p, cell);
        return;
    }
    cell->store = p->now;
    if (!silent)
        rt_drop_more(p->v->c, cell);
}

/* Whether a lane before has stored to the place in this instruction, as the latest; *same: the same value. */
static bool is_stored_now(const struct visit *v, struct rt_seen before, bool *same)
{
    uint32_t width = v->c->launch->given.warp, other = before.thread % width, bytes = v->text->bytes;
    if (v->text->kind != 'w' || !before.clock || (before.site & SITE_MASK) != v->now.site ||
        before.epoch != v->now.epoch || before.thread / width != v->now.thread / width || other >= v->lane ||
        !(v->w->active >> other & 1) || v->addresses[other] - v->address + bytes - 1 > 2 * bytes - 2)
        return false;
    *same = v->addresses[other] == v->address && v->values[other] == v->values[v->lane];
    return true;
}

/* The bytes of the cell that the access has. */
static void visit_whole(const struct visit *v, struct rt_cell *cell, uint32_t bytes)
{
    const struct check_text *t = v->text;
    struct part p = {v, t->kind == 'r' ? READ : t->kind == 'a' ? CHANGE : STORE, v->now};
    bool silent = v->silent;
    p.now.site |= bytes << BYTES_SHIFT;
    is_stored_now(v, cell->store, &silent);
    if (p.kind == STORE && silent) {
        p.kind = READ;
        p.now.site |= SILENT;
    }
    if (t->checks & RACE)
        find_races(&p, cell);
    remember(&p, cell);
}

static bool has_others(struct rt_seen seen, uint32_t bytes)
{
    return seen.clock && (seen.site >> BYTES_SHIFT & ALL_BYTES) != bytes;
}

static bool has_others_in(const struct rt_batches *all, uint32_t bytes)
{
    return all && all->count && has_others(all->at[0].like, bytes);
}

/* Whether something was seen of other bytes of the cell than these. */
static bool has_other_bytes(const struct rt_cell *cell, uint32_t bytes)
{
    return has_others(cell->store, bytes) || has_others(cell->read[0], bytes) ||
           has_others(cell->read[1], bytes) ||
           (cell->more &&
            (has_others_in(cell->more->reads, bytes) || has_others_in(cell->more->atomics, bytes)));
}

static void split(struct rt_check *c, struct rt_cell *cell)
{
    struct rt_cell *bytes = rt_byte_cells(c);
    for (unsigned i = 0; i < CELL_BYTES; i++) {
        bytes[i] =
            (struct rt_cell){.store = rt_seen_of_byte(cell->store, i),
                             .read = {rt_seen_of_byte(cell->read[0], i), rt_seen_of_byte(cell->read[1], i)}};
        if (cell->more)
            *rt_more_of(c, &bytes[i]) =
                (struct rt_more){.reads = rt_batches_of_byte(c, cell->more->reads, i),
                                 .atomics = rt_batches_of_byte(c, cell->more->atomics, i)};
    }
    rt_drop_more(c, cell);
    rt_more_of(c, cell)->bytes = bytes;
}

static void visit_cell(const struct visit *v, struct rt_cell *cell, uint32_t bytes)
{
    if (!(cell->more && cell->more->bytes) && has_other_bytes(cell, bytes))
        split(v->c, cell);
    if (v->text->kind != 'r')
        cell->written |= bytes;
    if (!(cell->more && cell->more->bytes))
        visit_whole(v, cell, bytes);
    else
        for (unsigned i = 0; i < CELL_BYTES; i++)
            if (bytes >> i & 1)
                visit_whole(v, &cell->more->bytes[i], 1u << i);
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
             ((struct doubt){v->now, v->address, v->text->bytes, rt_unwritten_text(v)}));
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
        bool disjoint = d.address + d.bytes <= v->address || v->address + v->text->bytes <= d.address;
        bool both = d.seen.site & ATOMIC && v->text->kind == 'a';
        if (disjoint || both)
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
    struct check_text *t = &v->c->texts[v->text - v->c->texts];
    if (!t->size && t->space != 'p')
        t->last = object;
    return object.size && !is_within(object, v->address, t->bytes);
}

/* Whether the store leaves the bytes as they are. */
static bool is_silent(const uint8_t *memory, const struct check_text *t, uint64_t value)
{
    return t->kind == 'w' && t->bytes <= sizeof value && memcmp(memory, &value, t->bytes) == 0;
}

static void visit_bytes(const struct visit *v)
{
    for (uint32_t at = v->address, end = v->address + v->text->bytes; at < end;) {
        uint32_t first = at % CELL_BYTES, n = CELL_BYTES - first < end - at ? CELL_BYTES - first : end - at;
        visit_cell(v, rt_cell_of(v->c, v->text->space, at), ((1u << n) - 1) << first);
        at += n;
    }
}

static void visit_lane(struct visit *v, uint64_t value)
{
    const struct check_text *t = v->text;
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
        rt_order_atomic(v->c->order, v->w->index, v->lane, v->address, space == RT_SHARED);
    v->silent = is_silent(memory, t, value);
    visit_bytes(v);
}

static void tell_object(const struct visit *v)
{
    struct rt_check *c = v->c;
    struct rt_object object = {.address = v->address, .size = v->text->size, .name = v->text->name};
    rt_objects *own = &c->own[v->w->index * c->launch->given.warp + v->lane];
    char space = v->text->space;
    rt_objects_tell(&c->arena, space == 'h' ? &c->objects : space == 'c' ? &c->constants : own, object);
}

static void check_shift(const struct visit *v, uint64_t amount)
{
    if (amount >= v->text->size)
        rt_report_shift(v, amount);
}

static void visit_lanes(struct visit *v, const uint32_t *roots, uint64_t lanes)
{
    struct rt_check *c = v->c;
    uint32_t address = 0, root = 0,
             first = v->w->index * c->launch->given.warp; /* address, root: of the lane before */
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
        if (v->text->quick && rt_check_quickly(v, v->values[i]))
            continue;
        if (v->text->space == 'c' && v->text->kind == 'r' && rt_is_near(v->text, v->address, v->root))
            continue;
        switch (v->text->kind) {
        case 'o': tell_object(v); break;
        case 'p': rt_pointer_store(v, v->values[i]); break;
        case 'm': rt_pointer_copy(v); break;
        case 's': check_shift(v, v->values[i]); break;
        default: visit_lane(v, v->values[i]);
        }
    }
}

/* Whether enough reads of v->read since the latest barrier are known, by none of the lanes: then there is
 * nothing to remember of theirs. */
static bool is_read_by_others(const struct visit *v, uint64_t lanes)
{
    const struct rt_order_block *b = v->c->block;
    uint32_t first = b->first + v->w->index * v->c->launch->given.warp;
    for (int i = 0; i < 2; i++) {
        const struct rt_seen *r = &v->read->read[i];
        uint32_t lane = r->thread - first;
        if (!r->clock || r->epoch != b->epoch || r->thread - b->first >= b->threads ||
            (lane < RT_MAX_LANES && lanes >> lane & 1))
            return false;
    }
    return rt_are_enough(v->c, v->read->read);
}

/* A read of one place by all lanes comes to an end after two of them, mostly. */
void rt_check_memory(struct rt_warp *w, const struct bc_ins *ins, struct rt_row row)
{
    struct rt_check *c = w->worker->launch->check;
    if (!c || rt_barriers_parted(c->barriers))
        return;
    struct visit v = {.c = c,
                      .text = rt_check_text(c, ins->imm),
                      .w = w,
                      .addresses = rt_v(w, ins->a),
                      .values = rt_w(w, ins->c)};
    const uint32_t *roots = rt_v(w, ins->b);
    v.now.epoch = c->block->epoch;
    v.now.site = (ins->e & SITE_MASK) | (v.text->kind == 'a' ? ATOMIC : 0);
    v.root = roots[rt_lowest(w->active)];
    bool in_short = row.regular && v.text->quick && !c->cells_only;
    bool once = v.text->kind == 'o' && v.text->space != 'p'; /* all lanes tell the same */
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
    if (!c)
        return;
    if (is_sync(c, ins->imm, 'f'))
        rt_order_fence(c->order, w->index, w->active);
    else if (is_sync(c, ins->imm, 'g'))
        rt_order_group(c->order, w->index, w->active);
    else if (c->barriers)
        rt_barriers_tell(c->barriers, w, ins);
}
