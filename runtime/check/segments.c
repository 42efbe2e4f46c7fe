/* segments.c: the shadow of memory in short; see check.h.
 *
 * Most warps access words in a row, lane by lane, and so do the next ones. So memory is cut into segments, and
 * of each of the three things that a cell remembers of a word (the latest store, two reads) a segment has a
 * *run*: one rt_seen for all words of a set, of which thread T + (W >> spread) has accessed word W. A warp's
 * access in a row is compared with the three runs, and joins or replaces one, in a few steps for all its lanes;
 * the shadow is a third of the memory, where cells are 16 times as large.
 *
 * Nothing is lost: runs say of each word what its cell would, and where they cannot (other rows, other sites of
 * some of the words, narrow or atomic accesses, or whatever memory.c would have to look at) the segment gets
 * cells, filled from the runs, and keeps them; those of shared memory until the block ends.
 */
#include "runtime/check/shadow.h"

/* ---- segments and their cells ------------------------------------------------------------------------ */

void rt_shadow_clear(struct rt_shadow *s)
{
    if (s->used)
        memset(s->pages, 0, (size_t)s->used * PAGE_SEGMENTS * sizeof *s->pages);
    s->used = 0;
}

/* Pages for all buffers are allocated together, and kept for the context's next launch: one that touches memory
 * for the first time spends most of its time on the host's page faults. What is beyond is the launch's. */
static struct rt_segment *new_page(struct rt_check *c)
{
    struct kernc_context *k = c->launch->context;
    struct rt_shadow *s = &k->shadow;
    if (!s->count) {
        uint64_t pages = (k->memory.used >> PAGE_SHIFT) + 1;
        uint32_t count = pages < RT_SHADOW_KEPT ? (uint32_t)pages : RT_SHADOW_KEPT;
        s->pages = arena_array(&k->arena, struct rt_segment, (size_t)count * PAGE_SEGMENTS);
        s->count = count;
    }
    return s->used < s->count ? s->pages + (size_t)PAGE_SEGMENTS * s->used++
                              : arena_array(&c->arena, struct rt_segment, PAGE_SEGMENTS);
}

static struct rt_segment *segment_of(struct rt_check *c, char space, uint32_t address)
{
    struct rt_segment **page = &c->pages[address >> PAGE_SHIFT];
    if (space == 'g' && !*page)
        *page = new_page(c);
    return rt_segment_seen(c, space, address);
}

static uint32_t thread_at(const struct rt_seen *like, uint32_t word)
{
    return like->thread + (word >> (like->site >> SPREAD_SHIFT));
}

/* What was seen of the word of the space, which is in the run's segment. */
static struct rt_seen seen_at(const struct rt_run *r, uint32_t word)
{
    struct rt_seen seen = r->like;
    if (!(r->words >> word % SEGMENT_CELLS & 1))
        return (struct rt_seen){0};
    seen.thread = thread_at(&seen, word);
    seen.site &= ~(3u << SPREAD_SHIFT);
    return seen;
}

static struct rt_cell cell_at(const struct rt_segment *s, uint32_t word)
{
    struct rt_cell cell = {.store = seen_at(&s->store, word),
                           .read = {seen_at(&s->read[0], word), seen_at(&s->read[1], word)}};
    cell.written = cell.store.clock ? ALL_BYTES : 0;
    return cell;
}

/* Number of the word in its space, as segments count. */
static uint32_t word_of(char space, uint32_t address)
{
    return (address - (space == 'h' ? BC_FIRST_ADDRESS : 0)) / CELL_BYTES;
}

struct rt_cell rt_word_seen(const struct rt_check *c, char space, uint32_t address)
{
    const struct rt_segment *s = rt_segment_seen(c, space, address);
    if (s && s->cells)
        return s->cells[rt_word_in_segment(space, address)];
    return s ? cell_at(s, word_of(space, address)) : (struct rt_cell){0};
}

/* They are not cleared. */
static struct rt_cell *take(struct rt_check *c, struct rt_spare **spare, uint32_t count)
{
    struct rt_spare *first = *spare;
    if (!first)
        return arena_array(&c->arena, struct rt_cell, count);
    *spare = first->next;
    return (struct rt_cell *)first;
}

static void give_back(struct rt_spare **spare, struct rt_cell *cells)
{
    struct rt_spare *first = (struct rt_spare *)cells;
    first->next = *spare;
    *spare = first;
}

struct rt_cell *rt_byte_cells(struct rt_check *c)
{
    struct rt_cell *bytes = take(c, &c->spare_bytes, CELL_BYTES);
    memset(bytes, 0, CELL_BYTES * sizeof *bytes);
    return bytes;
}

void rt_free_byte_cells(struct rt_check *c, struct rt_cell *bytes)
{
    give_back(&c->spare_bytes, bytes);
}

struct rt_cell *rt_cell_of(struct rt_check *c, char space, uint32_t address)
{
    struct rt_segment *s = segment_of(c, space, address);
    uint32_t at = rt_word_in_segment(space, address), first = word_of(space, address) - at;
    if (!s->cells) {
        s->cells = take(c, &c->spare_cells, SEGMENT_CELLS);
        for (uint32_t i = 0; i < SEGMENT_CELLS; i++)
            s->cells[i] = cell_at(s, first + i);
    }
    return &s->cells[at];
}

void rt_forget_shared(struct rt_check *c)
{
    for (uint32_t i = 0; i < c->shared_segments; i++) {
        struct rt_segment *s = &c->shared[i];
        for (uint32_t k = 0; s->cells && k < SEGMENT_CELLS; k++)
            rt_drop_more(c, &s->cells[k]);
        if (s->cells)
            give_back(&c->spare_cells, s->cells);
        *s = (struct rt_segment){0};
    }
}

/* ---- rows against runs ------------------------------------------------------------------------------- */

/* What accesses of a run to the words of the row are to the row's, all of them: none, or the same threads' or
 * before the block's latest barrier; by other threads of the block since; by other blocks; or neither of these.
 * `segment`: its first word. */
enum relation { DONE, HERE, ELSEWHERE, MIXED };

static enum relation relation_of(const struct row_access *a, const struct rt_run *r, uint32_t segment)
{
    const struct rt_order_block *b = a->v->c->block;
    uint64_t both = r->words & a->words;
    if (!both)
        return DONE;
    bool same_spread = !((r->like.site ^ a->like.site) >> SPREAD_SHIFT);
    if (same_spread && r->like.thread == a->like.thread)
        return DONE;
    uint32_t low = thread_at(&r->like, segment + rt_lowest(both)) - b->first,
             high = thread_at(&r->like, segment + 63 - (uint32_t)__builtin_clzll(both)) - b->first;
    bool low_here = low < b->threads, high_here = high < b->threads;
    if (low_here && high_here)
        return r->like.epoch < b->epoch ? DONE : same_spread ? HERE : MIXED;
    return !low_here && !high_here && low <= high ? ELSEWHERE : MIXED;
}

/* The run has the row's words by the row's accesses, and the others as before. False: it can't. */
static bool join(const struct row_access *a, struct rt_run *r)
{
    if (r->words & ~a->words && memcmp(&r->like, &a->like, sizeof r->like) != 0)
        return false;
    r->like = a->like;
    r->words |= a->words;
    return true;
}

/* As memory.c's remember_read. */
static bool remember_read(const struct row_access *a, struct rt_segment *s, uint32_t segment)
{
    for (int i = 0; i < 2; i++) {
        struct rt_run *r = &s->read[i];
        enum relation before = relation_of(a, r, segment);
        if (before == DONE)
            return join(a, r);
        if (before == MIXED || a->words & ~r->words || (before == ELSEWHERE && a->v->c->block->knows))
            return false;
    }
    return a->v->c->reads == RT_TWO_THREADS;
}

static bool read_row(const struct row_access *a, struct rt_segment *s, uint32_t segment)
{
    const struct check_text *t = a->v->text;
    if (t->space == 'h' && t->checks & UNINIT && a->words & ~s->store.words)
        return false;
    if (!(s->store.like.site & SILENT) && relation_of(a, &s->store, segment) != DONE)
        return false;
    return remember_read(a, s, segment);
}

static uint32_t count_equal(const uint8_t *memory, const uint64_t *values, uint32_t lanes)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t there;
        memcpy(&there, memory + i * sizeof there, sizeof there);
        n += there == (uint32_t)values[i];
    }
    return n;
}

/* The memory of the lowest lane. */
static const uint8_t *memory_of(const struct row_access *a)
{
    const struct rt_warp *w = a->v->w;
    uint32_t address = a->first + rt_lowest(a->lanes) * (CELL_BYTES << a->spread);
    return (a->v->text->space == 'h' ? w->spaces.shared : w->spaces.global) + address;
}

/* How many of the lanes store what is there. */
static uint32_t count_silent(const struct row_access *a)
{
    const struct visit *v = a->v;
    const uint8_t *memory = memory_of(a);
    uint32_t low = rt_lowest(a->lanes), step = CELL_BYTES << a->spread, n = 0;
    uint64_t lanes = a->lanes >> low;
    if (step == CELL_BYTES && !(lanes & (lanes + 1)))
        return count_equal(memory, v->values + low, (uint32_t)__builtin_popcountll(lanes));
    rt_each_lane(i, lanes)
        n += memcmp(memory + i * step, &v->values[low + i], v->text->bytes) == 0;
    return n;
}

static bool write_row(struct row_access *a, struct rt_segment *s, uint32_t segment)
{
    uint32_t silent = count_silent(a);
    if (silent && silent < (uint32_t)__builtin_popcountll(a->lanes))
        return false;
    if (silent) {
        struct row_access quiet = *a;
        quiet.like.site |= SILENT;
        uint64_t stored = a->words & s->store.words;
        bool first = !stored || (s->store.like.site & SILENT && relation_of(a, &s->store, segment) == DONE);
        if (first)
            return join(&quiet, &s->store);
        return stored == a->words && remember_read(&quiet, s, segment);
    }
    return relation_of(a, &s->store, segment) == DONE && relation_of(a, &s->read[0], segment) == DONE &&
           relation_of(a, &s->read[1], segment) == DONE && join(a, &s->store);
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* The words of lanes, the lowest of which is lane 0, from that of lane 0 on. */
static uint64_t words_of(const struct row_access *a, uint64_t lanes)
{
    static const uint64_t every[] = {UINT64_MAX, 0x5555555555555555, 0x1111111111111111, 0x0101010101010101};
    uint64_t words = 0, each = a->v->text->bytes == 2 * CELL_BYTES ? 3 : 1;
    if (lanes & (lanes + 1))
        rt_each_lane(i, lanes)
            words |= each << (i << a->spread);
    else {
        uint32_t count = (uint32_t)__builtin_popcountll(lanes) << a->spread;
        words = (every[a->spread] & UINT64_MAX >> (SEGMENT_CELLS - count)) * each;
    }
    return words;
}

/* The access' part in the segment of its lowest lane, which is at the address. Tells the lanes that are left to
 * be looked at. */
static uint64_t visit_segment(struct row_access *a, uint32_t address)
{
    struct rt_check *c = a->v->c;
    char space = a->v->text->space;
    struct rt_segment *s = segment_of(c, space, address);
    uint32_t at = rt_word_in_segment(space, address), segment = word_of(space, address) - at;
    if (s->cells)
        return rt_visit_cells(a, &s->cells[at], memory_of(a));
    a->words = words_of(a, a->lanes >> rt_lowest(a->lanes)) << at;
    bool good = a->even && (a->v->text->kind == 'r' ? read_row(a, s, segment) : write_row(a, s, segment));
    return good ? 0 : a->lanes;
}

static bool is_in_object(const struct visit *v, uint32_t address)
{
    const struct check_text *t = v->text;
    if (rt_is_near(t, address, v->root))
        return true;
    if (!t->size)
        v->c->texts[t - v->c->texts].last = rt_object_of(v);
    return !t->size && rt_is_near(t, address, v->root);
}

/* Whether the addresses from that of the row's lowest lane to that of its highest are in order. */
static bool is_inside(const struct visit *v, uint32_t low, uint32_t high)
{
    const struct check_text *t = v->text;
    if (high < low || (t->checks & BOUNDS && !(is_in_object(v, low) && is_in_object(v, high))))
        return false;
    uint64_t end = (uint64_t)high + t->bytes;
    if (t->space == 'h')
        return low >= BC_FIRST_ADDRESS && end <= v->w->spaces.shared_bytes &&
               !(t->kind == 'w' && v->c->doubts.count);
    const uint32_t *limits = t->kind == 'w' ? v->w->spaces.store_limits : v->w->spaces.limits;
    uint32_t limit = limits[low >> RT_SEGMENT_SHIFT];
    return limits[high >> RT_SEGMENT_SHIFT] == limit && end <= limit;
}

static void find_clock(struct row_access *a)
{
    const struct visit *v = a->v;
    const uint32_t *clocks = v->c->clocks + v->w->index * v->c->launch->given.warp;
    a->like.clock = clocks[rt_lowest(v->w->active)];
    a->even = true;
    if (v->c->block->moved)
        rt_each_lane(i, v->w->active)
            a->even &= clocks[i] == a->like.clock;
}

/* Whether the row is one of words that a run can have, and all is well with its places. */
static bool find_row(struct row_access *a, struct rt_row row)
{
    const struct visit *v = a->v;
    uint32_t bytes = v->text->bytes, low = rt_lowest(v->w->active),
             high = 63 - (uint32_t)__builtin_clzll(v->w->active), step = low == high ? bytes : row.step;
    if (bytes < CELL_BYTES || row.first & (bytes - 1) || step < bytes || step & (step - 1) ||
        step > 8 * CELL_BYTES)
        return false;
    a->spread = (uint32_t)__builtin_ctz(step / CELL_BYTES);
    a->first = row.first - low * step;
    if (!is_inside(v, row.first, row.first + (high - low) * step))
        return false;
    a->like = v->now;
    a->like.site |= (uint32_t)ALL_BYTES << BYTES_SHIFT | a->spread << SPREAD_SHIFT;
    a->like.thread = v->c->block->first + v->w->index * v->c->launch->given.warp + low -
                     (word_of(v->text->space, row.first) >> a->spread);
    find_clock(a);
    return true;
}

uint64_t rt_visit_row(struct visit *v, struct rt_row row)
{
    struct row_access a = {.v = v};
    uint64_t left = 0;
    if (!find_row(&a, row))
        return v->w->active;
    for (uint64_t rest = v->w->active; rest; rest &= ~a.lanes) {
        uint32_t lane = rt_lowest(rest), address = a.first + lane * (CELL_BYTES << a.spread),
                 words = SEGMENT_CELLS - rt_word_in_segment(v->text->space, address),
                 room = (words + (1u << a.spread) - 1) >> a.spread; /* lanes that the segment has words for */
        a.lanes = rest & (UINT64_MAX >> (64 - room)) << lane;
        left |= visit_segment(&a, address);
    }
    return left;
}
