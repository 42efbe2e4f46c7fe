/* opt.h: running passes over a module, and what can be seen of it.
 *
 * A pass changes a function (or the module) and says whether it changed anything; all else is the
 * runner's work: computing and caching analyses, verifying, printing, timing, counting. Nothing here
 * writes to a stream: text goes to the `print` callback, files only to the directory that was asked for.
 */
#ifndef KERNC_OPT_H
#define KERNC_OPT_H

#include "base/scheme.h"
#include "ir/ir.h"

enum opt_pass {
#define PASS(name, function, level, graph, meaning) OPT_PASS_##name,
#include "opt/passes.def"
    OPT_PASSES
};
enum opt_graph { CHANGES_GRAPH, KEEPS_GRAPH }; /* see opt/passes.def */
struct opt_pass_info {
    const char *name, *meaning;
    enum opt_graph graph;
    uint8_t level;
    bool of_module;
};
extern const struct opt_pass_info opt_pass_info[OPT_PASSES];
enum opt_pass opt_pass_find(const char *name, size_t n); /* OPT_PASSES: no such pass */
/* "a,b,c"; levels above the highest give it */
const char *opt_pipeline(unsigned level);
#define OPT_LEVEL_DEFAULT 2

/* The first pass `before` of a list stands in front of its first `after` (opt/pass_order.def). */
struct opt_order {
    enum opt_pass before, after;
    bool needed; /* or else `after`, or both, make more of it */
    const char *reason;
};
enum {
#define ORDER(before, after, reason)  +1
#define BETTER(before, after, reason) +1
    OPT_ORDERS = 0
#include "opt/pass_order.def"
};
extern const struct opt_order opt_orders[OPT_ORDERS];
/* Whether a list of passes keeps the row; it does if it has not both passes. */
bool opt_keeps_order(const enum opt_pass passes[], uint32_t count, const struct opt_order *o);
/* The passes that every run begins with: "a,b,c". */
extern const char opt_entry[];

enum opt_limit {
#define LIMIT(name, value, most, meaning) OPT_LIMIT_##name,
#include "opt/limits.def"
    OPT_LIMITS
};
struct opt_limit_info {
    const char *name, *meaning;
    uint32_t value, most;
};
extern const struct opt_limit_info opt_limit_info[OPT_LIMITS];
enum opt_limit opt_limit_find(const char *name, size_t n); /* OPT_LIMITS: no such limit */

enum opt_option {
#define FLAG(name, value, meaning)                OPT_OPTION_##name,
#define NUMBER(name, value, least, most, meaning) OPT_OPTION_##name,
#define CHOICE(name, value, meaning)              OPT_OPTION_##name,
#include "opt/options.def"
    OPT_OPTIONS
};
/* The words of all choices: OPT_<choice>_<word>. */
enum opt_word {
#define WORD(option, word, meaning) OPT_##option##_##word,
#include "opt/options.def"
    OPT_WORDS
};
enum opt_option_kind { OPT_FLAG, OPT_NUMBER, OPT_CHOICE };
struct opt_option_info {
    const char *name, *meaning;
    enum opt_option_kind kind;
    uint32_t value, least, most; /* value: the default; of a flag 0 or 1, of a choice an enum opt_word */
};
struct opt_word_info {
    const char *name, *meaning;
    enum opt_option option;
};
extern const struct opt_option_info opt_option_info[OPT_OPTIONS];
extern const struct opt_word_info opt_word_info[OPT_WORDS];
#define OPT_NAME_MAX 40
const char *opt_spelled(const char *name, char buffer[OPT_NAME_MAX]); /* with - for _ */
const char *opt_option_values(enum opt_option k, struct arena *a);    /* "0 to 40", "a, b, c" */
/* Its value in words: "40", "on", "all"; in the buffer, or static. */
const char *opt_option_default(enum opt_option k, char buffer[OPT_NAME_MAX]);
const char *opt_option_usage(enum opt_option k, struct arena *a); /* "-finline-size=N" */
/* As behind -f: "inline-size=60", "no-inline-called-once". */
const char *opt_option_text(enum opt_option k, uint32_t value, struct arena *a);

/* Which prediction: where it starts and where its threads are to reconverge (a function that is predicted:
 * {0, 0}). Copies that passes make of one have the same places. */
struct opt_prediction_name {
    place from, to;
};
/* threshold 0: all wait; OPT_THRESHOLD_OFF: the prediction is left out */
#define OPT_THRESHOLD_OFF UINT32_MAX
struct opt_threshold {
    struct opt_prediction_name name;
    uint32_t threshold;
};

/* How many times lanes came to a branch in an earlier run; column 0: to the line. Copies of a branch follow
 * each other in the order of the program. */
struct opt_place_count {
    place at;
    uint64_t lanes;
};

/* What the pass check_memory has the checker look for. */
enum opt_memory_check {
#define MEMORY_CHECK(id, name, bit, where, meaning) OPT_CHECK_##id = bit,
#include "base/checks.def"
};

enum opt_changed { OPT_CHANGED_OFF, OPT_CHANGED_ON, OPT_CHANGED_DIFF };

/* Lists are names separated by commas; NULL or "" is the empty list. To be filled
 * by opt_options_init first. */
struct opt_options {
    unsigned level;
    const char *passes;   /* runs these instead of the level's pipeline; NULL: not given */
    const char *lowering; /* then runs these, what the target and a divergence scheme need; NULL: none.
                             Required, but passes of a level: they are left out below it, and where
                             `passes` are given */
    enum target target;   /* what the code is for */
    unsigned properties;  /* enum scheme_property: of the scheme that the code is for */
    const char *print_before, *print_after; /* passes */
    bool print_before_all, print_after_all;
    enum opt_changed print_changed;
    const char *filter_passes, *filter_functions; /* prints and dumps only of these; empty: all */
    bool divergence;       /* what is printed and dumped has each value marked as uniform or divergent,
                              and why */
    const char *analyses;  /* views (ir/views/views.def) of each function that is printed, behind it */
    const char *dump_dir;  /* writes NNN-pass.kir, the module after each pass that changed it */
    bool check_uniformity; /* runs that pass last */
    unsigned check_memory; /* enum opt_memory_check: runs that pass before those of the level; 0: not */
    bool verify_each;      /* verifies after each pass that changed something; a failure is a BUG */
    bool check_analyses;   /* checks what a pass said it kept by a hash */
    bool time_passes, stats, remarks; /* collect; see struct opt_report */
    long bisect_limit;                /* runs only the first n (pass, function) steps; negative: all */
    bool off[OPT_PASSES];             /* -fno-<pass> */
    uint32_t values[OPT_OPTIONS];
    uint32_t limits[OPT_LIMITS];
    VEC(struct opt_threshold) thresholds; /* of single predictions, instead of those that they name */
    VEC(struct opt_place_count) profile;  /* by place; empty: none */
    uint32_t warp;                        /* threads of a warp of the launches that are expected */
    /* Arguments that are expected at launches, before those of the module's directives. */
    VEC(struct launch_argument) expected;
    void (*print)(void *data, const char *text, size_t n); /* NULL: nothing is printed */
    void *data;
};
enum {
#define GROWTH(inline_size, unroll_size, unroll_loops) +1
    OPT_GROWTH_ROWS = 0
#include "opt/growth.def"
};
enum { OPT_DEFAULT_WARP = 32 };
/* Defaults: the default level, warps of OPT_DEFAULT_WARP threads, all limits and options at theirs, nothing
 * shown. */
void opt_options_init(struct opt_options *o);
/* Tells the passes that make code grow to do less, as the row of opt/growth.def says, of which there are
 * OPT_GROWTH_ROWS; false: they are set so already. */
bool opt_limit_growth(struct opt_options *o, unsigned row);
/* Whether a list has the name; whether it lets the name pass, as a filter: it has it or is empty. Names are
 * separated by commas or spaces. */
bool opt_listed(const char *list, const char *name);
bool opt_in_filter(const char *list, const char *name);
/* What stands behind -f: "NAME" or "no-NAME" of a pass or a flag, "NAME=VALUE" of another option. NULL, or in
 * `a` why it can't be so: there is none, the value does not fit, the pass is required where it runs (level 0
 * of opt/passes.def). */
const char *opt_options_set(struct opt_options *o, struct arena *a, const char *text);
/* What -f can name, for help. */
void opt_options_text(struct text *out);

enum opt_remark_kind { OPT_APPLIED, OPT_MISSED };
/* Two operations that csc has made one; way: "hoisted", "split" or "sunk"; x is of the arm for whom the
 * condition holds. */
struct opt_remark_pair {
    const char *way, *operation;
    place x, y;
};
struct opt_remark {
    enum opt_pass pass;
    enum opt_remark_kind kind;
    const char *id; /* stable name of what was done or why it was not */
    const char *function;
    place at;
    const char *text;
    VEC(struct opt_remark_pair) pairs;
};
/* A prediction as place_barriers finds it in a function; `honoured`: it has kept it. `found`: by the
 * compiler. */
struct opt_prediction {
    struct opt_prediction_name name;
    uint32_t function, threshold; /* function: an index in the module; threshold 0: all wait */
    bool found, honoured;
};
struct opt_counter {
    enum opt_pass pass;
    const char *name;
    uint64_t value;
};
struct opt_time {
    uint32_t runs, changed;
    uint64_t nanoseconds;
};

/* What a run leaves behind; owns its arena. */
struct opt_report {
    struct arena arena;
    VEC(struct opt_remark) remarks; /* in the order of the passes */
    VEC(struct opt_counter) counters;
    VEC(struct opt_prediction) predictions;
    struct opt_time times[OPT_PASSES];
    uint64_t verify_nanoseconds;
    struct map counter_index;
    bool reached
        [OPT_LIMITS]; /* by a pass that the target or scheme needs, which did only a part of its work */
    long steps;       /* (pass, function) steps numbered so far; see bisect_limit */
    uint32_t files;   /* names of --dump-dir numbered so far, written or not */
};
/* Empty; opt_report_free frees what runs add. */
void opt_report_init(struct opt_report *r);
/* Empty again. */
void opt_report_free(struct opt_report *r);
/* file:line:col: remark: … */
void opt_remarks_text(const struct opt_report *r, const struct source *s, struct text *out);
void opt_remarks_json(const struct opt_report *r, const struct source *s, struct text *out); /* one array */
/* A line a counter, and a line a pass with its time in milliseconds. */
void opt_stats_text(const struct opt_report *r, struct text *out);
void opt_times_text(const struct opt_report *r, struct text *out);

/* Runs the pipeline. False with a diagnostic ("unknown-pass", "dump-dir") if the options are wrong; the
 * module is then unchanged, or as the passes before the failed dump left it. Where a pass that the module
 * needs can't do its work ("irreducible"), a diagnostic says so, and the module is not fit to be used. */
bool opt_run(struct ir_module *m, const struct opt_options *o, struct opt_report *r, struct diagnostics *d);

/* The warning groups `perf` and `sync` (notes/performance.def): what in the module, fresh from the front end,
 * costs speed: remarks with the id "perf"; and what brings fewer threads together than it seems. Each has a
 * note why threads differ there. `o`: of the compilation, which say what its passes do about it. The module
 * stays as it is. */
void opt_performance_notes(const struct ir_module *m, const struct opt_options *o, struct diagnostics *d);

/* Whether the compiler looks for predictions itself. */
static inline bool opt_finds_predictions(const struct opt_options *o)
{
    uint32_t word = o->values[OPT_OPTION_predict];
    return word == OPT_predict_auto || word == OPT_predict_found;
}
/* Predictions of the source whose threshold is OPT_THRESHOLD_OFF go, and for -fpredict=found all; to be called
 * before opt_run. */
void opt_leave_out_predictions(struct ir_module *m, const struct opt_options *o);
/* Removes Predicts from which no thread comes to what is predicted, with a warning for each (group `predict`),
 * whatever the scheme. The module is fresh from the front end, or as it was read. */
void opt_drop_idle_predictions(struct ir_module *m, const struct opt_options *o, struct diagnostics *d);

#endif
