/* reference.h: what the parts of the trees' reference share: reference.c runs statements,
 * reference_values.c and reference_vectors.c compute expressions, all for all lanes of a mask at once.
 */
#ifndef KERNC_FUZZ_REFERENCE_H
#define KERNC_FUZZ_REFERENCE_H

#include "fuzz/program.h"

enum { FZ_MAX_LANES = 64, FZ_MOST_VALUES = FZ_ROW_COUNT * FZ_MOST_ELEMENTS };
#define fz_each_lane(lane, mask)                                                                             \
    for (uint32_t lane = 0; lane < FZ_MAX_LANES; lane++)                                                     \
        if ((mask) >> lane & 1)

struct fz_warp {
    const struct fz_program *p;
    void **contents;              /* of the buffers */
    uint32_t *own;                /* by thread of the block and index */
    uint32_t width, first, block; /* first: gid of lane 0, block: threads in front of this block */
    uint32_t rows[FZ_MAX_LANES], hash[FZ_MAX_LANES], guide[FZ_MAX_LANES];
    uint64_t seen[FZ_MAX_LANES]; /* kept last in the call */
    uint64_t all;                /* its lanes */
    uintptr_t barriers;          /* those that it has passed, in their order */
    uint32_t steps;
    bool failed; /* it is no program of its class: too long, an index is outside its array, a thread comes
                    where nobody is to come */
};

/* A call. */
struct fz_frame {
    struct fz_warp *w;
    const struct fz_function *f;
    uint64_t *values;                                     /* bits: FZ_MOST_VALUES by variable and lane */
    uint64_t broken, continued, returned, thrown, jumped; /* lanes that leave what they are in */
    uint32_t label;                                       /* where those that have jumped go */
    uint64_t result[FZ_MAX_LANES];
};

/* ---- reference.c ------------------------------------------------------------------------------------- */

/* Calls a function for these lanes, with the arguments' bits by parameter; those that come back have a
 * result. */
struct fz_frame fz_call(struct fz_frame *from, uint32_t function, uint64_t mask,
                        uint64_t (*arguments)[FZ_MAX_LANES]);

/* ---- reference_values.c ------------------------------------------------------------------------------ */

/* An expression's bits, of its type, for the lanes of the mask; those of others stay as they are. */
void fz_evaluate(struct fz_frame *f, const struct fz_node *n, uint64_t mask, uint64_t v[]);
/* The same, converted. */
void fz_evaluate_as(struct fz_frame *f, const struct fz_node *n, uint64_t mask, enum fz_type type,
                    uint64_t v[]);
/* As fz_print_masked prints it. */
void fz_evaluate_masked(struct fz_frame *f, const struct fz_node *n, uint64_t mask, uint32_t bits,
                        uint64_t v[]);
/* The lanes of the mask where it is true. */
uint64_t fz_holds(struct fz_frame *f, const struct fz_node *n, uint64_t mask);
/* A value's bits as another type has it: "What C leaves undefined, Kern defines" in docs/language.md. */
uint64_t fz_converted(uint64_t bits, enum fz_type from, enum fz_type to);
/* A NaN as the only one that can be seen. */
uint64_t fz_canonical(uint64_t bits, enum fz_type type);
/* a op b of these types, which are converted as C does; of the type *result. */
uint64_t fz_operate(enum fz_operator op, uint64_t a, enum fz_type at, uint64_t b, enum fz_type bt,
                    enum fz_type *result);
/* Puts bits of the target's type where it is. */
void fz_store(struct fz_frame *f, const struct fz_node *target, uint64_t mask, const uint64_t v[]);
uint64_t fz_operate_unary(enum fz_operator op, uint64_t a, enum fz_type t, enum fz_type *result);
/* A builtin that fz_is_known of arguments of the type. */
uint64_t fz_apply(const struct fe_builtin *b, const uint64_t arguments[], enum fz_type t);
/* Where a variable's elements are. */
uint64_t *fz_variable_at(const struct fz_frame *f, uint32_t variable, uint32_t lane);

/* ---- reference_vectors.c ----------------------------------------------------------------------------- */

/* The bits of each element; of a scalar that stands for all. */
void fz_evaluate_vector(struct fz_frame *f, const struct fz_node *n, uint64_t mask,
                        uint64_t v[][FZ_MAX_LANES]);
/* Whether an ASSIGN or STEP is to a vector, an array's, or elements of one. */
bool fz_is_vector_place(const struct fz_frame *f, const struct fz_node *target);
void fz_assign_vector(struct fz_frame *f, const struct fz_node *s, uint64_t mask);

#endif
