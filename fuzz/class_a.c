/* class_a.c: kernels of all types: classes a and d, race-free ones whose threads can't see with whom they
 * run, in phases between barriers; class f, branches whose arms have much in common; and class h, vectors.
 * What they are made of is in weights.def.
 *
 * Threads of classes a and d read others' slots of shared memory only between two barriers that stand in
 * uniform flow. In class f no expression has an effect, convergent operations may stand in the arms, and their
 * results are values like others. Where a branch has found out that an index is inside (INSIDE), an operation
 * that moves in front of the branch stops the launch. Programs of class h have vectors (generate_vectors.c).
 */
#include "fuzz/generate.h"

/* ---- variables --------------------------------------------------------------------------------------- */

static void add_variables(struct generator *g, enum fz_shape shape, uint32_t count)
{
    for (; count > 0; count--) {
        enum fz_type t = shape == FZ_SCALAR || shape == FZ_ARRAY ? fz_random_type(g) : FZ_INT;
        fz_variable(g->p, g->f, shape, t, fz_next(&g->r));
    }
}

static void add_locals(struct generator *g)
{
    add_variables(g, FZ_SCALAR, 3 + below(g, 4));
    add_variables(g, FZ_ARRAY, below(g, 3));
    add_variables(g, FZ_STRUCT, below(g, 3));
    if (g->is_kernel)
        fz_add_vectors(g);
    if (!g->p->pointers || (g->p->shared_targets && !g->is_kernel))
        return;
    add_variables(g, FZ_TARGETS, 1);
    add_variables(g, FZ_POINTER, 1 + below(g, 3));
    add_variables(g, FZ_POINTERS, below(g, 3));
    add_variables(g, FZ_LINK, below(g, 3));
    add_variables(g, FZ_LEADER, below(g, 3));
}

static void add_parameters(struct generator *g)
{
    struct fz_function *before = g->f > g->p->functions.at ? g->f - 1 : NULL;
    if (before && chance(g, 50)) { /* of the same type as the one before, for pointers */
        for (uint32_t i = 0; i < before->params; i++)
            fz_variable(g->p, g->f, before->variables.at[i].shape, before->variables.at[i].type, 0);
        g->f->result = before->result;
    } else {
        add_variables(g, FZ_SCALAR, 1 + below(g, 3));
        if (fz_happens(g, FZ_CHANCE_memory_parameters))
            fz_variable(g->p, g->f, FZ_ARRAY, FZ_INT + below(g, 2), 0);
        if (fz_happens(g, FZ_CHANCE_memory_parameters))
            fz_variable(g->p, g->f, FZ_STRUCT, FZ_INT, 0);
        add_variables(g, FZ_POINTER, g->p->pointers ? below(g, 3) : 0);
        g->f->result = (uint8_t)fz_random_type(g);
    }
    g->f->params = g->f->variables.count;
    for (uint32_t i = 0; i < g->f->params; i++)
        g->f->variables.at[i].parameter = true;
}

/* ---- functions --------------------------------------------------------------------------------------- */

static void make_function(struct generator *g)
{
    bool may_throw = g->at.may_throw = fz_happens(g, FZ_CHANCE_throwing);
    add_parameters(g);
    add_locals(g);
    g->f->body = fz_make_list(g, fz_range(g, FZ_RANGE_function_body));
    if (may_throw && chance(g, 60)) {
        fz_put_first(g->f->body, fz_some(g, fz_condition(g, 2), node(g, FZ_NODE_THROW)));
        g->f->throws = true;
    }
    fz_add(g->f->body, fz_make_return(g));
    g->f->throws &= may_throw;
    g->f->cost = g->cost;
}

/* ---- the kernel -------------------------------------------------------------------------------------- */

/* Values that differ among threads. */
static void add_beginning(struct generator *g, struct fz_node *body)
{
    for (uint32_t v = 0; v < g->f->variables.count; v++) {
        struct fz_node *value = node(g, FZ_NODE_CAST);
        value->type = g->f->variables.at[v].type;
        if (g->f->variables.at[v].shape == FZ_VECTOR)
            fz_add(value,
                   fz_leaf(g->p, FZ_NODE_WIDE, 4 * below(g, FZ_INPUTS / 8), g->f->variables.at[v].elements));
        else if (g->f->variables.at[v].shape == FZ_SCALAR)
            value = fz_own_input(g);
        else
            continue;
        if (value->first)
            value->first->flag = true;
        if (fz_happens(g, FZ_CHANCE_divergent_start))
            fz_add(body, fz_assign(g->p, fz_named(g, FZ_NODE_VARIABLE, v), value));
    }
}

static struct fz_node *random_exchange(struct generator *g)
{
    struct fz_node *target = fz_place(g, false);
    if (!target)
        return NULL;
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_EXCHANGE, 1 + below(g, g->p->threads), 0);
    n->type = (uint8_t)(chance(g, 60) ? FZ_INT + below(g, 2) : below(g, fz_types(g->p)));
    return fz_add(fz_add(n, target), fz_expression(g, 2));
}

/* A loop of the same number of turns for all threads, so that there may be barriers in it. */
static struct fz_node *uniform_loop(struct generator *g)
{
    struct position outer = g->at;
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_LOOP, 3, (uint8_t)below(g, FZ_LOOP_FORMS)), *s;
    struct fz_node *body = node(g, FZ_NODE_BLOCK);
    n->name = fz_new_counter(g);
    fz_add(fz_add(n, fz_constant(g->p, FZ_INT, 1 + below(g, 3))), fz_always(g));
    g->at.times *= 4;
    g->at.counters[g->at.loops++] = n->name;
    for (int i = 0; i < 3; i++)
        if ((s = i == 1 ? random_exchange(g) : fz_make_statement(g)) != NULL)
            fz_add(body, s);
    g->at = outer;
    return fz_add(fz_add(n, body), node(g, FZ_NODE_BLOCK));
}

/* Statements between two barriers. */
static void add_phase(struct generator *g, struct fz_node *body)
{
    struct range few = {1, 3};
    fz_add(body, fz_make_list(g, few)->first);
    struct fz_node *convergent = chance(g, 70) ? random_exchange(g) : uniform_loop(g);
    if (convergent)
        fz_add(body, convergent);
}

static struct fz_node *mixed(struct generator *g, struct fz_node *sum, struct fz_node *n)
{
    return fz_binary(g->p, FZ_OP_XOR, fz_by(g->p, FZ_OP_MUL, sum, 31), n);
}

/* The ints that pointers lead to, as one number; NULL: there are none. */
static struct fz_node *all_targets(struct generator *g)
{
    struct fz_node *sum = fz_constant(g->p, FZ_INT, 1);
    uint32_t targets = fz_find_shape(g->f, FZ_TARGETS);
    for (uint32_t i = 0; i < FZ_TARGET_COUNT && targets != UINT32_MAX; i++) {
        struct fz_node *at = fz_add(fz_named(g, FZ_NODE_AT, targets), fz_constant(g->p, FZ_INT, i));
        sum = mixed(g, sum, fz_add(node(g, FZ_NODE_DEREF), at));
    }
    return targets == UINT32_MAX ? NULL : sum;
}

/* What the thread's arrays, structures, vectors and shared memory hold. */
static struct fz_node *all_memory(struct generator *g)
{
    static const enum fz_kind kinds[] = {[FZ_ARRAY] = FZ_NODE_ELEMENT,
                                         [FZ_STRUCT] = FZ_NODE_FIELD,
                                         [FZ_VECTOR] = FZ_NODE_VARIABLE,
                                         [FZ_ROWS] = FZ_NODE_ROW};
    struct fz_node *sum = fz_constant(g->p, FZ_ULONG, 1);
    for (uint32_t i = 0; i < FZ_CELLS; i++)
        sum = mixed(g, sum, fz_add(node(g, FZ_NODE_OWN), fz_constant(g->p, FZ_UINT, i)));
    for (uint32_t v = 0; v < g->f->variables.count; v++) {
        uint8_t shape = g->f->variables.at[v].shape;
        uint32_t length = shape == FZ_ARRAY    ? FZ_ARRAY_LENGTH
                          : shape == FZ_STRUCT ? FZ_FIELDS
                                               : g->f->variables.at[v].elements;
        for (uint32_t i = 0; i < length; i++) {
            struct fz_node *n = fz_named(g, kinds[shape], v);
            if (shape == FZ_ARRAY)
                fz_add(n, fz_constant(g->p, FZ_UINT, i));
            else if (shape == FZ_STRUCT)
                n->value = i;
            else
                n = fz_add(fz_leaf(g->p, FZ_NODE_SWIZZLE, i, 1), n);
            sum = mixed(g, sum, fz_add(node(g, FZ_NODE_BITS), n));
        }
    }
    return sum;
}

static void add_results(struct generator *g, struct fz_node *body)
{
    uint32_t slot = 0, last = FZ_SLOTS;
    struct fz_node *all = all_targets(g);
    if (fz_happens(g, FZ_CHANCE_memory_shown))
        all = all_memory(g), last = FZ_SLOTS - 2; /* those behind are left to the statements */
    if (all)
        fz_add(body, fz_add(fz_leaf(g->p, FZ_NODE_OUTPUT, slot++, 0), all));
    for (uint32_t v = 0; v < g->f->variables.count && slot < last; v++)
        if (g->f->variables.at[v].shape == FZ_SCALAR && !g->f->variables.at[v].scoped)
            fz_add(body, fz_add(fz_leaf(g->p, FZ_NODE_OUTPUT, slot++, 0), fz_named(g, FZ_NODE_VARIABLE, v)));
}

static void make_kernel(struct generator *g)
{
    struct fz_node *body = g->f->body = node(g, FZ_NODE_BLOCK);
    g->counts = fz_happens(g, FZ_CHANCE_counts);
    g->converges = fz_happens(g, FZ_CHANCE_converges);
    g->at.may_return = false;
    add_locals(g);
    add_beginning(g, body);
    for (uint32_t phases = fz_many(g, FZ_RANGE_phases); phases > 0; phases--)
        add_phase(g, body);
    g->at.may_return = !g->counts && fz_happens(g, FZ_CHANCE_returns); /* no barrier follows */
    if (fz_any_throws(g) && chance(g, 60))
        fz_add(body, fz_make_try(g));
    fz_add(body, fz_make_list(g, fz_range(g, FZ_RANGE_kernel_body))->first);
    if (g->counts)
        fz_add(body, node(g, FZ_NODE_PUBLISH));
    add_results(g, body);
}

/* ---- programs ---------------------------------------------------------------------------------------- */

/* Buffers, input, table and the structure's types. */
static void add_data(struct generator *g)
{
    static const char *const names[FZ_TYPES] = {
#define TYPE(id, text, bits, family) "cells_" text,
#include "fuzz/nodes.def"
    };
    static const struct fz_buffer buffers[] = {{"out", FZ_ULONG, false, FZ_SLOTS, 0},
                                               {"sums", FZ_INT, false, 0, 2 * FZ_COUNTERS},
                                               {"input", FZ_INT, true, 0, FZ_INPUTS}};
    for (uint32_t i = 0; i < FZ_FIELDS; i++)
        g->p->fields[i] = (uint8_t)fz_random_type(g);
    for (uint32_t i = 0; i < FZ_INPUTS; i++)
        g->p->inputs[i] = (int32_t)fz_random_bits(&g->r, FZ_INT);
    for (uint32_t i = 0; i < FZ_TABLE; i++)
        g->p->table[i] = (int32_t)fz_random_bits(&g->r, FZ_INT);
    for (uint32_t i = 0; i < COUNT(buffers); i++)
        vec_push(g->p->arena, &g->p->buffers, buffers[i]);
    for (uint32_t i = 0, n = fz_types(g->p), first = below(g, n); i < 3; i++) {
        enum fz_type t = (enum fz_type)((first + 4 * i) % n);
        struct fz_buffer cells = {names[t], (uint8_t)t, false, FZ_CELLS, 0};
        vec_push(g->p->arena, &g->p->buffers, cells);
    }
}

static void make_functions(struct generator *g)
{
    uint32_t functions = fz_many(g, FZ_RANGE_functions);
    vec_resize(g->p->arena, &g->p->functions, functions + 1);
    memset(g->p->functions.at, 0, (functions + 1) * sizeof *g->p->functions.at);
    for (uint32_t i = 0; i <= functions; i++) {
        fz_begin_function(g, i);
        (i < functions ? make_function : make_kernel)(g);
    }
}

static void generate(struct fz_program *p)
{
    struct generator g = {.p = p, .r = fz_random(p->seed, 'a'), .column = FZ_COLUMN_A};
    fz_draw_launch(&g);
    p->pointers = chance(&g, 60);
    p->shared_targets = chance(&g, 40);
    add_data(&g);
    p->overlapping = chance(&g, 50) ? 2 + below(&g, FZ_FIELDS - 2) : 0;
    p->beyond = chance(&g, 20) ? 1 + below(&g, 6) : 0;
    make_functions(&g);
}

static void generate_plain(struct fz_program *p)
{
    struct generator g = {.p = p, .r = fz_random(p->seed, (uint64_t)p->class)};
    g.column = p->class == 'f' ? FZ_COLUMN_F : FZ_COLUMN_H;
    fz_draw_launch(&g);
    add_data(&g);
    make_functions(&g);
}

const struct fz_class fz_class_a = {
    'a', "race-free kernels", "what can't observe convergence, by reference", generate, fz_expect, NULL};
const struct fz_class fz_class_d = {
    'd', "race-free kernels without double", "class a for targets that have no double", generate, fz_expect,
    NULL};
const struct fz_class fz_class_f = {'f',
                                    "arms with much in common",
                                    "values and sets of threads in divergent arms, by reference",
                                    generate_plain,
                                    fz_expect,
                                    NULL};
const struct fz_class fz_class_h = {
    'h',       "vectors", "vectors by element, by selections and by parts, by reference", generate_plain,
    fz_expect, NULL};
