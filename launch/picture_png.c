/* picture_png.c: see picture.h. libpng's simplified interface reports errors by its results, so that no
 * longjmp of libpng's crosses our frames.
 */
#include "launch/picture.h"

#include <png.h>
#include <stdlib.h>

/* libpng has but words to say that it has no memory. */
static const char *failed(struct arena *a, png_image *image, const char *what)
{
    png_image_free(image);
    if (strstr(image->message, "memory"))
        mem_fail(0);
    return arena_printf(a, "%s: %s", what, image->message);
}

static const char damaged[] = "this is no whole PNG file";

/* libpng reads no further than the last row, and takes a file without an end. */
static bool has_end(const struct text *file)
{
    static const char end[] = "IEND\xae\x42\x60\x82";
    return file->length && memmem(file->at, file->length, end, sizeof end - 1);
}

const char *png_read(struct arena *a, const struct text *file, size_t limit, bool color, struct picture *p)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    const png_color black = {0};
    *p = (struct picture){0};
    if (!has_end(file))
        return damaged;
    if (!png_image_begin_read_from_memory(&image, file->at, file->length))
        return failed(a, &image, damaged);
    *p = (struct picture){image.width, image.height, color || image.format & PNG_FORMAT_FLAG_COLOR, NULL};
    image.format = p->color ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    uint64_t bytes = (uint64_t)p->width * p->height * (p->color ? 3 : 1);
    p->pixels = bytes <= limit ? malloc(bytes) : NULL;
    if (!p->pixels) {
        png_image_free(&image);
        if (bytes <= limit)
            mem_fail(bytes);
        return "the picture is larger than the limit (argument_bytes)";
    }
    if (!png_image_finish_read(&image, &black, p->pixels, 0, NULL))
        return failed(a, &image, damaged);
    bool doubtful = PNG_IMAGE_FAILED(image) || image.warning_or_error;
    const char *problem = doubtful ? arena_printf(a, "%s: %s", damaged, image.message) : NULL;
    png_image_free(&image);
    return problem;
}

const char *png_write(struct arena *a, const struct picture *p, struct text *out)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = p->width, .height = p->height};
    png_alloc_size_t n = 0;
    image.format = p->color ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    if ((uint64_t)p->width * p->height > PNG_IMAGE_PNG_SIZE_MAX(image) ||
        !png_image_write_get_memory_size(image, n, 0, p->pixels, 0, NULL))
        return failed(a, &image, "libpng cannot write the picture");
    char *bytes = malloc(n);
    if (!bytes)
        mem_fail(n);
    bool good = png_image_write_to_memory(&image, bytes, &n, 0, p->pixels, 0, NULL);
    const char *problem = good ? NULL : failed(a, &image, "libpng cannot write the picture");
    if (good)
        text_add(out, bytes, n);
    free(bytes);
    return problem;
}
