/* fuzz_source.c: any bytes as Kern source: diagnostics or a program, at every -O level, with the IR verified
 * after each pass; what compiles is run.
 */
#include "kernc.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kernc_options o;
    kernc_options_init(&o);
    o.input = KERNC_INPUT_SOURCE;
    o.verify_each = true;
    for (o.level = 0; o.level <= 2; o.level += 2) {
        kernc_result *r = kernc_compile("fuzz.kern", data, size, &o);
        size_t n;
        const char *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
        kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL);
        fuzz_no_internal_error(r);
        if (bytes)
            fuzz_run_program(bytes, n, 4);
        kernc_result_free(r);
    }
    return 0;
}
