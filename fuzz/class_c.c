/* class_c.c: class c: graphs of states joined by goto, reducible and not. Each state mixes the thread's hash,
 * writes it to the thread's trace and goes where the hash says; a row too many ends the thread. No thread can
 * see another. The reference walks the graph thread by thread.
 */
#include "fuzz/program.h"

enum { MAX_STATES = 14, MAX_TRACE = 64 };

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

/* ---- graphs ------------------------------------------------------------------------------------------- */

/* A state that `from` may go to. In a reducible graph edges lead forward, or back to a state that dominates
 * `from`; those add no path around it, so that they leave all dominators as they are. */
static uint32_t random_target(struct generator *g, uint32_t from)
{
    if (!g->reducible)
        return below(g, g->states);
    if (fz_chance(&g->r, 35))
        for (uint32_t s = below(g, from + 1);; s--)
            if (g->dominators[from] >> s & 1)
                return s;
    uint32_t to = from + 1 + below(g, 3);
    return to < g->states ? to : g->states - 1;
}

/* Edge from a state whose dominators are known. Targets that lie ahead can only lose some. */
static struct fz_node *edge(struct generator *g, uint32_t from, uint32_t to)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_TARGET);
    if (to > from)
        g->dominators[to] &= g->dominators[from] | 1u << to;
    n->value = to;
    return n;
}

static struct fz_node *random_leave(struct generator *g, uint32_t from)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_LEAVE);
    n->op = (uint8_t)below(g, 28);
    n->value = fz_chance(&g->r, 50) ? 3 : 7;
    return fz_add(n, edge(g, from, random_target(g, from)));
}

static struct fz_node *random_spin(struct generator *g, uint32_t from)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_SPIN), *body = fz_node(g->p, FZ_NODE_BLOCK);
    n->op = (uint8_t)below(g, 28);
    n->value = fz_chance(&g->r, 50) ? 1 : 3;
    if (fz_chance(&g->r, 60))
        fz_add(body, random_leave(g, from));
    return fz_add(n, body);
}

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
        fz_add(body, random_leave(g, index));
    fz_add(n, body);
    edges = edges < 5 ? 2 : edges < 6 ? 1 : edges < 7 ? 4 : 0;
    for (uint32_t i = 0; i < edges; i++)
        fz_add(n, edge(g, index, random_target(g, index)));
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

/* ---- the reference ------------------------------------------------------------------------------------ */

struct walker {
    const struct fz_program *p;
    uint32_t *trace;
    uint32_t gid, n, h;
};

/* False: that was the last row. */
static bool write_row(struct walker *w)
{
    w->trace[w->n * w->p->blocks * w->p->threads + w->gid] = w->h;
    return ++w->n < w->p->buffers.at[0].per_thread;
}

enum { NOWHERE = -1, ENDED = -2 };

/* The label that the statements go to, NOWHERE to go on behind them, or ENDED. */
static int walk_list(struct walker *w, const struct fz_node *block)
{
    for (const struct fz_node *s = block->first; s; s = s->next) {
        uint32_t bits = w->h >> s->op & (uint32_t)s->value;
        if (s->kind == FZ_NODE_LEAVE && bits == 0)
            return (int)s->first->value;
        for (; s->kind == FZ_NODE_SPIN && bits; bits = w->h >> s->op & (uint32_t)s->value) {
            w->h = w->h * 2654435761u + 1;
            int to = write_row(w) ? walk_list(w, s->first) : ENDED;
            if (to != NOWHERE)
                return to;
        }
    }
    return NOWHERE;
}

static int walk_state(struct walker *w, const struct fz_node *s)
{
    uint32_t targets = 0, choice;
    w->h = (w->h ^ (uint32_t)s->value) * 2654435761u;
    int to = write_row(w) ? walk_list(w, s->first) : ENDED;
    for (const struct fz_node *t = s->first->next; t; t = t->next)
        targets++;
    if (to != NOWHERE || targets == 0)
        return to;
    choice = targets == 1 ? 0 : w->h >> s->op & (targets == 2 ? 1 : 3);
    return (int)fz_child(s, 1 + (choice < targets ? choice : targets - 1))->value;
}

static const struct fz_node *find_state(const struct fz_node *states, int label)
{
    const struct fz_node *s = states->first;
    while (s && (int)s->name != label)
        s = s->next;
    return s;
}

static bool walk_thread(struct walker *w, const struct fz_node *states)
{
    const struct fz_node *s = states->first;
    while (s) {
        int to = walk_state(w, s);
        if (to == ENDED)
            return true;
        s = to == NOWHERE ? s->next : find_state(states, to);
        if (to != NOWHERE && !s)
            return false; /* a goto to nowhere */
    }
    return true;
}

static bool expect(const struct fz_program *p, uint32_t width, void **contents)
{
    const struct fz_node *graph = fz_kernel(p)->body->first;
    bool ok = true;
    UNUSED(width);
    for (uint32_t gid = 0; graph && ok && gid < p->blocks * p->threads; gid++) {
        struct walker w = {.p = p,
                           .trace = contents[0],
                           .gid = gid,
                           .h = (gid + (uint32_t)(p->seed & 0xffff)) * 2654435761u};
        ok = walk_thread(&w, graph->first);
    }
    return ok;
}

const struct fz_class fz_class_c = {'c', "graphs of goto",
                                    "traces of single threads, reducible and irreducible control flow",
                                    generate, expect};
