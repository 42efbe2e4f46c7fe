/* mutate.c: see mutate.h. */
#include "test/fuzz/mutate.h"

#include <ctype.h>
#include <string.h>

/* ---- bytes ------------------------------------------------------------------------------------------- */

static const uint64_t edges[] = {
    0,       1,        2,          3,          4,          7,          8,           15,        16,
    31,      32,       33,         63,         64,         65,         127,         128,       255,
    256,     0x3ff,    0x400,      0x7fff,     0x8000,     0xfffd,     0xfffe,      0xffff,    0x10000,
    0xfffff, 0x100000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x100000000, UINT64_MAX};

static uint64_t get(const uint8_t *at, size_t width)
{
    uint64_t x = 0;
    for (size_t i = 0; i < width; i++)
        x |= (uint64_t)at[i] << 8 * i;
    return x;
}

static void put(uint8_t *at, size_t width, uint64_t x)
{
    for (size_t i = 0; i < width; i++)
        at[i] = (uint8_t)(x >> 8 * i);
}

static void swap(uint8_t *a, uint8_t *b, size_t width)
{
    uint64_t x = get(a, width), y = get(b, width);
    put(a, width, y);
    put(b, width, x);
}

static void mutate_word(struct fz_random *r, uint8_t *bytes, size_t n, size_t width)
{
    uint8_t *at = bytes + fz_below(r, (uint32_t)(n - width + 1)),
            *other = bytes + fz_below(r, (uint32_t)(n - width + 1));
    uint64_t old = get(at, width);
    switch (fz_below(r, 6)) {
    case 0: put(at, width, old ^ (uint64_t)1 << fz_below(r, 8 * (uint32_t)width)); break;
    case 1: put(at, width, edges[fz_below(r, COUNT(edges))]); break;
    case 2: put(at, width, old + fz_below(r, 9) - 4); break;
    case 3: put(at, width, fz_next(r)); break;
    case 4: put(at, width, get(other, width)); break;
    default: swap(at, other, width); break;
    }
}

/* A whole word of the code, or a field of one from the same field of another: operations keep the form that
 * their operands have. */
static void mutate_code(struct fz_random *r, uint8_t *bytes, struct mutate_code code)
{
    uint8_t *at = bytes + code.at + fz_below(r, (uint32_t)code.count) * code.word,
            *other = bytes + code.at + fz_below(r, (uint32_t)code.count) * code.word;
    size_t field = 2 * fz_below(r, (uint32_t)code.word / 2);
    switch (fz_below(r, 4)) {
    case 0: memmove(at, other, code.word); break;
    case 1: put(at + field, 2, get(other + field, 2)); break;
    case 2: put(at, 2, get(at, 2) + fz_below(r, 33) - 16); break;
    default:
        for (size_t i = 0; i < code.word; i += 2)
            swap(at + i, other + i, 2);
        break;
    }
}

void mutate_bytes(struct fz_random *r, uint8_t *bytes, size_t n, struct mutate_code code)
{
    static const uint8_t widths[] = {1, 2, 4, 8};
    for (uint32_t changes = 1 + (fz_chance(r, 30) ? fz_below(r, 4) : 0); changes-- > 0;) {
        size_t width = widths[fz_below(r, COUNT(widths))];
        if (code.count && fz_chance(r, 50))
            mutate_code(r, bytes, code);
        else if (n >= width)
            mutate_word(r, bytes, n, width);
    }
}

/* ---- texts ------------------------------------------------------------------------------------------- */

struct piece {
    const char *at;
    size_t length;
};
typedef VEC(struct piece) piece_vec;

static size_t token_length(const char *at, const char *end)
{
    const char *from = at;
    while (at < end && (isalnum((unsigned char)*at) || strchr("_.%@#", *at)))
        at++;
    return at > from ? (size_t)(at - from) : 1;
}

static size_t line_length(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? (size_t)(newline - at) + 1 : (size_t)(end - at);
}

static piece_vec cut(struct arena *a, const struct text *t, size_t (*length)(const char *, const char *))
{
    piece_vec all = {0};
    for (const char *at = t->at, *end = at + t->length; at < end; at += vec_last(&all).length)
        vec_push(a, &all, ((struct piece){at, length(at, end)}));
    return all;
}

/* A piece that could stand where p does: blanks are not worth a change, and %a makes more sense for %b. */
static uint32_t pick(struct fz_random *r, const piece_vec *all, const struct piece *like)
{
    uint32_t i = 0;
    for (int tries = 0; tries < 30; tries++) {
        i = fz_below(r, all->count);
        char c = *all->at[i].at;
        if (!isspace((unsigned char)c) && (!like || (c == *like->at && all->at[i].length > 1)))
            break;
    }
    return i;
}

static void mutate_pieces(struct fz_random *r, struct arena *a, piece_vec *all)
{
    uint32_t i = pick(r, all, NULL), k;
    struct piece old = all->at[i];
    switch (fz_below(r, 5)) {
    case 0: all->at[i].length = 0; break;
    case 1:
        vec_push(a, all, old);
        memmove(&all->at[i + 1], &all->at[i], (all->count - 1 - i) * sizeof old);
        break;
    case 2:
        k = pick(r, all, NULL);
        all->at[i] = all->at[k];
        all->at[k] = old;
        break;
    default: all->at[i] = all->at[pick(r, all, &old)]; break;
    }
}

void mutate_text(struct fz_random *r, const struct text *from, struct text *to)
{
    struct arena arena = {0};
    bool lines = fz_chance(r, 25);
    piece_vec all = cut(&arena, from, lines ? line_length : token_length);
    for (uint32_t changes = 1 + (fz_chance(r, 40) ? fz_below(r, 3) : 0); all.count && changes-- > 0;)
        mutate_pieces(r, &arena, &all);
    for (uint32_t i = 0; i < all.count; i++)
        text_add(to, all.at[i].at, all.at[i].length);
    arena_free(&arena);
}
