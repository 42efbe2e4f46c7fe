/* reference_photons.c: plain C for the samples that follow photons. */
#include "base/base.h"
#include "base/scalar.h"
#include "launch/launch.h"
#include "test/samples/photons.h"
#include "test/samples/reference.h"
#include <math.h>

/* ---- mcgpu ---- */

enum { SIDE = 32, BINS = 8, MOST_SHELLS = 10 };

struct material {
    float attenuation[BINS], absorption[BINS], coherence[BINS];
    int shells;
    float electrons[MOST_SHELLS], binding[MOST_SHELLS];
};

static const struct material air = {
    {0.002f, 0.0008f, 0.0005f, 0.0003f, 0.0003f, 0.0002f, 0.0002f, 0.0002f},
    {0.8f, 0.5f, 0.3f, 0.15f, 0.08f, 0.05f, 0.03f, 0.02f},
    {0.9f, 0.62f, 0.43f, 0.27f, 0.18f, 0.13f, 0.1f, 0.08f},
    5,
    {0.28f, 0.24f, 0.2f, 0.16f, 0.12f},
    {0.5f, 0.8f, 3, 9, 20},
};
static const struct material tissue = {
    {0.81f, 0.42f, 0.29f, 0.23f, 0.205f, 0.19f, 0.18f, 0.17f},
    {0.8f, 0.5f, 0.3f, 0.15f, 0.08f, 0.05f, 0.03f, 0.02f},
    {0.9f, 0.62f, 0.43f, 0.27f, 0.18f, 0.13f, 0.1f, 0.08f},
    7,
    {0.2f, 0.2f, 0.18f, 0.14f, 0.12f, 0.09f, 0.07f},
    {0.4f, 0.7f, 1.5f, 3, 8, 16, 25},
};
static const struct material bone = {
    {1.3f, 0.92f, 0.71f, 0.57f, 0.49f, 0.44f, 0.4f, 0.37f},
    {0.9f, 0.75f, 0.6f, 0.45f, 0.35f, 0.25f, 0.2f, 0.15f},
    {0.95f, 0.85f, 0.74f, 0.6f, 0.49f, 0.37f, 0.3f, 0.23f},
    10,
    {0.15f, 0.15f, 0.14f, 0.12f, 0.12f, 0.1f, 0.08f, 0.06f, 0.05f, 0.03f},
    {0.4f, 0.8f, 1.5f, 3, 6, 12, 25, 50, 90, 160},
};

struct ray {
    float at[3];
    struct direction d;
    float energy;
    uint32_t *s;
};

static const struct material *material_at(const int v[3])
{
    int x = 2 * v[0] - 31, y = 2 * v[1] - 31, edge = 3 * x * x + 5 * y * y;
    if (edge > 2700)
        return &air;
    int is_rib = edge > 2200 && v[2] % 4 == 0, is_spine = x * x + (y - 13) * (y - 13) < 30;
    return is_rib || is_spine ? &bone : &tissue;
}

static void turn(struct ray *r, float cosine)
{
    float a, b, square;
    do {
        a = 2 * draw(r->s) - 1;
        b = 2 * draw(r->s) - 1;
        square = a * a + b * b;
    } while (square > 1);
    float sine = sqrtf(fabsf(1 - cosine * cosine) / square), side2 = r->d.x * r->d.x + r->d.y * r->d.y;
    a *= sine;
    b *= sine;
    r->d =
        side2 < 1e-6f ? (struct direction){a, b, r->d.z * cosine} : turned(r->d, cosine, a, b, sqrtf(side2));
}

static float coherent(struct ray *r)
{
    for (;;) {
        float cosine = 2 * draw(r->s) - 1, form = 1 / (1 + r->energy * r->energy * 2e-4f * (1 - cosine));
        if (2 * draw(r->s) <= (1 + cosine * cosine) * form)
            return cosine;
    }
}

static float incoherent(struct ray *r, const struct material *m)
{
    float k = r->energy / 511, least = 1 / (1 + 2 * k);
    for (;;) {
        float left = least + (1 - least) * draw(r->s), cosine = 1 - (1 / left - 1) / k;
        float momentum = r->energy * r->energy * (1 - cosine) * 0.01f, free = 0;
        for (int i = 0; i < m->shells; i++)
            free += m->electrons[i] * (momentum / (momentum + m->binding[i]));
        if ((least + 1 / least) * draw(r->s) <= (left + 1 / left - 1 + cosine * cosine) * free) {
            r->energy *= left;
            return cosine;
        }
    }
}

static void emit(struct ray *r)
{
    float a = draw(r->s);
    r->energy = 40 + 80 * a * draw(r->s);
    float u = 0.4f * draw(r->s) - 0.2f, v = 0.4f * draw(r->s) - 0.2f, length = 1 / sqrtf(1 + u * u + v * v);
    r->d = (struct direction){u * length, length, v * length};
    r->at[0] = r->at[2] = 16;
    r->at[1] = 0;
}

/* Steps until something is hit; its voxel is v. NULL: the photon has left. */
static const struct material *fly(struct ray *r, const uint8_t *density, int v[3])
{
    int bin = (int)(r->energy * 0.0625f);
    float densest = bone.attenuation[bin];
    for (;;) {
        float flight = -scalar_logf(draw(r->s)) / densest;
        r->at[0] += r->d.x * flight;
        r->at[1] += r->d.y * flight;
        r->at[2] += r->d.z * flight;
        for (int i = 0; i < 3; i++) {
            if (!(r->at[i] >= 0 && r->at[i] < SIDE))
                return NULL;
            v[i] = (int)r->at[i];
        }
        const struct material *m = material_at(v);
        float real = m->attenuation[bin] * density[(v[2] * SIDE + v[1]) * SIDE + v[0]] * (1.0f / 256);
        if (draw(r->s) * densest < real)
            return m;
    }
}

static int pixel(float x)
{
    return (int)(x < 0 ? 0 : x > SIDE - 1 ? SIDE - 1 : x);
}

static void follow(struct ray *r, const uint8_t *density, uint32_t *dose, uint32_t *image)
{
    const struct material *m;
    int v[3];
    emit(r);
    while ((m = fly(r, density, v)) != NULL) {
        uint32_t *here = &dose[(v[2] * SIDE + v[1]) * SIDE + v[0]];
        int bin = (int)(r->energy * 0.0625f);
        float before = r->energy, kind = draw(r->s);
        if (kind < m->absorption[bin]) {
            *here += (uint32_t)(before * 1000);
            return;
        }
        float cosine = kind < m->coherence[bin] ? coherent(r) : incoherent(r, m);
        turn(r, cosine);
        *here += (uint32_t)((before - r->energy) * 1000);
    }
    if (r->at[1] >= SIDE)
        image[pixel(r->at[2]) * SIDE + pixel(r->at[0])]++;
}

void *reference_mcgpu(size_t *n)
{
    enum { VOXELS = SIDE * SIDE * SIDE, PIXELS = SIDE * SIDE, PHOTONS = 3 };
    uint8_t *density = reference_input("random(32768, 1, 200, 255)", LAUNCH_UCHAR);
    uint32_t *out = mem_alloc((VOXELS + PIXELS) * sizeof *out);
    for (uint32_t thread = 0; thread < 1024; thread++) {
        uint32_t s = thread * 2654435761u + 4711;
        struct ray r = {.s = &s};
        for (int k = 0; k < PHOTONS; k++)
            follow(&r, density, out, out + VOXELS);
    }
    mem_free(density);
    *n = (VOXELS + PIXELS) * sizeof *out;
    return out;
}

/* ---- gpumcml ---- */

enum { LAYERS = 7, ROWS = 64, COLUMNS = 32, UNIT = 4096 };

struct layer {
    float top, index, absorption, scattering, forwardness;
};

/* Air above and below; the last one's top is the bottom. */
static const struct layer skin[LAYERS + 2] = {
    {0, 1, 0, 0, 0},
    {0, 1.53f, 0.18f, 15, 0.86f},
    {0.02f, 1.34f, 0.12f, 12, 0.8f},
    {0.1f, 1.4f, 0.14f, 10, 0.9f},
    {0.2f, 1.39f, 0.25f, 12, 0.95f},
    {0.28f, 1.4f, 0.14f, 8, 0.76f},
    {0.6f, 1.38f, 0.25f, 12, 0.95f},
    {0.8f, 1.44f, 0.07f, 5, 0.8f},
    {1.4f, 1, 0, 0, 0},
};

struct packet {
    float x, y, z, weight;
    struct direction d;
    int layer;
};

/* By Fresnel's law: whether the packet goes on to the layer `to`. */
static bool cross(struct packet *p, int to, uint32_t *s)
{
    float here = skin[p->layer].index, there = skin[to].index, ratio = here / there;
    float cosine = fabsf(p->d.z), sine2 = (1 - cosine * cosine) * ratio * ratio;
    if (sine2 < 1) {
        float refracted = sqrtf(1 - sine2);
        float across = (here * cosine - there * refracted) / (here * cosine + there * refracted);
        float along = (here * refracted - there * cosine) / (here * refracted + there * cosine);
        if (2 * draw(s) > across * across + along * along) {
            p->d = (struct direction){p->d.x * ratio, p->d.y * ratio, p->d.z < 0 ? -refracted : refracted};
            p->layer = to;
            return true;
        }
    }
    p->d.z = -p->d.z;
    return false;
}

static void scatter(struct packet *p, uint32_t *s)
{
    float g = skin[p->layer].forwardness, part = (1 - g * g) / (1 - g + 2 * g * draw(s));
    float cosine = (1 + g * g - part * part) / (2 * g);
    cosine = cosine < -1 ? -1 : cosine > 1 ? 1 : cosine;
    float sine = sqrtf(1 - cosine * cosine), around = 6.2831853f * draw(s);
    float a = sine * scalar_cosf(around), b = sine * scalar_sinf(around);
    if (fabsf(p->d.z) > 0.99999f)
        p->d = (struct direction){a, b, p->d.z < 0 ? -cosine : cosine};
    else
        p->d = turned(p->d, cosine, a, b, sqrtf(1 - p->d.z * p->d.z));
}

/* Leaves a part of the weight where the packet is. */
static void absorb(struct packet *p, uint32_t *map)
{
    const struct layer *l = &skin[p->layer];
    float loss = p->weight * (l->absorption / (l->absorption + l->scattering));
    p->weight -= loss;
    int row = (int)(p->z * (1 / 0.02f)), column = (int)(sqrtf(p->x * p->x + p->y * p->y) * (1 / 0.02f));
    row = row < 0 ? 0 : row >= ROWS ? ROWS - 1 : row;
    column = column >= COLUMNS ? COLUMNS - 1 : column;
    map[row * COLUMNS + column] += (uint32_t)(loss * UNIT);
}

static void migrate(uint32_t s, uint32_t *map, uint32_t escaped[2])
{
    struct packet p = {.d = {0, 0, 1}, .weight = 0.96f, .layer = 1};
    float left = 0;
    while (p.weight > 0) {
        if (left == 0)
            left = -scalar_logf(draw(&s));
        const struct layer *l = &skin[p.layer];
        float density = l->absorption + l->scattering, flight = left / density;
        int is_down = p.d.z > 0;
        float edge = l[is_down].top, distance = (edge - p.z) / p.d.z;
        int is_across = distance < flight;
        float length = is_across ? distance : flight;
        p.x += p.d.x * length;
        p.y += p.d.y * length;
        p.z = is_across ? edge : p.z + p.d.z * length;
        left = is_across ? left - length * density : 0;
        if (is_across) {
            bool passes = cross(&p, p.layer + (is_down ? 1 : -1), &s);
            if (passes && (p.layer == 0 || p.layer > LAYERS)) {
                escaped[p.layer != 0] += (uint32_t)(p.weight * UNIT);
                return;
            }
        } else {
            absorb(&p, map);
            scatter(&p, &s);
        }
        if (p.weight < 0.8f)
            p.weight = draw(&s) < 0.2f ? p.weight / 0.2f : 0;
    }
}

void *reference_gpumcml(size_t *n)
{
    enum { CELLS = ROWS * COLUMNS, PACKETS = 2048 };
    uint32_t *out = mem_alloc((CELLS + 2) * sizeof *out);
    for (uint32_t k = 0; k < PACKETS; k++)
        migrate(k * 2654435761u + 7919, out, out + CELLS);
    *n = (CELLS + 2) * sizeof *out;
    return out;
}
