/* vary.c: lists of statements that have much in common with a given one: what passes that merge code look
 * for, and where they can go wrong. Variables are renamed, operands of commutative operators exchanged,
 * statements moved, dropped and inserted, single operators and constants changed. All that is left is a
 * program of its class: nobody expects the two lists to compute the same.
 */
#include "fuzz/generate.h"

/* Chances in percent. */
enum {
    SAME_EDITS = 30,
    RENAMED = 75,
    ANY_TYPE = 30,
    DROPPED = 8,
    MOVED = 20,
    INSERTED = 15,
    EXCHANGED = 25,
    OPERATOR = 4,
    CONSTANT = 6,
    CONSTANT_FOR_VARIABLE = 3,
    FORM = 20,
    NUMBER = 15,
    CALLEE = 50
};

struct change {
    struct generator *g;
    uint32_t *to;  /* by variable: its new name */
    bool edits;    /* more than names is to change */
    bool any_type; /* names of variables of other types, too */
};

static bool edit(const struct change *c, uint32_t percent)
{
    return c->edits && chance(c->g, percent);
}

/* ---- names ------------------------------------------------------------------------------------------- */

/* 0: bool, 1: integers, 2: floating numbers. What has one for the other is well typed. */
static uint32_t family(enum fz_type t)
{
    return t == FZ_BOOL ? 0 : fz_is_float(t) ? 2 : 1;
}

/* An equivalence: so any permutation within its classes may be made. Arrays of class a are passed by their
 * addresses, which have one type. */
static bool may_exchange(const struct change *c, uint32_t i, uint32_t k)
{
    const struct fz_variable *x = &c->g->f->variables.at[i], *y = &c->g->f->variables.at[k];
    if (x->shape != y->shape || x->elements != y->elements || x->scoped || y->scoped || x->counter ||
        y->counter)
        return false;
    bool any_type = c->any_type && !x->elements && (x->shape == FZ_SCALAR || fz_is_plain(c->g->p));
    return x->type == y->type || (any_type && family(x->type) == family(y->type));
}

static void choose_names(struct change *c)
{
    uint32_t count = c->g->f->variables.count;
    bool renamed = chance(c->g, RENAMED);
    c->any_type = chance(c->g, ANY_TYPE);
    c->to = arena_array(c->g->p->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        c->to[i] = i;
    for (uint32_t i = 0; renamed && i < count; i++) {
        uint32_t choices = 0, j = i;
        for (uint32_t k = 0; k < count; k++)
            if (may_exchange(c, i, k) && below(c->g, ++choices) == 0)
                j = k;
        uint32_t name = c->to[i];
        c->to[i] = c->to[j];
        c->to[j] = name;
    }
}

/* ---- operators and numbers --------------------------------------------------------------------------- */

static bool commutes(uint8_t op)
{
    return op == FZ_OP_ADD || op == FZ_OP_MUL || op == FZ_OP_AND || op == FZ_OP_OR || op == FZ_OP_XOR ||
           op == FZ_OP_EQ || op == FZ_OP_NE;
}

/* The last two children change places. */
static void exchange(struct fz_node *n)
{
    struct fz_node **link = &n->first;
    while ((*link)->next->next)
        link = &(*link)->next;
    struct fz_node *x = *link, *y = x->next;
    *link = y;
    y->next = x;
    x->next = NULL;
}

/* Another one with operands of the same kinds. */
static uint8_t other_operator(const struct change *c, uint8_t op)
{
    const struct fz_operator_info *o = &fz_operator_info[op], *other;
    uint8_t result;
    do {
        result = (uint8_t)below(c->g, FZ_OP_MINUS);
        other = &fz_operator_info[result];
    } while (other->operands != o->operands || other->result != o->result);
    return result;
}

static void change_loop(const struct change *c, struct fz_node *n)
{
    if (!edit(c, FORM))
        return;
    n->op = (uint8_t)below(c->g, FZ_LOOP_FORMS);
    n->flag &= n->op == FZ_FOR;
}

static void change_number(const struct change *c, struct fz_node *n)
{
    switch (n->kind) {
    case FZ_NODE_OUTPUT: n->value = edit(c, NUMBER) ? below(c->g, FZ_SLOTS) : n->value; break;
    case FZ_NODE_ATOMIC: n->value = edit(c, NUMBER) ? below(c->g, FZ_ATOMICS) : n->value; break;
    case FZ_NODE_STIR: n->value = edit(c, NUMBER) ? below(c->g, 1u << 20) : n->value; break;
    case FZ_NODE_LOG:
    case FZ_NODE_CONVERGE: n->op = edit(c, OPERATOR) ? (uint8_t)below(c->g, FZ_OBSERVATIONS) : n->op; break;
    case FZ_NODE_CONSTANT:
        if (edit(c, CONSTANT))
            n->value = fz_random_bits(&c->g->r, n->type);
        break;
    default: break;
    }
}

/* To cells of another type. */
static void change_cell(const struct change *c, struct fz_node *n)
{
    const struct fz_buffer *b = &c->g->p->buffers.at[below(c->g, c->g->p->buffers.count)];
    if (c->any_type && strncmp(b->name, "cells_", 6) == 0 && family(b->type) == family(n->type))
        n->type = b->type;
}

/* To another function with as many parameters, where they are all scalars: of class f. */
static void change_call(const struct change *c, struct fz_node *n)
{
    const struct fz_program *p = c->g->p;
    uint32_t callees = (uint32_t)(c->g->f - p->functions.at), other = callees ? below(c->g, callees) : 0;
    if (p->class == 'f' && p->functions.at[other].params == p->functions.at[n->name].params &&
        edit(c, CALLEE))
        n->name = other;
}

static void change_node(const struct change *c, struct fz_node *n)
{
    if (fz_names_variable(n))
        n->name = c->to[n->name];
    change_number(c, n);
    switch (n->kind) {
    case FZ_NODE_BINARY:
        if (commutes(n->op) && chance(c->g, EXCHANGED))
            exchange(n);
        n->op = edit(c, OPERATOR) ? other_operator(c, n->op) : n->op;
        break;
    case FZ_NODE_ASSIGN:
        n->op = n->op != FZ_OPERATORS && edit(c, OPERATOR) ? other_operator(c, n->op) : n->op;
        break;
    case FZ_NODE_CHOICE:
        if (edit(c, OPERATOR))
            exchange(n);
        break;
    case FZ_NODE_IF:
        if (edit(c, FORM))
            exchange(n);
        break;
    case FZ_NODE_LOOP: change_loop(c, n); break;
    case FZ_NODE_CELL: change_cell(c, n); break;
    case FZ_NODE_CALL: change_call(c, n); break;
    default: break;
    }
}

/* ---- statements -------------------------------------------------------------------------------------- */

static bool is_jump(const struct fz_node *n)
{
    return n->kind == FZ_NODE_BREAK || n->kind == FZ_NODE_CONTINUE || n->kind == FZ_NODE_RETURN ||
           n->kind == FZ_NODE_THROW;
}

/* Puts what follows *link before it. */
static void move_down(struct fz_node **link)
{
    struct fz_node *x = *link, *y = x->next;
    x->next = y->next;
    y->next = x;
    *link = y;
}

static void edit_list(const struct change *c, struct fz_node *block)
{
    struct fz_node **link = &block->first, *n;
    if (*link && ((*link)->kind == FZ_NODE_CASE || (*link)->kind == FZ_NODE_STATE))
        return;
    while (*link) {
        if (edit(c, DROPPED)) {
            *link = (*link)->next;
            continue;
        }
        if ((*link)->next && !is_jump(*link) && !is_jump((*link)->next) && edit(c, MOVED))
            move_down(link);
        if (edit(c, INSERTED) && !is_jump(*link) && (n = fz_make_simple(c->g)) != NULL) {
            n->next = *link;
            *link = n;
            link = &n->next;
        }
        link = &(*link)->next;
    }
}

/* ---- all --------------------------------------------------------------------------------------------- */

static void change(const struct change *c, struct fz_node *n)
{
    uint32_t i = 0;
    change_node(c, n);
    for (struct fz_node *child = n->first; child; child = child->next, i++) {
        bool fixed = n->kind == FZ_NODE_ELEMENT && n->flag;
        if (fixed)
            continue;
        if (fz_child_letter(n, i) == 'e' && child->kind == FZ_NODE_VARIABLE &&
            fz_length_of(c->g->f, child) == 1 && edit(c, CONSTANT_FOR_VARIABLE))
            *child = (struct fz_node){.kind = FZ_NODE_CONSTANT,
                                      .type = c->g->f->variables.at[child->name].type,
                                      .value = below(c->g, 2),
                                      .next = child->next};
        change(c, child);
    }
    if (n->kind == FZ_NODE_BLOCK)
        edit_list(c, n);
}

struct fz_node *fz_varied(struct generator *g, const struct fz_node *block)
{
    struct fz_node *copy = fz_clone(g->p, block);
    struct change c = {.g = g};
    c.edits = !chance(g, SAME_EDITS);
    choose_names(&c);
    change(&c, copy);
    return copy;
}
