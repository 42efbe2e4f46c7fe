/* texture.h: textures as arrays. A texture object is a pointer to floats: width, height, depth and mode of
 * the texture, then its texels in the order of memory, x first.
 */
#ifndef __KERN_TEXTURE_H__
#define __KERN_TEXTURE_H__

#include "runtime.h"
#include "math.h"

typedef const float *cudaTextureObject_t;
typedef float *cudaSurfaceObject_t;

/* Bits of a mode; none: the texel at a place in texels, the nearest one inside. */
enum { __KERN_LINEAR = 1, __KERN_NORMALIZED = 2, __KERN_WRAP = 4, __KERN_BORDER = 8 };

/* ---- what the host says ------------------------------------------------------------------------------ */

enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureAddressMode {
    cudaAddressModeWrap,
    cudaAddressModeClamp,
    cudaAddressModeMirror,
    cudaAddressModeBorder
};
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat
};
enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    cudaChannelFormatKind f;
};
struct cudaResourceDesc {
    cudaResourceType resType;
    struct {
        struct {
            cudaArray_t array;
        } array;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
};
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind);
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc();
cudaError_t cudaMallocArray(cudaArray_t *, const cudaChannelFormatDesc *, size_t, size_t = 0, unsigned = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t *, const cudaChannelFormatDesc *, cudaExtent, unsigned = 0);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *, const cudaResourceDesc *, const cudaTextureDesc *,
                                    const void *);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *, const cudaResourceDesc *);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);

/* ---- texels ------------------------------------------------------------------------------------------ */

struct __kern_texture {
    int size[3], mode;
    const void *texels;
    __KERN_MEMBER explicit __kern_texture(const float *t)
        : size{(int)t[0], (int)t[1], (int)t[2]}, mode((int)t[3]), texels(t + 4)
    {
    }
    /* The index inside the texture; -1: it has none there. */
    __KERN_MEMBER int inside(int i, int axis) const
    {
        int n = size[axis];
        if (mode & __KERN_WRAP)
            return ((i %= n) < 0) ? i + n : i;
        if (mode & __KERN_BORDER)
            return i < 0 || i >= n ? -1 : i;
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
    template <class T> __KERN_MEMBER T at(int x, int y, int z) const
    {
        x = inside(x, 0), y = inside(y, 1), z = inside(z, 2);
        return x < 0 || y < 0 || z < 0 ? T() : ((const T *)texels)[((long)z * size[1] + y) * size[0] + x];
    }
    __KERN_MEMBER float place(float a, int axis) const
    {
        return mode & __KERN_NORMALIZED ? a * (float)size[axis] : a;
    }
};
/* a + (b - a) of, on numbers and on vectors of them. */
#define __KERN_MIX(T, ...)                                                                                   \
    __KERN_INLINE T __kern_mix(T a, T b, float of) { return __VA_ARGS__; }
__KERN_MIX(float, a + (b - a) * of)
__KERN_MIX(float2, make_float2(__kern_mix(a.x, b.x, of), __kern_mix(a.y, b.y, of)))
__KERN_MIX(float4, make_float4(__kern_mix(a.x, b.x, of), __kern_mix(a.y, b.y, of), __kern_mix(a.z, b.z, of),
                               __kern_mix(a.w, b.w, of)))
#undef __KERN_MIX
template <class T> __KERN_INLINE T __kern_mix(T a, T b, float of) { return of < 0.5f ? a : b; }

template <class T>
__KERN_DEVICE_CODE T __kern_sample(const __kern_texture &t, float x, float y, float z, int axes)
{
    x = t.place(x, 0), y = t.place(y, 1), z = t.place(z, 2);
    if (!(t.mode & __KERN_LINEAR))
        return t.at<T>((int)__kern_floor(x), (int)__kern_floor(y), (int)__kern_floor(z));
    x -= 0.5f, y -= axes > 1 ? 0.5f : 0, z -= axes > 2 ? 0.5f : 0;
    int i = (int)__kern_floor(x), j = (int)__kern_floor(y), k = (int)__kern_floor(z);
    /* The hardware has 8 bits of the fraction. */
    float of_x = __kern_rint((x - (float)i) * 256) / 256, of_y = __kern_rint((y - (float)j) * 256) / 256;
    float of_z = __kern_rint((z - (float)k) * 256) / 256;
    T layer[2];
    for (int n = 0; n < (axes > 2 ? 2 : 1); n++) {
        T row = __kern_mix(t.at<T>(i, j, k + n), t.at<T>(i + 1, j, k + n), of_x);
        layer[n] =
            axes == 1
                ? row
                : __kern_mix(row, __kern_mix(t.at<T>(i, j + 1, k + n), t.at<T>(i + 1, j + 1, k + n), of_x),
                             of_y);
    }
    return axes > 2 ? __kern_mix(layer[0], layer[1], of_z) : layer[0];
}
template <class T> __KERN_DEVICE T tex1Dfetch(cudaTextureObject_t t, int i)
{
    return ((const T *)(t + 4))[i];
}
template <class T> __KERN_DEVICE T tex1D(cudaTextureObject_t t, float x)
{
    return __kern_sample<T>(__kern_texture(t), x, 0, 0, 1);
}
template <class T> __KERN_DEVICE T tex2D(cudaTextureObject_t t, float x, float y)
{
    return __kern_sample<T>(__kern_texture(t), x, y, 0, 2);
}
template <class T> __KERN_DEVICE T tex3D(cudaTextureObject_t t, float x, float y, float z)
{
    return __kern_sample<T>(__kern_texture(t), x, y, z, 3);
}
template <class T> __KERN_DEVICE T tex2DLayered(cudaTextureObject_t t, float x, float y, int layer)
{
    return __kern_sample<T>(__kern_texture(t), x, y, (float)layer, 2);
}
template <class T> __KERN_DEVICE void tex1Dfetch(T *to, cudaTextureObject_t t, int i)
{
    *to = tex1Dfetch<T>(t, i);
}
template <class T> __KERN_DEVICE void tex2D(T *to, cudaTextureObject_t t, float x, float y)
{
    *to = tex2D<T>(t, x, y);
}

/* ---- texture references ------------------------------------------------------------------------------ */

/* A variable outside functions, which launches give like other memory that the host fills: the texels of
 * one of 1 dimension, with numbers before them as above of one of 2 or 3. What the host sets is for nobody.
 */
template <class T, int axes = 1, cudaTextureReadMode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture {
    T texel;
    static inline int normalized;
    static inline cudaTextureFilterMode filterMode;
    static inline cudaTextureAddressMode addressMode[3];
    static inline cudaChannelFormatDesc channelDesc;
};
#define cudaTextureType1D 1
#define cudaTextureType2D 2
#define cudaTextureType3D 3
template <class T, cudaTextureReadMode m> __KERN_DEVICE T tex1Dfetch(const texture<T, 1, m> &t, int i)
{
    return ((const T *)&t)[i];
}
template <class T, cudaTextureReadMode m> __KERN_DEVICE T tex1D(const texture<T, 1, m> &t, float x)
{
    return ((const T *)&t)[(int)__kern_floor(x)];
}
template <class T, cudaTextureReadMode m> __KERN_DEVICE T tex2D(const texture<T, 2, m> &t, float x, float y)
{
    return tex2D<T>((const float *)&t, x, y);
}
template <class T, cudaTextureReadMode m>
__KERN_DEVICE T tex3D(const texture<T, 3, m> &t, float x, float y, float z)
{
    return tex3D<T>((const float *)&t, x, y, z);
}

template <class T, int d, cudaTextureReadMode m, class... A>
cudaError_t cudaBindTexture(size_t *, const texture<T, d, m> &, A &&...);
template <class T, int d, cudaTextureReadMode m, class... A>
cudaError_t cudaBindTexture2D(size_t *, const texture<T, d, m> &, A &&...);
template <class T, int d, cudaTextureReadMode m, class... A>
cudaError_t cudaBindTextureToArray(const texture<T, d, m> &, A &&...);
template <class T, int d, cudaTextureReadMode m> cudaError_t cudaUnbindTexture(const texture<T, d, m> &);

#endif
