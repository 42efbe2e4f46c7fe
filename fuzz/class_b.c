/* class_b.c: class b: reconvergence programs, after the idea of the Vulkan conformance suite's reconvergence
 * tests: control flow nested at random over conditions on lanes, loop counters and hashes; between,
 * convergent operations whose results each thread writes to a log, row after row. A reference that knows only
 * the language's rules on tokens (reference.c) says what every row has to be, for each warp width.
 *
 * In 10 % of the branches both arms are the same text, in 10 % nearly (vary.c), to tempt optimisers.
 */
#include "fuzz/generate.h"

enum { MAX_ROWS = 384, MAX_TRIES = 50 };

/* ---- predicted programs ------------------------------------------------------------------------------ */

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
    g->row = FZ_ROW_Q;
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
    static const uint8_t threads[] = {4, 8, 13, 16, 32, 32, 40, 64};
    struct generator g = {.p = p,
                          .r = fz_random(p->seed, (uint64_t)p->class + 256 * attempt),
                          .row = FZ_ROW_B,
                          .is_predicted = fz_is_predicted(p)};
    struct fz_buffer buffers[] = {{"log", FZ_ULONG, false, MAX_ROWS, 0},
                                  {"noise", FZ_UINT, false, 1, 0},
                                  {"input", FZ_INT, true, 0, FZ_INPUTS}};
    p->blocks = chance(&g, 80) ? 1 : 2;
    p->threads = threads[below(&g, COUNT(threads))];
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
    fz_generate_b(p, add_gates);
}

const struct fz_class fz_class_b = {'b',
                                    "reconvergence programs",
                                    "the sets of threads of convergent operations, by reference",
                                    generate,
                                    fz_expect,
                                    NULL};
