/* merge_edges.c: see merge_edges.h. */
#include "opt/kit/merge_edges.h"

opt_edges opt_edges_out(struct arena *a, const struct ir_cfg *g, struct bitset from, struct bitset inside)
{
    opt_edges out = {0};
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(g->fn, g->rpo[i]);
        for (uint32_t e = 0; e < b->edges.count && bitset_has(from, g->rpo[i]); e++)
            if (!bitset_has(inside, b->edges.at[e].block))
                vec_push(a, &out, ((struct opt_edge){g->rpo[i], e}));
    }
    return out;
}

opt_edges opt_edges_back(struct arena *a, const struct ir_cfg *g, const struct ir_cycles *f, uint32_t cycle)
{
    opt_edges back = {0};
    uint32_t header = f->at[cycle].header;
    ir_each_pred(p, header, g)
        if (ir_cycle_has(f, cycle, p))
            vec_push(a, &back, ((struct opt_edge){p, g->pred_edges[p_at]}));
    return back;
}

bool opt_split_before(struct ir_function *f, ir_ref r)
{
    uint32_t b = ir_at(f, r)->block;
    if (ir_block_at(f, b)->first == r)
        return false;
    uint32_t rest = ir_block_split(f, b, r, "rest");
    struct ir_cursor c = {.fn = f, .block = b, .at = ir_at(f, r)->at};
    ir_emit_br(&c, rest);
    return true;
}

/* ---- merging ----------------------------------------------------------------------------------------- */

/* Beyond so many parameters targets share those of a type: else blocks that are merged again and again would
 * get more with each time. */
enum { PARAMETERS_MAX = 64 };

struct merge {
    struct arena *scratch;
    struct ir_function *f;
    uint32_t block;
    struct map number; /* target -> its place in targets */
    u32_vec targets;
    u32_vec first;    /* beside targets: where their parameters begin in `position` */
    u32_vec position; /* by parameter of a target: its place among those of the new block */
    ir_ref selector;  /* parameter; 0: only one target */
};

static void find_targets(struct merge *g, const opt_edges *edges)
{
    for (uint32_t i = 0; i < edges->count; i++) {
        uint32_t to = opt_edge_target(g->f, edges->at[i]);
        if (map_get(&g->number, to) != MAP_NONE)
            continue;
        map_set(g->scratch, &g->number, to, g->targets.count);
        vec_push(g->scratch, &g->targets, to);
    }
}

static uint32_t parameters(const struct merge *g)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < g->targets.count; t++)
        n += ir_block_at(g->f, g->targets.at[t])->params.count;
    return n;
}

/* The first parameter of the new block from the place on that is of the type, or its end. */
static uint32_t of_type(const struct merge *g, uint32_t from, enum ir_type type)
{
    const struct ir_block *b = ir_block_at(g->f, g->block);
    while (from < b->params.count &&
           (b->params.at[from] == g->selector || ir_at(g->f, b->params.at[from])->type != type))
        from++;
    return from;
}

/* Finds a place for each parameter of the target; `shared`: that of another target's, if one of its type is
 * left. */
static void place_parameters(struct merge *g, uint32_t target, bool shared)
{
    uint32_t next[IR_TYPES] = {0}, n = ir_block_at(g->f, target)->params.count;
    for (uint32_t i = 0; i < n; i++) {
        const struct ir_ins *p = ir_at(g->f, ir_block_at(g->f, target)->params.at[i]);
        enum ir_type type = (enum ir_type)p->type;
        uint32_t count = ir_block_at(g->f, g->block)->params.count;
        uint32_t at = shared ? of_type(g, next[type], type) : count;
        if (at == count)
            ir_param_new(g->f, g->block, type, p->name);
        next[type] = at + 1;
        vec_push(g->scratch, &g->position, at);
    }
}

static void make_block(struct merge *g)
{
    bool shared = parameters(g) > PARAMETERS_MAX;
    g->block = ir_block_new(g->f, "merge");
    if (g->targets.count > 1)
        g->selector = ir_param_new(g->f, g->block, g->targets.count == 2 ? IR_TYPE_I1 : IR_TYPE_I32, "to");
    for (uint32_t t = 0; t < g->targets.count; t++) {
        vec_push(g->scratch, &g->first, g->position.count);
        place_parameters(g, g->targets.at[t], shared);
    }
}

/* Of two targets, true leads to the first. */
static ir_ref selector_value(struct merge *g, uint32_t target)
{
    return g->targets.count == 2 ? ir_const_i1(g->f, target == 0) : ir_const_i32(g->f, target);
}

/* What is for other targets is not read: zero. */
static void redirect(struct merge *g, struct opt_edge from)
{
    struct ir_edge *e = &ir_block_at(g->f, from.block)->edges.at[from.edge];
    const struct ir_block *to = ir_block_at(g->f, g->block);
    uint32_t target = map_get(&g->number, e->block), n = to->params.count;
    ir_ref *args = arena_array(&g->f->module->arena, ir_ref, n);
    for (uint32_t i = 0; i < n; i++) {
        bool selects = to->params.at[i] == g->selector;
        args[i] = selects ? selector_value(g, target)
                          : ir_const(g->f, (enum ir_type)ir_at(g->f, to->params.at[i])->type, 0);
    }
    for (uint32_t i = 0; i < e->argc; i++)
        args[g->position.at[g->first.at[target] + i]] = e->args[i];
    *e = (struct ir_edge){.block = g->block, .argc = n, .args = args, .value = e->value};
}

static void finish_block(struct merge *g, place at)
{
    struct ir_cursor c = {.fn = g->f, .block = g->block, .at = at};
    if (g->targets.count == 1)
        ir_emit_br(&c, g->targets.at[0]);
    else if (g->targets.count == 2)
        ir_emit_brif(&c, g->selector, g->targets.at[0], g->targets.at[1]);
    else
        ir_emit_switch(&c, g->selector, g->targets.at[0]);
    for (uint32_t t = 1; g->targets.count > 2 && t < g->targets.count; t++)
        ir_edge_add(g->f, g->block, g->targets.at[t], t);
    for (uint32_t t = 0; t < g->targets.count; t++) {
        uint32_t n = ir_block_at(g->f, g->targets.at[t])->params.count;
        struct ir_block *b = ir_block_at(g->f, g->block);
        for (uint32_t i = 0; i < n; i++)
            ir_edge_arg(g->f, &b->edges.at[t], b->params.at[g->position.at[g->first.at[t] + i]]);
    }
}

uint32_t opt_merge_edges(struct arena *scratch, struct ir_function *f, const opt_edges *edges, place at)
{
    struct merge g = {.scratch = scratch, .f = f};
    find_targets(&g, edges);
    make_block(&g);
    for (uint32_t i = 0; i < edges->count; i++)
        redirect(&g, edges->at[i]);
    finish_block(&g, at);
    return g.block;
}

/* Its edges carry what dominates the chain: parameters of the block, or what stands before it. */
void opt_switch_to_tests(struct ir_function *f, uint32_t block)
{
    ir_ref ins = ir_terminator(f, block);
    if (ir_at(f, ins)->op != IR_switch)
        return;
    ir_ref value = ir_at(f, ins)->args[0];
    enum ir_type type = ir_at(f, value)->type;
    struct ir_cursor c = {.fn = f, .block = block, .at = ir_at(f, ins)->at};
    uint32_t cases = ir_block_at(f, block)->edges.count;
    struct ir_edge *edges = arena_array(&f->module->arena, struct ir_edge, cases);
    memcpy(edges, ir_block_at(f, block)->edges.at, cases * sizeof *edges);
    ir_remove(f, ins);
    if (cases == 1) {
        ir_emit0(&c, IR_br, IR_TYPE_VOID);
        return;
    }
    ir_block_at(f, block)->edges.count = 0;
    for (uint32_t e = 1; e < cases; e++) {
        bool last = e + 1 == cases;
        uint32_t rest = last ? edges[0].block : ir_block_new(f, "test");
        ir_ref wanted =
            ir_const(f, type, type == IR_TYPE_I32 ? (uint32_t)edges[e].value : (uint64_t)edges[e].value);
        ir_ref equal = ir_emit2(&c, IR_eq, IR_TYPE_I1, value, wanted);
        ir_emit_brif(&c, equal, edges[e].block, rest);
        struct ir_block *b = ir_block_at(f, c.block);
        b->edges.at[0] = edges[e];
        b->edges.at[0].value = 0;
        if (last)
            b->edges.at[1] = edges[0];
        c.block = rest;
    }
}

/* ---- headers ------------------------------------------------------------------------------------------- */

static void give_header(struct arena *scratch, struct ir_function *f, const struct ir_cfg *g,
                        const struct ir_cycle *cycle)
{
    opt_edges edges = {0};
    for (uint32_t i = 0; i < cycle->entries.count; i++) {
        uint32_t entry = cycle->entries.at[i];
        ir_each_pred(p, entry, g)
            vec_push(scratch, &edges, ((struct opt_edge){p, g->pred_edges[p_at]}));
    }
    opt_merge_edges(scratch, f, &edges, ir_at(f, ir_block_at(f, cycle->header)->first)->at);
}

/* Whether a cycle around this one has several entries; cycles come behind those around them. */
static bool is_inside(const struct ir_cycles *cycles, struct bitset irreducible, uint32_t cycle)
{
    uint32_t parent = cycles->at[cycle].parent;
    return parent != IR_NO_CYCLE && bitset_has(irreducible, parent);
}

/* The outermost cycles with several entries. */
static u32_vec find_irreducible(struct arena *scratch, const struct ir_cycles *cycles)
{
    struct bitset irreducible = bitset_new(scratch, cycles->count); /* or inside of one */
    u32_vec outermost = {0};
    for (uint32_t i = 0; i < cycles->count; i++) {
        bool inside = is_inside(cycles, irreducible, i);
        if (!inside && cycles->at[i].entries.count == 1)
            continue;
        bitset_add(irreducible, i);
        if (!inside)
            vec_push(scratch, &outermost, i);
    }
    return outermost;
}

/* In rounds: the outermost of these cycles all get a header at once, and then those that are left in them, so
 * that there are as many rounds as they are nested deep. A round is near-linear.
 *
 * A definition that dominates one entry of a cycle dominates all (each reaches the others), so no value loses
 * a use behind the new header. */
bool opt_make_reducible(struct opt_context *c, struct ir_function *f, bool *changed)
{
    for (uint32_t round = 0;; round++) {
        struct scratch scratch;
        struct arena *a = scratch_begin(&scratch);
        const struct ir_cfg *g = opt_cfg(c, f);
        const struct ir_cycles *cycles = opt_cycles(c, f);
        u32_vec found = find_irreducible(a, cycles);
        bool fits = found.count == 0 || opt_below(c, f, OPT_LIMIT_reducible_rounds, round);
        for (uint32_t i = 0; fits && i < found.count; i++)
            give_header(a, f, g, &cycles->at[found.at[i]]);
        scratch_end(&scratch);
        if (!fits || found.count == 0)
            return fits;
        *changed = true;
        opt_invalidate(c, f);
        opt_count(c, "cycles given a header", found.count);
    }
}
