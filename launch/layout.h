/* layout.h: how the elements of a buffer are laid out: which numbers are where, by the names of the source.
 *
 * Its text form is what compiled programs carry of a structure:
 *
 *   layout = "{" [ member { "," member } ] "}" bytes
 *   member = name ":" ( element [ "2" | "3" | "4" ] | "pointer" | layout ) { "[" count "]" } "@" offset
 *
 * `{x:float@0,n:int[2]@4,in:{p:uchar4@0}4[3]@12}24`. Members of a union lie over each other. A text is
 * read with suspicion: what it describes lies within the bytes it names.
 */
#ifndef KERNC_LAYOUT_H
#define KERNC_LAYOUT_H

#include "launch/launch.h"

#define LAYOUT_MAX_TEXT  ((size_t)65535) /* bytes of the text form; a structure with a longer one has none */
#define LAYOUT_MAX_DEPTH 256             /* structures inside each other */

enum layout_kind { LAYOUT_NUMBER, LAYOUT_POINTER, LAYOUT_STRUCTURE, LAYOUT_UNKNOWN };
struct layout {
    const char *name; /* of a member */
    enum layout_kind kind;
    enum launch_element element;   /* NUMBER */
    uint32_t scalars;              /* NUMBER: 2 to 4 of a vector, else 1 */
    uint32_t bytes;                /* of one, without the dimensions; at least 1 */
    uint32_t offset;               /* from the beginning of what it is in */
    VEC(uint32_t) counts;          /* dimensions of an array, the outermost first */
    struct layout *members, *next; /* STRUCTURE */
};

/* Reads the text form into the arena. NULL, or what is wrong with it (static text). */
const char *layout_parse(struct arena *a, const char *text, struct layout *l);
/* Bytes of a member, all elements of an array; saturates. */
uint64_t layout_bytes(const struct layout *l);
/* Whether it is a layout of so many bytes; NULL is one of anything. */
bool layout_is_good(const char *text, uint32_t bytes);
/* The layout of a buffer's elements: of a structure `text` is the text form, or NULL: UNKNOWN. The text has
 * been found good. */
struct layout layout_of(struct arena *a, enum launch_element e, uint32_t bytes, const char *text);
/* Goes to a part of it: path is "", or ".member" and "[index]" one after the other; of a vector, members are
 * x, y, z and w. The part's offset is from the beginning of the whole. NULL, or the message (of the arena). */
const char *layout_find(struct arena *a, const struct layout *whole, const char *path, struct layout *part);

/* The path of the number or pointer at the offset in a whole that is a structure; of members that lie over each
 * other the first. Ends at the innermost part that has the offset. In the arena. */
const char *layout_path(struct arena *a, const struct layout *whole, uint32_t offset);

/* Appends the value at `bytes`: numbers in the shortest way that reads back the same, (x y) a vector, {1, 2} an
 * array, {a = 1, b = 2} a structure, <0a0b> what is unknown. `hex`: the bits of each number, 0x0000002a. */
void layout_print(const struct layout *l, const unsigned char *bytes, bool hex, struct text *out);
/* Appends one number. */
void layout_print_number(enum launch_element e, const unsigned char *bytes, struct text *out);

/* Each number of a layout, in order: its name, "in.0.p.x", and where it is in the whole. */
struct layout_leaf {
    const char *name;
    struct layout layout;
};
typedef VEC(struct layout_leaf) layout_leaves;
layout_leaves layout_leaves_of(struct arena *a, const struct layout *l);
/* Appends their names or, `bytes` not NULL, their values; the separator stands between them. */
void layout_row(const layout_leaves *leaves, const unsigned char *bytes, char separator, struct text *out);

/* ---- layout_fill.c ------------------------------------------------------------------------------------- */

/* Appends the elements of a list, "{{1, .n = {2, 3}}, {4}}", as C initialises an array of what is laid out
 * so. NULL, or the message (static text, or of the arena): over the limit of bytes it is launch_too_large. */
const char *layout_fill(struct arena *a, const struct layout *l, const char *text, size_t limit,
                        struct text *bytes);
/* Appends the text of such a list that has the bytes of so many elements; pointers are 0. */
void layout_print_list(const struct layout *l, const uint8_t *bytes, size_t count, struct text *out);
/* As layout_fill, from a table: a line for each element, values between commas or blanks, all that
 * layout_row writes, or those that a first line of names says. */
const char *layout_read_rows(struct arena *a, const struct layout *l, const char *text, size_t limit,
                             struct text *bytes);

#endif
