/* calls_b.c: parts of class b in which threads run through one function in several calls at a time: in both
 * arms of a branch, directly and by way of another function, and in a loop of one arm. They come to the same
 * convergence barriers and operations without being one group. Functions without convergent operations are
 * called from loops without any, and predicted there and inside each other; they are mostly too large to be
 * inlined.
 */
#include "fuzz/program.h"

enum { PERCENT = 45, FIRST_LABEL = 64 };

/* Of the functions: `leaf` and `quiet`, which calls it, have no convergent operation. `loud` has a loop without
 * any and one behind it, `through` calls it. */
enum function { LEAF, QUIET, LOUD, THROUGH, KERNEL };

struct generator {
    struct fz_program *p;
    struct fz_function *f;
    struct fz_random r;
    uint32_t first; /* number of LEAF */
    uint32_t labels;
};

static uint32_t below(struct generator *g, uint32_t n)
{
    return fz_below(&g->r, n);
}
static bool chance(struct generator *g, uint32_t percent)
{
    return fz_chance(&g->r, percent);
}

static struct fz_node *list(struct generator *g)
{
    return fz_node(g->p, FZ_NODE_BLOCK);
}

/* ---- what they are made of --------------------------------------------------------------------------- */

static struct fz_node *condition(struct generator *g)
{
    return fz_thread_condition(g->p, &g->r, false);
}

static struct fz_node *noise(struct generator *g)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_STIR, below(g, 1u << 20), 0);
    n->flag = chance(g, 50);
    return n;
}

static void add_noise(struct generator *g, struct fz_node *block, uint32_t most)
{
    for (uint32_t i = below(g, most + 1); i > 0; i--)
        fz_add(block, noise(g));
}

static struct fz_node *observation(struct generator *g)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_LOG, below(g, 33), FZ_BALLOT_ALL);
    n->op = (uint8_t)(chance(g, 60) ? FZ_BALLOT_ALL : below(g, FZ_OBSERVATIONS));
    n->name = chance(g, 40);
    return fz_add(n, n->op == FZ_REDUCE_ADD ? fz_leaf(g->p, FZ_NODE_GEOMETRY, 0, FZ_LANE) : condition(g));
}

static struct fz_node *call(struct generator *g, enum function callee)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_INVOKE);
    n->name = n->value = g->first + callee;
    return n;
}

static struct fz_node *predict(struct generator *g, enum fz_predicted what, uint64_t target)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_PREDICT, target, (uint8_t)what);
    n->name = chance(g, 40) ? 0 : 1 + below(g, 4);
    return n;
}

/* Some of the threads do what is in `yes`, the others what is in `no`. */
static struct fz_node *part(struct generator *g, struct fz_node *yes, struct fz_node *no)
{
    return fz_add(fz_add(fz_add(fz_node(g->p, FZ_NODE_IF), condition(g)), yes), no);
}

static struct fz_node *loop_of(struct generator *g, struct fz_node *body)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_LOOP, 7, (uint8_t)below(g, FZ_ENDLESS)), *trips;
    n->name = fz_variable(g->p, g->f, FZ_SCALAR, FZ_UINT, 0);
    g->f->variables.at[n->name].counter = true;
    uint32_t number = below(g, 28), modulus = 2 + below(g, 3);
    trips = chance(g, 30) ? fz_by(g->p, FZ_OP_SHR, fz_node(g->p, FZ_NODE_HASH), number)
                          : fz_lane_number(g->p, 1 + number % 6, modulus);
    return fz_add(fz_add(fz_add(fz_add(n, trips), fz_constant(g->p, FZ_BOOL, 1)), body), list(g));
}

/* ---- functions --------------------------------------------------------------------------------------- */

/* For all threads, or some. */
static void add_predict(struct generator *g, struct fz_node *block, enum fz_predicted what, uint64_t target)
{
    struct fz_node *n = predict(g, what, target);
    fz_add(block, chance(g, 65) ? n : part(g, fz_add(list(g), n), list(g)));
}

/* A loop that calls what has no convergent operations, behind predictions of that or of a label in it. */
static void add_region(struct generator *g, struct fz_node *block)
{
    struct fz_node *body = list(g), *yes = list(g), *no = list(g);
    uint64_t label = FIRST_LABEL + g->labels++;
    add_noise(g, body, 1);
    add_noise(g, yes, 1);
    fz_add(yes, chance(g, 75) ? call(g, chance(g, 60) ? QUIET : LEAF) : noise(g));
    if (chance(g, 30))
        fz_add(yes, fz_node(g->p, FZ_NODE_BREAK));
    if (chance(g, 40))
        fz_add(no, chance(g, 60) ? call(g, chance(g, 40) ? QUIET : LEAF) : noise(g));
    if (chance(g, 40)) {
        fz_add(chance(g, 40) ? body : yes, fz_leaf(g->p, FZ_NODE_LABEL, label, 0));
        add_predict(g, block, FZ_PREDICTED_LABEL, label);
    } else if (chance(g, 85)) {
        add_predict(g, block, FZ_PREDICTED_FUNCTION, g->first + (chance(g, 50) ? QUIET : LEAF));
    }
    fz_add(body, part(g, yes, no));
    add_noise(g, body, 2);
    fz_add(block, loop_of(g, body));
}

static struct fz_node *leaf_body(struct generator *g)
{
    struct fz_node *body = list(g), *yes = list(g);
    add_noise(g, body, 8);
    add_noise(g, yes, 2);
    return chance(g, 50) ? body : fz_add(body, part(g, yes, list(g)));
}

static struct fz_node *quiet_body(struct generator *g)
{
    struct fz_node *body = list(g), *yes = list(g), *again = list(g);
    add_noise(g, body, 6);
    fz_add(body, part(g, fz_add(yes, call(g, LEAF)), list(g)));
    add_noise(g, again, 2);
    if (chance(g, 40))
        fz_add(body, loop_of(g, fz_add(again, noise(g))));
    return body;
}

static struct fz_node *loud_body(struct generator *g)
{
    struct fz_node *body = list(g), *yes = list(g);
    add_noise(g, body, 3);
    if (chance(g, 75))
        add_region(g, body);
    else
        fz_add(body, part(g, fz_add(yes, noise(g)), list(g)));
    return fz_add(body, observation(g));
}

static struct fz_node *through_body(struct generator *g)
{
    struct fz_node *body = list(g);
    add_noise(g, body, 3);
    fz_add(body, call(g, LOUD));
    return chance(g, 50) ? body : fz_add(body, observation(g));
}

/* ---- the kernel's part ------------------------------------------------------------------------------- */

static struct fz_node *arm(struct generator *g)
{
    struct fz_node *block = list(g);
    uint32_t dice = below(g, 100);
    add_noise(g, block, 1);
    if (dice < 55)
        fz_add(block, call(g, chance(g, 65) ? LOUD : THROUGH));
    else if (dice < 75)
        fz_add(block, call(g, QUIET));
    else
        add_region(g, block);
    return chance(g, 60) ? fz_add(block, observation(g)) : block;
}

static void add_to_kernel(struct generator *g)
{
    struct fz_node *body = g->f->body, *branch = part(g, arm(g), arm(g));
    if (chance(g, 25)) {
        struct fz_node *n = call(g, LOUD); /* through one pointer */
        n->value = g->first + THROUGH;
        n->flag = true;
        fz_add(body, n);
    } else if (chance(g, 25)) {
        fz_add(body, loop_of(g, fz_add(list(g), branch)));
    } else {
        fz_add(body, branch);
    }
    fz_add(body, observation(g));
}

void fz_add_calls(struct fz_program *p)
{
    static struct fz_node *(*const bodies[])(struct generator * g) = {leaf_body, quiet_body, loud_body,
                                                                      through_body};
    struct generator g = {.p = p, .r = fz_random(p->seed, 'T'), .first = p->functions.count - 1};
    struct fz_function kernel = *fz_kernel(p);
    if (!fz_is_predicted(p) || !fz_chance(&g.r, PERCENT))
        return;
    vec_resize(p->arena, &p->functions, g.first + KERNEL + 1);
    for (uint32_t i = 0; i < KERNEL; i++) {
        g.f = &p->functions.at[g.first + i];
        *g.f = (struct fz_function){.result = FZ_ULONG};
        g.f->body = bodies[i](&g);
    }
    g.f = &p->functions.at[g.first + KERNEL];
    *g.f = kernel;
    add_to_kernel(&g);
}
