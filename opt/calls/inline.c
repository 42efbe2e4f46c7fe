/* inline.c: calls of small device functions, and of those called once, become their bodies.
 *
 * What is inlined is decided callees before callers, by sizes with all that is to be put into a function.
 * Bodies go only into functions that run themselves: one that is inlined wherever it is called keeps its
 * own calls, so that no body is copied into one that is only copied on. The token of the call takes the
 * place of the callee's entry token ("Convergent Operation Semantics", entry); all convergent operations of
 * both have tokens by then (infer_tokens.c).
 *
 * inline_barriers inlines other functions, whatever their size: those that some threads may leave while
 * others are at a barrier (ir/converge/barriers.c). In a kernel, threads that go past a barrier run on to
 * its end; in a function they would wait for the others at the return. For warp-core also those with
 * barriers that kernels call where the paths to barriers are to be joined (join_barriers.c); and, for thread
 * frontiers, all with barriers: these come last of all blocks of a kernel (ir/converge/frontier.h). Whether
 * threads may leave is summed up for each function from what is known of those that it calls, without their
 * bodies. What is copied has a limit (inline_barriers_size): kernels come first, then the functions that
 * they still call.
 *
 * Not inlined: kernels, functions marked noinline, and, where predictions are honoured, functions that some
 * Predict(f) names, since the call is where threads wait for each other. Time and memory are linear in the
 * code before and after; SIZE_MAX_CALLER bounds what a function becomes.
 */
#include "opt/kit/inline_call.h"
#include "opt/kit/merge_edges.h"

/* LOOPS: of a function with loops, where predictions are looked for. */
enum { ONCE = 4000, SIZE_MAX_CALLER = 40000, LOOPS = 400 };

struct facts {
    uint32_t size, calls;
    uint32_t predictions;
    uint32_t inlined; /* of its calls */
    uint32_t own;     /* of its size, what it has without bodies put into it */
    u32_vec chosen;   /* calls in it that become their bodies, each block's last first */
    bool named;       /* by a prediction that is honoured */
    bool waits;       /* may come to a barrier */
};

struct inliner {
    struct opt_context *c;
    struct ir_module *m;
    struct facts *facts;        /* by function */
    struct ir_passing *passing; /* by function; of inline_barriers */
    struct bitset taken;        /* functions whose addresses are */
    bool barriers;              /* the pass is inline_barriers */
    bool joins;                 /* barriers of the function that is worked on are to be joined */
    bool last;                  /* barriers come last of all blocks of a kernel */
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
        n->facts[i].own = n->facts[i].size;
    }
}

/* ---- whether ----------------------------------------------------------------------------------------- */

static bool is_small(const struct inliner *n, const struct facts *k)
{
    return k->size <= opt_option(n->c, OPT_OPTION_inline_size) ||
           (opt_option(n->c, OPT_OPTION_inline_called_once) && k->size <= ONCE && k->calls == 1);
}

/* Whether it is a loop in a loop, behind a call: predictions are found within a function alone. */
static bool is_nest(const struct inliner *n, const struct ir_function *f, ir_ref call)
{
    uint32_t id = (uint32_t)ir_at(f, call)->imm;
    return !n->barriers && opt_honours_predictions(n->c) && opt_finds_predictions(n->c->options) &&
           n->facts[id].size <= LOOPS && opt_cycles(n->c, n->m->functions.at[id])->count &&
           opt_cycles(n->c, f)->innermost[ir_at(f, call)->block] != IR_NO_CYCLE;
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
    if (n->barriers && !n->passing[id].nothing_follows && !((n->joins || n->last) && k->waits))
        return false;
    bool fits = n->barriers || callee->flags & IR_FN_INLINE || is_small(n, k) || is_nest(n, f, call);
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

/* Whether threads may leave the function, with the bodies put into it, while others are at a barrier. */
static void sum_up(struct inliner *n, const struct ir_function *f)
{
    struct ir_bodies bodies = {.inlined = bitset_new(n->c->scratch, f->ins.count),
                               .waiting = *opt_waiting_functions(n->c, n->m),
                               .passing = n->passing};
    const u32_vec *chosen = &n->facts[f->id].chosen;
    for (uint32_t i = 0; i < chosen->count; i++)
        bitset_add(bodies.inlined, chosen->at[i]);
    n->passing[f->id] = ir_passes_barrier(n->c->scratch, opt_cfg(n->c, f), &bodies);
}

/* What the function will be: its size, predictions and barriers with those of the bodies put into it. */
static void choose(struct inliner *n, struct ir_function *f)
{
    struct facts *of = &n->facts[f->id];
    u32_vec calls = calls_of(n, f);
    n->joins = n->barriers && opt_needs_supersteps(n->c, f);
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
    }
}

/* Whether code of its own will run: it is a kernel, called somewhere, or maybe by others that we don't see. */
static bool stays(const struct inliner *n, uint32_t id)
{
    const struct facts *k = &n->facts[id];
    return k->calls == 0 || k->inlined < k->calls || bitset_has(n->taken, id);
}

/* Callers first: where the bodies for a function exceed what may be copied its calls stay, so what they call
 * has code of its own. */
static void keep_to_limit(struct inliner *n, const u32_vec *order)
{
    uint64_t copied = 0;
    for (uint32_t i = order->count; i-- > 0;) {
        struct ir_function *f = n->m->functions.at[order->at[i]];
        struct facts *of = &n->facts[f->id];
        if (!of->chosen.count || !stays(n, f->id))
            continue;
        uint64_t more = of->size - of->own;
        if (opt_below(n->c, f, OPT_LIMIT_inline_barriers_size, copied + more)) {
            copied += more;
            continue;
        }
        opt_warn_limit(n->c, f, OPT_LIMIT_inline_barriers_size, f->at,
                       "threads may stop at a barrier of a called function while others do not come to it");
        for (uint32_t k = 0; k < of->chosen.count; k++)
            n->facts[ir_at(f, of->chosen.at[k])->imm].inlined--;
        of->chosen.count = 0;
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

static void report(struct inliner *n, const struct ir_function *f)
{
    const u32_vec *chosen = &n->facts[f->id].chosen;
    for (uint32_t i = 0; i < chosen->count; i++) {
        const struct ir_ins *call = ir_at(f, chosen->at[i]);
        opt_remark(n->c, f, OPT_APPLIED, "inlined", call->at, "'%s' inlined",
                   n->m->functions.at[call->imm]->name);
    }
    opt_count(n->c, "calls inlined", chosen->count);
    n->changed |= chosen->count;
}

/* By block the one that is listed behind it. */
static u32_vec following_blocks(struct arena *a, const struct ir_function *f)
{
    u32_vec next = {0};
    while (next.count < f->blocks.count)
        vec_push(a, &next, IR_NO_BLOCK);
    for (uint32_t i = 0; i + 1 < f->order.count; i++)
        next.at[f->order.at[i]] = f->order.at[i + 1];
    return next;
}

/* Inlining has split block b: the first new block is what followed the call, the others the body between. */
static void add_following(struct arena *a, u32_vec *next, uint32_t b, const struct ir_function *f)
{
    uint32_t rest = next->count, count = f->blocks.count;
    vec_push(a, next, next->at[b]);
    for (uint32_t i = rest + 1; i < count; i++)
        vec_push(a, next, i + 1 < count ? i + 1 : rest);
    next->at[b] = rest + 1;
}

/* Puts the bodies of the chosen calls into f, and those of the calls chosen in these, where the calls are. */
static void expand(struct inliner *n, struct ir_function *f)
{
    struct arena *a = n->c->scratch;
    struct opt_renaming renaming = {.arena = a};
    u32_vec work = {0}, next;
    push_chosen(n, &work, &n->facts[f->id].chosen, NULL);
    if (!work.count)
        return;
    next = following_blocks(a, f);
    while (work.count) {
        ir_ref call = vec_pop(&work);
        uint32_t b = ir_at(f, call)->block;
        const u32_vec *chosen = &n->facts[ir_at(f, call)->imm].chosen;
        push_chosen(n, &work, chosen, opt_inline_call(n->c, f, call, &renaming));
        add_following(a, &next, b, f);
    }
    for (uint32_t i = 1; i < f->order.count; i++)
        f->order.at[i] = next.at[f->order.at[i - 1]];
    n->facts[f->id].chosen.count = 0;
    opt_rename_all(&renaming, f);
    opt_invalidate(n->c, f);
}

static bool run(struct opt_context *c, struct ir_module *m, bool barriers)
{
    struct inliner n = {.c = c,
                        .m = m,
                        .barriers = barriers,
                        .last = opt_scheme_has(c, SCHEME_FRONTIERS),
                        .taken = *opt_addresses_taken(c, m)};
    const u32_vec *order = opt_callees_first(c, m);
    find_facts(&n);
    n.passing = arena_array(c->scratch, struct ir_passing, m->functions.count);
    for (uint32_t i = 0; i < order->count; i++) {
        struct ir_function *f = m->functions.at[order->at[i]];
        choose(&n, f);
        if (barriers && f->order.count)
            sum_up(&n, f);
    }
    if (barriers)
        keep_to_limit(&n, order);
    for (uint32_t i = 0; i < order->count; i++) {
        struct ir_function *f = m->functions.at[order->at[i]];
        report(&n, f);
        if (stays(&n, order->at[i]))
            expand(&n, f);
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
