/* class_c.c: class c: graphs of states joined by goto, reducible and not. Each state mixes the thread's hash,
 * writes it to the thread's trace and goes where its guide says: the guide is the hash, and zero once
 * FZ_FUEL rows are written. With the guide at zero every state goes to a later one: so threads end, and yet
 * no edge leads to the end but the graph's own, which would make the end the post-dominator of every state.
 * In 10 % of them the threads part for two arms that are alike (vary.c). No thread can see another. The
 * reference walks the graph thread by thread.
 */
#include "fuzz/program.h"

enum { MAX_STATES = 14, MAX_TRACE = FZ_FUEL + MAX_STATES + 1 };

struct generator {
    struct fz_program *p;
    struct fz_random r;
    uint32_t states;
    bool reducible;
    uint32_t dominators[MAX_STATES]; /* of each state by the edges forward, as a set; itself included */
};

static uint32_t below(struct generator *g, uint32_t n)
{
    return fz_below(&g->r, n);
}

/* ---- graphs ------------------------------------------------------------------------------------------ */

/* One of the next three states, or the end: from the last state, and seldom from others. */
static uint32_t target_ahead(struct generator *g, uint32_t from)
{
    uint32_t last = g->states - 1, to = from + 1 + below(g, 3);
    return from == last || fz_chance(&g->r, 4) ? FZ_END : to < last ? to : last;
}

/* A state that `from` may go to. In a reducible graph edges lead forward, or back to a state that dominates
 * `from`; those add no path around it, so that they leave all dominators as they are. */
static uint32_t random_target(struct generator *g, uint32_t from)
{
    if (fz_chance(&g->r, 40))
        return target_ahead(g, from);
    for (uint32_t s = below(g, g->reducible ? from + 1 : g->states);; s--)
        if (!g->reducible || g->dominators[from] >> s & 1)
            return s;
}

/* Edge from a state whose dominators are known. Targets that lie ahead can only lose some. */
static struct fz_node *edge(struct generator *g, uint32_t from, uint32_t to)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_TARGET);
    if (to > from && to != FZ_END)
        g->dominators[to] &= g->dominators[from] | 1u << to;
    n->value = to;
    n->name = fz_chance(&g->r, 30) ? 1 + below(g, 1000) : 0;
    return n;
}

static struct fz_node *if_of(struct generator *g, struct fz_node *condition, struct fz_node *then,
                             struct fz_node *otherwise)
{
    return fz_add(fz_add(fz_add(fz_node(g->p, FZ_NODE_IF), condition), then), otherwise);
}

/* A goto, if bits of the guide are zero. */
static struct fz_node *random_leave(struct generator *g, uint32_t from, uint32_t to)
{
    uint32_t shift = below(g, 28), mask = fz_chance(&g->r, 50) ? 3 : 7;
    struct fz_node *to_state = fz_add(fz_node(g->p, FZ_NODE_GOTO), edge(g, from, to));
    return if_of(g, fz_bits_are(g->p, FZ_NODE_GUIDE, shift, mask, 0),
                 fz_add(fz_node(g->p, FZ_NODE_BLOCK), to_state), fz_node(g->p, FZ_NODE_BLOCK));
}

static struct fz_node *random_spin(struct generator *g, uint32_t from)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_SPIN), *body = fz_node(g->p, FZ_NODE_BLOCK);
    uint32_t shift = below(g, 28), mask = fz_chance(&g->r, 50) ? 1 : 3;
    fz_add(n, fz_leaf(g->p, FZ_NODE_UNARY, 0, FZ_OP_NOT));
    fz_add(n->first, fz_bits_are(g->p, FZ_NODE_GUIDE, shift, mask, 0));
    if (fz_chance(&g->r, 60))
        fz_add(body, random_leave(g, from, random_target(g, from)));
    return fz_add(n, body);
}

/* ---- arms alike -------------------------------------------------------------------------------------- */

static struct fz_node *random_fork(struct generator *g, uint32_t from, uint32_t depth);

/* The hash, mixed with a constant. */
static struct fz_node *random_mix(struct generator *g)
{
    struct fz_node *h = fz_node(g->p, FZ_NODE_HASH), *mixed;
    uint32_t which = below(g, 4), value = below(g, 1 << 16);
    switch (which) {
    case 0: mixed = fz_by(g->p, FZ_OP_MUL, fz_by(g->p, FZ_OP_XOR, h, value), FZ_HASH_FACTOR); break;
    case 1:
        mixed = fz_binary(g->p, FZ_OP_XOR, fz_by(g->p, FZ_OP_SHR, h, 7), fz_node(g->p, FZ_NODE_HASH));
        mixed = fz_by(g->p, FZ_OP_ADD, mixed, value);
        break;
    case 2: mixed = fz_by(g->p, FZ_OP_SUB, fz_by(g->p, FZ_OP_MUL, h, 5), value); break;
    default:
        mixed = fz_by(g->p, FZ_OP_SHR, fz_node(g->p, FZ_NODE_HASH), 29);
        mixed = fz_binary(g->p, FZ_OP_OR, fz_by(g->p, FZ_OP_SHL, h, 3), mixed);
        mixed = fz_by(g->p, FZ_OP_XOR, mixed, value);
    }
    return fz_assign(g->p, fz_node(g->p, FZ_NODE_HASH), mixed);
}

static struct fz_node *random_arm(struct generator *g, uint32_t from, uint32_t depth)
{
    struct fz_node *arm = fz_node(g->p, FZ_NODE_BLOCK);
    for (uint32_t n = 2 + below(g, 5); n > 0; n--) {
        fz_add(arm, random_mix(g));
        if (depth && fz_chance(&g->r, 30))
            fz_add(arm, random_fork(g, from, depth - 1));
    }
    if (fz_chance(&g->r, 20))
        fz_add(arm, random_leave(g, from, target_ahead(g, from)));
    return arm;
}

/* The second arm has much in common with the first. */
static struct fz_node *random_fork(struct generator *g, uint32_t from, uint32_t depth)
{
    static const struct fz_function none;
    struct fz_variation v = {.p = g->p, .f = &none, .r = &g->r};
    struct fz_node *arm = random_arm(g, from, depth);
    uint32_t shift = below(g, 28), mask = fz_chance(&g->r, 70) ? 1 : 3;
    return if_of(g, fz_bits_are(g->p, FZ_NODE_GUIDE, shift, mask, 0), arm, fz_varied(&v, arm));
}

/* ---- states ------------------------------------------------------------------------------------------ */

static struct fz_node *random_state(struct generator *g, uint32_t index)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_STATE), *body = fz_node(g->p, FZ_NODE_BLOCK);
    uint32_t edges = below(g, 8);
    n->name = index;
    n->op = (uint8_t)below(g, 28);
    n->value = fz_next(&g->r) & 0xffff;
    if (fz_chance(&g->r, 10))
        fz_add(body, fz_node(g->p, FZ_NODE_GATHER));
    if (fz_chance(&g->r, 20))
        fz_add(body, random_spin(g, index));
    if (fz_chance(&g->r, 25))
        fz_add(body, random_leave(g, index, target_ahead(g, index)));
    if (fz_chance(&g->r, 10))
        fz_add(body, random_fork(g, index, 2));
    fz_add(n, body);
    edges = edges < 5 ? 2 : edges < 6 ? 1 : edges < 7 ? 4 : 0;
    for (uint32_t i = 0; i < edges; i++)
        fz_add(n, edge(g, index, i ? random_target(g, index) : target_ahead(g, index)));
    if (edges == 0 && index + 1 < g->states)
        edge(g, index, index + 1); /* it falls through */
    return n;
}

static void generate(struct fz_program *p)
{
    static const uint8_t threads[] = {1, 3, 16, 32, 40, 64};
    struct generator g = {.p = p, .r = fz_random(p->seed, 'c')};
    struct fz_buffer trace = {"trace", FZ_UINT, false, MAX_TRACE, 0},
                     input = {"input", FZ_INT, true, 0, FZ_INPUTS};
    struct fz_node *graph = fz_node(p, FZ_NODE_GRAPH), *states = fz_node(p, FZ_NODE_BLOCK);
    struct fz_function kernel = {.is_void = true};
    p->blocks = 1;
    p->threads = threads[below(&g, COUNT(threads))];
    vec_push(p->arena, &p->buffers, trace);
    vec_push(p->arena, &p->buffers, input);
    g.states = 2 + below(&g, MAX_STATES - 1);
    g.reducible = fz_chance(&g.r, 45);
    memset(g.dominators, 0xff, sizeof g.dominators);
    g.dominators[0] = 1;
    for (uint32_t i = 0; i < g.states; i++)
        fz_add(states, random_state(&g, i));
    kernel.body = fz_add(fz_node(p, FZ_NODE_BLOCK), fz_add(graph, states));
    vec_push(p->arena, &p->functions, kernel);
}

const struct fz_class fz_class_c = {
    'c',      "graphs of goto", "traces of single threads, reducible and irreducible control flow",
    generate, fz_expect,        NULL};
