/* reference_transport.c: plain C for the samples that follow neutrons. */
#include "base/base.h"
#include "base/scalar.h"
#include "launch/launch.h"
#include "test/samples/reference.h"
#include <math.h>

/* The materials of rsbench and xsbench. */
enum { MATERIALS = 12 };
static const int nuclides_of[MATERIALS] = {321, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
static const int permille[MATERIALS] = {139, 52, 275, 134, 154, 64, 66, 55, 8, 15, 25, 13};

/* The 63-bit stream: x' = a x + 1. */
static const uint64_t lcg_mask = UINT64_MAX >> 1;

static uint64_t lcg_next(uint64_t seed)
{
    return (2806196910506780709u * seed + 1) & lcg_mask;
}

/* The seed at which thread number i begins, when each takes n numbers. */
static uint64_t lcg_start(uint64_t seed, int i, int n)
{
    for (int k = 0; k < i * n; k++)
        seed = lcg_next(seed);
    return seed;
}

static float lcg_float(uint64_t *seed)
{
    *seed = lcg_next(*seed);
    return (float)(uint32_t)(*seed >> 39) / 16777216;
}

/* The material that a roll in [0, 1) draws, and its first nuclide. */
static int draw_material(double roll, int *first)
{
    int m = 0, sum = permille[0];
    for (*first = 0; m < MATERIALS - 1 && roll >= sum / 1000.0; sum += permille[m])
        *first += nuclides_of[m++];
    return m;
}

/* ---- rsbench ---- */

struct complex {
    float re, im;
};

static struct complex product(struct complex a, struct complex b)
{
    return (struct complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static struct complex quotient(struct complex a, struct complex b)
{
    float scale = 1 / (b.re * b.re + b.im * b.im);
    return (struct complex){(a.re * b.re + a.im * b.im) * scale, (a.im * b.re - a.re * b.im) * scale};
}

/* The real number a by z minus b. */
static struct complex partial(float a, struct complex z, float b)
{
    return quotient((struct complex){a, 0}, (struct complex){z.re - b, z.im});
}

static struct complex far_from_pole(struct complex z, struct complex z2)
{
    struct complex x = partial(0.51242424f, z2, 0.27525513f), y = partial(0.05176536f, z2, 2.72474487f);
    return product((struct complex){-z.im, z.re}, (struct complex){x.re + y.re, x.im + y.im});
}

static struct complex near_pole(struct complex z, struct complex z2)
{
    static const float strength[10] = {0.2758402f,  0.224574f,   0.1594149f,   0.09866577f,  0.05324414f,
                                       0.02505215f, 0.01027747f, 3.676164e-3f, 1.146494e-3f, 3.11757e-4f};
    static const float square[10] = {9.869604f, 39.47842f, 88.82644f, 157.9137f, 246.7401f,
                                     355.3058f, 483.6106f, 631.6547f, 799.438f,  986.9604f};
    float size = scalar_expf(-12 * z.im);
    struct complex wave = {size * scalar_cosf(12 * z.re), size * scalar_sinf(12 * z.re)}, sum = {0, 0};
    struct complex terms[10];
    for (int k = 0; k < 10; k++) {
        float sign = k % 2 ? 1 : -1;
        struct complex top = {sign * wave.re - 1, sign * wave.im};
        terms[k] = quotient(top, (struct complex){square[k] - 144 * z2.re, -144 * z2.im});
    }
    for (int k = 0; k < 10; k += 2) {
        sum.re += strength[k] * terms[k].re + strength[k + 1] * terms[k + 1].re;
        sum.im += strength[k] * terms[k].im + strength[k + 1] * terms[k + 1].im;
    }
    struct complex w =
        quotient((struct complex){wave.im, 1 - wave.re}, (struct complex){12 * z.re, 12 * z.im});
    sum = product((struct complex){-z.im, z.re}, sum);
    return (struct complex){w.re + 81.2433f * sum.re, w.im + 81.2433f * sum.im};
}

struct multipole { /* rsbench's buffers */
    int32_t *nuclides, *poles_of;
    float *density, *radius, *poles;
    uint8_t *levels;
};

/* The angle by which waves of angular momentum l are shifted. */
static float phase_shift(int l, float phi)
{
    float square = phi * phi;
    switch (l) {
    case 0: return 2 * phi;
    case 1: return 2 * (phi - scalar_atanf(phi));
    case 2: return 2 * (phi - scalar_atanf(3 * phi / (3 - square)));
    default: return 2 * (phi - scalar_atanf(phi * (15 - square) / (15 - 6 * square)));
    }
}

/* Adds the three cross sections of nuclide n times its density to sums. */
static void add_nuclide(const struct multipole *d, int n, float density, float energy, float sums[3])
{
    float momentum = sqrtf(energy), xs[3] = {0, 0, 0};
    int window = (int)(energy * 100), end = (window + 1) * d->poles_of[n] / 100;
    for (int p = window * d->poles_of[n] / 100; p < end; p++) {
        const float *pole = d->poles + 8 * (n * 950 + p);
        struct complex z = {(energy - pole[0]) * 2400, pole[1]}, z2 = product(z, z);
        struct complex w = z.re * z.re + z.im * z.im < 36 ? near_pole(z, z2) : far_from_pole(z, z2);
        int l = d->levels[n * 950 + p];
        float angle = phase_shift(l, d->radius[4 * n + l] * momentum);
        struct complex shifted = product(w, (struct complex){scalar_cosf(angle), -scalar_sinf(angle)});
        xs[0] += pole[2] * shifted.re - pole[3] * shifted.im;
        xs[1] += pole[4] * w.re - pole[5] * w.im;
        xs[2] += pole[6] * w.re - pole[7] * w.im;
    }
    for (int k = 0; k < 3; k++)
        sums[k] += density * xs[k];
}

void *reference_rsbench(size_t *n)
{
    enum { THREADS = 128, TASKS = 1 };
    struct multipole d = {
        reference_input("random(484, 1, 0, 354)", LAUNCH_INT),
        reference_input("random(355, 3, 850, 950)", LAUNCH_INT),
        reference_input("random(484, 2, 0, 1)", LAUNCH_FLOAT),
        reference_input("random(1420, 4, 0, 1)", LAUNCH_FLOAT),
        reference_input("random(2698000, 5, 0, 1)", LAUNCH_FLOAT),
        reference_input("random(337250, 6, 0, 3)", LAUNCH_UCHAR),
    };
    float *out = mem_alloc(3 * THREADS * sizeof *out);
    for (int i = 0; i < THREADS; i++) {
        uint64_t seed = lcg_start(42, i, 2 * TASKS);
        for (int task = 0; task < TASKS; task++) {
            float energy = lcg_float(&seed), sums[3] = {0, 0, 0};
            int first, m = draw_material(lcg_float(&seed), &first);
            for (int k = first; k < first + nuclides_of[m]; k++)
                add_nuclide(&d, d.nuclides[k], d.density[k], energy, sums);
            for (int k = 0; k < 3; k++)
                out[3 * i + k] += sums[k];
        }
    }
    mem_free(d.nuclides);
    mem_free(d.poles_of);
    mem_free(d.density);
    mem_free(d.radius);
    mem_free(d.poles);
    mem_free(d.levels);
    *n = 3 * THREADS * sizeof *out;
    return out;
}

/* ---- xsbench ---- */

enum { LINES = 512, POINTS = LINES + 2, KINDS = 5 };

/* Adds to macro what the nuclide with these points has; at is the energy as a fraction of its line. */
static void interpolate(const double *points, int line, double at, double density, double macro[KINDS])
{
    const double *p = points + 6 * (line + 1);
    int is_upper = p[0] > at;
    const double *low = is_upper ? p - 6 : p, *high = low + 6;
    double from = is_upper ? low[0] - 1 : low[0], to = is_upper ? high[0] : high[0] + 1;
    double f = (to - at) / (to - from);
    for (int k = 0; k < KINDS; k++)
        macro[k] += density * (high[k + 1] - f * (high[k + 1] - low[k + 1]));
}

static double lcg_double(uint64_t *seed)
{
    *seed = lcg_next(*seed);
    return (double)(*seed >> 10) / 9007199254740992;
}

static int first_largest(const double *x)
{
    int most = 0;
    for (int k = 1; k < KINDS; k++)
        if (x[k] > x[most])
            most = k;
    return most;
}

void *reference_xsbench(size_t *n)
{
    enum { THREADS = 128, TASKS = 2, SEARCH_LINE = 16 };
    double *energies = reference_input("ramp(0, 1, 8193)", LAUNCH_DOUBLE);
    int32_t *nuclides = reference_input("random(484, 1, 0, 354)", LAUNCH_INT);
    double *density = reference_input("random(484, 2, 0, 1)", LAUNCH_DOUBLE);
    double *points = reference_input("random(1094820, 3, 0, 1)", LAUNCH_DOUBLE);
    *n = THREADS * (KINDS * sizeof(double) + sizeof(int32_t));
    double *out = mem_alloc(*n);
    int32_t *largest = (int32_t *)(out + KINDS * THREADS);
    for (int i = 0; i < THREADS; i++) {
        uint64_t seed = lcg_start(1070, i, 2 * TASKS);
        for (int task = 0; task < TASKS; task++) {
            double energy = lcg_double(&seed), macro[KINDS] = {0};
            int line = (int)(energy * LINES), first;
            line += energies[(line + 1) * SEARCH_LINE] <= energy; /* the products are rounded */
            line -= energies[line * SEARCH_LINE] > energy;
            int m = draw_material(lcg_double(&seed), &first);
            for (int k = first; k < first + nuclides_of[m]; k++)
                interpolate(points + 6 * POINTS * nuclides[k], line, energy * LINES - line, density[k],
                            macro);
            largest[i] += first_largest(macro);
            for (int k = 0; k < KINDS; k++)
                out[KINDS * i + k] += macro[k];
        }
    }
    mem_free(energies);
    mem_free(nuclides);
    mem_free(density);
    mem_free(points);
    return out;
}

/* ---- mcb ---- */

enum { CELLS = 64 };
static const float collisions[4] = {0.6f, 1.1f, 1.7f, 2.4f}, albedo[4] = {0.75f, 0.7f, 0.65f, 0.6f};

struct particle {
    int cell[2];
    float at[2], direction[2], left, weight;
};
struct tally {
    float flown, absorbed;
    int32_t facets, steps;
};

static uint32_t next(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

static float positive_fraction(uint32_t *s)
{
    return (float)(next(s) >> 8) * (1.0f / 16777216) + 0x1p-25f;
}

static void turn(struct particle *p, uint32_t *s)
{
    float angle = 6.2831853f * positive_fraction(s);
    p->direction[0] = scalar_cosf(angle);
    p->direction[1] = scalar_sinf(angle);
}

static void emit(struct particle *p, uint32_t *s)
{
    uint32_t cell = next(s);
    p->cell[0] = (int)(cell >> 26);
    p->cell[1] = (int)(cell >> 20 & 63);
    for (int k = 0; k < 2; k++)
        p->at[k] = ((float)(cell >> (k ? 0 : 10) & 1023) + 0.5f) / 1024;
    p->left = 4;
    p->weight = 1;
    turn(p, s);
}

/* The particle leaves its cell along axis k, or turns back at the outer wall. */
static void cross(struct particle *p, int k)
{
    int is_up = p->direction[k] > 0, to = p->cell[k] + (is_up ? 1 : -1);
    if (to < 0 || to == CELLS) {
        p->direction[k] = -p->direction[k];
    } else {
        p->cell[k] = to;
        p->at[k] = is_up ? 0 : 1;
    }
}

static void step(struct particle *p, int material, uint32_t *s, struct tally *t)
{
    float collision = -scalar_logf(positive_fraction(s)) / collisions[material], to[2];
    for (int k = 0; k < 2; k++)
        to[k] = (p->direction[k] > 0 ? 1 - p->at[k] : p->at[k]) / (fabsf(p->direction[k]) + 1e-9f);
    int axis = !(to[0] < to[1]), is_facet = to[axis] < p->left;
    float nearest = is_facet ? to[axis] : p->left;
    int collides = collision < nearest;
    nearest = collides ? collision : nearest;
    for (int k = 0; k < 2; k++)
        p->at[k] += p->direction[k] * nearest;
    p->left -= nearest;
    t->flown += p->weight * nearest;
    if (collides) {
        t->absorbed += p->weight * (1 - albedo[material]);
        p->weight *= albedo[material];
        turn(p, s);
    } else if (is_facet) {
        t->facets++;
        cross(p, axis);
    } else {
        t->steps++;
        p->left = 4;
    }
}

void *reference_mcb(size_t *n)
{
    enum { THREADS = 256, PARTICLES = 16 };
    uint8_t *materials = reference_input("random(4096, 1, 0, 3)", LAUNCH_UCHAR);
    *n = THREADS * 4 * sizeof(float);
    float *out = mem_alloc(*n);
    int32_t *events = (int32_t *)(out + 2 * THREADS);
    for (int i = 0; i < THREADS; i++) {
        uint32_t s = (uint32_t)i * 2654435761u + 977;
        struct tally t = {0};
        for (int k = 0; k < PARTICLES; k++) {
            struct particle p;
            for (emit(&p, &s); p.weight > 0.02f;)
                step(&p, materials[p.cell[1] * CELLS + p.cell[0]], &s, &t);
        }
        out[2 * i] = t.flown;
        out[2 * i + 1] = t.absorbed;
        events[2 * i] = t.facets;
        events[2 * i + 1] = t.steps;
    }
    mem_free(materials);
    return out;
}
