/* launch.h: a launch described in text: which kernel, which grid, how each argument is made, what is
 * shown or saved after. The `launch` directive of a .kern file and the command line's --arg, --grid,
 * --block, --save and --show all come down to this; compiled programs carry it along.
 */
#ifndef KERNC_LAUNCH_H
#define KERNC_LAUNCH_H

#include "base/base.h"

struct stream;

/* What a buffer is made of, or the type of a scalar argument. A buffer's elements are scalars of this type or,
 * where its element_bytes are 2 to 4 times the scalar's, vectors of that many. */
#define LAUNCH_VECTOR_MAX 4
enum launch_element {
    LAUNCH_BYTES, /* a struct: only zeros, lists and files */
    LAUNCH_BOOL,
    LAUNCH_CHAR,
    LAUNCH_UCHAR,
    LAUNCH_SHORT,
    LAUNCH_USHORT,
    LAUNCH_INT,
    LAUNCH_UINT,
    LAUNCH_LONG,
    LAUNCH_ULONG,
    LAUNCH_FLOAT,
    LAUNCH_DOUBLE,
};
uint32_t launch_element_bytes(enum launch_element e); /* of a scalar; 0 for LAUNCH_BYTES */
/* Scalars in an element of so many bytes, 1 of a struct; 0: no element of this type has so many bytes. */
uint32_t launch_scalars(enum launch_element e, uint32_t element_bytes);
/* Whether they agree; of a struct any bytes do, 0 too: its size is not known. */
static inline bool launch_is_element(enum launch_element e, uint32_t element_bytes)
{
    return e == LAUNCH_BYTES || launch_scalars(e, element_bytes) > 0;
}
const char *launch_element_name(enum launch_element e); /* "uint", as in Kern */
bool launch_find_element(const char *name, enum launch_element *e);

enum launch_value_kind {
    LAUNCH_SCALAR, /* number */
    LAUNCH_ZEROS,  /* zeros(count) */
    LAUNCH_IOTA,   /* iota(count): 0, 1, 2, … of vectors each scalar is one more, here and below */
    LAUNCH_RAMP,   /* ramp(a, b, count): a + (b - a) * i / (count - 1) */
    LAUNCH_RANDOM, /* random(count, seed, lo, hi): uniform in [lo, hi); integers: [lo, hi] */
    LAUNCH_NORMAL, /* normal(count, seed, mean, deviation) */
    LAUNCH_FILE,   /* @file, file("…") */
    LAUNCH_LIST,   /* {a, b, c} */
    LAUNCH_NAMED,  /* the buffer that a directive named: text is its name */
    LAUNCH_ROUND, /* a number that depends on how often the launch's repeat has run before: 0, 1, 2, …: text
                      is an expression over that, as launch_evaluate reads it */
    LAUNCH_STRUCTS, /* a list with braces or names in it: text, as launch/layout.h reads it */
    LAUNCH_NULL,    /* no buffer */
    LAUNCH_KINDS
};
/* Whether it is known by its text. */
static inline bool launch_has_text(enum launch_value_kind k)
{
    return k == LAUNCH_FILE || k == LAUNCH_NAMED || k == LAUNCH_ROUND || k == LAUNCH_STRUCTS;
}
/* An integer: i its value or the bits of a ulong, f the same value as a double (so that 2^64-1 is told from
 * -1). Otherwise only f counts. */
struct launch_number {
    bool is_float;
    int64_t i;
    double f;
};
struct launch_value {
    enum launch_value_kind kind;
    uint64_t count; /* elements of a buffer; LIST: of its numbers */
    uint64_t seed;
    struct launch_number n[2]; /* scalar: n[0]; lo, hi or a, b or mean, deviation */
    const char *text;          /* FILE: its name; NAMED, ROUND */
    VEC(struct launch_number) list;
};
struct launch_argument {
    const char *name;
    struct launch_value value;
};

/* show(a[0..8].x as hex) prints elements first..last-1; save(a = "file", width, height) writes the buffer. */
struct launch_output {
    const char *name;
    bool save;
    uint64_t first, last;   /* show; last == 0: all */
    const char *path;       /* show: the part of each, ".x", as layout_find has it; NULL: all */
    bool hex;               /* show: bits instead of numbers */
    const char *file;       /* save */
    uint32_t width, height; /* of a picture; 0: square */
};

/* A directive. Those of a file, in order, are its plan: named buffers, launches on them, and launches that
 * are repeated, which stand between a REPEAT and its END; a repeat holds no other one. */
enum launch_step {
    LAUNCH_KERNEL, /* launch kernel(…) grid(…) block(…) show(…) save(…); */
    LAUNCH_BUFFER, /* buffer int name = value; */
    LAUNCH_REPEAT, /* repeat (rounds) while (name) { */
    LAUNCH_END,    /* } */
    LAUNCH_OUTPUT, /* show(…) save(…); of named buffers */
};
enum launch_clause { LAUNCH_GRID, LAUNCH_BLOCK, LAUNCH_SHARED, LAUNCH_CLAUSES };
#define LAUNCH_MAX_SHARED 16 /* arrays of a kernel in shared memory that launches size */
extern const char *const launch_clause_names[LAUNCH_CLAUSES];
struct launch {
    enum launch_step step;
    const char *kernel;                    /* KERNEL */
    uint32_t grid[3], block[3];            /* KERNEL; 0: not given */
    uint32_t shared[LAUNCH_MAX_SHARED];    /* KERNEL: elements of its unsized shared arrays; 0: not given */
    const char *by_round[LAUNCH_CLAUSES];  /* KERNEL: what the clause says, if that depends on the round; the
                                              numbers are those of the first */
    VEC(struct launch_argument) arguments; /* KERNEL; BUFFER: one, its value */
    VEC(struct launch_output) outputs;     /* KERNEL: of its parameters or named buffers; OUTPUT */
    const char *name;                      /* BUFFER: its own; REPEAT: the flag's; NULL: none */
    enum launch_element element;           /* BUFFER */
    uint32_t element_bytes;                /* BUFFER */
    const char *layout;                    /* BUFFER: of structures, as launch/layout.h writes it; or NULL */
    uint64_t rounds;                       /* REPEAT: at most; 0: as long as the flag is set */
    uint32_t line;
};

/* A copy whose texts and lists live in the arena. */
struct launch launch_copy(struct arena *a, const struct launch *from);
/* NULL, or what is wrong with directives taken together, and *at the one where (static text): a repeat in
 * another one, or that does not end, or has neither rounds nor a flag; what has no name, or elements of the
 * wrong size. */
const char *launch_check_plan(const struct launch *all, uint32_t count, uint32_t *at);

/* Its binary form (base/stream.h), of so many bytes at least: written or read. */
#define LAUNCH_STREAM_BYTES 128
void launch_stream(struct stream *s, struct launch *l);

/* ---- the text form (text.c, directive.c) ---------------------------------------------------------------- */

/* The buffers made by a name and numbers in parentheses, which become these parts of the value. */
enum launch_operand { LAUNCH_NO_OPERAND, LAUNCH_COUNT, LAUNCH_SEED, LAUNCH_N0, LAUNCH_N1 };
#define LAUNCH_FORMS    5
#define LAUNCH_OPERANDS 4
struct launch_form {
    const char *name, *usage;
    enum launch_value_kind kind;
    enum launch_operand operands[LAUNCH_OPERANDS];
};
extern const struct launch_form launch_forms[LAUNCH_FORMS];
static inline uint32_t launch_operands_of(const struct launch_form *f)
{
    uint32_t n = 0;
    while (n < LAUNCH_OPERANDS && f->operands[n])
        n++;
    return n;
}
#define LAUNCH_MAX_TEXT 65536 /* bytes of a text in quotes */
/* Parses the text of --arg's SPEC. NULL, or the message (static text, or of the arena). */
const char *launch_parse_value(struct arena *a, const char *text, struct launch_value *v);
/* Writes what launch_parse_value reads. */
void launch_print_value(const struct launch_value *v, struct text *out);
/* Makes the value of this kind whose text it is. NULL, or the message (static text). */
const char *launch_from_text(enum launch_value_kind kind, const char *text, struct launch_value *v);
/* NAME=SPEC of --arg. NULL, or the message (as above); the name is NULL where there is none. */
const char *launch_parse_argument(struct arena *a, const char *text, struct launch_argument *argument);
/* NAME, NAME[a..b], NAME[a] of --show, with .member and [index] behind it, and " as hex"; NAME=FILE,
 * NAME=FILE:WxH of --save. NULL, or the message (static text). */
const char *launch_parse_show(struct arena *a, const char *text, struct launch_output *o);
const char *launch_parse_save(struct arena *a, const char *text, struct launch_output *o);
/* Reads the directive that begins the text, whatever follows it; a line may end within parentheses, and from
 * ';' on it is a comment. *n: its bytes; those before what is wrong. NULL, or the message (static text, or of
 * the arena). */
const char *launch_read_directive(struct arena *a, const char *text, size_t *n, struct launch *l);
/* Writes it as one line, without the line's end; the kernel's name stands behind `sigil`. */
void launch_write_directive(const struct launch *l, const char *sigil, struct text *out);
/* Whether the word begins a directive. */
bool launch_is_directive(const char *word);

/* The generator behind random and normal: word i of a seed's sequence (splitmix64, so any word can be had
 * directly). Element i is
 *   random, integers   lo + (z * (hi - lo + 1) >> 64)                      with z = launch_word(seed, i)
 *   random, float and double   lo + (hi - lo) * u, computed in double      with u = (z >> 11) * 2^-53
 *   normal             mean + deviation * (u[12 i] + … + u[12 i + 11] - 6), in double; integers: rounded,
 *                      clamped
 *   ramp               a + (b - a) * i / (count - 1), in double; of integers exactly, the quotient truncated
 * A float takes the nearest value to the double, and the next smaller one where that would reach hi. */
uint64_t launch_word(uint64_t seed, uint64_t i);

extern const char launch_too_large[];
/* Makes the buffer's bytes (mem_alloc, the caller frees). NULL, or the message (static text, or of the
 * arena): over the limit of bytes it is launch_too_large. `layout`: of a structure, as launch/layout.h writes
 * it, or NULL. Of vectors count elements are made of as many scalars as they hold, and a list fills them one
 * after the other. The same value gives the same bytes everywhere. */
const char *launch_make_buffer(struct arena *a, const struct launch_value *v, enum launch_element e,
                               uint32_t element_bytes, const char *layout, size_t limit, void **bytes,
                               size_t *n);
/* The bytes of element i of such a buffer of scalars, zeros behind them, without making the others. False: it
 * has none, or it is read from a file. */
bool launch_make_element(const struct launch_value *v, enum launch_element e, uint64_t i, uint64_t *bits);
/* A scalar's bits in the parameter's type, integers extended to 32 bits and zero above (long and ulong: 64
 * bits). Integers are range-checked, or where they depend on the round converted as in C. NULL, or the message
 * (static text). */
const char *launch_make_scalar(const struct launch_value *v, enum launch_element e, uint64_t round,
                               uint64_t *bits);

/* ---- numbers (text.c, values.c) ------------------------------------------------------------------------- */

/* Reads one from *at, which moves behind it. NULL, or the message (static text). */
const char *launch_parse_number(const char **at, struct launch_number *n);
/* The whole text as a number that is written as in a source: an integer that begins with 0 is octal. */
const char *launch_parse_source_number(struct arena *a, const char *text, struct launch_number *n,
                                       bool *is_octal);
/* NULL, or why the element cannot hold it. */
const char *launch_check_number(struct launch_number n, enum launch_element e);
/* Writes the number's bytes as an element to `at`, which need not be aligned; it has passed
 * launch_check_number. */
void launch_store_number(struct launch_number n, enum launch_element e, void *at);

/* The least and greatest value of an integer type. */
void launch_range(enum launch_element e, int64_t *least, uint64_t *greatest);

/* ---- expressions (expression.c) ----------------------------------------------------------------------- */

#define LAUNCH_MAX_NESTING 100 /* operands of an expression inside each other */
/* The value of an expression in a round of a repeat; *uses_round, if not NULL: whether it names the round.
 * NULL, or the message (static text). */
const char *launch_evaluate(const char *text, uint64_t round, struct launch_number *n, bool *uses_round);
/* The sizes of a clause, which `count` says how many there are of. */
uint32_t *launch_sizes(struct launch *l, enum launch_clause c, uint32_t *count);
/* Gives the launch the sizes that the text has for a clause, at least one expression, with commas between
 * them. NULL, or the message (static text). */
const char *launch_parse_sizes(struct arena *a, const char *text, enum launch_clause c, struct launch *l);
/* Gives the launch the sizes of this round. NULL, or what is wrong with those of clause *at (static text). */
const char *launch_at_round(struct launch *l, uint64_t round, enum launch_clause *at);

/* ---- files (files.c) ---------------------------------------------------------------------------------- */

enum launch_encoding { LAUNCH_RAW, LAUNCH_TEXT, LAUNCH_CSV, LAUNCH_PGM, LAUNCH_PPM, LAUNCH_PNG, LAUNCH_NPY };
/* What the end of the file's name says (files.def), in small letters or capitals. */
enum launch_encoding launch_encoding_of(const char *file);
/* NULL, or why no file is read or written whose name ends so (static text). */
const char *launch_wrong_ending(const char *file);
#define LAUNCH_MAX_FILE   ((size_t)256 << 20) /* bytes of one that is text or a picture */
#define LAUNCH_MAX_HEADER ((size_t)1 << 20)   /* bytes of the dictionary in one that is .npy */
/* As launch_make_buffer, of a file's content. */
const char *launch_read_file(struct arena *a, const char *path, enum launch_element e, uint32_t element_bytes,
                             const char *layout, size_t limit, void **bytes, size_t *n);

#endif
