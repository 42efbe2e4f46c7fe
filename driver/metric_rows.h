/* metric_rows.h: the metrics as rows, which tables, JSON and CSV list alike. */
#ifndef KERNC_DRIVER_METRIC_ROWS_H
#define KERNC_DRIVER_METRIC_ROWS_H

#include "driver/metrics.h"

enum form { NUMBER, PERCENTAGE, SECONDS };
struct metric {
    const char *key, *meaning;
    enum form form;
    bool applies;
    uint64_t count;
    double value;
};
#define METRIC(key, type, meaning) +1
enum {
    METRICS = 0
#include "kernc-metrics.def"
};

/* As kernc-metrics.def lists them; their number, METRICS. `machine`: of a warp-core machine. */
uint32_t metric_rows(const kernc_metrics *m, bool machine, struct metric *rows);
/* Active lanes of those that a warp of this launch has; below 0: the line has no instructions, or launches
 * have different warps. */
double lane_efficiency(const struct launch_facts *l, const kernc_line_metrics *m);

#endif
