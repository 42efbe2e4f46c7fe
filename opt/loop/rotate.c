/* rotate.c: while loops become do-while loops behind a test.
 *
 * The header, which decides whether to go round again, stays as the test before the loop; its copy takes over
 * the back edges. What was the block behind the header is the new one. An iteration then costs one jump
 * instead of two, and what stands in the body runs whenever the loop is entered,
 * so that LICM may hoist loads.
 *
 * A convergent operation in the header would be copied, so that threads that execute it together would no
 * longer do so: such a loop stays as it is. The heart of the loop is an exception: it moves behind
 * the test. Before, a thread executed it once more, for the iteration in which it left; none of its uses may
 * be there. The n-th execution is the same for all others.
 *
 * Where loops get their normal form (opt/reconverge/loops.c: warp-core, source-pc), a divergent branch that
 * leaves one leads to its CONVERGE, and that to go round again is another word wherever the test stands. So
 * rotation would save nothing, and the copy of the test would take a branch and a CONVERGE more: such a loop
 * stays, too.
 *
 * Needs cycles and dominators. Copies at most HEADER_MAX instructions a loop.
 */
#include "opt/kit/clone.h"

enum { HEADER_MAX = 16 };

struct rotate {
    struct opt_context *c;
    struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_dominators *d;
    const struct ir_cycles *cycles;
    const struct opt_uses *uses;
    struct opt_demotion demotion;
    struct bitset outside;
    struct bitset rotatable; /* by cycle */
    uint32_t *inner;         /* by rotatable cycle: the header's edge that stays in it */
    struct opt_clone clone;  /* of the header at work */
};

/* The edge of the header that stays in the loop; edges.count: none, or not the one of two. */
static uint32_t inner_edge(const struct rotate *t, uint32_t cycle, uint32_t header)
{
    const struct ir_block *block = ir_block_at(t->f, header);
    if (ir_at(t->f, block->last)->op != IR_brif)
        return block->edges.count;
    bool in0 = ir_cycle_has(t->cycles, cycle, block->edges.at[0].block);
    bool in1 = ir_cycle_has(t->cycles, cycle, block->edges.at[1].block);
    return in0 == in1 ? block->edges.count : in1;
}

/* Whether going round again is decided at the end already: all latches are branches that may leave. */
static bool is_rotated(const struct rotate *t, uint32_t cycle, uint32_t header)
{
    ir_each_pred(p, header, t->g) {
        if (!ir_cycle_has(t->cycles, cycle, p))
            continue;
        bool leaves = false;
        for (uint32_t e = 0; e < ir_block_at(t->f, p)->edges.count; e++)
            leaves |= !ir_cycle_has(t->cycles, cycle, ir_block_at(t->f, p)->edges.at[e].block);
        if (!leaves)
            return false;
    }
    return true;
}

/* The heart's uses stand where only threads come that go round once more. */
static bool heart_may_move(const struct rotate *t, ir_ref heart, uint32_t body)
{
    opt_each_use(u, t->uses, heart)
        if (!ir_dominates(t->d, body, u->block))
            return false;
    return true;
}

static bool may_copy(struct rotate *t, ir_ref r, uint32_t body)
{
    const struct ir_ins *ins = ir_at(t->f, r);
    if (ins->op == IR_loop) {
        bool may = heart_may_move(t, r, body);
        if (!may)
            opt_remark(t->c, t->f, OPT_MISSED, "heart", ins->at,
                       "loop not rotated: its token is used before the test, or by threads that leave");
        return may;
    }
    if (ir_is_convergent(t->f, r)) {
        opt_remark(t->c, t->f, OPT_MISSED, "convergent", ins->at,
                   "loop not rotated: '%s' in its header would be copied", ir_op_info[ins->op].text);
        return false;
    }
    return ir_op_info[ins->op].flags & IR_TERMINATOR || !ir_has_effect(t->f, r) || ins->op == IR_store ||
           ins->op == IR_assert;
}

/* What a loop's header computes the first time, as far as it is the same constants for all entering edges. */
struct first_time {
    ir_ref value[HEADER_MAX];
    scalar_bits bits[HEADER_MAX];
    uint32_t count;
};

/* Parameter `r` of the header, which every way into the cycle gives the same constant. */
static bool find_begin(const struct rotate *t, uint32_t cycle, const struct ir_ins *param, scalar_bits *bits)
{
    bool any = false;
    ir_each_pred(p, param->block, t->g) {
        scalar_bits now;
        if (ir_cycle_has(t->cycles, cycle, p))
            continue;
        ir_ref arg = ir_block_at(t->f, p)->edges.at[t->g->pred_edges[p_at]].args[param->imm];
        if (!ir_is_const(t->f, arg, &now) || (any && now != *bits))
            return false;
        *bits = now;
        any = true;
    }
    return any && param->block != ir_entry(t->f);
}

static bool is_known(const struct rotate *t, uint32_t cycle, const struct first_time *x, ir_ref r,
                     scalar_bits *bits)
{
    const struct ir_ins *ins = ir_at(t->f, r);
    if (ir_is_const(t->f, r, bits))
        return true;
    if (ins->op == IR_param && ins->block == t->cycles->at[cycle].header)
        return find_begin(t, cycle, ins, bits);
    for (uint32_t i = 0; i < x->count; i++)
        if (x->value[i] == r) {
            *bits = x->bits[i];
            return true;
        }
    return false;
}

/* Whether the copy of the test before the loop would be on constants. The header has HEADER_MAX instructions at
 * most. */
static bool is_decided_at_first(const struct rotate *t, uint32_t cycle, uint32_t header)
{
    struct first_time x = {.count = 0};
    scalar_bits args[SCALAR_MAX_ARGS];
    ir_each_ins(r, t->f, header) {
        const struct ir_ins *ins = ir_at(t->f, r);
        bool known = ir_is_pure(ins->op);
        for (uint32_t i = 0; known && i < ins->argc; i++)
            known = is_known(t, cycle, &x, ins->args[i], &args[i]);
        if (known && opt_fold(t->f, r, args, &x.bits[x.count]))
            x.value[x.count++] = r;
    }
    return is_known(t, cycle, &x, ir_at(t->f, ir_terminator(t->f, header))->args[0], args);
}

static bool is_left_elsewhere(const struct rotate *t, uint32_t cycle, uint32_t header)
{
    const struct ir_cycle *l = &t->cycles->at[cycle];
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t b = t->cycles->blocks[l->first + i];
        for (uint32_t e = 0; b != header && e < ir_block_at(t->f, b)->edges.count; e++)
            if (!ir_cycle_has(t->cycles, cycle, ir_block_at(t->f, b)->edges.at[e].block))
                return true;
    }
    return false;
}

/* What LICM leaves in the body unless that runs whenever the loop is entered: a load, or what is dear. */
static bool may_leave_rotated(const struct rotate *t, uint32_t cycle, ir_ref r)
{
    const struct ir_ins *ins = ir_at(t->f, r);
    enum ir_latency n = ir_latency_of(t->f, r);
    bool dear = ir_is_pure(ins->op) && (n == IR_LAT_DIV || n == IR_LAT_DPU || n == IR_LAT_SFU);
    if (ins->op != IR_load && !dear)
        return false;
    for (uint32_t i = 0; i < ins->argc; i++) {
        uint32_t block = ir_at(t->f, ins->args[i])->block;
        if (block != IR_NO_BLOCK && ir_cycle_has(t->cycles, cycle, block))
            return false;
    }
    return true;
}

static bool body_may_leave(const struct rotate *t, uint32_t cycle, uint32_t header)
{
    const struct ir_cycle *l = &t->cycles->at[cycle];
    for (uint32_t i = 0; i < l->count; i++)
        if (t->cycles->blocks[l->first + i] != header)
            ir_each_ins(r, t->f, t->cycles->blocks[l->first + i])
                if (may_leave_rotated(t, cycle, r))
                    return true;
    return false;
}

/* Whether the branch at the loop's end would take the two words that its test and its jump take now, and the
 * copy of the test some more. A loop that is left elsewhere, too, gets a latch with a test anyway. */
static bool saves_nothing(struct rotate *t, uint32_t cycle, uint32_t header)
{
    if (!opt_scheme_has(t->c, SCHEME_NORMAL_LOOPS) ||
        !bitset_has(opt_machine_uniformity(t->c, t->f)->branches, header) ||
        is_left_elsewhere(t, cycle, header) || is_decided_at_first(t, cycle, header) ||
        body_may_leave(t, cycle, header))
        return false;
    opt_remark(t->c, t->f, OPT_MISSED, "divergent", ir_at(t->f, ir_terminator(t->f, header))->at,
               "loop not rotated: lanes that leave it apart take a jump to go round all the same");
    return true;
}

static bool may_rotate(struct rotate *t, uint32_t cycle)
{
    const struct ir_cycle *l = &t->cycles->at[cycle];
    uint32_t header = l->header, e = inner_edge(t, cycle, header), n = 0;
    if (l->entries.count != 1 || e == ir_block_at(t->f, header)->edges.count || is_rotated(t, cycle, header))
        return false;
    uint32_t body = ir_block_at(t->f, header)->edges.at[e].block;
    t->inner[cycle] = e;
    ir_each_ins(r, t->f, header)
        if (++n > HEADER_MAX || !may_copy(t, r, body))
            return false;
    return body != header && !saves_nothing(t, cycle, header);
}

/* ---- the change -------------------------------------------------------------------------------------- */

static uint32_t copy_header(struct rotate *t, uint32_t header)
{
    opt_clone_reserve(&t->clone);
    uint32_t copy = opt_clone_block(&t->clone, header);
    opt_clone_instructions(&t->clone, header, false);
    opt_clone_edges(&t->clone, header);
    opt_clone_forget(&t->clone, header);
    return copy;
}

/* A block for the heart, before `body`, on all edges to it from `header` and its copy. */
static void move_heart(struct rotate *t, ir_ref heart, uint32_t header, uint32_t copy, uint32_t body)
{
    uint32_t home = ir_block_new(t->f, NULL);
    struct ir_cursor c = {.fn = t->f, .block = home, .at = ir_at(t->f, heart)->at};
    ir_unlink(t->f, heart);
    ir_link(&c, heart);
    for (uint32_t i = 0; i < ir_block_at(t->f, body)->params.count; i++) {
        ir_ref p = ir_block_at(t->f, body)->params.at[i];
        ir_param_new(t->f, home, ir_at(t->f, p)->type, ir_at(t->f, p)->name);
    }
    ir_emit_br(&c, body);
    for (uint32_t i = 0; i < ir_block_at(t->f, home)->params.count; i++)
        ir_edge_arg(t->f, &ir_block_at(t->f, home)->edges.at[0], ir_block_at(t->f, home)->params.at[i]);
    for (unsigned i = 0; i < 2; i++) {
        struct ir_block *from = ir_block_at(t->f, i ? copy : header);
        for (uint32_t e = 0; e < from->edges.count; e++)
            if (from->edges.at[e].block == body)
                from->edges.at[e].block = home;
    }
}

static void rotate_loop(struct rotate *t, uint32_t cycle)
{
    uint32_t header = t->cycles->at[cycle].header;
    uint32_t body = ir_block_at(t->f, header)->edges.at[t->inner[cycle]].block;
    ir_ref heart = 0;
    ir_each_ins(r, t->f, header)
        if (ir_at(t->f, r)->op == IR_loop)
            heart = r;
    uint32_t copy = copy_header(t, header);
    ir_each_pred(p, header, t->g)
        if (ir_cycle_has(t->cycles, cycle, p))
            ir_block_at(t->f, p)->edges.at[t->g->pred_edges[p_at]].block = copy;
    if (heart)
        move_heart(t, heart, header, copy, body);
    opt_remark(t->c, t->f, OPT_APPLIED, "rotated", ir_at(t->f, ir_terminator(t->f, header))->at,
               "loop tests at its end");
    opt_count(t->c, "loops", 1);
}

/* The values of a header that are used behind it get a second definition in its copy. */
static void demote_header(struct rotate *t, uint32_t header)
{
    for (uint32_t i = 0; i < ir_block_at(t->f, header)->params.count; i++)
        if (bitset_has(t->outside, ir_block_at(t->f, header)->params.at[i]))
            opt_demote(&t->demotion, ir_block_at(t->f, header)->params.at[i]);
    ir_each_ins(r, t->f, header)
        if (bitset_has(t->outside, r) && ir_at(t->f, r)->type != IR_TYPE_TOKEN)
            opt_demote(&t->demotion, r);
}

bool opt_rotate(struct opt_context *c, struct ir_function *f)
{
    struct rotate t = {.c = c,
                       .f = f,
                       .g = opt_cfg(c, f),
                       .d = opt_dominators(c, f),
                       .cycles = opt_cycles(c, f),
                       .demotion = {.c = c, .f = f},
                       .clone = {.arena = c->scratch, .f = f}};
    t.clone.demotion = &t.demotion;
    uint32_t n = 0;
    if (!t.cycles->count || !opt_ssa_possible(c, f))
        return false;
    t.uses = opt_uses(c, f);
    t.rotatable = bitset_new(c->scratch, t.cycles->count);
    t.inner = arena_array(c->scratch, uint32_t, t.cycles->count);
    for (uint32_t i = 0; i < t.cycles->count; i++)
        if (may_rotate(&t, i)) {
            bitset_add(t.rotatable, i);
            opt_demote_region(&t.demotion, t.cycles->at[i].header, ++n);
        }
    if (!n)
        return false;
    t.outside = opt_used_outside(&t.demotion);
    bitset_each(i, t.rotatable)
        demote_header(&t, t.cycles->at[i].header);
    bitset_each(i, t.rotatable)
        rotate_loop(&t, i);
    opt_demote_finish(&t.demotion);
    return true;
}
