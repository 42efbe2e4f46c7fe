/* photons.h: what the references that follow photons share. */
#ifndef KERNC_TEST_PHOTONS_H
#define KERNC_TEST_PHOTONS_H

#include <stdint.h>

/* The next number of the xorshift stream, never 0. */
static inline float draw(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return (float)(*s >> 8) * (1.0f / 16777216) + 0x1p-25f;
}

struct direction {
    float x, y, z;
};

/* d turned by an angle of that cosine; a and b are its sine times cosine and sine of the angle around, `side`
 * the distance of d from the z axis. */
static inline struct direction turned(struct direction d, float cosine, float a, float b, float side)
{
    return (struct direction){d.x * cosine + (d.x * d.z * a - d.y * b) / side,
                              d.y * cosine + (d.y * d.z * a + d.x * b) / side, d.z * cosine - side * a};
}

#endif
