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

static struct fz_node *random_leave(struct generator *g, uint32_t from, uint32_t to)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_LEAVE);
    n->op = (uint8_t)below(g, 28);
    n->value = fz_chance(&g->r, 50) ? 3 : 7;
    return fz_add(n, edge(g, from, to));
}

static struct fz_node *random_spin(struct generator *g, uint32_t from)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_SPIN), *body = fz_node(g->p, FZ_NODE_BLOCK);
    n->op = (uint8_t)below(g, 28);
    n->value = fz_chance(&g->r, 50) ? 1 : 3;
    if (fz_chance(&g->r, 60))
        fz_add(body, random_leave(g, from, random_target(g, from)));
    return fz_add(n, body);
}

/* ---- arms alike -------------------------------------------------------------------------------------- */

static struct fz_node *random_fork(struct generator *g, uint32_t from, uint32_t depth);

static struct fz_node *random_arm(struct generator *g, uint32_t from, uint32_t depth)
{
    struct fz_node *arm = fz_node(g->p, FZ_NODE_BLOCK);
    for (uint32_t n = 2 + below(g, 5); n > 0; n--) {
        struct fz_node *mix = fz_node(g->p, FZ_NODE_MIX);
        mix->op = (uint8_t)below(g, FZ_MIXES);
        mix->value = fz_next(&g->r) & 0xffff;
        fz_add(arm, mix);
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
    struct fz_node *n = fz_node(g->p, FZ_NODE_FORK), *arm = random_arm(g, from, depth);
    n->op = (uint8_t)below(g, 28);
    n->value = fz_chance(&g->r, 70) ? 1 : 3;
    return fz_add(fz_add(n, arm), fz_varied(&v, arm));
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

/* ---- the reference ----------------------------------------------------------------------------------- */

struct walker {
    const struct fz_program *p;
    uint32_t *trace;
    uint32_t gid, n, h, guide;
    bool failed; /* out of rows: a thread that does not end */
};

static void write_row(struct walker *w)
{
    w->failed |= w->n >= w->p->buffers.at[0].per_thread;
    if (!w->failed)
        w->trace[w->n++ * w->p->blocks * w->p->threads + w->gid] = w->h;
    w->guide = w->n < FZ_FUEL ? w->h : 0;
}

static uint32_t guided(const struct walker *w, const struct fz_node *n, uint64_t mask)
{
    return w->guide >> n->op & (uint32_t)mask;
}

enum { NOWHERE = -1 };

static int follow(struct walker *w, const struct fz_node *target)
{
    w->h += target->name;
    return (int)target->value;
}

static uint32_t mixed(uint32_t h, const struct fz_node *n)
{
    uint32_t value = (uint32_t)n->value;
    switch (n->op) {
    case 0: return (h ^ value) * 2654435761u;
    case 1: return (h >> 7 ^ h) + value;
    case 2: return h * 5 - value;
    default: return (h << 3 | h >> 29) ^ value;
    }
}

/* The label that the statements go to, or NOWHERE to go on behind them. */
static int walk_list(struct walker *w, const struct fz_node *block)
{
    for (const struct fz_node *s = block->first; s; s = s->next) {
        if (s->kind == FZ_NODE_LEAVE && guided(w, s, s->value) == 0)
            return follow(w, s->first);
        while (s->kind == FZ_NODE_SPIN && guided(w, s, s->value) && !w->failed) {
            w->h = w->h * 2654435761u + 1;
            write_row(w);
            int to = walk_list(w, s->first);
            if (to != NOWHERE)
                return to;
        }
        if (s->kind == FZ_NODE_MIX)
            w->h = mixed(w->h, s);
        if (s->kind == FZ_NODE_FORK) {
            int to = walk_list(w, fz_child(s, guided(w, s, s->value) != 0));
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
    write_row(w);
    int to = walk_list(w, s->first);
    for (const struct fz_node *t = s->first->next; t; t = t->next)
        targets++;
    if (to != NOWHERE || targets == 0)
        return to;
    choice = targets == 1 ? 0 : guided(w, s, targets == 2 ? 1 : 3);
    return follow(w, fz_child(s, 1 + (choice < targets ? choice : targets - 1)));
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
    while (s && !w->failed) {
        int to = walk_state(w, s);
        s = to == NOWHERE ? s->next : find_state(states, to);
        if (to != NOWHERE && to != FZ_END && !s)
            return false; /* a goto to nowhere */
    }
    return !w->failed;
}

static bool expect(const struct fz_program *p, uint32_t width, void **contents)
{
    const struct fz_node *graph = fz_kernel(p)->body->first;
    bool ok = true;
    UNUSED(width);
    while (graph && graph->kind != FZ_NODE_GRAPH) /* predictions stand before it */
        graph = graph->next;
    for (uint32_t gid = 0; graph && ok && gid < p->blocks * p->threads; gid++) {
        struct walker w = {.p = p,
                           .trace = contents[0],
                           .gid = gid,
                           .h = (gid + (uint32_t)(p->seed & 0xffff)) * 2654435761u};
        ok = walk_thread(&w, graph->first);
    }
    return ok;
}

const struct fz_class fz_class_c = {
    'c',      "graphs of goto", "traces of single threads, reducible and irreducible control flow",
    generate, expect,           NULL};
