/* program.c: see program.h. */
#include "base/program.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
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
static int start(const char *const *words, int input, pid_t *child, int *output)
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

/* False: it is more than `most`. */
static bool read_all(int file, struct text *text, size_t most)
{
    static char buffer[1 << 16];
    for (ssize_t n; (n = read(file, buffer, sizeof buffer)) != 0;) {
        if (n < 0 && errno != EINTR)
            break;
        if (n > 0 && (size_t)n > most - text->length)
            return false;
        if (n > 0)
            text_add(text, buffer, (size_t)n);
    }
    return true;
}

struct program_end program_run(const char *const *words, const struct text *input, struct text *output,
                               size_t most)
{
    struct program_end end = {0};
    pid_t child = 0;
    int from = -1, to = input ? file_with(input) : -1;
    end.problem = input && to < 0 ? errno : start(words, to, &child, &from);
    if (to >= 0)
        close(to);
    if (end.problem)
        return end;
    end.fits = read_all(from, output, most);
    if (!end.fits)
        kill(child, SIGTERM);
    close(from);
    while (waitpid(child, &end.status, 0) < 0 && errno == EINTR)
        ;
    end.is_well = end.fits && WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0;
    return end;
}
