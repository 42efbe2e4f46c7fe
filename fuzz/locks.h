/* locks.h: class i: locks that threads try in turn, and who executes the convergent operations behind them.
 *
 * Threads of one dynamic instance come to what a lock guards one after the other, and read different values
 * from one address. In which order they come is the scheme's choice, so no log is expected: what holds for all
 * orders is looked at (reference_i.c). An entry of the log has a *key*, which names the operation's dynamic
 * instance: its number and the counters of the loops around it. The threads of a warp that have a key are just
 * those for which the operation was executed, each time.
 *
 * Nobody waits for a lock, loops count, and what a lock guards is touched by its holder alone: so whatever is
 * dropped, a program of the class is left.
 */
#ifndef KERNC_FUZZ_LOCKS_H
#define KERNC_FUZZ_LOCKS_H

#include "fuzz/program.h"

enum { FZ_LOCKS = 3, FZ_LOCK_LOOPS = 3, FZ_LOCK_ITERATIONS = 4, FZ_LOCK_OPERATIONS = 48, FZ_LOCK_ROWS = 160 };
/* The constant that is sent with a flag. */
enum { FZ_SENT = 5 };

enum fz_lock_kind {
    FZ_LOCK_IS_LANE,  /* a bit of `number` for each lane */
    FZ_LOCK_IS_INPUT, /* bit a of an element of the input, another one for each thread */
    FZ_LOCK_IS_ALIKE, /* of one element for all */
    FZ_LOCK_IS_TURN,  /* the counter of the loop that is `a` loops around: == number; without loops: true */
    FZ_LOCK_IS_READ, /* what the innermost lock or flag around gave: its bit a, if `number` is even; % 3 == a;
                         without one: true */
    FZ_LOCK_IS_SEEN, /* bit a of the latest operation's result */
    FZ_LOCK_KINDS
};
struct fz_lock_condition {
    enum fz_lock_kind kind;
    uint32_t a;
    uint64_t number;
};

enum fz_lock_step {
    FZ_LOCK_LOG,   /* an operation; its result is logged */
    FZ_LOCK_TWINS, /* the same one on both sides of a branch, logged on each */
    FZ_LOCK_LATE,  /* one whose result is logged on one side of a branch */
    FZ_LOCK_TRY, /* a lock, which stays out of it if another has it; what it guards is read, and maybe counted
                         up; `then` behind it */
    FZ_LOCK_SEND,    /* the first who comes writes FZ_SENT and sets the flag */
    FZ_LOCK_RECEIVE, /* if the flag is set, what was sent is read; `then` behind it */
    FZ_LOCK_IF,      /* then, otherwise */
    FZ_LOCK_LOOP, /* number + 1 turns; of a thread (style): as many as an element of the input says, at most */
    FZ_LOCK_BREAK,    /* under the condition; outside of loops: return */
    FZ_LOCK_CONTINUE, /* likewise */
    FZ_LOCK_RETURN,   /* under the condition */
    FZ_LOCK_STEPS
};
struct fz_lock_statement {
    enum fz_lock_step step;
    uint8_t operation;    /* of fz_lock_operations */
    uint8_t id;           /* numbers of the operations: this one, and on the other side the next */
    uint8_t lock, number; /* lock or flag */
    bool once;            /* each thread takes the lock once */
    bool counts;          /* what it guards is counted up */
    bool calls;           /* it is read by a function */
    uint8_t style;
    struct fz_lock_condition condition;
    struct fz_lock_statement *then, *otherwise, *next;
};
struct fz_locks {
    bool shared; /* the locks and what they guard are in shared memory */
    struct fz_lock_statement *first;
};

/* Operations that give the group as a mask of its lanes. */
extern const char *const fz_lock_operations[];
enum { FZ_LOCK_MASKS = 5 };

/* The buffers' numbers. */
enum fz_lock_buffer {
    FZ_LOCK_BUFFER_LOG,
    FZ_LOCK_BUFFER_KEY,
    FZ_LOCK_BUFFER_WORDS, /* locks, flags, what they guard: FZ_LOCKS each */
    FZ_LOCK_BUFFER_TAKEN, /* how often the thread has counted up what each lock guards */
    FZ_LOCK_BUFFER_WRONG, /* of the thread, 1: a flag led to something else than was sent */
    FZ_LOCK_BUFFER_INPUT,
};

/* The program's source but for its launch. */
void fz_print_locks(const struct fz_program *p, struct text *out);
uint32_t fz_locks_size(const struct fz_locks *l); /* the kernel and its statements */
struct fz_reducer;
/* One pass over a program of class i. */
void fz_reduce_locks(struct fz_reducer *r);

#endif
