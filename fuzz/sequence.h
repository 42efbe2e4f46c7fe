/* sequence.h: class g: several kernels, launched in order on buffers that live across them, some launches
 * repeated. Every kernel has the parameters (to, from, own, flag, table, round, s): four buffers of uints,
 * one of structures (c, d), a uint, and such a structure; each thread reads one element of `from`, and of
 * `own` and `to` its own, so that whatever is dropped, nothing races.
 *
 * What an operation means is written twice: in Kern (class_g.c) and in C (reference_g.c).
 */
#ifndef KERNC_FUZZ_SEQUENCE_H
#define KERNC_FUZZ_SEQUENCE_H

#include "fuzz/program.h"
#include "launch/launch.h"

/* Of a thread's value x; v is the operation's number. */
enum fz_effect {
    FZ_EFFECT_ADD,    /* x = x * v + s.c */
    FZ_EFFECT_MIX,    /* x ^= x >> v % 31 + 1 */
    FZ_EFFECT_ROUND,  /* x += round * v + s.d[v & 1] */
    FZ_EFFECT_BRANCH, /* x >> v % 32 & 1 ? x * v + gid : x ^ v */
    FZ_EFFECT_LOOP,   /* x & 7 times: x = x * 5 + v */
    FZ_EFFECT_OWN,    /* x += own[gid] + table[x & 1].c; own[gid] = x */
    FZ_EFFECT_FLAG,   /* if (x % 8 + round < v % 9) atomic_or(flag, 1) */
    FZ_EFFECTS
};
/* A prediction: statements are marked. A mark goes with its statement, so that whatever is dropped, a
 * program of the class is left. */
struct fz_marks {
    uint8_t label, predict; /* number of the label that stands here, of the one that is predicted, plus 1; 0:
                               none */
    uint8_t threshold;      /* 0: the Predict names none */
};
struct fz_operation {
    enum fz_effect effect;
    uint32_t v;
    struct fz_marks marks; /* the label of a branch or loop is in it */
};
struct fz_stage {  /* a kernel */
    uint32_t a, b; /* of thread gid is from[(gid * a + b) % threads] */
    char store;    /* to[gid] = x, += or ^= */
    VEC(struct fz_operation) operations;
};
struct fz_directive {
    enum launch_step step;              /* KERNEL, REPEAT, END */
    uint32_t stage, to, from, c, round; /* KERNEL; to and from differ */
    uint32_t slope, d[2];               /* KERNEL: s.c is c + the repeat's round * slope; s.d */
    bool own_iota, counts;              /* `own` is iota, or else zeros; round is the repeat's */
    bool fewer;                         /* blocks in each round of those that count, down to one */
    uint32_t rounds;                    /* REPEAT: 0: no number */
    bool flagged;                       /* REPEAT: while (flag) */
};
enum { FZ_MOST_NAMED = 4 };
struct fz_sequence {
    uint32_t named; /* buffers but the flag's, which is the program's last */
    struct {
        enum launch_value_kind kind;
        uint32_t seed;
    } made[FZ_MOST_NAMED]; /* ZEROS, IOTA, RANDOM */
    VEC(struct fz_stage) stages;
    VEC(struct fz_directive) directives;
};

/* What the buffer holds at first. */
struct launch_value fz_named_value(const struct fz_program *p, uint32_t buffer);
/* The program's source, as fz_print. */
void fz_print_sequence(const struct fz_program *p, struct text *out);
/* s.c in this round, blocks in it, and element i of `table`. */
uint32_t fz_directive_c(const struct fz_directive *d, uint32_t round);
uint32_t fz_directive_blocks(const struct fz_program *p, const struct fz_directive *d, uint32_t round);
uint32_t fz_directive_table(const struct fz_directive *d, uint32_t i);
/* The END of the REPEAT at this index. */
uint32_t fz_end_of(const struct fz_sequence *s, uint32_t repeat);
uint32_t fz_sequence_size(const struct fz_sequence *s); /* directives and operations */

#endif
