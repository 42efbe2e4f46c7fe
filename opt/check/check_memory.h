/* check_memory.h: what the files of the pass check_memory share. */
#ifndef KERNC_OPT_CHECK_MEMORY_H
#define KERNC_OPT_CHECK_MEMORY_H

#include "opt/pass.h"

/* barriers.c: tells which barriers threads come to. How many instructions it added. */
uint32_t opt_check_barriers(struct opt_context *c, struct ir_module *m);

#endif
