/* detect_predictions.h: what the files of automatic detection share. */
#ifndef KERNC_OPT_DETECT_PREDICTIONS_H
#define KERNC_OPT_DETECT_PREDICTIONS_H

#include "opt/cost/cost.h"
#include "opt/pass.h"

enum {
    DETECT_WARPS = 4,          /* of a launch that are sampled, at most */
    DETECT_OTHERS = 16,        /* that confirm what these say, at most */
    DETECT_ALL = 0,            /* a threshold: all that may come wait */
    DETECT_TRIED = 65,         /* a threshold that no source has: that which is tried */
    DETECT_FOUND = UINT32_MAX, /* number of a prediction that the source does not have */
};

enum pattern { DETECT_DELAY, DETECT_LOOPS, DETECT_WAYS };

struct candidate {
    enum pattern pattern;        /* iteration delay, loop merge, or ways that lead to one block */
    uint32_t label, start, nest; /* blocks; the outermost cycle around the label, or IR_NO_CYCLE. start:
                                    IR_NO_BLOCK: there is no place for a Predict, or it was not looked for */
    bool at_loop;                /* the label would be in front of a loop, where no block is for it */
    uint32_t number, threshold;  /* of the source's prediction, or DETECT_FOUND; 0: it names none */
    uint64_t idle;               /* cycles of the warp that lanes wait while others run the label's part: no
                                    more can be saved */
    place at;
};
/* Cycles of a code on the model's warps, added up: at[i] of the first i + 1. UINT64_MAX: not found out. */
struct cycle_sums {
    uint64_t at[DETECT_WARPS];
    uint32_t warps; /* that have run */
    bool far;       /* the last of these reached its bound */
};
/* What a prediction costs in the model. */
struct weighed {
    struct cycle_sums sums; /* with it */
    uint64_t with, without; /* cycles of the warps that have run */
    uint64_t own;           /* of all warps with the source's threshold, where there is one of the source */
    uint32_t threshold;
    bool chance; /* other warps do not confirm it */
    bool risky;  /* it costs if what is not known is otherwise */
};
struct detection {
    struct opt_context *c;
    struct ir_function *f;
    struct arena *arena;
    const struct ir_cfg *cfg;
    const struct ir_dominators *dominators, *post;
    const struct ir_cycles *cycles;
    const struct ir_uniformity *u;
    const uint64_t *functions;                      /* the analysis costs */
    struct cost_hints hints;                        /* of the warp that stands for all */
    const struct cost_sample *sample[DETECT_WARPS]; /* warps of the launch */
    const struct cost_sample *other[DETECT_OTHERS], *guess[COST_GUESSES]; /* once they are asked for */
    uint32_t others, others_tried;
    uint64_t budget;       /* of the sample of each */
    uint32_t shares;       /* warps among which limits are divided */
    uint32_t warps, lanes; /* 0: not modelled; of one, at least 1 */
    uint32_t margin;       /* per cent that a prediction has to save */
    bool guessed;
    bool has_places;           /* for predictions; if it has none, the model runs for remarks alone */
    bool screened_out;         /* some lanes of each warp say that no prediction pays */
    struct cost_code *code;    /* as it stands, with the source's predictions alone */
    struct cost_figures plain; /* of that */
    struct cycle_sums sums;    /* its cycles */
    uint32_t parts;            /* the warps of the model are parts, so many of one; 1: they are whole */
    VEC(struct candidate) all;
    VEC(struct candidate) taken; /* found, each with its threshold: all code that is tried has them */
    struct bitset users;         /* by cycle: outermost ones with predictions of the source */
    struct bitset hopeless;      /* by block: labels that save nothing */
};

/* ---- the model (sampled_warps.c) --------------------------------------------------------------------- */

/* Several warps, where they are not too long; or the middle one of them; or a part of it, by which a prediction
 * has to save more. Where some lanes of several say already that no prediction pays, no more than these. */
void detect_model(struct detection *d);
/* The cycles of these warps in the code; UINT64_MAX: not found out. */
uint64_t detect_cycles(const struct detection *d, const struct cost_code *code,
                       const struct cost_sample *const *warps, uint32_t count);
/* The cycles of the model's warps, up to the first that reaches its bound. bounds: NULL: all warps run. */
struct cycle_sums detect_sums(const struct detection *d, const struct cost_code *code,
                              const struct cycle_sums *bounds);
/* Figures of the code with what was taken: `code`, `plain`, `sums`. */
void detect_measure(struct detection *d);
/* Whether the code saves as much on other warps across the grid, where these are short; and does not cost the
 * warp that stands for all if what is not known is otherwise. */
bool detect_confirmed(struct detection *d, const struct cost_code *code);
bool detect_is_risky(struct detection *d, const struct cost_code *code);
/* Whether `loses` says so of figures of the code as it stands: of other warps together, or of each part if the
 * model has parts of warps; or of the warp that stands for all if what is not known is otherwise. */
bool detect_any_loses(struct detection *d,
                      bool (*loses)(const void *data, const struct cost_figures *figures), const void *data);
/* The sum; UINT64_MAX, which is no number of cycles, if that is too small. */
static inline uint64_t detect_plus(uint64_t a, uint64_t b)
{
    return a < UINT64_MAX - b ? a + b : UINT64_MAX;
}
/* Whether `with` is so many per cent of `without` less than that, or more. */
static inline bool detect_is_less(uint64_t with, uint64_t without, uint32_t per_cent)
{
    return with < without && (without - with) * 100 >= without * per_cent;
}
/* Whether so many cycles are so many fewer that it is worth it. */
static inline bool detect_saves(const struct detection *d, uint64_t with, uint64_t without)
{
    return detect_is_less(with, without, d->margin);
}
/* What a model says that does not run to its end may be of the function's begin alone. */
void detect_tell_model(const struct detection *d);
/* What is said of a warp is the mean. */
static inline unsigned long long detect_of_a_warp(const struct detection *d, uint64_t cycles)
{
    return cycles / d->warps;
}

/* ---- predicated arms (predicate_arms.c) -------------------------------------------------------------- */

/* Whether whole warps would take more predicated arms than the parts of them do that were screened. */
bool detect_needs_whole_warps(struct detection *d);
/* Marks the branches whose arms are predicated, once predictions have been found. Whether there are any. */
bool detect_predicated_arms(struct detection *d);

/* ---- weighing (weigh_prediction.c, detect_predictions.c) --------------------------------------------- */

/* best: of another one of the nest: the candidate is not weighed further if it takes far more; NULL: there is
 * none. */
struct weighed detect_weigh(struct detection *d, const struct candidate *k, const struct weighed *best);
/* Whether it saves anything on the model's warps; others are not asked. */
bool detect_saves_something(const struct detection *d, const struct candidate *k);
/* Whether a candidate for which so much is lost saves something there, or one of the source is to be weighed
 * (detect_predictions.c). */
bool detect_is_promising(struct detection *d, uint32_t per_cent);

/* ---- candidates (prediction_candidates.c, try_prediction.c, thresholds.c) ---------------------------- */

/* The outermost cycle with the block, or IR_NO_CYCLE. */
uint32_t detect_outermost(const struct ir_cycles *cycles, uint32_t b);
/* Blocks from which the label can be reached without passing the start. */
struct bitset detect_region(const struct detection *d, uint32_t start, uint32_t label);
/* A convergent operation between the start and the region's exit, whose threads would be others, or 0. Of the
 * start's block the end alone counts. *endless: threads never reconverge behind the region. */
ir_ref detect_obstacle(const struct detection *d, const struct candidate *k, bool *endless);
/* The code with a prediction and this threshold, or without one; NULL: none (try_prediction.c). */
struct cost_code *detect_code(const struct detection *d, const struct candidate *with,
                              const struct candidate *without, uint32_t threshold);
/* Puts what was found into the function; the threshold of the source's. */
void detect_insert(struct ir_function *f, const struct candidate *k, struct opt_prediction_name name,
                   uint32_t threshold);
void detect_set_threshold(struct ir_function *f, uint32_t number, uint32_t threshold);
/* Reports that the function has a prediction that the compiler found (thresholds.c). */
void detect_report(const struct detection *d, struct opt_prediction_name name);
/* Whether it is not to be put there (thresholds.c). */
bool detect_left_out(const struct detection *d, struct opt_prediction_name name);
/* Whether lanes wait long enough for a prediction to pay. */
bool detect_is_idle(const struct detection *d, const struct candidate *k);
/* Fills in `all`, those that may save most first. */
void detect_candidates(struct detection *d);

#endif
