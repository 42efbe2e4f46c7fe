/* reference_streams.c: plain C for the samples inflate, sha256 and fft. */
#include "base/base.h"
#include "base/scalar.h"
#include "launch/launch.h"
#include "test/samples/reference.h"
#include <math.h>

/* ---- inflate: the texts that samples/data/inflate.py had zlib compress --------------------------------- */

static size_t text_of(uint64_t stream, uint8_t *to)
{
    static const char *const words[16] = {"warp",     "lane",    "block",   "thread",   "mask",   "branch",
                                          "converge", "diverge", "barrier", "frontier", "kernel", "launch",
                                          "shared",   "token",   "oracle",  "scheme"};
    size_t n = stream % 4 == 3 ? 20 + stream : 80 + 6 * stream, at = 0;
    for (uint64_t i = 0; stream % 4 == 3 && i < n; i++)
        to[i] = (uint8_t)launch_word(stream, i);
    for (uint64_t i = 0; stream % 4 != 3 && at < n; i++) {
        if (i)
            to[at++] = ' ';
        for (const char *c = words[launch_word(stream, i) >> 60]; *c && at < n; c++)
            to[at++] = (uint8_t)*c;
    }
    return n;
}

void *reference_inflate(size_t *n)
{
    enum { STREAMS = 32, SIZE = 4376 };
    uint8_t *out = mem_alloc(SIZE + 300), *at = out;
    int32_t failed[STREAMS] = {0}, good = STREAMS;
    for (uint64_t s = 0; s < STREAMS; s++)
        at += text_of(s, at);
    memcpy(at, failed, sizeof failed);
    memcpy(at + sizeof failed, &good, sizeof good);
    *n = (size_t)(at - out) + sizeof failed + sizeof good;
    return out;
}

/* ---- sha256: of bytes, by FIPS 180-4; its constants are the fractional parts of roots of primes -------- */

static uint32_t turn(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* The first 32 bits of the fractional part of the prime's square or cube root. */
static uint32_t root_bits(unsigned prime, unsigned power)
{
    unsigned __int128 wanted = (unsigned __int128)prime << 32 * power;
    uint64_t low = 0, high = (uint64_t)1 << 36;
    while (high - low > 1) {
        uint64_t x = (low + high) / 2;
        unsigned __int128 y = (unsigned __int128)x * x * (power == 3 ? x : 1);
        *(y <= wanted ? &low : &high) = x;
    }
    return (uint32_t)low;
}

static void primes(unsigned *p, int count)
{
    int n = 0;
    for (unsigned x = 2; n < count; x++) {
        bool prime = true;
        for (int i = 0; i < n; i++)
            prime &= x % p[i] != 0;
        if (prime)
            p[n++] = x;
    }
}

static void hash_block(uint32_t h[8], const uint32_t k[64], const uint8_t *block)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, h, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t t = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                     ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
        uint32_t u = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
                     ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t;
        s[0] = t + u;
    }
    for (int i = 0; i < 8; i++)
        h[i] += s[i];
}

/* At most 119 bytes. */
static void hash_bytes_of(const uint8_t *bytes, size_t n, uint8_t digest[32])
{
    unsigned p[64];
    uint32_t h[8], k[64];
    uint8_t padded[128] = {0};
    size_t all = n < 56 ? 64 : 128;
    primes(p, 64);
    for (int i = 0; i < 64; i++)
        k[i] = root_bits(p[i], 3);
    for (int i = 0; i < 8; i++)
        h[i] = root_bits(p[i], 2);
    memcpy(padded, bytes, n);
    padded[n] = 0x80;
    padded[all - 2] = (uint8_t)(n * 8 >> 8);
    padded[all - 1] = (uint8_t)(n * 8);
    for (size_t at = 0; at < all; at += 64)
        hash_block(h, k, padded + at);
    for (int i = 0; i < 32; i++)
        digest[i] = (uint8_t)(h[i / 4] >> (24 - i % 4 * 8));
}

static void put(uint8_t *to, uint32_t x)
{
    memcpy(to, &x, sizeof x); /* little-endian */
}

/* The least nonce from `start` on whose hash, as a little-endian number, has so many leading zeros; then the
 * hash, its highest word first. */
static void *mined(uint32_t start, int bits, size_t *n)
{
    static const uint32_t root[8] = {0x3ba3edfd, 0x7a7b12b2, 0x7ac72c3e, 0x67768f61,
                                     0x7fc81bc3, 0x888a5132, 0x3a9fb8aa, 0x4b1e5e4a};
    uint8_t header[80] = {1}, digest[32];
    uint32_t *out = mem_alloc(9 * sizeof *out);
    for (int i = 0; i < 8; i++)
        put(header + 36 + 4 * i, __builtin_bswap32(root[i]));
    put(header + 68, 1231006505);
    put(header + 72, 0x1d00ffff);
    for (out[0] = start;; out[0]++) {
        int zeros = 0;
        put(header + 76, out[0]);
        hash_bytes_of(header, sizeof header, digest);
        hash_bytes_of(digest, sizeof digest, digest);
        while (zeros < 256 && !(digest[31 - zeros / 8] >> (7 - zeros % 8) & 1))
            zeros++;
        if (zeros >= bits)
            break;
    }
    for (int i = 0; i < 8; i++)
        memcpy(&out[1 + i], digest + 28 - 4 * i, 4);
    *n = 9 * sizeof *out;
    return out;
}

void *reference_sha256(size_t *n)
{
    return mined(2083236880, 32, n);
}

void *reference_sha256_short(size_t *n)
{
    return mined(0, 8, n);
}

/* ---- fft ----------------------------------------------------------------------------------------------- */

enum { POINTS = 1024, ROW = 128 };
#define TOLERANCE                                                                                            \
    1e-3 /* of an element, as far as it may be from the sum that defines it, of numbers in -1 to 1 */

/* One pass of n elements: the sample's operations in its order. */
static void pass_of(float *to_re, float *to_im, const float *re, const float *im, int n, int pass)
{
    int half = 1 << pass;
    for (int i = 0; i < n / 2; i++) {
        int low = i % half, to = (i - low) * 2 + low;
        float angle = -3.14159265f * (float)low / (float)half;
        float c = scalar_cosf(angle), s = scalar_sinf(angle);
        float x = re[i + n / 2], y = im[i + n / 2];
        float turned_re = x * c - y * s, turned_im = x * s + y * c;
        to_re[to] = re[i] + turned_re;
        to_im[to] = im[i] + turned_im;
        to_re[to + half] = re[i] - turned_re;
        to_im[to + half] = im[i] - turned_im;
    }
}

static void transform(float *re, float *im, int n)
{
    float to_re[POINTS], to_im[POINTS];
    for (int pass = 0; 1 << pass < n; pass++) {
        pass_of(to_re, to_im, re, im, n, pass);
        memcpy(re, to_re, (size_t)n * sizeof *re);
        memcpy(im, to_im, (size_t)n * sizeof *im);
    }
}

/* How far the transform of x, y is from re, im. */
static double distance(const float *x, const float *y, const float *re, const float *im, int n)
{
    double most = 0;
    for (int k = 0; k < n; k++) {
        double a = 0, b = 0;
        for (int i = 0; i < n; i++) {
            double angle = -2 * M_PI * (k * i % n) / n, c = cos(angle), s = sin(angle);
            a += x[i] * c - y[i] * s;
            b += x[i] * s + y[i] * c;
        }
        most = fmax(most, fmax(fabs(a - re[k]), fabs(b - im[k])));
    }
    return most;
}

/* No bytes if a result is not what it has to be. */
void *reference_fft(size_t *n)
{
    float *x[] = {reference_input("ramp(-1, 1, 1024)", LAUNCH_FLOAT),
                  reference_input("random(1024, 7, -1, 1)", LAUNCH_FLOAT),
                  reference_input("random(1024, 8, -1, 1)", LAUNCH_FLOAT),
                  reference_input("zeros(1024)", LAUNCH_FLOAT)};
    float *out = mem_alloc(4 * POINTS * sizeof *out);
    double worst;
    for (size_t i = 0; i < 4; i++)
        memcpy(out + i * POINTS, x[i], POINTS * sizeof *out);
    transform(out, out + POINTS, POINTS);
    worst = distance(x[0], x[1], out, out + POINTS, POINTS);
    for (size_t at = 0; at < POINTS; at += ROW) {
        float *re = out + (size_t)2 * POINTS + at, *im = re + POINTS;
        transform(re, im, ROW);
        worst = fmax(worst, distance(x[2] + at, x[3] + at, re, im, ROW));
    }
    for (size_t i = 0; i < 4; i++)
        mem_free(x[i]);
    *n = worst < TOLERANCE ? 4 * POINTS * sizeof *out : 0;
    return out;
}
