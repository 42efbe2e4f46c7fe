/* cub.cuh: of CUB what kernels use: reductions and scans of blocks and warps. Functions of the host are
 * declared only. */
#ifndef __KERN_CUB_H__
#define __KERN_CUB_H__

#include "../cuda_runtime.h"

namespace cub
{

struct Sum {
    template <class T> __KERN_MEMBER T operator()(const T &a, const T &b) const { return a + b; }
};
struct Max {
    template <class T> __KERN_MEMBER T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
struct Min {
    template <class T> __KERN_MEMBER T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <class K, class V> struct KeyValuePair {
    K key;
    V value;
};
struct ArgMax {
    template <class P> __KERN_MEMBER P operator()(const P &a, const P &b) const
    {
        return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class P> __KERN_MEMBER P operator()(const P &a, const P &b) const
    {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

__KERN_DEVICE unsigned __rank_in_block()
{
    return (__kern_tid_z() * __kern_bdim_y() + __kern_tid_y()) * __kern_bdim_x() + __kern_tid_x();
}
/* Without a constructor of T's. */
template <class T, int N> struct __cells {
    alignas(T) unsigned char bytes[N * sizeof(T)];
    __KERN_MEMBER T &operator[](unsigned i) { return ((T *)bytes)[i]; }
};

/* ---- blocks: X * Y * Z threads ----------------------------------------------------------------------- */

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0>
class BlockReduce
{
  public:
    static constexpr unsigned N = X * Y * Z;
    typedef __cells<T, N> TempStorage;

  private:
    TempStorage &cells;

  public:
    __KERN_MEMBER BlockReduce(TempStorage &cells) : cells(cells) {}
    /* Of the first `valid` threads' values; only thread 0 has the result. */
    template <class F> __device__ __attribute__((nodebug)) T Reduce(T v, F f, int valid = N)
    {
        unsigned rank = __rank_in_block(), n = (unsigned)valid;
        cells[rank] = v;
        while (n > 1) {
            unsigned half = (n + 1) / 2;
            __kern_barrier();
            if (rank < n / 2)
                cells[rank] = f(cells[rank], cells[rank + half]);
            n = half;
        }
        __kern_barrier();
        return cells[0];
    }
    template <class F, int I> __KERN_MEMBER T Reduce(T (&v)[I], F f)
    {
        T sum = v[0];
        for (int i = 1; i < I; i++)
            sum = f(sum, v[i]);
        return Reduce(sum, f);
    }
    __KERN_MEMBER T Sum(T v) { return Reduce(v, cub::Sum()); }
    __KERN_MEMBER T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
    template <int I> __KERN_MEMBER T Sum(T (&v)[I]) { return Reduce(v, cub::Sum()); }
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan
{
  public:
    static constexpr unsigned N = X * Y * Z;
    typedef __cells<T, N> TempStorage;

  private:
    TempStorage &cells;

  public:
    __KERN_MEMBER BlockScan(TempStorage &cells) : cells(cells) {}
    template <class F> __device__ __attribute__((nodebug)) void InclusiveScan(T in, T &out, F f, T &all)
    {
        unsigned rank = __rank_in_block();
        T v = in;
        for (unsigned by = 1; by < N; by *= 2) {
            cells[rank] = v;
            __kern_barrier();
            if (rank >= by)
                v = f(cells[rank - by], v);
            __kern_barrier();
        }
        cells[rank] = v;
        __kern_barrier();
        all = cells[N - 1];
        out = v;
    }
    /* Before thread 0 there is nothing: it has `first`. */
    template <class F>
    __device__ __attribute__((nodebug)) void ExclusiveScan(T in, T &out, T first, F f, T &all)
    {
        unsigned rank = __rank_in_block();
        T sum;
        InclusiveScan(in, sum, f, all);
        out = rank ? f(first, cells[rank - 1]) : first;
    }
    template <class F> __KERN_MEMBER void InclusiveScan(T in, T &out, F f)
    {
        T all;
        InclusiveScan(in, out, f, all);
    }
    template <class F> __KERN_MEMBER void ExclusiveScan(T in, T &out, T first, F f)
    {
        T all;
        ExclusiveScan(in, out, first, f, all);
    }
    __KERN_MEMBER void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
    __KERN_MEMBER void InclusiveSum(T in, T &out, T &all) { InclusiveScan(in, out, cub::Sum(), all); }
    __KERN_MEMBER void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(), cub::Sum()); }
    __KERN_MEMBER void ExclusiveSum(T in, T &out, T &all) { ExclusiveScan(in, out, T(), cub::Sum(), all); }
    template <int I> __KERN_MEMBER void ExclusiveSum(T (&in)[I], T (&out)[I])
    {
        T all;
        ExclusiveSum(in, out, all);
    }
    template <int I> __device__ __attribute__((nodebug)) void ExclusiveSum(T (&in)[I], T (&out)[I], T &all)
    {
        T sum = T(), before;
        for (int i = 0; i < I; i++)
            sum += in[i];
        ExclusiveSum(sum, before, all);
        for (int i = 0; i < I; i++) {
            T v = in[i];
            out[i] = before;
            before += v;
        }
    }
    template <int I> __device__ __attribute__((nodebug)) void InclusiveSum(T (&in)[I], T (&out)[I])
    {
        T sum = T(), before;
        for (int i = 0; i < I; i++)
            sum += in[i];
        ExclusiveSum(sum, before);
        for (int i = 0; i < I; i++)
            out[i] = before += in[i];
    }
};

/* ---- warps: W lanes that follow each other ----------------------------------------------------------- */

template <class T, int W = 32, int = 0> class WarpReduce
{
  public:
    struct TempStorage {
    };
    __KERN_MEMBER WarpReduce(TempStorage &) {}
    template <class F> __KERN_MEMBER T Reduce(T v, F f, int valid = W)
    {
        for (int by = W / 2; by > 0; by /= 2) {
            T other = __shfl_down_sync(__KERN_FULL, v, by, W);
            if ((int)(__kern_lane() & (W - 1)) + by < valid)
                v = f(v, other);
        }
        return v;
    }
    __KERN_MEMBER T Sum(T v, int valid = W) { return Reduce(v, cub::Sum(), valid); }
};
template <class T, int W = 32, int = 0> class WarpScan
{
  public:
    struct TempStorage {
    };
    __KERN_MEMBER WarpScan(TempStorage &) {}
    template <class F> __KERN_MEMBER void InclusiveScan(T v, T &out, F f)
    {
        for (int by = 1; by < W; by *= 2) {
            T other = __shfl_up_sync(__KERN_FULL, v, by, W);
            if ((int)(__kern_lane() & (W - 1)) >= by)
                v = f(other, v);
        }
        out = v;
    }
    __KERN_MEMBER void InclusiveSum(T v, T &out) { InclusiveScan(v, out, cub::Sum()); }
    __KERN_MEMBER void InclusiveSum(T v, T &out, T &all)
    {
        InclusiveSum(v, out);
        all = __shfl_sync(__KERN_FULL, out, W - 1, W);
    }
    __KERN_MEMBER void ExclusiveSum(T v, T &out)
    {
        T sum;
        InclusiveSum(v, sum);
        out = sum - v;
    }
    __KERN_MEMBER void ExclusiveSum(T v, T &out, T &all)
    {
        T sum;
        InclusiveSum(v, sum, all);
        out = sum - v;
    }
};

/* ---- the host ---------------------------------------------------------------------------------------- */

#define __KERN_HOST(name) template <class... A> static cudaError_t name(void *, size_t &, A &&...);
struct DeviceReduce {
    __KERN_HOST(Sum)
    __KERN_HOST(Min) __KERN_HOST(Max) __KERN_HOST(ArgMin) __KERN_HOST(ArgMax) __KERN_HOST(Reduce)
        __KERN_HOST(ReduceByKey)
};
struct DeviceScan {
    __KERN_HOST(ExclusiveSum) __KERN_HOST(InclusiveSum) __KERN_HOST(ExclusiveScan) __KERN_HOST(InclusiveScan)
};
struct DeviceSelect {
    __KERN_HOST(Flagged) __KERN_HOST(If) __KERN_HOST(Unique)
};
struct DeviceRadixSort {
    __KERN_HOST(SortKeys)
    __KERN_HOST(SortPairs) __KERN_HOST(SortKeysDescending) __KERN_HOST(SortPairsDescending)
};
struct DeviceSegmentedReduce {
    __KERN_HOST(Sum) __KERN_HOST(Min) __KERN_HOST(Max) __KERN_HOST(Reduce) __KERN_HOST(ArgMax)
};
struct DeviceHistogram {
    __KERN_HOST(HistogramEven)
};
#undef __KERN_HOST

} // namespace cub

#endif
