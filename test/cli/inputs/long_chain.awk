# Prints a chain of 3,000 small functions, each called by the next one. left: some threads leave them while others are at
# a barrier.
BEGIN {
    n = 3000
    print "int f0(int x) {" (left ? " if (x & 1) return x; barrier();" : "") " return x * 3 + 1; }"
    for (i = 1; i < n; i++)
        printf "int f%d(int x) { return f%d(x + %d) ^ %d; }\n", i, i - 1, i, i
    printf "kernel void k(global int *o) { o[threadIdx.x] = f%d(threadIdx.x); }\n", n - 1
    print "launch k(o = zeros(4)) block(4) show(o);"
}
