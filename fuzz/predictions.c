/* predictions.c: puts Predicts and labels at random places of a program's tree: in loops and around them,
 * nested and crossing, several for one label, of functions, with and without thresholds; and where they are
 * refused. By docs/language.md a Predict never changes what is computed: references pass them over.
 *
 * A prediction with a convergent operation in its region is not honoured. So that many are, parts of programs
 * of class b are made quiet: what they observe becomes noise.
 */
#include "fuzz/program.h"

enum { PREDICTED_PERCENT = 50, MAX_PREDICTIONS = 4, MAX_LANES = 64 };

struct spot {
    struct fz_node *list, *loop; /* loop: the innermost around it, or NULL */
    bool quiet;                  /* no convergent operation is in that loop, and in what it calls */
};
/* A function that may be called in a quiet loop. */
struct call {
    uint32_t callee;
    const struct fz_node *loop;
};
struct generator {
    struct fz_program *p;
    struct fz_random r;
    uint32_t function;
    VEC(struct spot) spots; /* of the function */
    VEC(struct call) calls;
    uint64_t loud; /* functions with convergent operations, or that call such, a bit each */
    uint32_t labels;
};

static uint32_t below(struct generator *g, uint32_t n)
{
    return fz_below(&g->r, n);
}

/* ---- quiet loops ------------------------------------------------------------------------------------- */

struct listener {
    uint64_t loud;
    bool heard;
};

static void listen(const struct fz_node *n, void *data)
{
    struct listener *l = data;
    l->heard |= n->kind == FZ_NODE_LOG || n->kind == FZ_NODE_VOTE || n->kind == FZ_NODE_ELECT ||
                n->kind == FZ_NODE_CONVERGE || n->kind == FZ_NODE_EXCHANGE || n->kind == FZ_NODE_PUBLISH ||
                n->kind == FZ_NODE_GATHER || n->kind == FZ_NODE_GATE || n->kind == FZ_NODE_BARRIER;
    l->heard |= n->kind == FZ_NODE_INVOKE && (l->loud >> n->name & 1 || (n->flag && l->loud >> n->value & 1));
}

static bool is_quiet(const struct generator *g, const struct fz_node *n)
{
    struct listener l = {.loud = g->loud};
    fz_walk(n, listen, &l);
    return !l.heard;
}

/* Functions call earlier ones only. */
static void find_loud(struct generator *g)
{
    for (uint32_t i = 0; i < g->p->functions.count; i++)
        g->loud |= (uint64_t)!is_quiet(g, g->p->functions.at[i].body) << i;
}

/* ---- places ------------------------------------------------------------------------------------------ */

static bool holds_lists(const struct fz_node *list)
{
    return list->first && (list->first->kind == FZ_NODE_CASE || list->first->kind == FZ_NODE_STATE);
}

static bool is_loop(const struct fz_node *n)
{
    return n->kind == FZ_NODE_LOOP || n->kind == FZ_NODE_SPIN || n->kind == FZ_NODE_FOREVER ||
           n->kind == FZ_NODE_REPEAT;
}

static void gather(struct generator *g, struct fz_node *list, struct fz_node *loop);

static void gather_below(struct generator *g, struct fz_node *n, struct fz_node *loop)
{
    for (struct fz_node *child = n->first; child; child = child->next) {
        bool unseen = n->kind == FZ_NODE_LOOP && n->op != FZ_ENDLESS && !child->next;
        if (fz_node_info[child->kind].category != FZ_LIST || unseen)
            continue;
        if (!holds_lists(child)) {
            gather(g, child, is_loop(n) ? n : loop);
            continue;
        }
        for (struct fz_node *part = child->first; part; part = part->next)
            gather(g, part->first, loop);
    }
}

static void gather(struct generator *g, struct fz_node *list, struct fz_node *loop)
{
    bool quiet = loop && is_quiet(g, loop);
    vec_push(g->p->arena, &g->spots, ((struct spot){list, loop, quiet}));
    for (struct fz_node *s = list->first; s; s = s->next) {
        for (uint32_t i = 0; s->kind == FZ_NODE_INVOKE && quiet && i <= s->flag; i++)
            vec_push(g->p->arena, &g->calls, ((struct call){i ? (uint32_t)s->value : s->name, loop}));
        gather_below(g, s, loop);
    }
}

static void begin_function(struct generator *g, uint32_t function)
{
    g->function = function;
    vec_clear(&g->spots);
    vec_clear(&g->calls);
    gather(g, g->p->functions.at[function].body, NULL);
}

enum where { ANYWHERE, IN_LOOP, IN_QUIET_LOOP };

static bool is_at(const struct spot *s, enum where where)
{
    return where == ANYWHERE || (s->loop && (where == IN_LOOP || s->quiet));
}

/* There, if there is one. */
static const struct spot *random_spot(struct generator *g, enum where where)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->spots.count; i++)
        count += is_at(&g->spots.at[i], where);
    if (!count)
        return random_spot(g, where - 1);
    uint32_t chosen = below(g, count);
    for (uint32_t i = 0;; i++)
        if (is_at(&g->spots.at[i], where) && chosen-- == 0)
            return &g->spots.at[i];
}

static void insert(struct generator *g, struct fz_node *list, struct fz_node *n)
{
    struct fz_node **link = &list->first;
    uint32_t length = 0;
    for (const struct fz_node *s = list->first; s; s = s->next)
        length++;
    for (uint32_t i = below(g, length + 1); i > 0; i--)
        link = &(*link)->next;
    n->next = *link;
    *link = n;
}

/* In front of the loop; false: it is not in the function. */
static bool insert_before(const struct generator *g, const struct fz_node *loop, struct fz_node *n)
{
    for (uint32_t i = 0; i < g->spots.count; i++)
        for (struct fz_node **link = &g->spots.at[i].list->first; *link; link = &(*link)->next)
            if (*link == loop) {
                n->next = *link;
                *link = n;
                return true;
            }
    return false;
}

static const struct fz_node *loop_around(const struct generator *g, const struct fz_node *loop)
{
    for (uint32_t i = 0; i < g->spots.count; i++)
        for (const struct fz_node *s = g->spots.at[i].list->first; s; s = s->next)
            if (s == loop)
                return g->spots.at[i].loop;
    return NULL;
}

/* ---- predictions ------------------------------------------------------------------------------------- */

static uint32_t random_threshold(struct generator *g)
{
    switch (below(g, 4)) {
    case 0: return 1 + below(g, MAX_LANES);
    case 1: return 1 + below(g, 8);
    default: return 0;
    }
}

static void add_predict(struct generator *g, enum fz_predicted what, uint64_t target,
                        const struct fz_node *loop)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_PREDICT);
    n->op = (uint8_t)what;
    n->value = target;
    n->name = random_threshold(g);
    bool quiet = loop && is_quiet(g, loop);
    for (const struct fz_node *outer; loop && (outer = loop_around(g, loop)) != NULL; loop = outer)
        if (fz_chance(&g->r, quiet && !is_quiet(g, outer) ? 90 : 60))
            break;
    if (!loop || fz_chance(&g->r, quiet ? 15 : 40) || !insert_before(g, loop, n))
        insert(g, random_spot(g, ANYWHERE)->list, n);
}

static const struct fz_node *random_state(struct generator *g)
{
    const struct fz_node *graph = fz_kernel(g->p)->body->first;
    uint32_t count = 0;
    while (graph->kind != FZ_NODE_GRAPH)
        graph = graph->next;
    for (const struct fz_node *s = graph->first->first; s; s = s->next)
        count++;
    return fz_child(graph->first, below(g, count));
}

static void predict_label(struct generator *g)
{
    enum where where = fz_chance(&g->r, 60) ? IN_QUIET_LOOP : fz_chance(&g->r, 50) ? IN_LOOP : ANYWHERE;
    const struct spot *spot = random_spot(g, where);
    const struct fz_node *loop = spot->loop;
    bool is_state = g->p->class == 'c' && fz_chance(&g->r, 70);
    uint64_t target = is_state ? random_state(g)->name : g->labels++;
    if (!is_state) {
        struct fz_node *label = fz_node(g->p, FZ_NODE_LABEL);
        label->value = target;
        insert(g, spot->list, label);
    }
    do
        add_predict(g, is_state ? FZ_PREDICTED_STATE : FZ_PREDICTED_LABEL, target, is_state ? NULL : loop);
    while (fz_chance(&g->r, 25));
}

static void note_call(const struct fz_node *n, void *data)
{
    uint32_t *callee = data;
    if (n->kind == FZ_NODE_INVOKE)
        *callee = n->name;
}

/* What the function calls, or one farther down, or the function itself. */
static uint32_t function_below(struct generator *g, uint32_t function)
{
    for (uint32_t next; fz_chance(&g->r, 60); function = next) {
        next = function;
        fz_walk(g->p->functions.at[function].body, note_call, &next);
        if (next == function)
            break;
    }
    return function;
}

/* From functions that call it, or not, or by others. */
static void predict_function(struct generator *g)
{
    bool known = g->calls.count && fz_chance(&g->r, 75);
    const struct call *call = known ? &g->calls.at[below(g, g->calls.count)] : NULL;
    uint32_t callee = known ? function_below(g, call->callee) : 0;
    do {
        const struct fz_node *loop = known ? call->loop : random_spot(g, IN_LOOP)->loop;
        add_predict(g, FZ_PREDICTED_FUNCTION, known ? callee : below(g, g->function), loop);
    } while (fz_chance(&g->r, 25));
    if (!known || call->callee == callee || !fz_chance(&g->r, 20))
        return;
    begin_function(g, call->callee); /* there too, in the region of the first */
    add_predict(g, FZ_PREDICTED_FUNCTION, callee, random_spot(g, IN_LOOP)->loop);
}

static void predict(struct generator *g)
{
    uint64_t reached = fz_reached(g->p);
    uint32_t kernel = g->p->functions.count - 1, function;
    do
        function = fz_chance(&g->r, 60) ? kernel : below(g, kernel + 1);
    while (!(reached >> function & 1));
    begin_function(g, function);
    if (function > 0 && fz_chance(&g->r, g->calls.count ? 60 : 30))
        predict_function(g);
    else
        predict_label(g);
}

/* ---- quiet parts of class b -------------------------------------------------------------------------- */

static void make_quiet(struct generator *g, struct fz_node *n)
{
    struct fz_node *next = n->next;
    if (n->kind == FZ_NODE_LOG)
        *n = *fz_noise(g->p, below(g, 1u << 20));
    else if (n->kind == FZ_NODE_VOTE || n->kind == FZ_NODE_ELECT)
        *n = *fz_thread_condition(g->p, &g->r, false);
    n->next = next;
    for (struct fz_node *child = n->first; child; child = child->next)
        make_quiet(g, child);
}

/* Hashes, and with them the ways of threads, become others. */
void fz_make_parts_quiet(struct fz_program *p)
{
    struct generator g = {.p = p, .r = fz_random(p->seed, 'Q')};
    uint32_t kernel = p->functions.count - 1;
    if (!fz_is_predicted(p))
        return;
    for (uint32_t i = 0; fz_chance(&g.r, 80) && i < kernel; i++)
        make_quiet(&g, p->functions.at[i].body);
    begin_function(&g, kernel);
    for (uint32_t i = 1 + below(&g, 3); i > 0; i--) {
        struct fz_node *loop = random_spot(&g, IN_LOOP)->loop;
        if (loop)
            make_quiet(&g, loop);
    }
    if (fz_chance(&g.r, 30))
        make_quiet(&g, p->functions.at[kernel].body);
}

/* ---- programs ---------------------------------------------------------------------------------------- */

bool fz_is_predicted(const struct fz_program *p)
{
    struct fz_random r = fz_random(p->seed, 'P');
    return fz_chance(&r, PREDICTED_PERCENT);
}

void fz_predict(struct fz_program *p)
{
    struct generator g = {.p = p, .r = fz_random(p->seed, 'L')};
    if (p->module || p->sequence || p->locks || !fz_is_predicted(p))
        return;
    find_loud(&g);
    for (uint32_t i = 1 + below(&g, MAX_PREDICTIONS); i > 0; i--)
        predict(&g);
}
