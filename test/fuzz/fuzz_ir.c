/* fuzz_ir.c: any bytes as IR text. What parses and verifies prints to a text that parses to the same text,
 * goes through the passes and runs.
 */
#include "kernc-rt.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kernc_context *ctx = fuzz_context();
    if (ctx)
        fuzz_try_ir(ctx, data, size, "pdom");
    kernc_context_free(ctx);
    return 0;
}
