/* program.c: see program.h. */
#include "base/program.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* A file without a name that holds the text, to be read from its begin; -1: there is none, see errno. */
static int file_with(const struct text *text)
{
    int file = memfd_create("input", MFD_CLOEXEC);
    for (size_t at = 0; file >= 0 && at < text->length;) {
        ssize_t n = write(file, text->at + at, text->length - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            close(file);
            return -1;
        }
        at += (size_t)n;
    }
    if (file >= 0)
        lseek(file, 0, SEEK_SET);
    return file;
}

/* 0, or the host's number of the error. */
static int start(const char *const *words, int input, int errors, pid_t *child, int *output)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe(ends) != 0)
        return errno;
    int problem = posix_spawn_file_actions_init(&actions);
    if (!problem) {
        problem = input >= 0 ? posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) : 0;
        problem = problem ?: posix_spawn_file_actions_addclose(&actions, ends[0]);
        problem = problem ?: posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        problem = problem ?: posix_spawn_file_actions_addclose(&actions, ends[1]);
        if (!problem && errors >= 0)
            problem = posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
        problem =
            problem
                ?: posix_spawnp(child, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (problem)
        close(ends[0]);
    *output = ends[0];
    return problem;
}

/* Milliseconds until then; -1: any time. */
static int left_until(const struct timespec *end)
{
    struct timespec now;
    if (!end->tv_sec)
        return -1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t left = (int64_t)(end->tv_sec - now.tv_sec) * 1000 + (end->tv_nsec - now.tv_nsec) / 1000000;
    return left < 0 ? 0 : left > 1000000 ? 1000000 : (int)left;
}

/* Up to the end of the file, what fits, and the time. */
static void read_all(int file, const struct program_streams *s, struct program_end *end)
{
    static char buffer[1 << 16];
    struct timespec late = {0, 0};
    if (s->seconds) {
        clock_gettime(CLOCK_MONOTONIC, &late);
        late.tv_sec += s->seconds;
    }
    end->fits = true;
    for (;;) {
        struct pollfd wait = {file, POLLIN, 0};
        int left = left_until(&late), ready = poll(&wait, 1, left);
        if (ready < 0 && errno == EINTR)
            continue;
        end->is_late = ready == 0 && left_until(&late) == 0;
        ssize_t n = ready > 0 ? read(file, buffer, sizeof buffer) : 0;
        if (n < 0 && errno == EINTR)
            continue;
        end->fits = n <= 0 || (size_t)n <= s->most - s->output->length;
        if (n <= 0 || !end->fits)
            return;
        text_add(s->output, buffer, (size_t)n);
    }
}

/* The begin of what the file holds. */
static void take_errors(int file, struct text *errors)
{
    char buffer[1 << 12];
    ssize_t n = pread(file, buffer, sizeof buffer, 0);
    if (n > 0)
        text_add(errors, buffer, (size_t)n);
    close(file);
}

struct program_end program_run(const char *const *words, const struct program_streams *s)
{
    struct program_end end = {0};
    pid_t child = 0;
    int from = -1, to = s->input ? file_with(s->input) : -1;
    int errors = s->errors ? memfd_create("errors", MFD_CLOEXEC) : -1;
    bool lacks = (s->input && to < 0) || (s->errors && errors < 0);
    end.problem = lacks ? errno : start(words, to, errors, &child, &from);
    if (to >= 0)
        close(to);
    if (!end.problem) {
        read_all(from, s, &end);
        if (!end.fits || end.is_late)
            kill(child, end.is_late ? SIGKILL : SIGTERM);
        close(from);
        while (waitpid(child, &end.status, 0) < 0 && errno == EINTR)
            ;
    }
    if (errors >= 0)
        take_errors(errors, s->errors);
    end.is_well =
        !end.problem && end.fits && !end.is_late && WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0;
    return end;
}
