/* vectors.h: HIP's vector types have operators, element by element; CUDA's have none. */
#ifndef __KERN_HIP_VECTORS_H__
#define __KERN_HIP_VECTORS_H__

#define __KERN_OPERATOR(V, T, op, ...)                                                                       \
    __KERN_INLINE V &operator op##=(V &a, V b)                                                               \
    {                                                                                                        \
        __VA_ARGS__;                                                                                         \
        return a;                                                                                            \
    }                                                                                                        \
    __KERN_INLINE V operator op(V a, V b) { return a op## = b; }
#define __KERN_OPERATORS(op)                                                                                 \
    __KERN_OF_TYPES(__KERN_OPERATOR2, op)                                                                    \
    __KERN_OF_TYPES(__KERN_OPERATOR3, op)                                                                    \
    __KERN_OF_TYPES(__KERN_OPERATOR4, op)
#define __KERN_OF_TYPES(X, op)                                                                               \
    X(int, op) X(uint, op) X(float, op) X(double, op) X(longlong, op) X(ulonglong, op)
#define __KERN_OPERATOR2(T, op) __KERN_OPERATOR(T##2, T, op, a.x op## = b.x, a.y op## = b.y)
#define __KERN_OPERATOR3(T, op) __KERN_OPERATOR(T##3, T, op, a.x op## = b.x, a.y op## = b.y, a.z op## = b.z)
#define __KERN_OPERATOR4(T, op)                                                                              \
    __KERN_OPERATOR(T##4, T, op, a.x op## = b.x, a.y op## = b.y, a.z op## = b.z, a.w op## = b.w)
__KERN_OPERATORS(+)
__KERN_OPERATORS(-)
__KERN_OPERATORS(*)
__KERN_OPERATORS(/)
#undef __KERN_OPERATORS
#undef __KERN_OPERATOR
#undef __KERN_OF_TYPES
#undef __KERN_OPERATOR2
#undef __KERN_OPERATOR3
#undef __KERN_OPERATOR4

#endif
