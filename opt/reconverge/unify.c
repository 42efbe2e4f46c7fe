/* unify.c: one return of a function, and one edge from a divergent switch to each of its targets.
 *
 * Lanes that diverge at a branch and return at different places have no place to reconverge: with one ret, in a
 * block of its own, every branch from which the function can return has an immediate post-dominator. Mode
 * source-pc of the warp-core machine, the structured form and calls (whose lanes return together) depend on it.
 *
 * Parallel edges of a switch may bring different arguments to one block. These are written on the edges, so
 * that threads would diverge at the switch for nothing on their way to one target: they reconverge at the
 * switch's post-dominator, which may be far behind the target. So such edges lead to a new block, where a
 * switch of their own chooses the arguments. Its edges are parallel still, but the target is its
 * post-dominator.
 *
 * Machines take equal edges of a branch for one. So what the passes behind this one call the sides of a
 * branch, its different successors, are the sides that lanes diverge to. A switch with a single target is
 * left alone. A switch is divergent if lanes may diverge at it, those of different iterations too, which a
 * machine may bring together (ir_uniformity, `reconvergence`).
 *
 * Time: edges, and uniformity.
 */
#include "opt/kit/merge_edges.h"

bool opt_unify_returns(struct opt_context *c, struct ir_function *f)
{
    bool changed = opt_return_once(c->scratch, opt_cfg(c, f), f);
    opt_count(c, "functions", changed);
    return changed;
}

/* ---- edges ------------------------------------------------------------------------------------------- */

/* Edges of one switch that lead to one block. `cases`: the block that chooses among them, once it is made. */
struct parallel {
    uint32_t first, cases;
    bool differ;
};

struct unify {
    struct opt_context *c;
    struct ir_function *f;
    uint32_t block;   /* the switch's */
    struct map group; /* by target: its place in groups */
    VEC(struct parallel) groups;
};

static struct ir_edge *edge_at(const struct unify *u, uint32_t e)
{
    return &ir_block_at(u->f, u->block)->edges.at[e];
}

static bool same_arguments(const struct ir_edge *a, const struct ir_edge *b)
{
    return a->argc == 0 || memcmp(a->args, b->args, a->argc * sizeof *a->args) == 0;
}

static void find_groups(struct unify *u)
{
    for (uint32_t e = 0; e < ir_block_at(u->f, u->block)->edges.count; e++) {
        uint32_t g = map_get(&u->group, edge_at(u, e)->block);
        if (g == MAP_NONE) {
            map_set(u->c->scratch, &u->group, edge_at(u, e)->block, u->groups.count);
            vec_push(u->c->scratch, &u->groups, ((struct parallel){e, IR_NO_BLOCK, false}));
            continue;
        }
        struct parallel *p = &u->groups.at[g];
        p->differ |= !same_arguments(edge_at(u, e), edge_at(u, p->first));
    }
}

static uint32_t new_switch(const struct unify *u)
{
    uint32_t cases = ir_block_new(u->f, "cases");
    const struct ir_ins *ins = ir_at(u->f, ir_terminator(u->f, u->block));
    struct ir_cursor c = {.fn = u->f, .block = cases, .at = ins->at};
    ir_emit1(&c, IR_switch, IR_TYPE_VOID, ins->args[0]);
    ir_block_at(u->f, cases)->overhead = true;
    return cases;
}

/* The first edge becomes the default: of values that all have an edge there, one needs no test. */
static void move_edge(const struct unify *u, uint32_t e, uint32_t cases)
{
    struct ir_edge *old = edge_at(u, e);
    bool first = ir_block_at(u->f, cases)->edges.count == 0;
    struct ir_edge *moved = ir_edge_add(u->f, cases, old->block, first ? 0 : old->value);
    moved->args = old->args;
    moved->argc = old->argc;
    *old = (struct ir_edge){.block = cases, .value = old->value};
}

static bool unify_switch(struct unify *u)
{
    uint32_t moved = 0;
    find_groups(u);
    for (uint32_t e = 0; u->groups.count > 1 && e < ir_block_at(u->f, u->block)->edges.count; e++) {
        struct parallel *p = &u->groups.at[map_get(&u->group, edge_at(u, e)->block)];
        if (!p->differ)
            continue;
        if (p->cases == IR_NO_BLOCK)
            p->cases = new_switch(u);
        move_edge(u, e, p->cases);
        moved++;
    }
    opt_count(u->c, "parallel edges", moved);
    return moved > 0;
}

bool opt_unify_switch(struct opt_context *c, struct ir_function *f, uint32_t block)
{
    return unify_switch(&(struct unify){.c = c, .f = f, .block = block});
}

bool opt_unify_edges(struct opt_context *c, struct ir_function *f)
{
    const struct ir_cfg *g = opt_cfg(c, f);
    struct bitset switches = bitset_new(c->scratch, g->blocks);
    bool changed = false;
    for (uint32_t i = 0; i < g->rpo_count; i++)
        if (ir_at(f, ir_terminator(f, g->rpo[i]))->op == IR_switch)
            bitset_add(switches, g->rpo[i]);
    if (bitset_count(switches) == 0)
        return false;
    bitset_intersect(switches, opt_machine_uniformity(c, f)->branches);
    bitset_each(b, switches)
        changed |= opt_unify_switch(c, f, b);
    return changed;
}
