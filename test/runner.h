/* runner.h: how one test is run (runner_annotated.c, runner_unit.c) and a program is watched
 * (runner_process.c). */
#ifndef KERNC_TEST_RUNNER_H
#define KERNC_TEST_RUNNER_H

#include "base/base.h"

struct test_options {
    const char *kernc;  /* %kernc */
    const char *tools;  /* %tools: the folder of the runner, where helper programs are */
    bool update;        /* golden files are rewritten instead of compared */
    unsigned patience;  /* factor on every time limit; KERNC_TEST_PATIENCE, for sanitizer builds */
    char **environment; /* of annotated files' commands; NULL: the runner's; KERNC_TEST_NO_LEAKS */
    char folder[64];    /* for temporary files */
};
struct test_counts {
    uint32_t passed, failed, skipped;
};
struct test_result {
    struct test_counts counts;
    struct text log; /* what differs, or why skipped */
    double seconds;  /* of the processor, of all processes */
};

bool test_prepare(struct test_options *o);
void test_clean_up(const struct test_options *o);
void test_run_annotated(const char *path, const struct test_options *o, struct test_result *r);
void test_run_unit(const char *path, const struct test_options *o, struct test_result *r);

/* A finished process: what it wrote, and how it ended. */
struct process {
    struct text out, err;
    int status; /* exit code; 128 + signal */
    bool timed_out;
    double seconds; /* of the processor, with those of processes that it waited for */
};
/* Runs `command` as the shell does in a process group of its own, which is killed after `seconds`.
 * environment NULL: the caller's. */
void process_run(const char *command, char **environment, unsigned seconds, struct process *p);
void process_free(struct process *p);

#endif
