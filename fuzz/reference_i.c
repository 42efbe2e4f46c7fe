/* reference_i.c: what holds of a program of class i in whatever order its threads run (fuzz/locks.h):
 *
 * - a thread has a key once, and each time that it was told who executed the operation, it was told just those
 *   threads of its warp that have that key: by Kern's rules all that come to an operation in one iteration of
 *   the loop around it, and of those around that, execute it together;
 * - what a lock guards was counted up as often as threads say they did;
 * - a flag led to what was sent with it.
 */
#include "fuzz/locks.h"

#include <stdio.h>
#include <stdlib.h>

struct entry {
    uint32_t key, lane;
    uint64_t result; /* the group that the operation gave it; 0: not known */
};

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->lane < y->lane ? -1 : x->lane > y->lane;
}

/* Entries of one key. */
static bool same_group(const struct entry *at, uint32_t count, char *text, size_t size)
{
    uint64_t group = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (group >> at[i].lane & 1)
            return snprintf(text, size, "operation %u: lane %u executes it twice", at->key % 64, at[i].lane) <
                   0;
        group |= (uint64_t)1 << at[i].lane;
    }
    for (uint32_t i = 0; i < count; i++)
        if (at[i].result && at[i].result != group)
            return snprintf(text, size,
                            "operation %u, turn %u: lane %u is with the lanes 0x%llx, and is told 0x%llx",
                            at->key % 64, at->key / 64, at[i].lane, (unsigned long long)group,
                            (unsigned long long)at[i].result) < 0;
    return true;
}

static bool warp_holds(struct entry *entries, uint32_t count, char *text, size_t size)
{
    qsort(entries, count, sizeof *entries, by_key);
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && entries[next].key == entries[i].key; next++)
            ;
        if (!same_group(entries + i, next - i, text, size))
            return false;
    }
    return true;
}

static bool words_hold(const struct fz_program *p, void **contents, char *text, size_t size)
{
    const uint32_t *words = contents[FZ_LOCK_BUFFER_WORDS], *taken = contents[FZ_LOCK_BUFFER_TAKEN],
                   *wrong = contents[FZ_LOCK_BUFFER_WRONG];
    uint32_t threads = p->blocks * p->threads;
    for (uint32_t lock = 0; lock < FZ_LOCKS && !p->locks->shared; lock++) {
        uint32_t sum = 0;
        for (uint32_t t = 0; t < threads; t++)
            sum += taken[lock * threads + t];
        if (words[2 * FZ_LOCKS + lock] != sum)
            return snprintf(text, size, "what lock %u guards was counted up to %u by %u times", lock,
                            words[2 * FZ_LOCKS + lock], sum) < 0;
    }
    for (uint32_t t = 0; t < threads; t++)
        if (wrong[t])
            return snprintf(text, size, "thread %u: the flag leads to something else than was sent", t) < 0;
    return true;
}

bool fz_holds_i(const struct fz_program *p, uint32_t width, void **contents, char *text, size_t size)
{
    const uint64_t *log = contents[FZ_LOCK_BUFFER_LOG];
    const uint32_t *key = contents[FZ_LOCK_BUFFER_KEY];
    uint32_t threads = p->blocks * p->threads;
    struct arena a = {0};
    struct entry *entries = arena_array(&a, struct entry, width * FZ_LOCK_ROWS);
    bool holds = words_hold(p, contents, text, size);
    for (uint32_t block = 0; block < p->blocks; block++)
        for (uint32_t first = 0; holds && first < p->threads; first += width) {
            uint32_t count = 0;
            for (uint32_t lane = 0; lane < width && first + lane < p->threads; lane++)
                for (uint32_t row = 0; row < FZ_LOCK_ROWS; row++) {
                    uint32_t at = row * threads + block * p->threads + first + lane;
                    if (key[at])
                        entries[count++] = (struct entry){key[at], lane, log[at]};
                }
            holds = warp_holds(entries, count, text, size);
        }
    arena_free(&a);
    return holds;
}
