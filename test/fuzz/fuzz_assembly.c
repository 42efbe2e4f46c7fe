/* fuzz_assembly.c: any bytes as warp-core assembly. What assembles disassembles to a text that assembles to
 * the same image, and runs.
 */
#include "backend/format/warpcore/image.h"
#include "test/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

/* The image's bytes, none if there are errors. */
static struct text assemble(struct arena *a, const char *name, const void *text, size_t size,
                            struct text *assembly)
{
    struct diagnostics d;
    struct text file = {0}, messages = {0};
    const struct source *s = source_new(a, name, text, size);
    diag_init(&d, a, s);
    struct wc_image *m = wc_assemble(s, &d);
    diag_text(&d, &messages, false);
    if (m) {
        wc_write(m, &file);
        wc_disassemble(m, assembly);
    }
    wc_image_free(m);
    text_free(&messages);
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct text assembly = {0}, second_assembly = {0};
    struct text first = assemble(&a, "fuzz.s", data, size, &assembly);
    if (first.length) {
        struct text second = assemble(&a, "again.s", assembly.at, assembly.length, &second_assembly);
        if (second.length != first.length || memcmp(first.at, second.at, first.length) != 0) {
            fprintf(stderr, "disassembled and assembled again, the image differs:\n%s\n", assembly.at);
            abort();
        }
        fuzz_run_program(first.at, first.length, WC_LANES);
        text_free(&second);
    }
    text_free(&first);
    text_free(&assembly);
    text_free(&second_assembly);
    arena_free(&a);
    return 0;
}
