/* tune.h: what kernc tune has found out, and how it is shown (tune_results.c). */
#ifndef KERNC_DRIVER_TUNE_H
#define KERNC_DRIVER_TUNE_H

#include "driver/launch.h"
#include "driver/progress.h"

/* One prediction. Thresholds: 0 stands for all threads, KERNC_THRESHOLD_OFF for none: the prediction is left
 * out. */
struct tuned {
    kernc_prediction at; /* .threshold: as the source says */
    const char *label;   /* what it names, or what the compiler's is to name */
    place from, to;      /* where the statement stands, or is to, and the label; no line: it needs none */
    const char *within;  /* the function of `from`, and how the kernel comes there; NULL: it is a kernel */
    const char *callee;  /* the label is in this function, which no label of another can name; or NULL */
};

/* One launch, with a threshold for each prediction; NULL: without predictions. */
struct tune_run {
    uint32_t *thresholds;
    uint32_t blocks; /* of the measured launch that ran; 0: all */
    bool is_final;   /* of a sample: its thresholds were chosen to be run on the whole grid */
    kernc_metrics metrics;
    double value; /* of the metric that is tuned */
};

struct tuning {
    struct command *command;
    kernc_options options;
    struct text text; /* of the file */
    const struct source *source;
    const char *kernel; /* those that are measured, "a, b" */
    uint32_t warp;
    const char *metric; /* a key of kernc-metrics.def */
    bool large;         /* large values are good */
    uint64_t most_runs;
    uint64_t finalists;     /* of a sample's candidates that are run whole */
    uint32_t sample;        /* blocks of the grid on which the search ran; 0: all. Before: as --sample says */
    bool own_sample;        /* --sample was given */
    uint32_t blocks;        /* of the measured launch that now run; 0: all */
    bool finds;             /* the compiler looks for predictions */
    bool stopped;           /* most_runs were made, or a signal came, and more would have been */
    kernc_result *compiled; /* as the source says; it keeps `source` */
    struct run first;       /* as the source says. Kept open: the others are to leave the same bytes */
    struct run sampled;     /* the same on the sample */
    VEC(struct tuned) predictions;
    VEC(struct tune_run *) runs; /* in the order of the launches, which begin with these two */
    const struct tune_run *written, *best;
    struct tune_run *none;
    bool watched; /* progress is on */
    const struct tune_run *
        *without; /* by prediction: the best but for this one's, which is the source's; NULL: the
                     launch was not made */
};

/* How much better the run is than another, as a part of the other's value. */
double tune_gain(const struct tuning *x, const struct tune_run *run, const struct tune_run *than);
/* tune_places.c: fills in label, places and functions of the predictions. EXIT_OK, or what it has said. */
int tune_find_places(struct tuning *x);

/* The table, unless --json takes its place on standard output, and the file. EXIT_OK or EXIT_INPUT. */
int tune_show(const struct tuning *x);

#endif
