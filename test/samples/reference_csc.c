/* reference_csc.c: plain C for the samples of Common Subexpression Convergence. What both sides of a branch
 * have in common is written once here. */
#include "base/base.h"
#include "launch/launch.h"
#include "test/samples/reference.h"
#include <math.h>

enum { THREADS = 1024, ROUNDS = 32 };

/* ---- csc_hoist ---- */

static float filtered(float a, float b)
{
    float sum = (((a * 0.25f + 0.5f) * a - 0.125f) * a + 0.75f) * b + (a - b) * (1.5f - b);
    return sum * (1 - sum) + (a + b) * 0.375f - a * b;
}

void *reference_csc_hoist(size_t *n)
{
    enum { WIDTH = 32 };
    float *image = reference_input("random(1057, 1, 0, 1)", LAUNCH_FLOAT);
    float *out = mem_alloc(THREADS * sizeof *out);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        float x = 1, y = 0;
        for (uint32_t i = 0; i < ROUNDS; i++) {
            const float *at = image + (thread + i * 5) % 1024;
            float above = filtered(at[0], at[1]), below = filtered(at[WIDTH], at[WIDTH + 1]);
            if (thread % 2)
                x = (x * 0.5f + fmaxf(above, below)) * 0.75f - above * 0.125f;
            else
                y = y * 0.875f + fabsf(above - below) * (y - 2);
        }
        out[thread] = x + y;
    }
    mem_free(image);
    *n = THREADS * sizeof *out;
    return out;
}

/* ---- csc_sink ---- */

void *reference_csc_sink(size_t *n)
{
    float *lens = reference_input("random(1056, 2, 0, 1)", LAUNCH_FLOAT);
    float *out = mem_alloc(THREADS * sizeof *out);
    for (int thread = 0; thread < THREADS; thread++) {
        float x = 0.5f, angle = 0.25f, light = 0;
        for (int i = 0; i < ROUNDS; i++) {
            float a = lens[thread + i], b = thread % 2 ? (x - angle * a) * 1.25f : x + angle * 0.75f - a;
            float c = thread % 2 ? (angle - x) * b + 0.5f : (angle + 0.125f) * (1 - x);
            float d = b * c - a, e = b + c * 0.5f;
            d = (d * 0.5f + e) * (1 - d * 0.25f) + (c - b) * a;
            e = (e - d * 0.125f) * (0.75f + d * e) - a * b;
            d = d * 0.25f + (e * 0.375f - c) * (e * 0.0625f + b) * 0.5f;
            e = e * 0.25f - (d * 0.375f + b) * (d * 0.0625f - c) * 0.25f;
            light = light * 0.75f + d * e;
            x = fminf(d, 1);
            angle = fmaxf(e, -1);
        }
        out[thread] = light + x + angle;
    }
    mem_free(lens);
    *n = THREADS * sizeof *out;
    return out;
}

/* ---- csc_split ---- */

void *reference_csc_split(size_t *n)
{
    enum { STEPS = 5 };
    float *field = reference_input("random(1056, 3, 0, 1)", LAUNCH_FLOAT);
    float *out = mem_alloc(THREADS * sizeof *out);
    for (int thread = 0; thread < THREADS; thread++) {
        float x = 0.5f, v = 0.25f;
        for (int i = 0; i < ROUNDS; i++) {
            float a = field[thread + i];
            if (thread % 2 == 0) {
                x = (x + 0.5f) * (a - 0.25f);
                v = (0.75f - a) * v - a;
            }
            for (int k = 0; k < STEPS; k++) {
                v += (a - x * 0.75f - v * 0.125f) * 0.25f;
                x += v * 0.25f;
            }
            if (thread % 2) {
                x = fminf(fabsf(x), 1) - v * 0.125f;
                v = v * 0.5f - a;
            }
        }
        out[thread] = x + v;
    }
    mem_free(field);
    *n = THREADS * sizeof *out;
    return out;
}

/* ---- csc_rename ---- */

static uint32_t mixed(uint32_t h, uint32_t c)
{
    h = (h ^ h >> 11) * 0x9e3779b9 + c;
    h = (h ^ h >> 15) * 0x2c1b3c6d + (c ^ h << 5);
    h = (h ^ h >> 12) * 0x297a2d39 - (c & h << 7);
    h = (h ^ h >> 16) * 0x85ebca6b + (c | h << 9);
    h = (h ^ h >> 13) * 0xc2b2ae35 - (c ^ h << 3);
    h = (h ^ h >> 14) * 0x27d4eb2f + (c & h << 6);
    return ((h ^ h >> 17) * 0x165667b1) ^ (c + (h >> 10));
}

void *reference_csc_rename(size_t *n)
{
    uint32_t *words = reference_input("random(1056, 4, 0, 1000000000)", LAUNCH_UINT);
    uint32_t *out = mem_alloc(THREADS * sizeof *out);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        uint32_t red = thread * 2654435761u, blue = ~red;
        for (int i = 0; i < ROUNDS; i++) {
            uint32_t c = words[thread + (uint32_t)i];
            if (thread % 2) {
                red = mixed(red, c);
                blue = (((blue << 1 ^ blue >> 3) + 1) ^ blue) - c;
            } else {
                blue = mixed(blue, c);
                red = (((red >> 3 | c) + (red & 255)) ^ 0x5a) - red;
            }
        }
        out[thread] = red ^ blue;
    }
    mem_free(words);
    *n = THREADS * sizeof *out;
    return out;
}

/* ---- csc_switch ---- */

/* What instruction number `way` makes of c and s, before all of them mix it into s. */
static uint32_t word_of(uint32_t way, uint32_t c, uint32_t s)
{
    switch (way) {
    case 0: return (((s << 1 ^ s >> 3) + 1) ^ s) - c;
    case 1: return (((c >> 3 | s) + (c & 255)) ^ 0x5a) - s;
    case 2: return ((c - s) * 5 + (~c & s)) | 3;
    case 3: return (c < s ? c : s) + ((c > s ? c : s) >> 4 ^ c) * 7;
    case 4: return ((c & s) | 9) * 11 - ((c ^ s << 2));
    case 5: return ((s >> 5) * (c >> 7) + (s | c)) ^ 77;
    case 6: return (~((c << 4) - s) & 0xffff) ^ (s + 13);
    default: return (s * 3 ^ c * 5) - ((s + c) | 1);
    }
}

static uint32_t folded(uint32_t h, uint32_t c)
{
    h = (h ^ h >> 11) * 0x9e3779b9 + c;
    h = (h ^ h >> 15) * 0x2c1b3c6d + (c ^ h << 5);
    h = (h ^ h >> 12) * 0x297a2d39 - (c & h << 7);
    h = ((h ^ h >> 13) * 0x165667b1) ^ c;
    h = (h ^ h >> 16) * 0x85ebca6b + (c | h << 9);
    h = (h ^ h >> 13) * 0xc2b2ae35 - (c ^ h << 3);
    h = (h ^ h >> 14) * 0x27d4eb2f + (c & h << 6);
    return (h >> 7) + c;
}

static void *of_ways(uint32_t ways, size_t *n)
{
    uint32_t *words = reference_input("random(1056, 5, 0, 1000000000)", LAUNCH_UINT);
    uint32_t *out = mem_alloc(THREADS * sizeof *out);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        uint32_t s = thread;
        for (int i = 0; i < ROUNDS; i++) {
            uint32_t c = word_of(thread % ways, words[thread + (uint32_t)i], s);
            s = folded(s, c);
        }
        out[thread] = s;
    }
    mem_free(words);
    *n = THREADS * sizeof *out;
    return out;
}

void *reference_csc_ways4(size_t *n)
{
    return of_ways(4, n);
}
void *reference_csc_ways8(size_t *n)
{
    return of_ways(8, n);
}

/* ---- csc_loads ---- */

enum { WORDS = 4096, STEP = 32 };

static uint32_t one_of_two(uint32_t thread, const uint32_t *mine, const uint32_t *yours, uint32_t s)
{
    UNUSED(yours);
    return thread % 2 ? (mine[0] ^ mine[1024]) + (mine[2048] | s) : (mine[2048] - s) * (mine[0] & mine[1024]);
}

static uint32_t apart(uint32_t thread, const uint32_t *mine, const uint32_t *yours, uint32_t s)
{
    return thread % 2 ? (mine[0] ^ mine[1024]) + (mine[2048] | s)
                      : (yours[0] ^ yours[1024]) - (yours[2048] & s);
}

static uint32_t one_of_many(uint32_t thread, const uint32_t *mine, const uint32_t *yours, uint32_t s)
{
    UNUSED(yours);
    uint32_t way = thread % 32, c = 2 * way + 1, a = mine[0], b = mine[1024];
    switch (way % 4) {
    case 0: return s + ((a * c) ^ b);
    case 1: return s ^ (a + c - b);
    case 2: return s * c - (a | b);
    default: return s - ((a ^ c) + b);
    }
}

static void *of_loads(uint32_t (*step)(uint32_t, const uint32_t *, const uint32_t *, uint32_t), size_t *n)
{
    uint32_t *words = reference_input("random(4096, 6, 0, 1000000000)", LAUNCH_UINT);
    uint32_t *others = reference_input("random(4096, 7, 0, 1000000000)", LAUNCH_UINT);
    uint32_t *out = mem_alloc(THREADS * sizeof *out);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        uint32_t s = thread;
        for (uint32_t i = 0; i < ROUNDS; i++)
            s = step(thread, words + thread + i * STEP, others + thread + i * STEP, s);
        out[thread] = s;
    }
    mem_free(words);
    mem_free(others);
    *n = THREADS * sizeof *out;
    return out;
}

void *reference_csc_same(size_t *n)
{
    return of_loads(one_of_two, n);
}
void *reference_csc_apart(size_t *n)
{
    return of_loads(apart, n);
}
void *reference_csc_ways(size_t *n)
{
    return of_loads(one_of_many, n);
}
