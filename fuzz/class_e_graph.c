/* class_e_graph.c: the graph of a function of class e: branches, switches and loops put into each other, as a
 * program's text would have them, but with loops left at any place, from inside others too, by ways that do
 * something more before they reconverge (extended cycles); then some edges are led elsewhere, in some graphs
 * so that cycles get several entries.
 *
 * The last edge of a brif and the default of a switch lead ahead.
 */
#include "fuzz/class_e.h"

enum { MOST_LOOPS = 3, MOST_DEPTH = 4 };

struct shape {
    struct fz_e_function *g;
    uint32_t left; /* blocks that may still be made */
    uint32_t depth, loops;
    uint32_t behind[MOST_LOOPS]; /* of each loop around: where those that leave it go */
    uint32_t placed;
    struct {
        uint32_t head, last; /* loops */
    } made[FZ_E_MOST_BLOCKS];
    uint32_t made_count;
};

static uint32_t build(struct shape *s, uint32_t at);

/* ---- blocks and edges -------------------------------------------------------------------------------- */

static uint32_t below(struct shape *s, uint32_t n)
{
    return fz_e_below(s->g, n);
}
static bool chance(struct shape *s, uint32_t percent)
{
    return fz_e_chance(s->g, percent);
}

/* Its place comes later. */
static uint32_t new_block(struct shape *s)
{
    s->left -= s->left > 0;
    return ir_block_new(s->g->fn, NULL);
}

static uint32_t settle(struct shape *s, uint32_t b)
{
    s->g->blocks[b].position = s->placed++;
    return b;
}

static void end(struct shape *s, uint32_t from, enum ir_op op)
{
    struct ir_function *f = s->g->fn;
    struct ir_cursor c = {f, from, 0, {0, 0}};
    ir_ref arg = op == IR_brif ? ir_const_i1(f, false) : ir_const_i32(f, 0);
    bool has_arg = op == IR_brif || op == IR_switch || (op == IR_ret && f->result != IR_TYPE_VOID);
    ir_emit(&c, op, IR_TYPE_VOID, has_arg, &arg);
}

static void go(struct shape *s, uint32_t from, uint32_t to)
{
    end(s, from, IR_br);
    ir_edge_add(s->g->fn, from, to, 0);
}

static void branch(struct shape *s, uint32_t from, uint32_t yes, uint32_t no)
{
    end(s, from, IR_brif);
    ir_edge_add(s->g->fn, from, yes, 0);
    ir_edge_add(s->g->fn, from, no, 0);
}

/* ---- constructs: each takes an open block and returns the one where it goes on ----------------------- */

static uint32_t inner(struct shape *s, uint32_t at)
{
    s->depth++;
    at = build(s, at);
    s->depth--;
    return at;
}

static uint32_t make_if(struct shape *s, uint32_t at)
{
    bool quiet = chance(s, 12), two = quiet || chance(s, 70);
    uint32_t arms[2] = {new_block(s), two ? new_block(s) : 0}, join = new_block(s);
    branch(s, at, arms[0], two ? arms[1] : join);
    for (uint32_t i = 0; i < 1 + (uint32_t)two; i++) {
        settle(s, arms[i]);
        s->g->blocks[arms[i]].quiet = quiet;
        go(s, quiet ? arms[i] : inner(s, arms[i]), join);
    }
    return settle(s, join);
}

static uint32_t make_switch(struct shape *s, uint32_t at)
{
    struct ir_function *f = s->g->fn;
    uint32_t cases[3], count = 1 + below(s, 3), made = 0, join = new_block(s);
    end(s, at, IR_switch);
    ir_edge_add(f, at, join, 0);
    for (uint32_t i = 0; i < count; i++) {
        bool old = made && chance(s, 30);
        uint32_t to = chance(s, 20) ? join : old ? cases[below(s, made)] : (cases[made++] = new_block(s));
        ir_edge_add(f, at, to, i + 1);
    }
    for (uint32_t i = 0; i < made; i++) {
        uint32_t open = inner(s, settle(s, cases[i]));
        go(s, open, i + 1 < made && chance(s, 30) ? cases[i + 1] : join);
    }
    if (chance(s, 40) && made)
        ir_block_at(f, at)->edges.at[0].block = cases[below(s, made)];
    return settle(s, join);
}

/* Whether a way out of a loop is to end in a return. */
static bool is_for_good(struct shape *s)
{
    return s->g->for_good && chance(s, 60);
}

/* do … while, or with a way out that does something more before it rejoins others (an extended cycle), or
 * returns: then those that stay may have no other way out. */
static uint32_t make_loop(struct shape *s, uint32_t at)
{
    bool for_good = is_for_good(s);
    uint32_t head = new_block(s), behind = new_block(s);
    uint32_t exit = for_good || chance(s, 65) ? new_block(s) : behind;
    go(s, at, head);
    settle(s, head);
    s->behind[s->loops++] = behind;
    uint32_t last = inner(s, head);
    branch(s, last, head, exit);
    s->made[s->made_count].head = head;
    s->made[s->made_count++].last = last;
    if (for_good)
        end(s, inner(s, settle(s, exit)), IR_ret);
    else if (exit != behind)
        go(s, inner(s, settle(s, exit)), behind);
    s->loops--;
    return settle(s, behind);
}

/* Some leave the innermost loop, or one around it as well, after what else they do, or return. */
static uint32_t make_break(struct shape *s, uint32_t at)
{
    bool for_good = is_for_good(s);
    uint32_t to = s->behind[chance(s, 40) ? s->loops - 1 : below(s, s->loops)];
    uint32_t rest = new_block(s), way = for_good || chance(s, 75) ? new_block(s) : to;
    branch(s, at, way, rest);
    if (for_good)
        end(s, inner(s, settle(s, way)), IR_ret);
    else if (way != to)
        go(s, inner(s, settle(s, way)), to);
    return settle(s, rest);
}

static uint32_t make_return(struct shape *s, uint32_t at)
{
    uint32_t way = new_block(s), rest = new_block(s);
    branch(s, at, way, rest);
    end(s, settle(s, way), IR_ret);
    return settle(s, rest);
}

static uint32_t make_next(struct shape *s, uint32_t at)
{
    uint32_t next = new_block(s);
    go(s, at, next);
    return settle(s, next);
}

static uint32_t make_any(struct shape *s, uint32_t at)
{
    uint32_t dice = below(s, 100);
    if (dice < 25 && s->loops)
        return make_break(s, at);
    if (dice < 55 && s->loops < MOST_LOOPS)
        return make_loop(s, at);
    if (dice < 80)
        return make_if(s, at);
    if (dice < 90)
        return make_switch(s, at);
    return dice < 95 ? make_return(s, at) : make_next(s, at);
}

static uint32_t build(struct shape *s, uint32_t at)
{
    for (uint32_t n = s->depth ? below(s, 3) : 1 + below(s, 4); n > 0; n--)
        if (s->left > 4 && s->depth < MOST_DEPTH)
            at = make_any(s, at);
    return at;
}

/* ---- unstructured edges ------------------------------------------------------------------------------ */

static uint32_t at_position(const struct fz_e_function *g, uint32_t position)
{
    uint32_t b = 0;
    while (g->blocks[b].position != position)
        b++;
    return b;
}

/* Leads edge e of block b to the one at the position. Not if one of the three is an arm of a diamond: both arms
 * have to be entered by the same branch alone and to lead to the same block, or it is seen who took which. */
static bool lead(struct fz_e_function *g, uint32_t b, uint32_t e, uint32_t position)
{
    struct ir_edge *edge = &ir_block_at(g->fn, b)->edges.at[e];
    uint32_t to = at_position(g, position);
    if (g->blocks[b].quiet || g->blocks[edge->block].quiet || g->blocks[to].quiet)
        return false;
    edge->block = to;
    return true;
}

/* Leads an edge to a later block, or (back) to an earlier one. The last of a brif and a switch's default stay
 * ahead. False: this block or edge is none to do that with. */
static bool redirect(struct shape *s, bool back)
{
    struct fz_e_function *g = s->g;
    uint32_t b = below(s, s->placed), at = g->blocks[b].position;
    const struct ir_block *block = ir_block_at(g->fn, b);
    if (block->edges.count < 1 + (uint32_t)back || at + 1 == s->placed || at == 0)
        return false;
    uint32_t e = below(s, block->edges.count), ahead = ir_at(g->fn, block->last)->op == IR_brif;
    if (back && e == ahead)
        return false;
    return lead(g, b, e, back ? 1 + below(s, at) : at + 1 + below(s, s->placed - at - 1));
}

/* Leads an edge from before a loop into its middle. */
static void enter_loop(struct shape *s)
{
    struct fz_e_function *g = s->g;
    uint32_t loop = below(s, s->made_count), head = g->blocks[s->made[loop].head].position;
    uint32_t b = at_position(g, below(s, head)), size = g->blocks[s->made[loop].last].position - head;
    const struct ir_block *block = ir_block_at(g->fn, b);
    if (size == 0 || block->edges.count == 0)
        return;
    uint32_t e = below(s, block->edges.count);
    lead(g, b, e, head + 1 + below(s, size));
}

static void remove_unreachable(struct fz_e_function *g)
{
    struct ir_cfg *c = ir_cfg_new(g->arena, g->fn);
    struct bitset dead = bitset_new(g->arena, g->fn->blocks.count);
    for (uint32_t b = 0; b < g->fn->blocks.count; b++)
        if (!bitset_has(c->reachable, b))
            bitset_add(dead, b);
    ir_blocks_remove(g->fn, dead);
}

static void look_at_graph(struct fz_e_function *g)
{
    g->cfg = ir_cfg_new(g->arena, g->fn);
    g->dominators = ir_dominators_new(g->arena, g->cfg);
    g->cycles = ir_cycles_new(g->arena, g->cfg);
    ir_each_block(i, b, g->fn)
        for (uint32_t e = 0; e < ir_block_at(g->fn, b)->edges.count; e++) {
            uint32_t to = ir_block_at(g->fn, b)->edges.at[e].block;
            if (!fz_e_leads_back(g, b, to))
                continue;
            if (ir_dominates(g->dominators, to, b))
                g->blocks[to].most_trips = 1 + fz_e_below(g, FZ_E_MOST_TRIPS);
            else
                g->has_fuel = true;
        }
}

/* In the order of places; the entry is the first. */
static void put_in_order(struct shape *s)
{
    for (uint32_t i = 0; i < s->placed; i++)
        s->g->fn->order.at[i] = at_position(s->g, i);
}

void fz_e_make_graph(struct fz_e_function *g, uint32_t blocks)
{
    struct shape s = {.g = g, .left = blocks};
    uint32_t redirections = fz_e_chance(g, 50) ? 1 + fz_e_below(g, 3) : 0;
    end(&s, build(&s, settle(&s, new_block(&s))), IR_ret);
    INVARIANT(s.placed == g->fn->blocks.count && s.placed <= FZ_E_MOST_BLOCKS);
    for (uint32_t tries = 0; redirections > 0 && tries < 20; tries++)
        redirections -= redirect(&s, fz_e_chance(g, 40));
    for (uint32_t tries = s.made_count && fz_e_chance(g, 40) ? 3 : 0; tries > 0; tries--)
        enter_loop(&s);
    put_in_order(&s);
    remove_unreachable(g);
    look_at_graph(g);
}
