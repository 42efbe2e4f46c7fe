/* reference_first.c: plain C for the first-steps samples. */
#include "launch/launch.h"
#include "test/samples/reference.h"
#include <math.h>
#include <stdlib.h>

void *reference_input(const char *spec, int e)
{
    struct arena a;
    arena_init(&a);
    struct launch_value v;
    void *bytes = NULL;
    size_t n = 0;
    const char *why = launch_parse_value(&a, spec, &v);
    if (why == NULL)
        why = launch_make_buffer(&a, &v, e, launch_element_bytes(e), NULL, (size_t)1 << 30, &bytes, &n);
    if (why != NULL)
        BUG("reference input %s: %s", spec, why);
    arena_free(&a);
    return bytes;
}

void *reference_saxpy(size_t *n)
{
    enum { N = 4096 };
    float *y = reference_input("ramp(0, 1, 4096)", LAUNCH_FLOAT);
    float *x = reference_input("random(4096, 1, -1, 1)", LAUNCH_FLOAT);
    for (int i = 0; i < N; i++)
        y[i] = 2.5f * x[i] + y[i];
    mem_free(x);
    *n = N * sizeof *y;
    return y;
}

void *reference_matmul(size_t *n)
{
    enum { N = 64 };
    float *a = reference_input("random(4096, 1, -1, 1)", LAUNCH_FLOAT);
    float *b = reference_input("random(4096, 2, -1, 1)", LAUNCH_FLOAT);
    float *c = mem_alloc(N * N * sizeof *c);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[y * N + k] * b[k * N + x];
            c[y * N + x] = sum;
        }
    mem_free(a);
    mem_free(b);
    *n = N * N * sizeof *c;
    return c;
}

void *reference_reduce(size_t *n)
{
    int32_t *in = reference_input("random(100000, 7, -100, 100)", LAUNCH_INT);
    int32_t *total = mem_alloc(sizeof *total);
    for (int i = 0; i < 100000; i++)
        *total += in[i];
    mem_free(in);
    *n = sizeof *total;
    return total;
}

void *reference_scan(size_t *n)
{
    enum { N = 2048, BLOCK = 256 };
    uint32_t *a = reference_input("random(2048, 3, 0, 9)", LAUNCH_UINT);
    for (int i = 1; i < N; i++)
        if (i % BLOCK != 0)
            a[i] += a[i - 1];
    *n = N * sizeof *a;
    return a;
}

void *reference_histogram(size_t *n)
{
    uint8_t *data = reference_input("random(65536, 5, 0, 255)", LAUNCH_UCHAR);
    uint32_t *bins = mem_alloc(256 * sizeof *bins);
    for (int i = 0; i < 65536; i++)
        bins[data[i]]++;
    mem_free(data);
    *n = 256 * sizeof *bins;
    return bins;
}

void *reference_nbody(size_t *n)
{
    enum { N = 256 };
    float *x = reference_input("random(256, 1, -1, 1)", LAUNCH_FLOAT);
    float *y = reference_input("random(256, 2, -1, 1)", LAUNCH_FLOAT);
    float *z = reference_input("random(256, 3, -1, 1)", LAUNCH_FLOAT);
    float *mass = reference_input("random(256, 4, 0.5, 2)", LAUNCH_FLOAT);
    float *out = mem_alloc(3 * N * sizeof *out);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float pull = mass[j] / (r2 * sqrtf(r2));
            out[i] += dx * pull;
            out[N + i] += dy * pull;
            out[2 * N + i] += dz * pull;
        }
    mem_free(x);
    mem_free(y);
    mem_free(z);
    mem_free(mass);
    *n = 3 * N * sizeof *out;
    return out;
}

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void *sorted_in_blocks(const char *input, int block, size_t *n)
{
    enum { N = 2048 };
    int32_t *data = reference_input(input, LAUNCH_INT);
    for (int first = 0; first < N; first += block)
        qsort(data + first, (size_t)block, sizeof *data, by_value);
    *n = N * sizeof *data;
    return data;
}

static const char random_numbers[] = "random(2048, 11, -1000, 1000)", reversed[] = "ramp(2047, 0, 2048)";

void *reference_bitonic(size_t *n)
{
    return sorted_in_blocks(random_numbers, 256, n);
}
void *reference_bitonic_32(size_t *n)
{
    return sorted_in_blocks(random_numbers, 32, n);
}
void *reference_bitonic_32_reversed(size_t *n)
{
    return sorted_in_blocks(reversed, 32, n);
}
void *reference_bitonic_128(size_t *n)
{
    return sorted_in_blocks(random_numbers, 128, n);
}
void *reference_bitonic_reversed(size_t *n)
{
    return sorted_in_blocks(reversed, 256, n);
}

void *reference_collatz(size_t *n)
{
    enum { N = 1024 };
    int32_t *steps = mem_alloc(N * sizeof *steps);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t x = i + 1; x != 1; x = x % 2 ? 3 * x + 1 : x / 2)
            steps[i]++;
    *n = N * sizeof *steps;
    return steps;
}
