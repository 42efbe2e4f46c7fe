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
 * Rules for the runtime (what it relies on beside bc_verify's):
 *
 * 1. Switch points. A scheme changes the set of active lanes only at a block word (where a program keeps
 *    tokens, only at one with BC_RECONVERGE), at the branch, jump,
 *    switch, call, icall, ret or exit that ends a block, and before a convergent operation (never between one
 *    and what follows it), or at a BC_wait. Between two switch points the active lanes stay the same, so that
 * 2. temporaries (destinations of T_ forms and of splat) live between two switch points only; nothing in an
 *    inactive lane of theirs is ever read again. So do scalars, except those that are the same for the whole
 *    launch and, for schemes whose lanes diverge only at divergent branches until they reconverge (pdom),
 *    warp scalars (warp_scalars.c). Operands of convergent operations may be temporaries unless the program
 *    keeps tokens (then they are persistent); a barrier ends the life of every temporary, and so does a
 *    BC_wait; the other barrier operations leave the active lanes as they are.
 * 3. No instruction writes a register that a preload names of a kernel which is connected with the function by
 *    calls: preloads hold for the whole launch (bc_verify sees to it).
 * 4. A destination may be an operand's register but never overlaps one in part (a w and one of its two v
 *    halves).
 * 5. The word after a call or icall is a block word with BC_RETURN; that after an icall, and every
 *    `reconverge`, has BC_RECONVERGE.
 * 6. Return slots are written by call, icall and (in thunks) by mov_v from another return slot, nothing else.
 *    The runtime clears the register files when a launch starts, and `ret` traps unless each lane's address
 *    is that of a block word with BC_RETURN; then bc_verify's word holds: no instruction touches a register
 *    outside the files.
 *    A call of a function that returns a truth value has two successors where a br on it follows: ret_m,
 *    ret_true and ret_false, which schemes of frontiers have, lead to its targets at once. All callees of an
 *    icall return it in one register.
 * 7. Code index of a function pointer p: functions[p - 1].entry if the icall's signature reaches the
 *    function's (bc_reaches) and there is an entry.
 * 8. Addresses of shared and private memory begin at BC_FIRST_ADDRESS (0 is null); shared_bytes and
 *    private_bytes count from 0.
 * 9. Parts of a wide access (ldw_*, stw_*) stand behind its head, with nothing between: they rely on the
 *    addresses and the check that it has left.
 */
#ifndef KERNC_PROGRAM_H
#define KERNC_PROGRAM_H

#include "backend/format/interface.h"
#include "base/base.h"
#include "base/diag.h"
#include "base/scalar.h"
#include "launch/launch.h"

enum bc_op {
#define FORMS(name) BC_V_##name, BC_T_##name, BC_S_##name, BC_B_##name, BC_U_##name, BC_C_##name,

#define S1(op, name, R, A, formula)          FORMS(name)
#define S2(op, name, R, A, B, formula)       FORMS(name)
#define S3(op, name, R, A, B, C, formula)    FORMS(name)
#define S4(op, name, R, A, B, C, E, formula) FORMS(name)
#include "base/scalar.def"
#undef FORMS
#define BC(name, operands, meaning) BC_##name,
#include "backend/format/bytecode/bytecode.def"
    BC_OPS
};
/* Forms of scalar case c: BC_FORMS * c + form. B, U and C forms of cases that are no comparison
 * are invalid opcodes. */
enum bc_form { BC_FORM_V, BC_FORM_T, BC_FORM_S, BC_FORM_B, BC_FORM_U, BC_FORM_C, BC_FORMS };
static inline enum bc_op bc_scalar_op(enum scalar_case c, enum bc_form f)
{
    return (enum bc_op)(c * BC_FORMS + f);
}
#define BC_SCALAR_OPS (SCALAR_CASES * BC_FORMS)

/* In d of a block word. RECONVERGE: lanes of a divergent branch reconverge here. RETURN: calls return
 * here. */
enum bc_block_flag { BC_RECONVERGE = 1, BC_RETURN = 2 };
/* In a of BC_scheme; and in d, of a join: its lanes gather; of a cancel: they stay members. */
enum bc_barrier_op { BC_CB_JOIN, BC_CB_CANCEL, BC_CB_REJOIN, BC_CB_OPS };
#define BC_FIRST_ADDRESS 16 /* of shared and private memory */
#define BC_NO_TOKEN      0xffffu
#define BC_MAX_REGISTERS 0xfffeu    /* of each file of a kernel */
#define BC_MAX_SITES     0xffffu    /* rows of the site table; memory accesses beyond share the last */
#define BC_MAX_WORDS     (1u << 26) /* code words of a program */
#define BC_MAX_SHARED    (1u << 20) /* bytes of shared memory of a block */
#define BC_MAX_PRIVATE   (1u << 20) /* bytes of private memory of a lane */
#define BC_MAX_DATA      (1u << 28) /* bytes of constant data */
#define BC_MAX_OPERANDS  64         /* of a printf or host call */
#define BC_MAX_WIDE      16         /* bytes of a wide access */
#define BC_MAX_SIGNATURE (1u << 17)
#define BC_NO_TARGET     0xffffffffu

/* 16 bytes. Fields are register numbers, immediates in imm; unused ones are 0. */
struct bc_ins {
    uint16_t op;
    uint16_t d, a, b, c;
    uint16_t e;   /* row of the site table, token register, fourth operand (see bytecode.def) */
    uint32_t imm; /* code indices, table indices, byte offsets (added modulo 2^32) */
};
/* The word after a branch (op BC_branch); targets are code indices of block words; yes != no. */
struct bc_branch {
    uint16_t op, site; /* site table row: where divergence is counted */
    uint32_t yes, no;  /* where lanes with a true / false condition go */
    uint32_t
        reconverge; /* where they reconverge (BC_NO_TARGET: only at the function's end; or never diverged);
                       under `barrier`: joining the barrier of the BC_wait there, which stands first in its
                       block but for words that spread scalars */
};
_Static_assert(sizeof(struct bc_ins) == 16 && sizeof(struct bc_branch) == 16, "words are 16 bytes");

/* A row a block: straight-line code between block words. Counting a block counts all of these. */
struct bc_block {
    uint32_t code, instructions, overhead, cycles, first_line, line_count;
    uint32_t frontier; /* code index, behind it, of the first block where others may wait while it runs; 0:
                          none do, or the scheme has no frontiers */
};
/* Where a row of the block table comes from: a function and a block of its IR (BC_NO_TARGET: of none). Known of
 * programs that were compiled just now; files do not have it. */
struct bc_origin {
    uint32_t function, block;
};
/* While row `place` of the block table is run, or (place - rows of that table) function, lanes may wait at the
 * block word at code index `at`. */
struct bc_waiting {
    uint32_t place, at;
};
/* Rows first_line … of a block: how many of its instructions and cycles belong to a source line. */
struct bc_line {
    uint32_t line, instructions, cycles;
};
enum bc_site_kind { BC_SITE_GLOBAL, BC_SITE_SHARED, BC_SITE_PRIVATE, BC_SITE_BRANCH, BC_SITE_OTHER };
struct bc_site {
    uint32_t line, column, kind, block;
};

/* Values of switch_v are sign-extended; switch_s compares all 64 bits. */
struct bc_case {
    int64_t value;
    uint32_t target;
};
struct bc_switch {
    uint32_t first, count, otherwise, reconverge, site; /* cases sorted by signed value */
};

enum bc_kind { BC_KIND_V, BC_KIND_W, BC_KIND_M, BC_KIND_S };
/* type: enum be_value of the argument */
struct bc_operand {
    uint8_t type, kind;
    uint16_t reg;
};

struct bc_host {
    const char *name;
    uint8_t result, argc;
    uint8_t args[64];
};
struct bc_text {
    const char *bytes;
    uint32_t length;
};
/* Code words code … end - 1; functions with code fill the code table without gaps. A function no kernel
 * reaches has none: code == end == BC_NO_TARGET. `entry`: where icall enters: moves the signature's
 * argument registers into the function's own, then goes to `code`; BC_NO_TARGET: its address is not taken. */
struct bc_function {
    const char *name;
    uint32_t code, end, entry, signature, return_slot;
    bool kernel;
};

/* Signatures of types number n: 2n, and 2n + 1 of convergent functions and of calls that reach these too. */
static inline uint32_t bc_signature(uint32_t types, bool convergent)
{
    return types * 2 + convergent;
}
static inline bool bc_reaches(uint32_t call, uint32_t function)
{
    return call >> 1 == function >> 1 && call >= function;
}

enum bc_special {
#define SPECIAL(name, text, source, scope, meaning) BC_SPECIAL_##name,
#include "base/specials.def"
#undef SPECIAL
    BC_SPECIALS
};
/* Registers the runtime fills before a warp runs. */
enum bc_source {
    BC_FROM_CONSTANT, /* value: the bits */
    BC_FROM_PARAM,    /* value: number of the launch's word (backend/format/interface.h) */
    BC_FROM_SPECIAL,  /* value: enum bc_special */
    BC_FROM_DATA,     /* value: offset in the program's data; the loader adds its address */
    BC_FROM_GRID,     /* the thread's index in the grid, block's index * block's size + index in the
                         block; value: 0, 1, 2 for x, y, z; a lane vector */
};
struct bc_preload {
    uint8_t source, kind;
    uint16_t reg;
    uint64_t value;
};

struct bc_kernel {
    const char *name;
    uint32_t function;
    uint32_t vectors, masks, scalars; /* registers of each file, callees' included */
    uint32_t private_bytes;           /* a lane's private memory, callees' included; a multiple of 16 */
    uint32_t first_preload, preload_count;
    VEC(struct be_param) params;
    uint32_t line;
    bool has_barrier;
    be_unsized_vec unsized; /* bytes of an element: at most BC_MAX_SHARED */
};

struct bc_program {
    struct arena arena;
    const char *file;   /* source name */
    const char *scheme; /* name in base/schemes.def that it was lowered for */
    VEC(struct bc_ins) code;
    VEC(struct bc_block) blocks;
    VEC(struct bc_origin) origins; /* by row of blocks; or empty */
    VEC(struct bc_line) lines;
    VEC(struct bc_site) sites;
    VEC(struct bc_case) cases;
    VEC(struct bc_switch) switches;
    VEC(struct bc_operand) operands;
    VEC(struct bc_host) hosts;
    VEC(struct bc_text) texts;
    VEC(struct bc_function) functions;
    VEC(struct bc_preload) preloads;
    VEC(struct bc_kernel) kernels;
    VEC(struct launch) launches;
    const uint8_t *data; /* constant objects, laid out; 16-byte aligned when loaded */
    uint32_t data_bytes;
    uint32_t shared_bytes;          /* shared memory of a block, but for arrays sized by launches */
    bool checks_waiting;            /* schemes with frontiers: lanes that wait elsewhere than `waiting`
                                       says are a trap */
    VEC(struct bc_waiting) waiting; /* by place and code index; empty unless checks_waiting */
};
/* Empty. bc_program_free frees it with all it has; NULL is allowed there. */
struct bc_program *bc_program_new(void);
void bc_program_free(struct bc_program *p);
/* What every program's bytes begin with. */
#define BC_MAGIC       "\x89KBC\r\n\x1a\n" /* damaged by any text conversion, like PNG's */
#define BC_MAGIC_BYTES 8
/* File format: docs/bytecode.md. Writing cannot fail but for memory; reading checks everything and gives a
 * reason. */
void bc_write(const struct bc_program *p, struct text *out);
/* Puts a header before the body of a program; bc_write does so, and tests that change bodies. */
void bc_seal(const void *body, size_t n, struct text *out);
/* The caller's; NULL: *why says why not (static). bc_verify has yet to look at it. */
struct bc_program *bc_read(const void *bytes, size_t n, const char **why);
/* NULL, or why the program must not run (registers, targets, tables, operand kinds, fall-off). */
const char *bc_verify(const struct bc_program *p, char *buffer, size_t size);
void bc_disassemble(const struct bc_program *p, struct text *out); /* -S, dumps */

/* The first row of `waiting` for a place, or for one behind it. O(log rows). */
uint32_t bc_waiting_of(const struct bc_program *p, uint32_t of);
/* Whether lanes may wait at code index `at` while row `row` of the block table is run. O(log rows), and the
 * functions. */
bool bc_may_wait(const struct bc_program *p, uint32_t row, uint32_t at);

struct bc_op_info {
    const char *name;
    char operands[8]; /* letters: of d a b c e imm */
};
const struct bc_op_info *bc_op_info(enum bc_op op); /* NULL: no such opcode */
/* For references. NULL: of a scalar operation, see scalar_op_meaning. */
const char *bc_op_meaning(enum bc_op op);
extern const struct bc_op_info bc_op_rows[BC_OPS]; /* for valid opcodes */
static inline const char *bc_operands(unsigned op)
{
    return bc_op_rows[op].operands;
}
static inline bool bc_is_comparison(enum scalar_case c)
{
    return scalar_case_info[c].op >= SCALAR_OP_eq && scalar_case_info[c].op <= SCALAR_OP_le;
}
/* A scalar case that ends a block: it branches by what it computes. */
static inline bool bc_is_branch_form(enum bc_op op)
{
    return op < BC_SCALAR_OPS && op % BC_FORMS >= BC_FORM_B;
}
/* Whether a branch word (struct bc_branch) follows. */
static inline bool bc_has_branch_word(enum bc_op op)
{
    return bc_is_branch_form(op) || op == BC_br || op == BC_sbr || op == BC_predicate;
}
bool bc_ends_block(enum bc_op op); /* what comes after it is a block word or the function's end */
bool bc_returns(enum bc_op op);
/* Instructions that a word counts for, 0 to 2: a comparison that is part of a branch or an assertion, and an
 * index that is part of an address, are instructions too; tokens, and words that are none, are not. Nor are
 * guards: a predicate branches to sides without them alone, and their ends need no jump. */
unsigned bc_parts(const struct bc_ins *ins);
/* The wait that the block at `head` begins with, but for words that spread scalars; NULL: it begins with none,
 * or calls return to it. To jump or to branch there is to wait, and counts as that: the wait counts for code
 * that falls into the block alone, as an instruction of this. */
const struct bc_ins *bc_first_wait(const struct bc_ins *head, const struct bc_ins *end);
/* Whether code whose last word is `last` falls into a block at `next` that begins with a wait. */
bool bc_falls_into_wait(const struct bc_ins *last, const struct bc_ins *next, const struct bc_ins *end);
/* Whether it takes a token, so that schemes decide who takes part. */
bool bc_is_convergent(enum bc_op op);
/* What a letter of `operands` stands for. */
enum bc_file { BC_FILE_NONE, BC_FILE_VECTORS, BC_FILE_MASKS, BC_FILE_SCALARS, BC_FILES };
enum { BC_LETTER_FILE = 3, BC_LETTER_WIDE = 4, BC_LETTER_WRITTEN = 8 };
extern const uint8_t bc_letters[128];
static inline enum bc_file bc_file_of(char letter)
{
    return (enum bc_file)(bc_letters[(unsigned char)letter] & BC_LETTER_FILE);
}
static inline bool bc_is_wide(char letter)
{
    return bc_letters[(unsigned char)letter] & BC_LETTER_WIDE;
}
static inline bool bc_is_written(char letter)
{
    return bc_letters[(unsigned char)letter] & BC_LETTER_WRITTEN;
}
static inline bool bc_is_read(char letter)
{
    return bc_file_of(letter) != BC_FILE_NONE && !bc_is_written(letter);
}
enum bc_kind bc_kind_of(enum be_value v); /* of a value in lanes: M for i1, W for 64 bits, else V */

#endif
