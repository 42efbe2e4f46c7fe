/* reference_convergent.c: plain C for the samples whose arms have convergent operations. */
#include "base/base.h"
#include "launch/launch.h"
#include "test/samples/reference.h"
#include <stdlib.h>

enum { THREADS = 1024, BLOCK = 128, BLOCKS = THREADS / BLOCK };

static int32_t *numbers(void)
{
    return reference_input("random(1024, 8, -100, 100)", LAUNCH_INT);
}

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

void *reference_reductions(size_t *n)
{
    int32_t *in = numbers(), *out = mem_alloc(2 * BLOCKS * sizeof *out);
    for (int i = 0; i < THREADS; i++)
        out[2 * (i / BLOCK) + (in[i] % 2 == 0)] += (in[i] * in[i] + 5) * 3;
    mem_free(in);
    *n = 2 * BLOCKS * sizeof *out;
    return out;
}

void *reference_append(size_t *n)
{
    int32_t *in = numbers(), *out = mem_alloc(THREADS * sizeof *out);
    for (int block = 0; block < THREADS; block += BLOCK) {
        size_t kept = 0;
        for (int i = block; i < block + BLOCK; i++)
            if (abs(in[i]) > 20)
                out[block + (int)kept++] = (in[i] * in[i] + 5) * (in[i] > 0 ? 3 : 7);
        qsort(out + block, kept, sizeof *out, by_value);
    }
    mem_free(in);
    *n = THREADS * sizeof *out;
    return out;
}

void *reference_breaks(size_t *n)
{
    enum { ROUNDS = 32 };
    uint32_t *left = mem_alloc(2 * ROUNDS * sizeof *left), *kept = left + ROUNDS;
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        uint32_t s = thread * 2654435761u + 1;
        for (int i = 0; i < ROUNDS; i++) {
            s = s * 1664525 + 1013904223;
            uint32_t x = s >> 20, square = x * x + 5;
            if (s >> 29 == 0) {
                left[i] += square * 3;
                break;
            }
            kept[i] += square * 7;
        }
    }
    *n = 2 * ROUNDS * sizeof *left;
    return left;
}

void *reference_threaded(size_t *n)
{
    int32_t *in = numbers(), *out = mem_alloc(THREADS * sizeof *out), box[BLOCK];
    for (int block = 0; block < THREADS; block += BLOCK) {
        for (int t = 0; t < BLOCK; t++) {
            int x = in[block + t];
            box[t] = x % 2 ? (x * x + 5) * 3 : x > 0 ? (x * x + 5) * 7 : 0;
        }
        for (int t = 0; t < BLOCK; t++)
            if (box[t])
                out[block + t] = box[(t + 1) % BLOCK] - box[(t + 64) % BLOCK];
    }
    mem_free(in);
    *n = THREADS * sizeof *out;
    return out;
}
