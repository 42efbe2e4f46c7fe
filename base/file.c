/* file.c: reading and writing whole files.
 *
 * A regular file is written to a new file beside it, which then takes its name: readers see the old
 * content or the new one, and a failure leaves the old one alone. (Whole with regard to errors, signals and
 * other processes; nothing is forced to the disk.) Pipes and devices are written in place.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

const char file_too_large[] = "the file is too large";

/* ---- reading ------------------------------------------------------------------------------------ */

struct reading {
    int fd;
    uint64_t size;
    size_t limit, peek;
    file_look *look; /* NULL: there is none, or the beginning has been seen */
    void *data;
    struct text *text;
};

/* What there is too much of is not read. */
static const char *see_beginning(struct reading *r)
{
    file_look *look = r->look;
    r->look = NULL;
    const char *problem = look ? look(r->data, r->text, r->size, &r->limit) : NULL;
    bool large = r->text->length > r->limit || (r->size != FILE_SIZE_UNKNOWN && r->size > r->limit);
    return !problem && large ? file_too_large : problem;
}

static const char *read_all(struct reading *r)
{
    char buffer[1 << 14];
    const char *problem = NULL;
    text_add(r->text, "", 0);
    while (!problem) {
        ssize_t n = read(r->fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return strerror(errno);
        if (n == 0)
            return see_beginning(r);
        text_add(r->text, buffer, (size_t)n);
        if (r->text->length >= r->peek)
            problem = see_beginning(r);
    }
    return problem;
}

/* Of what is to be read. */
static uint64_t size_of(int fd)
{
    struct stat s;
    off_t at = lseek(fd, 0, SEEK_CUR);
    bool known =
        at >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > at; /* those of /proc have 0 */
    return known ? (uint64_t)(s.st_size - at) : FILE_SIZE_UNKNOWN;
}

const char *file_read_after(const char *path, size_t limit, size_t peek, file_look *look, void *data,
                            struct text *t)
{
    struct mem_guard guard;
    struct reading r = {.limit = limit, .peek = peek, .look = look, .data = data, .text = t};
    bool standard = strcmp(path, "-") == 0;
    t->length = 0;
    r.fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (r.fd < 0)
        return strerror(errno);
    r.size = size_of(r.fd);
    if (mem_guard_enter(&guard)) { /* handed on when the file is closed */
        if (!standard)
            close(r.fd);
        mem_fail(t->length);
    }
    const char *problem = read_all(&r);
    mem_guard_leave(&guard);
    if (!standard)
        close(r.fd);
    return problem;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

const char *file_read(const char *path, size_t limit, struct text *t)
{
    return file_read_after(path, limit, 0, NULL, NULL, t);
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

/* `old` describes the file to be replaced, NULL if there is none; its permissions are kept. Signals that
 * end the process wait meanwhile: none leaves the new file behind. */
static const char *replace_file(struct arena *a, const char *path, const struct stat *old, const void *bytes,
                                size_t n)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    if (old && access(path, W_OK) < 0)
        return strerror(errno);
    size_t room = strlen(path) + 48; /* for what open_beside appends */
    char *name = arena_alloc(a, room);
    sigset_t signals, before;
    sigfillset(&signals);
    for (size_t i = 0; i < COUNT(faults); i++)
        sigdelset(&signals, faults[i]);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    int fd = open_beside(path, name, room);
    if (fd >= 0 && old)
        (void)!fchmod(fd, old->st_mode & 0777); /* some file systems cannot; the content matters more */
    const char *problem = fd < 0 ? strerror(errno) : fill_and_rename(fd, name, path, bytes, n);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return problem;
}

/* Where symbolic links lead to from the path, the last of them perhaps to a file that is not there yet:
 * that is the one to be made or replaced, and the links stay. */
static const char *follow_links(struct arena *a, const char *path)
{
    enum { MOST = 40 }; /* as Linux has it */
    char to[PATH_MAX];
    for (int i = 0; i < MOST; i++) {
        ssize_t n = readlink(path, to, sizeof to - 1);
        if (n < 0)
            break;
        to[n] = 0;
        const char *slash = strrchr(path, '/');
        path = *to == '/' || !slash ? arena_strdup(a, to, (size_t)n)
                                    : arena_printf(a, "%.*s/%s", (int)(slash - path), path, to);
    }
    return path;
}

bool file_is_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_ino && x.st_ino == y.st_ino &&
           x.st_dev == y.st_dev;
}

/* The stream of this process that goes to the file, as /dev/stdout does; -1: none. */
static int stream_to(const struct stat *file)
{
    struct stat s;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &s) == 0 && s.st_dev == file->st_dev && s.st_ino == file->st_ino)
            return fd;
    return -1;
}

static const char *write_to_stream(int fd, const void *bytes, size_t n)
{
    fflush(stdout);
    return write_all(fd, bytes, n);
}

static const char *write_file(struct arena *a, const char *path, const void *bytes, size_t n)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (!exists && errno != ENOENT)
        return strerror(errno);
    int stream = exists ? stream_to(&old) : -1;
    if (stream >= 0)
        return write_to_stream(stream, bytes, n);
    if (exists && !S_ISREG(old.st_mode))
        return write_in_place(path, bytes, n);
    return replace_file(a, follow_links(a, path), exists ? &old : NULL, bytes, n);
}

const char *file_write(const char *path, const void *bytes, size_t n)
{
    struct scratch scratch;
    if (strcmp(path, "-") == 0)
        return write_to_stream(STDOUT_FILENO, bytes, n);
    const char *problem = write_file(scratch_begin(&scratch), path, bytes, n);
    scratch_end(&scratch);
    return problem;
}
