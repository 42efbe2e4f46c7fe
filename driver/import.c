/* import.c: kernc import: the LLVM IR that clang makes of kernels in other languages, or the IR that
 * becomes of it. */
#include "driver/clang.h"
#include "lib/result.h"

static bool ends_in(const char *name, const char *ending)
{
    size_t n = strlen(name), e = strlen(ending);
    return n >= e && strcmp(name + n - e, ending) == 0;
}

/* Before all passes. */
static int write_ir(struct command *c, const char *file, const struct text *text)
{
    kernc_options o;
    kernc_result *r = NULL;
    size_t n = 0;
    kernc_options_init(&o);
    int code = compile_options(c, &o);
    o.passes = "";
    o.ir_only = true;
    code = code ?: compile_input(c, &o, text, &r);
    const char *ir = code ? NULL : result_text(r, KERNC_TEXT_IR, &n);
    code = code ?: write_output(c, file, ir ? ir : "", n);
    kernc_result_free(r);
    return code;
}

int verb_import(struct command *c)
{
    struct text text = {0};
    const char *file = output_name(c, ".ll");
    int code = take_diagnostics(c) ?: read_input(c, &text);
    if (!code && ends_in(file, ".kir"))
        code = write_ir(c, file, &text);
    else if (!code)
        code = write_output(c, file, text.at ? text.at : "", text.length);
    text_free(&text);
    return code;
}
