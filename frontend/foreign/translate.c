/* translate.c: what other languages write where Kern has other tokens, read on as those: so that the rest
 * of the
 * statement is parsed and checked, and one round of messages shows all.
 *
 *     static_cast<int>(x), int(x)     (int)(x)
 *     std::min(a, b)                  min(a, b)
 *     extern "C" { … }                …
 *     template <typename T> T f()     T f(), where T is any type
 *     Node *p                         struct Node *p, if there is one; else of an unknown type
 *
 * Each is reported where it stands; syntax_foreign.c has what can only be said when the parser is at a loss.
 */
#include "frontend/parse/grammar.h"
#include "frontend/parse/parser.h"

#define LOOK_AHEAD 4096 /* bytes in which what is opened has to be closed, so that time is linear */

/* The text from the start of the token on. */
static const char *where_text(const struct parser *p, span where)
{
    return p->in.line_start + where.at.column - 1;
}

static void say(struct parser *p, span where, const char *text, const char *advice)
{
    fe_report(p->fe, FE_MSG(foreign_word), where, text, advice);
}

void fe_queue_token(struct parser *p, int token, union value value, span where)
{
    struct queued t = {token, value, where};
    vec_push(p->arena, &p->translation.queue, t);
}

void fe_go_on(struct parser *p, const char *to)
{
    for (; p->in.cursor < to; p->in.cursor++)
        if (*p->in.cursor == '\n') {
            p->in.line++;
            p->in.line_start = p->in.cursor + 1;
        }
}

/* `dim3 grid(8)`, `int2 v(1, 2)` in a block, where functions are not declared: = (int2)(1, 2). */
static int constructor(struct parser *p, span *where)
{
    const struct history *h = &p->history;
    bool is_declared = h->current_token == TOK_NAME &&
                       (h->previous_token == TOK_WORD || h->previous_token == TOK_TYPE_NAME) &&
                       p->blocks.count;
    if (!is_declared || fe_around(p).members)
        return '(';
    const char *first = fe_behind_blanks(p->in.cursor);
    const char *word = intern(&p->fe->strings, first, fe_word_length(first));
    if (*first == ')' || *first == '*' || fe_is_type_word(p, word))
        return '(';
    size_t n;
    const char *text = fe_span_text(p->fe, h->previous, &n), *type = arena_strdup(p->arena, text, n);
    if (!fe_is_excused(p->fe, p->translation.type.value.name)) {
        fe_report(p->fe, FE_MSG(constructor), *where, type, h->current_name, type);
        fe_fixit(p->fe, (span){where->at, where->at}, arena_printf(p->arena, " = (%s)", type));
    }
    fe_queue_token(p, '(', p->translation.type.value, *where);
    fe_queue_token(p, p->translation.type.token, p->translation.type.value, *where);
    fe_queue_token(p, ')', p->translation.type.value, *where);
    fe_queue_token(p, '(', p->translation.type.value, *where);
    return '=';
}

/* ---- casts ------------------------------------------------------------------------------------------- */

static bool wants_operand(int before)
{
    switch (before) {
    case '=':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '&':
    case '|':
    case '^':
    case '?':
    case ':':
    case '!':
    case '~':
    case '(':
    case ',':
    case TOK_ASSIGN:
    case TOK_AND_AND:
    case TOK_OR_OR:
    case TOK_SHIFT:
    case TOK_EQUALITY:
    case TOK_RELATION:
    case TOK_RETURN: return true;
    default: return false;
    }
}

/* int(x), float4(x, y, z, w) in an expression: `(` waits behind a cast. */
static int functional_cast(struct parser *p, int token, union value *value, span *where)
{
    const char *next = fe_behind_blanks(p->in.cursor);
    const char *inside = *next == '(' ? fe_behind_blanks(next + 1) : next;
    bool is_call = *next == '(' && *inside != '*' && *inside != ')';
    if (!is_call || !p->blocks.count || p->launch.is_open || !wants_operand(p->history.current_token))
        return token;
    size_t n;
    const char *text = fe_span_text(p->fe, *where, &n), *type = arena_strdup(p->arena, text, n);
    if (fe_is_vector_name(type))
        fe_report(p->fe, FE_MSG(vector_syntax), *where, type, type);
    else
        fe_report(p->fe, FE_MSG(cast_syntax), *where, type);
    fe_fixit(p->fe, *where, arena_printf(p->arena, "(%s)", type));
    fe_queue_token(p, token, *value, *where);
    fe_queue_token(p, ')', *value, span_after(*where));
    where->end = where->at;
    return '(';
}

/* static_cast<T>(x): the > stands for the ) of a cast. */
static int named_cast(struct parser *p, span *where)
{
    static const char inside[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789 \t*";
    const char *type = fe_behind_blanks(p->in.cursor) + 1, *end = type + strspn(type, inside);
    if (type[-1] != '<' || *end != '>' || *fe_behind_blanks(end + 1) != '(')
        return TOK_NAME;
    const char *first = fe_behind_blanks(type), *last = end;
    while (last > first && (last[-1] == ' ' || last[-1] == '\t'))
        last--;
    const char *text = arena_strdup(p->arena, first, (size_t)(last - first));
    span whole = {where->at, fe_here(p, end + 1)};
    fe_report(p->fe, FE_MSG(cast_syntax), whole, text);
    fe_fixit(p->fe, whole, arena_printf(p->arena, "(%s)", text));
    p->translation.cast_end = end;
    p->in.cursor = type;
    return '(';
}

static bool is_cast(const char *name)
{
    return fe_is_same(name, "static_cast") || fe_is_same(name, "reinterpret_cast") ||
           fe_is_same(name, "const_cast") || fe_is_same(name, "dynamic_cast");
}

/* ---- functions that are none ------------------------------------------------------------------------- */

/* Behind the bracket that closes the one at `at`; NULL: there is none. */
static const char *behind_brackets(const char *at)
{
    unsigned open = 0;
    for (; *at; at++) {
        open += strchr("([{", *at) != NULL;
        open -= strchr(")]}", *at) != NULL;
        if (!open)
            return at + 1;
    }
    return NULL;
}

/* [&](int x) { … } in an expression is left out: some value stands for it. */
static bool skip_lambda(struct parser *p, union value *value, span *where)
{
    const char *end = wants_operand(p->history.current_token) ? behind_brackets(where_text(p, *where)) : NULL;
    const char *next = end ? fe_behind_space(end) : "";
    if (*next == '(' && (next = behind_brackets(next)))
        next += strcspn(next, "{;\n");
    const char *body = next && *next == '{' ? behind_brackets(next) : NULL;
    if (!body)
        return false;
    say(p, *where, "[](…) { … }",
        "there are no lambdas: write a function outside, and give it what it needs");
    p->brackets.count--;
    fe_go_on(p, body);
    value->name = intern_z(&p->fe->strings, "[]");
    fe_excuse(p->fe, value->name, strlen(value->name));
    return true;
}

/* operator+(a, b) is read as a function of that name. */
static bool skip_operator(struct parser *p, union value *value, span *where)
{
    if (!fe_is_same(value->name, "operator"))
        return false;
    const char *at = fe_behind_blanks(p->in.cursor),
               *end = fe_goes_on(at, "()") ? at + 2 : at + strspn(at, "+-*/%=<>!&|^~[]");
    if (end == at || *fe_behind_blanks(end) != '(')
        return false;
    const char *name = arena_strdup(p->arena, where_text(p, *where), (size_t)(end - where_text(p, *where)));
    p->in.cursor = end;
    where->end = fe_here(p, end);
    say(p, *where, name,
        "operators have one meaning: write a function with a name, add(a, b); vectors have + - * / of their "
        "own");
    value->name = intern_z(&p->fe->strings, name);
    return true;
}

/* ---- scopes, linkage, templates ------------------------------------------------------------------------ */

/* std::min is min. */
static int qualified_name(struct parser *p, span where)
{
    p->in.cursor += 2;
    where.end = fe_here(p, p->in.cursor);
    say(p, where, "::", "write the name behind it alone");
    fe_fixit(p->fe, where, "");
    return 0;
}

/* `extern "C"`, `namespace n` and the { behind it; false: it is none. */
static bool skip_group(struct parser *p, const char *end, span where, const char *text, const char *advice)
{
    const char *open = fe_behind_space(end);
    bool is_group = *open == '{';
    say(p, (span){where.at, fe_here(p, end)}, text, advice);
    fe_go_on(p, is_group ? open + 1 : end);
    p->translation.blocks += is_group;
    fe_fix_removal(p->fe, (span){where.at, fe_here(p, p->in.cursor)});
    return true;
}

bool fe_skip_brace(struct parser *p, const char *at)
{
    if (!p->translation.blocks || p->brackets.count)
        return false;
    p->translation.blocks--;
    span where = {fe_here(p, at), fe_here(p, at + 1)};
    say(p, where, "}", "what it closes is left out: remove it");
    fe_fix_removal(p->fe, where);
    return true;
}

static bool skip_linkage(struct parser *p, span where)
{
    const char *string = fe_behind_blanks(p->in.cursor),
               *end = *string == '"' ? strpbrk(string + 1, "\"\n") : NULL;
    return end && *end == '"' &&
           skip_group(p, end + 1, where, "extern \"C\"", "names are those of the source anyway: remove it");
}

/* `namespace n {`, `namespace n = m;`, `using namespace n;`. */
static bool skip_namespace(struct parser *p, const char *name, span where)
{
    bool is_using = fe_is_same(name, "using");
    if (p->brackets.count || (!is_using && !fe_is_same(name, "namespace")))
        return false;
    const char *at = fe_behind_blanks(p->in.cursor), *end = at + strcspn(at, ";{\n");
    if (is_using && !fe_goes_on(at, "namespace"))
        return false;
    const char *advice = "there are no namespaces: give the names a common beginning";
    if (*end != ';')
        return !is_using && skip_group(p, at + fe_word_length(at), where, name, advice);
    say(p, where, name, "there are no namespaces: remove it");
    fe_go_on(p, end + 1);
    fe_fix_removal(p->fe, (span){where.at, fe_here(p, p->in.cursor)});
    return true;
}

bool fe_in_parameters(const struct parser *p)
{
    int before = p->history.current_token;
    return !p->blocks.count && !p->translation.in_value && p->brackets.count &&
           p->brackets.at[0].open == '(' && vec_last(&p->brackets).open == '(' &&
           (before == '(' || before == ',');
}

/* k<<<8, 128>>>(p): the call is no kernel's. */
static bool skip_chevrons(struct parser *p, union value *value)
{
    static const char name[] = "<<<";
    const char *open = fe_behind_space(p->in.cursor);
    size_t n = fe_goes_on(open, name) ? strcspn(open, ";{}") : 0;
    const char *end = n ? memmem(open, n < LOOK_AHEAD ? n : LOOK_AHEAD, ">>>", 3) : NULL;
    if (!end)
        return false;
    fe_go_on(p, open);
    span where = {fe_here(p, open), fe_here(p, open + strlen(name))};
    say(p, where, name, "outside of functions write launch k(a = …) grid(blocks) block(threads);");
    fe_go_on(p, end + strlen(name));
    if (!p->blocks.count) /* the whole of it, which is no declaration */
        fe_go_on(p, p->in.cursor + strcspn(p->in.cursor, ";{}"));
    fe_excuse(p->fe, name, strlen(name));
    value->name = intern_z(&p->fe->strings, name);
    return true;
}

/* ---- types that are none ------------------------------------------------------------------------------- */

/* (T)x, (T *)x, where (T) is no condition. */
static bool stands_in_cast(const struct parser *p)
{
    const struct history *h = &p->history;
    bool opens = h->current_token == '(' && p->blocks.count && !vec_last(&p->brackets).is_condition &&
                 !vec_last(&p->brackets).is_for;
    if (!opens || !(wants_operand(h->previous_token) || fe_ends_statement(h->previous_token)))
        return false;
    const char *next = fe_behind_blanks(p->in.cursor), *close = next + strspn(next, "* \t");
    if (*close != ')')
        return false;
    const char *behind = fe_behind_blanks(close + 1);
    return *next == '*' || fe_begins_word(*behind) || (*behind >= '0' && *behind <= '9');
}

/* Whether a name before this text is that of a type, for nothing else could stand there. */
static bool stands_for_type(const struct parser *p, const char *name)
{
    int before = p->history.current_token;
    bool in_for = before == '(' && p->brackets.count && vec_last(&p->brackets).is_for;
    bool begins = fe_ends_statement(before) || before == TOK_QUALIFIER || before == TOK_PREFIX ||
                  before == TOK_TYPEDEF || in_for;
    bool in_list = fe_in_parameters(p);
    if (p->launch.is_open || p->launch.repeats || (!begins && !in_list))
        return stands_in_cast(p);
    const char *next = fe_behind_blanks(p->in.cursor);
    if (fe_begins_word(*next))
        return true;
    if (*next != '*' && *next != '&')
        return false;
    next += strspn(next, "*& \t");
    bool is_outside = !p->blocks.count || before == TOK_QUALIFIER;
    if (!fe_begins_word(*next))
        return in_list;
    next = fe_behind_blanks(next + fe_word_length(next));
    return is_outside || (*next == '=' && next[1] != '=') || fe_find_foreign_type(name) ||
           map_get(&p->names.tags, (uintptr_t)name) != MAP_NONE;
}

/* A name where a type is wanted. */
static int unknown_type(struct parser *p, union value *value, span *where)
{
    const char *name = value->name;
    if (!stands_for_type(p, name))
        return TOK_NAME;
    const struct fe_foreign_name *foreign = fe_find_foreign_type(name);
    uint32_t tag = map_get(&p->names.tags, (uintptr_t)name);
    if (tag != MAP_NONE) {
        const char *word = fe_decl_text[tag];
        fe_report(p->fe, FE_MSG(tag_as_type), *where, name, word, name);
        fe_fixit(p->fe, (span){where->at, where->at}, arena_printf(p->arena, "%s ", word));
        fe_queue_token(p, TOK_NAME, *value, *where);
        value->word = false;
        return tag == FE_DECL_ENUM ? TOK_ENUM : TOK_STRUCT;
    }
    if (foreign) {
        int token = fe_foreign_type_token(p, foreign, *where, value);
        if (token >= 0)
            return token;
        if (strcmp(name, "auto") == 0)
            fe_note_auto(p->fe, *where);
    } else if (!fe_is_excused(p->fe, name)) {
        int token = fe_misspelt_token(p, name, *where, value);
        if (token)
            return token;
    }
    value->name = name;
    p->translation.type = (struct queued){TOK_TYPE_NAME, *value, *where};
    return TOK_TYPE_NAME;
}

/* The bits of a number's type by its word; 0: of no integer. */
static unsigned bits_of(const struct parser *p)
{
    switch (p->translation.type.token == TOK_WORD ? p->translation.type.value.word : FE_WORD_VOID) {
    case FE_WORD_CHAR:
    case FE_WORD_UCHAR: return 8;
    case FE_WORD_SHORT:
    case FE_WORD_USHORT: return 16;
    case FE_WORD_INT:
    case FE_WORD_UINT: return 32;
    case FE_WORD_LONG:
    case FE_WORD_ULONG: return 64;
    default: return 0;
    }
}

/* A member's number of bits is left out. A fix-it does that where it is all of the type's. */
static bool skip_bits(struct parser *p, span where)
{
    const struct history *h = &p->history;
    bool is_member = fe_around(p).members && p->brackets.count && vec_last(&p->brackets).open == '{';
    bool has_type =
        h->current_token == TOK_WORD ||
        (h->current_token == TOK_NAME &&
         (h->previous_token == TOK_WORD || h->previous_token == ',' || h->previous_token == TOK_TYPE_NAME));
    const char *at = fe_behind_blanks(p->in.cursor), *end = at + strcspn(at, ",;{}\n/");
    if (!is_member || !has_type || at == end)
        return false;
    while (end[-1] == ' ' || end[-1] == '\t')
        end--;
    const char *bits = arena_strdup(p->arena, at, (size_t)(end - at));
    fe_report(p->fe, FE_MSG(bit_field), where, bits);
    p->in.cursor = end;
    if (bits_of(p) && strcmp(bits, arena_printf(p->arena, "%u", bits_of(p))) == 0)
        fe_fix_removal(p->fe, (span){h->current.end, fe_here(p, end)});
    return true;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

/* `a and b`, `not a`. */
static int word_operator(struct parser *p, union value *value, span where)
{
    bool is_binary = fe_is_same(value->name, "and") || fe_is_same(value->name, "or");
    bool is_unary = fe_is_same(value->name, "not");
    if (!is_binary && !is_unary)
        return 0;
    int before = p->history.current_token;
    bool behind = before == TOK_NAME || before == TOK_INTEGER || before == TOK_FLOATING || before == ')' ||
                  before == ']' || before == TOK_BOOLEAN;
    if (!((is_binary && behind) || (is_unary && wants_operand(before))))
        return 0;
    return fe_foreign_type_token(p, fe_find_foreign_type(value->name), where, value);
}

static int translate_name(struct parser *p, union value *value, span *where)
{
    const char *name = value->name;
    int of_group = fe_translate_group(p, value, where);
    if (of_group >= 0)
        return of_group;
    if (fe_goes_on(p->in.cursor, "::"))
        return qualified_name(p, *where);
    bool opens = *fe_behind_space(p->in.cursor) == '<';
    if (opens && *fe_behind_blanks(p->in.cursor) == '<' && is_cast(name))
        return named_cast(p, where);
    if (skip_operator(p, value, where))
        return TOK_NAME;
    if (skip_namespace(p, name, *where) || (opens && fe_skip_template(p, name, *where)))
        return 0;
    if (opens) {
        fe_skip_template_arguments(p, name);
        if (skip_chevrons(p, value))
            return p->blocks.count ? TOK_NAME : 0;
    }
    int operator= word_operator(p, value, *where);
    return operator? operator: unknown_type(p, value, where);
}

/* A ':' in front of a number of bits. */
static int translate_colon(struct parser *p, union value *value, span *where)
{
    if (!skip_bits(p, *where))
        return ':';
    bool is_named = p->history.current_token == TOK_NAME;
    value->name =
        intern_z(&p->fe->strings, arena_printf(p->arena, ":%u:%u", where->at.line, where->at.column));
    return is_named ? 0 : TOK_NAME;
}

/* A name, or that of a type. */
static int translate_word(struct parser *p, int token, union value *value, span *where)
{
    int before = p->history.current_token;
    if (token == TOK_NAME && before == TOK_STRUCT)
        fe_skip_template_arguments(p, value->name);
    if (before == TOK_STRUCT)
        map_set(p->arena, &p->names.tags, (uintptr_t)value->name, FE_DECL_STRUCT);
    else if (token == TOK_NAME && before == TOK_ENUM)
        map_set(p->arena, &p->names.tags, (uintptr_t)value->name, FE_DECL_ENUM);
    else
        return token == TOK_NAME ? translate_name(p, value, where) : functional_cast(p, token, value, where);
    return token;
}

int fe_translate(struct parser *p, int token, union value *value, span *where)
{
    struct translation *t = &p->translation;
    switch (token) {
    case TOK_RELATION:
        if (!t->cast_end || p->in.cursor != t->cast_end + 1)
            return token;
        t->cast_end = NULL;
        return ')';
    case ';':
    case '{': t->in_value = false; return token;
    case '=': t->in_value |= !p->blocks.count; return token;
    case '(': return constructor(p, where);
    case '[': return skip_lambda(p, value, where) ? TOK_NAME : token;
    case ':': return translate_colon(p, value, where);
    case TOK_WORD:
        t->type = (struct queued){token, *value, *where};
        return functional_cast(p, token, value, where);
    case TOK_TYPE_NAME:
        t->type = (struct queued){token, *value, *where};
        return translate_word(p, token, value, where);
    case TOK_NAME: return translate_word(p, token, value, where);
    case TOK_PREFIX: return value->word == QUALIFIER_EXTERN && skip_linkage(p, *where) ? 0 : token;
    default: return token;
    }
}
