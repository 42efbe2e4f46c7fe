/* runner_process.c: a command run to its end, its output kept, its time limited. */
#include "test/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_LIMIT (64u << 20) /* bytes kept of each stream; the rest is read and dropped */

extern char **environ;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Splits a command that is nothing but words, 'quoted' or plain, the first one a path: the shell would only
 * start it. `words` gets pointers into `buffer`, and NULL at the end. False: the shell has something to do. */
static bool plain_words(const char *command, char *buffer, size_t size, char **words, size_t most)
{
    size_t n = 0;
    if (strlen(command) >= size)
        return false;
    for (const char *c = command + strspn(command, " "); *c; c += strspn(c, " ")) {
        if (n + 1 >= most)
            return false;
        words[n++] = buffer;
        while (*c && *c != ' ')
            if (*c == '\'') {
                const char *end = strchr(c + 1, '\'');
                if (!end)
                    return false;
                buffer = mempcpy(buffer, c + 1, (size_t)(end - c - 1));
                c = end + 1;
            } else if (strchr("|&;<>()$`\\\"*?[]#~{}!\n\t", *c)) {
                return false;
            } else {
                *buffer++ = *c++;
            }
        *buffer++ = 0;
    }
    words[n] = NULL;
    return n > 0 && strchr(words[0], '/') && !strchr(words[0], '=');
}

/* Commands begin with the signals of a shell at a terminal, however the tests were started: what a shell runs
 * in the background ignores SIGINT, and would hand that on. */
static pid_t start(const char *command, char **environment, int out, int err)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t usual;
    sigfillset(&usual);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    char *shell[] = {"sh", "-c", (char *)command, NULL}, *words[64], buffer[4096];
    pid_t pid;
    bool plain = plain_words(command, buffer, sizeof buffer, words, COUNT(words));
    int problem = plain ? posix_spawn(&pid, words[0], &files, &attributes, words, environment) : ENOENT;
    if (problem)
        problem = posix_spawn(&pid, "/bin/sh", &files, &attributes, shell, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return problem ? -1 : pid;
}

/* Takes what one pipe has; false at its end. */
static bool drain(int fd, struct text *t)
{
    char buffer[1 << 15];
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n > 0 && t->length < OUTPUT_LIMIT)
        text_add(t, buffer, (size_t)n);
    return n > 0;
}

/* Reads both pipes until their ends; true if the deadline came first. */
static bool collect(int out, int err, double deadline, struct process *p)
{
    struct pollfd fds[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    struct text *texts[2] = {&p->out, &p->err};
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        double left = deadline - now();
        if (left <= 0)
            return true;
        poll(fds, 2, (int)(left * 1000) + 1);
        for (int i = 0; i < 2; i++)
            if (fds[i].fd >= 0 && fds[i].revents && !drain(fds[i].fd, texts[i]))
                fds[i].fd = -1;
    }
    return false;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

void process_run(const char *command, char **environment, unsigned seconds, struct process *p)
{
    int out[2], err[2], status = 0;
    *p = (struct process){.status = 127};
    text_add(&p->out, "", 0);
    text_add(&p->err, "", 0);
    if (pipe2(out, O_CLOEXEC) < 0)
        BUG("no pipe");
    if (pipe2(err, O_CLOEXEC) < 0)
        BUG("no pipe");
    pid_t pid = start(command, environment ? environment : environ, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    if (pid > 0) {
        p->timed_out = collect(out[0], err[0], now() + seconds, p);
        if (p->timed_out)
            kill(-pid, SIGKILL);
        struct rusage used;
        wait4(pid, &status, 0, &used);
        p->seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
        p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    close(out[0]);
    close(err[0]);
}

void process_free(struct process *p)
{
    text_free(&p->out);
    text_free(&p->err);
}

/* The runner's own, without LeakSanitizer: its search takes two thirds of a short run's time. */
static char **without_leaks(void)
{
    size_t n = 0;
    while (environ[n])
        n++;
    char **all = calloc(n + 2, sizeof *all);
    if (!all)
        BUG("no memory");
    memcpy(all, environ, n * sizeof *all);
    all[n] = "ASAN_OPTIONS=detect_leaks=0";
    return all;
}

bool test_prepare(struct test_options *o)
{
    if (getenv("KERNC_TEST_NO_LEAKS"))
        o->environment = without_leaks();
    const char *patience = getenv("KERNC_TEST_PATIENCE");
    o->patience = patience && atoi(patience) > 0 ? (unsigned)atoi(patience) : 1;
    snprintf(o->folder, sizeof o->folder, "/tmp/kernc-test-XXXXXX");
    if (!mkdtemp(o->folder)) {
        perror("runner: /tmp");
        return false;
    }
    return true;
}

void test_clean_up(const struct test_options *o)
{
    char command[128];
    struct process p;
    snprintf(command, sizeof command, "rm -rf '%s'", o->folder);
    process_run(command, NULL, 60, &p);
    process_free(&p);
    free(o->environment);
}
