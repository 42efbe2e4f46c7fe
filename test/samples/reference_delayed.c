/* reference_delayed.c: plain C for the samples whose threads come to the dear part of a loop one by one. */
#include "base/base.h"
#include "base/scalar.h"
#include "launch/launch.h"
#include "test/samples/reference.h"
#include <math.h>

static uint32_t next(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

/* ---- iterdelay ---- */

static uint32_t hash_16_rounds(uint32_t s)
{
    uint32_t a = s, b = ~s;
    for (uint32_t k = 0; k < 16; k++) {
        a = (a ^ b >> 15) * 2246822519u + k;
        b = (b << 13 | b >> 19) + a;
    }
    return a ^ b;
}

void *reference_iterdelay(size_t *n)
{
    enum { THREADS = 512, ITERATIONS = 256 };
    uint32_t *out = mem_alloc(THREADS * sizeof *out);
    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t s = i * 2654435761u + 1;
        for (int k = 0; k < ITERATIONS; k++) {
            uint32_t dear = next(&s) < 429496730 ? hash_16_rounds(s) : 0;
            out[i] = (out[i] + dear) * 31 + (s >> 16);
        }
    }
    *n = THREADS * sizeof *out;
    return out;
}

/* ---- anyhit ---- */

static float fraction(uint32_t *s)
{
    return (float)(next(s) >> 8) * (1.0f / 16777216);
}

struct ray {
    float from[3], dir[3], inverse[3];
};

static struct ray draw_ray(uint32_t *s)
{
    struct ray r;
    for (int k = 0; k < 3; k++)
        r.from[k] = (float)(k < 2 ? 8 : 4) * fraction(s);
    float angle = 6.2831853f * fraction(s), up = 2 * fraction(s) - 1, flat = sqrtf(1 - up * up);
    r.dir[0] = flat * scalar_cosf(angle);
    r.dir[1] = flat * scalar_sinf(angle);
    r.dir[2] = up;
    for (int k = 0; k < 3; k++)
        r.inverse[k] = 1 / (r.dir[k] + 1e-9f);
    return r;
}

/* Where the ray enters and leaves the box; returns whether it comes through. */
static int crosses(const struct ray *r, const int at[3], const int width[3], float *near, float *far)
{
    *near = 0;
    *far = INFINITY;
    for (int k = 0; k < 3; k++) {
        float low = (float)at[k] - r->from[k];
        float a = low * r->inverse[k], b = (low + (float)width[k]) * r->inverse[k];
        *near = fmaxf(*near, fminf(a, b));
        *far = fminf(*far, fmaxf(a, b));
    }
    return *near < *far;
}

static float cloud(const struct ray *r, float near, float far, int samples)
{
    float step = (far - near) / (float)samples, t = near + step / 2, sum = 0;
    for (int i = 0; i < samples; i++, t += step) {
        float p[3];
        for (int k = 0; k < 3; k++)
            p[k] = r->from[k] + r->dir[k] * t;
        sum += (p[0] - floorf(p[0])) * (p[1] - floorf(p[1])) * (p[2] - floorf(p[2]));
    }
    return sum * step;
}

/* Takes from *through what the ray loses in the box: halves it along its axes in the order xyzxyzxy, the nearer
 * to 0 first. leaf: number of the box's first one. Returns false once the ray has ended. */
static int follow(const struct ray *r, int depth, int leaf, const int at[3], const int width[3],
                  const float *opacity, float *through)
{
    float near, far;
    if (!crosses(r, at, width, &near, &far))
        return 1;
    if (depth == 8) {
        *through *= scalar_expf(-opacity[leaf] * cloud(r, near, far, 7));
        return !(*through < 0.01f);
    }
    int low[3] = {at[0], at[1], at[2]}, half[3] = {width[0], width[1], width[2]};
    half[depth % 3] /= 2;
    if (!follow(r, depth + 1, leaf, low, half, opacity, through))
        return 0;
    low[depth % 3] += half[depth % 3];
    return follow(r, depth + 1, leaf + (128 >> depth), low, half, opacity, through);
}

void *reference_anyhit(size_t *n)
{
    enum { THREADS = 256, RAYS = 8 };
    static const int origin[3] = {0, 0, 0}, whole[3] = {8, 8, 4};
    float *opacity = reference_input("random(256, 1, 0, 4)", LAUNCH_FLOAT);
    float *out = mem_alloc(THREADS * sizeof *out);
    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t s = i * 2654435761u + 4242;
        for (int k = 0; k < RAYS; k++) {
            struct ray r = draw_ray(&s);
            float through = 1;
            follow(&r, 0, 0, origin, whole, opacity, &through);
            out[i] += through;
        }
    }
    mem_free(opacity);
    *n = THREADS * sizeof *out;
    return out;
}
