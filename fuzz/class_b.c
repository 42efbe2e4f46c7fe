/* class_b.c: class b: reconvergence programs, after the idea of the Vulkan conformance suite's reconvergence
 * tests: control flow nested at random over conditions on lanes, loop counters and hashes; between,
 * convergent operations whose results each thread writes to a log, row after row. A reference that knows only
 * the language's rules on tokens (reference.c) says what every row has to be, for each warp width.
 *
 * In 10 % of the branches both arms are the same text, in 10 % nearly (vary.c), to tempt optimisers.
 */
#include "fuzz/class_b.h"

enum { MAX_ROWS = 384, MAX_TRIES = 50 };

static uint32_t below(struct generator *g, uint32_t n)
{
    return fz_below(&g->r, n);
}

/* ---- control flow ------------------------------------------------------------------------------------ */

static struct fz_node *inner_block(struct generator *g, uint32_t most)
{
    g->depth++;
    struct fz_node *block = fz_b_block(g, most);
    g->depth--;
    return block;
}

static struct fz_node *random_jump(struct generator *g)
{
    switch (below(g, 6)) {
    case 0:
    case 1:
    case 2: return g->may_break ? fz_node(g->p, FZ_NODE_BREAK) : NULL;
    case 3: return g->may_continue ? fz_node(g->p, FZ_NODE_CONTINUE) : NULL;
    case 4: return g->quiet && fz_chance(&g->r, 80) ? NULL : fz_node(g->p, FZ_NODE_RETURN);
    default: break;
    }
    if (!g->may_throw)
        return NULL;
    g->f->throws = true;
    return fz_node(g->p, FZ_NODE_THROW);
}

static struct fz_node *nearly_the_same(struct generator *g, const struct fz_node *arm)
{
    struct fz_variation v = {.p = g->p, .f = g->f, .r = &g->r};
    return fz_varied(&v, arm);
}

static struct fz_node *random_if(struct generator *g)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_IF), *jump = fz_chance(&g->r, 35) ? random_jump(g) : NULL;
    fz_add(fz_add(n, fz_b_condition(g, 2)), inner_block(g, jump ? 1 : 3));
    if (jump)
        fz_add(n->first->next, jump);
    if (fz_chance(&g->r, 10))
        return fz_add(n, fz_clone(g->p, n->first->next));
    if (fz_chance(&g->r, 10))
        return fz_add(n, nearly_the_same(g, n->first->next));
    return fz_add(n, fz_chance(&g->r, 55) ? inner_block(g, 3) : fz_node(g->p, FZ_NODE_BLOCK));
}

/* What a case ends by: mostly a break; after a constant, now and then a jump that goes elsewhere. */
static struct fz_node *end_of_case(struct generator *g, bool constant)
{
    if (constant && fz_chance(&g->r, g->quiet ? 5 : 20))
        return fz_node(g->p, g->may_continue && fz_chance(&g->r, 40) ? FZ_NODE_CONTINUE : FZ_NODE_RETURN);
    return fz_chance(&g->r, 65) ? fz_node(g->p, FZ_NODE_BREAK) : NULL;
}

/* `constants`: how many there are for the hash. A case that sets it, and nothing else, becomes an edge with
 * an argument. */
static struct fz_node *random_case(struct generator *g, uint32_t constants)
{
    bool constant = constants && fz_chance(&g->r, 75);
    struct fz_node *c = fz_node(g->p, FZ_NODE_CASE), *body, *end;
    if (constant)
        body = fz_add(fz_node(g->p, FZ_NODE_BLOCK),
                      fz_assign(g->p, fz_node(g->p, FZ_NODE_HASH),
                                fz_constant(g->p, FZ_UINT, 1 + below(g, constants))));
    else
        body = inner_block(g, 2);
    if ((end = end_of_case(g, constant)) != NULL)
        fz_add(body, end);
    return fz_add(c, body);
}

static struct fz_node *random_switch(struct generator *g)
{
    bool outer = g->may_break;
    uint32_t constants = fz_chance(&g->r, 40) ? 1 + below(g, 3) : 0;
    struct fz_node *n = fz_b_leaf(g, FZ_NODE_SWITCH, 3, 0), *cases = fz_node(g->p, FZ_NODE_BLOCK);
    struct fz_node *last = NULL;
    uint32_t count = 2 + below(g, 3), otherwise = below(g, 5);
    fz_add(n, fz_b_number(g, below(g, 4)));
    g->may_break = true;
    for (uint32_t i = 0; i < count; i++) {
        bool same = last && fz_chance(&g->r, 10);
        struct fz_node *c = same ? fz_add(fz_node(g->p, FZ_NODE_CASE), nearly_the_same(g, last->first))
                                 : random_case(g, constants);
        last = c;
        c->value = i;
        c->flag = i == otherwise;
        fz_add(cases, c);
    }
    g->may_break = outer;
    return fz_add(n, cases);
}

static uint32_t new_counter(struct generator *g)
{
    uint32_t v = fz_variable(g->p, g->f, FZ_SCALAR, FZ_UINT, 0);
    g->f->variables.at[v].counter = true;
    return v;
}

/* Before what is in the list: a call that some of the threads make, mostly of one of the first functions, which
 * are the likeliest to be quiet. */
static void begin_with_call(struct generator *g, struct fz_node *list)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_IF), *call = fz_b_invoke(g);
    uint32_t callees = (uint32_t)(g->f - g->p->functions.at), early = below(g, callees > 1 ? 2 : 1);
    if (call == NULL)
        return;
    if (fz_chance(&g->r, 75) && !g->p->functions.at[early].throws) {
        call->name = early;
        call->flag = false;
    }
    fz_add(fz_add(n, fz_b_simple_condition(g)), fz_add(fz_node(g->p, FZ_NODE_BLOCK), call));
    fz_add(n, fz_chance(&g->r, 40) ? inner_block(g, 2) : fz_node(g->p, FZ_NODE_BLOCK));
    n->next = list->first;
    list->first = n;
}

static struct fz_node *random_loop(struct generator *g)
{
    struct generator outer = *g;
    struct fz_node *n = fz_b_leaf(g, FZ_NODE_LOOP, 3, (uint8_t)below(g, FZ_LOOP_FORMS));
    n->flag = n->op == FZ_FOR && fz_chance(&g->r, 20);
    n->name = g->counters[g->loops++] = new_counter(g);
    fz_add(n, fz_b_number(g, 1 + below(g, 3)));
    fz_add(n, fz_chance(&g->r, 25) ? fz_b_condition(g, 2) : fz_constant(g->p, FZ_BOOL, 1));
    g->may_break = g->may_continue = true;
    struct fz_node *body = inner_block(g, 4);
    if (g->quiet && fz_chance(&g->r, 50))
        begin_with_call(g, body);
    fz_add(n, body);
    g->may_break = g->may_continue = false;
    fz_add(n, n->op == FZ_ENDLESS ? inner_block(g, 2) : fz_node(g->p, FZ_NODE_BLOCK));
    g->may_break = outer.may_break, g->may_continue = outer.may_continue, g->loops = outer.loops;
    return n;
}

static struct fz_node *random_try(struct generator *g)
{
    bool could = g->may_throw, threw = g->f->throws;
    struct fz_node *n = fz_node(g->p, FZ_NODE_TRY);
    g->may_throw = true;
    fz_add(n, inner_block(g, 3));
    struct fz_node *call = fz_b_invoke(g);
    if (call)
        fz_add(n->first, call);
    g->may_throw = could;
    g->f->throws = threw;
    return fz_add(n, inner_block(g, 2));
}

struct fz_node *fz_b_invoke(struct generator *g)
{
    uint32_t callees = (uint32_t)(g->f - g->p->functions.at);
    if (callees == 0 || g->silent)
        return NULL;
    struct fz_node *n = fz_b_leaf(g, FZ_NODE_INVOKE, below(g, callees), 0);
    n->name = below(g, callees);
    for (uint32_t i = 0; i < 3 && g->may_throw && !g->p->functions.at[n->name].throws; i++)
        n->name = below(g, callees);
    n->flag = g->is_kernel && fz_chance(&g->r, 25); /* see begin_call in class_a_expr.c */
    bool throws = g->p->functions.at[n->name].throws || (n->flag && g->p->functions.at[n->value].throws);
    if (throws && !g->may_throw)
        return NULL;
    g->f->throws |= throws;
    return n;
}

/* A loop without convergent operations, for threads to be apart in by a prediction, and an operation that shows
 * whether they have come together behind it. */
static void add_region(struct generator *g, struct fz_node *block)
{
    struct generator outer = *g;
    g->quiet = true;
    g->budget = 4 + below(g, 10);
    g->most_depth = g->depth + 1 + below(g, 3);
    g->may_throw = false;
    struct fz_node *loop = random_loop(g);
    loop->value = 7;
    struct fz_random r = g->r;
    uint32_t regions = g->regions;
    *g = outer;
    g->r = r;
    g->regions = regions + 1;
    fz_add(fz_add(block, loop), fz_b_log(g));
}

static bool wants_region(struct generator *g, uint32_t percent)
{
    return g->is_predicted && !g->quiet && g->regions < 3 && g->loops < 3 && fz_chance(&g->r, percent);
}

/* ---- any --------------------------------------------------------------------------------------------- */

static struct fz_node *random_construct(struct generator *g)
{
    uint32_t dice = below(g, 100);
    if (dice < 38)
        return random_if(g);
    if (dice < 72)
        return g->loops < 4 ? random_loop(g) : random_if(g);
    if (dice < (g->quiet ? 78 : 84))
        return random_switch(g);
    return dice < (g->quiet ? 80 : 90) ? random_try(g) : fz_b_invoke(g);
}

static struct fz_node *random_statement(struct generator *g)
{
    if (g->budget == 0)
        return NULL;
    g->budget--;
    if (g->depth < g->most_depth && fz_chance(&g->r, 50))
        return random_construct(g);
    return fz_chance(&g->r, 75) ? fz_b_observation(g) : fz_b_noise(g);
}

/* Begins or ends by an observation more often than not. */
struct fz_node *fz_b_block(struct generator *g, uint32_t most)
{
    struct fz_node *block = fz_node(g->p, FZ_NODE_BLOCK), *s;
    if (fz_chance(&g->r, 30))
        fz_add(block, fz_b_observation(g));
    for (uint32_t count = 1 + below(g, most); count > 0; count--)
        if ((s = random_statement(g)) != NULL)
            fz_add(block, s);
    if (wants_region(g, 15))
        add_region(g, block);
    return fz_chance(&g->r, 40) ? fz_add(block, fz_b_observation(g)) : block;
}

/* Some threads throw. */
static struct fz_node *random_throw(struct generator *g)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_IF), *arm = fz_node(g->p, FZ_NODE_BLOCK);
    g->f->throws = true;
    fz_add(fz_add(n, fz_b_simple_condition(g)), fz_add(arm, fz_node(g->p, FZ_NODE_THROW)));
    return fz_add(n, fz_node(g->p, FZ_NODE_BLOCK));
}

static void make_function(struct generator *g, bool is_kernel)
{
    g->is_kernel = is_kernel;
    g->f->result = FZ_ULONG;
    g->f->is_void = is_kernel;
    g->depth = g->loops = g->regions = 0;
    g->may_break = g->may_continue = false;
    g->may_throw = !is_kernel && fz_chance(&g->r, 45);
    g->most_depth = is_kernel ? 2 + below(g, 5) : 1 + below(g, 3);
    g->budget = is_kernel ? 8 + below(g, 25) : 2 + below(g, 8);
    g->f->body = fz_b_block(g, is_kernel ? 6 : 3);
    if (fz_chance(&g->r, 60) && (g->may_throw || is_kernel))
        fz_add(g->f->body, is_kernel ? random_try(g) : random_throw(g));
    if (!is_kernel && g->is_predicted && fz_chance(&g->r, 50))
        begin_with_call(g, g->f->body);
    if (is_kernel && wants_region(g, 60))
        add_region(g, g->f->body);
    else if (is_kernel)
        fz_add(g->f->body, fz_b_log(g));
}

static void try_generate(struct fz_program *p, uint32_t attempt)
{
    static const uint8_t threads[] = {4, 8, 13, 16, 32, 32, 40, 64};
    struct generator g = {.p = p,
                          .r = fz_random(p->seed, (uint64_t)p->class + 256 * attempt),
                          .is_predicted = fz_is_predicted(p)};
    struct fz_buffer buffers[] = {{"log", FZ_ULONG, false, MAX_ROWS, 0},
                                  {"noise", FZ_UINT, false, 1, 0},
                                  {"input", FZ_INT, true, 0, FZ_INPUTS}};
    p->blocks = fz_chance(&g.r, 80) ? 1 : 2;
    p->threads = threads[below(&g, COUNT(threads))];
    vec_clear(&p->buffers);
    for (size_t i = 0; i < COUNT(buffers); i++)
        vec_push(p->arena, &p->buffers, buffers[i]);
    for (uint32_t i = 0; i < FZ_INPUTS; i++)
        p->inputs[i] = (int32_t)below(&g, 100);
    uint32_t functions = below(&g, 4);
    vec_resize(p->arena, &p->functions, functions + 1);
    memset(p->functions.at, 0, (functions + 1) * sizeof *p->functions.at);
    for (uint32_t i = 0; i <= functions; i++) {
        g.f = &p->functions.at[i];
        make_function(&g, i == functions);
    }
}

/* Whether it stays within its rows at every width that is tried. */
static bool is_short(const struct fz_program *p)
{
    static const uint32_t widths[] = {1, 4, 8, 16, 32, 64};
    struct arena a = {0};
    bool ok = true;
    for (size_t w = 0; ok && w < COUNT(widths); w++) {
        void *contents[3];
        for (uint32_t i = 0; i < COUNT(contents); i++)
            contents[i] = arena_alloc_array(&a, 8, fz_elements(p, &p->buffers.at[i]));
        memcpy(contents[2], p->inputs, sizeof p->inputs);
        ok = fz_expect(p, widths[w], contents);
    }
    arena_free(&a);
    return ok;
}

void fz_b_generate(struct fz_program *p, void (*add)(struct fz_program *p, uint32_t attempt))
{
    for (uint32_t attempt = 0; attempt < MAX_TRIES; attempt++) {
        try_generate(p, attempt);
        fz_make_parts_quiet(p);
        fz_add_calls(p);
        add(p, attempt);
        if (is_short(p))
            return;
    }
    fz_kernel(p)->body = fz_node(p, FZ_NODE_BLOCK); /* never seen; an empty program is right as well */
}

static void add_gates(struct fz_program *p, uint32_t attempt)
{
    UNUSED(attempt);
    fz_add_gates(p);
}

static void generate(struct fz_program *p)
{
    fz_b_generate(p, add_gates);
}

const struct fz_class fz_class_b = {'b',
                                    "reconvergence programs",
                                    "the sets of threads of convergent operations, by reference",
                                    generate,
                                    fz_expect,
                                    NULL};
