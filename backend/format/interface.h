/* interface.h: what a compiled program and its host agree upon, whichever machine the program is for: types
 * of values that pass between them, kernel parameters. Part of the format half: stands on base and launch.
 */
#ifndef KERNC_BACKEND_INTERFACE_H
#define KERNC_BACKEND_INTERFACE_H

#include "base/base.h"
#include "base/conversion.h"
#include "launch/launch.h"

enum be_value { BE_VOID, BE_I1, BE_I32, BE_I64, BE_F32, BE_F64, BE_PTR };

/* `text`: its type as the source writes it. Of a pointer `element` (enum launch_element) and `element_bytes`
 * say what it points to, and of one to structures `layout` (launch/layout.h, or NULL) where their numbers
 * are. */
struct be_param {
    const char *name, *text;
    uint8_t type, element;
    uint32_t element_bytes;
    bool pointer;
    const char *layout;
};

/* A kernel's array in shared memory of which a launch says how many elements it has. Such arrays lie in their
 * order behind all other shared memory of the program, each BE_UNSIZED_AT a byte behind the end of the one
 * before it, so that no pointer to an array's end is one to the next. The words of a launch are the arguments
 * of the kernel's parameters, and behind them the addresses of these arrays. */
struct be_unsized {
    const char *name;
    uint32_t bytes; /* of an element */
};
typedef VEC(struct be_unsized) be_unsized_vec;
/* Whether there are at most LAUNCH_MAX_SHARED, with names, and elements of 1 to `most` bytes. */
bool be_unsized_are_good(const be_unsized_vec *all, uint32_t most);
#define BE_BAD_UNSIZED                                                                                       \
    "too many unsized arrays in shared memory, or one without a name or with too large elements"
/* Where the first begins behind so many bytes of other shared memory. */
#define BE_UNSIZED_AT(end) ((end) ? ((end) + 15) / 16 * 16 : 16u)

/* What is wrong with a program without kernels, and how to have one: behind the file's name. */
#define BE_NO_KERNEL                                                                                          \
    "no kernel to run: one begins with 'kernel void', as in 'kernel void k(global int *out) { … }', and a " \
    "launch gives its arguments: 'launch k(out = zeros(64)) grid(2) block(32) show(out);'"

/* Names and kinds that a reader of these rows relies on. */
bool be_param_is_good(const struct be_param *p);

/* What printf takes a value of this type for; CONVERSION_NONE: it does not print it. */
enum conversion_operand be_printed(enum be_value t);

#endif
