/* fuzz_image.c: any bytes as the body of a warp-core image: refused, or printed and run without harm. The
 * header with its checksum is made here, so that the fuzzer gets past it.
 */
#include "backend/format/warpcore/image.h"
#include "test/fuzz/fuzz.h"

/* What passes the verifier prints. */
static void print(const struct text *file)
{
    const char *why;
    char reason[300];
    struct text shown = {0};
    struct wc_image *m = wc_read(file->at, file->length, &why);
    if (m && !wc_verify(m, reason, sizeof reason)) {
        wc_disassemble(m, &shown);
        wc_listing(m, NULL, &shown);
        wc_hex(m, NULL, &shown);
    }
    text_free(&shown);
    wc_image_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text t = {0};
    wc_seal(data, size, &t);
    print(&t);
    fuzz_run_program(t.at, t.length, WC_LANES);
    text_free(&t);
    return 0;
}
