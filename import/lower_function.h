/* lower_function.h: one function on its way to kernc's IR. Private to import/. */
#ifndef KERNC_IMPORT_LOWER_FUNCTION_H
#define KERNC_IMPORT_LOWER_FUNCTION_H

#include "import/metadata.h"
#include "import/spaces.h"

/* An operand that leads to several memories, as the address in one of them. */
struct address_in_one {
    const struct ll_value *operand;
    ir_ref address;
    const struct address_in_one *next;
};

struct lowering {
    struct importer *im;
    const struct ll_function *ll;
    const struct function_spaces *spaces;
    const uint8_t *assigned;
    struct ir_function *f;
    struct ir_cursor c;
    uint32_t number;          /* of the function in the LLVM module */
    ir_ref head;              /* last instruction of those that stand first in the entry block; 0: none */
    uint32_t *blocks, *ends;  /* by block: the IR's that it begins with, that it ends with */
    ir_ref *values;           /* by component, from spaces->first[local] on; 0: not lowered yet */
    ir_ref result;            /* where a result of several scalars goes, or 0 */
    struct map objects;       /* global -> its address in this function */
    const struct ll_ins *ins; /* that is being lowered */
    const struct address_in_one *in_one;
    bool failed;
};

/* ---- short ways to emit at the cursor: of one and two operands, a number of the type, a select ----------- */

static inline ir_ref op1(struct lowering *l, enum ir_op op, enum ir_type t, ir_ref a)
{
    return ir_emit1(&l->c, op, t, a);
}
static inline ir_ref op2(struct lowering *l, enum ir_op op, enum ir_type t, ir_ref a, ir_ref b)
{
    return ir_emit2(&l->c, op, t, a, b);
}
static inline enum ir_type type_of(struct lowering *l, ir_ref v)
{
    return (enum ir_type)ir_at(l->f, v)->type;
}
static inline ir_ref number(struct lowering *l, enum ir_type t, uint64_t n)
{
    return ir_const(l->f, t, t == IR_TYPE_I32 ? (uint32_t)n : n);
}
static inline ir_ref choose(struct lowering *l, ir_ref condition, ir_ref a, ir_ref b)
{
    return ir_emit3(&l->c, IR_select, type_of(l, a), condition, a, b);
}

/* ---- of the module (lower.c, debug.c) -------------------------------------------------------------------- */

/* The module's object of a global that is no implicit argument, made when first asked for. */
uint32_t import_object(struct importer *im, uint32_t global);
/* A shared array that launches size, of elements of `unit` bytes. */
uint32_t import_unsized(struct importer *im, const char *name, uint32_t unit, uint32_t align);
/* A name that nothing else in the module has. */
const char *import_unique(struct importer *im, const char *name);
/* The function of kernc's IR for a call with these spaces. */
struct ir_function *import_instance(struct importer *im, uint32_t function, const uint8_t *assigned);
struct ir_function *import_taken(struct importer *im, uint32_t function);
/* The names of the source, by the debug information; else LLVM's. */
const char *import_function_name(struct importer *im, uint32_t function);
const char *import_global_name(struct importer *im, uint32_t global);
place import_function_place(struct importer *im, uint32_t function);
/* What a launch has to know of the kernel's parameter: its own scalar number `component`. */
struct ir_param_info import_param_info(struct importer *im, uint32_t function, uint32_t param,
                                       uint32_t component);
/* The same of a global that launches give. */
struct ir_param_info import_global_info(struct importer *im, uint32_t global);

/* Adds the launches that comments of the source give (launches.c). */
void import_launches(struct importer *im);

/* ---- of a function (lower_function.c, lower_ins.c, lower_memory.c, lower_call.c) ------------------------- */

void import_lower(struct importer *im, uint32_t instance);
/* The address that a getelementptr's operands make. */
ir_ref import_step(struct lowering *l, const struct ll_type *element, struct ll_value *const *args,
                   uint32_t argc);
/* What an operation without effects computes: a component of its value. */
ir_ref import_compute(struct lowering *l, const struct ll_ins *i, uint32_t component);
void import_lower_ins(struct lowering *l, const struct ll_ins *i);
/* Once for each memory that its addresses may be in, each in an arm of a branch. False: there is only one. */
bool import_lower_several(struct lowering *l, const struct ll_ins *i);
void import_lower_memory(struct lowering *l, const struct ll_ins *i);
void import_lower_call(struct lowering *l, const struct ll_ins *i);
/* Whether the instruction accesses what its operand n leads to. */
bool import_accesses(struct importer *im, const struct ll_ins *i, uint32_t n);
/* Whether the call of a function without a body, or through a pointer, is a convergent operation. */
bool import_call_converges(struct importer *im, const struct ll_ins *i);
/* Of a scalar that is no pointer. */
enum ir_type import_scalar(const struct ll_type *scalar);
/* An error at the instruction; the function's other instructions are looked at too. */
void import_refuse(struct lowering *l, const char *id, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A component of an operand. */
ir_ref import_component(struct lowering *l, const struct ll_value *v, uint32_t component);
/* The first component. */
ir_ref import_value(struct lowering *l, const struct ll_value *v);
/* Defines a component of the instruction's result. */
void import_define(struct lowering *l, const struct ll_ins *i, uint32_t component, ir_ref value);
enum ir_type import_component_type(struct lowering *l, const struct ll_value *v, uint32_t component);
enum ir_type import_result_type(struct lowering *l, const struct ll_ins *i, uint32_t component);
/* A pointer or number as one of a space, or as the number of SPACES_SEVERAL. */
ir_ref import_as_space(struct lowering *l, ir_ref v, enum ir_type t);
/* Private memory of the function. */
ir_ref import_alloca(struct lowering *l, uint64_t bytes, uint32_t align, const char *name);
/* A scalar at address + offset, where `align` is what the address is known to be aligned to. */
ir_ref import_load(struct lowering *l, const struct ll_type *scalar, enum ir_type t, ir_ref address,
                   uint64_t offset, uint32_t align);
void import_store(struct lowering *l, const struct ll_type *scalar, ir_ref address, uint64_t offset,
                  uint32_t align, ir_ref value);
/* An integer whose upper bits are right. */
ir_ref import_zero_extended(struct lowering *l, ir_ref v, uint32_t bits);
ir_ref import_sign_extended(struct lowering *l, ir_ref v, uint32_t bits);
/* A number as an i32: the low bits of an i64. */
ir_ref import_i32(struct lowering *l, ir_ref v);
/* Rounds an f32 to a half or bfloat, which it stays the value of. */
ir_ref import_round(struct lowering *l, const struct ll_type *t, ir_ref v);
/* Half or bfloat, whose values registers hold as an f32: its 16 bits, and back. */
bool import_is_short(const struct ll_type *t);
ir_ref import_short_bits(struct lowering *l, const struct ll_type *t, ir_ref f);
ir_ref import_short_value(struct lowering *l, const struct ll_type *t, ir_ref bits);
/* A float or double as another float type, rounded once. */
ir_ref import_shortened(struct lowering *l, const struct ll_type *t, ir_ref v);
/* Goes on in a new block, which the cursor's branches to. */
uint32_t import_block(struct lowering *l, const char *name);

/* for (n = first; n < count; n += step): what is emitted between the two is its body. */
struct count_loop {
    ir_ref n;
    uint32_t test, done;
};
struct count_loop import_begin_loop(struct lowering *l, ir_ref first, ir_ref count);
void import_end_loop(struct lowering *l, const struct count_loop *loop, ir_ref step);

/* for (ir_ref in_one; import_next_arm(&arms, &in_one);): an arm for each memory that the address may be in, and
 * behind it where they meet; a single one of another address. An arm leaves its `values`, `count` of them,
 * which then are those of the arm that was taken. */
struct arms {
    struct lowering *l;
    ir_ref address, *values;
    uint32_t count;
    uint32_t next;       /* memory; 0: none has been */
    uint32_t test, meet; /* blocks: what asks for the next memory, where the arms meet */
};
bool import_next_arm(struct arms *a, ir_ref *in_one);

/* Memory becomes what LLVM's atomicrmw of that name makes of it and v; gives the old value. */
ir_ref import_atomic(struct lowering *l, const char *rmw, enum ir_type t, ir_ref address, ir_ref v);
ir_ref import_cas(struct lowering *l, enum ir_type t, ir_ref address, ir_ref expected, ir_ref wanted);
/* Ends the block. */
void import_trap(struct lowering *l, const char *text, size_t n);

#endif
