/* npy.h: the headers of NumPy's .npy files (versions 1.0 to 3.0): magic, version, length, and a Python
 * dictionary of element type, order and shape. The elements' bytes follow.
 */
#ifndef KERNC_NPY_H
#define KERNC_NPY_H

#include "launch/layout.h"

/* The type of an element, in the arena: '<f4'; of a structure [('x', '<f4'), ('', '|V4'), ('n', '<i4', (2,
 * 3))] with a field without a name where padding is, as numpy.lib.format writes it. A pointer is '<u4';
 * what has no layout, or members over each other, is '|V' and its bytes. */
const char *npy_type(struct arena *a, const struct layout *l);
/* The type that stands at *at, which moves behind it, in the same spelling; NULL: it is none. */
const char *npy_read_type(struct arena *a, const char **at);
/* Of a file's beginning: whether elements of this type, of so many bytes, follow in C's order; *data is
 * where they begin, *bytes how many bytes they have by the shape, UINT64_MAX: more than that. NULL, or the
 * message (static text, or of the arena). */
const char *npy_read_header(struct arena *a, const struct text *beginning, const char *type,
                            uint32_t element_bytes, size_t *data, uint64_t *bytes);
/* Appends the header of `count` elements: of one dimension, or, with a width, (height, width) and what is
 * left of the elements in a third. NULL, or the message (static text). */
const char *npy_write_header(const char *type, size_t count, uint32_t width, uint32_t height,
                             struct text *out);

/* Pieces of both: a word behind blanks, if it stands at *at; a string in single or double quotes, without
 * escapes, NULL: there is none. */
bool npy_accept(const char **at, const char *word);
const char *npy_string(struct arena *a, const char **at);

#endif
