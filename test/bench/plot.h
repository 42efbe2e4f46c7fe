/* plot.h: sweeps drawn as SVG: panels under each other over one axis of whole numbers. */
#ifndef KERNC_BENCH_PLOT_H
#define KERNC_BENCH_PLOT_H

#include "base/base.h"

#define PLOT_LINES 2

/* y[0] belongs to x = 1; finite, not negative */
struct plot_line {
    const char *name;
    const double *y;
};
struct plot_panel {
    const char *axis, *format; /* the quantity with its unit; how a value is printed, as "%.0f%%" */
    const char *base_name;     /* a dashed line to compare with, at `base` */
    double base;
    struct plot_line lines[PLOT_LINES]; /* their y on one scale; name NULL: there is none */
};
struct plot {
    const char *title, *axis;
    unsigned n; /* x goes from 1 to n; n > 1 */
    const struct plot_panel *panels;
    unsigned count;
};

/* Appends a whole SVG document. Each line's largest value is marked. */
void plot_svg(const struct plot *p, struct text *out);

#endif
