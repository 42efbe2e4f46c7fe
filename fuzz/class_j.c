/* class_j.c: class j: code that nobody runs, though a compiler can't know it: a program of class b into
 * whose lists such code is put, behind conditions that the launch's data make false (NEVER): loops
 * without end, irreducible cycles, traps, jumps of all kinds, convergent operations and barriers in them.
 * Parts of what is run become cycles by a goto that nobody takes, or loops left by a condition that never
 * holds. All threads come to some barriers together.
 *
 * Groups do not depend on it. The heart of a cycle that nobody goes round makes one instance of each of its
 * token's, and no goto enters a loop statement, or a cycle that has operations, but at its start. So each
 * operation has those threads that it has without the code, and the reference of class b, which never gets
 * there, says which.
 */
#include "fuzz/generate.h"

/* Chances in percent, of each list if nothing else is said. */
enum {
    DEAD = 15,
    REPEATED = 9,
    IRREDUCIBLE = 6,
    NEVER_LEFT = 20, /* of loops that nothing but the bound ends */
    DEAD_CASE = 20,  /* of switches on lanes */
    DEAD_AT_GATE = 30,
    BARRIERS = 45 /* of programs */
};
enum { MOST_REPEATS = 3, MOST_BARRIERS = 3, MOST_DEPTH = 1 };

/* What a list stands in. */
struct around {
    struct position position;
    uint32_t repeats[MOST_REPEATS], repeat_count; /* labels of the REPEATs around it */
};

struct dead {
    struct generator g; /* of class b */
    struct around at;
    uint32_t labels, depth;
};

/* ---- what nobody runs -------------------------------------------------------------------------------- */

/* Between, the generator of class b stands where the list does. */
static void enter(struct dead *d)
{
    struct generator *g = &d->g;
    g->at = d->at.position;
    g->most_depth = below(&d->g, 3);
    g->budget = 1 + below(&d->g, 4);
    g->cost = 0;
}

static struct fz_node *never(struct dead *d)
{
    uint8_t form = (uint8_t)below(&d->g, FZ_NEVERS);
    return fz_leaf(d->g.p, FZ_NODE_NEVER, below(&d->g, FZ_INPUTS), form);
}

/* Never true. */
static struct fz_node *never_condition(struct dead *d)
{
    struct fz_node *n = never(d), *condition;
    if (chance(&d->g, 65))
        return n;
    enter(d);
    condition = fz_condition(&d->g, 0);
    return chance(&d->g, 50) ? fz_binary(d->g.p, FZ_OP_BOTH, condition, n)
                             : fz_binary(d->g.p, FZ_OP_BOTH, n, condition);
}

static struct fz_node *statements(struct dead *d)
{
    struct range length = {1, 2};
    enter(d);
    return fz_make_list(&d->g, length);
}

static struct fz_node *barrier(struct dead *d)
{
    struct fz_node *n = node(&d->g, FZ_NODE_BARRIER);
    n->flag = chance(&d->g, 25);
    return n;
}

static struct fz_node *trap(struct dead *d)
{
    return fz_leaf(d->g.p, FZ_NODE_TRAP, 0, chance(&d->g, 30));
}

/* Where control goes from the code's end; NULL: on behind it. */
static struct fz_node *jump(struct dead *d)
{
    struct fz_node *n;
    switch (below(&d->g, 8)) {
    case 0: return node(&d->g, FZ_NODE_RETURN);
    case 1: return trap(d);
    case 2: return d->at.position.may_break ? node(&d->g, FZ_NODE_BREAK) : NULL;
    case 3: return d->at.position.may_continue ? node(&d->g, FZ_NODE_CONTINUE) : NULL;
    case 4: return d->at.position.may_throw ? node(&d->g, FZ_NODE_THROW) : NULL;
    case 5:
    case 6:
        if (!d->at.repeat_count)
            return NULL;
        n = fz_leaf(d->g.p, FZ_NODE_JUMP, d->at.repeats[below(&d->g, d->at.repeat_count)], 0);
        n->flag = chance(&d->g, 50);
        return n;
    default: return NULL;
    }
}

static struct fz_node *jump_if(struct dead *d, struct fz_node *to)
{
    enter(d);
    return fz_some(&d->g, fz_condition(&d->g, 0), to);
}

/* Nothing in it is convergent, as in no cycle with several entries. */
static struct fz_node *irreducible(struct dead *d, bool lives)
{
    struct fz_node *n = fz_leaf(d->g.p, FZ_NODE_IRREDUCIBLE, d->labels++, 0), *to, *second;
    d->g.column = FZ_COLUMN_Q;
    d->g.silent = true;
    enter(d);
    fz_add(n, lives && chance(&d->g, 60) ? never_condition(d) : fz_condition(&d->g, 0));
    fz_add(n, statements(d));
    fz_add(n, second = statements(d));
    fz_add(second, fz_leaf(d->g.p, FZ_NODE_STIR, below(&d->g, 1u << 20), 0)); /* so that it ends */
    if (!lives && chance(&d->g, 40) && (to = jump(d)) != NULL)
        fz_add(second, jump_if(d, to));
    enter(d);
    if (lives && chance(&d->g, 50))
        fz_add(n, never_condition(d));
    else
        fz_add(n, !lives && chance(&d->g, 50) ? fz_constant(d->g.p, FZ_BOOL, 1) : fz_condition(&d->g, 0));
    d->g.silent = false;
    d->g.column = FZ_COLUMN_B;
    return n;
}

/* With operations, calls and barriers; some are left, and in some is nothing, or blocks with nothing. */
static struct fz_node *forever(struct dead *d)
{
    struct around outer = d->at;
    if (chance(&d->g, 10)) {
        struct fz_node *list = node(&d->g, FZ_NODE_BLOCK), *n = node(&d->g, FZ_NODE_TRY);
        fz_add(fz_add(n, node(&d->g, FZ_NODE_BLOCK)), node(&d->g, FZ_NODE_BLOCK));
        return fz_add(node(&d->g, FZ_NODE_FOREVER), chance(&d->g, 50) ? fz_add(list, n) : list);
    }
    d->at.position.may_break = chance(&d->g, 40);
    d->at.position.may_continue = true;
    struct fz_node *body = statements(d), *n;
    if (chance(&d->g, 30))
        fz_add(body, barrier(d));
    if (chance(&d->g, 20) && (n = fz_make_invoke(&d->g)) != NULL)
        fz_add(body, n);
    if (chance(&d->g, 40))
        fz_add(body, fz_make_log(&d->g));
    if (chance(&d->g, 45) && (n = jump(d)) != NULL)
        fz_add(body, jump_if(d, n));
    d->at = outer;
    return fz_add(node(&d->g, FZ_NODE_FOREVER), body);
}

static struct fz_node *dead(struct dead *d, bool otherwise);

/* The list behind a condition that never holds. */
static struct fz_node *dead_list(struct dead *d)
{
    struct fz_node *list = statements(d), *n;
    uint32_t dice = below(&d->g, 100);
    if (chance(&d->g, 15))
        fz_add(list, barrier(d));
    if (d->depth < MOST_DEPTH && chance(&d->g, 15)) {
        d->depth++;
        fz_add(list, dead(d, false));
        d->depth--;
    }
    if (dice < 35)
        return fz_add(list, forever(d));
    if (dice < 50)
        fz_add(list, irreducible(d, false));
    n = jump(d);
    return n ? fz_add(list, n) : list;
}

/* With or without another way, which all take. */
static struct fz_node *dead(struct dead *d, bool otherwise)
{
    struct fz_node *n = fz_add(node(&d->g, FZ_NODE_IF), never_condition(d)), *other;
    fz_add(n, dead_list(d));
    enter(d);
    other = node(&d->g, FZ_NODE_BLOCK);
    return fz_add(n, otherwise ? fz_add(other, fz_make_log(&d->g)) : other);
}

/* ---- where it stands --------------------------------------------------------------------------------- */

static void insert(struct dead *d, struct fz_node *list, struct fz_node *n)
{
    struct fz_node **link = &list->first;
    for (uint32_t i = below(&d->g, fz_list_length(list->first) + 1); i > 0; i--)
        link = &(*link)->next;
    n->next = *link;
    *link = n;
}

/* Some statements of the list, one after the other, become one, whose list they are. */
static struct fz_node *wrap(struct dead *d, struct fz_node *list, enum fz_kind kind)
{
    struct fz_node **link = &list->first, *n = node(&d->g, kind), *inner = node(&d->g, FZ_NODE_BLOCK), *last;
    uint32_t count = fz_list_length(list->first), first = below(&d->g, count + 1),
             some = below(&d->g, count - first + 1);
    for (uint32_t i = first; i > 0; i--)
        link = &(*link)->next;
    if (some) {
        inner->first = last = *link;
        while (--some)
            last = last->next;
        *link = last->next;
        last->next = NULL;
    }
    n->next = *link;
    *link = n;
    return fz_add(n, inner);
}

/* The functions add_to_… put such code into a statement or list of the program. */
static void add_to_list(struct dead *d, struct fz_node *list);

static void add_to_repeat(struct dead *d, struct fz_node *n)
{
    struct around outer = d->at;
    d->at.repeats[d->at.repeat_count++] = (uint32_t)n->value;
    add_to_list(d, n->first);
    d->at = outer;
}

static void add_to_loop(struct dead *d, struct fz_node *n)
{
    struct around outer = d->at;
    struct fz_node *condition = fz_child(n, 1);
    if (d->at.position.loops < COUNT(d->at.position.counters))
        d->at.position.counters[d->at.position.loops++] = n->name;
    if (n->op == FZ_ENDLESS) {
        d->at.position.may_break = d->at.position.may_continue = false;
        add_to_list(d, fz_child(n, 3));
    }
    d->at.position.may_break = d->at.position.may_continue = true;
    add_to_list(d, fz_child(n, 2));
    d->at = outer;
    if (condition->kind != FZ_NODE_CONSTANT || !chance(&d->g, NEVER_LEFT))
        return;
    struct fz_node *next = condition->next, *child = never_condition(d);
    *condition = *fz_leaf(d->g.p, FZ_NODE_UNARY, 0, FZ_OP_NOT);
    condition->first = child;
    condition->next = next;
}

static void add_to_switch(struct dead *d, struct fz_node *n)
{
    struct around outer = d->at;
    struct fz_node *cases = fz_child(n, 1), *c;
    d->at.position.may_break = true;
    for (c = cases->first; c; c = c->next)
        add_to_list(d, c->first);
    const struct fz_node *modulus =
        n->first->kind == FZ_NODE_BINARY && n->first->op == FZ_OP_REM ? fz_child(n->first, 1) : NULL;
    if (modulus && modulus->kind == FZ_NODE_CONSTANT && modulus->value && modulus->value <= 4 &&
        chance(&d->g, DEAD_CASE)) {
        n->value = 7;
        c = fz_leaf(d->g.p, FZ_NODE_CASE, 4 + below(&d->g, 4), 0);
        fz_add(c, dead_list(d));
        c->next = cases->first;
        cases->first = c;
    }
    d->at = outer;
}

/* Only what throws past the function makes it one that throws. */
static void add_to_try(struct dead *d, struct fz_node *n)
{
    struct around outer = d->at;
    bool throws = d->g.f->throws;
    d->at.position.may_throw = true;
    add_to_list(d, n->first);
    d->at = outer;
    d->g.f->throws = throws;
    add_to_list(d, fz_child(n, 1));
}

static void add_to_statement(struct dead *d, struct fz_node *n)
{
    switch (n->kind) {
    case FZ_NODE_BLOCK: add_to_list(d, n); break;
    case FZ_NODE_IF: add_to_list(d, fz_child(n, 1)), add_to_list(d, fz_child(n, 2)); break;
    case FZ_NODE_LOOP: add_to_loop(d, n); break;
    case FZ_NODE_SWITCH: add_to_switch(d, n); break;
    case FZ_NODE_TRY: add_to_try(d, n); break;
    case FZ_NODE_REPEAT: add_to_repeat(d, n); break;
    default: break;
    }
}

static void add_to_list(struct dead *d, struct fz_node *list)
{
    if (d->at.repeat_count < MOST_REPEATS && chance(&d->g, REPEATED)) {
        struct fz_node *n = wrap(d, list, FZ_NODE_REPEAT);
        n->value = d->labels++;
        fz_add(n, never_condition(d));
    }
    for (struct fz_node *s = list->first; s; s = s->next)
        add_to_statement(d, s);
    if (chance(&d->g, IRREDUCIBLE))
        insert(d, list, irreducible(d, true));
    if (chance(&d->g, DEAD))
        insert(d, list, dead(d, chance(&d->g, 25)));
}

/* ---- programs ---------------------------------------------------------------------------------------- */

/* Where all threads come that have not returned, in loops too. It is no program of the class if one has. */
static void add_barriers(struct dead *d)
{
    struct fz_function *kernel = fz_kernel(d->g.p);
    struct fz_node *list = kernel->body;
    for (uint32_t i = 1 + below(&d->g, MOST_BARRIERS); i > 0; i--) {
        if (chance(&d->g, 30)) {
            struct fz_node *n = wrap(d, list, FZ_NODE_LOOP), *body = n->first;
            n->op = (uint8_t)below(&d->g, FZ_LOOP_FORMS);
            n->name = fz_new_counter(&d->g);
            n->value = 3;
            n->first = NULL;
            fz_add(fz_add(n, fz_constant(d->g.p, FZ_INT, 1 + below(&d->g, 2))), fz_always(&d->g));
            fz_add(fz_add(n, body), node(&d->g, FZ_NODE_BLOCK));
            list = body;
        }
        insert(d, list, barrier(d));
        list = kernel->body;
    }
}

/* The sides of a gate, where some of the threads return and the others come to a barrier. */
static void add_to_gate(struct dead *d, const struct fz_node *gate)
{
    for (struct fz_node *list = gate->first->next; list; list = list->next) {
        for (const struct fz_node *s = list->first; s; s = s->next)
            if (s->kind == FZ_NODE_GATE)
                add_to_gate(d, s);
        if (chance(&d->g, DEAD_AT_GATE))
            insert(d, list, dead(d, false));
    }
}

static void add_dead_code(struct fz_program *p, uint32_t attempt)
{
    struct dead d = {.g = {.p = p, .column = FZ_COLUMN_B, .r = fz_random(p->seed, 'N' + 256 * attempt)}};
    for (uint32_t i = 0; i < p->functions.count; i++) {
        d.g.f = &p->functions.at[i];
        d.g.is_kernel = d.g.f == fz_kernel(p);
        d.at = (struct around){.position = {.times = 1, .may_return = true, .may_throw = d.g.f->throws}};
        if (d.g.is_kernel && chance(&d.g, BARRIERS))
            add_barriers(&d);
        add_to_list(&d, d.g.f->body);
    }
    fz_add_gates(p);
    for (const struct fz_node *s = fz_kernel(p)->body->first; s; s = s->next)
        if (s->kind == FZ_NODE_GATE)
            add_to_gate(&d, s);
}

static void generate(struct fz_program *p)
{
    fz_generate_b(p, add_dead_code);
}

const struct fz_class fz_class_j = {'j',
                                    "code that nobody runs",
                                    "that groups do not depend on code that is never run, by reference",
                                    generate,
                                    fz_expect,
                                    NULL};
