/* meet.h: CUDA's operations with masks, by CUDA's meaning (-DKERN_MASKS_MEET): the threads that a mask names
 * meet, wherever in the code they call the operation. kernc's operations have places, so threads that are
 * apart meet in memory: each leaves its value, waits until all have come, takes what it wants, and waits until
 * all have taken. Those that the mask names and that come together use the operation itself. Threads wait by
 * spinning, so the scheme has to let the others run, as `oracle` does.
 *
 * With KERN_CHECK_MASKS nobody waits: it is an error if the mask names a thread that is elsewhere.
 */
#if !defined __KERN_MEET_H__ && (defined KERN_MASKS_MEET || defined KERN_CHECK_MASKS)
#define __KERN_MEET_H__

#include "atomics.h"

enum { __KERN_AWAY, __KERN_COMES, __KERN_MEETS, __KERN_LEAVES, __KERN_GONE };
/* A thread of the block; `mask` and `value` are those of the operation that it comes to. All accesses are
 * atomic. */
struct __kern_thread {
    unsigned long long value;
    unsigned mask, state;
};
static __shared__ struct __kern_thread __kern_block[1024];

/* Of the warp, by lane. */
__KERN_DEVICE struct __kern_thread *__kern_peers()
{
    unsigned number = __kern_tid_x() + __kern_bdim_x() * (__kern_tid_y() + __kern_bdim_y() * __kern_tid_z());
    return __kern_block + (number - __kern_lane());
}
__KERN_DEVICE unsigned __kern_state(struct __kern_thread *t) { return atomicOr(&t->state, 0u); }
__KERN_DEVICE unsigned long long __kern_value(struct __kern_thread *t) { return atomicOr(&t->value, 0ull); }

/* kernc has each thread call it as it leaves a kernel: nobody waits for it any more. */
extern "C" inline __attribute__((device, nodebug, used)) void __kern_at_exit()
{
    atomicExch(&__kern_peers()[__kern_lane()].state, (unsigned)__KERN_GONE);
}

/* The lanes of the mask that have a thread which has not left the kernel. */
__KERN_DEVICE_CODE unsigned __kern_awaited(unsigned mask)
{
    struct __kern_thread *peers = __kern_peers();
    unsigned threads = __kern_bdim_x() * __kern_bdim_y() * __kern_bdim_z() - (unsigned)(peers - __kern_block);
    unsigned left = threads < 32 ? mask & ((1u << threads) - 1) : mask;
    for (unsigned lanes = left; lanes; lanes &= lanes - 1)
        if (__kern_state(&peers[__kern_ctz(lanes)]) == __KERN_GONE)
            left &= ~(lanes & -lanes);
    return left;
}

/* Returns when the lowest of the lanes has moved all of them from one state to the next. */
__KERN_DEVICE_CODE void __kern_move(unsigned mask, unsigned from, unsigned to)
{
    struct __kern_thread *peers = __kern_peers(), *own = &peers[__kern_lane()];
    atomicExch(&own->state, from);
    while (__kern_state(own) == from) {
        unsigned all = __kern_awaited(mask), come = 0;
        if (__kern_ctz(all) != (int)__kern_lane())
            continue;
        for (unsigned lanes = all; lanes; lanes &= lanes - 1) {
            struct __kern_thread *t = &peers[__kern_ctz(lanes)];
            if (__kern_state(t) == from && atomicOr(&t->mask, 0u) == mask)
                come |= lanes & -lanes;
        }
        for (unsigned lanes = come == all ? all : 0; lanes; lanes &= lanes - 1)
            atomicExch(&peers[__kern_ctz(lanes)].state, to);
    }
}

/* Whoever left the kernel belongs to no group. */
__KERN_DEVICE bool __kern_are_together(unsigned mask)
{
    unsigned others = mask & ~(unsigned)__kern_active_mask();
#ifdef KERN_CHECK_MASKS
    __kern_assert(__kern_awaited(others) == 0, "the mask names threads that are elsewhere in the code");
    return true;
#else
    return others == 0;
#endif
}

/* Behind it the values of all that the mask names stand in memory, until __kern_part. */
__KERN_DEVICE_CODE void __kern_meet(unsigned mask, unsigned long long value)
{
    struct __kern_thread *own = &__kern_peers()[__kern_lane()];
    atomicExch(&own->value, value);
    atomicExch(&own->mask, mask);
    __kern_move(mask, __KERN_COMES, __KERN_MEETS);
}
__KERN_DEVICE void __kern_part(unsigned mask) { __kern_move(mask, __KERN_LEAVES, __KERN_AWAY); }

template <class T> __KERN_DEVICE unsigned long long __kern_to_bits(T v)
{
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &v, sizeof v);
    return bits;
}
template <class T> __KERN_DEVICE T __kern_from_bits(unsigned long long bits)
{
    T v;
    __builtin_memcpy(&v, &bits, sizeof v);
    return v;
}

/* ---- CUDA's functions -------------------------------------------------------------------------------- */

__KERN_DEVICE void __syncwarp(unsigned mask = __KERN_FULL)
{
    if (__kern_are_together(mask)) {
        __kern_syncwarp();
        return;
    }
    __kern_meet(mask, 0);
    __kern_part(mask);
}

/* The lanes of the mask that have the value. */
__KERN_DEVICE_CODE unsigned __kern_equal(unsigned mask, unsigned long long value, unsigned long long wanted)
{
    struct __kern_thread *peers = __kern_peers();
    unsigned equal = 0;
    __kern_meet(mask, value);
    for (unsigned lanes = __kern_awaited(mask); lanes; lanes &= lanes - 1)
        equal |= __kern_value(&peers[__kern_ctz(lanes)]) == wanted ? lanes & -lanes : 0;
    __kern_part(mask);
    return equal;
}

__KERN_DEVICE unsigned __ballot_sync(unsigned mask, int p)
{
    return __kern_are_together(mask) ? (unsigned)__kern_ballot(p != 0) & mask : __kern_equal(mask, p != 0, 1);
}

template <class T> __KERN_DEVICE T __kern_take(unsigned mask, T v, int lane)
{
    if (__kern_are_together(mask))
        return __kern_shuffle(v, lane);
    __kern_meet(mask, __kern_to_bits(v));
    T other = __kern_from_bits<T>(__kern_value(&__kern_peers()[lane]));
    __kern_part(mask);
    return mask >> lane & 1 ? other : v;
}

/* In segments of `width` lanes, a power of two; a lane outside the own segment gives the own value. */
#define __KERN_X(T, type)                                                                                    \
    __KERN_DEVICE T __shfl_sync(unsigned mask, T v, int lane, int width = 32)                                \
    {                                                                                                        \
        return __kern_take(mask, v, ((int)__kern_lane() & -width) | (lane & (width - 1)));                   \
    }                                                                                                        \
    __KERN_DEVICE T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32)                          \
    {                                                                                                        \
        unsigned lane = __kern_lane();                                                                       \
        return __kern_take(mask, v, (int)((lane & (unsigned)(width - 1)) >= by ? lane - by : lane));         \
    }                                                                                                        \
    __KERN_DEVICE T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32)                        \
    {                                                                                                        \
        unsigned lane = __kern_lane();                                                                       \
        return __kern_take(mask, v,                                                                          \
                           (int)((lane & (unsigned)(width - 1)) + by < (unsigned)width ? lane + by : lane)); \
    }                                                                                                        \
    __KERN_DEVICE T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32)                            \
    {                                                                                                        \
        int lane = (int)__kern_lane(), other = lane ^ bits;                                                  \
        return __kern_take(mask, v, other <= (lane | (width - 1)) ? other & 31 : lane);                      \
    }                                                                                                        \
    __KERN_DEVICE unsigned __match_any_sync(unsigned mask, T v)                                              \
    {                                                                                                        \
        (void)__kern_are_together(mask);                                                                     \
        return __kern_equal(mask, __kern_to_bits(v), __kern_to_bits(v));                                     \
    }                                                                                                        \
    __KERN_DEVICE unsigned __match_all_sync(unsigned mask, T v, int *all)                                    \
    {                                                                                                        \
        unsigned equal = __match_any_sync(mask, v);                                                          \
        *all = __ballot_sync(mask, equal != __kern_awaited(mask)) == 0;                                      \
        return *all ? mask : 0;                                                                              \
    }
__KERN_NUMBERS(__KERN_X)
#undef __KERN_X

#define __KERN_REDUCE(T, name, operation)                                                                    \
    __KERN_DEVICE T __reduce_##name##_sync(unsigned mask, T v)                                               \
    {                                                                                                        \
        (void)__kern_are_together(mask);                                                                     \
        struct __kern_thread *peers = __kern_peers();                                                        \
        __kern_meet(mask, __kern_to_bits(v));                                                                \
        unsigned lanes = __kern_awaited(mask);                                                               \
        T a = __kern_from_bits<T>(__kern_value(&peers[__kern_ctz(lanes)]));                                  \
        while (lanes &= lanes - 1) {                                                                         \
            T b = __kern_from_bits<T>(__kern_value(&peers[__kern_ctz(lanes)]));                              \
            a = operation;                                                                                   \
        }                                                                                                    \
        __kern_part(mask);                                                                                   \
        return a;                                                                                            \
    }
__KERN_I32(__KERN_REDUCTIONS)
#undef __KERN_REDUCE

#endif
