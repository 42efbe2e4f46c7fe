/* check_memory.h: what the files of the pass check_memory share. */
#ifndef KERNC_OPT_CHECK_MEMORY_H
#define KERNC_OPT_CHECK_MEMORY_H

#include "opt/pass.h"

/* barriers.c: tells which barriers threads come to. How many instructions it added. */
uint32_t opt_check_barriers(struct opt_context *c, struct ir_module *m);

/* ---- check_memory.c ----------------------------------------------------------------------------------- */

/* SPACE of the texts, of memory that addresses of the type lead to; 0: nobody writes there. */
char opt_space_letter(enum ir_type address);
/* A check's third operand: the value's bits; 0, and of a function pointer: 0. */
ir_ref opt_bits_of(struct ir_cursor *c, ir_ref value);

#endif
