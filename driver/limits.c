/* limits.c: the table of all limits, and --limit=NAME=N, which is one spelling for all that can be changed;
 * and what -fhelp shows. */
#include "ir/limits.h"
#include "backend/format/bytecode/program.h"
#include "backend/format/warpcore/image.h"
#include "base/conversion.h"
#include "base/nearest.h"
#include "driver/goals.h"
#include "driver/launch.h"
#include "lib/execution.h"
#include "opt/opt.h"

#include <inttypes.h>
#include <stdio.h>

const struct limit_row limit_rows[] = {
#define LIMIT(name, value, most, meaning) {#name, value, most, OPTIONS, meaning, 0, 1},
#include "frontend/limits.def"
#define LIMIT(name, value, most, meaning) {#name, value, most, OPTIONS, meaning, 0, 1},
#include "opt/limits.def"
#define OWN(name, option, value, most, meaning) {#name, value, most, OPTION_##option, meaning, 0, 1},
#include "driver/limits.def"
#define VERBS_OWN(name, verbs, value, least, most, meaning)                                                  \
    {#name, value, most, OPTIONS, meaning, verbs, least},
#include "driver/limits.def"
#define FIXED(name, value, meaning) {#name, value, 0, OPTIONS, meaning, 0, 0},
#include "driver/limits.def"
#define LIMIT(name, value, what) {#name, value, 0, OPTIONS, what, 0, 0},
#include "ir/limits.def"
#define LIMIT(name, value, what) {#name, value, 0, OPTIONS, what, 0, 0},
#include "import/limits.def"
#define LIMIT(name, of) {#name, name, 0, OPTIONS, of, 0, 0},
#include "backend/bytecode/limits.def"
#define LIMIT(name, of) {#name, name, 0, OPTIONS, of, 0, 0},
#include "backend/warpcore/limits.def"
};
_Static_assert((int)IR_MAX_BLOCK_THREADS == (int)KERNC_MAX_BLOCK_THREADS, "ranges of threads' numbers");
_Static_assert((int)IR_MAX_GRID_BLOCKS == (int)KERNC_MAX_GRID_BLOCKS, "blocks of a grid, from anywhere");
const size_t limit_row_count = COUNT(limit_rows);

const char *limit_value(const struct limit_row *l, char buffer[32])
{
    snprintf(buffer, 32, "%" PRIu64, l->value);
    return l->value ? buffer : "cores";
}

const char *limit_most(const struct limit_row *l, char buffer[32])
{
    snprintf(buffer, 32, "%" PRIu64, l->most);
    return l->most == UINT64_MAX ? "any" : l->most ? buffer : "fixed";
}

void limits_help(void)
{
    char value[32], most[32];
    printf("%-20s %14s %10s  %s\n", "limit", "default", "at most", "counts");
    for (size_t i = 0; i < limit_row_count; i++)
        printf("%-20s %14s %10s  %s\n", limit_rows[i].name, limit_value(&limit_rows[i], value),
               limit_most(&limit_rows[i], most), limit_rows[i].meaning);
    printf("\n--limit=NAME=N changes one that is not fixed.\n");
}

bool limits_asked(const struct command *c)
{
    const char *text = option_value(c, OPTION_LIMIT);
    return text && strcmp(text, "help") == 0;
}

void switches_help(void)
{
    struct text t = {0};
    opt_options_text(&t);
    fwrite(t.at, 1, t.length, stdout);
    text_free(&t);
}

bool switches_asked(const struct command *c)
{
    const char *text = option_value(c, OPTION_SWITCH);
    return text && strcmp(text, "help") == 0;
}

static int refuse_limit(struct command *c, const char *text, size_t n)
{
    const char *name = arena_strdup(&c->arena, text, n);
    struct nearest near = nearest_to(name);
    for (size_t i = 0; i < limit_row_count; i++)
        nearest_consider(&near, limit_rows[i].name);
    if (!text[n] && nearest_name(&near) && strcmp(nearest_name(&near), name) == 0)
        return complain(c, EXIT_USAGE, "--limit=%s wants a value: --limit=%s=N", name, name);
    if (nearest_name(&near))
        return complain(c, EXIT_USAGE, "there is no limit '%s'; did you mean '%s'? --limit=help lists them",
                        name, nearest_name(&near));
    return complain(c, EXIT_USAGE, "there is no limit '%s'; --limit=help lists them", name);
}

static const uint64_t own_values[LIMITS] = {
#define VERBS_OWN(name, verbs, value, least, most, meaning) value,
#include "driver/limits.def"
};
static const char *const own_names[LIMITS] = {
#define VERBS_OWN(name, verbs, value, least, most, meaning) #name,
#include "driver/limits.def"
};

/* What stands behind "NAME=" in the text; NULL: another name does. */
static const char *value_behind(const char *text, const char *name)
{
    size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && text[n] == '=' ? text + n + 1 : NULL;
}

uint64_t limit_own(const struct command *c, enum limit_id l)
{
    uint64_t n = own_values[l];
    for (uint32_t i = 0; i < c->given.count; i++) {
        const char *value =
            c->given.at[i].id == OPTION_LIMIT ? value_behind(c->given.at[i].value, own_names[l]) : NULL;
        if (value)
            scan_number(&value, &n);
    }
    return n;
}

const char *const *limits_of_compiler(struct command *c, size_t *n)
{
    size_t all, kept = 0;
    const char *const *given = option_values(c, OPTION_LIMIT, &all);
    const char **own = arena_array(&c->arena, const char *, all + 1);
    for (size_t i = 0; i < all; i++) {
        bool of_verb = false;
        for (unsigned l = 0; l < LIMITS; l++)
            of_verb |= value_behind(given[i], own_names[l]) != NULL;
        if (!of_verb)
            own[kept++] = given[i];
    }
    *n = kept;
    return own;
}

static int check_own(struct command *c, const struct limit_row *l, const char *value)
{
    const char *at = value;
    uint64_t n;
    if (!verb_in(c->verb, l->verbs))
        return complain(c, EXIT_USAGE, "%s has no limit '%s'", c->verb->name, l->name);
    if (!scan_number(&at, &n) || *at || n < l->least || n > l->most)
        return complain(c, EXIT_USAGE, "limit '%s' is a number from %" PRIu64 " to %" PRIu64 ", not '%s'",
                        l->name, l->least, l->most, value);
    return EXIT_OK;
}

int limit_take(struct command *c, struct given *g)
{
    size_t n = strcspn(g->value, "=");
    for (size_t i = 0; g->value[n] && i < limit_row_count; i++) {
        const struct limit_row *l = &limit_rows[i];
        if (strlen(l->name) != n || memcmp(l->name, g->value, n) != 0)
            continue;
        if (l->most == 0)
            return complain(c, EXIT_USAGE, "the limit '%s' is fixed", l->name);
        if (l->verbs)
            return check_own(c, l, g->value + n + 1);
        if (l->option == OPTIONS)
            return EXIT_OK;
        if (!verb_in(c->verb, option_info[l->option].verbs))
            return complain(c, EXIT_USAGE, "%s has no limit '%s'", c->verb->name, l->name);
        *g = (struct given){l->option, g->value + n + 1};
        return EXIT_OK;
    }
    if (strcmp(g->value, "help") == 0)
        return EXIT_OK;
    return refuse_limit(c, g->value, n);
}
