/* launch.h: a launch described in text: which kernel, which grid, how each argument is made, what is
 * shown or saved after. The `launch` directive of a .kern file and the command line's --arg, --grid,
 * --block, --save and --show all come down to this; compiled programs carry it along.
 */
#ifndef KERNC_LAUNCH_H
#define KERNC_LAUNCH_H

#include "base/base.h"

/* What a buffer is made of, or the type of a scalar argument. A buffer's elements are scalars of this type or,
 * where its element_bytes are 2 to 4 times the scalar's, vectors of that many. */
#define LAUNCH_VECTOR_MAX 4
enum launch_element {
    LAUNCH_BYTES, /* a struct: only zeros and files */
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

enum launch_value_kind {
    LAUNCH_SCALAR, /* number */
    LAUNCH_ZEROS,  /* zeros(count) */
    LAUNCH_IOTA,   /* iota(count): 0, 1, 2, … of vectors each scalar is one more, here and below */
    LAUNCH_RAMP,   /* ramp(a, b, count): a + (b - a) * i / (count - 1) */
    LAUNCH_RANDOM, /* random(count, seed, lo, hi): uniform in [lo, hi); integers: [lo, hi] */
    LAUNCH_NORMAL, /* normal(count, seed, mean, deviation) */
    LAUNCH_FILE,   /* @file, file("…") */
    LAUNCH_LIST,   /* {a, b, c} */
    LAUNCH_NAMED,  /* the buffer that a directive named: file is its name */
    LAUNCH_ROUND,  /* how often the launch's repeat has run before: 0, 1, 2, … */
};
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
    const char *file;          /* FILE, NAMED */
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
struct launch {
    enum launch_step step;
    const char *kernel;                    /* KERNEL */
    uint32_t grid[3], block[3];            /* KERNEL; 0: not given */
    uint32_t shared;                       /* KERNEL: elements of its unsized shared array; 0: not given */
    VEC(struct launch_argument) arguments; /* KERNEL; BUFFER: one, its value */
    VEC(struct launch_output) outputs;     /* KERNEL: of its parameters or named buffers; OUTPUT */
    const char *name;                      /* BUFFER: its own; REPEAT: the flag's; NULL: none */
    enum launch_element element;           /* BUFFER */
    uint32_t element_bytes;                /* BUFFER */
    const char *layout;                    /* BUFFER: of structures, as base/layout.h writes it; or NULL */
    uint64_t rounds;                       /* REPEAT: at most; 0: as long as the flag is set */
    uint32_t line;
};

/* A copy whose texts and lists live in the arena. */
struct launch launch_copy(struct arena *a, const struct launch *from);
/* NULL, or what is wrong with directives taken together, and *at the one where (static text): a repeat in
 * another one, or that does not end, or has neither rounds nor a flag; what has no name, or elements of the
 * wrong size. */
const char *launch_check_plan(const struct launch *all, uint32_t count, uint32_t *at);

/* The buffers made by a name and numbers in parentheses: c count, s seed, 0 and 1 the numbers n[0], n[1]. */
#define LAUNCH_FORMS 5
struct launch_form {
    const char *name, *arguments, *usage;
    enum launch_value_kind kind;
};
extern const struct launch_form launch_forms[LAUNCH_FORMS];
/* Parses the text of --arg's SPEC. NULL, or the message (static text). */
const char *launch_parse_value(struct arena *a, const char *text, struct launch_value *v);
/* Writes what launch_parse_value reads; a file as the word `file` and a quoted string, a named buffer as the
 * word `buffer` and one. */
void launch_print_value(const struct launch_value *v, struct text *out);
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
 * arena): over the limit of bytes it is launch_too_large. `layout`: of a structure, as base/layout.h writes it,
 * or NULL. Of vectors count elements are made of as many scalars
 * as they hold, and a list fills them one after the other. The same value gives the same bytes everywhere. */
const char *launch_make_buffer(struct arena *a, const struct launch_value *v, enum launch_element e,
                               uint32_t element_bytes, const char *layout, size_t limit, void **bytes,
                               size_t *n);
/* The bytes of element i of such a buffer of scalars, zeros behind them, without making the others. False: it
 * has none, or it is read from a file. */
bool launch_make_element(const struct launch_value *v, enum launch_element e, uint64_t i, uint64_t *bits);
/* A scalar's bits in the parameter's type, integers extended to 32 bits and zero above (long and ulong: 64
 * bits); integers are range-checked. NULL, or the message (static text). */
const char *launch_make_scalar(const struct launch_value *v, enum launch_element e, uint64_t *bits);

/* ---- numbers (launch_parse.c, launch.c) -------------------------------------------------------------- */

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

/* ---- files (launch_files.c) -------------------------------------------------------------------------- */

enum launch_encoding {
    LAUNCH_RAW,
    LAUNCH_TEXT,
    LAUNCH_CSV,
    LAUNCH_PGM,
    LAUNCH_PPM,
    LAUNCH_PNG,
    LAUNCH_NPY,
    LAUNCH_NO_ENCODING
};
/* What the end of the file's name says (files.def). */
enum launch_encoding launch_encoding_of(const char *file);
extern const char launch_unknown_ending[];    /* the message of NO_ENCODING */
#define LAUNCH_MAX_FILE   ((size_t)256 << 20) /* bytes of one that is text or a picture */
#define LAUNCH_MAX_HEADER ((size_t)1 << 20)   /* bytes of the dictionary in one that is .npy */
/* As launch_make_buffer, of a file's content. */
const char *launch_read_file(struct arena *a, const char *path, enum launch_element e, uint32_t element_bytes,
                             const char *layout, size_t limit, void **bytes, size_t *n);

#endif
