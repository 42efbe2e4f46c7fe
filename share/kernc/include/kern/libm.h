/* libm.h: functions of C's math.h for which the IR has no operation. Each has the symbol of the C library
 * and is emitted only where it is called.
 */
#ifndef __KERN_LIBM_H__
#define __KERN_LIBM_H__

#include "operations.h"

extern "C" {

__KERN_CODE void sincos(double a, double *s, double *c) noexcept
{
    *s = sin(a);
    *c = cos(a);
}
__KERN_CODE void sincosf(float a, float *s, float *c) noexcept
{
    *s = sinf(a);
    *c = cosf(a);
}
__KERN_CODE double exp10(double a) noexcept { return pow(10.0, a); }
__KERN_CODE float exp10f(float a) noexcept { return powf(10.0f, a); }
}

#endif
