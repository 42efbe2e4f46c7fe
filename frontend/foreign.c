/* foreign.c: the Kern of names of other languages. */
#include "frontend/context.h"

static const struct fe_foreign_name names[] = {
#define FOREIGN_NAME(text, advice) {text, advice, NULL, false},
#define FOREIGN_TYPE(text, advice) {text, advice, NULL, true},
#define NAME_SPELLING(text, kern) {text, NULL, kern, false},
#include "frontend/foreign.def"
};

static const struct fe_foreign_name *find(const char *name, bool is_type)
{
    for (size_t i = 0; i < COUNT(names); i++)
        if (names[i].is_type == is_type && strcmp(names[i].text, name) == 0)
            return &names[i];
    return NULL;
}

const struct fe_foreign_name *fe_find_foreign(const char *name)
{
    return find(name, false);
}

const struct fe_foreign_name *fe_find_foreign_type(const char *name)
{
    return find(name, true);
}
