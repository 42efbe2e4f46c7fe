/* inline.c: calls of small device functions, and of those called once, become their bodies.
 *
 * Callees before callers. The token of the call takes the place of the callee's entry token ("Convergent
 * Operation Semantics", entry); all convergent operations of both have tokens by then (infer_tokens.c).
 *
 * inline_barriers inlines other functions, whatever their size: those that some threads may leave while
 * others are at a barrier (ir/analysis/leaving.c). In a kernel, threads that go past a barrier run on to its
 * end; in a function they would wait for the others at the return. For warp-core also those with barriers that
 * kernels call where the ways to barriers are to be joined (join_barriers.c).
 *
 * Not inlined: kernels, functions marked noinline, and, where predictions are honoured, functions that some
 * Predict(f) names, since the call is where threads wait for each other. Time is linear in what is copied,
 * which SIZE_MAX_CALLER bounds.
 */
#include "opt/kit/inline_call.h"
#include "opt/kit/merge_edges.h"

enum { ONCE = 4000, SIZE_MAX_CALLER = 40000 };

struct facts {
    uint32_t size, calls;
    bool named; /* by a prediction that is honoured */
    bool passes_barrier;
    bool waits; /* may come to a barrier */
};

struct inliner {
    struct opt_context *c;
    struct ir_module *m;
    struct facts *facts; /* by function */
    bool barriers;       /* the pass is inline_barriers */
    bool joins;          /* barriers of the function that is worked on are to be joined */
    bool changed;
};

/* ---- the call graph ---------------------------------------------------------------------------------- */

static void note_instruction(struct inliner *n, uint32_t caller, const struct ir_ins *ins)
{
    n->facts[caller].size++;
    n->facts[caller].waits |= ins->op == IR_barrier;
    if (ins->op == IR_call)
        n->facts[ins->imm].calls++;
    if (ins->op == IR_predict_function && opt_honours_predictions(n->c))
        n->facts[ins->imm].named = true;
    if (ins->op == IR_function)
        n->facts[ins->imm].calls += 2; /* called from elsewhere, too */
}

static void find_facts(struct inliner *n)
{
    n->facts = arena_array(n->c->scratch, struct facts, n->m->functions.count);
    for (uint32_t i = 0; i < n->m->functions.count; i++) {
        const struct ir_function *f = n->m->functions.at[i];
        ir_each_block(k, b, f)
            ir_each_ins(r, f, b)
                note_instruction(n, i, ir_at(f, r));
    }
}

/* ---- whether ----------------------------------------------------------------------------------------- */

static bool is_small(const struct inliner *n, const struct facts *k)
{
    return k->size <= opt_option(n->c, OPT_OPTION_inline_size) ||
           (opt_option(n->c, OPT_OPTION_inline_called_once) && k->size <= ONCE && k->calls == 1);
}

static bool is_wanted(struct inliner *n, const struct ir_function *f, ir_ref call)
{
    uint32_t id = (uint32_t)ir_at(f, call)->imm;
    const struct ir_function *callee = n->m->functions.at[id];
    const struct facts *k = &n->facts[id];
    if (callee == f || callee->order.count == 0 || callee->flags & IR_FN_KERNEL)
        return false;
    if (callee->flags & IR_FN_NOINLINE || k->named) {
        opt_remark(n->c, f, OPT_MISSED, k->named ? "predict" : "noinline", ir_at(f, call)->at,
                   "'%s' not inlined: %s", callee->name,
                   k->named ? "a prediction names it" : "it is marked noinline");
        return false;
    }
    if (n->barriers && !k->passes_barrier && !(n->joins && k->waits))
        return false;
    bool fits = n->barriers || callee->flags & IR_FN_INLINE || is_small(n, k);
    if (!fits || n->facts[f->id].size + k->size > SIZE_MAX_CALLER ||
        f->predictions + callee->predictions > IR_MAX_PREDICTIONS) {
        opt_remark(n->c, f, OPT_MISSED, "size", ir_at(f, call)->at, "'%s' not inlined: %u instructions",
                   callee->name, k->size);
        return false;
    }
    return true;
}

/* ---- how --------------------------------------------------------------------------------------------- */

static void inline_call(struct inliner *n, struct ir_function *f, ir_ref call, struct opt_renaming *renaming)
{
    const struct ir_function *callee = n->m->functions.at[ir_at(f, call)->imm];
    place at = ir_at(f, call)->at;
    opt_inline_call(n->c, f, call, renaming);
    n->facts[f->id].size += n->facts[callee->id].size;
    opt_remark(n->c, f, OPT_APPLIED, "inlined", at, "'%s' inlined", callee->name);
    opt_count(n->c, "calls inlined", 1);
}

/* ---- all functions, callees first -------------------------------------------------------------------- */

/* The function's calls, the last of each block first, so that splitting a block moves each
 * instruction once. */
static u32_vec calls_of(struct inliner *n, const struct ir_function *f)
{
    u32_vec calls = {0};
    ir_each_block(i, b, f)
        for (ir_ref r = ir_block_at(f, b)->last; r; r = ir_at(f, r)->prev)
            if (ir_at(f, r)->op == IR_call)
                vec_push(n->c->scratch, &calls, r);
    return calls;
}

static void work_on(struct inliner *n, struct ir_function *f)
{
    struct opt_renaming renaming = {.arena = n->c->scratch};
    u32_vec calls = calls_of(n, f);
    n->joins = n->barriers && opt_barriers_to_join(n->c, f);
    for (uint32_t i = 0; i < calls.count; i++)
        n->facts[f->id].waits |= n->facts[ir_at(f, calls.at[i])->imm].waits;
    for (uint32_t i = 0; i < calls.count; i++)
        if (is_wanted(n, f, calls.at[i])) {
            inline_call(n, f, calls.at[i], &renaming);
            n->changed = true;
        }
    opt_rename_all(&renaming, f);
    opt_invalidate(n->c, f);
}

static bool run(struct opt_context *c, struct ir_module *m, bool barriers)
{
    struct inliner n = {.c = c, .m = m, .barriers = barriers};
    const u32_vec *order = opt_callees_first(c, m);
    find_facts(&n);
    for (uint32_t i = 0; i < order->count; i++) {
        struct ir_function *f = m->functions.at[order->at[i]];
        work_on(&n, f);
        if (barriers && f->order.count)
            n.facts[f->id].passes_barrier = ir_passes_barrier(c->scratch, opt_cfg(c, f));
    }
    return n.changed;
}

bool opt_inline(struct opt_context *c, struct ir_module *m)
{
    return run(c, m, false);
}

bool opt_inline_barriers(struct opt_context *c, struct ir_module *m)
{
    struct bitset waiting = *opt_waiting_functions(c, m);
    return bitset_next(waiting, 0) < waiting.bits && run(c, m, true);
}
