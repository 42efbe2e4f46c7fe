/* build.c: kernc build: compiles and writes bytecode or a warp-core image, or what --emit asks for. */
#include "driver/driver.h"
#include "lib/result.h"

static const struct form {
    const char *name, *ending;
    kernc_text text;
} forms[] = {
    {"bin", ".kbc", KERNC_TEXT_BYTECODE}, {"asm", ".s", KERNC_TEXT_LISTING}, {"hex", ".hex", KERNC_TEXT_HEX},
    {"map", ".map", KERNC_TEXT_MAP},      {"ir", ".kir", KERNC_TEXT_IR},     {"dot", ".dot", KERNC_TEXT_DOT},
    {"ll", ".ll", KERNC_TEXT_LLVM},
};

static const struct form *chosen_form(struct command *c)
{
    const char *name = option_value(c, OPTION_EMIT);
    if (!name)
        name = option_given(c, OPTION_ASSEMBLY) ? "asm" : "bin";
    for (size_t i = 0; i < COUNT(forms); i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    complain(c, EXIT_USAGE, "--emit=bin, asm, hex, map, ir, ll or dot, not '%s'", name);
    return NULL;
}

const char *output_name(struct command *c, const char *ending)
{
    const char *given = option_value(c, OPTION_OUTPUT);
    if (given || strcmp(c->file, "-") == 0)
        return given ? given : "-";
    const char *slash = strrchr(c->file, '/'), *base = slash ? slash + 1 : c->file;
    const char *dot = strrchr(base, '.');
    int n = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    return arena_printf(&c->arena, "%.*s%s", n, base, ending);
}

static int write_form(struct command *c, const struct form *f, kernc_result *r)
{
    size_t n;
    const char *text = result_text(r, f->text, &n);
    if (!text)
        return fail(c, EXIT_INPUT, "emit", NULL, (place){0}, "%s has no %s to write", c->file, f->name);
    bool image = f->text == KERNC_TEXT_BYTECODE && result_text(r, KERNC_TEXT_MAP, NULL);
    const char *file = output_name(c, image ? ".wcb" : f->ending);
    return write_output(c, file, text, n);
}

int verb_build(struct command *c)
{
    kernc_options o;
    kernc_result *r = NULL;
    struct text text = {0};
    kernc_options_init(&o);
    const struct form *f = chosen_form(c);
    int code = f ? compile_options(c, &o) : EXIT_USAGE;
    o.default_scheme = !option_given(c, OPTION_SCHEME) && !option_given(c, OPTION_TARGET);
    o.ir_only = f && (f->text == KERNC_TEXT_IR || f->text == KERNC_TEXT_DOT || f->text == KERNC_TEXT_LLVM);
    code = code ?: compile_file(c, &o, &text, &r) ?: write_form(c, f, r);
    kernc_result_free(r);
    text_free(&text);
    return code;
}
