/* oracle_instances.h: the state of the oracle for one warp: dynamic instances of tokens, and where its lanes
 * are. Private to the oracle; oracle.c has the definitions.
 */
#ifndef KERNC_RT_ORACLE_INSTANCES_H
#define KERNC_RT_ORACLE_INSTANCES_H

#include "runtime/launch/grid.h"
#include "runtime/schemes/oracle.h"

/* An instance of a token, while some lane's last execution of its definition made it, or another instance
 * names it. */
struct instance {
    uint32_t at;         /* code index of the definition */
    uint32_t definition; /* its number */
    uint32_t outer;      /* of a heart: its operand; of an entry: the call's token; 0: none */
    uint32_t n;          /* of a heart: for the n-th time */
    uint32_t call;       /* of a device function's entry: code index of the call */
    uint32_t depth;      /* instances around it */
    uint32_t users;
};

struct oracle {
    struct oracle_flow *flow;
    struct arena *arena;
    VEC(struct instance) instances; /* number 0 is none */
    u32_vec free;
    uint64_t waiting;          /* lanes at a convergent operation */
    uint32_t pc[RT_MAX_LANES]; /* where a lane goes on, or waits */
    unsigned last;             /* the lane that had the last turn */
    uint32_t left;             /* blocks left of this turn */
    uint32_t used_up;          /* time slices used up since a lane last waited or ended */
    uint64_t random;           /* for KERNC_ANCHORS_RANDOM */
    bool decided;              /* the active lanes are a group on its way to its operation */
    uint32_t lanes;
    uint32_t current[]; /* by definition and lane: the instance last made; 0: none */
};

static inline const struct bc_ins *oracle_word(const struct oracle *s, uint32_t at)
{
    return &s->flow->program->code.at[at];
}

/* The instance that a lane makes by executing the definition `ins` now: its name, not yet a number. */
struct instance oracle_instance_of(const struct rt_warp *w, struct oracle *s, unsigned lane,
                                   const struct bc_ins *ins);
/* The number of the instance with this name if some lane's last execution of the definition made it; else a
 * new one's. */
uint32_t oracle_find_instance(struct oracle *s, struct instance x);
uint32_t oracle_add_instance(struct oracle *s, struct instance x); /* a new one's number */
/* The lane's last execution of the instance's definition made it. Instances that nothing names any more are
 * given up. */
void oracle_make_current(struct oracle *s, unsigned lane, uint32_t instance);
/* The instance in a token register; 0: none. */
uint32_t oracle_token_in(const struct rt_warp *w, const struct oracle *s, unsigned lane, uint32_t reg);
/* Whether the lane can still come to operation `op`, whose token is of the instance, in that instance. */
bool oracle_can_come(const struct rt_warp *w, struct oracle *s, unsigned lane, uint32_t op,
                     uint32_t instance);

#endif
