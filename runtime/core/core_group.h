/* core_group.h: moves, convergent operations and the way out to plain C. Part of core.c. */

/* ---- moves ------------------------------------------------------------------------------------------- */

#define MOVE_LANES(name, R)                                                                                  \
    HANDLER(O_##name)                                                                                        \
    {                                                                                                        \
        scalar_ctype_##R *d = LANES_OF_##R(pc->d);                                                           \
        const scalar_ctype_##R *a = LANES_OF_##R(pc->a);                                                     \
        const uint32_t *mask = LANE_MASK;                                                                    \
        MERGE_LANES(R, , a[i])                                                                               \
        NEXT(1);                                                                                             \
    }                                                                                                        \
    HANDLER(full_##name)                                                                                     \
    {                                                                                                        \
        scalar_ctype_##R *d = LANES_OF_##R(pc->d);                                                           \
        const scalar_ctype_##R *a = LANES_OF_##R(pc->a);                                                     \
        EACH_LANE (i, *d)                                                                                    \
            d[i] = a[i];                                                                                     \
        NEXT(1);                                                                                             \
    }
MOVE_LANES(mov_v, I)
MOVE_LANES(mov_w, L)
#define SPLAT(name, R)                                                                                       \
    HANDLER(O_##name)                                                                                        \
    {                                                                                                        \
        scalar_ctype_##R *d = LANES_OF_##R(pc->d), x = (scalar_ctype_##R)S[pc->a];                           \
        EACH_LANE (i, *d)                                                                                    \
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
        MERGE_LANES(R, , x)                                                                                  \
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

/* ---- convergent operations: the active lanes are the group ------------------------------------------- */

WORD(ballot, S, M[pc->a] & w->active)
WORD(any, S, (M[pc->a] & w->active) != 0)
WORD(all, S, (~M[pc->a] & w->active) == 0)
WORD(active, S, w->active)
WORD(elect, M, (M[pc->d] & ~w->active) | (w->active & -w->active))
HANDLER(O_syncwarp)
{
    NEXT(1);
}
/* Where the scheme holds the active lanes, which is asked for if they are not all: the lanes that go on are
 * those that it has gathered, or others somewhere else. */
HANDLER(O_barrier)
{
    uint32_t at = rt_index(w, pc), next = at;
    if (w->active != w->live && w->scheme->hold)
        next = OUTSIDE(w->scheme->hold(w, at));
    if (next != at)
        return resume(w, next);
    if (w->active == w->live) {
        w->barrier = at;
        w->pc = at + 1;
        w->stop = RT_BARRIER;
        return NULL;
    }
    if (OUTSIDE(rt_check_parts(w)))
        return resume(w, at + 1);
    OUTSIDE(rt_barrier(w, pc));
    return NULL;
}
#define CALL_PLAIN(name, function)                                                                           \
    HANDLER(name)                                                                                            \
    {                                                                                                        \
        OUTSIDE(function(w, pc));                                                                            \
        NEXT(1);                                                                                             \
    }
CALL_OUT(token, rt_token)

/* ---- shuffles: a lane keeps its own value where the lane it names is not in the group ---------------- */

/* The lane each lane reads: `named` if it is active, else its own. */
#define SOURCE_LANES(from, named)                                                                            \
    _Alignas(64) uint32_t from[MOST_LANES];                                                                  \
    {                                                                                                        \
        const uint32_t *operand = LANES_OF_I(pc->b), *mask = LANE_MASK;                                      \
        LANE_LOOP (own, LANES) {                                                                             \
            uint32_t lane = (named);                                                                         \
            from[own] = lane < LANES ? lane : own;                                                           \
        }                                                                                                    \
        if (w->active != ALL_LANES)                                                                          \
            LANE_LOOP (own, LANES)                                                                           \
                from[own] = mask[from[own]] ? from[own] : own;                                               \
    }
#define SHUFFLE_LANES(name, R, named)                                                                        \
    HANDLER(O_##name)                                                                                        \
    {                                                                                                        \
        SOURCE_LANES(from, named)                                                                            \
        scalar_ctype_##R *d = LANES_OF_##R(pc->d), moved[MOST_LANES];                                        \
        const scalar_ctype_##R *a = LANES_OF_##R(pc->a);                                                     \
        const uint32_t *mask = LANE_MASK;                                                                    \
        LANE_LOOP (i, LANES)                                                                                 \
            moved[i] = a[from[i]];                                                                           \
        MERGE_LANES(R, , moved[i])                                                                           \
        NEXT(1);                                                                                             \
    }
#define SHUFFLE(op, named)                                                                                   \
    SHUFFLE_LANES(op##_v, I, named) SHUFFLE_LANES(op##_w, L, named)                                          \
    HANDLER(O_##op##_m)                                                                                      \
    {                                                                                                        \
        SOURCE_LANES(from, named)                                                                            \
        uint64_t bits = 0;                                                                                   \
        for (unsigned i = 0; i < LANES; i++)                                                                 \
            bits |= (M[pc->a] >> from[i] & 1) << i;                                                          \
        M[pc->d] = (bits & w->active) | (M[pc->d] & ~w->active);                                             \
        NEXT(1);                                                                                             \
    }
SHUFFLE(shuffle, operand[own])
SHUFFLE(shuffle_xor, own ^ operand[own])
SHUFFLE(shuffle_up, own - operand[own])
SHUFFLE(shuffle_down, own + operand[own])

/* ---- reductions: integers in any order, floats from the lowest lane on ------------------------------- */

/* Lanes that are not active count as the operation's neutral element. */
#define REDUCE_LANES(name, R, neutral, formula)                                                              \
    HANDLER(O_##name)                                                                                        \
    {                                                                                                        \
        const scalar_ctype_##R *x = LANES_OF_##R(pc->a);                                                     \
        const uint32_t *mask = LANE_MASK;                                                                    \
        scalar_ctype_##R a = (neutral);                                                                      \
        LANE_LOOP (i, LANES) {                                                                               \
            scalar_ctype_##R b = (neutral);                                                                  \
            blend_##R(&b, x[i], mask[i]);                                                                    \
            a = (formula);                                                                                   \
        }                                                                                                    \
        S[pc->d] = a;                                                                                        \
        NEXT(1);                                                                                             \
    }
#define REDUCE_INTEGERS(op, neutral_I, neutral_L, formula_I, formula_L)                                      \
    REDUCE_LANES(reduce_##op##_I, I, neutral_I, formula_I)                                                   \
    REDUCE_LANES(reduce_##op##_L, L, neutral_L, formula_L)
REDUCE_INTEGERS(add, 0, 0, a + b, a + b)
REDUCE_INTEGERS(and, UINT32_MAX, UINT64_MAX, a & b, a & b)
REDUCE_INTEGERS(or, 0, 0, a | b, a | b)
REDUCE_INTEGERS(xor, 0, 0, a ^ b, a ^ b)
REDUCE_INTEGERS(umin, UINT32_MAX, UINT64_MAX, a < b ? a : b, a < b ? a : b)
REDUCE_INTEGERS(umax, 0, 0, a > b ? a : b, a > b ? a : b)
REDUCE_INTEGERS(smin, INT32_MAX, INT64_MAX, i32(a) < i32(b) ? a : b, i64(a) < i64(b) ? a : b)
REDUCE_INTEGERS(smax, (uint32_t)INT32_MIN, (uint64_t)INT64_MIN, i32(a) > i32(b) ? a : b,
                i64(a) > i64(b) ? a : b)
CALL_PLAIN(reduce_float, rt_reduce_float)
SAME_AS(reduce_add_F, reduce_float) SAME_AS(reduce_add_D, reduce_float) SAME_AS(reduce_smin_F, reduce_float)
SAME_AS(reduce_smin_D, reduce_float) SAME_AS(reduce_smax_F, reduce_float) SAME_AS(reduce_smax_D, reduce_float)
CALL_PLAIN(scan, rt_scan)
SAME_AS(scan_add_I, scan) SAME_AS(scan_add_L, scan) SAME_AS(scan_add_F, scan) SAME_AS(scan_add_D, scan)

SAME_AS(tok_entry, O_token) SAME_AS(tok_anchor, O_token) SAME_AS(tok_loop, O_token)
SAME_AS(switch_w, O_switch_v)
SAME_AS(switch_s, O_switch_v)
SAME_AS(branch, invalid)

/* ---- the world --------------------------------------------------------------------------------------- */

HANDLER(O_clock)
{
    rt_each_lane(i, w->active)
        LANES_OF_L(pc->d)[i] = w->cycles;
    NEXT(1);
}
CALL_OUT(hostcall, rt_hostcall)
CALL_OUT(printf, rt_printf)
