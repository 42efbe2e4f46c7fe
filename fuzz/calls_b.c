/* calls_b.c: parts of class b in which threads run through one function in several calls at a time: in both
 * arms of a branch, directly and by way of another function, and in a loop of one arm. They come to the same
 * convergence barriers and operations without being one group. Functions without convergent operations are
 * called from loops without any, and predicted there and inside each other; they are mostly too large to be
 * inlined.
 */
#include "fuzz/generate.h"

enum { PERCENT = 45, FIRST_LABEL = 64 };

/* Of the functions, which stand in front of the kernel: `leaf` and `quiet`, which calls it, have no convergent
 * operation. `loud` has a loop without any and one behind it, `through` calls it. */
enum function { LEAF, QUIET, LOUD, THROUGH, FUNCTIONS };

static uint32_t number_of(const struct generator *g, enum function f)
{
    return g->p->functions.count - 1 - FUNCTIONS + f;
}

/* ---- what they are made of --------------------------------------------------------------------------- */

static struct fz_node *list(struct generator *g)
{
    return node(g, FZ_NODE_BLOCK);
}

static struct fz_node *stir(struct generator *g)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_STIR, below(g, 1u << 20), 0);
    n->flag = chance(g, 50);
    return n;
}

static void add_stirs(struct generator *g, struct fz_node *block, uint32_t most)
{
    for (uint32_t i = below(g, most + 1); i > 0; i--)
        fz_add(block, stir(g));
}

static struct fz_node *call(struct generator *g, enum function callee)
{
    struct fz_node *n = node(g, FZ_NODE_INVOKE);
    n->name = number_of(g, callee);
    n->value = n->name;
    return n;
}

/* Some of the threads do what is in `yes`, the others what is in `no`. */
static struct fz_node *part(struct generator *g, struct fz_node *yes, struct fz_node *no)
{
    struct fz_node *condition = fz_thread_condition(g->p, &g->r, false);
    return fz_add(fz_add(fz_add(node(g, FZ_NODE_IF), condition), yes), no);
}

static struct fz_node *loop_of(struct generator *g, struct fz_node *body)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_LOOP, 7, (uint8_t)below(g, FZ_ENDLESS));
    uint32_t number = below(g, 28), modulus = 2 + below(g, 3);
    n->name = fz_new_counter(g);
    fz_add(n, chance(g, 30) ? fz_by(g->p, FZ_OP_SHR, node(g, FZ_NODE_HASH), number)
                            : fz_lane_number(g->p, 1 + number % 6, modulus));
    return fz_add(fz_add(fz_add(n, fz_always(g)), body), list(g));
}

/* ---- functions --------------------------------------------------------------------------------------- */

/* For all threads, or some. */
static void add_predict(struct generator *g, struct fz_node *block, enum fz_predicted what, uint64_t target)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_PREDICT, target, (uint8_t)what);
    n->name = chance(g, 40) ? 0 : 1 + below(g, 4);
    fz_add(block, chance(g, 65) ? n : part(g, fz_add(list(g), n), list(g)));
}

/* A loop that calls what has no convergent operations, behind predictions of that or of a label in it. */
static void add_region(struct generator *g, struct fz_node *block)
{
    struct fz_node *body = list(g), *yes = list(g), *no = list(g);
    uint64_t label = FIRST_LABEL + g->regions++;
    add_stirs(g, body, 1);
    add_stirs(g, yes, 1);
    fz_add(yes, chance(g, 75) ? call(g, chance(g, 60) ? QUIET : LEAF) : stir(g));
    if (chance(g, 30))
        fz_add(yes, node(g, FZ_NODE_BREAK));
    if (chance(g, 40))
        fz_add(no, chance(g, 60) ? call(g, chance(g, 40) ? QUIET : LEAF) : stir(g));
    if (chance(g, 40)) {
        fz_add(chance(g, 40) ? body : yes, fz_leaf(g->p, FZ_NODE_LABEL, label, 0));
        add_predict(g, block, FZ_PREDICTED_LABEL, label);
    } else if (chance(g, 85)) {
        add_predict(g, block, FZ_PREDICTED_FUNCTION, number_of(g, chance(g, 50) ? QUIET : LEAF));
    }
    fz_add(body, part(g, yes, no));
    add_stirs(g, body, 2);
    fz_add(block, loop_of(g, body));
}

static void make_leaf(struct generator *g, struct fz_node *body)
{
    struct fz_node *yes = list(g);
    add_stirs(g, body, 8);
    add_stirs(g, yes, 2);
    if (chance(g, 50))
        fz_add(body, part(g, yes, list(g)));
}

static void make_quiet(struct generator *g, struct fz_node *body)
{
    struct fz_node *again = list(g);
    add_stirs(g, body, 6);
    fz_add(body, part(g, fz_add(list(g), call(g, LEAF)), list(g)));
    add_stirs(g, again, 2);
    if (chance(g, 40))
        fz_add(body, loop_of(g, fz_add(again, stir(g))));
}

static void make_loud(struct generator *g, struct fz_node *body)
{
    add_stirs(g, body, 3);
    if (chance(g, 75))
        add_region(g, body);
    else
        fz_add(body, part(g, fz_add(list(g), stir(g)), list(g)));
    fz_add(body, fz_make_log(g));
}

static void make_through(struct generator *g, struct fz_node *body)
{
    add_stirs(g, body, 3);
    fz_add(body, call(g, LOUD));
    if (chance(g, 50))
        fz_add(body, fz_make_log(g));
}

/* ---- the kernel's part ------------------------------------------------------------------------------- */

static struct fz_node *arm(struct generator *g)
{
    struct fz_node *block = list(g);
    uint32_t dice = below(g, 100);
    add_stirs(g, block, 1);
    if (dice < 55)
        fz_add(block, call(g, chance(g, 65) ? LOUD : THROUGH));
    else if (dice < 75)
        fz_add(block, call(g, QUIET));
    else
        add_region(g, block);
    return chance(g, 60) ? fz_add(block, fz_make_log(g)) : block;
}

static void add_to_kernel(struct generator *g)
{
    struct fz_node *yes = arm(g), *n = part(g, yes, arm(g));
    uint32_t dice = below(g, 100);
    if (dice < 25) { /* through one pointer */
        n = call(g, LOUD);
        n->value = number_of(g, THROUGH);
        n->flag = true;
    } else if (dice < 45) {
        n = loop_of(g, fz_add(list(g), n));
    }
    fz_add(fz_add(g->f->body, n), fz_make_log(g));
}

void fz_add_calls(struct fz_program *p)
{
    static void (*const makers[])(struct generator *, struct fz_node *) = {
        [LEAF] = make_leaf, [QUIET] = make_quiet, [LOUD] = make_loud, [THROUGH] = make_through};
    struct generator g = {.p = p, .r = fz_random(p->seed, 'T'), .row = FZ_ROW_Q};
    struct fz_function kernel = *fz_kernel(p);
    if (!fz_is_predicted(p) || !chance(&g, PERCENT))
        return;
    vec_resize(p->arena, &p->functions, p->functions.count + FUNCTIONS);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        g.f = &p->functions.at[number_of(&g, i)];
        *g.f = (struct fz_function){.result = FZ_ULONG, .body = list(&g)};
        makers[i](&g, g.f->body);
    }
    g.f = fz_kernel(p);
    *g.f = kernel;
    add_to_kernel(&g);
}
