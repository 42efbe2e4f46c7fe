/* reference_pictures.c: plain C for the samples that draw. */
#include "base/base.h"
#include "base/scalar.h"
#include "test/samples/reference.h"
#include <math.h>
#include <stdlib.h>

/* ---- sobel ---- */

static int scene_at(int x, int y)
{
    for (int d = 0; d < 5; d++) {
        int dx = x - (40 + 43 * d), dy = y - (60 + d * 61 % 130), radius = 18 + 7 * d;
        if (dx * dx + dy * dy < radius * radius)
            return 90 + 33 * d;
    }
    return (x + 2 * y) / 24 % 2 == 0 ? 40 : 70;
}

void *reference_sobel(size_t *n)
{
    enum { SIDE = 256 };
    static const int weight[3] = {1, 2, 1};
    uint8_t *edges = mem_alloc(SIDE * SIDE);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int gx = 0, gy = 0;
            for (int k = -1; k <= 1; k++) {
                gx += weight[k + 1] * (scene_at(x + 1, y + k) - scene_at(x - 1, y + k));
                gy += weight[k + 1] * (scene_at(x + k, y + 1) - scene_at(x + k, y - 1));
            }
            int sum = abs(gx) + abs(gy);
            edges[y * SIDE + x] = (uint8_t)(sum < 255 ? sum : 255);
        }
    *n = SIDE * SIDE;
    return edges;
}

/* ---- mandelbrot ---- */

static uint32_t palette(int n, int limit)
{
    if (n == limit)
        return 0;
    uint32_t t = (uint32_t)n * 12 % 768, up = t % 256, down = 255 - up;
    if (t < 256)
        return (up / 3) << 16 | (up / 2) << 8 | (96 + up * 5 / 8);
    if (t < 512)
        return (85 + up * 2 / 3) << 16 | (127 + up / 2) << 8 | (255 - up / 4);
    return down << 16 | down << 8 | (64 + down / 2);
}

void *reference_mandelbrot(size_t *n)
{
    enum { WIDTH = 80, HEIGHT = 60, LIMIT = 256 };
    uint32_t *image = mem_alloc(WIDTH * HEIGHT * sizeof *image);
    for (int p = 0; p < WIDTH * HEIGHT; p++) {
        float cx = -2.2f + 3.2f * (float)(p % WIDTH) / WIDTH;
        float cy = -1.2f + 2.4f * (float)(p / WIDTH) / HEIGHT;
        float x = 0, y = 0;
        int steps = 0;
        for (; steps < LIMIT && x * x + y * y <= 4; steps++) {
            float next = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = next;
        }
        image[p] = palette(steps, LIMIT);
    }
    *n = WIDTH * HEIGHT * sizeof *image;
    return image;
}

/* ---- pathtracer ---- */

struct vec {
    float x, y, z;
};
enum material { DIFFUSE, MIRROR, GLASS, LIGHT };
struct sphere {
    struct vec at;
    float radius, albedo;
    struct vec colour;
    enum material material;
};

static const struct sphere spheres[9] = {
    {{-2e3f, 40, 80}, 2e3f, 0.75f, {1, 0.35f, 0.35f}, DIFFUSE},
    {{2e3f + 100, 40, 80}, 2e3f, 0.75f, {0.35f, 0.35f, 1}, DIFFUSE},
    {{50, 40, -2e3f}, 2e3f, 0.75f, {1, 1, 1}, DIFFUSE},
    {{50, -2e3f, 80}, 2e3f, 0.75f, {1, 1, 1}, DIFFUSE},
    {{28, 17, 42}, 17, 0.999f, {1, 1, 1}, MIRROR},
    {{72, 17, 72}, 17, 0.999f, {1, 1, 1}, GLASS},
    {{47, 8, 92}, 8, 0.75f, {1, 0.35f, 0.35f}, DIFFUSE},
    {{22, 6, 100}, 6, 0.75f, {0.35f, 0.35f, 1}, DIFFUSE},
    {{50, 66, 40}, 9, 4, {1, 1, 1}, LIGHT},
};
static const float FAR = 1e20f;

static struct vec plus(struct vec a, struct vec b)
{
    return (struct vec){a.x + b.x, a.y + b.y, a.z + b.z};
}
static struct vec minus(struct vec a, struct vec b)
{
    return (struct vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static struct vec times(struct vec a, float f)
{
    return (struct vec){a.x * f, a.y * f, a.z * f};
}
static float dot(struct vec a, struct vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static struct vec cross(struct vec a, struct vec b)
{
    return (struct vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static struct vec unit(struct vec a)
{
    return times(a, 1 / sqrtf(dot(a, a)));
}

/* The next fraction in [0, 1) of the xorshift stream. */
static float draw(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return (float)(*s >> 8) * (1.0f / 16777216);
}

static float distance_to(const struct sphere *k, struct vec from, struct vec dir)
{
    struct vec to = minus(k->at, from);
    float b = dot(to, dir), det = b * b - dot(to, to) + k->radius * k->radius;
    if (det < 0)
        return FAR;
    det = sqrtf(det);
    return b - det > 0.02f ? b - det : b + det > 0.02f ? b + det : FAR;
}

static const struct sphere *nearest_sphere(struct vec from, struct vec dir, float *distance)
{
    const struct sphere *k = NULL;
    *distance = FAR;
    for (int i = 0; i < 9; i++) {
        float t = distance_to(&spheres[i], from, dir);
        if (t < *distance) {
            *distance = t;
            k = &spheres[i];
        }
    }
    return k;
}

static struct vec scatter(const struct sphere *k, struct vec dir, struct vec normal, uint32_t *s)
{
    float c = dot(normal, dir);
    struct vec facing = c < 0 ? normal : times(normal, -1), mirrored = plus(dir, times(normal, -2 * c));
    if (k->material == MIRROR)
        return mirrored;
    if (k->material == DIFFUSE) {
        float angle = 6.2831853f * draw(s), r2 = draw(s), r = sqrtf(r2);
        bool aside = fabsf(facing.x) > 0.1f;
        struct vec across = {0, -facing.z, facing.y}, up = {facing.z, 0, -facing.x};
        struct vec u = unit(aside ? up : across), v = cross(facing, u);
        struct vec disk = plus(times(u, r * scalar_cosf(angle)), times(v, r * scalar_sinf(angle)));
        return plus(disk, times(facing, sqrtf(1 - r2)));
    }
    float eta = c < 0 ? 1 / 1.5f : 1.5f, cosine = c < 0 ? -c : c;
    float k2 = 1 - eta * eta * (1 - cosine * cosine), base = 1 - cosine;
    float reflect = 0.04f + 0.96f * base * base * base * base * base;
    float chance = draw(s);
    if (k2 < 0 || chance < reflect)
        return mirrored;
    return unit(plus(times(dir, eta), times(facing, eta * cosine - sqrtf(k2))));
}

/* Adds the light that one path brings to sum. */
static void follow(struct vec from, struct vec dir, uint32_t *s, struct vec *sum)
{
    struct vec w = {1, 1, 1};
    for (int bounce = 0; bounce < 64; bounce++) {
        float t;
        const struct sphere *k = nearest_sphere(from, dir, &t);
        if (k == NULL) {
            float sky = 2 + dir.y;
            *sum = plus(*sum, (struct vec){w.x * sky, w.y * sky, w.z * 2.5f});
            return;
        }
        if (k->material == LIGHT) {
            *sum = plus(*sum, times(w, k->albedo));
            return;
        }
        float kept = k->albedo, chance = draw(s);
        if (bounce > 4) {
            if (chance >= k->albedo)
                return;
            kept = 1;
        }
        w = (struct vec){w.x * (kept * k->colour.x), w.y * (kept * k->colour.y), w.z * (kept * k->colour.z)};
        from = plus(from, times(dir, t));
        dir = scatter(k, dir, unit(minus(from, k->at)), s);
    }
}

void *reference_pathtracer(size_t *n)
{
    enum { WIDTH = 16, HEIGHT = 12, SAMPLES = 16 };
    float *image = mem_alloc(3 * WIDTH * HEIGHT * sizeof *image);
    for (int p = 0; p < WIDTH * HEIGHT; p++) {
        uint32_t s = (uint32_t)p * 2654435761u + 12345u;
        struct vec sum = {0, 0, 0};
        for (int sample = 0; sample < SAMPLES; sample++) {
            float px = ((float)(p % WIDTH) + draw(&s)) / WIDTH - 0.5f;
            float py = 0.5f - ((float)(p / WIDTH) + draw(&s)) / HEIGHT;
            follow((struct vec){50, 46, 168}, unit((struct vec){px * 0.95f, py * 0.95f - 0.06f, -1}), &s,
                   &sum);
        }
        image[3 * p] = sqrtf(sum.x / SAMPLES);
        image[3 * p + 1] = sqrtf(sum.y / SAMPLES);
        image[3 * p + 2] = sqrtf(sum.z / SAMPLES);
    }
    *n = 3 * WIDTH * HEIGHT * sizeof *image;
    return image;
}

/* ---- bgsub ---- */

enum { MODES = 5, FRAMES = 60 };
struct mode {
    float weight, mean, variance;
};

static float brightness(int x, int y, int frame)
{
    uint32_t n = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)frame * 83492791u;
    n *= 2654435761u;
    n = (n ^ n >> 15) * 0x2c1b3c6d;
    float noise = (float)(n >> 20) * (1.0f / 256) - 8;
    int ahead = x - frame;
    if (ahead >= 10 && ahead < 34 && y >= 40 && y < 72)
        return 210 + noise;
    if ((x / 8 + y / 8) % 3 == 0 && n % 4 == 0)
        return 150 + noise;
    if (x % 16 < 6 && n % 8 == 1)
        return 40 + noise;
    return (float)(90 + x / 4) + noise;
}

/* The mode that a brightness belongs to; -1: none. *before gets the weight of those that are likelier. */
static int mode_of(const struct mode *m, int count, float seen, float *before)
{
    *before = 0;
    for (int i = 0; i < count; i++) {
        float off = seen - m[i].mean;
        if (off * off < 9 * m[i].variance && m[i].weight > 0.02f)
            return i;
        *before += m[i].weight;
        if (*before > 0.97f && off > 60)
            return -1;
    }
    return -1;
}

static void bring_forward(struct mode *m, int i)
{
    for (; i > 0 && m[i].weight > m[i - 1].weight; i--) {
        struct mode t = m[i];
        m[i] = m[i - 1];
        m[i - 1] = t;
    }
}

/* Learns what is seen. Returns whether it is foreground. */
static bool learn(struct mode *m, int *count, float seen)
{
    float before, sum = 0;
    int i = mode_of(m, *count, seen, &before);
    bool foreground = true;
    if (i < 0) {
        i = *count == MODES ? MODES - 1 : (*count)++;
        m[i] = (struct mode){0.05f, seen, 50};
    } else {
        foreground = before > 0.7f || (m[i].weight < 0.1f && *count > 1);
        m[i].weight += 0.05f;
        float k = 0.05f / m[i].weight, off = seen - m[i].mean;
        m[i].mean += k * off;
        float variance = m[i].variance + k * (off * off - m[i].variance);
        m[i].variance = variance < 10 ? 10 : variance > 120 ? 120 : variance;
    }
    bring_forward(m, i);
    for (i = 0; i < *count; i++)
        sum += m[i].weight;
    for (i = 0; i < *count; i++)
        m[i].weight /= sum;
    return foreground;
}

void *reference_bgsub(size_t *n)
{
    enum { WIDTH = 32, HEIGHT = 48 };
    uint8_t *image = mem_alloc(WIDTH * HEIGHT);
    for (int p = 0; p < WIDTH * HEIGHT; p++) {
        struct mode m[MODES];
        int count = 0;
        bool foreground = false;
        for (int f = 0; f < FRAMES; f++)
            foreground = learn(m, &count, brightness(p % WIDTH, p / WIDTH, f));
        image[p] = foreground ? 255 : 0;
    }
    *n = WIDTH * HEIGHT;
    return image;
}

/* ---- raytrace ---- */

enum { BALLS = 16, RAYS = 12 };
static const float BALL_RADIUS = 0.65f;

static struct vec ball_at(int i)
{
    float z = 3 + 1.2f * (float)i;
    return (struct vec){((float)((i * 5 + 3) % BALLS) - 7.5f) * 0.075f * z, BALL_RADIUS - 1, z};
}

/* The first ball from the front that the ray hits, and how far away; -1: none. Here no boxes are in the way. */
static int ball_hit(struct vec from, struct vec dir, float *distance)
{
    for (int i = 0; i < BALLS; i++) {
        struct vec to = minus(ball_at(i), from);
        float b = dot(to, dir), det = b * b - dot(to, to) + BALL_RADIUS * BALL_RADIUS;
        if (b < 0 || det < 0)
            continue;
        *distance = b - sqrtf(det);
        if (*distance > 1e-3f)
            return i;
    }
    return -1;
}

static struct vec somewhere(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return (struct vec){(float)(*s >> 22) / 511.5f - 1, (float)(*s >> 12 & 1023) / 511.5f - 1,
                        (float)(*s >> 2 & 1023) / 511.5f - 1};
}

/* The part of the sky that a place sees. */
static float sky_seen(struct vec from, struct vec normal, uint32_t *s)
{
    int seen = 0;
    for (int k = 0; k < RAYS; k++) {
        float distance;
        struct vec dir = unit(somewhere(s));
        if (dot(dir, normal) < 0)
            dir = times(dir, -1);
        seen += ball_hit(from, dir, &distance) < 0 && dir.y > 0;
    }
    return (float)seen / RAYS;
}

void *reference_raytrace(size_t *n)
{
    enum { WIDTH = 32, HEIGHT = 24 };
    float *image = mem_alloc(WIDTH * HEIGHT * sizeof *image);
    for (int p = 0; p < WIDTH * HEIGHT; p++) {
        uint32_t s = (uint32_t)p * 2654435761u + 5;
        struct vec from = {0, 1.2f, 0}, normal = {0, 1, 0};
        struct vec dir = unit((struct vec){((float)(p % WIDTH) + 0.5f) / WIDTH * 1.6f - 0.8f,
                                           0.25f - ((float)(p / WIDTH) + 0.5f) / HEIGHT * 0.9f, 1});
        float t = 0, bright = 0.9f;
        int ball = ball_hit(from, dir, &t);
        if (ball >= 0) {
            normal = times(minus(plus(from, times(dir, t)), ball_at(ball)), 1 / BALL_RADIUS);
        } else if (dir.y < 0) {
            t = -2.2f / dir.y;
            bright = 0.7f;
        }
        if (ball >= 0 || dir.y < 0)
            bright *= sky_seen(plus(plus(from, times(dir, t)), times(normal, 2e-3f)), normal, &s);
        image[p] = sqrtf(bright);
    }
    *n = WIDTH * HEIGHT * sizeof *image;
    return image;
}
