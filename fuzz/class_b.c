/* class_b.c: class b: reconvergence programs, after the idea of the Vulkan conformance suite's reconvergence
 * tests: control flow nested at random over conditions on lanes, loop counters and hashes; between,
 * convergent operations whose results each thread writes to a log, row after row. A reference that knows only
 * the language's rules on tokens (reference.c) says what every row has to be, for each warp width.
 *
 * In 10 % of the branches both arms are the same text, in 10 % nearly (vary.c), to tempt optimisers.
 */
#include "fuzz/generate.h"

enum { MAX_ROWS = 384, MAX_TRIES = 50, MOST_GATES = 2, FIRST_LABEL = 64 };
enum { GATES = 30, CALLS = 45 }; /* percent of programs, of predicted ones */

/* ---- gates ------------------------------------------------------------------------------------------- */

/* Threads of both sides of a branch may return and may come to a barrier, and all of one side return. An
 * input says which, so a compiler can't know it. The others pass their barrier when those have returned,
 * and are all that is left of the kernel: so a gate stands where all threads come that have not returned,
 * at the end of the kernel or behind another gate's barrier, and may be passed several times. BESIDE has it
 * the other way round: those behind the barrier return, and the others go on, so it is at the end alone. */
/* quiet: nothing convergent. */
static struct fz_node *gate_list(struct generator *g, bool quiet)
{
    struct fz_node *block = node(g, FZ_NODE_BLOCK), *n;
    g->column = quiet ? FZ_COLUMN_Q : FZ_COLUMN_B;
    for (uint32_t i = below(g, 3); i > 0; i--)
        fz_add(block, fz_make_simple(g));
    if (chance(g, 30)) { /* some leave for themselves, and nobody waits for them on the way */
        n = fz_some(g, fz_thread_condition(g->p, &g->r, true), fz_leaf(g->p, FZ_NODE_STIR, 1, 0));
        fz_add(fz_child(n, 1), node(g, FZ_NODE_RETURN));
        fz_add(block, n);
    }
    return block;
}

static struct fz_node *gate(struct generator *g);

static struct fz_node *gate_list_behind(struct generator *g)
{
    struct fz_node *block = gate_list(g, false);
    return g->at.depth < MOST_GATES && chance(g, 30) ? fz_add(block, gate(g)) : block;
}

/* Threads that have left a gate's loop may run while others are at its barrier, and come to what is behind it
 * with them or not: so nothing convergent is there. */
static struct fz_node *gate(struct generator *g)
{
    uint8_t form = (uint8_t)below(g, g->at.depth ? FZ_GATE_BESIDE : FZ_GATE_FORMS);
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_GATE, below(g, FZ_INPUTS), form);
    g->at.depth++;
    n->flag = chance(g, 25);
    n->name = form != FZ_GATE_BESIDE && chance(g, 30) ? 2 + below(g, 2) : 1;
    fz_add(n, fz_thread_condition(g->p, &g->r, true));
    for (uint32_t side = 0; side < 2; side++)
        fz_add(n, gate_list(g, side && form == FZ_GATE_LOOP));
    for (uint32_t side = 0; side < 2; side++)
        fz_add(n, gate_list_behind(g));
    g->at.depth--;
    return n;
}

void fz_add_gates(struct fz_program *p)
{
    struct generator g = {.p = p, .r = fz_random(p->seed, 'G'), .f = fz_kernel(p)};
    if (!chance(&g, GATES))
        return;
    fz_add(fz_kernel(p)->body, gate(&g));
    fz_add(fz_kernel(p)->body, fz_make_log(&g));
}

/* ---- calls of one function --------------------------------------------------------------------------- */

/* Threads run through one function in several calls at a time: in both arms of a branch, directly and by
 * way of another function, and in a loop of one arm. They come to the same convergence barriers and
 * operations without being one group. Functions without convergent operations are called from loops
 * without any, and predicted there and inside each other; they are mostly too large to be inlined. */
/* Of the functions, which stand in front of the kernel: `leaf` and `quiet`, which calls it, have no
 * convergent operation. `loud` has a loop without any and one behind it, `through` calls it. */
enum function { LEAF, QUIET, LOUD, THROUGH, FUNCTIONS };

static uint32_t number_of(const struct generator *g, enum function f)
{
    return g->p->functions.count - 1 - FUNCTIONS + f;
}

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

/* For all threads, or some. */
static void add_predict(struct generator *g, struct fz_node *block, enum fz_predicted what, uint64_t target)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_PREDICT, target, (uint8_t)what);
    n->name = chance(g, 40) ? 0 : 1 + below(g, 4);
    fz_add(block, chance(g, 65) ? n : part(g, fz_add(list(g), n), list(g)));
}

/* A loop that calls what has no convergent operations, behind predictions of that or of a label in it. */
static void add_predicted_loop(struct generator *g, struct fz_node *block)
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
        add_predicted_loop(g, body);
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
        add_predicted_loop(g, block);
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

static void add_calls(struct fz_program *p)
{
    static void (*const makers[])(struct generator *, struct fz_node *) = {
        [LEAF] = make_leaf, [QUIET] = make_quiet, [LOUD] = make_loud, [THROUGH] = make_through};
    struct generator g = {.p = p, .r = fz_random(p->seed, 'T'), .column = FZ_COLUMN_Q};
    struct fz_function kernel = *fz_kernel(p);
    if (!fz_is_predicted(p) || !chance(&g, CALLS))
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

/* ---- regions ----------------------------------------------------------------------------------------- */

/* The call is mostly of one of the first functions, which are the likeliest to be quiet. */
void fz_begin_with_invoke(struct generator *g, struct fz_node *list)
{
    struct range few = {1, 2};
    struct fz_node *call = fz_make_invoke(g);
    if (call == NULL)
        return;
    uint32_t callees = (uint32_t)(g->f - g->p->functions.at), early = below(g, callees > 1 ? 2 : 1);
    if (chance(g, 75) && !g->p->functions.at[early].throws) {
        call->name = early;
        call->flag = false;
    }
    struct fz_node *n = fz_some(g, fz_condition(g, 0), call);
    if (chance(g, 40))
        *fz_child(n, 2) = *fz_make_inner_list(g, few);
    fz_put_first(list, n);
}

/* For threads to be apart in by a prediction, and an operation that shows whether they have come together
 * behind it. */
void fz_add_region(struct generator *g, struct fz_node *list)
{
    struct generator outer = *g;
    if (!g->is_predicted || g->regions >= 3 || g->at.loops >= 3)
        return;
    g->column = FZ_COLUMN_Q;
    g->budget = fz_many(g, FZ_RANGE_kernel_budget);
    g->most_depth = g->at.depth + fz_many(g, FZ_RANGE_kernel_depth) - 1;
    g->at.may_throw = false;
    struct fz_node *loop = fz_make_loop(g);
    loop->value = 7;
    outer.r = g->r;
    outer.regions++;
    *g = outer;
    fz_add(fz_add(list, loop), fz_make_log(g));
}

/* ---- programs ---------------------------------------------------------------------------------------- */

static void make_function(struct generator *g)
{
    g->f->result = FZ_ULONG;
    g->f->is_void = g->is_kernel;
    g->at.may_throw = !g->is_kernel && fz_happens(g, FZ_CHANCE_throwing);
    g->f->body = fz_make_list(g, fz_range(g, g->is_kernel ? FZ_RANGE_kernel_body : FZ_RANGE_function_body));
    if (g->is_kernel && chance(g, 60))
        fz_add(g->f->body, fz_make_try(g));
    if (g->at.may_throw && chance(g, 60)) {
        fz_add(g->f->body, fz_some(g, fz_condition(g, 0), node(g, FZ_NODE_THROW)));
        g->f->throws = true;
    }
    if (!g->is_kernel && g->is_predicted && chance(g, 50))
        fz_begin_with_invoke(g, g->f->body);
    if (g->is_kernel && chance(g, 60))
        fz_add_region(g, g->f->body);
    if (g->is_kernel)
        fz_add(g->f->body, fz_make_log(g));
}

static void try_generate(struct fz_program *p, uint32_t attempt)
{
    struct generator g = {.p = p,
                          .r = fz_random(p->seed, (uint64_t)p->class + 256 * attempt),
                          .column = FZ_COLUMN_B,
                          .is_predicted = fz_is_predicted(p)};
    struct fz_buffer buffers[] = {{"log", FZ_ULONG, false, MAX_ROWS, 0},
                                  {"noise", FZ_UINT, false, 1, 0},
                                  {"input", FZ_INT, true, 0, FZ_INPUTS}};
    fz_draw_launch(&g);
    vec_clear(&p->buffers);
    for (size_t i = 0; i < COUNT(buffers); i++)
        vec_push(p->arena, &p->buffers, buffers[i]);
    for (uint32_t i = 0; i < FZ_INPUTS; i++)
        p->inputs[i] = (int32_t)below(&g, 100);
    uint32_t functions = fz_many(&g, FZ_RANGE_functions);
    vec_resize(p->arena, &p->functions, functions + 1);
    memset(p->functions.at, 0, (functions + 1) * sizeof *p->functions.at);
    for (uint32_t i = 0; i <= functions; i++) {
        fz_begin_function(&g, i);
        make_function(&g);
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

void fz_generate_b(struct fz_program *p, void (*add)(struct fz_program *p, uint32_t attempt))
{
    for (uint32_t attempt = 0; attempt < MAX_TRIES; attempt++) {
        try_generate(p, attempt);
        fz_make_parts_quiet(p);
        add_calls(p);
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
    fz_generate_b(p, add_gates);
}

const struct fz_class fz_class_b = {'b',
                                    "reconvergence programs",
                                    "the sets of threads of convergent operations, by reference",
                                    generate,
                                    fz_expect,
                                    NULL};
