/* check_printf.c: a printf's arguments against its format, as C has it for integers, floats and pointers.
 *
 * Each argument is converted to the type its conversion asks for: i32, or i64 behind l, ll, z, t or j, double,
 * or a pointer for %p. A string or constant array for %s becomes part of the format; other %s stay, with a
 * pointer to characters. Not supported: %n. The format has to be a literal.
 */
#include "frontend/check/check.h"

/* What is left of a format, and the one that is made of it: without %s, sizes written with l. */
struct format {
    const char *at, *end;
    struct text made;
};

struct conversion {
    const char *start;
    int length; /* from the % on */
    unsigned stars;
    bool is_long;     /* 64 bits */
    unsigned halves;  /* h: of an integer the low 16 bits, hh: 8 */
    char letter;      /* 0: malformed */
    const char *size; /* where the length modifiers begin */
};

static void skip_number(struct format *f, struct conversion *v)
{
    if (f->at < f->end && *f->at == '*') {
        v->stars++;
        f->at++;
        return;
    }
    while (f->at < f->end && *f->at >= '0' && *f->at <= '9')
        f->at++;
}

/* Reads one conversion behind its %. */
static struct conversion read_conversion(struct format *f)
{
    struct conversion v = {.start = f->at - 1};
    while (f->at < f->end && strchr("-+ #0", *f->at))
        f->at++;
    skip_number(f, &v);
    if (f->at < f->end && *f->at == '.') {
        f->at++;
        skip_number(f, &v);
    }
    v.size = f->at;
    for (; f->at < f->end && strchr("lhztj", *f->at); f->at++)
        *f->at == 'h' ? (void)v.halves++ : (void)(v.is_long = true);
    v.letter = f->at < f->end ? *f->at++ : 0;
    v.length = (int)(f->at - v.start);
    return v;
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

static struct fe_type *narrow_type(struct checker *c, unsigned halves, bool is_signed)
{
    return c->types->basic[halves == 1 ? is_signed ? FE_TYPE_SHORT : FE_TYPE_USHORT
                           : is_signed ? FE_TYPE_CHAR
                                       : FE_TYPE_UCHAR];
}

/* The conversion that prints a value of this type, as a message names it. */
static const char *suitable_conversion(const struct fe_type *t)
{
    if (fe_is_float(t))
        return "'%f'";
    if (fe_is_integer(t))
        return t->size == 8 ? (fe_is_signed(t) ? "'%ld'" : "'%lu'") : fe_is_signed(t) ? "'%d'" : "'%u'";
    return fe_is_pointer(t) ? "'%p'" : "its parts one by one";
}

static void check_one(struct checker *c, struct fe_expr **a, const struct conversion *v, char letter)
{
    struct fe_expr *next = (*a)->next;
    if ((*a)->kind == FE_EXPR_STRING)
        fe_report(c->fe, FE_MSG(format_type), (*a)->where, v->length, v->start, "a string", "'%s'");
    if (fe_is_error((*a)->type))
        return;
    bool is_long = v->is_long && letter == v->letter;
    struct fe_type *t = conversion_type(c, letter, is_long, *a);
    if (!t) {
        fe_report(c->fe, FE_MSG(format_type), (*a)->where, v->length, v->start,
                  fe_type_text(c, (*a)->type->plain),
                  letter == v->letter ? suitable_conversion((*a)->type) : "an int for its '*'");
        return;
    }
    if (fe_is_integer(t) && (*a)->type->size > t->size)
        fe_report(c->fe, FE_MSG(format_width), (*a)->where, v->length, v->start,
                  fe_type_text(c, (*a)->type->plain));
    if (fe_is_integer(t) && v->halves && letter == v->letter)
        *a = fe_convert(c, *a, narrow_type(c, v->halves, fe_is_signed(t)));
    *a = fe_convert(c, *a, t);
    (*a)->next = next;
}

/* ---- %s: what is known as the file is compiled becomes part of the format ----------------------------- */

/* The bytes of a string, or up to the first 0 those of a constant array. False: it is neither. */
static bool known_text(struct checker *c, const struct fe_expr *a, struct text *out)
{
    *out = (struct text){.arena = c->arena};
    if (a->kind == FE_EXPR_STRING) {
        text_add(out, a->string.bytes, a->string.length);
        return true;
    }
    const struct fe_expr *array = a->kind == FE_EXPR_CAST && a->implicit ? a->cast.a : a;
    if (array->kind != FE_EXPR_NAME || array->type->kind != FE_TYPE_ARRAY || array->type->of->size != 1)
        return false;
    const struct fe_decl *d = array->name.decl;
    const struct fe_variable *v = fe_root_variable(array);
    if (!v || v->space != FE_SPACE_CONSTANT || !d->init || d->init->kind != FE_EXPR_INIT)
        return false;
    uint64_t end = 0;
    for (const struct fe_init *i = d->init->init.items; i; i = i->next, end++) {
        if (i->offset != end || !i->value->constant || !(i->value->value & 0xff))
            break;
        text_char(out, (char)i->value->value);
    }
    return true;
}

static unsigned number_at(const char **at)
{
    unsigned n = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        n = n < 1000 ? n * 10 + (unsigned)(**at - '0') : n;
    return n;
}

/* The text in its field, a % doubled. */
static void add_field(struct format *f, const struct conversion *v, const struct text *text)
{
    const char *at = v->start + 1;
    bool left = false;
    for (; strchr("-+ #0", *at); at++)
        left |= *at == '-';
    size_t width = number_at(&at), n = text->length;
    if (*at == '.') {
        at++;
        size_t most = number_at(&at);
        n = most < n ? most : n;
    }
    for (size_t i = n; i < width && !left; i++)
        text_char(&f->made, ' ');
    for (size_t i = 0; i < n; i++) {
        if (text->at[i] == '%')
            text_char(&f->made, '%');
        text_char(&f->made, text->at[i]);
    }
    for (size_t i = n; i < width && left; i++)
        text_char(&f->made, ' ');
}

static bool is_characters(const struct fe_type *t)
{
    return fe_is_pointer(t) && (t->of->plain->kind == FE_TYPE_CHAR || t->of->plain->kind == FE_TYPE_UCHAR);
}

/* False: the argument has become part of the format, or is wrong. */
static bool check_string(struct checker *c, struct format *f, struct fe_expr *a, const struct conversion *v)
{
    struct text text;
    if (fe_is_error(a->type) && a->kind != FE_EXPR_STRING)
        return false; /* has been said */
    if (v->size[0] == 's' && !v->stars && known_text(c, a, &text)) {
        add_field(f, v, &text);
        return false;
    }
    if (a->kind == FE_EXPR_STRING)
        a->type =
            fe_pointer_to(c->types, fe_const_of(c->types, c->types->basic[FE_TYPE_CHAR]), FE_SPACE_CONSTANT);
    if (v->size[0] == 's' && is_characters(a->type))
        return true;
    fe_report(c->fe, FE_MSG(format_string), a->where, v->length, v->start);
    return false;
}

/* ---- the whole format -------------------------------------------------------------------------------- */

/* The arguments of one conversion; *a moves behind those that stay. False: no more of the format is checked. */
static bool check_conversion(struct checker *c, struct format *f, const struct conversion *v,
                             const struct fe_expr *string, struct fe_expr ***a)
{
    if (!v->letter || !strchr("diuoxXcfFeEgGaAps", v->letter)) {
        fe_report(c->fe, FE_MSG(format_conversion), string->where, v->length, v->start);
        return false;
    }
    for (unsigned i = 0; i <= v->stars; i++) {
        if (!**a) {
            fe_report(c->fe, FE_MSG(format_too_few), string->where, v->length, v->start);
            return false;
        }
        bool is_string = i == v->stars && v->letter == 's';
        if (is_string && !check_string(c, f, **a, v)) {
            **a = (**a)->next;
            return true;
        }
        if (!is_string)
            check_one(c, *a, v, i < v->stars ? 'd' : v->letter);
        *a = &(**a)->next;
    }
    text_add(&f->made, v->start, (size_t)(v->size - v->start));
    text_printf(&f->made, "%s%c", v->is_long ? "l" : "", v->letter);
    return true;
}

static void check_format(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *string = e->call.args, **a = &string->next;
    struct format f = {
        string->string.bytes, string->string.bytes + string->string.length, {.arena = c->arena}};
    while (f.at < f.end) {
        if (*f.at++ != '%') {
            text_char(&f.made, f.at[-1]);
            continue;
        }
        struct conversion v = read_conversion(&f);
        if (v.letter == '%')
            text_addz(&f.made, "%%");
        else if (!check_conversion(c, &f, &v, string, &a))
            return;
    }
    if (*a)
        fe_report(c->fe, FE_MSG(format_too_many), (*a)->where, suitable_conversion((*a)->type));
    string->string.bytes = f.made.length ? f.made.at : "";
    string->string.length = (uint32_t)f.made.length;
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
        if (n++ == IR_MAX_HOST_ARGS) {
            fe_report(c->fe, FE_MSG(format_arguments), (*a)->where, IR_MAX_HOST_ARGS);
            return fe_poison(c, e);
        }
        struct fe_expr *next = (*a)->next;
        if ((*a)->kind == FE_EXPR_STRING)
            (*a)->type = c->types->error; /* good for %s alone */
        else
            *a = fe_check_value(c, *a);
        (*a)->next = next;
    }
    check_format(c, e);
    return e;
}
