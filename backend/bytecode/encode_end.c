/* encode_end.c: how the IR's blocks end: branches, switches, returns, and the moves that edges need.
 *
 * A block falls through into the next one of the layout instead of jumping. Moves of an edge stand at the end
 * of a block with a single successor; behind a branch they get a block of their own, right after the
 * branching block, and only if any move is left after coalescing.
 *
 * An edge that brings a truth value to the function's return is a return itself, under schemes of frontiers:
 * see BC_ret_true.
 */
#include "backend/bytecode/encode.h"

#include <stdlib.h>

/* ---- moves on edges ---------------------------------------------------------------------------------- */

struct edge_file {
    struct be_encoder *e;
    enum bc_file file;
    uint32_t line;
};

static void put_transfer(void *data, struct be_transfer t)
{
    struct edge_file *x = data;
    unsigned kind = x->file == BC_FILE_MASKS     ? BC_KIND_M
                    : x->file == BC_FILE_SCALARS ? BC_KIND_S
                    : t.wide                     ? BC_KIND_W
                                                 : BC_KIND_V;
    struct bc_ins ins = {.op = (uint16_t)((t.from_scalar ? BC_spread_v : BC_mov_v) + kind),
                         .d = (uint16_t)t.to,
                         .a = (uint16_t)t.from};
    be_put_ins(x->e, ins, ir_latency_cycles[IR_LAT_ALU], x->line);
}

static uint32_t take_scratch(void *data, bool wide)
{
    struct edge_file *x = data;
    return BE_TEMPORARY | be_pool_take(&x->e->c->arena, &x->e->c->temporaries[x->file], wide, BE_ANY);
}

/* The edge's moves between different registers of one file. */
static uint32_t collect_moves(struct be_encoder *e, const struct be_edge *edge, enum bc_file file)
{
    vec_clear(&e->transfers);
    e->added = 0;
    for (uint32_t i = 0; i < edge->moves; i++) {
        const struct be_move *m = &e->f->moves.at[edge->first_move + i];
        const struct be_vreg *to = be_vreg(e->f, m->to), *from = be_vreg(e->f, m->from);
        if (!to->live || be_file((enum bc_kind)to->kind) != file)
            continue;
        struct be_transfer t = {be_register(e, m->to), be_register(e, m->from), to->kind == BC_KIND_W,
                                from->kind == BC_KIND_S && to->kind != BC_KIND_S};
        if (!t.from_scalar && t.to == t.from)
            continue;
        vec_push(&e->c->arena, &e->transfers, t);
        e->added += m->overhead && !e->overhead;
    }
    return e->transfers.count;
}

static bool has_moves(struct be_encoder *e, const struct be_edge *edge)
{
    for (enum bc_file file = BC_FILE_VECTORS; file < BC_FILES; file++)
        if (collect_moves(e, edge, file))
            return true;
    return false;
}

static void put_moves(struct be_encoder *e, const struct be_edge *edge, uint32_t line)
{
    /* Scalars last: spreading into lanes reads them as they were. */
    for (enum bc_file file = BC_FILE_VECTORS; file < BC_FILES; file++) {
        struct edge_file x = {e, file, line};
        struct be_mover mover = {put_transfer, take_scratch, &x};
        if (collect_moves(e, edge, file))
            be_parallel_moves(&e->c->arena, &mover, e->transfers.at, e->transfers.count);
        e->c->p->blocks.at[e->open].overhead += e->added;
    }
}

/* ---- ends of blocks ---------------------------------------------------------------------------------- */

/* The end of an arm that is predicated: its lanes wait there for others, without an instruction. */
static void unpredicate(struct be_encoder *e, uint32_t target, uint32_t line)
{
    be_put_ins(e, (struct bc_ins){.op = BC_unpredicate}, 0, line);
    be_fix_later(e, BE_FIX_IMM, e->c->p->code.count - 1, target);
}

static void jump_unless_next(struct be_encoder *e, uint32_t target, uint32_t line)
{
    if (target == e->next)
        return;
    be_put_ins(e, (struct bc_ins){.op = BC_jump}, ir_latency_cycles[IR_LAT_BR], line);
    be_fix_later(e, BE_FIX_IMM, e->c->p->code.count - 1, target);
}

static bool same_edge(const struct be_encoder *e, const struct be_edge *a, const struct be_edge *b)
{
    bool same = a->target == b->target && a->moves == b->moves;
    for (uint32_t i = 0; same && i < a->moves; i++)
        same = e->f->moves.at[a->first_move + i].from == e->f->moves.at[b->first_move + i].from;
    return same;
}

/* The first edge like edge i of those that `known` has by what they bring. */
static uint32_t first_like(struct be_encoder *e, const struct be_edge *edges, uint32_t i, struct map *known)
{
    uint64_t key = edges[i].target;
    for (uint32_t k = 0; k < edges[i].moves; k++)
        key = hash_mix(key, e->f->moves.at[edges[i].first_move + k].from);
    uint32_t first;
    while ((first = map_get(known, key)) != MAP_NONE && !same_edge(e, &edges[first], &edges[i]))
        key++;
    if (first == MAP_NONE)
        map_set(&e->c->arena, known, key, first = i);
    return first;
}

/* The block with the moves of an edge of the open one, whose frontier it has too: while lanes wait there,
 * others may come by again, and join them. */
static void open_edge_block(struct be_encoder *e, uint32_t target)
{
    uint32_t waiting = ir_block_at(e->f->ir, e->at.source)->frontier;
    bool checked = e->f->frontiers && waiting != IR_NO_BLOCK;
    e->at.target = target;
    be_open_block(e, checked ? BC_RECONVERGE : 0);
    e->at.target = IR_NO_BLOCK;
    if (checked)
        be_fix_later(e, BE_FIX_FRONTIER, e->open, waiting);
}

/* Blocks for the edges that need moves, equal edges sharing one so that their lanes stay together; where each
 * edge leads, or BE_NONE: straight to its target. The one that falls through comes last. wait: the block
 * where lanes reconverge that are predicated, else IR_NO_BLOCK. */
static void encode_edge_blocks(struct be_encoder *e, const struct be_edge *edges, uint32_t n, uint32_t line,
                               uint32_t wait)
{
    struct map known = {0};
    uint32_t last = BE_NONE;
    vec_resize(&e->c->arena, &e->edge_code, n);
    vec_resize(&e->c->arena, &e->first_edge, n);
    for (uint32_t i = 0; i < n; i++) {
        bool moves = edges[i].moves && has_moves(e, &edges[i]);
        e->edge_code.at[i] = BE_NONE;
        e->first_edge.at[i] = moves ? first_like(e, edges, i, &known) : BE_NONE;
        if (e->first_edge.at[i] == i && edges[i].target == e->next && edges[i].target != wait)
            last = i;
    }
    for (uint32_t k = 0; k <= n; k++) {
        uint32_t i = k < n ? k : last;
        if (i == BE_NONE || (k < n && i == last) || e->first_edge.at[i] != i)
            continue;
        e->edge_code.at[i] = e->c->p->code.count;
        open_edge_block(e, edges[i].target);
        put_moves(e, &edges[i], line);
        if (i == last)
            break;
        if (edges[i].target == wait) {
            unpredicate(e, edges[i].target, line);
            continue;
        }
        be_put_ins(e, (struct bc_ins){.op = BC_jump}, ir_latency_cycles[IR_LAT_BR], line);
        be_fix_later(e, BE_FIX_IMM, e->c->p->code.count - 1, edges[i].target);
    }
}

static void point_edge(struct be_encoder *e, enum be_fix_field field_, uint32_t index,
                       const struct be_edge *edges, uint32_t edge)
{
    if (e->first_edge.at[edge] != BE_NONE)
        be_fix_now(e, field_, index, e->edge_code.at[e->first_edge.at[edge]]);
    else
        be_fix_later(e, field_, index, edges[edge].target);
}

static void encode_branch(struct be_encoder *e, const struct be_word *w, const struct be_block *b)
{
    const struct be_edge *edges = &e->f->edges.at[b->first_edge];
    if (same_edge(e, &edges[0], &edges[1]) ||
        (edges[0].target == edges[1].target && !has_moves(e, &edges[0]) && !has_moves(e, &edges[1]))) {
        put_moves(e, &edges[0], w->at.line);
        jump_unless_next(e, edges[0].target, w->at.line);
        return;
    }
    union {
        struct bc_branch branch;
        struct bc_ins ins;
    } word = {.branch = {.op = BC_branch, .site = be_site(e, w)}};
    be_put_ins(e, be_make_ins(e, w), w->cycles, w->at.line);
    uint32_t at = e->c->p->code.count;
    vec_push(&e->c->p->arena, &e->c->p->code, word.ins);
    encode_edge_blocks(e, edges, 2, w->at.line,
                       w->op == BC_predicate ? be_reconvergence_of(e->f, b) : IR_NO_BLOCK);
    point_edge(e, BE_FIX_YES, at, edges, 0);
    point_edge(e, BE_FIX_NO, at, edges, 1);
    be_fix_later(e, BE_FIX_RECONVERGE, at, be_reconvergence_of(e->f, b));
}

static int by_value(const void *a, const void *b)
{
    const struct bc_case *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* The cases, each with its edge's number for a target, sorted. A scalar i32 is zero-extended, lanes are
 * sign-extended. */
static uint32_t add_cases(struct be_encoder *e, const struct be_word *w, const struct ir_block *block)
{
    struct bc_program *p = e->c->p;
    bool narrow = ir_at(e->f->ir, ir_at(e->f->ir, block->last)->args[0])->type == IR_TYPE_I32;
    uint32_t first = p->cases.count;
    for (uint32_t i = 1; i < block->edges.count; i++) {
        int64_t value = block->edges.at[i].value;
        if (narrow)
            value = w->op == BC_switch_s ? (int64_t)(uint32_t)value : (int32_t)value;
        vec_push(&p->arena, &p->cases, ((struct bc_case){value, i}));
    }
    if (p->cases.count > first)
        qsort(p->cases.at + first, p->cases.count - first, sizeof *p->cases.at, by_value);
    return first;
}

static void encode_switch(struct be_encoder *e, const struct be_word *w, const struct be_block *b)
{
    struct bc_program *p = e->c->p;
    const struct be_edge *edges = &e->f->edges.at[b->first_edge];
    const struct ir_block *block = ir_block_at(e->f->ir, b->ir);
    struct bc_ins ins = be_make_ins(e, w);
    ins.imm = p->switches.count;
    uint32_t first = add_cases(e, w, block), n = block->edges.count - 1;
    vec_push(&p->arena, &p->switches,
             ((struct bc_switch){.first = first, .count = n, .site = be_site(e, w)}));
    be_put_ins(e, ins, w->cycles, w->at.line);
    encode_edge_blocks(e, edges, n + 1, w->at.line, IR_NO_BLOCK);
    for (uint32_t i = first; i < first + n; i++)
        point_edge(e, BE_FIX_CASE, i, edges, p->cases.at[i].target);
    point_edge(e, BE_FIX_OTHERWISE, ins.imm, edges, 0);
    be_fix_later(e, BE_FIX_SWITCH_RECONVERGE, ins.imm, be_reconvergence_of(e->f, b));
}

void be_encode_end(struct be_encoder *e, const struct be_block *b)
{
    const struct be_word *w = &e->f->words.at[b->end - 1];
    be_move_temporaries(e, w, b->end - 1);
    e->overhead = ir_block_at(e->f->ir, b->ir)->overhead;
    if (w->op == BC_jump) {
        const struct be_edge *edge = &e->f->edges.at[b->first_edge];
        put_moves(e, edge, w->at.line);
        if (e->f->predication.ends && e->f->predication.ends[b->ir] != IR_NO_BLOCK)
            unpredicate(e, edge->target, w->at.line);
        else
            jump_unless_next(e, edge->target, w->at.line);
    } else if (bc_has_branch_word((enum bc_op)w->op)) {
        encode_branch(e, w, b);
    } else if (w->op >= BC_switch_v && w->op <= BC_switch_s) {
        encode_switch(e, w, b);
    } else {
        be_put_ins(e, be_make_ins(e, w), w->cycles, w->at.line);
    }
    e->overhead = false;
}
