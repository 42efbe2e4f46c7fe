/* compare.h: what kernc compare has found out, and how it is shown (compare_results.c). */
#ifndef KERNC_DRIVER_COMPARE_H
#define KERNC_DRIVER_COMPARE_H

#include "driver/launch.h"

struct row {
    enum scheme scheme;
    unsigned level;
    uint32_t warp;
    bool equal;
    kernc_status status;
    const char *error;      /* NULL: the launch went well */
    const char *difference; /* from the reference; NULL: none */
    kernc_metrics metrics;
    bool is_image; /* of a scheme of the warp-core machine */
    kernc_image_figures image;
    bool is_code; /* of bytecode that the scheme's own passes made */
    kernc_figures figures;
};

/* A scheme without a row. code EXIT_OK: the kernel is not for its machine, which has not what it uses, or under
 * which it traps; else the row could not be made, which is how compare exits. */
struct left_out {
    enum scheme scheme;
    const char *why;
    int code;
};

/* The reference scheme at the first level. Its run is kept open: others are compared with its buffers. */
struct reference {
    struct run run;
    struct row row;
};

struct comparison {
    struct command *command;
    kernc_options options;
    struct text text; /* of the file */
    const char *kernel;
    scheme_list schemes;
    bool named; /* the user named the schemes: none is left out silently */
    VEC(unsigned) levels;
    uint32_t warp;                  /* of schemes that have no width of their own */
    struct reference references[2]; /* by width: `warp`, and that of the warp-core machine */
    VEC(struct row) rows;
    struct row running; /* whose launch began last */
    VEC(struct left_out) left_out;
};

void compare_show_table(struct comparison *x); /* for people */
/* The table, unless a file takes its place on standard output, and the files. EXIT_OK or EXIT_INPUT. */
int compare_show(struct comparison *x);

#endif
