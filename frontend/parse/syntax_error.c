/* syntax_error.c: what the parser says when the next token does not fit.
 *
 * Messages. The parser knows what it expected and what came; the lexer's history and brackets tell what its
 * author probably meant. The guesses are tried from the most to the least certain; each says where to
 * look (the end of the line before for a missing semicolon, the opener for a missing bracket).
 * Words and operators of other languages are guessed in syntax_foreign.c; how it goes on is recover.c.
 */
#include "frontend/parse/grammar.h"
#include "frontend/parse/parser.h"
#include "frontend/types/types.h"

/* ---- what came --------------------------------------------------------------------------------------- */

static char closer_of(char open)
{
    return open == '(' ? ')' : open == '[' ? ']' : '}';
}

static bool is_keyword(int token)
{
    return fe_is_statement_word(token) || token == TOK_SIZEOF || token == TOK_BOOLEAN || token == TOK_WORD ||
           token == TOK_QUALIFIER || token == TOK_PREFIX || token == TOK_STRUCT || token == TOK_ENUM;
}

/* The text of a span, quoted, for a message. */
static const char *quoted(struct parser *p, span s)
{
    size_t n;
    const char *text = fe_span_text(p->fe, s, &n);
    return arena_printf(p->arena, "'%.*s'", (int)(n < 40 ? n : 40), text);
}

/* The token that came, as a message names it: punctuation and words as written, literals by kind. */
static const char *describe(struct parser *p, const struct syntax_error *e)
{
    if (e->token == TOK_END || e->token == TOK_STRING)
        return e->unexpected;
    return quoted(p, p->history.current);
}

/* The first character behind the token that is no blank. */
static char following(const struct parser *p)
{
    const char *at = p->in.cursor;
    while (*at == ' ' || *at == '\t')
        at++;
    return *at;
}

/* ---- the guesses: each reports and returns true if it applies ---------------------------------------- */

/* The innermost bracket that was open when this token came. */
static struct bracket bracket_before(const struct parser *p, int token)
{
    bool is_opener = token == '(' || token == '[' || token == '{';
    uint32_t n = p->brackets.count - (is_opener && p->brackets.count);
    return n ? p->brackets.at[n - 1] : (struct bracket){0};
}

static bool guess_bracket(struct parser *p, const struct syntax_error *e)
{
    int t = e->token;
    bool is_closer = t == ')' || t == ']' || t == '}';
    if (is_closer && p->unclosed.open) {
        fe_report(p->fe, FE_MSG(missing_closer), p->history.current, closer_of(p->unclosed.open),
                  describe(p, e));
        fe_note_opener(p, p->unclosed);
        return true;
    }
    struct bracket top = bracket_before(p, t);
    bool wants = (top.open == '(' && e->wants_parenthesis) || (top.open == '[' && e->wants_square);
    bool ends_line = top.is_condition && p->history.current.at.line > p->history.previous.end.line;
    bool is_end = ends_line || t == ';' || t == '{' || fe_is_statement_word(t) || fe_begins_declaration(t);
    if (wants && is_end && !(top.is_for && t == ';')) {
        fe_report(p->fe, FE_MSG(missing_closer), p->history.current, closer_of(top.open), describe(p, e));
        fe_note_opener(p, top);
        return true;
    }
    return false;
}

/* A closing bracket without any opener; the parser would only say that it stands wrong. */
static bool guess_closer(struct parser *p, const struct syntax_error *e)
{
    if (e->token != '}' || p->blocks.count || e->wants_expression)
        return false;
    fe_report(p->fe, FE_MSG(unmatched_closer), p->history.current, e->token);
    return true;
}

static bool guess_end(struct parser *p, const struct syntax_error *e)
{
    if (e->token != TOK_END)
        return false;
    struct bracket top = p->brackets.count ? vec_last(&p->brackets) : (struct bracket){0};
    if (top.open) {
        fe_report(p->fe, FE_MSG(missing_closer), p->history.current, closer_of(top.open), describe(p, e));
        fe_note_opener(p, top);
        return true;
    }
    if (e->wants_semicolon)
        return false;
    fe_report(p->fe, FE_MSG(unexpected_end), p->history.current, "a declaration");
    return true;
}

#define MIN_SPELLING 4 /* letters; shorter words are near to too many others */

const char *fe_suggest_keyword(struct parser *p, const char *word, span where)
{
    bool of_type;
    const char *keyword = strlen(word) < MIN_SPELLING ? NULL : fe_nearest_keyword(word, &of_type);
    if (!keyword)
        return NULL;
    fe_report(p->fe, FE_MSG(misspelt_word), where, word, keyword);
    if (of_type)
        fe_fix_slip(p->fe, where, word, keyword);
    else
        fe_fixit(p->fe, where, keyword); /* with another it is no statement */
    return keyword;
}

/* A name that is nearly a keyword just before (`retrun x`), or before what would be its condition (`whlie (x)
 * {`). */
static bool guess_spelling(struct parser *p, const struct syntax_error *e)
{
    const struct history *h = &p->history;
    bool further = h->current.at.line > h->previous.end.line && h->current.at.column > h->first.at.column;
    bool behind_condition =
        h->previous_token == ')' && (e->token == '{' || fe_is_statement_word(e->token) || further);
    const struct fe_foreign_name *foreign = h->first_name ? fe_find_foreign(p->arena, h->first_name) : NULL;
    if (behind_condition && foreign && foreign->advice) {
        fe_report(p->fe, FE_MSG(foreign_word), h->first, h->first_name, foreign->advice);
        if (foreign->kern && !foreign->parameters)
            fe_fixit(p->fe, h->first, foreign->kern);
        return true;
    }
    if (behind_condition && h->first_name && fe_suggest_keyword(p, h->first_name, h->first))
        return true;
    return h->previous_name && h->previous.at.line == h->current.at.line &&
           fe_suggest_keyword(p, h->previous_name, h->previous);
}

/* A structure or enumeration of the file's level with this tag. */
static const struct fe_decl *find_tag(const struct parser *p, const char *name)
{
    for (const struct fe_decl *d = p->unit->first; d; d = d->next)
        if ((d->kind == FE_DECL_STRUCT || d->kind == FE_DECL_ENUM) && d->name == name)
            return d;
    return NULL;
}

static void say_unknown_type(struct parser *p, const char *name, span where)
{
    const struct fe_decl *tag = find_tag(p, name);
    if (!tag && fe_suggest_keyword(p, name, where))
        return;
    if (!tag) {
        fe_report(p->fe, FE_MSG(unknown_type), where, name);
        return;
    }
    const char *word = fe_decl_text[tag->kind];
    fe_report(p->fe, FE_MSG(tag_as_type), where, name, word, name);
    fe_fixit(p->fe, (span){where.at, where.at}, arena_printf(p->arena, "%s ", word));
}

/* Two names in a row: the first was meant as a type. */
static bool guess_type(struct parser *p, const struct syntax_error *e)
{
    const struct history *h = &p->history;
    bool pair = e->token == TOK_NAME && h->previous_name && h->previous.at.line == h->current.at.line &&
                (h->previous_token == TOK_NAME) && fe_same_place(h->first.at, h->previous.at);
    if (pair) {
        say_unknown_type(p, h->previous_name, h->previous);
        return true;
    }
    if (e->token != TOK_NAME || p->launch.is_open || e->wants_expression || p->blocks.count ||
        e->wants_semicolon || e->wants_name)
        return false;
    char next = following(p);
    bool is_parameter = h->previous_token == '(' || h->previous_token == ',';
    bool is_word = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '_' || next == '*';
    if (is_word || is_parameter)
        say_unknown_type(p, h->current_name, h->current);
    else
        fe_report(p->fe, FE_MSG(missing_type), h->current, h->current_name);
    return true;
}

static bool guess_file_level(struct parser *p, const struct syntax_error *e)
{
    if (e->token == '{' && !p->blocks.count && p->brackets.count == 1 &&
        fe_ends_statement(p->history.previous_token)) {
        fe_report(p->fe, FE_MSG(block_outside), p->history.current);
        return true;
    }
    if (p->blocks.count || p->brackets.count || e->wants_semicolon || !fe_is_statement_word(e->token))
        return false;
    fe_report(p->fe, FE_MSG(outside_function), p->history.current, describe(p, e));
    return true;
}

/* A semicolon that was forgotten: what comes stands on another line or begins something of its own. */
static bool guess_semicolon(struct parser *p, const struct syntax_error *e)
{
    const struct history *h = &p->history;
    bool own = e->token == '}' || e->token == TOK_END || fe_is_statement_word(e->token) ||
               fe_begins_declaration(e->token);
    if (!e->wants_semicolon || !(own || h->current.at.line > h->previous.end.line))
        return false;
    fe_report(p->fe, FE_MSG(expected_semicolon), span_after(h->previous), quoted(p, h->previous));
    fe_fixit(p->fe, span_after(h->previous), ";");
    p->recovery.insert_semicolon = true;
    return true;
}

/* The body of a function among the members of a structure, or the `const` before it. */
static bool guess_method(struct parser *p, const struct syntax_error *e)
{
    bool begins = e->token == '{' || (e->token == TOK_QUALIFIER && following(p) == '{');
    if (!begins || p->history.previous_token != ')' || !fe_around(p).members)
        return false;
    fe_report(p->fe, FE_MSG(method), p->history.current);
    p->recovery.skip_body = true;
    return true;
}

/* `=` behind a parameter. */
static bool guess_default(struct parser *p, const struct syntax_error *e)
{
    if (e->token != '=' || !e->wants_parenthesis || p->blocks.count)
        return false;
    fe_report(p->fe, FE_MSG(default_argument), p->history.current);
    return true;
}

static bool guess_name(struct parser *p, const struct syntax_error *e)
{
    bool same_line = p->history.current.at.line == p->history.previous.end.line;
    if (!e->wants_name || !is_keyword(e->token) || !same_line)
        return false;
    size_t n;
    const char *text = fe_span_text(p->fe, p->history.current, &n);
    fe_report(p->fe, FE_MSG(reserved_word), p->history.current, arena_strdup(p->arena, text, n));
    p->recovery.at = p->history.current.at; /* the word must not begin a statement */
    return true;
}

/* A type where a value is wanted, and no declaration would do. */
static bool guess_value(struct parser *p, const struct syntax_error *e)
{
    bool same_line = p->history.current.at.line == p->history.previous.end.line;
    bool is_type = e->token == TOK_WORD || e->token == TOK_TYPE_NAME;
    if (!e->wants_expression || e->wants_statement || !is_type || !same_line || following(p) == '(')
        return false;
    size_t n;
    const char *text = fe_span_text(p->fe, p->history.current, &n);
    fe_report(p->fe, FE_MSG(type_as_value), p->history.current, arena_strdup(p->arena, text, n));
    return true;
}

struct search {
    const char *name;
    bool found;
};

static void compare_name(void *to, const char *name)
{
    struct search *s = to;
    s->found |= strcmp(s->name, name) == 0;
}

bool fe_is_vector_name(const char *name)
{
    struct search s = {name, false};
    fe_each_vector_name(compare_name, &s);
    return s.found;
}

/* A type that is called: int(x), float4(x, y, z, w). */
static bool guess_constructor(struct parser *p, const struct syntax_error *e)
{
    bool same_line = p->history.current.at.line == p->history.previous.end.line;
    bool is_type = e->token == TOK_WORD || e->token == TOK_TYPE_NAME;
    if (!e->wants_expression || !is_type || following(p) != '(' || (e->wants_statement && !same_line))
        return false;
    size_t n;
    const char *text = fe_span_text(p->fe, p->history.current, &n), *type = arena_strdup(p->arena, text, n);
    if (fe_is_vector_name(type))
        fe_report(p->fe, FE_MSG(vector_syntax), p->history.current, type, type);
    else
        fe_report(p->fe, FE_MSG(cast_syntax), p->history.current, type);
    return true;
}

static bool guess_expression(struct parser *p, const struct syntax_error *e)
{
    if (!e->wants_expression)
        return false;
    if (e->wants_statement)
        fe_report(p->fe, FE_MSG(expected_statement), p->history.current, describe(p, e));
    else
        fe_report(p->fe, FE_MSG(expected_expression), p->history.current, describe(p, e));
    return true;
}

/* The parser has ended the argument before it looked for a comma, so that only
 * the parenthesis is expected. */
static bool misses_comma(const struct syntax_error *e)
{
    bool begins_value =
        e->token == TOK_NAME || e->token == TOK_INTEGER || e->token == TOK_FLOATING || e->token == TOK_STRING;
    return e->count == 1 && e->wants_parenthesis && begins_value;
}

static void say_expected(struct parser *p, const struct syntax_error *e)
{
    if (misses_comma(e)) {
        fe_report(p->fe, FE_MSG(expected_token), p->history.current, "',' or ')'", describe(p, e));
        return;
    }
    if (e->count == 0 || e->count > MAX_EXPECTED) {
        if (e->wants_semicolon)
            fe_report(p->fe, FE_MSG(expected_token), p->history.current, "';'", describe(p, e));
        else
            fe_report(p->fe, FE_MSG(unexpected_token), p->history.current, describe(p, e));
        return;
    }
    struct text t = {.arena = p->arena};
    for (unsigned i = 0; i < e->count; i++)
        text_printf(&t, "%s%s", i == 0 ? "" : i + 1 < e->count ? ", " : " or ", e->expected[i]);
    fe_report(p->fe, FE_MSG(expected_token), p->history.current, t.at, describe(p, e));
}

/* What was to follow an unclosed literal is part of it: nothing more is to be said. */
static bool recover_broken_literal(struct parser *p, const struct syntax_error *e)
{
    if (p->broken_literal.line == 0 || !fe_same_place(p->broken_literal, p->history.previous.at))
        return false;
    p->recovery.insert_semicolon = e->wants_semicolon || e->wants_parenthesis;
    p->brackets.count = fe_around(p).brackets + (e->token == '{');
    return true;
}

void fe_syntax_error(struct parser *p, const struct syntax_error *e)
{
    p->recovery.insert_semicolon = false;
    if (e->wants_statement)
        p->recovery.at = p->history.current.at; /* no statement can begin here */
    if (p->stopped || recover_broken_literal(p, e))
        return;
    if (fe_guess_launch(p, e) || fe_guess_foreign(p, e) || guess_method(p, e) || guess_default(p, e) ||
        guess_bracket(p, e) || guess_closer(p, e) || guess_end(p, e) || guess_spelling(p, e) ||
        guess_type(p, e) || guess_name(p, e) || guess_value(p, e) || guess_constructor(p, e) ||
        guess_file_level(p, e) || guess_semicolon(p, e) || guess_expression(p, e))
        return;
    say_expected(p, e);
}
