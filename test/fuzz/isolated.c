/* isolated.c: see isolated.h. */
#include "test/fuzz/isolated.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20 };

/* A trial's processor time; sanitizers take more. */
static unsigned seconds(void)
{
    const char *patience = getenv("KERNC_TEST_PATIENCE");
    return SECONDS * (patience && atoi(patience) > 0 ? (unsigned)atoi(patience) : 1);
}

/* What uses up the machine's memory fails first. A sanitizer's own memory would count. */
static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    struct rlimit r = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    setrlimit(RLIMIT_DATA, &r);
#endif
}

static void limit_time(void)
{
    struct itimerval left = {.it_value = {.tv_sec = seconds()}};
    setitimer(ITIMER_PROF, &left, NULL);
}

static void describe(int status, char *why, size_t size)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        snprintf(why, size, "it took over %u seconds of processor time", seconds());
    else if (WIFSIGNALED(status))
        snprintf(why, size, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(why, size, "exit code %d", WEXITSTATUS(status));
}

bool isolated_run(struct isolated *a, uint32_t first, uint32_t end, isolated_trial *trial, void *data,
                  char *why, size_t size)
{
    struct isolated *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        mem_fail(sizeof *shared);
    *shared = (struct isolated){0};
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        limit_memory();
        for (shared->at = first; shared->at < end; shared->at++) {
            limit_time();
            trial(data, shared->at, shared);
        }
        _exit(0);
    }
    int status = -1;
    if (child > 0)
        waitpid(child, &status, 0);
    *a = *shared;
    munmap(shared, sizeof *shared);
    describe(status, why, size);
    return status == 0;
}
