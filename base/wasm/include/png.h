/* png.h: of libpng's simplified interface what launch/picture_png.c calls. Pictures are written without
 * compression; they are not read. */
#ifndef KERNC_WASM_PNG_H
#define KERNC_WASM_PNG_H

#include <stddef.h>
#include <stdint.h>

enum { PNG_IMAGE_VERSION = 1, PNG_FORMAT_GRAY = 0, PNG_FORMAT_FLAG_COLOR = 2, PNG_FORMAT_RGB = 2 };
enum { PNG_IMAGE_FLAG_16BIT_sRGB = 4 };
typedef struct {
    uint32_t version, width, height, format, flags, warning_or_error;
    char message[64];
} png_image;
typedef struct {
    uint8_t red, green, blue;
} png_color;
typedef size_t png_alloc_size_t;

#define PNG_IMAGE_FAILED(image)       ((image).warning_or_error > 1)
#define PNG_IMAGE_PNG_SIZE_MAX(image) ((uint64_t)1 << 28)
void png_image_free(png_image *image);
int png_image_begin_read_from_memory(png_image *image, const void *at, size_t n);
int png_image_finish_read(png_image *image, const png_color *background, void *to, int stride, void *map);
/* `to` NULL: tells the size. */
int png_image_write_to_memory(png_image *image, void *to, size_t *n, int to_8_bit, const void *pixels,
                              int stride, const void *map);
#define png_image_write_get_memory_size(image, n, to_8_bit, pixels, stride, map)                             \
    png_image_write_to_memory(&(image), NULL, &(n), to_8_bit, pixels, stride, map)
#endif
