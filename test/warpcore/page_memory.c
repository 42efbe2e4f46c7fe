/* page_memory.c: loads, stores, atomics: what they touch, check and leave. */
#include "test/warpcore/page.h"

/* The bytes at an address, or NULL: it is misaligned or not allocated. */
static uint8_t *bytes_at(struct page_machine *m, struct page_warp *w, uint32_t lane, char space,
                         uint32_t address, uint32_t size, bool stores)
{
    uint64_t end = (uint64_t)address + size;
    if (address % size)
        return NULL;
    if (space == 's')
        return address >= 16 && end <= m->job->shared_bytes ? m->shared + address : NULL;
    if (space == 'p')
        return address >= 16 && end <= m->job->private_bytes ? w->private[lane] + address : NULL;
    for (uint32_t i = 0; i < m->job->memory.count; i++) {
        struct page_memory *at = &m->job->memory.at[i];
        if (address >= at->address && end <= (uint64_t)at->address + at->size)
            return at->read_only && stores ? NULL : at->bytes + (address - at->address);
    }
    return NULL;
}

static uint32_t load(const struct page_row *row, const uint8_t *from)
{
    uint32_t word = 0, size = row->size > 4 ? 4 : row->size;
    memcpy(&word, from, size);
    if (strstr(row->mnemonic, ".s8"))
        return (uint32_t)(int8_t)word;
    return strstr(row->mnemonic, ".s16") ? (uint32_t)(int16_t)word : word;
}

static void store(const struct page_row *row, uint8_t *to, uint32_t word)
{
    if (strstr(row->mnemonic, ".f32"))
        word = page_canonical(word);
    memcpy(to, &word, row->size > 4 ? 4 : row->size);
}

/* Reads, computes, writes a word; gives what was there. */
static uint32_t atom(const struct page_row *row, uint8_t *at, uint32_t b, uint32_t c)
{
    bool is_float = strstr(row->mnemonic, ".f") != NULL;
    uint32_t old, new;
    memcpy(&old, at, 4);
    if (is_float)
        b = page_canonical(b), c = page_canonical(c);
    new = row->lane ? row->lane(old, b, c) : old == b ? c : old;
    if (is_float && row->lane)
        new = page_canonical(new);
    memcpy(at, &new, 4);
    return old;
}

static uint32_t address_of(const struct page_warp *w, uint32_t lane, const struct page_row *row,
                           uint32_t word)
{
    return w->r[lane][page_field(word, 'a')] + (row->kind == PAGE_ATOM ? 0 : page_offset(word));
}

/* Segments of 32 bytes that the active lanes name, beside the first. */
static uint32_t further_segments(const struct page_warp *w, const struct page_row *row, uint32_t word)
{
    uint32_t seen[PAGE_LANES], n = 0;
    page_each_active(l, w)
    {
        uint32_t i = 0, segment = address_of(w, l, row, word) / 32;
        while (i < n && seen[i] != segment)
            i++;
        if (i == n)
            seen[n++] = segment;
    }
    return n - 1;
}

void page_access(struct page_machine *m, struct page_warp *w, const struct page_row *row, uint32_t word,
                 struct page_effect *e)
{
    uint32_t d = page_field(word, 'd');
    uint8_t *at[PAGE_LANES];
    page_each_active(l, w)
    {
        at[l] = bytes_at(m, w, l, row->space, address_of(w, l, row, word), row->size, row->kind != PAGE_LOAD);
        if (!at[l])
            e->fault = "access";
    }
    if (e->fault)
        return;
    if (row->space == 'g')
        e->segments = m->tables->parameter[PAGE_SEGMENT] * further_segments(w, row, word);
    e->more += e->segments;
    page_each_active(l, w)
    {
        uint32_t *r = w->r[l], result = 0;
        if (row->kind == PAGE_STORE)
            store(row, at[l], r[d]);
        else if (row->kind == PAGE_LOAD)
            result = load(row, at[l]);
        else
            result = atom(row, at[l], r[page_field(word, 'b')], r[page_field(word, 'c')]);
        if (row->kind != PAGE_STORE && d)
            r[d] = result;
    }
}
