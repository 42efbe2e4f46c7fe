// A loop of the host, as directives in comments; a launch on the command line instead.
// NEEDS: clang-19

__global__ void step(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i] + 1;
}
// kern: buffer a of float 4 (ramp(0, 1, 8))
// kern: buffer b of float 4 (zeros(8))
// kern: repeat 10
// kern: launch step(a = buffer "a", b = buffer "b", n = 8) grid(1) block(8)
// kern: launch step(a = buffer "b", b = buffer "a", n = 8) grid(1) block(8)
// kern: end
// kern: output show(a[0..3])
// RUN: %kernc run %s
// OUT-IS: a[0..3]: 20 20.142857 20.285713
// RUN: %kernc run %s --launch='step(a = iota(8), b = zeros(8), n = 8) block(8) show(b[0..2])'
// OUT-IS: b[0..2]: 1 2

// Without a launch: one to start from.
// RUN: sed /kern:/d %s > %t.cu && %kernc run %t.cu
// EXIT: 1
// ERR: no value for argument a
// ERR: launch step(a = zeros(
