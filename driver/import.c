/* import.c: kernc import: the LLVM IR that clang makes of kernels in other languages. */
#include "driver/clang.h"

static int write_ir(struct command *c, const struct text *text)
{
    return write_output(c, output_name(c, ".ll"), text->at ? text->at : "", text->length);
}

int verb_import(struct command *c)
{
    struct text text = {0};
    int code = take_diagnostics(c) ?: read_input(c, &text) ?: write_ir(c, &text);
    text_free(&text);
    return code;
}
