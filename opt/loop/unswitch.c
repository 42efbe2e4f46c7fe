/* unswitch.c: loops that do nothing where a condition that does not change in them fails are not entered there:
 * loop unswitching (F. E. Allen and J. Cocke, "A Catalogue of Optimizing Transformations", 1971), where one of
 * the two loops would be empty.
 *
 *     for (i = 0; i < n; i++)            if (c)
 *         if (c)                             for (i = 0; i < n; i++)
 *             body                               body
 *
 * Threads for which c fails wait for the others at the end of the loop then, and not in each iteration. As the
 * loop is not copied the condition may be divergent.
 *
 * A loop does nothing along the one way that it runs while c fails if what stands there only computes; its
 * parameters are the same in the next iteration, but for those that only say how often it turns; and what
 * leaves it is what came in. It has to end: it counts by one to a limit that stays. Loops with convergent
 * operations are left alone, since other threads would take part. Needs cycles; linear, but for the blocks of
 * loops in each other.
 */
#include "opt/pass.h"

struct unswitch {
    struct opt_context *c;
    struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_cycles *cycles;
    const struct opt_uses *uses;
    ir_ref *taken;         /* by parameter of blocks on the way, but for the header's: what it is given */
    struct bitset entered; /* blocks that have got another way in */
    uint32_t *before;      /* by block: the new one that is to stand in front of it; IR_NO_BLOCK: none */
};
/* A loop and the branch in it that goes. */
struct plan {
    uint32_t cycle, header, from; /* from: where the only way in comes from */
    uint32_t branch, empty;       /* its block, and the edge where the loop does nothing */
    uint32_t test, out;           /* where the loop is left then, by which edge */
};

static bool is_inside(const struct unswitch *u, const struct plan *p, uint32_t b)
{
    return b < u->g->blocks && ir_cycle_has(u->cycles, p->cycle, b);
}

/* ---- the way ----------------------------------------------------------------------------------------- */

static bool only_computes(const struct unswitch *u, uint32_t b)
{
    ir_each_ins(r, u->f, b)
        if (r != ir_block_at(u->f, b)->last && !opt_may_speculate(u->f, r))
            return false;
    return true;
}

/* Where the block tests whether to leave the loop, as the first on the way that does: the edge by which it goes
 * on; else NULL. */
static const struct ir_edge *tested_edge(const struct unswitch *u, struct plan *p, uint32_t b)
{
    const struct ir_edge *edges = ir_block_at(u->f, b)->edges.at;
    bool stays = is_inside(u, p, edges[0].block);
    if (stays == is_inside(u, p, edges[1].block) || p->test != IR_NO_BLOCK)
        return NULL;
    p->test = b;
    p->out = stays;
    return &edges[!stays];
}

/* The edge by which the loop goes on at the end of the block while the condition fails; NULL: it may go several
 * ways. The first branch on the way by what stands outside is the one that asks for the condition. */
static const struct ir_edge *next_edge(const struct unswitch *u, struct plan *p, uint32_t b)
{
    const struct ir_edge *edges = ir_block_at(u->f, b)->edges.at;
    const struct ir_ins *end = ir_at(u->f, ir_terminator(u->f, b));
    if (end->op == IR_br)
        return &edges[0];
    if (end->op != IR_brif)
        return NULL;
    if (p->branch == IR_NO_BLOCK && !is_inside(u, p, ir_at(u->f, end->args[0])->block))
        p->branch = b;
    return b == p->branch ? &edges[p->empty] : tested_edge(u, p, b);
}

/* Follows the way from the header back to it. False: it does more than compute, or branches. *back: the edge
 * back. */
static bool follow(struct unswitch *u, struct plan *p, const struct ir_edge **back)
{
    uint32_t b = p->header, steps = 0;
    p->branch = p->test = IR_NO_BLOCK;
    do {
        if (steps++ == u->cycles->at[p->cycle].count || !is_inside(u, p, b) || !only_computes(u, b))
            return false;
        const struct ir_edge *edge = next_edge(u, p, b);
        if (!edge || edge->breaks)
            return false;
        b = edge->block;
        for (uint32_t i = 0; b != p->header && i < edge->argc; i++)
            u->taken[ir_block_at(u->f, b)->params.at[i]] = edge->args[i];
        *back = edge;
    } while (b != p->header);
    return p->branch != IR_NO_BLOCK && p->test != IR_NO_BLOCK;
}

/* What r is along the way. */
static ir_ref along(const struct unswitch *u, const struct plan *p, ir_ref r)
{
    while (ir_at(u->f, r)->op == IR_param && ir_at(u->f, r)->block != p->header &&
           is_inside(u, p, ir_at(u->f, r)->block))
        r = u->taken[r];
    return r;
}

static bool is_outside(const struct unswitch *u, const struct plan *p, ir_ref r)
{
    return !is_inside(u, p, ir_at(u->f, r)->block);
}

/* Whether r is the header's parameter, or that and one more or one less. *by: which. */
static bool is_counter(const struct unswitch *u, const struct plan *p, ir_ref r, ir_ref *param, int *by)
{
    const struct ir_ins *ins = ir_at(u->f, r);
    scalar_bits bits;
    *param = r;
    *by = 0;
    if (ins->op == IR_add && ir_is_const(u->f, ins->args[1], &bits)) {
        scalar_bits mask = ins->type == IR_TYPE_I32 ? UINT32_MAX : UINT64_MAX;
        *param = along(u, p, ins->args[0]);
        *by = bits == 1 ? 1 : bits == mask ? -1 : 2;
    }
    return ir_at(u->f, *param)->op == IR_param && ir_at(u->f, *param)->block == p->header && *by < 2;
}

/* Whether the loop goes on while a counter is below a limit that stays, and counts up by one; or above, and
 * down. */
static bool ends(const struct unswitch *u, const struct plan *p, const struct ir_edge *back)
{
    const struct ir_ins *test = ir_at(u->f, along(u, p, ir_at(u->f, ir_terminator(u->f, p->test))->args[0]));
    if ((test->op != IR_slt && test->op != IR_ult) || p->out != 1)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        ir_ref counter = along(u, p, test->args[k]), limit = along(u, p, test->args[1 - k]), param, again;
        int by, step;
        if (!is_outside(u, p, limit) || !is_counter(u, p, counter, &param, &by))
            continue;
        ir_ref next = along(u, p, back->args[ir_at(u->f, param)->imm]);
        if (is_counter(u, p, next, &again, &step) && again == param && step == (k ? -1 : 1))
            return true;
    }
    return false;
}

/* Whether r, a parameter of the header, is the same in the next iteration. */
static bool stays(const struct unswitch *u, const struct plan *p, const struct ir_edge *back, ir_ref r)
{
    return along(u, p, back->args[ir_at(u->f, r)->imm]) == r;
}

/* What leaves the loop along the way: what came in, or what stands outside. */
static bool leaves_as_it_came(const struct unswitch *u, const struct plan *p, const struct ir_edge *back)
{
    const struct ir_edge *out = &ir_block_at(u->f, p->test)->edges.at[p->out];
    if (out->breaks)
        return false;
    for (uint32_t i = 0; i < out->argc; i++) {
        ir_ref r = along(u, p, out->args[i]);
        bool param = ir_at(u->f, r)->op == IR_param && ir_at(u->f, r)->block == p->header;
        if (!is_outside(u, p, r) && !(param && stays(u, p, back, r)))
            return false;
    }
    return true;
}

/* ---- whether ----------------------------------------------------------------------------------------- */

/* Whether nothing in the loop is convergent, or calls; and nothing outside reads what it makes, but by
 * arguments of the edges that leave it. */
static bool may_be_skipped(const struct unswitch *u, const struct plan *p)
{
    const struct ir_cycle *l = &u->cycles->at[p->cycle];
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t b = u->cycles->blocks[l->first + i];
        for (uint32_t k = 0; k < ir_block_at(u->f, b)->params.count; k++)
            opt_each_use(use, u->uses, ir_block_at(u->f, b)->params.at[k])
                if (!is_inside(u, p, use->block))
                    return false;
        ir_each_ins(r, u->f, b) {
            enum ir_op op = (enum ir_op)ir_at(u->f, r)->op;
            if (ir_is_convergent(u->f, r) || op == IR_call || op == IR_icall || opt_is_prediction(op) ||
                opt_is_token_op(op))
                return false;
            opt_each_use(use, u->uses, r)
                if (!is_inside(u, p, use->block))
                    return false;
        }
    }
    return true;
}

/* The only block outside that leads to the header, by one edge; IR_NO_BLOCK: there are several. */
static uint32_t way_in(const struct unswitch *u, const struct plan *p)
{
    uint32_t found = IR_NO_BLOCK;
    ir_each_pred(b, p->header, u->g) {
        if (is_inside(u, p, b))
            continue;
        if (found != IR_NO_BLOCK)
            return IR_NO_BLOCK;
        found = b;
    }
    return found;
}

static bool find_plan(struct unswitch *u, uint32_t cycle, struct plan *p)
{
    const struct ir_cycle *l = &u->cycles->at[cycle];
    const struct ir_edge *back = NULL;
    *p = (struct plan){.cycle = cycle, .header = l->header};
    p->from = way_in(u, p);
    if (l->entries.count != 1 || p->from == IR_NO_BLOCK || bitset_has(u->entered, p->header))
        return false;
    for (p->empty = 0; p->empty < 2; p->empty++)
        if (follow(u, p, &back) && ends(u, p, back) && leaves_as_it_came(u, p, back))
            return may_be_skipped(u, p);
    return false;
}

/* ---- how --------------------------------------------------------------------------------------------- */

static struct ir_edge *entering_edge(const struct unswitch *u, const struct plan *p)
{
    struct ir_edge *edge = ir_block_at(u->f, p->from)->edges.at;
    while (edge->block != p->header)
        edge++;
    return edge;
}

/* A block in front of the loop asks for the condition, and the branch in the loop goes. */
static void unswitch(struct unswitch *u, const struct plan *p)
{
    uint32_t b = ir_block_new(u->f, NULL);
    const struct ir_edge *out = &ir_block_at(u->f, p->test)->edges.at[p->out];
    const struct ir_ins *end = ir_at(u->f, ir_terminator(u->f, p->branch));
    struct ir_cursor c = {.fn = u->f, .block = b, .at = end->at};
    uint32_t to[] = {p->empty ? p->header : out->block, p->empty ? out->block : p->header};
    struct ir_edge in = *entering_edge(u, p);
    ir_emit_brif(&c, end->args[0], to[0], to[1]);
    for (uint32_t i = 0; i < in.argc; i++)
        ir_edge_arg(u->f, &ir_block_at(u->f, b)->edges.at[!p->empty], in.args[i]);
    for (uint32_t i = 0; i < out->argc; i++) {
        ir_ref r = along(u, p, out->args[i]);
        ir_edge_arg(u->f, &ir_block_at(u->f, b)->edges.at[p->empty],
                    is_outside(u, p, r) ? r : in.args[ir_at(u->f, r)->imm]);
    }
    struct ir_edge *entering = entering_edge(u, p);
    entering->block = b;
    entering->argc = 0;
    bitset_add(u->entered, out->block);
    u->before[p->header] = b;
    opt_branch_fold(u->f, p->branch, !p->empty);
    opt_remark(u->c, u->f, OPT_APPLIED, "unswitched", c.at,
               "the loop is not entered where this condition is %s: it would do nothing",
               p->empty ? "false" : "true");
    opt_count(u->c, "loops unswitched", 1);
}

/* New blocks stand in front of their loops. */
static void lay_out(const struct unswitch *u)
{
    u32_vec order = {0};
    ir_each_block(i, b, u->f) {
        if (b < u->g->blocks && u->before[b] != IR_NO_BLOCK)
            vec_push(u->c->scratch, &order, u->before[b]);
        if (b < u->g->blocks)
            vec_push(u->c->scratch, &order, b);
    }
    memcpy(u->f->order.at, order.at, order.count * sizeof *order.at);
}

bool opt_unswitch(struct opt_context *c, struct ir_function *f)
{
    struct unswitch u = {.c = c, .f = f, .g = opt_cfg(c, f), .cycles = opt_cycles(c, f)};
    bool any = false;
    if (!u.cycles->count)
        return false;
    u.uses = opt_uses(c, f);
    u.entered = bitset_new(c->scratch, f->blocks.count);
    u.taken = arena_array(c->scratch, ir_ref, f->ins.count);
    u.before = arena_array(c->scratch, uint32_t, f->blocks.count);
    memset(u.before, 0xff, f->blocks.count * sizeof *u.before);
    for (uint32_t i = 0; i < u.cycles->count; i++) {
        struct plan p;
        if (!find_plan(&u, i, &p))
            continue;
        unswitch(&u, &p);
        any = true;
    }
    if (any)
        lay_out(&u);
    return any;
}
