/* class_c.c: class c: graphs of states joined by goto, reducible and not. Each state mixes the thread's hash,
 * writes it to the thread's trace and goes where its guide says: the guide is the hash, and zero once
 * FZ_FUEL rows are written. With the guide at zero every state goes to a later one: so threads end, and yet
 * no edge leads to the end but the graph's own, which would make the end the post-dominator of every state.
 * In 10 % of them the threads part for two arms that are alike (vary.c). No thread can see another. The
 * reference walks the graph thread by thread.
 */
#include "fuzz/generate.h"

enum { MAX_STATES = 14, MAX_TRACE = FZ_FUEL + MAX_STATES + 1 };

struct graph {
    uint32_t states, from; /* from: the one that is being made */
    bool reducible;
    uint32_t dominators[MAX_STATES]; /* of each state by the edges forward, as a set; itself included */
};

/* ---- graphs ------------------------------------------------------------------------------------------ */

/* One of the next three states, or the end: from the last state, and seldom from others. */
static uint32_t target_ahead(struct generator *g)
{
    uint32_t last = g->graph->states - 1, to = g->graph->from + 1 + below(g, 3);
    return g->graph->from == last || chance(g, 4) ? FZ_END : to < last ? to : last;
}

/* A state that this one may go to. In a reducible graph edges lead forward, or back to a state that dominates
 * it; those add no path around it, so that they leave all dominators as they are. */
static uint32_t random_target(struct generator *g)
{
    const struct graph *c = g->graph;
    if (chance(g, 40))
        return target_ahead(g);
    for (uint32_t s = below(g, c->reducible ? c->from + 1 : c->states);; s--)
        if (!c->reducible || c->dominators[c->from] >> s & 1)
            return s;
}

/* From this state, whose dominators are known. Targets that lie ahead can only lose some. */
static struct fz_node *edge(struct generator *g, uint32_t to)
{
    struct graph *c = g->graph;
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_TARGET, to, 0);
    if (to > c->from && to != FZ_END)
        c->dominators[to] &= c->dominators[c->from] | 1u << to;
    n->name = chance(g, 30) ? 1 + below(g, 1000) : 0;
    return n;
}

struct fz_node *fz_make_goto(struct generator *g)
{
    return fz_add(node(g, FZ_NODE_GOTO), edge(g, target_ahead(g)));
}

/* A goto, if bits of the guide are zero. */
static struct fz_node *leave(struct generator *g, uint32_t to)
{
    uint32_t shift = below(g, 28), mask = chance(g, 50) ? 3 : 7;
    struct fz_node *jump = fz_add(node(g, FZ_NODE_GOTO), edge(g, to));
    return fz_some(g, fz_bits_are(g->p, FZ_NODE_GUIDE, shift, mask, 0), jump);
}

static struct fz_node *spin(struct generator *g)
{
    struct fz_node *body = node(g, FZ_NODE_BLOCK), *stops;
    uint32_t shift = below(g, 28), mask = chance(g, 50) ? 1 : 3;
    stops = fz_bits_are(g->p, FZ_NODE_GUIDE, shift, mask, 0);
    if (chance(g, 60))
        fz_add(body, leave(g, random_target(g)));
    return fz_add(fz_add(node(g, FZ_NODE_SPIN), fz_add(fz_leaf(g->p, FZ_NODE_UNARY, 0, FZ_OP_NOT), stops)),
                  body);
}

/* ---- states ------------------------------------------------------------------------------------------ */

static struct fz_node *random_state(struct generator *g, uint32_t index)
{
    struct fz_node *body = node(g, FZ_NODE_BLOCK);
    uint8_t shift = (uint8_t)below(g, 28);
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_STATE, below(g, 1 << 16), shift);
    uint32_t edges = below(g, 8);
    g->graph->from = n->name = index;
    if (chance(g, 10))
        fz_add(body, node(g, FZ_NODE_GATHER));
    if (chance(g, 20))
        fz_add(body, spin(g));
    if (chance(g, 25))
        fz_add(body, leave(g, target_ahead(g)));
    if (chance(g, 10))
        fz_add(body, fz_make_if(g));
    fz_add(n, body);
    edges = edges < 5 ? 2 : edges < 6 ? 1 : edges < 7 ? 4 : 0;
    for (uint32_t i = 0; i < edges; i++)
        fz_add(n, edge(g, i ? random_target(g) : target_ahead(g)));
    if (edges == 0 && index + 1 < g->graph->states)
        edge(g, index + 1); /* it falls through */
    return n;
}

static void generate(struct fz_program *p)
{
    static const struct fz_buffer trace = {"trace", FZ_UINT, false, MAX_TRACE, 0},
                                  input = {"input", FZ_INT, true, 0, FZ_INPUTS};
    struct graph c = {0};
    struct generator g = {.p = p, .r = fz_random(p->seed, 'c'), .column = FZ_COLUMN_C, .graph = &c};
    struct fz_node *graph = node(&g, FZ_NODE_GRAPH), *states = node(&g, FZ_NODE_BLOCK);
    fz_draw_launch(&g);
    vec_push(p->arena, &p->buffers, trace);
    vec_push(p->arena, &p->buffers, input);
    vec_push(p->arena, &p->functions, ((struct fz_function){.is_void = true}));
    fz_begin_function(&g, 0);
    c.states = 2 + below(&g, MAX_STATES - 1);
    c.reducible = chance(&g, 45);
    memset(c.dominators, 0xff, sizeof c.dominators);
    c.dominators[0] = 1;
    for (uint32_t i = 0; i < c.states; i++)
        fz_add(states, random_state(&g, i));
    g.f->body = fz_add(node(&g, FZ_NODE_BLOCK), fz_add(graph, states));
}

const struct fz_class fz_class_c = {
    'c',      "graphs of goto", "traces of single threads, reducible and irreducible control flow",
    generate, fz_expect,        NULL};
