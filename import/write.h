/* write.h: a module of kernc's IR as LLVM IR text, for LLVM's tools.
 *
 * Convergence is controlled: tokens of kernc are LLVM's (llvm.experimental.convergence.entry, .anchor,
 * .loop), and operations name theirs in a bundle "convergencectrl". What LLVM has an instruction or
 * intrinsic of exactly the same meaning for is that; all else is a call of a declared function `kern.` + the
 * operation's name + `.` + the type of its value (kern.shuffle.xor.i32, kern.ballot, kern.sdiv.i64), whose
 * immediates are its first arguments, and special registers are kern.special.tid.x and so on. Signed
 * division, shifts and conversions therefore mean what kernc defines, where LLVM's own instructions are
 * undefined.
 *
 * Pointers have 32 bits. Address spaces: 1 global, 3 shared, 4 constant, 5 private, 0 functions. What LLVM
 * cannot say is in named metadata, each line a string as the text of kernc's IR has it: !kern.kernels
 * (names and types of parameters), !kern.launches (launch directives), !kern.taken (functions whose numbers
 * stand in constants). What a scheme's pass chose (where lanes reconverge, blocks that only it needs) is
 * left out.
 */
#ifndef KERNC_IMPORT_WRITE_H
#define KERNC_IMPORT_WRITE_H

#include "ir/ir.h"

/* Appends the whole text, which LLVM 19's verifier accepts. Linear in the module. */
void llvm_write(const struct ir_module *m, struct text *out);

#endif
