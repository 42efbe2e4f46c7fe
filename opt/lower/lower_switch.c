/* lower_switch.c: switch becomes comparisons.
 *
 * Of a switch that the warp takes as one, a balanced tree over the sorted cases. Where lanes diverge, a tree
 * would lead those of one target there by different leaves, at different times; so there each target is asked
 * for once: a chain, with the alternatives of a target united, and the default at its end.
 *
 * Lanes of each test reconverge where those of the switch do. Targets whose lanes nobody waits for
 * (ir_edge.breaks) come last: tests among these alone have no such place.
 *
 * Lanes that may end are to run before those that cannot but come to a barrier(). Targets from which all do are
 * asked for first, so that a test divides the others from one of these.
 */
#include "opt/pass.h"

#include <stdlib.h>

struct lower {
    struct arena *scratch;
    struct ir_function *f;
    struct ir_cursor c; /* where new instructions go */
    /* the graph before the first of them is lowered */
    const struct ir_uniformity *uniformity;
    struct bitset exits; /* from where lanes may end before a barrier() */
};

/* The edges of the switch, which its block has no more; number 0 is the default. */
struct cases {
    struct ir_edge *edges;
    uint32_t count, *order;
    uint32_t reconverge; /* of the tests, too: where the threads of the switch do */
    bool overhead;
    ir_ref value;
    enum ir_type type;
};

/* ---- a tree over the sorted cases -------------------------------------------------------------------- */

static int by_value(const void *a, const void *b, void *edges)
{
    const struct ir_edge *e = edges;
    int64_t x = e[*(const uint32_t *)a].value, y = e[*(const uint32_t *)b].value;
    return (x > y) - (x < y);
}

/* Cases of an i32 are compared as such, whatever stands above their 32 bits. */
static void sort_cases(struct cases *s)
{
    for (uint32_t i = 1; i < s->count && s->type == IR_TYPE_I32; i++)
        s->edges[i].value = (int32_t)s->edges[i].value;
    for (uint32_t i = 1; i < s->count; i++)
        s->order[i - 1] = i;
    qsort_r(s->order, s->count - 1, sizeof *s->order, by_value, (void *)s->edges);
}

static void copy_edge(struct lower *x, uint32_t from, const struct ir_edge *e)
{
    struct ir_edge *copy = ir_edge_add(x->f, from, e->block, 0);
    copy->breaks = e->breaks;
    for (uint32_t i = 0; i < e->argc; i++)
        ir_edge_arg(x->f, copy, e->args[i]);
}

static void emit_test(struct lower *x, const struct cases *s, ir_ref test, uint32_t reconverge)
{
    ir_emit1(&x->c, IR_brif, IR_TYPE_VOID, test);
    ir_block_at(x->f, x->c.block)->reconverge = reconverge;
    ir_block_at(x->f, x->c.block)->overhead = s->overhead;
}

/* A new block for this half of the cases, or where none are left the default's edge. */
static void lead_to(struct lower *x, const struct cases *s, uint32_t from, uint32_t lo, uint32_t hi,
                    u32_vec *work)
{
    if (lo == hi) {
        copy_edge(x, from, &s->edges[0]);
        return;
    }
    uint32_t b = ir_block_new(x->f, NULL);
    ir_edge_add(x->f, from, b, 0);
    vec_push(x->scratch, work, b);
    vec_push(x->scratch, work, lo);
    vec_push(x->scratch, work, hi);
}

/* Block b decides among the cases order[lo] to order[hi - 1]. */
static void decide(struct lower *x, const struct cases *s, uint32_t b, uint32_t lo, uint32_t hi,
                   u32_vec *work)
{
    uint32_t middle = lo + (hi - lo) / 2;
    const struct ir_edge *e = &s->edges[s->order[middle]];
    bool single = hi - lo == 1;
    ir_ref pivot = ir_const(x->f, s->type, (scalar_bits)e->value);
    x->c.block = b;
    ir_ref test = ir_emit2(&x->c, single ? IR_eq : IR_slt, IR_TYPE_I1, s->value, pivot);
    emit_test(x, s, test, s->reconverge);
    if (single) {
        copy_edge(x, b, e);
        copy_edge(x, b, &s->edges[0]);
    } else {
        lead_to(x, s, b, lo, middle, work);
        lead_to(x, s, b, middle, hi, work);
    }
}

/* `b` has no terminator; the cases are at least one. */
static void make_tree(struct lower *x, struct cases *s, uint32_t b)
{
    u32_vec work = {0};
    s->order = arena_array(x->scratch, uint32_t, s->count);
    sort_cases(s);
    decide(x, s, b, 0, s->count - 1, &work);
    while (work.count) {
        uint32_t hi = vec_pop(&work), lo = vec_pop(&work), at = vec_pop(&work);
        decide(x, s, at, lo, hi, &work);
    }
}

/* ---- a chain over the targets ------------------------------------------------------------------------ */

/* Edges to one block: linked by number, in the order of the cases; the default's come last in the chain. */
struct targets {
    struct map group;
    u32_vec first, last;
    uint32_t *next;
};

static struct targets group_edges(struct lower *x, const struct cases *s)
{
    struct targets t = {.next = arena_array(x->scratch, uint32_t, s->count)};
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t g = map_get(&t.group, s->edges[i].block);
        if (g == MAP_NONE) {
            map_set(x->scratch, &t.group, s->edges[i].block, t.first.count);
            vec_push(x->scratch, &t.first, i);
            vec_push(x->scratch, &t.last, i);
            continue;
        }
        t.next[t.last.at[g]] = i;
        t.last.at[g] = i;
    }
    return t;
}

static ir_ref chosen(struct lower *x, ir_ref condition, ir_ref a, ir_ref b)
{
    if (a == b)
        return a;
    return ir_emit3(&x->c, IR_select, (enum ir_type)ir_at(x->f, a)->type, condition, a, b);
}

/* At the cursor: whether the value is one of the group's cases (0: the default's group is not asked), and
 * with what arguments the group's block is entered. */
static ir_ref unite(struct lower *x, const struct cases *s, const struct targets *t, uint32_t g, ir_ref *args)
{
    uint32_t first = t->first.at[g];
    ir_ref any = 0;
    for (uint32_t i = first; i || i == first; i = t->next[i]) {
        const struct ir_edge *e = &s->edges[i];
        ir_ref hit = 0;
        if (i)
            hit =
                ir_emit2(&x->c, IR_eq, IR_TYPE_I1, s->value, ir_const(x->f, s->type, (scalar_bits)e->value));
        for (uint32_t k = 0; k < e->argc; k++)
            args[k] = i == first ? e->args[k] : chosen(x, hit, e->args[k], args[k]);
        any = any ? ir_emit2(&x->c, IR_or, IR_TYPE_I1, any, hit) : hit;
        if (!t->next[i])
            break;
    }
    return first ? any : 0;
}

static void enter(struct lower *x, const struct cases *s, uint32_t from, uint32_t first, const ir_ref *args)
{
    struct ir_edge *e = ir_edge_add(x->f, from, s->edges[first].block, 0);
    e->breaks = s->edges[first].breaks;
    for (uint32_t k = 0; k < s->edges[first].argc; k++)
        ir_edge_arg(x->f, e, args[k]);
}

/* The targets in the order in which the chain comes to them: those from which nobody ends before a barrier(),
 * the others, and those that nobody waits for; the default. */
static u32_vec order_targets(struct lower *x, const struct cases *s, const struct targets *t)
{
    u32_vec order = {0}, later[2] = {0};
    for (uint32_t g = 1; g < t->first.count; g++) {
        const struct ir_edge *e = &s->edges[t->first.at[g]];
        bool first = !e->breaks && !bitset_has(x->exits, e->block);
        vec_push(x->scratch, first ? &order : &later[e->breaks], g);
    }
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t k = 0; k < later[i].count; k++)
            vec_push(x->scratch, &order, later[i].at[k]);
    vec_push(x->scratch, &order, 0);
    return order;
}

/* From where on in the chain nobody waits for the lanes. */
static uint32_t breaking_from(const struct cases *s, const struct targets *t, const u32_vec *order)
{
    uint32_t g = order->count;
    while (g && s->edges[t->first.at[order->at[g - 1]]].breaks)
        g--;
    return g;
}

static void make_chain(struct lower *x, const struct cases *s, uint32_t b)
{
    struct targets t = group_edges(x, s);
    u32_vec order = order_targets(x, s, &t);
    uint32_t breaking = breaking_from(s, &t, &order);
    for (uint32_t g = 0; g < order.count; g++) {
        bool last = g + 1 == order.count;
        uint32_t group = order.at[g], first = t.first.at[group];
        ir_ref *args = arena_array(x->scratch, ir_ref, s->edges[first].argc);
        x->c.block = b;
        ir_ref test = unite(x, s, &t, group, args);
        if (last) {
            ir_emit0(&x->c, IR_br, IR_TYPE_VOID);
            enter(x, s, b, first, args);
            return;
        }
        emit_test(x, s, test, g >= breaking ? IR_AT_RETURN : s->reconverge);
        enter(x, s, b, first, args);
        uint32_t next = ir_block_new(x->f, NULL);
        ir_edge_add(x->f, b, next, 0)->breaks = g + 1 >= breaking;
        b = next;
    }
}

/* ---- the function ------------------------------------------------------------------------------------ */

static void lower_switch(struct lower *x, uint32_t b)
{
    ir_ref r = ir_terminator(x->f, b);
    struct ir_block *block = ir_block_at(x->f, b);
    struct cases s = {.edges = block->edges.at,
                      .count = block->edges.count,
                      .value = ir_at(x->f, r)->args[0],
                      .reconverge = block->reconverge,
                      .overhead = block->overhead};
    s.type = (enum ir_type)ir_at(x->f, s.value)->type;
    x->c = (struct ir_cursor){.fn = x->f, .at = ir_at(x->f, r)->at};
    memset(&block->edges, 0, sizeof block->edges);
    ir_remove(x->f, r);
    if (!bitset_has(x->uniformity->branches, b) && s.count > 1)
        make_tree(x, &s, b);
    else
        make_chain(x, &s, b);
}

/* Unreachable ones stay: nothing is known of them, and they are not executed. */
static u32_vec find_switches(struct arena *scratch, const struct ir_function *f, const struct ir_cfg *g)
{
    u32_vec found = {0};
    ir_each_block(i, b, f)
        if (ir_at(f, ir_terminator(f, b))->op == IR_switch && bitset_has(g->reachable, b))
            vec_push(scratch, &found, b);
    return found;
}

bool opt_lower_switch(struct opt_context *c, struct ir_function *f)
{
    u32_vec found = find_switches(c->scratch, f, opt_cfg(c, f));
    if (!found.count)
        return false;
    struct lower x = {.scratch = c->scratch,
                      .f = f,
                      .uniformity = opt_machine_uniformity(c, f),
                      .exits = *opt_exits_without_barrier(c, f)};
    for (uint32_t i = 0; i < found.count; i++)
        lower_switch(&x, found.at[i]);
    return true;
}
