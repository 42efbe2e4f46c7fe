/* lexer.re: source text to tokens (re2c). Words, numbers and punctuation are found here; what a word means is
 * asked of words.c, what a literal is worth of literals.c. Whatever is no token is reported and skipped.
 *
 * Needs: text that ends in a NUL which is no part of it. Time is linear in the text.
 */
#include "frontend/parse/parser.h"
#include "frontend/parse/grammar.h"

void fe_lexer_begin(struct parser *p, const struct source *s)
{
    p->in.file = s;
    p->in.cursor = p->in.line_start = s->text;
    p->in.end = s->text + s->length;
    p->in.line = s->before + 1;
    if (s->length >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0)
        p->in.cursor += 3;
}

void fe_lexer_init(struct parser *p)
{
    fe_lexer_begin(p, p->fe->source);
    fe_words_init(p);
}

place fe_here(const struct parser *p, const char *at)
{
    return (place){p->in.line, (uint32_t)(at - p->in.line_start) + 1};
}

/* ---- brackets ------------------------------------------------------------------------------------- */

static void open_bracket(struct parser *p, char open, span where)
{
    uint32_t limit = p->fe->options.limits.nesting;
    int before = p->history.current_token;
    bool is_condition = before == TOK_IF || before == TOK_WHILE || before == TOK_SWITCH;
    struct bracket b = {open, before == TOK_FOR, is_condition, where};
    if (p->brackets.count >= limit) {
        fe_report(p->fe, FE_MSG(nesting_too_deep), where, limit);
        p->stopped = true;
    }
    vec_push(p->arena, &p->brackets, b);
}

/* Closes the bracket that fits; others opened since are left unclosed, and the innermost of them is kept for
 * the parser's message. A bracket that fits nothing changes nothing. */
static void close_bracket(struct parser *p, char open)
{
    uint32_t n = p->brackets.count;
    while (n && p->brackets.at[n - 1].open != open)
        n--;
    p->unclosed.open = 0;
    if (n == 0)
        return;
    if (n < p->brackets.count)
        p->unclosed = vec_last(&p->brackets);
    p->brackets.count = n - 1;
}

/* ---- what is no token ------------------------------------------------------------------------------ */

/* Signs that text processors put for those of the language. */
static const struct { uint32_t point; const char *advice; } lookalikes[] = {
    {0x201c, "; write \""}, {0x201d, "; write \""}, {0x2018, "; write '"},  {0x2019, "; write '"},
    {0x2212, "; write -"},  {0x2013, "; write -"},  {0x00d7, "; write *"},  {0x00f7, "; write /"},
    {0x2264, "; write <="}, {0x2265, "; write >="}, {0x2260, "; write !="}, {0x00a0, "; write ' '"},
};

static const char *advise(uint32_t point)
{
    for (size_t i = 0; i < COUNT(lookalikes); i++)
        if (lookalikes[i].point == point)
            return lookalikes[i].advice;
    return "";
}

/* A run of bytes above 127, none of which is allowed outside strings and comments. */
static void stray_bytes(struct parser *p, const char *at)
{
    uint32_t point;
    unsigned n = utf8_decode(at, (size_t)(p->in.end - at), &point);
    span where = {fe_here(p, at), fe_here(p, at + (n ? n : 1))};
    if (n)
        fe_report(p->fe, FE_MSG(stray_character), where, arena_strdup(p->arena, at, n), advise(point));
    else
        fe_report(p->fe, FE_MSG(invalid_utf8), where);
    while (p->in.cursor < p->in.end && (unsigned char)*p->in.cursor >= 0x80)
        p->in.cursor++;
}

static void stray_byte(struct parser *p, const char *at)
{
    span where = {fe_here(p, at), fe_here(p, at + 1)};
    unsigned char c = (unsigned char)*at;
    if (c == 0)
        fe_report(p->fe, FE_MSG(nul_byte), where);
    else if (c == '\\' && at[1 + strspn(at + 1, " \t\r")] == '\n') {
        fe_report(p->fe, FE_MSG(line_joined), where);
        fe_fix_removal(p->fe, where);
    } else if (c < ' ' || c == 127)
        fe_report(p->fe, FE_MSG(stray_character), where, arena_printf(p->arena, "\\x%02x", c), "");
    else
        fe_report(p->fe, FE_MSG(stray_character), where, arena_strdup(p->arena, at, 1), "");
    while (p->in.cursor < p->in.end && *p->in.cursor == *at)
        p->in.cursor++;
}

/* A long name loses its end. */
static int word(struct parser *p, const char *at, span where, union value *value)
{
    size_t n = (size_t)(p->in.cursor - at), limit = p->fe->options.limits.identifier_length;
    if (n > limit) {
        fe_report(p->fe, FE_MSG(identifier_too_long), where, (unsigned)limit);
        n = limit;
    }
    return fe_word_token(p, at, n, where, value);
}


/* ---- tokens ----------------------------------------------------------------------------------------- */

static int next_token(union value *value, span *where, struct parser *p)
{
    const unsigned char *cursor, *marker, *limit;
    const char *at;
    int token;
    UNUSED(marker);

#define PLACE() \
    (p->in.cursor = (const char *)cursor, where->at = fe_here(p, at), where->end = fe_here(p, p->in.cursor))
#define GIVE(t)   do { PLACE(); return (t); } while (0)
#define OP(t, op) do { PLACE(); value->word = FE_OP_##op; return (t); } while (0)
#define OPEN(c)   do { PLACE(); open_bracket(p, (c), *where); return (c); } while (0)
#define CLOSE(c, open) do { PLACE(); close_bracket(p, (open)); return (c); } while (0)

next:
    cursor = (const unsigned char *)p->in.cursor;
    limit = (const unsigned char *)p->in.end;
    at = p->in.cursor;
    /*!re2c
        re2c:define:YYCTYPE  = "unsigned char";
        re2c:define:YYCURSOR = cursor;
        re2c:define:YYMARKER = marker;
        re2c:define:YYLIMIT  = limit;
        re2c:yyfill:enable = 0;
        re2c:eof = 0;

        word   = [A-Za-z_][A-Za-z0-9_]*;
        tail   = [0-9A-Za-z_.'];
        number = "."? [0-9] ( [eE] [+-] | tail )*;
        hex    = "0" [xX] ( [pP] [+-] | tail )*;

        [ \t\r\f\v]+  { p->in.cursor = (const char *)cursor; goto next; }
        "\n"          { p->in.cursor = p->in.line_start = (const char *)cursor; p->in.line++; goto next; }
        "//"          { p->in.cursor = (const char *)cursor; fe_skip_comment(p, at, false); goto next; }
        "/*"          { p->in.cursor = (const char *)cursor; fe_skip_comment(p, at, true); goto next; }

        word          {
                          PLACE();
                          token = word(p, at, *where, value);
                          if (!token)
                              goto next;
                          where->end = fe_here(p, p->in.cursor);
                          return token;
                      }
        number | hex  {
                          PLACE();
                          token = fe_lex_number(p, at, (size_t)(p->in.cursor - at), *where, value);
                          where->end = fe_here(p, p->in.cursor);
                          return token;
                      }
        "\""          {
                          PLACE();
                          token = fe_lex_string(p, where->at, value);
                          where->end = fe_here(p, p->in.cursor);
                          return token;
                      }
        "'"           {
                          PLACE();
                          token = fe_lex_character(p, where->at, value);
                          where->end = fe_here(p, p->in.cursor);
                          return token;
                      }

        "("           { OPEN('('); }
        "["           {
                          if (fe_skip_brackets(p, at, fe_ends_statement(p->history.current_token)))
                              goto next;
                          OPEN('[');
                      }
        "{"           { OPEN('{'); }
        ")"           { CLOSE(')', '('); }
        "]"           { CLOSE(']', '['); }
        "}"           {
                          if (fe_skip_brace(p, at)) {
                              p->in.cursor = (const char *)cursor;
                              goto next;
                          }
                          CLOSE('}', '{');
                      }
        ";"           { p->launch.is_open = false; GIVE(';'); }
        [,:?~!.=+*/%&|^@] | "-"
                      { GIVE(*at); }
        ".."          { GIVE(TOK_RANGE); }
        "..."         { GIVE(TOK_ELLIPSIS); }
        "->"          { GIVE(TOK_ARROW); }
        "++"          { OP(TOK_INCREMENT, PREINC); }
        "--"          { OP(TOK_INCREMENT, PREDEC); }
        "&&"          { GIVE(TOK_AND_AND); }
        "||"          { GIVE(TOK_OR_OR); }
        "<<"          { OP(TOK_SHIFT, SHL); }
        ">>"          { OP(TOK_SHIFT, SHR); }
        "<"           { OP(TOK_RELATION, LT); }
        ">"           { OP(TOK_RELATION, GT); }
        "<="          { OP(TOK_RELATION, LE); }
        ">="          { OP(TOK_RELATION, GE); }
        "=="          { OP(TOK_EQUALITY, EQ); }
        "!="          { OP(TOK_EQUALITY, NE); }
        "+="          { OP(TOK_ASSIGN, ADD); }
        "-="          { OP(TOK_ASSIGN, SUB); }
        "*="          { OP(TOK_ASSIGN, MUL); }
        "/="          { OP(TOK_ASSIGN, DIV); }
        "%="          { OP(TOK_ASSIGN, REM); }
        "<<="         { OP(TOK_ASSIGN, SHL); }
        ">>="         { OP(TOK_ASSIGN, SHR); }
        "&="          { OP(TOK_ASSIGN, AND); }
        "^="          { OP(TOK_ASSIGN, XOR); }
        "|="          { OP(TOK_ASSIGN, OR); }

        "#"           {
                          p->in.cursor = (const char *)cursor;
                          if (!fe_skip_line_marker(p, at))
                              fe_directive_line(p, at);
                          goto next;
                      }
        [\x80-\xff]   { p->in.cursor = (const char *)cursor; stray_bytes(p, at); goto next; }
        *             { p->in.cursor = (const char *)cursor; stray_byte(p, at); goto next; }
        $             { if (fe_end_include(p)) goto next; GIVE(TOK_END); }
    */
}

/* The words of a launch directive's clauses are words only there, outside its brackets. */
static int clause_word(const char *name)
{
    return strcmp(name, "grid") == 0    ? TOK_GRID
           : strcmp(name, "block") == 0 ? TOK_BLOCK
           : strcmp(name, "show") == 0  ? TOK_SHOW
           : strcmp(name, "save") == 0  ? TOK_SAVE
                                        : TOK_NAME;
}

/* Words that begin a directive, where one may begin and what follows fits; names elsewhere. */
static int directive_word(const struct parser *p, const char *name)
{
    int before = p->history.current_token;
    bool begins = before == 0 || before == ';' || before == '}' || (p->launch.repeats && before == '{');
    if (!begins || p->blocks.count || p->brackets.count != p->launch.repeats)
        return TOK_NAME;
    const char *next = fe_behind_space(p->in.cursor);
    bool opens = *next == '(';
    bool letter = (*next >= 'a' && *next <= 'z') || (*next >= 'A' && *next <= 'Z') || *next == '_';
    if (strcmp(name, "buffer") == 0 && letter)
        return TOK_BUFFER;
    if (strcmp(name, "repeat") == 0 && (opens || strncmp(next, "while", strlen("while")) == 0))
        return TOK_REPEAT;
    return opens && (strcmp(name, "show") == 0 || strcmp(name, "save") == 0) ? clause_word(name) : TOK_NAME;
}

/* Words of directives are told from names, and where in directives the parser is. */
static int directive_token(struct parser *p, int token, const union value *value)
{
    const char *name = token == TOK_NAME ? value->name : NULL;
    if (token == TOK_NAME && !p->launch.is_open)
        token = directive_word(p, name);
    else if (token == TOK_NAME && p->brackets.count == p->launch.repeats &&
             p->history.current_token != TOK_LAUNCH)
        token = clause_word(name);
    else if (token == TOK_QUALIFIER && p->launch.is_open && value->word == QUALIFIER_SHARED &&
             p->brackets.count == p->launch.repeats && *fe_behind_space(p->in.cursor) == '(')
        token = TOK_SHARED;
    p->launch.is_open |= token == TOK_LAUNCH || token == TOK_SHOW || token == TOK_SAVE;
    if (token == '(' && p->history.previous_token == TOK_LAUNCH) {
        p->launch.in_arguments = true;
        p->launch.kernel = p->history.current_name;
        p->launch.argument = 0;
    }
    p->launch.argument += token == ',' && p->launch.in_arguments && p->brackets.count == p->launch.repeats + 1;
    if (token == TOK_REPEAT)
        p->launch.repeats++;
    else if ((token == '}' || token == ';') && p->brackets.count < p->launch.repeats)
        p->launch.repeats = p->brackets.count;
    p->launch.in_arguments &= p->brackets.count > p->launch.repeats;
    return token;
}

static void remember(struct history *h, int token, union value *value, span where)
{
    bool is_name = token == TOK_NAME || token == TOK_TYPE_NAME;
    h->previous = h->current, h->previous_token = h->current_token, h->previous_name = h->current_name;
    h->current = where, h->current_token = token, h->current_name = is_name ? value->name : NULL;
    if (fe_ends_statement(h->previous_token)) {
        h->first = where;
        h->first_name = h->current_name;
    }
}

/* The next token of the text. */
static int lex(union value *value, span *where, struct parser *p)
{
    int token = TOK_END;
    if (p->stopped || p->fe->diags->stopped) {
        p->stopped = true;
        *where = p->history.current;
    } else if (p->qualifier.at.line) {
        token = TOK_QUALIFIER;
        value->word = QUALIFIER_CONST;
        *where = p->qualifier;
        p->qualifier = (span){0};
    } else {
        token = next_token(value, where, p);
    }
    if (p->falls_through)
        diag_ignore(p->fe->diags,
                    (struct diag_ignore){where->at.line, diag_group_info[DIAG_GROUP_fallthrough].name});
    p->falls_through = false;
    return directive_token(p, token, value);
}

int fe_parser_lex(union value *value, span *where, struct parser *p)
{
    int token = 0;
    if (p->translation.given < p->translation.queue.count) {
        struct queued t = p->translation.queue.at[p->translation.given++];
        token = t.token, *value = t.value, *where = t.where;
    }
    while (!token && !p->stopped) {
        p->translation.queue.count = p->translation.given = 0;
        token = lex(value, where, p);
        if (token == TOK_END)
            break;
        token = fe_translate(p, token, value, where);
    }
    remember(&p->history, token, value, *where);
    return token;
}
