// Atomic functions of every type.
// NEEDS: clang-19

__global__ void integers(int *i, unsigned *u, unsigned long long *l)
{
    int t = threadIdx.x;
    atomicAdd(&i[0], t);
    atomicSub(&i[1], 1);
    atomicMin(&i[2], -t);
    atomicMax(&i[3], t);
    atomicAnd(&i[4], ~(1 << t));
    atomicOr(&i[5], 1 << t);
    atomicXor(&i[6], t);
    atomicExch(&i[7], 7);
    atomicCAS(&i[8], 0, t + 1);
    atomicInc(&u[0], 4);
    atomicDec(&u[1], 4);
    atomicMin(&u[2], 4294967295u - t);
    atomicMax(&u[3], 4294967295u - t);
    atomicAdd(&l[0], 1ull << 33);
    atomicMax(&l[1], (unsigned long long)t << 32);
    atomicCAS(&l[2], 0ull, ~0ull);
    atomicAdd_block(&u[4], 2);
    atomicAdd_system(&i[9], 3);
}
// kern: launch integers(i = {0, 0, 0, 0, -1, 0, 0, 0, 5, 0}, u = {0, 0, 4294967295, 0, 0}, l = zeros(3)) block(32) show(i) show(u) show(l)
// RUN: %kernc run %s --launch=integers
// OUT: i[0..10]: 496 -32 -31 31 0 -1 0 7 5 96
// OUT: u[0..5]: 2 3 4294967264 4294967295 64
// OUT: l[0..3]: 274877906944 133143986176 18446744073709551615

__global__ void floats(float *f, double *d, unsigned short *s)
{
    __shared__ float sum;
    int t = threadIdx.x;
    if (t == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, 0.5f);
    atomicAdd(&d[0], 0.25);
    float before = atomicExch(&f[1], 3.0f);
    if (before == 1.0f)
        f[2] = before;
    atomicCAS(&s[1], (unsigned short)0, (unsigned short)9);
    __syncthreads();
    f[0] = sum;
}
// kern: launch floats(f = {0, 1, 0}, d = zeros(1), s = {1, 0, 2}) block(32) show(f) show(d) show(s)
// RUN: %kernc run %s --launch=floats
// OUT: f[0..3]: 16 3 1
// OUT: d[0..1]: 8
// OUT: s[0..3]: 1 9 2

// A function that CUDA does not have, as people write it.
__device__ float atomicMax(float *at, float v)
{
    int *bits = (int *)at, old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __float_as_int(fmaxf(v, __int_as_float(seen))));
    } while (old != seen);
    return __int_as_float(old);
}
__global__ void largest(float *most) { atomicMax(most, threadIdx.x * 1.5f); }
// kern: launch largest(most = zeros(1)) block(32) show(most)
// RUN: %kernc run %s --launch=largest
// OUT: most[0..1]: 46.5
