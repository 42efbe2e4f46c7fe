// Places of threads, barriers with a vote, dim3.
// NEEDS: clang-19

__device__ int linear(dim3 at, dim3 size) { return (at.z * size.y + at.y) * size.x + at.x; }

__global__ void places(int *number, unsigned *sizes)
{
    uint3 t = threadIdx;
    dim3 b = blockDim;
    int i = linear(threadIdx, b);
    number[i + linear(blockIdx, gridDim) * b.x * b.y * b.z] = 100 * blockIdx.x + 10 * t.y + t.x + (int)threadIdx.z * 1000;
    if (i == 0) {
        sizes[0] = gridDim.x * 10 + gridDim.y;
        sizes[1] = b.x * 100 + b.y * 10 + blockDim.z;
        sizes[2] = warpSize + min(warpSize, 100);
    }
}
// kern: launch places(number = zeros(24), sizes = zeros(3)) grid(2) block(3,2,2) show(number) show(sizes)
// RUN: %kernc run %s --launch=places
// OUT: number[0..24]: 0 1 2 10 11 12 1000 1001 1002 1010 1011 1012 100 101 102 110 111 112 1100 1101 1102 1110 1111 1112
// OUT: sizes[0..3]: 21 322 64

__global__ void counts(int *out)
{
    int i = threadIdx.x;
    int n = __syncthreads_count(i % 3 == 0), any = __syncthreads_or(i == 60), all = __syncthreads_and(i < 63);
    out[i] = 100 * n + 10 * any + all;
}
// kern: launch counts(out = zeros(64)) block(64) show(out[62..64])
// RUN: %kernc run %s --launch=counts
// OUT: out[62..64]: 2210 2210

// Each constructor of dim3, on the host too.
__host__ __device__ constexpr int volume(dim3 d) { return d.x * d.y * d.z; }
static_assert(volume(3) == 3 && volume({3, 4}) == 12 && volume(dim3(2, 3, 4)) == 24, "");
__global__ void clocks(int *out)
{
    long long from = clock64();
    __syncthreads();
    __threadfence();
    out[threadIdx.x] = clock64() > from && clock() != 0;
}
// kern: launch clocks(out = zeros(2)) block(2) show(out)
// RUN: %kernc run %s --launch=clocks
// OUT: out[0..2]: 1 1
