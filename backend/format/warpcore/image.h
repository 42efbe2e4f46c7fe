/* image.h: a program for the warp-core machine: code words, data, tables, and its file format (.wcb).
 *
 * Part of the format half: images are loaded and run without the compiler. The code generator and the
 * assembler make images; wc_verify is run on every one before it runs, wherever it came from. Parameters,
 * printf operand types and launch directives are those of bytecode programs (backend/format/interface.h), so
 * that the runtime treats the arguments of both alike.
 *
 * Conventions between image and machine:
 *   arguments   each parameter takes one argument word, an i64 two (low word first), in order, from word 0
 *               on; numbers narrower than a word are extended as their type says, i1 is 0 or 1, a pointer is
 *               its address
 *   at start    pc is the kernel's entry, registers and predicates are 0 but for r30 = WC_FIRST_ADDRESS, the
 *               divergence stack is empty; private memory is zeroed
 *   printf      its operands lie one behind the other in private memory from the lane's address a on: a
 *               word each, an i64 two (low word first)
 */
#ifndef KERNC_WARPCORE_IMAGE_H
#define KERNC_WARPCORE_IMAGE_H

#include "backend/format/interface.h"
#include "backend/format/warpcore/isa.h"
#include "base/diag.h"

#define WC_MAX_SHARED  (1u << 20) /* bytes of shared memory of a block */
#define WC_MAX_PRIVATE (1u << 20) /* bytes of private memory of a lane */
#define WC_MAX_DATA    (1u << 28) /* bytes of constant data */
#define WC_MAX_TEXTS   4096       /* rows of the text table: the field has 12 bits */
#define WC_MAX_KERNELS 4096
#define WC_MAX_SYMBOLS 65536

/* An entry point. What a kernel needs includes what the functions it calls need. */
struct wc_kernel {
    const char *name;
    uint32_t entry;                 /* code word */
    uint32_t registers, predicates; /* the highest used, plus 1 */
    uint32_t private_bytes;         /* a lane's private memory from address 0 on, a multiple of 16 */
    uint32_t stack;                 /* entries of the divergence stack that suffice */
    VEC(struct be_param) params;
    uint32_t line;
    bool has_barrier;
    be_unsized_vec unsized; /* bytes of an element: at most WC_MAX_SHARED */
};

/* A printf format, or the message of an assert or trap. `operands`: enum be_value of each printf operand
 * (BE_I1, BE_I32, BE_I64, BE_F32 or BE_PTR), as many as the format has conversions that take one. */
struct wc_text {
    const char *bytes;
    uint32_t length;
    VEC(uint8_t) operands;
};

/* A name of a code word, for listings and reports. */
struct wc_symbol {
    const char *name;
    uint32_t word;
};

struct wc_image {
    struct arena arena;
    const char *file;              /* source name */
    uint32_t mode;                 /* enum wc_mode: the divergence machine it was made for */
    VEC(uint32_t) code;            /* 1 to WC_MAX_WORDS */
    VEC(place) places;             /* of each code word in the source; line 0: not known */
    VEC(struct wc_symbol) symbols; /* by ascending word */
    VEC(struct wc_text) texts;
    VEC(struct wc_kernel) kernels;
    VEC(struct launch) launches;
    const uint8_t *data; /* constant objects, laid out; 16-byte aligned when loaded */
    uint32_t data_bytes;
    uint32_t shared_bytes; /* shared memory of a block, counted from address 0, but for
                              arrays sized by launches */
};
/* Empty. */
struct wc_image *wc_image_new(void);
void wc_image_free(struct wc_image *m); /* NULL is allowed */

/* What every image's bytes begin with. */
#define WC_MAGIC       "\x89WCB\r\n\x1a\n"
#define WC_MAGIC_BYTES 8
/* File format: docs/isa.md. The same image gives the same bytes. Reading checks every length and gives a
 * reason; what it gives must still be verified. */
void wc_write(const struct wc_image *m, struct text *out);
/* The caller's; NULL: *why says why not (static). */
struct wc_image *wc_read(const void *bytes, size_t n, const char **why);
/* Puts a header before the body of an image; wc_write does so, and tests that change bodies. */
void wc_seal(const void *body, size_t n, struct text *out);
/* NULL, or why the image must not run; the text is in `buffer`. The obligations of the image's divergence
 * mode are among the reasons. */
const char *wc_verify(const struct wc_image *m, char *buffer, size_t size);

/* Argument words that the kernel's parameters take. */
uint32_t wc_argument_words(const struct wc_kernel *k);

/* ---- text forms -------------------------------------------------------------------------------------- */

/* How code words are named: targets, reconvergence points. A NULL namer gives their numbers. */
struct wc_namer {
    void (*name)(void *data, uint32_t word, struct text *out);
    void *data;
};
/* One instruction as assembly writes it (print.c). */
void wc_print_ins(const struct wc_ins *ins, const struct wc_namer *namer, struct text *out);
/* The same of a word; one that is no instruction as ".word 0x…". */
void wc_print_word(uint32_t word, const struct wc_namer *namer, struct text *out);

/* These are part of the compiler (libkernc), not of the format half. */

/* Assembly that wc_assemble turns into the same image again (disasm.c). The image has passed wc_verify. */
void wc_disassemble(const struct wc_image *m, struct text *out);
/* For people (listing.c): each word with its number, its bits and the source line it is of. `source` may be
 * NULL: only the line's number. */
void wc_listing(const struct wc_image *m, const struct source *source, struct text *out);
/* For Verilog's $readmemh: WC_MAX_WORDS words, the rest filled with 0, which is no instruction. */
void wc_hex(const struct wc_image *m, const struct source *source, struct text *out);
/* What takes how much: each kernel's needs, each function's words (map.c). */
void wc_map(const struct wc_image *m, struct text *out);
/* An image that has passed wc_verify, or NULL: then `d` has errors (asm.c). */
struct wc_image *wc_assemble(const struct source *s, struct diagnostics *d);

#endif
