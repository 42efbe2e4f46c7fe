/* llvm.h: a module of LLVM IR as its text says it, for the importer to lower.
 *
 * llvm_parse reads the text form of LLVM 18 to 20 ("LLVM Language Reference Manual") into this tree: types,
 * globals, functions, metadata. Nothing is interpreted here: names are not looked up in any vocabulary,
 * attributes that do not change what a kernel computes are skipped, address spaces are as written. All that
 * is kept has a place in the .ll text for messages.
 *
 * What the parser cannot keep it refuses with the place and the construct (landingpad, callbr, …).
 */
#ifndef KERNC_IMPORT_LLVM_H
#define KERNC_IMPORT_LLVM_H

#include "base/base.h"
#include "base/diag.h"
#include "base/scalar.h"

/* ---- types: equal ones of a module are one object, so that addresses compare -------------------------- */

enum ll_kind {
    LL_VOID,
    LL_INT,
    LL_HALF,
    LL_BFLOAT,
    LL_FLOAT,
    LL_DOUBLE,
    LL_POINTER,
    LL_VECTOR,
    LL_ARRAY,
    LL_STRUCT,
    LL_FUNCTION,
    LL_TOKEN,
    LL_LABEL,
    LL_METADATA,
    LL_OPAQUE,
};
struct ll_type {
    uint8_t kind;          /* enum ll_kind */
    bool packed, variadic; /* STRUCT: <{ }>; FUNCTION: ends in ... */
    uint32_t bits;         /* INT: its width, 1 to 8,388,607; POINTER: its address space */
    uint64_t count;        /* VECTOR, ARRAY: elements */
    uint32_t argc;         /* of args: STRUCT fields; FUNCTION parameters */
    struct ll_type **args; /* VECTOR, ARRAY: args[0] the element; FUNCTION: args[argc] the result */
    const char *name;      /* STRUCT, OPAQUE: %struct.S without %, or NULL; named ones are never equal */
    uint64_t bytes;        /* ll_bytes, ll_align, ll_field: 0, 1 and NULL of what has no place in memory */
    uint64_t *fields;
    uint32_t align;
    uint32_t depth; /* types in it that are inside each other: at most IMPORT_MAX_NESTING */
};

/* ---- values ------------------------------------------------------------------------------------------ */

enum ll_value_kind {
    LL_LOCAL,  /* number: of the function's values (parameters first, then as they are defined in the text) */
    LL_GLOBAL, /* number: of the module's globals */
    LL_FUNCTION_REF, /* number: of the module's functions */
    LL_CONST_INT, /* words: little-endian 64-bit words, as many as the width needs; the bits above it are 0 */
    LL_CONST_FLOAT, /* words[0]: the bits in the type's own format (half: 16 bits, float: 32) */
    LL_NULL,
    LL_ZERO,
    LL_UNDEF,     /* null; zeroinitializer, none; undef and poison */
    LL_AGGREGATE, /* args: elements of an array, vector or structure constant; c"…" is one of i8; splat too */
    LL_EXPRESSION,   /* constant expression: `op` with args, as an instruction of that operation has them */
    LL_ASM,          /* inline assembly: text its template */
    LL_METADATA_REF, /* metadata as an argument: number of the node, or UINT32_MAX for a string or a value */
    LL_BLOCK_ADDRESS,
};
/* Of instructions and constant expressions: LLVM's own names. */
enum ll_op {
#define LL_OP(name, shape) LL_OP_##name,
#include "import/instructions.def"
    LL_OPS
};
extern const char *const ll_op_names[LL_OPS];

struct ll_value {
    uint8_t kind; /* enum ll_value_kind */
    uint8_t op;   /* EXPRESSION: enum ll_op */
    struct ll_type *type;
    uint32_t number, argc;
    struct ll_value **args;
    uint64_t *words;
    const char *text;
    struct ll_type *element; /* EXPRESSION getelementptr: its source element type */
    place at;
};

/* ---- instructions ------------------------------------------------------------------------------------ */

/* Of fcmp in the order of their bits, false to true; then of icmp, whose ugt is i_ugt here. */
enum ll_predicate {
#define LL_PREDICATE(name) LL_##name,
#include "import/instructions.def"
    LL_PREDICATES
};
struct ll_case {
    struct ll_value *value;
    uint32_t block;
};
struct ll_bundle {
    const char *tag;
    uint32_t argc;
    struct ll_value **args;
};

/* Operands by operation, in `args`:
 *   ret [value]; br: none, or condition; switch: value; unreachable
 *   binary and unary operations, icmp, fcmp, casts, select, freeze: as LLVM writes them
 *   alloca: [count]; load: address; store: value, address; getelementptr: base, indices
 *   cmpxchg: address, expected, new; atomicrmw: address, value (`rmw` says which)
 *   phi: values, whose blocks are in `blocks`
 *   call: the arguments (of type metadata too); `callee` is the function
 *   extractelement, insertelement, shufflevector (args[2] the mask, a constant), extractvalue and insertvalue
 *   (constant indices in `indices`)
 */
struct ll_ins {
    uint8_t op;                                                  /* enum ll_op */
    uint8_t predicate;                                           /* enum ll_predicate */
    bool is_volatile, is_atomic, is_convergent, is_noconvergent; /* attributes at the call */
    uint32_t result;      /* number of the local value, or UINT32_MAX */
    struct ll_type *type; /* of the result; VOID */
    struct ll_type
        *element;    /* alloca: the type; getelementptr: source element; load: = type; call: function type */
    const char *rmw; /* atomicrmw: "add", "xchg", … */
    const char *order; /* "monotonic", "seq_cst", … of the last ordering written, or NULL */
    uint32_t align;    /* bytes, 0: not said */
    uint32_t argc;
    struct ll_value **args;
    struct ll_value *callee;
    uint32_t block_count; /* br: targets (true first); phi: incoming; switch: the default alone */
    uint32_t *blocks;
    uint32_t case_count;
    struct ll_case *cases;
    uint32_t index_count;
    uint32_t *indices;
    uint32_t bundle_count;
    struct ll_bundle *bundles;
    uint32_t attributes; /* call: number of its attribute group, or UINT32_MAX */
    uint32_t debug;      /* number of its DILocation, or UINT32_MAX */
    place at;
};

struct ll_block {
    const char *name;
    VEC(struct ll_ins) ins;
    place at;
};

struct ll_metadata_use {
    const char *kind;
    uint32_t node;
};

struct ll_param {
    const char *name; /* or NULL */
    struct ll_type *type;
    struct ll_type *byval; /* of byval(…), or NULL */
    struct ll_type *sret;
    bool sign_extended, zero_extended, noalias;
    uint32_t align;
};
struct ll_local {
    const char *name;
    struct ll_type *type;
}; /* name NULL: it has a number alone */

/* dbg_declare and dbg_value, as records (LLVM 19) and as calls of llvm.dbg.* (18): which value is which
 * variable. */
struct ll_variable {
    struct ll_value *value;
    uint32_t node;
    uint32_t location;
};

struct ll_function {
    const char *name;     /* without @ */
    struct ll_type *type; /* FUNCTION */
    uint32_t param_count;
    struct ll_param *params;
    bool is_defined,
        is_kernel; /* is_kernel: a calling convention of kernels (spir_kernel, ptx_kernel, amdgpu_kernel) */
    bool is_convergent, is_noinline, is_alwaysinline, is_internal; /* by its attribute groups too */
    uint32_t attributes;                                           /* its attribute group, or UINT32_MAX */
    uint32_t debug;                                                /* its DISubprogram, or UINT32_MAX */
    VEC(struct ll_local) locals;                                   /* by number; parameters first */
    VEC(struct ll_block) blocks;                                   /* in the order of the text */
    VEC(struct ll_variable) variables;
    VEC(struct ll_metadata_use) metadata; /* of its definition other than !dbg: !kernel_arg_type !5, … */
    place at;
};

struct ll_global {
    const char *name;
    struct ll_type *type;
    uint32_t space, align;
    bool is_constant, is_external; /* external: without a value */
    struct ll_value *initial;      /* NULL if external */
    struct ll_value *alias;        /* of an alias: what it stands for */
    uint32_t debug;                /* DIGlobalVariableExpression, or UINT32_MAX */
    place at;
};

/* ---- metadata ---------------------------------------------------------------------------------------- */

enum ll_item_kind { LL_ITEM_NULL, LL_ITEM_NODE, LL_ITEM_STRING, LL_ITEM_NUMBER, LL_ITEM_WORD, LL_ITEM_VALUE };
/* A field of !DIName(key: …), or an element (key NULL) of !{…}. */
struct ll_item {
    const char *key;
    uint8_t kind;           /* enum ll_item_kind */
    uint32_t node;          /* NODE */
    int64_t number;         /* NUMBER */
    const char *text;       /* STRING; WORD: DW_ATE_float, true, flags as written */
    struct ll_value *value; /* VALUE: i32 1, ptr @f */
};
struct ll_node {
    const char *kind;
    uint32_t count;
    struct ll_item *items;
    place at;
}; /* kind NULL: !{…} */
struct ll_named_node {
    const char *name;
    u32_vec nodes;
}; /* !nvvm.annotations = !{!0, !1} */

/* attributes #0 = { … }: what changes meaning, and the quoted ones ("kernel"="…"; value NULL: none). */
struct ll_string_attribute {
    const char *key, *value;
};
struct ll_attribute_group {
    bool is_given, is_convergent, is_noconvergent, is_noinline, is_alwaysinline;
    VEC(struct ll_string_attribute) strings;
};

struct ll_pointer_size {
    uint32_t space, bytes;
};

struct ll_module {
    const char *file;                     /* source_filename, or NULL */
    const char *triple;                   /* or NULL */
    uint32_t pointer_bytes;               /* of address space 0 by the datalayout; 8 where it says nothing */
    VEC(struct ll_pointer_size) pointers; /* of other spaces that it names */
    VEC(struct ll_global) globals;
    VEC(struct ll_function) functions;
    VEC(struct ll_node) nodes; /* in the order in which the text first speaks of them; inline ones, too */
    VEC(struct ll_named_node) named;
    VEC(struct ll_attribute_group) attributes; /* in the order in which the text first speaks of them */
    VEC(struct ll_type *) types;
};

/* Reads the text; NULL, with diagnostics at places of the text, if it has errors. All is in the arena. Linear
 * in the text. */
struct ll_module *llvm_parse(struct arena *a, const struct source *s, struct diagnostics *d);
/* What a field of a node says; NULL: the node (UINT32_MAX: none) has no such field. Linear in its fields. */
const struct ll_item *ll_item(const struct ll_module *m, uint32_t node, const char *key);
/* Its number, if that is above 0; else 0. */
uint64_t ll_number(const struct ll_module *m, uint32_t node, const char *key);
/* The type as LLVM writes it, for messages; in the arena. */
const char *ll_type_text(struct arena *a, const struct ll_type *t);
/* By the module's datalayout: bytes that a value takes in memory, its alignment, and where a field begins.
 * 64-bit integers and doubles are aligned to 8, vectors to their size rounded up to a power of two, pointers to
 * theirs. */
uint64_t ll_bytes(const struct ll_module *m, const struct ll_type *t);
uint32_t ll_align(const struct ll_module *m, const struct ll_type *t);
uint64_t ll_field(const struct ll_module *m, const struct ll_type *t, uint32_t field);

/* The way of a getelementptr: begun with `type` its source element, `args` its operands, `at` 1. */
struct ll_way {
    const struct ll_type *type; /* where it has come to */
    struct ll_value *const *args;
    uint32_t argc, at;
    const struct ll_value *index; /* the last */
    uint64_t bytes;               /* FIELD: before the field; ELEMENT: of each element */
};
/* NONE: the index goes into a value that has no such part. */
enum ll_part { LL_PART_END, LL_PART_FIELD, LL_PART_ELEMENT, LL_PART_NONE };
enum ll_part ll_next_part(const struct ll_module *m, struct ll_way *w);

#endif
