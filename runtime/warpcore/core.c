/* core.c: the simulator's common instructions: lane operations, loads and stores, control flow. Compiled
 * twice for each instruction set of the host (CORE_ISA).
 *
 * Threaded code as in the interpreter's core: each handler ends by jumping to the next one's; or, for the
 * clock (CORE_STEPS), returns after each instruction. Lane operations are loops over eight lanes that gcc
 * turns into vector code; results are blended into the active lanes.
 */
#include "runtime/core/barrier_text.h"
#include "runtime/core/lane_ops.h"
#include "runtime/core/lanes.h"
#include "runtime/warpcore/simulator.h"

#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Woverride-init"

#if !defined CORE_LOOP && (defined CORE_STEPS || defined __SANITIZE_ADDRESS__ || !defined __OPTIMIZE__)
#define CORE_LOOP
#endif

#define HANDLER(name) static const struct rt_sim_ins *name(RT_SIM_PARAMS)
#ifdef CORE_LOOP
#define GO(to) return (to)
#else
#define GO(to)                                                                                               \
    do {                                                                                                     \
        const struct rt_sim_ins *to_ = (to);                                                                 \
        return to_->run(w, to_);                                                                             \
    } while (0)
#endif
#define NEXT       GO(pc + 1)
#define ROW(reg)   ((uint32_t *)__builtin_assume_aligned(w->r[reg], 32))
#define LANE_MASK  ((const uint32_t *)__builtin_assume_aligned(w->lane_mask, 32))
#define ACTIVE     (w->flow.active)
#define ALL_ACTIVE (ACTIVE == (1u << WC_LANES) - 1)

#include "runtime/warpcore/core_alu.h"
#include "runtime/warpcore/core_flow.h"
#include "runtime/warpcore/core_memory.h"

HANDLER(invalid)
{
    rt_sim_fault(w, pc, WC_TRAP_ILLEGAL, rt_lowest(ACTIVE), "word %u is no instruction", pc->word);
    return NULL;
}

/* ---- the table --------------------------------------------------------------------------------------- */

/* The second table has the handlers for when all live lanes are active, where there are such. */
#define HANDLES(name)     [WC_##name] = O_##name,
#define HANDLES_ALL(name) [WC_##name] = OA_##name,
#define SPACES(row)       row(global) row(shared) row(private)
#define LOADS(space)                                                                                         \
    HANDLES(ld_##space##_u8)                                                                                 \
    HANDLES(ld_##space##_s8)                                                                                 \
    HANDLES(ld_##space##_u16) HANDLES(ld_##space##_s16) HANDLES(ld_##space##_32) HANDLES(ld_##space##_lo64)
#define STORES(space)                                                                                        \
    HANDLES(st_##space##_8)                                                                                  \
    HANDLES(st_##space##_16) HANDLES(st_##space##_32) HANDLES(st_##space##_f32) HANDLES(st_##space##_lo64)

static rt_sim_handler *const handlers[WC_OPS] = {
    [0 ... WC_OPS - 1] = invalid,
#define WC_LANE(name, mnemonic, major, func, operands, unit) [WC_##name] = L_##name,
#define WC_LANE_IMM(name, mnemonic, func, operands, unit)    [WC_##name##_imm] = I_##name,
#include "backend/format/warpcore/isa.def"
    HANDLES(mov) HANDLES(mov_p) HANDLES(li) HANDLES(lui) HANDLES(ldarg) HANDLES(nop) SPACES(LOADS)
        SPACES(STORES)[WC_at_global_add_I... WC_at_shared_cas_F] = O_atomic,
    [WC_ballot... WC_scan_add_F] = O_group,
    HANDLES(csrr) HANDLES(csrw) HANDLES(printf) HANDLES(assert) HANDLES(trap) HANDLES(exit) HANDLES(converge)
        HANDLES(call) HANDLES(callr) HANDLES(ret) HANDLES(br) HANDLES(brn) HANDLES(diverge)};

static rt_sim_handler *const handlers_all[WC_OPS] = {
#define WC_LANE(name, mnemonic, major, func, operands, unit) [WC_##name] = LA_##name,
#define WC_LANE_IMM(name, mnemonic, func, operands, unit)    [WC_##name##_imm] = IA_##name,
#include "backend/format/warpcore/isa.def"
    HANDLES_ALL(mov) HANDLES_ALL(mov_p) HANDLES_ALL(li) HANDLES_ALL(lui) HANDLES_ALL(ldarg)};

static rt_sim_handler *const handlers_two[WC_OPS] = {[WC_br] = OT_br, [WC_brn] = OT_brn};

static void enter(struct rt_sim_warp *w)
{
    w->stop = RT_RUNNING;
    refresh(w);
    w->at = begin(w, w->code + w->flow.pc);
}

static void run(struct rt_sim_warp *w)
{
    const struct rt_sim_ins *pc = w->at;
#ifdef CORE_LOOP
    while (pc)
        pc = pc->run(w, pc);
#else
    pc->run(w, pc);
#endif
}

#ifdef CORE_STEPS
#define STEPS       true
#define PASTE_(isa) rt_sim_core_##isa##_steps
#else
#define STEPS       false
#define PASTE_(isa) rt_sim_core_##isa
#endif
#define PASTE(isa) PASTE_(isa)
#define TEXT_(x)   #x
#define TEXT(x)    TEXT_(x)
extern const struct rt_sim_core PASTE(CORE_ISA);
const struct rt_sim_core PASTE(CORE_ISA) = {.isa = TEXT(CORE_ISA),
                                            .steps = STEPS,
                                            .handlers = handlers,
                                            .handlers_all = handlers_all,
                                            .handlers_two = handlers_two,
                                            .illegal = invalid,
                                            .enter = enter,
                                            .run = run};
