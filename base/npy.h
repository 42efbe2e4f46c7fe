/* npy.h: the headers of NumPy's .npy files (versions 1.0 to 3.0): magic, version, length, and a Python
 * dictionary of element type, order and shape. The elements' bytes follow.
 */
#ifndef KERNC_NPY_H
#define KERNC_NPY_H

#include "base/launch.h"

/* Checks that the file holds elements of this type in C's order, as many as its shape says; *data is where
 * they begin. NULL, or the message (static text, or of the arena). */
const char *npy_read_header(struct arena *a, const struct text *file, enum launch_element e,
                            uint32_t element_bytes, size_t *data);
/* Appends the header of `count` elements: of one dimension, or, with a width, (height, width) and what is
 * left of the elements in a third. NULL, or the message (static text). */
const char *npy_write_header(enum launch_element e, uint32_t element_bytes, size_t count, uint32_t width,
                             uint32_t height, struct text *out);

#endif
