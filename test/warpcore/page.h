/* page.h: the machine of docs/isa.md, built from that page alone: opcodes, units and their cycles are read from
 * the page's tables, all else is what its sentences say. It shares nothing with the simulator but the special
 * functions of base/scalar.h, which the page names. The test page_test.c compares the two; where they differ,
 * the page or the simulator is wrong.
 */
#ifndef KERNC_TEST_PAGE_H
#define KERNC_TEST_PAGE_H

#include "base/base.h"

enum {
    PAGE_LANES = 8,
    PAGE_SLOTS = 4,
    PAGE_STACK = 16,
    PAGE_WORDS = 4096,
    PAGE_NONE = 4095,
    PAGE_UNITS = 32,
    PAGE_OPERANDS = 4,
    PAGE_REGISTERS = 32,
    PAGE_PREDICATES = 8,
    PAGE_ARGUMENTS = 256,
};

/* ---- tables of the page (page_tables.c) ---------------------------------------------------------------- */

/* What an instruction does; PAGE_LANE: each lane computes its own result. */
enum page_kind {
    PAGE_ILLEGAL,
    PAGE_LANE,
    PAGE_LOAD,
    PAGE_STORE,
    PAGE_ATOM,
    PAGE_VOTE,
    PAGE_SHUFFLE,
    PAGE_REDUCE,
    PAGE_SCAN,
    PAGE_LDARG,
    PAGE_CSRR,
    PAGE_CSRW,
    PAGE_NOTHING,
    PAGE_ASSERT,
    PAGE_TRAP,
    PAGE_EXIT,
    PAGE_CONVERGE,
    PAGE_CALL,
    PAGE_CALLR,
    PAGE_RET,
    PAGE_BRANCH,
};
typedef uint32_t page_lane(uint32_t a, uint32_t b, uint32_t c);

struct page_row {
    char mnemonic[24];
    char operand[PAGE_OPERANDS][12]; /* as the page has them: rd, pa, imm, ...; "": no more */
    uint8_t kind, unit, cycles;      /* cycles: the column's */
    char format;                     /* R I U B */
    bool inverted;                   /* BRN, DIVERGE: the lanes that jump are those whose a is false */
    bool is_float;                   /* its result is a float: a NaN is the canonical one */
    char space;                      /* g s p: of loads, stores, atomics */
    uint8_t size;                    /* bytes that are checked */
    page_lane *lane;
};
/* port: the unit it is named after */
struct page_unit {
    char name[16];
    uint32_t cycles, interval, port;
};
enum page_parameter {
    PAGE_SEGMENT,
    PAGE_DIVERGE,
    PAGE_POP,
    PAGE_START,
    PAGE_CLEAR,
    PAGE_SWAP,
    PAGE_ISSUE,
    PAGE_SLICE,
    PAGE_PARAMETERS,
};
struct page_tables {
    struct page_row row[32][128]; /* by opcode and function */
    struct page_unit unit[PAGE_UNITS];
    uint32_t units, rows;
    uint32_t parameter[PAGE_PARAMETERS];
    char csr[64][16];
};
/* Reads the page, and the timing file if it is not NULL. NULL, or what could not be understood. */
const char *page_read(struct page_tables *t, struct arena *a, const char *path, const char *timing);
/* The unit of this name, or PAGE_UNITS. */
uint32_t page_unit(const struct page_tables *t, const char *name);

/* ---- arithmetic (page_lanes.c) --------------------------------------------------------------------------- */

/* The function of this name as the tables write it without `i`, `.p`; NULL: there is none. */
page_lane *page_lane_named(const char *name);
uint32_t page_canonical(uint32_t f); /* a NaN as the canonical one */

/* ---- jobs (page_job.c) --------------------------------------------------------------------------------- */

enum page_mode { PAGE_RPC, PAGE_SOURCE_PC, PAGE_ARTICLE, PAGE_FRONTIER, PAGE_MODES };
struct page_memory {
    const char *name;
    uint8_t *bytes;
    uint32_t address, size;
    bool read_only;
};
struct page_job {
    enum page_mode mode;
    uint32_t entry, private_bytes, shared_bytes, grid[3], block[3];
    uint32_t code[PAGE_WORDS], words, arguments[PAGE_ARGUMENTS];
    VEC(struct page_memory) memory, after; /* the constant data is the first one */
};
/* Reads a job as docs/isa.md describes it. NULL, or what is wrong with it. */
const char *page_read_job(struct page_job *j, struct arena *a, const char *path);

/* ---- a warp (page_warp.c, page_memory.c, page_flow.c) -------------------------------------------------- */

struct page_entry {
    uint32_t saved, pending, target, place, phase; /* place: rpc or source */
};
struct page_warp {
    uint32_t number, pc, active, live, depth, cycleh;
    uint64_t cycles, issued, since, ready; /* since: it came to its slot; ready: when it may go on */
    bool started, waits;                   /* waits at a barrier */
    uint32_t r[PAGE_LANES][PAGE_REGISTERS], p[PAGE_LANES][PAGE_PREDICATES];
    struct page_entry stack[PAGE_STACK];
    uint8_t *private[PAGE_LANES];
};
struct page_machine {
    const struct page_tables *tables;
    struct page_job *job;
    uint32_t block[3]; /* the index of the block that runs, with its memory */
    uint8_t *shared;
};
/* What an instruction came to. */
struct page_effect {
    uint32_t more;     /* cycles beside its unit's */
    uint32_t segments; /* of these, those for which the port is busy too */
    bool barrier, yield, ended;
    const char *fault; /* its name; NULL: none */
};

const struct page_row *page_row_at(const struct page_machine *m, uint32_t pc);
/* Executes the instruction at the warp's pc. */
struct page_effect page_step(struct page_machine *m, struct page_warp *w);
/* The same for one kind each; `word` is the instruction. */
void page_access(struct page_machine *m, struct page_warp *w, const struct page_row *row, uint32_t word,
                 struct page_effect *e);
void page_flow(struct page_machine *m, struct page_warp *w, const struct page_row *row, uint32_t word,
               struct page_effect *e);

/* The fields of a word. */
static inline uint32_t page_field(uint32_t word, char letter)
{
    return letter == 'd'   ? word >> 22 & 31
           : letter == 'a' ? word >> 17 & 31
           : letter == 'b' ? word >> 12 & 31
                           : word >> 7 & 31;
}
static inline uint32_t page_offset(uint32_t word) /* format I's imm, sign extended */
{
    return (word & 0xfff) - ((word & 0x800) << 1);
}
#define page_each_active(l, w)                                                                               \
    for (uint32_t l = 0; l < PAGE_LANES; l++)                                                                \
        if ((w)->active >> l & 1)

/* ---- the machine (page_core.c) --------------------------------------------------------------------------- */

/* Makes the job's launch on `cores` cores: its memory is what the launch leaves. NULL, or the fault's name. */
const char *page_run(const struct page_tables *t, struct page_job *j, struct arena *a, uint32_t cores,
                     uint64_t *core_cycles);

#endif
