/* program.h: another program, run without a shell: what it reads and writes goes through no file. */
#ifndef KERNC_BASE_PROGRAM_H
#define KERNC_BASE_PROGRAM_H

#include "base/base.h"

/* input: NULL: this process's. errors: gets the begin of what it writes to standard error; NULL: that is this
 * process's. most: bytes of output. seconds: real time that it may take; 0: any. */
struct program_streams {
    const struct text *input;
    struct text *output, *errors;
    size_t most;
    uint32_t seconds;
};
/* How it ended. */
struct program_end {
    int problem;  /* not 0: it could not be started, by the host's number */
    bool fits;    /* what it wrote was at most `most` bytes; else it has been told to end */
    bool is_late; /* it took too long, and has been ended */
    int status;   /* as of waitpid */
    bool is_well; /* it was started, fits, and exited with code 0 */
};
/* Runs words[0] with the words up to a NULL, found as the shell finds it. */
struct program_end program_run(const char *const *words, const struct program_streams *s);

#endif
