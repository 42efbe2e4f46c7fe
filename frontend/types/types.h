/* types.h: the types of Kern, hash-consed: two types are the same if and only if their pointers are.
 *
 * The kinds of scalar types are the words of frontend/ast/ast.def, in that order. An enumeration's type is int.
 * `const` makes a type of its own whose `plain` is the type without it; an array is const if its elements
 * are. A pointer knows the address space of what it points to; a type itself lives in no space. A pointer
 * takes 4 bytes. Every type lives in the arena of its fe_types.
 */
#ifndef KERNC_FRONTEND_TYPES_TYPES_H
#define KERNC_FRONTEND_TYPES_TYPES_H

#include "frontend/ast/ast.h"
#include "ir/ir.h"

enum fe_type_kind {
#define FE_WORD(kind, text, meaning) FE_TYPE_##kind,
#include "frontend/ast/ast.def"
    FE_TYPE_STRUCT,
    FE_TYPE_ARRAY,
    FE_TYPE_POINTER,
    FE_TYPE_FUNCTION,
    FE_TYPE_ERROR, /* of what has been complained about already */
};

#define FE_UNSIZED    UINT64_MAX /* count of an array written as [] */
#define FE_VECTOR_MAX 4          /* elements of a vector: 2 to 4 */
#define FE_TYPE_DEPTH 200        /* arrays, pointers, structures inside each other, typedefs seen through */

struct fe_type {
    uint8_t kind;  /* enum fe_type_kind */
    uint8_t space; /* POINTER: enum fe_space of what it points to, never NONE */
    bool is_const;
    bool is_complete; /* has a size; not void, functions, unsized arrays, undefined structures */
    bool has_const;   /* it, or something inside it, is const: not to be assigned to */
    uint32_t align;
    uint64_t size;           /* bytes; saturates at FE_UNSIZED */
    uint64_t count;          /* ARRAY, vector */
    struct fe_type *of;      /* POINTER, ARRAY, STRUCT that is a vector: element; FUNCTION: result */
    struct fe_type **params; /* FUNCTION */
    uint32_t param_count;
    struct fe_type *words; /* STRUCT that is a union: what it is copied by, as large as its alignment but
                              no larger than an int; NULL: no union */
    struct fe_decl
        *decl; /* STRUCT: its definition, NULL before that; POINTER: the variable whose space is not
                              decided yet (frontend/check/instance.c), mostly NULL */
    struct fe_type *with; /* POINTER without a decided space: the next in the ring of those that get one */
    const char *tag;      /* STRUCT: or NULL */
    uint32_t scalars;     /* scalar leaves, of unions words; saturating */
    uint16_t depth;       /* types inside it, at most FE_TYPE_DEPTH once checked; saturating */
    uint32_t signature;   /* FUNCTION: number among the function types of the unit */
    bool begins_unset;    /* STRUCT, plain: some variable of it, or that has it, begins without a value */

    struct fe_type *plain, *qualified;   /* without const; with const, made when asked for */
    struct fe_type *pointers[FE_SPACES]; /* pointers to this type, made when asked for */
    struct fe_type *next_same_hash;
};

struct fe_types {
    struct arena *arena;
    struct fe_type *basic[FE_TYPE_TOKEN + 1], *error;
    struct fe_type *vectors[FE_TYPE_TOKEN + 1][FE_VECTOR_MAX + 1]; /* made when asked for */
    struct map composite;                                          /* hash -> index into all */
    VEC(struct fe_type *) all;
    VEC(struct fe_type *) functions; /* FUNCTION types, in order of their signature number */
};
/* The basic types; all that are made later live in the arena too. */
void fe_types_init(struct fe_types *ts, struct arena *a);
/* One object for each target and space; FE_SPACE_NONE is the private space. */
struct fe_type *fe_pointer_to(struct fe_types *ts, struct fe_type *to, enum fe_space space);
/* One object for each element type and count; FE_UNSIZED: of []. Sizes saturate. */
struct fe_type *fe_array_of(struct fe_types *ts, struct fe_type *element, uint64_t count);
/* Top-level const of parameters is dropped. */
struct fe_type *fe_function_of(struct fe_types *ts, struct fe_type *result, uint32_t n,
                               struct fe_type *const *params);
/* A structure or union without members as yet; fe_struct_define lays out decl's FIELDs, whose types are set and
 * complete. */
struct fe_type *fe_struct_new(struct fe_types *ts, const char *tag, bool is_union);
/* Sets offsets, size and alignment; sizes saturate. Linear in the members. */
void fe_struct_define(struct fe_types *ts, struct fe_type *t, struct fe_decl *decl);
/* The vector type of so many (2 to FE_VECTOR_MAX) elements of an arithmetic type but bool (types.c): a
 * structure of x, y, z and w, as CUDA lays it out; NULL: there is none of this type. */
struct fe_type *fe_vector_of(struct fe_types *ts, const struct fe_type *element, uint32_t count);
/* The vector type of this name ("float4"); NULL: it names none. */
struct fe_type *fe_find_vector(struct fe_types *ts, const char *name);
/* Calls `enter` with the name of each vector type. */
void fe_each_vector_name(void (*enter)(void *to, const char *name), void *to);
/* The elements that a member of a vector of `count` elements selects ("xy", "s0", "lo", "rgb"), by their
 * number. How many they are; 0: it is no such name, or names an element that is not there. */
uint32_t fe_selected(const char *member, uint32_t count, uint8_t elements[FE_VECTOR_MAX]);
/* The type as const, of an array its elements; functions stay. */
struct fe_type *fe_const_of(struct fe_types *ts, struct fe_type *t);

/* In C's notation; a pointer's space stands before what it points to: "global const float *". */
void fe_type_print(const struct fe_type *t, struct text *out);

/* The scalars that make up an object of type t called `name`, in the order of memory; a union's
 * words stand for it. As many as t->scalars. */
struct fe_leaf {
    const char *name;
    const struct fe_type *type;
    uint32_t offset;
};
typedef VEC(struct fe_leaf) fe_leaves;
fe_leaves fe_leaves_of(struct arena *a, const char *name, const struct fe_type *t);
/* The text of launch/layout.h for a structure; NULL of other types, and where the text would be too long. */
const char *fe_layout_text(struct arena *a, const struct fe_type *t);

/* ---- questions; all see through const ---------------------------------------------------------------- */

static inline bool fe_is_error(const struct fe_type *t)
{
    return t->kind == FE_TYPE_ERROR;
}
static inline bool fe_is_integer(const struct fe_type *t)
{
    return t->kind >= FE_TYPE_BOOL && t->kind <= FE_TYPE_ULONG;
}

static inline bool fe_is_float(const struct fe_type *t)
{
    return t->kind == FE_TYPE_FLOAT || t->kind == FE_TYPE_DOUBLE;
}

static inline bool fe_is_arithmetic(const struct fe_type *t)
{
    return fe_is_integer(t) || fe_is_float(t);
}
static inline bool fe_is_pointer(const struct fe_type *t)
{
    return t->kind == FE_TYPE_POINTER;
}
static inline bool fe_is_scalar(const struct fe_type *t)
{
    return fe_is_arithmetic(t) || fe_is_pointer(t);
}
static inline bool fe_is_aggregate(const struct fe_type *t)
{
    return t->kind == FE_TYPE_STRUCT || t->kind == FE_TYPE_ARRAY;
}

/* A variable of the type begins without a value. */
void fe_note_unset(const struct fe_type *t);
/* Whether values of the type may have parts that nobody has set. */
bool fe_may_be_unset(const struct fe_type *t);
static inline bool fe_is_union(const struct fe_type *t)
{
    return t->kind == FE_TYPE_STRUCT && t->words;
}
static inline bool fe_is_vector(const struct fe_type *t)
{
    return t->kind == FE_TYPE_STRUCT && t->of;
}

static inline bool fe_is_undecided(const struct fe_type *t)
{
    return t->kind == FE_TYPE_POINTER && t->decl;
}
static inline bool fe_is_function_pointer(const struct fe_type *t)
{
    return fe_is_pointer(t) && t->of->kind == FE_TYPE_FUNCTION;
}
bool fe_is_signed(const struct fe_type *t); /* of arithmetic types; bool is unsigned, floats are signed */

/* How a scalar (pointer, or token) is held in a register and in memory. Narrow integers are held extended. */
enum ir_type fe_ir_type(const struct fe_type *t);
enum ir_mem fe_ir_mem(const struct fe_type *t);
/* The pointer type of the space; of NONE private. */
enum ir_type fe_ir_space(enum fe_space s);
/* What a launch makes of a parameter's element; LAUNCH_BYTES for what is no arithmetic type. */
enum launch_element fe_launch_element(const struct fe_type *t);

#endif
