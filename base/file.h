/* file.h: reading a file that says at its beginning how long it is to be. base.h has the simple cases. */
#ifndef KERNC_BASE_FILE_H
#define KERNC_BASE_FILE_H

#include "base/base.h"

#define FILE_SIZE_UNKNOWN UINT64_MAX /* of a pipe or a device */

/* Sees the beginning of a file before the rest is read, and the size of all of it; may lower *limit, the
 * bytes that are read at most. NULL, or why the rest need not be read. */
typedef const char *file_look(void *data, const struct text *beginning, uint64_t size, size_t *limit);

/* As file_read; `look` is called once, when `peek` bytes have been read, or all. */
const char *file_read_after(const char *path, size_t limit, size_t peek, file_look *look, void *data,
                            struct text *t);

#endif
