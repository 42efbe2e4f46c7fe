/* picture.h: pictures as pixels of 8-bit channels, row by row from the top; PNG files hold them. */
#ifndef KERNC_PICTURE_H
#define KERNC_PICTURE_H

#include "base/base.h"

/* pixels: width * height bytes of grey, or three times as many: red, green, blue. */
struct picture {
    uint32_t width, height;
    bool color;
    unsigned char *pixels;
};

/* A PNG file of any kind: its channels are brought to 8 bits, transparent parts lie on black; with
 * `color` a grey one becomes colour. The pixels (malloc; the caller frees them, also after a failure) take at
 * most `limit` bytes. NULL, or the message (static text, or of the arena). */
const char *png_read(struct arena *a, const struct text *file, size_t limit, bool color, struct picture *p);
/* Appends the picture as a PNG file. NULL, or the message (as above). */
const char *png_write(struct arena *a, const struct picture *p, struct text *out);

#endif
