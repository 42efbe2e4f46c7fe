/* isa.h: the warp-core instruction set as C sees it: one word decoded, control registers, faults, cycles.
 *
 * The tables are isa.def, csr.def, trap.def, timing.def and modes.def; docs/isa.md is the reference. A word
 * either encodes exactly one instruction or none: encoding what was decoded gives the same word back.
 */
#ifndef KERNC_WARPCORE_ISA_H
#define KERNC_WARPCORE_ISA_H

#include "base/base.h"
#include "base/scalar.h"
#include "base/scheme.h"

#define WC_LANES           8
#define WC_SLOTS           4        /* warps that a core holds at a time */
#define WC_STACK           16       /* entries of a warp's divergence stack */
#define WC_REGISTERS       32       /* r0 reads 0 */
#define WC_PREDICATES      8        /* p0 reads true */
#define WC_LINK            31       /* register of return addresses, by convention */
#define WC_FRAME           30       /* register of the lane's frame; WC_FIRST_ADDRESS at start */
#define WC_MAX_WORDS       4096     /* of code */
#define WC_MAX_STACK_STEPS 4000000u /* of the search for the divergence stack that suffices (stack_bound.h) */
#define WC_NONE            0xfffu   /* instead of a code word: none. So word 4095 is no reconvergence point */
#define WC_ARGUMENT_WORDS  256      /* that ldarg can name; those behind the kernel's arguments read 0 */
#define WC_FIRST_ADDRESS   16       /* of shared and private memory: 0 is null */
#define WC_SEGMENT_BYTES   32       /* of memory that one access to global memory moves */

enum wc_space { WC_SPACE_global, WC_SPACE_shared, WC_SPACE_private };

enum wc_op {
#define WC_OP(name, mnemonic, major, func, operands, unit, meaning) WC_##name,
#define WC_LANE(name, mnemonic, major, func, operands, unit)        WC_##name,
#define WC_LANE_IMM(name, mnemonic, func, operands, unit)           WC_##name##_imm,
#include "backend/format/warpcore/isa.def"
    WC_OPS
};

enum wc_major {
#define WC_MAJOR(name, number, format) WC_MAJOR_##name = number,
#include "backend/format/warpcore/isa.def"
};
enum wc_format { WC_FORMAT_NONE, WC_FORMAT_R, WC_FORMAT_I, WC_FORMAT_U, WC_FORMAT_B };
extern const uint8_t wc_formats[32]; /* enum wc_format by major opcode */

enum wc_unit {
#define WC_UNIT(name, cycles, interval, port, meaning) WC_UNIT_##name,
#include "backend/format/warpcore/timing.def"
    WC_UNITS
};
enum wc_parameter {
#define WC_PARAMETER(name, value, least, meaning) WC_##name,
#include "backend/format/warpcore/timing.def"
    WC_PARAMETERS
};

struct wc_op_info {
    const char *mnemonic;
    char operands[7]; /* letters of isa.def, for d a b c imm rpc */
    uint8_t major, func, unit;
    int16_t lane; /* enum scalar_case of a lane operation, or -1 */
};
extern const struct wc_op_info wc_op_info[WC_OPS];
/* Of any operation, for the reference and listings; static. */
const char *wc_meaning(enum wc_op op);

/* One instruction. Fields that its row marks `-` are 0. */
struct wc_ins {
    uint16_t op;        /* enum wc_op */
    uint8_t d, a, b, c; /* registers or predicates */
    uint16_t rpc;       /* code word, or WC_NONE */
    int32_t imm;
};
/* False: the word is no instruction (unknown opcode, an unused field that is not 0, no such predicate or
 * control register). What depends on the image is verify.c's to check: targets and texts. */
bool wc_decode(uint32_t word, struct wc_ins *ins);
/* The word; a field out of range is a bug of the caller's. */
uint32_t wc_encode(struct wc_ins ins);
/* The numbers that the field `imm` of this instruction holds; of a control register's, all but some. */
struct wc_range {
    int64_t least, most;
};
/* 0 to 0 where it has no such field. */
struct wc_range wc_imm_range(enum wc_op op);
static inline bool wc_imm_fits(enum wc_op op, int64_t imm)
{
    return imm >= wc_imm_range(op).least && imm <= wc_imm_range(op).most;
}
/* Nothing reaches the word after it by going on: exit, ret, trap, and br p0. A call comes back, so it does
 * not count. */
bool wc_never_falls_through(const struct wc_ins *ins);

/* ---- cycles (timing.c) ------------------------------------------------------------------------------- */

/* Instructions of a unit occupy their warp for `cycles`, and the unit's port for `interval`. */
struct wc_timing {
    uint32_t cycles[WC_UNITS], interval[WC_UNITS], parameter[WC_PARAMETERS];
};
extern const struct wc_timing wc_timing_default; /* the figures of timing.def */
struct wc_unit_info {
    const char *name, *meaning;
    uint8_t port;
}; /* port: enum wc_unit */
extern const struct wc_unit_info wc_unit_info[WC_UNITS];
struct wc_parameter_info {
    const char *name, *meaning;
    uint32_t least;
};
extern const struct wc_parameter_info wc_parameter_info[WC_PARAMETERS];
#define WC_MAX_CYCLES 1000000 /* of any figure that is given */
/* Changes what a text says: lines of a row's name and its figures, `DIV 16 16`; # begins a comment. False:
 * `why` says what is wrong, with the line. */
bool wc_timing_read(struct wc_timing *t, const char *text, size_t n, char *why, size_t size);
/* The text that gives these figures, with what they mean as comments. */
void wc_timing_write(const struct wc_timing *t, struct text *out);
/* Those an instruction takes by itself, as timing.def has them. */
static inline uint32_t wc_cycles(enum wc_op op)
{
    return wc_timing_default.cycles[wc_op_info[op].unit];
}

/* ---- control registers ------------------------------------------------------------------------------- */

enum wc_csr {
#define SPECIAL(name, text, source, scope, meaning) WC_CSR_##name,
#include "base/specials.def"
#undef SPECIAL
    WC_CSR_SPECIALS, /* the numbers before are enum bc_special's */
#define WC_CSR(name, text, number, access, meaning) WC_CSR_##name = number,
#include "backend/format/warpcore/csr.def"
};
struct wc_csr_info {
    const char *name, *meaning;
    uint16_t number;
    bool readable, writable;
};
extern const struct wc_csr_info wc_csr_info[];
extern const size_t wc_csr_count;
const struct wc_csr_info *wc_csr_find(uint32_t number); /* NULL: there is none */
/* By its n characters; NULL: there is none. */
const struct wc_csr_info *wc_csr_named(const char *name, size_t n);

/* ---- faults and modes -------------------------------------------------------------------------------- */

enum wc_trap {
    WC_TRAP_NONE,
#define WC_TRAP(name, code, text, meaning) WC_TRAP_##name = code,
#include "backend/format/warpcore/trap.def"
};
struct wc_trap_info {
    const char *name, *meaning;
    uint8_t code;
};
extern const struct wc_trap_info wc_trap_info[];
extern const size_t wc_trap_count;

enum wc_mode {
#define WC_MODE(name, text, meaning) WC_MODE_##name,
#include "backend/format/warpcore/modes.def"
    WC_MODES
};
struct wc_mode_info {
    const char *name, *meaning;
};
extern const struct wc_mode_info wc_mode_info[WC_MODES];
/* The mode that runs code of the scheme; WC_MODES: none does, it is of another target. */
enum wc_mode wc_mode_of(enum scheme s);
/* The scheme that images of this mode are made for. */
enum scheme wc_mode_scheme(enum wc_mode mode);

#endif
