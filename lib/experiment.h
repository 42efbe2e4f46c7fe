/* experiment.h: a compiled program, launched and measured: what the verbs that run kernels share.
 *
 * The caller says what it wants in the first group of fields, opens the experiment with the bytes that
 * kernc_compile made, runs it, and closes it. The file's launch directive gives what the caller leaves open.
 */
#ifndef KERNC_LIB_EXPERIMENT_H
#define KERNC_LIB_EXPERIMENT_H

#include "backend/format/interface.h"
#include "base/launch.h"
#include "include/kernc.h"

struct experiment_buffer { const struct be_param *param; kernc_buffer *buffer; };

/* Why it could not be opened. `of_launch`: what is to be launched is wrong, not the program; with `param`,
 * the text is about that argument's value. */
struct experiment_problem {
    kernc_status status;
    const char *text;
    bool of_launch;
    const struct be_param *param;
    const struct launch_value *value;
};

struct experiment {
    struct arena *arena;                /* the caller's: names, texts and lists live there */
    const char *input;                  /* the program's name in messages */
    const char *kernel_name;            /* NULL: the first directive's, or the only one */
    struct launch launch;               /* sizes of 0 and what is not named: the directive's */
    bool own_outputs;                   /* the directive's outputs do not count */
    kernc_launch api;                   /* scheme, warp (0: the program's own), threads, fuel, … */
    uint64_t max_memory;                /* bytes of a buffer, and of the context */
    kernc_output_function *print;       /* gets what the kernel prints; NULL: nobody does */
    VEC(const char *) libraries;

    kernc_context *context;             /* what experiment_open makes; freed by experiment_close */
    kernc_module *module;
    kernc_kernel *kernel;
    const struct be_param *params;      /* of the kernel */
    uint32_t param_count;
    const struct launch *directive;     /* NULL: the file has none for this kernel */
    VEC(kernc_argument) arguments;
    VEC(struct experiment_buffer) buffers;
    struct experiment_problem problem;
};

/* Loads the program (the bytes of a .kbc or .wcb file), chooses the kernel, fills in `launch` and makes the
 * buffers. False: `problem` says why; the experiment is to be closed all the same. */
bool experiment_open(struct experiment *x, const void *program, size_t n);
/* Launches the kernel; the buffers keep what it leaves. *statistics (to be freed by the caller) if not
 * NULL. */
kernc_status experiment_run(struct experiment *x, kernc_statistics **statistics);
/* Frees what experiment_open made, also where that failed. */
void experiment_close(struct experiment *x);

/* The launch's argument of this name; NULL: there is none. */
const struct launch_argument *experiment_argument(const struct experiment *x, const char *name);
/* How many launch directives the program has. */
uint32_t experiment_directives(const struct experiment *x);
/* NULL: the kernel has no such parameter; or it is no pointer. */
const struct be_param *experiment_parameter(const struct experiment *x, const char *name);
/* The buffer of this argument; NULL: there is none. */
const struct experiment_buffer *experiment_buffer(const struct experiment *x, const char *name);

/* Where the buffers of two experiments with equal launches differ: the parameter, and the element's index.
 * NULL: nowhere. */
const struct be_param *experiment_difference(const struct experiment *x, const struct experiment *y,
                                             size_t *element);

#endif
