/* supersteps.c: one loop of a kernel whose threads diverge at barriers, for machines that can't hold a group at
 * a barrier while the others run on.
 *
 * Such a machine runs a barrier when no thread of the warp is elsewhere. So all threads have to meet before
 * each, be it to return or to wait, and may have left loops for that. The kernel becomes what Valiant calls
 * supersteps ("A bridging model for parallel computation", 1990): an iteration of one loop around all of it
 * ends where each thread returns or is at a barrier.
 *
 *     if (c) { a; barrier(); b; }          for (step = 0;;) {
 *     d;                                       switch (step) {
 *                                              case 0: if (c) { a; step = 1; goto end; }
 *                                              again:  d; return at end;
 *                                              case 1: b; goto again; }
 *                                          end: if (returns) return;
 *                                              barrier();  }
 *
 * All edges to barriers and to the return lead through one block, where branches reconverge at the latest. All
 * edges from barriers lead back to the loop's header, which goes on behind them. A cycle that has what follows
 * a barrier is entered by its header alone, so natural loops stay such, and their hearts control what they did:
 * threads that pass a barrier together are in one iteration, as the barrier's token says, and begin another of
 * the new cycle together. A heart that is come to once in a superstep separates none, and goes. The entry's
 * token becomes that of the new loop's heart, since all threads that have not returned are in one superstep.
 *
 * A barrier stays where it is, with a remark, if some token would not reach its uses behind it any more. So do
 * those in functions that are called (inline_barriers). Of others all threads of a superstep have passed them.
 *
 * Time: the sum of the regions of tokens, and for each cycle that is entered anew the function's size. Values
 * that are used behind barriers go round the loop, so code may grow with the square of these, whose number
 * superstep_barriers limits.
 */
#include "opt/kit/demote.h"
#include "opt/reconverge/reconverge.h"

struct supersteps {
    struct opt_context *c;
    struct ir_function *f;
    struct arena *arena;
    const struct ir_cfg *g;         /* as it was, but for barriers, which have blocks of their own */
    const struct ir_cycles *cycles; /* the same */
    u32_vec barriers;               /* each the first in its block, which goes on to that of `rests` */
    u32_vec rests;
    struct bitset loops; /* cycles whose header is come to again in one superstep, or that are entered */
    struct walk walk;    /* scratch: over blocks */
};

/* ---- barriers in blocks of their own ------------------------------------------------------------------- */

/* A barrier from which no return is reached is one that nobody comes to, or the launch never ends. */
static void split_at_barriers(struct supersteps *x)
{
    u32_vec found = opt_find_backwards(x->arena, x->f, IR_barrier, IR_barrier);
    for (uint32_t i = 0; i < found.count; i++) {
        opt_split_before(x->f, ir_at(x->f, found.at[i])->next);
        opt_split_before(x->f, found.at[i]);
    }
    opt_invalidate(x->c, x->f);
    x->g = opt_cfg(x->c, x->f);
    x->cycles = ir_cycles_new(x->arena, x->g); /* outlives the changes */
    const struct ir_dominators *returning = opt_return_post_dominators(x->c, x->f);
    for (uint32_t i = 0; i < found.count; i++) {
        uint32_t b = ir_at(x->f, found.at[i])->block;
        if (!returning->depth[b])
            continue;
        vec_push(x->arena, &x->barriers, found.at[i]);
        vec_push(x->arena, &x->rests, ir_block_at(x->f, b)->edges.at[0].block);
    }
}

/* ---- tokens ---------------------------------------------------------------------------------------------- */

/* Whether who has one instance of the token `from` has one of token `of`. */
static bool stems_from(const struct ir_function *f, ir_ref from, ir_ref of)
{
    while (from && from != of)
        from = ir_at(f, from)->token;
    return from;
}

/* Whether the header of the cycle is come to again in one superstep. */
static bool comes_again(struct supersteps *x, uint32_t cycle, struct bitset barriers)
{
    const struct ir_cycle *k = &x->cycles->at[cycle];
    walk_restart(&x->walk);
    ir_add_successors(&x->walk, x->f, k->header, IR_NO_BLOCK);
    walk_each(b, &x->walk)
        if (ir_cycle_has(x->cycles, cycle, b) && !bitset_has(barriers, b))
            ir_add_successors(&x->walk, x->f, b, IR_NO_BLOCK);
    return bitset_has(x->walk.seen, k->header);
}

/* Those around a cycle that is entered from a barrier count as well: from what follows the barrier threads may
 * come to their headers, and so to its new header again. */
static void find_loops(struct supersteps *x)
{
    struct bitset barriers = bitset_new(x->arena, x->g->blocks);
    for (uint32_t i = 0; i < x->barriers.count; i++)
        bitset_add(barriers, ir_at(x->f, x->barriers.at[i])->block);
    x->loops = bitset_new(x->arena, x->cycles->count);
    for (uint32_t k = 0; k < x->cycles->count; k++)
        if (comes_again(x, k, barriers))
            bitset_add(x->loops, k);
    for (uint32_t i = 0; i < x->rests.count; i++) {
        bool entered = false;
        for (uint32_t k = x->cycles->innermost[x->rests.at[i]]; k != IR_NO_CYCLE;
             k = x->cycles->at[k].parent) {
            entered |= bitset_has(x->loops, k);
            if (entered)
                bitset_add(x->loops, k);
        }
    }
}

/* The token that separates the same instances in one superstep: for that of a heart which is come to once, the
 * one that it is made from. */
static ir_ref token_in_superstep(const struct supersteps *x, ir_ref token)
{
    while (token && ir_at(x->f, token)->op == IR_loop) {
        uint32_t home = ir_at(x->f, token)->block, k = x->cycles->innermost[home];
        if (k == IR_NO_CYCLE || x->cycles->at[k].header != home || bitset_has(x->loops, k))
            break;
        token = ir_at(x->f, token)->token;
    }
    return token;
}

/* Whether the token, which is used behind the barrier, is there: it is the entry's, or will be defined anew as
 * the cycle is entered. */
static bool is_there(const struct supersteps *x, ir_ref token, uint32_t barrier)
{
    if (!stems_from(x->f, ir_at(x->f, x->barriers.at[barrier])->token, token))
        return false;
    token = token_in_superstep(x, token);
    uint32_t home = ir_at(x->f, token)->block, k = x->cycles->innermost[home];
    if (ir_at(x->f, token)->op != IR_loop)
        return ir_at(x->f, token)->op == IR_entry;
    return k != IR_NO_CYCLE && x->cycles->at[k].header == home && x->cycles->at[k].entries.count == 1 &&
           ir_cycle_has(x->cycles, k, x->rests.at[barrier]);
}

/* Blocks from which uses of the token are reached without its definition. */
static struct bitset find_region(struct supersteps *x, const struct ir_tokens *t, uint32_t number)
{
    uint32_t home = ir_at(x->f, t->defs.at[number])->block;
    walk_restart(&x->walk);
    for (uint32_t u = t->use_start[number]; u < t->use_start[number + 1]; u++)
        if (ir_at(x->f, t->uses[u])->block != home)
            walk_add(&x->walk, ir_at(x->f, t->uses[u])->block);
    return ir_reach_back(&x->walk, x->g, home);
}

/* Leaves out barriers behind which tokens but the entry's would not reach their uses: these stay where they
 * are. Returns whether there are such. */
static bool keep_in_regions(struct supersteps *x)
{
    const struct ir_tokens *t = opt_tokens(x->c, x->f);
    uint32_t all = x->barriers.count;
    find_loops(x);
    for (uint32_t i = 0; i < t->defs.count; i++) {
        if (ir_at(x->f, t->defs.at[i])->op == IR_entry)
            continue;
        struct bitset region = find_region(x, t, i);
        uint32_t kept = 0;
        for (uint32_t k = 0; k < x->rests.count; k++) {
            if (bitset_has(region, x->rests.at[k]) && !is_there(x, t->defs.at[i], k))
                continue;
            x->barriers.at[kept] = x->barriers.at[k];
            x->rests.at[kept++] = x->rests.at[k];
        }
        x->barriers.count = x->rests.count = kept;
    }
    return x->barriers.count < all;
}

static ir_ref token_of_entry(const struct ir_function *f)
{
    ir_each_ins(r, f, ir_entry(f))
        if (ir_at(f, r)->op == IR_entry)
            return r;
    struct ir_cursor c = {(struct ir_function *)f, ir_entry(f), ir_block_at(f, ir_entry(f))->first, f->at};
    return ir_emit0(&c, IR_entry, IR_TYPE_TOKEN);
}

/* ---- the loop -------------------------------------------------------------------------------------------- */

static opt_edges edges_to(const struct supersteps *x, struct bitset blocks)
{
    opt_edges edges = {0};
    ir_each_block(i, b, x->f)
        ir_each_succ(to, b, x->f)
            if (to < blocks.bits && bitset_has(blocks, to))
                vec_push(x->arena, &edges, ((struct opt_edge){b, to_at}));
    return edges;
}

static uint32_t merge(const struct supersteps *x, const opt_edges *edges, const char *name)
{
    uint32_t b = opt_merge_edges(x->arena, x->f, edges, ir_at(x->f, x->barriers.at[0])->at);
    ir_block_at(x->f, b)->name = name;
    ir_block_at(x->f, b)->overhead = true;
    return b;
}

/* All edges to barriers lead through one block, and that and the return through another. */
static void meet(const struct supersteps *x)
{
    struct bitset targets = bitset_new(x->arena, x->f->blocks.count + 1);
    for (uint32_t i = 0; i < x->barriers.count; i++)
        bitset_add(targets, ir_at(x->f, x->barriers.at[i])->block);
    opt_edges edges = edges_to(x, targets);
    if (x->barriers.count > 1) {
        uint32_t wait = merge(x, &edges, "wait");
        targets = bitset_new(x->arena, x->f->blocks.count);
        bitset_add(targets, wait);
    }
    for (uint32_t i = 0; i < x->g->rpo_count; i++)
        if (ir_at(x->f, ir_terminator(x->f, x->g->rpo[i]))->op == IR_ret)
            bitset_add(targets, x->g->rpo[i]);
    edges = edges_to(x, targets);
    merge(x, &edges, "meet");
}

static void move_to_start(const struct supersteps *x, ir_ref heart, uint32_t block)
{
    struct ir_cursor c = {x->f, block, ir_block_at(x->f, block)->first, ir_at(x->f, heart)->at};
    ir_unlink(x->f, heart);
    ir_link(&c, heart);
}

/* Hearts that are come to once in a superstep. */
static void drop_hearts(const struct supersteps *x)
{
    u32_vec hearts = {0};
    ir_each_block(i, b, x->f)
        ir_each_ins(r, x->f, b) {
            if (ir_at(x->f, r)->op == IR_loop && token_in_superstep(x, r) != r)
                vec_push(x->arena, &hearts, r);
            else
                ir_at(x->f, r)->token = token_in_superstep(x, ir_at(x->f, r)->token);
        }
    for (uint32_t i = 0; i < hearts.count; i++)
        ir_remove(x->f, hearts.at[i]);
}

/* Threads that come from a barrier into the cycle enter it by a new header, which has its heart. */
static void enter_by_header(const struct supersteps *x, uint32_t cycle)
{
    const struct ir_cycle *k = &x->cycles->at[cycle];
    struct bitset targets = bitset_new(x->arena, x->g->blocks);
    for (uint32_t i = 0; i < x->rests.count; i++)
        if (ir_cycle_has(x->cycles, cycle, x->rests.at[i]) && x->rests.at[i] != k->header)
            bitset_add(targets, x->rests.at[i]);
    if (!bitset_count(targets))
        return;
    bitset_add(targets, k->header);
    opt_edges edges = edges_to(x, targets);
    uint32_t block = merge(x, &edges, "enter");
    ir_each_ins(r, x->f, k->header)
        if (ir_at(x->f, r)->op == IR_loop) {
            move_to_start(x, r, block);
            return;
        }
}

/* The loop's header: to it leads the entry block, which keeps what stands before branches and operations, and
 * each barrier. */
static void close_loop(const struct supersteps *x)
{
    ir_ref entry = token_of_entry(x->f), r = ir_block_at(x->f, ir_entry(x->f))->first;
    while (r != ir_terminator(x->f, ir_entry(x->f)) &&
           (r == entry || (!ir_at(x->f, r)->token && ir_at(x->f, r)->op != IR_anchor)))
        r = ir_at(x->f, r)->next;
    opt_split_before(x->f, r);
    struct bitset targets = bitset_new(x->arena, x->f->blocks.count);
    bitset_add(targets, ir_block_at(x->f, ir_entry(x->f))->edges.at[0].block);
    for (uint32_t i = 0; i < x->rests.count; i++)
        bitset_add(targets, x->rests.at[i]);
    opt_edges edges = edges_to(x, targets);
    uint32_t header = merge(x, &edges, "superstep");
    struct ir_cursor c = {x->f, header, ir_block_at(x->f, header)->first, ir_at(x->f, entry)->at};
    ir_ref heart = ir_emit0(&c, IR_loop, IR_TYPE_TOKEN);
    ir_each_block(i, b, x->f)
        ir_each_ins(u, x->f, b)
            if (ir_at(x->f, u)->token == entry)
                ir_at(x->f, u)->token = heart;
    ir_at(x->f, heart)->token = entry;
    for (uint32_t i = 0; i < x->barriers.count; i++)
        ir_at(x->f, x->barriers.at[i])->token = heart;
}

/* ---- the pass -------------------------------------------------------------------------------------------- */

/* Before functions are inlined: their barriers count where they are called. */
bool opt_needs_supersteps(struct opt_context *c, struct ir_function *f)
{
    struct map all = {0}, kept = {0};
    if (!f->order.count || !(f->flags & IR_FN_KERNEL))
        return false;
    const struct ir_cfg *g = opt_cfg(c, f);
    struct bitset waiting = *opt_waiting_functions(c, f->module), divergent = *opt_divergent_branches(c, f);
    const uint32_t *points = ir_reconvergence_points(c->scratch, g, opt_return_post_dominators(c, f));
    if (ir_end_before_barriers(c->scratch, g, waiting, divergent, points))
        return true;
    if (opt_scheme_has(c, SCHEME_HOLDS))
        return false;
    ir_pass_over_barriers(c->scratch, g, waiting, (struct bitset){0}, points, &all);
    ir_pass_over_barriers(c->scratch, g, waiting, divergent, points, &kept);
    return kept.count < all.count;
}

static bool has_barriers(struct opt_context *c, struct ir_function *f)
{
    return bitset_count(ir_leads_to_barrier(c->scratch, opt_cfg(c, f), *opt_waiting_functions(c, f->module)));
}

bool opt_supersteps(struct opt_context *c, struct ir_function *f)
{
    if (opt_scheme_has(c, SCHEME_HOLDS) || !(f->flags & IR_FN_KERNEL) || !f->order.count ||
        !has_barriers(c, f) || !reconverge_diverges_at_barriers(c, f))
        return false;
    struct supersteps x = {.c = c, .f = f, .arena = c->scratch};
    split_at_barriers(&x);
    x.walk = walk_new(x.arena, x.g->blocks);
    uint32_t all = x.barriers.count;
    while (keep_in_regions(&x))
        ;
    if (x.barriers.count < all)
        opt_remark(
            c, f, OPT_MISSED, "tokens", f->at,
            "threads may wait at %u of the barriers for others to return, which do not run: tokens reach "
            "across them",
            all - x.barriers.count);
    if (!x.barriers.count || !opt_ssa_possible(c, f))
        return true;
    if (!opt_below(c, f, OPT_LIMIT_superstep_barriers, x.barriers.count)) {
        opt_warn_limit(c, f, OPT_LIMIT_superstep_barriers, f->at,
                       "threads may stop at a barrier while others are at another");
        return true;
    }
    opt_return_once(x.arena, x.g, f);
    opt_invalidate(c, f);
    x.g = opt_cfg(c, f);
    meet(&x);
    drop_hearts(&x);
    close_loop(&x);
    for (uint32_t k = 0; k < x.cycles->count; k++)
        if (bitset_has(x.loops, k) && x.cycles->at[k].entries.count == 1)
            enter_by_header(&x, k);
    struct opt_demotion demotion = {.c = c, .f = f};
    opt_demote_broken(&demotion);
    opt_demote_finish(&demotion);
    opt_count(c, "barriers", x.barriers.count);
    opt_remark(c, f, OPT_APPLIED, "supersteps", f->at,
               "made one loop, each iteration of which ends where all threads are at a barrier or return");
    return true;
}
