/* services.c: the simulator's rare instructions: warp operations, atomics, control registers, printing, and a
 * second look at accesses that seem bad.
 */
#include "runtime/warpcore/simulator.h"

/* Writes x to register d of a lane. */
#define PUT(lane, x) (w->r[pc->d][lane] = (x))

/* ---- warp operations --------------------------------------------------------------------------------- */

static void put_all(struct rt_sim_warp *w, const struct rt_sim_ins *pc, uint32_t x)
{
    rt_each_lane(i, w->flow.active)
        PUT(i, x);
}

static void put_predicate(struct rt_sim_warp *w, const struct rt_sim_ins *pc, uint8_t bits)
{
    uint8_t active = w->flow.active;
    w->p[pc->d] = (uint8_t)((bits & active) | (w->p[pc->d] & ~active));
}

static uint32_t source_lane(const struct rt_sim_ins *pc, uint32_t own, uint32_t b)
{
    switch (pc->op) {
    case WC_shuffle: return b;
    case WC_shuffle_xor: return own ^ b;
    case WC_shuffle_up: return own - b;
    default: return own + b;
    }
}

static void shuffle(struct rt_sim_warp *w, const struct rt_sim_ins *pc)
{
    uint32_t from[WC_LANES], active = w->flow.active;
    memcpy(from, w->r[pc->a], sizeof from);
    rt_each_lane(i, active) {
        uint32_t lane = source_lane(pc, (uint32_t)i, w->r[pc->b][i]);
        PUT(i, from[lane < WC_LANES && active >> lane & 1 ? lane : i]);
    }
}

/* The case of base/scalar.def that joins two lanes. */
static enum scalar_case joined_by(unsigned op)
{
#define ROW(op, scalar) [WC_##op - WC_reduce_add_I] = SCALAR_##scalar
    static const uint16_t cases[] = {
        ROW(reduce_add_I, add_I),   ROW(reduce_smin_I, smin_I), ROW(reduce_smax_I, smax_I),
        ROW(reduce_umin_I, umin_I), ROW(reduce_umax_I, umax_I), ROW(reduce_and_I, and_I),
        ROW(reduce_or_I, or_I),     ROW(reduce_xor_I, xor_I),   ROW(reduce_add_F, add_F),
        ROW(reduce_min_F, fmin_F),  ROW(reduce_max_F, fmax_F),  ROW(scan_add_I, add_I),
        ROW(scan_add_F, add_F),
    };
#undef ROW
    INVARIANT(op >= WC_reduce_add_I && op - WC_reduce_add_I < COUNT(cases));
    return (enum scalar_case)cases[op - WC_reduce_add_I];
}

static uint32_t canonical(uint32_t x)
{
    return scalar_bits_f32(scalar_from_f32(x));
}

/* From the lowest lane on; a scan leaves each lane the result so far. */
static void reduce(struct rt_sim_warp *w, const struct rt_sim_ins *pc)
{
    enum scalar_case joins = joined_by(pc->op);
    bool scans = pc->op == WC_scan_add_I || pc->op == WC_scan_add_F;
    bool floats = scalar_case_info[joins].result == SCALAR_F;
    unsigned first = rt_lowest(w->flow.active);
    uint32_t all = 0;
    rt_each_lane(i, w->flow.active) {
        uint32_t x = floats ? canonical(w->r[pc->a][i]) : w->r[pc->a][i];
        all = i == first ? x : (uint32_t)scalar_evaluate(joins, (scalar_bits[]){all, x});
        if (scans)
            PUT(i, all);
    }
    if (!scans)
        put_all(w, pc, all);
}

/* Active lanes in whose predicate a is true. */
static uint8_t voters(const struct rt_sim_warp *w, const struct rt_sim_ins *pc)
{
    return w->p[pc->a] & w->flow.active;
}

void rt_sim_group(struct rt_sim_warp *w, const struct rt_sim_ins *pc)
{
    uint8_t active = w->flow.active;
    switch (pc->op) {
    case WC_ballot: put_all(w, pc, voters(w, pc)); break;
    case WC_any: put_predicate(w, pc, voters(w, pc) ? 0xff : 0); break;
    case WC_all: put_predicate(w, pc, voters(w, pc) == active ? 0xff : 0); break;
    case WC_elect: put_predicate(w, pc, active & -active); break;
    case WC_first: put_all(w, pc, w->r[pc->a][rt_lowest(active)]); break;
    case WC_shuffle:
    case WC_shuffle_xor:
    case WC_shuffle_up:
    case WC_shuffle_down: shuffle(w, pc); break;
    default: reduce(w, pc); break;
    }
}

/* ---- atomics ----------------------------------------------------------------------------------------- */

/* What becomes of the word: `old` joined with b, or c if old is b (cas). */
static uint32_t updated(unsigned n, uint32_t old, uint32_t b, uint32_t c)
{
    static const uint16_t cases[] = {SCALAR_add_I,  SCALAR_sub_I, SCALAR_smin_I, SCALAR_smax_I, SCALAR_umin_I,
                                     SCALAR_umax_I, SCALAR_and_I, SCALAR_or_I,   SCALAR_xor_I};
    enum { XCHG = COUNT(cases), CAS };
    if (n == CAS)
        return old == b ? c : old;
    return n == XCHG ? b : (uint32_t)scalar_evaluate((enum scalar_case)cases[n], (scalar_bits[]){old, b});
}

/* `n` in the order of isa.def. */
static uint32_t updated_float(unsigned n, uint32_t old, uint32_t b, uint32_t c)
{
    static const uint16_t cases[] = {SCALAR_add_F, SCALAR_sub_F, SCALAR_fmin_F, SCALAR_fmax_F};
    enum { XCHG = COUNT(cases), CAS };
    if (n == CAS)
        return old == canonical(b) ? canonical(c) : old;
    return n == XCHG ? canonical(b)
                     : (uint32_t)scalar_evaluate((enum scalar_case)cases[n], (scalar_bits[]){old, b});
}

void rt_sim_atomic(struct rt_sim_warp *w, const struct rt_sim_ins *pc, uint8_t *base)
{
    unsigned n = pc->op - (pc->op < WC_at_shared_add_I ? WC_at_global_add_I : WC_at_shared_add_I);
    enum { FLOATS = WC_at_global_add_F - WC_at_global_add_I };
    rt_each_lane(i, w->flow.active) {
        uint32_t *at = (uint32_t *)(void *)(base + w->address[i]), old = *at, b = w->r[pc->b][i],
                 c = w->r[pc->c][i];
        *at = n < FLOATS ? updated(n, old, b, c) : updated_float(n - FLOATS, old, b, c);
        PUT(i, old);
    }
}

/* ---- control registers ------------------------------------------------------------------------------- */

static uint32_t thread_index(const struct rt_sim_warp *w, uint32_t lane, unsigned dimension)
{
    const uint32_t *block = w->sim->given.block;
    uint32_t t = w->index * WC_LANES + lane;
    return dimension == 0 ? t % block[0] : dimension == 1 ? t / block[0] % block[1] : t / block[0] / block[1];
}

static uint32_t read_csr(struct rt_sim_warp *w, const struct rt_sim_ins *pc, uint32_t lane)
{
    const struct rt_sim *s = w->sim;
    switch (pc->imm) {
    case WC_CSR_TID_X:
    case WC_CSR_TID_Y:
    case WC_CSR_TID_Z: return thread_index(w, lane, (unsigned)(pc->imm - WC_CSR_TID_X));
    case WC_CSR_BID_X:
    case WC_CSR_BID_Y:
    case WC_CSR_BID_Z: return w->block->index[pc->imm - WC_CSR_BID_X];
    case WC_CSR_BDIM_X:
    case WC_CSR_BDIM_Y:
    case WC_CSR_BDIM_Z: return s->given.block[pc->imm - WC_CSR_BDIM_X];
    case WC_CSR_GDIM_X:
    case WC_CSR_GDIM_Y:
    case WC_CSR_GDIM_Z: return s->given.grid[pc->imm - WC_CSR_GDIM_X];
    case WC_CSR_LANE: return lane;
    case WC_CSR_WARP: return w->index;
    case WC_CSR_WARPSIZE: return WC_LANES;
    case WC_CSR_CYCLE: return (uint32_t)w->clock;
    case WC_CSR_CYCLEH: return (uint32_t)(w->clock >> 32);
    case WC_CSR_DATA: return s->data;
    case WC_CSR_ACTIVE: return w->flow.active;
    case WC_CSR_LIVE: return w->flow.live;
    case WC_CSR_DEPTH: return w->flow.depth;
    }
    BUG("control register %d", pc->imm);
}

void rt_sim_csr(struct rt_sim_warp *w, const struct rt_sim_ins *pc)
{
    if (pc->imm == WC_CSR_CYCLE)
        w->clock = w->cycles; /* cycleh is about the same moment */
    rt_each_lane(i, w->flow.active)
        PUT(i, read_csr(w, pc, (uint32_t)i));
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static bool is_valid(const struct rt_sim_warp *w, enum wc_space space, bool store, uint32_t address,
                     uint32_t bytes)
{
    uint64_t end = (uint64_t)address + bytes;
    if (address & (bytes - 1))
        return false;
    if (space == WC_SPACE_global)
        return end <= (store ? w->spaces.store_limits : w->spaces.limits)[address >> RT_SEGMENT_SHIFT];
    return address >= WC_FIRST_ADDRESS &&
           end <= (space == WC_SPACE_shared ? w->spaces.shared_bytes : w->spaces.private_bytes);
}

bool rt_sim_check(struct rt_sim_warp *w, const struct rt_sim_ins *pc, enum wc_space space, bool store,
                  uint32_t bytes)
{
    rt_each_lane(i, w->flow.active)
        if (!is_valid(w, space, store, w->address[i], bytes)) {
            rt_sim_fault_access(w, pc, (unsigned)i, space, store, w->address[i], bytes);
            return false;
        }
    return true;
}

/* Distinct segments of eight addresses at most. Accesses are aligned, so none lies in two. */
static uint32_t distinct(const struct rt_sim_warp *w, uint32_t shift)
{
    uint32_t seen[WC_LANES], count = 0;
    rt_each_lane(i, w->flow.active) {
        uint32_t segment = w->address[i] >> shift, k = 0;
        while (k < count && seen[k] != segment)
            k++;
        seen[k] = segment;
        count += k == count;
    }
    return count;
}

void rt_sim_count_access(struct rt_sim_warp *w, const struct rt_sim_ins *pc, uint32_t bytes)
{
    enum { SHIFT = __builtin_ctz(WC_SEGMENT_BYTES) };
    w->tally->transactions[pc->word] += distinct(w, w->sim->sizes.segment_shift);
    rt_sim_charge(w, pc, (distinct(w, SHIFT) - 1) * w->sim->timing.parameter[WC_SEGMENT]);
}

void rt_sim_count_banks(struct rt_sim_warp *w, const struct rt_sim_ins *pc)
{
    uint32_t address[WC_LANES], n = 0;
    rt_each_lane(i, w->flow.active)
        address[n++] = w->address[i];
    struct rt_bank_count *all = &w->tally->banks[pc->word],
                         one =
                             rt_bank_passes(address, n, 4, pc->op >= WC_at_shared_add_I, w->sim->given.banks);
    all->passes += one.passes;
    all->conflicts += one.conflicts;
}

/* ---- printing ---------------------------------------------------------------------------------------- */

static uint32_t operand_bytes(uint8_t type)
{
    return type == BE_I64 ? 8 : 4;
}

static uint32_t load_word(const uint8_t *at)
{
    uint32_t x;
    memcpy(&x, at, sizeof x);
    return x;
}

/* Operands lie one behind the other; they are asked for in order. */
struct cursor {
    const struct wc_text *text;
    const uint8_t *at;
};
static scalar_bits next_operand(const void *from, unsigned index, enum be_value *type)
{
    struct cursor *c = *(struct cursor *const *)from;
    uint8_t given = c->text->operands.at[index];
    scalar_bits bits = load_word(c->at);
    if (given == BE_I64)
        bits |= (scalar_bits)load_word(c->at + 4) << 32;
    c->at += operand_bytes(given);
    *type = (enum be_value)given;
    return bits;
}

/* What waits to be handed on counts as memory of the launch. */
static bool take_text(struct rt_sim_warp *w, size_t before)
{
    if (rt_sim_memory_take(w->sim, w->block->raw.length + w->block->begun.bytes - before))
        return true;
    w->stop = RT_TRAPPED;
    return false;
}

bool rt_sim_printf(struct rt_sim_warp *w, const struct rt_sim_ins *pc)
{
    size_t before = w->block->raw.length + w->block->begun.bytes;
    const struct wc_text *text = &w->sim->image->texts.at[pc->imm];
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < text->operands.count; i++)
        bytes += operand_bytes(text->operands.at[i]);
    rt_each_lane(i, w->flow.active) {
        uint32_t address = w->r[pc->a][i];
        bool inside = (address & 3) == 0 && address >= WC_FIRST_ADDRESS &&
                      (uint64_t)address + bytes <= w->spaces.private_bytes;
        if (bytes && !inside) {
            rt_sim_fault_access(w, pc, (unsigned)i, WC_SPACE_private, false, address, bytes);
            return false;
        }
        struct bc_text format = {text->bytes, text->length};
        struct cursor cursor = {text, w->spaces.private + i * w->spaces.private_bytes + address},
                      *from = &cursor;
        rt_print_thread(&w->block->begun, w->sim->sizes.warps * WC_LANES, w->index * WC_LANES + (unsigned)i,
                        rt_sim_text(w), &format, text->operands.count, next_operand, &from);
    }
    return take_text(w, before);
}
