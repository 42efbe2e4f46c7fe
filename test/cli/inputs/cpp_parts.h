#ifdef ONCE
#define WEIGHT(x) (x)
#else
#define WEIGHT(x) (2 * (x))
#endif

int part(int *own, int n) { int a[4] = {1}; a[n] += 1; return a[0] + own[0]; }
