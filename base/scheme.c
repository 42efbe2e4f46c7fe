/* scheme.c: the tables of targets and schemes, and looking rows up by name. */
#include "base/scheme.h"

#include "base/checks.h"

const struct target_info target_info[TARGETS] = {
#define TARGET(id, name, lanes, scheme, lacks, lowering, meaning)                                            \
    [TARGET_##id] = {name, lowering, meaning, lanes, lacks, SCHEME_##scheme},
#include "base/targets.def"
};

const struct scheme_info scheme_info[SCHEMES] = {
#define SCHEME(id, name, target, machine, lowering, properties, meaning)                                     \
    [SCHEME_##id] = {name, lowering, meaning, TARGET_##target, properties},
#include "base/schemes.def"
};

enum target target_find(const char *name)
{
    unsigned t = 0;
    while (t < TARGETS && strcmp(target_info[t].name, name) != 0)
        t++;
    return (enum target)t;
}

enum scheme scheme_find(const char *name)
{
    unsigned s = 0;
    while (s < SCHEMES && strcmp(scheme_info[s].name, name) != 0)
        s++;
    return (enum scheme)s;
}

enum scheme scheme_with(enum scheme_property property)
{
    unsigned s = 0;
    while (s < SCHEMES && !scheme_has((enum scheme)s, property))
        s++;
    INVARIANT(s < SCHEMES);
    return (enum scheme)s;
}

const char *scheme_check(enum scheme s)
{
    for (unsigned i = CHECK_FIRST_CLAIM; i < CHECKS; i++)
        if (check_has_scheme(i, s))
            return check_info[i].name;
    return NULL;
}

const char *const schedule_names[SCHEDULES] = {"largest", "newest", "oldest", "lowest"};

unsigned schedule_find(const char *name)
{
    unsigned s = 0;
    while (s < SCHEDULES && strcmp(schedule_names[s], name) != 0)
        s++;
    return s;
}

const char *scheme_names(struct arena *a)
{
    const char *names = "";
    for (unsigned s = 0; s < SCHEMES; s++)
        names = arena_printf(a, "%s%s%s", names, *names ? ", " : "", scheme_info[s].name);
    return names;
}
