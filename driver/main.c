/* main.c: kernc VERB …: finds the verb, runs it, and makes sure that what it printed arrived. */
#include "driver/driver.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

/* A full disk behind standard output is an error like one behind a file. */
static int finish(int exit_code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return exit_code;
    int problem = complain(EXIT_INPUT, "cannot write to standard output: %s", strerror(errno));
    return exit_code ? exit_code : problem;
}

static int run_verb(struct command *c)
{
    if (option_given(c, OPTION_HELP)) {
        command_help(c);
        return EXIT_OK;
    }
    if (limits_asked(c)) {
        limits_help();
        return EXIT_OK;
    }
    return c->verb->run(c);
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, told like the others */
    if (argc < 2) {
        help();
        return finish(EXIT_USAGE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-help") == 0 || strcmp(argv[1], "-h") == 0) {
        help();
        return finish(EXIT_OK);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-version") == 0) {
        printf("kernc %s\n", KERNC_VERSION);
        return finish(EXIT_OK);
    }
    struct command   c;
    struct mem_guard guard;
    if (mem_guard_enter(&guard))
        return complain(EXIT_LIMIT, "not enough memory");
    int code = command_parse(&c, argc, argv);
    if (code == EXIT_OK)
        code = run_verb(&c);
    messages_end(&c);
    mem_guard_leave(&guard);
    arena_free(&c.arena);
    return finish(code);
}
