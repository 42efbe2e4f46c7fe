/* launch.h: a launch described in text: which kernel, which grid, how each argument is made, what is
 * shown or saved after. The `launch` directive of a .kern file and the command line's --arg, --grid,
 * --block, --save and --show all come down to this; compiled programs carry it along.
 */
#ifndef KERNC_LAUNCH_H
#define KERNC_LAUNCH_H

#include "base/base.h"

/* What a buffer is made of, or the type of a scalar argument. */
enum launch_element {
    LAUNCH_BYTES,               /* a struct: only zeros and files */
    LAUNCH_BOOL, LAUNCH_CHAR, LAUNCH_UCHAR, LAUNCH_SHORT, LAUNCH_USHORT, LAUNCH_INT, LAUNCH_UINT,
    LAUNCH_LONG, LAUNCH_ULONG, LAUNCH_FLOAT, LAUNCH_DOUBLE,
};
uint32_t    launch_element_bytes(enum launch_element e);       /* 0 for LAUNCH_BYTES */
const char *launch_element_name(enum launch_element e);        /* "uint", as in Kern */

enum launch_value_kind {
    LAUNCH_SCALAR,              /* number */
    LAUNCH_ZEROS,               /* zeros(count) */
    LAUNCH_IOTA,                /* iota(count): 0, 1, 2, … */
    LAUNCH_RAMP,                /* ramp(a, b, count): a + (b - a) * i / (count - 1) */
    LAUNCH_RANDOM,              /* random(count, seed, lo, hi): uniform in [lo, hi); integers: [lo, hi] */
    LAUNCH_NORMAL,              /* normal(count, seed, mean, deviation) */
    LAUNCH_FILE,                /* @file, file("…"): raw little-endian elements */
    LAUNCH_LIST,                /* {a, b, c} */
};
struct launch_number { bool is_float; int64_t i; double f; };  /* i holds the bits of a ulong too */
struct launch_value {
    enum launch_value_kind kind;
    uint64_t    count;          /* elements of a buffer */
    uint64_t    seed;
    struct launch_number n[2];  /* scalar: n[0]; lo, hi or a, b or mean, deviation */
    const char *file;
    VEC(struct launch_number) list;
};
struct launch_argument { const char *name; struct launch_value value; };

/* show(out[0..8]) prints elements first..last-1; save(out = "file", width, height) writes the buffer. */
struct launch_output {
    const char *name;
    bool        save;
    uint64_t    first, last;    /* show; last == 0: all */
    const char *file;           /* save; by its ending .pgm .ppm picture, .txt .csv text, else raw bytes */
    uint32_t    width, height;  /* of a picture; 0: square */
};

struct launch {
    const char *kernel;
    uint32_t    grid[3], block[3];                 /* 0: not given */
    VEC(struct launch_argument) arguments;
    VEC(struct launch_output) outputs;
    uint32_t    line;
};

/* Parses the text of --arg's SPEC. NULL, or the message. */
const char *launch_parse_value(struct arena *a, const char *text, struct launch_value *v);
/* Makes the buffer's bytes (mem_alloc, the caller frees). NULL, or the message. Deterministic for every value. */
const char *launch_make_buffer(const struct launch_value *v, enum launch_element e, uint32_t element_bytes,
                               size_t limit, void **bytes, size_t *n);
/* A scalar's bits in the parameter's type; integers are range-checked. NULL, or the message. */
const char *launch_make_scalar(const struct launch_value *v, enum launch_element e, uint64_t *bits);

#endif
