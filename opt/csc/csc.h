/* csc.h: what the files of Common Subexpression Convergence share ("Common Subexpression Convergence: A New
 * Code Optimization for SIMT Processors"). Private to opt/csc/.
 *
 * At work are two *arms*: blocks that nothing but the two edges of one divergent branch leads to. Their
 * instructions are the nodes of the dependence graph of the region (section 3.2). Four steps:
 *
 *   match.c      pairs of nodes, one of each arm, that compute the same from different operands: the table
 *                T(i, j) of section 3.1, and the pairs that are taken from it
 *   schedule.c   an order of *stages*, even ones for all threads, odd ones for those of each arm, in which each
 *                pair stands in an even one: so in stage 0 it is hoisted, in the last stage sunk, and in one
 *                between split (section 2)
 *   bill.c       what a schedule costs and saves; distance.c: of accesses to different addresses
 *   model.c      how often arms are executed, and what the whole function takes
 *   pairs.c      which pairs are hoisted, split and sunk, for remarks
 *   motion.c     the code of the stages, operands renamed by selects and block parameters
 *
 * Before them correspond.c finds blocks in the arms of a branch that lie beyond its first ones and correspond
 * to each other, and gather.c makes such a branch of them; switches.c makes branches of switches, landing.c
 * ends arms with one block, guard.c makes conditionals of blocks, exchange.c gives two conditionals equal
 * sides. Whether it pays is asked of bill.c. Behind them decided.c leads edges past branches that ask
 * again, and switches.c makes switches of what is left of tests. At last trial.c weighs the whole.
 */
#ifndef KERNC_OPT_CSC_H
#define KERNC_OPT_CSC_H

#include "opt/cost/cost.h"
#include "opt/kit/demote.h"
#include "opt/kit/merge_edges.h"

enum {
    CSC_COPY = 1,      /* cycles of a select or a move: operand renaming */
    CSC_OFFSET = 2,    /* of accesses with different offsets: a select of them, an addition */
    CSC_BRANCH = 3,    /* of one more divergent stage: the branch, and a jump of each arm */
    CSC_JUMP = 1,      /* of one end for two blocks that each had its own */
    CSC_SPECULATE = 4, /* of what one arm alone computes and all may, to save a stage */
    CSC_CAUTION = 2, /* cycles to be saved for each to be paid, where nobody knows how often warps diverge, */
    CSC_MORE_CAUTION = 8,  /* and where the model was too small to come to the branch */
    CSC_LEAST_PERCENT = 2, /* that a warp has to save of all its cycles, in the model */
    CSC_MORE_PERCENT = 3,  /* more instructions, of which a remark tells */
    CSC_MUCH = 1000000,    /* cycles, where nothing but a model tells */
    CSC_LEAST_EPOCHS = 4,  /* iterations of outermost loops, for a model that was cut, */
    CSC_EPOCHS = 8,        /* and those that are enough */
    CSC_UNIT = 256,        /* of the table's entries in a cycle */
};
#define CSC_NONE UINT32_MAX
#define CSC_BOTH 2u

/* `merged` is `value` for threads of the arm that `value` is of, behind the block where it stands. */
struct csc_copy {
    ir_ref value, merged;
};

/* Blocks of arm 0 and of arm 1; place: x's in reverse post-order. `guarded`: 0, or which of the two is no
 * conditional, and becomes one side of one like the other (guard.c). */
enum { CSC_FIRST_GUARDED = 1, CSC_SECOND_GUARDED };
struct csc_pair {
    uint32_t x, y, place, guarded;
    bool exchanged; /* y's sides have to change places first */
};
typedef VEC(struct csc_pair) csc_pairs;

/* `block` leads to `body` by edge `side`, always, and never to `next`, which is behind it. */
struct csc_guard {
    uint32_t block, body, next, side;
};

struct csc_node {
    ir_ref ins;
    uint8_t arm;      /* 0: of those for whom the condition holds, 1: of the others */
    uint32_t kind;    /* of instructions that may be one; CSC_NONE: it stays its arm's */
    uint32_t rank;    /* among its arm's nodes of the kind */
    uint32_t partner; /* node of the other arm, or CSC_NONE */
    uint32_t weight;  /* cycles */
    uint32_t uses;    /* as an operand in its arm */
    uint32_t stage;
};

/* T(i, j) of node i of arm 0 and j of arm 1, both of one kind: cycles, in 1/CSC_UNIT, that matching the
 * graphs of their operands saves, less the copies that renaming takes. Of a kind with too many pairs there
 * are those of nodes with about the same rank. */
struct csc_kind {
    uint32_t count[2], first, width;
    u32_vec nodes[2];
};
struct csc_table {
    VEC(struct csc_kind) kinds;
    int32_t *at;
    bool cut;
};

/* What a warp takes for the function in the model. */
struct csc_weight {
    uint64_t cycles, instructions;
    uint32_t loops, epochs; /* outermost loops; iterations of them that this is for */
    bool runs;              /* else all is 0: it is no kernel, or there is nothing to run */
    bool launched;          /* somebody has said how it is launched */
    bool guessed, cut; /* branches were drawn; a limit was reached, maybe elsewhere than for other code */
};

/* What a profile says of a block. */
struct csc_counts {
    bool counted, runs;
    double divergence; /* of the times that warps come to its branch, the most in which they go both ways */
};

/* All for one pass over a function; analyses are of the function as it was when the round began. */
struct csc {
    struct opt_context *c;
    struct ir_function *f;
    const uint64_t *functions; /* cycles of a call of each */
    struct arena *arena;       /* of the round */
    uint32_t *number;          /* by instruction: its node's number plus 1, or 0 */
    uint32_t *row;             /* by instruction with effects: its row in pdg, plus 1 */
    uint32_t instructions;     /* that the two have room for */
    const struct ir_pdg *pdg;  /* NULL: no arm of the round has effects */
    struct opt_renaming renaming;
    u32_vec emptied; /* blocks that are empty now */
    VEC(struct csc_copy) copies;
    u32_vec dropped;              /* parameters whose blocks have lost them */
    u32_vec branches;             /* blocks whose branches the pass has made */
    struct map owner;             /* parameter of a gathering block -> the arm that reads it, or CSC_BOTH */
    struct map assumed;           /* while pairs of blocks are weighed: value of arm 0 -> that of arm 1 that
                                 would be one with it */
    uint32_t root;                /* the branch at work, of the function as it was */
    struct map outside;           /* (x, y) from before it -> the value that is x in arm 0 and y in arm 1 */
    bool melded;                  /* more has changed than landings, which are gone again */
    bool modelled;                /* the model has run */
    uint64_t *executions;         /* of blocks by a warp, in a model of the function as it was (model.c) */
    uint32_t execution_count;     /* blocks that there are; 0: nothing is known */
    struct csc_counts *counts;    /* by block, of the function as it was, by a profile; NULL: there is none */
    uint32_t count_count;         /* blocks that there are */
    VEC(struct csc_guard) guards; /* of the branch at work */
    u32_vec landings;             /* blocks that landing.c has made */
    struct map exchanged;         /* blocks whose branches have exchanged their sides */
    bool switches;                /* switches may become tests */
    u32_vec tested;               /* operands of the switches that became tests */
    struct csc_weight before;     /* of the function as it was */
    uint32_t reported;            /* limits whose remark has been given: bits by opt_limit */
    uint64_t work;                /* pairs of instructions that may still be compared */
};

struct csc_arms {
    struct csc *p;
    uint32_t branch, block[2]; /* branch IR_NO_BLOCK: one that would be made */
    ir_ref condition;
    VEC(struct csc_node) nodes; /* arm 0's in their order, then arm 1's; terminators are none */
    uint32_t first;             /* the first of arm 1 */
    struct rows before, after;  /* of each node: what has to come before it, or after */
    bool hoist_only;            /* equal graphs alone are wanted, before the branch */
    bool communicates;          /* an arm has convergent operations */
    bool same_end;              /* both end in the same jump, or branch, to the same blocks */
    struct csc_table table;
    /* the schedule: */
    u32_vec order;                   /* nodes as they are executed; of a pair that of arm 0 */
    bool flat;                       /* no branch is left */
    uint32_t pairs, saved, overhead; /* cycles of pairs; of copies and branches */
};

/* ---- arms.c, match.c ----------------------------------------------------------------------------- */

/* Asks for the rows of memory dependences, before anything is changed in a round whose arms have effects. */
void csc_find_dependences(struct csc *p);
/* Whether nothing but one edge of the branch, and blocks behind it, leads to block b. */
bool csc_is_arm(struct csc *p, uint32_t branch, uint32_t b);
/* Whether the block has convergent operations or predictions. */
bool csc_communicates(const struct ir_function *f, uint32_t b);
/* Whether some block that `entry` dominates does: then blocks behind it correspond to none. */
bool csc_arm_communicates(struct csc *p, uint32_t entry);
/* The nodes and dependences of two blocks as the arms of a branch; IR_NO_BLOCK: an empty one. False: something
 * in them must not be separated, reported in a remark. Their nodes are numbered, in either case, until
 * csc_arms_forget. */
bool csc_arms_new(struct csc *p, uint32_t branch, const uint32_t block[2], ir_ref condition,
                  struct csc_arms *a);
void csc_arms_forget(struct csc_arms *a);
/* Builds the table, and takes pairs from it, those first that save most, each with its operands'. O(entries),
 * which are taken from p->work. */
void csc_match(struct csc_arms *a);
/* Prints T(i, j), with a star at the pairs that were taken; 24 columns at most. */
void csc_print_table(const struct csc_arms *a);
/* Whether x in arm 0 and y in arm 1 are one value, or would be. */
bool csc_is_same(struct csc *p, ir_ref x, ir_ref y);
/* Whether the value is there before the branch at work. */
bool csc_is_outside(const struct csc *p, ir_ref r);
/* T(i, j), or INT32_MIN if it is not in the table. */
int32_t csc_profit(const struct csc_arms *a, uint32_t i, uint32_t j);
/* Cycles that accesses i and j to global or constant memory take longer together than each alone: those of one
 * more transaction, unless they touch the same memory. */
uint32_t csc_segments(struct csc_arms *a, uint32_t i, uint32_t j);
/* How the operands of pair (i, j) are matched: of commutative operations maybe the second's other way round.
 */
void csc_operands(struct csc_arms *a, uint32_t i, uint32_t j, ir_ref *x, ir_ref *y, uint32_t n);

/* ---- distance.c ---------------------------------------------------------------------------------- */

/* Whether the address x in arm 0 is as far from y in arm 1 for all threads; then, by how many bytes. */
bool csc_find_distance(struct csc *p, ir_ref x, ir_ref y, int32_t *distance);

/* ---- schedule.c ---------------------------------------------------------------------------------- */

/* Puts each node in a stage, and finds what it costs and saves; pairs that cross, and those of stages that do
 * not pay, are split. Linear for each time that this happens. */
void csc_schedule(struct csc_arms *a);

/* ---- bill.c -------------------------------------------------------------------------------------- */

/* What the stages of a schedule save, and what the copies of their pairs cost. */
struct csc_bill {
    struct csc_arms *a;
    uint64_t *saved, *copies; /* by stage */
    struct map renamed;       /* pairs of values that are one operand now */
};
/* Whether the node is executed by its arm alone. */
bool csc_is_own_stage(const struct csc_node *n);
/* The last stage of the arms alone: where their branches are. */
uint32_t csc_last_own_stage(const struct csc_arms *a);
/* Fills the bill for its arms, and their pairs, saved, overhead and flat. Linear, but for what
 * csc_shared_parameters takes. */
void csc_make_bill(struct csc_bill *b);

/* ---- model.c ------------------------------------------------------------------------------------- */

/* Runs the model of the function, before anything but landings is changed, when it is first asked for. */
void csc_find_divergence(struct csc *p);
/* Runs the model of the function as it is, for about CSC_EPOCHS if the first one was cut. */
struct csc_weight csc_weigh(struct csc *p);
/* Whether no lane of the model comes to the branch, though that has run to its end. */
bool csc_is_cold(const struct csc *p, uint32_t branch);
/* Whether lanes of the model come to the block, of which no profile tells. */
bool csc_is_run(const struct csc *p, uint32_t b);
/* Whether the model tells of the branch. */
bool csc_is_known(const struct csc *p, uint32_t branch);
/* Cycles that a warp saves each time it comes to the branch, if it saves so many when its threads come to
 * both blocks of the pair, and pays so many when some come to one. Before the model has run: the most that it
 * could tell, which is 0 or more. */
int64_t csc_expected(struct csc *p, uint32_t branch, struct csc_pair q, uint64_t saved, uint64_t overhead);

/* ---- trial.c ------------------------------------------------------------------------------------- */

/* The pass's rounds, over a function as it was at first; whether they have changed it. */
typedef bool csc_rounds(struct csc *p);
/* Runs them, and puts the function back if the model says that it got worse; whether it is changed. */
bool csc_try(struct csc *p, csc_rounds *run);

/* ---- pairs.c ------------------------------------------------------------------------------------- */

typedef VEC(struct opt_remark_pair) csc_remark_pairs;
/* The pairs of the schedule: those that are hoisted, split, sunk. */
csc_remark_pairs csc_list_pairs(const struct csc_arms *a, struct arena *arena);
/* For a remark: how many are hoisted, split and sunk, and which, by their places. */
const char *csc_name_pairs(const struct csc_arms *a);

/* ---- motion.c ------------------------------------------------------------------------------------ */

/* Parameters of the arms' blocks become what their only edges give them. */
void csc_drop_parameters(struct csc_arms *a);
/* Makes the stages' code. Values of one arm that it uses in a later stage do not dominate that any more: the
 * caller repairs the SSA form, when it has made all renamings. */
void csc_move(struct csc_arms *a);

/* ---- correspond.c -------------------------------------------------------------------------------- */

/* Pairs of blocks that correspond in the arms of a branch, each block in one at most; none: it does not pay.
 * O(n^2) pairs of blocks for each level of nesting, n: at most the limit csc_elements. */
csc_pairs csc_correspond(struct csc *p, uint32_t branch);
/* Cycles that arms of the branch save that begin with blocks x and y. */
int32_t csc_common(struct csc *p, uint32_t branch, uint32_t x, uint32_t y);

/* ---- switches.c ---------------------------------------------------------------------------------- */

/* Makes chains of tests of divergent switches whose targets have operations in common. */
bool csc_split_switches(struct csc *p);
/* Makes switches again of what is left of such chains: tests next to each other whose paths meet in one
 * block. Linear. */
void csc_join_tests(struct csc *p);

/* ---- decided.c ----------------------------------------------------------------------------------- */

/* Leads edges straight on whose next branch asks what they have decided, and gives them what a select there
 * would choose. Linear. */
void csc_pass_decided(struct csc *p);

/* ---- guard.c ------------------------------------------------------------------------------------- */

/* The side of the conditional that is not empty, if the other one is; else CSC_NONE. */
uint32_t csc_guarded_side(struct csc *p, uint32_t conditional);
/* Makes the block of the pair that is none a side of a conditional, which takes its place in the pair. */
void csc_make_guard(struct csc *p, struct csc_pair *q);
/* The edges to a block, those of guards included. */
opt_edges csc_edges_to(struct csc *p, uint32_t block);
/* Whether the block is a guard that never takes its edge e. */
bool csc_is_never(const struct csc *p, uint32_t block, uint32_t e);

/* ---- exchange.c ---------------------------------------------------------------------------------- */

/* Whether the sides of the block's branch have not been exchanged yet. */
bool csc_may_exchange(const struct csc *p, uint32_t block);
/* Exchanges the sides of branches where a pair asks for that; false: none does. The SSA form stays, no path
 * changes. O(instructions) if one does. */
bool csc_exchange_sides(struct csc *p, const csc_pairs *pairs);

/* ---- landing.c ----------------------------------------------------------------------------------- */

/* Gives arms that end in several edges a last block. O(edges) beside analyses. */
void csc_make_landings(struct csc *p);
/* Takes those out that are empty. */
void csc_drop_landings(struct csc *p);

/* ---- gather.c ------------------------------------------------------------------------------------ */

/* By parameter of y: the place of the parameter of x, of the same type and as like as may be, that it shares
 * one with, or CSC_NONE. O(parameters^2). */
u32_vec csc_shared_parameters(struct csc *p, uint32_t x, uint32_t y);
/* Leads all edges to x and to y through a new block, which branches to them on the condition. */
uint32_t csc_gather(struct csc *p, struct csc_pair q, ir_ref condition);

#endif
