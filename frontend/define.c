/* define.c: values that the caller gives to constants of the file (-D NAME=VALUE).
 *
 * Only scalars outside functions are such constants: what they are declared with is checked as ever, and then
 * replaced, before anything reads it.
 */
#include "base/nearest.h"
#include "frontend/check.h"

/* "NAME=VALUE", or "NAME", which is 1. */
static bool names(const char *define, const char *name)
{
    size_t n = strcspn(define, "=");
    return strlen(name) == n && memcmp(define, name, n) == 0;
}

static bool is_settable(const struct fe_decl *d)
{
    const struct fe_variable *v = d->kind == FE_DECL_VARIABLE ? fe_variable(d) : NULL;
    return v && v->space == FE_SPACE_CONSTANT && fe_is_scalar(d->type) && !fe_is_pointer(d->type);
}

/* NULL, or why the text is no value of the type. */
static const char *value_of(struct checker *c, const char *define, const char *text, const struct fe_type *t,
                            scalar_bits *bits)
{
    struct launch_value v = {0};
    bool octal = false;
    bool truth = t->kind == FE_TYPE_BOOL && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0);
    if (truth) {
        *bits = text[0] == 't';
        return NULL;
    }
    const char *wrong = launch_parse_source_number(c->arena, text, &v.n[0], &octal);
    if (wrong)
        return t->kind == FE_TYPE_BOOL ? "wanted is true or false" : wrong;
    uint64_t magnitude = *text == '-' ? 0 - (uint64_t)v.n[0].i : (uint64_t)v.n[0].i;
    if (octal && magnitude >= 8)
        fe_report(c->fe, FE_MSG(define_octal), (span){0}, define, (unsigned long long)magnitude);
    return launch_make_scalar(&v, fe_launch_element(t), 0, bits);
}

/* The last one given counts, as with other compilers. */
static const char *find(const struct fe_options *o, const char *name)
{
    for (uint32_t i = o->define_count; i-- > 0;)
        if (names(o->defines[i], name))
            return o->defines[i];
    return NULL;
}

void fe_define(struct checker *c, struct fe_decl *d)
{
    const char *define = c->level == 0 && is_settable(d) ? find(&c->fe->options, d->name) : NULL;
    if (!define || !d->init || fe_is_error(d->init->type))
        return;
    const char *text = define[strlen(d->name)] ? define + strlen(d->name) + 1 : "1";
    struct fe_expr *e = arena_new(c->arena, struct fe_expr);
    *e = *d->init;
    const char *wrong = value_of(c, define, text, d->type, &e->value);
    if (wrong)
        fe_report(c->fe, FE_MSG(define_value), (span){0}, define, fe_type_text(c, d->type), wrong);
    else
        d->init = e;
}

/* "; it has N, scale", or that it has none. */
static const char *settable_names(struct checker *c)
{
    const char *names = "";
    for (const struct fe_decl *d = c->program->unit->first; d; d = d->next)
        if (is_settable(d))
            names = arena_printf(c->arena, "%s%s%s", names, *names ? ", " : "", d->name);
    return *names ? arena_printf(c->arena, "; it has %s", names) : "; it has none";
}

void fe_check_defines(struct checker *c)
{
    for (uint32_t i = 0; i < c->fe->options.define_count; i++) {
        const char *define = c->fe->options.defines[i];
        const char *name = arena_strdup(c->arena, define, strcspn(define, "="));
        struct nearest near = nearest_to(name);
        bool found = false;
        for (const struct fe_decl *d = c->program->unit->first; d && !found; d = d->next) {
            if (!is_settable(d))
                continue;
            found = names(define, d->name);
            nearest_consider(&near, d->name);
        }
        const char *meant = found ? NULL : nearest_name(&near);
        if (!found)
            fe_report(c->fe, FE_MSG(define_unknown), (span){0}, define, name,
                      meant ? arena_printf(c->arena, "; did you mean '%s'?", meant) : settable_names(c));
    }
}
