/* oracle.c: the scheme that is the definition of what a divergent program means.
 *
 * "Convergent Operation Semantics", Dynamic Instances and Convergence Tokens. Each lane runs alone, in turns,
 * up to its next convergent operation and waits there. A dynamic instance of the operation is named by the
 * operation and the instance its token came from. Its group is decided when every live lane of the warp waits
 * at that instance or cannot come to it any more; then the group executes the operation, runs to the end of
 * the block, and its lanes go on alone.
 *
 * Instances of tokens. token.entry of a kernel: one, of the whole warp. token.entry of a device function:
 * named by the call and the instance of the call's token. token.loop: by the instance of its operand and n,
 * for the n-th time with it. They need no waiting: lanes that make the same one at different times get the
 * same number.
 *
 * Can lane L come to operation U in instance t, made by definition D? If L's last execution of D made t: if
 * control flow leads from where L is to U without passing D. Else, if it can still make t: of an entry, if it
 * runs in the callee before D, or can come to the call in the call's instance; of a heart, if it has been
 * there fewer than n times with the operand's instance and can come to D in that instance. As the static
 * rules nest regions, groups do not wait for each other in a circle; a program that breaks the rules stops
 * with a trap.
 *
 * The implementation's choice for token.anchor: its lanes wait until no lane of the warp can go on otherwise
 * (or until those that can have all used up a turn: they may be spinning for one that waits), then those that
 * wait at the same anchor execute it together: all of them, or as the launch wants it each alone, or a part
 * drawn at random, now and then without waiting for more.
 *
 * barrier waits for all live lanes of the warp, whatever its token; the runtime brings the warps together.
 *
 * A turn is LONG_TURN blocks, so that a lane that spins does not keep others from what it spins for.
 * Everything is deterministic. A decision takes time in the lanes times the nesting of tokens; a lane's
 * registers are its own, so what other schemes do at once happens here lane by lane and is counted so.
 */
#include "runtime/core/barrier_text.h"
#include "runtime/launch/watch.h"
#include "runtime/schemes/oracle_instances.h"

#define LONG_TURN 1024

static size_t data_bytes(const struct bc_program *p, uint32_t lanes)
{
    return sizeof(struct oracle) + (size_t)oracle_count_definitions(p) * lanes * sizeof(uint32_t);
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static uint64_t bit(unsigned lane)
{
    return (uint64_t)1 << lane;
}

static bool waits_by_token(const struct oracle *s, unsigned lane)
{
    enum bc_op op = (enum bc_op)oracle_word(s, s->pc[lane])->op;
    return op != BC_tok_anchor && op != BC_barrier;
}

/* The lanes that wait at the same operation, by its token at the same instance. */
static uint64_t companions(const struct rt_warp *w, const struct oracle *s, unsigned lane, uint32_t instance)
{
    uint64_t same = 0;
    rt_each_lane(i, s->waiting)
        if (s->pc[i] == s->pc[lane] &&
            (!instance || oracle_token_in(w, s, (unsigned)i, oracle_word(s, s->pc[i])->e) == instance))
            same |= bit((unsigned)i);
    return same;
}

static bool is_complete(struct rt_warp *w, struct oracle *s, uint64_t group, uint32_t op, uint32_t instance)
{
    rt_each_lane(i, w->live & ~group)
        if (oracle_can_come(w, s, (unsigned)i, op, instance))
            return false;
    return true;
}

static uint64_t draw(struct oracle *s)
{
    return s->random = hash_mix(s->random, 1);
}

/* The group of an anchor, of the lanes that wait at it. */
static uint64_t choose(const struct rt_warp *w, struct oracle *s, uint64_t waiting)
{
    uint64_t part;
    switch (w->worker->launch->given.anchors) {
    case KERNC_ANCHORS_ALONE: return waiting & -waiting;
    case KERNC_ANCHORS_RANDOM: part = waiting & draw(s); return part ? part : waiting;
    default: return waiting;
    }
}

/* A group whose lanes may go on, 0: none. */
static uint64_t decide(struct rt_warp *w, struct oracle *s)
{
    rt_each_lane(i, s->waiting) {
        if (!waits_by_token(s, (unsigned)i))
            continue;
        uint32_t instance = oracle_token_in(w, s, (unsigned)i, oracle_word(s, s->pc[i])->e);
        uint64_t group = companions(w, s, (unsigned)i, instance);
        if (rt_lowest(group) == i && is_complete(w, s, group, s->pc[i], instance))
            return group;
    }
    unsigned first = rt_lowest(s->waiting);
    if (oracle_word(s, s->pc[first])->op == BC_barrier && companions(w, s, first, 0) == w->live)
        return w->live;
    rt_each_lane(j, s->waiting)
        if (oracle_word(s, s->pc[j])->op == BC_tok_anchor)
            return choose(w, s, companions(w, s, (unsigned)j, 0));
    return 0;
}

/* Nobody can go on: a barrier that some threads cannot reach, or tokens that break the static rules. */
static uint32_t stuck(struct rt_warp *w, struct oracle *s)
{
    rt_each_lane(i, s->waiting) {
        if (oracle_word(s, s->pc[i])->op != BC_barrier)
            continue;
        uint64_t here = companions(w, s, (unsigned)i, 0);
        rt_trap(w, oracle_word(s, s->pc[i]), (unsigned)i, RT_BARRIER_TEXT, __builtin_popcountll(here),
                __builtin_popcountll(w->live), rt_lowest(w->live & ~here));
        return RT_NOWHERE;
    }
    unsigned first = rt_lowest(s->waiting);
    rt_trap(w, oracle_word(s, s->pc[first]), first, "threads wait for each other at convergent operations");
    return RT_NOWHERE;
}

/* ---- time slices-------------------------------------------------------------------------------------- */

static uint32_t give_turn(struct rt_warp *w, struct oracle *s, uint64_t ready)
{
    uint64_t behind = s->last + 1 < RT_MAX_LANES ? ready & UINT64_MAX << (s->last + 1) : 0;
    s->last = rt_lowest(behind ? behind : ready);
    s->left = LONG_TURN;
    w->active = bit(s->last);
    return s->pc[s->last];
}

static uint32_t run_group(struct rt_warp *w, struct oracle *s, uint64_t group)
{
    s->waiting &= ~group;
    s->decided = true;
    w->active = group;
    return s->pc[rt_lowest(group)];
}

static uint32_t schedule(struct rt_warp *w)
{
    struct oracle *s = w->scheme_data;
    uint64_t ready = w->live & ~s->waiting;
    s->waiting &= w->live;
    if (ready && s->used_up < (uint32_t)__builtin_popcountll(ready))
        return give_turn(w, s, ready);
    s->used_up = 0;
    uint64_t group = s->waiting ? decide(w, s) : 0;
    if (w->worker->over_memory) {
        w->stop = RT_TRAPPED;
        return RT_NOWHERE;
    }
    if (!group)
        return ready ? give_turn(w, s, ready) : stuck(w, s);
    return run_group(w, s, group);
}

static void leave_at(struct oracle *s, uint64_t lanes, uint32_t pc)
{
    rt_each_lane(i, lanes)
        s->pc[i] = pc;
}

/* ---- hooks ------------------------------------------------------------------------------------------- */

static void start(struct rt_warp *w)
{
    struct oracle *s = w->scheme_data;
    struct rt_worker *k = w->worker;
    if (!k->scheme_data)
        k->scheme_data = oracle_flow_new(k);
    s->flow = k->scheme_data;
    s->arena = &k->arena;
    s->lanes = w->lanes;
    s->waiting = 0;
    s->used_up = 0;
    s->decided = false;
    s->last = RT_MAX_LANES - 1;
    s->random = hash_mix(hash_mix(k->launch->given.anchor_seed, k->block), w->index);
    vec_clear(&s->instances);
    vec_clear(&s->free);
    vec_push(s->arena, &s->instances, (struct instance){0});
    memset(s->current, 0, (size_t)s->flow->definitions.count * s->lanes * sizeof *s->current);
    leave_at(s, w->live, w->pc);
    give_turn(w, s, w->live);
}

static uint32_t diverge(struct rt_warp *w, const struct rt_split *split)
{
    struct oracle *s = w->scheme_data;
    for (uint32_t i = 0; i < split->n; i++)
        leave_at(s, split->mask[i], split->target[i]);
    return schedule(w);
}

/* At every block. */
static uint32_t reconverge(struct rt_warp *w, uint32_t pc)
{
    struct oracle *s = w->scheme_data;
    bool alone = (w->active & (w->active - 1)) == 0;
    if (alone && s->left) {
        s->left--;
        return pc;
    }
    s->used_up += alone;
    leave_at(s, w->active, pc);
    return schedule(w);
}

static uint32_t convergent(struct rt_warp *w, uint32_t pc)
{
    struct oracle *s = w->scheme_data;
    const struct bc_ins *ins = w->code + pc;
    if (!s->decided) {
        leave_at(s, w->active, pc);
        rt_each_lane(i, w->active)
            if (waits_by_token(s, (unsigned)i) && !oracle_token_in(w, s, (unsigned)i, ins->e)) {
                rt_trap(w, ins, (unsigned)i,
                        "a convergent operation without a token: the program was not compiled for "
                        "the scheme oracle");
                return RT_NOWHERE;
            }
        s->waiting |= w->active;
        s->used_up = 0;
        bool early = ins->op == BC_tok_anchor && w->worker->launch->given.anchors == KERNC_ANCHORS_RANDOM &&
                     draw(s) % 4 == 0;
        pc = early ? run_group(w, s, choose(w, s, companions(w, s, rt_lowest(w->active), 0))) : schedule(w);
    }
    if (s->decided && w->code + pc == ins)
        s->decided = false;
    return pc;
}

static uint32_t ended(struct rt_warp *w)
{
    ((struct oracle *)w->scheme_data)->used_up = 0;
    return schedule(w);
}

/* ---- tokens ------------------------------------------------------------------------------------------ */

/* Regions nest, and functions do not call themselves: no more instances lie around one than there are
 * definitions. */
static bool is_nested_in_itself(const struct oracle *s, const struct instance *x)
{
    return x->depth > s->flow->definitions.count;
}

static bool token(struct rt_warp *w, const struct bc_ins *ins)
{
    struct oracle *s = w->scheme_data;
    uint32_t anchor = ins->op == BC_tok_anchor ? oracle_add_instance(s, oracle_instance_of(w, s, 0, ins)) : 0;
    rt_each_lane(i, w->active) {
        struct instance x = oracle_instance_of(w, s, (unsigned)i, ins);
        if (is_nested_in_itself(s, &x)) {
            rt_trap(w, ins, (unsigned)i, "a token is nested in itself");
            return false;
        }
        uint32_t instance = anchor ? anchor : oracle_find_instance(s, x);
        oracle_make_current(s, (unsigned)i, instance);
        rt_v(w, ins->d)[i] = instance;
    }
    return true;
}

static void digest(const struct rt_warp *w, struct rt_digest *d)
{
    const struct oracle *s = w->scheme_data;
    rt_digest_bytes(d, s, data_bytes(w->worker->launch->program, w->lanes));
    rt_digest_bytes(d, s->instances.at, s->instances.count * sizeof *s->instances.at);
    rt_digest_bytes(d, s->free.at, s->free.count * sizeof *s->free.at);
}

static void groups(const struct rt_warp *w, uint64_t running, struct rt_groups *g)
{
    const struct oracle *s = w->scheme_data;
    uint64_t others = w->live & ~running;
    rt_add_lanes(g, KERNC_WAIT_OTHERS, others & s->waiting, s->pc);
    rt_add_lanes(g, KERNC_WAIT_TURN, others & ~s->waiting, s->pc);
}

const struct rt_scheme rt_scheme_oracle = {
    .flags = RT_ASK_RECONVERGE | RT_ASK_CONVERGENT,
    .data_bytes = data_bytes,
    .start = start,
    .diverge = diverge,
    .reconverge = reconverge,
    .exit = ended,
    .convergent = convergent,
    .token = token,
    .digest = digest,
    .groups = groups,
};
