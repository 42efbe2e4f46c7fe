// Functions of bits, of conversions, and rounded in a direction.
// NEEDS: clang-19

__global__ void bits(int *o, unsigned *u, long long *l)
{
    int n = 0, a = o[0];
    unsigned b = u[0], k = 0;
    o[n++] = __popc(b);
    o[n++] = __popcll((unsigned long long)b << 16 | 1);
    o[n++] = __clz(a) + 100 * __clzll(a) + 10000 * __clz(0);
    o[n++] = __ffs(a) + 100 * __ffsll((long long)a << 20) + 10000 * __ffs(0);
    o[n++] = __mulhi(-a, 0x40000000);
    o[n++] = __mul24(-3, a);
    o[n++] = __hadd(-5, 2) + 100 * __rhadd(-5, 2);
    o[n++] = __fns(0x92, 0, 2) + 100 * __fns(0x92, 6, -1) + 10000 * __fns(0x92, 4, 0);
    o[n++] = __dp4a(0x01020304, 0x0102ff04, 100);
    u[k++] = __brev(b);
    u[k++] = __byte_perm(0x33221100, 0x77665544, 0x7e40);
    u[k++] = __umulhi(b, 0x10000);
    u[k++] = __funnelshift_l(0x80000000, 1, 1);
    u[k++] = __funnelshift_r(1, 2, 1);
    u[k++] = __usad(3, 10, 5) + __sad(-3, 10, 0);
    u[k++] = __vadd4(0x01ff7f80, 0x01010101);
    u[k++] = __vmaxs4(0x01ff7f80, 0);
    u[k++] = __vabsdiffu2(0x00010005, 0x00040002);
    l[0] = __mul64hi(1ll << 62, -8);
    l[1] = __umul64hi(~0ull, 16);
    l[2] = __brevll(1);
}
// kern: launch bits(o = {1000, 0, 0, 0, 0, 0, 0, 0, 0}, u = {0xf0, 0, 0, 0, 0, 0, 0, 0, 0}, l = zeros(3)) block(1) show(o) show(u as hex) show(l)
// RUN: %kernc run %s --launch=bits
// OUT: o[0..9]: 4 5 325422 2404 -250 -3000 -102 40404 118
// OUT: u[0..9]: 0x0f000000 0x77004400 0x00000000 0x00000003 0x00000000 0x00000019 0x02008081 0x01007f00 0x00030003
// OUT: l[0..3]: -2 15 -9223372036854775808

__global__ void conversions(int *o, float *f, double *d)
{
    float a = f[0];
    double b = d[0];
    o[0] = __float2int_rn(a) + 10 * __float2int_rz(a) + 100 * __float2int_rd(a) + 1000 * __float2int_ru(a);
    o[1] = __double2int_rn(-b) + 10 * __double2int_rz(-b) + 100 * __double2int_rd(-b) + 1000 * __double2int_ru(-b);
    o[2] = __float_as_int(1.0f);
    o[3] = __double2hiint(1.0);
    o[4] = __float2int_rz(1e20f);
    f[1] = __int_as_float(0x40490fdb);
    d[1] = __hiloint2double(0x40080000, 0);
    f[2] = __saturatef(a) + __saturatef(-a) + __saturatef(0.25f);
    f[3] = __uint2float_rn(4294967295u);
}
// kern: launch conversions(o = zeros(5), f = {2.5, 0, 0, 0}, d = {3.5, 0}) block(1) show(o) show(f) show(d)
// RUN: %kernc run %s --launch=conversions
// OUT: o[0..5]: 3222 -3434 1065353216 1072693248 2147483647
// OUT: f[0..4]: 2.5 3.1415927 1.25 4.2949673e+09
// OUT: d[0..2]: 3.5 3

// One third from both sides, and what is exact.
__global__ void rounded(float *f, double *d, int *o)
{
    float x = f[0], y = f[1];
    f[0] = __fdiv_rd(x, y);
    f[1] = __fdiv_ru(x, y);
    f[2] = __fdiv_rn(x, y) - f[0];
    f[3] = __fadd_ru(1.0f, 1e-20f) - 1.0f;
    f[4] = __fadd_rd(1.0f, -1e-20f) - 1.0f;
    f[5] = __fsub_rz(-1.0f, 1e-20f) + 1.0f;
    f[6] = __fmul_rd(3.0f, 0.5f);
    f[7] = __fsqrt_ru(4.0f);
    o[0] = __float_as_int(f[1]) - __float_as_int(f[0]);
    o[1] = __float_as_int(__fsqrt_ru(2.0f)) - __float_as_int(__fsqrt_rd(2.0f));
    o[2] = __float_as_int(__frcp_ru(-3.0f)) - __float_as_int(__frcp_rd(-3.0f));
    o[3] = __float_as_int(__fmaf_rd(x, 1e-30f, -1.0f)) - __float_as_int(-1.0f);
    d[0] = __dadd_ru(1.0, 1e-30) - 1.0;
    d[1] = __ddiv_ru(1.0, 3.0) - __ddiv_rd(1.0, 3.0);
}
// kern: launch rounded(f = {1, 3, 0, 0, 0, 0, 0, 0}, d = {0, 0}, o = zeros(4)) block(1) show(f) show(d) show(o)
// RUN: %kernc run %s --launch=rounded
// OUT: f[0..8]: 0.3333333 0.33333334 2.9802322e-08 1.1920929e-07 -5.9604645e-08 0 1.5 2
// OUT: d[0..2]: 2.220446049250313e-16 5.551115123125783e-17
// OUT: o[0..4]: 1 1 -1 0

// What nvcc takes in C++17, too; limits.h is there.
__global__ void most(int *o)
{
    register int n = INT_MAX;
    o[threadIdx.x] = n;
}
// kern: launch most(o = zeros(1)) block(1) show(o)
// RUN: %kernc run %s --launch=most
// OUT-IS: o[0..1]: 2147483647

// Of three numbers at once; saturated signs.
__global__ void three(unsigned *o)
{
    bool high, low, first;
    int k = 0;
    o[k++] = __viaddmax_s32(2147483647, 1, -5) + 10;
    o[k++] = __viaddmin_u32(0xffffffffu, 3u, 7u) * 10 + __vimax3_u32(1, 9, 4);
    o[k++] = __viaddmin_s32_relu(-9, 2, 5) + __vimin3_s32_relu(4, 3, 8) * 10 + __vimax_s32_relu(-3, -4) * 100;
    o[k++] = __viaddmax_s16x2(0x7fff0005, 0x0001fffb, 0xfff60003);
    o[k++] = __viaddmax_s16x2_relu(0x7fff0005, 0x0001fff0, 0xfff6fffd);
    o[k++] = __vimin3_u16x2(0x80000005, 0x0002fffb, 0x00040003);
    o[k++] = __vimin_s16x2_relu(0x80000005, 0x00020007);
    o[k++] = __vibmax_s32(-2, 3, &first) * 10 + first;
    o[k++] = __vibmin_u32(4u, 4u, &first) * 10 + first;
    o[k++] = __vibmax_s16x2(0x00018000, 0x00010001, &high, &low) * 4 + high * 2 + low;
    o[k++] = __vibmin_u16x2(0x00038000, 0x00010001, &high, &low) * 4 + high * 2 + low;
    o[k++] = __vabsss2(0x8000fffe);
    o[k++] = __vnegss4(0x80017fff);
}
// kern: launch three(o = zeros(13)) block(1) show(o as hex)
// RUN: %kernc run %s --launch=three
// OUT-IS: o[0..13]: 0x00000005 0x0000001d 0x0000001e 0xfff60003 0x00000000 0x00020003 0x00000005 0x0000001e 0x00000029 0x00040006 0x00040004 0x7fff0002 0x7fff8101
