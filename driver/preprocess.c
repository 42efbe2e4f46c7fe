/* preprocess.c: -cpp: the source as the system's preprocessor gives it: `$CPP`, or else `cc -E`. It is
 * started without a shell, and what it writes comes through a pipe: a name is an argument whatever its letters
 * are, and no file is left behind. Comments are kept (-C), since some are meant for kernc.
 */
#include "driver/driver.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef VEC(const char *) words;

static void add_words(struct command *c, words *w, const char *text)
{
    for (size_t n; *(text += strspn(text, " \t")); text += n) {
        n = strcspn(text, " \t");
        vec_push(&c->arena, w, arena_strdup(&c->arena, text, n));
    }
}

/* Its command: -D, -U and -I in the order in which they are given. */
static words command_of(struct command *c)
{
    static const char *const own[] = {"-x", "c", "-C", "-D__KERN__=1"};
    words w = {0};
    const char *cpp = getenv("CPP");
    add_words(c, &w, cpp ? cpp : "");
    if (!w.count)
        add_words(c, &w, "cc -E");
    for (size_t i = 0; i < COUNT(own); i++)
        vec_push(&c->arena, &w, own[i]);
    for (uint32_t i = 0; i < c->given.count; i++) {
        const struct given *g = &c->given.at[i];
        if (g->id == OPTION_DEFINE || g->id == OPTION_UNDEFINE || g->id == OPTION_INCLUDE)
            vec_push(&c->arena, &w, arena_printf(&c->arena, "-%c%s", option_info[g->id].letter, g->value));
    }
    bool as_option = *c->file == '-' && c->file[1];
    vec_push(&c->arena, &w, as_option ? arena_printf(&c->arena, "./%s", c->file) : c->file);
    vec_push(&c->arena, &w, NULL);
    return w;
}

/* 0, or the host's number of the error. */
static int start(const words *w, pid_t *child, int *output)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe(ends) != 0)
        return errno;
    int problem = posix_spawn_file_actions_init(&actions);
    if (!problem) {
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_addclose(&actions, ends[1]);
        problem = posix_spawnp(child, w->at[0], &actions, NULL, (char *const *)(uintptr_t)w->at, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (problem)
        close(ends[0]);
    *output = ends[0];
    return problem;
}

/* False: it is more than an input may have. */
static bool read_all(int output, struct text *text)
{
    static char buffer[1 << 16];
    for (ssize_t n; (n = read(output, buffer, sizeof buffer)) != 0;) {
        if (n < 0 && errno != EINTR)
            break;
        if (n > 0 && (size_t)n > INPUT_LIMIT - text->length)
            return false;
        if (n > 0)
            text_add(text, buffer, (size_t)n);
    }
    return true;
}

int preprocess(struct command *c, struct text *text)
{
    words w = command_of(c);
    pid_t child = 0;
    int output = -1, status = 0, problem = start(&w, &child, &output);
    if (problem)
        return fail(
            c, EXIT_INPUT, "input", NULL, (place){0},
            "cannot run the preprocessor '%s': %s; the variable CPP names another, such as CPP='gcc -E'",
            w.at[0], strerror(problem));
    bool fits = read_all(output, text);
    if (!fits)
        kill(child, SIGTERM);
    close(output);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!fits)
        return fail(c, EXIT_INPUT, "input", NULL, (place){0}, "cannot read what '%s' makes of %s: %s",
                    w.at[0], c->file, file_too_large);
    if (WIFSIGNALED(status))
        return fail(c, EXIT_INPUT, "input", NULL, (place){0}, "the preprocessor '%s' was ended by signal %d",
                    w.at[0], WTERMSIG(status));
    if (WEXITSTATUS(status))
        return fail(c, EXIT_INPUT, "input", NULL, (place){0},
                    "the preprocessor '%s' fails on %s with exit code %d", w.at[0], c->file,
                    WEXITSTATUS(status));
    return EXIT_OK;
}
