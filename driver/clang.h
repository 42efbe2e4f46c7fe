/* clang.h: kernels in CUDA, HIP, OpenCL and C++: clang, run as a program, makes LLVM IR of them. */
#ifndef KERNC_DRIVER_CLANG_H
#define KERNC_DRIVER_CLANG_H

#include "driver/driver.h"

/* Whether the file is one of these, by -x or its ending. */
bool clang_reads(const struct command *c);
/* The file as the text of an LLVM module, with what clang says about it on standard error. An exit code. */
int clang_translate(struct command *c, struct text *text);

#endif
