/* context.h: what the opaque types of kernc-rt.h are. */
#ifndef KERNC_RT_CONTEXT_H
#define KERNC_RT_CONTEXT_H

#include <ffi.h>

#include "backend/bytecode/program.h"
#include "include/kernc-rt.h"
#include "runtime/memory.h"

struct rt_host_symbol { const char *name; void (*function)(void); };

struct kernc_context {
    struct rt_memory memory;
    struct arena     arena;              /* names of registered functions, libraries */
    kernc_output_function *output;
    void            *output_user;
    VEC(struct rt_host_symbol) symbols;
    VEC(void *)      libraries;
    struct kernc_module *modules;
    char             error[1024];
    kernc_trap       trap;
    char             trap_text[512];
    bool             trapped;
};

struct kernc_buffer {
    struct rt_region region;             /* first: regions of buffers are buffers */
    kernc_context   *context;
};

struct kernc_kernel {
    kernc_module *module;
    const struct bc_kernel *code;
    kernc_statistics *total;             /* over its launches; NULL: none yet */
};

/* A host function, found and prepared when the module is loaded or first launched. */
struct rt_host { void (*function)(void); ffi_cif cif; ffi_type *types[64]; };

struct kernc_module {
    kernc_context     *context;
    struct bc_program *program;
    struct rt_region   data;             /* constant data; bytes 0: none */
    kernc_kernel      *kernels;
    struct rt_host    *hosts;
    bool               reads_clock;
    struct arena       arena;
    kernc_module      *next, **link;
};

struct kernc_statistics {
    kernc_metrics metrics;               /* ratios are kept up to date */
    uint64_t      thread_slots;          /* denominator of simt_efficiency */
    bool          counted;               /* transactions were counted */
    bool          whole_block;           /* one warp held a block */
    VEC(kernc_line_metrics) lines;
    struct arena  arena;
};

/* Keeps the text as the context's error; returns `status`. */
kernc_status rt_fail(kernc_context *c, kernc_status status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

kernc_status rt_fail_memory(kernc_context *c);
kernc_status rt_region_status(kernc_context *c, enum rt_memory_result result, const char *what, uint64_t bytes);

struct rt_launch;
/* arguments.c. Bits of all parameters, and which were given (all false at first). */
kernc_status rt_read_arguments(const kernc_kernel *k, const kernc_launch *o, uint64_t *bits, bool *given);

/* metrics.c. What they make is in *statistics and *to before more is allocated, so that a failure leaks nothing. */
void rt_statistics_of(struct rt_launch *l, double seconds, kernc_statistics **statistics);
void rt_statistics_add(kernc_statistics *to, const kernc_statistics *from);
void rt_statistics_copy(const kernc_statistics *from, kernc_statistics **to);

/* hostcall.c: finds and prepares the module's host functions; those missing trap when called. */
void rt_hosts_prepare(kernc_module *m);

#endif
