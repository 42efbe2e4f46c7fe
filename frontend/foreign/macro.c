/* macro.c: macros with parameters as functions. The parser has reported the #define; where all calls that it
 * has give it the same types, the fix-it of that message writes a function:
 *
 *     #define SQ(x) ((x) * (x))      float SQ(float x) { return ((x) * (x)); }
 *
 * The text must be arithmetic of its parameters and of constants, so that its type follows from theirs. Where
 * an operator gives another type than that of all operands together (a shift, the arms of a ?:), all have to
 * have one type. An argument with an effect is evaluated once by a function: then the macro is left.
 */
#include "frontend/check/check.h"
#include "frontend/parse/parser.h"

uint32_t fe_macro_parameter(const struct fe_macro *m, const char *name)
{
    for (uint32_t i = 0; m && i < m->count; i++)
        if (m->parameters[i] == name)
            return i;
    return FE_MACRO_PARAMETERS;
}

static bool names_parameter(const struct fe_macro *m, const char *at)
{
    for (size_t n; *at; at += n ? n : 1) {
        n = fe_word_length(at);
        for (uint32_t i = 0; n && i < m->count; i++)
            if (strlen(m->parameters[i]) == n && memcmp(m->parameters[i], at, n) == 0)
                return true;
    }
    return false;
}

bool fe_read_macro(struct fe_macro *m)
{
    bool compares = false; /* without the ? yet */
    const char *arms = NULL;
    for (const char *at = m->text; *at; at++) {
        bool is_twice = at[1] == *at, is_angle = *at == '<' || *at == '>';
        if (is_twice && (*at == '&' || *at == '|'))
            return false;
        m->has_shift |= is_angle && is_twice;
        compares |= is_angle && !is_twice;
        at += is_angle && is_twice;
        if (*at == '?') {
            arms = at;
            compares = false;
        }
    }
    m->has_choice = arms != NULL;
    return *m->text && !compares && (!arms || names_parameter(m, arms));
}

/* The type that C makes of the argument's; VOID: a function does not take it as a number. */
static enum fe_word number_type(struct checker *c, const struct fe_expr *e)
{
    if (!fe_is_arithmetic(e->type) || e->type->kind == FE_TYPE_BOOL || fe_changes(c, e))
        return FE_WORD_VOID;
    return (enum fe_word)fe_promoted(c, e->type->plain)->kind; /* types.h: the words come first */
}

void fe_note_macro_call(struct checker *c, const struct fe_expr *call)
{
    const struct fe_expr *callee = call->call.callee;
    uint32_t i = callee->kind == FE_EXPR_NAME
                     ? map_get(&c->fe->deferred.macros_of, (uintptr_t)callee->name.name)
                     : MAP_NONE,
             k = 0;
    if (i == MAP_NONE || c->context.unevaluated)
        return;
    struct fe_macro *m = &c->fe->deferred.macros.at[i];
    m->differs |= call->call.arg_count != m->count;
    for (const struct fe_expr *a = call->call.args; a && k < m->count; a = a->next, k++) {
        bool is_own = a->kind == FE_EXPR_CALL && a->call.callee->kind == FE_EXPR_NAME &&
                      a->call.callee->name.name == m->name; /* SQ(SQ(x)) */
        enum fe_word type = is_own ? m->given[k] : number_type(c, a);
        m->differs |= !type || (m->given[k] && m->given[k] != type);
        m->given[k] = type;
    }
}

void fe_fix_macros(struct frontend *fe)
{
    for (uint32_t i = 0; i < fe->deferred.macros.count; i++) {
        const struct fe_macro *m = &fe->deferred.macros.at[i];
        struct text parameters = {.arena = &fe->arena};
        enum fe_word type = m->constants;
        bool same = true;
        for (uint32_t k = 0; k < m->count && m->given[0]; k++) {
            type = fe_wider_number(type, m->given[k]);
            text_printf(&parameters, "%s%s %s", k ? ", " : "", fe_word_text[m->given[k]], m->parameters[k]);
            same &= m->given[k] == m->given[0];
        }
        bool suits = (!m->has_choice && !m->has_shift) || (same && type == m->given[0]);
        if (m->has_shift && m->constants)
            suits &= m->constants == type;
        if (m->differs || !m->given[0] || !suits)
            continue;
        diag_fix_later(fe->diags, m->which, m->where,
                       arena_printf(&fe->arena, "%s %s(%s) { return %s; }", fe_word_text[type], m->name,
                                    parameters.at, m->text));
    }
}
