/* detect_predictions.h: what the two files of automatic detection share. */
#ifndef KERNC_OPT_DETECT_PREDICTIONS_H
#define KERNC_OPT_DETECT_PREDICTIONS_H

#include "opt/cost/cost.h"
#include "opt/pass.h"

enum {
    DETECT_MARGIN = 5,         /* per cent of the cycles that a prediction has to save */
    DETECT_FOUND = UINT32_MAX, /* number of a prediction that the source does not have */
};

struct candidate {
    bool merge;                  /* loop merge, or iteration delay */
    uint32_t label, start, nest; /* blocks; the outermost cycle around the label. start: IR_NO_BLOCK: there is
                                    no place for a Predict, or it was not looked for */
    bool at_loop;                /* the label would be in front of a loop, where no block is for it */
    uint32_t number, threshold;  /* of the source's prediction, or DETECT_FOUND; 0: it names none */
    uint64_t idle;               /* cycles of the warp that lanes wait while others run the label's part: no
                                    more can be saved */
    place at;
};
struct detection {
    struct opt_context *c;
    struct ir_function *f;
    struct arena *arena;
    const struct ir_cfg *cfg;
    const struct ir_dominators *dominators, *post;
    const struct ir_cycles *cycles;
    const struct ir_uniformity *u;
    const struct cost_sample *sample;
    struct cost_figures plain; /* without predictions */
    double *further;           /* by block: cycles of segments that a lane's visit adds to another's */
    VEC(struct candidate) all;
    struct bitset users; /* by cycle: outermost ones with predictions of the source */
};

/* The outermost cycle with the block, or IR_NO_CYCLE. */
uint32_t detect_outermost(const struct ir_cycles *cycles, uint32_t b);
/* Blocks from which the label can be reached without passing the start. */
struct bitset detect_region(const struct detection *d, uint32_t start, uint32_t label);
/* A convergent operation between the start and the region's exit, whose threads would be others, or 0. Of the
 * start's block the end alone counts. *endless: threads never reconverge behind the region. */
ir_ref detect_obstacle(const struct detection *d, const struct candidate *k, bool *endless);
/* Reports that the function has a prediction that the compiler found (thresholds.c). */
void detect_report(const struct detection *d, struct opt_prediction_name name);
/* Whether it is not to be put there (thresholds.c). */
bool detect_left_out(const struct detection *d, struct opt_prediction_name name);
/* Whether lanes wait long enough for a prediction to pay. */
bool detect_is_idle(const struct detection *d, const struct candidate *k);
/* Fills in `all`, those that may save most first. */
void detect_candidates(struct detection *d);

#endif
