/* reference_frontiers.c: plain C for the samples whose control flow is no picture of nested blocks. */
#include "base/base.h"
#include "launch/launch.h"
#include "test/samples/reference.h"
#include <stdlib.h>

enum { THREADS = 1024 };

static uint32_t xorshift(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

static uint32_t hundred_steps(uint32_t s)
{
    for (int i = 0; i < 100; i++)
        s = s * 1664525 + (s >> 16);
    return s;
}

/* What stands in the try blocks of exceptions.kern. */
static uint32_t try_tail(uint32_t s)
{
    for (int i = 0; i < 100; i++) {
        s = s * 1664525 + (s >> 16);
        s ^= s << 7;
    }
    return s;
}

static uint32_t *results(size_t *n)
{
    *n = THREADS * sizeof(uint32_t);
    return mem_alloc(*n);
}

/* ---- shortcircuit ---- */

static bool condition(uint32_t bits)
{
    bool m[9];
    for (int i = 0; i < 9; i++)
        m[i] = bits >> i & 1;
    return (m[0] && (m[1] || (m[2] && m[3]))) || (m[4] && (m[5] || m[6])) || (m[7] && m[8]);
}

void *reference_shortcircuit(size_t *n)
{
    enum { ROUNDS = 4 };
    uint32_t *out = results(n);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        uint32_t s = thread * 2654435761u + 99, sum = 0;
        for (uint32_t i = 0; i < ROUNDS; i++) {
            bool is_first = condition((thread ^ i) * 2654435761u >> 20);
            for (int k = 0; k < 20; k++) {
                if (is_first)
                    xorshift(&s);
                else
                    s = s * 1664525 + 1013904223;
            }
            sum = is_first ? sum + s : sum ^ s;
        }
        out[thread] = sum;
    }
    return out;
}

/* ---- splitmerge ---- */

void *reference_splitmerge(size_t *n)
{
    enum { CALLS = 16 };
    uint32_t *out = results(n);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        uint32_t s = thread;
        for (uint32_t i = 0; i < CALLS; i++)
            if ((thread + i) % 2 == 0)
                s = hundred_steps(s + 17) ^ 0x9e3779b9;
            else
                s = hundred_steps(s * 5) + 12345;
        out[thread] = s;
    }
    return out;
}

/* ---- exceptions ---- */

/* Nothing is thrown, as the table has positive numbers alone. */
static uint32_t *table(void)
{
    return reference_input("random(64, 1, 1, 1000)", LAUNCH_UINT);
}

void *reference_in_call(size_t *n)
{
    uint32_t *out = results(n), *at = table();
    for (uint32_t i = 0; i < THREADS; i++)
        out[i] = try_tail(i % 2 == 0 ? i + at[i % 64] : i ^ 0x5bd1e995);
    mem_free(at);
    return out;
}

void *reference_in_loop(size_t *n)
{
    uint32_t *out = results(n), *at = table();
    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t s = i;
        for (uint32_t k = i; k <= i + i % 6; k++)
            s = s * 31 + at[k % 64];
        out[i] = try_tail(s);
    }
    mem_free(at);
    return out;
}

void *reference_in_condition(size_t *n)
{
    uint32_t *out = results(n), *at = table();
    for (uint32_t i = 0; i < THREADS; i++)
        out[i] = try_tail(i % 2 == 0 ? i + at[i % 64] : i);
    mem_free(at);
    return out;
}

/* ---- mummer ---- */

enum { TEXT = 2048, LONGEST = 60, LEAST = 10, DEEPEST = 8 };

/* How many bases two strings of at most n have in common from their start. */
static int common(const uint8_t *a, const uint8_t *b, int n)
{
    int i = 0;
    while (i < n && a[i] == b[i])
        i++;
    return i;
}

/* The longest match of the n bases anywhere in the text; but the tree does not tell apart the places of
 * the same 8 bases. */
static int longest_match(const uint8_t *text, const uint8_t *bases, int n)
{
    int most = 0, alike = 0;
    for (int at = 0; at < TEXT; at++) {
        int matched = common(text + at, bases, n < TEXT - at ? n : TEXT - at);
        most = matched > most ? matched : most;
        alike += matched >= DEEPEST;
    }
    return alike > 1 ? DEEPEST : most;
}

void *reference_mummer(size_t *n)
{
    uint32_t *out = results(n);
    uint8_t *text = reference_input("random(2048, 1, 0, 3)", LAUNCH_UCHAR), query[LONGEST];
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        uint32_t s = thread * 2654435761u + 61, digest = 0;
        int length = 25 + (int)(xorshift(&s) % (LONGEST - 24)), from = (int)(xorshift(&s) % (TEXT - LONGEST));
        for (int i = 0; i < LONGEST; i++) {
            uint32_t chance = xorshift(&s);
            query[i] = chance % 100 < 7 ? (uint8_t)(chance >> 30) : text[from + i];
        }
        int start = -1, matched;
        do {
            start++;
            matched = longest_match(text, query + start, length - start);
            if (matched >= LEAST)
                digest = digest * 31 + (uint32_t)(matched << 8 | start);
        } while (start + matched < length);
        out[thread] = digest;
    }
    mem_free(text);
    return out;
}

/* ---- pathfind ---- */

enum { BOARD = 16, SQUARES = BOARD * BOARD };

/* The steps of the shortest way, square by square as they are farther away; -1: there is none. */
static int shortest_way(const uint8_t *board, int from, int to)
{
    int steps[SQUARES], line[SQUARES], last = 1;
    for (int i = 0; i < SQUARES; i++)
        steps[i] = -1;
    line[0] = from;
    steps[from] = 0;
    for (int i = 0; i < last; i++)
        for (int d = 0; d < 4; d++) {
            int x = line[i] % BOARD + (d == 0) - (d == 2), y = line[i] / BOARD + (d == 1) - (d == 3);
            int there = y * BOARD + x;
            if (x < 0 || x >= BOARD || y < 0 || y >= BOARD || board[there] < 3 || steps[there] >= 0)
                continue;
            steps[there] = steps[line[i]] + 1;
            line[last++] = there;
        }
    return steps[to];
}

void *reference_pathfind(size_t *n)
{
    enum { SEEKERS = 256, AGENTS = 1 };
    uint32_t *out = mem_alloc(SEEKERS * sizeof *out);
    uint8_t *board = reference_input("random(256, 3, 0, 9)", LAUNCH_UCHAR);
    for (uint32_t thread = 0; thread < SEEKERS; thread++) {
        uint32_t s = thread * 2654435761u + 83, sum = 0;
        for (int agent = 0; agent < AGENTS; agent++) {
            xorshift(&s);
            sum = sum * 31 + (uint32_t)shortest_way(board, (int)(s % SQUARES), (int)((s >> 16) % SQUARES));
        }
        out[thread] = sum;
    }
    mem_free(board);
    *n = SEEKERS * sizeof *out;
    return out;
}
