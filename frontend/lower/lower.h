/* lower.h: the state of lowering and what its parts call of each other.
 *
 * Every variable gets an alloca at the start of the entry block and is loaded and stored; mem2reg makes
 * values of them. Structures and arrays are lowered to addresses. The cursor always stands at the end of a
 * block without a terminator, or `open` is false: then nothing reaches this point of the text.
 *
 * Conventions of calls. A structure is passed as a private pointer to a copy that the callee may change; a
 * structure result is written through a hidden private pointer, the first parameter. A function that throws
 * returns an i1, true if it threw; its result, if it has one, is written through the hidden pointer.
 */
#ifndef KERNC_FRONTEND_LOWER_LOWER_H
#define KERNC_FRONTEND_LOWER_LOWER_H

#include "frontend/check/program.h"
#include "frontend/context.h"

struct address {
    ir_ref base;
    int32_t offset;
    const char *name; /* interned: of the variable, "p.x" of its member, of the array for
                         its elements; NULL: has none */
};

/* What break and continue jump to. */
struct jump_targets {
    uint32_t on_break, on_continue; /* 0: no block yet, it is made when needed */
    const char *continue_name;
};

/* The function that is being lowered. */
struct frame {
    u32_vec started;     /* blocks in the order of the text */
    u32_vec block_loops; /* of these, if the function has jumps: their loop by the text */
    ir_ref last_alloca;
    uint32_t return_block; /* 0: none yet */
    ir_ref result_pointer; /* hidden parameter, or 0 */
    uint32_t handler;      /* of the innermost try; 0: none */
    uint32_t uncaught;     /* block of a kernel that traps; 0: none yet */
    uint32_t loop;         /* number of the innermost loop of the text */
    struct jump_targets *breaks, *continues;
};

struct lowering {
    struct frontend *fe;
    struct fe_program *program;
    struct ir_module *module;
    struct arena *arena; /* the tree's */

    struct fe_function *function;
    struct ir_function *f;
    struct ir_cursor c;
    bool open; /* the cursor's block has no terminator yet */
    struct frame frame;
    bool trap_division;
    struct map object_names; /* taken ones, interned -> the last number behind the name */
};

/* ---- lower_function.c: blocks and frames ------------------------------------------------------------- */

/* The body of a function that is declared in the module already. */
void fe_lower_function(struct lowering *l, struct fe_function *f);
uint32_t fe_block(struct lowering *l, const char *name); /* a new block, not yet started */
void fe_start(struct lowering *l, uint32_t block);       /* goes on at its beginning */
void fe_branch(struct lowering *l, uint32_t to);         /* if open; closes */
/* Ends the block, which is open. */
void fe_branch_if(struct lowering *l, ir_ref condition, uint32_t yes, uint32_t no);
/* Private memory of the function, in its entry block; `hint` names it. */
ir_ref fe_alloca(struct lowering *l, uint64_t bytes, uint32_t align, const char *hint);
void fe_place(struct lowering *l, span where); /* of the instructions that follow */
/* of an operation here; named may be NULL */
ir_ref fe_token(struct lowering *l, const struct fe_expr *named);
void fe_return(struct lowering *l, ir_ref value); /* 0: none */
/* To the innermost handler; without one out of the function, or in a kernel a trap. Closes the block. */
void fe_throw(struct lowering *l);
/* Whether the result goes through the hidden first parameter: of structures, and of any but void where the
 * function throws. */
bool fe_returns_by_pointer(const struct fe_type *result, bool throws);
/* The module's number for calls of this FUNCTION type. */
uint32_t fe_ir_signature(struct lowering *l, const struct fe_type *t, bool throws, bool convergent);

/* ---- lower_access.c ---------------------------------------------------------------------------------- */

/* lvalues and structure values; traps where an index is outside its array */
struct address fe_lower_address(struct lowering *l, const struct fe_expr *e);
/* of the operand of &: the index of an array may be that behind its last element */
struct address fe_lower_address_of(struct lowering *l, const struct fe_expr *e);
/* where a pointer value points to that is accessed */
struct address fe_lower_pointee(struct lowering *l, const struct fe_expr *pointer);
/* The address as one value, a ptradd if it has an offset. */
ir_ref fe_pointer(struct lowering *l, struct address a);
/* A scalar's value; named after the address. */
ir_ref fe_load(struct lowering *l, struct address a, const struct fe_type *t);
/* v is of the scalar type t. */
ir_ref fe_store(struct lowering *l, struct address a, const struct fe_type *t, ir_ref v);
/* An object of type t: scalar by scalar if there are few, else a memcpy. The two are the same or disjoint. */
void fe_copy(struct lowering *l, struct address to, struct address from, const struct fe_type *t);
/* Bytes of the largest access that is aligned at this offset in an object that is aligned so. */
uint32_t fe_wide(uint32_t align, uint64_t offset);
/* The load or store moves a scalar of type t, at this offset in an object that is aligned so: the wide access
 * that may begin there. */
void fe_note_wide(struct lowering *l, ir_ref access, const struct fe_type *t, uint32_t align,
                  uint64_t offset);
/* All bytes of an object of type t. */
void fe_zero(struct lowering *l, struct address a, const struct fe_type *t);
/* The initialiser's values; what it leaves out is 0. */
void fe_lower_init(struct lowering *l, struct address a, const struct fe_type *t, const struct fe_expr *init);
/* An unnamed object of type t in the function's private memory, its bytes undefined. */
/* name: for messages, or NULL. */
struct address fe_temporary(struct lowering *l, const struct fe_type *t, const char *name);
/* Tells the checker of memory that the variable begins: without a value, or with one, but copies of
 * structures may leave parts of it without. */
void fe_tell_variable(struct lowering *l, struct address a, const struct fe_type *t, bool has_value);
/* What the result of the call is called in messages; NULL: nothing. */
const char *fe_result_name(struct lowering *l, const struct fe_expr *call);
/* The variable's name in the module's strings; NULL: it has none. */
const char *fe_hint(struct lowering *l, struct fe_variable *v);
/* The number in the module of a variable in shared or constant memory, which is entered if it is not there. */
uint32_t fe_object_of(struct lowering *l, struct fe_variable *v);

/* ---- lower_expr.c, lower_call.c, lower_builtin.c ----------------------------------------------------- */

ir_ref fe_lower_value(struct lowering *l, const struct fe_expr *e); /* 0 for void */
/* The function's address is taken: the module has the signature that calls through it have. */
void fe_note_address(struct lowering *l, const struct fe_function *f);
void fe_lower_effect(struct lowering *l, const struct fe_expr *e); /* its value is not wanted */
/* Branches to `yes` or `no` by e, its && and || as control flow; ends the block. */
void fe_lower_condition(struct lowering *l, const struct fe_expr *e, uint32_t yes, uint32_t no);
/* v, of type `from`, as a value of type `to`. */
ir_ref fe_lower_conversion(struct lowering *l, ir_ref v, const struct fe_type *from,
                           const struct fe_type *to);
/* The scalar type's 0, +0 or null. */
ir_ref fe_zero_value(struct lowering *l, const struct fe_type *t);
/* p + index * size bytes; the product and the sum are taken modulo 2^32. */
ir_ref fe_offset_pointer(struct lowering *l, ir_ref p, ir_ref index, const struct fe_type *index_type,
                         uint64_t size);
/* A call; a structure result is written to *into. Its value, 0 if it has none. */
ir_ref fe_lower_call(struct lowering *l, const struct fe_expr *e, struct address *into);
/* A call of the builtin; its value, 0 if it has none. */
ir_ref fe_lower_builtin(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b);

/* The same from the values of its arguments, the first of type t; of builtins that take no pointers. */
ir_ref fe_lower_builtin_of(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b,
                           uint32_t count, const ir_ref *arguments, const struct fe_type *t);
/* a op b of scalars of type t, which is promoted. */
ir_ref fe_lower_operation(struct lowering *l, enum fe_op op, const struct fe_type *t, ir_ref a, ir_ref b);
/* Tells the checker of the amount, of type `of`, by which a value of type t is to be shifted, if op is that. */
void fe_tell_shift(struct lowering *l, enum fe_op op, const struct fe_type *t, ir_ref amount,
                   const struct fe_type *of);
/* Of a builtin that is several operations: the same, from the values of its arguments. */
/* lower_printf.c: a printf, which has no value: 0. */
ir_ref fe_lower_printf(struct lowering *l, const struct fe_expr *e);
ir_ref fe_lower_compound(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b,
                         const ir_ref *arguments);

/* ---- lower_vector.c ---------------------------------------------------------------------------------- */

/* Whether e is a vector that is computed by element: it has no address of its own. */
bool fe_is_by_element(const struct fe_expr *e);
/* An unnamed object that has the value of such an expression. */
struct address fe_lower_elements(struct lowering *l, const struct fe_expr *e);
/* dot and the like, whose result is a scalar. */
ir_ref fe_lower_whole_vectors(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b);

/* ---- lower_stmt.c, goto_tokens.c --------------------------------------------------------------------- */

/* Statements one after the other. */
void fe_lower_list(struct lowering *l, const struct fe_stmt *first);
/* A local declaration: its object, zeroed where it has no initialiser, and that; of a token the operation. */
void fe_lower_variable(struct lowering *l, struct fe_decl *d);
/* Gives cycles made of gotos their hearts; called with the finished graph. False after a message. */
bool fe_place_goto_tokens(struct lowering *l);

#endif
