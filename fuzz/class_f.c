/* class_f.c: class f: divergent branches whose arms have much in common: both are made from one list of
 * statements, the second with other names, other order, and here and there another operator or constant
 * (vary.c). So are the cases of switches; arms stand in arms, in loops and with loops in them, and jump out
 * of all these.
 *
 * Expressions are those of class a without effects, so that a reference (reference.c) can run all lanes
 * of a warp at once: convergent operations may stand in the arms, and their results are values like others.
 * Well defined by construction as class a is. Indices are masked but where a branch has found out that they
 * are inside (INSIDE): there an operation that moves in front of the branch stops the launch.
 */
#include "fuzz/class_f.h"

enum { MAX_DEPTH = 4, MAX_SIZE = 350, MOST_CASES = 6, CONVERGENT_PERCENT = 30 };

static uint32_t below(struct generator *g, uint32_t n)
{
    return fz_below(&g->r, n);
}

struct fz_node *fz_f_empty(struct generator *g)
{
    return fz_node(g->p, FZ_NODE_BLOCK);
}

struct fz_node *fz_f_inner(struct generator *g, uint32_t least, uint32_t most)
{
    g->at.depth++;
    struct fz_node *block = fz_f_block(g, least, most);
    g->at.depth--;
    return block;
}

struct fz_node *fz_f_operation(struct generator *g, enum fz_operator op, struct fz_node *x, struct fz_node *y)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_BINARY);
    n->op = (uint8_t)op;
    return fz_add(fz_add(n, x), y);
}

struct fz_node *fz_f_constant(struct generator *g, uint32_t value)
{
    return fz_constant(g->p, FZ_UINT, value);
}

static struct fz_node *variable(struct generator *g, uint32_t v)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_VARIABLE);
    n->name = v;
    return n;
}

/* ---- conditions -------------------------------------------------------------------------------------- */

/* An element of the input, another one for each thread. */
struct fz_node *fz_f_own_input(struct generator *g)
{
    struct fz_node *gid = fz_node(g->p, FZ_NODE_GEOMETRY); /* op 0: gid */
    return fz_add(fz_node(g->p, FZ_NODE_INPUT),
                  fz_f_operation(g, FZ_OP_ADD, gid, fz_f_constant(g, below(g, FZ_INPUTS))));
}

/* Mostly divergent. */
struct fz_node *fz_f_condition(struct generator *g)
{
    struct fz_node *bit, *gid = fz_node(g->p, FZ_NODE_GEOMETRY);
    uint32_t modulus = 2 + below(g, 4);
    switch (below(g, 8)) {
    case 0:
    case 1:
    case 2:
        bit = fz_f_operation(g, FZ_OP_AND, fz_f_own_input(g), fz_f_constant(g, 1u << below(g, 4)));
        return fz_f_operation(g, FZ_OP_NE, bit, fz_f_constant(g, 0));
    case 3:
        return fz_f_operation(g, FZ_OP_EQ, fz_f_operation(g, FZ_OP_REM, gid, fz_f_constant(g, modulus)),
                              fz_f_constant(g, 0));
    case 4: return fz_f_operation(g, FZ_OP_LT, fz_random_expr(g, 1), fz_random_expr(g, 1));
    case 5: return fz_random_expr(g, 1);
    default: return fz_random_expr(g, 3);
    }
}

/* ---- straight-line statements ------------------------------------------------------------------------ */

static struct fz_node *random_assign(struct generator *g)
{
    struct fz_node *target = fz_random_place(g, false);
    if (!target)
        return NULL;
    struct fz_node *n = fz_node(g->p, FZ_NODE_ASSIGN);
    bool integer = !fz_is_float(fz_type_of(g->p, g->f, target));
    n->op = (uint8_t)(fz_chance(&g->r, 35) ? below(g, integer ? FZ_OP_LT : FZ_OP_REM) : FZ_OPERATORS);
    return fz_add(fz_add(n, target), fz_random_expr(g, 3));
}

static struct fz_node *random_converge(struct generator *g)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_CONVERGE), *target = fz_random_place(g, false);
    if (!target)
        return NULL;
    n->op = (uint8_t)below(g, FZ_OBSERVATIONS);
    n->value = below(g, 33);
    return fz_add(fz_add(n, target), fz_random_expr(g, 2));
}

struct fz_node *fz_f_simple(struct generator *g)
{
    uint32_t dice = below(g, 100);
    g->cost += g->at.times;
    if (g->is_kernel && dice < 9)
        return fz_random_atomic(g);
    if (g->is_kernel && dice < 15)
        return fz_random_output(g);
    if (g->is_kernel && g->converges && dice < 25)
        return random_converge(g);
    return dice < 29 ? fz_random_copy(g) : random_assign(g);
}

static struct fz_node *fresh(void *data)
{
    return fz_f_simple(data);
}

/* ---- jumps ------------------------------------------------------------------------------------------- */

/* NULL: no jump is allowed here. */
static struct fz_node *random_jump(struct generator *g)
{
    switch (below(g, 5)) {
    case 0:
    case 1: return g->at.may_break ? fz_node(g->p, FZ_NODE_BREAK) : NULL;
    case 2: return g->at.may_continue ? fz_node(g->p, FZ_NODE_CONTINUE) : NULL;
    case 3: return g->at.may_return ? fz_random_return(g) : NULL;
    default: return g->at.may_throw ? fz_node(g->p, FZ_NODE_THROW) : NULL;
    }
}

static struct fz_node *with_jump(struct generator *g, struct fz_node *block, uint32_t percent)
{
    struct fz_node *jump = fz_chance(&g->r, percent) ? random_jump(g) : NULL;
    return jump ? fz_add(block, jump) : block;
}

/* ---- arms -------------------------------------------------------------------------------------------- */

/* Another arm like this one, which has added `cost`. */
struct fz_node *fz_f_another_arm(struct generator *g, const struct fz_node *arm, uint32_t cost)
{
    struct fz_variation v = {g->p, g->f, &g->r, fresh, g};
    g->cost += cost;
    return fz_size(arm) > MAX_SIZE ? fz_f_empty(g) : fz_varied(&v, arm);
}

static struct fz_node *random_if(struct generator *g)
{
    struct fz_node *n = fz_add(fz_node(g->p, FZ_NODE_IF), fz_f_condition(g)), *other;
    uint32_t before = g->cost, dice = below(g, 100);
    struct fz_node *arm = fz_f_inner(g, 2, 6);
    if (dice < 12)
        other = fz_f_empty(g);
    else if (dice < 18)
        other = fz_f_inner(g, 1, 4);
    else
        other = fz_f_another_arm(g, arm, g->cost - before);
    with_jump(g, arm, 12);
    with_jump(g, other, 8);
    return fz_chance(&g->r, 30) ? fz_add(fz_add(n, other), arm) : fz_add(fz_add(n, arm), other);
}

static struct fz_node *random_switch(struct generator *g)
{
    struct position outer = g->at;
    struct fz_node *n = fz_node(g->p, FZ_NODE_SWITCH), *cases = fz_f_empty(g), *arm;
    uint32_t count = 2 + below(g, MOST_CASES - 1), otherwise = below(g, 8), before = g->cost;
    n->value = 7;
    fz_add(n, fz_chance(&g->r, 70) ? fz_f_own_input(g) : fz_random_expr(g, 2));
    g->at.may_break = true;
    arm = fz_f_inner(g, 2, 5);
    uint32_t cost = g->cost - before;
    for (uint32_t i = 0; i < count; i++) {
        struct fz_node *c = fz_node(g->p, FZ_NODE_CASE);
        c->flag = i == otherwise;
        c->value = i;
        fz_add(c, i == 0 ? arm : fz_f_another_arm(g, arm, cost));
        with_jump(g, c->first, 5);
        fz_add(cases, c);
    }
    for (struct fz_node *c = cases->first; c; c = c->next)
        if (fz_chance(&g->r, 85))
            fz_add(c->first, fz_node(g->p, FZ_NODE_BREAK));
    g->at = outer;
    return fz_add(n, cases);
}

/* ---- indices that a branch has looked at ------------------------------------------------------------- */

static struct fz_node *inside_element(struct generator *g, uint32_t array, uint32_t index)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_ELEMENT);
    n->name = array;
    n->flag = true;
    return fz_add(n, variable(g, index));
}

/* Reads or writes an element with that index. */
static struct fz_node *use_of_index(struct generator *g, uint32_t index)
{
    uint32_t array = fz_pick_variable(g, FZ_ARRAY, true);
    struct fz_node *n = fz_node(g->p, FZ_NODE_ASSIGN), *at = inside_element(g, array, index), *target;
    n->op = FZ_OPERATORS;
    if (fz_chance(&g->r, 35) || (target = fz_random_place(g, false)) == NULL)
        return fz_add(fz_add(n, at), fz_random_expr(g, 2));
    bool plus = fz_chance(&g->r, 50);
    return fz_add(fz_add(n, target), plus ? fz_f_operation(g, FZ_OP_ADD, at, fz_random_expr(g, 1)) : at);
}

/* Indices by this variable become those by as much less as an array is long. */
static void move_indices(struct generator *g, struct fz_node *n, uint32_t index)
{
    if (n->kind == FZ_NODE_ELEMENT && n->flag && n->first->kind == FZ_NODE_VARIABLE &&
        n->first->name == index)
        n->first = fz_f_operation(g, FZ_OP_SUB, n->first, fz_f_constant(g, FZ_ARRAY_LENGTH));
    for (struct fz_node *child = n->first; child; child = child->next)
        move_indices(g, child, index);
}

static struct fz_node *random_inside(struct generator *g)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_INSIDE);
    uint32_t before = g->cost;
    if (fz_pick_variable(g, FZ_ARRAY, true) == UINT32_MAX)
        return random_if(g);
    n->name = fz_variable(g->p, g->f, FZ_SCALAR, FZ_UINT, 0);
    g->f->variables.at[n->name].scoped = true; /* nothing else reads or writes it */
    fz_add(n, fz_chance(&g->r, 60) ? fz_f_own_input(g) : fz_random_expr(g, 2));
    struct fz_node *arm = fz_f_inner(g, 1, 3);
    for (uint32_t i = 1 + below(g, 3); i > 0; i--) {
        struct fz_node *use = use_of_index(g, n->name);
        if (fz_chance(&g->r, 50))
            fz_add(arm, use);
        else
            use->next = arm->first, arm->first = use;
    }
    struct fz_node *other = fz_f_another_arm(g, arm, g->cost - before);
    move_indices(g, other, n->name);
    return fz_add(fz_add(n, arm), other);
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

static struct fz_node *random_try(struct generator *g)
{
    struct position outer = g->at;
    struct fz_node *n = fz_node(g->p, FZ_NODE_TRY);
    g->at.may_throw = true;
    fz_add(n, fz_f_inner(g, 2, 4));
    g->at = outer;
    return fz_add(n, fz_f_inner(g, 1, 2));
}

static struct fz_node *random_construct(struct generator *g)
{
    uint32_t dice = below(g, 100);
    if (dice < 12 && g->at.loops < 2)
        return fz_f_loops(g);
    if (dice < 50)
        return random_if(g);
    if (dice < 70)
        return g->at.loops < 2 ? fz_f_loop(g) : random_if(g);
    if (dice < 82)
        return g->at.depth < 2 ? random_switch(g) : random_if(g);
    return dice < 93 ? random_inside(g) : random_try(g);
}

static struct fz_node *random_statement(struct generator *g)
{
    if (g->budget == 0)
        return NULL;
    g->budget--;
    bool construct = fz_chance(&g->r, g->at.depth == 0 ? 60 : 25);
    return construct && g->at.depth < MAX_DEPTH && g->cost < FZ_MAX_COST ? random_construct(g)
                                                                         : fz_f_simple(g);
}

struct fz_node *fz_f_block(struct generator *g, uint32_t least, uint32_t most)
{
    struct fz_node *block = fz_f_empty(g), *s;
    for (uint32_t count = least + below(g, most - least + 1); count > 0; count--)
        if ((s = random_statement(g)) != NULL)
            fz_add(block, s);
    return block;
}

/* ---- functions --------------------------------------------------------------------------------------- */

static void make_function(struct generator *g)
{
    g->at = (struct position){.times = 1, .may_return = true};
    g->budget = 2 + below(g, 5);
    g->cost = 1;
    for (uint32_t i = 1 + below(g, 3); i > 0; i--)
        fz_variable(g->p, g->f, FZ_SCALAR, fz_random_type(g), 0);
    g->f->result = (uint8_t)fz_random_type(g);
    g->f->params = g->f->variables.count;
    for (uint32_t i = 0; i < g->f->params; i++)
        g->f->variables.at[i].parameter = true;
    fz_add_locals(g);
    g->f->body = fz_add(fz_f_block(g, 1, 3), fz_random_return(g));
    g->f->cost = g->cost;
}

/* Values that differ among threads. */
static void add_beginning(struct generator *g, struct fz_node *body)
{
    for (uint32_t v = 0; v < g->f->variables.count; v++) {
        struct fz_node *n = fz_node(g->p, FZ_NODE_ASSIGN);
        if (g->f->variables.at[v].shape != FZ_SCALAR || fz_chance(&g->r, 25))
            continue;
        n->op = FZ_OPERATORS;
        fz_add(body, fz_add(fz_add(n, variable(g, v)), fz_f_own_input(g)));
    }
}

static struct fz_node *mixed(struct generator *g, struct fz_node *sum, struct fz_node *n)
{
    return fz_f_operation(g, FZ_OP_XOR, fz_f_operation(g, FZ_OP_MUL, sum, fz_f_constant(g, 31)), n);
}

/* What the thread's arrays, structures and shared memory hold, as one number. */
static struct fz_node *all_memory(struct generator *g)
{
    struct fz_node *sum = fz_constant(g->p, FZ_ULONG, 1);
    for (uint32_t i = 0; i < FZ_CELLS; i++)
        sum = mixed(g, sum, fz_add(fz_node(g->p, FZ_NODE_OWN), fz_f_constant(g, i)));
    for (uint32_t v = 0; v < g->f->variables.count; v++) {
        uint8_t shape = g->f->variables.at[v].shape;
        uint32_t length = shape == FZ_ARRAY ? FZ_ARRAY_LENGTH : shape == FZ_STRUCT ? FZ_FIELDS : 0;
        for (uint32_t i = 0; i < length; i++) {
            struct fz_node *n = fz_node(g->p, shape == FZ_ARRAY ? FZ_NODE_ELEMENT : FZ_NODE_FIELD);
            n->name = v;
            n->value = shape == FZ_STRUCT ? i : 0;
            sum = mixed(g, sum, shape == FZ_ARRAY ? fz_add(n, fz_f_constant(g, i)) : n);
        }
    }
    return sum;
}

/* The last slots are left to the arms. */
static void add_results(struct generator *g, struct fz_node *body)
{
    uint32_t slot = 0;
    for (uint32_t v = 0; v < g->f->variables.count && slot + 3 < FZ_SLOTS; v++) {
        struct fz_node *n = fz_node(g->p, FZ_NODE_OUTPUT);
        if (g->f->variables.at[v].shape != FZ_SCALAR || g->f->variables.at[v].scoped)
            continue;
        n->value = slot++;
        fz_add(body, fz_add(n, variable(g, v)));
    }
    struct fz_node *n = fz_node(g->p, FZ_NODE_OUTPUT);
    n->value = slot;
    fz_add(body, fz_add(n, all_memory(g)));
}

static void make_kernel(struct generator *g)
{
    g->is_kernel = true;
    g->converges = fz_chance(&g->r, CONVERGENT_PERCENT);
    g->budget = 10 + below(g, 20);
    g->cost = 0;
    g->at = (struct position){.times = 1, .may_return = fz_chance(&g->r, 25)};
    fz_add_locals(g);
    struct fz_node *body = g->f->body = fz_f_empty(g);
    add_beginning(g, body);
    fz_add(body, fz_f_block(g, 2, 5));
    add_results(g, body);
}

static void generate(struct fz_program *p)
{
    static const uint8_t threads[] = {4, 8, 13, 16, 32, 33, 64};
    struct generator g = {.p = p, .r = fz_random(p->seed, 'f')};
    p->threads = threads[below(&g, COUNT(threads))];
    p->blocks = fz_chance(&g.r, 80) ? 1 : 2;
    fz_add_data(&g);
    fz_make_functions(&g, 2, make_function, make_kernel);
}

const struct fz_class fz_class_f = {'f',
                                    "arms with much in common",
                                    "values and sets of threads in divergent arms, by reference",
                                    generate,
                                    fz_expect,
                                    NULL};
