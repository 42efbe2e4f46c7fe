/* reference.h: the samples' outputs computed by plain C, thread by thread, one loop a kernel.
 *
 * Each function returns the bytes of the sample's output buffer (malloc; *n gets their number), made from
 * the same inputs as the sample's launch directive (smaller where samples_test.c says so). Results are equal
 * bit for bit: the same operations in the same order, no contraction, no libm but what is exact (sqrt, floor);
 * exp, sin and their like are the language's own, of base/scalar.h.
 */
#ifndef KERNC_TEST_REFERENCE_H
#define KERNC_TEST_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

void *reference_saxpy(size_t *n);
void *reference_matmul(size_t *n);
void *reference_reduce(size_t *n);
void *reference_scan(size_t *n);
void *reference_histogram(size_t *n);
void *reference_nbody(size_t *n); /* ax, then ay, then az */
void *reference_bitonic(size_t *n);
void *reference_bitonic_32(size_t *n);          /* in blocks of 32 */
void *reference_bitonic_32_reversed(size_t *n); /* of descending numbers */
void *reference_bitonic_128(size_t *n);
void *reference_bitonic_reversed(size_t *n);
void *reference_collatz(size_t *n);
void *reference_sobel(size_t *n);
void *reference_mandelbrot(size_t *n);
void *reference_pathtracer(size_t *n);
void *reference_rsbench(size_t *n);
void *reference_xsbench(size_t *n); /* out, then largest */
void *reference_mcb(size_t *n);     /* out, then events */
void *reference_iterdelay(size_t *n);
void *reference_anyhit(size_t *n);
void *reference_mcgpu(size_t *n);   /* dose, then image */
void *reference_gpumcml(size_t *n); /* absorbed, then escaped */
void *reference_md5(size_t *n);     /* key, then least */
void *reference_commoncall(size_t *n);
void *reference_shortcircuit(size_t *n);
void *reference_splitmerge(size_t *n);
void *reference_in_call(size_t *n); /* of exceptions */
void *reference_in_loop(size_t *n);
void *reference_in_condition(size_t *n);
void *reference_mummer(size_t *n);
void *reference_pathfind(size_t *n);
void *reference_photon(size_t *n); /* dose, then out */
void *reference_mcx(size_t *n);    /* fluence, then out */
void *reference_bgsub(size_t *n);
void *reference_raytrace(size_t *n);
void *reference_csc_hoist(size_t *n);
void *reference_csc_sink(size_t *n);
void *reference_csc_split(size_t *n);
void *reference_csc_rename(size_t *n);
void *reference_csc_ways4(size_t *n); /* of csc_switch */
void *reference_csc_ways8(size_t *n);
void *reference_csc_same(size_t *n); /* of csc_loads */
void *reference_csc_apart(size_t *n);
void *reference_csc_ways(size_t *n);
void *reference_bfs(size_t *n);
void *reference_kmeans(size_t *n);       /* cx, cy, cluster */
void *reference_radix(size_t *n);        /* keys, values */
void *reference_inflate(size_t *n);      /* text, then failed, then good */
void *reference_sha256(size_t *n);       /* nonce, then hash */
void *reference_sha256_short(size_t *n); /* with 8 bits, from 0 on */
void *reference_fft(size_t *n);          /* re, im, row_re, row_im */
void *reference_reductions(size_t *n);   /* of convops */
void *reference_append(size_t *n);
void *reference_breaks(size_t *n); /* left, then stayed */
void *reference_threaded(size_t *n);

/* The buffer that --arg's SPEC makes, e.g. "random(64, 1, -1, 1)", as element type e (enum
 * launch_element). */
void *reference_input(const char *spec, int e);

#endif
