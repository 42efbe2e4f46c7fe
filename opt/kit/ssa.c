/* ssa.c: turns variables into values.
 *
 * R. Cytron et al., "Efficiently computing static single assignment form and the control dependence graph"
 * (1991), pruned by liveness: a variable gets a parameter in each block of the iterated dominance frontier
 * of its writes where it is live. Time: blocks, instructions, dominance frontiers, and for each variable
 * that is read in another block than it is written in, the blocks through which it is live. Frontiers can be
 * quadratic in odd graphs; OPT_FRONTIERS_MAX is where that ends.
 */
#include "opt/pass.h"

struct frontier {
    uint32_t block, next; /* a list entry; next: index, 0 ends */
};
struct touch {
    uint32_t variable, block;
};
struct ssa_rows {
    uint32_t *start, *blocks; /* by variable */
};

struct ssa {
    struct arena *arena;
    struct ir_function *f;
    const struct opt_variables *v;
    const struct ir_cfg *g;
    const struct ir_dominators *d;
    uint32_t old_count;    /* instructions before parameters were placed */
    uint32_t *frontier_of; /* by block: its first entry in `frontiers` */
    VEC(struct frontier) frontiers;
    VEC(struct touch) writes, reads; /* reads: those that no write in the block precedes */
    uint32_t *old_params;            /* by block: parameters before */
    u32_vec variable_of;             /* of each new parameter, from old_count on */
    ir_ref *value;                   /* by variable, during renaming; 0: not written */
    VEC(struct touch) undo;          /* variable and its value before */
    ir_ref *to;
};

static uint32_t variable(const struct ssa *s, ir_ref r)
{
    return r < s->old_count ? s->v->of[r] : 0;
}

/* ---- where variables are touched --------------------------------------------------------------------- */

static void find_touches(struct ssa *s)
{
    uint32_t *written = arena_array(s->arena, uint32_t, s->v->count),
             *read = arena_array(s->arena, uint32_t, s->v->count);
    for (uint32_t i = 0; i < s->d->count; i++) {
        uint32_t b = s->d->order[i];
        ir_each_ins(r, s->f, b) {
            uint32_t v = variable(s, r);
            if (v == 0 || written[v - 1] == b + 1)
                continue;
            if (ir_at(s->f, r)->op == IR_store) {
                written[v - 1] = b + 1;
                vec_push(s->arena, &s->writes, ((struct touch){v - 1, b}));
            } else if (read[v - 1] != b + 1) {
                read[v - 1] = b + 1;
                vec_push(s->arena, &s->reads, ((struct touch){v - 1, b}));
            }
        }
    }
}

static struct ssa_rows rows_of(struct ssa *s, const struct touch *t, uint32_t n)
{
    struct ssa_rows r = {arena_array(s->arena, uint32_t, s->v->count + 2),
                         arena_array(s->arena, uint32_t, n)};
    for (uint32_t i = 0; i < n; i++)
        r.start[t[i].variable + 2]++;
    for (uint32_t v = 0; v < s->v->count; v++)
        r.start[v + 2] += r.start[v + 1];
    for (uint32_t i = 0; i < n; i++)
        r.blocks[r.start[t[i].variable + 1]++] = t[i].block;
    return r;
}

/* ---- dominance frontiers ----------------------------------------------------------------------------- */

/* False: it was there, and at what is above as well. */
static bool frontier_add(struct ssa *s, uint32_t b, uint32_t join)
{
    uint32_t first = s->frontier_of[b];
    if (first && s->frontiers.at[first].block == join)
        return false;
    s->frontier_of[b] = s->frontiers.count;
    vec_push(s->arena, &s->frontiers, ((struct frontier){join, first}));
    return true;
}

static bool find_frontiers(struct ssa *s, uint32_t limit)
{
    s->frontier_of = arena_array(s->arena, uint32_t, s->g->blocks);
    vec_push(s->arena, &s->frontiers, ((struct frontier){0, 0}));
    for (uint32_t i = 0; i < s->d->count; i++) {
        uint32_t join = s->d->order[i];
        if (ir_pred_count(s->g, join) < 2)
            continue;
        ir_each_pred(p, join, s->g)
            for (uint32_t b = p; s->d->depth[b] && b != s->d->idom[join]; b = s->d->idom[b])
                if (!frontier_add(s, b, join))
                    break;
                else if (s->frontiers.count > limit)
                    return false;
    }
    return true;
}

/* ---- placing parameters ------------------------------------------------------------------------------ */

/* The marks hold the number of the variable (plus 1) that set them last, so they need no clearing. */
struct marks {
    uint32_t *written, *placed;
    struct walk live; /* over blocks at whose start the variable is live */
    u32_vec work;
};

static void mark_live(struct ssa *s, struct marks *m, uint32_t v, const uint32_t *read, uint32_t n)
{
    walk_restart(&m->live);
    for (uint32_t i = 0; i < n; i++)
        walk_add(&m->live, read[i]);
    walk_each(b, &m->live)
        ir_each_pred(p, b, s->g)
            if (s->d->depth[p] && m->written[p] != v + 1)
                walk_add(&m->live, p);
}

static void place_at_frontier(struct ssa *s, struct marks *m, uint32_t v, uint32_t b)
{
    for (uint32_t at = s->frontier_of[b]; at; at = s->frontiers.at[at].next) {
        uint32_t join = s->frontiers.at[at].block;
        if (m->placed[join] == v + 1 || !bitset_has(m->live.seen, join))
            continue;
        m->placed[join] = v + 1;
        ir_param_new(s->f, join, s->v->type[v], s->v->name ? s->v->name[v] : NULL);
        vec_push(s->arena, &s->variable_of, v);
        if (m->written[join] != v + 1)
            vec_push(s->arena, &m->work, join);
    }
}

static void place_params(struct ssa *s)
{
    struct ssa_rows writes = rows_of(s, s->writes.at, s->writes.count),
                    reads = rows_of(s, s->reads.at, s->reads.count);
    struct marks m = {arena_array(s->arena, uint32_t, s->g->blocks),
                      arena_array(s->arena, uint32_t, s->g->blocks),
                      walk_new(s->arena, s->g->blocks),
                      {0}};
    for (uint32_t v = 0; v < s->v->count; v++) {
        uint32_t first = writes.start[v], last = writes.start[v + 1];
        if (reads.start[v] == reads.start[v + 1])
            continue;
        for (uint32_t i = first; i < last; i++)
            m.written[writes.blocks[i]] = v + 1;
        mark_live(s, &m, v, reads.blocks + reads.start[v], reads.start[v + 1] - reads.start[v]);
        for (uint32_t i = first; i < last; i++)
            vec_push(s->arena, &m.work, writes.blocks[i]);
        while (m.work.count)
            place_at_frontier(s, &m, v, vec_pop(&m.work));
    }
}

/* ---- renaming ---------------------------------------------------------------------------------------- */

static ir_ref current(struct ssa *s, uint32_t v)
{
    return s->value[v] ? s->value[v] : ir_const(s->f, s->v->type[v], 0);
}

static void assign(struct ssa *s, uint32_t v, ir_ref value)
{
    vec_push(s->arena, &s->undo, ((struct touch){v, s->value[v]}));
    s->value[v] = value;
}

/* `to` has room for old instructions alone: what is renamed is a read, and reads are old. */
static ir_ref renamed(const struct ssa *s, ir_ref r)
{
    return r < s->old_count && s->to[r] ? s->to[r] : r;
}

static void pass_on(struct ssa *s, uint32_t b)
{
    struct ir_block *block = ir_block_at(s->f, b);
    for (uint32_t e = 0; e < block->edges.count; e++) {
        struct ir_edge *edge = &block->edges.at[e];
        const u32_vec *params = &ir_block_at(s->f, edge->block)->params;
        for (uint32_t i = s->old_params[edge->block]; i < params->count; i++)
            ir_edge_arg(s->f, edge, current(s, s->variable_of.at[params->at[i] - s->old_count]));
    }
}

static void rename_block(struct ssa *s, uint32_t b)
{
    const u32_vec *params = &ir_block_at(s->f, b)->params;
    for (uint32_t i = s->old_params[b]; i < params->count; i++)
        assign(s, s->variable_of.at[params->at[i] - s->old_count], params->at[i]);
    for (ir_ref r = ir_block_at(s->f, b)->first, next; r; r = next) {
        uint32_t v = variable(s, r);
        next = ir_at(s->f, r)->next;
        if (v == 0)
            continue;
        if (ir_at(s->f, r)->op == IR_store)
            assign(s, v - 1, renamed(s, ir_at(s->f, r)->args[1]));
        else
            s->to[r] = current(s, v - 1);
        ir_remove(s->f, r);
    }
    pass_on(s, b);
}

static void undo_to(struct ssa *s, uint32_t length)
{
    while (s->undo.count > length) {
        struct touch t = vec_pop(&s->undo);
        s->value[t.variable] = t.block;
    }
}

/* Blocks in preorder of the dominator tree; what a subtree assigned is undone before the next one. Blocks
 * that can't be reached come last, each by itself. */
static void rename_all(struct ssa *s)
{
    u32_vec undo_at = {0}; /* by depth: length of `undo` before the block at that depth */
    s->to = arena_array(s->arena, ir_ref, s->old_count);
    for (uint32_t i = 0; i < s->d->count; i++) {
        uint32_t b = s->d->order[i], depth = s->d->depth[b];
        while (undo_at.count >= depth)
            undo_to(s, vec_pop(&undo_at));
        vec_push(s->arena, &undo_at, s->undo.count);
        rename_block(s, b);
    }
    undo_to(s, 0);
    ir_each_block(i, b, s->f)
        if (!s->d->depth[b]) {
            rename_block(s, b);
            undo_to(s, 0);
        }
}

static void substitute(struct ssa *s)
{
    ir_ref *to = arena_array(s->arena, ir_ref, s->f->ins.count);
    memcpy(to, s->to, s->old_count * sizeof *to);
    ir_substitute(s->f, to);
}

bool opt_ssa_possible(struct opt_context *c, struct ir_function *f)
{
    struct ssa s = {.arena = c->scratch, .f = f, .g = opt_cfg(c, f), .d = opt_dominators(c, f)};
    return ir_pred_count(s.g, ir_entry(f)) == 0 && find_frontiers(&s, (s.d->count + 16) * OPT_FRONTIERS_MAX);
}

void opt_construct_ssa(struct opt_context *c, struct ir_function *f, const struct opt_variables *v)
{
    struct ssa s = {.arena = c->scratch,
                    .f = f,
                    .v = v,
                    .g = opt_cfg(c, f),
                    .d = opt_dominators(c, f),
                    .old_count = f->ins.count};
    find_frontiers(&s, UINT32_MAX);
    s.old_params = arena_array(c->scratch, uint32_t, f->blocks.count);
    ir_each_block(i, b, f)
        s.old_params[b] = ir_block_at(f, b)->params.count;
    s.value = arena_array(c->scratch, ir_ref, v->count);
    find_touches(&s);
    place_params(&s);
    rename_all(&s);
    substitute(&s);
}
