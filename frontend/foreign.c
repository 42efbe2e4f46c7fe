/* foreign.c: the Kern of names of other languages. */
#include "frontend/context.h"

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
