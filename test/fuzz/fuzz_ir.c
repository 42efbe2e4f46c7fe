/* fuzz_ir.c: any bytes as IR text. What parses and verifies prints to a text that parses to the same text,
 * goes through the passes and runs.
 */
#include "kernc.h"
#include "test/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kernc_result *compile_ir(const void *text, size_t size, unsigned level, bool ir_only)
{
    kernc_options o;
    kernc_options_init(&o);
    o.input = KERNC_INPUT_IR;
    o.verify_each = true;
    o.level = level;
    o.ir_only = ir_only;
    return kernc_compile("fuzz.kir", text, size, &o);
}

static void check_identity(const char *text, size_t size)
{
    kernc_result *again = compile_ir(text, size, 0, true);
    size_t        n = 0;
    const char   *printed = kernc_result_text(again, KERNC_TEXT_IR, &n);
    if (!printed || n != size || memcmp(printed, text, n) != 0) {
        fprintf(stderr, "printed and parsed again, the module differs:\n%s\n--- %s\n", text,
                printed ? printed : kernc_result_text(again, KERNC_TEXT_DIAGNOSTICS, NULL));
        abort();
    }
    kernc_result_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kernc_result *plain = compile_ir(data, size, 0, true);
    size_t        n;
    const char   *text = kernc_result_text(plain, KERNC_TEXT_IR, &n);
    if (text) {
        check_identity(text, n);
        kernc_result *r = compile_ir(data, size, 2, false);
        const char   *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
        if (bytes)
            fuzz_run_program(bytes, n, 4);
        kernc_result_free(r);
    }
    kernc_result_free(plain);
    return 0;
}
