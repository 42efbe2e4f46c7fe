// Thrust: the host's code is read; kernels have its functions of numbers, and are told what to write for algorithms.
// NEEDS: clang-19
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

template <class F> __global__ void fold(const int *in, int *out, F f)
{
    int i = threadIdx.x;
    out[i] = f(in[i], in[i ^ 1]);
}
__global__ void extremes(const int *in, int *out)
{
    auto both = thrust::make_pair(thrust::minimum<int>()(in[0], in[1]), thrust::maximum<int>()(in[0], in[1]));
    out[0] = both.first * 10 + both.second;
}

int main()
{
    thrust::host_vector<int> h(64, 1);
    thrust::device_vector<int> in = h, out(64);
    thrust::device_vector<int> copy(h.begin(), h.end());
    thrust::sort(in.begin(), in.end(), thrust::greater<int>());
    fold<<<1, 64>>>(thrust::raw_pointer_cast(in.data()), thrust::raw_pointer_cast(&out[0]), thrust::plus<int>());
    extremes<<<1, 1>>>(thrust::raw_pointer_cast(in.data()), thrust::raw_pointer_cast(out.data()));
    int sum = thrust::reduce(thrust::device, out.begin(), out.end(), 0, thrust::plus<int>());
    long at = thrust::max_element(out.begin(), out.end()) - out.begin();
    thrust::sort_by_key(thrust::cuda::par.on(0), in.begin(), in.end(), out.begin());
    h = out;
    return sum + (int)at + h[0];
}
// kern: launch fold<thrust::plus<int>>(in = {1, 2, 3, 4}, out = zeros(4), f.0 = 0) block(4) show(out)
// kern: launch extremes(in = {7, 5}, out = zeros(1)) show(out)
// RUN: %kernc run %s
// OUT: out[0..4]: 3 3 7 7
// OUT: out[0..1]: 57

#ifdef IN_KERNEL
__global__ void sorts(int *a) { thrust::sort(thrust::seq, a, a + 8); }
#endif
// RUN: %kernc run -DIN_KERNEL %s
// EXIT: 1
// ERR: thrust.cu:43:41: error: 'sort<const thrust::__policy &, int *&, int *>' is unavailable: kernels have no algorithms of thrust; write the loop, or use those of cub::BlockReduce
