// Random numbers: the same in each run, and as they should be spread.
// NEEDS: clang-19
#include <curand_kernel.h>

template <class S> __device__ void measure(S *s, float *mean, float *spread)
{
    float sum = 0, square = 0;
    for (int i = 0; i < 200; i++) {
        float u = curand_uniform(s), n = curand_normal(s);
        sum += u;
        square += n * n;
        if (!(u > 0 && u <= 1))
            sum += 1e9f;
    }
    atomicAdd(mean, sum / (200 * blockDim.x));
    atomicAdd(spread, square / (200 * blockDim.x));
}
__global__ void draw(curandState *states, float *out, unsigned *words, float *mean, float *spread)
{
    int i = threadIdx.x;
    curand_init(1234, i, 0, &states[i]);
    curandState mine = states[i];
    measure(&mine, &mean[0], &spread[0]);
    curandStatePhilox4_32_10_t other;
    curand_init(1234, i, 0, &other);
    measure(&other, &mean[1], &spread[1]);
    if (i == 0) {
        // Salmon et al.'s test: counter and key 0.
        curand_init(0, 0, 0, &other);
        for (int n = 0; n < 4; n++)
            words[n] = curand(&other);
        out[0] = fabsf(mean[0] - 0.5f) < 0.02f;
    }
}
// kern: launch draw(states = zeros(32), out = zeros(1), words = zeros(4), mean = zeros(2), spread = zeros(2)) block(32) show(words as hex) show(mean) show(spread)
// RUN: %kernc run %s | awk '/words/ { print } /mean/ { print ($2 > 0.48 && $2 < 0.52 && $3 > 0.48 && $3 < 0.52) } /spread/ { print ($2 > 0.95 && $2 < 1.05 && $3 > 0.95 && $3 < 1.05) }'
// OUT: words[0..4]: 0x6627e8d5 0xe169c58d 0xbc57ac4c 0x9b00dbd8
// OUT: 1
// OUT: 1
