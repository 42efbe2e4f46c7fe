/* cooperative_groups.h: the block, tiles of a warp, and the threads that are together, as objects. The grid
 * is known, but there is no barrier of a grid.
 */
#ifndef __KERN_COOPERATIVE_GROUPS_H__
#define __KERN_COOPERATIVE_GROUPS_H__

#include "cuda_runtime.h"

namespace cooperative_groups
{

__KERN_MISSING(void, grid_sync)

/* ---- values of any type with other lanes ------------------------------------------------------------- */

/* What lane `lane` of the warp has, of those in the mask. */
template <class T> __KERN_DEVICE T __from_lane(unsigned mask, const T &v, unsigned lane)
{
    constexpr unsigned words = (sizeof(T) + 3) / 4;
    int parts[words] = {};
    T result;
    __builtin_memcpy(parts, &v, sizeof v);
    for (unsigned i = 0; i < words; i++)
        parts[i] = __shfl_sync(mask, parts[i], (int)lane);
    __builtin_memcpy(&result, parts, sizeof result);
    return result;
}

/* ---- groups: G has mask() and, of lanes in it, rank_of(lane) and lane_of(rank) ----------------------- */

/* What groups within a warp have in common. */
template <class G> struct __lanes {
    __KERN_MEMBER const G &self() const { return *static_cast<const G *>(this); }
    __KERN_MEMBER unsigned thread_rank() const { return self().rank_of(__kern_lane()); }
    __KERN_MEMBER unsigned num_threads() const { return self().size(); }
    static __KERN_MEMBER bool is_valid() { return true; }
    __KERN_MEMBER void sync() const { __syncwarp(self().mask()); }
    template <class T> __KERN_MEMBER T shfl(const T &v, unsigned rank) const
    {
        return __from_lane(self().mask(), v, self().lane_of(rank % self().size()));
    }
    /* A rank outside the group: the own value. */
    template <class T> __KERN_MEMBER T __at(const T &v, unsigned rank) const
    {
        bool inside = rank < self().size();
        return __from_lane(self().mask(), v, inside ? self().lane_of(rank) : __kern_lane());
    }
    template <class T> __KERN_MEMBER T shfl_up(const T &v, unsigned by) const
    {
        return __at(v, thread_rank() - by);
    }
    template <class T> __KERN_MEMBER T shfl_down(const T &v, unsigned by) const
    {
        return __at(v, thread_rank() + by);
    }
    template <class T> __KERN_MEMBER T shfl_xor(const T &v, unsigned bits) const
    {
        return __at(v, thread_rank() ^ bits);
    }
    __KERN_MEMBER int any(int p) const { return __any_sync(self().mask(), p); }
    __KERN_MEMBER int all(int p) const { return __all_sync(self().mask(), p); }
    __KERN_MEMBER unsigned ballot(int p) const { return self().ranks_in(__ballot_sync(self().mask(), p)); }
    template <class T> __KERN_MEMBER unsigned match_any(T v) const
    {
        return self().ranks_in(__match_any_sync(self().mask(), v));
    }
    template <class T> __KERN_MEMBER unsigned match_all(T v, int &all) const
    {
        return self().ranks_in(__match_all_sync(self().mask(), v, &all));
    }
};

class thread_block
{
  public:
    static __KERN_MEMBER void sync() { __kern_barrier(); }
    __KERN_MEMBER void barrier_wait(bool) const { __kern_barrier(); }
    static __KERN_MEMBER bool barrier_arrive() { return true; }
    static __KERN_MEMBER unsigned thread_rank()
    {
        return (__kern_tid_z() * __kern_bdim_y() + __kern_tid_y()) * __kern_bdim_x() + __kern_tid_x();
    }
    static __KERN_MEMBER unsigned size() { return __kern_bdim_x() * __kern_bdim_y() * __kern_bdim_z(); }
    static __KERN_MEMBER unsigned num_threads() { return size(); }
    static __KERN_MEMBER dim3 group_index() { return blockIdx; }
    static __KERN_MEMBER dim3 thread_index() { return threadIdx; }
    static __KERN_MEMBER dim3 group_dim() { return blockDim; }
    static __KERN_MEMBER dim3 dim_threads() { return blockDim; }
    static __KERN_MEMBER bool is_valid() { return true; }
};
__KERN_DEVICE thread_block this_thread_block() { return thread_block(); }

class grid_group
{
  public:
    static __KERN_MEMBER void sync() { __kern_missing_grid_sync(); }
    static __KERN_MEMBER bool is_valid() { return true; }
    static __KERN_MEMBER unsigned long long num_blocks()
    {
        return (unsigned long long)__kern_gdim_x() * __kern_gdim_y() * __kern_gdim_z();
    }
    static __KERN_MEMBER unsigned long long block_rank()
    {
        return ((unsigned long long)__kern_bid_z() * __kern_gdim_y() + __kern_bid_y()) * __kern_gdim_x() +
               __kern_bid_x();
    }
    static __KERN_MEMBER unsigned long long size() { return num_blocks() * thread_block::size(); }
    static __KERN_MEMBER unsigned long long num_threads() { return size(); }
    static __KERN_MEMBER unsigned long long thread_rank()
    {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    static __KERN_MEMBER dim3 group_dim() { return gridDim; }
    static __KERN_MEMBER dim3 dim_blocks() { return gridDim; }
    static __KERN_MEMBER dim3 block_index() { return blockIdx; }
};
__KERN_DEVICE grid_group this_grid() { return grid_group(); }

/* N threads of a warp that follow each other. */
template <unsigned N, class Parent = void>
class thread_block_tile : public __lanes<thread_block_tile<N, Parent>>
{
    static_assert(N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

  public:
    static __KERN_MEMBER unsigned first() { return __kern_lane() & ~(N - 1); }
    static __KERN_MEMBER unsigned mask() { return N == 32 ? __KERN_FULL : ((1u << (N & 31)) - 1) << first(); }
    static __KERN_MEMBER unsigned rank_of(unsigned lane) { return lane & (N - 1); }
    static __KERN_MEMBER unsigned lane_of(unsigned rank) { return first() | rank; }
    static __KERN_MEMBER unsigned ranks_in(unsigned lanes) { return lanes >> first(); }
    static __KERN_MEMBER constexpr unsigned size() { return N; }
    static __KERN_MEMBER constexpr unsigned num_threads() { return N; }
    template <class Q> __KERN_MEMBER operator thread_block_tile<N, Q>() const { return {}; }
    __KERN_MEMBER unsigned meta_group_rank() const { return thread_block::thread_rank() / N; }
    __KERN_MEMBER unsigned meta_group_size() const { return (thread_block::size() + N - 1) / N; }
};
template <unsigned N, class P> __KERN_DEVICE thread_block_tile<N, P> tiled_partition(const P &) { return {}; }
template <unsigned N, unsigned M, class P>
__KERN_DEVICE thread_block_tile<N, thread_block_tile<M, P>> tiled_partition(const thread_block_tile<M, P> &)
{
    static_assert(N <= M, "a part of a tile is no larger than the tile");
    return {};
}

/* Any lanes of a warp: part `number` of `parts`. */
class coalesced_group : public __lanes<coalesced_group>
{
    unsigned lanes, number, parts;

  public:
    explicit __KERN_MEMBER coalesced_group(unsigned lanes, unsigned number = 0, unsigned parts = 1)
        : lanes(lanes), number(number), parts(parts)
    {
    }
    __KERN_MEMBER unsigned mask() const { return lanes; }
    __KERN_MEMBER unsigned rank_of(unsigned lane) const
    {
        return (unsigned)__popc(lanes & ((1u << lane) - 1));
    }
    __KERN_MEMBER unsigned lane_of(unsigned rank) const { return __fns(lanes, 0, (int)rank + 1); }
    __KERN_MEMBER unsigned ranks_in(unsigned of) const
    {
        unsigned ranks = 0;
        for (unsigned left = lanes, n = 0; left; left &= left - 1, n++)
            ranks |= (of & left & -left ? 1u : 0u) << n;
        return ranks;
    }
    __KERN_MEMBER unsigned size() const { return (unsigned)__popc(lanes); }
    __KERN_MEMBER unsigned meta_group_rank() const { return number; }
    __KERN_MEMBER unsigned meta_group_size() const { return parts; }
};
__KERN_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* The part of g that has these lanes. Parts are numbered by their lowest lanes. */
template <class G> __KERN_DEVICE coalesced_group __part_of(const G &g, unsigned lanes)
{
    unsigned lowest = lanes & -lanes, all = __ballot_sync(g.mask(), 1u << __kern_lane() == lowest);
    return coalesced_group(lanes, (unsigned)__popc(all & (lowest - 1)), (unsigned)__popc(all));
}
template <class G> __KERN_DEVICE coalesced_group binary_partition(const G &g, bool p)
{
    unsigned yes = __ballot_sync(g.mask(), p), no = __ballot_sync(g.mask(), !p);
    return __part_of(g, p ? yes : no);
}
template <class G, class L> __KERN_DEVICE coalesced_group labeled_partition(const G &g, L label)
{
    return __part_of(g, __match_any_sync(g.mask(), label));
}
/* n threads each, by their ranks. */
__KERN_DEVICE coalesced_group tiled_partition(const coalesced_group &g, unsigned n)
{
    unsigned number = g.thread_rank() / n, lanes = 0;
    for (unsigned left = g.mask(), rank = 0; left; left &= left - 1, rank++)
        lanes |= rank / n == number ? left & -left : 0;
    return coalesced_group(lanes, number, (g.size() + n - 1) / n);
}
template <unsigned N> __KERN_DEVICE coalesced_group tiled_partition(const coalesced_group &g)
{
    return tiled_partition(g, N);
}

/* Of a kind that is known at run time only: the block, which has no lanes here, or lanes of a warp. */
class thread_group : public coalesced_group
{
  public:
    __KERN_MEMBER thread_group(const thread_block &) : coalesced_group(0) {}
    __KERN_MEMBER thread_group(const coalesced_group &g) : coalesced_group(g) {}
    template <unsigned N, class P>
    __KERN_MEMBER thread_group(const thread_block_tile<N, P> &t) : coalesced_group(t.mask())
    {
    }
    __KERN_MEMBER void sync() const
    {
        if (mask())
            __syncwarp(mask());
        else
            __kern_barrier();
    }
    __KERN_MEMBER unsigned size() const { return mask() ? coalesced_group::size() : thread_block::size(); }
    __KERN_MEMBER unsigned num_threads() const { return size(); }
    __KERN_MEMBER unsigned thread_rank() const
    {
        return mask() ? coalesced_group::thread_rank() : thread_block::thread_rank();
    }
};
__KERN_DEVICE thread_group tiled_partition(const thread_group &g, unsigned n)
{
    if (g.mask())
        return tiled_partition(static_cast<const coalesced_group &>(g), n);
    return coalesced_group(n == 32 ? __KERN_FULL : ((1u << n) - 1) << (__kern_lane() & ~(n - 1)),
                           thread_block::thread_rank() / n, (thread_block::size() + n - 1) / n);
}

template <class G> __KERN_DEVICE void sync(const G &g) { g.sync(); }
template <class G> __KERN_DEVICE unsigned thread_rank(const G &g) { return (unsigned)g.thread_rank(); }
template <class G> __KERN_DEVICE unsigned group_size(const G &g) { return (unsigned)g.size(); }

/* ---- reductions and scans ---------------------------------------------------------------------------- */

#define __KERN_FUNCTOR(name, result)                                                                         \
    template <class T = void> struct name {                                                                  \
        __KERN_MEMBER T operator()(const T &a, const T &b) const { return result; }                          \
    };
__KERN_FUNCTOR(plus, a + b)
__KERN_FUNCTOR(less, b < a ? b : a)
__KERN_FUNCTOR(greater, a < b ? b : a)
__KERN_FUNCTOR(bit_and, a &b)
__KERN_FUNCTOR(bit_or, a | b)
__KERN_FUNCTOR(bit_xor, a ^ b)
#undef __KERN_FUNCTOR

/* By halves; ranks that are not there take no part. */
template <class G, class T, class F> __KERN_DEVICE T reduce(const G &g, T v, F f)
{
    unsigned n = g.num_threads(), rank = g.thread_rank();
    for (unsigned by = 16; by > 0; by /= 2) {
        T other = g.shfl_down(v, by);
        if (rank + by < n)
            v = f(v, other);
    }
    return g.shfl(v, 0);
}
template <class G, class T, class F> __KERN_DEVICE T inclusive_scan(const G &g, T v, F f)
{
    for (unsigned by = 1; by < g.num_threads(); by *= 2) {
        T other = g.shfl_up(v, by);
        if (g.thread_rank() >= by)
            v = f(other, v);
    }
    return v;
}
template <class G, class T> __KERN_DEVICE T inclusive_scan(const G &g, T v)
{
    return inclusive_scan(g, v, plus<T>());
}
template <class G, class T, class F> __KERN_DEVICE T exclusive_scan(const G &g, T v, F f)
{
    T before = g.shfl_up(inclusive_scan(g, v, f), 1);
    return g.thread_rank() ? before : T();
}
template <class G, class T> __KERN_DEVICE T exclusive_scan(const G &g, T v)
{
    return exclusive_scan(g, v, plus<T>());
}

/* ---- copies that nobody has to wait for: made at once ------------------------------------------------ */

template <class G, class T> __KERN_DEVICE void memcpy_async(const G &g, T *to, const T *from, size_t bytes)
{
    for (size_t i = g.thread_rank(); i < bytes / sizeof(T); i += g.size())
        to[i] = from[i];
}
template <class G> __KERN_DEVICE void wait(const G &g) { g.sync(); }
template <unsigned, class G> __KERN_DEVICE void wait_prior(const G &g) { g.sync(); }

} // namespace cooperative_groups

#endif
