/* lane_ops.h: what loops over lanes of the operations of base/scalar.def need, here and in the warp-core
 * simulator. */
#ifndef KERNC_RT_LANE_OPS_H
#define KERNC_RT_LANE_OPS_H

#include "base/scalar.h"

/* `static inline bool calls_sin(void)`: has operation `sin` the flag K? */
#define SCALAR_OP(op, flags, meaning)                                                                        \
    static inline bool calls_##op(void)                                                                      \
    {                                                                                                        \
        return __builtin_strchr(flags, 'K') != NULL;                                                         \
    }
#include "base/scalar.def"

/* d[i] = r in lanes whose mask is all ones. */
static inline void blend_I(uint32_t *d, uint32_t r, uint32_t mask)
{
    *d = (r & mask) | (*d & ~mask);
}
static inline void blend_L(uint64_t *d, uint64_t r, uint32_t mask)
{
    uint64_t wide = (uint64_t)(int64_t)(int32_t)mask;
    *d = (r & wide) | (*d & ~wide);
}
static inline void blend_F(float *d, float r, uint32_t mask)
{
    uint32_t bits = (scalar_raw_f32(r) & mask) | (scalar_raw_f32(*d) & ~mask);
    memcpy(d, &bits, sizeof bits);
}
static inline void blend_D(double *d, double r, uint32_t mask)
{
    uint64_t wide = (uint64_t)(int64_t)(int32_t)mask;
    uint64_t bits = (scalar_raw_f64(r) & wide) | (scalar_raw_f64(*d) & ~wide);
    memcpy(d, &bits, sizeof bits);
}

#endif
