/* dis.c: kernc dis: an image as assembly, which kernc asm turns into the same image again. */
#include "backend/format/warpcore/image.h"
#include "driver/driver.h"

static int disassemble(struct command *c, const struct text *bytes)
{
    char why_not[300];
    const char *why = NULL;
    struct text out = {0};
    struct wc_image *m = wc_read(bytes->at, bytes->length, &why);
    if (m)
        why = wc_verify(m, why_not, sizeof why_not);
    if (why) {
        wc_image_free(m);
        return fail(c, EXIT_INPUT, "image", NULL, (place){0}, "cannot disassemble %s: %s", c->file, why);
    }
    wc_disassemble(m, &out);
    const char *file = option_value(c, OPTION_OUTPUT);
    int code = write_output(c, file ? file : "-", out.at, out.length);
    text_free(&out);
    wc_image_free(m);
    return code;
}

int verb_dis(struct command *c)
{
    struct text bytes = {0};
    int code = take_diagnostics(c) ?: read_input(c, &bytes) ?: disassemble(c, &bytes);
    text_free(&bytes);
    return code;
}
