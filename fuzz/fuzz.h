/* fuzz.h: the random tester: what to run, what came of it. The verb `kernc fuzz` (driver/fuzz.c) fills the
 * options.
 *
 * A program is tried under a plan: a list of setups (scheme, level, width), in forked children, so that a
 * crash or a hang is a failure like any other. docs/testing.md explains the classes.
 */
#ifndef KERNC_FUZZ_FUZZ_H
#define KERNC_FUZZ_FUZZ_H

#include "base/scheme.h"
#include "fuzz/program.h"
#include "opt/opt.h"

/* ---- setups ------------------------------------------------------------------------------------------ */

/* The passes that a setup runs: those `at`, or (count == 0) the level's without those in `off`, a bit
 * each; and the values of their options: plus 1, or 0: the default. check: what the setup's
 * scheme_check names is checked, or memory; of options, that in all setups whose scheme has it; or NULL. */
enum { FZ_MAX_PASSES = 16 };
struct fz_passes {
    uint8_t at[FZ_MAX_PASSES], count;
    const char *check;
    uint64_t off;
    uint32_t values[OPT_OPTIONS];
};
struct fz_setup {
    enum scheme scheme;
    uint32_t level, width;
    struct fz_passes passes;
    int schedule;               /* kernc_schedule: of a scheme with convergence barriers */
    const char *const *through; /* the program goes as LLVM IR through this command (its words up to a NULL;
                                   none: it comes back as it is); NULL: it is compiled itself */
};
typedef VEC(struct fz_setup) fz_setup_vec;

struct fz_random;
/* Of a setup: now and then a list of passes, switches or options of its own. */
struct fz_passes fz_passes_draw(struct fz_random *r);
bool fz_passes_given(const struct fz_passes *p); /* not all as the level has it */
/* Whether the pass runs, of a level or a list. */
bool fz_passes_have(const struct fz_passes *p, uint32_t level, enum opt_pass pass);
/* Whether they make the same code. */
bool fz_passes_equal(const struct fz_passes *a, const struct fz_passes *b);
bool fz_passes_parse(struct fz_passes *p, const char *list); /* "a,b"; false: no such list, or too long */
char *fz_passes_list(struct arena *a, const struct fz_passes *p); /* "a,b", or NULL */
/* What stands behind -f: "no-gvn", "inline-size=9". */
const char **fz_passes_switches(struct arena *a, const struct fz_passes *p, size_t *count);
const char *fz_passes_text(struct arena *a, const struct fz_passes *p); /* " --passes=a,b", " -fno-gvn" */
/* Leaves out passes, switches and options as long as fails() says so of what is left. Returns how often it
 * asked. */
uint32_t fz_passes_reduce(struct fz_passes *p, bool (*fails)(const struct fz_passes *, void *), void *data);

enum fz_outcome {
    FZ_RIGHT,
    FZ_REJECTED, /* the compiler refused it */
    FZ_TRAPPED,
    FZ_STUCK,      /* it does not end: a livelock, or a branch gone wrong */
    FZ_DIFFERS,    /* from the reference */
    FZ_YIELDS,     /* threads waited for each other at barriers, one of which was given up */
    FZ_BUG,        /* an internal error: the compiler or the runtime found itself wrong */
    FZ_CRASHED,    /* the process died */
    FZ_HUNG,       /* it did not come back in time */
    FZ_ALARMS,     /* of the checker of memory: a wrong one, or the right one is not there */
    FZ_NO_MEMORY,  /* it ran out of the host's: no failure of the program */
    FZ_INVALID,    /* no program of the class: its reference does not end */
    FZ_MISCOUNTED, /* metrics contradict each other */
    FZ_DECLINED,   /* the command that it goes through fails */
    FZ_REFUSED,  /* what the command makes of it is no LLVM IR that kernc takes, or breaks the token rules */
    FZ_LEFT_OUT, /* it does not come back from LLVM IR without a command */
    FZ_OUTCOMES
};
extern const char *const fz_outcome_text[FZ_OUTCOMES];

struct fz_sums {
    uint64_t yields, warp_instructions;
};
/* What a launch executed. */
struct fz_executed {
    enum scheme scheme;
    uint32_t level, width;
    uint64_t warp_instructions;
};
enum { FZ_MAX_EXECUTED = 90 }; /* as many as a verdict has room for */
struct fz_verdict {
    enum fz_outcome outcome;
    uint32_t runs;                                /* launches made */
    struct fz_sums sums;                          /* of those under schemes with convergence barriers */
    struct fz_setup setup;                        /* where it failed */
    char text[480];                               /* one line: what happened */
    struct fz_executed executed[FZ_MAX_EXECUTED]; /* by each setup that was run, the reference's left out */
    uint32_t executed_count;
};

/* Whether two failures are of one kind, so that the one may stand for the other in reducing. */
bool fz_same_kind(const struct fz_verdict *a, const struct fz_verdict *b);

/* ---- options ----------------------------------------------------------------------------------------- */

enum { FZ_MAX_JOBS = 64, FZ_REDUCE_LIMIT = 5 };
struct fz_options {
    uint64_t seed, count; /* programs of the seeds seed to seed + count - 1 */
    const char *classes;  /* letters */
    struct {
        enum scheme at[SCHEMES];
        uint32_t count;
    } schemes;
    struct {
        uint32_t at[8];
        uint32_t count;
    } levels, widths;
    uint32_t setups; /* of each program, drawn at random; 0: all */
    const char *const
        *through;             /* each program goes through this command instead (struct fz_setup), or NULL */
    const char *through_text; /* as it was given */
    struct fz_passes passes;  /* of all setups; none given: drawn at random for some of them */
    uint32_t plants;          /* each program gets one of these mistakes (plant.h), a bit each; or 0 */
    bool checks_memory;       /* passes.check is of memory: class a sets its shared variables first */
    int schedule;             /* kernc_schedule; -1: drawn */
    bool sums;                /* the report has them */
    bool level_passes;        /* nothing is drawn: the levels' own */
    struct text *executed;    /* gets what each launch executed as comma-separated values, by class and
                                seed, the first FZ_MAX_EXECUTED of each program; or NULL */
    uint32_t jobs;            /* processes at a time */
    uint32_t patience;        /* seconds of processor time a program may take */
    bool reduce;              /* the first FZ_REDUCE_LIMIT failures of each class */
    const char *keep;         /* folder for failing programs, or NULL */
    /* A line of the report; a passing state for a terminal. */
    void (*say)(void *data, const char *line);
    void (*progress)(void *data, char class, uint64_t done, uint64_t failures);
    void *data;
    const volatile int
        *interrupt; /* NULL, or what becomes other than 0 when no more programs are to be tried */
};
static inline bool fz_interrupted(const struct fz_options *o)
{
    return o->interrupt && *o->interrupt;
}
/* Classes a, b and c, every sound scheme, every level, widths 1 4 8 32 64. */
void fz_options_init(struct fz_options *o);

/* The class's program of a seed, with what the options add to it, in the arena. */
struct fz_program *fz_make(const struct fz_options *o, const struct fz_class *class, uint64_t seed,
                           struct arena *arena);

/* Whether the checker of memory can be used under it. */
bool fz_checks_memory(enum scheme s);

/* The setups that a program of this class and seed is tried under; the first is the reference setup. */
void fz_plan(const struct fz_options *o, const struct fz_program *p, struct arena *a, fz_setup_vec *plan);

/* ---- trying (trial.c, worker.c) ---------------------------------------------------------------------- */

/* Tries it in this process. plan.at[0] gives what the reference does not say. *at is always the setup being
 * tried, for whoever finds the process dead. */
struct fz_verdict fz_try(const struct fz_program *p, const fz_setup_vec *plan, struct fz_setup *at);
/* The same in a child; outcomes may be CRASHED and HUNG. */
struct fz_verdict fz_try_in_child(const struct fz_options *o, const struct fz_program *p,
                                  const fz_setup_vec *plan);

/* A program as LLVM IR, before and after a command. */
struct fz_passage {
    struct text before, after;
};
/* Appends what --emit=ll writes of the source of `p` at -O0; false: `why` says why not. */
bool fz_write_llvm(const struct fz_program *p, const struct text *source, struct text *to, char *why,
                   size_t size);
/* Sends the source of `p` through the words' command (passage.c), for at most `seconds`. FZ_RIGHT, FZ_LEFT_OUT
 * or FZ_DECLINED; `why` has one line. The texts are the caller's to free in any case. */
enum fz_outcome fz_pass_through(const struct fz_program *p, const struct text *source,
                                const char *const *words, uint32_t seconds, struct fz_passage *passage,
                                char *why, size_t size);
/* Whether the outcome says of the command's result that it is wrong, not only that there is none. */
static inline bool fz_is_wrong(enum fz_outcome o)
{
    return o != FZ_RIGHT && o != FZ_DECLINED && o != FZ_LEFT_OUT;
}

struct fz_failure {
    uint64_t seed;
    struct fz_verdict verdict;
};
struct fz_row {
    uint64_t seed;
    struct fz_executed executed;
};
struct fz_result {
    uint64_t programs, runs, yielding; /* yielding: programs with yields */
    struct fz_sums sums;
    VEC(struct fz_failure) failures; /* by seed */
    VEC(struct fz_row) rows;         /* by seed; if the options want them */
    const char
        *problem; /* why not all programs were tried: the host gave no process, or no memory; or NULL */
};
/* Tries all programs of a class in children. */
void fz_run_class(const struct fz_options *o, const struct fz_class *class, struct arena *a,
                  struct fz_result *result);

/* ---- reducing (reduce.c) ----------------------------------------------------------------------------- */

typedef bool fz_still_fails(const struct fz_program *p, void *data);
/* Makes the program smaller in place as long as fails() says so of what is left; it does of the program
 * given. Returns how many programs it asked about. */
uint32_t fz_reduce(struct fz_program *p, fz_still_fails *fails, void *data);

/* ---- the whole (fuzz.c) ------------------------------------------------------------------------------ */

/* Number of failures; each class ends with the line `class a: N programs, N runs, N failures`. *problem,
 * in the arena: why not all programs were tried, though nobody interrupted; or NULL. */
uint64_t fz_fuzz(const struct fz_options *o, struct arena *arena, const char **problem);
/* What makes this failure again. */
char *fz_command(const struct fz_options *o, struct arena *a, char class, uint64_t seed,
                 const struct fz_setup *setup);

#endif
