/* cycle.h: whether a machine that repeats what it does from equal states is in a state where it has been
 * before.
 *
 * It is looked at now and then. By R. P. Brent's method one state is kept, and replaced after 4, 8, 16 …
 * looks, so that each cycle is found, however late it begins, after a few times its length. States are kept
 * as digests, in three parts, and the later ones are asked for only where those before are as they were: the
 * registers and what else is small; the memory that nobody else sees; the memory that all see, and that only
 * where somebody may have stored in it. No more bytes of memory are looked at than instructions have run.
 */
#ifndef KERNC_RT_CYCLE_H
#define KERNC_RT_CYCLE_H

#include "base/base.h"

/* Of two states that differ, the digests do, but for one pair in 2^60 or fewer. Words go to the four parts by
 * turns, which so do not wait for each other. */
struct rt_digest {
    uint64_t part[4];
    uint32_t next;
};
/* hash_mix, without its call. */
static inline uint64_t rt_digest_mix(uint64_t part, uint64_t word)
{
    unsigned __int128 product =
        (unsigned __int128)(part ^ 0x8f5a1c64d3e97b25u) * (word ^ 0xb3079de15fc8624bu);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}
static inline void rt_digest_word(struct rt_digest *d, uint64_t word)
{
    uint64_t *part = &d->part[d->next++ % 4];
    *part = rt_digest_mix(*part, word);
}
static inline bool rt_digest_equal(const struct rt_digest *a, const struct rt_digest *b)
{
    return memcmp(a->part, b->part, sizeof a->part) == 0;
}
void rt_digest_bytes(struct rt_digest *d, const void *bytes, size_t size);

/* What is seen at a look. */
struct rt_sight {
    uint64_t ran;    /* instructions since the look before, about */
    uint64_t stores; /* grows where the memory of all may have been changed by this machine */
    bool alone;      /* nobody else may change it */
    struct rt_digest near;
    uint64_t own_bytes, memory_bytes;
    void (*own)(void *from, struct rt_digest *d); /* add the other parts */
    void (*memory)(void *from, struct rt_digest *d);
    void *from;
};

enum rt_found {
    RT_ELSEWHERE, /* not there, for all that was looked at */
    RT_BEGINS,    /* a cycle may begin here */
    RT_CLOSED, /* a cycle that began has come to its end. Unless alone: if nobody else has changed memory */
};

struct rt_cycle {
    struct rt_digest near, own, memory;
    bool has_own, has_memory;
    uint64_t left,
        limit;       /* looks until another state is kept; how many there were at first. 0: none is kept */
    uint64_t bytes;  /* of memory that may be looked at */
    uint64_t stores; /* where the cycle began */
};
/* Zeroed: nothing has been seen yet. */
enum rt_found rt_cycle_look(struct rt_cycle *c, const struct rt_sight *s);

#endif
