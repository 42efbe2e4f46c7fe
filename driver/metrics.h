/* metrics.h: the statistics of a launch for people and for tools. */
#ifndef KERNC_DRIVER_METRICS_H
#define KERNC_DRIVER_METRICS_H

#include "base/diag.h"
#include "kernc-rt.h"
#include "launch/launch.h"

/* How the launch was made, beside the numbers. level < 0: not known (the input was bytecode). machine: on a
 * warp-core machine. */
struct launch_facts {
    const char *kernel, *scheme;
    int level;
    bool machine;
    const struct source *source;      /* NULL: the input was none */
    uint32_t warp, grid[3], block[3]; /* sizes of 0: of several launches */
    const struct launch *launch;      /* with all arguments, as they were used; NULL: a sum over several */
    uint32_t lanes;                   /* threads that a full warp of the launch has; 0: not the same in all */
    uint32_t number;                  /* among the file's launches, from 1; 0: it has none */
    uint64_t runs;                    /* how often it was launched */
    const kernc_context *checked;     /* whose alarms are to be listed; NULL: memory was not checked */
    const char *const *options;       /* as on the command line */
    size_t option_count;
};

/* The table that people read, with a heading line about the launch. */
void metrics_table(const struct launch_facts *l, const kernc_statistics *s, struct text *t);
/* "key": value, … of all metrics. */
void metrics_json_values(const kernc_metrics *m, bool machine, struct text *t);
/* ",key" of all metrics; ",value" of all, nothing behind the comma if it does not apply. */
void metrics_csv_keys(struct text *t);
void metrics_csv_values(const kernc_metrics *m, bool machine, struct text *t);
/* The metric's key as a word of the table's own; NULL: there is none of this name. *large: the larger, the
 * better. */
const char *metrics_find(const char *key, bool *large);
const char *metrics_keys(struct arena *a); /* "a, b, c" */
/* False: the metric does not apply. */
bool metrics_value(const kernc_metrics *m, bool machine, const char *key, double *value);
/* One metric in a column of a table for people; its name. */
void metrics_cell(const kernc_metrics *m, bool machine, const char *key, int width, struct text *t);
/* One object: "kernel", "scheme", "warp", "opt", "grid", "block", "source", "metrics", "instruction_mix",
 * "active_lanes", "branches", "lines", "places", "alarms", "version", "arguments", "options". What does not
 * apply is null. `count` not 0: of several launches, which "launches" lists with "number", "runs" and the rest
 * of the members but the last ones. */
void metrics_json(const struct launch_facts *l, const kernc_statistics *s, const struct launch_facts *each,
                  const kernc_statistics *const *statistics, uint32_t count, struct text *t);
/* Of one launch, without braces around: "metrics", "instruction_mix", "active_lanes", "branches", "lines". */
void metrics_json_members(const struct launch_facts *l, const kernc_statistics *s, struct text *t);
/* A row a source line; the line's text beside it if `source` is not NULL. */
void metrics_profile(const struct launch_facts *l, const kernc_statistics *s, const struct source *source,
                     struct text *t);

#endif
