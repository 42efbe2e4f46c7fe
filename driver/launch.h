/* launch.h: one launch as kernc run makes it: the file's directive, overridden by flags; its buffers; its
 * outputs. */
#ifndef KERNC_DRIVER_LAUNCH_H
#define KERNC_DRIVER_LAUNCH_H

#include "backend/warpcore/image.h"
#include "driver/driver.h"

struct launch_buffer { const struct be_param *param; kernc_buffer *buffer; };
struct run {
    struct command       *command;
    const struct source  *source;       /* for messages about the directive; NULL: the input was no source */
    int                   level;        /* of optimisation; -1: the input was compiled before */
    kernc_context        *context;
    kernc_module         *module;
    kernc_kernel         *kernel;
    const struct be_param *params;      /* of the kernel */
    uint32_t              param_count;
    const struct launch  *directive;    /* NULL: the file has none for this kernel */
    struct launch         launch;       /* what holds in the end */
    kernc_launch          api;          /* the same for kernc_run */
    VEC(kernc_argument)   arguments;
    VEC(struct launch_buffer) buffers;
    uint64_t              max_memory;
    bool                  quiet;        /* what the kernel prints is dropped */
    struct text           trace;        /* of the launch */
};

/* Each returns EXIT_OK, or another exit code after having said what is wrong. */
int launch_read_flags(struct run *r);        /* what can be said without the program */
int launch_choose_kernel(struct run *r);
int launch_merge(struct run *r);             /* fills in from the directive; flags name existing parameters */
int launch_make_arguments(struct run *r);    /* creates and fills the buffers */
/* run.c: a context with the program (a .kbc or .wcb file's bytes) and all that the launch needs; the context
 * is the caller's in any case. */
int launch_open(struct run *r, const void *program, size_t n);
int launch_open_compiled(struct run *r, kernc_result *compiled);
int trace_read_flags(struct run *r);         /* trace.c */
int trace_write(struct run *r);              /* if there is one; its memory is freed */
int launch_write_outputs(struct run *r);     /* shows and saves, after the launch */

#endif
