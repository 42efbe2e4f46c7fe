/* inline.c: calls of small device functions, and of those called once, become their bodies.
 *
 * What is inlined is decided callees before callers, by sizes with all that has been put into a function.
 * Bodies go only into functions that run themselves: one that is inlined wherever it is called keeps its own
 * calls, so that no body is copied into one that is only copied on. The token of the call takes the place of
 * the callee's entry token ("Convergent Operation Semantics", entry); all convergent operations of both have
 * tokens by then (infer_tokens.c).
 *
 * inline_barriers inlines other functions, whatever their size: those that some threads may leave while
 * others are at a barrier (ir/analysis/leaving.c). In a kernel, threads that go past a barrier run on to its
 * end; in a function they would wait for the others at the return. For warp-core also those with barriers that
 * kernels call where the ways to barriers are to be joined (join_barriers.c).
 *
 * Not inlined: kernels, functions marked noinline, and, where predictions are honoured, functions that some
 * Predict(f) names, since the call is where threads wait for each other. Time and memory are linear in the code
 * before and after; SIZE_MAX_CALLER bounds what a function becomes. inline_barriers decides by bodies, and so
 * has each function's whole body at hand before its callers.
 */
#include "opt/kit/inline_call.h"
#include "opt/kit/merge_edges.h"

enum { ONCE = 4000, SIZE_MAX_CALLER = 40000 };

struct facts {
    uint32_t size, calls;
    uint32_t predictions;
    uint32_t inlined; /* of its calls */
    u32_vec chosen;   /* calls in it that become their bodies, each block's last first */
    bool named;       /* by a prediction that is honoured */
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
        n->facts[i].predictions = f->predictions;
        n->facts[i].calls += f->flags & IR_FN_TAKEN ? 2 : 0;
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
        n->facts[f->id].predictions + k->predictions > IR_MAX_PREDICTIONS) {
        opt_remark(n->c, f, OPT_MISSED, "size", ir_at(f, call)->at, "'%s' not inlined: %u instructions",
                   callee->name, k->size);
        return false;
    }
    return true;
}

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

/* What the function will be: its size, predictions and barriers with those of the bodies put into it. */
static void choose(struct inliner *n, struct ir_function *f)
{
    struct facts *of = &n->facts[f->id];
    u32_vec calls = calls_of(n, f);
    n->joins = n->barriers && opt_barriers_to_join(n->c, f);
    for (uint32_t i = 0; i < calls.count; i++)
        of->waits |= n->facts[ir_at(f, calls.at[i])->imm].waits;
    for (uint32_t i = 0; i < calls.count; i++) {
        const struct ir_ins *call = ir_at(f, calls.at[i]);
        struct facts *callee = &n->facts[call->imm];
        if (!is_wanted(n, f, calls.at[i]))
            continue;
        vec_push(n->c->scratch, &of->chosen, calls.at[i]);
        of->size += callee->size;
        of->predictions += callee->predictions;
        callee->inlined++;
        opt_remark(n->c, f, OPT_APPLIED, "inlined", call->at, "'%s' inlined",
                   n->m->functions.at[call->imm]->name);
        opt_count(n->c, "calls inlined", 1);
        n->changed = true;
    }
}

/* ---- how --------------------------------------------------------------------------------------------- */

/* The chosen calls, the first on top; copies: what they are in the function that is worked on, where those that
 * are never reached have none. */
static void push_chosen(struct inliner *n, u32_vec *work, const u32_vec *chosen, const ir_ref *copies)
{
    for (uint32_t i = chosen->count; i-- > 0;) {
        ir_ref call = copies ? copies[chosen->at[i]] : chosen->at[i];
        if (call)
            vec_push(n->c->scratch, work, call);
    }
}

/* Puts the bodies of the chosen calls into f, and those of the calls chosen in these. */
static void expand(struct inliner *n, struct ir_function *f)
{
    struct opt_renaming renaming = {.arena = n->c->scratch};
    u32_vec work = {0};
    push_chosen(n, &work, &n->facts[f->id].chosen, NULL);
    if (!work.count)
        return;
    while (work.count) {
        ir_ref call = vec_pop(&work);
        const u32_vec *chosen = &n->facts[ir_at(f, call)->imm].chosen;
        push_chosen(n, &work, chosen, opt_inline_call(n->c, f, call, &renaming));
    }
    n->facts[f->id].chosen.count = 0;
    opt_rename_all(&renaming, f);
    opt_invalidate(n->c, f);
}

/* Whether code of its own will run: it is a kernel, called somewhere, or maybe by others that we don't see. */
static bool stays(const struct inliner *n, uint32_t id, struct bitset taken)
{
    const struct facts *k = &n->facts[id];
    return k->calls == 0 || k->inlined < k->calls || bitset_has(taken, id);
}

static bool run(struct opt_context *c, struct ir_module *m, bool barriers)
{
    struct inliner n = {.c = c, .m = m, .barriers = barriers};
    const u32_vec *order = opt_callees_first(c, m);
    struct bitset taken = barriers ? (struct bitset){0} : *opt_addresses_taken(c, m);
    find_facts(&n);
    for (uint32_t i = 0; i < order->count; i++) {
        struct ir_function *f = m->functions.at[order->at[i]];
        choose(&n, f);
        if (!barriers)
            continue;
        expand(&n, f);
        if (f->order.count)
            n.facts[f->id].passes_barrier =
                ir_passes_barrier(c->scratch, opt_cfg(c, f), *opt_waiting_functions(c, m));
    }
    for (uint32_t i = 0; i < order->count && !barriers; i++)
        if (stays(&n, order->at[i], taken))
            expand(&n, m->functions.at[order->at[i]]);
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
