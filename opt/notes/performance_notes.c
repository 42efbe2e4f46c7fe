/* performance_notes.c: the warning groups `perf`, divergence and memory access that cost speed, and `sync`:
 * each note with the reason why threads differ there.
 *
 * Works on a copy of the module as the front end left it, after cheap passes and inlining, so that notes
 * speak of what the source says and not of what the optimiser made of it. Those of perf are remarks: they never
 * become errors. Each is given once a place, in the order of the source. Parameters of functions that were
 * not inlined are taken for uniform: what is said of such a function holds for every call.
 *
 * - common_code: operations, by kind and type, that both arms of a divergent branch have, in cycles of
 *   opt/cost/cost.h, what is called included; at least COMMON_CYCLES and half of the cheaper arm; where Common
 *   Subexpression Convergence does not merge, and why, or is not run (csc_remarks.c).
 * - loop: cycles that threads leave in different iterations (ir_uniformity.exits), by more than the bounds
 *   check of a loop over all elements. Nested ones are those that Speculative Reconvergence
 *   merges.
 * - strided, variable, scattered: loads and stores of global memory whose addresses (opt/notes/stride.c) are
 *   neither the same for adjacent threads nor one element apart.
 * - barrier: barriers that depend on a divergent branch, unless its other way is to return from the kernel.
 * - both_arms: syncwarp, or one kind of shuffle, in two arms of a divergent branch. CUDA's masks name threads,
 *   which meet from both places; a token names a place (docs/convergence.md).
 *
 * Near-linear: of an arm ARM_MAX operations are looked at.
 */
#include "opt/notes/performance.h"
#include "opt/pass.h"

#include <stdlib.h>

enum { COMMON_CYCLES = 20, ARM_MAX = 512, SWEEPS_MAX = 16, WARP = 32 };

static const char passes[] =
    "mem2reg,sccp,simplify_cfg,dce,inline,mem2reg,sccp,simplify_cfg,gvn,dce,simplify_cfg";

enum note_id {
#define NOTE(id, group, format) NOTE_##id,
#include "opt/notes/performance.def"
};
static const enum diag_group groups[] = {
#define NOTE(id, group, format) DIAG_GROUP_##group,
#include "opt/notes/performance.def"
};
/* The formats by name, so that the compiler checks the arguments of each use. */
#define NOTE(id, group, format) static const char format_##id[] = format;
#include "opt/notes/performance.def"
#define SAY(v, id, at, cause, ...) say(v, NOTE_##id, at, cause, format_##id __VA_OPT__(, ) __VA_ARGS__)

struct note {
    enum note_id id;
    place at, source;
    const char *text, *why;
};
struct notes {
    struct arena arena;
    struct opt_report report;
    struct ir_module *copy;
    const uint64_t *functions; /* the analysis costs */
    struct opt_converged converged;
    struct diagnostics *diagnostics;
    VEC(struct note) all;
};
/* One function. */
struct view {
    struct notes *notes;
    const struct ir_function *fn;
    const struct ir_cfg *cfg;
    const struct ir_dominators *dom, *post;
    const struct ir_cycles *cycles;
    const struct ir_uniformity *u;
    const struct ir_control_dependence *control;
    struct arena *arena;
};

/* `cause`: the divergent branch or value. */
static void say(struct view *v, enum note_id id, place at, ir_ref cause, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
static void say(struct view *v, enum note_id id, place at, ir_ref cause, const char *fmt, ...)
{
    struct arena *a = &v->notes->arena;
    struct text why = {.arena = a};
    struct note n = {.id = id, .at = at, .source = at};
    va_list args;
    if (at.line == 0 || !diag_is_on(v->notes->diagnostics, groups[id], at.line))
        return;
    va_start(args, fmt);
    n.text = arena_vprintf(a, fmt, args);
    va_end(args);
    opt_causes_text(v->u, cause, &why, &n.source);
    n.why = why.length ? why.at : "";
    vec_push(a, &v->notes->all, n);
}

static bool is_divergent_branch(const struct view *v, uint32_t b)
{
    return bitset_has(v->u->branches, b);
}

/* ---- arms with common code ----------------------------------------------------------------------------- */

struct operation {
    uint64_t key;
    uint32_t cycles;
};
struct arm {
    uint32_t count;
    uint64_t cycles;
    struct operation at[ARM_MAX];
};

static int by_key(const void *x, const void *y)
{
    const struct operation *a = x, *b = y;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* The blocks below `first` in the dominator tree: what runs on one side only, as it is entered there alone.
 */
static void take_arm(const struct view *v, uint32_t first, struct arm *arm)
{
    arm->count = arm->cycles = 0;
    for (uint32_t n = v->dom->pre[first]; n <= v->dom->post[first]; n++)
        ir_each_ins(r, v->fn, v->dom->order[n]) {
            const struct ir_ins *i = ir_at(v->fn, r);
            uint32_t cycles = cost_of_instruction(v->fn, r, v->notes->functions);
            if (ir_op_info[i->op].flags & (IR_TERMINATOR | IR_CONVERGENT) || cycles == 0)
                continue;
            if (arm->count == ARM_MAX)
                return;
            uint64_t kind = ((uint64_t)i->op << 16 | i->type << 8 | i->mem) << 32;
            bool calls = ir_latency_of(v->fn, r) == IR_LAT_CALL;
            arm->at[arm->count++] = (struct operation){kind | (calls ? (uint32_t)i->imm : 0), cycles};
            arm->cycles += cycles;
        }
}

/* Cycles of the operations that both arms have, each as often as the one that has it less often. */
static uint64_t common_cycles(struct arm *x, struct arm *y)
{
    uint64_t sum = 0;
    qsort(x->at, x->count, sizeof *x->at, by_key);
    qsort(y->at, y->count, sizeof *y->at, by_key);
    for (uint32_t i = 0, j = 0; i < x->count && j < y->count;) {
        int order = by_key(&x->at[i], &y->at[j]);
        sum += order == 0 ? x->at[i].cycles : 0;
        i += order <= 0;
        j += order >= 0;
    }
    return sum;
}

/* Whether nothing but the edge leads to its block, and what is behind that: a loop may begin with it. */
static bool is_arm(const struct view *v, uint32_t branch, uint32_t e)
{
    uint32_t to = ir_block_at(v->fn, branch)->edges.at[e].block;
    ir_each_pred(q, to, v->cfg)
        if (q != branch && !ir_dominates(v->dom, to, q))
            return false;
    return v->dom->idom[to] == branch && to != v->post->idom[branch];
}

/* Nothing where the pass leads the arms together. */
static void say_common_code(struct view *v, ir_ref branch, unsigned long long common,
                            const struct arm arms[2])
{
    place at = ir_at(v->fn, branch)->at;
    unsigned long long x = arms[0].cycles, y = arms[1].cycles;
    struct opt_verdict verdict = opt_verdict_on(&v->notes->converged, v->fn->name, at);
    if (!verdict.applied)
        SAY(v, common_code, at, branch, common, x, y,
            verdict.why ? verdict.why : "no way to lead them together was found that pays");
    else if (!v->notes->converged.due)
        SAY(v, converge, at, branch, common, x, y);
}

static void note_common_code(struct view *v, uint32_t b, struct arm arms[2])
{
    const struct ir_block *block = ir_block_at(v->fn, b);
    if (block->edges.count != 2 || !is_arm(v, b, 0) || !is_arm(v, b, 1))
        return;
    for (unsigned e = 0; e < 2; e++)
        take_arm(v, block->edges.at[e].block, &arms[e]);
    uint64_t common = common_cycles(&arms[0], &arms[1]);
    uint64_t cheaper = arms[0].cycles < arms[1].cycles ? arms[0].cycles : arms[1].cycles;
    if (common >= COMMON_CYCLES && 2 * common >= cheaper)
        say_common_code(v, block->last, common, arms);
}

/* ---- loops ------------------------------------------------------------------------------------------- */

static bool leaves(const struct view *v, uint32_t cycle, uint32_t b)
{
    const struct ir_block *block = ir_block_at(v->fn, b);
    for (uint32_t e = 0; e < block->edges.count; e++)
        if (!ir_cycle_has(v->cycles, cycle, block->edges.at[e].block))
            return true;
    return false;
}

/* Whether r, a parameter of a loop's header, grows so slowly that threads some iterations apart are in it: a
 * step of a constant less than a warp. */
static bool is_slow_counter(const struct view *v, ir_ref r)
{
    const struct ir_ins *i = ir_at(v->fn, r);
    if (i->op != IR_param)
        return false;
    ir_each_pred(p, i->block, v->cfg) {
        ir_ref next = ir_block_at(v->fn, p)->edges.at[v->cfg->pred_edges[p_at]].args[i->imm];
        const struct ir_ins *n = ir_at(v->fn, next);
        scalar_bits step;
        if (n->op == IR_add && n->args[0] == r && ir_is_const(v->fn, n->args[1], &step) &&
            llabs((int32_t)step) < WARP)
            return true;
    }
    return false;
}

/* Whether the branch compares a linear function of the thread's index with a bound, as loops over all
 * elements do: then the threads of a warp leave it in two iterations at most. */
static bool is_bounds_check(const struct view *v, const struct opt_stride *strides, ir_ref branch)
{
    const struct ir_ins *b = ir_at(v->fn, branch), *test = b->argc == 1 ? ir_at(v->fn, b->args[0]) : NULL;
    if (!strides || !test || test->op < IR_eq || test->op > IR_ule)
        return false;
    for (uint32_t k = 0; k < 2; k++) {
        ir_ref r = test->args[k];
        bool linear = !bitset_has(v->u->divergent, r) || strides[r].kind == OPT_STRIDE_CONSTANT;
        if (!linear || is_slow_counter(v, r))
            return false;
    }
    return true;
}

/* Says it at the first divergent branch out of the loop. */
static void note_loop(struct view *v, const struct opt_stride *strides, uint32_t cycle)
{
    const struct ir_cycle *c = &v->cycles->at[cycle];
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t b = v->cycles->blocks[c->first + i];
        ir_ref branch = ir_terminator(v->fn, b);
        place at = ir_at(v->fn, branch)->at;
        if (!is_divergent_branch(v, b) || !leaves(v, cycle, b) || is_bounds_check(v, strides, branch))
            continue;
        if (c->parent == IR_NO_CYCLE)
            SAY(v, loop, at, branch);
        else
            SAY(v, nested_loop, at, branch);
        return;
    }
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static void note_access(struct view *v, const struct opt_stride *strides, ir_ref r)
{
    const struct ir_ins *i = ir_at(v->fn, r);
    if ((i->op != IR_load && i->op != IR_store) || ir_at(v->fn, i->args[0])->type != IR_TYPE_GLOBAL ||
        !bitset_has(v->u->divergent, i->args[0]))
        return;
    struct opt_stride s = strides[i->args[0]];
    const char *what = ir_op_info[i->op].text;
    unsigned bytes = ir_mem_info[i->mem].bytes;
    if (s.kind == OPT_STRIDE_SCATTERED)
        SAY(v, scattered, i->at, i->args[0], what);
    else if (s.kind == OPT_STRIDE_VARIABLE)
        SAY(v, variable, i->at, i->args[0], what);
    else if (llabs(s.step) > bytes)
        SAY(v, strided, i->at, i->args[0], what, (long long)llabs(s.step), bytes);
}

/* ---- barriers ------------------------------------------------------------------------------------------ */

/* Whether edge e of b leads straight to the end of the kernel. */
static bool returns(const struct view *v, uint32_t b, uint32_t e)
{
    uint32_t to = ir_block_at(v->fn, b)->edges.at[e].block;
    return v->fn->flags & IR_FN_KERNEL && ir_at(v->fn, ir_block_at(v->fn, to)->first)->op == IR_ret;
}

/* Whether threads that do not take edge e of the divergent branch go on elsewhere. */
static bool parts(const struct view *v, uint32_t branch, uint32_t e)
{
    bool others = false;
    for (uint32_t k = 0; k < ir_block_at(v->fn, branch)->edges.count; k++)
        others |= k != e && !returns(v, branch, k);
    return is_divergent_branch(v, branch) && others;
}

/* By block: a divergent branch it depends on, directly or not, or IR_NO_BLOCK. Each sweep goes a loop further
 * out. */
static uint32_t *controllers(struct view *v)
{
    uint32_t *by = arena_array(v->arena, uint32_t, v->cfg->blocks);
    bool changed = true;
    memset(by, 0xff, v->cfg->blocks * sizeof *by);
    for (unsigned n = 0; changed && n < SWEEPS_MAX; n++) {
        changed = false;
        for (uint32_t i = 0; i < v->cfg->rpo_count; i++) {
            uint32_t b = v->cfg->rpo[i];
            for (uint32_t k = v->control->start[b]; k < v->control->start[b + 1] && by[b] == IR_NO_BLOCK;
                 k++) {
                struct ir_control on = v->control->on[k];
                by[b] = parts(v, on.branch, on.edge) ? on.branch : by[on.branch];
                changed |= by[b] != IR_NO_BLOCK;
            }
        }
    }
    return by;
}

/* ---- operations of a group in both arms ------------------------------------------------------------------ */

static const struct {
    enum ir_op op;
    const char *text; /* as in the source */
} synchronizing[] = {
    {IR_syncwarp, "syncwarp()"},   {IR_shuffle, "shuffle"},           {IR_shuffle_xor, "shuffle_xor"},
    {IR_shuffle_up, "shuffle_up"}, {IR_shuffle_down, "shuffle_down"},
};
enum { SYNCHRONIZING = sizeof synchronizing / sizeof synchronizing[0] };

/* The first of the operations, which are in preorder of the dominator tree, below the block; NULL: none is. */
static const ir_ref *first_below(const struct view *v, const u32_vec *operations, uint32_t block)
{
    uint32_t low = 0, high = operations->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (v->dom->pre[ir_at(v->fn, operations->at[middle])->block] < v->dom->pre[block])
            low = middle + 1;
        else
            high = middle;
    }
    bool is_below = low < operations->count &&
                    v->dom->pre[ir_at(v->fn, operations->at[low])->block] <= v->dom->post[block];
    return is_below ? &operations->at[low] : NULL;
}

static void note_both_arms(struct view *v, uint32_t kind, const u32_vec *operations, uint32_t branch)
{
    const struct ir_block *b = ir_block_at(v->fn, branch);
    const ir_ref *first = NULL;
    for (uint32_t e = 0; e < b->edges.count; e++) {
        const ir_ref *other = is_arm(v, branch, e) ? first_below(v, operations, b->edges.at[e].block) : NULL;
        if (first && other && first != other) {
            place at = ir_at(v->fn, *first)->at, there = ir_at(v->fn, *other)->at;
            SAY(v, both_arms, there, b->last, synchronizing[kind].text, at.line);
        }
        first = first ? first : other;
    }
}

/* O(blocks * log(operations)) for each kind. */
static void note_synchronizing(struct view *v, uint32_t kind)
{
    u32_vec operations = {0};
    for (uint32_t n = 0; n < v->dom->count; n++)
        ir_each_ins(r, v->fn, v->dom->order[n])
            if (ir_at(v->fn, r)->op == synchronizing[kind].op)
                vec_push(v->arena, &operations, r);
    for (uint32_t i = 0; i < v->cfg->rpo_count && operations.count > 1; i++)
        if (is_divergent_branch(v, v->cfg->rpo[i]))
            note_both_arms(v, kind, &operations, v->cfg->rpo[i]);
}

/* ---- functions ----------------------------------------------------------------------------------------- */

static void note_function(struct view *v, struct opt_context *c)
{
    v->cfg = opt_cfg(c, v->fn);
    v->dom = opt_dominators(c, v->fn);
    v->post = opt_post_dominators(c, v->fn);
    v->cycles = opt_cycles(c, v->fn);
    v->control = opt_control_dependence(c, v->fn);
    v->u = opt_argument_uniformity(c, v->fn);
    const struct opt_stride *strides = opt_strides(v->arena, v->u);
    const uint32_t *control = controllers(v);
    struct arm *arms = arena_array(v->arena, struct arm, 2);
    for (uint32_t k = 0; k < v->cycles->count; k++)
        if (v->u->divergent_exit[k] == k)
            note_loop(v, strides, k);
    for (uint32_t kind = 0; kind < SYNCHRONIZING; kind++)
        note_synchronizing(v, kind);
    for (uint32_t i = 0; i < v->cfg->rpo_count; i++) {
        uint32_t b = v->cfg->rpo[i];
        if (is_divergent_branch(v, b) && diag_is_on(v->notes->diagnostics, DIAG_GROUP_perf, 0))
            note_common_code(v, b, arms);
        ir_each_ins(r, v->fn, b) {
            if (strides)
                note_access(v, strides, r);
            if (ir_at(v->fn, r)->op == IR_barrier && control[b] != IR_NO_BLOCK)
                SAY(v, barrier, ir_at(v->fn, r)->at, ir_terminator(v->fn, control[b]));
        }
    }
}

/* ---- the module ---------------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
    const struct note *a = x, *b = y;
    if (a->at.line != b->at.line)
        return a->at.line < b->at.line ? -1 : 1;
    if (a->at.column != b->at.column)
        return a->at.column < b->at.column ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void give(struct notes *n)
{
    if (n->all.count)
        qsort(n->all.at, n->all.count, sizeof *n->all.at, by_place);
    for (uint32_t i = 0; i < n->all.count; i++) {
        const struct note *x = &n->all.at[i];
        if (i > 0 && by_place(x - 1, x) == 0)
            continue;
        if (groups[x->id] == DIAG_GROUP_perf)
            diag_add(n->diagnostics, DIAG_REMARK, "perf", (span){.at = x->at}, "%s", x->text);
        else
            diag_warn(n->diagnostics, groups[x->id], (span){.at = x->at}, "%s", x->text);
        if (*x->why)
            diag_add(n->diagnostics, DIAG_NOTE, "divergent-because", (span){.at = x->source},
                     "threads differ: %s", x->why);
    }
}

static void note_functions(struct opt_context *c, void *data)
{
    struct notes *n = data;
    n->functions = opt_costs(c, n->copy)->at;
    for (uint32_t i = 0; i < n->copy->functions.count; i++) {
        struct scratch scratch;
        struct view v = {.notes = n, .fn = n->copy->functions.at[i]};
        if (v.fn->order.count == 0)
            continue;
        v.arena = scratch_begin(&scratch);
        note_function(&v, c);
        scratch_end(&scratch);
        opt_invalidate(c, v.fn);
    }
}

static void note_module(struct notes *n, const struct ir_module *m, const struct opt_options *options)
{
    struct opt_options o;
    opt_options_init(&o);
    o.passes = passes;
    opt_report_init(&n->report);
    if (diag_is_on(n->diagnostics, DIAG_GROUP_perf, 0))
        opt_converge_copy(&n->converged, m, options);
    n->copy = ir_module_copy(m);
    for (uint32_t i = 0; i < n->copy->functions.count; i++)
        opt_name_stored(&n->arena, n->copy->functions.at[i]);
    opt_run(n->copy, &o, &n->report, n->diagnostics);
    opt_read(options, note_functions, n);
    give(n);
}

static void release(struct notes *n)
{
    opt_report_free(&n->report);
    opt_converged_free(&n->converged);
    ir_module_free(n->copy);
    arena_free(&n->arena);
}

void opt_performance_notes(const struct ir_module *m, const struct opt_options *o, struct diagnostics *d)
{
    struct notes n = {.diagnostics = d};
    struct mem_guard guard;
    if (mem_guard_enter(&guard)) {
        release(&n);
        mem_fail(0);
    }
    note_module(&n, m, o);
    mem_guard_leave(&guard);
    release(&n);
}
