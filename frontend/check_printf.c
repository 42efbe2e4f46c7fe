/* check_printf.c: a printf's arguments against its format, as C has it for integers, floats and pointers.
 *
 * Each argument is converted to the type its conversion asks for: i32, or i64 behind l or ll, double, or a
 * pointer for %p. Not supported: %s, %n and `*`. The format has to be a literal.
 */
#include "frontend/check.h"

struct format {
    const char *at, *end;
};

/* Reads one conversion behind its %. Its letter; 0: malformed. *is_long: 64 bits; *length: from the % on. */
static char read_conversion(struct format *f, bool *is_long)
{
    unsigned longs = 0;
    while (f->at < f->end && strchr("-+ #0", *f->at))
        f->at++;
    while (f->at < f->end && ((*f->at >= '0' && *f->at <= '9') || *f->at == '.'))
        f->at++;
    for (; f->at < f->end && (*f->at == 'l' || *f->at == 'h'); f->at++)
        longs += *f->at == 'l';
    *is_long = longs > 0;
    return f->at < f->end ? *f->at++ : 0;
}

static struct fe_type *conversion_type(struct checker *c, char letter, bool is_long, const struct fe_expr *a)
{
    bool is_signed = letter == 'd' || letter == 'i' || letter == 'c';
    if (strchr("diuoxXc", letter) && fe_is_integer(a->type))
        return c->types->basic[is_long     ? is_signed ? FE_TYPE_LONG : FE_TYPE_ULONG
                               : is_signed ? FE_TYPE_INT
                                           : FE_TYPE_UINT];
    if (strchr("fFeEgGaA", letter) && fe_is_float(a->type))
        return c->types->basic[FE_TYPE_DOUBLE];
    if (letter == 'p' && fe_is_pointer(a->type))
        return a->type->plain;
    return NULL;
}

static void check_one(struct checker *c, struct fe_expr **a, const char *start, int n, char letter,
                      bool is_long)
{
    struct fe_expr *next = (*a)->next;
    if (fe_is_error((*a)->type))
        return;
    struct fe_type *t = conversion_type(c, letter, is_long, *a);
    if (!t) {
        fe_report(c->fe, FE_MSG(format_type), (*a)->where, n, start, fe_type_text(c, (*a)->type->plain));
        return;
    }
    if (fe_is_integer(t) && (*a)->type->size > t->size)
        fe_report(c->fe, FE_MSG(format_width), (*a)->where, n, start, fe_type_text(c, (*a)->type->plain));
    *a = fe_convert(c, *a, t);
    (*a)->next = next;
}

static void check_format(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *string = e->call.args, **a = &string->next;
    struct format f = {string->string.bytes, string->string.bytes + string->string.length};
    while (f.at < f.end) {
        if (*f.at++ != '%')
            continue;
        const char *start = f.at - 1;
        bool is_long;
        char letter = read_conversion(&f, &is_long);
        if (letter == '%')
            continue;
        int n = (int)(f.at - start);
        if (!letter || !strchr("diuoxXcfFeEgGaAp", letter)) {
            fe_report(c->fe, FE_MSG(format_conversion), string->where, n, start);
            return;
        }
        if (!*a) {
            fe_report(c->fe, FE_MSG(format_too_few), string->where, n, start);
            return;
        }
        check_one(c, a, start, n, letter, is_long);
        a = &(*a)->next;
    }
    if (*a)
        fe_report(c->fe, FE_MSG(format_too_many), (*a)->where);
}

struct fe_expr *fe_check_printf(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *string = e->call.args;
    e->type = c->types->basic[FE_TYPE_VOID];
    if (!string || string->kind != FE_EXPR_STRING) {
        fe_report(c->fe, FE_MSG(format_literal), string ? string->where : e->where);
        return fe_poison(c, e);
    }
    string->type = e->type;
    uint32_t n = 0;
    for (struct fe_expr **a = &string->next; *a; a = &(*a)->next) {
        if (n++ == IR_MAX_ARGS) {
            fe_report(c->fe, FE_MSG(format_arguments), (*a)->where, IR_MAX_ARGS);
            return fe_poison(c, e);
        }
        struct fe_expr *next = (*a)->next;
        *a = fe_check_value(c, *a);
        (*a)->next = next;
    }
    check_format(c, e);
    return e;
}
