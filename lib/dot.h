/* dot.h: a module's control-flow graphs for graphviz. */
#ifndef KERNC_LIB_DOT_H
#define KERNC_LIB_DOT_H

#include "ir/ir.h"

/* One digraph, a cluster a function, a box a block with its instructions. */
void dot_module(const struct ir_module *m, struct text *out);

#endif
