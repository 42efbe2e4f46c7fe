/* schemes.c: divergence schemes on the command line: --scheme=help, --schemes, --target and --divergence. */
#include "driver/driver.h"

#include <stdio.h>

bool schemes_asked(const struct command *c)
{
    const char *name = option_value(c, OPTION_SCHEME);
    return name && strcmp(name, "help") == 0;
}

void schemes_help(void)
{
    printf("%-20s %-10s %s\n", "scheme", "target", "how lanes diverge and reconverge");
    for (unsigned s = 0; s < SCHEMES; s++) {
        const struct target_info *target = scheme_target((enum scheme)s);
        printf("%-20s %-10s %s%s\n", scheme_info[s].name, target->name, scheme_info[s].meaning,
               target->scheme == s ? " (the target's default)" : "");
    }
    printf("\n--scheme=TARGET:MODE may be said as --target=TARGET --divergence=MODE.\n");
}

static void add(struct command *c, scheme_list *list, enum scheme s)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] == s)
            return;
    vec_push(&c->arena, list, s);
}

void schemes_add_all(struct command *c, scheme_list *list, bool unsound)
{
    for (unsigned s = 0; s < SCHEMES; s++)
        if (unsound || !scheme_has((enum scheme)s, SCHEME_UNSOUND))
            add(c, list, (enum scheme)s);
}

void schemes_add_target(struct command *c, scheme_list *list, enum target target, bool unsound)
{
    for (unsigned s = 0; s < SCHEMES; s++)
        if (scheme_info[s].target == target && (unsound || !scheme_has((enum scheme)s, SCHEME_UNSOUND)))
            add(c, list, (enum scheme)s);
}

int schemes_add(struct command *c, scheme_list *list, const char *name)
{
    enum scheme s = scheme_find(name);
    enum target t = target_find(name);
    if (t < TARGETS) {
        schemes_add_target(c, list, t, false);
        return EXIT_OK;
    }
    if (s == SCHEMES)
        return complain(c, EXIT_USAGE, "there is no scheme '%.60s'; there are %s", name,
                        scheme_names(&c->arena));
    add(c, list, s);
    return EXIT_OK;
}

uint32_t schemes_warp(enum scheme s, uint32_t warp)
{
    return scheme_target(s)->lanes ? scheme_target(s)->lanes : warp;
}

int schemes_take(struct command *c, scheme_list *list)
{
    const char *given = option_value(c, OPTION_SCHEMES);
    int code = EXIT_OK;
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
        code = complain(c, EXIT_USAGE, "--schemes wants at least one of %s", scheme_names(&c->arena));
    return code;
}
