/* experiment.h: a compiled program, launched and measured: what the verbs that run kernels share.
 *
 * The caller says what it wants in the first group of fields, opens the experiment with the bytes that
 * kernc_compile made, runs it, and closes it. The file's directives give what the caller leaves open: they are
 * its plan, launches in order on buffers that live across them. Where the plan is one launch, it may be the
 * caller's alone.
 */
#ifndef KERNC_LIB_EXPERIMENT_H
#define KERNC_LIB_EXPERIMENT_H

#include "backend/format/interface.h"
#include "include/kernc.h"
#include "launch/launch.h"

/* `name`: the parameter's, or the named buffer's. `param`: it is made for this one; NULL: it is a named one.
 * `value`: what it is made of. */
struct experiment_buffer {
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
struct experiment_problem {
    kernc_status status;
    const char *text;
    bool of_launch;
    const char *name, *type;
    const struct launch_value *value;
    uint32_t line;
    bool is_named;
};

/* A directive of the plan. */
struct experiment_step {
    const struct launch *directive; /* NULL: the launch is the caller's alone */
    uint32_t number;                /* among the file's launches, from 1; 0: it has none, or is none */
    struct launch launch;           /* with what the caller says instead; all arguments */
    kernc_kernel *kernel;           /* NULL: this is no launch */
    const struct be_param *params;  /* of the kernel */
    uint32_t param_count;
    VEC(kernc_argument) arguments;
    VEC(struct experiment_buffer) buffers; /* of the parameters that are pointers, in their order */
    uint64_t runs;
    bool chosen;                  /* the launch that launch_name, kernel_name or first_only chose */
    bool counted;                 /* its statistics are part of the sum */
    uint32_t sample;              /* blocks of it that run (kernc_launch.sample); 0: all */
    kernc_statistics *statistics; /* of all its runs, where they are wanted; the experiment's */
};

/* What of the program runs, and what is given in place of what its directives say. */
struct experiment_choice {
    const char *kernel_name; /* its first launch alone; NULL: the file's plan, or the only kernel */
    const char *launch_name; /* this launch alone: its number from 1, or its kernel's; or NULL */
    bool first_only;         /* the plan's first launch alone */
    bool earlier;            /* what stands before the chosen launch runs too, uncounted; of a repeat that
                                it stands in, all */
    struct launch launch;    /* sizes of 0 and what is not named: the directive's */
    bool own_outputs;        /* the directives' outputs do not count */
};

/* Functions of the caller; NULL: none is called. */
struct experiment_hooks {
    kernc_output_function *print; /* gets what the kernel prints, beside print_user */
    void *print_user;
    void (*stepped)(void *user, const struct experiment_step *step); /* behind each step that went well */
    void *stepped_user;
};

/* The step that runs, or where it stopped. */
struct experiment_position {
    struct experiment_step *step; /* NULL: none has begun */
    uint64_t round;               /* of the repeat that it stands in */
    bool repeating;               /* it stands in one */
    kernc_statistics *made;       /* by its launch, while `stepped` is called; NULL: none are wanted */
};

struct experiment {
    struct arena *arena; /* the caller's: names, texts and lists live there */
    const char *input;   /* the program's name in messages */
    struct experiment_choice choice;
    kernc_launch api;    /* scheme, warp (0: the program's own), threads, fuel, … */
    uint64_t max_memory; /* bytes of a buffer, and of the context */
    uint64_t max_rounds; /* of a repeat that has no number; 0: EXPERIMENT_ROUNDS */
    struct experiment_hooks hooks;
    VEC(const char *) libraries;

    kernc_context *context; /* what experiment_open makes; freed by experiment_close */
    kernc_module *module;
    VEC(struct experiment_step) steps;
    struct experiment_step *first; /* the first launch */
    uint32_t launches;             /* directives of the plan that are launches; with repeats more run */
    VEC(struct experiment_buffer) named;
    struct experiment_position position;
    struct experiment_problem problem;
};
#define EXPERIMENT_ROUNDS ((uint64_t)1 << 20)

/* Loads the program (the bytes of a .kbc or .wcb file), chooses what is launched and makes the buffers. False:
 * `problem` says why; the experiment is to be closed all the same. */
bool experiment_open(struct experiment *x, const void *program, size_t n);
/* Runs the plan, once; the buffers keep what it leaves. *statistics (to be freed by the caller), the sum over
 * all launches, if not NULL. */
kernc_status experiment_run(struct experiment *x, kernc_statistics **statistics);
/* Gives the launch the elements of shared arrays, up to the last that is not 0. It points to them. */
void experiment_shared(const uint32_t sizes[LAUNCH_MAX_SHARED], kernc_launch *l);
/* Launches the step's kernel once, on its buffers as they are. */
kernc_status experiment_launch(struct experiment *x, struct experiment_step *step,
                               kernc_statistics **statistics);
/* Why experiment_run did not end well; lives as long as the context. */
const char *experiment_error(const struct experiment *x);
/* Frees what experiment_open made, also where that failed. */
void experiment_close(struct experiment *x);

/* The argument of this name among the launch's; NULL: there is none. */
const struct launch_argument *experiment_argument(const struct launch *l, const char *name);
/* How many launches the program's directives are. */
uint32_t experiment_directives(const struct experiment *x);
/* Whether more than one launch may run: several, or a repeat. */
bool experiment_is_sequence(const struct experiment *x);
/* What runs, by the kernels' names: "init, step". */
const char *experiment_name(const struct experiment *x);
/* The buffer that the step's parameter, or else a directive, named so; NULL: there is none. */
const struct experiment_buffer *experiment_buffer(const struct experiment *x,
                                                  const struct experiment_step *step, const char *name);

/* Where the buffers of two experiments with equal plans differ: the buffer, and the element's index. NULL:
 * nowhere. */
const struct experiment_buffer *experiment_difference(const struct experiment *x, const struct experiment *y,
                                                      size_t *element);

/* ---- shared by the experiment's files ------------------------------------------------------------------ */

/* Notes in x->problem what a call of the API that gave the status said, in the context; gives false. */
bool experiment_api_failed(struct experiment *x, kernc_status status);
/* The launch that the caller's sizes and plain names are about: the only one, or that which has been chosen;
 * NULL: several run. */
const struct experiment_step *experiment_meant(const struct experiment *x);
/* experiment_plan.c: the directives that run, with their kernels; the caller's own values in them. */
bool experiment_choose(struct experiment *x);
/* What a directive says a buffer is made of, with its file found. */
struct launch_value experiment_directive_value(const struct experiment *x, const struct launch_value *v);
/* experiment_buffers.c: the arguments of all steps. */
bool experiment_make(struct experiment *x);
/* experiment_structs.c: puts the numbers of structures that the caller gives whole in their place. */
bool experiment_split_structs(struct experiment *x);
/* Makes the step's own buffers and its round anew, where it has run before. */
bool experiment_remake(struct experiment *x, struct experiment_step *step);
bool experiment_bad_launch(struct experiment *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
