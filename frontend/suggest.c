/* suggest.c: what may have been meant by a word that means nothing: a name that is spelt nearly so, or the
 * Kern of another language's name. */
#include "frontend/context.h"

/* ---- names of other languages ------------------------------------------------------------------------ */

static const struct fe_foreign_name names[] = {
#define FOREIGN_NAME(text, advice) {text, advice, NULL},
#define NAME_SPELLING(text, kern) {text, NULL, kern},
#include "frontend/foreign.def"
};

const struct fe_foreign_name *fe_find_foreign(const char *name)
{
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(names[i].text, name) == 0)
            return &names[i];
    return NULL;
}

/* ---- spelling ---------------------------------------------------------------------------------------- */

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

struct fe_nearest fe_nearest_to(const char *word)
{
    size_t n = strlen(word);
    return (struct fe_nearest){.word = word, .distance = n < 3 ? 0 : n < 6 ? 1 : 2};
}

void fe_consider(struct fe_nearest *n, const char *candidate)
{
    unsigned d = distance(n->word, candidate, n->distance);
    if (d > n->distance || d >= strlen(candidate) || !have_same_digits(n->word, candidate))
        return;
    n->tied = n->name && d == n->distance && strcmp(n->name, candidate) != 0;
    n->name = candidate;
    n->distance = d;
}

const char *fe_nearest_name(const struct fe_nearest *n)
{
    return n->tied ? NULL : n->name;
}
