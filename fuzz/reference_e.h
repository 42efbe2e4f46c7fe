/* reference_e.h: the reference of class e, on a module that is read already. */
#ifndef KERNC_FUZZ_REFERENCE_E_H
#define KERNC_FUZZ_REFERENCE_E_H

#include "fuzz/program.h"
#include "ir/ir.h"

/* The threads that an anchor gathers, of those that come to it: all for the n-th time, each alone, or parts.
 */
enum fz_anchors { FZ_ANCHORS_ALL, FZ_ANCHORS_ALONE, FZ_ANCHORS_PARTS, FZ_ANCHOR_CHOICES };

/* What the first buffer has to hold after a launch. False: a thread runs for too long, the groups do not come
 * to rest, or threads wait for others that are elsewhere: no valid program of the class. */
bool fz_reference_e(const struct fz_program *p, const struct ir_module *m, enum fz_anchors anchors,
                    uint32_t width, uint64_t *log);

/* The result of a convergent operation for `lane`: `mask` is the group, which has it; `a` the first operands,
 * by lane, b the lane's second one (group_e.c). 0 for one without a value. */
uint64_t fz_group_result(enum ir_op op, uint32_t lane, uint64_t mask, const uint64_t *a, uint32_t b);

/* The module of a program of class e, of its text; NULL if that has errors. Free it with ir_module_free. */
struct ir_module *fz_parse_module(const struct fz_program *p);

#endif
