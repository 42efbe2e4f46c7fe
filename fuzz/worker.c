/* worker.c: trying programs in child processes. A worker takes a range of seeds and sends a record before and
 * after each, so that the one that killed it is known; another takes over behind it.
 */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK  50 /* seeds a worker takes at a time */
#define ASLEEP 20 /* times the patience, of real time: a worker that rests so long waits for nothing */

/* Written and read as a whole. */
struct record {
    uint64_t seed;
    bool finished;
    struct fz_verdict verdict;
};
_Static_assert(sizeof(struct record) <= PIPE_BUF, "a record goes through a pipe in one piece");

struct worker {
    pid_t pid;          /* 0: none */
    int pipe, errors;   /* what it sends; a nameless file for its stderr */
    uint64_t next, end; /* seeds it has still to begin */
    uint64_t seed;      /* the one it is at, if busy */
    bool busy;
    double spent;         /* processor time that it had had when it began it */
    double had, advanced; /* processor time when last looked at, and when that was seen to grow */
};

/* Where all workers of this process leave the setup they are at; one slot a worker, shared with the children.
 */
static struct fz_setup *share_setups(uint32_t count)
{
    void *p = mmap(NULL, count * sizeof(struct fz_setup), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                   -1, 0);
    if (p == MAP_FAILED)
        mem_fail(count * sizeof(struct fz_setup));
    return p;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds of processor time that the process has had; 0: it has ended. */
static double spent_by(pid_t pid)
{
    struct timespec t;
    clockid_t clock;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
        return 0;
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the child's side -------------------------------------------------------------------------------- */

static void report(int to, uint64_t seed, const struct fz_verdict *verdict)
{
    struct record r = {.seed = seed, .finished = verdict != NULL};
    if (verdict)
        r.verdict = *verdict;
    if (write(to, &r, sizeof r) != (ssize_t)sizeof r)
        _exit(1);
}

struct work {
    const struct fz_options *o;
    const struct fz_class *class; /* programs of seeds next to end - 1 */
    const struct fz_program *p;   /* or this one, under its plan */
    const fz_setup_vec *plan;
    uint64_t next, end;
};

static void do_seed(const struct work *w, uint64_t seed, int to, struct fz_setup *at)
{
    struct arena arena = {0};
    fz_setup_vec plan = {0};
    report(to, seed, NULL);
    struct fz_program *p = fz_make(w->o, w->class, seed, &arena);
    fz_plan(w->o, p, &arena, &plan);
    struct fz_verdict v = fz_try(p, &plan, at);
    report(to, seed, &v);
    arena_free(&arena);
}

_Noreturn static void child(const struct work *w, int to, struct fz_setup *at)
{
    struct rlimit no_core = {0, 0};
    struct mem_guard guard;
    struct fz_verdict no_memory = {.outcome = FZ_NO_MEMORY};
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* the parent hears it, and ends this process */
    if (mem_guard_enter(&guard)) {
        report(to, w->next, &no_memory);
        _exit(0);
    }
    if (w->p) {
        struct fz_verdict v = fz_try(w->p, w->plan, at);
        report(to, 0, &v);
        _exit(0);
    }
    for (uint64_t seed = w->next; seed < w->end; seed++)
        do_seed(w, seed, to, at);
    _exit(0);
}

/* ---- the parent's side ------------------------------------------------------------------------------- */

static void begin_seed(struct worker *k)
{
    k->spent = k->had = spent_by(k->pid);
    k->advanced = now();
}

/* False: the host has none, as errno says. */
static bool start(struct worker *k, const struct work *w, struct fz_setup *at)
{
    int ends[2];
    *at = (struct fz_setup){0};
    k->errors = memfd_create("stderr", MFD_CLOEXEC);
    if (k->errors < 0)
        return false;
    fflush(NULL);
    bool piped = pipe(ends) == 0;
    k->pid = piped ? fork() : -1;
    if (k->pid < 0) {
        int why = errno;
        k->pid = 0;
        close(k->errors);
        if (piped)
            close(ends[0]), close(ends[1]);
        errno = why;
        return false;
    }
    if (k->pid == 0) {
        close(ends[0]);
        dup2(k->errors, STDERR_FILENO);
        child(w, ends[1], at);
    }
    close(ends[1]);
    k->pipe = ends[0];
    k->next = w->next, k->end = w->end;
    begin_seed(k);
    return true;
}

/* The first line the child left on stderr. */
static void last_words(const struct worker *k, char *text, size_t size)
{
    ssize_t n = pread(k->errors, text, size - 1, 0);
    text[n > 0 ? n : 0] = 0;
    text[strcspn(text, "\n")] = 0;
}

/* Waits for a child that has ended or is to end; what its death says if it was at work. */
static struct fz_verdict reap(struct worker *k, bool hung, const struct fz_setup *at)
{
    static const char internal[] = "kernc: internal error at ";
    struct fz_verdict v = {.outcome = hung ? FZ_HUNG : FZ_CRASHED, .setup = *at};
    char words[400];
    int status = 0;
    if (hung)
        kill(k->pid, SIGKILL);
    while (waitpid(k->pid, &status, 0) < 0 && errno == EINTR)
        ;
    last_words(k, words, sizeof words);
    if (WIFSIGNALED(status) && !hung && strncmp(words, internal, sizeof internal - 1) == 0) {
        v.outcome = FZ_BUG;
        snprintf(v.text, sizeof v.text, "%s", words + sizeof internal - 1);
    } else if (WIFSIGNALED(status) && !hung) {
        snprintf(v.text, sizeof v.text, "%s%s%s", strsignal(WTERMSIG(status)), *words ? ": " : "", words);
    } else {
        snprintf(v.text, sizeof v.text, "%s%s", hung ? "no end in sight" : "it left without a word", words);
    }
    close(k->pipe);
    close(k->errors);
    k->pid = 0;
    return v;
}

static bool receive(struct worker *k, struct record *r)
{
    ssize_t n;
    while ((n = read(k->pipe, r, sizeof *r)) < 0 && errno == EINTR)
        ;
    return n == (ssize_t)sizeof *r;
}

/* Milliseconds until the patience with k may end; 0: it has. What counts is processor time: on a busy machine
 * programs take long that have an end. */
static int patience_left(struct worker *k, uint32_t patience)
{
    double had = spent_by(k->pid);
    if (had > k->had)
        k->advanced = now();
    k->had = had;
    double left = k->spent + patience - had, rest = k->advanced + ASLEEP * patience - now();
    left = left < rest ? left : rest;
    return left <= 0 ? 0 : (int)(left * 1000) + 1;
}

struct fz_verdict fz_try_in_child(const struct fz_options *o, const struct fz_program *p,
                                  const fz_setup_vec *plan)
{
    struct fz_setup *at = share_setups(1);
    struct worker k = {0};
    struct work w = {.p = p, .plan = plan};
    struct fz_verdict v;
    struct record r;
    if (!start(&k, &w, at)) {
        munmap(at, sizeof *at);
        return (struct fz_verdict){.outcome = FZ_NO_MEMORY};
    }
    struct pollfd fd = {k.pipe, POLLIN, 0};
    int ready;
    do
        ready = fz_interrupted(o) ? 0 : poll(&fd, 1, patience_left(&k, o->patience));
    while ((ready < 0 && errno == EINTR) ||
           (ready == 0 && !fz_interrupted(o) && patience_left(&k, o->patience)));
    bool answered = ready > 0 && receive(&k, &r);
    v = reap(&k, ready == 0, at);
    munmap(at, sizeof *at);
    return answered ? r.verdict : v;
}

/* ---- a class ----------------------------------------------------------------------------------------- */

struct crew {
    const struct fz_options *o;
    const struct fz_class *class;
    struct arena *arena;
    struct fz_result *result;
    struct fz_setup *at;
    struct worker workers[FZ_MAX_JOBS];
    uint64_t next; /* seed that no worker has been given */
};

/* The first one says why no more programs are tried. */
static void stop(struct crew *c, const char *why)
{
    if (!c->result->problem)
        c->result->problem =
            arena_printf(c->arena, "no process to try class %c in: %s", c->class->letter, why);
}

static void take_verdict(struct crew *c, uint64_t seed, const struct fz_verdict *v)
{
    if (v->outcome == FZ_NO_MEMORY) {
        stop(c, "not enough memory");
        return;
    }
    c->result->programs++;
    c->result->runs += v->runs;
    c->result->yielding += v->sums.yields > 0;
    c->result->sums.yields += v->sums.yields;
    c->result->sums.warp_instructions += v->sums.warp_instructions;
    if (v->outcome != FZ_RIGHT) {
        struct fz_failure f = {seed, *v};
        vec_push(c->arena, &c->result->failures, f);
    }
    for (uint32_t i = 0; c->o->executed && i < v->executed_count; i++) {
        struct fz_row row = {seed, v->executed[i]};
        vec_push(c->arena, &c->result->rows, row);
    }
    if (c->o->progress)
        c->o->progress(c->o->data, c->class->letter, c->result->programs, c->result->failures.count);
}

static void give_work(struct crew *c, struct worker *k)
{
    uint64_t all = c->o->seed + c->o->count;
    if (k->next >= k->end) {
        k->next = c->next;
        k->end = all - c->next < CHUNK ? all : c->next + CHUNK;
        c->next = k->end;
    }
    if (k->next < k->end) {
        struct work w = {.o = c->o, .class = c->class, .next = k->next, .end = k->end};
        if (!start(k, &w, &c->at[k - c->workers]))
            stop(c, strerror(errno));
    }
}

static void worker_ended(struct crew *c, struct worker *k, bool hung)
{
    struct fz_verdict v = reap(k, hung, &c->at[k - c->workers]);
    if (k->busy)
        take_verdict(c, k->seed, &v);
    else if (k->next < k->end) /* died between two programs: the next one bears it */
        take_verdict(c, k->next++, &v);
    k->busy = false;
    give_work(c, k);
}

static void receive_all(struct crew *c, struct worker *k)
{
    struct record r;
    if (!receive(k, &r)) {
        worker_ended(c, k, false);
        return;
    }
    k->busy = !r.finished;
    k->seed = r.seed;
    k->next = r.seed + 1;
    begin_seed(k);
    if (r.finished)
        take_verdict(c, r.seed, &r.verdict);
}

/* Waits for news of any worker; false: there are none left. */
static bool poll_workers(struct crew *c)
{
    struct pollfd fds[FZ_MAX_JOBS];
    struct worker *of[FZ_MAX_JOBS];
    int count = 0, wait = 1 << 30;
    for (uint32_t i = 0; i < c->o->jobs; i++) {
        struct worker *k = &c->workers[i];
        if (!k->pid)
            continue;
        int left = patience_left(k, c->o->patience);
        wait = left < wait ? left : wait;
        fds[count] = (struct pollfd){k->pipe, POLLIN, 0};
        of[count++] = k;
    }
    if (count == 0)
        return false;
    poll(fds, (nfds_t)count, wait);
    for (int i = 0; i < count; i++) {
        if (fds[i].revents)
            receive_all(c, of[i]);
        else if (patience_left(of[i], c->o->patience) == 0)
            worker_ended(c, of[i], true);
    }
    return true;
}

/* Those that are still at work. */
static void end_workers(struct crew *c)
{
    for (uint32_t i = 0; i < c->o->jobs; i++)
        if (c->workers[i].pid)
            reap(&c->workers[i], true, &c->at[i]);
}

static int by_seed(const void *a, const void *b)
{
    uint64_t x = ((const struct fz_failure *)a)->seed, y = ((const struct fz_failure *)b)->seed;
    return x < y ? -1 : x > y;
}

static int by_seed_and_setup(const void *a, const void *b)
{
    const struct fz_row *x = a, *y = b;
    const struct fz_executed *p = &x->executed, *q = &y->executed;
    if (x->seed != y->seed)
        return x->seed < y->seed ? -1 : 1;
    if (p->scheme != q->scheme)
        return p->scheme < q->scheme ? -1 : 1;
    return p->level != q->level ? (int)p->level - (int)q->level : (int)p->width - (int)q->width;
}

void fz_run_class(const struct fz_options *o, const struct fz_class *class, struct arena *a,
                  struct fz_result *result)
{
    struct crew c = {.o = o, .class = class, .arena = a, .result = result, .next = o->seed};
    *result = (struct fz_result){0};
    c.at = share_setups(o->jobs);
    for (uint32_t i = 0; i < o->jobs; i++)
        give_work(&c, &c.workers[i]);
    while (!fz_interrupted(o) && !result->problem && poll_workers(&c))
        ;
    end_workers(&c);
    munmap(c.at, o->jobs * sizeof *c.at);
    if (result->failures.count)
        qsort(result->failures.at, result->failures.count, sizeof *result->failures.at, by_seed);
    if (result->rows.count)
        qsort(result->rows.at, result->rows.count, sizeof *result->rows.at, by_seed_and_setup);
}
