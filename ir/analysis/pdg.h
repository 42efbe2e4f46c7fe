/* pdg.h: the program dependence graph of one region of the program structure tree.
 *
 * Control dependences are the rows of ir_control_dependence for the region's blocks. Data dependences are
 * operands, tokens and the arguments of edges. What SSA does not show are the rows here: instructions whose
 * order is seen, since both touch a byte that one of them writes, or both do something that the world outside
 * sees.
 *
 * A row (k <- from) of kind `kind` speaks of one execution of the region, from its entry edge to its exit
 * edge: some path inside the region leads from `from` to k, and what the two do when it is taken may be in
 * conflict (ir_conflict_of). Its `cycle` is IR_NO_CYCLE if such a path needs no back edge of a cycle that
 * both stand in: then `from` comes first whenever control runs from the one to the other in an iteration.
 * Otherwise it is the innermost such cycle that carries the dependence: `from` in one iteration, k in a later
 * one; k may be `from` itself. Conflicts of instructions that no path in the region connects are no
 * dependences.
 *
 * Rows are sparse: `from` is left out where another instruction j stands on every path between, with rows (j
 * <- from) and (k <- j). So an order of instructions keeps every dependence if it keeps the rows, and the
 * transitive closure of the rows is that of all conflicts. Between instructions whose innermost cycle is the
 * same the rows that are not carried are enough for those that are not.
 *
 * Not in the rows: that a trap or a loop without end keeps what comes behind from happening (who moves what
 * may trap, or moves something to another branch's reach, asks the control dependences); and where convergent
 * operations may stand, which is a matter of tokens. `barrier` and `syncwarp` have rows for the memory that
 * they order, pure convergent operations none.
 */
#ifndef KERNC_IR_PDG_H
#define KERNC_IR_PDG_H

#include "ir/analysis/memory.h"

struct ir_dependence {
    ir_ref from;
    uint8_t kind; /* enum ir_dependence_kind */
    uint32_t cycle;
};
struct ir_pdg {
    const struct ir_control_dependence *control;
    const struct ir_pst *pst;
    uint32_t region;
    u32_vec memory;  /* instructions with effects, in reverse post-order */
    uint32_t *start; /* row of memory.at[i]: on.at[start[i] .. start[i + 1] - 1] */
    VEC(struct ir_dependence) on;
    bool precise; /* false: it would take more than IR_MAX_PDG_VISITS; there are no
                     rows, and any two of `memory` are to be taken as dependent */
};
/* Time: the instructions of the region with effects times those that are in force where one stands, at most
 * IR_MAX_PDG_VISITS on average (ir/limits.def). One is in force until others follow that conflict with all
 * that it conflicts with, as a store to the same bytes does, or stores to all parts of the object that it
 * accesses. */
struct ir_pdg *ir_pdg_new(struct arena *a, const struct ir_memory *m, const struct ir_cfg *c,
                          const struct ir_cycles *cycles, const struct ir_control_dependence *control,
                          const struct ir_pst *pst, uint32_t region);

#endif
