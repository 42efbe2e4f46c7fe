/* program.h: a random program as a small tree, from which come its Kern source (print.c), what it has to
 * compute (reference.c) and smaller programs (reduce.c).
 *
 * Every expression has some scalar type, and the printer inserts the conversions that an operator needs: so
 * whatever takes an expression's place, the program stays well typed. Indices are masked, loops count, and
 * each thread writes what is its own: so whatever is dropped, the program stays free of races and ends. Where
 * one index may lie outside its array (`beyond`), the reference says whether it does.
 *
 * Trees live in the program's arena; they are changed in place by relinking and never freed singly.
 */
#ifndef KERNC_FUZZ_PROGRAM_H
#define KERNC_FUZZ_PROGRAM_H

#include "base/base.h"
#include "frontend/types/builtins.h"
#include "fuzz/random.h"

enum fz_type {
#define TYPE(id, text, bits, family) FZ_##id,
#include "fuzz/nodes.def"
    FZ_TYPES
};
enum fz_operator {
#define OPERATOR(id, text, operands, result) FZ_OP_##id,
#include "fuzz/nodes.def"
    FZ_OPERATORS
};
enum fz_kind {
#define NODE(id, category, children, meaning) FZ_NODE_##id,
#include "fuzz/nodes.def"
    FZ_NODES
};
enum fz_category { FZ_STATEMENT, FZ_LIST, FZ_EXPRESSION, FZ_PLACE };
enum fz_loop_form { FZ_FOR, FZ_WHILE, FZ_DO, FZ_ENDLESS, FZ_LOOP_FORMS };

struct fz_type_info {
    const char *text;
    uint8_t bits;
    char family;
};
struct fz_operator_info {
    const char *text;
    char operands, result;
};
struct fz_node_info {
    const char *name;
    enum fz_category category;
    const char *children;
};
extern const struct fz_type_info fz_type_info[FZ_TYPES];
extern const struct fz_operator_info fz_operator_info[FZ_OPERATORS];
extern const struct fz_node_info fz_node_info[FZ_NODES];

struct fz_node {
    uint8_t kind, type, op; /* enum fz_kind; the rest as nodes.def says */
    bool flag;
    uint32_t name;
    uint64_t value;
    struct fz_node *first, *next; /* children, siblings */
};

/* ROWS: an array of vectors. From FZ_TARGETS on: the ints that pointers lead to, a pointer, a table of
 * pointers, a structure with one, a pointer to one. */
enum fz_shape {
    FZ_SCALAR,
    FZ_ARRAY,
    FZ_STRUCT,
    FZ_VECTOR,
    FZ_ROWS,
    FZ_TARGETS,
    FZ_POINTER,
    FZ_POINTERS,
    FZ_LINK,
    FZ_LEADER
};
enum { FZ_ARRAY_LENGTH = 8, FZ_FIELDS = 4, FZ_TARGET_COUNT = 4, FZ_MOST_ELEMENTS = 4, FZ_ROW_COUNT = 4 };
struct fz_variable {
    uint8_t type, shape;     /* of the elements; a structure has the program's fields */
    uint8_t elements;        /* of a vector */
    bool parameter, counter; /* a loop's: nothing else assigns to it */
    bool scoped;             /* declared by its SCOPE, not at the function's start */
    uint64_t seed;           /* of its initial values */
};

struct fz_function {
    uint32_t params; /* the first variables */
    bool is_void;
    uint8_t result; /* enum fz_type */
    bool throws;
    uint32_t cost; /* statements a call executes at most, roughly */
    VEC(struct fz_variable) variables;
    struct fz_node *body; /* a BLOCK */
};

/* A global buffer, a parameter of the kernel: so many elements for each thread, and so many besides. */
struct fz_buffer {
    const char *name;
    uint8_t type;
    bool input;
    uint32_t per_thread, shared;
};

enum { FZ_INPUTS = 32, FZ_TABLE = 8, FZ_SLOTS = 8, FZ_CELLS = 4, FZ_COUNTERS = 12 };
struct fz_program {
    struct arena *arena;
    char class; /* of fz_class_find */
    uint64_t seed;
    uint32_t blocks, threads;  /* of the launch */
    uint8_t fields[FZ_FIELDS]; /* types of the structure's members */
    uint8_t overlapping;       /* of them, from the second on, that are members of a union; 0: none */
    bool pointers;             /* functions have some to few ints, their own or */
    bool shared_targets;       /* the thread's in shared memory */
    int32_t inputs[FZ_INPUTS], table[FZ_TABLE];
    uint32_t beyond; /* which of the elements of arrays, in the tree's order, may be outside; 0: none */
    VEC(struct fz_buffer) buffers;
    VEC(struct fz_function) functions; /* the last one is the kernel; functions call earlier ones only */
    const char *module;                /* class e: the text of its IR, instead of functions; else NULL */
    struct fz_sequence *sequence;      /* class g: its launches, instead of functions; else NULL */
    struct fz_locks *locks;            /* class i: its statements, instead of functions; else NULL */
    struct fz_plant *plant;            /* the mistake that stands in it (plant.h), or NULL */
    bool checked;                      /* it makes no mistake: its shared variables are set first, though they
                                          are 0 anyway, and shifts are by less than the width */
};

/* Those of them that plain programs call, of one generic type: few, so that arms often have the same ones. */
bool fz_is_common(const struct fe_builtin *b);
/* Builtins that compute one value of their arguments alone: BUILTIN's value is a row of fe_builtins. */
bool fz_is_pure(const struct fe_builtin *b);
/* Of classes a and d: no thread sees with whom it runs. */
static inline bool fz_is_race_free(const struct fz_program *p)
{
    return p->class == 'a' || p->class == 'd';
}
/* Of classes f and h: no expression has an effect. */
static inline bool fz_is_plain(const struct fz_program *p)
{
    return p->class == 'f' || p->class == 'h';
}
/* Of classes a, d, f and h: variables, expressions and memory of all types. */
static inline bool fz_has_types(const struct fz_program *p)
{
    return fz_is_race_free(p) || fz_is_plain(p);
}
/* Of classes b and j: rows of a log tell with whom each thread runs. */
static inline bool fz_has_log(const struct fz_program *p)
{
    return p->class == 'b' || p->class == 'j';
}
/* The types of its values are those below this number: all, or in class d and half of classes f and h all but
 * the last one, double. */
static inline uint32_t fz_types(const struct fz_program *p)
{
    return p->class == 'd' || (fz_is_plain(p) && p->seed % 2) ? FZ_DOUBLE : FZ_TYPES;
}
_Static_assert(FZ_DOUBLE == FZ_TYPES - 1, "double is the last type");

extern const char *const fz_geometry[];
enum {
    FZ_GID,
    FZ_THREAD,
    FZ_GEOMETRIES = 5,
    FZ_LANE = FZ_GEOMETRIES
}; /* class a does not draw the last one */
/* Atomic operations whose order can't be seen, each on counters of its own. */
extern const char *const fz_atomics[];
enum { FZ_ATOMICS = 6 };

/* Class c: rows of a trace after which all go the first way they have; the label of the function's end. */
enum { FZ_FUEL = 48, FZ_END = 99 };

/* Hashes are mixed by multiplying with it. */
#define FZ_HASH_FACTOR 2654435761u

/* Convergent operations. */
enum fz_observation {
    FZ_BALLOT_ALL,
    FZ_BALLOT,
    FZ_ACTIVE_MASK,
    FZ_REDUCE_ADD,
    FZ_REDUCE_XOR,
    FZ_REDUCE_MAX,
    FZ_SCAN_ADD,
    FZ_BROADCAST_FIRST,
    FZ_SHUFFLE_XOR,
    FZ_SHUFFLE_UP,
    FZ_ANY,
    FZ_ALL,
    FZ_OBSERVATIONS,
    FZ_ALONE = FZ_OBSERVATIONS /* the operand, which concerns nobody else: of emit.h, never drawn */
};

/* Where the sides of a GATE diverge; a loop's sides are those that leave it early and those that make
 * FZ_GATE_ITERATIONS, and it is the former that return. BESIDE: those that come to the barrier return behind
 * it, and the others go on. */
enum fz_gate { FZ_GATE_IF, FZ_GATE_SWITCH, FZ_GATE_LOOP, FZ_GATE_BESIDE, FZ_GATE_FORMS };
enum { FZ_GATE_ITERATIONS = 3 };

/* What is false in every launch: a value of the input, the same one for all or one of each thread, a size of
 * the launch, the thread's number. */
enum fz_never { FZ_NEVER_INPUT, FZ_NEVER_OWN_INPUT, FZ_NEVER_SIZE, FZ_NEVER_THREAD, FZ_NEVERS };

/* What a PREDICT names: a LABEL, a STATE, a function. */
enum fz_predicted { FZ_PREDICTED_LABEL, FZ_PREDICTED_STATE, FZ_PREDICTED_FUNCTION };

/* ---- the tree (program.c) ---------------------------------------------------------------------------- */

/* Without children. In the program's arena, as all nodes. */
struct fz_node *fz_node(struct fz_program *p, enum fz_kind kind);
/* The same with a value and an operator. */
struct fz_node *fz_leaf(struct fz_program *p, enum fz_kind kind, uint64_t value, uint8_t op);
struct fz_node *fz_add(struct fz_node *parent, struct fz_node *child); /* as the last; returns parent */
struct fz_node *fz_child(const struct fz_node *n, uint32_t index);     /* NULL: it has fewer */
/* With all below, not its siblings. */
struct fz_node *fz_clone(struct fz_program *p, const struct fz_node *n);
/* `bits`: as the type holds them. */
struct fz_node *fz_constant(struct fz_program *p, enum fz_type type, uint64_t bits);
struct fz_node *fz_binary(struct fz_program *p, enum fz_operator op, struct fz_node *x, struct fz_node *y);
/* x op a constant of type uint. */
struct fz_node *fz_by(struct fz_program *p, enum fz_operator op, struct fz_node *x, uint32_t constant);
/* (x >> shift & mask) == value: of a HASH, SEEN or GUIDE. */
struct fz_node *fz_bits_are(struct fz_program *p, enum fz_kind x, uint32_t shift, uint32_t mask,
                            uint32_t value);
/* true in these lanes; a small number that depends on the lane; `target = value`. */
struct fz_node *fz_in_lanes(struct fz_program *p, uint64_t lanes);
struct fz_node *fz_lane_number(struct fz_program *p, uint32_t factor, uint32_t modulus);
struct fz_node *fz_assign(struct fz_program *p, struct fz_node *target, struct fz_node *value);
/* Arithmetic that communicates with nobody: the hash is mixed with a constant. */
struct fz_node *fz_noise(struct fz_program *p, uint32_t constant);
/* A condition on a thread's hash, number or lane, of class b; few: of half as many lanes. */
struct fz_node *fz_thread_condition(struct fz_program *p, struct fz_random *r, bool few);
/* Whether its name is a variable that it reads or writes. */
bool fz_names_variable(const struct fz_node *n);
/* What stands at child `index` by the children's letters of nodes.def. */
char fz_child_letter(const struct fz_node *n, uint32_t index);
/* It and those behind it in its list; NULL: none. */
uint32_t fz_list_length(const struct fz_node *first);
uint32_t fz_size(const struct fz_node *n); /* nodes, n included */
/* Nodes of the functions that the kernel reaches; of class e instructions. */
uint32_t fz_program_size(const struct fz_program *p);
/* Calls visit on n and all below, parents first. */
void fz_walk(const struct fz_node *n, void (*visit)(const struct fz_node *n, void *data), void *data);
/* How often a node of this kind is in the functions that are called. */
uint32_t fz_count(const struct fz_program *p, enum fz_kind kind);
/* Which functions the kernel reaches, a bit each. */
uint64_t fz_reached(const struct fz_program *p);

static inline bool fz_is_float(enum fz_type t)
{
    return fz_type_info[t].family == 'f';
}
/* How many elements an expression has; 1: it is a scalar. */
uint32_t fz_length_of(const struct fz_function *f, const struct fz_node *n);
/* C's integer promotion, and the usual arithmetic conversions. */
enum fz_type fz_promoted(enum fz_type t);
enum fz_type fz_usual(enum fz_type a, enum fz_type b);
/* Of a comparison of vectors: the signed integers of this size. */
enum fz_type fz_truth_type(enum fz_type t);
/* The type that a letter of a builtin's signature stands for, where T is the generic one. */
enum fz_type fz_letter_type(char letter, enum fz_type generic);
/* C's type of an expression, of a vector's elements. */
enum fz_type fz_type_of(const struct fz_program *p, const struct fz_function *f, const struct fz_node *n);
static inline struct fz_function *fz_kernel(const struct fz_program *p)
{
    return &p->functions.at[p->functions.count - 1];
}
static inline uint32_t fz_elements(const struct fz_program *p, const struct fz_buffer *b)
{
    return b->per_thread * p->blocks * p->threads + b->shared;
}
/* The element of an array whose index may be outside (`beyond`); NULL: there is none. */
const struct fz_node *fz_beyond(const struct fz_program *p);
/* A fresh variable; its number. */
uint32_t fz_variable(struct fz_program *p, struct fz_function *f, enum fz_shape shape, enum fz_type type,
                     uint64_t seed);
/* The function's first variable of the shape; UINT32_MAX: it has none. */
uint32_t fz_find_shape(const struct fz_function *f, enum fz_shape shape);
/* A constant of the type, small ones and edges of the range more often. */
uint64_t fz_random_bits(struct fz_random *r, enum fz_type type);

/* ---- the source (print.c) ---------------------------------------------------------------------------- */

/* A whole .kern file, of class e a .kir file, with a launch directive; the lines of `comment` (or NULL)
 * become its first. */
void fz_print(const struct fz_program *p, const char *comment, struct text *out);

/* ---- the classes ------------------------------------------------------------------------------------- */

/* How a reference comes to the end of a program: it runs on for too long (or breaks a rule), so that it is
 * none of its class; it computes what is expected; an index is outside its array, which stops the launch. */
enum fz_end { FZ_ENDS_NOT, FZ_ENDS, FZ_STOPS };
struct fz_class {
    char letter;
    const char *name, *meaning;
    /* Makes the program of p->seed; arena, class and seed are set. */
    void (*generate)(struct fz_program *p);
    /* Writes what each buffer has to hold after a launch with this warp width, contents[i] of buffer i being
     * zeroed, inputs filled. NULL: nothing is expected for its own sake. */
    enum fz_end (*expect)(const struct fz_program *p, uint32_t width, void **contents);
    /* Then whether what each buffer holds after a launch with this warp width can be; if not, `text` says
     * why. */
    bool (*holds)(const struct fz_program *p, uint32_t width, void **contents, char *text, size_t size);
};
extern const struct fz_class fz_class_a, fz_class_b, fz_class_c, fz_class_d, fz_class_e, fz_class_f,
    fz_class_g, fz_class_h, fz_class_i, fz_class_j;
/* reference.c, reference_e.c, reference_g.c: what the classes expect, as fz_class.expect. */
enum fz_end fz_expect(const struct fz_program *p, uint32_t width, void **contents);
enum fz_end fz_expect_e(const struct fz_program *p, uint32_t width, void **contents);
enum fz_end fz_expect_g(const struct fz_program *p, uint32_t width, void **contents);
/* As fz_class.holds (reference_i.c). */
bool fz_holds_i(const struct fz_program *p, uint32_t width, void **contents, char *text, size_t size);
const struct fz_class *fz_class_find(char letter); /* NULL: there is none */
/* ---- predictions (predictions.c) --------------------------------------------------------------------- */

/* Whether the seed's program is to have predictions. */
bool fz_is_predicted(const struct fz_program *p);
/* Puts some into a tree that is to have them. */
void fz_predict(struct fz_program *p);
/* In a program of class b that is to have predictions, parts get along without convergent operations. */
void fz_make_parts_quiet(struct fz_program *p);
/* Appends gates to the kernel of some programs of classes b and j. */
void fz_add_gates(struct fz_program *p);

/* The class's program of a seed, in the arena. */
struct fz_program *fz_generate(const struct fz_class *class, uint64_t seed, struct arena *arena);

#endif
