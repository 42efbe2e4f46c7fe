/* reference_hashes.c: plain C for the samples that hash numbers. */
#include "base/base.h"
#include "test/samples/reference.h"
#include <math.h>

/* ---- md5 ---- */

static uint32_t rotated(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

/* The first word of RFC 1321's hash of the eight letters, by its definition. Any libm's sine is good enough:
 * none of the 64 products lies that near to a whole number. */
static uint32_t hash(const uint8_t letters[8])
{
    static const int shifts[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
    uint32_t message[16] = {[2] = 128, [14] = 64};
    uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    for (int i = 0; i < 8; i++)
        message[i / 4] |= (uint32_t)letters[i] << i % 4 * 8;
    for (int i = 0; i < 64; i++) {
        uint32_t f[4] = {(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)};
        int word[4] = {i, 5 * i + 1, 3 * i + 5, 7 * i}, quarter = i / 16;
        uint32_t sine = (uint32_t)(0x1p32 * fabs(sin(i + 1)));
        uint32_t sum = a + f[quarter] + sine + message[word[quarter] % 16];
        uint32_t next = b + rotated(sum, shifts[4 * quarter + i % 4]);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    return a + 0x67452301;
}

static uint32_t xorshift(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

void *reference_md5(size_t *n)
{
    enum { THREADS = 256, TASKS = 4 };
    uint32_t *out = mem_alloc(2 * THREADS * sizeof *out);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        uint32_t s = thread * 2654435761u + 31, *key = &out[thread], *least = &out[THREADS + thread];
        *least = UINT32_MAX;
        for (int task = 0; task < TASKS; task++) {
            uint32_t from = xorshift(&s);
            float u = (float)(xorshift(&s) >> 8) * (1.0f / 16777216);
            uint32_t keys = (uint32_t)(1 + 104 * u * u * u);
            for (uint32_t k = from; k != from + keys; k++) {
                uint8_t letters[8];
                for (int i = 0; i < 8; i++)
                    letters[i] = (uint8_t)('a' + (k >> 4 * i & 15));
                uint32_t h = hash(letters);
                if (h < *least) {
                    *least = h;
                    *key = k;
                }
            }
        }
    }
    *n = 2 * THREADS * sizeof *out;
    return out;
}

/* ---- commoncall ---- */

static float corner(int32_t x, int32_t y)
{
    uint32_t n = (uint32_t)x * 0x9e3779b9 ^ (uint32_t)y * 0x85ebca6b;
    n = (n ^ n >> 15) * 0x2c1b3c6d;
    n = (n ^ n >> 12) * 0x297a2d39;
    return (float)(n ^ n >> 15) * 0x1p-31f - 1;
}

static float smooth(float t)
{
    return t * t * (3 - 2 * t);
}
static float between(float a, float b, float t)
{
    return a + t * (b - a);
}

static float noise(float x, float y)
{
    float sum = 0, size = 1;
    for (int octave = 0; octave < 6; octave++) {
        int32_t column = (int32_t)floorf(x), row = (int32_t)floorf(y);
        float u = smooth(x - (float)column), v = smooth(y - (float)row);
        float above = between(corner(column, row), corner(column + 1, row), u);
        float below = between(corner(column, row + 1), corner(column + 1, row + 1), u);
        size /= 2;
        sum += size * between(above, below, v);
        x = 2 * x + 5.3f;
        y = 2 * y + 1.7f;
    }
    return sum;
}

void *reference_commoncall(size_t *n)
{
    enum { THREADS = 256, STEPS = 32 };
    float *out = mem_alloc(THREADS * sizeof *out);
    for (int thread = 0; thread < THREADS; thread++) {
        float x = (float)(thread % 32) * 0.37f, y = (float)(thread / 32) * 0.53f, light = 0, transmitted = 1;
        for (int i = 0; i < STEPS; i++) {
            uint32_t cell = (uint32_t)(thread + 1) * 2654435761u + (uint32_t)i * 0x9e3779b9;
            cell = (cell ^ cell >> 15) * 0x2c1b3c6d;
            float along = 0.25f * (float)i;
            if (cell >> 31 == 1) {
                float density = 0.5f + 0.5f * noise(x, y + along);
                light += transmitted * density * 0.1f;
                transmitted *= 1 - 0.05f * density;
            } else {
                float tint = noise(y - along, x);
                transmitted *= 0.98f - 0.02f * tint * tint;
            }
        }
        out[thread] = light + transmitted;
    }
    *n = THREADS * sizeof *out;
    return out;
}
