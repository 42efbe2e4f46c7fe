/* asm.c: kernc asm: turns warp-core assembly into an image, a hex file for a board, or a listing. */
#include "backend/format/warpcore/image.h"
#include "driver/driver.h"

struct asm_form {
    const char *name, *ending;
    void (*write)(const struct wc_image *m, const struct source *s, struct text *out);
};

static void write_image(const struct wc_image *m, const struct source *s, struct text *out)
{
    wc_write(m, out);
}

static const struct asm_form forms[] = {
    {"bin", ".wcb", write_image},
    {"hex", ".hex", wc_hex},
    {"asm", ".lst", wc_listing},
};

static const struct asm_form *chosen_form(struct command *c)
{
    const char *name = option_value(c, OPTION_EMIT);
    for (size_t i = 0; i < COUNT(forms); i++)
        if (!name ? i == 0 : strcmp(forms[i].name, name) == 0)
            return &forms[i];
    complain(c, EXIT_USAGE, "--emit=bin, hex or asm, not '%s'", name);
    return NULL;
}

static int write_form(struct command *c, const struct asm_form *f, const struct wc_image *m,
                      const struct source *s)
{
    struct text out = {0};
    const char *file = output_name(c, f->ending);
    f->write(m, s, &out);
    int code = write_output(c, file, out.at, out.length);
    text_free(&out);
    return code;
}

static int assemble(struct command *c, const struct asm_form *f, const struct text *text)
{
    struct diagnostics d;
    uint64_t errors = 0;
    int wrong = option_number(c, OPTION_ERROR_LIMIT, 1, 1000000, &errors);
    if (wrong)
        return wrong;
    const struct source *s = source_new(&c->arena, input_name(c), text->at ? text->at : "", text->length);
    diag_init(&d, &c->arena, s);
    d.error_limit = (uint32_t)errors;
    struct wc_image *m = wc_assemble(s, &d);
    show_messages(c, &d);
    int code = m ? write_form(c, f, m, s) : EXIT_INPUT;
    wc_image_free(m);
    return code;
}

int verb_asm(struct command *c)
{
    struct text text = {0};
    const struct asm_form *f = chosen_form(c);
    int code = f ? take_diagnostics(c) ?: read_input(c, &text) ?: assemble(c, f, &text) : EXIT_USAGE;
    text_free(&text);
    return code;
}
