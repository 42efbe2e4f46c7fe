/* memory.c: the host's heap behind one failure path.
 *
 * Every allocation of kernc, arena chunks included, comes through mem_alloc or mem_realloc. A failure
 * unwinds to the innermost mem_guard of the thread; all state here is per thread, so threads neither
 * share guards nor disturb each other's test rig.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)

static _Thread_local struct mem_guard *innermost;
static _Thread_local struct scratch *innermost_scratch;
static _Thread_local long fail_in; /* allocations until the rigged failure; <= 0: none rigged */

static _Thread_local struct {
    const char *what, *of;
} context;

void bug_context(const char *what, const char *of)
{
    context.what = what;
    context.of = of;
}

void bug_at(const char *file, int line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "kernc: internal error at %s:%d", file, line);
    if (context.what)
        fprintf(stderr, " in %s on %s", context.what, context.of);
    fputs(": ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

void mem_guard_push(struct mem_guard *g)
{
    g->outer = innermost;
    g->armed = true;
    g->scratch = innermost_scratch;
    innermost = g;
}

/* Leaving twice is harmless, so that cleaning up may be shared by the good and the failure path. */
void mem_guard_leave(struct mem_guard *g)
{
    if (!g->armed)
        return;
    INVARIANT(innermost == g);
    innermost = g->outer;
    g->armed = false;
}

struct mem_outside mem_go_outside(void)
{
    struct mem_outside o = {innermost, innermost_scratch};
    innermost = NULL;
    innermost_scratch = NULL;
    return o;
}

void mem_come_back(struct mem_outside o)
{
    innermost = o.guard;
    innermost_scratch = o.scratch;
}

void mem_fail(size_t bytes)
{
    struct mem_guard *g = innermost;
    if (!g) {
        fprintf(stderr, "kernc: not enough memory (%zu bytes asked for)\n", bytes);
        abort();
    }
    while (innermost_scratch != g->scratch)
        scratch_end(innermost_scratch);
    mem_guard_leave(g);
    longjmp(g->jump, 1);
}

struct arena *scratch_begin(struct scratch *s)
{
    *s = (struct scratch){.outer = innermost_scratch};
    if (s->outer) {
        s->arena = s->outer->spare;
        arena_init(&s->outer->spare);
    }
    innermost_scratch = s;
    return &s->arena;
}

void scratch_end(struct scratch *s)
{
    INVARIANT(innermost_scratch == s);
    innermost_scratch = s->outer;
    arena_free(&s->spare);
    if (s->outer && !s->outer->spare.chunks) {
        arena_reset(&s->arena);
        s->outer->spare = s->arena;
    } else {
        arena_free(&s->arena);
    }
}

void mem_fail_after(long allocations)
{
    fail_in = allocations;
}

static bool rigged_to_fail(void)
{
    return fail_in > 0 && --fail_in == 0;
}

void mem_prefer_huge_pages(void *at, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = ((uintptr_t)at + page - 1) / page * page;
    if (bytes >= HUGE_PAGE)
        madvise((void *)begin, (uintptr_t)at + bytes - begin, MADV_HUGEPAGE);
#else
    UNUSED(at);
    UNUSED(bytes);
#endif
}

void *mem_alloc(size_t bytes)
{
    void *p = rigged_to_fail() ? NULL : calloc(1, bytes ? bytes : 1);
    if (!p)
        mem_fail(bytes);
    mem_prefer_huge_pages(p, bytes);
    return p;
}

void *mem_realloc(void *old, size_t bytes)
{
    void *p = rigged_to_fail() ? NULL : realloc(old, bytes ? bytes : 1);
    if (!p)
        mem_fail(bytes);
    mem_prefer_huge_pages(p, bytes);
    return p;
}

void mem_free(void *p)
{
    free(p);
}
