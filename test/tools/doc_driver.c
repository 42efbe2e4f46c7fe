/* doc_driver.c: the tables of docs/command-line.md. */
#include "driver/driver.h"
#include "opt/opt.h"
#include "test/tools/doc_tables.h"

#include <stdio.h>

static const char *spelling(const struct option_info *o, struct arena *a)
{
    const char *argument = *o->argument == '=' && !*o->name ? o->argument + 1 : o->argument;
    if (!*o->name)
        return arena_printf(a, "`-%c%s`", o->letter, argument);
    return o->letter ? arena_printf(a, "`-%c`, `--%s%s`", o->letter, o->name, argument)
                     : arena_printf(a, "`--%s%s`", o->name, argument);
}

static const char *verbs_of(uint32_t set, struct arena *a)
{
    const char *names = "";
    for (size_t i = 0; i < VERBS; i++)
        if (verb_in(&verbs[i], set))
            names = arena_printf(a, "%s%s%s", names, *names ? " " : "", verbs[i].name);
    return names;
}

void doc_driver_options(struct text *out)
{
    struct arena a = {0};
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (row->id == OPTIONS) {
            text_printf(out, "%s### %s\n\n", i ? "\n" : "", row->title);
            doc_heading(out, "option", "verbs", "", NULL);
        } else {
            const struct option_info *o = &option_info[row->id];
            doc_row(out, spelling(o, &a), verbs_of(o->verbs, &a), o->help, NULL);
        }
    }
    arena_free(&a);
}

void doc_driver_verbs(struct text *out)
{
    struct arena a = {0};
    doc_heading(out, "verb", "does", NULL);
    for (size_t i = 0; i < VERBS; i++)
        doc_row(out, arena_printf(&a, "`%s`", verbs[i].name), verbs[i].help, NULL);
    arena_free(&a);
}

void doc_driver_kinds(struct text *out)
{
    struct arena a = {0};
    doc_heading(out, "a file that holds", "is for", "and otherwise", NULL);
#define KIND(id, ending, text, verbs, way) doc_row(out, text, verbs_of(verbs, &a), way, NULL);
#include "driver/kinds.def"
    arena_free(&a);
}

void doc_driver_exits(struct text *out)
{
    char code[8];
    doc_heading(out, "code", "means", NULL);
    for (size_t i = 0; i < exit_count; i++) {
        snprintf(code, sizeof code, "%d", exit_info[i].code);
        doc_row(out, code, exit_info[i].meaning, NULL);
    }
}

void doc_driver_files(struct text *out)
{
    doc_heading(out, "ending", "content", NULL);
#define ENCODING(ending, id, meaning) doc_row(out, *(ending) ? "`" ending "`" : "none", meaning, NULL);
#include "launch/files.def"
}

void doc_driver_limits(struct text *out)
{
    char value[32], most[32], name[64];
    doc_heading(out, "limit", "default", "at most", "counts", NULL);
    for (size_t i = 0; i < limit_row_count; i++) {
        const struct limit_row *l = &limit_rows[i];
        snprintf(name, sizeof name, "`%s`", l->name);
        doc_row(out, name, limit_value(l, value), limit_most(l, most), l->meaning, NULL);
    }
}

/* A row for each word of a choice, below the option's. */
static void word_rows(struct text *out, enum opt_option k, struct arena *a)
{
    for (unsigned w = 0; w < OPT_WORDS; w++)
        if (opt_word_info[w].option == k)
            doc_row(out, "", arena_printf(a, "`%s`", opt_word_info[w].name), "", opt_word_info[w].meaning,
                    NULL);
}

void doc_driver_pass_options(struct text *out)
{
    struct arena a = {0};
    char value[OPT_NAME_MAX];
    doc_heading(out, "option", "values", "default", "says", NULL);
    for (unsigned k = 0; k < OPT_OPTIONS; k++) {
        doc_row(out, arena_printf(&a, "`%s`", opt_option_usage(k, &a)), opt_option_values(k, &a),
                opt_option_default(k, value), opt_option_info[k].meaning, NULL);
        word_rows(out, k, &a);
    }
    arena_free(&a);
}

void doc_driver_metrics(struct text *out)
{
    doc_heading(out, "key", "is", NULL);
#define METRIC(key, type, meaning) doc_row(out, "`" #key "`", meaning, NULL);
#include "include/kernc-metrics.def"
}

void doc_driver_classes(struct text *out)
{
    doc_heading(out, "class", "instructions", NULL);
#define CLASS(key, meaning) doc_row(out, "`" #key "`", meaning, NULL);
#include "runtime/classes.def"
}

void doc_driver_figures(struct text *out)
{
    doc_heading(out, "key", "in the table", "is", NULL);
#define FIGURE(key, type, heading, meaning) doc_row(out, "`" #key "`", heading, meaning, NULL);
#include "include/kernc-figures.def"
}
