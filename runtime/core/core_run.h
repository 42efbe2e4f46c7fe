/* core_run.h: loads and stores in the table of full warps: where addresses are consecutive, one bounds check
 * covers a contiguous copy. All else goes the way of core_memory.h. Part of core.c.
 */

/* Addresses (or indices) are first, first + step, first + 2 * step … */
static inline bool consecutive(const struct rt_warp *w, const uint32_t *a, uint32_t step)
{
    vec_I difference = {0}, wanted = LANES_IOTA_32 * step + a[0];
    CHUNK_LOOP (c, LANES / CHUNK_32) {
        difference |= lanes_load(a + c * CHUNK_32) ^ wanted;
        wanted += CHUNK_32 * step;
    }
    return lanes_zero(difference);
}

/* Counts the segments of `bytes` consecutive bytes at `at`. */
static inline void count_segments(struct rt_warp *w, const struct bc_ins *pc, uint32_t at, uint32_t bytes)
{
    uint32_t more = ((at + bytes - 1) >> w->transactions.segment_shift) - (at >> w->transactions.segment_shift);
    w->sites[pc->e].transactions += more + 1;
    if (more)
        w->cycles += more * w->transactions.cycles;
}

/* By space, g or h; STORE: 0 or 1. */
#define FITS_g(store, at, n, size) fits_g((store) ? w->spaces.store_limits : w->spaces.limits, at, n, size)
#define FITS_h(store, at, n, size) fits_h(w, at, n, size)
#define BASE_g                     w->spaces.global
#define BASE_h                     w->spaces.shared
/* What takes the other accesses. */
#define NOT_RUN_ld_g(op, suffix)  any_##op##_##suffix
#define NOT_RUN_ldx_g(op, suffix) any_##op##_##suffix
#define NOT_RUN_ld_h(op, suffix)  any_##op##_##suffix
#define NOT_RUN_ldx_h(op, suffix) partner_ldx_h##suffix
#define NOT_RUN_st_g(op, suffix)  any_##op##_##suffix
#define NOT_RUN_stx_g(op, suffix) any_##op##_##suffix
#define NOT_RUN_st_h(op, suffix)  any_##op##_##suffix
#define NOT_RUN_stx_h(op, suffix) partner_stx_h##suffix
/* By what the handler's name begins with. */
#define COUNT_run(at, n)
#define COUNT_counted(at, n) count_segments(w, pc, at, n);
/* Fields a, b, c by one load instead of three. */
struct fields { uint16_t a, b, c; };
static inline struct fields fields_of(const struct bc_ins *pc)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t abc;
    memcpy(&abc, (const uint8_t *)pc + offsetof(struct bc_ins, a), sizeof abc);
    __asm__("" : "+r"(abc)); /* or gcc loads its parts */
    return (struct fields){(uint16_t)abc, (uint16_t)(abc >> 16), (uint16_t)(abc >> 32)};
#else
    return (struct fields){pc->a, pc->b, pc->c};
#endif
}
#define START_V(size, at)                                                                                    \
    const uint32_t *a = (const uint32_t *)LANE_VECTOR(pc->a);                                                \
    uint32_t at = a[0] + pc->imm;                                                                            \
    bool run = consecutive(w, a, size);
#define START_X(size, at)                                                                                    \
    struct fields f = fields_of(pc);                                                                         \
    uint32_t at = (uint32_t)S[f.b] + pc->imm;                                                                \
    bool run = 1u << f.c == (size);                                                                          \
    if (LIKELY(f.a == w->initial.ramp)) {                                                                    \
        at += w->initial.first * (uint32_t)(size);                                                           \
    } else {                                                                                                 \
        const uint32_t *a = (const uint32_t *)LANE_VECTOR(f.a);                                              \
        at += a[0] * (uint32_t)(size);                                                                       \
        run = run && consecutive(w, a, 1);                                                                   \
    }

#define LOAD_RUN(way, op, space, START, suffix, type, R, convert)                                            \
    HANDLER(way##_##op##_##space##suffix)                                                                    \
    {                                                                                                        \
        START(sizeof(type), at)                                                                              \
        if (!LIKELY(run) || !LIKELY(FITS_##space(0, at, LANES * sizeof(type), sizeof(type))))                \
            return NOT_RUN_##op##_##space(ld, suffix)(PASS);                                                 \
        const type *from = (const type *)(BASE_##space + at);                                                \
        scalar_ctype_##R *d = LANES_OF_##R(pc->d);                                                           \
        EACH_LANE (i, *d) {                                                                                  \
            type x = from[i];                                                                                \
            d[i] = (convert);                                                                                \
        }                                                                                                    \
        COUNT_##way(at, LANES * sizeof(type))                                                                \
        NEXT(1);                                                                                             \
    }
#define STORE_RUN(way, op, space, START, operand, suffix, type, R, convert)                                  \
    HANDLER(way##_##op##_##space##suffix)                                                                    \
    {                                                                                                        \
        START(sizeof(type), at)                                                                              \
        if (!LIKELY(run) || !LIKELY(FITS_##space(1, at, LANES * sizeof(type), sizeof(type))))                \
            return NOT_RUN_##op##_##space(st, suffix)(PASS);                                                 \
        type *to = (type *)(BASE_##space + at);                                                              \
        const scalar_ctype_##R *value = LANES_OF_##R(pc->operand);                                           \
        EACH_LANE (i, *value) {                                                                              \
            scalar_ctype_##R x = value[i];                                                                   \
            to[i] = (type)(convert);                                                                         \
        }                                                                                                    \
        COUNT_##way(at, LANES * sizeof(type))                                                                \
        NEXT(1);                                                                                             \
    }
#define LOAD_RUNS(suffix, type, R, kind, convert)                                                            \
    LOAD_RUN(run, ld, g, START_V, suffix, type, R, convert)                                                  \
    LOAD_RUN(run, ldx, g, START_X, suffix, type, R, convert)                                                 \
    LOAD_RUN(run, ld, h, START_V, suffix, type, R, convert)                                                  \
    LOAD_RUN(run, ldx, h, START_X, suffix, type, R, convert)                                                 \
    LOAD_RUN(counted, ld, g, START_V, suffix, type, R, convert)                                              \
    LOAD_RUN(counted, ldx, g, START_X, suffix, type, R, convert)
#define STORE_RUNS(suffix, type, R, convert)                                                                 \
    STORE_RUN(run, st, g, START_V, b, suffix, type, R, convert)                                              \
    STORE_RUN(run, stx, g, START_X, d, suffix, type, R, convert)                                             \
    STORE_RUN(run, st, h, START_V, b, suffix, type, R, convert)                                              \
    STORE_RUN(run, stx, h, START_X, d, suffix, type, R, convert)                                             \
    STORE_RUN(counted, st, g, START_V, b, suffix, type, R, convert)                                          \
    STORE_RUN(counted, stx, g, START_X, d, suffix, type, R, convert)
LOADS(LOAD_RUNS)
STORES(STORE_RUNS)

/* Rows of the table of full warps. */
#define RUN_LOAD(suffix, ...)                                                                                \
    [BC_ld_g##suffix] = {run_ld_g##suffix}, [BC_ldx_g##suffix] = {run_ldx_g##suffix},                        \
    [BC_ld_h##suffix] = {run_ld_h##suffix}, [BC_ldx_h##suffix] = {run_ldx_h##suffix},
#define RUN_STORE(suffix, ...)                                                                               \
    [BC_st_g##suffix] = {run_st_g##suffix}, [BC_stx_g##suffix] = {run_stx_g##suffix},                        \
    [BC_st_h##suffix] = {run_st_h##suffix}, [BC_stx_h##suffix] = {run_stx_h##suffix},

/* And of one whose launch counts transactions. */
#define COUNTED_LOAD(suffix, ...)                                                                            \
    [BC_ld_g##suffix] = {counted_ld_g##suffix}, [BC_ldx_g##suffix] = {counted_ldx_g##suffix},
#define COUNTED_STORE(suffix, ...)                                                                           \
    [BC_st_g##suffix] = {counted_st_g##suffix}, [BC_stx_g##suffix] = {counted_stx_g##suffix},
