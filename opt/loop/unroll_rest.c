/* unroll_rest.c: counted loops whose length is not known are unrolled, with a remainder.
 *
 *     loop(i): body; j = i + 1; if (j < n) loop(j) else done
 *
 * becomes, with `factor` copies of the body without tests between them,
 *
 *     rounds(i): if (factor iterations are left) { body × factor; if (j < n) rounds(j) else done }
 *                else loop(i)
 *
 * where the loop stays for what is left. Whether they are is one comparison: the last test inside a round is
 * i + d < n for a constant d, and i < n - d says the same unless n - d wraps, which is tested too. No count
 * can have wrapped then.
 *
 * "Convergent Operation Semantics", Loop unrolling examples: a remainder is allowed if all convergent
 * operations of the loop belong to anchors inside. With a loop's heart it is forbidden, since threads in the
 * same iteration could be in different copies. It is allowed, but not worth it, where threads leave the loop
 * in different iterations: they would be in the rounds and in the remainder by turns.
 */
#include "opt/loop/unroll.h"

enum { STEP_MAX = 1 << 16 };

/* ---- loops that count -------------------------------------------------------------------------------- */

struct term {
    ir_ref param;
    int64_t offset;
};

static int64_t constant_of(enum ir_type t, scalar_bits bits)
{
    return t == IR_TYPE_I32 ? (int32_t)(uint32_t)bits : (int64_t)bits;
}

/* r as a parameter of the header plus a constant; param is 0 if it is no such thing. */
static struct term term_of(const struct opt_unroll *u, uint32_t header, ir_ref r)
{
    const struct ir_ins *ins = ir_at(u->f, r);
    scalar_bits bits;
    if (ins->op == IR_param && ins->block == header)
        return (struct term){r, 0};
    if ((ins->op != IR_add && ins->op != IR_sub) || (ins->type != IR_TYPE_I32 && ins->type != IR_TYPE_I64) ||
        !ir_is_const(u->f, ins->args[1], &bits))
        return (struct term){0, 0};
    const struct ir_ins *param = ir_at(u->f, ins->args[0]);
    int64_t n = constant_of(ins->type, bits);
    if (param->op != IR_param || param->block != header || n > STEP_MAX || n < -STEP_MAX)
        return (struct term){0, 0};
    return (struct term){ins->args[0], ins->op == IR_add ? n : -n};
}

static bool is_outside(const struct opt_unroll *u, uint32_t cycle, ir_ref r)
{
    uint32_t block = ir_at(u->f, r)->block;
    return block == IR_NO_BLOCK || !ir_cycle_has(u->cycles, cycle, block);
}

/* `low`: the counter is the side that has to stay below. */
static bool match_counter(const struct opt_unroll *u, struct opt_unroll_plan *p, ir_ref counter, ir_ref bound,
                          bool low)
{
    uint32_t header = u->cycles->at[p->cycle].header;
    const struct ir_edge *back = &ir_block_at(u->f, p->latch)->edges.at[p->latch_edge];
    struct term now = term_of(u, header, counter);
    if (!now.param || !is_outside(u, p->cycle, bound))
        return false;
    uint32_t position = (uint32_t)ir_at(u->f, now.param)->imm;
    struct term next = term_of(u, header, back->args[position]);
    bool up = next.offset > 0 && now.offset >= 0, down = next.offset < 0 && now.offset <= 0;
    if (next.param != now.param || !(low ? up : down))
        return false;
    p->counted.counter = position;
    p->counted.bound = bound;
    p->counted.offset = now.offset;
    p->counted.step = next.offset;
    return true;
}

/* The largest that leaves the rounds small, and no longer than the loop runs, by a profile. */
static uint32_t choose_factor(const struct opt_unroll *u, const struct opt_unroll_plan *p)
{
    double trips = cost_trips(u->profile, p->cycle);
    for (uint32_t n = 4; n > 1; n /= 2)
        if (p->size * n <= OPT_UNROLL_SIZE_PART && (trips == 0 || trips >= n))
            return n;
    return 0;
}

bool opt_unroll_counts(struct opt_unroll *u, struct opt_unroll_plan *p)
{
    const struct ir_ins *test = ir_at(u->f, ir_at(u->f, ir_terminator(u->f, p->test))->args[0]);
    uint32_t from;
    p->trips = 0;
    p->factor = choose_factor(u, p);
    if (!p->factor || p->test != p->latch || !opt_unroll_entering_edge(u, p->cycle, &from) ||
        u->cycles->innermost[from] != u->cycles->at[p->cycle].parent) /* else `from` may be unrolled, too */
        return false;
    if (test->op != IR_slt && test->op != IR_sle && test->op != IR_ult && test->op != IR_ule)
        return false;
    bool less = test->op == IR_slt || test->op == IR_ult, stays = p->out == 1;
    ir_ref lo = test->args[!stays], hi = test->args[stays];
    p->counted.is_signed = test->op == IR_slt || test->op == IR_sle;
    p->counted.strict = less == stays;
    return match_counter(u, p, lo, hi, true) || match_counter(u, p, hi, lo, false);
}

/* ---- whether ----------------------------------------------------------------------------------------- */

static bool decline(struct opt_unroll *u, const char *id, ir_ref r, const char *why)
{
    opt_remark(u->c, u->f, OPT_MISSED, id, ir_at(u->f, r)->at, "loop not unrolled with a remainder: '%s' %s",
               ir_op_info[ir_at(u->f, r)->op].text, why);
    return false;
}

static bool allows_rest(struct opt_unroll *u, uint32_t cycle, ir_ref r)
{
    const struct ir_ins *ins = ir_at(u->f, r);
    if (!ir_is_convergent(u->f, r) || ins->op == IR_anchor)
        return true;
    if (ins->op == IR_loop)
        return decline(u, "heart", r,
                       "counts iterations, and threads in one iteration would be in different copies");
    return !is_outside(u, cycle, ins->token) || decline(u, "token", r, "has a token from outside");
}

bool opt_unroll_may_leave_rest(struct opt_unroll *u, const struct opt_unroll_plan *p)
{
    const struct ir_cycle *l = &u->cycles->at[p->cycle];
    for (uint32_t i = 0; i < l->count; i++)
        ir_each_ins(r, u->f, u->cycles->blocks[l->first + i])
            if (!allows_rest(u, p->cycle, r))
                return false;
    return !bitset_has(opt_uniformity(u->c, u->f)->branches, p->test) ||
           decline(u, "divergent", ir_terminator(u->f, p->test),
                   "is divergent: threads would be in the rounds and in the remainder by turns");
}

/* ---- how --------------------------------------------------------------------------------------------- */

struct guard {
    ir_ref limit, fits;
    bool up;
};

static scalar_bits extreme(enum ir_type t, bool is_signed, bool most)
{
    if (!is_signed)
        return !most ? 0 : t == IR_TYPE_I32 ? UINT32_MAX : UINT64_MAX;
    return t == IR_TYPE_I32 ? (scalar_bits)(uint32_t)(most ? INT32_MAX : INT32_MIN)
                            : (scalar_bits)(most ? INT64_MAX : INT64_MIN);
}

/* Before the loop: the limit below which (or above which) a whole round is left, and whether it has not
 * wrapped. */
static struct guard emit_guard(struct opt_unroll *u, const struct opt_unroll_plan *p, struct ir_cursor *c)
{
    const struct opt_counted *k = &p->counted;
    enum ir_type t = (enum ir_type)ir_at(u->f, k->bound)->type;
    enum ir_op at_most = k->is_signed ? IR_sle : IR_ule;
    int64_t ahead = k->offset + (int64_t)(p->factor - 2) * k->step;
    bool up = k->step > 0;
    scalar_bits mask = t == IR_TYPE_I32 ? UINT32_MAX : UINT64_MAX;
    ir_ref distance = ir_const(u->f, t, (scalar_bits)ahead & mask);
    ir_ref last = ir_const(u->f, t, (extreme(t, k->is_signed, !up) + (scalar_bits)ahead) & mask);
    ir_ref limit = ir_emit2(c, IR_sub, t, k->bound, distance);
    ir_ref fits = up ? ir_emit2(c, at_most, IR_TYPE_I1, last, k->bound)
                     : ir_emit2(c, at_most, IR_TYPE_I1, k->bound, last);
    return (struct guard){limit, fits, up};
}

/* A block with the header's parameters. */
static uint32_t new_header(struct opt_unroll *u, uint32_t header)
{
    uint32_t b = ir_block_new(u->f, "rounds");
    for (uint32_t i = 0; i < ir_block_at(u->f, header)->params.count; i++) {
        const struct ir_ins *p = ir_at(u->f, ir_block_at(u->f, header)->params.at[i]);
        ir_param_new(u->f, b, p->type, p->name);
    }
    return b;
}

static void fill_rounds(struct opt_unroll *u, const struct opt_unroll_plan *p, uint32_t rounds,
                        uint32_t round, struct guard g)
{
    const struct opt_counted *k = &p->counted;
    struct ir_cursor c = {.fn = u->f, .block = rounds, .at = ir_at(u->f, ir_terminator(u->f, p->test))->at};
    enum ir_op less = k->is_signed ? k->strict ? IR_slt : IR_sle : k->strict ? IR_ult : IR_ule;
    ir_ref counter = ir_block_at(u->f, rounds)->params.at[k->counter];
    ir_ref below = ir_emit2(&c, less, IR_TYPE_I1, g.up ? counter : g.limit, g.up ? g.limit : counter);
    ir_emit_brif(&c, ir_emit2(&c, IR_and, IR_TYPE_I1, below, g.fits), round, u->cycles->at[p->cycle].header);
    for (uint32_t e = 0; e < 2; e++)
        for (uint32_t i = 0; i < ir_block_at(u->f, rounds)->params.count; i++)
            ir_edge_arg(u->f, &ir_block_at(u->f, rounds)->edges.at[e],
                        ir_block_at(u->f, rounds)->params.at[i]);
}

void opt_unroll_rest(struct opt_unroll *u, const struct opt_unroll_plan *p)
{
    uint32_t from, rounds = new_header(u, u->cycles->at[p->cycle].header);
    place at = ir_at(u->f, ir_terminator(u->f, p->test))->at;
    struct opt_loop_copy copies[OPT_UNROLL_SIZE_PART];
    opt_unroll_entering_edge(u, p->cycle, &from);
    struct ir_cursor before = {.fn = u->f, .block = from, .before = ir_terminator(u->f, from), .at = at};
    struct guard g = emit_guard(u, p, &before);
    for (uint32_t i = 0; i < p->factor; i++)
        copies[i] = opt_unroll_copy(u, p);
    for (uint32_t i = 0; i < p->factor; i++)
        ir_block_at(u->f, copies[i].latch)->edges.at[p->latch_edge].block =
            i + 1 < p->factor ? copies[i + 1].header : rounds;
    for (uint32_t i = 0; i + 1 < p->factor; i++)
        opt_branch_fold(u->f, copies[i].test, !p->out);
    opt_unroll_entering_edge(u, p->cycle, &from)->block = rounds;
    fill_rounds(u, p, rounds, copies[0].header, g);
    opt_remark(u->c, u->f, OPT_APPLIED, "remainder", at, "loop unrolled %u times, with a remainder",
               p->factor);
    opt_count(u->c, "loops, with a remainder", 1);
}
