/* shapes.c: see shapes.h. Threads diverge, and nothing folds away: each statement reads what memory gave or
 * what the one before it left in `x`. */
#include "test/bench/shapes.h"

static void begin(struct text *t)
{
    text_printf(t, "kernel void k(global int *o, int m)\n{\n    int t = threadIdx.x;\n    int x = o[t];\n");
}

static void end(struct text *t)
{
    text_printf(t, "    o[t] = x;\n}\n");
}

/* ---- branches ---------------------------------------------------------------------------------------- */

static void conditionals(struct text *t, uint32_t n)
{
    begin(t);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    if ((x >> %u) + t > %u) {\n        x += %u;\n        o[t + %u] = x;\n    }\n",
                    i % 31, i, 7 * i + 1, i % 64);
    end(t);
}

static void nested(struct text *t, uint32_t n)
{
    begin(t);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    if ((x >> %u) + t > %u) {\n        x += o[(x + %u) & 63];\n", i % 31, i, i);
    for (uint32_t i = n; i-- > 0;)
        text_printf(t, "    } else {\n        x -= %u;\n    }\n", i);
    end(t);
}

static void else_ifs(struct text *t, uint32_t n)
{
    begin(t);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    %sif ((x & %u) == %u) {\n        x += %u;\n        o[t] = x;\n    }\n",
                    i ? "else " : "", 3 * i + 7, i, i);
    end(t);
}

static void cases(struct text *t, uint32_t n)
{
    begin(t);
    text_printf(t, "    switch (x) {\n");
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    case %u:\n        x += %u;\n        o[%u] = x;\n        break;\n", i, 3 * i + 1,
                    i % 64);
    text_printf(t, "    default:\n        x = 1;\n    }\n");
    end(t);
}

/* Both arms have the same operations, every seventh in another place. */
static void arms(struct text *t, uint32_t n)
{
    static const char *const forms[] = {"a = b * %u + x;", "b = a ^ (x + %u);", "x = (a >> %u) - b;",
                                        "a += o[(x + %u) & 63];"};
    begin(t);
    text_printf(t, "    int a = t, b = m;\n    if ((x ^ t) & 1) {\n");
    for (uint32_t arm = 0; arm < 2; arm++) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t k = arm && i % 7 == 0 ? n - 1 - i : i;
            text_printf(t, "        ");
            text_printf(t, forms[k * 5 % 7 % COUNT(forms)], k % 8 + 1);
            text_printf(t, "\n");
        }
        text_printf(t, arm ? "    }\n    x += a + b;\n" : "    } else {\n");
    }
    end(t);
}

/* ---- loops ------------------------------------------------------------------------------------------- */

static void loops(struct text *t, uint32_t n)
{
    begin(t);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t,
                    "    for (int i = 0; i < ((x >> %u) & 7) + m; i++)\n"
                    "        x = x * %u + o[(i + t) & 63];\n",
                    i % 20, i % 9 + 3);
    end(t);
}

static void nested_loops(struct text *t, uint32_t n)
{
    begin(t);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    for (int i%u = 0; i%u < m + (t & %u); i%u++) {\n        x += i%u;\n", i, i,
                    i % 7 + 1, i, i);
    text_printf(t, "    o[t & 63] += x;\n");
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    }\n");
    end(t);
}

static void jumps(struct text *t, uint32_t n)
{
    uint64_t state = 1;
    begin(t);
    text_printf(t, "    int left = 1000;\n");
    for (uint32_t i = 0; i < n; i++) {
        state = hash_mix(state, i);
        text_printf(t,
                    "l%u:\n    x = x * 5 + %u;\n    if (--left < 0)\n        goto done;\n"
                    "    if ((x >> 7) & 1)\n        goto l%u;\n    if ((x >> 9) & 1)\n        goto l%u;\n",
                    i, i, (uint32_t)(state >> 40) % n, (uint32_t)(state >> 16) % n);
    }
    text_printf(t, "done:\n");
    end(t);
}

/* ---- statements in a row ----------------------------------------------------------------------------- */

static void straight(struct text *t, uint32_t n)
{
    static const char *const forms[] = {"a = b * %u + x;", "b = a ^ (x + %u);", "x = (a >> %u) - b;",
                                        "o[(t + %u) & 63] = a;", "a += o[(x + %u) & 63];"};
    begin(t);
    text_printf(t, "    int a = t, b = m;\n");
    for (uint32_t i = 0; i < n; i++) {
        text_printf(t, "    ");
        text_printf(t, forms[i * 7 % 11 % COUNT(forms)], i % 29 + 1);
        text_printf(t, "\n");
    }
    text_printf(t, "    x += a + b;\n");
    end(t);
}

static void barriers(struct text *t, uint32_t n)
{
    begin(t);
    text_printf(t, "    shared int s[64];\n");
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    s[t & 63] = x;\n    barrier();\n    x += s[(t + %u) & 63];\n    barrier();\n", i);
    end(t);
}

static void pointers(struct text *t, uint32_t n)
{
    text_printf(t, "struct s {\n    struct s *next;\n    int *at;\n};\n\n");
    begin(t);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    int a%u[4];\n    struct s b%u;\n", i, i);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    b%u.next = &b%u;\n    b%u.at = a%u + (m & 3);\n    *b%u.at = t + %u;\n", i,
                    i * 17 % n, i, i * 29 % n, i * 13 % (i + 1), i);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    *b%u.next->at += a%u[t & 3];\n    x += a%u[1] + *b%u.at;\n", i * 19 % n,
                    i * 23 % n, i, i);
    end(t);
}

/* ---- functions --------------------------------------------------------------------------------------- */

/* Each calls two of those before it. */
static void functions(struct text *t, uint32_t n)
{
    text_printf(t, "int f0(int x)\n{\n    return x + 1;\n}\n\n");
    for (uint32_t i = 1; i < n; i++)
        text_printf(t,
                    "int f%u(int x)\n{\n    int s = 0;\n    for (int i = 0; i < (x & 3); i++)\n"
                    "        s += f%u(x + i) * %u;\n    return s + f%u(x - %u);\n}\n\n",
                    i, i - 1, i % 13 + 2, i / 2, i);
    begin(t);
    text_printf(t, "    x = f%u(x + m);\n", n - 1);
    end(t);
}

/* Each is called once, by the next. */
static void chain(struct text *t, uint32_t n)
{
    text_printf(t, "int f0(int x)\n{\n    return x * 3 + 1;\n}\n\n");
    for (uint32_t i = 1; i < n; i++)
        text_printf(t, "int f%u(int x)\n{\n    return f%u(x + %u) ^ %u;\n}\n\n", i, i - 1, i, i);
    begin(t);
    text_printf(t, "    x = f%u(x + m);\n", n - 1);
    end(t);
}

/* The same, but that some threads leave each while the others are at a barrier in the first. */
static void left_before_barrier(struct text *t, uint32_t n)
{
    text_printf(
        t, "int f0(int x)\n{\n    if (x & 1)\n        return x;\n    barrier();\n    return x + 1;\n}\n\n");
    for (uint32_t i = 1; i < n; i++)
        text_printf(t,
                    "int f%u(int x)\n{\n    if ((x >> %u) %% 7 == 3)\n        return x + %u;\n"
                    "    return f%u(x + %u) ^ %u;\n}\n\n",
                    i, i % 20, i, i - 1, i, i);
    begin(t);
    text_printf(t, "    x = f%u(x + m);\n", n - 1);
    end(t);
}

static void function_pointers(struct text *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "int f%u(int x)\n{\n    return x * %u + %u;\n}\n\n", i, i + 2, i);
    begin(t);
    text_printf(t, "    int (*p)(int) = f0;\n");
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    if (x & %u)\n        p = f%u;\n    x = p(x);\n", i % 30 + 1, i);
    end(t);
}

/* Parameters whose types tell n functions apart. */
static void parameters(struct text *t, uint32_t n)
{
    text_addz(t, "int x");
    for (unsigned bit = 0; bit < 13; bit++)
        text_printf(t, ", %s p%u", n >> bit & 1 ? "float" : "int", bit);
}

/* A chain of calls through pointers, each of its own type, to where a barrier is. */
static void pointer_types(struct text *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        text_printf(t, "int leaf%u(", i);
        parameters(t, i);
        text_printf(t, ")\n{\n    return x;\n}\n\nint f%u(", i);
        parameters(t, i);
        text_addz(t, ")\n{\n");
        if (i == 0) {
            text_addz(t, "    barrier();\n    return x;\n}\n\n");
            continue;
        }
        text_addz(t, "    int (*p)(");
        parameters(t, i - 1);
        text_printf(t, ") = x & 1 ? f%u : leaf%u;\n", i - 1, i - 1);
        text_printf(t, "    return p(x + %u, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);\n}\n\n", i);
    }
    begin(t);
    text_printf(t, "    x = f%u(x + m, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);\n", n - 1);
    end(t);
}

static void exceptions(struct text *t, uint32_t n)
{
    text_printf(t, "int g(int x)\n{\n    if (x > 5)\n        throw;\n    return x;\n}\n\n");
    begin(t);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    try {\n        x += g(x & %u);\n    } catch {\n        x -= %u;\n    }\n", i % 15,
                    i);
    end(t);
}

const struct bench_shape bench_shapes[BENCH_SHAPES] = {
    {"conditionals in a row", "conditionals", 1000, conditionals},
    {"conditionals in one another", "conditionals", 60, nested},
    {"else-if", "conditionals", 200, else_ifs},
    {"switch", "cases", 2500, cases},
    {"arms with operations in common", "operations", 500, arms},
    {"loops in a row", "loops", 250, loops},
    {"loops in one another", "loops", 12, nested_loops},
    {"goto", "labels", 100, jumps},
    {"straight code", "statements", 12500, straight},
    {"barriers", "pairs", 500, barriers},
    {"pointers to pointers", "objects", 250, pointers},
    {"functions that call functions", "functions", 1000, functions},
    {"functions in a chain", "functions", 5000, chain},
    {"functions left before a barrier", "functions", 1000, left_before_barrier},
    {"calls through pointers", "functions", 250, function_pointers},
    {"pointers of many types", "functions", 250, pointer_types},
    {"exceptions", "calls", 250, exceptions},
};
