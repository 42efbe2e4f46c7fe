/* page_lanes.c: what each lane computes, from the tables of docs/isa.md. */
#include "base/scalar.h"
#include "test/warpcore/page.h"

#include <math.h>

static int32_t s(uint32_t x)
{
    return (int32_t)x;
}

static float f(uint32_t x)
{
    float value;
    memcpy(&value, &x, 4);
    return value;
}

static uint32_t bits(float value)
{
    uint32_t x;
    memcpy(&x, &value, 4);
    return x;
}

uint32_t page_canonical(uint32_t x)
{
    return (x & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : x;
}

static uint32_t divide(uint32_t a, uint32_t b)
{
    return b == 0 ? UINT32_MAX : b == UINT32_MAX ? 0 - a : (uint32_t)(s(a) / s(b));
}

static uint32_t remain(uint32_t a, uint32_t b)
{
    return b == 0 ? a : b == UINT32_MAX ? 0 : (uint32_t)(s(a) % s(b));
}

static uint32_t count_ones(uint32_t a)
{
    uint32_t n = 0;
    for (; a; a >>= 1)
        n += a & 1;
    return n;
}

static uint32_t leading_zeros(uint32_t a)
{
    uint32_t n = 0;
    while (n < 32 && !(a >> (31 - n) & 1))
        n++;
    return n;
}

static uint32_t trailing_zeros(uint32_t a)
{
    uint32_t n = 0;
    while (n < 32 && !(a >> n & 1))
        n++;
    return n;
}

static uint32_t reversed(uint32_t a)
{
    uint32_t x = 0;
    for (int i = 0; i < 32; i++)
        x = x << 1 | (a >> i & 1);
    return x;
}

static uint32_t rotated(uint32_t a, uint32_t b)
{
    return b & 31 ? a << (b & 31) | a >> (32 - (b & 31)) : a;
}

/* A NaN loses; -0 < +0. */
static uint32_t lesser(uint32_t a, uint32_t b)
{
    if (isnan(f(a)) || isnan(f(b)))
        return isnan(f(a)) ? b : a;
    return f(a) == f(b) ? a | b : f(a) < f(b) ? a : b;
}

static uint32_t greater(uint32_t a, uint32_t b)
{
    if (isnan(f(a)) || isnan(f(b)))
        return isnan(f(a)) ? b : a;
    return f(a) == f(b) ? a & b : f(a) > f(b) ? a : b;
}

static uint32_t to_signed(float a)
{
    return isnan(a) ? 0 : a >= 0x1p31f ? INT32_MAX : a < -0x1p31f ? 0x80000000u : (uint32_t)(int32_t)a;
}

static uint32_t to_unsigned(float a)
{
    return isnan(a) || a <= 0 ? 0 : a >= 0x1p32f ? UINT32_MAX : (uint32_t)a;
}

#define SPECIAL(name)  LANE(name, #name ".f", bits(scalar_##name##f(f(a))))
#define SPECIAL2(name) LANE(name, #name ".f", bits(scalar_##name##f(f(a), f(b))))

#define LANE(id, name, result)                                                                               \
    static uint32_t lane_##id(uint32_t a, uint32_t b, uint32_t c)                                            \
    {                                                                                                        \
        UNUSED(a), UNUSED(b), UNUSED(c);                                                                     \
        return (uint32_t)(result);                                                                           \
    }
#include "test/warpcore/page_lanes.def"

static const struct {
    const char *name;
    page_lane *lane;
} lanes[] = {
#define LANE(id, name, result) {name, lane_##id},
#include "test/warpcore/page_lanes.def"
};

page_lane *page_lane_named(const char *name)
{
    for (size_t i = 0; i < COUNT(lanes); i++)
        if (!strcmp(lanes[i].name, name))
            return lanes[i].lane;
    return NULL;
}
