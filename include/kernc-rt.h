/* kernc-rt.h: loads compiled kernels and runs them. The small half of kernc: no compiler needed.
 *
 * In the manner of the CUDA driver API and of OpenCL:
 *
 *     kernc_context *ctx;  kernc_module *m;  kernc_kernel *k;  kernc_buffer *out;
 *     kernc_context_create(NULL, &ctx);
 *     kernc_module_load(ctx, bytes, size, &m);
 *     kernc_module_kernel(m, "saxpy", &k);
 *     kernc_buffer_create(ctx, 4096, "out", &out);
 *     kernc_argument args[] = {kernc_arg_buffer("out", out), kernc_arg_int("n", 1024)};
 *     kernc_launch launch = {.size = sizeof launch, .grid = {4}, .block = {256}, .args = args,
 *                            .arg_count = 2};
 *     if (kernc_run(k, &launch, NULL) != KERNC_OK)
 *         fprintf(stderr, "%s\n", kernc_error_text(ctx));
 *     kernc_context_free(ctx);
 *
 * Errors. Functions that can fail return a status and leave a text in the context, kept until the
 * context's next failing call. Nothing exits or aborts on bad input; pointers may be NULL wherever a
 * function says so, and a NULL object is KERNC_INVALID, never a crash; of functions that give something
 * else than a status it is what they say of nothing: 0, false, "" or NULL. What has been freed must not be
 * used, nor freed again; a context frees what is left of its modules, kernels and buffers. Running out of
 * memory is KERNC_NO_MEMORY: what was there before stays as it was (buffers that a launch was writing hold
 * a part of it), and the same call may be made again.
 *
 * Threads. There is no global state. A context and what belongs to it is used by one thread at a time;
 * different contexts may be used by different threads at the same time. A launch may itself use several
 * host threads. 256 KiB of stack are enough for all functions, on the caller's thread and on those of a
 * launch.
 *
 * Calls back. While a launch runs, the functions that it calls (output, trace, step and host functions)
 * may use its context to read and write buffers and to ask, but make, free and launch nothing in it: that
 * is KERNC_INVALID, and frees are left out. Other contexts they may use as they like. They have to return.
 * If longjmp leaves one on the thread that launched, the launch never ends: its context and what belongs to
 * it is lost with its memory, may still be read and asked, and answers all else by KERNC_INVALID; nothing
 * else is harmed. Exceptions of C++, and longjmp on a launch's other threads, must not leave them.
 *
 * Versions. Structs of the caller begin with their size: set it to sizeof, in those too that a function
 * fills. In what is passed all else may be 0. New fields are added behind the others, and a function reads
 * and fills as much as the size says, so programs that were compiled with an older header go on working.
 * Functions that fill a struct give false if an argument is NULL, a size is 0 or an index out of range.
 *
 * Determinism. A kernel whose threads do not race gives the same memory, printed text, metrics (but
 * `seconds`) and trap for every number of host threads.
 */
#ifndef KERNC_RT_H
#define KERNC_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define KERNC_API __attribute__((visibility("default")))
#else
#define KERNC_API
#endif

typedef struct kernc_context kernc_context;
typedef struct kernc_module kernc_module;         /* a loaded program */
typedef struct kernc_kernel kernc_kernel;         /* an entry point of a module */
typedef struct kernc_buffer kernc_buffer;         /* global memory */
typedef struct kernc_statistics kernc_statistics; /* of one launch, or of all launches of a kernel */

typedef enum kernc_status {
    KERNC_OK,
    KERNC_INVALID,     /* wrong use of this interface: NULL object, bad range, wrong argument */
    KERNC_BAD_PROGRAM, /* the program's bytes are damaged or were refused */
    KERNC_NOT_FOUND,   /* no such kernel, parameter, library, symbol or scheme */
    KERNC_TRAP,        /* the kernel trapped: see kernc_last_trap */
    KERNC_LIMIT,       /* a limit was reached: fuel, memory, launch size */
    KERNC_CHECK,       /* a checker found something */
    KERNC_NO_MEMORY,   /* the host has no memory left */
    KERNC_DEADLOCK,    /* the kernel would never have ended: see kernc_last_trap */
} kernc_status;

/* The library's version, as "0.1.0". */
KERNC_API const char *kernc_version(void);
KERNC_API const char *kernc_status_name(kernc_status status); /* "trap"; never NULL */

/* ---- contexts ---------------------------------------------------------------------------------------- */

/* Receives what kernels print, in the order of blocks, on the thread that launched. */
typedef void kernc_output_function(void *user, const char *bytes, size_t size);

typedef struct kernc_context_options {
    size_t size;
    uint64_t max_memory;           /* bytes of buffers, registers, shared and private memory; 0: 2 GiB */
    kernc_output_function *output; /* NULL: standard output */
    void *output_user;
} kernc_context_options;

/* `options` may be NULL. */
KERNC_API kernc_status kernc_context_create(const kernc_context_options *options, kernc_context **context);
/* Frees all that belongs to it: modules, kernels, buffers. NULL is allowed. */
KERNC_API void kernc_context_free(kernc_context *context);
/* The text of the latest failure, "" if there was none; NULL context: why none could be made. */
KERNC_API const char *kernc_error_text(const kernc_context *context);

/* Where and why a kernel stopped. */
typedef struct kernc_trap {
    const char *text;      /* without the place */
    const char *file;      /* the kernel's source file; "" if not known */
    uint32_t line, column; /* 0: not known */
    uint32_t block[3], thread[3];
    bool has_address;
    uint32_t address;   /* of the access that failed */
    const char *report; /* lines for people: warp-core's fault with its stack, what may be done about
                           a deadlock; or "" */
} kernc_trap;
/* Of the latest launch: the trap, or where it stood when its fuel ran out, or was found never to end; NULL if
 * none came about. Valid
 * until the next launch. */
KERNC_API const kernc_trap *kernc_last_trap(const kernc_context *context);

/* What the checker of memory has found in a program compiled with checks "race", "bounds",
 * "uninit", "barrier" or "shift". */
typedef struct kernc_alarm {
    size_t size;      /* sizeof(kernc_alarm) of the caller */
    const char *kind; /* "race", "bounds", "uninit", "barrier", "shift" */
    const char *text; /* without the place */
    const char *file;
    uint32_t line, column;
    const char *other_file; /* of a race, the access that came first; else NULL and 0 */
    uint32_t other_line, other_column;
} kernc_alarm;
/* Alarm number `index` of the context's launches, each pair of places once; as many as 1000 are kept.
 * Texts are valid as long as the context. False: there is none of this number. */
KERNC_API bool kernc_alarm_at(const kernc_context *context, unsigned index, kernc_alarm *alarm);

/* Forgets them: the next is number 0, and what was said of a pair of places may be said again. */
KERNC_API void kernc_alarms_forget(kernc_context *context);

/* ---- host functions ---------------------------------------------------------------------------------- */

/* Kernels call `extern` functions by name. They are looked for among those registered here, then in the
 * libraries in the order they were loaded, and nowhere else. `function` is called with C's convention for
 * the types that the kernel declared; with several host threads, from several threads at once. */
KERNC_API kernc_status kernc_host_function(kernc_context *context, const char *name, void (*function)(void));
/* A shared object as dlopen finds it: the functions that it defines itself, not those of libraries that it
 * needs. "libm" stands for the functions of math.h whose parameters and results are numbers, of these types
 * alone. A kernel that calls what nobody gives, or declares with other types than math.h, traps there. */
KERNC_API kernc_status kernc_load_library(kernc_context *context, const char *path);

/* ---- modules and kernels ----------------------------------------------------------------------------- */

/* Copies and checks a compiled program: the bytes of a .kbc file, or of a .wcb file for the warp-core
 * machine, whose warps have 8 threads. */
KERNC_API kernc_status kernc_module_load(kernc_context *context, const void *bytes, size_t size,
                                         kernc_module **module);
/* What the program was compiled for: "pdom", "warp-core:rpc"; "" if module is NULL. */
KERNC_API const char *kernc_module_scheme(const kernc_module *module);
/* Frees the module and its kernels; NULL is allowed. */
KERNC_API void kernc_module_free(kernc_module *module);

/* Indices of kernc_module_kernel_at are below this. */
KERNC_API uint32_t kernc_module_kernel_count(const kernc_module *module);
/* NULL: out of range */
KERNC_API kernc_kernel *kernc_module_kernel_at(kernc_module *module, uint32_t index);
/* `name` NULL: the only kernel. */
KERNC_API kernc_status kernc_module_kernel(kernc_module *module, const char *name, kernc_kernel **kernel);
/* Lives as long as the module; "" if kernel is NULL. */
KERNC_API const char *kernc_kernel_name(const kernc_kernel *kernel);

typedef struct kernc_parameter {
    size_t size;
    const char *name, *type; /* as in the source: "global float *" */
    bool is_pointer;
    uint32_t element_bytes; /* of what it points to, or of the parameter itself */
} kernc_parameter;
/* Indices of kernc_kernel_parameter are below this. */
KERNC_API uint32_t kernc_kernel_parameter_count(const kernc_kernel *kernel);
/* Fills in *parameter, whose size the caller has set; its texts live as long as the module. False: there
 * is no such parameter, or no size. */
KERNC_API bool kernc_kernel_parameter(const kernc_kernel *kernel, uint32_t index, kernc_parameter *parameter);
/* The most threads of a warp that a prediction of the kernel waits for (the k of Predict(L, k)), and where in
 * the source it is (line and column may be NULL; 0: not known). 0: none has such a threshold. In launches
 * with fewer threads in a warp it waits for all of them. */
KERNC_API uint32_t kernc_kernel_threshold(const kernc_kernel *kernel, uint32_t *line, uint32_t *column);
/* The bytes of an element of the kernel's shared array `index` whose size a launch gives, and its name (NULL is
 * allowed), which lives as long as the module. First come the parameters `shared float *tile`, then the arrays
 * `shared float tile[];`, both in the order of the source. 0: it has none with this index. */
KERNC_API uint32_t kernc_kernel_shared_array(const kernc_kernel *kernel, uint32_t index, const char **name);
/* Of array 0, which most often is the only one. */
KERNC_API uint32_t kernc_kernel_shared(const kernc_kernel *kernel, const char **name);

/* ---- buffers ----------------------------------------------------------------------------------------- */

/* Zeroed. The name is for messages, NULL: none. A size of 0 makes a buffer that no access hits. */
KERNC_API kernc_status kernc_buffer_create(kernc_context *context, uint64_t bytes, const char *name,
                                           kernc_buffer **buffer);
KERNC_API void kernc_buffer_free(kernc_buffer *buffer); /* NULL is allowed */
/* In bytes; 0 if buffer is NULL. */
KERNC_API uint64_t kernc_buffer_size(const kernc_buffer *buffer);
/* as kernels see it */
KERNC_API uint32_t kernc_buffer_address(const kernc_buffer *buffer);
/* The bytes themselves; valid until the buffer is freed; not to be touched during a launch. */
KERNC_API void *kernc_buffer_map(kernc_buffer *buffer);
/* Copy bytes between the host and a buffer, or between buffers or parts of one, which may overlap.
 * KERNC_INVALID: a range lies outside, or a pointer is NULL though bytes are to be copied; then nothing
 * is. */
KERNC_API kernc_status kernc_buffer_write(kernc_buffer *to, uint64_t offset, const void *from,
                                          uint64_t bytes);
KERNC_API kernc_status kernc_buffer_read(const kernc_buffer *from, uint64_t offset, void *to, uint64_t bytes);
KERNC_API kernc_status kernc_buffer_copy(kernc_buffer *to, uint64_t to_offset, const kernc_buffer *from,
                                         uint64_t from_offset, uint64_t bytes);
/* Repeats a pattern of pattern_bytes over the range, which must be a multiple of it. */
KERNC_API kernc_status kernc_buffer_fill(kernc_buffer *to, uint64_t offset, uint64_t bytes,
                                         const void *pattern, uint32_t pattern_bytes);

/* ---- launches ---------------------------------------------------------------------------------------- */

/* Arguments are given by position, or by name where a name is set; either all or none have names. Numbers are
 * checked against the parameter's type: an int for a float parameter is KERNC_INVALID,
 * BITS fits every type. */
typedef enum kernc_argument_kind {
    KERNC_ARG_BUFFER,
    KERNC_ARG_ADDRESS,
    KERNC_ARG_BOOL,
    KERNC_ARG_INT,
    KERNC_ARG_LONG,
    KERNC_ARG_FLOAT,
    KERNC_ARG_DOUBLE,
    KERNC_ARG_BITS,
} kernc_argument_kind;
typedef struct kernc_argument {
    const char *name;
    kernc_argument_kind kind;
    union {
        kernc_buffer *buffer;
        uint32_t address; /* kernc_buffer_address plus an offset; 0: null */
        bool truth;
        int32_t i; /* char, short and int parameters, signed or not */
        int64_t l;
        float f;
        double d;
        uint64_t bits;
    } value;
} kernc_argument;
static inline kernc_argument kernc_arg_buffer(const char *name, kernc_buffer *buffer)
{
    kernc_argument a = {name, KERNC_ARG_BUFFER, {0}};
    a.value.buffer = buffer;
    return a;
}
static inline kernc_argument kernc_arg_int(const char *name, int32_t i)
{
    kernc_argument a = {name, KERNC_ARG_INT, {0}};
    a.value.i = i;
    return a;
}
static inline kernc_argument kernc_arg_float(const char *name, float f)
{
    kernc_argument a = {name, KERNC_ARG_FLOAT, {0}};
    a.value.f = f;
    return a;
}
static inline kernc_argument kernc_arg_bits(const char *name, uint64_t bits)
{
    kernc_argument a = {name, KERNC_ARG_BITS, {0}};
    a.value.bits = bits;
    return a;
}

/* kernc_launch.flags */
enum {
    KERNC_STATISTICS = 1, /* count memory transactions, passes over the banks of shared
                             memory and active lanes too (all else always);
                             warp-core: execute in the order of the clock */
    KERNC_BLOCK_WARP = 2, /* activity_factor and block_warp_instructions are those of a model whose warps hold
                             whole blocks, of at most KERNC_MAX_BLOCK_WARP threads (docs/metrics.md);
                             bytecode of some schemes alone, else KERNC_INVALID; one host thread then
                             runs all */
};
/* Traces: what the slots of a warp-core machine do in each cycle; of bytecode what warps run, and when, by
 * the modelled cycles of the launch so far. */
typedef enum kernc_trace_form {
    KERNC_TRACE_NONE,
    KERNC_TRACE_VCD,  /* a waveform, for GTKWave */
    KERNC_TRACE_JSON, /* a timeline, for Perfetto */
    KERNC_TRACE_TEXT, /* a line for each instruction, to compare with another machine's; of
                         bytecode for each step */
} kernc_trace_form;
/* Which threads the scheme oracle takes for a group of an anchor, of those that wait at it (docs/schemes.md).
 * Other schemes take those that happen to be there. */
typedef enum kernc_anchors {
    KERNC_ANCHORS_ALL,
    KERNC_ANCHORS_ALONE,  /* each thread by itself */
    KERNC_ANCHORS_RANDOM, /* a part of them, drawn by anchor_seed */
} kernc_anchors;
/* Which group of a warp the scheme barrier runs next, of those that are ready (docs/schemes.md). */
typedef enum kernc_schedule {
    KERNC_SCHEDULE_LARGEST, /* with the most lanes; of several the one that became ready last */
    KERNC_SCHEDULE_NEWEST,  /* that became ready last */
    KERNC_SCHEDULE_OLDEST,
    KERNC_SCHEDULE_LOWEST, /* whose place in the code is the lowest */
} kernc_schedule;
/* How live lanes of a warp wait that do not run. */
typedef enum kernc_wait {
    KERNC_WAIT_TURN,    /* for their turn */
    KERNC_WAIT_OTHERS,  /* for others, at a convergent operation or a barrier() */
    KERNC_WAIT_BARRIER, /* for others, in a convergence barrier (scheme barrier) */
} kernc_wait;
/* Lanes that wait together, as the warp's divergence scheme holds them: an entry of its stack, a group
 * that is ready, a barrier register. */
typedef struct kernc_group {
    uint64_t lanes;      /* bit n: lane n. Of a stack's entries: live ones that run, or wait in an
                            entry nearer to its top, too. 0: nobody waits in the barrier yet */
    int wait;            /* kernc_wait */
    uint32_t code, line; /* where they go on: as kernc_step's; the first line; 0: not known */
    uint32_t barrier;    /* of KERNC_WAIT_BARRIER: the register's number, */
    uint64_t joined;     /* and all lanes that take part */
} kernc_group;
/* A step of a warp: a block of code that is run by some of its lanes, or the rest of one. */
typedef struct kernc_step {
    size_t size;
    uint64_t number;       /* of the warp, from 1 */
    uint64_t active, live; /* lanes that run, and those that have not ended */
    uint32_t lanes;        /* of the warp */
    uint32_t code;         /* the block, as listings number them; of warp-core the word */
    const uint32_t *lines; /* of the source that it stands for, ascending; may be none */
    uint32_t line_count;
    const kernc_group *groups; /* lanes that wait; of a stack from the bottom to the top: those of the
                                  last one run next */
    uint32_t group_count;
    uint32_t warp; /* which: its number in the block */
} kernc_step;
/* Called on the thread that launched, while the kernel runs; what it gets is valid during the call. */
typedef void kernc_step_function(void *user, const kernc_step *step);

typedef struct kernc_launch {
    size_t size;
    uint32_t grid[3], block[3]; /* blocks, and threads in a block; 0 counts as 1 */
    const kernc_argument *args;
    uint32_t arg_count;
    const char *scheme; /* NULL, or the one the program was compiled for: else KERNC_INVALID */
    uint32_t warp;      /* threads of a warp, 1..64; 0: 32 */
    uint32_t threads;   /* host threads; 0: 1 */
    uint32_t segment;   /* bytes of a memory transaction, a power of two from 8 on; 0: 128 */
    uint32_t flags;
    uint64_t fuel;                 /* warp instructions of the launch, and one more for each 64 bytes that a
                                      lane copies by an instruction; 0: 2^40 */
    uint32_t cores;                /* warp-core machines that share the blocks, 1..64; 0: 1 */
    int trace;                     /* kernc_trace_form; of bytecode, one host thread then runs all, and
                                      counts as KERNC_STATISTICS says */
    uint64_t trace_from, trace_to; /* the cycles traced; trace_to 0: 1,000,000 of them */
    kernc_output_function *trace_output; /* gets the whole trace after the launch, also if it trapped */
    void *trace_user;
    const char *isa;               /* instance of the interpreter ("base", "avx2"); NULL: the best here */
    const char *timing;            /* text of a timing file: rows of the warp-core machine's cycles that are
                                      not those of docs/isa.md; NULL: none */
    int anchors;                   /* kernc_anchors */
    uint64_t anchor_seed;          /* of KERNC_ANCHORS_RANDOM */
    int schedule;                  /* kernc_schedule */
    const volatile int *interrupt; /* NULL, or what a signal handler or another thread sets to other than
                                      0: the launch stops soon, as if its fuel had run out */
    uint32_t shared;               /* elements of the kernel's unsized shared array, if it has one
                                      (kernc_kernel_shared); 0: none, or as shared_sizes says */
    kernc_step_function *step;     /* NULL, or gets each step of some warps; then one host thread runs all */
    void *step_user;
    uint32_t step_block[3], step_warp; /* the first of them: its block's index, and its number in the block;
                                          there need not be one */
    uint32_t banks;                    /* of shared memory, each 4 bytes wide, a power of two; 0: 32 */
    const uint32_t *shared_sizes; /* if the kernel has several unsized shared arrays: the elements of each
                                          (kernc_kernel_shared_array), none of them 0 */
    uint32_t shared_count;        /* how many there are; 0: as `shared` says */
    uint32_t sample; /* runs so many of the grid's blocks alone: one, in no order, of each of as many equal
                        stretches of the grid, the same for the same grid; of bytecode. 0, or not fewer than
                        the grid has: all */
    uint32_t step_warps; /* how many warps of the block, from step_warp on; 0: 1 */
} kernc_launch;

/* limits of a launch */
enum {
    KERNC_MAX_WARP = 64,
    KERNC_MAX_BLOCK_THREADS = 4096,
    KERNC_MAX_BLOCK_WARP = 1024, /* threads of a block that a warp of the model holds */
    KERNC_MAX_GRID_BLOCKS = INT32_MAX,
    KERNC_MAX_HOST_THREADS = 256,
    KERNC_MAX_CORES = 64,
    KERNC_MAX_BANKS = 128,
    KERNC_MAX_TRACE_CYCLES = 1 << 24, /* of a trace's window, those of all cores added up */
};
/* Runs to the end. `statistics` may be NULL; else free what it gets, which is set after traps and limits too
 * (NULL after other failures). */
KERNC_API kernc_status kernc_run(kernc_kernel *kernel, const kernc_launch *launch,
                                 kernc_statistics **statistics);

/* ---- statistics -------------------------------------------------------------------------------------- */

/* The fields are the keys of kernc-metrics.def, which says what they mean. */
typedef struct kernc_metrics {
    size_t size;
#define KERNC_FIELD_COUNT          uint64_t
#define KERNC_FIELD_EVENT          uint64_t
#define KERNC_FIELD_MAXIMUM        uint64_t
#define KERNC_FIELD_MACHINE        uint64_t
#define KERNC_FIELD_MODEL          uint64_t
#define KERNC_FIELD_RATIO          double
#define KERNC_FIELD_SECONDS        double
#define METRIC(key, type, meaning) KERNC_FIELD_##type key;
#include "kernc-metrics.def"
#undef KERNC_FIELD_COUNT
#undef KERNC_FIELD_EVENT
#undef KERNC_FIELD_MAXIMUM
#undef KERNC_FIELD_MACHINE
#undef KERNC_FIELD_MODEL
#undef KERNC_FIELD_RATIO
#undef KERNC_FIELD_SECONDS
} kernc_metrics;
typedef struct kernc_line_metrics {
    size_t size;
    uint32_t line;
#define LINE_METRIC(key) uint64_t key;
#include "kernc-metrics.def"
} kernc_line_metrics;

/* How many times lanes came to a branch; column 0: to any code of the line, and there where they came most
 * often. Of several branches at one place, which passes have copied, `copy` is the number in the order of the
 * program. */
typedef struct kernc_place_metrics {
    size_t size;
    uint32_t line, column, copy;
    uint64_t lanes;
} kernc_place_metrics;

/* A branch that warps came to: how often, and how often their lanes went different ways. Its copies that
 * passes have made count as one. */
typedef struct kernc_branch_metrics {
    size_t size;
    uint32_t line, column;
    uint64_t executed, diverged;
} kernc_branch_metrics;

/* Instructions of a class, whose `key` stays and whose `meaning` is for people: of the instruction mix. */
typedef struct kernc_class_metrics {
    size_t size;
    const char *key, *meaning; /* these live on */
    uint64_t warp_instructions, thread_instructions;
} kernc_class_metrics;

KERNC_API void kernc_statistics_free(kernc_statistics *statistics); /* NULL is allowed */
/* Fills in *metrics, whose size the caller has set. False: it has none. */
KERNC_API bool kernc_statistics_metrics(const kernc_statistics *statistics, kernc_metrics *metrics);
/* How many warp instructions were issued to 0, 1, 2, … KERNC_MAX_WARP active lanes: their sum is
 * warp_instructions, weighted thread_instructions. 0 active lanes: a conservative branch. False: the launch
 * was not told to count (KERNC_STATISTICS). */
#define KERNC_MAX_WARP 64
KERNC_API bool kernc_statistics_active_lanes(const kernc_statistics *statistics,
                                             uint64_t instructions[KERNC_MAX_WARP + 1]);
/* The classes, from index 0 on; every instruction is of one, so that they add up to those of the launch.
 * False: there is none of this index. */
KERNC_API bool kernc_statistics_class(const kernc_statistics *statistics, uint32_t index,
                                      kernc_class_metrics *class_metrics);
/* Indices of kernc_statistics_line are below this: the source lines that have counts. */
KERNC_API uint32_t kernc_statistics_line_count(const kernc_statistics *statistics);
/* Lines in ascending order. */
KERNC_API bool kernc_statistics_line(const kernc_statistics *statistics, uint32_t index,
                                     kernc_line_metrics *line);
/* Places in ascending order, from index 0 on; none of warp-core machines. False: there is none of this index.
 * */
KERNC_API bool kernc_statistics_place(const kernc_statistics *statistics, uint32_t index,
                                      kernc_place_metrics *place);
/* The branches, by place; false: the index is too large. */
KERNC_API bool kernc_statistics_branch(const kernc_statistics *statistics, uint32_t index,
                                       kernc_branch_metrics *branch);
/* Sums over the kernel's launches so far; free it. */
KERNC_API kernc_status kernc_kernel_statistics(kernc_kernel *kernel, kernc_statistics **statistics);

#ifdef __cplusplus
}
#endif
#endif
