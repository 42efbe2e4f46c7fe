/* backend.h: from IR to programs that run. */
#ifndef KERNC_BACKEND_H
#define KERNC_BACKEND_H

#include "backend/bytecode/program.h"
#include "ir/ir.h"

struct be_options {
    const char *scheme;     /* noted in the program: the scheme its lowering pass was run for; NULL: "pdom" */
    bool        tokens;     /* keep convergence tokens (the oracle decides groups by them) */
};

/* Bytecode of every kernel of a verified module, at any -O level. NULL with diagnostics if the program goes
 * beyond a limit (ids: registers, private-memory, shared-memory, constant-data, code-size, recursion). The module is
 * not changed and not needed afterwards. */
struct bc_program *be_bytecode(const struct ir_module *m, const struct be_options *o, struct diagnostics *d);

#endif
