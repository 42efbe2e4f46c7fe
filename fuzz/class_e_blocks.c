/* class_e_blocks.c: parameters of blocks, arguments of edges, the conditions of branches, and what fills the
 * blocks.
 */
#include "fuzz/class_e_fill.h"

/* ---- parameters and edges ---------------------------------------------------------------------------- */

/* Whether several edges of one branch lead to the block. */
static bool has_twin_edges(const struct fz_e_function *g, uint32_t b)
{
    uint32_t last = IR_NO_BLOCK;
    ir_each_pred(p, b, g->cfg) {
        if (p == last)
            return true;
        last = p;
    }
    return false;
}

static void make_params(struct fz_e_function *g, uint32_t b)
{
    struct fz_e_block *s = &g->blocks[b];
    if (g->is_kernel)
        s->row = ir_param_new(g->fn, b, IR_TYPE_I32, "n");
    s->hash = ir_param_new(g->fn, b, IR_TYPE_I32, "h");
    if (g->has_fuel)
        s->fuel = ir_param_new(g->fn, b, IR_TYPE_I32, "fuel");
    if (s->most_trips)
        s->trip = ir_param_new(g->fn, b, IR_TYPE_I32, "trip");
    uint32_t percent = has_twin_edges(g, b) ? 90 : 35;
    for (uint32_t i = 0; i < COUNT(s->extra) && ir_pred_count(g->cfg, b) > 1 && fz_e_chance(g, percent); i++)
        s->extra[i] = ir_param_new(g->fn, b, fz_e_chance(g, 70) ? IR_TYPE_I32 : IR_TYPE_I1, NULL);
}

static ir_ref fuel_of(struct fz_e_filler *w)
{
    return w->block ? w->g->blocks[w->block].fuel : constant(w, 0);
}

static bool is_natural(const struct fz_e_filler *w, uint32_t to)
{
    return ir_dominates(w->g->dominators, to, w->block);
}

/* True as long as the edge back may be taken. */
static ir_ref guard(struct fz_e_filler *w, uint32_t to)
{
    const struct fz_e_block *s = &w->g->blocks[to];
    return is_natural(w, to) ? fz_e_emit2(w, IR_ult, s->trip, constant(w, s->most_trips))
                             : fz_e_emit2(w, IR_ult, fuel_of(w), constant(w, FZ_E_FUEL));
}

static ir_ref extra_argument(struct fz_e_filler *w, enum ir_type t)
{
    ir_ref r = chance(w, 60) ? fz_e_pick(w, t) : 0;
    return r ? r : ir_const(w->g->fn, t, below(w, 9));
}

static bool is_diamond(const struct fz_e_filler *w)
{
    const struct ir_block *b = ir_block_at(w->g->fn, w->block);
    return b->edges.count == 2 && w->g->blocks[b->edges.at[0].block].quiet &&
           w->g->blocks[b->edges.at[1].block].quiet;
}

/* Whether the block's edges give all the same: nobody sees which of them a thread took. */
static bool is_silent(const struct fz_e_filler *w)
{
    return w->g->blocks[w->block].quiet || is_diamond(w);
}

static ir_ref hash_argument(struct fz_e_filler *w)
{
    return is_silent(w) || chance(w, 75) ? w->hash
                                         : fz_e_emit2(w, IR_add, w->hash, constant(w, 1 + below(w, 1000)));
}

static void give_arguments(struct fz_e_filler *w, uint32_t e)
{
    struct ir_function *f = w->g->fn;
    uint32_t to = ir_block_at(f, w->block)->edges.at[e].block, n = 0;
    const struct fz_e_block *s = &w->g->blocks[to];
    bool back = fz_e_leads_back(w->g, w->block, to);
    ir_ref args[6], one = constant(w, 1);
    if (s->row)
        args[n++] = w->row;
    args[n++] = hash_argument(w);
    if (s->fuel)
        args[n++] = back && !is_natural(w, to) ? fz_e_emit2(w, IR_add, fuel_of(w), one) : fuel_of(w);
    if (s->trip)
        args[n++] = back && is_natural(w, to) ? fz_e_emit2(w, IR_add, s->trip, one) : constant(w, 0);
    for (uint32_t i = 0; i < COUNT(s->extra); i++)
        if (s->extra[i])
            args[n++] = is_silent(w) ? ir_const(f, type_of(w, s->extra[i]), 1)
                                     : extra_argument(w, type_of(w, s->extra[i]));
    for (uint32_t i = 0; i < n; i++)
        ir_edge_arg(f, &ir_block_at(f, w->block)->edges.at[e], args[i]);
}

static ir_ref all_guards(struct fz_e_filler *w)
{
    const struct ir_block *b = ir_block_at(w->g->fn, w->block);
    ir_ref all = 0;
    for (uint32_t e = 0; e < b->edges.count; e++) {
        uint32_t to = b->edges.at[e].block;
        ir_ref one = fz_e_leads_back(w->g, w->block, to) ? guard(w, to) : 0;
        all = all && one ? fz_e_emit2(w, IR_and, all, one) : one ? one : all;
    }
    return all;
}

static bool leaves_cycle(const struct fz_e_filler *w)
{
    const struct ir_block *b = ir_block_at(w->g->fn, w->block);
    uint32_t cycle = w->g->cycles->innermost[w->block];
    for (uint32_t e = 0; cycle != IR_NO_CYCLE && e < b->edges.count; e++)
        if (!ir_cycle_has(w->g->cycles, cycle, b->edges.at[e].block))
            return true;
    return false;
}

/* A loop is mostly left by each thread at its turn. */
static ir_ref branch_condition(struct fz_e_filler *w)
{
    const struct ir_block *b = ir_block_at(w->g->fn, w->block);
    ir_ref r = leaves_cycle(w) && chance(w, 60) ? fz_e_turn(w) : 0;
    if (r && !fz_e_leads_back(w->g, w->block, b->edges.at[0].block) && chance(w, 75))
        r = ir_emit1(&w->c, IR_not, IR_TYPE_I1, r);
    if (!r && w->g->blocks[w->block].tempts && chance(w, 70))
        r = fz_e_tempting_condition(w);
    return r ? r : fz_e_condition(w);
}

/* An arm of a diamond may be chosen by what an anchor gathered: nobody sees which it was. */
static ir_ref diamond_condition(struct fz_e_filler *w)
{
    for (uint32_t i = 0; i < w->g->tokens.count; i++) {
        const struct fz_e_token *t = &w->g->tokens.at[i];
        if (t->leader && ir_dominates(w->g->dominators, ir_at(w->g->fn, t->def)->block, w->block))
            return fz_e_lowest_bit(w, t->leader);
    }
    return fz_e_condition(w);
}

static void end_block(struct fz_e_filler *w)
{
    struct ir_function *f = w->g->fn;
    ir_ref end = ir_terminator(f, w->block), value = 0;
    w->c.before = end;
    ir_ref all = all_guards(w);
    switch (ir_at(f, end)->op) {
    case IR_ret: value = w->hash; break;
    case IR_brif:
        value = is_diamond(w) ? diamond_condition(w) : branch_condition(w);
        if (all)
            value = fz_e_emit2(w, IR_and, value, all);
        break;
    case IR_switch:
        value = fz_e_emit2(w, IR_and, fz_e_number(w), constant(w, 3));
        if (all)
            value = ir_emit3(&w->c, IR_select, IR_TYPE_I32, all, value, constant(w, 0));
        break;
    default: break;
    }
    for (uint32_t e = 0; e < ir_block_at(f, w->block)->edges.count; e++)
        give_arguments(w, e);
    if (ir_at(f, end)->argc)
        ir_at(f, end)->args[0] = value;
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static ir_ref special(struct fz_e_filler *w, enum ir_special s)
{
    ir_ref r = ir_emit0(&w->c, IR_special, IR_TYPE_I32);
    ir_at(w->g->fn, r)->imm = s;
    return r;
}

static void begin_function(struct fz_e_filler *w)
{
    const u32_vec *params = &ir_block_at(w->g->fn, 0)->params;
    w->lane = special(w, IR_SPECIAL_LANE);
    if (!w->g->is_kernel) {
        w->hash = params->at[0];
        fz_e_offer(w, params->at[1]);
        return;
    }
    ir_ref size = special(w, IR_SPECIAL_BDIM_X);
    w->gid = fz_e_emit2(w, IR_add, fz_e_emit2(w, IR_mul, special(w, IR_SPECIAL_BID_X), size),
                        special(w, IR_SPECIAL_TID_X));
    w->threads = fz_e_emit2(w, IR_mul, special(w, IR_SPECIAL_GDIM_X), size);
    w->row = constant(w, 0);
    w->hash =
        fz_e_emit2(w, IR_mul, fz_e_emit2(w, IR_add, w->gid, constant(w, (uint32_t)(w->g->p->seed & 0xffff))),
                   constant(w, FZ_E_HASH_FACTOR));
}

/* What block b (IR_NO_BLOCK: none) and those that dominate it have made, outermost first. */
static void show_dominators(struct fz_e_filler *w, uint32_t b)
{
    if (b == IR_NO_BLOCK)
        return;
    show_dominators(w, w->g->dominators->idom[b]);
    for (uint32_t i = 0; i < w->g->blocks[b].made.count; i++)
        vec_push(w->g->arena, &w->visible, w->g->blocks[b].made.at[i]);
}

static void begin_block(struct fz_e_filler *w)
{
    const struct fz_e_block *s = &w->g->blocks[w->block];
    vec_clear(&w->visible);
    show_dominators(w, w->g->dominators->idom[w->block]);
    if (w->block == 0) {
        begin_function(w);
        return;
    }
    w->row = s->row, w->hash = s->hash;
    if (s->trip)
        fz_e_offer(w, s->trip);
    for (uint32_t i = 0; i < COUNT(s->extra); i++)
        if (s->extra[i])
            fz_e_offer(w, s->extra[i]);
}

static struct fz_e_place *place_at(struct fz_e_function *g, ir_ref r)
{
    for (uint32_t i = 0; i < g->places.count; i++)
        if (g->places.at[i].at == r)
            return &g->places.at[i];
    return NULL;
}

/* Results that nobody has seen are seen where their definition dominates: in one arm of a branch, behind the
 * loop that made them. */
static void see_old(struct fz_e_filler *w)
{
    ir_ref old = chance(w, 30) ? fz_e_pick(w, chance(w, 50) ? IR_TYPE_I32 : IR_TYPE_I64) : 0;
    if (old)
        fz_e_see(w, old);
    for (uint32_t i = w->unseen.count; i-- > 0;) {
        struct fz_e_unseen u = w->unseen.at[i];
        if (u.user != IR_NO_BLOCK ? u.user != w->block : !chance(w, 40) || !fz_e_is_visible(w, u.value))
            continue;
        fz_e_see(w, u.value);
        w->unseen.at[i] = vec_last(&w->unseen);
        w->unseen.count--;
    }
}

static void fill_block(struct fz_e_filler *w)
{
    struct fz_e_function *g = w->g;
    w->c.before = ir_block_at(g->fn, w->block)->first;
    begin_block(w);
    bool quiet = g->blocks[w->block].quiet;
    if (!quiet && chance(w, 40))
        fz_e_mix(w, chance(w, 50) ? fz_e_number(w) : constant(w, below(w, 1u << 20)));
    for (ir_ref r = ir_block_at(g->fn, w->block)->first, next; r; r = next) {
        struct fz_e_place *p = place_at(g, r);
        next = ir_at(g->fn, r)->next;
        if (p)
            fz_e_fill_place(w, p);
    }
    w->c.before = ir_terminator(g->fn, w->block);
    for (uint32_t i = quiet ? 0 : below(w, 3); i > 0; i--)
        fz_e_arithmetic(w);
    if (!quiet)
        see_old(w);
    end_block(w);
}

void fz_e_fill(struct fz_e_function *g)
{
    struct fz_e_filler w = {.g = g, .c = {g->fn, 0, 0, {0, 0}}};
    for (uint32_t i = 1; i < g->cfg->rpo_count; i++)
        make_params(g, g->cfg->rpo[i]);
    for (uint32_t i = 0; i < g->cfg->rpo_count; i++) { /* dominators come before what they dominate */
        w.block = w.c.block = g->cfg->rpo[i];
        fill_block(&w);
    }
}
