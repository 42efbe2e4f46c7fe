/* ir.h: the intermediate representation: SSA with block parameters, typed, with convergence tokens.
 *
 * A module owns one arena and everything in it. Inside a function all things are named by index:
 * values and instructions by ir_ref (index into fn->ins; a value *is* the instruction that makes it;
 * constants and block parameters are entries that stand in no instruction list), blocks by index into
 * fn->blocks. Indices stay valid as long as the thing lives, and removed ones are not reused, until ir_compact.
 *
 * Why block parameters and not phis: an edge then carries its own arguments, so that moving, copying or
 * splitting an edge moves its values with it, and there is no rule about where phis stand.
 *
 * The order of blocks (fn->order, entry first) is a property of the function, not of storage: layout is
 * a pass like any other. Tokens are values that may not be arguments of edges or operands of select; a
 * convergent instruction names its token in `token`, apart from its value operands.
 */
#ifndef KERNC_IR_H
#define KERNC_IR_H

#include "base/base.h"
#include "base/diag.h"
#include "launch/launch.h"
#include "base/scalar.h"
#include "ir/limits.h"

/* ---- vocabulary ---------------------------------------------------------------------------------- */

enum ir_type {
#define IR_TYPE(name, text, scalar, bytes, meaning) IR_TYPE_##name,
#include "ir/types.def"
    IR_TYPES
};
enum ir_mem {
#define IR_MEM(name, text, type, bytes, meaning) IR_MEM_##name,
#include "ir/types.def"
    IR_MEMS
};
/* Pure operations first, in the order of enum scalar_op: IR_add == (enum ir_op)SCALAR_OP_add. */
enum ir_op {
#define SCALAR_OP(op, flags, meaning) IR_##op,
#include "base/scalar.def"
#define IR_OP(op, text, types, argc, imm, latency, flags, meaning) IR_##op,
#include "ir/ops.def"
    IR_OPS
};
enum ir_special {
#define SPECIAL(name, text, source, scope, meaning) IR_SPECIAL_##name,
#include "ir/specials.def"
#undef SPECIAL
    IR_SPECIALS
};
enum ir_scope { IR_SCOPE_THREAD, IR_SCOPE_WARP, IR_SCOPE_BLOCK, IR_SCOPE_LAUNCH };
enum ir_latency {
    IR_LAT_NONE, IR_LAT_ALU, IR_LAT_MUL, IR_LAT_DIV, IR_LAT_FPU, IR_LAT_DPU, IR_LAT_SFU, IR_LAT_LOAD,
    IR_LAT_ATOM, IR_LAT_SYNC, IR_LAT_CALL, IR_LAT_BR,
};
/* What an instruction's `imm` is. */
enum ir_imm {
    IR_IMM_NONE,
    IR_IMM_STORAGE,               /* bytes; imm2 the alignment */
    IR_IMM_OFFSET,                /* added to operand 0; the access's type is `mem`; imm2: IR_MAX_WIDE */
    IR_IMM_BYTES,
    IR_IMM_SPECIAL,               /* enum ir_special */
    IR_IMM_PREDICTION,            /* number of a prediction region of the function; imm2 the threshold */
    IR_IMM_REGISTER,              /* number of a convergence barrier register; imm2 the threshold of a wait */
    /* number in the module's table */
    IR_IMM_OBJECT, IR_IMM_FUNCTION, IR_IMM_SIGNATURE, IR_IMM_HOST, IR_IMM_TEXT,
};

enum ir_op_flag {
    IR_PURE = 1, IR_COMMUTES = 2, IR_EFFECT = 4, IR_READS = 8, IR_WRITES = 16, IR_CONVERGENT = 32,
    IR_TERMINATOR = 64, IR_DIVERGES = 128, IR_UNIFORM = 256, IR_TRAPS = 512,
};
struct ir_op_info {
    const char *text;
    const char *types;        /* of ops.def; NULL: a scalar operation, see scalar_case_info */
    int8_t      argc;
    uint8_t     imm;          /* enum ir_imm */
    uint8_t     latency;      /* of scalar operations: by type, see ir_latency_of */
    uint16_t    flags;        /* enum ir_op_flag */
};
struct ir_type_info { const char *text, *meaning; int8_t scalar; uint8_t bytes; }; /* scalar -1: none */
struct ir_mem_info { const char *text, *meaning; uint8_t type, bytes; };
struct ir_special_info { const char *text, *source, *meaning; uint8_t scope; };
extern const struct ir_op_info ir_op_info[IR_OPS];
const char *ir_op_meaning(enum ir_op op); /* for references */
extern const struct ir_type_info ir_type_info[IR_TYPES];
extern const struct ir_mem_info ir_mem_info[IR_MEMS];
extern const struct ir_special_info ir_special_info[IR_SPECIALS];

static inline bool ir_is_pointer(enum ir_type t) { return t >= IR_TYPE_GLOBAL && t <= IR_TYPE_FUNCTION; }
static inline bool ir_is_float(enum ir_type t) { return t == IR_TYPE_F32 || t == IR_TYPE_F64; }
static inline bool ir_is_pure(enum ir_op op) { return (unsigned)op < SCALAR_OPS; }
/* Pure, or an address, or a number that a thread begins with: no effect, and nothing that others may change. */
static inline bool ir_only_computes(enum ir_op op)
{
    return ir_is_pure(op) || op == IR_ptradd || op == IR_ptrcast || op == IR_object || op == IR_function ||
           op == IR_special;
}
static inline bool ir_is_atomic(enum ir_op op) { return op >= IR_atomic_add && op <= IR_atomic_cas; }
/* cb.join and its like: `imm` is the register of a convergence barrier. */
static inline bool ir_is_convergence_barrier(enum ir_op op) { return ir_op_info[op].imm == IR_IMM_REGISTER; }

/* ---- functions, blocks, instructions --------------------------------------------------------------- */

typedef uint32_t ir_ref;          /* index into fn->ins; 0 is none */
#define IR_NO_BLOCK UINT32_MAX
#define IR_AT_RETURN (UINT32_MAX - 1) /* as a place where lanes reconverge: not before the function returns */

struct ir_ins {
    uint16_t op;                  /* enum ir_op */
    uint8_t  type;                /* enum ir_type of the value; VOID: none */
    uint8_t  mem;                 /* enum ir_mem of a memory access */
    uint32_t argc;
    ir_ref  *args;
    ir_ref   token;               /* of a convergent operation or call; 0: uncontrolled */
    uint32_t block;               /* where it stands; IR_NO_BLOCK: constant, or removed */
    ir_ref   prev, next;          /* in its block */
    int64_t  imm;                 /* see ops.def; of a constant its scalar_bits */
    uint32_t imm2;
    place    at;                  /* in the source; line 0: made by the compiler */
    const char *name;             /* for people; may be NULL; not unique */
};

/* What imm2 of a cb.cancel says. threshold 0: threads leave in any case; else only where they have to wait in
 * barrier `wait`, with that threshold. */
struct ir_cancel { bool member; uint32_t threshold, wait; };
static inline uint32_t ir_cancel_pack(struct ir_cancel l)
{
    return (uint32_t)l.member | l.threshold << 8 | l.wait << 16;
}
static inline struct ir_cancel ir_cancel_of(const struct ir_ins *cancel)
{
    return (struct ir_cancel){cancel->imm2 & 1, cancel->imm2 >> 8 & 0xff, cancel->imm2 >> 16};
}

/* imm2 of a load or store, if it is not 0: N bytes, a power of two of at most this, more than it moves itself.
 * Its address is expected to be a multiple of N, and accesses of its kind to other bytes of these N that stand
 * behind it may be made with it, as one. What memory holds and what traps does not depend on it. */
enum { IR_MAX_WIDE = 16 };

struct ir_edge {
    uint32_t block;
    uint32_t argc;                /* == number of the target's parameters */
    ir_ref  *args;
    int64_t  value;               /* of a switch: the case (not of edge 0) */
    uint32_t capacity;            /* of args; 0: grow by a fresh copy (set it to 0 when you share or set
                                     args) */
    bool     breaks;              /* nobody waits for the threads that go this way, as after BREAK of NVIDIA's
                                     GPUs: they do not come to where the branches before reconverge. Chosen by
                                     a scheme's pass */
};

struct ir_block {
    const char     *name;         /* for people; may be NULL */
    ir_ref          first, last;  /* last is the terminator once the block is complete */
    u32_vec         params;       /* ir_refs, op IR_param */
    VEC(struct ir_edge) edges;    /* successors */
    uint32_t        reconverge;   /* of a divergent branch: where its lanes reconverge, chosen by a scheme's
                                     pass; under convergence barriers at whose wait, and they join as they
                                     diverge. IR_AT_RETURN: nowhere in the function. IR_NO_BLOCK: not
                                     chosen */
    bool            overhead;     /* of the branch: only a scheme needs it, whose pass added it */
    uint8_t         predicated;   /* of a brif: bit e: the arm behind edge e is predicated, if it can be (see
                                     ir_predication_new) */
    uint32_t        frontier;     /* of the blocks where others may wait while this one runs, that of the
                                     highest priority, by a scheme's pass; IR_NO_BLOCK: nobody waits */
    bool            check;        /* re-convergence check, by a scheme's pass: threads may come here while
                                     others wait, here or where they are to run first */
    bool            removed;
};

enum { IR_BOTH_SIDES = 3 };

enum ir_function_flag {
    IR_FN_KERNEL = 1,
    IR_FN_CONVERGENT = 2,
    IR_FN_NOINLINE = 4,
    IR_FN_INLINE = 8,
    IR_FN_TAKEN = 16, /* its address, its number plus 1, stands among an object's bytes */
};

struct ir_function {
    struct ir_module *module;
    const char       *name;       /* interned */
    uint32_t          id;         /* index into module->functions */
    uint32_t          flags;
    uint8_t           result;     /* enum ir_type */
    place             at;
    VEC(struct ir_ins) ins;       /* ins.at[0] is IR_none */
    VEC(struct ir_block) blocks;
    u32_vec           order;      /* live blocks in layout order; order.at[0] is the entry, its params the
                                     function's */
    struct map        constants;  /* hash of (type, bits) -> ir_ref; a taken key's next is key + 1 */
    uint32_t          predictions; /* numbers given out to predict */
    uint32_t          removed;    /* entries of ins that are IR_none, but for ins.at[0] */
};

#define IR_UNSIZED_ALIGN 16u      /* of an object whose length a launch gives, at most */
/* Named memory of the module: constant data, or shared memory (one copy a block, zero at its start). */
struct ir_object {
    const char *name;
    uint8_t     space;            /* IR_TYPE_CONSTANT or IR_TYPE_SHARED */
    uint32_t    size, align;
    uint32_t    unit;             /* shared: bytes of an element of an array whose length a launch gives (then
                                     size is 0), or 0 */
    const uint8_t *bytes;         /* constant: `size` bytes, little-endian */
    place       at;
};
struct ir_signature { uint8_t result, argc; uint8_t args[IR_MAX_ARGS]; bool convergent; };
struct ir_host { const char *name; uint32_t signature; place at; };
/* A printf format or trap message; args in the types the format asks for after C's promotions. */
struct ir_string { const char *text; uint32_t length; };

/* What the launch directive and the tools need to know of a kernel's parameter. */
struct ir_param_info {
    const char *name;             /* of the source */
    const char *text;             /* its type as written, e.g. "global float *" */
    uint8_t     type;             /* enum ir_type */
    uint8_t     element;          /* enum launch_element of what a pointer points to, or of a scalar itself */
    uint32_t    element_bytes;
    const char *layout;           /* of the structures that a pointer leads to (launch/layout.h), or NULL */
};
struct ir_kernel_info {
    uint32_t function;
    VEC(struct ir_param_info) params;
    u32_vec unsized;              /* objects: its shared arrays whose lengths a launch gives, in the order in
                                     which it does; at most LAUNCH_MAX_SHARED */
};

struct ir_module {
    struct arena         arena;
    struct strings       strings;
    const char          *file;         /* name of the source, for messages */
    VEC(struct ir_function *) functions;
    VEC(struct ir_object) objects;
    VEC(struct ir_signature) signatures;
    VEC(struct ir_host)  hosts;
    VEC(struct ir_string) texts;
    VEC(struct ir_kernel_info) kernels;
    VEC(struct launch)   launches;     /* launch directives, in source order */
    struct map           signature_index, text_index;  /* hash -> number; a taken key's next is key + 1 */
    bool                 orders;       /* some function has, or had, a fence or an anchor */
};

/* ---- module, function (ir/module.c) ----------------------------------------------------------------- */

/* An empty module, the caller's (ir_module_free). `file` is copied; NULL stands for "". */
struct ir_module *ir_module_new(const char *file);
void ir_module_free(struct ir_module *m);                     /* NULL is fine */
/* Runs the job; if memory runs out in it, frees the module before that is passed on. */
void ir_module_fill(struct ir_module *m, void (*job)(struct ir_module *m, void *data), void *data);
/* Appended to the module, without blocks; `flags`: enum ir_function_flag. The name is copied; no other
 * function has it. */
struct ir_function *ir_function_new(struct ir_module *m, const char *name, enum ir_type result,
                                    uint32_t flags);
/* Linear; a user with many names keeps a map. */
struct ir_function *ir_function_find(const struct ir_module *m, const char *name);   /* or NULL */
/* equal ones share a number */
uint32_t ir_signature_add(struct ir_module *m, struct ir_signature s);
#define IR_NO_SIGNATURE UINT32_MAX
/* The number of one equal to s, convergent or not alike, or IR_NO_SIGNATURE. */
uint32_t ir_signature_find(const struct ir_module *m, const struct ir_signature *s);
/* equal ones share a number */
uint32_t ir_text_add(struct ir_module *m, const char *text, size_t n);
const struct ir_kernel_info *ir_kernel_info(const struct ir_module *m, uint32_t function); /* or NULL */
#define IR_NOT_UNSIZED UINT32_MAX
/* Which of the kernel's unsized arrays the object is, or IR_NOT_UNSIZED; NULL: of no kernel. */
uint32_t ir_unsized_number(const struct ir_kernel_info *k, uint32_t object);
/* A deep copy in another module, which has what the function names under the same numbers; not added to it. */
struct ir_function *ir_function_copy(struct ir_module *to, const struct ir_function *f);
/* A deep copy; the runner checks passes on it and prints differences against it. */
struct ir_module *ir_module_copy(const struct ir_module *m);

static inline struct ir_ins *ir_at(const struct ir_function *f, ir_ref r) { return &f->ins.at[r]; }
static inline struct ir_block *ir_block_at(const struct ir_function *f, uint32_t b)
{
    return &f->blocks.at[b];
}
static inline uint32_t ir_entry(const struct ir_function *f) { return f->order.at[0]; }
static inline ir_ref ir_terminator(const struct ir_function *f, uint32_t b) { return f->blocks.at[b].last; }
#define ir_each_block(i, b, f)                                                                               \
    for (uint32_t i = 0, b; i < (f)->order.count && ((b) = (f)->order.at[i], true); i++)
/* ir_each_succ(s, b, f) visit(s): the targets of block b's edges; s_at is the edge's number. */
#define ir_each_succ(s, b, f)                                                                                \
    for (uint32_t s##_at = 0, s; s##_at < ir_block_at((f), (b))->edges.count &&                              \
                                 ((s) = ir_block_at((f), (b))->edges.at[s##_at].block, true);                \
         s##_at++)
#define ir_each_ins(r, f, b) for (ir_ref r = ir_block_at((f), (b))->first; r; r = ir_at((f), r)->next)

/* ---- building and changing (ir/build.c) -------------------------------------------------------------- */

/* Where new instructions go: before `before`, or at the end of `block` when it is 0. */
struct ir_cursor { struct ir_function *fn; uint32_t block; ir_ref before; place at; };

uint32_t ir_block_new(struct ir_function *f, const char *name);        /* appended to the order */
/* Appends a parameter; edges to the block get their argument by ir_edge_arg. `name` is interned in the
 * module, or NULL. */
ir_ref ir_param_new(struct ir_function *f, uint32_t block, enum ir_type t, const char *name);
ir_ref ir_const(struct ir_function *f, enum ir_type t, scalar_bits bits);   /* shared */
static inline ir_ref ir_const_i32(struct ir_function *f, uint32_t v) { return ir_const(f, IR_TYPE_I32, v); }
static inline ir_ref ir_const_i1(struct ir_function *f, bool v) { return ir_const(f, IR_TYPE_I1, v); }
bool ir_is_const(const struct ir_function *f, ir_ref r, scalar_bits *bits); /* bits may be NULL */

/* The general maker; the rest are short ways to it. `args` is copied. */
ir_ref ir_emit(struct ir_cursor *c, enum ir_op op, enum ir_type t, uint32_t argc, const ir_ref *args);
/* Instructions with so many operands. */
ir_ref ir_emit0(struct ir_cursor *c, enum ir_op op, enum ir_type t);
ir_ref ir_emit1(struct ir_cursor *c, enum ir_op op, enum ir_type t, ir_ref a);
ir_ref ir_emit2(struct ir_cursor *c, enum ir_op op, enum ir_type t, ir_ref a, ir_ref b);
ir_ref ir_emit3(struct ir_cursor *c, enum ir_op op, enum ir_type t, ir_ref a, ir_ref b, ir_ref d);
/* From `address` + offset bytes, as memory type m; t: the value's type. */
ir_ref ir_emit_load(struct ir_cursor *c, enum ir_mem m, enum ir_type t, ir_ref address, int32_t offset);
/* To `address` + offset bytes, as memory type m. */
ir_ref ir_emit_store(struct ir_cursor *c, enum ir_mem m, ir_ref address, int32_t offset, ir_ref value);
ir_ref ir_emit_br(struct ir_cursor *c, uint32_t to);                           /* edges without arguments: */
/* Edge 0 leads to `yes`, edge 1 to `no`. */
ir_ref ir_emit_brif(struct ir_cursor *c, ir_ref condition, uint32_t yes, uint32_t no);
ir_ref ir_emit_switch(struct ir_cursor *c, ir_ref value, uint32_t otherwise);  /* cases: ir_edge_add */
ir_ref ir_emit_ret(struct ir_cursor *c, ir_ref value);                         /* 0: none */
/* Appends an edge without arguments; `value`: of a switch's case, else 0. Valid until the block gets
 * another. */
struct ir_edge *ir_edge_add(struct ir_function *f, uint32_t from, uint32_t to, int64_t value);
void ir_edge_arg(struct ir_function *f, struct ir_edge *e, ir_ref arg);        /* appends an argument */

/* Out of its block, still usable; without its branch a block has no place to reconverge at */
void ir_unlink(struct ir_function *f, ir_ref r);
void ir_link(struct ir_cursor *c, ir_ref r);                        /* puts an unlinked one at the cursor */
void ir_remove(struct ir_function *f, ir_ref r);                    /* unlinks and makes it IR_none */
void ir_drop(struct ir_function *f, ir_ref r);                      /* the same of one that is in no list */
/* out of the order, instructions removed: O(blocks) */
void ir_block_remove(struct ir_function *f, uint32_t b);
/* many at once, by block number: O(blocks) */
void ir_blocks_remove(struct ir_function *f, struct bitset dead);
/* and every edge's argument: O(edges) */
void ir_param_remove(struct ir_function *f, uint32_t b, uint32_t position);
/* Replaces every operand r by to[r] wherever to[r] != 0, in one sweep over the function. Chains are followed
 * (and shortened in `to`, which has fn->ins.count entries); they have no cycles, and to[0] is 0. */
void ir_substitute(struct ir_function *f, ir_ref *to);
/* Splits block b before instruction r; the new block (last in the order) gets r and what follows, b's edges
 * and its `reconverge`; b gets no terminator. Costs what moves, so split a block at many places from its end
 * backwards. */
uint32_t ir_block_split(struct ir_function *f, uint32_t b, ir_ref r, const char *name);
/* Puts an empty block with a br on edge number e of b; returns it. Edge arguments move to its br. */
uint32_t ir_edge_split(struct ir_function *f, uint32_t b, uint32_t e);
/* Copies r of `from` to the cursor (edges of a terminator not). map: old -> new; where it is 0, constants are
 * made anew, and all else stands for itself (then `from` must be the cursor's function). Keeps r's place. */
ir_ref ir_copy_ins(struct ir_cursor *c, const struct ir_function *from, ir_ref r, const ir_ref *map);
/* Where fn->ins has at least so many entries and most of them have been removed: gives new numbers to what is
 * left, values and blocks, in the order that it had; all others are void then. Whether it has (ir/compact.c).
 * Linear, which is O(1) for each number that was given out. */
bool ir_compact(struct ir_function *f, uint32_t least);

/* ---- facts about instructions (ir/facts.c) ----------------------------------------------------------- */

/* The types of the function's parameters and result, and whether it is convergent. */
struct ir_signature ir_signature_of(const struct ir_function *f);
/* Whether a call through a pointer with this signature reaches f: the types are the same, and only a
 * convergent signature reaches a convergent function. */
bool ir_may_call(const struct ir_signature *s, const struct ir_function *f);
bool ir_is_convergent(const struct ir_function *f, ir_ref r);   /* operation, or call of convergent function,
                                                                   or has a token */
/* "Convergent Operation Semantics", Uncontrolled Convergent Operations: an operation of each mode, which do
 * not mix in a function; 0: none. A token without users makes no operation controlled. */
struct ir_token_modes {
    ir_ref controlled, uncontrolled, entry;
}; /* entry: the function's token.entry */
struct ir_token_modes ir_token_modes_of(const struct ir_function *f);   /* the first of each; linear */
bool ir_has_effect(const struct ir_function *f, ir_ref r);      /* must stay although its value is unused */
/* The class of ir/latency.def that the operation, by its types, is of. */
enum ir_latency ir_latency_of(const struct ir_function *f, ir_ref r);
/* Modelled cycles (latency.def) by class, and of one instruction. */
extern const uint8_t ir_latency_cycles[];
/* ir_latency_cycles of its class. */
uint32_t ir_cost_of(const struct ir_function *f, ir_ref r);
/* Address r as a root and a constant number of bytes from it (modulo 2^32), through ptradd. */
struct ir_address { ir_ref root; uint32_t offset; };
/* Time: the length of the chain of ptradd. */
struct ir_address ir_address_of(const struct ir_function *f, ir_ref r);
/* What a load of kind m, not PTR, makes of the bytes at `at`, little-endian. */
scalar_bits ir_loaded(enum ir_mem m, const void *at);
/* The case of scalar.def that a pure instruction computes. */
enum scalar_case ir_scalar_case(const struct ir_function *f, ir_ref r);
/* The only type the operation's value ever has (enum ir_type), which the text form therefore leaves out; else
 * -1. */
int ir_fixed_type(enum ir_op op);
/* Types an instruction's scalar case works on: pointers count as I. -1: none fits (the verifier says so). */
int ir_find_case(enum ir_op op, enum ir_type result, enum ir_type argument);

/* ---- text (ir/text/print.c, ir/text/parse.c), checks (ir/verify/verify.c) ---------------------------- */

struct ir_print_options {
    bool locations;              /* "!line:column" behind each instruction (needed to parse back the same) */
    /* What follows "; " behind instruction r, or of parameter r behind its block's label; NULL: nothing. */
    const char *(*comment)(void *data, const struct ir_function *f, ir_ref r);
    void *data;
};
/* The whole text form, which parses back to the same module. */
void ir_print_module(const struct ir_module *m, struct text *out);
/* The module with its functions printed by `function`. */
void ir_print_module_by(const struct ir_module *m,
                        void (*function)(const struct ir_function *, struct text *), struct text *out);
/* o may be NULL: defaults, with locations */
void ir_print_function(const struct ir_function *f, struct text *out, const struct ir_print_options *o);
void ir_print_ins(const struct ir_function *f, ir_ref r, struct text *out);      /* one line, no newline */
/* The block's name in the text (cut to the buffer). Linear in the function: for messages. */
const char *ir_block_name(const struct ir_function *f, uint32_t b, char buffer[64]);
/* Parses a module; NULL with diagnostics if it has errors. Limits: ir/limits.def. */
struct ir_module *ir_parse(const struct source *s, struct diagnostics *d);
/* Checks every rule of docs/ir.md; each broken one is an error diagnostic whose id is the rule's name. True
 * if none. */
bool ir_verify(const struct ir_module *m, struct diagnostics *d);
/* The rules that speak of one function. */
bool ir_verify_function(const struct ir_function *f, struct diagnostics *d);

#endif
