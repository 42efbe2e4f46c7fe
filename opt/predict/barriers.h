/* barriers.h: placing convergence barriers ("Speculative Reconvergence", sections 4.1 to 4.6). Shared by the
 * files of the pass place_barriers, and private to them.
 *
 * A *prediction* is a label, or a function, at which threads are to reconverge although not all of them are
 * sure to come there; its *region* begins behind each Predict and has the points from which a wait of the
 * prediction can still be reached without passing a Predict of the same again (equation 2). All threads of the
 * region reconverge at the nearest post-dominator outside of it, its *exit*; the blocks on the way there are
 * its *area*, where threads that control flow keeps together otherwise may be separated.
 */
#ifndef KERNC_OPT_BARRIERS_H
#define KERNC_OPT_BARRIERS_H

#include "ir/analysis/barrier_flow.h"
#include "ir/analysis/dataflow.h"
#include "opt/pass.h"

enum { BARRIER_NO_FUNCTION = UINT32_MAX };

/* One start of a prediction's region: a predict, and what is behind it. */
struct barrier_start {
    ir_ref predict, join; /* join: once it is placed */
    uint32_t block, exit; /* exit: IR_NO_BLOCK: the kernel's end */
    uint32_t gate;        /* where threads join the exit's barrier, together; IR_NO_BLOCK: they need none */
};

struct barrier_prediction {
    uint32_t function;       /* predicted, or BARRIER_NO_FUNCTION: a label is */
    uint32_t reg, threshold; /* threshold 0: all wait */
    place at, to;            /* of the first start; of the label */
    bool is_inherited;       /* from callers: its region is the whole function */
    bool is_idle;            /* no thread comes from any start to the label */
    VEC(struct barrier_start) starts;
    u32_vec points;             /* ir_refs: predict.point; of a function, the calls that lead there */
    struct bitset region, area; /* blocks with a point in it */
    struct bitset entered;      /* of the area: those that threads come to inside of it */
    u32_vec calls;              /* ir_refs: those in the area; of an inherited prediction all are */
    uint32_t size;              /* blocks of the region: smaller ones are waited at first */
};

/* Where threads wait for a prediction: a cb.wait, which ends its block but for a br, or a call that may lead to
 * the predicted function. */
struct barrier_wait {
    uint32_t prediction;
    ir_ref at;
};

struct barriers {
    struct opt_context *c;
    struct ir_module *m;
    struct ir_function *f;
    struct arena *arena;      /* of the function */
    const struct ir_cfg *cfg; /* as the function is now: barriers_look */
    const struct ir_dominators *dominators, *post;
    uint32_t *registers;    /* used so far in the module */
    uint32_t *of_function;  /* by function: the register of its entry, or UINT32_MAX: not predicted */
    struct bitset *leads;   /* by function: predicted functions that it may call, by others too */
    struct bitset steady;   /* functions whose threads must stay the same */
    struct bitset *blocked; /* of those in `leads`: by way of these */
    struct bitset blocked_by_pointer; /* the same of calls through pointers */
    struct bitset *inherited;         /* by function: predictions that it inherits (predict_calls.c) */
    struct bitset anchored;           /* see find_anchored; empty: not asked for */
    struct bitset *inheritable;       /* and those that it does if they are honoured, known before all are */
    VEC(struct barrier_prediction) predictions;
    VEC(struct barrier_wait) waits;
    u32_vec branch_joins;          /* ir_refs: joins for threads that diverge at the branch behind */
    const struct ir_ins *predicts; /* by function: the first Predict that names it */
    bool off;                      /* predictions are not honoured */
};

static inline ir_ref barriers_put(struct barriers *x, uint32_t block, ir_ref before, enum ir_op op,
                                  uint32_t reg, uint32_t threshold)
{
    struct ir_cursor at = {x->f, block, before, {0, 0}};
    ir_ref r = ir_emit0(&at, op, IR_TYPE_VOID);
    ir_at(x->f, r)->imm = reg;
    ir_at(x->f, r)->imm2 = threshold;
    return r;
}

/* Splits the block before `r` and lets the threads wait between both parts; the wait. */
ir_ref barriers_wait_before(struct barriers *x, ir_ref r, uint32_t reg, uint32_t threshold);
/* At the start of the block behind a wait. */
void barriers_rejoin_behind(struct barriers *x, ir_ref wait, uint32_t reg);
/* Where the threads of block b's branch wait for each other; IR_NO_BLOCK: nowhere. */
uint32_t barriers_point(const struct barriers *x, uint32_t b);
/* Whether nothing is left to do behind the start of block b: the kernel ends there. */
bool barriers_ends_kernel(const struct barriers *x, uint32_t b);
/* Finds cfg, dominators and post anew. */
void barriers_look(struct barriers *x);

/* predict_calls.c: of_function, leads, steady, blocked, inheritable, and what is inherited by pointers; how
 * many functions are predicted. */
uint32_t barriers_find_calls(struct barriers *x);
/* The same as if no function were predicted, without a look at the module. */
void barriers_without_functions(struct barriers *x);
/* Whether r may call the function predicted by `reg`; through_convergent: by way of functions whose threads
 * must stay the same. */
bool barriers_leads_to(const struct barriers *x, ir_ref r, uint32_t reg, bool *through_convergent);
/* Functions that are called in p's area, and may call the predicted one, inherit that. */
void barriers_hand_on(struct barriers *x, const struct barrier_prediction *p);
/* wrap_predicted.c: the name that the source gives a function which may be a wrapper. */
const char *barriers_source_name(struct arena *a, const struct ir_function *f);
/* What diagnostics call the target of a prediction: "label", or "function 'f'" (in the function's arena). */
const char *barriers_name(const struct barriers *x, const struct barrier_prediction *p);

/* Where the starts and points of one prediction stand. Positions in a block count from 1; 0: none. */
struct barrier_marks {
    uint32_t *position;                               /* by ir_ref */
    uint32_t *first_start, *first_point, *last_point; /* by block: positions */
    u32_vec marked;                                   /* the blocks with entries */
};
/* predict_region.c: positions, and no marks; valid until instructions move. */
struct barrier_marks barriers_marks(struct barriers *x);
/* Marks p, finds its region and area, drops starts from which no thread comes to a point. */
void barriers_find_region(struct barriers *x, struct barrier_marks *m, struct barrier_prediction *p);
/* predict_refuse.c: whether p, which is marked, can't be honoured; a warning has been given then. */
bool barriers_refuse(struct barriers *x, const struct barrier_marks *m, const struct barrier_prediction *p);
/* Whether r is a convergent operation whose threads a prediction could change where it stands: not if it is
 * directly behind the anchor that controls it. */
bool barriers_may_change(const struct ir_function *f, ir_ref r);
/* Finds the calls in p's area; p is marked. */
void barriers_find_area_calls(struct barriers *x, const struct barrier_marks *m,
                              struct barrier_prediction *p);
/* Gives loops in loops, where predictions begin, one block that leads in: a place for gates. */
void barriers_make_preheaders(struct barriers *x);
/* The gates of all starts of p; false: there is none for one, and a warning has been given. areas: those of all
 * predictions. */
bool barriers_find_gates(struct barriers *x, struct barrier_prediction *p, struct bitset areas);

/* predict.c: sections 4.1 and 4.4. Finds the predictions of the function, warns of those that can't be
 * honoured, and places their joins, waits and rejoins; predict and predict.point go. */
void barriers_predict(struct barriers *x);
/* thresholds.c: how many threads the prediction, which says `own`, is to wait for; and reports that it is
 * honoured in x->f. */
uint32_t barriers_threshold(const struct barriers *x, struct opt_prediction_name name, uint32_t own);
void barriers_report(const struct barriers *x, struct opt_prediction_name name, uint32_t threshold);
/* Whether detect_predictions has put it there: nobody is to be warned of it. */
bool barriers_is_found(const struct barriers *x, struct opt_prediction_name name);
/* pdom_barriers.c: joins at divergent branches, waits where their lanes reconverge, and at the exits of
 * regions. */
void barriers_post_dominators(struct barriers *x);
/* The last step: joins for threads that diverge become part of their branches. */
void barriers_join_by_branches(struct barriers *x);
/* predict_cancel.c, section 4.2.1: threads that leave a region without having waited cancel. */
void barriers_cancel(struct barriers *x);
/* Threads that take edge e of block `from`, which led to block `to`, cancel the register. Edges of a branch
 * that lead to one block with the same arguments are one side of it: they share a block, so that threads stay
 * together. split: empty at first, kept for all cancels of a function. */
void barriers_cancel_on_edge(struct barriers *x, struct map *split, uint32_t from, uint32_t e, uint32_t to,
                             uint32_t reg);
/* deconflict.c, section 4.3. */
void barriers_deconflict(struct barriers *x);
/* idle_barriers.c: removes the barriers of post-dominators where deconfliction has left nobody to wait for. */
void barriers_drop_idle(struct barriers *x);

/* ---- trials (place_barriers.c) ------------------------------------------------------------------------- */

/* Places the barriers of one function of the module, in a trial: nothing is reported. How many registers there
 * are. What predictions of functions make of it is left out. */
uint32_t barriers_place_in(struct opt_context *c, struct ir_module *m, struct ir_function *f);

/* Equations 1 and 2 over the function, calls of predicted functions included. Numbers of predictions come
 * first. (predict_cancel.c) */
struct ir_barrier_flow *barriers_flow(struct barriers *x);

/* ---- live ranges of predictions' barriers (live_ranges.c) ---------------------------------------------- */

struct barrier_range {
    uint32_t prediction, with; /* with: another Predict of the range, or itself */
};
struct barrier_ranges {
    VEC(struct barrier_range) starts; /* one for each Predict that is honoured */
    struct map of_join;               /* by ir_ref: the Predict whose threads join there */
    struct bitset *reach; /* by block: Predicts by which threads may be in barriers at its start */
    uint32_t count;       /* range numbers are less */
};
/* Of the function's Predicts, in x->arena; none where there are too many for the limit predict_work. */
struct barrier_ranges *barriers_find_ranges(struct barriers *x, const struct ir_barrier_flow *w);
/* The range that threads in barrier n just before r are in, if a wait for n is ahead of them: a number of its
 * own for each set of Predicts, else n: barriers of post-dominators and inherited ones have one. */
uint32_t barriers_range_at(const struct barriers *x, const struct ir_barrier_flow *w,
                           const struct barrier_ranges *ranges, ir_ref r, uint32_t n);

#endif
