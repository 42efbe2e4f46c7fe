/* execution.h: a compiled program, launched and measured: what the verbs that run kernels share.
 *
 * The caller says what it wants in the first group of fields, opens the execution with the bytes that
 * kernc_compile made, runs it, and closes it. The file's directives give what the caller leaves open: they are
 * its plan, launches in order on buffers that live across them. Where the plan is one launch, it may be the
 * caller's alone.
 */
#ifndef KERNC_LIB_EXECUTION_H
#define KERNC_LIB_EXECUTION_H

#include "backend/format/interface.h"
#include "include/kernc.h"
#include "launch/launch.h"

/* `name`: the parameter's, or the named buffer's. `param`: it is made for this one; NULL: it is a named one.
 * `value`: what it is made of. */
struct execution_buffer {
    const char *name;
    enum launch_element element;
    uint32_t element_bytes;
    const char *layout; /* of structures (launch/layout.h), or NULL */
    kernc_buffer *buffer;
    const struct be_param *param;
    const struct launch_value *value;
};

/* Why it could not be opened, or stopped. `of_launch`: what is to be launched is wrong, not the program; with
 * `name`, the text is about the value of this argument or named buffer, whose type is `type`; `line`: of the
 * directive, 0: none. */
struct execution_problem {
    kernc_status status;
    const char *text;
    bool of_launch;
    const char *name, *type;
    const struct launch_value *value;
    uint32_t line;
    bool is_named;
};

/* A directive of the plan. */
struct execution_step {
    const struct launch *directive; /* NULL: the launch is the caller's alone */
    uint32_t number;                /* among the file's launches, from 1; 0: it has none, or is none */
    struct launch launch;           /* with what the caller says instead; all arguments */
    kernc_kernel *kernel;           /* NULL: this is no launch */
    const struct be_param *params;  /* of the kernel */
    uint32_t param_count;
    VEC(kernc_argument) arguments;
    VEC(struct execution_buffer) buffers; /* of the parameters that are pointers, in their order */
    uint64_t runs;
    bool chosen;                  /* the launch that launch_name, kernel_name or first_only chose */
    bool counted;                 /* its statistics are part of the sum */
    uint32_t sample;              /* blocks of it that run (kernc_launch.sample); 0: all */
    kernc_statistics *statistics; /* of all its runs, where they are wanted; the execution's */
};

/* What of the program runs, and what is given in place of what its directives say. */
struct execution_choice {
    const char *kernel_name; /* its first launch alone; NULL: the file's plan, or the only kernel */
    const char *launch_name; /* this launch alone: its number from 1, or its kernel's; or NULL */
    bool first_only;         /* the plan's first launch alone */
    bool earlier;            /* what stands before the chosen launch runs too, uncounted; of a repeat that
                                it stands in, all */
    struct launch launch;    /* sizes of 0 and what is not named: the directive's */
    bool own_outputs;        /* the directives' outputs do not count */
};

/* Functions of the caller; NULL: none is called. */
struct execution_hooks {
    kernc_output_function *print; /* gets what the kernel prints, beside print_user */
    void *print_user;
    void (*stepped)(void *user, const struct execution_step *step); /* behind each step that went well */
    void *stepped_user;
};

/* The step that runs, or where it stopped. */
struct execution_position {
    struct execution_step *step; /* NULL: none has begun */
    uint64_t round;              /* of the repeat that it stands in */
    bool repeating;              /* it stands in one */
    kernc_statistics *made;      /* by its launch, while `stepped` is called; NULL: none are wanted */
};

struct execution {
    struct arena *arena; /* the caller's: names, texts and lists live there */
    const char *input;   /* the program's name in messages */
    const char *foreign; /* the text of CUDA, HIP, OpenCL or C++ that it was; or NULL */
    struct execution_choice choice;
    kernc_launch api;    /* scheme, warp (0: the program's own), threads, fuel, … */
    uint64_t max_memory; /* bytes of a buffer, and of the context */
    uint64_t max_rounds; /* of a repeat that has no number; 0: EXECUTION_ROUNDS */
    struct execution_hooks hooks;
    VEC(const char *) libraries;

    kernc_context *context; /* what execution_open makes; freed by execution_close */
    kernc_module *module;
    VEC(struct execution_step) steps;
    struct execution_step *first; /* the first launch */
    uint32_t launches;            /* directives of the plan that are launches; with repeats more run */
    VEC(struct execution_buffer) named;
    struct execution_position position;
    struct execution_problem problem;
};
#define EXECUTION_ROUNDS ((uint64_t)1 << 20)

/* Loads the program (the bytes of a .kbc or .wcb file), chooses what is launched and makes the buffers. False:
 * `problem` says why; the execution is to be closed all the same. */
bool execution_open(struct execution *x, const void *program, size_t n);
/* Runs the plan, once; the buffers keep what it leaves. *statistics (to be freed by the caller), the sum over
 * all launches, if not NULL. */
kernc_status execution_run(struct execution *x, kernc_statistics **statistics);
/* Gives the launch the elements of shared arrays, up to the last that is not 0. It points to them. */
void execution_shared(const uint32_t sizes[LAUNCH_MAX_SHARED], kernc_launch *l);
/* Launches the step's kernel once, on its buffers as they are. */
kernc_status execution_launch(struct execution *x, struct execution_step *step,
                              kernc_statistics **statistics);
/* Why execution_run did not end well; lives as long as the context. */
const char *execution_error(const struct execution *x);
/* Frees what execution_open made, also where that failed. */
void execution_close(struct execution *x);

/* The argument of this name among the launch's; NULL: there is none. */
const struct launch_argument *execution_argument(const struct launch *l, const char *name);
/* How many launches the program's directives are. */
uint32_t execution_directives(const struct execution *x);
/* Whether more than one launch may run: several, or a repeat. */
bool execution_is_sequence(const struct execution *x);
/* What runs, by the kernels' names: "init, step". */
const char *execution_name(const struct execution *x);
/* The buffer that the step's parameter, or else a directive, named so; NULL: there is none. */
const struct execution_buffer *execution_buffer(const struct execution *x, const struct execution_step *step,
                                                const char *name);

/* Where the buffers of two executions with equal plans differ: the buffer, and the element's index. NULL:
 * nowhere. */
const struct execution_buffer *execution_difference(const struct execution *x, const struct execution *y,
                                                    size_t *element);

/* ---- shared by the execution's files ------------------------------------------------------------------ */

/* Notes in x->problem what a call of the API that gave the status said, in the context; gives false. */
bool execution_api_failed(struct execution *x, kernc_status status);
/* The launch that the caller's sizes and plain names are about: the only one, or that which has been chosen;
 * NULL: several run. */
const struct execution_step *execution_meant(const struct execution *x);
/* execution_plan.c: the directives that run, with their kernels; the caller's own values in them. */
bool execution_choose(struct execution *x);
/* What a directive says a buffer is made of, with its file found. */
struct launch_value execution_directive_value(const struct execution *x, const struct launch_value *v);
/* execution_buffers.c: the arguments of all steps. */
bool execution_make(struct execution *x);
/* execution_structs.c: puts the numbers of structures that the caller gives whole in their place. */
bool execution_split_structs(struct execution *x);
/* Makes the step's own buffers and its round anew, where it has run before. */
bool execution_remake(struct execution *x, struct execution_step *step);
bool execution_bad_launch(struct execution *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
