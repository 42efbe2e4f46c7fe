/* core_group.h: moves, convergent operations and the way out to plain C. Part of core.c. */

/* ---- moves ------------------------------------------------------------------------------------------------------ */

#define MOVE_LANES(name, R)                                                                                  \
    HANDLER(O_##name)                                                                                        \
    {                                                                                                        \
        scalar_ctype_##R *d = LANES_OF_##R(pc->d);                                                           \
        const scalar_ctype_##R *a = LANES_OF_##R(pc->a);                                                     \
        const uint32_t *mask = LANE_MASK;                                                                    \
        LANE_LOOP (i, LANES)                                                                                 \
            blend_##R(&d[i], a[i], mask[i]);                                                                 \
        NEXT(1);                                                                                             \
    }                                                                                                        \
    HANDLER(full_##name)                                                                                     \
    {                                                                                                        \
        scalar_ctype_##R *d = LANES_OF_##R(pc->d);                                                           \
        const scalar_ctype_##R *a = LANES_OF_##R(pc->a);                                                     \
        LANE_LOOP (i, LANES)                                                                                 \
            d[i] = a[i];                                                                                     \
        NEXT(1);                                                                                             \
    }
MOVE_LANES(mov_v, I)
MOVE_LANES(mov_w, L)
#define SPLAT(name, R)                                                                                       \
    HANDLER(O_##name)                                                                                        \
    {                                                                                                        \
        scalar_ctype_##R *d = LANES_OF_##R(pc->d), x = (scalar_ctype_##R)S[pc->a];                           \
        LANE_LOOP (i, LANES)                                                                                 \
            d[i] = x;                                                                                        \
        NEXT(1);                                                                                             \
    }
SPLAT(splat_v, I)
SPLAT(splat_w, L)
#define SPREAD_SCALAR(name, R)                                                                               \
    HANDLER(O_##name)                                                                                        \
    {                                                                                                        \
        scalar_ctype_##R *d = LANES_OF_##R(pc->d), x = (scalar_ctype_##R)S[pc->a];                           \
        const uint32_t *mask = LANE_MASK;                                                                    \
        LANE_LOOP (i, LANES)                                                                                 \
            blend_##R(&d[i], x, mask[i]);                                                                    \
        NEXT(1);                                                                                             \
    }
SPREAD_SCALAR(spread_v, I)
SPREAD_SCALAR(spread_w, L)
HANDLER(O_mov_m)
{
    M[pc->d] = (M[pc->a] & w->active) | (M[pc->d] & ~w->active);
    NEXT(1);
}
/* Results that are one word and cannot stop the warp. */
#define WORD(name, file, value)                                                                              \
    HANDLER(O_##name)                                                                                        \
    {                                                                                                        \
        file[pc->d] = (value);                                                                               \
        NEXT(1);                                                                                             \
    }
WORD(mov_s, S, S[pc->a])
WORD(spread_m, M, (-(S[pc->a] & 1) & w->active) | (M[pc->d] & ~w->active))
WORD(splat_m, M, -(S[pc->a] & 1))
WORD(first_v, S, LANES_OF_I(pc->a)[rt_lowest(w->active)])
WORD(first_w, S, LANES_OF_L(pc->a)[rt_lowest(w->active)])
WORD(first_m, S, M[pc->a] >> rt_lowest(w->active) & 1)

/* ---- convergent operations: the active lanes are the group --------------------------------------------------- */

WORD(ballot, S, M[pc->a] & w->active)
WORD(any, S, (M[pc->a] & w->active) != 0)
WORD(all, S, (~M[pc->a] & w->active) == 0)
WORD(active, S, w->active)
WORD(elect, M, (M[pc->d] & ~w->active) | (w->active & -w->active))
HANDLER(O_syncwarp)
{
    NEXT(1);
}
HANDLER(O_barrier)
{
    if (w->active == w->live) {
        w->barrier = rt_index(w, pc);
        w->pc = w->barrier + 1;
        w->stop = RT_BARRIER;
        return NULL;
    }
    return resume(PASS, rt_barrier(w, pc));
}
#define CALL_PLAIN(name, function)                                                                           \
    HANDLER(name)                                                                                            \
    {                                                                                                        \
        function(w, pc);                                                                                     \
        NEXT(1);                                                                                             \
    }
CALL_PLAIN(shuffle, rt_shuffle)
CALL_PLAIN(reduce, rt_reduce)
CALL_PLAIN(scan, rt_scan)
CALL_PLAIN(token, rt_token)
#define BY_LANE(op) SAME_AS(op##_v, shuffle) SAME_AS(op##_w, shuffle) SAME_AS(op##_m, shuffle)
BY_LANE(shuffle) BY_LANE(shuffle_xor) BY_LANE(shuffle_up) BY_LANE(shuffle_down)
#undef BY_LANE
#define REDUCTION(op) SAME_AS(reduce_##op##_I, reduce) SAME_AS(reduce_##op##_L, reduce)
REDUCTION(add) REDUCTION(smin) REDUCTION(smax) REDUCTION(umin) REDUCTION(umax) REDUCTION(and) REDUCTION(or)
REDUCTION(xor)
SAME_AS(reduce_add_F, reduce) SAME_AS(reduce_add_D, reduce) SAME_AS(reduce_smin_F, reduce)
SAME_AS(reduce_smin_D, reduce) SAME_AS(reduce_smax_F, reduce) SAME_AS(reduce_smax_D, reduce)
SAME_AS(scan_add_I, scan) SAME_AS(scan_add_L, scan) SAME_AS(scan_add_F, scan) SAME_AS(scan_add_D, scan)
SAME_AS(tok_entry, token) SAME_AS(tok_anchor, token) SAME_AS(tok_loop, token)
SAME_AS(switch_w, O_switch_v)
SAME_AS(switch_s, O_switch_v)
SAME_AS(branch, invalid)

/* ---- the world ------------------------------------------------------------------------------------------------- */

HANDLER(O_clock)
{
    for rt_each_lane (i, w->active)
        LANES_OF_L(pc->d)[i] = w->cycles;
    NEXT(1);
}
CALL_OUT(hostcall, rt_hostcall)
CALL_OUT(printf, rt_printf)
