/* cases.c: inputs and plain C of the benchmark kernels. Compiled -O2 without vectorisation:
 * the scalar peer. */
#include "test/bench/cases.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { K1_N = 1 << 20, K2_SIDE = 512, K2_LIMIT = 256, K3_THREADS = 4096, K3_TASKS = 8, K4_N = 65536,
       K4_BLOCK = 256, K5_THREADS = 8192, K5_ROUNDS = 64, K6_N = 1 << 20 };

static uint32_t next(uint32_t s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

static void k1(struct bench_case *c)
{
    float *y = c->args[0].bytes, a = *(float *)c->args[2].bytes;
    const float *x = c->args[1].bytes;
    for (int i = 0; i < K1_N; i++)
        y[i] = a * x[i] + y[i];
}

static void k2(struct bench_case *c)
{
    int32_t *steps = c->args[0].bytes;
    for (int p = 0; p < K2_SIDE * K2_SIDE; p++) {
        float cx = -2.0f + 3.0f * (float)(p % K2_SIDE) / K2_SIDE,
              cy = -1.5f + 3.0f * (float)(p / K2_SIDE) / K2_SIDE;
        float x = 0, y = 0;
        int n = 0;
        while (n < K2_LIMIT && x * x + y * y <= 4) {
            float t = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = t;
            n++;
        }
        steps[p] = n;
    }
}

static void k3(struct bench_case *c)
{
    float *out = c->args[0].bytes;
    const float *cumulative = c->args[1].bytes;
    const int32_t *nuclides = c->args[2].bytes;
    for (uint32_t id = 0; id < K3_THREADS; id++) {
        uint32_t s = id * 2654435761u + 1;
        float total = 0;
        for (int t = 0; t < K3_TASKS; t++) {
            s = next(s);
            float r = (float)(s >> 8) * (1.0f / 16777216);
            int m = 0;
            while (m < 11 && r > cumulative[m])
                m++;
            float e = 1 + r, sum = 0, wr = 0, wi = 0;
            for (int i = 0; i < nuclides[m]; i++) {
                for (int step = 0; step < 2; step++) {
                    float re = e - 0.5f * wr, im = 0.3f - 0.5f * wi, d = re * re + im * im;
                    wr = re / d;
                    wi = -im / d;
                }
                sum += wr;
            }
            total += sum;
        }
        out[id] = total;
    }
}

static void k4(struct bench_case *c)
{
    int32_t *data = c->args[0].bytes;
    for (int b = 0; b < K4_N; b += K4_BLOCK) {
        int32_t *a = data + b;
        for (int size = 2; size <= K4_BLOCK; size *= 2)
            for (int stride = size / 2; stride > 0; stride /= 2)
                for (int i = 0; i < K4_BLOCK; i++) {
                    int j = i ^ stride;
                    if (j > i && ((i & size) == 0) == (a[i] > a[j])) {
                        int32_t t = a[i];
                        a[i] = a[j];
                        a[j] = t;
                    }
                }
    }
}

static void k5(struct bench_case *c)
{
    uint32_t *out = c->args[0].bytes;
    for (uint32_t id = 0; id < K5_THREADS; id++) {
        uint32_t s = id * 2654435761u + 1, acc = 0;
        for (int r = 0; r < K5_ROUNDS; r++) {
            s = next(s);
            switch (s % 5) {
            case 0: acc += s; break;
            case 1: acc ^= s << 1; break;
            case 2: acc = acc * 31 + 7; break;
            case 3: acc -= s >> 3; break;
            default: acc = acc + (acc >> 5); break;
            }
            uint32_t x = (s >> 8) % 1000 + 1;
            for (int k = 0; k < 12 && x != 1; k++, acc++)
                x = x % 2 == 0 ? x / 2 : 3 * x + 1;
        }
        out[id] = acc;
    }
}

static void k6(struct bench_case *c)
{
    int32_t *total = c->args[0].bytes;
    const int32_t *in = c->args[1].bytes;
    for (int i = 0; i < K6_N; i++)
        *total += in[i];
}

#define BUFFER     { .buffer = true }
#define SCALAR(type, value) { .bytes = &(type){ value }, .size = sizeof(type) }
struct bench_case bench_cases[BENCH_CASES] = {
    { "k1", "k1_saxpy", "saxpy, 1M", K1_N / 256, 256, 4, true,
      { BUFFER, BUFFER, SCALAR(float, 2.5f), SCALAR(uint32_t, K1_N) }, k1 },
    { "k2", "k2_mandelbrot", "Mandelbrot, 512 x 512, 256 steps", K2_SIDE * K2_SIDE / 256, 256, 3, false,
      { BUFFER, SCALAR(int32_t, K2_SIDE), SCALAR(int32_t, K2_LIMIT) }, k2 },
    { "k3", "k3_rsbench", "RSBench-like, 4,096 x 8 tasks", K3_THREADS / 256, 256, 4, true,
      { BUFFER, BUFFER, BUFFER, SCALAR(int32_t, K3_TASKS) }, k3 },
    { "k4", "k4_bitonic", "bitonic, 65,536 in 256s", K4_N / K4_BLOCK, K4_BLOCK, 1, false, { BUFFER }, k4 },
    { "k5", "k5_collatz", "collatz and switch", K5_THREADS / 256, 256, 2, false,
      { BUFFER, SCALAR(int32_t, K5_ROUNDS) }, k5 },
    { "k6", "k6_reduce", "sum of 1M", 64, 256, 3, false, { BUFFER, BUFFER, SCALAR(uint32_t, K6_N) }, k6 },
};

static void fill(int k, int arg, size_t size, const void *initial)
{
    struct bench_arg *a = &bench_cases[k - 1].args[arg];
    a->size = size;
    a->initial = initial;
    a->bytes = malloc(size);
}

void bench_setup(void)
{
    static const float probability[12] = {.139f, .052f, .275f, .134f, .154f, .064f,
                                          .066f, .055f, .008f, .015f, .025f, .013f};
    static const int32_t nuclides[12] = { 321, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9 };
    static float x[K1_N], y[K1_N], cumulative[12];
    static int32_t unsorted[K4_N], numbers[K6_N];
    uint32_t s = 1;
    for (int i = 0; i < K1_N; i++) {
        s = next(s);
        x[i] = (float)(s >> 8) * (1.0f / 16777216);
        y[i] = (float)(i % 1000);
        numbers[i] = (int32_t)(s % 201) - 100;
        if (i < K4_N)
            unsorted[i] = (int32_t)s;
    }
    for (int i = 0; i < 12; i++)
        cumulative[i] = probability[i] + (i > 0 ? cumulative[i - 1] : 0);
    fill(1, 0, sizeof y, y);
    fill(1, 1, sizeof x, x);
    fill(2, 0, K2_SIDE * K2_SIDE * 4, NULL);
    fill(3, 0, K3_THREADS * 4, NULL);
    fill(3, 1, sizeof cumulative, cumulative);
    fill(3, 2, sizeof nuclides, nuclides);
    fill(4, 0, sizeof unsorted, unsorted);
    fill(5, 0, K5_THREADS * 4, NULL);
    fill(6, 0, 4, NULL);
    fill(6, 1, sizeof numbers, numbers);
    for (int k = 0; k < BENCH_CASES; k++)
        bench_reset(&bench_cases[k]);
}

void bench_reset(struct bench_case *c)
{
    for (unsigned i = 0; i < c->argc; i++) {
        struct bench_arg *a = &c->args[i];
        if (!a->buffer)
            continue;
        if (a->initial != NULL)
            memcpy(a->bytes, a->initial, a->size);
        else
            memset(a->bytes, 0, a->size);
    }
}

bool bench_equal(const struct bench_case *c, const void *result)
{
    if (!c->floats)
        return memcmp(c->args[0].bytes, result, c->args[0].size) == 0;
    const float *a = c->args[0].bytes, *b = result;
    for (size_t i = 0; i < c->args[0].size / 4; i++)
        if (!(fabsf(a[i] - b[i]) <= 1e-3f * (1 + fabsf(a[i]))))
            return false;
    return true;
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double bench_cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}
