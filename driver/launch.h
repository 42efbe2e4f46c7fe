/* launch.h: the launches as kernc run makes them: the file's directives, overridden by flags; their buffers;
 * their outputs. */
#ifndef KERNC_DRIVER_LAUNCH_H
#define KERNC_DRIVER_LAUNCH_H

#include "backend/format/warpcore/image.h"
#include "base/json.h"
#include "driver/driver.h"
#include "driver/metrics.h"
#include "driver/progress.h"
#include "launch/outputs.h"
#include "lib/execution.h"

struct run {
    struct command *command;
    const struct source *source; /* for messages about the directive; NULL: the input was no source */
    int level;                   /* of optimisation; -1: the input was compiled before */
    bool quiet;                  /* what the kernel prints is dropped */
    struct execution x;
    int outputs;                                   /* exit code of what was shown and saved so far */
    struct progress *progress;                     /* while it is on; NULL: it is not */
    struct text trace, job;                        /* of the launch */
    struct text steps;                             /* --steps: the table, of all launches */
    uint64_t shown_steps, other_steps, most_steps; /* rows of it; beyond the limit; the limit */
    const struct json *replayed;                   /* the job that is made again; NULL: none is */
    _Atomic bool no_memory;                        /* it failed in a function that the launch called */
};

/* A run that has not begun: sizes and limits as they are if nobody says anything else. */
struct run launch_new(struct command *c, bool quiet);
/* For functions that a launch calls, which have to return: what(r, data) with failing memory noted in r, for
 * when the launch has ended. */
void launch_called(struct run *r, void (*what)(struct run *r, const void *data), const void *data);

/* The value of --launch is a launch, not the name of one. */
bool launch_is_said(const char *launch);

/* Whether what was compiled came through the passes; whether places in it are lines of a text that is shown. */
static inline bool launch_is_compiled(enum kernc_input input)
{
    return input == KERNC_INPUT_SOURCE || input == KERNC_INPUT_IR || input == KERNC_INPUT_LLVM;
}
static inline bool launch_has_source(enum kernc_input input)
{
    return input == KERNC_INPUT_SOURCE || input == KERNC_INPUT_LLVM;
}

/* Each returns EXIT_OK, or another exit code after having said what is wrong. */
int launch_read_flags(struct run *r); /* what can be said without the program */
/* Opens the execution with a .kbc or .wcb file's bytes, as the flags want it. The caller closes it. */
int launch_open(struct run *r, const void *program, size_t n);
/* The same with what has been compiled, which stays the caller's. */
int launch_open_compiled(struct run *r, kernc_result *compiled);
/* Says what only the launches make known of the program, once for each kernel. */
int launch_check(struct run *r, kernc_result *compiled);
int launch_failed(struct run *r); /* says what the execution's problem is */
/* How the step's launches were made; NULL: all together. */
struct launch_facts launch_facts_of(struct run *r, const struct execution_step *step);
/* Says what the checker of memory has found. EXIT_OK: nothing. */
int launch_alarms(struct run *r);
/* In r->source: the clause shared(N) of the launch line that ran, if the error is about what it asks for;
 * line 0: it is not. */
place launch_clause(const struct run *r);
int launch_stopped(struct run *r, kernc_status status); /* says why the launch did not end well, and where */
int trace_read_flags(struct run *r);                    /* trace.c */
int trace_check(struct run *r);                         /* whether what runs can have one */
/* EXIT_USAGE, and says why, if the option is given: there is no program for the warp-core machine. */
int machine_missing(struct command *c, enum option_id o);
int trace_write(struct run *r); /* if there is one; its memory is freed */
/* watch.c; the limit's default, and how far it can be raised. */
#define STEPS_MOST        10000
#define STEPS_MOST_OF_ALL 10000000
int watch_read_flags(struct run *r);
int watch_check(struct run *r);                  /* whether some launch has the warp */
void watch_write(struct run *r);                 /* to stdout, if there are any; their memory is freed */
int job_check(struct run *r);                    /* job.c: whether the program can have one */
void job_begin(struct run *r);                   /* before the launch */
int job_end(struct run *r, kernc_status status); /* after it; written if it ran, to its end or not */
bool replay_is_job(const struct text *input);    /* replay.c: what the file holds looks like a job */
/* The image of the job's launch, whose buffers are all 0, in `image`; `input` may go. */
int replay_read(struct run *r, const struct text *input, struct text *image);
int replay_begin(struct run *r); /* before the launch: the job's bytes go to the buffers */
/* After it: whether it ended or stopped as the job says, and they hold what it says. */
int replay_end(struct run *r, kernc_status status);
/* A buffer as its outputs show it. */
static inline struct view launch_view(const struct execution_buffer *b)
{
    return (struct view){
        b->name,  kernc_buffer_map(b->buffer), kernc_buffer_size(b->buffer), b->element, b->element_bytes,
        b->layout};
}
/* Shows and saves what the step says: struct execution's `stepped`; `run` is a struct run. */
void launch_write_outputs(void *run, const struct execution_step *step);

#endif
