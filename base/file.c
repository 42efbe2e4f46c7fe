/* file.c: reading and writing whole files.
 *
 * A regular file is written to a new file beside it, which then takes its name: readers see the old
 * content or the new one, and a failure leaves the old one alone. (Whole with regard to errors and
 * other processes; nothing is forced to the disk.) Pipes and devices are written in place.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char no_memory[] = "not enough memory";
const char file_too_large[] = "the file is too large";

/* ---- reading ------------------------------------------------------------------------------------ */

static const char *read_all(int fd, size_t limit, struct text *t)
{
    char buffer[1 << 14];
    text_add(t, "", 0);
    for (;;) {
        ssize_t n = read(fd, buffer, sizeof buffer);
        if (n == 0)
            return NULL;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return strerror(errno);
        if ((size_t)n > limit - t->length)
            return file_too_large;
        text_add(t, buffer, (size_t)n);
    }
}

/* As read_all; running out of memory is an answer like any other, so that the file gets closed. */
static const char *read_guarded(int fd, size_t limit, struct text *t)
{
    struct mem_guard guard;
    if (mem_guard_enter(&guard))
        return no_memory;
    const char *problem = read_all(fd, limit, t);
    mem_guard_leave(&guard);
    return problem;
}

const char *file_read(const char *path, size_t limit, struct text *t)
{
    t->length = 0;
    if (strcmp(path, "-") == 0)
        return read_guarded(STDIN_FILENO, limit, t);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return strerror(errno);
    const char *problem = read_guarded(fd, limit, t);
    close(fd);
    return problem;
}

/* ---- writing ------------------------------------------------------------------------------------ */

static const char *write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t written = write(fd, bytes, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return strerror(errno);
        bytes += written;
        n -= (size_t)written;
    }
    return NULL;
}

static const char *write_and_close(int fd, const void *bytes, size_t n)
{
    const char *problem = write_all(fd, bytes, n);
    if (close(fd) < 0 && !problem)
        problem = strerror(errno);
    return problem;
}

static const char *write_in_place(const char *path, const void *bytes, size_t n)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd < 0 ? strerror(errno) : write_and_close(fd, bytes, n);
}

/* Opens a file that did not exist, named after `path`; `name` gets its name. */
static int open_beside(const char *path, char *name, size_t room)
{
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(name, room, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Fills the new file `name` and puts it in the place of `path`, or removes it. */
static const char *fill_and_rename(int fd, const char *name, const char *path, const void *bytes, size_t n)
{
    const char *problem = write_and_close(fd, bytes, n);
    if (!problem && rename(name, path) < 0)
        problem = strerror(errno);
    if (problem)
        unlink(name);
    return problem;
}

/* `old` describes the file to be replaced, NULL if there is none; its permissions are kept. */
static const char *replace_file(const char *path, const struct stat *old, const void *bytes, size_t n)
{
    if (old && access(path, W_OK) < 0)
        return strerror(errno);
    size_t room = strlen(path) + 48; /* for what open_beside appends */
    char *name = malloc(room);
    if (!name)
        return no_memory;
    int fd = open_beside(path, name, room);
    if (fd >= 0 && old)
        (void)!fchmod(fd, old->st_mode & 0777); /* some file systems cannot; the content matters more */
    const char *problem = fd < 0 ? strerror(errno) : fill_and_rename(fd, name, path, bytes, n);
    free(name);
    return problem;
}

/* Replaces what a symbolic link points to, not the link. */
static const char *replace_target(const char *path, const struct stat *old, const void *bytes, size_t n)
{
    char *target = realpath(path, NULL);
    const char *problem = target ? replace_file(target, old, bytes, n) : strerror(errno);
    free(target);
    return problem;
}

const char *file_write(const char *path, const void *bytes, size_t n)
{
    if (strcmp(path, "-") == 0) {
        fflush(stdout);
        return write_all(STDOUT_FILENO, bytes, n);
    }
    struct stat old;
    if (stat(path, &old) < 0)
        return errno == ENOENT ? replace_file(path, NULL, bytes, n) : strerror(errno);
    return S_ISREG(old.st_mode) ? replace_target(path, &old, bytes, n) : write_in_place(path, bytes, n);
}
