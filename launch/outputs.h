/* outputs.h: what becomes of buffers after a launch: printed, or saved as files.def says of
 * their names.
 */
#ifndef KERNC_LAUNCH_OUTPUTS_H
#define KERNC_LAUNCH_OUTPUTS_H

#include "launch/launch.h"

/* A buffer after the launch. */
struct view {
    const char *name;
    const unsigned char *bytes;
    size_t n;
    uint32_t element, element_bytes;
    const char *layout;
};

/* Appends one line. NULL, or the message (static text, or of the arena). */
const char *output_show(struct arena *a, const struct launch_output *o, const struct view *v, struct text *t);
/* The file's content. NULL, or the message (static text, or of the arena). */
const char *output_encode(struct arena *a, const struct launch_output *o, const struct view *v,
                          struct text *t);

#endif
