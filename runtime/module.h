/* module.h: modules for those who have the program itself, not its bytes: the driver and tests. */
#ifndef KERNC_RUNTIME_MODULE_H
#define KERNC_RUNTIME_MODULE_H

#include "kernc-rt.h"

struct bc_program;
struct wc_image;

/* As kernc_module_load. Takes over the program, which is freed on failure too. */
kernc_status rt_module_adopt(kernc_context *context, struct bc_program *program, kernc_module **module);
/* The same of an image. */
kernc_status rt_module_adopt_image(kernc_context *context, struct wc_image *image, kernc_module **module);
/* NULL: it is an image, or `module` is NULL. */
const struct bc_program *rt_module_program(const kernc_module *module);
/* NULL: it is bytecode, or `module` is NULL. */
const struct wc_image *rt_module_image(const kernc_module *module);
/* As kernc_kernel_threshold, which takes no memory for no threshold; this one fails (mem_fail). */
uint32_t rt_threshold(const kernc_kernel *kernel, uint32_t *line, uint32_t *column);

#endif
