/* emit.h: tests for others: a random program of classes b and j in another language, or of class e as LLVM
 * IR, as a file that checks itself.
 *
 * Each thread writes what convergent operations give it into its rows of `log`, and compares them with what
 * the reference says (reference.c), which stands in the file. The program is first made one of the
 * language: what the language lacks is taken out, and operations are left only where its rules say which
 * threads execute them together. So each value that is compared is the only one allowed. A program of class e
 * is LLVM IR as it is; a second kernel compares, since threads return from the first while others go on.
 */
#ifndef KERNC_FUZZ_EMIT_H
#define KERNC_FUZZ_EMIT_H

#include "fuzz/program.h"

/* What a language lacks. FZ_LACKS_FALL: that threads that fall through to a case are together with those that
 * begin there. */
enum fz_lacks {
    FZ_LACKS_TRY = 1,
    FZ_LACKS_POINTERS = 2,
    FZ_LACKS_GATES = 4,
    FZ_LACKS_GOTO = 8,
    FZ_LACKS_TRAP = 16,
    FZ_LACKS_VOTES = 32,
    FZ_LACKS_FALL = 64,
    FZ_LACKS_PREDICTIONS = 128, /* all do */
    FZ_LACKS_IRREDUCIBLE = 256,
    FZ_LACKS_ARITHMETIC = 512, /* division by zero, shifts by too many bits */
};
/* Where the language says which threads execute an operation together: where kernc does; where the operation
 * names them; where they are the whole block, which is one warp. */
enum fz_promise { FZ_PROMISES_ALL, FZ_PROMISES_NAMED, FZ_PROMISES_WHOLE };

/* A language, and how it spells what differs among them; all else is written in the same C. */
struct fz_dialect {
    const char *name, *extension, *language;
    const char *about;      /* what it promises, how to run the file: lines of the comment at its head */
    const char *first;      /* what must stand in the file's first line */
    const char *head;       /* what it begins with behind the comment */
    const char *operations; /* what stands behind the tables */
    const char *table;      /* in front of a table */
    const char *function;   /* in front of functions */
    /* Of functions and of their calls, behind gid; the same of the function that compares. */
    const char *parameters, *arguments, *checked, *buffers;
    const char *kernel; /* the kernel's head, with its brace */
    const char *end;    /* what the file ends with */
    bool casts_by_call; /* uint(x), not (uint)x */
    bool has_macros;    /* sizes are macros */
    uint32_t lacks;     /* enum fz_lacks */
    enum fz_promise promise;
    uint32_t width; /* of warps; the only one, or what it is if --warp does not say */
    bool only_width;
    bool is_hashed; /* expected has a hash of each thread's rows: compilers are slow with large tables */
};
/* NULL: there is none of this name. */
const struct fz_dialect *fz_dialect_find(const char *name);

/* The threads of each row of the log, the operations that some of a warp executed without the others, and the
 * statements that any thread executed. */
struct fz_sets {
    struct arena *arena;
    uint64_t *
        of_row; /* as the log's elements; behind a thread's rows is what calls wrote that it left by throwing */
    uint32_t *rows; /* of each thread of the launch */
    VEC(const struct fz_node *) apart;
    struct map executed; /* the nodes' addresses */
};
/* As fz_expect, and notes them. */
enum fz_end fz_expect_sets(const struct fz_program *p, uint32_t width, void **contents, struct fz_sets *sets);

/* The classes of which there are tests in the language. */
const char *fz_emitted(const struct fz_dialect *to);
/* Makes p a program of the language, and appends its file. `command` makes it again. */
void fz_emit(struct fz_program *p, const struct fz_dialect *to, uint32_t width, const char *command,
             struct text *out);

#endif
