/* fuzz_bytecode.c: any bytes as the body of a compiled program: refused, or run without harm. The header with
 * its checksum is made here, so that the fuzzer gets past it.
 */
#include "backend/format/bytecode/program.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text t = {0};
    bc_seal(data, size, &t);
    fuzz_run_program(t.at, t.length, 4);
    text_free(&t);
    return 0;
}
