/* values.c: the names that options take: what --OPTION=help lists and shells complete. */
#include "backend/backend.h"
#include "base/checks.h"
#include "driver/driver.h"
#include "driver/metrics.h"
#include "ir/views/views.h"
#include "opt/opt.h"

#include <stdio.h>

typedef void add_names(struct value_names *v);

static void add(struct value_names *v, const char *name, const char *meaning)
{
    vec_push(&v->arena, &v->rows, ((struct value_name){name, meaning}));
}

static void add_schemes(struct value_names *v)
{
    for (unsigned s = 0; s < SCHEMES; s++)
        add(v, scheme_info[s].name, scheme_info[s].meaning);
}

static void add_targets(struct value_names *v)
{
    for (unsigned t = 0; t < TARGETS; t++)
        add(v, target_info[t].name, target_info[t].meaning);
}

/* What stands behind "warp-core:". */
static void add_modes(struct value_names *v)
{
    for (unsigned s = 0; s < SCHEMES; s++)
        if (strchr(scheme_info[s].name, ':'))
            add(v, strchr(scheme_info[s].name, ':') + 1, scheme_info[s].meaning);
}

static void add_passes(struct value_names *v)
{
    for (unsigned i = 0; i < OPT_PASSES; i++)
        add(v, opt_pass_info[i].name, opt_pass_info[i].meaning);
}

/* Also the steps of the warp-core target. */
static void add_steps(struct value_names *v)
{
    add_passes(v);
    for (unsigned i = 0; i < WC_STEPS; i++)
        add(v, wc_step_info[i].name, wc_step_info[i].meaning);
}

static void add_analyses(struct value_names *v)
{
    for (unsigned i = 0; i < IR_VIEWS; i++)
        add(v, ir_view_info[i].text, ir_view_info[i].meaning);
}

static void add_groups(struct value_names *v)
{
    for (unsigned g = DIAG_GROUP_none + 1; g < DIAG_GROUPS; g++)
        add(v, diag_group_info[g].name, diag_group_info[g].meaning);
    add(v, "all", "all groups");
    add(v, "error", "warnings are errors");
    for (unsigned g = DIAG_GROUP_none + 1; g < DIAG_GROUPS; g++)
        add(v, arena_printf(&v->arena, "no-%s", diag_group_info[g].name), NULL);
}

static void add_rows_of_checks(struct value_names *v, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        add(v, check_info[i].name, check_info[i].meaning);
}

static void add_checks(struct value_names *v)
{
    add_rows_of_checks(v, CHECKS);
}

static void add_mistakes(struct value_names *v)
{
    add_rows_of_checks(v, CHECK_ALL);
}

static void add_schedules(struct value_names *v)
{
    for (unsigned i = 0; i < SCHEDULES; i++)
        add(v, schedule_names[i], NULL);
}

static void add_metrics(struct value_names *v)
{
    const char *at = metrics_keys(&v->arena);
    while (*at) {
        size_t n = strcspn(at, ", ");
        add(v, arena_strdup(&v->arena, at, n), NULL);
        at += n + strspn(at + n, ", ");
    }
}

static void add_limits(struct value_names *v)
{
    for (size_t i = 0; i < limit_row_count; i++)
        add(v, arena_printf(&v->arena, "%s=", limit_rows[i].name), limit_rows[i].meaning);
}

/* words: names that no table has, "a b c". */
static const struct values {
    enum option_id option;
    add_names *names;
    const char *words;
} values[] = {
    {OPTION_DIAGNOSTICS, NULL, "text json"},
    {OPTION_LEVEL, NULL, "0 1 2"},
    {OPTION_WARNING, add_groups, NULL},
    {OPTION_SCHEME, add_schemes, NULL},
    {OPTION_TARGET, add_targets, NULL},
    {OPTION_DIVERGENCE, add_modes, NULL},
    {OPTION_PASSES, add_passes, NULL},
    {OPTION_EMIT, NULL, "bin asm hex map ir dot"},
    {OPTION_EMIT_TEST, NULL, "cl cu glsl ll"},
    {OPTION_ANALYSIS, add_analyses, NULL},
    {OPTION_FORM, NULL, "text dot ir"},
    {OPTION_PRINT_BEFORE, add_steps, NULL},
    {OPTION_PRINT_AFTER, add_steps, NULL},
    {OPTION_PRINT_CHANGED, NULL, "diff"},
    {OPTION_REMARKS, NULL, "json"},
    {OPTION_TIMING, NULL, "help"},
    {OPTION_FILTER_PASSES, add_steps, NULL},
    {OPTION_SCHEDULE, add_schedules, NULL},
    {OPTION_ANCHORS, NULL, "all alone random:SEED"},
    {OPTION_METRIC, add_metrics, NULL},
    {OPTION_LIMIT, add_limits, NULL},
    {OPTION_CHECK, add_checks, NULL},
    {OPTION_PLANT, add_mistakes, NULL},
    {OPTION_CLASS, NULL, "a b c d e f g h"},
    {OPTION_SCHEMES, add_schemes, NULL},
    {OPTION_LEVELS, NULL, "0 1 2"},
};

bool value_names(enum option_id id, struct value_names *v)
{
    *v = (struct value_names){0};
    for (size_t i = 0; i < COUNT(values); i++) {
        if (values[i].option != id)
            continue;
        if (values[i].names)
            values[i].names(v);
        for (const char *at = values[i].words ? values[i].words : ""; *at;) {
            size_t n = strcspn(at, " ");
            add(v, arena_strdup(&v->arena, at, n), NULL);
            at += n + (at[n] == ' ');
        }
        return true;
    }
    return false;
}

/* ---- --OPTION=help ----------------------------------------------------------------------------------- */

/* Options whose help is a table of its own, or where the word means something. */
static bool has_own_help(enum option_id id)
{
    return id == OPTION_SCHEME || id == OPTION_LIMIT || id == OPTION_SWITCH || id == OPTION_TIMING;
}

static const struct given *asked(const struct command *c)
{
    struct value_names v;
    for (uint32_t i = 0; i < c->given.count; i++) {
        const struct given *g = &c->given.at[i];
        if (strcmp(g->value, "help") != 0 || has_own_help(g->id) || !value_names(g->id, &v))
            continue;
        arena_free(&v.arena);
        return g;
    }
    return NULL;
}

bool values_asked(const struct command *c)
{
    return asked(c) != NULL;
}

void values_help(const struct command *c)
{
    struct value_names v;
    value_names(asked(c)->id, &v);
    for (uint32_t i = 0; i < v.rows.count; i++)
        if (v.rows.at[i].meaning)
            printf("%-24s %s\n", v.rows.at[i].name, v.rows.at[i].meaning);
        else
            printf("%s\n", v.rows.at[i].name);
    arena_free(&v.arena);
}
