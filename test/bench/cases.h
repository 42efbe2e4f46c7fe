/* cases.h: the six kernels that kernc and its peers are timed on (docs/results.md).
 *
 * Each case has the same kernel as .kern and as OpenCL C in kernels/, and as plain C here. A case owns its
 * buffers; bench_reset restores them before a run. Results are compared with the plain C's.
 */
#ifndef KERNC_BENCH_CASES_H
#define KERNC_BENCH_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_arg {
    bool buffer;
    void *bytes; /* a buffer's contents now, or the scalar */
    size_t size;
    const void *initial; /* a buffer's contents at the start; NULL: zeros */
};
struct bench_case {
    const char *name, *file, *what;
    unsigned grid, block, argc;
    bool floats;              /* results are float: compared within 1e-3 */
    struct bench_arg args[5]; /* args[0] is the result */
    void (*plain)(struct bench_case *);
};
#define BENCH_CASES 6
extern struct bench_case bench_cases[BENCH_CASES];

void bench_setup(void); /* allocates and fills all */
void bench_reset(struct bench_case *c);
bool bench_equal(const struct bench_case *c, const void *result); /* with args[0] as the plain C left it */
double bench_seconds(void);                                       /* monotonic clock */
double bench_cpu_seconds(void); /* of the whole process, all threads: steady on a busy
                                   machine */

#endif
