/* core.c: the interpreter. Compiled once for each row of the makefile's CORES, with CORE_LANES, CORE_ISA and
 * the compiler's options for the instruction set.
 *
 * Threaded code: each instruction is a function that ends by jumping to the next one's through a table
 * indexed by opcode, with the warp's registers in machine registers. Compilers make the jump of
 * `return f(...)`; where they may not (sanitizers, -O0: CORE_LOOP), functions return the next instruction to
 * a loop. There are three tables, chosen when the mask changes: see struct rt_core.
 *
 * Lane operations are plain loops over a fixed number of lanes that gcc turns into vector code. A handler
 * that saves a register on the stack makes the next one wait until it has come back: it is worth while to
 * look for `push` in them.
 */
#include "runtime/core/core.h"
#include "runtime/core/lanes.h"
#include "runtime/schemes/scheme.h"

#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Woverride-init"

#if !defined CORE_LOOP && (defined __SANITIZE_ADDRESS__ || !defined __OPTIMIZE__)
#define CORE_LOOP
#endif
#ifdef CORE_LOOP
#pragma GCC diagnostic ignored "-Wunused-but-set-parameter" /* V and table, which only the jumps pass on */
#endif

#if CORE_LANES
enum { LANES = CORE_LANES, MOST_LANES = LANES };
#else /* one instance for all numbers of lanes */
enum { MOST_LANES = RT_MAX_LANES };
#define LANES (w->lanes)
#endif
#define ALL_LANES  (UINT64_MAX >> (64 - LANES))
#define HANDLER(name) static const struct bc_ins *name(RT_OP_PARAMS)
#define PASS       w, pc, table, V
/* Masks and scalars are found through the warp: were their files passed on too, handlers of vectors would run
 * out of machine registers and save their callers' on the stack, which costs more than the instruction itself
 * where they wait for it. */
#define M          (w->M)
#define S          (w->S)
/* The empty asm keeps gcc from making the next pc early, in a register that would have to be saved. */
#ifdef CORE_LOOP
#define NEXT(words) return pc + (words)
#else
#define NEXT(words)                                                                                          \
    do {                                                                                                     \
        __asm__("" : "+r"(pc));                                                                              \
        pc += (words);                                                                                       \
        return table[pc->op].run(PASS);                                                                      \
    } while (0)
#endif
/* Goes on at a block word: a jump that always leads to the same place, which machines foresee best. */
#ifdef CORE_LOOP
#define ENTER(index) return w->code + (index)
#else
#define ENTER(index)                                                                                         \
    do {                                                                                                     \
        pc = w->code + (index);                                                                              \
        return table[BC_block].run(PASS);                                                                    \
    } while (0)
#endif
/* What is in machine registers comes from the warp again: cheaper than to keep it over a call. In a handler,
 * and in a function that has just the warp and `pc`. */
#define RELOAD_REGISTERS() (table = w->table, V = w->V)
#define KNOW_REGISTERS()                                                                                     \
    const struct rt_op *table = w->table;                                                                    \
    uint8_t *V = w->V
#define LANE_VECTOR(reg)                                                                                     \
    __builtin_assume_aligned((void *)(V + (size_t)(reg) * (LANES * 4)),                                      \
                             CORE_LANES * 4 > 64 ? 64 : CORE_LANES ? CORE_LANES * 4 : VECTOR_BYTES)
#define LANE_MASK ((uint32_t *)__builtin_assume_aligned(w->lane_mask, 64))
#define ADDRESS   ((const uint32_t *)__builtin_assume_aligned(w->address, 64))

/* By the letters of scalar.def. */
#define lanes_merge_I lanes_merge32
#define lanes_merge_F lanes_merge32
#define lanes_merge_L lanes_merge64
#define lanes_merge_D lanes_merge64
/* Chunk number `chunk` of the register at `d` gets `value` of lane i, after the declarations FETCH, in the
 * lanes of `mask`; all chunks of it. */
#define MERGE_CHUNK(R, chunk, FETCH, value)                                                                  \
    {                                                                                                        \
        scalar_ctype_##R merged_[CHUNK_OF(*d)];                                                              \
        LANE_LOOP (within_, CHUNK_OF(*d)) {                                                                  \
            unsigned i = (chunk) * CHUNK_OF(*d) + within_;                                                   \
            FETCH merged_[within_] = (value);                                                                \
        }                                                                                                    \
        lanes_merge_##R(d + (chunk) * CHUNK_OF(*d), merged_, mask + (chunk) * CHUNK_OF(*d));                 \
    }
#define MERGE_LANES(R, FETCH, value)                                                                         \
    CHUNK_LOOP (chunk_, LANES / CHUNK_OF(*d))                                                                \
        MERGE_CHUNK(R, chunk_, FETCH, value)
/* Calls code that is not of the core, where calls are frequent enough to count. */
#define OUTSIDE(call) (lanes_leave(), (call))

#include "runtime/core/core_branch.h"
#include "runtime/core/core_alu.h"
#include "runtime/core/core_memory.h"
#include "runtime/core/core_partner.h"
#include "runtime/core/core_wide.h"
#include "runtime/core/core_run.h"
#include "runtime/core/core_group.h"

/* ---- tables ------------------------------------------------------------------------------------------ */

#define LANE_ROWS(name, masked)                                                                              \
    [BC_V_##name] = {masked##_##name}, [BC_T_##name] = {T_##name}, [BC_S_##name] = {S_##name},
#define BRANCH_ROWS_B(name)                                                                                  \
    [BC_B_##name] = {B_##name}, [BC_U_##name] = {U_##name}, [BC_C_##name] = {C_##name},
#define BRANCH_ROWS_I(name)
#define BRANCH_ROWS_L(name)
#define BRANCH_ROWS_F(name)
#define BRANCH_ROWS_D(name)
#define GUARD_ROW(name, type, order) [BC_U_##name] = {full_U_##name},
#define COMMON_ROWS [0 ... BC_OPS - 1] = {invalid},

#define BC(name, operands, meaning) [BC_##name] = {O_##name},
#define S1(op, name, R, A, formula) LANE_ROWS(name, V)
#define S2(op, name, R, A, B, formula) LANE_ROWS(name, V) BRANCH_ROWS_##R(name)
#define S3(op, name, R, A, B, C, formula) LANE_ROWS(name, V)
#define S4(op, name, R, A, B, C, E, formula) LANE_ROWS(name, V)
static const struct rt_op partial_table[BC_OPS] = {
    COMMON_ROWS
#include "backend/format/bytecode/bytecode.def"
#include "base/scalar.def"
};

/* Lanes that are not active are never read again: V_ forms need no mask. */
#define UNMASKED_ROWS                                                                                        \
    [BC_mov_v] = {full_mov_v}, [BC_mov_w] = {full_mov_w},                                                    \
    [BC_spread_v] = {O_splat_v}, [BC_spread_w] = {O_splat_w},
#define BC(name, operands, meaning) [BC_##name] = {O_##name},
#define S1(op, name, R, A, formula) LANE_ROWS(name, T)
#define S2(op, name, R, A, B, formula) LANE_ROWS(name, T) BRANCH_ROWS_##R(name)
#define S3(op, name, R, A, B, C, formula) LANE_ROWS(name, T)
#define S4(op, name, R, A, B, C, E, formula) LANE_ROWS(name, T)
static const struct rt_op brief_table[BC_OPS] = {
    COMMON_ROWS
#include "backend/format/bytecode/bytecode.def"
#include "base/scalar.def"
    UNMASKED_ROWS
};

#define BC(name, operands, meaning) [BC_##name] = {O_##name},
#define S1(op, name, R, A, formula) LANE_ROWS(name, T)
#define S2(op, name, R, A, B, formula) LANE_ROWS(name, T) BRANCH_ROWS_##R(name)
#define S3(op, name, R, A, B, C, formula) LANE_ROWS(name, T)
#define S4(op, name, R, A, B, C, E, formula) LANE_ROWS(name, T)
static const struct rt_op full_table[BC_OPS] = {
    COMMON_ROWS
#include "backend/format/bytecode/bytecode.def"
#include "base/scalar.def"
    UNMASKED_ROWS GUARDS(GUARD_ROW) LOADS(RUN_LOAD) STORES(RUN_STORE) [BC_block] = {full_block},
    [BC_assert_below] = {full_assert_below},
};

static const struct rt_op counted_rows[BC_OPS] = {LOADS(COUNTED_LOAD) STORES(COUNTED_STORE)};

static __attribute__((noinline)) void count_banks(struct rt_warp *w, const struct bc_ins *pc)
{
    struct rt_access access = rt_access[pc->op];
    struct extent e = {0};
    if (access.mode != RT_MODE_U)
        e = find_addresses(w, pc, access, w->active == ALL_LANES);
    OUTSIDE(rt_count_banks(w, pc, e.smallest, e.largest));
}

#define COUNT_BANKS(table_name)                                                                              \
    HANDLER(banks_##table_name)                                                                              \
    {                                                                                                        \
        count_banks(w, pc);                                                                                  \
        return table_name##_table[pc->op].run(PASS);                                                         \
    }
COUNT_BANKS(full)
COUNT_BANKS(brief)
COUNT_BANKS(partial)

static uint64_t equal_v(const struct rt_warp *w, uint32_t reg, uint32_t x)
{
    const uint32_t *a = rt_v(w, reg);
    uint64_t bits = 0;
    CHUNK_LOOP (c, LANES / CHUNK_32)
        bits |= lanes_bits_32((vec_i)(lanes_load(a + c * CHUNK_32) == x)) << c * CHUNK_32;
    lanes_leave();
    return bits;
}
static uint64_t equal_w(const struct rt_warp *w, uint32_t reg, uint64_t x)
{
    const uint64_t *a = rt_w(w, reg);
    uint64_t bits = 0;
    for (unsigned i = 0; i < LANES; i++)
        bits |= (uint64_t)(a[i] == x) << i;
    lanes_leave();
    return bits;
}

/* From `pc` until the warp stops. */
static void run_from(struct rt_warp *w, const struct bc_ins *pc)
{
    w->stop = RT_RUNNING;
#ifdef CORE_LOOP
    while (pc)
        pc = w->table[pc->op].run(w, pc, w->table, w->V);
#else
    w->table[pc->op].run(w, pc, w->table, w->V);
#endif
    lanes_leave();
}
static void run(struct rt_warp *w)
{
    w->last = w->index;
    refresh(w);
    run_from(w, w->code + w->pc);
}
static void begin(struct rt_warp *w)
{
    if (w->asked)
        start_lanes(w);
    fill_lanes(w);
    run_from(w, w->code + w->pc);
}

#define PASTE_(isa, lanes) rt_core_##isa##_##lanes
#define PASTE(isa, lanes) PASTE_(isa, lanes)
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define INSTANCE(lanes_)                                                                                     \
    extern const struct rt_core PASTE(CORE_ISA, lanes_);                                                     \
    const struct rt_core PASTE(CORE_ISA, lanes_) = {                                                         \
        .isa = TEXT(CORE_ISA),                                                                               \
        .lanes = lanes_,                                                                                     \
        .full = full_table,                                                                                  \
        .brief = brief_table,                                                                                \
        .partial = partial_table,                                                                            \
        .counted = counted_rows,                                                                             \
        .banks_full = banks_full,                                                                            \
        .banks_brief = banks_brief,                                                                          \
        .banks_partial = banks_partial,                                                                      \
        .block_clock = block_clock,                                                                          \
        .block_ask = block_ask,                                                                              \
        .block_check = block_check,                                                                          \
        .ask_convergent = ask_convergent,                                                                    \
        .equal_v = equal_v,                                                                                  \
        .equal_w = equal_w,                                                                                  \
        .begin = begin,                                                                                      \
        .run = run,                                                                                          \
    };
#if CORE_LANES
INSTANCE(CORE_LANES)
#else
INSTANCE(8)
INSTANCE(16)
INSTANCE(32)
INSTANCE(64)
#endif
