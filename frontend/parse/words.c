/* words.c: what a word is: keyword, name of a type, name, or a word of another language. */
#include "base/nearest.h"
#include "frontend/parse/grammar.h"
#include "frontend/parse/parser.h"
#include "frontend/types/types.h"

static const struct keyword {
    const char *text;
    int token;
    uint32_t value;
} keywords[] = {
#define KEYWORD(text, token, value) {text, TOK_##token, value},
#include "frontend/parse/keywords.def"
#define FE_WORD(kind, text, meaning) {text, TOK_WORD, FE_WORD_##kind},
#include "frontend/ast/ast.def"
};

/* Where a word is one only before parentheses. */
enum call { NO_CALL, OUTSIDE, ANYWHERE };

/* kern: what it is taken for, "" for nothing, and NULL for nothing without a fix-it. advice: NULL if that is
 * exactly what it means; alias: then it is not even reported. */
static const struct foreign {
    const char *text, *kern, *advice;
    bool alias;
    enum call call;
} foreign[] = {
#define FOREIGN(text, as, advice)         {text, as, advice, false, NO_CALL},
#define FOREIGN_CALL(text, where, advice) {text, "", advice, false, where},
#define SPELLING(text, kern)              {text, kern, NULL, false, NO_CALL},
#define ALIAS(text, kern)                 {text, kern, NULL, true, NO_CALL},
#include "frontend/foreign/foreign.def"
};

/* Entries of p->names.words: an ordinary name (as is a name without entry), a type's name, or a row of
 * keywords, of foreign. */
enum { ORDINARY, TYPE, ROW, FOREIGN_ROW = ROW + COUNT(keywords) };

static void enter_type(void *to, const char *name)
{
    struct parser *p = to;
    map_set(p->arena, &p->names.words, (uintptr_t)intern_z(&p->fe->strings, name), TYPE);
}

void fe_words_init(struct parser *p)
{
    fe_each_vector_name(enter_type, p);
    for (uint32_t i = 0; i < COUNT(keywords); i++)
        map_set(p->arena, &p->names.words, (uintptr_t)intern_z(&p->fe->strings, keywords[i].text), ROW + i);
    for (uint32_t i = 0; i < COUNT(foreign); i++)
        map_set(p->arena, &p->names.words, (uintptr_t)intern_z(&p->fe->strings, foreign[i].text),
                FOREIGN_ROW + i);
}

const char *fe_nearest_keyword(const char *word, bool *of_type)
{
    struct nearest n = nearest_to(word);
    *of_type = false;
    for (uint32_t i = 0; i < COUNT(keywords); i++)
        nearest_consider(&n, keywords[i].text);
    for (uint32_t i = 0; i < COUNT(keywords); i++)
        *of_type |= keywords[i].text == n.name && fe_begins_declaration(keywords[i].token) &&
                    keywords[i].token != TOK_PREFIX;
    return nearest_name(&n);
}

/* ---- C's combinations of type words --------------------------------------------------------------- */

static bool is_type_word(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

/* Counts of the words of a type such as `unsigned long int`. */
struct combination {
    unsigned words, is_unsigned, is_signed, shorts, longs, chars, ints, doubles;
};

static bool combine(struct combination *c, const char *text, size_t n)
{
    unsigned *count = is_type_word(text, n, "unsigned") ? &c->is_unsigned
                      : is_type_word(text, n, "signed") ? &c->is_signed
                      : is_type_word(text, n, "short")  ? &c->shorts
                      : is_type_word(text, n, "long")   ? &c->longs
                      : is_type_word(text, n, "char")   ? &c->chars
                      : is_type_word(text, n, "int")    ? &c->ints
                      : is_type_word(text, n, "double") ? &c->doubles
                                                        : NULL;
    if (!count)
        return false;
    ++*count;
    c->words++;
    return true;
}

static const char *kern_type(const struct combination *c)
{
    if (c->doubles)
        return "double";
    if (c->chars)
        return c->is_unsigned ? "uchar" : "char";
    if (c->shorts)
        return c->is_unsigned ? "ushort" : "short";
    if (c->longs)
        return c->is_unsigned ? "ulong" : "long";
    return c->is_unsigned ? "uint" : "int";
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Why C has no such type, or Kern has not; NULL: it has. */
static const char *refuse_combination(const struct combination *c)
{
    unsigned widths = c->chars + c->shorts + (c->longs > 0) + c->doubles;
    if (c->doubles && c->longs == 1 && c->words == 2)
        return "double is the widest floating type";
    bool twice = c->is_unsigned + c->is_signed > 1 || c->ints > 1 || c->longs > 2 || widths > 1;
    bool mixed = (c->doubles && c->words > 1) || (c->chars && c->ints);
    return twice || mixed ? "these words make no type" : NULL;
}

static const char *word_end(const char *at)
{
    while (is_word_byte(*at))
        at++;
    return at;
}

/* Reads on over further type words behind one that may begin a combination; a const between them is the token
 * behind it. What it is taken for in Kern,
 * mostly exactly what it means; kern NULL: it is none. */
static struct foreign read_combination(struct parser *p, const char *text, size_t n)
{
    struct combination c = {0};
    const char *between = NULL;
    if (!combine(&c, text, n))
        return (struct foreign){0};
    for (const char *at = p->in.cursor;;) {
        const char *word = fe_behind_blanks(at), *end = word_end(word);
        bool is_const = is_type_word(word, (size_t)(end - word), "const");
        if (!is_const && (end == word || !combine(&c, word, (size_t)(end - word))))
            break;
        at = end;
        if (is_const && !between)
            between = word;
        if (is_const)
            continue;
        p->in.cursor = end;
        if (between)
            p->qualifier = (span){fe_here(p, between), fe_here(p, between + strlen("const"))};
    }
    bool one = c.words == 1 && !c.is_unsigned && !c.is_signed;
    return (struct foreign){arena_strdup(p->arena, text, (size_t)(p->in.cursor - text)),
                            one ? NULL : kern_type(&c), refuse_combination(&c),
                            refuse_combination(&c) == NULL, NO_CALL};
}

/* ---- words to tokens ------------------------------------------------------------------------------- */

static int keyword_token(const struct keyword *k, union value *value)
{
    value->word = k->value;
    return k->token;
}

/* The token of one of Kern's own words, or of an operator. */
static int word_token(struct parser *p, const char *word, union value *value)
{
    if (*word == '&' || *word == '|' || *word == '!')
        return *word == '&' ? TOK_AND_AND : *word == '|' ? TOK_OR_OR : '!';
    value->name = intern_z(&p->fe->strings, word);
    uint32_t row = map_get(&p->names.words, (uintptr_t)value->name);
    return row == TYPE ? TOK_TYPE_NAME : keyword_token(&keywords[row - ROW], value);
}

/* A word of another language: reported unless Kern knows it, and taken for what it comes nearest to; 0: for
 * nothing. */
static int foreign_token(struct parser *p, struct foreign f, span where, union value *value)
{
    if (f.advice)
        fe_report(p->fe, FE_MSG(foreign_word), where, f.text, f.advice);
    else if (!f.alias)
        fe_report(p->fe, FE_MSG(foreign_spelling), where, f.text, f.kern);
    if (f.alias || !f.kern)
        return f.kern ? word_token(p, f.kern, value) : 0;
    if (!*f.kern) {
        fe_fix_removal(p->fe, where);
        return 0;
    }
    fe_fixit(p->fe, where, f.kern);
    return word_token(p, f.kern, value);
}

/* Whether `volatile`, in front of the cursor, is of a variable that only its thread can see: a number of a
 * function, not what a pointer leads to. */
static bool is_of_own_variable(const struct parser *p)
{
    static const char *const words[] = {"shared",   "__shared__", "__local",    "local",  "global",
                                        "__global", "constant",   "__constant", "extern", "static"};
    int before = p->history.current_token;
    bool in_list = before == '(' || before == ',' || before == '*' || fe_ends_statement(before);
    bool of_type =
        (before == TOK_WORD || before == TOK_TYPE_NAME) && p->history.previous_token != TOK_QUALIFIER;
    if (fe_around(p).members || !(p->blocks.count || p->brackets.count) || !(in_list || of_type))
        return false;
    const char *at = p->in.cursor;
    for (const char *end; at += strspn(at, " \t"), (end = word_end(at)) > at; at = end)
        for (size_t i = 0; i < COUNT(words); i++)
            if (is_type_word(at, (size_t)(end - at), words[i]))
                return false;
    return *at != '*' && *at != '&';
}

/* A word that is left out with the parentheses behind it. */
static int call_token(struct parser *p, const struct foreign *f, span where)
{
    int before = p->history.current_token;
    bool outside = p->blocks.count == 0 && (before == 0 || before == ';' || before == '}');
    bool is_word = f->call == ANYWHERE || outside;
    return is_word && fe_skip_call(p, f->text, f->advice, where, f->call == ANYWHERE) ? 0 : TOK_NAME;
}

/* A word that could begin one of C's combinations of type words. */
static int type_word_token(struct parser *p, const char *text, size_t n, span where, union value *value)
{
    struct foreign f = read_combination(p, text, n);
    where.end = fe_here(p, p->in.cursor);
    return f.kern ? foreign_token(p, f, where, value) : 0;
}

/* Whether a type may end with this token, so that qualifiers and `*` may follow. */
static bool may_end_type(int token)
{
    return token == TOK_WORD || token == TOK_TYPE_NAME || token == TOK_QUALIFIER || token == TOK_NAME ||
           token == '}';
}

/* Common names are words only where a name follows: `kernel void k()`, `launch k()`, `token t = entry()`,
 * `constant int a`; or a string: `include "file.kern"`; `constant` also in `int constant *`. `shared` is
 * what CUDA's
 * examples call an array: a name before `[`, `=` or `;`. */
static bool is_name_here(const struct parser *p, const struct keyword *k)
{
    bool is_constant = k->token == TOK_QUALIFIER && k->value == QUALIFIER_CONSTANT;
    bool is_shared = k->token == TOK_QUALIFIER && k->value == QUALIFIER_SHARED;
    bool common = (k->token == TOK_PREFIX && k->value == QUALIFIER_KERNEL) || k->token == TOK_LAUNCH ||
                  (k->token == TOK_WORD && k->value == FE_WORD_TOKEN);
    const char *next = fe_behind_space(p->in.cursor);
    if (common && p->launch.is_open && p->brackets.count > p->launch.repeats)
        return true;
    if (is_shared)
        return *next && strchr("[=;", *next);
    if (k->token == TOK_INCLUDE)
        return *next != '"' && *next != '/';
    if (is_constant && *next == '*')
        return !may_end_type(p->history.current_token);
    return (common || is_constant) && !is_word_byte(*next) && *next != '/';
}

int fe_word_token(struct parser *p, const char *text, size_t n, span where, union value *value)
{
    const char *name = intern(&p->fe->strings, text, n);
    uint32_t row = map_get(&p->names.words, (uintptr_t)name);
    value->name = name;
    if (row == MAP_NONE || row < ROW) {
        int token = row == TYPE ? TOK_TYPE_NAME : TOK_NAME;
        int combined = *name == 'u' || *name == 's' ? type_word_token(p, text, n, where, value) : 0;
        return combined ? combined : token;
    }
    if (row >= FOREIGN_ROW) {
        struct foreign f = foreign[row - FOREIGN_ROW];
        if (strcmp(f.text, "volatile") == 0 && is_of_own_variable(p))
            f.kern = "", f.advice = "no other thread sees the variable: remove the word";
        return f.call ? call_token(p, &foreign[row - FOREIGN_ROW], where) : foreign_token(p, f, where, value);
    }
    if (is_name_here(p, &keywords[row - ROW]))
        return TOK_NAME;
    if (keywords[row - ROW].token == TOK_WORD) {
        int combined = type_word_token(p, text, n, where, value);
        if (combined)
            return combined;
    }
    return keyword_token(&keywords[row - ROW], value);
}

bool fe_is_word(const struct parser *p, const char *name)
{
    uint32_t row = map_get(&p->names.words, (uintptr_t)name);
    return row != MAP_NONE && row >= TYPE;
}

bool fe_is_type_word(const struct parser *p, const char *name)
{
    uint32_t row = map_get(&p->names.words, (uintptr_t)name);
    bool is_keyword = row != MAP_NONE && row >= ROW && row < FOREIGN_ROW;
    return row == TYPE || (is_keyword && fe_begins_declaration(keywords[row - ROW].token)) ||
           strcmp(name, "unsigned") == 0;
}

int fe_foreign_type_token(struct parser *p, const struct fe_foreign_name *row, span where, union value *value)
{
    struct foreign f = {row->text, row->kern, row->advice, false, NO_CALL};
    int token = foreign_token(p, f, where, value);
    if (!row->kern)
        fe_excuse(p->fe, row->text, strlen(row->text));
    return row->kern ? token : -1;
}

int fe_misspelt_token(struct parser *p, const char *name, span where, union value *value)
{
    const char *keyword = fe_suggest_keyword(p, name, where);
    if (!keyword)
        return 0;
    return word_token(p, keyword, value);
}

/* ---- scopes of type names --------------------------------------------------------------------------- */

void fe_declare_name(struct parser *p, const char *name, bool is_type)
{
    uint32_t before = map_get(&p->names.words, (uintptr_t)name), now = is_type ? TYPE : ORDINARY;
    before = before == MAP_NONE ? ORDINARY : before;
    bool is_word =
        before >= ROW && before < FOREIGN_ROW; /* one that is a word or a name by where it stands */
    if (before == now || (is_word && !is_type))
        return;
    if (p->names.scopes.count) {
        struct undo u = {name, before};
        vec_push(p->arena, &p->names.undo, u);
    }
    map_set(p->arena, &p->names.words, (uintptr_t)name, now);
}

void fe_declare_params(struct parser *p, const struct fe_form *function)
{
    for (const struct fe_decl *d = function->function.params; d; d = d->next)
        if (d->name)
            fe_declare_name(p, d->name, false);
}

void fe_type_scope_open(struct parser *p)
{
    vec_push(p->arena, &p->names.scopes, p->names.undo.count);
}

void fe_type_scope_close(struct parser *p, uint32_t scopes)
{
    while (p->names.scopes.count > scopes) {
        uint32_t before = vec_pop(&p->names.scopes);
        while (p->names.undo.count > before) {
            struct undo u = vec_pop(&p->names.undo);
            map_set(p->arena, &p->names.words, (uintptr_t)u.name, u.token);
        }
    }
}

void fe_block_open(struct parser *p)
{
    fe_type_scope_open(p);
    struct block b = {.brackets = p->brackets.count, .scopes = p->names.scopes.count};
    vec_push(p->arena, &p->blocks, b);
}

void fe_members_open(struct parser *p)
{
    fe_block_open(p);
    vec_last(&p->blocks).members = true;
}

void fe_block_close(struct parser *p)
{
    struct block b = vec_pop(&p->blocks);
    fe_type_scope_close(p, b.scopes - 1);
}
