/* reference_f.h: what the two halves of class f's reference share. */
#ifndef KERNC_FUZZ_REFERENCE_F_H
#define KERNC_FUZZ_REFERENCE_F_H

#include "fuzz/masks.h"

struct fz_warp {
    const struct fz_program *p;
    void **contents;              /* of the buffers */
    uint32_t *own;                /* by thread of the block and index */
    uint32_t width, first, block; /* first: gid of lane 0, block: threads in front of this block */
    uint32_t steps;
    bool failed; /* too long, or an index is outside its array */
};

/* A call: of all lanes together the kernel's, of one lane any other. */
struct fz_frame {
    struct fz_masks masks;
    struct fz_warp *w;
    const struct fz_function *f;
    uint64_t *values; /* bits: FZ_ARRAY_LENGTH by variable and lane */
    uint32_t lanes;
    uint64_t result; /* of one lane */
};

/* ---- values (reference_f_values.c) ------------------------------------------------------------------- */

/* A value's bits as another type has it: "What C leaves undefined, Kern defines" in docs/language.md. */
uint64_t fz_converted(uint64_t bits, enum fz_type from, enum fz_type to);
/* A NaN as the only one that can be seen. */
uint64_t fz_canonical(uint64_t bits, enum fz_type type);
bool fz_is_true(uint64_t bits, enum fz_type type);
/* The bits of an expression, of its type, for a lane. */
uint64_t fz_value(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane);
/* The same, converted. */
uint64_t fz_value_as(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane,
                     enum fz_type type);
/* As fz_print_masked prints it. */
uint32_t fz_masked(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane,
                   uint32_t mask);
/* a op b of these types, which are converted as C does; of the type *result. */
uint64_t fz_operate(enum fz_operator op, uint64_t a, enum fz_type at, uint64_t b, enum fz_type bt,
                    enum fz_type *result);
/* Puts bits of the target's type where it is. */
void fz_store(struct fz_warp *w, struct fz_frame *f, const struct fz_node *target, uint32_t lane,
              uint64_t bits);
/* Where a variable's elements are. */
uint64_t *fz_variable_at(const struct fz_frame *f, uint32_t variable, uint32_t lane);

/* ---- control flow (reference_f.c) -------------------------------------------------------------------- */

/* What a function without convergent operations gives a lane. */
uint64_t fz_call_lane(struct fz_warp *w, uint32_t function, const uint64_t *args, uint32_t lane);

#endif
