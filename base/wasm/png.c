/* png.c: see include/png.h. A PNG file whose picture is in one zlib stream of stored blocks. */
#include "base/base.h"

#include <png.h>

enum { BLOCK = 65535, HEAD = 8 + 25, CHUNK = 12 };

static uint32_t crc(uint32_t c, const uint8_t *p, size_t n)
{
    for (; n--; p++) {
        c ^= *p;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    }
    return c;
}

static uint8_t *put32(uint8_t *p, uint32_t x)
{
    for (int i = 3; i >= 0; i--, x >>= 8)
        p[i] = (uint8_t)x;
    return p + 4;
}

/* Around the n bytes that lie at p + 8. */
static uint8_t *close_chunk(uint8_t *p, const char *type, size_t n)
{
    put32(p, (uint32_t)n);
    memcpy(p + 4, type, 4);
    return put32(p + 8 + n, ~crc(~0u, p + 4, n + 4));
}

/* Each row behind a 0: no filter. */
static uint8_t *store(uint8_t *p, const uint8_t *pixels, size_t row, uint32_t height)
{
    uint32_t a = 1, b = 0;
    size_t left = (row + 1) * height, block = 0;
    *p++ = 0x78;
    *p++ = 1;
    for (size_t i = 0, x = 0; left; left--, block--) {
        if (!block) {
            block = left < BLOCK ? left : BLOCK;
            *p++ = block == left;
            *p++ = (uint8_t)block;
            *p++ = (uint8_t)(block >> 8);
            *p++ = (uint8_t)~block;
            *p++ = (uint8_t)(~block >> 8);
        }
        uint8_t byte = x ? pixels[i++] : 0;
        x = x == row ? 0 : x + 1;
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
        *p++ = byte;
    }
    return put32(p, b << 16 | a);
}

int png_image_write_to_memory(png_image *image, void *to, size_t *n, int to_8_bit, const void *pixels,
                              int stride, const void *map)
{
    UNUSED(to_8_bit);
    UNUSED(stride);
    UNUSED(map);
    bool color = image->format & PNG_FORMAT_FLAG_COLOR;
    size_t row = (size_t)image->width * (color ? 3 : 1), raw = (row + 1) * image->height;
    size_t data = 2 + 5 * ((raw + BLOCK - 1) / BLOCK) + raw + 4;
    *n = HEAD + CHUNK + data + CHUNK;
    if (!to)
        return 1;
    uint8_t *p = to;
    const uint8_t rest[] = {8, color ? 2 : 0, 0, 0, 0};
    memcpy(p, "\x89PNG\r\n\x1a\n", 8);
    memcpy(put32(put32(p + 16, image->width), image->height), rest, sizeof rest);
    p = close_chunk(p + 8, "IHDR", 13);
    store(p + 8, pixels, row, image->height);
    p = close_chunk(p, "IDAT", data);
    close_chunk(p, "IEND", 0);
    return 1;
}

void png_image_free(png_image *image)
{
    UNUSED(image);
}

int png_image_begin_read_from_memory(png_image *image, const void *at, size_t n)
{
    UNUSED(at);
    UNUSED(n);
    strcpy(image->message, "WebAssembly's kernc reads no pictures");
    return 0;
}

int png_image_finish_read(png_image *image, const png_color *background, void *to, int stride, void *map)
{
    UNUSED(background);
    UNUSED(to);
    UNUSED(stride);
    UNUSED(map);
    return png_image_begin_read_from_memory(image, NULL, 0);
}
