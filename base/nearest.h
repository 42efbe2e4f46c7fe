/* nearest.h: which of several names a word that is none of them is a slip for. */
#ifndef KERNC_NEAREST_H
#define KERNC_NEAREST_H

#include "base/base.h"

/* Of the candidates considered so far, the nearest to the word. */
struct nearest {
    const char *word, *name;
    unsigned distance;
    bool tied;
};
/* No candidate yet; the word has to live as long. */
struct nearest nearest_to(const char *word);
/* The candidate counts if one slip, or two in a longer word, make the word of it, none of them in a digit; or
 * if they differ in small and capital letters alone. */
void nearest_consider(struct nearest *n, const char *candidate);
/* NULL: none is near, or several are equally so. */
const char *nearest_name(const struct nearest *n);
/* Whether the two differ in no more than small and capital letters, underscores, how often a letter stands in a
 * row, and the order of two neighbours: then hardly anything else was meant, and a fix-it may write it. */
bool nearest_is_slip(const char *word, const char *name);

#endif
