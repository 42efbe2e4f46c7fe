/* sections.h: files that hold many small programs, each with what has to come of it.
 *
 *     // ==== NAME
 *
 * or the same behind ; or # begins one: its text is the lines behind that one, up to the next. What stands
 * before the first is about the file. A file without such a line is one program without a name.
 */
#ifndef KERNC_TEST_SECTIONS_H
#define KERNC_TEST_SECTIONS_H

#include "base/base.h"

struct section {
    const char *name; /* NULL: the whole file */
    const char *at;   /* in the file's text */
    size_t length;
    uint32_t line; /* of `at`, the file's first being 1 */
};
typedef VEC(struct section) section_list;

/* At least one. They lie in the arena, and their texts in the file's. */
section_list sections_of(struct arena *a, const struct text *file);

#endif
