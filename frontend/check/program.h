/* program.h: what the checker knows beyond the annotated tree, for token inference and lowering.
 *
 * A variable's, parameter's or function's `info` points here. All declarations of one function share one
 * fe_function. Loops and uses are numbered in the order of the text, loop 0 being the function's body.
 */
#ifndef KERNC_FRONTEND_CHECK_PROGRAM_H
#define KERNC_FRONTEND_CHECK_PROGRAM_H

#include "frontend/types/builtins.h"

struct fe_variable { /* VARIABLE, PARAMETER */
    struct fe_decl *decl;
    uint8_t space;             /* enum fe_space it lives in, never NONE */
    bool assigned, read;       /* in the text before the point that the checker has reached;
                                  a parameter's argument does not count */
    bool never_set;            /* declared without a value */
    bool in_own_value;         /* its initialiser mentions it */
    uint32_t loop;             /* loop that encloses the declaration */
    uint32_t begins, ends;     /* its scope, in points of the text; see fe_entered */
    struct fe_variable *outer; /* the function's variable declared last of those visible before it, or NULL */
    uint32_t zeroed_at;        /* lowering: point of the latest jump that zeroes it, or 0 */
    const char *hint;          /* lowering: its name, interned in the module */
    ir_ref address;            /* lowering: of a private variable its alloca; of a token its value */
    uint32_t object;           /* lowering: of a shared or constant one its number in the module, plus 1 */
};

struct fe_loop {
    uint32_t parent;           /* loop number; of loop 0 itself */
    bool convergent;           /* has a convergent operation somewhere inside it in the text */
    bool controlled;           /* its heart is written: `token t = loop(u);` */
    struct fe_stmt *stmt;      /* NULL for loop 0 */
    struct fe_variable *heart; /* if controlled: t; its initialiser's argument names u */
    ir_ref token;              /* lowering: the loop's heart, or the function's entry token */
};

enum fe_use_kind { FE_USE_CALL, FE_USE_ICALL, FE_USE_CONVERGENT };
struct fe_use {     /* a call, or a convergent operation */
    uint8_t kind;   /* enum fe_use_kind */
    bool has_token; /* written behind @ */
    bool in_try;
    uint32_t loop; /* the innermost that encloses it in the text */
    span where;
    struct fe_function *callee; /* CALL */
    uint32_t signature;         /* ICALL: number of the function type */
};

/* What its tokens are inferred from. */
struct fe_tokens {
    bool controlled;    /* the function names its tokens */
    span controlled_at; /* the first sign of it */
    bool makes_entry;   /* calls entry() */
    bool has_jumps;     /* goto, or a case label inside a loop: cycles may be none of the loops */
    VEC(struct fe_loop) loops;
    VEC(struct fe_use) uses;
};

/* instance.c: one function, checked for several choices of address spaces. */
struct fe_versions {
    bool is_open;   /* some parameter is a pointer without a space: each call chooses a version */
    bool is_needed; /* this version is called, or its address is taken */
    span called_at; /* of a version the first call, or where its address is taken */
    bool is_checked, has_failed;         /* some version of it; a version had errors */
    VEC(struct fe_function *) instances; /* versions with other than private pointers */
    struct fe_function *written;         /* of an instance the function it is one of, else NULL */
    struct fe_stmt *pristine; /* the body before it was checked as written; NULL: it has not been */
};

struct fe_function {
    const char *name;
    struct fe_decl *decl; /* the definition, else the first declaration */
    struct fe_type *type;
    uint32_t index; /* in fe_program.functions */
    bool is_kernel, is_extern, is_defined;
    bool is_predicted; /* some Predict names it, the first one there: */
    span predicted_at;
    bool address_taken;
    bool asks_thread; /* names threadIdx */
    bool convergent;  /* written or inferred */
    bool throws;      /* something in it throws and does not catch; callers look at the flag it returns */
    bool has_throw;   /* a throw statement outside any try */
    struct fe_tokens tokens;
    struct fe_versions versions;
    VEC(struct fe_decl *) unsized; /* a kernel's shared arrays without a size, in the order of the text */
    struct ir_function *ir;        /* lowering */
    uint32_t host;                 /* lowering: of an extern function its number in the module */
};

/* What all functions of one type that a pointer can reach share. */
struct fe_signature {
    struct fe_type *type;
    bool convergent, throws;
    u32_vec targets; /* functions of this type whose address is taken */
};

struct fe_program {
    struct arena *arena;
    struct fe_types types;
    struct fe_unit *unit;
    VEC(struct fe_function *) functions; /* in order of first declaration */
    VEC(struct fe_signature) signatures; /* by the number of the function type */
};

static inline struct fe_variable *fe_variable(const struct fe_decl *d)
{
    return d->info;
}
/* Of a kernel's parameter, or a variable in shared memory: whether it is an array whose size a launch gives,
 * `shared float *t`, `shared float t[];`. */
static inline bool fe_is_unsized(const struct fe_decl *d)
{
    bool pointer = fe_is_pointer(d->type) && !fe_is_function_pointer(d->type);
    return d->kind == FE_DECL_PARAMETER ? pointer && d->type->space == FE_SPACE_SHARED
                                        : !d->type->is_complete;
}
static inline struct fe_function *fe_function(const struct fe_decl *d)
{
    return d->info;
}

/* Which scopes a jump enters: v = fe_entered(v, point), then fe_entered(v->outer, point), until NULL, are the
 * variables visible at its target, where v is the one declared last, and not at the jump itself, at `point`.
 * Points number the declarations, jumps and ends of scopes of the text. */
static inline struct fe_variable *fe_entered(struct fe_variable *v, uint32_t point)
{
    return v && v->begins < point && point < v->ends ? NULL : v;
}

/* ---- arithmetic that checker and lowering share (const.c) ---------------------------------------------- */

/* The operation of a binary operator on operands of this type; *swap: with its operands exchanged. */
enum ir_op fe_binary_op(enum fe_op op, const struct fe_type *operand, bool *swap);

/* A conversion between scalars as at most four operations; the step `ne` compares with zero. */
struct fe_step {
    enum ir_op op;
    enum ir_type from, to;
};
#define FE_MAX_STEPS 4
/* How many steps there are: 0 if the bits stay the same. */
uint32_t fe_conversion(const struct fe_type *from, const struct fe_type *to,
                       struct fe_step steps[FE_MAX_STEPS]);

/* Constants: what the code would compute, bit for bit. */
scalar_bits fe_fold_conversion(const struct fe_type *from, const struct fe_type *to, scalar_bits v);
/* An operator on operands of this type; division by 0 and the like as base/scalar.def has it. */
scalar_bits fe_fold_binary(enum fe_op op, const struct fe_type *operand, scalar_bits a, scalar_bits b);
scalar_bits fe_fold_unary(enum fe_op op, const struct fe_type *operand, scalar_bits a);
/* A constant's value as an integer: signed types extended, unsigned ones as they are. */
/* The function that an initialiser is the address of; NULL: it is none. */
const struct fe_function *fe_named_function(const struct fe_expr *e);
int64_t fe_integer_value(const struct fe_expr *e);
/* Of a constant of type float or double. */
double fe_float_value(const struct fe_expr *e);
bool fe_is_zero(const struct fe_type *t, scalar_bits v); /* +0 and -0 too */

/* ---- call graph and token inference ------------------------------------------------------------------ */

struct frontend;
/* callgraph.c: recursion, which functions are convergent, which throw. */
void fe_check_calls(struct frontend *fe, struct fe_program *p);
/* Which loops need hearts; functions that mix both modes. */
void fe_infer_tokens(struct frontend *fe, struct fe_program *p);

#endif
