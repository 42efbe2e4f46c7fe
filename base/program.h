/* program.h: another program, run without a shell: what it reads and writes goes through no file. */
#ifndef KERNC_BASE_PROGRAM_H
#define KERNC_BASE_PROGRAM_H

#include "base/base.h"

/* How it ended. */
struct program_end {
    int problem;  /* not 0: it could not be started, by the host's number */
    bool fits;    /* what it wrote was at most `most` bytes; else it has been told to end */
    int status;   /* as of waitpid */
    bool is_well; /* it was started, fits, and exited with code 0 */
};
/* Runs words[0] with the words up to a NULL, found as the shell finds it. Its standard input is the text, or,
 * if that is NULL, this process's; `output` gets what it writes. */
struct program_end program_run(const char *const *words, const struct text *input, struct text *output,
                               size_t most);

#endif
