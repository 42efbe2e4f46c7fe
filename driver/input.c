/* input.c: reading and compiling the file that a verb works on. */
#include "driver/clang.h"
#include "lib/result.h"

#include <stdio.h>
#include <stdlib.h>

const char *input_name(const struct command *c)
{
    return strcmp(c->file, "-") == 0 ? "<stdin>" : c->file;
}

const char *const *option_values(struct command *c, enum option_id id, size_t *n)
{
    VEC(const char *) values = {0};
    for (uint32_t i = 0; i < c->given.count; i++)
        if (c->given.at[i].id == id)
            vec_push(&c->arena, &values, c->given.at[i].value);
    *n = values.count;
    return values.at;
}

static int take_level(struct command *c, kernc_options *o)
{
    const char *level = option_value(c, OPTION_LEVEL);
    if (!level)
        return EXIT_OK;
    if (strlen(level) != 1 || !strchr("012", *level))
        return complain(c, EXIT_USAGE, "there is no -O%s; there are -O0, -O1 and -O2", level);
    o->level = (unsigned)(*level - '0');
    return EXIT_OK;
}

static int take_preprocessor(struct command *c)
{
    static const enum option_id others[] = {OPTION_UNDEFINE, OPTION_INCLUDE};
    for (size_t i = 0; i < COUNT(others); i++)
        if (option_given(c, others[i]) && !option_given(c, OPTION_CPP) && !clang_reads(c))
            return complain(c, EXIT_USAGE, "-%c is for the preprocessor: give -cpp as well",
                            option_info[others[i]].letter);
    return EXIT_OK;
}

static int take_remarks(struct command *c)
{
    const char *form = option_value(c, OPTION_REMARKS);
    if (form && *form && strcmp(form, "json") != 0)
        return complain(c, EXIT_USAGE, "--remarks or --remarks=json, not '%s'", form);
    return EXIT_OK;
}

int take_diagnostics(struct command *c)
{
    const char *form = option_value(c, OPTION_DIAGNOSTICS);
    c->json = form && strcmp(form, "json") == 0;
    if (form && !c->json && strcmp(form, "text") != 0)
        return complain(c, EXIT_USAGE, "--diagnostics=text or --diagnostics=json, not '%s'", form);
    return EXIT_OK;
}

/* --target and --divergence come down to a scheme. */
static int take_target(struct command *c, kernc_options *o)
{
    const char *target = option_value(c, OPTION_TARGET), *mode = option_value(c, OPTION_DIVERGENCE);
    enum target t = target ? target_find(target) : TARGET_bytecode;
    if (t == TARGETS)
        return complain(c, EXIT_USAGE, "there is no target '%s'; there are bytecode and warp-core", target);
    if (c->verb->id == VERB_COMPARE)
        return EXIT_OK;
    if (mode && t == TARGET_bytecode)
        return complain(c, EXIT_USAGE, "--divergence is for --target=warp-core");
    if (t == TARGET_bytecode)
        return EXIT_OK;
    if (option_given(c, OPTION_SCHEME))
        return complain(c, EXIT_USAGE, "--scheme is for the bytecode; --target=%s has --divergence", target);
    o->scheme =
        mode ? arena_printf(&c->arena, "%s:%s", target, mode) : scheme_info[target_info[t].scheme].name;
    return EXIT_OK;
}

/* The text is the command's. */
static int take_profile(struct command *c, kernc_options *o)
{
    const char *file = option_value(c, OPTION_PROFILE_USE);
    struct text text = {.arena = &c->arena};
    const char *problem = file ? file_read(file, PROFILE_LIMIT, &text) : NULL;
    if (problem)
        return fail(c, EXIT_INPUT, "input", NULL, (place){0}, "cannot read the profile %s: %s", file,
                    problem);
    o->profile = text.at || !file ? text.at : "";
    o->profile_length = text.length;
    o->profile_name = file;
    return EXIT_OK;
}

int compile_options(struct command *c, kernc_options *o)
{
    uint64_t errors = 0, limit = UINT64_MAX, warp = o->warp;
    const struct option_range numbers[] = {
        {OPTION_ERROR_LIMIT, 1, 1000000, &errors, false},
        {OPTION_BISECT_LIMIT, 0, INT32_MAX, &limit, false},
    };
    int code = take_diagnostics(c) ?: take_level(c, o) ?: take_remarks(c) ?: take_preprocessor(c);
    code = code ?: option_numbers(c, numbers, COUNT(numbers)) ?: option_warp(c, &warp, NULL);
    o->warp = (unsigned)warp;
    o->error_limit = (unsigned)errors;
    o->bisect_limit = limit == UINT64_MAX ? -1 : (long)limit;
    o->switches = option_values(c, OPTION_SWITCH, &o->switch_count);
    o->warnings = option_values(c, OPTION_WARNING, &o->warning_count);
    if (!option_given(c, OPTION_CPP) && !clang_reads(c))
        o->defines = option_values(c, OPTION_DEFINE, &o->define_count);
    o->limits = limits_of_compiler(c, &o->limit_count);
    o->arguments = option_values(c, OPTION_ARG, &o->argument_count);
    o->no_warnings = option_given(c, OPTION_QUIET);
    o->verify_each = option_given(c, OPTION_VERIFY_EACH);
    o->passes = option_value(c, OPTION_PASSES);
    o->checks = option_value(c, OPTION_CHECK);
    if (option_given(c, OPTION_SCHEME))
        o->scheme = option_value(c, OPTION_SCHEME);
    code = code ?: take_target(c, o) ?: take_profile(c, o);
    o->collect = option_given(c, OPTION_TIME_PASSES) || option_given(c, OPTION_REMARKS) ||
                 option_given(c, OPTION_PASS_STATS);
    return code;
}

static void show_text(kernc_result *r, kernc_text what)
{
    const char *text = result_text(r, what, NULL);
    if (text)
        show_note(text);
}

/* What was collected about the passes, on standard error. dump shows remarks itself. */
static void show_collected(const struct command *c, kernc_result *r)
{
    const char *remarks = option_value(c, OPTION_REMARKS);
    if (remarks && c->verb->id != VERB_DUMP)
        show_text(r, *remarks ? KERNC_TEXT_REMARKS_JSON : KERNC_TEXT_REMARKS);
    if (option_given(c, OPTION_PASS_STATS))
        show_text(r, KERNC_TEXT_STATS);
    if (option_given(c, OPTION_TIME_PASSES))
        show_text(r, KERNC_TEXT_TIMES);
}

int read_input(struct command *c, struct text *text)
{
    if (option_given(c, OPTION_CPP))
        return preprocess(c, text);
    if (clang_reads(c))
        return clang_translate(c, text);
    const char *problem = file_read(c->file, INPUT_LIMIT, text);
    if (problem)
        return fail(c, EXIT_INPUT, "input", NULL, (place){0}, "cannot read %s: %s", c->file, problem);
    return check_kind(c, text);
}

int compile_file(struct command *c, const kernc_options *o, struct text *text, kernc_result **r)
{
    int code = read_input(c, text);
    return code ? code : compile_input(c, o, text, r);
}

kernc_result *compile_text(struct command *c, const kernc_options *o, const struct text *text)
{
    kernc_options own = *o;
    own.origin = c->origin.at;
    own.origin_length = c->origin.length;
    if (c->is_llvm)
        own.input = KERNC_INPUT_LLVM;
    kernc_result *r = kernc_compile(input_name(c), text->at ? text->at : "", text->length, &own);
    if (!r || kernc_result_status(r) == KERNC_COMPILE_NO_MEMORY)
        mem_fail(text->length);
    return r;
}

int compile_input(struct command *c, const kernc_options *o, const struct text *text, kernc_result **r)
{
    *r = compile_text(c, o, text);
    show_diagnostics(c, *r);
    show_collected(c, *r);
    int code = exit_of_compilation(kernc_result_status(*r));
    if (code) {
        kernc_result_free(*r);
        *r = NULL;
    }
    return code;
}
