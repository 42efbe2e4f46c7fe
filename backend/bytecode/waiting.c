/* waiting.c: where lanes may wait while each row of the block table is run, for programs that check it: "if a
 * thread is executing basic block BB, all other threads from the same warp will be found in the thread frontier
 * of BB" ("SIMD Re-Convergence at Thread Frontiers", section 1).
 *
 * Frontiers are of the IR's blocks. Rows of the code stand for them so:
 *
 *   A block's first row, and those where its calls return: while they run, others are in its frontier.
 *   Moves of an edge b -> t: lanes that wait there are on their way to t, and count as if they were there.
 *     While the moves run, others are in the frontier of b or on their way along its other edges; or, as one of
 *     these may lead up, in a block whose frontier has t, back from its calls too, or in t's.
 *   A function: while any of its rows runs, others may also be where they may be in those that call it: in the
 *     frontier of the block with the call, or back from it; of an indirect call, where other functions are
 *     entered.
 *
 * So nobody waits where others run, or in a block of higher priority, and lanes have met as soon as they can.
 */
#include "backend/bytecode/encode.h"
#include "ir/converge/frontier.h"

#include <stdlib.h>

enum { WORK = 50000000 }; /* as the limit frontier_work */

/* ---- rows of a function ------------------------------------------------------------------------------ */

struct finder {
    struct be_encoder *e;
    const struct ir_frontier *x;
    struct bitset divergent;
    struct rows moves; /* by IR block: code indices of rows with moves of edges that lead there */
    struct rows backs; /* by IR block: code indices of rows where its calls return */
    struct rows above; /* by IR block: those in whose frontier it is */
};

static struct rows find_moves(const struct be_encoder *e)
{
    struct edge_list list = {0};
    for (uint32_t i = 0; i < e->rows.count; i++)
        if (e->rows.at[i].target != IR_NO_BLOCK)
            edge_add(&e->c->arena, &list, e->rows.at[i].target, e->c->p->blocks.at[e->rows.at[i].row].code);
    return rows_of_edges(&e->c->arena, e->f->ir->blocks.count, &list);
}

static struct rows find_backs(const struct be_encoder *e)
{
    struct edge_list list = {0};
    for (uint32_t i = 0; i < e->rows.count; i++)
        if (e->rows.at[i].callee != BE_NONE && e->rows.at[i].source != IR_NO_BLOCK)
            edge_add(&e->c->arena, &list, e->rows.at[i].source, e->c->p->blocks.at[e->rows.at[i].row].code);
    return rows_of_edges(&e->c->arena, e->f->ir->blocks.count, &list);
}

static void add_place(const struct finder *d, uint32_t row, uint32_t at)
{
    struct bc_program *p = d->e->c->p;
    vec_push(&p->arena, &p->waiting, ((struct bc_waiting){row, at}));
}

/* Lanes may be at the IR block, if it is behind the row, or on their way there, but not where the row is. */
static void add_block(const struct finder *d, uint32_t row, uint32_t block)
{
    uint32_t code = d->e->c->p->blocks.at[row].code;
    if (d->e->code_of.at[block] > code)
        add_place(d, row, d->e->code_of.at[block]);
    rows_each(i, d->moves, block)
        if (d->moves.at[i] != code)
            add_place(d, row, d->moves.at[i]);
}

/* Or in the midst of it, back from a call. */
static void add_backs(const struct finder *d, uint32_t row, uint32_t block)
{
    rows_each(i, d->backs, block)
        if (d->backs.at[i] > d->e->c->p->blocks.at[row].code)
            add_place(d, row, d->backs.at[i]);
}

/* If the other edge leads up, its lanes run on meanwhile: they may be wherever the target is waited for. */
static void add_moves(const struct finder *d, const struct be_row *r)
{
    const struct ir_block *block = ir_block_at(d->e->f->ir, r->source);
    if (!bitset_has(d->divergent, r->source))
        return;
    for (uint32_t i = 0; i < block->edges.count; i++)
        add_block(d, r->row, block->edges.at[i].block);
    rows_each(i, d->x->frontier, r->target)
        add_block(d, r->row, d->x->frontier.at[i]);
    rows_each(i, d->above, r->target) {
        add_block(d, r->row, d->above.at[i]);
        add_backs(d, r->row, d->above.at[i]);
    }
}

static void add_row(const struct finder *d, const struct be_row *r)
{
    struct be_context *c = d->e->c;
    uint32_t first = c->p->waiting.count;
    rows_each(i, d->x->frontier, r->source)
        add_block(d, r->row, d->x->frontier.at[i]);
    if (r->target != IR_NO_BLOCK)
        add_moves(d, r);
    if (r->callee != BE_NONE)
        vec_push(&c->arena, &c->callings,
                 ((struct be_calling){d->e->f->id, r->callee, c->p->blocks.at[r->row].code, first,
                                      c->p->waiting.count}));
}

static struct rows invert(struct arena *a, const struct ir_frontier *x, uint32_t blocks)
{
    struct edge_list list = {0};
    for (uint32_t i = 0; i < x->order.count; i++)
        rows_each(k, x->frontier, x->order.at[i])
            edge_add(a, &list, x->frontier.at[k], x->order.at[i]);
    return rows_of_edges(a, blocks, &list);
}

static u32_vec order_of(const struct be_encoder *e)
{
    u32_vec order = {0};
    ir_each_block(i, b, e->f->ir)
        if (bitset_has(e->f->cfg->reachable, b))
            vec_push(&e->c->arena, &order, b);
    return order;
}

void be_waiting_of_rows(struct be_encoder *e)
{
    struct arena *a = &e->c->arena;
    const struct ir_cfg *g = e->f->cfg;
    struct bitset divergent = ir_divergent_branches_new(a, g, ir_cycles_new(a, g));
    const struct ir_frontier *x = ir_frontier_new(a, g, divergent, order_of(e), WORK);
    struct finder d = {e, x, divergent, find_moves(e), find_backs(e), invert(a, x, g->blocks)};
    if (x->cut)
        be_error(e->c, "frontier-work", e->f->ir->at,
                 "'%s': its thread frontiers are too large to be checked: "
                 "limit of %u steps",
                 e->f->ir->name, WORK);
    for (uint32_t i = 0; i < e->rows.count; i++)
        if (e->rows.at[i].source != IR_NO_BLOCK)
            add_row(&d, &e->rows.at[i]);
}

/* ---- functions --------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_once(u32_vec *v)
{
    uint32_t kept = 0;
    if (v->count)
        qsort(v->at, v->count, sizeof *v->at, by_number);
    for (uint32_t i = 0; i < v->count; i++)
        if (i == 0 || v->at[i] != v->at[kept - 1])
            v->at[kept++] = v->at[i];
    v->count = kept;
}

static void add_all(struct arena *a, u32_vec *to, const u32_vec *from)
{
    for (uint32_t i = 0; i < from->count; i++)
        vec_push(a, to, from->at[i]);
}

/* Where lanes go on that return from the call: behind it, or where the branch leads that stands there. */
static void add_back(struct be_context *c, u32_vec *to, uint32_t back)
{
    const struct bc_ins *next = &c->p->code.at[back + 1];
    vec_push(&c->arena, to, back);
    if (next->op != BC_br)
        return;
    const struct bc_branch *branch = (const struct bc_branch *)(next + 1);
    vec_push(&c->arena, to, branch->yes);
    vec_push(&c->arena, to, branch->no);
}

/* From the caller, whose own are complete, to what it calls. */
static void hand_on(struct be_context *c, u32_vec *of, const struct be_calling *x)
{
    u32_vec *to = &of[x->callee];
    for (uint32_t i = x->first; i < x->end; i++)
        vec_push(&c->arena, to, c->p->waiting.at[i].at);
    add_back(c, to, x->back);
    add_all(&c->arena, to, &of[x->caller]);
}

/* From a signature to the functions that its calls may reach, and where they are entered. */
static void enter(struct be_context *c, u32_vec *of, uint32_t node)
{
    uint32_t signature = node - c->m->functions.count;
    for (uint32_t i = 0; i < c->m->functions.count; i++)
        if (c->functions[i] && c->functions[i]->signature == signature)
            vec_push(&c->arena, &of[node], c->p->functions.at[i].entry);
    for (uint32_t i = 0; i < c->m->functions.count; i++)
        if (c->functions[i] && c->functions[i]->signature == signature)
            add_all(&c->arena, &of[i], &of[node]);
}

/* What stands before the function has run, unless its threads run first as they are in a deeper call. */
static void add_function(struct be_context *c, uint32_t f, const u32_vec *places)
{
    bool sorted = scheme_has(c->scheme, SCHEME_CALLEES_FIRST);
    for (uint32_t i = 0; i < places->count; i++)
        if (!sorted || places->at[i] >= c->p->functions.at[f].end)
            vec_push(&c->p->arena, &c->p->waiting,
                     ((struct bc_waiting){c->p->blocks.count + f, places->at[i]}));
}

static int by_place(const void *a, const void *b)
{
    const struct bc_waiting *x = a, *y = b;
    return x->place != y->place ? (x->place > y->place) - (x->place < y->place)
                                : (x->at > y->at) - (x->at < y->at);
}

static void sort_places(struct bc_program *p)
{
    uint32_t kept = 0;
    if (p->waiting.count)
        qsort(p->waiting.at, p->waiting.count, sizeof *p->waiting.at, by_place);
    for (uint32_t i = 0; i < p->waiting.count; i++)
        if (i == 0 || by_place(&p->waiting.at[i], &p->waiting.at[kept - 1]) != 0)
            p->waiting.at[kept++] = p->waiting.at[i];
    p->waiting.count = kept;
}

void be_waiting_of_functions(struct be_context *c)
{
    u32_vec *of = arena_array(&c->arena, u32_vec, c->frame_count);
    struct edge_list list = {0};
    for (uint32_t i = 0; i < c->callings.count; i++)
        edge_add(&c->arena, &list, c->callings.at[i].caller, i);
    struct rows calls = rows_of_edges(&c->arena, c->m->functions.count, &list);
    for (uint32_t i = 0; i < c->order.count; i++) {
        uint32_t node = c->order.at[i];
        sort_once(&of[node]);
        if (node >= c->m->functions.count) {
            enter(c, of, node);
            continue;
        }
        rows_each(k, calls, node)
            hand_on(c, of, &c->callings.at[calls.at[k]]);
        add_function(c, node, &of[node]);
    }
    sort_places(c->p);
}
