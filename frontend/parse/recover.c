/* recover.c: how the parser goes on behind a syntax error.
 *
 * A statement ends at its semicolon or block outside brackets; the parser's list of open blocks says which
 * brackets belong to the statement and which to what is around it. Every recovery moves on by a token.
 */
#include "frontend/parse/grammar.h"
#include "frontend/parse/parser.h"

struct block fe_around(const struct parser *p)
{
    return p->blocks.count ? vec_last(&p->blocks) : (struct block){0};
}

bool fe_same_place(place a, place b)
{
    return a.line == b.line && a.column == b.column;
}

static bool begins_type(int token)
{
    return token == TOK_WORD || token == TOK_TYPE_NAME || token == TOK_QUALIFIER || token == TOK_PREFIX ||
           token == TOK_STRUCT || token == TOK_ENUM;
}

bool fe_begins_declaration(int token)
{
    return begins_type(token) || token == TOK_TYPEDEF || token == TOK_LAUNCH;
}

bool fe_ends_statement(int token)
{
    return token == 0 || token == ';' || token == '{' || token == '}' || token == ':' || token == TOK_ELSE ||
           token == TOK_DO;
}

bool fe_is_statement_word(int token)
{
    switch (token) {
    case TOK_IF:
    case TOK_ELSE:
    case TOK_WHILE:
    case TOK_DO:
    case TOK_FOR:
    case TOK_SWITCH:
    case TOK_CASE:
    case TOK_DEFAULT:
    case TOK_BREAK:
    case TOK_CONTINUE:
    case TOK_RETURN:
    case TOK_GOTO:
    case TOK_TRY:
    case TOK_CATCH:
    case TOK_THROW:
    case TOK_PREDICT:
    case TOK_TYPEDEF:
    case TOK_LAUNCH: return true;
    default: return false;
    }
}

struct place_in_parse {
    struct parser *p;
    int *token;
    union value *value;
    span *where;
};

static void advance(struct place_in_parse *at)
{
    *at->token = fe_parser_lex(at->value, at->where, at->p);
}

/* A block has begun inside parentheses, `if (x {`: they will not be closed any more. */
static void drop_parentheses(struct parser *p, uint32_t level)
{
    while (p->brackets.count > level + 1 && p->brackets.at[p->brackets.count - 2].open != '{') {
        p->brackets.at[p->brackets.count - 2] = vec_last(&p->brackets);
        p->brackets.count--;
    }
}

/* Skips tokens until the statement's own brackets are closed, or what comes shows that they never will be. */
static void leave_brackets(struct place_in_parse *at, uint32_t level)
{
    struct parser *p = at->p;
    while (p->brackets.count > level && *at->token != TOK_END) {
        struct bracket top = vec_last(&p->brackets);
        if (*at->token == '{' && top.open == '{' && fe_same_place(top.where.at, at->where->at) &&
            p->brackets.count == level + 1)
            return; /* the block of the broken statement */
        bool gives_up =
            fe_is_statement_word(*at->token) || (*at->token == ';' && top.open != '{' && !top.is_for);
        if (gives_up && top.open != '{') {
            while (p->brackets.count > level && vec_last(&p->brackets).open != '{')
                p->brackets.count--;
            continue;
        }
        advance(at);
        if (p->brackets.count == level && *at->token == '}')
            advance(at);
    }
}

/* Skips to where a statement may begin: behind a semicolon, at a block or at a word that begins one. */
static void skip_statement(struct place_in_parse *at, uint32_t level)
{
    for (;;) {
        leave_brackets(at, level);
        int t = *at->token;
        if (t == TOK_END || t == '{' || t == '}' || fe_is_statement_word(t))
            return;
        advance(at);
        if (t == ';')
            return;
    }
}

/* Skips the block that begins here, behind qualifiers, and a semicolon behind it. */
static void skip_body(struct place_in_parse *at, uint32_t level)
{
    at->p->recovery.skip_body = false;
    while (*at->token == TOK_QUALIFIER)
        advance(at);
    if (*at->token == '{')
        advance(at);
    leave_brackets(at, level);
    if (*at->token == ';')
        advance(at);
}

/* At the level of the file, where only what begins a declaration will do. */
static void skip_declaration(struct place_in_parse *at)
{
    bool ended = false;
    while (*at->token != TOK_END) {
        if (ended && fe_begins_declaration(*at->token) && at->p->brackets.count == 0)
            return;
        int t = *at->token;
        uint32_t before = at->p->brackets.count;
        ended = (t == ';' || t == '}') && before == 0;
        advance(at);
        if (t != ';' && t != '}' && before == 0)
            ended = false;
    }
}

bool fe_recover(struct parser *p, int *token, union value *value, span *where, place from)
{
    struct place_in_parse at = {p, token, value, where};
    struct block b = fe_around(p);
    p->recovery.insert_semicolon = false;
    p->recovery.has_gaps = true;
    fe_type_scope_close(p, b.scopes);
    if (*token < 0) /* the parser has thrown the token away */
        advance(&at);
    if (*token == '{')
        drop_parentheses(p, b.brackets);
    if (fe_same_place(p->recovery.at, where->at) && *token != TOK_END)
        advance(&at);
    if (p->recovery.skip_body)
        skip_body(&at, b.brackets);
    else if (p->blocks.count)
        skip_statement(&at, b.brackets);
    else
        skip_declaration(&at);
    p->recovery.at = where->at;
    p->definitions = (struct list){0};
    fe_excuse_words(p->fe, (span){from, *token == TOK_END ? p->history.current.end : where->at});
    return *token != TOK_END;
}

bool fe_recover_semicolon(struct parser *p, int *token, union value *value, span *where, place from)
{
    if (!p->recovery.insert_semicolon)
        return fe_recover(p, token, value, where, from);
    p->recovery.insert_semicolon = false;
    return *token != TOK_END;
}
