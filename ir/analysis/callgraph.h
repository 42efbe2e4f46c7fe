/* callgraph.h: which functions call which. */
#ifndef KERNC_IR_CALLGRAPH_H
#define KERNC_IR_CALLGRAPH_H

#include "base/rows.h"
#include "ir/ir.h"

/* Direct calls in the blocks that the functions list. `callees`: by function, in the order of the calls, may
 * repeat; callees.at[k] is called by the instruction calls[k] of function callers[k]. */
struct ir_call_graph {
    struct rows callees;
    const uint32_t *callers;
    const ir_ref *calls;
};
/* In the arena. Linear in the module. */
struct ir_call_graph ir_call_graph_new(struct arena *a, const struct ir_module *m);

/* All functions, callees before their callers. A verified module has no recursion of direct calls. */
u32_vec ir_callees_first(struct arena *a, const struct ir_module *m);

/* Functions whose address the module takes. Linear in the module. */
struct bitset ir_addresses_taken(struct arena *a, const struct ir_module *m);
/* Visits the functions that were added and all that they may call: also those whose address is taken, if one
 * of them calls through a pointer. Returns all that was seen. */
struct bitset ir_reach_functions(struct walk *w, const struct ir_module *m);

/* Whether a block that the function lists has a call; one through a pointer may become direct. */
bool ir_has_calls(const struct ir_function *f);

#endif
