/* context.h: what the opaque types of kernc-rt.h are. */
#ifndef KERNC_RT_CONTEXT_H
#define KERNC_RT_CONTEXT_H

#include <ffi.h>

#include "backend/format/bytecode/program.h"
#include "backend/format/warpcore/image.h"
#include "include/kernc-rt.h"
#include "runtime/classes.h"
#include "runtime/memory.h"

struct rt_host_symbol {
    const char *name;
    void (*function)(void);
};
struct rt_library {
    const char *name;
    void *handle; /* of dlopen; NULL: runtime/libm.def */
};

/* What the checker of memory has found (runtime/check/). */
#define RT_MOST_ALARMS 1000u

/* A pointer in memory, and one into the object from which it was derived (opt/check/origins.h). */
struct rt_pointer {
    uint32_t pointer, origin;
};
struct rt_pointers {
    struct map index;
    VEC(struct rt_pointer) at;
}; /* by cell */

/* Pages of segments (check/shadow.h) in a row; the first `used` are of the latest checked launch. */
#define RT_SHADOW_KEPT 400 /* pages, 8 MB */
struct rt_shadow {
    struct rt_segment *pages;
    uint32_t count, used;
};

struct kernc_context {
    struct rt_memory memory;
    struct arena arena; /* names of registered functions, libraries */
    kernc_output_function *output;
    void *output_user;
    bool launching; /* a launch runs, or was left by longjmp */
    void *launch;   /* its struct rt_launch or rt_sim: of a launch that was left, host threads may go on */
    VEC(struct rt_host_symbol) symbols;
    VEC(struct rt_library) libraries;
    struct kernc_module *modules;
    char error[1024];
    bool error_of_shared; /* it is about the shared memory that a launch asks for */
    kernc_trap trap;
    char trap_text[512], trap_file[512];
    struct text trap_report;
    bool trapped;
    const struct rt_region *trap_buffer; /* that the trap's text names, or NULL */
    VEC(kernc_alarm) alarms;             /* of all launches, in this arena */
    struct map alarm_places;
    struct arena alarm_texts;
    struct rt_pointers pointers; /* in buffers, as checked launches have stored them */
    struct rt_shadow shadow;     /* of global memory, in checked launches */
};

struct kernc_buffer {
    struct rt_region region; /* first: regions of buffers are buffers */
    kernc_context *context;
};

#define RT_NO_RAMP UINT32_MAX
struct kernc_kernel {
    kernc_module *module;
    const char *name;
    const struct be_param *params;
    uint32_t param_count;
    const struct be_unsized *unsized;
    uint32_t unsized_count;
    const struct bc_kernel *code;  /* of a program; else NULL */
    const struct wc_kernel *entry; /* of an image; else NULL */
    uint32_t ramp;                 /* a vector filled with indices along x that the kernel never writes;
                                      or RT_NO_RAMP */
    kernc_statistics *total;       /* over its launches; NULL: none yet */
};

/* A host function, found and prepared when the module is loaded or first launched. */
struct rt_host {
    void (*function)(void);
    char missing[512]; /* why there is no function */
    ffi_cif cif;
    ffi_type *types[64];
};

struct kernc_module {
    kernc_context *context;
    struct bc_program *program; /* bytecode, or */
    struct wc_image *image;     /* warp-core code; the other is NULL */
    struct rt_region data;      /* constant data; bytes 0: none */
    kernc_kernel *kernels;
    uint32_t kernel_count;
    struct rt_host *hosts;
    bool reads_clock;
    struct arena arena;
    kernc_module *next, **link;
};

/* How often code was executed: by warps, by their threads; of the warps, by those without an active lane. */
struct rt_total {
    uint64_t warps, threads, empty;
};
/* By warps with an active lane, without which nothing is accessed. */
static inline uint64_t rt_executed(struct rt_total t)
{
    return t.warps - t.empty;
}
struct kernc_statistics {
    kernc_metrics metrics;               /* ratios are kept up to date */
    uint64_t thread_slots, block_slots;  /* denominators of simt_efficiency and activity_factor */
    uint64_t widths[KERNC_MAX_WARP + 1]; /* warp instructions by active lanes */
    struct rt_total classes[RT_CLASSES]; /* instructions of each; their sum is that of all */
    bool counted;                        /* transactions were counted */
    bool whole_block;                    /* one warp held a block, perhaps in a model */
    VEC(kernc_line_metrics) lines;
    VEC(kernc_place_metrics) places;
    VEC(kernc_branch_metrics) branches; /* by place, once each */
    struct arena arena;
};

/* Keeps the text as the context's error; returns `status`. */
kernc_status rt_fail(kernc_context *c, kernc_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* KERNC_NO_MEMORY; and the status of a result, with a message about `bytes` for `what`. */
kernc_status rt_fail_memory(kernc_context *c);
kernc_status rt_region_status(kernc_context *c, enum rt_memory_result result, const char *what,
                              uint64_t bytes);

/* What a launch stands on stays while it runs: KERNC_INVALID, with a message, to those whom the launch
 * calls. */
kernc_status rt_check_idle(kernc_context *c);

struct rt_launch;
struct rt_trap_record;
/* launch.c. Makes the record the context's trap; returns `status`. */
kernc_status rt_report_stop(const kernc_kernel *k, kernc_status status, const struct rt_trap_record *t);
/* Whether somebody wants the launch to stop. */
static inline bool rt_interrupted(const volatile int *interrupt)
{
    return interrupt && *interrupt;
}
/* trap.c: the record's text when fuel runs out, or the launch is interrupted: after how many warp
 * instructions, which lanes of which warp were running, of those alive. */
void rt_fuel_text(struct rt_trap_record *t, bool interrupted, uint64_t fuel, uint32_t warp, uint64_t active,
                  uint64_t live);
/* The record's text and help when the launch would never end: which lanes of which warp do the same again and
 * again under the scheme. Of the groups, whose lines are known, those below count: a lane waits where the last
 * one with it says. */
void rt_endless_text(struct rt_trap_record *t, enum scheme s, uint32_t warp, uint64_t active, uint64_t live,
                     const kernc_group *groups, uint32_t count);
#define RT_FUEL_WORDS(interrupted) ((interrupted) ? "interrupted" : "out of fuel")
/* Seconds of a clock that only goes forward. */
double rt_now(void);

/* ---- configure.c ---- */

/* The launch with what stands for 0, if it is within all limits. */
kernc_status rt_read_launch(const kernc_kernel *k, const kernc_launch *launch, kernc_launch *given);
/* The number of the block with this index; UINT64_MAX: the grid has none. */
uint64_t rt_block_number(const uint32_t grid[3], const uint32_t index[3]);
/* Bits of all parameters, and which were given (all false at first). */
kernc_status rt_read_arguments(const kernc_kernel *k, const kernc_launch *o, uint64_t *bits, bool *given);

/* The shared memory of a block: its bytes, and where the kernel's unsized arrays begin and their bytes. */
struct rt_shared {
    uint32_t bytes, at[LAUNCH_MAX_SHARED], size[LAUNCH_MAX_SHARED];
};
/* Fails if the kernel has an array without a size and the launch gives it none, and the other way round. */
kernc_status rt_read_shared(const kernc_kernel *k, const kernc_launch *o, struct rt_shared *shared);

/* KERNC_LIMIT: there is no room for a block's shared memory. */
kernc_status rt_fail_shared(kernc_context *c, uint32_t bytes);

/* What follows from a launch that has been read, on either machine. */
struct rt_sizes {
    uint64_t grid, blocks;   /* blocks in the grid; of these, the ones that run */
    uint32_t threads, warps; /* in a block */
    uint32_t segment_shift;  /* of memory transactions as metrics count them: log2 of the bytes */
    struct rt_shared shared; /* of a block */
    uint64_t *params;        /* bits of the parameters, and behind them the addresses of unsized arrays */
};
/* In the arena. Fails if scheme or arguments do not fit the kernel. */
kernc_status rt_configure(const kernc_kernel *k, const kernc_launch *given, struct arena *a,
                          struct rt_sizes *sizes);

/* instructions.c. Adds what follows from the instructions of a block of code that has run so often. */
void rt_statistics_add_code(kernc_statistics *s, const struct bc_program *p, uint32_t block,
                            struct rt_total ran);
/* The same of one instruction. */
void rt_statistics_add_class(kernc_statistics *s, enum rt_class class, struct rt_total ran);

/* metrics.c. What they make is in *statistics and *to before more is allocated, so that a failure leaks
 * nothing. */
void rt_statistics_of(struct rt_launch *l, kernc_status status, double seconds,
                      kernc_statistics **statistics);
/* Both are of one program, with the same lines. */
void rt_statistics_add(kernc_statistics *to, const kernc_statistics *from);
/* *to is freed by kernc_statistics_free. */
void rt_statistics_copy(const kernc_statistics *from, kernc_statistics **to);
/* The line's row, among those sorted; NULL: it has none. Logarithmic. */
kernc_line_metrics *rt_statistics_line(kernc_statistics *s, uint32_t line);
void rt_widths_add(uint64_t *to, const uint64_t *from); /* warp instructions by active lanes */
void rt_line_metrics_add(kernc_line_metrics *to, const kernc_line_metrics *from); /* `line` stays */
/* Sorts rows that have only lines, once each. */
void rt_statistics_sort_lines(kernc_statistics *s);
/* Unless it has no place or no warp came to it; afterwards they are to be sorted, which makes one of equal
 * places. */
void rt_statistics_add_branch(kernc_statistics *s, kernc_branch_metrics b);
void rt_statistics_sort_branches(kernc_statistics *s);
/* From the counts; -1: does not apply. */
void rt_statistics_set_ratios(kernc_statistics *s);
/* *made joins the kernel's total and becomes *wanted (NULL: nobody wants it). */
void rt_statistics_keep(kernc_kernel *k, kernc_statistics **made, kernc_statistics **spare,
                        kernc_statistics **wanted);

/* trap.c. What is wrong with an access, in words. `space` g, h (shared) or p; `limit`: bytes of h and p. */
struct rt_bad_access {
    char space;
    bool store, aligned;
    uint32_t address, bytes, limit;
};
/* NUL-terminated, cut to `size`. The buffer that it names, or NULL. */
const struct rt_region *rt_describe_access(const struct rt_memory *m, struct rt_bad_access a, char *text,
                                           size_t size);

/* print.c. Adds one lane's text; operand(from, i) gives the bits of operand i < count, *type its type. */
typedef scalar_bits rt_operand_function(const void *from, unsigned index, enum be_value *type);
/* Operands that are missing print nothing. Whether %_ stood in the format: more follows. */
bool rt_print(struct text *t, const struct bc_text *format, unsigned count, rt_operand_function *operand,
              const void *from);
/* What threads of a block have printed by formats with %_ and not gone on with; at NULL: nobody has yet. */
struct rt_begun {
    struct text *at;
    uint32_t threads;
    size_t bytes;
};
/* The same for a thread of `threads` in the block: its text joins `t` when it is whole. */
void rt_print_thread(struct rt_begun *b, uint32_t threads, uint32_t thread, struct text *t,
                     const struct bc_text *format, unsigned count, rt_operand_function *operand,
                     const void *from);
void rt_begun_free(struct rt_begun *b);

/* hostcall.c: finds and prepares the module's host functions; those missing trap when called. */
void rt_hosts_prepare(kernc_module *m);

#endif
