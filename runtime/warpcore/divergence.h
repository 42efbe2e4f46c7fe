/* divergence.h: the divergence unit of a warp: program counter, masks and stack, and what the instructions of
 * control flow do to them. Nothing else: no registers, no memory, no encoding.
 *
 * docs/isa.md describes the modes. A branch whose lanes agree is a jump. Where they disagree, the lanes
 * that fall through go on and the taken ones wait in an entry of the stack; CONVERGE at the reconvergence
 * point lets them catch up and joins both.
 *
 *   rpc        the entry holds the address where its lanes reconverge, which the branch names; a CONVERGE
 *              acts on the top entry only if that is its own address
 *   source-pc  the entry holds the branch's address, which the CONVERGE names
 *   frontier   an entry holds lanes and the word where they wait; the stack is sorted, the lowest word on top.
 *              The lowest run. A CONVERGE takes in those that wait there, or gives way to those below
 *   article    as source-pc; CONVERGE names nothing and acts on any top entry. Unsound: for study
 *
 * Invariants (rpc, source-pc): active != 0 until the warp has ended; the saved mask of an entry is a proper
 * superset of that of the entry above it, and the top's of `active`; so at most lanes - 1 entries are held,
 * whatever the program. In mode frontier
 * entries have disjoint lanes, none of them active, and different words.
 */
#ifndef KERNC_RT_DIVERGENCE_H
#define KERNC_RT_DIVERGENCE_H

#include "backend/format/warpcore/isa.h"

/* 40 bits in rpc mode, 41 in source-pc and article (phase). In mode frontier 20: pending and target. */
struct rt_divergence_entry {
    uint8_t saved;   /* the lanes that reconverge */
    uint8_t pending; /* those that wait to run at `target`; 0: none */
    uint8_t phase;   /* 1: the pending lanes have been let go. Not in rpc mode, where pending tells */
    uint16_t target;
    uint16_t key; /* rpc: where they reconverge; else the branch */
    uint16_t
        reconverge; /* of the word at `key`, where the machine of mode source-pc reads it; not in the entry */
};

struct rt_divergence {
    uint16_t pc;
    uint8_t active, live;
    uint8_t mode; /* enum wc_mode */
    uint8_t depth, deepest;
    struct rt_divergence_entry stack[WC_STACK];
};

/* What an instruction did. */
enum rt_divergence_event {
    RT_WENT_ON,     /* the active lanes are the same */
    RT_DIVERGED,    /* some of them wait now */
    RT_SWAPPED,     /* the ones that waited run, those that ran wait */
    RT_JOINED,      /* an entry was popped */
    RT_ENDED,       /* no lane is live */
    RT_FIRST_FAULT, /* the state is that before the instruction */
    RT_STACK_FULL = RT_FIRST_FAULT,
    RT_NOT_UNIFORM,   /* rpc: lanes disagree at a branch that names no reconvergence point */
    RT_EMPTY_DIVERGE, /* DIVERGE of no lane */
    RT_NO_LANES,      /* article: the swap leaves no lane active, so none can ever act again */
    RT_LANES_LOST,    /* live lanes wait at a place that no entry knows */
};

/* All of `lanes` are live and active at pc, the stack is empty. */
void rt_divergence_start(struct rt_divergence *d, enum wc_mode mode, uint8_t lanes, uint16_t pc);
/* BR: the lanes in `p` go to `target`, the others to the next word; `reconverge` (rpc) is where they
 * reconverge; in mode frontier it is where the others go instead. WC_NONE: the branch is proven uniform. */
enum rt_divergence_event rt_divergence_branch(struct rt_divergence *d, uint8_t p, uint16_t target,
                                              uint16_t reconverge);
/* DIVERGE: the lanes in `p` go on, the others to `target` once these have reached the reconvergence point. */
enum rt_divergence_event rt_divergence_diverge(struct rt_divergence *d, uint8_t p, uint16_t target,
                                               uint16_t reconverge);
/* CONVERGE; `source` (source-pc) is the branch whose lanes it joins. */
enum rt_divergence_event rt_divergence_converge(struct rt_divergence *d, uint16_t source);
/* The lanes end, all active ones or some of them; those left go on with the next word. */
enum rt_divergence_event rt_divergence_exit(struct rt_divergence *d, uint8_t lanes);

#endif
