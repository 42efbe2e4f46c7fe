/* reference_sequences.c: plain C for the samples of several launches. */
#include "base/base.h"
#include "launch/launch.h"
#include "test/samples/reference.h"
#include <stdlib.h>

/* By a queue, not by levels. */
void *reference_bfs(size_t *n)
{
    enum { N = 2048, MOST = 4 };
    uint8_t *degree = reference_input("random(2048, 3, 1, 4)", LAUNCH_UCHAR);
    int32_t *edges = reference_input("random(8192, 5, 0, 2047)", LAUNCH_INT);
    int32_t *distance = mem_alloc(N * sizeof *distance), queue[N] = {0};
    for (int i = 1; i < N; i++)
        distance[i] = -1;
    for (int first = 0, end = 1; first < end; first++)
        for (int i = 0, node = queue[first]; i < degree[node]; i++) {
            int to = edges[node * MOST + i];
            if (distance[to] >= 0)
                continue;
            distance[to] = distance[node] + 1;
            queue[end++] = to;
        }
    mem_free(degree);
    mem_free(edges);
    *n = N * sizeof *distance;
    return distance;
}

enum { POINTS = 1024, CLUSTERS = 8 };

static int nearest(int32_t x, int32_t y, const float *centres)
{
    float least = 1e30f;
    int best = 0;
    for (int k = 0; k < CLUSTERS; k++) {
        float dx = (float)x - centres[k], dy = (float)y - centres[CLUSTERS + k], d = dx * dx + dy * dy;
        if (d < least)
            least = d, best = k;
    }
    return best;
}

static void middle(const int32_t *x, const int32_t *y, const int32_t *cluster, float *centres)
{
    for (int k = 0; k < CLUSTERS; k++) {
        int32_t sum_x = 0, sum_y = 0, count = 0;
        for (int i = 0; i < POINTS; i++)
            if (cluster[i] == k)
                sum_x += x[i], sum_y += y[i], count++;
        if (count == 0)
            continue;
        centres[k] = (float)sum_x / (float)count;
        centres[CLUSTERS + k] = (float)sum_y / (float)count;
    }
}

void *reference_kmeans(size_t *n)
{
    int32_t *x = reference_input("random(1024, 11, 0, 999)", LAUNCH_INT);
    int32_t *y = reference_input("random(1024, 12, 0, 999)", LAUNCH_INT);
    *n = 2 * CLUSTERS * sizeof(float) + POINTS * sizeof(int32_t);
    float *centres = mem_alloc(*n);
    int32_t *cluster = (int32_t *)(centres + (size_t)2 * CLUSTERS);
    bool moved = true;
    for (int k = 0; k < CLUSTERS; k++)
        centres[k] = (float)x[k], centres[CLUSTERS + k] = (float)y[k];
    for (int round = 0; moved && round < 60; round++) {
        moved = round == 0;
        for (int i = 0; i < POINTS; i++) {
            int best = nearest(x[i], y[i], centres);
            moved |= best != cluster[i];
            cluster[i] = best;
        }
        middle(x, y, cluster, centres);
    }
    mem_free(x);
    mem_free(y);
    return centres;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Equal keys stay in their order. */
void *reference_radix(size_t *n)
{
    enum { N = 2048 };
    uint32_t *keys = reference_input("random(2048, 21, 0, 65535)", LAUNCH_UINT);
    uint64_t pairs[N];
    uint32_t *out = mem_alloc(2 * N * sizeof *out);
    for (uint32_t i = 0; i < N; i++)
        pairs[i] = (uint64_t)keys[i] << 32 | i;
    qsort(pairs, N, sizeof *pairs, by_key);
    for (int i = 0; i < N; i++)
        out[i] = (uint32_t)(pairs[i] >> 32), out[N + i] = (uint32_t)pairs[i];
    mem_free(keys);
    *n = 2 * N * sizeof *out;
    return out;
}
