/* import_none.c: no LLVM IR is read or written, where there is neither a compiler that makes it nor a tool
 * that takes it. */
#include "import/import.h"
#include "import/write.h"

struct ir_module *import_llvm(struct source *s, const struct import_origin *origin, struct diagnostics *d,
                              struct source **shown)
{
    UNUSED(origin);
    *shown = s;
    diag_add(d, DIAG_ERROR, "no-llvm", (span){0}, "this build of kernc reads no LLVM IR");
    return NULL;
}

void llvm_write(const struct ir_module *m, struct text *out)
{
    UNUSED(m);
    text_addz(out, "; this build of kernc writes no LLVM IR\n");
}
