/* main.c: kernc VERB …: finds the verb, runs it, and makes sure that what it printed arrived. */
#include "driver/driver.h"
#include "driver/interrupt.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>

/* A full disk behind standard output is an error like one behind a file. */
static int finish(struct command *c, int exit_code)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        int problem = complain(c, EXIT_INPUT, "cannot write to standard output: %s", strerror(errno));
        exit_code = exit_code ? exit_code : problem;
    }
    messages_end(c);
    return exit_code;
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
    if (switches_asked(c)) {
        switches_help();
        return EXIT_OK;
    }
    if (timing_asked(c)) {
        timing_help();
        return EXIT_OK;
    }
    if (schemes_asked(c)) {
        schemes_help();
        return EXIT_OK;
    }
    if (values_asked(c)) {
        values_help(c);
        return EXIT_OK;
    }
    return c->verb->run(c);
}

static bool is_word(const char *argument, const char *word)
{
    return strcmp(argument + (strncmp(argument, "--", 2) == 0), word) == 0;
}

/* `kernc help VERB` is `kernc VERB --help`. */
static void read_help(int argc, char **argv)
{
    static char option[] = "--help";
    if (argc != 3 || strcmp(argv[1], "help") != 0)
        return;
    argv[1] = argv[2];
    argv[2] = option;
}

/* What needs no verb. */
static int without_verb(int argc, char **argv)
{
    if (argc >= 2 && is_word(argv[1], "-version"))
        printf("kernc %s\n", KERNC_VERSION);
    else
        help();
    return argc < 2 ? EXIT_USAGE : EXIT_OK;
}

#define HEAP_BEGIN                                                                                           \
    ((size_t)28 << 20) /* bytes of the heap that lie in large pages: a fault for each small one costs more */

/* What is freed is kept for what comes next, not given back to the system page by page. A library can't decide
 * that for the program it is in. */
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the most there is: smaller blocks come from the heap */
    mallopt(M_TRIM_THRESHOLD, -1);
    void *begin = malloc(HEAP_BEGIN);
    if (begin)
        mem_prefer_huge_pages(begin, HEAP_BEGIN);
    free(begin);
#endif
}

int main(int argc, char **argv)
{
    /* A closed pipe and a file over the limit are failed writes, told like the others. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    keep_freed_memory();
    bool json = wants_json(argc, argv);
    interrupt_begin(json);
    static struct command c;
    struct mem_guard guard;
    if (mem_guard_enter(&guard)) {
        progress_end(&c.progress);
        fflush(stdout);
        last_message(json, &c.messages, "memory", "not enough memory");
        return EXIT_LIMIT;
    }
    read_help(argc, argv);
    bool alone = argc < 2 || is_word(argv[1], "-help") || is_word(argv[1], "-h") ||
                 is_word(argv[1], "-version") || (argc == 2 && strcmp(argv[1], "help") == 0);
    int code = alone ? without_verb(argc, argv) : command_parse(&c, argc, argv);
    if (!alone && code == EXIT_OK)
        code = run_verb(&c);
    code = finish(&c, code);
    mem_guard_leave(&guard);
    arena_free(&c.arena);
    return code;
}
