/* inline.c: calls of small device functions, and of those called once, become their bodies.
 *
 * Callees before callers. The token of the call takes the place of the callee's entry token ("Convergent
 * Operation Semantics", entry); all convergent operations of both have tokens by then (infer_tokens.c).
 *
 * inline_barriers inlines other functions, whatever their size: those that some threads may leave while
 * others are at a barrier (ir/analysis/leaving.c). In a kernel, threads that go past a barrier run on to its
 * end; in a function they would wait for the others at the return.
 *
 * Not inlined: kernels, functions marked noinline, and, where predictions are honoured, functions that some
 * Predict(f) names, since the call is where threads wait for each other. Time is linear in what is copied,
 * which SIZE_MAX_CALLER bounds.
 */
#include "opt/pass.h"

enum { ONCE = 4000, SIZE_MAX_CALLER = 40000 };

struct facts {
    uint32_t size, calls;
    bool named; /* by a prediction that is honoured */
    bool passes_barrier;
};

struct inliner {
    struct opt_context *c;
    struct ir_module   *m;
    struct facts       *facts;     /* by function */
    bool                barriers;  /* the pass is inline_barriers */
    bool                changed;
};

/* One call being inlined. */
struct site {
    struct ir_function       *f;
    const struct ir_function *callee;
    ir_ref                    call;
    struct ir_ins             ins;       /* the call, as it was */
    uint32_t                  after;     /* block behind the call */
    ir_ref                   *map;       /* values of the callee */
    uint32_t                 *blocks;    /* blocks of the callee */
};

/* ---- the call graph ---------------------------------------------------------------------------------- */

static void note_instruction(struct inliner *n, uint32_t caller, const struct ir_ins *ins)
{
    n->facts[caller].size++;
    if (ins->op == IR_call)
        n->facts[ins->imm].calls++;
    if (ins->op == IR_predict_function && opt_honours_predictions(n->c))
        n->facts[ins->imm].named = true;
    if (ins->op == IR_function)
        n->facts[ins->imm].calls += 2;      /* called from elsewhere, too */
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
    if (n->barriers && !k->passes_barrier)
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

static ir_ref mapped(struct site *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->callee, r);
    return ins->op == IR_constant ? ir_const(s->f, ins->type, (scalar_bits)ins->imm) : s->map[r];
}

/* The callee's entry stands for its parameters by the call's arguments: nothing leads back to it. */
static void make_blocks(struct site *s, const struct ir_cfg *g)
{
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        uint32_t b = g->rpo[i], copy = ir_block_new(s->f, ir_block_at(s->callee, b)->name);
        const u32_vec *params = &ir_block_at(s->callee, b)->params;
        s->blocks[b] = copy;
        for (uint32_t k = 0; k < params->count; k++) {
            const struct ir_ins *p = ir_at(s->callee, params->at[k]);
            s->map[params->at[k]] = b == ir_entry(s->callee) ? s->ins.args[k]
                                                             : ir_param_new(s->f, copy, p->type, p->name);
        }
    }
}

static void copy_ret(struct site *s, struct ir_cursor *c, const struct ir_ins *ins)
{
    ir_emit_br(c, s->after);
    if (ins->argc)
        ir_edge_arg(s->f, &ir_block_at(s->f, c->block)->edges.at[0], mapped(s, ins->args[0]));
}

static void copy_instruction(struct site *s, struct ir_cursor *c, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->callee, r);
    struct ir_cursor entry = {.fn = s->f, .block = ir_entry(s->f),
                              .before = ir_block_at(s->f, ir_entry(s->f))->first};
    switch (ins->op) {
    case IR_entry: s->map[r] = s->ins.token; return;
    case IR_ret:
        c->at = ins->at;
        copy_ret(s, c, ins);
        return;
    case IR_alloca: s->map[r] = ir_copy_ins(&entry, s->callee, r, s->map); return;
    default: break;
    }
    ir_ref copy = s->map[r] = ir_copy_ins(c, s->callee, r, s->map);
    if (ins->op == IR_predict || ins->op == IR_predict_point)
        ir_at(s->f, copy)->imm += s->f->predictions;
}

static void copy_edges(struct site *s, uint32_t b)
{
    const struct ir_block *from = ir_block_at(s->callee, b);
    for (uint32_t e = 0; e < from->edges.count; e++) {
        const struct ir_edge *edge = &from->edges.at[e];
        struct ir_edge *copy = ir_edge_add(s->f, s->blocks[b], s->blocks[edge->block], edge->value);
        for (uint32_t i = 0; i < edge->argc; i++)
            ir_edge_arg(s->f, copy, mapped(s, edge->args[i]));
    }
}

static void copy_body(struct site *s, const struct ir_cfg *g)
{
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        struct ir_cursor c = {.fn = s->f, .block = s->blocks[g->rpo[i]]};
        ir_each_ins(r, s->callee, g->rpo[i])
            copy_instruction(s, &c, r);
        copy_edges(s, g->rpo[i]);
    }
    s->f->predictions += s->callee->predictions;
}

static void inline_call(struct inliner *n, struct ir_function *f, ir_ref call, struct opt_renaming *renaming)
{
    struct site s = {.f = f, .callee = n->m->functions.at[ir_at(f, call)->imm], .call = call,
                     .ins = *ir_at(f, call)};
    const struct ir_cfg *g = opt_cfg(n->c, s.callee);
    s.map = arena_array(n->c->scratch, ir_ref, s.callee->ins.count);
    s.blocks = arena_array(n->c->scratch, uint32_t, s.callee->blocks.count);
    s.after = ir_block_split(f, s.ins.block, call, NULL);
    if (s.ins.type != IR_TYPE_VOID)
        opt_rename(renaming, f, call, ir_param_new(f, s.after, s.ins.type, s.ins.name));
    ir_remove(f, call);
    make_blocks(&s, g);
    copy_body(&s, g);
    struct ir_cursor c = {.fn = f, .block = s.ins.block, .at = s.ins.at};
    ir_emit_br(&c, s.blocks[ir_entry(s.callee)]);
    n->facts[f->id].size += n->facts[s.callee->id].size;
    opt_remark(n->c, f, OPT_APPLIED, "inlined", s.ins.at, "'%s' inlined", s.callee->name);
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
    return ir_calls_may_wait(m) && run(c, m, true);
}
