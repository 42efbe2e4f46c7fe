/* nearest.c: see nearest.h. */
#include "base/nearest.h"

#include <ctype.h>

#define MAX_COMPARED 40

/* Damerau-Levenshtein with adjacent transpositions, row by row; > limit: only that it is more. */
static unsigned distance(const char *a, const char *b, unsigned limit)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > MAX_COMPARED || m > MAX_COMPARED || n > m + limit || m > n + limit)
        return limit + 1;
    unsigned rows[3][MAX_COMPARED + 1], *before = rows[0], *above = rows[1], *row = rows[2];
    for (unsigned j = 0; j <= m; j++)
        above[j] = j;
    for (unsigned i = 1; i <= n; i++) {
        row[0] = i;
        for (unsigned j = 1; j <= m; j++) {
            unsigned best = above[j - 1] + (a[i - 1] != b[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
        unsigned *free_row = before;
        before = above, above = row, row = free_row;
    }
    return above[m];
}

/* v1 is no slip for v2, nor float4 for float. */
static bool have_same_digits(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    for (;; a++, b++) {
        a += strcspn(a, digits);
        b += strcspn(b, digits);
        if (*a != *b || !*a)
            return *a == *b;
    }
}

struct nearest nearest_to(const char *word)
{
    size_t n = strlen(word);
    return (struct nearest){.word = word, .distance = n < 3 ? 0 : n < 6 ? 1 : 2};
}

void nearest_consider(struct nearest *n, const char *candidate)
{
    bool same_letters = strcmp(n->word, candidate) != 0 && strcasecmp(n->word, candidate) == 0;
    unsigned d = same_letters ? 1 : distance(n->word, candidate, n->distance);
    if (d > n->distance || d >= strlen(candidate) || !have_same_digits(n->word, candidate))
        return;
    n->tied = n->name && d == n->distance && strcmp(n->name, candidate) != 0;
    n->name = candidate;
    n->distance = d;
}

const char *nearest_name(const struct nearest *n)
{
    return n->tied ? NULL : n->name;
}

/* The letters in small, each once where it stands several times in a row; "" if there are too many. */
static void simplify(const char *word, char to[MAX_COMPARED + 1])
{
    size_t n = 0;
    for (; *word && n < MAX_COMPARED; word++) {
        char c = (char)tolower((unsigned char)*word);
        if (c != '_' && (n == 0 || to[n - 1] != c || isdigit((unsigned char)c)))
            to[n++] = c;
    }
    to[*word ? 0 : n] = 0;
}

bool nearest_is_slip(const char *word, const char *name)
{
    char a[MAX_COMPARED + 1], b[MAX_COMPARED + 1];
    size_t i = 0;
    simplify(word, a);
    simplify(name, b);
    while (a[i] && a[i] == b[i])
        i++;
    if (a[i] && a[i + 1] && a[i] == b[i + 1] && a[i + 1] == b[i])
        i += 2;
    return *a && strcmp(a + i, b + i) == 0;
}
