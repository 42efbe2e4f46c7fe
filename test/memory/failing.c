/* failing.c: see failing.h. The executable's functions come before those of shared libraries. */
#include "test/memory/failing.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In memory that the processes share which this one forks: their requests count as well. */
static struct shared {
    atomic_bool counts, goes_on;
    atomic_long count, wanted;
} * shared;

void failing_begin(long k, bool onwards)
{
    if (!shared)
        shared = (void *)syscall(SYS_mmap, NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    atomic_store(&shared->count, 0);
    atomic_store(&shared->wanted, k);
    atomic_store(&shared->goes_on, onwards);
    atomic_store(&shared->counts, true);
}

long failing_end(void)
{
    atomic_store(&shared->counts, false);
    return atomic_load(&shared->count);
}

static bool fails(void)
{
    if (!shared || !atomic_load_explicit(&shared->counts, memory_order_relaxed))
        return false;
    long n = atomic_fetch_add(&shared->count, 1) + 1, k = atomic_load(&shared->wanted);
    bool failed = k > 0 && (n == k || (n > k && atomic_load(&shared->goes_on)));
    if (failed)
        errno = ENOMEM;
    return failed;
}

/* ---- memory: behind it the address sanitizer's functions, where there are such, or the C library's ---- */

#define REPLACES __attribute__((visibility("default")))

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__interceptor_malloc(size_t) __attribute__((weak));
extern void *__interceptor_calloc(size_t, size_t) __attribute__((weak));
extern void *__interceptor_realloc(void *, size_t) __attribute__((weak));

REPLACES void *malloc(size_t n)
{
    if (fails())
        return NULL;
    return __interceptor_malloc ? __interceptor_malloc(n) : __libc_malloc(n);
}

REPLACES void *calloc(size_t n, size_t size)
{
    if (fails())
        return NULL;
    return __interceptor_calloc ? __interceptor_calloc(n, size) : __libc_calloc(n, size);
}

REPLACES void *realloc(void *p, size_t n)
{
    if (fails())
        return NULL;
    return __interceptor_realloc ? __interceptor_realloc(p, n) : __libc_realloc(p, n);
}

/* ---- mappings, threads --------------------------------------------------------------------------------- */

REPLACES void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    return fails() ? MAP_FAILED : (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}

REPLACES int mprotect(void *at, size_t n, int protection)
{
    return fails() ? -1 : (int)syscall(SYS_mprotect, at, n, protection);
}

REPLACES int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                            void *data)
{
    static __typeof__(pthread_create) *real;
    if (fails())
        return EAGAIN;
    if (!real)
        real = (__typeof__(real))dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attributes, run, data);
}
