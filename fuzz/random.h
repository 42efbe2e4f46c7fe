/* random.h: splitmix64, the one source of chance: a program is a function of its seed on every machine. */
#ifndef KERNC_FUZZ_RANDOM_H
#define KERNC_FUZZ_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct fz_random {
    uint64_t state;
};

static inline uint64_t fz_next(struct fz_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Streams of different seeds and purposes have nothing in common. */
static inline struct fz_random fz_random(uint64_t seed, uint64_t purpose)
{
    struct fz_random r = {seed};
    r.state = fz_next(&r) ^ purpose * 0xd1342543de82ef95u;
    return r;
}

/* 0 to n - 1; n > 0. */
static inline uint32_t fz_below(struct fz_random *r, uint32_t n)
{
    return (uint32_t)((fz_next(r) >> 32) * n >> 32);
}

static inline bool fz_chance(struct fz_random *r, uint32_t percent)
{
    return fz_below(r, 100) < percent;
}

#endif
