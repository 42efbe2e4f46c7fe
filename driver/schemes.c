/* schemes.c: names of divergence schemes on the command line; the schemes themselves are kernc_scheme_at's.
 */
#include "driver/driver.h"

const char *scheme_names(struct command *c)
{
    const char  *names = "";
    kernc_scheme s;
    for (unsigned i = 0; kernc_scheme_at(i, &s); i++)
        names = arena_printf(&c->arena, "%s%s%s", names, *names ? ", " : "", s.name);
    return names;
}

static bool find(const char *name, kernc_scheme *s)
{
    for (unsigned i = 0; kernc_scheme_at(i, s); i++)
        if (strcmp(s->name, name) == 0)
            return true;
    return false;
}

static void add(struct command *c, scheme_list *list, kernc_scheme s)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->at[i].name, s.name) == 0)
            return;
    vec_push(&c->arena, list, s);
}

void schemes_add_all(struct command *c, scheme_list *list, bool unsound)
{
    kernc_scheme s;
    for (unsigned i = 0; kernc_scheme_at(i, &s); i++)
        if (s.sound || unsound)
            add(c, list, s);
}

int schemes_add(struct command *c, scheme_list *list, const char *name)
{
    kernc_scheme s;
    if (!find(name, &s))
        return complain(c, EXIT_USAGE, "there is no scheme '%.60s'; there are %s", name, scheme_names(c));
    add(c, list, s);
    return EXIT_OK;
}

int schemes_take(struct command *c, scheme_list *list)
{
    const char *given = option_value(c, OPTION_SCHEMES);
    int         code = EXIT_OK;
    if (!given || strcmp(given, "all") == 0) {
        schemes_add_all(c, list, given != NULL);
        return EXIT_OK;
    }
    for (const char *at = given; !code && *at;) {
        size_t n = strcspn(at, ",");
        code = schemes_add(c, list, arena_strdup(&c->arena, at, n));
        at += n + (at[n] == ',');
    }
    if (!code && list->count == 0)
        code = complain(c, EXIT_USAGE, "--schemes wants at least one of %s", scheme_names(c));
    return code;
}
