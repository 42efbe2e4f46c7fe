/* image.c: what a .wcb file holds, in order; docs/isa.md says it in words.
 *
 * The header is that of all kernc's files (file.h); the vocabulary in it is the instruction set, so that an
 * image made for other encodings is refused rather than misread.
 */
#include "backend/format/warpcore/image.h"
#include "backend/format/file.h"

#define VERSION 6

struct wc_image *wc_image_new(void)
{
    struct arena a;
    arena_init(&a);
    struct wc_image *m = arena_new(&a, struct wc_image);
    m->arena = a;
    return m;
}

void wc_image_free(struct wc_image *m)
{
    if (!m)
        return;
    struct arena a = m->arena; /* m itself lives in it */
    arena_free(&a);
}

uint32_t wc_argument_words(const struct wc_kernel *k)
{
    uint32_t words = 0;
    for (uint32_t i = 0; i < k->params.count; i++)
        words += k->params.at[i].type == BE_I64 ? 2 : 1;
    return words;
}

/* ---- the body ---------------------------------------------------------------------------------------- */

static void exchange_symbol(struct stream *s, struct wc_symbol *symbol)
{
    stream_string(s, &symbol->name);
    stream_u32(s, &symbol->word);
}

static void exchange_text(struct stream *s, struct wc_text *t)
{
    stream_bytes(s, (const uint8_t **)&t->bytes, &t->length);
    stream_rows(s, &t->operands, 1);
}

static void exchange_kernel(struct stream *s, struct wc_kernel *k)
{
    stream_string(s, &k->name);
    stream_u32(s, &k->entry);
    stream_u32(s, &k->registers);
    stream_u32(s, &k->predicates);
    stream_u32(s, &k->private_bytes);
    stream_u32(s, &k->stack);
    stream_vector(s, &k->params, STREAM_PARAM_BYTES, stream_param);
    stream_u32(s, &k->line);
    stream_bool(s, &k->has_barrier);
    stream_vector(s, &k->unsized, STREAM_UNSIZED_BYTES, stream_unsized);
}

static void exchange_image(struct stream *s, void *image)
{
    struct wc_image *m = image;
    stream_string(s, &m->file);
    stream_u32(s, &m->mode);
    stream_rows(s, &m->code, 4);
    stream_rows(s, &m->places, 8);
    stream_vector(s, &m->symbols, 8, exchange_symbol);
    stream_vector(s, &m->texts, 8, exchange_text);
    stream_vector(s, &m->kernels, 37, exchange_kernel);
    stream_vector(s, &m->launches, LAUNCH_STREAM_BYTES, launch_stream);
    stream_bytes(s, &m->data, &m->data_bytes);
    stream_u32(s, &m->shared_bytes);
}

/* ---- the file ---------------------------------------------------------------------------------------- */

/* Of all that decides what a word means: opcodes, operands, control registers. */
static uint64_t vocabulary_hash(void)
{
    uint64_t h = STREAM_HASH_START;
    for (unsigned op = 0; op < WC_OPS; op++) {
        const struct wc_op_info *info = &wc_op_info[op];
        const uint8_t code[] = {info->major, info->func, wc_formats[info->major]};
        h = stream_hash(h, code, sizeof code);
        h = stream_hash(h, info->mnemonic, strlen(info->mnemonic) + 1);
        h = stream_hash(h, info->operands, sizeof info->operands);
    }
    for (size_t i = 0; i < wc_csr_count; i++) {
        const uint8_t number[] = {(uint8_t)wc_csr_info[i].number, (uint8_t)(wc_csr_info[i].number >> 8)};
        h = stream_hash(h, number, sizeof number);
        h = stream_hash(h, wc_csr_info[i].name, strlen(wc_csr_info[i].name) + 1);
    }
    return h;
}

static void free_image(void *image)
{
    wc_image_free(image);
}

/* What .wcb files begin with. */
static struct stream_kind kind(void)
{
    return (struct stream_kind){WC_MAGIC,
                                VERSION,
                                vocabulary_hash(),
                                "it is no warp-core image",
                                "it was made by a version of kernc with another instruction set",
                                "there is more in the file than an image",
                                exchange_image,
                                free_image};
}

void wc_seal(const void *body, size_t n, struct text *out)
{
    struct stream_kind k = kind();
    stream_seal(&k, body, n, out);
}

void wc_write(const struct wc_image *image, struct text *out)
{
    struct stream_kind k = kind();
    stream_write(&k, (struct wc_image *)image, out);
}

struct wc_image *wc_read(const void *bytes, size_t n, const char **why)
{
    struct stream_kind k = kind();
    struct wc_image *image = wc_image_new();
    *why = stream_read(&k, bytes, n, image, &image->arena);
    return *why ? NULL : image;
}
