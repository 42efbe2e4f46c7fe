/* contexts.c: contexts in threads of their own, each of which loads and launches compiled programs on two
 * host threads: contexts FILE.kbc … Built under ThreadSanitizer by `make tsan`, which ends it with a
 * report if two threads meet without order. The programs are those of test/threads/blocks.kern; all
 * contexts have to get the same.
 */
#include "include/kernc-rt.h"

#include "base/base.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, LAUNCHES = 4, BLOCKS = 16, THREADS_OF_BLOCK = 8, PLACES = BLOCKS * THREADS_OF_BLOCK };

struct work {
    int count;
    char **files;
    struct text *programs;
    uint64_t hash;       /* of what all launches have left and printed */
    const char *problem; /* the file that it is about */
    char why[200];
};

static void take_output(void *user, const char *bytes, size_t n)
{
    struct work *w = user;
    w->hash = hash_mix(w->hash, hash_bytes(bytes, n));
}

static bool launch(struct work *w, kernc_context *c, kernc_kernel *k)
{
    kernc_buffer *out, *f, *p;
    kernc_statistics *s = NULL;
    if (kernc_buffer_create(c, 4 + 4 * PLACES, "out", &out) || kernc_buffer_create(c, 4 * PLACES, "f", &f) ||
        kernc_buffer_create(c, 8 * PLACES, "p", &p))
        return false;
    kernc_argument args[] = {kernc_arg_buffer("out", out), kernc_arg_buffer("f", f), kernc_arg_buffer("p", p),
                             kernc_arg_int("n", 2)};
    kernc_launch l = {.size = sizeof l,
                      .grid = {BLOCKS},
                      .block = {THREADS_OF_BLOCK},
                      .warp = THREADS_OF_BLOCK, /* the one width of cores in this build */
                      .args = args,
                      .arg_count = COUNT(args),
                      .threads = 2,
                      .flags = KERNC_STATISTICS};
    bool good = kernc_run(k, &l, &s) == KERNC_OK;
    kernc_metrics m = {.size = sizeof m};
    good = good && kernc_statistics_metrics(s, &m);
    w->hash = hash_mix(w->hash, m.warp_instructions);
    w->hash = hash_mix(w->hash, hash_bytes(kernc_buffer_map(out), kernc_buffer_size(out)));
    kernc_statistics_free(s);
    kernc_buffer_free(p);
    kernc_buffer_free(f);
    kernc_buffer_free(out);
    return good;
}

static void *run(void *data)
{
    struct work *w = data;
    for (int i = 0; i < w->count * LAUNCHES && !w->problem; i++) {
        const struct text *program = &w->programs[i % w->count];
        kernc_context_options o = {.size = sizeof o, .output = take_output, .output_user = w};
        kernc_context *c = NULL;
        kernc_module *m;
        kernc_kernel *k;
        if (kernc_context_create(&o, &c) || kernc_module_load(c, program->at, program->length, &m) ||
            kernc_module_kernel(m, "k", &k) || !launch(w, c, k))
            w->problem = w->files[i % w->count];
        if (w->problem)
            snprintf(w->why, sizeof w->why, "%s", c ? kernc_error_text(c) : "no context");
        kernc_context_free(c);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    struct work work[THREADS];
    struct text *programs = calloc((size_t)argc, sizeof *programs);
    int failures = 0;
    for (int i = 1; i < argc; i++) {
        const char *problem = file_read(argv[i], SIZE_MAX / 2, &programs[i - 1]);
        if (problem)
            printf("%s: %s\n", argv[i], problem);
        failures += problem != NULL;
    }
    for (int t = 0; t < THREADS && !failures; t++) {
        work[t] = (struct work){.count = argc - 1, .files = argv + 1, .programs = programs};
        pthread_create(&threads[t], NULL, run, &work[t]);
    }
    for (int t = 0; t < THREADS && !failures; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS && !failures; t++)
        if (work[t].problem || work[t].hash != work[0].hash)
            printf("thread %d: %s: %s\n", t, work[t].problem ? work[t].problem : "all files",
                   work[t].problem ? work[t].why : "it got something else"),
                failures++;
    for (int i = 1; i < argc; i++)
        text_free(&programs[i - 1]);
    free(programs);
    printf("%d contexts in %d threads\n", THREADS * (argc - 1) * LAUNCHES, THREADS);
    return failures != 0;
}
