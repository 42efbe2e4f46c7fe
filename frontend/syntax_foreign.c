/* syntax_foreign.c: syntax errors that are another language's syntax: words, operators, and how a launch is
 * written there.
 */
#include "frontend/grammar.h"
#include "frontend/parser.h"

/* ---- words and operators ----------------------------------------------------------------------------- */

static bool say_foreign_type(struct parser *p, const char *name, span where)
{
    const struct fe_foreign_name *foreign = name ? fe_find_foreign_type(name) : NULL;
    if (!foreign)
        return false;
    fe_report(p->fe, FE_MSG(foreign_word), where, name, foreign->advice);
    if (foreign->kern && *foreign->kern)
        fe_fixit(p->fe, where, foreign->kern);
    else if (foreign->kern)
        fe_fix_removal(p->fe, where);
    return true;
}

static bool follows(const struct parser *p, const char *text)
{
    return strncmp(p->cursor, text, strlen(text)) == 0;
}

static void say_foreign(struct parser *p, span where, const char *text, const char *advice)
{
    fe_report(p->fe, FE_MSG(foreign_word), where, text, advice);
}

/* k<<<…>>>(…), in a function and outside. */
static bool guess_chevrons(struct parser *p, const struct syntax_error *e)
{
    const struct history *h = &p->history;
    bool inside = e->token == TOK_RELATION && h->previous_token == TOK_SHIFT &&
                  fe_same_place(h->previous.end, h->current.at);
    if (!inside && !(e->token == TOK_NAME && follows(p, "<<<")))
        return false;
    say_foreign(p, inside ? span_join(h->previous, h->current) : h->current, "<<<",
                "outside of functions write launch k(a = …) grid(blocks) block(threads);");
    return true;
}

/* HLSL's `uint3 id : SV_DispatchThreadID`. */
static bool guess_semantic(struct parser *p, const struct syntax_error *e)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *at = p->cursor + strspn(p->cursor, " \t");
    const char *word = e->token == ':' ? arena_strdup(p->arena, at, strspn(at, letters)) : "";
    const struct fe_foreign_name *foreign = *word ? fe_find_foreign(p->arena, word) : NULL;
    if (!foreign || !foreign->advice)
        return false;
    say_foreign(p, (span){fe_here(p, at), fe_here(p, at + strlen(word))}, word, foreign->advice);
    return true;
}

/* Two tokens without a blank that are one operator elsewhere, or misspelt. */
static const struct {
    const char *text, *kern;
} operators[] = {
    {"=>", ">="}, {"=<", "<="}, {"<>", "!="}, {":=", "="}, {"===", "=="}, {"!==", "!="}, {"=!", "!="},
};

static bool guess_operator(struct parser *p)
{
    const struct history *h = &p->history;
    span spans[2] = {span_join(h->previous, h->current), h->current};
    spans[1].end.column += 1; /* the error came a token earlier: with the byte behind it */
    for (int k = 0; k < 2; k++) {
        size_t n;
        const char *text = fe_span_text(p->fe, spans[k], &n);
        for (size_t i = 0; i < COUNT(operators); i++) {
            if (strlen(operators[i].text) != n || memcmp(operators[i].text, text, n) != 0)
                continue;
            fe_report(p->fe, FE_MSG(foreign_spelling), spans[k], operators[i].text, operators[i].kern);
            fe_fixit(p->fe, spans[k], operators[i].kern);
            return true;
        }
    }
    return false;
}

bool fe_guess_foreign(struct parser *p, const struct syntax_error *e)
{
    const struct history *h = &p->history;
    if (guess_chevrons(p, e) || guess_semantic(p, e) || guess_operator(p))
        return true;
    if (e->token == TOK_NAME && say_foreign_type(p, h->current_name, h->current))
        return true;
    return h->previous_token == TOK_NAME && say_foreign_type(p, h->previous_name, h->previous);
}

/* ---- launches ---------------------------------------------------------------------------------------- */

void fe_note_opener(struct parser *p, struct bracket b)
{
    fe_note(p->fe, FE_MSG(opener_here), b.where, b.open);
}

/* The parameter of the launch's kernel that the argument being read is for, by its position; NULL: the kernel
 * is not known yet, or has not so many. */
static const struct fe_decl *next_parameter(const struct parser *p)
{
    for (const struct fe_decl *d = p->unit->first; d; d = d->next) {
        if (d->kind != FE_DECL_FUNCTION || d->name != p->launched)
            continue;
        const struct fe_decl *parameter = fe_params(d);
        for (uint32_t i = 0; parameter && i < p->argument; i++)
            parameter = parameter->next;
        return parameter;
    }
    return NULL;
}

bool fe_guess_launch(struct parser *p, const struct syntax_error *e)
{
    const struct history *h = &p->history;
    if (e->token == TOK_LAUNCH && p->brackets.count > p->repeats) {
        fe_report(p->fe, FE_MSG(launch_in_function), h->current);
        fe_note_opener(p, p->brackets.at[0]);
        p->stopped = true; /* what follows would be taken for more of the function */
        return true;
    }
    bool value =
        e->token == TOK_INTEGER || e->token == TOK_FLOATING || e->token == '{' || e->token == TOK_STRING;
    bool behind_name =
        h->previous_token == TOK_NAME && (e->token == '(' || e->token == ',' || e->token == ')');
    if (!p->in_launch || e->wants_expression || !(value || behind_name))
        return false;
    bool begins = h->previous_token == '(' || (h->previous_token == ',' && e->wants_name);
    bool argument = p->in_arguments && p->brackets.count <= p->repeats + 1 + (e->token == '(');
    if (!(behind_name ? argument : begins))
        return false;
    span where = behind_name ? h->previous : h->current;
    const struct fe_decl *parameter = next_parameter(p);
    const char *name = parameter ? parameter->name : NULL;
    bool is_number = e->token == TOK_INTEGER || e->token == TOK_FLOATING;
    bool fits = parameter && is_number != (parameter->form->kind == FE_FORM_POINTER);
    fe_report(p->fe, FE_MSG(launch_positions), where, name ? name : "NAME");
    if (name && fits)
        fe_fixit(p->fe, (span){where.at, where.at}, arena_printf(p->arena, "%s = ", name));
    return true;
}
