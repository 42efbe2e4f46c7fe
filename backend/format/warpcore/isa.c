/* isa.c: the tables of the instruction set, and words encoded and decoded by them.
 *
 * A word's opcode is its major opcode and, in the formats R and I, its function number. op_of is a switch
 * over both with a case a row: rows of the same encoding are a duplicate case, which no compiler accepts.
 */
#include "backend/format/warpcore/isa.h"

/* ---- tables ------------------------------------------------------------------------------------------ */

const uint8_t wc_formats[32] = {
#define WC_MAJOR(name, number, format) [number] = WC_FORMAT_##format,
#include "backend/format/warpcore/isa.def"
};

#define INFO(mnemonic, operands, major, func, unit, lane)                                                    \
    {mnemonic, operands, WC_MAJOR_##major, func, WC_UNIT_##unit, lane},
const struct wc_op_info wc_op_info[WC_OPS] = {
#define WC_OP(name, mnemonic, major, func, operands, unit, meaning)                                          \
    [WC_##name] = INFO(mnemonic, operands, major, func, unit, -1)
#define WC_LANE(name, mnemonic, major, func, operands, unit)                                                 \
    [WC_##name] = INFO(mnemonic, operands, major, func, unit, SCALAR_##name)
#define WC_LANE_IMM(name, mnemonic, func, operands, unit)                                                    \
    [WC_##name##_imm] = INFO(mnemonic, operands, ALUI, func, unit, SCALAR_##name)
#include "backend/format/warpcore/isa.def"
};

const char *wc_meaning(enum wc_op op)
{
    static const char *const meanings[WC_OPS] = {
#define WC_OP(name, mnemonic, major, func, operands, unit, meaning) [WC_##name] = meaning,
#include "backend/format/warpcore/isa.def"
    };
    return meanings[op] ? meanings[op] : scalar_op_meaning(scalar_case_info[wc_op_info[op].lane].op);
}

const struct wc_csr_info wc_csr_info[] = {
#define SPECIAL(name, text, source, scope, meaning) {text, meaning, WC_CSR_##name, true, false},
#include "base/specials.def"
#undef SPECIAL
#define R true, false
#define W false, true
#define WC_CSR(name, text, number, access, meaning) {text, meaning, number, access},
#include "backend/format/warpcore/csr.def"
#undef R
#undef W
};
const size_t wc_csr_count = COUNT(wc_csr_info);

const struct wc_csr_info *wc_csr_find(uint32_t number)
{
    for (size_t i = 0; i < wc_csr_count; i++)
        if (wc_csr_info[i].number == number)
            return &wc_csr_info[i];
    return NULL;
}

const struct wc_csr_info *wc_csr_named(const char *name, size_t n)
{
    for (size_t i = 0; i < wc_csr_count; i++)
        if (strlen(wc_csr_info[i].name) == n && memcmp(wc_csr_info[i].name, name, n) == 0)
            return &wc_csr_info[i];
    return NULL;
}

const struct wc_trap_info wc_trap_info[] = {
#define WC_TRAP(name, code, text, meaning) {text, meaning, code},
#include "backend/format/warpcore/trap.def"
};
const size_t wc_trap_count = COUNT(wc_trap_info);

const struct wc_mode_info wc_mode_info[WC_MODES] = {
#define WC_MODE(name, text, meaning) {text, meaning},
#include "backend/format/warpcore/modes.def"
};

#define MODE_bytecode(machine)  WC_MODES
#define MODE_warp_core(machine) WC_MODE_##machine
static const enum wc_mode mode_of_scheme[SCHEMES] = {
#define SCHEME(id, name, target, machine, lowering, properties, meaning)                                     \
    [SCHEME_##id] = MODE_##target(machine),
#include "base/schemes.def"
};

enum { /* the lanes of each target */
#define TARGET(id, name, lanes, scheme, lacks, lowering, meaning) LANES_##id = (lanes),
#include "base/targets.def"
};
_Static_assert(LANES_warp_core == WC_LANES, "base/targets.def says how many lanes the machine has");

enum wc_mode wc_mode_of(enum scheme s)
{
    return s < SCHEMES ? mode_of_scheme[s] : WC_MODES;
}

enum scheme wc_mode_scheme(enum wc_mode mode)
{
    unsigned s = 0;
    while (s < SCHEMES && mode_of_scheme[s] != mode)
        s++;
    INVARIANT(s < SCHEMES);
    return (enum scheme)s;
}

/* ---- encodings that would overlap do not compile ----------------------------------------------------- */

enum { FUNC_BITS = 7 };
#define KEY(major, func) ((major) << FUNC_BITS | (func))

static int op_of(uint32_t key)
{
    switch (key) {
#define WC_OP(name, mnemonic, major, func, operands, unit, meaning)                                          \
    case KEY(WC_MAJOR_##major, func): return WC_##name;
#define WC_LANE(name, mnemonic, major, func, operands, unit)                                                 \
    case KEY(WC_MAJOR_##major, func): return WC_##name;
#define WC_LANE_IMM(name, mnemonic, func, operands, unit)                                                    \
    case KEY(WC_MAJOR_ALUI, func): return WC_##name##_imm;
#include "backend/format/warpcore/isa.def"
    default: return -1;
    }
}

/* Two majors of one number would be two formats for one word; a function number must fit its field, and
 * formats without one have 0. */
enum {
    FUNC_LIMIT_R = 128, FUNC_LIMIT_I = 32, FUNC_LIMIT_U = 1, FUNC_LIMIT_B = 1,
#define WC_MAJOR(name, number, format) FUNC_LIMIT_OF_##name = FUNC_LIMIT_##format,
#include "backend/format/warpcore/isa.def"
};
#define WC_OP(name, mnemonic, major, func, operands, unit, meaning)                                          \
    _Static_assert((func) < FUNC_LIMIT_OF_##major && sizeof(operands) == 7,                                  \
                   mnemonic " does not fit its format");
#define WC_LANE(name, mnemonic, major, func, operands, unit)                                                 \
    WC_OP(name, mnemonic, major, func, operands, unit, "")
#define WC_LANE_IMM(name, mnemonic, func, operands, unit)                                                    \
    WC_OP(name, mnemonic, ALUI, func, operands, unit, "")
#include "backend/format/warpcore/isa.def"
#define WC_MAJOR(name, number, format)                                                                       \
    _Static_assert((number) > 0 && (number) < 31, "opcode " #name " is left free or too large");
#include "backend/format/warpcore/isa.def"
static __attribute__((unused)) void one_format_a_major(enum wc_major major)
{
    switch (major) {
#define WC_MAJOR(name, number, format) case number: break;
#include "backend/format/warpcore/isa.def"
    }
}
static __attribute__((unused)) void one_meaning_a_csr(enum wc_csr number)
{
    switch ((unsigned)number) {
#define SPECIAL(name, text, source, scope, meaning) case WC_CSR_##name: break;
#include "base/specials.def"
#undef SPECIAL
#define WC_CSR(name, text, number, access, meaning) case number: break;
#include "backend/format/warpcore/csr.def"
    }
}

/* ---- fields ------------------------------------------------------------------------------------------ */

struct field { uint8_t shift, bits; };                  /* bits 0: the format has no such field */
enum { FIELD_D, FIELD_A, FIELD_B, FIELD_C, FIELD_IMM, FIELD_RPC, FIELDS };
/* In the order of the operand letters. */
static const struct field fields[][FIELDS] = {
    [WC_FORMAT_NONE] = {{0, 0}},
    [WC_FORMAT_R] = {{22, 5}, {17, 5}, {12, 5}, {7, 5}, {0, 0}, {0, 0}},
    [WC_FORMAT_I] = {{22, 5}, {17, 5}, {0, 0}, {0, 0}, {0, 12}, {0, 0}},
    [WC_FORMAT_U] = {{22, 5}, {0, 0}, {0, 0}, {0, 0}, {0, 22}, {0, 0}},
    [WC_FORMAT_B] = {{0, 0}, {24, 3}, {0, 0}, {0, 0}, {12, 12}, {0, 12}},
};
static const struct field func_field[] = {
    [WC_FORMAT_R] = {0, 7}, [WC_FORMAT_I] = {12, 5}, [WC_FORMAT_U] = {0, 0}, [WC_FORMAT_B] = {0, 0}};
enum { MAJOR_SHIFT = 27 };

static uint32_t mask_of(struct field f)
{
    return (1u << f.bits) - 1;
}

static bool is_signed(char letter)
{
    return letter == 'i' || letter == 'o';
}

static bool csr_allows(uint32_t number, char letter)
{
    const struct wc_csr_info *csr = wc_csr_find(number);
    return csr && (letter == 'C' ? csr->writable : csr->readable);
}

/* What may stand in a field of `bits` bits under this letter. */
static struct wc_range range_of(char letter, unsigned bits)
{
    int64_t limit = (int64_t)1 << bits;
    switch (letter) {
    case '-': return (struct wc_range){0, 0};
    case 'P': case 'p': return (struct wc_range){0, WC_PREDICATES - 1};
    case 'w': return (struct wc_range){0, WC_ARGUMENT_WORDS - 1};
    case 'i': case 'o': return (struct wc_range){-limit / 2, limit / 2 - 1};
    default: return (struct wc_range){0, limit - 1};
    }
}

static bool value_fits(char letter, unsigned bits, int64_t x)
{
    struct wc_range range = range_of(letter, bits);
    if (x < range.least || x > range.most)
        return false;
    return (letter != 'c' && letter != 'C') || csr_allows((uint32_t)x, letter);
}

struct wc_range wc_imm_range(enum wc_op op)
{
    const struct wc_op_info *info = &wc_op_info[op];
    return range_of(info->operands[FIELD_IMM], fields[wc_formats[info->major]][FIELD_IMM].bits);
}

/* ---- words ------------------------------------------------------------------------------------------- */

bool wc_decode(uint32_t word, struct wc_ins *ins)
{
    uint32_t major = word >> MAJOR_SHIFT;
    enum wc_format format = (enum wc_format)wc_formats[major];
    struct field func = func_field[format];
    int op = format ? op_of(KEY(major, word >> func.shift & mask_of(func))) : -1;
    if (op < 0)
        return false;
    int64_t x[FIELDS];
    for (unsigned i = 0; i < FIELDS; i++) {
        struct field f = fields[format][i];
        char letter = wc_op_info[op].operands[i];
        x[i] = word >> f.shift & mask_of(f);
        if (is_signed(letter) && x[i] >> (f.bits - 1))
            x[i] -= (int64_t)1 << f.bits;
        if (!value_fits(letter, f.bits, x[i]))
            return false;
    }
    *ins = (struct wc_ins){(uint16_t)op, (uint8_t)x[FIELD_D], (uint8_t)x[FIELD_A], (uint8_t)x[FIELD_B],
                           (uint8_t)x[FIELD_C], (uint16_t)x[FIELD_RPC], (int32_t)x[FIELD_IMM]};
    return true;
}

uint32_t wc_encode(struct wc_ins ins)
{
    INVARIANT(ins.op < WC_OPS);
    const struct wc_op_info *info = &wc_op_info[ins.op];
    enum wc_format format = (enum wc_format)wc_formats[info->major];
    const int64_t x[FIELDS] = {ins.d, ins.a, ins.b, ins.c, ins.imm, ins.rpc};
    uint32_t word = (uint32_t)info->major << MAJOR_SHIFT | (uint32_t)info->func << func_field[format].shift;
    for (unsigned i = 0; i < FIELDS; i++) {
        struct field f = fields[format][i];
        if (!value_fits(info->operands[i], f.bits, x[i]))
            BUG("%s: operand %u is out of range: %lld", info->mnemonic, i, (long long)x[i]);
        word |= ((uint32_t)x[i] & mask_of(f)) << f.shift;
    }
    return word;
}

bool wc_never_falls_through(const struct wc_ins *ins)
{
    switch (ins->op) {
    case WC_exit: case WC_ret: case WC_trap: return true;
    case WC_br: return ins->a == 0;
    default:    return false;
    }
}
