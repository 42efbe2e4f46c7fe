/* program.h: a compiled program: bytecode, tables, and its file format (.kbc).
 *
 * This is the format half of the bytecode back end: it stands on base alone, so that compiled programs
 * are loaded and run without the compiler. backend/bytecode/emit.c makes programs from IR; the runtime
 * runs them. bc_verify is run on every program before it runs, wherever it came from.
 *
 * Frames. Recursion is an error, so every function's registers have fixed places in the warp's register
 * files (a callee's lie after all its callers'); a call writes the callee's parameter registers under
 * the mask and the return address into the callee's return slot. Lanes that call the same function from
 * different places can therefore run it together, if the scheme brings them together.
 *
 * Temporaries (destinations of T_ forms) are values never live across the end of a block, a call or another point
 * where a scheme may switch lanes; nothing in an inactive lane of theirs is ever read again.
 *
 * Rules the runtime relies on (beside bc_verify's): no instruction writes a register that a fill names; a
 * destination may be an operand's register but never overlaps one in part (a w and one of its two v halves);
 * the word after a call or icall is a block word, and so is every `meet`, flagged BC_MEET; addresses of shared
 * and private memory begin at BC_FIRST_ADDRESS (0 is null), and shared_bytes and private_bytes count from 0.
 */
#ifndef KERNC_PROGRAM_H
#define KERNC_PROGRAM_H

#include "base/base.h"
#include "base/diag.h"
#include "base/launch.h"
#include "base/scalar.h"

enum bc_op {
#define FORMS(name) BC_V_##name, BC_T_##name, BC_S_##name, BC_B_##name, BC_C_##name,
#define S1(op, name, R, A, formula)       FORMS(name)
#define S2(op, name, R, A, B, formula)    FORMS(name)
#define S3(op, name, R, A, B, C, formula) FORMS(name)
#include "base/scalar.def"
#undef FORMS
#define BC(name, operands, meaning) BC_##name,
#include "backend/bytecode/bytecode.def"
    BC_OPS
};
/* Forms of scalar case c: 5 * c + form. B and C forms of cases that are no comparison are invalid opcodes. */
enum bc_form { BC_FORM_V, BC_FORM_T, BC_FORM_S, BC_FORM_B, BC_FORM_C, BC_FORMS };
static inline enum bc_op bc_scalar_op(enum scalar_case c, enum bc_form f) { return (enum bc_op)(c * BC_FORMS + f); }
#define BC_SCALAR_OPS (SCALAR_CASES * BC_FORMS)

enum { BC_MEET = 1 };                  /* in d of a block word: lanes of a divergent branch meet here */
#define BC_FIRST_ADDRESS 16             /* of shared and private memory */
#define BC_NO_TOKEN  0xffffu
#define BC_NO_TARGET 0xffffffffu

/* 16 bytes. Fields are register numbers, immediates in imm; unused ones are 0. */
struct bc_ins {
    uint16_t op;
    uint16_t d, a, b, c;
    uint16_t e;                 /* memory: number of its row in the site table; convergent: token register */
    uint32_t imm;               /* code indices, table indices, byte offsets (added modulo 2^32) */
};
/* The word after a branch (op BC_branch); targets are code indices of block words. */
struct bc_branch {
    uint16_t op, site;          /* site table row: where divergence is counted */
    uint32_t yes, no;           /* where lanes with a true / false condition go */
    uint32_t meet;              /* where they meet again (BC_NO_TARGET: only at the function's end) */
};
_Static_assert(sizeof(struct bc_ins) == 16 && sizeof(struct bc_branch) == 16, "words are 16 bytes");

/* A row a block: straight-line code between block words. Counting a block counts all of these. */
struct bc_block { uint32_t code, instructions, overhead, cycles, first_line, line_count; };
/* Rows first_line … of a block: how many of its instructions and cycles belong to a source line. */
struct bc_line { uint32_t line, instructions, cycles; };
enum bc_site_kind { BC_SITE_GLOBAL, BC_SITE_SHARED, BC_SITE_PRIVATE, BC_SITE_BRANCH, BC_SITE_OTHER };
struct bc_site { uint32_t line, column, kind, block; };

struct bc_case { int64_t value; uint32_t target; };
struct bc_switch { uint32_t first, count, otherwise, meet, site; };      /* cases sorted by signed value */

enum bc_kind { BC_KIND_V, BC_KIND_W, BC_KIND_M, BC_KIND_S };
struct bc_operand { uint8_t type, kind; uint16_t reg; };                 /* type: enum bc_value of the argument */
enum bc_value { BC_VOID, BC_I1, BC_I32, BC_I64, BC_F32, BC_F64, BC_PTR };

struct bc_host { const char *name; uint8_t result, argc; uint8_t args[64]; };
struct bc_text { const char *bytes; uint32_t length; };
/* `entry`: where icall enters: moves the signature's argument registers into the function's own, then goes to `code`. */
struct bc_function { const char *name; uint32_t code, entry, signature, return_slot; bool kernel; };

/* Registers the runtime fills before a warp runs. */
enum bc_source {
    BC_FROM_CONSTANT,           /* value: the bits */
    BC_FROM_PARAM,              /* value: number of the kernel's parameter */
    BC_FROM_SPECIAL,            /* value: row of ir/specials.def */
    BC_FROM_DATA,               /* value: offset in the program's data; the loader adds its address */
};
struct bc_fill { uint8_t source, kind; uint16_t reg; uint64_t value; };

struct bc_param { const char *name, *text; uint8_t type, element; uint32_t element_bytes; bool pointer; };
struct bc_kernel {
    const char *name;
    uint32_t    function;
    uint32_t    vectors, masks, scalars;   /* registers of each file, callees' included */
    uint32_t    private_bytes;             /* a lane's private memory, callees' included */
    uint32_t    first_fill, fill_count;
    VEC(struct bc_param) params;
    uint32_t    line;
    bool        has_barrier;
};

struct bc_program {
    struct arena arena;
    const char  *file;                     /* source name */
    const char  *scheme;                   /* name in runtime/schemes.def that it was lowered for */
    VEC(struct bc_ins)     code;
    VEC(struct bc_block)   blocks;
    VEC(struct bc_line)    lines;
    VEC(struct bc_site)    sites;
    VEC(struct bc_case)    cases;
    VEC(struct bc_switch)  switches;
    VEC(struct bc_operand) operands;
    VEC(struct bc_host)    hosts;
    VEC(struct bc_text)    texts;
    VEC(struct bc_function) functions;
    VEC(struct bc_fill)    fills;
    VEC(struct bc_kernel)  kernels;
    VEC(struct launch)     launches;
    const uint8_t *data;                   /* constant objects, laid out; 16-byte aligned when loaded */
    uint32_t     data_bytes;
    uint32_t     shared_bytes;             /* shared memory of a block */
};
struct bc_program *bc_program_new(void);
void bc_program_free(struct bc_program *p);
/* File format: docs/bytecode.md. Writing cannot fail but for memory; reading checks everything and gives a reason. */
void bc_write(const struct bc_program *p, struct text *out);
struct bc_program *bc_read(const void *bytes, size_t n, const char **why);
/* NULL, or why the program must not run (registers, targets, tables, operand kinds, fall-off). */
const char *bc_verify(const struct bc_program *p, char *buffer, size_t size);
void bc_disassemble(const struct bc_program *p, struct text *out);       /* -S, dumps */
struct bc_op_info { const char *name, *operands, *meaning; };
const struct bc_op_info *bc_op_info(enum bc_op op);                      /* NULL: no such opcode */

#endif
