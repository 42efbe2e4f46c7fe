/* range_of.h: what ranges.c and range_of.c share. */
#ifndef KERNC_IR_ANALYSIS_RANGE_OF_H
#define KERNC_IR_ANALYSIS_RANGE_OF_H

#include "ir/analysis/ranges.h"

/* All values of an integer type. An i1 counts as 0 or 1. */
struct ir_range ir_range_of_type(enum ir_type t);
/* What an instruction or constant of type i32 or i64 gives, but for parameters and selects, which this knows
 * nothing of; `from`: the type of its first operand; `operands`: ranges of the first two, none empty. */
struct ir_range ir_range_of(const struct ir_ins *ins, enum ir_type from, const struct ir_range operands[2]);

#endif
