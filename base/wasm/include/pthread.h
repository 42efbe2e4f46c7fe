/* pthread.h: one thread. Locks do nothing, and a second thread cannot be started: callers go on with the
 * first. */
#ifndef KERNC_WASM_PTHREAD_H
#define KERNC_WASM_PTHREAD_H

#include <errno.h>
#include <sys/types.h>
#include <time.h>

#define pthread_create(thread, attributes, start, data) ((void)(start), (void)(data), EAGAIN)
#define pthread_join(thread, result)                    ((void)(thread), (void)(result), 0)
#define pthread_mutex_init(lock, attributes)            ((void)(lock))
#define pthread_mutex_destroy(lock)                     ((void)(lock))
#define pthread_mutex_lock(lock)                        ((void)(lock))
#define pthread_mutex_unlock(lock)                      ((void)(lock))
#define pthread_cond_init(condition, attributes)        ((void)(condition))
#define pthread_cond_destroy(condition)                 ((void)(condition))
#define pthread_cond_signal(condition)                  ((void)(condition))
#define pthread_cond_timedwait(condition, lock, time)                                                        \
    ((void)(condition), (void)(lock), (void)(time), ETIMEDOUT)
#endif
