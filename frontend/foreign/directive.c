/* directive.c: lines of C's preprocessor. Each is reported; the rest is read on as if it had been mended:
 *
 *     #define N 256         const int N = 256;
 *     #define real float    typedef float real;
 *     #define SQ(x) (x*x)   float SQ(float x) { return (x*x); }, if all calls give a float (macro.c)
 *     #ifdef N … #else … #endif     the branch that C would take; what it would leave out is not read
 *     #pragma unroll                nothing
 *
 * Text that is no value stays to be written by hand; nothing is said of uses of such names.
 *
 * Line markers are what a preprocessor says of the lines of its output: `# 12 "file.h" 1`, `#line 12 "file.h"`.
 * Places go on being lines of the text at hand; struct source knows which file and line they stand for.
 */
#include "frontend/parse/grammar.h"
#include "frontend/parse/parser.h"

static const char small[] = "abcdefghijklmnopqrstuvwxyz";

/* The end of the line, or of those that a backslash joins to it. */
static const char *line_end(const struct parser *p, const char *at)
{
    for (;;) {
        const char *end = memchr(at, '\n', (size_t)(p->in.end - at));
        if (!end)
            return p->in.end;
        const char *last = end > at && end[-1] == '\r' ? end - 1 : end;
        if (last == at || last[-1] != '\\')
            return end;
        at = end + 1;
    }
}

/* ---- macros ------------------------------------------------------------------------------------------ */

/* The end of the text, without blanks and the comment behind it. */
static const char *value_end(const char *at, const char *end)
{
    const char *line = memmem(at, (size_t)(end - at), "//", 2),
               *block = memmem(at, (size_t)(end - at), "/*", 2);
    if (line && line < end)
        end = line;
    if (block && block < end)
        end = block;
    while (end > at && strchr(" \t\r\n", end[-1]))
        end--;
    return end;
}

/* The type of the number that begins at *at, which goes behind it. */
static enum fe_word type_of_number(const char **at, const char *end)
{
    const char *from = *at;
    bool hex = *from == '0' && (from[1] == 'x' || from[1] == 'X');
    bool point = false, single = false, is_long = false, is_unsigned = false;
    for (; *at < end &&
           (fe_in_word(**at) || **at == '.' || (strchr("+-", **at) && strchr("eE", (*at)[-1]) && !hex));
         ++*at) {
        point |= **at == '.' || (!hex && strchr("eE", **at));
        single |= !hex && strchr("fF", **at);
        is_long |= strchr("lL", **at) != NULL;
        is_unsigned |= strchr("uU", **at) != NULL;
    }
    if (single || point)
        return single ? FE_WORD_FLOAT : FE_WORD_DOUBLE;
    if (is_long)
        return is_unsigned ? FE_WORD_ULONG : FE_WORD_LONG;
    return is_unsigned ? FE_WORD_UINT : FE_WORD_INT;
}

/* The type of what has this text, of numbers, earlier constants and operators; of a macro its own parameters
 * do as well, which have no part in it. *known: it is nothing else. VOID: it has no numbers. */
static enum fe_word type_of_value(struct parser *p, const char *at, const char *end, const struct fe_macro *m,
                                  bool *known)
{
    const char *operators = m ? "+-*/%()<>&|^~?: \t" : "+-*/%()<>&|^~! \t";
    enum fe_word type = FE_WORD_VOID;
    *known = false;
    while (at < end) {
        if (fe_begins_word(*at)) {
            size_t n = fe_word_length(at);
            const char *name = intern(&p->fe->strings, at, n);
            uint32_t constant = map_get(&p->directives.macros, (uintptr_t)name);
            if (fe_macro_parameter(m, name) == FE_MACRO_PARAMETERS) {
                if (constant == MAP_NONE || !constant)
                    return FE_WORD_VOID;
                type = fe_wider_number(type, constant);
            }
            at += n;
        } else if ((*at >= '0' && *at <= '9') || (*at == '.' && at[1] >= '0' && at[1] <= '9')) {
            type = fe_wider_number(type, type_of_number(&at, end));
        } else if (strchr(operators, *at)) {
            at++;
        } else {
            return FE_WORD_VOID;
        }
    }
    *known = true;
    return type;
}

/* Whether the text is made of words of a type alone. */
static bool is_type(const struct parser *p, const char *at, const char *end)
{
    const char *from = at;
    while (at < end) {
        size_t n = fe_begins_word(*at) ? fe_word_length(at) : 0;
        if (!n || !fe_is_type_word(p, intern(&p->fe->strings, at, n)))
            return false;
        at = fe_behind_blanks(at + n);
    }
    return at > from;
}

static void say(struct parser *p, const char *at, const char *end, const char *word, const char *advice)
{
    span where = {fe_here(p, at), fe_here(p, end)};
    fe_report(p->fe, FE_MSG(no_preprocessor), where, word, advice);
}

/* The place of a byte behind the cursor, of a later line too. */
static place later(const struct parser *p, const char *at)
{
    place to = fe_here(p, p->in.cursor);
    const char *start = p->in.line_start;
    for (const char *c = p->in.cursor; c < at; c++)
        if (*c == '\n') {
            to.line++;
            start = c + 1;
        }
    to.column = (uint32_t)(at - start) + 1;
    return to;
}

/* The parameters between the parentheses at `at`, which goes behind them; false: they are no short list of
 * names. */
static bool read_parameters(struct parser *p, const char **at, struct fe_macro *m)
{
    for (const char *c = fe_behind_blanks(*at + 1); fe_begins_word(*c) && m->count < FE_MACRO_PARAMETERS;) {
        size_t n = fe_word_length(c);
        m->parameters[m->count++] = intern(&p->fe->strings, c, n);
        c = fe_behind_blanks(c + n);
        *at = c + 1;
        if (*c == ')')
            return true;
        c = *c == ',' ? fe_behind_blanks(c + 1) : "";
    }
    return false;
}

/* A macro with parameters: what calls of it have in common may make it a function. */
static void define_function(struct parser *p, const char *at, const char *name, const char *open,
                            const char *end)
{
    const char *last = value_end(open, end);
    struct fe_macro m = {.name = name};
    say(p, at, open, "define", "write a function, int NAME(int x) { return x * x; }");
    m.which = fe_latest(p->fe);
    if (m.which == UINT32_MAX || !read_parameters(p, &open, &m))
        return;
    bool known;
    const char *text = fe_behind_blanks(open);
    m.constants = type_of_value(p, text, last, &m, &known);
    m.text = arena_strdup(p->arena, text, (size_t)(last - text));
    m.where = (span){fe_here(p, at), later(p, last)};
    if (known && fe_read_macro(&m)) {
        vec_push(p->arena, &p->fe->deferred.macros, m);
        map_set(p->arena, &p->fe->deferred.macros_of, (uintptr_t)name, p->fe->deferred.macros.count - 1);
    }
}

static void define(struct parser *p, const char *at, const char *word, const char *name, const char *end)
{
    size_t n = fe_begins_word(*name) ? fe_word_length(name) : 0;
    const char *text = fe_behind_blanks(name + n), *last = value_end(text, end);
    const char *interned = intern(&p->fe->strings, name, n);
    bool known = false, has_parameters = n && name[n] == '(';
    enum fe_word type =
        text < last && !has_parameters ? type_of_value(p, text, last, NULL, &known) : FE_WORD_VOID;
    map_set(p->arena, &p->directives.macros, (uintptr_t)interned, type);
    if (n)
        fe_excuse(p->fe, name, n);
    if (has_parameters) {
        define_function(p, at, interned, name + n, end);
        return;
    }
    say(p, at, word, "define", "write 'const int NAME = value;', an enum or a function");
    if (!n)
        return;
    span whole = {fe_here(p, at), later(p, last)};
    const char *value = arena_strdup(p->arena, text, (size_t)(last - text));
    if (text == last) {
        fe_fix_removal(p->fe, (span){fe_here(p, at), later(p, end)});
    } else if (is_type(p, text, last)) {
        fe_declare_name(p, interned, true);
        fe_fixit(p->fe, whole, arena_printf(p->arena, "typedef %s %s;", value, interned));
    } else if (type && !memchr(text, '\n', (size_t)(last - text))) {
        fe_fixit(p->fe, whole,
                 arena_printf(p->arena, "const %s %s = %s;", fe_word_text[type], interned, value));
    }
}

/* ---- conditions -------------------------------------------------------------------------------------- */

static bool is_line(const char *at, const char *word)
{
    size_t n = strlen(word);
    return strncmp(at, word, n) == 0 && !fe_in_word(at[n]);
}

/* From the line at `at` on: the next #else, #elif or #endif of the condition that is open there.
 * `only_end`: the next
 * #endif. NULL: there is none; it is not looked for again, so that time is linear. */
static const char *next_branch(struct parser *p, const char *at, bool only_end)
{
    for (unsigned open = 0; at < p->in.end && !p->directives.no_branches;) {
        const char *first = fe_behind_blanks(at), *word = *first == '#' ? fe_behind_blanks(first + 1) : "";
        if (strncmp(word, "if", 2) == 0)
            open++;
        else if (!open &&
                 (is_line(word, "endif") || (!only_end && (is_line(word, "else") || is_line(word, "elif")))))
            return first;
        else if (is_line(word, "endif"))
            open--;
        const char *end = line_end(p, at);
        at = end < p->in.end ? end + 1 : p->in.end;
    }
    p->directives.no_branches = true;
    return NULL;
}

/* What C takes the condition for, as far as the file alone says. */
static bool holds(struct parser *p, const char *word, const char *text, const char *end)
{
    bool is_not = is_line(word, "ifndef"), tests = is_line(word, "if") || is_line(word, "elif");
    const char *name = text;
    if (tests && strncmp(text, "!defined", strlen("!defined")) == 0)
        is_not = true, name = text + strlen("!defined");
    else if (tests && strncmp(text, "defined", strlen("defined")) == 0)
        name = text + strlen("defined");
    else if (tests)
        return !(*text == '0' && value_end(text, end) == text + 1);
    name += strspn(name, " \t(");
    const char *interned = intern(&p->fe->strings, name, fe_word_length(name));
    return is_not == (map_get(&p->directives.macros, (uintptr_t)interned) == MAP_NONE);
}

/* The lines up to the next branch or the end are left out as well. */
static void leave_out(struct parser *p, const char *at, const char *to)
{
    const char *first = p->in.line_start;
    place from = fe_here(p, fe_behind_blanks(first) == at ? first : at);
    fe_go_on(p, to);
    fe_fixit(p->fe, (span){from, fe_here(p, to)}, "");
}

static const char *behind_line(const struct parser *p, const char *at)
{
    const char *end = line_end(p, at);
    return end < p->in.end ? end + 1 : end;
}

/* An #elif at `at` that C would not take. */
static bool is_untrue(struct parser *p, const char *at)
{
    const char *word = fe_behind_blanks(at + 1), *text = fe_behind_blanks(word + strspn(word, small));
    return is_line(word, "elif") && !holds(p, word, text, line_end(p, at));
}

static void condition(struct parser *p, const char *at, const char *word, const char *end)
{
    static const char advice[] = "remove the line, and what it leaves out";
    bool begins = strncmp(word, "if", 2) == 0, is_end = is_line(word, "endif");
    size_t n = strspn(word, small);
    const char *text = fe_behind_blanks(word + n), *next = behind_line(p, at);
    say(p, at, word + n, arena_strdup(p->arena, word, n), is_end ? "remove the line" : advice);
    const char *to = next;
    if (!is_end && !begins) { /* another branch has been read */
        to = next_branch(p, next, true);
    } else if (begins && !holds(p, word, text, end)) {
        to = next_branch(p, next, false);
        while (to && is_untrue(p, to))
            to = next_branch(p, behind_line(p, to), false);
        if (to && !is_line(fe_behind_blanks(to + 1), "endif"))
            to = behind_line(p, to);
    }
    if (!to)
        return;
    leave_out(p, at, to);
}

/* ---- all --------------------------------------------------------------------------------------------- */

void fe_directive_line(struct parser *p, const char *at)
{
    const char *word = fe_behind_blanks(at + 1), *end = line_end(p, at);
    size_t n = strspn(word, small);
    const char *text = fe_behind_blanks(word + n);
    span whole = {fe_here(p, at), later(p, end)};
    if (is_line(word, "define")) {
        define(p, at, word + n, text, end);
    } else if (strncmp(word, "if", 2) == 0 || is_line(word, "else") || is_line(word, "elif") ||
               is_line(word, "endif")) {
        condition(p, at, word, end);
    } else if (is_line(word, "include") && *text == '"') {
        say(p, at, word + n, "include", "write 'include \"FILE\";'");
        fe_fix_include(p, whole, text);
    } else {
        say(p, at, word + n, arena_strdup(p->arena, word, n),
            is_line(word, "include") ? "everything built in is there without it" : "remove the line");
        fe_fix_removal(p->fe, whole);
    }
    fe_go_on(p, end); /* if it is not further */
}

/* ---- line markers -------------------------------------------------------------------------------------- */

/* At the first character of a line that is no blank. */
static bool begins_line(const struct parser *p, const char *at)
{
    const char *before = p->in.line_start;
    while (before < at && (*before == ' ' || *before == '\t' || *before == '\f' || *before == '\v'))
        before++;
    return before == at;
}

/* A file's name in quotes, in which \\ escapes and \OOO is a byte; NULL: there is none. *at moves behind it. */
static const char *read_name(struct parser *p, const char **at, const char *end)
{
    struct text name = {.arena = p->arena};
    const char *c = *at;
    if (c == end || *c++ != '"')
        return NULL;
    for (; c < end && *c != '"'; c++) {
        unsigned byte = (unsigned char)*c;
        if (*c == '\\' && c + 1 < end) {
            byte = (unsigned char)*++c;
            for (int n = 0; byte >= '0' && byte <= '7' && n == 0; n++) {
                byte -= '0';
                while (n++ < 2 && c + 1 < end && c[1] >= '0' && c[1] <= '7')
                    byte = byte * 8 + (unsigned)(*++c - '0');
            }
        }
        if (!(byte & 0xff))
            return NULL;
        text_char(&name, (char)byte);
    }
    if (c == end || name.length == 0)
        return NULL;
    *at = c + 1;
    return name.at;
}

#define LINE_MOST 999999999u /* what a marker may say */

/* The marker's parts: `12 "name" 1 3` or `line 12 "name"`. */
static bool read_marker(struct parser *p, const char *at, const char *end, uint32_t *line, const char **name)
{
    uint64_t n = 0;
    size_t digits = strspn(at, "0123456789");
    for (size_t i = 0; i < digits && n <= LINE_MOST; i++)
        n = n * 10 + (uint64_t)(at[i] - '0');
    *line = (uint32_t)n;
    at += digits;
    const char *text = at + strspn(at, " \t");
    *name = NULL;
    if (*text == '"' && !(*name = read_name(p, &text, end)))
        return false;
    return digits && n <= LINE_MOST && text + strspn(text, " \t0123456789\r") == end;
}

bool fe_skip_line_marker(struct parser *p, const char *at)
{
    const char *word = at + 1 + strspn(at + 1, " \t"), *name;
    const char *end = memchr(at, '\n', (size_t)(p->in.end - at));
    uint32_t line;
    bool is_line = strncmp(word, "line", strlen("line")) == 0 && (word[4] == ' ' || word[4] == '\t');
    if (!begins_line(p, at) || (!is_line && !(*word >= '0' && *word <= '9')))
        return false;
    end = end ? end : p->in.end;
    word += is_line ? 4 + strspn(word + 4, " \t") : 0;
    if (read_marker(p, word, end, &line, &name))
        source_mark(p->fe->diags->arena, p->fe->source, p->in.line, line, name);
    else
        fe_report(p->fe, FE_MSG(bad_marker), (span){fe_here(p, at), fe_here(p, end)});
    p->in.cursor = end;
    return true;
}
