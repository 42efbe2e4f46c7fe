/* generate.c: random statements, drawn by the weights of weights.def. In some branches and switches one arm
 * has much in common with another (vary.c).
 */
#include "fuzz/generate.h"

/* Forms that others make, too. */
#define make_if            fz_make_if
#define make_try           fz_make_try
#define make_log           fz_make_log
#define make_point         fz_make_point
#define make_goto          fz_make_goto
#define make_invoke        fz_make_invoke
#define make_vector_assign fz_make_vector_assign
#define make_step          fz_make_step
#define make_store_row     fz_make_store_row

enum { MAX_SIZE = 350 }; /* nodes of an arm that another one is like */

static const uint8_t chances[][FZ_WEIGHTS] = {
#define CHANCE(id, a, b, q, c, f, h, meaning) {a, b, q, c, f, h},
#include "fuzz/weights.def"
};
static const struct range ranges[][FZ_WEIGHTS] = {
#define R(least, most)                                                                                       \
    {                                                                                                        \
        least, most                                                                                          \
    }
#define RANGE(id, a, b, q, c, f, h, meaning) {a, b, q, c, f, h},
#include "fuzz/weights.def"
};

uint32_t fz_draw(struct generator *g, const uint8_t (*weights)[FZ_WEIGHTS], uint32_t count)
{
    uint32_t sum = 0, at, i = 0;
    for (uint32_t k = 0; k < count; k++)
        sum += weights[k][g->column];
    INVARIANT(sum);
    for (at = below(g, sum); at >= weights[i][g->column]; i++)
        at -= weights[i][g->column];
    return i;
}

bool fz_happens(struct generator *g, enum fz_chances which)
{
    return chance(g, chances[which][g->column]);
}

struct range fz_range(const struct generator *g, enum fz_ranges which)
{
    return ranges[which][g->column];
}

static uint32_t many(struct generator *g, struct range r)
{
    return r.least + below(g, r.most - r.least + 1u);
}

uint32_t fz_many(struct generator *g, enum fz_ranges which)
{
    return many(g, ranges[which][g->column]);
}

void fz_draw_launch(struct generator *g)
{
    static const struct {
        uint8_t two, threads[8];
    } launches[FZ_WEIGHTS] = {
#define LAUNCH(column, two, ...) [FZ_COLUMN_##column] = {two, {__VA_ARGS__}},
#include "fuzz/weights.def"
    };
    g->p->blocks = chance(g, launches[g->column].two) ? 2 : 1;
    g->p->threads = launches[g->column].threads[below(g, COUNT(launches->threads))];
}

static struct fz_node *empty_list(struct generator *g)
{
    return node(g, FZ_NODE_BLOCK);
}

struct fz_node *fz_make_inner_list(struct generator *g, struct range length)
{
    g->at.depth++;
    struct fz_node *list = fz_make_list(g, length);
    g->at.depth--;
    return list;
}

static struct fz_node *inner(struct generator *g, enum fz_ranges length)
{
    return fz_make_inner_list(g, fz_range(g, length));
}

void fz_put_first(struct fz_node *list, struct fz_node *n)
{
    n->next = list->first;
    list->first = n;
}

/* ---- straight-line statements ------------------------------------------------------------------------ */

static struct fz_node *make_assign(struct generator *g)
{
    struct fz_node *target = fz_place(g, false);
    if (!target)
        return NULL;
    bool integer = !fz_is_float(fz_type_of(g->p, g->f, target));
    struct fz_node *n = fz_assign(g->p, target, fz_expression(g, 3));
    if (chance(g, 40))
        n->op = (uint8_t)below(g, integer ? FZ_OP_LT : FZ_OP_REM);
    return n;
}

static struct fz_node *make_copy(struct generator *g)
{
    struct fz_node *n = node(g, FZ_NODE_COPY);
    for (int i = 0; i < 2; i++) {
        uint32_t v = fz_pick_variable(g, FZ_STRUCT, true);
        if (v == UINT32_MAX)
            return NULL;
        fz_add(n, fz_named(g, FZ_NODE_STRUCTURE, v));
    }
    return n;
}

static struct fz_node *make_output(struct generator *g)
{
    uint32_t slot = below(g, FZ_SLOTS);
    return g->is_kernel ? fz_add(fz_leaf(g->p, FZ_NODE_OUTPUT, slot, 0), fz_expression(g, 2)) : NULL;
}

static struct fz_node *make_atomic(struct generator *g)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_ATOMIC, below(g, FZ_ATOMICS), 0);
    if (!g->is_kernel)
        return NULL;
    n->flag = g->counts && chance(g, 60);
    fz_add(n, fz_expression(g, 1));
    return fz_add(n, fz_expression(g, 2));
}

static struct fz_node *make_converge(struct generator *g)
{
    struct fz_node *target = g->is_kernel && g->converges ? fz_place(g, false) : NULL;
    if (!target)
        return NULL;
    uint8_t op = (uint8_t)below(g, FZ_OBSERVATIONS);
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_CONVERGE, below(g, 33), op);
    return fz_add(fz_add(n, target), fz_expression(g, 2));
}

struct fz_node *fz_make_log(struct generator *g)
{
    uint8_t op = (uint8_t)(chance(g, 60) ? FZ_BALLOT_ALL : below(g, FZ_OBSERVATIONS));
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_LOG, below(g, 33), op);
    n->flag = chance(g, 40);
    n->name = chance(g, 40);
    return fz_add(n, fz_operand(g, (enum fz_observation)op));
}

static struct fz_node *make_stir(struct generator *g)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_STIR, below(g, 1u << 20), 0);
    n->flag = chance(g, 40);
    return n;
}

static struct fz_node *make_mix(struct generator *g)
{
    struct fz_node *h = node(g, FZ_NODE_HASH), *mixed;
    uint32_t which = below(g, 5), value = below(g, 1u << 20);
    switch (which) {
    case 0: mixed = fz_by(g->p, FZ_OP_MUL, fz_by(g->p, FZ_OP_XOR, h, value), FZ_HASH_FACTOR); break;
    case 1:
        mixed = fz_binary(g->p, FZ_OP_XOR, fz_by(g->p, FZ_OP_SHR, h, 7), node(g, FZ_NODE_HASH));
        mixed = fz_by(g->p, FZ_OP_ADD, mixed, value);
        break;
    case 2: mixed = fz_by(g->p, FZ_OP_SUB, fz_by(g->p, FZ_OP_MUL, h, 5), value); break;
    case 3:
        mixed = fz_by(g->p, FZ_OP_SHR, node(g, FZ_NODE_HASH), 29);
        mixed = fz_binary(g->p, FZ_OP_OR, fz_by(g->p, FZ_OP_SHL, h, 3), mixed);
        mixed = fz_by(g->p, FZ_OP_XOR, mixed, value);
        break;
    default: return fz_noise(g->p, value);
    }
    return fz_assign(g->p, node(g, FZ_NODE_HASH), mixed);
}

static struct fz_node *make_noise(struct generator *g)
{
    return fz_assign(g->p, node(g, FZ_NODE_NOISE), node(g, FZ_NODE_HASH));
}

struct fz_node *fz_make_simple(struct generator *g)
{
    static struct fz_node *(*const makers[])(struct generator *) = {
#define SIMPLE(id, ...) make_##id,
#include "fuzz/weights.def"
    };
    static const uint8_t weights[][FZ_WEIGHTS] = {
#define SIMPLE(id, a, b, q, c, f, h, meaning) {a, b, q, c, f, h},
#include "fuzz/weights.def"
    };
    struct fz_node *n = NULL;
    g->cost += g->at.times;
    for (uint32_t i = 0; i < 4 && !n; i++)
        n = makers[fz_draw(g, weights, COUNT(weights))](g);
    return n;
}

/* ---- jumps ------------------------------------------------------------------------------------------- */

struct fz_node *fz_make_return(struct generator *g)
{
    struct fz_node *n = node(g, FZ_NODE_RETURN);
    return g->is_kernel || fz_has_log(g->p) ? n : fz_add(n, fz_expression(g, 2));
}

static struct fz_node *make_break(struct generator *g)
{
    return g->at.may_break ? node(g, FZ_NODE_BREAK) : NULL;
}

static struct fz_node *make_continue(struct generator *g)
{
    return g->at.may_continue ? node(g, FZ_NODE_CONTINUE) : NULL;
}

static struct fz_node *make_return(struct generator *g)
{
    return g->at.may_return ? fz_make_return(g) : NULL;
}

static struct fz_node *make_throw(struct generator *g)
{
    g->f->throws |= g->at.may_throw; /* or is caught inside: then too much is feared, nothing wrong */
    return g->at.may_throw ? node(g, FZ_NODE_THROW) : NULL;
}

/* NULL: the one that was drawn is not allowed here. */
static struct fz_node *random_jump(struct generator *g)
{
    static struct fz_node *(*const makers[])(struct generator *) = {
#define JUMP(id, ...) make_##id,
#include "fuzz/weights.def"
    };
    static const uint8_t weights[][FZ_WEIGHTS] = {
#define JUMP(id, a, b, q, c, f, h, meaning) {a, b, q, c, f, h},
#include "fuzz/weights.def"
    };
    return makers[fz_draw(g, weights, COUNT(weights))](g);
}

static struct fz_node *with_jump(struct fz_node *list, struct fz_node *jump)
{
    return jump ? fz_add(list, jump) : list;
}

/* ---- branches ---------------------------------------------------------------------------------------- */

/* Another arm like this one, which has added `cost`. */
static struct fz_node *like(struct generator *g, const struct fz_node *arm, uint32_t cost)
{
    g->cost += cost;
    return fz_size(arm) > MAX_SIZE ? empty_list(g) : fz_varied(g, arm);
}

static struct fz_node *if_of(struct generator *g, struct fz_node *condition, struct fz_node *then,
                             struct fz_node *otherwise)
{
    return fz_add(fz_add(fz_add(node(g, FZ_NODE_IF), condition), then), otherwise);
}

struct fz_node *fz_some(struct generator *g, struct fz_node *condition, struct fz_node *statement)
{
    return if_of(g, condition, fz_add(empty_list(g), statement), empty_list(g));
}

struct fz_node *fz_make_if(struct generator *g)
{
    struct fz_node *condition = fz_condition(g, 2), *jump, *arm, *other;
    struct range length = fz_range(g, FZ_RANGE_arm);
    uint32_t before = g->cost;
    jump = fz_happens(g, FZ_CHANCE_jump) ? random_jump(g) : NULL;
    length.most = jump ? length.least : length.most;
    arm = fz_make_inner_list(g, length);
    if (fz_happens(g, FZ_CHANCE_same))
        other = fz_clone(g->p, with_jump(arm, jump)), jump = NULL;
    else if (fz_happens(g, FZ_CHANCE_like))
        other = like(g, arm, g->cost - before);
    else
        other = fz_happens(g, FZ_CHANCE_otherwise) ? inner(g, FZ_RANGE_other_arm) : empty_list(g);
    with_jump(arm, jump);
    with_jump(other, fz_happens(g, FZ_CHANCE_other_jump) ? random_jump(g) : NULL);
    return fz_happens(g, FZ_CHANCE_exchanged) ? if_of(g, condition, other, arm)
                                              : if_of(g, condition, arm, other);
}

/* A case that sets the hash, and nothing else, becomes an edge with an argument. */
static struct fz_node *edge_case(struct generator *g, uint32_t constants)
{
    struct fz_node *value = fz_constant(g->p, FZ_UINT, 1 + below(g, constants)), *jump;
    struct fz_node *body = fz_add(empty_list(g), fz_assign(g->p, node(g, FZ_NODE_HASH), value));
    uint32_t dice = below(g, 100);
    if (dice < (g->column == FZ_COLUMN_Q ? 5 : 20)) /* one that goes elsewhere */
        jump = node(g, g->at.may_continue && chance(g, 40) ? FZ_NODE_CONTINUE : FZ_NODE_RETURN);
    else
        jump = dice < 75 ? node(g, FZ_NODE_BREAK) : NULL;
    return with_jump(body, jump);
}

/* *arm, which costs *cost, is the last that has been made anew; constants: of edges, or 0. */
static struct fz_node *random_case(struct generator *g, uint32_t constants, struct fz_node **arm,
                                   uint32_t *cost)
{
    struct fz_node *body;
    uint32_t before = g->cost;
    if (constants && chance(g, 75))
        return edge_case(g, constants);
    if (*arm && fz_happens(g, FZ_CHANCE_case_like)) {
        body = like(g, *arm, *cost);
    } else {
        *arm = inner(g, FZ_RANGE_case_arm);
        *cost = g->cost - before;
        body = fz_clone(g->p, *arm);
    }
    with_jump(body, fz_happens(g, FZ_CHANCE_case_jump) ? random_jump(g) : NULL);
    return fz_happens(g, FZ_CHANCE_case_break) ? fz_add(body, node(g, FZ_NODE_BREAK)) : body;
}

static struct fz_node *make_switch(struct generator *g)
{
    struct position outer = g->at;
    uint32_t mask = fz_range(g, FZ_RANGE_selectors).most, count = fz_many(g, FZ_RANGE_cases), value = 0;
    uint32_t constants = fz_happens(g, FZ_CHANCE_edge_cases) ? 1 + below(g, 3) : 0, cost = 0;
    uint32_t otherwise = below(g, 8);
    if (g->at.depth >= fz_range(g, FZ_RANGE_switch_depth).most)
        return NULL;
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_SWITCH, mask, 0), *cases = empty_list(g), *arm = NULL;
    fz_add(n, fz_number(g, below(g, mask + 1)));
    g->at.may_break = true;
    for (uint32_t i = 0; i < count; i++, value++) {
        value += fz_happens(g, FZ_CHANCE_gap);
        struct fz_node *c = fz_leaf(g->p, FZ_NODE_CASE, value, 0);
        c->flag = i == otherwise;
        fz_add(cases, fz_add(c, random_case(g, constants, &arm, &cost)));
    }
    g->at = outer;
    return fz_add(n, cases);
}

/* ---- loops ------------------------------------------------------------------------------------------- */

uint32_t fz_new_counter(struct generator *g)
{
    enum fz_type t = fz_has_log(g->p) || chance(g, 30) ? FZ_UINT : FZ_INT;
    uint32_t v = fz_variable(g->p, g->f, FZ_SCALAR, t, 0);
    g->f->variables.at[v].counter = true;
    return v;
}

struct fz_node *fz_always(struct generator *g)
{
    return fz_constant(g->p, FZ_BOOL, 1);
}

/* Without what it consists of; its body may be made next. */
static struct fz_node *begin_loop(struct generator *g, enum fz_loop_form form, uint32_t mask, uint32_t least)
{
    while (mask > least && g->at.times * (mask + 1) > fz_range(g, FZ_RANGE_times).most)
        mask /= 2;
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_LOOP, mask, (uint8_t)form);
    n->name = fz_new_counter(g);
    return n;
}

static void enter_loop(struct generator *g, const struct fz_node *n)
{
    g->at.times *= (uint32_t)n->value + 1;
    g->at.counters[g->at.loops++] = n->name;
    g->at.may_break = g->at.may_continue = true;
}

struct fz_node *fz_make_loop(struct generator *g)
{
    struct position outer = g->at;
    struct range iterations = fz_range(g, FZ_RANGE_iterations), once = fz_range(g, FZ_RANGE_handler);
    struct fz_node *n =
        begin_loop(g, (enum fz_loop_form)below(g, FZ_LOOP_FORMS), iterations.most, iterations.least);
    n->flag = n->op == FZ_FOR && fz_happens(g, FZ_CHANCE_down);
    fz_add(n, fz_number(g, 1 + below(g, iterations.most)));
    enter_loop(g, n);
    fz_add(n, fz_happens(g, FZ_CHANCE_further) ? fz_condition(g, 2) : fz_always(g));
    struct fz_node *body = inner(g, FZ_RANGE_body);
    if (fz_happens(g, FZ_CHANCE_loop_call))
        fz_begin_with_invoke(g, body);
    g->at.may_break = g->at.may_continue = false;
    bool leaves = n->op == FZ_ENDLESS && fz_happens(g, FZ_CHANCE_exit_body);
    fz_add(fz_add(n, body), leaves ? fz_make_inner_list(g, once) : empty_list(g));
    g->at = outer;
    return n;
}

static struct fz_node *make_loop(struct generator *g)
{
    return g->at.loops < fz_range(g, FZ_RANGE_loop_depth).most ? fz_make_loop(g) : NULL;
}

/* To one number of the launch, or of the thread; here and there with a break in the midst of the body. */
static struct fz_node *counted_loop(struct generator *g)
{
    struct position outer = g->at;
    struct range few = fz_range(g, FZ_RANGE_handler), none = {0, 0};
    enum fz_loop_form form = chance(g, 75) ? FZ_FOR : (enum fz_loop_form)below(g, FZ_ENDLESS);
    struct fz_node *n = begin_loop(g, form, 7, 3), *stop;
    fz_add(n, chance(g, 70) ? fz_add(node(g, FZ_NODE_INPUT), fz_constant(g->p, FZ_UINT, below(g, FZ_INPUTS)))
                            : fz_own_input(g));
    fz_add(n, fz_always(g));
    enter_loop(g, n);
    struct fz_node *body = inner(g, FZ_RANGE_body);
    if (chance(g, 40)) {
        struct fz_node *condition = fz_condition(g, 2);
        stop = fz_make_inner_list(g, chance(g, 30) ? few : none);
        fz_add(body, if_of(g, condition, fz_add(stop, node(g, FZ_NODE_BREAK)), empty_list(g)));
        if ((stop = fz_make_simple(g)) != NULL)
            fz_add(body, stop);
    }
    g->at = outer;
    return fz_add(fz_add(n, body), empty_list(g));
}

/* The loop's bound n becomes n + 1 or 2 n, or stays. */
static void change_bound(struct generator *g, struct fz_node *loop)
{
    struct fz_node *bound = loop->first, *rest = bound->next;
    uint32_t which = below(g, 3);
    bound->next = NULL;
    if (which < 2)
        bound = fz_by(g->p, which ? FZ_OP_MUL : FZ_OP_ADD, bound, 1 + which);
    bound->next = rest;
    loop->first = bound;
}

/* A branch with a counted loop in each arm. */
static struct fz_node *make_loops(struct generator *g)
{
    struct range few = {0, 1};
    if (g->at.loops >= fz_range(g, FZ_RANGE_loop_depth).most)
        return NULL;
    struct fz_node *condition = fz_condition(g, 2), *loop;
    uint32_t before = g->cost;
    g->at.depth++;
    struct fz_node *arm = fz_make_list(g, few);
    fz_add(arm, counted_loop(g));
    g->at.depth--;
    struct fz_node *other = like(g, arm, g->cost - before);
    for (loop = other->first; loop && loop->kind != FZ_NODE_LOOP; loop = loop->next)
        continue;
    if (loop)
        change_bound(g, loop);
    return if_of(g, condition, arm, other);
}

/* ---- indices that a branch has looked at ------------------------------------------------------------- */

/* Reads or writes an element with that index. */
static struct fz_node *use_of_index(struct generator *g, uint32_t index)
{
    struct fz_node *at = fz_named(g, FZ_NODE_ELEMENT, fz_pick_variable(g, FZ_ARRAY, true)), *target;
    at->flag = true;
    fz_add(at, fz_named(g, FZ_NODE_VARIABLE, index));
    if (chance(g, 35) || (target = fz_place(g, false)) == NULL)
        return fz_assign(g->p, at, fz_expression(g, 2));
    return fz_assign(g->p, target, chance(g, 50) ? fz_binary(g->p, FZ_OP_ADD, at, fz_expression(g, 1)) : at);
}

/* Indices by this variable become those by as much less as an array is long. */
static void move_indices(struct generator *g, struct fz_node *n, uint32_t index)
{
    if (n->kind == FZ_NODE_ELEMENT && n->flag && n->first->kind == FZ_NODE_VARIABLE &&
        n->first->name == index)
        n->first = fz_by(g->p, FZ_OP_SUB, n->first, FZ_ARRAY_LENGTH);
    for (struct fz_node *child = n->first; child; child = child->next)
        move_indices(g, child, index);
}

static struct fz_node *make_inside(struct generator *g)
{
    struct fz_node *n = node(g, FZ_NODE_INSIDE);
    struct range length = {1, 3};
    uint32_t before = g->cost;
    if (fz_pick_variable(g, FZ_ARRAY, true) == UINT32_MAX)
        return NULL;
    n->name = fz_variable(g->p, g->f, FZ_SCALAR, FZ_UINT, 0);
    g->f->variables.at[n->name].scoped = true; /* nothing else reads or writes it */
    fz_add(n, chance(g, 60) ? fz_own_input(g) : fz_expression(g, 2));
    struct fz_node *arm = fz_make_inner_list(g, length), *other;
    other = chance(g, 30) ? like(g, arm, g->cost - before) : NULL; /* in which no index is used */
    for (uint32_t i = 1 + below(g, 3); i > 0; i--) {
        struct fz_node *use = use_of_index(g, n->name);
        if (chance(g, 50))
            fz_add(arm, use);
        else
            fz_put_first(arm, use);
    }
    other = other ? other : like(g, arm, g->cost - before);
    move_indices(g, other, n->name);
    return fz_add(fz_add(n, arm), other);
}

/* ---- calls and exceptions ---------------------------------------------------------------------------- */

bool fz_any_throws(const struct generator *g)
{
    for (const struct fz_function *f = g->p->functions.at; f < g->f; f++)
        if (f->throws)
            return true;
    return false;
}

/* One of the functions before this one; if it may throw here, rather one that does. */
static uint32_t random_callee(struct generator *g)
{
    uint32_t callees = (uint32_t)(g->f - g->p->functions.at), callee = below(g, callees);
    for (uint32_t i = 0; i < 3 && g->at.may_throw && !g->p->functions.at[callee].throws; i++)
        callee = below(g, callees);
    return callee;
}

struct fz_node *fz_make_invoke(struct generator *g)
{
    uint32_t callees = (uint32_t)(g->f - g->p->functions.at);
    if (callees == 0 || g->silent)
        return NULL;
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_INVOKE, below(g, callees), 0);
    n->name = random_callee(g);
    n->flag = g->is_kernel && chance(g, 25); /* see begin_call in generate_expr.c */
    bool throws = g->p->functions.at[n->name].throws || (n->flag && g->p->functions.at[n->value].throws);
    if (throws && !g->at.may_throw)
        return NULL;
    g->f->throws |= throws;
    return n;
}

/* A call as a statement; NULL: there is none. */
static struct fz_node *random_call(struct generator *g)
{
    if (fz_has_log(g->p))
        return fz_make_invoke(g);
    struct fz_node *target = g->f > g->p->functions.at ? fz_place(g, false) : NULL;
    struct fz_node *call = target ? fz_call_of(g, random_callee(g), 2) : NULL;
    return call ? fz_assign(g->p, target, call) : NULL;
}

struct fz_node *fz_make_try(struct generator *g)
{
    struct position outer = g->at;
    bool threw = g->f->throws;
    g->at.may_throw = true;
    struct fz_node *n = fz_add(node(g, FZ_NODE_TRY), inner(g, FZ_RANGE_body)), *call;
    if (fz_happens(g, FZ_CHANCE_try_call) && (call = random_call(g)) != NULL) {
        if (chance(g, 50))
            fz_put_first(n->first, call);
        else
            fz_add(n->first, call);
    }
    g->at = outer;
    g->f->throws = threw;
    return fz_add(n, inner(g, FZ_RANGE_handler));
}

static struct fz_node *make_scope(struct generator *g)
{
    struct fz_node *n = fz_add(node(g, FZ_NODE_SCOPE), fz_expression(g, 2));
    uint32_t v = n->name = fz_variable(g->p, g->f, FZ_SCALAR, fz_random_type(g), 0);
    fz_add(n, inner(g, FZ_RANGE_body));
    g->f->variables.at[v].scoped = true; /* out of sight for what follows */
    return n;
}

/* ---- any --------------------------------------------------------------------------------------------- */

static struct fz_node *random_construct(struct generator *g)
{
    static struct fz_node *(*const makers[])(struct generator *) = {
#define CONSTRUCT(id, ...) make_##id,
#include "fuzz/weights.def"
    };
    static const uint8_t weights[][FZ_WEIGHTS] = {
#define CONSTRUCT(id, a, b, q, c, f, h, meaning) {a, b, q, c, f, h},
#include "fuzz/weights.def"
    };
    struct fz_node *n = makers[fz_draw(g, weights, COUNT(weights))](g);
    return n ? n : fz_make_if(g);
}

struct fz_node *fz_make_statement(struct generator *g)
{
    if (g->budget == 0)
        return NULL;
    g->budget--;
    bool construct = fz_happens(g, g->at.depth ? FZ_CHANCE_construct : FZ_CHANCE_outer_construct);
    return construct && g->at.depth < g->most_depth && g->cost < FZ_MAX_COST ? random_construct(g)
                                                                             : fz_make_simple(g);
}

static struct fz_node *observation(struct generator *g)
{
    return g->column == FZ_COLUMN_B ? fz_make_log(g) : fz_make_simple(g);
}

struct fz_node *fz_make_list(struct generator *g, struct range length)
{
    struct fz_node *list = empty_list(g), *s;
    if (fz_happens(g, FZ_CHANCE_begins_seen))
        fz_add(list, observation(g));
    for (uint32_t count = many(g, length); count > 0; count--)
        if ((s = fz_make_statement(g)) != NULL)
            fz_add(list, s);
    if (fz_happens(g, FZ_CHANCE_region))
        fz_add_region(g, list);
    return fz_happens(g, FZ_CHANCE_ends_seen) ? fz_add(list, observation(g)) : list;
}

void fz_begin_function(struct generator *g, uint32_t function)
{
    g->f = &g->p->functions.at[function];
    g->is_kernel = g->f == fz_kernel(g->p);
    g->at = (struct position){.times = 1, .may_return = true};
    g->budget = fz_many(g, g->is_kernel ? FZ_RANGE_kernel_budget : FZ_RANGE_function_budget);
    g->most_depth = fz_many(g, g->is_kernel ? FZ_RANGE_kernel_depth : FZ_RANGE_function_depth);
    g->cost = !g->is_kernel;
    g->regions = 0;
}
