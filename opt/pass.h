/* pass.h: what a pass sees: its context, the analyses, and the tools that passes share.
 *
 * A pass is `bool opt_<name>(struct opt_context *, struct ir_function *)`; it returns whether it changed
 * anything. No pass calls a pass; what two of them need stands here.
 */
#ifndef KERNC_OPT_PASS_H
#define KERNC_OPT_PASS_H

#include "ir/analysis/pdg.h"
#include "ir/analysis/ranges.h"
#include "opt/cost/cost.h"
#include "opt/opt.h"

struct opt_cache;
struct opt_rest;
/* scratch, report and diagnostics are NULL where analyses are computed outside of a run: to be compared, or for
 * opt_read. They take none of the memory and may remark and count, which then does nothing. */
struct opt_context {
    struct arena *scratch; /* freed after the pass */
    const struct opt_options *options;
    struct opt_report *report;
    struct diagnostics *diagnostics;
    struct opt_cache *cache;
    enum opt_pass pass;
    const struct opt_rest *rest; /* behind a pass on the module: see opt_rehearse; NULL: nothing is known */
    bool on_function;            /* what is asked of the module has been made before */
    bool required;               /* the pass is one that the target or scheme needs */
};
#define PASS(name, function, level, graph, meaning)                                                          \
    bool opt_##function(struct opt_context *c, struct ir_function *f);
#define MODULE_PASS(name, function, level, graph, meaning)                                                   \
    bool opt_##function(struct opt_context *c, struct ir_module *m);
#include "opt/passes.def"

/* ---- users of values (opt/kit/uses.c) ---------------------------------------------------------------- */

/* Who uses a value: instructions, and edge arguments by the parameter they go to. In compressed rows. */
struct opt_use {
    ir_ref user;          /* instruction, or the block parameter that gets the argument */
    uint32_t block, edge; /* of an edge argument: where it leaves; of an instruction edge is
                             IR_NO_BLOCK */
};
struct opt_uses {
    uint32_t *start;
    struct opt_use *at;
};
/* Linear in instructions. Passes get it from the runner (opt_uses). */
struct opt_uses *opt_uses_new(struct arena *a, const struct ir_function *f);
/* By value: how many operands and arguments it is; tokens are not counted. Linear, for passes that keep the
 * numbers right themselves. */
uint32_t *opt_count_uses(struct arena *a, const struct ir_function *f);
#define opt_each_use(u, uses, r)                                                                             \
    for (const struct opt_use *u = (uses)->at + (uses)->start[r]; u < (uses)->at + (uses)->start[(r) + 1];   \
         u++)

/* ---- analyses (opt/runner/analyses.def) -------------------------------------------------------------- */

/* opt_cfg(c, f), …: of any function of the module as it was when first asked for in the pass, or when a pass
 * before left it. To be asked before what they describe is changed. */
#define ANALYSIS(name, type, of, compute)                                                                    \
    const type *opt_##name(struct opt_context *c, const struct ir_function *f);
#define MODULE_ANALYSIS(name, type, of, compute)                                                             \
    const type *opt_##name(struct opt_context *c, const struct ir_module *m);
#include "opt/runner/analyses.def"
/* To be called by a pass that asks again after having changed the function, and by a pass of the module that
 * has changed it: none of its analyses is kept. f NULL: those of the module. */
void opt_invalidate(struct opt_context *c, const struct ir_function *f);
/* For a pass on the module: makes of f what the level's passes on functions behind it will make of it, without
 * remarks and counts. The caller puts f back. */
void opt_rehearse(struct opt_context *c, struct ir_function *f);
/* For what looks at a module outside of a run of passes: calls `read` with a context that gives analyses
 * from a cache of its own, within the limits of `o`, and does nothing else. */
typedef void opt_reader(struct opt_context *c, void *data);
void opt_read(const struct opt_options *o, opt_reader *read, void *data);

/* ---- remarks and counters (opt/runner/remarks.c) ----------------------------------------------------- */

/* Of the pass that runs; NULL where remarks are not collected, no report is, or there is the same. `id`: a
 * string literal. What comes back is valid until the next remark. */
struct opt_remark *opt_remark(struct opt_context *c, const struct ir_function *f, enum opt_remark_kind kind,
                              const char *id, place at, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* What the author of the kernel should know, where it is; a warning of the group (base/groups.def), which -W,
 * -Werror and kern:ignore decide on as on the front end's. */
void opt_warning(struct opt_context *c, const struct ir_function *f, enum diag_group group, place at,
                 const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* What the pass can't do but has to: the run ends with this diagnostic. */
void opt_error(struct opt_context *c, const struct ir_function *f, const char *id, place at, const char *fmt,
               ...) __attribute__((format(printf, 5, 6)));
void opt_count(struct opt_context *c, const char *name, uint64_t n); /* name: a string literal */
/* The setting of the pass (opt/options.def): a flag's 0 or 1, a number, or a choice's enum opt_word. */
static inline uint32_t opt_option(const struct opt_context *c, enum opt_option k)
{
    return c->options->values[k];
}
/* Whether the scheme that the code is for has the property. Passes ask for nothing else of schemes. */
static inline bool opt_scheme_has(const struct opt_context *c, enum scheme_property property)
{
    return c->options->properties & property;
}
/* Whether predictions are honoured. Else their marks mean nothing. */
static inline bool opt_honours_predictions(const struct opt_context *c)
{
    return opt_option(c, OPT_OPTION_predict) != OPT_predict_off && opt_scheme_has(c, SCHEME_PREDICTIONS);
}
/* What the report has, for a pass that may take back what it did. */
struct opt_report_mark {
    uint32_t remarks;
    const uint64_t *counters;
    uint32_t counter_count;
};
struct opt_report_mark opt_report_mark(struct opt_context *c);
/* Counts since then are forgotten, and remarks on what was applied; `all`: also on what was missed. */
void opt_report_take_back(struct opt_context *c, struct opt_report_mark mark, bool all);
/* Whether n is below the limit; if not, a remark names it. */
bool opt_below(struct opt_context *c, const struct ir_function *f, enum opt_limit l, uint64_t n);
/* For a pass that the scheme needs and that has stopped at the limit: a warning of the group `convergence` says
 * what may go wrong now ("threads may stop at a barrier"), and names the limit. */
void opt_warn_limit(struct opt_context *c, const struct ir_function *f, enum opt_limit l, place at,
                    const char *what);

/* ---- editing (opt/kit/edit.c) ------------------------------------------------------------------------ */

/* Replacements collected during a pass and made in one sweep. `to` grows with the function. */
struct opt_renaming {
    struct arena *arena;
    ir_ref *to;
    uint32_t count, made;
};
/* `old` is to be replaced by `by`, or by what that is to be replaced by; they differ. Constant time on
 * average. */
void opt_rename(struct opt_renaming *n, const struct ir_function *f, ir_ref old, ir_ref by);
ir_ref opt_renamed(struct opt_renaming *n, ir_ref r); /* r, or what it is to be replaced by in the
                                                         end */
void opt_rename_all(struct opt_renaming *n, struct ir_function *f); /* ir_substitute */
/* Removes the parameters in `dead` (by ref) and the arguments of all edges to them. Linear. */
void opt_params_remove(struct ir_function *f, struct bitset dead);
/* Removes blocks that no path reaches; how many. */
uint32_t opt_drop_unreachable(struct arena *scratch, const struct ir_cfg *g, struct ir_function *f);
/* Instructions of either operation, each block's last ones first: blocks are split from their ends
 * backwards, so that each instruction moves once. */
u32_vec opt_find_backwards(struct arena *a, const struct ir_function *f, enum ir_op op, enum ir_op other);
/* Appends all that stands in `from` to `into` (which has no terminator), edges included;
 * `from` stays empty. */
void opt_block_append(struct ir_function *f, uint32_t into, uint32_t from);
/* Block b jumps to one that nothing else leads to: appends that, with its parameters renamed to what the edge
 * gives, and returns it: it stays empty, for the caller to remove. */
uint32_t opt_target_append(struct opt_renaming *n, struct ir_function *f, uint32_t b);
/* Makes the terminator a br along edge number e. */
void opt_branch_fold(struct ir_function *f, uint32_t b, uint32_t e);
/* The functions among `taken` (see opt_addresses_taken) that a call through a pointer with this signature
 * reaches: others, and numbers of no function, trap. */
u32_vec opt_pointer_targets(struct arena *a, const struct ir_module *m, struct bitset taken,
                            uint32_t signature);
/* One ret for the whole function, in a block of its own; false: so it was already, or nothing returns. */
bool opt_return_once(struct arena *scratch, const struct ir_cfg *g, struct ir_function *f);
/* The value that a load of type `t` as `m` gives where `stored` was stored as `m`. */
ir_ref opt_reloaded(struct ir_cursor *c, enum ir_mem m, ir_ref stored);
static inline bool opt_is_token_op(enum ir_op op)
{
    return op == IR_entry || op == IR_anchor || op == IR_loop;
}
/* A convergent operation of which nothing but the value is seen. */
static inline bool opt_is_convergent_value(enum ir_op op)
{
    uint16_t flags = ir_op_info[op].flags;
    return flags & IR_CONVERGENT && !(flags & (IR_EFFECT | IR_READS | IR_WRITES)) && !opt_is_token_op(op);
}
static inline bool opt_is_prediction(enum ir_op op)
{
    return op >= IR_predict && op <= IR_cb_rejoin;
}

/* ---- arms that run whether they are wanted or not (opt/kit/speculate.c) ------------------------------ */

/* Whether it only computes: it cannot trap, has no effect and reads nothing that others write. */
bool opt_may_speculate(const struct ir_function *f, ir_ref r);
/* What stands in the arm at edge e of block b, which nothing else leads to and which jumps on, is put before
 * the branch, whose edge leads where the arm did. The arm is for the caller to remove. */
void opt_hoist_arm(struct ir_function *f, uint32_t b, uint32_t e);
/* Both edges of the branch at the end of block b lead to one block: it becomes a jump, with so many selects as
 * values differ. */
void opt_join_by_selects(struct ir_function *f, uint32_t b);
/* How many of n values differ. */
uint32_t opt_count_selects(const ir_ref *yes, const ir_ref *no, uint32_t n);

/* ---- SSA construction (opt/kit/ssa.c) ---------------------------------------------------------------- */

/* Variables are numbered from 0; instruction r with of[r] == v + 1 reads (an IR_load) or writes (an
 * IR_store; args[1] is the value) variable v. Types are exact: what is stored has the variable's type. */
struct opt_variables {
    uint32_t count;
    uint8_t *type;
    const char **name;
    uint32_t *of;
};
#define OPT_FRONTIERS_MAX 64u /* dominance frontiers' entries per block, on average */
/* Whether the graph's dominance frontiers are within OPT_FRONTIERS_MAX. */
bool opt_ssa_possible(struct opt_context *c, struct ir_function *f);
/* Turns the variables into values and removes their reads and writes. A read before any write gives zero. */
void opt_construct_ssa(struct opt_context *c, struct ir_function *f, const struct opt_variables *v);

/* ---- algebra (opt/scalar/simplify.c, opt/scalar/simplify_float.c) ------------------------------------ */

/* An existing value or constant equal to r, or 0. May rewrite r in place to a simpler instruction. Floats
 * only by rules exact in every bit, -0 included; which NaN it is may change, as nothing defines it. */
ir_ref opt_simplify(struct ir_function *f, ir_ref r, bool *changed);
/* Whether, were its operand the negation of a float, opt_simplify(r) would use what is negated instead, and
 * the negation not come out again. */
bool opt_takes_negation(const struct ir_function *f, ir_ref r, ir_ref operand);
/* A float constant with the other sign. */
ir_ref opt_opposite(struct ir_function *f, ir_ref constant);
/* What r gives for these constant operands; false if it can't be said. */
bool opt_fold(const struct ir_function *f, ir_ref r, const scalar_bits *args, scalar_bits *result);

#endif
