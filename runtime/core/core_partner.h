/* core_partner.h: accesses of 32 bits to shared memory by lanes whose indices are their own numbers with some
 * bits flipped: lane i's is i ^ key, the same key for all lanes. So are a thread's own element, under any mask,
 * and its partner's, `i ^ stride`: chunks exchange places, and each is a permutation of a vector. All else goes
 * the way of core_memory.h. Part of core.c.
 *
 * A store reads other lanes' elements and writes them back: shared memory is one host thread's.
 */

#if defined __AVX2__
/* Element i of the result is element from[i] of v. */
static inline vec_I lanes_permute(vec_I v, vec_I from)
{
    return (vec_I)_mm256_permutevar8x32_epi32((__m256i)v, (__m256i)from);
}

/* first: host address of the element that lane 0 would have were key % LANES 0; NULL: not partners. */
struct partners {
    uint8_t *first;
    uint32_t key;
};
static inline struct partners find_partners(const struct rt_warp *w, const struct bc_ins *pc)
{
    const uint8_t *V = w->V;
    const uint32_t *index = (const uint32_t *)LANE_VECTOR(pc->a);
    uint32_t lane = rt_lowest(w->active), key = index[lane] ^ lane;
    uint32_t at = ((key & -LANES) << 2) + (uint32_t)S[pc->b] + pc->imm;
    vec_I difference = {0};
    CHUNK_LOOP(c, LANES / CHUNK_32)
    {
        vec_I own = LANES_IOTA_32 + c * CHUNK_32;
        difference |= (lanes_load(index + c * CHUNK_32) ^ own ^ key) & lanes_load(LANE_MASK + c * CHUNK_32);
    }
    bool found = lanes_zero(difference) && pc->c == 2 && fits_h(w, at, LANES * 4, 4);
    return (struct partners){found ? w->spaces.shared + at : NULL, key};
}
/* Where the elements of a chunk are. */
static inline uint8_t *partner_chunk(struct partners p, unsigned chunk)
{
    return p.first + ((p.key & (LANES - 1) & -CHUNK_32) ^ chunk * CHUNK_32) * 4;
}

HANDLER(partner_ldx_h32)
{
    struct partners p = find_partners(w, pc);
    if (!LIKELY(p.first))
        return any_ld_32(PASS);
    const uint32_t *mask = LANE_MASK;
    uint32_t *d = (uint32_t *)LANE_VECTOR(pc->d);
    vec_I from = LANES_IOTA_32 ^ p.key;
    CHUNK_LOOP(c, LANES / CHUNK_32)
    {
        vec_I x = lanes_permute(lanes_load(partner_chunk(p, c)), from);
        lanes_merge32(d + c * CHUNK_32, &x, mask + c * CHUNK_32);
    }
    NEXT(1);
}

static inline vec_I canonical_chunk(vec_I x)
{
    vec_I number = (vec_I)((vec_F)x == (vec_F)x);
    return (x & number) | (SCALAR_NAN_F32 & ~number);
}
#define PARTNER_STORE(suffix, convert)                                                                       \
    HANDLER(partner_stx_h##suffix)                                                                           \
    {                                                                                                        \
        struct partners p = find_partners(w, pc);                                                            \
        if (!LIKELY(p.first))                                                                                \
            return any_st_##suffix(PASS);                                                                    \
        const uint32_t *mask = LANE_MASK, *value = (const uint32_t *)LANE_VECTOR(pc->d);                     \
        vec_I from = LANES_IOTA_32 ^ p.key;                                                                  \
        CHUNK_LOOP(c, LANES / CHUNK_32)                                                                      \
        {                                                                                                    \
            vec_I x = lanes_permute(convert(lanes_load(value + c * CHUNK_32)), from);                        \
            vec_I written = lanes_permute(lanes_load(mask + c * CHUNK_32), from);                            \
            lanes_merge32(partner_chunk(p, c), &x, (const uint32_t *)&written);                              \
        }                                                                                                    \
        NEXT(1);                                                                                             \
    }
PARTNER_STORE(32, )
PARTNER_STORE(f32, canonical_chunk)
#else
HANDLER(partner_ldx_h32)
{
    return any_ld_32(PASS);
}
HANDLER(partner_stx_h32)
{
    return any_st_32(PASS);
}
HANDLER(partner_stx_hf32)
{
    return any_st_f32(PASS);
}
#endif
