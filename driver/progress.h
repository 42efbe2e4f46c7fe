/* progress.h: a sign of life on the terminal while long work goes on. */
#ifndef KERNC_DRIVER_PROGRESS_H
#define KERNC_DRIVER_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>

struct progress {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool begun, running, ended;
    const char *what; /* "running saxpy" */
};
/* If standard error is a terminal, "kernc: WHAT, N s" is shown there from the second second on, until the
 * end. */
void progress_begin(struct progress *p, const char *what);
void progress_say(struct progress *p, const char *what); /* from now on; the text is only read */
/* Waits for the thread, which clears the line; nothing if it has not begun, or has ended. */
void progress_end(struct progress *p);

#endif
