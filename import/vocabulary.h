/* vocabulary.h: what vocabulary.def says. Private to import/. */
#ifndef KERNC_IMPORT_VOCABULARY_H
#define KERNC_IMPORT_VOCABULARY_H

#include "import/lower_function.h"

enum builtin_how {
    HOW_OP,
    HOW_ABS,
    HOW_ABS_DIFF,
    HOW_ADD_SAT,
    HOW_SUB_SAT,
    HOW_BITSELECT,
    HOW_BSWAP,
    HOW_CLAMP,
    HOW_COPYSIGN,
    HOW_DEGREES,
    HOW_EXP10,
    HOW_FDIM,
    HOW_FIRST,
    HOW_FP_CLASS,
    HOW_FUNNEL_LEFT,
    HOW_FUNNEL_RIGHT,
    HOW_HADD,
    HOW_RHADD,
    HOW_IS_FINITE,
    HOW_IS_INF,
    HOW_IS_NORMAL,
    HOW_LDEXP,
    HOW_MAD,
    HOW_MAD_HI,
    HOW_MAD_SAT,
    HOW_MIX,
    HOW_ORDERED,
    HOW_PERMUTE,
    HOW_UNORDERED,
    HOW_POWN,
    HOW_RADIANS,
    HOW_RECIP,
    HOW_RELATE,
    HOW_RELATE_SWAPPED,
    HOW_RSQRT,
    HOW_SELECT,
    HOW_SIGN,
    HOW_SIGN_BIT,
    HOW_SMOOTHSTEP,
    HOW_STEP,
    HOW_TO_SIGNED,
    HOW_TO_UNSIGNED,
    HOW_UPSAMPLE,
    HOW_ZERO,
    HOW_LAST_OF_ELEMENTS = HOW_ZERO,
    HOW_ADD_OVERFLOW,
    HOW_SUB_OVERFLOW,
    HOW_MUL_OVERFLOW,
    HOW_REDUCE,
    HOW_DOT,
    HOW_CROSS,
    HOW_LENGTH,
    HOW_DISTANCE,
    HOW_NORMALIZE,
    HOW_ANY_ELEMENT,
    HOW_ALL_ELEMENTS,
    HOW_VLOAD,
    HOW_VSTORE,
    HOW_CONVERT,
    HOW_AXIS,
    HOW_REGISTER,
    HOW_DIMENSION,
    HOW_GLOBAL_ID,
    HOW_GLOBAL_SIZE,
    HOW_GLOBAL_LINEAR,
    HOW_LOCAL_LINEAR,
    HOW_WORK_DIM,
    HOW_NUM_WARPS,
    HOW_WARP_THREADS,
    HOW_CLOCK,
    HOW_CONVERGE,
    HOW_VOTE,
    HOW_VOTE_INT,
    HOW_SHUFFLE,
    HOW_SCAN_EXCLUSIVE,
    HOW_MEMCPY,
    HOW_MEMSET,
    HOW_FENCE,
    HOW_LOAD,
    HOW_ATOMIC,
    HOW_ATOMIC_LOAD,
    HOW_ATOMIC_STORE,
    HOW_COMPARE_EXCHANGE,
    HOW_ASYNC_COPY,
    HOW_FRACT,
    HOW_MODF,
    HOW_SINCOS,
    HOW_NOTHING,
    HOW_TRAP,
    HOW_PRINTF,
    HOW_ASSERT_FAIL,
};
/* A function without a body, as a call names it. */
struct builtin {
    enum builtin_how how;
    enum ir_op op; /* IR_none: `how` says all */
    enum ir_special reg;
    bool is_kernc;    /* by its name an operation of kernc's own */
    bool is_unsigned; /* by its mangled first parameter */
    uint32_t bytes;   /* the same: of what it is, or points to; 0: not known */
};
/* NULL: the vocabulary does not have the function's name. */
const struct builtin *import_builtin(struct importer *im, uint32_t function);

/* The number of arguments without which a call has no meaning. */
uint32_t import_least_args(const struct builtin *b);

/* One element of what a function of numbers computes. */
struct element {
    struct lowering *l;
    struct builtin builtin;
    const struct ll_type *type, *result; /* of its first operand, and of what it gives */
    uint32_t n;
    ir_ref a[4];
};
ir_ref import_element(const struct element *e);

/* The call's result: a component, in its own type. */
void import_give(struct lowering *l, const struct ll_ins *i, uint32_t component, ir_ref v);

/* The thread's number in its block, and how many there are. */
ir_ref import_local_linear(struct lowering *l);
ir_ref import_block_size(struct lowering *l);

/* ---- of vectors and structures (lower_vector.c) */
void import_overflow(struct lowering *l, const struct ll_ins *i, const struct builtin *b);
void import_reduce(struct lowering *l, const struct ll_ins *i, const struct builtin *b);
void import_geometric(struct lowering *l, const struct ll_ins *i, enum builtin_how how);
void import_permute(struct lowering *l, const struct ll_ins *i);
void import_any_all(struct lowering *l, const struct ll_ins *i, bool all_of_them);
void import_vload(struct lowering *l, const struct ll_ins *i);
void import_vstore(struct lowering *l, const struct ll_ins *i);
void import_second_result(struct lowering *l, const struct ll_ins *i, enum builtin_how how);
void import_async_copy(struct lowering *l, const struct ll_ins *i, const struct builtin *b);
void import_convert(struct lowering *l, const struct ll_ins *i, const struct builtin *b);

#endif
