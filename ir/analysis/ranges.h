/* ranges.h: between which bounds an integer value lies.
 *
 * A range holds for i32 and i64 values read as signed numbers. It is that of the value wherever it is
 * defined; where conditions hold, of a branch on the way or of an assertion before, ir_range_at knows more.
 */
#ifndef KERNC_IR_ANALYSIS_RANGES_H
#define KERNC_IR_ANALYSIS_RANGES_H

#include "ir/analysis/analysis.h"

/* lo … hi; lo > hi: no thread comes there. */
struct ir_range {
    int64_t lo, hi;
};
struct ir_ranges;

/* Value range propagation: abstract interpretation with intervals (P. and R. Cousot, "Abstract
 * interpretation: a unified lattice model", 1977, section 9: widening at the headers of cycles, then
 * narrowing). asked: the values that will be asked for, NULL: all; of others no more is known than their type.
 * Speaks of the function as it was then. Near-linear: a round looks at each value once, and there are few. */
struct ir_ranges *ir_ranges_new(struct arena *a, const struct ir_cfg *c, const struct ir_dominators *d,
                                const struct ir_cycles *cycles, const u32_vec *asked);
/* Of the value, an integer, where instruction `at` runs. */
struct ir_range ir_range_at(const struct ir_ranges *g, ir_ref value, ir_ref at);
/* Whether the i1 is true wherever instruction `at` runs. False: it may be false. */
bool ir_is_true_at(const struct ir_ranges *g, ir_ref condition, ir_ref at);

#endif
