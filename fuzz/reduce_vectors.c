/* reduce_vectors.c: makes programs of class h smaller: fewer statements, and parts of expressions in their
 * place.
 */
#include "fuzz/reduce.h"
#include "fuzz/vectors.h"

/* Gives *link another value; takes it back unless that was good. */
static bool put(struct fz_reducer *r, struct fz_vector **link, struct fz_vector *value)
{
    struct fz_vector *old = *link;
    *link = value;
    if (fz_reduce_try(r))
        return true;
    *link = old;
    return false;
}

static struct fz_vector *constant(struct fz_reducer *r, const struct fz_vector *like)
{
    struct fz_vector *one = arena_new(r->p->arena, struct fz_vector), *wide;
    *one = (struct fz_vector){.kind = FZ_VECTOR_CONSTANT, .type = like->type, .count = 1, .number = 1};
    if (like->count == 1)
        return one;
    wide = arena_new(r->p->arena, struct fz_vector);
    *wide = (struct fz_vector){.kind = FZ_VECTOR_WIDENED, .type = like->type, .count = like->count, .a = one};
    return wide;
}

static bool is_small(const struct fz_vector *n)
{
    return n->kind <= FZ_VECTOR_ROW || n->kind == FZ_VECTOR_CONSTANT ||
           (n->kind == FZ_VECTOR_WIDENED && n->a->kind == FZ_VECTOR_CONSTANT);
}

static void reduce_expression(struct fz_reducer *r, struct fz_vector **link)
{
    struct fz_vector *n = *link;
    if (!n || is_small(n) || put(r, link, constant(r, n)))
        return;
    struct fz_vector *parts[] = {n->a, n->b, n->c, n->d};
    for (uint32_t i = 0; i < COUNT(parts); i++)
        if (parts[i] && parts[i]->type == n->type && parts[i]->count == n->count && put(r, link, parts[i])) {
            reduce_expression(r, link);
            return;
        }
    struct fz_vector **below[] = {&n->a, &n->b, &n->c, &n->d};
    for (uint32_t i = 0; i < COUNT(below); i++)
        reduce_expression(r, below[i]);
}

/* A statement goes, or what it holds stands in its place, or it gets smaller. */
static void reduce_statements(struct fz_reducer *r, struct fz_vector_statement **link)
{
    while (*link) {
        struct fz_vector_statement *s = *link, *last = s->then;
        *link = s->next;
        if (fz_reduce_try(r))
            continue;
        *link = s;
        while (last && last->next)
            last = last->next;
        if (last) {
            last->next = s->next;
            *link = s->then;
            if (fz_reduce_try(r))
                continue;
            last->next = NULL;
            *link = s;
        }
        fz_reduce_marks(r, &s->marks);
        reduce_expression(r, &s->value);
        reduce_statements(r, &s->then);
        reduce_statements(r, &s->otherwise);
        link = &s->next;
    }
}

void fz_reduce_vectors(struct fz_reducer *r)
{
    reduce_statements(r, &r->p->vectors->first);
}

static uint32_t expression_size(const struct fz_vector *n)
{
    return n ? 1 + expression_size(n->a) + expression_size(n->b) + expression_size(n->c) +
                   expression_size(n->d)
             : 0;
}

static uint32_t statements_size(const struct fz_vector_statement *s)
{
    uint32_t size = 0;
    for (; s; s = s->next)
        size += 1 + expression_size(s->value) + statements_size(s->then) + statements_size(s->otherwise);
    return size;
}

uint32_t fz_vectors_size(const struct fz_vectors *v)
{
    return 1 + statements_size(v->first);
}
