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

static const char number_letters[] = "iulmfd";
static const char *const number_types[] = {"int", "uint", "long", "ulong", "float", "double"};

char fe_wider_number(char a, char b)
{
    if (!a || !b)
        return a ? a : b;
    return strchr(number_letters, a) > strchr(number_letters, b) ? a : b;
}

const char *fe_number_type(char letter)
{
    return number_types[strchr(number_letters, letter) - number_letters];
}

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

bool fe_macro_is_arithmetic(struct fe_macro *m)
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

/* The letter of what C makes of the argument; 0: a function does not take it as a number. */
static char letter_of(struct checker *c, const struct fe_expr *e)
{
    if (!fe_is_arithmetic(e->type) || e->type->kind == FE_TYPE_BOOL || fe_changes(c, e))
        return 0;
    const struct fe_type *t = fe_promoted(c, e->type->plain);
    for (size_t i = 0; i < COUNT(number_types); i++)
        if (strcmp(fe_type_text(c, t), number_types[i]) == 0)
            return number_letters[i];
    return 0;
}

void fe_note_macro_call(struct checker *c, const struct fe_expr *call)
{
    const struct fe_expr *callee = call->call.callee;
    uint32_t i = callee->kind == FE_EXPR_NAME ? map_get(&c->fe->macros_of, (uintptr_t)callee->name.name)
                                              : MAP_NONE,
             k = 0;
    if (i == MAP_NONE || c->unevaluated)
        return;
    struct fe_macro *m = &c->fe->macros.at[i];
    m->differs |= call->call.arg_count != m->count;
    for (const struct fe_expr *a = call->call.args; a && k < m->count; a = a->next, k++) {
        bool is_own = a->kind == FE_EXPR_CALL && a->call.callee->kind == FE_EXPR_NAME &&
                      a->call.callee->name.name == m->name; /* SQ(SQ(x)) */
        char letter = is_own ? m->given[k] : letter_of(c, a);
        m->differs |= !letter || (m->given[k] && m->given[k] != letter);
        m->given[k] = letter;
    }
}

void fe_fix_macros(struct frontend *fe)
{
    for (uint32_t i = 0; i < fe->macros.count; i++) {
        const struct fe_macro *m = &fe->macros.at[i];
        struct text parameters = {.arena = &fe->arena};
        char type = m->constants;
        bool same = true;
        for (uint32_t k = 0; k < m->count && m->given[0]; k++) {
            type = fe_wider_number(type, m->given[k]);
            text_printf(&parameters, "%s%s %s", k ? ", " : "", fe_number_type(m->given[k]), m->parameters[k]);
            same &= m->given[k] == m->given[0];
        }
        bool suits = (!m->has_choice && !m->has_shift) || (same && type == m->given[0]);
        if (m->has_shift && m->constants)
            suits &= m->constants == type;
        if (m->differs || !m->given[0] || !suits)
            continue;
        diag_fix_later(fe->diags, m->which, m->where,
                       arena_printf(&fe->arena, "%s %s(%s) { return %s; }", fe_number_type(type), m->name,
                                    parameters.at, m->text));
    }
}
