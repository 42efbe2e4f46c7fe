/* syntax_foreign.c: syntax of other languages: syntax errors that are their words, their operators or their way
 * to write a launch; and attributes.
 */
#include "frontend/parse/grammar.h"
#include "frontend/parse/parser.h"

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
    return strncmp(p->in.cursor, text, strlen(text)) == 0;
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
    const char *at = fe_behind_blanks(p->in.cursor);
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
        if (d->kind != FE_DECL_FUNCTION || d->name != p->launch.kernel)
            continue;
        const struct fe_decl *parameter = fe_params(d);
        for (uint32_t i = 0; parameter && i < p->launch.argument; i++)
            parameter = parameter->next;
        return parameter;
    }
    return NULL;
}

bool fe_guess_launch(struct parser *p, const struct syntax_error *e)
{
    const struct history *h = &p->history;
    if (e->token == TOK_LAUNCH && p->brackets.count > p->launch.repeats) {
        fe_report(p->fe, FE_MSG(launch_in_function), h->current);
        fe_note_opener(p, p->brackets.at[0]);
        p->stopped = true; /* what follows would be taken for more of the function */
        return true;
    }
    bool value =
        e->token == TOK_INTEGER || e->token == TOK_FLOATING || e->token == '{' || e->token == TOK_STRING;
    bool behind_name =
        h->previous_token == TOK_NAME && (e->token == '(' || e->token == ',' || e->token == ')');
    if (!p->launch.is_open || e->wants_expression || !(value || behind_name))
        return false;
    bool begins = h->previous_token == '(' || (h->previous_token == ',' && e->wants_name);
    bool argument = p->launch.in_arguments && p->brackets.count <= p->launch.repeats + 1 + (e->token == '(');
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

/* ---- attributes -------------------------------------------------------------------------------------- */

/* What stands in brackets about a declaration or statement is reported and left out: [[aligned(16)]],
 * [numthreads(8, 1, 1)], and words with parentheses, __attribute__((packed)). */

/* Behind the bracket that closes the one at `at`; NULL: there is none before a semicolon or brace. */
static const char *closing(const char *at)
{
    unsigned open = 0;
    for (; *at && !strchr(";{}", *at); at++) {
        open += *at == '(' || *at == '[';
        open -= *at == ')' || *at == ']';
        if (!open)
            return at + 1;
    }
    return NULL;
}

/* The row of the first word between these that has one. */
static const struct fe_foreign_name *row_within(const char *at, const char *end)
{
    const struct fe_foreign_name *row = NULL;
    while (at < end && !row) {
        size_t n = fe_begins_word(*at) ? fe_word_length(at) : 0;
        row = n ? fe_find_attribute(at, n) : NULL;
        at += n ? n : 1;
    }
    return row;
}

/* GLSL's `layout(…) in;`; false: there is none. */
static bool skip_direction(struct parser *p)
{
    const char *at = fe_behind_blanks(p->in.cursor);
    size_t n = fe_word_length(at);
    const char *behind = at + n + strspn(at + n, " \t");
    bool is_direction = (n == 2 && memcmp(at, "in", 2) == 0) || (n == 3 && memcmp(at, "out", 3) == 0);
    if (!is_direction || *behind != ';')
        return false;
    fe_go_on(p, behind + 1);
    return true;
}

bool fe_skip_call(struct parser *p, const char *word, const char *advice, span where, bool fixes)
{
    const char *open = fe_behind_space(p->in.cursor), *end = *open == '(' ? closing(open) : NULL;
    if (!end)
        return false;
    const struct fe_foreign_name *row = row_within(open, end);
    fe_report(p->fe, FE_MSG(foreign_word), where, row ? row->text : word, row ? row->advice : advice);
    fe_go_on(p, end);
    bool is_removed = skip_direction(p) || fixes;
    if (is_removed)
        fe_fix_removal(p->fe, (span){where.at, fe_here(p, p->in.cursor)});
    return true;
}

bool fe_skip_brackets(struct parser *p, const char *at, bool may_begin)
{
    bool is_double = at[1] == '[';
    if (!is_double && !may_begin)
        return false;
    const char *end = closing(at), *word = at + 1 + strspn(at + 1, " \t[");
    size_t n = end && fe_begins_word(*word) ? fe_word_length(word) : 0;
    if (!n)
        return false;
    const struct fe_foreign_name *row = is_double ? row_within(at, end) : fe_find_attribute(word, n);
    const char *next = word + n + strspn(word + n, " \t"), *behind = end + strspn(end, " \t");
    bool is_single =
        row && (*next == '(' || *next == ']') && *behind != '=' && *behind != '[' && *behind != '.';
    if (!is_double && !is_single)
        return false;
    span where = {fe_here(p, word), fe_here(p, word + n)};
    place begin = fe_here(p, at);
    fe_report(p->fe, FE_MSG(foreign_word), where, row ? row->text : arena_strdup(p->arena, word, n),
              row ? row->advice : "there are no attributes: remove it");
    fe_go_on(p, end);
    fe_fix_removal(p->fe, (span){begin, fe_here(p, end)});
    return true;
}
