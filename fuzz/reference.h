/* reference.h: what the parts of the trees' reference share: reference.c runs statements, reference_values.c
 * and reference_vectors.c compute expressions, all for all lanes of a mask at once, and
 * reference_arithmetic.c what operators, conversions and builtins give.
 *
 * The lanes of a warp; where nobody can see warps (fz_is_race_free), of a whole block. A lane that has
 * thrown in an expression takes no part in what follows: whatever has evaluated one asks fz_live.
 */
#ifndef KERNC_FUZZ_REFERENCE_H
#define KERNC_FUZZ_REFERENCE_H

#include "fuzz/program.h"

enum { FZ_MAX_LANES = 128, FZ_MOST_VALUES = FZ_ROW_COUNT * FZ_MOST_ELEMENTS };
typedef unsigned __int128 fz_lanes; /* a mask: a bit for each */

/* The first lane of the mask from this one on; FZ_MAX_LANES: there is none. */
static inline uint32_t fz_next_lane(fz_lanes mask, uint32_t lane)
{
    if (lane >= FZ_MAX_LANES || (mask >>= lane) == 0)
        return FZ_MAX_LANES;
    uint64_t low = (uint64_t)mask, high = (uint64_t)(mask >> 64);
    return lane + (uint32_t)(low ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high));
}
#define fz_each_lane(lane, mask)                                                                             \
    for (uint32_t lane = fz_next_lane(mask, 0); lane < FZ_MAX_LANES; lane = fz_next_lane(mask, lane + 1))

struct fz_warp {
    const struct fz_program *p;
    const struct fz_node *beyond; /* fz_beyond */
    void **contents;              /* of the buffers */
    uint32_t *own;                /* by thread of the block and index */
    int32_t counts[FZ_COUNTERS];  /* those in the block's shared memory */
    double adds[FZ_COUNTERS];
    uint32_t width, first, block; /* first: gid of lane 0, block: threads in front of this block */
    uint32_t rows[FZ_MAX_LANES], hash[FZ_MAX_LANES], guide[FZ_MAX_LANES];
    uint64_t seen[FZ_MAX_LANES]; /* kept last in the call */
    fz_lanes all;                /* its lanes */
    uint32_t lanes;              /* how many these are */
    uintptr_t barriers;          /* those that it has passed, in their order */
    uint32_t steps;
    struct fz_sets *sets; /* emit.h; NULL: nobody wants them */
    bool stopped;         /* the index that may be outside is */
    bool failed; /* it stopped, or is no program of its class: too long, another index is outside its array, a
                     thread comes where nobody is to come */
};

/* A call. */
struct fz_frame {
    struct fz_warp *w;
    const struct fz_function *f;
    uint64_t *values;                                     /* bits, by variable, lane and element */
    uint32_t *at;                                         /* by variable: where in `values` it begins */
    fz_lanes broken, continued, returned, thrown, jumped; /* lanes that leave what they are in */
    uint32_t label;                                       /* where those that have jumped go */
    uint64_t result[FZ_MAX_LANES];
};

/* The lanes of the mask that have not thrown. */
static inline fz_lanes fz_live(const struct fz_frame *f, fz_lanes mask)
{
    return mask & ~f->thrown;
}
static inline bool fz_has_lane(fz_lanes mask, uint32_t lane)
{
    return mask >> lane & 1;
}

/* ---- reference.c ------------------------------------------------------------------------------------- */

/* Begins a call of the function: its variables have their first values, in these lanes. */
void fz_enter(struct fz_frame *callee, struct fz_warp *w, uint32_t function, fz_lanes mask);
/* Runs it for them, and ends it; those that come back have a result, others have thrown in `from`. */
fz_lanes fz_run_call(struct fz_frame *from, struct fz_frame *callee, fz_lanes mask);

/* ---- reference_values.c ------------------------------------------------------------------------------ */

/* An expression's bits, of its type, for the lanes of the mask; those of others stay as they are. */
void fz_evaluate(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint64_t v[]);
/* The same, converted. */
void fz_evaluate_as(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, enum fz_type type,
                    uint64_t v[]);
/* As fz_print_masked prints it. */
void fz_evaluate_masked(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint32_t bits,
                        uint64_t v[]);
/* By how much these lanes shift, as an uint. */
void fz_evaluate_amount(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint64_t v[]);
/* The lanes of the mask where it is true. */
fz_lanes fz_holds(struct fz_frame *f, const struct fz_node *n, fz_lanes mask);
/* Where each lane has what n names, and of how many bytes it is; 0: n is no place. */
size_t fz_find_places(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, void *at[]);
/* The value that a structure's member is in: those of the union are all in its first one's. */
uint32_t fz_place_of_field(const struct fz_program *p, uint64_t field);
/* Where a pointer leads to. */
void fz_evaluate_pointer(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint64_t to[]);
/* What is there, and putting it there. */
uint64_t fz_load(const void *at, size_t size, enum fz_type type);
void fz_store(void *at, size_t size, uint64_t bits);
/* Where a variable's elements are; an array's that is a parameter, the caller's. */
uint64_t *fz_variable_at(const struct fz_frame *f, uint32_t variable, uint32_t lane);
/* How many values of its own it has in each lane. */
uint32_t fz_values_of(const struct fz_variable *v);

/* ---- reference_arithmetic.c -------------------------------------------------------------------------- */

/* A value's bits as another type has it: "What C leaves undefined, Kern defines" in docs/language.md. */
uint64_t fz_converted(uint64_t bits, enum fz_type from, enum fz_type to);
/* The low bits, as the type holds them. */
uint64_t fz_cut(uint64_t bits, enum fz_type type);
/* A NaN as the only one that can be seen. */
uint64_t fz_canonical(uint64_t bits, enum fz_type type);
/* a op b of these types, which are converted as C does; of the type *result. */
uint64_t fz_operate(enum fz_operator op, uint64_t a, enum fz_type at, uint64_t b, enum fz_type bt,
                    enum fz_type *result);
uint64_t fz_operate_unary(enum fz_operator op, uint64_t a, enum fz_type t, enum fz_type *result);
/* What ++ and -- (op of INCREMENT) make of it. */
uint64_t fz_stepped(uint64_t bits, enum fz_type t, uint8_t op);
/* A builtin's number here; -1: it is not known. */
int fz_known(const struct fe_builtin *b);
/* The builtin `known` of arguments of its parameters' types, T being this one. */
uint64_t fz_apply(int known, const struct fe_builtin *b, const uint64_t arguments[], enum fz_type generic);

/* ---- reference_vectors.c ----------------------------------------------------------------------------- */

/* The bits of each element; of a scalar that stands for all. */
void fz_evaluate_vector(struct fz_frame *f, const struct fz_node *n, fz_lanes mask,
                        uint64_t v[][FZ_MAX_LANES]);
/* Whether an ASSIGN or STEP is to a vector, an array's, or elements of one. */
bool fz_is_vector_place(const struct fz_frame *f, const struct fz_node *target);
void fz_assign_vector(struct fz_frame *f, const struct fz_node *s, fz_lanes mask);

#endif
