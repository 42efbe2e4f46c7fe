/* layout.h: where a program's objects and a function's allocas lie. Addresses are the same for both targets,
 * so that a program that reads memory which it has not written reads the same.
 */
#ifndef KERNC_BACKEND_LAYOUT_H
#define KERNC_BACKEND_LAYOUT_H

#include "backend/format/interface.h"
#include "ir/ir.h"

#define BE_FIRST_ADDRESS 16u /* of shared and private memory: 0 is null */

struct be_objects {
    uint32_t *address; /* by object: in shared memory, or in the constant data; of unsized ones,
                                          which launches place, 0 */
    uint32_t shared_bytes, data_bytes; /* shared: a multiple of 16, 0 if there is no sized object */
};
/* Places the objects in their order, in `a`. False with a diagnostic ("shared-memory", "constant-data") if
 * one does not fit. */
bool be_lay_out_objects(struct arena *a, const struct ir_module *m, struct be_objects *o,
                        struct diagnostics *d);
/* The kernel's unsized arrays, by their names in the source, in `a`. */
be_unsized_vec be_unsized_of(struct arena *a, const struct ir_module *m, const struct ir_kernel_info *k);
/* The constant data's bytes, in `a`. */
const uint8_t *be_constant_data(struct arena *a, const struct ir_module *m, const struct be_objects *o);

/* The allocas' offsets by value; NULL: there are none. *size: bytes of them all, at most one over the limit
 * of private memory. */
uint32_t *be_lay_out_allocas(struct arena *a, const struct ir_function *f, uint32_t *size);
/* Where the next frame begins, behind one that begins at `base`. */
uint32_t be_frame_end(uint32_t base, uint32_t size);
/* False with a diagnostic ("private-memory"): frames end at `end`, too far. */
bool be_private_memory_fits(const struct ir_function *f, uint32_t end, struct diagnostics *d);

#endif
