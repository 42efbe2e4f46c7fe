/* scheme.h: the targets and divergence schemes, by their tables targets.def and schemes.def. */
#ifndef KERNC_BASE_SCHEME_H
#define KERNC_BASE_SCHEME_H

#include "base/base.h"

enum target {
#define TARGET(id, name, lanes, scheme, lacks, lowering, meaning) TARGET_##id,
#include "base/targets.def"
    TARGETS
};

enum scheme {
#define SCHEME(id, name, target, machine, lowering, properties, meaning) SCHEME_##id,
#include "base/schemes.def"
    SCHEMES
};

/* The scheme that defines the meaning of kernels: all others are compared with it. */
#define SCHEME_REFERENCE SCHEME_oracle
#define SCHEME_DEFAULT   (target_info[TARGET_bytecode].scheme)

/* What a scheme's machine does, and what of it code, passes and tools may rely on. */
enum scheme_property {
    /* The machine decides groups by convergence tokens: the code keeps them. */
    SCHEME_TOKENS = 1,
    /* Lanes diverge only at divergent branches, and until ir_block.reconverge: a scalar of the warp may live
     * across blocks (backend/bytecode/warp_scalars.c). */
    SCHEME_WARP_SCALARS = 2,
    /* Results may differ from the reference's: compared only if asked for. */
    SCHEME_UNSOUND = 4,
    /* The machine has convergence barriers (cb.join and its like). */
    SCHEME_BARRIERS = 8,
    /* Of the threads of one function those of the lowest code index run: blocks are laid out by priority, and
     * block words with re-convergence checks are marked. */
    SCHEME_FRONTIERS = 16,
    /* The machine does not see where threads wait: block words with a frontier are marked too. */
    SCHEME_CONSERVATIVE = 32,
    /* A group that comes to a barrier before the others is held: they run on as if it had ended. */
    SCHEME_HOLDS = 128,
    /* Predictions are honoured: their lowering makes convergence barriers of their marks, which passes before
     * it keep. */
    SCHEME_PREDICTIONS = 256,
    /* Lanes that wait get a turn though others spin. */
    SCHEME_PROGRESS = 64,
    /* reconverge brings loops into normal form: what passes before it do for that pays. */
    SCHEME_NORMAL_LOOPS = 512,
    /* The machine does not know which calls threads are in: functions are laid out before those that call
     * them, so that they run first. */
    SCHEME_CALLEES_FIRST = 2048
};

/* Lists of passes are names between commas. */
enum target_lack {
    TARGET_NO_DOUBLE = 1,
    TARGET_NO_I64 = 2, /* in registers; it is loaded, stored and passed */
    TARGET_NO_WIDE_ATOMICS = 4,
    TARGET_NO_HOST = 8,      /* calls of functions of the host */
    TARGET_NO_CHECKS = 16,   /* check.uniform */
    TARGET_NO_BARRIERS = 32, /* convergence barriers, and so predictions */
};
struct target_info {
    const char *name, *lowering, *meaning;
    uint32_t lanes;
    unsigned lacks;
    enum scheme scheme;
};
extern const struct target_info target_info[TARGETS];
struct scheme_info {
    const char *name, *lowering, *meaning;
    enum target target;
    unsigned properties;
};
extern const struct scheme_info scheme_info[SCHEMES];

enum target target_find(const char *name); /* TARGETS: there is none */
enum scheme scheme_find(const char *name); /* SCHEMES: there is none */
/* Of enum kernc_schedule, in its order; schedule_find: SCHEDULES: there is none. */
enum { SCHEDULES = 4 };
extern const char *const schedule_names[SCHEDULES];
/* SCHEDULES: there is none. */
unsigned schedule_find(const char *name);
/* The names of all, for messages: "a, b, c". */
const char *scheme_names(struct arena *a);

static inline bool scheme_has(enum scheme s, enum scheme_property property)
{
    return scheme_info[s].properties & property;
}

/* The first scheme that has the property, as some scheme does. */
enum scheme scheme_with(enum scheme_property property);

/* What of the compiler's claims can be checked as kernels run under the scheme, by its name in
 * checks.def; NULL: nothing. */
const char *scheme_check(enum scheme s);

static inline const struct target_info *scheme_target(enum scheme s)
{
    return &target_info[scheme_info[s].target];
}

#endif
