/* analysis.h: what can be computed about a function's control flow. Each analysis allocates in the arena
 * it is given (its scratch memory too) and describes the function as it was then; arrays are indexed by
 * block number and have fn->blocks.count entries.
 */
#ifndef KERNC_IR_ANALYSIS_H
#define KERNC_IR_ANALYSIS_H

#include "base/rows.h"
#include "ir/ir.h"
#include "ir/limits.h"

/* ---- control-flow graph (ir/analysis/cfg.c) ---------------------------------------------------------- */

struct ir_cfg {
    const struct ir_function *fn;
    uint32_t blocks;          /* fn->blocks.count */
    uint32_t *pred_start;     /* preds of b: preds[pred_start[b] .. pred_start[b + 1] - 1] */
    uint32_t *preds;          /* one entry for each edge from a live block, in layout order */
    uint32_t *pred_edges;     /* beside preds: which of the predecessor's edges it is */
    uint32_t *rpo, rpo_count; /* the blocks reachable from the entry, in reverse post-order */
    uint32_t *rpo_index;      /* position in rpo; IR_NO_BLOCK: not reachable */
    struct bitset reachable;
};
/* Linear in blocks and edges. Edges to blocks that do not exist are not allowed. */
struct ir_cfg *ir_cfg_new(struct arena *a, const struct ir_function *f);
static inline uint32_t ir_pred_count(const struct ir_cfg *c, uint32_t b)
{
    return c->pred_start[b + 1] - c->pred_start[b];
}

/* ir_each_pred(p, b, cfg) — p is a predecessor, once for each of its edges to b */
#define ir_each_pred(p, b, c)                                                                                \
    for (uint32_t p##_at = (c)->pred_start[b], p;                                                            \
         p##_at < (c)->pred_start[(b) + 1] && ((p) = (c)->preds[p##_at], true); p##_at++)

/* Walks over blocks (base/rows.h). Adds the successors of b but `stop` (IR_NO_BLOCK: all). */
static inline void ir_add_successors(struct walk *w, const struct ir_function *f, uint32_t b, uint32_t stop)
{
    const struct ir_block *block = ir_block_at(f, b);
    for (uint32_t e = 0; e < block->edges.count; e++)
        if (block->edges.at[e].block != stop)
            walk_add(w, block->edges.at[e].block);
}
static inline void ir_add_predecessors(struct walk *w, const struct ir_cfg *c, uint32_t b, uint32_t stop)
{
    ir_each_pred(p, b, c)
        if (p != stop)
            walk_add(w, p);
}
/* The edge that block b's brif or switch takes when its operand is this constant. */
uint32_t ir_chosen_edge(const struct ir_function *f, uint32_t b, scalar_bits bits);
/* Visits what was added and what that leads to, or what leads to it, by paths without `stop`. Returns all that
 * was seen. */
struct bitset ir_reach(struct walk *w, const struct ir_function *f, uint32_t stop);
struct bitset ir_reach_back(struct walk *w, const struct ir_cfg *c, uint32_t stop);

/* ---- dominators (ir/analysis/dominators.c, post_dominators.c) ---------------------------------------- */

struct ir_dominators {
    uint32_t *idom;         /* parent in the tree; IR_NO_BLOCK: a root, or not in the tree */
    uint32_t *depth;        /* 1 for a root; 0: not in the tree (not reachable) */
    uint32_t *pre, *post;   /* preorder number, and the largest one in the block's subtree */
    uint32_t *jump;         /* an ancestor farther up, or IR_NO_BLOCK: see Myers,
                               "An applicative random-access stack" (1983) */
    uint32_t *order, count; /* the blocks of the tree by preorder number: parents before
                               children */
};
/* The entry block is the only root. Lengauer and Tarjan (1979), with path compression: near-linear. */
struct ir_dominators *ir_dominators_new(struct arena *a, const struct ir_cfg *c);
/* Of the blocks reachable from the entry. The root is a virtual exit behind every ret and trap: idom ==
 * IR_NO_BLOCK says that only the exit post-dominates the block (depth 1). A part of the graph that cannot
 * reach the exit (an endless loop) gets a virtual edge to it from one of its blocks (post_dominators.c), and
 * so on until every block has a path; the choice is deterministic and changes nothing for other blocks. */
struct ir_dominators *ir_post_dominators_new(struct arena *a, const struct ir_cfg *c);
/* The same on the graph without edges that break (ir.h): where the threads that diverge at a branch are to
 * reconverge at the latest. */
struct ir_dominators *ir_reconvergence_new(struct arena *a, const struct ir_cfg *c);
/* The same on the graph restricted to blocks that reach a ret: a trap stops all threads and an endless part
 * keeps its own, so neither counts. Other blocks are not in the tree. */
struct ir_dominators *ir_return_post_dominators_new(struct arena *a, const struct ir_cfg *c);
/* By block: where the threads of its branch reconverge, as a scheme's pass has chosen; else by the tree.
 * IR_NO_BLOCK: nowhere in the function. */
uint32_t *ir_reconvergence_points(struct arena *a, const struct ir_cfg *c, const struct ir_dominators *d);
/* Reflexive; false if either block is not in the tree. O(1). */
static inline bool ir_dominates(const struct ir_dominators *d, uint32_t a, uint32_t b)
{
    return d->depth[a] && d->depth[b] && d->pre[a] <= d->pre[b] && d->pre[b] <= d->post[a];
}

/* The nearest block that dominates both; IR_NO_BLOCK: none, or one is not in the tree. O(log depth). */
uint32_t ir_dominators_common(const struct ir_dominators *d, uint32_t a, uint32_t b);
/* The child of `above` (IR_NO_BLOCK: the root), which dominates b and is not b, that dominates b. O(log
 * depth). */
uint32_t ir_dominators_below(const struct ir_dominators *d, uint32_t above, uint32_t b);

/* The blocks that dominate some of `blocks`, but not all. Linear. */
struct bitset ir_dominate_part(struct arena *a, const struct ir_dominators *d, struct bitset blocks);

/* The blocks with an edge to the virtual exit: those without successors, and one in each endless part. */
u32_vec ir_exits(struct arena *a, const struct ir_cfg *c);

/* ---- predicated arms (ir/converge/predication.c) ----------------------------------------------------- */

/* Blocks of the order: its places first … end - 1. */
struct ir_arm {
    uint32_t first, end;
};
struct ir_arms {
    struct ir_arm side[2];
};
/* Arms whose instructions have the condition of the branch as a guard, so that an arm needs no branch, no jump
 * and no wait. It is a row of blocks in the order, each of which leads to the next one, or has arms that are
 * predicated and no other side; the last one leads to where the branch's threads reconverge. Nothing leads in
 * from elsewhere, and it only computes, loads, stores and asserts. Behind it stands the other side of the
 * branch, or the block where the threads reconverge. NULL: none are asked for. */
struct ir_predication {
    uint8_t *sides;      /* by block: which of the branch's two edges lead to such arms: bit e for edge e */
    struct bitset whole; /* branches with such arms and no other side: edges lead to arms, or to where threads
                            reconverge */
    struct ir_arms *arms; /* by block, of each of these sides */
    uint32_t *ends;       /* by block: the branch whose arm its br ends; IR_NO_BLOCK: none */
};
/* Of the sides that are asked for, by block; NULL: none. placed: barriers are placed, and where the threads
 * reconverge has to stand the wait for all of them. Linear. */
struct ir_predication ir_predication_new(struct arena *a, const struct ir_cfg *g, const uint8_t *asked,
                                         bool placed);
/* The first instruction of the block that has no guard in a predicated arm, or 0. */
ir_ref ir_unpredicable(const struct ir_function *f, uint32_t b);
/* The sides that the function's branches say are predicated; NULL: none. */
uint8_t *ir_asks_predication(struct arena *a, const struct ir_function *f);

/* ---- barriers (ir/converge/barriers.c) --------------------------------------------------------------- */

/* Whether the block has a barrier(). */
bool ir_has_barrier(const struct ir_function *f, uint32_t b);
/* Functions, but for kernels, whose threads may come to a barrier in them or in what they call. */
struct bitset ir_waiting_functions(struct arena *a, const struct ir_module *m);
/* Whether some threads of a function may go on to its return, or wait for each other, while others are at a
 * barrier in it or in what it calls: if none is behind the call, and if one is. */
struct ir_passing {
    bool nothing_follows, barrier_follows;
};
/* What of the functions it calls is known: `inlined` calls, by ir_ref, stand for bodies of which `passing` is
 * known, by function; waiting: see ir_waiting_functions. */
struct ir_bodies {
    struct bitset inlined, waiting;
    const struct ir_passing *passing;
};
/* Linear. */
struct ir_passing ir_passes_barrier(struct arena *a, const struct ir_cfg *c, const struct ir_bodies *in);
/* Blocks from which threads may come to the function's end without passing a barrier(). Linear. */
struct bitset ir_exits_without_barrier(struct arena *a, const struct ir_cfg *c);
/* Whether threads with one instance of its token execute the instruction together: a convergent operation, but
 * for barriers, or a heart that controls such (in_use: see ir_tokens_in_use). */
bool ir_converges(const struct ir_function *f, ir_ref r, struct bitset in_use);
/* By ir_ref: of an operation the barriers from which threads may come to it, for whom others wait there; of a
 * barrier itself. A bit stands for each 32nd of them. NULL: there are none. `waiting`: see
 * ir_waiting_functions. Linear for each convergent operation, if there are barriers. */
uint32_t *ir_reached_from_barriers(struct arena *a, const struct ir_cfg *c, struct bitset waiting);

/* ---- cycle forest (ir/analysis/cycles.c) ------------------------------------------------------------- */

#define IR_NO_CYCLE UINT32_MAX
/* A maximal strongly connected region of the graph, or of a larger cycle without its header. Reducible
 * (a natural loop) if the header is its only entry. */
struct ir_cycle {
    uint32_t header, parent, depth; /* parent IR_NO_CYCLE and depth 1: outermost */
    uint32_t jump;                  /* a cycle farther out, or IR_NO_CYCLE: as of dominators */
    uint32_t first, count;          /* its blocks, nested ones included: forest->blocks[first .. first
                                       + count - 1] */
    u32_vec entries;                /* blocks with a predecessor outside; the header first */
};
struct ir_cycles {
    struct ir_cycle *at; /* parents before children */
    uint32_t count;
    uint32_t *innermost; /* of each block: its innermost cycle, or IR_NO_CYCLE */
    uint32_t *blocks;    /* a cycle's header is the first of its range */
};
/* The hierarchy that LLVM's GenericCycleInfo defines, irreducible cycles included (it depends on the order of
 * successors there). Near-linear. Unreachable blocks are in no cycle. */
struct ir_cycles *ir_cycles_new(struct arena *a, const struct ir_cfg *c);
/* Whether the block is in the cycle or one nested in it. O(1); false of unreachable blocks. */
bool ir_cycle_has(const struct ir_cycles *f, uint32_t cycle, uint32_t block);
bool ir_cycle_contains(const struct ir_cycles *f, uint32_t outer, uint32_t inner); /* reflexive */
/* The innermost cycle that has both blocks, or IR_NO_CYCLE. O(log depth). */
uint32_t ir_cycle_common(const struct ir_cycles *f, uint32_t a, uint32_t b);
/* The outermost cycle that has block a, but not b, or IR_NO_CYCLE: what an edge from a to b leaves. O(log
 * depth). */
uint32_t ir_cycle_left(const struct ir_cycles *f, uint32_t a, uint32_t b);
/* How many cycles that is, with those inside that have a. O(log depth). */
uint32_t ir_cycles_left(const struct ir_cycles *f, uint32_t a, uint32_t b);

/* ---- program structure tree (ir/analysis/pst.c) ------------------------------------------------------ */

/* An edge of the graph: edge number `edge` of block `from`; IR_NO_BLOCK stands for the virtual start (whose
 * only edge enters the entry) or, as `to`, for the virtual exit. */
struct ir_edge_ref {
    uint32_t from, edge, to;
};
/* A canonical single-entry single-exit region; region 0 is the whole function. Blocks as for cycles. */
struct ir_region {
    struct ir_edge_ref entry, exit;
    uint32_t parent, depth; /* region 0: parent UINT32_MAX, depth 0 */
    uint32_t first, count;
};
struct ir_pst {
    struct ir_region *at; /* parents before children */
    uint32_t count;
    uint32_t *innermost; /* of each block; UINT32_MAX if unreachable */
    uint32_t *blocks;
};
/* Johnson, Pearson, Pingali: "The program structure tree" (1994). Linear time. */
struct ir_pst *ir_pst_new(struct arena *a, const struct ir_cfg *c);

/* ---- convergence tokens (ir/analysis/tokens.c) ------------------------------------------------------- */

/* The definitions of tokens in a function (reachable blocks) and their uses. */
struct ir_tokens {
    const struct ir_cfg *cfg;
    uint32_t *position;           /* of each instruction: its place in its block, from 0 */
    u32_vec defs;                 /* instructions that make tokens, in reverse post-order */
    uint32_t *index;              /* of each instruction: its place in defs, or UINT32_MAX */
    uint32_t *use_start, *uses;   /* uses of defs.at[i]: uses[use_start[i] .. use_start[i + 1] - 1],
                                     same order */
    uint32_t *user_start, *users; /* instructions of block b that use a token, in order */
};
/* Linear in instructions. */
struct ir_tokens *ir_tokens_new(struct arena *a, const struct ir_cfg *c);

/* Instructions that make a token which controls an operation, itself or by hearts made from it. The others
 * bring no threads together. Linear in instructions. */
struct bitset ir_tokens_in_use(struct arena *a, const struct ir_function *f);

/* The convergence region of one token: the points that its definition dominates and from which a use of it
 * can be reached without passing the definition again (so a cycle around the definition does not extend the
 * region). */
struct ir_token_region {
    ir_ref def;
    u32_vec blocks; /* blocks with a point in the region */
    u32_vec ends;   /* beside it: position of the last use, or IR_REGION_THROUGH: to
                       the block's end */
    struct map at;  /* block -> place in blocks */
};
#define IR_REGION_THROUGH UINT32_MAX
/* Time: edges into the region's blocks. */
struct ir_token_region *ir_token_region_new(struct arena *a, const struct ir_tokens *t, ir_ref def);
/* Whether the point just before instruction r is in the region. */
bool ir_token_region_has(const struct ir_token_region *g, const struct ir_tokens *t, ir_ref r);

/* Whether the definition `def` dominates another one, `other`, and is not it. */
bool ir_token_dominates(const struct ir_tokens *t, const struct ir_dominators *d, ir_ref def, ir_ref other);

/* Checks the static rules on closed paths and convergence regions (Convergent Operation
 * Semantics, "Static Rules"); one diagnostic for each instruction that breaks one. True if none does. */
bool ir_verify_tokens(struct arena *a, const struct ir_tokens *t, const struct ir_cycles *f,
                      struct diagnostics *d);

/* ---- scopes (ir/analysis/scopes.c) ------------------------------------------------------------------- */

/* Parts of a function in which threads are together by an instance that others need not share:
 *   an extended cycle: the cycle's blocks, and the regions of the tokens defined in it and of those made from
 *   them ("Extended Cycles"); by iteration;
 *   the regions of an anchor's token and of those made from it; by the anchor's group.
 * Numbered: the cycles as in their forest, then the anchors. A point stands before an instruction; r is that
 * instruction, or a parameter, whose point is its block's start. */
#define IR_NO_SCOPE UINT32_MAX
struct ir_scopes;
/* t may be NULL: cycles are not extended then. Time: the sum of the regions of tokens that are used outside
 * of the innermost cycle of their definition, or stem from an anchor. NULL: these have more than
 * IR_MAX_REGION_BLOCKS blocks. */
struct ir_scopes *ir_scopes_new(struct arena *a, const struct ir_cfg *c, const struct ir_cycles *f,
                                const struct ir_tokens *t);
/* Scopes are numbered from 0 to this, exclusive. */
uint32_t ir_scope_count(const struct ir_scopes *s);
ir_ref ir_scope_anchor(const struct ir_scopes *s, uint32_t scope); /* 0: it is a cycle's */
/* Whether the point of r is in the scope. */
bool ir_scope_has(const struct ir_scopes *s, uint32_t scope, ir_ref r);
/* Whether the token's definition, in a reachable block, stands in another block than when the scopes were
 * found. */
bool ir_scope_moved(const struct ir_scopes *s, ir_ref token);
/* Whether threads with one instance of the token are of one instance of the scope: it was defined there, or
 * is the anchor's. */
bool ir_scope_decides(const struct ir_scopes *s, ir_ref token, uint32_t scope);
/* The blocks with points in the scope, each once, but for those of the cycle itself; valid until the next
 * call. */
const u32_vec *ir_scope_beyond(struct ir_scopes *s, uint32_t scope);
/* Scopes that have the point; of cycles only outermost ones, whose scopes have those of the cycles inside. */
u32_vec ir_scopes_around(struct ir_scopes *s, ir_ref r);

/* ---- where diverged threads reconverge (ir/analysis/joins.c) ----------------------------------------- */

/* What a divergent branch does to control flow, under maximal convergence: `joins` are blocks that disjoint
 * paths from the branch reach; `exits` are blocks where threads that leave a cycle around the branch
 * meet others that leave it in another iteration. Both are lists without repetition. */
struct ir_joins {
    u32_vec joins, exits;
    bool gave_up; /* all that can be reached is listed */
};
struct ir_join_finder;
#define IR_JOIN_LIMIT 1000u
/* Answers for many branches, as long as the function does not change. limit: labels sent for one of them at
 * most; 0: IR_JOIN_LIMIT. */
struct ir_join_finder *ir_join_finder_new(struct arena *a, const struct ir_cfg *c, const struct ir_cycles *f,
                                          uint32_t limit);
/* The finder owns the result, valid until the next call. Time: about the blocks between the branch and the
 * point where its paths have reconverged; past the limit of labels every block that can still be reached counts
 * as a join or exit (sound, less precise), but is given out only once by a finder: results of several calls are
 * to be united. */
const struct ir_joins *ir_find_joins(struct ir_join_finder *j, uint32_t branch);
/* After ir_find_joins: whether separated threads can come from block `from` by its edge to `to`, which is one
 * of the joins or exits. */
bool ir_join_reached(const struct ir_join_finder *j, uint32_t from, uint32_t to);

/* ---- uniformity (ir/analysis/uniformity.c) ----------------------------------------------------------- */

enum ir_divergence {
    IR_DIV_NONE,
    IR_DIV_SOURCE,   /* by the operation itself: lane number, atomic, parameter of a device function, … */
    IR_DIV_DATA,     /* an operand is divergent */
    IR_DIV_SYNC,     /* parameter of a block where threads reconverge that a divergent branch has separated */
    IR_DIV_TEMPORAL, /* uses a value of a cycle that threads left in different iterations */
    IR_DIV_ANCHOR,   /* uses a value of an anchor's group outside, or in the group one from before it */
    IR_DIV_CYCLE,    /* at a point that is not m-converged */
};
/* A branch that is uniform among threads of one instance of a scope, and not beyond it. */
struct ir_scoped_branch {
    uint32_t block, scope, next; /* next of the block, plus 1; 0: none */
};
struct ir_uniformity {
    const struct ir_cfg *cfg;
    const struct ir_cycles *cycles;
    struct ir_scopes *scopes;            /* NULL: too large (IR_MAX_REGION_BLOCKS) */
    bool over;                           /* the limit of steps was reached */
    bool given_up;                       /* for one of the two: all is divergent, each cycle's exits too */
    struct bitset divergent;             /* by value: may differ among threads that execute it converged */
    struct bitset invariant;             /* by value: depends on the launch and the block alone */
    uint8_t *kind;                       /* by value: enum ir_divergence, of the first reason found */
    ir_ref *cause;                       /* by value: the operand, or the divergent branch; 0: none */
    struct bitset branches;              /* by block: ends in a divergent branch */
    VEC(struct ir_scoped_branch) scoped; /* in order of discovery; first_scoped: by block, plus 1 */
    uint32_t *first_scoped;
    /* By cycle: the innermost one around it (or itself) that threads leave after having left the cycle in
     * different iterations; IR_NO_CYCLE: who leaves it together left it together. */
    uint32_t *divergent_exit;
    /* By cycle: irreducible, not m-converged; or iterations reconverge in it. */
    struct bitset assumed_divergent;
    uint32_t *unconverged; /* by block: the cycle for whose sake it is not m-converged */
    bool iterations_unknown;
};
/* Threads that come to the end of `block` together may have executed the blocks of `area` at different times: a
 * value made there that they use behind it differs. (For machines that reconverge by convergence barriers.) */
struct ir_merge {
    uint32_t block;
    struct bitset area;
};
struct ir_uniformity_options {
    /* As if no token's region reached beyond its cycle: for machines whose threads reconverge where control
     * flow lets them, and perform a load in one step. Irreducible cycles with divergent branches are not
     * m-converged then. */
    bool ignore_tokens;
    const bool *uniform_params; /* of a device function: by position; NULL: all may be divergent */
    /* If not NULL: threads that diverge at a block reconverge no earlier than there (IR_NO_BLOCK: nowhere),
     * or where they wait to run a side of their branch, be it in different iterations of a cycle; such a
     * cycle counts as assumed divergent. Looking for them costs IR_MAX_RECONVERGE_VISITS block visits at
     * most; beyond that every cycle in which threads of a divergent branch wait counts so, and
     * `iterations_unknown` is set. What lies behind a cycle and before such a place, threads execute at
     * different times, too. */
    const uint32_t *reconvergence;
    uint32_t most;                 /* steps: of cycles left, and of blocks, at each edge, use and
                                      branch; 0: IR_MAX_UNIFORMITY_STEPS */
    uint32_t joins;                /* labels that look for the joins of one branch; 0: IR_JOIN_LIMIT */
    const struct ir_merge *merges; /* merge_count of them */
    uint32_t merge_count;
};
/* Which values are the same in all threads of a warp that execute an instruction together ("Controlled
 * Maximal converged-with Relation"). In the regions of an anchor's tokens, together means: with the same
 * instance of it, whatever they did before (docs/ir.md). `t` may be NULL: no tokens. o may be NULL. */
struct ir_uniformity *ir_uniformity_new(struct arena *a, const struct ir_cfg *c, const struct ir_cycles *f,
                                        const struct ir_tokens *t, const struct ir_uniformity_options *o);
/* Whether all threads with one instance of the token go the same way at the end of the block, which is in its
 * region; token 0: all that execute it together by maximal convergence. If the token's definition has been
 * moved since, only branches on what the launch and the block decide count. */
bool ir_is_uniform_for(const struct ir_uniformity *u, uint32_t block, ir_ref token);
/* Of a load that is divergent by itself, why: what it reads. */
const char *ir_load_source(const struct ir_function *f, ir_ref load);
/* Whether the value depends on more than the launch and the block. */
bool ir_varies(const struct ir_uniformity *u, ir_ref value);
/* Whether the block is m-converged ("Controlled m-converged Static Instances"): which threads execute it
 * together depends on no choice of cycle headers. */
bool ir_is_converged(const struct ir_uniformity *u, uint32_t block);

/* ---- control dependence (ir/analysis/post_dominators.c) ---------------------------------------------- */

/* Which branch edges decide whether a block runs: rows by block. */
struct ir_control {
    uint32_t branch, edge; /* block of the branch, number of its edge */
};
struct ir_control_dependence {
    uint32_t *start;
    struct ir_control *on;
};
/* Ferrante, Ottenstein, Warren (1987), section 3.1. Time and size: the sum over branch edges of the blocks
 * that depend on them (about nesting depth × blocks). */
struct ir_control_dependence *ir_control_dependence_new(struct arena *a, const struct ir_cfg *c,
                                                        const struct ir_dominators *post);

#endif
