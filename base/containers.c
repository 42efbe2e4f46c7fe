/* containers.c: growth of vectors, bit sets, the hash map and interned strings, all in arenas. */
#include "base/base.h"

/* ---- vector ------------------------------------------------------------------------------------ */

#define VEC_MAX ((uint32_t)1 << 31)

/* Doubles the capacity until `need` elements fit; the old elements are copied, their storage abandoned. */
void vec_grow_(struct arena *a, void **at, uint32_t *capacity, uint32_t need, size_t size)
{
    if (need > VEC_MAX)
        mem_fail(SIZE_MAX);
    uint32_t grown = *capacity < 4 ? 4 : *capacity;
    while (grown < need)
        grown = grown > VEC_MAX / 2 ? VEC_MAX : grown * 2;
    void *fresh = arena_alloc_array(a, size, grown);
    if (*capacity)
        memcpy(fresh, *at, *capacity * size);
    *at = fresh;
    *capacity = grown;
}

/* ---- bit set: the bits of the last word beyond `bits` are always clear ---------------------------- */

static uint32_t word_count(struct bitset s)
{
    return s.bits / 64 + (s.bits % 64 != 0);
}

struct bitset bitset_new(struct arena *a, uint32_t bits)
{
    struct bitset s = {NULL, bits};
    s.words = arena_array(a, uint64_t, word_count(s));
    return s;
}

void bitset_clear(struct bitset s)
{
    for (uint32_t i = 0; i < word_count(s); i++)
        s.words[i] = 0;
}

/* Replaces each word w of `into` by `formula` over w and the word f of `from`. */
#define COMBINE(formula)                                                                                     \
    INVARIANT(into.bits == from.bits);                                                                       \
    uint64_t changed = 0;                                                                                    \
    for (uint32_t i = 0; i < word_count(into); i++) {                                                        \
        uint64_t w = into.words[i], f = from.words[i];                                                       \
        into.words[i] = (formula);                                                                           \
        changed |= into.words[i] ^ w;                                                                        \
    }                                                                                                        \
    return changed != 0

bool bitset_union(struct bitset into, struct bitset from)
{
    COMBINE(w | f);
}

bool bitset_subtract(struct bitset into, struct bitset from)
{
    COMBINE(w & ~f);
}

bool bitset_intersect(struct bitset into, struct bitset from)
{
    COMBINE(w & f);
}

void bitset_copy(struct bitset into, struct bitset from)
{
    INVARIANT(into.bits == from.bits);
    for (uint32_t i = 0; i < word_count(into); i++)
        into.words[i] = from.words[i];
}

bool bitset_equal(struct bitset a, struct bitset b)
{
    if (a.bits != b.bits)
        return false;
    for (uint32_t i = 0; i < word_count(a); i++)
        if (a.words[i] != b.words[i])
            return false;
    return true;
}

uint32_t bitset_count(struct bitset s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < word_count(s); i++)
        count += (uint32_t)__builtin_popcountll(s.words[i]);
    return count;
}

uint32_t bitset_next(struct bitset s, uint32_t from)
{
    if (from >= s.bits)
        return s.bits;
    uint32_t i = from / 64;
    uint64_t word = s.words[i] & UINT64_MAX << (from & 63);
    while (!word) {
        if (++i == word_count(s))
            return s.bits;
        word = s.words[i];
    }
    return i * 64 + (uint32_t)__builtin_ctzll(word);
}

/* ---- heap ---------------------------------------------------------------------------------------- */

void heap_push(struct arena *a, heap *h, uint64_t key, uint32_t item)
{
    uint32_t i = h->count;
    vec_resize(a, h, i + 1);
    for (; i && h->at[(i - 1) / 2].key > key; i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i].key = key, h->at[i].item = item;
}

uint32_t heap_pop(heap *h)
{
    uint32_t item = h->at[0].item, n = --h->count, i = 0;
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && h->at[child + 1].key < h->at[child].key;
        if (h->at[child].key >= h->at[n].key)
            break;
        h->at[i] = h->at[child];
    }
    h->at[i] = h->at[n];
    return item;
}

/* ---- hashing ------------------------------------------------------------------------------------ */

/* A product's halves folded together: each bit of either factor reaches all bits of the result. */
uint64_t hash_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)(a ^ 0x8f5a1c64d3e97b25u) * (b ^ 0xb3079de15fc8624bu);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Up to eight bytes as a number, the first lowest, so that hashes are the same on every machine. */
static uint64_t load_little(const unsigned char *p, size_t n)
{
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)p[i] << 8 * i;
    return word;
}

uint64_t hash_bytes(const void *p, size_t n)
{
    const unsigned char *at = p;
    uint64_t hash = n;
    for (; n >= 8; n -= 8, at += 8)
        hash = hash_mix(hash, load_little(at, 8));
    return hash_mix(hash, load_little(at, n));
}

/* ---- map: open addressing, linear probing, at most 3/4 full; a slot is free if its value is MAP_NONE - */

#define TABLE_MAX ((uint32_t)1 << 30)

static uint32_t grown_table(uint32_t capacity)
{
    if (capacity >= TABLE_MAX)
        mem_fail(SIZE_MAX);
    return capacity ? capacity * 2 : 16;
}

static bool table_full(uint32_t count, uint32_t capacity)
{
    return count >= capacity / 4 * 3;
}

/* The key's slot, or the free one where it belongs. The map has a free slot. */
static uint32_t map_slot(const struct map *m, uint64_t key)
{
    uint32_t mask = m->capacity - 1, i = (uint32_t)hash_mix(key, 0) & mask;
    while (m->values[i] != MAP_NONE && m->keys[i] != key)
        i = (i + 1) & mask;
    return i;
}

static void map_grow(struct arena *a, struct map *m)
{
    struct map grown = {.count = m->count, .capacity = grown_table(m->capacity)};
    grown.keys = arena_array(a, uint64_t, grown.capacity);
    grown.values = arena_array(a, uint32_t, grown.capacity);
    memset(grown.values, 0xff, grown.capacity * sizeof *grown.values);
    for (uint32_t i = 0; i < m->capacity; i++) {
        if (m->values[i] == MAP_NONE)
            continue;
        uint32_t slot = map_slot(&grown, m->keys[i]);
        grown.keys[slot] = m->keys[i];
        grown.values[slot] = m->values[i];
    }
    *m = grown;
}

void map_set(struct arena *a, struct map *m, uint64_t key, uint32_t value)
{
    INVARIANT(value != MAP_NONE);
    if (table_full(m->count, m->capacity))
        map_grow(a, m);
    uint32_t i = map_slot(m, key);
    m->count += m->values[i] == MAP_NONE;
    m->keys[i] = key;
    m->values[i] = value;
}

uint32_t map_get(const struct map *m, uint64_t key)
{
    return m->capacity ? m->values[map_slot(m, key)] : MAP_NONE;
}

/* ---- interned strings: a table of pointers to texts, each preceded by its hash and length ---------- */

struct interned {
    uint64_t hash;
    size_t length;
    char text[];
};

static const struct interned *interned_of(const char *text)
{
    return (const struct interned *)(const void *)(text - offsetof(struct interned, text));
}

static bool interned_is(const char *slot, uint64_t hash, const char *text, size_t length)
{
    const struct interned *s = interned_of(slot);
    return s->hash == hash && s->length == length && memcmp(slot, text, length) == 0;
}

static void strings_grow(struct strings *s)
{
    uint32_t capacity = grown_table(s->capacity), mask = capacity - 1;
    const char **slots = arena_array(s->arena, const char *, capacity);
    for (uint32_t i = 0; i < s->capacity; i++) {
        if (!s->slots[i])
            continue;
        uint32_t at = (uint32_t)interned_of(s->slots[i])->hash & mask;
        while (slots[at])
            at = (at + 1) & mask;
        slots[at] = s->slots[i];
    }
    s->slots = slots;
    s->capacity = capacity;
}

static const char *interned_new(struct arena *a, uint64_t hash, const char *text, size_t length)
{
    size_t bytes;
    if (__builtin_add_overflow(length, sizeof(struct interned) + 1, &bytes))
        mem_fail(length);
    struct interned *s = arena_alloc(a, bytes);
    s->hash = hash;
    s->length = length;
    memcpy(s->text, text, length);
    return s->text;
}

const char *intern(struct strings *s, const char *text, size_t length)
{
    if (table_full(s->count, s->capacity))
        strings_grow(s);
    uint64_t hash = hash_bytes(text, length);
    uint32_t mask = s->capacity - 1, i = (uint32_t)hash & mask;
    for (; s->slots[i]; i = (i + 1) & mask)
        if (interned_is(s->slots[i], hash, text, length))
            return s->slots[i];
    s->slots[i] = interned_new(s->arena, hash, text, length);
    s->count++;
    return s->slots[i];
}
