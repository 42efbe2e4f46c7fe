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

static atomic_bool counts, goes_on;
static atomic_long count, wanted;

void failing_begin(long k, bool onwards)
{
    atomic_store(&count, 0);
    atomic_store(&wanted, k);
    atomic_store(&goes_on, onwards);
    atomic_store(&counts, true);
}

long failing_end(void)
{
    atomic_store(&counts, false);
    return atomic_load(&count);
}

static bool fails(void)
{
    if (!atomic_load_explicit(&counts, memory_order_relaxed))
        return false;
    long n = atomic_fetch_add(&count, 1) + 1, k = atomic_load(&wanted);
    bool failed = k > 0 && (n == k || (n > k && atomic_load(&goes_on)));
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
