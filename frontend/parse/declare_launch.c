/* declare_launch.c: what the parser makes of directives: launches with their clauses, named buffers, repeats,
 * outputs.
 */
#include "frontend/parse/parser.h"

struct fe_launch_item *fe_launch_item(struct parser *p, const char *name, span name_at, struct fe_expr *value,
                                      struct fe_expr *first, struct fe_expr *last)
{
    struct fe_launch_item *item = arena_new(p->arena, struct fe_launch_item);
    item->name = name;
    item->name_at = name_at;
    item->value = value;
    item->first = first;
    item->last = last;
    return item;
}

struct fe_launch_item *fe_shown_part(struct fe_launch_item *item, struct fe_launch_item *part, span where)
{
    part->name_at = where;
    item->parts = fe_launch_append(item->parts, (struct list){part, part});
    return item;
}

struct fe_launch_item *fe_shown_as(struct parser *p, struct fe_launch_item *item, const char *as, span as_at,
                                   const char *how, span how_at)
{
    item->hex = strcmp(as, "as") == 0 && strcmp(how, "hex") == 0;
    if (!item->hex)
        fe_report(p->fe, FE_MSG(show_as), span_join(as_at, how_at), as, how);
    return item;
}

struct fe_launch_item *fe_launch_append(struct fe_launch_item *to, struct list items)
{
    if (!to)
        return items.first;
    struct fe_launch_item *last = to;
    while (last->next)
        last = last->next;
    last->next = items.first;
    return to;
}

struct list fe_launch_numbers(struct parser *p, struct list values)
{
    struct list items = {0};
    for (struct fe_expr *e = values.first, *next; e; e = next) {
        next = e->next;
        e->next = NULL;
        struct fe_launch_item *item = fe_launch_item(p, NULL, e->where, e, NULL, NULL);
        list_add(&items, item);
    }
    return items;
}

void fe_launch_size(struct parser *p, struct fe_launch *l, enum launch_clause clause, span where,
                    struct list numbers)
{
    const char *word = launch_clause_names[clause];
    struct fe_launch_item **to = clause == LAUNCH_GRID    ? &l->grid
                                 : clause == LAUNCH_BLOCK ? &l->block
                                                          : &l->shared;
    unsigned n = 0;
    if (*to)
        fe_report(p->fe, FE_MSG(repeated_clause), where, word);
    for (struct fe_launch_item *i = numbers.first; clause != LAUNCH_SHARED && i; i = i->next)
        if (++n == 3 && i->next) {
            fe_report(p->fe, FE_MSG(too_many_dimensions), i->next->name_at, word);
            i->next = NULL;
        }
    *to = numbers.first;
    *(clause == LAUNCH_GRID ? &l->grid_at : clause == LAUNCH_BLOCK ? &l->block_at : &l->shared_at) = where;
}

struct fe_decl *fe_directive(struct parser *p, enum launch_step step, span where, const char *name,
                             span name_at, struct fe_launch *l)
{
    struct fe_decl *d = arena_new(p->arena, struct fe_decl);
    d->kind = FE_DECL_LAUNCH;
    d->name = name;
    d->name_at = name_at;
    d->where = where;
    d->is_file_scope = true;
    d->launch = l;
    l->step = step;
    return d;
}

struct fe_decl *fe_launch_decl(struct parser *p, span where, const char *kernel, span kernel_at,
                               struct fe_launch *l, struct list arguments)
{
    l->kernel_at = kernel_at;
    l->arguments = arguments.first;
    return fe_directive(p, LAUNCH_KERNEL, where, kernel, kernel_at, l);
}

struct list fe_save_more(struct parser *p, struct list saves, struct fe_expr *e)
{
    struct fe_launch_item *last = saves.last;
    bool another = e->kind == FE_EXPR_ASSIGN && e->op == FE_OP_NONE && e->sub.a->kind == FE_EXPR_NAME &&
                   e->sub.b->kind == FE_EXPR_STRING;
    if (another) {
        struct fe_expr *name = e->sub.a;
        last = fe_launch_item(p, name->name.name, name->where, e->sub.b, NULL, NULL);
        list_add(&saves, last);
    } else if (!last->first) {
        last->first = e;
    } else if (!last->last) {
        last->last = e;
    } else {
        fe_report(p->fe, FE_MSG(save_form), e->where);
    }
    return saves;
}

struct fe_launch_item *fe_launch_short(struct parser *p, const char *name, span where)
{
    struct fe_launch_item *item = fe_launch_item(p, name, where, fe_expr_name(p, where, name), NULL, NULL);
    item->is_short = true;
    return item;
}

struct fe_launch *fe_launch_new(struct parser *p, struct fe_launch_item *shows, struct fe_launch_item *saves)
{
    struct fe_launch *l = arena_new(p->arena, struct fe_launch);
    l->shows = shows;
    l->saves = saves;
    return l;
}

struct fe_decl *fe_buffer_decl(struct parser *p, span where, struct specifiers s, const char *name,
                               span name_at, struct fe_expr *value)
{
    struct fe_launch *l = fe_launch_new(p, NULL, NULL);
    l->arguments = fe_launch_item(p, name, name_at, value, NULL, NULL);
    struct fe_decl *d = fe_directive(p, LAUNCH_BUFFER, where, name, name_at, l);
    d->form = fe_type_name(p, s, NULL);
    return d;
}

struct fe_launch *fe_repetition(struct parser *p, struct fe_expr *rounds, const char *flag, span flag_at)
{
    struct fe_launch *l = fe_launch_new(p, NULL, NULL);
    l->rounds = rounds;
    l->flag = flag;
    l->flag_at = flag_at;
    return l;
}

struct list fe_repeat(struct parser *p, span where, struct fe_launch *l, struct list directives, span end)
{
    struct fe_decl *first = fe_directive(p, LAUNCH_REPEAT, where, NULL, where, l);
    struct fe_decl *last = fe_directive(p, LAUNCH_END, end, NULL, end, fe_launch_new(p, NULL, NULL));
    return fe_list_join(fe_list_join((struct list){first, first}, directives), (struct list){last, last});
}
