/* curand_kernel.h: random numbers in kernels: XORWOW (Marsaglia, "Xorshift RNGs", 2003) and Philox 4x32-10
 * (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", 2011). A sequence is one that no other
 * seed and number gives; it is not that of cuRAND.
 */
#ifndef __KERN_CURAND_KERNEL_H__
#define __KERN_CURAND_KERNEL_H__

#include "cuda_runtime.h"

/* ---- generators -------------------------------------------------------------------------------------- */

struct curandStateXORWOW {
    unsigned v[5], d;
};
typedef curandStateXORWOW curandStateXORWOW_t, curandState, curandState_t;

struct curandStatePhilox4_32_10 {
    unsigned counter[4], key[2], output[4], used;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

__KERN_DEVICE_CODE unsigned curand(curandStateXORWOW *s)
{
    unsigned t = s->v[0] ^ s->v[0] >> 2, last = s->v[4];
    for (int i = 0; i < 4; i++)
        s->v[i] = s->v[i + 1];
    s->v[4] = last ^ last << 4 ^ t ^ t << 1;
    s->d += 362437;
    return s->v[4] + s->d;
}
/* The state from seed and sequence by a mixing of 64 bits; steps for the offset. */
__KERN_DEVICE_CODE void curand_init(unsigned long long seed, unsigned long long sequence,
                                    unsigned long long offset, curandStateXORWOW *s)
{
    unsigned long long x = seed ^ (sequence + 1) * 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < 5; i++) {
        x += 0x9e3779b97f4a7c15ull;
        unsigned long long z = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        s->v[i] = (unsigned)(z ^ z >> 31) | (i == 0);
    }
    s->d = (unsigned)x;
    for (unsigned long long i = 0; i < offset; i++)
        curand(s);
}

__KERN_DEVICE_CODE void __kern_philox(curandStatePhilox4_32_10 *s)
{
    unsigned c[4] = {s->counter[0], s->counter[1], s->counter[2], s->counter[3]}, k0 = s->key[0],
             k1 = s->key[1];
    for (int round = 0; round < 10; round++) {
        unsigned high0 = __umulhi(0xd2511f53u, c[0]), low0 = 0xd2511f53u * c[0];
        unsigned high1 = __umulhi(0xcd9e8d57u, c[2]), low1 = 0xcd9e8d57u * c[2];
        c[0] = high1 ^ c[1] ^ k0;
        c[1] = low1;
        c[2] = high0 ^ c[3] ^ k1;
        c[3] = low0;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    for (int i = 0; i < 4; i++)
        s->output[i] = c[i];
    for (int i = 0; i < 4 && ++s->counter[i] == 0; i++)
        ;
    s->used = 0;
}
__KERN_DEVICE_CODE unsigned curand(curandStatePhilox4_32_10 *s)
{
    if (s->used == 4)
        __kern_philox(s);
    return s->output[s->used++];
}
__KERN_DEVICE_CODE void curand_init(unsigned long long seed, unsigned long long sequence,
                                    unsigned long long offset, curandStatePhilox4_32_10 *s)
{
    unsigned long long block = offset / 4;
    s->counter[0] = (unsigned)block;
    s->counter[1] = (unsigned)(block >> 32);
    s->counter[2] = (unsigned)sequence;
    s->counter[3] = (unsigned)(sequence >> 32);
    s->key[0] = (unsigned)seed;
    s->key[1] = (unsigned)(seed >> 32);
    __kern_philox(s);
    s->used = (unsigned)(offset & 3);
}

/* ---- distributions ----------------------------------------------------------------------------------- */

/* More than 0, at most 1. */
template <class S> __KERN_DEVICE float curand_uniform(S *s) { return (float)curand(s) * 0x1p-32f + 0x1p-33f; }
template <class S> __KERN_DEVICE double curand_uniform_double(S *s)
{
    unsigned high = curand(s);
    return (((unsigned long long)high << 21 ^ curand(s) >> 11) + 1.0) * 0x1p-53;
}
/* By Box and Muller. */
template <class S> __KERN_DEVICE_CODE float2 curand_normal2(S *s)
{
    float size = sqrtf(-2 * logf(curand_uniform(s))), angle = 6.28318530717958647692f * curand_uniform(s);
    return make_float2(size * cosf(angle), size * sinf(angle));
}
template <class S> __KERN_DEVICE_CODE double2 curand_normal2_double(S *s)
{
    double size = sqrt(-2 * log(curand_uniform_double(s))),
           angle = 6.28318530717958647692 * curand_uniform_double(s);
    return make_double2(size * cos(angle), size * sin(angle));
}
template <class S> __KERN_DEVICE float curand_normal(S *s) { return curand_normal2(s).x; }
template <class S> __KERN_DEVICE double curand_normal_double(S *s) { return curand_normal2_double(s).x; }
template <class S> __KERN_DEVICE float curand_log_normal(S *s, float mean, float deviation)
{
    return expf(mean + deviation * curand_normal(s));
}
template <class S> __KERN_DEVICE uint4 curand4(S *s)
{
    unsigned x = curand(s), y = curand(s), z = curand(s);
    return make_uint4(x, y, z, curand(s));
}
template <class S> __KERN_DEVICE float4 curand_uniform4(S *s)
{
    float x = curand_uniform(s), y = curand_uniform(s), z = curand_uniform(s);
    return make_float4(x, y, z, curand_uniform(s));
}
template <class S> __KERN_DEVICE float4 curand_normal4(S *s)
{
    float2 a = curand_normal2(s), b = curand_normal2(s);
    return make_float4(a.x, a.y, b.x, b.y);
}
template <class S> __KERN_DEVICE void skipahead(unsigned long long n, S *s)
{
    while (n--)
        curand(s);
}

#endif
