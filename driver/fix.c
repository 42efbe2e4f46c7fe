/* fix.c: kernc fix: applies the fix-its of a source's messages to a copy of it, and of what then is said
 * of the copy,
 * until none is left.
 *
 * The file itself is changed where --in-place asks for it; whatever is written is written whole or not at all.
 */
#include "driver/driver.h"
#include "lib/result.h"

struct fixing {
    struct command *c;
    kernc_options options;
    struct text source; /* as far as it has been mended */
    struct text done;   /* a line for each fix-it */
    uint32_t count, rounds;
};

static void note_fixes(struct fixing *f, const kernc_result *r, const u32_vec *applied)
{
    for (uint32_t i = 0; i < applied->count; i++) {
        const struct diagnostic *g = &r->diagnostics.all.at[applied->at[i]];
        text_printf(&f->done, "%s:%u:%u: fixed: ", input_name(f->c), g->where.at.line, g->where.at.column);
        text_visible_line(&f->done, g->text, strlen(g->text));
        text_char(&f->done, '\n');
    }
    f->count += applied->count;
}

static kernc_result *compile(struct fixing *f, const char *name)
{
    kernc_result *r = kernc_compile(name, f->source.at, f->source.length, &f->options);
    if (!r || kernc_result_status(r) == KERNC_COMPILE_NO_MEMORY) {
        kernc_result_free(r);
        mem_fail(f->source.length);
    }
    return r;
}

/* One round over the text; false: nothing is left to be mended. */
static bool mend(struct fixing *f)
{
    kernc_result *r = compile(f, input_name(f->c));
    struct text mended = {.arena = &f->c->arena};
    u32_vec applied = {0};
    if (kernc_result_status(r) == KERNC_BAD_SOURCE || r->diagnostics.warnings)
        diag_apply_fixes(&r->diagnostics, &mended, &applied);
    bool changes = applied.count &&
                   (mended.length != f->source.length || memcmp(mended.at, f->source.at, mended.length) != 0);
    if (changes) {
        note_fixes(f, r, &applied);
        f->source = mended;
        f->rounds++;
    }
    kernc_result_free(r);
    return changes;
}

static const char *output_of(struct command *c)
{
    if (option_given(c, OPTION_IN_PLACE))
        return c->file;
    return output_name(c, ".fixed.kern");
}

/* What is still said of it, under its new name. */
static int show_rest(struct fixing *f, const char *name)
{
    kernc_result *r = compile(f, name);
    unsigned errors = kernc_result_errors(r);
    kernc_compile_status status = kernc_result_status(r);
    show_diagnostics(f->c, r);
    kernc_result_free(r);
    if (!f->c->json)
        show_note(arena_printf(&f->c->arena, "%s: %u fixed in %u round%s, %u error%s left\n", name, f->count,
                               f->rounds, f->rounds == 1 ? "" : "s", errors, errors == 1 ? "" : "s"));
    return exit_of_compilation(status);
}

static int fix(struct fixing *f)
{
    struct command *c = f->c;
    const char *file = output_of(c);
    bool in_place = option_given(c, OPTION_IN_PLACE), is_stream = strcmp(c->file, "-") == 0;
    if (in_place && (is_stream || option_given(c, OPTION_OUTPUT)))
        return complain(c, EXIT_USAGE,
                        is_stream ? "standard input cannot be changed in place"
                                  : "--in-place changes the file itself, -o writes a copy");
    if (!in_place && !is_stream && strcmp(file, c->file) == 0)
        return fail(c, EXIT_INPUT, "output", NULL, (place){0},
                    "%s would overwrite the input: --in-place does that", file);
    uint64_t most = FIX_ROUNDS;
    int code = option_number(c, OPTION_FIX_ROUNDS, 1, UINT32_MAX, &most);
    if (code)
        return code;
    while (f->rounds < most && mend(f))
        continue;
    if (f->done.length && !c->json)
        show_note(f->done.at);
    if (!in_place || f->count)
        code = write_output(c, file, f->source.at, f->source.length);
    int rest = code ? code : show_rest(f, strcmp(file, "-") == 0 ? input_name(c) : file);
    return rest;
}

int verb_fix(struct command *c)
{
    struct fixing f = {.c = c, .source = {.arena = &c->arena}, .done = {.arena = &c->arena}};
    kernc_options_init(&f.options);
    int code = compile_options(c, &f.options);
    f.options.input = KERNC_INPUT_SOURCE;
    f.options.level = 0;
    f.options.ir_only = true;
    f.options.error_limit = UINT32_MAX;
    if (!code)
        code = read_input(c, &f.source);
    return code ? code : fix(&f);
}
