/* reference_tissue.c: plain C for the samples whose photons cross cubes of tissue in loops merged by hand; here
 * a photon is a call.
 */
#include "base/base.h"
#include "base/scalar.h"
#include "launch/launch.h"
#include "test/samples/photons.h"
#include "test/samples/reference.h"
#include <math.h>

enum { THREADS = 256 };

/* ---- photon ---- */

enum { SIDE = 32, VOXELS = SIDE * SIDE * SIDE };

struct flying {
    float at[3];
    struct direction d;
    float weight;
};

static void start_from_above(struct flying *p, uint32_t *s)
{
    p->at[0] = 16 + 4 * draw(s);
    p->at[1] = 0;
    p->at[2] = 16 + 4 * draw(s);
    p->d = (struct direction){0, 1, 0};
    p->weight = 1;
}

static struct direction any_direction(uint32_t *s)
{
    for (;;) {
        float a = 2 * draw(s) - 1, b = 2 * draw(s) - 1, square = a * a + b * b;
        if (square < 1) {
            float side = 2 * sqrtf(1 - square);
            return (struct direction){a * side, 1 - 2 * square, b * side};
        }
    }
}

/* One turn. Returns whether the photon goes on. */
static bool fly_on(struct flying *p, uint32_t *s, const uint8_t *density, uint32_t *dose, uint32_t *escaped)
{
    static const float attenuation[4] = {0.5f, 0.8f, 0.35f, 1.1f};
    static const float absorption[4] = {0.02f, 0.05f, 0.03f, 0.12f};
    float flight = -scalar_logf(draw(s)) / attenuation[3], d[3] = {p->d.x, p->d.y, p->d.z};
    int v[3];
    bool is_out = false;
    for (int i = 0; i < 3; i++) {
        p->at[i] += d[i] * flight;
        v[i] = (int)floorf(p->at[i]);
        is_out |= v[i] < 0 || v[i] >= SIDE;
    }
    if (is_out) {
        if (v[1] >= SIDE)
            *escaped += (uint32_t)(p->weight * 1000);
        return false;
    }
    int voxel = (v[2] * SIDE + v[1]) * SIDE + v[0], tissue = v[1] / 5 % 4;
    if (draw(s) * attenuation[3] >= attenuation[tissue] * density[voxel] * (1.0f / 256))
        return true;
    float left = p->weight * (1 - absorption[tissue]);
    bool is_absorbed = draw(s) < 0.25f * absorption[tissue];
    dose[voxel] += (uint32_t)((is_absorbed ? p->weight : p->weight - left) * 1000);
    if (is_absorbed)
        return false;
    p->weight = left;
    if (left < 0.3f) {
        if (draw(s) >= 0.5f)
            return false;
        p->weight = 2 * left;
    }
    p->d = any_direction(s);
    return true;
}

void *reference_photon(size_t *n)
{
    enum { PHOTONS = 2 };
    uint8_t *density = reference_input("random(32768, 1, 128, 255)", LAUNCH_UCHAR);
    uint32_t *dose = mem_alloc((VOXELS + THREADS) * sizeof *dose);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        uint32_t s = thread * 2654435761u + 977, escaped = 0, steps = 0;
        for (int k = 0; k < PHOTONS; k++) {
            struct flying p;
            start_from_above(&p, &s);
            do
                steps++;
            while (fly_on(&p, &s, density, dose, &escaped));
        }
        dose[VOXELS + thread] = escaped ^ steps << 20;
    }
    mem_free(density);
    *n = (VOXELS + THREADS) * sizeof *dose;
    return dose;
}

/* ---- mcx ---- */

enum { CUBE = 60, CUBE_VOXELS = CUBE * CUBE * CUBE };

struct wave {
    float at[3], d[3], weight, way, left;
};

/* The face of the cube that p is beyond: its axis; 3: none. */
static int face_beyond(const struct wave *p)
{
    for (int i = 0; i < 3; i++)
        if (p->at[i] < 0 || p->at[i] >= CUBE)
            return i;
    return 3;
}

static void turn_anywhere(struct wave *p, uint32_t *s)
{
    float g = 0.01f, part = (1 - g * g) / (1 - g + 2 * g * draw(s));
    float cosine = (1 + g * g - part * part) / (2 * g);
    cosine = cosine < -1 ? -1 : cosine > 1 ? 1 : cosine;
    float sine = sqrtf(1 - cosine * cosine), around = 6.2831853f * draw(s);
    float a = sine * scalar_cosf(around), b = sine * scalar_sinf(around), dz = p->d[2];
    struct direction d = {a, b, dz < 0 ? -cosine : cosine};
    if (fabsf(dz) <= 0.99999f)
        d = turned((struct direction){p->d[0], p->d[1], dz}, cosine, a, b, sqrtf(1 - dz * dz));
    p->d[0] = d.x;
    p->d[1] = d.y;
    p->d[2] = d.z;
}

static bool stays_inside(float cosine, uint32_t *s)
{
    float sine2 = (1 - cosine * cosine) * 1.37f * 1.37f;
    if (sine2 >= 1)
        return true;
    float refracted = sqrtf(1 - sine2);
    float across = (1.37f * cosine - refracted) / (1.37f * cosine + refracted);
    float along = (1.37f * refracted - cosine) / (1.37f * refracted + cosine);
    return 2 * draw(s) <= across * across + along * along;
}

/* One photon from its start to its end. Returns its steps. */
static uint32_t wander(uint32_t *s, const uint16_t *medium, uint32_t *fluence, uint32_t *lost)
{
    struct wave p = {.at = {30.5f, 30.5f, 0}, .d = {0, 0, 1}, .weight = 1, .left = -scalar_logf(draw(s))};
    for (uint32_t steps = 1;; steps++) {
        if (p.left <= 0) {
            turn_anywhere(&p, s);
            p.left = -scalar_logf(draw(s));
        }
        float step = p.left < 1 ? p.left : 1, before = p.weight;
        for (int i = 0; i < 3; i++)
            p.at[i] += step * p.d[i];
        p.way += step;
        p.left -= step;
        p.weight *= scalar_expf(-0.005f * step);
        int face = face_beyond(&p), v = 0;
        if (face < 3 && stays_inside(fabsf(p.d[face]), s)) {
            p.at[face] -= step * p.d[face];
            p.d[face] = -p.d[face];
            continue;
        }
        if (face == 3)
            v = ((int)p.at[2] * CUBE + (int)p.at[1]) * CUBE + (int)p.at[0];
        if (face < 3 || p.way > 1000 || p.weight < 0.02f || medium[v] == 0) {
            *lost += (uint32_t)(p.weight * 4096);
            return steps;
        }
        fluence[v] += (uint32_t)((before - p.weight) * 4194304);
    }
}

void *reference_mcx(size_t *n)
{
    enum { PHOTONS = 1 };
    uint16_t *medium = reference_input("random(216000, 1, 0, 9999)", LAUNCH_USHORT);
    uint32_t *fluence = mem_alloc((CUBE_VOXELS + THREADS) * sizeof *fluence);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        uint32_t s = thread * 2654435761u + 1237, lost = 0, steps = 0;
        for (int k = 0; k < PHOTONS; k++)
            steps += wander(&s, medium, fluence, &lost);
        fluence[CUBE_VOXELS + thread] = lost ^ steps << 16;
    }
    mem_free(medium);
    *n = (CUBE_VOXELS + THREADS) * sizeof *fluence;
    return fluence;
}
