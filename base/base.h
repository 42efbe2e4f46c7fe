/* base.h: memory, containers and strings that every floor stands on.
 *
 * Ownership. Everything a compilation allocates comes from an arena and is freed with it; containers
 * that grow take the arena as an argument and leave their old storage behind (at most as much again).
 * Nothing is freed singly.
 *
 * Allocation failure. mem_alloc and the arenas never return NULL: they call the innermost mem_guard of
 * the thread (a longjmp to a public entry point, which frees its arenas and returns a status). Without
 * a guard they print one line to stderr and abort.
 */
#ifndef KERNC_BASE_H
#define KERNC_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define UNUSED(x)    ((void)(x))

/* A bug of kernc itself: prints file, line and the text, then aborts. Never for bad input. */
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What an internal error of this thread names beside its place, "in WHAT on OF"; NULL: nothing. */
void bug_context(const char *what, const char *of);
#define BUG(...)        bug_at(__FILE__, __LINE__, __VA_ARGS__)
#define INVARIANT(cond) ((cond) ? (void)0 : BUG("invariant broken: %s", #cond))

/* ---- structs that begin with their size (size_t), which callers may know smaller or larger than we ---- */

/* What the caller's struct has goes to `to`, of n bytes; the rest of it stays. */
void sized_read(void *to, size_t n, const void *callers);
/* The caller's struct gets what it has room for; its size stays. False: it has no size. */
bool sized_write(void *callers, const void *from, size_t n);

/* ---- allocation failure ------------------------------------------------------------------------ */

struct scratch;
struct mem_guard {
    jmp_buf jump;
    struct mem_guard *outer;
    struct scratch *scratch; /* the innermost where the guard was entered: what began since is freed */
    volatile bool armed;
};
/* if (mem_guard_enter(&g)) { clean up; return NO_MEMORY; } ... mem_guard_leave(&g); */
#define mem_guard_enter(g) (mem_guard_push(g), setjmp((g)->jump) != 0)
/* Makes g the innermost guard of the thread; called by mem_guard_enter alone, as setjmp has to stand in the
 * caller. */
void mem_guard_push(struct mem_guard *g);
void mem_guard_leave(struct mem_guard *g); /* pops g; also called by the failure path before the jump */

/* Around a call of the user's function, which may leave for good by longjmp: the thread is as if no function
 * of ours ran, whose guards and scratch arenas lie in frames that are no more then. */
struct mem_outside {
    struct mem_guard *guard;
    struct scratch *scratch;
};
struct mem_outside mem_go_outside(void);
void mem_come_back(struct mem_outside o);

void *mem_alloc(size_t bytes);            /* zeroed; free with mem_free */
void *mem_realloc(void *p, size_t bytes); /* contents kept, the rest undefined */
/* Advises the host to back what is as large as a huge page, and not yet touched, with huge pages. mem_alloc
 * and mem_realloc do. A page fault for every 4 KiB takes a third of the time of compiling a large module, and
 * more on virtual machines. */
void mem_prefer_huge_pages(void *at, size_t bytes);
/* Frees what mem_alloc or mem_realloc gave; NULL is allowed. */
void mem_free(void *p);
/* What allocations do that fail: ends the scratch arenas begun since the innermost guard and jumps to it.
 * `bytes` is for the message where there is none; callers whose sizes overflow give SIZE_MAX. */
_Noreturn void mem_fail(size_t bytes);
/* Test rig: the n-th allocation of this thread from now fails, once; n <= 0 switches it off. */
void mem_fail_after(long allocations);

/* ---- arena ------------------------------------------------------------------------------------- */

struct arena_chunk;
struct arena {
    struct arena_chunk *chunks;
    char *at, *end; /* of what is free and clear */
    char *limit;    /* of the chunk in use */
    size_t total;   /* bytes taken from the host, chunk headers included */
};
/* Makes an arena empty, as zeroed memory is: nothing is allocated yet. */
void arena_init(struct arena *a);
void arena_free(struct arena *a); /* frees all; the arena is empty and usable again */
/* The same, but a small arena keeps its memory for what comes next. Linear in its chunks. */
void arena_reset(struct arena *a);
void *arena_alloc(struct arena *a, size_t bytes); /* zeroed; 16-byte aligned, 8 if no larger */
/* count elements of `size` bytes, zeroed; a product beyond size_t counts as no memory. */
void *arena_alloc_array(struct arena *a, size_t size, size_t count);
/* A copy of `length` bytes with a NUL behind them. */
char *arena_strdup(struct arena *a, const char *s, size_t length);
/* The formatted text, NUL-terminated, in the arena. */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list args);
#define arena_new(a, type)          ((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, count) ((type *)arena_alloc_array((a), sizeof(type), (count)))

/* An arena for the work of one function, in its frame. scratch_end frees it; so does running out of memory,
 * before it unwinds to the guard, which a plain arena in a frame would not survive. The last that began ends
 * first. */
struct scratch {
    struct arena arena, spare; /* spare: empty, that of a scratch inside which has ended, for the next one */
    struct scratch *outer;
};
struct arena *scratch_begin(struct scratch *s); /* its arena, empty */
/* Frees all in its arena; a small one's memory stays for the next scratch that begins inside the same one. */
void scratch_end(struct scratch *s);

/* ---- vector: VEC(T) v = {0}; ------------------------------------------------------------------- */

#define VEC(type)                                                                                            \
    struct {                                                                                                 \
        type *at;                                                                                            \
        uint32_t count, capacity;                                                                            \
    }
typedef VEC(uint32_t) u32_vec;

/* Moves the elements to an array with room for `need`, at least twice the old; the old one stays in the
 * arena. Of the vec_ macros. */
void vec_grow_(struct arena *a, void **at, uint32_t *capacity, uint32_t need, size_t size);
#define vec_reserve(a, v, n)                                                                                 \
    ((n) > (v)->capacity ? vec_grow_((a), (void **)&(v)->at, &(v)->capacity, (n), sizeof *(v)->at) : (void)0)
#define vec_push(a, v, x)   (vec_reserve((a), (v), (v)->count + 1), (v)->at[(v)->count++] = (x))
#define vec_pop(v)          ((v)->at[--(v)->count])
#define vec_last(v)         ((v)->at[(v)->count - 1])
#define vec_resize(a, v, n) (vec_reserve((a), (v), (n)), (v)->count = (n)) /* new elements undefined */
#define vec_clear(v)        ((v)->count = 0)

/* ---- bit set: fixed size, all bits clear at first ------------------------------------------------ */

struct bitset {
    uint64_t *words;
    uint32_t bits;
};
/* The words lie in the arena. */
struct bitset bitset_new(struct arena *a, uint32_t bits);
/* The word of member i. Sanitized builds check that i < bits: a neighbour's memory would hide the mistake. */
static inline uint64_t *bitset_word_(struct bitset s, uint32_t i)
{
#ifdef __SANITIZE_ADDRESS__
    INVARIANT(i < s.bits);
#endif
    return &s.words[i >> 6];
}
static inline bool bitset_has(struct bitset s, uint32_t i)
{
    return *bitset_word_(s, i) >> (i & 63) & 1;
}
static inline void bitset_add(struct bitset s, uint32_t i)
{
    *bitset_word_(s, i) |= (uint64_t)1 << (i & 63);
}
static inline void bitset_remove(struct bitset s, uint32_t i)
{
    *bitset_word_(s, i) &= ~((uint64_t)1 << (i & 63));
}
/* Linear in the set's bits, as all below; the two sets have as many bits. */
void bitset_clear(struct bitset s);
bool bitset_union(struct bitset into, struct bitset from);     /* true if `into` changed */
bool bitset_subtract(struct bitset into, struct bitset from);  /* true if `into` changed */
bool bitset_intersect(struct bitset into, struct bitset from); /* true if `into` changed */
void bitset_copy(struct bitset into, struct bitset from);
/* False too of sets with different numbers of bits. */
bool bitset_equal(struct bitset a, struct bitset b);
uint32_t bitset_count(struct bitset s);
uint32_t bitset_next(struct bitset s, uint32_t from); /* first member >= from, or s.bits */
#define bitset_each(i, s) for (uint32_t i = bitset_next((s), 0); i < (s).bits; i = bitset_next((s), i + 1))

/* ---- heap ---------------------------------------------------------------------------------------- */

/* A binary heap (Williams, 1964): at[0] has the least key. */
typedef VEC(struct {
    uint64_t key;
    uint32_t item;
}) heap;
/* O(log count) each. */
void heap_push(struct arena *a, heap *h, uint64_t key, uint32_t item);
uint32_t heap_pop(heap *h); /* an item with the least key; there is one */

/* ---- hash maps ---------------------------------------------------------------------------------- */

#define MAP_NONE UINT32_MAX
/* From 64-bit keys to uint32_t; iteration order is not defined, so results must not depend on it. */
struct map {
    uint64_t *keys;
    uint32_t *values;
    uint32_t count, capacity;
};
void map_set(struct arena *a, struct map *m, uint64_t key, uint32_t value); /* value != MAP_NONE */
uint32_t map_get(const struct map *m, uint64_t key);                        /* MAP_NONE if absent */
/* The same on every machine; hash_mix of two words, too. */
uint64_t hash_bytes(const void *p, size_t n);
uint64_t hash_mix(uint64_t a, uint64_t b);

/* Interned strings: equal texts have equal pointers. Each is NUL-terminated and lives in the arena. */
struct strings {
    struct arena *arena;
    const char **slots;
    uint32_t count, capacity;
};
/* The one string with this text, made on first use. */
const char *intern(struct strings *s, const char *text, size_t length);
static inline const char *intern_z(struct strings *s, const char *z)
{
    return intern(s, z, strlen(z));
}

/* ---- text under construction --------------------------------------------------------------------- */

/* Owns heap memory: text_free when done, or hand `at` (NUL-terminated) to the one who frees it. With an arena
 * its bytes lie there and nothing is to be freed: so where memory may run out while a function has the text.
 * `at` is NULL until something is added. */
struct text {
    char *at;
    size_t length, capacity;
    struct arena *arena;
};
/* Empty again; an arena stays its arena. */
void text_free(struct text *t);
/* Appends n bytes, which may be any; text_addz appends a string, text_char one byte. */
void text_add(struct text *t, const char *bytes, size_t n);
void text_addz(struct text *t, const char *z);
void text_char(struct text *t, char c);
/* Appends the formatted text. */
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *fmt, va_list args);
void text_json(struct text *t, const char *bytes, size_t n); /* a quoted JSON string, UTF-8 made valid */
/* The shortest decimal that reads back the same, with a point or an exponent in it; or inf, -inf, nan. */
void text_double(struct text *t, double d);
void text_float(struct text *t, float f);
/* A string in quotes with \n \t \" \\ \xNN. */
void text_quoted(struct text *t, const char *bytes, size_t n);
/* Control characters (but \n and \t) and broken UTF-8 shown as \xNN: safe to print on a terminal. */
void text_visible(struct text *t, const char *bytes, size_t n);
void text_visible_line(struct text *t, const char *bytes, size_t n); /* \n and \t shown as \xNN as well */

/* Unified diff of two texts by Myers' linear-space algorithm, three lines of context. Beyond
 * DIFF_MAX_COST line edits the texts' differing middle is shown as replaced whole. `shown`, if it has any
 * text, has a line for each of `compared`, which is printed in its place. */
#define DIFF_MAX_COST 4000u
struct diff_version {
    struct text compared, shown;
};
/* Appends the diff, lines with -, + and a space and @@ headers; nothing if the texts are equal. */
void text_diff(const struct diff_version *before, const struct diff_version *after, struct text *out);

/* The float nearest to a decimal, rounded once; false if it is not finite. */
bool decimal_float(const char *text, float *f);

/* The character at the start of n bytes: its length in bytes, 0 if it is no valid UTF-8 (or n == 0). */
unsigned utf8_decode(const char *bytes, size_t n, uint32_t *point);
/* The same, and 0 also for control characters and those that reorder the text around them. */
unsigned utf8_visible(const char *bytes, size_t n);

/* ---- files: whole or not at all ------------------------------------------------------------------- */

/* Reads a file ("-": standard input) whole into t, replacing its content and refusing more than `limit`
 * bytes. NULL, or why not (a constant or the host's text for the error). */
const char *file_read(const char *path, size_t limit, struct text *t);
bool file_exists(const char *path);
/* Whether both name one file that is there, by whatever path or link. */
bool file_is_same(const char *a, const char *b);
extern const char file_too_large[]; /* what it says of a file of more than `limit` bytes */
/* Writes to a temporary file beside `path`, then renames it ("-": standard output). NULL, or why not. */
const char *file_write(const char *path, const void *bytes, size_t n);

#endif
