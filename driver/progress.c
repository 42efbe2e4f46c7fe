/* progress.c: see progress.h. A thread of its own wakes once a second. */
#include "driver/progress.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void show(const struct progress *p, int seconds)
{
    fprintf(stderr, "\r\033[Kkernc: %s, %d s", p->what, seconds);
    fflush(stderr);
}

static void *watch(void *data)
{
    struct progress *p = data;
    struct timespec next;
    int seconds = 0;
    clock_gettime(CLOCK_REALTIME, &next);
    pthread_mutex_lock(&p->lock);
    while (!p->ended) {
        next.tv_sec++;
        while (!p->ended && pthread_cond_timedwait(&p->changed, &p->lock, &next) == 0)
            ;
        if (!p->ended && ++seconds >= 2)
            show(p, seconds);
    }
    pthread_mutex_unlock(&p->lock);
    if (seconds >= 2)
        fputs("\r\033[K", stderr);
    return NULL;
}

void progress_begin(struct progress *p, const char *what)
{
    *p = (struct progress){.what = what};
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->begun = true;
    sigset_t all, before; /* signals are for the thread that works */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    p->running = isatty(STDERR_FILENO) && pthread_create(&p->thread, NULL, watch, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_say(struct progress *p, const char *what)
{
    pthread_mutex_lock(&p->lock);
    p->what = what;
    pthread_mutex_unlock(&p->lock);
}

void progress_end(struct progress *p)
{
    if (!p->begun)
        return;
    p->begun = false;
    if (p->running) {
        pthread_mutex_lock(&p->lock);
        p->ended = true;
        pthread_cond_signal(&p->changed);
        pthread_mutex_unlock(&p->lock);
        pthread_join(p->thread, NULL);
    }
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
}
