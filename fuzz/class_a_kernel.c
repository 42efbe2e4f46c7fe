/* class_a_kernel.c: what class a's statements stand in: functions with their variables, the kernel in phases
 * between barriers, and the program's data.
 */
#include "fuzz/class_a.h"

static uint32_t below(struct generator *g, uint32_t n)
{
    return fz_below(&g->r, n);
}

/* ---- functions --------------------------------------------------------------------------------------- */

void fz_add_locals(struct generator *g)
{
    for (uint32_t i = 3 + below(g, 4); i > 0; i--)
        fz_variable(g->p, g->f, FZ_SCALAR, fz_random_type(g), fz_next(&g->r));
    for (uint32_t i = below(g, 3); i > 0; i--)
        fz_variable(g->p, g->f, FZ_ARRAY, fz_random_type(g), fz_next(&g->r));
    for (uint32_t i = below(g, 3); i > 0; i--)
        fz_variable(g->p, g->f, FZ_STRUCT, FZ_INT, fz_next(&g->r));
    fz_add_pointers(g);
}

static void add_parameters(struct generator *g)
{
    struct fz_function *before = g->f > g->p->functions.at ? g->f - 1 : NULL;
    if (before && fz_chance(&g->r, 50)) { /* of the same type as the one before, for pointers */
        for (uint32_t i = 0; i < before->params; i++)
            fz_variable(g->p, g->f, before->variables.at[i].shape, before->variables.at[i].type, 0);
        g->f->result = before->result;
    } else {
        for (uint32_t i = 1 + below(g, 3); i > 0; i--)
            fz_variable(g->p, g->f, FZ_SCALAR, fz_random_type(g), 0);
        if (fz_chance(&g->r, 30))
            fz_variable(g->p, g->f, FZ_ARRAY, FZ_INT + below(g, 2), 0);
        if (fz_chance(&g->r, 20))
            fz_variable(g->p, g->f, FZ_STRUCT, FZ_INT, 0);
        for (uint32_t i = g->p->pointers ? below(g, 3) : 0; i > 0; i--)
            fz_variable(g->p, g->f, FZ_POINTER, FZ_INT, 0);
        g->f->result = (uint8_t)fz_random_type(g);
    }
    g->f->params = g->f->variables.count;
    for (uint32_t i = 0; i < g->f->params; i++)
        g->f->variables.at[i].parameter = true;
}

static void make_function(struct generator *g)
{
    bool may_throw = fz_chance(&g->r, 50);
    g->at = (struct position){.times = 1, .may_return = true, .may_throw = may_throw};
    g->budget = 3 + below(g, 8);
    g->cost = 1;
    add_parameters(g);
    fz_add_locals(g);
    g->f->body = fz_random_block(g, 4);
    if (may_throw && fz_chance(&g->r, 60))
        fz_begin_with_throw(g, g->f->body);
    fz_add(g->f->body, fz_random_return(g));
    g->f->throws &= may_throw;
    g->f->cost = g->cost;
}

/* ---- the kernel -------------------------------------------------------------------------------------- */

static struct fz_node *random_exchange(struct generator *g)
{
    struct fz_node *target = fz_random_place(g, false);
    if (!target)
        return NULL;
    struct fz_node *n = fz_node(g->p, FZ_NODE_EXCHANGE);
    n->type = (uint8_t)(fz_chance(&g->r, 60) ? FZ_INT + below(g, 2) : below(g, fz_types(g->p)));
    n->value = 1 + below(g, g->p->threads);
    return fz_add(fz_add(n, target), fz_random_expr(g, 2));
}

/* A loop of the same number of turns for all threads, so that there may be barriers in it. */
static struct fz_node *uniform_loop(struct generator *g)
{
    struct position outer = g->at;
    struct fz_node *n = fz_node(g->p, FZ_NODE_LOOP), *body = fz_node(g->p, FZ_NODE_BLOCK), *s;
    n->op = (uint8_t)below(g, FZ_LOOP_FORMS);
    n->value = 3;
    n->name = fz_new_counter(g);
    fz_add(fz_add(n, fz_constant(g->p, FZ_INT, 1 + below(g, 3))), fz_always(g));
    g->at.times *= 4;
    g->at.loops++;
    for (int i = 0; i < 3; i++)
        if ((s = i == 1 ? random_exchange(g) : fz_random_statement(g)) != NULL)
            fz_add(body, s);
    g->at = outer;
    return fz_add(fz_add(n, body), fz_node(g->p, FZ_NODE_BLOCK));
}

static void add_phase(struct generator *g, struct fz_node *body)
{
    struct fz_node *block = fz_random_block(g, 3);
    for (struct fz_node *s = block->first, *next; s; s = next) {
        next = s->next;
        s->next = NULL;
        fz_add(body, s);
    }
    struct fz_node *convergent = fz_chance(&g->r, 70) ? random_exchange(g) : uniform_loop(g);
    if (convergent)
        fz_add(body, convergent);
}

static void add_results(struct generator *g, struct fz_node *body)
{
    uint32_t slot = 0;
    struct fz_node *targets = fz_all_targets(g);
    if (targets)
        fz_add(body, fz_add(fz_node(g->p, FZ_NODE_OUTPUT), targets)), slot++;
    for (uint32_t i = 0; i < g->f->variables.count && slot < FZ_SLOTS; i++) {
        if (g->f->variables.at[i].shape != FZ_SCALAR || g->f->variables.at[i].scoped)
            continue;
        struct fz_node *n = fz_node(g->p, FZ_NODE_OUTPUT), *v = fz_node(g->p, FZ_NODE_VARIABLE);
        n->value = slot++;
        v->name = i;
        fz_add(body, fz_add(n, v));
    }
}

static void make_kernel(struct generator *g)
{
    struct fz_node *body = g->f->body = fz_node(g->p, FZ_NODE_BLOCK);
    g->is_kernel = true;
    g->counts = fz_chance(&g->r, 20);
    g->budget = 8 + below(g, 22);
    g->cost = 0;
    g->at = (struct position){.times = 1};
    fz_add_locals(g);
    for (uint32_t phases = below(g, 3); phases > 0; phases--)
        add_phase(g, body);
    g->at.may_return = !g->counts; /* no barrier follows */
    if (fz_any_throws(g) && fz_chance(&g->r, 60))
        fz_add(body, fz_random_try(g));
    fz_add(body, fz_random_block(g, 6));
    if (g->counts)
        fz_add(body, fz_node(g->p, FZ_NODE_PUBLISH));
    add_results(g, body);
}

void fz_add_data(struct generator *g)
{
    static const char *const names[FZ_TYPES] = {
#define TYPE(id, text, bits, family) "cells_" text,
#include "fuzz/nodes.def"
    };
    struct fz_buffer out = {"out", FZ_ULONG, false, FZ_SLOTS, 0},
                     input = {"input", FZ_INT, true, 0, FZ_INPUTS};
    struct fz_buffer sums = {"sums", FZ_INT, false, 0, 2 * FZ_COUNTERS};
    for (uint32_t i = 0; i < FZ_FIELDS; i++)
        g->p->fields[i] = (uint8_t)fz_random_type(g);
    for (uint32_t i = 0; i < FZ_INPUTS; i++)
        g->p->inputs[i] = (int32_t)fz_random_bits(&g->r, FZ_INT);
    for (uint32_t i = 0; i < FZ_TABLE; i++)
        g->p->table[i] = (int32_t)fz_random_bits(&g->r, FZ_INT);
    vec_push(g->p->arena, &g->p->buffers, out);
    vec_push(g->p->arena, &g->p->buffers, sums);
    vec_push(g->p->arena, &g->p->buffers, input);
    for (uint32_t i = 0, n = fz_types(g->p), first = below(g, n); i < 3; i++) {
        enum fz_type t = (enum fz_type)((first + 4 * i) % n);
        struct fz_buffer cells = {names[t], (uint8_t)t, false, FZ_CELLS, 0};
        vec_push(g->p->arena, &g->p->buffers, cells);
    }
}

void fz_make_functions(struct generator *g, uint32_t most, void (*function)(struct generator *g),
                       void (*kernel)(struct generator *g))
{
    uint32_t functions = below(g, most + 1);
    vec_resize(g->p->arena, &g->p->functions, functions + 1);
    memset(g->p->functions.at, 0, (functions + 1) * sizeof *g->p->functions.at);
    for (uint32_t i = 0; i <= functions; i++) {
        g->f = &g->p->functions.at[i];
        (i < functions ? function : kernel)(g);
    }
}

static void generate(struct fz_program *p)
{
    static const uint8_t threads[] = {1, 2, 7, 16, 32, 33, 64, 96};
    struct generator g = {.p = p, .r = fz_random(p->seed, 'a')};
    p->threads = threads[fz_below(&g.r, COUNT(threads))];
    p->blocks = 1 + fz_below(&g.r, 2);
    p->pointers = fz_chance(&g.r, 60);
    p->shared_targets = fz_chance(&g.r, 40);
    fz_add_data(&g);
    p->overlapping = fz_chance(&g.r, 50) ? 2 + fz_below(&g.r, FZ_FIELDS - 2) : 0;
    p->beyond = fz_chance(&g.r, 20) ? 1 + fz_below(&g.r, 6) : 0;
    fz_make_functions(&g, 3, make_function, make_kernel);
}

const struct fz_class fz_class_a = {
    'a', "race-free kernels", "what can't observe convergence: every setup agrees", generate, NULL, NULL};
const struct fz_class fz_class_d = {
    'd', "race-free kernels without double", "class a for targets that have no double", generate, NULL, NULL};
