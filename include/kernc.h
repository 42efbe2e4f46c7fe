/* kernc.h: libkernc, the whole compiler as a library.
 *
 * One call turns source, IR text or a compiled program into a result; everything else is asked of the
 * result. The program in it is what kernc_module_load (kernc-rt.h) takes. Programs that only load and run
 * compiled kernels need libkernc-rt and kernc-rt.h alone. docs/embedding.md has examples.
 *
 * Threads: there is no global state; any number of threads may compile at once, on 2 MiB of stack each,
 * also with the largest limits. A result belongs to one thread at a time. Functions that ask a result take
 * NULL for one without anything (KERNC_COMPILE_NO_MEMORY, no text, no figures). Nothing here calls exit,
 * writes to a stream or reads the environment; files are written only to `dump_dir`. Link with -lkernc
 * -lffi -lpng -ldl -lm -pthread.
 */
#ifndef KERNC_H
#define KERNC_H

#include "kernc-rt.h"

#ifdef __cplusplus
extern "C" {
#endif

enum kernc_input {
    KERNC_INPUT_AUTO, /* seen from the content: what each form begins with */
    KERNC_INPUT_SOURCE,
    KERNC_INPUT_IR,
    KERNC_INPUT_BYTECODE,
    KERNC_INPUT_IMAGE, /* of the warp-core machine */
    KERNC_INPUT_LLVM,  /* text of LLVM IR */
};
enum kernc_analysis_form {
    KERNC_ANALYSIS_TEXT, /* lists and indented trees */
    KERNC_ANALYSIS_DOT,  /* a graph for graphviz with a cluster each */
    KERNC_ANALYSIS_IR,   /* the IR with comments */
};
enum kernc_print_changed { KERNC_CHANGED_OFF, KERNC_CHANGED_ON, KERNC_CHANGED_DIFF };

/* How many threads one prediction waits for, whatever the source says of it (0: all; KERNC_THRESHOLD_OFF: it is
 * left out); its places are those of struct kernc_prediction. */
#define KERNC_THRESHOLD_OFF 0xffffffffu
typedef struct kernc_threshold {
    unsigned line, column, to_line, to_column, threshold;
} kernc_threshold;

/* All text is NUL-terminated, is only read, and may be freed after the call. Lists are names separated by
 * commas. */
typedef struct kernc_options {
    size_t size;                 /* sizeof (kernc_options) of the caller's header;
                                    kernc_options_init sets it */
    int input;                   /* enum kernc_input */
    unsigned level;              /* 0, 1 or 2; default 2 */
    const char *scheme;          /* divergence scheme the code is made for, one of kernc_scheme_at; default
                                    "pdom". "warp-core:MODE": an image for the warp-core machine in that
                                    mode */
    const char *passes;          /* run these instead of the level's; NULL: not given */
    const char *const *switches; /* as behind -f: "no-gvn", "inline-size=60" */
    size_t switch_count;
    const char *const *warnings; /* as behind -W: "all", "no-perf", "error" */
    size_t warning_count;
    bool no_warnings;
    unsigned error_limit; /* errors after which the front end stops; 0: 20 */
    bool tree_only;       /* stop after the syntax tree, for KERNC_TEXT_TREE */
    bool ir_only;         /* stop after the passes; the result has no bytecode */

    /* What can be seen of the passes, and of the steps that make machine code for warp-core; all text of
       these goes to `print`. */
    const char *print_before, *print_after; /* passes and steps */
    bool print_before_all, print_after_all;
    int print_changed; /* enum kernc_print_changed */
    const char *filter_passes, *filter_functions;
    const char *dump_dir; /* NNN-pass.kir after each pass that changed something, NNN-step.txt
                             after each step */
    bool verify_each;
    const char *analyses; /* names for KERNC_TEXT_ANALYSES: cfg, dominators, post-dominators, cycles,
                             pst, pdg, uniformity, tokens, frontier, barriers; NULL: none */
    int analysis_form;    /* enum kernc_analysis_form */
    bool collect;         /* times, counts and remarks, for KERNC_TEXT_TIMES, _STATS, _REMARKS */
    long bisect_limit;    /* runs only the first n steps; negative (default): all */
    void (*print)(void *data, const char *text, size_t n); /* NULL: nobody wants it */
    void *print_data;
    bool divergence;           /* printed IR, KERNC_TEXT_IR too, has comments: each value and branch is
                                  uniform or divergent, and why */
    const char *const *limits; /* as behind --limit=: "nesting=1000" */
    size_t limit_count;
    const char *checks; /* what is checked while the code runs, as behind --check=: "race,bounds", "all";
                           or a claim of the compiler: "uniformity", under the scheme "oracle";
                           "frontier", under schemes with thread frontiers; NULL: nothing */
    const char *const
        *arguments; /* "NAME=SPEC", what kernels' parameters are expected to be, as --arg has it,
                       instead of what the launch directive says: estimates of costs alone
                       depend on it */
    size_t argument_count;
    const kernc_threshold *thresholds; /* of single predictions; scheme "barrier" */
    size_t threshold_count;
    const char *profile; /* what kernc run --stats-json wrote of an earlier run of this source; NULL:
                            none. Estimates of costs alone depend on it */
    size_t profile_length;
    const char *profile_name; /* of its file, for messages */
    const char *const
        *defines; /* "NAME=VALUE", as behind -D: values of constants of a source file, instead of
                     what these are declared with */
    size_t define_count;
    unsigned warp;      /* threads of a warp of the launches that are expected, 1 to 64; default 32.
                      Estimates of costs alone depend on it */
    const char *origin; /* of LLVM IR, the source that it was made of, whose lines its debug information
                           names: places of messages and profiles are then in it; `name` of kernc_compile is
                           its name. NULL: they are lines of the LLVM IR */
    size_t origin_length;
    bool default_scheme; /* nobody chose `scheme`: a warning says if it ignores the source's predictions */
} kernc_options;
/* Sets the first `size` bytes, those that the caller's header knows, to the defaults; kernc_options_init
 * calls it. */
KERNC_API void kernc_options_defaults(kernc_options *o, size_t size);
static inline void kernc_options_init(kernc_options *o)
{
    kernc_options_defaults(o, sizeof *o);
}

typedef struct kernc_scheme {
    size_t size;                /* sizeof (kernc_scheme), as in kernc-rt.h's structs */
    const char *name, *meaning; /* "pdom", and a line about it */
    unsigned warp;              /* threads of a warp of its machine; 0: as many as a launch says */
    bool sound;                 /* gives every kernel the results of the scheme "oracle" */
} kernc_scheme;
/* The divergence schemes, from index 0 on; false: there is none of this index. */
KERNC_API bool kernc_scheme_at(unsigned index, kernc_scheme *scheme);

typedef enum kernc_compile_status {
    KERNC_COMPILED,
    KERNC_BAD_SOURCE, /* the diagnostics say what is wrong with the input */
    KERNC_BAD_OPTION, /* so they do, of an unknown pass, scheme or group */
    KERNC_COMPILE_NO_MEMORY,
} kernc_compile_status;

typedef struct kernc_result kernc_result;

/* Compiles n bytes. `name` stands in messages and in the bytecode (NULL: "<input>"). `o` may be NULL:
 * defaults. The result is the caller's (kernc_result_free); NULL only if there is no memory even for it. */
KERNC_API kernc_result *kernc_compile(const char *name, const void *bytes, size_t n, const kernc_options *o);
KERNC_API void kernc_result_free(kernc_result *r); /* NULL is fine */
/* How the compilation ended. */
KERNC_API kernc_compile_status kernc_result_status(const kernc_result *r);
/* What the input was: KERNC_INPUT_SOURCE, _IR, _BYTECODE, _IMAGE or _LLVM. */
KERNC_API enum kernc_input kernc_result_input(const kernc_result *r);
/* How many messages of this severity there are. */
KERNC_API unsigned kernc_result_errors(const kernc_result *r);
KERNC_API unsigned kernc_result_warnings(const kernc_result *r);
/* Replaces the result's messages by those about a launch of the kernel, which was loaded from what the
 * result has made, with so many threads in a warp: predictions that wait for more. False: they are errors
 * (-Werror), or there was no memory for them (kernc_result_status). */
KERNC_API bool kernc_result_check_launch(kernc_result *r, const kernc_kernel *kernel, uint32_t warp);

/* What a warp-core image takes: words of the whole program, and the needs of one kernel (those of functions
 * it calls included). `spilled` values are kept in private memory for want of registers, `rematerialised`
 * ones computed anew; both are of the whole program, and 0 if it was not compiled just now. */
typedef struct kernc_image_figures {
    size_t size;
    unsigned words, registers, predicates, private_bytes, stack, spilled, rematerialised;
} kernc_image_figures;
/* False: the result is no image or has no such kernel. */
KERNC_API bool kernc_result_image(const kernc_result *r, const char *kernel, kernc_image_figures *f);

/* What is known of bytecode without running it; the fields are the keys of kernc-figures.def, which says
 * what they mean. */
typedef struct kernc_figures {
    size_t size;
#define KERNC_FIELD_COUNT                   unsigned
#define KERNC_FIELD_RATIO                   double
#define FIGURE(key, type, heading, meaning) KERNC_FIELD_##type key;
#include "kernc-figures.def"
#undef KERNC_FIELD_COUNT
#undef KERNC_FIELD_RATIO
} kernc_figures;
/* Sums over the program. False: the result is no bytecode that was compiled just now, or there is no
 * memory. */
KERNC_API bool kernc_result_figures(const kernc_result *r, kernc_figures *f);

/* A prediction that the compiled code honours (scheme "barrier"). */
typedef struct kernc_prediction {
    size_t size;
    unsigned line, column;       /* of its Predict; of one that the compiler found, where it begins. Lines of
                                    included files are counted on behind those of the file */
    unsigned to_line, to_column; /* of its label, or of what is predicted instead; 0: of a function's entry */
    unsigned threshold;          /* threads that wait, 0: all */
    bool found;                  /* by the compiler, not in the source */
} kernc_prediction;
/* Those in functions that the kernel may run, from index 0 on, in the order of their places; several that
 * stem from one Predict are one. False: there is none of this index, or no such kernel, or no memory. */
KERNC_API bool kernc_result_prediction(const kernc_result *r, const char *kernel, unsigned index,
                                       kernc_prediction *p);

typedef enum kernc_text {
    KERNC_TEXT_DIAGNOSTICS,       /* all messages, for people; "" if there are none */
    KERNC_TEXT_DIAGNOSTICS_COLOR, /* the same with ANSI colours */
    KERNC_TEXT_DIAGNOSTICS_JSON,  /* one array */
    KERNC_TEXT_BYTECODE,          /* the bytes of a .kbc or .wcb file: what kernc_module_load takes */
    KERNC_TEXT_LISTING,           /* the same, readable */
    KERNC_TEXT_IR,                /* the module after the passes */
    KERNC_TEXT_DOT,               /* control-flow graphs for graphviz */
    KERNC_TEXT_TREE,              /* syntax tree; needs tree_only */
    KERNC_TEXT_ANALYSES,          /* of the module after the passes; needs `analyses` */
    KERNC_TEXT_REMARKS,
    KERNC_TEXT_REMARKS_JSON,
    KERNC_TEXT_STATS,
    KERNC_TEXT_TIMES, /* need `collect` */
    KERNC_TEXT_HEX,   /* of an image: for Verilog's $readmemh */
    KERNC_TEXT_MAP,   /* of an image: what each kernel and function takes */
    KERNC_TEXT_LLVM,  /* the module after the passes as LLVM IR */
    KERNC_TEXTS
} kernc_text;
/* A text of the result, NUL-terminated; *n (if not NULL) gets its length. It lives as long as the result.
 * NULL if the result has none: compiling failed or stopped before it, or there is no memory. */
KERNC_API const char *kernc_result_text(kernc_result *r, kernc_text what, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
