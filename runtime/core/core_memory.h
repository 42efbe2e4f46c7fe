/* core_memory.h: loads and stores. Part of core.c.
 *
 * They go through resolve(), which leaves each lane's address, checked, in w->address; lanes that are not
 * active get the first active lane's, so that loads need no mask before they blend. The short way of full
 * warps is in core_run.h.
 */

/* Whether `bytes` consecutive bytes at `at`, aligned to `size`, lie in a buffer: in global memory, limits are
 * those of the buffer there; shared memory is one. */
static inline bool fits_g(const uint32_t *limits, uint32_t at, uint32_t bytes, uint32_t size)
{
    return (uint64_t)at + bytes <= limits[at >> 20] && (at & (size - 1)) == 0;
}
static inline bool fits_h(const struct rt_warp *w, uint32_t at, uint32_t bytes, uint32_t size)
{
    return at >= BC_FIRST_ADDRESS && (uint64_t)at + bytes <= w->spaces.shared_bytes && (at & (size - 1)) == 0;
}

/* The lanes lie in several buffers, or one of them in none: look at each. */
static __attribute__((noinline)) bool check_each(struct rt_warp *w, const struct bc_ins *pc)
{
    struct rt_access access = rt_access[pc->op];
    uint32_t bytes = 1u << access.log2_bytes;
    rt_each_lane(i, w->active) {
        if (!rt_locate(w, access.space, access.store, (unsigned)i, w->address[i], bytes, bytes)) {
            rt_trap_access(w, pc, (unsigned)i, "ghp"[access.space], access.store, w->address[i], bytes);
            return false;
        }
    }
    return true;
}

/* What resolve() found. `base` NULL: trapped. `run`: where lane 0's access would be if the active lanes'
 * addresses are consecutive and a vector of all lanes lies inside the buffer; else NULL. */
struct resolved { uint8_t *base, *run; };

/* Where the active lanes' addresses lie, as far as the checks need to know. */
struct extent { uint32_t smallest, largest, all, start; bool consecutive; };

/* Leaves the addresses in w->address. `full`: all lanes are active; then the caller knows that they
 * are not consecutive. */
static inline __attribute__((always_inline)) struct extent find_addresses(struct rt_warp *w,
                                                                          const struct bc_ins *pc,
                                                                          struct rt_access access, bool full)
{
    const uint8_t *V = w->V;
    const uint32_t *a = (const uint32_t *)LANE_VECTOR(pc->a);
    uint32_t bytes = 1u << access.log2_bytes, shift = access.mode == RT_MODE_X ? pc->c : 0;
    uint32_t offset = pc->imm + (access.mode == RT_MODE_X ? (uint32_t)S[pc->b] : 0);
    uint32_t low = full ? 0 : rt_lowest(w->active), first = (a[low] << shift) + offset,
             start = first - low * bytes;
    struct lanes_extent all = lanes_extent_of(first);
    vec_I difference = {0}, wanted = LANES_IOTA_32 * bytes + start;
    CHUNK_LOOP (c, LANES / CHUNK_32) {
        vec_I v = (lanes_load(a + c * CHUNK_32) << shift) + offset;
        if (!full) {
            vec_I mask = lanes_load(LANE_MASK + c * CHUNK_32);
            difference |= (v ^ wanted) & mask;
            wanted += CHUNK_32 * bytes;
            v = (v & mask) | (lanes_splat32(first) & ~mask);
        }
        lanes_extend(&all, v);
        lanes_store(w->address + c * CHUNK_32, v);
    }
    lanes_extent_reduce(&all);
    return (struct extent){all.smallest[0], all.largest[0], all.bits[0], start,
                           !full && lanes_zero(difference)};
}

/* Segments that `bytes`, a power of two, take at a multiple of it. */
static inline uint32_t segments_of(const struct rt_warp *w, uint32_t bytes)
{
    return bytes >> w->transactions.segment_shift ? bytes >> w->transactions.segment_shift : 1;
}

/* The distinct segments of the addresses in w->address, `bytes` at each: bits of a word if they lie close
 * together. */
static __attribute__((noinline)) void count_scattered(struct rt_warp *w, uint32_t site, struct extent e,
                                                      uint32_t bytes)
{
    uint32_t shift = w->transactions.segment_shift, low = e.smallest >> shift, distinct;
    if ((e.largest >> shift) - low < 64) {
        const uint32_t *address = ADDRESS;
        uint64_t segments = 0;
        LANE_LOOP (i, LANES)
            segments |= (uint64_t)1 << ((address[i] >> shift) - low);
        distinct = (uint32_t)__builtin_popcountll(segments);
    } else
        distinct = OUTSIDE(rt_distinct_segments(w, w->address, w->active));
    distinct *= segments_of(w, bytes);
    w->sites[site].transactions += distinct;
    w->cycles += (uint64_t)(distinct - 1) * w->transactions.cycles;
}

static struct resolved resolve_global(struct rt_warp *w, const struct bc_ins *pc, struct rt_access access,
                                      struct extent e)
{
    uint32_t bytes = 1u << access.log2_bytes;
    const uint32_t *limits = access.store ? w->spaces.store_limits : w->spaces.limits;
    uint32_t limit = limits[e.smallest >> 20];
    bool good = (e.all & (bytes - 1)) == 0 && limits[e.largest >> 20] == limit &&
                (uint64_t)e.largest + bytes <= limit;
    if (UNLIKELY(!good) && !check_each(w, pc))
        return (struct resolved){0};
    if (w->transactions.counted)
        count_scattered(w, pc->e, e, bytes);
    bool run = e.consecutive && limits[e.start >> 20] == limit && (uint64_t)e.start + LANES * bytes <= limit;
    return (struct resolved){w->spaces.global, run ? w->spaces.global + e.start : NULL};
}

static struct resolved resolve_block(struct rt_warp *w, const struct bc_ins *pc, struct rt_access access,
                                     struct extent e)
{
    uint32_t bytes = 1u << access.log2_bytes,
             limit = access.space == RT_SHARED ? w->spaces.shared_bytes : w->spaces.private_bytes;
    bool good = (e.all & (bytes - 1)) == 0 && e.smallest >= BC_FIRST_ADDRESS &&
                (uint64_t)e.largest + bytes <= limit;
    if (UNLIKELY(!good) && !check_each(w, pc))
        return (struct resolved){0};
    if (access.space == RT_SHARED) {
        bool run = e.consecutive && e.start >= BC_FIRST_ADDRESS && (uint64_t)e.start + LANES * bytes <= limit;
        return (struct resolved){w->spaces.shared, run ? w->spaces.shared + e.start : NULL};
    }
    lanes_add_ramp(w->address, LANES, w->spaces.private_bytes);
    return (struct resolved){w->spaces.private, NULL};
}

static __attribute__((noinline)) struct resolved resolve(struct rt_warp *w, const struct bc_ins *pc)
{
    struct rt_access access = rt_access[pc->op];
    struct extent e = w->active == ALL_LANES ? find_addresses(w, pc, access, true)
                                             : find_addresses(w, pc, access, false);
    return access.space == RT_GLOBAL ? resolve_global(w, pc, access, e) : resolve_block(w, pc, access, e);
}

/* ---- what moves: suffix of the operation, type in memory, register letter, conversions --------------- */

#define LOADS(ROW)                                                                                           \
    ROW(8, uint8_t, I, 32, x) ROW(8s, int8_t, I, 32, (uint32_t)(int32_t)x) ROW(16, uint16_t, I, 32, x)       \
    ROW(16s, int16_t, I, 32, (uint32_t)(int32_t)x) ROW(32, uint32_t, I, 32, x) ROW(64, uint64_t, L, 64, x)
#define STORES(ROW)                                                                                          \
    ROW(8, uint8_t, I, x) ROW(16, uint16_t, I, x) ROW(32, uint32_t, I, x) ROW(64, uint64_t, L, x)            \
    ROW(f32, uint32_t, F, canonical_f32(x)) ROW(f64, uint64_t, D, canonical_f64(x))

static inline uint32_t canonical_f32(float x)
{
    return x == x ? scalar_raw_f32(x) : SCALAR_NAN_F32;
}
static inline uint64_t canonical_f64(double x)
{
    return x == x ? scalar_raw_f64(x) : SCALAR_NAN_F64;
}

/* ---- under any mask ---------------------------------------------------------------------------------- */

/* Two addresses are read at a time; each lane's load goes straight into a vector element. */
static inline uint64_t address_pair(const uint32_t *address)
{
    uint64_t pair;
    memcpy(&pair, address, sizeof pair);
    return pair;
}
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PAIR_FIRST(pair)  ((uint32_t)(pair))
#define PAIR_SECOND(pair) ((uint32_t)((pair) >> 32))
#else
#define PAIR_FIRST(pair)  ((uint32_t)((pair) >> 32))
#define PAIR_SECOND(pair) ((uint32_t)(pair))
#endif
#define GATHER_PAIR(loaded, k)                                                                               \
    loaded(base, PAIR_FIRST(address_pair(address + at + (k)))),                                              \
        loaded(base, PAIR_SECOND(address_pair(address + at + (k))))
#if VECTOR_BYTES == 32
#define GATHER_I(loaded)                                                                                     \
    GATHER_PAIR(loaded, 0), GATHER_PAIR(loaded, 2), GATHER_PAIR(loaded, 4), GATHER_PAIR(loaded, 6)
#define GATHER_L(loaded) GATHER_PAIR(loaded, 0), GATHER_PAIR(loaded, 2)
#else
#define GATHER_I(loaded) GATHER_PAIR(loaded, 0), GATHER_PAIR(loaded, 2)
#define GATHER_L(loaded) GATHER_PAIR(loaded, 0)
#endif
#define GATHER(suffix, type, R, kind, convert)                                                               \
    static inline scalar_ctype_##R loaded_##suffix(const uint8_t *base, uint32_t address)                    \
    {                                                                                                        \
        type x = *(const type *)(base + address);                                                            \
        return convert;                                                                                      \
    }                                                                                                        \
    static inline void gather_##suffix(const struct rt_warp *w, scalar_ctype_##R *d, const uint8_t *base)    \
    {                                                                                                        \
        const uint32_t *address = ADDRESS;                                                                   \
        uint64_t active = w->active;                                                                         \
        CHUNK_LOOP (c, LANES / CHUNK_##kind) {                                                               \
            unsigned at = c * CHUNK_##kind;                                                                  \
            vec_##R mask = lanes_expand##kind(active, c), old, x = {GATHER_##R(loaded_##suffix)};            \
            memcpy(&old, d + at, VECTOR_BYTES);                                                              \
            x = (vec_##R)lanes_blend((vec_I)mask, (vec_I)x, (vec_I)old);                                     \
            memcpy(d + at, &x, VECTOR_BYTES);                                                                \
        }                                                                                                    \
    }
#define LOAD_ANY(suffix, type, R, kind, convert)                                                             \
    HANDLER(any_ld_##suffix)                                                                                 \
    {                                                                                                        \
        struct resolved at = resolve(w, pc);                                                                 \
        if (!at.base)                                                                                        \
            return NULL;                                                                                     \
        RELOAD_REGISTERS();                                                                                  \
        scalar_ctype_##R *d = LANES_OF_##R(pc->d);                                                           \
        if (at.run) {                                                                                        \
            const type *from = (const type *)at.run;                                                         \
            const uint32_t *mask = LANE_MASK;                                                                \
            MERGE_LANES(R, type x = from[i];, convert)                                                       \
        } else {                                                                                             \
            gather_##suffix(w, d, at.base);                                                                  \
        }                                                                                                    \
        NEXT(1);                                                                                             \
    }
LOADS(GATHER)
LOADS(LOAD_ANY)

HANDLER(any_ld_b)
{
    struct resolved at = resolve(w, pc);
    if (!at.base)
        return NULL;
    RELOAD_REGISTERS();
    uint64_t bits = 0;
    rt_each_lane(i, w->active)
        bits |= (uint64_t)(at.base[w->address[i]] != 0) << i;
    M[pc->d] = bits | (M[pc->d] & ~w->active);
    NEXT(1);
}

/* Mode X has the value in d, mode V in b. */
#define STORED(pc) (rt_access[(pc)->op].mode == RT_MODE_X ? (pc)->d : (pc)->b)
#define STORE_ANY(suffix, type, R, convert)                                                                  \
    HANDLER(any_st_##suffix)                                                                                 \
    {                                                                                                        \
        struct resolved at = resolve(w, pc);                                                                 \
        if (!at.base)                                                                                        \
            return NULL;                                                                                     \
        RELOAD_REGISTERS();                                                                                  \
        const scalar_ctype_##R *value = LANES_OF_##R(STORED(pc));                                            \
        if (w->active == ALL_LANES) {                                                                        \
            for (unsigned i = 0; i < LANES; i++) {                                                           \
                scalar_ctype_##R x = value[i];                                                               \
                *(type *)(at.base + w->address[i]) = (type)(convert);                                        \
            }                                                                                                \
        } else {                                                                                             \
            rt_each_lane(i, w->active) {                                                                \
                scalar_ctype_##R x = value[i];                                                               \
                *(type *)(at.base + w->address[i]) = (type)(convert);                                        \
            }                                                                                                \
        }                                                                                                    \
        NEXT(1);                                                                                             \
    }
STORES(STORE_ANY)

HANDLER(any_st_b)
{
    struct resolved at = resolve(w, pc);
    if (!at.base)
        return NULL;
    RELOAD_REGISTERS();
    uint64_t value = M[STORED(pc)];
    rt_each_lane(i, w->active)
        at.base[w->address[i]] = value >> i & 1;
    NEXT(1);
}

/* ---- the names of bytecode.def ----------------------------------------------------------------------- */

/* Mode X of shared memory: core_partner.h has those of 32 bits. */
HANDLER(partner_ldx_h32);
HANDLER(partner_stx_h32);
HANDLER(partner_stx_hf32);
#define partner_ldx_h8   any_ld_8
#define partner_ldx_h8s  any_ld_8s
#define partner_ldx_h16  any_ld_16
#define partner_ldx_h16s any_ld_16s
#define partner_ldx_h64  any_ld_64
#define partner_ldx_hb   any_ld_b
#define partner_stx_h8   any_st_8
#define partner_stx_h16  any_st_16
#define partner_stx_h64  any_st_64
#define partner_stx_hf64 any_st_f64
#define partner_stx_hb   any_st_b

#define SAME_AS(name, handler)                                                                               \
    HANDLER(O_##name)                                                                                        \
    {                                                                                                        \
        return handler(PASS);                                                                                \
    }
#define NAME_LOAD(suffix, ...)                                                                               \
    SAME_AS(ld_g##suffix, any_ld_##suffix) SAME_AS(ldx_g##suffix, any_ld_##suffix)                           \
    SAME_AS(ld_h##suffix, any_ld_##suffix) SAME_AS(ldx_h##suffix, partner_ldx_h##suffix)                     \
    SAME_AS(ld_p##suffix, any_ld_##suffix) SAME_AS(ldx_p##suffix, any_ld_##suffix)
#define NAME_STORE(suffix, ...)                                                                              \
    SAME_AS(st_g##suffix, any_st_##suffix) SAME_AS(stx_g##suffix, any_st_##suffix)                           \
    SAME_AS(st_h##suffix, any_st_##suffix) SAME_AS(stx_h##suffix, partner_stx_h##suffix)                     \
    SAME_AS(st_p##suffix, any_st_##suffix) SAME_AS(stx_p##suffix, any_st_##suffix)
LOADS(NAME_LOAD)
NAME_LOAD(b)
STORES(NAME_STORE)
NAME_STORE(b)
/* ---- uniform loads: once for the warp ---------------------------------------------------------------- */

static inline const uint8_t *uniform_address(struct rt_warp *w, const struct bc_ins *pc, char space,
                                             uint32_t bytes)
{
    uint32_t at = (uint32_t)S[pc->a] + pc->imm;
    bool fits = space == 'g' ? fits_g(w->spaces.limits, at, bytes, bytes) : fits_h(w, at, bytes, bytes);
    if (UNLIKELY(!fits)) {
        rt_trap_access(w, pc, rt_lowest(w->active), space, false, at, bytes);
        return NULL;
    }
    if (space == 'g' && w->transactions.counted) {
        bool unaligned = pc->b && ((at - pc->c) & (pc->b - 1u)); /* parts of a wide access */
        w->sites[pc->e].transactions += unaligned ? 1 : pc->c ? 0 : segments_of(w, pc->b);
    }
    return (space == 'g' ? w->spaces.global : w->spaces.shared) + at;
}
#define LOAD_UNIFORM(space, letter, suffix, type, convert)                                                   \
    HANDLER(O_ldu_##space##suffix)                                                                           \
    {                                                                                                        \
        const type *from = (const type *)uniform_address(w, pc, letter, sizeof(type));                       \
        if (!from)                                                                                           \
            return NULL;                                                                                     \
        type x = *from;                                                                                      \
        S[pc->d] = (convert);                                                                                \
        NEXT(1);                                                                                             \
    }
#define LOAD_UNIFORMS(suffix, type, R, kind, convert)                                                        \
    LOAD_UNIFORM(g, 'g', suffix, type, convert) LOAD_UNIFORM(h, 'h', suffix, type, convert)
LOADS(LOAD_UNIFORMS)
LOAD_UNIFORMS(b, uint8_t, B, 32, x != 0)

/* ---- memory instructions done in plain C ------------------------------------------------------------- */

#define CALL_OUT(name, function)                                                                             \
    HANDLER(O_##name)                                                                                        \
    {                                                                                                        \
        if (!OUTSIDE(function(w, pc)))                                                                       \
            return NULL;                                                                                     \
        NEXT(1);                                                                                             \
    }
CALL_OUT(memcpy, rt_memcpy)
CALL_OUT(memzero, rt_memzero)
HANDLER(O_atomic)
{
    struct resolved at = resolve(w, pc);
    if (!at.base)
        return NULL;
    OUTSIDE(rt_atomic(w, pc, at.base));
    RELOAD_REGISTERS();
    NEXT(1);
}
#define ATOMICS(space, type)                                                                                 \
    SAME_AS(at_##space##add_##type, O_atomic) SAME_AS(at_##space##sub_##type, O_atomic)                      \
    SAME_AS(at_##space##smin_##type, O_atomic) SAME_AS(at_##space##smax_##type, O_atomic)                    \
    SAME_AS(at_##space##umin_##type, O_atomic) SAME_AS(at_##space##umax_##type, O_atomic)                    \
    SAME_AS(at_##space##and_##type, O_atomic) SAME_AS(at_##space##or_##type, O_atomic)                       \
    SAME_AS(at_##space##xor_##type, O_atomic) SAME_AS(at_##space##xchg_##type, O_atomic)                     \
    SAME_AS(at_##space##cas_##type, O_atomic)
ATOMICS(g, I) ATOMICS(g, L) ATOMICS(g, F) ATOMICS(h, I) ATOMICS(h, L) ATOMICS(h, F)
#undef ATOMICS
