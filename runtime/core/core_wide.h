/* core_wide.h: wide accesses: what lanes load or store close together, checked and counted as one. Part of
 * core.c.
 *
 * The head leaves each lane's address in w->address, as resolve() does, and in w->wide whether its parts need
 * a look of their own; nothing stands between them.
 */

/* Whether the lanes' accesses lie in one object, as the extent of their addresses tells. */
static inline bool extent_fits(const struct rt_warp *w, struct extent e, uint32_t bytes, bool store)
{
    uint32_t low = BC_FIRST_ADDRESS, limit;
    if (w->wide.space == RT_GLOBAL) {
        const uint32_t *limits = store ? w->spaces.store_limits : w->spaces.limits;
        limit = limits[e.largest >> 20];
        low = limits[e.smallest >> 20] == limit ? 0 : UINT32_MAX;
    } else {
        limit = w->wide.space == RT_SHARED ? w->spaces.shared_bytes : w->spaces.private_bytes;
    }
    return (e.all & (bytes - 1)) == 0 && e.smallest >= low && (uint64_t)e.largest + bytes <= limit;
}

static __attribute__((noinline)) void find_wide(struct rt_warp *w, const struct bc_ins *pc)
{
    struct rt_access access = rt_access[pc->op];
    struct extent e = find_addresses(w, pc, access, w->active == ALL_LANES);
    uint32_t bytes = pc->d & 0xff;
    bool store = pc->d > 0xff;
    w->wide.space = access.space;
    w->wide.base = access.space == RT_GLOBAL   ? w->spaces.global
                   : access.space == RT_SHARED ? w->spaces.shared
                                               : w->spaces.private;
    w->wide.fits = extent_fits(w, e, bytes, store) || OUTSIDE(rt_wide_fits(w, bytes, store));
    if (w->wide.fits && access.space == RT_GLOBAL && w->transactions.counted)
        count_scattered(w, pc->e, e, bytes);
    if (access.space == RT_PRIVATE)
        lanes_add_ramp(w->address, LANES, w->spaces.private_bytes);
}

#define WIDE(name)                                                                                           \
    HANDLER(O_##name)                                                                                        \
    {                                                                                                        \
        find_wide(w, pc);                                                                                    \
        RELOAD_REGISTERS();                                                                                  \
        NEXT(1);                                                                                             \
    }
WIDE(wide_g)
WIDE(widex_g)
WIDE(wide_h)
WIDE(widex_h)
WIDE(wide_p)
WIDE(widex_p)

#define CHECK_PART                                                                                           \
    if (UNLIKELY(!w->wide.fits)) {                                                                           \
        if (!OUTSIDE(rt_check_part(w, pc)))                                                                  \
            return NULL;                                                                                     \
        RELOAD_REGISTERS();                                                                                  \
    }
#define LOAD_PART(suffix, type, R, kind, convert)                                                            \
    HANDLER(O_ldw_##suffix)                                                                                  \
    {                                                                                                        \
        CHECK_PART                                                                                           \
        gather_##suffix(w, LANES_OF_##R(pc->d), w->wide.base + pc->imm);                                     \
        NEXT(1);                                                                                             \
    }
#define STORE_PART(suffix, type, R, convert)                                                                 \
    HANDLER(O_stw_##suffix)                                                                                  \
    {                                                                                                        \
        CHECK_PART                                                                                           \
        const scalar_ctype_##R *value = LANES_OF_##R(pc->a);                                                 \
        uint8_t *base = w->wide.base + pc->imm;                                                              \
        rt_each_lane(i, w->active) {                                                                         \
            scalar_ctype_##R x = value[i];                                                                   \
            *(type *)(base + w->address[i]) = (type)(convert);                                               \
        }                                                                                                    \
        NEXT(1);                                                                                             \
    }
LOADS(LOAD_PART)
STORES(STORE_PART)
