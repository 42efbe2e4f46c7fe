/* quick.c: most accesses in few steps: loads and stores of whole cells, or of the same bytes as before, that
 * nothing races with as all others were before the latest barrier, or are the thread's own. What is remembered
 * is what memory.c would; all else is left to it. See check.h.
 */
#include "runtime/check/shadow.h"

static inline bool has_bytes(const struct rt_seen *seen, uint32_t bytes)
{
    return !seen->clock || (seen->site >> BYTES_SHIFT & ALL_BYTES) == bytes;
}

/* In place of a read of the thread's own, or of one that was before; of others two stay, if that is enough. A
 * silent store counts as a read. */
static inline bool remember_read(const struct rt_check *c, struct rt_cell *cell, struct rt_seen now,
                                 bool knows)
{
    const struct rt_order_block *b = c->block;
    for (int i = 0; i < 2; i++) {
        struct rt_seen *r = &cell->read[i];
        if (r->thread == now.thread || rt_is_past(b, r)) {
            *r = now;
            return true;
        }
        if (r->thread - b->first >= b->threads && knows)
            return false;
    }
    return rt_are_enough(c, cell->read);
}

/* False: it is to be looked at. knows: the thread has learnt of other blocks. */
static inline bool read_cell(const struct rt_check *c, struct rt_cell *cell, struct rt_seen now,
                             uint32_t bytes, bool knows)
{
    const struct rt_order_block *b = c->block;
    const struct rt_seen *s = &cell->store;
    if (cell->more || !(rt_is_past(b, s) || s->thread == now.thread) || !has_bytes(s, bytes) ||
        !has_bytes(&cell->read[0], bytes) || !has_bytes(&cell->read[1], bytes))
        return false;
    now.site |= bytes << BYTES_SHIFT;
    return remember_read(c, cell, now, knows);
}

static inline bool write_cell(const struct rt_check *c, struct rt_cell *cell, struct rt_seen now,
                              uint32_t bytes, bool silent, bool knows)
{
    const struct rt_order_block *b = c->block;
    const struct rt_seen *all[] = {&cell->store, &cell->read[0], &cell->read[1]};
    if (cell->more)
        return false;
    for (int i = 0; i < 3; i++)
        if (!(rt_is_past(b, all[i]) || all[i]->thread == now.thread) || !has_bytes(all[i], bytes))
            return false;
    cell->written |= bytes;
    now.site |= bytes << BYTES_SHIFT | (silent ? SILENT : 0);
    if (silent && cell->store.clock && !(cell->store.site & SILENT))
        return remember_read(c, cell, now, knows);
    cell->store = now;
    return true;
}

static inline bool is_there(const uint8_t *memory, uint64_t value, uint32_t bytes)
{
    uint64_t there = 0;
    switch (bytes) {
    case 1: return *memory == (uint8_t)value;
    case 4: memcpy(&there, memory, 4); return (uint32_t)there == (uint32_t)value;
    case 8: memcpy(&there, memory, 8); return there == value;
    default: memcpy(&there, memory, bytes); return memcmp(&there, &value, bytes) == 0;
    }
}

static uint64_t read_cells(const struct row_access *a, struct rt_cell *cells)
{
    const struct visit *v = a->v;
    const struct rt_check *c = v->c;
    const struct rt_order_block *b = c->block;
    uint32_t n = v->text->bytes / CELL_BYTES, first = v->w->index * c->launch->given.warp,
             low = rt_lowest(a->lanes);
    bool uninit = v->text->space == 'h' && v->text->checks & UNINIT;
    struct rt_seen now = v->now;
    uint64_t left = 0;
    rt_each_lane(i, a->lanes) {
        uint64_t word = (i - low) << a->spread;
        struct rt_cell *cell = &cells[word];
        bool knows = b->knows && c->knowledge[first + i], good = true;
        now.thread = b->first + first + (uint32_t)i;
        now.clock = c->clocks[first + i];
        for (uint32_t k = 0; good && k < n; k++)
            good = (!uninit || cell[k].written == ALL_BYTES) && read_cell(c, &cell[k], now, ALL_BYTES, knows);
        left |= (uint64_t)!good << i;
    }
    return left;
}

static uint64_t write_cells(const struct row_access *a, struct rt_cell *cells, const uint8_t *memory)
{
    const struct visit *v = a->v;
    const struct rt_check *c = v->c;
    const struct rt_order_block *b = c->block;
    uint32_t bytes = v->text->bytes, first = v->w->index * c->launch->given.warp, low = rt_lowest(a->lanes);
    struct rt_seen now = v->now;
    uint64_t left = 0;
    rt_each_lane(i, a->lanes) {
        uint64_t word = (i - low) << a->spread;
        struct rt_cell *cell = &cells[word];
        bool silent = is_there(memory + word * CELL_BYTES, v->values[i], bytes), good = true,
             knows = b->knows && c->knowledge[first + i];
        now.thread = b->first + first + (uint32_t)i;
        now.clock = c->clocks[first + i];
        for (uint32_t k = 0; good && k < bytes / CELL_BYTES; k++)
            good = write_cell(c, &cell[k], now, ALL_BYTES, silent, knows);
        left |= (uint64_t)!good << i;
    }
    return left;
}

uint64_t rt_visit_cells(const struct row_access *a, struct rt_cell *cells, const uint8_t *memory)
{
    return a->v->text->kind == 'r' ? read_cells(a, cells) : write_cells(a, cells, memory);
}

bool rt_check_quickly(struct visit *v, uint64_t value)
{
    const struct check_text *t = v->text;
    struct rt_check *c = v->c;
    uint32_t n = t->bytes < CELL_BYTES ? 1 : t->bytes / CELL_BYTES, bytes = ALL_BYTES;
    if (v->address & (t->bytes - 1) || (t->checks & BOUNDS && !rt_is_near(t, v->address, v->root)))
        return false;
    if (t->space == 'h' &&
        (v->address < BC_FIRST_ADDRESS || v->address + t->bytes > c->launch->sizes.shared.bytes))
        return false;
    const struct rt_segment *segment = rt_segment_seen(c, t->space, v->address);
    if (!segment || !segment->cells)
        return false;
    struct rt_cell *cell = &segment->cells[rt_word_in_segment(t->space, v->address)];
    if (t->bytes < CELL_BYTES)
        bytes = ((1u << t->bytes) - 1) << v->address % CELL_BYTES;
    bool knows = c->knowledge[v->now.thread - c->block->first];
    if (t->kind == 'r') {
        bool uninit = t->space == 'h' && t->checks & UNINIT;
        for (uint32_t i = 0; i < n; i++)
            if ((uninit && (cell[i].written & bytes) != bytes) ||
                !read_cell(c, &cell[i], v->now, bytes, knows))
                return false;
        v->read = n == 1 ? cell : NULL;
        return true;
    }
    enum rt_space space = t->space == 'h' ? RT_SHARED : RT_GLOBAL;
    const uint8_t *memory = rt_locate(v->w, space, true, v->lane, v->address, t->bytes, 1);
    if (!memory || (t->space == 'h' && c->doubts.count))
        return false;
    bool silent = is_there(memory, value, t->bytes);
    for (uint32_t i = 0; i < n; i++)
        if (!write_cell(c, &cell[i], v->now, bytes, silent, knows))
            return false;
    return true;
}
