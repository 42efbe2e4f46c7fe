/* template.c: C++'s templates. The head is left out, and the names of its parameters stand for any type or
 * number. Where all uses in the file give a function the same arguments, a fix-it makes it a function of
 * these:
 *
 *     template <typename T> T twice(T x) { return x + x; }      float twice(float x) { return x + x; }
 *     p[i] = twice<float>(p[i]);                                p[i] = twice(p[i]);
 */
#include "frontend/parse/grammar.h"
#include "frontend/parse/parser.h"

#define LOOK_AHEAD      4096 /* bytes in which what is opened has to be closed, so that time is linear */
#define MOST_PARAMETERS 8

static const char inside[] = FE_LETTERS " \t*,";

/* The > that closes the < at `at`; NULL: there is none before a brace or semicolon. */
static const char *closing_angle(const char *at)
{
    unsigned open = 0;
    for (const char *most = at + LOOK_AHEAD; *at && at < most && !strchr(";{}", *at); at++) {
        open += *at == '<';
        open -= *at == '>';
        if (!open)
            return at;
    }
    return NULL;
}

/* The names of a template's parameters stand for any type, or any number. */
static void excuse_parameters(struct parser *p, const char *at, const char *end)
{
    bool of_type = false;
    while (at < end) {
        size_t n = fe_begins_word(*at) ? fe_word_length(at) : 0;
        const char *name = n ? intern(&p->fe->strings, at, n) : "";
        if (n && !of_type && fe_is_word(p, name)) {
            of_type = false;
        } else if (n && (strcmp(name, "typename") == 0 || strcmp(name, "class") == 0)) {
            of_type = true;
        } else if (n) {
            fe_excuse(p->fe, name, n);
            if (of_type)
                fe_declare_name(p, name, true);
            of_type = false;
        }
        at += n ? n : 1;
    }
}

/* ---- uses --------------------------------------------------------------------------------------------- */

/* Behind a string, a character or a comment that begins at `at`; `at` itself where none does. */
static const char *behind_quoted(const char *at)
{
    if (*at == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    const char *end = *at == '/' && at[1] == '*' ? strstr(at + 2, "*/") : NULL;
    if (end)
        return end + 2;
    if (*at != '"' && *at != '\'')
        return at;
    const char *to = at + 1;
    while (*to && *to != '\n' && *to != *at)
        to += *to == '\\' && to[1] ? 2 : 1;
    return *to == *at ? to + 1 : to;
}

/* Behind n bytes of text at a place. */
static place behind(place here, const char *at, size_t n)
{
    place to = {here.line, here.column + (uint32_t)n};
    for (size_t i = 0; i < n; i++)
        if (at[i] == '\n')
            to = (place){to.line + 1, (uint32_t)(n - i)};
    return to;
}

/* Notes NAME<…> of the file's calls, and how often NAME( stands there, once. */
static void find_uses(struct parser *p)
{
    if (p->templates.uses.count)
        return;
    vec_push(p->arena, &p->templates.uses, (struct template_use){0}); /* none */
    place here = {p->in.file->before + 1, 1};
    const char *name = NULL;
    size_t length = 0;
    for (const char *at = p->in.file->text; at < p->in.end;) {
        const char *next = behind_quoted(at);
        size_t n = next > at ? (size_t)(next - at) : fe_in_word(*at) ? fe_word_length(at) : 1;
        const char *end = *at == '<' ? at + 1 + strspn(at + 1, inside) : "";
        if (length && *at == '(') {
            uintptr_t key = (uintptr_t)intern(&p->fe->strings, name, length);
            uint32_t count = map_get(&p->templates.plain, key);
            map_set(p->arena, &p->templates.plain, key, count == MAP_NONE ? 1 : count + 1);
        }
        const char *follows = *end == '>' ? fe_behind_blanks(end + 1) : "";
        if (length && (*follows == '(' || strncmp(follows, "<<<", 3) == 0)) {
            uintptr_t key = (uintptr_t)intern(&p->fe->strings, name, length);
            uint32_t before = map_get(&p->templates.latest, key);
            struct template_use u = {intern(&p->fe->strings, at + 1, (size_t)(end - at - 1)),
                                     {here, behind(here, at, (size_t)(end + 1 - at))},
                                     before == MAP_NONE ? 0 : before};
            map_set(p->arena, &p->templates.latest, key, p->templates.uses.count);
            vec_push(p->arena, &p->templates.uses, u);
        }
        name = at;
        length = next > at || !fe_in_word(*at) ? 0 : n;
        here = behind(here, at, n);
        at += n;
    }
}

struct list_of_words {
    const char *at[MOST_PARAMETERS];
    uint32_t count;
};

/* The last words of the parts of a list; false: they are too many, or something else. */
static bool read_list(struct parser *p, const char *at, const char *end, struct list_of_words *l,
                      bool last_word)
{
    while (at < end) {
        const char *to = at + strcspn(at, ",<>=");
        to = to < end ? to : end;
        if (*to == '=' || (to < end && *to != ',') || l->count == MOST_PARAMETERS)
            return false;
        const char *next = to + 1;
        while (to > at && (to[-1] == ' ' || to[-1] == '\t'))
            to--;
        const char *from = at + strspn(at, " \t");
        for (const char *word = to; last_word && word > from && fe_in_word(word[-1]);)
            at = --word;
        from = last_word ? at : from;
        if (from >= to)
            return false;
        l->at[l->count++] = intern(&p->fe->strings, from, (size_t)(to - from));
        at = next;
    }
    return l->count > 0;
}

/* ---- the function ------------------------------------------------------------------------------------- */

/* Behind the function that begins at `at`, whose name ends before its first parenthesis: there *open gets.
 * NULL: it is none, or another template stands in it. */
static const char *function_end(const char *at, const char **open)
{
    unsigned braces = 0, parentheses = 0;
    *open = NULL;
    while (*at) {
        const char *next = behind_quoted(at);
        size_t n = fe_begins_word(*at) ? fe_word_length(at) : 0;
        if (n == strlen("template") && memcmp(at, "template", n) == 0)
            return NULL;
        if (next > at || n) {
            at = next > at ? next : at + n;
            continue;
        }
        if (*at == '(' && !*open)
            *open = at;
        parentheses += *at == '(';
        parentheses -= *at == ')';
        braces += *at == '{';
        braces -= *at == '}';
        if (!*open && strchr("{};", *at))
            return NULL;
        at++;
        if (!parentheses && !braces && strchr("};", at[-1]))
            return at;
    }
    return NULL;
}

/* The edits that write arguments for parameters, up to the end. */
static void replace(struct parser *p, const char *at, const char *end, const struct list_of_words *parameters,
                    const struct list_of_words *arguments)
{
    place here = fe_here(p, at);
    while (at < end) {
        const char *next = behind_quoted(at);
        size_t n = next > at ? (size_t)(next - at) : fe_in_word(*at) ? fe_word_length(at) : 1;
        const char *word = fe_begins_word(*at) ? intern(&p->fe->strings, at, n) : NULL;
        place to = behind(here, at, n);
        for (uint32_t i = 0; word && i < parameters->count; i++)
            if (parameters->at[i] == word)
                fe_fix_also(p->fe, (span){here, to}, arguments->at[i]);
        here = to;
        at += n;
    }
}

/* The word before the parenthesis. */
static const char *name_before(struct parser *p, const char *at)
{
    while (at[-1] == ' ' || at[-1] == '\t')
        at--;
    const char *end = at;
    while (fe_in_word(at[-1]))
        at--;
    return intern(&p->fe->strings, at, (size_t)(end - at));
}

/* What all uses of the name give, the latest of which is `use`; NULL: they differ, or it is another template's
 * parameter. */
static const char *common_arguments(struct parser *p, uint32_t use)
{
    const char *text = p->templates.uses.at[use].arguments;
    for (uint32_t i = use; i; i = p->templates.uses.at[i].before)
        if (p->templates.uses.at[i].arguments != text)
            return NULL;
    size_t n;
    for (const char *at = text; *at; at += n ? n : 1) {
        n = fe_word_length(at);
        if (n && fe_is_excused(p->fe, intern(&p->fe->strings, at, n)))
            return NULL;
    }
    return text;
}

/* The fix-it of the head between open and close, from `from` on, where one is known. */
static void fix_template(struct parser *p, place from, const char *open, const char *close)
{
    struct list_of_words parameters = {0}, arguments = {0};
    const char *parenthesis, *end = function_end(close + 1, &parenthesis);
    find_uses(p);
    const char *name = end ? name_before(p, parenthesis) : "";
    uint32_t use = map_get(&p->templates.latest, (uintptr_t)name);
    bool is_deduced =
        map_get(&p->templates.plain, (uintptr_t)name) != 1; /* by some call from its arguments */
    const char *text = use == MAP_NONE || is_deduced ? NULL : common_arguments(p, use);
    if (!text || !read_list(p, open + 1, close, &parameters, true) ||
        !read_list(p, text, text + strlen(text), &arguments, false) || parameters.count != arguments.count)
        return;
    fe_fix_removal(p->fe, (span){from, fe_here(p, close + 1)});
    replace(p, close + 1, end, &parameters, &arguments);
    for (; use; use = p->templates.uses.at[use].before)
        fe_fix_also(p->fe, p->templates.uses.at[use].where, "");
}

bool fe_skip_template(struct parser *p, const char *name, span where)
{
    const char *open = fe_behind_blanks(p->in.cursor), *close = *open == '<' ? closing_angle(open) : NULL;
    if (strcmp(name, "template") != 0 || !close)
        return false;
    fe_report(p->fe, FE_MSG(foreign_word), where, name, fe_find_foreign_type(name)->advice);
    excuse_parameters(p, open, close);
    fe_go_on(p, open);
    if (!memchr(open, '\n', (size_t)(close - open)))
        fix_template(p, where.at, open, close);
    fe_go_on(p, close + 1);
    return true;
}

/* f<float>(x), group<32> g: what stands in < > is skipped. */
bool fe_skip_template_arguments(struct parser *p, const char *name)
{
    int before = p->history.current_token;
    const char *open = p->in.cursor;
    if (*open != '<' || open[1] == '<')
        return false;
    const char *first = fe_behind_blanks(open + 1), *end = open + 1 + strspn(open + 1, inside);
    if (*end != '>')
        return false;
    const char *next = fe_behind_blanks(end + 1);
    const char *word = intern(&p->fe->strings, first, fe_begins_word(*first) ? fe_word_length(first) : 0);
    bool is_value = !*word || fe_is_type_word(p, word) || fe_is_excused(p->fe, word);
    bool calls = (*next == '(' && is_value) || strncmp(next, "<<<", 3) == 0;
    bool declares = (fe_ends_statement(before) || before == TOK_STRUCT || fe_in_parameters(p)) &&
                    (fe_begins_word(*next) || *next == '*' || *next == '&' || *next == '{');
    if (!calls && !declares)
        return false;
    if (!fe_find_foreign_type(name)) {
        span where = {fe_here(p, open), fe_here(p, end + 1)};
        fe_report(p->fe, FE_MSG(foreign_word), where, "<", fe_find_foreign_type("template")->advice);
    }
    p->in.cursor = end + 1;
    return true;
}
