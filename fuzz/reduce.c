/* reduce.c: makes a failing program smaller: delta debugging on the tree (Zeller and Hildebrandt's ddmin on
 * each list of statements, outermost first), then constructs are unwrapped, expressions replaced by constants
 * or by their own operands, numbers shrunk and threads taken away, again and again until nothing changes.
 *
 * Every edit is made in place, tried, and undone unless the program still fails. A smaller program that does
 * not compile fails in another way and is undone like the rest, so that no edit has to know what is allowed.
 */
#include "fuzz/reduce.h"
#include "fuzz/locks.h"

enum { MAX_TRIES = 4000 };

bool fz_reduce_try(struct fz_reducer *r)
{
    if (r->tries >= MAX_TRIES)
        return false;
    r->tries++;
    bool fails = r->fails(r->p, r->data);
    r->changed |= fails;
    return fails;
}

/* ---- lists ------------------------------------------------------------------------------------------- */

/* Cuts `count` nodes at *link out; puts them back unless that was good. */
static bool cut(struct fz_reducer *r, struct fz_node **link, uint32_t count)
{
    struct fz_node *first = *link, *last = first;
    while (--count > 0 && last->next)
        last = last->next;
    *link = last->next;
    if (fz_reduce_try(r))
        return true;
    *link = first;
    return false;
}

static void cut_statements(struct fz_reducer *r, struct fz_node *block)
{
    for (uint32_t size = fz_list_length(block->first); size > 0; size /= 2)
        for (struct fz_node **link = &block->first; *link;) {
            if (cut(r, link, size))
                continue;
            for (uint32_t i = 0; i < size && *link; i++)
                link = &(*link)->next;
        }
}

/* Puts the statements of a list in the place of the one at *link. */
static bool put_instead(struct fz_reducer *r, struct fz_node **link, struct fz_node *list)
{
    struct fz_node *old = *link, *last = list->first;
    if (!last)
        return false;
    while (last->next)
        last = last->next;
    *link = list->first;
    last->next = old->next;
    if (fz_reduce_try(r))
        return true;
    last->next = NULL;
    *link = old;
    return false;
}

static bool unwrap(struct fz_reducer *r, struct fz_node **link)
{
    struct fz_node *n = *link;
    if (n->kind == FZ_NODE_CASE || n->kind == FZ_NODE_STATE || n->kind == FZ_NODE_GRAPH)
        return false;
    for (uint32_t i = 0; fz_child(n, i); i++) {
        struct fz_node *list = fz_child(n, i);
        if (fz_node_info[list->kind].category != FZ_LIST)
            continue;
        if (!list->first || list->first->kind != FZ_NODE_CASE) {
            if (put_instead(r, link, list))
                return true;
            continue;
        }
        for (struct fz_node *c = list->first; c; c = c->next)
            if (put_instead(r, link, c->first))
                return true;
    }
    return false;
}

/* ---- expressions and numbers ------------------------------------------------------------------------- */

/* Gives *n the content of `with`, in the same place of its list. */
static bool become(struct fz_reducer *r, struct fz_node *n, struct fz_node with)
{
    struct fz_node old = *n;
    *n = with;
    n->next = old.next;
    if (fz_reduce_try(r))
        return true;
    *n = old;
    return false;
}

static bool is_trivial(const struct fz_node *n)
{
    return n->kind == FZ_NODE_CONSTANT && n->value < 2;
}

static void simplify(struct fz_reducer *r, struct fz_node *n)
{
    for (uint64_t value = 0; value < 2; value++)
        if (is_trivial(n) ||
            become(r, n, (struct fz_node){.kind = FZ_NODE_CONSTANT, .type = FZ_INT, .value = value}))
            return;
    for (struct fz_node *child = n->first; child;) {
        bool is_expression = fz_node_info[child->kind].category == FZ_EXPRESSION;
        child = is_expression && become(r, n, *child) ? n->first : child->next;
    }
}

/* Whether `value` is a quantity rather than a name. */
static bool has_number(const struct fz_node *n)
{
    switch (n->kind) {
    case FZ_NODE_CONSTANT: return !fz_is_float(n->type);
    case FZ_NODE_LOOP:
    case FZ_NODE_LOG:
    case FZ_NODE_STIR:
    case FZ_NODE_STATE:
    case FZ_NODE_TARGET: return true;
    default: return false;
    }
}

static bool set_value(struct fz_reducer *r, struct fz_node *n, uint64_t value)
{
    struct fz_node with = *n;
    with.value = value;
    return become(r, n, with);
}

static void shrink_numbers(struct fz_reducer *r, struct fz_node *n)
{
    while (n->value && has_number(n))
        if (!set_value(r, n, n->value >> 32) && !set_value(r, n, n->value / 2) &&
            !set_value(r, n, n->value - 1))
            break;
}

/* Statements have simpler forms: no flag, the first of the operations. */
static void simplify_form(struct fz_reducer *r, struct fz_node *n)
{
    struct fz_node with = *n;
    with.flag = false;
    if (n->flag && n->kind != FZ_NODE_CASE && n->kind != FZ_NODE_ATOMIC)
        become(r, n, with);
    with = *n;
    with.name = 0;
    if (n->name && n->kind == FZ_NODE_LOG)
        become(r, n, with);
    with = *n;
    with.op = 0;
    if (n->op && (n->kind == FZ_NODE_LOG || n->kind == FZ_NODE_LOOP))
        become(r, n, with);
}

/* ---- the walk ---------------------------------------------------------------------------------------- */

static void reduce_below(struct fz_reducer *r, struct fz_node *n)
{
    if (n->kind == FZ_NODE_BLOCK)
        cut_statements(r, n);
    for (struct fz_node **link = &n->first; *link; link = &(*link)->next) {
        uint32_t category = fz_node_info[(*link)->kind].category;
        bool fixed = fz_child_letter(n, 0) == 'p' && link == &n->first;
        if (n->kind == FZ_NODE_BLOCK)
            while (*link && unwrap(r, link))
                ;
        if (category == FZ_EXPRESSION && !fixed)
            simplify(r, *link);
        if (category == FZ_STATEMENT)
            simplify_form(r, *link);
        shrink_numbers(r, *link);
        reduce_below(r, *link);
    }
}

static void reduce_launch(struct fz_reducer *r)
{
    uint32_t threads = r->p->threads, blocks = r->p->blocks;
    r->p->blocks = 1;
    if (blocks > 1 && !fz_reduce_try(r))
        r->p->blocks = blocks;
    for (uint32_t fewer = 1; fewer < threads; fewer = fewer < 4 ? fewer + 1 : fewer * 2) {
        r->p->threads = fewer;
        if (fz_reduce_try(r))
            return;
    }
    r->p->threads = threads;
}

uint32_t fz_reduce(struct fz_program *p, fz_still_fails *fails, void *data)
{
    struct fz_reducer r = {.p = p, .fails = fails, .data = data};
    do {
        r.changed = false;
        if (p->module)
            fz_reduce_module(&r);
        if (p->sequence)
            fz_reduce_sequence(&r);
        if (p->locks)
            fz_reduce_locks(&r);
        for (uint32_t i = p->functions.count; i-- > 0;)
            if (fz_reached(p) >> i & 1)
                reduce_below(&r, p->functions.at[i].body);
        reduce_launch(&r);
    } while (r.changed && r.tries < MAX_TRIES);
    return r.tries;
}
