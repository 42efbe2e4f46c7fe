#define SCALE(x, y) ((x) * (y))
#define ABOVE(x) ((x) > 1)
#define FLAG(x) ((x) > 0 ? 1 : 0)
#define BIT(x) (1 << (x))
#define NEXT(x) ((x) + 1)
#define MEET(x, y) ((x) * n + (y))
struct flags {
    uint low : 3, : 4;
    uint high : 25;
};
template <typename T> T twice(T x) { return x + x; }
template <typename T> T once(T x) { return x; }
template <typename T> T same(T x) { return x; }
void f(volatile int *p) { p[0] = 1; }
kernel void k(global int *a, global float *b, int n)
{
    volatile shared int s[4];
    const volatile int c = n;
    auto x = 1, y = 2.5f;
    const auto p = &b[0];
    auto unknown = g(x);
    s[0] = SCALE(a[0], 2) + SCALE(b[0], 2) + ABOVE(n) + FLAG(b[0]) + BIT(1u) + NEXT(n++) + MEET(1, 2);
    a[0] = twice<int>(1) + twice<float>(1) + once(1) + same<int>(1) + same(2.5f) + x + y + c + p[0] + unknown;
}
