// Kernels in plain C++: every function may be called.
// NEEDS: clang-19
#include <limits>
#include <utility>

template <class T> struct span {
    T *first;
    int n;
    T *begin() const { return first; }
    T *end() const { return first + n; }
};
static int squared(int x) { return x * x; }
template <class... A> int total(A... a) { return (0 + ... + a); }

KERN_CONSTANT int offsets[3] = {10, 20, 30};

KERN_KERNEL void plain(int *out, const int *in, int n)
{
    KERN_SHARED int last;
    auto [low, high] = std::make_pair(n, std::numeric_limits<short>::max());
    int most = 0;
    for (int v : span<const int>{in, n})
        if (v > most)
            most = v;
    last = most;
    __syncthreads();
    int i = threadIdx.x;
    out[i] = squared(last) + total(i, offsets[i], low) + (high == 32767 ? 1000 : 0);
}
// kern: launch plain(out = zeros(3), in = {3, 9, 2}, n = 3) block(3) show(out)
// RUN: %kernc run %s
// OUT-IS: out[0..3]: 1094 1105 1116
