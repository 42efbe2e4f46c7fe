/* core_memory.h: loads, stores and atomics. Part of core.c.
 *
 * resolve() checks the lanes' addresses and leaves them in w->address; lanes that are not active get the
 * first active lane's, so that loads need no mask before they blend.
 */

/* `base` NULL: the warp has stopped. `run`: where all lanes, which are active, access consecutive elements;
 * or NULL. */
struct resolved { uint8_t *base, *run; };
/* What is accessed; a constant where resolve_as() is inlined. Of 8 bytes the low word alone is moved, so such
 * accesses are never a run. */
struct access { uint8_t space, bytes; bool store; };

struct extent { uint32_t smallest, largest, all; bool consecutive; };

static inline __attribute__((always_inline)) struct extent
find_addresses(struct rt_sim_warp *w, const struct rt_sim_ins *pc, uint32_t bytes)
{
    const uint32_t *a = ROW(pc->a);
    uint32_t first = a[rt_lowest(ACTIVE)] + (uint32_t)pc->imm;
    struct lanes_extent all = lanes_extent_of(first);
    vec_I difference = {0};
    CHUNK_LOOP (c, WC_LANES / CHUNK_32) {
        vec_I mask = lanes_load(LANE_MASK + c * CHUNK_32),
              v = lanes_load(a + c * CHUNK_32) + (uint32_t)pc->imm;
        difference |= v ^ ((LANES_IOTA_32 + c * CHUNK_32) * bytes + first);
        v = (v & mask) | (lanes_splat32(first) & ~mask);
        lanes_extend(&all, v);
        lanes_store(w->address + c * CHUNK_32, v);
    }
    lanes_extent_reduce(&all);
    bool consecutive = bytes <= 4 && ALL_ACTIVE && lanes_zero(difference);
    return (struct extent){all.smallest[0], all.largest[0], all.bits[0], consecutive};
}

/* Whether all addresses are good, as far as a look at the smallest and the largest can tell. */
static inline bool fits(const struct rt_sim_warp *w, struct extent e, struct access x)
{
    if (e.all & (x.bytes - 1u))
        return false;
    if (x.space == WC_SPACE_global) {
        const uint32_t *limits = x.store ? w->spaces.store_limits : w->spaces.limits;
        uint32_t limit = limits[e.smallest >> RT_SEGMENT_SHIFT];
        return limits[e.largest >> RT_SEGMENT_SHIFT] == limit && (uint64_t)e.largest + x.bytes <= limit;
    }
    uint32_t limit = x.space == WC_SPACE_shared ? w->spaces.shared_bytes : w->spaces.private_bytes;
    return e.smallest >= WC_FIRST_ADDRESS && (uint64_t)e.largest + x.bytes <= limit;
}

static inline __attribute__((always_inline)) struct resolved
resolve_as(struct rt_sim_warp *w, const struct rt_sim_ins *pc, struct access x)
{
    struct extent e = find_addresses(w, pc, x.bytes);
    if (UNLIKELY(!fits(w, e, x)) && !rt_sim_check(w, pc, (enum wc_space)x.space, x.store, x.bytes))
        return (struct resolved){0};
    if (x.space == WC_SPACE_global) {
        if (UNLIKELY(w->timed))
            rt_sim_count_access(w, pc, x.bytes);
        return (struct resolved){w->spaces.global, e.consecutive ? w->spaces.global + e.smallest : NULL};
    }
    if (x.space == WC_SPACE_shared) {
#ifdef CORE_STEPS
        rt_sim_count_banks(w, pc);
#endif
        return (struct resolved){w->spaces.shared, e.consecutive ? w->spaces.shared + e.smallest : NULL};
    }
    lanes_add_ramp(w->address, WC_LANES, w->spaces.private_bytes);
    return (struct resolved){w->spaces.private, NULL};
}
#define RESOLVER(space, bytes, name, store)                                                                  \
    static __attribute__((noinline)) struct resolved resolve_##space##_##name(struct rt_sim_warp *w,         \
                                                                              const struct rt_sim_ins *pc)   \
    {                                                                                                        \
        return resolve_as(w, pc, (struct access){WC_SPACE_##space, bytes, store});                           \
    }
#define RESOLVERS(space)                                                                                     \
    RESOLVER(space, 1, ld8, false) RESOLVER(space, 2, ld16, false) RESOLVER(space, 4, ld32, false)           \
    RESOLVER(space, 1, st8, true) RESOLVER(space, 2, st16, true) RESOLVER(space, 4, st32, true)              \
    RESOLVER(space, 8, ld64, false) RESOLVER(space, 8, st64, true)
RESOLVERS(global)
RESOLVERS(shared)
RESOLVERS(private)

/* ---- loads and stores: type in memory, and how it becomes the register's word x ---------------------- */

#define LOAD(space, suffix, resolver, type, convert)                                                         \
    HANDLER(O_ld_##space##_##suffix)                                                                         \
    {                                                                                                        \
        struct resolved at = resolve_##space##_##resolver(w, pc);                                            \
        if (!at.base)                                                                                        \
            return NULL;                                                                                     \
        uint32_t *d = ROW(pc->d);                                                                            \
        if (at.run) {                                                                                        \
            const type *from = (const type *)at.run;                                                         \
            LANE_LOOP (i, WC_LANES) {                                                                        \
                type x = from[i];                                                                            \
                d[i] = (convert);                                                                            \
            }                                                                                                \
            NEXT;                                                                                            \
        }                                                                                                    \
        _Alignas(32) uint32_t loaded[WC_LANES];                                                              \
        for (unsigned i = 0; i < WC_LANES; i++) {                                                            \
            type x = *(const type *)(at.base + w->address[i]);                                               \
            loaded[i] = (convert);                                                                           \
        }                                                                                                    \
        const uint32_t *mask = LANE_MASK;                                                                    \
        LANE_LOOP (i, WC_LANES)                                                                              \
            blend_I(&d[i], loaded[i], mask[i]);                                                              \
        NEXT;                                                                                                \
    }
#define STORE(space, suffix, resolver, type, convert)                                                        \
    HANDLER(O_st_##space##_##suffix)                                                                         \
    {                                                                                                        \
        struct resolved at = resolve_##space##_##resolver(w, pc);                                            \
        if (!at.base)                                                                                        \
            return NULL;                                                                                     \
        const uint32_t *value = ROW(pc->d);                                                                  \
        if (at.run) {                                                                                        \
            type *to = (type *)at.run;                                                                       \
            LANE_LOOP (i, WC_LANES) {                                                                        \
                uint32_t x = value[i];                                                                       \
                to[i] = (type)(convert);                                                                     \
            }                                                                                                \
            NEXT;                                                                                            \
        }                                                                                                    \
        rt_each_lane(i, ACTIVE) {                                                                       \
            uint32_t x = value[i];                                                                           \
            *(type *)(at.base + w->address[i]) = (type)(convert);                                            \
        }                                                                                                    \
        NEXT;                                                                                                \
    }
static inline uint32_t canonical(uint32_t x)
{
    return (x & 0x7fffffffu) > 0x7f800000u ? SCALAR_NAN_F32 : x;
}
#define MEMORY(space)                                                                                        \
    LOAD(space, u8, ld8, uint8_t, x)                                                                         \
    LOAD(space, s8, ld8, int8_t, (uint32_t)(int32_t)x)                                                       \
    LOAD(space, u16, ld16, uint16_t, x)                                                                      \
    LOAD(space, s16, ld16, int16_t, (uint32_t)(int32_t)x)                                                    \
    LOAD(space, 32, ld32, uint32_t, x)                                                                       \
    LOAD(space, lo64, ld64, uint32_t, x)                                                                     \
    STORE(space, 8, st8, uint8_t, x)                                                                         \
    STORE(space, 16, st16, uint16_t, x)                                                                      \
    STORE(space, 32, st32, uint32_t, x)                                                                      \
    STORE(space, lo64, st64, uint32_t, x)                                                                    \
    STORE(space, f32, st32, uint32_t, canonical(x))
MEMORY(global)
MEMORY(shared)
MEMORY(private)

HANDLER(O_atomic)
{
    struct resolved at = pc->op < WC_at_shared_add_I ? resolve_global_st32(w, pc)
                                                     : resolve_shared_st32(w, pc);
    if (!at.base)
        return NULL;
    rt_sim_atomic(w, pc, at.base);
    NEXT;
}
