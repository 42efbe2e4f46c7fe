/* metadata.h: what write.h has put into named metadata, back into a module. Private to import/. */
#ifndef KERNC_IMPORT_METADATA_H
#define KERNC_IMPORT_METADATA_H

#include "import/llvm.h"
#include "ir/ir.h"

/* !kern.kernels: the names and types of parameters, and the order of arrays whose lengths a launch gives,
 * of kernels that the module has. !kern.taken: functions whose numbers stand in constants. !kern.launches:
 * its launches, behind others. An error of d where they do not fit. Linear. */
void import_metadata(const struct ll_module *ll, struct ir_module *m, struct diagnostics *d);

#endif
