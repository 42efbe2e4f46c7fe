// What people write in CUDA C++: templates that the host instantiates, classes, lambdas, constants, shared memory. The file is
// read once.
// NEEDS: clang-19
#include <algorithm>
#include <iostream>
#include <vector>

template <typename T, int N> struct ring {
    T at[N];
    __device__ T &operator[](int i) { return at[(i % N + N) % N]; }
    __device__ const T &operator[](int i) const { return at[(i % N + N) % N]; }
};
template <typename T, int N> __global__ void turn(T *data, ring<int, N> by)
{
    __shared__ ring<T, N> r;
    int i = threadIdx.x;
    r[i] = data[i];
    __syncthreads();
    data[i] = r[i + by[i]];
}
// kern: launch turn<float, 4>(data = {1, 2, 3, 4}, by = {{1, -1, 1, 2}}) block(4) show(data)
// kern: launch turn<int, 3>(data = {1, 2, 3}, by = {{1, 1, 1}}) block(3) show(data)
// RUN: %kernc import %s -o %t.kir && %kernc run %t.kir --launch='turn<float, 4>'
// OUT-IS: data[0..4]: 2 1 4 2
// RUN: %kernc run %t.kir --launch='turn<int, 3>'
// OUT-IS: data[0..3]: 2 3 1

__constant__ int table[4] = {3, 1, 4, 1};
__device__ int counter;
__device__ constexpr int cube(int x) { return x * x * x; }
enum class kind : unsigned char { plain, twice };
struct shape {
    kind k;
    short bias;
    __device__ int apply(int x) const { return k == kind::twice ? 2 * x + bias : x + bias; }
};
template <class F> __device__ void each(int n, F f)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        f(i);
}
__global__ void classes(int *out, shape s, int n)
{
    int &total = counter;
    each(n, [&](int i) { out[i] = s.apply(table[i % 4]) + cube(i); });
    __syncthreads();
    if (threadIdx.x == 0) {
        auto most = [out, n]() {
            int m = out[0];
            for (int i = 1; i < n; i++)
                m = std::max(m, out[i]);
            return m;
        };
        total += most();
        out[n] = total;
    }
}
// kern: launch classes(out = zeros(7), s = {1, 100}, n = 6, counter = zeros(1)) block(4) show(out)
// RUN: %kernc run %t.kir --launch=classes
// OUT: out[0..7]: 106 103 116 129 170 227 227

extern __shared__ float dynamic[];
__global__ void sums(const float *in, float *out)
{
    int i = threadIdx.x;
    dynamic[i] = in[i];
    __syncthreads();
    for (int n = blockDim.x / 2; n > 0; n /= 2) {
        if (i < n)
            dynamic[i] += dynamic[i + n];
        __syncthreads();
    }
    if (i == 0)
        *out = dynamic[0];
}
// kern: launch sums(in = iota(64), out = zeros(1)) block(64) shared(64) show(out)
// RUN: %kernc run %t.kir --launch=sums
// OUT: out[0..1]: 2016

__global__ void __launch_bounds__(128, 2) says(int n)
{
    if (threadIdx.x % 2)
        printf("thread %d of %s: %5.2f\n", (int)threadIdx.x, "four", n * 0.5);
    assert(threadIdx.x < n && "too many threads");
}
// kern: launch says(n = 4) block(4)
// RUN: %kernc run %t.kir --launch=says
// OUT: thread 1 of four:  2.00
// OUT: thread 3 of four:  2.00
// RUN: %kernc run %s --launch='says(n = 3) block(4)'
// EXIT: 2
// ERR: language.cu:84:
// ERR: too many threads

// The launch that a host's loop makes: lines, each a directive.
__global__ void step(float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        b[i] = 0.5f * (a[i - 1] + a[i + 1]);
}
int main()
{
    std::vector<float> host(8, 1.0f);
    float *a, *b;
    cudaMalloc(&a, host.size() * sizeof(float));
    cudaMalloc(&b, host.size() * sizeof(float));
    cudaMemPool_t pool;
    int mode = cudaComputeModeProhibited;
    cudaMemLocation where = {cudaMemLocationTypeDevice, 0};
    cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0);
    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &mode);
    cudaMemPrefetchAsync(a, host.size() * sizeof(float), where, 0);
    cudaMemPrefetchAsync(b, host.size() * sizeof(float), 0);
    cudaMemcpy(a, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < 100; i++) {
        step<<<1, 32>>>(a, b, 8);
        std::swap(a, b);
    }
    ring<int, 4> by = {{1, -1, 1, 2}};
    turn<float, 4><<<1, 4>>>(a, by);
    ring<int, 3> other = {{1, 1, 1}};
    turn<int, 3><<<1, 3>>>((int *)b, other);
    std::cout << cudaGetErrorString(cudaDeviceSynchronize()) << '\n';
}
