/* trial.h: what the files of a trial share. */
#ifndef KERNC_FUZZ_TRIAL_H
#define KERNC_FUZZ_TRIAL_H

#include "fuzz/fuzz.h"
#include "include/kernc.h"
#include "lib/execution.h"

enum { MAX_BUFFERS = 8 };

struct trial {
    const struct fz_program *p;
    struct arena arena;
    struct text source;
    struct fz_verdict verdict;
    kernc_context *context;
    kernc_module *module;
    kernc_kernel *kernel;
    kernc_buffer *buffers[MAX_BUFFERS];
    const char *program; /* class g: what was compiled */
    size_t program_bytes;
    struct execution execution; /* class g: of the latest launch, whose are the buffers */
    struct fz_setup compiled;   /* for what `kernel` was compiled; width 0: for nothing yet */
    void *expected[MAX_BUFFERS];
    uint32_t expected_width;            /* 0: none yet */
    enum fz_end expected_end;           /* what the reference does */
    char expected_stop[256], stop[256]; /* which index stops the reference, and the latest launch; "": none */
    bool yielded;  /* the latest launch gave up a barrier: groups are not those of the reference */
    bool declined; /* the latest setup's target has not what the program wants */
};

/* Notes the outcome, for which the text says why, up to the end of its line. Always false. */
bool trial_fail(struct trial *t, const struct fz_setup *s, enum fz_outcome outcome, const char *text);

/* ---- trial_compare.c --------------------------------------------------------------------------------- */

size_t trial_bytes(const struct fz_program *p, uint32_t buffer);
/* Room for what is expected of each buffer. */
void trial_make_expected(struct trial *t);
/* What the class's reference says, of a launch of the setup's width. False: it can say nothing. */
bool trial_expect(struct trial *t, const struct fz_setup *s);
/* Keeps what the reference does not say of the launch of the reference setup, to be expected of others: the
 * place where it stops, and what is in the buffers of a mistake that was planted. */
void trial_keep(struct trial *t);
/* Whether the latest launch has left what is expected, or stopped where that stops. */
bool trial_compare(struct trial *t, const struct fz_setup *s);
/* Whether a warp of the setup holds a block, and there is a model of such warps (block_warp.h). */
bool trial_models(const struct trial *t, const struct fz_setup *s);
/* Whether what a launch that ended well has counted can be: every access takes a transaction or a pass at
 * least; instructions by class, by active lanes and all together are the same, and those of the model. */
bool trial_counts(struct trial *t, const struct fz_setup *s, const kernc_statistics *statistics);
/* Of a class that says what holds: whether it holds of what that has left. */
bool trial_holds(struct trial *t, const struct fz_setup *s);

#endif
