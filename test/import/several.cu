// A pointer to several memories: chosen, stored, followed, compared, given to functions and got from them.
// NEEDS: clang-19

struct item {
    int value;
    item *next;
};

// What the host computes of the same lists.
// RUN: for o in 0 2; do %kernc run -w -O$o %s --launch=lists; done | sort -u
// OUT-IS: out[0..64]: 0 1102 1004 303 1008 1510 6 1714 1016 909 1020 2122 12 2326 1028 1515 1 113 112 102 112 113 1 113 112 102 112 113 1 113 112 102 0 2 1003 1003 1005 1006 1006 1008 1009 1009 1011 1012 1012 1014 1015 1015 1001 2004 2006 1007 2010 2012 1013 2016 2018 1019 2022 2024 1025 2028 2030 1031
// RUN: %kernc compare -w %s --launch=lists | grep -c NO
// EXIT: 1
// OUT-IS: 0
__global__ void lists(int *out, item *pool)
{
    __shared__ item shared[16];
    int t = threadIdx.x;
    item own = {1000 + t, 0};
    shared[t].value = t;
    shared[t].next = t % 2 ? &pool[t] : 0;
    pool[t].value = 100 * t;
    pool[t].next = 0;
    own.next = &shared[t];
    __syncthreads();
    item *head = t % 3 ? &own : own.next;
    int sum = 0, steps = 0;
    for (item *i = head; i; i = i->next) {
        sum += i->value;
        steps++;
        atomicAdd(&i->value, 1);
    }
    out[t] = sum;
    out[16 + t] = steps + 10 * (head == &own) + 100 * (head->next != nullptr);
    int *where = t == 0 ? &pool[0].value : t == 1 ? &shared[1].value : &own.value;
    out[32 + t] = *where;
    item copy = *head;
    *head = own;
    out[48 + t] = copy.value + head->value;
}
// kern: launch lists(out = zeros(64), pool = zeros(32)) block(16) show(out)

// A structure by value with such a pointer; null of one memory and of several; vectors; a function that chooses.
struct view {
    const float4 *from;
    int count;
};
__device__ float total(view v)
{
    float sum = 0;
    for (int i = 0; i < v.count; i++)
        sum += v.from[i].x + v.from[i].w;
    return sum;
}
__device__ const float4 *choose(const float4 *a, const float4 *b, bool first) { return first ? a : b; }
// RUN: for s in pdom oracle; do %kernc run -w --scheme=$s %s --launch=views; done
// OUT: sums[0..8]: 6 6 6 6 14 14 14 14
// OUT: same[0..8]: 1 1 0 0 2 2 2 2
// OUT: sums[0..8]: 6 6 6 6 14 14 14 14
// OUT: same[0..8]: 1 1 0 0 2 2 2 2
__global__ void views(const float4 *in, float *sums, int *same)
{
    __shared__ float4 tile[2];
    __shared__ int other[8];
    int t = threadIdx.x;
    if (t < 2)
        tile[t] = make_float4(t, 10, 20, t + 2);
    __syncthreads();
    view v = {choose(tile, in, t < 4), 2};
    sums[t] = total(v);
    const int *null = t < 2 ? nullptr : &other[t], *none = (const int *)(t < 4 ? nullptr : choose(tile, in, t & 1));
    same[t] = null == none ? 1 : none ? 2 : 0;
}
// kern: launch views(in = iota(8), sums = zeros(8), same = zeros(8)) block(8) show(sums) show(same)

// A function whose parameter may lead to its own variable.
__device__ __noinline__ int either(const int *p, bool own)
{
    int x = 7;
    const int *q = own ? &x : p;
    return *q;
}
// RUN: for o in 0 2; do %kernc run -w -O$o %s --launch=callee; done | sort -u
// OUT-IS: out[0..8]: 7007 10201 7007 10603 7007 11005 7007 11407
__global__ void callee(const int *in, int *out)
{
    __shared__ int tile[8];
    int t = threadIdx.x;
    tile[t] = 100 + t;
    out[t] = 100 * either(tile + t, t % 2 == 0) + either(in + t, t % 2 == 0);
    out[t] += t % 2 ? 100 * in[t] : 6300;
}
// kern: launch callee(in = iota(8), out = zeros(8)) block(8) show(out)
