/* limits.c: the table of all limits, and --limit=NAME=N, which is one spelling for all that can be changed;
 * and what -fhelp shows. */
#include "ir/limits.h"
#include "backend/format/bytecode/program.h"
#include "backend/format/warpcore/image.h"
#include "base/conversion.h"
#include "base/nearest.h"
#include "driver/launch.h"
#include "lib/experiment.h"
#include "opt/opt.h"

#include <inttypes.h>
#include <stdio.h>

const struct limit_row limit_rows[] = {
#define LIMIT(name, value, most, meaning) {#name, value, most, OPTIONS, meaning},
#include "frontend/limits.def"
#define LIMIT(name, value, most, meaning) {#name, value, most, OPTIONS, meaning},
#include "opt/limits.def"
#define OWN(name, option, value, most, meaning) {#name, value, most, OPTION_##option, meaning},
#include "driver/limits.def"
#define FIXED(name, value, meaning) {#name, value, 0, OPTIONS, meaning},
#include "driver/limits.def"
#define LIMIT(name, value, what) {#name, value, 0, OPTIONS, what},
#include "ir/limits.def"
#define LIMIT(name, of) {#name, name, 0, OPTIONS, of},
#include "backend/bytecode/limits.def"
#define LIMIT(name, of) {#name, name, 0, OPTIONS, of},
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

int limit_take(struct command *c, struct given *g)
{
    size_t n = strcspn(g->value, "=");
    for (size_t i = 0; g->value[n] && i < limit_row_count; i++) {
        const struct limit_row *l = &limit_rows[i];
        if (strlen(l->name) != n || memcmp(l->name, g->value, n) != 0)
            continue;
        if (l->most == 0)
            return complain(c, EXIT_USAGE, "the limit '%s' is fixed", l->name);
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
