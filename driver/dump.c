/* dump.c: kernc dump: the IR after the passes, around each of them, its analyses, or the syntax tree. */
#include "driver/driver.h"
#include "lib/result.h"

/* What the passes print is kept, so that the output file is written whole. */
static void keep(void *data, const char *text, size_t n)
{
    text_add(data, text, n);
}

/* --form: a number of enum kernc_analysis_form, or -1. */
static int analysis_form(const char *name)
{
    static const char *const names[] = {"text", "dot", "ir"};
    for (int i = 0; i < (int)COUNT(names); i++)
        if (!name || strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

static void add_switch(struct command *c, kernc_options *o, const char *name)
{
    const char **all = arena_array(&c->arena, const char *, o->switch_count + 1);
    if (o->switch_count)
        memcpy(all, o->switches, o->switch_count * sizeof *all);
    all[o->switch_count++] = name;
    o->switches = all;
}

/* Filters of what nobody has asked for. */
static int check_filters(struct command *c)
{
    static const enum option_id filters[] = {OPTION_FILTER_FUNCTIONS, OPTION_FILTER_PASSES},
                                printing[] = {OPTION_PRINT_BEFORE,  OPTION_PRINT_BEFORE_ALL,
                                              OPTION_PRINT_AFTER,   OPTION_PRINT_AFTER_ALL,
                                              OPTION_PRINT_CHANGED, OPTION_DUMP_DIR};
    for (size_t i = 0; i < COUNT(printing); i++)
        if (option_given(c, printing[i]))
            return EXIT_OK;
    for (size_t i = 0; i < COUNT(filters); i++)
        if (option_given(c, filters[i]))
            return complain(c, EXIT_USAGE,
                            "--%s chooses among what --print-before, --print-after, --print-changed or "
                            "--dump-dir shows: give one of them too",
                            option_info[filters[i]].name);
    return EXIT_OK;
}

static int dump_options(struct command *c, kernc_options *o, struct text *printed)
{
    const char *changed = option_value(c, OPTION_PRINT_CHANGED);
    if (changed && *changed && strcmp(changed, "diff") != 0)
        return complain(c, EXIT_USAGE, "--print-changed or --print-changed=diff, not '%s'", changed);
    o->print_changed = !changed ? KERNC_CHANGED_OFF : *changed ? KERNC_CHANGED_DIFF : KERNC_CHANGED_ON;
    o->print_before = option_value(c, OPTION_PRINT_BEFORE);
    o->print_before_all = option_given(c, OPTION_PRINT_BEFORE_ALL);
    o->print_after = option_value(c, OPTION_PRINT_AFTER);
    o->print_after_all = option_given(c, OPTION_PRINT_AFTER_ALL);
    o->analyses = option_value(c, OPTION_ANALYSIS);
    o->analysis_form = analysis_form(option_value(c, OPTION_FORM));
    if (o->analysis_form < 0)
        return complain(c, EXIT_USAGE, "--form=text, dot or ir, not '%s'", option_value(c, OPTION_FORM));
    o->filter_passes = option_value(c, OPTION_FILTER_PASSES);
    o->filter_functions = option_value(c, OPTION_FILTER_FUNCTIONS);
    o->dump_dir = option_value(c, OPTION_DUMP_DIR);
    o->divergence = !option_given(c, OPTION_NO_DIVERGENCE);
    o->tree_only = option_given(c, OPTION_AST);
    o->ir_only = true;
    o->print = keep;
    o->print_data = printed;
    int code = check_filters(c) ?: compile_options(c, o);
    if (code == 0 && option_given(c, OPTION_CSC_TABLE))
        add_switch(c, o, "csc-table");
    if (code == 0 && option_given(c, OPTION_BARRIER_STAGES))
        add_switch(c, o, "barrier-stages");
    return code;
}

static kernc_text wanted_text(const struct command *c)
{
    const char *remarks = option_value(c, OPTION_REMARKS);
    if (option_given(c, OPTION_AST))
        return KERNC_TEXT_TREE;
    if (option_given(c, OPTION_ANALYSIS))
        return KERNC_TEXT_ANALYSES;
    return !remarks ? KERNC_TEXT_IR : *remarks ? KERNC_TEXT_REMARKS_JSON : KERNC_TEXT_REMARKS;
}

static bool printed_around_passes(const struct command *c)
{
    return option_given(c, OPTION_PRINT_BEFORE) || option_given(c, OPTION_PRINT_BEFORE_ALL) ||
           option_given(c, OPTION_PRINT_AFTER) || option_given(c, OPTION_PRINT_AFTER_ALL) ||
           option_given(c, OPTION_PRINT_CHANGED) || option_given(c, OPTION_CSC_TABLE);
}

/* The final module is shown if nothing was asked for around the passes. */
static int write_dump(struct command *c, kernc_result *r, struct text *printed)
{
    size_t n = 0;
    kernc_text what = wanted_text(c);
    const char *text = result_text(r, what, &n);
    if (!text)
        return fail(c, EXIT_INPUT, "dump", NULL, (place){0},
                    "%s is IR, which has no syntax tree: kernc dump shows it without --ast", input_name(c));
    if (what != KERNC_TEXT_IR || !printed_around_passes(c))
        text_add(printed, text, n);
    const char *file = option_value(c, OPTION_OUTPUT);
    return write_output(c, file ? file : "-", printed->at, printed->length);
}

int verb_dump(struct command *c)
{
    kernc_options o;
    kernc_result *r = NULL;
    struct text text = {0}, printed = {0};
    kernc_options_init(&o);
    int code = dump_options(c, &o, &printed) ?: compile_file(c, &o, &text, &r) ?: write_dump(c, r, &printed);
    kernc_result_free(r);
    text_free(&text);
    text_free(&printed);
    return code;
}
