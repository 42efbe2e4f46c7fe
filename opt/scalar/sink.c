/* sink.c: what only one way of a branch uses is computed there.
 *
 * From a block that ends in a branch an instruction moves to the start of the successor that dominates all
 * its uses, if the branch alone leads there and the successor is in no loop that the block is not in. Blocks
 * in reverse post-order, so that it can go on from there; within a block the last ones first, so that
 * operands follow their users.
 *
 * "Convergent Operation Semantics", Hoisting and sinking: a convergent operation is sunk only if the branch
 * is uniform. An anchor may be sunk, and operations together with it, since its threads are the
 * implementation's choice: but all of them or none, or fewer threads would be at one than at the other.
 * Nothing of it goes out of a loop or into one.
 *
 * A value with more than USES_MAX uses stays, hence linear times the depth of branches.
 */
#include "opt/kit/co_execution.h"

enum { USES_MAX = 32, EDGES_MAX = 8, GROUP_MAX = 16 };

struct sink {
    struct opt_context *c;
    struct ir_function *f;
    const struct ir_dominators *d;
    struct opt_co_execution co_execution;
    const struct opt_uses *uses;
    uint32_t block;    /* at work */
    bool token_behind; /* another token is defined behind the instruction at work */
    ir_ref outermost;  /* of the tokens used behind it, the first defined; 0: none */
    uint32_t *place;   /* of tokens: which one of their block's it is, where `placed` has the block */
    struct bitset placed;
    bool changed;
};

/* ---- where to ---------------------------------------------------------------------------------------- */

static uint32_t block_of(const struct sink *s, const struct opt_use *u)
{
    return u->edge == IR_NO_BLOCK ? ir_at(s->f, u->user)->block : u->block;
}

static bool is_in(const ir_ref *group, uint32_t n, ir_ref r)
{
    for (uint32_t i = 0; i < n; i++)
        if (group[i] == r)
            return true;
    return false;
}

/* The successor that only this block leads to and that dominates the other one; IR_NO_BLOCK: none. */
static uint32_t way_to(const struct sink *s, uint32_t other)
{
    const struct ir_block *block = ir_block_at(s->f, s->block);
    for (uint32_t e = 0; block->edges.count > 1 && e < block->edges.count; e++) {
        uint32_t to = block->edges.at[e].block;
        if (ir_pred_count(s->co_execution.g, to) == 1 && ir_dominates(s->d, to, other))
            return to;
    }
    return IR_NO_BLOCK;
}

/* The one way that leads to all uses of r but those by the group; IR_NO_BLOCK: none, or there are no such
 * uses. */
static uint32_t way_of(const struct sink *s, ir_ref r, const ir_ref *group, uint32_t n)
{
    uint32_t way = IR_NO_BLOCK;
    if (s->uses->start[r + 1] - s->uses->start[r] > USES_MAX)
        return IR_NO_BLOCK;
    opt_each_use(u, s->uses, r) {
        if (is_in(group, n, u->user))
            continue;
        if (way == IR_NO_BLOCK)
            way = way_to(s, block_of(s, u));
        if (way == IR_NO_BLOCK || !ir_dominates(s->d, way, block_of(s, u)))
            return IR_NO_BLOCK;
    }
    return way;
}

static bool in_same_cycle(const struct sink *s, uint32_t way)
{
    return s->co_execution.cycles->innermost[s->block] == s->co_execution.cycles->innermost[way];
}

static bool has_loop_token(const struct sink *s, uint32_t b)
{
    ir_each_ins(r, s->f, b)
        if (ir_at(s->f, r)->op == IR_loop)
            return true;
    return false;
}

static void move(struct sink *s, ir_ref r, uint32_t way)
{
    struct ir_cursor start = {.fn = s->f, .block = way, .before = ir_block_at(s->f, way)->first};
    ir_unlink(s->f, r);
    ir_link(&start, r);
    opt_count(s->c, "instructions", 1);
    s->changed = true;
}

/* ---- plain values ------------------------------------------------------------------------------------ */

static bool is_plain(const struct sink *s, ir_ref r)
{
    enum ir_op op = ir_at(s->f, r)->op;
    return (ir_is_pure(op) || op == IR_ptradd || op == IR_ptrcast) && ir_latency_of(s->f, r) != IR_LAT_NONE;
}

/* Out of a loop, but not into one. */
static void sink_plain(struct sink *s, ir_ref r)
{
    uint32_t way = way_of(s, r, NULL, 0);
    const struct ir_cycles *cycles = s->co_execution.cycles;
    uint32_t outer = way == IR_NO_BLOCK ? IR_NO_CYCLE : cycles->innermost[way];
    if (way != IR_NO_BLOCK && (outer == IR_NO_CYCLE || ir_cycle_has(cycles, outer, s->block)))
        move(s, r, way);
}

/* ---- convergent operations --------------------------------------------------------------------------- */

static bool is_convergent_value(const struct sink *s, ir_ref r)
{
    return opt_is_convergent_value((enum ir_op)ir_at(s->f, r)->op);
}

static bool may_begin(const struct sink *s, uint32_t way)
{
    return way != IR_NO_BLOCK && in_same_cycle(s, way) && !s->token_behind && !has_loop_token(s, way);
}

/* The block's tokens may have moved on since it was the one at work, but none has come to it. */
static uint32_t place_of(struct sink *s, ir_ref token)
{
    uint32_t b = ir_at(s->f, token)->block, n = 0;
    if (!bitset_has(s->placed, b)) {
        bitset_add(s->placed, b);
        ir_each_ins(r, s->f, b)
            if (opt_is_token_op((enum ir_op)ir_at(s->f, r)->op))
                s->place[r] = n++;
    }
    return s->place[token];
}

/* Whether token a is defined before b. Both definitions dominate the block at work. */
static bool is_before(struct sink *s, ir_ref a, ir_ref b)
{
    uint32_t at = ir_at(s->f, a)->block;
    if (a == b)
        return false;
    return at == ir_at(s->f, b)->block ? place_of(s, a) < place_of(s, b)
                                       : ir_dominates(s->d, at, ir_at(s->f, b)->block);
}

static void note_use(struct sink *s, ir_ref token)
{
    if (token && (!s->outermost || is_before(s, token, s->outermost)))
        s->outermost = token;
}

/* Whether the token's region, led on to `way`, would take in a use of a token defined before it. */
static bool breaks_nesting(struct sink *s, ir_ref token)
{
    return token && s->outermost && is_before(s, s->outermost, token);
}

/* An operation whose token is not an anchor of this block. */
static void sink_operation(struct sink *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->f, r);
    uint32_t way = way_of(s, r, NULL, 0);
    bool with_anchor =
        ins->token && ir_at(s->f, ins->token)->op == IR_anchor && ir_at(s->f, ins->token)->block == s->block;
    if (!with_anchor && way != IR_NO_BLOCK && !in_same_cycle(s, way))
        opt_remark(s->c, s->f, OPT_MISSED, "loop", ins->at,
                   "'%s' not sunk out of its loop: threads of several iterations would take part",
                   ir_op_info[ins->op].text);
    if (with_anchor || !may_begin(s, way) || breaks_nesting(s, ins->token))
        return;
    if (!opt_branch_is_uniform(&s->co_execution, s->block, ins->token)) {
        opt_remark(
            s->c, s->f, OPT_MISSED, "convergent", ins->at,
            "'%s' not sunk into the way that uses it: the branch is divergent, and threads would be missing",
            ir_op_info[ins->op].text);
        return;
    }
    opt_remark(s->c, s->f, OPT_APPLIED, "convergent", ins->at,
               "'%s' sunk into the way that uses it: the branch is uniform", ir_op_info[ins->op].text);
    move(s, r, way);
}

/* The anchor's users in its block, in their order, if they can move at all; UINT32_MAX: not all can. */
static uint32_t find_group(const struct sink *s, ir_ref anchor, ir_ref group[GROUP_MAX])
{
    uint32_t n = 0, users = 0;
    opt_each_use(u, s->uses, anchor)
        users += block_of(s, u) == s->block;
    for (ir_ref r = ir_at(s->f, anchor)->next; r && n < users; r = ir_at(s->f, r)->next) {
        if (ir_at(s->f, r)->token != anchor)
            continue;
        if (n == GROUP_MAX || !is_convergent_value(s, r))
            return UINT32_MAX;
        group[n++] = r;
    }
    return n;
}

/* The way for all of them, and whether some could go alone. */
static uint32_t way_of_group(struct sink *s, ir_ref anchor, const ir_ref *group, uint32_t n, ir_ref *alone)
{
    uint32_t way = way_of(s, anchor, group, n), others = 0;
    opt_each_use(u, s->uses, anchor)
        others += !is_in(group, n, u->user);
    bool all = others == 0 || way != IR_NO_BLOCK;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t own = way_of(s, group[i], group, n);
        if (own != IR_NO_BLOCK)
            *alone = group[i];
        if (way == IR_NO_BLOCK)
            way = own;
        all &= own != IR_NO_BLOCK && own == way;
    }
    return all ? way : IR_NO_BLOCK;
}

/* The innermost cycle that all users of the anchor are in. */
static bool used_in_loop_only(const struct sink *s, ir_ref anchor)
{
    uint32_t own = s->co_execution.cycles->innermost[s->block];
    opt_each_use(u, s->uses, anchor)
        if (s->co_execution.cycles->innermost[block_of(s, u)] == own)
            return false;
    return s->uses->start[anchor] != s->uses->start[anchor + 1];
}

static void decline_anchor(struct sink *s, ir_ref anchor, ir_ref alone)
{
    if (alone)
        opt_remark(s->c, s->f, OPT_MISSED, "anchor", ir_at(s->f, alone)->at,
                   "'%s' not sunk alone: threads would be missing that are at its anchor's other operations",
                   ir_op_info[ir_at(s->f, alone)->op].text);
    else if (used_in_loop_only(s, anchor))
        opt_remark(s->c, s->f, OPT_MISSED, "loop", ir_at(s->f, anchor)->at,
                   "'token.anchor' not sunk into the loop: each iteration would have its own");
}

static void sink_anchor(struct sink *s, ir_ref anchor)
{
    ir_ref group[GROUP_MAX], alone = 0;
    uint32_t n = find_group(s, anchor, group);
    uint32_t way = n == UINT32_MAX ? IR_NO_BLOCK : way_of_group(s, anchor, group, n, &alone);
    if (!may_begin(s, way)) {
        decline_anchor(s, anchor, alone);
        s->token_behind = true;
        return;
    }
    for (uint32_t i = n; i-- > 0;)
        move(s, group[i], way);
    move(s, anchor, way);
    opt_remark(s->c, s->f, OPT_APPLIED, "anchor", ir_at(s->f, anchor)->at,
               "'token.anchor' sunk%s into the way that uses it", n ? " with its operations" : "");
}

/* ---- the walk ---------------------------------------------------------------------------------------- */

static void sink_visit_block(struct sink *s, uint32_t b)
{
    uint32_t edges = ir_block_at(s->f, b)->edges.count;
    s->block = b;
    s->token_behind = false;
    s->outermost = 0;
    if (edges > EDGES_MAX)
        return;
    for (ir_ref r = ir_terminator(s->f, b), next; r; r = next) {
        enum ir_op op = ir_at(s->f, r)->op;
        next = ir_at(s->f, r)->prev;
        if (op == IR_anchor)
            sink_anchor(s, r);
        else if (opt_is_token_op(op))
            s->token_behind = true;
        else if (edges > 1 && is_convergent_value(s, r))
            sink_operation(s, r);
        else if (edges > 1 && is_plain(s, r))
            sink_plain(s, r);
        if (ir_at(s->f, r)->block == b)
            note_use(s, ir_at(s->f, r)->token);
    }
}

bool opt_sink(struct opt_context *c, struct ir_function *f)
{
    struct sink s = {.c = c,
                     .f = f,
                     .d = opt_dominators(c, f),
                     .co_execution = opt_co_execution_new(c, f),
                     .uses = opt_uses(c, f),
                     .place = arena_array(c->scratch, uint32_t, f->ins.count),
                     .placed = bitset_new(c->scratch, f->blocks.count)};
    for (uint32_t i = 0; i < s.co_execution.g->rpo_count; i++)
        sink_visit_block(&s, s.co_execution.g->rpo[i]);
    return s.changed;
}
