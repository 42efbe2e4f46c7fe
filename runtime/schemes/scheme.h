/* scheme.h: a divergence scheme: who runs when the lanes of a warp part, and where they reconverge.
 *
 * This is the machine that the row of a scheme names (base/schemes.def): one file in schemes/ with one struct
 * rt_scheme. Straight-line code and uniform branches never ask it. Hooks are called between instructions;
 * they change w->active, w->live (exits), w->reconverge and their own data, and return the code index of the
 * block word or instruction where the warp goes on, or RT_NOWHERE with w->stop set.
 *
 * After a hook the core refreshes what it derives from `active`, so hooks set nothing else. Every hook must
 * leave 0 != active ⊆ live, unless it stops the warp.
 */
#ifndef KERNC_RT_SCHEME_H
#define KERNC_RT_SCHEME_H

#include "base/scheme.h"
#include "runtime/core/warp.h"

enum rt_scheme_flags {
    RT_ASK_RECONVERGE =
        1, /* `reconverge` is asked at every block word flagged BC_RECONVERGE, not only at w->reconverge */
    RT_ASK_UNIFORM = 2,    /* `diverge` is asked about uniform conditional branches too (n == 1) */
    RT_ASK_DIVERGED = 8,   /* RT_ASK_RECONVERGE, but only while some live lanes are not active */
    RT_ASK_CONVERGENT = 4, /* `convergent` is asked before each convergent operation, barrier and anchor
                              included */
};

struct rt_groups;
struct rt_digest;
struct rt_scheme {
    unsigned flags;
    /* Bytes of scheme_data for warps with this many lanes running this program. Zeroed once; warps that
     * follow each other may get the same, so `start` sets what it needs. */
    size_t (*data_bytes)(const struct bc_program *p, uint32_t lanes);
    /* active == live == launched, w->pc is the kernel's first block. Not called for a warp that has the data
     * of another of as many lanes for which no hook has been called since: it finds what `start` left. */
    void (*start)(struct rt_warp *w);
    /* w->split tells where the active lanes go. */
    uint32_t (*diverge)(struct rt_warp *w, const struct rt_split *split);
    /* The same for the commonest of splits: of the active lanes `yes`, some but not all, takers in number, take
     * the two-way branch `ins`, whose branch word is `branch`. NULL: `diverge` is asked. */
    uint32_t (*diverge_two)(struct rt_warp *w, const struct bc_ins *ins, const struct bc_branch *branch,
                            uint64_t yes, uint32_t takers);
    /* The active lanes are about to execute the block word at `pc`, which is a reconvergence point.
     * Returning `pc` runs the block (with `active` as it is then) without asking again. */
    uint32_t (*reconverge)(struct rt_warp *w, uint32_t pc);
    /* The active lanes have ended and are not live any more. */
    uint32_t (*exit)(struct rt_warp *w);
    /* BC_scheme, by its operation, which leaves the active lanes as they are. NULL: the scheme has none such.
     * False: the warp has trapped. */
    bool (*op[BC_CB_OPS])(struct rt_warp *w, const struct bc_ins *ins);
    /* BC_wait. NULL: the scheme has none. */
    uint32_t (*wait)(struct rt_warp *w, const struct bc_ins *ins);
    /* A time slice of the active lanes is over; as they are, they go on at `pc`, which follows a block word.
     * NULL: so they do. */
    uint32_t (*expire)(struct rt_warp *w, uint32_t pc);
    /* The active lanes are about to execute the convergent operation at `pc`; as `reconverge`. May be
     * NULL. */
    uint32_t (*convergent)(struct rt_warp *w, uint32_t pc);
    /* The active lanes, not all live ones, are about to execute `barrier()` at `pc`. Where they are to go on
     * later, at `pc` again, the code index where others do. `pc`: the active lanes are now all live ones, which
     * execute it, or else they trap. NULL: so they do. */
    uint32_t (*hold)(struct rt_warp *w, uint32_t pc);
    /* tok_entry, tok_anchor, tok_loop: write ins->d in the active lanes. NULL: 0 is written. False: the warp
     * has trapped. */
    bool (*token)(struct rt_warp *w, const struct bc_ins *ins);
    /* Asks rt_check_waits about all live lanes that are not active; the active ones run the block word at `pc`.
     * Asked at each, if the program checks it. NULL: nobody says where they may wait. False: the warp has
     * trapped. */
    bool (*check)(struct rt_warp *w, uint32_t pc);
    /* Adds what scheme_data says of the warp: warps that differ in it alone do the same if the digests are
     * equal. NULL: its bytes do. */
    void (*digest)(const struct rt_warp *w, struct rt_digest *d);
    /* All live lanes but `running`, which run: in which groups they wait (watch.h). */
    void (*groups)(const struct rt_warp *w, uint64_t running, struct rt_groups *g);
};

#define DECLARE_bytecode(machine) extern const struct rt_scheme rt_scheme_##machine;
#define DECLARE_warp_core(machine)
#define SCHEME(id, name, target, machine, lowering, properties, meaning) DECLARE_##target(machine)
#include "base/schemes.def"
#undef DECLARE_bytecode
#undef DECLARE_warp_core

/* The machine that runs bytecode of the scheme. NULL: none does, it is of another target. */
const struct rt_scheme *rt_scheme_of(enum scheme s);

/* Events that the schemes count; all are sums over the launch but the maximum. */
struct rt_events {
#define EVENT_COUNT(key)
#define EVENT_EVENT(key)   uint64_t key;
#define EVENT_MAXIMUM(key) uint64_t key;
#define EVENT_MACHINE(key)
#define EVENT_MODEL(key)
#define EVENT_RATIO(key)
#define EVENT_SECONDS(key)
#define METRIC(key, type, meaning) EVENT_##type(key)
#include "include/kernc-metrics.def"
    uint64_t
        widths[RT_MAX_LANES + 1]; /* warp instructions by active lanes, of blocks that not all lanes of the
                                     core run; only if the launch counts */
};
static inline struct rt_events *rt_events(struct rt_warp *w)
{
    return w->events;
}

/* For branches without a reconvergence point in a device function: the block where the active lanes' calls
 * return to, if they all return to the same; else BC_NO_TARGET. */
uint32_t rt_return_point(const struct rt_warp *w, uint32_t pc);
/* How many calls the lane is in that runs at `pc`, which is not where calls through pointers enter a function.
 * Of a damaged program any number up to that of its functions. */
uint32_t rt_call_depth(const struct rt_warp *w, uint32_t pc, unsigned lane);
/* The size of w->S. */
size_t rt_scalar_bytes(const struct rt_warp *w);
/* Of the kernel that has most. */
uint32_t rt_most_scalars(const struct bc_program *p);
/* Convergence barrier registers, up to the highest that the program names. */
uint32_t rt_count_barriers(const struct bc_program *p);

#endif
